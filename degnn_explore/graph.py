"""Graph: an undirected, unweighted, simple graph in CSR form, and its neighbours networkx and PyG.

Every other module takes a :class:`Graph`; files are read in :mod:`degnn_explore.readers`.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from .errors import GraphError, TargetError

if TYPE_CHECKING:
    import networkx
    import scipy.sparse
    import torch_geometric.data

__all__ = ["Cleaning", "Graph", "Targets"]

Targets = int | str | Iterable[int | str]
"""A target set: a node, a name, or several of them."""


@dataclass(frozen=True)
class Cleaning:
    """What was changed to make the input an undirected, unweighted, simple graph.

    Attributes
    ----------
    self_loops
        Edges from a node to itself, dropped.
    duplicates
        Repetitions of an edge in the same direction, merged.
    reversed_duplicates
        Edges given in both directions, merged.
    direction_ignored
        The input was declared as directed.
    weights_ignored
        The input carried edge weights.
    isolated
        Nodes without any edge, kept.

    Examples
    --------
    >>> print(Graph.from_edges([(0, 1), (1, 0), (1, 1)], num_nodes=3).cleaning)
    dropped 1 self-loop; merged 1 edge given in both directions; kept 1 isolated node
    """

    self_loops: int = 0
    duplicates: int = 0
    reversed_duplicates: int = 0
    direction_ignored: bool = False
    weights_ignored: bool = False
    isolated: int = 0

    def __bool__(self) -> bool:
        return str(self) != "nothing to clean"

    def __str__(self) -> str:
        def count(number: int, what: str) -> str:
            return f"{number:,} {what if number == 1 else what.replace('edge', 'edges', 1) if 'edge' in what else what + 's'}"

        parts = []
        if self.self_loops:
            parts.append(f"dropped {count(self.self_loops, 'self-loop')}")
        if self.duplicates:
            parts.append(f"merged {count(self.duplicates, 'repeated edge')}")
        if self.reversed_duplicates:
            parts.append(f"merged {count(self.reversed_duplicates, 'edge given in both directions')}")
        if self.direction_ignored:
            parts.append("ignored edge directions")
        if self.weights_ignored:
            parts.append("ignored edge weights")
        if self.isolated:
            parts.append(f"kept {count(self.isolated, 'isolated node')}")
        return "; ".join(parts) or "nothing to clean"


def _frozen(array: NDArray[Any]) -> NDArray[Any]:
    array = np.ascontiguousarray(array)
    if array.flags.writeable:
        array = array.copy() if array.base is not None else array
        array.setflags(write=False)
    return array


@dataclass(frozen=True, eq=False, repr=False)
class Graph:
    """An undirected, unweighted, simple graph G = (V, E) with nodes 0..n-1. Immutable.

    Build one with :meth:`from_edges`, :meth:`from_networkx`, :meth:`from_pyg`,
    :func:`degnn_explore.read_graph` or :func:`degnn_explore.load`.

    Attributes
    ----------
    indptr, indices
        The CSR adjacency: the neighbours of u, ascending, are ``indices[indptr[u]:indptr[u+1]]``.
    labels
        int64 [n] with a class per node, or None; -1 stands for "no label".
    positions
        float64 [n, 2] drawing positions (y upwards), or None.
    attributes
        float64 [n, d] node attributes that models and colours may use, or None.
    info
        Columns to show beside a node (city, state, ...). Never used by a model.
    title
        What the graph is called.
    cleaning
        What was changed in the input, see :class:`Cleaning`.

    Examples
    --------
    >>> G = Graph.from_edges([(0, 1), (1, 2)], num_nodes=3)
    >>> G
    Graph(3 nodes, 2 edges)
    >>> G.neighbors(1)
    array([0, 2], dtype=int32)
    """

    indptr: NDArray[np.int64]
    indices: NDArray[np.int32]
    labels: NDArray[np.int64] | None = None
    positions: NDArray[np.float64] | None = None
    attributes: NDArray[np.float64] | None = None
    info: Mapping[str, NDArray[Any]] = field(default_factory=dict)
    title: str = ""
    cleaning: Cleaning = Cleaning()
    _names: tuple[str, ...] | None = None

    # ---- ways in ----------------------------------------------------------------------------

    @classmethod
    def from_edges(
        cls,
        edges: Any,
        num_nodes: int | None = None,
        *,
        names: Sequence[str] | None = None,
        labels: Any = None,
        positions: Any = None,
        attributes: Any = None,
        info: Mapping[str, Any] | None = None,
        title: str = "",
        directed: bool = False,
        weighted: bool = False,
    ) -> Graph:
        """A graph from pairs of nodes.

        Parameters
        ----------
        edges
            Pairs (u, v): integers 0..n-1, or any other hashable ids, which become names in
            order of first appearance. [m, 2]
        num_nodes
            Number of nodes n; by default the largest integer plus one.
        names, labels, positions, attributes, info, title
            See :class:`Graph`.
        directed, weighted
            Whether the source was, to be told in :attr:`cleaning`.

        Examples
        --------
        >>> Graph.from_edges([("a", "b"), ("b", "c")]).names
        ('a', 'b', 'c')
        """
        pairs, seen = _as_pairs(edges)
        if seen is not None:
            if names is None:
                names = seen
            elif missing := set(seen) - set(names):
                raise GraphError(f"The edges name nodes that are not in names: {sorted(missing)[:5]}.")
            else:
                place = {name: i for i, name in enumerate(names)}
                pairs = np.array([place[name] for name in seen], dtype=np.int64)[pairs]
        largest = int(pairs.max()) if pairs.size else -1
        if num_nodes is None:
            num_nodes = len(names) if names is not None else largest + 1
        if num_nodes < 1:
            raise GraphError("A graph needs at least one node; give num_nodes when there are no edges.")
        if pairs.size and (pairs.min() < 0 or largest >= num_nodes):
            bad = int(pairs.min()) if pairs.min() < 0 else largest
            raise GraphError(f"An edge names node {bad}, but the nodes are 0..{num_nodes - 1}.")
        indptr, indices, cleaning = _clean_csr(pairs, num_nodes, directed, weighted)
        return cls(indptr, indices, title=title, cleaning=cleaning)._with(
            names=names, labels=labels, positions=positions, attributes=attributes, info=info
        )

    @classmethod
    def from_networkx(cls, graph: networkx.Graph, *, label: str | None = None) -> Graph:
        """A graph from networkx: ids become names, node attributes become :attr:`info`.

        A node attribute ``pos`` gives positions and ``label`` (or the one named here), if it is
        an integer on every node, gives labels.

        Examples
        --------
        >>> import networkx as nx
        >>> Graph.from_networkx(nx.path_graph(4))
        Graph(4 nodes, 3 edges)
        """
        nodes = list(graph.nodes)
        place = {node: i for i, node in enumerate(nodes)}
        pairs = np.array([(place[u], place[v]) for u, v in graph.edges()], dtype=np.int64).reshape(-1, 2)
        columns = {key: [data.get(key) for _, data in graph.nodes(data=True)]
                   for key in dict.fromkeys(k for _, data in graph.nodes(data=True) for k in data)}
        positions = columns.pop("pos", None)
        if label is not None and label not in columns:
            raise GraphError(f"No node attribute {label!r} to take labels from; there are {sorted(columns)}.")
        labels = columns.get(label or "label")
        if label is None and labels is not None:
            whole = all(isinstance(x, int | np.integer) and not isinstance(x, bool) for x in labels)
            labels = labels if whole else None
        if labels is not None:
            columns.pop(label or "label")
        return cls.from_edges(
            pairs, len(nodes),
            names=None if nodes == list(range(len(nodes))) else [str(node) for node in nodes],
            labels=labels,
            positions=positions if positions is None or all(p is not None for p in positions) else None,
            info=columns, title=str(graph.name or ""), directed=graph.is_directed(),
            weighted=any("weight" in data for _, _, data in graph.edges(data=True)),
        )

    @classmethod
    def from_pyg(cls, data: torch_geometric.data.Data) -> Graph:
        """A graph from PyG's ``Data``: ``x`` becomes attributes, ``y`` labels, ``pos`` positions.

        Examples
        --------
        >>> Graph.from_pyg(Graph.from_edges([(0, 1), (1, 2)]).to_pyg())
        Graph(3 nodes, 2 edges)
        """
        if data.edge_index is None:
            raise GraphError("This PyG Data has no edge_index, so there is no graph in it.")
        pairs = data.edge_index.detach().cpu().numpy().T  # [m, 2]
        undirected = bool(data.is_undirected())
        if undirected:  # PyG stores each edge twice: that is its form, not something to clean
            pairs = pairs[pairs[:, 0] <= pairs[:, 1]]
        names = getattr(data, "names", None)
        labels = None if data.y is None else data.y.detach().cpu().numpy()
        if labels is not None and (labels.size != data.num_nodes or labels.dtype.kind not in "iub"):
            labels = None  # a graph-level or real-valued target is not a class per node
        pos = None if data.pos is None else data.pos.detach().cpu().numpy()[:, :2]
        return cls.from_edges(
            pairs, int(data.num_nodes or 0), names=names,
            labels=None if labels is None else labels.reshape(-1), positions=pos,
            attributes=None if data.x is None else data.x.detach().cpu().numpy(),
            directed=not undirected, weighted=data.edge_attr is not None or "edge_weight" in data,
        )

    # ---- ways out ---------------------------------------------------------------------------

    def to_networkx(self) -> networkx.Graph:
        """The same graph in networkx, nodes 0..n-1 with ``name``, ``label``, ``pos`` and info."""
        import networkx as nx

        graph = nx.Graph(name=self.title)
        graph.add_nodes_from(range(self.num_nodes))
        graph.add_edges_from(self.edges.tolist())
        columns: dict[str, Sequence[Any]] = {key: column.tolist() for key, column in self.info.items()}
        if self._names is not None:
            columns["name"] = self._names
        if self.labels is not None:
            columns["label"] = self.labels.tolist()
        if self.positions is not None:
            columns["pos"] = [tuple(p) for p in self.positions.tolist()]
        for key, column in columns.items():
            nx.set_node_attributes(graph, dict(enumerate(column)), key)
        return graph

    def to_pyg(self) -> torch_geometric.data.Data:
        """The same graph as PyG ``Data`` with ``edge_index`` [2, 2m], and x, y, pos, names if any."""
        import torch
        from torch_geometric.data import Data

        source = np.repeat(np.arange(self.num_nodes), self.degrees)
        data = Data(edge_index=torch.from_numpy(np.stack([source, self.indices]).astype(np.int64)))
        data.num_nodes = self.num_nodes
        if self.attributes is not None:
            data.x = torch.tensor(self.attributes, dtype=torch.float32)
        if self.labels is not None:
            data.y = torch.tensor(self.labels)
        if self.positions is not None:
            data.pos = torch.tensor(self.positions, dtype=torch.float32)
        if self._names is not None:
            data.names = list(self._names)
        return data

    def to_scipy(self) -> scipy.sparse.csr_array:
        """The adjacency matrix A, float64 CSR [n, n]."""
        import scipy.sparse

        ones = np.ones(len(self.indices))
        return scipy.sparse.csr_array((ones, self.indices, self.indptr), shape=(self.num_nodes,) * 2)

    # ---- what it holds ----------------------------------------------------------------------

    @property
    def num_nodes(self) -> int:
        """n = |V|."""
        return len(self.indptr) - 1

    @property
    def num_edges(self) -> int:
        """m = |E|, each undirected edge counted once."""
        return len(self.indices) // 2

    @cached_property
    def names(self) -> tuple[str, ...]:
        """A name to show for each node; the node's number where none was given."""
        return self._names if self._names is not None else tuple(map(str, range(self.num_nodes)))

    @cached_property
    def degrees(self) -> NDArray[np.int64]:
        """Number of neighbours of each node. [n]"""
        return _frozen(np.diff(self.indptr))

    @cached_property
    def edges(self) -> NDArray[np.int64]:
        """Each edge once, as (u, v) with u < v, sorted. [m, 2]"""
        source = np.repeat(np.arange(self.num_nodes), self.degrees)
        keep = source < self.indices
        return _frozen(np.stack([source[keep], self.indices[keep].astype(np.int64)], axis=1))

    def neighbors(self, u: int | str) -> NDArray[np.int32]:
        """The neighbours of u, ascending."""
        i = int(self.target_set(u)[0])
        return self.indices[self.indptr[i]:self.indptr[i + 1]]

    def has_edges(self, pairs: Any) -> NDArray[np.bool_]:
        """Whether each pair is an edge. [k, 2] -> [k]"""
        pairs = np.asarray(pairs, dtype=np.int64).reshape(-1, 2)
        keys = self.edges[:, 0] * self.num_nodes + self.edges[:, 1]
        wanted = pairs.min(axis=1) * self.num_nodes + pairs.max(axis=1)
        place = np.searchsorted(keys, wanted)
        return (place < len(keys)) & (keys[np.minimum(place, len(keys) - 1)] == wanted) if len(keys) \
            else np.zeros(len(pairs), dtype=bool)

    def has_edge(self, u: int, v: int) -> bool:
        """Whether {u, v} is an edge."""
        return bool(self.has_edges([(u, v)])[0])

    @cached_property
    def _place(self) -> dict[str, int]:
        return {name: i for i, name in reversed(list(enumerate(self.names)))}

    def target_set(self, S: Targets) -> NDArray[np.int64]:
        """The nodes of S as numbers, checked: not empty, all in G, none twice.

        A list or tuple keeps its order; a set is sorted. A string is looked up among the names.

        Examples
        --------
        >>> Graph.from_edges([("a", "b"), ("b", "c")]).target_set(["c", 0])
        array([2, 0])
        """
        if isinstance(S, int | np.integer | str):
            S = [S]
        elif not isinstance(S, Iterable):
            raise TargetError(f"A target set is a node or several nodes, not {S!r}.")
        members = list(S)
        if not members:
            raise TargetError("The target set is empty; give at least one node.")
        nodes = np.array([self._node(v) for v in members], dtype=np.int64)
        if isinstance(S, set | frozenset):
            nodes.sort()
        if len(np.unique(nodes)) < len(nodes):
            values, counts = np.unique(nodes, return_counts=True)
            raise TargetError(f"Node {int(values[counts > 1][0])} occurs twice in the target set {members[:10]!r}; "
                              "name each node once.")
        return nodes

    def _node(self, v: int | str) -> int:
        if isinstance(v, str):
            if v not in self._place:
                import difflib

                near = difflib.get_close_matches(v, self.names[:100_000], n=1)
                hint = f" Did you mean {near[0]!r}?" if near else ""
                raise TargetError(f"No node is called {v!r}.{hint}")
            return self._place[v]
        if isinstance(v, bool | np.bool_) or not isinstance(v, int | np.integer):
            raise TargetError(f"A node is a number 0..{self.num_nodes - 1} or a name, not {v!r}.")
        if not 0 <= v < self.num_nodes:
            raise TargetError(f"Node {v} is not in the graph; its nodes are 0..{self.num_nodes - 1}.")
        return int(v)

    # ---- graphs made from this one ------------------------------------------------------------

    def without_edges(self, pairs: Any) -> Graph:
        """This graph without the given edges; every node stays. [k, 2]

        Examples
        --------
        >>> Graph.from_edges([(0, 1), (1, 2)]).without_edges([(1, 0)]).edges
        array([[1, 2]])
        """
        pairs = np.asarray(pairs, dtype=np.int64).reshape(-1, 2)
        n = self.num_nodes
        drop = np.unique(np.concatenate([pairs[:, 0] * n + pairs[:, 1], pairs[:, 1] * n + pairs[:, 0]]))
        source = np.repeat(np.arange(n), self.degrees)
        keep = ~np.isin(source * n + self.indices, drop)
        indptr = np.concatenate([[0], np.cumsum(np.bincount(source[keep], minlength=n))])
        return replace(self, indptr=_frozen(indptr), indices=_frozen(self.indices[keep]))

    def cut(self, S: Targets) -> Graph:
        """This graph without the edges between nodes of S (G'_S of the paper's appendix)."""
        nodes = self.target_set(S)
        inside = np.zeros(self.num_nodes, dtype=bool)
        inside[nodes] = True
        pairs = [(u, v) for u in nodes for v in self.neighbors(u) if inside[v]]
        return self.without_edges(pairs) if pairs else self

    def relabel(self, order: Sequence[int]) -> Graph:
        """The same graph with node ``order[i]`` renamed to i.

        Examples
        --------
        >>> Graph.from_edges([(0, 1), (1, 2)]).relabel([1, 0, 2]).edges
        array([[0, 1],
               [0, 2]])
        """
        order_ = np.asarray(order, dtype=np.int64)
        if not np.array_equal(np.sort(order_), np.arange(self.num_nodes)):
            raise GraphError(f"An order of the nodes names each of 0..{self.num_nodes - 1} once.")
        new = np.empty_like(order_)
        new[order_] = np.arange(self.num_nodes)

        def pick(column: Any) -> Any:
            return None if column is None else column[order_]

        graph = Graph.from_edges(
            new[self.edges], self.num_nodes, labels=pick(self.labels), positions=pick(self.positions),
            names=None if self._names is None else [self._names[i] for i in order_],
            attributes=pick(self.attributes), info={k: pick(c) for k, c in self.info.items()}, title=self.title)
        return replace(graph, cleaning=self.cleaning)

    def with_labels(self, labels: Any) -> Graph:
        """The same graph with these integer labels, one a node (-1: none)."""
        return self._with(labels=labels)

    def with_attributes(self, attributes: Any) -> Graph:
        """The same graph with these node attributes [n, d], or the named numeric columns of info."""
        if isinstance(attributes, list | tuple) and attributes and all(isinstance(a, str) for a in attributes):
            if missing := [a for a in attributes if a not in self.info]:
                raise GraphError(f"No column {missing[0]!r}; this graph has {sorted(self.info)}.")
            attributes = np.stack([np.asarray(self.info[a], dtype=float) for a in attributes], axis=1)
        return self._with(attributes=attributes)

    def with_positions(self, positions: Any) -> Graph:
        """The same graph drawn at these positions [n, 2]."""
        return self._with(positions=positions)

    def with_title(self, title: str) -> Graph:
        """The same graph under another title."""
        return replace(self, title=title)

    def _with(self, names: Any = None, labels: Any = None, positions: Any = None,
              attributes: Any = None, info: Mapping[str, Any] | None = None) -> Graph:
        """A copy with the given columns, each checked for length and kind."""
        n = self.num_nodes
        changes: dict[str, Any] = {}
        if names is not None:
            changes["_names"] = tuple(str(name) for name in names)
            _check_length("names", changes["_names"], n)
            if len(set(changes["_names"])) < n:
                double = next(name for name in changes["_names"] if changes["_names"].count(name) > 1)
                raise GraphError(f"Two nodes are called {double!r}; names must differ, so that a node can be found by name.")
        if labels is not None:
            changes["labels"] = _frozen(_integer_labels(labels, n))
        if positions is not None:
            changes["positions"] = _frozen(_finite("positions", positions, n, 2))
        if attributes is not None:
            changes["attributes"] = _frozen(_finite("attributes", attributes, n, None))
        if info is not None:
            columns = {str(key): _column(column) for key, column in info.items()}
            for key, column in columns.items():
                _check_length(f"info {key!r}", column, n)
            changes["info"] = MappingProxyType({key: _frozen(c) for key, c in columns.items()})
        return replace(self, **changes)

    def __repr__(self) -> str:
        title = f"{self.title!r}, " if self.title else ""
        extra = "" if self.labels is None else f", {len(np.unique(self.labels[self.labels >= 0]))} classes"
        return f"Graph({title}{self.num_nodes:,} nodes, {self.num_edges:,} edges{extra})"


