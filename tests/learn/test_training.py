"""``fit`` against a textbook loop; which epoch is kept, how a run ends, what a checkpoint brings back."""

from __future__ import annotations

import gc
import math
import shutil
import threading
import warnings
from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import cache, partial
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from torch.nn import functional

import degnn_explore as de
from degnn_explore.common.errors import ParameterError
from degnn_explore.common.progress import watching
from degnn_explore.learn import training
from degnn_explore.learn.hints import distance_hint
from degnn_explore.learn.metrics import metrics

from .small import ROLES, TASK, Watched, numbers, same, says, small, state

TRAIN, HELD_OUT = len(TASK.train), len(TASK.val) + len(TASK.test)

# ---- the loop -------------------------------------------------------------------------------------------------------

STEPS: dict[str, Callable[..., torch.optim.Optimizer]] = {
    "adam": torch.optim.Adam,
    "sgd": partial(torch.optim.SGD, momentum=0.9),
}


def textbook(
    task: de.Task, passes: list[list[list[int]]], rate: float, optimizer: str, decay: float, clip: float, zero: bool
) -> Iterator[tuple[float, list[dict[str, float]], dict[str, torch.Tensor]]]:
    """Loss, metrics and weights after each pass over these batches, by the shortest loop that torch allows."""
    net, parts = Watched(task), (task.train, task.val, task.test)
    inputs = [net.prepare(task.graph, part.sets).tensors[0] for part in parts]
    labels = torch.from_numpy(task.train.labels)
    steps = STEPS[optimizer](net.parameters(), lr=rate, weight_decay=decay)
    for batches in passes:
        learned, total = torch.zeros(len(labels), *net.out(inputs[0]).squeeze(1).shape[1:]), 0.0
        for batch in batches:
            if zero:
                steps.zero_grad()
            logits = net.out(inputs[0][batch]).squeeze(1)
            if task.num_classes == 2:
                loss = functional.binary_cross_entropy_with_logits(logits, labels[batch].float())
            else:
                loss = functional.cross_entropy(logits, labels[batch])
            loss.backward()
            torch.nn.utils.clip_grad_norm_(net.parameters(), clip)
            steps.step()
            learned[batch] = logits.detach()
            total += len(batch) * loss.item()
        logits = [learned, *(net.out(x).squeeze(1).detach() for x in inputs[1:])]
        measured = [metrics(some.numpy(), part.labels) for some, part in zip(logits, parts, strict=True)]
        yield total / len(labels), measured, state(net)


@cache
def fitted(task: de.Task, **options: Any) -> tuple[list[de.Epoch], list[dict[str, torch.Tensor]], list[list[int]]]:
    """The epochs, the weights after each, and the batches."""
    model, weights, run = Watched(task), [], []
    for epoch in de.fit(model, task, 3, **options):
        run.append(epoch)
        weights.append(state(model))
    return run, weights, model.batches()


@pytest.mark.parametrize(
    ("task", "option"),
    [
        (TASK, {}),
        (TASK, {"seed": 1}),
        (TASK, {"batch_size": 17}),  # the last batch is smaller
        (TASK, {"batch_size": 2**62}),
        (TASK, {"learning_rate": 0.5}),
        (TASK, {"weight_decay": 5.0}),
        (TASK, {"optimizer": "sgd"}),
        (TASK, {"optimizer": "sgd", "weight_decay": 0.5}),
        (TASK, {"optimizer": "sgd", "clip": 0.01}),
        (TASK, {"optimizer": "sgd", "clip": None}),
        (TASK, {"optimizer": "sgd", "zero_grad": False}),
        (ROLES, {}),
        (ROLES, {"optimizer": "sgd", "batch_size": 17}),
    ],
    ids=str,
)
def test_fit_is_the_textbook_loop_and_each_option_changes_it(task: de.Task, option: dict[str, Any]) -> None:
    run, weights, batches = fitted(task, **option)
    steps = math.ceil(len(task.train) / option.get("batch_size", 64))
    loop = textbook(
        task,
        [batches[begin : begin + steps] for begin in range(0, 3 * steps, steps)],
        option.get("learning_rate", 0.2 if task.p == 1 else 0.03),
        option.get("optimizer", "adam"),
        option.get("weight_decay", 0.0),
        option.get("clip", 5.0) or math.inf,
        option.get("zero_grad", True),
    )
    for epoch, ours, (loss, measured, theirs) in zip(run, weights, loop, strict=True):
        assert epoch.loss == pytest.approx(loss, rel=1e-4)
        for part, values in zip((epoch.train, epoch.val, epoch.test), measured, strict=True):
            assert part == pytest.approx(values, abs=1e-6)
        for name, weight in theirs.items():
            torch.testing.assert_close(ours[name], weight, rtol=1e-4, atol=1e-5)
    if others := {key: value for key, value in option.items() if key != "optimizer"} or option:
        _, usual, _ = fitted(task, **{key: value for key, value in option.items() if key not in others})
        assert not torch.allclose(weights[-1]["out.weight"], usual[-1]["out.weight"])


