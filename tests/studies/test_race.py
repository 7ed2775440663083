"""A race without a browser: trained in the background, cancelled, continued, shared, and shown as it goes."""

from __future__ import annotations

import sqlite3
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import degnn_explore as de
from degnn_explore.studies.race import Race, RaceSetup, RunState, Snapshot, snapshot_of, states_of
from degnn_explore.studies.runs import Run, RunSpec, run_one
from degnn_explore.studies.store import Store, new_owner
from tests.studies.in_process import Patient, Threads, in_process
from tests.support.waiting import LONG, until

KARATE = de.load("karate")


pytestmark = pytest.mark.usefixtures("in_process")


def race(folder: Path, models: tuple[str, ...] = ("GCN",), workers: int = 1, **more: Any) -> Race:
    given = {"graph": KARATE, "task": "links", "device": "cpu", "seeds": 1, "epochs": 2, **more}
    return Race(RaceSetup(models=models, **given), Store(folder), workers)


def written(folder: Path) -> int:
    """How often a run was written to the store."""
    with sqlite3.connect(folder / "runs.sqlite") as db:
        return db.execute("SELECT coalesce(max(number), 0) FROM runs").fetchone()[0]


# ---- the setup ------------------------------------------------------------------------------------


def test_every_model_gets_the_settings_that_it_has_and_every_seed_comes_in_turn() -> None:
    settings, options = {"hidden": 4, "hops": 2}, {"patience": 3}
    models = ["SEAL", "DEA-GNN-SPD", "GCN", "SEAL"]
    setup = RaceSetup(KARATE, "links", models, 2, 7, "cpu", settings, options)
    assert [(spec.model, spec.seed, dict(spec.settings)) for spec in setup.specs()] == [
        (model, seed, mine) for seed in (0, 1) for model, mine in
        (("SEAL", {"hidden": 4}), ("DEA-GNN-SPD", settings), ("GCN", {"hidden": 4}))]  # fmt: skip
    assert all((spec.epochs, spec.device, spec.options) == (7, "cpu", options) for spec in setup.specs())
    spec = RunSpec(KARATE, "links", "GCN")
    assert (setup.kind, setup.digest, setup.title) == (spec.kind, spec.digest, "karate")
    assert RaceSetup(KARATE, "links", []).digest == spec.digest


@pytest.mark.parametrize(
    ("wrong", "words"),
    [
        ({"models": ()}, "model"),
        ({"seeds": 0}, "seeds"),
        ({"seeds": 21}, "seeds"),
        ({"settings": {"hiden": 8}}, "hidden"),
        ({"settings": {"max_dist": 3}}, "max_dist"),  # no chosen model has it
        ({"epochs": 0}, "epochs"),
        ({"workers": 0}, "workers"),
    ],
    ids=str,
)
def test_what_cannot_work_is_refused_before_it_starts(tmp_path: Path, wrong: dict[str, Any], words: str) -> None:
    with pytest.raises(de.ParameterError, match=words):
        race(tmp_path, **wrong)
    assert race(tmp_path, seeds=20).snapshot().state == "ready"


# ---- training -------------------------------------------------------------------------------------


def test_a_race_gives_what_run_one_gives_and_a_new_race_finds_it(tmp_path: Path) -> None:
    one = race(tmp_path, ("GCN", "Adamic-Adar"), seeds=2, epochs=3)
    version = one.version
    assert one.wait(0) and not one.running and one.snapshot().runs == ()
    one.start()
    assert one.wait(LONG) and not one.running and one.version > version
    for run in one.results():
        spec = RunSpec(KARATE, "links", run.model, run.seed, 3, device="cpu")
        expected = run_one(spec, tmp_path / "own")
        assert (run.key, run.test, run.val, run.hyper) == (spec.key, expected.test, expected.val, expected.hyper)
        assert (one.store.models / run.model_file).is_file()
    shown = one.snapshot()
    assert (shown.state, [(p.model, p.done, p.share) for p in shown.progress]) == (
        "finished", [("GCN", 2, 1.0), ("Adamic-Adar", 2, 1.0)])  # fmt: skip
    assert list(shown.runs) == one.results() and shown.where.startswith(("GCN on cpu", "Adamic-Adar on cpu"))
    again = race(tmp_path, ("GCN", "Adamic-Adar"), seeds=3, epochs=3)
    assert [p.done for p in again.snapshot().progress] == [2, 2] and again.snapshot().state == "ready"
    again.cancel()
    assert again.snapshot().state == "ready" and len(again.results()) == 4
    assert race(tmp_path, ("GCN", "Adamic-Adar"), seeds=2, epochs=3).snapshot().state == "finished"


