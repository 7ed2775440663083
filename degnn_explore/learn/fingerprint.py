"""A hash of code that a user wrote, to recognize its earlier results; comments and docstrings do not count."""

from __future__ import annotations

import copyreg
import hashlib
import sys
from collections.abc import Iterator
from functools import partial
from pathlib import Path
from types import CodeType, FunctionType, MethodType, ModuleType
from typing import Any

_OF_THE_PLACE = ("__dict__", "__weakref__", "__module__", "__doc__", "__firstlineno__", "__abstractmethods__")
_INSTALLED = {"site-packages", "dist-packages"}  # of any environment: a venv may use those of another


def fingerprint(thing: Any) -> str:
    """The hash of a class, function or object, with the user's code that it uses; libraries count by name alone.

    Examples
    --------
    >>> def make(step):
    ...     return lambda x: x + step
    >>> fingerprint(make(1)) == fingerprint(make(1)), fingerprint(make(1)) == fingerprint(make(2))
    (True, False)
    """
    content = hashlib.sha256()
    for word in _words(thing, {}):
        content.update(word.encode() + b"\n")
    return content.hexdigest()[:16]


def is_installed(module: str) -> bool:
    """Whether a module is of this package, of Python or of an installed one: the same in every process.

    >>> is_installed("json.decoder"), is_installed("__main__")
    (True, False)
    """
    root = module.partition(".")[0]
    file = getattr(sys.modules.get(root), "__file__", None) or ""
    known = root in sys.stdlib_module_names or root == __name__.partition(".")[0]
    return root != "__main__" and (known or not _INSTALLED.isdisjoint(Path(file).parts))


def _from_library(thing: type | FunctionType) -> bool:
    """Whether it is found, by its name, in an installed module; a class that a function there made is not."""
    found: Any = sys.modules.get(thing.__module__)
    for name in thing.__qualname__.split("."):
        found = getattr(found, name, None)
    return found is thing and is_installed(thing.__module__)


def _words(thing: Any, seen: dict[int, Any]) -> Iterator[str]:
    """``seen`` also keeps things alive: another could otherwise take the id of one that is gone, and be left out."""
    if isinstance(thing, ModuleType):
        yield thing.__name__
    elif isinstance(thing, str | bytes | int | float | complex | bool | None | type(...)):
        yield repr(thing)
    elif isinstance(thing, CodeType):
        yield thing.co_code.hex()
        yield from _words([thing.co_names, thing.co_varnames, thing.co_freevars, _constants(thing)], seen)
    elif id(thing) in seen:
        return
    else:
        seen[id(thing)] = thing
        yield from _parts(thing, seen)


def _parts(thing: Any, seen: dict[int, Any]) -> Iterator[str]:
    """Of what may hold itself."""
    kind = thing if isinstance(thing, type) else type(thing)
    if isinstance(thing, type | FunctionType):
        yield thing.__qualname__
        if _from_library(thing):
            yield thing.__module__
        elif isinstance(thing, FunctionType):
            used = [thing.__globals__[name] for name in _names(thing.__code__) if name in thing.__globals__]
            held = [cell.cell_contents for cell in thing.__closure__ or ()]
            yield from _words([thing.__code__, thing.__defaults__, thing.__kwdefaults__, held, used], seen)
        else:
            yield from _words([thing.__bases__, {k: v for k, v in vars(thing).items() if k not in _OF_THE_PLACE}], seen)
        return
    yield kind.__qualname__
    if isinstance(thing, list | tuple):
        yield str(len(thing))
        for item in thing:
            yield from _words(item, seen)
    elif isinstance(thing, dict):
        yield str(len(thing))
        for key, value in thing.items():
            yield from _words(key, seen)
            yield from _words(value, seen)
    elif isinstance(thing, set | frozenset):
        yield repr(sorted(map(repr, thing)))
    elif isinstance(thing, property):
        yield from _words([thing.fget, thing.fset], seen)
    elif isinstance(thing, staticmethod | classmethod | MethodType):
        yield from _words([thing.__func__, getattr(thing, "__self__", None)], seen)
    elif isinstance(thing, partial):
        yield from _words([thing.func, thing.args, thing.keywords], seen)
    elif hasattr(thing, "numpy") or hasattr(thing, "tobytes"):  # a tensor, an array
        array = thing.detach().cpu().numpy() if hasattr(thing, "detach") else thing
        yield f"{array.dtype} {array.shape} {hashlib.sha256(array.tobytes()).hexdigest()}"
    else:
        yield from _words([kind, _content(thing)], seen)


def _content(thing: Any) -> Any:
    """What an object holds: its attributes, or what it is copied from (torch.relu, np.add, torch.float32, range(3))."""
    if hasattr(thing, "__dict__"):
        return vars(thing)
    try:
        registered = copyreg.dispatch_table.get(type(thing))
        return thing.__reduce_ex__(2) if registered is None else registered(thing)
    except TypeError:  # a lock, a generator
        return None


def _constants(code: CodeType) -> tuple[Any, ...]:
    """The constants of the code without its docstring, which is the first one of a function written with ``def``."""
    has_docstring = bool(code.co_flags & 0x4000000) if sys.version_info >= (3, 13) else not code.co_name.startswith("<")
    first_is_text = has_docstring and bool(code.co_consts) and isinstance(code.co_consts[0], str)
    return (None, *code.co_consts[1:]) if first_is_text else code.co_consts


def _names(code: CodeType) -> list[str]:
    """The names that it looks up, in functions inside it too."""
    inner = [name for const in code.co_consts if isinstance(const, CodeType) for name in _names(const)]
    return list(dict.fromkeys([*code.co_names, *inner]))
