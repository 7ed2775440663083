"""The Training Board as a reader meets it: in JupyterLab, with a mouse."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

from tools.boards import PAIR, Board, fresh
from tools.lab import IDLE

EVIL = "<img src=x onerror=document.title='HACKED'>"


def test_a_race_from_start_to_asking_the_model(lab: Any, visit: Any) -> None:
    board = fresh(
        lab,
        visit,
        "race",
        f"board = de.TrainingBoard('celegans', 'links', {PAIR}, seeds=1, epochs=12)\nboard",
        width=1400,
        height=1300,
    )
    board.go.dblclick()  # the second click must not cancel
    board.waits_for_button("Cancel")
    board.until(lambda: board.progress("GCN") > 10)
    board.until(lambda: board.points() >= 2)
    drawn = board.points()
    board.until(lambda: board.points() > drawn)  # the curve moves
    board.says("left")

    board.go.dblclick()  # the second click must not start it again
    board.waits_for_button("Continue")
    board.page.wait_for_timeout(800)
    board.waits_for_button("Continue")
    board.says("what is finished is kept")
    kept = board.progress("GCN")
    assert kept > 10
    board.go.click()
    board.waits_for_button("Cancel")
    board.until(lambda: board.progress("DE-GNN-SPD") > 0)
    assert board.progress("GCN") >= kept
    board.waits_for_button("All trained")

    board.until(lambda: set(board.table()) == {"GCN", "DE-GNN-SPD"})
    table = board.table()
    plain, ours = float(table["GCN"][0]), float(table["DE-GNN-SPD"][0])
    assert 60 < plain < 85 < ours < 97
    assert (table["GCN"][2], table["DE-GNN-SPD"][2]) == ("74.03 ± 0.99", "89.37 ± 0.17")
    board.says("Test set: 430 pairs a seed.")
    names = list(table)
    board.box.locator(".de-sort", has_text=re.compile("^model")).first.click()
    board.until(lambda: list(board.table()) == sorted(names))
    board.box.locator(".de-sort", has_text=re.compile("^model")).first.click()
    board.until(lambda: list(board.table()) == sorted(names, reverse=True))

    for label, ending, part in (
        ("CSV", "csv", "DE-GNN-SPD,1,"),
        ("LaTeX", "tex", "\\toprule"),
        ("Markdown", "md", "| GCN |"),
    ):
        with board.page.expect_download() as waiting:
            board.button(label).click()
        assert waiting.value.suggested_filename == f"links-celegans.{ending}"
        assert part in Path(waiting.value.path()).read_text()
    board.button("Copy the code that repeats this").click()
    board.until(lambda: "de.link_task(G, seed=seed)" in board.box.locator("[data-code=python]").inner_text())

    board.button("Look into it").click()
    board.says("test sets are judged wrong")
    chart = board.box.locator(".de-chart").nth(1)
    board.until(lambda: chart.locator(".barlayer .trace").count() >= 4)
    legend = " ".join(chart.locator(".legendtext").all_text_contents())
    assert re.search(r"DE-GNN-SPD, AUC [89]\d\.\d", legend) and "corrected score" in legend
    board.says("4.9 % of all are linked, so that a score of 0.9 stands for about 32 %.")
    board.says("Hits@20")

    tick = "() => parseFloat(getComputedStyle(document.querySelector('.de-chart .xtick text')).fontSize)"
    usual = board.page.evaluate(tick)
    board.button("A+").click()  # for a projector: charts, too
    board.until(lambda: board.page.evaluate(tick) > 1.2 * usual)
    board.button("A+").click()
    board.until(lambda: board.page.evaluate(tick) == usual)
    chart.hover()  # its toolbar appears, and covers no title
    bar = chart.locator(".modebar").bounding_box()
    for title in chart.locator(".annotation").all():
        here = title.bounding_box()
        assert here["y"] + here["height"] <= bar["y"] or here["x"] + here["width"] <= bar["x"]
    titles = board.box.locator("[title=null], [title=undefined]")
    assert not any(titles.nth(i).is_visible() for i in range(titles.count()))

    mistake = board.box.locator(".de-sheet", has=board.page.get_by_text("truth")).locator("tbody tr").first
    pair = mistake.locator("td").first.inner_text()
    mistake.locator(".de-link").click()
    board.says(f"{pair}: score for “linked”")
    said = float(mistake.locator("td").nth(3).inner_text())
    answer = board.box.locator('[data-model="DE-GNN-SPD"] b')
    assert abs(float(answer.inner_text()) - said) < 0.006  # the same model, the same graph
    _what_if_by_click(board)

    canvas = board.box.locator(".de-canvas").first
    canvas.scroll_into_view_if_needed()
    board.until(lambda: canvas.get_attribute("data-targets") is not None)
    for name in ("neuron 10", "neuron 200"):
        match = canvas.locator(".de-matches li", has_text=re.compile(f"^{name}$")).first
        canvas.locator(".de-find").fill(name)
        match.wait_for()
        match.click()
        board.until(lambda name=name: name in canvas.locator(".de-captions").inner_text())
        board.page.wait_for_timeout(500)  # the view moves to the node, and the list of matches closes
    board.until(
        lambda: "neuron 200" in board.box.locator(".de-answers").locator("xpath=preceding-sibling::div").inner_text()
    )
    assert board.box.locator(".de-answers [data-model]").count() == 2
    board.button("Which links are missing?").click()
    board.until(
        lambda: (
            board.box.locator(".de-sheet", has=board.page.get_by_text("unlinked pair")).locator("tbody tr").count()
            == 10
        )
    )


def number(text: str) -> float:
    """What a table says, its minus being one to read."""
    return float(text.replace("−", "-"))


def _what_if_by_click(board: Board) -> None:
    """Why?: edges that move the score, one left out by a click, a pair put in by the keyboard, branches and rings."""
    why, table = board.box.locator(".de-why"), board.box.locator(".de-what-if .de-sheet")
    assert not why.is_visible()
    board.button("Why?").click()
    board.until(lambda: why.locator(".de-why-for, .de-why-against").count() >= 20)  # the key has two
    first = why.locator(".de-why-right tbody tr").first.locator("td").all_inner_texts()
    assert number(first[2]) != 0
    strongest = why.locator(".de-why-edge").last  # drawn last, so on top
    name = strongest.locator("title").text_content().split(":")[0]
    strongest.locator(".de-why-reach").click(force=True)
    board.says(f"What if: without {name}")
    rows = table.locator("tbody tr").evaluate_all(
        "rows => rows.map((row) => [...row.cells].map((cell) => cell.innerText))"
    )
    assert {row[0] for row in rows} == {"GCN", "DE-GNN-SPD"}
    for _, before, after, change in rows:
        assert abs(number(after) - number(before) - number(change)) < 0.0021
    board.until(lambda: why.locator(".de-why-out").count() == 1)
    board.button("Put all back").click()
    board.until(lambda: not table.is_visible() and not why.locator(".de-why-out").count())
    nodes = why.locator(".de-why-node")
    for place in (2, 3):  # two nodes beside the targets
        nodes.nth(place).focus()
        board.page.keyboard.press("Enter")
    board.says("What if: with")
    board.until(lambda: why.locator(".de-why-in, .de-why-out").count() == 1)
    why.get_by_role("button", name="Branches").click()
    board.until(lambda: why.locator(".de-subtree svg line, .de-subtree svg path").count() > 5)
    board.until(
        lambda: (
            "−0.0" in why.locator(".de-subtree svg").text_content()
            or "+0.0" in why.locator(".de-subtree svg").text_content()
        )
    )
    branches = why.locator(".de-why-right .de-sheet-box")
    board.until(lambda: "depth" in branches.inner_text())  # and its numbers are in view
    assert branches.evaluate("el => el.scrollWidth <= el.clientWidth + 1")
    why.get_by_role("button", name="Distances").click()
    board.says("all, as if equally far")
    board.button("Why?").click()
    board.until(lambda: not why.is_visible())


def test_the_notebook_stays_free_and_a_reload_shows_the_results(lab: Any, visit: Any) -> None:
    board = fresh(
        lab,
        visit,
        "reload",
        f"board = de.TrainingBoard('celegans', 'links', {PAIR}, seeds=1, epochs=4)\nboard.start()\nboard",
        "print('other', 'cell', 'ran', board.race.running)",
    )
    board.page.get_by_text("other cell ran True").wait_for()  # while it trains
    board.waits_for_button("All trained")
    board.until(lambda: len(board.table()) == 2)
    before, drawn = board.table(), board.said()
    board.page.evaluate("() => window.jupyterapp.commands.execute('docmanager:save')")
    board.page.reload()
    again = Board(board.page)
    again.until(lambda: again.table() == before and again.said() == drawn)
    # a new kernel, as on another day: what the file holds is shown at once, and not trained again
    # without waiting for the command: it ends only when its question is answered
    again.page.evaluate("() => { window.jupyterapp.commands.execute('kernelmenu:restart-and-clear'); }")
    button = again.page.locator(".jp-Dialog-button.jp-mod-accept")
    button.wait_for()
    button.click()
    again.box.wait_for(state="detached")
    again.page.wait_for_function(IDLE)
    again.page.evaluate("() => window.jupyterapp.commands.execute('notebook:run-all-cells')")
    again.page.get_by_text("other cell ran False").wait_for()
    third = Board(again.page)
    third.until(lambda: third.table() == before)
    third.says("Nothing to train")
    third.waits_for_button("All trained")
    third.says("1 of 1 seed")


def test_errors_are_said_in_words(lab: Any, visit: Any) -> None:
    board = fresh(
        lab,
        visit,
        "errors",
        "de.TrainingBoard('celegans', 'roles', ['GCN'], seeds=1, epochs=2)",
        "de.TrainingBoard('karate', 'links', ['GCN'], seeds=1, epochs=2, device='cuda:9')",
        "de.TrainingBoard('karate', 'links', ['GCN'], seeds=1, epochs=2, learning_rate=1e30)",
        height=4000,  # all three are in view
    )
    board.go.click()
    board.says("role_task needs a label for each node")
    board.box.locator("select").first.select_option(label="links (p = 2)")
    board.box.locator("select").nth(1).select_option(label="karate · 34 nodes, 78 edges")
    board.go.click()
    board.until(lambda: "GCN" in board.table())
    board.until(lambda: "needs a label" not in board.box.inner_text())

    gone = Board(board.page, 1)
    gone.go.click()
    gone.says("device='cuda:9' cannot be used here")

    raised = Board(board.page, 2)
    raised.go.click()
    raised.says("GCN: The loss became")
    raised.says("failed")


def test_names_are_text_everywhere(lab: Any, visit: Any) -> None:
    edges = f"[(f'{{i}} ' + {EVIL!r}, f'{{(i + s) % 24}} ' + {EVIL!r}) for i in range(24) for s in (1, 2)]"
    board = fresh(
        lab,
        visit,
        "evil",
        f"G = de.Graph.from_edges({edges}, title={EVIL!r})\n"
        "board = de.TrainingBoard(G, 'links', ['GCN'], seeds=1, epochs=2)\nboard.start()\nboard.wait()\nboard",
    )
    board.until(lambda: "GCN" in board.table())
    board.button("Look into it").click()
    board.says("judged wrong")
    board.box.locator(".de-link").first.click()
    board.says("score for “linked”")
    answer = board.box.locator(".de-answers")
    board.until(lambda: 0 < (answer.bounding_box() or {"y": -1})["y"] < 400)  # the page has gone there
    assert EVIL in board.box.inner_text()
    board.page.wait_for_timeout(300)
    assert "HACKED" not in board.page.title()
    assert board.box.locator("img").count() == 0


def test_running_the_cell_again_stops_the_earlier_board(lab: Any, visit: Any) -> None:
    cell = (
        f"boards = [*globals().get('boards', []), de.TrainingBoard('celegans', 'links', {PAIR}, seeds=5, epochs=200)]"
        "\nboards[-1].start()\nboards[-1]"
    )
    board = fresh(lab, visit, "again", cell)
    board.waits_for_button("Cancel")
    board.page.evaluate("""() => { const p = [...window.jupyterapp.shell.widgets('main')][0];
        document.querySelector('.de-board').classList.add('first');
        p.content.activeCellIndex = 1; return window.jupyterapp.commands.execute('notebook:run-cell'); }""")
    board.page.locator(".de-board.first").wait_for(state="detached")
    Board(board.page).waits_for_button("Cancel")
    board.page.evaluate("""() => { const p = [...window.jupyterapp.shell.widgets('main')][0];
        p.content.activeCellIndex = 1;
        p.content.widgets[1].model.sharedModel.setSource("print([b.race.running for b in boards]); boards[-1].close(); "
            + "print('closed', boards[-1].race.wait(300))");
        return window.jupyterapp.commands.execute('notebook:run-cell'); }""")
    board.page.get_by_text("[False, True]").wait_for()
    board.page.get_by_text("closed True").wait_for()


def test_deleting_the_cell_stops_its_race_unless_it_is_undone(lab: Any, visit: Any) -> None:
    board = fresh(
        lab,
        visit,
        "deleted",
        f"board = de.TrainingBoard('celegans', 'links', {PAIR}, seeds=5, epochs=200)\nboard.start()\nboard",
        "import itertools\nruns = globals().get('runs') or itertools.count(1)\n"
        "print('run', next(runs), not board.race.wait(300 * board._closed), board._closed)",
    )
    board.waits_for_button("Cancel")

    def run(cell: int, command: str) -> None:
        board.page.evaluate(
            """([cell, command]) => { const p = [...window.jupyterapp.shell.widgets('main')][0];
                p.content.activeCellIndex = cell; p.content.deselectAll();
                return window.jupyterapp.commands.execute('notebook:' + command); }""",
            [cell, command],
        )

    def prints(text: str) -> None:
        board.page.locator(".jp-OutputArea-output", has_text=text).last.wait_for()

    prints("run 1 True False")
    run(1, "delete-cell")
    board.page.locator(".de-board").wait_for(state="detached")
    run(0, "undo-cell-action")
    Board(board.page).waits_for_button("Cancel")
    run(2, "run-cell")
    prints("run 2 True False")  # it is there again
    run(1, "delete-cell")
    board.page.locator(".de-board").wait_for(state="detached")
    run(1, "run-cell")
    prints("run 3 False True")


def test_the_board_reads_well_in_both_themes(lab: Any, visit: Any) -> None:
    board = fresh(
        lab,
        visit,
        "themes",
        "board = de.TrainingBoard('karate', 'links', ['GCN', 'DE-GNN-SPD'], seeds=2, "
        "epochs=3)\nboard.start()\nboard.wait()\nboard",
    )
    _reads_well(board, "rgb(0, 114, 178)")
    board.page.evaluate("() => window.jupyterapp.commands.execute('docmanager:save')")
    lab.dark(True)
    try:
        board.page.reload()
        _reads_well(Board(board.page), "rgb(74, 163, 224)")
    finally:
        lab.dark(False)


def _reads_well(board: Board, colour: str) -> None:
    board.until(lambda: len(board.table()) == 2)
    label = board.box.locator(".de-chart .annotation-text", has_text="DE-GNN-SPD").first
    assert label.evaluate("el => getComputedStyle(el.querySelector('tspan') ?? el).fill") == colour
    chart, text = board.box.locator(".de-chart").first.bounding_box(), label.bounding_box()
    assert text["x"] + text["width"] <= chart["x"] + chart["width"]  # no label is clipped
    assert board.box.evaluate("el => el.scrollWidth <= el.clientWidth + 1")
