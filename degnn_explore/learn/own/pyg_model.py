"""``PyGModel``: a network written for PyG joins as a model, trained as it is or registered by what makes it."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, overload

import numpy as np
import torch
from torch import nn

from ...common.errors import MOST_SEED, ParameterError, TargetError, shown, whole_number
from ...encodings.base import Encoding
from ...engine.egonets import MOST
from ..devices import torch_threads
from ..nets import SEEDING
from ..nets.base import Hyper, SetNet, Shape
from ..nets.pyg_nets import AROUND, PyGNet, features_of
from ..predicting import logits_of
from ..several import as_one
from ..tasks import Task

Make = Callable[..., nn.Module]


@overload
def PyGModel(
    net: Make,
    task: None = None,
    *,
    encoding: Encoding | None = None,
    hops: int = 2,
    max_nodes_per_hop: int | None = None,
    hyper: Mapping[str, Hyper] | None = None,
    name: str | None = None,
    seed: int = 0,
) -> type[SetNet]: ...


@overload
def PyGModel(
    net: nn.Module | Make,
    task: Task | list[Task],
    *,
    encoding: Encoding | None = None,
    hops: int = 2,
    max_nodes_per_hop: int | None = None,
    hyper: Mapping[str, Hyper] | None = None,
    name: str | None = None,
    seed: int = 0,
) -> SetNet: ...


def PyGModel(
    net: Any,
    task: Task | list[Task] | None = None,
    *,
    encoding: Encoding | None = None,
    hops: int = 2,
    max_nodes_per_hop: int | None = None,
    hyper: Mapping[str, Hyper] | None = None,
    name: str | None = None,
    seed: int = 0,
) -> type[SetNet] | SetNet:
    """A network written for PyG as a model of target sets.

    ``PyGModel(net, task)`` is a model like those of :func:`degnn_explore.build`: fit it, predict, explain. Without a
    task it is a class for :func:`degnn_explore.register_model`, after which the model is known by its name: to build
    with new weights for every seed, tune, save and load, and to boards. ``net`` must then be what makes the network.

    The network is given a PyG ``Batch`` of ego-networks, as :class:`degnn_explore.pyg.TargetSetLoader` makes them,
    edges inside S cut: ``x`` (log(1 + degree), the graph's attributes, then ζ(u|S), every column put to size one),
    ``edge_index``, ``batch``, ``ptr``, ``target_index`` (the rows of the targets, p for each set), ``node`` and
    ``distance`` (to S). It returns a row of logits for each set, [k, outputs]: one column for two classes (two will
    do), else one for each class. A network whose ``forward`` takes ``(x, edge_index, ...)``, as PyG's own models do,
    is given those by name; if it returns a row for each node, those of the targets are averaged.

    Parameters
    ----------
    net
        A ``torch.nn.Module``, to be trained on from the weights that it has; or a class or function that makes one,
        ``net(features, outputs)``: the columns of ``x`` and the logits of a set.
    task
        What the model is for, or a list of tasks of one kind; None: a class to register.
    encoding
        The ζ in ``x``: SPD, LandingProbability, DRNL (pairs only), an own one, or None.
    hops, max_nodes_per_hop
        How far from S ego-networks reach, and at most how many nodes they keep at each hop. Both are hyperparameters.
    hyper
        Further hyperparameters by name, given to what makes the network: ``{"hidden": de.Hyper(64, least=1)}`` to
        ``net(features, outputs, hidden=64)``.
    name
        What the model is called; by default as the network's class.
    seed
        Of the weights, where ``net`` makes a network and there is a task.

    Examples
    --------
    >>> import degnn_explore as de
    >>> from torch_geometric.nn import GraphSAGE
    >>> task = de.link_task(de.load("karate"))
    >>> model = de.PyGModel(lambda features, outputs: GraphSAGE(features, 16, 2, outputs), task, encoding=de.SPD(3))
    >>> len(list(de.fit(model, task, epochs=2))), de.predict(model, task.graph, [{0, 33}]).shape
    (2, (1,))
    >>> kind = de.PyGModel(lambda features, outputs: GraphSAGE(features, 16, 2, outputs), encoding=de.SPD(3))
    >>> de.register_model(kind, name="my SAGE")
    >>> de.build("my SAGE", task, hops=1).hyper["hops"]
    1
    >>> from degnn_explore.learn.nets import MODELS
    >>> del MODELS["my SAGE"]
    """
    if name is not None and not isinstance(name, str):
        raise ParameterError(f"name must be a word or a few, not {shown(name)}.")
    if encoding is not None and not isinstance(encoding, Encoding):
        raise ParameterError(f"encoding must be one such as de.SPD(3), or None, not {shown(encoding)}.")
    ready = isinstance(net, nn.Module)
    if not ready and (not callable(net) or isinstance(net, SetNet)):
        raise ParameterError(f"PyGModel needs a torch.nn.Module, or a function that makes one, not {shown(net)}.")
    if ready and (task is None or hyper):
        wants = "hyper= is for what makes it" if task is not None else "Give its task, de.PyGModel(net, task), to train"
        raise ParameterError(
            f"A {type(net).__name__} is one network with the weights that it has. {wants}; to register it, give what "
            f"makes it anew for every seed: de.PyGModel(lambda features, outputs: {type(net).__name__}(...))."
        )
    settings = {
        "hops": Hyper(whole_number("hops", hops, least=1, most=MOST), least=1, most=MOST),
        "max_nodes_per_hop": Hyper(max_nodes_per_hop, least=1, optional=True),
    }
    settings["max_nodes_per_hop"].checked("max_nodes_per_hop", max_nodes_per_hop)
    kind = _kind(net, encoding, {**settings, **_checked(hyper)}, name)
    if task is None:
        return kind
    return _model(kind, as_one("PyGModel", task), whole_number("seed", seed, least=0, most=MOST_SEED))


def _checked(hyper: Any) -> dict[str, Hyper]:
    given: dict[str, Any] = {} if hyper is None else dict(hyper) if isinstance(hyper, Mapping) else {"": None}
    if not all(isinstance(one, Hyper) for one in given.values()) or set(given) & set(AROUND):
        raise ParameterError(
            f"hyper must name hyperparameters of the network, {{'hidden': de.Hyper(64, least=1)}}, not {shown(hyper)}."
        )
    return given


def _kind(net: Any, encoding: Encoding | None, settings: dict[str, Hyper], name: str | None) -> type[PyGNet]:
    """A subclass of PyGNet for this network; in the user's module, so that processes are given its code."""
    ready = isinstance(net, nn.Module)
    made = type(net) if ready else net
    own = getattr(made, "__qualname__", type(made).__name__).rpartition("<locals>.")[2]
    called = f"a function that makes {own}" if ready else own
    about = "" if encoding is None else f", encoding={encoding!r}"
    content = {
        "__module__": getattr(made, "__module__", "__main__"),
        "__qualname__": f"PyGModel({called}{about})",  # save says it, to be registered
        "__doc__": f"{own} of PyG" + ("" if encoding is None else f" with {encoding!r}"),
        "make": staticmethod((lambda features, outputs: net) if ready else net),
        "encoding": encoding,
        "HYPER": settings,
    }
    plain = own if own.isidentifier() else "PyG model"
    return type(plain if name is None else name, (PyGNet,), content)


def _model(kind: type[PyGNet], task: Task, seed: int) -> PyGNet:
    """A model of this kind for a task, tried on a set of it."""
    attributes = task.graph.attributes
    shape = Shape(task.p, task.num_classes, 0 if attributes is None else attributes.shape[1], task.classes)
    hyper = {key: one.default_for(task.p) for key, one in kind.HYPER.items()}
    features, name = features_of(kind.encoding, shape), kind.__name__
    columns = (
        f"features = {features}, the columns of x (log(1 + degree), {shape.num_attributes} attributes, the rest ζ)"
    )
    try:
        with SEEDING, torch.random.fork_rng(devices=[]):
            torch.manual_seed(seed % 2**63)
            model = kind(name, shape, **hyper)
        with torch_threads(1):
            data = model.prepare(task.graph, task.train.sets[:2], progress=False)
            logits_of(model, data, np.arange(len(data)), "cpu", None)
    except Exception as error:
        if isinstance(error, ParameterError | TargetError):
            raise
        raise ParameterError(
            f"{name} cannot be used on this task: {type(error).__name__}: {error}. A network is made as "
            f"net(features, outputs), for {columns} and outputs = {shape.outputs}, and called with a PyG Batch, or "
            "with x, edge_index, ... by name."
        ) from error
    return model.train()
