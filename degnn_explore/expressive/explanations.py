"""The sentence behind a verdict: where two target sets, or two graphs, first part.

Two nodes whose colours part at layer l have neighbours whose colours part at layer l - 1.
Following that down to layer 1 gives a walk from the target to a node whose neighbours'
encodings differ in plain sight.
"""

from __future__ import annotations

from collections import Counter
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from ..encodings.base import FAR
from ..encodings.paths import Distance
from .methods import Method
from .refinement import History, Instances, Part

__all__ = ["counted", "explain_graphs", "explain_sets"]

Ints = NDArray[np.int64]
LONGEST = 8  # entries of a multiset that a sentence spells out


def explain_sets(method: Method, layer: int, run: Instances, rows: list[Ints], history: History) -> str:
    """Why two target sets part at ``layer``, and not before."""
    pair = _parting([(side.ravel(), np.zeros(side.size, dtype=np.int64)) for side in rows], history, layer)
    say = _Speaker(method, run)
    if layer == 0:
        return say.at_start(rows, pair)
    walks = [[pair[0]], [pair[1]]]
    for depth in range(layer - 1, 0, -1):
        pair = _parting([run.row(u) for u in pair], history, depth)
        walks[0].append(pair[0])
        walks[1].append(pair[1])
    return say.walk(layer, walks)


def explain_graphs(method: Method, layer: int, run: Instances, rows: list[Ints], history: History) -> str:
    """Why two whole graphs part at ``layer``: how many of their sets' representations match."""
    members = [history.at(layer, r if method.encoding else r.reshape(-1, 1)) for r in rows]  # [k, p]
    left, right = (Counter(map(tuple, np.sort(m, axis=1).tolist())) for m in members)
    p = members[0].shape[1]
    what = {1: "node", 2: "pair"}.get(p, f"{p}-set")
    count = (sum(left.values()), sum(right.values()))
    if count[0] != count[1]:
        return f"one has {count[0]:,} {what}s and the other {count[1]:,}"
    only = sum((left - right).values())
    when = "already at layer 0" if layer == 0 else f"after {counted(layer)}"
    return f"{when} {only:,} of the first graph's {count[0]:,} {what} representations find no partner in the second"


def counted(count: int) -> str:
    """``1 layer``, ``2 layers``."""
    return "1 layer" if count == 1 else f"{count} layers"


def _parting(sides: list[tuple[Ints, Ints]], history: History, layer: int) -> tuple[int, int]:
    """Of the rows of each side, one with a (hop, colour) that the other side lacks; the same for both before."""

    def keys(layer: int) -> list[list[tuple[int, int]]]:
        return [list(zip(hops.tolist(), history.at(layer, rows).tolist(), strict=True)) for rows, hops in sides]

    first, second = (Counter(own) for own in keys(layer))
    lacking = first - second, second - first
    kept = [[k for k, key in enumerate(own) if key in spare] for own, spare in zip(keys(layer), lacking, strict=True)]
    sides = [(rows[k], hops[k]) if k else (rows, hops) for (rows, hops), k in zip(sides, kept, strict=True)]
    for before in range(layer - 1, -1, -1):
        left, right = keys(before)
        for u, key in zip(sides[0][0].tolist(), left, strict=True):
            if key in right:
                return u, int(sides[1][0][right.index(key)])
    return int(sides[0][0][0]), int(sides[1][0][0])