def test_each_epoch_sees_every_training_set_once_in_an_order_dropout_and_signs_of_the_seed() -> None:
    def seen(seed: int) -> list[Any]:
        model = Watched(dropout=0.5)
        list(de.fit(model, TASK, 3, seed=seed, batch_size=TRAIN))
        passes = [look for look in model.looks if look.training]
        assert all(sorted(look.numbers) == list(range(TRAIN)) for look in passes)
        return passes

    first, again, other = seen(5), seen(5), seen(6)
    for one, two in zip(first, again, strict=True):
        assert (
            one.numbers == two.numbers and torch.equal(one.dropped, two.dropped) and torch.equal(one.signs, two.signs)
        )
    different = [*first, *other]
    assert len({tuple(look.numbers) for look in different}) == 6
    assert len({tuple(look.signs.tolist()) for look in different}) > 1
    for k, one in enumerate(different):
        for two in different[:k]:  # as two rows of coins
            assert 0.4 < float((one.dropped != two.dropped).float().mean()) < 0.6


def test_held_out_sets_are_judged_after_each_epoch_in_order_without_gradients_or_dropout() -> None:
    model = Watched(dropout=0.5)
    run = list(de.fit(model, TASK, 2, batch_size=TRAIN))
    assert [(look.training, look.gradients) for look in model.looks] == [(True, True), (False, False)] * 2
    for look in model.looks[1::2]:
        assert look.numbers == list(range(TRAIN, TRAIN + HELD_OUT)) and not look.dropped.any()
    assert [epoch.number for epoch in run] == [1, 2] and all(epoch.seconds > 0 for epoch in run)
    without = Watched(dropout=0.5)
    untested = list(de.fit(without, TASK, 2, batch_size=TRAIN, score_test=False))
    assert untested == [replace(epoch, test={}, seconds=x.seconds) for epoch, x in zip(run, untested, strict=True)]
    assert without.looks[1].numbers == list(range(TRAIN, TRAIN + len(TASK.val)))


@pytest.mark.parametrize("name", ["Adamic-Adar", "GCN"])
def test_test_sets_of_a_ranked_task_need_not_be_scored(name: str) -> None:
    task = de.link_task(TASK.full_graph, per_positive=5)
    run, untested = (list(de.fit(de.build(name, task), task, 2, metric="mrr", score_test=s)) for s in (True, False))
    assert untested == [replace(epoch, test={}, seconds=x.seconds) for epoch, x in zip(run, untested, strict=True)]
    assert all("mrr" in epoch.test for epoch in run)


def test_max_steps_ends_the_run_with_the_epoch_in_which_they_are_reached() -> None:
    a_pass = math.ceil(TRAIN / 16)
    wanted = {1: 1, a_pass - 1: 1, a_pass: 1, a_pass + 1: 2, 2 * a_pass: 2, 100 * a_pass: 3}
    runs = {steps: list(de.fit(Watched(), TASK, 3, batch_size=16, max_steps=steps)) for steps in wanted}
    assert {steps: len(run) for steps, run in runs.items()} == wanted
    assert numbers(runs[a_pass + 1]) == numbers(runs[100 * a_pass])[:2]


