"""Time and memory of the ego-network engine against number of sets, hops and size of the graph.

    python benchmarks/scaling.py               # prints the table, writes results/scaling.csv and scaling.html

Memory follows the size of the result, and time is linear in the number of sets. Per node and edge of the
ego-networks, time falls with more hops (the rim, whose neighbors outside have to be looked at too, weighs
less) and rises with the size of the graph, once it no longer fits the processor's caches: see ns_per_unit.
Memory is how far the process's peak rose during the run, beside the size of the result.
"""

from __future__ import annotations

import time
from pathlib import Path
from typing import Any

import numpy as np
from _record import RESULTS, write
from extraction import link_sets, random_graph

import degnn_explore as de
from degnn_explore.engine.egonets import ego_networks
from degnn_explore.engine.request import make_net


def peak() -> int:
    """The process's peak resident memory in bytes, since :func:`reset_peak`."""
    for line in Path("/proc/self/status").read_text(encoding="utf-8").splitlines():
        if line.startswith("VmHWM"):
            return int(line.split()[1]) * 1024
    raise RuntimeError("This benchmark reads /proc/self/status, which is there on Linux only.")


def reset_peak() -> int:
    """Let the peak start again from what is resident now (Linux)."""
    Path("/proc/self/clear_refs").write_text("5", encoding="utf-8")
    return peak()


def measure(G: de.Graph, sets: np.ndarray, hops: int) -> dict[str, Any]:
    make_net(G, True)  # once a graph, not once a call
    before = reset_peak()
    wall, cpu = time.perf_counter(), time.process_time()
    data = ego_networks(G, sets, hops=hops, encoding=de.SPD(3), num_threads=1, budget=8_000_000_000, progress=False)
    wall, cpu = time.perf_counter() - wall, time.process_time() - cpu
    flat = data.flat
    return {
        "sets": len(sets),
        "hops": hops,
        "nodes": G.num_nodes,
        "edges": G.num_edges,
        "size": int(flat.node_ptr[-1] + flat.edge_ptr[-1]),
        "seconds": wall,
        "cpu_seconds": cpu,
        "result_bytes": data.nbytes,
        "peak_bytes": peak() - before,
    }


def main() -> None:
    """Measures, prints, plots and writes."""
    celegans = de.load("celegans")
    measure(celegans, link_sets(celegans, 100), 2)  # compiles
    rows = []
    G = random_graph(100_000, 500_000)
    for num in (1_000, 3_000, 10_000, 30_000, 100_000):
        rows.append({"varied": "number of sets", **measure(G, link_sets(G, num), 2)})
    sparse = random_graph(100_000, 250_000)
    for hops in (1, 2, 3, 4):
        rows.append({"varied": "hops", **measure(sparse, link_sets(sparse, 3_000), hops)})
    for n in (1_000, 10_000, 100_000, 1_000_000):
        G = random_graph(n, 5 * n)
        rows.append({"varied": "size of the graph", **measure(G, link_sets(G, 10_000), 2)})
    for row in rows:
        row["ns_per_unit"] = round(1e9 * row["cpu_seconds"] / row["size"], 2)
        print(
            "{varied:18} {sets:7,} sets {hops} hops {nodes:9,} nodes: {size:13,} nodes and edges {cpu_seconds:7.3f} "
            "CPU s {ns_per_unit:6.1f} ns each, result {result_bytes:14,} B, peak {peak_bytes:14,} B".format(**row)
        )
    write("scaling", rows)
    plot(rows, RESULTS / "scaling.html")


def plot(rows: list[dict[str, Any]], path: Path) -> None:
    """CPU seconds and peak memory against the total size of the ego-networks, on logarithmic axes."""
    from plotly.subplots import make_subplots

    figure = make_subplots(1, 2, subplot_titles=["CPU seconds, one thread", "peak memory, bytes"])
    styles = zip(
        dict.fromkeys(row["varied"] for row in rows),
        ("#0072B2", "#D55E00", "#009E73"),
        ("circle", "square", "diamond"),
        strict=True,
    )
    for varied, color, symbol in styles:
        part = [row for row in rows if row["varied"] == varied]
        for column, value in enumerate(("cpu_seconds", "peak_bytes"), 1):
            figure.add_scatter(
                x=[row["size"] for row in part],
                y=[max(row[value], 1e-3) for row in part],
                mode="lines+markers",
                name=f"more: {varied}",
                legendgroup=varied,
                showlegend=column == 1,
                row=1,
                col=column,
                line_color=color,
                marker={"symbol": symbol, "size": 9},
                hovertext=[f"{row['sets']:,} sets, {row['hops']} hops, {row['nodes']:,} nodes" for row in part],
            )
    figure.update_xaxes(type="log", title_text="nodes and edges of all ego-networks")
    figure.update_yaxes(type="log")
    figure.update_layout(title_text="Extraction against the total size of the ego-networks", template="plotly_white")
    figure.write_html(path, include_plotlyjs=True)
    print(f"wrote {path.name}")


if __name__ == "__main__":
    main()
