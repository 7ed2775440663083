"""The exercises by name, as data: what is asked, what an answer looks like, who judges, and the hints."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from typing import Any

from ..common.errors import one_of
from .apart import confused_graphs, cubic_at_layer_3, edges_beyond_2wl, no_help
from .exercise import Exercise, Fact
from .trained import find_the_leak, own_zeta, suspect

__all__ = ["exercise"]

# The name, then the question, what an answer looks like, and the hints, each a paragraph.
_TEXTS = """
confused-graphs

Find two different graphs that a plain GNN cannot tell apart.

answer = (G, H), such as (de.zoo.hexagon(), de.zoo.petersen())

To a plain GNN a node is its number of neighbours, then the numbers of its neighbours' neighbours, and so on. In which
graphs is all of that the same for every node?

Two graphs in which every node has two neighbours are rings, or several rings. How many nodes must both have in all?

de.Graph.from_edges([(0, 1), (1, 2), ...]) makes any graph; de.zoo.cycle(n) is one ring of n nodes. Write down two rings
that together have as many nodes as one.

cubic-layer-3

Find a cubic graph (every node has three neighbours) and two of its nodes that DE-1 with shortest paths tells apart at
layer 3, and not before.

answer = (G, u, v), such as (de.zoo.petersen(), 0, 1)

de.distinguish((G, u), (G, v)).layer says from which layer on. Begin with a graph in which nodes differ, not with one in
which all are alike, as in Petersen's.

Layer 2 sees whether neighbours of the target are linked to each other. So for layer 3 both targets need as many
triangles: look for a difference one step further out.

Two loops over the nodes of a cubic graph find every such pair. de.zoo.figure1() is cubic, and so is
de.zoo.random_regular(10, 3, seed=1).

edges-beyond-2wl

Find two edges that DE-2 with shortest paths tells apart and 2-WL does not, other than those of the lesson: in graphs
that do not have 16 nodes. Both may lie in one graph.

answer = ((G, [u, v]), (H, [x, y])), such as ((de.zoo.petersen(), [0, 1]), (de.zoo.petersen(), [0, 4]))

To 2-WL all edges of a strongly regular graph are alike. So take strongly regular graphs; then only DE-2 has to be
convinced.

A graph whose edges are all alike, by a symmetry, gives DE-2 nothing to see either. Two strongly regular graphs with the
same numbers of everything but different wiring do: which nodes next to both ends of an edge are linked to each other?

de.zoo has a family of four strongly regular graphs with 28 nodes each: de.zoo.triangular(8), and three by Chang. Try
edges of two of them.

no-help

Find a graph of five nodes or more in which a plain GNN confuses some nodes, and DE-1 tells none of those apart either.
Say why: "symmetry" (the confused nodes really are alike) or "distance-regular" (Theorem 3.7).

answer = (G, why), such as (de.zoo.figure1(), "symmetry")

A graph in which any node looks like any other has nothing that distances could show. Which shapes can you turn so
that any corner comes to lie on any other?

de.zoo.is_distance_regular(G) answers one of the two reasons for you.

Rings, complete graphs, Petersen's graph: try one, and then ask of a second reason whether it holds as well.

own-zeta

On a ring of 40 nodes, pairs are 6 to 19 steps apart: an even number of steps, or an odd one? SPD(max_dist=3) puts all
nodes further than 3 steps into one column. Write a ζ of your own with which a DE-GNN reaches a test AUC of 0.95.

answer = de.encoding("mine", lambda near: near.distance, columns=["distance"])

What must a node know of a target 12 steps away? near.distance is the whole distance, if max_dist is left out;
near.walks are probabilities, which become small with every step.

A network adds and weighs columns. It finds it hard to make "even" from a number such as 12. Can you do it for it?

In numpy, near.distance % 2 is 0 for even distances. Return a column, or two, made of that.

find-the-leak

task = de.exercise("find-the-leak").given() is a link task with one leak switched on. Which is it, and how many sets
show it? "negatives_repeat": test pairs that occur in training as well. "validation_links_in_the_graph": validation
links that are edges of task.graph. "test_links_in_the_graph": the same with test links.

answer = (leak, number), such as ("test_links_in_the_graph", 3)

task.graph.has_edges(pairs) says for each pair whether it is an edge of the graph that models see. For an honest task it
says no for every pair that is held out: task.val.sets and task.test.sets hold them, .labels is 1 for links.

A pair is the same whichever of its nodes comes first: compare frozenset(pair), not lists.

seen = {frozenset(pair) for pair in task.train.sets.tolist()} are the training pairs. Count how many pairs of
task.test.sets.tolist() are among them, and compare with what has_edges says.
"""
_GIVEN = {"find-the-leak": suspect}
_JUDGES: dict[str, Callable[[Any], Fact]] = {
    "confused-graphs": confused_graphs,
    "cubic-layer-3": cubic_at_layer_3,
    "edges-beyond-2wl": edges_beyond_2wl,
    "no-help": no_help,
    "own-zeta": own_zeta,
    "find-the-leak": find_the_leak,
}


@cache
def _exercises() -> dict[str, Exercise]:
    """Kept for as long as Python runs, so that a second try gets a second hint."""
    made: dict[str, Exercise] = {}
    paragraphs = [" ".join(paragraph.splitlines()) for paragraph in _TEXTS.strip().split("\n\n")]
    begins = [at for at, paragraph in enumerate(paragraphs) if paragraph in _JUDGES]
    for at, end in zip(begins, [*begins[1:], len(paragraphs)], strict=True):
        name, question, example, *hints = paragraphs[at:end]
        made[name] = Exercise(name, question, example, _JUDGES[name], tuple(hints), _GIVEN.get(name))
    return made


def exercise(name: str) -> Exercise:
    """An exercise of the classroom: call it with an answer; any right answer is accepted, for each is computed.

    A wrong answer gets a fact about itself and a hint, one more with each new try, never the solution. ``None`` asks
    for the question. ``.right`` of what comes back is for tests.

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
    Not yet: it does help here: DE-1 tells v0 from v2, which 1-WL does not.
    Hint 1 of 3: A graph in which any node looks like any other has nothing that distances ...
    """
    return _exercises()[one_of("exercise", name, _exercises())]
