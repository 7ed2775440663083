"""Settings chosen on validation: as many for every model, within the time, and never by the test sets."""

from __future__ import annotations

import math
import threading
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
import torch

import degnn_explore as de
from degnn_explore.common.progress import Cancelled, watching
from degnn_explore.learn.metrics import metrics
from degnn_explore.learn.registry import MODELS
from degnn_explore.studies import search as search_module
from degnn_explore.studies.search import SPACE, CpuBudget, Trial, candidates, choose_members, first_look, search

KARATE = de.load("karate")
LINKS = de.link_task(KARATE)


@pytest.mark.parametrize("model", ["DE-GNN-SPD", "SEAL", "Katz", "Adamic-Adar"])
@pytest.mark.parametrize("p", [1, 2])
def test_candidates_are_the_defaults_and_then_different_draws_from_the_space(model: str, p: int) -> None:
    listed, kind = candidates(model, p), MODELS[model].load()
    hyper = {**kind.HYPER, **({"learning_rate": kind.RATE} if kind.learns else {})}
    offered = {
        (name, value)
        for name, values in SPACE.items()
        for value in values
        if name in hyper and value != hyper[name].default_for(p) and hyper[name].takes(value)
    }
    drawn = {(name, value) for settings in listed for name, value in settings.items()}
    assert listed[0] == {} and all(listed.count(settings) == 1 for settings in listed) and drawn == offered
    assert len(listed) == {"Katz": 4, "Adamic-Adar": 1}.get(model, 30)
    assert candidates(model, p) == listed and (candidates(model, p, seed=1) == listed) == (model == "Adamic-Adar")
    assert candidates(model, p, most=3) == listed[:3]
    assert candidates(model, p, space={"hidden": [7], "damping": [0.3]})[1:] == [
        {name: value} for name, value in (("hidden", 7), ("damping", 0.3)) if name in hyper
    ]


def test_choices_of_an_own_model_are_tried_too(monkeypatch: pytest.MonkeyPatch) -> None:
    net = MODELS["GCN"].load()
    own = type("Own", (net,), {"HYPER": {**net.HYPER, "pool": de.Hyper("sum", choices=("sum", "max"))}})
    monkeypatch.setitem(MODELS, "own", replace(MODELS["GCN"], home=own, mark="its code"))
    assert {"pool": "max"} in candidates("own", 2, space={})


@pytest.mark.parametrize("last", [7, 8])
def test_every_model_is_given_as_many_settings_and_only_complete_rounds_count(last: int) -> None:
    budget, seen = CpuBudget(1e9), list[tuple[str, str]]()

    def evaluate(model: str, settings: dict[str, object]) -> float:
        seen.append((model, str(settings)))
        budget.interrupted = len(seen) == last  # in the middle of the fourth round, or as it ends
        return len(seen) / 10

    tried = search(["GCN", "GIN", "GCN"], evaluate, budget)
    assert {model: [value for _, value in values] for model, values in tried.items()} == {
        "GCN": [0.1, 0.3, 0.5], "GIN": [0.2, 0.4, 0.6]}  # fmt: skip
    assert [settings for settings, _ in tried["GIN"]] == candidates("GIN", 2)[:3]
    again = list(seen)
    seen.clear()
    budget.interrupted = False
    search(["GCN", "GIN"], evaluate, budget)
    assert seen == again  # the same seed, the same settings in the same order
    every = search(["Katz", "Adamic-Adar"], lambda *_: 0.5, CpuBudget(1e9), p=3, seed=4)
    assert [settings for settings, _ in every["Katz"]] == candidates("Katz", 3, 4) and len(every["Adamic-Adar"]) == 1


def test_the_first_round_always_counts_and_a_spent_budget_ends_the_search() -> None:
    assert {len(tried) for tried in search(["GCN", "Katz"], lambda *_: 0.5, CpuBudget(1e-9)).values()} == {1}
    stopped = CpuBudget(1e9)
    stopped.interrupted = True
    with pytest.raises(de.ParameterError, match="stopped before"):
        search(["GIN"], lambda *_: 0.5, stopped)


class Clock:
    """In place of the module ``time``: time passes only when a test says so."""

    now = 5.0

    def process_time(self) -> float:
        return self.now


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> Clock:
    monkeypatch.setattr(search_module, "time", clock := Clock())
    return clock


