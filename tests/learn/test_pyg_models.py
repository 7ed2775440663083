"""Networks written for PyG as models: what they are given, their seeds and shapes, and every place that knows them."""

from __future__ import annotations

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
from degnn_explore.learn.fingerprint import fingerprint
from degnn_explore.learn.registry import MODELS
from degnn_explore.pyg import TargetSetLoader
from degnn_explore.studies.executors import pack_model, unpack_model
from degnn_explore.studies.race import RaceSetup

from .small_nets import only_here  # noqa: F401 (a fixture)

KARATE = de.load("karate")
TASK, ROLES = de.link_task(KARATE), de.role_task(KARATE)
ZETA = de.SPD(max_dist=3)
PAIRS = TASK.test.sets[:5]


class Calm(nn.Module):
    """Two convolutions and the mean over S; nothing is drawn at random."""

    def __init__(self, features: int, outputs: int, hidden: int = 8) -> None:
        super().__init__()
        self.first, self.second = GCNConv(features, hidden), GCNConv(hidden, hidden)
        self.out = nn.Linear(hidden, outputs)

    def forward(self, batch: Any) -> torch.Tensor:
        h = self.second(self.first(batch.x, batch.edge_index).relu(), batch.edge_index).relu()
        return self.out(h[batch.target_index].view(batch.num_graphs, -1, h.shape[1]).mean(dim=1))


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
    losses(model, 1)
    batch, wanted = batch_of(model), next(iter(TargetSetLoader(TASK.graph, PAIRS, **how)))
    model.eval()(batch)
    assert torch.equal(batch.x, wanted.x)  # the caller's stays as it is
    for field in ("edge_index", "batch", "ptr", "target_index", "node", "distance"):
        assert torch.equal(seen[-1][field], wanted[field])
    torch.testing.assert_close(seen[-1].x, wanted.x * model.scale)
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

    pooled = made(Pooled, task=ROLES)
    assert pooled(batch_of(pooled, ROLES.test.sets)).shape == (len(ROLES.test),)


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


# ---- seeds -----------------------------------------------------------------------------------------------------------


