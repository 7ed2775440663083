"""Independent pieces of work over the cores, with a progress bar and a way to stop."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor, wait
from threading import Event, Lock
from typing import TypeVar

from .errors import Cancelled

__all__ = ["run_jobs"]

Item = TypeVar("Item")
Answer = TypeVar("Answer")


def run_jobs(
    work: Callable[[Item, Callable[[int], object], Event], Answer],
    items: Sequence[Item],
    *,
    total: int,
    label: str,
    progress: bool,
    stop: Event | None,
) -> list[Answer]:
    """``[work(item, step, halt) for item in items]``, in one thread for each core; the kernels run side by side.

    ``work`` calls ``step(k)`` after k more of the ``total`` steps, and ends soon after ``halt`` is set. The first
    error, Ctrl-C or ``stop`` ends all of them.

    Examples
    --------
    >>> run_jobs(lambda x, step, halt: x * x, [1, 2, 3], total=3, label="", progress=False, stop=None)
    [1, 4, 9]
    """
    from tqdm.auto import tqdm

    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    halt, lock, done = Event(), Lock(), [0]

    def step(count: int) -> None:
        with lock:
            done[0] += count

    pool = ThreadPoolExecutor(max_workers=cores)
    try:
        with tqdm(
            total=total,
            desc=label,
            delay=1,
            mininterval=0.3,
            disable=not progress,
            bar_format="{desc}: {percentage:3.0f}%|{bar}| {elapsed}<{remaining}",
        ) as bar:
            futures = [pool.submit(work, item, step, halt) for item in items]
            running = set(futures)
            while running:
                finished, running = wait(running, timeout=0.1)
                for future in finished:
                    future.result()  # raises what the work raised
                if stop is not None and stop.is_set():
                    raise Cancelled(f"{label}: cancelled after {done[0] / max(total, 1):.0%}")
                bar.update(done[0] - bar.n)
            return [future.result() for future in futures]
    finally:
        halt.set()
        pool.shutdown(wait=True, cancel_futures=True)
