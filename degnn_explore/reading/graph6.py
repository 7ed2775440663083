"""Files of graph pairs in graph6, such as the BREC benchmark's."""

from __future__ import annotations

from os import PathLike
from pathlib import Path

from ..common.errors import GraphError
from ..graphs.graph import Graph

__all__ = ["read_pairs"]

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
    file = Path(path)
    try:
        lines = file.read_bytes().split(b"\n")
    except OSError as error:
        raise GraphError(f"{file} cannot be read: {error.strerror or error}.") from None
    rows = []
    for number, line in enumerate(lines, start=1):
        try:
            text = line.decode("ascii").strip()
        except UnicodeDecodeError:
            raise GraphError(f"{file.name}, line {number}: graph6 is plain ASCII text, and this line is not.") from None
        words = text.removeprefix(HEADER).replace(",", " ").split()
        if words and not words[0].startswith("#"):
            rows.append((number, words))
    if not rows:
        raise GraphError(f"{file.name} holds no graph; expected graph6, two graphs on a line or two lines a pair.")
    width = len(rows[0][1])
    for number, words in rows:
        if len(words) != width or width > 2:
            raise GraphError(
                f"{file.name}, line {number}: {len(words)} graphs, but line {rows[0][0]} has {width}; "
                "expected two on every line, or one on every line."
            )
    if width == 2:
        return [
            (_decode(file, number, first, " first"), _decode(file, number, second, " second"))
            for number, (first, second) in rows
        ]
    if len(rows) % 2:
        raise GraphError(
            f"{file.name}, line {rows[-1][0]}: the last of the {len(rows)} graphs has no partner; there "
            "is one on each line, and two lines make a pair."
        )
    graphs = [_decode(file, number, words[0]) for number, words in rows]
    return list(zip(graphs[::2], graphs[1::2], strict=True))


def _decode(file: Path, number: int, word: str, which: str = "") -> Graph:
    """Our own decoder, so that a malformed line is named by what is wrong with it."""
    where = f"{file.name}, line {number}"
    if word[0] in ":;&":
        raise GraphError(f"{where}: {word[:20]!r} is sparse6 or digraph6; expected graph6.")
    values = [ord(c) - 63 for c in word]
    if bad := [c for c, v in zip(word, values, strict=True) if not 0 <= v < 64]:
        raise GraphError(f"{where}: {bad[0]!r} is not a graph6 character (those are ? to ~).")
    if values[0] < 63:
        n, data = values[0], values[1:]
    elif len(values) >= 4 and values[1] < 63:
        n, data = (values[1] << 12) + (values[2] << 6) + values[3], values[4:]
    else:
        raise GraphError(f"{where}: the number of nodes is cut off, or above 258,047.")
    expected = (n * (n - 1) // 2 + 5) // 6
    if len(data) != expected:
        raise GraphError(f"{where}: a graph of {n} nodes takes {expected} characters after its size, not {len(data)}.")
    if n == 0:
        raise GraphError(f"{where}: the graph has no nodes.")
    bits = (v >> (5 - k) & 1 for v in data for k in range(6))
    pairs = ((u, v) for v in range(1, n) for u in range(v))
    edges = [pair for pair, bit in zip(pairs, bits, strict=False) if bit]
    return Graph.from_edges(edges, n, title=f"{file.name}:{number}{which}")
