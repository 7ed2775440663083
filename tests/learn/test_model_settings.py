"""The table of models: defaults, limits, what each setting changes, which model an encoding makes, save and load."""

from __future__ import annotations

import json
import math
import re
from dataclasses import fields
from functools import cache
from pathlib import Path
from typing import Any

import networkx as nx
import numpy as np
import pytest
import torch

import degnn_explore as de
from degnn_explore import ParameterError
from degnn_explore.learn import registry
from degnn_explore.learn.nets import block_nets, pagerank, struc2vec
from degnn_explore.learn.registry import MODELS, color_of, is_baseline, is_heuristic, mark_of, own_encoding
from degnn_explore.learn.training import seed_dropout

from .small_nets import built, task_of

TABLE = de.models()
LINKS, ROLES = de.link_task(de.load("karate"), seed=3), de.role_task(de.load("karate"), seed=3)
HEAWOOD = de.link_task(de.Graph.from_networkx(nx.heawood_graph()))

# ---- the table -------------------------------------------------------------------------------------------------------

RECORD = Path(__file__).with_name("models.json")  # write_table() records it anew, where a change is meant
OTHER: dict[str, Any] = {  # values that are no model's defaults
    "layers": 4, "hidden": 6, "dropout": 0.3, "readout": "difference", "max_nodes_per_hop": 2, "base": "GIN",
    "max_dist": 1, "steps": 2, "f3": 1, "eigenvectors": 2, "hops": 3, "alpha": 0.6, "damping": 0.02, "sort_k": 10,
    "distances": 1, "anchor_sets": 9, "anchor_seed": 3, "dim": 6, "walks": 3, "length": 9, "window": 2, "depth": 1,
    "passes": 1, "walk_seed": 5, "SEAL hops": 2,
}  # fmt: skip
SETTINGS = [(name, setting) for name in MODELS for setting in TABLE.hyperparameters[name]]


def other(name: str, setting: str) -> Any:
    return OTHER.get(f"{name} {setting}", OTHER[setting])


def table() -> dict[str, Any]:
    """Of every model what the table says, and the limits of its settings."""
    found = {}
    for name, row in TABLE.drop(columns=["about", "hyperparameters"]).iterrows():
        limits = {
            key: {each.name: value for each in fields(hyper) if (value := getattr(hyper, each.name)) != each.default}
            for key, hyper in MODELS[name].load().HYPER.items()
        }
        entry = {key: getattr(MODELS[name], key) for key in ("group", "bound", "usual", "mark")}
        found[name] = {**row, "learning_rate": str(row.learning_rate), **entry, "settings": limits}
    return json.loads(json.dumps(found))


def write_table() -> None:
    lines = [f"{json.dumps(name)}: {json.dumps(row)}" for name, row in table().items()]
    RECORD.write_text("{\n" + ",\n".join(lines) + "\n}\n", encoding="utf-8")


def test_models_have_the_sizes_defaults_limits_and_ranges_that_were_recorded() -> None:
    assert table() == json.loads(RECORD.read_text(encoding="utf-8"))
    for name, settings in TABLE.hyperparameters.items():
        assert settings == {key: hyper.default for key, hyper in MODELS[name].load().HYPER.items()}
        assert is_heuristic(name) == (MODELS[name].group == "heuristic") and own_encoding(name) == ""
        assert is_baseline(name) == (MODELS[name].group != "distance encoding") and mark_of(name) == ""
    colors = [color_of(name) for name in MODELS if not is_heuristic(name)]
    assert len({*colors, color_of("Katz"), color_of("no model")}) == len(colors) + 2
    assert not is_baseline("no model") and not is_heuristic("no model") and mark_of("no model") == ""


@pytest.mark.parametrize("name", MODELS)
def test_a_model_is_built_with_its_defaults_for_the_task(name: str) -> None:
    """max_dist is the task's: 5 in the Heawood graph, whose linked nodes are that far apart."""
    assert HEAWOOD.max_dist == 5
    for task in (LINKS, ROLES, HEAWOOD):
        if not MODELS[name].takes(task.p):
            with pytest.raises(ParameterError, match=f"takes target sets of .*, and this task has p={task.p}"):
                de.build(name, task)
            continue
        wanted = {**TABLE.hyperparameters[name], "learning_rate": TABLE.learning_rate[name]}
        if "max_dist" in wanted and name != "SEAL":
            wanted["max_dist"] = task.max_dist
        wanted |= TABLE.for_nodes[name] if task.p == 1 else {}
        model = de.build(name, task)
        assert {**model.hyper, "learning_rate": model.learning_rate} == wanted or is_heuristic(name)
        shown = {"p": task.p, "classes": task.num_classes, **model.hyper}
        assert all(f"{key}={value!r}" in repr(model) for key, value in shown.items())


