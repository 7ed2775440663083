"""Every sentence is read back and compared with the facts, counted anew in the slow, obvious way."""

from __future__ import annotations

import re
from collections import Counter
from fractions import Fraction
from itertools import pairwise

import networkx as nx
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import degnn_explore as de
from degnn_explore.expressive.methods import METHODS

from ..strategies import graphs, graphs_with_targets

FIG1, SHRIKHANDE, ROOK = de.zoo.figure1(), de.zoo.shrikhande(), de.zoo.rook(4)
FIG5 = de.zoo.figure5()
STAR = de.Graph.from_edges([(0, 1), (0, 2), (0, 3)])
PATH = de.Graph.from_edges([(0, 1), (1, 2), (2, 3)])


@pytest.mark.parametrize(
    ("a", "b", "how", "sentence"),
    [
        (
            (FIG1, 2),
            (FIG1, 3),
            {},
            "after 2 layers: v2 has 2 neighbours (v4, v5), each with neighbours at distances {0, 1, 2}; v3 has none",
        ),
        (
            (FIG1, 0),
            (FIG1, 2),
            {},
            "after 3 layers: v0 → v1 leads to 1 neighbour at distance 2 (v3), with neighbours at distances {1, 1, 3}; "
            "v2 → v4 to none",
        ),
        (
            (SHRIKHANDE, [0, 1]),
            (ROOK, [0, 1]),
            {},
            "after 2 layers: in A 0 has 2 neighbours at distances {1,1} (5, 12), each with neighbours at distances "
            "{0,1 ×2 | 1,2 ×2 | 2,2 ×2}; in B 0 has none",
        ),
        (
            (FIG5[0], 0),
            (FIG5[1], 0),
            {"method": "DEA-SPD"},
            "after 2 layers: in A v0 has 1 neighbour (v1), with neighbours at distances {0} and nodes 2 hops away at "
            "distances {1}; in B v0 has none",
        ),
        ((STAR, 0), (STAR, 1), {"method": "1-WL"}, "after 1 layer: 0 has 3 neighbours, 1 has 1"),
        (
            (FIG1, 2),
            (FIG1, 3),
            {"method": "DE-LP"},
            "already at layer 0: a walk from v2 is back after 3 steps with probability 2/27, one from v3 with 0",
        ),
        ((FIG1, 2), (FIG1, 3), {"method": "1-WL"}, "every node has 3 neighbours, so all look alike at every layer"),
        (
            (PATH, 1),
            (PATH, 2),
            {"method": "1-WL"},
            "1 and 2 have the same colour at every layer: after layer 1 no colour class splits any more",
        ),
        (
            (de.zoo.domino(), [0, 3]),
            (de.zoo.bridged_triangles(), [0, 3]),
            {"cut": True},
            "already at layer 0, edges inside S cut: A's targets are 3 steps apart, B's have no path between them",
        ),
        ((PATH, [0, 1]), (PATH, [0, 2]), {"method": "2-WL"}, "1 of A's pairs of nodes are linked, 0 of B's"),
        (SHRIKHANDE, ROOK, {"order": "edges"}, "after 2 layers 48 of the colours of A's 48 pairs find no partner in B"),
    ],
)
def test_a_sentence_can_be_read(a, b, how, sentence: str) -> None:
    assert de.distinguish(a, b, **how).why == sentence


# ---- against the facts -----------------------------------------------------------------------------


class Facts:
    """Distances and neighbours of one side, counted with networkx."""

    def __init__(self, G: de.Graph, S: list[int], cut: bool) -> None:
        self.S = S
        self.graph = G.to_networkx()
        if cut:
            self.graph.remove_edges_from([(u, v) for u in S for v in S])
        self.far = dict(nx.all_pairs_shortest_path_length(self.graph))

    def zeta(self, u: int) -> str:
        return ",".join(map(str, sorted(self.far[v].get(u, np.inf) for v in self.S))).replace("inf", "∞")

    def ring(self, u: int, hop: int) -> list[int]:
        return [w for w, d in self.far[u].items() if d == hop]

    def below(self, u: int, plain: bool, hops: int) -> str:
        said = []
        for hop in range(1, hops + 1):
            ring = self.ring(u, hop)
            end = "" if len(ring) == 1 else "s"
            if plain:
                said.append(f"{len(ring)} neighbour{end}")
            elif ring:
                codes = Counter(map(self.zeta, ring))
                several = any("," in code for code in codes)
                words = sorted(codes.elements(), key=lambda code: (code == "∞", code))
                if several:
                    words = [code if k == 1 else f"{code} ×{k}" for code, k in sorted(codes.items())]
                bag = "{" + (" | " if several else ", ").join(words) + "}"
                said.append(f"{'neighbours' if hop == 1 else f'nodes {hop} hops away'} at distances {bag}")
        return " and ".join(said)


