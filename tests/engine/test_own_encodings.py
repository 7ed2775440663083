"""An own ζ in the engine is that of ``encode`` on the cut graph; what is written anew equals the built-in exactly."""

from __future__ import annotations

from functools import cache

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import degnn_explore as de
from degnn_explore.engine import own_encodings
from tests.encodings.test_custom import own, own_spd
from tests.strategies import graphs_with_targets

COLUMNS = ["distance", "walk 1", "walk 4", "degree", "target degree", "both"]


@cache
def everything(max_dist: int = 99, pool="mean") -> de.Encoding:
    """All that a function may read, in columns of their own."""

    def fn(near):
        pieces = [near.distance, near.walks[:, 1], near.walks[:, 4], near.degree, near.target_degree]
        return np.stack([*pieces, near.distance * near.walks[:, 2]], axis=1)

    return de.encoding("everything", fn, columns=COLUMNS, walks=4, max_dist=max_dist, pool=pool)


def own_walks() -> de.Encoding:
    return own(lambda near: near.walks, columns=[f"{k} steps" for k in range(4)], max_dist=1, walks=3)


@settings(max_examples=40, deadline=None)
@given(
    graphs_with_targets(max_nodes=10), st.integers(1, 3), st.sampled_from([1, 3, 99]), st.sampled_from(["mean", "sum"])
)
def test_the_engine_gives_what_encode_gives_on_the_cut_graph(example, hops, max_dist, pool) -> None:
    G, S = example
    rng = np.random.default_rng(0)
    sets = np.stack([S, *(rng.permutation(G.num_nodes)[: len(S)] for _ in range(3))])
    for zeta in (everything(max_dist, pool), de.PageRank(0.7, pool=pool)):
        egos = de.ego_networks(G, sets, hops=hops, encoding=zeta, degree=False, num_threads=1)
        for i, T in enumerate(sets):
            flat = egos.part([i])
            assert np.allclose(flat.x, zeta.encode(G, T, cut=True)[flat.nodes], rtol=1e-6, atol=1e-9)


@pytest.mark.parametrize("anew", ["SPD", "LP"])
@pytest.mark.parametrize("p", [1, 2, 3])
@pytest.mark.parametrize(
    "how",
    [
        {"layers": 2, "aggregation": "gcn"},
        {"layers": 2, "aggregation": "mean", "max_nodes_per_hop": 5},
        {"layers": 1, "hops": 2, "aggregation": "hops"},
        {"layers": 1, "aggregation": "sum", "raw": True},
    ],
)
def test_blocks_of_what_is_written_anew_are_the_same_to_the_last_bit(anew, p, how) -> None:
    G = de.load("celegans")
    mine, built_in = (own_spd(3), de.SPD(3)) if anew == "SPD" else (own_walks(), de.LandingProbability(3))
    sets = np.stack([np.random.default_rng(i).permutation(G.num_nodes)[:p] for i in range(40)])
    a, b = (de.blocks(G, sets, encoding=zeta, **how).batch(np.arange(40)[::-1]) for zeta in (mine, built_in))
    assert np.array_equal(a.x_self, b.x_self)
    if how["aggregation"] == "hops" and anew == "SPD":  # distances that the engine knows are counted, not summed
        np.testing.assert_allclose(a.x_agg, b.x_agg, atol=1e-6)
    else:
        assert a.x_agg is None or np.array_equal(a.x_agg, b.x_agg)


def test_many_calls_streams_and_threads_give_the_same(monkeypatch: pytest.MonkeyPatch) -> None:
    G, zeta = de.load("karate"), everything()
    sets = np.stack([np.random.default_rng(i).permutation(34)[:2] for i in range(100)])
    whole = de.blocks(G, sets, encoding=zeta, layers=2)
    monkeypatch.setattr(own_encodings, "PAIRS", 50)  # fewer than most single sets have
    for how in ({"num_threads": 1}, {"num_threads": 3}, {"budget": 40_000}):
        other = de.blocks(G, sets, encoding=zeta, layers=2, **how)
        assert other.streamed == ("budget" in how)
        index = np.arange(90, 100)
        assert np.array_equal(other.batch(index).x_agg, whole.batch(index).x_agg)


def test_the_function_sees_many_sets_at_a_time() -> None:
    sizes = []

    def fn(near):
        sizes.append(len(near))
        return near.distance

    zeta = de.encoding("counting", fn, columns=["x"], max_dist=3)
    sizes.clear()
    G = de.load("celegans")
    sets = np.stack([np.random.default_rng(i).permutation(297)[:2] for i in range(500)])
    de.blocks(G, sets, encoding=zeta, layers=2)
    assert len(sizes) < 60
    assert max(sizes) <= own_encodings.PAIRS


def test_an_encoding_asked_set_by_set_has_a_limit(monkeypatch: pytest.MonkeyPatch) -> None:
    G = de.load("karate")
    monkeypatch.setattr(own_encodings, "MOST_NUMBERS", 300)
    assert len(de.blocks(G, [{0, 1}] * 4, encoding=de.PageRank(), layers=1)) == 4
    with pytest.raises(de.ParameterError, match=r"set by set on the whole graph, here 3.4e\+02 numbers for 5 sets"):
        de.blocks(G, [{0, 1}] * 5, encoding=de.PageRank(), layers=1)
    assert len(de.blocks(G, [{0, 1}] * 5, encoding=own_spd(3), layers=1)) == 5


def test_a_value_that_is_not_finite_on_the_real_graph_names_the_node() -> None:
    zeta = de.encoding("log", lambda near: np.log(np.maximum(10 - near.degree, 0)), columns=["log"], max_dist=1)
    with pytest.raises(de.ParameterError, match=r"gives -inf in column 'log' for node \w+"):
        de.blocks(de.load("karate"), [{0, 1}], encoding=zeta, layers=2)
