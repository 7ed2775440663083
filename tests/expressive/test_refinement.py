"""Colors: nested multisets, counted slowly; the same in every process; and limits before memory runs out."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Callable
from itertools import islice, pairwise
from typing import Any
from unittest.mock import Mock

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import degnn_explore as de
from degnn_explore.common.progress import Cancelled, watching
from degnn_explore.expressive import methods, refinement, self_targets
from degnn_explore.expressive.refinement import khop_size
from degnn_explore.expressive.self_targets import root_colors, same_fraction

from ..strategies import graphs, graphs_with_targets
from .slow import as_networkx, colors, distance, encoded

ENCODINGS = {"1-WL": None, "DE-SPD": None, "DE-LP": de.LandingProbability(3), "RWSE": de.RandomWalkSE(3)}


def same_classes(fast: Any, slow: Any) -> bool:
    fast, slow = list(fast), list(slow)
    return len(set(zip(fast, slow, strict=True))) == len(set(fast)) == len(set(slow))


@given(graphs_with_targets(7, 3), graphs_with_targets(7, 3), st.sampled_from(list(ENCODINGS)), st.integers(1, 3),
       st.sampled_from([None, 0, 3]), st.booleans(), st.booleans(), st.integers(0, 99))  # fmt: skip
@settings(max_examples=300)
def test_colors_are_nested_multisets_across_graphs(a, b, method, hops, layers, cut, attributes, seed: int) -> None:
    fast, slow = [], []
    for G, S in (a, b):
        cut_at = S if cut and method != "1-WL" else []
        values = np.array([[0.0, 1], [-0.0, 1], [1, 0]])[np.random.default_rng(seed).integers(0, 3, G.num_nodes)]
        G = G.with_attributes(values)
        options = {"encoding": ENCODINGS[method], "hops": hops, "attributes": attributes} | (
            {"cut": True} if cut else {}
        )
        fast.append(de.colors(G, None if method == "1-WL" else S, layers=layers, **options))
        start = encoded(as_networkx(G, cut_at, True), S, method, 3)
        slow.append(list(islice(colors(G, start, hops, cut_at, attributes), len(fast[-1]) + 1)))
        assert fast[-1].dtype == np.int64 and fast[-1].shape == (len(slow[-1]) - 1, G.num_nodes)
        sizes = [len(set(row)) for row in slow[-1]]
        if layers is None:  # as many as split a class
            assert all(x < y for x, y in pairwise(sizes[:-1])) and sizes[-2] == sizes[-1]
        else:
            assert len(fast[-1]) == layers + 1
    for layer in range(min(map(len, fast))):
        assert same_classes(np.concatenate([rows[layer] for rows in fast]), [c for rows in slow for c in rows[layer]])


def test_nodes_with_many_neighbors_are_compared_by_all_of_them() -> None:
    hub = [(0, v) for v in range(1, 61)] + [(1, v) for v in range(61, 121)]
    G = de.Graph.from_edges([*hub, *((v, v + 60) for v in range(2, 40)), (70, 71), (5, 100)])
    for layer, row in enumerate(islice(colors(G, [()] * G.num_nodes, 1), 4)):
        assert same_classes(de.colors(G, layers=3)[layer], row)


def test_colors_are_the_same_in_every_process_and_a_long_path_costs_its_nodes() -> None:
    """50,000 layers over two copies of 100,000 nodes: 80 GB if every layer were kept."""
    code = """
import json
import numpy as np, degnn_explore as de
from tests.support.memory import peak
n = 100_000
path = de.Graph.from_edges(np.stack([np.arange(n - 1), np.arange(1, n)], axis=1), num_nodes=n)
layers = [de.distinguish((path, u), (path, 50_000), "1-WL").layer for u in (49_999, 900)]
print(json.dumps([layers, peak() / 1e9, de.colors(de.zoo.figure1(), S={2}, layers=3).tolist()]))
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, timeout=300)
    layers, gigabytes, digests = json.loads(done.stdout)
    assert layers == [None, 901] and gigabytes < 1
    assert digests == de.colors(de.zoo.figure1(), S={2}, layers=3).tolist()
    assert min(map(min, digests)) >= 0 and 2**62 < max(map(max, digests)) < 2**63


