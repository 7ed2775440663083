"""The graph: how it is built, checked and converted, distances in it, and the zoo of classical graphs.

May import ``common``. Start with ``graph.py``.
"""
