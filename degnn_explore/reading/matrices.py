"""Graphs as matrices and tensors: .npz of numpy and scipy, Matrix Market, MATLAB, PyG's .pt.

What a file claims (sizes, pointers, indices) is held against what it holds before anything is made of it: scipy and
numpy trust these numbers, and a wrong one ends the process. Nothing is unpickled.
"""

from __future__ import annotations

import io
import pickle
import re
import zlib
from collections.abc import Iterator, Mapping
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from ..common.errors import GraphError
from ..common.limits import FILE_BUDGET, MAX_NODES, fits
from ..graphs.cleaning import is_symmetric
from ..graphs.graph import Graph
from .content import check_members, check_size, check_text, expecting
from .tables import read_table

_CALLED = ("adjacency", "adj", "A", "network", "G", "W")
_DIMENSIONS = {"csr": 1, "csc": 1, "bsr": 3, "coo": 1, "dia": 2}  # of the entries
_MATLAB = {
    1: "i1",
    2: "u1",
    3: "i2",
    4: "u2",
    5: "i4",
    6: "u4",
    7: "f4",
    9: "f8",
    12: "i8",
    13: "u8",
}  # by number of type
Entries = tuple[NDArray[np.int64], NDArray[np.int64], NDArray[Any]]


def read_npz(content: bytes) -> Graph:
    """A graph from an adjacency matrix: ``scipy.sparse.save_npz``, or ``numpy.savez(path, adjacency=A)``."""
    what = "an .npz file of scipy.sparse.save_npz, or of numpy.savez with one square array, the adjacency matrix"
    with expecting(what):
        check_members(content)
        with np.load(io.BytesIO(content), allow_pickle=False) as saved:
            arrays = {key: saved[key] for key in saved.files}
    if "format" not in arrays:
        return _from_dense(_chosen(arrays, what))
    kind, shape = _as_word(arrays["format"]), arrays.get("shape")
    if kind not in _DIMENSIONS or shape is None or shape.dtype.kind not in "iu" or shape.shape != (2,):
        raise GraphError(f"the format is {kind!r} and the shape {shape}; expected {what}.")
    return _from_sparse(kind, shape.tolist(), arrays)


def read_mtx(content: bytes) -> Graph:
    """A graph from Matrix Market text in coordinate form; a symmetric matrix states each edge once.

    Our own reader, on top of that of tables: scipy's ends the process on some damaged files.

    Examples
    --------
    >>> read_mtx(b"%%MatrixMarket matrix coordinate pattern symmetric\\n3 3 2\\n2 1\\n3 2\\n").edges.tolist()
    [[0, 1], [1, 2]]
    """
    what = "a line %%MatrixMarket matrix coordinate ..., then rows, columns and entries, then row and column of each"
    text = check_text(content)
    first = text.partition(b"\n")[0].decode()
    words = first.casefold().split()
    if words[:3] != ["%%matrixmarket", "matrix", "coordinate"] or len(words) != 5 or words[3] == "complex":
        raise GraphError(f"line 1 is {first[:80]!r}; expected {what}.")
    sizes = re.compile(rb"(?m)^[ \t]*(\d{1,18})[ \t]+(\d{1,18})[ \t]+(\d{1,18})[ \t\r]*\n?").search(text)
    if sizes is None:
        raise GraphError(f"there is no line of three sizes; expected {what}.")
    rows, columns, count = map(int, sizes.groups())
    _check_square([rows, columns])
    width = 2 if words[3] == "pattern" else 3
    if text[sizes.end() :].isspace() or sizes.end() == len(text):
        entries = np.zeros((0, width))
    else:
        table = read_table(text[sizes.end() :], header=False, seps="")
        if len(table.first) != width or not all(kind.kind in "if" for kind in table.values.dtypes):
            raise GraphError(f"the entries have {len(table.first)} columns; expected {width} of numbers each.")
        entries = table.values.to_numpy()
    if len(entries) != count:
        raise GraphError(f"{count:,} entries are announced, {len(entries):,} are there; expected as many.")
    places, values = entries[:, :2].astype(np.int64) - 1, entries[:, 2] if width == 3 else np.ones(count)
    if words[4] != "general":
        places, values = np.concatenate([places, places[:, ::-1]]), np.concatenate([values, values])
    return _from_entries(rows, (places[:, 0], places[:, 1], values))


