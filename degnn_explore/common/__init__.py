"""Errors and checks, progress and cancelling, files, and one look for colors and figures.

Imports nothing of ours. Start with ``errors.py`` and ``progress.py``.
"""
