"""The front end in node: its modules, both panels, and whether JavaScript and Python agree wherever both compute."""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import degnn_explore as de
from degnn_explore.expressive.methods import METHODS
from degnn_explore.views.board.board import SCRIPT as BOARD
from degnn_explore.views.explorer import seen, svg
from degnn_explore.views.explorer.explorer import SCRIPT as EXPLORER
from degnn_explore.views.explorer.state import ExplorerState
from degnn_explore.views.explorer.verdicts import LAYERS, Question, shown
from degnn_explore.views.explorer.verdicts import answers as verdicts

from .records import HERE, answers, node


@pytest.mark.parametrize("file", sorted(path.name for path in HERE.glob("*.*.mjs")))
def test_modules_and_panels(file: str) -> None:
    assert "fail 0" in node("--test", str(HERE / file))


@pytest.mark.parametrize("joined", [EXPLORER, BOARD], ids=["explorer", "board"])
def test_no_name_stands_twice_in_the_joined_script(joined: str, tmp_path: Path) -> None:
    script = tmp_path / "joined.mjs"
    script.write_text(joined, encoding="utf-8")
    node("--check", str(script))


def _random_graph(rng: np.random.Generator, seed: int) -> de.Graph:
    """A dense one, a sparse one, or a long one, in which differences travel far."""
    n = int(rng.integers(3, 10))
    if seed % 4 == 3:
        n = int(rng.integers(8, 15))
        pairs = np.array([(int(rng.integers(max(0, v - 2), v)), v) for v in range(1, n)])
    else:
        pairs = np.argwhere(np.triu(rng.random((n, n)) < (0.3, 0.6)[seed % 2], 1))
    return de.Graph.from_edges(pairs if len(pairs) else [(0, 1)], num_nodes=n)


def _random_state(seed: int) -> ExplorerState:
    """Two sets of one size, of two graphs or of one."""
    rng = np.random.default_rng(seed)
    p = int(rng.integers(1, 4 if seed % 5 else 2))
    graphs = [_random_graph(rng, seed), _random_graph(rng, seed)]
    if seed % 2:
        graphs[1] = graphs[0]
    state = ExplorerState(*((graph, rng.permutation(graph.num_nodes)[:p].tolist()) for graph in graphs))
    state.update(layer=int(rng.integers(0, 5)), hops=int(rng.integers(1, 3)), cut=seed % 3 == 0)
    return state


def _drawn(state: ExplorerState, layers: int) -> dict[str, Any]:
    """What the page knows of a state: labels, classes and edges of all nodes."""
    graphs, labels = [side.graph for side in state.sides], state.labels()
    starts = np.cumsum([0, *(graph.num_nodes for graph in graphs)]).tolist()
    edges = [graph.edges + start for graph, start in zip(graphs, starts, strict=False)]
    return {
        "starts": starts,
        "names": [f"v{u}" for graph in graphs for u in range(graph.num_nodes)],
        "same": graphs[0] is graphs[1],
        "edges": np.concatenate(edges).ravel().tolist(),
        "sides": [[starts[k] + t for t in side.targets] for k, side in enumerate(state.sides)],
        "codes": np.concatenate(labels.codes).tolist(),
        "classes": np.concatenate(state.classes(layers), axis=1).ravel().tolist(),
        "layer": state.layer,
        "seen": {
            "labels": [[label.text, label.mark, label.far] for label in labels.table],
            "method": state.method.name,
            "layers": layers,
            "hops": state.hops if state.method.many_hops else 1,
            "cut": state.cut,
        },
    }


_COLORS = """
const codes = Uint16Array.from(given.codes), classes = Uint32Array.from(given.classes), n = codes.length;
const letters = t.lineage(codes, classes, given.layer), { hops, cut } = given.seen;
const colored = t.coloring(given.seen, t.PALETTE.light, codes, letters, given.layer, given.starts);
const arcs = t.arcsOf(t.adjacency(Uint32Array.from(given.edges), n), n, hops, cut, given.sides.flat());
const picture = t.fold({ ...arcs, classes, codes }, given.roots.map(([, root]) => root), given.roots.map(([k]) => k), given.layer);
return { codes: [...colored.codes], entries: colored.entries.map(({ text, mark, color, counts }) => [text, mark, color, counts]),
         levels: Array.from({ length: given.layer + 1 }, (_, k) => picture.nodes.filter(({ level }) => level === k).map(({ members }) => members)),
         times: picture.lines.map(({ from, to, times }) => [from, to, times]) };
"""  # noqa: E501


def test_the_page_colors_and_folds_as_the_static_picture_does() -> None:
    states = [_random_state(seed) for seed in range(80)]
    cases = []
    for seed, state in enumerate(states):
        state.update(color_by=("SPD", "LP", "1-WL", "PageRank")[seed // 2 % 4])
        case = _drawn(state, state.layer)
        roots = [[side, case["starts"][side] + root] for side, root in svg.roots_of(state)]
        cases.append(case | {"roots": roots})
    modules, names = ("geometry", "compose", "folding"), "lineage, coloring, arcsOf, adjacency, fold, PALETTE"
    for state, case, page in zip(states, cases, answers(modules, names, _COLORS, cases), strict=True):
        here = seen.compose(state.labels(), state.classes(state.layer), state.layer)
        assert page["codes"] == np.concatenate(here.codes).tolist()
        assert page["entries"] == [[e.text, e.mark, e.color, list(e.counts)] for e in here.entries]
        hops = state.hops if state.method.many_hops else 1
        levels, arcs = svg.fold(state, svg.roots_of(state), state.classes(state.layer), hops)
        for level, folded in zip(page["levels"], levels, strict=True):
            mine = [sorted(case["starts"][side] + node for side, node in members) for members in folded.values()]
            assert sorted(level) == sorted(mine)
        times: Counter[tuple[int, int]] = Counter()
        for above, below, count in page["times"]:
            times[above, below] += count
        assert sorted(times.values()) == sorted(arcs.values())


_REASONS = """
const c = { ...given, links: t.adjacency(Uint32Array.from(given.edges), given.names.length) };
return Object.fromEntries(c.pills.map((pill) => [pill.method, t.reason(c, pill.method)]));
"""


def test_the_page_gives_the_reasons_that_distinguish_gives() -> None:
    cases, wanted = [], []
    for seed in range(120):
        state = _random_state(seed)
        state.update(color_by=("SPD", "LP", "1-WL")[seed // 2 % 3])
        found = dict(verdicts(Question.of(state)))
        pills = shown(Question.of(state), found, False)["pills"]
        cases.append(_drawn(state, LAYERS) | {"pills": pills})
        wanted.append({name: found[name].why for name in METHODS if found[name].different})
    told = answers(("geometry", "words"), "adjacency, reason", _REASONS, cases)
    for case, page, here in zip(cases, told, wanted, strict=True):
        assert {name: page[name] for name in here} == here, (case["sides"], case["edges"])
    assert {name for here in wanted for name in here} == set(METHODS)
