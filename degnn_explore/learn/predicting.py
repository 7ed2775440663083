"""What a trained model says of target sets."""

from __future__ import annotations

import threading
from collections.abc import Sequence
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray

from ..common.errors import ParameterError
from ..common.stopping import raise_if
from ..engine.placing import Order, Placed
from ..engine.store import SetData
from ..graphs.graph import Graph, needs_graph
from .devices import choose_device, torch_threads
from .metrics import probabilities
from .nets.base import SetNet

_JUDGED_AT_ONCE = 256  # sets in a batch when nothing is learnt; any number gives the same logits
_JUDGED_IF_HEAVY = 32  # the same where ego-networks are large


def predict(model: SetNet, G: Graph, sets: Sequence[Any], *, device: str = "auto") -> NDArray[np.float64]:
    """Probabilities for target sets that you name, on the training graph or, if inductive, another one.

    Parameters
    ----------
    model
        A trained model.
    G
        The graph; edges inside a set are cut before it is judged, as in training.
    sets
        Target sets, as numbers or names, each of the size that the model was built for.
    device
        As in :func:`fit`.

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
    where = choose_device(device)
    model.to(where)
    with torch_threads(1):
        logits = logits_of(model, model.prepare(G, array, progress=False), np.arange(len(array)), where, None)
    return probabilities(logits)


def checked_sets(caller: str, model: Any, G: Any, sets: Sequence[Any]) -> NDArray[np.int64]:
    """The sets as numbers [k, p], or an error that says why the model cannot judge them."""
    if not isinstance(model, SetNet):
        raise ParameterError(f"{caller} needs a model made by de.build, not {type(model).__name__}.")
    needs_graph(caller, G)
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


def judge(model: SetNet, placed: Placed, order: Order, stop: threading.Event | None) -> NDArray[np.float32]:
    """:func:`logits_of` where the data are in place."""
    model.eval()
    parts = []
    at_once = _JUDGED_IF_HEAVY if placed.data.heavy else _JUDGED_AT_ONCE
    with torch.no_grad():
        for _, batch in placed.batches(order, sizes(len(order.here), at_once)):
            raise_if(stop, "training was cancelled")
            parts.append(model(batch))
    return np.asarray(torch.cat(parts).cpu().numpy())


def sizes(number: int, most: int) -> list[int]:
    """Of batches of at most so many.

    >>> sizes(10, 4)
    [4, 4, 2]
    """
    return [min(most, number - begin) for begin in range(0, number, most)]
