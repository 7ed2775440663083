"""Every sentence is read back and compared with the facts, counted again in the slow, obvious way."""

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

from ..strategies import graphs, graphs_with_targets, trees_with_targets

FIG1, SHRIKHANDE, ROOK = de.zoo.figure1(), de.zoo.shrikhande(), de.zoo.rook(4)
FIG5 = de.zoo.figure5()
DOMINO, BRIDGE = de.zoo.domino(), de.zoo.bridged_triangles()
MARKED = de.zoo.cycle(6).with_attributes(np.array([[1.0], [0], [0], [0], [0], [0]]))
STAR = de.Graph.from_edges([(0, 1), (0, 2), (0, 3)])
PATH = de.Graph.from_edges([(0, 1), (1, 2), (2, 3)])


@pytest.mark.parametrize(
    ("a", "b", "how", "parts"),
    [
        ((FIG1, 2), (FIG1, 3), {}, ["neighbors of v2 (v4 and v5) are linked"]),
        ((FIG1, 0), (FIG1, 2), {}, ["from v0 to v1", "from v2 to v4", "(v3, at distance 2) has", "1 (×2) and 3; v4"]),
        ((SHRIKHANDE, [0, 1]), (ROOK, [0, 1]), {}, ["(v5 and v12, at distances 1,1) have", "0,1 (×2); 1,2 (×2); 2,2"]),
        ((SHRIKHANDE, [0, 1]), (ROOK, [0, 1]), {"method": "DE-LP"}, ["of v0 in A", "walk profiles around them"]),
        (
            (FIG5[0], 0),
            (FIG5[1], 0),
            {"method": "DEA-SPD"},
            ["distance 0 and nodes 2 hops away at distance 1; v0 in B"],
        ),
        ((STAR, 0), (STAR, 1), {"method": "1-WL"}, ["v0 has 3 neighbors, v1 has 1 neighbor"]),
        ((FIG1, 2), (FIG1, 3), {"method": "DE-LP"}, ["3 steps", "from v2 is back with probability 2/27", "v3 never"]),
        ((FIG1, 2), (FIG1, 3), {"method": "1-WL"}, ["Every node has 3 neighbors"]),
        ((PATH, 1), (PATH, 2), {"method": "1-WL"}, ["v1 and v2 have the same color", "after layer 1"]),
        ((PATH, 1), (PATH, 2), {"method": "1-WL", "layers": 3}, ["Up to layer 3"]),
        (
            (DOMINO, [0, 3]),
            (BRIDGE, [0, 3]),
            {"cut": True},
            ["A are 3 steps apart", "B have no path", "inside S are cut"],
        ),
        ((PATH, [0, 1]), (PATH, [0, 2]), {"method": "2-WL"}, ["1 of A", "linked, 0 of B"]),
        (SHRIKHANDE, ROOK, {"order": "edges"}, ["2 layers 48 of", "A’s 48 pairs"]),
        (STAR, PATH, {}, ["After 1 layer 2 of", "A’s 4 nodes"]),
        (
            (MARKED, 0),
            (MARKED, 1),
            {"method": "1-WL", "attributes": True},
            ["v0 has attributes (1), v1 has attributes (0)"],
        ),
        ((MARKED, 1), (MARKED, 2), {"method": "1-WL", "attributes": True}, ["(v0) has attributes (1); v2 has no such"]),
        ((MARKED, 0), (MARKED, 1), {"method": "2-WL", "attributes": True}, ["attributes of A"]),
        ((MARKED, 0), (MARKED, 1), {"method": "DE-LP", "attributes": True}, ["v0 has attributes (1)"]),
    ],
    ids=range(18),
)
def test_a_sentence_names_what_differs(a, b, how, parts: list[str]) -> None:
    why = de.distinguish(a, b, **how).why
    assert [part for part in parts if part not in why] == [], why


# ---- against the facts -----------------------------------------------------------------------------


class Facts:
    """Distances and neighbors of one side, counted with networkx."""

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
            if plain:
                said.append(f"{len(ring)} neighbor{'' if len(ring) == 1 else 's'}")
            elif ring:
                codes = Counter(map(self.zeta, ring))
                several = len(self.S) > 1
                words = [code if k == 1 else f"{code} (×{k})" for code, k in sorted(codes.items(), key=by_number)]
                listed = "; ".join(words[:6]) + ("; …" if len(words) > 6 else "") if several else join(words)
                how = "marked" if several else "at distance" if len(codes) == 1 else "at distances"
                said.append(f"{'neighbors' if hop == 1 else f'nodes {hop} hops away'} {how} {listed}")
        return " and ".join(said)