def read_mat(content: bytes) -> Graph:
    """A graph from a MATLAB file (-v7, -v6): a square matrix, alone or called A, adjacency, network.

    Our own reader of matrices alone: scipy's ends the process on some damaged files, and cells and structs nest.
    """
    what = "a MATLAB file saved with -v7 or -v6 that holds a sparse matrix"
    if b"\x89HDF\r\n\x1a\n" in content[:520]:
        raise GraphError(f"this MATLAB file was saved with -v7.3; expected {what}: save('g.mat', 'A', '-v7').")
    order: Literal["<", ">"] = "<" if content[126:128] == b"IM" else ">"
    if content[126:128] not in (b"IM", b"MI"):
        raise GraphError(f"it does not begin as MATLAB files of version 5 do; expected {what}.")
    matrices: dict[str, Any] = {}
    with expecting(what):
        for kind, data in _elements(content[128:], order):
            if kind == 15:  # packed
                plain = zlib.decompressobj().decompress(data, FILE_BUDGET)
                check_size(len(plain) + 1, FILE_BUDGET)
                kind, data = next(_elements(plain, order))
            if kind == 14:
                matrices |= _matlab_matrix(list(_elements(data, order)), order)
        matrix = _chosen(matrices, what)
    if isinstance(matrix, np.ndarray):
        return _from_dense(matrix)
    return _from_sparse("csc", matrix.pop("shape"), matrix)


def _elements(data: bytes, order: Literal["<", ">"]) -> Iterator[tuple[int, bytes]]:
    """The elements of a MATLAB file: the number of its type, and its bytes."""
    place = 0
    while place + 8 <= len(data):
        kind, size = np.frombuffer(data, f"{order}u4", 2, place).tolist()
        if kind >> 16:  # four bytes at most stand in the tag itself
            yield kind & 0xFFFF, data[place + 4 : place + 4 + min(kind >> 16, 4)]
            size = 0
        elif size > len(data) - place - 8:
            raise GraphError(f"{size:,} bytes are announced, {len(data) - place - 8:,} are there.")
        else:
            yield kind, data[place + 8 : place + 8 + size]
        place += 8 + size + (-size % 8 if kind != 15 else 0)


