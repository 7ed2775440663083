"""Reading graphs: :func:`read_graph` from a file or an object, :func:`read_folder` from nodes.csv and edges.csv."""

from __future__ import annotations

import bz2
import contextlib
import gzip
import io
import lzma
import os
import stat
import sys
import tempfile
import zipfile
import zlib
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from os import PathLike
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from ..common.errors import FILE_BUDGET, GraphError, ParameterError, check_choice, short_repr
from ..common.files import readable_size
from ..common.progress import Report, progress_bar, report
from ..graphs.build import ids_are_noncontiguous_ints
from ..graphs.convert import take_positions
from ..graphs.graph import Graph
from . import documents, matrices
from .isolate import parse_in_child
from .tables import (
    ID,
    LABEL,
    READING,
    SOURCE,
    TARGET,
    Table,
    as_labels,
    frame_table,
    graph_of_edges,
    label_by_column,
    label_by_table,
    numbers,
    read_edge_list,
    read_table,
    whole_id,
)

if TYPE_CHECKING:
    import pandas

Upload = tuple[str, bytes]  # a file's name and its bytes
PACKED: dict[str, Any] = {".gz": gzip.open, ".bz2": bz2.open, ".xz": lzma.open, ".zip": zipfile.ZipFile}
LARGE_DOCUMENT = 20_000_000  # bytes; parsing JSON takes twenty times as many, and above this a child process does it
_REMEDY = "Take out what is not needed, or build the graph with de.Graph.from_edges(array)."
_BROKEN = (OSError, ValueError, EOFError, RuntimeError, zlib.error, lzma.LZMAError, zipfile.BadZipFile)


# ---- formats ---------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Format:
    """A kind of file. Every list of formats in errors, hints and docstrings is written from :data:`FORMATS`.

    Its reader takes a stream of bytes, in a child process if its parser is ``risky``: one that can crash or explode
    on a damaged file. Edge lists, which have more options, need none.
    """

    name: str  # what format= takes
    endings: str
    spoken: str
    holds: str
    read: Callable[[IO[bytes]], Graph] | None = None
    risky: bool = False


_EDGES = "an edge a line: two nodes and perhaps a weight; ``#``, ``%`` comments above the first"
_WRITTEN = "what networkx, igraph and Gephi write"
FORMATS = (
    Format("csv", ".csv", "CSV", _EDGES),
    Format("tsv", ".tsv .tab", "TSV", _EDGES),
    Format("edgelist", ".txt .edgelist .edges .el", "edge list", _EDGES),
    Format("graphml", ".graphml .xml", "GraphML", _WRITTEN, documents.read_graphml, risky=True),
    Format("gexf", ".gexf", "GEXF", _WRITTEN, documents.read_gexf, risky=True),
    Format("gml", ".gml", "GML", _WRITTEN, documents.read_gml, risky=True),
    Format("json", ".json", "JSON", "node-link data: nodes with id, edges (or links) with source and target",
           documents.read_json),
    Format("graph6", ".g6", "graph6", "one graph in graph6, as nauty and House of Graphs write it",
           documents.read_graph6),
    Format("npz", ".npz", "NumPy", "an adjacency matrix, from scipy.sparse.save_npz or numpy.savez",
           matrices.read_npz, risky=True),
    Format("mtx", ".mtx", "Matrix Market", "an adjacency matrix, as SuiteSparse has them",
           matrices.read_mtx, risky=True),
    Format("mat", ".mat", "MATLAB", "a sparse or full adjacency matrix, saved with -v7 or -v6",
           matrices.read_mat, risky=True),
    Format("pt", ".pt .pth", "PyG", "a PyG ``Data``, or a dictionary with edge_index, from torch.save",
           matrices.read_pt, risky=True),
)  # fmt: skip
_BY_ENDING = {ending: entry for entry in FORMATS for ending in entry.endings.split()}


