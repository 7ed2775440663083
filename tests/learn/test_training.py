"""The training loop: no leaks, the same numbers twice, stopping, resuming, predicting."""

from __future__ import annotations

import gc
import inspect
import json
import subprocess
import sys
import threading
import warnings
from dataclasses import asdict, replace

import numpy as np
import pytest
import torch

import degnn_explore as de
from degnn_explore.common.errors import ParameterError, TargetError
from degnn_explore.common.progress import watching
from degnn_explore.learn import metrics, registry, training
from degnn_explore.learn.nets import block_nets
from degnn_explore.learn.training import Epoch

SMALL = {
    "struc2vec": {"dim": 8, "walks": 2, "length": 10},
    "PGNN": {"anchor_sets": 8, "hidden": 8},
    "SEAL": {"sort_k": 12, "hidden": 8},
}
EVERY = [name for name in registry.MODELS if not registry.is_heuristic(name)]


def small_world(n: int = 60, seed: int = 0) -> de.Graph:
    rng = np.random.default_rng(seed)
    ring = [(i, (i + s) % n) for i in range(n) for s in (1, 2)]
    return de.Graph.from_edges([*ring, *rng.integers(n, size=(n // 4, 2)).tolist()])


G = small_world()
TASK = de.link_task(G)


def small(name: str, task: de.Task = TASK, seed: int = 0, **hyper):
    return de.build(name, task, seed=seed, **{**SMALL.get(name, {"hidden": 8}), **hyper})


def numbers(run: list[Epoch]) -> list[dict]:
    return [{**asdict(epoch), "seconds": 0} for epoch in run]


# ---- what comes out ---------------------------------------------------------------------------


@pytest.mark.parametrize("name", EVERY)
def test_every_model_learns(name):
    run = list(de.fit(small(name), TASK, epochs=6, learning_rate=1e-2))
    assert [epoch.number for epoch in run] == [1, 2, 3, 4, 5, 6]
    assert run[-1].loss < run[0].loss
    for epoch in run:
        for part in (epoch.train, epoch.val, epoch.test):
            assert set(part) == {"accuracy", "auc"}
            assert all(0 <= value <= 1 for value in part.values())
        assert epoch.metric == "auc"
        assert epoch.seconds > 0


def test_roles_with_four_classes():
    graph = small_world(80).with_labels(np.arange(80) % 4)
    task = de.role_task(graph)
    run = list(de.fit(small("DE-GNN-LP", task), task, epochs=2))
    assert run[0].metric == "accuracy"
    assert de.summarize(run).metric == "accuracy"


def test_distance_encoding_beats_the_plain_network_where_1wl_is_blind():
    """Nodes of triangles against nodes of hexagons: every degree is 2."""
    edges, labels = [], []
    for i in range(20):
        base = 12 * i
        edges += [(base + a, base + b) for a, b in ((0, 1), (1, 2), (2, 0), (3, 4), (4, 5), (5, 3))]
        edges += [(base + 6 + j, base + 6 + (j + 1) % 6) for j in range(6)]
        labels += [0] * 6 + [1] * 6
    task = de.role_task(de.Graph.from_edges(edges, labels=labels))
    plain = list(de.fit(small("GCN", task, hidden=16), task, epochs=15, learning_rate=1e-2))
    aware = list(de.fit(small("DE-GNN-SPD", task, hidden=16), task, epochs=15, learning_rate=1e-2))
    assert plain[-1].test["accuracy"] == 0.5
    assert aware[-1].test["accuracy"] == 1.0


def test_summarize_chooses_on_validation_and_names_the_optimistic_figure():
    def epoch(number, val, test):
        return Epoch(number, 0.5, {}, {"auc": val}, {"auc": test}, 0.1)

    summary = de.summarize([epoch(1, 0.7, 0.9), epoch(2, 0.8, 0.6), epoch(3, 0.8, 0.7), epoch(4, 0.6, 0.95)])
    assert (summary.epoch, summary.test) == (2, 0.6)  # the first of equals
    assert (summary.optimistic_epoch, summary.optimistic) == (4, 0.95)


def test_metrics_agree_with_scikit_learn():
    from sklearn.metrics import accuracy_score, average_precision_score, roc_auc_score

    rng = np.random.default_rng(0)
    labels = rng.integers(2, size=200)
    logits = rng.normal(size=200).round(1)  # with ties
    ours = metrics.metrics(logits, labels)
    assert ours["auc"] == pytest.approx(roc_auc_score(labels, logits))
    assert ours["accuracy"] == pytest.approx(accuracy_score(labels, logits > 0))
    assert metrics.average_precision(logits, labels) == pytest.approx(average_precision_score(labels, logits))
    labels, logits = rng.integers(4, size=200), rng.normal(size=(200, 4))
    ours = metrics.metrics(logits, labels)
    assert ours["auc"] == pytest.approx(roc_auc_score(labels, metrics.probabilities(logits), multi_class="ovr"))
    assert ours["accuracy"] == pytest.approx(accuracy_score(labels, logits.argmax(axis=1)))


def test_metrics_of_one_class_are_not_numbers():
    assert np.isnan(metrics.auc(np.array([0.1, 0.2]), np.array([1, 1])))
    assert np.isnan(metrics.average_precision(np.array([0.1, 0.2]), np.array([0, 0])))


# ---- nothing leaks ----------------------------------------------------------------------------


@pytest.mark.parametrize("name", EVERY)
def test_shuffling_the_held_out_part_of_the_graph_changes_no_training_number(name):
    """Other edges in place of the held-out ones: same inputs, same losses, same training metrics."""
    rng = np.random.default_rng(1)
    held_out = np.concatenate([part.sets[part.labels == 1] for part in (TASK.val, TASK.test)])
    kept = {tuple(e) for e in TASK.graph.edges.tolist()}
    taken = kept | {tuple(s) for s in np.concatenate([TASK.train.sets, TASK.val.sets, TASK.test.sets]).tolist()}
    others = [(u, v) for u in range(60) for v in range(u + 1, 60) if (u, v) not in taken]
    moved = rng.permutation(others)[: len(held_out)]
    shuffled = de.Graph.from_edges([*kept, *map(tuple, moved.tolist())], 60)
    parts, at = [], 0
    for part in (TASK.val, TASK.test):
        sets, count = part.sets.copy(), int(part.labels.sum())
        sets[part.labels == 1] = moved[at : at + count]
        at += count
        parts.append(replace(part, sets=sets))
    other = replace(TASK, full_graph=shuffled, graph=shuffled.without_edges(moved), val=parts[0], test=parts[1])
    assert not np.array_equal(shuffled.edges, G.edges)

    def training_numbers(task):
        return [(e.loss, e.train) for e in de.fit(small(name, task), task, epochs=2, patience=None)]

    assert training_numbers(TASK) == training_numbers(other)


# ---- the same numbers twice -------------------------------------------------------------------


@pytest.mark.parametrize("name", EVERY)
def test_the_same_seed_gives_the_same_numbers(name):
    hyper = {} if name == "struc2vec" else {"dropout": 0.2}
    first = numbers(list(de.fit(small(name, **hyper), TASK, epochs=2, seed=5)))
    torch.manual_seed(99)  # torch's own state does not matter
    assert numbers(list(de.fit(small(name, **hyper), TASK, epochs=2, seed=5))) == first
    assert numbers(list(de.fit(small(name, **hyper), TASK, epochs=2, seed=6))) != first


SCRIPT = """
import json, sys
from dataclasses import asdict
sys.path.insert(0, {root!r})
import degnn_explore as de
from tests.learn.test_training import TASK, small, numbers
print(json.dumps([numbers(list(de.fit(small(name), TASK, epochs=2))) for name in {names!r}]))
"""


def test_another_process_gives_the_same_numbers():
    names = ["DE-GNN-SPD", "SEAL", "struc2vec", "PGNN"]
    here = [numbers(list(de.fit(small(name), TASK, epochs=2))) for name in names]
    root = str(__import__("pathlib").Path(__file__).parents[2])
    out = subprocess.run(
        [sys.executable, "-c", SCRIPT.format(root=root, names=names)],
        capture_output=True,
        text=True,
        check=True,
        env={**__import__("os").environ, "PYTHONHASHSEED": "77"},
    )
    assert json.loads(out.stdout) == json.loads(json.dumps(here))


def test_two_fits_in_two_threads_do_not_disturb_each_other():
    alone = numbers(list(de.fit(small("DE-GNN-SPD", dropout=0.3), TASK, epochs=5)))
    runs: dict[int, list] = {}

    def work(i):
        runs[i] = numbers(list(de.fit(small("DE-GNN-SPD", dropout=0.3), TASK, epochs=5)))

    threads = [threading.Thread(target=work, args=(i,)) for i in range(2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert runs[0] == runs[1] == alone


@pytest.fixture
def two_threads():
    before = torch.get_num_threads()
    torch.set_num_threads(2)
    yield
    torch.set_num_threads(before)


def test_torch_threads_are_as_before_between_and_after_epochs(two_threads):
    for _ in de.fit(small("GCN"), TASK, epochs=2):
        assert torch.get_num_threads() == 2
    assert torch.get_num_threads() == 2


def test_the_number_of_threads_is_the_one_asked_for(monkeypatch):
    model, seen = small("GCN"), set()
    forward = model.forward
    monkeypatch.setattr(model, "forward", lambda batch: seen.add(torch.get_num_threads()) or forward(batch))
    list(de.fit(model, TASK, epochs=1, num_threads=3))
    assert seen == {3}


@pytest.mark.parametrize("name", EVERY)
def test_another_number_of_threads_changes_the_last_digits_at_most(name):
    one, two = (list(de.fit(small(name), TASK, epochs=2, num_threads=number)) for number in (1, 2))
    assert [e.loss for e in one] == pytest.approx([e.loss for e in two], abs=1e-5)


def test_dropout_is_off_and_nothing_is_learned_where_a_model_is_judged(monkeypatch):
    model, modes = small("DE-GNN-SPD", dropout=0.5), []
    forward = model.forward
    monkeypatch.setattr(
        model, "forward", lambda batch: modes.append((model.training, torch.is_grad_enabled())) or forward(batch)
    )
    (epoch,) = de.fit(model, TASK, epochs=1)
    assert set(modes) == {(True, True), (False, False)}
    model.train()
    share = de.predict(model, TASK.graph, TASK.val.sets)
    assert metrics.metrics(np.log(share / (1 - share)), TASK.val.labels) == pytest.approx(epoch.val)
    assert np.array_equal(share, de.predict(model, TASK.graph, TASK.val.sets))


def test_each_epoch_drops_other_entries_and_the_same_ones_in_another_run(monkeypatch):
    def masks(seed):
        model, dropped = small("DE-GNN-SPD", dropout=0.5), []
        drop = model.dropout.forward

        def seen(h):
            if model.training:
                dropped.append((drop(torch.ones_like(h)) == 0).flatten()[:200])
            return h

        monkeypatch.setattr(model.dropout, "forward", seen)
        list(de.fit(model, TASK, epochs=3, seed=seed, batch_size=10_000))
        return torch.stack(dropped[::2])  # the first layer, once an epoch

    first, again, other = masks(1), masks(1), masks(2)
    assert torch.equal(first, again)
    for one, two in ((first[0], first[1]), (first[1], first[2]), (first[0], first[2]), (first[0], other[0])):
        assert 60 < int((one != two).sum()) < 140  # as two draws of 200 coins


def test_each_epoch_has_another_order(monkeypatch):
    model, orders = small("GCN"), []
    data = model.prepare(TASK.graph, np.concatenate([TASK.train.sets, TASK.val.sets, TASK.test.sets]))
    batch = data.batch
    monkeypatch.setattr(model, "prepare", lambda *_, **__: data)
    monkeypatch.setattr(model, "calibrate", lambda *_: None)
    monkeypatch.setattr(data, "batch", lambda index, device="cpu": orders.append(index) or batch(index, device))
    list(de.fit(model, TASK, epochs=2, batch_size=10_000))
    first, judged, second, _ = orders
    assert sorted(first) == sorted(second) == list(range(len(TASK.train)))
    assert not np.array_equal(first, second)
    assert judged.tolist() == list(range(len(TASK.train), len(TASK.train) + len(TASK.val) + len(TASK.test)))


# ---- stopping and keeping ---------------------------------------------------------------------


def validation(model) -> float:
    share = de.predict(model, TASK.graph, TASK.val.sets)
    return metrics.auc(share, TASK.val.labels)


@pytest.mark.parametrize("leave_after", [None, 4])
def test_the_best_weights_are_restored_at_the_end_and_when_the_loop_is_left(leave_after):
    model, run = small("DE-GNN-SPD"), []
    fitting = de.fit(model, TASK, epochs=12, learning_rate=0.05, patience=None)
    for epoch in fitting:
        run.append(epoch)
        if epoch.number == leave_after:
            fitting.close()
            break
    best = max(epoch.val["auc"] for epoch in run)
    assert best > min(epoch.val["auc"] for epoch in run)
    assert validation(model) == pytest.approx(best)
    assert not model.training


def test_max_steps_ends_the_run_with_the_epoch_in_which_they_are_reached():
    a_pass = -(-len(TASK.train) // 16)
    run = {
        steps: numbers(list(de.fit(small("GCN"), TASK, epochs=3, batch_size=16, max_steps=steps)))
        for steps in (None, 1, a_pass, a_pass + 1, 100 * a_pass)
    }
    assert {steps: len(epochs) for steps, epochs in run.items()} == {
        None: 3,
        1: 1,
        a_pass: 1,
        a_pass + 1: 2,
        100 * a_pass: 3,
    }
    assert run[a_pass + 1] == run[None][:2]


def test_data_that_are_not_kept_in_memory_are_said_and_an_epoch_reports_its_progress(monkeypatch, caplog):
    kept = list(de.fit(small("DEA-GNN-SPD"), TASK, epochs=1, batch_size=16, progress=False))
    assert not caplog.records
    model, told = small("DEA-GNN-SPD"), []
    monkeypatch.setattr(block_nets, "budget", lambda: 100_000)
    monkeypatch.setattr(training, "_SECONDS_BETWEEN_REPORTS", 0.0)
    streamed = list(de.fit(model, TASK, epochs=1, batch_size=16, progress=lambda *now: told.append(now)))
    batches = -(-len(TASK.train) // 16)
    shares = [share for what, share in told if what == "DEA-GNN-SPD, an epoch"]
    assert shares == pytest.approx([i / batches for i in range(batches)])
    assert "more than is kept in memory" in caplog.text
    assert numbers(streamed) == numbers(kept)


EFFECTS = [
    {"seed": 1},
    {"batch_size": 8},
    {"optimizer": "sgd"},
    {"learning_rate": 0.02},
    {"weight_decay": 0.5},
    {"clip": 0.01},
    {"zero_grad": False},
]


@pytest.mark.parametrize("option", EFFECTS, ids=str)
def test_every_option_of_learning_changes_the_weights_and_its_default_does_not(option):
    def weights(**options):
        model = small("DE-GNN-SPD")
        list(de.fit(model, TASK, epochs=2, **options))
        return torch.cat([weight.detach().flatten() for weight in model.parameters()])

    (name,) = option
    usual = {"zero_grad": True}.get(name, inspect.signature(de.fit).parameters[name].default)
    plain = weights()
    assert torch.equal(plain, weights(**{name: usual}))
    assert not torch.allclose(plain, weights(**option), atol=1e-6)


def test_weight_decay_draws_the_weights_towards_zero():
    sizes = []
    for decay in (0.0, 1.0):
        model = small("GCN")
        list(de.fit(model, TASK, epochs=5, weight_decay=decay, optimizer="sgd", learning_rate=0.01))
        sizes.append(sum(float(weight.detach().square().sum()) for weight in model.parameters()))
    assert sizes[1] < 0.95 * sizes[0]


def test_the_loss_of_an_epoch_counts_every_set_once_also_in_a_small_last_batch():
    """With a rate of almost nothing, the loss of the epoch is that of all training sets at once."""
    size = len(TASK.train) // 2 + 3  # the last batch is smaller
    losses = [
        next(de.fit(small("GCN", dropout=0.0), TASK, epochs=1, batch_size=batch, learning_rate=1e-12)).loss
        for batch in (len(TASK.train), size)
    ]
    assert losses[0] == pytest.approx(losses[1], abs=1e-6) and type(losses[0]) is float


def test_the_epoch_is_chosen_on_what_was_asked_for():
    how = {"epochs": 12, "learning_rate": 0.05, "patience": None}
    task = de.link_task(de.load("celegans"), max_positives=200, seed=1)
    for choose_on in ("val", "test"):
        model = de.build("GCN", task, hidden=8)
        run = list(de.fit(model, task, choose_on=choose_on, **how))
        best = max(run, key=lambda epoch: getattr(epoch, choose_on)["auc"])
        scores = de.predict(model, task.graph, task.test.sets)
        assert metrics.auc(scores, task.test.labels) == pytest.approx(best.test["auc"], abs=1e-9)
    with pytest.raises(ParameterError, match="choose_on"):
        de.fit(model, task, choose_on="train")


@pytest.mark.parametrize("end", ["stop", "break", "finish"])
def test_a_model_is_in_eval_mode_whenever_a_run_ends(end):
    model, stop = small("DE-GNN-SPD"), threading.Event()
    with watching(stop=stop):
        for epoch in de.fit(model, TASK, epochs=3):
            if end == "stop":
                stop.set()
            if end == "break" or epoch.number == 3:
                break
    gc.collect()
    assert not any(module.training for module in model.modules())


def test_building_and_training_leave_the_random_state_of_the_caller():
    torch.manual_seed(3)
    before = torch.get_rng_state()
    list(de.fit(small("DE-GNN-SPD", dropout=0.5), TASK, epochs=1))
    assert torch.equal(torch.get_rng_state(), before)


def test_patience_ends_the_run():
    run = list(de.fit(small("DE-GNN-SPD"), TASK, epochs=60, learning_rate=0.05, patience=3))
    values = [epoch.val["auc"] for epoch in run]
    assert len(run) < 60
    assert int(np.argmax(values)) == len(run) - 4


@pytest.mark.parametrize("batches", [10, 20])  # in the middle of the second pass, and of the third
def test_a_stop_event_ends_the_run_within_a_batch(monkeypatch, batches):
    stop, model, calls = threading.Event(), small("DE-GNN-SPD"), []
    big = de.link_task(small_world(200))
    forward, learned = model.forward, -(-len(big.train) // 64)
    epoch = learned + 1  # and one batch judged

    def counted(batch):
        calls.append(model.training)
        if len(calls) == epoch + batches:
            stop.set()
        return forward(batch)

    monkeypatch.setattr(model, "forward", counted)
    with watching(stop=stop):
        run = list(de.fit(model, big, epochs=10_000, patience=None))
    assert calls[:epoch] == [True] * learned + [False]
    assert len(calls) == epoch + batches
    assert len(run) == 1 + batches // epoch


def test_a_stop_event_that_is_set_already_yields_nothing():
    stop = threading.Event()
    stop.set()
    with watching(stop=stop):
        assert list(de.fit(small("DE-GNN-SPD"), TASK)) == []


def test_a_loss_that_is_not_a_number_stops_with_its_cause():
    model = small("GIN")
    with torch.no_grad():
        next(model.parameters()).fill_(float("nan"))
    with pytest.raises(ParameterError, match=r"loss became nan in epoch 1; learning_rate=0\.001"):
        list(de.fit(model, TASK))


@pytest.mark.parametrize(("optimizer", "every"), [("adam", 0), ("adam", 3600), ("sgd", 1e-9)])
def test_a_run_that_was_left_goes_on_to_the_same_numbers(tmp_path, optimizer, every):
    options = {"epochs": 6, "seed": 2, "patience": None, "optimizer": optimizer, "learning_rate": 0.02}
    resuming = {"checkpoint": tmp_path / "run.ckpt", "checkpoint_every": every}
    whole_model = small("DE-GNN-SPD", dropout=0.2)
    whole = list(de.fit(whole_model, TASK, **options))
    kept = []
    for epoch in de.fit(small("DE-GNN-SPD", dropout=0.2), TASK, **resuming, **options):
        kept.append(epoch)
        if epoch.number == 3:
            break
    model = small("DE-GNN-SPD", dropout=0.2, seed=8)  # other weights, to be replaced
    resumed = list(de.fit(model, TASK, **resuming, **options))
    assert numbers(resumed) == numbers(whole)
    assert resumed[:3] == kept  # not trained again
    assert all(torch.equal(a, b) for a, b in zip(model.parameters(), whole_model.parameters(), strict=True))
    assert list(de.fit(small("DE-GNN-SPD", dropout=0.2), TASK, **resuming, **options)) == resumed  # the file has all


class AfterSoManyLooks(threading.Event):
    """A stop event that is set after it was looked at so many times: in the middle of an epoch."""

    def __init__(self, looks):
        super().__init__()
        self.left = looks

    def is_set(self):
        self.left -= 1
        return self.left < 0


@pytest.mark.parametrize("optimizer", ["adam", "sgd"])
def test_a_run_cancelled_within_an_epoch_goes_on_after_the_last_whole_one(tmp_path, optimizer):
    options = {"epochs": 6, "batch_size": 16, "patience": None, "optimizer": optimizer, "learning_rate": 0.02}
    whole_model = small("DE-GNN-SPD", dropout=0.2)
    never = AfterSoManyLooks(10**9)
    with watching(stop=never):
        whole = list(de.fit(whole_model, TASK, **options))
    path, cut_short = tmp_path / "run.ckpt", 0
    for looks in range(0, 10**9 - never.left, 13):
        path.unlink(missing_ok=True)
        run = de.fit(small("DE-GNN-SPD", dropout=0.2), TASK, checkpoint=path, checkpoint_every=3600, **options)
        with watching(stop=AfterSoManyLooks(looks)):
            done = list(run)
        cut_short += 0 < len(done) < 6
        assert path.exists() == bool(done)
        model = small("DE-GNN-SPD", dropout=0.2)
        resumed = list(de.fit(model, TASK, checkpoint=path, **options))
        assert resumed[: len(done)] == done
        assert numbers(resumed) == numbers(whole)
        assert all(torch.equal(a, b) for a, b in zip(model.parameters(), whole_model.parameters(), strict=True))
    assert cut_short >= 3


def test_a_run_that_fails_keeps_its_last_epoch(tmp_path):
    path, model = tmp_path / "run.ckpt", small("DE-GNN-SPD")
    with pytest.raises(ParameterError, match="loss became nan in epoch 2"):
        for _ in de.fit(model, TASK, epochs=3, checkpoint=path, checkpoint_every=3600):
            with torch.no_grad():
                next(model.parameters()).fill_(float("nan"))
    resumed = list(de.fit(small("DE-GNN-SPD"), TASK, epochs=3, checkpoint=path))
    assert numbers(resumed) == numbers(list(de.fit(small("DE-GNN-SPD"), TASK, epochs=3)))


def test_checkpoint_every_says_how_often_the_file_is_written(tmp_path):
    for every, at_once in ((0, True), (3600, False)):
        path = tmp_path / f"{every}.ckpt"
        run = de.fit(small("GCN"), TASK, epochs=2, checkpoint=path, checkpoint_every=every)
        next(run)
        assert path.exists() == at_once
        run.close()
        assert path.exists()


def test_a_killed_process_resumes(tmp_path):
    path = tmp_path / "run.ckpt"
    root = str(__import__("pathlib").Path(__file__).parents[2])
    script = f"""
import os, sys
sys.path.insert(0, {root!r})
import degnn_explore as de
from tests.learn.test_training import TASK, small
for epoch in de.fit(small("DE-GNN-SPD"), TASK, epochs=5, checkpoint={str(path)!r}, checkpoint_every=0):
    if epoch.number == 2:
        os.kill(os.getpid(), 9)
"""
    killed = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=False)
    assert killed.returncode == -9 and path.exists()
    resumed = list(de.fit(small("DE-GNN-SPD"), TASK, epochs=5, checkpoint=path))
    assert numbers(resumed) == numbers(list(de.fit(small("DE-GNN-SPD"), TASK, epochs=5)))


def test_a_checkpoint_of_another_run_is_refused(tmp_path):
    path = tmp_path / "run.ckpt"
    list(de.fit(small("GCN"), TASK, epochs=1, checkpoint=path))
    with pytest.raises(ParameterError, match="belongs to another run: its seed is 0, not 1"):
        list(de.fit(small("GCN"), TASK, epochs=1, seed=1, checkpoint=path))
    with pytest.raises(ParameterError, match="its name is 'GCN', not 'SAGE'"):
        list(de.fit(small("SAGE"), TASK, epochs=1, checkpoint=path))
    path.write_bytes(path.read_bytes()[:200])
    with pytest.raises(ParameterError, match="damaged"):
        list(de.fit(small("GCN"), TASK, epochs=1, checkpoint=path))


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"epochs": 0}, "epochs must be a whole number of at least 1, not 0"),
        ({"batch_size": 0}, "batch_size"),
        ({"learning_rate": 0}, "learning_rate must be a positive number, not 0"),
        ({"learning_rate": float("nan")}, "learning_rate"),
        ({"optimizer": "adm"}, "Did you mean 'adam'"),
        ({"patience": 0}, "patience"),
        ({"max_steps": 0}, "max_steps"),
        ({"max_steps": 2.5}, "max_steps"),
        ({"clip": -1}, "clip"),
        ({"device": "gpu7"}, "device='gpu7' cannot be used"),
        ({"weight_decay": -1}, "weight_decay"),
        ({"seed": -1}, "seed"),
        ({"num_threads": 10**9}, "num_threads must be a whole number from 1 to 256, not 1000000000"),
        ({"num_threads": 0}, "num_threads"),
        ({"batch_size": 2**63}, "batch_size must be a whole number"),
        ({"epochs": 10**400}, "epochs must be a whole number"),
        ({"seed": 2**300}, "seed must be a whole number"),
        ({"patience": 2**64}, "patience must be a whole number"),
        ({"checkpoint_every": -1}, "checkpoint_every must be 0 or a positive number"),
        ({"checkpoint_every": float("nan")}, "checkpoint_every"),
        ({"checkpoint_every": "often"}, "checkpoint_every"),
    ],
)
def test_bad_options_are_named_before_the_first_epoch(options, message):
    with pytest.raises(ParameterError, match=message):
        de.fit(small("GCN"), TASK, **options)


def test_a_model_for_another_task_is_named():
    with pytest.raises(ParameterError, match="built for p=2 and 2 classes, the task has p=3"):
        de.fit(small("GCN"), de.triangle_task(G))
    with pytest.raises(ParameterError, match="fit needs a model"):
        de.fit(torch.nn.Linear(2, 2), TASK)


# ---- predict ----------------------------------------------------------------------------------


def test_predict_gives_probabilities_of_named_sets_on_any_graph():
    names = [f"n{i}" for i in range(60)]
    named = de.Graph.from_edges(G.edges, 60, names=names)
    model = small("DE-GNN-SPD")
    list(de.fit(model, TASK, epochs=3))
    share = de.predict(model, named, [{"n3", "n9"}, ("n4", "n7"), [0, 1]])
    assert share.shape == (3,)
    assert ((share > 0) & (share < 1)).all()
    assert np.allclose(share, de.predict(model, G, [{3, 9}, {4, 7}, {0, 1}]))
    assert de.predict(model, small_world(90, seed=4), [{80, 85}]).shape == (1,)


def test_predict_gives_a_row_of_classes():
    task = de.role_task(small_world(80).with_labels(np.arange(80) % 4))
    share = de.predict(small("GCN", task), task.graph, [3, 5])
    assert share.shape == (2, 4)
    assert np.allclose(share.sum(axis=1), 1)


@pytest.mark.parametrize("name", ["PGNN", "struc2vec"])
def test_transductive_models_say_so(name):
    model = small(name)
    with pytest.raises(ParameterError, match="transductive and has not been trained"):
        de.predict(model, G, [{0, 1}])
    list(de.fit(model, TASK, epochs=1))
    assert de.predict(model, G, [{0, 1}]).shape == de.predict(model, TASK.graph, [{0, 1}]).shape == (1,)
    with pytest.raises(ParameterError, match="transductive: it knows the nodes of its training graph only"):
        de.predict(model, small_world(60, seed=9), [{0, 1}])


def test_predict_names_bad_sets():
    model = small("GCN")
    with pytest.raises(ParameterError, match=r"\[1, 2, 3\] has 3"):
        de.predict(model, G, [{1, 2, 3}])
    with pytest.raises(ParameterError, match="no set was given"):
        de.predict(model, G, [])
    with pytest.raises(TargetError, match="Node 99"):
        de.predict(model, G, [{1, 99}])


def test_a_checkpoint_of_another_graph_with_the_same_counts_is_refused(tmp_path):
    ring = de.Graph.from_edges([(i, (i + 1) % 40) for i in range(40)], labels=np.arange(40) % 2)
    star = de.Graph.from_edges([(0, i) for i in range(1, 40)] + [(1, 2)], labels=np.arange(40) % 2)
    first, second = de.role_task(ring), de.role_task(star)
    list(de.fit(small("GCN", first), first, epochs=2, checkpoint=tmp_path / "run"))
    with pytest.raises(ParameterError, match="belongs to another run: its task is"):
        list(de.fit(small("GCN", second), second, epochs=2, checkpoint=tmp_path / "run"))


def test_a_checkpoint_with_more_epochs_than_asked_for_is_refused(tmp_path):
    list(de.fit(small("GCN"), TASK, epochs=4, checkpoint=tmp_path / "run"))
    with pytest.raises(ParameterError, match="holds 4 epochs already, more than epochs=2"):
        list(de.fit(small("GCN"), TASK, epochs=2, checkpoint=tmp_path / "run"))
    assert len(list(de.fit(small("GCN"), TASK, epochs=4, checkpoint=tmp_path / "run"))) == 4


def test_a_place_that_cannot_be_written_to_is_told_before_training(tmp_path):
    with pytest.raises(ParameterError, match="There is no folder"):
        de.fit(small("GCN"), TASK, checkpoint=tmp_path / "none" / "run")
    with pytest.raises(ParameterError, match="is a folder"):
        de.fit(small("GCN"), TASK, checkpoint=tmp_path)


def test_a_model_that_left_the_finite_numbers_is_no_best_model():
    model = small("GCN")
    before = de.predict(model, G, [{0, 1}])
    with pytest.raises(ParameterError, match="no longer finite after epoch 1; learning_rate=1e\\+38 is probably too"):
        list(de.fit(model, TASK, epochs=1, learning_rate=1e38, clip=None, batch_size=10_000))
    assert np.isfinite(before).all()


def test_fits_at_once_leave_torchs_threads_as_they_were():
    before = torch.get_num_threads()
    fits = [threading.Thread(target=lambda: list(de.fit(small("GCN"), TASK, epochs=4))) for _ in range(3)]
    for one in fits:
        one.start()
    for one in fits:
        one.join()
    seen = []
    look = threading.Thread(target=lambda: seen.append(torch.get_num_threads()))
    look.start()
    look.join()
    assert seen == [before]


def test_any_whole_number_is_a_seed():
    seed = 20_261_116_094_500_123_456_789
    runs = [numbers(list(de.fit(small("GCN", seed=seed, dropout=0.2), TASK, epochs=2, seed=seed))) for _ in range(2)]
    assert runs[0] == runs[1]


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: de.link_task(G.to_networkx()), "link_task needs a degnn_explore Graph, not Graph; make one with"),
        (lambda: de.role_task([(0, 1)]), "role_task needs a degnn_explore Graph, not list"),
        (lambda: de.triangle_task(None), "triangle_task needs"),
        (lambda: de.set_task(None, [[0]], [0]), "set_task needs"),
        (lambda: de.predict(torch.nn.Linear(1, 1), G, [{0, 1}]), "predict needs a model made by de.build, not Linear"),
        (lambda: de.predict(small("GCN"), G.to_networkx(), [{0, 1}]), "predict needs a degnn_explore Graph"),
        (lambda: de.save(torch.nn.Linear(1, 1), "x"), "save needs a model made by de.build, not Linear"),
        (lambda: de.fit(small("GCN"), TASK, device=None), "device=None cannot be used here"),
        (lambda: de.fit(small("GCN"), TASK, device="meta"), "device='meta' cannot be used here"),
        (lambda: de.fit(small("GCN"), TASK, learning_rate=True), "learning_rate must be a positive number, not True"),
        (lambda: de.build("DEA-GNN-PR", TASK, alpha=0), "alpha must be above 0.0 and below 1.0, not 0"),
        (lambda: de.link_task(G, split=(float("nan"), 0.5, 0.5)), "split must be three positive shares"),
        (lambda: G.with_attributes(np.full((60, 1), 1e300)), "Scale that column"),
    ],
)
def test_what_is_not_a_graph_a_model_or_a_number_is_refused_in_words(call, message):
    with pytest.raises(ValueError, match=message):
        call()


def test_numbers_of_numpy_are_numbers():
    model = small("GCN", dropout=np.float32(0.25))
    assert model.hyper["dropout"] == 0.25
    assert len(list(de.fit(model, TASK, epochs=1, learning_rate=np.float32(0.01)))) == 1


def test_features_are_scaled_by_both_classes():
    """Training positives come first; the units must not be theirs alone."""
    task = de.link_task(de.load("celegans"))
    model = de.build("DE-GNN-SPD", task)
    asked = []
    data = model.prepare(task.graph, task.train.sets)
    whole = data.batches
    data.batches = lambda indices: whole([asked.extend(i) or i for i in indices])
    model.calibrate(data, np.arange(len(task.train)))
    assert 0.45 < task.train.labels[asked].mean() < 0.55


@pytest.mark.parametrize("name", [name for name in EVERY if name != "struc2vec"])
def test_the_units_of_an_attribute_do_not_matter(name):
    column = np.random.default_rng(0).normal(size=(60, 1)) + 3
    runs = []
    for unit in (1.0, 2.0**20):
        task = de.link_task(G.with_attributes(unit * column))
        runs.append(list(de.fit(small(name, task), task, epochs=3)))
    for one, other in zip(*runs, strict=True):
        assert one.loss == pytest.approx(other.loss, abs=1e-4)


def test_fit_says_when_positives_are_further_apart_than_the_encoding_tells() -> None:
    ring = de.link_task(de.Graph.from_edges([(i, (i + 1) % 40) for i in range(40)]), seed=0, split=(0.9, 0.05, 0.05))
    ladder = de.Graph.from_edges(
        [(i, i + 2) for i in range(60)] + [(i, i + 1) for i in range(0, 60, 2)] + [(i, i + 5) for i in range(0, 50, 3)]
    )
    with pytest.warns(UserWarning, match="With max_dist=2, .* of the links look alike"):
        next(de.fit(de.build("DE-GNN-SPD", de.link_task(ladder), max_dist=2, hidden=4), de.link_task(ladder)))
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        next(de.fit(de.build("DE-GNN-SPD", de.link_task(ladder), max_dist=40, hidden=4), de.link_task(ladder)))
        next(de.fit(de.build("GCN", ring, hidden=4), ring))  # has no largest distance


@pytest.mark.parametrize("name", ["adam", "sgd"])
def test_an_optimizer_steps_as_torchs_own_and_is_saved_as_such(name: str) -> None:
    kinds = {"adam": torch.optim.Adam, "sgd": torch.optim.SGD}
    how = {"lr": 0.1, "weight_decay": 0.01, **({"fused": True} if name == "adam" else {"momentum": 0.9})}
    torch.manual_seed(0)
    start, slopes = torch.randn(5, 3), torch.randn(4, 5, 3)
    ends, states = [], []
    for kind in (kinds[name], training._OPTIMIZERS[name]):
        weight = torch.nn.Parameter(start.clone())
        optimizer = kind([weight], **how)
        for number, slope in enumerate(slopes):
            if number == 2:  # saved, and gone on with
                kept = optimizer.state_dict()
                optimizer = kind([weight], **how)
                optimizer.load_state_dict(kept)
            optimizer.zero_grad()
            (weight * slope).sum().backward()
            optimizer.step()
        ends.append(weight.detach())
        states.append(optimizer.state_dict())
    assert torch.equal(*ends) and not torch.equal(ends[0], start)
    torch.testing.assert_close(*states, rtol=0, atol=0)
    assert torch.is_grad_enabled()


# ---- the caller's things stay as they were ------------------------------------------------------


def test_no_generator_of_the_process_is_seeded(monkeypatch):
    """torch.manual_seed would also seed the generators of every GPU."""

    def refuse(*_):
        raise AssertionError("a global seed was set")

    for module, name in ((torch, "manual_seed"), (torch.cuda, "manual_seed_all"), (torch.cuda, "manual_seed")):
        monkeypatch.setattr(module, name, refuse)
    for name in ("DE-GNN-SPD", "SEAL", "PGNN"):
        list(de.fit(small(name, dropout=0.5), TASK, epochs=1))
