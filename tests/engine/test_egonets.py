"""Full ego-networks against networkx, and what the engine promises whatever is extracted."""

from __future__ import annotations

import pickle
import threading
from functools import cache

import networkx as nx
import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

import degnn_explore as de
from degnn_explore import DRNL, SPD, Graph, LandingProbability, PageRank, ParameterError
from degnn_explore.common.files import readable_size
from degnn_explore.common.progress import Cancelled, watching
from degnn_explore.encodings.custom import REGISTRY
from degnn_explore.engine.egonets import blocks, ego_networks

CLUB = Graph.from_networkx(nx.karate_club_graph())
PAIRS = np.array([np.random.default_rng(i).permutation(34)[:2] for i in range(300)])
COLUMNS = ["distance", "walk 1", "walk 4", "degree", "target degree", "both"]


@cache
def everything(max_dist=99, pool="mean"):
    """An encoding of all that a function may read, in columns of their own."""

    def fn(near):
        pieces = [near.distance, near.walks[:, 1], near.walks[:, 4], near.degree, near.target_degree]
        return np.stack([*pieces, near.distance * near.walks[:, 2]], axis=1)

    made = de.encoding("everything", fn, columns=COLUMNS, walks=4, max_dist=max_dist, pool=pool)
    del REGISTRY["everything"]  # the models that it brings are not those of other tests
    return made


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
    PageRank(0.7, pool="sum"),
    everything(1),
    everything(3, "sum"),
    everything(),
]


def slow_ego(G, S, hops):
    """Nodes with their distance to S, and the edges, one networkx graph at a time."""
    whole = nx.Graph(G.edges.tolist())
    whole.add_nodes_from(range(G.num_nodes))
    whole.remove_edges_from([(u, v) for u in S for v in S])
    distance = nx.multi_source_dijkstra_path_length(whole, set(S), cutoff=hops)
    return whole, distance, whole.subgraph(distance)


def check(G, sets, hops, encoding, degree=True):
    data = ego_networks(G, sets, hops=hops, encoding=encoding, degree=degree, progress=False)
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
        edges = sorted(zip(nodes[row].tolist(), nodes[column].tolist(), strict=True))
        assert edges == sorted(pair for u, v in ego.edges for pair in ((u, v), (v, u)))
        columns = [np.log1p(flat.degree[part])[:, None]] if degree else []
        columns += [] if G.attributes is None else [G.attributes[nodes]]
        columns += [] if encoding is None else [encoding.encode(G, S, cut=True)[nodes].reshape(len(nodes), -1)]
        expected = np.concatenate([np.empty((len(nodes), 0)), *columns], axis=1)
        np.testing.assert_allclose(flat.x[part], expected, rtol=1e-6, atol=1e-6)


@st.composite
def questions(draw):
    n, p = draw(st.integers(3, 14)), draw(st.integers(1, 3))
    pairs = draw(st.lists(st.tuples(st.integers(0, n - 1), st.integers(0, n - 1)), max_size=24))
    sets = draw(st.lists(st.lists(st.integers(0, n - 1), min_size=p, max_size=p, unique=True), min_size=1, max_size=4))
    encoding = draw(st.sampled_from([*ENCODINGS, DRNL(max_dist=1), DRNL(max_dist=3)] if p == 2 else ENCODINGS))
    values = np.random.default_rng(n).normal(size=(n, draw(st.integers(0, 2))))
    G = Graph.from_edges(np.array(pairs).reshape(-1, 2), n, attributes=values if values.size else None)
    return G, [*sets, sets[0]], draw(st.integers(1, 4)), encoding, draw(st.booleans())


@settings(max_examples=250)
@given(questions())
def test_ego_networks_equal_the_slow_version(question):
    check(*question)


@pytest.mark.parametrize("encoding", [SPD(max_dist=3), LandingProbability(steps=4), DRNL(max_dist=3)])
def test_a_sparse_graph_with_bridges_and_many_components(encoding):
    """A random forest with a few cycles: cut edges often disconnect their ends."""
    rng = np.random.default_rng(0)
    tree = [(v, rng.integers(max(0, v - 5), v)) for v in range(1, 400) if rng.random() < 0.95]
    G = Graph.from_edges(np.concatenate([tree, rng.integers(0, 400, (12, 2))]), 400)
    far = rng.integers(0, 200, (40, 1)) + np.array([0, 200])
    check(G, np.concatenate([G.edges[::3], far]), 2, encoding)


def test_three_targets_on_a_long_cycle_stay_connected_around_it():
    """Cutting 0-1 and 1-2 leaves 1 alone; 0 and 2 are joined the long way, found by searching in step."""
    ring = de.zoo.cycle(40)
    for degree in (False, True):  # the graph is prepared for each
        check(ring, [(0, 1, 2)], 1, SPD(max_dist=2, pool=None), degree)


