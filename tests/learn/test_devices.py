"""On an accelerator: the CPU's numbers, few transfers, data that fit and data that do not, too little memory.

The pretend device stands in for one; where there is a real one, the same is asked of it.
"""

from __future__ import annotations

import numpy as np
import pytest
import torch

import degnn_explore as de
from degnn_explore.engine import placing
from degnn_explore.engine.egonets import blocks, ego_networks
from degnn_explore.engine.placing import Placed
from degnn_explore.learn import devices, predicting
from degnn_explore.learn.nets import block_nets
from degnn_explore.learn.registry import MODELS
from tests import pretend_device as pretend
from tests.learn.test_training import EVERY, TASK, G, numbers, small, small_world

REAL = "cuda" if torch.cuda.is_available() else "mps" if torch.backends.mps.is_available() else ""
real = pytest.param(
    REAL,
    marks=[
        pytest.mark.gpu,
        pytest.mark.skipif(not REAL, reason="needs a CUDA or MPS device, and this machine has none"),
    ],
)
DEVICES = ["pretend", real]
TOLERANCE = {"pretend": 1e-6, "cuda": 1e-3, "mps": 1e-3}  # of a loss, against the CPU's
ROLES = de.role_task(small_world(80).with_labels(np.arange(80) % 4))
TRIANGLES = de.triangle_task(G)


def near(device: str, there: list[de.Epoch], here: list[de.Epoch]) -> None:
    assert [e.loss for e in there] == pytest.approx([e.loss for e in here], abs=TOLERANCE[device])
    if device == "pretend":
        assert [e.test for e in there] == [e.test for e in here]


# ---- the same numbers ---------------------------------------------------------------------------


@pytest.mark.parametrize("device", DEVICES)
@pytest.mark.parametrize("name", EVERY)
def test_every_model_trains_to_the_numbers_of_the_cpu(name, device):
    hyper = {} if name == "struc2vec" else {"dropout": 0.0}  # another device draws other entries
    here, there = (list(de.fit(small(name, **hyper), TASK, epochs=2, device=d)) for d in ("cpu", device))
    near(device, there, here)


@pytest.mark.parametrize("device", DEVICES)
@pytest.mark.parametrize(
    ("task", "name"),
    [
        pytest.param(task, name, id=f"{task.kind}-{name}")
        for task in (ROLES, TRIANGLES)
        for name in EVERY
        if MODELS[name].takes(task.p)
    ],
)
def test_every_task_trains_to_the_numbers_of_the_cpu(name, task, device):
    deep = {"layers": 3} if name in ("GIN", "DEA-GNN-SPD", "DEA-GNN-PR") else {}
    hyper = {} if name == "struc2vec" else {"dropout": 0.0, **deep}
    here, there = (list(de.fit(small(name, task, **hyper), task, epochs=2, device=d)) for d in ("cpu", device))
    near(device, there, here)


@pytest.mark.parametrize("device", DEVICES)
@pytest.mark.parametrize("name", ["DE-GNN-SPD", "SEAL"])
def test_dropout_draws_on_the_device_by_the_seed(name, device):
    first, again, other = (
        numbers(list(de.fit(small(name, dropout=0.5), TASK, epochs=2, seed=seed, device=device))) for seed in (5, 5, 6)
    )
    assert first == again
    assert first != other
    assert first != numbers(list(de.fit(small(name, dropout=0.0), TASK, epochs=2, seed=5, device=device)))


@pytest.mark.parametrize("device", DEVICES)
@pytest.mark.parametrize("name", EVERY)
def test_a_run_resumes_and_its_model_is_judged_on_the_device(tmp_path, name, device):
    def run(epochs, **how):
        model = small(name)
        return list(de.fit(model, TASK, epochs=epochs, device=device, **how)), model

    whole, model = run(4)
    run(2, checkpoint=tmp_path / "run", checkpoint_every=0)
    resumed, again = run(4, checkpoint=tmp_path / "run")
    near(device, resumed, whole)
    sets = TASK.test.sets
    there, here = (de.predict(again, TASK.graph, sets, device=d) for d in (device, "cpu"))
    np.testing.assert_allclose(there, here, atol=1e-4)
    loaded = de.load_model(de.save(model.to(device), tmp_path / "model.safetensors"))
    np.testing.assert_allclose(de.predict(loaded, TASK.graph, sets, device=device), there, atol=1e-4)


# ---- where the data are -------------------------------------------------------------------------


def transfers(model, task, epochs=2, **how) -> dict[str, int]:
    """Of the last epoch."""
    for _ in de.fit(model, task, epochs=epochs, device="pretend", **how):
        counted = dict(pretend.counts)
        pretend.reset()
    return counted


# NCN asks which pairs are links
@pytest.mark.parametrize("name", [name for name in EVERY if name != "NCN"])
def test_after_the_first_epoch_only_the_order_goes_there_and_three_tensors_come_back(name):
    model = small(name)
    counted = transfers(model, TASK, batch_size=8)
    signs = 4 * len(model.scale) if name == "DE-GNN-LapPE" else 0  # drawn for each epoch
    assert counted["to_device"] == (2 if signs else 1)
    assert counted["bytes_to_device"] == 8 * len(TASK.train) + signs
    assert counted["to_host"] == 3  # losses, logits of the pass, logits of what was held out


@pytest.mark.parametrize("name", ["DE-GNN-SPD", "DEA-GNN-SPD", "SEAL", "PGNN", "DEA-GNN-PR"])
def test_data_that_do_not_fit_are_streamed_to_the_same_numbers(name, monkeypatch):
    here = list(de.fit(small(name, dropout=0.0), TASK, epochs=2, batch_size=16, device="cpu"))
    monkeypatch.setattr(placing, "SHARE", 0)
    model = small(name, dropout=0.0)
    near("pretend", list(de.fit(model, TASK, epochs=2, batch_size=16, device="pretend")), here)
    assert model.placement.where == "streamed"
    assert transfers(small(name), TASK, batch_size=16)["to_host"] == 3


