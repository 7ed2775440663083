"""Blocks give what the same model gives on the whole cut graph, row by row and weight by weight."""

from __future__ import annotations

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from degnn_explore import DRNL, SPD, Graph, LandingProbability
from degnn_explore.engine import blocks as block_data
from degnn_explore.engine.egonets import blocks, ego_networks
from degnn_explore.graphs.distances import distances
from tests.strategies import graphs_with_targets


def slow_features(G, S, encoding, degree=True, pooled=True):
    """Features of every node of the cut graph. float64 [n, d]"""
    cut = G.cut(S)
    columns = [np.log1p(cut.degrees)[:, None]] if degree else []
    if G.attributes is not None:
        columns.append(G.attributes)
    if encoding is not None:
        if pooled or isinstance(encoding, DRNL):
            columns.append(encoding.encode(G, S, cut=True))
        else:
            zeta = [encoding.pairwise(G, np.asarray(S), True)[i] for i in range(len(S))]
            columns.append(np.concatenate(zeta, axis=1))
    return np.concatenate(columns, axis=1)


def slow_aggregation(G, S, kind, hops):
    """The dense aggregation matrices on the cut graph. float64 [A, n, n]"""
    cut = G.cut(S)
    n = G.num_nodes
    A = np.zeros((n, n))
    A[cut.edges[:, 0], cut.edges[:, 1]] = A[cut.edges[:, 1], cut.edges[:, 0]] = 1.0
    if kind == "gcn":
        root = 1 / np.sqrt(A.sum(axis=1) + 1)
        return (root[:, None] * (A + np.eye(n)) * root)[None]
    if kind == "mean":
        return (A / np.maximum(A.sum(axis=1, keepdims=True), 1))[None]
    if kind == "sum":
        return A[None]
    dist = np.concatenate([distances(cut, v) for v in range(n)])
    shells = [(dist == k) + np.eye(n) for k in range(1, hops + 1)]
    return np.stack([shell / shell.sum(axis=1, keepdims=True) for shell in shells])


class Net(torch.nn.Module):
    """h' = tanh(W_0 h_self + sum over heads of W_a agg_a(h)), the same weights on blocks and on dense matrices."""

    def __init__(self, d, heads, layers, width=5):
        super().__init__()
        torch.manual_seed(0)
        sizes = [d] + [width] * layers
        self.own = torch.nn.ModuleList(torch.nn.Linear(a, width) for a in sizes[:-1])
        self.mix = torch.nn.ModuleList(torch.nn.Linear(a * heads, width) for a in sizes[:-1])

    def layer(self, i, own, agg):
        return torch.tanh(self.own[i](own) + self.mix[i](agg.flatten(1)))

    def forward(self, batch):
        h, done = batch.x_self, 0
        if batch.x_agg is not None:
            h, done = self.layer(0, h, batch.x_agg), 1
        for i, step in enumerate(batch.steps):
            h = self.layer(i + done, h[step.self_index], step.aggregate(h))
        return h

    def dense(self, x, matrices):
        h = torch.tensor(x, dtype=torch.float32)
        M = torch.tensor(matrices, dtype=torch.float32)  # [A, n, n]
        for i in range(len(self.own)):
            h = self.layer(i, h, torch.einsum("auv,vc->uac", M, h))
        return h


def random_graph(seed, n=14, m=18, attributes=0):
    rng = np.random.default_rng(seed)
    pairs = rng.integers(0, n, (m, 2))
    return Graph.from_edges(pairs, n, attributes=rng.normal(size=(n, attributes)) if attributes else None)


