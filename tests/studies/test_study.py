"""Studies: trained, searched, interrupted, carried to another machine, shown. Without worker processes."""

from __future__ import annotations

import re
import shutil
import sys
from collections.abc import Iterator
from dataclasses import replace
from itertools import product
from pathlib import Path
from typing import Any

import pandas as pd
import pytest

import degnn_explore as de
from degnn_explore.studies.runs import Run, RunSpec
from degnn_explore.studies.study import Cell, StudyProgress
from degnn_explore.studies.study_file import make_config
from tests.studies import in_process as helpers
from tests.studies.in_process import KARATE, Scripting, trained, written

pytestmark = pytest.mark.usefixtures("in_process")
DEMO = Path(de.__file__).parents[1] / "studies" / "demo.toml"


def small(folder: Path, **more: Any) -> de.Study:
    """A study of few runs, of a single epoch each."""
    return de.study(**{"graphs": "karate", "models": "GCN", "seeds": 1, "epochs": 1, "store": folder, **more})


@pytest.fixture(scope="module")
def demo(tmp_path_factory: pytest.TempPathFactory) -> Iterator[de.Study]:
    study = de.study(DEMO, store=tmp_path_factory.mktemp("demo"))
    with helpers.in_process():
        study.run(1, progress=False)
    yield study


def test_a_study_searches_and_trains_everything_once(demo: de.Study) -> None:
    runs = demo.store.runs()
    progress = demo.run(1, progress=False)
    assert (progress.failed, progress.left, progress.share, progress.done) == (0, 0, 1.0, len(runs))
    assert written(demo.store.folder) == len(runs) and progress.trials == sum(run.rung > 0 for run in runs)
    assert not [file for file in demo.store.folder.rglob("*") if file.is_file() and "sqlite" not in file.name]
    trials = [run for run in runs if run.rung]
    assert {run.rung for run in trials} == {1, 2} and {run.seed for run in trials} == {1000}
    assert all((run.test is None) == (run.rung > 0) and run.val is not None for run in runs)
    for one in demo.cell_results():
        cell = [run for run in trials if (run.model, run.task) == (one.model, one.task)]
        higher = [run for run in cell if run.rung == 2]
        assert all(run.trained == 3 for run in higher)
        if cell:  # four trials, two of them promoted, the best of these reported
            best = max(higher, key=lambda run: run.val or 0)
            assert len(cell) == 6 and one.settings.items() <= best.hyper.items() and one.tried == 4
            seeds = [run for run in runs if (run.model, run.task, run.rung) == (one.model, one.task, 0)]
            assert [run.seed for run in seeds] == [0, 1] and all(run.hyper == best.hyper for run in seeds)
            assert one.scores == tuple(100 * run.test for run in seeds) and seeds[0].options["epochs"] == 6


OWN = de.link_task(KARATE, seed=5)
CUT = KARATE.without_edges([(0, 1)])


@pytest.mark.parametrize(
    ("given", "expected"),
    [
        ({"options": {"patience": 1}}, {"options": {"patience": 1}}),
        ({"settings": {"GCN": {"hidden": 7}, "GIN": {"hidden": 9}}}, {"settings": {"hidden": 7}}),
        ({"epochs": 2}, {"epochs": 2}),
        ({"split": (0.5, 0.25, 0.25)}, {"split": (0.5, 0.25, 0.25)}),
        ({"protocol": ["gradients_not_reset", "own_edges_in_degrees"]},
         {"protocol": "own_edges_in_degrees + gradients_not_reset"}),
        ({"metric": "accuracy", "options": {"clip": 1.0}}, {"options": {"metric": "accuracy", "clip": 1.0}}),
        ({"per_positive": 3, "negatives": "hard", "metric": "mrr"},
         {"per_positive": 3, "negatives": "hard", "options": {"metric": "mrr"}}),
        ({"tasks": "roles"}, {"task": "roles"}),
        ({"models": ["Katz"]}, {"model": "Katz"}),
        ({"graphs": CUT}, {"graph": CUT}),
        ({"tasks": OWN, "graphs": None}, {"task": OWN}),
        ({"seeds": 2}, {}),
    ],
    ids=str,
)  # fmt: skip
def test_every_option_of_study_reaches_the_runs(
    tmp_path: Path, given: dict[str, Any], expected: dict[str, Any]
) -> None:
    study = small(tmp_path, **given)
    assert study.run(1, progress=False).left == 0
    about = {"graph": KARATE, "task": "links", "model": "GCN", "epochs": 1, **expected}
    seeds = range(given.get("seeds", 1))
    assert [run.key for run in study.store.runs()] == [RunSpec(seed=seed, **about).key for seed in seeds]
    assert all(run.status == "finished" and not run.model_file for run in study.store.runs())


