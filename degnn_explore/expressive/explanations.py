"""The sentence behind a verdict: where two target sets, or two graphs, first part.

Two nodes whose colours part at layer l and agree before have neighbours of which the same holds at layer l - 1.
Following that down to layer 2 gives a walk from each target to a node, and at its end a kind of neighbour that one
node has more of than the other: every sentence counts what anyone can count again in the picture.
"""

from __future__ import annotations

from collections import Counter
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from ..encodings.base import FAR, Encoding, multiset
from ..encodings.paths import Distance
from .methods import Method
from .refinement import History, Instances, Part

__all__ = ["counted", "explain_graphs", "explain_same", "explain_sets"]

Ints = NDArray[np.int64]
LONGEST = 8  # entries of a multiset, or nodes of a walk, that a sentence spells out
DIGITS = (4, 7, 10)  # of numbers: more where fewer would write different ones alike
LONGEST_WALK = 12  # steps in which two walks are compared, in exact fractions


def explain_sets(method: Method, layer: int, run: Instances, rows: list[Ints], history: History) -> str:
    """Why two target sets part at ``layer``, and not before."""
    for digits in DIGITS:
        say = _Speaker(method, run, history, digits)
        said = _explained(layer, run, rows, history, say)
        if not say.unclear:
            break
    return said


def _explained(layer: int, run: Instances, rows: list[Ints], history: History, say: _Speaker) -> str:
    pair = _parting([(side.ravel(), np.zeros(side.size, dtype=np.int64)) for side in rows], history, layer)
    if layer == 0:
        return f"already at layer 0{say.when_cut(rows)}: {say.at_start(rows, pair)}"
    walks = [[pair[0]], [pair[1]]]
    for depth in range(layer - 1, 1, -1):
        pair = _parting([run.row(u) for u in pair], history, depth)
        walks[0].append(pair[0])
        walks[1].append(pair[1])
    return f"after {counted(layer)}{say.when_cut(rows)}: {say.at_the_end(walks, min(layer, 2) - 1)}"


def explain_same(method: Method, last: int, layers: int | None, run: Instances, rows: list[Ints], classes: Ints) -> str:
    """Why two target sets, or graphs, do not part; ``classes`` [rows] are those after the ``last`` layer."""
    if layers is not None:
        return f"up to layer {layers} the colours of both agree"
    if method.encoding is None and len(np.unique(classes)) == 1:
        degree = len(run.row(0)[0])
        have = "no node has a neighbour" if degree == 0 else f"every node has {_some(degree, 'neighbour')}"
        return f"{have}, so all look alike at every layer"
    say = _Speaker(method, run, History())
    which = "the colours of both agree"
    if rows[0].size == rows[1].size == 1:
        a, b = (say.name(int(side[0, 0])) + f" {place}".rstrip() for side, place in zip(rows, say.places, strict=True))
        which = f"{a} and {b} have the same colour"
    rest = "no colour class ever splits" if last == 0 else f"after layer {last} no colour class splits any more"
    return f"{which} at every layer: {rest}"


def explain_graphs(method: Method, layer: int, run: Instances, rows: list[Ints], history: History) -> str:
    """Why two whole graphs part at ``layer``: how many of their sets' representations match."""
    members = [history.at(layer, r if method.encoding else r.reshape(-1, 1)) for r in rows]  # [k, p]
    left, right = (Counter(map(tuple, np.sort(m, axis=1).tolist())) for m in members)
    p = members[0].shape[1]
    what = {1: "node", 2: "pair"}.get(p, f"{p}-set")
    count = (sum(left.values()), sum(right.values()))
    if count[0] != count[1]:
        return f"A has {_some(count[0], what)}, B has {count[1] or 'none'}"
    only = sum((left - right).values())
    when = "already at layer 0" if layer == 0 else f"after {counted(layer)}"
    return f"{when} {only:,} of the colours of A's {count[0]:,} {what}s find no partner in B"


def counted(count: int) -> str:
    """``1 layer``, ``2 layers``."""
    return "1 layer" if count == 1 else f"{count} layers"