def test_compiling_is_not_counted(clock: Clock) -> None:
    budget = CpuBudget(100.0)
    budget.may_overrun = False
    for clock.now, words in ((15.0, "compiling"), (75.0, ""), (80.0, "compiling"), (90.0, "")):
        budget.compiling(words)
    assert budget.spent() == pytest.approx(0.15) and not budget.is_set()
    clock.now = 175.0
    assert budget.is_set()


@pytest.fixture
def listed(monkeypatch: pytest.MonkeyPatch) -> list[dict[str, Any]]:
    """The settings that are tried."""
    settings: list[dict[str, Any]] = []
    monkeypatch.setattr(search_module, "candidates", lambda *_, **__: settings)
    return settings


def test_named_models_get_the_same_settings_as_fit_and_the_best_is_kept(listed: list[dict[str, Any]]) -> None:
    listed += [{"learning_rate": 1e-9}, {"hidden": 8, "learning_rate": 0.02}, {"hidden": 4}]
    tuned = de.tune(LINKS, ["GCN", "GIN"], minutes=5, epochs=4)
    for name, tried in tuned.tried.items():
        assert [settings for settings, _ in tried] == listed and tuned.best[name] == max(tried, key=lambda t: t[1])[0]
        for settings, value in tried:
            hyper = {key: v for key, v in settings.items() if key != "learning_rate"}
            run = de.fit(de.build(name, LINKS, **hyper), LINKS, 4, learning_rate=settings.get("learning_rate"))
            assert value == max(epoch.val["auc"] for epoch in run)
    assert tuned.val == pytest.approx(max(value for tried in tuned.tried.values() for _, value in tried))
    assert tuned.rounds == 3 and tuned.model.name == tuned.settings["name"] and tuned.members == [tuned.settings]
    trials = tuned.trials
    assert trials.validation.is_monotonic_decreasing and trials.chosen.tolist() == [True] + [False] * 5
    assert tuned.frame().equals(trials[["model", "validation", "settings"]])
    del listed[0], listed[1:]
    tuned = de.tune(LINKS, "GCN", minutes=1, epochs=4)
    assert (tuned.settings, tuned.options) == ({"name": "GCN", "hidden": 8}, {"learning_rate": 0.02})
    run = list(de.fit(de.build(task=LINKS, **tuned.settings), LINKS, 4, **tuned.options))
    assert de.summarize(run).test == pytest.approx(tuned.test)


def test_every_option_of_tune_has_its_effect(monkeypatch: pytest.MonkeyPatch) -> None:
    bars: list[bool] = []
    plain = search_module.progress_bar
    monkeypatch.setattr(search_module, "progress_bar", lambda shown: bars.append(shown) or plain(False))
    told: list[tuple[str, int, int]] = []

    def tuned(task: de.Task = LINKS, **options: Any) -> search_module.Tuned:
        return de.tune(task, "GCN", **{"minutes": 1e-6, "epochs": 2, **options})

    usual = tuned()
    assert usual.rounds == 1 and usual.trials.epochs.tolist() == [2] and bars == [False]
    assert tuned(epochs=3).trials.epochs.tolist() == [3]
    assert tuned(seed=5).trials.seed.tolist() == [5] and tuned(seed=5).val != usual.val
    assert tuned(progress=True).val == usual.val and bars[-1]
    tuned(seed=1, on_epoch=lambda trial, epoch: told.append((trial.name, trial.seed, epoch.number)))
    assert told == [("GCN", 1, 1), ("GCN", 1, 2)]
    for metric, task in (("accuracy", LINKS), ("mrr", de.link_task(KARATE, per_positive=4))):
        run, found = list(de.fit(de.build("GCN", task), task, 2, metric=metric)), tuned(task, metric=metric)
        assert found.val == pytest.approx(max(epoch.val[metric] for epoch in run))
        assert found.test == pytest.approx(de.summarize(run).test)
    assert 11 <= max(tuned(epochs=None).trials.epochs) <= 40  # at least ten without gain
    assert de.tune(LINKS, "Katz", minutes=1, seed=1).tried["Katz"] != de.tune(LINKS, "Katz", minutes=1).tried["Katz"]
    wrong = {"minutes": 0, "epochs": 0, "seed": -1, "metric": "mrr", "device": "gpu9"}
    for name, value in wrong.items():
        with pytest.raises(de.ParameterError, match=f"{name}|gpu9"):
            tuned(**{name: value})


