"""Distance Encoding for graph neural networks, to explore in Jupyter.

``__init__.pyi`` lists the public names. Each is imported when first used, so that ``import degnn_explore`` stays fast
and needs neither torch nor numba nor any widget library.
"""

import importlib
from typing import Any

import lazy_loader

__version__ = "0.2.0"

_load, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)


def __getattr__(name: str) -> Any:
    if name == "zoo":  # a module inside graphs; lazy_loader expects an attribute of that package
        importlib.import_module(".graphs.zoo", __name__)
    elif name not in __all__:
        from .common.errors import did_you_mean

        raise AttributeError(f"degnn_explore has no public name {name!r}.{did_you_mean(name, __all__)}", name=name)
    from .common.extras import needs_extra

    with needs_extra(f"de.{name}"):
        return _load(name)
