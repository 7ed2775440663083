"""Why a model says so: every left-out edge, node and ring against the slow version."""

from __future__ import annotations

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

import degnn_explore as de
from degnn_explore.graphs.distances import distances
from degnn_explore.learn.edge_changes import neighborhood, side_by_side
from degnn_explore.learn.explain import scores_if
from degnn_explore.learn.metrics import probabilities
from degnn_explore.learn.nets.base import digest_bytes

from ..strategies import graphs_with_targets
from . import reference_nets as reference
from .test_nets import a_task, random_graph, ready, some_sets

BLOCKS = [
    ("GCN", {}), ("SAGE", {}), ("GIN", {}), ("DE-GNN-SPD", {"base": "SAGE"}), ("DE-GNN-SPD", {"layers": 3}),
    ("DE-GNN-LP", {"f3": 4}), ("DEA-GNN-SPD", {"layers": 2, "hops": 2}),
]  # fmt: skip
EVERY = [*BLOCKS, ("DE-GNN-SPD", {"max_dist": 6}), ("DE-GNN-LP", {}), ("SEAL", {}), ("DEA-GNN-PR", {}), ("PGNN", {})]
SPARSE = random_graph(density=0.08, seed=3)  # several components, leaves, a bridge or two


def slow(model: torch.nn.Module, G: de.Graph, S: np.ndarray) -> float:
    """The score by the slow version; it leaves the model in float64."""
    return float(probabilities(reference.logits(model, G, S[None, :]))[0])


def without_node(G: de.Graph, v: int) -> de.Graph:
    return G.without_edges([(v, int(u)) for u in G.neighbors(np.int64(v))])


@pytest.mark.parametrize("name, hyper", EVERY)
def test_every_edge_and_node_left_out_equals_the_slow_version(name: str, hyper: dict) -> None:
    task = a_task(SPARSE, 2)
    model = ready(name, task, **hyper)
    S = some_sets(SPARSE, 2)[0]
    why = de.explain(model, SPARSE, S, most=1000)
    assert why.score == pytest.approx(de.predict(model, SPARSE, [S])[0], abs=1e-6)
    inside = np.isin(SPARSE.edges, S).all(axis=1)
    near = neighborhood(SPARSE, S, model.horizon).nodes if model.horizon else np.arange(26)
    assert inside.sum() == 1 and len(why.edges) <= SPARSE.num_edges - 1
    found = {(row.u, row.v): row.score_without for row in why.edges.itertuples()}
    assert tuple(sorted(S.tolist())) not in found  # cut in any case
    for u, v in SPARSE.edges[~inside].tolist():
        if (u, v) in found:
            assert found[u, v] == pytest.approx(slow(model, SPARSE.without_edges([(u, v)]), S), abs=2e-5)
        elif u in near and v in near:  # too far away to be asked about, so it must not count
            assert why.score == pytest.approx(slow(model, SPARSE.without_edges([(u, v)]), S), abs=2e-5)
    assert set(why.nodes.node) & set(S.tolist()) == set() and len(why.nodes)
    for row in why.nodes.itertuples():
        assert row.score_without == pytest.approx(slow(model, without_node(SPARSE, row.node), S), abs=2e-5)
    for table in (why.edges, why.nodes):
        assert (np.diff(table.change.abs()) <= 1e-12).all()
        np.testing.assert_allclose(table.change, table.score_without - why.score)


@pytest.mark.parametrize("name, hyper", EVERY)
def test_pairs_put_in_count_as_if_they_had_always_been_there(name: str, hyper: dict) -> None:
    model, S = ready(name, a_task(SPARSE, 2), **hyper), some_sets(SPARSE, 2)[0]
    missing = np.array([(u, v) for u in range(26) for v in range(u) if not SPARSE.has_edge(u, v)])
    some = np.random.default_rng(0).permutation(missing)[:12]
    both = np.concatenate([some[:1], SPARSE.edges[5:7]])  # one put in, two left out
    scores = scores_if(model, SPARSE, S, [some[:0], *some[:, None], both])
    for score, pairs in zip(scores, [some[:0], *some[:, None], both], strict=True):
        assert score == pytest.approx(slow(model, side_by_side(SPARSE, [pairs]), S), abs=2e-5)


def test_transductive_models_keep_their_anchors_and_struc2vec_says_why_not() -> None:
    task = a_task(SPARSE, 2)
    pgnn, S = ready("PGNN", task), some_sets(SPARSE, 2)[0]
    edge = SPARSE.edges[:1]
    score = scores_if(pgnn, SPARSE, S, [edge])[0]
    pgnn.known_graphs = digest_bytes(SPARSE.without_edges(edge))[None]
    assert score == pytest.approx(de.predict(pgnn, SPARSE.without_edges(edge), [S])[0], abs=1e-6)
    with pytest.raises(de.ParameterError, match="struc2vec embeds all nodes before it is trained, once"):
        de.explain(ready("struc2vec", task), SPARSE, S)


