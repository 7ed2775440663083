"""Distance Encoding for graph neural networks, to explore in Jupyter.

Names are imported when first used, so that ``import degnn_explore`` stays fast and needs
neither torch nor numba nor any widget library.
"""

from __future__ import annotations

import importlib
from typing import Any

__version__ = "0.1.0"

# Public name -> the module it lives in; __init__.pyi says the same to type checkers. No module here may share a name
# with a function: importing the module would put it in the function's place.
_HOME = {
    "about": "installation",
    "Graph": "graphs.graph",
    "Cleaning": "graphs.graph",
    "GraphError": "common.errors",
    "TargetError": "common.errors",
    "ParameterError": "common.errors",
    "read_graph": "reading.read",
    "load": "reading.catalogue",
    "datasets": "reading.catalogue",
    "SPD": "encodings.paths",
    "LandingProbability": "encodings.walks",
    "GeneralizedPageRank": "encodings.walks",
    "PageRank": "encodings.walks",
    "HeatKernel": "encodings.walks",
    "DRNL": "encodings.paths",
    "blocks": "engine.egonets",
    "ego_networks": "engine.egonets",
    "colours": "expressive.refinement",
    "distinguish": "expressive.verdicts",
    "Verdict": "expressive.verdicts",
    "unroll": "expressive.subtrees",
    "compare": "expressive.subtrees",
    "Subtree": "expressive.subtrees",
    "Explorer": "views.explorer.explorer",
    "TrainingBoard": "views.board.board",
    "check": "quiz",
    "role_task": "learn.tasks",
    "link_task": "learn.tasks",
    "triangle_task": "learn.tasks",
    "set_task": "learn.tasks",
    "Task": "learn.tasks",
    "build": "learn.nets",
    "models": "learn.nets",
    "fit": "learn.training",
    "predict": "learn.predicting",
    "Epoch": "learn.training",
    "summarise": "learn.training",
    "save": "learn.saving",
    "load_model": "learn.saving",
    "missing_links": "study.missing_links",
    "set_distance": "study.judged",
}
_MODULES = {"theory": "theory", "zoo": "graphs.zoo"}

__all__ = [*_HOME, *_MODULES]


def __getattr__(name: str) -> Any:
    if name in _HOME:
        value = getattr(importlib.import_module(f".{_HOME[name]}", __name__), name)
    elif name in _MODULES:
        value = importlib.import_module(f".{_MODULES[name]}", __name__)
    else:
        raise AttributeError(f"module 'degnn_explore' has no attribute {name!r}")
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted([*__all__, "__version__"])