def test_a_formula_has_one_epoch_of_what_it_predicts() -> None:
    model = de.build("Adamic-Adar", TASK)
    (epoch,) = de.fit(model, TASK, 7, device="cpu")
    for part, measured in ((TASK.train, epoch.train), (TASK.val, epoch.val), (TASK.test, epoch.test)):
        share = de.predict(model, TASK.graph, part.sets)
        assert measured == pytest.approx(metrics(np.log(share / (1 - share)), part.labels))
    share, labels = de.predict(model, TASK.graph, TASK.train.sets), TASK.train.labels
    assert epoch.loss == pytest.approx(-np.log(np.where(labels == 1, share, 1 - share)).mean(), rel=1e-5)
    assert epoch.number == 1 and not model.training and model.placement.device == "cpu"


def test_threads_are_those_that_were_chosen_and_afterwards_as_before() -> None:
    before = torch.get_num_threads()
    torch.set_num_threads(2)
    try:
        for options, number in (({}, 1), ({"num_threads": 3}, 3)):
            model = Watched()
            for _ in de.fit(model, TASK, 2, **options):
                assert torch.get_num_threads() == 2
            assert {look.threads for look in model.looks} == {number}
            assert torch.get_num_threads() == 2
    finally:
        torch.set_num_threads(before)


