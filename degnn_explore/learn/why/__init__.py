"""Why a model says so: every edge, node, branch and ring of distances left out by itself, and all computed anew.

May import the rest of ``learn`` and what lies below it; ``learn`` does not import it. Begin with ``explaining.py``.
"""
