"""Full ego-networks against networkx, and what the engine promises whatever is extracted."""

from __future__ import annotations

import subprocess
import sys
import threading
from dataclasses import replace

import networkx as nx
import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from degnn_explore import DRNL, SPD, Graph, LandingProbability, ParameterError, TargetError
from degnn_explore.common.progress import Cancelled, watching
from degnn_explore.engine.egonets import blocks, ego_networks
from degnn_explore.engine.request import as_sets

ENCODINGS = [
    None,
    SPD(max_dist=0),
    SPD(max_dist=1),
    SPD(max_dist=3),
    SPD(max_dist=7, pool="sum"),
    SPD(pool=None),
    LandingProbability(steps=0),
    LandingProbability(steps=3),
    LandingProbability(steps=6, pool=None),
]


def slow_ego(G, S, hops):
    """Nodes with their distance to S, and the edges, one networkx graph at a time."""
    whole = nx.Graph(G.edges.tolist())
    whole.add_nodes_from(range(G.num_nodes))
    whole.remove_edges_from([(u, v) for u in S for v in S])
    distance = nx.multi_source_dijkstra_path_length(whole, set(S), cutoff=hops)
    return whole, distance, whole.subgraph(distance)


def check(G, sets, hops, encoding, data=None):
    data = data or ego_networks(G, sets, hops=hops, encoding=encoding, progress=False)
    flat = data.part(np.arange(len(sets)))
    for i, S in enumerate(sets):
        S = [int(v) for v in S]
        whole, distance, ego = slow_ego(G, S, hops)
        part = slice(flat.node_ptr[i], flat.node_ptr[i + 1])
        nodes = flat.nodes[part]
        assert nodes[: len(S)].tolist() == S
        assert (np.diff(flat.distance[part]) >= 0).all()
        assert dict(zip(nodes.tolist(), flat.distance[part].tolist(), strict=True)) == distance
        assert flat.degree[part].tolist() == [whole.degree(int(u)) for u in nodes]
        row = np.repeat(np.arange(len(nodes)), flat.length[part])
        column = flat.column[flat.edge_ptr[i] : flat.edge_ptr[i + 1]]
        edges = set(zip(nodes[row].tolist(), nodes[column].tolist(), strict=True))
        assert len(edges) == len(column)
        assert edges == {pair for u, v in ego.edges for pair in ((u, v), (v, u))}
        x = flat.x[part]
        np.testing.assert_allclose(x[:, 0], np.log1p(flat.degree[part]), rtol=1e-6)
        base = 1 + (0 if G.attributes is None else G.attributes.shape[1])
        if G.attributes is not None:
            np.testing.assert_allclose(x[:, 1:base], G.attributes[nodes], rtol=1e-6)
        if encoding is not None:
            zeta = encoding.encode(G, S, cut=True)[nodes].reshape(len(nodes), -1)
            if isinstance(encoding, LandingProbability):
                np.testing.assert_allclose(x[:, base:], zeta, atol=1e-6)
            else:
                np.testing.assert_array_equal(x[:, base:], zeta.astype(np.float32))


@st.composite
def questions(draw):
    n = draw(st.integers(3, 14))
    pairs = draw(st.lists(st.tuples(st.integers(0, n - 1), st.integers(0, n - 1)), max_size=24))
    p = draw(st.integers(1, 3))
    sets = draw(st.lists(st.lists(st.integers(0, n - 1), min_size=p, max_size=p, unique=True), min_size=1, max_size=4))
    encoding = draw(st.sampled_from([*ENCODINGS, DRNL(max_dist=1), DRNL(max_dist=3)] if p == 2 else ENCODINGS))
    return Graph.from_edges(np.array(pairs).reshape(-1, 2), n), [*sets, sets[0]], draw(st.integers(1, 4)), encoding


@settings(max_examples=200, deadline=None)
@given(questions())
def test_ego_networks_equal_the_slow_version(question):
    check(*question)


