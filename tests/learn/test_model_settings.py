"""The table of models: defaults, limits, what each setting changes, which model an encoding makes, save and load."""

from __future__ import annotations

import math
import re
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
from degnn_explore.learn.nets.base import Hyper
from degnn_explore.learn.registry import MODELS, color_of, is_baseline, is_heuristic, mark_of, own_encoding
from degnn_explore.learn.training import seed_dropout

from .small_nets import SMALL, built

TABLE = de.models()
LINKS, ROLES = de.link_task(de.load("karate"), seed=3), de.role_task(de.load("karate"), seed=3)
HEAWOOD = de.link_task(de.Graph.from_networkx(nx.heawood_graph()))

# ---- defaults and limits ---------------------------------------------------------------------------------------------

COMMON = {"layers": 2, "hidden": 100, "dropout": 0.0, "readout": "joined"}
BLOCKS = {**COMMON, "max_nodes_per_hop": None}
DE_GNN = {**BLOCKS, "base": "GCN"}
NARROW = {"layers": 2, "hidden": 32, "dropout": 0.0}
DEFAULTS: dict[str, dict[str, Any]] = {
    "GCN": BLOCKS,
    "SAGE": BLOCKS,
    "GIN": BLOCKS,
    "struc2vec": {"dim": 128, "walks": 10, "length": 80, "window": 10, "depth": 4, "passes": 3, "walk_seed": 0},
    "PGNN": {**COMMON, "layers": 1, "hidden": 50, "anchor_sets": 64, "anchor_seed": 0},
    "SEAL": {"hops": 1, "layers": 3, "hidden": 32, "dropout": 0.5, "max_dist": 3, "sort_k": 30}
    | {"max_nodes_per_hop": None},
    "BUDDY": {**NARROW, "distances": 2},
    "NCN": NARROW,
    "DE-GNN-ZeroOne": DE_GNN,
    "DE-GNN-RWSE": {**DE_GNN, "steps": 8},
    "DE-GNN-LapPE": {**DE_GNN, "eigenvectors": 4},
    "DE-GNN-SPD": {**DE_GNN, "max_dist": 3},
    "DE-GNN-LP": {**DE_GNN, "steps": 3, "f3": 0},
    "DEA-GNN-SPD": {**BLOCKS, "hops": 2, "max_dist": 3},
    "DEA-GNN-PR": {**COMMON, "max_dist": 3, "alpha": 0.9},
    "Katz": {"damping": 0.2},
    "personalized PageRank": {"alpha": 0.85},
}
LINKS_ONLY, SEVERAL, NODES = ("SEAL", "BUDDY", "NCN", "walk profiles"), ("PGNN",), ("degree", "centralities")
PAPER = {  # the ranges that the paper's appendix lists
    "layers": "1, 2, 3", "hidden": "20, 50, 80, 100", "dropout": "0, 0.2", "readout": "difference", "base": "GCN",
    "max_dist": "3, 4", "steps": "3, 4", "hops": "1, 2, 3", "alpha": "0.9", "learning_rate": "1e-4 (SGD)",
}  # fmt: skip
IN_PAPER = ("GCN", "SAGE", "GIN", "PGNN", "SEAL", "DE-GNN-SPD", "DE-GNN-LP", "DEA-GNN-SPD", "DEA-GNN-PR")


