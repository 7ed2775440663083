"""Graphs as documents: GraphML, GEXF and GML (by networkx), JSON node-link data, graph6."""

from __future__ import annotations

import json
import re
from typing import IO, Any

import numpy as np

from ..common.errors import GraphError
from ..graphs.convert import attribute_columns, networkx_parts, table_parts
from ..graphs.graph import Graph
from .tables import check_text

_MAX_GRAPH6 = 8_400_000  # characters; networkx makes a list of them, eight times as large


def read_graphml(file: IO[bytes]) -> Graph:
    """A graph from GraphML; ids are names, an integer ``label`` gives labels, ``x`` and ``y`` positions."""
    import networkx as nx

    return Graph.from_networkx(nx.read_graphml(file))


def read_gexf(file: IO[bytes]) -> Graph:
    """A graph from Gephi's GEXF; the labels Gephi shows are the names, its layout gives the positions."""
    import networkx as nx

    return Graph.from_edges(**networkx_parts(nx.read_gexf(file), named_by="label"))


def read_gml(file: IO[bytes]) -> Graph:
    """A graph from GML; a node's ``label`` is its name."""
    import networkx as nx

    lines = check_text(file.read()).decode().splitlines()
    # label=None keeps the ids; networkx allows it, its type stubs do not say so
    graph = nx.parse_gml(lines, label=None)  # type: ignore[call-overload]
    return Graph.from_edges(**networkx_parts(graph, named_by="label"))


# ---- JSON --------------------------------------------------------------------------------------------------


def read_json(file: IO[bytes]) -> Graph:
    """A graph from JSON node-link data: ``{"nodes": [{"id": ...}], "edges": [{"source": ..., "target": ...}]}``.

    The edges may also be called ``links``, as D3 does; nodes without ids count from 0.

    Examples
    --------
    >>> import io
    >>> text = b'{"nodes": [{"id": "a"}, {"id": "b"}], "links": [{"source": "a", "target": "b"}]}'
    >>> read_json(io.BytesIO(text)).names
    ('a', 'b')
    """
    try:
        data = json.loads(check_text(file.read()))
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
    """An id as text; 1 and 1.0 are the same."""
    if isinstance(value, float) and value.is_integer():
        value = int(value)
    return value if isinstance(value, str) else json.dumps(value)


def _json_kind(value: Any) -> str:
    return {list: "list", str: "string", type(None): "null"}.get(type(value), type(value).__name__)


# ---- graph6 ------------------------------------------------------------------------------------------------


def read_graph6(file: IO[bytes]) -> Graph:
    """The graph of a graph6 file that holds exactly one.

    Examples
    --------
    >>> import io
    >>> read_graph6(io.BytesIO(b">>graph6<<ElEG\\n"))
    Graph(6 nodes, 7 edges)
    """
    graphs = [(number, word) for number, words in _graph6_rows(file.read(), "the file") for word in words]
    if len(graphs) > 1:
        raise GraphError(
            f"it holds {len(graphs):,} graphs, the second on line {graphs[1][0]}; expected one. Use a file for each "
            "graph, or read pairs of graphs with de.theory.read_pairs."
        )
    return decode_graph6(graphs[0][1], f"line {graphs[0][0]}: ")


def graph6_pairs(content: bytes, name: str) -> list[tuple[Graph, Graph]]:
    """The pairs of graphs in a graph6 file of this name, see :func:`degnn_explore.reading.read.read_pairs`."""
    rows = _graph6_rows(content, name)
    width = len(rows[0][1])
    for number, words in rows:
        if len(words) != width or width > 2:
            other = f", but line {rows[0][0]} has {width}" if len(words) != width else ""
            raise GraphError(
                f"{name}, line {number}: {len(words)} graphs{other}; expected two on every line, or one on every line."
            )
    if width == 1 and len(rows) % 2:
        raise GraphError(
            f"{name}, line {rows[-1][0]}: the last of the {len(rows)} graphs has no partner; there is one on each "
            "line, and two lines make a pair."
        )
    sides = ("",) if width == 1 else (" first", " second")
    graphs = [
        decode_graph6(word, f"{name}, line {number}: ").with_title(f"{name}:{number}{side}")
        for number, words in rows
        for side, word in zip(sides, words, strict=True)
    ]
    return list(zip(graphs[::2], graphs[1::2], strict=True))


def _graph6_rows(content: bytes, name: str) -> list[tuple[int, list[str]]]:
    """The words of each line, with its number, without comments."""
    rows = []
    for number, line in enumerate(content.split(b"\n"), start=1):
        if not line.isascii():
            raise GraphError(f"{name}, line {number}: graph6 is plain ASCII text, and this line is not.")
        words = line.decode().strip().removeprefix(">>graph6<<").replace(",", " ").split()
        if words and not words[0].startswith("#"):
            rows.append((number, words))
    if not rows:
        raise GraphError(f"{name} holds no graph; expected graph6, two graphs on a line or two lines a pair.")
    return rows


def decode_graph6(word: str, where: str = "") -> Graph:
    """The graph that a graph6 string stands for; ``where`` begins the message of an error.

    Examples
    --------
    >>> decode_graph6("A_").edges.tolist()
    [[0, 1]]
    """
    import networkx as nx

    if word.startswith((":", ";", "&")):
        raise GraphError(f"{where}{word[:20]!r} is sparse6 or digraph6; expected graph6.")
    if len(word) > _MAX_GRAPH6:
        raise GraphError(f"{where}{len(word):,} characters; expected at most {_MAX_GRAPH6:,}, a graph of 10,000 nodes.")
    if bad := re.search("[^?-~]", word):  # networkx would take it for bits
        raise GraphError(f"{where}{bad[0]!r} is not a graph6 character (those are ? to ~).")
    try:
        graph = nx.from_graph6_bytes(word.encode())
    except (nx.NetworkXError, IndexError) as error:
        raise GraphError(f"{where}{word[:20]!r} is not graph6 ({error}); it may be cut off.") from None
    if not graph:
        raise GraphError(f"{where}the graph has no nodes.")
    return Graph.from_edges(list(graph.edges), len(graph))
