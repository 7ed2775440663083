"""Good networks for a task within a given time: a short look at several, the best trained on, and asked together.

Begin with ``halving.py``; ``ensemble.py`` is the network that several make together.
"""
