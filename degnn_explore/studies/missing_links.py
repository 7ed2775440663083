"""Which links are missing? The unlinked pairs around S, judged by trained models, the likeliest first."""

from __future__ import annotations

import math
import threading
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from ..common.errors import ParameterError, TargetError, whole_number
from ..graphs.distances import distances
from ..graphs.graph import Graph
from ..learn.tasks import Task
from .density import promised_precision

if TYPE_CHECKING:
    from ..learn.nets.base import SetNet

REACH = 2  # steps from S within which pairs of other nodes are looked at
_MOST = 50_000  # pairs, at most
_AT_ONCE = 500  # pairs between two looks at the stop event


@dataclass(frozen=True)
class Missing:
    """What was found: the likeliest pairs, as (u, v, score by model), and the precision that validation promises.

    For each pair that is the share of links among all unlinked pairs of the graph that the first model scores as high
    or higher, if as many are missing as were held out for validation; see
    :func:`degnn_explore.studies.density.promised_precision`.
    """

    found: list[tuple[int, int, dict[str, float]]]
    promised: list[float]
    scored: int  # pairs that the first model judged
    within: int  # unlinked pairs around S


def missing_links(
    models: Mapping[str, SetNet],
    task: Task,
    S: Iterable[int],
    count: int = 10,
    *,
    most: int = _MOST,
    progress: Callable[[int, int], None] | None = None,
    stop: threading.Event | None = None,
) -> Missing:
    """Unlinked pairs around S that the first model thinks most likely to be linked, with every model's score.

    Looked at are the pairs of a node of S with any node, and all pairs of nodes within two steps of S; without those
    linked in the full graph.

    Parameters
    ----------
    models
        Trained models of pairs, by name. The first one judges all pairs, the others those that it chose.
    task
        Their task; they see its graph, which lacks the held-out links.
    S, count, most
        Where to look, how many pairs to give, and how many to judge at most, those nearest to S first.
    progress
        Is called with the number of pairs judged and to be judged.
    stop
        When this event is set, what was judged so far is given.

    Examples
    --------
    >>> import degnn_explore as de
    >>> task = de.link_task(de.load("karate"))
    >>> answer = missing_links({"GCN": de.build("GCN", task)}, task, [0], 3)
    >>> len(answer.found), answer.scored == answer.within
    (3, True)
    """
    from ..learn.predicting import predict

    if task.p != 2:
        raise TargetError(f"Missing links are pairs, and these models judge sets of {task.p}; train models on links.")
    if not models:
        raise ParameterError("No trained model yet; train one first.")
    whole_number("count", count, least=1)
    pairs, within = unlinked_pairs(task.graph, task.full_graph, S, whole_number("most", most, least=1))
    judge = next(iter(models.values()))
    parts: list[NDArray[np.float64]] = []
    for start in range(0, len(pairs), _AT_ONCE):
        if stop is not None and stop.is_set():
            break
        parts.append(predict(judge, task.graph, list(pairs[start : start + _AT_ONCE])))
        if progress is not None:
            progress(min(start + _AT_ONCE, len(pairs)), len(pairs))
    if not parts:
        return Missing([], [], 0, within)
    scores = np.concatenate(parts)
    best = pairs[np.argsort(-scores, kind="stable")[:count]]
    by_model = {name: predict(model, task.graph, list(best)) for name, model in models.items()}
    found = [(int(u), int(v), {name: float(p[i]) for name, p in by_model.items()}) for i, (u, v) in enumerate(best)]
    promised = promised_precision(judge, task, by_model[next(iter(models))])
    return Missing(found, promised.tolist(), len(scores), within)


def unlinked_pairs(graph: Graph, full: Graph, S: Iterable[int], most: int) -> tuple[NDArray[np.int64], int]:
    """The unlinked pairs around S, those nearest to it first, at most so many [k, 2]; and how many there are.

    Pairs of a node of S with any node, and of other nodes within two steps of S, counted in ``graph``; those that are
    linked in ``full`` are not missing.

    Examples
    --------
    >>> path = Graph.from_edges([(0, 1), (1, 2), (2, 3), (3, 4)])
    >>> pairs, within = unlinked_pairs(path, path, [0], 10)
    >>> pairs.tolist(), within
    ([[0, 2], [0, 3], [0, 4]], 3)
    >>> unlinked_pairs(path, path, [1], 2)[0].tolist()
    [[1, 3], [1, 4]]
    """
    chosen = list(S)
    if not chosen:
        raise TargetError("Pick a node first: missing links are looked for near S.")
    targets = graph.target_set(chosen)
    far = distances(graph, targets)
    nearest = np.where(far < 0, np.iinfo(far.dtype).max, far).min(axis=0)
    order = np.argsort(nearest, kind="stable")  # S itself comes first
    others = order[len(targets) :]
    near = others[nearest[others] <= REACH]
    first = np.array([(order[i], v) for i in range(len(targets)) for v in order[i + 1 :]]).reshape(-1, 2)
    # as many of the near nodes as can give the pairs wanted, whatever is linked among them
    enough = near[: math.isqrt(2 * (most + full.num_edges)) + 2]
    later, sooner = np.tril_indices(len(enough), -1)  # (1, 0), (2, 0), (2, 1), …: nearest first
    second = np.stack([enough[sooner], enough[later]], axis=1)
    first, second = (pairs[~full.has_edges(pairs)] for pairs in (first, second))
    linked = int(np.isin(full.edges, near).all(axis=1).sum())
    within = len(first) + len(near) * (len(near) - 1) // 2 - linked
    if not within:
        raise TargetError("All nodes near S are linked to each other already; pick another node.")
    return np.sort(np.concatenate([first, second])[:most], axis=1), within