@pytest.mark.parametrize(("name", "kept"), [("DE-GNN-SPD", 60_000), ("DEA-GNN-SPD", 100_000)])
@pytest.mark.parametrize("device", ["cpu", "pretend"])
def test_data_that_are_not_even_kept_in_memory_train_to_the_same_numbers(name, kept, device, monkeypatch, caplog):
    here = list(de.fit(small(name, dropout=0.0), TASK, epochs=2, batch_size=16, device="cpu"))
    monkeypatch.setattr(block_nets, "budget", lambda: kept)
    model = small(name, dropout=0.0)
    there = list(de.fit(model, TASK, epochs=2, batch_size=16, device=device))
    assert "more than is kept in memory" in caplog.text and model.placement.where == "streamed"
    near("pretend", there, here)


@pytest.mark.parametrize("aggregation", ["gcn", "mean", "sum", "hops"])
def test_a_batch_gathered_there_is_the_batch_of_the_cpus_kernels(aggregation):
    how = {"layers": 3, "hops": 2 if aggregation == "hops" else 1, "encoding": de.SPD(max_dist=80)}  # wide
    data = blocks(G, TASK.train.sets, aggregation=aggregation, progress=False, **how)
    index = np.random.default_rng(0).permutation(len(data))[:20]
    table = data.table()
    there, here = table.batch(torch.from_numpy(index), index), data.batch(index)
    assert torch.equal(there.x_self, here.x_self)
    assert torch.equal(there.x_agg, here.x_agg)
    for ours, kernels in zip(there.steps, here.steps, strict=True):
        assert torch.equal(ours.self_index, kernels.self_index)
        for name in ("ptr", "col", "weight"):
            assert torch.equal(getattr(ours, name), getattr(kernels, name)), name
        assert all(map(torch.equal, ours.transpose(), kernels.back))


def test_pyg_batches_reach_a_device_one_by_one():
    egos = ego_networks(G, TASK.train.sets, hops=1, progress=False)
    placed = Placed(egos, "pretend")
    found = [batch.x for _, batch in placed.batches(placed.order(np.arange(6)), [4, 2])]
    assert [x.device.type for x in found] == ["pretend"] * 2
    assert torch.equal(torch.cat([x.cpu() for x in found]), egos.batch(np.arange(6)).x)


def test_a_batch_that_mixes_devices_is_refused_by_the_pretend_one():
    with pytest.raises(RuntimeError, match="mixed"):
        torch.ones(2, device="pretend") + torch.ones(2)


# ---- what is chosen, and said -------------------------------------------------------------------


def test_auto_is_the_best_device(monkeypatch):
    monkeypatch.setattr(devices, "best_device", lambda: "pretend")
    model = small("DE-GNN-SPD")
    run = list(de.fit(model, TASK, epochs=2))
    assert (model.placement.device, model.placement.where) == ("pretend", "resident")
    near("pretend", run, list(de.fit(small("DE-GNN-SPD"), TASK, epochs=2, device="cpu")))


@pytest.mark.parametrize("training", [True, False])
def test_a_model_that_is_asked_or_explained_stays_where_and_as_it_was(training):
    model = small("DE-GNN-SPD")
    list(de.fit(model, TASK, epochs=1, device="cpu"))
    model.train(training)
    model.readout.eval()
    before = {name: tensor.clone() for name, tensor in model.state_dict().items()}
    de.predict(model, TASK.graph, TASK.test.sets, device="pretend")
    de.explain(model, TASK.graph, TASK.test.sets[0].tolist(), most=3, progress=False)
    assert model.training == training and not model.readout.training and model.dropout.training == training
    assert all(torch.equal(tensor, before[name]) for name, tensor in model.state_dict().items())  # and on the CPU
    model.to("pretend")
    de.predict(model, TASK.graph, TASK.test.sets, device="cpu")
    assert {tensor.device.type for tensor in model.parameters()} == {"pretend"}


# ---- asking -------------------------------------------------------------------------------------


def test_many_sets_stream_through_a_device_in_slabs(monkeypatch):
    monkeypatch.setattr(predicting, "_SLAB", 16)
    model, sets = small("DE-GNN-SPD"), np.concatenate([TASK.train.sets, TASK.test.sets])
    here = de.predict(model, TASK.graph, sets, device="cpu")
    pretend.reset()
    np.testing.assert_allclose(de.predict(model, TASK.graph, sets, device="pretend"), here, atol=1e-6)
    slabs, weights = -(-len(sets) // 16), len(model.state_dict())  # the model is taken back to where it was
    assert pretend.counts["to_host"] == slabs + weights
    assert np.array_equal(here, de.predict(model, TASK.graph, [set(S) for S in sets.tolist()], device="cpu"))


@pytest.mark.parametrize("device", DEVICES)
@pytest.mark.parametrize("name", [name for name in EVERY if name != "struc2vec"])  # which says why it cannot be
def test_a_model_from_a_device_is_explained(name, device):
    model = small(name, dropout=0.0)
    list(de.fit(model, TASK, epochs=1, device=device))
    S = TASK.test.sets[0].tolist()
    there = de.explain(model, TASK.graph, S)
    assert there.score == pytest.approx(de.predict(model, TASK.graph, [S], device="cpu")[0], abs=1e-4)
    here = de.explain(model.cpu(), TASK.graph, S)
    np.testing.assert_allclose(there.edges["change"], here.edges["change"], atol=1e-4)
    assert there.score == pytest.approx(here.score, abs=1e-4)
