"""Scores of target sets by a trained model."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, nullcontext
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from ..common.errors import ParameterError
from ..common.progress import check_cancelled, progress_bar, quietly, report
from ..engine.placing import Order, Placed
from ..engine.request import as_sets
from ..engine.store import SetData
from ..graphs.graph import Graph, needs_graph
from .devices import choose_device, torch_threads
from .metrics import probabilities
from .nets.base import SetNet
from .tasks import Split

SETS_AT_ONCE = 16_384  # sets extracted at once, so that millions fit into memory: 0.8 GB for DEA-GNN-SPD on pb
KEPT_BYTES = 800_000_000  # bytes of extracted sets that are kept from one epoch to the next
_JUDGED_AT_ONCE = 256  # sets per batch when scoring; the number does not change the logits
_JUDGED_IF_HEAVY = 32  # the same for large ego-networks


def predict(
    model: SetNet, G: Graph, sets: Sequence[Any] | NDArray[np.int64], *, device: str = "auto", progress: bool = True
) -> NDArray[np.float64]:
    """Probabilities for target sets; :func:`degnn_explore.studies.scoring.predict` is the public one."""
    array = checked_sets("predict", model, G, sets)
    where = choose_device(device)
    with torch_threads(1), left_as_it_was(model), progress_bar(progress):
        model.to(where)
        return probabilities(Stream(model, G, array, where).logits())


class Stream:
    """Scores any number of target sets, slab by slab; of what it extracts it keeps up to ``kept`` bytes."""

    def __init__(self, model: SetNet, graph: Graph, sets: NDArray[np.int64], device: str, kept: int = 0) -> None:
        self._model, self._graph, self._device, self._room = model, graph, device, kept
        self._slabs = [sets[begin : begin + SETS_AT_ONCE] for begin in range(0, len(sets), SETS_AT_ONCE)]
        self._kept: dict[int, Placed] = {}

    def logits(self) -> NDArray[np.float32]:
        """The logits of all sets, in order."""
        parts = []
        for number, sets in enumerate(self._slabs):
            if len(self._slabs) > 1:
                report(f"{self._model.name}, scoring", number / len(self._slabs))
            with quietly() if len(self._slabs) > 1 else nullcontext():
                placed = self._kept.get(number) or Placed(self._model.prepare(self._graph, sets), self._device)
            if number not in self._kept and placed.data.nbytes <= self._room and not placed.data.streamed:
                self._kept[number] = placed
                self._room -= placed.data.nbytes
            parts.append(judge(self._model, placed, placed.order(np.arange(len(sets)))))
        return np.concatenate(parts)


class RankedStream:
    """Scores the negatives that held-out links are ranked among, each different pair once.

    Hard negatives repeat from link to link: of pb's, 50 for each link, four in five are repeats.
    """

    def __init__(self, model: SetNet, graph: Graph, splits: Mapping[str, Split], device: str) -> None:
        pairs = {part: split.ranked.reshape(-1, 2) for part, split in splits.items() if split.ranked is not None}
        self._places: dict[str, NDArray[np.int64]] = {}
        if pairs:
            n = graph.num_nodes
            keys, places = np.unique(np.concatenate(list(pairs.values())) @ [n, 1], return_inverse=True)
            self._stream = Stream(model, graph, np.stack(np.divmod(keys, n), axis=1), device, KEPT_BYTES)
            bounds = np.cumsum([len(rows) for rows in pairs.values()])[:-1]
            self._places = dict(zip(pairs, np.split(places, bounds), strict=True))

    def logits(self) -> dict[str, NDArray[np.float32]]:
        """For each part that has such negatives their logits, in order."""
        scored = self._stream.logits() if self._places else np.empty(0, dtype=np.float32)
        return {part: scored[places] for part, places in self._places.items()}


def checked_sets(caller: str, model: Any, G: Any, sets: Sequence[Any] | NDArray[np.int64]) -> NDArray[np.int64]:
    """The sets as numbers [k, p], or an error that says why the model cannot judge them."""
    if not isinstance(model, SetNet):
        raise ParameterError(f"{caller} needs a model made by de.build, not {type(model).__name__}.")
    needs_graph(caller, G)
    if isinstance(sets, np.ndarray) and sets.ndim == 2 and len(sets) and sets.shape[1] == model.shape.p:
        array = as_sets(G, sets)
    else:
        rows = [G.target_set(S) for S in sets]
        odd = [row.tolist() for row in rows if len(row) != model.shape.p]
        if odd or not rows:
            given = f"{odd[0]} has {len(odd[0])}" if odd else "no set was given"
            raise ParameterError(f"This {model.name} judges sets of {model.shape.p} nodes; {given}.")
        array = np.stack(rows)
    model.check(G, array)
    return array


def device_of(model: SetNet) -> str:
    """Where the weights of a model are."""
    return str(next(model.parameters(), model.scale).device)


@contextmanager
def left_as_it_was(model: SetNet) -> Iterator[None]:
    """Restore the device of the model and the mode of its modules afterwards."""
    where, modes = device_of(model), {module: module.training for module in model.modules()}
    try:
        yield
    finally:
        model.to(where)
        for module, mode in modes.items():
            module.training = mode


def logits_of(model: SetNet, data: SetData, index: NDArray[np.int64], device: str = "cpu") -> NDArray[np.float32]:
    """Logits of these sets, without gradients."""
    placed = Placed(data, device)
    return judge(model, placed, placed.order(index))


def judge(model: SetNet, placed: Placed, order: Order) -> NDArray[np.float32]:
    """:func:`logits_of` for data that are already placed."""
    model.eval()
    parts: list[Tensor] = []
    at_once = _JUDGED_IF_HEAVY if placed.data.heavy else _JUDGED_AT_ONCE
    with torch.no_grad():
        for _, batch in placed.batches(order, batch_sizes(len(order.here), at_once)):
            check_cancelled("judging sets")
            parts.append(model(batch))
    return np.asarray(torch.cat(parts).cpu().numpy())


def batch_sizes(number: int, most: int) -> list[int]:
    """The sizes of batches of at most ``most``.

    >>> batch_sizes(10, 4)
    [4, 4, 2]
    """
    return [min(most, number - begin) for begin in range(0, number, most)]
