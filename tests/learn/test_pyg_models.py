"""Networks written for PyG as models: batches as PyG has them, seeds, shapes, every place where a model is used."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from functools import partial
from pathlib import Path

import numpy as np
import pytest
import torch
from torch import nn
from torch_geometric.nn import GCNConv, GraphSAGE

import degnn_explore as de
from degnn_explore import ParameterError, TargetError
from degnn_explore.common.progress import watching
from degnn_explore.learn.fingerprint import fingerprint
from degnn_explore.learn.nets.seal import SEAL
from degnn_explore.learn.registry import MODELS
from degnn_explore.pyg import TargetSetLoader
from degnn_explore.studies.executors import pack_model, unpack_model
from degnn_explore.studies.race import RaceSetup
from tests import pretend_device  # noqa: F401 (registers the device)

KARATE = de.load("karate")
TASK = de.link_task(KARATE)
ZETA = de.SPD(max_dist=3)


@pytest.fixture(autouse=True)
def only_here() -> Iterator[None]:
    """What a test registers is forgotten after it."""
    before = dict(MODELS)
    yield
    for name in [name for name in MODELS if name not in before]:
        del MODELS[name]


class Net(nn.Module):
    """Dropout from torch's own numbers, running means, a readout of S."""

    def __init__(self, features: int, outputs: int, hidden: int = 8) -> None:
        super().__init__()
        self.first, self.second = GCNConv(features, hidden), GCNConv(hidden, hidden)
        self.norm, self.out = nn.BatchNorm1d(hidden), nn.Linear(hidden, outputs)

    def forward(self, batch):
        h = nn.functional.dropout(self.first(batch.x, batch.edge_index).relu(), 0.3, self.training)
        h = self.norm(self.second(h, batch.edge_index)).relu()
        return self.out(h[batch.target_index].view(batch.num_graphs, -1, h.shape[1]).mean(dim=1))


class Calm(Net):
    """Without dropout."""

    def forward(self, batch):
        h = self.second(self.first(batch.x, batch.edge_index).relu(), batch.edge_index).relu()
        return self.out(h[batch.target_index].view(batch.num_graphs, -1, h.shape[1]).mean(dim=1))


def losses(model: de.SetNet, epochs: int = 2, task: de.Task = TASK, **how) -> list[float]:
    return [epoch.loss for epoch in de.fit(model, task, epochs, **how)]


def test_a_network_is_given_the_batches_of_the_loader_in_units_of_one() -> None:
    seen = []

    class Looks(Calm):
        def forward(self, batch):
            seen.append(batch)
            return super().forward(batch)

    model = de.PyGModel(Looks(6, 1), TASK, encoding=ZETA, hops=2)
    list(de.fit(model, TASK, 1))
    seen.clear()
    pairs = TASK.test.sets[:3]
    de.predict(model, TASK.graph, pairs)
    (given,) = seen
    wanted = next(iter(TargetSetLoader(TASK.graph, pairs, encoding=ZETA, hops=2)))
    for field in ("edge_index", "batch", "ptr", "target_index", "node", "distance"):
        assert torch.equal(given[field], wanted[field])
    torch.testing.assert_close(given.x, wanted.x * model.scale)
    everything = next(iter(TargetSetLoader(TASK.graph, TASK.train.sets, encoding=ZETA, batch_size=999)))
    sizes = (everything.x * model.scale).square().mean(dim=0).sqrt()
    assert ((sizes > 0.5) & (sizes < 2) | (sizes == 0)).all()


def test_dropout_of_torch_draws_from_the_seed_of_the_run_and_leaves_the_callers() -> None:
    def model() -> de.SetNet:
        return de.PyGModel(Net, TASK, encoding=ZETA, seed=5)

    torch.manual_seed(1)
    before = torch.get_rng_state()
    first = losses(model(), 3, seed=4)
    assert torch.equal(before, torch.get_rng_state())
    torch.manual_seed(2)
    assert losses(model(), 3, seed=4) == first
    assert losses(model(), 3, seed=5) != first
    assert losses(de.PyGModel(Net, TASK, encoding=ZETA, seed=6), 3, seed=4) != first


def test_a_run_goes_on_from_its_checkpoint_to_the_same_numbers(tmp_path: Path) -> None:
    whole = losses(de.PyGModel(Net, TASK, encoding=ZETA), 4)
    stop = threading.Event()
    file = tmp_path / "run.safetensors"
    with watching(stop=stop):
        for epoch in de.fit(de.PyGModel(Net, TASK, encoding=ZETA), TASK, 4, checkpoint=file):
            if epoch.number == 2:
                stop.set()
    assert losses(de.PyGModel(Net, TASK, encoding=ZETA), 4, checkpoint=file) == whole


@pytest.mark.parametrize("net", [Calm, Net])
def test_on_a_device_it_learns_the_cpus_numbers(net: type[nn.Module]) -> None:
    here = losses(de.PyGModel(net, TASK, encoding=ZETA), 1, device="cpu")
    there = losses(de.PyGModel(net, TASK, encoding=ZETA), 1, device="pretend")
    if net is Calm:  # another device draws other entries
        assert there == pytest.approx(here, abs=1e-6)


