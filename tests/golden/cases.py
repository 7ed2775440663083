"""What must not change: each function computes one reference file, keyed by a name for each case.

Record a file anew, ``python -m tests.golden.cases name...``, only where a change of its numbers is meant, and say why
in the commit.
"""

from __future__ import annotations

import hashlib
import math
import os
import sys
import warnings
from collections.abc import Callable, Sequence
from functools import cache
from itertools import combinations
from typing import Any

import numpy as np

import degnn_explore as de

from .files import read, write

# ---- verdicts ------------------------------------------------------------------------------------------------------

METHODS = ("1-WL", "DE-SPD", "DE-LP", "DEA-SPD", "2-WL")
REGULAR: dict[str, tuple[Callable[..., de.Graph], Any, Callable[..., de.Graph], Any]] = {
    "Desargues or dodecahedron": (de.zoo.desargues, (), de.zoo.dodecahedron, ()),
    "CSL(13, 2) or CSL(13, 3)": (de.zoo.csl, (13, 2), de.zoo.csl, (13, 3)),
    "CSL(11, 3) or CSL(11, 4)": (de.zoo.csl, (11, 3), de.zoo.csl, (11, 4)),
    "T(8) or Chang 1": (de.zoo.triangular, (8,), de.zoo.chang, (1,)),
    "Chang 1 or Chang 2": (de.zoo.chang, (1,), de.zoo.chang, (2,)),
    "Petersen or Paley(9),": (de.zoo.petersen, (), de.zoo.paley, (9,)),
}


def verdicts() -> dict[str, Any]:
    """The layer from which each method tells two target sets of hard graphs apart; None: never."""
    fig1 = de.zoo.figure1()
    pairs = {f"Fig. 1(a) {u} or {v}": ((fig1, [u]), (fig1, [v])) for u, v in combinations((0, 1, 2, 3, 6, 7), 2)}
    for title, (left, given, right, others) in REGULAR.items():
        for S in ([0], [0, 1], [0, 2, 5]):
            pairs[f"{title} {S}"] = (left(*given), S), (right(*others), S)
    return {
        name: {method: de.distinguish(a, b, method, progress=False).layer for method in METHODS}
        | {"DEA-SPD, K=3": de.distinguish(a, b, "DEA-SPD", hops=3).layer}
        for name, (a, b) in pairs.items()
    }


# ---- splits --------------------------------------------------------------------------------------------------------


@cache
def _tasks() -> dict[str, de.Task]:
    """Tasks of every kind, with several seeds and options."""
    graphs = {name: de.load(name) for name in ("karate", "celegans", "ns", "us-flights", "lesmis")}
    graphs["celegans"] = graphs["celegans"].with_labels(np.searchsorted([8, 12, 18], graphs["celegans"].degrees))
    graphs["rook(6)"] = de.zoo.rook(6)
    kinds = {"links": de.link_task, "triangles": de.triangle_task}
    tasks = {}
    for seed in (0, 1, 7):
        for name in ("karate", "celegans", "us-flights"):
            tasks[f"roles {name} seed={seed}"] = de.role_task(graphs[name], seed=seed)
        for name in ("karate", "celegans", "ns", "rook(6)"):
            tasks |= {f"{kind} {name} seed={seed}": make(graphs[name], seed=seed) for kind, make in kinds.items()}
    for way, options in {
        "few": {"max_positives": 40},
        "shares": {"split": (0.6, 0.3, 0.1)},
        "paper": {"protocol": "paper"},
        "all but test": {"protocol": "validation_links_in_the_graph"},
    }.items():
        tasks |= {f"{kind} lesmis {way}": make(graphs["lesmis"], seed=3, **options) for kind, make in kinds.items()}
    for p, name in ((1, "karate"), (2, "celegans"), (3, "lesmis")):
        rng = np.random.default_rng(p)
        drawn = [rng.choice(graphs[name].num_nodes, p, replace=False) for _ in range(90)]
        sets = np.unique(np.sort(drawn, axis=1), axis=0)
        labels = sets.sum(axis=1) % (2 + p % 2)
        tasks |= {f"sets {name} seed={seed}": de.set_task(graphs[name], sets, labels, seed=seed) for seed in (0, 4)}
    return tasks


def _rows(sets: np.ndarray) -> dict[str, Any]:
    """Enough of some sets to see whether, and roughly how, they have changed; their order does not count."""
    rows = np.sort(sets, axis=1).astype("<i8")
    rows = np.ascontiguousarray(rows[np.lexsort(rows.T[::-1])])
    return {"number": len(rows), "first": rows[:4], "sha256": hashlib.sha256(rows.tobytes()).hexdigest()[:16]}


