"""Settings chosen on validation: as many for every model, within the time, and never by the test sets."""

from __future__ import annotations

import threading
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest
import torch

import degnn_explore as de
from degnn_explore.learn.choosing.ensemble import Ensemble
from degnn_explore.learn.choosing.halving import Trial, first_look, halve, together
from degnn_explore.learn.metrics import metrics
from degnn_explore.studies import tuning
from degnn_explore.studies.plan import Plan
from degnn_explore.studies.storage.store import Store
from degnn_explore.studies.tuning import SPACE, StoreTrial, candidates, search

KARATE = de.load("karate")


def test_candidates_begin_with_the_defaults_are_of_the_grid_and_differ() -> None:
    listed = candidates("DE-GNN-SPD", 2)
    assert listed[0] == {}
    assert len(listed) == 30 == len({str(sorted(settings.items())) for settings in listed})
    assert all(value in SPACE[name] for settings in listed for name, value in settings.items())
    assert candidates("DE-GNN-SPD", 2) == listed != candidates("DE-GNN-SPD", 2, seed=1)
    assert all("learning_rate" not in settings for settings in candidates("Katz", 2))


def test_every_model_is_given_as_many_settings_and_the_best_on_validation_is_taken() -> None:
    seen: list[dict[str, dict[str, object]]] = []

    def trial(settings: dict[str, dict[str, object]], deadline: float) -> dict[str, float] | None:
        seen.append(settings)
        if len(seen) == 4:
            return None  # this round was not finished in time: it counts for nobody
        return {model: 0.5 + 0.1 * len(seen) - 0.3 * (model == "GCN") * len(seen) for model in settings}

    found = search(["GCN", "GIN"], 2, 1.0, trial)
    assert found.rounds == 3
    assert {model: len(values) for model, values in found.tried.items()} == {"GCN": 3, "GIN": 3}
    assert found.best == {"GCN": {}, "GIN": seen[2]["GIN"]}
    frame = found.frame()
    assert frame[frame.model == "GIN"].validation.tolist() == pytest.approx([0.8, 0.7, 0.6])


def test_the_time_ends_the_search_after_a_whole_round(monkeypatch: pytest.MonkeyPatch) -> None:
    clock = [0.0]
    monkeypatch.setattr(tuning, "time", SimpleNamespace(monotonic=lambda: clock[0]))

    def trial(settings: dict[str, dict[str, object]], deadline: float) -> dict[str, float]:
        clock[0] += 0.05
        return dict.fromkeys(settings, 0.5)

    assert search(["GIN"], 2, 0.04 / 60, trial).rounds == 1
    assert search(["GIN"], 2, 0.06 / 60, trial).rounds == 2
    with pytest.raises(de.ParameterError, match="stopped before every model was tried once"):
        search(["GIN"], 2, 1.0, lambda settings, deadline: None)
    with pytest.raises(de.ParameterError, match="minutes must be"):
        search(["GIN"], 2, 0, trial)


def test_tune_trains_by_the_validation_sets() -> None:
    task = de.link_task(KARATE)
    tuned = de.tune(task, ["GCN", "Katz"], minutes=0.02, epochs=2)
    (defaults,) = (value for settings, value in tuned.tried["GCN"] if not settings)
    run = list(de.fit(de.build("GCN", task), task, 2, patience=10))
    assert defaults == max(epoch.val["auc"] for epoch in run)
    with pytest.raises(de.ParameterError, match="tune needs a task"):
        de.tune(KARATE)  # type: ignore[arg-type]


def test_a_plan_may_have_settings_for_one_model() -> None:
    plan = Plan(KARATE, "links", ["GCN", "GIN"], hyper={"layers": 2}, own={"GIN": {"layers": 3, "learning_rate": 0.01}})
    assert [plan.settings(model)[0]["layers"] for model in ("GCN", "GIN")] == [2, 3]
    assert [plan.settings(model)[1]["learning_rate"] for model in ("GCN", "GIN")] == [1e-3, 1e-2]
    plan.check()


