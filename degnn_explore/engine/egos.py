"""Full ego-networks in flat arrays and as PyG batches, for models that read every node."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from ..common.errors import ParameterError
from . import _fill, _gather
from ._ball import Scratch
from ._fill import FlatEgos
from .request import Work
from .store import Store, gather, starts

if TYPE_CHECKING:
    import torch_geometric.data

__all__ = ["EgoNetworks", "FlatEgos"]

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
        self._sizes, self._edges = np.empty((2, len(work.sets)), dtype=np.int64)
        super().__init__(work)

    @property
    def flat(self) -> FlatEgos:
        """All ego-networks in flat arrays."""
        if self._store is None:
            raise ParameterError(
                f"These ego-networks take more than the budget of {self._work.budget:,} bytes and are "
                "streamed; ask for some at a time with part(index), or raise budget=."
            )
        return self._store if self._store.x.shape[1] == self.in_dim else self.part(np.arange(len(self)))

    def part(self, index: Any) -> FlatEgos:
        """The ego-networks of the sets in ``index`` in flat arrays of their own."""
        flat = self._part(self._wanted(index))
        return flat._replace(x=self._widen(flat.x))

    def to_pyg(self, index: Any, device: Any = "cpu") -> torch_geometric.data.Batch:
        """The ego-networks of the sets in ``index`` as a PyG ``Batch``: :meth:`batch` under its PyG name.

        Beside ``x``, ``edge_index``, ``batch`` and ``ptr`` it carries ``node`` (the node of G),
        ``distance`` to S, and ``target_index``, the rows of the targets, p for each set.

        Examples
        --------
        >>> from degnn_explore import Graph
        >>> from degnn_explore.engine.egonets import ego_networks
        >>> data = ego_networks(Graph.from_edges([(0, 1), (1, 2), (2, 3)]), [(1, 2), (0, 3)], hops=1)
        >>> data.to_pyg([1, 0]).target_index
        tensor([0, 1, 4, 5])
        """
        return self.batch(index, device)

    def _hops(self) -> int:
        return self._work.request.radius

    def _nodes(self) -> NDArray[np.int64]:
        return self._sizes

    def _count(self, part: slice, scratch: Scratch, lost: NDArray[np.int64]) -> None:
        work, nodes, edges = self._work, self._sizes[part], self._edges[part]
        _fill.count_egos(work.net, work.request, work.sets[part], self._caps[part], scratch, nodes, edges, lost)

    def _bytes(self, part: slice | NDArray[np.int64], columns: int) -> NDArray[np.int64]:
        item = self._work.net.indices.dtype.itemsize
        return self._sizes[part] * (4 * columns + 4 + 3 * item) + self._edges[part] * item

    def _extract(self, index: NDArray[np.int64], quiet: bool = False) -> FlatEgos:
        work, sets, caps = self._work, self._work.sets[index], self._caps[index]
        node_ptr, edge_ptr = starts(self._sizes[index]), starts(self._edges[index])
        total, kind = int(node_ptr[-1]), work.net.indices.dtype
        flat = FlatEgos(
            node_ptr,
            edge_ptr,
            nodes=np.empty(total, kind),
            distance=np.empty(total, np.int32),
            degree=np.empty(total, kind),
            x=np.empty((total, work.columns(work.request.width)), np.float32),
            length=np.empty(total, kind),
            column=np.empty(edge_ptr[-1], kind),
        )

        def fill(begin: int, end: int, scratch: Scratch) -> None:
            _fill.fill_egos(work.net, work.request, sets, caps, begin, end, scratch, flat)

        work.threads.ranges(len(index), fill, "extracting ego-networks", quiet)
        return flat

    def _part(self, index: NDArray[np.int64]) -> FlatEgos:
        if self._store is None:
            return self._extract(index, quiet=True)
        source = self._store
        columns = {
            name: gather(index, source.node_ptr, self._sizes, getattr(source, name))
            for name in ("nodes", "distance", "degree", "x", "length")
        }
        return FlatEgos(
            starts(self._sizes[index]),
            starts(self._edges[index]),
            **columns,
            column=gather(index, source.edge_ptr, self._edges, source.column),
        )

    def _gather(self, flat: FlatEgos, index: NDArray[np.int64]) -> torch_geometric.data.Batch:
        import torch
        from torch_geometric.data import Batch, Data

        num_nodes = np.diff(flat.node_ptr)
        sizes, edges = num_nodes[index], np.diff(flat.edge_ptr)[index]
        ptr, edge_ptr = starts(sizes), starts(edges)
        x, node, distance = (
            gather(index, flat.node_ptr, num_nodes, column) for column in (flat.x, flat.nodes, flat.distance)
        )
        tensors = {
            "x": torch.from_numpy(self._widen(x)),
            "node": torch.from_numpy(node.astype(np.int64)),
            "distance": torch.from_numpy(distance.astype(np.int64)),
        }
        edge_index = np.empty((2, edge_ptr[-1]), np.int64)
        _gather.gather_edges(index, flat, edge_index)
        tensors["edge_index"] = torch.from_numpy(edge_index)
        tensors["target_index"] = torch.from_numpy((ptr[:-1, None] + np.arange(self.p)).reshape(-1))
        tensors["batch"] = torch.from_numpy(np.repeat(np.arange(len(index)), sizes))
        tensors["ptr"] = torch.from_numpy(ptr)
        batch = Batch(_base_cls=Data, **tensors)
        # What Batch.from_data_list would note down one graph at a time, so that batch[i] works.
        slices, shift = torch.from_numpy(ptr), torch.from_numpy(ptr[:-1])
        still = torch.zeros_like(shift)
        batch._num_graphs = len(index)
        batch._slice_dict = {
            "x": slices,
            "node": slices,
            "distance": slices,
            "edge_index": torch.from_numpy(edge_ptr),
            "target_index": torch.arange(len(index) + 1) * self.p,
        }
        batch._inc_dict = {"x": still, "node": still, "distance": still, "edge_index": shift, "target_index": shift}
        return batch
