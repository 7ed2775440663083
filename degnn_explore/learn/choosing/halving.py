"""Successive halving: a short look at several networks, the better half trained on, and again; by validation alone.

A run of :func:`degnn_explore.fit` is a generator, so it can wait: nothing that was trained is trained again. What time
is left goes to the best settings once more, from other weights.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray

from ...common.errors import ParameterError
from ...graphs.graph import Graph
from ..checkpoint import Epoch
from ..hints import reach_of
from ..metrics import metrics
from ..nets import MODELS, build
from ..nets.base import Ints, SetNet
from ..nets.heuristics import STEPS
from ..predicting import logits_of
from ..task import Task
from ..training import fit
from .ensemble import blended

Settings = dict[str, Any]
Tell = Callable[[str, float], None]
"""Hears what is done, and the share of the time that is over."""

_LOOK = 250  # steps that each is given first: 5 epochs on C. elegans, one on pb
_RUNGS = (0.3, 0.55)  # of the time: then half of those in training leave
_JUDGED = 0.1  # of the time is left for judging what was chosen
_MEMBERS = 4  # that are trained to the end, and judge together
_COPIES = 8  # networks, with those of the best settings from other weights
_PATIENCE = 15
_BEHIND = 0.02  # behind the best on validation: left out of the ensemble
_WALKED = 2_000_000_000  # steps over edges that walk profiles may take: 4 seconds
_ROOM = 4_000_000_000  # bytes of data that waiting runs may hold
_FARTHEST = 20


class When:
    """A stop event that is set when a question is answered with yes."""

    def __init__(self, is_set: Callable[[], bool]) -> None:
        self.is_set = is_set


class Until:
    """A stop event that is also set once the processor has worked so long."""

    def __init__(self, seconds: float, stop: threading.Event | None) -> None:
        self._began, self._seconds, self._stop = time.process_time(), seconds, stop
        self.patient = True  # the first look may take longer: something must come of it

    def spent(self) -> float:
        """The share of the time that is over."""
        return (time.process_time() - self._began) / self._seconds

    def cancelled(self) -> bool:
        return self._stop is not None and self._stop.is_set()

    def is_set(self) -> bool:
        """For :func:`degnn_explore.fit`."""
        return self.cancelled() or (not self.patient and self.spent() >= 1)


@dataclass(eq=False)
class Trial:
    """A network in training: its settings, how far it is, what it has reached on validation."""

    name: str
    settings: Settings
    seed: int
    net: SetNet
    run: Iterator[Epoch] = field(repr=False)
    epochs: int = 0
    best: float = -np.inf
    seconds: float = 0.0  # of the processor
    ended: bool = False
    left: bool = False  # it was worse than half of the others

    def train(self, epochs: int, metric: str) -> None:
        """So many epochs more; it may end earlier."""
        for _ in range(epochs):
            began = time.process_time()
            epoch = next(self.run, None)
            self.seconds += time.process_time() - began
            if epoch is None:
                self.ended = True
                return
            self.epochs += 1
            if np.isfinite(value := epoch.val[metric]):
                self.best = max(self.best, value)

    def close(self) -> None:
        """Ends it; the network keeps the weights that were best on validation."""
        self.run.close()  # type: ignore[attr-defined]
        self.ended = True


def begun(
    task: Task,
    name: str,
    settings: Settings,
    seed: int,
    epochs: int,
    device: str,
    until: Any,
    patience: int = _PATIENCE,
) -> Trial:
    """A network with its weights drawn; nothing is computed yet."""
    hyper = {key: value for key, value in settings.items() if key != "learning_rate"}
    net = build(name, task, seed=seed, **hyper)
    how: dict[str, Any] = {"learning_rate": settings.get("learning_rate"), "patience": patience, "stop": until}
    return Trial(name, settings, seed, net, fit(net, task, epochs, seed=seed, device=device, progress=False, **how))


def first_look(task: Task) -> list[tuple[str, Settings]]:
    """What is tried, in this order: distance-encoded networks that differ in what they see and how they learn.

    ``max_dist`` reaches as far as nine in ten of the positives are apart; a graph of large diameter needs that. Pairs
    are also judged by their walk profiles, unless the graph is too large for it.

    Examples
    --------
    >>> import degnn_explore as de
    >>> first_look(de.link_task(de.load("karate")))[:2]
    [('walk profiles', {}), ('DE-GNN-SPD', {'max_dist': 3})]
    """
    positives = task.train.sets[task.train.labels == 1] if task.num_classes == 2 else task.train.sets[:0]
    far = min(max(3, reach_of(task.graph, positives)), _FARTHEST)
    faster = 3 * MODELS["DE-GNN-SPD"].load().RATE.default_for(task.p) if task.p > 1 else 3e-3
    walked = np.unique(np.concatenate([part.sets for part in (task.train, task.val, task.test)])).size
    walks = MODELS["walk profiles"].takes(task.p) and walked * task.graph.num_edges * 2 * STEPS <= _WALKED
    return [
        *([("walk profiles", Settings())] if walks else []),  # first: a second, where a network's look may take many
        ("DE-GNN-SPD", {"max_dist": far}),
        ("DE-GNN-SPD", {"max_dist": far, "base": "GIN"}),
        ("DE-GNN-SPD", {"max_dist": far, "base": "SAGE", "dropout": 0.2, "learning_rate": faster}),
        ("DE-GNN-LP", {"steps": 6, "base": "GIN", "dropout": 0.2}),
        ("DE-GNN-SPD", {"max_dist": max(10, far), "base": "GIN", "dropout": 0.2}),
        ("DEA-GNN-SPD", {"max_dist": far, "dropout": 0.2, "learning_rate": faster}),
        ("DE-GNN-SPD", {"max_dist": max(10, far), "dropout": 0.2, "learning_rate": faster}),
        ("DE-GNN-LP", {"steps": 4, "learning_rate": faster}),
    ]


def halve(task: Task, minutes: float, epochs: int, seed: int, device: str, stop: Any, tell: Tell) -> list[Trial]:
    """All that was tried, those that judge together first; of these the networks are trained, the best before others.

    A search that is stopped, or interrupted with Ctrl-C, ends with what it has.
    """
    until, trials = Until(60 * minutes * (1 - _JUDGED), stop), list[Trial]()
    try:
        _search(task, epochs, seed, device, until, tell, trials)
    except KeyboardInterrupt:
        pass
    finally:
        for trial in trials:
            trial.close()
    ranked = sorted((trial for trial in trials if trial.epochs), key=lambda trial: -trial.best)
    if not ranked:
        raise ParameterError("The search was stopped before a network was trained for one epoch; give it more time.")
    return ranked


def _search(task: Task, epochs: int, seed: int, device: str, until: Until, tell: Tell, trials: list[Trial]) -> None:
    batches = -(-len(task.train) // 64)
    look = min(epochs, -(-_LOOK // batches))
    for name, settings in first_look(task):
        places = [trial.net.placement for trial in trials]
        held = sum(place.nbytes for place in places if place is not None and place.where != "streamed")
        some = any(trial.net.learns for trial in trials)
        if until.is_set() or (some and (until.spent() > _RUNGS[0] or held > _ROOM)):
            break
        tell(f"a look at {name}", until.spent())
        trials.append(begun(task, name, settings, seed, epochs, device, until))
        trials[-1].train(look, task.metric)
        until.patient = not trials[-1].net.learns
    alive = [trial for trial in trials if trial.net.learns]
    for share in _RUNGS:
        alive = _on(task, alive, share, until, tell)
        alive = sorted(alive, key=lambda trial: -trial.best)[: max(_MEMBERS, len(alive) // 2)]
        for trial in trials:
            if trial not in alive and trial.net.learns:
                trial.left = True
                trial.close()
    alive = _on(task, alive[:_MEMBERS], 1.0, until, tell)
    for number in range(_COPIES - len(alive)):  # all have ended, and there is time left
        if until.is_set() or until.spent() > 0.9:
            break
        like = alive[number % len(alive)]
        trials.append(begun(task, like.name, like.settings, seed + 1000 * (number + 1), epochs, device, until))
        _on(task, trials[-1:], 1.0, until, tell)


def _on(task: Task, alive: list[Trial], share: float, until: Until, tell: Tell) -> list[Trial]:
    """Trains them on, always the one that had least of the processor, until the share of the time is over."""
    while until.spent() < share and not until.is_set() and (waiting := [t for t in alive if not t.ended]):
        least = min(waiting, key=lambda trial: trial.seconds)
        tell(f"{least.name}, {max(t.best for t in alive):.3f} on validation", until.spent())
        least.train(1, task.metric)
    return alive


def together(task: Task, ranked: list[Trial]) -> list[Trial]:
    """Those that judge together: networks close to the best of them, formulas, or both, as validation says."""
    networks = [trial for trial in ranked if trial.net.learns and not trial.left]
    near = [trial for trial in networks if trial.best >= networks[0].best - _BEHIND][:_COPIES]
    formulas = [trial for trial in ranked if not trial.net.learns]
    if not (near and formulas):
        return near or formulas
    said = {id(trial): asked(trial.net, task.graph, task.val.sets) for trial in near + formulas}

    def value(some: list[Trial]) -> float:
        logits = blended([torch.from_numpy(said[id(trial)]) for trial in some], [trial.net.learns for trial in some])
        return metrics(logits.numpy(), task.val.labels)[task.metric]

    best = max([near + formulas, near, formulas], key=value)  # of equals the first
    return [trial for trial in ranked if trial in best]


def asked(net: SetNet, graph: Graph, sets: Ints) -> NDArray[np.float32]:
    """The logits of some sets, where the network is."""
    data = net.prepare(graph, sets, progress=False)
    return logits_of(net, data, np.arange(len(data)), str(next(net.parameters(), net.scale).device), None)
