"""An exercise computes whether an answer is right, tells a fact about a wrong one, and never the solution."""

from __future__ import annotations

import itertools
from dataclasses import replace
from types import SimpleNamespace
from typing import Any

import pytest

import degnn_explore as de
from degnn_explore.learn.tasks import Split
from degnn_explore.quiz import exercises

FIG1, CHANG, TRIANGLES, PETERSEN = de.zoo.figure1(), de.zoo.chang(1), de.zoo.triangular(8), de.zoo.petersen()
ROOK, SHRIKHANDE, HEXAGON = de.zoo.rook(4), de.zoo.shrikhande(), de.zoo.hexagon()
TREE = de.Graph.from_edges([(0, 1), (1, 2), (2, 0), (2, 3), (3, 4), (4, 5), (1, 6)])  # 1-WL tells all its nodes apart


def exercise(name: str) -> exercises.Exercise:
    """One that nobody has tried."""
    return replace(de.exercise(name), tried=[])


RIGHT = [
    ("confused-graphs", (de.zoo.two_triangles(), HEXAGON)),
    ("cubic-layer-3", (FIG1, 0, 2)),
    ("cubic-layer-3", [FIG1, "v7", "v5"]),
    ("edges-beyond-2wl", ((CHANG, [0, 14]), (CHANG, [1, 2]))),
    ("no-help", (PETERSEN, "symmetry")),
    ("no-help", (PETERSEN, "distance-regular")),
    ("no-help", (CHANG, "distance-regular")),
    ("no-help", (de.zoo.csl(11, 3), "symmetry")),
    ("no-help", (de.zoo.cycle(5), "symmetry")),
    ("no-help", (de.zoo.cycle(200), "distance-regular")),
    ("find-the-leak", ("negatives_repeat", 8)),
]
WRONG: list[tuple[str, Any, str]] = [
    ("confused-graphs", (HEXAGON, FIG1), "1-WL tells them apart"),
    ("confused-graphs", (de.zoo.paley(9), de.zoo.rook(3)), "the same graph"),
    ("cubic-layer-3", (FIG1, 0, 1), "never tells v0 and v1"),
    ("cubic-layer-3", (FIG1, 0, 3), "v0 and v3 apart at layer 2"),
    ("cubic-layer-3", (HEXAGON, 0, 1), "not cubic: 0 has 2 neighbors"),
    ("edges-beyond-2wl", ((ROOK, [0, 1]), (SHRIKHANDE, [0, 1])), "16 nodes"),
    ("edges-beyond-2wl", ((PETERSEN, [0, 1]), (SHRIKHANDE, [0, 1])), "16 nodes"),
    ("edges-beyond-2wl", ((FIG1, [0, 1]), (FIG1, [2, 7])), "from layer 1 on"),
    ("edges-beyond-2wl", ((TRIANGLES, [0, 1]), (TRIANGLES, [1, 2])), "neither does DE-2"),
    ("no-help", (FIG1, "symmetry"), "tells v0 from v2"),
    ("no-help", (CHANG, "symmetry"), "no symmetry swaps them"),
    ("no-help", (de.zoo.csl(11, 3), "distance-regular"), "not distance-regular"),
    ("no-help", (de.zoo.cycle(4), "symmetry"), "4 nodes"),
    ("no-help", (TREE, "symmetry"), "already tells all"),
    ("find-the-leak", ("negatives_repeat", 14), "negatives_repeat is the leak, but not in 14"),
    ("find-the-leak", ("validation_links_in_the_graph", 0), "no pair shows it"),
    ("find-the-leak", ["test_links_in_the_graph", 8], "no pair shows it"),
]
CANNOT_BE_CHECKED = [
    ("confused-graphs", FIG1, "tuple of 2"),
    ("confused-graphs", (HEXAGON, "hexagon"), "Graph"),
    ("cubic-layer-3", (FIG1, 0), "tuple of 3"),
    ("cubic-layer-3", (FIG1, 0, 99), "99"),
    ("cubic-layer-3", (de.zoo.random_regular(202, 3), 0, 1), "202 nodes"),
    ("edges-beyond-2wl", ((CHANG, [0, 1]), (CHANG, [0, 14])), "not an edge"),
    ("edges-beyond-2wl", ((CHANG, [0]), (CHANG, [0, 14])), "not an edge"),
    ("no-help", (FIG1, "because"), "because"),
    ("no-help", (de.zoo.cycle(201), "symmetry"), "201 nodes"),
    ("own-zeta", "SPD", "de.encoding, not a str"),
    ("find-the-leak", "negatives_repeat", "tuple of 2"),
    ("find-the-leak", ("negatives_repeat", "many"), "many"),
    ("find-the-leak", ("negatives_repeat", -1), "-1"),
    ("find-the-leak", ("degrees", 3), "degrees"),
]


@pytest.mark.parametrize(("name", "answer"), RIGHT)
def test_right_answers(name: str, answer: Any) -> None:
    judged = exercise(name)(answer)
    assert judged.right is True and judged.message.startswith("Right: ") and "Hint" not in judged.message


