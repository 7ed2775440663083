"""Distance Encoding for graph neural networks, to explore in Jupyter.

Names are imported when first used, so that ``import degnn_explore`` stays fast and needs
neither torch nor numba nor any widget library.
"""

from __future__ import annotations

import importlib
from typing import Any

__version__ = "0.1.0"

# Module -> the public names that live in it; __init__.pyi says the same to type checkers. No module beside this one may
# share a name with a function: importing the module would put it in the function's place.
_NAMES = {
    "installation": "about",
    "graphs.graph": "Graph Cleaning",
    "common.errors": "GraphError TargetError ParameterError",
    "reading.read": "read_graph",
    "reading.catalogue": "load datasets",
    "encodings.base": "Encoding",
    "encodings.own": "encoding",
    "encodings.paths": "SPD DRNL",
    "encodings.walks": "LandingProbability GeneralizedPageRank PageRank HeatKernel",
    "engine.egonets": "blocks ego_networks",
    "expressive.refinement": "colours",
    "expressive.verdicts": "distinguish Verdict",
    "expressive.summary": "summary Summary",
    "expressive.subtrees": "unroll compare Subtree",
    "views.explorer.explorer": "Explorer",
    "views.board.board": "TrainingBoard",
    "quiz.answers": "check",
    "quiz.listed": "exercise",
    "learn.tasks": "role_task link_task triangle_task set_task Task",
    "learn.leaks": "leaks",
    "learn.nets": "build models",
    "learn.nets.base": "SetNet TransductiveNet Hyper Shape Rows Dropout",
    "learn.nets.readout": "Readout",
    "learn.own.pyg_model": "PyGModel",
    "learn.own.registering": "register_model",
    "learn.training": "fit Epoch summarise",
    "learn.predicting": "predict",
    "learn.why.explaining": "explain Explanation",
    "learn.saving": "save load_model",
    "studies.missing_links": "missing_links",
    "studies.judged": "set_distance",
    "studies.tuning": "tune",
    "studies.storage.store": "Store",
    "studies.whole.study": "study Study",
}
_HOME = {name: home for home, names in _NAMES.items() for name in names.split()}
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
