"""Progress and cancelling reach everything that is called, in any thread; results do not depend on them."""

from __future__ import annotations

import _thread
import os
import threading
from collections.abc import Callable
from threading import Event
from typing import Any

import pytest
import tqdm.auto
from numba import njit
from numba.core.event import trigger_event

from degnn_explore import ParameterError
from degnn_explore.common import progress as module
from degnn_explore.common.progress import (
    COMPILING,
    Cancelled,
    check_cancelled,
    cores,
    limit_cores,
    map_items,
    map_ranges,
    memory,
    progress_bar,
    quietly,
    report,
    watching,
)
from tests.support.waiting import LONG, until

Reports = list[tuple[str, float]]


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> list[float]:
    """A clock that stands still until a test sets it."""
    now = [100.0]
    monkeypatch.setattr("time.perf_counter", lambda: now[0])
    monkeypatch.setattr("time.monotonic", lambda: now[0])
    return now


@pytest.fixture
def bars(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Callable[[], str]:
    """What bars have shown since the last call; they would wait for two seconds, and these do not."""
    patient = tqdm.auto.tqdm

    def impatient(*args: Any, delay: float, **options: Any) -> Any:
        assert delay == 2
        return patient(*args, **options | {"mininterval": 0})

    monkeypatch.setattr(tqdm.auto, "tqdm", impatient)
    return lambda: capsys.readouterr().err


def step_by_step(item: int, step: Callable[[int], None]) -> int:
    step(1)
    return item * item


# ---- spreading work over threads ------------------------------------------------------------------------------


@pytest.mark.parametrize("threads", [1, 2, 5])
def test_items_are_answered_in_order_by_any_number_of_threads(threads: int) -> None:
    squares, here = [k * k for k in range(20)], threading.get_ident()
    assert map_items(step_by_step, iter(range(20)), total=20, label="squares", threads=threads) == squares
    assert map_items(step_by_step, [], total=0, label="nothing", threads=threads) == []
    assert map_items(lambda *_: threading.get_ident(), [0], total=1, label="alone", threads=threads) == [here]


@pytest.mark.parametrize(
    ("total", "threads", "workers"), [(0, 5, 1), (1, 1, 1), (31, 5, 1), (32, 5, 2), (999, 5, 5), (999, 1, 1)]
)
def test_ranges_cover_everything_once_in_threads_with_sixteen_units_or_more(total: int, threads: int, workers: int):
    times, spare, meet = [0] * total, list[list[int]](), threading.Barrier(workers, timeout=30)

    def scratch() -> list[int]:
        meet.wait()
        return []

    def work(begin: int, end: int, memory: list[int]) -> None:
        memory.append(begin)
        for i in range(begin, end):
            times[i] += 1
        assert memory == [begin], "another thread uses this memory"
        memory.clear()

    for _ in range(3):  # the second and third time with the memory of the first
        map_ranges(total, work, label="counting", threads=threads, scratch=scratch, spare=spare)
    assert times == [3] * total and spare == [[]] * workers


@pytest.mark.parametrize("cost", [0.0, 1e-5, 1e-3, 0.01, 0.15])
def test_a_range_takes_about_a_tenth_of_a_second(cost: float, clock: list[float]) -> None:
    sizes = list[int]()

    def work(begin: int, end: int, memory: None) -> None:
        sizes.append(end - begin)
        clock[0] += cost * (end - begin)

    map_ranges(100_000, work, label="counting", threads=1)
    assert sizes[0] == 16 and sum(sizes) == 100_000
    assert all(0.05 <= cost * size <= 0.2 or size == 100_000 // 4 for size in sizes[12:-1])


def meet(number: int, threads: int | None = None) -> None:
    """Ends only if so many threads meet."""
    barrier = threading.Barrier(number, timeout=30)
    map_items(lambda *_: barrier.wait(), range(number), total=0, label="", threads=threads)


def test_there_are_as_many_threads_as_cores_that_may_be_used(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(os, "sched_getaffinity", lambda _: range(3), raising=False)
    meet(3)
    with limit_cores(2):
        meet(2)
        meet(4, threads=4)
        assert map_items(lambda *_: cores(), range(9), total=9, label="") == [2] * 9
        with pytest.raises(KeyError), limit_cores(1):
            assert map_items(lambda *_: threading.get_ident(), [0, 1], total=2, label="") == [threading.get_ident()] * 2
            raise KeyError
        assert cores() == 2
        with limit_cores(9):
            assert cores() == 3
    monkeypatch.delattr(os, "sched_getaffinity")  # macOS and Windows have none
    for count, expected in ((5, 5), (None, 1)):
        monkeypatch.setattr(os, "cpu_count", lambda count=count: count)
        assert cores() == expected
    for wrong in (0, 1_025, 1.5):
        with pytest.raises(ParameterError, match=f"num_threads .* from 1 to 1,024, not {wrong}"):
            map_items(step_by_step, [], total=0, label="", threads=wrong)  # type: ignore[arg-type]


def test_memory_is_that_of_the_machine_where_it_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    assert 2**29 < memory() < 2**50
    monkeypatch.delattr(os, "sysconf")  # Windows has none
    assert memory() == 16 * 2**30


# ---- errors and cancelling ----------------------------------------------------------------------------------------


@pytest.mark.parametrize(("threads", "notice"), [(1, "step"), (3, "step"), (3, "check")])
def test_the_first_error_ends_the_other_items(threads: int, notice: str) -> None:
    raised, finished = Event(), list[int]()

    def work(item: int, step: Callable[[int], None]) -> None:
        if item == 1:
            raised.set()
            raise KeyError("one")
        assert threads == 1 or raised.wait(LONG)
        for _ in range(1 if threads == 1 else 10**6):  # until the error of the other thread ends it
            step(0) if notice == "step" else check_cancelled("waiting")
        finished.append(item)

    with pytest.raises(KeyError, match="one"):
        map_items(work, range(3), total=3, label="errors", threads=threads)
    assert finished == ([0] if threads == 1 else [])


@pytest.mark.parametrize("threads", [1, 3])
def test_a_stop_ends_loops_and_says_how_far_they_were(threads: int) -> None:
    stop = Event()

    def work(item: int, step: Callable[[int], None]) -> None:
        if item < 6:
            step(1)
        if item == 5:
            stop.set()
        check_cancelled("waiting")

    with pytest.raises(Cancelled, match=r"counting: .* [3-6] of 1,000 sheep"), watching(stop=stop):
        map_items(work, range(1000), total=1000, label="counting", unit="sheep", threads=threads)
    with pytest.raises(Cancelled, match="nothing"), watching(stop=stop):
        map_ranges(10, lambda *_: pytest.fail("it was stopped before"), label="nothing", threads=threads)


@pytest.mark.parametrize("threads", [1, 2])
def test_a_stop_after_the_last_unit_comes_too_late(threads: int) -> None:
    first, stop = Event(), Event()

    def work(item: int, step: Callable[[int], None]) -> int:
        assert item == 0 or first.wait(LONG)
        step(1)
        (stop if item else first).set()
        return item

    with watching(stop=stop):
        assert map_items(work, [0, 1], total=2, label="counting", threads=threads) == [0, 1]


def test_a_stop_reaches_whatever_is_called_until_its_block_ends() -> None:
    stop, other = Event(), Event()
    reports: Reports = []
    with watching(lambda *it: reports.append(it), stop), watching(stop=other), quietly(hidden := Event()):
        report("a part", 0.5)
        for event in (stop, other, hidden):
            event.set()
            with pytest.raises(Cancelled, match=r"a part\.$"):
                report("a part", 0.6)
            event.clear()
        check_cancelled("a part")
    with pytest.raises(Cancelled, match="anything"), watching(lambda *it: reports.append(it), stop):
        stop.set()
        report("anything", 0.5)
    report("nobody watches any more", 0.5)
    assert reports == []


@pytest.mark.parametrize("threads", [1, 2])
def test_ctrl_c_ends_the_ranges_and_their_threads(threads: int) -> None:
    sent = Event()

    def work(begin: int, end: int, memory: None) -> None:
        if not sent.is_set():
            sent.set()
            _thread.interrupt_main()

    with pytest.raises(KeyboardInterrupt):
        map_ranges(10**9, work, label="endless", threads=threads)
    until(lambda: not any(thread.name.startswith("endless") for thread in threading.enumerate()))


# ---- reports and bars -----------------------------------------------------------------------------------------


@pytest.mark.parametrize("threads", [1, 3])
def test_only_the_outer_loop_reports_and_only_in_the_thread_that_waits(threads: int, monkeypatch: Any) -> None:
    monkeypatch.setattr(module, "SECONDS_BETWEEN_REPORTS", 0.0)
    reports, reporters = Reports(), set[int]()

    def tell(what: str, share: float) -> None:
        reports.append((what, share))
        reporters.add(threading.get_ident())

    def work(item: int, step: Callable[[int], None]) -> None:
        report("inside", 0.1)
        map_ranges(50, lambda *_: None, label="inner", threads=1)
        step(1)

    with watching(), watching(tell), watching(tell):
        map_items(work, range(5), total=5, label="outer", threads=threads)
        report("after", 1.0)
        map_items(work, [], total=0, label="none", threads=threads)
    shares = [share for what, share in reports if what == "outer"]
    assert shares == sorted(shares) and shares[0] == 0 and shares[-1] == 1
    assert threads > 1 or set(shares) == {0, 0.2, 0.4, 0.6, 0.8, 1}
    assert reports[-4:-2] == [("after", 1.0)] * 2 and set(reports[len(shares) + 2 :]) == {("none", 0.0)}
    assert reporters == {threading.get_ident()}


def test_watchers_are_told_four_times_a_second(clock: list[float]) -> None:
    times = list[float]()

    def work(item: int, step: Callable[[int], None]) -> None:
        clock[0] += 0.125
        step(1)

    with watching(lambda *_: times.append(clock[0])):
        map_items(work, range(100), total=100, label="counting", threads=1)
    assert times == [100 + 0.25 * k for k in range(51)]


def test_progress_may_be_a_bar_a_function_or_nothing(bars: Callable[[], str]) -> None:
    reports: Reports = []
    for progress in (lambda *it: reports.append(it), False, True):
        with progress_bar(progress):
            for share in (0.25, 0.5, 0.4, 0.754):
                report("reading", share)
    shown = bars()
    assert reports == [("reading", share) for share in (0.25, 0.5, 0.4, 0.754)]
    assert "reading:  25%|" in shown and "reading:  75%|" in shown and " 40%" not in shown


def test_a_loop_shows_a_bar_if_wanted_and_unless_someone_shows_it_already(bars: Callable[[], str]) -> None:
    def loop(**progress: bool) -> str:
        map_ranges(64, lambda *_: None, label="sizing", unit="sheep", threads=1, **progress)
        map_items(step_by_step, range(8), total=8, label="squaring", unit="goat", threads=2, **progress)
        return bars()

    shown = loop(progress=True)
    assert "sizing: 100%|" in shown and " 64/64 " in shown and "sheep" in shown
    assert "squaring: 100%|" in shown and " 8/8 " in shown and "goat" in shown
    assert loop() == loop(progress=False) == ""
    with watching(stop=Event()):
        assert "sizing" in loop(progress=True)
    with watching(lambda *_: None):
        assert loop(progress=True) == ""
    with quietly():
        assert loop(progress=True) == ""
    assert map_items(lambda *_: loop(progress=True), [0], total=1, label="outer") == [""]


# ---- compiling ------------------------------------------------------------------------------------------------


def test_a_stop_does_not_interrupt_the_compiler_and_a_short_loop_shows_no_bar(
    capsys: pytest.CaptureFixture[str],
) -> None:
    stop, compiled = Event(), list[int]()

    def work(begin: int, end: int, memory: None) -> None:
        with trigger_event("numba:compile"):
            compiled.append(begin)

    with pytest.raises(Cancelled), watching(lambda label, share: COMPILING in label and stop.set(), stop):
        map_ranges(64, work, label="counting", threads=1)
    assert compiled == [0]
    map_ranges(64, work, label="sizing", progress=True)
    assert capsys.readouterr().err == ""


@pytest.mark.parametrize("threads", [1, 2])
def test_watchers_learn_that_something_is_being_compiled(threads: int, bars: Callable[[], str]) -> None:
    labels: list[str] = []
    inner = njit(lambda x: x + 1)
    loop = njit(lambda x: inner(x) * 2)
    seen = Event()

    def watch(label: str, share: float) -> None:
        labels.append(label)
        if COMPILING in label:
            seen.set()

    def work(begin: int, end: int, memory: None) -> None:
        if begin == 0:
            with trigger_event("numba:compile"):  # a compilation that takes long
                assert loop(1) == 4  # and compiles other functions on the way
                assert threads == 1 or seen.wait(LONG)  # a single thread reports it itself

    with watching(watch):
        map_ranges(32, work, label="counting", threads=threads)
        assert f"counting ({COMPILING})" in labels
        labels.clear()
        map_ranges(32, lambda *_: loop(1), label="counting", threads=threads)  # compiled by now
    assert set(labels) == {"counting"}
    map_ranges(32, work, label="counting", threads=1, progress=True)
    assert f"counting ({COMPILING})" in (shown := bars()) and "counting: 100%" in shown
