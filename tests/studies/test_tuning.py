"""Settings chosen on validation: as many for every model, within the time, and never by the test sets."""

from __future__ import annotations

import time
from pathlib import Path

import pytest

import degnn_explore as de
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


def test_the_time_ends_the_search_after_a_whole_round() -> None:
    def trial(settings: dict[str, dict[str, object]], deadline: float) -> dict[str, float]:
        time.sleep(0.05)
        return dict.fromkeys(settings, 0.5)

    assert search(["GIN"], 2, 0.001 / 60, trial).rounds == 1
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
