"""The Explorer: what a plain GNN cannot see, and why distance encoding can.

Begin with ``state.py``, then ``explorer.py``. May import ``views.content``, ``views.js``, ``views.panel`` and what is
below ``views``; it needs no torch.
"""
