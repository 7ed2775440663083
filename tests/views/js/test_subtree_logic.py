"""What subtree.js folds in a page is what the library folds, on random graphs."""

from __future__ import annotations

import json
import shutil
import subprocess
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import degnn_explore as de
from degnn_explore.views.explorer.state import ExplorerState
from degnn_explore.views.explorer.trees import folded, view_of
from degnn_explore.views.widgets.subtree import SubtreeView
from tools.waiting import LONG

_KINDS = {"indptr": "<u4", "indices": "<u4", "tags": "u1", "codes": "<u2"}
_SCRIPT = """
import { readFileSync } from "node:fs";
const { fold } = await import(process.argv[1]);
const cases = JSON.parse(readFileSync(0, "utf8"));
console.log(JSON.stringify(cases.map(({ net, roots, sides, depth }) => {
  const { nodes, lines, roots: tops } = fold(net, roots, sides, depth);
  return { nodes: nodes.map(({ level, members, side }) => [level, members, side]),
           lines: lines.map((l) => [l.from, l.to, l.hop, l.times]), roots: tops };
})));
"""


def _case(seed: int) -> tuple[ExplorerState, dict[str, Any]]:
    """Two random graphs with a target set each, as the Explorer hands them to the page."""
    rng = np.random.default_rng(seed)
    sides = []
    p = int(rng.integers(1, 3))
    for _ in range(2):
        n = int(rng.integers(2, 9))
        pairs = np.argwhere(np.triu(rng.random((n, n)) < rng.choice([0.3, 0.6]), 1))
        G = de.Graph.from_edges(pairs, num_nodes=n) if len(pairs) else de.Graph.from_edges([(0, 1)], num_nodes=n)
        sides.append((G, rng.permutation(n)[:p].tolist()))
    state = ExplorerState(*sides)
    state.update(
        layer=int(rng.integers(0, 5)), cut=bool(rng.integers(2)), colour_by="DEA-SPD", hops=int(rng.integers(1, 3))
    )
    return state, view_of(state, lambda side, node: 100 * side + node)


def test_a_page_folds_as_the_library_does(tmp_path: Path) -> None:
    node = shutil.which("node")
    if node is None:
        pytest.skip("no node on PATH: install Node.js 20 to test subtree.js without a browser")
    made = [_case(seed) for seed in range(120)]
    cases = [
        {
            "net": {
                **{name: np.frombuffer(view[name], kind).tolist() for name, kind in _KINDS.items()},
                "classes": np.frombuffer(view["plain" if plain else "classes"], "<u4").tolist(),
                "plain": plain,
            },
            "roots": view["roots"],
            "sides": [0, 1],
            "depth": view["layers"],
        }
        for _, view in made
        for plain in (False, True)
    ]
    script = tmp_path / "subtree.mjs"
    script.write_text(SubtreeView._esm)
    done = subprocess.run(
        [node, "--input-type=module", "-e", _SCRIPT, script.as_uri()],
        input=json.dumps(cases),
        capture_output=True,
        text=True,
        timeout=LONG,
    )
    assert done.returncode == 0, done.stderr[-2000:]
    answers = iter(json.loads(done.stdout))
    for state, view in made:
        places = np.frombuffer(view["drawn"], "<i4")
        for plain in (False, True):
            page, here = next(answers), folded(state, plain)
            below = [here.below(0), here.below(1)]
            true = {
                (int(here.level[i]), *(tuple(sides[k]) for k in (0, 1)), int(below[0][i] + 2 * below[1][i])): i
                for i, sides in enumerate(here.members)
            }
            same = {}  # the library's node for each of the page's
            for i, (level, members, side) in enumerate(page["nodes"]):
                nodes = [divmod(int(places[u]), 100) for u in members]
                same[i] = true.pop((level, *(tuple(u for at, u in nodes if at == k) for k in (0, 1)), side))
            assert not true
            assert tuple(same[i] for i in page["roots"]) == here.roots
            lines = [[same[a], same[b], hop, times] for a, b, hop, times in page["lines"]]
            assert sorted(lines) == sorted(here.lines.tolist())
