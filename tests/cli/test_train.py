"""``degnn-explore train``."""

from __future__ import annotations

import os
import re
import signal
import subprocess
import sys
from collections.abc import Iterator
from functools import wraps
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import degnn_explore as de
from degnn_explore.cli import main
from tests.support.waiting import LONG, until

TRAIN = ["train", "karate", "--epochs", "6", "--set", "hidden=8", "--set", "learning_rate=0.01", "--seed", "3"]


def library_model() -> tuple[de.Task, Any, list[de.Epoch]]:
    """The same by hand."""
    task = de.link_task(de.load("karate"), seed=3)
    model = de.build("DE-GNN-SPD", task, seed=3, hidden=8)
    return task, model, list(de.fit(model, task, 6, seed=3, learning_rate=0.01))


def test_what_is_saved_is_what_the_library_trains(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main([*TRAIN, "--out", "m.safetensors", "--quiet"]) == 0
    task, model, run = library_model()
    best = de.summarize(run)
    said = f"epoch {best.epoch} of 6 is best on validation; test auc {best.test:.4f}"
    assert said in capsys.readouterr().out
    pairs = np.array([[0, 33], [4, 7], [1, 2]])
    np.testing.assert_array_equal(
        de.predict(de.load_model("m.safetensors"), task.graph, pairs), de.predict(model, task.graph, pairs)
    )
    assert os.listdir() == ["m.safetensors"]  # the checkpoint is gone


def test_an_interrupted_run_goes_on_to_the_same_numbers(
    folder: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    from degnn_explore.learn.training import fit

    @wraps(fit)
    def interrupted(*arguments: Any, **options: Any) -> Iterator[de.Epoch]:
        for epoch in fit(*arguments, **options):
            yield epoch
            if epoch.number == 4:
                raise KeyboardInterrupt

    with monkeypatch.context() as patched:
        patched.setattr(de, "fit", interrupted)
        assert main([*TRAIN, "--out", "m.safetensors"]) == 130
    assert "keeps 4 epochs" in capsys.readouterr().err
    assert sorted(os.listdir()) == ["m.safetensors.checkpoint"]
    assert main([*TRAIN, "--out", "m.safetensors"]) == 0
    out, err = capsys.readouterr()
    assert "Resuming from m.safetensors.checkpoint" in err
    task, model, run = library_model()
    assert f"test auc {de.summarize(run).test:.4f}" in out
    S = np.array([[0, 33]])
    assert de.predict(de.load_model("m.safetensors"), task.graph, S) == de.predict(model, task.graph, S)


def test_ctrl_c_in_a_terminal_keeps_what_was_trained(folder: Path) -> None:
    command = [sys.executable, "-m", "degnn_explore.cli", "train", "karate", "--out", "m.safetensors"]
    command += ["--epochs", "1000000", "--set", "patience=None", "--set", "hidden=8"]
    process = subprocess.Popen(
        command,
        stderr=subprocess.PIPE,
        text=True,
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.default_int_handler),  # a job of nohup ignores it
    )
    kept = folder / "m.safetensors.checkpoint"
    until(lambda: kept.exists() or process.poll() is not None)
    process.send_signal(signal.SIGINT)
    _, said = process.communicate(timeout=LONG)
    assert process.returncode == 130, said
    assert (found := re.search(r"keeps (\d+) epochs", said)), said
    more = ["train", "karate", "--out", "m.safetensors", "--set", "patience=None", "--set", "hidden=8", "--quiet"]
    assert main([*more, "--epochs", str(int(found[1]) + 1)]) == 0
    assert de.load_model("m.safetensors").name == "DE-GNN-SPD"


def test_roles_are_learned_from_a_file_of_labels(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    G = de.load("karate")
    assert G.labels is not None
    Path("edges.csv").write_text("\n".join(f"n{u},n{v}" for u, v in G.edges), encoding="utf-8")
    Path("labels.csv").write_text("\n".join(f"n{v},{label}" for v, label in enumerate(G.labels)), encoding="utf-8")
    arguments = "edges.csv --task roles --labels labels.csv --model GCN --epochs 2 --out roles.safetensors --quiet"
    assert main(["train", *arguments.split()]) == 0
    assert "roles" in capsys.readouterr().out
    assert de.load_model("roles.safetensors").shape.p == 1


def test_a_heuristic_is_saved_like_a_model(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["train", "karate", "--model", "Adamic-Adar", "--out", "aa.safetensors", "--quiet"]) == 0
    assert de.load_model("aa.safetensors").name == "Adamic-Adar"
