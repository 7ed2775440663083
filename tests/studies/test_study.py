"""Studies with real worker processes on a small graph: searched, failing, carried to another machine, shown."""

from __future__ import annotations

import os
import sqlite3
import subprocess
import sys
from dataclasses import replace
from pathlib import Path
from typing import Any

import pandas as pd
import pytest

import degnn_explore as de
from degnn_explore.common.errors import GraphError, ParameterError
from degnn_explore.studies.runs import Run, RunSpec
from degnn_explore.studies.study import Cell
from degnn_explore.studies.study_file import make_config
from tests.support.waiting import LONG

ROOT = Path(de.__file__).parents[1]
DEMO = ROOT / "studies" / "demo.toml"


def written(folder: Path) -> tuple[int, int]:
    """Runs in a store, and how often a run was written to it."""
    with sqlite3.connect(folder / "runs.sqlite") as db:
        runs, last = db.execute("SELECT count(*), max(number) FROM runs").fetchone()
    return runs, last


@pytest.fixture(scope="module")
def demo(tmp_path_factory: pytest.TempPathFactory) -> de.Study:
    study = de.study(DEMO, store=tmp_path_factory.mktemp("demo"))
    study.run(2, progress=False)
    return study


def test_a_study_runs_search_and_seeds_and_a_second_call_has_nothing_to_do(demo: de.Study) -> None:
    before = written(demo.store.folder)
    progress = demo.run(2, progress=False)
    assert (progress.failed, progress.left, progress.share) == (0, 0, 1.0)
    assert progress.done == before[0] and before == written(demo.store.folder) and before[0] == before[1]
    assert [file for file in demo.store.folder.rglob("*") if file.is_file() and "sqlite" not in file.name] == []


def test_a_trial_is_recorded_with_its_rung_and_without_any_test_result(demo: de.Study) -> None:
    trials = [run for run in demo.store.runs() if run.rung]
    assert {run.rung for run in trials} == {1, 2} and {run.seed for run in trials} == {1000}
    assert all(run.test is None and run.val is not None for run in trials)
    assert not [run for run in demo.store.runs() if not run.rung and run.test is None]


def test_a_rung_goes_on_from_the_one_below(demo: de.Study) -> None:
    trials = [run for run in demo.store.runs(model="GCN", task="links") if run.rung]
    higher = [run for run in trials if run.rung == 2]
    assert len(higher) == 2
    for run in higher:
        (lower,) = [other for other in trials if other.rung == 1 and other.hyper == run.hyper]
        assert run.epochs[0] == lower.epochs[0]  # read from its checkpoint, the time it took included


def test_the_table_has_the_papers_layout_and_says_seeds_and_trials(demo: de.Study) -> None:
    table = demo.table()
    assert list(table.index) == ["GCN", "DE-GNN-SPD", "Adamic-Adar"]
    assert list(dict.fromkeys(table.columns.get_level_values(0))) == ["karate links", "karate roles"]
    assert list(table["karate links"].columns) == ["ours", "paper", "compared", "seeds", "tried"]
    assert table["karate links"]["tried"].tolist() == ["4", "4", "1"]
    assert table["karate roles"]["seeds"].tolist() == ["2", "2", ""]
    assert "karate links (auc, %)" in demo.text("optimistic")


def test_the_optimistic_view_is_the_best_test_epoch_of_each_run(demo: de.Study) -> None:
    for one in demo.cell_results("optimistic"):
        runs = sorted((r for r in demo.store.runs(model=one.model, task=one.task) if not r.rung), key=lambda r: r.seed)
        best = [max(epoch["test"][run.metric] for epoch in run.epochs) for run in runs]
        assert one.scores == pytest.approx([100 * score for score in best])


def test_every_way_to_show_a_study_has_both_views(demo: de.Study) -> None:
    def shown(view: str) -> list[str]:
        tables = [demo.table(view).to_csv(), demo.cells(view).to_csv(), demo.text(view)]
        return [*tables, demo.side_by_side(view).markdown(), str(demo.plot(view).to_json())]

    assert all(one != other for one, other in zip(shown("validation"), shown("optimistic"), strict=True))
    with pytest.raises(ParameterError, match="view='best'"):
        demo.table("best")


