"""A race without a browser: trained in worker processes, cancelled, continued, shared, and shown as it goes."""

from __future__ import annotations

import os
import sqlite3
import subprocess
import sys
import textwrap
import threading
from pathlib import Path
from typing import Any

import psutil
import pytest

import degnn_explore as de
from degnn_explore.common.errors import ParameterError
from degnn_explore.studies.executors import LocalExecutor, executor_for
from degnn_explore.studies.race import Race, RaceSetup, RunState, Snapshot, snapshot_of, states_of
from degnn_explore.studies.runs import RunSpec, run_one
from degnn_explore.studies.scheduler import Scheduler, Update
from degnn_explore.studies.store import Store, new_owner
from tests.support.waiting import LONG, until

ENV = {**os.environ, "PYTHONPATH": str(Path(de.__file__).parents[1])}
KARATE = de.load("karate")


def race(folder: Path, models: tuple[str, ...] = ("GCN",), workers: int = 1, **more: Any) -> Race:
    given = {"graph": KARATE, "task": "links", "device": "cpu", **more}
    return Race(RaceSetup(models=models, **given), Store(folder), workers)


def test_a_race_gives_what_run_one_gives_and_leaves_no_scratch(tmp_path: Path) -> None:
    one = race(tmp_path, ("GCN", "Adamic-Adar"), 2, seeds=2, epochs=3)
    one.start()
    assert one.wait(LONG)
    for run in one.results():
        spec = RunSpec(KARATE, "links", run.model, run.seed, 3, device="cpu")
        expected = run_one(spec, tmp_path / "own")
        assert (run.key, run.test, run.val, run.hyper) == (spec.key, expected.test, expected.val, expected.hyper)
        assert (one.store.models / run.model_file).is_file()
    shown = one.snapshot()
    assert (shown.state, [(p.model, p.done, p.share) for p in shown.progress]) == (
        "finished", [("GCN", 2, 1.0), ("Adamic-Adar", 2, 1.0)])  # fmt: skip
    assert not list(one.store.scratch.iterdir()) and not list(one.store.models.glob("*.checkpoint"))


def test_a_cancelled_race_rests_at_once_and_continues_to_the_same_numbers(tmp_path: Path) -> None:
    options = {"patience": None}
    one = race(tmp_path / "part", graph=de.load("celegans"), epochs=8, seeds=1, options=options)
    one.start()
    until(lambda: one.snapshot().runs)
    one.cancel()
    before = one.snapshot()
    assert before.state == "cancelled" and 0 < len(before.runs[0].epochs) < 8
    one.start()
    assert len(one.snapshot().runs[0].epochs) >= len(before.runs[0].epochs)  # curves do not jump back
    assert one.wait(LONG)
    (run,) = one.results()
    whole = run_one(one.setup.specs()[0], tmp_path / "whole")
    assert [e["loss"] for e in run.epochs] == [e["loss"] for e in whole.epochs] and run.test == whole.test


def test_a_model_that_fails_is_shown_and_the_others_go_on_and_it_is_tried_again(tmp_path: Path) -> None:
    one = race(tmp_path, ("GCN", "Katz"), seeds=1, epochs=2, options={"learning_rate": 1e30})
    for trained in (2, 3):
        one.start()
        assert one.wait(LONG)
        with sqlite3.connect(tmp_path / "runs.sqlite") as db:
            assert db.execute("SELECT max(number) FROM runs").fetchone() == (trained,)
        progress = {p.model: p for p in one.snapshot().progress}
        assert progress["GCN"].state == "failed" and "learning_rate" in progress["GCN"].error
        assert progress["Katz"].state == "finished" and [run.model for run in one.results()] == ["Katz"]


def test_finished_runs_are_found_by_a_new_race(tmp_path: Path) -> None:
    one = race(tmp_path, seeds=1, epochs=2)
    one.start()
    one.wait(LONG)
    again = race(tmp_path, seeds=2, epochs=2)
    assert [p.done for p in again.snapshot().progress] == [1] and again.snapshot().state == "ready"
    assert again.wait(0)  # nothing is being trained yet
    again.cancel()
    assert again.snapshot().state == "ready"
    assert race(tmp_path, seeds=1, epochs=2).snapshot().state == "finished"


def test_starting_twice_is_refused(tmp_path: Path) -> None:
    one = race(tmp_path, seeds=1, epochs=500, options={"patience": None})
    one.start()
    with pytest.raises(ParameterError, match="running already"):
        one.start()
    one.cancel()


@pytest.mark.parametrize(
    ("wrong", "words"),
    [
        ({"models": ()}, "No model is chosen"),
        ({"seeds": 0}, "seeds must be"),
        ({"seeds": 21}, "at most 20"),
        ({"settings": {"hiden": 8}}, "hidden"),
        ({"epochs": 0}, "epochs must be"),
    ],
)
def test_what_cannot_work_is_refused_before_it_starts(tmp_path: Path, wrong: dict[str, Any], words: str) -> None:
    with pytest.raises(ParameterError, match=words):
        race(tmp_path, **wrong)


