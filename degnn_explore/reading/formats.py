"""Graph files that are not edge lists: GraphML, GEXF, GML, JSON node-link, .npz adjacency, PyG .pt.

Each ``read_*`` takes the bytes of a file and gives a :class:`Graph`. Files are data: XML with a DTD is refused
before anything in it is expanded, arrays and tensors are loaded without unpickling objects.
"""

from __future__ import annotations

import io
import json
import xml.parsers.expat
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np

from ..common.errors import GraphError
from ..graphs.cleaning import is_symmetric
from ..graphs.graph import Graph
from ..graphs.interop import networkx_parts, table_parts
from .tables import check_text


@contextmanager
def _expecting(what: str) -> Iterator[None]:
    """Turns whatever a foreign parser raises on a bad file into a GraphError: each has errors of its own."""
    try:
        yield
    except GraphError:
        raise
    except Exception as error:
        said = str(error).strip().splitlines()
        raise GraphError(f"this is not {what}: {type(error).__name__}{': ' + said[0][:200] if said else ''}.") from None


# ---- XML -------------------------------------------------------------------------------------------


def _check_xml(content: bytes) -> None:
    """Well-formed XML without a DTD. Expat itself looks for the DTD, so no encoding can hide it."""

    def refuse(*_: Any) -> None:
        raise GraphError(
            f"line {parser.CurrentLineNumber}: XML with a DTD (<!DOCTYPE ...>) is refused, since it can "
            "pull in other files or grow without bound; expected none, remove that declaration."
        )

    parser = xml.parsers.expat.ParserCreate()
    parser.StartDoctypeDeclHandler = refuse
    try:
        parser.Parse(content, True)
    except xml.parsers.expat.ExpatError as error:
        raise GraphError(
            f"line {error.lineno}: {xml.parsers.expat.ErrorString(error.code)}; expected well-formed XML."
        ) from None
    except ValueError as error:
        if isinstance(error, GraphError):
            raise
        raise GraphError(f"line 1: {error}; expected XML in UTF-8.") from None


def read_graphml(content: bytes) -> Graph:
    """A graph from GraphML; ids are names, an integer ``label`` gives labels, ``x`` and ``y`` positions."""
    import networkx as nx

    _check_xml(content)
    with _expecting("GraphML, as networkx, igraph or Gephi write it"):
        return Graph.from_networkx(nx.read_graphml(io.BytesIO(content)))


def read_gexf(content: bytes) -> Graph:
    """A graph from Gephi's GEXF; the labels Gephi shows are the names, its layout gives the positions."""
    import networkx as nx

    _check_xml(content)
    with _expecting("GEXF 1.1 to 1.3, as Gephi writes it"):
        return Graph.from_edges(**networkx_parts(nx.read_gexf(io.BytesIO(content)), named_by="label"))


def read_gml(content: bytes) -> Graph:
    """A graph from GML; a node's ``label`` is its name."""
    import networkx as nx

    lines = check_text(content).decode().splitlines()
    with _expecting("GML"):
        # label=None keeps the ids; networkx allows it, its type stubs do not say so
        graph = nx.parse_gml(lines, label=None)  # type: ignore[call-overload]
        return Graph.from_edges(**networkx_parts(graph, named_by="label"))


# ---- JSON ------------------------------------------------------------------------------------------


def read_json(content: bytes) -> Graph:
    """A graph from JSON node-link data: ``{"nodes": [{"id": ...}], "edges": [{"source": ..., "target": ...}]}``.

    The edges may also be called ``links``, as D3 does; nodes without ids count from 0.

    Examples
    --------
    >>> read_json(b'{"nodes": [{"id": "a"}, {"id": "b"}], "links": [{"source": "a", "target": "b"}]}').names
    ('a', 'b')
    """
    try:
        data = json.loads(check_text(content))
    except json.JSONDecodeError as error:
        raise GraphError(f"line {error.lineno}: {error.msg}; expected JSON.") from None
    except (ValueError, RecursionError) as error:
        raise error if isinstance(error, GraphError) else GraphError(f"expected JSON: {error}.") from None
    shape = 'expected node-link JSON: {"nodes": [{"id": ...}], "edges": [{"source": ..., "target": ...}]}'
    if not isinstance(data, dict):
        raise GraphError(f"this is a JSON {_json_kind(data)}; {shape}.")
    nodes, links = data.get("nodes"), data.get("edges", data.get("links"))
    if not isinstance(nodes, list) or not isinstance(links, list):
        raise GraphError(f"no list called {'nodes' if not isinstance(nodes, list) else 'edges or links'}; {shape}.")
    place: dict[str, int] = {}
    for i, node in enumerate(nodes):
        if not isinstance(node, dict):
            raise GraphError(f"nodes[{i}] is a JSON {_json_kind(node)}; {shape}.")
        if place.setdefault(_id(node.get("id", i)), i) != i:
            raise GraphError(f"nodes[{i}] has the id {node.get('id', i)!r} of another node; expected each id once.")
    pairs = np.empty((len(links), 2), dtype=np.int64)
    for i, link in enumerate(links):
        for side, end in enumerate(("source", "target")):
            if not isinstance(link, dict) or end not in link:
                raise GraphError(f"edges[{i}] has no {end!r}; {shape}.")
            if (where := place.get(_id(link[end]))) is None:
                raise GraphError(f"edges[{i}] names {str(link[end])[:50]!r}, which is not among the nodes' ids.")
            pairs[i, side] = where
    columns = {key: [node.get(key) for node in nodes] for key in dict.fromkeys(k for node in nodes for k in node)}
    columns.pop("id", None)
    return Graph.from_edges(
        **table_parts(list(place), columns, pairs),
        directed=data.get("directed") is True,
        weighted=any(link.get("weight", 1) != 1 for link in links),
    )


