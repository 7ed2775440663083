"""Full ego-networks in flat arrays and as PyG batches, for models that read every node."""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from ..common.errors import ParameterError
from . import _fill
from ._ball import Memory
from ._fill import FlatEgos
from .request import Work
from .store import Store, gather, starts

if TYPE_CHECKING:
    import torch_geometric.data
    from torch import Tensor

    from .tables import Table

Array = NDArray[Any]


class EgoNetworks(Store[FlatEgos, Any]):
    """The ego-networks of all target sets, made by :func:`degnn_explore.engine.egonets.ego_networks`.

    Examples
    --------
    >>> from degnn_explore import Graph
    >>> from degnn_explore.engine.egonets import ego_networks
    >>> data = ego_networks(Graph.from_edges([(0, 1), (1, 2), (2, 3)]), [(1, 2)], hops=1)
    >>> data.flat.nodes, data.flat.distance, data.flat.column
    (array([1, 2, 0, 3], dtype=int32), array([0, 0, 1, 1], dtype=int32), array([2, 3, 0, 1], dtype=int32))
    """

    def __init__(self, work: Work) -> None:
        self._nodes, self._edges = np.empty((2, len(work.sets)), dtype=np.int64)
        super().__init__(work)

    @property
    def flat(self) -> FlatEgos:
        """All ego-networks in flat arrays."""
        if self._store is None:
            raise ParameterError(
                f"These ego-networks take more than the budget of {self._work.request.budget:,} bytes, so they are not "
                "kept; extract some at a time with part(index), or raise budget=."
            )
        return self._store

    def batch(self, index: Any, device: Any = "cpu") -> torch_geometric.data.Batch:
        """The ego-networks of the sets in ``index`` as a PyG ``Batch``, see :meth:`to_pyg`."""
        batch, pinned = super().batch(index), str(device).startswith("cuda")
        return (batch.pin_memory() if pinned else batch).to(device, non_blocking=pinned)

    def part(self, index: Any) -> FlatEgos:
        """The ego-networks of the sets in ``index`` in new flat arrays."""
        wanted = self._wanted(index)
        return self._extract(wanted, quiet=True) if self._store is None else self._part(self._store, wanted)

    def subgraph_table(self, index: Any = None) -> Table:
        """What batches of :class:`~degnn_explore.engine.batch.Subgraphs` are gathered from."""
        from .tables import ego_table

        if index is None and self._store is not None:
            return ego_table(self._store)
        return ego_table(self.part(np.arange(len(self)) if index is None else index))

    def to_pyg(self, index: Any, device: Any = "cpu", labels: Tensor | None = None) -> torch_geometric.data.Batch:
        """The ego-networks of the sets in ``index`` as a PyG ``Batch``: :meth:`batch` under its PyG name.

        It has ``x``, ``edge_index``, ``batch``, ``ptr``, ``node`` (the node of G), ``distance`` to S, ``target_index``
        (the rows of the targets, p for each set) and, if ``labels`` of all sets are given, ``y``.

        Examples
        --------
        >>> from degnn_explore import Graph
        >>> from degnn_explore.engine.egonets import ego_networks
        >>> data = ego_networks(Graph.from_edges([(0, 1), (1, 2), (2, 3)]), [(1, 2), (0, 3)], hops=1)
        >>> data.to_pyg([1, 0]).target_index
        tensor([0, 1, 4, 5])
        """
        import torch

        batch = self.batch(index, device)
        if labels is not None:
            batch.y = labels[torch.from_numpy(np.asarray(index))].to(device)
            batch._slice_dict["y"] = torch.arange(batch.num_graphs + 1)
            batch._inc_dict["y"] = torch.zeros(batch.num_graphs, dtype=torch.int64)
        return batch

    def _count(self, begin: int, end: int, memory: Memory) -> None:
        work, part = self._work, slice(begin, end)
        of_each = (self._nodes[part], self._edges[part], self._lost[part])
        _fill.count_egos(work.net, work.request, work.sets[part], self._caps_of(part), memory.ball, *of_each)

    def _bytes(self, part: slice | NDArray[np.int64]) -> NDArray[np.int64]:
        item = self._work.net.indices.dtype.itemsize
        return self._nodes[part] * (4 * self.in_dim + 4 + 3 * item) + self._edges[part] * item

    def _extract(self, index: NDArray[np.int64], quiet: bool = False) -> FlatEgos:
        work, sets, caps = self._work, self._work.sets[index], self._caps_of(index)
        node_ptr, edge_ptr = starts(self._nodes[index]), starts(self._edges[index])
        total, kind = int(node_ptr[-1]), work.net.indices.dtype
        flat = FlatEgos(
            node_ptr,
            edge_ptr,
            nodes=np.empty(total, kind),
            distance=np.empty(total, np.int32),
            degree=np.empty(total, kind),
            x=np.empty((total, self.in_dim), np.float32),
            length=np.empty(total, kind),
            column=np.empty(edge_ptr[-1], kind),
        )

        def fill(begin: int, end: int, memory: Memory) -> None:
            _fill.fill_egos(work.net, work.request, sets, caps, begin, end, memory.ball, flat, *memory[1:])

        work.ranges(len(index), work.with_zeta(sets, caps, fill), "extracting ego-networks", quiet=quiet)
        return flat

    def _part(self, flat: FlatEgos, index: NDArray[np.int64]) -> FlatEgos:
        """The ego-networks at places ``index`` of ``flat`` in new flat arrays."""
        nodes, edges = np.diff(flat.node_ptr), np.diff(flat.edge_ptr)
        of_nodes = [gather(index, flat.node_ptr, nodes, column) for column in flat[2:7]]
        of_edges = gather(index, flat.edge_ptr, edges, flat.column)
        return FlatEgos._make([starts(nodes[index]), starts(edges[index]), *of_nodes, of_edges])

    def _gather(self, flat: FlatEgos, index: NDArray[np.int64]) -> torch_geometric.data.Batch:
        import torch

        ptr, edge_ptr = (starts(flat_ptr[index + 1] - flat_ptr[index]) for flat_ptr in flat[:2])
        x = np.empty((ptr[-1], flat.x.shape[1]), np.float32)
        node, distance, place = (np.empty(ptr[-1], np.int64) for _ in range(3))
        edge_index = np.empty((2, edge_ptr[-1]), np.int64)
        _fill.gather_egos(index, flat, x, node, distance, edge_index, place)
        arrays = {
            "x": x,
            "node": node,
            "distance": distance,
            "edge_index": edge_index,
            "target_index": (ptr[:-1, None] + np.arange(self.p)).reshape(-1),
            "batch": place,
            "ptr": ptr,
        }
        # type's own call: PyG's metaclass creates the class again, a sixth of the time of an epoch's batches
        batch = type.__call__(_batch_class(), **{name: torch.from_numpy(array) for name, array in arrays.items()})
        # what Batch.from_data_list collects one graph at a time, so that batch[i] works
        slices, shift = torch.from_numpy(ptr), torch.from_numpy(ptr[:-1])
        still, targets = torch.zeros_like(shift), torch.arange(len(index) + 1) * self.p
        batch._num_graphs = len(index)
        batch._slice_dict = dict.fromkeys(("x", "node", "distance"), slices)
        batch._slice_dict |= {"edge_index": torch.from_numpy(edge_ptr), "target_index": targets}
        batch._inc_dict = dict.fromkeys(("x", "node", "distance"), still)
        batch._inc_dict |= {"edge_index": shift, "target_index": shift}
        return batch


@cache
def _batch_class() -> type[torch_geometric.data.Batch]:
    """What PyG calls DataBatch: batches of Data."""
    from torch_geometric.data import Batch, Data

    return type(Batch(_base_cls=Data))
