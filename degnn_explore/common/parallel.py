"""Independent pieces of work over the cores, with a progress bar and a way to stop."""

from __future__ import annotations

import contextlib
import os
import threading
import time
from collections.abc import Callable, Iterable, Iterator
from contextvars import ContextVar
from threading import Event
from typing import Any, TypeVar

from .compiling import told_of_compiling
from .errors import whole_number
from .limits import MAX_THREADS
from .stopping import Cancelled, raise_if

Item = TypeVar("Item")
Answer = TypeVar("Answer")
Step = Callable[[int], object]  # called with the number of steps done since the last call
Worker = Callable[[Step, Event], None]


_most: ContextVar[int] = ContextVar("_most", default=2**31)
Listener = Callable[[str, float], None]  # what is being done, and which share of it is done
_LISTENER: ContextVar[Listener | None] = ContextVar("listener", default=None)
_TOLD_EVERY = 0.25  # seconds from one word to a listener to the next


@contextlib.contextmanager
def heard_by(listener: Listener) -> Iterator[None]:
    """Whatever this thread lets :class:`Threads` do meanwhile is told to the listener, a few times a second.

    Examples
    --------
    >>> with heard_by(lambda label, share: print(label, share)):
    ...     Threads(1).ranges(16, lambda begin, end, scratch: None, "counting")
    counting 0.0
    """
    token = _LISTENER.set(listener)
    try:
        yield
    finally:
        _LISTENER.reset(token)


def cores() -> int:
    """How many cores this process may use, or within :func:`at_most` this thread."""
    there = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    return min(there, _most.get())


@contextlib.contextmanager
def at_most(number: int) -> Iterator[None]:
    """What this thread does meanwhile takes so many cores at most, where others do the same beside it.

    >>> with at_most(1):
    ...     cores()
    1
    """
    token = _most.set(number)
    try:
        yield
    finally:
        _most.reset(token)


def memory() -> int:
    """Bytes of this machine's memory, which is more than any one process can have."""
    try:
        return os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    except (AttributeError, ValueError, OSError):  # Windows does not say
        return 16 * 2**30


