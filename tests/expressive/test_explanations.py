"""Sentences are read back, by the templates in sentences.toml, and each fact in them is counted again slowly."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from fractions import Fraction
from itertools import combinations, islice, pairwise
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import degnn_explore as de
from degnn_explore.expressive.explanations import SENTENCES

from .slow import Question, as_networkx, colors, distance, encoded, questions, walk

WORDS = dict(zip("no one two three four five six seven eight nine".split(), range(10), strict=True))
SIZE = re.compile(r"(\w+) (?:neighbors? of|nodes? (\d+) hops from) (.+)")
LISTED = re.compile(r"((?:v\d+|, | and |\d+ more)+)(?:, (.+))?")
CODE = re.compile(r"([\d∞]+(?:,[\d∞]+)*)(?: \(×(\d+)\))?")


def gaps(why: str, *names: str) -> tuple[str, dict[str, str]]:
    """The first of these sentences that it is, and what is filled in."""
    for name in names:
        pattern = re.sub(r"\\\{([ab])\\\}", r"(?P<\1>v\\d+(?: in [AB])?|[AB])", re.escape(SENTENCES[name]))
        if found := re.fullmatch(re.sub(r"\\\{(\w+)\\\}", r"(?P<\1>.+?)", pattern), why):
            return name, found.groupdict()
    raise AssertionError(f"none of {names}: {why}")


def nodes(words: str) -> list[int]:
    return [int(name) for name in re.findall(r"v(\d+)", words)]


def integer(words: str) -> int:
    word = words.split()[0].lower()
    return WORDS[word] if word in WORDS else int(word)


class Facts:
    """One side of a question: its distances, and its colors after a few layers."""

    def __init__(self, G: de.Graph, S: Sequence[int], method: str, hops: int, cut: bool, steps: int) -> None:
        self.S, self.graph, self.hops = S, as_networkx(G, S, cut), hops
        self.far = distance(self.graph)
        start = encoded(self.graph, S, method, steps)
        self.colors = list(islice(colors(G, start, hops, S if cut else ()), 12))
        self.lost_an_edge = any(self.graph.degree(u) < G.degrees[u] for u in S)

    def ring(self, u: int, hop: int) -> list[int]:
        return [w for w in self.graph if self.far[u][w] == hop]

    def kinds(self, u: int, layer: int) -> Counter[tuple[int, int]]:
        """How many nodes around u have each hop and color."""
        return Counter((hop, self.colors[layer][w]) for hop in range(1, self.hops + 1) for w in self.ring(u, hop))

    def code(self, u: int) -> str:
        return ",".join(str(d).replace("inf", "∞") for d in sorted(self.far[u][v] for v in self.S))


def check_neighbors(why: str, layer: int, sides: list[Facts], method: str, one_graph: bool) -> None:
    """The sentence leads to two nodes, and says of which neighbors one of them has more, and how many."""
    depth, ends = min(layer, 2) - 1, []
    if go := re.match(re.sub(r"\\\{\w\\\}", "(.+?)", re.escape(SENTENCES["go"])), why):
        walks = [nodes(words) for words in go.groups()]
        for walk, facts in zip(walks, sides, strict=True):
            assert walk[0] in facts.S and len(walk) == layer - 1
            assert all(1 <= facts.far[u][w] <= facts.hops for u, w in pairwise(walk))
            ends.append(walk[-1])
        for k, (u, v) in enumerate(zip(*walks, strict=True), start=1):
            assert [sides[0].colors[at][u] == sides[1].colors[at][v] for at in (layer - k, layer - k + 1)] == [
                True,
                False,
            ]
    name, gap = gaps(why[go.end() if go else 0 :], *(("linked", "below") if depth else ("has", "kind")))
    amount, hop, owner = ("two", None, gap["a"]) if "some" not in gap else SIZE.match(gap["some"]).groups()  # type: ignore
    hop, b_first = int(hop or (re.search(r"(\d+) hops", gap.get("x", "")) or [0, 1])[1]), "in B" in owner
    named = nodes(owner) + nodes(gap["b"])
    if one_graph:  # the nodes say whether the sentence begins with A or B
        b_first = named == ends[::-1] if ends else named[0] not in sides[0].S
        if named[0] == named[1] or set(sides[0].S) & set(sides[1].S):
            return
    (u, v), (more, less) = named, sides[::-1] if b_first else sides
    assert named == (ends[::-1] if b_first else ends) if ends else u in more.S and v in less.S
    if name == "has":
        assert [len(more.ring(u, hop)), len(less.ring(v, hop))] == [integer(gap["x"]), integer(gap["y"])]
        return
    who, what = LISTED.fullmatch(gap["names"]).groups()  # type: ignore[union-attr]
    listed, what = nodes(who), gap.get("are_kind", what)
    here, there, kind = more.kinds(u, depth), less.kinds(v, depth), (hop, more.colors[depth][listed[0]])
    members = [w for w in more.ring(u, hop) if more.colors[depth][w] == kind[1]]
    assert set(listed) <= set(members) and len(listed) == (len(members) if len(members) <= 4 else 3)
    assert integer(amount) == len(members) > there[kind]

    def rank(other: tuple[int, int]) -> tuple[Any, ...]:
        """The nearest kind; of these, one that A has and B lacks."""
        in_a, in_b = (there[other], here[other]) if b_first else (here[other], there[other])
        facts, x = (more, u) if here[other] else (less, v)
        w = next(w for w in facts.ring(x, other[0]) if facts.colors[depth][w] == other[1])
        return other[0], in_a == 0, in_b, sum(facts.far[s][w] for s in facts.S) if "SPD" in method else 0

    assert rank(kind) == min(rank(other) for other in {*here, *there} if here[other] != there[other])
    mutual = any(less.graph.has_edge(*two) for two in combinations(less.ring(v, 1), 2))
    triangle = len(members) == 2 and more.graph.has_edge(*members) and not mutual
    assert (name == "linked") == (len(more.S) == more.hops == layer - 1 == 1 and triangle and method != "1-WL")
    if name != "linked":
        assert integer(gap["rest"].removeprefix("only ")) == there[kind]
        several = len({facts.colors[0][w] for facts, x in ((more, u), (less, v)) for w in facts.ring(x, hop)}) > 1
        assert (what is not None) == several
        if "SPD" in method:
            assert not several or CODE.findall(what)[0][0] == more.code(listed[0])
            rings = re.split(r"nodes \d+ hops away", gap.get("below", "").removeprefix("neighbors"))
            found = [Counter({code: int(k or 1) for code, k in CODE.findall(ring)}) for ring in rings]
            around = [Counter(map(more.code, more.ring(listed[0], k))) for k in range(1, more.hops + 1)]
            assert name == "kind" or [ring for ring in found if ring] == [ring for ring in around if ring]
        elif method == "1-WL":
            assert integer(gap["below"]) == more.graph.degree(listed[0])


@given(questions, st.booleans(), st.sampled_from(["1-WL", "DE-SPD", "DEA-SPD", "DE-LP", "zero-one", "RWSE"]))
@settings(max_examples=200)
def test_every_fact_in_a_sentence_is_true(question: Question, cut: bool, method: str) -> None:
    (G, S), (H, T) = question
    hops = 2 if method == "DEA-SPD" else 1
    sides = [Facts(X, R, method, hops, cut, G.num_nodes + H.num_nodes - 1) for X, R in question]
    verdict = de.distinguish(*question, method, cut=cut)
    why = verdict.why.removesuffix(SENTENCES["cut"])
    assert (why != verdict.why) == (verdict.different and any(facts.lost_an_edge for facts in sides))
    if verdict.layer:
        check_neighbors(why, verdict.layer, sides, method, G is H)
    elif verdict.different and "SPD" in method:
        apart = [sorted(facts.far[u][v] for u, v in combinations(facts.S, 2)) for facts in sides]
        _, gap = gaps(why, "two_targets" if len(S) == 2 else "distances")
        written = [re.findall(r"\d+|∞", gap[k].replace(SENTENCES["no_path"], "∞")) for k in "xy"]
        assert [[float(word.replace("∞", "inf")) for word in row] for row in written] == apart
    elif verdict.different:
        check_walks(why, sides, method)
    elif method == "1-WL" and len({d for facts in sides for _, d in facts.graph.degree}) == 1:
        assert integer(gaps(why, "regular")[1]["neighbors"]) == sides[0].graph.degree(0)
    else:
        sizes = [len({color for facts in sides for color in facts.colors[k]}) for k in range(12)]
        last = next(k for k, (now, after) in enumerate(pairwise(sizes)) if now == after)
        assert f"layer {last} " in why if last else "layer " not in why
        assert len(S) > 1 or (f"v{S[0]}" in why and f"v{T[0]}" in why)


def check_walks(why: str, sides: list[Facts], method: str) -> None:
    """Random walks from the targets differ after that many steps, and not before."""
    name, gap = gaps(why, "walk", "walks")
    node = [nodes(gap[k])[0] for k in "ab"]
    assert node[0] in sides[0].S and node[1] in sides[1].S
    steps = integer(gap["steps"])
    starts = [[u] if method == "RWSE" else facts.S for u, facts in zip(node, sides, strict=True)]
    assert name == ("walk" if len(starts[0]) == 1 else "walks")
    chances = [
        [sorted(walk(facts.graph, v, k)[k].get(u, Fraction(0)) for v in start) for k in range(steps + 1)]
        for facts, u, start in zip(sides, node, starts, strict=True)
    ]
    assert chances[0][:-1] == chances[1][:-1] and chances[0][-1] != chances[1][-1]
    for k, row in zip("xy", chances, strict=True):
        words = ["0"] if gap[k] == SENTENCES["never"] else re.findall(r"\d[\d./e-]*", gap[k])
        assert [float(Fraction(word)) for word in words] == pytest.approx([float(p) for p in row[-1]], rel=5e-3)


# ---- what random questions rarely meet ---------------------------------------------------------------

FIG1, SHRIKHANDE, ROOK = de.zoo.figure1(), de.zoo.shrikhande(), de.zoo.rook(4)
MARKED = de.zoo.hexagon().with_attributes([[1.0], [0], [0], [0], [0], [0]])
PEOPLE = de.Graph.from_edges([("ada", "bob"), ("ada", "eve"), ("bob", "joe")])
PATH = de.Graph.from_edges([(i, i + 1) for i in range(40)])
STAR = de.Graph.from_edges([(0, v) for v in range(1, 12)] + [(1, 12), (2, 13), (12, 14)])
HUB = STAR.with_attributes(np.stack([np.arange(15), *np.zeros((4, 15))], axis=1))


@pytest.mark.parametrize(
    ("a", "b", "how", "parts"),
    [
        ((FIG1, 2), (FIG1, 3), {}, [r"v2 \(v4 and v5\) .* v3"]),
        ((FIG1, 0), (FIG1, 2), {}, ["from v0 to v1 and from v2 to v4", r"\(v3, .* 2\)", r"1 \(×2\) and 3; v4"]),
        ((FIG1, 2), (FIG1, 3), {"method": "DE-LP"}, ["3 steps .* v2 .* 2/27, .* v3 never"]),
        ((SHRIKHANDE, [0, 1]), (ROOK, [0, 1]), {}, ["v5 and v12, .* 1,1", r"0,1 \(×2\); 1,2 \(×2\); 2,2"]),
        ((PEOPLE, "ada"), (PEOPLE, "joe"), {}, ["ada has 2 .*, joe has 1"]),
        ((MARKED, 0), (MARKED, 1), {"attributes": True}, [r"v0 .* \(1\), v1 .* \(0\)"]),
        ((MARKED, 0), (MARKED, 1), {"method": "DE-LP", "attributes": True}, [r"v0 .* \(1\), v1 .* \(0\)"]),
        ((MARKED, 1), (MARKED, 2), {"method": "1-WL", "attributes": True}, [r"v1 \(v0\) has .* \(1\); v2"]),
        ((MARKED, [0, 1]), (MARKED, [1, 2]), {"attributes": True}, [r"\(1\), v[12] .* \(0\)"]),
        ((MARKED, 0), (MARKED, 1), {"method": "2-WL", "attributes": True}, ["attributes of A"]),
        ((HUB, 0), (HUB, 1), {"attributes": True}, [r"v0 .* \(0, 0, 0, 0, …\), v1 .* \(1, 0, 0, 0, …\)"]),
        ((STAR, 0), (STAR, 12), {"method": "DEA-SPD"}, ["v0 has 11 neighbors, v12 has 2"]),
        ((PATH, 10), (PATH, 20), {"method": "1-WL"}, ["v10 to v9 to v8 to … to v3 to v2 to v1 and .* v12 to v11"]),
        ((PATH, 7), (PATH, 20), {"method": "1-WL"}, ["v7 to v6 to v5 to v4 to v3 to v2 to v1 and"]),
        ((PATH, 20), (PATH, 10), {"layers": 3}, ["layer 3"]),
        ((de.zoo.domino(), [0, 3]), (de.zoo.bridged_triangles(), [0, 3]), {"cut": True}, ["A are 3 .* B have no path"]),
        (SHRIKHANDE, ROOK, {"order": "edges"}, ["2 layers 48 of .* 48 pairs"]),
        (de.zoo.hexagon(), de.zoo.two_triangles(), {}, ["2 layers 6 of .* 6 nodes"]),
        ((PATH, [0, 1]), (PATH, [0, 2]), {"method": "2-WL"}, ["1 of A.* linked, 0 of B"]),
        ((FIG1, 2), (FIG1, 3), {"method": "2-WL"}, ["2 layers"]),
        (de.zoo.two_triangles(), de.zoo.hexagon(), {"method": "2-WL"}, ["1 layer 24 of .* 36 pairs"]),
        (FIG1, STAR, {"method": "2-WL"}, ["A has 8 nodes, B has 15"]),
        (STAR, PATH, {"method": "2-WL", "layers": 0}, ["A has 15 nodes, B has 41"]),
        (SHRIKHANDE, STAR, {"order": 3}, ["A has 560 3-sets, B has 455"]),
        (PATH, STAR, {"order": "edges", "layers": 0}, ["40 pairs, B has 14"]),
        (de.Graph.from_edges([], 3), PEOPLE, {"order": "edges"}, ["no pairs, B has 3"]),
    ],
)  # fmt: skip
def test_a_sentence_names_what_differs(a, b, how: dict, parts: list[str]) -> None:
    why = de.distinguish(a, b, **how).why
    assert [part for part in parts if not re.search(part, why)] == [], why


def test_four_targets_at_the_same_six_distances_are_listed_one_by_one() -> None:
    """All nodes of a star; and a triangle with a node two steps from each of its corners."""
    star = de.Graph.from_edges([(0, 1), (0, 2), (0, 3)])
    triangle = de.Graph.from_edges([(0, 1), (1, 2), (2, 0), (3, 4), (4, 0), (4, 1), (4, 2)])
    verdict = de.distinguish((star, range(4)), (triangle, range(4)))
    left, right = verdict.why.split("B")
    assert verdict.layer == 0
    assert [CODE.findall(side) for side in (left, right)] == [
        [("0,1,1,1", ""), ("0,1,2,2", "3")], [("0,1,1,2", "3"), ("0,2,2,2", "")]
    ]  # fmt: skip


def test_long_lists_are_cut_short() -> None:
    """Eleven leaves, and a spider with eleven legs of two steps each: eleven neighbors with two neighbors each."""
    spider = de.Graph.from_edges([(0, v) for v in range(1, 12)] + [(v, v + 11) for v in range(1, 12)])
    star = de.Graph.from_edges([(0, v) for v in range(1, 12)])
    why = de.distinguish((spider, 0), (star, 0)).why
    assert "11 neighbors of v0 in A (v1, v2, v3 and 8 more)" in why
    rays = [(0, 1), *((1, v) for v in range(2, 10))]
    marked = de.Graph.from_edges(rays).with_attributes(np.arange(10.0)[:, None])
    other = de.Graph.from_edges(rays).with_attributes(np.array([0.0, 1, *range(3, 11)])[:, None])
    why = de.distinguish((marked, 0), (other, 0), "1-WL", attributes=True).why
    assert "attributes (0); attributes (2); attributes (3); attributes (4); attributes (5); attributes (6); …" in why
