"""Distance encodings ζ(u|S), each with its columns.

May import ``graphs`` and below. Begin with ``encodings.py``.
"""
