"""Saved models: replaced in one step, any damage noticed, and clear errors for a file that is not one."""

from __future__ import annotations

import os
import struct
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from safetensors.torch import save_file

import degnn_explore as de
from degnn_explore.common.errors import ParameterError
from degnn_explore.learn.ensemble import Ensemble
from degnn_explore.learn.saving import write_tensors

from .small import ROLES, TASK, G, Watched, same, small, state


def test_saving_replaces_a_file_in_one_step_and_others_may_read_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "model.safetensors"
    mask = os.umask(0o022)
    assert de.save(small("GCN"), str(path)) == path == de.save(small("GCN", hidden=5), path)
    os.umask(mask)
    assert path.stat().st_mode & 0o777 == 0o644 and de.load_model(str(path)).hyper["hidden"] == 5
    before = path.read_bytes()

    def fail(*_: Any) -> None:
        raise OSError("disk full")

    monkeypatch.setattr("os.replace", fail)
    with pytest.raises(ParameterError, match="disk full"):
        de.save(small("GCN", hidden=7), path)
    assert path.read_bytes() == before and [file.name for file in tmp_path.iterdir()] == [path.name]


def test_any_damage_is_noticed(tmp_path: Path) -> None:
    model = small("DE-GNN-SPD")
    whole = de.save(model, path := tmp_path / "model.safetensors").read_bytes()
    start = 8 + struct.unpack("<Q", whole[:8])[0]  # of the weights
    refused = 0
    places = [*range(0, start, start // 50), *range(start, len(whole), (len(whole) - start) // 20), len(whole) - 1]
    for damaged in (
        *(whole[:keep] for keep in (0, 5, 100, start, len(whole) - 1)),
        *(whole[:k] + bytes([whole[k] ^ 1]) + whole[k + 1 :] for k in places),
    ):
        path.write_bytes(damaged)
        try:
            loaded = de.load_model(path)
        except ParameterError as error:
            refused += "model.safetensors" in str(error)
        else:  # a byte that says nothing
            assert same(state(loaded), state(model)) and loaded.hyper == model.hyper
    assert refused >= len(places)


def test_what_is_no_saved_model_is_named(tmp_path: Path) -> None:
    save_file({"a": torch.zeros(2)}, tmp_path / "foreign")
    list(de.fit(small("GCN"), TASK, 1, checkpoint=tmp_path / "run.ckpt"))
    for path, what in (
        (tmp_path, "no file"),
        (tmp_path / "foreign", "not written by this version"),
        (tmp_path / "run.ckpt", "is a checkpoint, not a model"),
    ):
        with pytest.raises(ParameterError, match=what):
            de.load_model(path)
    de.save(small("GCN"), tmp_path / "m")
    with pytest.raises(ParameterError, match="is a model, not a checkpoint"):
        list(de.fit(small("GCN"), TASK, checkpoint=tmp_path / "m"))


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"name": "GCM"}, "'GCM'.*Did you mean 'GCN'"),
        ({"members": [["GCN", {}], ["mine", {}]]}, "'mine'.*register_model"),
        ({"hyper": {"layers": 10**9}}, "layers must be"),
        ({"hyper": {"hidden": 10**12}}, "more weights"),
        ({"shape": [2]}, "damaged"),
        ({}, "damaged"),  # a GCN, and none of its weights
    ],
)
def test_a_file_that_describes_no_model_is_refused(tmp_path: Path, changes: dict[str, Any], message: str) -> None:
    header = {"kind": "model", "name": "GCN", "hyper": {}, "shape": [2, 2, 0], "classes": [0, 1], **changes}
    with pytest.raises(ParameterError, match=f"odd: .*{message}|odd .*{message}"):
        de.load_model(write_tensors(tmp_path / "odd", {}, header))


def test_what_could_not_be_loaded_again_is_not_saved(tmp_path: Path) -> None:
    for model, name, what in (
        (torch.nn.Linear(2, 2), "m", "Linear"),
        (Watched(), "m", "register_model"),
        (Ensemble([small("GCN"), Watched()]), "m", "register_model"),
        (small("GCN"), "", "is a folder"),
        (small("GCN"), "deep/m", "no folder"),
    ):
        with pytest.raises(ParameterError, match=what):
            de.save(model, tmp_path / name)  # type: ignore[arg-type]
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize("task", [TASK, de.role_task(G.with_labels(np.where(np.arange(60) % 2, 9, 7))), ROLES])
def test_an_ensemble_is_saved_with_all_its_members_and_knows_its_classes(tmp_path: Path, task: de.Task) -> None:
    both = Ensemble([small("GCN", task), small("DE-GNN-SPD", task, hidden=5, seed=3)])
    loaded = de.load_model(de.save(both, tmp_path / "both"))
    assert repr(loaded) == repr(both) and same(state(loaded), state(both)) and not loaded.training
    assert loaded.shape == both.shape and loaded.shape.classes == task.classes
    assert np.array_equal(*(de.predict(each, task.graph, task.test.sets) for each in (loaded, both)))
