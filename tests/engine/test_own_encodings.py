"""Your own ζ in the engine: one written anew equals the built-in; test_egonets.py compares others with ``encode``."""

from __future__ import annotations

import numpy as np
import pytest

import degnn_explore as de
from degnn_explore.engine import own_encodings
from tests.encodings.test_custom import own, own_spd

PAIRS = np.stack([np.random.default_rng(i).permutation(297)[:2] for i in range(500)])


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
    if anew == "SPD":
        mine, built_in = own_spd(3), de.SPD(3)
    else:
        columns = [f"{k} steps" for k in range(4)]
        mine, built_in = own(lambda near: near.walks, columns=columns, max_dist=1, walks=3), de.LandingProbability(3)
    sets = np.stack([np.random.default_rng(i).permutation(G.num_nodes)[:p] for i in range(40)])
    a, b = (de.blocks(G, sets, encoding=zeta, **how).batch(np.arange(40)[::-1]) for zeta in (mine, built_in))
    assert np.array_equal(a.x_self, b.x_self)
    if how["aggregation"] == "hops" and anew == "SPD":  # distances that the engine knows are counted, not summed
        np.testing.assert_allclose(a.x_agg, b.x_agg, atol=1e-6)
    else:
        assert a.x_agg is None or np.array_equal(a.x_agg, b.x_agg)


def test_the_function_sees_many_sets_at_a_time_but_not_too_many() -> None:
    sizes = []
    zeta = own(lambda near: sizes.append(len(near)) or near.distance, max_dist=3)
    sizes.clear()
    whole = de.blocks(de.load("celegans"), PAIRS, encoding=zeta, layers=2)
    assert len(sizes) < 60 and max(sizes) <= own_encodings.PAIRS
    sizes.clear()
    streamed = de.blocks(de.load("celegans"), PAIRS, encoding=zeta, layers=2, budget=100_000)
    assert np.array_equal(streamed.batch([3, 4]).x_agg, whole.batch([3, 4]).x_agg)
    assert len(sizes) == 1 and 8 * 4 * sizes[0] <= 100_000  # a distance, two degrees and a column of each pair


def test_a_hub_needs_more_room_than_a_call_has_and_is_refused_where_that_is_not_allowed() -> None:
    leaves, zeta = own_encodings.PAIRS + 1, own(lambda near: near.degree)
    hub = de.Graph.from_edges([(0, v) for v in range(1, leaves + 1)])
    x = de.blocks(hub, [0], encoding=zeta, layers=2, max_nodes_per_hop=10**6, degree=False).batch([0]).x_self
    assert x.ravel().tolist() == [leaves, *[1] * leaves]
    with pytest.raises(de.ParameterError, match=r"inputs of an encoding, .* would take 2.1 MB, more than the 1.5 MB"):
        de.blocks(hub, [0], encoding=zeta, layers=1, max_nodes_per_hop=10**6, budget=1_500_000)


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
