"""The sentence behind a verdict: the first place where two target sets, or two graphs, differ.

Each sentence states what anyone can count again in the picture. Their words are in ``sentences.toml``, which the
Explorer's page shares. There are three kinds:

- layer 0: the targets themselves differ ("The two targets of A are 3 steps apart, those of B have no path …");
- walks: a random walk from a target is back with another probability;
- neighbors: of one kind of neighbor, one node has more than the other.

Two nodes whose colors first differ at layer l have neighbors whose colors first differ at layer l - 1. Following them
down to layer 2 leads from each target along a walk to the node whose neighbors the sentence counts.
"""

from __future__ import annotations

import tomllib
from collections import Counter
from fractions import Fraction
from importlib.resources import files
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..common.style import counted
from ..encodings.base import UNREACHABLE, Encoding, multiset
from ..encodings.paths import Distance
from ..graphs.graph import Graph
from .methods import Method
from .refinement import History, Instances, Part

__all__ = ["SENTENCES", "explain_graphs", "explain_same", "explain_sets", "node_name", "say"]

Ints = NDArray[np.int64]
SENTENCES: dict[str, str] = tomllib.loads(files(__package__).joinpath("sentences.toml").read_text(encoding="utf-8"))
"""The sentences by name; what is in braces is filled in."""
MAX_SHOWN = 8  # nodes of a walk in a sentence
LISTED = 6  # kinds of neighbors in a sentence
DIGITS = (4, 7, 10)  # of numbers: more if fewer would print different values alike
MAX_STEPS = 12  # of walks that are compared, in exact fractions
_NUMBERS = ("No", "One", "Two", "Three", "Four", "Five", "Six", "Seven", "Eight", "Nine")


def say(name: str, **filled: Any) -> str:
    """A sentence with its gaps filled."""
    return SENTENCES[name].format(**filled)


def node_name(graph: Graph, node: int) -> str:
    """A node's name to show; a bare number gets a v, so that it is not read as a distance."""
    name = graph.names[node]
    return f"v{name}" if name == str(node) else name


def explain_sets(method: Method, layer: int, run: Instances, rows: list[Ints], history: History) -> str:
    """Why two target sets differ at ``layer``, and not before. rows: of A's targets and of B's"""
    targets = [np.sort(side.ravel()) for side in rows]
    pair = _first_difference([(side, np.zeros(side.size, dtype=np.int64)) for side in targets], history, layer)
    walks = [[pair[0]], [pair[1]]]
    for depth in range(layer - 1, 1, -1):
        pair = _first_difference([_around(run, u) for u in pair], history, depth)
        for walk, u in zip(walks, pair, strict=True):
            walk.append(u)
    for digits in DIGITS:
        words = _Words(method, run, digits)
        if layer == 0:
            why = _layer_0_sentence(words, targets, pair)
        else:
            why = _neighbor_sentence(words, walks, min(layer, 2) - 1, history, targets[0].size == 1)
        if not words.ambiguous:
            break
    return why + _cut_note(words, targets)


def explain_same(method: Method, last: int, layers: int | None, run: Instances, rows: list[Ints], classes: Ints) -> str:
    """Why two target sets, or graphs, never differ; ``classes`` [rows] are those after the ``last`` layer."""
    if layers is not None:
        return f"Up to layer {layers} the colors of both agree."
    if method.encoding is None and len(np.unique(classes)) == 1:
        return say("regular", neighbors=_count(len(run.row(0)[0]), "neighbor"))
    which = "The colors of both agree"
    if rows[0].size == rows[1].size == 1:
        a, b = (_Words(method, run).name(int(side[0, 0])) for side in rows)
        which = f"{a} and {b} have the same color"
    rest = "no color class ever splits" if last == 0 else f"after layer {last} no color class splits any more"
    return f"{which} at every layer: {rest}."


