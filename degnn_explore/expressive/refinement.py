"""Exact colour refinement: what a "proper" (injective) GNN can know after each layer.

A colour is a class of nodes that no such GNN separates. Layer 0 is the node's encoding (and
attributes, if asked); layer l + 1 is the pair of its own colour and the multiset of its
neighbours' colours at layer l, for K hops with each neighbour's distance beside its colour.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from hashlib import blake2b
from threading import Event

import numpy as np
from numpy.typing import NDArray

from ..common.errors import GraphError, ParameterError, whole_number
from ..common.stopping import raise_if
from ..encodings.base import Encoding
from ..encodings.paths import Distance
from ..graphs.graph import Graph, Targets

__all__ = ["Instances", "colours"]

Ints = NDArray[np.int64]

MAX_ARCS = 400_000_000


def colours(
    G: Graph,
    S: Targets | None = None,
    encoding: Encoding | None = None,
    hops: int = 1,
    layers: int | None = None,
    cut: bool = False,
    attributes: bool = False,
) -> Ints:
    """The colour of every node after 0, 1, 2, ... layers.

    Two nodes, of one graph or of two, have the same colour at layer l exactly if no GNN of that
    kind with l layers can give them different representations. Colours are digests of 63 bits:
    the same in every process, and across graphs.

    Parameters
    ----------
    G
        The graph.
    S
        The target set of the distance encoding; None for plain 1-WL.
    encoding
        The encoding ζ(u|S); None for shortest-path distances, not truncated.
    hops
        K: aggregate all nodes within K hops, with their distance (DEA-GNN).
    layers
        How many layers; None to go on until no colour class splits any more.
    cut
        Remove the edges inside S first.
    attributes
        Let the graph's node attributes tell nodes apart from the start.

    Returns
    -------
    int64 [layers + 1, n]

    Examples
    --------
    A path of three nodes: its ends look alike to 1-WL, but not from node 0.

    >>> path = Graph.from_edges([(0, 1), (1, 2)])
    >>> c = colours(path)[-1]
    >>> bool(c[0] == c[2]), bool(c[0] == c[1])
    (True, False)
    >>> c = colours(path, S={0})[-1]
    >>> bool(c[0] == c[2])
    False
    """
    whole_number("hops", hops, least=1)
    if layers is not None:
        whole_number("layers", layers, least=0)
    if S is None and encoding is not None:
        raise ParameterError("An encoding needs a target set: give S as well, or neither for plain 1-WL.")
    if S is None:
        tokens = np.zeros((1, G.num_nodes, 0, 1), dtype=np.int64)
        sets = np.zeros((1, 0), dtype=np.int64)
    else:
        sets = G.target_set(S)[None, :]
        tokens = (encoding or Distance()).tokens(G, sets, cut)
    run = Instances.build([(G, sets, tokens)], hops=hops, cut=cut, attributes=attributes)
    digests: list[Ints] = []
    for layer, classes in enumerate(run.refine(layers)):
        digests.append(run.digest(classes, digests[-1]) if layer else run.first_digest(classes))
    return np.stack(digests)


@dataclass(frozen=True)
class Instances:
    """Copies of graphs, one for each target set, refined together so that their classes compare.

    Node u of copy i is row ``start[i] + u``. Arcs are in CSR form, each with its distance.
    """

    start: Ints  # [copies + 1]
    indptr: Ints
    indices: Ints
    tags: Ints
    initial: Ints  # [rows, words]: sorted tokens, then attributes

    @classmethod
    def build(
        cls, parts: list[tuple[Graph, Ints, Ints]], *, hops: int = 1, cut: bool = False, attributes: bool = False
    ) -> Instances:
        """Copies of each part's graph G, one for each row of its sets [k, p], with tokens [k, n, p, words]."""
        from . import _kernels as kernels

        sizes = np.concatenate([np.full(len(sets), G.num_nodes) for G, sets, _ in parts])
        start = np.concatenate([[0], np.cumsum(sizes)])
        _check_size(parts, hops)
        words = max(tokens.shape[2] * tokens.shape[3] for _, _, tokens in parts)
        width = _attribute_words(parts) if attributes else 0
        initial = np.zeros((start[-1], words + width), dtype=np.int64)
        pointers, arcs, tags, copy = [np.zeros(1, dtype=np.int64)], [], [], 0
        for G, sets, tokens in parts:
            rows = _sorted_multisets(tokens).reshape(len(sets) * G.num_nodes, tokens.shape[2] * tokens.shape[3])
            here = slice(start[copy], start[copy] + len(rows))
            initial[here, : rows.shape[1]] = rows
            if width and G.attributes is not None:
                initial[here, words:] = np.tile((G.attributes + 0.0).view(np.int64), (len(sets), 1))  # + 0.0: no -0.0
            whole = kernels.khop_arcs(G.indptr, G.indices, sets[0, :0], False, hops) if len(sets) else None
            for S in sets:
                own = kernels.khop_arcs(G.indptr, G.indices, S, True, hops) if cut and len(S) > 1 else whole
                assert own is not None
                pointers.append(own[0][1:] + pointers[-1][-1])
                arcs.append(own[1] + start[copy])
                tags.append(own[2])
                copy += 1
        empty = np.zeros(0, dtype=np.int64)
        return cls(
            start, np.concatenate(pointers), np.concatenate([empty, *arcs]), np.concatenate([empty, *tags]), initial
        )

    def refine(self, layers: int | None = None, stop: Event | None = None) -> Iterator[Ints]:
        """The class of every row after 0, 1, 2, ... layers; ends after ``layers``, or when no class splits."""
        from . import _kernels as kernels

        rows = len(self.initial)
        classes = np.empty(rows, dtype=np.int64)
        pointer = np.arange(rows + 1) * self.initial.shape[1]
        count = kernels.group_rows(pointer, self.initial.ravel(), np.zeros(rows, dtype=np.int64), classes)
        yield classes
        neighbours = np.empty(len(self.indices), dtype=np.int64)
        layer = 0
        while layers is None or layer < layers:
            raise_if(stop, "colour refinement was cancelled")
            kernels.neighbour_rows(self.indptr, self.indices, self.tags, classes, count, neighbours)
            finer = np.empty_like(classes)
            new = kernels.group_rows(self.indptr, neighbours, classes, finer)
            if layers is None and new == count:
                return
            classes, count = finer, new
            layer += 1
            yield classes

    def row(self, u: int) -> tuple[Ints, Ints]:
        """The neighbours of row u and their distances."""
        here = slice(self.indptr[u], self.indptr[u + 1])
        return self.indices[here], self.tags[here]

    def first_digest(self, classes: Ints) -> Ints:
        """A canonical colour for each row's initial tokens."""
        _, first = np.unique(classes, return_index=True)
        return _spread([_digest(self.initial[u]) for u in first], classes)

    def digest(self, classes: Ints, before: Ints) -> Ints:
        """A canonical colour for each class, from the canonical colours of the layer before."""
        _, first = np.unique(classes, return_index=True)
        values = []
        for u in first:
            neighbours, tags = self.row(u)
            pairs = np.stack([tags, before[neighbours]], axis=1)
            pairs = pairs[np.lexsort((pairs[:, 1], pairs[:, 0]))]
            values.append(_digest(np.concatenate([before[u : u + 1], pairs.ravel()])))
        return _spread(values, classes)