def test_a_search_in_a_store_keeps_its_runs_and_can_be_stopped(tmp_path: Path) -> None:
    plan = Plan(KARATE, "links", ["Adamic-Adar", "Katz"], seeds=3, epochs=2)
    told: list[tuple[int, ...]] = []
    store = Store(tmp_path)
    trial = StoreTrial(plan, store, 1, lambda *given: told.append(given))
    found = search(plan.models, 2, 5.0, trial)
    assert found.rounds == 4
    assert len(store.runs(task="links", digest=plan.digest)) == 5  # four of Katz, one of a formula without settings
    chosen = found.best["Katz"]
    assert (
        max(value for _, value in found.tried["Katz"])
        == dict((str(settings), value) for settings, value in found.tried["Katz"])[str(chosen)]
    )
    trial.cancel()
    with pytest.raises(de.ParameterError, match="stopped before"):
        search(plan.models, 2, 5.0, trial)


# ---- without names: the time goes where it pays ---------------------------------------------------------------------


def test_without_names_a_few_networks_are_chosen_on_validation_and_judge_together(tmp_path: Path) -> None:
    task = de.link_task(KARATE, split=(0.7, 0.15, 0.15))
    tuned = de.tune(task, minutes=0.05, epochs=3)
    trials = tuned.trials
    assert trials.validation.is_monotonic_decreasing
    assert tuned.settings["model"] == trials.model[trials.chosen].iloc[0]
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


def test_worse_networks_leave_and_time_that_is_left_goes_to_the_best_settings() -> None:
    task = de.link_task(KARATE)
    trials = de.tune(task, minutes=5, epochs=2).trials
    assert len(trials) == 1 + 8 + 4  # all ended early: four copies of the four best, from other weights
    copies = trials[trials.seed > 0]
    best = trials[(trials.seed == 0) & (trials.model != "walk profiles")].head(4)
    assert copies.seed.is_unique and len(copies) == 4
    assert sorted(map(str, copies.settings)) == sorted(map(str, best.settings))


def test_a_search_that_is_stopped_ends_with_what_it_has() -> None:
    task, stop = de.link_task(KARATE), threading.Event()
    stop.set()
    with pytest.raises(de.ParameterError, match="stopped before a network was trained for one epoch"):
        de.tune(task, minutes=1, stop=stop)
    heard: list[str] = []

    def tell(words: str, share: float) -> None:
        heard.append(words)
        if len(heard) == 3:
            stop.set()

    stop.clear()
    ranked = halve(task, 1.0, 5, 0, "cpu", stop, tell)
    assert heard[:2] == ["a look at walk profiles", "a look at DE-GNN-SPD"]
    assert 2 <= len(ranked) <= 3 and together(task, ranked)[0] in ranked


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
    assert [trial in together(task, ranked) for trial in ranked] == chosen


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
    monkeypatch.setattr("degnn_explore.learn.choosing.halving._WALKED", 1000)
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
    assert tuned.model is not None and tuned.model.name == best[1] == tuned.settings["model"]
    assert tuned.val == pytest.approx(best[0]) and tuned.trials.chosen.sum() == 1


def test_an_ensemble_is_the_mean_of_its_members_logits_and_sums_up_what_they_see() -> None:
    task = de.link_task(KARATE)
    nets = [de.build(name, task, hidden=8, seed=3) for name in ("GCN", "DE-GNN-LP")]
    both = Ensemble(nets)
    logits = [np.log(p := de.predict(net, task.graph, task.test.sets)) - np.log(1 - p) for net in [*nets, both]]
    assert (logits[0] + logits[1]) / 2 == pytest.approx(logits[2], abs=1e-5)
    assert both.horizon == 2 and de.explain(both, task.graph, {0, 9}).edges.shape[0] > 0
    with pytest.raises(de.ParameterError, match="networks for the same task"):
        Ensemble([*nets, de.build("GCN", de.role_task(KARATE))])