def test_another_study_is_shown_below_and_read_along(demo: de.Study) -> None:
    links = demo.only(models=["GCN", "DE-GNN-SPD"], tasks=["links"])
    both = links.side_by_side(beside=demo.only(models=["Adamic-Adar"])).markdown()
    assert "Adamic-Adar" in both and "Adamic-Adar" not in links.side_by_side().markdown()
    heuristics = de.study("heuristics", store=demo.store.folder / "none").only(["celegans"])
    table1 = de.study("table1", store=demo.store.folder / "none").only(["celegans"], tasks=["links"])
    assert "Heuristics:" in str(table1.reading(heuristics)) and "Heuristics:" not in str(table1.reading())


def test_a_cell_run_again_gives_the_numbers_that_are_kept(demo: de.Study, tmp_path: Path) -> None:
    table = demo.again("karate", "DE-GNN-SPD", "roles", seeds=2)
    assert table["seed"].tolist() == [0, 1] and table["now"].tolist() == table["kept"].tolist()
    assert demo.progress().left == 0
    with pytest.raises(ParameterError, match="no finished run to compare with"):
        de.study("demo", store=tmp_path).again("karate", "GCN", "roles")


def test_the_plot_has_every_seed(demo: de.Study) -> None:
    figure = demo.only(tasks=["links"]).plot()
    seeds = [trace for trace in figure.data if trace.name == "a seed"]
    assert sum(len(trace.x) for trace in seeds) == 6
    results = [result for result in demo.cell_results() if result.task == "links"]
    (ours,) = (trace for trace in figure.data if trace.name == "ours, mean ± 95%")
    assert list(ours.x) == [result.mean for result in results]
    assert list(ours.error_x.array) == [result.half for result in results]


def test_the_plot_has_the_papers_number_where_there_is_one(tmp_path: Path) -> None:
    study = de.study(graphs="celegans", models=["GCN", "DE-GNN-SPD", "Katz"], seeds=1, epochs=1, store=tmp_path)
    study.only(models=["Katz"]).run(1, progress=False)
    (paper,) = (trace for trace in study.plot().data if trace.name == "the paper, ± 95%")
    assert dict(zip(paper.text, paper.x, strict=True)) == {"GCN, the paper": 74.03, "DE-GNN-SPD, the paper": 89.37}


# ---- elsewhere ------------------------------------------------------------------------------------


def copied(folder: Path) -> Path:
    copy = folder / "studies" / "demo.toml"
    copy.parent.mkdir(parents=True)
    copy.write_text(DEMO.read_text(encoding="utf-8"), encoding="utf-8")
    return copy


def test_another_machine_goes_on_from_the_results_and_runs_nothing_twice(demo: de.Study, tmp_path: Path) -> None:
    file = demo.results(tmp_path / "results" / "demo.csv")
    assert str(tmp_path) not in file.read_text(encoding="utf-8")
    there = de.study(copied(tmp_path), store=tmp_path / "store")
    assert there.cells()["seeds"].sum() == demo.cells()["seeds"].sum()  # the first thing that is asked
    progress = there.run(1, progress=False)
    assert (progress.left, progress.done) == (0, demo.progress().done) and there.store.runs() == []
    assert there.cells().drop(columns="cpu_seconds").equals(demo.cells().drop(columns="cpu_seconds"))
    assert there.results(tmp_path / "again.csv").read_bytes() == file.read_bytes()
    with pytest.raises(ParameterError, match="There is no file"):
        there.load(tmp_path / "no.csv")
    (tmp_path / "no.csv").write_text("a,b\n1,2\n", encoding="utf-8")
    with pytest.raises(ParameterError, match="is not a file of a study's results"):
        there.load(tmp_path / "no.csv")


def test_a_part_of_a_study_leaves_the_other_rows_of_its_file(demo: de.Study, tmp_path: Path) -> None:
    file = demo.results(tmp_path / "some.csv")
    before = pd.read_csv(file, dtype=str).sort_values("key").to_csv(index=False)
    model = demo.cells()["model"].iloc[0]
    for part in (demo.only(models=[model]), demo.only(seeds=1)):
        part.results(file)
        assert pd.read_csv(file, dtype=str).sort_values("key").to_csv(index=False) == before


