"""Ego-networks of many target sets at once, as blocks for models or in full.

The ego-network of S holds the nodes within some hops of S, **without the edges between nodes of
S** (G'_S of the paper's appendix); degrees are taken after that removal.
"""

from __future__ import annotations

from typing import Any, Literal

from ..common.errors import ParameterError, check_choice, check_int
from ..encodings.base import Encoding
from ..graphs.graph import Graph
from . import _ball
from .blocks import BlockData
from .egos import EgoNetworks
from .request import Options, make_work

MOST = 100  # layers or hops: far more than any model has
Aggregation = Literal["gcn", "mean", "sum", "hops"]
_AGGREGATIONS = {"gcn": _ball.GCN, "mean": _ball.MEAN, "sum": _ball.SUM, "hops": _ball.HOPS}


def blocks(
    graph: Graph,
    sets: Any,
    *,
    layers: int,
    hops: int = 1,
    encoding: Encoding | None = None,
    aggregation: Aggregation = "gcn",
    degree: bool = True,
    raw: bool = False,
    max_nodes_per_hop: int | None = None,
    seed: int = 0,
    num_threads: int | None = None,
    budget: int = 2_000_000_000,
    progress: bool = True,
) -> BlockData:
    """What an L-layer GNN needs to represent each target set, for all sets at once.

    A node's features are log(1 + degree) in the cut graph, the graph's own attributes and ζ(u|S);
    they equal ``encoding.encode(G, S, cut=True)`` on the same nodes.

    Parameters
    ----------
    graph, sets
        The graph, and the target sets: an integer array [num_sets, p] or a list of sets of one size.
    layers, hops
        L, and the hops K that one layer reaches.
    encoding
        SPD, LandingProbability, DRNL (pairs only) or None.
    aggregation
        ``"gcn"``: sum over neighbors and self of x_u / sqrt((d_u + 1)(d_v + 1)); ``"mean"`` and
        ``"sum"``: over neighbors, zero if there are none; ``"hops"``: for each k = 1..K apart,
        (x_v + sum over the nodes u at distance exactly k) / (their number + 1).
    degree
        Whether log(1 + degree) is a feature.
    raw
        For a learned first step: no ``x_agg``, the features of all nodes within K L hops, ζ(u|v) side
        by side for each v in S, and L steps.
    max_nodes_per_hop, seed
        Keep at most this many of the nodes first met at each hop, chosen by a hash of the seed, the set
        and the node. The ego-network is then the kept nodes and the edges between them, and paths
        and walks stay inside it; degrees are still those of the graph. None: all of them, unless a set has
        more than 10,000; then as many at each hop as make 10,000, with a warning.
    num_threads
        None: all cores. The result does not depend on it.
    budget
        Bytes that may be kept in memory; if the blocks take more, each batch is extracted when it is
        needed, with the same values.
    progress
        Show a bar after two seconds.

    Examples
    --------
    >>> from degnn_explore import SPD
    >>> path = Graph.from_edges([(0, 1), (1, 2), (2, 3)])
    >>> data = blocks(path, [(0, 3)], layers=1, encoding=SPD(max_dist=2), aggregation="mean", degree=False)
    >>> data.batch([0]).x_agg[:, 0]  # nodes 1 and 2, each at distance 1 from its end and 2 from the other
    tensor([[0.0000, 0.5000, 0.5000, 0.0000],
            [0.0000, 0.5000, 0.5000, 0.0000]])
    """
    layers, hops = (check_int(k, v, least=1, most=MOST) for k, v in (("layers", layers), ("hops", hops)))
    kind = _AGGREGATIONS[check_choice("aggregation", aggregation, _AGGREGATIONS)]
    if hops > 1 and kind != _ball.HOPS:
        raise ParameterError(f"hops={hops} needs aggregation='hops'; {aggregation!r} reaches one hop a layer.")
    options = Options(encoding, degree, max_nodes_per_hop, seed, num_threads, budget, progress)
    work = make_work(
        graph,
        sets,
        options,
        radius=layers * hops,
        levels=layers if raw else layers - 1,
        hops=hops,
        aggregation=kind,
        raw=raw,
    )
    if work.in_dim == 0:
        raise ParameterError(
            "These ego-networks would have no features: set degree=True, give an encoding, or a graph with attributes."
        )
    return BlockData(work)


def ego_networks(
    graph: Graph,
    sets: Any,
    *,
    hops: int,
    encoding: Encoding | None = None,
    degree: bool = True,
    max_nodes_per_hop: int | None = None,
    seed: int = 0,
    num_threads: int | None = None,
    budget: int = 2_000_000_000,
    progress: bool = True,
) -> EgoNetworks:
    """The full ego-networks of all target sets: nodes in BFS order, distances, induced edges, features.

    Parameters
    ----------
    graph, sets
        The graph, and the target sets: an integer array [num_sets, p] or a list of sets of one size.
    hops
        How far from S the ego-network reaches.
    encoding
        SPD, LandingProbability, DRNL (pairs only) or None; ``pool=None`` gives ζ(u|v) side by side for each v in S.
    degree
        Whether log(1 + degree) is a feature.
    max_nodes_per_hop, seed
        Keep at most this many of the nodes first met at each hop; see :func:`blocks`.
    num_threads, budget, progress
        As in :func:`blocks`.

    Examples
    --------
    >>> from degnn_explore import DRNL
    >>> square = Graph.from_edges([(0, 1), (1, 2), (2, 3), (3, 0)])
    >>> data = ego_networks(square, [(0, 1)], hops=1, encoding=DRNL(max_dist=3), degree=False)
    >>> data.to_pyg([0]).x.argmax(dim=1)  # SEAL's labels: 2 and 3 are 1 and 2 edges from the two targets
    tensor([1, 1, 3, 3])
    >>> data.to_pyg([0]).edge_index  # without the edge between the targets
    tensor([[2, 3, 0, 3, 1, 2],
            [0, 1, 2, 2, 3, 3]])
    """
    options = Options(encoding, degree, max_nodes_per_hop, seed, num_threads, budget, progress)
    return EgoNetworks(make_work(graph, sets, options, radius=check_int("hops", hops, least=1, most=MOST)))
