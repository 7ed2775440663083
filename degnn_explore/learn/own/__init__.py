"""What users bring: models of their own, tried before they are used.

May import the rest of ``learn`` and what lies below it; ``learn`` does not import it. Begin with ``registering.py``.
"""
