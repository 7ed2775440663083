"""Graphs as matrices and tensors: .npz of numpy and scipy, Matrix Market, MATLAB, PyG's .pt.

These readers trust scipy, numpy and torch with damaged files, so :mod:`degnn_explore.reading.isolate` calls them in
a child process. Nothing is unpickled.
"""

from __future__ import annotations

import pickle
import re
from collections.abc import Mapping
from typing import IO, Any

import numpy as np

from ..common.errors import MAX_NODES, GraphError
from ..common.extras import needs_extra
from ..graphs.build import is_symmetric
from ..graphs.graph import Graph

MATRIX_NAMES = ("adjacency", "adj", "A", "network", "G", "W")


def read_npz(file: IO[bytes]) -> Graph:
    """A graph from an adjacency matrix: ``scipy.sparse.save_npz``, or ``numpy.savez(path, adjacency=A)``."""
    import scipy.sparse

    with np.load(file) as saved:
        if "format" in saved:
            file.seek(0)
            return graph_of_matrix(scipy.sparse.load_npz(file))
        return graph_of_matrix(_chosen({key: saved[key] for key in saved.files}))


def read_mtx(file: IO[bytes]) -> Graph:
    """A graph from Matrix Market text; a symmetric matrix states each edge once."""
    import scipy.io

    return graph_of_matrix(scipy.io.mmread(file))


def read_mat(file: IO[bytes]) -> Graph:
    """A graph from a MATLAB file (-v7, -v6): a square matrix, alone or called A, adjacency, network."""
    import scipy.io

    try:
        arrays = scipy.io.loadmat(file)
    except NotImplementedError:
        raise GraphError("this MATLAB file was saved with -v7.3; save it with save('g.mat', 'A', '-v7').") from None
    return graph_of_matrix(_chosen({key: array for key, array in arrays.items() if not key.startswith("__")}))


def read_pt(file: IO[bytes]) -> Graph:
    """A graph from ``torch.save`` of a PyG ``Data`` or of a dictionary with ``edge_index``, without unpickling code."""
    try:
        with needs_extra("a PyG file"):
            import torch
            from torch_geometric.data import Data, HeteroData
            from torch_geometric.data.data import DataEdgeAttr, DataTensorAttr
            from torch_geometric.data.storage import BaseStorage, EdgeStorage, GlobalStorage, NodeStorage
    except ModuleNotFoundError as error:
        raise GraphError(f"{error}.") from None

    allowed = [Data, HeteroData, DataEdgeAttr, DataTensorAttr, BaseStorage, EdgeStorage, GlobalStorage, NodeStorage]
    try:
        with torch.serialization.safe_globals(allowed):
            saved = torch.load(file, map_location="cpu", weights_only=True)
    except pickle.UnpicklingError as error:
        if (other := re.search(r"GLOBAL ([\w.]+)", str(error))) is None:
            raise
        raise GraphError(f"it holds a {other[1][:100]}; expected a PyG Data or a dictionary of tensors.") from None
    if isinstance(saved, tuple | list) and len(saved) > 1 and saved[1] is None:
        saved = saved[0]  # how PyG's datasets keep a single graph: (data, no slices, class)
    if isinstance(saved, Data | HeteroData):
        return Graph.from_pyg(saved)
    if not isinstance(saved, dict) or not isinstance(saved.get("edge_index"), torch.Tensor):
        raise GraphError("it has no edge_index; expected a PyG Data or a dictionary of tensors with edge_index.")
    return Graph.from_pyg(Data.from_dict({str(key): value for key, value in saved.items()}))


def _chosen(arrays: Mapping[str, Any]) -> Any:
    """The matrix meant: the one of a usual name, or the only one."""
    if (key := next((k for k in MATRIX_NAMES if k in arrays), None)) is None and len(arrays) == 1:
        key = next(iter(arrays))
    if key is None:
        raise GraphError(f"no array called 'adjacency' among {list(arrays)[:10]}; expected a square matrix.")
    return arrays[key]


def graph_of_matrix(matrix: Any) -> Graph:
    """The graph of an adjacency matrix, dense or sparse; its entries other than 0 are the edges.

    Examples
    --------
    >>> graph_of_matrix(np.array([[0, 1, 0], [1, 0, 1], [0, 1, 0]])).edges.tolist()
    [[0, 1], [1, 2]]
    """
    import scipy.sparse

    shape = list(getattr(matrix, "shape", []))
    if len(shape) != 2 or shape[0] != shape[1] or shape[0] < 1:
        raise GraphError(f"the adjacency matrix has shape {shape}; expected a square one.")
    if shape[0] > MAX_NODES:
        raise GraphError(f"the adjacency matrix has {shape[0]:,} rows; expected at most {MAX_NODES:,}.")
    if matrix.dtype.kind not in "biuf":
        raise GraphError(f"the adjacency matrix holds values of type {matrix.dtype}; expected numbers, 0 and 1.")
    if scipy.sparse.issparse(matrix):
        if hasattr(matrix, "check_format"):
            matrix.check_format(full_check=True)  # indices out of range would be followed blindly
        matrix = matrix.tocoo()
        rows, columns, values = matrix.row, matrix.col, matrix.data
    else:
        rows, columns = np.nonzero(matrix)
        values = matrix[rows, columns]
    if not np.isfinite(values).all():
        raise GraphError("the adjacency matrix holds values that are not finite numbers; expected 0 and 1.")
    filled = values != 0
    pairs = np.stack([rows[filled], columns[filled]], axis=1).astype(np.int64)
    symmetric = is_symmetric(pairs)
    if symmetric:  # a matrix states each edge twice: that is its form, not something to clean
        pairs = pairs[pairs[:, 0] <= pairs[:, 1]]
    return Graph.from_edges(pairs, shape[0], directed=not symmetric, weighted=bool((values[filled] != 1).any()))