def same(a, b):
    if isinstance(a, torch.Tensor | np.ndarray):
        return np.array_equal(a, b)
    if isinstance(a, list | tuple):
        return len(a) == len(b) and all(map(same, a, b))
    if hasattr(a, "__dataclass_fields__"):
        return all(same(v, vars(b)[k]) for k, v in vars(a).items())
    return a == b


def test_pyg_batches_hold_the_same_graphs():
    data = ego_networks(CLUB, np.array([(0, 1), (5, 30), (33, 32)]), hops=2, encoding=SPD(), progress=False)
    labels = torch.tensor([7, 8, 9])
    batch = data.to_pyg([2, 0, 2], labels=labels)
    assert batch.num_graphs == 3 and batch.validate() and batch.is_undirected()
    assert batch.node[batch.target_index].tolist() == [33, 32, 0, 1, 33, 32] and batch.y.tolist() == [9, 7, 9]
    for graph, s in zip(batch.to_data_list(), (2, 0, 2), strict=True):
        flat = data.part([s])
        assert graph.target_index.tolist() == [0, 1] and graph.y == labels[s]
        assert same([graph.x, graph.node, graph.distance], [flat.x, flat.nodes, flat.distance])
        row = np.repeat(np.arange(len(flat.nodes)), flat.length)
        assert same(graph.edge_index, np.stack([flat.column, row]))
    assert data.to_pyg([0], device="meta").x.device.type == "meta"


WAYS = [
    dict(layers=2, encoding=SPD()),
    dict(layers=2, encoding=LandingProbability(steps=4), raw=True, aggregation="mean"),
    dict(layers=2, encoding=DRNL(), hops=2, aggregation="hops", max_nodes_per_hop=4),
    dict(layers=2, encoding=everything(), aggregation="sum"),
]


@pytest.mark.parametrize("way", WAYS)
def test_threads_and_streaming_change_nothing_to_the_last_bit(way):
    labels = set()
    with watching(lambda what, share: labels.add(what.partition(" (")[0])):  # in a new checkout: (compiling, …)
        data = blocks(CLUB, PAIRS, num_threads=1, progress=False, **way)
    assert labels == {"sizing ego-networks", "extracting ego-networks"}
    streamed = blocks(CLUB, PAIRS, num_threads=3, progress=False, budget=data.nbytes - 1, **way)
    assert streamed.streamed and streamed.heavy and not data.streamed and not data.heavy
    assert streamed.capped is data.capped is (capped := "max_nodes_per_hop" in way)
    shown = f"BlockData(300 sets of 2, {data.in_dim} features, {readable_size(data.nbytes)}"
    assert (repr(data), repr(streamed)) == tuple(shown + end + ", capped" * capped + ")" for end in ("", ", streamed"))
    order = np.random.default_rng(1).permutation(300).reshape(10, 30)
    kept = list(data.batches(order))
    assert same(kept, [data.batch(index) for index in order])
    assert same(kept, list(streamed.batches(order)))
    if way["encoding"] is not everything():  # a function of one's own cannot be sent to another process
        assert same(kept[:1], [pickle.loads(pickle.dumps(streamed)).batch(order[0])])
    for threads in (2, 7):
        again = blocks(CLUB, PAIRS, num_threads=threads, progress=False, **way)
        assert same(data.batch(range(300)), again.batch(range(300)))
    with watching(lambda what, share: pytest.fail("a batch shows no bar")):
        streamed.batch(order[0])


def test_ego_networks_are_the_same_in_any_number_of_threads_or_streamed():
    one, *more = (ego_networks(CLUB, PAIRS, hops=2, encoding=SPD(), num_threads=k, progress=False) for k in (1, 2, 7))
    assert all(same(one.flat, other.flat) for other in more)
    some = ego_networks(CLUB, PAIRS, hops=2, encoding=SPD(), budget=one.nbytes - 1, progress=False)
    assert same(one.part([7, 3]), some.part([7, 3]))
    assert same(one.to_pyg([7, 3]).edge_index, some.to_pyg([7, 3]).edge_index)
    with pytest.raises(ParameterError, match="part\\(index\\)"):
        _ = some.flat


def test_a_stream_ends_its_thread_when_it_is_left_early_or_fails():
    data = blocks(CLUB, PAIRS, layers=2, budget=20_000, progress=False)
    stream = data.batches([[0], [1], [2], [3]])
    next(stream)
    stream.close()
    assert not any(thread.name.startswith("ego-network-stream") for thread in threading.enumerate())
    with pytest.raises(IndexError, match="no target set 300"):
        list(data.batches([[0], [300]]))


