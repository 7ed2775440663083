"""Checks of the columns that a graph carries: one entry for each node, of the right kind, and immutable."""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import partial
from types import MappingProxyType
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..common.errors import GraphError, shown

_LARGEST = 1e18  # its square is still a float32
_CLASSES = 2**53  # past it a class is not exact as a float, and past 2^63 it would wrap to a negative one
_WIDE = 2**26  # bytes; beyond it, a text column is kept as objects: fixed width would make one long cell costly


def frozen(array: NDArray[Any]) -> NDArray[Any]:
    """The array, made read-only. It must be the caller's own: a user's array is copied before."""
    array.setflags(write=False)
    return array


def entries(what: str, column: Any, n: int | None = None) -> list[Any]:
    """The entries of a column, one for each node."""
    try:
        values = list(column)
    except TypeError:
        raise GraphError(f"{what} is {shown(column)}; give a list with one entry for each node.") from None
    if n is not None and len(values) != n:
        raise GraphError(f"{what} has {len(values)} entries for {n} nodes; give one for each node.")
    return values


def text(what: str, value: Any) -> str:
    """``str(value)`` that can be shown, saved and sent: no lone surrogates, no number of thousands of digits."""
    try:
        words = str(value)
        words.encode()
    except ValueError as error:
        reason = "half of a surrogate pair" if isinstance(error, UnicodeEncodeError) else str(error)
        raise GraphError(f"{what} is {shown(value)}, which is no text that can be written: {reason}.") from None
    return words


def texts(what: str, values: list[Any]) -> list[str]:
    """:func:`text` of each; where all are text already, whether it can be written is seen of all at once."""
    if set(map(type, values)) <= {str}:
        try:
            "".join(values).encode()
            return values
        except UnicodeEncodeError:
            pass  # one of them: the next line says which
    return [text(what, value) for value in values]


def are_other_numbers(ids: Iterable[Any]) -> bool:
    """Whether the ids are whole numbers, but not 0..n-1 in this order."""
    words = list(map(str, ids))
    whole = all(word.removeprefix("-").isdecimal() for word in words)
    return whole and any(word != str(i) for i, word in enumerate(words))


def node_names(names: Any, n: int) -> tuple[str, ...]:
    """Names as text, all different."""
    words = tuple(texts("a name", entries("names", names, n)))
    if len(set(words)) < n:
        twice = Counter(words).most_common(1)[0][0]
        raise GraphError(
            f"Two nodes are called {shown(twice)}; names must differ, so that a node can be found by name."
        )
    return words


def node_numbers(ids: Sequence[str]) -> NDArray[np.int64] | None:
    """The ids as numbers if they are exactly "0".."n-1", in any order. [n]"""
    if not all(map(str.isdecimal, ids)) or set(ids) != set(map(str, range(len(ids)))):
        return None
    return np.array([int(i) for i in ids], dtype=np.int64)


def finite(values: Any, n: int, what: str, width: int | None) -> NDArray[np.float64]:
    """A copy as float64 [n, width], every value finite."""
    try:
        array = np.array(values, dtype=np.float64)
    except (TypeError, ValueError, OverflowError) as error:
        raise GraphError(f"{what} must be numbers, an array of shape [{n}, {width or 'd'}]: {error!s:.100}") from None
    if array.ndim == 1 and width is None:
        array = array[:, None].copy()
    if array.ndim != 2 or len(array) != n or (width is not None and array.shape[1] != width):
        raise GraphError(f"{what} must have shape [{n}, {width or 'd'}], not {list(array.shape)}.")
    if not np.isfinite(array).all():
        row = int(np.flatnonzero(~np.isfinite(array).all(axis=1))[0])
        raise GraphError(f"{what} of node {row} are {array[row].tolist()}; every value must be finite.")
    if np.abs(array).max(initial=0) > _LARGEST:
        row, column = divmod(int(np.abs(array).argmax()), array.shape[1])
        raise GraphError(
            f"{what} of node {row} hold {array[row, column]}; networks compute in float32 and need values "
            f"within ±{_LARGEST:g}. Scale that column."
        )
    return frozen(np.ascontiguousarray(array))


def class_labels(labels: Any, n: int) -> NDArray[np.int64]:
    """A copy as int64 [n]: classes 0, 1, 2, ..., and -1 for none."""
    try:
        array = np.array(labels)
    except ValueError as error:
        raise GraphError(f"labels must be whole numbers (classes), one a node: {error!s:.100}") from None
    if array.shape != (n,):
        raise GraphError(f"labels must have one entry for each of the {n} nodes, not shape {list(array.shape)}.")
    if array.dtype.kind == "f":
        if not np.isfinite(array).all():
            row = int(np.flatnonzero(~np.isfinite(array))[0])
            raise GraphError(f"The label of node {row} is {array[row]}; use -1 for a node without a label.")
        if not (array == array.round()).all():
            raise GraphError("labels must be whole numbers (classes), one a node; these have fractions.")
    elif array.dtype.kind not in "iub":
        raise GraphError(f"labels must be whole numbers (classes), one a node, not {array.dtype}.")
    if (wrong := (array < -1) | (array >= _CLASSES)).any():
        raise GraphError(f"labels must be 0, 1, 2, ... or -1 for none, not {shown(int(array[wrong.argmax()]))}.")
    return frozen(array.astype(np.int64))


def info_columns(info: Mapping[Any, Any], n: int) -> Mapping[str, NDArray[Any]]:
    """Copies as plain columns [n], each of numbers or of text (an object in it is data, and shown as its text)."""
    named = {text("a column's name", key): column for key, column in info.items()}
    return MappingProxyType({key: frozen(_info_column(key, column, n)) for key, column in named.items()})


def _info_column(key: str, values: Any, n: int) -> NDArray[Any]:
    try:
        array = np.array(values)
    except ValueError:  # lists of different lengths
        array = np.empty(0, dtype=object)
    values = entries(f"info {key!r}", values, n)
    if array.ndim == 1 and array.dtype.kind in "iufb":
        return array
    words = ["" if value is None else text(f"info {key!r} of node {i}", value) for i, value in enumerate(values)]
    return np.array(words, dtype=object if 4 * n * max(map(len, words), default=0) > _WIDE else str)


def numeric_columns(info: Mapping[str, NDArray[Any]], names: Sequence[str]) -> NDArray[np.float64]:
    """The named columns side by side, if they hold numbers. [n, d]"""
    if missing := [name for name in names if name not in info]:
        raise GraphError(f"No column {missing[0]!r}; this graph has {sorted(info)}.")
    if words := [name for name in names if info[name].dtype.kind not in "iufb"]:
        raise GraphError(f"Column {words[0]!r} is text; attributes are numbers.")
    return np.stack([info[name].astype(np.float64) for name in names], axis=1)


# For each column of a graph: the check that takes what was given and the number of nodes, and makes the column.
CHECKS: dict[str, Callable[[Any, int], Any]] = {
    "_names": node_names,
    "labels": class_labels,
    "positions": partial(finite, what="positions", width=2),
    "attributes": partial(finite, what="attributes", width=None),
    "info": info_columns,
}


def digest_of(*columns: NDArray[Any] | None) -> str:
    """SHA-256 of these columns in their order: shapes and values; a column that is None counts as absent."""
    content = hashlib.sha256()
    for column in columns:
        if column is not None:
            content.update(f"{column.shape}".encode())
            content.update(column.astype("<f8" if column.dtype.kind == "f" else "<i8").tobytes())
        content.update(b";")
    return content.hexdigest()