def test_a_trial_that_cannot_be_built_or_trained_loses_nothing(
    monkeypatch: pytest.MonkeyPatch, listed: list[dict[str, Any]]
) -> None:
    listed += [{"hidden": 4}, {"hidden": 0}, {"hidden": 5}]  # a network has at least one unit
    plain = search_module.fit

    def fit(net: de.SetNet, *args: Any, **more: Any) -> Iterator[de.Epoch]:
        for epoch in plain(net, *args, **more):
            yield epoch
            if net.hyper["hidden"] == 5:
                raise KeyError("a bug in a user's model")

    monkeypatch.setattr(search_module, "fit", fit)
    tuned = de.tune(LINKS, "GCN", minutes=1, epochs=2)
    assert [value > 0 for _, value in tuned.tried["GCN"]] == [True, False, False] and tuned.settings["hidden"] == 4
    errors = {row.settings["hidden"]: row.error for row in tuned.trials.itertuples()}
    assert errors[4] == "" and "hidden" in errors[0] and errors[5].startswith("KeyError")
    del listed[0], listed[1]
    with pytest.raises(de.ParameterError, match="hidden"):
        de.tune(LINKS, "GCN", minutes=1, epochs=2)


def interrupting(after: int) -> tuple[list[str], Callable[[Trial, de.Epoch], None]]:
    """The models of the epochs so far, and a callback that presses Ctrl-C after so many."""
    epochs: list[str] = []

    def on_epoch(trial: Trial, epoch: de.Epoch) -> None:
        epochs.append(trial.name)
        if len(epochs) == after:
            raise KeyboardInterrupt

    return epochs, on_epoch


def test_ctrl_c_ends_a_search_of_named_models_with_complete_rounds() -> None:
    epochs, on_epoch = interrupting(after=6)  # in the second round
    tuned = de.tune(LINKS, ["GCN", "GIN"], minutes=1, epochs=2, on_epoch=on_epoch)
    assert tuned.rounds == 1 and len(tuned.trials) == 2 and epochs == ["GCN"] * 2 + ["GIN"] * 2 + ["GCN"] * 2


def made_up(
    monkeypatch: pytest.MonkeyPatch,
    clock: Clock,
    networks: list[tuple[float, float]],
    epochs: int | None = None,
    **placement: Any,
) -> None:
    """Networks with these (validation metric, seconds of an epoch); each ends after so many epochs."""
    looks = [("GCN", {"hidden": number + 1}) for number in range(len(networks))]

    def fit(net: de.SetNet, task: de.Task, most: int, *, seed: int, **_: Any) -> Iterator[de.Epoch]:
        value, seconds = networks[net.hyper["hidden"] - 1]
        net.placement = SimpleNamespace(**{"where": "cpu", "nbytes": 0, **placement})
        for number in range(1, min(most, epochs or most) + 1):
            clock.now += seconds
            yield de.Epoch(number, 1.0, {}, {"auc": value}, {}, seconds)

    monkeypatch.setattr(search_module, "first_look", lambda task: looks)
    monkeypatch.setattr(search_module, "fit", fit)


def test_the_better_half_of_the_networks_gets_the_time_that_is_left(
    monkeypatch: pytest.MonkeyPatch, clock: Clock
) -> None:
    made_up(monkeypatch, clock, [(0.5 + k / 100, 0.02 if k % 2 else 0.01) for k in range(8)])
    trials = de.tune(LINKS, minutes=2, epochs=10**6).trials.sort_values("validation")
    total = 0.9 * 120  # the rest is for the test
    first, second, last = 0.3 * total / 8, 0.25 * total / 4, 0.45 * total / 2
    expected = [first] * 4 + [first + second] * 2 + [first + second + last] * 2
    assert trials.cpu_seconds.tolist() == pytest.approx(expected, abs=0.1)
    assert (trials.epochs * np.where(np.arange(8) % 2, 0.02, 0.01)).tolist() == pytest.approx(expected, abs=0.1)
    assert trials.chosen.tolist() == [False] * 6 + [True] * 2