def test_an_epoch_reports_its_progress_to_a_function(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(training, "SECONDS_BETWEEN_REPORTS", 0.0)
    told: list[tuple[str, float]] = []
    list(de.fit(Watched(), TASK, 2, batch_size=16, progress=lambda *now: told.append(now)))
    a_pass = math.ceil(TRAIN / 16)
    assert [share for what, share in told if "watched" in what] == [i / a_pass for i in range(a_pass)] * 2
    monkeypatch.setattr(training, "SECONDS_BETWEEN_REPORTS", 3600.0)
    told.clear()
    list(de.fit(Watched(), TASK, 2, batch_size=16, progress=lambda *now: told.append(now)))
    assert not [share for what, share in told if "watched" in what]


def test_fit_warns_when_positives_are_further_apart_than_the_encoding_can_tell() -> None:
    ring = de.link_task(de.Graph.from_edges([(i, (i + s) % 40) for i in range(40) for s in (1, 7)]))
    with pytest.warns(UserWarning, match="max_dist=2") as seen:
        next(de.fit(de.build("DE-GNN-SPD", ring, max_dist=2, hidden=4), ring))
    assert seen[0].filename == __file__
    assert str(seen[0].message) == distance_hint(ring.graph, ring.train.sets[ring.train.labels == 1], 2)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        for model in (de.build("DE-GNN-SPD", ring, hidden=4), de.build("GCN", ring, hidden=4)):
            next(de.fit(model, ring))


def test_distance_encoding_beats_the_plain_network_where_1wl_is_blind() -> None:
    """Nodes of triangles against nodes of hexagons: every degree is 2."""
    pieces = [de.zoo.two_triangles(), de.zoo.hexagon()] * 20
    edges = np.concatenate([piece.edges + 6 * number for number, piece in enumerate(pieces)])
    task = de.role_task(de.Graph.from_edges(edges, labels=np.arange(240) // 6 % 2))
    reached = [
        list(de.fit(small(name, task, hidden=16), task, 15))[-1].test["accuracy"] for name in ("GCN", "DE-GNN-SPD")
    ]
    assert reached == [0.5, 1.0]


# ---- which epoch is kept --------------------------------------------------------------------------------------------


SCRIPT = [says(15, 9), says(19, 5), says(19, 12), says(17, 20), says(18, 3), says(16, 26), says(26, 4, shift=9)]


@pytest.mark.parametrize(
    ("options", "epochs", "kept"),
    [
        ({"epochs": 100}, 37, 7),  # the usual patience is 30 epochs
        ({"metric": "auc", "patience": None}, 7, 7),
        ({"metric": "accuracy", "patience": None}, 7, 2),  # the first of equals; with the shift half are right
        ({"patience": 1}, 3, 2),
        ({"patience": 4}, 6, 2),
        ({"patience": 5}, 7, 7),
        ({"choose_on": "test", "patience": None}, 7, 6),
        ({"choose_on": "test", "patience": 1}, 2, 1),
        ({"choose_on": "test", "patience": 2}, 7, 6),
    ],
    ids=str,
)
def test_the_epoch_that_is_best_by_the_metric_is_kept_and_patience_counts_from_it(
    options: dict[str, Any], epochs: int, kept: int
) -> None:
    model, after = Watched(), {}
    model.script = SCRIPT
    run = []
    for epoch in de.fit(model, TASK, **{"epochs": 7, **options}):
        after[epoch.number] = state(model)
        run.append(epoch)
    metric, part = options.get("metric", "auc"), options.get("choose_on", "val")
    assert [epoch.number for epoch in run] == list(range(1, epochs + 1))
    assert {epoch.metric for epoch in run} == {metric}
    assert de.summarize(run, chosen_on=part).epoch == kept
    assert same(state(model), after[kept]) and not same(after[kept], after[1 if kept > 1 else 2])


def test_summarize_reports_the_epoch_of_validation_and_the_optimistic_one() -> None:
    def epoch(number: int, val: float, test: float) -> de.Epoch:
        return de.Epoch(number, 0.5, {}, {"auc": val, "mrr": -val}, {"auc": test, "mrr": test / 2}, 0.1)

    nan = math.nan
    run = [epoch(1, nan, nan), epoch(2, 0.7, 0.9), epoch(3, 0.8, 0.6), epoch(4, 0.8, 0.7), epoch(5, 0.6, 0.95)]
    assert de.summarize(run) == training.Summary(3, 0.6, 0.95, 5, "auc")
    assert de.summarize(iter(run), chosen_on="test") == training.Summary(5, 0.95, 0.95, 5, "auc")
    assert de.summarize(run, "mrr") == training.Summary(5, 0.475, 0.475, 5, "mrr")
    for wrong in ([], [replace(epoch, test={}) for epoch in run]):
        with pytest.raises(ParameterError, match=r"de\.fit"):
            de.summarize(wrong)
    for options in ({"metric": "f1"}, {"chosen_on": "train"}):
        with pytest.raises(ParameterError, match="|".join(options)):
            de.summarize(run, **options)


# ---- how a run ends -------------------------------------------------------------------------------------------------


class StopAfter(threading.Event):
    """A stop event that is set once it was checked so many times."""

    def __init__(self, checks: int) -> None:
        super().__init__()
        self.left = checks

    def is_set(self) -> bool:
        self.left -= 1
        return self.left < 0


@pytest.mark.parametrize("optimizer", ["adam", "sgd"])
def test_a_run_stopped_anywhere_keeps_its_best_weights_and_resumes_to_the_same_numbers(
    tmp_path: Path, optimizer: str
) -> None:
    how: dict[str, Any] = {"epochs": 4, "batch_size": 32, "patience": None, "optimizer": optimizer, "seed": 2}
    whole_model, after, looks = Watched(dropout=0.2), {}, []
    with watching(stop=(never := StopAfter(10**9))):
        whole = []
        for epoch in de.fit(whole_model, TASK, **how):
            whole.append(epoch)
            after[epoch.number] = state(whole_model)
    path, cut = tmp_path / "run.ckpt", 0
    for checks in range(10**9 - never.left):
        path.unlink(missing_ok=True)
        model = Watched(dropout=0.2)
        with watching(stop=StopAfter(checks)):
            done = list(de.fit(model, TASK, checkpoint=path, checkpoint_every=3600, **how))
        looks.append(len(model.looks))
        assert numbers(done) == numbers(whole)[: len(done)] and path.exists() == bool(done)
        assert not any(module.training for module in model.modules())
        if done:
            cut += len(done) < 4
            assert same(state(model), after[de.summarize(done).epoch])
            model = Watched(dropout=0.2, seed=8)  # other weights, to be replaced
            resumed = list(de.fit(model, TASK, checkpoint=path, **how))
            assert resumed[: len(done)] == done and numbers(resumed) == numbers(whole)
            assert len(model.looks) == len(whole_model.looks) * (4 - len(done)) / 4  # not trained twice
            assert same(state(model), state(whole_model))
    assert cut >= 3 and looks[0] == 0
    assert max(np.diff(looks)) == 1  # it ends before the next batch


def test_a_run_that_is_left_early_keeps_its_best_weights() -> None:
    model, after = Watched(), {}
    model.script = SCRIPT
    for epoch in de.fit(model, TASK):
        after[epoch.number] = state(model)
        if epoch.number == 3:
            break
    gc.collect()
    assert same(state(model), after[2]) and not model.training


@pytest.mark.parametrize("where", ["loss", "outputs"])
def test_a_run_that_diverges_names_the_rate_and_keeps_its_best_weights_and_its_checkpoint(
    tmp_path: Path, where: str
) -> None:
    model, after = Watched(), {}
    model.script = [says(5, 5), says(6, 6), says(4, 4) if where == "loss" else torch.full((HELD_OUT,), torch.nan)]
    how: dict[str, Any] = {"epochs": 9, "learning_rate": 0.125, "checkpoint": tmp_path / "run"}
    with pytest.raises(ParameterError, match=rf"{where}.* epoch 3.*learning_rate=0\.125"):
        for epoch in de.fit(model, TASK, checkpoint_every=3600, **how):
            after[epoch.number] = state(model)
            if (where, epoch.number) == ("loss", 2):
                model.out.weight.data[:] = torch.nan
    assert same(state(model), after[2]) and not model.training
    again = Watched()
    again.script = [says(3, 3)] * 7
    assert [epoch.val["accuracy"] for epoch in de.fit(again, TASK, **how)][1:3] == [6 / 26, 3 / 26]


def test_runs_in_threads_do_not_disturb_each_other() -> None:
    def run(into: list[Any]) -> None:
        into.append(numbers(list(de.fit(small("DE-GNN-SPD", dropout=0.3), TASK, 3))))

    alone, together, before = list[Any](), list[Any](), torch.get_num_threads()
    run(alone)
    threads = [threading.Thread(target=run, args=(together,)) for _ in range(3)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert together == alone * 3 and torch.get_num_threads() == before


def test_random_numbers_of_the_process_are_neither_used_nor_seeded(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: Any) -> None:
        raise AssertionError("a global seed was set")

    before, seed = torch.get_rng_state(), 20_261_116_094_500_123_456_789
    for place in ("torch.manual_seed", "torch.cuda.manual_seed_all", "numpy.random.seed"):
        monkeypatch.setattr(place, refuse)
    for name in ("DE-GNN-SPD", "SEAL", "PGNN"):
        one, two = (list(de.fit(small(name, dropout=0.5, seed=seed), TASK, 1, seed=seed)) for _ in range(2))
        assert numbers(one) == numbers(two)
    assert torch.equal(torch.get_rng_state(), before)


# ---- checkpoints ----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("every", "files"), [(0, 3), (3600, 0)])
def test_the_file_is_written_as_often_as_asked_and_each_time_whole(tmp_path: Path, every: float, files: int) -> None:
    path, copies = tmp_path / "run.ckpt", []
    for epoch in de.fit(Watched(dropout=0.2), TASK, 4, checkpoint=path, checkpoint_every=every):
        if epoch.number < 4 and path.exists():  # what a killed process would leave
            copies.append(shutil.copy(path, tmp_path / f"{epoch.number}.ckpt"))
    assert len(copies) == files and path.exists()
    whole = numbers(list(de.fit(Watched(dropout=0.2), TASK, 4)))
    for copy in [*copies, path]:
        assert numbers(list(de.fit(Watched(dropout=0.2), TASK, 4, checkpoint=copy))) == whole


def test_a_resumed_run_still_has_its_patience(tmp_path: Path) -> None:
    how: dict[str, Any] = {"patience": 3, "checkpoint": tmp_path / "run.ckpt"}
    first = Watched()
    first.script = [says(5, 5), says(9, 9), says(4, 4)]
    list(de.fit(first, TASK, 3, **how))
    second = Watched()
    second.script = [says(3, 3)] * 9
    assert len(list(de.fit(second, TASK, 9, **how))) == 5
    third = Watched()
    assert len(list(de.fit(third, TASK, 9, **how))) == 5 and not third.looks
    assert same(state(first), state(second)) and same(state(first), state(third))  # those of epoch 2


OTHER = de.link_task(TASK.full_graph, seed=1)


def test_a_checkpoint_continues_the_same_run_only(tmp_path: Path) -> None:
    path = tmp_path / "run.ckpt"

    def resume(task: de.Task = TASK, *, model: de.SetNet | None = None, epochs: int = 2, **options: Any) -> list[Any]:
        return list(de.fit(Watched(dropout=0.2) if model is None else model, task, epochs, checkpoint=path, **options))

    first = resume()
    for options in (
        {"epochs": 3},
        {"max_steps": 10**6},
        {"device": "cpu"},
        {"num_threads": 2},
        {"checkpoint_every": 9},
    ):
        assert resume(**options)[:2] == first
        path.unlink()
        first = resume()
    for options, what in (
        ({"seed": 1}, "its seed is 0, not 1"),
        ({"batch_size": 32}, "batch_size"),
        ({"optimizer": "sgd"}, "optimizer"),
        ({"learning_rate": 1e-3}, "learning_rate"),
        ({"weight_decay": 0.1}, "weight_decay"),
        ({"patience": 9}, "patience"),
        ({"clip": 1.0}, "clip"),
        ({"metric": "accuracy"}, "metric"),
        ({"choose_on": "test"}, "choose_on"),
        ({"score_test": False}, "score_test"),
        ({"task": OTHER}, "task"),
        ({"model": Watched(dropout=0.3)}, "hyper"),
        ({"model": small("GCN")}, "its name is 'watched', not 'GCN'"),
        ({"epochs": 1}, "2 epochs .*epochs=1"),
    ):
        with pytest.raises(ParameterError, match=what):
            resume(**options)  # type: ignore[arg-type]
    assert resume() == first
    path.write_bytes(path.read_bytes()[:200])
    with pytest.raises(ParameterError, match="damaged"):
        resume()


def test_a_run_without_reset_gradients_has_no_checkpoint(tmp_path: Path) -> None:
    """They are not in the file, so it could not be resumed to the same numbers."""
    list(de.fit(Watched(), TASK, 1, zero_grad=False, checkpoint=tmp_path / "run"))
    assert not (tmp_path / "run").exists()


# ---- what is refused ------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("option", "wrong"),
    [
        ("epochs", [0, 1.5, 10**400]),
        ("max_steps", [0, 2.5]),
        ("seed", [-1, 2**300]),
        ("device", ["gpu7", None, "meta"]),
        ("batch_size", [0, 2**63]),
        ("optimizer", ["adm"]),
        ("learning_rate", [0, math.nan, True]),
        ("weight_decay", [-1, math.inf]),
        ("patience", [0, 2**64]),
        ("clip", [0, -1]),
        ("metric", ["mmr"]),
        ("choose_on", ["train"]),
        ("checkpoint_every", [-1, math.nan, "often"]),
        ("num_threads", [0, 257]),
        ("checkpoint", ["no/such/folder/run", "."]),
    ],
)
def test_a_wrong_option_is_named_before_the_first_epoch(option: str, wrong: list[Any]) -> None:
    for value in wrong:
        with pytest.raises(ParameterError, match="folder" if option == "checkpoint" else option):
            de.fit(Watched(), TASK, **{option: value})


def test_numbers_of_numpy_are_numbers(tmp_path: Path) -> None:
    how = {"learning_rate": np.float32(0.25), "batch_size": np.int64(32), "patience": np.int8(3), "epochs": np.int32(2)}
    run = list(de.fit(Watched(), TASK, checkpoint=tmp_path / "run", **how))
    plain = {"learning_rate": 0.25, "batch_size": 32, "patience": 3, "epochs": 2}
    assert list(de.fit(Watched(), TASK, checkpoint=tmp_path / "run", **plain)) == run


def test_what_does_not_go_together_is_refused() -> None:
    with pytest.raises(ParameterError, match="score_test"):
        de.fit(Watched(), TASK, choose_on="test", score_test=False)
    for model, task, what in (
        (Watched(), de.triangle_task(TASK.full_graph), "p=3"),
        (Watched(ROLES), de.role_task(TASK.full_graph.with_labels(np.arange(60) % 3)), "3 classes"),
        (torch.nn.Linear(2, 2), TASK, "Linear"),
        (Watched(), [TASK], "disjoint_union"),
    ):
        with pytest.raises(ParameterError, match=what):
            de.fit(model, task)
