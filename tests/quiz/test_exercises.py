"""An exercise computes whether an answer is right, tells a fact about a wrong one, and never the solution."""

from __future__ import annotations

import itertools
from typing import Any

import pytest

import degnn_explore as de
from degnn_explore.quiz import exercises
from degnn_explore.quiz.exercises import exercise

FIG1, CHANG, TRIANGLES = de.zoo.figure1(), de.zoo.chang(1), de.zoo.triangular(8)


@pytest.fixture(autouse=True)
def anew() -> None:
    for known in exercises.EXERCISES.values():
        known.tried.clear()


RIGHT = [
    ("confused-graphs", (de.zoo.two_triangles(), de.zoo.hexagon())),
    ("cubic-layer-3", (FIG1, 0, 2)),
    ("cubic-layer-3", [FIG1, "v7", "v5"]),
    ("edges-beyond-2wl", ((CHANG, [0, 14]), (CHANG, [1, 2]))),
    ("no-help", (de.zoo.petersen(), "symmetry")),
    ("no-help", (de.zoo.petersen(), "distance-regular")),
    ("no-help", (CHANG, "distance-regular")),
    ("no-help", (de.zoo.csl(11, 3), "symmetry")),
    ("find-the-leak", ("negatives_repeat", 8)),
]
WRONG: list[tuple[str, Any, str]] = [
    ("confused-graphs", (de.zoo.hexagon(), FIG1), "1-WL tells them apart"),
    ("confused-graphs", (de.zoo.paley(9), de.zoo.rook(3)), "the same graph"),
    ("cubic-layer-3", (FIG1, 0, 1), "never tells v0 and v1 apart"),
    ("cubic-layer-3", (FIG1, 0, 3), "apart at layer 2"),
    ("cubic-layer-3", (de.zoo.hexagon(), 0, 1), "not cubic: 0 has 2 neighbors"),
    ("edges-beyond-2wl", ((de.zoo.rook(4), [0, 1]), (de.zoo.shrikhande(), [0, 1])), "16 nodes"),
    ("edges-beyond-2wl", ((FIG1, [0, 1]), (FIG1, [2, 7])), "2-WL also tells them apart"),
    ("edges-beyond-2wl", ((TRIANGLES, [0, 1]), (TRIANGLES, [1, 2])), "neither does DE-2"),
    ("no-help", (FIG1, "symmetry"), "DE-1 does help here: it tells v0 from v2"),
    ("no-help", (CHANG, "symmetry"), "do differ, because no symmetry swaps them"),
    ("no-help", (de.zoo.csl(11, 3), "distance-regular"), "not distance-regular"),
    ("no-help", (de.zoo.cycle(4), "symmetry"), "4 nodes"),
    ("find-the-leak", ("negatives_repeat", 14), "negatives_repeat is the leak, but not in 14"),
    ("find-the-leak", ("validation_links_in_the_graph", 0), "no pair shows it"),
    ("no-help", (de.Graph.from_edges([(0, 1), (1, 2), (2, 0), (2, 3), (3, 4), (4, 5), (1, 6)]), "symmetry"), "already"),
]
NO_ANSWER = [
    ("confused-graphs", FIG1),
    ("cubic-layer-3", (FIG1, 0)),
    ("cubic-layer-3", ("Fig. 1", 0, 2)),
    ("cubic-layer-3", (FIG1, 0, 99)),
    ("cubic-layer-3", (de.zoo.random_regular(400, 3), 0, 1)),
    ("edges-beyond-2wl", ((CHANG, [0, 1]), (CHANG, [0, 14]))),  # 0, 1 is no edge
    ("no-help", (FIG1, "because")),
    ("own-zeta", "SPD"),
    ("find-the-leak", "negatives_repeat"),
    ("find-the-leak", ("negatives_repeat", "many")),
    ("find-the-leak", ("degrees", 3)),
]


@pytest.mark.parametrize(("name", "answer"), RIGHT)
def test_right_answers(name: str, answer: Any) -> None:
    judged = exercise(name)(answer)
    assert judged.right, judged
    assert repr(judged).startswith("Right: ")


@pytest.mark.parametrize(("name", "answer", "fact"), WRONG)
def test_wrong_answers_get_a_fact_and_a_hint(name: str, answer: Any, fact: str) -> None:
    judged = exercise(name)(answer)
    assert not judged.right
    assert judged.message.startswith("Not yet: ")
    assert fact in judged.message
    assert "\nHint 1 of " in judged.message


@pytest.mark.parametrize(("name", "answer"), NO_ANSWER)
def test_an_answer_that_cannot_be_checked_is_no_try(name: str, answer: Any) -> None:
    judged = exercise(name)(answer)
    assert not judged.right
    assert judged.message.startswith("That can't be checked yet: ")
    assert "Hint" not in judged.message
    assert exercise(name).tried == []


def test_a_custom_zeta_races_against_spd() -> None:
    even = de.encoding("even", lambda near: near.distance % 2 == 0, columns=["even"], max_dist=20)
    assert (
        exercise("own-zeta")(even).message
        == "Right: with your ζ the test AUC is 1.00, with SPD(max_dist=3) it is 0.50."
    )
    far = de.encoding("far", lambda near: near.distance, columns=["distance"], max_dist=20)
    judged = exercise("own-zeta")(far)
    assert not judged.right
    assert judged.message.splitlines()[0].endswith("with SPD(max_dist=3) it is 0.50; the goal is 0.95.")


def test_a_leak_is_counted_in_any_task() -> None:
    G = de.load("karate")
    found = {
        name: exercises.evidence(de.link_task(G, protocol=name)) for name in ("honest", "validation_links_in_the_graph")
    }
    assert set(found["honest"].values()) == {0}
    held_out = (de.link_task(G).val.labels == 1).sum()
    assert found["validation_links_in_the_graph"]["validation_links_in_the_graph"] == held_out > 0
    leaky_task = exercise("find-the-leak").given
    assert leaky_task is not None
    assert "leak" not in repr(leaky_task()), "the task does not say which"


def test_hints_come_one_by_one_and_the_same_answer_is_no_new_try() -> None:
    asked = exercise("cubic-layer-3")
    said = [asked((FIG1, 0, v)).message.split("\n")[1] for v in (1, 1, 3, 4, 6, 1)]
    assert [line[:11] for line in said] == [f"Hint {k} of 3" for k in (1, 1, 2, 3, 3, 1)]


def test_no_answer_shows_the_question() -> None:
    for name in exercises.EXERCISES:
        for nothing in (None, ...):
            judged = exercise(name)(nothing)
            assert not judged.right
            assert judged.message.startswith("Your turn. ")
            assert "An answer looks like this: answer = " in judged.message


def test_the_judge_of_cubic_graphs_agrees_with_every_pair() -> None:
    G = de.zoo.random_regular(10, 3, seed=1)
    for u, v in itertools.combinations(range(10), 2):
        assert exercise("cubic-layer-3")((G, u, v)).right == (de.distinguish((G, u), (G, v)).layer == 3)


def test_no_example_and_no_hint_is_a_solution() -> None:
    """What stands in an example is wrong, and no hint writes a whole answer down."""
    for name, asked in exercises.EXERCISES.items():
        given = asked.example.removeprefix("answer = ").rpartition("such as ")[2]
        assert not asked(eval(given, {"de": de})).right, name
        assert not any("answer =" in hint for hint in asked.hints)


def test_unknown_exercises_are_named() -> None:
    with pytest.raises(de.ParameterError, match=r"exercise='cubic-layer-2' is not known.*Did you mean 'cubic-layer-3'"):
        de.exercise("cubic-layer-2")
