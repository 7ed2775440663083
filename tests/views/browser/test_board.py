"""The Training Board as a reader meets it: in JupyterLab, with a mouse."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from tests.support.boards import Board, fresh

from .conftest import serious

# What can be clicked; a group of radio buttons is one control, as are the links of a table.
CONTROLS = """el => [...el.querySelectorAll('button:not([role=radio]), select, input, [role=radiogroup]')]
    .filter((one) => one.offsetParent && !one.closest('table, .de-inside')).length"""
NAMES_END = "svg => Math.max(...[...svg.querySelectorAll('text[x=\"0\"]')].map((name) => name.getBBox().width))"
LINES_BEGIN = "svg => Math.min(...[...svg.querySelectorAll('line')].map((line) => Number(line.getAttribute('x1'))))"
OWN_MODEL = """import torch
class Degrees(de.SetNet):
    "A linear layer on the sum of the degrees"
    def __init__(self, name, shape, **hyper):
        super().__init__(name, shape, hyper)
        self.out = torch.nn.Linear(1, shape.outputs)
    def prepare(self, graph, sets):
        return de.Rows((torch.tensor(graph.degrees[sets].sum(axis=1, keepdims=True)).float(),))
    def forward(self, batch):
        return self.out(batch).squeeze(1)
de.register_model(Degrees, name="my degrees")"""


def test_a_race_with_a_model_of_a_readers_own_from_start_to_asking(lab: Any, visit: Any) -> None:
    cell = "board = de.TrainingBoard('karate', 'links', ['GCN', 'DE-GNN-SPD'], seeds=1, epochs=12)\nboard"
    board, models = fresh(lab, visit, "race", OWN_MODEL, cell, height=800), {"GCN", "DE-GNN-SPD", "my degrees"}
    board.says("Which model is best at the links of karate club?")
    board.says("No runs yet")
    assert board.box.evaluate(CONTROLS) <= 9
    board.box.locator(".de-models-button").click()
    board.box.get_by_label("my degrees: A linear layer").check()
    board.says("3 models")
    board.page.keyboard.press("Escape")
    board.until(lambda: board.page.evaluate("() => globalThis[Symbol.for('degnn plotly')]?.made != null"))
    board.go.dblclick()  # the second click must not cancel
    board.means("cancel")
    board.means("done")
    board.until(lambda: set(board.results()) == models)
    board.until(lambda: board.box.locator(".de-chart .scatterlayer path.js-line").count() >= 3)
    assert all(10 < mean <= 100 for mean in board.results().values())
    board.says("One seed: too few to be sure.")
    assert board.box.evaluate(CONTROLS) <= 16
    size = board.box.bounding_box()
    assert size["height"] <= 610 and board.box.evaluate("el => el.scrollWidth <= el.clientWidth + 1")
    assert board.box.locator(".de-dots").evaluate(NAMES_END) < board.box.locator(".de-dots").evaluate(LINES_BEGIN)
    assert serious(board.page, ".de-board") == []
    with board.page.expect_download() as waiting:
        board.box.get_by_role("button", name="CSV ↓").click()
    assert waiting.value.suggested_filename == "links-karate.csv"
    assert "DE-GNN-SPD,1," in Path(waiting.value.path()).read_text(encoding="utf-8")

    board.box.locator(".de-listed .de-link", has_text="Why?").first.click()
    board.until(lambda: set(board.answers()) == models)
    board.says("Why does ")
    assert board.box.locator(".de-inside .de-stage").count() == 1
    assert serious(board.page, ".de-board") == []
    board.tab("By distance")
    board.says("DE-GNN-SPD right")
    board.tab("Missing links")
    board.says("The likeliest of")
    board.box.locator(".de-listed .de-link", has_text="Open").first.click()
    board.says("In truth: not linked.")


def test_a_reload_shows_the_race_that_goes_on_and_it_can_be_cancelled_and_continued(lab: Any, visit: Any) -> None:
    cell = "board = de.TrainingBoard('celegans', 'links', ['GCN'], seeds=1, epochs=1000, patience='never')\nboard"
    board = fresh(lab, visit, "reload", cell, height=800)
    board.go.click()
    board.means("cancel")
    board.until(lambda: board.progress("GCN") >= 1)
    board.page.evaluate("() => window.jupyterapp.commands.execute('docmanager:save')")
    before = board.progress("GCN")
    board.page.reload()
    again = Board(board.page)
    again.means("cancel")
    again.until(lambda: again.progress("GCN") > before)
    again.go.click()
    again.means("continue", 20)
    again.says("Stopped: what is finished is kept.")
    again.page.wait_for_timeout(800)  # a second click at once would not be meant
    again.go.click()
    again.means("cancel")
    again.until(lambda: again.progress("GCN") >= before)
