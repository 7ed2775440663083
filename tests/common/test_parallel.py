"""Work over the cores: each piece once, ended by an event, by Ctrl-C or by the first error."""

from __future__ import annotations

import _thread
import signal
import threading
from collections.abc import Iterator
from typing import Any

import numba
import numpy as np
import pytest
from numba.core.event import trigger_event

from degnn_explore.common.compiling import WORDS
from degnn_explore.common.parallel import Threads, heard_by
from degnn_explore.common.stopping import Cancelled
from tools.waiting import LONG


@pytest.fixture
def ctrl_c() -> Iterator[None]:
    """Ctrl-C raises KeyboardInterrupt, also where the signal is ignored, as under nohup."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, before)


@pytest.mark.parametrize("total", [0, 1, 17, 1000])
def test_every_range_is_done_once(total: int) -> None:
    done, lock = np.zeros(total, dtype=int), threading.Lock()

    def work(begin: int, end: int, scratch: Any) -> None:
        with lock:
            done[begin:end] += 1

    Threads(3).ranges(total, work)
    assert (done == 1).all()


@pytest.mark.parametrize("num_threads", [1, 2])
def test_a_stop_event_ends_the_ranges(num_threads: int) -> None:
    stop, ranges = threading.Event(), []

    def work(begin: int, end: int, scratch: Any) -> None:
        ranges.append((begin, end))
        if begin:
            stop.set()
        elif num_threads > 1:
            assert stop.wait(LONG)  # the other thread is at work meanwhile

    with pytest.raises(Cancelled, match=r"sizing: stopped after \d+ of 100,000 target sets"):
        Threads(num_threads, stop=stop).ranges(100_000, work, "sizing")
    assert 2 <= len(ranges) <= 1 + num_threads


def test_a_stop_event_ends_the_items() -> None:
    stop = threading.Event()

    def work(item: int, step: Any, halt: threading.Event) -> None:
        stop.set()
        assert halt.wait(LONG)

    with pytest.raises(Cancelled, match="squares: stopped after 0 of 5 steps"):
        Threads(2, stop=stop).items(work, range(5), total=5, label="squares")


@pytest.mark.parametrize("num_threads", [1, 2])
def test_ctrl_c_ends_the_ranges_and_their_threads(num_threads: int, ctrl_c: None) -> None:
    asked = threading.Event()

    def work(begin: int, end: int, scratch: Any) -> None:
        if not asked.is_set():
            asked.set()
            _thread.interrupt_main()

    with pytest.raises(KeyboardInterrupt):
        Threads(num_threads).ranges(10**9, work, "endless")
    assert [thread.name for thread in threading.enumerate() if thread.name.startswith("endless")] == []


def test_the_first_error_ends_all() -> None:
    def work(item: int, step: Any, halt: threading.Event) -> int:
        if item == 3:
            raise ZeroDivisionError("item 3")
        assert halt.wait(LONG) or item < 3
        return item

    with pytest.raises(ZeroDivisionError, match="item 3"):
        Threads(4).items(work, range(8), total=8, label="eight")


def test_answers_come_in_the_order_of_the_items() -> None:
    later = threading.Event()

    def work(item: int, step: Any, halt: threading.Event) -> int:
        if item:
            later.set()
        else:
            assert later.wait(LONG)
        step(1)
        return item

    assert Threads(2).items(work, [0, 1, 2], total=3, label="three") == [0, 1, 2]


def test_scratch_is_made_once_a_thread() -> None:
    made = []
    threads = Threads(1, scratch=lambda: made.append(1) or len(made))
    for _ in range(3):
        threads.ranges(100, lambda begin, end, scratch: None)
    assert made == [1]


def test_the_bar_is_shown_after_two_seconds(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture) -> None:
    import tqdm.auto

    bar, given = tqdm.auto.tqdm, []

    def impatient(*args: Any, **options: Any) -> Any:
        given.append(options["delay"])
        return bar(*args, **options | {"delay": 0, "mininterval": 0})

    monkeypatch.setattr(tqdm.auto, "tqdm", impatient)
    Threads(1, progress=True).ranges(64, lambda *_: None, "sizing")
    assert "sizing" in capsys.readouterr().err
    Threads(1, progress=False).ranges(64, lambda *_: None, "sizing")
    Threads(1, progress=True).ranges(64, lambda *_: None, "sizing", quiet=True)
    assert capsys.readouterr().err == ""
    assert given == [2, 2, 2]


@pytest.mark.parametrize("num_threads", [1, 2])
def test_who_waits_hears_that_something_is_compiled(num_threads: int) -> None:
    heard: list[str] = []
    loop = numba.njit(lambda x: x + 1)
    seen = threading.Event()

    def listen(label: str, share: float) -> None:
        heard.append(label)
        if WORDS in label:
            seen.set()

    def work(begin: int, end: int, scratch: Any) -> None:
        if begin == 0:
            with trigger_event("numba:compile"):  # one that takes long
                loop(1)  # and has another compiled on the way
                assert num_threads == 1 or seen.wait(LONG)  # one thread says so itself

    with heard_by(listen):
        Threads(num_threads).ranges(32, work, "counting")
        assert f"counting ({WORDS})" in heard
        assert heard[-1] == "counting"  # it is over
        heard.clear()
        Threads(num_threads).ranges(32, lambda begin, end, scratch: loop(1), "counting")  # is compiled by now
    assert set(heard) == {"counting"}
