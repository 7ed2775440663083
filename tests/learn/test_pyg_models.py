"""Networks written for PyG as models: what they are given, their seeds and shapes, and every place that knows them."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from torch import nn
from torch_geometric.nn import GCNConv, GraphSAGE, global_mean_pool

import degnn_explore as de
from degnn_explore import ParameterError, TargetError
from degnn_explore.common.progress import watching
from degnn_explore.learn.fingerprint import fingerprint
from degnn_explore.learn.registry import MODELS
from degnn_explore.pyg import TargetSetLoader
from degnn_explore.studies.executors import pack_model, unpack_model
from degnn_explore.studies.race import RaceSetup
from tests import pretend_device  # noqa: F401 (registers the device)

KARATE = de.load("karate")
TASK, ROLES = de.link_task(KARATE), de.role_task(KARATE)
ZETA = de.SPD(max_dist=3)
PAIRS = TASK.test.sets[:5]


@pytest.fixture(autouse=True)
def only_here() -> Iterator[None]:
    """What a test registers is forgotten after it."""
    before = dict(MODELS)
    yield
    for name in [name for name in MODELS if name not in before]:
        del MODELS[name]


class Calm(nn.Module):
    """Two convolutions and the mean over S; nothing is drawn at random."""

    def __init__(self, features: int, outputs: int, hidden: int = 8) -> None:
        super().__init__()
        self.first, self.second = GCNConv(features, hidden), GCNConv(hidden, hidden)
        self.out = nn.Linear(hidden, outputs)

    def forward(self, batch: Any) -> torch.Tensor:
        h = self.second(self.first(batch.x, batch.edge_index).relu(), batch.edge_index).relu()
        return self.out(h[batch.target_index].view(batch.num_graphs, -1, h.shape[1]).mean(dim=1))


class Noisy(Calm):
    """With torch's own dropout."""

    def forward(self, batch: Any) -> torch.Tensor:
        batch.x = nn.functional.dropout(batch.x, 0.3, self.training)
        return super().forward(batch)


def made(net: Any = Calm, task: de.Task = TASK, encoding: Any = ZETA, **options: Any) -> Any:
    return de.PyGModel(net, task, encoding=encoding, **options)


def losses(model: de.SetNet, epochs: int = 2, **how: Any) -> list[float]:
    return [epoch.loss for epoch in de.fit(model, TASK, epochs, **how)]


def batch_of(model: de.SetNet, sets: np.ndarray = PAIRS, G: de.Graph = TASK.graph) -> Any:
    return model.prepare(G, sets).batch(np.arange(len(sets)))


# ---- what the network is given and gives -----------------------------------------------------------------------------


@pytest.mark.parametrize("options", [{}, {"hops": 1}, {"max_nodes_per_hop": 2}, {"encoding": None}], ids=str)
def test_a_network_is_given_the_batches_of_the_loader_with_columns_of_size_one(options: dict) -> None:
    seen = []

    class Looks(Calm):
        def forward(self, batch: Any) -> torch.Tensor:
            seen.append(batch)
            return super().forward(batch)

    how = {"encoding": ZETA, "hops": 2, **options}
    model = de.PyGModel(Looks, TASK, **how)
    list(de.fit(model, TASK, 1))
    batch = batch_of(model)
    before = batch.x.clone()
    seen.clear()
    model.eval()(batch)
    (given,) = seen
    assert torch.equal(batch.x, before)  # the caller's stays as it is
    wanted = next(iter(TargetSetLoader(TASK.graph, PAIRS, **how)))
    for field in ("edge_index", "batch", "ptr", "target_index", "node", "distance"):
        assert torch.equal(given[field], wanted[field])
    torch.testing.assert_close(given.x, wanted.x * model.scale)
    sizes = (batch_of(model, TASK.train.sets).x * model.scale).square().mean(dim=0).sqrt()
    assert sizes[sizes > 0] == pytest.approx(1, abs=0.3)


def test_a_network_of_x_and_edge_index_is_given_them_by_name_and_averaged_over_the_targets() -> None:
    model = made(GraphSAGE(6, 8, 2, 1)).eval()
    batch = batch_of(model)
    rows = model.net(batch.x, batch.edge_index)[batch.target_index, 0]
    torch.testing.assert_close(model(batch), (rows[::2] + rows[1::2]) / 2)

    class Pooled(nn.Module):
        def __init__(self, features: int, outputs: int) -> None:
            super().__init__()
            self.out = nn.Linear(features, outputs)

        def forward(self, x: Any, batch: Any, distance: Any) -> torch.Tensor:
            return self.out(global_mean_pool(x * (distance[:, None] == 0), batch))

    assert (
        made(Pooled, task=ROLES)(batch_of(made(Pooled, task=ROLES), ROLES.test.sets)).shape == (len(ROLES.test), 2)[:1]
    )


