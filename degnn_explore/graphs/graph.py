"""Graph: an undirected, unweighted, simple graph in CSR form, and its neighbours networkx and PyG.

Every other module takes a :class:`Graph`; files are read in :mod:`degnn_explore.reading.read`.
"""

from __future__ import annotations

import difflib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, fields, replace
from functools import cached_property
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from ..common.errors import GraphError, ParameterError, TargetError
from .cleaning import Cleaning, as_pairs, clean_csr
from .columns import class_labels, digest_of, finite, frozen, info_column, node_names
from .interop import networkx_parts, pyg_parts

if TYPE_CHECKING:
    import networkx
    import scipy.sparse
    import torch_geometric.data

__all__ = ["Cleaning", "Graph", "Targets"]

Node = int | np.integer[Any] | str
Targets = Node | Iterable[Node]
"""A target set: a node, a name, or several of them."""


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
    info: Mapping[str, NDArray[Any]] = field(default_factory=lambda: MappingProxyType({}))
    title: str = ""
    cleaning: Cleaning = field(default_factory=Cleaning)
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
        pairs, seen = as_pairs(edges)
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
        elif isinstance(num_nodes, bool) or not isinstance(num_nodes, int | np.integer):
            raise GraphError(f"num_nodes must be a whole number, not {num_nodes!r}.")
        if num_nodes < 1:
            raise GraphError("A graph needs at least one node; give num_nodes when there are no edges.")
        if pairs.size and (pairs.min() < 0 or largest >= num_nodes):
            bad = int(pairs.min()) if pairs.min() < 0 else largest
            raise GraphError(f"An edge names node {bad}, but the nodes are 0..{num_nodes - 1}.")
        indptr, indices, cleaning = clean_csr(pairs, int(num_nodes), directed, weighted)
        return cls(frozen(indptr), frozen(indices), title=title, cleaning=cleaning)._with(
            names=names, labels=labels, positions=positions, attributes=attributes, info=info
        )

    @classmethod
    def from_networkx(cls, graph: networkx.Graph[Any], *, label: str | None = None) -> Graph:
        """A graph from networkx: node attributes become :attr:`info`, ids become names.

        Where the ids are exactly 0..n-1, they stay the nodes' numbers, and an attribute ``name`` gives the
        names. Attributes ``pos``, or ``x`` and ``y``, or ``longitude`` and ``latitude`` give positions, and
        ``label`` (or the one named here), if it is an integer on every node, gives labels.

        Examples
        --------
        >>> import networkx as nx
        >>> Graph.from_networkx(nx.path_graph(4))
        Graph(4 nodes, 3 edges)
        """
        return cls.from_edges(**networkx_parts(graph, label))

    @classmethod
    def from_pyg(cls, data: torch_geometric.data.Data) -> Graph:
        """A graph from PyG's ``Data``: ``x`` becomes attributes, ``y`` labels, ``pos`` positions.

        Examples
        --------
        >>> Graph.from_pyg(Graph.from_edges([(0, 1), (1, 2)]).to_pyg())
        Graph(3 nodes, 2 edges)
        """
        return cls.from_edges(**pyg_parts(data))

    # ---- ways out ---------------------------------------------------------------------------

    def to_networkx(self) -> networkx.Graph[int]:
        """The same graph in networkx, nodes 0..n-1 with ``name``, ``label``, ``pos`` and info."""
        import networkx as nx

        graph: networkx.Graph[int] = nx.Graph(name=self.title)
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

        data = Data(edge_index=torch.from_numpy(np.stack([self._sources, self.indices]).astype(np.int64)))
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

    def digest(self, *, attributes: bool = True, labels: bool = False) -> str:
        """SHA-256 of what the graph is: its edges and, if they count, attributes and labels; not names or title.

        Examples
        --------
        >>> G = Graph.from_edges([(0, 1), (1, 2)])
        >>> G.digest() == G.with_title("mine").digest(), G.digest() == G.without_edges([(0, 1)]).digest()
        (True, False)
        """
        parts = (self.indptr, self.indices, self.attributes if attributes else None, self.labels if labels else None)
        return digest_of(*parts)

    @cached_property
    def degrees(self) -> NDArray[np.int64]:
        """Number of neighbours of each node. [n]"""
        return frozen(np.diff(self.indptr))

    @cached_property
    def edges(self) -> NDArray[np.int64]:
        """Each edge once, as (u, v) with u < v, sorted. [m, 2]"""
        keep = self._sources < self.indices
        return frozen(np.stack([self._sources[keep], self.indices[keep].astype(np.int64)], axis=1))

    def neighbors(self, u: Node) -> NDArray[np.int32]:
        """The neighbours of u, ascending."""
        i = int(self.target_set(u)[0])
        return self.indices[self.indptr[i] : self.indptr[i + 1]]

    @cached_property
    def _keys(self) -> NDArray[np.int64]:
        """The edges as the sorted numbers u * n + v, to look pairs up in."""
        return self.edges[:, 0] * self.num_nodes + self.edges[:, 1]

    def has_edges(self, pairs: Any) -> NDArray[np.bool_]:
        """Whether each pair of nodes is an edge. [k, 2] -> [k]

        Examples
        --------
        >>> Graph.from_edges([(0, 1), (1, 2)]).has_edges([(1, 0), (0, 2)])
        array([ True, False])
        """
        pairs = self._pairs(pairs)
        wanted = pairs.min(axis=1) * self.num_nodes + pairs.max(axis=1)
        if not len(self._keys):
            return np.zeros(len(pairs), dtype=bool)
        place = np.searchsorted(self._keys, wanted)
        return np.asarray(self._keys[np.minimum(place, len(self._keys) - 1)] == wanted)

    def has_edge(self, u: int, v: int) -> bool:
        """Whether {u, v} is an edge."""
        return bool(self.has_edges([(u, v)])[0])

    def _pairs(self, pairs: Any) -> NDArray[np.int64]:
        """Pairs of this graph's nodes, checked. [k, 2]"""
        array = np.asarray(pairs)
        if array.size == 0:
            return np.empty((0, 2), dtype=np.int64)
        if array.ndim != 2 or array.shape[1] != 2 or array.dtype.kind not in "iu":
            raise TargetError(f"Pairs of nodes are integers of shape [k, 2], not {array.dtype} {list(array.shape)}.")
        if array.min() < 0 or array.max() >= self.num_nodes:
            bad = array.min() if array.min() < 0 else array.max()
            raise TargetError(f"Node {bad} is not in the graph; its nodes are 0..{self.num_nodes - 1}.")
        return array.astype(np.int64)

    @cached_property
    def _place(self) -> dict[str, int]:
        return {name: i for i, name in enumerate(self.names)}

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
        try:
            members = list(S)
        except TypeError:
            raise TargetError(f"A target set is a node or several nodes, not {S!r}.") from None
        if not members:
            raise TargetError("The target set is empty; give at least one node.")
        nodes = np.array([self._node(v) for v in members], dtype=np.int64)
        if isinstance(S, set | frozenset):
            nodes.sort()
        if len(np.unique(nodes)) < len(nodes):
            values, counts = np.unique(nodes, return_counts=True)
            raise TargetError(
                f"Node {int(values[counts > 1][0])} occurs twice in the target set {members[:10]!r}; "
                "name each node once."
            )
        return nodes

    def _node(self, v: Node) -> int:
        if isinstance(v, str):
            if v not in self._place:
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
        pairs, n = self._pairs(pairs), self.num_nodes
        drop = np.concatenate([pairs[:, 0] * n + pairs[:, 1], pairs[:, 1] * n + pairs[:, 0]])
        return self._keeping(~np.isin(self._sources * n + self.indices, drop))

    def cut(self, S: Targets) -> Graph:
        """This graph without the edges between nodes of S (G'_S of the paper's appendix).

        Examples
        --------
        >>> Graph.from_edges([(0, 1), (1, 2), (2, 0)]).cut({0, 1}).edges.tolist()
        [[0, 2], [1, 2]]
        """
        inside = np.zeros(self.num_nodes, dtype=bool)
        inside[self.target_set(S)] = True
        within = inside[self._sources] & inside[self.indices]
        return self._keeping(~within) if within.any() else self

    @property
    def _sources(self) -> NDArray[np.int64]:
        """The node at whose place in :attr:`indices` each entry stands. [2m]"""
        return np.repeat(np.arange(self.num_nodes), self.degrees)

    def _keeping(self, keep: NDArray[np.bool_]) -> Graph:
        """This graph with some of the entries of :attr:`indices`. [2m]"""
        degrees = np.bincount(self._sources[keep], minlength=self.num_nodes)
        indptr = np.concatenate([np.zeros(1, dtype=np.int64), np.cumsum(degrees)])
        return replace(self, indptr=frozen(indptr), indices=frozen(self.indices[keep]))

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
            new[self.edges],
            self.num_nodes,
            labels=pick(self.labels),
            positions=pick(self.positions),
            names=None if self._names is None else [self._names[i] for i in order_],
            attributes=pick(self.attributes),
            info={k: pick(c) for k, c in self.info.items()},
            title=self.title,
        )
        return replace(graph, cleaning=self.cleaning)

    def with_labels(self, labels: Any) -> Graph:
        """The same graph with these integer labels, one a node (-1: none)."""
        return self._with(labels=labels)

    def with_attributes(self, attributes: Any) -> Graph:
        """The same graph with these node attributes [n, d], or the named numeric columns of info."""
        if isinstance(attributes, list | tuple) and attributes and all(isinstance(a, str) for a in attributes):
            if missing := [a for a in attributes if a not in self.info]:
                raise GraphError(f"No column {missing[0]!r}; this graph has {sorted(self.info)}.")
            if text := [a for a in attributes if self.info[a].dtype.kind not in "iufb"]:
                raise GraphError(f"Column {text[0]!r} is text; attributes are numbers.")
            attributes = np.stack([self.info[a].astype(np.float64) for a in attributes], axis=1)
        return self._with(attributes=attributes)

    def with_positions(self, positions: Any) -> Graph:
        """The same graph drawn at these positions [n, 2]."""
        return self._with(positions=positions)

    def with_info(self, info: Mapping[str, Any]) -> Graph:
        """The same graph with these columns to show, and no others."""
        return self._with(info=info)

    def with_title(self, title: str) -> Graph:
        """The same graph under another title."""
        return replace(self, title=title)

    def _with(
        self,
        names: Any = None,
        labels: Any = None,
        positions: Any = None,
        attributes: Any = None,
        info: Mapping[str, Any] | None = None,
    ) -> Graph:
        """A copy with the given columns, each checked for length and kind."""
        n = self.num_nodes
        changes: dict[str, Any] = {}
        if names is not None:
            changes["_names"] = node_names(names, n)
        if labels is not None:
            changes["labels"] = frozen(class_labels(labels, n))
        if positions is not None:
            changes["positions"] = frozen(finite("positions", positions, n, 2))
        if attributes is not None:
            changes["attributes"] = frozen(finite("attributes", attributes, n, None))
        if info is not None:
            columns = {str(key): frozen(info_column(str(key), column, n)) for key, column in info.items()}
            changes["info"] = MappingProxyType(columns)
        return replace(self, **changes)

    def __repr__(self) -> str:
        title = f"{self.title!r}, " if self.title else ""
        extra = "" if self.labels is None else f", {len(np.unique(self.labels[self.labels >= 0]))} classes"
        return f"Graph({title}{self.num_nodes:,} nodes, {self.num_edges:,} edges{extra})"

    def __getstate__(self) -> dict[str, Any]:
        """For processes and copies: a read-only mapping cannot be pickled, and what is derived need not be."""
        return {f.name: getattr(self, f.name) for f in fields(self)} | {"info": dict(self.info)}

    def __setstate__(self, state: dict[str, Any]) -> None:
        state = state | {"info": MappingProxyType(state["info"])}
        for array in [*state["info"].values(), *(v for v in state.values() if isinstance(v, np.ndarray))]:
            frozen(array)
        self.__dict__.update(state)


def needs_graph(caller: str, G: Any) -> None:
    """A ParameterError that says how to make a Graph, if this is something else."""
    if not isinstance(G, Graph):
        raise ParameterError(
            f"{caller} needs a degnn_explore Graph, not {type(G).__name__}; make one with "
            "Graph.from_networkx, Graph.from_pyg or Graph.from_edges."
        )
