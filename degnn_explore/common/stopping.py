"""Long work that says how far it is and can be stopped: whoever waits sets an event, whoever works looks at it."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from threading import Event

from .errors import ParameterError, shown

Tell = Callable[[str, float], object]  # what is being done, and which share of it all is done, 0 to 1


class Cancelled(Exception):
    """Work was stopped because its stop event was set; nothing is half-done."""


def raise_if(stop: Event | None, what: str) -> None:
    """Raises Cancelled if somebody has set ``stop``; ``what`` says what ended and how far it was."""
    if stop is not None and stop.is_set():
        raise Cancelled(what)


_WATCHERS: ContextVar[tuple[tuple[Tell | None, Event | None], ...]] = ContextVar("watchers", default=())


@contextmanager
def watched(tell: Tell | None = None, stop: Event | None = None) -> Iterator[None]:
    """Whatever calls :func:`at` in here says to ``tell`` how far it is, and ends once ``stop`` is set.

    Those who watch are not handed from function to function: of the many that read a file, two or three know how far
    they are, and none need know who asks.

    Examples
    --------
    >>> with watched(lambda what, share: print(f"{what}: {share:.0%}")):
    ...     at("numbering the nodes", 0.4)
    numbering the nodes: 40%
    """
    token = _WATCHERS.set((*_WATCHERS.get(), (tell, stop)))
    try:
        yield
    finally:
        _WATCHERS.reset(token)


def at(what: str, share: float) -> None:
    """Says what is being done now, and the share that is done; raises Cancelled if whoever watches wants no more."""
    for tell, stop in _WATCHERS.get():
        raise_if(stop, f"Stopped while {what}.")
        if tell is not None:
            tell(what, share)


@contextmanager
def told(progress: Tell | bool, stop: Event | None = None) -> Iterator[None]:
    """:func:`watched` by the function ``progress``, or if that is True by a bar that shows once two seconds passed."""
    if not isinstance(progress, bool):
        if not callable(progress):
            raise ParameterError(f"progress must be True, False or a function of (what, share), not {shown(progress)}.")
        with watched(progress, stop):
            yield
        return
    from tqdm.auto import tqdm

    shape = "{desc}: {percentage:3.0f}%|{bar}| [{elapsed}]"
    with tqdm(total=100, delay=2, mininterval=0.3, disable=not progress, bar_format=shape) as bar:

        def tell(what: str, share: float) -> None:
            bar.set_description(what, refresh=False)
            bar.update(max(0, round(100 * share) - bar.n))

        with watched(tell, stop):
            yield
