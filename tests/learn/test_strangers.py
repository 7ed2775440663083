"""Models and checkpoints from strangers, and settings that no machine can hold: refused in words, before any harm."""

from __future__ import annotations

import contextlib
import json
import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from safetensors.torch import save_file

import degnn_explore as de
from degnn_explore.common.errors import ParameterError
from degnn_explore.learn import saving
from degnn_explore.learn.nets import pagerank_exact, pagerank_top
from degnn_explore.learn.saving import read_tensors, write_tensors

from .test_training import TASK, G, small

ROOT = Path(__file__).parents[2]


def parts_of(path: Path) -> tuple[dict[str, torch.Tensor], dict]:
    return read_tensors(path, lambda how, kinds: None)


def crafted(path: Path, how: dict, **changes: torch.Tensor | None) -> Path:
    """The file with another text and other tensors, and a checksum that fits."""
    tensors, _ = parts_of(path)
    tensors |= changes
    return write_tensors(path, {name: tensor for name, tensor in tensors.items() if tensor is not None}, how)


@pytest.fixture
def model(tmp_path: Path) -> Path:
    return de.save(small("GCN"), tmp_path / "model.safetensors")


# ---- models -------------------------------------------------------------------------------------

WRONG_TEXTS = [
    ({"name": None}, "a model named None, which is not known here"),
    ({"name": ["GCN"]}, "which is not known here"),
    ({"name": "GCM"}, "Did you mean 'GCN'"),
    ({"hyper": None}, "hyperparameters of GCN are names with values, not None"),
    ({"hyper": [1, 2]}, "names with values"),
    ({"hyper": {"layers": "two"}}, "layers must be a whole number from 1 to 100, not 'two'"),
    ({"hyper": {"layers": 10**9}}, "layers must be a whole number from 1 to 100"),
    ({"hyper": {"hidden": 10**9}}, "(was changed after it was saved|more weights than can be counted)"),
    ({"hyper": {"hidden": 10**12}}, "more weights than can be counted"),
    ({"hyper": {"depth": 3}}, "hyperparameter of GCN='depth' is not known"),
    ({"shape": None}, "does not say what it is for: shape=None"),
    ({"shape": [2, 2]}, "does not say what it is for"),
    ({"shape": [2, 2, "0"]}, "does not say what it is for"),
    ({"shape": [0, 2, 0]}, "does not say what it is for"),
    ({"shape": [2, 2, -1]}, "does not say what it is for"),
    ({"shape": [2, 2, 10**15]}, "(was changed|more weights than can be counted)"),
    ({"classes": [0, 1, 2]}, "classes=\\[0, 1, 2\\]"),
    ({"classes": 7}, "does not say what it is for"),
    ({"kind": "thing"}, "is a thing, not a saved model"),
    ({"kind": None}, "is a None, not a saved model"),
]


@pytest.mark.parametrize(("changes", "message"), WRONG_TEXTS, ids=str)
def test_a_text_that_describes_no_model_is_refused(model: Path, changes: dict, message: str) -> None:
    _, how = parts_of(model)
    with pytest.raises(ParameterError, match=message):
        de.load_model(crafted(model, {**how, **changes}))


@pytest.mark.parametrize("missing", ["kind", "name", "hyper", "shape"])
def test_a_text_that_lacks_something_is_refused(model: Path, missing: str) -> None:
    _, how = parts_of(model)
    with pytest.raises(ParameterError):
        de.load_model(crafted(model, {key: value for key, value in how.items() if key != missing}))


@pytest.mark.parametrize("text", ["", "{", "7", "null", "[" * 200_000, '{"a":' * 100_000])
def test_a_text_that_is_no_description_is_refused(tmp_path: Path, text: str) -> None:
    meta = {"format": "degnn_explore 1", "how": text, "sha256": saving._checksum({}, text)}
    save_file({}, tmp_path / "m", meta)
    with pytest.raises(ParameterError, match="was changed after it was saved, or is not ours: it does not say how"):
        de.load_model(tmp_path / "m")


WEIGHT = "convs.0.linear.weight"
WRONG_TENSORS = [
    ({WEIGHT: None}, "it lacks 'convs.0.linear.weight'"),
    ({"other": torch.zeros(3)}, "it holds 'other'"),
    ({WEIGHT: torch.zeros(8, 9)}, r"its convs.0.linear.weight is F32 \[8, 9\], not F32 \[8, 1\]"),
    ({WEIGHT: torch.zeros(8, 1, dtype=torch.float64)}, r"is F64 \[8, 1\], not F32"),
    ({WEIGHT: torch.zeros(())}, r"is F32 \[\]"),
    ({"scale": torch.ones(5)}, r"its scale is F32 \[5\], not F32 \[1\]"),  # no buffer that may grow
]


@pytest.mark.parametrize(("changes", "message"), WRONG_TENSORS, ids=lambda case: str(case)[:40])
def test_tensors_that_do_not_fit_the_model_they_name_are_refused(model: Path, changes: dict, message: str) -> None:
    _, how = parts_of(model)
    with pytest.raises(ParameterError, match=f"was changed after it was saved, or is not ours: .*{message}"):
        de.load_model(crafted(model, how, **changes))


