"""Settings chosen on validation: as many for every model, within the time, and never by the test sets."""

from __future__ import annotations

import math
import threading
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest
import torch

import degnn_explore as de
from degnn_explore.common.progress import Cancelled, watching
from degnn_explore.learn.ensemble import Ensemble
from degnn_explore.learn.metrics import metrics
from degnn_explore.studies import search as search_module
from degnn_explore.studies.search import (
    SPACE,
    CpuBudget,
    Trial,
    candidates,
    choose_members,
    first_look,
    promote,
    rung_sizes,
    search,
)

KARATE = de.load("karate")


def test_candidates_begin_with_the_defaults_are_of_the_grid_and_differ() -> None:
    listed = candidates("DE-GNN-SPD", 2)
    assert listed[0] == {}
    assert len(listed) == 30 == len({str(sorted(settings.items())) for settings in listed})
    assert all(value in SPACE[name] for settings in listed for name, value in settings.items())
    assert candidates("DE-GNN-SPD", 2) == listed != candidates("DE-GNN-SPD", 2, seed=1)
    assert all("learning_rate" not in settings for settings in candidates("Katz", 2))


def test_every_model_is_given_as_many_settings_and_only_whole_rounds_count() -> None:
    budget, seen = CpuBudget(1e9), list[tuple[str, str]]()

    def evaluate(model: str, settings: dict[str, object]) -> float:
        seen.append((model, str(settings)))
        budget.interrupted = len(seen) == 7  # in the middle of the fourth round
        return len(seen) / 10

    tried = search(["GCN", "GIN"], evaluate, budget)
    assert {model: [value for _, value in values] for model, values in tried.items()} == {
        "GCN": [0.1, 0.3, 0.5], "GIN": [0.2, 0.4, 0.6]}  # fmt: skip
    again = list(seen)
    seen.clear()
    budget.interrupted = False
    search(["GCN", "GIN"], evaluate, budget)
    assert seen == again  # the same seed, the same settings in the same order


def test_the_first_round_always_counts_and_a_spent_budget_ends_the_search() -> None:
    spent = CpuBudget(1e-9)
    assert {len(values) for values in search(["GCN", "Katz"], lambda *_: 0.5, spent).values()} == {1}
    stopped = CpuBudget(1e9)
    stopped.interrupted = True
    with pytest.raises(de.ParameterError, match="stopped before every model was tried once"):
        search(["GIN"], lambda *_: 0.5, stopped)


def test_compiling_is_not_counted(monkeypatch: pytest.MonkeyPatch) -> None:
    clock = iter([0.0, 10.0, 70.0, 72.0])  # it begins, compiles from 10 to 70, and is asked at 72
    monkeypatch.setattr(search_module, "time", SimpleNamespace(process_time=lambda: next(clock)))
    budget = CpuBudget(100.0)
    budget.compiling("compiling")
    budget.compiling("")
    assert budget.spent() == pytest.approx(0.12)


def test_promotion_keeps_the_best_and_failures_are_last() -> None:
    assert promote({0: -math.inf, 1: 0.3, 2: 0.9, 3: 0.9}, 2) == [2, 3]
    assert promote({0: -math.inf, 1: -math.inf}, 1) == [0]
    assert rung_sizes(16, 3, 3) == [16, 6, 2]


@pytest.mark.parametrize("models", [["GCN", "SAGE"], None])
def test_a_trial_that_fails_or_diverges_counts_as_minus_infinity_and_loses_nothing(
    models: list[str] | None, monkeypatch: pytest.MonkeyPatch
) -> None:
    plain, calls = search_module.fit, 0

    def fit(net: de.SetNet, *args: object, **more: object) -> object:
        nonlocal calls
        calls += 1
        if calls % 2:
            return (_fail() for _ in range(1))
        return plain(net, *args, **more)  # type: ignore[arg-type]

    monkeypatch.setattr(search_module, "fit", fit)
    tuned = de.tune(de.link_task(KARATE), models, minutes=0.05, epochs=2)
    values = [value for tried in tuned.tried.values() for _, value in tried]
    assert -math.inf in values and max(values) > 0 and tuned.model is not None and tuned.val > 0


def _fail() -> object:
    raise de.ParameterError("The loss is not a number; lower learning_rate.")


