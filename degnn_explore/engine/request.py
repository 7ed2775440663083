"""What every extraction shares: checked target sets and options, and how they are put to the compiled loops."""

from __future__ import annotations

import threading
import weakref
from collections.abc import Iterable
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..common.errors import TargetError, whole_number
from ..common.limits import fits
from ..common.parallel import Threads
from ..encodings.base import Encoding, Recipe, needs_encoding
from ..graphs.distances import components
from ..graphs.graph import Graph, needs_graph
from . import _ball
from ._ball import Net, Request, Scratch
from .features import DegreesAsGiven, base_features, log_degrees
from .given import Fill, Given, make_given


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
    """The graph as the kernels want it; made once and kept as long as the graph lives."""
    nets = _NETS.setdefault(graph, {})
    if degree not in nets:
        component = next(iter(nets.values())).component if nets else components(graph)
        nets[degree] = Net(graph.indptr, graph.indices, base_features(graph, degree), log_degrees(graph), component)
    return nets[degree]


_NETS: weakref.WeakKeyDictionary[Graph, dict[bool, Net]] = weakref.WeakKeyDictionary()


_KINDS = {"SPD": _ball.SPD, "walk": _ball.WALK, "DRNL": _ball.DRNL, "own": _ball.GIVEN}
_POOLS = {"mean": _ball.MEAN_POOL, "sum": _ball.SUM_POOL, None: _ball.NO_POOL}


@dataclass(frozen=True)
class Options:
    """What both kinds of extraction are told; :func:`degnn_explore.blocks` says what each means."""

    encoding: Encoding | None
    degree: bool
    max_nodes_per_hop: int | None
    seed: int
    num_threads: int | None
    budget: int
    stop: threading.Event | None
    progress: bool


@dataclass(frozen=True)
class Work:
    """What is to be extracted: from which graph, what of each set, for which sets, within which means."""

    net: Net
    request: Request
    sets: NDArray[np.int64]
    cap: int  # nodes kept at each hop; 0: as many as there are, within reason
    width: int  # columns of ζ(u|v) as promised; request.width are stored
    budget: int
    threads: Threads
    given: Given | None = None  # makes ζ where the compiled loops do not

    @property
    def copies(self) -> int:
        """How often the columns of ζ(u|v) stand side by side."""
        return self.sets.shape[1] if self.request.pool == _ball.NO_POOL else 1

    def fed(self, sets: NDArray[np.int64], caps: NDArray[np.int64], fill: Fill) -> Fill:
        """``fill``, which writes a range of these sets, with ζ at hand where the compiled loops do not make it."""
        return fill if self.given is None else self.given.feeding(sets, caps, fill)

    def columns(self, width: int) -> int:
        """Features of a node if ζ(u|v) has so many columns."""
        return self.net.base.shape[1] + self.copies * width


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
    """Everything checked, and put as the kernels want it."""
    needs_graph("The ego-network engine", graph)
    budget = whole_number("budget", options.budget, least=1)
    cap = options.max_nodes_per_hop
    cap = 0 if cap is None else whole_number("max_nodes_per_hop", cap, least=1)
    seed = np.uint64(whole_number("seed", options.seed, least=0) % 2**64)
    array, n = as_sets(graph, sets), graph.num_nodes
    p = array.shape[1]
    kind, reach, width, pool = _ball.NONE, 0, 0, _ball.MEAN_POOL
    if (encoding := options.encoding) is not None:
        needs_encoding(encoding)
        encoding.check_targets(p)
        recipe = encoding.recipe or Recipe("own", 0)  # None: its own ``pairwise`` needs no paths from here
        kind, reach, width = _KINDS[recipe.kind], recipe.reach, encoding.dim
        if kind != _ball.WALK:
            reach = reach if kind == _ball.GIVEN else min(reach, n - 1)  # no path is longer
            what = f"Working memory for the distances from {p:,} targets to {n:,} nodes"
            fits(what, 4 * p * n, budget=budget, remedy="Take smaller target sets, or raise budget=.")
        if encoding.num_targets is None:  # else one row for the whole set, and nothing to pool
            pool = _POOLS[None if raw else encoding.pool]
    # a path of at most ``reach`` steps from a target to a node of the ego-network and back strays no further than half
    ball, narrow = max(radius, min((radius + reach) // 2, n)), stored_width(kind, reach, width)
    cut_degrees = options.degree and not isinstance(graph, DegreesAsGiven)
    request = Request(
        levels, hops, radius, ball, reach, kind, narrow, pool, aggregation, raw, cut_degrees, seed, budget
    )
    net, given = make_net(graph, options.degree), None
    widest = request
    if kind == _ball.GIVEN and encoding is not None:
        given = make_given(encoding, graph, net, request)
        given.check(array)
        request = request._replace(ball=radius, reach=0)  # paths and walks have been seen when blocks are filled
    scratch = partial(make_scratch, net, widest, p)  # not a lambda: other processes may be handed what was extracted
    threads = Threads(options.num_threads, stop=options.stop, progress=options.progress, scratch=scratch)
    return Work(net, request, array, cap, width, budget, threads, given)


def stored_width(kind: int, reach: int, width: int = 0) -> int:
    """Columns that an encoding needs whose paths or walks are at most so long; one that is given has its ``width``.

    Examples
    --------
    >>> stored_width(_ball.SPD, 2), stored_width(_ball.WALK, 3), stored_width(_ball.DRNL, 2)  # SPD(3) and so on
    (5, 4, 11)
    """
    paths = {_ball.SPD: reach + 3, _ball.WALK: reach + 1, _ball.DRNL: (reach + 1) ** 2 + 2}
    return paths.get(kind, width)


def make_scratch(net: Net, request: Request, p: int) -> Scratch:
    """Working memory for one thread; numpy's empty arrays take no room until they are written to."""
    n = len(net.indptr) - 1
    kind = index_dtype(n)
    local, owner, chain = (np.full(n, -1, dtype=kind) for _ in range(3))
    return Scratch(
        local,
        owner,
        chain,
        order=np.empty(n + 1, kind),
        root=np.empty(n + 1, np.int32),
        lptr=np.empty(n + 1, np.int64),
        lcol=np.empty(len(net.indices) + 1, kind),
        dist=np.empty((p, n), np.int32),
        queue=np.empty(n, np.int64),
        now=np.empty(n),
        then=np.empty(n),
        mark=np.zeros(n + 1, np.int64),
        level=np.zeros(request.ball + 2, np.int64),
        cut=np.zeros(p, np.int64),
        shell=np.zeros(request.hops + 2, np.int64),
        given=np.empty((0, 0)),
        taken=np.zeros(1, np.int64),
    )
