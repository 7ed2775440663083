"""What a GNN can tell apart, exactly: colours, 2-WL, verdicts and their reasons, unrolled subtrees.

May import ``encodings`` and below, not ``engine``. Begin with ``verdicts.py``.
"""