class Threads:
    """Runs work over items or ranges in several threads (None: one a core); the compiled kernels run side by side.

    Results do not depend on their number. When ``stop`` is set, Cancelled is raised within a fraction of a second;
    ``progress`` shows a bar once two seconds have passed; ``scratch`` makes a thread's working memory for ``ranges``.
    """

    def __init__(
        self,
        num_threads: int | None = None,
        *,
        stop: Event | None = None,
        progress: bool = False,
        scratch: Callable[[], Any] = lambda: None,
    ) -> None:
        self.num_threads = (
            cores() if num_threads is None else whole_number("num_threads", num_threads, least=1, most=MAX_THREADS)
        )
        self.stop, self.progress = stop, progress
        self._make, self._free = scratch, list[Any]()

    def __getstate__(self) -> dict[str, Any]:
        """For other processes, which make working memory of their own."""
        return self.__dict__ | {"_free": []}

    def items(
        self, work: Callable[[Item, Step, Event], Answer], items: Iterable[Item], *, total: int, label: str
    ) -> list[Answer]:
        """``[work(item, step, halt) for item in items]``.

        ``work`` calls ``step(k)`` after k more of the ``total`` steps, and ends soon after ``halt`` is set. The first
        error, Ctrl-C or ``stop`` ends all of them.
        """
        queue, lock, answers = enumerate(items), threading.Lock(), dict[int, Answer]()

        def worker(step: Step, halt: Event) -> None:
            while not halt.is_set():
                with lock:
                    place, item = next(queue, (-1, None))
                if place < 0:
                    return
                answers[place] = work(item, step, halt)  # type: ignore[arg-type]

        self._run(worker, self.num_threads, total, label, "step", here=False)
        return [answers[place] for place in sorted(answers)]

    def ranges(
        self,
        total: int,
        work: Callable[[int, int, Any], None],
        label: str = "",
        quiet: bool = False,
        unit: str = "target set",
    ) -> None:
        """Calls ``work(begin, end, scratch)`` until 0..total is covered; a range takes about a tenth of a second.

        ``quiet`` work is done in this thread, without a bar.
        """
        threads = 1 if quiet else max(1, min(self.num_threads, total // 16))
        lock, taken = threading.Lock(), [0]

        def worker(step: Step, halt: Event) -> None:
            with lock:
                scratch = self._free.pop() if self._free else None
            scratch = self._make() if scratch is None else scratch
            spans = self._spans(total, threads, lock, taken)
            while not halt.is_set() and (span := next(spans, None)) is not None:
                work(*span, scratch)
                step(span[1] - span[0])
            self._free.append(scratch)

        self._run(worker, threads, total, label, unit, here=threads == 1, quiet=quiet)

    def _spans(self, total: int, threads: int, lock: threading.Lock, taken: list[int]) -> Iterator[tuple[int, int]]:
        """The ranges that one worker takes, until ``stop``; a range that was quick is followed by a longer one."""
        size = 16
        while self.stop is None or not self.stop.is_set():
            with lock:
                begin = taken[0]
                end = taken[0] = min(total, begin + size)
            if begin == end:
                return
            started = time.perf_counter()
            yield begin, end
            seconds = time.perf_counter() - started
            if seconds < 0.05:
                size = min(2 * size, max(16, total // (4 * threads)))
            elif seconds > 0.2:
                size = max(1, size // 2)

    def _run(
        self, worker: Worker, threads: int, total: int, label: str, unit: str, *, here: bool, quiet: bool = False
    ) -> None:
        """One worker a thread, or in this thread (``here``), until all have ended."""
        halt, failures = Event(), list[BaseException]()
        said = _Said(label, total, unit, None if quiet else _LISTENER.get(), here, hidden=quiet or not self.progress)

        def look() -> None:
            said.now()
            if said.done < total:
                raise_if(self.stop, f"{label or 'Work'}: stopped after {said.done:,} of {total:,} {unit}s.")

        def step(count: int) -> None:
            said.add(count)
            if here:
                look()

        def guarded() -> None:
            try:
                worker(step, halt)
            except BaseException as failure:
                failures.append(failure)
                halt.set()

        told = contextlib.nullcontext() if quiet else told_of_compiling(said.compiling)
        with said.bar, told:
            look()
            if here:
                return worker(step, halt)
            pool = [threading.Thread(target=guarded, name=f"{label}-{i}", daemon=True) for i in range(threads)]
            try:
                for thread in pool:
                    thread.start()
                for thread in pool:
                    while thread.is_alive():
                        thread.join(0.1)
                        look()
                look()
            except Cancelled as cancelled:
                failures.append(cancelled)
            finally:  # Ctrl-C arrives here, between two ranges of the workers
                halt.set()
                for thread in pool:
                    if thread.ident is not None:
                        thread.join()
        if failures:
            raise failures[0]


class _Said:
    """What a bar and a listener are told of some work: how far it is, and that something is compiled for it first."""

    def __init__(
        self, label: str, total: int, unit: str, listener: Listener | None, here: bool, *, hidden: bool
    ) -> None:
        from tqdm.auto import tqdm

        self.done, self._lock = 0, threading.Lock()
        self._label, self._doing, self._total, self._listener, self._here = label, label, total, listener, here
        self._told = -_TOLD_EVERY
        self.bar = tqdm(total=total, desc=label, unit=unit, delay=2, mininterval=0.3, disable=hidden)

    def add(self, count: int) -> None:
        """So much more is done."""
        with self._lock:
            self.done += count

    def now(self) -> None:
        """Tells it, by the thread that looks on."""
        self.bar.update(self.done - self.bar.n)
        if self._listener is not None and (now := time.monotonic()) - self._told >= _TOLD_EVERY:
            self._told = now
            self._listener(self._doing, self.done / max(self._total, 1))

    def compiling(self, words: str) -> None:
        """Something is compiled from now on ("": no longer), maybe by a thread that does not look on."""
        self._doing = f"{self._label} ({words})" if words else self._label
        self.bar.set_description_str(self._doing, refresh=False)
        self._told = -_TOLD_EVERY
        if self._here:
            self.now()
