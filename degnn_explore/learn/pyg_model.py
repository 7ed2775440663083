"""``PyGModel``: a network written for PyG joins as a model, trained as it is or registered by what makes it.

Batches of whole ego-networks go in, logits of S come out.
"""

from __future__ import annotations

import contextlib
import copy
import inspect
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, ClassVar

import numpy as np
import torch
from torch import Tensor, nn

from ..common.errors import MOST_SEED, ParameterError, TargetError, check_int, short_repr
from ..encodings.base import Encoding
from ..engine.egonets import MOST, EgoNetworks, ego_networks
from ..graphs.graph import Graph
from .devices import seeded, torch_threads
from .nets.base import Dropout, Encoded, Hyper, Ints, SetNet, Shape, horizon_of
from .predicting import logits_of
from .tasks import Task, needs_task

AROUND = ("hops", "max_nodes_per_hop")  # its hyperparameters that say what an ego-network is; the others are the net's
_FIELDS = ("x", "edge_index", "batch", "target_index", "node", "distance", "ptr")


def PyGModel(
    net: Any,
    task: Task | None = None,
    *,
    encoding: Encoding | None = None,
    hops: int = 2,
    max_nodes_per_hop: int | None = None,
    hyper: Mapping[str, Hyper] | None = None,
    name: str | None = None,
    seed: int = 0,
) -> Any:
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
        A ``torch.nn.Module``, trained further from the weights that it has; or a class or function that makes one,
        ``net(features, outputs)``: the columns of ``x`` and the logits of a set.
    task
        What the model is for; None: a class to register.
    encoding
        The ζ in ``x``: SPD, LandingProbability, DRNL (pairs only), one of yours, or None.
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
    >>> from degnn_explore.learn.registry import MODELS
    >>> del MODELS["my SAGE"]
    """
    if encoding is not None and not isinstance(encoding, Encoding):
        raise ParameterError(f"encoding must be one such as de.SPD(3), or None, not {short_repr(encoding)}.")
    ready = isinstance(net, nn.Module)
    if isinstance(net, SetNet) or not (ready or callable(net)):
        raise ParameterError(f"PyGModel needs a torch.nn.Module, or a function that makes one, not {short_repr(net)}.")
    if ready and (task is None or hyper):
        wants = "hyper= is for what makes it" if task is not None else "Give its task, de.PyGModel(net, task), to train"
        raise ParameterError(
            f"A {type(net).__name__} is one network with the weights that it has. {wants}; to register it, give what "
            f"makes a new one for every seed: de.PyGModel(lambda features, outputs: {type(net).__name__}(...))."
        )
    settings = {
        "hops": Hyper(check_int("hops", hops, least=1, most=MOST), least=1, most=MOST),
        "max_nodes_per_hop": Hyper(max_nodes_per_hop, least=1, optional=True),
    }
    settings["max_nodes_per_hop"].checked("max_nodes_per_hop", max_nodes_per_hop)
    kind = _kind(net, encoding, {**settings, **check_hyper("hyper", hyper or {}, AROUND)}, name)
    if task is None:
        return kind
    needs_task("PyGModel", task)
    return _model(kind, task, check_int("seed", seed, least=0, most=MOST_SEED))


def check_hyper(what: str, hyper: Any, reserved: Sequence[str]) -> Mapping[str, Hyper]:
    """``hyper`` if it is a dictionary of :class:`Hyper` whose keys can be keyword arguments and are not reserved."""
    if not isinstance(hyper, Mapping) or not all(isinstance(setting, Hyper) for setting in hyper.values()):
        raise ParameterError(f"{what} must be like {{'hidden': de.Hyper(64, least=1)}}, not {short_repr(hyper)}.")
    for key in hyper:
        if not isinstance(key, str) or not key.isidentifier() or key in reserved:
            raise ParameterError(f"{what}: {short_repr(key)} cannot be the name of a hyperparameter; choose another.")
    return hyper


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
    shape = Shape.of(task)
    hyper = {key: one.default_for(task.p) for key, one in kind.HYPER.items()}
    features, name = features_of(kind.encoding, shape), kind.__name__
    columns = (
        f"features = {features}, the columns of x (log(1 + degree), {shape.num_attributes} attributes, the rest ζ)"
    )
    try:
        with seeded(seed):
            model = kind(name, shape, **hyper)
        with torch_threads(1):
            data = model.prepare(task.graph, task.train.sets[:2])
            logits_of(model, data, np.arange(len(data)))
    except Exception as error:
        if isinstance(error, ParameterError | TargetError):
            raise
        raise ParameterError(
            f"{name} cannot be used on this task: {type(error).__name__}: {error}. A network is made as "
            f"net(features, outputs), for {columns} and outputs = {shape.outputs}, and called with a PyG Batch, or "
            "with x, edge_index, ... by name."
        ) from error
    return model.train()


class PyGNet(SetNet):
    """A PyG network on the ego-networks of S; :func:`degnn_explore.PyGModel` makes subclasses of it.

    Every feature is put to size one on the training sets, as in the other models. A network may draw from torch's own
    random numbers (dropout): they are seeded for every batch by the run's seed, epoch and batch.
    """

    make: ClassVar[Callable[..., nn.Module]]  # make(features, outputs, **hyper)
    encoding: ClassVar[Encoding | None] = None

    def __init__(self, name: str, shape: Shape, **hyper: Any) -> None:
        super().__init__(name, shape, hyper, features_of(self.encoding, shape))
        of_net = {key: value for key, value in hyper.items() if key not in AROUND}
        net = type(self).make(len(self.scale), shape.outputs, **of_net)
        if not isinstance(net, nn.Module):
            raise ParameterError(f"The function of {name} returned {type(net).__name__}; return a torch.nn.Module.")
        if any(isinstance(weight, nn.UninitializedParameter) for weight in net.parameters()):
            raise ParameterError(
                f"{name} has lazy layers (in_channels=-1), whose weights cannot be drawn before they see data; give "
                f"the width, features = {len(self.scale)} here."
            )
        self.net, self._draws = net, _Draws()
        self._fields = _named_fields(net)

    def prepare(self, graph: Graph, sets: Ints) -> EgoNetworks:
        self.check(graph, sets)
        if self.encoding is not None:
            self.encoding.check_targets(self.shape.p)
        around = {key: self.hyper[key] for key in AROUND}
        return ego_networks(graph, sets, **around, encoding=self.encoding)

    @property
    def horizon(self) -> int | None:
        return None if self.hyper["max_nodes_per_hop"] is not None else horizon_of(self.hyper["hops"], self.encoding)

    def encoded(self, graph: Graph, S: Ints) -> Encoded | None:
        if self.encoding is None or self.hyper["max_nodes_per_hop"] is not None:
            return None
        batch, base = self.prepare(graph, S[None, :]).batch([0]), 1 + self.shape.num_attributes
        whole = batch.x

        def with_zeta(zeta: Tensor) -> Any:
            changed = copy.copy(batch)
            changed.x = torch.cat([whole[:, :base], zeta], dim=1)
            return changed

        return Encoded(batch.distance.numpy(), whole[:, base:], with_zeta)

    def features(self, batch: Any) -> list[Tensor]:
        return [batch.x]

    def feature_units(self, size: Tensor) -> Tensor:
        if self.encoding is None or self.encoding.pool is not None:
            return size
        base = 1 + self.shape.num_attributes  # then ζ(u|v) side by side, in the same units for all v
        each = size[base:].view(-1, self.encoding.dim)
        return torch.cat([size[:base], each.amax(dim=0).repeat(len(each))])

    def forward(self, batch: Any) -> Tensor:
        given = copy.copy(batch)  # the batch is the caller's
        given.x = batch.x * self.scale
        with self._draws.seeded(given.x.device) if self.training else contextlib.nullcontext():
            out = self.net(given) if not self._fields else self.net(**{key: given[key] for key in self._fields})
        k = batch.num_graphs
        if self._fields and isinstance(out, Tensor) and out.dim() == 2 and len(out) == len(given.x):
            out = out[given.target_index].view(k, self.shape.p, -1).mean(dim=1)  # [N, c] -> [k, c]
        return self._logits(out, k, len(given.x))

    def _logits(self, out: Any, k: int, nodes: int) -> Tensor:
        """What the network returned as [k], for two classes, or [k, C]."""
        wanted = self.shape.outputs
        if isinstance(out, Tensor) and out.is_floating_point():
            if out.shape == (k, wanted):
                return out[:, 0] if wanted == 1 else out
            if wanted == 1 and out.shape == (k,):
                return out
            if wanted == 1 and out.shape == (k, 2):
                return out[:, 1] - out[:, 0]  # the same probabilities, and the same loss
        given = f"{out.dtype} {list(out.shape)}" if isinstance(out, Tensor) else type(out).__name__
        remedy = ""
        if isinstance(out, Tensor) and out.dim() and len(out) == nodes != k:
            remedy = " It has a row for each node: read out S, x[batch.target_index].view(-1, p, hidden).mean(dim=1)."
        raise ParameterError(
            f"The network of {self.name} returned {given} for {k} sets of {self.shape.p} nodes and "
            f"{self.shape.num_classes} classes; return a row of logits for each set, floats of shape [{k}, {wanted}]"
            f", without sigmoid or softmax.{remedy}"
        )


class _Draws(Dropout):
    """Seeds torch's own random numbers from the generator that ``fit`` gives to every dropout before an epoch."""

    def __init__(self) -> None:
        super().__init__(0.0)
        self._of: tuple[torch.Generator | None, int] = None, 0  # the generator of the epoch, and batches since

    @contextlib.contextmanager
    def seeded(self, device: torch.device) -> Iterator[None]:
        """The caller's random state stays as it was; without a generator, it is the one that is drawn from."""
        if self.generator is None:
            yield
            return
        number = self._of[1] + 1 if self._of[0] is self.generator else 1
        self._of = self.generator, number
        with seeded(self.generator.initial_seed() * 1_000_003 + number, device):
            yield


def features_of(encoding: Encoding | None, shape: Shape) -> int:
    """How many columns ``x`` has: log(1 + degree), the graph's attributes, then ζ.

    >>> from degnn_explore import SPD
    >>> features_of(SPD(max_dist=3), Shape(p=2, num_classes=2, num_attributes=4))
    10
    """
    copies = shape.p if encoding is not None and encoding.pool is None and encoding.num_targets is None else 1
    return 1 + shape.num_attributes + (0 if encoding is None else copies * encoding.dim)


def _named_fields(net: nn.Module) -> tuple[str, ...]:
    """The fields of a batch that ``forward(x, edge_index, ...)`` names, as PyG's own models do; none: it takes a Batch.

    >>> from torch_geometric.nn import GraphSAGE
    >>> _named_fields(GraphSAGE(4, 8, 2))
    ('x', 'edge_index', 'batch')
    """
    named: Mapping[str, inspect.Parameter] = inspect.signature(net.forward).parameters
    return tuple(key for key in named if key in _FIELDS) if next(iter(named), "") == "x" else ()