def test_time_that_is_left_goes_to_copies_of_the_best_with_other_weights(
    monkeypatch: pytest.MonkeyPatch, clock: Clock
) -> None:
    made_up(monkeypatch, clock, [(0.5 + k / 100, 0.01) for k in range(5)], epochs=130)
    trials = de.tune(LINKS, minutes=1, epochs=200, seed=3).trials
    originals, copies = trials[trials.seed == 3], trials[trials.seed != 3]
    assert len(originals) == 5 and copies.seed.tolist() == [3 + 1000 * k for k in (1, 3, 5, 2, 4, 6)]
    hidden = copies.settings.map(lambda settings: settings["hidden"]).tolist()
    assert hidden == [5, 5, 5, 4, 4, 4]  # of the two best, in turn
    assert trials.epochs.tolist() == [130] * len(trials) and trials.chosen.sum() == 8
    made_up(monkeypatch, clock, [(0.5, 0.1), (0.6, 0.1)], epochs=130)  # 26 of 27 seconds
    assert len(de.tune(LINKS, minutes=0.5, epochs=200).trials) == 2


def test_the_first_network_is_always_looked_at_and_no_other_begins_too_late(
    monkeypatch: pytest.MonkeyPatch, clock: Clock
) -> None:
    made_up(monkeypatch, clock, [(0.5, 1.0)] * 5, epochs=10)
    assert len(de.tune(LINKS, minutes=1e-6, epochs=200).trials) == 1
    trials = de.tune(LINKS, minutes=1, epochs=200).trials  # a third of the time is spent after the second
    assert (trials.seed == 0).sum() == 2 and set(trials.epochs) == {10}


@pytest.mark.parametrize(("where", "begun"), [("cpu", 2), ("streamed", 5)])
def test_no_more_networks_begin_than_there_is_room_for(
    monkeypatch: pytest.MonkeyPatch, clock: Clock, where: str, begun: int
) -> None:
    made_up(monkeypatch, clock, [(0.5, 0.1)] * 5, epochs=10, where=where, nbytes=3 * 10**9)
    trials = de.tune(LINKS, minutes=1, epochs=10).trials
    assert (trials.seed == 0).sum() == begun


def test_a_free_search_chooses_by_validation_and_gives_a_model_like_any_other(tmp_path: Path) -> None:
    task = de.link_task(KARATE, split=(0.7, 0.15, 0.15))
    wrong = replace(task, test=replace(task.test, labels=1 - task.test.labels))
    tuned, other = (de.tune(each, minutes=5, epochs=2) for each in (task, wrong))
    assert tuned.trials.drop(columns="cpu_seconds").equals(other.trials.drop(columns="cpu_seconds"))
    assert tuned.val == other.val and tuned.test == pytest.approx(1 - other.test)  # nothing is chosen by test sets
    trials = tuned.trials
    assert len(trials) == 1 + 8 + 6 and tuned.settings["name"] == trials.model[trials.chosen].iloc[0]
    members = getattr(tuned.model, "nets", [tuned.model])
    assert [net.name for net in members] == trials.model[trials.chosen].tolist()
    rebuilt = [de.build(task=task, **member) for member in tuned.members]
    assert [(net.name, net.hyper) for net in rebuilt] == [(net.name, net.hyper) for net in members]
    for part, value in (("val", tuned.val), ("test", tuned.test)):
        asked = getattr(task, part)
        scores = de.predict(tuned.model, task.graph, asked.sets)
        assert metrics(scores.astype(np.float32), asked.labels)["auc"] == pytest.approx(value)
    again = de.load_model(de.save(tuned.model, tmp_path / "tuned.safetensors"))
    assert de.predict(again, task.graph, task.test.sets) == pytest.approx(
        de.predict(tuned.model, task.graph, task.test.sets))  # fmt: skip


def test_a_free_search_that_is_stopped_or_fails_ends_with_what_it_has(monkeypatch: pytest.MonkeyPatch) -> None:
    stop, plain = threading.Event(), search_module.fit
    stop.set()
    with watching(stop=stop), pytest.raises((de.ParameterError, Cancelled)):
        de.tune(LINKS, minutes=1)

    def fit(net: de.SetNet, *args: Any, **more: Any) -> Iterator[de.Epoch]:
        if net.name == "DE-GNN-SPD" and not more["learning_rate"]:
            raise de.ParameterError("The loss is not a number.")
        return plain(net, *args, **more)

    monkeypatch.setattr(search_module, "fit", fit)
    epochs, on_epoch = interrupting(after=4)
    tuned = de.tune(LINKS, minutes=1, on_epoch=on_epoch)
    assert len(epochs) == 4 and tuned.test > 0 and (tuned.trials.error != "").sum() == 2
    assert tuned.trials.validation.tolist()[-2:] == [-math.inf] * 2
    monkeypatch.setattr(search_module, "fit", lambda *_, **__: 1 / 0)
    with pytest.raises(de.ParameterError, match="ZeroDivisionError"):
        de.tune(LINKS, minutes=1)


