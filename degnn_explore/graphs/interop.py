"""Graphs of networkx and PyG, taken apart into the arguments of ``Graph.from_edges``."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from ..common.errors import GraphError
from .cleaning import is_symmetric

if TYPE_CHECKING:
    import networkx
    import torch_geometric.data

__all__ = ["networkx_parts", "pyg_parts"]


def networkx_parts(graph: networkx.Graph[Any], label: str | None = None) -> dict[str, Any]:
    """The arguments of ``Graph.from_edges`` for a networkx graph, see ``Graph.from_networkx``."""
    nodes = list(graph.nodes)
    numbered = all(type(node) is int for node in nodes) and set(nodes) == set(range(len(nodes)))
    if numbered:
        nodes.sort()
    place = {node: i for i, node in enumerate(nodes)}
    rows = [graph.nodes[node] for node in nodes]
    columns = {key: [row.get(key) for row in rows] for key in dict.fromkeys(key for row in rows for key in row)}
    names = None if numbered else [str(node) for node in nodes]
    if numbered and "name" in columns and len(set(map(str, columns["name"]))) == len(nodes):
        names = [str(name) for name in columns.pop("name")]
    positions = columns.pop("pos", None)
    if label is not None and label not in columns:
        raise GraphError(f"No node attribute {label!r} to take labels from; there are {sorted(map(str, columns))}.")
    labels = columns.get(label or "label")
    if label is None and labels is not None:
        whole = all(isinstance(x, int | np.integer) and not isinstance(x, bool) for x in labels)
        labels = labels if whole else None
    if labels is not None:
        columns.pop(label or "label")
    return {
        "edges": np.array([(place[u], place[v]) for u, v in graph.edges()], dtype=np.int64).reshape(-1, 2),
        "num_nodes": len(nodes),
        "names": names,
        "labels": labels,
        "info": columns,
        "title": str(graph.name or ""),
        "positions": None if positions is None or any(p is None for p in positions) else positions,
        "directed": graph.is_directed(),
        "weighted": any("weight" in data for _, _, data in graph.edges(data=True)),
    }


def pyg_parts(data: torch_geometric.data.Data) -> dict[str, Any]:
    """The arguments of ``Graph.from_edges`` for a PyG ``Data``, see ``Graph.from_pyg``."""
    if data.edge_index is None:
        raise GraphError("This PyG Data has no edge_index, so there is no graph in it.")
    ends = data.edge_index.detach().cpu().numpy()
    if ends.ndim != 2 or len(ends) != 2 or ends.dtype.kind not in "iu":
        raise GraphError(f"edge_index must be whole numbers of shape [2, m], not {ends.dtype} {list(ends.shape)}.")
    pairs = ends.T.astype(np.int64)  # [m, 2]
    undirected = is_symmetric(pairs)
    if undirected:  # PyG stores each edge twice: that is its form, not something to clean
        pairs = pairs[pairs[:, 0] <= pairs[:, 1]]
    n = int(data.num_nodes or 0)
    labels = None if data.y is None else data.y.detach().cpu().numpy()
    if labels is not None and (labels.size != n or labels.dtype.kind not in "iub"):
        labels = None  # a graph-level or real-valued target is not a class per node
    return {
        "edges": pairs,
        "num_nodes": n,
        "names": getattr(data, "names", None),
        "labels": None if labels is None else labels.reshape(-1),
        "positions": None if data.pos is None else data.pos.detach().cpu().numpy()[:, :2],
        "attributes": None if data.x is None else data.x.detach().cpu().numpy(),
        "directed": not undirected,
        "weighted": data.edge_attr is not None or "edge_weight" in data,
    }
