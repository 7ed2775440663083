"""Graphs as documents: GraphML, GEXF, GML and JSON node-link. XML with a DTD is refused before it is expanded."""

from __future__ import annotations

import io
import json
import xml.parsers.expat
from typing import Any

import numpy as np

from ..common.errors import GraphError
from ..graphs.graph import Graph
from ..graphs.interop import attribute_columns, networkx_parts, table_parts
from .content import check_text, expecting

_DEEPEST = 200


def _check_xml(content: bytes) -> None:
    """Well-formed XML without a DTD, neither deep nor wide. Expat itself looks, so no encoding can hide anything."""
    depth = 0

    def refuse(*_: Any) -> None:
        raise GraphError(
            f"line {parser.CurrentLineNumber}: XML with a DTD (<!DOCTYPE ...>) is refused, since it can "
            "pull in other files or grow without bound; expected none, remove that declaration."
        )

    def opened(_: str, attributes: dict[str, str]) -> None:
        nonlocal depth
        depth += 1
        if depth > _DEEPEST or len(attributes) > _DEEPEST:  # networkx takes quadratic time for these
            raise GraphError(
                f"line {parser.CurrentLineNumber}: more than {_DEEPEST} elements in each other, or attributes."
            )

    def closed(_: str) -> None:
        nonlocal depth
        depth -= 1

    parser = xml.parsers.expat.ParserCreate()
    parser.StartDoctypeDeclHandler = refuse
    parser.StartElementHandler, parser.EndElementHandler = opened, closed
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
    with expecting("GraphML, as networkx, igraph or Gephi write it"):
        return Graph.from_networkx(nx.read_graphml(io.BytesIO(content)))


def read_gexf(content: bytes) -> Graph:
    """A graph from Gephi's GEXF; the labels Gephi shows are the names, its layout gives the positions."""
    import networkx as nx

    _check_xml(content)
    with expecting("GEXF 1.1 to 1.3, as Gephi writes it"):
        return Graph.from_edges(**networkx_parts(nx.read_gexf(io.BytesIO(content)), named_by="label"))


def read_gml(content: bytes) -> Graph:
    """A graph from GML; a node's ``label`` is its name."""
    import networkx as nx

    lines = check_text(content).decode().splitlines()
    with expecting("GML"):
        # label=None keeps the ids; networkx allows it, its type stubs do not say so
        graph = nx.parse_gml(lines, label=None)  # type: ignore[call-overload]
        return Graph.from_edges(**networkx_parts(graph, named_by="label"))


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
    columns = attribute_columns(nodes)
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
