"""Exercises: questions with many right answers. The library checks each answer and gives one hint at a time."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from functools import cache
from typing import Any

import numpy as np

from ..common.errors import GraphError, ParameterError, TargetError, check_choice, check_int, short_repr
from ..common.style import counted
from ..encodings.base import Encoding
from ..encodings.paths import SPD
from ..expressive.refinement import colors
from ..expressive.symmetry import isomorphic, set_map
from ..expressive.verdicts import distinguish
from ..graphs.graph import Graph
from ..graphs.zoo import cycle, is_distance_regular
from ..learn.leaks import AVOID_HELD_OUT, REPEATED, VALIDATION_LINKS
from ..learn.registry import build
from ..learn.tasks import Split, Task, link_task, set_task
from ..learn.training import fit
from ..reading.datasets import load
from .check import Judgment

__all__ = ["EXERCISES", "Exercise", "Fact", "exercise"]

Fact = tuple[bool, str]
"""Whether an answer is right, and a fact about it, in a sentence."""
MAX_NODES = 200  # of an answer's graph; every pair of nodes may have to be compared
REASONS = ("symmetry", "distance-regular")
GOAL = 0.95  # the test AUC to reach
EPOCHS = 40


@dataclass
class Exercise:
    """A question; call it with an answer to learn whether it is right. Each new wrong answer gets another hint.

    Attributes
    ----------
    question, example
        The question, and what an answer looks like.
    judge
        Computes whether an answer is right, and a fact about it; raises a GraphError, TargetError or ParameterError if
        the answer cannot be checked.
    hints
        From a nudge to nearly everything, but never the solution.
    given
        Makes the object that the question is about, if there is one.
    tried
        The wrong answers so far.
    """

    question: str
    example: str
    judge: Callable[[Any], Fact]
    hints: tuple[str, ...]
    given: Callable[[], Any] | None = None
    tried: list[str] = field(default_factory=list)

    def __repr__(self) -> str:
        return f"{self.question}\nAn answer looks like this: {self.example}"

    def __call__(self, answer: Any) -> Judgment:
        """Judge an answer; repeating a wrong one does not count as a new try."""
        if answer is None or answer is ...:
            return Judgment(None, f"Your turn. {self!r}")
        try:
            right, fact = self.judge(answer)
        except (GraphError, TargetError, ParameterError) as error:
            return Judgment(False, f"That can't be checked yet: {error}\nAn answer looks like this: {self.example}")
        if right:
            return Judgment(True, f"Right: {fact}")
        if (attempt := short_repr(answer) + fact) not in self.tried:
            self.tried.append(attempt)
        number = min(self.tried.index(attempt), len(self.hints) - 1)
        return Judgment(False, f"Not yet: {fact}\nHint {number + 1} of {len(self.hints)}: {self.hints[number]}")


# ---- judges of what can be told apart ------------------------------------------------------------


def confused_graphs(answer: Any) -> Fact:
    """(G, H): different graphs that 1-WL does not tell apart."""
    G, H = _parts(answer, 2, "two graphs")
    _check_graph(G)
    _check_graph(H)
    verdict = distinguish(G, H, method="1-WL")
    if verdict.different:
        return False, f"1-WL tells them apart. {verdict.why}"
    same = isomorphic(G, H)
    if same is None:
        return False, "it took too long to find out whether these are the same graph. Use smaller ones."
    if same:
        return False, "they are the same graph with its nodes renumbered."
    return True, "they are different graphs, and every plain GNN gives both the same output."


def cubic_at_layer_3(answer: Any) -> Fact:
    """(G, u, v): every node of G has three neighbors, and DE-1 tells u from v at layer 3, not before."""
    G, u, v = _parts(answer, 3, "a graph and two of its nodes")
    _check_graph(G)
    (a,), (b,) = G.target_set(u), G.target_set(v)
    names = f"{G.names[a]} and {G.names[b]}"
    if (odd := np.flatnonzero(G.degrees != 3)).size:
        return False, f"the graph is not cubic: {G.names[odd[0]]} has {counted(int(G.degrees[odd[0]]), 'neighbor')}."
    verdict = distinguish((G, int(a)), (G, int(b)))
    if verdict.layer == 3:
        return True, f"DE-1 tells {names} apart at layer 3, not before. {verdict.why}"
    if verdict.different:
        return False, f"DE-1 tells {names} apart at layer {verdict.layer}."
    return False, f"DE-1 never tells {names} apart."


def edges_beyond_2wl(answer: Any) -> Fact:
    """((G, e), (H, f)): edges that DE-2 tells apart and 2-WL does not, in graphs of other than 16 nodes."""
    sides = []
    for G, S in (_parts(side, 2, "a graph and an edge of it") for side in _parts(answer, 2, "two edges")):
        _check_graph(G)
        e = G.target_set(S)
        if len(e) != 2 or not G.has_edge(int(e[0]), int(e[1])):
            raise TargetError(f"{[G.names[node] for node in e]} is not an edge of its graph.")
        sides.append((G, e.tolist()))
    if 16 in {G.num_nodes for G, _ in sides}:
        return False, "the lesson already uses graphs with 16 nodes. Find others."
    one, other = sides
    stronger = distinguish(one, other, method="2-WL", progress=False)
    if stronger.different:
        return False, f"2-WL also tells them apart, from layer {stronger.layer} on."
    verdict = distinguish(one, other)
    if not verdict.different:
        return False, "2-WL does not tell them apart, but neither does DE-2."
    return True, f"2-WL never tells them apart, but DE-2 does. {verdict.why}"


def no_help(answer: Any) -> Fact:
    """(G, why): DE-1 tells no two nodes of G apart that 1-WL finds alike, and the reason holds."""
    G, why = _parts(answer, 2, "a graph and a reason")
    _check_graph(G)
    check_choice("why", why, REASONS)
    if G.num_nodes < 5:
        return False, f"a graph with {counted(G.num_nodes, 'node')} is too small. Use five or more."
    classes = colors(G)[-1]
    if len(np.unique(classes)) == G.num_nodes:
        return False, "a plain GNN already tells all nodes of this graph apart. Use a graph in which it confuses some."
    pairs = [(int(np.flatnonzero(classes == classes[v])[0]), v) for v in range(G.num_nodes)]
    pairs = [(u, v) for u, v in pairs if u != v]
    for u, v in pairs:
        verdict = distinguish((G, u), (G, v))
        if verdict.different:
            return False, f"DE-1 does help here: it tells {G.names[u]} from {G.names[v]}, and 1-WL does not."
    if why == "distance-regular":
        if is_distance_regular(G):
            return True, "it is distance-regular: what is below a node depends only on its distance (Theorem 3.7)."
        return False, "DE-1 does not help here, but for another reason: the graph is not distance-regular."
    for u, v in pairs:
        image = set_map(G, np.array([u]), G, np.array([v]))
        if image is None:
            return False, "the search for symmetries of this graph took too long. Use a smaller one."
        if not len(image):
            return False, (
                f"DE-1 does not help here, but for another reason: {G.names[u]} and {G.names[v]} do differ, because no "
                "symmetry swaps them."
            )
    return True, "whenever 1-WL confuses two nodes, a symmetry maps one to the other, so no method could help."


def _parts(answer: Any, number: int, what: str) -> tuple[Any, ...]:
    """The parts of an answer."""
    if not isinstance(answer, tuple | list) or len(answer) != number:
        raise ParameterError(f"answer with {what}, as a tuple of {number}.")
    return tuple(answer)


def _check_graph(G: Any) -> None:
    if not isinstance(G, Graph):
        raise ParameterError(f"answer with a Graph, such as de.zoo.petersen(), not a {type(G).__name__}.")
    if G.num_nodes > MAX_NODES:
        raise ParameterError(f"the graph has {G.num_nodes:,} nodes. Use one with at most {MAX_NODES}.")


# ---- judges of what is trained -------------------------------------------------------------------


@cache
def even_or_odd() -> Task:
    """Pairs on a ring of 40, 6 to 19 steps apart: an even number of steps, or an odd one?"""
    steps = range(6, 20)
    pairs = [(u, (u + far) % 40) for far in steps for u in range(40)]
    words = ["odd" if far % 2 else "even" for far in steps for _ in range(40)]
    return set_task(cycle(40), pairs, words, class_names=["odd", "even"], remove_edges=False)


def auc_with(encoding: Encoding) -> float:
    """The test AUC of a DE-GNN with this encoding, at its best epoch on validation."""
    task = even_or_odd()
    model = build("DE-GNN", task, encoding=encoding, layers=2, hidden=32, seed=0)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # the reader should find out that all sets look alike to SPD
        best = max(fit(model, task, EPOCHS, seed=0, device="cpu", progress=False), key=lambda epoch: epoch.val["auc"])
    return best.test["auc"]


@cache
def auc_with_spd() -> float:
    """The same with the encoding of DE-GNN-SPD."""
    return auc_with(SPD(max_dist=3))


def custom_zeta(answer: Any) -> Fact:
    """An encoding with which a DE-GNN says whether two nodes far apart are an even number of steps apart."""
    if not isinstance(answer, Encoding):
        raise ParameterError(f"answer with an encoding made by de.encoding, not a {type(answer).__name__}.")
    mine, usual = auc_with(answer), auc_with_spd()
    race = f"with your ζ the test AUC is {mine:.2f}, with SPD(max_dist=3) it is {usual:.2f}"
    return mine >= GOAL, f"{race}." if mine >= GOAL else f"{race}; the goal is {GOAL}."


@cache
def leaky_task() -> Task:
    """Links of C. elegans with one leak switched on; the task does not say which."""
    return replace(link_task(load("celegans"), seed=0, protocol=[REPEATED, AVOID_HELD_OUT]), leaks=())


def _sets(part: Split) -> set[frozenset[int]]:
    return {frozenset(row) for row in part.sets.tolist()}


def evidence(task: Task) -> dict[str, int]:
    """How many sets show each leak. A test link may be among the negatives of training, which do not know it."""
    links = {name: part.sets[part.labels == 1] for name, part in (("val", task.val), ("test", task.test))}
    seen = _sets(task.train)
    return {
        REPEATED: sum(frozenset(row) in seen for row in task.test.sets[task.test.labels == 0].tolist()),
        VALIDATION_LINKS: int(task.graph.has_edges(links["val"]).sum()),
        "test_links_in_the_graph": int(task.graph.has_edges(links["test"]).sum()),
    }


def find_the_leak(answer: Any) -> Fact:
    """(leak, number): what leaks in :func:`leaky_task`, and how many sets show it."""
    if not isinstance(answer, tuple | list) or len(answer) != 2:
        raise ParameterError("answer with a leak and a number, as a tuple of 2.")
    counts = evidence(leaky_task())
    name, number = check_choice("leak", answer[0], counts), check_int("number", answer[1], least=0)
    if not counts[name]:
        return False, f"{name} is not the leak: no pair shows it."
    if counts[name] != number:
        return False, f"{name} is the leak, but not in {number:,} pairs."
    return True, f"the leak is {name}, in {number:,} pairs."


# ---- the exercises ------------------------------------------------------------------------------

EXERCISES = {
    "confused-graphs": Exercise(
        "Find two different graphs that a plain GNN cannot tell apart.",
        example="answer = (G, H), such as (de.zoo.hexagon(), de.zoo.petersen())",
        judge=confused_graphs,
        hints=(
            "A plain GNN sees how many neighbors a node has, then how many neighbors those have, and so on. In "
            "which graphs is all of that the same for every node?",
            "If every node of a graph has two neighbors, the graph is a ring or several rings. How many nodes must "
            "your two graphs have?",
            "de.Graph.from_edges([(0, 1), (1, 2), ...]) makes any graph; de.zoo.cycle(n) is one ring of n "
            "nodes. Write down two rings that together have as many nodes as one large ring.",
        ),
    ),
    "cubic-layer-3": Exercise(
        "Find a cubic graph (every node has three neighbors) and two of its nodes that DE-1 with shortest paths"
        " tells apart at layer 3, but not before.",
        example="answer = (G, u, v), such as (de.zoo.petersen(), 0, 1)",
        judge=cubic_at_layer_3,
        hints=(
            "de.distinguish((G, u), (G, v)).layer is the first layer that tells u from v. Start with a graph "
            "whose nodes differ, not with one whose nodes are all alike, such as Petersen's.",
            "Layer 2 sees whether neighbors of the target are linked to each other. So both targets must be in "
            "equally many triangles: look for a difference one step farther out.",
            "Two loops over the nodes of a cubic graph find every such pair. de.zoo.figure1() is cubic, and so "
            "is de.zoo.random_regular(10, 3, seed=1).",
        ),
    ),
    "edges-beyond-2wl": Exercise(
        "Find two edges that DE-2 with shortest paths tells apart and 2-WL does not, in graphs that do not have "
        "16 nodes (the lesson uses those). Both edges may be in the same graph.",
        example=(
            "answer = ((G, [u, v]), (H, [x, y])), such as ((de.zoo.petersen(), [0, 1]), (de.zoo.petersen(), [0, 4]))"
        ),
        judge=edges_beyond_2wl,
        hints=(
            "To 2-WL, all edges of a strongly regular graph are alike. So use strongly regular graphs, and look for "
            "edges that DE-2 tells apart.",
            "If a symmetry maps every edge of a graph to every other, DE-2 sees no difference either. Use two "
            "strongly regular graphs with the same numbers but different wiring: which common neighbors of an "
            "edge's ends are linked to each other?",
            "de.zoo has four strongly regular graphs with 28 nodes: de.zoo.triangular(8), and three by Chang. "
            "Try edges of two of them.",
        ),
    ),
    "no-help": Exercise(
        "Find a graph with five or more nodes in which a plain GNN confuses some nodes, and DE-1 cannot tell any "
        'of those apart either. Give the reason: "symmetry" (the confused nodes really are alike) or '
        '"distance-regular" (Theorem 3.7).',
        example='answer = (G, why), such as (de.zoo.figure1(), "symmetry")',
        judge=no_help,
        hints=(
            "If all nodes of a graph are alike, distances cannot help. Which shapes can you rotate so that any "
            "corner moves to any other?",
            "de.zoo.is_distance_regular(G) checks one of the two reasons for you.",
            "Try a ring, a complete graph, or Petersen's graph. Does the other reason hold as well?",
        ),
    ),
    "own-zeta": Exercise(
        "On a ring of 40 nodes, pairs are 6 to 19 steps apart. Is the number of steps even or odd? "
        "SPD(max_dist=3) puts all nodes that are 3 or more steps away into one column. Write your own ζ with which "
        "a DE-GNN reaches a test AUC of 0.95.",
        example='answer = de.encoding("mine", lambda near: near.distance, columns=["distance"], max_dist=20)',
        judge=custom_zeta,
        hints=(
            "What must a node know about a target 12 steps away? near.distance is the exact distance if max_dist "
            "is large enough; near.walks are probabilities, which shrink with every step.",
            'A network adds and weighs columns. It has a hard time computing "even" from a number such as 12. Can '
            "you compute it instead?",
            "In numpy, near.distance % 2 is 0 for even distances. Return one or two columns made from that.",
        ),
    ),
    "find-the-leak": Exercise(
        'task = de.exercise("find-the-leak").given() is a link task with one leak. Which one, and how many pairs '
        'show it? "negatives_repeat": test pairs that also occur in training. '
        '"validation_links_in_the_graph": validation links that are edges of task.graph. '
        '"test_links_in_the_graph": test links that are edges of task.graph.',
        example='answer = (leak, number), such as ("test_links_in_the_graph", 3)',
        judge=find_the_leak,
        hints=(
            "task.graph.has_edges(pairs) tells you for each pair whether it is an edge of the graph that models "
            "see. In an honest task, no held-out pair is: task.val.sets and task.test.sets hold them, and .labels "
            "is 1 for links.",
            "The order of a pair does not matter, so compare frozenset(pair), not lists.",
            "seen = {frozenset(pair) for pair in task.train.sets.tolist()} are the training pairs. Count how "
            "many pairs of task.test.sets.tolist() are among them.",
        ),
        given=leaky_task,
    ),
}


def exercise(name: str) -> Exercise:
    """A classroom exercise: call it with an answer. It computes whether the answer is right; every right one counts.

    After a wrong answer you see why it is wrong and a hint, another one with each new try, but never the solution.
    ``None`` shows the question. The result's ``.right`` is for automatic grading.

    Parameters
    ----------
    name
        "confused-graphs", "cubic-layer-3", "edges-beyond-2wl", "no-help", "own-zeta" or "find-the-leak".

    Examples
    --------
    >>> import degnn_explore as de
    >>> de.exercise("no-help")((de.zoo.hexagon(), "distance-regular")).right
    True
    >>> de.exercise("no-help")((de.zoo.figure1(), "symmetry"))
    Not yet: DE-1 does help here: it tells v0 from v2, and 1-WL does not.
    Hint 1 of 3: If all nodes of a graph are alike, distances cannot help. Which shapes can ...
    """
    return EXERCISES[check_choice("exercise", name, EXERCISES)]
