"""The building blocks of every view: canvas, chart, sheet, panel, uploads. All JavaScript lives here.

May import ``reading``, ``graphs`` and ``common``. Begin with ``messages.py``, the door to the page, and ``canvas.py``.
"""
