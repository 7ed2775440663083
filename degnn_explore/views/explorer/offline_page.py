"""The Explorer as one HTML file that lives without a kernel or a network: the same front end, with a recorded model.

Recorded is what the panel would show of each target set: labels and classes by each method, and the class of the whole
set at every layer until nothing splits. ``js/recorded.js`` puts two sets together; ``js/words.js`` and
``js/compose.js`` say and color the rest, as they do for a live panel.
"""

from __future__ import annotations

import base64
import gzip
import json
from collections.abc import Sequence
from copy import copy
from itertools import combinations, pairwise
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from ...common.errors import ParameterError
from ...common.files import readable_size
from ...expressive.methods import Method
from ...expressive.refinement import NO_TARGETS, Instances
from ...expressive.symmetry import match_sets
from ...expressive.two_wl import pair_colors
from ...graphs.graph import Graph
from ..content import TOURS, Step
from ..content import tour as find_tour
from ..js import joined, read
from ..static_html import page as html_page
from . import seen
from .state import MAX_LAYER, PLAIN, SETTINGS, ExplorerState
from .verdicts import EXPLAINED, Question, shown

if TYPE_CHECKING:
    from .explorer import Explorer

MAX_BYTES = 5_000_000
MAX_SINGLES, MAX_PAIRS = 400, 60  # nodes of a graph whose nodes, or pairs of nodes, are recorded
Ints = NDArray[np.int64]
Sets = list[Ints]  # of each different graph: its target sets [k, p]


def page(explorer: Explorer, tour: str = "") -> str:
    """The page; a ParameterError where a graph is too large for one."""
    from .explorer import MODULES

    state = explorer.state
    largest = max(side.graph.num_nodes for side in state.sides)
    if largest > MAX_SINGLES:
        raise ParameterError(
            f"A page stores every answer, so it takes graphs of up to {MAX_SINGLES} nodes; this one has {largest:,}. "
            "Save a picture instead, or take a part of the graph."
        )
    with_pairs = record(explorer, tour, (1, 2) if largest <= MAX_PAIRS else (1,))
    packed = _packed(with_pairs)
    if len(packed) > MAX_BYTES and largest <= MAX_PAIRS:
        packed = _packed(record(explorer, tour, (1,)))
    if len(packed) > MAX_BYTES:
        size, most = readable_size(len(packed)), readable_size(MAX_BYTES)
        raise ParameterError(f"The page would take {size}, more than {most}. Take a smaller graph, or hide B.")
    script = f'{joined(*MODULES, "recorded")}\nopenPage("{packed}");\n'
    style = read("panel.css") + _PAGE_STYLE
    return html_page(f"Distance Encoding Explorer: {state.title}", '<main id="explorer"></main>', style, script)


_PAGE_STYLE = """
body { margin: 0; padding: 8px; }
@media (min-width: 721px) { .de-panel { height: clamp(540px, calc(100vh - 20px), 900px); } }
@media (prefers-color-scheme: dark) { body { background: #16191e; } }
"""


def _packed(data: dict[str, Any]) -> str:
    return base64.b64encode(gzip.compress(json.dumps(data, separators=(",", ":")).encode(), 6, mtime=0)).decode()


