"""Ego-networks and blocks of thousands of target sets, in compiled code.

May import ``encodings`` and below, not ``expressive``. Begin with ``egonets.py``.
"""
