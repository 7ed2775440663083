"""Many runs: studies and races, the store that keeps them, and how they compare.

May import ``learn``, ``reading`` and below, not ``theory``. Start with ``runs.py``, then ``scheduler.py``.
"""
