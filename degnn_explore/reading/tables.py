"""Tables of edges and of labels: delimited text (comma, semicolon, tab or blanks) or a DataFrame, by the same rules.

Errors here name the line and what was expected; :mod:`degnn_explore.reading.read` puts the file's name before them.
"""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass, replace
from decimal import Decimal
from functools import cached_property
from itertools import islice
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from ..common.errors import GraphError
from ..common.progress import report
from ..graphs.build import node_numbers
from ..graphs.build import text as as_text
from ..graphs.graph import Graph

if TYPE_CHECKING:
    import pandas

READING = "reading the file"
SOURCE = {"source", "src", "from", "fromnodeid", "sourceid", "fromnode", "sourcenode", "node1", "id1", "nodeid1"}
TARGET = {"target", "dst", "to", "tonodeid", "targetid", "tonode", "targetnode", "node2", "id2", "nodeid2"}
LABEL = {"label", "labels", "class", "y", "group", "community"}
ID = {"id", "node", "nodeid", "name", "vertex"}
_WEIGHT = {"weight", "weights", "w", "strength", "count", "value"}
_NODE_FACTS = {"age", "size", "type", "kind", "gender", "sex", "city", "country", "title", "degree", "value", "x", "y"}

_BLANKS = r"\s+"  # what pandas calls "any run of blanks"
_MAX_COLUMNS = 1_000
_MAX_LINE = 2**20  # bytes
_FILLED_LINE = re.compile(rb"(?:\A|(?<=[\r\n]))[ \t]*+[^ \t\r\n][^\r\n]*")  # from a line's start: linear in its length
_COMMENT = re.compile(rb"[ \t]*[#%]")
_TAGS = re.compile(rb"""[ \t]*"?[#%]\w[^,;\t ]*["\s]*[,;\t ][ "]*[#%]\w""")  # two hashtags: an edge, not a comment
_WHOLE = re.compile(r"[+-]?[0-9]+(?:\.0*)?")
_CANONICAL = re.compile(r"-?(?:0|[1-9][0-9]{0,17})")
_FLOAT = re.compile(r"(?m)^[+-]?[0-9]+(?:\.0*|(?:\.[0-9]*)?[eE]\+?[0-9]{1,3})$")  # 1.0, 1e3, 1.5E+02
_NUMBER = r"\s*[+-]?(?:\d+[.,]?\d*|[.,]\d+)(?:[eE][+-]?\d+)?\s*"


@dataclass(frozen=True)
class Table:
    """Rows in columns 0, 1, 2, ...; ``where`` says, for an error, where a row stands."""

    header: list[str] | None
    first: list[str]  # the cells of the first line, which may be the header
    values: pandas.DataFrame  # each column as numbers or truths where all of it can be taken so, otherwise text
    parse_text: Callable[[], pandas.DataFrame]
    ints_are_canonical: Callable[[], bool]  # whether str(int) gives back what was written (not 007, +7)
    where: Callable[[int], str]

    @cached_property
    def text(self) -> pandas.DataFrame:
        """Every cell as it was written; a cell that is missing at a line's end is empty."""
        return self.values if all(map(_is_text, self.values.dtypes)) else self.parse_text()

    def ids_as_written(self, places: Sequence[int]) -> pandas.DataFrame:
        """These columns as integers if nothing of their text is lost, otherwise as text."""
        kinds = [self.values[place].dtype for place in places]
        whole = all(kind == np.int64 for kind in kinds) and self.ints_are_canonical()
        return (self.values if whole else self.text)[list(places)]

    def find(self, names: Collection[str]) -> int | None:
        """The place of the first column whose name is among these, or None."""
        words = [_plain_word(word) for word in self.header or []]
        return next((place for place, word in enumerate(words) if word in names), None)


# ---- from delimited text ---------------------------------------------------------------------------------