def test_a_cancelled_race_continues_where_it_was(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    one = race(tmp_path, epochs=40, options={"patience": None})
    with monkeypatch.context() as patch:
        patch.setattr("degnn_explore.studies.executors.StopFile", Patient)
        one.start()
        until(lambda: one.snapshot().runs)
        with pytest.raises(de.ParameterError, match="running"):
            one.start()
        one.cancel()
        assert one.wait(LONG)
    before = one.snapshot()
    assert (before.state, before.progress[0].state, before.runs[0].status) == ("cancelled", "cancelled", "running")
    assert 0 < len(before.runs[0].epochs) < 40 and before.progress[0].share == len(before.runs[0].epochs) / 40
    keys = [spec.key for spec in one.setup.specs()]
    until(lambda: one.store.claim(keys, new_owner(), seconds=-1.0)[0] == keys)  # another client may have it
    one.start()
    assert len(one.snapshot().runs[0].epochs) >= len(before.runs[0].epochs)  # curves do not jump back
    assert one.wait(LONG)
    (run,) = one.results()
    assert run.epochs[: len(before.runs[0].epochs)] == before.runs[0].epochs and run.trained == 40
    assert one.snapshot().runs == (run,) and written(tmp_path) == 1


class Gated(Threads):
    """Runs begin when the gate is open."""

    gate = threading.Event()

    def submit(self, fn: Callable[..., Any], /, *args: Any, **kwargs: Any) -> Any:
        return super().submit(lambda: (self.gate.wait(), fn(*args, **kwargs))[1])


def test_cancelling_does_not_wait_for_runs_that_do_not_stop(tmp_path: Path) -> None:
    one, Gated.gate = race(tmp_path), threading.Event()
    with in_process(Gated):
        one.start()
        until(lambda: one.snapshot().progress[0].state == "preparing")
        one.cancel()
        assert one.snapshot().state == "cancelled" and one.wait(0)
        Gated.gate.set()
        one.start()  # waits until what was cancelled has ended
        one.cancel(wait=False)
        assert one.wait(LONG) and one.snapshot().state == "cancelled"
        one.start()
        assert one.wait(LONG) and one.snapshot().state == "finished"


def test_a_model_that_fails_is_shown_with_its_error_and_tried_again(tmp_path: Path) -> None:
    one = race(tmp_path, ("GCN", "Katz"), options={"learning_rate": 1e30})
    for count in (2, 3):
        one.start()
        assert one.wait(LONG) and written(tmp_path) == count
        shown = {p.model: p for p in one.snapshot().progress}
        assert (shown["GCN"].state, shown["GCN"].done) == ("failed", 1) and "learning_rate" in shown["GCN"].error
        assert (shown["Katz"].state, shown["Katz"].error) == ("finished", "")
        assert [run.model for run in one.results()] == ["Katz"] and one.snapshot().state == "finished"


def test_two_races_and_another_process_share_the_runs(tmp_path: Path) -> None:
    races = [race(tmp_path, ("Adamic-Adar", "Katz"), seeds=2) for _ in range(2)]
    other, (first, *_) = new_owner(), races[0].setup.specs()
    races[0].store.claim([first.key], other)
    for one in races:
        one.start()
    until(lambda: written(tmp_path) == 3)
    assert not races[0].wait(0.2)  # it waits for the run of the other process
    races[0].store.release(other)
    assert all(one.wait(LONG) and len(one.results()) == 4 for one in races) and written(tmp_path) == 4


@pytest.mark.parametrize("error", [de.ParameterError("The disk is full."), KeyError("a bug")], ids=repr)
def test_an_error_that_ends_the_race_is_shown_and_it_can_be_continued(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, error: Exception
) -> None:
    one = race(tmp_path, ("Katz", "Adamic-Adar"))

    def full(self: Store, *runs: Any) -> None:
        raise error

    with monkeypatch.context() as patch:
        patch.setattr(Store, "put", full)
        one.start()
        assert one.wait(LONG)
    shown = one.snapshot()
    assert shown.state == "cancelled" and all(str(error.args[0]) in p.error for p in shown.progress)
    assert all(("KeyError" in p.error) == isinstance(error, KeyError) for p in shown.progress)
    one.start()
    assert one.wait(LONG) and [(p.state, p.error) for p in one.snapshot().progress] == [("finished", "")] * 2


# ---- progress -------------------------------------------------------------------------------------


def snapshot(
    states: dict[tuple[str, int], tuple[str, list[float]]], workers: int = 1, state: str = "running", **more: Any
) -> Snapshot:
    """A race of GCN and SAGE, three seeds of ten epochs: the state of each run, and the seconds of its epochs."""
    setup = RaceSetup(KARATE, "links", **{"models": ("GCN", "SAGE"), "seeds": 3, "epochs": 10, **more})
    runs: dict[str, RunState] = states_of(setup, [])
    for one in runs.values():
        one.state, seconds = states.get((one.spec.model, one.spec.seed), ("waiting", []))
        one.epochs = [{"number": i, "seconds": s} for i, s in enumerate(seconds, start=1)]
        one.doing = "splitting" if one.state == "preparing" else ""
        one.error = "It diverged." if one.state == "failed" else ""
    return snapshot_of(setup, runs, state, workers, "GCN on cpu")


def test_the_time_left_counts_what_comes_before_and_is_shared_among_workers() -> None:
    so_far = {("GCN", 0): ("finished", [1.0] * 10), ("SAGE", 0): ("running", [3.0] * 5)}
    left = {workers: [p.left for p in snapshot(so_far, workers).progress] for workers in (1, 2, 8)}
    assert left == {1: [65.0, 95.0], 2: [32.5, 47.5], 8: [30.0, 30.0]}  # a run of SAGE takes 30 s on any machine
    assert [snapshot(so_far, workers).left for workers in (1, 2, 8)] == [95.0, 47.5, 30.0]
    assert [snapshot(so_far, workers).where for workers in (1, 2)] == ["GCN on cpu", "GCN on cpu; up to 2 runs at once"]
    assert snapshot({}).left is None and snapshot(so_far, state="cancelled").left is None
    only_gcn = snapshot({("GCN", 0): ("running", [100.0] * 5 + [2.0] * 10)}, epochs=20)  # its pace by the last ten
    assert [p.left for p in only_gcn.progress] == [5 * 2.0 + 40 + 40 + 40 + 40, None]  # SAGE: a guess, not shown
    assert only_gcn.left == 5 * 2.0 + 5 * 40
    formula = snapshot({("GCN", 0): ("running", [2.0])}, models=("GCN", "Katz"), seeds=1)
    assert formula.left == 9 * 2.0 + 2.0  # a formula takes one epoch


@pytest.mark.parametrize(
    ("states", "race_is", "expected"),
    [
        (["waiting", "waiting"], "ready", ("waiting", 0)),
        (["waiting", "waiting"], "running", ("waiting", 0)),
        (["preparing", "waiting"], "running", ("preparing", 0)),
        (["preparing", "running"], "running", ("running", 0)),
        (["finished", "waiting"], "running", ("waiting", 1)),
        (["finished", "waiting"], "cancelled", ("cancelled", 1)),
        (["finished", "waiting"], "finished", ("waiting", 1)),
        (["finished", "failed"], "running", ("failed", 2)),
        (["finished", "finished"], "cancelled", ("finished", 2)),
    ],
    ids=str,
)
def test_the_state_of_a_model_follows_from_its_runs(states: list[str], race_is: str, expected: tuple[str, int]) -> None:
    epochs = {"finished": [1.0] * 4, "failed": [], "running": [1.0] * 3}
    given = {("GCN", seed): (state, epochs.get(state, [])) for seed, state in enumerate(states)}
    shown = snapshot(given, state=race_is, models=("GCN",), seeds=2)
    (gcn,) = shown.progress
    assert (gcn.state, gcn.done, gcn.of) == (*expected, 2)
    shares = {"finished": 1.0, "failed": 1.0, "running": 0.3}
    assert gcn.share == pytest.approx(sum(shares.get(state, 0.0) for state in states) / 2)
    assert gcn.doing == ("splitting" if "preparing" in states else "")
    assert gcn.error == ("It diverged." if "failed" in states else "")
    assert (gcn.left == 0.0) == (gcn.done == 2)
    assert [run.seed for run in shown.runs] == [k for k, state in enumerate(states) if state in ("finished", "running")]


def test_only_finished_runs_of_the_race_count_before_it_starts() -> None:
    setup = RaceSetup(KARATE, "links", ["GCN"], seeds=2)
    zero, one = (spec.record() for spec in setup.specs())
    good = Run(**{**vars(zero), "test": 0.5, "epochs": [{"number": 1}]})
    states = states_of(setup, [good, Run(**{**vars(one), "status": "failed"}), Run("x", "g", "links", "GCN", test=0.5)])
    assert [(key, state.state, state.run) for key, state in states.items()] == [
        (zero.key, "finished", good), (one.key, "waiting", None)]  # fmt: skip
    assert states[zero.key].epochs == good.epochs
