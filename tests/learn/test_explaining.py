"""Why a model says so: every left-out edge, node and ring against the slow version, notes, and the picture."""

from __future__ import annotations

import copy
import xml.etree.ElementTree as ET
from itertools import pairwise
from typing import Any

import numpy as np
import pandas as pd
import pytest
import torch

import degnn_explore as de
from degnn_explore.learn.explain import scores_if
from degnn_explore.learn.nets.base import digest_bytes
from tests import pretend_device  # noqa: F401 (registers the device)

from . import reference_nets as reference
from .small_nets import answers, built, lively, logits, random_graph, some_sets, task_of, undecided

SPARSE = random_graph(18, 0.12, seed=3, attributes=np.random.default_rng(1).normal(size=(18, 1)))
PAIR = some_sets(SPARSE, 2)[0]  # with an edge inside
MODELS: list[tuple[str, dict[str, Any], int]] = [
    ("GCN", {}, 1), ("SAGE", {"layers": 1}, 2), ("DE-GNN-SPD", {"base": "SAGE"}, 3), ("DE-GNN-SPD", {"layers": 3}, 2),
    ("DE-GNN-SPD", {"max_dist": 6}, 2), ("DE-GNN-LP", {}, 2), ("DE-GNN-LP", {"f3": 4}, 2), ("DE-GNN-RWSE", {}, 2),
    ("DEA-GNN-SPD", {"hops": 2}, 3), ("SEAL", {}, 2), ("SEAL", {"hops": 2}, 2), ("DEA-GNN-PR", {}, 1), ("PGNN", {}, 3),
    ("BUDDY", {}, 2), ("NCN", {}, 2), ("DEA-GNN-PR", {"layers": 3}, 2), ("DEA-GNN-PR", {}, 3),
]  # fmt: skip


def ready(name: str, hyper: dict[str, Any], p: int = 2) -> de.SetNet:
    return undecided(lively(built(name, task_of(SPARSE, p), **hyper)), SPARSE, some_sets(SPARSE, p))


def slow(model: de.SetNet, G: de.Graph, S: np.ndarray) -> float:
    """The score by the slow version, whatever graph a transductive model knows."""
    with torch.no_grad():
        return float(torch.sigmoid(reference.logits(copy.deepcopy(model).double().eval(), G, S[None])[0]))


def changed(G: de.Graph, pairs: Any) -> de.Graph:
    """G with these pairs put in, or left out where they are edges."""
    edges = {*map(tuple, G.edges.tolist())} ^ {(min(u, v), max(u, v)) for u, v in np.asarray(pairs).tolist()}
    return de.Graph.from_edges(edges, G.num_nodes, attributes=G.attributes)


def check_without(model: Any, G: de.Graph, S: np.ndarray, why: de.Explanation, chosen: Any = ()) -> None:
    """Every score without an edge is that of predict on the graph without it."""
    for u, v, without in why.edges[["u", "v", "score_without"]].itertuples(index=False):
        left = answers(model, G.without_edges([(u, v)]), S[None])[0]
        assert without == pytest.approx(left[chosen], abs=1e-5)


# ---- edges and nodes -------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("name", "hyper", "p"), MODELS)
def test_every_edge_and_node_left_out_or_put_in_equals_the_slow_version(name: str, hyper: dict, p: int) -> None:
    G, S = SPARSE, some_sets(SPARSE, p)[0] if p > 1 else SPARSE.degrees.argmax(keepdims=True)
    model = ready(name, hyper, p)
    why = de.explain(model, G, S, most=1000)
    assert (why.model, why.S, why.label) == (name, tuple(S.tolist()), 1) and why.graph is G
    assert why.score == pytest.approx(slow(model, G, S), abs=2e-5)
    away = reference.nearest(G, S)
    seen = np.isfinite(away) if model.horizon is None else away <= model.horizon
    outside = G.edges[~np.isin(G.edges, S).all(axis=1)]
    assert p == 1 or len(outside) < G.num_edges
    listed = outside[seen[outside].any(axis=1)].tolist()
    assert why.edges[["u", "v"]].sort_values(["u", "v"]).to_numpy().tolist() == sorted(listed)
    assert sorted(why.nodes.node) == np.flatnonzero(seen & (away > 0)).tolist()
    assert (why.nodes.distance == away[why.nodes.node]).all()
    found = {(u, v): without for u, v, without in why.edges[["u", "v", "score_without"]].itertuples(index=False)}
    for u, v in outside.tolist():  # one that is too far away to be listed does not count
        assert found.get((u, v), why.score) == pytest.approx(slow(model, changed(G, [(u, v)]), S), abs=2e-5)
    for v, without in why.nodes[["node", "score_without"]].itertuples(index=False):
        alone = changed(G, [(v, int(u)) for u in G.neighbors(v)])
        assert without == pytest.approx(slow(model, alone, S), abs=2e-5)
    for table in (why.edges, why.nodes):
        assert table.change.tolist() == pytest.approx(table.score_without - why.score)
        assert (np.diff(table.change.abs()) <= 1e-12).all() and np.ptp(table.change) > 1e-4
    missing = np.array([(u, v) for u in range(18) for v in range(u) if not G.has_edge(u, v)])
    some = np.random.default_rng(0).permutation(missing)[:8]
    changes = [some[:0], *some[:, None], np.concatenate([some[:1], G.edges[5:7]])]  # one put in, two left out
    for score, pairs in zip(scores_if(model, G, S, changes), changes, strict=True):
        assert score == pytest.approx(slow(model, changed(G, pairs), S), abs=2e-5)


