"""One target set in many variants of a graph, each with some edges left out or put in: all its scores in one batch.

The variants stand side by side in one graph, of each only what the model can see around S; the encoding, the degrees
and all else is computed anew for every one of them, by the same engine as in training.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np
from numpy.typing import NDArray

from ...graphs.changed import neighbourhood, side_by_side
from ...graphs.graph import Graph
from ..devices import torch_threads
from ..metrics import probabilities
from ..nets.base import SetNet
from ..predicting import logits_of

Ints = NDArray[np.int64]
_ENTRIES = 4_000_000  # neighbours in all graphs that stand side by side
_MOST_NODES = 10_000  # of a neighbourhood; the engine thins larger ones by a hash of the nodes' numbers


def scores_if(model: SetNet, G: Graph, S: Ints, changes: Sequence[Ints]) -> NDArray[np.float64]:
    """The model's probabilities for S, [k] or [k, C], if these edges were not there, or, where they are not, were.

    Parameters
    ----------
    model, G, S
        A trained model, the graph, a target set in numbers.
    changes
        The pairs of nodes of each variant, [c, 2]; none: the graph as it is.

    Examples
    --------
    >>> import degnn_explore as de
    >>> G = de.Graph.from_edges([(i, (i + s) % 20) for i in range(20) for s in (1, 2)])
    >>> model, S = de.build("DE-GNN-SPD", de.link_task(G)), np.array([0, 1])
    >>> left_out = np.array([(1, 2)])
    >>> both = scores_if(model, G, S, [left_out[:0], left_out])
    >>> bool(abs(both[1] - de.predict(model, G.without_edges(left_out), [S])[0]) < 1e-6)
    True
    """
    model.check(G, S[None, :])
    near = neighbourhood(G, S, model.horizon, changes) if model.horizon is not None else None
    model.to("cpu")
    parts = []
    with torch_threads(1):
        if near is not None and len(near.nodes) <= _MOST_NODES:
            inside = [np.searchsorted(near.nodes, pairs).reshape(-1, 2) for pairs in changes]
            for some in _pieces(inside, max(1, _ENTRIES // max(1, len(near.graph.indices) + near.graph.num_nodes))):
                sets = near.S + near.graph.num_nodes * np.arange(len(some))[:, None]
                data = model.prepare(side_by_side(near.graph, some), sets, progress=False)
                parts.append(logits_of(model, data, np.arange(len(some)), "cpu", None))
        else:
            for data in model.variants(G, S, changes):
                parts.append(logits_of(model, data, np.arange(len(data)), "cpu", None))
    return probabilities(np.concatenate(parts))


def _pieces(items: Sequence[Ints], size: int) -> Iterator[Sequence[Ints]]:
    for start in range(0, len(items), size):
        yield items[start : start + size]
