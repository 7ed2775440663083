"""Saved models: the same predictions after loading, and clear words for a file that is not one."""

from __future__ import annotations

import json
import os
import struct

import numpy as np
import pytest
import torch

import degnn_explore as de
from degnn_explore.common.errors import ParameterError
from degnn_explore.learn.saving import write_tensors

from .test_training import EVERY, TASK, G, small


@pytest.mark.parametrize("name", EVERY)
def test_a_loaded_model_predicts_as_the_saved_one(name, tmp_path):
    model = small(name)
    list(de.fit(model, TASK, epochs=1))
    loaded = de.load_model(de.save(model, tmp_path / "model.safetensors"))
    assert (loaded.name, loaded.hyper, loaded.shape) == (model.name, model.hyper, model.shape)
    assert not loaded.training
    sets = TASK.test.sets
    assert np.array_equal(de.predict(loaded, G, sets), de.predict(model, G, sets))


def test_saving_replaces_a_file_whole_and_leaves_nothing_else(tmp_path):
    path = tmp_path / "model.safetensors"
    de.save(small("GCN"), path)
    de.save(small("GCN", hidden=5), path)
    assert de.load_model(path).hyper["hidden"] == 5
    assert [file.name for file in tmp_path.iterdir()] == ["model.safetensors"]


def test_a_failed_write_keeps_the_old_file(tmp_path, monkeypatch):
    path = tmp_path / "model.safetensors"
    de.save(small("GCN"), path)
    before = path.read_bytes()

    def fail(*_):
        raise OSError("disk full")

    monkeypatch.setattr("os.replace", fail)
    with pytest.raises(ParameterError, match=r"could not be written \(disk full\); what was there before is unchanged"):
        de.save(small("GCN", hidden=5), path)
    assert path.read_bytes() == before
    assert len(list(tmp_path.iterdir())) == 1


@pytest.mark.parametrize("keep", [0, 5, 100, -1])
def test_a_truncated_file_is_named(tmp_path, keep):
    path = de.save(small("GCN"), tmp_path / "model.safetensors")
    path.write_bytes(path.read_bytes()[:keep])
    with pytest.raises(ParameterError, match=r"model.safetensors cannot be read as a saved model"):
        de.load_model(path)


def test_a_changed_weight_is_noticed(tmp_path):
    path = de.save(small("GCN"), tmp_path / "model.safetensors")
    content = bytearray(path.read_bytes())
    content[-3] ^= 1
    path.write_bytes(content)
    with pytest.raises(ParameterError, match="changed after it was saved"):
        de.load_model(path)


def test_a_changed_description_is_noticed(tmp_path):
    path = de.save(small("GCN"), tmp_path / "model.safetensors")
    content = path.read_bytes()
    length = struct.unpack("<Q", content[:8])[0]
    header = json.loads(content[8 : 8 + length])
    header["__metadata__"]["how"] = header["__metadata__"]["how"].replace('"layers": 2', '"layers": 3')
    text = json.dumps(header).encode()
    path.write_bytes(struct.pack("<Q", len(text)) + text + content[8 + length :])
    with pytest.raises(ParameterError, match="changed after it was saved"):
        de.load_model(path)


def test_other_files_are_named(tmp_path):
    with pytest.raises(ParameterError, match="no file"):
        de.load_model(tmp_path / "nothing")
    text = tmp_path / "notes.txt"
    text.write_text("not a model at all, but some longer text", encoding="utf-8")
    with pytest.raises(ParameterError, match="cannot be read"):
        de.load_model(text)
    from safetensors.torch import save_file

    save_file({"a": torch.zeros(2)}, tmp_path / "foreign.safetensors")
    with pytest.raises(ParameterError, match="not written by this version"):
        de.load_model(tmp_path / "foreign.safetensors")
    list(de.fit(small("GCN"), TASK, epochs=1, checkpoint=tmp_path / "run.ckpt"))
    with pytest.raises(ParameterError, match="is a checkpoint, not a model"):
        de.load_model(tmp_path / "run.ckpt")
    for path in (None, 7, b"model"):
        with pytest.raises(ParameterError, match="path of a file"):
            de.load_model(path)
    with pytest.raises(ParameterError, match="no folder"):
        de.save(small("GCN"), tmp_path / "deep" / "model")


HEADER = {"kind": "model", "name": "GCN", "hyper": {}, "shape": [2, 2, 0], "classes": [0, 1]}


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"name": "GCM"}, "'GCM', which is not known here.*Did you mean 'GCN'"),
        ({"hyper": {"layers": 10**9}}, "layers must be"),
        ({"hyper": {"hidden": 10**12}}, "more weights than can be counted"),
        ({"shape": [2]}, "damaged, or something else"),
        ({}, "damaged, or something else"),  # a GCN, and none of its weights
    ],
)
def test_a_file_that_describes_no_model_is_refused(tmp_path, changes, message):
    path = write_tensors(tmp_path / "odd", {}, {**HEADER, **changes})
    with pytest.raises(ParameterError, match=message):
        de.load_model(path)


def test_others_may_read_a_saved_model_and_it_knows_its_classes(tmp_path):
    graph = G.with_labels(np.where(np.arange(60) % 2, 9, 7))
    task = de.role_task(graph)
    before = os.umask(0o022)
    try:
        path = de.save(small("GCN", task), tmp_path / "m")
    finally:
        os.umask(before)
    assert path.stat().st_mode & 0o777 == 0o644
    assert de.load_model(path).shape.classes == (7, 9)
    with pytest.raises(ParameterError, match="is a folder"):
        de.save(small("GCN"), tmp_path)
    assert sorted(p.name for p in tmp_path.iterdir()) == ["m"]
