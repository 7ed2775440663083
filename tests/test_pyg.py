"""For PyG users: transform and loader of degnn_explore.pyg, beside the same written with PyG's own functions."""

from __future__ import annotations

import pickle
from itertools import chain

import numpy as np
import torch
import torch_geometric.transforms as T
from hypothesis import given
from hypothesis import strategies as st
from torch_geometric.data import Data
from torch_geometric.utils import k_hop_subgraph, remove_self_loops

import degnn_explore as de
from degnn_explore.pyg import AddDistanceEncoding, TargetSetLoader

from .strategies import graphs, graphs_with_targets

# 0 - 1 - 2 - 3 and 0 - 2, with a feature and a class for each node
KITE = Data(
    edge_index=torch.tensor([[0, 1, 2, 0], [1, 2, 3, 2]]), x=torch.tensor([[5.0], [6.0], [7.0], [8.0]]), num_nodes=4
)


@given(graphs_with_targets(max_targets=3), st.booleans())
def test_the_transform_appends_the_encoding_and_cuts_with_all_that_belongs_to_edges(drawn, cut: bool) -> None:
    G, S = drawn
    data, zeta = G.to_pyg(), de.SPD(max_dist=2)
    data.edge_attr = data.edge_index.sum(dim=0)
    expected = torch.from_numpy(zeta.encode(G, S, cut=cut)).float()
    assert torch.equal(AddDistanceEncoding(zeta, S, cut=cut)(data).x, expected)
    numbered = data.clone()
    numbered.x = torch.arange(G.num_nodes)
    found = AddDistanceEncoding(zeta, lambda it: it.root, cut=cut)(numbered.update({"root": S}))
    assert torch.equal(found.x, torch.cat([numbered.x.float()[:, None], expected], dim=1))
    inside = torch.isin(data.edge_index, torch.tensor(S)).all(dim=0) & cut
    assert torch.equal(found.edge_index, data.edge_index[:, ~inside])
    assert torch.equal(found.edge_attr, data.edge_attr[~inside])
    beside = AddDistanceEncoding(de.SPD(max_dist=1, pool=None), S, attr_name="zeta")(numbered)
    assert torch.equal(beside.x, numbered.x)
    for column, target in enumerate(S):
        assert beside.zeta[target, 3 * column : 3 * column + 3].tolist() == [1, 0, 0]


def test_the_transform_goes_with_those_of_pyg_and_says_what_it_does() -> None:
    add = AddDistanceEncoding(de.SPD(max_dist=2), {0})
    found = T.Compose([T.ToUndirected(), add])(KITE)
    assert found.x.tolist() == [[5, 1, 0, 0, 0], [6, 0, 1, 0, 0], [7, 0, 1, 0, 0], [8, 0, 0, 1, 0]]
    assert (KITE.x.shape, found.edge_index.shape) == ((4, 1), (2, 8))  # what was given is as it was
    cutting = AddDistanceEncoding(de.SPD(max_dist=2), chosen, cut=True)
    assert [repr(add), repr(cutting)] == [
        f"AddDistanceEncoding(SPD(pool='mean', max_dist=2), {end})" for end in ("{0}", "chosen, cut=True")
    ]


def chosen(data: Data) -> list[int]:
    return [0]


def by_hand(data: Data, S: torch.Tensor, hops: int, max_dist: int) -> tuple[torch.Tensor, torch.Tensor, torch.Tensor]:
    """Nodes, edges and features of one ego-network, with PyG's functions and distances by powers of the adjacency."""
    inside = torch.isin(data.edge_index, S).all(dim=0)
    edge_index = data.edge_index[:, ~inside]
    A = torch.zeros(data.num_nodes, data.num_nodes)
    A[edge_index[0], edge_index[1]] = 1
    nodes, local, _, _ = k_hop_subgraph(S, hops, edge_index, relabel_nodes=True, num_nodes=data.num_nodes)
    within = [torch.linalg.matrix_power(A + torch.eye(len(A)), k) > 0 for k in range(len(A) + 1)]
    far = sum((~near).long() for near in within)  # the first power in which a pair is joined
    code = torch.where(far > len(A), max_dist + 1, far.clamp(max=max_dist))[nodes][:, S]
    zeta = torch.nn.functional.one_hot(code, max_dist + 2).float().mean(dim=1)
    return nodes, local, torch.cat([torch.log1p(A.sum(dim=1))[nodes, None], zeta], dim=1)


