"""What must not change: each function computes one reference file, keyed by a name for each case.

Everything goes through ``import degnn_explore as de`` where it can. What cannot is in the section "adapters" below:
if a module moves or a widget is rewritten, point the adapter at the new place and leave the reference files alone.
"""

from __future__ import annotations

import hashlib
import math
import re
import warnings
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from itertools import combinations
from typing import Any

import numpy as np

import degnn_explore as de

METHODS = ("1-WL", "DE-SPD", "DE-LP", "DEA-SPD", "2-WL")


# ---- adapters: the only code here that knows the inside of the package ---------------------------------------------


def colors(*given: Any, **options: Any) -> np.ndarray:
    """The color of every node after 0, 1, 2, ... layers."""
    return de.colors(*given, **options)


def fill(model: Any) -> Any:
    """The model with weights from a formula, so that they depend on no random numbers.

    A weight depends on the shape of its parameter and on how many parameters of the same shape come before it in
    ``model.parameters()``. Names of submodules do not matter, nor the order of parameters of different shapes.
    """
    import torch

    before: dict[tuple[int, ...], int] = {}
    with torch.no_grad():
        for parameter in model.parameters():
            shape = tuple(parameter.shape)
            number = before[shape] = before.get(shape, 0) + 1
            spread = math.sqrt(4 / math.prod(shape[1:])) if len(shape) > 1 else 0.2
            values = spread * (scrambled(parameter.numel(), [*shape, number]) + 0.15)  # few units are dead
            parameter.copy_(torch.from_numpy(values.reshape(shape).astype(np.float32)))
    return model


def logits(model: Any, task: de.Task, sets: np.ndarray) -> np.ndarray:
    """The logits of a model that has seen a task but has not learned from it; ``de.predict`` must say the same."""
    import torch

    model.bind(task)
    some = task.train.sets
    model.calibrate(model.prepare(task.graph, some), np.arange(len(some)))
    model.eval()
    with torch.no_grad():
        found = model(model.prepare(task.graph, sets).batch(np.arange(len(sets)))).double()
    likely = torch.sigmoid(found) if found.ndim == 1 else torch.softmax(found, dim=1)
    np.testing.assert_allclose(likely.numpy(), de.predict(model, task.graph, sets, device="cpu"), rtol=1e-4, atol=1e-6)
    return found.numpy()


def a_run(**given: Any) -> Any:
    """The record of one training run."""
    from degnn_explore.studies.runs import Run

    return Run(**given)


def table_rows(runs: Sequence[Any]) -> list[Any]:
    """The rows of the comparison of these runs."""
    from degnn_explore.studies.comparison import compare_runs

    return list(compare_runs(runs).rows)


def judgment(row: Any) -> dict[str, Any]:
    """What a row of a comparison says against the best baseline, without its words."""
    words = {
        "the baseline": "baseline",
        "too few seeds": "too few seeds",
        "same in every seed": "no spread",
        "no seed in common": "no common seed",
        "not shown to differ": "open",
        "above": "above",
        "below": "below",
    }
    difference = re.match(r"[+−-]?[\d.]+", row.verdict)
    return {
        "verdict": next((short for text, short in words.items() if text in row.verdict), ""),
        "difference": float(difference[0].replace("−", "-")) if difference else None,
        "p": row.p,
        "mark": row.mark,
    }


def statistics() -> Any:
    """The module with interval, corrected_p, holm, best_on_validation and curves."""
    from degnn_explore.studies import statistics

    return statistics