def read_table(content: bytes, *, header: bool | None = None, words: Sequence[Collection[str]] = ()) -> Table:
    """The table in delimited text.

    Lines above the first row that begin with ``#`` or ``%`` are comments; further down they are rows like any other.
    The separator is a tab, a semicolon or a comma, the first of them that splits the first two lines into equally
    many cells, or else blanks. With ``header=None``, a first line without numbers is a header if it has a word of each
    group in ``words``, or if one of the first two cells below it is a whole number.
    """
    text = check_text(content)
    _check_lines(text)
    lines = (line for line in _FILLED_LINE.finditer(text))
    first = next((line for line in lines if not _COMMENT.match(line.group()) or _TAGS.match(line.group())), None)
    if first is None and not text.strip():
        raise GraphError("the file is empty; expected a graph.")
    if first is None:
        raise GraphError(
            "every line begins with # or %, like a comment; expected rows of text. If these lines are rows, put a "
            "header line such as source,target above them."
        )
    top = [line.group().decode() for line in (first, *islice(lines, 1))]
    sep = _separator(top)
    cells = _cells(top[0], sep)
    if len(cells) > _MAX_COLUMNS:
        raise GraphError(f"the first line has {len(cells):,} columns; expected at most {_MAX_COLUMNS:,}.")
    if header is None:
        header = _is_header(cells, _cells(top[1], sep) if len(top) > 1 else [], words)
    if header and len(top) < 2:
        raise GraphError("there is only a header line; expected rows below it.")
    skip = len(re.findall(rb"\r\n|\r|\n", text[: first.start()])) + header  # lines above the first row of data

    def line(row: int) -> str:
        every = re.split(r"\r\n|\r|\n", text.decode())
        filled = [number for number, line in enumerate(every, 1) if number > skip and line.strip(" \t")]
        return f"line {filled[min(row, len(filled) - 1)]}"  # one line is one row, unless a quoted cell has several

    def parse(**options: Any) -> pandas.DataFrame:
        frame = _parse(text, sep, skip, **options)
        if frame.shape[1] != len(cells):
            where = "the header line" if header else "the first line"
            raise GraphError(f"{line(0)}: {frame.shape[1]} columns; expected {len(cells)}, as in {where}.")
        return frame

    # A million edges are read four times as fast by number, and twice as fast with pandas left to find out that
    # words are text, than with each cell asked for as text.
    return Table(
        header=cells if header else None,
        first=cells,
        values=parse(low_memory=False),
        parse_text=lambda: parse(dtype=str),
        ints_are_canonical=lambda: _ints_are_canonical(text),
        where=line,
    )


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


def _check_lines(text: bytes) -> None:
    """Refuses a line of megabytes. One search a block finds it: a line that long fills a block without an end."""
    for start in range(0, len(text) - _MAX_LINE, _MAX_LINE):
        if all(text.find(end, start, start + _MAX_LINE) < 0 for end in (b"\n", b"\r")):
            number = text.count(b"\n", 0, start) + 1
            raise GraphError(f"line {number} is longer than {_MAX_LINE:,} bytes; expected a row of text on each line.")


class _ReportingBytes(io.BytesIO):
    """Bytes that report how many of them were read: pandas asks for them piece by piece, and can be stopped there."""

    def read(self, size: int | None = -1, /) -> bytes:
        report(READING, 0.1 + 0.3 * self.tell() / self.getbuffer().nbytes)
        return super().read(size)


def _parse(text: bytes, sep: str, skip: int, **options: Any) -> pandas.DataFrame:
    import pandas as pd

    try:
        return pd.read_csv(
            _ReportingBytes(text),
            sep=sep,
            header=None,
            skiprows=skip,
            na_filter=False,
            skipinitialspace=True,
            **options,
        )
    except OverflowError:  # pandas 3.0: a whole number of hundreds of digits
        return _parse(text, sep, skip, dtype=str)
    except (pd.errors.ParserError, pd.errors.EmptyDataError) as error:
        message = str(error)
        if fields := re.search(r"Expected (\d+) fields in line (\d+), saw (\d+)", message):
            expected, line, saw = fields.groups()
            message = f"line {line}: {saw} columns; expected {expected}, as in the lines before it"
        elif "EOF inside string" in message:
            message = "a quotation mark is opened and never closed; expected them in pairs"
        else:
            message = f"expected a table of cells: {message.strip()}"
        raise GraphError(f"{message}.") from None


def _separator(lines: list[str]) -> str:
    """The first separator that splits the lines into equally many cells; the first that occurs, where none does."""
    occurring = [sep for sep in "\t;," if sep in re.sub(r'"[^"]*"', "", lines[0])]
    even = [sep for sep in occurring if len({len(_cells(line, sep)) for line in lines}) == 1]
    return next(iter(even or occurring), _BLANKS)