def test_it_is_registered_by_what_makes_it_and_known_everywhere(tmp_path: Path) -> None:
    kind = de.PyGModel(Net, encoding=ZETA, hops=1, hyper={"hidden": de.Hyper(8, least=1)})
    de.register_model(kind, name="mine", group="distance encoding")
    entry = MODELS["mine"]
    assert entry.about == "Net of PyG with SPD(pool='mean', max_dist=3)" and entry.own == ("hops",)
    assert de.models().loc["mine", "hyperparameters"] == {"hops": 1, "max_nodes_per_hop": None, "hidden": 8}
    model, other = (de.build("mine", TASK, seed=seed, hidden=5) for seed in (0, 1))
    assert not torch.equal(model.net.out.weight, other.net.out.weight) and model.net.out.in_features == 5
    list(de.fit(model, TASK, 2))
    again = de.load_model(de.save(model, tmp_path / "m.safetensors"))
    assert np.array_equal(de.predict(again, KARATE, [{0, 33}]), de.predict(model, KARATE, [{0, 33}]))
    carried = pack_model("mine")
    del MODELS["mine"]
    with pytest.raises(ParameterError, match="named 'mine', which is not known here"):
        de.load_model(tmp_path / "m.safetensors")
    unpack_model(carried)
    assert de.load_model(tmp_path / "m.safetensors").hyper == model.hyper
    tried = de.tune(TASK, minutes=0.001, models=["mine"], epochs=1).tried["mine"]
    assert tried[0][0] == {} and len(tried) >= 1
    setup = RaceSetup(KARATE, "links", ["mine", "DEA-GNN-SPD"], settings={"hops": 3})
    assert setup.spec("mine").settings == {} and setup.spec("DEA-GNN-SPD").settings == {"hops": 3}


def test_code_that_differs_is_another_model() -> None:
    def made(zeta: de.Encoding | None = ZETA, net=Net) -> str:
        return fingerprint(de.PyGModel(net, encoding=zeta))

    assert made() == made()
    assert len({made(), made(de.SPD(max_dist=4)), made(None), made(net=Calm)}) == 4
    assert len({made(net=partial(Net, hidden=width)) for width in (3, 4, 4)}) == 2


def test_why_is_asked_of_it_exactly() -> None:
    model = de.PyGModel(Calm, TASK, encoding=ZETA, hops=1)
    list(de.fit(model, TASK, 2))
    why = de.explain(model, TASK.graph, {0, 9})
    for u, v, without in why.edges[["u", "v", "score_without"]].head(5).itertuples(index=False):
        left_out = TASK.graph.without_edges([(int(u), int(v))])
        assert de.predict(model, left_out, [{0, 9}])[0] == pytest.approx(without, abs=1e-5)
    assert why.rings.ring.tolist() == ["all", 0, 1]
    # blanked everywhere, by hand: ζ of all nodes of the ego-network is their average
    batch = model.prepare(TASK.graph, np.array([[0, 9]])).batch([0])
    batch.x[:, 1:] = batch.x[:, 1:].mean(dim=0)
    assert torch.sigmoid(model(batch)).item() == pytest.approx(why.rings.score_without[0], abs=1e-5)
    assert len(de.explain(de.PyGModel(Calm, TASK), TASK.graph, {0, 9}).rings) == 0


def test_seal_is_the_measure_of_explaining_rings() -> None:
    """The same columns are blanked in SEAL, whose subgraphs are these ego-networks."""
    model = de.PyGModel(Calm, TASK, encoding=de.DRNL(max_dist=3), hops=1)
    seal = de.build("SEAL", TASK)
    assert isinstance(seal, SEAL)
    ours, theirs = (de.explain(one, TASK.graph, {0, 9}).rings for one in (model, seal))
    assert ours[["ring", "nodes"]].equals(theirs[["ring", "nodes"]])


def test_networks_that_take_x_and_edge_index_are_read_out_at_the_targets() -> None:
    model = de.PyGModel(GraphSAGE(6, 8, 2, 1), TASK, encoding=ZETA).eval()
    batch = model.prepare(TASK.graph, TASK.test.sets[:5]).batch(np.arange(5))
    rows = model.net(batch.x, batch.edge_index)[batch.target_index]  # [10, 1]
    torch.testing.assert_close(model(batch), (rows[::2, 0] + rows[1::2, 0]) / 2)
    assert model(batch).equal(model(batch))  # the batch stays as it was


def test_two_logits_of_two_classes_are_as_good_as_one() -> None:
    model = de.PyGModel(Calm(6, 2), TASK, encoding=ZETA).eval()
    batch = model.prepare(TASK.graph, TASK.test.sets[:5]).batch(np.arange(5))
    share = torch.softmax(model.net(batch), dim=1)[:, 1]
    torch.testing.assert_close(torch.sigmoid(model(batch)), share)


