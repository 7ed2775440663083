"""Register a model of your own: it is tried once on small tasks, then available by its name everywhere."""

from __future__ import annotations

import contextlib
import re
import tempfile
import warnings
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from ..common.errors import ParameterError, check_choice, check_int, short_repr
from ..common.style import distinct
from ..engine.store import SetData
from ..graphs.graph import Graph
from .edge_changes import neighborhood
from .fingerprint import fingerprint
from .nets.base import SetNet
from .predicting import logits_of
from .pyg_model import PyGNet, check_hyper
from .registry import BASELINE, DE, HEURISTIC, MODELS, Entry, build
from .saving import load_model, save
from .tasks import Task, set_task
from .training import fit, loss_of

Ints = NDArray[np.int64]
_NODES, _SETS, _EPOCHS = 24, 24, 2
_LOOKED_AT = 4  # sets that are computed one by one
_LIKE = 1e-3  # relative tolerance of logits: float32 sums in another order
_TRIED = (1, 2, 3)  # set sizes, for a model that takes any
_MOST_NODES = 10  # in a set
_RESERVED = ("name", "task", "seed", "learning_rate")  # other arguments of build and fit


def register_model(
    cls: Any,
    *,
    name: str | None = None,
    group: str = BASELINE,
    about: str | None = None,
    sizes: tuple[int, ...] | None = None,
    color: str | None = None,
) -> None:
    """Register a model of your own under a name, to build, fit, tune, explain, save, load and race it.

    The model is first tried on small tasks of each set size. An error says what is wrong: logits of the wrong shape or
    not finite, weights without a gradient, different numbers from the same seed, sets of a batch that influence each
    other, something lost in saving. A warning says if the order of S or an edge inside it matters. docs/own_model.md
    has the contract and a template. Registering a name again, as when you re-run a cell, replaces the class; runs of
    the old code no longer count.

    Parameters
    ----------
    cls
        A subclass of :class:`degnn_explore.SetNet`, or what :func:`degnn_explore.PyGModel` makes of a PyG network.
    name
        By default the name of the class.
    group
        "baseline" or "distance encoding": where tables and charts list it. A model with ``learns = False`` is always a
        "heuristic".
    about
        A short description; by default the first line of the class's docstring.
    sizes
        The set sizes p that it takes; None: any.
    color
        Color of its curves, "#rrggbb"; by default one that differs from those of the other models.

    Examples
    --------
    >>> import torch, degnn_explore as de
    >>> class Degrees(de.SetNet):
    ...     "A linear layer on the sum of the degrees"
    ...     def __init__(self, name, shape, **hyper):
    ...         super().__init__(name, shape, hyper)
    ...         self.out = torch.nn.Linear(1, shape.outputs)
    ...     def prepare(self, graph, sets):
    ...         return de.Rows((torch.tensor(graph.degrees[sets].sum(axis=1, keepdims=True)).float(),))
    ...     def forward(self, batch):
    ...         return self.out(batch).squeeze(1)
    >>> de.register_model(Degrees, name="my degrees", sizes=(1,))
    >>> de.build("my degrees", de.role_task(de.load("karate"))).name
    'my degrees'
    >>> del MODELS["my degrees"]
    """
    if not isinstance(cls, type) or not issubclass(cls, SetNet):
        given = cls.__name__ if isinstance(cls, type) else f"a {type(cls).__name__}"
        raise ParameterError(
            f"register_model needs a class that is a subclass of de.SetNet, not {given}. Wrap a PyG network in "
            "de.PyGModel."
        )
    name = cls.__name__ if name is None else name
    if not isinstance(name, str) or not 0 < len(name) <= 40 or not name.isprintable() or name != name.strip():
        raise ParameterError(f"name must be a short text of at most 40 letters, not {short_repr(name)}.")
    former = MODELS.get(name)
    if former is not None and not former.mark:
        raise ParameterError(f"{name!r} is a built-in model; choose another name.")
    if color is None and former is not None:
        color = former.color
    MODELS[name] = entry = _entry(cls, group, about, sizes, color)  # so that the trial builds it the way users will
    notes: dict[str, str] = {}
    try:
        for p in entry.sizes or _TRIED:
            try:
                notes = try_model(name, p) | notes
            except ParameterError as error:
                others = tuple(q for q in _TRIED if q != p)
                remedy = f" If it does not take sets of {p} nodes, register it with sizes={others}."
                text = f"Tried with sets of p={p}: {error}{'' if entry.sizes else remedy}"
                raise ParameterError(text) from error.__cause__
    except BaseException:
        if former is None:
            del MODELS[name]
        else:
            MODELS[name] = former
        raise
    for note in notes.values():
        warnings.warn(note, stacklevel=2)