def test_two_races_of_the_same_runs_share_them(tmp_path: Path) -> None:
    races = [race(tmp_path, ("GCN", "GIN"), seeds=2, epochs=3) for _ in range(2)]
    for one in races:
        one.start()
    assert all(one.wait(LONG) for one in races)
    assert all(len(one.results()) == 4 for one in races)
    with sqlite3.connect(tmp_path / "runs.sqlite") as db:
        assert db.execute("SELECT max(number) FROM runs").fetchone() == (4,)


def test_a_run_that_another_process_claims_is_waited_for(tmp_path: Path) -> None:
    one = race(tmp_path, seeds=1, epochs=2)
    owner = new_owner()
    one.store.claim([spec.key for spec in one.setup.specs()], owner)
    one.start()
    assert not one.wait(1.5)
    one.store.release(owner)
    assert one.wait(LONG) and len(one.results()) == 1


# ---- the scheduler and its workers ----------------------------------------------------------------


def test_epochs_are_told_as_they_come_and_each_once(tmp_path: Path) -> None:
    spec, store, updates = RunSpec(KARATE, "links", "GCN", 0, 5, device="cpu"), Store(tmp_path), list[Update]()
    Scheduler(store, 1).run(lambda: [] if store.get(spec.key) else [spec], None, updates.append)
    assert [epoch["number"] for update in updates for epoch in update.epochs] == [1, 2, 3, 4, 5]
    assert [updates[0].state, updates[-1].state] == ["preparing", "finished"]
    assert any(update.placed for update in updates)


def test_what_is_to_do_may_depend_on_what_came_out(tmp_path: Path) -> None:
    store = Store(tmp_path)
    specs = [RunSpec(KARATE, "links", "Katz", seed) for seed in range(4)]

    def todo() -> list[RunSpec]:
        done = sum(store.get(spec.key) is not None for spec in specs)
        return specs[done : done + 1]  # one after the other

    Scheduler(store, 2).run(todo)
    assert [run.seed for run in store.runs()] == [0, 1, 2, 3]


def test_a_scheduler_leaves_runs_for_other_processes_and_few_files(tmp_path: Path) -> None:
    store, claims, files = Store(tmp_path), list[int](), list[int]()
    specs = [RunSpec(KARATE, "links", "Katz", seed) for seed in range(8)]

    def count(update: Update) -> None:
        with sqlite3.connect(tmp_path / "runs.sqlite") as db:
            claims.append(db.execute("SELECT count(*) FROM claims").fetchone()[0])
        files.append(len(list(store.scratch.rglob("*.progress"))))

    Scheduler(store, 1).run(lambda: [spec for spec in specs if store.get(spec.key) is None], None, count)
    assert len(store.runs()) == 8
    assert 1 <= max(claims) <= 3  # one in training, one that ended and is not stored yet, one ahead
    assert 1 <= max(files) <= 2


@pytest.mark.parametrize("why", ["its training fails", "its workers die"])
def test_a_run_that_failed_can_be_taken_by_another_client_at_once(tmp_path: Path, why: str) -> None:
    here = os.getpid()

    def deadly(near: Any) -> Any:
        if os.getpid() != here:
            os._exit(1)
        return near.distance == 0

    de.encoding("deadly", deadly, columns=["itself"], max_dist=2)
    given = ("GCN", {"learning_rate": 1e30}) if why == "its training fails" else ("DE-GNN-deadly", {})
    spec = RunSpec(KARATE, "links", given[0], epochs=2, settings=given[1], device="cpu")
    store, taken = Store(tmp_path), list[str]()

    def on_update(update: Update) -> None:
        if update.state == "failed":  # the scheduler is still at work, and renews its claims
            taken.extend(store.claim([spec.key], new_owner(), retry_failed=True)[0])

    Scheduler(store, 1).run(lambda: [] if store.get(spec.key) else [spec], None, on_update)
    assert taken == [spec.key]


def test_a_run_that_was_cancelled_can_be_taken_by_another_client_at_once(tmp_path: Path) -> None:
    one = race(tmp_path, seeds=1, epochs=100_000, options={"patience": None})
    one.start()
    until(lambda: one.snapshot().runs)
    keys = [spec.key for spec in one.setup.specs()]
    assert one.store.claim(keys, new_owner())[0] == []
    one.cancel()
    until(lambda: one.store.claim(keys, new_owner())[0] == keys, 30)  # long before a claim would end by itself


