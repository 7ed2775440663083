"""Delimited text as columns: comma, semicolon, tab or blanks, with or without a header line.

Errors here name the line and what was expected; :mod:`degnn_explore.readers` puts the file's name before them.
"""

from __future__ import annotations

import csv
import gzip
import io
import re
import zlib
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from .errors import GraphError

if TYPE_CHECKING:
    import pandas

BLANKS = r"\s+"
_HEADER_WORDS = {
    "id", "ids", "node", "nodes", "name", "vertex", "label", "labels", "class", "source", "target", "src", "dst",
    "from", "to", "u", "v", "head", "tail", "node1", "node2", "id1", "id2", "fromnodeid", "tonodeid", "weight",
}
_INTEGER = re.compile(r"[+-]?[0-9]+")


@dataclass(frozen=True)
class Table:
    """A table read from text: its rows, the words of its header line (or None) and where each row stood."""

    frame: pandas.DataFrame
    header: list[str] | None
    text: bytes
    sep: str

    def line(self, row: int) -> int:
        """The line of the file, counted from 1, on which a row ends."""
        lines = io.StringIO(self.text.decode(), newline="")
        reader = csv.reader(lines, delimiter=self.sep if len(self.sep) == 1 else " ")
        wanted = row + (self.header is not None)
        filled = (reader.line_num for cells in reader if any(cell.strip() for cell in cells))
        return next(line for place, line in enumerate(filled) if place == wanted)

    def column(self, *names: str) -> int | None:
        """The place of the first column that has one of these names, whatever its case."""
        words = [word.casefold() for word in self.header or []]
        return next((words.index(name) for name in names if name in words), None)


def read_bytes(path: Path) -> bytes:
    """The bytes of a file, unpacked if it ends in ``.gz``."""
    if path.is_dir():
        raise GraphError("this is a folder; give a file, or a folder with edges.csv (and nodes.csv) in it.")
    try:
        content = path.read_bytes()
        if path.suffix.casefold() == ".gz":
            content = gzip.decompress(content)
    except FileNotFoundError:
        raise GraphError(f"there is no such file (looked in {path.absolute().parent}).") from None
    except (OSError, ValueError, EOFError, zlib.error) as error:
        raise GraphError(f"cannot be read: {error}") from None
    if not content.strip():
        raise GraphError("the file is empty; expected a graph.")
    return content


def check_text(content: bytes) -> bytes:
    """The bytes without a byte-order mark, or an error if they are not UTF-8 text."""
    content = content.removeprefix(b"\xef\xbb\xbf")
    try:
        content.decode()
        bad = content.find(b"\0")
    except UnicodeDecodeError as error:
        bad = error.start
    if bad >= 0:
        raise GraphError(f"line {line_at(content, bad)}: byte 0x{content[bad]:02x} is not UTF-8 text; expected a text "
                         "file. Save it as UTF-8, or name its kind with format=.")
    return content


def line_at(content: bytes, place: int) -> int:
    """The number of the line, counted from 1, that holds the byte at a place."""
    return content.count(b"\n", 0, place) + 1


def read_table(content: bytes, *, header: bool | None = None, seps: str = ",;\t") -> Table:
    """Rows of text cells (or whole numbers, where a column holds nothing else).

    Lines that begin with ``#`` or ``%`` are comments. The separator is the first of ``seps`` that occurs
    in the first line outside quotes, or else blanks. With ``header=None`` the first line is a header if one of
    its cells is a usual column name, or if it has no numbers where the second line has.
    """
    text = check_text(content)
    if text[:1] in b"#%" or re.search(rb"[\r\n][ \t]*[#%]", text):
        text = re.sub(rb"(?m)^[ \t]*[#%][^\r\n]*", b"", text)  # an empty line keeps the numbering of the others
    first, second = _first_lines(text)
    if not first:
        raise GraphError("the file holds nothing but comments; expected rows.")
    bare = re.sub(r'"[^"]*"', "", first)
    sep = next((s for s in seps if s in bare), BLANKS)
    cells, following = _cells(first, sep), _cells(second, sep)
    if header is None:
        header = _is_header(cells, following)
    frame = _parse(text, sep, header, cells)
    return Table(frame, [cell.strip() for cell in cells] if header else None, text, sep)


def _first_lines(text: bytes) -> tuple[str, str]:
    found = [m.group().decode() for m, _ in zip(re.finditer(rb"[^\r\n]*[^\s][^\r\n]*", text), range(2), strict=False)]
    return (*found, "", "")[:2]  # type: ignore[return-value]


def _cells(line: str, sep: str) -> list[str]:
    if sep == BLANKS:
        return next(csv.reader([" ".join(line.split())], delimiter=" "), [])
    return next(csv.reader([line], delimiter=sep, skipinitialspace=True), [])


def _is_header(first: list[str], second: list[str]) -> bool:
    if any(_INTEGER.fullmatch(cell.strip()) for cell in first):
        return False
    words = {re.sub(r"[\s_-]", "", cell).casefold() for cell in first}
    return bool(words & _HEADER_WORDS) or any(_INTEGER.fullmatch(cell.strip()) for cell in second[:2])


def _parse(text: bytes, sep: str, header: bool, first: list[str]) -> pandas.DataFrame:
    import pandas as pd

    options: dict[str, Any] = {
        "sep": sep, "header": 0 if header else None, "index_col": False, "keep_default_na": False, "na_values": [],
        "skipinitialspace": True, "dtype": str}
    try:
        frame = pd.read_csv(io.BytesIO(text), **options)
    except pd.errors.ParserError as error:
        raise GraphError(_explain(str(error), len(first))) from None
    except (pd.errors.EmptyDataError, ValueError, OverflowError) as error:
        raise GraphError(f"expected rows of {len(first)} columns: {error}") from None
    frame.columns = pd.RangeIndex(frame.shape[1])
    return frame


def _explain(message: str, width: int) -> str:
    """pandas' message in our words."""
    if found := re.search(r"Expected (\d+) fields in line (\d+), saw (\d+)", message):
        expected, line, saw = found.groups()
        return f"line {line}: {saw} columns, but expected {expected} as on the first line."
    if "EOF inside string" in message:
        return "a quotation mark is opened and never closed; expected pairs of quotation marks."
    return f"expected rows of {width} columns: {message.strip()}"


def numbers(column: Any) -> np.ndarray[Any, Any] | None:
    """A column of text as int64 or float64, or None if some cell is not a finite number."""
    import pandas as pd

    values = pd.to_numeric(pd.Series(column), errors="coerce").to_numpy()
    if values.dtype.kind not in "iuf" or not np.isfinite(values).all():
        return None
    return values
