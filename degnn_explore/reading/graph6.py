"""Graphs in graph6, one in a file, or pairs such as the BREC benchmark's."""

from __future__ import annotations

from os import PathLike
from pathlib import Path

import numpy as np

from ..common.errors import GraphError, ParameterError, shown
from ..graphs.graph import Graph
from .content import open_file

HEADER = ">>graph6<<"


def read_pairs(path: str | PathLike[str]) -> list[tuple[Graph, Graph]]:
    """Pairs of graphs from a graph6 file: two on each line, or one on each line, two lines a pair.

    Empty lines and lines that start with ``#`` are passed over.

    Parameters
    ----------
    path
        A text file. Graphs on one line are separated by spaces, tabs or a comma.

    Returns
    -------
    list of (Graph, Graph)
        Titled by file and line.

    Examples
    --------
    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     _ = Path(folder, "pairs.g6").write_text("ElEG E{CW\\n")
    ...     read_pairs(Path(folder, "pairs.g6"))
    [(Graph('pairs.g6:1 first', 6 nodes, 7 edges), Graph('pairs.g6:1 second', 6 nodes, 7 edges))]
    """
    if not isinstance(path, str | PathLike):
        raise ParameterError(f"read_pairs needs a file's name, not {shown(path)}.")
    name = Path(path).name
    rows = _rows(open_file(Path(path)).data, name)
    width = len(rows[0][1])
    for number, words in rows:
        if len(words) != width or width > 2:
            other = f", but line {rows[0][0]} has {width}" if len(words) != width else ""
            raise GraphError(
                f"{name}, line {number}: {len(words)} graphs{other}; expected two on every line, or one on every line."
            )
    if width == 1 and len(rows) % 2:
        raise GraphError(
            f"{name}, line {rows[-1][0]}: the last of the {len(rows)} graphs has no partner; there "
            "is one on each line, and two lines make a pair."
        )
    sides = ("",) if width == 1 else (" first", " second")
    graphs = [
        _decode(f"{name}, line {number}: ", word).with_title(f"{name}:{number}{side}")
        for number, words in rows
        for side, word in zip(sides, words, strict=True)
    ]
    return list(zip(graphs[::2], graphs[1::2], strict=True))


def read_graph6(content: bytes) -> Graph:
    """The graph of a graph6 file that holds one; of several, none is taken in silence.

    Examples
    --------
    >>> read_graph6(b">>graph6<<ElEG\\n")
    Graph(6 nodes, 7 edges)
    """
    graphs = [(number, word) for number, words in _rows(content, "the file") for word in words]
    if len(graphs) > 1:
        raise GraphError(
            f"{len(graphs):,} graphs are in it, the second on line {graphs[1][0]}; expected one. Keep a file for each; "
            "pairs of graphs are read by de.theory.read_pairs."
        )
    return _decode(f"line {graphs[0][0]}: ", graphs[0][1])


def _rows(content: bytes, name: str) -> list[tuple[int, list[str]]]:
    """The words of each line, with its number, without comments."""
    rows = []
    for number, line in enumerate(content.split(b"\n"), start=1):
        if not line.isascii():
            raise GraphError(f"{name}, line {number}: graph6 is plain ASCII text, and this line is not.")
        words = line.decode().strip().removeprefix(HEADER).replace(",", " ").split()
        if words and not words[0].startswith("#"):
            rows.append((number, words))
    if not rows:
        raise GraphError(f"{name} holds no graph; expected graph6, two graphs on a line or two lines a pair.")
    return rows


def _decode(where: str, word: str) -> Graph:
    """Our own decoder: networkx takes characters below ? for bits, and does not say what is wrong with a line."""
    if word[0] in ":;&":
        raise GraphError(f"{where}{word[:20]!r} is sparse6 or digraph6; expected graph6.")
    values = np.frombuffer(word.encode(), dtype=np.uint8) - np.uint8(63)
    if (values > 63).any():
        bad = word[int(np.argmax(values > 63))]
        raise GraphError(f"{where}{bad!r} is not a graph6 character (those are ? to ~).")
    if values[0] < 63:
        n, data = int(values[0]), values[1:]
    elif len(values) >= 4 and values[1] < 63:
        n, data = int(values[1:4].astype(np.int64) @ (2**12, 2**6, 1)), values[4:]
    else:
        raise GraphError(f"{where}the number of nodes is cut off, or above 258,047.")
    expected = (n * (n - 1) // 2 + 5) // 6
    if len(data) != expected:
        raise GraphError(f"{where}a graph of {n} nodes takes {expected} characters after its size, not {len(data)}.")
    if n == 0:
        raise GraphError(f"{where}the graph has no nodes.")
    place = np.flatnonzero(data[:, None] >> np.arange(5, -1, -1, dtype=np.uint8) & 1)  # of 01, 02, 12, 03, 13, 23, ...
    place = place[place < n * (n - 1) // 2]  # the last character is filled up
    high = ((1 + np.sqrt(1 + 8 * place)) / 2).astype(np.int64)
    return Graph.from_edges(np.stack([place - high * (high - 1) // 2, high], axis=1), n)
