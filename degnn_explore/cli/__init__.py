"""The command ``degnn-explore``: train, score, encode, explain and explore without writing Python.

A module a command; each adds its options and its examples, and calls what a notebook would. Tables of target sets are
read by ``set_files.py`` and answered chunk by chunk by ``streaming.py``. Begin with ``command.py``.
"""

from .command import main

__all__ = ["main"]