def test_a_type_that_numpy_does_not_know_is_refused(model: Path) -> None:
    tensors, how = parts_of(model)
    meta = {"format": "degnn_explore 1", "how": json.dumps(how), "sha256": "0" * 64}
    save_file({name: tensor.bfloat16() for name, tensor in tensors.items()}, model, meta)
    with pytest.raises(ParameterError, match="is BF16"):
        de.load_model(model)


def test_nothing_is_read_before_the_header_fits(model: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    _, how = parts_of(model)
    crafted(model, {**how, "hyper": {**how["hyper"], "hidden": 9}})
    monkeypatch.setattr(saving, "_checksum", lambda *_: pytest.fail("a tensor was touched"))
    with pytest.raises(ParameterError, match="was changed"):
        de.load_model(model)


@pytest.mark.parametrize("path", [None, 7, b"model", ["a"], 1.5])
def test_what_is_no_path_is_refused(path: object) -> None:
    with pytest.raises(ParameterError, match="A saved model is the path of a file, not"):
        de.load_model(path)


def trained(name: str, folder: Path) -> Path:
    net = small(name)
    list(de.fit(net, TASK, epochs=1))
    return de.save(net, folder / "model.safetensors")


@pytest.mark.parametrize(
    ("name", "changes", "message"),
    [
        ("PGNN", {"anchors": torch.tensor([10**6])}, "no nodes of the graph"),
        ("PGNN", {"anchors": torch.tensor([-1])}, "no nodes of the graph"),
        ("PGNN", {"anchor_ptr": torch.tensor([0, 3])}, "no nodes of the graph"),
        ("PGNN", {"anchor_ptr": torch.zeros(9, dtype=torch.int64), "anchors": torch.zeros(0, dtype=torch.int64)},
         "anchor set of this PGNN is empty"),
        ("struc2vec", {"embedding": torch.zeros(3, 8)}, "embeddings of 3 nodes and the graph has 60"),
        ("struc2vec", {"known_graphs": torch.zeros((0, 32), dtype=torch.uint8)}, "has not been trained yet"),
    ],
)  # fmt: skip
def test_what_a_model_knows_of_its_graph_must_fit_it(tmp_path: Path, name, changes, message) -> None:
    path = trained(name, tmp_path)
    _, how = parts_of(path)
    loaded = de.load_model(crafted(path, how, **changes))
    with pytest.raises(ParameterError, match=message):
        de.predict(loaded, TASK.graph, [{0, 1}])


plain = st.recursive(
    st.none() | st.booleans() | st.integers(-(2**70), 2**70) | st.floats() | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=8), inner, max_size=4),
    max_leaves=8,
)


@given(st.sampled_from(["kind", "name", "hyper", "shape", "classes"]), plain)
def test_any_text_gives_a_model_or_our_error(tmp_path_factory, key: str, value: object) -> None:
    path = de.save(small("GCN"), tmp_path_factory.mktemp("any") / "model")
    _, how = parts_of(path)
    with contextlib.suppress(ParameterError):
        de.load_model(crafted(path, {**how, key: value}))


# ---- checkpoints --------------------------------------------------------------------------------


def kept(tmp_path: Path, **options) -> Path:
    path = tmp_path / "run.ckpt"
    list(de.fit(small("GCN"), TASK, epochs=2, checkpoint=path, **options))
    return path


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"identity": None}, "does not say which run it is"),
        ({"identity": [1]}, "does not say which run it is"),
        ({"history": None}, "does not say which run it is"),
        ({"history": []}, "does not say which run it is"),
        ({"history": [7]}, "epoch 1 in it is 7"),
        ({"history": [{"number": 1}]}, "epoch 1 in it is"),
        ({"history": [{"number": 1, "loss": 0.5, "train": {}, "val": {}, "test": {}, "seconds": 1, "metric": "auc"}]},
         "epoch 1 in it is"),
        ({"kind": "model"}, "is a model, not a checkpoint"),
    ],
)  # fmt: skip
def test_a_checkpoint_that_describes_no_run_is_refused(tmp_path: Path, changes: dict, message: str) -> None:
    path = kept(tmp_path)
    _, how = parts_of(path)
    crafted(path, {**how, **changes})
    with pytest.raises(ParameterError, match=message):
        list(de.fit(small("GCN"), TASK, epochs=2, checkpoint=path))


@pytest.mark.parametrize("optimizer", ["adam", "sgd"])
@pytest.mark.parametrize(
    "changes",
    [
        {f"now.{WEIGHT}": torch.zeros(8, 3)},
        {f"best.{WEIGHT}": None},
        {"optimiser.0.step": torch.zeros(3)},
        {"optimiser.0.strange": torch.zeros(3)},
        {"optimiser.99.step": torch.zeros(())},
        {"optimiser.x.step": torch.zeros(())},
        {"optimiser": torch.zeros(())},
        {"thing.a": torch.zeros(())},
    ],
    ids=lambda case: str(case)[:30],
)
def test_a_checkpoint_whose_tensors_do_not_fit_is_refused(tmp_path: Path, changes: dict, optimizer: str) -> None:
    path = kept(tmp_path, optimizer=optimizer)
    _, how = parts_of(path)
    crafted(path, how, **changes)
    with pytest.raises(ParameterError, match="was changed after it was saved, or is not ours"):
        list(de.fit(small("GCN"), TASK, epochs=2, checkpoint=path, optimizer=optimizer))


