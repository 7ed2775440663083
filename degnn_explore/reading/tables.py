"""Delimited text as columns: comma, semicolon, tab or blanks, with or without a header line.

Errors here name the line and what was expected; :mod:`degnn_explore.reading.read` puts the file's name before them.
"""

from __future__ import annotations

import csv
import gzip
import io
import re
import warnings
import zlib
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from ..common.errors import GraphError

if TYPE_CHECKING:
    import pandas

_BLANKS = r"\s+"  # what pandas calls "any run of blanks"
_BLOCK = 2**18  # bytes looked at in one go, few enough to stay in the cache
_FILLED_LINE = re.compile(rb"[^\r\n]*[^ \t\r\n][^\r\n]*")
_NUMERIC = re.compile(r"[+-]?\.?[0-9]")
_INTEGER = re.compile(r"[+-]?[0-9]+")


@dataclass(frozen=True)
class Table:
    """Delimited text: where its header line is, what parts its cells, and its rows when asked for.

    Attributes
    ----------
    text
        The text; comment lines have been emptied, so that every line keeps its number.
    sep
        What stands between two cells.
    first
        The cells of the first line.
    header
        The words of the header line, or None if there is none.
    start
        The byte at which the rows of data start.
    path
        The file, if it holds exactly this text: pandas reads a large file in several threads, but not a buffer.
    """

    text: bytes
    sep: str
    first: list[str]
    header: list[str] | None
    start: int
    path: Path | None = None

    @cached_property
    def frame(self) -> pandas.DataFrame:
        """Every row, as text, in columns 0, 1, 2, ...; a cell that is missing at a line's end is empty."""
        import pandas as pd

        try:
            frame = self._parse(skipinitialspace=True) if self._is_wordy() else None
            if frame is None or not all(isinstance(kind, pd.StringDtype) for kind in frame.dtypes):
                frame = self._parse(dtype=str, skipinitialspace=True)
        except pd.errors.ParserError as error:
            raise GraphError(_explain(str(error))) from None
        if self.header is not None and frame.shape[1] != len(self.header):
            raise GraphError(
                f"line {self.line(0)}: {frame.shape[1]} columns; expected {len(self.header)}, as in the header line."
            )
        return frame

    def whole_numbers(self) -> NDArray[np.int64] | None:
        """The first two columns, if every cell in them is an integer written plainly (not 007, +7 or 7.0). [rows, 2]

        This is the fast way through a long file; None says: take :attr:`frame`, which also explains what is wrong.
        """
        import pandas as pd

        if self._is_wordy():
            return None
        reals = any(self.text.find(mark, self.start) >= 0 for mark in (b".", b"e", b"E"))
        try:  # told to expect integers, pandas is faster, but takes 7.0 for 7: then it has to find out for itself
            frame = self._parse(low_memory=False) if reals else self._parse(dtype=np.int64)
        except (ValueError, OverflowError, pd.errors.ParserError):
            return None
        if frame.shape[1] != len(self.first) or frame.shape[1] > 3:
            return None
        if any(kind.kind not in "iuf" for kind in frame.dtypes):
            return None
        if frame[0].dtype != np.int64 or frame[1].dtype != np.int64 or not _spelt_plainly(self.text):
            return None
        return frame.iloc[:, :2].to_numpy()

    def _parse(self, **options: Any) -> pandas.DataFrame:
        import pandas as pd

        with warnings.catch_warnings():  # of columns with text and numbers, which are then read again as text
            warnings.simplefilter("ignore", pd.errors.DtypeWarning)
            return pd.read_csv(
                self.path or io.BytesIO(self.text),
                sep=self.sep,
                header=None,
                skiprows=self._skip,
                na_filter=False,
                **options,
            )

    def _is_wordy(self) -> bool:
        """Whether the first row is all words. Then pandas is faster when left to infer that the columns are text."""
        row = _FILLED_LINE.search(self.text, self.start)
        return row is not None and not any(map(_NUMERIC.match, _cells(row.group().decode(), self.sep)))

    @cached_property
    def _skip(self) -> int:
        return len(re.findall(rb"\r\n|\r|\n", self.text[: self.start]))

    def line(self, row: int) -> int:
        """The line of the file, counted from 1, that holds a row."""
        lines = re.split(r"\r\n|\r|\n", self.text.decode())
        filled = [number for number, line in enumerate(lines, 1) if number > self._skip and line.strip(" \t")]
        return filled[min(row, len(filled) - 1)]  # one line is one row, unless a quoted cell runs over several

    def find(self, names: Collection[str]) -> int | None:
        """The place of the first column whose name is among these, or None."""
        words = [_plain(word) for word in self.header or []]
        return next((place for place, word in enumerate(words) if word in names), None)


def read_bytes(path: Path) -> bytes:
    """The bytes of a file, unpacked if it ends in ``.gz``."""
    if path.is_dir():
        raise GraphError("this is a folder; expected a file, or a folder that holds nodes.csv and edges.csv.")
    try:
        content = path.read_bytes()
        if path.suffix.casefold() == ".gz":
            content = gzip.decompress(content)
    except FileNotFoundError:
        raise GraphError(f"there is no such file; the folder looked in is {path.absolute().parent}.") from None
    except (OSError, ValueError, EOFError, zlib.error) as error:
        raise GraphError(f"the file cannot be read: {error}.") from None
    if not content or content.isspace():
        raise GraphError("the file is empty; expected a graph.")
    return content