def test_capped_hubs_keep_a_seeded_sample():
    star = Graph.from_edges([(0, v) for v in range(1, 101)] + [(v, v + 100) for v in range(1, 101)])

    def sample(sets, hops=2, cap=10, seed=0):
        data = ego_networks(star, sets, hops=hops, max_nodes_per_hop=cap, seed=seed, progress=False)
        return data, [part.tolist() for part in np.split(data.flat.nodes, data.flat.node_ptr[1:-1])]

    data, (first, again, leaf) = sample([[0], [0], [5]])
    assert data.capping == "3 of 3 ego-networks are seen in part: of the nodes met at a hop at most 10 are kept"
    assert first == again  # the same set has the same sample, wherever it stands
    assert len(first) == 1 + 10 + 10
    assert sorted(first[11:]) == sorted(v + 100 for v in first[1:11])  # only kept nodes are followed
    assert len(leaf) == 1 + 2 + 10 and leaf[0] == 5
    assert sample([[0]], seed=1)[1] != [first]
    assert data.part([0]).degree[0] == 100 and data.part([0]).length[0] == 10  # degrees are those of the graph
    data, (whole,) = sample([[0]], cap=100)
    assert not data.capped and data.capping == "" and len(whole) == 201
    _, tips = sample([[v] for v in range(101, 131)], hops=3, cap=3)  # tip, leaf, hub, three leaves of the hundred
    assert {len(nodes) for nodes in tips} == {6}
    assert len({v for nodes in tips for v in nodes[3:]}) > 20  # each set draws its own


def test_capped_blocks_are_the_model_on_the_capped_ego_network():
    G = Graph.from_edges(nx.barabasi_albert_graph(80, 4, seed=0).edges)
    sets = np.array([G.edges[0], (3, 40), G.edges[-1]])
    for layers in (1, 2, 3):
        options = dict(encoding=SPD(), max_nodes_per_hop=6, progress=False)
        data = blocks(G, sets, layers=layers, aggregation="mean", **options)
        full = ego_networks(G, sets, hops=layers, **options)
        assert data.capped and full.capped
        batch, pyg = data.batch([2, 0, 1]), full.to_pyg([2, 0, 1])
        h = batch.x_agg[:, 0]
        for step in batch.steps:
            h = step.aggregate(h)[:, 0]
        inner = np.isin(pyg.edge_index.numpy(), pyg.target_index.numpy()).all(axis=0)
        assert not inner.any()  # rows that were read again have no edges inside S either
        A = torch.zeros(len(pyg.x), len(pyg.x))
        A[pyg.edge_index[1], pyg.edge_index[0]] = 1.0
        A /= A.sum(dim=1, keepdim=True).clamp(min=1)
        expected = torch.linalg.matrix_power(A, layers) @ pyg.x
        torch.testing.assert_close(h, expected[pyg.target_index], atol=1e-5, rtol=1e-5)


@pytest.mark.parametrize("sets", [[], np.empty((0, 3), dtype=np.int64), [{0, 1}]])
def test_empty_lists_and_empty_batches(sets):
    data = blocks(CLUB, sets, layers=3, encoding=SPD(), progress=False)
    batch = data.batch([])
    h = batch.x_agg[:, 0]
    for step in batch.steps:
        h = step.aggregate(h)[:, 0]
    assert len(data) == len(sets) and batch.num_sets == 0 and h.shape == (0, data.in_dim)
    assert ego_networks(CLUB, sets, hops=2, progress=False).to_pyg([]).num_nodes == 0


def test_sets_may_be_names():
    G = Graph.from_edges([("a", "b"), ("b", "c")])
    assert ego_networks(G, [("c", "a"), ("a", "b")], hops=1).flat.nodes.tolist() == [2, 0, 1, 0, 1, 2]
    assert ego_networks(G, ["c", "a"], hops=1).flat.nodes.tolist() == [2, 1, 0, 1]


def test_a_stop_event_ends_the_extraction():
    stop = threading.Event()
    stop.set()
    with watching(stop=stop), pytest.raises(Cancelled, match="of 1 target sets"):
        blocks(CLUB, [(0, 1)], layers=1, progress=False)


def test_equal_degrees_give_equal_features_wherever_a_node_stands():
    """To the last bit: or a model could tell apart what 1-WL cannot."""
    G = Graph.from_edges(nx.barabasi_albert_graph(200, 3, seed=0).edges)
    flat = ego_networks(G, G.edges[:300], hops=2, progress=False).flat
    for d in np.unique(flat.degree):
        assert len(np.unique(flat.x[flat.degree == d, 0])) == 1
