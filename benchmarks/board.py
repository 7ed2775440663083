"""The Training Board in a real JupyterLab: from Start to the first point, and what watching a race costs.

    python benchmarks/board.py            # prints the table, writes results/board.csv

The cost is measured in the kernel of an open page: the same runs by plain ``de.fit`` and by a board that is being
drawn, in turns, the best of four each; in seconds of the clock, which a browser on the same machine makes longer, and
in processor time of the kernel. The board also writes a checkpoint after each epoch, which is counted.
"""

from __future__ import annotations

import csv
import json
import os
import platform
import sys
import tempfile
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "tests" / "browser"))

import lab as jupyter

MEASURE = """
import json, time
def plain():
    started, worked = time.perf_counter(), time.process_time()
    task = de.link_task(G, seed=0)
    for _ in de.fit(de.build("DE-GNN-SPD", task), task, epochs=EPOCHS): pass
    return time.perf_counter() - started, time.process_time() - worked
def watched():
    board._set_aside()
    started, worked = time.perf_counter(), time.process_time()
    board.start(); board.wait()
    return time.perf_counter() - started, time.process_time() - worked
def asked():
    started = time.perf_counter()
    board._ask.explorer.state.choose(0, list(range(board._shelf.task(0).p)))
    return time.perf_counter() - started
plain()
pairs = [(*plain(), *watched()) for _ in range(4)]
board.open_mistake(0)
asked()
print("MEASURED", json.dumps([pairs, min(asked() for _ in range(5))]))
"""


def first_point(page: object) -> float:
    """Seconds from the click on Start until a curve is on the chart."""
    started = time.perf_counter()
    page.click(".de-go")  # type: ignore[attr-defined]
    page.wait_for_selector(".de-chart .scatterlayer .trace", state="attached", timeout=120_000)  # type: ignore[attr-defined]
    return time.perf_counter() - started


def main() -> None:
    """Measures, prints and writes."""
    rows = []
    with tempfile.TemporaryDirectory() as folder, jupyter.browser() as chrome:
        server = jupyter.Lab(Path(folder))
        try:
            for what, graph, task, epochs in (
                ("links, celegans", "celegans", "links", 40),
                ("roles, us-flights", "us-flights", "roles", 60),
            ):
                for state in ("new kernel", "same kernel"):
                    name = f"{graph}.ipynb"
                    if state == "new kernel":
                        visit = jupyter.Visit(chrome, height=1300)
                        visit.open(
                            server.notebook(
                                name,
                                "import degnn_explore as de",
                                f"board = de.TrainingBoard('{graph}', '{task}', ['DE-GNN-SPD'], "
                                f"seeds=1, epochs={epochs})\nboard",
                                "G = de.load('" + graph + "'); EPOCHS = " + str(epochs),
                            )
                        )
                        visit.page.wait_for_selector(".de-chart .main-svg", timeout=120_000)
                    else:
                        visit.page.wait_for_function(
                            "() => document.querySelector('.de-go').textContent.includes('Start')", timeout=120_000
                        )
                        visit.page.get_by_role("button", name="Set results aside").click()
                        visit.page.wait_for_selector(".de-chart .scatterlayer .trace", state="detached", timeout=20_000)
                    seconds = first_point(visit.page)
                    rows.append(
                        {
                            "what": f"Start to first point, {what}, {state}",
                            "seconds": round(seconds, 2),
                            "instead_seconds": "",
                            "ratio": "",
                        }
                    )
                visit.page.wait_for_function(
                    "() => document.querySelector('.de-go').textContent.includes('Start')", timeout=300_000
                )
                pairs, click = measured(
                    visit.page, MEASURE.replace("de.link_task", f"de.{'link' if task == 'links' else 'role'}_task")
                )
                for words, ours, theirs in (("a run on the board", 2, 0), ("its processor time in the kernel", 3, 1)):
                    live, plain = (min(pair[k] for pair in pairs) for k in (ours, theirs))
                    rows.append(
                        {
                            "what": f"{words}, {what}",
                            "seconds": round(live, 2),
                            "instead_seconds": round(plain, 2),
                            "ratio": round(live / plain, 3),
                        }
                    )
                rows.append(
                    {
                        "what": f"a picked set: Explorer redrawn and model asked, {what}",
                        "seconds": round(click, 3),
                        "instead_seconds": "",
                        "ratio": "",
                    }
                )
                visit.close()
        finally:
            server.close()
    load = f"load {os.getloadavg()[0]:.1f}"
    machine = f"{platform.machine()}, {os.cpu_count()} cores, {load}, Python {platform.python_version()}"
    path = Path(__file__).parent / "results" / "board.csv"
    with path.open("w", newline="") as file:
        writer = csv.DictWriter(file, ["what", "seconds", "instead_seconds", "ratio", "machine"])
        writer.writeheader()
        writer.writerows({**row, "machine": machine} for row in rows)
    for row in rows:
        print(f"{row['what']:70} {row['seconds']:8} s  {row['instead_seconds']!s:>8}  {row['ratio']!s:>6}")
    print(f"written to {path.name}")


def measured(page: object, code: str) -> tuple[list[list[float]], float]:
    """Runs code in the page's kernel and reads what it measured."""
    printed = page.evaluate(
        """async (code) => {
        const kernel = [...window.jupyterapp.shell.widgets('main')][0].sessionContext.session.kernel;
        let out = '';
        const asked = kernel.requestExecute({ code });
        asked.onIOPub = (m) => { if (m.header.msg_type === 'stream') out += m.content.text;
                                 if (m.header.msg_type === 'error') out += m.content.traceback.join('\\n'); };
        await asked.done;
        return out;
    }""",
        code,
    )  # type: ignore[attr-defined]
    if "MEASURED" not in printed:
        raise RuntimeError(printed)
    found: tuple[list[list[float]], float] = json.loads(printed.partition("MEASURED")[2])
    return found


if __name__ == "__main__":
    main()
