"""Graph: an undirected, unweighted, simple graph in CSR form. Every other module takes one."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, fields, replace
from functools import cached_property
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from ..common.errors import GraphError, ParameterError
from .build import (
    CHECKS,
    Cleaning,
    clean_csr,
    digest_of,
    frozen,
    ids_are_noncontiguous_ints,
    numbered_edges,
    numeric_columns,
    text,
)
from .convert import as_networkx, as_pyg, networkx_parts, pyg_parts
from .nodes import Node, Nodes, Targets

if TYPE_CHECKING:
    import networkx
    import scipy.sparse
    import torch_geometric.data

__all__ = ["Cleaning", "Graph", "Targets"]


@dataclass(frozen=True, eq=False)
class Graph:
    """An undirected, unweighted, simple graph G = (V, E) with nodes 0..n-1. Immutable.

    Build one with :meth:`from_edges`, :meth:`from_networkx`, :meth:`from_pyg`, ``de.read_graph`` or ``de.load``.

    **Which node is meant**, wherever nodes are taken: a string is a name, and an integer a node's number 0..n-1.
    If the source has other integers as ids (1..n, or with gaps), the nodes get new numbers and the ids become their
    names: ``G.has_edge("118", "201")``. A bare Python integer is then an error, because it could mean either, unless
    both readings mean the same node; integers in arrays, as this library returns them, are always numbers.

    Attributes
    ----------
    indptr, indices
        The CSR adjacency: the neighbors of u, ascending, are ``indices[indptr[u]:indptr[u+1]]``.
    labels
        int64 [n] with a class per node, or None; -1 stands for "no label".
    positions, attributes
        float64 [n, 2], where to draw a node (y upwards), and [n, d], what models and colors may use; or None.
    info, title
        Columns to show with a node (city, state, ...), and what the graph is called. Never used by a model.
    cleaning
        What was changed in the input, see :class:`Cleaning`.
    parts
        int64 [n], the graph of a :func:`degnn_explore.disjoint_union` that each node came from, or None.

    Examples
    --------
    >>> G = Graph.from_edges([(0, 1), (1, 2)], num_nodes=3)
    >>> G, G.neighbors(1)
    (Graph(3 nodes, 2 edges), array([0, 2], dtype=int32))
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
    parts: NDArray[np.int64] | None = None

    # ---- constructors -----------------------------------------------------------------------

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
        renumbered: bool = False,
    ) -> Graph:
        """A graph from pairs of nodes.

        Parameters
        ----------
        edges
            Pairs (u, v): integers 0..n-1, or other hashable ids, named in order of first appearance. [m, 2]
        num_nodes
            Number of nodes n; by default the largest integer plus one.
        names, labels, positions, attributes, info, title
            See :class:`Graph`.
        directed, weighted, renumbered
            Facts about the source, reported in :attr:`cleaning`. Names that are integers imply that the nodes were
            renumbered; pass ``renumbered`` if the ids were integers and the names are words.

        Examples
        --------
        >>> Graph.from_edges([("a", "b"), ("b", "c")]).names
        ('a', 'b', 'c')
        """
        pairs, num_nodes, names = numbered_edges(edges, num_nodes, names)
        indptr, indices, cleaning = clean_csr(pairs, num_nodes)
        renumbered = bool(renumbered) or (names is not None and ids_are_noncontiguous_ints(names))
        cleaning = replace(cleaning, direction_ignored=directed, weights_ignored=weighted, renumbered=renumbered)
        return cls(frozen(indptr), frozen(indices), title=text("title", title), cleaning=cleaning)._with(
            _names=names, labels=labels, positions=positions, attributes=attributes, info=info
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
        """A graph from PyG's ``Data``: x as attributes, y labels, pos positions; other numbers of each node are info.

        Examples
        --------
        >>> Graph.from_pyg(Graph.from_edges([(0, 1), (1, 2)]).to_pyg())
        Graph(3 nodes, 2 edges)
        """
        return cls.from_edges(**pyg_parts(data))

    # ---- conversion -------------------------------------------------------------------------

    def to_networkx(self) -> networkx.Graph[int]:
        """The same graph in networkx, nodes 0..n-1 with ``name``, ``label``, ``pos`` and info.

        A column of info that is itself called ``name``, ``label`` or ``pos`` keeps that name if the graph has no such
        data; otherwise it becomes ``name_``, ``label_`` or ``pos_``.
        """
        return as_networkx(self, self._names)

    def to_pyg(self) -> torch_geometric.data.Data:
        """The same graph as PyG ``Data``: ``edge_index`` [2, 2m]; x, y, pos, names and numbers of info, if any."""
        return as_pyg(self, self._names)

    def to_scipy(self) -> scipy.sparse.csr_array:
        """The adjacency matrix A, float64 CSR [n, n]."""
        import scipy.sparse

        entries = np.ones(len(self.indices)), self.indices, self.indptr
        return scipy.sparse.csr_array(entries, shape=(self.num_nodes,) * 2)

    # ---- contents ---------------------------------------------------------------------------

    @property
    def num_nodes(self) -> int:
        """n = ``|V|``."""
        return len(self.indptr) - 1

    @property
    def num_edges(self) -> int:
        """m = ``|E|``, each undirected edge counted once."""
        return len(self.indices) // 2

    @property
    def names(self) -> tuple[str, ...]:
        """A name to show for each node; the node's number where it has no name."""
        return self._nodes.names

    def digest(self, *, attributes: bool = True, labels: bool = False) -> str:
        """SHA-256 of the edges and optionally of attributes and labels; names and title do not count.

        Examples
        --------
        >>> Graph.from_edges([(0, 1)]).digest() == Graph.from_edges([(1, 0)]).with_title("mine").digest()
        True
        """
        counted = self.attributes if attributes else None, self.labels if labels else None
        return digest_of(self.indptr, self.indices, *counted)

    @cached_property
    def degrees(self) -> NDArray[np.int64]:
        """Number of neighbors of each node. [n]"""
        return frozen(np.diff(self.indptr))

    @cached_property
    def edges(self) -> NDArray[np.int64]:
        """Each edge once, as (u, v) with u < v, sorted. [m, 2]"""
        keep = (sources := self._sources) < self.indices
        return frozen(np.stack([sources[keep], self.indices[keep].astype(np.int64)], axis=1))

    def neighbors(self, u: Node) -> NDArray[np.int32]:
        """The neighbors of u, ascending."""
        i = self._nodes.number(u)
        return self.indices[self.indptr[i] : self.indptr[i + 1]]

    @cached_property
    def _keys(self) -> NDArray[np.int64]:
        """The edges as sorted numbers u * n + v, for lookup, followed by one larger than all of them."""
        return np.append(self.edges[:, 0] * self.num_nodes + self.edges[:, 1], self.num_nodes**2)

    def has_edges(self, pairs: Any) -> NDArray[np.bool_]:
        """Whether each pair of nodes is an edge. [k, 2] -> [k]

        Examples
        --------
        >>> Graph.from_edges([(0, 1), (1, 2)]).has_edges([(1, 0), (0, 2)])
        array([ True, False])
        """
        pairs = self._nodes.pairs(pairs)
        wanted = pairs.min(axis=1) * self.num_nodes + pairs.max(axis=1)
        return np.asarray(self._keys[np.searchsorted(self._keys, wanted)] == wanted)

    def has_edge(self, u: Node, v: Node) -> bool:
        """Whether {u, v} is an edge."""
        return bool(self.has_edges([(u, v)])[0])

    @cached_property
    def _nodes(self) -> Nodes:
        return Nodes(self.num_nodes, self._names, self.cleaning.renumbered)

    def target_set(self, S: Targets) -> NDArray[np.int64]:
        """The nodes of S as numbers, checked: not empty, all in G, none twice.

        A list or tuple keeps its order; a set is sorted. Strings are names, integers numbers, see :class:`Graph`.

        Examples
        --------
        >>> Graph.from_edges([("a", "b"), ("b", "c")]).target_set(["c", 0])
        array([2, 0])
        """
        return self._nodes.target_set(S)

    # ---- graphs made from this one ----------------------------------------------------------

    def without_edges(self, pairs: Any) -> Graph:
        """This graph without these edges; every node stays. [k, 2]

        Examples
        --------
        >>> Graph.from_edges([(0, 1), (1, 2)]).without_edges([(1, 0)]).edges
        array([[1, 2]])
        """
        pairs, weights = self._nodes.pairs(pairs), np.array([self.num_nodes, 1])
        drop = np.concatenate([pairs @ weights, pairs[:, ::-1] @ weights])
        keys = self._sources * self.num_nodes + self.indices  # ascending
        place = np.searchsorted(keys, drop)
        keep = np.ones(len(keys) + 1, dtype=bool)
        keep[place[np.append(keys, -1)[place] == drop]] = False
        return self._keeping(keep[:-1])

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
        """The node whose neighbor each entry of :attr:`indices` is. [2m]"""
        return np.repeat(np.arange(self.num_nodes), self.degrees)

    def _keeping(self, keep: NDArray[np.bool_]) -> Graph:
        """This graph with some of the entries of :attr:`indices`. [2m]"""
        degrees = np.bincount(self._sources[keep], minlength=self.num_nodes)
        indptr = np.concatenate([np.zeros(1, dtype=np.int64), np.cumsum(degrees)])
        return replace(self, indptr=frozen(indptr), indices=frozen(self.indices[keep]))

    def relabel(self, order: Iterable[Node]) -> Graph:
        """The same graph with node ``order[i]`` moved to number i, its name with it.

        Examples
        --------
        >>> Graph.from_edges([(0, 1), (1, 2)]).relabel([1, 0, 2]).edges
        array([[0, 1],
               [0, 2]])
        """
        nodes = self.target_set(order)
        if len(nodes) < self.num_nodes:
            raise GraphError(f"order must name each node 0..{self.num_nodes - 1} exactly once.")
        indptr, indices, _ = clean_csr(np.argsort(nodes)[self.edges], self.num_nodes)
        columns = {"labels": self.labels, "positions": self.positions, "attributes": self.attributes}
        parts = None if self.parts is None else frozen(self.parts[nodes])
        return replace(self, indptr=frozen(indptr), indices=frozen(indices), parts=parts)._with(
            _names=None if self._names is None else [self._names[i] for i in nodes],
            info={key: column[nodes] for key, column in self.info.items()},
            **{key: column[nodes] for key, column in columns.items() if column is not None},
        )

    def with_labels(self, labels: Any) -> Graph:
        """The same graph with these integer labels, one for each node (-1: none); None removes them."""
        return replace(self, labels=None) if labels is None else self._with(labels=labels)

    def with_attributes(self, attributes: Any) -> Graph:
        """The same graph with these node attributes [n, d], or the named numeric columns of info; None removes them.

        Attributes computed from the edges (degrees, PageRank, embeddings) know all of them. If a link task then holds
        some out, they leak what is to be predicted (degrees lift a GCN on a power grid from 70 to 92 AUC): compute
        them on ``task.graph``, not on the full graph.
        """
        if isinstance(attributes, list | tuple) and attributes and all(isinstance(a, str) for a in attributes):
            attributes = numeric_columns(self.info, attributes)
        return replace(self, attributes=None) if attributes is None else self._with(attributes=attributes)

    def with_positions(self, positions: Any) -> Graph:
        """The same graph drawn at these positions [n, 2]; None removes them."""
        return replace(self, positions=None) if positions is None else self._with(positions=positions)

    def with_info(self, info: Mapping[str, Any]) -> Graph:
        """The same graph with these columns to show, and no others."""
        return self._with(info=info)

    def with_title(self, title: str) -> Graph:
        """The same graph under another title."""
        return replace(self, title=text("title", title))

    def _with(self, **columns: Any) -> Graph:
        """A copy with these columns, each checked for length and kind; one that is None stays as it is."""
        checked = {key: CHECKS[key](column, self.num_nodes) for key, column in columns.items() if column is not None}
        return replace(self, **checked)

    def __repr__(self) -> str:
        title = f"{self.title!r}, " if self.title else ""
        extra = "" if self.labels is None else f", {len(np.unique(self.labels[self.labels >= 0]))} classes"
        ids = ", ids renumbered" if self.cleaning.renumbered else ""
        return f"Graph({title}{self.num_nodes:,} nodes, {self.num_edges:,} edges{extra}{ids})"

    def __getstate__(self) -> dict[str, Any]:
        """For processes and copies: a read-only mapping cannot be pickled, and cached values need not be."""
        return {f.name: getattr(self, f.name) for f in fields(self)} | {"info": dict(self.info)}

    def __setstate__(self, state: dict[str, Any]) -> None:
        for column in (*state["info"].values(), *state.values()):
            if isinstance(column, np.ndarray):
                frozen(column)
        self.__dict__.update(state, info=MappingProxyType(state["info"]))


def needs_graph(caller: str, G: Any) -> None:
    """Raise a ParameterError that says how to make a Graph, if this is something else."""
    if not isinstance(G, Graph):
        how = "make one with Graph.from_networkx, Graph.from_pyg or Graph.from_edges"
        raise ParameterError(f"{caller} needs a degnn_explore Graph, not {type(G).__name__}; {how}.")