def _cells(line: str, sep: str) -> list[str]:
    if sep == _BLANKS:
        line, sep = re.sub(r"[ \t]+", " ", line.strip(" \t")), " "
    try:
        return [cell.strip() for cell in next(csv.reader([line], delimiter=sep, skipinitialspace=True))]
    except csv.Error as error:
        raise GraphError(f"the first line is not a row of cells: {error}.") from None


def _plain_word(word: str) -> str:
    """The word as it is compared: without case, blanks, _ and -."""
    return re.sub(r"[\s_-]", "", word).casefold()


def _is_header(first: list[str], second: list[str], words: Sequence[Collection[str]]) -> bool:
    if any(re.fullmatch(_NUMBER, cell) for cell in first):
        return False
    if words and all(any(_plain_word(cell) in group for cell in first) for group in words):
        return True
    return any(map(_WHOLE.fullmatch, second[:2]))


def _ints_are_canonical(text: bytes) -> bool:
    """Whether every integer is written as ``str`` would write it, so that its text is not lost in reading it."""
    leading_zero = rb"0(?<![^\s,;\"']0)[0-9]"  # the 0 first, then what stands before it: five times as fast
    return re.search(leading_zero, text) is None and b"+" not in text and b"-0" not in text


# ---- from a DataFrame --------------------------------------------------------------------------------------


def frame_table(frame: pandas.DataFrame) -> Table:
    """The table of a DataFrame; its column names are the header, whatever they are."""
    import pandas as pd

    names = [as_text("a column's name", name) for name in frame.columns]
    if len(names) < 2 or not len(frame):
        raise GraphError(
            f"this DataFrame has {len(frame):,} rows and the columns {names}; expected at least one row, and two "
            "columns, such as source and target, or node and label."
        )
    values = pd.DataFrame({place: _frame_column(frame.iloc[:, place]) for place in range(len(names))})
    return Table(names, names, values, lambda: values.astype("string"), lambda: True, lambda row: f"row {row}")


def _frame_column(column: pandas.Series[Any]) -> pandas.Series[Any]:
    """Whole numbers as int64, other numbers as they are, everything else as text, and "" for what is missing."""
    import pandas as pd

    column = column.reset_index(drop=True)
    if column.dtype.kind in "iuf" and not column.isna().any():
        values = column.to_numpy()
        whole = (values == np.floor(values)).all() and np.abs(values).max() < 2**53
        return column.astype(np.int64) if whole else column
    words = column.astype(object).map(lambda cell: as_text("a node id", cell))
    return pd.Series(np.where(column.isna(), "", words), dtype="string")


# ---- cells -------------------------------------------------------------------------------------------------


def numbers(column: NDArray[Any]) -> NDArray[Any] | None:
    """A column of text as int64 or float64, or None if a cell is not a finite number."""
    import pandas as pd

    try:
        values = pd.to_numeric(column, errors="coerce")
    except OverflowError:  # a whole number of hundreds of digits
        return None
    if values.dtype.kind not in "iuf" or not np.isfinite(values).all():
        return None
    return values


def whole_id(cell: str) -> str:
    """The id as spreadsheets and pandas should have written it: they turn 1 into 1.0, and 1000 into 1e+03.

    >>> whole_id("1.0"), whole_id("1.5e1"), whole_id("1.5"), whole_id("v1.0")
    ('1', '15', '1.5', 'v1.0')
    """
    if not _FLOAT.fullmatch(cell):
        return cell
    if "e" not in cell.casefold():
        return cell.partition(".")[0]
    value = Decimal(cell)
    return str(int(value)) if value == int(value) else cell


def _is_text(kind: Any) -> bool:
    """Whether a column of this type holds its cells as they were written; one of Python objects may hold numbers."""
    import pandas as pd

    return isinstance(kind, pd.StringDtype)


def _are_numbers(column: pandas.Series[Any]) -> bool:
    """Whether every cell is a number, of however many digits, with a point or a comma."""
    if column.dtype.kind in "iuf":
        return bool(np.isfinite(column).all())
    return bool(column.astype("string").str.fullmatch(_NUMBER).all())


# ---- edges -------------------------------------------------------------------------------------------------


