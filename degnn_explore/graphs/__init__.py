"""The graph: its columns, how it is cleaned, networkx and PyG, and the zoo of classical graphs.

May import ``common``. Begin with ``graph.py``.
"""
