"""The one table of what can be read: each format by its name, its endings, what people call it and its reader.

Every list of formats that is shown, in errors, hints and docstrings, is written from it.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from ..common.errors import GraphError, one_of
from ..common.limits import FILE_BUDGET
from ..graphs.graph import Graph
from .content import PACKED, Content
from .documents import read_gexf, read_gml, read_graphml, read_json
from .edge_lists import read_edge_list
from .graph6 import read_graph6
from .matrices import read_mat, read_mtx, read_npz, read_pt


@dataclass(frozen=True)
class Format:
    """A kind of file. ``seps`` is what may part the cells of an edge list, best guess first; blanks always may."""

    name: str  # what format= takes
    endings: str
    spoken: str
    holds: str
    read: Callable[..., Graph]
    seps: str = ""
    budget: int = FILE_BUDGET  # of bytes; less where the reader makes Python objects of them


_EDGES = "an edge a line: two nodes and perhaps a weight; ``#``, ``%`` comments"
_WRITTEN = "what networkx, igraph and Gephi write"
_OBJECTS = FILE_BUDGET // 4
FORMATS = (
    Format("csv", ".csv", "CSV", _EDGES, read_edge_list, seps=",;\t"),
    Format("tsv", ".tsv .tab", "TSV", _EDGES, read_edge_list, seps="\t"),
    Format("edgelist", ".txt .edgelist .edges .el", "edge list", _EDGES, read_edge_list, seps="\t,;"),
    Format("graphml", ".graphml .xml", "GraphML", _WRITTEN, read_graphml, budget=_OBJECTS),
    Format("gexf", ".gexf", "GEXF", _WRITTEN, read_gexf, budget=_OBJECTS),
    Format("gml", ".gml", "GML", _WRITTEN, read_gml, budget=_OBJECTS),
    Format("json", ".json", "JSON", "node-link data: nodes with id, edges (or links) with source and target", read_json,
           budget=_OBJECTS),
    Format("graph6", ".g6", "graph6", "one graph in graph6, as nauty and House of Graphs write it", read_graph6,
           budget=_OBJECTS),
    Format("npz", ".npz", "NumPy", "an adjacency matrix, from scipy.sparse.save_npz or numpy.savez", read_npz),
    Format("mtx", ".mtx", "Matrix Market", "an adjacency matrix, as SuiteSparse has them", read_mtx),
    Format("mat", ".mat", "MATLAB", "a sparse or full adjacency matrix, saved with -v7 or -v6", read_mat),
    Format("pt", ".pt .pth", "PyG", "a PyG ``Data``, or a dictionary with edge_index, from torch.save", read_pt),
)  # fmt: skip
_BY_ENDING = {ending: entry for entry in FORMATS for ending in entry.endings.split()}


def format_of(file: Content, name: str | None = None) -> Format:
    """The format of this name, or else the one that the file's ending tells."""
    if name is not None:
        one_of("format", name, [entry.name for entry in FORMATS])
        return next(entry for entry in FORMATS if entry.name == name)
    if file.ending not in _BY_ENDING:
        raise GraphError(
            f"the ending {file.ending!r} says nothing about what is in it; expected one of {' '.join(_BY_ENDING)}. "
            "Name it with format=, for example format='edgelist'."
        )
    return _BY_ENDING[file.ending]


def spoken_formats() -> str:
    """The formats as people call them, for hints.

    Examples
    --------
    >>> spoken_formats()[:27]
    'CSV, TSV, edge list, GraphM'
    """
    return ", ".join(entry.spoken for entry in FORMATS)


def formats_table() -> str:
    """The formats as a table in reStructuredText, for the docstring of ``read_graph``."""
    holds = dict.fromkeys(entry.holds for entry in FORMATS)
    rows = [(" ".join(entry.endings for entry in FORMATS if entry.holds == what), what) for what in holds]
    rows += [(" ".join(PACKED), "any of them, packed"), ("a folder", "nodes.csv and edges.csv")]
    width, rest = (max(map(len, column)) for column in zip(*rows, strict=True))
    rule = f"    {'=' * width}  {'=' * rest}"
    lines = [f"    {endings:{width}}  {what}" for endings, what in [("ending", "what is in it"), *rows]]
    return "\n".join([rule, lines[0], rule, *lines[1:], rule])
