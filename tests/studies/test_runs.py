"""One run: what its key says, what comes of it, and that nothing it does raises."""

from __future__ import annotations

import math
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import degnn_explore as de
from degnn_explore.common.errors import GraphError, ParameterError
from degnn_explore.studies import runs as runs_module
from degnn_explore.studies.runs import Run, RunSpec, run_one

KARATE = de.load("karate")


def spec(**more: Any) -> RunSpec:
    return RunSpec(**{"graph": KARATE, "task": "links", "model": "GCN", "epochs": 3, "device": "cpu", **more})


# ---- keys -----------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "other",
    [
        {"seed": 1},
        {"epochs": 4},
        {"model": "GIN"},
        {"task": "roles"},
        {"settings": {"hidden": 8}},
        {"options": {"patience": 2}},
        {"protocol": "paper"},
        {"split": (0.6, 0.2, 0.2)},
        {"graph": KARATE.without_edges([(0, 1)])},
        {"task": de.link_task(KARATE)},
    ],
    ids=str,
)
def test_what_changes_a_run_changes_its_key(other: dict[str, Any]) -> None:
    assert spec(**other).key != spec().key


def test_what_does_not_change_a_run_does_not_change_its_key() -> None:
    hyper, options = spec().full_settings
    same = spec(settings=hyper, options={name: value for name, value in options.items() if name != "epochs"})
    assert same.key == spec().key == spec(options={"num_threads": 1}).key == spec(graph=KARATE.with_title("x")).key
    assert spec(model="Katz", epochs=3).key == spec(model="Katz", epochs=9).key  # nothing is trained


def test_every_key_names_the_version_of_the_protocol(monkeypatch: pytest.MonkeyPatch) -> None:
    now = spec().key
    monkeypatch.setattr(runs_module, "PROTOCOL_VERSION", "another")
    assert spec().key != now


def test_labels_count_for_roles_and_for_nothing_else() -> None:
    other = KARATE.with_labels([i % 2 for i in range(34)])
    assert spec(graph=other).digest == spec().digest
    assert spec(graph=other, task="roles").digest != spec(task="roles").digest


@pytest.mark.parametrize("model", ["GCN", "DE-GNN-SPD", "Katz"])
def test_the_settings_are_those_of_the_built_model(model: str) -> None:
    asked, built = spec(model=model).full_settings[0], de.build(model, de.link_task(KARATE)).hyper
    assert asked.keys() == built.keys() and all(asked[k] in (None, built[k]) for k in asked)  # None: of the task


@pytest.mark.parametrize(
    ("wrong", "words"),
    [
        ({"model": "GCNN"}, "Did you mean 'GCN'"),
        ({"task": "edges"}, "task='edges' is not known"),
        ({"epochs": 0}, "epochs must be"),
        ({"options": {"patiense": 3}}, "patience"),
        ({"options": {"seed": 3}}, "options may not name 'seed'"),
        ({"settings": {"depth": 3}}, "hyperparameter of GCN"),
        ({"device": "gpu9"}, "gpu9"),
    ],
    ids=str,
)
def test_what_cannot_work_is_refused_before_it_starts(wrong: dict[str, Any], words: str) -> None:
    with pytest.raises(ParameterError, match=words):
        spec(**wrong).check()


def test_roles_need_labels() -> None:
    with pytest.raises(GraphError, match="has none"):
        spec(graph=de.load("celegans"), task="roles").check()


# ---- training -------------------------------------------------------------------------------------


def test_a_run_is_what_plain_fit_gives(tmp_path: Path) -> None:
    run = run_one(spec(seed=2, settings={"hidden": 16}, options={"learning_rate": 0.01}), tmp_path)
    task = de.link_task(KARATE, seed=2)
    epochs = list(de.fit(de.build("GCN", task, seed=2, hidden=16), task, 3, seed=2, learning_rate=0.01, device="cpu"))
    summary = de.summarize(epochs)
    assert (run.status, run.test, run.best_epoch, run.trained) == ("finished", summary.test, summary.epoch, 3)
    assert [epoch["loss"] for epoch in run.epochs] == [epoch.loss for epoch in epochs]
    assert Run.from_json(run.to_json()) == run
    model = de.load_model(tmp_path / run.model_file)
    scores = de.predict(model, task.graph, task.test.sets)
    from sklearn.metrics import roc_auc_score

    assert roc_auc_score(task.test.labels, scores) == pytest.approx(run.test)