def _format_of(ending: str, name: str | None) -> Format:
    """The format with this name, or else the one that a file's ending stands for."""
    if name is not None:
        check_choice("format", name, [entry.name for entry in FORMATS])
        return next(entry for entry in FORMATS if entry.name == name)
    if ending not in _BY_ENDING:
        raise GraphError(
            f"unknown file ending {ending!r}; expected one of {' '.join(_BY_ENDING)}. "
            "Name the format with format=, for example format='edgelist'."
        )
    return _BY_ENDING[ending]


def spoken_formats() -> str:
    """The formats as people call them, for hints.

    Examples
    --------
    >>> spoken_formats()[:27]
    'CSV, TSV, edge list, GraphM'
    """
    return ", ".join(entry.spoken for entry in FORMATS)


def _formats_table() -> str:
    """The formats as a table in reStructuredText, for the docstring of ``read_graph``."""
    holds = dict.fromkeys(entry.holds for entry in FORMATS)
    rows = [(" ".join(entry.endings for entry in FORMATS if entry.holds == what), what) for what in holds]
    rows += [(" ".join(PACKED), "any of them, packed"), ("a folder", "nodes.csv and edges.csv")]
    width, rest = (max(map(len, column)) for column in zip(*rows, strict=True))
    rule = f"    {'=' * width}  {'=' * rest}"
    lines = [f"    {endings:{width}}  {what}" for endings, what in [("ending", "what is in it"), *rows]]
    return "\n".join([rule, lines[0], rule, *lines[1:], rule])


# ---- files -----------------------------------------------------------------------------------------------


@contextmanager
def prefix_errors(name: object) -> Iterator[None]:
    """Put the file's name before the message of a GraphError, and turn the system's errors into one."""
    try:
        yield
    except GraphError as error:
        raise GraphError(f"{name}: {error}") from None
    except MemoryError:
        raise GraphError(f"{name}: not enough memory to read it. {_REMEDY}") from None
    except OSError as error:  # a locked folder, a loop of links, a name too long, a full disk
        raise GraphError(f"{name}: the file cannot be read: {error.strerror or error}.") from None


@contextmanager
def _opened(
    source: str | Path | Upload, limit: int = FILE_BUDGET, remedy: str = _REMEDY
) -> Iterator[tuple[Path, IO[bytes]]]:
    """A file or an upload, unpacked if its ending says that it is packed: its name (edges.csv for edges.csv.gz), and
    a file on disk to read it from."""
    name, upload = source if isinstance(source, tuple) else (source, None)
    with prefix_errors(name), contextlib.ExitStack() as stack:
        path = _expanded(name)
        file: Any = io.BytesIO(upload) if upload is not None else stack.enter_context(_open_on_disk(path, name))
        unpack = PACKED.get(path.suffix.casefold())
        if unpack is not None or upload is not None:
            copy = stack.enter_context(tempfile.TemporaryFile())
            try:
                if unpack is not None:
                    path, file = path.with_suffix(""), stack.enter_context(unpack(file))
                if isinstance(file, zipfile.ZipFile):
                    member = _only_member(file)
                    path, file = path.with_suffix(Path(member.filename).suffix), stack.enter_context(file.open(member))
                _copy(file, copy, limit, remedy)
            except GraphError:
                raise
            except _BROKEN as error:
                raise GraphError(f"the file cannot be read: {error}.") from None
            file = copy
        size = os.fstat(file.fileno()).st_size
        if not size:
            raise GraphError("the file is empty; expected a graph.")
        if size > limit:
            raise GraphError(f"the file has {readable_size(size)}; expected at most {readable_size(limit)}. {remedy}")
        yield path, file


def _copy(stream: IO[bytes], copy: IO[bytes], limit: int, remedy: str) -> None:
    while piece := stream.read(2**20):
        report(READING, 0.0)
        copy.write(piece)
        if copy.tell() > limit:
            raise GraphError(f"the file holds more than {readable_size(limit)}, the limit. {remedy}")
    copy.seek(0)


