"""Studies with real worker processes on a small graph: killed, shared, failing, carried to another machine."""

from __future__ import annotations

import os
import signal
import sqlite3
import subprocess
import sys
import textwrap
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

import degnn_explore as de
from degnn_explore.common.errors import GraphError, ParameterError
from degnn_explore.studies.records import Run
from degnn_explore.studies.storage.store import Store
from degnn_explore.studies.whole.agenda import Agenda
from degnn_explore.studies.whole.cells import Work
from degnn_explore.studies.whole.crew import Crew
from degnn_explore.studies.whole.halving import promoted
from degnn_explore.studies.whole.tables import result
from degnn_explore.studies.workers import begun
from tools.waiting import LONG, until

ROOT = Path(de.__file__).parents[1]
ENV = {**os.environ, "PYTHONPATH": str(ROOT)}
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


# ---- the whole way --------------------------------------------------------------------------------


def test_a_study_runs_search_and_seeds_and_a_second_call_has_nothing_to_do(demo: de.Study) -> None:
    before = written(demo.store.folder)
    standing = demo.run(2, progress=False)
    assert (standing.failed, standing.left, standing.share) == (0, 0, 1.0)
    assert standing.done == before[0] and before == written(demo.store.folder) and before[0] == before[1]
    assert not list(demo.store.models.glob("*"))  # neither models nor checkpoints are left


def test_a_trial_is_recorded_with_its_rung_and_without_any_test_result(demo: de.Study) -> None:
    trials = [run for run in demo.store.runs() if run.rung]
    assert {run.rung for run in trials} == {1, 2} and {run.seed for run in trials} == {1000}
    for run in trials:
        assert run.test is None and run.optimistic is None and run.val is not None
        assert all(set(epoch["test"].values()) == {None} for epoch in run.epochs)
    assert not [run for run in demo.store.runs() if not run.rung and run.test is None]


def test_a_rung_goes_on_from_the_one_below_to_the_same_numbers(demo: de.Study) -> None:
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


def test_settings_are_counted_once_they_were_tried(tmp_path: Path) -> None:
    assert de.study(DEMO, store=tmp_path).table()["karate links"]["tried"].tolist() == ["0", "0", "1"]


def test_the_optimistic_view_is_the_best_test_epoch_of_each_run_and_says_so(demo: de.Study) -> None:
    for one in demo.standing_results("optimistic"):
        runs = [run for run in demo.store.runs(model=one.model, task=one.task) if not run.rung]
        best = [
            max(epoch["test"][run.metric] for epoch in run.epochs) for run in sorted(runs, key=lambda run: run.seed)
        ]
        assert one.scores == pytest.approx([100 * score for score in best])
    assert demo.text("optimistic").startswith("Optimistic, as the paper's appendix: of each run the best test result")
    assert not demo.text().startswith("Optimistic")


def test_a_cell_run_again_gives_the_numbers_that_are_kept(demo: de.Study, tmp_path: Path) -> None:
    table = demo.again("karate", "DE-GNN-SPD", "roles", seeds=2)  # its best test epoch is not the chosen one
    assert table["seed"].tolist() == [0, 1] and table["now"].tolist() == table["kept"].tolist()
    assert demo.progress().left == 0
    with pytest.raises(ParameterError, match="no finished run to compare with"):
        de.study("demo", store=tmp_path).again("karate", "GCN", "roles")


# ---- elsewhere ------------------------------------------------------------------------------------


def test_another_machine_goes_on_from_the_results_and_runs_nothing_twice(demo: de.Study, tmp_path: Path) -> None:
    file = demo.results(tmp_path / "results" / "demo.csv")
    text = file.read_text()
    assert str(tmp_path) not in text and text.startswith("task,dataset,model,protocol,seed,metric,val,test,optimistic")
    copy = tmp_path / "studies" / "demo.toml"
    copy.parent.mkdir()
    copy.write_text(DEMO.read_text())
    elsewhere = de.study(copy, store=tmp_path / "store")  # it finds results/demo.csv by itself
    assert elsewhere.progress().left == 0
    elsewhere.run(1, progress=False)
    assert elsewhere.store.runs() == [] and elsewhere.text() == demo.text()
    assert elsewhere.results(tmp_path / "again.csv").read_text() == text
    search = (tmp_path / "results" / "demo_search.csv").read_text()
    assert (tmp_path / "again_search.csv").read_text() == search and len(search.splitlines()) == 1 + 24


