"""Sentences are read back, by the templates in sentences.toml, and each fact in them is counted again slowly."""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import combinations, islice, pairwise

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import degnn_explore as de
from degnn_explore.expressive.explanations import SENTENCES

from .slow import Question, colors, distance, encoded, questions

WORDS = dict(zip("no one two three four five six seven eight nine".split(), range(10), strict=True))
SIZE = re.compile(r"(\w+) (?:neighbors? of|nodes? (\d+) hops from) (.+)")


def gaps(why: str, *names: str) -> tuple[str, dict[str, str]]:
    """The first of these sentences that it is, and what is filled in."""
    for name in names:
        pattern = re.sub(r"\\\{([ab])\\\}", r"(?P<\1>v\\d+ in [AB]|[AB])", re.escape(SENTENCES[name]))
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

    def __init__(self, G: de.Graph, S: Sequence[int], method: str, hops: int) -> None:
        self.S, self.graph, self.hops = S, G.to_networkx(), hops
        self.far = distance(self.graph)
        self.colors = list(islice(colors(G, encoded(self.graph, S, method, 0), hops), 12))

    def around(self, u: int, hop: int) -> list[int]:
        return [w for w in self.graph if self.far[u][w] == hop]


def check_neighbors(why: str, layer: int, sides: list[Facts]) -> None:
    """The sentence leads to two nodes, and says of which neighbors one of them has more, and how many."""
    depth, ends = min(layer, 2) - 1, []
    if go := re.match(re.sub(r"\\\{\w\\\}", "(.+?)", re.escape(SENTENCES["go"])), why):
        walks = [nodes(words) for words in go.groups()]
        for way, facts in zip(walks, sides, strict=True):
            assert way[0] in facts.S and len(way) == layer - 1
            assert all(1 <= facts.far[u][w] <= facts.hops for u, w in pairwise(way))
            ends.append(way[-1])
        for k, (u, v) in enumerate(zip(*walks, strict=True), start=1):
            before, now = (sides[0].colors[at][u] == sides[1].colors[at][v] for at in (layer - k, layer - k + 1))
            assert before and not now
    name, gap = gaps(why[go.end() if go else 0 :], *(("linked", "below") if depth else ("has", "kind")))
    amount, hop, owner = ("two", None, gap["a"]) if "some" not in gap else SIZE.match(gap["some"]).groups()  # type: ignore
    hop = int(hop or (re.search(r"(\d+) hops", gap.get("x", "")) or [0, 1])[1])
    more, less = sides[::-1] if "in B" in owner else sides
    (u,), (v,) = nodes(owner), nodes(gap["b"])
    assert [u, v] == (ends[::-1] if "in B" in owner else ends) if ends else u in more.S and v in less.S
    near = [facts.around(node, hop) for facts, node in ((more, u), (less, v))]
    if name == "has":
        assert [len(side) for side in near] == [integer(gap["x"]), integer(gap["y"])]
        return
    listed = nodes(gap["names"])
    kind = more.colors[depth][listed[0]]
    members, others = (
        [w for w in side if facts.colors[depth][w] == kind] for facts, side in zip((more, less), near, strict=True)
    )
    assert set(listed) <= set(members) and len(listed) == (len(members) if len(members) <= 4 else 3)
    assert integer(amount) == len(members) > len(others)
    if name == "linked":
        assert more.graph.has_edge(*members) and not any(
            less.graph.has_edge(*pair) for pair in combinations(near[1], 2)
        )
    else:
        assert integer(gap["rest"].removeprefix("only ")) == len(others)


@given(questions(), st.sampled_from(["1-WL", "DE-SPD", "DEA-SPD"]))
@settings(max_examples=200)
def test_every_fact_in_a_sentence_is_true(question: Question, method: str) -> None:
    (G, S), (H, T) = question
    H = H.with_title("another")  # so that a node's graph is named
    sides = [Facts(X, R, method, 2 if method == "DEA-SPD" else 1) for X, R in question]
    verdict = de.distinguish((G, S), (H, T), method)
    if verdict.layer:
        check_neighbors(verdict.why, verdict.layer, sides)
    elif verdict.different:
        apart = [sorted(facts.far[u][v] for u, v in combinations(facts.S, 2)) for facts in sides]
        _, gap = gaps(verdict.why, "two_targets" if len(S) == 2 else "distances")
        written = [re.findall(r"\d+|∞", gap[k].replace(SENTENCES["no_path"], "∞")) for k in "xy"]
        assert [[float(word.replace("∞", "inf")) for word in row] for row in written] == apart
    elif method == "1-WL" and len({d for facts in sides for _, d in facts.graph.degree}) == 1:
        assert integer(gaps(verdict.why, "regular")[1]["neighbors"]) == sides[0].graph.degree(0)
    else:
        sizes = [len({color for facts in sides for color in facts.colors[k]}) for k in range(12)]
        last = next(k for k, (now, after) in enumerate(pairwise(sizes)) if now == after)
        assert f"layer {last} " in verdict.why if last else "layer " not in verdict.why
        assert len(S) > 1 or (f"v{S[0]}" in verdict.why and f"v{T[0]}" in verdict.why)


# ---- what random questions rarely meet; the page's sentences are compared in tests/views/js -----------

