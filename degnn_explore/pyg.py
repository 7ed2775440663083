"""For PyG users: distance encodings as a transform, and batches of encoded ego-networks as a loader."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import cached_property
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor
from torch.utils.data import DataLoader, Dataset, Sampler
from torch_geometric.data import Batch, Data
from torch_geometric.transforms import BaseTransform

from .common.errors import MOST_SEED, ParameterError, TargetError, check_int, short_repr
from .encodings.base import Encoding
from .engine.egonets import EgoNetworks, ego_networks
from .engine.features import inner_edges
from .engine.request import as_sets
from .graphs.convert import pyg_parts
from .graphs.graph import Graph, Targets

__all__ = ["AddDistanceEncoding", "TargetSetLoader"]


class AddDistanceEncoding(BaseTransform):
    """Adds ζ(u|S) of every node u of a ``Data`` to its features, for one target set S.

    Parameters
    ----------
    encoding
        Any encoding, such as ``de.SPD(max_dist=3)``. With ``pool=None`` the columns for each target stand side by side.
    targets
        The nodes of S, as numbers or names; or a function that takes a ``Data`` and says which, for datasets of many.
    cut
        Remove the edges between nodes of S first (G'_S), from ``edge_index`` and all that belongs to edges, too: a link
        that is to be predicted must not be seen.
    attr_name
        The field to put it into; None appends it to ``x``, which is made if there is none.

    Examples
    --------
    >>> import degnn_explore as de, torch_geometric.transforms as T
    >>> path = Data(edge_index=torch.tensor([[0, 1], [1, 2]]), num_nodes=3)
    >>> T.Compose([T.ToUndirected(), AddDistanceEncoding(de.SPD(max_dist=2), {0})])(path).x
    tensor([[1., 0., 0., 0.],
            [0., 1., 0., 0.],
            [0., 0., 1., 0.]])
    """

    def __init__(
        self,
        encoding: Encoding,
        targets: Targets | Callable[[Data], Targets],
        *,
        cut: bool = False,
        attr_name: str | None = None,
    ) -> None:
        if not isinstance(encoding, Encoding):
            raise ParameterError(f"encoding must be one such as de.SPD(3), not {short_repr(encoding)}.")
        self.encoding, self.targets, self.cut, self.attr_name = encoding, targets, cut, attr_name

    def forward(self, data: Data) -> Data:
        parts = pyg_parts(data)
        graph = Graph.from_edges(parts["edges"], parts["num_nodes"], names=parts["names"])
        S = graph.target_set(self.targets(data) if callable(self.targets) else self.targets)
        zeta = torch.from_numpy(self.encoding.encode(graph, S, cut=self.cut)).flatten(1)  # [n, dim] or [n, p * dim]
        if self.cut:
            inside = torch.isin(data.edge_index, torch.from_numpy(S).to(data.edge_index.device))
            data = data.edge_subgraph(~inside.all(dim=0))
        if self.attr_name is not None:
            data[self.attr_name] = zeta.to(data.edge_index.device, torch.float32)
        elif data.x is None:
            data.x = zeta.to(data.edge_index.device, torch.float32)
        else:
            x = data.x if data.x.is_floating_point() else data.x.float()
            data.x = torch.cat([x.reshape(len(x), -1), zeta.to(x.device, x.dtype)], dim=1)
        return data

    def __repr__(self) -> str:
        targets = getattr(self.targets, "__name__", self.targets)
        return f"{type(self).__name__}({self.encoding}, {targets}{', cut=True' * self.cut})"


class TargetSetLoader(DataLoader[Batch]):
    """Batches of encoded ego-networks for your own PyG model: the nodes within some hops of each target set S.

    **The edges between nodes of S are always cut** (G'_S of the paper's appendix), and degrees and ζ are taken after
    that: a link to predict is never part of its input. Links that are held out for validation and test
    must not be in ``data`` at all: PyG's ``RandomLinkSplit``, or ``task.graph`` of ``de.link_task``, leave them out.

    All ego-networks are extracted and encoded once, when the loader is made, by the compiled engine; where they take
    more than ``budget`` bytes, each batch is extracted when needed, with the same values. A batch has

    - ``x``: log(1 + degree), the columns of ``data.x``, then ζ(u|S); ``num_features`` columns;
    - ``edge_index``, ``batch``, ``ptr``: as usual in PyG;
    - ``target_index``: the rows of the targets, p for each set, ``x[target_index].view(-1, p, num_features)``;
    - ``node``, ``distance``: which node of ``data`` each row is, and how far from S;
    - ``y``: the labels of the sets, if any.

    With ``shuffle`` every pass has a new order, which depends only on the seed and the number of the pass.

    Parameters
    ----------
    data
        A PyG ``Data``, or a ``de.Graph``. Edges count in both directions, once; ``loader.graph.cleaning`` says what
        that changed.
    sets, labels
        The target sets, an integer array or tensor [k, p] (``edge_label_index.t()``) or a list of sets of one size,
        as numbers or names; and what to predict of each, [k] or [k, c].
    encoding
        SPD, LandingProbability, DRNL (pairs only), your own, or None.
    hops
        How far from S ego-networks reach: the layers of your model.
    batch_size, shuffle, num_workers, seed
        As in a ``DataLoader``. Batches are gathered so fast that worker processes (``num_workers``) rarely pay off.
    degree
        Whether log(1 + degree) is a feature.
    max_nodes_per_hop, budget, progress
        See :func:`degnn_explore.ego_networks`.
    **options
        More options of a ``DataLoader``, such as ``drop_last`` or ``pin_memory``.

    Examples
    --------
    >>> import degnn_explore as de
    >>> square = Data(edge_index=torch.tensor([[0, 1, 2, 3], [1, 2, 3, 0]]), num_nodes=4)
    >>> loader = TargetSetLoader(square, [(0, 1), (0, 2)], [1, 0], encoding=de.SPD(max_dist=2), hops=1)
    >>> loader
    TargetSetLoader(2 sets of 2, 5 features, 1 batch; the edges inside 1 of the sets are cut)
    >>> batch = next(iter(loader))
    >>> batch.node[batch.target_index].view(-1, 2).tolist(), batch.y.tolist(), tuple(batch.x.shape)
    ([[0, 1], [0, 2]], [1, 0], (8, 5))
    """

    def __init__(
        self,
        data: Data | Graph,
        sets: Any,
        labels: Any = None,
        *,
        encoding: Encoding | None = None,
        hops: int = 2,
        batch_size: int = 64,
        shuffle: bool = False,
        num_workers: int = 0,
        seed: int = 0,
        degree: bool = True,
        max_nodes_per_hop: int | None = None,
        budget: int = 2_000_000_000,
        progress: bool = True,
        **options: Any,
    ) -> None:
        self.graph = data if isinstance(data, Graph) else Graph.from_pyg(data)
        y = None if labels is None else _as_labels(labels)
        rows = sets.detach().cpu().numpy() if isinstance(sets, Tensor) else sets
        if y is not None and len(y) != 2 and isinstance(rows, np.ndarray) and rows.shape == (2, len(y)):
            raise TargetError(f"sets has shape {list(rows.shape)}; sets are rows, [k, p]: pass edge_label_index.t().")
        self.sets = as_sets(self.graph, rows)
        if y is not None and len(y) != len(self.sets):
            raise TargetError(f"There are {len(self.sets):,} target sets and {len(y):,} labels; give one for each set.")
        how: dict[str, Any] = {"max_nodes_per_hop": max_nodes_per_hop, "seed": seed, "budget": budget}
        egos = ego_networks(
            self.graph, self.sets, hops=hops, encoding=encoding, degree=degree, progress=progress, **how
        )
        self.num_features = egos.in_dim
        order = _Order(len(egos), shuffle, check_int("seed", seed, least=0, most=MOST_SEED))
        if clash := {"dataset", "sampler", "batch_sampler", "collate_fn"} & options.keys():
            raise ParameterError(f"TargetSetLoader makes the {short_repr(min(clash))} itself; leave that option out.")
        super().__init__(
            _EgoDataset(egos, y),
            check_int("batch_size", batch_size, least=1),
            sampler=order,
            num_workers=check_int("num_workers", num_workers, least=0),
            collate_fn=_as_it_is,
            **options,
        )

    @cached_property
    def cut_edges(self) -> NDArray[np.int64]:
        """How many edges of the graph lie inside each set and are cut. [k]"""
        return inner_edges(self.graph, self.sets).sum(axis=(1, 2)) // 2

    def __repr__(self) -> str:
        k, p = self.sets.shape
        about = f"{k:,} sets of {p}, {self.num_features} features, {len(self):,} batch{'es' * (len(self) != 1)}"
        return (
            f"{type(self).__name__}({about}; the edges inside {np.count_nonzero(self.cut_edges):,} of the sets are cut)"
        )


class _EgoDataset(Dataset[Data]):
    """One graph for each target set; the loader takes whole batches of them at once."""

    def __init__(self, egos: EgoNetworks, y: Tensor | None) -> None:
        self._egos, self._y = egos, y

    def __len__(self) -> int:
        return len(self._egos)

    def __getitem__(self, index: int) -> Data:
        return self.__getitems__([index])[0]

    def __getitems__(self, index: list[int]) -> Batch:
        return self._egos.to_pyg(index, labels=self._y)


class _Order(Sampler[int]):
    """The numbers of the sets, in the order of training in ``de.fit`` if shuffled."""

    def __init__(self, number: int, shuffle: bool, seed: int) -> None:
        self._number, self._shuffle, self._seed = number, shuffle, seed
        self._passes = 0

    def __len__(self) -> int:
        return self._number

    def __iter__(self) -> Iterator[int]:
        self._passes += 1
        order = np.arange(self._number)
        if self._shuffle:
            order = np.random.default_rng([self._seed, self._passes]).permutation(order)
        return iter(order.tolist())


def _as_it_is(batch: Batch) -> Batch:
    return batch


def _as_labels(labels: Any) -> Tensor:
    """A row for each set, as a tensor."""
    try:
        y = labels.detach().cpu() if isinstance(labels, Tensor) else torch.as_tensor(np.asarray(labels))
    except (TypeError, ValueError):  # text, or rows of several lengths
        y = torch.zeros(())
    if y.dim() == 0:
        raise ParameterError(f"labels must be numbers, a row for each set, not {short_repr(labels)}.")
    return y