def test_rows_of_other_settings_and_rows_edited_into_nonsense_are_left_aside(demo: de.Study, tmp_path: Path) -> None:
    file = demo.results(tmp_path / "demo.csv")
    whole = de.study(DEMO, store=tmp_path / "a")
    assert whole.load(file) == 34
    other = de.study(graphs="karate", models=["GCN"], seeds=2, epochs=7, store=tmp_path / "b")
    assert other.load(file) == 0
    lines = file.read_text().splitlines()
    file.write_text("\n".join([lines[0], lines[1].replace("honest", "honest", 1).replace(",0.", ",7."), *lines[2:]]))
    assert de.study(DEMO, store=tmp_path / "c").load(file) == 33
    file.write_text("a,b\n1,2\n")
    with pytest.raises(ParameterError, match="no column 'task'"):
        whole.load(file)


# ---- what goes wrong ------------------------------------------------------------------------------


def test_a_run_that_fails_is_recorded_does_not_stop_others_and_is_tried_again_when_asked(tmp_path: Path) -> None:
    options: dict[str, Any] = {"settings": {"GCN": {"learning_rate": 1e30}}, "seeds": 2, "epochs": 3}
    study = de.study(graphs="karate", models=["GCN", "SAGE"], store=tmp_path, **options)
    standing = study.run(1, progress=False)
    assert (standing.done, standing.failed, standing.left) == (2, 2, 0)
    assert list(study.failures()) == ["GCN, karate links, seed 0", "GCN, karate links, seed 1"]
    assert "learning_rate" in study.failures()["GCN, karate links, seed 0"]
    assert study.table()["karate links"]["seeds"].tolist() == ["0 (2 failed)", "2"]
    before = written(tmp_path)
    assert study.run(1, progress=False).failed == 2 and written(tmp_path) == before
    assert study.run(1, progress=False, retry=True).failed == 2 and written(tmp_path)[1] == before[1] + 2


class Killed(Crew):
    """Kills its worker, once for each of the first ``times`` batches that it is given."""

    def __init__(self, folder: Path, times: int) -> None:
        super().__init__(1, folder)
        self.times = times

    def give(self, batch: Sequence[Work]) -> None:
        super().give(batch)
        if self.times:
            self.times -= 1
            self._team[0].worker.process.kill()


def test_a_worker_that_is_killed_has_its_run_repeated_and_a_run_that_kills_its_workers_fails(tmp_path: Path) -> None:
    study = de.study(graphs="karate", models=["GCN"], seeds=2, epochs=2, store=tmp_path)
    standing = study.run(Killed(study.store.models, 1), progress=False)
    assert (standing.done, standing.failed) == (2, 0)
    deadly = de.study(graphs="karate", models=["SAGE"], seeds=1, epochs=2, store=tmp_path)
    standing = deadly.run(Killed(study.store.models, 2), progress=False)
    assert (standing.done, standing.failed) == (0, 1)
    assert "ended unexpectedly" in next(iter(deadly.failures().values()))


SCRIPT = textwrap.dedent("""
    import sys, degnn_explore as de
    study = de.study(graphs="karate", models=["GCN", "DE-GNN-SPD"], seeds=4, epochs=60, store=sys.argv[1])
    study.run(2, progress=False)
""")


def _same(store: Path) -> de.Study:
    return de.study(graphs="karate", models=["GCN", "DE-GNN-SPD"], seeds=4, epochs=60, store=store)


