"""Reloading the page while a board trains: how often the board is there again, and what the page waited for.

    python benchmarks/reloads.py                 # 20 reloads, 20 tabs opened anew; writes results/reloads.csv
    python benchmarks/reloads.py --reloads 5     # prints, writes nothing

A race of all ten models on C. elegans runs in the notebook while two processes keep both cores busy, as in a class with
one small server. A board counts when its Cancel button and its chart are there within two minutes.
"""

from __future__ import annotations

import argparse
import contextlib
import multiprocessing
import statistics
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from _record import circumstances, write

from tests.support import lab as jupyter
from tests.support.boards import Board

LOST = "Error displaying widget"
# Notes when the manager asks for all widgets at once, when the answer comes, and how long it is.
WATCH = """
window.heard = { asked: [], answered: [], single: 0, size: 0 };
const Plain = window.WebSocket;
const text = (data) => typeof data === 'string' ? data : new TextDecoder().decode(data);
window.WebSocket = class extends Plain {
    constructor(...given) {
        super(...given);
        this.addEventListener('message', async ({ data }) => {
            const size = data.size ?? data.byteLength ?? data.length;
            if (size < 20000) return;
            const said = text(data instanceof Blob ? await data.arrayBuffer() : data);
            if (said.includes('"update_states"')) { heard.answered.push(performance.now()); heard.size = size; }
        });
    }
    send(data) {
        const said = text(data);
        if (said.includes('"request_states"')) heard.asked.push(performance.now());
        if (said.includes('"request_state"')) heard.single += 1;
        return super.send(data);
    }
};
"""


def _spin() -> None:
    while True:
        pass


@contextlib.contextmanager
def busy(count: int = 2) -> Iterator[None]:
    """So many processes that compute without end, as on a small server with a class on it."""
    spinning = [multiprocessing.get_context("spawn").Process(target=_spin, daemon=True) for _ in range(count)]
    for one in spinning:
        one.start()
    try:
        yield
    finally:
        for one in spinning:
            one.kill()
            one.join()


def came_back(page: Any) -> dict[str, Any]:
    """Waits for the board, or for the words that stand in its place."""
    began = time.perf_counter()
    end, there = began + 120, False
    while time.perf_counter() < end and not there:
        page.wait_for_timeout(200)
        there = page.locator(".de-board .de-go").count() > 0 and page.locator(".de-board .main-svg").count() > 0
        if not there and page.get_by_text(LOST).count():
            break
    heard = page.evaluate("() => window.heard")
    first = (heard["answered"] or [0])[0] - (heard["asked"] or [0])[0]
    return {
        "there": there,
        "seconds": round(time.perf_counter() - began, 1),
        "asked": len(heard["asked"]),
        "answer_seconds": round(first / 1000, 2) if heard["answered"] else "",
        "answer_megabytes": round(heard["size"] / 1e6, 2),
        "asked_singly": heard["single"],
        "says": page.locator(".jp-OutputArea-output").last.inner_text()[:60] if not there else "",
    }


def measure(server: jupyter.Lab, chrome: Any, reloads: int) -> list[dict[str, Any]]:
    """A race, and reloads while it runs; then the tab is closed and opened again as often."""
    visit = jupyter.Visit(chrome)
    visit.page.add_init_script(WATCH)
    cell = "board = de.TrainingBoard('celegans', 'links', de.models().index, seeds=5, epochs=400)\nboard.start()\nboard"
    address = server.notebook("reloads.ipynb", "import degnn_explore as de", cell)
    visit.open(address)
    Board(visit.page).means("cancel")
    visit.save()
    visit.page.wait_for_timeout(2000)
    rows = []
    with busy():
        for number in range(2 * reloads):
            how = "reload" if number < reloads else "tab closed and opened"
            if number < reloads:
                visit.page.reload()
            else:
                visit.page.close()
                visit.page = visit.context.new_page()
                visit.page.add_init_script(WATCH)
                visit.page.goto(address)
            rows.append({"how": how, "number": number % reloads + 1, **came_back(visit.page)})
            print(rows[-1], flush=True)
    visit.close()
    return rows


def main() -> None:
    """Measures, prints and writes."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--reloads", type=int, default=20, help="other than 20: nothing is written")
    reloads = parser.parse_args().reloads
    about = circumstances()
    with tempfile.TemporaryDirectory() as folder, jupyter.browser() as chrome:
        server = jupyter.Lab(Path(folder))
        try:
            rows = measure(server, chrome, reloads)
        finally:
            server.close()
    for how in dict.fromkeys(row["how"] for row in rows):
        own = [row for row in rows if row["how"] == how]
        there = [row["seconds"] for row in own if row["there"]]
        print(f"{how}: {len(there)} of {len(own)} boards, after {statistics.median(there or [0]):.1f} s (median)")
    if reloads == 20:
        write("reloads", rows, about)


if __name__ == "__main__":
    main()
