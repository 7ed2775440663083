"""The networks: logits and gradients of their equations, units, dropout, the 1-WL bound, and what they refuse."""

from __future__ import annotations

import copy
import itertools
import threading
from typing import Any

import networkx as nx
import numpy as np
import pytest
import torch
from torch import nn

import degnn_explore as de
from degnn_explore import ParameterError, TargetError
from degnn_explore.common.progress import Cancelled, watching
from degnn_explore.learn.nets import pagerank
from degnn_explore.learn.nets.base import Dropout, RandomSigns
from degnn_explore.learn.registry import MODELS, is_heuristic
from tests import pretend_device  # noqa: F401 (registers the device)

from . import reference_nets as reference
from .small_nets import answers, built, lively, logits, random_graph, some_sets, task_of

NETWORKS = [name for name in MODELS if not is_heuristic(name)]
BASES = ("GCN", "SAGE", "GIN")


# ---- the equations ---------------------------------------------------------------------------------------------------

VARIANTS: dict[str, list[dict[str, Any]]] = {
    "GCN": [{"layers": 1}, {}, {"layers": 3}, {"readout": "difference"}],
    "SAGE": [{"layers": 1}, {}, {"layers": 3}],
    "GIN": [{"layers": 1}, {}, {"layers": 3}],
    "struc2vec": [{}],
    "PGNN": [{}, {"layers": 2, "readout": "difference"}],
    "SEAL": [{}, {"hops": 2, "layers": 2}, {"max_dist": 1, "layers": 1}],
    "BUDDY": [{}, {"distances": 1, "layers": 1}, {"distances": 3, "layers": 3}],
    "NCN": [{}, {"layers": 1}, {"layers": 3}],
    "DE-GNN-ZeroOne": [{"base": base} for base in BASES],
    "DE-GNN-RWSE": [{"base": "SAGE"}, {"steps": 3}],
    "DE-GNN-LapPE": [{"base": "GIN"}, {"eigenvectors": 2}],
    "DE-GNN-SPD": [*({"base": base} for base in BASES), {"max_dist": 1}, {"max_dist": 5, "layers": 3}],
    "DE-GNN-LP": [
        *({"base": base, "layers": 2} for base in BASES),
        {"steps": 2, "layers": 1},
        {"f3": 4, "layers": 2},
        {"f3": 2, "base": "SAGE", "layers": 1},
    ],
    "DEA-GNN-SPD": [{"hops": hops, "layers": layers} for hops in (1, 2, 3) for layers in (1, 2)],
    "DEA-GNN-PR": [{"layers": 1}, {}, {"layers": 3, "alpha": 0.5}, {"layers": 4, "max_dist": 1}],
    "DE-GNN-mine": [{"base": "SAGE"}],
    "DEA-GNN-mine": [{"hops": 2}],
}
CASES = [
    pytest.param(name, hyper, p, id=f"{name} {hyper} p={p}")
    for name, variants in VARIANTS.items()
    for hyper in variants
    for p in (MODELS[name].sizes or (1, 2, 3) if name in MODELS else (1, 2))
]


class DropColumns(nn.Module):
    """In place of dropout: each column is multiplied by a number of its own, whatever the order of the rows."""

    @property
    def drops(self) -> bool:
        return self.training

    def forward(self, h: torch.Tensor) -> torch.Tensor:
        return h * (0.5 + torch.arange(h.shape[-1]) % 3).to(h.dtype) if self.training else h


def learned(model: de.SetNet, found: torch.Tensor) -> list[torch.Tensor]:
    """The logits, and what they would teach each weight."""
    model.zero_grad()
    (found * torch.linspace(-1, 2, found.numel()).view(found.shape)).sum().backward()
    return [found.detach().double(), *(weight.grad.double() for weight in model.parameters())]


def assert_equals_the_equations(model: de.SetNet, G: de.Graph, sets: np.ndarray, index: np.ndarray) -> None:
    """Logits and gradients of a batch, in training, with dropout, and after it."""
    data, plain = model.prepare(G, sets), copy.deepcopy(lively(model)).double()
    assert len(data) == len(sets) and np.ptp(logits(model, G, sets)) > 0.01
    for mode in (True, False):
        fast, slow = model.train(mode)(data.batch(index)), reference.logits(plain.train(mode), G, sets[index])
        for ours, wanted in zip(learned(model, fast), learned(plain, slow), strict=True):
            assert ours.shape == wanted.shape
            assert torch.allclose(ours, wanted, rtol=0, atol=2e-5 * max(1.0, float(wanted.abs().max())))


