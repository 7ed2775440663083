"""Progress and cancelling reach everything that is called, in any thread; results do not depend on them."""

from __future__ import annotations

import _thread
import signal
import subprocess
import sys
import threading
from collections.abc import Iterator
from threading import Event
from typing import Any

import pytest

import degnn_explore as de
from degnn_explore.common import progress as module
from degnn_explore.common.progress import (
    Cancelled,
    check_cancelled,
    cores,
    limit_cores,
    map_items,
    map_ranges,
    progress_bar,
    quietly,
    report,
    watching,
)
from tests.support.waiting import LONG, until


@pytest.fixture
def ctrl_c() -> Iterator[None]:
    """Ctrl-C raises KeyboardInterrupt, also where the signal is ignored, as under nohup."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, before)


@pytest.mark.parametrize("threads", [1, 2, 5])
def test_items_are_answered_in_order_by_any_number_of_threads(threads: int) -> None:
    def square(item: int, step) -> int:
        step(1)
        return item * item

    assert map_items(square, range(20), total=20, label="squares", threads=threads) == [k * k for k in range(20)]
    assert map_items(square, [], total=0, label="nothing", threads=threads) == []


@pytest.mark.parametrize("threads", [1, 2, 5])
@pytest.mark.parametrize("total", [0, 1, 15, 1000])
def test_ranges_cover_everything_once(threads: int, total: int) -> None:
    times = [0] * total

    def work(begin: int, end: int, memory: list[int]) -> None:
        assert memory == []
        for i in range(begin, end):
            times[i] += 1

    map_ranges(total, work, label="counting", threads=threads, scratch=list)
    assert times == [1] * total


@pytest.mark.parametrize("cost", [0.0, 1e-5, 1e-3, 0.01, 0.15])
def test_a_range_takes_about_a_tenth_of_a_second(cost: float, monkeypatch: pytest.MonkeyPatch) -> None:
    now, sizes = [0.0], list[int]()
    monkeypatch.setattr("time.perf_counter", lambda: now[0])

    def work(begin: int, end: int, memory: None) -> None:
        sizes.append(end - begin)
        now[0] += cost * (end - begin)

    map_ranges(100_000, work, label="counting", threads=1)
    assert sizes[0] == 16
    assert all(0.05 <= cost * size <= 0.2 or size == 100_000 // 4 for size in sizes[12:-1])


@pytest.mark.parametrize(("total", "threads", "workers"), [(31, 5, 1), (32, 5, 2), (10_000, 5, 5), (0, 5, 1)])
def test_a_thread_has_at_least_sixteen_units_to_do(total: int, threads: int, workers: int) -> None:
    made: list[None] = []
    map_ranges(total, lambda *_: None, label="", threads=threads, scratch=lambda: made.append(None))
    assert len(made) == workers


def test_working_memory_is_kept_between_calls() -> None:
    made: list[object] = []
    spare: list[object] = []

    def scratch() -> object:
        made.append(object())
        return made[-1]

    for _ in range(3):
        map_ranges(40, lambda begin, end, memory: None, label="", threads=1, scratch=scratch, spare=spare)
    assert len(made) == 1 and spare == made


@pytest.mark.parametrize("threads", [1, 3])
def test_the_first_error_ends_all(threads: int) -> None:
    done = []

    def work(item: int, step) -> None:
        if item == 2:
            raise KeyError("two")
        while item > 2:  # until the error of another thread ends it
            check_cancelled("waiting")
        done.append(item)

    with pytest.raises(KeyError, match="two"):
        map_items(work, range(50), total=50, label="errors", threads=threads)
    assert set(done) <= {0, 1}


@pytest.mark.parametrize("threads", [1, 3])
def test_an_event_cancels_within_loops_and_says_how_far_they_were(threads: int) -> None:
    stop = Event()

    def work(item: int, step) -> None:
        if item < 6:
            step(1)
        if item == 5:
            stop.set()
        check_cancelled("waiting")

    with pytest.raises(Cancelled, match=r"counting: stopped after [3-6] of 1,000 sheep"), watching(stop=stop):
        map_items(work, range(1000), total=1000, label="counting", unit="sheep", threads=threads)
    with pytest.raises(Cancelled), watching(stop=stop):
        report("anything", 0.5)
    report("nobody watches", 0.5)


@pytest.mark.parametrize("threads", [1, 3])
def test_only_the_outer_loop_reports_and_the_caller_s_thread_does_it(threads: int, monkeypatch) -> None:
    monkeypatch.setattr(module, "SECONDS_BETWEEN_REPORTS", 0.0)
    told: list[tuple[str, float, int]] = []

    def work(item: int, step) -> None:
        report("inside", 0.1)
        map_ranges(50, lambda begin, end, memory: None, label="inner", threads=1)
        step(1)

    with watching(lambda what, share: told.append((what, share, threading.get_ident()))):
        map_items(work, range(5), total=5, label="outer", threads=threads)
        report("after", 1.0)
    assert {what for what, _, _ in told} == {"outer", "after"}
    assert {thread for _, _, thread in told} == {threading.get_ident()}
    shares = [share for _, share, _ in told]
    assert shares == sorted(shares)


def test_a_stop_after_the_last_unit_comes_too_late_and_no_units_are_done_at_once() -> None:
    stop, told = Event(), list[float]()

    def work(item: int, step) -> int:
        step(1)
        if item == 1:
            stop.set()
        return item

    with watching(lambda what, share: told.append(share), stop):
        assert map_items(work, [0, 1], total=2, label="counting", threads=1) == [0, 1]
    with watching(lambda what, share: told.append(share)):
        assert map_items(work, [], total=0, label="nothing", threads=1) == []
    assert told[0] == told[-1] == 0
    with watching(stop=stop), quietly(), pytest.raises(Cancelled, match="Stopped: inside"):
        check_cancelled("inside")


def test_cores_can_be_limited(monkeypatch: pytest.MonkeyPatch) -> None:
    before = cores()
    with limit_cores(1):
        assert cores() == 1
        assert map_items(lambda item, step: cores(), [0], total=1, label="") == [1]
    assert cores() == before >= 1
    with pytest.raises(de.ParameterError, match="num_threads must be a whole number from 1 to 1,024"):
        map_items(lambda item, step: None, [], total=0, label="", threads=1_025)
    assert module.memory() > 2**29
    monkeypatch.delattr("os.sysconf")  # as on Windows
    assert module.memory() == 16 * 2**30


def test_progress_may_be_a_bar_a_function_or_nothing() -> None:
    told = []
    with progress_bar(lambda what, share: told.append((what, share))):
        report("reading", 0.25)
    for shown in (True, False):
        with progress_bar(shown):
            report("reading", 0.5)
    assert told == [("reading", 0.25)]
    with pytest.raises(de.ParameterError, match="progress must be True, False or a function"), progress_bar("yes"):
        pass


@pytest.mark.parametrize("threads", [1, 2])
def test_ctrl_c_ends_the_ranges_and_their_threads(threads: int, ctrl_c: None) -> None:
    sent = Event()

    def work(begin: int, end: int, memory: None) -> None:
        if not sent.is_set():
            sent.set()
            _thread.interrupt_main()

    with pytest.raises(KeyboardInterrupt):
        map_ranges(10**9, work, label="endless", threads=threads)
    until(lambda: not any(thread.name.startswith("endless") for thread in threading.enumerate()))


def test_a_bar_shows_only_if_wanted_and_after_two_seconds(monkeypatch, capsys) -> None:
    import tqdm.auto

    bar, delays = tqdm.auto.tqdm, []

    def impatient(*args: Any, **options: Any) -> Any:
        delays.append(options["delay"])
        return bar(*args, **options | {"delay": 0, "mininterval": 0})

    monkeypatch.setattr(tqdm.auto, "tqdm", impatient)
    map_ranges(64, lambda *_: None, label="sizing", progress=True)
    assert "sizing" in capsys.readouterr().err
    map_ranges(64, lambda *_: None, label="sizing", progress=False)
    assert capsys.readouterr().err == ""
    with progress_bar(True):
        report("reading", 0.5)
    assert "reading:  50%|" in capsys.readouterr().err
    assert delays == [2, 2, 2]


@pytest.mark.parametrize("threads", [1, 2])
def test_watchers_learn_that_something_is_being_compiled(threads: int) -> None:
    numba = pytest.importorskip("numba")
    from numba.core.event import trigger_event

    labels: list[str] = []
    inner = numba.njit(lambda x: x + 1)
    loop = numba.njit(lambda x: inner(x) * 2)
    seen = Event()

    def watch(label: str, share: float) -> None:
        labels.append(label)
        if module.COMPILING in label:
            seen.set()

    def work(begin: int, end: int, memory: None) -> None:
        if begin == 0:
            with trigger_event("numba:compile"):  # a compilation that takes long
                assert loop(1) == 4  # and compiles other functions on the way
                assert threads == 1 or seen.wait(LONG)  # a single thread reports it itself

    with watching(watch):
        map_ranges(32, work, label="counting", threads=threads)
        assert f"counting ({module.COMPILING})" in labels
        labels.clear()
        map_ranges(32, lambda *_: loop(1), label="counting", threads=threads)  # compiled by now
    assert set(labels) == {"counting"}


def test_compiling_is_reported_even_if_numba_was_not_imported_before() -> None:
    script = """
import sys
from degnn_explore.common.progress import on_compiling
words = []
assert "numba" not in sys.modules
with on_compiling(words.append):
    from numba.core.event import trigger_event
    with trigger_event("numba:compile"), trigger_event("numba:compile"):
        pass
print(words)
"""
    run = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    assert run.stdout.strip() == str([module.COMPILING, ""])
