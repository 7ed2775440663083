"""One way to compile: ``@compiled`` on a loop over arrays.

Compiled code is kept on disk, or in memory where nothing can be written. The first call on small arrays does not wait
for the compiler: the same source runs as plain Python, with the same results to the last bit. So do all calls where
numba is missing, as in Pyodide, or told not to compile (``NUMBA_DISABLE_JIT=1``, for a debugger or a coverage report).
"""

from __future__ import annotations

import contextlib
import logging
import time
from collections.abc import Callable
from functools import update_wrapper
from types import CodeType, FunctionType
from typing import Any

import numpy as np

try:
    import numba
    from numba.core.compiler_lock import global_compiler_lock
except ImportError:  # pragma: no cover (a test blocks the import in another process)
    numba = None  # type: ignore[assignment]

SMALL = 4096  # entries of the largest array for which plain Python is fast enough: teaching examples take milliseconds
PATIENCE = 1.0  # seconds that a loop may take as plain Python before it is compiled after all
MOST_WITHOUT_NUMBA = 300_000  # the same where there is no compiler: a graph of a few hundred nodes
log = logging.getLogger("degnn_explore")


def compiled(
    function: Callable[..., Any] | None = None, *, plain: bool = True, fastmath: bool = False, inner: bool = False
) -> Any:
    """Compile a loop when it is first called, once for each combination of argument types.

    Parameters
    ----------
    plain
        Whether it may run as plain Python: on small arrays that it is not compiled for yet, and without numba.
    fastmath
        Whether sums may be reordered.
    inner
        Whether only other compiled loops call it, never Python: then nothing is compiled to take Python's arguments,
        which takes longer than the loop itself. So it is for names that begin with an underscore.

    Examples
    --------
    >>> @compiled
    ... def total(values):
    ...     out = 0.0
    ...     for value in values:
    ...         out += value
    ...     return out
    >>> float(total(np.arange(4.0)))
    6.0
    """
    if function is None:
        return lambda made: Kernel(made, plain, fastmath, inner)
    return Kernel(function, plain, fastmath, inner)


class Kernel:
    """A loop that is compiled when needed; other compiled loops call it like any function of numba."""

    def __init__(self, function: Callable[..., Any], plain: bool, fastmath: bool, inner: bool) -> None:
        update_wrapper(self, function)
        self.function, self._plain = function, plain
        self._twin: Callable[..., Any] | None = None
        self._seconds = 0.0  # spent as plain Python so far
        self.dispatcher: Any = _dispatcher(function, fastmath, inner)

    @property
    def _numba_type_(self) -> Any:
        """What numba takes it for inside another loop."""
        return self.dispatcher._numba_type_

    def __call__(self, *args: Any) -> Any:
        dispatcher = self.dispatcher
        if dispatcher is not None and (dispatcher.overloads or not self._plain):
            return dispatcher(*args)
        size = _largest(args)
        if dispatcher is None:
            if not _has_numba() and (not self._plain or size > MOST_WITHOUT_NUMBA):
                raise ImportError(
                    f"{self.function.__name__} needs numba here: training, and graphs of more than a few hundred "
                    "nodes, are computed by compiled code. Install it: pip install numba."
                )
        elif size > SMALL or self._seconds > PATIENCE or _load(dispatcher, args):
            return dispatcher(*args)
        began = time.perf_counter()
        with np.errstate(over="ignore"):  # hashes overflow on purpose
            result = self.as_python(*args)
        self._seconds += time.perf_counter() - began
        return result

    @property
    def as_python(self) -> Callable[..., Any]:
        """The same loop, and every loop that it calls, as plain Python."""
        if self._twin is None:
            self._twin = _python_twin(self.function)
        return self._twin


def _largest(args: Any) -> int:
    """Entries of the largest array among the arguments, also inside named tuples."""
    largest = 0
    for value in args:
        if isinstance(value, np.ndarray):
            largest = max(largest, value.size)
        elif isinstance(value, tuple):
            largest = max(largest, _largest(value))
    return largest


def _python_twin(function: Callable[..., Any]) -> Callable[..., Any]:
    """The function with its calls of compiled loops replaced by their plain twins."""
    code = function.__code__
    scope = dict(function.__globals__)
    for name in _names(code):
        if isinstance(scope.get(name), Kernel):
            scope[name] = scope[name].as_python
    return FunctionType(code, scope, function.__name__)


def _names(code: CodeType) -> set[str]:
    inner = (constant for constant in code.co_consts if isinstance(constant, CodeType))
    return set(code.co_names).union(*(_names(each) for each in inner))


# ---- numba -----------------------------------------------------------------------------------------------------------


def _has_numba() -> bool:
    return numba is not None


def _dispatcher(function: Callable[..., Any], fastmath: bool, inner: bool) -> Any:
    """numba's function; None where nothing is compiled."""
    if not _has_numba() or numba.config.DISABLE_JIT:  # type: ignore[attr-defined]
        return None
    inner = inner or function.__name__.startswith("_")
    how: dict[str, Any] = {"nogil": True, "fastmath": fastmath, "no_cpython_wrapper": inner, "no_cfunc_wrapper": True}
    try:
        dispatcher = numba.njit(cache=True, **how)(function)
    except RuntimeError:  # no folder for compiled code can be written to
        return numba.njit(**how)(function)
    dispatcher._cache = _TolerantCache(dispatcher._cache)
    return dispatcher


def _load(dispatcher: Any, args: Any) -> bool:
    """Take the code for these arguments from the disk, if it is there.

    Loading refreshes what numba knows of types, so it waits for a compilation in another thread, as numba's own does.
    """
    signature = tuple(dispatcher.typeof_pyval(value) for value in args)
    with global_compiler_lock:
        if signature not in dispatcher.overloads:
            loaded = dispatcher._cache.load_overload(signature, dispatcher.targetctx)
            if loaded is None:
                return False
            dispatcher.targetctx.insert_user_function(loaded.entry_point, loaded.fndesc, [loaded.library])
            dispatcher.add_overload(loaded)
    return True


class _TolerantCache:
    """numba's cache of one function; damaged files count as missing, and files that cannot be written are skipped."""

    def __init__(self, cache: Any) -> None:
        self._cache = cache

    def load_overload(self, signature: Any, target: Any) -> Any:
        try:
            return self._cache.load_overload(signature, target)
        except Exception as error:  # truncated, or written by another version
            log.warning("Compiled code in %s cannot be read (%s); it is compiled again.", self.cache_path, error)
            with contextlib.suppress(Exception):
                self._cache.flush()
            return None

    def save_overload(self, signature: Any, result: Any) -> None:
        with contextlib.suppress(Exception):  # no room, or no longer allowed to write
            self._cache.save_overload(signature, result)

    def __getattr__(self, name: str) -> Any:
        return getattr(self._cache, name)
