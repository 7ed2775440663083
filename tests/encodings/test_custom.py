"""Your own ζ: what goes in, what comes out, and the errors of functions and encodings that cannot be used."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import degnn_explore as de
from degnn_explore.encodings.custom import REGISTRY, PairInputs, examples, name_of
from tests.strategies import graphs_with_targets

PATH = de.Graph.from_edges([(0, 1), (1, 2), (2, 3)], num_nodes=5)  # 0-1-2-3 and the isolated node 4


def own_spd(max_dist: int = 3, name: str = "own SPD", pool="mean") -> de.Encoding:
    """SPD(max_dist), written anew."""
    return de.encoding(
        name,
        lambda near: np.eye(max_dist + 2)[np.where(near.distance < 0, max_dist + 1, near.distance)],
        columns=[f"c{k}" for k in range(max_dist + 2)],
        max_dist=max_dist,
        pool=pool,
    )


def own_walks(steps: int = 3, name: str = "own walks") -> de.Encoding:
    """LandingProbability(steps), written anew."""
    return de.encoding(
        name, lambda near: near.walks, columns=[f"{k} steps" for k in range(steps + 1)], max_dist=1, walks=steps
    )


@cache
def anew(pool) -> tuple[de.Encoding, de.Encoding]:
    return own_spd(2, pool=pool), own_walks()


def test_inputs_of_the_function_on_a_path() -> None:
    said = []

    def look(near: PairInputs) -> np.ndarray:
        said.append((near.distance, near.walks, near.degree, near.target_degree))
        return near.distance

    z = de.encoding("look", look, columns=["distance"], max_dist=9, walks=2)
    said.clear()
    assert z.encode(PATH, [0, 3], cut=True).ravel().tolist() == [1.5, 1.5, 1.5, 1.5, -1]
    ((distance, walks, degree, target_degree),) = said
    assert distance.tolist() == [0, 1, 2, 3, -1, 3, 2, 1, 0, -1]
    assert walks[:5].tolist() == [[1, 0, 0.5], [0, 1, 0], [0, 0, 0.5], [0, 0, 0], [0, 0, 0]]
    assert degree.tolist() == [1, 2, 2, 1, 0] * 2
    assert target_degree.tolist() == [1] * 10
    with pytest.raises(ValueError, match="read-only"):
        distance[0] = 7


def test_distances_are_truncated_as_in_spd_and_no_path_is_minus_one() -> None:
    z = de.encoding("far", lambda near: near.distance, columns=["distance"], max_dist=2)
    assert z.encode(PATH, {0}).ravel().tolist() == [0, 1, 2, 2, -1]
    z = de.encoding("far", lambda near: near.distance, columns=["distance"], max_dist=3)
    assert z.encode(PATH, {0}).ravel().tolist() == [0, 1, 2, 3, -1]
    with pytest.raises(de.ParameterError, match="needs max_dist="):
        de.encoding("far", lambda near: near.distance, columns=["distance"])


@given(graphs_with_targets(), st.booleans(), st.sampled_from(["mean", "sum"]))
def test_spd_and_landing_probabilities_as_functions_are_the_same(example, cut, pool) -> None:
    G, S = example
    mine, walks = anew(pool)
    assert np.array_equal(mine.encode(G, S, cut), de.SPD(2, pool=pool).encode(G, S, cut))
    assert np.array_equal(walks.encode(G, S, cut), de.LandingProbability(3).encode(G, S, cut))
    for a, b in zip(*(de.colors(G, S, zeta, cut=cut, layers=2) for zeta in (mine, de.SPD(2))), strict=True):
        assert np.array_equal(a[:, None] == a, b[:, None] == b)


def test_a_name_is_replaced_in_its_place_and_the_old_encoding_is_no_longer_registered() -> None:
    first, other = own_spd(name="a"), own_spd(name="b")
    again = own_spd(max_dist=1, name="a")
    assert list(REGISTRY) == ["a", "b"]
    assert (name_of(again), name_of(other), name_of(first)) == ("a", "b", None)


def test_distances_and_degrees_are_always_there_and_walks_if_wanted() -> None:
    z = de.encoding("moody", lambda near: near.distance, columns=["x"], max_dist=2)
    assert z.encode(de.zoo.cycle(200), {0}).max() == 2
    with pytest.raises(de.ParameterError, match=r"near\.walks needs walks="):
        de.encoding("visits", lambda near: near.walks[:, 1], columns=["x"], max_dist=1)
    assert (own_walks().recipe.reach, own_spd().recipe.reach) == (3, 2)


def test_the_examples_hold_pieces_isolated_nodes_and_edges_inside_s() -> None:
    tried = list(examples(None))
    assert {len(S) for _, S in tried} == {1, 2, 3}
    assert any(G.num_edges == 0 for G, _ in tried)
    assert any((np.asarray(de.SPD(9).encode(G, [S[0]]))[:, -1] > 0).any() and G.num_edges for G, S in tried)
    assert any(G.cut(S).num_edges < G.num_edges for G, S in tried)


@pytest.mark.parametrize(
    ("fn", "message"),
    [
        (
            lambda near: 1 / near.degree,
            r"not finite: on the graph of 2 nodes with edges 0-1 and S = .* for u = 0, v = 0",
        ),
        (lambda near: near.distance + len(near), r"changes: .* when it is the only pair"),
        (lambda near: np.random.default_rng().random(len(near)), r"changes: .* when computed again"),
        (lambda near: near.walks, r"shape \[2, 3\] for 2 pairs and 1 column \['x'\]; return numbers of shape \[2, 1\]"),
        (lambda near: near.distance.sum(), r"shape \[\] for 2 pairs"),
        (lambda near: np.array(["a"] * len(near)), r"shape \[2, 1\] of <U1 for 2 pairs"),
        (
            lambda near: near.nodes,
            r"on the graph of 2 nodes .*: AttributeError: 'PairInputs' object has no attribute 'nodes'",
        ),
        (lambda near: np.maximum(near.degree, 1, out=near.degree), r"ValueError: output array is read-only"),
    ],
)
def test_errors_of_a_function_come_with_an_example(fn, message) -> None:
    with pytest.raises(de.ParameterError, match=message):
        de.encoding("mine", fn, columns=["x"], max_dist=9, walks=2)
    assert REGISTRY == {}


@dataclass(frozen=True)
class Long(de.Encoding):
    """The long form, with something wrong."""

    wrong: str = ""
    columns = ("x",)

    def pairwise(self, G, S, cut):
        H = G.cut(S) if cut and self.wrong != "cut" else G
        n = G.num_nodes
        zeta = np.tile(H.degrees.astype(float), (len(S), 1))[..., None]
        match self.wrong:
            case "shape":
                return zeta[0]
            case "number":
                return zeta + np.arange(n)[:, None]
            case "order":
                return zeta + np.arange(len(S))[:, None, None]
            case "infinite":
                return np.where(zeta == 0, np.inf, zeta)
            case "chance":
                return zeta + np.random.default_rng().random(zeta.shape)
        return zeta


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        ("shape", r"returns \[2, 1\] on the graph .* \[targets, nodes, columns\] = \[1, 2, 1\]"),
        ("number", r"u = . and v = . get \[.*\], and \[.*\] with the nodes renumbered \[.*\]\. Use nothing that"),
        ("order", r"get \[1\], and \[2\] with S in another order"),
        ("infinite", "is not finite"),
        ("chance", "when computed again"),
        ("cut", r"S = \[0, 1\] \(cut=True\) .* \[1\], and \[0\] with the edges inside S removed beforehand"),
    ],
)
def test_errors_of_an_encoding_come_with_an_example(wrong, message) -> None:
    with pytest.raises(de.ParameterError, match=message):
        de.encoding("mine", Long(wrong=wrong))
    assert REGISTRY == {}


def test_the_long_form_and_encodings_of_the_library_can_be_registered() -> None:
    for name, zeta in {"long": Long(), "ppr": de.PageRank(0.8), "heat": de.HeatKernel(2.0), "seal": de.DRNL(2)}.items():
        assert de.encoding(name, zeta) is zeta
    assert list(REGISTRY) == ["long", "ppr", "heat", "seal"]