@pytest.mark.parametrize(
    ("hyper", "allowed", "refused"),
    [
        (de.Hyper(3, least=1), [1, np.int64(2), 10**12], [0, 10**12 + 1, 1.5, True, "2", None]),
        (de.Hyper(3, least=1, most=9), [1, 9], [0, 10]),
        (de.Hyper(None, least=1, optional=True), [None, 4], [0, 1.0]),
        (de.Hyper(0.5, least=0), [0, 0.1], [-0.1, math.inf]),
        (de.Hyper(0.5, least=0.0, most=2.0), [0, 2], [-0.1, 2.1, math.inf]),
        (de.Hyper(0.5, below=1.0), [0, 0.99], [1, -0.01, math.nan, None, "0"]),
        (de.Hyper(0.9, above=0.0, below=1.0), [0.001, 0.999], [0, 1]),
        (de.Hyper("a", choices=("a", "b")), ["a", "b"], ["c", None]),
    ],
)
def test_a_setting_is_allowed_up_to_its_limits_and_kept_as_its_kind(
    hyper: de.Hyper, allowed: list[Any], refused: list[Any]
) -> None:
    for value in allowed:
        kept = hyper.checked("it", value)
        assert hyper.takes(value) and kept == value
        assert type(kept) is (type(hyper.default) if hyper.default is not None and value is not None else type(value))
    for value in refused:
        assert not hyper.takes(value)
        with pytest.raises(ParameterError, match=r"it.*must be|it="):
            hyper.checked("it", value)


# ---- what each setting changes ---------------------------------------------------------------------------------------


@cache
def said(name: str, training: bool, *settings: tuple[str, Any]) -> np.ndarray:
    """What a new model says of the test sets, in training or after it."""
    model = built(name, LINKS, **dict(settings))
    data = model.prepare(LINKS.graph, LINKS.test.sets)
    model.calibrate(data, np.arange(len(data)))
    seed_dropout(model, "cpu", 4)
    with torch.no_grad():
        return model.train(training)(data.batch(np.arange(len(data)))).numpy()


@pytest.mark.filterwarnings("ignore:With max_dist")
@pytest.mark.parametrize(("name", "setting"), SETTINGS)
def test_a_setting_changes_what_the_model_says(name: str, setting: str) -> None:
    for training in (False, True):
        usual, changed = said(name, training), said(name, training, (setting, other(name, setting)))
        assert changed.shape == usual.shape and np.isfinite(changed).all()
        assert np.array_equal(changed, usual) == (setting == "dropout" and not training)


@pytest.mark.filterwarnings("ignore:With max_dist")
@pytest.mark.parametrize("name", MODELS)
def test_a_model_with_other_settings_is_saved_and_loaded_and_learns_on(name: str, tmp_path: Path) -> None:
    task = LINKS if MODELS[name].takes(2) else ROLES
    settings = {setting: other(name, setting) for setting in TABLE.hyperparameters[name]}
    model = de.build(name, task, **settings)
    list(de.fit(model, task, epochs=1, device="cpu", progress=False))
    again = de.load_model(de.save(model, tmp_path / "model.safetensors"))
    assert (again.name, again.hyper, again.shape, again.training) == (name, settings, model.shape, False)
    scores = [de.predict(each, task.graph, task.test.sets, device="cpu") for each in (model, again)]
    assert np.array_equal(*scores) and len(np.unique(scores[0])) > 1
    assert len({next(de.fit(each, task, epochs=1, device="cpu", progress=False)).loss for each in (model, again)}) == 1


# ---- building --------------------------------------------------------------------------------------------------------


def test_weights_follow_the_seed_and_torchs_own_state_stays() -> None:
    before = torch.random.get_rng_state()
    first, again, other_seed = (built("DE-GNN-SPD", LINKS, seed) for seed in (0, 0, 1))
    assert torch.equal(before, torch.random.get_rng_state())
    assert all(map(torch.equal, first.parameters(), again.parameters()))
    assert not any(map(torch.equal, first.parameters(), other_seed.parameters()))


def test_a_model_may_take_all_of_the_memory_and_no_more(monkeypatch: pytest.MonkeyPatch) -> None:
    """Four times its weights: with their gradients, and two numbers for each that Adam keeps."""
    weights = sum(weight.nbytes for weight in built("GIN", LINKS).parameters())
    monkeypatch.setattr(registry, "memory", lambda: 4 * weights)
    built("GIN", LINKS)
    monkeypatch.setattr(registry, "memory", lambda: 4 * weights - 1)
    with pytest.raises(ParameterError, match=r"GIN with .*hidden=5.* to train, and this machine has"):
        built("GIN", LINKS)