def read_edge_list(content: bytes, *, header: bool | None = None, columns: Sequence[str | int] | None = None) -> Graph:
    """A graph from an edge list.

    A header may name the two columns, in any place among others, or ``columns`` may. Without either there are two
    columns, and a third only if it holds numbers (weights). Integers 0..n-1 number the nodes; other integers are
    sorted, other ids come in order of appearance, and their text is the name.

    Examples
    --------
    >>> read_edge_list(b"# who knows whom\\nana ben\\nben cai\\n").names
    ('ana', 'ben', 'cai')
    """
    text, weighted = _without_dictionaries(content)
    if isinstance(columns, list | tuple) and any(isinstance(column, str) for column in columns):
        header = True
    table = read_table(text, header=header, words=[SOURCE, TARGET])
    if len(table.first) < 2:
        raise GraphError(
            f"{table.where(0)}: one column ({table.first[0][:50]!r}); expected "
            "two, the two ends of an edge, with a comma, semicolon, tab or blank between them."
        )
    return graph_of_edges(table, columns, weighted)


def graph_of_edges(table: Table, columns: Sequence[str | int] | None = None, weighted: bool = False) -> Graph:
    """The graph of a table with an edge in each row, see :func:`read_edge_list`."""
    source, target = table.find(SOURCE), table.find(TARGET)
    named = columns is not None or (source is not None and target is not None)
    ends = _chosen_columns(table, columns) if columns is not None else [source or 0, target or 0] if named else [0, 1]
    others = [place for place in range(len(table.first)) if place not in ends and not _is_empty(table.values[place])]
    weights = [place for place in others if _is_weight(table, place, alone=len(others) == 1)]
    ignored = [place for place in others if place not in weights]
    pairs, names = _number_nodes(table, ends)
    report("joining the links", 0.8)
    if not named:
        if ignored:
            raise GraphError(_too_many_columns(table, others))
        _refuse_node_table(table, pairs, others)
    kinds = table.find({"type"})  # as Gephi writes it
    directed = kinds in others and named and bool((table.text[kinds].str.strip().str.lower() == "directed").any())
    graph = Graph.from_edges(
        pairs, len(names) if names else None, names=names, weighted=weighted or bool(weights), directed=directed
    )
    called = table.header or [f"column {place}" for place in range(len(table.first))]
    return replace(graph, cleaning=replace(graph.cleaning, columns_ignored=tuple(called[place] for place in ignored)))


def _without_dictionaries(content: bytes) -> tuple[bytes, bool]:
    """networkx ends each line of an edge list with a dictionary, most often an empty one."""
    ending = rb"(?m)(^[^{\r\n]*)(?<=[ \t])\{([^\r\n]*)\}[ \t]*(?=\r?$)"  # from the line's start: linear in its length
    if b"}" not in content or not (dictionaries := re.findall(ending, content)):
        return content, False
    return re.sub(ending, rb"\1", content), any(inside for _, inside in dictionaries)


def _chosen_columns(table: Table, columns: Any) -> list[int]:
    """The two columns chosen with ``columns=``, by name or counted from 0."""
    present: list[Any] = table.header or list(range(len(table.first)))
    chosen = list(columns) if isinstance(columns, list | tuple) else []
    by_name = [place for name in chosen for place, word in enumerate(present) if isinstance(name, str) and word == name]
    places = by_name or [column for column in chosen if type(column) is int and 0 <= column < len(present)]
    if len(chosen) != 2 or len(places) != 2 or places[0] == places[1]:
        raise GraphError(
            f"columns={columns!r}; expected two of {present}, or their places from 0: the two ends of an edge."
        )
    return places


