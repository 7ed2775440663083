"""``fit`` against a textbook loop; which epoch is kept, how a run ends, what a checkpoint brings back."""

from __future__ import annotations

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
    task: de.Task, batches: list[list[int]], option: dict[str, Any]
) -> Iterator[tuple[float, list[dict[str, float]], dict[str, torch.Tensor]]]:
    """Loss, metrics and weights after each pass over these batches, by the shortest loop that torch allows."""
    net, parts = Watched(task), (task.train, task.val, task.test)
    inputs = [net.prepare(task.graph, part.sets).tensors[0] for part in parts]
    labels = torch.from_numpy(task.train.labels)
    rate = option.get("learning_rate", 0.2 if task.p == 1 else 0.03)
    make = STEPS[option.get("optimizer", "adam")]
    optimizer = make(net.parameters(), lr=rate, weight_decay=option.get("weight_decay", 0.0))
    steps = math.ceil(len(labels) / option.get("batch_size", 64))
    for begin in range(0, len(batches), steps):
        learned, total = torch.zeros(len(labels), *net.out(inputs[0]).squeeze(1).shape[1:]), 0.0
        for batch in batches[begin : begin + steps]:
            if option.get("zero_grad", True):
                optimizer.zero_grad()
            logits = net.out(inputs[0][batch]).squeeze(1)
            if task.num_classes == 2:
                loss = functional.binary_cross_entropy_with_logits(logits, labels[batch].float())
            else:
                loss = functional.cross_entropy(logits, labels[batch])
            loss.backward()
            torch.nn.utils.clip_grad_norm_(net.parameters(), option.get("clip", 5.0) or math.inf)
            optimizer.step()
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


@pytest.mark.parametrize("usual", [{}, {"optimizer": "sgd"}], ids=str)
@pytest.mark.parametrize(
    "option",
    [
        {},
        {"seed": 1},
        {"batch_size": 17},  # the last batch is smaller
        {"batch_size": 2**62},
        {"learning_rate": 0.5},
        {"weight_decay": 5.0},
        {"clip": 0.01},
        {"clip": None},
        {"zero_grad": False},
    ],
    ids=str,
)
def test_fit_is_the_textbook_loop_and_each_option_changes_it(usual: dict[str, Any], option: dict[str, Any]) -> None:
    options = usual | option
    for task in (TASK, ROLES):
        run, weights, batches = fitted(task, **options)
        for epoch, ours, (loss, measured, theirs) in zip(run, weights, textbook(task, batches, options), strict=True):
            assert epoch.loss == pytest.approx(loss, rel=1e-4)
            for part, values in zip((epoch.train, epoch.val, epoch.test), measured, strict=True):
                assert part == pytest.approx(values, abs=1e-6)
            for name, weight in theirs.items():
                torch.testing.assert_close(ours[name], weight, rtol=1e-4, atol=1e-5)
    if option and ("clip" not in option or usual):  # Adam does not mind the size of a gradient
        weight, other = (fitted(TASK, **some)[1][-1]["out.weight"] for some in (usual, options))
        assert not torch.allclose(weight, other)


def test_an_epoch_learns_from_every_set_in_an_order_of_the_seed_and_judges_the_others_in_order() -> None:
    def seen(seed: int) -> list[Any]:
        model = Watched(dropout=0.5)
        run = list(de.fit(model, TASK, 3, seed=seed, batch_size=TRAIN))
        assert [epoch.number for epoch in run] == [1, 2, 3] and all(epoch.seconds > 0 for epoch in run)
        learned, judged = model.looks[::2], model.looks[1::2]
        for look in learned:
            assert look.training and look.gradients and sorted(look.numbers) == list(range(TRAIN))
        for look in judged:
            assert not look.training and not look.gradients and not look.dropped.any()
            assert look.numbers == list(range(TRAIN, TRAIN + HELD_OUT))
        return learned

    first, again, other = seen(5), seen(5), seen(6)
    for one, two in zip(first, again, strict=True):
        assert one.numbers == two.numbers
        assert torch.equal(one.dropped, two.dropped) and torch.equal(one.signs, two.signs)
    different = [*first, *other]
    assert len({tuple(look.numbers) for look in different}) == 6
    assert len({tuple(look.signs.tolist()) for look in different}) > 1
    for k, one in enumerate(different):
        for two in different[:k]:  # as two rows of coins
            assert 0.4 < float((one.dropped != two.dropped).float().mean()) < 0.6


