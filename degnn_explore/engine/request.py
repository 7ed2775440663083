"""What every extraction shares: checked target sets and options, in the form that the compiled loops take."""

from __future__ import annotations

import weakref
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..common.errors import TargetError, check_int, check_memory
from ..common.progress import map_ranges
from ..encodings.base import Encoding, Recipe, needs_encoding
from ..graphs.distances import components
from ..graphs.graph import Graph, needs_graph
from . import _ball
from ._ball import Memory, Net, Paths, Request, Scratch, Walks
from .features import DegreesAsGiven, base_features, log_degrees
from .own_encodings import Fill, OwnEncoding, own_encoding


def index_dtype(largest: int) -> type[np.signedinteger[Any]]:
    """int32 while it can hold ``largest``, int64 beyond.

    Examples
    --------
    >>> index_dtype(2**31 - 1).__name__, index_dtype(2**31).__name__
    ('int32', 'int64')
    """
    return np.int32 if largest <= np.iinfo(np.int32).max else np.int64


def as_sets(graph: Graph, sets: Any) -> NDArray[np.int64]:
    """Target sets as an array [num_sets, p], checked: all of one size, every node in G, none twice in a set.

    Examples
    --------
    >>> as_sets(Graph.from_edges([(0, 1), (1, 2)]), [{2, 0}, (1, 2)])
    array([[0, 2],
           [1, 2]])
    """
    if not (isinstance(sets, np.ndarray) and sets.ndim == 2 and sets.dtype.kind in "iu"):
        if isinstance(sets, str) or not isinstance(sets, Iterable):
            raise TargetError(f"Give a list of target sets or an integer array [num_sets, p], not {sets!r}.")
        width = sets.shape[1] if isinstance(sets, np.ndarray) and sets.ndim == 2 else 1
        members = [graph.target_set(S) for S in sets]
        if not members:
            return np.empty((0, max(width, 1)), dtype=np.int64)
        for i, nodes in enumerate(members):
            if len(nodes) != len(members[0]):
                raise TargetError(
                    f"Target set {i} has {len(nodes)} nodes but set 0 has {len(members[0])}; "
                    "give sets of one size together."
                )
        return np.stack(members)
    array = np.ascontiguousarray(sets, dtype=np.int64)
    if array.shape[1] < 1:
        raise TargetError("The target sets are empty; each needs at least one node.")
    bad = (array < 0) | (array >= graph.num_nodes)
    if bad.any():
        row, place = np.argwhere(bad)[0]
        raise TargetError(
            f"Target set {row} names node {array[row, place]}, which is not in the graph; "
            f"its nodes are 0..{graph.num_nodes - 1}."
        )
    ordered = np.sort(array, axis=1)
    twice = ordered[:, 1:] == ordered[:, :-1]
    if twice.any():
        row, place = np.argwhere(twice)[0]
        raise TargetError(
            f"Node {ordered[row, place]} occurs twice in target set {row}, "
            f"{array[row].tolist()[:10]}; name each node once."
        )
    return array


def make_net(graph: Graph, degree: bool) -> Net:
    """The graph as the loops read it; made once and kept as long as the graph lives."""
    nets = _NETS.setdefault(graph, {})
    if degree not in nets:
        component = next(iter(nets.values())).component if nets else components(graph)
        nets[degree] = Net(graph.indptr, graph.indices, base_features(graph, degree), log_degrees(graph), component)
    return nets[degree]


_NETS: weakref.WeakKeyDictionary[Graph, dict[bool, Net]] = weakref.WeakKeyDictionary()


_KINDS = {"SPD": _ball.SPD, "walk": _ball.WALK, "DRNL": _ball.DRNL, "own": _ball.OWN}
_POOLS = {"mean": _ball.MEAN_POOL, "sum": _ball.SUM_POOL, None: _ball.NO_POOL}


@dataclass(frozen=True)
class Options:
    """Options of both kinds of extraction; see :func:`degnn_explore.blocks`."""

    encoding: Encoding | None
    degree: bool
    max_nodes_per_hop: int | None
    seed: int
    num_threads: int | None
    budget: int
    progress: bool


class Spare(list[Memory]):
    """Working memory that no thread uses at the moment. It is not pickled."""

    def __reduce__(self) -> Any:
        return Spare, ()


