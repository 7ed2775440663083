"""From a click to the recolored picture, in a real browser with a real kernel behind it.

    python benchmarks/canvas.py            # prints the table, writes results/canvas.csv

A click on a node goes from Chromium to the Jupyter kernel; the Explorer computes the distances of all nodes to
the new target, and sends color codes back; the clock stops after the frame that paints them. At layer 0 the colors are
the distances, at layer 1 the classes that a network tells apart after one layer. Graphs: random, three edges a node;
each click changes the target set (p = 1). The first clicks warm up and are not counted.
"""

from __future__ import annotations

import statistics
import tempfile
from itertools import product
from pathlib import Path
from typing import Any

from _record import write

from tests.support import lab as jupyter

SIZES = (1_500, 20_000)
LAYERS = (0, 1)
CLICKS, WARM_UP = 40, 5
TARGET_MS = {1_500: 50, 20_000: 150}

CELL = """import numpy as np, degnn_explore as de
rng = np.random.default_rng(0)
G = de.Graph.from_edges(rng.integers(0, {n}, ({m}, 2)), num_nodes={n})
de.Explorer((G, [0]), size=1, layer={layer})"""

MEASURE = """async (el, node) => {
  const canvas = el.querySelector('canvas'), box = canvas.getBoundingClientRect(), [x, y] = el.whereIs(node);
  const at = { clientX: box.left + x, clientY: box.top + y, button: 0, pointerId: 1, bubbles: true };
  const before = el.lastSerial, targets = el.dataset.targets;
  const start = performance.now();
  const drawn = new Promise((done) => {
    const heard = (event) => {
      if (event.detail.serial === before) return; // a frame drawn before the kernel has answered
      el.removeEventListener('de-drawn', heard);
      done(performance.now());
    };
    el.addEventListener('de-drawn', heard);
  });
  canvas.dispatchEvent(new PointerEvent('pointerdown', at));
  canvas.dispatchEvent(new PointerEvent('pointerup', at));
  const took = (await drawn) - start;
  return { took, changed: el.dataset.targets !== targets };
}"""


def measure(lab: jupyter.Lab, chrome: Any, n: int, layer: int) -> list[float]:
    """Milliseconds of each click."""
    visit = jupyter.Visit(chrome, 1400, 1000)
    visit.open(lab.notebook(f"canvas{n}_{layer}.ipynb", CELL.format(n=n, m=3 * n, layer=layer)))
    page = visit.page
    page.locator(".de-tree").wait_for(timeout=120_000)
    graph = page.locator(".de-stage").first
    graph.scroll_into_view_if_needed()
    # pointer capture needs a real pointer; these events are synthetic
    page.evaluate("() => { HTMLCanvasElement.prototype.setPointerCapture = () => {}; }")
    graph.evaluate("el => el.addEventListener('de-drawn', (event) => { el.lastSerial = event.detail.serial; })")
    page.mouse.move(300, 300)  # one frame, so that the serial is known
    page.mouse.move(5, 5)
    page.wait_for_timeout(2_000)
    times = []
    for i in range(CLICKS + WARM_UP):
        result = graph.evaluate(MEASURE, (i * 7_919 + 13) % n)
        if not result["changed"]:
            raise RuntimeError("a click did not change the target set, so nothing was measured")
        if i >= WARM_UP:
            times.append(float(result["took"]))
        page.wait_for_timeout(400)
    visit.close()
    return times


def main() -> None:
    rows = []
    with tempfile.TemporaryDirectory() as folder:
        server = jupyter.Lab(Path(folder))
        try:
            with jupyter.browser() as chrome:
                for n, layer in product(SIZES, LAYERS):
                    times = measure(server, chrome, n, layer)
                    row = {
                        "nodes": n,
                        "edges": 3 * n,
                        "layer": layer,
                        "clicks": len(times),
                        "median_ms": round(statistics.median(times), 1),
                        "p90_ms": round(statistics.quantiles(times, n=10)[-1], 1),
                        "target_ms": TARGET_MS[n],
                        "browser": f"Chromium {chrome.version}",
                    }
                    rows.append(row)
                    print(
                        f"{n:>7,} nodes, layer {layer}: median {row['median_ms']} ms, 90 % within {row['p90_ms']} ms "
                        f"(target: {row['target_ms']} ms)"
                    )
        finally:
            server.close()
    write("canvas", rows)


if __name__ == "__main__":
    main()