@pytest.mark.parametrize("encoding", [SPD(max_dist=3), LandingProbability(steps=4), DRNL(max_dist=3)])
def test_a_sparse_graph_with_bridges_and_many_components(encoding):
    # a random forest with a few cycles: cut edges often disconnect their ends
    rng = np.random.default_rng(0)
    n = 400
    tree = np.array([(v, rng.integers(max(0, v - 5), v)) for v in range(1, n) if rng.random() < 0.95])
    G = Graph.from_edges(np.concatenate([tree, rng.integers(0, n, (12, 2))]), n, attributes=rng.normal(size=(n, 2)))
    far = rng.integers(0, n // 2, (40, 1)) + np.array([0, n // 2])
    check(G, np.concatenate([G.edges[::3], far]), 2, encoding)


def test_three_targets_on_a_long_cycle_stay_connected_around_it():
    # Cutting 0-1 and 1-2 leaves 1 alone; 0 and 2 are joined the long way, 38 edges, found by searching in step.
    cycle = Graph.from_edges([(i, (i + 1) % 40) for i in range(40)])
    data = ego_networks(cycle, [(0, 1, 2)], hops=1, encoding=SPD(max_dist=2, pool=None), degree=False, progress=False)
    column = data.flat.x.reshape(-1, 3, 4).argmax(axis=2)
    assert data.flat.nodes.tolist() == [0, 1, 2, 39, 3]
    assert column.tolist() == [[0, 3, 2], [3, 0, 3], [2, 3, 0], [1, 3, 2], [2, 3, 1]]


def test_pyg_batches_hold_the_same_graphs():
    G = Graph.from_edges(nx.karate_club_graph().edges)
    sets = np.array([(0, 1), (5, 30), (33, 32), (0, 1)])
    data = ego_networks(G, sets, hops=2, encoding=SPD(), progress=False)
    batch = data.to_pyg([2, 0, 2])
    assert batch.num_graphs == 3
    assert batch.node[batch.target_index].tolist() == [33, 32, 0, 1, 33, 32]
    assert batch.validate()
    assert batch.is_undirected()
    for one, s in zip(batch.to_data_list(), (2, 0, 2), strict=True):
        _, distance, ego = slow_ego(G, sets[s], 2)
        assert one.target_index.tolist() == [0, 1]
        assert dict(zip(one.node.tolist(), one.distance.tolist(), strict=True)) == distance
        names = one.node[one.edge_index].T.tolist()
        assert {tuple(e) for e in names} == {pair for u, v in ego.edges for pair in ((u, v), (v, u))}
    assert torch.equal(batch[1].x, torch.from_numpy(data.part([0]).x))
    assert data.to_pyg([0], device="meta").x.device.type == "meta"


def same(a, b):
    if isinstance(a, torch.Tensor):
        return torch.equal(a, b)
    if isinstance(a, list | tuple):
        return len(a) == len(b) and all(map(same, a, b))
    if hasattr(a, "__dataclass_fields__"):
        return all(same(v, vars(b)[k]) for k, v in vars(a).items())
    return a == b


@pytest.fixture(scope="module")
def club():
    return Graph.from_edges(nx.karate_club_graph().edges)


@pytest.fixture(scope="module")
def pairs(club):
    rng = np.random.default_rng(0)
    return np.array([rng.permutation(club.num_nodes)[:2] for _ in range(300)])


@pytest.mark.parametrize("cap", [None, 3])
def test_results_do_not_depend_on_threads_or_streaming(club, pairs, cap):
    options = dict(layers=2, encoding=SPD(), max_nodes_per_hop=cap, progress=False)
    one = blocks(club, pairs, num_threads=1, **options)
    three = blocks(club, pairs, num_threads=3, **options)
    assert same(one.batch(range(300)), three.batch(range(300)))
    streamed = blocks(club, pairs, budget=one.nbytes - 1, **options)
    assert streamed.streamed and not one.streamed
    assert streamed.capped is one.capped is (cap is not None)
    order = np.random.default_rng(1).permutation(300).reshape(10, 30)
    kept = list(one.batches(order))
    assert same(kept, [one.batch(index) for index in order])
    assert same(kept, list(streamed.batches(order)))
    with watching(lambda what, share: pytest.fail("a batch shows no bar")):
        streamed.batch(order[0])
    full = ego_networks(club, pairs, hops=2, max_nodes_per_hop=cap, progress=False)
    some = ego_networks(club, pairs, hops=2, max_nodes_per_hop=cap, budget=full.nbytes - 1, progress=False)
    assert torch.equal(full.to_pyg(order[0]).edge_index, some.to_pyg(order[0]).edge_index)
    with pytest.raises(ParameterError, match="part\\(index\\)"):
        _ = some.flat


def test_a_stream_ends_its_thread_when_it_is_left_early_or_fails(club, pairs):
    data = blocks(club, pairs, layers=2, budget=20_000, progress=False)
    assert data.streamed
    stream = data.batches([[0], [1], [2], [3]])
    next(stream)
    stream.close()
    assert not any(t.name == "ego-network-stream" for t in threading.enumerate())
    with pytest.raises(IndexError, match="no target set 300"):
        list(data.batches([[0], [300]]))
    with pytest.raises(ParameterError, match="smaller batches"):
        data.batch(range(300))


def test_capped_hubs_keep_a_seeded_sample():
    star = Graph.from_edges([(0, v) for v in range(1, 101)] + [(v, v + 100) for v in range(1, 101)])
    sets = np.array([[0], [0], [5]])

    def sample(seed, order=(0, 1, 2), cap=10):
        data = ego_networks(star, sets, hops=2, max_nodes_per_hop=cap, seed=seed, progress=False)
        flat = data.part(list(order))
        return data.capped, [part.tolist() for part in np.split(flat.nodes, flat.node_ptr[1:-1])], data

    capped, (first, again, leaf), data = sample(0)
    assert capped
    assert data.capping == "3 of 3 ego-networks are seen in part: of the nodes met at a hop at most 10 are kept"
    assert first == again  # the same set has the same sample, wherever it stands
    assert len(first) == 1 + 10 + 10
    assert sorted(first[11:]) == sorted(v + 100 for v in first[1:11])  # only kept nodes are followed
    assert len(leaf) == 1 + 2 + 10 and leaf[0] == 5
    assert sample(0, (2, 0))[1] == [leaf, first]
    assert sample(1)[1][0] != first
    assert data.part([0]).degree[0] == 100  # degrees are those of the graph
    assert data.part([0]).length[0] == 10
    capped, (whole, *_), data = sample(0, cap=100)
    assert not capped and data.capping == "" and len(whole) == 201
    tips = ego_networks(star, [[v] for v in range(101, 131)], hops=3, max_nodes_per_hop=3, progress=False)
    flat = tips.part(range(30))  # tip, leaf, hub, three leaves of the hundred
    kept = [part[3:].tolist() for part in np.split(flat.nodes, flat.node_ptr[1:-1])]
    assert {len(leaves) for leaves in kept} == {3}
    assert len({v for leaves in kept for v in leaves}) > 20  # each set draws its own


def test_capped_blocks_are_the_model_on_the_capped_ego_network():
    G = Graph.from_edges(nx.barabasi_albert_graph(80, 4, seed=0).edges)
    sets = np.array([G.edges[0], (3, 40), G.edges[-1]])
    for layers in (1, 2, 3):
        data = blocks(G, sets, layers=layers, aggregation="mean", encoding=SPD(), max_nodes_per_hop=6, progress=False)
        full = ego_networks(G, sets, hops=layers, encoding=SPD(), max_nodes_per_hop=6, progress=False)
        assert data.capped and full.capped
        batch, pyg = data.batch([2, 0, 1]), full.to_pyg([2, 0, 1])
        h = batch.x_agg[:, 0]
        for step in batch.steps:
            h = step.aggregate(h)[:, 0]
        n = len(pyg.x)
        inner = np.isin(pyg.edge_index.numpy(), pyg.target_index.numpy()).all(axis=0)
        assert not inner.any()  # rows that were read again have no edges inside S either
        A = torch.zeros(n, n)
        A[pyg.edge_index[1], pyg.edge_index[0]] = 1.0
        A /= A.sum(dim=1, keepdim=True).clamp(min=1)
        expected = torch.linalg.matrix_power(A, layers) @ pyg.x
        torch.testing.assert_close(h, expected[pyg.target_index], atol=1e-5, rtol=1e-5)


def test_empty_lists_and_empty_batches(club):
    for sets in ([], np.empty((0, 3), dtype=np.int64)):
        data = blocks(club, sets, layers=3, encoding=SPD(), progress=False)
        batch = data.batch([])
        assert len(data) == 0 and batch.num_sets == 0
        h = batch.x_agg[:, 0]
        for step in batch.steps:
            h = step.aggregate(h)[:, 0]
        assert h.shape == (0, data.in_dim)
        assert ego_networks(club, sets, hops=2, progress=False).to_pyg([]).num_nodes == 0
    assert blocks(club, [{0, 1}], layers=2, progress=False).batch([]).x_self.shape == (0, 1)


def test_node_numbers_of_64_bits_give_the_same(club, pairs):
    wide = replace(club, indices=club.indices.astype(np.int64))
    a, b = (blocks(G, pairs, layers=2, encoding=SPD(), progress=False) for G in (club, wide))
    assert same(a.batch([3, 4]), b.batch([3, 4]))


@pytest.mark.parametrize(
    ("sets", "message"),
    [
        ([(0, 1), (2, 2)], "Node 2 occurs twice"),
        ([(0, 34)], "Node 34 is not in the graph"),
        ([(0, 1), (2,)], "set 1 has 1 nodes but set 0 has 2"),
        (np.array([[0, 1], [5, 5]]), "Node 5 occurs twice in target"),
        (np.array([[0, -1]]), "names node -1"),
        (np.array([[0, 34]]), "names node 34"),
        (7, "Give a list of target sets"),
        (np.empty((2, 0), dtype=int), "at least one node"),
        ([{0, 1}, set()], "The target set is empty"),
        (np.array([[0.5, 1.0]]), "A node is a number"),
    ],
)
def test_bad_sets_are_named(club, sets, message):
    with pytest.raises(TargetError, match=message):
        blocks(club, sets, layers=2, progress=False)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (dict(layers=0), "layers must be"),
        (dict(hops=0), "hops must be"),
        (dict(hops=2), "needs aggregation='hops'"),
        (dict(aggregation="means"), "Did you mean 'mean'"),
        (dict(encoding=3), "encoding must be one such as"),
        (dict(num_threads=0), "num_threads must be"),
        (dict(max_nodes_per_hop=0), "max_nodes_per_hop must be"),
        (dict(seed=-1), "seed must be"),
        (dict(degree=False), "no features"),
        (dict(budget=0), "budget must be"),
        (dict(budget=50), r"single target set would take .* bytes, more than the 50 bytes"),
    ],
)
def test_bad_options_are_named(club, options, message):
    with pytest.raises(ParameterError, match=message):
        blocks(club, [(0, 1)], **{"layers": 2, "progress": False, **options})


