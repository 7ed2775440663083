"""Conversion to and from networkx and PyG; ``*_parts`` are the arguments of ``Graph.from_edges``."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from ..common.errors import GraphError, short_repr
from ..common.extras import needs_extra
from .build import ids_are_noncontiguous_ints, is_symmetric, node_numbers, text

if TYPE_CHECKING:
    import networkx
    import torch_geometric.data

    from .graph import Graph

_MAX_CELLS = 5_000_000
_RESERVED_FIELDS = ("x", "pos", "edge_attr", "edge_weight", "batch", "ptr")  # in PyG's Data


def networkx_parts(graph: networkx.Graph[Any], label: str | None = None, named_by: str | None = None) -> dict[str, Any]:
    """The arguments of ``Graph.from_edges`` for a networkx graph, see ``Graph.from_networkx``."""
    if not hasattr(graph, "nodes"):
        raise GraphError(f"from_networkx takes a networkx graph, not {type(graph).__name__}; use from_pyg for PyG.")
    columns = attribute_columns([data for _, data in graph.nodes(data=True)])
    place = {node: i for i, node in enumerate(graph.nodes)}
    ids = [text("a node id", node) for node in graph.nodes]
    pairs = np.array([(place[u], place[v]) for u, v in graph.edges()], dtype=np.int64).reshape(-1, 2)
    return table_parts(ids, columns, pairs, label=label, named_by=named_by) | {
        "title": str(graph.name or ""),
        "directed": graph.is_directed(),
        "weighted": any(data.get("weight", 1) != 1 for _, _, data in graph.edges(data=True)),
    }


def attribute_columns(rows: list[dict[Any, Any]]) -> dict[str, list[Any]]:
    """A column for each attribute that some node has; None where a node lacks it."""
    keys = dict.fromkeys(key for row in rows for key in row)
    if len(keys) > 20 and len(keys) * len(rows) > _MAX_CELLS:  # a file of sparse attributes would explode
        raise GraphError(
            f"{len(rows):,} nodes have {len(keys):,} different attributes, which is too many; leave some out."
        )
    return {str(key): [row.get(key) for row in rows] for key in keys}


def table_parts(
    ids: list[str],
    columns: dict[str, list[Any]],
    pairs: NDArray[np.int64],
    *,
    label: str | None = None,
    named_by: str | None = None,
) -> dict[str, Any]:
    """The arguments of ``Graph.from_edges`` for nodes with ids, a column for each attribute, pairs of places in ids.

    The ids are the names, unless the column ``named_by`` names every node; with ids 0..n-1, which number the nodes,
    the column ``name`` may. Positions are those of :func:`take_positions`, labels an integer column ``label``.
    """
    if not ids:
        raise GraphError("it has no nodes; expected at least one.")
    if label is not None and label not in columns:
        raise GraphError(f"No node attribute {label!r} to take labels from; there are {sorted(columns)}.")
    numbered = node_numbers(ids)
    if named_by is None and numbered is not None:
        named_by = "name"
    names = [str(name) for name in columns.pop(named_by)] if named_by and _are_names(columns.get(named_by)) else ids
    if (numbers := node_numbers(names)) is not None:
        numbered = numbers
    order = np.arange(len(ids)) if numbered is None else np.argsort(numbered)
    columns = {key: [column[i] for i in order] for key, column in columns.items()}
    labels = columns.get(label or "label")
    if label is not None or (labels is not None and all(map(_is_class, labels))):
        del columns[label or "label"]
    else:
        labels = None
    return {
        "edges": np.argsort(order)[pairs],
        "num_nodes": len(ids),
        "names": None if numbers is not None else [names[i] for i in order],
        "labels": labels,
        "positions": take_positions(columns),
        "info": columns,
        "renumbered": numbers is None and ids_are_noncontiguous_ints(ids[i] for i in order),
    }


def _are_names(column: list[Any] | None) -> bool:
    if column is None or any(name is None for name in column):
        return False
    texts = [text("a name", name) for name in column]
    return "" not in texts and len(set(texts)) == len(texts)


def _is_class(value: Any) -> bool:
    return isinstance(value, int | np.integer) and not isinstance(value, bool)


def take_positions(columns: dict[str, Any]) -> NDArray[np.float64] | None:
    """Positions [n, 2] from pos, GEXF's viz, x and y (all then taken out), or longitude and latitude (which stay).

    Columns that do not hold a finite number for each node are left as they are, to be shown.
    """
    if any(isinstance(viz, dict) for viz in columns.get("viz", ())):  # {"position": {"x": ..., "y": ...}, ...}
        spots = [viz.get("position") if isinstance(viz, dict) else None for viz in columns.pop("viz")]
        columns |= {axis: [spot.get(axis) if isinstance(spot, dict) else None for spot in spots] for axis in "xy"}
    for keys in (("pos",), ("x", "y"), ("longitude", "latitude")):
        if all(key in columns for key in keys):
            try:
                axes = [np.array(columns[key], dtype=np.float64) for key in keys]
                positions = axes[0] if len(axes) == 1 else np.stack(axes, axis=-1)
            except (TypeError, ValueError, OverflowError):
                continue
            if positions.ndim == 2 and positions.shape[1] == 2 and np.isfinite(positions).all():
                for key in set(keys) & {"pos", "x", "y"}:
                    del columns[key]
                return positions
    return None


def pyg_parts(data: torch_geometric.data.Data) -> dict[str, Any]:
    """The arguments of ``Graph.from_edges`` for a PyG ``Data``, see ``Graph.from_pyg``."""
    with needs_extra("from_pyg"):
        from torch_geometric.data import Data

    if not isinstance(data, Data):
        raise GraphError(f"from_pyg takes a torch_geometric.data.Data, not {type(data).__name__}{_hetero_hint(data)}.")
    if data.edge_index is None:
        kept = "; it has adj_t: use T.ToSparseTensor(remove_edge_index=False)" if "adj_t" in data else ""
        raise GraphError(f"This PyG Data has no edge_index, so it holds no graph{kept}.")
    ends = data.edge_index.detach().cpu().numpy()
    if ends.ndim != 2 or len(ends) != 2 or ends.dtype.kind not in "iu":
        raise GraphError(f"edge_index must be whole numbers of shape [2, m], not {ends.dtype} {list(ends.shape)}.")
    pairs = ends.T.astype(np.int64)  # [m, 2]
    undirected = is_symmetric(pairs)
    if undirected:  # PyG stores each edge twice, which is nothing to report
        pairs = pairs[pairs[:, 0] <= pairs[:, 1]]
    n = int(data.num_nodes or 0)
    info = {key: column for key, value in data if (column := _column(value, n)) is not None}
    labels = info.pop("y") if "y" in info and info["y"].dtype.kind in "iub" else None
    pos = None if data.pos is None else data.pos.detach().cpu().numpy()
    return {
        "edges": pairs,
        "num_nodes": n,
        "names": getattr(data, "names", None),
        "labels": labels,
        "positions": pos[:, :2] if pos is not None and pos.ndim == 2 and pos.shape[1] >= 2 else None,
        "attributes": None if data.x is None else data.x.detach().cpu().numpy(),
        "info": {key: column for key, column in info.items() if key not in _RESERVED_FIELDS},
        "directed": not undirected,
        "weighted": data.edge_attr is not None or "edge_weight" in data,
    }


def _hetero_hint(data: Any) -> str:
    """What to do with a ``HeteroData``."""
    if type(data).__name__ != "HeteroData":
        return ""
    return (
        f", whose nodes are of types {short_repr(data.node_types)}; our graphs have one type. Take one relation, "
        "Data(edge_index=data['paper', 'cites', 'paper'].edge_index, num_nodes=...), or data.to_homogeneous()"
    )


def _column(value: Any, n: int) -> NDArray[Any] | None:
    """A tensor of one number for each node, [n] or [n, 1], as an array [n]."""
    if not hasattr(value, "detach") or tuple(value.shape) not in ((n,), (n, 1)):
        return None
    return np.asarray(value.detach().cpu().numpy().reshape(-1))


def as_networkx(G: Graph, names: Sequence[str] | None) -> networkx.Graph[int]:
    """See ``Graph.to_networkx``."""
    import networkx as nx

    graph: networkx.Graph[int] = nx.Graph(name=G.title)
    graph.add_nodes_from(range(G.num_nodes))
    graph.add_edges_from(G.edges.tolist())
    columns: dict[str, Any] = {
        "name": names,
        "label": None if G.labels is None else G.labels.tolist(),
        "pos": None if G.positions is None else list(map(tuple, G.positions.tolist())),
    }
    columns = {key: column for key, column in columns.items() if column is not None}
    for key, column in G.info.items():
        while key in columns:  # the graph has labels, and a column of info is called "label"
            key += "_"
        columns[key] = column.tolist()
    for key, column in columns.items():
        nx.set_node_attributes(graph, dict(enumerate(column)), key)
    return graph


def as_pyg(G: Graph, names: Sequence[str] | None) -> torch_geometric.data.Data:
    """See ``Graph.to_pyg``."""
    with needs_extra("to_pyg"):
        import torch
        from torch_geometric.data import Data

    sources = np.repeat(np.arange(G.num_nodes), G.degrees)
    data = Data(edge_index=torch.from_numpy(np.stack([sources, G.indices]).astype(np.int64)))
    data.num_nodes = G.num_nodes
    if G.attributes is not None:
        data.x = torch.tensor(G.attributes, dtype=torch.float32)
    if G.labels is not None:
        data.y = torch.tensor(G.labels)
    if G.positions is not None:
        data.pos = torch.tensor(G.positions, dtype=torch.float32)
    if names is not None:
        data.names = list(names)
    for key, column in G.info.items():
        if column.dtype.kind in "iufb" and (not hasattr(data, key) or (key == "y" and G.labels is None)):
            data[key] = torch.tensor(column)
    return data