@pytest.mark.parametrize("columns", [0, 1, 2])
def test_one_logit_two_logits_and_a_row_are_as_good_for_two_classes(columns: int) -> None:
    class Shaped(Calm):
        def forward(self, batch: Any) -> torch.Tensor:
            return super().forward(batch)[:, 0] if columns == 0 else super().forward(batch)

    model = made(Shaped(6, max(1, columns))).eval()
    out = model.net(batch_of(model))
    wanted = torch.softmax(out, dim=1)[:, 1] if columns == 2 else torch.sigmoid(out.view(-1))
    torch.testing.assert_close(torch.sigmoid(model(batch_of(model))), wanted)


def test_several_classes_sizes_attributes_and_columns_side_by_side() -> None:
    rng = np.random.default_rng(0)
    G = KARATE.with_attributes(rng.normal(size=(34, 2)) * 1000)
    sets = np.unique(np.sort([rng.choice(34, 4, replace=False) for _ in range(40)], axis=1), axis=0)
    task = de.set_task(G, sets, np.arange(len(sets)) % 3, remove_edges=False)
    model = made(task=task, encoding=de.SPD(max_dist=2, pool=None))
    assert model.net.first.in_channels == 1 + 2 + 4 * 4
    list(de.fit(model, task, 1))
    assert de.predict(model, G, sets[:1]).shape == (1, 3)
    assert torch.equal(model.scale[3:].view(4, 4), model.scale[3:7].expand(4, 4))  # ζ(u|v) in the same units for all v
    sizes = (batch_of(model, task.train.sets, G).x * model.scale).square().mean(dim=0).sqrt()
    for size in (*sizes[:3], *sizes[3:].view(4, 4).amax(dim=0)):
        assert size == 0 or size == pytest.approx(1, abs=0.2)


# ---- seeds, checkpoints, devices -------------------------------------------------------------------------------------


def test_weights_and_draws_follow_the_seeds_and_the_callers_stay() -> None:
    torch.manual_seed(1)
    before = torch.get_rng_state()
    first = losses(made(Noisy, seed=5), seed=4)
    assert torch.equal(before, torch.get_rng_state())
    torch.manual_seed(2)
    assert losses(made(Noisy, seed=5), seed=4) == first
    assert losses(made(Noisy, seed=5), seed=5) != first
    assert losses(made(Noisy, seed=6), seed=4) != first
    calm = made(seed=5)
    assert not torch.equal(calm.net.out.weight, made(seed=6).net.out.weight)
    assert calm.training


