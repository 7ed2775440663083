"""numba compiles a loop when it is first called after installing, and that takes up to a minute: who waits is told."""

from __future__ import annotations

import contextlib
import sys
from collections.abc import Callable, Iterator
from typing import Any

WORDS = "compiling, once after installing"


@contextlib.contextmanager
def told_of_compiling(tell: Callable[[str], object]) -> Iterator[None]:
    """Calls ``tell`` with :data:`WORDS` when numba begins to compile something meanwhile, with "" when it has ended.

    It is called in the thread that compiles. What was compiled before and is read from disk is not told.

    Examples
    --------
    >>> import numba
    >>> with told_of_compiling(print):
    ...     int(numba.njit(lambda x: x + 1)(1))
    compiling, once after installing
    <BLANKLINE>
    2
    """
    if "numba" not in sys.modules:
        yield
        return
    from numba.core import event

    class Told(event.Listener):
        depth = 0  # a loop that calls others has them compiled on the way

        def on_start(self, event: Any) -> None:
            self.depth += 1
            if self.depth == 1:
                tell(WORDS)

        def on_end(self, event: Any) -> None:
            self.depth -= 1
            if not self.depth:
                tell("")

    with event.install_listener("numba:compile", Told()):
        yield