def _matlab_matrix(parts: list[tuple[int, bytes]], order: str) -> dict[str, Any]:
    """A sparse or full matrix of real numbers by its name: its flags, sizes, name, then what it holds."""
    flags, shape, name, *held = (
        np.frombuffer(data[: len(data) // size * size], f"{order}{_MATLAB[kind]}")
        for kind, data in parts
        if (size := np.dtype(_MATLAB.get(kind, "u1")).itemsize) and kind in _MATLAB
    )
    kind, called = int(flags[0]) & 0xFF, bytes(name.astype(np.uint8)).decode("latin-1")
    if kind == 5 and len(held) == 3 and len(held[1]):
        count = int(held[1][-1])
        return {
            called: {"shape": shape.tolist(), "indices": held[0][:count], "indptr": held[1], "data": held[2][:count]}
        }
    return {called: held[0].reshape(shape.tolist(), order="F")} if 6 <= kind <= 15 and len(held) == 1 else {}


def read_pt(content: bytes) -> Graph:
    """A graph from ``torch.save`` of a PyG ``Data`` or of a dictionary with ``edge_index``, without unpickling code."""
    import torch
    from torch_geometric.data import Data
    from torch_geometric.data.data import DataEdgeAttr, DataTensorAttr
    from torch_geometric.data.storage import GlobalStorage

    what = "a torch file with a PyG Data, or a dictionary of tensors with edge_index (other Python objects are refused)"
    with expecting(what):
        check_members(content)
        try:
            with torch.serialization.safe_globals([Data, DataEdgeAttr, DataTensorAttr, GlobalStorage]):
                saved = torch.load(io.BytesIO(content), map_location="cpu", weights_only=True)
        except pickle.UnpicklingError as error:
            if (other := re.search(r"GLOBAL ([\w.]+)", str(error))) is None:
                raise
            held = "HeteroData, whose nodes are of several kinds" if b"HeteroData" in content else other[1][:100]
            raise GraphError(f"it holds a {held}; expected {what}.") from None
        if isinstance(saved, tuple | list) and len(saved) > 1 and saved[1] is None:
            saved = saved[0]  # how PyG's datasets keep a single graph: (data, no slices, class)
        fields = saved.to_dict() if isinstance(saved, Data) else saved
        if not isinstance(fields, dict) or not isinstance(fields.get("edge_index"), torch.Tensor):
            raise GraphError(f"there is no edge_index in it; expected {what}.")
        tensors = [value for value in fields.values() if isinstance(value, torch.Tensor)]
        size = sum(tensor.numel() * tensor.element_size() for tensor in tensors)  # a stride of 0 costs the file nothing
        fits("what the tensors hold", size, budget=FILE_BUDGET, error=GraphError)
        return Graph.from_pyg(Data.from_dict({str(key): value for key, value in fields.items()}))


# ---- what they share ---------------------------------------------------------------------------------


def _chosen(arrays: Mapping[str, Any], what: str) -> Any:
    """The matrix meant: the one of a usual name, or the only one."""
    if (key := next((k for k in _CALLED if k in arrays), None)) is None and len(arrays) == 1:
        key = next(iter(arrays))
    if key is None:
        raise GraphError(f"no array called 'adjacency' among {list(arrays)[:10]}; expected {what}.")
    matrix = arrays[key]
    if isinstance(matrix, dict):  # of the arrays of a sparse one
        return matrix
    if matrix.ndim != 2 or matrix.dtype.kind not in "biuf":
        raise GraphError(f"{key!r} is {matrix.dtype} of shape {list(matrix.shape)}; expected {what}.")
    return matrix


def _as_word(array: NDArray[Any]) -> str:
    word = array.item() if array.size == 1 else ""
    return word.decode("latin-1") if isinstance(word, bytes) else str(word)


def _check_square(shape: Any) -> None:
    if len(shape) != 2 or shape[0] != shape[1] or shape[0] < 1:
        raise GraphError(f"the adjacency matrix has shape {list(shape)}; expected a square one.")
    if shape[0] > MAX_NODES:
        raise GraphError(f"the adjacency matrix is of {shape[0]:,} nodes; expected at most {MAX_NODES:,}.")


def _from_dense(matrix: NDArray[Any]) -> Graph:
    _check_square(matrix.shape)
    rows, columns = np.nonzero(matrix)
    return _from_entries(matrix.shape[0], (rows, columns, matrix[rows, columns]))


def _from_sparse(kind: str, shape: Any, arrays: Mapping[str, NDArray[Any]]) -> Graph:
    """A graph from the arrays of a sparse matrix of scipy, which gets to see them once they fit each other."""
    import scipy.sparse

    _check_square(shape)
    keys = {"coo": ("row", "col"), "dia": ("offsets",)}.get(kind, ("indices", "indptr"))
    sound = [key for key in keys if key in arrays and arrays[key].ndim == 1 and arrays[key].dtype.kind in "iu"]
    if len(sound) < len(keys) or "data" not in arrays or arrays["data"].ndim != _DIMENSIONS[kind]:
        raise GraphError(f"a {kind} matrix has the arrays data, {', '.join(keys)}; one is missing or of a wrong kind.")
    data, places = arrays["data"], [arrays[key].astype(np.int64) for key in keys]
    if kind not in ("coo", "dia") and not _fit(int(shape[0]), data, *places):
        raise GraphError(
            f"the index arrays of the {kind} matrix do not fit its {len(data):,} entries and {shape[0]:,} rows: "
            "the file is damaged. Save the matrix again."
        )
    with expecting(f"a {kind} matrix whose arrays fit each other"):
        parts = (data, tuple(places)) if kind == "coo" else (data, *places)
        made = getattr(scipy.sparse, f"{kind}_array")(parts, shape=(int(shape[0]), int(shape[1]))).tocoo()
    return _from_entries(made.shape[0], (made.row.astype(np.int64), made.col.astype(np.int64), made.data))


def _fit(n: int, data: NDArray[Any], indices: NDArray[np.int64], pointers: NDArray[np.int64]) -> bool:
    """Whether pointers rise from 0 to the number of indices, a row each, and the indices (of blocks) are inside."""
    height, width = data.shape[1:] or (1, 1)
    if 0 in (height, width) or n % height or n % width or len(pointers) != n // height + 1:
        return False
    rising = pointers[0] == 0 and (np.diff(pointers) >= 0).all() and pointers[-1] == len(indices) == len(data)
    return bool(rising and ((indices >= 0) & (indices < n // width)).all())


def _from_entries(n: int, entries: Entries) -> Graph:
    rows, columns, values = entries
    if values.dtype.kind not in "biuf" or not np.isfinite(values).all():
        raise GraphError("the adjacency matrix holds values that are not finite numbers; expected 0 and 1.")
    if rows.size and (min(rows.min(), columns.min()) < 0 or max(rows.max(), columns.max()) >= n):
        raise GraphError(f"the adjacency matrix has entries outside its shape [{n}, {n}].")
    filled = values != 0
    pairs = np.stack([rows[filled], columns[filled]], axis=1).astype(np.int64)
    symmetric = is_symmetric(pairs)
    if symmetric:  # a matrix states each edge twice: that is its form, not something to clean
        pairs = pairs[pairs[:, 0] <= pairs[:, 1]]
    return Graph.from_edges(pairs, n, directed=not symmetric, weighted=bool((values[filled] != 1).any()))
