"""Races that need more than a click on Start: an own graph, processes, ten models at once."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import degnn_explore as de
from tools.boards import PAIR, Board, fresh
from tools.lab import GIVEN_UP, LATE


def upload(board: Board, graph: Path, labels: Path | None = None, column: str = "") -> None:
    for name, path in (("Graph file", graph), ("Labels file", labels)):
        if path is not None:
            button = board.box.locator(".de-drawer button", has_text=name)
            with board.page.expect_file_chooser() as waiting:
                button.click()
            waiting.value.set_files(path)
            board.until(lambda button=button: "(1)" in button.inner_text())
    if column:
        board.box.locator(".de-drawer input[type=text]").fill(column)
        board.page.keyboard.press("Tab")
    board.button("Use them").click()


def test_an_own_graph_with_its_labels_is_raced(lab: Any, visit: Any, tmp_path: Path) -> None:
    karate = de.load("karate")
    assert karate.labels is not None
    names = [f"member {v}" for v in range(34)]
    (tmp_path / "club.csv").write_text("".join(f"{names[u]},{names[v]}\n" for u, v in karate.edges))
    sides = [("right", "left")[side] for side in karate.labels]
    (tmp_path / "sides.csv").write_text("".join(f"{name},{side}\n" for name, side in zip(names, sides, strict=True)))
    (tmp_path / "club2.json").write_text(
        json.dumps(
            {
                # an edge less: else the board would show the runs of the first club, which asks for the same
                "nodes": [{"id": names[v], "age": v, "side": 1 - int(karate.labels[v])} for v in range(34)],
                "links": [{"source": names[u], "target": names[v]} for u, v in karate.edges.tolist()[1:]],
            }
        )
    )
    (tmp_path / "broken.graphml").write_text("<graphml><graph><node id='a'></graph>")

    board = fresh(lab, visit, "own", f"board = de.TrainingBoard('celegans', 'links', {PAIR}, seeds=1, epochs=3)\nboard")
    board.button("Own graph…").click()
    upload(board, tmp_path / "broken.graphml")
    board.says("broken.graphml")
    assert "Traceback" not in board.box.inner_text()
    assert "celegans" in board.box.locator("select").nth(1).evaluate("menu => menu.selectedOptions[0].text")

    upload(board, tmp_path / "club.csv", tmp_path / "sides.csv")
    board.says("2 classes")
    assert "broken.graphml" not in board.box.inner_text()
    board.box.locator("select").first.select_option(label="roles (p = 1)")
    board.go.click()
    board.until(lambda: set(board.table()) == {"GCN", "DE-GNN-SPD"})
    board.until(lambda: re.search("Hardest mistakes|makes no mistake", board.box.inner_text()))
    assert {run.graph for run in de.Store(lab.folder / "own" / "runs").runs()} == {"club"}

    upload(board, tmp_path / "club2.json", column="side")  # no labels file this time: the earlier one is gone
    board.until(lambda: board.table() == {})
    board.says("club2")
    board.go.click()
    board.until(lambda: set(board.table()) == {"GCN", "DE-GNN-SPD"})
    assert {run.graph for run in de.Store(lab.folder / "own" / "runs").runs()} == {"club", "club2"}


def workers(lab: Any) -> set[int]:
    """The worker processes of this server's kernels."""
    parents, commands = {}, {}
    for path in Path("/proc").glob("[0-9]*/stat"):
        try:
            parents[int(path.parent.name)] = int(path.read_text().rpartition(")")[2].split()[1])
            commands[int(path.parent.name)] = (path.parent / "cmdline").read_text()
        except OSError:
            continue
    ours, found = {lab.process.pid}, set()
    while found != ours:
        found = set(ours)
        ours |= {pid for pid, parent in parents.items() if parent in ours}
    return {pid for pid in ours if "workers import work" in commands.get(pid, "")}


def test_a_race_in_processes_is_cancelled_and_continued_and_keeps_one_warm(lab: Any, visit: Any) -> None:
    board = fresh(
        lab, visit, "processes", f"board = de.TrainingBoard('celegans', 'links', {PAIR}, seeds=1, epochs=50)\nboard"
    )
    board.button("More…").click()
    board.box.get_by_label("Train", exact=True).select_option(label="2 at a time, in processes")
    board.go.click()
    board.waits_for_button("Cancel")
    board.until(lambda: min(board.progress("GCN"), board.progress("DE-GNN-SPD")) > 0)  # side by side
    drawn = board.points()
    board.until(lambda: board.points() > drawn)
    first = workers(lab)
    assert len(first) == 2
    board.milliseconds(board.go, ".de-go", "Continue")
    kept = {model: board.progress(model) for model in ("GCN", "DE-GNN-SPD")}
    board.until(lambda: len(workers(lab)) <= 1)  # they have some seconds to write their checkpoints

    def continued() -> bool:
        board.page.wait_for_timeout(1500)  # the button is deaf for a moment after what the click did has ended
        if "Continue" in board.go.inner_text():
            board.go.click()
        return "Cancel" in board.go.inner_text()

    board.until(continued)
    board.until(lambda: any(board.progress(model) > kept[model] for model in kept))
    assert all(board.progress(model) >= kept[model] for model in kept)
    board.waits_for_button("All trained")
    board.until(lambda: len(board.table()) == 2)
    board.until(lambda: len(workers(lab)) == 1)  # for the next race