def explorer_view(spec: dict[str, Any]) -> dict[str, Any]:
    """What the Explorer shows in a state, as plain values; see ``explorer`` for what a state is.

    classes: which nodes share a color, numbered by first occurrence through both sides. values: what the network sees
    of each node at layer 0 (None: unreachable). verdicts: the layer from which a method tells A from B, None if it
    never does, "left out" if it was not asked. levels: how many different nodes, and how many different subtrees,
    each level of an unrolled tree has. parting: from which layer the trees of A and B differ. parting at: depth and
    nodes of the highest branches that the other tree lacks.
    """
    from degnn_explore.encodings.paths import Distance
    from degnn_explore.expressive.methods import METHODS
    from degnn_explore.expressive.subtrees import Unrolling, compare
    from degnn_explore.views.explorer import seen, svg
    from degnn_explore.views.explorer.state import ExplorerState
    from degnn_explore.views.explorer.verdicts import Question, answers

    state = ExplorerState.of_preset(spec["example"])
    state.compare(len(spec["targets"]) == 2)
    state.update(size=0)
    state.set_targets([np.array(targets, dtype=np.int64) for targets in spec["targets"]])
    by, layer, cut = spec["color by"], spec["layer"], spec["cut"]
    method = METHODS.get(by)  # classes by a method, else what an encoding says at layer 0
    color_by = {"DE-SPD": "SPD", "DEA-SPD": "SPD", "DE-LP": "LP"}.get(by, by)
    hops = spec["hops"] if by == "DEA-SPD" else 1
    state.update(color_by=color_by, hops=hops, layer=layer, step=spec["step"], cut=cut)

    total = sum(side.graph.num_nodes for side in state.sides)
    labels = state.labels()
    if method is None or method.encoding is None:
        encoding = Distance() if by == "1-WL" else state.encoding()
    else:
        encoding = method.encoding(total if total <= 200 else 33)
    shown: dict[str, Any] = {}
    if by != "PageRank":  # its values are solved for, so that bins may differ by rounding
        classes = state.classes(layer)
        codes = [row[-1] for row in classes] if method is not None else labels.codes
        shown["classes"] = first_occurrence(np.concatenate(codes))
    fits = all(not side.targets or encoding.num_targets in (None, len(side.targets)) for side in state.sides)
    if fits and by != "DE-LP":
        shown["values"] = [
            _values(encoding.shown(side.graph, side.nodes, cut)) if side.targets else None for side in state.sides
        ]
    question = Question(state, spec["hops"])
    if question.comparable:
        shown["verdicts"] = {
            name: "left out" if isinstance(answer, str) else layer_of(answer)
            for name, answer in answers(question)
            if name in METHODS
        }
    roots = svg.roots_of(state)
    classes = seen.classes_of(state.picks, encoding if fits else None, layer, hops, cut)
    folded = [svg.fold(state, [root], classes, hops)[0] for root in roots]
    shown["levels"] = [[[sum(map(len, level.values())), len(level)] for level in levels] for levels in folded]
    if [side for side, _ in roots] == [0, 1]:
        unrolled = [
            Unrolling(side.graph, layer, encoding, side.nodes, cut, hops)
            if fits
            else Unrolling(side.graph.cut(side.nodes) if cut else side.graph, layer)
            for side in state.sides
        ]
        depth = layer
        while depth and any(unrolled[k].size(root, depth, True, MAX_TREE) > MAX_TREE for k, root in roots):
            depth -= 1
        trees = [unrolled[k].tree(root, depth, True, MAX_TREE) for k, root in roots]
        comparison = compare(*trees)
        shown["parting"] = comparison.layer
        marked = comparison.parts_a, comparison.parts_b
        shown["parting at"] = [_highest(tree, parts) for tree, parts in zip(trees, marked, strict=True)]
    return shown


MAX_TREE = 420  # nodes of a tree that is compared


def _highest(tree: de.Subtree, marked: np.ndarray) -> list[Any]:
    """The least depth of the marked nodes of a tree, and which nodes of the graph they are there."""
    if not marked.any():
        return []
    depth = int(tree.depth[marked].min())
    return [depth, sorted({u for i in np.flatnonzero(marked & (tree.depth == depth)) for u in tree.members[i]})]


def _values(rows: np.ndarray) -> list[Any]:
    """One value a node: distances or labels as they are, of real numbers the last column."""
    if rows.dtype.kind == "f":
        return numbers(rows[:, -1])
    far = np.iinfo(np.int64).max
    plain = [[None if x == far else x for x in row] for row in rows.tolist()]
    return [row[0] if len(row) == 1 else row for row in plain]


