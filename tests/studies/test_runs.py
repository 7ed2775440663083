"""One run: its key, its record, what training gives, and how it stops, continues and fails."""

from __future__ import annotations

import json
import math
import threading
from collections.abc import Iterator
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
from sklearn.metrics import roc_auc_score

import degnn_explore as de
from degnn_explore.studies import runs as runs_module
from degnn_explore.studies.runs import Run, RunSpec, by_model, finished, run_one

KARATE = de.load("karate")
HALVES = [i % 2 for i in range(34)]


def spec(**more: Any) -> RunSpec:
    return RunSpec(**{"graph": KARATE, "task": "links", "model": "GCN", "epochs": 3, "device": "cpu", **more})


# ---- the question and the key ---------------------------------------------------------------------


@pytest.mark.parametrize(
    ("base", "changed"),
    [
        ({}, {"task": "triangles"}),
        ({}, {"graph": KARATE.without_edges([(0, 1)])}),
        ({}, {"graph": KARATE.with_attributes([[float(i)] for i in range(34)])}),
        ({"task": "roles"}, {"graph": KARATE.with_labels(HALVES)}),
        ({}, {"protocol": "negatives_repeat"}),
        ({}, {"split": (0.6, 0.2, 0.2)}),
        ({}, {"per_positive": 5}),
        ({"per_positive": 5}, {"per_positive": 6}),
        ({"per_positive": 5}, {"negatives": "hard"}),
        ({}, {"task": de.link_task(KARATE)}),
        ({"task": de.link_task(KARATE)}, {"task": de.link_task(KARATE, split=(0.6, 0.2, 0.2))}),
    ],
    ids=str,
)
def test_another_question_has_another_digest_and_key(base: dict[str, Any], changed: dict[str, Any]) -> None:
    one, other = spec(**base), spec(**{**base, **changed})
    assert (one.kind, one.digest) != (other.kind, other.digest) and one.key != other.key
    assert len(one.digest) == len(other.digest) == 32


@pytest.mark.parametrize(
    "changed",
    [
        {"seed": 1},
        {"epochs": 4},
        {"model": "GIN"},
        {"settings": {"hidden": 8}},
        {"settings": {"learning_rate": 0.5}},
        {"options": {"patience": 2}},
        {"options": {"metric": "accuracy"}},
    ],
    ids=str,
)
def test_another_training_has_another_key_and_the_same_question(changed: dict[str, Any]) -> None:
    assert spec(**changed).key != spec().key and spec(**changed).digest == spec().digest


@pytest.mark.parametrize(
    "same",
    [
        {"settings": spec().full_settings[0]},  # the defaults
        {"options": {name: value for name, value in spec().full_settings[1].items() if name != "epochs"}},
        {"options": {"num_threads": 1, "checkpoint_every": 1.0}},
        {"graph": KARATE.with_title("x")},
        {"graph": KARATE.with_labels(HALVES)},  # of nodes: links do not use them
        {"protocol": "honest+honest", "negatives": "hard"},
        {"device": "auto", "keep_model": False, "resume_from": "k"},
    ],
    ids=["settings", "options", "threads", "title", "labels", "protocol", "device"],
)
def test_what_does_not_change_the_result_does_not_change_the_key(same: dict[str, Any]) -> None:
    assert spec(**same).key == spec().key
    assert spec(model="Katz", epochs=9, options={"patience": 1}).key == spec(model="Katz").key  # nothing is trained


def test_other_code_and_another_version_of_the_protocol_have_another_key(monkeypatch: pytest.MonkeyPatch) -> None:
    before = spec().key
    monkeypatch.setattr(runs_module, "PROTOCOL_VERSION", "another")
    assert spec().key != before
    de.encoding("mine", lambda near: near.distance == 0, columns=["itself"], max_dist=2)
    first = spec(model="DE-GNN-mine").key
    de.encoding("mine", lambda near: near.distance == 1, columns=["itself"], max_dist=2)
    assert spec(model="DE-GNN-mine").key != first


@pytest.mark.parametrize("model", ["GCN", "DE-GNN-SPD", "Katz"])
def test_full_settings_are_those_of_the_built_model(model: str) -> None:
    made = spec(model=model)
    (hyper, options), built = made.full_settings, de.build(model, made.make_task())
    of_task = {"max_dist"} if model == "DE-GNN-SPD" else set()
    assert hyper == {name: None if name in of_task else value for name, value in built.hyper.items()}
    assert options.get("learning_rate") == (built.learning_rate if built.learns else None)


