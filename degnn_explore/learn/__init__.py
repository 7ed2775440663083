"""Tasks, the models (``nets/``), training, predicting, saving.

May import ``engine`` and below, not ``expressive``. Begin with ``training.py``.
"""
