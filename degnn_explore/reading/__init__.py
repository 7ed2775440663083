"""Graphs from outside: files of all kinds, the catalogue of named graphs, downloads.

May import ``graphs`` and below. Begin with ``read.py``.
"""