def check_text(content: bytes) -> bytes:
    """The bytes without a byte-order mark, or an error if they are not UTF-8 text."""
    content = content.removeprefix(b"\xef\xbb\xbf")
    try:
        if not content.isascii():
            content.decode()
        bad = content.find(b"\0")
    except UnicodeDecodeError as error:
        bad = error.start
    if bad >= 0:
        line = content.count(b"\n", 0, bad) + 1
        raise GraphError(
            f"line {line}: the byte 0x{content[bad]:02x} is not UTF-8 text; expected a text file saved as "
            "UTF-8. For another kind of file, name it with format=."
        )
    return content


def read_table(
    content: bytes,
    *,
    header: bool | None = None,
    seps: str = "\t,;",
    words: Sequence[Collection[str]] = (),
    path: Path | None = None,
) -> Table:
    """The layout of delimited text.

    Lines that begin with ``#`` or ``%`` are comments. The separator is the first of ``seps`` that occurs
    in the first line outside quotes, or else blanks. With ``header=None``, the first line is a header if it
    has a word of each group in ``words``, or has no integer where the second line begins with one.
    ``path`` is the file that holds the content.
    """
    text = check_text(content)
    if (b"#" in text or b"%" in text) and re.search(rb"(?m)(?:^|\r)[ \t]*[#%]", text):
        text = re.sub(rb"(?m)(^|\r)[ \t]*[#%][^\r\n]*", rb"\1", text)
    lines = [m for m, _ in zip(_FILLED_LINE.finditer(text), range(2), strict=False)]
    if not lines:
        raise GraphError("the file holds nothing but comments; expected rows of text.")
    first = lines[0].group().decode()
    bare = re.sub(r'"[^"]*"', "", first)
    sep = next((s for s in seps if s in bare), _BLANKS)
    cells = _cells(first, sep)
    if header is None:
        header = _is_header(cells, _cells(lines[1].group().decode(), sep) if len(lines) > 1 else [], words)
    if not header:
        return Table(text, sep, cells, None, 0, path if text is content else None)
    if len(lines) < 2:
        raise GraphError("there is a header line and nothing else; expected rows below it.")
    return Table(text, sep, cells, cells, lines[1].start(), path if text is content else None)


def numbers(column: Any) -> NDArray[Any] | None:
    """A column of text as int64 or float64, or None if a cell is not a finite number."""
    import pandas as pd

    values = pd.to_numeric(pd.Series(column, dtype=object), errors="coerce").to_numpy()
    if values.dtype.kind not in "if" or not np.isfinite(values).all():
        return None
    return values


def _cells(line: str, sep: str) -> list[str]:
    if sep == _BLANKS:
        line, sep = re.sub(r"[ \t]+", " ", line.strip(" \t")), " "
    try:
        return [cell.strip() for cell in next(csv.reader([line], delimiter=sep, skipinitialspace=True))]
    except csv.Error as error:
        raise GraphError(f"the first line is not a row of cells: {error}.") from None


def _plain(word: str) -> str:
    return re.sub(r"[\s_-]", "", word).casefold()


def _is_header(first: list[str], second: list[str], words: Sequence[Collection[str]]) -> bool:
    if any(_INTEGER.fullmatch(cell) for cell in first):
        return False
    if words and all(any(_plain(cell) in group for cell in first) for group in words):
        return True
    return any(_INTEGER.fullmatch(cell) for cell in second[:2])


def _spelt_plainly(text: bytes) -> bool:
    """Whether every integer is written as ``str`` would write it, so that its text is not lost in reading it."""
    if b"+" in text or b"-0" in text:
        return False
    if text[:1] == b"0" and text[1:2].isdigit():
        return False
    codes = np.frombuffer(text + b"\n", dtype=np.uint8)
    semicolons = b";" in text
    for place in range(0, len(text) - 1, _BLOCK):
        before, here = codes[place : place + _BLOCK], codes[place + 1 : place + _BLOCK + 1]
        starts = before[: len(here)] <= ord(",")  # blanks, quotes and commas come first in ASCII
        if semicolons:
            starts |= before[: len(here)] == ord(";")
        zeros = place + 1 + np.flatnonzero(starts & (here == ord("0")))
        if len(zeros) and (codes[np.minimum(zeros + 1, len(text))] - np.uint8(ord("0")) <= 9).any():
            return False
    return True


def _explain(message: str) -> str:
    """pandas' message in our words."""
    if found := re.search(r"Expected (\d+) fields in line (\d+), saw (\d+)", message):
        expected, line, saw = found.groups()
        return f"line {line}: {saw} columns; expected {expected}, as in the lines before it."
    if "EOF inside string" in message:
        return "a quotation mark is opened and never closed; expected them in pairs."
    return f"expected a table of cells: {message.strip()}."
