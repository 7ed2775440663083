"""One run: its key, its record, what training gives, and how it stops, continues and fails."""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Iterator
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from sklearn.metrics import roc_auc_score

import degnn_explore as de
from degnn_explore.studies import runs as runs_module
from degnn_explore.studies.runs import Run, run_one
from tests.studies.in_process import KARATE, spec

HALVES = [i % 2 for i in range(34)]


OWN = de.link_task(KARATE)
OTHER_QUESTION = [
    ({}, {"task": "triangles"}),
    ({}, {"graph": KARATE.without_edges([(0, 1)])}),
    ({}, {"graph": KARATE.with_attributes([[float(i)] for i in range(34)])}),
    ({"task": "roles"}, {"graph": KARATE.with_labels(HALVES)}),
    ({}, {"protocol": "negatives_repeat"}),
    ({}, {"split": (0.6, 0.2, 0.2)}),
    ({}, {"per_positive": 5}),
    ({"per_positive": 5}, {"per_positive": 6}),
    ({"per_positive": 5}, {"negatives": "hard"}),
    ({}, {"task": OWN}),
    ({"task": OWN}, {"task": de.link_task(KARATE, split=(0.6, 0.2, 0.2))}),
]
OTHER_TRAINING = [
    ({}, {"seed": 1}),
    ({}, {"epochs": 4}),
    ({}, {"model": "GIN"}),
    ({}, {"settings": {"hidden": 8}}),
    ({}, {"settings": {"learning_rate": 0.5}}),
    ({}, {"options": {"patience": 2}}),
    ({}, {"options": {"metric": "accuracy"}}),
]
SAME = [
    ({}, {"settings": spec().full_settings[0]}),  # the defaults
    ({}, {"options": {name: value for name, value in spec().full_settings[1].items() if name != "epochs"}}),
    ({}, {"options": {"num_threads": 1, "checkpoint_every": 1.0}}),
    ({}, {"graph": KARATE.with_title("x")}),
    ({}, {"graph": KARATE.with_labels(HALVES)}),  # of nodes: links do not use them
    ({}, {"protocol": "honest+honest", "negatives": "hard"}),
    ({}, {"device": "auto", "keep_model": False, "resume_from": "k"}),
    ({"model": "Katz"}, {"epochs": 9, "options": {"patience": 1}}),  # nothing is trained
]


@pytest.mark.parametrize(
    ("written", "kind", "protocol"),
    [
        ("honest+honest", "links", "honest"),
        ("gradients_not_reset+epoch_chosen_on_test", "roles", "paper"),
        ("negatives_repeat", "links", "negatives_repeat"),
    ],
)
def test_a_protocol_has_one_name_however_it_is_written(written: str, kind: str, protocol: str) -> None:
    assert spec(task=kind, protocol=written).protocol == protocol


@pytest.mark.parametrize(
    ("base", "changed", "same_question", "same_training"),
    [
        *((*case, False, False) for case in OTHER_QUESTION),
        *((*case, True, False) for case in OTHER_TRAINING),
        *((*case, True, True) for case in SAME),
    ],
)
def test_the_key_is_that_of_the_question_and_the_training(
    base: dict[str, Any], changed: dict[str, Any], same_question: bool, same_training: bool
) -> None:
    one, other = spec(**base), spec(**{**base, **changed})
    assert ((one.kind, one.digest) == (other.kind, other.digest)) == same_question
    assert (one.key == other.key) == same_training and len(one.digest) == len(other.digest) == 32


def test_other_code_and_another_version_of_the_protocol_have_another_key(monkeypatch: pytest.MonkeyPatch) -> None:
    before = spec().key
    monkeypatch.setattr(runs_module, "PROTOCOL_VERSION", "another")
    assert spec().key != before
    keys = set()
    for distance in (0, 1):
        de.encoding("mine", lambda near, d=distance: near.distance == d, columns=["itself"], max_dist=2)
        keys.add(spec(model="DE-GNN-mine").key)
    assert len(keys) == 2


@pytest.mark.parametrize(
    "given",
    [{}, {"split": (0.5, 0.25, 0.25)}, {"protocol": "negatives_repeat"}, {"per_positive": 3, "negatives": "hard"}],
    ids=str,
)
def test_the_task_is_the_one_that_a_user_would_make(given: dict[str, Any]) -> None:
    for seed in (0, 1, 2, 3, 4, 3, 2, 1, 0):  # some of them are cached
        expected = de.link_task(KARATE, seed=seed, **given)
        assert spec(seed=seed, **given).make_task().digest() == expected.digest()
    roles = spec(task="roles", seed=3)
    assert roles.make_task().digest() == de.role_task(KARATE, seed=3).digest()
    assert roles.make_task() is spec(task="roles", seed=3, model="GIN").make_task()
    renamed = de.Graph.from_edges(KARATE.edges, names=[f"member {v}" for v in range(34)])
    for G in (KARATE, renamed):  # the same question, of the same digest
        assert spec(graph=G).make_task().full_graph.names == G.names


def test_a_spec_says_what_it_is_about() -> None:
    about = [(s.kind, s.p, s.metric) for s in (spec(task=task) for task in ("roles", "links", "triangles"))]
    assert about == [("roles", 1, "accuracy"), ("links", 2, "auc"), ("triangles", 3, "auc")]
    cut = KARATE.without_edges([(0, 1)])
    graphs = [KARATE.with_title("x"), cut.with_title("x"), cut.with_title("")]
    assert [spec(graph=G).title for G in graphs] == ["karate", "x", "my graph"]
    assert [spec(graph=KARATE.with_labels(HALVES), task=task).catalog for task in ("links", "roles")] == ["karate", ""]
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
        ({"options": {"patience": 0}}, "patience"),
        ({"settings": {"hidden": 0}}, "hidden"),
        ({"device": "gpu9"}, "gpu9"),
    ],
    ids=str,
)
def test_what_cannot_work_is_refused_before_it_starts(wrong: dict[str, Any], words: str) -> None:
    with pytest.raises(de.ParameterError, match=words):
        spec(**wrong).check()
    spec(options={"batch_size": 8, "patience": None, "num_threads": 1, "checkpoint_every": 2.0}).check()


