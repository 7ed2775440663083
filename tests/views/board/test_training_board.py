"""The Training Board without a browser: a race, what the page gets of it, and what it does with what the page sends."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Iterator
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import psutil
import pytest
import torch

import degnn_explore as de
from degnn_explore.common.errors import ParameterError
from degnn_explore.learn.registry import MODELS
from degnn_explore.views.board.board import TrainingBoard
from tests.support.waiting import LONG, until

EVIL = "<img src=x onerror=alert(1)>"


@pytest.fixture(scope="module")
def board(tmp_path_factory: pytest.TempPathFactory) -> Iterator[TrainingBoard]:
    karate = de.load("karate")
    G = de.Graph.from_edges(karate.edges, names=[EVIL, *karate.names[1:]], title="own <b>graph</b>")
    made = TrainingBoard(G, "links", ["GCN", "DE-GNN-SPD"], seeds=2, epochs=3, results=tmp_path_factory.mktemp("b"))
    made.ended = []  # type: ignore[attr-defined]
    made.observe(lambda change: made.ended.append(change["new"]), "finished")  # type: ignore[attr-defined]
    made.start()
    made.wait(LONG)
    yield made
    made.close()


def test_a_race_ends_in_a_headline_rows_and_mistakes(board: Any) -> None:
    assert board.ended == [4] and board.error == {}
    assert board.headline["title"].split(" reaches ")[0] in ("GCN", "DE-GNN-SPD")
    assert board.headline["sure"].startswith("Two seeds: too few to be sure.")
    rows = {row["model"]: row for row in board.result["rows"]}
    assert set(rows) == {"GCN", "DE-GNN-SPD"} == set(board.results().frame().index)
    for row in board.results().rows:
        shown = rows[row.model]
        assert shown["mean"] == pytest.approx(sum(shown["seeds"]) / 2, abs=0.02) == round(row.mean, 2)
        assert shown["paper"] is None
    assert board.go["meaning"] == "done" and board.tab["kind"] == "mistakes"
    assert len(board.tab["rows"]) == len(board.mistakes)


def test_a_race_by_mrr_has_it_in_headline_rows_and_chosen_epochs(tmp_path: Path) -> None:
    task = de.link_task(de.load("karate"), per_positive=10, negatives="hard")
    models = ["GCN", "BUDDY", "NCN"]
    board = TrainingBoard(task, models=models, metric="mrr", seeds=1, epochs=4, results=tmp_path)
    board.start()
    board.wait(LONG)
    assert board.error == {} and board.result["metric"] == "MRR"
    by_model = {run.model: run for run in board.runs}
    assert set(by_model) == set(models)
    for row in board.result["rows"]:
        run = by_model[row["model"]]
        by_val = max(run.epochs, key=lambda epoch: (epoch["val"]["mrr"], -epoch["number"]))
        assert row["mean"] == pytest.approx(100 * by_val["test"]["mrr"], abs=0.01)
        assert run.measures["auc"] == by_val["test"]["auc"]
    first = max(by_model.values(), key=lambda run: run.test)
    assert board.headline["title"].startswith(f"{first.model} reaches {100 * first.test:.1f}")
    board.close()


def test_the_state_is_small_and_one_model(board: Any) -> None:
    state = {name: value for name, value in board.get_state().items() if not isinstance(value, bytes)}
    state.pop("_script"), state.pop("_css")
    assert len(json.dumps(state)) < 500_000
    assert board.layout is None


def test_a_mistake_opens_in_the_explorer_and_is_asked_and_explained(board: Any) -> None:
    worst = board.mistakes[0]
    board.open_mistake(0)
    assert board.inner_targets == [list(worst.nodes)] and board.view["tab"] == "ask"
    assert {one["model"] for one in board.answer["scores"]} == {"GCN", "DE-GNN-SPD"}
    assert board.answer["truth"].startswith("In truth: ")
    assert board.inner_options["inside"] and board.inner_graphs["nodes"] == [34] and board.inner_xy
    board.do("why", {"model": "GCN"})
    why = board.answer["why"]
    strengths = [strength for _, _, strength in why["marks"]]
    assert why["model"] == "GCN" and max(map(abs, strengths)) == 1
    assert strengths[0] * float(why["rows"][0]["cells"][-1].replace("−", "-")) < 0  # a lower score: it speaks for it
    explained = de.explain(board._trained.model(board._trained.of_seed(board.runs, worst.seed)["GCN"]),
                           board._trained.task(worst.seed).graph, worst.nodes)  # fmt: skip
    zero = {
        tuple(sorted(map(int, edge))) for *edge, _, change in explained.edges.to_numpy().tolist() if abs(change) < 5e-4
    }
    assert {tuple(sorted((u, v))) for u, v, strength in why["marks"] if strength == 0} == zero
    board.do("why", {"close": True})
    assert not board.answer["why"]


def test_a_click_in_the_explorer_asks_again(board: Any) -> None:
    board.open_mistake(0)
    board.set_state({"inner_targets": [[0, 33]]})
    assert board._inner.state.sides[0].targets == (0, 33) and board.answer["nodes"] == [0, 33]
    board.set_state({"inner_targets": [[5]]})
    assert board.answer["scores"] == [] and "1 picked" in board.answer["text"]
    with pytest.raises(ParameterError, match="Pick a set"):
        board.do("why", {})


def test_every_tab_has_its_table(board: Any) -> None:
    board.do("tab", {"tab": "distance"})
    counted = sum(int(row["cells"][1]) for row in board.tab["rows"])
    assert counted == len(board._trained.task(0).test.sets)
    board.do("tab", {"tab": "missing"})
    until(lambda: board.tab.get("rows"), LONG)
    linked = board._runs.setup.graph
    assert board.tab["rows"] and not any(linked.has_edges([row["nodes"]])[0] for row in board.tab["rows"])
    board.do("tab", {"tab": "mistakes"})
    assert board.tab["kind"] == "mistakes"


def test_the_page_may_change_what_it_may_change(board: Any) -> None:
    before = board.headline
    board.set_state({"headline": {"title": "hacked"}, "go": {}})
    assert board.headline == before
    board.set_state({"values": {**board.values, "seeds": 99}})
    assert "seeds must be a whole number from 1 to 20" in board.error["text"] and board.values["seeds"] == 2
    board._message(None, {"kind": "do", "name": "nonsense"}, [])
    assert "command" in board.error["text"]
    board.set_state({"values": {**board.values, "epochs": 4}})
    assert board.error == {} and board.go["meaning"] == "race"
    board.set_state({"values": {**board.values, "epochs": 3}})
    assert board.go["meaning"] == "done"


def test_files_and_code_go_to_the_page(board: Any, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    sent: list[dict[str, str]] = []
    monkeypatch.setattr(board, "send", lambda content, buffers=None: sent.append(content))
    for what in ("report", "csv", "latex", "code"):
        board.do("download", {"what": what})
    assert [one.get("name", "").rpartition(".")[2] for one in sent] == ["html", "csv", "tex", ""]
    assert "de.link_task" in sent[3]["text"]
    page = board.report(tmp_path / "race.html").read_text(encoding="utf-8")
    for heading in ("Curves", "Comparison", "Hardest mistakes of ", "Settings", "Versions", "Python that repeats"):
        assert f"<h2>{heading}" in page
    assert EVIL not in page and "<b>graph" not in page and "<script" not in page
    assert "paper" not in page.partition("<h2>Comparison")[2].partition("</thead>")[0]
    assert board.headline["title"] in board.static()[0]


class Degrees(de.SetNet):
    """A linear layer on the degrees."""

    def __init__(self, name: str, shape: Any, **hyper: Any) -> None:
        super().__init__(name, shape, hyper)
        self.out = torch.nn.Linear(1, shape.outputs)

    def prepare(self, graph: Any, sets: Any) -> Any:
        return de.Rows((torch.tensor(graph.degrees[sets].sum(axis=1, keepdims=True)).float(),))

    def forward(self, batch: Any) -> Any:
        return self.out(batch).squeeze(1)


def test_the_name_of_a_model_closes_no_attribute_and_opens_no_element(tmp_path: Path) -> None:
    name = "x'onload='y' \" onclick=\"z <img src=q>"
    with pytest.warns(UserWarning, match="sees the edges inside a set"):
        de.register_model(Degrees, name=name, sizes=(2,))
    board = TrainingBoard("karate", "links", [name], seeds=1, epochs=1, results=tmp_path)
    board.start()
    board.wait(LONG)
    assert board.error == {} and board.result["rows"][0]["model"] == name
    page = HTMLParser()
    found: list[tuple[str, str | None]] = []
    words: list[str] = []
    page.handle_starttag = lambda tag, attributes: found.extend([(tag, None), *attributes])  # type: ignore[method-assign]
    page.handle_data = words.append  # type: ignore[method-assign]
    page.feed(board.report(tmp_path / "race.html").read_text(encoding="utf-8"))
    page.feed(board.static()[1])
    assert name in "".join(words)
    assert not {"onload", "onclick"} & {attribute for attribute, _ in found} and ("src", "q") not in found
    board.close()
    del MODELS[name]


def test_earlier_runs_are_shown_when_they_are_asked_for(board: Any) -> None:
    again = TrainingBoard(
        board.state.graph, "links", ["GCN", "DE-GNN-SPD"], seeds=2, epochs=3, results=board.store.folder
    )
    assert again.result["rows"] == [] and again.headline["earlier"] == 4 and again.go["meaning"] == "race"
    again.do("earlier", {})
    assert len(again.result["rows"]) == 2 and again.headline["earlier"] == 0
    again.close()
    third = TrainingBoard(board.state.graph, "links", ["GCN"], seeds=1, epochs=3, results=board.store.folder)
    third.start()  # nothing is trained again
    assert [row["model"] for row in third.result["rows"]] == ["GCN"] and not third.running
    third.close()


def test_a_click_brings_the_choices_along_that_have_not_arrived_yet(tmp_path: Path) -> None:
    board = de.TrainingBoard("karate", "links", ["GCN"], seeds=1, epochs=2, results=tmp_path)
    chosen = board.values | {"models": ["GCN", "Katz"]}
    board.do("go", {"meaning": "race", "values": chosen})
    board.set_state({"values": chosen})  # it arrives while the race is under way
    board.wait(LONG)
    assert not board.error and {row["model"] for row in board.result["rows"]} == {"GCN", "Katz"}
    board.close()


def test_cancel_and_continue(tmp_path: Path) -> None:
    one = TrainingBoard("celegans", "links", ["GCN"], seeds=1, epochs=3000, results=tmp_path)
    one.do("go", {"meaning": "race"})
    one.do("go", {"meaning": "cancel"})  # the second click of a double click
    assert one.running
    until(lambda: one.chart.get("data"), LONG)
    one.cancel()
    assert one.go["meaning"] == "continue" and one.headline["sure"].startswith("Stopped")
    drawn = len(one.chart["data"][-1]["x"])
    one.start()
    until(lambda: one.running and len(one.chart["data"][-1]["x"]) > drawn, LONG)
    with pytest.raises(ParameterError, match="training already"):
        one.start()
    one.close()
    assert one.race is not None
    until(lambda: not one.running, LONG)


def test_a_store_that_cannot_be_written_to_is_said_in_a_sentence_and_the_race_continues_when_it_can(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "notes").write_text("a file, not a folder", encoding="utf-8")
    one = TrainingBoard("karate", "links", ["GCN"], results=tmp_path / "notes" / "runs")
    one._message(None, {"kind": "do", "name": "go"}, [])
    assert "cannot be written to" in one.error["text"] and one.go["meaning"] == "race"
    one.close()

    def full(self: de.Store, *runs: Any) -> None:
        raise self._unwritable("database or disk is full")

    other = TrainingBoard("karate", "links", ["GCN"], seeds=1, epochs=2, results=tmp_path / "runs")
    with monkeypatch.context() as disk:
        disk.setattr(de.Store, "put", full)
        other.start()
        other.wait(LONG)
    assert other.go["meaning"] == "continue" and other.headline["sure"].startswith("Stopped by an error")
    assert "disk is full" in other.go["progress"][0]["error"] and other.finished == 0
    other.start()
    other.wait(LONG)
    assert other.go["meaning"] == "done" and other.finished == 1
    other.close()


COLD = """
import sys, time, ipywidgets
began = time.process_time()
import degnn_explore as de, degnn_explore.views.board.board as module
module._BREATH = 3600
board = de.TrainingBoard("karate", "links", ["GCN"], results=sys.argv[1])
try:
    assert "Nothing is trained yet" in board._repr_mimebundle_()[0]["text/plain"]
    assert time.process_time() - began < 1
    assert not {"torch", "pandas"} & set(sys.modules), "a cold kernel waits for these"
    assert board.go["meaning"] == "wait" and board.values["models"] == ["GCN"]
    board.code()  # whoever needs torch has it loaded
    assert board.go["meaning"] == "race" and board.form["settings"][0][2][0][1] == "default (2)", board.form
