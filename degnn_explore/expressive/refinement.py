"""Exact color refinement: what a "proper" (injective) GNN can know after each layer.

A color is a class of nodes that no such GNN separates. Layer 0 is the node's encoding (and
attributes, if they count); layer l + 1 is the pair of its color and the multiset of its
neighbors' colors at layer l; for K hops, each neighbor's distance comes with its color.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from hashlib import blake2b

import numpy as np
from numpy.typing import NDArray

from ..common.errors import GraphError, ParameterError, check_int
from ..common.files import readable_size
from ..common.progress import check_cancelled
from ..encodings.base import Encoding, needs_encoding, tokens_of
from ..encodings.paths import Distance
from ..graphs.graph import Graph, Targets, needs_graph

__all__ = ["NO_TARGETS", "History", "Instances", "Part", "colors", "khop_size"]

Ints = NDArray[np.int64]
NO_TARGETS = np.zeros((1, 0), dtype=np.int64)
"""The sets of a graph without targets: one empty set."""
MAX_ARCS = 100_000_000  # of 24 bytes each
MAX_BYTES = 2e9  # of what colors returns
MAX_LAYERS = 100_000


def colors(
    G: Graph,
    S: Targets | None = None,
    encoding: Encoding | None = None,
    hops: int = 1,
    layers: int | None = None,
    cut: bool = False,
    attributes: bool = False,
) -> Ints:
    """The color of every node after 0, 1, 2, ... layers: int64 [layers + 1, n].

    Two nodes, of one graph or of two, have the same color at layer l exactly if no GNN of that
    kind with l layers can give them different representations. Colors are digests of 63 bits:
    the same in every process, and across graphs.

    Parameters
    ----------
    G, S, encoding
        The graph; the target set, None for plain 1-WL; ζ(u|S), None for shortest-path distances, not truncated.
    hops
        K: aggregate all nodes within K hops, with their distance (DEA-GNN).
    layers
        The number of layers; None to continue until no color class splits any more.
    cut
        Remove the edges inside S first.
    attributes
        Let the graph's node attributes tell nodes apart from the start.

    Examples
    --------
    A path of three nodes: its ends look alike to 1-WL, but not from node 0.

    >>> path = Graph.from_edges([(0, 1), (1, 2)])
    >>> c = colors(path)[-1]
    >>> bool(c[0] == c[2]), bool(c[0] == c[1])
    (True, False)
    >>> c = colors(path, S={0})[-1]
    >>> bool(c[0] == c[2])
    False
    """
    needs_graph("colors", G)
    needs_encoding(encoding)
    if layers is not None:
        check_int("layers", layers, least=0, most=MAX_LAYERS)
    if S is None and encoding is not None:
        raise ParameterError("An encoding needs a target set: give S as well, or neither for plain 1-WL.")
    sets = NO_TARGETS if S is None else G.target_set(S)[None, :]
    zeta = None if S is None else encoding or Distance()
    run = Instances.build([(G, sets)], zeta, hops=hops, cut=cut, attributes=attributes)
    last = sum(1 for _ in run.refine()) - 1 if layers is None else layers
    if (size := 8 * (last + 1) * G.num_nodes) > MAX_BYTES:
        raise ParameterError(
            f"The colors of {G.num_nodes:,} nodes after 0..{last:,} layers take {readable_size(size)}, more than "
            f"{readable_size(MAX_BYTES)}. Take fewer layers; de.distinguish needs no such table."
        )
    digests: list[Ints] = []
    for classes, _ in run.refine(last):
        digests.append(run.digest(classes, digests[-1] if digests else None))
    while len(digests) <= last:  # no class splits any more
        digests.append(run.digest(classes, digests[-1]))
    return np.stack(digests)


@dataclass(frozen=True)
class Part:
    """Target sets of one graph: sets [k, p], and their tokens [k, n, p, words] (p = 0 of them for plain 1-WL)."""

    graph: Graph
    sets: Ints
    tokens: Ints
    numbers: NDArray[np.float64] | None = None  # the numbers behind the tokens, if they are not exact. [k, n, p, dim]


@dataclass(frozen=True)
class Instances:
    """Copies of graphs, one for each target set, refined together so that their classes compare.

    Node u of copy i is row ``start[i] + u``. Arcs are in CSR form, each with its distance.
    """

    parts: tuple[Part, ...]
    start: Ints  # [copies + 1]
    indptr: Ints
    indices: Ints
    hop: Ints
    initial: Ints  # [rows, words]: sorted tokens, then attributes
    encoding: Encoding | None
    cut: bool

    @classmethod
    def build(
        cls,
        sides: Sequence[tuple[Graph, Ints]],
        encoding: Encoding | None = None,
        *,
        hops: int = 1,
        cut: bool = False,
        attributes: bool = False,
    ) -> Instances:
        """Copies of each graph, one for each row of its sets [k, p], with their encoding; None: plain 1-WL."""
        check_int("hops", hops, least=1)
        _check_size(sides, hops, encoding is not None)
        parts = _parts(sides, encoding, cut)
        start = np.cumsum([0, *(G.num_nodes for G, sets in sides for _ in sets)])
        width = _attribute_words(sides) if attributes else 0
        words = max(part.tokens[0, 0].size if len(part.sets) else 0 for part in parts)
        initial = np.zeros((start[-1], words + width), dtype=np.int64)
        pointers, arcs, hop, copy = [np.zeros(1, dtype=np.int64)], [], [], 0
        none = np.zeros(0, dtype=np.int64)
        for part in parts:
            G, sets = part.graph, part.sets
            here = slice(start[copy], start[copy + len(sets)])
            if part.tokens.size:
                initial[here, :words] = _sorted_multisets(part.tokens).reshape(-1, words)
            if width and G.attributes is not None:
                initial[here, words:] = np.tile((G.attributes + 0.0).view(np.int64), (len(sets), 1))  # + 0.0: no -0.0
            indptr, targets, distances = _arcs(G, hops)
            for S in sets:
                if cut and len(S) > 1:
                    indptr, targets, distances = _arcs(G.cut(S), hops)
                pointers.append(indptr[1:] + pointers[-1][-1])
                arcs.append(targets + start[copy] if copy else targets)
                hop.append(distances)
                copy += 1
        # A single copy is not concatenated: on a million nodes that would take longer than everything before.
        indices, distance = (each[0] if copy == 1 else np.concatenate([none, *each]) for each in (arcs, hop))
        return cls(parts, start, np.concatenate(pointers), indices, distance, initial, encoding, cut)

    def refine(self, layers: int | None = None) -> Iterator[tuple[Ints, Ints]]:
        """The class of every row after 0, 1, 2, ... layers, and the rows whose class is new.

        Ends after ``layers``, or when no class splits. The array of classes is always the same one, changed in place.
        """
        from . import _kernels as kernels

        rows = len(self.initial)
        classes = np.empty(rows, dtype=np.int64)
        pointer = np.arange(rows + 1) * self.initial.shape[1]
        count = kernels.group_rows(pointer, self.initial.ravel(), np.zeros(rows, dtype=np.int64), classes)
        size, scratch = np.bincount(classes, minlength=rows), np.full(rows, -1)
        changed = dirty = np.arange(rows)
        layer = 0
        while True:
            yield classes, changed
            check_cancelled("color refinement")
            if layer == layers:
                return
            changed, dirty, count = kernels.refine_layer(
                self.indptr, self.indices, self.hop, classes, size, count, dirty, scratch
            )
            layer += 1
            if not len(changed):
                return

    def row(self, u: int) -> tuple[Ints, Ints]:
        """The neighbors of row u and their distances."""
        here = slice(self.indptr[u], self.indptr[u + 1])
        return self.indices[here], self.hop[here]

    def digest(self, classes: Ints, before: Ints | None) -> Ints:
        """A canonical color for each class, from the canonical colors of the layer before (None: at layer 0)."""
        _, first, place = np.unique(classes, return_index=True, return_inverse=True)
        values = []
        for u in first:
            if before is None:
                words = self.initial[u]
            else:
                neighbors, hop = self.row(u)
                pairs = np.stack([hop, before[neighbors]], axis=1)
                pairs = pairs[np.lexsort((pairs[:, 1], pairs[:, 0]))]
                words = np.concatenate([before[u : u + 1], pairs.ravel()])
            data = np.ascontiguousarray(words, dtype="<i8").tobytes()
            values.append(int.from_bytes(blake2b(data, digest_size=8).digest(), "little") >> 1)
        if len(set(values)) < len(values):
            raise RuntimeError("two colors of this graph share a digest; please report this graph")
        return np.array(values, dtype=np.int64)[place]


class History:
    """The class of any row after any layer, stored as changes: a path of a million nodes has a million layers."""

    def __init__(self) -> None:
        self._rows, self._classes = list[Ints](), list[Ints]()
        self._keys: Ints | None = None

    def __len__(self) -> int:
        return len(self._rows)

    def add(self, classes: Ints, changed: Ints) -> None:
        """What :meth:`Instances.refine` yields for the next layer."""
        self._rows.append(changed)
        self._classes.append(classes[changed])
        self._keys = None

    def at(self, layer: int, rows: Ints) -> Ints:
        """The classes of these rows after ``layer`` layers."""
        if self._keys is None:
            layers = np.repeat(np.arange(len(self)), [len(rows) for rows in self._rows])
            keys = np.concatenate(self._rows) * len(self) + layers
            order = np.argsort(keys)
            self._keys, self._values = keys[order], np.concatenate(self._classes)[order]
        return self._values[np.searchsorted(self._keys, np.asarray(rows) * len(self) + layer, side="right") - 1]


def _parts(sides: Sequence[tuple[Graph, Ints]], encoding: Encoding | None, cut: bool) -> tuple[Part, ...]:
    """The sides with their tokens; tokens of real numbers are made together, so that rounding separates nothing."""
    if encoding is not None and not encoding.exact:
        numbers = [encoding.numbers(G, sets, cut) for G, sets in sides]
        made = zip(sides, tokens_of(numbers), numbers, strict=True)
        return tuple(Part(G, sets, tokens, values) for (G, sets), tokens, values in made)
    return tuple(
        Part(
            G,
            sets,
            encoding.tokens(G, sets, cut)
            if encoding is not None and len(sets)
            else np.zeros((len(sets), G.num_nodes, 0, 1), dtype=np.int64),
        )
        for G, sets in sides
    )


def _arcs(G: Graph, hops: int) -> tuple[Ints, Ints, Ints]:
    """For each node the nodes within ``hops`` and their distances, in CSR form."""
    from . import _kernels as kernels

    if hops == 1:
        return G.indptr, G.indices.astype(np.int64), np.ones(len(G.indices), dtype=np.int64)
    return kernels.khop_arcs(G.indptr, G.indices, hops)


def _sorted_multisets(tokens: Ints) -> Ints:
    """Tokens [..., p, words] with the p entries in a canonical order."""
    if tokens.shape[2] < 2:
        return tokens
    if tokens.shape[3] == 1:
        return np.sort(tokens, axis=2)
    order = np.lexsort(np.moveaxis(tokens, 3, 0))  # sorts along the last remaining axis, p
    return np.take_along_axis(tokens, order[..., None], axis=2)


def _attribute_words(sides: Sequence[tuple[Graph, Ints]]) -> int:
    widths = {0 if G.attributes is None else G.attributes.shape[1] for G, _ in sides}
    if len(widths) > 1:
        raise GraphError(
            f"The graphs have different numbers of attributes, {sorted(widths)}, so they cannot be compared."
        )
    return widths.pop()


def khop_size(G: Graph, hops: int) -> int:
    """An upper bound on the number of arcs between nodes of G within ``hops`` of each other."""
    reach = max(int(G.degrees.max()), 1) ** min(hops - 1, 64)
    return min(G.num_nodes**2, len(G.indices) * reach)


def _check_size(sides: Sequence[tuple[Graph, Ints]], hops: int, encoded: bool) -> None:
    arcs = sum((khop_size(G, hops) + G.num_nodes * sets.shape[1] * encoded) * len(sets) for G, sets in sides)
    if arcs > MAX_ARCS:
        raise ParameterError(
            f"Refining {sum(len(sets) for _, sets in sides):,} target sets together needs about {arcs:,} arcs, "
            f"more than {MAX_ARCS:,}. Compare fewer sets (a lower order), fewer hops, or smaller graphs."
        )
