"""Building a graph: pairs of nodes become clean CSR arrays with a report, node columns are checked.

Every column has one entry for each node, of the right kind, and is read-only.
"""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from types import MappingProxyType
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..common.errors import MAX_NODES, GraphError, short_repr

_LARGEST = 1e18  # values whose square is still a float32
_CLASSES = 2**53  # past it a class is not exact as a float, and past 2^63 it would wrap to a negative one
_WIDE = 2**26  # bytes; beyond it, a text column is kept as objects: fixed width would make one long cell costly


@dataclass(frozen=True)
class Cleaning:
    """What was changed to make the input an undirected, unweighted, simple graph.

    Attributes
    ----------
    self_loops, isolated
        Edges from a node to itself, dropped; nodes without any edge, kept.
    duplicates, reversed_duplicates
        Repetitions of an edge in the same direction, and edges given in both directions, merged.
    direction_ignored, weights_ignored
        The input was declared as directed; it carried edge weights.
    columns_ignored
        Columns of an edge list that were neither ends nor weights.
    renumbered
        The ids were integers other than 0..n-1: the nodes got new numbers, see :class:`Graph` for what that means.

    Examples
    --------
    >>> from degnn_explore import Graph
    >>> print(Graph.from_edges([(0, 1), (1, 0), (1, 1)], num_nodes=3).cleaning)
    dropped 1 self-loop; merged 1 edge given in both directions; kept 1 isolated node
    """

    self_loops: int = 0
    duplicates: int = 0
    reversed_duplicates: int = 0
    direction_ignored: bool = False
    weights_ignored: bool = False
    isolated: int = 0
    columns_ignored: tuple[str, ...] = ()
    renumbered: bool = False

    def __bool__(self) -> bool:
        return self != Cleaning()

    def __str__(self) -> str:
        columns = ", ".join(map(repr, self.columns_ignored))
        changes = [
            _count(self.self_loops, "dropped {} self-loop{s}"),
            _count(self.duplicates, "merged {} repeated edge{s}"),
            _count(self.reversed_duplicates, "merged {} edge{s} given in both directions"),
            "ignored edge directions" * self.direction_ignored,
            "ignored edge weights" * self.weights_ignored,
            _count(len(self.columns_ignored), "ignored column{s} ") + columns,
            _count(self.isolated, "kept {} isolated node{s}"),
            "renumbered the nodes from 0 (their ids are other integers)" * self.renumbered,
        ]
        return "; ".join(filter(None, changes)) or "nothing to clean"


def _count(number: int, sentence: str) -> str:
    return sentence.format(f"{number:,}", s="" if number == 1 else "s") if number else ""


def _as_pairs(edges: Any) -> tuple[NDArray[np.int64], list[str] | None]:
    """Pairs as integers [m, 2] and, if the ids are not integers, their names in order of appearance."""
    if not isinstance(edges, np.ndarray):
        try:
            edges = list(edges)
        except TypeError:
            raise GraphError(f"Edges are pairs of nodes, not {short_repr(edges)}.") from None
        for edge in edges:
            if not _is_pair(edge):
                raise GraphError(f"An edge is a pair of nodes, not {short_repr(edge)}.")
        if not all(isinstance(x, int | np.integer) and not isinstance(x, bool) for e in edges for x in e):
            return _numbered(edges)
        try:
            edges = np.array(edges, dtype=np.int64).reshape(-1, 2)
        except OverflowError:
            raise GraphError("A node id is above 2^63; number the nodes 0..n-1, or give ids as text.") from None
    if edges.ndim != 2 or edges.shape[1] != 2:
        raise GraphError(f"Edges are pairs, an array of shape [m, 2], not {list(edges.shape)}.")
    if edges.dtype.kind == "f" and np.isfinite(edges).all() and (edges == np.round(edges)).all():
        edges = edges.astype(np.int64)  # numpy.loadtxt reads whole numbers as floats
    if edges.dtype.kind not in "iu":
        return _as_pairs(edges.tolist())
    return edges.astype(np.int64, copy=False), None