def test_killed_at_any_moment_it_goes_on_and_nothing_finished_is_lost_or_made_twice(tmp_path: Path) -> None:
    running = subprocess.Popen([sys.executable, "-c", SCRIPT, str(tmp_path)], env=ENV)
    until(lambda: len(Store(tmp_path).runs(status="finished")) >= 2)
    os.kill(running.pid, signal.SIGKILL)
    running.wait()
    before = {run.key: run for run in Store(tmp_path).runs()}
    study = _same(tmp_path)
    assert study.run(2, progress=False).left == 0
    after = {run.key: run for run in study.store.runs()}
    assert len(after) == 8 and all(after[key] == run for key, run in before.items())
    assert written(tmp_path) == (8, 8)
    assert not list(study.store.models.glob("*.checkpoint"))


def test_two_processes_at_one_study_share_the_work(tmp_path: Path) -> None:
    other = subprocess.Popen([sys.executable, "-c", SCRIPT, str(tmp_path)], env=ENV)
    until(lambda: (tmp_path / "runs.sqlite").exists())
    study = _same(tmp_path)
    assert study.run(1, progress=False).left == 0
    assert other.wait(LONG) == 0
    assert written(tmp_path) == (8, 8)


class Interrupted(Crew):
    """Ctrl-C comes while the second batch is worked on."""

    given = 0

    def give(self, batch: Sequence[Work]) -> None:
        super().give(batch[:1])
        self.given += 1

    def wait(self, seconds: float) -> Any:
        ended = super().wait(seconds)
        if self.given == 2 and not ended:
            self.given += 1
            raise KeyboardInterrupt
        return ended


def test_ctrl_c_ends_it_and_frees_what_was_claimed(tmp_path: Path) -> None:
    study = de.study(graphs="karate", models=["DE-GNN-SPD"], seeds=2, epochs=5000, store=tmp_path)
    crew = Interrupted(1, study.store.models)
    crew.given = 1
    with pytest.raises(KeyboardInterrupt):
        study.run(crew, progress=False)
    with sqlite3.connect(tmp_path / "runs.sqlite") as db:
        assert db.execute("SELECT count(*) FROM claims").fetchone() == (0,)


def test_minutes_end_it_and_the_rest_is_left(tmp_path: Path) -> None:
    study = de.study(graphs="karate", models=["GCN"], seeds=2, epochs=2, store=tmp_path)
    assert study.run(1, progress=False, minutes=1e-9).left == 2


def test_graphs_that_cannot_be_had_are_left_out_and_said(tmp_path: Path) -> None:
    study = de.study(graphs=["karate", "no-such.csv"], models=["Adamic-Adar"], seeds=1, store=tmp_path)
    study.run(1, progress=False)
    assert list(study.missing) == ["no-such.csv"] and study.progress().done == 1
    with pytest.raises(GraphError, match=r"no-such\.csv"):
        de.study(graphs="no-such.csv", models=["GCN"]).progress()


# ---- what is chosen, what is next, what is said ----------------------------------------------------


def _made(study: de.Study, values: dict[tuple[int, int, int], float], test: float = 0.5) -> dict[str, Run]:
    """Records of trials by (trial, seed, rung) with these validation metrics."""
    (cell,) = study._prepared()
    works = {(trial, work.job.seed, work.job.rung): work for trial, work in cell.trial_works()}
    return {
        works[where].key: replace(begun(works[where].plan, works[where].job), val=val, trained=1, cpu_seconds=1.0)
        for where, val in values.items()
    }


def test_halving_goes_on_with_the_best_on_validation_of_all_seeds() -> None:
    search = {"trials": 4, "rungs": [1, 2], "reduce": 2, "seeds": [1000, 1001]}
    study = de.study(graphs="karate", models=["GCN"], search=search, epochs=4)
    (cell,) = study._prepared()
    first = {(0, 1000, 1): 0.9, (0, 1001, 1): 0.1, (1, 1000, 1): 0.6, (1, 1001, 1): 0.6, (2, 1000, 1): 0.7,
             (2, 1001, 1): 0.7, (3, 1000, 1): 0.2, (3, 1001, 1): 0.2}  # fmt: skip
    known = _made(study, first)
    chosen, missing = cell.search(known)
    assert chosen is None and len(missing) == 4
    assert {work.plan.own["GCN"] == cell.trials[1] for work in missing[:2]} == {True}
    assert all(work.before in known for work in missing)
    known |= _made(study, {(1, 1000, 2): 0.8, (1, 1001, 2): 0.8, (2, 1000, 2): 0.7, (2, 1001, 2): 0.7})
    assert cell.search(known) == (1, [])