# ---- settings -----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("name", "hyper", "message"),
    [
        ("GCN", {"hidden": 10**6}, r"GCN with .*hidden=1000000.* takes [\d.,]+ \wB to train, and this machine has"),
        ("GCN", {"hidden": 10**9}, "(takes .* to train|more weights than can be counted)"),
        ("GCN", {"layers": 10**9}, "layers must be a whole number from 1 to 100, not 1000000000"),
        ("DEA-GNN-SPD", {"hops": 10**9}, "hops must be a whole number from 1 to 100"),
        ("DE-GNN-SPD", {"max_dist": 10**9}, "max_dist|takes .* to train"),
        ("DE-GNN-LP", {"steps": 10**9}, "steps|takes .* to train"),
        ("DE-GNN-LP", {"f3": 10**7}, "takes .* to train"),
        ("PGNN", {"anchor_sets": 10**7}, "takes .* to train"),
        ("SEAL", {"sort_k": 10**9}, "sort_k must be a whole number from 10 to 100,000"),
        ("struc2vec", {"dim": 2**62}, "dim must be a whole number from 1 to 1,000,000,000,000"),
        ("struc2vec", {"window": 10**12}, "window must be"),
        ("GCN", {"hidden": 10**400}, "hidden must be a whole number"),
    ],
)
def test_sizes_that_cannot_fit_are_refused_before_anything_is_allocated(name: str, hyper: dict, message: str) -> None:
    with pytest.raises(ParameterError, match=message):
        de.build(name, TASK, **hyper)


@pytest.mark.parametrize("hyper", [{"length": 10**9}, {"walks": 10**10}, {"depth": 10**10}])
def test_struc2vec_says_what_its_walks_would_take(hyper: dict) -> None:
    model = de.build("struc2vec", TASK, **hyper)
    with pytest.raises(ParameterError, match=r"struc2vec with .* takes about .* on 60 nodes, and this machine has"):
        list(de.fit(model, TASK))


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"num_threads": 10**9}, "num_threads must be a whole number from 1 to 256, not 1000000000"),
        ({"num_threads": 0}, "num_threads"),
        ({"batch_size": 2**63}, "batch_size must be a whole number"),
        ({"epochs": 10**400}, "epochs must be a whole number"),
        ({"seed": 2**300}, "seed must be a whole number"),
        ({"patience": 2**64}, "patience must be a whole number"),
    ],
)
def test_options_that_reach_native_code_are_bounded(options: dict, message: str) -> None:
    with pytest.raises(ParameterError, match=message):
        de.fit(small("GCN"), TASK, **options)


def test_a_batch_larger_than_the_task_is_the_whole_task() -> None:
    whole, larger = (list(de.fit(small("GCN"), TASK, epochs=1, batch_size=b)) for b in (len(TASK.train), 2**62))
    assert whole[0].loss == larger[0].loss


def test_a_billion_threads_do_not_end_the_process() -> None:
    script = "\n".join(
        [
            "import degnn_explore as de",
            "task = de.link_task(de.load('karate'))",
            "try: list(de.fit(de.build('GCN', task, hidden=4), task, epochs=1, num_threads=10**9))",
            "except de.ParameterError as error: print(error)",
        ]
    )
    ran = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, text=True, cwd=ROOT, env={**os.environ}, check=False
    )
    assert ran.returncode == 0, ran.stderr
    assert "from 1 to 256" in ran.stdout


def test_pagerank_says_what_a_wide_encoding_or_many_scores_would_take(monkeypatch: pytest.MonkeyPatch) -> None:
    for module in (pagerank_exact, pagerank_top):
        monkeypatch.setattr(module, "memory", lambda: 50_000)
    with pytest.raises(ParameterError, match=r"max_dist=90 takes .* for a batch on 60 nodes, and this machine has"):
        de.build("DEA-GNN-PR", TASK, max_dist=90).prepare(G, TASK.train.sets)
    monkeypatch.setattr(pagerank_exact, "memory", lambda: 10**9)
    with pytest.raises(ParameterError, match=r"top=60 takes 57.6 KB for the scores of 60 nodes"):
        de.build("DEA-GNN-PR", TASK, top=60).prepare(G, TASK.train.sets)


def test_a_star_is_embedded_by_its_three_kinds_of_nodes() -> None:
    star = de.Graph.from_edges([(0, leaf) for leaf in range(1, 20_001)])
    task = de.link_task(star, max_positives=50)
    model = de.build("struc2vec", task)
    assert len(list(de.fit(model, task, epochs=1))) == 1
    # the middle, its leaves, and those whose link is held out
    assert len(np.unique(model.embedding.numpy(), axis=0)) == 3
