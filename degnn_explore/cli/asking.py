"""What the commands share: how a graph, a node, a set and a setting are written, and what is said while they work."""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import degnn_explore as de
from degnn_explore.graphs.graph import Graph

Run = Callable[[argparse.Namespace], int | None]  # None: all went well
BAD_ROWS, INTERRUPTED = 3, 130
CODES = (
    "exit codes: 0 done, 1 a fault of the program, 2 something given cannot be used,\n"
    f"{BAD_ROWS} lines of a file cannot be used, or runs failed, {INTERRUPTED} interrupted by Ctrl-C"
)
_EVERY = 30.0  # seconds between two lines in a log


def add_command(commands: Any, name: str, run: Run, about: str, examples: str) -> argparse.ArgumentParser:
    """A parser for one command, with its examples and the exit codes at the end of its help."""
    shown = "\n".join(f"  degnn-explore {name} {line}".rstrip() for line in examples.strip().splitlines())
    parser: argparse.ArgumentParser = commands.add_parser(
        name,
        help=about[0].lower() + about[1:].partition(".")[0],
        description=about,
        epilog=f"examples:\n{shown}\n\n{CODES}",
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.set_defaults(run=run)
    return parser


def add_graph(parser: argparse.ArgumentParser) -> None:
    """The argument GRAPH, and a file of the user's own encodings and models."""
    parser.add_argument("graph", metavar="GRAPH", help="a name from 'degnn-explore datasets', or a file")
    parser.add_argument(
        "--import",
        dest="imported",
        metavar="FILE.py",
        help="run this Python file first: it may register encodings and models of your own",
    )


def graph_of(text: str) -> Graph:
    """The graph in a file, also one that is missing (so that the error says so), or else of that name."""
    return de.read_graph(text) if is_file(text) else de.load(text)


def is_file(text: str) -> bool:
    """Whether a file is meant, and not a name."""
    path = Path(text)
    return path.exists() or bool(path.suffix) or len(path.parts) > 1


def node_of(G: Graph, text: str) -> int | str:
    """A name if there is such a node; else a number, but not where other numbers are the names of nodes."""
    number = text.isdecimal() and len(text) < 19 and not G.cleaning.renumbered
    return int(text) if number and text not in G.names else text


def set_of(G: Graph, text: str) -> list[int | str]:
    """A target set that is written as one word: its nodes joined by commas, unless that is the name of a node."""
    return [node_of(G, name) for name in ([text] if text in G.names else text.split(","))]


def say(text: str) -> None:
    """A line for the person at the shell; standard output is for results."""
    print(f"degnn-explore: {text}", file=sys.stderr, flush=True)


class Bar:
    """How far the work is: a bar in a terminal, a line now and then in a log, nothing if ``quiet``."""

    def __init__(self, label: str, total: int, quiet: bool) -> None:
        from tqdm import tqdm

        self._label, self._total, self._quiet, self._said = label, total, quiet, time.monotonic()
        hidden = quiet or not sys.stderr.isatty()
        shape = "{desc}: {percentage:3.0f}%|{bar}| {postfix} [{elapsed}<{remaining}]"
        self._bar = None if hidden else tqdm(desc=label, total=total, bar_format=shape, mininterval=0.3)

    def show(self, done: int, text: str) -> None:
        """``done`` of the total, and what there is to say of it."""
        if self._bar is not None:
            self._bar.set_postfix_str(text, refresh=False)
            self._bar.update(done - self._bar.n)
        elif not self._quiet and time.monotonic() - self._said >= _EVERY:
            self._said = time.monotonic()
            say(f"{self._label}: {done / max(self._total, 1):.0%}, {text}")

    def __enter__(self) -> Bar:
        return self

    def __exit__(self, *error: object) -> None:
        if self._bar is not None:
            self._bar.close()
