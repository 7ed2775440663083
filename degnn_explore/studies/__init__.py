"""Many runs: plans, races, records of what was run, and how they compare.

May import ``learn``, ``reading`` and below, not ``theory``. Begin with ``race.py``.
"""
