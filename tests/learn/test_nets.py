"""The networks: logits and gradients of their equations, units, dropout, the 1-WL bound, and what they refuse."""

from __future__ import annotations

import copy
import itertools
import threading
from typing import Any

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

    drops = property(lambda self: self.training)

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


# ---- units -----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", [name for name in NETWORKS if name != "struc2vec"])
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
        first = 3 if name in ("SEAL", "DEA-GNN-PR") else len(sizes)  # their indicators of distances stay as they are
        assert torch.allclose(sizes[:first][sizes[:first] > 0], torch.ones(()))
        assert torch.equal(model.scale[first:], torch.ones_like(model.scale[first:]))
        said.append(answers(model, G, sets))
    if name != "BUDDY":  # it multiplies features
        np.testing.assert_allclose(*said, atol=1e-5)


def test_units_are_measured_on_sets_from_the_whole_training_set() -> None:
    column = np.where(np.arange(3000) < 1000, 3.0, 1.0)[:, None]
    G = de.Graph.from_edges([], 3000, attributes=column)
    model = built("GCN", de.set_task(G, np.arange(3000)[:, None], np.arange(3000) % 2))
    model.calibrate(model.prepare(G, np.arange(3000)[:, None]), np.arange(2000))  # 1,000 of each
    assert model.scale[0] == 1  # a degree that is 0 everywhere
    assert model.scale[1] == pytest.approx(1 / np.sqrt(5), rel=0.02)


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


def test_dropout_and_signs_follow_their_own_generator_and_leave_torchs_alone() -> None:
    """A sign of an eigenvector is drawn for each epoch, and other columns have none."""
    layer, signs, ones = Dropout(0.5).train(), RandomSigns(2, 40).train(), torch.ones(40)
    before, drawn = torch.get_rng_state(), []
    assert torch.equal(signs(ones), ones)  # none are drawn before the first epoch
    for seed in (1, 1, 2):
        layer.generator = torch.Generator().manual_seed(seed)
        signs.draw(torch.Generator().manual_seed(seed))
        drawn.append(tuple(tuple(each.tolist()) for each in (layer(ones), layer(ones), signs(ones))))
        assert torch.equal(signs(ones), signs(ones))
    assert torch.equal(before, torch.get_rng_state())
    assert drawn[0] == drawn[1] and len({*drawn[0], *drawn[2]}) == 6
    assert drawn[0][2][:2] == (1, 1) and {*drawn[0][2][2:]} == {-1, 1}
    assert torch.equal(signs.eval()(ones), ones) and Dropout(0.0).train()(ones) is ones


# ---- many sets -------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", MODELS)
def test_many_sets_are_scored_as_few_with_progress_and_can_be_stopped(name: str) -> None:
    """More than are computed at once."""
    p = 2 if MODELS[name].takes(2) else 1
    G = random_graph()
    model, sets = built(name, task_of(G, p)), some_sets(G, p)
    many = np.tile(sets, (520 if is_heuristic(name) or name == "BUDDY" else 40, 1))
    shares: list[float] = []
    few = logits(model, G, sets)
    with watching(lambda what, share: shares.append(share)):
        together = logits(model, G, many)
    np.testing.assert_allclose(together, np.tile(few, (len(many) // len(sets), *[1] * (few.ndim - 1))), atol=1e-5)
    assert all(0 <= share <= 1 for share in shares)
    if not is_heuristic(name) and name not in ("struc2vec", "NCN"):
        assert shares == sorted(shares)
        stop = threading.Event()
        stop.set()
        with watching(stop=stop), pytest.raises(Cancelled):
            model.prepare(G, many)


# ---- what a model is for ---------------------------------------------------------------------------------------------


def test_a_model_refuses_sets_attributes_and_graphs_that_it_was_not_built_for() -> None:
    G = random_graph(attributes=np.ones((14, 2)))
    for name in ("GCN", "Katz", "PGNN"):
        model = built(name, task_of(G, 2))
        model.check(G.with_attributes(np.zeros((14, 2))), np.array([[0, 1]]))
        with pytest.raises(TargetError, match=r"sets of 2 nodes, not .*\[4, 3\]"):
            model.prepare(G, np.zeros((4, 3), dtype=np.int64))
        with pytest.raises(TargetError, match=r"\[4\]"):
            model.check(G, np.zeros(4, dtype=np.int64))
        with pytest.raises(ParameterError, match="2 attribute columns a node and the graph has 0"):
            model.prepare(random_graph(), some_sets(G, 2))
    model, sets = built("DEA-GNN-PR", task_of(random_graph(), 2)), np.array([[0, 1]])
    model.check(de.Graph.from_edges([(0, 1)], 4000), sets)
    with pytest.raises(de.GraphError, match="at most 4,000 nodes; this one has 4,001"):
        model.check(de.Graph.from_edges([(0, 1)], 4001), sets)


def test_rows_give_the_rows_of_each_tensor_made_by_what_they_were_given() -> None:
    first, second, shared = torch.arange(8.0).view(4, 2), torch.arange(4), torch.arange(3)
    index = np.array([3, 0, 0])
    assert torch.equal(de.Rows((first,)).batch(index), first[index])
    data = de.Rows((first, second), shared=(shared,))
    assert all(map(torch.equal, data.batch(index), (first[index], second[index], shared)))
    assert len(data) == 4 and data.nbytes == first.nbytes + second.nbytes + shared.nbytes
    part = de.Rows((first, second), lambda a, b: {"a": a, "b": b}).table(np.array([2, 1]))
    assert torch.equal(part.batch(torch.tensor([1]), np.array([1]))["a"], first[1:2])  # sets are 0 and 1 there