def splits() -> dict[str, Any]:
    """Each part by class, except for the training negatives of links and triangles; and the graph that is left."""
    found = {}
    for name, task in _tasks().items():
        case: dict[str, Any] = {"p": task.p, "metric": task.metric, "classes": task.classes, "leaks": list(task.leaks)}
        for part in ("train", "val", "test"):
            split = getattr(task, part)
            for label in range(task.num_classes):
                if not (task.kind in ("links", "triangles") and part == "train" and label == 0):
                    case[f"{part} {label}"] = _rows(split.sets[split.labels == label])
        found[name] = case | {"graph": _rows(task.graph.edges)}
    return found


def training_negatives() -> dict[str, Any]:
    """The training negatives of links and triangles."""
    drawn = {name: task.train for name, task in _tasks().items() if task.kind in ("links", "triangles")}
    return {name: _rows(split.sets[split.labels == 0]) for name, split in drawn.items()}


# ---- models --------------------------------------------------------------------------------------------------------


@cache
def _small_tasks() -> dict[str, de.Task]:
    """A task of each kind that does not depend on how splits are drawn: all parts are told."""
    karate = de.load("karate")
    roles = karate.with_labels(np.searchsorted([3, 5], karate.degrees))
    edges, far = karate.edges, np.argwhere(np.triu(~karate.to_scipy().toarray().astype(bool), k=1))[::6]
    links = {
        "train": {"edge_neg": far[16:76]},
        "valid": {"edge": edges[::10], "edge_neg": far[:8]},
        "test": {"edge": edges[5::10], "edge_neg": far[8:16]},
    }
    rng = np.random.default_rng(8)
    attributes = np.round(rng.normal(size=(22, 2)), 3)
    G = de.Graph.from_edges(np.argwhere(np.triu(rng.random((22, 22)) < 0.25, k=1)), 22, attributes=attributes)
    sets = list(combinations(range(22), 3))[::25]
    closed = [int(G.has_edge(a, b) + G.has_edge(b, c) + G.has_edge(a, c) > 1) for a, b, c in sets]
    parts = (["train"] * 5 + ["val", "test"]) * len(sets)
    return {
        "roles": de.role_task(roles, val=[0, 4, 8, 12], test=[1, 5, 9, 13, 17]),
        "links": de.link_task(karate, split=links),
        "triangles": de.set_task(G, np.array(sets), np.array(closed), split=parts[: len(sets)]),
    }


