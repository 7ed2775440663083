"""The Theory Lab: the paper's claims about expressive power, each as an experiment to run, see and vary.

Every experiment returns a :class:`Finding` with ``.table``, ``.plot()`` and ``.save(path)``.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from math import ceil, log, sqrt
from threading import Event
from typing import Any

import numpy as np

from ..common.errors import ParameterError, one_of, whole_number
from ..common.parallel import Threads
from ..common.stopping import raise_if
from ..expressive.own_targets import alike, root_colours
from ..graphs import zoo
from ..graphs.graph import Graph
from ..graphs.regular import check_regular
from ..reading.graph6 import read_pairs
from .families import (
    csl_family,
    isomorphic,
    latin_square_graph,
    lift,
    regular_family,
    regular_graphs,
    small_family,
    strongly_regular_family,
)
from .finding import Finding
from .limits import (
    all_nodes_as_targets,
    corollary_3_8,
    equitable_partition,
    look_alikes,
    theorem_2_7,
    theorem_3_7,
    walk_counts,
)
from .random_network import TOLERANCE, RandomNetwork, close_fraction
from .scoreboard import FAMILIES, METHODS, Scoreboard, scoreboard

__all__ = [
    "FAMILIES",
    "METHODS",
    "PAPER_SIZES",
    "TOLERANCE",
    "Finding",
    "RandomNetwork",
    "Scoreboard",
    "all_nodes_as_targets",
    "boundary",
    "corollary_3_4",
    "corollary_3_8",
    "csl_family",
    "equitable_partition",
    "isomorphic",
    "latin_square_graph",
    "lift",
    "look_alikes",
    "read_pairs",
    "regular_family",
    "regular_graphs",
    "root_colours",
    "scoreboard",
    "small_family",
    "strongly_regular_family",
    "theorem_2_7",
    "theorem_3_3",
    "theorem_3_7",
    "walk_counts",
]

PAPER_SIZES = (10, 20, 40, 80, 160, 320, 640, 1280)
EXACT = "exact colours"


def boundary(n: int, r: int, hops: int = 1, epsilon: float = 0.05) -> int | None:
    """The number of layers that Theorem 3.3 promises to be enough, ⌈(1/2 + ε) log n / (K log(r - 1))⌉.

    K = ``hops`` is Corollary 3.8. For r < 3 the formula says nothing: None.

    Examples
    --------
    >>> [boundary(n, r=3) for n in (10, 160, 1280)], boundary(1280, r=3, hops=2)
    ([2, 5, 6], 3)
    """
    n, r, hops = whole_number("n", n, least=2), whole_number("r", r, least=0), whole_number("hops", hops, least=1)
    if not isinstance(epsilon, int | float) or not epsilon > 0:
        raise ParameterError(f"epsilon must be a positive number, such as 0.05, not {epsilon!r}.")
    return None if r < 3 else ceil((0.5 + epsilon) * log(n) / (hops * log(r - 1)))


def theorem_3_3(
    sizes: Sequence[int] = PAPER_SIZES,
    r: int = 3,
    hops: int = 1,
    layers: int = 6,
    *,
    networks: Sequence[str] = (),
    nodes: int = 10_000,
    epsilon: float = 0.05,
    hidden: int = 32,
    activation: str = "tanh",
    seed: int = 0,
    progress: bool = True,
    stop: Event | None = None,
) -> Finding:
    """Theorem 3.3 and Fig. 2(a): the fraction of node pairs that DE-1 with SPD does not tell apart after L layers.

    For each size n, ⌈10⁴/n⌉ random r-regular graphs (``zoo.random_regular(n, r, seed + i)``); every node is
    its own target, and all pairs of nodes are counted, of the same graph or of different ones. 1-WL sees no difference.

    Parameters
    ----------
    sizes
        Numbers of nodes n; the paper's by default.
    r
        Degree of every node. Outside 3 <= r < √(2 log n) the theorem says nothing; the experiment still runs.
    hops
        K: DEA-GNN-1-K-hop, whose boundary is K times lower (Corollary 3.8).
    layers
        L = 1..layers are shown.
    networks
        Also run an untrained :class:`RandomNetwork` in these precisions: "float64", "float32". Two nodes are told apart
        if ‖h_u - h_v‖ exceeds ``theory.TOLERANCE`` times the largest ‖h‖.
    nodes
        About how many nodes in all for each size.
    epsilon
        The theorem's ε in the boundary.
    hidden, activation
        Width of the random network, and its "tanh" or "relu".
    seed
        Of the first graph, and of the weights.
    progress, stop
        Show a bar; end with ``Cancelled`` soon after the event is set.

    Returns
    -------
    Finding
        Columns: n, layers, method, undistinguished, graphs, nodes, boundary.

    Examples
    --------
    >>> found = theorem_3_3(sizes=[20], layers=4, progress=False)
    >>> found.table[["layers", "undistinguished", "boundary"]]
       layers  undistinguished  boundary
    0       1         1.000000         3
    1       2         0.613856         3
    2       3         0.053445         3
    3       4         0.000219         3
    """
    sizes, notes = _checked(sizes, r, hops, layers, epsilon)
    nodes, seed = whole_number("nodes", nodes, least=2), whole_number("seed", seed, least=0)
    nets = [
        RandomNetwork(layers, hops, hidden, one_of("network", dtype, TOLERANCE), activation, seed) for dtype in networks
    ]

    def work(n: int, step: Callable[[int], object], halt: Event) -> list[dict[str, Any]]:
        graphs = _random_graphs(n, r, -(-nodes // n), seed, halt)
        colours = root_colours(graphs, layers, hops, stop=halt, step=step)
        found = {EXACT: [alike(row) for row in colours[1:]]}
        for net in nets:
            h = net.run(graphs, stop=halt, step=step)
            found[net.dtype] = [close_fraction(x, TOLERANCE[net.dtype]) for x in h]
        return [
            {
                "n": n,
                "layers": L,
                "method": method,
                "undistinguished": value,
                "graphs": len(graphs),
                "nodes": colours.shape[1],
                "boundary": boundary(n, r, hops, epsilon),
            }
            for method, values in found.items()
            for L, value in enumerate(values, start=1)
        ]

    steps = sum(-(-nodes // n) * n for n in sizes) * (1 + len(nets))
    answers = Threads(stop=stop, progress=progress).items(work, sizes, total=steps, label="Theorem 3.3")
    for net in nets:
        notes.append(
            f"{net.dtype}: one random network of {hidden} {activation} units a layer; two nodes count as told "
            f"apart if ‖h_u - h_v‖ > {TOLERANCE[net.dtype]:g} · max ‖h‖."
        )
    how = "DE-GNN-1" if hops == 1 else f"DEA-GNN-1-{hops}-hop"
    title = f"Pairs of nodes not told apart by {how}, random {r}-regular graphs"
    return Finding(title, _frame(answers), tuple(notes), "layers")


def corollary_3_4(
    sizes: Sequence[int] = PAPER_SIZES,
    r: int = 3,
    hops: int = 1,
    layers: int = 6,
    *,
    graphs: int = 100,
    epsilon: float = 0.05,
    seed: int = 0,
    progress: bool = True,
    stop: Event | None = None,
) -> Finding:
    """Corollary 3.4: the fraction of pairs of whole random r-regular graphs that DE-1 does not tell apart.

    A graph is represented by the multiset of its nodes' colours, each node its own target. Isomorphic graphs, which
    are common where n is small, are counted in the column ``isomorphic``: no method could tell those apart.

    Parameters
    ----------
    graphs
        How many graphs of each size; all pairs of them are compared.
    sizes, r, hops, layers, epsilon, seed, progress, stop
        As in :func:`theorem_3_3`.

    Examples
    --------
    >>> found = corollary_3_4(sizes=[20, 40], layers=3, graphs=20, progress=False)
    >>> found.table[["n", "layers", "undistinguished"]].query("layers > 1").round(3)
        n  layers  undistinguished
    1  20       2            0.211
    2  20       3            0.000
    4  40       2            0.200
    5  40       3            0.000
    """
    sizes, notes = _checked(sizes, r, hops, layers, epsilon)
    graphs, seed = whole_number("graphs", graphs, least=2), whole_number("seed", seed, least=0)

    def work(n: int, step: Callable[[int], object], halt: Event) -> list[dict[str, Any]]:
        made = _random_graphs(n, r, graphs, seed, halt)
        colours = root_colours(made, layers, hops, stop=halt, step=step)
        whole = np.sort(colours.reshape(layers + 1, graphs, n), axis=2)  # a multiset of n colours for each graph
        classes = [np.unique(one, axis=0, return_inverse=True)[1].ravel() for one in whole]
        kinds = classes[-1].copy()
        for same in np.unique(kinds):  # graphs that stay alike to the end: are they the same graph?
            alike_ones = np.flatnonzero(classes[-1] == same)
            for place, i in enumerate(alike_ones):
                for j in alike_ones[:place]:
                    if isomorphic(made[i], made[j]):
                        kinds[i] = kinds[j]
                        break
                else:
                    kinds[i] = graphs + i
        return [
            {
                "n": n,
                "layers": L,
                "method": EXACT,
                "undistinguished": alike(classes[L]),
                "isomorphic": alike(kinds),
                "graphs": graphs,
                "nodes": n * graphs,
                "boundary": boundary(n, r, hops, epsilon),
            }
            for L in range(1, layers + 1)
        ]

    threads = Threads(stop=stop, progress=progress)
    answers = threads.items(work, sizes, total=sum(sizes) * graphs, label="Corollary 3.4")
    table = _frame(answers)
    if (table["isomorphic"] > 0).any():
        there = sorted(set(table.loc[table["isomorphic"] > 0, "n"]))
        notes.append(f"Some of the graphs with n = {_listed(there)} are isomorphic; those pairs stay alike.")
    how = "DE-GNN-1" if hops == 1 else f"DEA-GNN-1-{hops}-hop"
    title = f"Pairs of whole graphs not told apart by {how}, random {r}-regular graphs"
    return Finding(title, table, tuple(notes), "layers")


def _random_graphs(n: int, r: int, count: int, seed: int, halt: Event) -> list[Graph]:
    made = []
    for i in range(count):
        raise_if(halt, "the drawing of random graphs was cancelled")
        made.append(zoo.random_regular(n, r, seed + i))
    return made


def _checked(sizes: Sequence[int], r: int, hops: int, layers: int, epsilon: float) -> tuple[list[int], list[str]]:
    """The sizes, checked, and the notes on what the theorem assumes."""
    whole_number("r", r, least=0), whole_number("hops", hops, least=1), whole_number("layers", layers, least=1)
    chosen = [whole_number("each of sizes", n, least=2) for n in sizes]
    if not chosen:
        raise ParameterError("sizes is empty; give at least one number of nodes, such as sizes=[20, 40].")
    for n in chosen:
        check_regular(n, r)
        boundary(n, r, hops, epsilon)
    outside = [n for n in chosen if not 3 <= r < sqrt(2 * log(n))]
    notes = []
    if r < 3:
        notes.append(f"The theorem assumes r >= 3; for r = {r} it has no boundary.")
    elif outside:
        which = "all sizes here lie" if len(outside) == len(chosen) else f"n = {_listed(outside)} lie"
        notes.append(
            f"The theorem assumes 3 <= r < √(2 log n), for r = {r} that is n > {int(np.exp(r * r / 2)):,}; "
            f"{which} outside its range, where the boundary is only the same formula."
        )
    return chosen, notes


def _listed(numbers: Sequence[int]) -> str:
    return ", ".join(map(str, numbers))


def _frame(answers: list[list[dict[str, Any]]]) -> Any:
    import pandas as pd

    table = pd.DataFrame([row for rows in answers for row in rows])
    return table.assign(boundary=table["boundary"].astype("Int64"))