def test_rows_edited_into_nonsense_are_left_aside(demo: de.Study, tmp_path: Path) -> None:
    file = demo.results(tmp_path / "some.csv")
    table = pd.read_csv(file)
    table.loc[0, "test"] = 7.0
    table.to_csv(file, index=False)
    assert de.study(DEMO, store=tmp_path / "store").load(file) == demo.progress().done - 1


def test_rows_of_another_protocol_count_for_nothing(demo: de.Study, tmp_path: Path) -> None:
    file = demo.results(tmp_path / "results" / "demo.csv")
    text = file.read_text(encoding="utf-8")
    file.write_text(text.replace(f",{de.__version__},", f",{de.__version__},x"), encoding="utf-8")  # other keys
    copy = copied(tmp_path)
    study = de.study(copy, store=tmp_path / "store")
    assert study.progress().done < demo.progress().done and study.cells()["seeds"].sum() == 0
    file.write_text(text, encoding="utf-8")
    assert de.study(copy, store=tmp_path / "store").progress().done == demo.progress().done


# ---- what goes wrong ------------------------------------------------------------------------------


def test_a_run_that_fails_is_recorded_does_not_stop_others_and_is_tried_again_when_asked(tmp_path: Path) -> None:
    settings = {"GCN": {"learning_rate": 1e30}}
    study = de.study(graphs="karate", models=["GCN", "Katz"], settings=settings, seeds=1, epochs=2, store=tmp_path)
    for retry in (False, False, True):
        progress = study.run(1, progress=False, retry=retry)
        assert (progress.done, progress.failed, progress.left) == (1, 1, 0)
        with sqlite3.connect(tmp_path / "runs.sqlite") as db:
            assert db.execute("SELECT count(*) FROM claims").fetchone() == (0,)
    assert "learning_rate" in study.failures()["GCN, karate links, seed 0"]
    assert written(tmp_path)[1] == 3  # once more, because it was asked for


def test_a_diverging_trial_loses_nothing(tmp_path: Path) -> None:
    search = {"trials": 3, "rungs": [3], "seeds": [1000], "space": {"learning_rate": [1e-3, 1e12, 1e-2]}}
    study = de.study(graphs="karate", models="GCN", search=search, seeds=1, epochs=4, store=tmp_path)
    progress = study.run(1, progress=False)
    assert (progress.failed, progress.left) == (1, 0) and study.cells()["seeds"].tolist() == [1]
    assert study.cells()["settings"][0].get("learning_rate") != 1e12


def test_minutes_are_cpu_minutes_and_the_rest_is_left(tmp_path: Path) -> None:
    study = de.study(graphs="karate", models=["Katz"], seeds=40, store=tmp_path)
    progress = study.run(1, progress=False, minutes=1e-4)
    assert 0 < progress.left < 40


def test_graphs_that_cannot_be_had_are_left_out_and_said(tmp_path: Path) -> None:
    study = de.study(graphs=["karate", "no-such.csv"], models=["Adamic-Adar"], seeds=1, store=tmp_path)
    study.run(1, progress=False)
    assert list(study.missing) == ["no-such.csv"] and study.progress().done == 1
    with pytest.raises(GraphError, match=r"no-such\.csv"):
        de.study(graphs="no-such.csv", models=["GCN"]).progress()


SCRIPT = """
import os, signal, sys, threading, degnn_explore as de
study = de.study(graphs="karate", models=["Katz", "DE-GNN-SPD"], seeds=3, epochs=20000, options={"patience": None},
                 store=sys.argv[1])
def watch(progress, said=[]):
    if progress.done >= 1 and not said:
        said.append(True)
        threading.Timer(0.2, os.kill, [os.getpid(), signal.SIGINT]).start()
ended = study.run(1, progress=watch)
print(ended.interrupted, ended.left)
"""


def test_ctrl_c_is_a_sentence_and_not_a_traceback(tmp_path: Path) -> None:
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    done = subprocess.run(
        [sys.executable, "-c", SCRIPT, str(tmp_path)], env=environment, capture_output=True, text=True, timeout=LONG
    )
    assert done.stdout.startswith("True"), done.stderr
    assert "of 6 runs kept; run again to continue." in done.stderr and "Traceback" not in done.stderr


