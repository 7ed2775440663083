"""Ours beside the paper's: a study's results in the paper's layout, and in words.

Takes results as they stand (``whole/tables.py``), runs nothing. Begin with ``layout.py``.
"""