def _number_nodes(table: Table, ends: list[int]) -> tuple[NDArray[np.int64], list[str] | None]:
    """The pairs of nodes, and their names unless they are 0..n-1: integers sorted, other ids as they appear."""
    import pandas as pd

    cells = table.ids_as_written(ends)
    report("numbering the nodes", 0.4)
    if cells.dtypes.iloc[0] == np.int64:
        return _number_ints(cells.to_numpy())
    codes, texts = pd.factorize(pd.concat([cells[end] for end in ends], ignore_index=True))
    codes = codes.reshape(2, -1).T.ravel()  # row by row: sources and targets in turn
    first = np.full(len(texts), len(codes))
    np.minimum.at(first, codes, np.arange(len(codes)))
    order = np.argsort(first)
    codes = np.argsort(order)[codes]
    names = [text.strip() for text in texts.take(order).tolist()]
    if len(set(names)) < len(names):  # some differed by blanks only
        again, stripped = pd.factorize(np.array(names, dtype=object))
        codes, names = again[codes], stripped.tolist()
    pairs = codes.reshape(-1, 2).astype(np.int64)
    if "" in names:
        row = int(np.flatnonzero((pairs == names.index("")).any(axis=1))[0])
        row_cells = ", ".join(repr(str(cell)[:50]) for cell in table.text.iloc[row].tolist()[:5])
        raise GraphError(f"{table.where(row)}: found {row_cells}; expected two nodes, the ends of an edge.")
    if _FLOAT.search("\n".join(names)):
        whole = [whole_id(name) for name in names]
        if all(map(_CANONICAL.fullmatch, whole)):
            return _number_ints(np.array(list(map(int, whole)), dtype=np.int64)[pairs])
        hexadecimal = all(re.fullmatch("[0-9a-fA-F]+", name) for name in names)  # 1e3 is then not a thousand
        spelled: dict[str, str] = {}
        for name, plain in zip(names, whole, strict=True):
            if (other := spelled.setdefault(plain, name)) != name and not hexadecimal:
                raise GraphError(
                    f"two ids are {other!r} and {name!r}; are they the same node? Write each id in one way."
                )
    numbered = node_numbers(names)
    return (pairs, names) if numbered is None else (numbered[pairs], None)


def _number_ints(ids: NDArray[np.int64]) -> tuple[NDArray[np.int64], list[str] | None]:
    """Integers numbered in their order, and their names unless they are exactly 0..n-1. [m, 2]"""
    import pandas as pd

    codes, sorted_ids = pd.factorize(ids.ravel(), sort=True)
    contiguous = sorted_ids[0] == 0 and sorted_ids[-1] == len(sorted_ids) - 1
    return codes.reshape(-1, 2), None if contiguous else list(map(str, sorted_ids.tolist()))


def _is_empty(column: pandas.Series[Any]) -> bool:
    """Whether it is what a separator at each line's end leaves."""
    return _is_text(column.dtype) and not (column != "").any()


def _is_weight(table: Table, place: int, alone: bool) -> bool:
    called = table.header[place].casefold() if table.header else ""
    return (alone or called == "weight") and _are_numbers(table.values[place])


def _refuse_node_table(table: Table, pairs: NDArray[np.int64], others: list[int]) -> None:
    """Refuses what looks like a table of nodes: it would give edges from each node to its name or age."""
    words = [_plain_word(word) for word in table.header or []]
    ends = table.values[[0, 1]]
    text = [end for end in (0, 1) if _is_text(ends[end].dtype)]
    doubt = ""
    if words and words[0] in ID and words[1] in (ID | LABEL | _NODE_FACTS) - {words[0]}:
        doubt = "are called like those of a table of nodes"
    elif not others:
        return
    elif len(text) == 1:
        doubt = "" if ends[text[0]].str.fullmatch(r"\s*[+-]?\d+\s*").any() else "hold numbers and words"
    elif words and words[others[0]] not in _WEIGHT and len(pairs) > 1 and ends[0].is_unique:
        doubt = "" if np.isin(pairs[:, 0], pairs[:, 1]).any() else "have no node in common"
    if doubt:
        raise GraphError(
            f"the first line is {', '.join(map(repr, table.first[:6]))}, and the first two columns {doubt}: are they "
            "the ends of an edge? If so, pass columns=(0, 1) or call them source and target in a header line; if not, "
            "pass the columns that are."
        )


def _too_many_columns(table: Table, others: list[int]) -> str:
    remedy = "To ignore the others, pass columns=(0, 1), or name source and target in a header line."
    if len(others) > 1:
        return f"{table.where(0)}: {len(others) + 2} columns; expected two nodes and at most a weight. {remedy}"
    cells = table.text[others[0]]
    row = int((~cells.str.fullmatch(_NUMBER)).to_numpy().argmax())
    if not row and table.header is None:
        remedy = f"If this line names the columns, pass header=True. {remedy}"
    return f"{table.where(row)}: the third column is {cells[row][:50]!r}; expected a number, a weight. {remedy}"


# ---- labels ------------------------------------------------------------------------------------------------