def _digest(words: Ints) -> int:
    data = np.ascontiguousarray(words, dtype="<i8").tobytes()
    return int.from_bytes(blake2b(data, digest_size=8).digest(), "little") >> 1


def _spread(values: list[int], classes: Ints) -> Ints:
    if len(set(values)) < len(values):
        raise RuntimeError("two colours of this graph share a digest; please report this graph")
    return np.array(values, dtype=np.int64)[classes]


def _sorted_multisets(tokens: Ints) -> Ints:
    """Tokens [..., p, words] with the p entries in a canonical order."""
    if tokens.shape[2] < 2:
        return tokens
    if tokens.shape[3] == 1:
        return np.sort(tokens, axis=2)
    order = np.lexsort(np.moveaxis(tokens, 3, 0))  # sorts along the last remaining axis, p
    return np.take_along_axis(tokens, order[..., None], axis=2)


def _attribute_words(parts: list[tuple[Graph, Ints, Ints]]) -> int:
    widths = {0 if G.attributes is None else G.attributes.shape[1] for G, _, _ in parts}
    if len(widths) > 1:
        raise GraphError(
            f"The graphs have different numbers of attributes, {sorted(widths)}, so they cannot be compared."
        )
    return widths.pop()


def _check_size(parts: list[tuple[Graph, Ints, Ints]], hops: int) -> None:
    arcs = 0
    for G, sets, _ in parts:
        one = (
            len(G.indices)
            if hops == 1
            else min(G.num_nodes**2, len(G.indices) * max(int(G.degrees.max(initial=0)), 1) ** (hops - 1))
        )
        arcs += one * len(sets)
    if arcs > MAX_ARCS:
        raise ParameterError(
            f"Refining {sum(len(sets) for _, sets, _ in parts):,} target sets together needs about {arcs:,} arcs, "
            f"more than {MAX_ARCS:,}. Compare fewer sets (a lower order), fewer hops, or smaller graphs."
        )
