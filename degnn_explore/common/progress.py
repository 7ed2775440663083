"""Long work: report its progress, show a bar, cancel it, and spread it over the cores.

Progress and cancelling travel in a context variable, not in arguments: the caller writes
``with watching(report, stop):`` and any function further down that calls :func:`report` or one of the loops
(:func:`map_items`, :func:`map_ranges`) shows its progress there and can be stopped.
"""

from __future__ import annotations

import contextlib
import os
import threading
import time
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import FIRST_EXCEPTION, ThreadPoolExecutor, wait
from contextvars import ContextVar, copy_context
from functools import partial
from threading import Event
from typing import Any, TypeVar

from .errors import ParameterError, check_int, short_repr

Item = TypeVar("Item")
Answer = TypeVar("Answer")
Report = Callable[[str, float], object]  # what is being done, and the share of it that is done, 0 to 1
Step = Callable[[int], None]  # called with the number of units done since the last call

MAX_THREADS = 1024
COMPILING = "compiling, once after installing"
SECONDS_BETWEEN_REPORTS = 0.25


class Cancelled(Exception):
    """The work was stopped because its stop event was set; nothing is left half-done."""


_WATCHERS: ContextVar[tuple[tuple[Report | None, Event | None], ...]] = ContextVar("watchers", default=())
_CORES: ContextVar[int] = ContextVar("cores", default=2**31)


@contextlib.contextmanager
def watching(report: Report | None = None, stop: Event | None = None) -> Iterator[None]:
    """Send the progress of everything called inside to ``report``, and cancel it once ``stop`` is set.

    Examples
    --------
    >>> with watching(lambda what, share: print(f"{what}: {share:.0%}")):
    ...     report("numbering the nodes", 0.4)
    numbering the nodes: 40%
    """
    token = _WATCHERS.set((*_WATCHERS.get(), (report, stop)))
    try:
        yield
    finally:
        _WATCHERS.reset(token)


@contextlib.contextmanager
def quietly(stop: Event | None = None) -> Iterator[None]:
    """Hide the progress of the steps inside, which are parts of a reported step; they can still be cancelled."""
    stops = (*(event for _, event in _WATCHERS.get()), stop)
    token = _WATCHERS.set(tuple((lambda what, share: None, event) for event in stops))
    try:
        yield
    finally:
        _WATCHERS.reset(token)


def report(what: str, share: float) -> None:
    """Tell the watchers what is being done and the share that is done; raise Cancelled if one has stopped the work."""
    check_cancelled(what)
    for tell, _ in _WATCHERS.get():
        if tell is not None:
            tell(what, share)


def is_cancelled() -> bool:
    """Whether a watcher has stopped this work."""
    return any(stop is not None and stop.is_set() for _, stop in _WATCHERS.get())


def check_cancelled(what: str) -> None:
    """Raise Cancelled if a watcher has stopped this work; ``what`` names the work."""
    if is_cancelled():
        raise Cancelled(f"Stopped: {what}.")


@contextlib.contextmanager
def progress_bar(progress: Report | bool) -> Iterator[None]:
    """Show a bar for the work inside once two seconds have passed (True), or call a function (what, share)."""
    if not isinstance(progress, bool):
        if not callable(progress):
            raise ParameterError(
                f"progress must be True, False or a function of (what, share), not {short_repr(progress)}."
            )
        with watching(progress):
            yield
        return
    from tqdm.auto import tqdm

    layout = "{desc}{percentage:3.0f}%|{bar}| [{elapsed}]"
    with tqdm(total=100, delay=2, mininterval=0.3, disable=not progress, bar_format=layout) as bar:

        def tell(what: str, share: float) -> None:
            bar.set_description(what, refresh=False)  # and a colon
            bar.update(max(0, round(100 * share) - bar.n))

        with watching(tell):
            yield


def cores() -> int:
    """The number of cores this process may use; inside :func:`limit_cores`, at most that number."""
    available = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    return min(available, _CORES.get())


@contextlib.contextmanager
def limit_cores(number: int) -> Iterator[None]:
    """Limit the work inside to ``number`` cores.

    >>> with limit_cores(1):
    ...     cores()
    1
    """
    token = _CORES.set(number)
    try:
        yield
    finally:
        _CORES.reset(token)


def memory() -> int:
    """The bytes of memory this machine has."""
    try:
        return os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    except (AttributeError, ValueError, OSError):  # Windows has no sysconf
        return 16 * 2**30


def map_items(
    work: Callable[[Item, Step], Answer],
    items: Iterable[Item],
    *,
    total: int,
    label: str,
    unit: str = "item",
    threads: int | None = None,
    progress: bool = False,
) -> list[Answer]:
    """``[work(item, step) for item in items]``, several at a time in threads.

    ``work`` calls ``step(k)`` after k more of the ``total`` units. ``step``, and :func:`check_cancelled` anywhere
    inside, raises Cancelled when the work is stopped or another item has failed. The first error ends them all.
    ``progress`` shows a bar, unless someone watches and shows it already.
    """
    with _loop(label, total, unit, progress) as loop:
        return loop.run([partial(work, item, loop.add) for item in items], _threads(threads))