def _as_pairs(edges: Any) -> tuple[NDArray[np.int64], list[str] | None]:
    """Pairs as integers [m, 2] and, if the ids were not integers, their names in order."""
    if not isinstance(edges, np.ndarray):
        edges = list(edges)
        if any(not isinstance(e, Sequence | np.ndarray) or isinstance(e, str) or len(e) != 2 for e in edges):
            odd = next(e for e in edges if not isinstance(e, Sequence | np.ndarray) or isinstance(e, str) or len(e) != 2)
            raise GraphError(f"An edge is a pair of nodes, not {odd!r}.")
        whole = all(isinstance(x, int | np.integer) and not isinstance(x, bool) for e in edges for x in e)
        if edges and not whole:
            place: dict[Hashable, int] = {}
            coded = [[place.setdefault(x, len(place)) for x in e] for e in edges]
            return np.array(coded, dtype=np.int64), [str(name) for name in place]
        edges = np.array(edges, dtype=np.int64).reshape(-1, 2)
    if edges.ndim != 2 or edges.shape[1] != 2:
        raise GraphError(f"Edges are pairs, an array of shape [m, 2], not {list(edges.shape)}.")
    if edges.dtype.kind not in "iu":
        return _as_pairs(edges.tolist())
    return edges.astype(np.int64), None


