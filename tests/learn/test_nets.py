"""The ten models: exactness against the slow version, the 1-WL bound, devices, errors."""

from __future__ import annotations

import numpy as np
import pytest
import torch
from hypothesis import assume, given, settings
from hypothesis import strategies as st

import degnn_explore as de
from degnn_explore.common.errors import ParameterError, TargetError
from degnn_explore.engine import features
from degnn_explore.learn import registry
from degnn_explore.learn.nets import operators, pagerank, struc2vec
from degnn_explore.learn.nets.base import Dropout
from degnn_explore.learn.training import loss_of

from . import reference_nets as reference

EVERY = [name for name in registry.MODELS if not registry.is_heuristic(name)]
SMALL = {
    "struc2vec": {"dim": 8, "walks": 2, "length": 10},
    "PGNN": {"anchor_sets": 12, "hidden": 8},
    "SEAL": {"sort_k": 12, "hidden": 8},
}


def random_graph(n: int = 26, density: float = 0.12, seed: int = 0, **columns) -> de.Graph:
    rng = np.random.default_rng(seed)
    upper = np.argwhere(np.triu(rng.random((n, n)) < density, k=1))
    return de.Graph.from_edges(upper, n, **columns)


def some_sets(G: de.Graph, p: int, count: int = 8, seed: int = 0) -> np.ndarray:
    """Random sets, half of them with an edge inside (so that the cut matters)."""
    rng = np.random.default_rng(seed)
    sets = np.stack([rng.choice(G.num_nodes, p, replace=False) for _ in range(count)])
    if p > 1:
        for i, (u, v) in enumerate(rng.permutation(G.edges)[: count // 2]):
            others = [w for w in sets[i] if w not in (u, v)][: p - 2]
            sets[i] = [v, *others, u]
    return sets


def a_task(G: de.Graph, p: int, classes: int = 2, count: int = 24) -> de.Task:
    sets = np.unique(np.sort(some_sets(G, p, count, seed=5), axis=1), axis=0)
    return de.set_task(G, sets, np.arange(len(sets)) % classes, remove_edges=False)


def ready(name: str, task: de.Task, **hyper):
    model = de.build(
        name,
        task,
        seed=1,
        **{"hidden": 7, **SMALL.get(name, {}), **hyper} if name != "struc2vec" else {**SMALL[name], **hyper},
    )
    model.bind(task)
    return model.eval()


def fast_logits(model, G, sets) -> np.ndarray:
    data = model.prepare(G, sets)
    assert len(data) == len(sets)
    with torch.no_grad():
        return model(data.batch(np.arange(len(sets)))).numpy()


CASES = [
    *[(name, {"layers": layers}) for name in ("GCN", "SAGE", "GIN") for layers in (1, 2, 3)],
    ("GCN", {"readout": "difference"}),
    *[("DE-GNN-SPD", {"base": base, "layers": layers}) for base in ("GCN", "SAGE", "GIN") for layers in (1, 2)],
    ("DE-GNN-SPD", {"layers": 3, "max_dist": 4}),
    *[("DE-GNN-LP", {"base": base}) for base in ("GCN", "SAGE", "GIN")],
    ("DE-GNN-LP", {"f3": 5}),
    ("DE-GNN-LP", {"f3": 5, "base": "SAGE", "layers": 1, "steps": 4}),
    *[("DEA-GNN-SPD", {"hops": hops, "layers": layers}) for hops in (1, 2, 3) for layers in (1, 2)],
    *[("DEA-GNN-PR", {"layers": layers}) for layers in (1, 2, 3)],
]


@pytest.mark.parametrize("p", [1, 2, 3, 4])
@pytest.mark.parametrize(("name", "hyper"), CASES, ids=lambda case: str(case))
def test_logits_equal_those_of_the_slow_version(name, hyper, p):
    G = random_graph(attributes=np.random.default_rng(2).normal(size=(26, 2)) if p == 3 else None)
    model = ready(name, a_task(G, p, classes=2 + (p == 1)), **hyper)
    sets = some_sets(G, p)
    model.calibrate(model.prepare(G, sets), np.arange(len(sets)))
    fast = fast_logits(model, G, sets)
    assert np.allclose(fast, reference.logits(model, G, sets), atol=1e-5)


def test_calibration_gives_each_feature_size_one():
    G = random_graph(60, 0.1)
    model = ready("DE-GNN-LP", a_task(G, 2))
    data = model.prepare(G, some_sets(G, 2))
    model.calibrate(data, np.arange(8))
    batch = data.batch(np.arange(8))
    sizes = [(x * model.scale).square().mean(dim=0).sqrt() for x in (batch.x_self, batch.x_agg[:, 0])]
    assert torch.allclose(torch.stack(sizes).amax(dim=0), torch.ones(5))


def test_landing_probabilities_take_three_layers_for_single_nodes():
    G = random_graph()
    assert [de.build("DE-GNN-LP", a_task(G, p)).hyper["layers"] for p in (1, 2)] == [3, 2]


@pytest.mark.parametrize("hyper", [{}, {"hops": 2}, {"layers": 1, "max_dist": 2}], ids=str)
def test_seal_equals_the_slow_version(hyper):
    G = random_graph()
    model = ready("SEAL", a_task(G, 2), **hyper)
    sets = some_sets(G, 2)
    fast = fast_logits(model, G, sets)
    assert np.allclose(fast, reference.logits(model, G, sets), atol=1e-5)


@pytest.mark.parametrize("p", [2, 3])
@pytest.mark.parametrize("layers", [1, 2])
def test_pgnn_equals_the_slow_version(p, layers):
    G = random_graph()
    model = ready("PGNN", a_task(G, p), layers=layers)
    sets = some_sets(G, p)
    fast = fast_logits(model, G, sets)
    assert np.allclose(fast, reference.logits(model, G, sets), atol=1e-5)


@pytest.mark.parametrize("layers", [1, 2])
def test_pagerank_computed_once_is_pagerank_computed_batch_by_batch(layers, monkeypatch):
    G = random_graph()
    sets = some_sets(G, 2)
    model = ready("DEA-GNN-PR", a_task(G, 2), layers=layers)
    once = model.prepare(G, sets)
    monkeypatch.setattr(pagerank, "_HELD", 0)
    each = model.prepare(G, sets)
    assert once.held is not None
    assert each.held is None
    index = np.array([5, 0, 3])
    with torch.no_grad():
        assert torch.allclose(model(once.batch(index)), model(each.batch(index)), atol=1e-6)


@settings(max_examples=40, deadline=None)
@given(st.integers(1, 3), st.integers(8, 30), st.floats(0.02, 0.4), st.integers(0, 10**6), st.booleans())
def test_what_the_targets_hear_is_all_that_two_layers_of_pagerank_need(p, n, density, seed, streamed):
    """Logits and gradients are those of the dense scores of all nodes, whatever the components and the cuts."""
    columns = {"attributes": np.random.default_rng(seed).random((n, 1))} if seed % 2 else {}
    G = random_graph(n, density, seed, **columns)
    assume(G.num_edges > 8)
    sets = some_sets(G, p, seed=seed)
    model = ready("DEA-GNN-PR", a_task(G, p))
    scores = pagerank.Scores(G, 0.9)
    few = pagerank.CompressedPageRank(scores, sets, model.encoding)
    if streamed:
        few.held, few.streamed = None, True
    x = pagerank.cut_features(G, sets, model.encoding)
    whole = pagerank.DensePageRank(scores, sets, sets, features.inner_edges(G, sets), x, 2)
    assert (few.sizes <= n).all() and few.nbytes <= whole.nbytes
    index = np.array([5, 0, 3, 3])
    same_learning(model, model(few.batch(index)), lambda: model(whole.batch(index)))


def same_learning(model, logits: torch.Tensor, otherwise, within: float = 1e-5) -> None:
    """Logits and gradients are those that ``otherwise()`` gives, to a part in 100,000."""
    found = [(logits, gradients(model, logits))]
    logits = otherwise()
    found.append((logits, gradients(model, logits)))
    for fast, slow in zip(*found, strict=True):
        assert torch.allclose(fast, slow, atol=within * max(1.0, float(slow.detach().abs().max())), rtol=0)


def gradients(model, logits: torch.Tensor) -> torch.Tensor:
    model.zero_grad()
    loss_of(logits, torch.arange(len(logits)) % 2).backward()
    return torch.cat([weight.grad.flatten() for weight in model.parameters()])


@pytest.mark.parametrize(
    ("name", "hyper"),
    [
        ("GCN", {}),
        ("GCN", {"layers": 3}),
        ("DE-GNN-SPD", {"max_dist": 2}),
        ("DE-GNN-LP", {}),
        *[("DEA-GNN-SPD", {"hops": hops, "layers": layers}) for hops in (1, 2, 3) for layers in (1, 2, 3)],
        ("DEA-GNN-PR", {}),
    ],
)
@pytest.mark.parametrize("p", [1, 2, 3])
def test_compiled_operators_learn_as_torchs_own(name, hyper, p, monkeypatch):
    G = random_graph(density=0.2)
    model, sets = ready(name, a_task(G, p), **hyper).train(), some_sets(G, p)
    data = model.prepare(G, sets)
    model.calibrate(data, np.arange(len(sets)))
    batch = data.batch(np.arange(len(sets)))
    logits = model(batch)
    monkeypatch.setattr(operators, "_fuses", lambda x: False)
    same_learning(model, logits, lambda: model(batch))


def test_pagerank_between_all_nodes_of_a_large_graph_is_refused(monkeypatch):
    G = random_graph()
    monkeypatch.setattr(pagerank, "MOST_NODES", 25)
    model = de.build("DEA-GNN-PR", a_task(G, 2))
    with pytest.raises(de.GraphError, match=r"at most 25 nodes; this one has 26\. Use DEA-GNN-SPD"):
        model.prepare(G, some_sets(G, 2))


@pytest.mark.parametrize("p", [2, 3, 4])
def test_woodbury_gives_the_inverse_of_the_cut_graph(p):
    G = random_graph(density=0.3)
    n, sets = G.num_nodes, some_sets(G, p)
    sets[0, :2] = [u for u in range(n) if G.degrees[u]][:2]

    def scores(graph):
        return np.linalg.inv(np.eye(n) - 0.9 * graph.to_scipy().toarray() / np.maximum(graph.degrees, 1))

    P = scores(G)
    U = pagerank.Scores(G, 0.9).correction(sets, features.inner_edges(G, sets))
    for i, S in enumerate(sets):
        assert np.allclose(P + U[i] @ P[S], scores(G.cut(S.tolist())), atol=1e-10)


# ---- the 1-WL bound ---------------------------------------------------------------------------

TRIANGLES_AND_HEXAGON = de.Graph.from_edges(
    [(0, 1), (1, 2), (2, 0), (3, 4), (4, 5), (5, 3), *((6 + i, 6 + (i + 1) % 6) for i in range(6))]
)


@pytest.mark.parametrize("name", ["GCN", "SAGE", "GIN"])
@pytest.mark.parametrize("layers", [1, 2, 3])
def test_nodes_that_1wl_cannot_separate_get_equal_outputs(name, layers):
    G = TRIANGLES_AND_HEXAGON
    assert not de.distinguish((G, {0}), (G, {6}), method="1-WL").different
    model = ready(name, a_task(G, 1), layers=layers)
    out = fast_logits(model, G, np.arange(12)[:, None])
    assert np.ptp(out) < 1e-6
    aware = ready("DE-GNN-SPD", a_task(G, 1), layers=max(layers, 2))
    out = fast_logits(aware, G, np.array([[0], [6]]))
    assert abs(out[0] - out[1]) > 1e-4


@pytest.mark.parametrize("name", ["GCN", "SAGE", "GIN"])
def test_pairs_that_1wl_cannot_separate_on_the_graphs_the_model_sees_get_equal_outputs(name):
    # no pair here has an edge inside, so the cut graph is the graph itself for all of them
    G = TRIANGLES_AND_HEXAGON
    pairs = np.array([(0, 3), (6, 8), (6, 9), (0, 7)])
    model = ready(name, a_task(G, 2))
    assert np.ptp(fast_logits(model, G, pairs)) < 1e-6
    aware = fast_logits(ready("DE-GNN-SPD", a_task(G, 2)), G, pairs)
    assert np.min(np.diff(np.sort(aware))) > 1e-4  # distance encoding tells all four apart


@pytest.mark.parametrize("name", ["GCN", "SAGE", "GIN"])
@pytest.mark.parametrize("seed", range(3))
def test_equal_1wl_colors_give_equal_outputs_on_random_trees(name, seed):
    import networkx as nx

    G = de.Graph.from_networkx(nx.random_labeled_tree(30, seed=seed))
    color = de.colors(G, layers=3)[-1]  # the degree that a network starts from is the first of them
    out = fast_logits(ready(name, a_task(G, 1)), G, np.arange(30)[:, None])
    for c in np.unique(color):
        assert np.ptp(out[color == c]) < 1e-6


@pytest.mark.parametrize("name", ["GCN", "SAGE", "GIN"])
def test_wlgnns_receive_log_degree_and_attributes_only(name):
    G = random_graph()
    model = ready(name, a_task(G, 2))
    assert model.encoding is None
    sets = some_sets(G, 2)
    batch = model.prepare(G, sets).batch(np.arange(1))
    assert batch.x_self.shape[1] == 1
    targets = batch.x_self[:2, 0] if len(batch.steps) == 0 else batch.x_self[batch.steps[-1].self_index, 0]
    assert np.allclose(targets.numpy(), np.log1p(G.cut(sets[0].tolist()).degrees[sets[0]]))


# ---- all models -------------------------------------------------------------------------------


@pytest.mark.parametrize("name", EVERY)
def test_every_weight_takes_part(name):
    G = random_graph(40)
    task = a_task(G, 2)
    model = ready(name, task).train()
    loss_of(
        model(model.prepare(G, task.train.sets).batch(np.arange(8))), torch.from_numpy(task.train.labels[:8])
    ).backward()
    assert all(p.grad is not None and torch.isfinite(p.grad).all() for p in model.parameters())


@pytest.mark.parametrize("share", [0.1, 0.5, 0.9])
def test_dropout_drops_its_share_and_keeps_the_mean(share):
    layer = Dropout(share).train()
    layer.generator = torch.Generator().manual_seed(0)
    out = layer(torch.ones(400, 333))
    assert float((out == 0).double().mean()) == pytest.approx(share, abs=0.01)
    assert float(out.double().mean()) == pytest.approx(1, abs=0.02)
    rows, columns = (out == 0).double().mean(dim=1), (out == 0).double().mean(dim=0)  # no entry is favored
    assert float((rows - share).abs().max()) < 0.12
    assert float((columns - share).abs().max()) < 0.12
    assert torch.equal(layer.eval()(out), out)


@pytest.mark.parametrize(("p", "rate"), [(1, 1e-2), (2, 1e-3), (3, 1e-3)])
def test_single_nodes_are_learned_faster_by_default(p, rate):
    assert de.build("GCN", a_task(random_graph(), p)).learning_rate == rate


def test_dropout_learns_only_through_what_it_kept():
    layer = Dropout(0.4).train()
    layer.generator = torch.Generator().manual_seed(0)
    h = torch.rand(30, 7).t().add(0.1).requires_grad_()  # not contiguous
    out = layer(h)
    weights = torch.rand(7, 30)
    (out * weights).sum().backward()
    assert h.grad is not None
    assert torch.allclose(h.grad, torch.where(out == 0, 0.0, weights * (out / h).detach()), atol=1e-6)


def test_build_draws_weights_by_its_seed_and_leaves_torchs_state_alone():
    task = a_task(random_graph(), 2)
    torch.manual_seed(3)
    before = torch.random.get_rng_state()
    a, b, c = (de.build("DE-GNN-SPD", task, seed=s) for s in (0, 0, 1))
    assert torch.equal(before, torch.random.get_rng_state())
    assert all(torch.equal(x, y) for x, y in zip(a.parameters(), b.parameters(), strict=True))
    assert not all(torch.equal(x, y) for x, y in zip(a.parameters(), c.parameters(), strict=True))


def test_models_lists_networks_with_defaults_and_the_papers_ranges_then_ten_heuristics():
    table = de.models()
    assert list(table.index)[:-10] == EVERY
    assert table.loc["DEA-GNN-SPD", "paper"]["hops"] == "1, 2, 3"
    assert table.loc["SEAL", "sizes"] == "2"
    assert table.loc["GCN", "learning_rate"] == 1e-3
    assert table.loc["GCN", "for_nodes"] == {"learning_rate": 1e-2}
    assert not table.loc["struc2vec", "inductive"]
    assert not table.loc["PGNN", "inductive"]
    assert table.loc["DE-GNN-LP", "hyperparameters"]["steps"] in (3, 4)


@pytest.mark.parametrize(
    ("name", "p", "hyper", "message"),
    [
        ("DE-GNN-SDP", 2, {}, "Did you mean 'DE-GNN-SPD'"),
        ("GCN", 2, {"layer": 2}, "Did you mean 'layers'"),
        ("GCN", 2, {"max_dist": 3}, "hyperparameter of GCN"),
        ("GCN", 2, {"layers": 0}, "layers must be a whole number from 1 to 100, not 0"),
        ("GCN", 2, {"layers": 2.5}, "layers"),
        ("GCN", 2, {"dropout": 1.0}, "dropout must be a number from 0 to below 1"),
        ("GCN", 2, {"dropout": float("nan")}, "dropout"),
        ("GCN", 2, {"readout": "diference"}, "Did you mean 'difference'"),
        ("DE-GNN-SPD", 2, {"base": "GAT"}, "base='GAT'"),
        ("SEAL", 3, {}, "SEAL takes target sets of 2 nodes, and this task has p=3"),
        ("PGNN", 1, {}, "PGNN takes target sets of 2 or 3 nodes"),
        *[("Katz", 2, {"damping": value}, "damping must be above 0.0 and below 1.0") for value in (0, 1)],
        *[("personalized PageRank", 2, {"alpha": value}, "alpha must be above 0.0 and below") for value in (0, 1)],
        *[("DEA-GNN-PR", 2, {"alpha": value}, "alpha must be above 0.0 and below 1.0") for value in (0, 1)],
        ("SEAL", 2, {"hops": 3}, "hops=3"),
        ("SEAL", 2, {"sort_k": 9}, "sort_k must be a whole number from 10"),
        *[(name, 2, {"dropout": 0.95}, "dropout must be a number from 0 to 0.9") for name in ("BUDDY", "NCN")],
        ("DE-GNN-LP", 2, {"f3": -1}, "f3"),
    ],
)
def test_bad_models_are_named_before_training(name, p, hyper, message):
    with pytest.raises(ParameterError, match=message):
        de.build(name, a_task(random_graph(), p), **hyper)


def test_a_graph_in_place_of_a_task_is_named():
    with pytest.raises(ParameterError, match="build needs a task"):
        de.build("GCN", random_graph())


def test_a_model_says_which_sets_and_attributes_it_was_built_for():
    G = random_graph()
    model = ready("GCN", a_task(G, 2))
    with pytest.raises(TargetError, match="sets of 2 nodes"):
        model.prepare(G, np.zeros((4, 3), dtype=np.int64))
    with pytest.raises(ParameterError, match="0 attribute columns"):
        model.prepare(G.with_attributes(np.ones((26, 2))), some_sets(G, 2))


# ---- struc2vec --------------------------------------------------------------------------------


def slow_warped(a: list[tuple[int, int]], b: list[tuple[int, int]]) -> float:
    table = {(0, 0): 0.0}
    for i in range(1, len(a) + 1):
        for j in range(1, len(b) + 1):
            (x, m), (y, n) = a[i - 1], b[j - 1]
            cost = ((max(x, y) + 0.5) / (min(x, y) + 0.5) - 1) * max(m, n)
            table[i, j] = cost + min(table.get(key, np.inf) for key in ((i - 1, j), (i, j - 1), (i - 1, j - 1)))
    return table[len(a), len(b)]


def test_struc2vec_layers_equal_the_slow_version():
    G = random_graph(40, 0.08, seed=3)
    layers = struc2vec.structural_layers(G, 3)
    away = np.concatenate([reference.distances(G, [v]) for v in range(40)])

    def ring(u, k):
        degrees = sorted(G.degrees[away[u] == k].tolist())
        return [(d, degrees.count(d)) for d in sorted(set(degrees))]

    compared = 0
    for u in range(40):
        for i in range(layers.ptr[u], layers.ptr[u + 1]):
            total = 0.0
            for k in range(3):
                a, b = ring(u, k), ring(int(layers.neighbor[i]), k)
                total = total + slow_warped(a, b) if a and b else np.inf
                assert layers.weight[k, i] == pytest.approx(np.exp(-total))
                compared += 1
    assert compared > 40 * 3 * 10


def test_struc2vec_compares_each_node_with_those_closest_in_degree():
    G = random_graph(200, 0.05, seed=4)
    layers = struc2vec.structural_layers(G, 1)
    u = int(np.argmax(G.degrees))
    near = layers.neighbor[layers.ptr[u] : layers.ptr[u + 1]]
    gaps = np.sort(np.abs(np.delete(G.degrees, u) - G.degrees[u]))[:16]
    assert len(near) >= 16  # 2 log2 n = 16, and whoever chose u in turn
    assert np.sort(np.abs(G.degrees[near] - G.degrees[u]))[:16].tolist() == gaps.tolist()