def record(explorer: Explorer, tour: str, sizes: Sequence[int]) -> dict[str, Any]:
    """All that the recorded model answers from, as JSON."""
    state = copy(explorer.state)
    state.hops = min(state.hops, 2)
    colorings = list(dict.fromkeys(["SPD", "LP", *([state.color_by] if state.color_by != PLAIN else [])]))
    values = {name: getattr(state, name) for name in SETTINGS} | {"toggle": explorer.values["toggle"]}
    values["size"] = values["size"] if values["size"] in sizes else max(len(state.sides[0].targets), 1)
    values["size"] = min(values["size"], max(sizes))
    targets = [list(side.targets)[-values["size"] :] for side in state.sides]
    note = f"Recorded here: {'single targets and pairs' if 2 in sizes else 'single targets'}; a notebook shows more."
    tours = {key: steps for key, it in TOURS.items() if (steps := _steps(state, it.steps, sizes))}
    if tour and find_tour(tour).key not in tours and 2 in sizes:
        raise ParameterError(
            f"The tour {tour!r} shows more than a page of these graphs records; tours that it holds: "
            f"{', '.join(tours) or 'none'}."
        )
    traits = {
        "options": explorer.options
        | {"recorded": {"sizes": list(sizes), "colorings": colorings, "tours": list(tours), "note": note}},
        "graphs": explorer.graphs,
        "values": values,
        "targets": targets,
        "view": {},
        "lesson": {},
        "opening": {},
        "busy": "",
        "error": {},
    }
    return {
        "traits": traits,
        "arrays": {"xy": _text(explorer.xy), "edges": _text(explorer.edges)},
        "layers": MAX_LAYER,
        "tours": tours,
        "tour": find_tour(tour).key if tour else "",
        "records": {str(p): _records(state, p, colorings, sizes) for p in sizes},
    }


def _steps(state: ExplorerState, steps: Sequence[Step], sizes: Sequence[int]) -> list[dict[str, Any]]:
    """The steps of a tour for the recorded model; none where it shows other graphs than these."""
    made = []
    sources = [side.source for side in state.sides]
    for step in steps:
        fresh = ExplorerState.of_preset(step.preset)
        if not all(sources) or [side.source for side in fresh.sides] != sources:
            return []
        fresh = state.arranged(step.preset, step.targets, step.settings)
        if fresh.cut != state.cut or any(len(side.targets) not in sizes for side in fresh.sides):
            return []
        values = {name: getattr(fresh, name) for name in ("color_by", "layer", "hops", "size", "step")}
        targets = [list(side.targets) for side in fresh.sides]
        made.append({"text": step.text, "look": step.look, "values": values, "targets": targets})
    return made


# ---- target sets of one size ------------------------------------------------------------------


def _sets(graph: Graph, p: int) -> Ints:
    """Every set of p nodes. [k, p]"""
    return np.array(list(combinations(range(graph.num_nodes), p)), dtype=np.int64).reshape(-1, p)


def _records(state: ExplorerState, p: int, colorings: Sequence[str], sizes: Sequence[int]) -> dict[str, Any]:
    """Every set of p nodes of each side: its labels and classes, and what it is to each method."""
    graphs = list(dict.fromkeys(side.graph for side in state.sides))  # both sides may show one graph
    sets = [_sets(graph, p) for graph in graphs]
    sides = [graphs.index(side.graph) for side in state.sides]
    sample = copy(state)
    sample.set_targets([sets[k][0] for k in sides])
    question = Question.of(sample)
    total = sum(side.graph.num_nodes for side in state.sides)
    methods: dict[str, Any] = {}
    finals: list[list[list[int]]] = [[[] for _ in chosen] for chosen in sets]
    for name, method in question.methods.items():
        reason = method.infeasible([side.graph.num_nodes for side in state.sides], seconds=3)
        if reason:
            methods[name] = {"skipped": f"skipped: {reason}"}
            continue
        if name == "2-WL":
            made = _pairs(graphs, sets, state.cut)
        else:
            made = _classes(graphs, sets, method, state, total, sizes)
        methods[name] = made
        for k, rows in enumerate(made.get("signatures", [])):
            for i, row in enumerate(rows):
                finals[k][i].append(row[-1])
    drawn = {name: _drawn_methods(state, name) for name in (*colorings, PLAIN)}
    for method in (method for both in drawn.values() for method in both):
        if method.name not in methods:  # one that colors the nodes and has no verdict
            methods[method.name] = _classes(graphs, sets, method, state, total, sizes)
    return {
        "sets": [chosen.tolist() for chosen in sets],
        "sides": sides,
        "labels": {name: _labels(state, name, graphs, sets) for name in (*colorings, PLAIN)},
        "methods": methods,
        "pills": shown(question, {}, False)["pills"],
        "names": {name: [method.name for method in both] for name, both in drawn.items()},
        "explained": total <= EXPLAINED,
        "symmetry": _symmetry(graphs, sets, finals, state.cut) if len(state.sides) == 2 else {},
    }


