"""Blocks give what the same model gives on the whole cut graph, row by row and weight by weight."""

from __future__ import annotations

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from degnn_explore import DRNL, SPD, Graph, LandingProbability, PageRank
from degnn_explore.engine.egonets import blocks, ego_networks
from degnn_explore.graphs.distances import distances

ENCODINGS = [
    None,
    SPD(max_dist=0),
    SPD(max_dist=1),
    SPD(max_dist=5),
    SPD(max_dist=3, pool="sum"),
    LandingProbability(steps=0),
    LandingProbability(steps=3),
    LandingProbability(steps=6, pool="sum"),
    PageRank(0.7),
]
KINDS = [("gcn", 1), ("mean", 1), ("sum", 1), ("hops", 1), ("hops", 2), ("hops", 3)]


def slow_features(G, S, encoding, pooled):
    """Features of every node of the cut graph. float64 [n, d]"""
    columns = [np.log1p(G.cut(S).degrees)[:, None]]
    if G.attributes is not None:
        columns.append(G.attributes)
    if encoding is not None:
        if pooled or encoding.num_targets is not None:
            columns.append(encoding.encode(G, S, cut=True))
        else:
            columns.extend(encoding.pairwise(G, np.asarray(S), True))
    return np.concatenate(columns, axis=1)


def slow_aggregation(G, S, kind, hops):
    """The dense aggregation matrices on the cut graph. float64 [A, n, n]"""
    cut, n = G.cut(S), G.num_nodes
    A = cut.to_scipy().toarray().astype(float)
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


