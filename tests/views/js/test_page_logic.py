"""page.js by its own tests, and its answers to what Python packed against the library's, set by set."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
from fractions import Fraction
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import degnn_explore as de
from degnn_explore.encodings.paths import Distance
from degnn_explore.expressive.methods import METHODS, method_of
from degnn_explore.views.explorer.pages.precomputed import orders, packed, precompute, sets_of
from degnn_explore.views.explorer.state import ExplorerState
from tools.waiting import LONG

SCRIPT = Path(__file__).with_name("page.test.mjs")
LOOKS = {"1-WL": 1, "DE-SPD": 1, "DE-LP": 1, "DEA-SPD": 2, "DE-own": 1}


def run(**env: str) -> None:
    node = shutil.which("node")
    if node is None:
        pytest.skip("no node on PATH: install Node.js 20 to test page.js without a browser")
    done = subprocess.run(
        [node, "--test", str(SCRIPT)], env=os.environ | env, capture_output=True, text=True, timeout=LONG
    )
    assert done.returncode == 0, done.stdout[-4000:] + done.stderr[-2000:]


def test_page_logic_in_node() -> None:
    run()


def irregular(seed: int, n: int = 9) -> de.Graph:
    """A random graph with nodes of every kind, some of them alone."""
    rng = np.random.default_rng(seed)
    return de.Graph.from_edges(np.argwhere(np.triu(rng.random((n, n)) < 0.3, 1)), n)


@pytest.mark.parametrize(
    ("state", "cut"),
    [
        (ExplorerState.of_preset("hexagon"), False),
        (ExplorerState.of_preset("fig1"), False),
        (ExplorerState.of_preset("cut"), True),
        (ExplorerState(irregular(0), irregular(1)), False),
        (ExplorerState(irregular(2), irregular(2)), True),
    ],
    ids=["hexagon", "fig1", "cut", "two random graphs", "one random graph, cut"],
)
def test_a_page_answers_as_the_library_does(state: ExplorerState, cut: bool, tmp_path: Path) -> None:
    own = de.encoding("own", lambda n: np.stack([n.degree, n.walks[:, 2]], axis=1), columns=["degree", "2"], walks=2)
    state.update(cut=cut, colour_by="own", column=1)
    known = {**METHODS, "DE-own": method_of("DE-own")}
    about, data = precompute(state)
    graphs = [side.graph for side in state.sides]
    assert orders(state) == [1, 2]
    rng = np.random.default_rng(0)
    asked: list[Any] = []
    for p in (1, 2):
        pairs = list(product(*(sets_of(G, p).tolist() for G in graphs)))
        asked += [pairs[i] for i in rng.choice(len(pairs), min(len(pairs), 14), replace=False)]
    asking = {"asked": asked, "methods": [{"name": name} for name in known], "looks": [*LOOKS, "LP"]}
    asking |= {"canvas": {"names": [""] * 99}, "palette": [{}], "state": {"cut": cut}}
    (tmp_path / "packed").write_bytes(b"".join(packed({**about, **asking}, data)))
    run(DE_PACKED=str(tmp_path / "packed"), DE_ANSWERS=str(tmp_path / "answers"))
    answers = json.loads((tmp_path / "answers").read_text())
    for k, sets in enumerate(asked):
        sides = [(G, np.array(S)) for G, S in zip(graphs, sets, strict=True)]
        for name in known:
            if name == "2-WL" and cut and len(sets[0]) > 1:
                assert name in about["orders"]["2"]["missing"]
                continue
            assert answers["verdicts"][k][name] == de.distinguish(*sides, name, cut=cut, progress=False).layer, sets
        for look, hops in LOOKS.items():
            encoding = known[look].encoding
            total = sum({id(G): G.num_nodes for G in graphs}.values())
            for layer in (0, 1, 6):
                exact = np.concatenate(
                    [
                        de.colours(G, S, encoding(total), hops, layer, cut)[layer]
                        if encoding
                        else de.colours(G.cut(S) if cut else G, layers=layer)[layer]
                        for G, S in sides
                    ]
                )
                told = np.concatenate(answers["nodes"][k][look][layer])
                assert (np.equal.outer(exact, exact) == np.equal.outer(told, told)).all(), (look, layer, sets)
        for (G, S), labels in zip(sides, answers["codes"][k], strict=True):
            assert labels == [Distance().legend(tuple(row)) for row in Distance().shown(G, S, cut).tolist()]
        yours = answers["yours"][k]
        assert yours["title"] == "own: 2"
        assert yours["trees"] == [["own", "own: 2", False], ["DE-own", "own: 2", True]]
        for (G, S), labels in zip(sides, yours["labels"], strict=True):
            exact = own.encode(G, S, cut)[:, 1]
            assert len(set(labels)) <= len(set(exact.round(9)))
            for label, value in zip(labels, exact, strict=True):
                low, _, high = label.partition(" – ")
                assert float(Fraction(low)) - 0.006 <= value <= float(Fraction(high or low)) + 0.006