def _drawn_methods(state: ExplorerState, color_by: str) -> list[Method]:
    """The method that a coloring shows with one hop, and with two."""
    methods = []
    for hops in (1, 2):
        one = copy(state)
        one.update(color_by=color_by, hops=hops)
        methods.append(one.method)
    return methods


def _labels(state: ExplorerState, color_by: str, graphs: Sequence[Graph], sets: Sets) -> dict[str, Any]:
    """What an encoding says of every node for each set; all sets share one table of labels."""
    picks = [(graph, S) for graph, chosen in zip(graphs, sets, strict=True) for S in chosen]
    one = copy(state)
    one.color_by = color_by
    if color_by == PLAIN:
        made = seen.no_labels(picks)
    else:
        exact = sum(side.graph.num_nodes for side in state.sides) <= seen.EXACT_UP_TO
        made = one.labels_of(picks, exact)
    starts = np.cumsum([0, *map(len, sets)])
    codes = [np.stack(made.codes[a:b]) for a, b in pairwise(starts)]
    values = made.values and [np.stack(made.values[a:b]) for a, b in pairwise(starts)]
    return {
        "title": made.title,
        "note": made.note,
        "table": [[label.text, label.mark, label.far] for label in made.table],
        "codes": [_array(rows, "<u2") for rows in codes],
        "values": values and [_array(rows, "<f4") for rows in values],
    }


def _classes(
    graphs: Sequence[Graph], sets: Sets, method: Method, state: ExplorerState, total: int, sizes: Sequence[int]
) -> dict[str, Any]:
    """The classes of all nodes for each set, after every layer, and the class of each set until nothing splits."""
    hops = 2 if method.many_hops else 1
    # as exact as the live panel is on these graphs
    encoding = method.encoding and method.encoding(total if total <= 200 else 33)
    if encoding is not None and encoding.num_targets not in (None, sets[0].shape[1]):  # no node has a class
        nothing = [np.full((MAX_LAYER + 1, graph.num_nodes), -1) for graph in graphs]
        return {"classes": [_array(rows, "<u4") for rows in nothing], "shared": True, "hops": hops}
    starts = np.cumsum([0, *map(len, sets)])
    shared = encoding is None and not (state.cut and sets[0].shape[1] > 1)
    if encoding is None:  # the same run for sets of every size, so that their classes can be compared
        cut_graphs = (graph.cut(S) for graph in graphs for S in _sets(graph, 2)) if state.cut and 2 in sizes else ()
        run = Instances.build([(graph, NO_TARGETS) for graph in (*graphs, *cut_graphs)])
        copies = [
            np.full(b - a, k) if shared else len(graphs) + np.arange(a, b) for k, (a, b) in enumerate(pairwise(starts))
        ]
    else:
        run = Instances.build(list(zip(graphs, sets, strict=True)), encoding, hops=hops, cut=state.cut)
        copies = [np.arange(a, b) for a, b in pairwise(starts)]
    history: list[Ints] = []
    signatures: list[list[list[int]]] = [[[] for _ in chosen] for chosen in sets]
    for layer, (classes, _) in enumerate(run.refine()):
        if layer <= MAX_LAYER:
            history.append(classes.copy())
        known: dict[tuple[int, ...], int] = {}
        for k, chosen in enumerate(sets):
            members = np.sort(classes[run.start[copies[k]][:, None] + chosen], axis=1)
            for i, row in enumerate(members.tolist()):
                signatures[k][i].append(known.setdefault(tuple(row), len(known)))
    history += history[-1:] * (MAX_LAYER + 1 - len(history))
    rows = np.stack(history)  # [layers + 1, all copies' nodes]
    alone = len(state.sides) == 1  # nothing is compared, so classes need not agree between sets
    out = []
    for k, graph in enumerate(graphs):
        unique = np.unique(copies[k])
        mine = np.stack([rows[:, run.start[c] : run.start[c] + graph.num_nodes] for c in unique])
        out.append(_array(_renumbered(mine) if alone else mine, "<u4"))
    return {"classes": out, "shared": shared, "signatures": signatures, "hops": hops}


