"""Target sets from a table of any length, a set a line, read chunk by chunk; lines that name no set are told apart."""

from __future__ import annotations

import csv
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import islice
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from degnn_explore.common.errors import ParameterError, one_of, shown
from degnn_explore.graphs.graph import Graph

_LONGEST = 1_000_000  # bytes of a line
_SEPARATORS = "\t,;"


@dataclass(frozen=True)
class Bad:
    """A line that names no target set: its number, counted from 1, its text, and what is wrong with it."""

    line: int
    text: str
    why: str


@dataclass(frozen=True)
class Chunk:
    """Some lines of a file: the sets as numbers [k, p] and as they are written, and how far the file is read."""

    sets: NDArray[np.int64]
    written: list[list[str]]
    lines: list[int]  # of the file, counted from 1
    bad: list[Bad]
    end: tuple[int, int]  # bytes and lines of the file up to here


class SetFile:
    """A table of target sets, parted by commas, semicolons, tabs or blanks.

    The nodes stand in the first p columns, or in those that are named; ``p=None``: in every column. Passed over are
    comments (# or %), empty lines and a header: a first line in which no cell is a node or a number. Each line is read
    for itself, so that an open quotation mark spoils one set and not the rest of the file.
    """

    def __init__(self, path: str, G: Graph, p: int | None, columns: Sequence[str] | None = None) -> None:
        self.path = Path(path)
        if not self.path.is_file():
            raise ParameterError(f"There is no file {path!r} of target sets.")
        numbers = {} if G.cleaning.renumbered else {str(i): i for i in range(G.num_nodes)}
        bare = {name.strip(): i for i, name in reversed(list(enumerate(G.names)))}  # cells lose the blanks around them
        self._place = numbers | bare | {name: i for i, name in enumerate(G.names)}
        self._separator, self._header = "", 0
        first, cells = self._first_line()
        if not any(cell in self._place or cell.lstrip("+-").isdecimal() for cell in cells):
            self._header = first
        names = cells if self._header else [str(i + 1) for i in range(len(cells))]
        self._columns = list(range(len(cells) if p is None else p))
        if columns is not None:
            self._columns = [names.index(one_of(f"column of {path}", word, names)) for word in columns]
        if p not in (None, len(self._columns)):
            raise ParameterError(f"A set has {p} nodes here, and {len(self._columns)} columns are named: {columns}.")
        self.names = [names[i] for i in self._columns if self._header and i < len(names)]
        if len(set(self.names) - {"", "line", "node", "score"}) < self.p:  # the other columns of what is written
            self.names = [f"node {i + 1}" for i in range(self.p)]

    @property
    def p(self) -> int:
        """Nodes in a set."""
        return len(self._columns)

    def chunks(self, rows: int, begin: tuple[int, int] = (0, 0)) -> Iterator[Chunk]:
        """The sets from ``begin`` on, so many lines at a time."""
        number = begin[1]
        with self.path.open("rb") as file:
            file.seek(begin[0])
            while lines := list(islice(iter(lambda: file.readline(_LONGEST), b""), rows)):
                yield self._chunk(lines, number, file.tell())
                number += len(lines)

    def _chunk(self, lines: list[bytes], before: int, end: int) -> Chunk:
        sets, written, numbers, bad = [], [], [], list[Bad]()
        for number, line in enumerate(lines, before + 1):
            text = self._text(line, number)
            if not text or number == self._header:
                continue
            cells = self._cells(text)
            try:
                nodes = [self._place[cells[i]] for i in self._columns]
            except (KeyError, IndexError):
                nodes = []
            if len(set(nodes)) < self.p:
                bad.append(Bad(number, text, self._why(cells)))
                continue
            sets.append(nodes)
            written.append([cells[i] for i in self._columns])
            numbers.append(number)
        array = np.array(sets, dtype=np.int64).reshape(-1, self.p)
        return Chunk(array, written, numbers, bad, (end, before + len(lines)))

    def _first_line(self) -> tuple[int, list[str]]:
        """The number and the cells of the first line that says something; they also tell what parts cells."""
        with self.path.open("rb") as file:
            for number, line in enumerate(iter(lambda: file.readline(_LONGEST), b""), 1):
                if text := self._text(line, number):
                    bare = re.sub(r'"[^"]*"', "", text)
                    self._separator = next((s for s in _SEPARATORS if s in bare), "")
                    return number, self._cells(text)
        raise ParameterError(f"{self.path} holds no target set; expected a set of nodes on each line.")

    def _text(self, line: bytes, number: int) -> str:
        """The line, or nothing if it is a comment."""
        if len(line) >= _LONGEST or b"\0" in line:
            raise ParameterError(f"{self.path}, line {number}: this is not text in lines; expected a set on each.")
        text = line.decode(errors="replace").strip("\ufeff \r\n")
        return "" if text.startswith(("#", "%")) else text

    def _cells(self, text: str) -> list[str]:
        """The cells of a line; none if a quotation mark is left open."""
        if '"' in text:
            try:
                rows = csv.reader([text], delimiter=self._separator or " ", skipinitialspace=True, strict=True)
                return [cell.strip() for cell in next(rows)]
            except csv.Error:
                return []
        if not self._separator:
            return text.split()
        return [cell.strip() for cell in text.split(self._separator)]

    def _why(self, cells: list[str]) -> str:
        if not cells:
            return "a quotation mark is not closed"
        if len(cells) <= max(self._columns):
            return f"{len(cells)} columns where a set has {self.p} nodes"
        for cell in (cells[i] for i in self._columns):
            if cell not in self._place:
                return f"no node is called {shown(cell)}" if cell else "an empty cell where a node should be"
        return "a node occurs twice"
