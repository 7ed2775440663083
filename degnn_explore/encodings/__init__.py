"""Distance encodings ζ(u|S): each owns its columns, its exact tokens, its words and how the engine makes it.

May import ``graphs`` and below. Begin with ``base.py``, then ``paths.py`` (SPD, DRNL) and ``walks.py``.
"""
