"""The tables of the board's tabs, compared with what they are made of."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

import degnn_explore as de
from degnn_explore.learn.registry import color_of
from degnn_explore.studies.diagnostics import Mistake, Scored
from degnn_explore.studies.missing_links import Missing
from degnn_explore.views.board import tables

KARATE = de.load("karate")
LINKS, ROLES = de.link_task(KARATE), de.role_task(KARATE)
SETS = [(i, (i + k) % 34) for i in range(34) for k in (1, 5)]
THREE = de.set_task(KARATE, SETS, [("few", "some", "many")[i % 3] for i in range(68)])
NO, YES = LINKS.class_names


def scored(task: de.Task, seed: int = 0) -> Scored:
    """Made-up scores of a task's test sets."""
    rng, k = np.random.default_rng(seed), len(task.test.sets)
    scores = rng.random(k) if task.num_classes == 2 else rng.dirichlet(np.ones(task.num_classes), k)
    return Scored(task, scores, np.random.default_rng(9).integers(-1, 3, k))


@pytest.mark.parametrize(("mistake", "task", "columns", "cells"), [
    (Mistake((0, 33), 1, 0, 0.123, -1, 4, 2, 3), LINKS, ["pair", "distance"],
     ["v0 — v33", "∞", YES, "0.12", "2 of 3 seeds"]),
    (Mistake((1, 2), 0, 1, 0.876, 3, 0, 1, 1), LINKS, ["pair", "distance"],
     ["v1 — v2", "3", NO, "0.88", "1 of 1 seed"]),
    (Mistake((33,), 1, 0, 0.4, 0, 0, 1, 1), ROLES, ["node", "degree"],
     ["v33", "17", ROLES.class_names[1], f"{ROLES.class_names[0]}, 0.40", "1 of 1 seed"]),
    (Mistake((0, 5), 2, 1, 0.4, 1, 0, 1, 1), THREE, ["pair", "distance"],
     ["v0 — v5", "1", THREE.class_names[2], f"{THREE.class_names[1]}, 0.40", "1 of 1 seed"]),
    (Mistake((0, 5, 7), 1, 0, 0.4, 1, 0, 1, 1), de.triangle_task(KARATE), ["set", "distance"],
     ["v0 — v5 — v7", "1", "triangle", "0.40", "1 of 1 seed"]),
])  # fmt: skip
def test_a_mistake_has_the_set_the_truth_and_what_was_said(
    mistake: Mistake, task: de.Task, columns: list[str], cells: list[str]
) -> None:
    table = tables.mistake_table([mistake], task, "GCN", 5)
    assert table["columns"] == [*columns, "truth", "GCN says", "wrong in"] and table["note"] == ""
    assert table["rows"] == [{"cells": cells, "nodes": list(mistake.nodes), "seed": mistake.seed}]
    alone = tables.mistake_table([mistake], task, "GCN", 1)
    assert alone["columns"] == table["columns"][:4] and alone["rows"][0]["cells"] == cells[:4]
    assert "GCN" in tables.mistake_table([], task, "GCN", 1)["note"]


def test_right_and_wrong_are_counted_by_distance() -> None:
    made = {"GCN": scored(LINKS), "GIN": scored(LINKS, 1)}
    table, distance, labels = tables.distance_table(made), made["GCN"].distance, LINKS.test.labels
    assert table["columns"] == ["distance", "test sets", f"in truth {YES}", "GCN right", "GIN right"]
    assert [row["cells"][0] for row in table["rows"]] == [*(str(d) for d in range(3) if d in distance), "∞"]
    for far, count, truth, *right in (row["cells"] for row in table["rows"]):
        here = distance == (-1 if far == "∞" else int(far))
        assert int(count) == here.sum() and truth == tables.share(labels[here].mean())
        assert right == [tables.share(((it.probability > 0.5) == labels)[here].mean()) for it in made.values()]


@pytest.mark.parametrize("task", [ROLES, THREE], ids=["nodes", "three classes"])
def test_single_nodes_and_many_classes_are_counted_by_class(task: de.Task) -> None:
    made, names = scored(task), task.class_names
    table = tables.distance_table({"GCN": made, "GIN": scored(task, 1)})
    given = made.probability > 0.5 if task.num_classes == 2 else made.probability.argmax(axis=1)
    assert table["columns"] == ["in truth", *(f"GCN says {name}" for name in names)]
    for a, (name, row) in enumerate(zip(names, table["rows"], strict=True)):
        assert row["cells"] == [name, *(str(((task.test.labels == a) & (given == b)).sum()) for b in range(len(names)))]


def ask(task: de.Task, nodes: list[int], **scores: Any) -> dict[str, Any]:
    """The answer of models with these scores, to a question about seed 3."""

    def asked(runs: Any, picked: Any, seed: int) -> dict[str, Any]:
        assert (runs, picked, seed) == ("runs", nodes, 3)
        return {name: np.array(score) for name, score in scores.items()}

    trained = SimpleNamespace(task=lambda seed: task if seed == 3 else None, ask=asked)
    return tables.answer(trained, "runs", nodes, 3)  # type: ignore[arg-type]