def _expanded(name: str | Path) -> Path:
    try:
        return Path(name).expanduser()
    except RuntimeError as error:  # ~nobody
        raise GraphError(str(error)) from None


def _open_on_disk(path: Path, name: str | Path) -> IO[bytes]:
    try:
        kind = path.stat().st_mode
    except ValueError as error:  # a null character in the name
        raise GraphError(f"the file cannot be read: {error}.") from None
    except FileNotFoundError:
        where = f"looked in {path.absolute().parent}"
        if str(name).startswith(("http:", "https:", "ftp:")):
            where = "web addresses are not opened, so download the file first"
        raise GraphError(f"there is no such file; {where}.") from None
    if stat.S_ISDIR(kind):
        raise GraphError("this is a folder; expected a file, or a folder that holds nodes.csv and edges.csv.")
    if not stat.S_ISREG(kind):
        raise GraphError("this is a pipe, a socket or a device; expected a file.")
    return path.open("rb")


def _only_member(archive: zipfile.ZipFile) -> zipfile.ZipInfo:
    """The only file of an archive, apart from those that macOS and Windows add."""
    files = [
        member
        for member in archive.infolist()
        if not member.is_dir()
        and not member.filename.startswith("__MACOSX/")
        and not Path(member.filename).name.startswith("._")
        and Path(member.filename).name.casefold() not in (".ds_store", "thumbs.db", "desktop.ini")
    ]
    if len(files) != 1:
        names = ", ".join(repr(member.filename[:50]) for member in files[:5])
        raise GraphError(f"the archive holds {len(files)} files ({names}); expected one. Unpack it and name the file.")
    return files[0]


def read_file(
    file: str | Path | Upload,
    *,
    format: str | None = None,
    header: bool | None = None,
    columns: Sequence[str | int] | None = None,
    limit: int = FILE_BUDGET,
    remedy: str = _REMEDY,
) -> Graph:
    """:func:`read_graph` of one file, or of an upload; at most ``limit`` bytes once unpacked, ``remedy`` with more."""
    with _opened(file, limit, remedy) as (path, stream):
        kind = _format_of(path.suffix.casefold(), format)
        if kind.read is None:
            graph = read_edge_list(stream.read(), header=header, columns=columns)
        elif columns is not None:
            raise ParameterError(f"columns={columns!r} is for edge lists, and {path.name} is {kind.spoken}.")
        elif kind.risky or os.fstat(stream.fileno()).st_size > LARGE_DOCUMENT:
            graph = parse_in_child(kind.read, stream, f"{kind.spoken} ({kind.holds})")
        else:
            graph = kind.read(stream)
        return graph.with_title(path.stem)


def read_labels(file: Any, column: str | None = None, **limit: Any) -> Table:
    """The table of labels in a file, an upload or a DataFrame, for :func:`label_graph`."""
    if is_a("pandas", "DataFrame", file):
        with prefix_errors("labels"):
            return frame_table(file)
    if not isinstance(file, str | Path | tuple):
        raise ParameterError(f"labels must be a file's name or a DataFrame, not {short_repr(file)}.")
    with _opened(file, **limit) as (_, stream):
        return read_table(stream.read(), header=True if column is not None else None, words=[ID | LABEL])


def label_graph(graph: Graph, name: object, labels: Table | None, column: str | None) -> Graph:
    """The graph with labels from a table, or from one of its columns; ``name`` is where they come from."""
    with prefix_errors(name):
        if labels is not None:
            return label_by_table(graph, labels, column)
        return graph if column is None else label_by_column(graph, column)


# ---- graphs ----------------------------------------------------------------------------------------------