def test_a_process_that_dies_takes_no_other_with_it() -> None:
    with executor_for(2) as executor:
        assert isinstance(executor, LocalExecutor)
        slow = executor.submit(_wait, 2.0)
        dead = executor.submit(os._exit, 1)
        with pytest.raises(Exception, match=r"terminated|unexpected|abruptly"):
            dead.result(LONG)
        assert executor.submit(abs, -2).result(LONG) == 2
        assert slow.result(LONG) == 2.0


def _wait(seconds: float) -> float:
    threading.Event().wait(seconds)
    return seconds


def test_a_worker_killed_while_idle_breaks_no_later_run() -> None:
    executor = LocalExecutor(1)
    idle = executor.submit(os.getpid).result(LONG)
    kill(idle)
    other = executor.submit(os.getpid).result(LONG)
    assert other != idle
    executor.shutdown()  # keeps its worker for the next executor
    kill(other)
    assert LocalExecutor(1).submit(os.getpid).result(LONG) != other


def kill(process: int) -> None:
    psutil.Process(process).kill()
    until(lambda: not psutil.pid_exists(process), LONG)  # a zombie's other threads may still be ending


def test_a_worker_stays_warm_for_the_next_race() -> None:
    with executor_for(1) as executor:
        first = executor.submit(os.getpid).result(LONG)
    with executor_for(1) as executor:
        assert executor.submit(os.getpid).result(LONG) == first


FORK = textwrap.dedent("""
    import os, sys, degnn_explore as de
    study = de.study(graphs="karate", models="Adamic-Adar", seeds=1, store=sys.argv[1])
    study.run(1, progress=False)  # no guard of __main__, and a worker stays warm
    child = os.fork()
    if not child:
        left = de.study(graphs="karate", models="Katz", seeds=1, store=sys.argv[1]).run(1, progress=False).left
        os._exit(left)
    print(os.waitpid(child, 0)[1])
""")


@pytest.mark.skipif(not hasattr(os, "fork"), reason="needs fork")
def test_a_forked_child_has_workers_of_its_own(tmp_path: Path) -> None:
    command = [sys.executable, "-c", FORK, str(tmp_path)]
    done = subprocess.run(command, env=ENV, capture_output=True, text=True, timeout=LONG, check=True)
    assert done.stdout.strip() == "0" and len(Store(tmp_path).runs()) == 2


def test_a_model_that_no_other_process_can_be_given_fails_and_says_why(tmp_path: Path) -> None:
    lock = threading.Lock()

    def locked(near: Any) -> Any:
        with lock:
            return near.distance == 0

    de.encoding("locked", locked, columns=["itself"], max_dist=2)
    one = race(tmp_path, ("DE-GNN-locked", "Katz"), seeds=1, epochs=2)
    one.start()
    assert one.wait(LONG) and [run.model for run in one.results()] == ["Katz"]
    assert "cannot be sent to another process" in one.snapshot().progress[0].error


def test_a_disk_that_cannot_be_written_to_stops_the_race_and_it_can_be_continued(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    one = race(tmp_path, ("GCN", "SAGE"), seeds=1, epochs=3)
    put = Store.put

    def full(self: Store, *runs: Any) -> None:
        raise ParameterError("The disk is full.")

    monkeypatch.setattr(Store, "put", full)
    one.start()
    assert one.wait(LONG)
    shown = one.snapshot()
    assert shown.state == "cancelled" and all("disk is full" in p.error for p in shown.progress)
    monkeypatch.setattr(Store, "put", put)
    one.start()
    assert one.wait(LONG) and [p.state for p in one.snapshot().progress] == ["finished"] * 2


# ---- how far it is --------------------------------------------------------------------------------


def halfway(workers: int, states: dict[tuple[str, int], tuple[str, int]]) -> Snapshot:
    """A race of GCN (1 s an epoch) and SAGE (3 s), three seeds of ten epochs, when it has come so far."""
    setup = RaceSetup(KARATE, "links", ("GCN", "SAGE"), seeds=3, epochs=10)
    runs: dict[str, RunState] = states_of(setup, [])
    for one in runs.values():
        one.state, epochs = states.get((one.spec.model, one.spec.seed), ("waiting", 0))
        seconds = 1.0 if one.spec.model == "GCN" else 3.0
        one.epochs = [{"number": i, "seconds": seconds, "metric": "auc"} for i in range(epochs)]
    return snapshot_of(setup, runs, "running", workers)


def test_the_time_left_counts_what_is_trained_before_and_is_shared_among_workers() -> None:
    so_far = {("GCN", 0): ("finished", 10), ("SAGE", 0): ("running", 5)}
    alone, both = halfway(1, so_far), halfway(2, so_far)
    assert (alone.progress[0].left, alone.progress[1].left) == (65.0, 95.0) and alone.left == 95.0
    assert both.left == 47.5
    assert halfway(1, {}).left is None