@pytest.mark.parametrize(
    ("module", "name", "more"),
    [
        (pagerank, "DEA-GNN-PR", [{"n": 100}, {"p": 3}, {"max_dist": 99}]),
        (struc2vec, "struc2vec", [{"n": 100}, {"dim": 500}, {"walks": 9}, {"length": 99}, {"depth": 99}]),
    ],
)
def test_what_takes_more_memory_is_refused_on_a_machine_that_has_less(
    module: Any, name: str, more: list[dict], monkeypatch: pytest.MonkeyPatch
) -> None:
    def taken(n: int = 50, p: int = 2, **hyper: int) -> float:
        """The bytes that the model would take, by the error."""
        task = task_of(de.zoo.cycle(n), p)
        with pytest.raises(ParameterError, match="and this machine has 0 bytes") as error:
            built(name, task, **hyper).prepare(task.graph, task.train.sets)
        number, unit = re.search(r"takes (?:about )?([\d.,]+) (\w+)", str(error.value)).groups()
        return float(number.replace(",", "")) * 1000 ** ["bytes", "KB", "MB", "GB"].index(unit)

    monkeypatch.setattr(module, "memory", lambda: 0)
    least = taken()
    assert 30_000 < least < 1_000_000 and all(taken(**bigger) > 1.3 * least for bigger in more)


def test_blocks_take_an_eighth_of_the_memory_from_2_to_4_gigabytes(monkeypatch: pytest.MonkeyPatch) -> None:
    for memory, budget in ((1, 2), (16, 2), (24, 3), (32, 4), (1000, 4)):
        monkeypatch.setattr(block_nets, "memory", lambda memory=memory: memory * 10**9)
        assert block_nets.budget() == budget * 10**9
    model = built("DE-GNN-SPD", LINKS)
    held = model.prepare(LINKS.graph, LINKS.train.sets)
    monkeypatch.setattr(block_nets, "budget", lambda: held.nbytes - 1)
    streamed = model.prepare(LINKS.graph, LINKS.train.sets)
    assert streamed.streamed and not held.streamed
    with torch.no_grad():
        assert torch.equal(*(model(data.batch(np.arange(9))) for data in (held, streamed)))


# ---- encodings -------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("name", "encoding", "settings"),
    [
        ("DE-GNN-SPD", de.SPD(max_dist=5), {"max_dist": 5}),
        ("DEA-GNN-SPD", de.SPD(max_dist=2), {"max_dist": 2}),
        ("DE-GNN-LP", de.LandingProbability(steps=4), {"steps": 4}),
        ("DE-GNN-ZeroOne", de.ZeroOne(), {}),
        ("DE-GNN-RWSE", de.RandomWalkSE(steps=5), {"steps": 5}),
        ("DE-GNN-LapPE", de.LaplacianPE(k=3), {"eigenvectors": 3}),
    ],
)
def test_an_encoding_makes_the_model_that_has_it(name: str, encoding: Any, settings: dict) -> None:
    kind = name.rpartition("-")[0]
    model = de.build(kind, LINKS, encoding=encoding, layers=1, seed=3)
    again = de.build(name, LINKS, seed=3, layers=1, **settings)
    assert (model.name, model.hyper) == (name, again.hyper)
    assert all(map(torch.equal, model.parameters(), again.parameters()))
    for setting in settings:
        assert de.build(kind, LINKS, encoding=encoding, **{setting: 1}).hyper[setting] == 1


def test_a_registered_encoding_adds_two_models_that_keep_their_color() -> None:
    def register(name: str, step: int) -> de.Encoding:
        return de.encoding(name, lambda near: near.degree + step, columns=["degree"], max_dist=2)

    zeta, before = register("mine", 1), list(MODELS)[:-2]
    assert list(MODELS) == [*before, "DE-GNN-mine", "DEA-GNN-mine"] and len(MODELS) == len(before) + 2
    first = MODELS["DE-GNN-mine"]
    assert not is_baseline("DEA-GNN-mine") and first.takes(1) and first.takes(4)
    for kind in ("DE-GNN", "DEA-GNN"):
        model = de.build(kind, LINKS, encoding=zeta, layers=1)
        assert model.name == f"{kind}-mine" and model.encoding is zeta and own_encoding(model.name) == "mine"
    changed = register("mine", 2)
    assert color_of("DE-GNN-mine") == first.color and mark_of("DE-GNN-mine") not in ("", first.mark)
    assert de.build("DE-GNN-mine", LINKS).encoding is changed and own_encoding("x-GNN-mine") == ""
    register("yours", 2)
    colors = [color_of(name) for name in MODELS if not is_heuristic(name)]
    assert len({*colors}) == len(colors)
    features_only = [zeta, de.SPD(3, pool="sum"), de.LandingProbability(3, pool=None)]  # another is "mine" by now
    for kind, nameless in (*(("DE-GNN", each) for each in features_only), ("DEA-GNN", de.ZeroOne())):
        with pytest.raises(ParameterError, match=r"not registered.*de\.encoding\("):
            de.build(kind, LINKS, encoding=nameless)


def test_an_encoding_of_pairs_makes_models_of_pairs() -> None:
    class Both(de.Encoding):
        num_targets = 2
        columns = ("always 1",)

        def pairwise(self, G: de.Graph, S: np.ndarray, cut: bool) -> np.ndarray:
            return np.ones((1, G.num_nodes, 1))

    de.encoding("both", Both())
    assert de.models().loc["DE-GNN-both", "sizes"] == "2"
    with pytest.raises(ParameterError, match="takes target sets of 2 nodes"):
        de.build("DE-GNN-both", ROLES)