def test_the_sentence_after_ctrl_c_has_a_line_of_its_own_in_a_notebook(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setitem(sys.modules, "ipykernel", sys)

    def interrupt(run: Run, epoch: de.Epoch) -> None:
        raise KeyboardInterrupt

    study = de.study(graphs="karate", models=["Katz", "GCN"], seeds=2, epochs=1, store=tmp_path, on_epoch=interrupt)
    assert study.run(1).interrupted
    said = capsys.readouterr().err.splitlines()
    assert said[-1] == f"{study.progress().done} of 4 runs kept; run again to continue."


# ---- what a researcher gives ----------------------------------------------------------------------


def test_options_settings_device_and_title_reach_the_runs(tmp_path: Path) -> None:
    given: dict[str, Any] = {"graphs": "karate", "models": ["GCN", "GIN"], "seeds": 1, "epochs": 6, "store": tmp_path}
    how: dict[str, Any] = {"options": {"patience": 1, "learning_rate": 1e-9}, "settings": {"GIN": {"hidden": 7}}}
    study = de.study(**given, **how, title="mine")
    study.run(1, progress=False)
    runs = {run.model: run for run in study.store.runs()}
    assert all(run.options["patience"] == 1 and run.trained < 6 for run in runs.values())
    assert runs["GIN"].hyper["hidden"] == 7 != runs["GCN"].hyper["hidden"]
    assert study.title == "mine" and "'mine'" in repr(study) and study.plot().layout.title.text == "mine"
    with pytest.raises(ParameterError, match="gpu9"):
        de.study(**given, device="gpu9").check()


def test_a_part_of_a_study_is_named_by_graph_task_model_and_seeds(demo: de.Study) -> None:
    whole = demo.cells()
    for part, kept in (
        (demo.only(["karate"]), whole.graph == "karate"),
        (demo.only(tasks=["roles"]), whole.task == "roles"),
        (demo.only(models=["GCN"]), whole.model == "GCN"),
    ):
        assert part.cells()[["task", "model"]].values.tolist() == whole[kept][["task", "model"]].values.tolist()
    assert set(demo.only(seeds=1).cells().seeds) == {1} and set(whole.seeds) == {2}
    with pytest.raises(ParameterError, match="model of this study"):
        demo.only(models=["GCNN"])
    with pytest.raises(ParameterError, match="No column has all of these"):
        demo.only(models=["Adamic-Adar"], tasks=["roles"])


def test_an_own_task_a_split_a_device_and_a_callback(tmp_path: Path) -> None:
    heard: list[tuple[str, int, int]] = []

    def on_epoch(run: Run, epoch: de.Epoch) -> None:
        heard.append((run.model, run.seed, epoch.number))

    task = de.link_task(de.load("karate"), seed=5)
    own = de.study(tasks=task, models="GCN", seeds=2, epochs=3, device="cpu", store=tmp_path, on_epoch=on_epoch)
    own.run(1, progress=False)
    assert heard == [("GCN", seed, number) for seed in (0, 1) for number in (1, 2, 3)]
    assert all(run.same_split for run in own.store.runs()) and own.cells()["seeds"].tolist() == [2]
    wide = de.study(graphs="karate", models="Katz", seeds=1, split=(0.5, 0.25, 0.25), store=tmp_path)
    wide.run(1, progress=False)
    usual = de.study(graphs="karate", models="Katz", seeds=1, store=tmp_path)
    assert usual.progress().left == 1
    assert wide.store.runs(model="Katz")[0].sizes["test"] == 2 * round(78 * 0.25)
    edges = de.load("karate").edges
    given = {"valid": {"edge": edges[:5]}, "test": {"edge": edges[5:12]}}
    fixed = de.study(graphs="karate", models="Katz", seeds=2, split=given, store=tmp_path / "given")
    fixed.run(1, progress=False)
    assert [(run.sizes["val"], run.sizes["test"], run.same_split) for run in fixed.store.runs()] == [(10, 14, True)] * 2


def test_a_study_of_an_own_task_says_that_all_seeds_have_the_same_split(tmp_path: Path) -> None:
    task = de.link_task(de.load("karate"), seed=5)
    study = de.study(tasks=task, models=["Katz", "shortest path"], seeds=5, store=tmp_path)
    study.run(1, progress=False)
    words = "same split: seeds differ by initialization only"
    for shown in (study.text(), str(study.reading()), " ".join(study.side_by_side().notes)):
        assert words in shown
    assert study.cells()["same_split"].all()
    usual = de.study(graphs="karate", models="Katz", seeds=1, store=tmp_path)
    assert words not in usual.text() + " ".join(usual.side_by_side().notes)


def test_what_an_own_task_has_already_cannot_be_given_once_more(tmp_path: Path) -> None:
    task = de.link_task(de.load("karate"))
    more: list[dict[str, Any]] = [
        {"graphs": "karate"}, {"split": (0.6, 0.2, 0.2)}, {"protocol": "paper"}, {"per_positive": 5},
    ]  # fmt: skip
    for one in more:
        with pytest.raises(ParameterError, match=f"no use for {next(iter(one))}"):
            de.study(tasks=task, models="Katz", store=tmp_path, **one)
    edges = de.load("karate").edges
    split = {"valid": {"edge": edges[:5]}, "test": {"edge": edges[5:12]}}
    given: dict[str, Any] = {"split": split, "protocol": "negatives_repeat", "store": tmp_path}
    leaking = de.study(graphs="karate", models="Katz", seeds=1, **given)
    leaking.run(1, progress=False)
    assert [run.protocol for run in leaking.store.runs()] == ["negatives_repeat"]


def test_on_epoch_sees_every_epoch_once_and_no_test_results_of_trials(tmp_path: Path) -> None:
    heard: list[tuple[bool, int, int, bool]] = []

    def on_epoch(run: Run, epoch: de.Epoch) -> None:
        heard.append((run.rung > 0, run.rung, epoch.number, epoch.test.get("auc") is None))

    search = {"trials": 2, "rungs": [2], "seeds": [1000], "space": {"hidden": [8]}}
    given: dict[str, Any] = {"graphs": "karate", "models": "GCN", "seeds": 1, "epochs": 3, "search": search}
    de.study(**given, store=tmp_path, on_epoch=on_epoch).run(1, progress=False)
    assert [(rung, number) for _, rung, number, _ in heard] == [(1, 1), (1, 2), (1, 1), (1, 2), (0, 1), (0, 2), (0, 3)]
    assert all(hidden == trial for trial, _, _, hidden in heard)


# ---- what is chosen, what is next -----------------------------------------------------------------


TRIALS = {"trials": 3, "rungs": [1, 2], "seeds": [1000, 1001], "space": {"hidden": [4, 6, 8]}}


def searched() -> tuple[Cell, dict[str, Run]]:
    """A cell whose settings are searched for, and the runs that it knows: none yet."""
    given = {"models": "GCN", "epochs": 4, "search": TRIALS, "columns": [{"graph": "karate", "task": "links"}]}
    runs: dict[str, Run] = {}
    return Cell(make_config(given).columns[0], "GCN", de.load("karate"), "honest", runs), runs


def ended(cell: Cell, values: dict[tuple[int, int, int], float]) -> dict[str, Run]:
    """Trials by (trial, seed, rung) with these validation metrics, each of one epoch and one CPU-second."""
    specs = {where: cell.spec(*where) for where in values}
    return {spec.key: replace(spec.record(), val=values[where], trained=1, cpu_seconds=1.0)
            for where, spec in specs.items()}  # fmt: skip


def test_halving_goes_on_with_the_best_on_validation_of_all_seeds() -> None:
    cell, runs = searched()
    first = {(0, 1000, 1): 0.9, (0, 1001, 1): 0.1, (1, 1000, 1): 0.6, (1, 1001, 1): 0.6, (2, 1000, 1): 0.5}
    runs |= ended(cell, first)
    chosen, missing = cell.chosen()
    assert chosen is None and [(spec.seed, spec.rung) for spec in missing] == [(1001, 1)]
    runs |= ended(cell, {(2, 1001, 1): 0.5})
    chosen, missing = cell.chosen()
    assert chosen is None and {spec.key for spec in missing} == {cell.spec(1, seed, 2).key for seed in (1000, 1001)}
    runs |= ended(cell, {(1, 1000, 2): 0.5, (1, 1001, 2): 0.4})
    assert cell.chosen() == (1, [])
    runs |= {key: replace(run, status="failed") for key, run in runs.items() if run.hyper["hidden"] == 6}
    assert cell.chosen()[0] != 1


def test_settings_do_not_depend_on_measured_seconds() -> None:
    cell, runs = searched()
    runs |= ended(cell, {(trial, seed, 1): 0.5 + trial / 10 for trial in range(3) for seed in (1000, 1001)})
    runs |= ended(cell, {(2, 1000, 2): 0.9, (2, 1001, 2): 0.9})
    assert cell.chosen() == (2, [])
    runs |= {key: replace(run, cpu_seconds=9999.0) for key, run in runs.items()}
    assert cell.chosen() == (2, [])


def test_before_a_seed_has_run_the_cost_is_taken_from_the_epochs_of_the_trials() -> None:
    cell, runs = searched()
    assert cell.cost() is None
    runs |= ended(cell, {(trial, 1000, 1): 0.5 for trial in range(3)})
    assert cell.cost() == pytest.approx(4.0)  # four epochs of a second each
    runs |= {key: replace(run, trained=2) for key, run in runs.items()}
    assert cell.cost() == pytest.approx(2.0)
    runs |= ended(cell, {(t, s, 1): 1.0 - t for t in range(3) for s in (1000, 1001)})
    runs |= ended(cell, {(0, s, 2): 1.0 for s in (1000, 1001)})
    seed = replace(cell.spec(0, 0).record(), cpu_seconds=77.0)
    runs[seed.key] = seed
    assert cell.cost() == 77.0
    assert cell.spent() == 3 * 2 + 77.0  # a second rung contains the first


def test_seed_by_seed_over_all_cells_the_cheap_ones_first(tmp_path: Path) -> None:
    graphs, given = ["lesmis", "karate"], {"models": ["GCN", "Katz"], "epochs": 1, "store": tmp_path}
    study = de.study(graphs=graphs, seeds=3, **given)
    seconds = {("lesmis", "GCN"): 400.0, ("lesmis", "Katz"): 200.0, ("karate", "GCN"): 300.0, ("karate", "Katz"): 100.0}
    for (graph, model), cost in seconds.items():
        first = RunSpec(de.load(graph), "links", model, epochs=1).record()
        study.store.put(replace(first, val=0.5, test=0.5, cpu_seconds=cost))
    study.run(1, progress=False)
    order = [(run.seed, run.graph, run.model) for run in study.store.runs()][4:]
    cheap_first = [("karate", "Katz"), ("lesmis", "Katz"), ("karate", "GCN"), ("lesmis", "GCN")]
    assert order == [(seed, *where) for seed in (1, 2) for where in cheap_first]


def test_cells_that_share_trials_all_go_on_when_these_have_ended(tmp_path: Path) -> None:
    given = {"models": ["Katz"], "seeds": 1, "search": {"trials": 2}, "protocols": ["honest", "negatives_repeat"]}
    config = make_config({**given, "columns": [{"graph": "karate", "task": "links"}]})
    progress = de.Study(config, de.Store(tmp_path)).run(1, progress=False)
    assert (progress.left, progress.failed) == (0, 0)
    assert sorted(run.protocol for run in de.Store(tmp_path).runs() if not run.rung) == ["honest", "negatives_repeat"]


def test_the_time_left_is_known_once_a_run_has_ended(tmp_path: Path) -> None:
    study = de.study(graphs="karate", models=["Katz", "shortest path"], seeds=3, store=tmp_path)
    assert study.progress().seconds_left is None and str(study.progress()).startswith("0 runs done, 6 left; ")
    first = RunSpec(de.load("karate"), "links", "Katz").record()
    study.store.put(replace(first, val=0.5, test=0.5, cpu_seconds=8.0))
    assert study.progress(workers=2).seconds_left == pytest.approx(5 * 8.0 / 2)