def test_the_table_lists_every_model_with_its_sizes_and_defaults() -> None:
    assert list(TABLE.index) == list(MODELS) and {*DEFAULTS} < {*MODELS}
    for name, row in TABLE.iterrows():
        heuristic = list(TABLE.index).index(name) >= len(TABLE) - 10
        assert row.hyperparameters == DEFAULTS.get(name, {})
        sizes = (
            "2" if name in LINKS_ONLY else "1" if name in NODES else "2, 3" if heuristic or name == "PGNN" else "any"
        )
        assert row["sizes"] == sizes and row.inductive == (name not in ("PGNN", "struc2vec"))
        for_nodes = {} if heuristic or name == "DEA-GNN-PR" else {"learning_rate": 1e-2}
        assert row.for_nodes == for_nodes | ({"layers": 3} if name == "DE-GNN-LP" else {})
        if heuristic:
            assert math.isnan(row.learning_rate) and row.paper == {}
        else:
            assert row.learning_rate == (1e-2 if name == "DEA-GNN-PR" else 1e-3)
        if name in IN_PAPER:
            known = {key: text for key, text in PAPER.items() if key in (*row.hyperparameters, *for_nodes)}
            assert row.paper == known | ({"hops": "1, 2"} if name == "SEAL" else {})
        assert is_heuristic(name) == heuristic
        assert is_baseline(name) == (name not in ("DE-GNN-SPD", "DE-GNN-LP", "DEA-GNN-SPD", "DEA-GNN-PR"))
        assert mark_of(name) == own_encoding(name) == "" and len(row.about) > 10
    usual = [name for name, entry in MODELS.items() if entry.usual]
    assert usual == ["GCN", "DE-GNN-SPD", "Adamic-Adar", "degree"]
    assert [name for name, entry in MODELS.items() if entry.bound == "1-WL"] == ["GCN", "SAGE", "GIN"]
    colors = [color_of(name) for name in MODELS if not is_heuristic(name)]
    assert len({*colors, color_of("Katz")}) == len(colors) + 1
    assert not is_baseline("no model") and not is_heuristic("no model") and mark_of("no model") == ""
    assert color_of("no model").startswith("#")


@pytest.mark.parametrize("name", MODELS)
def test_a_model_is_built_with_its_defaults_for_the_task(name: str) -> None:
    """max_dist is the task's: 5 in the Heawood graph, whose linked nodes are that far apart."""
    assert HEAWOOD.max_dist == 5
    for task in (LINKS, ROLES, HEAWOOD):
        if MODELS[name].takes(task.p):
            model, wanted = de.build(name, task), dict(DEFAULTS.get(name, {}))
            if "max_dist" in wanted and name != "SEAL":
                wanted["max_dist"] = task.max_dist
            if name == "DE-GNN-LP" and task.p == 1:
                wanted["layers"] = 3
            assert model.hyper == wanted and model.name == name and model.training
            assert model.learning_rate == (1e-2 if task.p == 1 or name == "DEA-GNN-PR" else 1e-3)
            shown = {**wanted, "p": task.p, "classes": task.num_classes}
            assert all(f"{key}={value!r}" in repr(model) for key, value in shown.items())
        else:
            with pytest.raises(ParameterError, match=f"takes target sets of .*, and this task has p={task.p}"):
                de.build(name, task)


LIMITS: dict[str, tuple[list[Any], list[Any]]] = {  # what is just allowed, the first no model's default; and just not
    "layers": ([4, 1, 100, np.int64(2)], [0, 101, 1.5, True, "2", None]),
    "hidden": ([6, 1, 10**12], [0, 2.0, 10**12 + 1]),
    "dropout": ([0.3, 0, 0.9, 0.99], [1, -0.01, math.nan, None, "0"]),
    "readout": (["difference", "joined"], ["sum", None]),
    "max_nodes_per_hop": ([2, 1, None], [0, 1.0]),
    "base": (["GIN", "GCN", "SAGE"], ["GAT"]),
    "max_dist": ([1], [0]),
    "steps": ([2, 1, 1000], [0]),
    "f3": ([1, 0], [-1]),
    "eigenvectors": ([2, 1, 1000], [0, 1001]),
    "hops": ([3, 1, 100], [0, 101]),
    "alpha": ([0.6, 0.001, 0.999], [0, 1, 0.0, 1.0]),
    "damping": ([0.02, 0.001, 0.999], [0, 1]),
    "sort_k": ([10, 100_000], [9, 100_001]),
    "distances": ([1, 10], [0, 11]),
    "anchor_sets": ([9, 1], [0]),
    "anchor_seed": ([3, 0, 2**256 - 1], [-1, 2**256]),
    "dim": ([6, 1], [0]),
    "walks": ([3, 1], [0]),
    "length": ([9, 2], [1]),
    "window": ([2, 1, 10**6], [0, 10**6 + 1]),
    "depth": ([1], [0]),
    "passes": ([1, 10**6], [0, 10**6 + 1]),
    "walk_seed": ([5, 0, 2**256 - 1], [-1, 2**256]),
}
OTHER_LIMITS = {
    ("SEAL", "hops"): ([2, 1], [0, 3]),
    ("BUDDY", "dropout"): ([0.3, 0, 0.9], [0.91, -0.01]),
    ("NCN", "dropout"): ([0.3, 0, 0.9], [0.91, -0.01]),
    ("DE-GNN-RWSE", "steps"): ([2, 1, 1000], [0, 1001]),
}
SETTINGS = [(name, setting) for name, defaults in DEFAULTS.items() for setting in defaults]