END = re.compile(
    r"after (?P<layers>\d+) layers?(?P<cut>, edges inside S cut)?: (?:in A )?(?P<a>\d+(?: → \d+)*) (?:has|leads to) "
    r"(?P<k>no|\d+) (?:neighbours?|nodes? (?P<hop>\d) hops away)(?: at distances? (?P<code>[\d,∞]+|{[\d,∞]+}))?"
    r"(?: \((?P<names>[\d, …]+)\))?(?:, (?:each )?with (?P<below>.+))?[,;] (?:in B )?(?P<b>\d+(?: → \d+)*) (?:has|to) "
    r"(?P<m>none|\d+)(?: \((?P<others>[\d, …]+)\))?"
)


def check_the_end(why: str, sides: list[Facts], plain: bool, hops: int) -> None:
    said = END.fullmatch(why)
    assert said, why
    hop = int(said["hop"] or 1)
    numbers, names = (said["k"], said["m"]), (said["names"], said["others"])
    for facts, walk, count, listing in zip(sides, "ab", numbers, names, strict=True):
        nodes = [int(u) for u in said[walk].split(" → ")]
        assert nodes[0] in facts.S and len(nodes) == max(int(said["layers"]) - 1, 1)
        assert all(0 < facts.far[u][w] <= hops for u, w in pairwise(nodes))
        those = [
            w
            for w in facts.ring(nodes[-1], hop)
            if (not said["code"] or facts.zeta(w) == said["code"].strip("{}"))
            and (not said["below"] or facts.below(w, plain, hops) == said["below"])
        ]
        assert len(those) == int({"no": 0, "none": 0}.get(count, count)), why
        if listing:
            listed = [int(w) for w in listing.replace(", …", "").split(", ")]
            assert set(listed) <= set(those) and (len(listed) == len(those) or "…" in listing)
    assert {"none": "no"}.get(said["m"], said["m"]) != said["k"]


@given(graphs_with_targets(7, 3), st.data(), st.booleans(), st.sampled_from(["1-WL", "DE-SPD", "DEA-SPD"]))
@settings(max_examples=150)
def test_sentences_on_random_graphs_are_true(case, data, cut: bool, method: str) -> None:
    G, S = case
    H = data.draw(st.sampled_from([G]) | graphs(7).filter(lambda H: H.num_nodes >= len(S)))
    T = data.draw(st.permutations(range(H.num_nodes)))[: len(S)]
    sides = [Facts(G, S, cut), Facts(H, T, cut)]
    verdict = de.distinguish((G, S), (H, T), method, cut=cut)
    inside = [
        any(facts.graph.degree(u) < X.degrees[u] for u in facts.S) for facts, X in zip(sides, (G, H), strict=True)
    ]
    if not verdict.different:
        degrees = {d for facts in sides for _, d in facts.graph.degree}
        if "every node has" in verdict.why:
            assert degrees == {int(re.search(r"\d+", verdict.why)[0])}
        elif "no node has" in verdict.why:
            assert degrees == {0}
        else:
            assert re.search("no colour class (ever )?splits", verdict.why) and (method != "1-WL" or len(degrees) > 1)
        return
    assert ("edges inside S cut" in verdict.why) == any(inside)
    if verdict.layer:
        return check_the_end(verdict.why, sides, method == "1-WL", 2 if method == "DEA-SPD" else 1)
    apart = [sorted(facts.far[u].get(v, np.inf) for u in facts.S for v in facts.S if u < v) for facts in sides]
    for distances in apart if len(S) == 2 else []:
        words = "have no path between them" if distances == [np.inf] else f"{distances[0]} step"
        assert words in verdict.why
    if len(S) == 3:
        written = ["{" + ", ".join(map(str, row)).replace("inf", "∞") + "}" for row in apart]
        assert f"between A's targets are {written[0]}, between B's {written[1]}" in verdict.why