@pytest.mark.parametrize(("name", "hyper", "p"), CASES)
def test_logits_and_gradients_are_those_of_the_equations(name: str, hyper: dict, p: int) -> None:
    de.encoding("mine", lambda near: near.degree * (near.distance == 1), columns=["degree"], max_dist=3, pool="sum")
    attributes = np.random.default_rng(2).normal(size=(14, 2)) * 100 if p in (1, 3) else None
    G = random_graph(attributes=attributes, seed=p)
    model, sets = built(name, task_of(G, p, classes=3 if p == 1 else 2), **hyper), some_sets(G, p)
    model.calibrate(model.prepare(G, sets), np.arange(len(sets)))
    for module in model.modules():
        if isinstance(module, RandomSigns):
            module.draw(torch.Generator().manual_seed(3))
    if hasattr(model, "dropout"):
        model.dropout = DropColumns()
    assert_equals_the_equations(model, G, sets, np.array([5, 0, 3, 3, 7, 1]))


@pytest.mark.parametrize("held", [True, False], ids=["in memory", "batch by batch"])
@pytest.mark.parametrize("shared", [True, False], ids=["single targets first", "set by set"])
@pytest.mark.parametrize("layers", [1, 2])
def test_pagerank_is_the_same_however_it_is_stored(layers: int, shared: bool, held: bool, monkeypatch: Any) -> None:
    monkeypatch.setattr(pagerank, "AT_ONCE", 3)
    monkeypatch.setattr(pagerank, "HELD", pagerank.HELD if held else 0)
    monkeypatch.setattr(pagerank, "SHARED", pagerank.SHARED if shared else 0)
    for seed, p in itertools.product(range(4), (1, 2, 3)):
        G = random_graph(n=9 + 2 * seed, density=0.12 + 0.05 * seed, seed=seed)
        model, sets = built("DEA-GNN-PR", task_of(G, p), layers=layers), some_sets(G, p, seed=seed)
        assert model.prepare(G, sets).streamed != held
        assert_equals_the_equations(model, G, sets, np.array([5, 0, 3, 3, 7, 1, 2]))


# ---- nodes that 1-WL cannot tell apart -------------------------------------------------------------------------------

TRIANGLES_AND_HEXAGON = de.Graph.from_edges(de.disjoint_union([de.zoo.two_triangles(), de.zoo.hexagon()]).edges)


@pytest.mark.parametrize("layers", [1, 3])
@pytest.mark.parametrize("name", BASES)
def test_equal_1wl_colors_get_equal_scores_and_distances_tell_them_apart(name: str, layers: int) -> None:
    for G, sets in (
        (de.Graph.from_networkx(nx.random_labeled_tree(30, seed=2)), np.arange(30)[:, None]),
        (TRIANGLES_AND_HEXAGON, np.array([[0, 3], [6, 8], [6, 9], [0, 7]])),  # no pair has an edge inside
    ):
        task = task_of(G, sets.shape[1])
        found = logits(lively(built(name, task, layers=layers)), G, sets)
        color = de.colors(G, layers=layers + 1)[-1][sets]  # the degree that a network starts from is the first of them
        alike = (color[:, None] == color[None]).all(axis=2)
        assert alike.sum() > len(sets)
        assert np.abs(found[:, None] - found[None])[alike].max() < 1e-5 * max(1, np.abs(found).max())
    aware = logits(lively(built("DE-GNN-SPD", task, base=name)), G, sets)
    assert np.diff(np.sort(aware)).min() > 1e-4  # of the four pairs


# ---- units -----------------------------------------------------------------------------------------------------------

IN_UNITS = [name for name in NETWORKS if name != "struc2vec"]
INDICATORS = ("SEAL", "DEA-GNN-PR")  # whose distances stay as they are


@pytest.mark.parametrize("name", IN_UNITS)
def test_calibration_gives_each_feature_size_one_so_that_units_do_not_matter(name: str) -> None:
    attributes = np.random.default_rng(1).normal(size=(14, 2))
    said = []
    for unit in (1.0, 1000.0):
        G = random_graph(attributes=attributes * [unit, 1])
        model, sets = built(name, task_of(G, 2)), some_sets(G, 2, count=20)
        data = model.prepare(G, sets)
        model.calibrate(data, np.arange(20))
        inputs = model.features(data.batch(np.arange(20)))
        sizes = torch.stack([(x * model.scale).flatten(0, -2).square().mean(0).sqrt() for x in inputs]).amax(0)
        first = 3 if name in INDICATORS else len(sizes)
        assert torch.allclose(sizes[:first][sizes[:first] > 0], torch.ones(()))
        assert torch.equal(model.scale[first:], torch.ones_like(model.scale[first:]))
        if name != "BUDDY":  # it multiplies features
            said.append(answers(model, G, sets))
    np.testing.assert_allclose(*said or (0, 0), atol=1e-5)