def _scrambled(count: int, key: Sequence[int]) -> np.ndarray:
    """Numbers from -1 to 1 without a pattern, by integer arithmetic alone."""
    x = np.arange(1, count + 1, dtype=np.uint64) * np.uint64(0x9E3779B97F4A7C15)
    for part in key:
        x += np.uint64(part * 0x632BE59BD9B4E019 % 2**64)
        x = (x ^ (x >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    x ^= x >> np.uint64(31)
    return (x >> np.uint64(11)).astype(np.float64) / 2**52 - 1


def _fill(model: Any) -> Any:
    """The model with weights from a formula, so that they depend on no random numbers.

    A weight depends on the shape of its parameter and on how many parameters of the same shape come before it in
    ``model.parameters()``. Names of submodules do not matter, nor the order of parameters of different shapes.
    """
    import torch

    before: dict[tuple[int, ...], int] = {}
    with torch.no_grad():
        for parameter in model.parameters():
            shape = tuple(parameter.shape)
            number = before[shape] = before.get(shape, 0) + 1
            spread = math.sqrt(4 / math.prod(shape[1:])) if len(shape) > 1 else 0.2
            values = spread * (_scrambled(parameter.numel(), [*shape, number]) + 0.15)  # few units are dead
            parameter.copy_(torch.from_numpy(values.reshape(shape).astype(np.float32)))
    return model


def _logits(model: Any, task: de.Task, sets: np.ndarray) -> np.ndarray:
    """The logits of a model that has seen a task but has not learned from it; ``de.predict`` must say the same."""
    import torch

    model.bind(task)
    some = task.train.sets
    model.calibrate(model.prepare(task.graph, some), np.arange(len(some)))
    model.eval()
    with torch.no_grad():
        found = model(model.prepare(task.graph, sets).batch(np.arange(len(sets)))).double()
    likely = torch.sigmoid(found) if found.ndim == 1 else torch.softmax(found, dim=1)
    np.testing.assert_allclose(likely.numpy(), de.predict(model, task.graph, sets, device="cpu"), rtol=1e-4, atol=1e-6)
    return found.numpy()


def model_logits() -> dict[str, Any]:
    """The logits of every model on the test sets of small tasks, its weights filled by a formula."""
    small = {"hidden": 8, "anchor_sets": 12, "sort_k": 12, "dim": 8, "walks": 2, "length": 10}
    table, found = de.models(), {}
    for name in table.index.drop("DE-GNN-LapPE"):  # its eigenvectors differ between machines
        sizes, hyper = table.loc[name, "sizes"], table.loc[name, "hyperparameters"]
        for kind, task in _small_tasks().items():
            if sizes == "any" or str(task.p) in sizes.split(", "):
                model = de.build(name, task, **{key: value for key, value in small.items() if key in hyper})
                found[f"{name}() {kind}"] = _logits(_fill(model), task, task.test.sets)
    return found


def training_from_seed() -> dict[str, Any]:
    """Three epochs of training: changes if weights or batches are drawn in another order."""
    task, found = _small_tasks()["links"], {}
    for name in ("DE-GNN-SPD", "DEA-GNN-SPD", "GCN"):
        options = {"epochs": 3, "seed": 5, "device": "cpu", "batch_size": 16, "progress": False}
        run = de.fit(de.build(name, task, seed=3, hidden=8), task, **options)
        found[name] = [{"loss": e.loss, "val": e.val[e.metric], "test": e.test[e.metric]} for e in run]
    return found


# ---- the Explorer --------------------------------------------------------------------------------------------------

STATE = ("example", "targets", "color by", "layer", "hops", "step", "cut")


def explorer() -> dict[str, Any]:
    """What the Explorer shows in the states of the reference file."""
    states = {name: {key: case[key] for key in STATE} for name, case in read("explorer").items()}
    return {name: state | _shown(state) for name, state in states.items()}


def _shown(given: dict[str, Any]) -> dict[str, Any]:
    """What the Explorer shows in a state.

    classes: which nodes share a color, numbered by first occurrence through both sides. verdicts: the layer from which
    a method tells A from B, None if it never does, "left out" if it was not asked.
    """
    from degnn_explore.expressive.methods import METHODS
    from degnn_explore.views.explorer.state import ExplorerState
    from degnn_explore.views.explorer.verdicts import Question, answers

    state = ExplorerState.of_preset(given["example"])
    state.compare(len(given["targets"]) == 2)
    state.update(size=0)
    state.set_targets([np.array(targets, dtype=np.int64) for targets in given["targets"]])
    by, layer, number = given["color by"], given["layer"], dict[int, int]()
    color_by = {"DE-SPD": "SPD", "DEA-SPD": "SPD", "DE-LP": "LP"}.get(by, by)
    hops = given["hops"] if by == "DEA-SPD" else 1
    state.update(color_by=color_by, hops=hops, layer=layer, step=given["step"], cut=given["cut"])
    shown: dict[str, Any] = {}
    if by != "PageRank":  # its values are solved for, so that bins may differ by rounding
        codes = [row[-1] for row in state.classes(layer)] if by in METHODS else state.labels().codes
        shown["classes"] = [number.setdefault(int(code), len(number)) for code in np.concatenate(codes)]
    if (question := Question(state, given["hops"])).comparable:
        shown["verdicts"] = {
            name: "left out" if isinstance(answer, str) else answer.layer
            for name, answer in answers(question)
            if name in METHODS
        }
    return shown


# ---- all of them ---------------------------------------------------------------------------------------------------

REFERENCES: dict[str, tuple[Callable[[], dict[str, Any]], float, float]] = {  # with relative and absolute tolerance
    "verdicts": (verdicts, 0, 0),
    "splits": (splits, 0, 0),
    "training_negatives": (training_negatives, 0, 0),
    "model_logits": (model_logits, 1e-4, 1e-5),
    "training_from_seed": (training_from_seed, 1e-4, 1e-5),
    "explorer": (explorer, 0, 0),
}

if __name__ == "__main__":
    os.environ.update(ONEDNN_MAX_CPU_ISA="AVX512_CORE_BF16", OMP_NUM_THREADS="1")  # as in tests/conftest.py
    warnings.simplefilter("ignore")
    for name in sys.argv[1:] or REFERENCES:
        write(name, REFERENCES[name][0]())
