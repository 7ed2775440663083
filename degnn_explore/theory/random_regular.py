"""Random regular graphs: Theorem 3.3 and Fig. 2(a) for nodes, Corollary 3.4 for whole graphs."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from math import ceil, log, sqrt
from threading import Event
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..common.errors import ParameterError, one_of, whole_number
from ..common.parallel import Threads
from ..common.stopping import raise_if
from ..expressive.isomorphism import isomorphic
from ..expressive.own_targets import alike, root_colours
from ..graphs import zoo
from ..graphs.graph import Graph
from ..graphs.regular import check_regular
from .finding import Finding
from .random_network import TOLERANCE, RandomNetwork, close_fraction

__all__ = ["PAPER_SIZES", "boundary", "corollary_3_4", "theorem_3_3"]

PAPER_SIZES = (10, 20, 40, 80, 160, 320, 640, 1280)
"""Numbers of nodes at which the paper's Fig. 2(a) looks at random regular graphs.

Examples
--------
>>> PAPER_SIZES[-1]
1280
"""
EXACT = "exact colours"
Rows = list[dict[str, Any]]


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


@dataclass(frozen=True)
class _Question:
    """What both experiments ask: which random regular graphs, and how many layers of how many hops."""

    sizes: tuple[int, ...]
    r: int
    hops: int
    layers: int
    epsilon: float
    seed: int

    @classmethod
    def of(cls, sizes: Iterable[int], r: int, hops: int, layers: int, epsilon: float, seed: int) -> _Question:
        """The question, checked."""
        for name, value, least, most in (("r", r, 0, 1000), ("hops", hops, 1, 1000), ("layers", layers, 1, 1000)):
            whole_number(name, value, least=least, most=most)
        whole_number("seed", seed, least=0)
        if not isinstance(sizes, Iterable) or not (chosen := tuple(sizes)):
            raise ParameterError(f"sizes must be numbers of nodes, such as sizes=[20, 40], not {sizes!r}.")
        for n in chosen:
            check_regular(whole_number("each of sizes", n, least=2, most=100_000), r)
            boundary(n, r, hops, epsilon)
        return cls(chosen, r, hops, layers, epsilon, seed)

    def notes(self) -> list[str]:
        """What the theorem assumes and this question does not keep to."""
        if self.r < 3:
            return [f"The theorem assumes r >= 3; for r = {self.r} it has no boundary."]
        outside = [n for n in self.sizes if not self.r < sqrt(2 * log(n))]
        which = "all sizes here lie" if len(outside) == len(self.sizes) else f"n = {_listed(outside)} lie"
        return [
            f"The theorem assumes 3 <= r < √(2 log n), for r = {self.r} that is n > {int(np.exp(self.r**2 / 2)):,}; "
            f"{which} outside its range, where the boundary is only the same formula."
        ][: len(outside)]

    def graphs(self, n: int, count: int, halt: Event) -> list[Graph]:
        made = []
        for i in range(count):
            raise_if(halt, "the drawing of random graphs was cancelled")
            made.append(zoo.random_regular(n, self.r, self.seed + i))
        return made

    def rows(self, n: int, method: str, shares: Sequence[float], graphs: int, **more: float) -> Rows:
        """One row for each number of layers, of the share that is not told apart."""
        rest = {**more, "graphs": graphs, "nodes": n * graphs, "boundary": boundary(n, self.r, self.hops, self.epsilon)}
        return [
            {"n": n, "layers": L, "method": method, "undistinguished": share, **rest}
            for L, share in enumerate(shares, start=1)
        ]

    def finding(self, what: str, answers: list[Rows], notes: list[str]) -> Finding:
        import pandas as pd

        table = pd.DataFrame([row for rows in answers for row in rows])
        how = "DE-GNN-1" if self.hops == 1 else f"DEA-GNN-1-{self.hops}-hop"
        title = f"Pairs of {what} not told apart by {how}, random {self.r}-regular graphs"
        return Finding(title, table.assign(boundary=table["boundary"].astype("Int64")), tuple(notes), "layers")


def theorem_3_3(
    sizes: Iterable[int] = PAPER_SIZES,
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
    ask = _Question.of(sizes, r, hops, layers, epsilon, seed)
    nodes = whole_number("nodes", nodes, least=2, most=1_000_000)
    nets = [
        RandomNetwork(layers, hops, hidden, one_of("network", dtype, TOLERANCE), activation, seed)
        for dtype in ([networks] if isinstance(networks, str) else networks)
    ]

    def work(n: int, step: Callable[[int], object], halt: Event) -> Rows:
        graphs = ask.graphs(n, -(-nodes // n), halt)
        colours = root_colours(graphs, layers, hops, stop=halt, step=step)
        rows = ask.rows(n, EXACT, [alike(row) for row in colours[1:]], len(graphs))
        for net in nets:
            shares = [close_fraction(h, TOLERANCE[net.dtype]) for h in net.run(graphs, stop=halt, step=step)]
            rows += ask.rows(n, net.dtype, shares, len(graphs))
        return rows

    steps = sum(-(-nodes // n) * n for n in ask.sizes) * (1 + len(nets))
    answers = Threads(stop=stop, progress=progress).items(work, ask.sizes, total=steps, label="Theorem 3.3")
    notes = [
        f"{net.dtype}: one random network of {hidden} {activation} units a layer; two nodes count as told "
        f"apart if ‖h_u - h_v‖ > {TOLERANCE[net.dtype]:g} · max ‖h‖."
        for net in nets
    ]
    return ask.finding("nodes", answers, ask.notes() + notes)


def corollary_3_4(
    sizes: Iterable[int] = PAPER_SIZES,
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
    ask = _Question.of(sizes, r, hops, layers, epsilon, seed)
    graphs = whole_number("graphs", graphs, least=2, most=10_000)

    def work(n: int, step: Callable[[int], object], halt: Event) -> Rows:
        made = ask.graphs(n, graphs, halt)
        colours = root_colours(made, layers, hops, stop=halt, step=step)
        whole = np.sort(colours.reshape(layers + 1, graphs, n), axis=2)  # a multiset of n colours for each graph
        classes = [np.unique(one, axis=0, return_inverse=True)[1].ravel() for one in whole]
        shares = [alike(row) for row in classes[1:]]
        return ask.rows(n, EXACT, shares, graphs, isomorphic=alike(_isomorphism_classes(made, classes[-1])))

    threads = Threads(stop=stop, progress=progress)
    answers = threads.items(work, ask.sizes, total=sum(ask.sizes) * graphs, label="Corollary 3.4")
    notes = ask.notes()
    if there := sorted({row["n"] for rows in answers for row in rows if row["isomorphic"] > 0}):
        notes.append(f"Some of the graphs with n = {_listed(there)} are isomorphic; those pairs stay alike.")
    return ask.finding("whole graphs", answers, notes)


def _isomorphism_classes(graphs: list[Graph], classes: NDArray[np.int64]) -> NDArray[np.int64]:
    """For each graph the first that is isomorphic to it; only graphs of one class can be."""
    first = np.arange(len(graphs))
    for i in range(len(graphs)):
        for j in np.flatnonzero((classes[:i] == classes[i]) & (first[:i] == np.arange(i))):
            if isomorphic(graphs[i], graphs[j]):
                first[i] = j
                break
    return first


def _listed(numbers: Sequence[int]) -> str:
    return ", ".join(map(str, numbers))
