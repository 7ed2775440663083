"""``degnn-explore encode``: ζ(u|S) of one target set, or of every set of a file."""

from __future__ import annotations

import argparse
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

import degnn_explore as de
from degnn_explore.common.errors import ParameterError
from degnn_explore.common.files import csv_text
from degnn_explore.common.fingerprint import fingerprint
from degnn_explore.encodings.base import Encoding
from degnn_explore.encodings.own import OWN, name_of
from degnn_explore.graphs.graph import Graph

from .asking import add_command, add_graph, graph_of, node_of
from .set_files import Chunk
from .streaming import Stream, add_streaming, identity, set_file

if TYPE_CHECKING:
    import pandas

_ROWS = 200_000  # of the table that a chunk becomes
_EGOS = 256  # sets in a chunk where only nodes near them are asked for
_EXAMPLES = """
karate 0 33
karate 0 33 --steps 4 --cut
my.csv --sets triples.csv --out zeta.csv
my.csv --sets pairs.csv --hops 2 --out zeta.parquet
karate 0 33 --import mine.py --encoding name
"""


def add(commands: Any) -> None:
    """The options of ``encode``."""
    about = (
        "Print the encoding ζ(u|S) of every node u as CSV. With --sets, write it for every target set of a file: a "
        "line for each set\nand node, with the set's line in the file."
    )
    parser = add_command(commands, "encode", _encode, about, _EXAMPLES)
    add_graph(parser)
    parser.add_argument("nodes", metavar="NODE", nargs="*", help="the target set S")
    parser.add_argument("--sets", metavar="FILE", help="many target sets instead: a set a line, all of one size")
    parser.add_argument("--out", metavar="OUT", help="where those of --sets go: a .csv or .parquet file")
    parser.add_argument(
        "--hops", type=int, metavar="H", help="of --sets only the nodes within H hops, with the edges inside S cut"
    )
    kind = parser.add_mutually_exclusive_group()
    kind.add_argument(
        "--max-dist", type=int, default=3, metavar="D", help="shortest-path distances up to D (the default, with D = 3)"
    )
    kind.add_argument("--steps", type=int, metavar="K", help="landing probabilities of walks of 0..K steps instead")
    kind.add_argument("--encoding", metavar="NAME", help="an encoding of your own instead, which --import registers")
    parser.add_argument("--cut", action="store_true", help="remove the edges inside S first")
    add_streaming(parser)


def _encode(options: argparse.Namespace) -> int | None:
    if bool(options.nodes) == bool(options.sets) or bool(options.sets) != bool(options.out):
        raise ParameterError("Give the nodes of one target set, or a file of sets with --sets FILE and --out FILE.")
    G, encoding = graph_of(options.graph), _encoding(options)
    if options.nodes:
        if options.workers is not None:
            raise ParameterError("--workers is for a file of target sets: give --sets FILE and --out FILE.")
        zeta = encoding.encode(G, [node_of(G, text) for text in options.nodes], cut=options.cut)
        print(csv_text(_table(G, encoding, np.arange(G.num_nodes), zeta), index=False, float_format="%.6g"), end="")
        return None
    source = set_file(options, options.sets, G, None)
    encoding.check_targets(source.p)
    run = {"command": "encode", "encoding": _called(encoding), "cut": options.cut, "hops": options.hops, **identity(G)}
    rows = max(1, _ROWS // G.num_nodes) if options.hops is None else _EGOS
    return Stream(options, source, run).answer(Encodings(G, encoding, options.cut, options.hops), rows)


def _encoding(options: argparse.Namespace) -> Encoding:
    if options.encoding is None:
        return de.SPD(options.max_dist) if options.steps is None else de.LandingProbability(options.steps)
    if options.encoding not in OWN:
        known = f"these are: {', '.join(OWN)}" if OWN else "give --import FILE.py with de.encoding(...) in it"
        raise ParameterError(f"No encoding {options.encoding!r} is registered; {known}.")
    return OWN[options.encoding]


def _called(encoding: Encoding) -> str:
    """What a file that is gone on with was written by: of your own encoding also what its code is."""
    return f"{encoding} {fingerprint(encoding)}" if name_of(encoding) else str(encoding)


def _table(G: Graph, encoding: Encoding, nodes: NDArray[Any], zeta: NDArray[Any]) -> pandas.DataFrame:
    import pandas as pd

    table = pd.DataFrame(zeta, columns=list(encoding.columns))
    table.insert(0, "node", pd.Series([G.names[u] for u in nodes], dtype="str"))
    return table


@dataclass(frozen=True)
class Encodings:
    """ζ of the sets of a chunk, as a table; another process can be given it.

    A row for each set and node: of all nodes, or of those that the engine finds near the set.
    """

    graph: Graph
    encoding: Encoding
    cut: bool
    hops: int | None

    def __call__(self, chunk: Chunk) -> pandas.DataFrame:
        G, encoding = self.graph, self.encoding
        if self.hops is None or not len(chunk.sets):
            zeta = [encoding.encode(G, S, cut=self.cut) for S in chunk.sets]
            nodes, each = np.tile(np.arange(G.num_nodes), len(zeta)), np.full(len(zeta), G.num_nodes)
            values = np.concatenate([np.empty((0, encoding.dim)), *zeta])
        else:
            data = de.ego_networks(G, chunk.sets, hops=self.hops, encoding=encoding, degree=False, progress=False)
            flat = data.part(np.arange(len(data)))
            nodes, each, values = flat.nodes, np.diff(flat.node_ptr), flat.x[:, -encoding.dim :]
        table = _table(G, encoding, nodes, values)
        table.insert(0, "line", np.repeat(np.array(chunk.lines, dtype=np.int64), each))
        return table
