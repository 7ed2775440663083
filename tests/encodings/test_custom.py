"""Your own ζ: what goes in, what comes out, and the errors of functions and encodings that cannot be used."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import degnn_explore as de
from degnn_explore.encodings.custom import REGISTRY, PairInputs, name_of
from tests.strategies import graphs_with_targets

PATH = de.Graph.from_edges([(0, 1), (1, 2), (2, 3)], num_nodes=5)  # 0-1-2-3 and the isolated node 4


def own(fn: Any = lambda near: near.distance, name: str = "own", columns: Any = ("x",), **options: Any) -> de.Encoding:
    return de.encoding(name, fn, columns=columns, **({"max_dist": 9} | options))


def own_spd(max_dist: int, pool: str = "mean") -> de.Encoding:
    """SPD(max_dist), written once more."""
    one_hot = np.eye(max_dist + 2)
    names = [f"c{k}" for k in range(max_dist + 2)]
    return own(
        lambda near: one_hot[np.where(near.distance < 0, max_dist + 1, near.distance)],
        columns=names, max_dist=max_dist, pool=pool,
    )  # fmt: skip


def test_inputs_of_the_function_on_a_path() -> None:
    seen: list[PairInputs] = []
    z = own(lambda near: seen.append(near) or near.distance, walks=2)
    seen.clear()
    assert z.encode(PATH, [0, 3]).ravel().tolist() == [1.5, 1.5, 1.5, 1.5, -1]
    assert z.encode(PATH, [0, 1], cut=True).ravel().tolist() == [-0.5, -0.5, 0, 0.5, -1]
    whole, cut = seen
    assert whole.distance.tolist() == [0, 1, 2, 3, -1, 3, 2, 1, 0, -1] and len(whole) == 10
    assert whole.walks[:5].tolist() == [[1, 0, 0.5], [0, 1, 0], [0, 0, 0.5], [0, 0, 0], [0, 0, 0]]
    assert whole.degree.tolist() == [1, 2, 2, 1, 0] * 2 and whole.target_degree.tolist() == [1] * 10
    assert cut.degree.tolist() == [0, 1, 2, 1, 0] * 2 and cut.target_degree.tolist() == [0] * 5 + [1] * 5
    assert cut.walks[:5, 1:].tolist() == [[0, 0]] * 5
    for array in (whole.distance, whole.degree, whole.target_degree, whole.walks):
        with pytest.raises(ValueError, match="read-only"):
            array[0] = 7
    with pytest.raises(de.ParameterError, match=r"near\.walks needs walks="):
        own(lambda near: near.walks[:, 1])


@settings(max_examples=15)
@given(graphs_with_targets(), st.booleans(), st.integers(1, 3), st.sampled_from(["mean", "sum"]))
def test_spd_and_landing_probabilities_as_functions_are_the_same(example, cut, reach, pool) -> None:
    G, S = example
    mine, spd = own_spd(reach, pool), de.SPD(reach, pool=pool)
    assert np.array_equal(mine.encode(G, S, cut), spd.encode(G, S, cut))
    walks = own(lambda near: near.walks, columns=[f"{k} steps" for k in range(reach + 1)], walks=reach)
    assert np.array_equal(walks.encode(G, S, cut), de.LandingProbability(reach).encode(G, S, cut))
    assert (mine.recipe.reach, walks.recipe.reach) == (reach - 1, 8)  # how far the engine searches


def test_a_name_is_replaced_in_its_place_and_the_old_encoding_is_no_longer_registered() -> None:
    first, other = own(name="a"), own(name="b")
    again = own(name="a", max_dist=1)
    assert list(REGISTRY) == ["a", "b"]
    assert (name_of(again), name_of(other), name_of(first)) == ("a", "b", None)
    long = {"long": Degrees(), "ppr": de.PageRank(0.8), "heat": de.HeatKernel(2.0), "seal": de.DRNL(2)}
    assert [de.encoding(name, zeta) for name, zeta in long.items()] == list(long.values())
    assert list(REGISTRY) == ["a", "b", *long]
    many = own(lambda near: near.walks, name="many", columns=list("abcdef"), walks=5)
    assert [repr(each) for each in (again, many)] == ["<encoding 'a': x>", "<encoding 'many': a, b, c, d, e, …>"]


@pytest.mark.parametrize(
    ("option", "value"),
    [
        ("name", name)
        for name in ("", "1st", "_x", "x-", "x ", "a" * 41, "DE-x", "dea-X", "drnl", "PageRank", "a/b", None)
    ]
    + [("columns", names) for names in (None, "x", [""], [], ["a", "a"])]
    + [("max_dist", far) for far in (None, 0, 10**6 + 1, 1.5)]
    + [("walks", steps) for steps in (-1, 1001, True)]
    + [("pool", None)],
    ids=str,
)
def test_names_and_options_that_do_not_fit_are_refused(option: str, value: Any) -> None:
    with pytest.raises(de.ParameterError, match=None if option == "name" else option):
        own(**{option: value})
    assert REGISTRY == {}


def test_names_in_any_language_and_the_largest_options_are_taken() -> None:
    for name in ("é", "ζ 2", "my_own-1", "a" * 40, "Dea", "de"):
        assert name_of(own(name=name)) == name
    assert own(max_dist=10**6, walks=1000).recipe.reach == 10**6 - 1
    for options in ({"columns": ["x"]}, {"max_dist": 3}, {"walks": 1}, {"pool": "sum"}):
        with pytest.raises(de.ParameterError, match="Degrees declares its own columns"):
            de.encoding("long", Degrees(), **options)


@dataclass(frozen=True)
class Degrees(de.Encoding):
    """The long form, after ``change``, which does something wrong."""

    change: Any = lambda zeta, G, S, cut: zeta
    columns = ("x",)

    def pairwise(self, G, S, cut):
        degrees = (G.cut(S) if cut else G).degrees
        return self.change(np.tile(degrees.astype(float), (len(S), 1))[..., None], G, S, cut)


class Numbered(de.DRNL):
    def pairwise(self, G, S, cut):
        return super().pairwise(G, S, cut) + (np.arange(G.num_nodes) == 3)[:, None] * np.arange(self.dim)


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        (
            lambda near: 1 / near.degree,
            r"not finite: .* 2 nodes with edges 0-1 and S = .* inf .*'x' for u = 0, v = 0\.",
        ),
        (lambda near: 1 / (near.distance + 1), r"not finite: .* inf"),  # where there is no path
        (lambda near: near.distance + len(near), r"changes: .* when it is the only pair"),
        (lambda near: np.random.default_rng().random(len(near)), r"changes: .* when computed again"),
        (lambda near: near.walks, r"\[2, 3\] for 2 pairs and 1 column \['x'\]; .* \[2, 1\]"),
        (lambda near: near.distance.sum(), r"shape \[\] for 2 pairs"),
        (lambda near: np.array(["a"] * len(near)), r"shape \[2, 1\] of <U1"),
        (lambda near: near.nodes, r"2 nodes .*: AttributeError: .*'nodes'"),
        (lambda near: np.maximum(near.degree, 1, out=near.degree), r"ValueError: .*read-only"),
        (
            Degrees(lambda zeta, G, S, cut: zeta[0]),
            r"returns \[2, 1\] on the graph .*\[1, 2, 1\], with columns \['x'\]",
        ),
        (Degrees(lambda zeta, G, S, cut: zeta.tolist()), r"returns list "),
        (
            Degrees(lambda zeta, G, S, cut: zeta + np.arange(G.num_nodes)[:, None]),
            r"u = . and v = . get \[.*\], and \[.*\] with the nodes renumbered",
        ),
        (
            Degrees(lambda zeta, G, S, cut: zeta + np.arange(len(S))[:, None, None]),
            r"get \[1\], and \[2\] with S in another order",
        ),
        (
            Degrees(lambda zeta, G, S, cut: np.where(cut & (zeta == 0) & (G.degrees > 0)[:, None], np.inf, zeta)),
            r"not finite: .* S = \[0, 1\] it is inf in column 'x' for u = 0, v = 0\.",
        ),
        (Degrees(lambda zeta, G, S, cut: zeta + np.random.default_rng().random()), "when computed again"),
        (
            Degrees(lambda zeta, G, S, cut: 0 * zeta + G.degrees[:, None]),
            r"S = \[0, 1\] \(cut=True\) .* \[1\], and \[0\] with the edges inside S removed beforehand",
        ),
        (Numbered(1), r"u = 1 and v = 2 get \[0, 0, 1\], and \[0, 1, 3\] with the nodes renumbered \[2, 3, 1, 0\]"),
    ],
)
def test_errors_come_with_an_example(wrong: Any, message: str) -> None:
    with pytest.raises(de.ParameterError, match=message):
        de.encoding("mine", wrong) if isinstance(wrong, de.Encoding) else own(wrong, walks=2)
    assert REGISTRY == {}