def explain_graphs(method: Method, layer: int, run: Instances, rows: list[Ints], history: History) -> str:
    """Why two whole graphs differ at ``layer``: how many colors of A's sets have no counterpart among B's."""
    members = [history.at(layer, r if method.encoding else r.reshape(-1, 1)) for r in rows]  # [k, p]
    left, right = (Counter(map(tuple, np.sort(m).tolist())) for m in members)
    p = members[0].shape[1]
    what = {1: "node", 2: "pair"}.get(p, f"{p}-set")
    if left.total() != right.total():
        return say("has", a="A", b="B", x=_count(left.total(), what), y=_count(right.total(), what))
    when = "Already at layer 0" if layer == 0 else f"After {counted(layer, 'layer')}"
    return f"{when} {(left - right).total():,} of the colors of A’s {left.total():,} {what}s find no partner in B."


def _around(run: Instances, row: int) -> tuple[Ints, Ints]:
    """The rows that a row takes in, and their hops; the nearest first."""
    rows, hops = run.row(row)
    order = np.lexsort((rows, hops))
    return rows[order], hops[order]


def _first_difference(sides: list[tuple[Ints, Ints]], history: History, layer: int) -> tuple[int, int]:
    """A row of each side, with equal colors before ``layer``, whose (hop, color) that side has more of than the other.

    sides: rows and their hops
    """

    def keys(layer: int) -> list[list[tuple[int, int]]]:
        return [list(zip(hops.tolist(), history.at(layer, rows).tolist(), strict=True)) for rows, hops in sides]

    now = keys(layer)
    first, second = map(Counter, now)
    surplus = first - second, second - first
    before = keys(layer - 1) if layer else [[(0, 0)] * len(side) for side in now]
    left, right = (
        [(old, row) for row, old, key in zip(rows.tolist(), olds, side, strict=True) if key in more]
        for (rows, _), olds, side, more in zip(sides, before, now, surplus, strict=True)
    )
    twins = dict(reversed(right))  # the first row of each color
    return next((row, twins[old]) for old, row in left if old in twins)


# ---- the three kinds ----------------------------------------------------------------------------


def _layer_0_sentence(words: _Words, targets: list[Ints], pair: tuple[int, int]) -> str:
    """The targets' own attributes, encodings or distances differ."""
    a, b = map(words.name, pair)
    attributes = [sorted(words.attributes(row) for row in side.tolist()) for side in targets]
    if attributes[0] != attributes[1]:
        x, y = (_attributes(words.attributes(row)) for row in pair)
        return say("has", a=a, b=b, x=x, y=y)
    if words.method.custom is not None:
        if targets[0].size == 1:
            return say("has", a=a, b=b, x=f"the value {words.code(pair[0])}", y=words.code(pair[1]))
        x, y = (words.listing(side) for side in targets)
        return say("values", x=x, y=y)
    if words.walks:
        alone = words.method.nouns == "return probabilities"  # a node's own, whatever the targets
        return _walk_sentence(words, [np.array([row]) for row in pair] if alone else targets, pair)
    apart = [words.distances_inside(part) for part in words.run.parts]
    if apart[0] == apart[1]:
        x, y = (words.listing(side) for side in targets)
        return say("codes", x=x, y=y)
    if len(apart[0]) == 1:
        x, y = (say("no_path") if d == UNREACHABLE else say("apart", steps=_count(d, "step")) for (d,) in apart)
        return say("two_targets", x=x, y=y)
    x, y = (", ".join(map(Distance().word, distances)) for distances in apart)
    return say("distances", x=x, y=y)


def _walk_sentence(words: _Words, targets: list[Ints], pair: tuple[int, int]) -> str:
    """The shortest walk whose landing probabilities (exact, from each node of S) differ at the pair."""
    a, b = map(words.name, pair)
    states = [[{int(row): Fraction(1)} for row in side] for side in targets]
    for step in range(1, MAX_STEPS + 1):
        states = [[_one_step(words.run, state) for state in side] for side in states]
        left, right = (
            sorted(state.get(row, Fraction(0)) for state in side) for side, row in zip(states, pair, strict=True)
        )
        if left == right:
            continue
        steps = _count(step, "step")
        if len(left) == 1:
            x, y = (say("chance", p=_fraction(p)) if p else say("never") for p in (left[0], right[0]))
            return say("walk", steps=steps, a=a, b=b, x=x, y=y)
        x, y = (", ".join(map(_fraction, side)) for side in (left, right))
        return say("walks", steps=steps, a=a, b=b, x=x, y=y)
    return say("long_walks", steps=_count(MAX_STEPS, "step"))