FIG1, SHRIKHANDE, ROOK = de.zoo.figure1(), de.zoo.shrikhande(), de.zoo.rook(4)
MARKED = de.zoo.hexagon().with_attributes([[1.0], [0], [0], [0], [0], [0]])
PEOPLE = de.Graph.from_edges([("ada", "bob"), ("ada", "eve"), ("bob", "joe")])
PATH = de.Graph.from_edges([(i, i + 1) for i in range(40)])
STAR = de.Graph.from_edges([(0, v) for v in range(1, 12)] + [(1, 12), (2, 13), (12, 14)])
HUB = STAR.with_attributes(np.stack([np.arange(15), *np.zeros((4, 15))], axis=1))
SPIDER = de.Graph.from_edges([(0, v) for v in range(1, 12)] + [(v, v + 11) for v in range(1, 12)])
CLAW = de.Graph.from_edges([(0, 1), (0, 2), (0, 3)])
MANY = np.arange(10.0)[:, None]
TENT = de.Graph.from_edges([(0, 1), (1, 2), (2, 0), (3, 4), (4, 0), (4, 1), (4, 2)])
RAYS = de.Graph.from_edges([(0, 1), *((1, v) for v in range(2, 10))]).with_attributes(MANY)
SHIFTED = RAYS.with_attributes(MANY + (MANY > 1))


@pytest.mark.parametrize(
    ("a", "b", "how", "pattern"),
    [
        ((FIG1, 2), (FIG1, 3), {}, r"v2 \(v4 and v5\) .* v3"),
        ((FIG1, 0), (FIG1, 2), {}, r"from v0 to v1 and from v2 to v4.*\(v3, .* 2\).*1 \(×2\) and 3; v4"),
        ((FIG1, 2), (FIG1, 3), {"method": "RWSE"}, "3 steps .* v2 is back with probability 2/27, .* v3 never"),
        ((FIG1, [0, 2]), (FIG1, [0, 3]), {"method": "DE-LP"}, "probability 1/9, 1/3, .* v0 with 2/9, 1/3"),
        ((FIG1, 2), (FIG1, 3), {"method": "zero-one"}, r"\(v5, with value 0\) has .* values 0 \(×2\); 1;"),
        ((SHRIKHANDE, [0, 1]), (ROOK, [0, 1]), {}, r"v5 and v12, .* 1,1.*0,1 \(×2\); 1,2 \(×2\); 2,2"),
        ((CLAW, range(4)), (TENT, range(4)), {}, r"0,1,1,1; 0,1,2,2 \(×3\);.* 0,1,1,2 \(×3\); 0,2,2,2\."),
        ((PEOPLE, "ada"), (PEOPLE, "joe"), {}, "ada has 2 .*, joe has 1"),
        ((MARKED, 0), (MARKED, 1), {"attributes": True}, r"v0 .* \(1\), v1 .* \(0\)"),
        ((MARKED, 0), (MARKED, 1), {"method": "DE-LP", "attributes": True}, r"v0 .* \(1\), v1 .* \(0\)"),
        ((MARKED, 1), (MARKED, 2), {"method": "1-WL", "attributes": True}, r"v1 \(v0\) has .* \(1\); v2"),
        ((MARKED, [0, 1]), (MARKED, [1, 2]), {"attributes": True}, r"\(1\), v[12] .* \(0\)"),
        ((MARKED, 0), (MARKED, 1), {"method": "2-WL", "attributes": True}, "attributes of A"),
        ((HUB, 0), (HUB, 1), {"attributes": True}, r"v0 .* \(0, 0, 0, 0, …\), v1 .* \(1, 0, 0, 0, …\)"),
        ((STAR, 0), (STAR, 12), {"method": "DEA-SPD"}, "v0 has 11 neighbors, v12 has 2"),
        ((SPIDER, 0), (STAR, 0), {}, r"11 neighbors of v0 in A \(v1, v2, v3 and 8 more\)"),
        ((RAYS, 0), (SHIFTED, 0), {"method": "1-WL", "attributes": True}, r"(attributes .*){6}; …"),
        ((PATH, 10), (PATH, 20), {"method": "1-WL"}, "v10 to v9 to v8 to … to v3 to v2 to v1 and .* v12 to v11"),
        ((PATH, 8), (PATH, 20), {"method": "1-WL"}, "v8 to v7 to v6 to v5 to v4 to v3 to v2 to v1 and"),
        ((PATH, 20), (PATH, 10), {"layers": 3}, "layer 3"),
        (SHRIKHANDE, ROOK, {"order": "edges"}, "2 layers 48 of .* 48 pairs"),
        (de.zoo.hexagon(), de.zoo.two_triangles(), {}, "2 layers 6 of .* 6 nodes"),
        (de.zoo.two_triangles(), de.zoo.hexagon(), {"method": "2-WL"}, "1 layer 24 of .* 36 pairs"),
        (STAR, PATH, {"method": "2-WL", "layers": 0}, "A has 15 nodes, B has 41"),
        (SHRIKHANDE, STAR, {"order": 3}, "A has 560 3-sets, B has 455"),
        (de.Graph.from_edges([], 3), PEOPLE, {"order": "edges"}, "no pairs, B has 3"),
    ],
)  # fmt: skip
def test_a_sentence_names_what_differs(a, b, how: dict, pattern: str) -> None:
    assert re.search(pattern, why := de.distinguish(a, b, **how).why), why
