"""The Training Board's widgets without a browser: what they show, where results go, what closes what."""

from __future__ import annotations

import gc
import re
import threading
from collections.abc import Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from ipywidgets.widgets.widget import _instances

import degnn_explore as de
from degnn_explore.learn.metrics import auc
from degnn_explore.studies.judged import Scored
from degnn_explore.studies.snapshot import Progress, Snapshot
from degnn_explore.studies.statistics import Curve
from degnn_explore.views.board import board as boards
from degnn_explore.views.board import go as go_module
from degnn_explore.views.board.board import TrainingBoard
from degnn_explore.views.board.figures import curve_figure
from degnn_explore.views.board.look_figure import _by_distance
from degnn_explore.views.board.texts import progress_bars, progress_title
from degnn_explore.views.widgets import panel as panels
from degnn_explore.views.widgets.uploads import read_own
from tests.views.widgets.test_panel import Shell
from tools.waiting import LONG, until

KEPT: list[TrainingBoard] = []


@pytest.fixture(autouse=True)
def own_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("DEGNN_FAST", raising=False)
    yield
    for widget in list(_instances.values()):
        if isinstance(widget, TrainingBoard) and widget not in KEPT:
            widget.close()
    gc.collect()


@pytest.fixture
def shell(monkeypatch: pytest.MonkeyPatch) -> Shell:
    made = Shell()
    monkeypatch.setattr(panels, "_shell", lambda: made)
    monkeypatch.setattr(panels, "_CELLS", panels._Cells())
    return made


@pytest.fixture(scope="module")
def trained(tmp_path_factory: pytest.TempPathFactory) -> TrainingBoard:
    """A board with results, and "Ask the model" open."""
    folder = tmp_path_factory.mktemp("trained")
    one = TrainingBoard("karate", "links", ["GCN", "DE-GNN-SPD"], seeds=1, epochs=2, results=folder)
    KEPT.append(one)  # the other tests close every board there is
    one.start()
    one.wait(LONG)
    one._deep.toggles["ask"].value = True
    return one


def board(*given: Any, **more: Any) -> TrainingBoard:
    return TrainingBoard(*(given or ("karate", "links", ["GCN", "DE-GNN-SPD"])), **{"seeds": 1, "epochs": 2, **more})


def error(one: TrainingBoard) -> str:
    return str(one._error.value)


def test_a_race_fills_chart_table_and_mistakes() -> None:
    one = board()
    assert one._go_button.description == "▶ Start"
    assert "Press Start" in one._progress.value
    assert one._more.layout.display == "none"  # nothing to look into yet
    one._go_button.click()
    one.wait(LONG)
    assert one._go_button.description == "✓ All trained"
    assert [row[0]["text"] for row in one._comparing._sheet.rows] == [row.model for row in one.results().rows]
    assert {trace["name"] for trace in one._curves.chart.figure["data"] if "name" in trace} == {"GCN", "DE-GNN-SPD"}
    assert one._more.layout.display == ""
    assert one._mistakes.sheet.rows
    assert len(one._mistakes.sheet.rows) == len(one.mistakes)
    assert one.store.folder == Path("runs").resolve()


class Ticking:
    """A race as the board's ticker sees it: something new at each look (``step`` 0: nothing), for so many looks."""

    def __init__(self, looks: int, step: int = 1) -> None:
        self.looks, self.step, self.version = looks, step, 0
        self.pauses: list[float] = []

    def wait(self, pause: float) -> bool:
        self.pauses.append(pause)
        self.version += self.step
        return len(self.pauses) > self.looks