def _entry(cls: type[SetNet], group: str, about: str | None, sizes: Any, color: str | None) -> Entry:
    """The entry of the registry, from checked arguments of :func:`register_model`."""
    if color is None:
        color = distinct(entry.color for entry in MODELS.values())
    elif not isinstance(color, str) or not re.fullmatch("#[0-9a-fA-F]{6}", color):
        raise ParameterError(f"color must be like '#1f77b4', not {short_repr(color)}.")
    if sizes is not None:
        if not isinstance(sizes, tuple | list) or not sizes:
            raise ParameterError(f"sizes must list set sizes, such as (2,) or (2, 3), not {short_repr(sizes)}.")
        sizes = tuple(sorted({check_int("sizes", p, least=1, most=_MOST_NODES) for p in sizes}))
    elif issubclass(cls, PyGNet) and cls.encoding is not None and cls.encoding.num_targets is not None:
        sizes = (cls.encoding.num_targets,)
    for key, hyper in check_hyper(f"{cls.__name__}.HYPER", cls.HYPER, _RESERVED).items():
        for p in _TRIED:
            hyper.checked(f"{cls.__name__}.HYPER[{key!r}].default", hyper.default_for(p))
    return Entry(
        cls,
        check_choice("group", group, (BASELINE, DE)) if cls.learns else HEURISTIC,
        color,
        about or (cls.__doc__ or "").strip().partition("\n")[0].rstrip(".") or "a model of your own",
        sizes,
        own=("hops",) if issubclass(cls, PyGNet) else (),  # of its ego-networks, not of an aggregation
        mark=fingerprint(cls),
    )


# ---- trying it ------------------------------------------------------------------------------------------------------


def try_model(name: str, p: int) -> dict[str, str]:
    """A registered model on tasks with sets of p nodes, of two classes and of three with attributes.

    A ParameterError says what is wrong; warnings are returned by key.
    """
    notes: dict[str, str] = {}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # about tasks and distances, not the model
        for classes in (2, 3):
            task = _task(p, classes)
            model = _built(name, task)
            data = _prepared(model, task)
            notes |= _learns(model, data, task)
            trained = _repeats(name, task)
            notes |= _keeps_sets_apart(trained, task)
            _is_saved(trained, task)
    return notes


def _task(p: int, classes: int) -> Task:
    """Sets of an irregular graph with two isolated nodes; for three classes nodes have attributes."""
    rng = np.random.default_rng(5)
    pairs = rng.integers(0, _NODES - 2, (3 * _NODES, 2))
    attributes = rng.normal(size=(_NODES, 2)) if classes > 2 else None
    graph = Graph.from_edges(pairs[pairs[:, 0] != pairs[:, 1]], _NODES, attributes=attributes)
    drawn = {tuple(sorted(rng.choice(_NODES, p, replace=False).tolist())): None for _ in range(10 * _SETS)}
    joined = [(*edge, *(v for v in range(_NODES) if v not in edge))[:p] for edge in graph.edges[:6].tolist()]
    sets = list(dict.fromkeys([*(tuple(sorted(S)) for S in joined if p > 1), *drawn]))[:_SETS]
    return set_task(graph, sets, np.arange(len(sets)) % classes, remove_edges=False)


@contextlib.contextmanager
def _explain_errors(what: str, remedy: str = "") -> Iterator[None]:
    try:
        yield
    except Exception as error:
        text = str(error) if isinstance(error, ParameterError) else f"{type(error).__name__}: {error}"
        raise ParameterError(f"{what} failed: {text.rstrip('.')}.{remedy and f' {remedy}'}") from error


def _built(name: str, task: Task) -> SetNet:
    call = f"{name}: __init__(name, shape, **hyper)"
    with _explain_errors(call, "It calls super().__init__(name, shape, hyper), then makes its layers."):
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
    with _explain_errors(f"{name}.bind(task)"):
        model.bind(task)
    with _explain_errors(f"{name}.prepare(graph, sets)", "It takes (self, graph, sets)."):
        data = model.prepare(task.graph, sets)
    if not isinstance(data, SetData) or len(data) != len(sets):
        number = f" of {len(data)}" if isinstance(data, SetData) else ""
        raise ParameterError(
            f"{name}.prepare(graph, sets) returned {type(data).__name__}{number} for {len(sets)} sets; return the data "
            "of all of them: de.blocks(graph, sets, ...), de.ego_networks(graph, sets, ...), or your own tensors "
            "with a row for each set, de.Rows((tensor, ...))."
        )
    with _explain_errors(f"{name}.calibrate(data, index)"):
        model.calibrate(data, np.arange(len(sets)))
    return data


def _learns(model: SetNet, data: SetData, task: Task) -> dict[str, str]:
    """Logits of the right shape, and gradients in the weights."""
    name, k, outputs = model.name, len(data), model.shape.outputs
    wanted = [k] if outputs == 1 else [k, outputs]
    with _explain_errors(f"{name}.forward(batch)"):
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