class Counting(de.SetNet):
    """Its feature is 3 for the first 1,000 nodes, and 1 for the others; another is always 0."""

    def __init__(self) -> None:
        super().__init__("counting", de.Shape(1, 2), {}, width=2)

    def prepare(self, graph: de.Graph, sets: np.ndarray) -> de.Rows:
        return de.Rows((torch.where(torch.from_numpy(sets) < 1000, 3.0, 1.0) * torch.tensor([1.0, 0.0]),))

    def features(self, batch: torch.Tensor) -> list[torch.Tensor]:
        return [batch]

    def forward(self, batch: torch.Tensor) -> torch.Tensor:
        return batch[:, 0]


def test_units_are_measured_on_sets_from_the_whole_training_set() -> None:
    model = Counting()
    model.calibrate(model.prepare(de.zoo.petersen(), np.arange(3000)[:, None]), np.arange(2000))  # 1,000 of each
    assert model.scale[0] == pytest.approx(1 / np.sqrt(5), rel=0.02) and model.scale[1] == 1


# ---- dropout and signs -----------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("device", "dtype"), [("cpu", torch.float32), ("cpu", torch.float64), ("pretend", torch.float32)]
)
@pytest.mark.parametrize("share", [0.001, 0.1, 0.5, 0.9, 0.999])
def test_dropout_drops_its_share_keeps_the_mean_and_learns_through_what_it_kept(
    share: float, device: str, dtype: torch.dtype
) -> None:
    layer = Dropout(share).train()
    layer.generator = torch.Generator().manual_seed(0)
    h = torch.ones(333, 401, dtype=dtype).t().requires_grad_()  # not contiguous
    out = layer(h.to(device)).cpu()
    gone = (out == 0).double()
    assert float(gone.mean()) == pytest.approx(min(max(share, 1 / 256), 255 / 256), abs=min(0.01, 2 * share))
    assert float(out.double().mean()) == pytest.approx(1, abs=0.02 if share < 0.99 else 0.2)
    for one_way in (0, 1):  # no row or column is favored
        assert float((gone.mean(dim=one_way) - gone.mean()).abs().max()) < 0.12
    weights = torch.rand(h.shape, dtype=dtype)
    (out * weights).sum().backward()
    assert torch.allclose(h.grad, weights * out.detach())
    assert out.dtype == dtype and layer.eval()(h) is h


def test_dropout_follows_its_own_generator_and_leaves_torchs_alone() -> None:
    layer, h = Dropout(0.5).train(), torch.ones(50, 7)
    before = torch.get_rng_state()
    drawn = []
    for seed in (1, 1, 2):
        layer.generator = torch.Generator().manual_seed(seed)
        drawn.append((layer(h), layer(h)))
    assert torch.equal(before, torch.get_rng_state())
    assert torch.equal(torch.stack(drawn[0]), torch.stack(drawn[1]))
    assert len({tuple(each.flatten().tolist()) for pair in drawn for each in pair}) == 4
    assert Dropout(0.0).train()(h) is h


def test_an_eigenvectors_sign_is_drawn_for_each_epoch_and_nothing_else_is() -> None:
    signs, columns = RandomSigns(2, 40).train(), torch.arange(1.0, 41)
    assert torch.equal(signs(columns), columns)  # none are drawn before the first epoch
    drawn = []
    for seed in (1, 1, 2):
        signs.draw(torch.Generator().manual_seed(seed))
        drawn.append(signs(columns) / columns)
        assert torch.equal(signs(columns), signs(columns))
    assert drawn[0].tolist() == drawn[1].tolist() != drawn[2].tolist()
    assert drawn[0][:2].tolist() == [1, 1] and set(drawn[0][2:].tolist()) == {-1, 1}
    assert torch.equal(signs.eval()(columns), columns)


