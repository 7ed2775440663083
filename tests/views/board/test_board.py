"""The Training Board without a browser: a race, what the page gets of it, and what it does with what the page sends."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from threading import Event
from typing import Any

import pytest
import torch
from IPython.core import getipython

import degnn_explore as de
from degnn_explore.common.errors import ParameterError
from degnn_explore.common.progress import is_cancelled, report
from degnn_explore.learn.registry import MODELS, color_of
from degnn_explore.studies.diagnostics import TrainedModels
from degnn_explore.studies.missing_links import Missing
from degnn_explore.studies.statistics import curves
from degnn_explore.views import static_html
from degnn_explore.views.board import board as module
from degnn_explore.views.board import tables, words
from degnn_explore.views.board.board import TrainingBoard
from degnn_explore.views.board.figures import curve_figure
from tests.support.page import Markup, Page
from tests.support.shell import Shell
from tests.support.waiting import LONG, until

EVIL = "' \" onload=alert(1) <img src=x onerror=alert(1)>"
OWN = "x'onload='y' \" onclick=\"z <img src=q>"  # the name of a model
RACED = ["GCN", "Adamic-Adar", OWN]
INNER = ("targets", "graphs", "xy", "edges", "codes", "numbers", "classes")


def race(board: Any) -> Any:
    board.start()
    board.wait(LONG)
    return board


def opened(board: Any, **chosen: Any) -> TrainingBoard:
    """Another board on the same question and the same store."""
    same = {"seeds": 2, "epochs": 3, "results": board.store.folder} | chosen
    return TrainingBoard(board.state.graph, "links", same.pop("models", RACED), **same)


class Degrees(de.SetNet):
    """A linear layer on the degrees."""

    def __init__(self, name: str, shape: Any, **hyper: Any) -> None:
        super().__init__(name, shape, hyper)
        self.out = torch.nn.Linear(1, shape.outputs)

    def prepare(self, graph: Any, sets: Any) -> Any:
        return de.Rows((torch.tensor(graph.degrees[sets].sum(axis=1, keepdims=True)).float(),))

    def forward(self, batch: Any) -> Any:
        return self.out(batch).squeeze(1)


@pytest.fixture(scope="module")
def raced(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Page]:
    """The page of a board that has raced; ``ended`` is what its observer heard, ``meant`` what its button said."""
    with pytest.warns(UserWarning, match="sees the edges inside a set"):
        de.register_model(Degrees, name=OWN, sizes=(2,))
    karate = de.load("karate")
    G = de.Graph.from_edges(karate.edges, names=[EVIL, *karate.names[1:]], title=EVIL)
    board = TrainingBoard(G, "links", RACED, seeds=2, epochs=3, results=tmp_path_factory.mktemp("b"))
    meant: list[tuple[str, bool]] = []
    page = Page(board, lambda state: meant.append((state["go"]["meaning"], state["go"]["running"])))
    page.ended, page.meant = [], meant  # type: ignore[attr-defined]
    board.observe(lambda change: page.ended.append(change["new"]), "finished")  # type: ignore[attr-defined]
    race(board)
    page.look = lambda state: None
    yield page
    board.close()
    del MODELS[OWN]


@pytest.fixture
def page(raced: Page) -> Page:
    """The same, with its choices and its first tab as they were."""
    raced.choose(models=RACED, seeds=2, epochs=3)
    raced.do("tab", tab="mistakes")
    raced.heard.clear()
    assert raced["error"] == {}
    return raced


def trained(page: Page) -> TrainedModels:
    return TrainedModels(page.panel.state.setup(), page.panel.store.models)


def test_a_race_ends_in_a_headline_rows_and_curves(page: Any) -> None:
    board, compared = page.panel, page.panel.results()
    assert page.ended == [6] and [*dict.fromkeys(page.meant)] == [("cancel", True), ("done", False)]
    assert page["headline"] == {"title": words.headline(compared), "sure": words.how_sure(compared),
                                "judged": list(compared.notes), "earlier": 0}  # fmt: skip
    assert page["result"]["metric"] == "AUC" and len(compared.rows) == 3
    for row, shown in zip(compared.rows, page["result"]["rows"], strict=True):
        seeds = [round(100 * run.test, 2) for run in board.runs if run.model == row.model]
        assert shown == {"model": row.model, "color": color_of(row.model), "mean": round(row.mean, 2), "paper": None,
                         "half": round(row.half, 2), "seeds": seeds}  # fmt: skip
    assert page["chart"] == curve_figure(curves(board.runs), 3)
    assert [(it["model"], it["percent"], it["state"]) for it in page["go"]["progress"]] == [
        (model, 100, "finished") for model in RACED
    ]
    state = {name: value for name, value in board.get_state().items() if not isinstance(value, bytes)}
    assert len(json.dumps(state | {"_script": "", "_css": ""})) < 500_000 and board.layout is None


def test_earlier_runs_are_shown_when_they_are_asked_for_and_never_trained_again(page: Page) -> None:
    again = Page(opened(page.panel))
    assert again["result"]["rows"] == [] and again["headline"]["earlier"] == 6 and again["go"]["meaning"] == "race"
    assert again.panel.results().frame().index.tolist() == page.panel.results().frame().index.tolist()
    again.do("earlier")
    for name in ("headline", "result", "chart", "tab"):
        assert again[name] == page[name]
    again.panel.close()
    third = race(opened(page.panel, models=["GCN"], seeds=1))
    assert [row["model"] for row in third.result["rows"]] == ["GCN"] and not third.running and third.finished == 1
    assert third.headline["earlier"] == 5
    third.close()


def test_every_tab_has_its_table(page: Page) -> None:
    board, models = page.panel, trained(page)
    best = page["result"]["rows"][0]["model"]
    own = [run for run in board.runs if run.model == best]
    mistakes = tables.find_mistakes(models, board.runs, own[0])
    assert page["tab"] == {"kind": "mistakes"} | tables.mistake_table(mistakes, models.task(0), best, 2)
    assert board.mistakes == mistakes and len(mistakes) > 2
    page.do("tab", tab="distance")
    first = {run.model: models.scored(run) for run in board.runs if run.seed == 0}
    order = [best, *(name for name in first if name != best)]
    assert page["tab"] == {"kind": "distance"} | tables.distance_table({name: first[name] for name in order})
    page.do("tab", tab="ask")
    assert page["tab"] == {"kind": "ask"} and page["answer"]["text"]
    page.do("tab", tab="weather")
    assert "weather" in page["error"]["text"] and page["tab"] == {"kind": "ask"}


def test_a_set_opens_in_the_explorer_and_is_asked_and_explained(page: Page) -> None:
    board, models = page.panel, trained(page)
    for number, row in enumerate(page["tab"]["rows"][:3]):
        nodes, seed = row["nodes"], row["seed"]
        if number == 1:
            board.open_mistake(1)
        else:
            page.do("open", nodes=nodes, seed=seed, why=number == 2)
        task = models.task(seed)
        plain = Page(de.Explorer((task.graph, nodes), cut=True, size=2))
        assert [page[f"inner_{name}"] for name in ("values", "targets")] == [plain["values"], plain["targets"]]
        for name in ("xy", "edges", "codes", "classes", "numbers"):
            assert page[f"inner_{name}"].tolist() == plain[name].tolist()
        assert page["inner_graphs"]["names"] == plain["graphs"]["names"] and "held-out" in page["inner_graphs"]["idea"]
        assert page["inner_options"] == plain["options"] | {"inside": True} and page["view"]["tab"] == "ask"
        assert page["tab"] == {"kind": "ask"}
        mine = {name: it for name, it in page["answer"].items() if name != "why"}
        assert mine == tables.answer(models, board.runs, nodes, seed)
        assert [one["model"] for one in mine["scores"]] == RACED and bool(page["answer"].get("why")) == (number == 2)
    page.do("why", model="GCN")
    run = next(run for run in board.runs if (run.model, run.seed) == ("GCN", seed))
    why = de.explain(models.model(run), task.graph, nodes, progress=False)
    explained = tables.why_table(why, task.class_names[1]) | {"model": "GCN", "models": RACED}
    assert page["answer"]["why"] == explained
    page.change(inner_targets=[[0, 33]])  # another pair is asked about and explained at once
    assert page["answer"]["nodes"] == [0, 33] and page["answer"]["why"]["model"] == "GCN"
    assert page["answer"]["why"]["marks"] != explained["marks"]
    page.do("why", close=True)
    assert page["answer"]["why"] is None and page["answer"]["nodes"] == [0, 33]
    page.change(inner_targets=[[5]])
    assert page["answer"]["scores"] == [] and "1 picked" in page["answer"]["text"]
    for wrong in ({}, {"model": "SEAL"}):
        page.do("why", **wrong)
        assert page["error"]["text"]
    page.do("open", nodes=[0, 9])  # of the seed that is shown
    page.do("why")
    assert page["answer"]["why"]["model"] == page["result"]["rows"][0]["model"]
    with pytest.raises(ParameterError, match="no mistake 99"):
        board.open_mistake(99)


def test_the_explorer_inside_answers_and_what_it_refuses_changes_nothing(page: Page) -> None:
    page.do("open", nodes=[0, 33], seed=0)
    page.send({"kind": "inner", "content": {"kind": "do", "name": "search", "text": "v33"}})
    [found] = page.heard
    assert found["kind"] == "inner" and found["content"]["kind"] == "matches" and found["content"]["items"][0][1] == 33
    page.change(inner_values=page["inner_values"] | {"layer": 77})
    assert "at most 6" in page["error"]["text"] and page["inner_values"]["layer"] == 2
    page.change(inner_targets=[[99, 0]])
    assert "99" in page["error"]["text"] and page["inner_targets"] == [[0, 33]] == [page["answer"]["nodes"]]
    page.send({"kind": "inner", "content": {"kind": "do", "name": "dance"}})
    assert "dance" in page["inner_error"]["text"]
    classes = page["inner_classes"].tolist()
    page.change(inner_values=page["inner_values"] | {"color_by": "1-WL"})
    assert page["error"] == {} and page["inner_classes"].tolist() != classes
    page.change(inner_view={"open": "help"}, inner_graphs=page["inner_graphs"] | {"title": "mine"})
    assert page["inner_view"] == {"open": "help"} and page.panel.inner_graphs["title"] != "mine"


def test_missing_links_are_looked_for_near_the_picked_nodes(page: Page, monkeypatch: pytest.MonkeyPatch) -> None:
    graph, begun = page.panel.state.graph, Event()
    near = tables.set_name(graph, [0, 33])

    def done() -> bool:
        return "rows" in page["tab"]

    page.do("open", nodes=[0, 33], seed=0)
    page.do("tab", tab="missing")
    until(done, LONG)
    rows = page["tab"]["rows"]
    assert page["tab"]["near"] == near and page["tab"]["columns"][1] == page["result"]["rows"][0]["model"]
    assert rows and not graph.has_edges([row["nodes"] for row in rows]).any() and {row["seed"] for row in rows} == {0}

    def slow(models: Any, task: Any, near: Any) -> Missing:
        report("pairs", 0.251)
        begun.set()
        until(is_cancelled, LONG)
        return Missing([(1, 9, dict.fromkeys(models, 0.5))], [0.1], 1, 2)

    def broken(models: Any, task: Any, near: Any) -> Missing:
        raise MemoryError("too many pairs")

    page.do("tab", tab="mistakes")
    monkeypatch.setattr(module, "missing_links", slow)
    page.do("tab", tab="missing")
    assert begun.wait(LONG) and near in page["tab"]["busy"] and "25 %" in page["tab"]["busy"] and not done()
    page.do("tab", tab="missing")  # asked again, it stops and shows what it has
    until(done, LONG)
    assert [row["nodes"] for row in page["tab"]["rows"]] == [[1, 9]]
    page.do("tab", tab="mistakes")
    monkeypatch.setattr(module, "missing_links", broken)
    page.do("tab", tab="missing")
    until(lambda: page["error"], LONG)
    assert "MemoryError" in page["error"]["text"]
    assert page["tab"] == {"kind": "missing", "columns": [], "rows": [], "note": ""}
    page.do("tab", tab="mistakes")


def test_the_page_may_change_what_it_may_change(page: Page) -> None:
    board, before = page.panel, page.panel.get_state(["headline", "go", "tab", "result"])
    page.change(headline={"title": "hacked"}, go={}, tab={}, result={})
    assert board.get_state(["headline", "go", "tab", "result"]) == before
    page.state |= before
    for wrong, said in (({"seeds": 99}, "from 1 to 20"), ({"models": ["GNC"]}, "GNC"), ({"speed": 1}, "speed")):
        page.choose(**wrong)
        assert said in page["error"]["text"] and not page["error"]["details"] and page["values"]["seeds"] == 2
    page.do("nonsense")
    assert "nonsense" in page["error"]["text"]
    page.send({"kind": "plotly?"})
    assert page.heard == [{"kind": "plotly"}]
    page.choose(epochs=4)  # other runs than those that are finished; what was found stays in sight
    assert page["error"] == {} and page["go"]["meaning"] == "race" and page["result"]["rows"]
    page.choose(epochs=3, models=["GCN"])
    assert page["go"]["meaning"] == "done" and [it["model"] for it in page["go"]["progress"]] == ["GCN"]
    page.choose(question="triangles|own graph")  # another question: nothing of the last one is left
    assert page["result"]["rows"] == [] and page["tab"] == {} == page["answer"] and page["go"]["meaning"] == "race"
    assert "SEAL" not in [one["name"] for one in page["form"]["models"] if one["fits"]]
    assert page["headline"]["title"] == words.question(board.state.asked) and page["chart"] == {}
    page.choose(question="links|own graph")
    assert len(page["result"]["rows"]) == 3 and page["tab"]["kind"]


def test_files_and_code_go_to_the_page_and_names_stay_text(page: Page, tmp_path: Path) -> None:
    board, compared = page.panel, page.panel.results()
    for what in ("report", "csv", "latex", "code", "song"):
        page.do("download", what=what)
    *files, code = page.heard
    slug = files[1]["name"].removesuffix(".csv")
    assert [(it["name"], it["mime"]) for it in files] == [
        (f"report-{slug}.html", "text/html"), (f"{slug}.csv", "text/csv"), (f"{slug}.tex", "text/x-tex")
    ]  # fmt: skip
    assert [it["text"] for it in files[1:]] == [compared.to_csv(), compared.to_latex()]
    assert code == {"kind": "copy", "text": board.code()} and "de.link_task" in board.code()
    assert "song" in page["error"]["text"] and slug.startswith("links-")
    html = board.report(tmp_path / "race.html").read_text(encoding="utf-8")
    caption, still = board.static()
    runs = {run.model: run for run in board.runs}
    settings = {name: run.hyper | run.options for name, run in runs.items()}
    names = [*dict.fromkeys(name for its in settings.values() for name in its)]
    rows = [[name.replace("_", " "), *(str(its.get(name, "–")) for its in settings.values())] for name in names]
    assert static_html.table(["setting", *runs], [["seeds", *["0, 1"] * 3], *rows]) in html
    rows = [row["cells"] for row in page["tab"]["rows"]]
    assert static_html.table(page["tab"]["columns"], rows) in html
    for made in (Markup(html), Markup(still)):
        assert not {"onload", "onerror", "onclick"} & made.attributes
        assert not {"x", "q"} & {attributes.get("src") for _, attributes in made.elements}
        assert "script" not in {tag for tag, _ in made.elements}
        assert words.headline(compared) in made.text and EVIL in made.text and OWN in made.text
        assert all(row.model in made.text and f"{row.mean:.1f}" in made.text for row in compared.rows)
    assert "paper" not in html.partition("<h2>Comparison")[2].partition("</thead>")[0]
    assert all(note in Markup(html).text for note in compared.notes) and board.code() in Markup(html).text
    assert words.headline(compared) in caption and words.how_sure(compared) in caption and "cpu" in html
    drawn = [it.get("hovertemplate", "").partition("<extra>")[2] for it in board.chart["data"]]
    drawn += [note["text"] for note in board.chart["layout"]["annotations"]]
    assert [Markup(text).text for text in drawn].count(OWN) >= 2  # plotly reads a little HTML, too


def test_the_tabs_follow_the_runs_and_the_question(tmp_path: Path) -> None:
    page = Page(race(TrainingBoard("karate", "links", ["Katz"], seeds=1, results=tmp_path)))
    assert "Katz says" in page["tab"]["columns"] and page.panel.store.folder == tmp_path
    page.do("tab", tab="ask")
    page.change(view={"tab": "distance"})
    page.choose(models=["Katz", "shortest path"], workers=2)
    race(page.panel)
    rows = page["result"]["rows"]
    assert [f"{row['model']} right" for row in rows] == page["tab"]["columns"][3:] and len(rows) == 2
    assert page.panel.finished == 2 and page.panel.race.workers == 2
    page.choose(question="triangles|karate", models=["Katz"])
    race(page.panel)
    page.do("tab", tab="ask")
    assert page["inner_values"]["size"] == 3 and page["inner_targets"] == [[]] and "3 nodes" in page["answer"]["text"]
    page.do("open", nodes=[0, 1, 2])
    assert [one["model"] for one in page["answer"]["scores"]] == ["Katz"] and "triangle" in page["answer"]["truth"]
    page.do("tab", tab="missing")
    assert page["tab"]["rows"] == [] and "links" in page["tab"]["note"] and page["error"] == {}
    page.choose(question="roles|karate", models=["degree"])
    race(page.panel)
    page.do("tab", tab="ask")  # begins with the busiest node
    assert page["inner_targets"] == [[33]] and page["answer"]["nodes"] == [33]
    assert not page["inner_values"]["cut"] and page["inner_values"]["size"] == 1
    assert "held-out" not in page["inner_graphs"]["idea"]
    page.panel.close()


def test_a_click_brings_its_choices_along_and_half_of_a_double_click_does_nothing(tmp_path: Path) -> None:
    page = Page(TrainingBoard("celegans", "links", ["GCN"], seeds=1, epochs=3000, results=tmp_path))
    board, chosen = page.panel, page["values"] | {"models": ["GCN", "Katz"]}
    page.do("go", meaning="continue", values=chosen)  # the page has not heard yet what the button means
    assert not board.running and board.state.models == ["GCN"]
    page.do("go", meaning="race", values=chosen)
    page.do("go", meaning="cancel")
    assert board.running and board.state.models == ["GCN", "Katz"] and page["go"]["meaning"] == "cancel"
    page.change(values=chosen)  # they arrive once more, while the race is under way
    assert page["error"] == {}
    page.choose(seeds=2)
    assert "cancel it first" in page["error"]["text"] and page["values"]["seeds"] == 1 == board.state.seeds
    with pytest.raises(ParameterError, match="training already"):
        board.start()
    until(lambda: page["chart"].get("data"), LONG)

    def cancelled() -> bool:
        page.do("go", meaning="cancel")
        return not board.running

    until(cancelled, LONG)
    assert (
        page["go"]["meaning"] == "continue" and page["headline"]["sure"].startswith("Stopped") and board.finished == 0
    )
    board.wait(LONG)
    drawn = max(len(trace["x"]) for trace in page["chart"]["data"])
    board.start()
    until(lambda: max(len(trace["x"]) for trace in page["chart"]["data"]) > drawn, LONG)
    board.close()
    assert board.race is not None
    until(lambda: not board.race.running, LONG)


def test_a_disk_that_is_full_is_said_in_a_sentence_and_the_race_continues_when_it_can(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "notes").write_text("a file, not a folder", encoding="utf-8")
    page = Page(TrainingBoard("karate", "links", ["Katz"], results=tmp_path / "notes" / "runs"))
    page.do("go")
    assert "cannot be written to" in page["error"]["text"] and page["go"]["meaning"] == "race"
    page.panel.close()

    def full(self: de.Store, *runs: Any) -> None:
        raise OSError("disk is full")

    task = de.link_task(de.load("karate"), per_positive=10, negatives="hard")
    page = Page(TrainingBoard(task, models=["Katz"], metric="mrr", seeds=1, results=tmp_path / "runs"))
    with monkeypatch.context() as disk:
        disk.setattr(de.Store, "put", full)
        race(page.panel)
    assert page["go"]["meaning"] == "continue" and "error" in page["headline"]["sure"] and page.panel.finished == 0
    assert "disk is full" in page["go"]["progress"][0]["error"]
    race(page.panel)
    assert page["go"]["meaning"] == "done" and page.panel.finished == 1
    [run], [row] = page.panel.runs, page["result"]["rows"]
    assert page["result"]["metric"] == "MRR" and row["half"] is None and row["mean"] == round(100 * run.test, 2)
    page.panel.close()


def test_running_a_cell_again_closes_its_board_but_not_the_explorer_inside(
    page: Page, monkeypatch: pytest.MonkeyPatch
) -> None:
    shell, made = Shell(), list[TrainingBoard]()
    monkeypatch.setattr(getipython, "get_ipython", lambda: shell)
    shell.run("a", lambda: made.append(opened(page.panel)))
    for _ in range(2):
        shell.run("b", lambda: race(made[0]).open_mistake())
        assert made[0].inner_classes and made[0].comm is not None
    shell.run("a", lambda: made.append(opened(page.panel)))
    assert [board.comm is not None for board in made] == [False, True]
    made[1].close()


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
    assert board.go["meaning"] == "wait" and board.values["models"] == ["GCN"] and board.headline["title"]
    assert board.form["settings"][0][2][0][1] == "default", board.form
    board.code()  # whoever needs torch has it loaded
    assert board.go["meaning"] == "race" and board.form["settings"][0][2][0][1] == "default (2)", board.form
finally:
    board.close()
"""


def test_in_a_cold_kernel_the_panel_is_shown_within_a_second_before_torch_is_loaded(tmp_path: Path) -> None:
    subprocess.run([sys.executable, "-c", COLD, str(tmp_path)], timeout=LONG, check=True)


def test_nothing_to_report_yet(tmp_path: Path) -> None:
    page = Page(TrainingBoard("karate", "links", results=tmp_path))
    board = page.panel
    assert re.search("links of karate club.*Nothing is trained", board.static()[0])
    for act in (board.results, lambda: board.report(tmp_path / "x.html"), board.open_mistake):
        with pytest.raises(ParameterError):
            act()
    page.do("tab", tab="distance")
    assert page["tab"] == {} == page["answer"] and page["error"] == {} and board.mistakes == []
    board.close()