@given(graphs(), st.integers(1, 3), st.data())
def test_a_batch_is_what_k_hop_subgraph_gives(G: de.Graph, hops: int, draw: st.DataObject) -> None:
    data = G.to_pyg()
    sets = torch.tensor(draw.draw(st.lists(st.permutations(range(G.num_nodes)), min_size=1, max_size=4)))[:, :2]
    loader = TargetSetLoader(data, sets, range(len(sets)), encoding=de.SPD(max_dist=2), hops=hops, batch_size=3)
    found = [one for batch in loader for one in batch.to_data_list()]
    assert [int(one.y) for one in found] == list(range(len(sets)))
    for S, one in zip(sets, found, strict=True):
        nodes, edge_index, x = by_hand(data, S, hops, max_dist=2)
        place = torch.searchsorted(nodes, one.node)
        assert torch.equal(one.node[one.target_index], S)
        assert torch.equal(nodes, one.node.sort().values)
        torch.testing.assert_close(one.x, x[place])
        ours, theirs = place[one.edge_index].t().tolist(), remove_self_loops(edge_index)[0].t().tolist()
        assert sorted(ours) == sorted(theirs)


def karate_loader(**options) -> TargetSetLoader:
    task = de.link_task(de.load("karate"))
    return TargetSetLoader(task.graph, task.train.sets, task.train.labels, encoding=de.SPD(), **options)


def content(loader: TargetSetLoader) -> list[list[int]]:
    return [batch.node.tolist() + batch.y.tolist() for batch in loader]


def test_passes_depend_on_the_seed_and_their_number_alone() -> None:
    loader, again = karate_loader(shuffle=True, batch_size=10), karate_loader(shuffle=True, batch_size=10)
    first, second = content(loader), content(loader)
    assert first != second
    torch.manual_seed(5)
    assert [content(again), content(again)] == [first, second]
    assert content(karate_loader(shuffle=True, batch_size=10, seed=1)) != first
    assert sorted(chain(*first)) == sorted(chain(*content(karate_loader())))
    assert len(first) == len(loader) == -(-len(loader.dataset) // 10)
    assert len(karate_loader(batch_size=10, drop_last=True)) == len(loader.dataset) // 10


def test_processes_and_streaming_give_the_same_batches() -> None:
    kept = karate_loader(shuffle=True, batch_size=20)
    here = content(kept)
    assert content(karate_loader(shuffle=True, batch_size=20, num_workers=2)) == here
    streamed = karate_loader(shuffle=True, batch_size=20, budget=100_000)
    assert content(streamed) == here and len(pickle.dumps(streamed.dataset)) < len(pickle.dumps(kept.dataset)) / 2
    other = pickle.loads(pickle.dumps(streamed.dataset))  # as a process that does not begin as a copy of this one
    assert torch.equal(other[3].x, streamed.dataset[3].x)


def test_the_loader_says_what_was_cut_and_cleaned() -> None:
    loader = TargetSetLoader(KITE, torch.tensor([[0, 1], [0, 3], [2, 0]]), batch_size=2)
    assert loader.cut_edges.tolist() == [1, 0, 1]
    assert repr(loader) == "TargetSetLoader(3 sets of 2, 2 features, 2 batches; the edges inside 2 of the sets are cut)"
    assert str(loader.graph.cleaning) == "ignored edge directions"
    batch = next(iter(loader))
    torch.testing.assert_close(batch[0].x[0], torch.tensor([np.log(2.0), 5.0], dtype=torch.float32))  # 0 lost an edge
    assert "y" not in batch
    sure = TargetSetLoader(KITE, [[0]], torch.tensor([[0.25, 0.75]]), hops=1, degree=False, encoding=de.SPD(1))
    assert next(iter(sure)).y.tolist() == [[0.25, 0.75]]
    assert (sure.num_features, sure.batch_size, sure.num_workers) == (4, 64, 0)
