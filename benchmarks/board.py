"""The Training Board in a real JupyterLab: Start to first point, what watching a race costs, asking ten models.

    python benchmarks/board.py            # prints the table, writes results/board.csv; about five minutes
    python benchmarks/board.py --cost     # what watching costs, and nothing else; prints, writes nothing
    python benchmarks/board.py --ask      # asking, looking and Why?, and nothing else; prints, writes nothing

The cost is measured in the kernel of an open page: the same run by plain ``de.fit`` and by a board that is being drawn,
in turns, the order changing each time; medians of all turns. In seconds of the clock, from Start until the board shows
all its results, files written and mistakes found; and in processor time of the kernel. A browser that draws on the
same machine takes part of the processor, so other work makes these numbers worse: measure on a quiet machine.
"""

from __future__ import annotations

import argparse
import json
import statistics
import tempfile
import time
from pathlib import Path
from typing import Any

from _record import circumstances, write

from tools import lab as jupyter
from tools.boards import Board

RACES = (("links, celegans", "celegans", "links", 40, 7), ("roles, us-flights", "us-flights", "roles", 60, 15))

COST = """
import gc, json, time
def timed(act):
    gc.collect()
    time.sleep(1.0)  # the page has drawn what came before
    started, worked = time.perf_counter(), time.process_time()
    act()
    return time.perf_counter() - started, time.process_time() - worked
def plain():
    task = make_task(G, seed=0)
    for _ in de.fit(de.build("DE-GNN-SPD", task), task, epochs=EPOCHS, progress=False): pass
def watched():
    board.start()
    board.wait()
def turn(number):
    board._set_aside()
    acts = [plain, watched] if number % 2 else [watched, plain]
    took = {act.__name__: timed(act) for act in acts}
    return took["plain"] + took["watched"]
turn(0)
print("MEASURED", json.dumps([turn(number) for number in range(TURNS)]))
"""

ASK = """
import json, time, numpy as np
board.open_mistake(0)
def asked(pair):
    started = time.perf_counter()
    board._deep.ask.explorer.state.choose(0, [int(v) for v in pair])
    return time.perf_counter() - started
pairs = np.random.default_rng(0).permutation(board._known.plan.graph.num_nodes)[:40].reshape(20, 2)
asked(pairs[0])
print("MEASURED", json.dumps([asked(pair) for pair in pairs[1:]]))
"""


def row(what: str, seconds: float, instead: float | None = None, spread: list[float] | None = None) -> dict[str, Any]:
    """A line of the table; ``spread`` holds the single measurements."""
    return {
        "what": what,
        "seconds": round(seconds, 3),
        "instead_seconds": "" if instead is None else round(instead, 3),
        "ratio": "" if instead is None else round(seconds / instead, 3),
        "from": "" if not spread else round(min(spread), 3),
        "to": "" if not spread else round(max(spread), 3),
    }


def ready(page: Any) -> None:
    """Waits until the board trains nothing."""
    page.wait_for_function("() => !document.querySelector('.de-go').textContent.includes('Cancel')", timeout=600_000)


def first_point(page: Any) -> float:
    """Seconds from the click on Start until a curve is on the chart."""
    started = time.perf_counter()
    page.click(".de-go")
    page.wait_for_selector(".de-chart .scatterlayer .trace", state="attached", timeout=120_000)
    return time.perf_counter() - started


def opened(server: jupyter.Lab, chrome: Any, name: str, *cells: str) -> jupyter.Visit:
    """A page with a board, nothing trained yet."""
    visit = jupyter.Visit(chrome, height=1300)
    visit.open(server.notebook(f"{name}.ipynb", "import degnn_explore as de", *cells))
    visit.page.wait_for_selector(".de-chart .main-svg", timeout=120_000)
    return visit


def watching(server: jupyter.Lab, chrome: Any) -> list[dict[str, Any]]:
    """Start to first point, and the cost of the live view, for a run of some seconds and one of half a second."""
    rows = []
    for what, graph, task, epochs, turns in RACES:
        visit = opened(
            server,
            chrome,
            graph,
            f"board = de.TrainingBoard('{graph}', '{task}', ['DE-GNN-SPD'], seeds=1, epochs={epochs})\nboard",
            f"G = de.load('{graph}'); EPOCHS = {epochs}; TURNS = {turns}; make_task = de.{task[:-1]}_task",
        )
        rows.append(row(f"Start to first point, {what}, new kernel", first_point(visit.page)))
        ready(visit.page)
        visit.page.get_by_role("button", name="Set results aside").click()
        visit.page.wait_for_selector(".de-chart .scatterlayer .trace", state="detached", timeout=20_000)
        rows.append(row(f"Start to first point, {what}, same kernel", first_point(visit.page)))
        ready(visit.page)
        pairs = measured(visit.page, COST)
        for words, ours, theirs in (("a run on the board", 2, 0), ("its processor time in the kernel", 3, 1)):
            live, plain = (statistics.median(pair[k] for pair in pairs) for k in (ours, theirs))
            rows.append(row(f"{words}, {what}, median of {turns}", live, plain, [pair[ours] for pair in pairs]))
        visit.close()
    return rows


