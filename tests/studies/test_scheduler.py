"""The scheduler: what it claims, submits, reports and keeps, whatever becomes of a run. Without worker processes."""

from __future__ import annotations

import itertools
import sqlite3
import threading
from collections.abc import Callable, Sequence
from concurrent.futures import BrokenExecutor, CancelledError
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

import degnn_explore as de
from degnn_explore.studies import scheduler as scheduler_module
from degnn_explore.studies.executors import StopFile
from degnn_explore.studies.runs import RunSpec, run_one
from degnn_explore.studies.scheduler import Scheduler, Update
from degnn_explore.studies.store import Store, new_owner
from tests.studies.in_process import KARATE, Scripting, spec, trained
from tests.support.waiting import until

pytestmark = pytest.mark.usefixtures("in_process")


def formulas(count: int) -> list[RunSpec]:
    return [RunSpec(KARATE, "links", "Katz", seed) for seed in range(count)]


def left(store: Store, specs: Sequence[RunSpec]) -> Callable[[], list[RunSpec]]:
    """Those of these runs that have not ended."""
    return lambda: [spec for spec in specs if store.get(spec.key) is None]


def claims(store: Store) -> int:
    with sqlite3.connect(store.folder / "runs.sqlite") as db:
        return db.execute("SELECT count(*) FROM claims").fetchone()[0]


def files(store: Store) -> set[str]:
    """What is in the store's folder besides the runs, and folders of schedulers."""
    found = [*store.folder.rglob("*.*"), *store.scratch.glob("*")]
    return {file.name for file in found if "sqlite" not in file.name}


def test_a_run_is_reported_from_preparing_to_its_result(tmp_path: Path) -> None:
    made, store, updates = spec(epochs=5), Store(tmp_path / "store"), list[Update]()
    Scheduler(store, 1).run(left(store, [made]), None, updates.append)
    (run,), expected = store.runs(), run_one(made, tmp_path / "other")
    assert (run.test, run.val, run.trained) == (expected.test, expected.val, 5)
    assert [epoch for update in updates for epoch in update.epochs] == run.epochs
    states = [update.state for update in updates]
    assert states == sorted(states, key=["preparing", "running", "finished"].index) and len(set(states)) == 3
    assert all(update.spec is made for update in updates) and [u.run for u in updates if u.run] == [run]
    (placed,) = (update.placed for update in updates if update.placed)
    seconds = [update.cpu_seconds for update in updates[1:-1]]
    assert placed.startswith("GCN on cpu") and seconds == sorted(seconds) and seconds[-1] > 0
    assert files(store) == {run.model_file} and claims(store) == 0


def test_runs_come_by_urgency_with_few_claims_and_files_ahead(tmp_path: Path) -> None:
    store, claimed, progress = Store(tmp_path), list[int](), list[int]()

    def count(update: Update) -> None:
        claimed.append(claims(store))
        progress.append(len(list(store.scratch.rglob("*.progress"))))

    Scheduler(store, 1).run(left(store, formulas(8)), None, count)
    assert [run.seed for run in store.runs()] == list(range(8))
    assert 2 <= max(claimed) <= 3 and 1 <= max(progress) <= 2  # one in training, one that has ended, one ahead


@pytest.mark.parametrize(("live", "places", "most"), [(True, 2, 2), (False, 2, 4), (False, 1, 2)])
def test_runs_are_queued_on_a_cluster_and_not_on_this_machine(
    tmp_path: Path, scripted: Scripting, live: bool, places: int, most: int
) -> None:
    store = Store(tmp_path)

    def script(number: int, spec: RunSpec, scratch: Path) -> Any:
        if number <= most:
            until(lambda: len(made[0].calls) >= most, 5)
            threading.Event().wait(0.2)  # time to submit too many
        return trained(spec)[0], {f"{spec.seed}.safetensors": b"weights"}

    made = scripted(script, live=live, at_once=places)
    scheduler = Scheduler(store, 2)
    scheduler.run(left(store, formulas(6)))
    assert len(store.runs(status="finished")) == 6 and made[0].most == most and scheduler.places == places
    assert files(store) == {f"{seed}.safetensors" for seed in range(6)}  # came back with their runs