@pytest.mark.parametrize(
    ("name", "hyper"),
    [
        ("walk profiles", {}),
        ("DE-GNN-SPD", {"layers": 2, "max_dist": 10}),
        ("DE-GNN-LP", {"layers": 1, "steps": 5}),
        ("SEAL", {"hops": 2, "max_dist": 8}),
    ],
)
def test_an_edge_beyond_the_horizon_does_not_count(name: str, hyper: dict) -> None:
    """In rings through S = {0, 1}, edge by edge replaced by a long detour."""
    model, S = lively(built(name, task_of(random_graph(), 2), **hyper)), np.array([0, 1])
    for n in range(2 * model.horizon + 2, 2 * model.horizon + 8):
        before = de.Graph.from_edges([(i, (i + 1) % n) for i in range(n)], n + 30)
        for u in range(model.horizon + 2, n - model.horizon):
            detour = list(pairwise([u, *range(n, n + 30), (u + 1) % n]))
            after = de.Graph.from_edges([*before.without_edges([(u, (u + 1) % n)]).edges.tolist(), *detour])
            scores = [logits(model, graph, S[None])[0] for graph in (before, after)]
            assert scores[0] == pytest.approx(scores[1], rel=1e-5)


@pytest.mark.parametrize("name", ["GCN", "SEAL", "DE-GNN-LapPE", "Katz", "DEA-GNN-PR"])
def test_models_that_depend_on_numbers_or_the_whole_graph_have_no_horizon(name: str) -> None:
    hyper = {"max_nodes_per_hop": 3} if name in ("GCN", "SEAL") else {}
    model = built(name, task_of(SPARSE, 2), **hyper)
    assert model.horizon is None
    check_without(model, SPARSE, PAIR, de.explain(model, SPARSE, PAIR, most=5))


def test_a_transductive_model_keeps_its_anchors_and_struc2vec_says_why_not() -> None:
    pgnn, edge = built("PGNN", task_of(SPARSE, 2)), SPARSE.edges[:1]
    score, without = scores_if(pgnn, SPARSE, PAIR, [edge[:0], edge])
    pgnn.known_graphs = digest_bytes(SPARSE.without_edges(edge))[None]
    assert without == pytest.approx(answers(pgnn, SPARSE.without_edges(edge), PAIR[None])[0], abs=1e-6) != score
    with pytest.raises(de.ParameterError, match="struc2vec embeds all nodes before it is trained, once"):
        de.explain(built("struc2vec", task_of(SPARSE, 2)), SPARSE, PAIR)


def test_of_several_classes_the_one_that_the_model_gives_is_explained() -> None:
    sets = np.arange(18)[:, None]
    task = de.set_task(SPARSE, sets, np.array([3, 5, 7])[np.arange(18) % 3], remove_edges=False)
    model = undecided(lively(built("DE-GNN-SPD", task)), SPARSE, sets)
    found = answers(model, SPARSE, sets)
    assert len(np.unique(found.argmax(axis=1))) > 1
    for v in range(18):
        why, chosen = de.explain(model, SPARSE, [v], most=4), found[v].argmax()
        assert (why.score, why.label) == (pytest.approx(found[v, chosen], abs=1e-6), (3, 5, 7)[chosen])
        check_without(model, SPARSE, np.array([v]), why, chosen)
        assert len(why.rings) == 0 or why.rings.score_without.between(0, 1).all()


