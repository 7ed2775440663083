"""Where runs are kept: one SQLite store for boards and studies, and its way to and from JSON lines and CSV.

May import ``studies.records``, ``common`` and below. Begin with ``store.py``.
"""
