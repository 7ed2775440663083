"""All that a page without a kernel shows, computed beforehand for every target set that its reader may pick.

A verdict between two sets is the first layer at which their classes differ, so classes are kept, of each set and layer
(and of each node beside each set, for colours and subtrees), and not verdicts of each pair of sets: n numbers, not n².
"""

from __future__ import annotations

import zlib
from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import combinations
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ....common.errors import ParameterError
from ....encodings.base import Encoding
from ....encodings.own import OWN
from ....encodings.paths import Distance
from ....expressive.refinement import NO_TARGETS, Instances
from ....expressive.two_wl import pair_colours
from ....graphs.graph import Graph
from ..colour_menu import offered
from ..colouring import SHOWN, by_encoding, encoding_of, own_name
from ..state import MAX_LAYER, ExplorerState
from ..verdict_table import Question

Ints = NDArray[np.int64]
MAX_NODES = 400  # of a graph on a page: the classes of all single targets still take less than 5 MB
MAX_PAIRS = 60  # nodes of a graph of which a reader may also pick pairs
MAX_ARCS = 20_000_000  # of K hops around all sets, beyond which DEA is left out
COLOURINGS = ("SPD", "LP", "1-WL", "DE-SPD", "DE-LP", "DEA-SPD")


@dataclass
class Packer:
    """Arrays in one row of bytes; what goes into the page's JSON says where each begins."""

    parts: list[bytes] = field(default_factory=list)
    size: int = 0

    def put(self, values: NDArray[Any], kind: str) -> dict[str, int]:
        """An array as it is."""
        data = np.ascontiguousarray(values, dtype=kind).tobytes()
        at = {"at": self.size, "size": len(data)}
        data += bytes(-len(data) % 4)
        self.parts.append(data)
        self.size += len(data)
        return at

    def classes(self, rows: Ints, before: Ints | None = None) -> dict[str, int]:
        """Numbers that matter only by which are equal, each as its place among those that split the class ``before``.

        A class only ever splits, so from layer to layer nearly all places are 0 and pack to nothing: three planes of
        bytes, low ones first.

        >>> packer = Packer()
        >>> packer.classes(np.array([7, 3, 7, 9]), before=np.array([1, 2, 1, 2]))
        {'at': 0, 'count': 4}
        >>> packer.parts
        [b'\\x00\\x00\\x00\\x01\\x00\\x00\\x00\\x00\\x00\\x00\\x00\\x00']
        """
        _, first, place = np.unique(rows, return_index=True, return_inverse=True)
        parents = np.zeros(len(first), dtype=np.int64) if before is None else before[first]
        order = np.lexsort((first, parents))
        begins = np.concatenate([[True], np.diff(parents[order]) != 0])
        counter = np.arange(len(order))
        rank = np.empty(len(first), dtype=np.int64)
        rank[order] = counter - np.maximum.accumulate(np.where(begins, counter, 0))
        flat = rank[place.reshape(-1)]
        at = self.put(np.stack([flat & 255, flat >> 8 & 255, flat >> 16]), "u1")["at"]
        return {"at": at, "count": len(flat)}


def sets_of(G: Graph, p: int) -> Ints:
    """All sets of p nodes, in the order in which the page numbers them. [k, p]"""
    return np.array(list(combinations(range(G.num_nodes), p)), dtype=np.int64).reshape(-1, p)


def check(state: ExplorerState) -> None:
    """A ParameterError, in words, for what no page can hold."""
    own = own_name(state.colour_by)
    if own and OWN[own].num_targets is not None:
        raise ParameterError(
            f"{own} takes target sets of {OWN[own].num_targets} nodes alone, and the reader of a page begins with "
            "single ones. Colour by something else first, or share a picture."
        )
    for side in state.sides:
        if side.graph.num_nodes > MAX_NODES:
            raise ParameterError(
                f"{side.graph!r} is too large for a page: what a reader may pick is computed beforehand and would take "
                f"more than 5 MB; the limit is {MAX_NODES} nodes. Share the code or a picture, or take a part of it."
            )
        if len(side.targets) > max(orders(state)):
            raise ParameterError(
                f"A page of this graph holds target sets of up to {max(orders(state))} nodes (pairs only up to "
                f"{MAX_PAIRS} nodes), and {len(side.targets)} are picked. Take some out first."
            )


def colourings_of(state: ExplorerState) -> tuple[str, ...]:
    """What a page can be coloured by: of encodings of one's own the one that is shown when it is made."""
    own = own_name(state.colour_by)
    return (*COLOURINGS, own, f"DE-{own}") if own else COLOURINGS


def orders(state: ExplorerState) -> list[int]:
    """The sizes of the target sets that a reader may pick."""
    small = all(2 <= side.graph.num_nodes <= MAX_PAIRS for side in state.sides)
    return [1, 2] if small else [1]


def precompute(state: ExplorerState) -> tuple[dict[str, Any], bytes]:
    """What a page's script needs to answer a reader, as JSON and as bytes."""
    check(state)
    graphs = list({id(side.graph): side.graph for side in state.sides}.values())
    packer, made = Packer(), dict[str, Any]()
    own = own_name(state.colour_by)
    for p in orders(state):
        sides = [(G, sets_of(G, p)) for G in graphs]
        looks, verdicts, missing = _refined(packer, state, sides)
        colourings = {by: _coloured(packer, state, sides, by) for by in ("SPD", "LP", *([own] if own else []))}
        made[str(p)] = {"looks": looks, "verdicts": verdicts, "missing": missing, "codes": colourings}
    texts = offered()
    options = [(texts[by], by) for by in colourings_of(state) if by not in made["1"]["missing"]]
    edges = [packer.put(G.edges, "<u4") for G in graphs]
    about = {
        "graphs": [{"n": G.num_nodes, "edges": at} for G, at in zip(graphs, edges, strict=True)],
        "sides": [graphs.index(side.graph) for side in state.sides],
        "orders": made,
        "colourings": options,
        "own": own,
        "layers": MAX_LAYER,
    }
    return about, b"".join(packer.parts)


