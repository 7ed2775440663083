"""Parts of models beside slow, obvious versions of themselves."""

from __future__ import annotations

from itertools import combinations_with_replacement

import networkx as nx
import numpy as np
import pytest

import degnn_explore as de


@pytest.mark.parametrize("distances", [1, 2])
def test_buddy_is_shown_how_many_nodes_are_how_far_from_both(distances: int) -> None:
    """In any order of the two, further than ``distances`` as one class, the pair's own link cut."""
    task = de.link_task(de.load("karate"), seed=2)
    model = de.build("BUDDY", task, distances=distances)
    model.bind(task)
    sets = task.train.sets[:6]
    shown = model.prepare(task.graph, sets).batch(np.arange(len(sets)))
    whole = nx.Graph(task.graph.edges.tolist())
    whole.add_nodes_from(range(task.graph.num_nodes))
    for S, row in zip(sets.tolist(), np.asarray(shown), strict=True):
        cut = whole.copy()
        cut.remove_edges_from([S])
        far = [nx.single_source_shortest_path_length(cut, v) for v in S]
        classes = [
            tuple(sorted(min(far[k].get(u, distances + 1), distances + 1) for k in range(2))) for u in cut if u not in S
        ]
        pairs = list(combinations_with_replacement(range(1, distances + 2), 2))[:-1]
        wanted = [np.log1p(classes.count(pair)) for pair in pairs]
        np.testing.assert_allclose(row[: len(pairs)], wanted, rtol=1e-5)


def test_a_graph_with_labels_of_one_class_is_no_graph_without_labels() -> None:
    G = de.zoo.hexagon()
    with pytest.raises(de.GraphError, match="missing"):
        de.role_task(G.with_labels(np.full(6, -1)))
    with pytest.raises(de.TargetError, match="the same"):
        de.role_task(G.with_labels(np.zeros(6, dtype=int)))
