"""The building blocks of every view: canvas, chart, sheet, uploads. All JavaScript lives here.

May import ``reading``, ``graphs`` and ``common``. Begin with ``canvas.py``.
"""
