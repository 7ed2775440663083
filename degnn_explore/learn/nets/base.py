"""What all models share: data, shape, hyperparameters, dropout with its own generator, and the class SetNet."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
import torch
from torch import Tensor, nn

from ...common.errors import ParameterError, TargetError, check_choice, check_float, check_int
from ...encodings.base import Encoding
from ...engine.placing import Placement
from ...engine.store import SetData
from ...engine.tables import Table, row_table
from ...graphs.graph import Graph
from ..edge_changes import side_by_side
from ..splits import Ints
from ..tasks import Task
from .operators import drop

_CALIBRATED_ON = 512  # training sets, at most


@dataclass(frozen=True)
class Rows(SetData):
    """Data that are one row of each tensor for a set, [k, ...]; ``make`` puts the rows of a batch together.

    By default a batch is the rows themselves: of one tensor a tensor, of several a tuple. ``shared`` tensors, such as
    the edges of the whole training graph, go to the device once and come with every batch, after the rows.

    Examples
    --------
    >>> data = Rows((torch.tensor([[1.0], [2.0], [3.0]]),))
    >>> data.batch([2, 0])
    tensor([[3.],
            [1.]])
    >>> pairs, edges = torch.tensor([[0, 1], [1, 2]]), torch.tensor([[0, 1, 1, 2], [1, 0, 2, 1]])
    >>> Rows((pairs,), shared=(edges,)).batch([1])
    (tensor([[1, 2]]), tensor([[0, 1, 1, 2],
            [1, 0, 2, 1]]))
    """

    tensors: tuple[Tensor, ...]
    make: Callable[..., Any] = lambda *rows: rows[0] if len(rows) == 1 else rows
    shared: tuple[Tensor, ...] = ()

    def __len__(self) -> int:
        return len(self.tensors[0])

    @property
    def nbytes(self) -> int:  # type: ignore[override]
        return sum(x.nbytes for x in (*self.tensors, *self.shared))

    def table(self, index: Any = None) -> Table:
        whole = self.tensors if index is None else [x[torch.from_numpy(np.asarray(index))] for x in self.tensors]
        return row_table(whole, self.make, self.shared)


@dataclass(frozen=True)
class Shape:
    """What a model must know of a task: set size, classes, columns of node attributes.

    Examples
    --------
    >>> Shape(p=2, num_classes=2).outputs, Shape(p=1, num_classes=4).outputs
    (1, 4)
    """

    p: int
    num_classes: int
    num_attributes: int = 0
    classes: tuple[int, ...] = ()  # the labels as they were given, in the order of the outputs

    @classmethod
    def of(cls, task: Task) -> Shape:
        attributes = task.graph.attributes
        return cls(task.p, task.num_classes, 0 if attributes is None else attributes.shape[1], task.classes)

    @property
    def outputs(self) -> int:
        """Logits for a set: one for two classes, else one for each class."""
        return 1 if self.num_classes == 2 else self.num_classes


@dataclass(frozen=True)
class Hyper:
    """A hyperparameter: its default, what it may be, and the range that the paper searched.

    It is one of ``choices``; or a number from ``least`` to ``most``, above ``above`` and below ``below``. Where
    ``least`` is a whole number (and so is the default, if there is one), only whole numbers are allowed.
    ``optional``: None, too. ``for_nodes`` is the default for p = 1.
    ``from_task``: :func:`degnn_explore.build` takes the task's attribute of that name where nothing is given.

    Examples
    --------
    >>> Hyper(32, least=1).checked("hidden", 64), Hyper(0.5, least=0.0, most=2.0).checked("weight", 1)
    (64, 1.0)
    """

    default: Any
    paper: str = ""
    choices: tuple[Any, ...] | None = None
    least: Any = None  # a whole number, or a float
    most: float = 10**12
    above: float | None = None
    below: float = np.inf
    optional: bool = False
    for_nodes: Any = None
    from_task: bool = False

    def default_for(self, p: int) -> Any:
        """The default for sets of p nodes; single nodes may have their own."""
        return self.for_nodes if p == 1 and self.for_nodes is not None else self.default

    def takes(self, value: Any) -> bool:
        """Whether the value is allowed."""
        try:
            self.checked("", value)
        except ParameterError:
            return False
        return True

    def checked(self, name: str, value: Any) -> Any:
        """``value`` if it is allowed, or a ParameterError that says what is."""
        if self.optional and value is None:
            return None
        if self.choices is not None:
            return check_choice(name, value, self.choices)
        if isinstance(self.least, int) and not isinstance(self.default, float):
            return check_int(name, value, least=self.least, most=int(self.most))
        least = 0 if self.least is None else self.least
        number = check_float(name, value, least=least, above=self.above, below=self.below)
        if number > self.most:
            raise ParameterError(f"{name} must be a number from {least:g} to {self.most:g}, not {value!r}.")
        return number


class Dropout(nn.Module):
    """Dropout with its own generator, so that two fits in two threads do not share one.

    A byte decides for each entry, eight from one draw: with torch's own draws an epoch of DE-GNN-SPD takes 52 %
    longer, of DEA-GNN-SPD 89 %. The share is therefore rounded to a multiple of 1/256.

    Examples
    --------
    >>> Dropout(0.5).eval()(torch.ones(2))
    tensor([1., 1.])
    """

    def __init__(self, share: float) -> None:
        super().__init__()
        self.share = share
        self.generator: torch.Generator | None = None

    @property
    def drops(self) -> bool:
        """Whether it does anything now."""
        return self.training and self.share > 0

    def forward(self, h: Tensor) -> Tensor:
        if not self.drops:
            return h
        dropped = min(max(round(256 * self.share), 1), 255)
        if h.device.type == "mps":  # it draws no 64 bits at a time
            kept = torch.rand(h.shape, device=h.device, generator=self.generator) >= dropped / 256
            return h * (kept.to(h.dtype) * (256 / (256 - dropped)))
        draws = torch.empty((h.numel() + 7) // 8, dtype=torch.int64, device=h.device)
        draws = draws.random_(-(2**63), None, generator=self.generator)
        byte = draws.view(torch.uint8)[: h.numel()]
        if h.device.type == "cpu":
            return drop(h, byte, dropped)
        return h * ((byte.view(h.shape) >= dropped).to(h.dtype) * (256 / (256 - dropped)))


class RandomSigns(nn.Module):
    """Columns ``first`` to ``width`` times -1 or 1 while training; each epoch draws once, every set sees the same.

    A sign commutes with every aggregation, so it may be drawn after the first one was computed.

    Examples
    --------
    >>> signs = RandomSigns(1, 3)
    >>> signs.draw(torch.Generator().manual_seed(0))
    >>> signs(torch.ones(3)).abs(), signs.eval()(torch.ones(3))
    (tensor([1., 1., 1.]), tensor([1., 1., 1.]))
    """

    def __init__(self, first: int, width: int) -> None:
        super().__init__()
        self.first, self.width = first, width
        self.drawn: Tensor | None = None  # nothing to save: each epoch has its own

    def draw(self, generator: torch.Generator) -> None:
        """The signs of the next epoch."""
        coins = torch.randint(0, 2, (self.width - self.first,), generator=generator)
        self.drawn = torch.cat([torch.ones(self.first), 2.0 * coins - 1.0])

    def forward(self, scale: Tensor) -> Tensor:
        if not self.training or self.drawn is None:
            return scale
        self.drawn = self.drawn.to(scale.device)  # once an epoch
        return scale * self.drawn


@dataclass(frozen=True)
class Encoded:
    """The input of a model for one set with ζ apart, so that it can be changed: ``batch(zeta)`` joins them."""

    distance: Ints  # of each node that is read, to the nearest of S; -1: unreachable [N]
    zeta: Tensor  # [N, ...]
    batch: Callable[[Tensor], Any]


class SetNet(nn.Module):
    """A model of target sets: ``prepare`` turns sets into data, ``forward`` a batch into logits.

    A model of your own is a subclass; docs/own_model.md says what it must have, :func:`degnn_explore.register_model`
    tries it and makes it known.

    Parameters
    ----------
    name, shape
        The arguments of the subclass.
    hyper
        The values of its ``HYPER``, all of them.
    width
        Features of a node whose sizes the model wants to know, see :meth:`features`.

    Examples
    --------
    >>> import degnn_explore as de
    >>> class Degrees(de.SetNet):
    ...     def __init__(self, name, shape, **hyper):
    ...         super().__init__(name, shape, hyper)
    ...         self.out = nn.Linear(1, shape.outputs)
    ...     def prepare(self, graph, sets):
    ...         return de.Rows((torch.tensor(graph.degrees[sets].sum(axis=1, keepdims=True)).float(),))
    ...     def forward(self, batch):
    ...         return self.out(batch).squeeze(1)
    >>> G = de.load("karate")
    >>> de.predict(Degrees("degrees", de.Shape(p=1, num_classes=2)), G, [{0}, {1}]).shape
    (2,)
    """

    HYPER: ClassVar[Mapping[str, Hyper]] = {}
    inductive: ClassVar[bool] = True  # whether it can judge sets of a graph that it was not trained on
    learns: ClassVar[bool] = True  # whether it has weights that training changes; a heuristic has none
    RATE: ClassVar[Hyper] = Hyper(1e-3, paper="1e-4 (SGD)", for_nodes=1e-2)  # nodes: few training sets, few steps

    scale: Tensor
    placement: Placement | None = None  # where it was last trained, and its data

    def __init__(self, name: str, shape: Shape, hyper: Mapping[str, Any], width: int = 0) -> None:
        super().__init__()
        self.name, self.shape, self.hyper = name, shape, dict(hyper)
        # a factor for each of ``width`` features: an attribute may be a million times larger than a log-degree
        self.register_buffer("scale", torch.ones(width))

    @property
    def learning_rate(self) -> float:
        """The default of :func:`degnn_explore.fit`."""
        return float(self.RATE.default_for(self.shape.p))

    def prepare(self, graph: Graph, sets: Ints) -> SetData:
        """The input for these sets: compute here, once, everything that has no weights."""
        raise ParameterError(f"{type(self).__name__} has no prepare(graph, sets).")

    @property
    def horizon(self) -> int | None:
        """How far from S an edge can be and still change the score (other than by connecting); None: anywhere."""
        return None

    def variants(self, graph: Graph, S: Ints, changes: Sequence[Ints]) -> Iterator[SetData]:
        """:meth:`prepare` of S in each variant of the graph: these edges left out or, where they are not, put in."""
        for pairs in changes:
            yield self.prepare(side_by_side(graph, [pairs]), S[None, :])

    def bind(self, task: Task) -> None:
        """Read what is needed from the task and its training graph, before the first epoch; nothing by default."""

    def encoded(self, graph: Graph, S: Ints) -> Encoded | None:
        """The input for S with ζ(u|S) of every node that is read, to be changed; None: the model has no ζ."""
        return None

    def features(self, batch: Any) -> list[Tensor]:
        """The inputs of a batch that ``scale`` is for, [..., width] each; none by default."""
        return []

    def calibrate(self, data: SetData, index: Ints) -> None:
        """Set ``scale`` so that log-degree and attributes have size one on (some) training sets.

        A factor commutes with every aggregation, so this is a choice of units, not another model.
        """
        if len(self.scale):
            if type(self).features is SetNet.features:
                raise ParameterError(
                    f"{self.name} was made with width={len(self.scale)}, so it also needs features(self, batch): the "
                    "list of inputs that self.scale puts to size one; or leave width out."
                )
            size = self.feature_units(self.sizes(data, index))
            self.scale = torch.where(size > 1e-6, 1 / size, torch.ones_like(size)).to(self.scale.device)

    def feature_units(self, size: Tensor) -> Tensor:
        """What counts as one of each feature, from their sizes; labels and indicators of distance stay as they are."""
        size[1 + self.shape.num_attributes :] = 1
        return size

    def sizes(self, data: SetData, index: Ints) -> Tensor:
        """The root mean square of each feature, on (some) training sets."""
        some = index[:: -(-len(index) // _CALIBRATED_ON)]  # spread: positives come before negatives
        squares = [
            torch.stack([x.flatten(0, -2).square().mean(dim=0) for x in self.features(batch)])
            for batch in data.batches(np.array_split(some, -(-len(some) // 64)))
        ]
        return torch.stack(squares).mean(dim=0).sqrt().amax(dim=0)

    def check(self, graph: Graph, sets: Ints) -> None:
        """Raise an error if this model cannot judge these sets of this graph."""
        columns = 0 if graph.attributes is None else graph.attributes.shape[1]
        if sets.ndim != 2 or sets.shape[1] != self.shape.p:
            given = f"an array of shape {list(sets.shape)}"
            raise TargetError(f"This {self.name} was built for sets of {self.shape.p} nodes, not for {given}.")
        if columns != self.shape.num_attributes:
            raise ParameterError(
                f"This {self.name} was built for {self.shape.num_attributes} attribute columns a node "
                f"and the graph has {columns}; use a graph with the same attributes."
            )

    def extra_repr(self) -> str:
        shown = {"p": self.shape.p, "classes": self.shape.num_classes, **self.hyper}
        return ", ".join(f"{key}={value!r}" for key, value in shown.items())


class TransductiveNet(SetNet):
    """A model that knows the nodes of one graph by number, and so can judge only that graph.

    Its ``bind`` notes which graph that is.

    Examples
    --------
    >>> from degnn_explore import build, link_task, load
    >>> task = link_task(load("karate"))
    >>> isinstance(build("PGNN", task), TransductiveNet), isinstance(build("GCN", task), TransductiveNet)
    (True, False)
    """

    inductive: ClassVar[bool] = False
    known_graphs: Tensor

    def __init__(self, name: str, shape: Shape, hyper: Mapping[str, Any], width: int = 0) -> None:
        super().__init__(name, shape, hyper, width)
        # the training graph and the full one it was made from; buffers, so that they are saved
        self.register_buffer("known_graphs", torch.zeros((0, 32), dtype=torch.uint8))

    def bind(self, task: Task) -> None:
        digests = torch.stack([digest_bytes(task.graph), digest_bytes(task.full_graph)])
        self.known_graphs = digests.to(self.known_graphs.device)

    def check(self, graph: Graph, sets: Ints) -> None:
        super().check(graph, sets)
        if not len(self.known_graphs):
            raise ParameterError(f"This {self.name} is transductive and has not been trained yet; run de.fit first.")
        if not (self.known_graphs.cpu() == digest_bytes(graph)).all(dim=1).any():
            raise ParameterError(
                f"{self.name} is transductive: it knows the nodes of its training graph only, and "
                "this is another graph. Use an inductive model such as DE-GNN-SPD, or train on it."
            )


def horizon_of(radius: int, encoding: Encoding | None) -> int | None:
    """How far from S a model looks that reads the nodes within ``radius``: paths of the encoding may go further.

    None: anywhere.

    >>> from degnn_explore import SPD
    >>> horizon_of(2, None), horizon_of(2, SPD(max_dist=10))  # 9 steps from a target to a node 2 away: 5, and back
    (2, 5)
    """
    if encoding is None:
        return radius
    if encoding.recipe is None:
        return None
    return max(radius, (radius + encoding.recipe.reach) // 2)


def digest_bytes(graph: Graph) -> Tensor:
    """The digest of the graph's edges. [32]"""
    return torch.tensor(list(bytes.fromhex(graph.digest(attributes=False))), dtype=torch.uint8)