@pytest.mark.parametrize(
    "given",
    [{}, {"split": (0.5, 0.25, 0.25)}, {"protocol": "negatives_repeat"}, {"per_positive": 3},
     {"per_positive": 3, "negatives": "hard"}],
    ids=str,
)  # fmt: skip
def test_the_task_is_the_one_that_a_user_would_make(given: dict[str, Any]) -> None:
    asked = [{**given, "seed": seed} for seed in range(5)]
    for arguments in [*asked, *reversed(asked), {"seed": 0}]:  # some of them are cached
        assert spec(**arguments).make_task().digest() == de.link_task(KARATE, **arguments).digest()
    roles = spec(task="roles", seed=3)
    assert roles.make_task().digest() == de.role_task(KARATE, seed=3).digest()
    assert roles.make_task() is spec(task="roles", seed=3, model="GIN").make_task()
    renamed = de.Graph.from_edges(KARATE.edges, names=[f"member {v}" for v in range(34)])
    for G in (KARATE, renamed):  # the same question, of the same digest
        assert spec(graph=G).make_task().full_graph.names == G.names


def test_a_spec_says_what_it_is_about() -> None:
    about = [(s.kind, s.p, s.metric) for s in (spec(task=task) for task in ("roles", "links", "triangles"))]
    assert about == [("roles", 1, "accuracy"), ("links", 2, "auc"), ("triangles", 3, "auc")]
    assert spec(options={"metric": "accuracy"}).metric == "accuracy"
    cut, relabeled = KARATE.without_edges([(0, 1)]), KARATE.with_labels(HALVES)
    assert [spec(graph=G).title for G in (KARATE.with_title("x"), cut.with_title("x"), cut.with_title(""))] == [
        "karate", "x", "my graph"]  # fmt: skip
    assert [spec(graph=relabeled, task=task).catalog for task in ("links", "roles")] == ["karate", ""]
    task = replace(de.link_task(KARATE, seed=7, protocol="negatives_repeat", per_positive=3), metric="mrr")
    own = spec(task=task, seed=1)  # a task of the user keeps its split
    assert (own.kind, own.p, own.metric, own.catalog, own.protocol) == ("links", 2, "mrr", "", "negatives_repeat")
    made = own.make_task()
    assert made.seed == 1 and (made.test.sets == task.test.sets).all() and made.test.ranked is task.test.ranked
    assert own.record().same_split and not spec().record().same_split


@pytest.mark.parametrize(
    ("wrong", "words"),
    [
        ({"model": "GCNN"}, "GCN"),
        ({"task": "edges"}, "task"),
        ({"epochs": 0}, "epochs"),
        ({"options": {"patiense": 3}}, "patience"),
        ({"options": {"patience": 0}}, "patience"),
        ({"options": {"seed": 3}}, "seed"),
        ({"settings": {"hidden": 0}}, "hidden"),
        ({"device": "gpu9"}, "gpu9"),
    ],
    ids=str,
)
def test_what_cannot_work_is_refused_before_it_starts(wrong: dict[str, Any], words: str) -> None:
    with pytest.raises(de.ParameterError, match=words):
        spec(**wrong).check()
    spec(options={"batch_size": 8, "patience": None, "num_threads": 1, "checkpoint_every": 2.0}).check()


# ---- records --------------------------------------------------------------------------------------


def test_a_record_survives_json_where_numbers_that_are_none_become_null() -> None:
    epochs = [{"number": 1, "loss": math.nan, "val": {"auc": math.inf}, "test": {}, "list": (1.5, [math.nan])}]
    run = Run("k", "Zachary’s", "links", "GCN", epochs=epochs, test=0.25, when="now", hyper={"layers": 2})
    again = Run.from_json(run.to_json())
    cleaned = [{"number": 1, "loss": None, "val": {"auc": None}, "test": {}, "list": [1.5, [None]]}]
    assert again == replace(run, epochs=cleaned) and "’" in run.to_json()
    more = {**json.loads(run.to_json()), "of a later version": 1}
    assert Run.from_json(json.dumps(more)) == again


def test_only_runs_with_a_test_result_are_finished() -> None:
    good = Run("a", "g", "links", "GCN", test=0.0)
    others = [replace(good, status="failed"), replace(good, test=None, rung=1), replace(good, status="running")]
    gin = replace(good, model="GIN")
    assert finished([*others, good, gin]) == [good, gin]
    assert by_model([good, gin, good]) == {"GCN": [good, good], "GIN": [gin]}