def test_a_record_survives_json_where_numbers_that_are_none_become_null() -> None:
    epochs = [{"number": 1, "loss": math.nan, "val": {"auc": math.inf}, "test": {}, "list": (1.5, [math.nan])}]
    run = Run("k", "Zachary’s", "links", "GCN", epochs=epochs, test=0.25, when="now", hyper={"layers": 2})
    again = Run.from_json(run.to_json())
    cleaned = [{"number": 1, "loss": None, "val": {"auc": None}, "test": {}, "list": [1.5, [None]]}]
    assert again == replace(run, epochs=cleaned) and "’" in run.to_json()
    more = {**json.loads(run.to_json()), "of a later version": 1}
    assert Run.from_json(json.dumps(more)) == again


def test_a_run_is_what_fit_gives(tmp_path: Path) -> None:
    made = spec(seed=2, settings={"hidden": 16, "learning_rate": 0.01}, options={"batch_size": 16})
    messages: list[dict[str, Any]] = []
    run = run_one(made, tmp_path / "new", messages.append)
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
    assert (run.key, run.digest, run.graph, run.catalog) == (made.key, made.digest, "karate", "karate")
    assert (run.task, run.model, run.seed, run.nodes, run.edges, run.p) == ("links", "GCN", 2, 34, 78, 2)
    assert (run.hyper, run.options) == made.full_settings and run.hyper["hidden"] == 16
    assert (run.metric, run.version, run.protocol, run.rung) == ("auc", de.__version__, "honest", 0)
    loaded = de.load_model(tmp_path / "new" / run.model_file)
    scores = de.predict(loaded, task.graph, task.test.sets)
    assert roc_auc_score(task.test.labels, scores) == pytest.approx(run.test)
    assert messages[0] == {"doing": ""}
    assert [epoch for message in messages for epoch in message.get("epochs", ())] == run.epochs
    (placed,) = (message["placed"] for message in messages if "placed" in message)
    assert placed.startswith("GCN on cpu")


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


def made_up(monkeypatch: pytest.MonkeyPatch, values: list[float], began: Callable[[int], object] = abs) -> None:
    """Epochs with these validation metrics, whose test metrics are 1 less them, three seconds each."""

    def fit(*_: object, **__: object) -> Iterator[de.Epoch]:
        for number, val in enumerate(values, start=1):
            began(number)
            yield de.Epoch(number, 1.0, {}, {"auc": val}, {"auc": 1 - val}, 3.0)

    monkeypatch.setattr("degnn_explore.learn.training.fit", fit)


def test_fast_epochs_are_reported_together_and_time_before_a_restart_counts(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    now, messages = [100.0], list[dict[str, Any]]()
    clock = SimpleNamespace(process_time=lambda: now[-1], monotonic=lambda: now[-1])
    seconds = {4: 4.0, 5: 0.01}  # the first three are read from a checkpoint
    made_up(monkeypatch, [0.5] * 5, lambda number: now.append(now[-1] + seconds.get(number, 0.0)))
    monkeypatch.setattr(runs_module, "time", clock)
    run = run_one(spec(epochs=5), tmp_path, messages.append)
    numbers = [[epoch["number"] for epoch in message["epochs"]] for message in messages if "epochs" in message]
    assert numbers == [[1], [2, 3, 4], [5]]
    assert run.seconds == 15.0 and run.cpu_seconds == pytest.approx(3 * 3.0 + 4.01)


def test_an_epoch_whose_metric_is_not_a_number_is_never_the_best(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    made_up(monkeypatch, [math.nan, 0.6, 0.7, 0.7, math.nan])
    run = run_one(spec(epochs=5), tmp_path)
    assert (run.best_epoch, run.val, run.test, run.optimistic) == (3, 0.7, pytest.approx(0.3), pytest.approx(0.4))
    made_up(monkeypatch, [math.nan, math.nan])
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


@pytest.mark.parametrize("error", [KeyError("a bug"), ValueError("Too far."), OSError()], ids=repr)
def test_a_run_that_fails_says_why_and_raises_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, error: Exception
) -> None:
    def fail(*_: object, **__: object) -> None:
        raise error

    monkeypatch.setattr("degnn_explore.learn.training.fit", fail)
    run = run_one(spec(), tmp_path)
    assert (run.status, run.key) == ("failed", spec().key)
    assert (run.trained, run.cpu_seconds, run.seconds, run.parameters, run.num_classes) == (0, 0.0, 0.0, 0, 2)
    assert (run.error == "Too far.") == isinstance(error, ValueError) != ("Traceback" in run.error)
    impossible = run_one(spec(settings={"depth": 3}, seed=4), tmp_path)
    assert (impossible.status, impossible.key, impossible.seed) == ("failed", "", 4) and "depth" in impossible.error


def test_a_damaged_checkpoint_is_put_aside_and_a_diverging_run_is_not_tried_twice(tmp_path: Path) -> None:
    (tmp_path / f"{spec().key}.checkpoint").write_bytes(b"not a checkpoint")
    assert run_one(spec(), tmp_path).status == "finished"
    messages: list[dict[str, Any]] = []
    run = run_one(spec(epochs=30, options={"learning_rate": 1e30}), tmp_path, messages.append)
    assert run.status == "failed" and "learning_rate" in run.error and messages.count({"doing": ""}) == 1
