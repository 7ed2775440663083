"""Graphs from outside: files of all kinds, and the named graphs of ``de.datasets()``.

May import ``graphs`` and below. Begin with ``read.py``.
"""