def test_a_race_is_drawn_at_most_five_times_a_second_and_rarer_where_drawing_is_dear(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    one = board("karate", "links", ["GCN"])
    clock = iter([0.0, 0.001, 1.0, 1.1, 2.0, 2.0])  # seconds of this thread: drawing takes 1 ms, then 100 ms
    monkeypatch.setattr(boards, "time", SimpleNamespace(thread_time=lambda: next(clock)))
    drawn: list[int] = []
    monkeypatch.setattr(one, "_refresh", lambda: drawn.append(1))
    monkeypatch.setattr(one, "_settle", lambda: drawn.append(2))
    race = Ticking(3)
    one._tick(race)  # type: ignore[arg-type]
    assert drawn == [1, 1, 1, 2]
    assert race.pauses == [pytest.approx(pause) for pause in (0.3, 0.3, 2.5, 0.3)]  # 0.1 s are 4 % of 2.5
    assert min(race.pauses) >= 1 / 5


def test_nothing_new_is_not_drawn_and_a_closed_board_draws_no_more(monkeypatch: pytest.MonkeyPatch) -> None:
    one = board("karate", "links", ["GCN"])
    drawn: list[int] = []
    monkeypatch.setattr(one, "_refresh", lambda: drawn.append(1))
    one._tick(Ticking(3, step=0))  # type: ignore[arg-type]
    assert drawn == [1]  # when it ends, all is shown once
    one.close()
    one._tick(Ticking(3))  # type: ignore[arg-type]
    assert drawn == [1]


def test_a_change_while_training_counts_when_it_ends() -> None:
    one = board("celegans", "links", ["GCN"], epochs=500)
    one.start()
    one._controls.graph.value = "karate"  # by keyboard: the mouse does not reach it
    assert "de-locked" in one._drawers.header._dom_classes
    assert one._known.name == "links-celegans"
    one.cancel()
    assert "de-locked" not in one._drawers.header._dom_classes
    assert one._known.name == "links-karate"
    assert one._go_button.description == "▶ Start"


def test_the_same_board_another_day_shows_the_results_at_once() -> None:
    first = board()
    first.start()
    first.wait(LONG)
    rows, drawn = first._comparing._sheet.rows, first._curves.chart.figure
    first.close()
    again = board()
    assert again._go_button.description == "✓ All trained"
    assert again._progress.value.count("1 of 1 seed<") == 2
    assert "open a mistake to see why" in again._progress.value
    assert "To train more, choose more seeds" in again._progress.value
    assert again._comparing._sheet.rows == rows
    assert again._curves.chart.figure == drawn
    assert again.mistakes == first.mistakes
    again.start()
    assert "Nothing to train" in error(again)
    again._set_aside()
    assert again._comparing._sheet.rows == []
    assert "runs/aside-links-karate-1 now." in error(again)
    again.open_results("runs/aside-links-karate-1")
    assert again._comparing._sheet.rows == rows


def test_a_second_click_does_not_undo_the_first(monkeypatch: pytest.MonkeyPatch) -> None:
    now = [100.0]
    monkeypatch.setattr(go_module, "time", SimpleNamespace(monotonic=lambda: now[0]))
    one = board("celegans", "links", ["GCN"], epochs=500)
    go = one._go_button
    go.click()
    go.click()  # a double click: the second falls on Cancel
    assert one.race is not None
    assert one.race.running
    now[0] += 0.75
    go.click()
    now[0] += 0.6
    go.click()  # the second falls on Continue
    assert not one.race.running
    assert go.description == "▶ Continue"
    now[0] += 0.75
    go.click()
    assert one.race.running


def test_a_click_meant_for_a_race_that_just_ended_does_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    now, clicks = [100.0], list[str]()
    monkeypatch.setattr(go_module, "time", SimpleNamespace(monotonic=lambda: now[0]))
    go = go_module.Go(lambda: clicks.append(go.meaning))
    go.show_as("cancel")
    now[0] += 1.0
    go.show_as("retry")  # the race ended by itself, under the pointer
    go.click()
    now[0] += 1.0
    go.click()
    go.show_as("start")  # another setting was chosen: nothing went from under the pointer
    go.click()
    assert clicks == ["retry", "start"]


def test_a_click_right_after_a_change_of_the_settings_counts() -> None:
    one = board("karate", "links", ["GCN"])
    one.start()
    one.wait(LONG)
    one._controls.epochs.value = 3  # the browser sends both at once when a number is typed and Start is clicked
    one._go_button.click()
    one.wait(LONG)
    assert sorted(run.options["epochs"] for run in one.runs) == [2, 3]


def test_what_was_cancelled_is_continued_on_another_day() -> None:
    first = board("celegans", "links", ["GCN", "DE-GNN-SPD"], epochs=500)
    first.start()
    assert first.race is not None
    until(lambda: any(run.epochs for run in first.race.snapshot().runs))  # type: ignore[union-attr]
    first.cancel()
    folder = first.store.models
    first.close()
    until(lambda: list(folder.glob("*.checkpoint")))
    again = board("celegans", "links", ["GCN", "DE-GNN-SPD"], epochs=500)
    assert again._go_button.description == "▶ Continue"
    assert "0 of 1 seed · cancelled" in again._progress.value
    again._controls.epochs.value = 400
    assert again._go_button.description == "▶ Start"
    again._controls.epochs.value = 500
    assert again._go_button.description == "▶ Continue"


def test_the_table_prefers_the_chosen_settings_and_says_what_it_shows() -> None:
    one = board("karate", "links", ["GCN"])

    def trained(epochs: int, expected: str) -> None:
        one._controls.epochs.value = epochs
        assert expected in one._comparing._notes.value

    one.start()
    one.wait(LONG)
    one._controls.epochs.value = 4
    assert "The settings chosen above are others: of GCN the latest runs are shown." in one._comparing._notes.value
    assert "not yet trained with these settings" in one._progress.value
    one.start()
    one.wait(LONG)
    trained(4, "Trained with at most 4 epochs, each model&#x27;s own values. Test set")
    trained(2, "Trained with at most 2 epochs, each model&#x27;s own values. Test set")
    assert "Trained with at most 2 epochs" in one.results().to_markdown()
    by_epochs = {run.options["epochs"]: run for run in one.runs}
    assert one.results().rows[0].mean == pytest.approx(100 * (by_epochs[2].test or 0))
    assert len(one._curves.chart.figure["data"][0]["x"]) == 2
    trained(3, "Trained with at most 4 epochs, each model&#x27;s own values. The settings chosen above are others")
    one._controls.set_hyper("hidden", 32)
    one._controls.set_hyper("learning_rate", 0.01)
    one.start()
    one.wait(LONG)
    assert "Trained with at most 3 epochs, learning rate 0.01, hidden 32. Test set" in one._comparing._notes.value


def test_the_code_repeats_the_table_and_not_the_controls(capsys: pytest.CaptureFixture[str]) -> None:
    one = board(seeds=2, max_dist=4)
    assert "'epochs': 2" in one.code()  # nothing is trained yet: the code of what is chosen
    one.start()
    one.wait(LONG)
    one._controls.epochs.value = 7
    one._controls.seeds.value = 9
    one._controls.models["SEAL"].value = True
    exec(one.code(), {})
    printed = capsys.readouterr().out
    assert len(printed.splitlines()) == len(one.runs) == 4
    for run in one.runs:
        assert f"{run.model} {run.seed} Summary(epoch={run.best_epoch}, test={run.test}," in printed


def test_another_store_is_opened_by_name_and_the_runs_of_a_file_are_added() -> None:
    first = board("karate", "roles", ["GCN"], results="mine/monday")
    first.start()
    first.wait(LONG)
    one = board("celegans", "links", ["GCN"])
    assert f"Results: {Path('runs').resolve()}." in one._drawers.where.value

    def opens(name: str) -> str:
        one._drawers.file.value = name
        one._drawers._open()
        return error(one)

    assert "There is no finished run in" in opens("mine/tuesday")
    Path("notes.txt").write_text("buy milk\nand bread\n")
    assert "notes.txt is a file; name a folder" in opens("notes.txt")
    assert one.store.folder == Path("runs").resolve()
    assert opens("mine/monday") == ""
    assert (one._controls.task.value, one._controls.graph.value) == ("roles", "karate")
    assert one._comparing._sheet.rows == first._comparing._sheet.rows
    assert one.mistakes == first.mistakes
    assert f"Results: {Path('mine/monday').resolve()}." in one._drawers.where.value
    assert opens("") == ""
    assert one.store.folder == Path("runs").resolve()
    assert one._comparing._sheet.rows == []
    first.store.export("monday.csv")
    assert "Runs in monday.csv: 1, of them new here: 1." in opens("monday.csv")
    assert [run.test for run in one.runs] == [run.test for run in first.runs]
    assert "no.jsonl is not there" in opens("no.jsonl")


def test_every_board_shows_what_any_board_has_trained() -> None:
    a, b = board(), board()
    a.start()
    a.wait(LONG)
    b._controls.changed()
    assert b._go_button.description == "✓ All trained"
    assert b._comparing._sheet.rows == a._comparing._sheet.rows
    assert [run.key for run in b.runs] == [run.key for run in a.runs]
    assert not list(Path("runs").glob("*-2*"))


def test_two_boards_that_train_the_same_do_not_do_it_twice() -> None:
    a, b = board(seeds=2), board(seeds=2)
    for one in (a, b):
        one.start()
    for one in (a, b):
        one.wait(LONG)
    assert sorted(a.runs, key=lambda run: run.key) == sorted(b.runs, key=lambda run: run.key)  # the same seconds, too
    assert len(a.store.runs()) == 4


def test_results_of_earlier_versions_are_shown() -> None:
    first = board("karate", "links", ["GCN"], results="elsewhere")
    first.start()
    first.wait(LONG)
    Path("runs").mkdir()
    first.store.export("runs/links-karate.jsonl")
    first.store.models.rename("runs/links-karate")
    again = board("karate", "links", ["GCN"])
    assert again._go_button.description == "✓ All trained"
    assert again.mistakes == first.mistakes  # its model came along


def test_making_a_board_in_its_cell_again_closes_the_earlier_one(shell: Shell) -> None:
    def long() -> TrainingBoard:
        return board("celegans", "links", ["GCN"], epochs=500)

    made = shell.user_ns["boards"] = list[TrainingBoard]()
    shell.run("a", lambda: made.extend([long(), board()]))  # two boards in one run of a cell
    made[0].start()
    shell.run("b", lambda: made.append(board()))
    shell.run("a", lambda: None)  # the cell makes none this time, and a variable names those that it made
    assert made[0].race is not None
    assert made[0].race.running
    shell.run("a", lambda: made.append(long()))
    assert made[0].race.wait(LONG)
    assert [one._closed for one in made] == [True, True, False, False]


def test_a_deleted_cell_closes_its_board_unless_the_page_shows_it(shell: Shell) -> None:
    shell.run("a", lambda: shell.user_ns.update(mine=board("karate", "links", ["GCN"])))
    one = shell.user_ns["mine"]
    one._curves.chart._handle_custom_msg({"type": "views", "count": 1}, [])  # as chart.js says it
    shell.run("b", lambda: None, deleted=("a",))
    assert not one._closed  # the deletion was undone, or the board is in another view
    one._curves.chart._handle_custom_msg({"type": "views", "count": 0}, [])
    shell.run("b", lambda: None, deleted=("c",))
    assert not one._closed
    shell.run("b", lambda: one._closed, deleted=("a",))
    assert shell.user_ns["Out"][4] is True  # before the other cell was run


def test_a_closed_board_leaves_no_widget_behind(shell: Shell) -> None:
    before = set(_instances)
    one = board("karate", "links", ["GCN"])
    assert len(_instances) > len(before) + 150
    one.start()
    one.wait(LONG)
    for toggle in (*one._drawers.toggles.values(), one._deep.toggles["look"]):
        toggle.value = True
        toggle.value = False
    shell.run("a", lambda: one.open_mistake(0))  # the Explorer inside belongs to the board, not to this cell
    shell.run("a", lambda: None)
    assert one._deep.ask is not None
    assert one._deep.ask.explorer.comm is not None
    one.close()
    assert set(_instances) == before
    with pytest.raises(de.ParameterError):
        board(seeds=21)
    assert set(_instances) == before


def test_running_a_boards_cell_again_frees_what_it_made_before(shell: Shell) -> None:
    before = len(_instances)
    shell.run("a", board)
    each = len(_instances) - before
    shell.run("a", board)
    assert len(_instances) == before + each
    shell.run("b", lambda: None, deleted=("a",))
    assert len(_instances) == before


MALFORMED = [None, 7, [], {}, {"type": 7}, {"type": "row"}, {"type": "row", "row": "0"}, {"type": "row", "row": -1},
             {"type": "row", "row": 50}, {"type": "row", "row": 10**400}, {"type": "views", "count": None},
             {"type": "views", "count": "\ud800"},
             {"type": "shown", "row": {}}, {"type": ["row"]}]  # fmt: skip


@pytest.mark.parametrize("content", MALFORMED, ids=str)
def test_a_malformed_message_from_a_page_changes_nothing_and_shows_no_traceback(
    trained: TrainingBoard, content
) -> None:
    one = trained
    widgets = (one._curves.chart, one._mistakes.sheet, one._comparing._sheet, one._deep.ask.missing.sheet,
               one._deep.ask.spot)  # fmt: skip
    for widget in widgets:
        widget._handle_custom_msg(content, [])
        widget.set_state({"rows": "none", "figure": 7, "columns": [None]})
    assert "Traceback" not in error(one) + one._deep.ask.missing.note.value
    assert one._curves.chart.views == 0
    assert len(one._mistakes.sheet.rows) == len(one.mistakes)


@pytest.mark.parametrize("file", [{"name": 7, "content": b""}, {"name": "g.csv", "content": 10**12}])
def test_a_malformed_upload_is_refused_in_a_sentence(file: dict[str, Any]) -> None:
    one = board()
    one._drawers._files[0].set_state({"value": [{"type": "", "size": 1, "last_modified": 0, **file}]})
    one._drawers._read()
    assert "choose the file again" in error(one)
    assert "Traceback" not in error(one)


def test_closing_ends_every_thread() -> None:
    one = board("celegans", "links", ["GCN"], epochs=500)
    one.start()
    assert one.race is not None
    one.close()
    assert one.race.wait(LONG)
    one.wait(LONG)
    until(lambda: not [thread for thread in threading.enumerate() if thread.name in ("race", "training board")])


def test_fast_shortens_epochs_and_seeds_only(monkeypatch: pytest.MonkeyPatch) -> None:
    slow = board(seeds=5, epochs=40, max_dist=4)._controls.plan()
    monkeypatch.setenv("DEGNN_FAST", "1")
    fast = board(seeds=5, epochs=40, max_dist=4)._controls.plan()
    assert (fast.seeds, fast.epochs) == (1, 3)
    assert (slow.seeds, slow.epochs) == (5, 40)
    assert (fast.models, fast.hyper, fast.options, fast.device) == (slow.models, slow.hyper, slow.options, slow.device)


def test_what_goes_wrong_is_shown_in_the_panel() -> None:
    one = board("celegans", "roles", ["GCN"])
    one._go_button.click()
    assert "needs a label for each node" in error(one)
    one._controls.task.value = "links"
    for check in one._controls.models.values():
        check.value = False
    one._go_button.click()
    assert "No model is chosen" in error(one)
    gone = board(device="cuda:9")
    gone._go_button.click()
    assert "cannot be used here" in error(gone)
    raised = board(learning_rate=1e30)
    raised.start()
    raised.wait(LONG)
    assert "The loss became" in raised._progress.value
    assert "ended; what went wrong is said below" in raised._progress.value


def test_arguments_are_checked_in_words() -> None:
    with pytest.raises(de.ParameterError, match="Did you mean 'karate'"):
        board("karat")
    with pytest.raises(de.ParameterError, match="seeds must be a whole number from 1 to 20, not 21"):
        board(seeds=21)
    with pytest.raises(de.ParameterError, match="setting='layer' is not known"):
        board(layer=2)


def test_models_that_do_not_take_the_task_are_not_offered() -> None:
    one = board("karate", "roles", ["GCN", "SEAL", "PGNN"])
    assert one._controls.chosen() == ["GCN"]
    assert one._controls.models["SEAL"].disabled
    one._controls.task.value = "links"
    assert one._controls.chosen() == ["GCN", "PGNN", "SEAL"]


def test_the_papers_values_are_one_click_away() -> None:
    one = board("celegans", "links", ["DE-GNN-SPD", "DEA-GNN-SPD"])
    told: list[int] = []
    one._curves.chart.observe(lambda _: told.append(1), "serial")
    one._controls.paper_values()
    plan = one._controls.plan()
    assert plan.options == {"optimizer": "sgd", "learning_rate": 1e-4, "patience": None}  # batches of 64, as usual
    assert (plan.seeds, plan.epochs, plan.hyper["hops"], plan.hyper["hidden"]) == (20, 500, 2, 100)
    plan.check()
    assert len(told) <= 1  # thirteen controls, one change
    one._controls.our_values()
    assert one._controls.plan().options == {}  # each model's own learning rate
    assert one._controls.plan().hyper == {}
    assert (one._controls.plan().seeds, one._controls.plan().epochs) == (3, 40)


def test_larger_batches_come_with_a_rate_of_their_own() -> None:
    controls = board("celegans", "links", ["GCN"])._controls
    controls.batch.value = 256
    assert controls.batch.label == "256, learning rate scaled"
    assert controls.plan().options == {"batch_size": 256, "learning_rate": "scaled"}
    assert controls.plan().settings("GCN")[1]["learning_rate"] == 0.002
    controls.rate.value = 1e-4
    assert controls.plan().options == {"batch_size": 256, "learning_rate": 1e-4}  # what is chosen is what is taken


def test_no_setting_is_in_force_that_the_menus_do_not_show() -> None:
    shown = board()
    one = shown._controls
    one.paper_values()
    assert one.optimiser.label == "SGD, as the paper"
    assert one.patience.label == "never, as the paper"
    for menu in one.settings:
        menu.value = ""  # by hand, back to each model's own
    assert one.plan().options == {}
    assert one.plan().hyper == {}
    shown._drawers.toggles["more"].value = True
    assert {one.optimiser, one.patience} <= set(shown._drawers.drawer.children[0].children)


def test_what_a_click_opens_is_scrolled_to() -> None:
    one = board("karate", "links", ["GCN"])
    one.start()
    one.wait(LONG)
    one._clicked(one.open_mistake, 0)
    assert one._deep.ask is not None
    spot = one._deep.ask.spot
    assert spot.wanted  # until a page has done so
    spot._handle_custom_msg({"type": "shown"}, [])
    assert not spot.wanted
    sent: list[Any] = []
    spot.send = sent.append  # type: ignore[method-assign]
    spot._handle_custom_msg({"type": "here"}, [])  # a page was reloaded
    assert sent == []
    spot.show()
    spot._handle_custom_msg({"type": "here"}, [])  # a page that was not there when it was asked
    assert sent == [{"type": "show"}] * 2
    spot._handle_custom_msg({"type": "shown"}, [])
    one._deep.toggles["ask"].value = False
    assert not spot.wanted
    one._deep.toggles["look"].value = True
    assert one._deep.look is not None
    assert one._deep.look.spot.wanted
    assert not spot.wanted


def test_a_copy_that_the_browser_refuses_is_said() -> None:
    one = board("karate", "links", ["GCN"])._comparing
    one.copy()
    assert "de.link_task" in one._code.value
    one._sheet._handle_custom_msg({"type": "not copied"}, [])
    assert "did not allow copying" in one._said.value
    one._sheet._handle_custom_msg({"type": "copied"}, [])
    assert "Copied." in one._said.value


def test_an_own_graph_with_labels_from_a_file_or_a_column() -> None:
    ring = "".join(f"{i},{(i + 1) % 30}\n" for i in range(30)).encode()
    labels = ("roles.csv", "".join(f"{i},{'odd' if i % 2 else 'even'}\n" for i in range(30)).encode())
    one = board()
    one._controls.use(read_own("my ring.csv", ring, labels, None))
    one._controls.task.value = "roles"
    assert one._known.name == "roles-my-ring"
    one.start()
    one.wait(LONG)
    assert {run.graph for run in one.runs} == {"my ring"}
    nodes = ", ".join(f'{{"id": {i}, "kind": {i % 2}}}' for i in range(30))
    links = ", ".join(f'{{"source": {i}, "target": {(i + 1) % 30}}}' for i in range(30))
    graph = read_own("g.json", f'{{"nodes": [{nodes}], "links": [{links}]}}'.encode(), None, "kind")
    assert graph.labels is not None
    assert graph.labels.tolist() == [i % 2 for i in range(30)]


def test_the_labels_of_one_upload_are_not_put_on_the_next() -> None:
    def upload(name: str, content: bytes) -> dict[str, Any]:
        return {"value": [{"name": name, "type": "", "size": 1, "content": content, "last_modified": 0}]}

    one = board()
    graph_file, label_file = one._drawers._files
    graph_file.set_state(upload("ring.csv", "".join(f"{i},{(i + 1) % 9}\n" for i in range(9)).encode()))
    label_file.set_state(upload("sides.csv", "".join(f"{i},{i % 2}\n" for i in range(9)).encode()))
    one._drawers._read()
    assert "2 classes" in one._drawers._report.value
    assert (graph_file.value, label_file.value) == ((), ())
    assert one._controls.current().labels is not None
    one._drawers._read()
    assert "Choose a graph file first, or a labels file" in error(one)


def test_labels_come_after_the_graph_and_several_own_graphs_stay_in_the_menu() -> None:
    def upload(name: str, content: str) -> dict[str, Any]:
        content_ = content.encode()
        return {"value": [{"name": name, "type": "", "size": 1, "content": content_, "last_modified": 0}]}

    one = board()
    graph_file, label_file = one._drawers._files
    for size in (9, 12):
        graph_file.set_state(upload(f"ring{size}.csv", "".join(f"{i},{(i + 1) % size}\n" for i in range(size))))
        one._drawers._read()
        assert one._controls.current().num_nodes == size and one._controls.current().labels is None
    names = [label for label, _ in one._controls.graph.options][-2:]
    assert names == ["ring9 · 9 nodes, 9 edges", "ring12 · 12 nodes, 12 edges"]
    one._controls.graph.value = one._controls.graph.options[-2][1]
    label_file.set_state(upload("sides.csv", "".join(f"{i},{i % 2}\n" for i in range(9))))
    one._drawers._read()
    labels = one._controls.current().labels
    assert labels is not None and labels.tolist() == [i % 2 for i in range(9)]
    assert [label for label, _ in one._controls.graph.options][-2:] == names  # no second ring of nine
    assert error(one) == ""


def test_a_setting_that_no_chosen_model_has_does_not_stop_the_race() -> None:
    one = board("karate", "links", ["GCN"], max_dist=4, hidden=16)
    assert one._controls.plan().hyper == {"hidden": 16}
    one._controls.models["DE-GNN-SPD"].value = True
    assert one._controls.plan().hyper == {"hidden": 16, "max_dist": 4}


def test_an_upload_that_cannot_be_read_is_named_as_the_reader_named_it() -> None:
    with pytest.raises(de.GraphError, match=r"^my net\.graphml: line 1: mismatched tag; expected well-formed XML\.$"):
        read_own("my net.graphml", b"<graphml><graph><node id='a'></graph>")
    with pytest.raises(de.GraphError, match=r"^roles\.csv"):
        read_own("g.csv", b"a,b\n", ("roles.csv", b"\xff\xfe\x00garbage,1,2\nz\n"), None)
    with pytest.raises(de.GraphError, match=r"more than 50 MB are in the file .*de\.read_graph"):
        read_own("big.csv", b"a" * 60_000_000)


def test_asking_agrees_with_predict_and_with_the_mistake() -> None:
    one = board()
    one.start()
    one.wait(LONG)
    one._deep.toggles["ask"].value = True
    assert one._deep.ask is not None
    one._deep.ask.missing.search()
    one._deep.ask.missing.wait(LONG)
    assert "Pick a node first" in one._deep.ask.missing.note.value
    one.open_mistake(0)
    worst = one.mistakes[0]
    assert one._deep.ask.explorer.targets == [list(worst.nodes)]
    judge = one.results().rows[0].model
    answers = one._known.shelf.ask(one.runs, worst.nodes)
    assert answers[judge][0] == pytest.approx(worst.score)
    assert f"{answers['GCN'][0]:.3f}" in one._deep.ask._answer.value
    missing = one._deep.ask.missing
    missing.search()
    missing.wait(LONG)
    graph = de.load("karate")
    assert len(missing.pairs) == 10
    assert not graph.has_edges(missing.pairs).any()
    assert f"{judge} scored all " in missing.note.value
    assert missing.button.description == "Which links are missing?"
    with pytest.raises(de.ParameterError, match="no mistake 99"):
        one.open_mistake(99)


def test_roles_have_a_confusion_matrix_and_pick_one_node() -> None:
    one = board("karate", "roles", ["GCN", "DE-GNN-SPD"])
    one.start()
    one.wait(LONG)
    one._deep.toggles["look"].value = True
    assert one._deep.look is not None
    assert "heatmap" in {trace["type"] for trace in one._deep.look.chart.figure["data"]}
    one._deep.toggles["ask"].value = True
    assert one._deep.ask is not None
    one._deep.ask.explorer.state.choose(0, [3])
    assert "In truth: class 0." in one._deep.ask._answer.value


def test_names_are_escaped() -> None:
    evil = "<img src=x onerror=alert(1)>"
    edges = [(f"{i}{evil}", f"{(i + s) % 24}{evil}") for i in range(24) for s in (1, 2)]
    graph = de.Graph.from_edges(edges, title=evil)
    one = board(graph, "links", ["GCN"])
    one.start()
    one.wait(LONG)
    one.open_mistake(0)
    assert one._deep.ask is not None
    shown = [one._deep.ask._answer.value, one._progress.value, one._comparing._notes.value, one._curves._title.value]
    assert not any("<img" in text for text in shown)
    assert "&lt;img" in shown[0]


def test_a_folder_that_is_none_is_refused(tmp_path: Path) -> None:
    foreign = tmp_path / "mine.json"
    foreign.write_text('{"nodes": [1, 2]}')
    with pytest.raises(de.ParameterError, match=r"mine\.json is a file; name a folder"):
        board("karate", "links", ["GCN"], results=foreign)
    assert foreign.read_text() == '{"nodes": [1, 2]}'


def test_the_code_of_an_own_graph_says_what_to_put_there(tmp_path) -> None:
    ring = de.Graph.from_edges([(i, (i + s) % 20) for i in range(20) for s in (1, 2)]).with_labels([0, 1] * 10)
    one = board(ring, "roles", ["GCN"], results=tmp_path / "r", seeds=1, epochs=1)
    one.start()
    one.wait(LONG)
    assert "A graph of your own" in one.code()
    assert "with_labels" in one.code()


def test_a_folder_that_cannot_be_written_to_is_said_and_the_race_is_not_called_finished(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "notes").write_text("a file, not a folder")
    one = board("karate", "links", ["GCN"], results=tmp_path / "notes" / "r")
    one._go_button.click()
    assert f"{tmp_path / 'notes' / 'r'} cannot be written to" in error(one)
    assert "TrainingBoard(..., results=" in error(one)
    assert one._go_button.description == "▶ Start"

    def full(self: de.Store, run: Any) -> None:
        raise de.ParameterError(f"{self.folder} cannot be written to (No space left on device).")

    monkeypatch.setattr(de.Store, "put", full)
    other = board("karate", "links", ["GCN"], results=tmp_path / "r")
    other.start()
    other.wait(LONG)
    assert "No space left on device" in other._progress.value
    assert "stopped, by what is said below: what is finished is kept" in other._progress.value
    assert other._go_button.description == "▶ Continue"


def test_the_comparison_is_the_table_of_its_downloads(trained: TrainingBoard) -> None:
    sheet, table = trained._comparing._sheet, trained.results()
    headings = table.headings
    assert [column["label"] for column in sheet.columns] == [*headings[:2], headings[-1], *headings[2:-1]]
    markdown = [line.strip("| ").split(" | ") for line in table.to_markdown().splitlines()[2:4]]
    shown = [[cell["text"] for cell in row] for row in sheet.rows]
    assert [row[3:] for row in shown] == [row[2:8] for row in markdown]
    assert [row[6]["sort"] for row in sheet.rows] == [1.0, 1.0]
    assert [row[3]["sort"] for row in sheet.rows] == [-1.0, -1.0]  # the paper has no karate: a dash, sorted last
    differences = [row.mean - table.rows[1].mean for row in table.rows]  # the second is the baseline
    assert [row[2]["sort"] for row in sheet.rows] == pytest.approx(differences, abs=0.05)
    assert [row[2]["css"] for row in sheet.rows] == ["de-hint", "de-hint"]  # one seed: not green
    sent: list[dict[str, Any]] = []
    trained._comparing._sheet.send = sent.append  # type: ignore[method-assign]
    for kind in ("csv", "latex", "markdown"):
        trained._comparing.download(kind)
    assert [message["name"] for message in sent] == ["links-karate.csv", "links-karate.tex", "links-karate.md"]
    assert [message["text"] for message in sent] == [table.to_csv(), table.to_latex(), table.to_markdown()]


def test_a_spreadsheet_shows_a_title_and_does_not_run_it() -> None:
    graph = de.Graph.from_edges([(i, (i + s) % 24) for i in range(24) for s in (1, 2)], title="=HYPERLINK(1)")
    one = board(graph, "links", ["GCN"])
    one.start()
    one.wait(LONG)
    assert "\n'=HYPERLINK(1),links,auc," in one.results().to_csv()


def test_only_the_time_of_a_running_model_is_said_and_bars_are_as_long_as_their_share() -> None:
    def bars(state: str, left: float | None, error: str = "") -> str:
        return progress_bars(Snapshot("running", (Progress("GCN", state, 1, 3, 0.456, left, error),), left, (), 1))

    assert "1 of 3 seeds · 2 min 10 s left" in bars("running", 130.0)
    assert "left" not in bars("preparing", 130.0)
    assert "1 of 3 seeds · preparing<" in bars("preparing", None)
    busy = Progress("GCN", "preparing", 1, 3, 0.4, None, doing="extracting ego-networks, 40%")
    assert "preparing: extracting ego-networks, 40%<" in progress_bars(Snapshot("running", (busy,), None, (), 1))
    assert 'aria-valuenow="46"' in bars("running", None)
    assert "width:45.6%" in bars("running", None)
    assert "&lt;b&gt;" in bars("failed", None, "Traceback\n<b>")
    assert not {"<i>", "<b>"} & set(re.findall("<.>", bars("failed", None, "Traceback <i>\n<b>")))
    assert "about 2 min 10 s left" in progress_title(Snapshot("running", (), 130.0, (), 1))


def test_roc_and_scores_by_distance_are_those_of_the_chosen_model(trained: TrainingBoard) -> None:
    trained._deep.toggles["look"].value = True
    look = trained._deep.look
    assert look is not None
    best, *_ = trained.results().rows
    assert look.model.value == best.model
    shelf = trained._known.shelf
    runs = {run.model: run for run in trained.runs}
    for model in ("GCN", "DE-GNN-SPD"):
        look.model.value = model
        scored = shelf.scored(runs[model])
        data = look.chart.figure["data"]
        bars = [trace for trace in data if trace["type"] == "bar"]
        assert sum(sum(trace["y"]) for trace in bars) == len(scored.task.test)
        linked = [trace for trace in bars if trace["name"] == "linked"]
        assert sum(sum(trace["y"]) for trace in linked) == int(scored.task.test.labels.sum())
        lines = {t["name"].partition(", AUC ")[0]: t for t in data if ", AUC " in t.get("name", "")}
        assert {name: t["line"]["width"] for name, t in lines.items()} == {n: 3 if n == model else 1.5 for n in runs}
        assert {name: t["line"]["dash"] for name, t in lines.items()} == {"GCN": "dot", "DE-GNN-SPD": "solid"}
        area = auc(scored.probability, scored.task.test.labels == 1)
        assert lines[model]["name"] == f"{model}, AUC {100 * area:.1f}"
        (curve,) = (t for t in data if t.get("name") == "corrected score")
        assert curve["y"][50] == round(78 / 561, 4)  # a score of 0.5 says no more than the density
        measured = {row[0]["text"]: row[1]["sort"] for row in look.sheet.rows}
        assert measured[model] == pytest.approx(area)
        wrong = int((scored.given != scored.task.test.labels).sum())
        assert f"{model}, seed 0: {wrong} of 16 test sets are judged wrong." in look._note.value
    assert "14 % of all are linked, so that a score of 0.9 stands for about 59 %." in look._note.value
    look.k.value = 3
    assert [column["label"] for column in look.sheet.columns][-2:] == ["precision@3", "Hits@3"]


def test_the_truth_about_a_pair_says_what_was_held_out(trained: TrainingBoard) -> None:
    ask = trained._deep.ask
    assert ask is not None
    task = trained._known.shelf.task(0)
    held_out = next(pair for pair, label in zip(task.test.sets.tolist(), task.test.labels, strict=True) if label)
    apart = next(pair for pair, label in zip(task.test.sets.tolist(), task.test.labels, strict=True) if not label)
    for pair, words in (
        (held_out, "In truth: linked, held out from training."),
        (apart, "In truth: not linked."),
        (task.graph.edges[0].tolist(), "In truth: linked."),
    ):
        ask.open_set(trained._known.shelf, 0, pair)
        assert words in ask._answer.value
    ask.explorer.state.choose(0, [0])
    assert "Pick 2 nodes in the graph below; 1 picked so far." in ask._answer.value


def test_the_search_for_missing_links_begins_with_the_best_model_and_opens_a_pair(trained: TrainingBoard) -> None:
    ask = trained._deep.ask
    assert ask is not None
    ask.open_set(trained._known.shelf, 0, [0, 9])
    models, task, S = ask._search()
    assert next(iter(models)) == trained.results().rows[0].model
    assert (task.seed, S) == (0, [0, 9])
    ask.missing.search()
    ask.missing.wait(LONG)
    assert [column["label"] for column in ask.missing.sheet.columns] == ["unlinked pair", *models, "precision"]
    scores = [row[1]["sort"] for row in ask.missing.sheet.rows]
    assert scores == sorted(scores, reverse=True)
    ask.missing.sheet._handle_custom_msg({"type": "row", "row": 2}, [])
    assert sorted(ask.explorer.targets[0]) == sorted(ask.missing.pairs[2])


def test_labels_at_the_end_of_curves_do_not_meet_and_bands_are_those_of_the_curve() -> None:
    gcn = Curve("GCN", [0.6, 0.7], [[0.6, 0.7]] * 5, [0.5, 0.6], [0.7, 0.8])
    seal = Curve("SEAL", [0.6, 0.71], [[0.6, 0.7], [0.6, 0.72, 0.7]], [], [])
    formula = Curve("Adamic-Adar", [0.55], [[0.5], [0.6]], [], [])
    made = curve_figure([gcn, seal], "test", "AUC", 10)
    y = [note["y"] for note in made["layout"]["annotations"]]
    low, high = made["layout"]["yaxis"]["range"]
    assert y[1] - y[0] >= (high - low) / 16 * 0.99  # the height of a line
    assert made["data"][0]["y"] == [0.7, 0.8, 0.6, 0.5]
    assert made["layout"]["xaxis"]["range"] == [0.5, 10.5]
    assert [trace["line"]["dash"] for trace in made["data"] if "name" in trace] == ["dot", "dot"]
    assert [trace.get("fill") for trace in made["data"]].count("toself") == 1  # no band of two seeds
    points = [trace for trace in made["data"] if trace["mode"] == "markers"]
    assert (points[1]["x"], points[1]["y"]) == ([2, 3], [0.7, 0.7])  # of SEAL: where each of its seeds ends
    assert made["layout"]["xaxis"]["title"]["text"] == "epoch; points: single seeds; bands: 95 % over seeds"
    level = curve_figure([formula], "test", "AUC", 10)["data"][-1]
    assert (level["x"], level["y"], level["line"]["dash"]) == ([0.5, 10.5], [0.55, 0.55], "dash")


def test_a_score_is_counted_at_its_distance() -> None:
    task = de.link_task(de.load("karate"), seed=0)
    count = len(task.test)
    distance = np.array([2, 3, 4, 5, -1] * 4)[:count]
    panels = _by_distance(Scored(task, np.linspace(0, 1, count), distance))
    assert [title for title, _ in panels] == [
        f"distance 2, {int((distance == 2).sum())} sets",
        f"distance 3, {int((distance == 3).sum())} sets",
        f"distance 4, {int((distance == 4).sum())} sets",
        f"distance 5 or more, {int(((distance == 5) | (distance < 0)).sum())} sets",
    ]
    assert sum(int(which.sum()) for _, which in panels) == count


def test_the_board_says_when_distances_are_cut_short_and_what_each_models_own_value_is() -> None:
    ladder = de.Graph.from_edges(
        [(i, i + 2) for i in range(60)] + [(i, i + 1) for i in range(0, 60, 2)] + [(i, i + 5) for i in range(0, 50, 3)]
    )
    one = board(ladder, "links", ["GCN", "DE-GNN-SPD"], max_dist=2)
    assert "With max_dist=2," in one._drawers.hint.value
    one._controls.hyper["max_dist"].value = 5
    assert (one._drawers.hint.value, one._drawers.hint.layout.display) == ("", "none")
    assert one._controls.hyper["max_dist"].options[0] == ("each model's own: 3", "")
    assert one._controls.rate.options[0] == ("each model's own: 0.001", "")
    one._controls.models["DEA-GNN-PR"].value = True
    assert one._controls.rate.options[0] == ("each model's own: 0.001, 0.01", "")
    assert one._controls.hyper["max_dist"].value == 5


def test_settings_chosen_on_validation_are_those_of_the_next_race() -> None:
    one = board("karate", "links", ["Adamic-Adar", "Katz"])
    one._tuning.go()
    one._tuning.wait(LONG)
    assert "Best of at most 4 settings of each model:" in one._tuning.note.value
    chosen = one._controls.found.get("Katz", {})
    assert one._known.plan.settings("Katz")[0] == {"damping": 0.2, **chosen}
    one._controls.use_own({"Katz": {"damping": 0.9}})
    assert one._known.plan.settings("Katz")[0] == {"damping": 0.9}
    one._controls.hyper["layers"].value = 3  # a value for all models: those of single ones go
    assert one._known.plan.settings("Katz")[0] == {"damping": 0.2}
