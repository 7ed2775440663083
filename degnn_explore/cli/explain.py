"""``degnn-explore explain``: what moves a saved model's score for one target set."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import TYPE_CHECKING, Any

import degnn_explore as de
from degnn_explore.common.files import csv_text, write_whole

from .asking import add_command, add_graph, graph_of, node_of, say

if TYPE_CHECKING:
    import pandas

_TABLES = ("edges", "nodes", "branches", "rings")
_EXAMPLES = """
spd.safetensors celegans 12 40
spd.safetensors my.csv ann bob --table edges > edges.csv
spd.safetensors my.csv ann bob --picture why.svg
"""


def add(commands: Any) -> None:
    """The options of ``explain``."""
    about = (
        "What moves a model's score for a target set: each edge, node and ring of distances is left out for real, and "
        "all else computed anew."
    )
    parser = add_command(commands, "explain", _explain, about, _EXAMPLES)
    parser.add_argument("model", metavar="MODEL", help="a file that 'train' or de.save wrote")
    add_graph(parser)
    parser.add_argument("nodes", metavar="NODE", nargs="+", help="the target set, as many nodes as the model takes")
    parser.add_argument("--most", type=int, metavar="K", help="leave out the K edges nearest to the set only")
    parser.add_argument("--top", type=int, default=10, metavar="K", help="rows shown of each table (default: 10)")
    parser.add_argument("--table", choices=_TABLES, help="print this table instead, whole, as CSV")
    parser.add_argument("--picture", metavar="FILE.svg", help="draw the edges that move the score most")


def _explain(options: argparse.Namespace) -> None:
    model, G = de.load_model(options.model), graph_of(options.graph)
    why = de.explain(model, G, [node_of(G, text) for text in options.nodes], most=options.most)
    if options.picture is not None:
        write_whole(Path(options.picture), why.picture().encode())
        say(f"drawn in {options.picture}")
    tables = {name: _named(why, getattr(why, name)) for name in _TABLES}
    if options.table is not None:
        print(csv_text(tables[options.table], index=False, float_format="%.6g"), end="")
        return
    print(why.title)
    for name in ("edges", "nodes", "rings"):
        if len(tables[name]):
            print(f"\n{name} that are left out, what the score is without them, and how much that changes it:")
            print(tables[name].head(options.top).to_string(index=False, float_format="{:.4f}".format))
    for note in why.notes:
        print(f"\n{note}")


def _named(why: de.Explanation, table: pandas.DataFrame) -> pandas.DataFrame:
    """The table with names in place of the numbers of nodes."""
    names = why.graph.names
    one = {key: [names[v] for v in table[key]] for key in ("u", "v", "node", "root") if key in table}
    many = "nodes" in table and "root" in table  # of branches; elsewhere it is how many there are
    some = {"nodes": [" ".join(names[v] for v in nodes) for nodes in table["nodes"]]} if many else {}
    return table.assign(**one, **some)