def limits(name: str, setting: str) -> tuple[list[Any], list[Any]]:
    return OTHER_LIMITS.get((name, setting), LIMITS[setting])


@pytest.mark.parametrize(("name", "setting"), SETTINGS)
def test_a_setting_is_allowed_up_to_its_limits(name: str, setting: str) -> None:
    allowed, refused = limits(name, setting)
    hyper = MODELS[name].load().HYPER[setting]
    for value in allowed:
        assert hyper.takes(value) and hyper.checked(setting, value) == value
    for value in refused:
        assert not hyper.takes(value)
        with pytest.raises(ParameterError, match=setting):
            de.build(name, LINKS, **{setting: value})


def test_numbers_are_kept_as_whole_or_real_ones_as_their_range_says() -> None:
    assert [type(Hyper(3, least=1).checked("a", np.int64(2))), type(Hyper(0.5, least=0).checked("a", 1))] == [
        int,
        float,
    ]
    wide = Hyper(0.5, least=0.0, most=2.0)
    assert [wide.takes(x) for x in (-0.1, 0, 2, 2.1, math.inf)] == [False, True, True, False, False]
    assert [Hyper(None, least=1, optional=True).checked("a", x) for x in (None, 4)] == [None, 4]
    with pytest.raises(ParameterError, match="a must be a number from 0 to 2, not 3"):
        wide.checked("a", 3)
    assert [Hyper(1, for_nodes=5).default_for(p) for p in (1, 2)] == [5, 1]


# ---- what each setting changes ---------------------------------------------------------------------------------------


def made(name: str, seed: int = 1, **settings: Any) -> de.SetNet:
    narrow = {key: value for key, value in {**SMALL, "hidden": 8}.items() if key in DEFAULTS[name]}
    return de.build(name, LINKS, seed=seed, **{**narrow, **settings})


@cache
def said(name: str, training: bool, *settings: tuple[str, Any]) -> np.ndarray:
    """What a new model says of the test sets, in training or after it."""
    model = made(name, **dict(settings))
    model.bind(LINKS)
    data = model.prepare(LINKS.graph, LINKS.test.sets)
    model.calibrate(data, np.arange(len(data)))
    seed_dropout(model, "cpu", 4)
    with torch.no_grad():
        return model.train(training)(data.batch(np.arange(len(data)))).numpy()


@pytest.mark.filterwarnings("ignore:With max_dist")
@pytest.mark.parametrize(("name", "setting"), SETTINGS)
def test_a_setting_changes_what_the_model_says(name: str, setting: str) -> None:
    for training in (False, True):
        usual, changed = said(name, training), said(name, training, (setting, limits(name, setting)[0][0]))
        assert changed.shape == usual.shape and np.isfinite(changed).all()
        assert np.array_equal(changed, usual) == (setting == "dropout" and not training)