def first_nodes(G: de.Graph) -> de.Task:
    return de.set_task(G, [[v] for v in range(20)], np.arange(20) % 2, remove_edges=False)


def test_at_most_2000_edges_those_nearest_to_s_and_300_of_models_that_read_the_whole_graph() -> None:
    """A center with 2,100 leaves: all look alike, and are computed in several pieces."""
    star = de.Graph.from_edges([(0, leaf) for leaf in range(1, 2101)])
    model = lively(built("GCN", first_nodes(star), layers=1))
    why = de.explain(model, star, [0])
    assert len(why.edges) == 2000 and len(why.nodes) == 667 and "Of 2,100 edges" in why.notes[0]
    without = answers(model, star.without_edges([(0, 1)]), np.array([[0]]))[0]
    assert np.allclose(why.edges.score_without, without, atol=1e-6)
    double = de.Graph.from_edges([(0, 1), *((i, j) for i in (0, 1) for j in range(2, 202))])
    whole = de.explain(built("DE-GNN-ZeroOne", first_nodes(double)), double, [5])
    assert len(whole.edges) == 300 and len(whole.nodes) == 100
    nearest = reference.nearest(double, np.array([5]))
    assert nearest[whole.edges[["u", "v"]]].sum() == np.sort(nearest[double.edges].sum(axis=1))[:300].sum()


def test_around_a_hub_whose_ego_network_is_thinned_the_same_nodes_are_kept() -> None:
    """Which ones depends on their numbers, so such a graph is changed as a whole."""
    hub = de.Graph.from_edges([(0, leaf) for leaf in range(1, 10_100)])
    model = built("GCN", first_nodes(hub))
    with pytest.warns(UserWarning, match="10,000 nodes"):
        check_without(model, hub, np.array([0]), de.explain(model, hub, [0], most=2))


@pytest.mark.parametrize("training", [True, False])
def test_a_model_keeps_device_mode_and_weights_and_progress_rises(training: bool) -> None:
    model = ready("PGNN", {}).to("pretend").train(training)
    model.readout.eval()
    before = [weight.cpu().clone() for weight in model.parameters()]
    shares: list[float] = []
    why = de.explain(model, SPARSE, PAIR, progress=lambda what, share: shares.append(share))
    assert {weight.device.type for weight in model.parameters()} == {"pretend"}
    assert model.training == model.own.training == training and not model.readout.training
    assert all(torch.equal(a, b.cpu()) for a, b in zip(before, model.parameters(), strict=True))
    assert why.score == pytest.approx(slow(model.cpu(), SPARSE, PAIR), abs=1e-5)
    assert shares == sorted(shares) and shares[0] == 0 and len(set(shares)) > 5 and max(shares) < 1


# ---- rings -----------------------------------------------------------------------------------------------------------


REACH = [
    ("DE-GNN-SPD", {"base": "SAGE"}, 2), ("DE-GNN-SPD", {"layers": 3}, 3), ("DE-GNN-LP", {"layers": 1}, 1),
    ("DEA-GNN-SPD", {"hops": 2}, 4), ("DE-GNN-RWSE", {}, 2), ("SEAL", {}, 1), ("DEA-GNN-PR", {}, np.inf),
    ("DEA-GNN-PR", {"layers": 3}, np.inf), ("DE-GNN-mine", {}, 2),
]  # fmt: skip


@pytest.mark.parametrize(("name", "hyper", "reach"), REACH)
def test_blanked_rings_equal_the_slow_version_on_averaged_features(
    name: str, hyper: dict, reach: float, monkeypatch: Any
) -> None:
    de.encoding("mine", lambda near: near.degree * (near.distance == 1), columns=["degree"], max_dist=3, pool="sum")
    model = ready(name, hyper)
    why = de.explain(model, SPARSE, PAIR)
    rings = why.rings
    nearest = reference.nearest(SPARSE, PAIR)
    seen = nearest <= reach
    far = ["unreachable"] if np.isinf(nearest[seen]).any() else []
    assert rings.ring.tolist() == ["all", *range(int(nearest[seen & np.isfinite(nearest)].max()) + 1), *far]
    plain = reference.features
    for ring, nodes, without, change in rings.itertuples(index=False):
        blank = seen if ring == "all" else seen & (nearest == (np.inf if ring == "unreachable" else ring))
        assert blank.sum() == nodes and change == pytest.approx(without - why.score)

        def features(G: de.Graph, S: np.ndarray, encoding: Any, blank: np.ndarray = blank) -> torch.Tensor:
            x = plain(G, S, encoding)
            x[blank, 2:] = x[seen, 2:].mean(dim=0)  # after log-degree and an attribute
            return x

        with monkeypatch.context() as patch:
            patch.setattr(reference, "features", features)
            assert without == pytest.approx(slow(model, SPARSE, PAIR), abs=2e-5)