def test_every_batch_of_every_epoch_has_its_own_draws_and_predicting_has_the_callers() -> None:
    drawn = []

    class Draws(Calm):
        def forward(self, batch: Any) -> torch.Tensor:
            drawn.append((self.training, float(torch.rand(()))))
            return super().forward(batch)

    model = made(Draws)
    drawn.clear()
    losses(model, 2, batch_size=16)
    of_training = [value for training, value in drawn if training]
    assert len(of_training) == len(set(of_training)) == 2 * -(-len(TASK.train) // 16)
    torch.manual_seed(3)
    wanted = float(torch.rand(()))
    torch.manual_seed(3)
    de.predict(model, TASK.graph, PAIRS)
    assert drawn[-1] == (False, wanted)
    outside = made(Draws).train()  # no one seeds it there
    torch.manual_seed(3)
    outside(batch_of(model))
    assert drawn[-1] == (True, wanted)


def test_a_resumed_run_has_the_same_numbers(tmp_path: Path) -> None:
    whole, file, stop = losses(made(Noisy), 4), tmp_path / "run.safetensors", threading.Event()
    with watching(stop=stop):
        for epoch in de.fit(made(Noisy), TASK, 4, checkpoint=file):
            if epoch.number == 2:
                stop.set()
    assert losses(made(Noisy), 4, checkpoint=file) == whole


def test_on_a_device_it_learns_the_cpus_numbers() -> None:
    assert losses(made(), 1, device="pretend") == pytest.approx(losses(made(), 1, device="cpu"), abs=1e-6)
    assert np.isfinite(losses(made(Noisy), 1, device="pretend")).all()  # another device draws other entries


def test_a_trained_network_is_trained_further_from_its_weights() -> None:
    net = Calm(6, 1)
    before = net.out.weight.clone()
    model = made(net)
    assert model.net is net and torch.equal(net.out.weight, before)
    losses(model, 1)
    assert not torch.equal(net.out.weight, before)


# ---- everywhere ------------------------------------------------------------------------------------------------------


def test_it_is_registered_by_what_makes_it_and_known_everywhere(tmp_path: Path) -> None:
    kind = de.PyGModel(Calm, encoding=ZETA, hops=1, hyper={"hidden": de.Hyper(8, least=1)})
    de.register_model(kind, name="mine", group="distance encoding")
    entry = MODELS["mine"]
    assert entry.about == "Calm of PyG with SPD(pool='mean', max_dist=3)" and entry.sizes is None
    assert de.models().loc["mine", "hyperparameters"] == {"hops": 1, "max_nodes_per_hop": None, "hidden": 8}
    model, other = (de.build("mine", TASK, seed=seed, hidden=5, hops=2) for seed in (0, 1))
    assert not torch.equal(model.net.out.weight, other.net.out.weight) and model.net.out.in_features == 5
    losses(model)
    file = de.save(model, tmp_path / "m.safetensors")
    again = de.load_model(file)
    assert np.array_equal(*(de.predict(each, KARATE, [{0, 33}]) for each in (model, again)))
    carried = pack_model("mine")
    del MODELS["mine"]
    with pytest.raises(ParameterError, match="named 'mine', which is not known here"):
        de.load_model(file)
    unpack_model(carried)
    assert de.load_model(file).hyper == model.hyper == {"hops": 2, "max_nodes_per_hop": None, "hidden": 5}
    tried = de.tune(TASK, minutes=0.001, models=["mine"], epochs=1).tried["mine"]
    assert tried[0][0] == {} and len(tried) >= 1
    setup = RaceSetup(KARATE, "links", ["mine", "DEA-GNN-SPD"], settings={"hops": 3})
    assert setup.spec("mine").settings == {} and setup.spec("DEA-GNN-SPD").settings == {"hops": 3}


def test_a_kind_is_called_and_sized_as_its_network_and_encoding() -> None:
    de.register_model(de.PyGModel(Calm, encoding=de.DRNL(max_dist=3), hops=1))
    de.register_model(de.PyGModel(lambda features, outputs: Calm(features, outputs), hops=1, name="mine"), sizes=(1,))
    assert MODELS["Calm"].sizes == (2,) and MODELS["mine"].about == "<lambda> of PyG"
    assert made(name="theirs").name == "theirs" and made().name == "Calm"
    assert made(lambda features, outputs: Calm(features, outputs)).name == "PyG model"


def test_code_that_differs_is_another_model() -> None:
    def mark(zeta: Any = ZETA, net: Any = Calm) -> str:
        return fingerprint(de.PyGModel(net, encoding=zeta))

    assert mark() == mark()
    assert len({mark(), mark(de.SPD(max_dist=4)), mark(None), mark(net=Noisy)}) == 4
    assert len({mark(net=partial(Calm, hidden=width)) for width in (3, 4, 4)}) == 2


@pytest.mark.parametrize(("zeta", "horizon"), [(None, 1), (ZETA, 1), (de.SPD(max_dist=6), 3)])
def test_it_is_explained_exactly(zeta: Any, horizon: int) -> None:
    model = made(encoding=zeta, hops=1)
    assert model.horizon == horizon and made(max_nodes_per_hop=3).horizon is None
    losses(model)
    why = de.explain(model, TASK.graph, {0, 9})
    for u, v, without in why.edges[["u", "v", "score_without"]].head(5).itertuples(index=False):
        left_out = TASK.graph.without_edges([(int(u), int(v))])
        assert de.predict(model, left_out, [{0, 9}])[0] == pytest.approx(without, abs=1e-5)
    batch = batch_of(model, np.array([[0, 9]]))
    assert why.rings.ring.tolist() == ([] if zeta is None else ["all", 0, 1])
    for ring, nodes, without in why.rings[["ring", "nodes", "score_without"]].itertuples(index=False):
        blank = batch.distance >= 0 if ring == "all" else batch.distance == ring
        changed = batch.clone()
        changed.x = torch.where(blank[:, None] & (torch.arange(batch.x.shape[1]) > 0), batch.x.mean(dim=0), batch.x)
        assert torch.sigmoid(model(changed)).item() == pytest.approx(without, abs=1e-5) and nodes == int(blank.sum())
    assert len(de.explain(made(max_nodes_per_hop=3), TASK.graph, {0, 9}, most=2).rings) == 0


# ---- what is refused -------------------------------------------------------------------------------------------------


class PerNode(Calm):
    """Forgets to read out S."""

    def forward(self, batch: Any) -> torch.Tensor:
        return self.out(self.first(batch.x, batch.edge_index))


class Peeks(Calm):
    """Looks at a weight while it is made."""

    def __init__(self, features: int, outputs: int) -> None:
        super().__init__(features, outputs)
        self.known = self.out.weight.sum().item()


WRONG = {
    "a number": (lambda: de.PyGModel(3, TASK), r"needs a torch\.nn\.Module"),
    "one of our models": (lambda: de.PyGModel(de.build("GCN", TASK), TASK), r"needs a torch\.nn\.Module"),
    "a network to register": (lambda: de.PyGModel(Calm(6, 1)), r"Give its task, de\.PyGModel\(net, task\)"),
    "a network with settings": (lambda: made(Calm(6, 1), hyper={"hidden": de.Hyper(4)}), r"hyper= is for what"),
    "a number as a setting": (lambda: made(hyper={"hidden": 4}), r"hyper .*\{'hidden': 4\}"),
    "a list of settings": (lambda: made(hyper=["hidden"]), r"hyper must be like"),
    "a setting that it has": (lambda: made(hyper={"hops": de.Hyper(4)}), "hyper: 'hops'"),
    "another of them": (lambda: made(hyper={"max_nodes_per_hop": de.Hyper(4)}), "hyper: 'max_nodes_per_hop'"),
    "an encoding's name": (lambda: made(encoding="SPD"), "encoding .*'SPD'"),
    "no hops": (lambda: made(hops=0), "hops must be a whole number from 1 to 100"),
    "too many hops": (lambda: made(hops=101), "hops must be a whole number from 1 to 100"),
    "no nodes": (lambda: made(max_nodes_per_hop=0), "max_nodes_per_hop must be a whole number"),
    "a seed below 0": (lambda: made(seed=-1), "seed must be a whole number"),
    "a graph as the task": (lambda: de.PyGModel(Calm, KARATE), "PyGModel needs a task, such as .*, not Graph"),
    "another width": (lambda: made(Calm(5, 1)), r"shapes cannot be multiplied.*features = 6, the columns of x"),
    "three logits": (lambda: made(Calm(6, 3)), r"returned torch.float32 \[2, 3\] for 2 sets.*shape \[2, 1\]"),
    "a row for each node": (lambda: made(PerNode), r"a row for each node: read out S, x\[batch\.target"),
    "lazy layers": (
        lambda: made(lambda features, outputs: GraphSAGE(-1, 8, 2, outputs), encoding=None), r"lazy layers.*= 1 here"
    ),
    "a class that takes more": (lambda: made(GraphSAGE), r"missing 1 required.*made as net\(features, outputs\)"),
    "no network": (lambda: made(lambda features, outputs: 3), r"returned int; return a torch\.nn\.Module"),
    "a look at weights": (lambda: de.register_model(de.PyGModel(Peeks)), "nothing may look at the values"),
    "a network in fit": (lambda: de.fit(Calm(6, 1), TASK), r"not Calm.*de\.PyGModel\(net, task\)"),
}  # fmt: skip


@pytest.mark.parametrize("what", WRONG)
def test_what_is_wrong_is_said_with_what_to_do(what: str) -> None:
    call, words = WRONG[what]
    with pytest.raises(ParameterError, match=words):
        call()


def test_sets_that_an_encoding_does_not_take_and_saving_what_is_not_registered(tmp_path: Path) -> None:
    with pytest.raises(TargetError, match="DRNL is defined for pairs; this target set has 1 node"):
        made(task=ROLES, encoding=de.DRNL(max_dist=3))
    words = r"register_model\(PyGModel\(Calm, encoding=SPD\(pool='mean', max_dist=3\)\), name='Calm'\)"
    with pytest.raises(ParameterError, match=words):
        de.save(made(), tmp_path / "m.safetensors")
    with pytest.raises(ParameterError, match=r"register_model\(PyGModel\(a function that makes Calm\), name='Calm'\)"):
        de.save(made(Calm(1, 1), encoding=None), tmp_path / "m.safetensors")
