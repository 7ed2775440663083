"""What to know before training: whether the largest distance of an encoding covers the target sets."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from ..graphs.distances import inner_distances
from ..graphs.graph import Graph
from .splits import Ints

_LOOKED_AT = 1000  # sets, spread evenly
_MANY = 0.1
_USUAL, _FARTHEST = 3, 20  # max_dist that is suggested, at least and at most


def distance_hint(graph: Graph, positives: Ints, max_dist: int) -> str:
    """A sentence if many of these sets are further apart than ``max_dist``, once their own edges are cut; else "".

    All of them look alike to an encoding by distances; so do those without a path, which no larger value would mend
    and which are not counted.

    Parameters
    ----------
    graph
        Where distances are counted.
    positives
        Target sets [k, p], such as ``task.train.sets[task.train.labels == 1]``.
    max_dist
        The largest distance that the encoding tells from those beyond it.

    Examples
    --------
    >>> ring = Graph.from_edges([(i, (i + 1) % 12) for i in range(12)])
    >>> distance_hint(ring, ring.edges, 3)
    'With max_dist=3, 100 % of the links look alike: their ends are further apart once their own edge is cut. Nine in
    ten are within 11 steps: try max_dist=11, or choose on validation.'
    >>> distance_hint(ring, ring.edges, 11)
    ''
    """
    reached = _apart(graph, positives)
    beyond = float((reached > max_dist).mean()) if len(reached) else 0.0
    if beyond <= _MANY:
        return ""
    enough = int(np.quantile(reached, 0.9, method="higher"))
    what, edge = ("links", "edge is") if positives.shape[1] == 2 else ("positive sets", "edges are")
    return (
        f"With max_dist={max_dist}, {100 * beyond:.0f} % of the {what} look alike: their ends are further apart once "
        f"their own {edge} cut. Nine in ten are within {enough} steps: try max_dist={enough}, or choose on validation."
    )


def suggested_max_dist(graph: Graph, positives: Ints) -> int:
    """3, or as far apart as nine in ten of the sets that have paths are; at most 20.

    >>> ring = Graph.from_edges([(i, (i + 1) % 12) for i in range(12)])
    >>> suggested_max_dist(ring, ring.edges)
    11
    """
    reached = _apart(graph, positives)
    enough = int(np.quantile(reached, 0.9, method="higher")) if len(reached) else 0
    return min(max(_USUAL, enough), _FARTHEST)


def _apart(graph: Graph, positives: Ints) -> NDArray[np.int32]:
    """The largest distance inside each of (some of) these sets, own edges cut, where there are paths."""
    some = positives[:: -(-len(positives) // _LOOKED_AT)] if len(positives) else positives
    far = inner_distances(graph, some)
    reached: NDArray[np.int32] = far.max(axis=(1, 2))[(far >= 0).all(axis=(1, 2))]
    return reached