def test_what_is_tried_first_depends_on_the_task(monkeypatch: pytest.MonkeyPatch) -> None:
    (walks, *networks), roles = first_look(LINKS), first_look(de.role_task(KARATE))
    assert walks == ("walk profiles", {}) and len(networks) == len(roles) == 8
    for task, rate in ((LINKS, 3 * MODELS["GCN"].load().RATE.default_for(2)), (de.role_task(KARATE), 3e-3)):
        for name, settings in first_look(task):
            de.build(name, task, **{key: value for key, value in settings.items() if key != "learning_rate"})
        rates = {settings["learning_rate"] for _, settings in first_look(task) if "learning_rate" in settings}
        assert [*rates] == pytest.approx([rate])
    rings = de.Graph.from_edges([(9 * k + i, 9 * k + (i + 1) % 9) for k in range(6) for i in range(9)])
    far_apart = first_look(de.link_task(rings, max_positives=3))
    far = [settings["max_dist"] for _, settings in far_apart if "max_dist" in settings]
    assert far == [8, 8, 8, 10, 8, 10]  # around a ring; those for far-away pairs see ten
    assert roles[0][1]["max_dist"] == 3
    monkeypatch.setattr(de.Graph, "num_edges", 10**8)  # walks in a graph of this size take too long
    assert first_look(LINKS) == networks


class Fixed(de.SetNet):
    """Gives these logits."""

    def __init__(self, logits: list[float], learns: bool) -> None:
        super().__init__("fixed", de.Shape(p=2, num_classes=2), {})
        self.logits, self.learns = logits, learns  # type: ignore[misc]

    def prepare(self, graph: de.Graph, sets: Any) -> de.Rows:
        return de.Rows((torch.tensor(self.logits),))

    def forward(self, batch: torch.Tensor) -> torch.Tensor:
        return batch


def trial(logits: list[float], best: float, learns: bool = True, **more: Any) -> Trial:
    return Trial("fixed", {}, 0, Fixed(logits, learns), iter(()), best=best, **more)


@pytest.mark.parametrize(
    ("networks", "formula", "chosen"),
    [
        ([3.0, 2.0, 1.0, 0.0], [0.0, 9.0, 0.0, 9.0], [True, False]),  # of two links, two pairs without
        ([0.0, 9.0, 0.0, 9.0], [3.0, 2.0, 1.0, 0.0], [False, True]),
        ([3.0, 0.0, 1.0, 0.0], [0.0, 3.0, 1.0, 0.0], [True, True]),  # each misses one of the links
        ([3.0, 2.0, 1.0, 0.0], [3.0, 2.0, 1.0, 0.0], [True, True]),
    ],
)
def test_validation_decides_whether_networks_formulas_or_both_judge(
    networks: list[float], formula: list[float], chosen: list[bool]
) -> None:
    sets, labels = np.array([[0, 1], [0, 2], [9, 20], [9, 21]]), np.array([1, 1, 0, 0])
    task = replace(LINKS, val=replace(LINKS.val, sets=sets, labels=labels))
    auc = [metrics(np.array(logits), labels)["auc"] for logits in (networks, formula)]
    ranked = [trial(networks, auc[0]), trial(formula, auc[1], learns=False)]
    assert [one in choose_members(task, ranked) for one in ranked] == chosen


def test_networks_close_to_the_best_judge_with_it_unless_they_were_dropped() -> None:
    ranked = [trial([1.0], 0.9 - k / 100, dropped=k == 1) for k in range(4)]
    assert choose_members(LINKS, ranked) == [ranked[0], ranked[2]]
    many = [trial([1.0], 0.9) for _ in range(10)]
    assert choose_members(LINKS, many) == many[:8]