def test_progress_is_read_line_by_line_as_it_is_written(tmp_path: Path, scripted: Scripting) -> None:
    store, updates = Store(tmp_path), list[Update]()

    def script(number: int, spec: RunSpec, scratch: Path) -> Any:
        with open(scratch / f"{spec.key}.progress", "a", encoding="utf-8") as file:
            parts = '{"doing": "splitting"}\n{"epo', 'chs": [{"number": 1}]}\n{', '"placed": "x"}\n'
            for seen, text in enumerate(parts):
                file.write(text)
                file.flush()
                until(lambda seen=seen: len(updates) > seen + 1)
        return trained(spec)

    scripted(script)
    Scheduler(store, 1).run(left(store, formulas(1)), None, updates.append)
    seen = [(update.state, update.doing, list(update.epochs), update.placed) for update in updates[1:-1]]
    assert seen == [("preparing", "splitting", [], ""), ("running", "", [{"number": 1}], ""), ("running", "", [], "x")]


def test_a_rung_begins_anew_without_the_checkpoint_of_the_rung_below(tmp_path: Path) -> None:
    store, lost = Store(tmp_path), spec(rung=2, keep_model=False, resume_from="lost")
    Scheduler(store, 1).run(left(store, [lost]))
    assert store.get(lost.key).trained == 3 and files(store) == {f"{lost.key}.checkpoint"}


class KilledWorker(Exception):
    """By the name of Dask's own."""


@pytest.mark.parametrize(
    ("errors", "words"),
    [
        ([BrokenExecutor()] * 3, "3 times"),
        ([BrokenExecutor()] * 2, ""),
        ([CancelledError()], ""),
        ([RuntimeError("boom")], "RuntimeError: boom"),
        ([de.ParameterError("Too big.")], "Too big."),
        ([KilledWorker("three")], "Every worker"),
    ],
    ids=repr,
)
def test_a_run_is_repeated_when_its_worker_dies_and_fails_with_any_other_error(
    tmp_path: Path, scripted: Scripting, errors: list[Exception], words: str
) -> None:
    store, states, others = Store(tmp_path), list[str](), list[str]()

    def script(number: int, spec: RunSpec, scratch: Path) -> Any:
        if number <= len(errors):
            raise errors[number - 1]
        return trained(spec)

    def on_update(update: Update) -> None:
        states.append(update.state)
        if update.state == "failed":  # while the scheduler still works, and renews its claims
            others.extend(store.claim([update.spec.key], new_owner(), retry_failed=True)[0])

    made = scripted(script)
    Scheduler(store, 1).run(left(store, formulas(2)), None, on_update)
    run, other = (store.get(spec.key) for spec in formulas(2))
    assert run is not None and words in run.error and other is not None and other.status == "finished"
    assert (run.status == "failed") == bool(words) and others == ([run.key] if words else [])
    repeated = len(errors) - bool(words)
    assert made[0].calls == [0] * (repeated + 1) + [1] and states.count("waiting") == repeated  # before any other
    assert made[0].forgotten == (errors[0].__class__ is CancelledError)  # the cluster may have lost the graph, too


def test_failed_runs_are_trained_again_when_asked_but_only_once(tmp_path: Path, scripted: Scripting) -> None:
    store, specs, updates = Store(tmp_path), formulas(2), list[Update]()
    made = scripted(lambda number, spec, _: trained(spec, status="failed", test=None))
    Scheduler(store, 1).run(left(store, specs))
    Scheduler(store, 1, retry_failed=True).run(lambda: specs)
    assert [executor.calls for executor in made] == [[0, 1], [0, 1]] and len(store.runs(status="failed")) == 2
    Scheduler(store, 1).run(lambda: [specs.pop()] if specs else [], None, updates.append)
    assert made[2].calls == [] and sorted(update.run.seed for update in updates if update.run) == [0, 1]


def test_a_model_that_cannot_be_sent_fails_and_the_others_do_not(tmp_path: Path) -> None:
    lock = threading.Lock()
    de.encoding("locked", lambda near: (lock, near.distance == 0)[1], columns=["itself"], max_dist=2)
    store, specs = Store(tmp_path), [spec(model="DE-GNN-locked"), *formulas(1)]
    Scheduler(store, 1).run(left(store, specs))
    assert {run.model: run.status for run in store.runs()} == {"DE-GNN-locked": "failed", "Katz": "finished"}
    assert "cannot be sent" in store.runs(status="failed")[0].error