def read_graph(
    path: str | Path | pandas.DataFrame | Any,
    *,
    format: str | None = None,
    labels: str | Path | pandas.DataFrame | None = None,
    label_column: str | None = None,
    header: bool | None = None,
    columns: Sequence[str | int] | None = None,
    progress: Report | bool = False,
) -> Graph:
    """A graph from a file, a DataFrame of edges, or a graph of networkx or PyG.

    FORMATS

    What had to be changed is reported in :attr:`Graph.cleaning`. Node ids are any text and become the names. If they
    are exactly 0..n-1, node "3" is node 3; 1.0 and 1 are the same node, 1e3 and 1000 too.

    Parameters
    ----------
    path
        The file, or a folder, see :func:`read_folder`. Or a DataFrame with an edge in each row, by the rules of an
        edge list; or a graph of networkx or PyG, see :meth:`Graph.from_networkx` and :meth:`Graph.from_pyg`.
    format
        The format, if the file's ending does not show it: the first ending of a row above, without its dot.
    labels
        A second file, or a DataFrame: a node id and its label on each line. Words are coded 0, 1, ... in sorted
        order, and kept in ``info["label"]``; a node that is not listed has label -1.
    label_column
        The column of the labels file, or without one the node attribute, to take the labels from.
    header
        Whether the first line of an edge list names its columns; None looks at it and decides.
    columns
        The two columns of an edge list that hold the ends of an edge, by name or counted from 0. The others are
        ignored, and reported. Needed where the header or the cells look like a table of nodes.
    progress
        True shows a bar; a function is called with what is being done, and the share that is done (0 to 1).

    Raises
    ------
    GraphError
        Naming the file, the line where there is one, and what was expected.

    Examples
    --------
    >>> import tempfile, pathlib
    >>> path = pathlib.Path(tempfile.mkdtemp()) / "friends.csv"
    >>> _ = path.write_text("source,target,weight\\nana,ben,2\\nben,cai,1\\nben,ana,1\\n", encoding="utf-8")
    >>> G = read_graph(path)
    >>> G, G.names
    (Graph('friends', 3 nodes, 2 edges), ('ana', 'ben', 'cai'))
    >>> print(G.cleaning)
    merged 1 edge given in both directions; ignored edge weights
    """
    with progress_bar(progress):
        table = None if labels is None else read_labels(labels, label_column)
        name = path if isinstance(path, str | Path) else type(path).__name__
        if not isinstance(path, str | Path):
            with prefix_errors(name):
                graph = _of_object(path, columns)
        elif _is_folder(path):
            graph = read_folder(path)
        else:
            graph = read_file(path, format=format, header=header, columns=columns)
        labels_name = "labels" if is_a("pandas", "DataFrame", labels) else labels
        return label_graph(graph, name if table is None else labels_name, table, label_column)


read_graph.__doc__ = (read_graph.__doc__ or "").replace("    FORMATS", _formats_table())


def is_a(module: str, kind: str, value: Any) -> bool:
    """Whether this is of a library's class; it can be only if the library was imported."""
    return isinstance(value, getattr(sys.modules.get(module), kind, ()))


def _of_object(value: Any, columns: Sequence[str | int] | None) -> Graph:
    if is_a("pandas", "DataFrame", value):
        return graph_of_edges(frame_table(value), columns)
    if is_a("networkx", "Graph", value):
        return Graph.from_networkx(value)
    if is_a("torch_geometric.data.data", "BaseData", value):
        return Graph.from_pyg(value)
    raise ParameterError(
        f"path must be a file's name, a DataFrame of edges, or a graph of networkx or PyG, not {short_repr(value)}."
    )


def _is_folder(path: str | Path) -> bool:
    with prefix_errors(path):
        return os.path.isfile(_expanded(path) / "edges.csv")  # False also where the system refuses to look


