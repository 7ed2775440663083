"""The Explorer carried away: a code, Python, an SVG, pages that live without a kernel.

What is written here is read by strangers, or comes from them. May import what ``views.explorer`` may, and the state,
presets and trees beside it, never ``explorer.py``. Begin with ``sharing.py``.
"""