# ---- training -------------------------------------------------------------------------------------


def test_a_run_is_what_fit_gives(tmp_path: Path) -> None:
    made = spec(seed=2, settings={"hidden": 16, "learning_rate": 0.01}, options={"batch_size": 16})
    run = run_one(made, tmp_path / "new")
    task = de.link_task(KARATE, seed=2)
    model = de.build("GCN", task, seed=2, hidden=16)
    epochs = list(de.fit(model, task, 3, seed=2, learning_rate=0.01, batch_size=16, device="cpu"))
    summary = de.summarize(epochs)
    assert (run.status, run.error, run.trained, run.device) == ("finished", "", 3, "cpu")
    assert (run.test, run.best_epoch, run.optimistic) == (summary.test, summary.epoch, summary.optimistic)
    assert run.val == epochs[summary.epoch - 1].val["auc"] and run.measures == {}
    assert [epoch["loss"] for epoch in run.epochs] == [epoch.loss for epoch in epochs]
    assert run.sizes == {part: len(getattr(task, part)) for part in ("train", "val", "test")}
    assert run.parameters == sum(weight.numel() for weight in model.parameters())
    assert run.seconds == sum(epoch["seconds"] for epoch in run.epochs) and run.cpu_seconds > 0
    assert datetime.fromisoformat(run.when).tzinfo == UTC and Run.from_json(run.to_json()) == run
    assert (run.key, run.digest, run.graph, run.catalog, run.task) == (
        made.key, made.digest, "karate", "karate", "links")  # fmt: skip
    assert (run.model, run.seed, run.nodes, run.edges, run.p, run.metric) == ("GCN", 2, 34, 78, 2, "auc")
    assert (run.hyper, run.options) == made.full_settings and run.hyper["hidden"] == 16
    assert (run.version, run.protocol, run.rung) == (de.__version__, "honest", 0)
    loaded = de.load_model(tmp_path / "new" / run.model_file)
    scores = de.predict(loaded, task.graph, task.test.sets)
    assert roc_auc_score(task.test.labels, scores) == pytest.approx(run.test)


def test_roles_have_their_classes_and_ranked_links_all_their_measures(tmp_path: Path) -> None:
    flights = de.load("us-flights")
    roles = run_one(spec(graph=flights, task="roles", epochs=1, keep_model=False), tmp_path)
    assert (roles.p, roles.num_classes, roles.model_file) == (1, len({*flights.labels.tolist()} - {-1}), "")
    assert not list(tmp_path.glob("*.safetensors"))
    ranked = run_one(spec(per_positive=3, options={"metric": "mrr"}), tmp_path)
    best = ranked.epochs[ranked.best_epoch - 1]
    assert ranked.test == best["test"]["mrr"] == ranked.measures["mrr"] and ranked.val == best["val"]["mrr"]
    expected = {name: value for name, value in best["test"].items() if name != "accuracy"}
    assert ranked.measures == expected and {"auc", "hits@10"} <= expected.keys()


def test_updates_say_where_a_run_is_and_every_epoch_once(tmp_path: Path) -> None:
    messages: list[dict[str, Any]] = []
    run = run_one(spec(epochs=5), tmp_path, messages.append)
    assert messages[0] == {"doing": ""}
    assert [epoch for message in messages for epoch in message.get("epochs", ())] == run.epochs
    (placed,) = (message["placed"] for message in messages if "placed" in message)
    assert placed.startswith("GCN on cpu")


class Clock:
    """In place of the module ``time``: time passes only when a test says so."""

    def __init__(self) -> None:
        self.now = 100.0

    def process_time(self) -> float:
        return self.now

    monotonic = process_time