def _parting(sides: list[tuple[Ints, Ints]], history: History, layer: int) -> tuple[int, int]:
    """Of the rows of each side, with their hops, one of a (hop, colour) that it has more of; the two agreed before."""

    def keys(layer: int) -> list[list[tuple[int, int]]]:
        return [list(zip(hops.tolist(), history.at(layer, rows).tolist(), strict=True)) for rows, hops in sides]

    now = keys(layer)
    first, second = (Counter(own) for own in now)
    spare = first - second, second - first
    before = keys(layer - 1) if layer else [[(0, 0)] * len(own) for own in now]
    left, right = (
        {old: row for row, old, key in zip(rows[::-1].tolist(), olds[::-1], own[::-1], strict=True) if key in more}
        for (rows, _), olds, own, more in zip(sides, before, now, spare, strict=True)
    )
    shared = next(key for key in left if key in right)
    return left[shared], right[shared]


def _some(count: int, what: str) -> str:
    """``no steps``, ``1 step``, ``2 steps``."""
    return f"{f'{count:,}' if count else 'no'} {what}" + ("" if count == 1 else "s")


def _nodes(count: int, hop: int) -> str:
    """``2 neighbours``, or ``1 node 2 hops away``."""
    return _some(count, "neighbour") if hop == 1 else f"{_some(count, 'node')} {hop} hops away"