def _is_pair(edge: Any) -> bool:
    many = isinstance(edge, Sequence) or (isinstance(edge, np.ndarray) and edge.ndim == 1)
    return many and not isinstance(edge, str | bytes) and len(edge) == 2


def _numbered(edges: list[Any]) -> tuple[NDArray[np.int64], list[str]]:
    numbers: dict[Hashable, int] = {}
    try:
        pairs = [[numbers.setdefault(x, len(numbers)) for x in e] for e in edges]
    except TypeError as error:
        raise GraphError(f"Node ids must be hashable: {error}.") from None
    return np.array(pairs, dtype=np.int64), [text("a node id", name) for name in numbers]


def numbered_edges(
    edges: Any, num_nodes: int | None, names: Sequence[str] | None
) -> tuple[NDArray[np.int64], int, Sequence[str] | None]:
    """Pairs of nodes 0..n-1 [m, 2], n, and the names, from the arguments of ``Graph.from_edges``."""
    pairs, seen = _as_pairs(edges)
    names = None if names is None else texts("a name", entries("names", names))
    if seen is not None:
        if names is None:
            names = seen
        elif missing := set(seen) - set(names):
            raise GraphError(f"The edges name nodes that are not in names: {short_repr(sorted(missing)[:5])}.")
        else:
            place = {name: i for i, name in enumerate(names)}
            pairs = np.array([place[name] for name in seen], dtype=np.int64)[pairs]
    largest = int(pairs.max()) if pairs.size else -1
    if num_nodes is None:
        num_nodes = len(names) if names is not None else largest + 1
    elif isinstance(num_nodes, bool) or not isinstance(num_nodes, int | np.integer):
        raise GraphError(f"num_nodes must be a whole number, not {short_repr(num_nodes)}.")
    if num_nodes < 1:
        raise GraphError("A graph needs at least one node; give num_nodes when there are no edges.")
    if num_nodes > MAX_NODES:
        raise GraphError(
            f"{short_repr(int(num_nodes))} nodes are too many: a graph has at most {MAX_NODES:,}, and each takes "
            "memory even without edges. If the ids are large numbers with gaps, give them as text: then only ids "
            "that occur become nodes."
        )
    if pairs.size and (pairs.min() < 0 or largest >= num_nodes):
        bad = int(pairs.min()) if pairs.min() < 0 else largest
        raise GraphError(f"An edge names node {bad}, but the nodes are 0..{num_nodes - 1}.")
    return pairs, int(num_nodes), names


def clean_csr(pairs: NDArray[np.int64], n: int) -> tuple[NDArray[np.int64], NDArray[np.int32], Cleaning]:
    """Pairs of nodes 0..n-1 as sorted CSR arrays (indptr, indices) and what was cleaned.

    An edge is sorted as one number: 32 bits for the lower end, 31 for the upper, one for its direction. That is several
    times faster than a sparse matrix, and all the counts come from one sort.
    """
    source, target = pairs[:, 0], pairs[:, 1]
    loops = source == target
    if loops.any():
        source, target = source[~loops], target[~loops]
    keys = np.minimum(source, target) << 32
    keys |= np.maximum(source, target) << 1
    keys |= source > target
    keys.sort()
    one_way = int(_first_of_run(keys).sum())
    keys >>= 1  # now the two directions of an edge are the same number, still in order
    first = _first_of_run(keys)
    unique = keys if first.all() else keys[first]
    low, high = unique >> 31, unique & (2**31 - 1)
    both = np.concatenate([low << 32 | high, high << 32 | low])
    both.sort()
    degrees = np.bincount(both >> 32, minlength=n)
    cleaning = Cleaning(
        self_loops=int(loops.sum()),
        duplicates=len(keys) - one_way,
        reversed_duplicates=one_way - len(unique),
        isolated=int((degrees == 0).sum()),
    )
    indptr = np.concatenate([np.zeros(1, dtype=np.int64), np.cumsum(degrees)])
    return indptr, both.astype(np.int32), cleaning  # int32 takes the lower half


