"""The Training Board: a race of models, live, and what it found.

May import everything below. Begin with ``board.py``.
"""