def _renumbered(rows: Ints) -> Ints:
    """Classes renumbered for each set and layer, by first occurrence: small numbers pack well. [sets, layers, n]"""
    out = np.empty_like(rows)
    for i, layers in enumerate(rows):
        for layer, classes in enumerate(layers):
            _, first, place = np.unique(classes, return_index=True, return_inverse=True)
            rank = np.empty(len(first), dtype=np.int64)
            rank[np.argsort(first)] = np.arange(len(first))
            out[i, layer] = rank[place]
    return out


def _pairs(graphs: Sequence[Graph], sets: Sets, cut: bool) -> dict[str, Any]:
    """What each set is to 2-WL: the multiset of the colors of its pairs, layer by layer."""
    if cut and sets[0].shape[1] > 1:
        return {"skipped": "skipped: not recorded with the edges inside S cut"}
    signatures: list[list[list[int]]] = [[[] for _ in chosen] for chosen in sets]
    for colors in pair_colors(graphs[0], graphs[-1], None, False, False):
        known: dict[tuple[int, ...], int] = {}
        for k, chosen in enumerate(sets):
            pairs = np.asarray(colors[0 if k == 0 else 1])
            members = np.sort(pairs[chosen[:, :, None], chosen[:, None, :]].reshape(len(chosen), -1), axis=1)
            for i, row in enumerate(members.tolist()):
                signatures[k][i].append(known.setdefault(tuple(row), len(known)))
    return {"signatures": signatures}


def _symmetry(graphs: Sequence[Graph], sets: Sets, finals: list[list[list[int]]], cut: bool) -> dict[str, Any]:
    """Sets that a map takes to each other share an orbit; each has a map of nodes to the first set of its orbit."""
    first: dict[tuple[int, ...], list[tuple[int, int]]] = {}  # by what methods say: the first set of each orbit
    orbits: list[list[int]] = [[] for _ in sets]
    maps: list[list[list[int]]] = [[] for _ in sets]
    number: dict[tuple[int, int], int] = {}
    facts: dict[str, Any] = {}
    for k, chosen in enumerate(sets):
        for i, S in enumerate(chosen):
            leaders = first.setdefault(tuple(finals[k][i]), [])
            for leader in leaders:
                other = graphs[leader[0]], sets[leader[0]][leader[1]]
                alike = match_sets((graphs[k], S), other, cut)
                if alike.kind == "same":
                    orbits[k].append(number[leader])
                    maps[k].append(list(alike.mapping))
                    break
                facts = {"degree": alike.degree, "family": alike.family}
            else:
                leaders.append((k, i))
                number[k, i] = len(number)
                orbits[k].append(number[k, i])
                maps[k].append(list(range(graphs[k].num_nodes)))
    if not facts:
        alike = match_sets((graphs[0], sets[0][0]), (graphs[-1], sets[-1][-1]), cut, differ=True)
        facts = {"degree": alike.degree, "family": alike.family}
    return {"orbits": orbits, "maps": maps, **facts}


def _array(values: NDArray[Any], kind: str) -> str:
    return _text(np.ascontiguousarray(values, dtype=kind).tobytes())


def _text(content: bytes) -> str:
    return base64.b64encode(content).decode()