def random_sets(G, p, num, seed):
    """Sets of p nodes, some of them adjacent, the last one a repetition of the first."""
    rng = np.random.default_rng(seed)
    sets = [rng.permutation(G.num_nodes)[:p] for _ in range(num)]
    for u, v in G.edges[: num // 2]:
        others = rng.permutation([w for w in range(G.num_nodes) if w not in (u, v)])
        sets.append(np.array([u, v, *others])[:p])
    return np.array([*sets, sets[0]])


def check(G, sets, layers, hops, encoding, kind, raw=False):
    """Of a sample of the sets: what a model says, and that its first layer has the nodes it needs and no others."""
    data = blocks(G, sets, layers=layers, hops=hops, encoding=encoding, aggregation=kind, raw=raw, progress=False)
    net = Net(data.in_dim, hops if kind == "hops" else 1, layers)
    order = np.random.default_rng(1).permutation(len(sets))[:8]
    batch, p = data.batch(order), sets.shape[1]
    out = net(batch).detach().numpy()  # [num_sets * p, width]
    rows = 0
    for i, s in enumerate(order):
        S = sets[s].tolist()
        expected = net.dense(slow_features(G, S, encoding, not raw), slow_aggregation(G, S, kind, hops))
        np.testing.assert_allclose(out[i * p : i * p + p], expected.detach().numpy()[S], atol=1e-5)
        apart = np.concatenate([distances(G.cut(S), v) for v in S])
        rows += ((apart >= 0) & (apart <= hops * (layers if raw else layers - 1))).any(axis=0).sum()
    assert len(batch.x_self) == rows
    gathered = net(data.table().batch(torch.from_numpy(order), order))
    np.testing.assert_allclose(gathered.detach().numpy(), out, atol=1e-5)
    return data


@st.composite
def questions(draw):
    n, p = draw(st.integers(3, 12)), draw(st.integers(1, 3))
    pairs = draw(st.lists(st.tuples(st.integers(0, n - 1), st.integers(0, n - 1)), max_size=20))
    sets = draw(st.lists(st.lists(st.integers(0, n - 1), min_size=p, max_size=p, unique=True), min_size=1, max_size=5))
    sets = np.tile(sets, (draw(st.sampled_from([1, 16])), 1))  # of many sets the shells are shared
    encoding = draw(st.sampled_from([*ENCODINGS, DRNL(max_dist=2)] if p == 2 else ENCODINGS))
    kind, hops = draw(st.sampled_from(KINDS))
    values = np.random.default_rng(n).normal(size=(n, draw(st.integers(0, 2))))
    G = Graph.from_edges(np.array(pairs).reshape(-1, 2), n, attributes=values if values.size else None)
    return G, sets, draw(st.integers(1, 3)), hops, encoding, kind, draw(st.booleans())


@settings(max_examples=150)
@given(questions())
def test_any_graph_any_sets(question):
    check(*question)


@pytest.mark.parametrize("raw", [False, True])
@pytest.mark.parametrize(("kind", "hops"), KINDS)
def test_blocks_give_the_logits_of_the_whole_cut_graph(kind, hops, raw):
    rng = np.random.default_rng(hops)
    G = Graph.from_edges(rng.integers(0, 14, (18, 2)), 14, attributes=rng.normal(size=(14, 1)))
    for p, encoding in ((1, LandingProbability(steps=4)), (2, DRNL(max_dist=2)), (3, SPD(max_dist=3))):
        check(G, random_sets(G, p, 4, p), 2, hops, encoding, kind, raw)


@pytest.mark.parametrize("times", [1, 3], ids=["of each set", "shared"])
@pytest.mark.parametrize(
    ("n", "m", "layers", "hops"), [(150, 900, 2, 2), (150, 300, 1, 3), (90, 400, 2, 3), (100, 0, 3, 2)]
)
def test_shells_as_bits_and_as_lists_agree_with_the_slow_version(n, m, layers, hops, times):
    """Dense balls of more than 64 nodes, and a cycle, whose shells are small."""
    rng = np.random.default_rng(n)
    ring = np.stack([np.arange(n), (np.arange(n) + 1) % n], axis=1)
    G = Graph.from_edges(np.concatenate([ring, rng.integers(0, n, (m, 2))]), n)
    sets = np.concatenate([G.edges[:4], [[0, n // 2], [3, 5]]])
    data = check(G, np.tile(sets, (times, 1)), layers, hops, SPD(max_dist=3), "hops")
    assert (data.shared_shells is not None) == (times > 1 and m > 0)


def small_data(**options):
    rng = np.random.default_rng(0)
    G = Graph.from_edges(rng.integers(0, 30, (60, 2)), 30)
    return blocks(G, random_sets(G, 2, 10, 0), **{"layers": 3, "encoding": SPD(), "progress": False, **options})


@pytest.mark.parametrize(("kind", "hops"), [("gcn", 1), ("mean", 1), ("sum", 1), ("hops", 2)])
def test_gradients_flow_back_exactly(kind, hops):
    for step in small_data(hops=hops, aggregation=kind).batch(range(8)).steps:
        h = torch.randn(7, step.num_before, dtype=torch.float64).T.requires_grad_()  # rows that are not contiguous
        assert torch.autograd.gradcheck(step.aggregate, h[:, :2].detach().requires_grad_())
        fast = h.detach().float().requires_grad_()  # the compiled way
        weights = torch.randn(len(step.self_index), step.heads, 7, dtype=torch.float64)
        (step.aggregate(h) * weights).sum().backward()
        (step.aggregate(fast) * weights.float()).sum().backward()
        torch.testing.assert_close(step.aggregate(fast).double(), step.aggregate(h), atol=1e-5, rtol=1e-5)
        torch.testing.assert_close(fast.grad.double(), h.grad, atol=1e-5, rtol=1e-5)


def test_indices_masks_and_rows_that_do_not_fit():
    data = small_data()
    mask = np.zeros(len(data), dtype=bool)
    mask[[2, 5]] = True
    for index in ([2, 5], torch.tensor([2, 5]), np.array([2, 5], dtype=np.int32), mask):
        torch.testing.assert_close(data.batch(index).x_self, data.batch([2, 5]).x_self)
    for wrong, message in (
        ([-1], "no target set -1"),
        ([len(data)], "no target set"),
        (mask[:3], "one entry for each"),
    ):
        with pytest.raises(IndexError, match=message):
            data.batch(wrong)
    first, second = data.batch([2, 5]).steps
    with pytest.raises(ValueError, match="apply the steps in order"):
        second.aggregate(torch.zeros(first.num_before, 3))


@pytest.mark.parametrize(
    "how", [*({"aggregation": kind} for kind in ("gcn", "mean", "hops")), {"raw": True}, {"layers": 1}], ids=str
)
def test_the_size_of_the_data_is_that_of_its_arrays(how):
    data = small_data(**how)
    assert data.nbytes == sum(x.nbytes for x in data.table().tensors[1:])  # the first says where each set begins
    G = Graph.from_edges([(0, 1), (1, 2), (2, 3), (3, 4), (1, 4)])
    egos = ego_networks(G, [(0, 1), (3, 4)], hops=2, encoding=SPD(), progress=False)
    assert egos.nbytes == sum(array.nbytes for array in egos.flat[2:])
