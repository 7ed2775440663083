"""The Explorer: a target set picked on a graph, its encoding in colours, subtrees, verdicts. Needs no torch.

May import ``views.widgets``, ``expressive``, ``reading`` and below. Begin with ``state.py``, then ``explorer.py``.
"""
