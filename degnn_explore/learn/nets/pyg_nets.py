"""Networks written for PyG as models of target sets: batches of whole ego-networks go in, logits of S come out."""

from __future__ import annotations

import contextlib
import copy
import inspect
from collections.abc import Callable, Iterator, Mapping
from typing import Any, ClassVar

import torch
from torch import Tensor, nn

from ...common.errors import ParameterError
from ...encodings.base import Encoding
from ...engine.egonets import EgoNetworks, ego_networks
from ...graphs.graph import Graph
from . import SEEDING
from .base import Dropout, Ints, SetData, SetNet, Shape, Stop, horizon_of

AROUND = ("hops", "max_nodes_per_hop")  # its hyperparameters that say what an ego-network is; the others are the net's
_FIELDS = ("x", "edge_index", "batch", "target_index", "node", "distance", "ptr")


class PyGNet(SetNet):
    """A PyG network on the ego-networks of S; :func:`degnn_explore.PyGModel` makes subclasses of it.

    Every feature is put to size one on the training sets, as in the other models. A network may draw from torch's own
    random numbers (dropout): they are seeded anew for every batch, by the run's seed, epoch and batch.
    """

    make: ClassVar[Callable[..., nn.Module]]  # make(features, outputs, **hyper)
    encoding: ClassVar[Encoding | None] = None

    def __init__(self, name: str, shape: Shape, **hyper: Any) -> None:
        super().__init__(name, shape, hyper, features_of(self.encoding, shape))
        own = {key: value for key, value in hyper.items() if key not in AROUND}
        net = type(self).make(len(self.scale), shape.outputs, **own)
        if not isinstance(net, nn.Module):
            raise ParameterError(f"The function of {name} returned {type(net).__name__}; return a torch.nn.Module.")
        if any(isinstance(weight, nn.UninitializedParameter) for weight in net.parameters()):
            raise ParameterError(
                f"{name} has lazy layers (in_channels=-1), whose weights cannot be drawn before they see data; give "
                f"the width, features = {len(self.scale)} here."
            )
        self.net, self._draws = net, _Draws()
        self._fields = _named_fields(net)

    def prepare(self, graph: Graph, sets: Ints, *, stop: Stop = None, progress: bool = True) -> EgoNetworks:
        self.check(graph, sets)
        if self.encoding is not None:
            self.encoding.check_targets(self.shape.p)
        around = {key: self.hyper[key] for key in AROUND}
        return ego_networks(graph, sets, **around, encoding=self.encoding, stop=stop, progress=progress)

    @property
    def horizon(self) -> int | None:
        return None if self.hyper["max_nodes_per_hop"] is not None else horizon_of(self.hyper["hops"], self.encoding)

    def features(self, batch: Any) -> list[Tensor]:
        return [batch.x]

    def calibrate(self, data: SetData, index: Ints) -> None:
        size, base = self.sizes(data, index), 1 + self.shape.num_attributes
        if self.encoding is not None and self.encoding.pool is None:  # ζ(u|v) side by side, in one unit for all v
            each = size[base:].view(-1, self.encoding.dim)
            size = torch.cat([size[:base], each.amax(dim=0).repeat(len(each))])
        self.scale = torch.where(size > 1e-6, 1 / size, torch.ones_like(size)).to(self.scale.device)

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
        with SEEDING, torch.random.fork_rng(devices=[device] if device.type == "cuda" else []):
            torch.manual_seed((self.generator.initial_seed() * 1_000_003 + number) % 2**63)
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