@pytest.mark.parametrize(
    ("name", "hyper"),
    [("GCN", {}), ("BUDDY", {}), ("DE-GNN-SPD", {"max_nodes_per_hop": 2}), ("SEAL", {"max_nodes_per_hop": 2})],
)
def test_a_model_without_an_encoding_that_could_be_blanked_has_no_rings(name: str, hyper: dict) -> None:
    why = de.explain(built(name, task_of(SPARSE, 2), **hyper), SPARSE, PAIR)
    assert len(why.rings) == 0 and list(why.rings.columns) == ["ring", "nodes", "score_without", "change"]
    assert any(note.startswith("Rings: ") and name in note for note in why.notes)


# ---- the picture -----------------------------------------------------------------------------------------------------

EVIL = "<img src=x onerror=\"alert(1)\"> & 'co'"
HAND = de.Graph.from_edges([(0, 1), (0, 2), (1, 2), (2, 3), (3, 4), (4, 5)], names=[EVIL, "b", "c", "d", "e", "f"])


def test_the_picture_draws_the_edges_that_count_the_wider_the_more_and_dashed_where_they_speak_against() -> None:
    changes = {(2, 3): -0.4, (0, 2): 0.2, (1, 2): -0.1, (3, 4): 0.0}
    edges = pd.DataFrame([(u, v, 0.5 + change, change) for (u, v), change in changes.items()])
    edges.columns = ["u", "v", "score_without", "change"]
    rings = pd.DataFrame({"ring": ["all", 0], "nodes": [6, 2], "score_without": [0.25, 0.5], "change": [-0.25, 0.0]})
    why = de.Explanation("SEAL", HAND, (0, 1), 0.5, 1, edges, edges.head(0), rings, (f"about {EVIL}",))
    root = ET.fromstring(why.picture().replace(' xmlns="http://www.w3.org/2000/svg"', ""))
    circles = {circle[0].text: circle for circle in root.iter("circle")}
    assert list(circles) == [EVIL, "b", "c", "d", "e"]  # f is at no edge that counts
    assert [circle.get("r") for circle in circles.values()] == ["9", "9", "6", "6", "6"]
    lines = {line[0].text: line for line in root.iter("line") if len(line)}
    assert [float(line.get("stroke-width")) for line in lines.values()] == [0.8, 1.2, 2.7, 4.2, 7.2]  # strongest on top
    b, e, c, a, d = lines
    assert (b, e, d) == (f"{EVIL} — b", "d — e: without it 0.500 (0.000)", "c — d: without it 0.100 (−0.400)")
    assert [title for title, line in lines.items() if line.get("stroke-dasharray")] == [a]
    stroke = {title: line.get("stroke") for title, line in lines.items()}
    assert stroke[c] == stroke[d] == stroke[e] and len({*stroke.values()}) == 3
    assert [text.text for text in root.iter("text")][:5] == [EVIL[:14], "b", "c", "d", "e"]
    assert all(50 <= float(c.get("cx")) <= 590 and 37 <= float(c.get("cy")) <= 367 for c in circles.values())
    wide, high = map(float, root.get("viewBox").split()[2:])
    keys = [text for text in root.iter("text") if not text.get("text-anchor")]
    starts = [tuple(float(text.get(axis)) for axis in "xy") for text in keys]
    assert len(set(starts)) == 2 and all(0 < x < wide - 200 and high - 30 < y < high for x, y in starts)
    for most in (1, 2, 20):
        assert why.picture(most).count("without it ") == min(most, 4)
    page = why._repr_html_()
    assert "<img" not in page and page.count("&lt;img") >= 5
    cells = [cell.text for cell in ET.fromstring(f"<div>{page}</div>").iter("td")]
    assert cells[:4] == ["c", "d", "0.100", "-0.400"] and cells[-8:-4] == ["all", "6", "0.250", "-0.250"]
    assert all(part in why.title for part in (EVIL, "SEAL", "0.500", "class 1")) and why.title in repr(why)
