"""The installed versions, and the device that models are trained on."""

from __future__ import annotations

import platform
from importlib.metadata import PackageNotFoundError, version
from typing import TYPE_CHECKING

from . import __version__

if TYPE_CHECKING:
    import pandas

__all__ = ["about"]

PACKAGES = (
    "numpy scipy pandas networkx numba torch torch-geometric jupyterlab ipywidgets anywidget plotly pyvis".split()
)


def about() -> pandas.DataFrame:
    """The versions in use and the device that ``device="auto"`` takes: cuda, then mps, then cpu.

    Returns
    -------
    A table with one row for each part and the column ``version``; "missing" where a package is not installed.

    Examples
    --------
    >>> list(about().index[:3])
    ['degnn_explore', 'Python', 'numpy']
    """
    import pandas as pd

    rows = {"degnn_explore": __version__, "Python": platform.python_version()}
    rows |= {name: _version(name) for name in PACKAGES}
    rows["device"] = _device()
    return pd.DataFrame({"version": rows})


def _version(package: str) -> str:
    try:
        return version(package)
    except PackageNotFoundError:
        return "missing"


def _device() -> str:
    try:
        import torch

        from .learn.devices import best_device
    except ModuleNotFoundError:
        return "none: training needs torch, pip install 'degnn_explore[train]'"
    except ImportError as error:
        return f"none: torch cannot be imported ({error})"
    best = best_device()
    return f"cuda ({torch.cuda.get_device_name()})" if best == "cuda" else best
