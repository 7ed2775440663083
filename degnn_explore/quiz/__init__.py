"""Questions and exercises for notebooks: what is right is computed from the answer, never looked up.

Begin with ``answers.py`` (``de.check``, short questions), then ``exercise.py`` and ``listed.py`` (``de.exercise``).
"""
