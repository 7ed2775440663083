"""What a reader of a Training Board waits for, in a real JupyterLab: seconds by the page's own clock.

    python benchmarks/board.py                  # 5 fresh kernels; writes results/board.csv
    python benchmarks/board.py --kernels 1      # prints, writes nothing

"skeleton" is from running the cell ``import degnn_explore as de; de.TrainingBoard()`` in a fresh kernel until the panel
is drawn with its question, imports included; "ready" until Race can be pressed. "first point" is from the click on
Race, with its worker process already started, until a point of a curve is drawn; "cancel" from the click on Cancel
until the button says Continue.
"""

from __future__ import annotations

import argparse
import tempfile
from pathlib import Path
from typing import Any

from _record import circumstances, write

from tests.support import lab as jupyter
from tests.support.boards import Board

CELL = """import degnn_explore as de
de.TrainingBoard('celegans', 'links', ['GCN', 'DE-GNN-SPD'], epochs=500, results='runs{number}')"""
WARM = 10_000  # milliseconds in which the worker process starts
HEADLINE = "() => document.querySelector('.de-board .de-headline')?.textContent"
POINT = "() => document.querySelector('.de-board .de-chart .scatterlayer :is(path.js-line, path.point)')"
# Runs an action and gives the seconds until a condition holds, looked at in every frame.
CLOCK = """([act, ...conditions]) => new Promise((done) => {
    const began = performance.now(), tests = conditions.map((text) => eval(text)), times = [];
    const look = () => {
        while (times.length < tests.length && tests[times.length]()) times.push((performance.now() - began) / 1000);
        times.length < tests.length ? requestAnimationFrame(look) : done(times);
    };
    eval(act)();
    look();
})"""


def meaning(what: str) -> str:
    """The condition that a click on the button would do this."""
    return f"() => document.querySelector('.de-board .de-go')?.dataset.meaning === '{what}'"


def measure(server: jupyter.Lab, chrome: Any, number: int) -> dict[str, float]:
    """One fresh kernel."""
    visit = jupyter.Visit(chrome, 1280, 800)
    page = visit.page
    visit.open(server.notebook(f"board{number}.ipynb", CELL.format(number=number)), run=False)
    run_all = "() => window.jupyterapp.commands.execute('notebook:run-all-cells')"
    click = "() => document.querySelector('.de-board .de-go').click()"
    skeleton, ready = page.evaluate(CLOCK, [run_all, HEADLINE, meaning("race")])
    Board(page).box.scroll_into_view_if_needed()
    page.wait_for_timeout(WARM)
    begun, point = page.evaluate(CLOCK, [click, meaning("cancel"), POINT])
    page.wait_for_timeout(2000)
    (cancel,) = page.evaluate(CLOCK, [click, meaning("continue")])
    visit.close()
    server.shut_down_kernels()
    row = {"skeleton": skeleton, "ready": ready, "race begun": begun, "first point": point, "cancel": cancel}
    return {name: round(seconds, 2) for name, seconds in row.items()}


def main() -> None:
    """Measures, prints and writes."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--kernels", type=int, default=5, help="other than 5: nothing is written")
    kernels = parser.parse_args().kernels
    about, rows = circumstances(), []
    with tempfile.TemporaryDirectory() as folder, jupyter.browser() as chrome:
        server = jupyter.Lab(Path(folder))
        try:
            for number in range(kernels):
                rows.append(measure(server, chrome, number))
                print(rows[-1], flush=True)
        finally:
            server.close()
    if kernels == 5:
        write("board", rows, about)


if __name__ == "__main__":
    main()
