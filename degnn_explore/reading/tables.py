"""Delimited text as columns: comma, semicolon, tab or blanks, with or without a header line.

Errors here name the line and what was expected; :mod:`degnn_explore.reading.read` puts the file's name before them.
"""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import islice
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from ..common.errors import GraphError
from ..common.stopping import at
from .content import READING, check_text

if TYPE_CHECKING:
    import pandas

_BLANKS = r"\s+"  # what pandas calls "any run of blanks"
_MOST_COLUMNS = 1_000
_FILLED_LINE = re.compile(rb"(?:\A|(?<=[\r\n]))[ \t]*+[^ \t\r\n][^\r\n]*")  # from a line's start: linear in its length
_BLOCK = 2**18  # bytes looked at in one go, few enough to stay in the cache
_INTEGER = re.compile(r"[+-]?[0-9]+")


class _Watched(io.BytesIO):
    """Bytes that say how many of them were read: pandas asks for them piece by piece, and can be stopped there."""

    def read(self, size: int | None = -1, /) -> bytes:
        at(READING, 0.1 + 0.3 * self.tell() / max(1, self.getbuffer().nbytes))
        return super().read(size)


@dataclass(frozen=True)
class Table:
    """Delimited text: what parts its cells, its first line, and its rows when asked for."""

    text: bytes  # comment lines have been emptied, so that every line keeps its number
    sep: str
    first: list[str]  # the cells of the first line
    header: list[str] | None
    start: int  # the byte at which the rows of data start

    @cached_property
    def values(self) -> pandas.DataFrame:
        """Every row, in columns 0, 1, 2, ... of text, or of numbers or truths where all of a column can be taken so.

        A million edges are read four times as fast by number, and twice as fast with pandas left to find out that
        words are text, than with each cell asked for as text.
        """
        return self._parse(low_memory=False)

    @cached_property
    def frame(self) -> pandas.DataFrame:
        """Every row, as text, in columns 0, 1, 2, ...; a cell that is missing at a line's end is empty."""
        return self.values if all(map(is_text, self.values.dtypes)) else self._parse(dtype=str)

    def exactly(self, places: Sequence[int]) -> pandas.DataFrame:
        """These columns: all integers, if each is written as ``str`` would write it (not 007, +7 or 7.0), or text."""
        kinds = [self.values[place].dtype for place in places]
        whole = all(kind == np.int64 for kind in kinds) and _spelt_plainly(self.text)
        return self.values[places] if whole or all(map(is_text, kinds)) else self.frame[places]

    def _parse(self, **options: Any) -> pandas.DataFrame:
        import pandas as pd

        try:
            frame = pd.read_csv(
                _Watched(self.text),
                sep=self.sep,
                header=None,
                skiprows=self._skip,
                na_filter=False,
                skipinitialspace=True,
                **options,
            )
        except (pd.errors.ParserError, pd.errors.EmptyDataError) as error:
            raise GraphError(_explain(str(error))) from None
        if frame.shape[1] != len(self.first):
            where = "the first line" if self.header is None else "the header line"
            raise GraphError(
                f"line {self.line(0)}: {frame.shape[1]} columns; expected {len(self.first)}, as in {where}."
            )
        return frame

    @cached_property
    def _skip(self) -> int:
        return len(re.findall(rb"\r\n|\r|\n", self.text[: self.start]))

    def line(self, row: int) -> int:
        """The line of the file, counted from 1, that holds a row."""
        lines = re.split(r"\r\n|\r|\n", self.text.decode())
        filled = [number for number, line in enumerate(lines, 1) if number > self._skip and line.strip(" \t")]
        return filled[min(row, len(filled) - 1)]  # one line is one row, unless a quoted cell runs over several

    def where(self, row: int) -> str:
        """Where a row stands, for an error."""
        return f"line {self.line(row)}"

    def find(self, names: Collection[str]) -> int | None:
        """The place of the first column whose name is among these, or None."""
        words = [plain_word(word) for word in self.header or []]
        return next((place for place, word in enumerate(words) if word in names), None)


