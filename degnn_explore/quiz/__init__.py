"""Questions and exercises for notebooks; the library computes whether an answer is right.

Start with ``check.py`` (``de.check``, short questions), then ``exercises.py`` (``de.exercise``).
"""