@pytest.mark.parametrize("where", ["worker", "store", "callback"])
def test_an_error_that_ends_it_all_leaves_no_claim_and_no_file(
    tmp_path: Path, scripted: Scripting, monkeypatch: pytest.MonkeyPatch, where: str
) -> None:
    store = Store(tmp_path)

    def fail(*_: Any) -> Any:
        raise ImportError("no module gnn") if where == "worker" else KeyError("no module gnn")

    scripted(fail if where == "worker" else lambda number, spec, _: trained(spec))
    expected = de.ParameterError if where == "worker" else KeyError
    with monkeypatch.context() as patch, pytest.raises(expected, match="no module gnn"):
        if where == "store":
            patch.setattr(Store, "put", fail)
        Scheduler(store, 1).run(left(store, formulas(3)), None, fail if where == "callback" else None)
    assert claims(store) == 0 and files(store) == set()
    scripted(lambda number, spec, _: trained(spec))
    Scheduler(store, 1).run(left(store, formulas(3)))
    assert len(store.runs()) == 3


@pytest.mark.parametrize(("live", "began"), [(True, [1, 2]), (False, [1])])
def test_when_stopped_a_run_that_ends_is_kept_and_what_is_queued_on_a_cluster_never_begins(
    tmp_path: Path, scripted: Scripting, live: bool, began: list[int]
) -> None:
    store, stop, ran = Store(tmp_path), threading.Event(), list[int]()

    def script(number: int, spec: RunSpec, scratch: Path) -> Any:
        ran.append(number)
        until(lambda: len(made[0].calls) == 2)
        stop.set()
        until(StopFile(scratch / f"{spec.key}.stop").is_set)
        return trained(spec, status="finished" if number == 1 else "cancelled")

    made = scripted(script, live=live)
    for expected in (began, []):  # the second time it is stopped already
        Scheduler(store, 2 if live else 1).run(left(store, formulas(4)), stop)
        assert sorted(ran) == expected and [run.seed for run in store.runs()] == [0]
        assert claims(store) == 0 and files(store) == set()
        ran.clear()


def test_a_run_that_does_not_stop_is_killed(
    tmp_path: Path, scripted: Scripting, monkeypatch: pytest.MonkeyPatch
) -> None:
    store, stop, go, states = Store(tmp_path), threading.Event(), threading.Event(), list[str]()
    made = scripted(
        lambda number, spec, _: (stop.set(), go.wait(), trained(spec))[2],
        kill=lambda self, future: (self.killed.append(future), go.set()),
    )
    seconds = itertools.count()
    monkeypatch.setattr(scheduler_module, "time", SimpleNamespace(monotonic=lambda: float(next(seconds))))
    Scheduler(store, 1).run(left(store, formulas(1)), stop, lambda update: states.append(update.state))
    assert made[0].killed == made[0].futures and states[-1] == "waiting"
    assert store.runs() == [] and claims(store) == 0


def test_runs_of_another_process_are_waited_for_and_trained_if_it_gives_them_up(
    tmp_path: Path, scripted: Scripting
) -> None:
    store, specs, other, updates = Store(tmp_path), formulas(2), new_owner(), list[Update]()
    made = scripted(lambda number, spec, _: trained(spec))
    theirs = trained(specs[0], epochs=[{"number": 1}])[0]
    store.claim([spec.key for spec in specs], other, 2)
    threading.Timer(0.3, lambda: (store.put(theirs), store.release(other))).start()
    Scheduler(store, 1).run(left(store, specs), None, updates.append)
    assert made[0].calls == [1] and len(store.runs()) == 2
    (update,) = (update for update in updates if update.spec is specs[0])
    assert update == Update(specs[0], "finished", theirs.epochs, run=theirs)


def test_claims_are_renewed_and_workers_kept_until_all_runs_have_ended(
    tmp_path: Path, scripted: Scripting, monkeypatch: pytest.MonkeyPatch
) -> None:
    store, renewed = Store(tmp_path), list[str]()
    made = scripted(lambda number, spec, _: (until(lambda: len(renewed) > 2), trained(spec))[1])
    monkeypatch.setattr(scheduler_module, "CLAIM", 0.03)
    monkeypatch.setattr(Store, "renew", lambda self, owner: renewed.append(owner))
    Scheduler(store, 1).run(left(store, formulas(1)))
    assert len(set(renewed)) == 1 and len(store.runs()) == 1
    threading.Event().wait(0.1)  # long enough for a last one
    renewed.clear()
    threading.Event().wait(0.1)
    assert renewed == []
    with pytest.raises(RuntimeError, match="shutdown"):
        made[0].submit(abs, 1)