@given(st.lists(graphs(7), min_size=1, max_size=3), st.integers(1, 3), st.integers(1, 9))
def test_root_colors_are_those_of_each_node_as_the_only_target(made, layers: int, hops: int) -> None:
    steps: list[int] = []
    found = root_colors(made, layers, hops, step=steps.append)
    slow = np.stack([de.colors(G, v, hops=hops, layers=layers)[:, v] for G in made for v in range(G.num_nodes)], axis=1)
    assert all(same_classes(*rows) for rows in zip(found, slow, strict=True))
    assert sum(steps) == found.shape[1] == sum(G.num_nodes for G in made)
    assert np.array_equal(root_colors(made, layers), root_colors(made, layers, hops=1))
    assert np.isnan(same_fraction(found[0, :1]))


@given(graphs(7), st.integers(1, 5))
def test_the_estimate_of_arcs_is_never_too_low(G: de.Graph, hops: int) -> None:
    far = distance(as_networkx(G))
    arcs = sum(1 <= d <= hops for row in far.values() for d in row.values())
    assert arcs <= khop_size(G, hops) <= G.num_nodes**2 and khop_size(G, 1) == 2 * G.num_edges


RING = de.zoo.cycle(6)
NEEDS: list[tuple[Any, str, int, Callable[[], object]]] = [  # a limit, and what a call takes of it
    (refinement, "MAX_ARCS", 12, lambda: de.colors(RING)),
    (refinement, "MAX_ARCS", 24, lambda: de.colors(RING, hops=2)),
    (refinement, "MAX_ARCS", 24, lambda: de.colors(RING, {0, 1})),
    (refinement, "MAX_ARCS", 6 * (12 + 6) + 1, lambda: de.distinguish(RING, de.zoo.complete(1))),
    (refinement, "MAX_BYTES", 8 * 5 * 6, lambda: de.colors(RING, layers=4)),
    (refinement, "MAX_BYTES", 8 * 3 * 5, lambda: de.colors(de.Graph.from_edges([(0, 1), (1, 2), (2, 3), (3, 4)]))),
    (self_targets, "MAX_BYTES", 16 * 3 * 6, lambda: root_colors([RING], layers=2)),
    (methods, "MAX_SETS", 15, lambda: de.distinguish(RING, RING, order=2)),
    (methods, "MAX_WALK", 12, lambda: de.distinguish(RING, RING, "DE-LP")),
]  # fmt: skip


@pytest.mark.parametrize(("module", "limit", "needed", "ask"), NEEDS, ids=range(len(NEEDS)))
def test_what_just_fits_is_computed_and_one_more_is_refused(module, limit, needed, ask, monkeypatch) -> None:
    monkeypatch.setattr(module, limit, needed)
    ask()
    monkeypatch.setattr(module, limit, needed - 1)
    with pytest.raises(de.ParameterError):
        ask()


LONG = de.Graph.from_edges([(i, i + 1) for i in range(40)])


@pytest.mark.parametrize(
    ("looks", "ask"),
    [  # looks at least as often
        (20, lambda: de.colors(LONG)),
        (20, lambda: de.distinguish(LONG, LONG, "1-WL")),
        (5, lambda: de.distinguish(LONG, LONG, "2-WL")),
        (3, lambda: root_colors([RING] * 3, 1)),
        (4, lambda: de.summary("karate")),
    ],
    ids=range(5),
)
def test_work_can_be_stopped_in_every_layer(looks: int, ask: Callable[[], object]) -> None:
    for after in range(looks):
        stop = Mock(is_set=Mock(side_effect=[False] * after + [True] * 9))
        with pytest.raises(Cancelled), watching(stop=stop):
            ask()