@dataclass(frozen=True)
class Work:
    """An extraction: the graph, the sets, what to extract for each, and memory and threads for it."""

    net: Net
    request: Request
    sets: NDArray[np.int64]
    cap: int  # nodes kept at each hop; 0: all, up to MOST_NODES in total
    memory: Callable[[], Memory]  # makes that of one thread
    num_threads: int | None
    progress: bool
    own: OwnEncoding | None = None  # computes ζ if the compiled loops do not
    spare: Spare = field(default_factory=lambda: Spare())

    @property
    def in_dim(self) -> int:
        """Features of a node: without pooling, ζ(u|v) stands side by side for each v in S."""
        copies = self.sets.shape[1] if self.request.pool == _ball.NO_POOL else 1
        return self.net.base.shape[1] + copies * self.request.width

    def with_zeta(self, sets: NDArray[np.int64], caps: NDArray[np.int64] | None, fill: Fill) -> Fill:
        """``fill``, which writes a range of these sets, with the ζ of a user's encoding."""
        return fill if self.own is None else self.own.with_zeta(sets, caps, fill)

    def ranges(self, total: int, work: Fill, label: str, *, quiet: bool = False, unit: str = "target set") -> None:
        """``work(begin, end, memory)`` until 0..total is covered; ``quiet``: in this thread, without a bar."""
        if not quiet:
            how: dict[str, Any] = {"threads": self.num_threads, "progress": self.progress, "scratch": self.memory}
            map_ranges(total, work, label=label, unit=unit, **how, spare=self.spare)
            return
        try:
            memory = self.spare.pop()
        except IndexError:
            memory = self.memory()
        work(0, total, memory)
        self.spare.append(memory)


def make_work(
    graph: Graph,
    sets: Any,
    options: Options,
    *,
    radius: int,
    levels: int = 0,
    hops: int = 1,
    aggregation: int = _ball.SUM,
    raw: bool = False,
) -> Work:
    """Everything checked, in the form that the loops take."""
    needs_graph("The ego-network engine", graph)
    budget = check_int("budget", options.budget, least=1)
    cap = options.max_nodes_per_hop
    cap = 0 if cap is None else check_int("max_nodes_per_hop", cap, least=1)
    seed = np.uint64(check_int("seed", options.seed, least=0) % 2**64)
    array, n = as_sets(graph, sets), graph.num_nodes
    p = array.shape[1]
    kind, reach, width, pool = _ball.NONE, 0, 0, _ball.MEAN_POOL
    if (encoding := options.encoding) is not None:
        needs_encoding(encoding)
        encoding.check_targets(p)
        recipe = encoding.recipe or Recipe("own", 0)  # None: its ``pairwise`` computes its own paths
        kind, reach, width = _KINDS[recipe.kind], recipe.reach, encoding.dim
        if kind != _ball.WALK:
            what = f"Working memory for the distances from {p:,} targets to {n:,} nodes"
            check_memory(what, 4 * p * n, budget=budget, remedy="Take smaller target sets, or raise budget=.")
        if encoding.num_targets is None:  # else one row for the whole set: nothing to pool
            pool = _POOLS[None if raw else encoding.pool]
    # a path of ``reach`` steps from a target to a node of the ego-network goes at most half of both lengths away
    ball = max(radius, min((radius + reach) // 2, n))
    cut_degrees = options.degree and not isinstance(graph, DegreesAsGiven)
    request = Request(levels, hops, radius, ball, reach, kind, width, pool, aggregation, raw, cut_degrees, seed, budget)
    net, own = make_net(graph, options.degree), None
    widest = request
    if kind == _ball.OWN and encoding is not None:
        own = own_encoding(encoding, graph, net, request)
        own.check(array)
        request = request._replace(ball=radius, reach=0)  # ζ is known when blocks are filled
    memory = partial(make_memory, net, widest, p)  # not a lambda: extracted data can be pickled
    return Work(net, request, array, cap, memory, options.num_threads, options.progress, own)


def make_memory(net: Net, request: Request, p: int) -> Memory:
    """Working memory for one thread; empty arrays take no memory until they are written to."""
    n, zeta = len(net.indptr) - 1, request.encoding
    kind = index_dtype(n)
    ball = Scratch(
        local=np.full(n, -1, kind),
        order=np.empty(n + 1, kind),
        root=np.empty(n + 1, np.int32),
        lptr=np.empty(n + 1, np.int64),
        lcol=np.empty(len(net.indices) + 1, kind),
        queue=np.empty(n, np.int64),
        mark=np.zeros(n + 1, np.int64),
        level=np.zeros(request.ball + 2, np.int64),
        cut=np.zeros(p, np.int64),
        shell=np.zeros(request.hops + 2, np.int64),
    )
    paths = Paths(
        dist=np.empty((p, n), np.int32),
        group=np.empty(p, np.int64),
        owner=np.full(n, -1, kind),
        chain=np.full(n, -1, kind),
    )
    walks = Walks(now=np.empty(n), then=np.empty(n))
    needs_paths, needs_walks = zeta in (_ball.SPD, _ball.DRNL, _ball.OWN), zeta in (_ball.WALK, _ball.OWN)
    return Memory(ball, paths if needs_paths else None, walks if needs_walks else None, None)