def test_reloading_the_page_while_it_trains_loses_nothing(lab: Any, visit: Any) -> None:
    board = fresh(
        lab,
        visit,
        "reloads",
        "board = de.TrainingBoard('celegans', 'links', de.models().index, seeds=9)\nboard.start()\nboard",
    )
    page, address = board.page, board.page.url
    board.waits_for_button("Cancel")
    page.evaluate("() => window.jupyterapp.commands.execute('docmanager:save')")
    for reopened in (False, True):
        if reopened:  # the tab is closed, and the notebook opened again
            page.goto("about:blank")
            page.goto(address)
        else:
            page.reload()
        again = Board(page)
        again.waits_for_button("Cancel")
        drawn = again.said()
        again.until(lambda again=again, drawn=drawn: again.said() != drawn)  # the chart is alive, too
    again.go.click()
    again.waits_for_button("Continue")


# The two seconds that anywidget gives a script are over before any script is loaded, as on a page that is very busy.
NO_TIME = """
const plain = AbortSignal.timeout.bind(AbortSignal);
AbortSignal.timeout = (milliseconds) => {
    if (milliseconds !== 2000) return plain(milliseconds);
    const over = new AbortController();
    queueMicrotask(() => over.abort());
    return over.signal;
};
"""


# ipywidgets waits for a model in steps of a tenth of a second. Its first step ends only when all models are there
# (they are asked for once it waits) and its two seconds are over: it gives up. Our own wait, which begins when the
# models are there and is as long, ends after it, as on any page.
GIVES_UP = """
const later = window.setTimeout.bind(window), send = WebSocket.prototype.send, steps = [];
let waits;
const begun = new Promise((done) => { waits = done; });
window.setTimeout = (act, wait, ...rest) => {
    if (wait !== 100 || !String(act).includes('[native code]') || steps.length === 2) return later(act, wait, ...rest);
    waits();
    if (steps.push(act) === 2) later(() => steps.forEach((end) => end()), 2000);
    return 0;
};
WebSocket.prototype.send = function (data) {
    const text = typeof data === 'string' ? data : new TextDecoder().decode(data);
    if (text.includes('request_states')) begun.then(() => send.call(this, data));
    else send.call(this, data);
};
"""


def test_a_page_too_busy_for_anywidget_and_ipywidgets_shows_a_board_that_is_alive(lab: Any, visit: Any) -> None:
    board = fresh(
        lab, visit, "late", f"board = de.TrainingBoard('celegans', 'links', {PAIR}, seeds=1, epochs=5)\nboard"
    )
    page = board.page
    page.evaluate("() => window.jupyterapp.commands.execute('docmanager:save')")  # the promise of what is saved
    page.add_init_script(NO_TIME)
    page.add_init_script(GIVES_UP)
    with (
        page.expect_event("pageerror", lambda error: LATE in str(error)),
        page.expect_console_message(lambda message: GIVEN_UP in message.text),
    ):
        page.reload()
    again = Board(page)  # drawn all the same, and its chart was sent plotly
    assert (page.locator(".de-board").count(), page.get_by_text("Error displaying widget").count()) == (1, 0)
    assert not page.evaluate("() => [...window.jupyterapp.shell.widgets('main')][0].context.model.dirty")
    drawn = again.said()
    again.go.click()
    again.until(lambda: again.said() != drawn)
    again.waits_for_button("All trained")
    again.until(lambda: set(again.table()) == {"GCN", "DE-GNN-SPD"})


def test_ten_models_race_and_all_answer_at_once(lab: Any, visit: Any) -> None:
    board = fresh(
        lab,
        visit,
        "ten",
        f"board = de.TrainingBoard('celegans', 'links', {PAIR}, seeds=1, epochs=1)\nboard",
        width=1400,
        height=1300,
    )
    board.button("Models: 2 chosen").click()
    boxes = board.box.locator(".de-models input[type=checkbox]:not([disabled])")
    board.until(lambda: boxes.count() >= 10)
    count = boxes.count()  # ten networks, and the heuristics
    for box in boxes.all():
        box.check()
    board.until(lambda: board.button(f"Models: {count} chosen").count() == 1)
    board.go.click()
    board.waits_for_button("Cancel")
    board.waits_for_button("All trained")
    board.until(lambda: len(board.table()) == count)
    board.box.locator(".de-link", has_text="open").first.click()
    board.says("score for “linked”")
    assert board.box.locator(".de-answers [data-model]").count() == count
    board.button("Which links are missing?").click()
    board.says("unlinked pairs around S")
    rows = board.box.locator(".de-missing .de-link")
    board.until(lambda: rows.count() == 10)  # the table is drawn a moment after the sentence above it
    picked = [board.pick_missing(row) for row in range(7)]  # fails if no answer comes; how fast: benchmarks/board.py
    assert None not in picked[1:]  # the open mistake may be the likeliest missing link