# ---- many sets -------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", MODELS)
def test_many_sets_are_scored_as_few_with_progress_and_can_be_stopped(name: str) -> None:
    """More than are computed at once."""
    p = 2 if MODELS[name].takes(2) else 1
    G = random_graph()
    model, sets = built(name, task_of(G, p)), some_sets(G, p)
    times = 520 if is_heuristic(name) or name == "BUDDY" else 40
    shares: list[float] = []
    few = model.prepare(G, sets)
    with watching(lambda what, share: shares.append(share)):
        many = model.prepare(G, np.tile(sets, (times, 1)))
    with torch.no_grad():
        alone, together = (model(data.batch(np.arange(len(data)))) for data in (few, many))
    assert torch.allclose(together, alone.repeat(times, *[1] * (alone.ndim - 1)), atol=1e-5)
    assert all(0 <= share <= 1 for share in shares)
    if name in STOPPED:
        assert shares == sorted(shares)
        with watching(stop=stopped()), pytest.raises(Cancelled):
            model.prepare(G, np.tile(sets, (times, 1)))


STOPPED = [name for name in NETWORKS if name not in ("struc2vec", "NCN")]


def stopped() -> threading.Event:
    stop = threading.Event()
    stop.set()
    return stop


# ---- what a model is for ---------------------------------------------------------------------------------------------


def test_a_model_refuses_sets_attributes_and_graphs_that_it_was_not_built_for() -> None:
    G = random_graph(attributes=np.ones((14, 2)))
    for name in ("GCN", "Katz"):
        model = built(name, task_of(G, 2))
        with pytest.raises(TargetError, match=r"sets of 2 nodes, not .*\[4, 3\]"):
            model.prepare(G, np.zeros((4, 3), dtype=np.int64))
        with pytest.raises(TargetError, match=r"\[4\]"):
            model.check(G, np.zeros(4, dtype=np.int64))
        with pytest.raises(ParameterError, match="2 attribute columns a node and the graph has 0"):
            model.prepare(random_graph(), some_sets(G, 2))


@pytest.mark.parametrize("name", ["PGNN", "struc2vec"])
def test_a_transductive_model_knows_its_training_graph_and_the_one_that_it_was_made_from(name: str) -> None:
    G = de.load("karate").with_attributes(np.arange(34.0)[:, None])
    task = de.link_task(G)
    assert task.graph.num_edges < G.num_edges
    model = de.build(name, task, **{"dim": 4} if name == "struc2vec" else {})
    with pytest.raises(ParameterError, match="has not been trained yet"):
        model.prepare(task.graph, task.test.sets)
    model.bind(task)
    for known in (task.graph, G, G.with_attributes(np.ones((34, 1)))):
        assert np.isfinite(answers(model, known, task.test.sets)).all()
    with pytest.raises(ParameterError, match="this is another graph"):
        model.prepare(G.without_edges(G.edges[:1]), task.test.sets)


def test_pagerank_between_all_nodes_is_for_graphs_of_at_most_4000() -> None:
    for n, refused in ((4000, False), (4001, True)):
        G = de.Graph.from_edges([(0, 1), (1, 2), (2, 3), (0, 3)], n)
        task = de.set_task(G, [[0, 1], [0, 2], [1, 2], [1, 3], [0, 3], [2, 3]], [0, 1] * 3, remove_edges=False)
        model = de.build("DEA-GNN-PR", task)
        if refused:
            with pytest.raises(de.GraphError, match="at most 4,000 nodes; this one has 4,001"):
                model.check(G, task.train.sets)
        else:
            model.check(G, task.train.sets)


# ---- data ------------------------------------------------------------------------------------------------------------


def test_rows_give_the_rows_of_each_tensor_made_by_what_they_were_given() -> None:
    first, second, shared = torch.arange(8.0).view(4, 2), torch.arange(4), torch.arange(3)
    index = np.array([3, 0, 0])
    assert torch.equal(de.Rows((first,)).batch(index), first[index])
    x, numbers, edges = de.Rows((first, second), shared=(shared,)).batch(index)
    assert torch.equal(x, first[index]) and torch.equal(numbers, second[index]) and torch.equal(edges, shared)
    data = de.Rows((first, second), lambda a, b, c: {"a": a, "b": b, "c": c}, (shared,))
    assert data.batch(index)["b"].tolist() == [3, 0, 0] and len(data) == 4
    assert data.nbytes == first.nbytes + second.nbytes + shared.nbytes
    part = data.table(np.array([2, 1]))  # of two sets, which are 0 and 1 there
    assert torch.equal(part.batch(torch.tensor([1]), np.array([1]))["a"], first[1:2])
