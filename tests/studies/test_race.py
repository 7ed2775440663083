"""A race without a browser: trained in the background, cancelled, continued, shared, and shown as it goes."""

from __future__ import annotations

import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import degnn_explore as de
from degnn_explore.studies.race import Race, RaceSetup, RunState, Snapshot, snapshot_of, states_of
from degnn_explore.studies.runs import RunSpec, run_one
from degnn_explore.studies.store import Store, new_owner
from tests.studies.in_process import KARATE, Patient, Threads, in_process, written
from tests.support.waiting import LONG, until

pytestmark = pytest.mark.usefixtures("in_process")


def race(folder: Path, models: tuple[str, ...] = ("GCN",), workers: int = 1, **more: Any) -> Race:
    given = {"graph": KARATE, "task": "links", "device": "cpu", "seeds": 1, "epochs": 2, **more}
    return Race(RaceSetup(models=models, **given), Store(folder), workers)


def test_every_model_gets_the_settings_that_it_has_and_every_seed_comes_in_turn() -> None:
    settings, options = {"hidden": 4, "hops": 2}, {"patience": 3}
    setup = RaceSetup(KARATE, "links", ["SEAL", "DEA-GNN-SPD", "SEAL"], 2, 7, "cpu", settings, options)
    expected = [(model, seed, mine) for seed in (0, 1) for model, mine in
                (("SEAL", {"hidden": 4}), ("DEA-GNN-SPD", settings))]  # fmt: skip
    assert [(spec.model, spec.seed, dict(spec.settings)) for spec in setup.specs()] == expected
    assert all((spec.epochs, spec.device, spec.options) == (7, "cpu", options) for spec in setup.specs())


def test_what_cannot_work_is_refused_before_it_starts(tmp_path: Path) -> None:
    for name in ("seeds", "epochs", "workers"):
        with pytest.raises(de.ParameterError, match=name):
            race(tmp_path, **{name: 0})
    assert race(tmp_path, seeds=20).snapshot().state == "ready"


def test_a_race_gives_what_run_one_gives_and_a_new_race_finds_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    one = race(tmp_path, ("GCN", "Adamic-Adar"), seeds=2, epochs=3)
    version = one.version
    assert one.wait(0) and not one.running and one.snapshot().runs == ()
    last, seen = list[int](), dict[int, Snapshot]()
    monkeypatch.setattr(Store, "tidy", lambda self, owner: last.append(one.version))  # after all runs
    one.start()
    while one.running:  # whoever shows it looks again when there is another version
        before, shown = one.version, one.snapshot()
        assert before != one.version or seen.setdefault(before, shown) == shown
    assert one.wait(LONG) and one.version > last[0] > version
    for run in one.results():
        expected = run_one(RunSpec(KARATE, "links", run.model, run.seed, 3, device="cpu"), tmp_path / "own")
        assert (run.key, run.test, run.val, run.hyper) == (expected.key, expected.test, expected.val, expected.hyper)
        assert (one.store.models / run.model_file).is_file()
    shown = one.snapshot()
    assert shown.state == "finished" and list(shown.runs) == one.results() and shown.where.startswith("Adamic-Adar on")
    assert [(p.model, p.done, p.share) for p in shown.progress] == [("GCN", 2, 1.0), ("Adamic-Adar", 2, 1.0)]
    again = race(tmp_path, ("GCN", "Adamic-Adar"), seeds=3, epochs=3)
    assert [p.done for p in again.snapshot().progress] == [2, 2] and len(again.results()) == 4
    again.cancel()
    assert again.snapshot().state == "ready"
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
    epochs = before.runs[0].epochs
    assert 0 < len(epochs) < 40 and before.progress[0].share == len(epochs) / 40
    keys = [spec.key for spec in one.setup.specs()]
    assert [file.name for file in one.store.models.iterdir()] == [f"{keys[0]}.checkpoint"]
    until(lambda: one.store.claim(keys, new_owner(), seconds=-1.0)[0] == keys)  # another client may have it
    one.start()
    assert len(one.snapshot().runs[0].epochs) >= len(epochs)  # curves do not jump back
    assert one.wait(LONG)
    (run,) = one.results()
    expected = run_one(one.setup.spec("GCN"), tmp_path / "other")
    assert run.epochs[: len(epochs)] == epochs and (run.trained, run.test) == (40, expected.test)
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


def test_an_error_that_ends_the_race_is_shown_and_it_can_be_continued(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    one = race(tmp_path, ("Katz", "Adamic-Adar"))
    for error, words in ((KeyError("a bug"), "KeyError: 'a bug'"), (de.ParameterError("A full disk."), "A full disk.")):

        def fail(self: Store, *runs: Any, error: Exception = error) -> None:
            raise error

        with monkeypatch.context() as patch:
            patch.setattr(Store, "put", fail)
            one.start()
            assert one.wait(LONG)
        shown = one.snapshot()
        assert shown.state == "cancelled" and [p.error for p in shown.progress] == [words] * 2
    one.start()
    assert one.wait(LONG) and [(p.state, p.error) for p in one.snapshot().progress] == [("finished", "")] * 2


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