def test_weights_and_draws_follow_the_seeds_and_the_callers_stay() -> None:
    """Every batch of every epoch has draws of its own; without fit they are the caller's."""
    drawn = []

    class Draws(Calm):
        def forward(self, batch: Any) -> torch.Tensor:
            if self.training:
                drawn.append(torch.rand(()).item())
            return super().forward(batch)

    def draws(seed: int) -> list[float]:
        drawn.clear()
        before = torch.get_rng_state()
        losses(made(Draws), seed=seed, batch_size=16)
        assert torch.equal(before, torch.get_rng_state())
        return list(drawn)

    first, other, again = draws(4), draws(5), draws(4)
    assert first == again and len({*first, *other}) == 4 * -(-len(TASK.train) // 16)
    torch.manual_seed(3)
    made(Draws)(batch_of(made()))
    assert drawn[-1] == torch.rand((), generator=torch.Generator().manual_seed(3)).item()
    weights = [made(seed=seed).net.out.weight for seed in (5, 5, 6)]
    assert torch.equal(*weights[:2]) and not torch.equal(*weights[1:])
    net = Calm(6, 1)
    before = net.out.weight.clone()
    losses(model := made(net), 1)  # a trained network is trained further
    assert model.net is net and not torch.equal(net.out.weight, before) and made(net).training


# ---- everywhere ------------------------------------------------------------------------------------------------------


def test_it_is_registered_by_what_makes_it_and_known_everywhere(tmp_path: Path) -> None:
    kind = de.PyGModel(Calm, encoding=ZETA, hops=1, hyper={"hidden": de.Hyper(8, least=1)})
    de.register_model(kind, name="mine", group="distance encoding")
    entry = MODELS["mine"]
    assert entry.about == "Calm of PyG with SPD(pool='mean', max_dist=3)" and entry.sizes is None
    assert de.models().loc["mine", "hyperparameters"] == {"hops": 1, "max_nodes_per_hop": None, "hidden": 8}
    model = de.build("mine", TASK, hidden=5, hops=2)
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
    assert de.tune(TASK, minutes=0.001, models=["mine"], epochs=1).tried["mine"][0][0] == {}
    setup = RaceSetup(KARATE, "links", ["mine", "DEA-GNN-SPD"], settings={"hops": 3})
    assert setup.spec("mine").settings == {} and setup.spec("DEA-GNN-SPD").settings == {"hops": 3}


def test_a_kind_is_called_and_sized_as_its_network_and_encoding_and_marked_by_its_code() -> None:
    de.register_model(de.PyGModel(Calm, encoding=de.DRNL(max_dist=3), hops=1))
    de.register_model(de.PyGModel(lambda features, outputs: Calm(features, outputs), hops=1, name="mine"), sizes=(1,))
    assert MODELS["Calm"].sizes == (2,) and MODELS["mine"].about == "<lambda> of PyG"
    assert (made(name="theirs").name, made().name) == ("theirs", "Calm")
    assert made(lambda features, outputs: Calm(features, outputs)).name == "PyG model"
    kinds = [(partial(Calm, hidden=3), ZETA), (partial(Calm, hidden=4), ZETA), (Calm, de.SPD(max_dist=4)), (Calm, None)]
    first, again = ([fingerprint(de.PyGModel(net, encoding=zeta)) for net, zeta in kinds] for _ in range(2))
    assert first == again and len({*first}) == len(kinds)


@pytest.mark.parametrize(("zeta", "horizon"), [(None, 1), (ZETA, 1), (de.SPD(max_dist=6), 3)])
def test_it_is_explained_exactly(zeta: Any, horizon: int) -> None:
    model = made(encoding=zeta, hops=1)
    losses(model)
    assert model.horizon == horizon
    why, batch = de.explain(model, TASK.graph, {0, 9}), batch_of(model, np.array([[0, 9]]))
    for u, v, without in why.edges[["u", "v", "score_without"]].head(5).itertuples(index=False):
        left_out = TASK.graph.without_edges([(int(u), int(v))])
        assert de.predict(model, left_out, [{0, 9}])[0] == pytest.approx(without, abs=1e-5)
    assert why.rings.ring.tolist() == ([] if zeta is None else ["all", 0, 1])
    for ring, nodes, without in why.rings[["ring", "nodes", "score_without"]].itertuples(index=False):
        blank = batch.distance >= 0 if ring == "all" else batch.distance == ring
        changed = batch.clone()
        changed.x = torch.where(blank[:, None] & (torch.arange(batch.x.shape[1]) > 0), batch.x.mean(dim=0), batch.x)
        assert torch.sigmoid(model(changed)).item() == pytest.approx(without, abs=1e-5) and nodes == int(blank.sum())
    sampled = made(encoding=zeta, max_nodes_per_hop=3)
    assert sampled.horizon is None and len(de.explain(sampled, TASK.graph, {0, 9}, most=2).rings) == 0


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


WRONG = [
    (lambda: de.PyGModel(3, TASK), r"needs a torch\.nn\.Module"),
    (lambda: de.PyGModel(de.build("GCN", TASK), TASK), r"needs a torch\.nn\.Module"),
    (lambda: made(Calm(6, 1), hyper={"hidden": de.Hyper(4)}), r"hyper= is for what"),
    (lambda: made(hyper={"hidden": 4}), r"hyper .*\{'hidden': 4\}"),
    (lambda: made(hyper={"hops": de.Hyper(4)}), "hyper: 'hops'"),
    (lambda: made(encoding="SPD"), "encoding .*'SPD'"),
    (lambda: made(hops=0), "hops must be a whole number from 1 to 100"),
    (lambda: made(hops=101), "hops must be a whole number from 1 to 100"),
    (lambda: made(max_nodes_per_hop=0), "max_nodes_per_hop must be a whole number"),
    (lambda: made(seed=-1), "seed must be a whole number"),
    (lambda: de.PyGModel(Calm, KARATE), "PyGModel needs a task, such as .*, not Graph"),
    (lambda: made(Calm(5, 1)), r"shapes cannot be multiplied.*features = 6, the columns of x"),
    (lambda: made(Calm(6, 3)), r"returned torch.float32 \[2, 3\] for 2 sets.*shape \[2, 1\]"),
    (lambda: made(PerNode), r"a row for each node: read out S, x\[batch\.target"),
    (lambda: made(lambda features, outputs: GraphSAGE(-1, 8, 2, outputs), encoding=None), r"lazy layers.*= 1 here"),
    (lambda: made(GraphSAGE), r"missing 1 required.*made as net\(features, outputs\)"),
    (lambda: made(lambda features, outputs: 3), r"returned int; return a torch\.nn\.Module"),
    (lambda: de.register_model(de.PyGModel(Peeks)), "nothing may look at the values"),
    (lambda: de.fit(Calm(6, 1), TASK), r"not Calm.*de\.PyGModel\(net, task\)"),
    (lambda: made(task=ROLES, encoding=de.DRNL(max_dist=3)), "DRNL is defined for pairs; this target set has 1 node"),
    (
        lambda: de.save(made(), "model"),
        r"register_model\(PyGModel\(Calm, encoding=SPD\(pool='mean', max_dist=3\)\), name='Calm'\)",
    ),
    (
        lambda: de.save(made(Calm(1, 1), encoding=None), "model"),
        r"register_model\(PyGModel\(a function that makes Calm\), name='Calm'\)",
    ),
]


@pytest.mark.parametrize(("call", "words"), WRONG)
def test_what_is_wrong_is_said_with_what_to_do(call: Any, words: str) -> None:
    with pytest.raises((ParameterError, TargetError), match=words):
        call()