def _id(value: Any) -> str:
    return value if isinstance(value, str) else json.dumps(value)


def _json_kind(value: Any) -> str:
    return {list: "list", str: "string", type(None): "null", dict: "object"}.get(type(value), type(value).__name__)


# ---- arrays and tensors --------------------------------------------------------------------------------


def read_npz(content: bytes) -> Graph:
    """A graph from an adjacency matrix: ``scipy.sparse.save_npz``, or ``numpy.savez(path, adjacency=A)``."""
    import scipy.sparse

    what = "an .npz file of scipy.sparse.save_npz, or of numpy.savez with one square array, the adjacency matrix"
    with _expecting(what), np.load(io.BytesIO(content), allow_pickle=False) as arrays:
        if "format" in arrays:
            matrix = scipy.sparse.coo_array(scipy.sparse.load_npz(io.BytesIO(content)))
        else:
            keys = arrays.files
            key = next((k for k in ("adjacency", "adj", "A") if k in keys), keys[0] if len(keys) == 1 else None)
            if key is None:
                raise GraphError(f"no array called 'adjacency' among {keys[:10]}; expected {what}.")
            dense = arrays[key]
            if dense.dtype.kind not in "biuf" or dense.ndim != 2:
                raise GraphError(f"{key!r} is {dense.dtype} of shape {list(dense.shape)}; expected {what}.")
            matrix = scipy.sparse.coo_array(dense)
    if len(matrix.shape) != 2 or matrix.shape[0] != matrix.shape[1] or not matrix.shape[0]:
        raise GraphError(f"the adjacency matrix has shape {list(matrix.shape)}; expected a square one.")
    if matrix.data.dtype.kind not in "biuf" or not np.isfinite(matrix.data).all():
        raise GraphError("the adjacency matrix holds values that are not finite numbers; expected 0 and 1.")
    matrix.eliminate_zeros()
    pairs = np.stack([matrix.row, matrix.col], axis=1).astype(np.int64)
    n = matrix.shape[0]
    if pairs.size and (pairs.min() < 0 or pairs.max() >= n):
        raise GraphError(f"the adjacency matrix has entries outside its shape [{n}, {n}].")
    symmetric = is_symmetric(pairs)
    if symmetric:  # a matrix states each edge twice: that is its form, not something to clean
        pairs = pairs[pairs[:, 0] <= pairs[:, 1]]
    return Graph.from_edges(pairs, n, directed=not symmetric, weighted=bool((matrix.data != 1).any()))


def read_pt(content: bytes) -> Graph:
    """A graph from ``torch.save`` of a PyG ``Data`` or of a dictionary with ``edge_index``, without unpickling code."""
    import torch
    from torch_geometric.data import Data
    from torch_geometric.data.data import DataEdgeAttr, DataTensorAttr
    from torch_geometric.data.storage import GlobalStorage

    what = "a torch file with a PyG Data, or a dictionary of tensors with edge_index (other Python objects are refused)"
    with _expecting(what):
        with torch.serialization.safe_globals([Data, DataEdgeAttr, DataTensorAttr, GlobalStorage]):
            saved = torch.load(io.BytesIO(content), map_location="cpu", weights_only=True)
        if isinstance(saved, tuple | list) and len(saved) > 1 and saved[1] is None:
            saved = saved[0]  # how PyG's datasets keep a single graph: (data, no slices, class)
        fields = saved.to_dict() if isinstance(saved, Data) else saved
        if not isinstance(fields, dict) or not isinstance(fields.get("edge_index"), torch.Tensor):
            raise GraphError(f"there is no edge_index in it; expected {what}.")
        return Graph.from_pyg(Data.from_dict({str(key): value for key, value in fields.items()}))


READERS: dict[str, Callable[[bytes], Graph]] = {
    "graphml": read_graphml,
    "gexf": read_gexf,
    "gml": read_gml,
    "json": read_json,
    "npz": read_npz,
    "pt": read_pt,
}
