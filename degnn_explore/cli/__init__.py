"""The command ``degnn-explore``: ``command.py`` has its commands, ``app.py`` serves the Explorer as a page."""

from .command import main

__all__ = ["main"]