def is_symmetric(pairs: NDArray[np.int64]) -> bool:
    """Whether every pair occurs in both directions, as in PyG's undirected graphs. [m, 2]"""
    source, target = pairs[:, 0], pairs[:, 1]
    return np.array_equal(np.unique(source << 32 | target), np.unique(target << 32 | source))


def _first_of_run(ordered: NDArray[np.int64]) -> NDArray[np.bool_]:
    """Marks the first of each run of equal values in a sorted array."""
    return np.concatenate([np.ones(min(1, len(ordered)), dtype=bool), ordered[1:] != ordered[:-1]])


# ---- columns of a graph ---------------------------------------------------------------------------


def frozen(array: NDArray[Any]) -> NDArray[Any]:
    """The array, made read-only; copy a user's array first."""
    array.setflags(write=False)
    return array


def entries(what: str, column: Any, n: int | None = None) -> list[Any]:
    """The entries of a column, one for each node."""
    try:
        values = list(column)
    except TypeError:
        raise GraphError(f"{what} is {short_repr(column)}; give a list with one entry for each node.") from None
    if n is not None and len(values) != n:
        raise GraphError(f"{what} has {len(values)} entries for {n} nodes; give one for each node.")
    return values


def text(what: str, value: Any) -> str:
    """``str(value)``, or a GraphError if it cannot be written: lone surrogates, numbers of thousands of digits."""
    try:
        words = str(value)
        words.encode()
    except ValueError as error:
        reason = "half of a surrogate pair" if isinstance(error, UnicodeEncodeError) else str(error)
        raise GraphError(f"{what} is {short_repr(value)}, which cannot be written as text: {reason}.") from None
    return words


def texts(what: str, values: list[Any]) -> list[str]:
    """:func:`text` of each value; strings are checked all at once."""
    if set(map(type, values)) <= {str}:
        try:
            "".join(values).encode()
            return values
        except UnicodeEncodeError:
            pass  # the next line says which one
    return [text(what, value) for value in values]


def ids_are_noncontiguous_ints(ids: Iterable[Any]) -> bool:
    """Whether the ids are all integers, but not 0..n-1 in this order."""
    words = list(map(str, ids))
    whole = all(word.removeprefix("-").isdecimal() for word in words)
    return whole and any(word != str(i) for i, word in enumerate(words))


def node_names(names: Any, n: int) -> tuple[str, ...]:
    """Names as text, all different."""
    words = tuple(texts("a name", entries("names", names, n)))
    if len(set(words)) < n:
        twice = Counter(words).most_common(1)[0][0]
        raise GraphError(
            f"Two nodes are called {short_repr(twice)}; names must be unique, so that a node can be found by name."
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
        raise GraphError(f"labels must be whole numbers (classes), one for each node: {error!s:.100}") from None
    if array.shape != (n,):
        raise GraphError(f"labels must have one entry for each of the {n} nodes, not shape {list(array.shape)}.")
    if array.dtype.kind == "f":
        if not np.isfinite(array).all():
            row = int(np.flatnonzero(~np.isfinite(array))[0])
            raise GraphError(f"The label of node {row} is {array[row]}; use -1 for a node without a label.")
        if not (array == array.round()).all():
            raise GraphError("labels must be whole numbers (classes), one for each node; these have fractions.")
    elif array.dtype.kind not in "iub":
        raise GraphError(f"labels must be whole numbers (classes), one for each node, not {array.dtype}.")
    if (wrong := (array < -1) | (array >= _CLASSES)).any():
        raise GraphError(f"labels must be 0, 1, 2, ... or -1 for none, not {short_repr(int(array[wrong.argmax()]))}.")
    return frozen(array.astype(np.int64))


def info_columns(info: Mapping[Any, Any], n: int) -> Mapping[str, NDArray[Any]]:
    """Copies as plain columns [n] of numbers or text; other objects become their text."""
    if not hasattr(info, "items"):
        raise GraphError(f"info must be a dict of columns, such as {{'city': [...]}}, not {short_repr(info)}.")
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


# For each column of a graph: the function of (values, number of nodes) that checks and makes it.
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