def _neighbor_sentence(words: _Words, walks: list[list[int]], layer: int, history: History, single: bool) -> str:
    """At the ends of the walks: of one kind of neighbor, known by its color after ``layer`` layers, one has more."""
    run = words.run
    ends = [_around(run, walk[-1]) for walk in walks]
    keys = [list(zip(hops.tolist(), history.at(layer, rows).tolist(), strict=True)) for rows, hops in ends]
    left, right = map(Counter, keys)
    surplus = (left - right) + (right - left)
    everyone = np.concatenate([rows for rows, _ in ends]).tolist()
    order = [*keys[0], *keys[1]]

    def rank(key: tuple[int, int]) -> tuple[Any, ...]:
        """The nearest kind that A has and B lacks."""
        first = order.index(key)
        return key[0], left[key] == 0, right[key], words.far(everyone[first]), first

    chosen = min(surplus, key=rank)
    hop = chosen[0]
    of_kind = [rows[[key == chosen for key in side]].tolist() for (rows, _), side in zip(ends, keys, strict=True)]
    near = [rows[hops == hop] for rows, hops in ends]
    who = [words.name(walk[-1]) for walk in walks]
    where = ""
    if len(walks[0]) > 1:
        where = say("go", a=" to ".join(words.path(walks[0])), b=" to ".join(words.path(walks[1])))
    if not layer and len(near[0]) != len(near[1]):
        x, y = (_nodes(len(rows), hop) for rows in near)
        return where + say("has", a=who[0], b=who[1], x=x, y=y)
    more = 0 if len(of_kind[0]) >= len(of_kind[1]) else 1
    some, others = of_kind[more], of_kind[1 - more]
    one = len(some) == 1
    names = words.names(some)
    noun = "neighbor" if hop == 1 else "node"
    rest = say("only", count=_number(len(others)).lower()) if others else say("no_such", noun=noun)
    # What they are by themselves, if the neighbors around are of several kinds, and what lies around them.
    kind = words.kind(some[0]) if len(set(history.at(0, np.concatenate(near)).tolist())) > 1 else ""
    if not layer:
        is_, has = ("is", "has") if one else ("are", "have")
        are_kind = kind.replace("with", has, 1) if kind.startswith("with") else f"{is_} {kind}"
        return where + say(
            "kind", some=_some(len(some), hop, who[more]), names=names, are_kind=are_kind, b=who[1 - more], rest=rest
        )
    near_targets = single and len(walks[0]) == 1 and int(run.hop.max(initial=1)) == 1
    pair = len(some) == 2 and words.any_linked(np.array(some)) and not words.any_linked(near[1 - more])
    if near_targets and pair and words.method.encoding is not None:
        return say("linked", a=who[more], b=who[1 - more], names=names)
    names += f", {kind}" if kind else ""
    have, below = ("has", words.below(some[0], "it")) if one else ("have", words.below(some[0], "them"))
    return where + say(
        "below", some=_some(len(some), hop, who[more]), names=names, have=have, below=below, b=who[1 - more], rest=rest
    )


def _cut_note(words: _Words, targets: list[Ints]) -> str:
    """A note if a target has lost an edge, because its neighbors are counted without it."""
    for row in np.concatenate(targets).tolist():
        part, u = words.locate(row)
        if int((words.run.row(row)[1] == 1).sum()) < part.graph.degrees[u]:
            return say("cut")
    return ""


# ---- rows in words ------------------------------------------------------------------------------


