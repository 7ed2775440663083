"""Your own ζ: a function of (node u, target v) pairs, or an :class:`Encoding` of your own, tried and then registered.

The function is called on flat arrays, many pairs at a time: by ``encode`` for all nodes of a graph, by the engine for
the ego-networks of many target sets.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..common.errors import ParameterError, one_of, shown, whole_number
from ..graphs.distances import set_distances
from ..graphs.graph import Graph
from .base import ANYWHERE, Encoding, Floats, Ints, Pool, Recipe
from .trying import alike, cannot, examples, row, said, try_encoding
from .walks import LandingProbability

__all__ = ["OWN", "FunctionEncoding", "Near", "encoding", "name_of"]

OWN: dict[str, Encoding] = {}
"""The registered encodings by name, in the order in which they were registered."""
INPUTS = ("distance", "walks", "degree", "target_degree")
TAKEN = ("SPD", "LP", "PR", "DRNL", "Distance", "LandingProbability", "GeneralizedPageRank", "PageRank", "HeatKernel")
MOST_WALKS = 1000
_NAME = re.compile(r"[^\W\d_]([\w -]{0,38}\w)?")


class Near:
    """What an own ζ may know of N pairs of a node u and a target v: read-only arrays with an entry for each pair.

    In training all of it is taken on the graph with the edges inside S cut, as in ``encode(..., cut=True)``.
    """

    def __init__(self, number: int, arrays: Mapping[str, NDArray[Any]]) -> None:
        self._number, self._arrays = number, arrays
        self.read: set[str] = set()

    def __len__(self) -> int:
        """N."""
        return self._number

    @property
    def distance(self) -> Ints:
        """int64 [N]: the shortest-path distance, with ``max_dist`` min(SPD, max_dist) as in SPD; -1 is no path."""
        return self._get("distance")

    @property
    def walks(self) -> Floats:
        """float64 [N, walks + 1]: the probability that a walk from v is at u after 0, 1, ..., ``walks`` steps."""
        return self._get("walks")

    @property
    def degree(self) -> Ints:
        """int64 [N]: the degree of u."""
        return self._get("degree")

    @property
    def target_degree(self) -> Ints:
        """int64 [N]: the degree of v."""
        return self._get("target_degree")

    def _get(self, name: str) -> NDArray[Any]:
        self.read.add(name)
        if name not in self._arrays:
            raise ParameterError(
                f"near.{name} was not read when this encoding was tried, so it was not computed; read it always."
            )
        view = self._arrays[name].view()
        view.flags.writeable = False
        return view

    def part(self, rows: Any) -> Near:
        """Some of the pairs."""
        arrays = {name: array[rows] for name, array in self._arrays.items()}
        return Near(len(np.arange(self._number)[rows]), arrays)


@dataclass(frozen=True, repr=False)
class FunctionEncoding(Encoding):
    """ζ(u|v) by a function of :class:`Near`; made by :func:`encoding`."""

    name: str
    fn: Callable[[Near], Any]
    names: tuple[str, ...]
    walks: int = 0
    max_dist: int | None = None
    reads: frozenset[str] = frozenset(INPUTS)  # what the function looked at when it was tried

    def __repr__(self) -> str:
        return f"<encoding {self.name!r}: {', '.join(self.names[:5])}{', …' if self.dim > 5 else ''}>"

    @property
    def columns(self) -> tuple[str, ...]:
        return self.names

    @property
    def steps(self) -> int:
        """Steps of the walks that it reads; -1: none."""
        return self.walks if "walks" in self.reads else -1

    @property
    def recipe(self) -> Recipe:
        far = -1
        if "distance" in self.reads:
            far = ANYWHERE if self.max_dist is None else self.max_dist - 1
        return Recipe("own", max(far, self.steps, 0))

    def near(self, G: Graph, S: Ints, cut: bool) -> Near:
        """The inputs for each v in S and every node u, target by target. N = p n"""
        n, p = G.num_nodes, len(S)
        degrees = (G.cut(S) if cut else G).degrees.astype(np.int64)
        arrays: dict[str, NDArray[Any]] = {"degree": np.tile(degrees, p), "target_degree": np.repeat(degrees[S], n)}
        arrays = {name: array for name, array in arrays.items() if name in self.reads}
        if "distance" in self.reads:
            far = set_distances(G, S[None, :], cut)[0].astype(np.int64).reshape(-1)
            arrays["distance"] = far if self.max_dist is None else np.minimum(far, self.max_dist)
        if "walks" in self.reads:
            arrays["walks"] = LandingProbability(self.walks).pairwise(G, S, cut).reshape(n * p, -1)
        return Near(n * p, arrays)

    def pairwise(self, G: Graph, S: Ints, cut: bool) -> Floats:
        return self.values(self.near(G, S, cut)).reshape(len(S), G.num_nodes, self.dim)

    def values(self, near: Near) -> Floats:
        """What the function gives for these pairs, checked. [N, dim]"""
        with np.errstate(all="ignore"):  # what is not finite is said below, or was replaced by np.where
            given = np.asarray(self.fn(near))
        wanted = (len(near), self.dim)
        if given.shape == wanted[:1] and self.dim == 1:
            given = given[:, None]
        if given.dtype.kind not in "biuf" or given.shape != wanted:
            kind = "" if given.dtype.kind in "biuf" else f" of {given.dtype}"
            columns = f"{self.dim} column{'s' * (self.dim > 1)} {shown(list(self.names))}"
            raise ParameterError(
                f"The function of {self.name!r} returned an array of shape {list(given.shape)}{kind} for {wanted[0]} "
                f"pairs and {columns}; return numbers of shape {list(wanted)}."
            )
        return given.astype(np.float64, copy=False)


def encoding(
    name: str,
    fn: Callable[[Near], Any] | Encoding,
    *,
    columns: Iterable[str] | None = None,
    walks: int = 0,
    max_dist: int | None = None,
    pool: Pool = "mean",
) -> Encoding:
    """Your own ζ, tried on small graphs and registered: it works wherever an encoding does.

    ``de.build("DE-GNN", task, encoding=z)`` and ``de.build("DEA-GNN", task, encoding=z)`` make models that are called
    ``DE-GNN-name`` and ``DEA-GNN-name`` everywhere. Registering the same name again replaces it.

    Parameters
    ----------
    name
        What it is called, in menus, tables and saved models.
    fn
        ``fn(near)`` gives ζ(u|v) for N pairs at a time, [N, columns]; ``near.distance`` [N] (-1: no path),
        ``near.walks`` [N, walks + 1], ``near.degree`` and ``near.target_degree`` [N] go in. Each row must depend on its
        own pair alone. Or, the long form, an :class:`Encoding` of your own: ``columns`` and ``pairwise``.
    columns
        What each column means.
    walks
        The longest walk of ``near.walks``.
    max_dist
        Distances are told apart up to here, as in SPD: ``near.distance`` is min(SPD, max_dist). None: all of them,
        for which the engine has to search the whole graph around every set.
    pool
        AGG over v in S, ``"mean"`` or ``"sum"``.

    Examples
    --------
    >>> import degnn_explore as de
    >>> z = de.encoding("return", lambda near: near.walks[:, 1:].sum(axis=1), columns=["Σ walks"], walks=2)
    >>> z.encode(de.Graph.from_edges([(0, 1), (1, 2)]), {0}).ravel()
    array([0.5, 1. , 0.5])
    """
    if not isinstance(name, str) or not _NAME.fullmatch(name):
        raise ParameterError(
            f"name={shown(name)} cannot name an encoding; take up to 40 letters, digits, spaces, '-' and '_', a letter "
            "first."
        )
    if name.casefold().startswith(("de-", "dea-")):
        raise ParameterError(f"{name!r} would be taken for a model or a method; choose a name without 'DE-' for yours.")
    if name.casefold() in (taken.casefold() for taken in TAKEN):
        raise ParameterError(f"{name!r} is an encoding of this library; choose another name for yours.")
    one_of("pool", pool, ["mean", "sum"])
    made: Encoding
    if isinstance(fn, Encoding):
        if (columns, walks, max_dist, pool) != (None, 0, None, "mean"):
            raise ParameterError(f"{type(fn).__name__} says itself what its columns are; give the name and it alone.")
        made = fn
    elif not callable(fn):
        raise ParameterError(
            f"fn must be a function of near, such as lambda near: near.distance, or an Encoding, not {shown(fn)}."
        )
    else:
        if max_dist is not None:
            whole_number("max_dist", max_dist, least=1, most=10**6)
        steps = whole_number("walks", walks, least=0, most=MOST_WALKS)
        made = FunctionEncoding(name, fn, _columns(columns), steps, max_dist, pool=pool)
        made = replace(made, reads=_reads(made))
    try_encoding(name, made)
    OWN[name] = made
    return made


def _columns(columns: Any) -> tuple[str, ...]:
    """The names of the columns, checked."""
    listed = list(columns) if isinstance(columns, Iterable) and not isinstance(columns, str) else []
    if not listed or not all(isinstance(word, str) and word for word in listed) or len(set(listed)) < len(listed):
        raise ParameterError(f"columns must be a list of different words, one for each column, not {shown(columns)}.")
    return tuple(listed)


def _reads(made: FunctionEncoding) -> frozenset[str]:
    """What the function looks at, after a check that it takes each pair by itself."""
    read = set[str]()
    for G, S in examples(None):
        near = made.near(G, S, cut=True)
        try:
            values, again = made.values(near), made.values(near)
            turned, alone = made.values(near.part(slice(None, None, -1)))[::-1], made.values(near.part(slice(1)))
        except Exception as error:
            raise cannot(made.name, G, S, error) from error
        for other, what in ((again, "again"), (turned, "in another order"), (alone, "alone")):
            if alike(values[: len(other)], other):
                continue
            bad = int(np.isclose(values[: len(other)], other, rtol=1e-6, atol=1e-9).all(axis=1).argmin())
            v, u = divmod(bad, G.num_nodes)
            does = "gives other values when it is called again" if other is again else "looks at other pairs"
            raise ParameterError(
                f"The function of {made.name!r} {does}: {said(G, S)} u = {u} and v = {S[v]} get "
                f"{row(values[bad])} among {len(near)} pairs, and {row(other[bad])} {what}. Compute each row from its "
                "own pair alone: a maximum or mean over all pairs, or chance, gives another ζ each time."
            )
        read |= near.read
    return frozenset(read)


def name_of(encoding: Encoding) -> str | None:
    """The name under which an encoding is registered, or None."""
    return next((name for name, known in OWN.items() if known is encoding), None)