def random_sets(G, p, num, seed):
    """Sets of p nodes, some of them adjacent, the last one a repetition of the first."""
    rng = np.random.default_rng(seed)
    sets = [rng.permutation(G.num_nodes)[:p] for _ in range(num)]
    for u, v in G.edges[: num // 2]:
        others = rng.permutation([w for w in range(G.num_nodes) if w not in (u, v)])
        sets.append(np.array([u, v, *others])[:p])
    return np.array([*sets, sets[0]])


def check(G, sets, layers, hops, encoding, kind, raw=False):
    data = blocks(G, sets, layers=layers, hops=hops, encoding=encoding, aggregation=kind, raw=raw, progress=False)
    net = Net(data.in_dim, hops if kind == "hops" else 1, layers)
    order = np.random.default_rng(1).permutation(len(sets))
    out = net(data.batch(order)).detach().numpy()  # [num_sets * p, width]
    p = sets.shape[1]
    for i, s in enumerate(order):
        S = list(sets[s])
        expected = net.dense(slow_features(G, S, encoding, pooled=not raw), slow_aggregation(G, S, kind, hops))
        np.testing.assert_allclose(out[i * p : i * p + p], expected.detach().numpy()[S], atol=1e-5)


@pytest.mark.parametrize("p", [1, 2, 3])
@pytest.mark.parametrize("layers", [1, 2, 3])
@pytest.mark.parametrize(("kind", "hops"), [("gcn", 1), ("mean", 1), ("sum", 1), ("hops", 1), ("hops", 2), ("hops", 3)])
def test_blocks_give_the_logits_of_the_whole_cut_graph(p, layers, kind, hops):
    for seed, encoding in enumerate([SPD(max_dist=3), LandingProbability(steps=4), None]):
        G = random_graph(seed, attributes=seed)
        check(G, random_sets(G, p, 4, seed), layers, hops, encoding, kind)


@pytest.mark.parametrize("p", [1, 2, 3])
@pytest.mark.parametrize(("kind", "hops"), [("gcn", 1), ("mean", 1), ("sum", 1), ("hops", 2)])
def test_raw_blocks_keep_one_encoding_for_each_target(p, kind, hops):
    for encoding in [SPD(max_dist=2), LandingProbability(steps=3), DRNL(max_dist=2) if p == 2 else None]:
        G = random_graph(p, attributes=1)
        check(G, random_sets(G, p, 4, p), 2, hops, encoding, kind, raw=True)


def test_first_layer_rows_are_written_out_on_a_path():
    path = Graph.from_edges([(0, 1), (1, 2), (2, 3)])
    batch = blocks(path, [(1, 2)], layers=2, encoding=SPD(max_dist=1), aggregation="sum", progress=False).batch([0])
    one = np.log(2)  # log(1 + degree), degree 1 everywhere
    # rows: targets 1 and 2 (their edge is cut, so each is of degree 1), then 0 and 3, which reach one target each
    np.testing.assert_allclose(
        batch.x_self, [[one, 0.5, 0, 0.5], [one, 0.5, 0, 0.5], [one, 0, 0.5, 0.5], [one, 0, 0.5, 0.5]], atol=1e-7
    )
    np.testing.assert_allclose(
        batch.x_agg[:, 0], [[one, 0, 0.5, 0.5], [one, 0, 0.5, 0.5], [one, 0.5, 0, 0.5], [one, 0.5, 0, 0.5]], atol=1e-7
    )
    assert batch.steps[0].self_index.tolist() == [0, 1]
    assert batch.steps[0].aggregate(torch.eye(4))[:, 0].tolist() == [[0, 0, 1, 0], [0, 0, 0, 1]]


@st.composite
def questions(draw):
    n = draw(st.integers(3, 12))
    pairs = draw(st.lists(st.tuples(st.integers(0, n - 1), st.integers(0, n - 1)), max_size=20))
    p = draw(st.integers(1, 3))
    sets = draw(st.lists(st.lists(st.integers(0, n - 1), min_size=p, max_size=p, unique=True), min_size=1, max_size=5))
    encoding = draw(
        st.sampled_from(
            [
                SPD(max_dist=0),
                SPD(max_dist=1),
                SPD(max_dist=2),
                SPD(max_dist=5),
                SPD(max_dist=3, pool="sum"),
                LandingProbability(steps=0),
                LandingProbability(steps=2),
                LandingProbability(steps=6, pool="sum"),
                None,
            ]
        )
    )
    kind = draw(st.sampled_from(["gcn", "mean", "sum", "hops"]))
    hops = draw(st.integers(1, 3)) if kind == "hops" else 1
    layers = draw(st.integers(1, 3))
    return Graph.from_edges(np.array(pairs).reshape(-1, 2), n), np.array(sets), layers, hops, encoding, kind


@settings(max_examples=150, deadline=None)
@given(questions())
def test_any_graph_any_sets(question):
    check(*question)


def small_batch(kind="gcn", hops=1):
    G = random_graph(0, n=30, m=60)
    data = blocks(G, random_sets(G, 2, 10, 0), layers=3, hops=hops, encoding=SPD(), aggregation=kind, progress=False)
    return data, data.batch(range(8))


@pytest.mark.parametrize(("kind", "hops"), [("gcn", 1), ("mean", 1), ("sum", 1), ("hops", 2)])
def test_gradients_flow_back_exactly(kind, hops):
    _, batch = small_batch(kind, hops)
    for step in batch.steps:
        h = torch.randn(step.num_before, 7, dtype=torch.float64, requires_grad=True)
        assert torch.autograd.gradcheck(step.aggregate, h[:, :2].detach().requires_grad_())  # plain torch operations
        fast = h.detach().float().requires_grad_()  # the compiled way
        weights = torch.randn(len(step.self_index), step.heads, 7, dtype=torch.float64)
        (step.aggregate(h) * weights).sum().backward()
        (step.aggregate(fast) * weights.float()).sum().backward()
        torch.testing.assert_close(step.aggregate(fast).double(), step.aggregate(h), atol=1e-5, rtol=1e-5)
        torch.testing.assert_close(fast.grad.double(), h.grad, atol=1e-5, rtol=1e-5)


def test_rows_that_are_not_contiguous_are_fine():
    _, batch = small_batch()
    h = torch.randn(9, batch.steps[0].num_before).T
    torch.testing.assert_close(batch.steps[0].aggregate(h), batch.steps[0].aggregate(h.contiguous()))


@pytest.mark.gpu
def test_a_batch_gives_the_same_on_a_gpu():
    if not torch.cuda.is_available():
        pytest.skip("needs a CUDA device")
    data, batch = small_batch()
    net = Net(data.in_dim, 1, 3)
    here = net(batch)
    torch.testing.assert_close(net.cuda()(data.batch(range(8), device="cuda")).cpu(), here, atol=1e-5, rtol=1e-5)


def test_steps_refuse_rows_of_another_layer():
    _, batch = small_batch()
    with pytest.raises(ValueError, match="apply the steps in order"):
        batch.steps[1].aggregate(torch.zeros(batch.steps[0].num_before, 3))


def test_indices_and_masks():
    data, _ = small_batch()
    mask = np.zeros(len(data), dtype=bool)
    mask[[2, 5]] = True
    for index in ([2, 5], torch.tensor([2, 5]), np.array([2, 5], dtype=np.int32), mask):
        torch.testing.assert_close(data.batch(index).x_self, data.batch([2, 5]).x_self)
    with pytest.raises(IndexError, match="no target set -1"):
        data.batch([-1])
    with pytest.raises(IndexError, match="A mask needs one entry"):
        data.batch(mask[:3])


def test_blocks_are_small():
    """Two layers keep the nodes within one hop: 2 KB a set on a graph the size of C. elegans (DESIGN.md, fact 1)."""
    rng = np.random.default_rng(0)
    G = Graph.from_edges(rng.integers(0, 297, (2148, 2)), 297)
    data = blocks(G, G.edges[:500], layers=2, encoding=SPD(), progress=False)
    assert data.nbytes / len(data) < 3000


@pytest.mark.parametrize("how", [{"aggregation": kind} for kind in ("gcn", "mean", "hops")] + [{"raw": True}], ids=str)
def test_the_size_of_the_data_is_that_of_its_arrays(how):
    G = random_graph(0, n=30, m=60)
    sets = random_sets(G, 2, 10, 0)
    data = blocks(G, sets, layers=2, encoding=SPD(), progress=False, **how)
    assert data.nbytes == sum(x.nbytes for x in data.table().tensors[1:])  # the first says where each set begins
    egos = ego_networks(G, sets, hops=2, encoding=SPD(), progress=False)
    assert egos.nbytes == sum(array.nbytes for array in egos.flat[2:])


@pytest.mark.parametrize("many", [1, 1000], ids=["shared", "of each set"])
@pytest.mark.parametrize(
    ("n", "m", "layers", "hops"), [(150, 900, 2, 2), (150, 300, 1, 3), (90, 400, 2, 3), (100, 0, 3, 2)]
)
def test_shells_as_bits_and_as_lists_agree_with_the_slow_version(n, m, layers, hops, many, monkeypatch):
    """Dense balls of more than 64 nodes, and a cycle, whose shells are small."""
    monkeypatch.setattr(block_data, "_MANY", many)
    rng = np.random.default_rng(n)
    ring = np.stack([np.arange(n), (np.arange(n) + 1) % n], axis=1)
    G = Graph.from_edges(np.concatenate([ring, rng.integers(0, n, (m, 2))]), n)
    check(G, np.concatenate([G.edges[:4], [[0, n // 2], [3, 5]]]), layers, hops, SPD(max_dist=3), "hops")


@settings(max_examples=60, deadline=None)
@given(graphs_with_targets(max_nodes=14), st.integers(2, 3), st.integers(1, 2), st.sampled_from(["mean", "sum"]))
def test_shells_that_all_sets_share_give_the_aggregates_of_each_set(case, hops, layers, pool):
    """Also where edges inside S are cut, and with a budget of nothing but one set: then each batch is made anew."""
    G, S = case
    G = G.with_attributes(np.arange(2.0 * G.num_nodes).reshape(-1, 2) ** 0.5)
    sets = np.array([S, S[::-1]] * 8)
    how = {"layers": layers, "hops": hops, "aggregation": "hops", "encoding": SPD(max_dist=2, pool=pool)}
    shared = blocks(G, sets, **how, progress=False)
    alone = blocks(G, sets[:2], **how, progress=False)
    assert shared.shared_shells is not None or 16 * (2 * G.num_edges / G.num_nodes) ** hops <= G.num_nodes
    assert alone.shared_shells is None
    streamed = blocks(G, sets, **how, budget=shared.nbytes - 1, progress=False)
    assert streamed.streamed
    batches = [data.batch([1, 0]) for data in (shared, alone, streamed)]
    for other in batches[1:]:
        assert torch.equal(batches[0].x_self, other.x_self)
        assert torch.allclose(batches[0].x_agg, other.x_agg, atol=1e-6)