@pytest.mark.parametrize("make", [Watched, partial(de.build, "Adamic-Adar")])
def test_test_sets_need_not_be_scored(make: Callable[[de.Task], de.SetNet]) -> None:
    task = de.link_task(TASK.full_graph, per_positive=5)
    run, untested = (list(de.fit(make(task), task, 2, metric="mrr", score_test=s)) for s in (True, False))
    assert untested == [replace(epoch, test={}, seconds=x.seconds) for epoch, x in zip(run, untested, strict=True)]
    assert all("mrr" in epoch.test for epoch in run)
    list(de.fit(model := Watched(), TASK, 1, score_test=False))
    assert model.looks[-1].numbers == list(range(TRAIN, TRAIN + len(TASK.val)))


def test_max_steps_ends_the_run_with_the_epoch_in_which_they_are_reached() -> None:
    a_pass = math.ceil(TRAIN / 16)
    wanted = {1: 1, a_pass - 1: 1, a_pass: 1, a_pass + 1: 2, 2 * a_pass: 2, 100 * a_pass: 3}
    runs = {steps: list(de.fit(Watched(), TASK, 3, batch_size=16, max_steps=steps)) for steps in wanted}
    assert {steps: len(run) for steps, run in runs.items()} == wanted


def test_a_formula_has_one_epoch_of_what_it_predicts() -> None:
    model = de.build("Adamic-Adar", TASK)
    (epoch,) = de.fit(model, TASK, 7)
    for part, measured in ((TASK.train, epoch.train), (TASK.val, epoch.val), (TASK.test, epoch.test)):
        share = de.predict(model, TASK.graph, part.sets)
        assert measured == pytest.approx(metrics(np.log(share / (1 - share)), part.labels))
    share, labels = de.predict(model, TASK.graph, TASK.train.sets), TASK.train.labels
    assert epoch.loss == pytest.approx(-np.log(np.where(labels == 1, share, 1 - share)).mean(), rel=1e-5)
    assert epoch.number == 1 and epoch.seconds > 0 and not model.training and model.placement.device == "cpu"


def test_threads_are_those_that_were_chosen_and_afterwards_as_before() -> None:
    before = torch.get_num_threads()
    torch.set_num_threads(2)
    try:
        for options, number in (({}, 1), ({"num_threads": 3}, 3)):
            model = Watched()
            assert {torch.get_num_threads() for _ in de.fit(model, TASK, 2, **options)} == {2}
            assert {look.threads for look in model.looks} == {number}
    finally:
        torch.set_num_threads(before)