def map_ranges(
    total: int,
    work: Callable[[int, int, Any], object],
    *,
    label: str,
    unit: str = "target set",
    threads: int | None = None,
    progress: bool = False,
    scratch: Callable[[], Any] = lambda: None,
    spare: list[Any] | None = None,
) -> None:
    """Call ``work(begin, end, memory)`` until 0..total is covered; a range takes about a tenth of a second.

    ``scratch`` makes the working memory of a thread; the list ``spare`` keeps it for the next call. Results must not
    depend on how the ranges fall.

    Examples
    --------
    >>> squares = [0] * 5
    >>> def fill(begin, end, _):
    ...     for i in range(begin, end):
    ...         squares[i] = i * i
    >>> map_ranges(5, fill, label="squares")
    >>> squares
    [0, 1, 4, 9, 16]
    """
    number = max(1, min(_threads(threads), total // 16))
    lock, begin, kept = threading.Lock(), 0, [] if spare is None else spare

    def worker() -> None:
        nonlocal begin
        with lock:
            memory = kept.pop() if kept else None
        memory, size = scratch() if memory is None else memory, 16
        while True:
            with lock:
                start = begin
                end = begin = min(total, start + size)
            if start == end:
                kept.append(memory)
                return
            started = time.perf_counter()
            work(start, end, memory)
            seconds = time.perf_counter() - started
            loop.add(end - start)
            if seconds < 0.05:
                size = min(2 * size, max(16, total // (4 * number)))
            elif seconds > 0.2:
                size = max(1, size // 2)

    with _loop(label, total, unit, progress) as loop:
        loop.run([worker] * number, number)


def _threads(threads: int | None) -> int:
    return cores() if threads is None else check_int("num_threads", threads, least=1, most=MAX_THREADS)


@contextlib.contextmanager
def _loop(label: str, total: int, unit: str, progress: bool) -> Iterator[_Loop]:
    from tqdm.auto import tqdm

    hidden = not progress or any(tell is not None for tell, _ in _WATCHERS.get())
    with tqdm(total=total, desc=label, unit=unit, delay=2, mininterval=0.3, disable=hidden) as bar:
        loop = _Loop(label, total, unit, bar)
        with on_compiling(loop.tell_compiling):
            yield loop


class _Loop:
    """Runs jobs in threads and counts the units done; the thread that waits for them shows the bar and reports."""

    def __init__(self, label: str, total: int, unit: str, bar: Any) -> None:
        self._label, self._total, self._unit, self._bar = label, total, unit, bar
        self._watchers, self._caller = _WATCHERS.get(), threading.get_ident()
        self._done, self._lock, self._failed = 0, threading.Lock(), Event()
        self._doing, self._reported = label, 0.0

    def run(self, jobs: list[Callable[[], Any]], threads: int) -> list[Any]:
        """The answers of the jobs, in order; in this thread if one is enough. The first error ends them all."""
        self._look()
        if threads == 1 or len(jobs) <= 1:
            try:
                return [copy_context().run(self._guarded, job) for job in jobs]
            except Cancelled:
                raise self._cancelled() from None
        with ThreadPoolExecutor(min(threads, len(jobs)), thread_name_prefix=self._label) as pool:
            try:
                futures = [pool.submit(copy_context().run, self._guarded, job) for job in jobs]
                while wait(futures, timeout=0.1, return_when=FIRST_EXCEPTION).not_done and not self._failed.is_set():
                    self._look()
            except BaseException:  # Cancelled, or Ctrl-C
                self._failed.set()
                raise
        errors = [error for future in futures if (error := future.exception()) is not None]
        if errors:  # the others were cancelled by the first one
            raise next((error for error in errors if not isinstance(error, Cancelled)), self._cancelled())
        self._look()
        return [future.result() for future in futures]

    def add(self, count: int) -> None:
        """``count`` more units are done. Raises Cancelled if the work was stopped or has failed elsewhere."""
        if self._failed.is_set():
            raise Cancelled(self._label)
        with self._lock:
            self._done += count
        if threading.get_ident() == self._caller:
            self._look()

    def tell_compiling(self, words: str) -> None:
        self._doing = f"{self._label} ({words})" if words else self._label
        self._bar.set_description_str(self._doing, refresh=False)
        self._reported = 0.0
        if threading.get_ident() == self._caller:
            with contextlib.suppress(Cancelled):  # numba must not be interrupted; the next _look() raises it again
                self._look()

    def _guarded(self, job: Callable[[], Any]) -> Any:
        """A job: only this loop reports, not those inside the job; an error ends the other jobs."""
        try:
            with quietly(self._failed):
                check_cancelled(self._label)
                return job()
        except BaseException:
            self._failed.set()
            raise

    def _look(self) -> None:
        """Show and report the progress; called by the thread that waits."""
        self._bar.update(self._done - self._bar.n)
        if self._done < self._total and any(stop is not None and stop.is_set() for _, stop in self._watchers):
            raise self._cancelled()
        if self._watchers and time.monotonic() - self._reported >= SECONDS_BETWEEN_REPORTS:
            self._reported = time.monotonic()
            for tell, _ in self._watchers:
                if tell is not None:
                    tell(self._doing, self._done / max(self._total, 1))

    def _cancelled(self) -> Cancelled:
        return Cancelled(f"{self._label}: stopped after {self._done:,} of {self._total:,} {self._unit}s.")


@contextlib.contextmanager
def on_compiling(tell: Callable[[str], object]) -> Iterator[None]:
    """Call ``tell`` with :data:`COMPILING` when numba starts to compile, and with "" when it is done.

    It is called in the thread that compiles; code read from numba's cache on disk does not count.
    """
    try:
        from numba.core import event
    except ImportError:  # nothing is compiled without numba
        yield
        return

    class Listener(event.Listener):
        depth = 0  # a compiled function compiles the ones it calls

        def on_start(self, event: Any) -> None:
            self.depth += 1
            if self.depth == 1:
                tell(COMPILING)

        def on_end(self, event: Any) -> None:
            self.depth -= 1
            if not self.depth:
                tell("")

    with event.install_listener("numba:compile", Listener()):
        yield