def test_fast_epochs_are_reported_together_and_time_before_a_restart_counts(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    clock, messages = Clock(), list[dict[str, Any]]()

    def fit(*_: object, **__: object) -> Iterator[de.Epoch]:
        for number in range(1, 6):
            clock.now += 4.0 if number == 4 else 0.0  # the first three are read from a checkpoint
            clock.now += 0.01 if number == 5 else 0.0
            yield de.Epoch(number, 1.0, {}, {"auc": 0.5}, {"auc": 0.5}, 3.0)

    monkeypatch.setattr(runs_module, "time", clock)
    monkeypatch.setattr("degnn_explore.learn.training.fit", fit)
    run = run_one(spec(epochs=5), tmp_path, messages.append)
    numbers = [[epoch["number"] for epoch in message["epochs"]] for message in messages if "epochs" in message]
    assert numbers == [[1], [2, 3, 4], [5]]
    assert run.seconds == 15.0 and run.cpu_seconds == pytest.approx(3 * 3.0 + 4.01)


def test_an_epoch_whose_metric_is_not_a_number_is_never_the_best(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    values = [math.nan, 0.6, 0.7, 0.7, math.nan]

    def fit(*_: object, **__: object) -> Iterator[de.Epoch]:
        for number, val in enumerate(values, start=1):
            yield de.Epoch(number, 1.0, {}, {"auc": val}, {"auc": 1 - val}, 0.1)

    monkeypatch.setattr("degnn_explore.learn.training.fit", fit)
    run = run_one(spec(epochs=5), tmp_path)
    assert (run.best_epoch, run.val, run.test, run.optimistic) == (3, 0.7, pytest.approx(0.3), pytest.approx(0.4))
    values = [math.nan, math.nan]
    diverged = run_one(spec(epochs=2), tmp_path)
    assert (diverged.status, diverged.test) == ("failed", None) and "learning_rate" in diverged.error


def test_a_trial_scores_no_test_set_and_a_leak_may_choose_by_it(tmp_path: Path) -> None:
    messages: list[dict[str, Any]] = []
    trial = run_one(spec(rung=1), tmp_path / "trial", messages.append)
    assert trial.test is None and trial.optimistic is None and not trial.measures
    seen = [epoch for message in messages for epoch in message.get("epochs", [])]
    assert seen and not any(epoch["test"] for epoch in [*seen, *trial.epochs])
    reported = run_one(spec(), tmp_path / "reported")
    assert (trial.val, trial.best_epoch) == (reported.val, reported.best_epoch) and reported.test is not None
    how = {"epochs": 8, "options": {"patience": None}, "seed": 1}
    leaking = run_one(spec(protocol="epoch_chosen_on_test", **how), tmp_path / "leaking")
    assert leaking.test == leaking.optimistic != run_one(spec(**how), tmp_path / "honest").test


def test_a_stopped_run_continues_to_the_same_numbers(tmp_path: Path) -> None:
    expected, stop = run_one(spec(epochs=6), tmp_path / "expected"), threading.Event()

    def tell(message: dict[str, Any]) -> None:
        if "epochs" in message:
            stop.set()

    part = run_one(spec(epochs=6), tmp_path / "part", tell, stop)
    assert (part.status, part.test) == ("cancelled", None) and list((tmp_path / "part").glob("*.checkpoint"))
    assert run_one(spec(epochs=6), tmp_path / "part", stop=stop).status == "cancelled"  # before its first epoch, too
    rest = run_one(spec(epochs=6), tmp_path / "part")
    assert [e["loss"] for e in rest.epochs] == [e["loss"] for e in expected.epochs] and rest.test == expected.test


@pytest.mark.parametrize(
    ("error", "words"), [(KeyError("a bug"), "Traceback"), (ValueError("Too far."), "Too far."), (OSError(), "OSError")]
)
def test_a_run_that_fails_says_why_and_raises_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, error: Exception, words: str
) -> None:
    def fit(*_: object, **__: object) -> Iterator[de.Epoch]:
        raise error

    monkeypatch.setattr("degnn_explore.learn.training.fit", fit)
    run = run_one(spec(), tmp_path)
    assert run.status == "failed" and words in run.error and run.key == spec().key
    assert ("Traceback" in run.error) == (not isinstance(error, ValueError))
    impossible = run_one(spec(settings={"depth": 3}, seed=4), tmp_path)
    assert (impossible.status, impossible.key, impossible.seed) == ("failed", "", 4) and "depth" in impossible.error


def test_a_damaged_checkpoint_is_put_aside_and_a_diverging_run_is_not_tried_twice(tmp_path: Path) -> None:
    (tmp_path / f"{spec().key}.checkpoint").write_bytes(b"not a checkpoint")
    assert run_one(spec(), tmp_path).status == "finished"
    messages: list[dict[str, Any]] = []
    run = run_one(spec(epochs=30, options={"learning_rate": 1e30}), tmp_path, messages.append)
    assert run.status == "failed" and "learning_rate" in run.error and messages.count({"doing": ""}) == 1
