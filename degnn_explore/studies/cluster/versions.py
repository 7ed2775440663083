"""What must be the same on every worker as here, so that a run is the same run wherever it is made."""

from __future__ import annotations

import functools
import importlib.metadata
import platform
from collections.abc import Mapping

import degnn_explore

from ...common.errors import ParameterError

_PACKAGES = ("torch", "numpy", "dask", "distributed")
_MISSING = "missing"


def versions_here() -> dict[str, str]:
    """Of Python, this package and those that decide what comes out or how workers are spoken to.

    Of torch without the build: a laptop's CPU build and a cluster's CUDA build of one version agree.

    Examples
    --------
    >>> list(versions_here())
    ['Python', 'degnn_explore', 'torch', 'numpy', 'dask', 'distributed']
    """
    return {**_installed(), "degnn_explore": degnn_explore.__version__}


@functools.cache
def _installed() -> dict[str, str]:
    python = ".".join(platform.python_version_tuple()[:2])
    found = {"Python": python, "degnn_explore": ""}
    for name in _PACKAGES:
        try:
            found[name] = importlib.metadata.version(name).partition("+")[0]
        except importlib.metadata.PackageNotFoundError:
            found[name] = _MISSING
    return found


def need_same(worker: str, has: Mapping[str, str], expected: Mapping[str, str]) -> None:
    """A ParameterError that names the worker, what it has and what is expected, unless they are the same.

    Examples
    --------
    >>> need_same("tcp://10.0.0.7:41", {"torch": "2.4.0"}, {"torch": "2.13.0"})
    Traceback (most recent call last):
    degnn_explore.common.errors.ParameterError: The worker tcp://10.0.0.7:41 has torch 2.4.0, and here it is 2.13.0. ...
    """
    differing = [name for name in expected if has.get(name, _MISSING) != expected[name]]
    if differing:
        theirs = ", ".join(f"{name} {has.get(name, _MISSING)}" for name in differing)
        ours = ", ".join(expected[name] for name in differing)
        raise ParameterError(
            f"The worker {worker} has {theirs}, and here it is {ours}. Install the same versions there and here, "
            "e.g. pip install 'degnn_explore[cluster]' -c constraints.txt, and start the workers again."
        )