def read_folder(path: str | Path) -> Graph:
    """A graph from a folder with ``edges.csv`` (source, target) and ``nodes.csv`` (id, ...).

    In nodes.csv, ``name`` gives the names, ``label`` the labels, ``longitude`` and ``latitude`` the positions
    (x, y); these two and every other column become :attr:`Graph.info`. Nodes keep the order of nodes.csv.

    Examples
    --------
    >>> import tempfile, pathlib
    >>> folder = pathlib.Path(tempfile.mkdtemp())
    >>> _ = (folder / "nodes.csv").write_text("id,name,city\\n7,ABE,Allentown\\n9,ABI,Abilene\\n", encoding="utf-8")
    >>> _ = (folder / "edges.csv").write_text("source,target\\n9,7\\n", encoding="utf-8")
    >>> G = read_folder(folder)
    >>> G.names, G.info["city"].tolist(), G.edges.tolist()
    (('ABE', 'ABI'), ['Allentown', 'Abilene'], [[0, 1]])
    """
    folder = _expanded(path)
    with _opened(folder / "nodes.csv") as (_, stream):
        places, columns = _node_columns(read_table(stream.read(), header=True))
    with _opened(folder / "edges.csv") as (_, stream):
        edges = read_table(stream.read(), header=True)
        pairs = _edges_between(edges, places)
    with prefix_errors(folder):
        return Graph.from_edges(
            pairs, len(places), **columns, weighted=edges.find({"weight"}) is not None, title=folder.absolute().name
        )


def _node_columns(nodes: Table) -> tuple[dict[str, int], dict[str, Any]]:
    """The place of each id, and the names, labels, positions and info of nodes.csv."""
    header = nodes.header or []
    columns: dict[str, Any] = {word: nodes.text[place].to_numpy(dtype=object) for place, word in enumerate(header)}
    if "id" not in columns:
        raise GraphError(
            f"line 1: no column 'id' among {list(columns)}; expected id and, where known, name, "
            "label, longitude, latitude."
        )
    ids = [whole_id(cell) for cell in columns.pop("id")]
    places: dict[str, int] = {}
    for row, node in enumerate(ids):
        if places.setdefault(node, row) != row:
            raise GraphError(f"{nodes.where(row)}: the id {node!r} appears twice; expected each node once.")
    names = columns.pop("name", None)
    if names is None and list(places) != [str(i) for i in range(len(ids))]:
        names = ids
    labels = None
    if "label" in columns:
        labels, words = as_labels(columns.pop("label"), nodes.where)
        columns |= {} if words is None else {"label": words}
    info = {word: cells if (values := numbers(cells)) is None else values for word, cells in columns.items()}
    positions, renumbered = take_positions(info), ids_are_noncontiguous_ints(ids)
    return places, dict(names=names, labels=labels, positions=positions, info=info, renumbered=renumbered)


def _edges_between(edges: Table, places: dict[str, int]) -> NDArray[np.int64]:
    """The pairs of nodes of edges.csv. [m, 2]"""
    ends = edges.find(SOURCE), edges.find(TARGET)
    if ends[0] is None or ends[1] is None:
        raise GraphError(f"line 1: the columns {edges.header}; expected source and target.")
    pairs = np.empty((len(edges.text), 2), dtype=np.int64)
    for side, end in enumerate(ends):
        coded = edges.text[end].map(lambda cell: places.get(cell, places.get(whole_id(cell), -1))).to_numpy()
        if (coded < 0).any():
            row = int(np.flatnonzero(coded < 0)[0])
            raise GraphError(f"{edges.where(row)}: {edges.text[end][row]!r} is not an id in nodes.csv.")
        pairs[:, side] = coded
    return pairs


def read_pairs(path: str | PathLike[str]) -> list[tuple[Graph, Graph]]:
    """Pairs of graphs from a graph6 file: two on each line, or one on each line, two lines a pair.

    Empty lines and lines that start with ``#`` are skipped.

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
    ...     _ = Path(folder, "pairs.g6").write_text("ElEG E{CW\\n", encoding="utf-8")
    ...     read_pairs(Path(folder, "pairs.g6"))
    [(Graph('pairs.g6:1 first', 6 nodes, 7 edges), Graph('pairs.g6:1 second', 6 nodes, 7 edges))]
    """
    if not isinstance(path, str | PathLike):
        raise ParameterError(f"read_pairs needs a file's name, not {short_repr(path)}.")
    with _opened(Path(path)) as (_, stream):
        content = stream.read()
    return documents.graph6_pairs(content, Path(path).name)
