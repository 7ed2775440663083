"""The front end in node: its modules, both panels, and whether JavaScript and Python agree wherever both compute."""

from __future__ import annotations

import base64
from collections import Counter
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

import degnn_explore as de
from degnn_explore.expressive.methods import METHODS
from degnn_explore.views.board.board import SCRIPT as BOARD
from degnn_explore.views.explorer import seen, svg
from degnn_explore.views.explorer.explorer import MODULES
from degnn_explore.views.explorer.explorer import SCRIPT as EXPLORER
from degnn_explore.views.explorer.state import ExplorerState
from degnn_explore.views.explorer.verdicts import LAYERS, Question, shown
from degnn_explore.views.explorer.verdicts import answers as verdicts

from .records import HERE, answers, node, recorded


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


_ANSWERS = """
const model = t.recordedModel(given.data), bytes = (view) => Buffer.from(view.buffer).toString("base64");
return given.states.map(([targets, values]) => {
  model.set("values", { ...model.get("values"), ...values });
  model.set("targets", targets);
  model.save_changes();
  const { seen, pills, error } = Object.fromEntries(["seen", "pills", "error"].map((name) => [name, model.get(name)]));
  return { seen, pills, error, ...Object.fromEntries(["codes", "classes", "numbers"].map((name) => [name, bytes(model.get(name))])) };
});
"""  # noqa: E501


def _explorers() -> dict[str, tuple[de.Explorer, int]]:
    """Panels whose pages record target sets of up to so many nodes."""
    other = de.Graph.from_edges([(0, 1), (1, 2), (2, 3), (3, 0), (3, 4)])
    long = de.Graph.from_edges([(i, i + 1 + i % 3) for i in range(68)])  # its numbers are shown in bins
    return {
        "one graph": (de.Explorer((de.zoo.figure1(), [2]), (de.zoo.figure1(), [3])), 2),
        "two graphs": (de.Explorer((de.zoo.domino(), [0, 3]), (other, [0, 1]), color_by="PageRank"), 2),
        "edges cut": (de.Explorer((de.zoo.domino(), [0, 3]), (de.zoo.bridged_triangles(), [0, 3]), cut=True), 2),
        "one set": (de.Explorer((de.load("karate"), [0])), 2),
        "long": (de.Explorer((long, [5])), 1),
    }


def _random_answers(explorer: de.Explorer, largest: int, colorings: list[str]) -> list[Any]:
    """Targets and values to ask for; the first time with sets of different sizes."""
    asked = []
    for seed in range(14):
        rng = np.random.default_rng(seed)
        sizes = [1 + k % largest if seed == 0 else 1 + seed % largest for k in range(len(explorer.state.sides))]
        nodes = [side.graph.num_nodes for side in explorer.state.sides]
        targets = [sorted(rng.choice(n, p, replace=False).tolist()) for n, p in zip(nodes, sizes, strict=True)]
        color_by = str(rng.choice([*colorings, "1-WL"]))
        asked.append(
            (targets, {"color_by": color_by, "size": 0, "hops": 1 + seed // 2 % 2 if color_by == "SPD" else 1})
        )
    return asked


def test_a_saved_page_answers_as_the_kernel_does() -> None:
    explorers = _explorers()
    cases = []
    for explorer, largest in explorers.values():
        data = recorded(explorer)
        colorings = data["traits"]["options"]["recorded"]["colorings"]
        cases.append({"data": data, "states": _random_answers(explorer, largest, colorings)})
    told = answers((*MODULES, "recorded"), "recordedModel", _ANSWERS, cases)
    for (name, (explorer, _)), case, pages in zip(explorers.items(), cases, told, strict=True):
        for (targets, values), page in zip(case["states"], pages, strict=True):
            explorer.set_trait("values", explorer.values | values)
            explorer.targets = targets
            explorer.wait()
            where = f"{name} {targets} {values}"
            assert page["error"] == {}, where
            _compare_seen(page, explorer, where)
            _compare_pills(page["pills"], explorer.pills, explorer.state, where)


def _compare_seen(page: dict[str, Any], explorer: de.Explorer, where: str) -> None:
    mine, kernel = page["seen"], explorer.seen
    same = mine | {"serial": 0, "labels": 0, "columns": 0}
    assert same == kernel | {"serial": 0, "labels": 0, "columns": 0}, where
    arrays = {
        name: [np.frombuffer(raw, kind) for raw in (base64.b64decode(page[name]), bytes(getattr(explorer, name)))]
        for name, kind in (("codes", "<u2"), ("classes", "<u4"), ("numbers", "<f4"))
    }
    labels = [
        [seen["labels"][code] for code in codes] for seen, codes in zip((mine, kernel), arrays["codes"], strict=True)
    ]
    ranked = explorer.values["color_by"] == "PageRank"  # a page ranks its numbers over all sets
    for (*words, far), (*wanted, wanted_far) in zip(*labels, strict=True):
        assert words == wanted and (far == wanted_far or ranked), where
    assert np.allclose(*arrays["numbers"]), where
    one, other = (rows.reshape(mine["layers"] + 1, -1) for rows in arrays["classes"])
    starts = explorer.graphs["starts"]
    sizes = {len(nodes) for nodes in mine["targets"]}
    if explorer.state.cut and mine["method"] == "1-WL" and len(sizes) > 1:  # of other graphs: not compared
        assert all(_same_classes(one[:, a:b], other[:, a:b]) for a, b in pairwise(starts)), where
    else:
        assert _same_classes(one, other), where


def _same_classes(one: NDArray[Any], other: NDArray[Any]) -> bool:
    """Whether two arrays [layers + 1, n] hold the same classes at each layer, whatever their numbers."""
    return one.shape == other.shape and all(
        len(set(a)) == len(set(b)) == len(set(zip(a, b, strict=True)))
        for a, b in zip(one.tolist(), other.tolist(), strict=True)
    )


def _compare_pills(page: dict[str, Any], kernel: dict[str, Any], state: ExplorerState, where: str) -> None:
    pills = {pill["method"]: pill for pill in page["pills"]}  # its own encoding has one whatever is shown
    for wanted in kernel["pills"]:
        mine = pills[wanted["method"]]
        if "not recorded" in mine.get("skipped", ""):
            continue
        keys = "method", "title", "what", "hops", "afterwards", "layer", "skipped"
        assert [mine.get(key) for key in keys] == [wanted.get(key) for key in keys], where
        if "classes" in wanted:
            both = [np.concatenate([np.array(rows) for rows in pill["classes"]], axis=1) for pill in (mine, wanted)]
            assert _same_classes(*both), where
    if "symmetry" in kernel:
        mine, wanted = page["symmetry"], kernel["symmetry"]
        assert {**mine, "map": 0} == {**wanted, "map": 0}, where
        assert bool(mine["map"]) == bool(wanted["map"]), where
        assert not mine["map"] or _is_symmetry(state, mine["map"]), where


def _is_symmetry(state: ExplorerState, mapping: list[int]) -> bool:
    a, b = (side.graph for side in state.sides)
    moved = {frozenset((mapping[u], mapping[v])) for u, v in a.edges.tolist()}
    targets = [set(side.targets) for side in state.sides]
    return moved == {frozenset(edge) for edge in b.edges.tolist()} and {mapping[t] for t in targets[0]} == targets[1]