@pytest.mark.filterwarnings("ignore:With max_dist")
@pytest.mark.parametrize("name", MODELS)
def test_a_model_with_other_settings_is_saved_and_loaded(name: str, tmp_path: Path) -> None:
    task = LINKS if MODELS[name].takes(2) else ROLES
    settings = {setting: limits(name, setting)[0][0] for setting in DEFAULTS.get(name, {})}
    model = de.build(name, task, **settings)
    list(de.fit(model, task, epochs=1, device="cpu", progress=False))
    again = de.load_model(de.save(model, tmp_path / "model.safetensors"))
    assert (again.name, again.hyper, again.shape) == (name, settings, model.shape)
    scores = [de.predict(each, task.graph, task.test.sets, device="cpu") for each in (model, again)]
    assert np.array_equal(*scores) and len(np.unique(scores[0])) > 1


# ---- building --------------------------------------------------------------------------------------------------------


def test_weights_follow_the_seed_and_torchs_own_state_stays() -> None:
    before = torch.random.get_rng_state()
    first, again, other_seed = (made("DE-GNN-SPD", seed) for seed in (0, 0, 1))
    assert torch.equal(before, torch.random.get_rng_state())
    assert all(map(torch.equal, first.parameters(), again.parameters()))
    assert not any(map(torch.equal, first.parameters(), other_seed.parameters()))


def test_a_model_may_take_all_of_the_memory_and_no_more(monkeypatch: pytest.MonkeyPatch) -> None:
    """Four times its weights: with their gradients, and two numbers for each that Adam keeps."""
    weights = sum(weight.nbytes for weight in made("GIN").parameters())
    monkeypatch.setattr(registry, "memory", lambda: 4 * weights)
    made("GIN")
    monkeypatch.setattr(registry, "memory", lambda: 4 * weights - 1)
    with pytest.raises(ParameterError, match=r"GIN with .*hidden=8.* to train, and this machine has"):
        made("GIN")


def taken(name: str, n: int = 50, p: int = 2, attributes: int = 0, **hyper: int) -> float:
    """The bytes that a model would take for a task, by the error of a machine without memory."""
    G = de.zoo.cycle(n).with_attributes(np.ones((n, attributes))) if attributes else de.zoo.cycle(n)
    task = de.set_task(G, [range(v, v + p) for v in range(12)], np.arange(12) % 2, remove_edges=False)
    with pytest.raises(ParameterError, match="and this machine has 0 bytes") as error:
        built(name, task, **({"max_dist": 3} if name == "DEA-GNN-PR" else {}) | hyper).prepare(G, task.train.sets)
    number, unit = re.search(r"takes (?:about )?([\d.,]+) (\w+)", str(error.value)).groups()
    return float(number.replace(",", "")) * 1000 ** ["bytes", "KB", "MB", "GB"].index(unit)


@pytest.mark.parametrize(
    ("module", "name", "more"),
    [
        (pagerank, "DEA-GNN-PR", [{"n": 100}, {"p": 3}, {"attributes": 5}, {"max_dist": 9}]),
        (struc2vec, "struc2vec", [{"n": 100}, {"dim": 500}, {"walks": 9}, {"length": 99}, {"depth": 99}]),
    ],
)
def test_what_takes_more_memory_is_refused_on_a_machine_that_has_less(
    module: Any, name: str, more: list[dict], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "memory", lambda: 0)
    least = taken(name)
    assert 30_000 < least < 1_000_000
    assert all(taken(name, **bigger) > 1.3 * least for bigger in more)


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


