"""Thirty Explorers in one notebook, and a cell with an Explorer that is run fifty times more.

    python benchmarks/many_panels.py       # prints the table, writes results/many_panels.csv

Thirty cells show an Explorer each, all of them drawn. A click in the last one is timed as canvas.py does it, and
compared with the same click in a notebook that has one Explorer. Then one cell runs fifty times more; before and after
are counted the widgets, threads and memory of the kernel, and the widget models, elements and heap of the page.
"""

from __future__ import annotations

import json
import statistics
import tempfile
from pathlib import Path
from typing import Any

from _record import write
from canvas import MEASURE

from tests.support import lab as jupyter
from tests.support.explorers import Panel

PANELS, RUNS, CLICKS, WARM_UP = 30, 50, 20, 3
COUNT = """import gc, json, resource, threading
from ipywidgets.widgets import widget
gc.collect()
with open("/proc/self/statm") as pages:
    memory = int(pages.read().split()[1]) * resource.getpagesize() // 2**20
counts = {"kernel_widgets": len(widget._instances), "kernel_threads": threading.active_count(), "kernel_mb": memory}
with open("counts.json", "w") as file:
    json.dump(counts, file)"""


def opened(lab: jupyter.Lab, chrome: Any, panels: int) -> tuple[jupyter.Visit, list[Panel]]:
    """A notebook with this many Explorers, each of them drawn."""
    visit = jupyter.Visit(chrome, 1400, 1000)
    visit.open(lab.notebook(f"many{panels}.ipynb", "import degnn_explore as de", *["de.Explorer()"] * panels))
    visit.page.wait_for_function(f"() => document.querySelectorAll('.de-explorer').length === {panels}")
    visit.page.evaluate("() => { HTMLCanvasElement.prototype.setPointerCapture = () => {}; }")
    return visit, [Panel(visit.page, place) for place in range(panels)]


def clicks(panel: Panel) -> list[float]:
    """Milliseconds of each click in a panel, which goes back and forth between two nodes."""
    panel.box.scroll_into_view_if_needed()
    panel.graph.evaluate("el => el.addEventListener('de-drawn', (event) => { el.lastSerial = event.detail.serial; })")
    panel.page.mouse.move(*panel.point(0))
    panel.page.mouse.move(5, 5)
    panel.page.wait_for_timeout(1_000)
    times = []
    for i in range(CLICKS + WARM_UP):
        result = panel.graph.evaluate(MEASURE, (4, 6)[i % 2])
        if i >= WARM_UP:
            times.append(float(result["took"]))
        panel.page.wait_for_timeout(300)
    return times


def counted(lab: jupyter.Lab, page: Any) -> dict[str, float]:
    """What the kernel and the page hold."""
    if not jupyter.kernel(page, COUNT):
        raise RuntimeError("the kernel could not count")
    session = page.context.new_cdp_session(page)
    session.send("HeapProfiler.collectGarbage")
    heap = session.send("Runtime.getHeapUsage")["usedSize"] / 2**20
    session.detach()
    kernel: dict[str, float] = json.loads((lab.folder / "counts.json").read_text(encoding="utf-8"))
    return kernel | {"page_elements": page.evaluate("document.querySelectorAll('*').length"), "page_mb": round(heap, 1)}


def rerun(lab: jupyter.Lab, chrome: Any) -> tuple[dict[str, float], dict[str, float]]:
    """The counts after five runs of a cell, and after fifty more."""
    visit, _ = opened(lab, chrome, 1)
    page, counts = visit.page, []
    for runs in (5, RUNS):
        for _ in range(runs):
            before = page.locator(".de-explorer").element_handle()
            visit.run_all()
            page.wait_for_function("before => !before.isConnected", arg=before)
            Panel(page)
        page.wait_for_timeout(20_000)  # dom.js looks for panels that were given up for 15 seconds
        counts.append(counted(lab, page))
    visit.close()
    return counts[0], counts[1]


def main() -> None:
    rows = []
    with tempfile.TemporaryDirectory() as folder:
        server = jupyter.Lab(Path(folder))
        try:
            with jupyter.browser() as chrome:
                for panels in (1, PANELS):
                    visit, shown = opened(server, chrome, panels)
                    took = statistics.median(clicks(shown[-1]))
                    visit.close()
                    rows.append({"what": f"click, {panels} on the page, ms", "before": None, "after": round(took, 1)})
                before, after = rerun(server, chrome)
                rows += [
                    {"what": f"{name}, {RUNS} runs", "before": before[name], "after": after[name]} for name in before
                ]
        finally:
            server.close()
    for row in rows:
        print(row["what"], row["before"] if row["before"] is not None else "", row["after"])
    write("many_panels", rows)


if __name__ == "__main__":
    main()
