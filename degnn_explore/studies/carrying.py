"""What only this process knows, carried to a worker process: the models and encodings that a notebook registered.

It goes through the worker's own pipe, from the process that started it, and is never read from a file.
"""

from __future__ import annotations

import contextlib
import pickle
import sys
from collections.abc import Iterable, Iterator
from typing import Any

from ..common.errors import ParameterError
from ..common.fingerprint import is_installed
from ..encodings.base import Encoding
from ..encodings.own import OWN, FunctionEncoding
from ..learn.nets import MODELS, Entry, own_encoding


def pack(models: Iterable[str]) -> bytes:
    """Of these models, those that were registered in this process, or their encodings; nothing if there are none.

    A ParameterError says which of them cannot be carried, and why.

    Examples
    --------
    >>> pack(["GCN", "DE-GNN-SPD"])
    b''
    """
    own = {}
    for name in models:
        if zeta := OWN.get(own_encoding(name)):
            own[name] = _packed(name, zeta, zeta.fn if isinstance(zeta, FunctionEncoding) else type(zeta))
        elif not isinstance(MODELS[name].home, str):
            own[name] = _packed(name, MODELS[name], MODELS[name].load())
    return pickle.dumps(own) if own else b""


def unpack(carried: bytes) -> None:
    """In the worker: what :func:`pack` put together is known from now on."""
    for name, packed in pickle.loads(carried).items() if carried else ():
        thing = pickle.loads(packed)
        if isinstance(thing, Encoding):
            OWN[name.split("-GNN-", 1)[1]] = thing
        else:
            MODELS[name] = thing


def _packed(name: str, thing: Entry | Encoding, written: Any) -> bytes:
    """``thing`` with what the user's module holds in which it was ``written``."""
    import cloudpickle

    with _by_value(getattr(written, "__module__", None) or "__main__"):
        try:
            return bytes(cloudpickle.dumps(thing))
        except Exception as error:
            why = f"{type(error).__name__}: {error}"
            raise ParameterError(f"{name} holds what no other process can be given ({why}).") from error


@contextlib.contextmanager
def _by_value(module: str) -> Iterator[None]:
    """What the user's own module defines goes as it is now, not as a worker imported it some time ago."""
    import cloudpickle

    given = cloudpickle.list_registry_pickle_by_value()
    if module == "__main__" or module not in sys.modules or module in given or is_installed(module):
        yield
        return
    cloudpickle.register_pickle_by_value(sys.modules[module])
    try:
        yield
    finally:
        cloudpickle.unregister_pickle_by_value(sys.modules[module])