def _repeats(name: str, task: Task) -> SetNet:
    """A trained model; the same seed gives the same losses, so that a run can be resumed or repeated."""
    models = [build(name, task) for _ in range(2)]
    with _explain_errors(f"de.fit of {name}"):
        fits = [fit(model, task, _EPOCHS, device="cpu", progress=False) for model in models]
        runs = [[epoch.loss for epoch in run] for run in fits]
    if not np.allclose(runs[0], runs[1], rtol=1e-6):
        raise ParameterError(
            f"{name} does not learn the same twice: with one seed its loss was {runs[0][-1]:.6g} and {runs[1][-1]:.6g}."
            " Use de.Dropout, which follows the seed of the run, instead of torch's, and draw nothing else."
        )
    return models[0]


def _keeps_sets_apart(model: SetNet, task: Task) -> dict[str, str]:
    """A set's logits do not depend on the batch, the order of its nodes, or the edges inside it."""
    name, graph, sets = model.name, task.graph, task.train.sets
    some = [S for S in sets if _inside(graph, S).any()][:_LOOKED_AT] or list(sets[:_LOOKED_AT])

    def logits(data: SetData) -> NDArray[np.float32]:
        return logits_of(model, data, np.arange(len(data)))

    data = model.prepare(graph, sets)
    together = logits(data)
    alone = np.concatenate([logits_of(model, data, np.array([i])) for i in range(_LOOKED_AT)])
    if (bad := _first_difference(together[:_LOOKED_AT], alone)) is not None:
        raise ParameterError(
            f"{name} mixes the sets of a batch: for {_set(sets[bad])} it gives {_short(alone[bad])} alone and "
            f"{_short(together[bad])} in a batch. Compute each set's logits from its own rows."
        )
    notes = {}
    turned = logits(model.prepare(graph, np.ascontiguousarray(sets[:, ::-1])))
    if (bad := _first_difference(together, turned)) is not None:
        notes["order"] = (
            f"{name} reads the order of a set: {_set(sets[bad])} gets {_short(together[bad])}, in the other order "
            f"{_short(turned[bad])}. S is a set; pool its nodes as de.Readout does."
        )
    if not model.inductive:
        return notes
    for S in some:
        inside = graph.edges[_inside(graph, S)]
        both = np.concatenate([logits(variants) for variants in model.variants(graph, S, [inside[:0], inside])])
        if _first_difference(both[:1], both[1:]) is not None:
            notes["inside"] = (
                f"{name} sees the edges inside a set: {_set(S)} gets {_short(both[0])}, and {_short(both[1])} without "
                "its own edges. A link would give itself away in training; cut those edges, as de.blocks "
                "and de.ego_networks do."
            )
            break
    horizon = model.horizon
    for S in some if horizon is not None else ():
        near = neighborhood(graph, S, horizon)  # type: ignore[arg-type]
        anywhere, nearby = logits(model.prepare(graph, S[None, :])), logits(model.prepare(near.graph, near.S[None, :]))
        if _first_difference(anywhere, nearby) is not None:
            raise ParameterError(
                f"{name}.horizon is {horizon}, but nodes further away matter: {_set(S)} gets {_short(anywhere[0])},"
                f" and {_short(nearby[0])} without them. Set a larger horizon, or None for the whole graph."
            )
    return notes


def _inside(graph: Graph, S: Ints) -> NDArray[np.bool_]:
    return np.asarray(np.isin(graph.edges, S).all(axis=1))


def _is_saved(model: SetNet, task: Task) -> None:
    with tempfile.TemporaryDirectory() as folder, _explain_errors(f"Saving {model.name} and loading it again"):
        again = load_model(save(model, Path(folder) / "model.safetensors"))
    sets = task.train.sets
    first, second = (logits_of(one, one.prepare(task.graph, sets), np.arange(len(sets))) for one in (model, again))
    if (bad := _first_difference(first, second)) is not None:
        raise ParameterError(
            f"{model.name} changes when it is saved and loaded: {_set(sets[bad])} gets {_short(first[bad])} "
            f"before and {_short(second[bad])} after. Keep what it learns or binds in weights (nn.Parameter, layers) "
            "or in buffers (self.register_buffer), and its options in HYPER."
        )


def _first_difference(first: NDArray[Any], second: NDArray[Any]) -> int | None:
    """The number of the first set whose logits differ, None if none do."""
    apart = np.abs(first - second) > _LIKE * (1 + np.abs(first))
    rows = np.flatnonzero(apart.reshape(len(first), -1).any(axis=1))
    return int(rows[0]) if len(rows) else None


def _set(S: Ints) -> str:
    return "{" + ", ".join(map(str, S.tolist())) + "}"


def _short(logits: Any) -> str:
    return np.array2string(np.asarray(logits), precision=4)