@pytest.mark.parametrize(("seconds", "reports"), [(0.0, math.ceil(TRAIN / 16)), (3600.0, 0)])
def test_an_epoch_reports_its_progress(seconds: float, reports: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(training, "SECONDS_BETWEEN_REPORTS", seconds)
    shares: list[float] = []
    how: dict[str, Any] = {"progress": lambda what, share: shares.append(share) if "watched" in what else None}
    list(de.fit(Watched(), TASK, 2, batch_size=16, **how))
    assert shares == [i / reports for i in range(reports)] * 2


def test_fit_warns_when_positives_are_further_apart_than_the_encoding_can_tell() -> None:
    ring = de.link_task(de.Graph.from_edges([(i, (i + s) % 40) for i in range(40) for s in (1, 7)]))
    with pytest.warns(UserWarning, match="max_dist=2") as seen:
        next(de.fit(de.build("DE-GNN-SPD", ring, max_dist=2, hidden=4), ring))
    assert seen[0].filename == __file__
    assert str(seen[0].message) == distance_hint(ring.graph, ring.train.sets[ring.train.labels == 1], 2)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        for name in ("DE-GNN-SPD", "GCN"):
            next(de.fit(de.build(name, ring, hidden=4), ring))


# ---- which epoch is kept --------------------------------------------------------------------------------------------


SCRIPT = [says(15, 9), says(19, 5), says(19, 12), says(17, 20), says(18, 3), says(16, 26), says(26, 4, shift=9)]


@pytest.mark.parametrize(
    ("options", "epochs", "kept"),
    [
        ({"epochs": 100}, 37, 7),  # the usual patience is 30 epochs
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
    model, after, run = Watched(), {}, list[de.Epoch]()
    model.script = SCRIPT
    for epoch in de.fit(model, TASK, **{"epochs": 7, **options}):
        after[epoch.number] = state(model)
        run.append(epoch)
    assert [epoch.number for epoch in run] == list(range(1, epochs + 1))
    assert {epoch.metric for epoch in run} == {options.get("metric", "auc")}
    assert de.summarize(run, chosen_on=options.get("choose_on", "val")).epoch == kept
    assert same(state(model), after[kept]) and not same(after[kept], after[1 if kept > 1 else 2])


def test_summarize_reports_the_epoch_of_validation_and_the_optimistic_one() -> None:
    values = [(math.nan, math.nan), (0.7, 0.9), (0.8, 0.6), (0.8, 0.7), (0.6, 0.95)]
    run = [
        de.Epoch(number, 0.5, {}, {"auc": val, "mrr": -val}, {"auc": test, "mrr": test / 2}, 0.1)
        for number, (val, test) in enumerate(values, start=1)
    ]
    assert de.summarize(run) == training.Summary(3, 0.6, 0.95, 5, "auc")
    assert de.summarize(iter(run), chosen_on="test") == training.Summary(5, 0.95, 0.95, 5, "auc")
    assert de.summarize(run, "mrr") == training.Summary(5, 0.475, 0.475, 5, "mrr")
    with pytest.raises(ParameterError, match="score_test"):
        de.summarize([replace(epoch, test={}) for epoch in run])


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
    whole_model, whole, after, looks = Watched(dropout=0.2), list[de.Epoch](), {}, []
    with watching(stop=(never := StopAfter(10**9))):
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


@pytest.mark.parametrize("where", ["loss", "outputs"])
def test_a_run_that_diverges_names_the_rate_and_keeps_its_best_weights(where: str) -> None:
    model, after = Watched(), {}
    model.script = [says(5, 5), says(6, 6), says(4, 4) if where == "loss" else torch.full((HELD_OUT,), torch.nan)]
    with pytest.raises(ParameterError, match=rf"{where}.* epoch 3.*learning_rate=0\.125"):
        for epoch in de.fit(model, TASK, 9, learning_rate=0.125):
            after[epoch.number] = state(model)
            if (where, epoch.number) == ("loss", 2):
                model.out.weight.data[:] = torch.nan
    assert same(state(model), after[2]) and not model.training


def test_random_numbers_of_the_process_are_neither_used_nor_seeded(monkeypatch: pytest.MonkeyPatch) -> None:
    """So runs in threads do not disturb each other."""
    for place in ("torch.manual_seed", "torch.cuda.manual_seed_all", "numpy.random.seed"):
        monkeypatch.delattr(place)
    before, seed = torch.get_rng_state(), 20_261_116_094_500_123_456_789
    for name in ("DE-GNN-SPD", "PGNN"):
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
    first, second, third = Watched(), Watched(), Watched()
    first.script = [says(5, 5), says(9, 9), says(4, 4)]
    second.script = [says(3, 3)] * 9
    assert [len(list(de.fit(model, TASK, n, **how))) for model, n in ((first, 3), (second, 9), (third, 9))] == [3, 5, 5]
    assert not third.looks
    assert same(state(first), state(second)) and same(state(first), state(third))  # those of epoch 2


def test_a_checkpoint_continues_the_same_run_only(tmp_path: Path) -> None:
    path = tmp_path / "run.ckpt"

    def resume(task: de.Task = TASK, epochs: int = 2, model: de.SetNet | None = None, **options: Any) -> list[Any]:
        return list(de.fit(Watched() if model is None else model, task, epochs, checkpoint=path, **options))

    same_run: dict[str, Any] = {"device": "cpu", "num_threads": 2, "checkpoint_every": 9, "max_steps": 9, "epochs": 3}
    first = resume()
    for name, value in same_run.items():
        assert resume(**{name: value})[:2] == first
    other: dict[str, Any] = {"seed": 1, "batch_size": 32, "optimizer": "sgd", "learning_rate": 1e-3, "clip": 1.0}
    other |= {"weight_decay": 0.1, "patience": 9, "metric": "accuracy", "choose_on": "test", "score_test": False}
    calls = [(name, {name: value}) for name, value in other.items()]
    calls += [("task", {"task": de.link_task(TASK.full_graph, seed=1)}), ("hyper", {"model": Watched(dropout=0.3)})]
    for name, options in [*calls, ("name", {"model": small("GCN")})]:
        with pytest.raises(ParameterError, match=f"its {name} is"):
            resume(**options)
    with pytest.raises(ParameterError, match=r"3 epochs .*epochs=2"):
        resume()
    assert resume(epochs=3)[:2] == first
    path.write_bytes(path.read_bytes()[:200])
    with pytest.raises(ParameterError, match="damaged"):
        resume()


def test_a_run_without_reset_gradients_has_no_checkpoint(tmp_path: Path) -> None:
    """They are not in the file, so it could not be resumed to the same numbers."""
    list(de.fit(Watched(), TASK, 1, zero_grad=False, checkpoint=tmp_path / "run"))
    assert not (tmp_path / "run").exists()


# ---- what is refused ------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("option", "allowed", "wrong"),
    [
        ("epochs", np.int32(1), [0, 1.5, 10**400]),
        ("max_steps", 1, [0, 2.5]),
        ("seed", 0, [-1, 2**300]),
        ("device", "cpu", [None, "meta"]),
        ("batch_size", np.int64(1), [0, 2**63]),
        ("learning_rate", np.float32(1e-9), [0, math.nan, True]),
        ("weight_decay", 0, [-1, math.inf]),
        ("patience", np.int8(1), [0, 2**64]),
        ("clip", 1e-9, [0, -1]),
        ("metric", "accuracy", ["mmr"]),
        ("choose_on", "test", ["train"]),
        ("checkpoint_every", 0, [-1, math.nan, "often"]),
        ("num_threads", 256, [0, 257]),
    ],
)
def test_a_wrong_option_is_named_before_the_first_epoch(tmp_path: Path, option: str, allowed: Any, wrong: Any) -> None:
    assert len(list(de.fit(Watched(), TASK, **{"epochs": 1, option: allowed}, checkpoint=tmp_path / "run"))) == 1
    for value in wrong:
        with pytest.raises(ParameterError, match=option):
            de.fit(Watched(), TASK, **{option: value})


def test_what_does_not_go_together_is_refused() -> None:
    for model, task, options, what in (
        (Watched(), TASK, {"choose_on": "test", "score_test": False}, "score_test"),
        (Watched(), de.triangle_task(TASK.full_graph), {}, "p=3"),
        (Watched(ROLES), de.role_task(TASK.full_graph.with_labels(np.arange(60) % 3)), {}, "3 classes"),
        (Watched(), [TASK], {}, "disjoint_union"),
        (Watched(), TASK, {"checkpoint": "no/such/folder/run"}, "folder"),
    ):
        with pytest.raises(ParameterError, match=what):
            de.fit(model, task, **options)  # type: ignore[arg-type]