def by_number(item: tuple[str, int]) -> tuple[float, str]:
    code = item[0]
    return (float(code), "") if code.isdigit() else (np.inf, code)


def join(words: list[str]) -> str:
    return words[0] if len(words) == 1 else f"{', '.join(words[:-1])} and {words[-1]}"


NUMBERS = dict(zip("no one two three four five six seven".split(), range(8), strict=True))
WALKS = re.compile(
    r"Go from v(?P<a>\d+)(?: in A)?(?P<to_a>(?: to v\d+)+) and from v(?P<b>\d+)(?: in B)?(?P<to_b>(?: to v\d+)+)\. "
)
DEGREES = re.compile(
    r"v(?P<a>\d+)(?: in A)? has (?P<k>no|\d+) (?:neighbors?|nodes? (?P<hop>\d) hops away), "
    r"v(?P<b>\d+)(?: in B)? has (?P<m>no|\d+) .*\."
)
LINKED = re.compile(
    r"Two neighbors of v(?P<a>\d+)(?: in [AB])? \(v(?P<u>\d+) and v(?P<v>\d+)\) are linked to each other; "
    r"no two neighbors of v(?P<b>\d+)(?: in [AB])? are\."
)
KIND = re.compile(
    r"(?P<k>\w+) (?:neighbors? of|nodes? (?P<hop>\d) hops from) v(?P<a>\d+)(?P<in>(?: in [AB])?) "
    r"\((?P<names>[v\d, and]+?(?:\d+ more)?)(?:, at distances? (?P<code>[\d,∞]+))?\) "
    r"(?:(?:is|are) at distances? (?P<own>[\d,∞]+)|(?:has|have) (?P<below>.+)); "
    r"v(?P<b>\d+)(?: in [AB])? has (?:no such \w+|only (?P<m>\w+))\."
)


def check_the_end(why: str, layer: int, sides: list[Facts], plain: bool, hops: int, twins: bool) -> None:
    """The counts of a sentence about neighbors, at the ends of the walks that it names."""
    walks = WALKS.match(why)
    ends: list[int] | None = None
    if walks:
        ends = []
        for facts, k in zip(sides, "ab", strict=True):
            nodes = [int(u) for u in re.findall(r"v(\d+)", f"v{walks[k]}{walks[f'to_{k}']}")]
            assert nodes[0] in facts.S and len(nodes) == layer - 1
            assert all(0 < facts.far[u][w] <= hops for u, w in pairwise(nodes))
            ends.append(nodes[-1])
        why = why[walks.end() :]
    if said := DEGREES.fullmatch(why):
        hop, nodes = int(said["hop"] or 1), [int(said["a"]), int(said["b"])]
        counts = [len(facts.ring(u, hop)) for facts, u in zip(sides, nodes, strict=True)]
        assert counts == [int(said[k].replace("no", "0")) for k in "km"] and counts[0] != counts[1]
        assert ends in (None, nodes)
        return
    said = LINKED.fullmatch(why) or KIND.fullmatch(why)
    assert said, why
    a, b = int(said["a"]), int(said["b"])
    # which side is named first: the one that has more; nodes of one graph are told by the targets
    orders = (
        [(0, 1), (1, 0)] if said.re is LINKED or twins or not said["in"] else [(0, 1) if "A" in said["in"] else (1, 0)]
    )
    assert any(true_of(said, a, b, [sides[k] for k in order], plain, hops) for order in orders), why


def true_of(said: re.Match[str], a: int, b: int, sides: list[Facts], plain: bool, hops: int) -> bool:
    first, second = sides
    if said.re is LINKED:
        u, v = int(said["u"]), int(said["v"])
        ring = second.ring(b, 1)
        mutual = any(second.graph.has_edge(x, y) for x in ring for y in ring)
        return {u, v} <= set(first.ring(a, 1)) and first.graph.has_edge(u, v) and not mutual
    hop, code = int(said["hop"] or 1), said["code"] or said["own"]
    those = [
        [
            w
            for w in facts.ring(u, hop)
            if (not code or facts.zeta(w) == code)
            and (not said["below"] or facts.below(w, plain, hops) == said["below"])
        ]
        for facts, u in ((first, a), (second, b))
    ]
    counts = [NUMBERS[said["k"].lower()], NUMBERS[said["m"] or "no"]]
    listed = {int(w) for w in re.findall(r"v(\d+)", said["names"])}
    return list(map(len, those)) == counts and counts[0] > counts[1] and listed <= set(those[0])


