"""What a GNN can tell apart, exactly: colors, 2-WL, verdicts and their reasons, unrolled subtrees.

May import ``encodings`` and below, not ``engine``. Start with ``verdicts.py``.
"""
