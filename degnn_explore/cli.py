"""The command ``degnn-explore``: the library's first answers without a notebook."""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Sequence
from pathlib import Path

import degnn_explore as de
from degnn_explore.common.files import csv_text
from degnn_explore.expressive.methods import METHODS
from degnn_explore.graphs.graph import Graph

__all__ = ["main"]


def main(argv: Sequence[str] | None = None) -> int:
    """Run ``degnn-explore`` with these arguments; the exit code is 0, or 2 after a one-line error.

    Examples
    --------
    >>> main(["distinguish", "karate", "0", "33", "--method", "1-WL", "--quiet"])
    different
    0
    """
    options = _parser().parse_args(argv)
    try:
        options.run(options)
        sys.stdout.flush()
    except BrokenPipeError:  # the reader, e.g. head, has seen enough
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    except KeyboardInterrupt:
        return 130
    except (ValueError, OSError, MemoryError) as error:
        print(f"degnn-explore: {' '.join(str(error).split())}", file=sys.stderr)
        return 2
    return 0


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="degnn-explore",
        description="Distance Encoding for graph neural networks.",
        epilog="GRAPH is a name from 'degnn-explore datasets' or a file; a node is a name, or else its number 0..n-1.",
    )
    parser.add_argument("--version", action="version", version=f"degnn-explore {de.__version__}")
    commands = parser.add_subparsers(title="commands", required=True, metavar="COMMAND")

    about = commands.add_parser("about", help="show the versions in use and the device")
    about.set_defaults(run=lambda options: print(de.about().to_string(header=False)))

    datasets = commands.add_parser("datasets", help="list the graphs that can be loaded by name")
    datasets.set_defaults(run=_datasets)

    encode = commands.add_parser("encode", help="print the encoding ζ(u|S) of every node u as CSV")
    encode.add_argument("graph", metavar="GRAPH")
    encode.add_argument("nodes", metavar="NODE", nargs="+", help="the target set S")
    kind = encode.add_mutually_exclusive_group()
    kind.add_argument(
        "--max-dist", type=int, default=3, metavar="D", help="shortest-path distances up to D (the default, with D = 3)"
    )
    kind.add_argument("--steps", type=int, metavar="K", help="landing probabilities of walks of 0..K steps instead")
    encode.add_argument("--cut", action="store_true", help="remove the edges inside S first")
    encode.set_defaults(run=_encode)

    distinguish = commands.add_parser("distinguish", help="can a GNN tell two target sets of a graph apart?")
    distinguish.add_argument("graph", metavar="GRAPH")
    distinguish.add_argument("a", metavar="A", help="a node, or several joined by commas")
    distinguish.add_argument("b", metavar="B", help="as many nodes as A")
    distinguish.add_argument("--method", default="DE-SPD", help=f"{', '.join(METHODS)} (default: DE-SPD)")
    distinguish.add_argument("--cut", action="store_true", help="remove the edges inside each set first")
    distinguish.add_argument("--quiet", action="store_true", help="print only 'same' or 'different'")
    distinguish.set_defaults(run=_distinguish)
    return parser


def _datasets(options: argparse.Namespace) -> None:
    table = de.datasets()[["name", "nodes", "edges", "labels", "available", "what"]]
    print(table.to_string(index=False, max_colwidth=60))


def _encode(options: argparse.Namespace) -> None:
    import pandas as pd

    G = _graph(options.graph)
    encoding = de.SPD(options.max_dist) if options.steps is None else de.LandingProbability(options.steps)
    zeta = encoding.encode(G, [_node(G, text) for text in options.nodes], cut=options.cut)
    table = pd.DataFrame(zeta, index=pd.Index(G.names, name="node"), columns=list(encoding.columns))
    print(csv_text(table, float_format="%.6g"), end="")


def _distinguish(options: argparse.Namespace) -> None:
    G = _graph(options.graph)
    a, b = ([_node(G, name) for name in _split(G, text)] for text in (options.a, options.b))
    verdict = de.distinguish((G, a), (G, b), method=options.method, cut=options.cut)
    print("different" if verdict.different else "same")
    if not options.quiet:
        print(verdict.why)


def _graph(text: str) -> Graph:
    """The graph in a file, also one that is missing (so that the error says so), or else of that name."""
    path = Path(text)
    return de.read_graph(path) if path.exists() or path.suffix or len(path.parts) > 1 else de.load(text)


def _split(G: Graph, text: str) -> list[str]:
    return [text] if text in G.names else text.split(",")


def _node(G: Graph, text: str) -> int | str:
    """A name if there is such a node; else a number, but not where other numbers are the names of nodes."""
    number = text.isdecimal() and len(text) < 19 and not G.cleaning.renumbered
    return int(text) if number and text not in G.names else text


if __name__ == "__main__":
    sys.exit(main())