@given(
    graphs_with_targets(7, 3) | trees_with_targets(),
    st.data(),
    st.booleans(),
    st.sampled_from(["1-WL", "DE-SPD", "DEA-SPD"]),
)
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
        if "Every node has" in verdict.why:
            assert degrees == {int(re.search(r"(\d+|no) neigh", verdict.why)[1].replace("no", "0"))}
        else:
            assert re.search("no color class (ever )?splits", verdict.why) and (method != "1-WL" or len(degrees) > 1)
        return
    note = " (Edges inside S are cut.)"
    assert verdict.why.endswith(note) == any(inside)
    if verdict.layer:
        why, hops = verdict.why.removesuffix(note), 2 if method == "DEA-SPD" else 1
        return check_the_end(why, verdict.layer, sides, method == "1-WL", hops, G is H)
    apart = [sorted(facts.far[u].get(v, np.inf) for u in facts.S for v in facts.S if u < v) for facts in sides]
    for distances in apart if len(S) == 2 else []:
        words = "have no path between them" if distances == [np.inf] else f"{distances[0]} step"
        assert words in verdict.why
    if len(S) == 3:
        written = [", ".join(map(str, row)).replace("inf", "∞") for row in apart]
        assert f"between the targets of A are {written[0]}; of B, {written[1]}." in verdict.why


def pairs_of(facts: Facts, layers: int) -> Counter:
    """How often each color of folklore 2-WL occurs among the pairs inside S, by nested multisets."""
    nodes, links = list(facts.graph), facts.graph
    color = {(u, v): (u == v, links.has_edge(u, v)) for u in nodes for v in nodes}
    for _ in range(layers):
        color = {
            (u, v): (old, tuple(sorted((color[u, w], color[w, v]) for w in nodes))) for (u, v), old in color.items()
        }
    return Counter(color[u, v] for u in facts.S for v in facts.S)


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
    if verdict.different and not verdict.layer:
        linked = [int(facts.graph.subgraph(facts.S).number_of_edges()) for facts in sides]
        assert verdict.why == f"{linked[0]} of A’s pairs of targets are linked, {linked[1]} of B’s."


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
        r"After (\d+) steps? a random walk from v(\d+) is back (never|with probability \S+), "
        r"one from v(\d+) (never|with probability \S+)\.",
        verdict.why,
    )
    facts = Facts(G, [u], False)
    assert (int(said[2]), int(said[4])) == (u, v)
    chances = [[landing(facts, node, steps).get(node, 0) for node in (u, v)] for steps in range(int(said[1]) + 1)]
    told = [0 if said[k] == "never" else Fraction(said[k].split()[-1]) for k in (3, 5)]
    assert [float(p) for p in chances[-1]] == pytest.approx([float(p) for p in told], rel=1e-2)
    assert all(a == b for a, b in chances[:-1])


WALKS_OF_PAIRS = re.compile(
    r"After (\d+) steps? random walks from the targets of A are at v(\d+)(?: in A)? with probability (.+), "
    r"those of B at v(\d+)(?: in B)? with (.+)\."
)


@given(graphs_with_targets(6, 2).filter(lambda case: len(case[1]) == 2), st.data())
@settings(max_examples=60)
def test_the_walks_between_pairs_of_targets_are_true(case, data) -> None:
    G, S = case
    H = data.draw(st.sampled_from([G]) | graphs(6).filter(lambda H: H.num_nodes >= 2))
    T = data.draw(st.permutations(range(H.num_nodes)))[:2]
    verdict = de.distinguish((G, S), (H, T), "DE-LP")
    if verdict.layer != 0 or not (sentence := WALKS_OF_PAIRS.fullmatch(verdict.why)):
        return
    steps, a, first, b, second = sentence.groups()
    for X, targets, node, words in ((G, S, int(a), first), (H, T, int(b), second)):
        facts = Facts(X, targets, False)
        chances = sorted(float(landing(facts, v, int(steps)).get(node, 0)) for v in targets)
        assert node in targets
        assert chances == pytest.approx([float(Fraction(word)) for word in words.split(", ")], rel=1e-2)
    assert first != second