def test_settings_that_a_model_cannot_be_built_or_trained_with_do_not_end_the_search(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    listed = [{"hidden": 4}, {"hidden": 0}, {"hidden": 5}]  # a network has at least one unit
    monkeypatch.setattr(search_module, "candidates", lambda *_, **__: listed)
    plain = search_module.fit

    def fit(net: de.SetNet, *args: object, **more: object) -> object:
        if net.hyper["hidden"] == 5:
            raise KeyError("a bug in somebody's model")
        return plain(net, *args, **more)  # type: ignore[arg-type]

    monkeypatch.setattr(search_module, "fit", fit)
    tuned = de.tune(de.link_task(KARATE), "GCN", minutes=1, epochs=2)
    assert [value > 0 for _, value in tuned.tried["GCN"]] == [True, False, False]
    assert tuned.settings["hidden"] == 4
    errors = tuned.trials.set_index(tuned.trials.settings.map(lambda settings: settings["hidden"])).error
    assert errors[4] == "" and "hidden" in errors[0] and "KeyError" in errors[5]


def test_settings_rebuild_the_chosen_model_and_members_lists_all() -> None:
    task = de.link_task(KARATE)
    tuned = de.tune(task, ["GCN", "DE-GNN-SPD"], minutes=0.05, epochs=2)
    built = de.build(task=task, **tuned.settings)
    assert tuned.model is not None and (built.name, built.hyper) == (tuned.model.name, tuned.model.hyper)
    assert tuned.members == [tuned.settings]
    several = de.tune(task, minutes=0.05, epochs=3)
    nets = getattr(several.model, "nets", [several.model])
    assert [de.build(task=task, **member).name for member in several.members] == [net.name for net in nets]
    assert [de.build(task=task, **member).hyper for member in several.members] == [net.hyper for net in nets]


def test_settings_and_options_train_the_chosen_model_once_more(monkeypatch: pytest.MonkeyPatch) -> None:
    listed = [{"learning_rate": 1e-9}, {"hidden": 8, "learning_rate": 0.02}]
    monkeypatch.setattr(search_module, "candidates", lambda *_, **__: listed)
    task = de.link_task(KARATE)
    tuned = de.tune(task, "GCN", minutes=1, epochs=4)
    assert (tuned.settings, tuned.options) == ({"name": "GCN", "hidden": 8}, {"learning_rate": 0.02})
    run = list(de.fit(de.build(task=task, **tuned.settings), task, 4, **tuned.options))
    assert max(epoch.val["auc"] for epoch in run) == pytest.approx(tuned.val)


def test_one_model_may_be_named_without_a_list_and_every_epoch_is_told() -> None:
    heard: list[tuple[str, int]] = []
    tuned = de.tune(
        de.link_task(KARATE), "GCN", minutes=1e-6, epochs=2, on_epoch=lambda t, e: heard.append((t.name, e.number))
    )
    assert list(tuned.tried) == ["GCN"] and heard[:2] == [("GCN", 1), ("GCN", 2)]


def test_every_option_of_tune_has_its_effect(monkeypatch: pytest.MonkeyPatch) -> None:
    task = de.link_task(KARATE)
    bars: list[bool] = []
    plain = search_module.progress_bar
    monkeypatch.setattr(search_module, "progress_bar", lambda shown: (bars.append(shown), plain(False))[1])

    def tuned(**options: object) -> search_module.Tuned:
        return de.tune(task, "GCN", **{"minutes": 1e-6, "epochs": 2, **options})  # type: ignore[arg-type]

    usual = tuned()
    assert usual.rounds == 1 and usual.trials.epochs.tolist() == [2] and bars == [False]
    assert tuned(epochs=3).trials.epochs.tolist() == [3]
    assert tuned(seed=5).trials.seed.tolist() == [5] and tuned(seed=5).val != usual.val
    assert tuned(progress=True).val == usual.val and bars[-1]
    by_accuracy = tuned(metric="accuracy")
    run = list(de.fit(de.build("GCN", task), task, 2, patience=10, metric="accuracy"))
    assert by_accuracy.val == max(epoch.val["accuracy"] for epoch in run) != usual.val
    with pytest.raises(de.ParameterError, match="gpu9"):
        tuned(device="gpu9")
    assert de.tune(task, "Katz", minutes=1, seed=1).tried["Katz"] != de.tune(task, "Katz", minutes=1).tried["Katz"]


def test_tune_trains_by_the_validation_sets() -> None:
    task = de.link_task(KARATE)
    tuned = de.tune(task, ["GCN", "Katz"], minutes=0.02, epochs=2)
    (defaults,) = (value for settings, value in tuned.tried["GCN"] if not settings)
    run = list(de.fit(de.build("GCN", task), task, 2, patience=10))
    assert defaults == max(epoch.val["auc"] for epoch in run)
    with pytest.raises(de.ParameterError, match="tune needs a task"):
        de.tune(KARATE)  # type: ignore[arg-type]


# ---- without names: the time goes where it pays ---------------------------------------------------------------------


def test_without_names_a_few_networks_are_chosen_on_validation_and_judge_together(tmp_path: Path) -> None:
    task = de.link_task(KARATE, split=(0.7, 0.15, 0.15))
    tuned = de.tune(task, minutes=0.05, epochs=3)
    trials = tuned.trials
    assert trials.validation.is_monotonic_decreasing
    assert tuned.settings["name"] == trials.model[trials.chosen].iloc[0]
    networks = trials[trials.model != "walk profiles"]
    assert (networks.validation[networks.chosen] >= networks.validation.max() - 0.02).all()
    members = [tuned.model] if trials.chosen.sum() == 1 else tuned.model.nets  # type: ignore[union-attr]
    assert [net.name for net in members] == trials.model[trials.chosen].tolist()
    for part, value in (("val", tuned.val), ("test", tuned.test)):
        asked = getattr(task, part)
        scores = de.predict(tuned.model, task.graph, asked.sets)  # type: ignore[arg-type]
        assert metrics(scores.astype(np.float32), asked.labels)["auc"] == pytest.approx(value)
    again = de.load_model(de.save(tuned.model, tmp_path / "tuned.safetensors"))  # type: ignore[arg-type]
    same = de.predict(again, task.graph, task.test.sets)
    assert same == pytest.approx(de.predict(tuned.model, task.graph, task.test.sets))  # type: ignore[arg-type]


def test_what_is_chosen_does_not_depend_on_the_labels_of_the_test_sets() -> None:
    task = de.link_task(KARATE)
    wrong = replace(task, test=replace(task.test, labels=1 - task.test.labels))
    first, second = (de.tune(each, minutes=5, epochs=2) for each in (task, wrong))
    shared = ["model", "validation", "seed"]
    assert first.trials[shared].equals(second.trials[shared]) and first.val == second.val
    assert first.test == pytest.approx(1 - second.test)


def test_positives_that_are_far_apart_are_given_a_large_max_dist() -> None:
    rings = de.Graph.from_edges([(9 * k + i, 9 * k + (i + 1) % 9) for k in range(6) for i in range(9)])
    assert first_look(de.link_task(KARATE))[1] == ("DE-GNN-SPD", {"max_dist": 3})
    assert first_look(de.link_task(rings, max_positives=3))[1][1]["max_dist"] == 8  # around the ring
    assert first_look(de.role_task(KARATE))[0][1]["max_dist"] == 3


def test_every_rung_drops_networks_and_time_that_is_left_goes_to_the_best_settings() -> None:
    trials = de.tune(de.link_task(KARATE), minutes=5, epochs=2).trials
    assert len(trials) == 1 + 8 + 6  # all ended early: eight, four, two; then six copies of the two best
    copies, networks = trials[trials.seed > 0], trials[(trials.seed == 0) & (trials.model != "walk profiles")]
    best = networks.head(2)
    assert (copies.epochs == 2).all()
    assert not networks.chosen[2:].any()  # dropped networks do not judge, however close they are
    assert copies.seed.is_unique and set(map(str, copies.settings)) == set(map(str, best.settings))


def test_a_search_that_is_stopped_ends_with_what_it_has() -> None:
    task, stop = de.link_task(KARATE), threading.Event()
    stop.set()
    with watching(stop=stop), pytest.raises((de.ParameterError, Cancelled)):
        de.tune(task, minutes=1)
    stop.clear()
    epochs = 0

    def on_epoch(trial: object, epoch: object) -> None:
        nonlocal epochs
        epochs += 1
        if epochs == 3:
            raise KeyboardInterrupt

    assert de.tune(task, minutes=1, on_epoch=on_epoch).test > 0 and epochs == 3


class Fixed(de.SetNet):
    """Says what it is told."""

    def __init__(self, said: list[float], learns: bool) -> None:
        super().__init__("fixed", de.Shape(p=2, num_classes=2), {})
        self.said, self.learns = said, learns  # type: ignore[misc]

    def prepare(self, graph: de.Graph, sets: np.ndarray, **_: object) -> de.Rows:
        return de.Rows((torch.tensor(self.said)[: len(sets)],))

    def forward(self, batch: torch.Tensor) -> torch.Tensor:
        return batch


@pytest.mark.parametrize(
    ("networks", "formula", "chosen"),
    [
        ([3.0, 2.0, 1.0, 0.0], [0.0, 9.0, 0.0, 9.0], [True, False]),  # validation sets: two links, two pairs without
        ([0.0, 9.0, 0.0, 9.0], [3.0, 2.0, 1.0, 0.0], [False, True]),
        ([3.0, 0.0, 1.0, 0.0], [0.0, 3.0, 1.0, 0.0], [True, True]),  # each misses one of the links
        ([3.0, 2.0, 1.0, 0.0], [3.0, 2.0, 1.0, 0.0], [True, True]),
    ],
)
def test_validation_says_whether_networks_formulas_or_both_judge(
    networks: list[float], formula: list[float], chosen: list[bool]
) -> None:
    sets, labels = np.array([[0, 1], [0, 2], [9, 20], [9, 21]]), np.array([1, 1, 0, 0])
    task = de.link_task(KARATE)
    task = replace(task, val=replace(task.val, sets=sets, labels=labels))
    ranked = [Trial("fixed", {}, 0, Fixed(said, learns), iter(()), best=metrics(np.array(said), labels)["auc"])
              for said, learns in ((networks, True), (formula, False))]  # fmt: skip
    assert [trial in choose_members(task, ranked) for trial in ranked] == chosen


def test_a_network_that_was_dropped_does_not_judge_however_good_it_was() -> None:
    task = de.link_task(KARATE)
    ranked = [
        Trial("fixed", {}, 0, Fixed([1.0], True), iter(()), best=0.9, dropped=dropped) for dropped in (True, False)
    ]
    assert choose_members(task, ranked) == ranked[1:]


def test_a_formula_has_half_of_the_say_in_an_ensemble() -> None:
    nets = [Fixed([1.0], True), Fixed([2.0], True), Fixed([6.0], True), Fixed([7.0], False)]
    data = (several := Ensemble(nets)).prepare(KARATE, np.array([[0, 1]]))
    assert several(data.batch([0])).tolist() == [5.0]


def test_pairs_are_judged_by_walk_profiles_where_the_graph_is_not_too_large(monkeypatch: pytest.MonkeyPatch) -> None:
    def tried(task: de.Task) -> list[str]:
        return [name for name, _ in first_look(task)]

    assert "walk profiles" in tried(de.link_task(KARATE))
    for other in (de.role_task(KARATE), de.triangle_task(KARATE)):
        assert tried(other) == [name for name in tried(de.link_task(KARATE)) if name != "walk profiles"]
    monkeypatch.setattr("degnn_explore.studies.search._WALKED", 1000)
    assert "walk profiles" not in tried(de.link_task(KARATE))


def test_however_short_the_time_walk_profiles_and_one_network_are_looked_at() -> None:
    tuned = de.tune(de.link_task(KARATE), minutes=1e-6)
    assert sorted(tuned.trials.model) == ["DE-GNN-SPD", "walk profiles"]


def test_roles_are_tuned_too() -> None:
    task = de.role_task(KARATE)
    tuned = de.tune(task, minutes=0.02, epochs=2)
    assert 0 <= tuned.test <= 1 and de.predict(tuned.model, task.graph, [{3}]).shape == (1,)  # type: ignore[arg-type]


def test_named_models_leave_the_best_of_them_trained() -> None:
    task = de.link_task(KARATE)
    tuned = de.tune(task, ["GCN", "Katz"], minutes=0.02, epochs=2)
    best = max(((value, model) for model, tried in tuned.tried.items() for _, value in tried))
    assert tuned.model is not None and tuned.model.name == best[1] == tuned.settings["name"]
    assert tuned.val == pytest.approx(best[0]) and tuned.trials.chosen.sum() == 1


def test_an_ensemble_is_the_mean_of_its_members_logits_and_sums_up_what_they_see() -> None:
    task = de.link_task(KARATE)
    nets = [de.build(name, task, hidden=8, seed=3) for name in ("GCN", "DE-GNN-LP")]
    both = Ensemble(nets)
    logits = [np.log(p := de.predict(net, task.graph, task.test.sets)) - np.log(1 - p) for net in [*nets, both]]
    assert (logits[0] + logits[1]) / 2 == pytest.approx(logits[2], abs=1e-5)
    assert both.horizon == 2 and de.explain(both, task.graph, {0, 9}).edges.shape[0] > 0
    assert both.inductive and de.predict(both, de.load("lesmis"), [{0, 9}]).shape == (1,)
    pgnn = de.build("PGNN", task, anchor_sets=4, hidden=8)
    list(de.fit(pgnn, task, epochs=1))
    mixed = Ensemble([nets[0], pgnn])
    assert not mixed.inductive and de.predict(mixed, task.graph, [{0, 9}]).shape == (1,)
    with pytest.raises(de.ParameterError, match="transductive"):
        de.predict(mixed, de.load("lesmis"), [{0, 9}])
    with pytest.raises(de.ParameterError, match="networks for the same task"):
        Ensemble([*nets, de.build("GCN", de.role_task(KARATE))])
