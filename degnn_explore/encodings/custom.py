"""Your own ζ: a function of (node u, target v) pairs, or an :class:`Encoding` subclass, tried and then registered.

The function is called on flat arrays, many pairs at a time: by ``encode`` for all nodes of a graph, by the engine for
the ego-networks of many target sets.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..common.errors import ParameterError, check_choice, check_int, short_repr
from ..graphs.distances import set_distances
from ..graphs.graph import Graph
from .base import Encoding, Floats, Ints, Pool, Recipe
from .walks import LandingProbability

__all__ = ["REGISTRY", "FunctionEncoding", "PairInputs", "encoding", "examples", "name_of"]

REGISTRY: dict[str, Encoding] = {}
"""The registered encodings by name, oldest first."""
RESERVED = "SPD LP PR DRNL Distance LandingProbability GeneralizedPageRank PageRank HeatKernel".split()
MAX_WALKS = 1000
_NAME = re.compile(r"[^\W\d_]([\w -]{0,38}\w)?")


class PairInputs:
    """The inputs of a custom ζ for N pairs of a node u and a target v: read-only arrays, one entry for each pair.

    In training all of it is taken on the graph with the edges inside S cut, as in ``encode(..., cut=True)``.
    """

    distance: Ints
    """int64 [N]: min(SPD(u, v), max_dist), as in SPD; -1 if there is no path."""
    degree: Ints
    """int64 [N]: the degree of u."""
    target_degree: Ints
    """int64 [N]: the degree of v."""

    def __init__(self, distance: Ints, degree: Ints, target_degree: Ints, walks: Floats | None = None) -> None:
        self.distance, self.degree, self.target_degree = map(_read_only, (distance, degree, target_degree))
        self._walks = None if walks is None else _read_only(walks)

    def __len__(self) -> int:
        """N."""
        return len(self.distance)

    @property
    def walks(self) -> Floats:
        """float64 [N, walks + 1]: the probability that a walk from v is at u after 0, 1, ..., ``walks`` steps."""
        if self._walks is None:
            raise ParameterError("near.walks needs walks=, the longest walk: de.encoding(..., walks=3).")
        return self._walks

    def first(self) -> PairInputs:
        """The first pair alone."""
        arrays = self.distance[:1], self.degree[:1], self.target_degree[:1]
        return PairInputs(*arrays, None if self._walks is None else self._walks[:1])


def _read_only(array: NDArray[Any]) -> NDArray[Any]:
    view = array.view()
    view.flags.writeable = False
    return view


@dataclass(frozen=True)
class FunctionEncoding(Encoding):
    """ζ(u|v) by a function of :class:`PairInputs`; made by :func:`encoding`."""

    name: str
    fn: Callable[[PairInputs], Any]
    names: tuple[str, ...]
    max_dist: int
    walks: int = 0

    def __repr__(self) -> str:
        return f"<encoding {self.name!r}: {', '.join(self.names[:5])}{', …' if self.dim > 5 else ''}>"

    @property
    def columns(self) -> tuple[str, ...]:
        return self.names

    @property
    def recipe(self) -> Recipe:
        return Recipe("own", max(self.max_dist - 1, self.walks))

    def inputs(self, G: Graph, S: Ints, cut: bool) -> PairInputs:
        """The inputs for each v in S and every node u, target by target. N = p n"""
        n, p = G.num_nodes, len(S)
        degrees = (G.cut(S) if cut else G).degrees.astype(np.int64)
        distance = np.minimum(set_distances(G, S[None, :], cut)[0], self.max_dist).astype(np.int64).reshape(-1)
        walks = LandingProbability(self.walks).pairwise(G, S, cut).reshape(n * p, -1) if self.walks else None
        return PairInputs(distance, np.tile(degrees, p), np.repeat(degrees[S], n), walks)

    def pairwise(self, G: Graph, S: Ints, cut: bool) -> Floats:
        return self.values(self.inputs(G, S, cut)).reshape(len(S), G.num_nodes, self.dim)

    def values(self, near: PairInputs) -> Floats:
        """What the function returns for these pairs, as floats of the right shape. [N, dim]"""
        with np.errstate(all="ignore"):  # values that are not finite are reported later, unless np.where replaced them
            values = np.asarray(self.fn(near))
        shape = (len(near), self.dim)
        if values.shape == shape[:1] and self.dim == 1:
            values = values[:, None]
        if values.dtype.kind not in "biuf" or values.shape != shape:
            kind = "" if values.dtype.kind in "biuf" else f" of {values.dtype}"
            columns = f"{self.dim} column{'s' * (self.dim > 1)} {short_repr(list(self.names))}"
            raise ParameterError(
                f"The function of {self.name!r} returned an array of shape {list(values.shape)}{kind} for {shape[0]} "
                f"pairs and {columns}; return numbers of shape {list(shape)}."
            )
        return values.astype(np.float64, copy=False)


def encoding(
    name: str,
    fn: Callable[[PairInputs], Any] | Encoding,
    *,
    columns: Iterable[str] | None = None,
    max_dist: int | None = None,
    walks: int = 0,
    pool: Pool = "mean",
) -> Encoding:
    """Your own ζ, tried on small graphs and registered: it works wherever an encoding does.

    ``de.build("DE-GNN", task, encoding=z)`` and ``de.build("DEA-GNN", task, encoding=z)`` make models called
    ``DE-GNN-name`` and ``DEA-GNN-name`` everywhere. Registering the same name again replaces it.

    Parameters
    ----------
    name
        Its name in menus, tables and saved models.
    fn
        ``fn(near)`` returns ζ(u|v) for N pairs at a time, [N, columns]. Its inputs are ``near.distance`` [N] (-1: no
        path), ``near.degree`` and ``near.target_degree`` [N], and with ``walks`` also ``near.walks`` [N, walks + 1].
        Each row must depend on its own pair alone. Or pass an instance of your own :class:`Encoding` subclass, with
        ``columns`` and ``pairwise``; then give no other option.
    columns
        What each column means.
    max_dist
        How far distances are told apart, as in SPD: ``near.distance`` is min(SPD, max_dist). Required with a function;
        the engine searches that far around every target.
    walks
        The longest walk of ``near.walks``; 0 for none.
    pool
        AGG over v in S, ``"mean"`` or ``"sum"``.

    Examples
    --------
    >>> import degnn_explore as de
    >>> z = de.encoding("return", lambda near: near.walks[:, 1:].sum(axis=1), columns=["Σ walks"], max_dist=1, walks=2)
    >>> z.encode(de.Graph.from_edges([(0, 1), (1, 2)]), {0}).ravel()
    array([0.5, 1. , 0.5])
    """
    _check_name(name)
    check_choice("pool", pool, ["mean", "sum"])
    made: Encoding
    if isinstance(fn, Encoding):
        if (columns, max_dist, walks, pool) != (None, None, 0, "mean"):
            raise ParameterError(f"{type(fn).__name__} declares its own columns; pass only the name and the encoding.")
        made = fn
    elif not callable(fn):
        raise ParameterError(
            f"fn must be a function of near, such as lambda near: near.distance, or an Encoding, not {short_repr(fn)}."
        )
    else:
        if max_dist is None:
            raise ParameterError(
                f"encoding({name!r}) needs max_dist=, how far distances are told apart: near.distance is at most that."
            )
        far = check_int("max_dist", max_dist, least=1, most=10**6)
        steps = check_int("walks", walks, least=0, most=MAX_WALKS)
        made = FunctionEncoding(name, fn, _column_names(columns), far, steps, pool=pool)
    _try(name, made)
    REGISTRY[name] = made
    return made


def name_of(encoding: Encoding) -> str | None:
    """The name under which an encoding is registered, or None."""
    return next((name for name, known in REGISTRY.items() if known is encoding), None)


def _check_name(name: Any) -> None:
    if not isinstance(name, str) or not _NAME.fullmatch(name):
        raise ParameterError(
            f"name={short_repr(name)} cannot name an encoding; use up to 40 letters, digits, spaces, '-' and '_', "
            "starting with a letter."
        )
    if name.casefold().startswith(("de-", "dea-")):
        raise ParameterError(f"{name!r} looks like a model or a method; choose a name without 'DE-'.")
    if name.casefold() in (taken.casefold() for taken in RESERVED):
        raise ParameterError(f"{name!r} is an encoding of this library; choose another name for yours.")


def _column_names(columns: Any) -> tuple[str, ...]:
    names = list(columns) if isinstance(columns, Iterable) and not isinstance(columns, str) else []
    if not names or not all(isinstance(name, str) and name for name in names) or len(set(names)) < len(names):
        raise ParameterError(
            f"columns must be a list of different names, one for each column, not {short_repr(columns)}."
        )
    return tuple(names)


# ---- trials on small graphs -----------------------------------------------------------------------


def examples(num_targets: int | None) -> Iterator[tuple[Graph, Ints]]:
    """Small random graphs with target sets of one, two and three nodes: some disconnected, one without an edge.

    >>> [len(S) for _, S in examples(2)]
    [2, 2, 2, 2, 2, 2]
    """
    rng = np.random.default_rng(7)
    for n, m in ((2, 1), (4, 6), (5, 0), (6, 4), (7, 9), (8, 12)):
        pairs = np.array([(u, v) for v in range(n) for u in range(v)])
        edges = pairs[np.sort(rng.permutation(len(pairs))[:m])]
        G = Graph.from_edges(edges, num_nodes=n)
        for p in (1, 2, 3) if num_targets is None else (num_targets,):
            if p > n:
                continue
            S = rng.permutation(n)[:p]
            if p > 1 and m:  # two of its nodes are neighbors, so that cutting changes something
                first = edges[rng.integers(m)]
                S = np.concatenate([first, np.setdiff1d(S, first)])[:p]
            yield G, S.astype(np.int64)


def _try(name: str, encoding: Encoding) -> None:
    """Raise a ParameterError with an example unless ζ is finite, of the right shape, and depends on G and S alone."""
    for G, S in examples(encoding.num_targets):
        where = _describe(G, S)
        try:
            problem = _problem(encoding, G, S)
        except Exception as error:
            what = str(error) if isinstance(error, ParameterError) else f"{type(error).__name__}: {error}"
            raise ParameterError(f"The encoding {name!r} cannot be computed {where}: {what}") from error
        if problem:
            raise ParameterError(f"The encoding {name!r} {problem}")


def _describe(G: Graph, S: Ints) -> str:
    edges = ", ".join(f"{u}-{v}" for u, v in G.edges.tolist()) or "none"
    return f"on the graph of {G.num_nodes} nodes with edges {edges} and S = {S.tolist()}"


def _problem(encoding: Encoding, G: Graph, S: Ints) -> str:
    """What is wrong with ζ on one example; "" if nothing is."""
    order = np.random.default_rng(len(S)).permutation(G.num_nodes)
    new = np.argsort(order)  # the number of each node once they are renumbered
    for cut in (False, True):
        zeta = encoding.pairwise(G, S, cut)
        shape = (1 if encoding.num_targets else len(S), G.num_nodes, encoding.dim)
        if not isinstance(zeta, np.ndarray) or zeta.shape != shape:
            returned = list(zeta.shape) if isinstance(zeta, np.ndarray) else type(zeta).__name__
            return (
                f"returns {returned} {_describe(G, S)}; pairwise must return an array [targets, nodes, columns] = "
                f"{list(shape)}, with columns {list(encoding.columns)}."
            )
        if not np.isfinite(zeta).all():
            v, u, c = np.argwhere(~np.isfinite(zeta))[0]
            return (
                f"is not finite: {_describe(G, S)} it is {zeta[v, u, c]} in column {encoding.columns[c]!r} for u = "
                f"{u}, v = {S[v]}. Return a number for every pair, also where there is no path (distance -1) or no "
                "neighbor (degree 0)."
            )
        renumbered = encoding.pairwise(G.relabel(order), new[S], cut)[:, new]
        reordered = encoding.pairwise(G, S[::-1].copy(), cut)[:: 1 if encoding.num_targets else -1]
        others = [
            ("when computed again", encoding.pairwise(G, S, cut), "Return the same for the same pair, without chance."),
            (f"with the nodes renumbered {new.tolist()}", renumbered, "Use nothing that depends on a node's number."),
            ("with S in another order", reordered, "S is a set."),
        ]
        if cut:
            without = encoding.pairwise(G.cut(S), S, False)
            others.append(("with the edges inside S removed beforehand", without, "With cut=True leave them out."))
        if isinstance(encoding, FunctionEncoding):
            alone = zeta.copy()
            alone[0, 0] = encoding.values(encoding.inputs(G, S, cut).first())[0]
            others.append(("when it is the only pair", alone, "Compute each row from its own pair alone."))
        for when, other, remedy in others:
            differs = ~np.isclose(zeta, other, rtol=1e-6, atol=1e-9).all(axis=2)
            if differs.any():
                v, u = np.argwhere(differs)[0]
                values = f"{_row(zeta[v, u])}, and {_row(other[v, u])} {when}"
                return f"changes: {_describe(G, S)} (cut={cut}) u = {u} and v = {S[v]} get {values}. {remedy}"
    return ""


def _row(values: Floats) -> str:
    return "[" + ", ".join(f"{x:.6g}" for x in values[:8]) + (", …]" if len(values) > 8 else "]")