def test_drnl_is_for_pairs(club):
    with pytest.raises(TargetError, match="defined for pairs"):
        ego_networks(club, [(0, 1, 2)], hops=1, encoding=DRNL(), progress=False)


def test_sets_may_be_names():
    G = Graph.from_edges([("a", "b"), ("b", "c")])
    assert as_sets(G, [("c", "a"), {"a", "b"}]).tolist() == [[2, 0], [0, 1]]
    assert as_sets(G, [2, 0]).tolist() == [[2], [0]]


def test_a_stop_event_ends_the_extraction():
    stop = threading.Event()
    stop.set()
    with watching(stop=stop), pytest.raises(Cancelled, match="of 1 target sets"):
        blocks(Graph.from_edges([(0, 1)]), [(0, 1)], layers=1, progress=False)


def test_equal_degrees_give_equal_features_wherever_a_node_stands():
    """To the last bit: or a model could tell apart what 1-WL cannot."""
    G = Graph.from_edges(nx.barabasi_albert_graph(200, 3, seed=0).edges)
    flat = ego_networks(G, G.edges[:300], hops=2, progress=False).flat
    for d in np.unique(flat.degree):
        assert len(np.unique(flat.x[flat.degree == d, 0])) == 1


def test_a_graph_is_prepared_once():
    from degnn_explore.engine.request import make_net

    G = Graph.from_edges([(0, 1), (2, 3), (3, 4)])
    assert make_net(G, True) is make_net(G, True)
    assert make_net(G, False).component.tolist() == [0, 0, 1, 1, 1]
    other = G.with_attributes(np.ones((5, 1)))
    assert make_net(other, False).base.tolist() == [[1.0]] * 5