finally:
    board.close()
"""


def test_in_a_cold_kernel_the_panel_is_shown_within_a_second_before_torch_is_loaded(tmp_path: Path) -> None:
    subprocess.run([sys.executable, "-c", COLD, str(tmp_path)], timeout=LONG, check=True)


def test_nothing_to_report_yet(tmp_path: Path) -> None:
    one = TrainingBoard("karate", "links", results=tmp_path)
    assert (
        one.static()[0] == "Training Board: links of karate club. Nothing is trained yet: run this cell and press Race."
    )
    for act in (one.results, lambda: one.report(tmp_path / "x.html"), one.open_mistake):
        with pytest.raises(ParameterError):
            act()
    one.close()


def test_a_race_goes_on_when_a_worker_is_killed(tmp_path: Path) -> None:
    board = TrainingBoard("celegans", "links", ["Adamic-Adar", "GCN"], seeds=1, epochs=150, results=tmp_path)
    board.start()
    until(lambda: any(run.model == "GCN" for run in board._runs.drawn()), LONG)
    workers = [
        child for child in psutil.Process().children(recursive=True) if "popen_loky" in " ".join(child.cmdline())
    ]
    for worker in workers:
        worker.kill()
    assert workers and board.running
    board.wait(LONG)
    assert board.go["meaning"] == "done" and board.error == {}
    assert {row["model"] for row in board.result["rows"]} == {"Adamic-Adar", "GCN"}
    board.close()