class _Speaker:
    """Puts rows of a run into words."""

    def __init__(self, method: Method, run: Instances, history: History, digits: int = DIGITS[0]) -> None:
        self.method, self.run, self.history, self.digits = method, run, history, digits
        self.profiles: dict[tuple[int, ...], int] = {}
        self.spelt: dict[str, tuple[int, ...]] = {}
        self.unclear = False  # whether two different ζ(u|S) have been written alike
        first, second = (part.graph for part in run.parts)
        # the same names may stand in both graphs
        self.places = ("", "") if first is second else ("in A ", "in B ")

    def locate(self, row: int) -> tuple[Part, int]:
        copy = int(np.searchsorted(self.run.start, row, side="right")) - 1
        return self.run.parts[int(copy >= len(self.run.parts[0].sets))], row - int(self.run.start[copy])

    def name(self, row: int) -> str:
        part, u = self.locate(row)
        return part.graph.names[u]

    def when_cut(self, rows: list[Ints]) -> str:
        """Said where a target has lost an edge: its neighbours are counted without it."""
        for row in np.concatenate([side.ravel() for side in rows]).tolist():
            part, u = self.locate(row)
            if int((self.run.row(row)[1] == 1).sum()) < part.graph.degrees[u]:
                return ", edges inside S cut"
        return ""

    def code(self, row: int) -> str:
        """ζ(u|S) in words: a distance, several, the number of a walk profile, or an encoding's own; then attributes."""
        part, u = self.locate(row)
        tokens = part.tokens[0, u]  # [p, words]
        words = []
        if self.own is not None:
            words.append(self.value(self.own, part, u, tokens))
        elif tokens.shape[1] > 1:
            key = tuple(np.sort(tokens, axis=0).ravel().tolist())
            words.append(str(self.profiles.setdefault(key, len(self.profiles) + 1)))
        elif tokens.size:
            words.append(Distance().label(sorted(FAR if t < 0 else t for t in tokens[:, 0].tolist())).strip("{}"))
        if own := self.attributes(row):
            words.append(_attributes(own))
        return " and ".join(words)

    @property
    def own(self) -> Encoding | None:
        """The encoding, if it is none of those that have sentences of their own."""
        return self.method.own

    def value(self, encoding: Encoding, part: Part, u: int, tokens: Ints) -> str:
        """What such an encoding gives the node: its numbers, one for each target, or what it calls them itself."""
        if part.numbers is None:
            return encoding.label(encoding.shown(part.graph, part.sets[0], self.run.cut)[u].tolist()).strip("{}")
        order = np.lexsort(part.numbers[0, u].T[::-1])
        rows = [[f"{x:.{self.digits}g}" for x in row] for row in part.numbers[0, u][order].tolist()]
        said = multiset([row[0] if len(row) == 1 else f"({'; '.join(row)})" for row in rows]).strip("{}")
        key = tuple(tokens[np.lexsort(tokens.T[::-1])].ravel().tolist())
        self.unclear |= self.spelt.setdefault(said, key) != key
        return said

    def attributes(self, row: int) -> list[float]:
        """The node's attributes, if they are asked for."""
        tokens = self.run.parts[0].tokens
        own: list[float] = self.run.initial[row, tokens.shape[2] * tokens.shape[3] :].view(np.float64).tolist()
        return own

    def of(self, code: str, several: bool = False) -> str:
        """What a code is the code of: ``at distance 2``, ``with walk profiles {1, 2}``."""
        if not self.method.nouns:
            return f"with {code}"
        if not several and "," in code:
            return self.of(f"{{{code}}}", True)
        nouns = self.method.nouns if several else self.method.nouns[:-1]
        return f"{'at' if 'distance' in nouns else 'with'} {nouns} {code}"

    def bag(self, rows: Ints) -> str:
        """The multiset of the rows' encodings, shortened if long."""
        codes = Counter(self.code(int(r)) for r in rows)
        several = any("," in code for code in codes)
        words = sorted(codes.elements(), key=_by_number)
        if len(words) > LONGEST or several:
            words = [code if count == 1 else f"{code} ×{count}" for code, count in sorted(codes.items())]
        shown = [*words[:LONGEST], *(["…"] if len(words) > LONGEST else [])]
        return "{" + (" | " if several else ", ").join(shown) + "}"

    def at_start(self, rows: list[Ints], pair: tuple[int, int]) -> str:
        """Layer 0: the targets' own encodings differ."""
        owned = [sorted(self.attributes(row) for row in side.ravel().tolist()) for side in rows]
        if owned[0] != owned[1]:
            here, there = (f"{self.name(row)} has {_attributes(self.attributes(row))}" for row in pair)
            return f"{self.places[0]}{here}, {self.places[1]}{there}"
        if self.own is not None:
            if rows[0].size == 1:
                said = [
                    f"{place}{self.name(row)} has {the}{self.code(row)}"
                    for place, row, the in zip(self.places, pair, ("the value ", ""), strict=True)
                ]
                return ", ".join(said)
            bags = [self.bag(side.ravel()) for side in rows]
            return f"A's targets have the values {bags[0]}, B's {bags[1]}"
        if self.run.parts[0].tokens.shape[3] > 1:
            return self.first_step(rows, pair)
        apart = [self.apart(part) for part in self.run.parts]
        if len(apart[0]) == 1 and apart[0] != apart[1]:
            said = ["have no path between them" if d == FAR else f"are {_some(d, 'step')} apart" for (d,) in apart]
            return f"A's targets {said[0]}, B's {said[1]}"
        if apart[0] != apart[1]:
            said = ["{" + ", ".join(map(Distance().word, distances)) + "}" for distances in apart]
            return f"the distances between A's targets are {said[0]}, between B's {said[1]}"
        bags = [self.bag(side.ravel()) for side in rows]
        return f"A's targets are {self.of(bags[0], True)}, B's {self.of(bags[1], True)}"

    def apart(self, part: Part) -> list[int]:
        """The distances between all pairs of targets, ascending; none for plain refinement."""
        if not part.tokens.size:
            return []
        tokens = part.tokens[0, part.sets[0], :, 0]  # [p, p]
        return sorted(FAR if t < 0 else t for t in tokens[np.triu_indices(len(tokens), 1)].tolist())

    def first_step(self, rows: list[Ints], pair: tuple[int, int]) -> str:
        """The shortest walk whose landing probabilities (exact, from each node of S) differ at the pair."""
        states = [[{int(row): Fraction(1)} for row in side.ravel()] for side in rows]
        for step in range(1, LONGEST_WALK + 1):
            states = [[_walk(self.run, state) for state in side] for side in states]
            left, right = (
                sorted(state.get(row, Fraction(0)) for state in side) for side, row in zip(states, pair, strict=True)
            )
            if left != right:
                steps, (here, there) = _some(step, "step"), map(self.name, pair)
                if len(left) == 1:
                    return (
                        f"{self.places[0]}a walk from {here} is back after {steps} with probability {left[0]}, "
                        f"{self.places[1]}one from {there} with {right[0]}"
                    )
                return (
                    f"after {steps} walks from A's targets are at {here} with probabilities "
                    f"{', '.join(map(str, left))}, those from B's at {there} with {', '.join(map(str, right))}"
                )
        return f"walks from A's and from B's targets differ, but only after more than {LONGEST_WALK} steps"

    def at_the_end(self, walks: list[list[int]], layer: int) -> str:
        """At the end of the walks: of one kind of neighbour, after ``layer`` layers, one node has more."""
        ends = [self.run.row(walk[-1]) for walk in walks]
        keys = [list(zip(hops.tolist(), self.history.at(layer, rows).tolist(), strict=True)) for rows, hops in ends]
        left, right = map(Counter, keys)
        spare = (left - right) + (right - left)
        chosen = min(spare, key=lambda key: (key[0], left[key] == 0, right[key], key))
        those = [rows[[key == chosen for key in own]] for (rows, _), own in zip(ends, keys, strict=True)]
        shown = int(np.concatenate(those)[0])
        around = np.concatenate([rows[hops == chosen[0]] for rows, hops in ends])
        own = f" {self.of(self.code(shown))}" if len(set(self.history.at(0, around).tolist())) > 1 else ""
        first, second = (" → ".join(self.path(walk)) for walk in walks)
        names = [f" ({', '.join(map(self.name, rows[:3]))}{', …' if len(rows) > 3 else ''})" for rows in those]
        names = [text if layer and len(rows) else "" for text, rows in zip(names, those, strict=True)]
        below = f", {'each ' if len(those[0]) > 1 else ''}with {self.below(shown)}" if layer else ""
        verbs = ("has", "has") if len(walks[0]) == 1 else ("leads to", "to")
        return (
            f"{self.places[0]}{first} {verbs[0]} {_nodes(len(those[0]), chosen[0])}{own}{names[0]}{below}"
            f"{';' if layer else ','} {self.places[1]}{second} {verbs[1]} {len(those[1]) or 'none'}{names[1]}"
        )

    def below(self, row: int) -> str:
        """A node's neighbours in words, and with K hops those further away."""
        rows, hops = self.run.row(row)
        if not self.run.initial.shape[1]:
            return " and ".join(_nodes(int((hops == hop).sum()), hop) for hop in np.unique(hops).tolist() or [1])
        said = []
        for hop in np.unique(hops).tolist():
            what = "neighbours" if hop == 1 else f"nodes {hop} hops away"
            said.append(f"{what} {self.of(self.bag(rows[hops == hop]), True)}")
        return " and ".join(said) or "no neighbours"

    def path(self, walk: list[int]) -> list[str]:
        """The names along a walk, without the middle of a long one."""
        short = walk if len(walk) <= LONGEST else [*walk[:3], -1, *walk[-3:]]
        return ["…" if row < 0 else self.name(row) for row in short]


def _attributes(own: list[float]) -> str:
    return f"attributes ({', '.join(f'{x:g}' for x in own[:4])}{', …' if len(own) > 4 else ''})"


def _by_number(word: str) -> tuple[float, str]:
    try:
        return float(word), ""
    except ValueError:
        return FAR, word


def _walk(run: Instances, state: dict[int, Fraction]) -> dict[int, Fraction]:
    """The exact distribution of a random walk over rows, one step later."""
    after: dict[int, Fraction] = {}
    for row, chance in state.items():
        neighbours, _ = run.row(row)
        for w in neighbours.tolist():
            after[w] = after.get(w, Fraction(0)) + chance / len(neighbours)
    return after