@settings(deadline=None, max_examples=60)
@given(graphs_with_targets(max_nodes=12, max_targets=3), st.integers(1, 3), st.data())
def test_a_neighborhood_shows_s_what_the_whole_graph_shows(picked: tuple, horizon: int, data: st.DataObject) -> None:
    G, targets = picked
    S, n = np.array(targets), G.num_nodes
    pairs = [(u, v) for u in range(n) for v in range(u)]
    some = data.draw(st.lists(st.sampled_from(pairs), max_size=2, unique=True)) if pairs else []
    changes = [np.array(some, dtype=np.int64).reshape(-1, 2)]
    near = neighborhood(G, S, horizon, changes)
    whole, part = side_by_side(G, changes), side_by_side(near.graph, [np.searchsorted(near.nodes, changes[0])])
    away = distances(whole, S)
    close = np.flatnonzero(((away >= 0) & (away <= horizon)).any(axis=0))
    inside = np.searchsorted(near.nodes, close)
    np.testing.assert_array_equal(near.nodes[inside], close)
    np.testing.assert_array_equal(whole.degrees[close], part.degrees[inside])
    zeta = de.SPD(max_dist=horizon + 1)
    for cut in (False, True):
        np.testing.assert_array_equal(zeta.encode(whole, S, cut)[close], zeta.encode(part, near.S, cut)[inside])


def test_a_long_way_round_is_seen_from_its_middle_and_counts_as_a_connection() -> None:
    ring = de.Graph.from_edges([(i, (i + 1) % 14) for i in range(14)])
    near = neighborhood(ring, np.array([0, 1]), 2)
    assert len(near.nodes) == 8  # 0 and 1, two hops to either side, and a rim of two
    away = distances(near.graph, near.S, cut=True)
    assert away[0, near.S[1]] > 2  # far, and not unreachable: what is beyond connects the two rims
    model = ready("DE-GNN-SPD", a_task(ring, 2), layers=1, max_dist=6)
    S = np.array([0, 5])
    assert model.horizon == 3
    why = de.explain(model, ring, S)
    row = why.edges[(why.edges.u == 2) & (why.edges.v == 3)].iloc[0]  # in the middle, out of reach of one layer
    assert abs(row.change) > 1e-6
    assert row.score_without == pytest.approx(slow(model, ring.without_edges([(2, 3)]), S), abs=2e-5)


@pytest.mark.parametrize(
    "name, hyper", [*[b for b in BLOCKS[3:] if "f3" not in b[1]], ("DE-GNN-LP", {}), ("SEAL", {}), ("DEA-GNN-PR", {})]
)
def test_blanked_rings_equal_the_slow_version_on_averaged_features(name: str, hyper: dict, monkeypatch) -> None:
    model, S = ready(name, a_task(SPARSE, 2), **hyper), some_sets(SPARSE, 2)[1]
    rings = de.explain(model, SPARSE, S).rings
    assert rings.ring.tolist()[:3] == ["all", 0, 1] and rings.nodes[0] == rings.nodes[1:].sum()
    reach = {"SEAL": 1, "DEA-GNN-PR": 99}.get(name, model.hyper["layers"] * model.hyper.get("hops", 1))
    away = distances(SPARSE, S).astype(float)
    nearest = np.where(away < 0, np.inf, away).min(axis=0)
    seen = nearest <= reach if name != "DEA-GNN-PR" else nearest >= 0
    plain = reference.features
    for row in rings.itertuples():
        far = np.inf if row.ring == "unreachable" else row.ring
        blank = seen if row.ring == "all" else seen & (nearest == far)
        assert blank.sum() == row.nodes

        def features(G, S, encoding, blank=blank):
            x = plain(G, S, encoding)
            x[blank, 1:] = x[seen, 1:].mean(dim=0)
            return x

        monkeypatch.setattr(reference, "features", features)
        assert row.score_without == pytest.approx(slow(model, SPARSE, S), abs=2e-5)


def test_of_four_classes_the_one_that_the_model_gives_is_explained() -> None:
    G = random_graph()
    model = ready("DE-GNN-SPD", a_task(G, 1, classes=4))
    answers = de.predict(model, G, [[5]])[0]
    why = de.explain(model, G, [5])
    assert (why.score, why.label) == (pytest.approx(answers.max(), abs=1e-6), int(answers.argmax()))
    u, v = why.edges.loc[0, ["u", "v"]].astype(int)
    without = de.predict(model, G.without_edges([(u, v)]), [[5]])[0, answers.argmax()]
    assert why.edges.score_without[0] == pytest.approx(without, abs=1e-6)


def test_what_was_not_asked_is_said_and_names_are_text() -> None:
    evil = "<img src=x onerror=alert(1)>"
    G = random_graph(names=[evil, *map(str, range(1, 26))])
    model = ready("GCN", a_task(G, 2))
    told: list[tuple] = []
    why = de.explain(model, G, [evil, "5"], most=3, progress=lambda *now: told.append(now))
    assert told
    assert len(why.edges) == 3 and len(why.nodes) == 1
    assert why.notes[0].startswith("Of ") and "the 3 nearest to S were left out" in why.notes[0]
    assert "GCN has no encoding of distances to S" in " ".join(why.notes)
    assert evil not in why._repr_html_() and "&lt;img" in why._repr_html_()
    whole = de.explain(model, G, [evil, "5"])
    assert len(whole.edges) > 20
    assert [whole.picture(*most).count(": without it") for most in ((), (5,))] == [20, 5]
    assert "gives <img" in repr(why)
