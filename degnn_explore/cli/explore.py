"""``degnn-explore explore`` and ``app``: the Explorer in a browser, without a notebook; with the board for a class."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import Any

from degnn_explore.common.errors import ParameterError

from .app import serve
from .asking import add_command, add_graph, graph_of, is_file, node_of

_EXAMPLES = """
karate
my.csv ann bob
my.csv --no-browser --port 8900
"""
_BOTH = """import ipywidgets as W
import degnn_explore as de
W.Tab([de.Explorer(), de.TrainingBoard()], titles=("Explorer", "Training Board"))"""


def add(commands: Any) -> None:
    """The options of ``explore``."""
    about = (
        "Open the Explorer in a browser: pick target sets, see what a plain GNN cannot see. The page is served on\n"
        "this machine alone, to whoever has its address; Ctrl-C ends it. Needs the extra 'app': pip install "
        "'degnn_explore[app]'."
    )
    parser = add_command(commands, "explore", _explore, about, _EXAMPLES)
    add_graph(parser)
    parser.add_argument("nodes", metavar="NODE", nargs="*", help="the target set to begin with")
    _add_page(parser)
    about = (
        "Open the Explorer and the Training Board in a browser, for a projector: as 'explore', on a page with two tabs."
    )
    _add_page(add_command(commands, "app", _both, about, "\n--port 8900 --no-browser\n"))


def _add_page(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--no-browser", dest="browser", action="store_false", help="only print the address")
    parser.add_argument("--port", type=int, default=0, help="of the page (default: any that is free)")
    parser.add_argument("--dark", action="store_true", help="light on dark")


def _explore(options: argparse.Namespace) -> None:
    _serve(_code(options), "The Explorer", options)


def _both(options: argparse.Namespace) -> None:
    _serve(_BOTH, "Distance Encoding", options)


def _serve(code: str, title: str, options: argparse.Namespace) -> None:
    if not 0 <= options.port <= 65_535:
        raise ParameterError(f"--port is a number from 1 to 65535, or 0 for any that is free, not {options.port}.")
    serve(code, title, port=options.port, browser=options.browser, dark=options.dark)


def _code(options: argparse.Namespace) -> str:
    """What the page's kernel runs; a graph that cannot be read, or lacks the nodes, ends the command before."""
    source, nodes = options.graph, options.nodes
    path = Path(source).absolute()
    lines = ["import degnn_explore as de"]
    if options.imported:
        lines += ["import runpy", f"_ = runpy.run_path({str(Path(options.imported).absolute())!r})"]
    G = graph_of(source)
    given = str(path) if is_file(source) else source
    targets = [node_of(G, text) for text in nodes]
    if targets:
        G.target_set(targets)
    return "\n".join([*lines, f"de.Explorer(({given!r}, {targets!r}))"])