def _clean_csr(
    pairs: NDArray[np.int64], n: int, directed: bool, weighted: bool
) -> tuple[NDArray[np.int64], NDArray[np.int32], Cleaning]:
    import scipy.sparse

    loops = pairs[:, 0] == pairs[:, 1]
    if loops.any():
        pairs = pairs[~loops]
    key = np.sort(np.minimum(pairs[:, 0], pairs[:, 1]) * n + np.maximum(pairs[:, 0], pairs[:, 1]))
    fresh = _first_of_run(key)
    unique = key[fresh]
    one_way = len(unique)
    if one_way < len(key):
        one_way = int(_first_of_run(np.sort(pairs[:, 0] * n + pairs[:, 1])).sum())
    low, high = unique // n, unique % n
    kind = np.int32 if n <= np.iinfo(np.int32).max else np.int64
    both = np.concatenate([low, high]).astype(kind), np.concatenate([high, low]).astype(kind)
    csr = scipy.sparse.coo_array((np.ones(len(both[0]), dtype=bool), both), shape=(n, n)).tocsr()
    csr.sort_indices()
    indptr = csr.indptr.astype(np.int64)
    cleaning = Cleaning(
        self_loops=int(loops.sum()), duplicates=len(key) - one_way, reversed_duplicates=one_way - len(unique),
        direction_ignored=directed, weights_ignored=weighted, isolated=int((np.diff(indptr) == 0).sum()))
    return _frozen(indptr), _frozen(csr.indices.astype(kind)), cleaning


