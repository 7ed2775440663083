"""``main``: which commands there are, and how each ends."""

from __future__ import annotations

import argparse
import os
import runpy
import sys
from collections.abc import Sequence
from pathlib import Path

import degnn_explore as de
from degnn_explore.common.errors import ParameterError
from degnn_explore.expressive.methods import METHODS

from . import encode, explain, explore, reproduce, score, train
from .asking import CODES, INTERRUPTED, add_command, add_graph, graph_of, say, set_of

_EXAMPLES = """
karate 0 33
my.csv ann,bob ann,eve --cut
karate 0 33 --import mine.py --method DE-name
"""


def main(argv: Sequence[str] | None = None) -> int:
    """Run ``degnn-explore`` with these arguments; the exit code is 0, or that of docs/shell.md after a one-line error.

    Examples
    --------
    >>> main(["distinguish", "karate", "0", "33", "--method", "1-WL", "--quiet"])
    different
    0
    """
    options = _parser().parse_args(argv)
    try:
        if imported := getattr(options, "imported", None):
            if not Path(imported).is_file():
                raise ParameterError(f"There is no file {imported!r} to import.")
            runpy.run_path(imported)
        code = options.run(options)
        sys.stdout.flush()
    except BrokenPipeError:  # the reader, e.g. head, has seen enough
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 0
    except KeyboardInterrupt:
        return INTERRUPTED
    except (ValueError, OSError, MemoryError) as error:
        say(" ".join(str(error).split()))
        return 2
    return code or 0


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="degnn-explore",
        description="Distance Encoding for graph neural networks. 'degnn-explore COMMAND --help' has examples of each.",
        epilog="GRAPH is a name from 'degnn-explore datasets' or a file; a node is a name, or else its number 0..n-1.\n"
        + CODES,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("--version", action="version", version=f"degnn-explore {de.__version__}")
    commands = parser.add_subparsers(title="commands", required=True, metavar="COMMAND")
    add_command(commands, "about", _about, "Show the versions in use and the device.", "\n")
    add_command(commands, "datasets", _datasets, "List the graphs that can be loaded by name.", "\n")
    encode.add(commands)
    _add_distinguish(commands)
    for module in (train, score, explain, explore, reproduce):
        module.add(commands)
    return parser


def _about(options: argparse.Namespace) -> None:
    print(de.about().to_string(header=False))


def _datasets(options: argparse.Namespace) -> None:
    table = de.datasets()[["name", "nodes", "edges", "labels", "available", "what"]]
    print(table.to_string(index=False, max_colwidth=60))


def _add_distinguish(commands: object) -> None:
    about = "Can a GNN tell two target sets of a graph apart?"
    parser = add_command(commands, "distinguish", _distinguish, about, _EXAMPLES)
    add_graph(parser)
    parser.add_argument("a", metavar="A", help="a node, or several joined by commas")
    parser.add_argument("b", metavar="B", help="as many nodes as A")
    parser.add_argument(
        "--method",
        default="DE-SPD",
        help=f"{', '.join(METHODS)} (default: DE-SPD); of an encoding that --import registers: DE-name or DEA-name",
    )
    parser.add_argument("--cut", action="store_true", help="remove the edges inside each set first")
    parser.add_argument("--quiet", action="store_true", help="print only 'same' or 'different'")


def _distinguish(options: argparse.Namespace) -> None:
    G = graph_of(options.graph)
    a, b = set_of(G, options.a), set_of(G, options.b)
    verdict = de.distinguish((G, a), (G, b), method=options.method, cut=options.cut)
    print("different" if verdict.different else "same")
    if not options.quiet:
        print(verdict.why)
