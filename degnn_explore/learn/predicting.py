"""What a trained model says of target sets."""

from __future__ import annotations

import threading
import time
from collections.abc import Sequence
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from ..common.errors import ParameterError
from ..common.stopping import raise_if
from ..engine.placing import Order, Placed, out_of_memory
from ..engine.request import as_sets
from ..engine.store import SetData
from ..graphs.graph import Graph, needs_graph
from .devices import choose_device, torch_threads
from .metrics import probabilities
from .nets.base import SetNet
from .several import JoinedTask

_FIRST, _SLAB = 1024, 65_536  # sets that are extracted together, first and later: a million stream through
_WORTH_COPYING = 1.0  # seconds on the CPU, by the time that sets took so far, from which "auto" goes to a GPU
_JUDGED_AT_ONCE = 256  # sets in a batch when nothing is learnt; any number gives the same logits
_LOOKED_AT = 4  # sets of each task
_JUDGED_IF_HEAVY = 32  # the same where ego-networks are large


def predict(
    model: SetNet, G: Graph, sets: Sequence[Any] | NDArray[np.int64], *, device: str = "auto"
) -> NDArray[np.float64]:
    """Probabilities for target sets that you name, on the training graph or, if inductive, another one.

    Parameters
    ----------
    model
        A trained model.
    G
        The graph; edges inside a set are cut before it is judged, as in training.
    sets
        Target sets, as numbers or names, each of the size that the model was built for. A million of them are best
        given as an integer array [k, p].
    device
        "auto", or the name of a torch device. "auto" stays with a model that is on a GPU; else it begins on the CPU,
        and goes on with cuda or mps where the rest would take more than a second.

    Returns
    -------
    float64 [k], the probability of class 1, for two classes; [k, C] for more. Which labels the classes stand for is
    ``model.shape.classes``.

    Examples
    --------
    >>> import degnn_explore as de
    >>> G = de.Graph.from_edges([(i, (i + s) % 20) for i in range(20) for s in (1, 2)])
    >>> de.predict(de.build("GCN", de.link_task(G)), G, [{0, 1}, {0, 9}]).shape
    (2,)
    """
    array = checked_sets("predict", model, G, sets)
    chosen, parts, done, a_set = choose_device(device), [], 0, 0.0
    where = "cpu" if device == "auto" and next(model.parameters(), model.scale).device.type == "cpu" else chosen
    with torch_threads(1):
        while done < len(array):
            if where != chosen and (len(array) - done) * a_set > _WORTH_COPYING:
                where = chosen
            model.to(where)
            some = array[done : done + (_SLAB if done else _FIRST)]
            data, began = model.prepare(G, some, progress=False), time.perf_counter()
            parts.append(logits_of(model, data, np.arange(len(some)), where, None))
            a_set, done = (time.perf_counter() - began) / len(some), done + len(some)
    return probabilities(np.concatenate(parts))


def checked_sets(caller: str, model: Any, G: Any, sets: Sequence[Any] | NDArray[np.int64]) -> NDArray[np.int64]:
    """The sets as numbers [k, p], or an error that says why the model cannot judge them."""
    if not isinstance(model, SetNet):
        raise ParameterError(f"{caller} needs a model made by de.build, not {type(model).__name__}.")
    needs_graph(caller, G)
    if isinstance(sets, np.ndarray) and sets.ndim == 2 and len(sets) and sets.shape[1] == model.shape.p:
        array = as_sets(G, sets)
        model.check(G, array)
        return array
    rows = [G.target_set(S) for S in sets]
    odd = [row.tolist() for row in rows if len(row) != model.shape.p]
    if odd or not rows:
        given = f"{odd[0]} has {len(odd[0])}" if odd else "no set was given"
        raise ParameterError(f"This {model.name} judges sets of {model.shape.p} nodes; {given}.")
    array = np.stack(rows)
    model.check(G, array)
    return array


def logits_of(
    model: SetNet, data: SetData, index: NDArray[np.int64], device: str, stop: threading.Event | None
) -> NDArray[np.float32]:
    """Logits of these sets, nothing learnt."""
    placed = Placed(data, device)
    return judge(model, placed, placed.order(index), stop)


def needs_own_graphs(model: SetNet, task: JoinedTask) -> None:
    """A ParameterError unless what a model says of sets is the same with the other tasks' graphs beside theirs."""
    begin = 0
    for number, one in enumerate(task.tasks, start=1):
        some = one.train.sets[:_LOOKED_AT]
        alone, beside = (
            logits_of(model, model.prepare(graph, sets, progress=False), np.arange(len(some)), "cpu", None)
            for graph, sets in ((one.graph, some), (task.graph, some + begin))
        )
        if not np.allclose(alone, beside, rtol=1e-3, atol=1e-4):
            raise ParameterError(
                f"{model.name} reads the whole graph: for a set of task {number} it gives {alone[0]} on its own graph, "
                f"and {beside[0]} with the other tasks' beside it. Fit it on one task at a time."
            )
        begin += one.graph.num_nodes


def judge(model: SetNet, placed: Placed, order: Order, stop: threading.Event | None) -> NDArray[np.float32]:
    """:func:`logits_of` where the data are in place."""
    model.eval()
    parts: list[Tensor] = []
    at_once = _JUDGED_IF_HEAVY if placed.data.heavy else _JUDGED_AT_ONCE
    while (done := sum(map(len, parts))) < len(order.here):
        try:
            with torch.no_grad():
                for _, batch in placed.batches(order.part(done), sizes(len(order.here) - done, at_once)):
                    raise_if(stop, "training was cancelled")
                    parts.append(model(batch))
        except RuntimeError as error:
            if not out_of_memory(error):
                raise
        else:
            break
        at_once = placed.shrink(at_once)
    return np.asarray(torch.cat(parts).cpu().numpy())


def sizes(number: int, most: int) -> list[int]:
    """Of batches of at most so many.

    >>> sizes(10, 4)
    [4, 4, 2]
    """
    return [min(most, number - begin) for begin in range(0, number, most)]