def test_a_split_of_given_links_becomes_a_task_and_what_a_task_has_cannot_be_given_again(tmp_path: Path) -> None:
    split = {"valid": {"edge": KARATE.edges[:5]}, "test": {"edge": KARATE.edges[5:12]}}
    study = small(tmp_path, models="Katz", seeds=2, split=split, protocol="negatives_repeat")
    study.run(1, progress=False)
    assert [(run.sizes["val"], run.sizes["test"], run.same_split, run.protocol) for run in study.store.runs()] == [
        (10, 14, True, "negatives_repeat")] * 2  # fmt: skip
    assert study.cells()["same_split"].all() and study.cells()["seeds"].tolist() == [2]
    given = {"split": (0.6, 0.2, 0.2), "protocol": "paper", "per_positive": 5, "negatives": "hard", "graphs": "karate"}
    for name, value in given.items():
        with pytest.raises(de.ParameterError, match=f"no use for {name}"):
            small(tmp_path, tasks=OWN, **{"graphs": None, name: value})
    with pytest.raises(de.ParameterError, match="gpu9"):
        small(tmp_path, device="gpu9").check()


def test_a_callback_sees_every_epoch_once_and_no_test_result_of_a_trial(tmp_path: Path) -> None:
    seen: list[tuple[int, int, bool]] = []

    def on_epoch(run: Run, epoch: de.Epoch) -> None:
        seen.append((run.rung, epoch.number, bool(epoch.test)))

    search = {"trials": 2, "rungs": [2], "seeds": [1000], "space": {"hidden": [8]}}
    small(tmp_path, search=search, epochs=3, on_epoch=on_epoch).only(seeds=1).run(1, progress=False)
    assert seen == [(1, n, False) for n in (1, 2)] * 2 + [(0, n, True) for n in (1, 2, 3)]


def test_a_search_that_is_interrupted_keeps_its_checkpoints_until_it_is_over(tmp_path: Path) -> None:
    calls: list[Run] = []

    def interrupt(run: Run, epoch: de.Epoch) -> None:
        calls.append(run)
        if len(calls) == 3:  # in the last trial of the first rung
            raise KeyboardInterrupt

    search = {"trials": 3, "rungs": [1, 2], "seeds": [1000], "space": {"hidden": [4, 6, 8]}}
    for on_epoch, over in ((interrupt, False), (None, True)):
        study = small(tmp_path, search=search, epochs=3, on_epoch=on_epoch)
        assert (study.run(1, progress=False).left == 0) == over
        assert (list(study.store.models.glob("*.checkpoint")) == []) == over
    lower, higher = ([run for run in study.store.runs() if run.rung == rung] for rung in (1, 2))
    assert higher[0].epochs[0] in [run.epochs[0] for run in lower]  # not even the times differ


def test_a_run_that_fails_stops_no_other_and_is_trained_again_when_asked(tmp_path: Path) -> None:
    study = small(tmp_path, models=["GCN", "Katz"], settings={"GCN": {"learning_rate": 1e30}}, epochs=2)
    for retry, count in ((False, 2), (False, 2), (True, 3)):
        progress = study.run(1, progress=False, retry=retry)
        assert (progress.done, progress.failed, progress.left, written(tmp_path)) == (1, 1, 0, count)
    ((what, why),) = study.failures().items()
    assert {"GCN", "karate", "links", "0"} <= {*re.findall(r"\w+", what)} and "learning_rate" in why
    assert study.cells().set_index("model")["failed"].to_dict() == {"GCN": 1, "Katz": 0}
    search = {"trials": 3, "rungs": [3], "seeds": [1000], "space": {"learning_rate": [1e-3, 1e12, 1e-2]}}
    study = small(tmp_path, search=search, epochs=4)
    progress = study.run(1, progress=False)
    assert (progress.failed, progress.left) == (1, 0) and "rung 1" in next(iter(study.failures()))
    assert study.cells()["settings"][0].get("learning_rate") != 1e12