def test_every_model_is_asked_about_a_set() -> None:
    linked = LINKS.train.sets[LINKS.train.labels == 1][0].tolist()
    found = ask(LINKS, linked, GCN=[0.876], Katz=[0.0312])
    assert [(one["model"], one["color"], one["score"]) for one in found["scores"]] == [
        ("GCN", color_of("GCN"), "0.88"), ("Katz", color_of("Katz"), "0.03")
    ]  # fmt: skip
    assert found["nodes"] == linked and tables.set_name(KARATE, linked) in found["text"] and YES in found["text"]
    assert found["truth"] == tables.truth(LINKS, linked)
    for task, nodes, words in ((LINKS, [], "2 nodes"), (LINKS, [1, 2, 3], "3 picked"), (ROLES, [], "a node")):
        found = ask(task, nodes, GCN=[0.5])
        assert found["scores"] == [] and words in found["text"] and ("picked" in found["text"]) == bool(nodes)
    three = ask(THREE, [0, 1], GCN=[[0.2, 0.7, 0.1]])
    assert three["scores"][0]["score"] == f"{THREE.class_names[1]}, 0.70" and "class" in three["text"]


def test_the_truth_of_a_set_is_what_is_known_of_it() -> None:
    for task, what in ((LINKS, "linked"), (de.triangle_task(KARATE), "a triangle")):
        for nodes, label in zip(task.test.sets.tolist(), task.test.labels, strict=True):
            truth = tables.truth(task, nodes)
            assert truth.startswith(f"In truth: {'' if label else 'not '}{what}") and ("held out" in truth) == label
    known = LINKS.train.sets[LINKS.train.labels == 1][0].tolist()
    assert tables.truth(LINKS, known) == "In truth: linked."
    for part, words in ((THREE.train, "learn"), (THREE.val, "validation"), (THREE.test, "test")):
        for nodes, label in zip(part.sets.tolist(), part.labels, strict=True):
            truth = tables.truth(THREE, nodes[::-1])
            assert THREE.class_names[label] in truth and words in truth
    assert "unknown" in tables.truth(THREE, [0, 17])
    roles = de.role_task(KARATE.with_labels([5 * (v % 2) if v < 30 else -1 for v in range(34)]))
    for v in (4, 5, 31):
        assert (tables.truth(roles, [v]) == f"In truth: {roles.class_names[v % 2]}.") == (v < 30)


def test_why_lists_the_edges_that_move_the_score_and_marks_all() -> None:
    why = de.explain(de.build("Adamic-Adar", LINKS), LINKS.graph, {0, 33}, progress=False)
    table, edges = tables.why_table(why, "linked"), why.edges.to_numpy().tolist()
    most = max(abs(change) for *_, change in edges)
    assert len(table["marks"]) == len(edges) > 20 == len(table["rows"])
    for (u, v, strength), (a, b, _, change) in zip(table["marks"], edges, strict=True):
        assert (u, v) == (a, b)
        assert strength == (0 if abs(change) < 5e-4 else pytest.approx(-change / most, abs=6e-4))
    for row, (u, v, score, change) in zip(table["rows"], edges, strict=False):
        assert row["pair"] == [u, v] and row["cells"][:2] == [tables.set_name(KARATE, (int(u), int(v))), f"{score:.3f}"]
        assert float(row["cells"][2].replace("−", "-")) == pytest.approx(change, abs=6e-4)
    assert all(words in table["title"] for words in (why.model, f"{why.score:.2f}", "linked"))
    notes = ("Of 90 edges 30 were left out.", "Other.", "Edges far away.")
    quiet = SimpleNamespace(edges=why.edges.iloc[:0], graph=KARATE, model="GCN", score=0.5, notes=notes)
    table = tables.why_table(quiet, "linked")  # type: ignore[arg-type]
    assert (table["rows"], table["marks"], table["note"]) == ([], [], " ".join(notes[::2]))


def test_missing_links_come_with_the_scores_of_all_models() -> None:
    pairs = [(0, 9, {"GCN": 0.912, "Katz": 0.5}), (3, 4, {"GCN": 0.8, "Katz": 0.004})]
    table = tables.missing_table(Missing(pairs, [0.0412, 0.0], 70, 1_234), KARATE, ["GCN", "Katz"])
    assert table["columns"] == ["pair", "GCN", "Katz", "likely true"] and "1,234" in table["note"]
    assert table["rows"] == [{"cells": ["v0 — v9", "0.91", "0.50", "4.1 %"], "nodes": [0, 9]},
                             {"cells": ["v3 — v4", "0.80", "0.00", "–"], "nodes": [3, 4]}]  # fmt: skip
    shares = {0.0: "0 %", 0.0999: "10 %", 0.1: "10 %", 0.0949: "9.5 %", 1.0: "100 %"}
    assert {value: tables.share(value) for value in shares} == shares
