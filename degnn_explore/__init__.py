"""Distance Encoding for graph neural networks, to explore in Jupyter.

Names are imported when first used, so that ``import degnn_explore`` stays fast and needs
neither torch nor numba nor any widget library.
"""

from __future__ import annotations

import importlib
from typing import Any

__version__ = "0.1.0"

# Public name -> the module it lives in. No module may share a name with a function here: importing
# the module would put it in the function's place.
_HOME = {
    "about": "installation",
    "Graph": "graph",
    "Cleaning": "graph",
    "GraphError": "errors",
    "TargetError": "errors",
    "ParameterError": "errors",
    "read_graph": "readers",
    "load": "catalogue",
    "datasets": "catalogue",
    "SPD": "encodings",
    "LandingProbability": "encodings",
    "GeneralizedPageRank": "encodings",
    "PageRank": "encodings",
    "HeatKernel": "encodings",
    "DRNL": "encodings",
    "blocks": "egonets",
    "ego_networks": "egonets",
    "colours": "refinement",
    "distinguish": "verdicts",
    "Verdict": "verdicts",
    "unroll": "subtrees",
    "compare": "subtrees",
    "Subtree": "subtrees",
    "Explorer": "views.explorer",
    "TrainingBoard": "views.train",
    "check": "views.quiz",
    "role_task": "targets",
    "link_task": "targets",
    "triangle_task": "targets",
    "set_task": "targets",
    "Task": "targets",
    "build": "nets",
    "models": "nets",
    "fit": "training",
    "predict": "judging",
    "Epoch": "training",
    "summarise": "training",
    "save": "saving",
    "load_model": "saving",
}
_MODULES = ("theory", "zoo")

__all__ = [*_HOME, *_MODULES]


def __getattr__(name: str) -> Any:
    if name in _HOME:
        value = getattr(importlib.import_module(f".{_HOME[name]}", __name__), name)
    elif name in _MODULES:
        value = importlib.import_module(f".{name}", __name__)
    else:
        raise AttributeError(f"module 'degnn_explore' has no attribute {name!r}")
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted([*__all__, "__version__"])