def test_minutes_are_cpu_minutes_of_this_call(tmp_path: Path, scripted: Scripting) -> None:
    made = scripted(lambda number, spec, _: trained(spec, digest=spec.digest, cpu_seconds=25.0, val=0.5))
    study = small(tmp_path, models="Katz", seeds=9)
    progress = study.run(1, minutes=1, progress=False)
    assert 3 <= progress.done <= 5 and progress.left == 9 - progress.done  # the third one spends them
    assert progress.cpu_hours == pytest.approx(progress.done * 25 / 3600)
    study.run(1, minutes=1, progress=False)
    assert len(made[1].calls) >= 3
    with pytest.raises(de.ParameterError, match="minutes"):
        study.run(1, minutes=0)


def test_cheap_cells_come_first_seed_by_seed(tmp_path: Path) -> None:
    study = small(tmp_path, graphs=["lesmis", "karate"], models=["GCN", "Katz"], seeds=3)
    seconds = {("lesmis", "GCN"): 400.0, ("lesmis", "Katz"): 200.0, ("karate", "GCN"): 300.0, ("karate", "Katz"): 100.0}
    for (graph, model), cost in seconds.items():
        first = RunSpec(de.load(graph), "links", model, epochs=1).record()
        study.store.put(replace(first, val=0.5, test=0.5, cpu_seconds=cost))
    study.run(1, progress=False)
    order = [(run.seed, run.graph, run.model) for run in study.store.runs()][4:]
    cheap_first = [("karate", "Katz"), ("lesmis", "Katz"), ("karate", "GCN"), ("lesmis", "GCN")]
    assert order == [(seed, *where) for seed in (1, 2) for where in cheap_first]


def test_graphs_that_cannot_be_loaded_are_left_out_and_listed(tmp_path: Path) -> None:
    study = small(tmp_path, graphs=["karate", "no-such.csv"], models="Adamic-Adar")
    study.run(1, progress=False)
    assert list(study.missing) == ["no-such.csv"] and study.progress().done == 1
    assert "no-such.csv" in study.side_by_side().markdown()
    with pytest.raises(de.GraphError, match=r"no-such\.csv"):
        small(tmp_path, graphs="no-such.csv").progress()


def test_a_part_is_named_by_graph_task_model_and_seeds(demo: de.Study) -> None:
    everything = demo.cells()
    for column, name, part in (
        ("graph", "karate", demo.only(["karate"], seeds=9)),
        ("task", "roles", demo.only(tasks=["roles"])),
        ("model", "GCN", demo.only(models=["GCN"])),
    ):
        assert part.cells().equals(everything[everything[column] == name].reset_index(drop=True))
    assert set(demo.only(seeds=1).cells().seeds) == {1}
    unknown: list[dict[str, Any]] = [{"models": ["GCNN"]}, {"graphs": ["x"]}, {"tasks": ["link"]}, {"seeds": 0}]
    for wrong in (*unknown, {"models": ["Adamic-Adar"], "tasks": ["roles"]}):
        with pytest.raises(de.ParameterError, match=next(iter(wrong))[:-1]):
            demo.only(**wrong)


def test_progress_in_words_has_what_is_known() -> None:
    every = StudyProgress(4, 1, 5, 2, 600.0, 0.5, 3)
    assert every.share == 0.5 and StudyProgress(0, 0, 0, 0, None, 0.0, 1).share == 0.0
    assert re.findall(r"[\d.]+", str(every)) == ["4", "2", "1", "5", "10", "3", "0.50"]
    assert re.findall(r"[\d.]+", str(StudyProgress(1, 0, 0, 0, None, 0.25, 3))) == ["1", "0.25"]
    assert "1 run done" in str(StudyProgress(1, 0, 0, 0, None, 0.25, 3)) and "4 runs done" in str(every)
    assert "waiting for workers" in str(StudyProgress(1, 0, 2, 0, 60.0, 0.1, 0))
    assert "about" not in str(StudyProgress(1, 0, 2, 0, None, 0.1, 2))


def test_the_time_left_is_known_once_a_run_has_ended(tmp_path: Path) -> None:
    study = small(tmp_path, models=["Katz", "shortest path"], seeds=3)
    assert study.progress().seconds_left is None and study.progress().left == 6
    for model, cost, left in (("Katz", 8.0, 5 * 8.0), ("shortest path", 2.0, 2 * 8.0 + 2 * 2.0)):
        record = RunSpec(KARATE, "links", model).record()
        study.store.put(replace(record, val=0.5, test=0.5, cpu_seconds=cost))
        assert study.progress(workers=2).seconds_left == pytest.approx(left / 2)
    assert study.progress().cpu_hours == pytest.approx(10 / 3600)