class _Speaker:
    """Puts rows of a run into words."""

    def __init__(self, method: Method, run: Instances) -> None:
        self.method, self.run = method, run
        self.profiles: dict[tuple[int, ...], str] = {}

    def locate(self, row: int) -> tuple[Part, int]:
        copy = int(np.searchsorted(self.run.start, row, side="right")) - 1
        return self.run.parts[int(copy >= len(self.run.parts[0].sets))], row - int(self.run.start[copy])

    def name(self, row: int) -> str:
        part, u = self.locate(row)
        return part.graph.names[u]

    def code(self, row: int) -> str:
        """ζ(u|S) in words: a distance, a multiset of distances, or the name of a walk profile."""
        part, u = self.locate(row)
        tokens = part.tokens[0, u]  # [p, words]
        if tokens.shape[1] > 1:
            key = tuple(np.sort(tokens, axis=0).ravel().tolist())
            return self.profiles.setdefault(key, f"profile {len(self.profiles) + 1}")
        return Distance().label(sorted(FAR if t < 0 else t for t in tokens[:, 0].tolist()))

    def bag(self, rows: Ints) -> str:
        """The multiset of the rows' encodings, shortened if long."""
        codes = Counter(self.code(int(r)) for r in rows)
        words = sorted(codes.elements())
        if len(words) > LONGEST:
            words = [f"{code}×{count}" for code, count in sorted(codes.items())]
        return "{" + ", ".join(words[:LONGEST]) + (", …" if len(words) > LONGEST else "") + "}"

    def at_start(self, rows: list[Ints], pair: tuple[int, int]) -> str:
        """Layer 0: the targets' own encodings differ."""
        if self.run.parts[0].tokens.shape[3] > 1 and (differing := self.first_step(rows, pair)):
            step, left, right = differing
            start = "" if rows[0].size > 1 else "back "
            return (
                f"already at layer 0: after {step} {'step' if step == 1 else 'steps'} a walk from the targets is "
                f"{start}at {self.name(pair[0])} with probability {left}, {start}at {self.name(pair[1])} with {right}"
            )
        return (
            f"already at layer 0: the targets' own encodings are {self.bag(rows[0].ravel())} "
            f"against {self.bag(rows[1].ravel())}"
        )

    def first_step(self, rows: list[Ints], pair: tuple[int, int], longest: int = 12) -> tuple[int, str, str] | None:
        """The shortest walk whose landing probabilities (exact, from each node of S) differ at the pair."""
        states = [[{int(row): Fraction(1)} for row in side.ravel()] for side in rows]
        for step in range(1, longest + 1):
            states = [[_walk(self.run, state) for state in side] for side in states]
            chances = [
                sorted(state.get(row, Fraction(0)) for state in side) for side, row in zip(states, pair, strict=True)
            ]
            if chances[0] != chances[1]:
                left, right = (" and ".join(map(str, side)) for side in chances)
                return step, left, right
        return None

    def walk(self, layer: int, walks: list[list[int]]) -> str:
        """Layer >= 1: the walks lead to two nodes whose neighbours' encodings differ."""
        ends = []
        for side in walks:
            neighbours, tags = self.run.row(side[-1])
            ends.append({int(t): neighbours[tags == t] for t in np.unique(tags)})
        none = np.zeros(0, dtype=np.int64)
        occurring = sorted(ends[0].keys() | ends[1].keys())
        tag = next((t for t in occurring if len({self.seen(end.get(t, none)) for end in ends}) > 1), 1)
        within = "neighbours" if tag == 1 else f"nodes {tag} hops away"
        if self.method.encoding is None:
            facts = [f"{len(end.get(tag, none))} {within}" for end in ends]
        else:
            facts = [f"{within} at {self.method.nouns} {self.bag(end.get(tag, none))}" for end in ends]
        names = [" → ".join(self.path(side)) for side in walks]
        if self.run.parts[0].graph is not self.run.parts[1].graph:  # the same names may stand in both
            names = [f"{names[0]} in the first graph", f"{names[1]} in the second"]
        if layer == 1:
            return f"after 1 layer: {names[0]} has {facts[0]}, {names[1]} has {facts[1]}"
        return f"after {counted(layer)}: {names[0]} leads to {facts[0]}, {names[1]} to {facts[1]}"

    def path(self, walk: list[int]) -> list[str]:
        """The names along a walk, without the middle of a long one."""
        short = walk if len(walk) <= LONGEST else [*walk[:3], -1, *walk[-3:]]
        return ["…" if row < 0 else self.name(row) for row in short]

    def seen(self, rows: Ints) -> tuple[str, ...]:
        return tuple(sorted("node" if self.method.encoding is None else self.code(int(r)) for r in rows))


def _walk(run: Instances, state: dict[int, Fraction]) -> dict[int, Fraction]:
    """The exact distribution of a random walk over rows, one step later."""
    after: dict[int, Fraction] = {}
    for row, chance in state.items():
        neighbours, _ = run.row(row)
        for w in neighbours.tolist():
            after[w] = after.get(w, Fraction(0)) + chance / len(neighbours)
    return after