def asking(server: jupyter.Lab, chrome: Any) -> list[dict[str, Any]]:
    """A picked pair put to all ten models; Look into it; Why?, at first and by opening another mistake."""
    visit = opened(
        server,
        chrome,
        "ten",
        "board = de.TrainingBoard('celegans', 'links', de.models().index, seeds=1, epochs=2, results='ten')\nboard",
    )
    board = Board(visit.page)
    board.go.click()
    board.waits_for_button("All trained")
    mistakes = board.box.locator(".de-sheet", has=visit.page.get_by_text("truth")).locator("tbody .de-link")
    board.until(lambda: mistakes.count() > 3)
    looks = []
    for _ in range(3):
        looks.append(board.milliseconds(board.button("Look into it"), ".de-board", "sets are judged wrong") / 1000)
        board.button("Look into it").click()
        board.until(lambda: "sets are judged wrong" not in board.box.inner_text())
    answers = measured(visit.page, ASK)
    mistakes.first.click()
    board.until(lambda: board.box.locator(".de-answers [data-model]").count() > 9)
    reasons = [board.milliseconds(board.button("Why?"), ".de-why-right tbody") / 1000]
    for link in mistakes.all()[1:]:
        visit.page.wait_for_timeout(500)
        reasons.append(board.milliseconds(link, ".de-why-right tbody") / 1000)
    board.button("Why?").click()
    board.button("Which links are missing?").click()
    board.says("unlinked pairs around S")
    clicks = []
    for row in range(board.box.locator(".de-missing .de-link").count()):
        visit.page.wait_for_timeout(500)
        if (taken := board.pick_missing(row)) is not None:
            clicks.append(taken / 1000)
    visit.close()
    what = "a picked pair: Explorer redrawn and ten models asked, celegans"
    return [
        row("Look into it, ten models, celegans, the first time", looks[0]),
        row("Look into it, ten models, celegans, again", statistics.median(looks[1:]), spread=looks[1:]),
        row("Why?, celegans, the first time in a kernel", reasons[0]),
        row(
            f"Why?, celegans, another mistake opened, all ten asked too, median of {len(reasons) - 1}",
            statistics.median(reasons[1:]),
            spread=reasons[1:],
        ),
        row(f"{what}, in the kernel, median of {len(answers)}", statistics.median(answers), spread=answers),
        row(
            f"{what}, from the click to the answer on the page, median of {len(clicks)}",
            statistics.median(clicks),
            spread=clicks,
        ),
    ]


def measured(page: Any, code: str) -> list[Any]:
    """Runs code in the page's kernel and reads what it measured."""
    printed = page.evaluate(
        """async (code) => {
        const kernel = [...window.jupyterapp.shell.widgets('main')][0].sessionContext.session.kernel;
        let out = '';
        const asked = kernel.requestExecute({ code });
        asked.onIOPub = (m) => { if (m.content.name === 'stdout') out += m.content.text;  // not the bars
                                 if (m.header.msg_type === 'error') out += m.content.traceback.join('\\n'); };
        await asked.done;
        return out;
    }""",
        code,
    )
    before, _, after = printed.partition("MEASURED [")  # a traceback has the word, too
    if not after:
        raise RuntimeError(before)
    found: list[Any] = json.JSONDecoder().raw_decode(f"[{after}")[0]
    return found


def main() -> None:
    """Measures, prints and writes."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--cost", action="store_true", help="only what watching costs; nothing is written")
    parser.add_argument("--ask", action="store_true", help="only asking, looking and Why?; nothing is written")
    options = parser.parse_args()
    about = circumstances()  # the load before, not our own
    with tempfile.TemporaryDirectory() as folder, jupyter.browser() as chrome:
        server = jupyter.Lab(Path(folder))
        try:
            rows = [] if options.ask else watching(server, chrome)
            rows += [] if options.cost else asking(server, chrome)
        finally:
            server.close()
    for one in rows:
        print(
            f"{one['what']:76} {one['seconds']:7} s {one['instead_seconds']!s:>7} {one['ratio']!s:>6} "
            f"{one['from']!s:>7} {one['to']!s:>7}"
        )
    if not (options.cost or options.ask):
        write("board", rows, about)


if __name__ == "__main__":
    main()