def pairs_of(facts: Facts, layers: int) -> Counter:
    """How often each colour of folklore 2-WL occurs among the pairs inside S, by nested multisets."""
    nodes, links = list(facts.graph), facts.graph
    colour = {(u, v): (u == v, links.has_edge(u, v)) for u in nodes for v in nodes}
    for _ in range(layers):
        colour = {
            (u, v): (old, tuple(sorted((colour[u, w], colour[w, v]) for w in nodes))) for (u, v), old in colour.items()
        }
    return Counter(colour[u, v] for u in facts.S for v in facts.S)


@given(graphs_with_targets(5, 2), st.data(), st.booleans())
@settings(max_examples=60)
def test_sentences_of_2_wl_are_true(case, data, cut: bool) -> None:
    G, S = case
    H = data.draw(st.sampled_from([G]) | graphs(5).filter(lambda H: H.num_nodes >= len(S)))
    T = data.draw(st.permutations(range(H.num_nodes)))[: len(S)]
    sides = [Facts(G, S, cut), Facts(H, T, cut)]
    verdict = de.distinguish((G, S), (H, T), "2-WL", cut=cut)
    layer = min(verdict.layer, 2) if verdict.different else 2  # nested multisets grow fast
    left, right = (pairs_of(facts, layer) for facts in sides)
    assert (left != right) == (verdict.different and verdict.layer == layer)
    if not verdict.different or not verdict.layer:
        return
    if len(S) == 1:
        places = ("", "") if G is H else (" in A", " in B")
        said = (f"({S[0]}, {S[0]}){places[0]}", f"({T[0]}, {T[0]}){places[1]}")
        assert verdict.why.endswith(f"the pair {said[0]} has another colour than {said[1]}")
    elif verdict.layer == layer:
        only = (left - right).total()
        assert verdict.why.endswith(f" {only} of A's {len(S) ** 2} pairs of target nodes have colours that B's lack")


def landing(facts: Facts, source: int, steps: int) -> dict[int, Fraction]:
    state = {source: Fraction(1)}
    for _ in range(steps):
        after: Counter = Counter()
        for u, chance in state.items():
            for w in facts.graph[u]:
                after[w] += chance / facts.graph.degree(u)
        state = after
    return state


@given(graphs(7), st.data())
@settings(max_examples=60)
def test_the_walks_of_a_sentence_are_true(G: de.Graph, data) -> None:
    u, v = (data.draw(st.integers(0, G.num_nodes - 1)) for _ in range(2))
    verdict = de.distinguish((G, u), (G, v), "DE-LP")
    if not verdict.different or verdict.layer:
        return
    said = re.fullmatch(
        r"already at layer 0: a walk from (\d+) is back after (\d+) steps "
        r"with probability (\S+), one from (\d+) with (\S+)",
        verdict.why,
    )
    facts = Facts(G, [u], False)
    assert (int(said[1]), int(said[4])) == (u, v)
    chances = [[landing(facts, node, steps).get(node, 0) for node in (u, v)] for steps in range(int(said[2]) + 1)]
    assert chances[-1] == [Fraction(said[3]), Fraction(said[5])] and all(a == b for a, b in chances[:-1])


def test_attributes_are_named() -> None:
    ring = de.zoo.cycle(6).with_attributes(np.array([[1.0], [0], [0], [0], [0], [0]]))
    for method in METHODS:
        why = de.distinguish((ring, 0), (ring, 1), method, attributes=True).why
        if method != "2-WL":
            assert why == "already at layer 0: 0 has attributes (1), 1 has attributes (0)"
    why = de.distinguish((ring, 1), (ring, 2), "1-WL", attributes=True).why
    assert why == "after 1 layer: 1 has 1 neighbour with attributes (1), 2 has none"
    assert de.distinguish((ring, 0), (ring, 1), "2-WL", attributes=True).why == (
        "the attributes of A's nodes and of B's differ"
    )