def scrambled(count: int, key: Sequence[int]) -> np.ndarray:
    """Numbers from -1 to 1 without a pattern, by integer arithmetic alone."""
    x = np.arange(1, count + 1, dtype=np.uint64) * np.uint64(0x9E3779B97F4A7C15)
    for part in key:
        x += np.uint64(part * 0x632BE59BD9B4E019 % 2**64)
        x = (x ^ (x >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    x ^= x >> np.uint64(31)
    return (x >> np.uint64(11)).astype(np.float64) / 2**52 - 1


# ---- small tools ---------------------------------------------------------------------------------------------------


def layer_of(verdict: de.Verdict) -> int | None:
    """The layer from which the two are told apart; None: never."""
    assert verdict.different == (verdict.layer is not None)
    return verdict.layer


def first_occurrence(classes: Sequence[int] | np.ndarray) -> list[int]:
    """Classes numbered in the order in which they first occur."""
    number: dict[int, int] = {}
    return [number.setdefault(int(c), len(number)) for c in classes]


def numbers(values: Any) -> Any:
    """Floats with twelve digits, in lists of any depth."""
    if isinstance(values, np.ndarray):
        values = values.tolist()
    if isinstance(values, list | tuple):
        return [numbers(x) for x in values]
    return float(f"{values:.12g}") if isinstance(values, float) else values


def digest(rows: Any) -> str:
    """The start of the sha256 of integers, in the order given."""
    return hashlib.sha256(np.ascontiguousarray(rows, dtype="<i8").tobytes()).hexdigest()[:16]


def ordered(rows: np.ndarray) -> np.ndarray:
    """Rows in ascending order."""
    rows = np.asarray(rows, dtype=np.int64)
    return rows[np.lexsort(rows.T[::-1])] if len(rows) else rows


def random_graph(n: int, density: float, rng: np.random.Generator, **columns: Any) -> de.Graph:
    """Each pair linked with that probability."""
    return de.Graph.from_edges(np.argwhere(np.triu(rng.random((n, n)) < density, k=1)), n, **columns)


def union(*cycles: int) -> de.Graph:
    """Cycles of these lengths side by side; 1 is a single node."""
    edges, start = [], 0
    for n in cycles:
        edges += [(start + i, start + (i + 1) % n) for i in range(n) if n > 2]
        start += n
    return de.Graph.from_edges(edges, start)


def star(leaves: int) -> de.Graph:
    return de.Graph.from_edges([(0, i) for i in range(1, leaves + 1)])


def shuffled(G: de.Graph, S: Sequence[int], rng: np.random.Generator) -> tuple[de.Graph, list[int]]:
    """The same graph and targets under other numbers."""
    order = rng.permutation(G.num_nodes)
    place = np.argsort(order)
    return G.relabel(order), place[list(S)].tolist()


# ---- 1. verdicts and colorings -------------------------------------------------------------------------------------

Side = tuple[de.Graph, list[int] | None]


def _hard_pairs() -> Iterator[tuple[str, Side, Side]]:
    """Pairs that 1-WL, and often more than that, cannot tell apart."""
    zoo = de.zoo
    fig1 = zoo.figure1()
    for u, v in combinations((0, 1, 2, 3, 6, 7), 2):
        yield f"Fig. 1(a) {u} or {v}", (fig1, [u]), (fig1, [v])
    for S, T in (([0, 1], [2, 7]), ([0, 1], [4, 5]), ([3, 6], [2, 7]), ([0, 1, 7], [1, 3, 6]), ([0, 2, 3], [1, 2, 6])):
        yield f"Fig. 1(a) {S} or {T}", (fig1, S), (fig1, T)
    for number, (left, right) in {"3": zoo.figure3(), "5": zoo.figure5()}.items():
        yield f"Fig. {number}", (left, [0]), (right, [0])
        yield f"Fig. {number}, pairs", (left, [0, 1]), (right, [0, 1])
    triangles, hexagon = zoo.two_triangles(), zoo.hexagon()
    for S, T in (([0], [0]), ([0, 1], [0, 1]), ([0, 3], [0, 3]), ([0, 1, 2], [0, 1, 2]), ([0, 1, 3], [0, 2, 4])):
        yield f"two triangles {S} or hexagon {T}", (triangles, S), (hexagon, T)
    shrikhande, rook = zoo.shrikhande(), zoo.rook()
    a, b = int(shrikhande.neighbors(0)[0]), int(rook.neighbors(0)[0])
    far = [next(v for v in range(1, 16) if not G.has_edge(0, v)) for G in (shrikhande, rook)]
    for what, S, T in (
        ("nodes", [0], [0]),
        ("edges", [0, a], [0, b]),
        ("non-edges", [0, far[0]], [0, far[1]]),
        ("triples", [0, a, far[0]], [0, b, far[1]]),
    ):
        yield f"Shrikhande or rook, {what}", (shrikhande, S), (rook, T)
    for S in ([0], [1], [0, 3], [1, 2], [0, 1, 2]):
        yield f"domino or bridged triangles {S}", (zoo.domino(), S), (zoo.bridged_triangles(), S)
    for S in ([0], [0, 1], [0, 2, 5]):
        yield f"Desargues or dodecahedron {S}", (zoo.desargues(), S), (zoo.dodecahedron(), S)
        yield f"CSL(13, 2) or CSL(13, 3) {S}", (zoo.csl(13, 2), S), (zoo.csl(13, 3), S)
        yield f"CSL(11, 3) or CSL(11, 4) {S}", (zoo.csl(11, 3), S), (zoo.csl(11, 4), S)
        yield f"T(8) or Chang 1 {S}", (zoo.triangular(8), S), (zoo.chang(1), S)
        yield f"Chang 1 or Chang 2 {S}", (zoo.chang(1), S), (zoo.chang(2), S)
        yield f"two cycles of 4 or one of 8 {S}", (union(4, 4), S), (union(8), S)
        yield f"cycles 3+5 or 4+4 {S}", (union(3, 5), S), (union(4, 4), S)
        yield f"Petersen or Paley(9), {S}", (zoo.petersen(), S), (zoo.paley(9), S)
    # cospectral: the smallest pair, and the smallest connected one
    first = de.Graph.from_edges([(0, 1), (1, 2), (2, 3), (3, 0)], 5)
    left = de.Graph.from_edges([(0, 1), (1, 2), (2, 3), (3, 0), (0, 4), (0, 5), (4, 5)])
    right = de.Graph.from_edges([(0, 1), (0, 2), (0, 3), (0, 4), (0, 5), (1, 2), (2, 3)])
    for S in ([0], [4], [0, 1], [0, 1, 2]):
        yield f"star or square with a node {S}", (star(4), S), (first, S)
        yield f"cospectral {S}", (left, S), (right, S)


def _random_pairs(count: int) -> Iterator[tuple[str, Side, Side]]:
    """Random graphs, regular ones and copies under other numbers among them, with targets of one to three nodes."""
    for i in range(count):
        rng = np.random.default_rng([20, i])
        p, kind = 1 + i % 3, ("one graph", "two graphs", "regular", "two regular", "a copy")[i % 5]
        n = int(rng.integers(6, 13))
        if "regular" in kind:
            n += n % 2
            G = de.zoo.random_regular(n, 3, seed=i)
            H = de.zoo.random_regular(n, 3, seed=1000 + i) if kind == "two regular" else G
        else:
            G = random_graph(n, float(rng.uniform(0.15, 0.5)), rng)
            H = random_graph(n, float(rng.uniform(0.15, 0.5)), rng) if kind == "two graphs" else G
        S, T = (sorted(rng.choice(n, p, replace=False).tolist()) for _ in "AB")
        if kind == "a copy":
            H, T = shuffled(G, S, rng)
        yield f"random {i}: {kind}", (G, S), (H, T)


def pairs() -> list[tuple[str, Side, Side]]:
    """Two hundred pairs of a graph and a target set."""
    hard = list(_hard_pairs())
    return [*hard, *_random_pairs(200 - len(hard))]


def verdicts() -> dict[str, Any]:
    """The layer from which each method tells two target sets apart, with and without cutting; None: never."""
    found = {}
    for i, (name, a, b) in enumerate(pairs()):
        case: dict[str, Any] = {"graphs": [digest(a[0].edges)[:6], digest(b[0].edges)[:6]], "sets": [a[1], b[1]]}
        for method in METHODS:
            case[method] = layer_of(de.distinguish(a, b, method, progress=False))
            if len(a[1] or []) > 1 and i % 2:
                case[f"{method}, cut"] = layer_of(de.distinguish(a, b, method, cut=True, progress=False))
        case["DEA-SPD, K=3"] = layer_of(de.distinguish(a, b, "DEA-SPD", hops=3))
        case["DE-SPD, one layer"] = layer_of(de.distinguish(a, b, "DE-SPD", layers=1))
        if i % 3 == 0:
            case["SPD(1)"] = layer_of(de.distinguish(a, b, de.SPD(1)))
            case["LP(2), K=2"] = layer_of(de.distinguish(a, b, de.LandingProbability(2), hops=2))
            case["PageRank"] = layer_of(de.distinguish(a, b, de.PageRank(0.5)))
        found[name] = case
    return found


def whole_graphs() -> dict[str, Any]:
    """The same for whole graphs, as multisets over nodes, pairs, edges and triples; and with attributes."""
    found = {}
    small = [(name, a[0], b[0]) for name, a, b in pairs() if a[0] is not b[0] and a[0].num_nodes <= 16]
    seen = set()
    for name, G, H in small:
        which = (digest(G.edges), digest(H.edges))
        if which in seen or len(seen) == 40:
            continue
        seen.add(which)
        case: dict[str, Any] = {m: layer_of(de.distinguish(G, H, m, progress=False)) for m in METHODS}
        for order in (2, 3, "edges"):
            case[f"DE-SPD, order {order}"] = layer_of(de.distinguish(G, H, "DE-SPD", order=order))
        case["DE-LP, order edges, cut"] = layer_of(de.distinguish(G, H, "DE-LP", order="edges", cut=True))
        marked = [X.with_attributes(np.arange(X.num_nodes)[:, None] % 2) for X in (G, H)]
        for method in METHODS:
            verdict = de.distinguish(*marked, method, attributes=True, progress=False)
            case[f"{method}, attributes"] = layer_of(verdict)
        found[name] = case
    return found


def colorings() -> dict[str, Any]:
    """The classes of nodes at every layer until nothing changes."""
    rng = np.random.default_rng(5)
    graphs = {
        "Fig. 1(a)": de.zoo.figure1(),
        "domino": de.zoo.domino(),
        "two triangles": de.zoo.two_triangles(),
        "karate": de.load("karate"),
        "random": random_graph(14, 0.2, rng, attributes=np.arange(14)[:, None] % 3),
    }
    ways: dict[str, dict[str, Any]] = {
        "1-WL": {},
        "1-WL, attributes": {"attributes": True},
        "SPD, p=1": {"S": np.array([2])},
        "SPD, p=2": {"S": np.array([0, 3])},
        "SPD, p=2, cut": {"S": np.array([0, 3]), "cut": True},
        "SPD, p=3, K=2": {"S": np.array([0, 1, 5]), "hops": 2},
        "LP": {"S": np.array([2]), "encoding": de.LandingProbability(4)},
        "DRNL": {"S": np.array([0, 3]), "encoding": de.DRNL(3)},
        "PageRank, K=3": {"S": np.array([1]), "encoding": de.PageRank(), "hops": 3},
        "SPD, five layers": {"S": np.array([4]), "layers": 5},
    }
    return {
        f"{title}; {way}": [first_occurrence(row) for row in colors(G, **options)]
        for title, G in graphs.items()
        for way, options in ways.items()
    }


# ---- 2. encodings --------------------------------------------------------------------------------------------------

ENCODINGS: dict[str, Callable[[], Any]] = {
    "SPD(0)": lambda: de.SPD(0),
    "SPD(3)": lambda: de.SPD(3),
    "SPD(2, sum)": lambda: de.SPD(2, pool="sum"),
    "SPD(5, None)": lambda: de.SPD(5, pool=None),
    "DRNL(1)": lambda: de.DRNL(1),
    "DRNL(3)": lambda: de.DRNL(3),
    "DRNL(5)": lambda: de.DRNL(5),
    "LP(0)": lambda: de.LandingProbability(0),
    "LP(3)": lambda: de.LandingProbability(3),
    "LP(5, sum)": lambda: de.LandingProbability(5, pool="sum"),
    "LP(2, None)": lambda: de.LandingProbability(2, pool=None),
    "GPR": lambda: de.GeneralizedPageRank([0, 1, 0.5, 0.25]),
    "GPR(sum)": lambda: de.GeneralizedPageRank([0.2, -1.0, 3.0], pool="sum"),
    "PageRank(0.9)": lambda: de.PageRank(),
    "PageRank(0.5, None)": lambda: de.PageRank(0.5, pool=None),
    "HeatKernel(3)": lambda: de.HeatKernel(),
    "HeatKernel(0)": lambda: de.HeatKernel(0),
    "HeatKernel(10, sum)": lambda: de.HeatKernel(10.0, pool="sum"),
}


def encodings() -> dict[str, Any]:
    """Every encoding on a few graphs and target sets, with and without cutting."""
    path = de.Graph.from_edges([(0, 1), (1, 2), (2, 3), (3, 4)], num_nodes=6)
    graphs = {
        "path": (path, [[0], [5], [1, 2], [0, 1, 5]]),
        "Fig. 1(a)": (de.zoo.figure1(), [[2], [0, 1], [3, 0], [0, 1, 7]]),
        "random": (random_graph(15, 0.17, np.random.default_rng(3)), [[4], [2, 9], [1, 2, 3]]),
        "karate": (de.load("karate"), [[0, 1]]),
    }
    found = {}
    for title, (G, sets) in graphs.items():
        for S in sets:
            for name, make in ENCODINGS.items():
                encoding = make()
                if encoding.num_targets not in (None, len(S)):
                    continue
                for cut in (False, True) if len(S) > 1 else (False,):
                    key = f"{title} {S} {name}{' cut' if cut else ''}"
                    found[key] = np.round(encoding.encode(G, np.array(S), cut), 14)
    return found


# ---- 3. splits -----------------------------------------------------------------------------------------------------


@cache
def _graphs() -> dict[str, de.Graph]:
    celegans = de.load("celegans")
    return {
        "karate": de.load("karate"),
        "celegans": celegans.with_labels(np.searchsorted([8, 12, 18], celegans.degrees)),
        "ns": de.load("ns"),
        "us-flights": de.load("us-flights"),
        "rook(6)": de.zoo.rook(6),
        "lesmis": de.load("lesmis"),
    }


@cache
def _tasks() -> dict[str, de.Task]:
    """Tasks of every kind, with several seeds and options."""
    graphs, tasks = _graphs(), {}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for name in ("karate", "celegans", "us-flights"):
            for seed in (0, 1, 7):
                tasks[f"roles {name} seed={seed}"] = de.role_task(graphs[name], seed=seed)
        tasks["roles karate halves"] = de.role_task(graphs["karate"], split=(0.5, 0.25, 0.25))
        tasks["roles karate own"] = de.role_task(graphs["karate"], val=[0, 1, 33], test=[2, 3, 32])
        tasks["roles karate paper"] = de.role_task(graphs["karate"], protocol="paper")
        for name in ("karate", "celegans", "ns", "rook(6)"):
            for seed in (0, 1, 7):
                tasks[f"links {name} seed={seed}"] = de.link_task(graphs[name], seed=seed)
                tasks[f"triangles {name} seed={seed}"] = de.triangle_task(graphs[name], seed=seed)
        for kind, make in (("links", de.link_task), ("triangles", de.triangle_task)):
            tasks[f"{kind} lesmis few"] = make(graphs["lesmis"], seed=3, max_positives=40)
            tasks[f"{kind} lesmis shares"] = make(graphs["lesmis"], seed=3, split=(0.6, 0.3, 0.1))
            tasks[f"{kind} lesmis paper"] = make(graphs["lesmis"], seed=3, protocol="paper")
            tasks[f"{kind} lesmis all but test"] = make(
                graphs["lesmis"], seed=3, protocol="validation_links_in_the_graph"
            )
        karate = graphs["karate"]
        edges = karate.edges
        tasks["links karate own"] = de.link_task(
            karate, seed=2, split={"valid": {"edge": edges[:8]}, "test": {"edge": edges[70:]}}
        )
        tasks["links karate own negatives"] = de.link_task(
            karate,
            seed=2,
            split={
                "valid": {"edge": edges[5:9]},
                "test": {"edge": edges[60:66], "edge_neg": [(9, 10), (9, 11), (14, 15)]},
            },
        )
        for p, name in ((1, "karate"), (2, "celegans"), (3, "lesmis")):
            G = graphs[name]
            rng = np.random.default_rng(p)
            sets = np.unique(np.sort([rng.choice(G.num_nodes, p, replace=False) for _ in range(90)], axis=1), axis=0)
            labels = sets.sum(axis=1) % (2 + p % 2)
            for seed in (0, 4):
                tasks[f"sets {name} seed={seed}"] = de.set_task(G, sets, labels, seed=seed)
        tasks["sets lesmis kept edges"] = de.set_task(G, sets, labels, remove_edges=False, split=(0.5, 0.2, 0.3))
        told = (["train"] * 6 + ["val", "test"]) * len(sets)
        words = np.array(["even", "odd"])[sets.sum(axis=1) % 2].tolist()
        tasks["sets lesmis told"] = de.set_task(G, sets, words, split=told[: len(sets)])
    return tasks


def _rows(sets: np.ndarray) -> dict[str, Any]:
    """Enough of some sets to see whether, and roughly how, they have changed; their order does not count."""
    rows = ordered(np.sort(sets, axis=1))
    return {"number": len(rows), "first": rows[:4].tolist(), "sha256": digest(rows)}


def splits() -> dict[str, Any]:
    """Each part by class, except for the training negatives of links and triangles; and the graph that is left."""
    found = {}
    for name, task in _tasks().items():
        case: dict[str, Any] = {"p": task.p, "metric": task.metric, "classes": list(task.classes)}
        case["leaks"] = list(task.leaks)
        for part in ("train", "val", "test"):
            split = getattr(task, part)
            for label in range(task.num_classes):
                if not (task.kind in ("links", "triangles") and part == "train" and label == 0):
                    case[f"{part} {label}"] = _rows(split.sets[split.labels == label])
        case["graph"] = _rows(task.graph.edges)
        found[name] = case
    return found


def training_negatives() -> dict[str, Any]:
    """The training negatives of links and triangles."""
    drawn = {name: task.train for name, task in _tasks().items() if task.kind in ("links", "triangles")}
    return {name: _rows(split.sets[split.labels == 0]) for name, split in drawn.items()}


# ---- 4. models -----------------------------------------------------------------------------------------------------


@cache
def _small_tasks() -> dict[str, de.Task]:
    """A task of each kind that does not depend on how splits are drawn: all parts are told."""
    karate = de.load("karate")
    roles = karate.with_labels(np.searchsorted([3, 5], karate.degrees))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        tasks = {"roles": de.role_task(roles, val=[0, 4, 8, 12], test=[1, 5, 9, 13, 17])}
        edges = karate.edges
        far = np.argwhere(np.triu(~karate.to_scipy().toarray().astype(bool), k=1))[::6]
        tasks["links"] = de.link_task(
            karate,
            split={
                "train": {"edge_neg": far[16:76]},
                "valid": {"edge": edges[::10], "edge_neg": far[:8]},
                "test": {"edge": edges[5::10], "edge_neg": far[8:16]},
            },
        )
        rng = np.random.default_rng(8)
        G = random_graph(22, 0.25, rng, attributes=np.round(rng.normal(size=(22, 2)), 3))
        sets = np.array(list(combinations(range(22), 3)))[::25]
        closed = np.array([G.has_edge(a, b) + G.has_edge(b, c) + G.has_edge(a, c) > 1 for a, b, c in sets.tolist()])
        told = (["train"] * 5 + ["val", "test"]) * len(sets)
        tasks["triangles"] = de.set_task(G, sets, closed.astype(int), split=told[: len(sets)])
    return tasks


SMALL = {
    "hidden": 8,
    "anchor_sets": 12,
    "sort_k": 12,
    "dim": 8,
    "walks": 2,
    "length": 10,
}  # where a model has such a hyperparameter

VARIANTS: list[tuple[str, dict[str, Any]]] = [
    *[("DE-GNN-SPD", {"base": base, "layers": 1}) for base in ("GCN", "SAGE", "GIN")],
    *[("DE-GNN-SPD", {"base": base, "layers": 2, "max_dist": 4}) for base in ("GCN", "SAGE", "GIN")],
    ("DE-GNN-SPD", {"readout": "difference"}),
    ("DE-GNN-SPD", {"layers": 3}),
    ("DE-GNN-LP", {"f3": 5}),
    ("DE-GNN-LP", {"base": "SAGE", "layers": 1, "steps": 4}),
    ("DEA-GNN-SPD", {"hops": 1}),
    ("DEA-GNN-SPD", {"hops": 3, "layers": 1}),
    ("DEA-GNN-PR", {"layers": 1}),
    ("GCN", {"layers": 3, "readout": "difference"}),
    ("PGNN", {"layers": 2}),
    ("SEAL", {"hops": 2}),
]


def model_logits() -> dict[str, Any]:
    """The logits of every model on the test sets of small tasks, its weights filled by a formula."""
    table, found = de.models(), {}
    every = [name for name in table.index if name != "DE-GNN-LapPE"]  # its eigenvectors differ between machines
    for name, hyper in [*((name, {}) for name in every), *VARIANTS]:
        sizes, known = table.loc[name, "sizes"], table.loc[name, "hyperparameters"]
        for kind, task in _small_tasks().items():
            if sizes != "any" and str(task.p) not in sizes.split(", "):
                continue
            given = {key: value for key, value in SMALL.items() if key in known} | hyper
            model = fill(de.build(name, task, seed=0, **given))
            said = ", ".join(f"{key}={value}" for key, value in hyper.items())
            found[f"{name}({said}) {kind}"] = numbers(logits(model, task, task.test.sets))
    return found


TRAINED = ("DE-GNN-SPD", "DEA-GNN-SPD", "GCN")


def _three_epochs(model: Any, task: de.Task, **options: Any) -> list[dict[str, Any]]:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        run = list(de.fit(model, task, epochs=3, seed=5, device="cpu", batch_size=16, progress=False, **options))
    return [{"loss": numbers(e.loss), "val": numbers(e.val[e.metric]), "test": numbers(e.test[e.metric])} for e in run]


def training() -> dict[str, Any]:
    """Three epochs of training, from weights filled by a formula."""
    found = {}
    for name in TRAINED:
        for kind, task in _small_tasks().items():
            found[f"{name} {kind}"] = _three_epochs(fill(de.build(name, task, hidden=8)), task)
    links = _small_tasks()["links"]
    for name in TRAINED:
        dropping = fill(de.build(name, links, hidden=8, dropout=0.3))
        found[f"{name} links, dropout"] = _three_epochs(dropping, links)
    found["GCN links, sgd"] = _three_epochs(
        fill(de.build("GCN", links, hidden=8)), links, optimizer="sgd", weight_decay=0.01, clip=0.5
    )
    karate = de.load("karate")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        leaky = de.role_task(karate, val=[0, 4, 8, 12], test=[1, 5, 9, 13, 17], protocol="paper")
    found["GCN roles, gradients not reset"] = _three_epochs(fill(de.build("GCN", leaky, hidden=8)), leaky)
    return found


def training_from_seed() -> dict[str, Any]:
    """The same from the weights that ``build`` draws: changes if they are drawn in another order."""
    task = _small_tasks()["links"]
    return {name: _three_epochs(de.build(name, task, seed=3, hidden=8), task) for name in TRAINED}


# ---- 5. comparisons ------------------------------------------------------------------------------------------------


def _runs(
    model: str, tests: Sequence[float], val: float = 0.5, first_seed: int = 0, graph: str = "celegans", **more: Any
) -> list[Any]:
    given = {
        "graph": graph,
        "task": "links",
        "sizes": {"train": 3436, "val": 430, "test": 430},
        "parameters": 100 * len(model),
        "seconds": 8.0 + len(tests),
        "digest": graph,
        "catalog": graph,
        "epochs": [{"number": 1, "loss": 1.0, "val": {"auc": val, "accuracy": val}, "test": {"auc": 0.5}}],
        "best_epoch": 1,
        "val": val,
        **more,
    }
    return [
        a_run(key=f"{model}{seed}{given}", model=model, seed=seed, test=x, optimistic=x + 0.01 * (seed % 3), **given)
        for seed, x in enumerate(tests, start=first_seed)
    ]


def tables() -> dict[str, list[Any]]:
    rng = np.random.default_rng(12)

    def around(mean: float, spread: float, count: int) -> list[float]:
        return np.round(mean + spread * rng.standard_normal(count), 4).tolist()

    few = _runs("GCN", around(0.75, 0.01, 3)) + _runs("DE-GNN-SPD", around(0.9, 0.01, 3))
    base = around(0.85, 0.02, 10)
    near = [round(x + d, 4) for x, d in zip(base, around(0.004, 0.01, 10), strict=True)]
    above = [round(x + d, 4) for x, d in zip(base, around(0.03, 0.008, 10), strict=True)]
    below = [round(x - d, 4) for x, d in zip(base, around(0.05, 0.01, 10), strict=True)]
    many = (
        _runs("SEAL", base, val=0.8)
        + _runs("GIN", around(0.86, 0.05, 10), val=0.6)
        + _runs("DE-GNN-SPD", above)
        + _runs("DE-GNN-LP", near)
        + _runs("DEA-GNN-SPD", below)
        + _runs("DEA-GNN-PR", [0.9] * 10)
    )
    late = _runs("DE-GNN-SPD", around(0.9, 0.01, 5), first_seed=20)
    again = _runs("GCN", [0.2, 0.4, 0.5, 0.6, 0.7]) + _runs("GCN", [0.8, 0.81], seconds=9.0)
    tuned = _runs("GIN", [0.1, 0.1, 0.1], hyper={"a": 1}) + _runs("GIN", [0.7, 0.8], hyper={"a": 2})
    roles = {"task": "roles", "p": 1, "metric": "accuracy", "sizes": {"train": 105, "val": 13, "test": 13}}
    airports = [
        run
        for model, mean in (("GCN", 0.64), ("degree", 0.6), ("DE-GNN-SPD", 0.73), ("DEA-GNN-SPD", 0.7))
        for run in _runs(model, around(mean, 0.05, 20), graph="brazil-airports", **roles)
    ]
    ended = [a_run(key="x", graph="celegans", task="links", model="GIN", status="failed")]
    return {
        "three seeds": few,
        "ten seeds": many,
        "one seed": _runs("GCN", [0.7]) + _runs("DE-GNN-SPD", [0.8]),
        "no common seed": _runs("GCN", around(0.7, 0.01, 5)) + late,
        "equal in every seed": _runs("GCN", [0.5] * 5) + _runs("DE-GNN-SPD", [0.9] * 5),
        "a seed twice": again + _runs("DE-GNN-SPD", [0.9, 0.91, 0.9, 0.92, 0.95]),
        "two settings": tuned + _runs("Adamic-Adar", around(0.7, 0.02, 5), val=0.9) + ended,
        "only distance encoding": _runs("DE-GNN-SPD", around(0.9, 0.01, 5)),
        "roles": airports,
        "a graph of one's own": _runs("GCN", around(0.7, 0.1, 6), catalog="") + _runs("DE-GNN-LP", above[:6]),
    }


def comparisons() -> dict[str, Any]:
    """The rows of comparisons of made-up runs, best model first."""
    return {
        name: [
            {
                "model": row.model,
                "seeds": row.seeds,
                "mean": [row.mean, row.half],
                "paper": row.paper and list(row.paper),
                "optimistic": [row.optimistic, row.optimistic_half],
                "paper, optimistic": row.paper_optimistic and list(row.paper_optimistic),
                "seconds": row.seconds,
                "parameters": row.parameters,
                **judgment(row),
            }
            for row in table_rows(runs)
        ]
        for name, runs in tables().items()
    }


def intervals_and_tests() -> dict[str, Any]:
    """Intervals, p-values and curves of made-up numbers."""
    stats, rng = statistics(), np.random.default_rng(4)
    found: dict[str, Any] = {}
    for i, count in enumerate((1, 2, 3, 5, 10, 20)):
        a, b = (np.round(m + 0.03 * rng.standard_normal(count), 4).tolist() for m in (0.8, 0.78 + 0.01 * i))
        found[f"{count} values"] = {
            "interval": stats.interval(a),
            "interval at 0.8": stats.interval(a, 0.8),
            "corrected p": [stats.corrected_p(np.subtract(a, b).tolist(), ratio) for ratio in (0.0, 0.125, 1.0)],
            "holm": stats.holm([abs(x - y) for x, y in zip(a, b, strict=True)]),
        }
    found["equal values"] = stats.interval([0.7] * 4)
    epochs = [
        [
            {
                "number": e + 1,
                "loss": round(1 / (e + s + 1), 6),
                "val": {"auc": round(0.5 + 0.4 * math.sin(e * s + s), 6)},
                "test": {"auc": round(0.5 + 0.3 * math.cos(e + s), 6)},
            }
            for e in range(4 + s % 3)
        ]
        for s in range(1, 7)
    ]
    runs = [
        a_run(
            key=f"{m}{s}",
            graph="g",
            task="links",
            model=m,
            seed=s,
            epochs=run[skip:],
            best_epoch=2,
            test=0.5,
            val=run[skip:][1]["val"]["auc"],
        )
        for m, skip, most in (("GCN", 0, 6), ("GIN", 1, 3))
        for s, run in enumerate(epochs[:most])
    ]
    for measure in ("test", "validation", "loss"):
        found[f"curves, {measure}"] = [
            {"model": c.model, "mean": c.mean, "low": c.low, "high": c.high} for c in stats.curves(runs, measure)
        ]
    groups = {m: [run for run in runs if run.model == m] for m in ("GCN", "GIN")}
    found["best on validation"] = stats.best_on_validation(groups)
    return found


# ---- 6. the Explorer -----------------------------------------------------------------------------------------------

EXAMPLES = ("fig1", "fig2b", "fig3", "fig4", "fig5", "hexagon", "cut")
COLOR_BY = ("SPD", "LP", "PageRank", "DRNL", "1-WL", "DE-SPD", "DE-LP", "DEA-SPD")
SIZES = {"fig1": 8, "fig2b": 16, "fig3": 8, "fig4": 16, "fig5": 5, "hexagon": 6, "cut": 6}


def states() -> list[dict[str, Any]]:
    """Fifty states: an example, the targets of one or two sides, what colors the nodes, and the settings."""
    found: list[dict[str, Any]] = []
    for i in range(46):
        rng = np.random.default_rng([6, i])
        example = EXAMPLES[i % len(EXAMPLES)]
        p = [2 if i % len(COLOR_BY) == 3 else (1, 1, 2, 1, 3)[i % 5]] * 2
        if i % 11 == 10:
            p[1] = (p[1] + 1) % 4  # other sizes, or none at all
        sides = 1 if i % 13 == 12 else 2
        found.append(
            {
                "example": example,
                "targets": [rng.choice(SIZES[example], k, replace=False).tolist() for k in p[:sides]],
                "color by": COLOR_BY[i % len(COLOR_BY)],
                "layer": int(rng.integers(0, 7)),
                "hops": int(rng.integers(1, 5)),
                "step": int(rng.integers(0, 8)),
                "cut": bool(rng.integers(2)),
            }
        )
    usual = {"hops": 2, "step": 3, "cut": False}
    found += [
        {"example": "celegans", "targets": [[3]], "color by": "SPD", "layer": 1, **usual},
        {"example": "celegans", "targets": [[3], [70]], "color by": "DE-SPD", "layer": 2, **usual},
        {"example": "us-flights", "targets": [[3, 40]], "color by": "DRNL", "layer": 1, **usual},
        {"example": "us-flights", "targets": [[0, 5, 9]], "color by": "LP", "layer": 1, **usual},
    ]
    return found


@cache
def _views() -> dict[str, dict[str, Any]]:
    return {f"state {i}": {**spec, **explorer_view(spec)} for i, spec in enumerate(states())}


def explorer() -> dict[str, Any]:
    """What the Explorer shows in fifty states."""
    return {
        name: {key: value for key, value in shown.items() if key != "parting at"} for name, shown in _views().items()
    }


def explorer_parting() -> dict[str, Any]:
    """Which branches of the trees of A and B are shown as those that the other lacks.

    Where several branches look alike, which of them is paired with which is a choice, so this has its own file.
    """
    return {name: shown["parting at"] for name, shown in _views().items() if "parting at" in shown}


# ---- all of them ---------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Reference:
    """What computes a reference file, and how far its floats may be off."""

    compute: Callable[[], dict[str, Any]]
    rtol: float = 1e-9
    atol: float = 1e-11
    suffix: str = ".json"


REFERENCES = {
    "verdicts": Reference(verdicts),
    "whole_graphs": Reference(whole_graphs),
    "colorings": Reference(colorings),
    "encodings": Reference(encodings, 1e-9, 1e-10, ".npz"),
    "splits": Reference(splits),
    "training_negatives": Reference(training_negatives),
    "model_logits": Reference(model_logits, 1e-4, 1e-5),
    "training": Reference(training, 1e-4, 1e-5),
    "training_from_seed": Reference(training_from_seed, 1e-4, 1e-5),
    "comparisons": Reference(comparisons),
    "intervals_and_tests": Reference(intervals_and_tests),
    "explorer": Reference(explorer, 1e-7, 1e-9),
    "explorer_parting": Reference(explorer_parting),
}