@pytest.mark.parametrize(("name", "answer", "fact"), WRONG)
def test_wrong_answers_get_a_fact_and_a_hint(name: str, answer: Any, fact: str) -> None:
    task = exercise(name)
    fact_line, hint = task(answer).message.split("\n")
    assert task(answer).right is False and fact_line.startswith("Not yet: ") and fact in fact_line
    assert hint == f"Hint 1 of 3: {task.hints[0]}"


@pytest.mark.parametrize(("name", "answer", "reason"), CANNOT_BE_CHECKED)
def test_an_answer_that_cannot_be_checked_is_no_try(name: str, answer: Any, reason: str) -> None:
    task = exercise(name)
    judged = task(answer)
    problem, example = judged.message.split("\n")
    assert judged.right is False and reason in problem and example.endswith(task.example)
    assert task.tried == [] and "Hint" not in judged.message


def test_hints_come_one_by_one_and_the_same_answer_is_no_new_try() -> None:
    task = exercise("cubic-layer-3")
    hints = [task((FIG1, 0, v)).message.split("\n")[1] for v in (1, 1, 3, 4, 6, 1)]
    assert [line[:11] for line in hints] == [f"Hint {k} of 3" for k in (1, 1, 2, 3, 3, 1)]
    assert [line[13:] for line in hints] == [task.hints[k] for k in (0, 0, 1, 2, 2, 0)]
    assert task((FIG1, 0, 2)).right and len(task.tried) == 4  # a right answer is none of them


@pytest.mark.parametrize("name", exercises.EXERCISES)
def test_no_answer_shows_the_question_and_neither_example_nor_hint_is_a_solution(name: str) -> None:
    task = exercise(name)
    for nothing in (None, ...):
        judged = task(nothing)
        assert judged.right is None and task.question in judged.message and task.example in judged.message
    answer = task.example.removeprefix("answer = ").rpartition("such as ")[2]
    assert task(eval(answer, {"de": de})).right is False
    assert not any("answer =" in hint for hint in task.hints) and len(set(task.hints)) == 3


def test_the_judge_of_cubic_graphs_agrees_with_every_pair() -> None:
    G = de.zoo.random_regular(10, 3, seed=1)
    for u, v in itertools.combinations(range(10), 2):
        assert exercise("cubic-layer-3")((G, u, v)).right == (de.distinguish((G, u), (G, v)).layer == 3)


def test_a_custom_zeta_races_against_spd() -> None:
    even = de.encoding("even", lambda near: near.distance % 2 == 0, columns=["even"], max_dist=20)
    judged = exercise("own-zeta")(even)
    assert judged.right and "1.00" in judged.message and "0.50" in judged.message
    task = exercises.even_or_odd()
    assert {(u - v) % 2 for u, v in task.train.sets[task.train.labels == 1].tolist()} == {0}
    assert all(6 <= min((u - v) % 40, (v - u) % 40) <= 19 for u, v in task.test.sets.tolist())


@pytest.mark.parametrize(("test", "right"), [(0.95, True), (0.949, False)])
def test_the_goal_is_reached_at_the_best_epoch_on_validation(monkeypatch: Any, test: float, right: bool) -> None:
    monkeypatch.setattr(exercises, "auc_with_spd", lambda: 0.5)
    pairs = ((0.7, 1), (0.9, test), (0.8, 0))
    epochs = [SimpleNamespace(val={"auc": val}, test={"auc": auc}) for val, auc in pairs]
    monkeypatch.setattr(exercises, "fit", lambda *_, **__: epochs)
    judged = exercise("own-zeta")(de.encoding("any", lambda near: near.distance, columns=["far"], max_dist=1))
    assert (judged.right, "goal" in judged.message) == (right, not right)


def links_of(part: Split) -> list[list[int]]:
    return part.sets[part.labels == 1].tolist()


def test_a_leak_is_counted_in_any_task() -> None:
    """By hand, from the sets and the graph."""
    leaky, G = exercise("find-the-leak").given, de.load("karate")
    assert leaky is not None and leaky() is leaky()  # the number to find stays the same
    assert "leak" not in repr(leaky()) and leaky().leaks == ()
    for task, leaks in (
        (de.link_task(G), []),
        (de.link_task(G, protocol="validation_links_in_the_graph"), ["validation_links_in_the_graph"]),
        (leaky(), ["negatives_repeat"]),
        (replace(de.link_task(G), graph=G), ["validation_links_in_the_graph", "test_links_in_the_graph"]),
    ):
        counts = exercises.evidence(task)
        train = {frozenset(row) for row in task.train.sets.tolist()}
        assert counts == {
            "negatives_repeat": sum(frozenset(row) in train for row in task.test.sets[task.test.labels == 0].tolist()),
            "validation_links_in_the_graph": sum(task.graph.has_edge(*row) for row in links_of(task.val)),
            "test_links_in_the_graph": sum(task.graph.has_edge(*row) for row in links_of(task.test)),
        }
        assert [name for name, count in counts.items() if count] == leaks