def _refined(
    packer: Packer, state: ExplorerState, sides: list[tuple[Graph, Ints]]
) -> tuple[dict[str, Any], dict[str, Any], dict[str, str]]:
    """Classes of nodes beside each set, by what is looked at; classes of sets by method; methods left out, and why."""
    looks: dict[str, Any] = {}
    verdicts: dict[str, Any] = {}
    missing: dict[str, str] = {}
    total = sum(G.num_nodes for G, _ in sides)  # walks so long tell apart whatever longer ones do
    p = sides[0][1].shape[1]
    for name, method in Question.of(state).methods.items():
        if name == "2-WL":
            sizes = [G.num_nodes for G, _ in sides]
            if why := method.infeasible([*sizes, *sizes][:2], seconds=3):
                missing[name] = f"left out: {why}"
            elif state.cut and p > 1:
                missing[name] = "left out of this page: with edges cut it would have to run anew for each set"
            else:
                verdicts[name] = _pairs(packer, sides)
            continue
        hops = state.hops if method.many_hops else 1
        run = _instances(state, sides, method.encoding and method.encoding(total), hops)
        if run is None:
            missing[name] = f"left out of this page: {hops} hops around every set are too much to compute beforehand"
            continue
        looks[name], verdicts[name] = _look(packer, run, sides)
    run = _instances(state, sides, SHOWN["LP"](state.step, total), 1)
    looks["LP"] = _look(packer, run, sides)[0] if run else None
    if own := own_name(state.colour_by):
        looks[own] = looks[f"DE-{own}"]
    return looks, verdicts, missing


def _instances(
    state: ExplorerState, sides: list[tuple[Graph, Ints]], encoding: Encoding | None, hops: int
) -> Instances | None:
    p = sides[0][1].shape[1]
    if encoding is None and not (state.cut and p > 1):
        return Instances.build([(G, NO_TARGETS) for G, _ in sides])  # the same beside every set
    if (
        hops > 1
        and sum(len(sets) * Instances.build([(G, NO_TARGETS)], hops=hops).indptr[-1] for G, sets in sides) > MAX_ARCS
    ):
        return None
    return Instances.build(sides, encoding, hops=hops, cut=state.cut)


def _look(packer: Packer, run: Instances, sides: list[tuple[Graph, Ints]]) -> tuple[dict[str, Any], dict[str, Any]]:
    """The classes of all rows up to the deepest layer shown, and those of all sets up to the last that changes."""
    shared = run.parts[0].sets.shape[1] == 0
    rows = []
    start = 0
    for G, sets in sides:
        first = start if shared else start + G.num_nodes * np.arange(len(sets))[:, None]
        rows.append(sets + first)
        start += G.num_nodes * (1 if shared else len(sets))
    nodes, kept = [], []
    before: tuple[Ints | None, Ints | None] = None, None
    for layer, (classes, _) in enumerate(run.refine()):
        if layer <= MAX_LAYER:
            nodes.append(packer.classes(classes, before[0]))
        sets = _of_sets([np.sort(classes[these], axis=1) for these in rows])
        kept.append(packer.classes(sets, before[1]))
        before = classes.copy(), sets
    return {"shared": shared, "layers": nodes}, {"layers": kept}


def _of_sets(members: list[Ints]) -> Ints:
    """One number for each multiset, the same for equal ones. members [k, p] each"""
    together = np.concatenate(members)
    if together.shape[1] == 1:
        return together[:, 0]
    return np.unique(together, axis=0, return_inverse=True)[1].reshape(-1)


def _pairs(packer: Packer, sides: list[tuple[Graph, Ints]]) -> dict[str, Any]:
    """The classes of all sets by 2-WL: the multiset of the colours of the pairs inside each."""
    graphs = [G for G, _ in sides]
    kept, before = [], None
    for colours in pair_colours(graphs[0], graphs[-1]):
        members = []
        for (_, sets), pairs in zip(sides, colours, strict=False):
            inside = pairs[sets[:, :, None], sets[:, None, :]].reshape(len(sets), -1)
            members.append(np.sort(inside, axis=1))
        sets_now = _of_sets(members)
        kept.append(packer.classes(sets_now, before))
        before = sets_now
    return {"layers": kept}


def _coloured(packer: Packer, state: ExplorerState, sides: list[tuple[Graph, Ints]], by: str) -> dict[str, Any]:
    """The entry of every node beside every set in one legend, so that a colour means the same whatever is picked."""
    encoding = encoding_of(by, state.step, max(G.num_nodes for G, _ in sides)) or Distance()
    made = by_encoding([(G, S) for G, sets in sides for S in sets], encoding, state.cut, *state.legend_of(by))
    legend = [entry.as_dict() | {"counts": None} for entry in made.entries]  # the page counts
    return {"legend": legend, "title": made.title, **packer.put(np.concatenate(made.codes), "<u2")}


def packed(about: dict[str, Any], data: bytes) -> Iterator[bytes]:
    """JSON, whose length stands before it, and the bytes, compressed."""
    import json

    plain = json.dumps(about, separators=(",", ":")).encode()
    plain += b" " * (-len(plain) % 4)
    squeeze = zlib.compressobj(9, zlib.DEFLATED, 31)  # as gzip
    yield squeeze.compress(len(plain).to_bytes(4, "little") + plain)
    yield squeeze.compress(data)
    yield squeeze.flush()