ENCODINGS = [
    ("DE-GNN", de.SPD(max_dist=5), "DE-GNN-SPD", {"max_dist": 5}),
    ("DEA-GNN", de.SPD(max_dist=2), "DEA-GNN-SPD", {"max_dist": 2}),
    ("DE-GNN", de.LandingProbability(steps=4), "DE-GNN-LP", {"steps": 4}),
    ("DE-GNN", de.ZeroOne(), "DE-GNN-ZeroOne", {}),
    ("DE-GNN", de.RandomWalkSE(steps=5), "DE-GNN-RWSE", {"steps": 5}),
    ("DE-GNN", de.LaplacianPE(k=3), "DE-GNN-LapPE", {"eigenvectors": 3}),
]


@pytest.mark.parametrize(("kind", "encoding", "name", "settings"), ENCODINGS, ids=[name for *_, name, _ in ENCODINGS])
def test_an_encoding_makes_the_model_that_has_it(kind: str, encoding: Any, name: str, settings: dict) -> None:
    model = de.build(kind, LINKS, encoding=encoding, layers=1, seed=3)
    assert (model.name, model.hyper) == (name, {**DEFAULTS[name], **settings, "layers": 1})
    again = de.build(name, LINKS, seed=3, layers=1, **settings)
    assert all(map(torch.equal, model.parameters(), again.parameters()))
    for setting in settings:
        assert de.build(kind, LINKS, encoding=encoding, **{setting: 1}).hyper[setting] == 1


@pytest.mark.parametrize(
    ("kind", "encoding"),
    [("DE-GNN", de.SPD(3, pool="sum")), ("DE-GNN", de.LandingProbability(3, pool=None)), ("DEA-GNN", de.ZeroOne())],
)
def test_an_encoding_that_no_model_has_needs_a_name(kind: str, encoding: Any) -> None:
    with pytest.raises(ParameterError, match=r"de\.encoding\("):
        de.build(kind, LINKS, encoding=encoding)


def test_a_registered_encoding_adds_two_models_that_keep_their_color() -> None:
    def register(name: str, step: int) -> de.Encoding:
        return de.encoding(name, lambda near: near.degree + step, columns=["degree"], max_dist=2)

    zeta, before = register("mine", 1), list(MODELS)[:-2]
    assert list(MODELS) == [*before, "DE-GNN-mine", "DEA-GNN-mine"] and len(MODELS) == len(before) + 2
    assert own_encoding("DE-GNN-mine") == own_encoding("DEA-GNN-mine") == "mine" and own_encoding("x-GNN-mine") == ""
    colors = [color_of(name) for name in MODELS if not is_heuristic(name)]
    assert len({*colors}) == len(colors)
    first = MODELS["DE-GNN-mine"]
    assert not is_baseline("DEA-GNN-mine") and first.takes(1) and first.takes(4)
    for kind in ("DE-GNN", "DEA-GNN"):
        model = de.build(kind, LINKS, encoding=zeta, layers=1)
        assert model.name == f"{kind}-mine" and model.encoding is zeta
    changed = register("mine", 2)
    assert color_of("DE-GNN-mine") == first.color and mark_of("DE-GNN-mine") not in ("", first.mark)
    assert de.build("DE-GNN-mine", LINKS).encoding is changed
    register("yours", 2)
    assert len({color_of(f"{kind}-{name}") for kind in ("DE-GNN", "DEA-GNN") for name in ("mine", "yours")}) == 4
    with pytest.raises(ParameterError, match="another encoding is, under its name"):
        de.build("DE-GNN", LINKS, encoding=zeta)


def test_an_encoding_of_pairs_makes_models_of_pairs() -> None:
    class Both(de.Encoding):
        num_targets = 2
        columns = ("sum of degrees",)

        def pairwise(self, G: de.Graph, S: np.ndarray, cut: bool) -> np.ndarray:
            return np.full((1, G.num_nodes, 1), G.cut(S).degrees[S].sum() if cut else G.degrees[S].sum())

    de.encoding("both", Both())
    assert de.models().loc["DE-GNN-both", "sizes"] == "2"
    with pytest.raises(ParameterError, match="takes target sets of 2 nodes"):
        de.build("DE-GNN-both", ROLES)