class _Words:
    """Puts rows of a run into words: names, encodings, neighbors."""

    def __init__(self, method: Method, run: Instances, digits: int = DIGITS[0]) -> None:
        self.method, self.run, self.digits = method, run, digits
        self.ambiguous = False  # whether two different ζ(u|S) have been printed alike
        self._printed: dict[str, tuple[int, ...]] = {}
        tokens = run.parts[0].tokens
        self.walks = method.custom is None and tokens.shape[3] > 1
        self.plain = not run.initial.shape[1]
        self.by_distance = method.custom is None and method.nouns == "distances"
        self._numbered = self.by_distance and tokens.shape[2] == 1
        self._one_graph = run.parts[0].graph is run.parts[-1].graph

    def locate(self, row: int) -> tuple[Part, int]:
        """The part and the node of a row."""
        copy = int(np.searchsorted(self.run.start, row, side="right")) - 1
        return self.run.parts[int(copy >= len(self.run.parts[0].sets))], row - int(self.run.start[copy])

    def name(self, row: int, where: bool = True) -> str:
        """The name of the node, and in which graph it is: both may use the same names."""
        part, u = self.locate(row)
        place = "" if self._one_graph or not where else " in A" if part is self.run.parts[0] else " in B"
        return node_name(part.graph, u) + place

    def names(self, rows: list[int]) -> str:
        """The names of some nodes, the first three of many."""
        return _list_of([self.name(row, False) for row in rows], 4)

    def path(self, walk: list[int]) -> list[str]:
        """The names along a walk, without the middle of a long one."""
        short = walk if len(walk) <= MAX_SHOWN else [*walk[:3], -1, *walk[-3:]]
        return ["…" if row < 0 else self.name(row, not k) for k, row in enumerate(short)]

    def any_linked(self, rows: Ints) -> bool:
        """Whether an edge joins two of these nodes."""
        return any(np.isin(self.run.row(row)[0], rows).any() for row in rows.tolist())

    def code(self, row: int) -> str:
        """ζ(u|S) in words: one or several distances, or numbers; then attributes."""
        part, u = self.locate(row)
        tokens = part.tokens[0, u]  # [p, words]
        words = []
        if self.method.custom is not None:
            words.append(self._value(self.method.custom, part, u, tokens))
        elif tokens.size and not self.walks:
            distances = sorted(UNREACHABLE if t < 0 else t for t in tokens[:, 0].tolist())
            words.append(Distance().label(distances).strip("{}"))
        if attributes := self.attributes(row):
            words.append(_attributes(attributes))
        return " and ".join(words)

    def far(self, row: int) -> int:
        """The sum of a node's distances to S; 0 where the method knows none."""
        part, u = self.locate(row)
        tokens = part.tokens[0, u]
        if not self.by_distance:
            return 0
        return sum(UNREACHABLE if t < 0 else t for t in tokens.ravel().tolist())

    def _value(self, encoding: Encoding, part: Part, u: int, tokens: Ints) -> str:
        """A custom encoding of the node: its numbers, one for each target, or its own label for them."""
        if part.numbers is None:
            return encoding.label(encoding.shown(part.graph, part.sets[0], self.run.cut)[u].tolist()).strip("{}")
        order = np.lexsort(part.numbers[0, u].T[::-1])
        rows = [[f"{x:.{self.digits}g}" for x in row] for row in part.numbers[0, u][order].tolist()]
        printed = multiset([row[0] if len(row) == 1 else f"({'; '.join(row)})" for row in rows]).strip("{}")
        key = tuple(tokens[np.lexsort(tokens.T[::-1])].ravel().tolist())
        self.ambiguous |= self._printed.setdefault(printed, key) != key
        return printed

    def attributes(self, row: int) -> list[float]:
        """The node's attributes, if they count."""
        tokens = self.run.parts[0].tokens
        values: list[float] = self.run.initial[row, tokens.shape[2] * tokens.shape[3] :].view(np.float64).tolist()
        return values

    def kind(self, row: int) -> str:
        """What a node is by itself: ``at distance 2``, ``with value 0.5``."""
        if self.walks:
            return say("profile")
        code = self.code(row)
        if not self.by_distance:
            return f"with {code}" if self.method.encoding is None else say("value", x=code)
        return say("distance" if self._numbered else "distance_sum", x=code)

    def listing(self, rows: Ints) -> str:
        """The codes of some nodes: ``0, 1 (×2) and 3``, or ``0,1; 1,1 (×2)`` where a code has several parts."""
        codes = Counter(self.code(row) for row in rows.tolist())
        order = sorted(codes, key=_by_number)
        words = [code if codes[code] == 1 else f"{code} (×{codes[code]})" for code in order]
        if self._numbered:
            return _list_of(words, LISTED)
        return "; ".join(words[:LISTED]) + ("; …" if len(words) > LISTED else "")

    def below(self, row: int, them: str) -> str:
        """A node's neighbors, and with K hops the nodes further away."""
        rows, hops = _around(self.run, row)
        if self.plain:
            return " and ".join(_nodes(int((hops == hop).sum()), hop) for hop in np.unique(hops).tolist() or [1])
        if self.walks:
            return say("mix", them=them)
        rings = []
        for hop in np.unique(hops).tolist():
            ring = rows[hops == hop]
            how = "around_marks" if self.by_distance else "around_values"
            how = "around_distances" if self._numbered else how
            if self._numbered and len({self.code(row) for row in ring.tolist()}) == 1:
                how = "distance"
            rings.append(f"{'neighbors' if hop == 1 else f'nodes {hop} hops away'} {say(how, x=self.listing(ring))}")
        return " and ".join(rings) or "no neighbors"

    def distances_inside(self, part: Part) -> list[int]:
        """The distances between all pairs of targets, ascending; none for plain refinement."""
        if not part.tokens.size:
            return []
        tokens = part.tokens[0, part.sets[0], :, 0]  # [p, p]
        return sorted(UNREACHABLE if t < 0 else t for t in tokens[np.triu_indices(len(tokens), 1)].tolist())