def _first_of_run(ordered: NDArray[np.int64]) -> NDArray[np.bool_]:
    """Marks the first of each run of equal values in a sorted array."""
    return np.concatenate([np.ones(min(1, len(ordered)), dtype=bool), ordered[1:] != ordered[:-1]])


def _check_length(what: str, column: Any, n: int) -> None:
    if len(column) != n:
        raise GraphError(f"{what} has {len(column)} entries for {n} nodes; give one for each node.")


def _finite(what: str, values: Any, n: int, width: int | None) -> NDArray[np.float64]:
    try:
        array = np.asarray(values, dtype=np.float64)
    except (TypeError, ValueError) as error:
        raise GraphError(f"{what} must be numbers, an array of shape [{n}, {width or 'd'}]: {error}") from None
    if array.ndim == 1 and width is None:
        array = array[:, None]
    if array.ndim != 2 or len(array) != n or (width is not None and array.shape[1] != width):
        raise GraphError(f"{what} must have shape [{n}, {width or 'd'}], not {list(array.shape)}.")
    if not np.isfinite(array).all():
        row = int(np.flatnonzero(~np.isfinite(array).all(axis=1))[0])
        raise GraphError(f"{what} of node {row} are {array[row].tolist()}; every value must be finite.")
    return array


def _integer_labels(labels: Any, n: int) -> NDArray[np.int64]:
    array = np.asarray(labels)
    if array.shape != (n,):
        raise GraphError(f"labels must have one entry for each of the {n} nodes, not shape {list(array.shape)}.")
    if array.dtype.kind == "f":
        if not np.isfinite(array).all():
            row = int(np.flatnonzero(~np.isfinite(array))[0])
            raise GraphError(f"The label of node {row} is {array[row]}; use -1 for a node without a label.")
        if not (array == array.round()).all():
            raise GraphError("labels must be whole numbers (classes), one a node; these have fractions.")
    elif array.dtype.kind not in "iub":
        raise GraphError(f"labels must be whole numbers (classes), one a node, not {array.dtype}.")
    array = array.astype(np.int64)
    if (array < -1).any():
        raise GraphError(f"labels must be 0, 1, 2, ... or -1 for none, not {int(array.min())}.")
    return array


def _column(values: Any) -> NDArray[Any]:
    """A plain column: numbers, or text (objects in it are data, and shown as their text)."""
    array = np.asarray(values)
    if array.ndim == 1 and array.dtype.kind in "iufbU":
        return array
    return np.array(["" if v is None else str(v) for v in values], dtype=str).reshape(len(values))