@pytest.mark.parametrize("notebook", [True, False])
def test_progress_is_a_line_that_is_overwritten_or_a_line_in_a_log(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], notebook: bool
) -> None:
    monkeypatch.setitem(sys.modules, "ipykernel", sys)
    if not notebook:
        monkeypatch.delitem(sys.modules, "ipykernel")

    def interrupt(run: Run, epoch: de.Epoch) -> None:
        if run.model == "GCN":
            raise KeyboardInterrupt

    about: dict[str, Any] = {"models": ["Katz", "GCN"], "seeds": 2, "title": "mine"}
    ended = small(tmp_path, **about, on_epoch=interrupt).run(1)
    text = capsys.readouterr().err
    assert ended.interrupted and ended.left and text.count("\r") == (2 if notebook else 0)
    assert text.endswith("\n") and "\n" not in text[: text.rfind("\r") + 1]
    assert f"{ended.done} of 4 runs kept" in text.splitlines()[-1] and "mine: " in text
    seen: list[StudyProgress] = []
    small(tmp_path, **about).run(1, progress=seen.append)
    assert len(seen) == 2 and (seen[-1].left, seen[-1].interrupted, seen[-1].workers) == (0, False, 1)
    assert capsys.readouterr().err == ""
    small(tmp_path, **about).run(1)
    assert capsys.readouterr().err.count("mine: 4 runs done") == 1


def test_another_machine_continues_from_the_results_and_trains_nothing_twice(demo: de.Study, tmp_path: Path) -> None:
    file = demo.results(tmp_path / "results" / "demo.csv")
    table, trials = (pd.read_csv(file.with_name(name)) for name in ("demo.csv", "demo_search.csv"))
    assert "measures" not in table.columns  # only where links are ranked
    stored = {run.key: run for run in demo.store.runs()}
    assert {*table.key, *trials.key} == {*stored} and trials.rung.isin([1, 2]).all() and table.rung.isna().all()
    for row in table.itertuples():
        run = stored[row.key]
        assert (row.test, row.val, row.optimistic) == pytest.approx((run.test, run.val, run.optimistic), abs=1e-6)
        assert (row.dataset, row.task, row.model) == ("karate", run.task, run.model)
        assert (row.seed, row.epochs) == (run.seed, run.trained)
    (tmp_path / "studies").mkdir()
    there = de.study(shutil.copy(DEMO, tmp_path / "studies"), store=tmp_path / "store")
    assert there.cells()["seeds"].sum() == demo.cells()["seeds"].sum()  # the first thing that is asked
    progress = there.run(1, progress=False)
    assert (progress.left, progress.done) == (0, demo.progress().done) and there.store.runs() == []
    assert there.cells().drop(columns="cpu_seconds").equals(demo.cells().drop(columns="cpu_seconds"))
    assert there.only(models=["GCN"]).progress().left == 0
    assert there.results(tmp_path / "again.csv").read_bytes() == file.read_bytes()


def test_results_that_are_loaded_are_those_of_the_study(demo: de.Study, tmp_path: Path) -> None:
    file, count = demo.results(tmp_path / "some.csv"), demo.progress().done
    there = de.study(DEMO, store=tmp_path / "store")
    assert there.load(file) == count and there.progress().done == count
    table = pd.read_csv(file)
    for column, value in (("test", 7.0), ("epochs", "many"), ("key", "x"), ("val", None)):
        table.astype({column: object}).assign(**{column: [value, *table[column][1:]]}).to_csv(file, index=False)
        assert de.study(DEMO, store=tmp_path / "store").load(file) == count - 1  # edited into nonsense: left out
    with pytest.raises(de.ParameterError, match="no file"):
        there.load(tmp_path / "no.csv")
    file.write_text("a,b\n1,2\n", encoding="utf-8")
    with pytest.raises(de.ParameterError, match="column"):
        there.load(file)
    with pytest.raises(de.ParameterError, match="cannot be written"):
        demo.results(tmp_path / "some.csv" / "x.csv")