def label_by_column(graph: Graph, column: str) -> Graph:
    """The graph with the labels that an info column holds."""
    if column == "label" and graph.labels is not None:
        return graph
    if column not in graph.info:
        raise GraphError(
            f"no node attribute {column!r} to take labels from; there are {sorted(graph.info)}. To read "
            "labels from a file, pass labels=."
        )
    labels, words = as_labels(graph.info[column], lambda row: f"node {graph.names[row]!r}")
    info = {key: cells for key, cells in graph.info.items() if key != column}
    if words is not None:
        info["label"] = words
    return graph.with_labels(labels).with_info(info)


def label_by_table(graph: Graph, table: Table, column: str | None) -> Graph:
    """The graph with the labels of a table with a node id and a label in each row."""
    place = {name: node for node, name in enumerate(graph.names)}
    id_column, label_column = _label_columns(table, column, place)
    cells = table.text[id_column].str.strip()
    nodes = np.empty(len(cells), dtype=np.int64)
    rows: dict[int, int] = {}
    for row, cell in enumerate(cells):
        node = place.get(cell, place.get(whole_id(cell)))
        if node is None:
            like = graph.names[0]
            raise GraphError(
                f"{table.where(row)}: {cell[:50]!r} is not a node of the graph; expected ids like {like!r}."
            )
        if rows.setdefault(node, row) != row:
            before = table.where(rows[node])
            raise GraphError(f"{table.where(row)}: node {cell[:50]!r} is already on {before}; expected it once.")
        nodes[row] = node
    classes, words = as_labels(table.text[label_column], table.where)
    labels = np.full(graph.num_nodes, -1, dtype=np.int64)
    labels[nodes] = classes
    if words is None:
        return graph.with_labels(labels)
    column_of_words = np.full(graph.num_nodes, "", dtype=object)
    column_of_words[nodes] = words
    return graph.with_labels(labels).with_info({**graph.info, "label": column_of_words})


def _label_columns(table: Table, column: str | None, nodes: Collection[str]) -> tuple[int, int]:
    """The places of the ids and of the labels: by their names, or by which cells are nodes of the graph."""
    if column is not None and column not in (table.header or []):
        raise GraphError(f"no column {column!r} among {table.header}; expected the one that holds the labels.")
    label = table.find(LABEL) if column is None else table.first.index(column)
    candidates = [place for place in range(len(table.first)) if place != label]
    words = [_plain_word(word) for word in table.header or []]
    named = [place for place in candidates if words and words[place] in ID]

    def misfits(place: int) -> int:
        cells = [whole_id(cell) for cell in table.text[place].str.strip()]
        return sum(cell not in nodes for cell in cells) + len(cells) - len(set(cells))

    if not candidates:
        raise GraphError("one column; expected two, a node id and its label.")
    candidates = named or candidates
    ids = candidates[0] if len(candidates) == 1 else min(candidates, key=misfits)  # the first of equals
    if label is None and len(table.first) == 2:
        label = 1 - ids
    if label is None:
        raise GraphError(
            f"{len(table.first)} columns; expected two, a node id and its label. If there are more, name the label "
            "column with label_column=."
        )
    return ids, label


def as_labels(cells: Any, where: Callable[[int], str]) -> tuple[NDArray[np.int64], NDArray[Any] | None]:
    """Labels from cells: whole numbers as they are, words coded in sorted order, an empty cell as -1 (none).

    The second value is the words themselves, a column for ``info``, or None if the labels were numbers.
    """
    texts = np.array([str(cell).strip() for cell in cells], dtype=object)
    filled = np.flatnonzero(texts != "")
    labels = np.full(len(texts), -1, dtype=np.int64)
    if odd := [row for row in filled.tolist() if texts[row].lower() in ("nan", "inf", "-inf")]:
        raise GraphError(f"{where(odd[0])}: the label is {texts[odd[0]]!r}; expected a class, or nothing for none.")
    values = numbers(texts[filled])
    if values is None:
        labels[filled] = np.unique(texts[filled].astype(str), return_inverse=True)[1]
        return labels, texts
    wrong = (values != np.round(values)) | (values < -1) | (values >= 2**53)
    if wrong.any():
        row = int(filled[np.flatnonzero(wrong)[0]])
        raise GraphError(
            f"{where(row)}: the label is {texts[row]}; expected classes 0, 1, 2, ... or words, and -1 or "
            "nothing where there is none."
        )
    labels[filled] = values.astype(np.int64)
    return labels, None