def _count(count: int, what: str) -> str:
    """``no neighbors``, ``1 neighbor``, ``2 neighbors``."""
    return counted(count, what) if count else f"no {what}s"


def _number(count: int) -> str:
    return _NUMBERS[count] if count < len(_NUMBERS) else f"{count:,}"


def _nodes(count: int, hop: int) -> str:
    """``2 neighbors``, or ``1 node 2 hops away``."""
    return _count(count, "neighbor") if hop == 1 else f"{_count(count, 'node')} {hop} hops away"


def _some(count: int, hop: int, whose: str) -> str:
    """``Two neighbors of v2``, ``One node 2 hops from v2``."""
    what = f"neighbor{'' if count == 1 else 's'} of" if hop == 1 else f"node{'' if count == 1 else 's'} {hop} hops from"
    return f"{_number(count)} {what} {whose}"


def _list_of(words: list[str], most: int) -> str:
    """``a``, ``a and b``, ``a, b and 3 more``."""
    shown = words if len(words) <= most else [*words[: most - 1], f"{len(words) - most + 1} more"]
    return shown[0] if len(shown) == 1 else f"{', '.join(shown[:-1])} and {shown[-1]}"


def _attributes(values: list[float]) -> str:
    return f"attributes ({', '.join(f'{x:g}' for x in values[:4])}{', …' if len(values) > 4 else ''})"


def _by_number(word: str) -> tuple[float, str]:
    try:
        return float(word), ""
    except ValueError:
        return UNREACHABLE, word


def _fraction(p: Fraction) -> str:
    return str(p) if p.denominator <= 1000 else f"{float(p):.3g}"


def _one_step(run: Instances, state: dict[int, Fraction]) -> dict[int, Fraction]:
    """The exact distribution of a random walk over rows, one step later."""
    after: dict[int, Fraction] = {}
    for row, chance in state.items():
        neighbors, _ = run.row(row)
        for w in neighbors.tolist():
            after[w] = after.get(w, Fraction(0)) + chance / len(neighbors)
    return after
