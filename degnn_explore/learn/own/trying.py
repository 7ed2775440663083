"""A user's model is tried on small tasks before it is used: what fails is said with what to return instead."""

from __future__ import annotations

import contextlib
import tempfile
import warnings
from collections.abc import Iterator
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from ...common.errors import ParameterError
from ...engine.store import SetData
from ...graphs.changed import neighbourhood
from ...graphs.graph import Graph
from ..nets import build
from ..nets.base import SetNet
from ..predicting import logits_of
from ..saving import load_model, save
from ..stepping import loss_of
from ..tasks import Task, set_task
from ..training import fit

Ints = NDArray[np.int64]
_NODES, _SETS, _EPOCHS = 24, 24, 2
_LOOKED_AT = 4  # sets, one by one
_LIKE = 1e-3  # a logit may differ by so much of itself: sums of float32 in another order


def try_model(name: str, p: int) -> dict[str, str]:
    """A registered model on tasks with sets of p nodes, of two classes and of three with attributes.

    A ParameterError says what is wrong; what may be meant, and is seldom right, is returned: a key, and words.
    """
    doubts: dict[str, str] = {}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of tasks and distances, which are nobody's
        for classes in (2, 3):
            task = _task(p, classes)
            model = _built(name, task)
            data = _prepared(model, task)
            doubts |= _learns(model, data, task)
            _repeats(name, task)
            with _saying(f"de.fit of {name}"):
                list(fit(model, task, _EPOCHS, device="cpu", progress=False))
            doubts |= _keeps_sets_apart(model, task)
            _is_saved(model, task)
    return doubts


def _task(p: int, classes: int) -> Task:
    """Sets of an irregular graph with two nodes that have no neighbours; for three classes nodes have attributes."""
    rng = np.random.default_rng(5)
    pairs = rng.integers(0, _NODES - 2, (3 * _NODES, 2))
    attributes = rng.normal(size=(_NODES, 2)) if classes > 2 else None
    graph = Graph.from_edges(pairs[pairs[:, 0] != pairs[:, 1]], _NODES, attributes=attributes)
    drawn = {tuple(sorted(rng.choice(_NODES, p, replace=False).tolist())): None for _ in range(10 * _SETS)}
    joined = [(*edge, *(v for v in range(_NODES) if v not in edge))[:p] for edge in graph.edges[:6].tolist()]
    sets = list(dict.fromkeys([*(tuple(sorted(S)) for S in joined if p > 1), *drawn]))[:_SETS]
    return set_task(graph, sets, np.arange(len(sets)) % classes, remove_edges=False)


@contextlib.contextmanager
def _saying(what: str, remedy: str = "") -> Iterator[None]:
    try:
        yield
    except Exception as error:
        told = str(error) if isinstance(error, ParameterError) else f"{type(error).__name__}: {error}"
        raise ParameterError(f"{what} failed: {told.rstrip('.')}.{remedy and f' {remedy}'}") from error


def _built(name: str, task: Task) -> SetNet:
    call = f"{name}: __init__(name, shape, **hyper)"
    with _saying(call, "It calls super().__init__(name, shape, hyper), then makes its layers."):
        model, again = build(name, task), build(name, task)
    for key, weight in model.state_dict().items():
        if not torch.equal(weight, again.state_dict()[key]):
            raise ParameterError(
                f"{name} is not the same twice: its {key} differs though the seed is the same. Draw weights by torch's "
                "own functions in __init__, and nothing from the clock, numpy or random."
            )
    return model


def _prepared(model: SetNet, task: Task) -> SetData:
    name, sets = model.name, task.train.sets
    with _saying(f"{name}.bind(task)"):
        model.bind(task, progress=False)
    with _saying(f"{name}.prepare(graph, sets)", "It takes (self, graph, sets, *, stop=None, progress=True)."):
        data = model.prepare(task.graph, sets, progress=False)
    if not isinstance(data, SetData) or len(data) != len(sets):
        number = f" of {len(data)}" if isinstance(data, SetData) else ""
        raise ParameterError(
            f"{name}.prepare(graph, sets) returned {type(data).__name__}{number} for {len(sets)} sets; return the data "
            "of all of them: de.blocks(graph, sets, ...), de.ego_networks(graph, sets, ...), or your own tensors "
            "with a row for each set, de.Rows((tensor, ...))."
        )
    with _saying(f"{name}.calibrate(data, index)"):
        model.calibrate(data, np.arange(len(sets)))
    return data


def _learns(model: SetNet, data: SetData, task: Task) -> dict[str, str]:
    """Logits of the right shape, and gradients in the weights."""
    name, k, outputs = model.name, len(data), model.shape.outputs
    wanted = [k] if outputs == 1 else [k, outputs]
    with _saying(f"{name}.forward(batch)"):
        logits = model.train()(data.batch(np.arange(k)))
    if not isinstance(logits, Tensor) or list(logits.shape) != wanted or not logits.is_floating_point():
        given = f"{logits.dtype} {list(logits.shape)}" if isinstance(logits, Tensor) else type(logits).__name__
        how = "one logit for each set, so .squeeze(1) after a last layer" if outputs == 1 else "a logit for each class"
        raise ParameterError(
            f"{name}.forward(batch) returned {given} for {k} sets of {model.shape.p} nodes and "
            f"{model.shape.num_classes} classes; return floats of shape {wanted}: {how} of width shape.outputs = "
            f"{outputs}. No sigmoid or softmax after it."
        )
    if not torch.isfinite(logits).all():
        raise ParameterError(
            f"{name}.forward(batch) returned {logits[~torch.isfinite(logits)][0]}; return finite logits."
        )
    if not model.learns:
        return {}
    weights = {key: weight for key, weight in model.named_parameters() if weight.requires_grad}
    if logits.requires_grad:
        loss_of(logits, torch.from_numpy(task.train.labels)).backward()
    idle = [key for key, weight in weights.items() if weight.grad is None]
    if len(idle) == len(weights):
        raise ParameterError(
            f"No gradient reaches a weight of {name}: forward must compute the logits from layers that __init__ made, "
            "without .detach(), .numpy() or torch.no_grad(). A formula that has nothing to learn sets learns = False."
        )
    model.zero_grad()
    return {"idle": f"{name} does not use its weights {', '.join(idle)}: no gradient reaches them."} if idle else {}