def test_several_classes_sizes_attributes_and_side_by_side_columns() -> None:
    rng = np.random.default_rng(0)
    G = KARATE.with_attributes(rng.normal(size=(34, 2)) * 1000)
    sets = [tuple(sorted(rng.choice(34, 4, replace=False).tolist())) for _ in range(40)]
    task = de.set_task(G, list(dict.fromkeys(sets)), np.arange(len(set(sets))) % 3, remove_edges=False)
    model = de.PyGModel(Calm, task, encoding=de.SPD(max_dist=2, pool=None))
    assert model.net.first.in_channels == 1 + 2 + 4 * 4
    losses(model, 1, task)
    assert de.predict(model, G, [sets[0]]).shape == (1, 3)
    assert torch.equal(model.scale[3:].view(4, 4), model.scale[3:7].expand(4, 4))


def test_a_pairs_encoding_is_registered_for_pairs() -> None:
    de.register_model(de.PyGModel(Calm, encoding=de.DRNL(max_dist=3), hops=1, name="drnl"))
    assert MODELS["drnl"].sizes == (2,)


def lazy(features: int, outputs: int) -> nn.Module:
    return GraphSAGE(-1, 8, 2, outputs)


class PerNode(Calm):
    """Forgets to read out S."""

    def forward(self, batch):
        return self.out(self.first(batch.x, batch.edge_index))


class Peeks(Calm):
    """Looks at a weight while it is made."""

    def __init__(self, features: int, outputs: int) -> None:
        super().__init__(features, outputs)
        self.known = self.out.weight.sum().item()


WRONG = [
    (lambda: de.PyGModel(3, TASK), "torch.nn.Module"),
    (lambda: de.PyGModel(Net(6, 1)), r"de.PyGModel\(net, task\)"),
    (lambda: de.PyGModel(Net(6, 1), TASK, hyper={"hidden": de.Hyper(4)}), "hyper="),
    (lambda: de.PyGModel(Net, TASK, hyper={"hidden": 4}), r"hyper .*\{'hidden': 4\}"),
    (lambda: de.PyGModel(Net, TASK, hyper={"hops": de.Hyper(4)}), "hyper: 'hops'"),
    (lambda: de.PyGModel(Net, TASK, encoding="SPD"), "encoding .*'SPD'"),
    (lambda: de.PyGModel(Net, TASK, hops=0), "hops must be a whole number"),
    (lambda: de.PyGModel(Net, TASK, max_nodes_per_hop=0), "max_nodes_per_hop must be a whole number"),
    (lambda: de.PyGModel(Net, KARATE), "PyGModel needs a task, such as .*, not Graph"),
    (
        lambda: de.PyGModel(Net(5, 1), TASK, encoding=ZETA),
        r"shapes cannot be multiplied.*features = 6, the columns of x",
    ),
    (
        lambda: de.PyGModel(Net(6, 3), TASK, encoding=ZETA),
        r"returned torch.float32 \[2, 3\] for 2 sets.*shape \[2, 1\]",
    ),
    (lambda: de.PyGModel(PerNode, TASK), r"It has a row for each node: read out S, x\[batch.target_index\]"),
    (lambda: de.PyGModel(lazy, TASK), r"lazy layers \(in_channels=-1\).*features = 1"),
    (lambda: de.PyGModel(GraphSAGE, TASK), r"missing 1 required positional argument.*made as net\(features, outputs\)"),
    (lambda: de.PyGModel(lambda features, outputs: 3, TASK), "returned int; return a torch.nn.Module"),
    (lambda: de.register_model(de.PyGModel(Peeks)), "nothing may look at the values of its weights while it is"),
    (lambda: de.register_model(Net), "de.PyGModel"),
    (lambda: de.fit(Net(6, 1), TASK), r"fit needs a model made by de.build, not Net.*de.PyGModel\(net, task\)"),
]


@pytest.mark.parametrize(("call", "words"), WRONG, ids=[words[:30] for _, words in WRONG])
def test_what_is_wrong_is_said_with_what_to_do(call, words: str) -> None:
    with pytest.raises(ParameterError, match=words):
        call()


def test_sets_that_an_encoding_does_not_take_and_saving_unregistered(tmp_path: Path) -> None:
    with pytest.raises(TargetError, match="DRNL is defined for pairs; this target set has 1 node"):
        de.PyGModel(Net, de.role_task(KARATE), encoding=de.DRNL(max_dist=3))
    words = r"register_model\(PyGModel\(Net, encoding=SPD\(pool='mean', max_dist=3\)\), name='Net'\)"
    with pytest.raises(ParameterError, match=words):
        de.save(de.PyGModel(Net, TASK, encoding=ZETA), tmp_path / "m.safetensors")
    with pytest.raises(ParameterError, match=r"register_model\(PyGModel\(a function that makes Net\), name='Net'\)"):
        de.save(de.PyGModel(Net(1, 1), TASK), tmp_path / "m.safetensors")


def test_every_batch_has_draws_of_its_own() -> None:
    drawn = []

    class Draws(Calm):
        def forward(self, batch):
            if self.training:
                drawn.append(float(torch.rand(())))
            return super().forward(batch)

    losses(de.PyGModel(Draws, TASK), 2, batch_size=32)
    assert len(drawn) == len(set(drawn)) == 2 * -(-len(TASK.train) // 32)
