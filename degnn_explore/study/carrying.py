"""What only this process knows, carried to a worker process: the models that a notebook registered.

It goes through the worker's own pipe, from the process that started it, and is never read from a file.
"""

from __future__ import annotations

import contextlib
import pickle
import sys
from collections.abc import Iterable, Iterator

from ..common.errors import ParameterError
from ..common.fingerprint import is_installed
from ..learn.nets import MODELS


def pack(models: Iterable[str]) -> bytes:
    """Of these models, those that were registered in this process; nothing if there are none.

    A ParameterError says which of them cannot be carried, and why.

    Examples
    --------
    >>> pack(["GCN", "DE-GNN-SPD"])
    b''
    """
    own = {name: _packed(name) for name in models if not isinstance(MODELS[name].home, str)}
    return pickle.dumps(own) if own else b""


def unpack(carried: bytes) -> None:
    """In the worker: what :func:`pack` put together is known from now on."""
    for name, entry in pickle.loads(carried).items() if carried else ():
        MODELS[name] = pickle.loads(entry)


def _packed(name: str) -> bytes:
    import cloudpickle

    entry = MODELS[name]
    with _by_value(entry.load().__module__):
        try:
            return bytes(cloudpickle.dumps(entry))
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
