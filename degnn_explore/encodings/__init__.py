"""Distance encodings ζ(u|S): columns, values, exact tokens, labels, and how the engine makes each.

May import ``graphs`` and below. Start with ``base.py``, then ``paths.py`` (SPD, DRNL) and ``walks.py``.
"""