def _repeats(name: str, task: Task) -> None:
    """The same seed gives the same numbers: a run that is continued, or made again elsewhere, ends the same."""
    with _saying(f"de.fit of {name}"):
        both = (fit(build(name, task), task, _EPOCHS, device="cpu", progress=False) for _ in range(2))
        runs = [[epoch.loss for epoch in run] for run in both]
    if not np.allclose(runs[0], runs[1], rtol=1e-6):
        raise ParameterError(
            f"{name} does not learn the same twice: with one seed its loss was {runs[0][-1]:.6g} and {runs[1][-1]:.6g}."
            " Use de.Dropout, which draws from the seed of the run, in place of torch's, and draw nothing else."
        )


def _keeps_sets_apart(model: SetNet, task: Task) -> dict[str, str]:
    """A set's logits are its own: without its neighbours in the batch, in another order, with its own edges cut."""
    name, graph, sets = model.name, task.graph, task.train.sets
    some = [S for S in sets if _inside(graph, S).any()][:_LOOKED_AT] or list(sets[:_LOOKED_AT])

    def asked(data: SetData) -> NDArray[np.float32]:
        return logits_of(model, data, np.arange(len(data)), "cpu", None)

    prepare = partial(model.prepare, graph, progress=False)
    data = prepare(sets)
    together = asked(data)
    alone = np.concatenate([logits_of(model, data, np.array([i]), "cpu", None) for i in range(_LOOKED_AT)])
    if (bad := _unlike(together[:_LOOKED_AT], alone)) is not None:
        raise ParameterError(
            f"{name} mixes the sets of a batch: for {_set(sets[bad])} it gives {_said(alone[bad])} alone and "
            f"{_said(together[bad])} beside others. Compute each set's logits from its own rows."
        )
    doubts = {}
    turned = asked(prepare(np.ascontiguousarray(sets[:, ::-1])))
    if (bad := _unlike(together, turned)) is not None:
        doubts["order"] = (
            f"{name} reads the order of a set: {_set(sets[bad])} gets {_said(together[bad])}, in the other order "
            f"{_said(turned[bad])}. S is a set; pool its nodes as de.Readout does."
        )
    if not model.inductive:
        return doubts
    for S in some:
        inside = graph.edges[_inside(graph, S)]
        both = np.concatenate([asked(variants) for variants in model.variants(graph, S, [inside[:0], inside])])
        if _unlike(both[:1], both[1:]) is not None:
            doubts["inside"] = (
                f"{name} sees the edges inside a set: {_set(S)} gets {_said(both[0])}, and {_said(both[1])} without its"
                " own edges. A link to be predicted would give itself away in training; cut those edges, as de.blocks "
                "and de.ego_networks do."
            )
            break
    horizon = model.horizon
    for S in some if horizon is not None else ():
        near = neighbourhood(graph, S, horizon)  # type: ignore[arg-type]
        whole, part = asked(prepare(S[None, :])), asked(model.prepare(near.graph, near.S[None, :], progress=False))
        if _unlike(whole, part) is not None:
            raise ParameterError(
                f"{name}.horizon is {horizon}, and what is further away counts: {_set(S)} gets {_said(whole[0])},"
                f" and {_said(part[0])} with the nodes up to there alone. Give a larger one, or None for everything."
            )
    return doubts


def _inside(graph: Graph, S: Ints) -> NDArray[np.bool_]:
    return np.asarray(np.isin(graph.edges, S).all(axis=1))


def _is_saved(model: SetNet, task: Task) -> None:
    with tempfile.TemporaryDirectory() as folder, _saying(f"Saving {model.name} and loading it again"):
        again = load_model(save(model, Path(folder) / "model.safetensors"))
    sets = task.train.sets
    first, second = (
        logits_of(one, one.prepare(task.graph, sets, progress=False), np.arange(len(sets)), "cpu", None)
        for one in (model, again)
    )
    if (bad := _unlike(first, second)) is not None:
        raise ParameterError(
            f"{model.name} is another one after it was saved and loaded: {_set(sets[bad])} gets {_said(first[bad])} "
            f"before and {_said(second[bad])} after. Keep what it learns or binds in weights (nn.Parameter, layers) or "
            "in buffers (self.register_buffer), and what it was told in HYPER."
        )


def _unlike(first: NDArray[Any], second: NDArray[Any]) -> int | None:
    """The number of the first set whose logits differ, None if none do."""
    apart = np.abs(first - second) > _LIKE * (1 + np.abs(first))
    rows = np.flatnonzero(apart.reshape(len(first), -1).any(axis=1))
    return int(rows[0]) if len(rows) else None


def _set(S: Ints) -> str:
    return "{" + ", ".join(map(str, S.tolist())) + "}"


def _said(logits: Any) -> str:
    return np.array2string(np.asarray(logits), precision=4)
