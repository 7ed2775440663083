"""The examples of docs/own_encoding.md run, and are what they say."""

from __future__ import annotations

import doctest
from pathlib import Path
from typing import Any

import networkx as nx
import numpy as np

import degnn_explore as de

PAGE = Path(__file__).parents[2] / "docs" / "own_encoding.md"


def defined() -> dict[str, Any]:
    """What the page's code defines, after it has run as written."""
    names: dict[str, Any] = {}
    test = doctest.DocTestParser().get_doctest(PAGE.read_text(encoding="utf-8"), names, PAGE.name, str(PAGE), 0)
    runner = doctest.DocTestRunner(optionflags=doctest.NORMALIZE_WHITESPACE | doctest.ELLIPSIS)
    failed, _ = runner.run(test, clear_globs=False)
    assert failed == 0
    test.globs["board"].close()
    return test.globs


def test_the_page_runs_and_its_encodings_are_those_of_networkx() -> None:
    names = defined()
    G = de.load("karate")
    H = G.to_networkx()
    H.remove_edge(0, 1)
    ohms = nx.resistance_distance(H)
    mine = names["Resistance"](pool=None).encode(G, [0, 1], cut=True)[:, 0, 0]
    assert np.allclose(1 / mine - 1, [ohms[0].get(u, 0) for u in range(34)], atol=1e-9)
    counts = names["ShortestPaths"](pool=None).encode(G, [0, 1], cut=True)[:, 0, 0]
    assert np.allclose(np.expm1(counts), [len(list(nx.all_shortest_paths(H, 0, u))) for u in range(34)])