def test_a_trial_that_failed_is_the_last_and_one_too_slow_goes_only_if_all_are() -> None:
    assert promoted({0: float("-inf"), 1: 0.1}, {}, None, 1) == [1]
    assert promoted({0: 0.1, 1: 0.9}, {0: 50.0, 1: 90.0}, 10.0, 2) == [0]


def test_seed_by_seed_over_all_cells_the_cheap_ones_first() -> None:
    study = de.study(graphs=["celegans", "karate"], models=["SEAL", "GCN", "Adamic-Adar"], seeds=2)
    due = Agenda(study._prepared(), {}).due()
    assert [one.level for one in due] == [0] * 6 + [1] * 6
    listed = [(one.cell.column.name, one.cell.model) for one in due[:6]]
    assert listed[0] == ("karate", "Adamic-Adar") and listed[-2:] == [("celegans", "GCN"), ("celegans", "SEAL")]


def test_quick_cells_are_given_more_seeds() -> None:
    study = de.study(graphs="karate", models=["GCN"], seeds={"least": 2, "most": 5, "quick": 3.0})
    (cell,) = study._prepared()
    works = cell.reported(0)
    for seconds, wanted in ((1.0, 5), (9.0, 2)):
        runs = [replace(begun(work.plan, work.job), test=0.5, cpu_seconds=seconds) for work in works[:2]]
        known = {run.key: run for run in runs}
        assert cell.wanted(known) == wanted
        assert len(cell.next(known)) == wanted - 2


@pytest.mark.parametrize(("test", "word"), [(0.95, "▲ better"), (0.8937, "● within"), (0.80, "▼ below")])
def test_the_mark_says_where_our_mean_lies_by_the_papers_interval(tmp_path: Path, test: float, word: str) -> None:
    study = de.study(graphs="celegans", models=["DE-GNN-SPD"], seeds=5, store=tmp_path)
    (cell,) = study._prepared()
    runs = [replace(begun(work.plan, work.job), test=test, optimistic=test, val=0.5) for work in cell.reported(0)]
    study.store.put(*runs)
    shown = study.table()["celegans links"].loc["DE-GNN-SPD"]
    assert shown["compared"] == word and shown["paper"] == "89.37 ± 0.17"
    assert study.only(seeds=4).table()["celegans links"]["compared"].tolist() == ["too few seeds"]
    assert result(cell, {run.key: run for run in runs}).settings == {}


def test_the_plot_has_every_seed_our_mean_and_the_papers_mark_and_no_markup(tmp_path: Path) -> None:
    study = de.study(graphs="celegans", models=["GCN", "SAGE"], seeds=3, store=tmp_path, title="<b>t</b>")
    with pytest.raises(ParameterError, match="no finished run to plot"):
        study.plot()
    works = [work for cell in study._prepared() for work in cell.reported(0)]
    study.store.put(*[replace(begun(w.plan, w.job), test=0.7 + w.job.seed / 10, optimistic=1.0) for w in works])
    figure = study.plot()
    paper, seeds, ours = figure.data
    assert list(paper.x) == [74.03, 73.91] and list(paper.y) == [1, 0]
    assert [round(x) for x in seeds.x] == [70, 80, 90, 70, 80, 90] and [round(y) for y in seeds.y] == [1, 1, 1, 0, 0, 0]
    assert [round(x) for x in ours.x] == [80, 80] and figure.layout.title.text == "&lt;b&gt;t&lt;/b&gt;"


def test_a_part_of_a_study_asks_for_the_same_runs() -> None:
    study = de.study(DEMO)
    part = study.only(graphs=["karate"], models=["GCN"], tasks=["links"], seeds=1)
    (cell,) = part._prepared()
    assert [work.key for work in cell.reported(0)] == [work.key for work in study._prepared()[0].reported(0)][:1]
    with pytest.raises(ParameterError, match="model of this study='PGNN' is not known"):
        study.only(models=["PGNN"])