def read_table(
    content: bytes, *, header: bool | None = None, seps: str = "\t,;", words: Sequence[Collection[str]] = ()
) -> Table:
    """The layout of delimited text.

    Lines that begin with ``#`` or ``%`` are comments. The separator is the first of ``seps`` that occurs
    in the first line outside quotes, or else blanks. With ``header=None``, the first line is a header if it
    has a word of each group in ``words``, or has no integer where the second line begins with one.
    """
    text = check_text(content)
    if (b"#" in text or b"%" in text) and re.search(rb"(?m)(?:^|\r)[ \t]*[#%]", text):
        text = re.sub(rb"(?m)(^|\r)[ \t]*[#%][^\r\n]*", rb"\1", text)
    lines = list(islice(_FILLED_LINE.finditer(text), 2))
    if not lines:
        raise GraphError("the file holds nothing but comments; expected rows of text.")
    first = lines[0].group().decode()
    sep = next((s for s in seps if s in re.sub(r'"[^"]*"', "", first)), _BLANKS)
    cells = _cells(first, sep)
    if len(cells) > _MOST_COLUMNS:
        raise GraphError(f"the first line has {len(cells):,} columns; expected at most {_MOST_COLUMNS:,}.")
    if header is None:
        header = _is_header(cells, _cells(lines[1].group().decode(), sep) if len(lines) > 1 else [], words)
    if not header:
        return Table(text, sep, cells, None, 0)
    if len(lines) < 2:
        raise GraphError("there is a header line and nothing else; expected rows below it.")
    return Table(text, sep, cells, cells, lines[1].start())


def numbers(column: Any) -> NDArray[Any] | None:
    """A column of text as int64 or float64, or None if a cell is not a finite number."""
    import pandas as pd

    cells = column if isinstance(column, pd.Series) else pd.Series(column, dtype=object)
    values = pd.to_numeric(cells, errors="coerce").to_numpy()
    if values.dtype.kind not in "iuf" or not np.isfinite(values).all():
        return None
    return values


def _cells(line: str, sep: str) -> list[str]:
    if sep == _BLANKS:
        line, sep = re.sub(r"[ \t]+", " ", line.strip(" \t")), " "
    try:
        return [cell.strip() for cell in next(csv.reader([line], delimiter=sep, skipinitialspace=True))]
    except csv.Error as error:
        raise GraphError(f"the first line is not a row of cells: {error}.") from None


def plain_word(word: str) -> str:
    """The word as it is compared: without case, blanks, _ and -."""
    return re.sub(r"[\s_-]", "", word).casefold()


def _is_header(first: list[str], second: list[str], words: Sequence[Collection[str]]) -> bool:
    if any(_INTEGER.fullmatch(cell) for cell in first):
        return False
    if words and all(any(plain_word(cell) in group for cell in first) for group in words):
        return True
    return any(_INTEGER.fullmatch(cell) for cell in second[:2])


def is_text(kind: Any) -> bool:
    """Whether a column of this type holds its cells as they were written; one of Python objects may hold numbers."""
    import pandas as pd

    return isinstance(kind, pd.StringDtype)


def _spelt_plainly(text: bytes) -> bool:
    """Whether every integer is written as ``str`` would write it, so that its text is not lost in reading it."""
    codes = np.frombuffer(b"\n" + text + b"\n", dtype=np.uint8)
    for place in range(0, len(text), _BLOCK):
        before, here, after = (codes[place + k : place + k + _BLOCK] for k in range(3))
        ends = min(len(before), len(after))
        zeros = (here[:ends] == ord("0")) & (after[:ends] - np.uint8(ord("0")) <= 9)
        zeros &= (before[:ends] <= ord(",")) | (before[:ends] == ord(";"))  # blanks, quotes, commas: first in ASCII
        if zeros.any():
            return False
    return b"+" not in text and b"-0" not in text


def _explain(message: str) -> str:
    """pandas' message in our words."""
    if found := re.search(r"Expected (\d+) fields in line (\d+), saw (\d+)", message):
        expected, line, saw = found.groups()
        return f"line {line}: {saw} columns; expected {expected}, as in the lines before it."
    if "EOF inside string" in message:
        return "a quotation mark is opened and never closed; expected them in pairs."
    return f"expected a table of cells: {message.strip()}."