def test_a_run_that_fails_says_why_and_raises_nothing(tmp_path: Path) -> None:
    run = run_one(spec(options={"learning_rate": 1e30}), tmp_path)
    assert run.status == "failed" and "learning_rate" in run.error
    assert run_one(spec(settings={"depth": 3}), tmp_path).status == "failed"


def test_a_stopped_run_continues_to_the_same_numbers(tmp_path: Path) -> None:
    whole = run_one(spec(epochs=6), tmp_path / "whole")
    stop, heard = threading.Event(), 0

    def tell(message: dict[str, Any]) -> None:
        nonlocal heard
        heard += len(message.get("epochs", ()))
        if heard:
            stop.set()

    part = run_one(spec(epochs=6), tmp_path / "part", tell, stop)
    assert part.status == "cancelled" and list((tmp_path / "part").glob("*.checkpoint"))
    rest = run_one(spec(epochs=6), tmp_path / "part")
    assert [e["loss"] for e in rest.epochs] == [e["loss"] for e in whole.epochs] and rest.test == whole.test


def test_an_epoch_whose_metric_is_not_a_number_is_never_the_best(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fit(*args: Any, **more: Any) -> Iterator[de.Epoch]:
        for number, val in ((1, math.nan), (2, 0.6), (3, 0.7), (4, 0.7), (5, math.nan)):
            yield de.Epoch(number, 1.0, {}, {"auc": val}, {"auc": val - 0.1}, 0.1)

    monkeypatch.setattr("degnn_explore.learn.training.fit", fit)
    run = run_one(spec(epochs=5), tmp_path)
    assert (run.best_epoch, run.val, run.test) == (3, 0.7, pytest.approx(0.6))
    assert run.optimistic == pytest.approx(0.6)
    summary = de.summarize(fit())
    assert (summary.epoch, summary.test, summary.optimistic_epoch) == (3, pytest.approx(0.6), 3)


def test_a_damaged_checkpoint_is_left_aside(tmp_path: Path) -> None:
    (tmp_path / f"{spec().key}.checkpoint").write_bytes(b"not a checkpoint")
    assert run_one(spec(), tmp_path).status == "finished"


def test_a_trial_has_no_test_result(tmp_path: Path) -> None:
    news: list[dict[str, Any]] = []
    run = run_one(spec(rung=1, keep_model=False), tmp_path / "trial", news.append)
    assert run.test is None and run.optimistic is None and not run.measures
    told = [epoch for message in news for epoch in message.get("epochs", [])]
    assert told and not any(epoch["test"] for epoch in [*told, *run.epochs])  # no test set was scored at all
    reported = run_one(spec(), tmp_path / "reported")
    assert (run.val, run.best_epoch) == (reported.val, reported.best_epoch) and reported.test is not None


def test_an_own_task_keeps_its_split(tmp_path: Path) -> None:
    task = de.link_task(KARATE, seed=7)
    runs = [run_one(spec(task=task, seed=seed), tmp_path) for seed in (0, 1)]
    assert all(run.same_split and run.status == "finished" for run in runs)
    assert runs[0].digest == runs[1].digest and runs[0].epochs[0]["loss"] != runs[1].epochs[0]["loss"]
    assert (spec(task=task, seed=1).make_task().test.sets == task.test.sets).all()
    assert not run_one(spec(), tmp_path).same_split


def test_the_shares_of_a_split_are_those_of_the_task(tmp_path: Path) -> None:
    run = run_one(spec(split=(0.5, 0.25, 0.25)), tmp_path)
    assert run.sizes["test"] == len(de.link_task(KARATE, split=(0.5, 0.25, 0.25)).test)
