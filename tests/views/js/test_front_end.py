"""The pure modules of the front end, tested by node; where node is missing CI fails, for .ci/run installs it."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import degnn_explore as de
from degnn_explore.expressive.explanations import SENTENCES
from degnn_explore.expressive.methods import METHODS
from degnn_explore.views.content import TERMS
from degnn_explore.views.explorer import seen, svg
from degnn_explore.views.explorer.state import ExplorerState
from degnn_explore.views.explorer.verdicts import LAYERS, Question, answers, shown
from degnn_explore.views.js import joined
from tests.support.waiting import LONG

HERE = Path(__file__).parent


def node(*arguments: str, given: str = "") -> str:
    """What node prints."""
    found = shutil.which("node")
    if found is None and not os.environ.get("CI"):
        pytest.skip("no node on PATH: install Node.js 20 to test the front end without a browser")
    assert found is not None, "CI needs node to test the front end; .ci/run installs it"
    terms = json.dumps([[term.name, term.pattern, term.line] for term in TERMS])
    done = subprocess.run(
        [found, *arguments],
        input=given,
        capture_output=True,
        text=True,
        encoding="utf-8",
        timeout=LONG,
        env=os.environ | {"TERMS": terms, "SENTENCES": json.dumps(SENTENCES)},
    )
    assert done.returncode == 0, done.stdout[-4000:] + done.stderr[-2000:]
    return done.stdout


@pytest.mark.parametrize("name", sorted(path.name.removesuffix(".test.mjs") for path in HERE.glob("*.test.mjs")))
def test_the_logic_of_a_module(name: str) -> None:
    assert "fail 0" in node("--test", str(HERE / f"{name}.test.mjs"))


@pytest.mark.parametrize("panel", ["Explorer", "TrainingBoard"])
def test_no_name_stands_twice_in_the_joined_script(panel: str, tmp_path: Path) -> None:
    script = tmp_path / "joined.mjs"
    script.write_text(getattr(de, panel)._script.default_value, encoding="utf-8")
    node("--check", str(script))


_SCRIPT = """
import { readFileSync } from "node:fs";
const t = await import(process.argv[1]);
const cases = JSON.parse(readFileSync(0, "utf8"));
console.log(JSON.stringify(cases.map(({ seen, codes, classes, starts, layer, net, roots, sides }) => {
  const letters = t.lineage(Uint16Array.from(codes), Uint32Array.from(classes), layer);
  const colored = t.coloring(seen, t.PALETTE.light, Uint16Array.from(codes), letters, layer, starts);
  const picture = t.fold({ ...net, tags: [], classes, codes, plain: false }, roots, sides, layer);
  return { codes: [...colored.codes], entries: colored.entries.map((e) => [e.text, e.mark, e.color, e.counts]),
           levels: Array.from({ length: layer + 1 }, (_, k) =>
             picture.nodes.filter((one) => one.level === k).map((one) => one.members)),
           times: picture.lines.map((line) => line.times).sort() };
})));
"""


def _random_state(seed: int) -> ExplorerState:
    rng = np.random.default_rng(seed)
    p, sides = int(rng.integers(1, 3)), []
    for _ in range(2):
        n = int(rng.integers(3, 10))
        pairs = np.argwhere(np.triu(rng.random((n, n)) < rng.choice([0.3, 0.6]), 1))
        graph = de.Graph.from_edges(pairs if len(pairs) else [(0, 1)], num_nodes=n)
        sides.append((graph, rng.permutation(n)[:p].tolist()))
    state = ExplorerState(*sides)
    state.update(layer=int(rng.integers(0, 5)), color_by=str(rng.choice(["SPD", "LP", "1-WL", "PageRank"])))
    return state


def test_the_page_colors_and_folds_as_the_static_picture_does(tmp_path: Path) -> None:
    script = tmp_path / "compose.mjs"
    names = "lineage, coloring, fold, PALETTE"
    script.write_text(joined("compose", "folding") + f"\nexport {{ {names} }};\n", encoding="utf-8")
    states = [_random_state(seed) for seed in range(80)]
    cases: list[dict[str, Any]] = []
    for state in states:
        labels, classes = state.labels(), state.classes(state.layer)
        starts = [0, state.sides[0].graph.num_nodes, sum(side.graph.num_nodes for side in state.sides)]
        graphs = [side.graph for side in state.sides]
        near = [
            graph.neighbors(u) + start
            for graph, start in zip(graphs, starts, strict=False)
            for u in range(graph.num_nodes)
        ]
        cases.append(
            {
                "seen": {"labels": [[label.text, label.mark, label.far] for label in labels.table]},
                "codes": np.concatenate(labels.codes).tolist(),
                "classes": np.concatenate(classes, axis=1).ravel().tolist(),
                "starts": starts,
                "layer": state.layer,
                "net": {"indptr": np.cumsum([0, *map(len, near)]).tolist(), "indices": np.concatenate(near).tolist()},
                "roots": [starts[side] + root for side, root in svg.roots_of(state)],
                "sides": [side for side, _ in svg.roots_of(state)],
            }
        )
    told = json.loads(node("--input-type=module", "-e", _SCRIPT, script.as_uri(), given=json.dumps(cases)))
    for state, case, page in zip(states, cases, told, strict=True):
        here = seen.compose(state.labels(), state.classes(state.layer), state.layer)
        assert page["codes"] == np.concatenate(here.codes).tolist()
        assert page["entries"] == [[e.text, e.mark, e.color, list(e.counts)] for e in here.entries]
        levels, arcs = svg.fold(state, svg.roots_of(state), state.classes(state.layer), 1)
        for level, folded in zip(page["levels"], levels, strict=True):
            mine = [sorted(case["starts"][side] + node for side, node in members) for members in folded.values()]
            assert sorted(level) == sorted(mine)
        assert page["times"] == sorted(arcs.values(), key=str)


_REASONS = """
import { readFileSync } from "node:fs";
const t = await import(process.argv[1]);
console.log(JSON.stringify(JSON.parse(readFileSync(0, "utf8")).map((given) => {
  const c = { ...given, links: t.adjacency(Uint32Array.from(given.edges), given.names.length) };
  return Object.fromEntries(c.pills.map((pill) => [pill.method, t.reason(c, pill.method)]));
})));
"""


def test_the_page_gives_the_reasons_that_distinguish_gives(tmp_path: Path) -> None:
    script = tmp_path / "words.mjs"
    script.write_text(joined("geometry", "words") + "\nexport { adjacency, reason };\n", encoding="utf-8")
    cases, wanted = [], []
    for seed in range(80):
        state = _random_state(seed)
        state.update(color_by=str(np.random.default_rng(seed).choice(["SPD", "LP", "1-WL"])), cut=seed % 3 == 0)
        if seed % 2:  # two sets of one graph
            side = state.sides[0]
            other = (np.array(side.targets) + 1) % side.graph.num_nodes
            state = ExplorerState((side.graph, side.nodes), (side.graph, other))
        found = dict(answers(Question.of(state)))
        graphs = [side.graph for side in state.sides]
        starts = [0, graphs[0].num_nodes, graphs[0].num_nodes + graphs[1].num_nodes]
        labels, classes = state.labels(), state.classes(LAYERS)
        cases.append(
            {
                "names": [f"v{u}" for graph in graphs for u in range(graph.num_nodes)],
                "starts": starts,
                "same": graphs[0] is graphs[1],
                "edges": np.concatenate([graph.edges + k for graph, k in zip(graphs, starts, strict=False)])
                .ravel()
                .tolist(),
                "sides": [[starts[k] + t for t in side.targets] for k, side in enumerate(state.sides)],
                "seen": {
                    "method": state.method.name,
                    "layers": LAYERS,
                    "hops": 1,
                    "cut": state.cut,
                    "labels": [[label.text, label.mark, label.far] for label in labels.table],
                },
                "codes": np.concatenate(labels.codes).tolist(),
                "classes": np.concatenate(classes, axis=1).ravel().tolist(),
                "pills": shown(Question.of(state), found, False)["pills"],
            }
        )
        wanted.append({name: found[name].why for name in METHODS if found[name].different})
    told = json.loads(node("--input-type=module", "-e", _REASONS, script.as_uri(), given=json.dumps(cases)))
    for case, page, here in zip(cases, told, wanted, strict=True):
        assert {name: page[name] for name in here} == here, (case["sides"], case["edges"])
    assert {name for here in wanted for name in here} == set(METHODS)