def test_a_part_of_a_study_leaves_the_other_rows_and_new_settings_replace_old_ones(
    demo: de.Study, tmp_path: Path
) -> None:
    file = demo.results(tmp_path / "some.csv")

    def rows() -> list[list[str]]:
        return [sorted(each.read_text(encoding="utf-8").splitlines()) for each in sorted(tmp_path.glob("*.csv"))]

    before = rows()
    for part in (demo.only(models=["GCN"]), demo.only(seeds=1), demo.only(tasks=["roles"])):
        part.results(file)
        assert rows() == before
    about: dict[str, Any] = {"models": ["GCN", "Katz"], "per_positive": 2, "metric": "mrr"}
    keys = []
    for epochs, seeds in ((1, 2), (2, 1)):
        study = small(tmp_path / "store", seeds=seeds, epochs=epochs, **about)
        study.run(1, progress=False)
        keys.append({run.model + str(run.seed): run.key for run in study.store.runs()})
        study.results(tmp_path / "own.csv")
    table = pd.read_csv(tmp_path / "own.csv")
    assert {*table.key} == {keys[1]["GCN0"], keys[0]["GCN1"], keys[1]["Katz0"], keys[1]["Katz1"]}
    again = small(tmp_path / "other", epochs=2, **about)
    assert again.load(tmp_path / "own.csv") == 2
    measures = [[[run.measures.keys() for run in one.runs] for one in each.cell_results()] for each in (again, study)]
    assert measures[0] == measures[1]
    assert again.cells()["mean"].tolist() == pytest.approx(study.cells()["mean"].tolist(), abs=1e-4)


def test_a_cell_trained_again_gives_the_stored_numbers(
    demo: de.Study, tmp_path: Path, request: pytest.FixtureRequest
) -> None:
    table = demo.again("karate", "DE-GNN-SPD", "roles", seeds=2)
    assert table["seed"].tolist() == [0, 1] and table["now"].tolist() == table["kept"].tolist()
    stored = [run.test for run in demo.store.runs(model="DE-GNN-SPD", task="roles") if not run.rung]
    assert table["kept"].tolist() == pytest.approx([100 * test for test in stored], abs=1e-4)
    assert len(demo.again("karate", "Adamic-Adar")) == 1 and demo.progress().left == 0
    with pytest.raises(de.ParameterError, match="no finished run"):
        de.study("demo", store=tmp_path).again("karate", "GCN", "roles")
    fails = request.getfixturevalue("scripted")
    fails(lambda number, spec, _: trained(spec, status="failed", test=None, error="Out of memory."))
    with pytest.raises(de.ParameterError, match="Out of memory"):
        demo.again("karate", "Adamic-Adar")


def test_every_way_to_show_a_study_has_both_views(demo: de.Study) -> None:
    with pd.option_context("display.max_columns", None):
        for show in (demo.table, demo.cells, demo.text, demo.side_by_side, demo.plot):
            assert str(show("validation")) == str(show()) != str(show("optimistic"))
    for one in demo.cell_results("optimistic"):
        runs = [run for run in demo.store.runs(model=one.model, task=one.task) if not run.rung]
        assert one.scores == pytest.approx([100 * max(e["test"][run.metric] for e in run.epochs) for run in runs])
    with pytest.raises(de.ParameterError, match="view='best'"):
        demo.text("best")
    assert demo.table()["karate roles"]["seeds"].tolist() == ["2", "2", ""]
    assert demo.title in repr(demo) and demo.plot().layout.title.text == demo.title


def test_another_study_is_shown_below_and_read_with_it(demo: de.Study, tmp_path: Path) -> None:
    links, scores = demo.only(models=["GCN", "DE-GNN-SPD"], tasks=["links"]), demo.only(models=["Adamic-Adar"])
    assert "Adamic-Adar" in links.side_by_side(beside=scores).markdown()
    assert "Adamic-Adar" not in links.side_by_side().markdown()
    formulas = de.study(graphs="karate", models=["Katz"], seeds=5, store=tmp_path)
    formulas.run(1, progress=False)
    assert "Katz" in str(demo.reading(formulas)) and "Katz" not in str(demo.reading())
    with pytest.raises(de.ParameterError, match="studies of leaks"):
        demo.reading(model="GCN")


def test_a_study_of_leaks_is_read_and_drawn_by_their_effects(tmp_path: Path) -> None:
    column = {"graph": "karate", "task": "links", "protocols": ["honest", "epoch_chosen_on_test"]}
    config = make_config({"models": ["GCN", "Katz"], "seeds": 2, "epochs": 3, "columns": [column]})
    study = de.Study(config, de.Store(tmp_path))
    study.run(1, progress=False)
    gains = {model: [] for model in ("GCN", "Katz")}
    for model, seed in product(gains, range(2)):
        honest, leaking = study.store.runs(model=model, seed=seed)
        gains[model].append(100 * (leaking.test - honest.test) * (1 if honest.protocol == "honest" else -1))
    table = study.leak_effects()
    assert table.differences.tolist() == [pytest.approx(gains[model]) for model in table.model]
    assert len(study.reading().parts) == 2 and len(study.reading(model="GCN").parts) == 1
    assert {x for trace in study.plot_leaks().data if trace.text for x in trace.x} == {*table.points}


