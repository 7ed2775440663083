"""Errors for missing packages that come with an extra, such as torch with ``degnn_explore[train]``."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator

__all__ = ["MissingExtra", "needs_extra"]

EXTRAS = {
    **dict.fromkeys(("torch", "torch_geometric", "safetensors", "gensim", "loky", "cloudpickle", "pydantic"), "train"),
    **dict.fromkeys(("dask", "distributed"), "cluster"),
    "voila": "app",
}


class MissingExtra(ModuleNotFoundError):
    """A package that comes with an extra is not installed."""


@contextlib.contextmanager
def needs_extra(purpose: str) -> Iterator[None]:
    """If an import inside fails, raise an error that names the extra to install for ``purpose``.

    Examples
    --------
    >>> try:
    ...     with needs_extra("de.fit"):
    ...         raise ModuleNotFoundError("No module named 'torch'", name="torch")
    ... except ModuleNotFoundError as error:
    ...     print(error)
    de.fit needs torch, which is not installed: pip install 'degnn_explore[train]'
    """
    try:
        yield
    except ModuleNotFoundError as error:
        package = (error.name or "").partition(".")[0]
        if package not in EXTRAS:
            raise
        advice = f"pip install 'degnn_explore[{EXTRAS[package]}]'"
        raise MissingExtra(f"{purpose} needs {package}, which is not installed: {advice}", name=package) from None