def test_extraction_needs_no_torch_until_a_batch_is_asked_for():
    script = (
        "import sys, degnn_explore as de\n"
        "data = de.blocks(de.Graph.from_edges([(0, 1), (1, 2)]), [(0, 2)], layers=2, progress=False)\n"
        "assert 'torch' not in sys.modules\n"
        "assert data.batch([0]).num_sets == 1\n"
    )
    subprocess.run([sys.executable, "-c", script], check=True)


@settings(max_examples=100, deadline=None)
@given(questions())
def test_the_edges_inside_S_play_no_part(question):
    """The same from the graph without them, whatever is extracted: G'_S of the paper."""
    G, (*sets, _), hops, encoding = question  # the last one is the first again
    options = dict(encoding=encoding, num_threads=1, progress=False)
    egos = ego_networks(G, sets, hops=hops, **options)
    kinds = ("gcn", "mean", "sum", "hops")
    whole = {kind: blocks(G, sets, layers=2, aggregation=kind, **options) for kind in kinds}
    for i, S in enumerate(sets):
        without, ours = G.cut(S), egos.part([i])
        for name, values in ego_networks(without, [S], hops=hops, **options).flat._asdict().items():
            np.testing.assert_array_equal(getattr(ours, name), values, err_msg=name)
        if encoding is not None:
            zeta = encoding.encode(without, S)[ours.nodes].reshape(len(ours.nodes), -1)
            np.testing.assert_allclose(ours.x[:, 1:], zeta, atol=1e-6)
        for kind, data in whole.items():
            assert same(data.batch([i]), blocks(without, [S], layers=2, aggregation=kind, **options).batch([0]))


@pytest.mark.parametrize("encoding", [SPD(), LandingProbability(steps=4), DRNL()])
def test_results_are_the_same_bit_by_bit_for_any_number_of_threads(club, pairs, encoding):
    options = dict(encoding=encoding, progress=False)
    ways = [
        dict(layers=2),
        dict(layers=2, raw=True, aggregation="mean"),
        dict(layers=2, hops=2, aggregation="hops", max_nodes_per_hop=4),
    ]
    for way in ways:
        first, *others = (blocks(club, pairs, num_threads=k, **way, **options).batch(range(300)) for k in (1, 2, 7))
        assert all(same(first, other) for other in others)
    first, *others = (ego_networks(club, pairs, hops=2, num_threads=k, **options).flat for k in (1, 2, 7))
    for other in others:
        assert all(map(np.array_equal, first, other))