def searched(**more: Any) -> tuple[Cell, dict[str, Run]]:
    """A cell whose settings are searched for, and the runs that have ended: none yet."""
    search = {"trials": 3, "rungs": [1, 2], "seeds": [1000, 1001], "space": {"hidden": [4, 6, 8]}} | more
    given = {"models": "GCN", "epochs": 4, "search": search, "columns": [{"graph": "karate", "task": "links"}]}
    runs: dict[str, Run] = {}
    return Cell(make_config(given).columns[0], "GCN", KARATE, "honest", runs), runs


def ended(cell: Cell, values: dict[tuple[int, int, int], float]) -> dict[str, Run]:
    """Trials by (trial, seed, rung) with these validation metrics, each of one epoch and one CPU-second."""
    specs = {where: cell.spec(*where) for where in values}
    return {spec.key: replace(spec.record(), val=values[where], trained=1, cpu_seconds=1.0)
            for where, spec in specs.items()}  # fmt: skip


def test_halving_continues_with_the_best_on_validation_over_all_seeds() -> None:
    cell, runs = searched()
    runs |= ended(cell, {(0, 1000, 1): 0.9, (0, 1001, 1): 0.1, (1, 1000, 1): 0.6, (1, 1001, 1): 0.6, (2, 1000, 1): 0.5})
    chosen, missing = cell.chosen()
    assert chosen is None and [(spec.seed, spec.rung) for spec in missing] == [(1001, 1)] and cell.tried() == 3
    runs |= ended(cell, {(2, 1001, 1): 0.5})
    chosen, missing = cell.chosen()
    assert chosen is None and {spec.key for spec in missing} == {cell.spec(1, seed, 2).key for seed in (1000, 1001)}
    assert all(spec.resume_from == cell.spec(1, spec.seed, 1).key and spec.epochs == 2 for spec in missing)
    runs |= ended(cell, {(1, 1000, 2): 0.5, (1, 1001, 2): 0.4})
    assert cell.chosen() == (1, []) and [level for level, _ in cell.todo()] == [0, 1, 2, 3, 4]
    runs |= {key: replace(run, cpu_seconds=9999.0) for key, run in runs.items()}
    assert cell.chosen() == (1, [])  # settings do not depend on measured seconds
    runs |= {key: replace(run, status="failed") for key, run in runs.items() if run.hyper["hidden"] == 6}
    assert cell.chosen()[0] != 1


def test_what_a_cell_costs_and_has_left_is_estimated_from_its_trials() -> None:
    cell, runs = searched()
    assert cell.cost() is None and cell.left() == (6 + 2 + 5, 6 * 0.25 + 2 * 0.25 + 5) and cell.spent() == 0.0
    runs |= ended(cell, {(t, s, 1): 1.0 - t / 10 for t in range(3) for s in (1000, 1001)})
    assert cell.cost() == pytest.approx(4.0) and cell.left() == (2 + 5, 2 * 0.25 + 5)  # four epochs of a second each
    runs |= {key: replace(run, trained=2) for key, run in runs.items()}
    assert cell.cost() == pytest.approx(2.0)
    runs |= ended(cell, {(0, s, 2): 1.0 for s in (1000, 1001)})
    assert cell.left() == (5, 5)
    runs |= {(seed := replace(cell.spec(0, 0).record(), cpu_seconds=77.0)).key: seed}
    assert cell.cost() == 77.0 and cell.left() == (4, 4)
    assert cell.spent() == 3 * 2 + 77.0  # a second rung contains the first
    fixed, _ = searched(trials=1)
    assert (fixed.rungs, fixed.tried(), fixed.left()) == ((), 1, (5, 5))


def test_cells_that_share_trials_all_continue_when_these_have_ended(tmp_path: Path) -> None:
    given = {"models": ["Katz"], "seeds": 1, "search": {"trials": 2}, "protocols": ["honest", "negatives_repeat"]}
    config = make_config({**given, "columns": [{"graph": "karate", "task": "links"}]})
    progress = de.Study(config, de.Store(tmp_path)).run(1, progress=False)
    assert (progress.left, progress.failed) == (0, 0)
    assert sorted(run.protocol for run in de.Store(tmp_path).runs() if not run.rung) == ["honest", "negatives_repeat"]
