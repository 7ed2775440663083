"""``degnn-explore train``: what is saved is what the library trains with the same options."""

from __future__ import annotations

import os
import re
import sys
from collections.abc import Iterator
from functools import wraps
from typing import Any
from unittest.mock import Mock

import numpy as np
import pytest

import degnn_explore as de
from degnn_explore.cli import command

from .conftest import Shell, write

KARATE = de.load("karate")
TRAIN = ["train", "karate", "--epochs", "6", "--set", "hidden=8", "--set", "learning-rate=0.01", "--seed", "3"]


def of_library(
    task: de.Task, name: str = "DE-GNN-SPD", epochs: int = 6, seed: int = 3, **rate: float
) -> tuple[Any, str, str]:
    """What a model of the library predicts for all test sets, and its best epoch in the words of the command."""
    model = de.build(name, task, seed=seed, hidden=8)
    best = de.summarize(list(de.fit(model, task, epochs, seed=seed, **rate)))
    return de.predict(model, task.graph, task.test.sets), f"epoch {best.epoch}", f"test {best.metric} {best.test:.4f}"


def of_file(task: de.Task) -> Any:
    return de.predict(de.load_model("m.safetensors"), task.graph, task.test.sets)


@pytest.mark.parametrize(
    ("options", "task", "more"),
    [
        ("--set learning_rate=0.01", lambda: de.link_task(KARATE, seed=3), {"learning_rate": 0.01}),
        ("--model GCN", lambda: de.link_task(KARATE, seed=3), {"name": "GCN"}),
        ("--seed 0 --epochs 2", lambda: de.link_task(KARATE), {"seed": 0, "epochs": 2}),
        ("--task roles --device cpu", lambda: de.role_task(KARATE, seed=3), {}),
        ("--task triangles --max-positives 20", lambda: de.triangle_task(KARATE, seed=3, max_positives=20), {}),
    ],
)
def test_each_option_does_what_it_does_in_python(shell: Shell, options: str, task: Any, more: dict[str, Any]) -> None:
    done = shell("train", "karate", "--out", "m.safetensors", "--set", "hidden=8", "--epochs", 6, "--seed", 3,
                 *options.split(), "--quiet")  # fmt: skip
    predictions, epoch, test = of_library(task(), **more)
    np.testing.assert_array_equal(of_file(task()), predictions)
    assert (done.code, done.err) == (0, "")
    assert f"{epoch} of {more.get('epochs', 6)} is best" in done.out and done.out.count(test) == 1
    assert f"{more.get('name', 'DE-GNN-SPD')} on karate club, {task().kind}, seed {more.get('seed', 3)}:" in done.out
    assert "Saved as m.safetensors" in done.out and os.listdir() == ["m.safetensors"]


def test_a_bar_moves_in_a_terminal_and_seldom_in_a_log(monkeypatch: pytest.MonkeyPatch) -> None:
    seconds = {}
    for is_terminal in (True, False):
        monkeypatch.setattr(sys, "stderr", Mock(isatty=lambda is_terminal=is_terminal: is_terminal))
        seconds[is_terminal] = command.bar("training", 10, False).mininterval
    assert 0 < seconds[True] < 1 < 10 < seconds[False]


def test_an_interrupted_run_resumes_to_the_same_numbers(shell: Shell, monkeypatch: pytest.MonkeyPatch) -> None:
    def stop_at(last: int) -> Any:
        @wraps(de.fit)
        def interrupted(*arguments: Any, real: Any = de.fit, **options: Any) -> Iterator[de.Epoch]:
            for epoch in real(*arguments, **options) if last else ():
                yield epoch
                if epoch.number == last:
                    break
            raise KeyboardInterrupt

        return interrupted

    for last, said in ((0, "nothing was kept"), (4, "keeps 4 epochs; the same command resumes")):
        with monkeypatch.context() as patch:
            patch.setattr(de, "fit", stop_at(last))
            done = shell(*TRAIN, "--out", "m.safetensors", "--quiet")
        assert (done.code, done.out) == (130, "") and said in done.err
        assert os.listdir() == (["m.safetensors.checkpoint"] if last else [])
    done = shell(*TRAIN, "--out", "m.safetensors")
    assert done.code == 0 and "Resuming from m.safetensors.checkpoint" in done.err and "6 epochs in all" in done.out
    assert re.search(r"DE-GNN-SPD: 100%.* 6/6 .*epoch.*, validation 0\.\d{4}\]", done.err)
    assert done.err.count("\r") < 4  # a log has few lines
    task = de.link_task(KARATE, seed=3)
    predictions, epoch, test = of_library(task, learning_rate=0.01)
    assert epoch in done.out and test in done.out
    np.testing.assert_array_equal(of_file(task), predictions)
    assert os.listdir() == ["m.safetensors"]


def test_roles_are_learned_from_a_file_of_labels(shell: Shell) -> None:
    write("edges.csv", "\n".join(f"n{u},n{v}" for u, v in KARATE.edges))
    write("labels.csv", "\n".join(f"n{v},{'red' if label else 'blue'}" for v, label in enumerate(KARATE.labels)))
    arguments = "train edges.csv --task roles --model GCN --epochs 2 --out m.safetensors --quiet".split()
    assert shell(*arguments, "--labels", "labels.csv").code == 0
    shape = de.load_model("m.safetensors").shape
    assert (shape.p, shape.num_classes) == (1, 2)
    done = shell(*arguments)
    assert done.code == 2 and "label" in done.err


def test_a_heuristic_is_saved_like_a_model(shell: Shell) -> None:
    assert shell("train", "karate", "--model", "Adamic-Adar", "--out", "m.safetensors", "--quiet").code == 0
    assert de.load_model("m.safetensors").name == "Adamic-Adar"
