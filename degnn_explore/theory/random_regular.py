"""Random regular graphs: Theorem 3.3 and Fig. 2(a) for nodes, Corollary 3.4 for whole graphs."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from math import ceil, log, sqrt
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from ..common.errors import ParameterError, check_choice, check_float, check_int
from ..common.progress import check_cancelled, map_items
from ..common.style import ACCENT, MAX_WIDTH
from ..expressive.self_targets import root_colors, same_fraction
from ..expressive.symmetry import isomorphic
from ..graphs import zoo
from ..graphs.graph import Graph
from .random_network import TOLERANCE, RandomNetwork, close_fraction
from .result import SCALE, Picture, Result, legend_below, named_axis

if TYPE_CHECKING:
    import pandas
    import plotly.graph_objects as go

__all__ = ["PAPER_SIZES", "boundary", "corollary_3_4", "theorem_3_3"]

PAPER_SIZES = (10, 20, 40, 80, 160, 320, 640, 1280)
"""Numbers of nodes at which the paper's Fig. 2(a) looks at random regular graphs.

Examples
--------
>>> PAPER_SIZES[-1]
1280
"""
EXACT = "exact colors"
Rows = list[dict[str, Any]]
Step = Callable[[int], None]


def boundary(n: int, r: int, hops: int = 1, epsilon: float = 0.05) -> int | None:
    """The number of layers that Theorem 3.3 promises to be enough, ⌈(1/2 + ε) log n / (K log(r - 1))⌉.

    K = ``hops`` is Corollary 3.8. For r < 3 there is no such formula: None.

    Examples
    --------
    >>> [boundary(n, r=3) for n in (10, 160, 1280)], boundary(1280, r=3, hops=2)
    ([2, 5, 6], 3)
    """
    n, r, hops = check_int("n", n, least=2), check_int("r", r, least=0), check_int("hops", hops, least=1)
    epsilon = check_float("epsilon", epsilon, above=0)
    return None if r < 3 else ceil((0.5 + epsilon) * log(n) / (hops * log(r - 1)))


@dataclass(frozen=True)
class _Setup:
    """What both experiments share: which random regular graphs, and how many layers of how many hops."""

    sizes: tuple[int, ...]
    r: int
    hops: int
    layers: int
    epsilon: float
    seed: int

    @classmethod
    def of(cls, sizes: Iterable[int], r: int, hops: int, layers: int, epsilon: float, seed: int) -> _Setup:
        """The setup, checked."""
        for name, value, least, most in (("r", r, 0, 1000), ("hops", hops, 1, 1000), ("layers", layers, 1, 1000)):
            check_int(name, value, least=least, most=most)
        check_int("seed", seed, least=0)
        if not isinstance(sizes, Iterable) or not (chosen := tuple(sizes)):
            raise ParameterError(f"sizes must be numbers of nodes, such as sizes=[20, 40], not {sizes!r}.")
        for n in chosen:
            zoo.check_regular(check_int("each of sizes", n, least=2, most=100_000), r)
            boundary(n, r, hops, epsilon)
        return cls(chosen, r, hops, layers, epsilon, seed)

    def notes(self) -> list[str]:
        """The assumptions of the theorem that this setup does not meet."""
        if self.r < 3:
            return [f"The theorem assumes r >= 3; for r = {self.r} it has no boundary."]
        outside = [n for n in self.sizes if not self.r < sqrt(2 * log(n))]
        which = "all sizes here lie" if len(outside) == len(self.sizes) else f"n = {_listed(outside)} lie"
        return [
            f"The theorem assumes 3 <= r < √(2 log n), for r = {self.r} that is n > {int(np.exp(self.r**2 / 2)):,}; "
            f"{which} outside its range, where the boundary is only the same formula."
        ][: len(outside)]

    def graphs(self, n: int, count: int) -> list[Graph]:
        made = []
        for i in range(count):
            check_cancelled("drawing random graphs")
            made.append(zoo.random_regular(n, self.r, self.seed + i))
        return made

    def rows(self, n: int, method: str, shares: Sequence[float], graphs: int, **more: float) -> Rows:
        """One row for each number of layers, with the share that is not told apart."""
        rest = {**more, "graphs": graphs, "nodes": n * graphs, "boundary": boundary(n, self.r, self.hops, self.epsilon)}
        return [
            {"n": n, "layers": L, "method": method, "undistinguished": share, **rest}
            for L, share in enumerate(shares, start=1)
        ]

    def result(self, what: str, answers: list[Rows], notes: list[str]) -> Result:
        import pandas as pd

        table = pd.DataFrame([row for rows in answers for row in rows])
        how = "DE-GNN-1" if self.hops == 1 else f"DEA-GNN-1-{self.hops}-hop"
        title = f"Pairs of {what} not told apart by {how}, random {self.r}-regular graphs"
        return Result(title, table.assign(boundary=table["boundary"].astype("Int64")), tuple(notes), _draw_layers)


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
) -> Result:
    """Theorem 3.3 and Fig. 2(a): the fraction of node pairs that DE-1 with SPD does not tell apart after L layers.

    For each size n, ⌈10⁴/n⌉ random r-regular graphs (``zoo.random_regular(n, r, seed + i)``); every node is
    its own target, and all pairs of nodes are counted, of the same graph or of different ones. 1-WL sees no difference.

    Parameters
    ----------
    sizes
        Numbers of nodes n; the paper's by default.
    r
        Degree of every node. Outside 3 <= r < √(2 log n) the theorem makes no claim; the experiment still runs.
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
    progress
        Show a bar when it takes more than two seconds.

    Returns
    -------
    Result
        Columns: n, layers, method, undistinguished, graphs, nodes, boundary.

    Examples
    --------
    >>> result = theorem_3_3(sizes=[20], layers=4, progress=False)
    >>> result.table[["layers", "undistinguished", "boundary"]]
       layers  undistinguished  boundary
    0       1         1.000000         3
    1       2         0.613856         3
    2       3         0.053445         3
    3       4         0.000219         3
    """
    setup = _Setup.of(sizes, r, hops, layers, epsilon, seed)
    nodes = check_int("nodes", nodes, least=2, most=1_000_000)
    nets = [
        RandomNetwork(layers, hops, hidden, check_choice("network", dtype, TOLERANCE), activation, seed)
        for dtype in ([networks] if isinstance(networks, str) else networks)
    ]

    def rows_of(n: int, step: Step) -> Rows:
        graphs = setup.graphs(n, -(-nodes // n))
        colors = root_colors(graphs, layers, hops, step=step)
        rows = setup.rows(n, EXACT, [same_fraction(row) for row in colors[1:]], len(graphs))
        for net in nets:
            shares = [close_fraction(h, TOLERANCE[net.dtype]) for h in net.run(graphs, step=step)]
            rows += setup.rows(n, net.dtype, shares, len(graphs))
        return rows

    targets = sum(-(-nodes // n) * n for n in setup.sizes) * (1 + len(nets))
    answers = map_items(rows_of, setup.sizes, total=targets, label="Theorem 3.3", unit="target node", progress=progress)
    notes = [
        f"{net.dtype}: one random network of {hidden} {activation} units a layer; two nodes count as told "
        f"apart if ‖h_u - h_v‖ > {TOLERANCE[net.dtype]:g} · max ‖h‖."
        for net in nets
    ]
    return setup.result("nodes", answers, setup.notes() + notes)


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
) -> Result:
    """Corollary 3.4: the fraction of pairs of whole random r-regular graphs that DE-1 does not tell apart.

    A graph is represented by the multiset of its nodes' colors, each node its own target. Isomorphic graphs, which
    are common where n is small, are counted in the column ``isomorphic``: no method could tell those apart.

    Parameters
    ----------
    graphs
        How many graphs of each size; all pairs of them are compared.
    sizes, r, hops, layers, epsilon, seed, progress
        As in :func:`theorem_3_3`.

    Examples
    --------
    >>> result = corollary_3_4(sizes=[20, 40], layers=3, graphs=20, progress=False)
    >>> result.table[["n", "layers", "undistinguished"]].query("layers > 1").round(3)
        n  layers  undistinguished
    1  20       2            0.211
    2  20       3            0.000
    4  40       2            0.200
    5  40       3            0.000
    """
    setup = _Setup.of(sizes, r, hops, layers, epsilon, seed)
    graphs = check_int("graphs", graphs, least=2, most=10_000)

    def rows_of(n: int, step: Step) -> Rows:
        made = setup.graphs(n, graphs)
        colors = root_colors(made, layers, hops, step=step)
        multisets = np.sort(colors.reshape(layers + 1, graphs, n))  # n colors for each graph
        classes = [np.unique(rows, axis=0, return_inverse=True)[1].ravel() for rows in multisets]
        shares = [same_fraction(row) for row in classes[1:]]
        isomorphic_share = same_fraction(_isomorphism_classes(made, classes[-1]))
        return setup.rows(n, EXACT, shares, graphs, isomorphic=isomorphic_share)

    targets = sum(setup.sizes) * graphs
    answers = map_items(
        rows_of, setup.sizes, total=targets, label="Corollary 3.4", unit="target node", progress=progress
    )
    notes = setup.notes()
    if sizes_with := sorted({row["n"] for rows in answers for row in rows if row["isomorphic"] > 0}):
        notes.append(f"Some of the graphs with n = {_listed(sizes_with)} are isomorphic; no method tells those apart.")
    return setup.result("whole graphs", answers, notes)


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


# ---- the picture --------------------------------------------------------------------------------


def _draw_layers(result: Result) -> Picture:
    """The share that is not told apart, over sizes and layers, with the boundary of the theorem."""
    import plotly.graph_objects as go
    from plotly.subplots import make_subplots

    table = result.table
    methods, sizes = list(dict.fromkeys(table["method"])), list(dict.fromkeys(table["n"]))
    top = int(table["layers"].max())
    names = [method if method == EXACT else f"random network, {method}" for method in methods]
    titles = names if len(methods) > 1 else None
    figure = make_subplots(1, len(methods), subplot_titles=titles, shared_yaxes=True, horizontal_spacing=0.03)
    for place, method in enumerate(methods, start=1):
        grid = table[table["method"] == method].pivot(index="layers", columns="n", values="undistinguished")[sizes]
        shares, x = grid.to_numpy(), np.arange(len(sizes))
        hover = "n = %{customdata}, L = %{y}: %{z:.4g} not told apart<extra></extra>"
        look = {"coloraxis": "coloraxis", "xgap": 1, "ygap": 1, "hovertemplate": hover}
        text = [[_short(value) for value in row] for row in shares]
        heat = go.Heatmap(z=shares, x=x, y=grid.index, text=text, texttemplate="%{text}", **look)
        heat.update(customdata=np.tile(np.array(sizes), (len(grid), 1)))
        for trace in (heat, *_boundary_lines(table, sizes, named=place == 1)):
            figure.add_trace(trace, row=1, col=place)
        figure.update_xaxes(named_axis(list(map(str, sizes)), title="nodes n"), row=1, col=place)
        axis: dict[str, Any] = {"tickvals": np.arange(1, top + 1), "range": [0.42, top + 0.6]}
        axis |= {"showgrid": False, "zeroline": False, "title": "layers L" if place == 1 else None}
        figure.update_yaxes(axis, row=1, col=place)
    bar = {"title": {"text": "share not told apart", "side": "right"}, "thickness": 14}
    figure.update_layout(
        coloraxis={"colorscale": f"{SCALE}_r", "cmin": 0, "cmax": 1, "colorbar": bar},
        legend=legend_below(-62 / (46 * max(top, 4))),  # 62 pixels down
        margin={"t": 90 if len(methods) > 1 else 60, "b": 100, "l": 60, "r": 20},
    )
    width = 170 + min(max(44 * len(sizes), 230) * len(methods), MAX_WIDTH - 170)
    return figure, max(760, width), 190 + 46 * max(top, 4)


def _boundary_lines(table: pandas.DataFrame, sizes: Sequence[int], *, named: bool) -> Iterator[go.Scatter]:
    """The boundary as a line below the first row of cells that the theorem promises to be told apart."""
    import plotly.graph_objects as go

    bound = table.drop_duplicates("n").set_index("n")["boundary"]
    if bound.isna().any():
        return
    top = int(table["layers"].max())
    x = np.repeat(np.arange(len(sizes)), 2) + np.tile([-0.5, 0.5], len(sizes))
    y = np.repeat([min(int(bound[n]), top + 1) - 0.5 for n in sizes], 2)
    name = "boundary of the theorem: rows above it should be told apart"
    for color, width in (("#ffffff", 7), (ACCENT, 3)):  # a white halo keeps the line clear of every cell
        line = go.Scatter(x=x, y=y, mode="lines", line={"color": color, "width": width}, hoverinfo="skip", name=name)
        yield line.update(cliponaxis=False, showlegend=named and color == ACCENT)


def _short(value: float) -> str:
    """A fraction in at most four characters: 1, .61, 2e-4, 0."""
    if np.isnan(value) or value in (0.0, 1.0):
        return "" if np.isnan(value) else f"{value:.0f}"
    if value >= 0.01:
        return ".99+" if value >= 0.995 else f"{value:.2f}"[1:]
    mantissa, exponent = f"{value:.0e}".split("e")
    return f"{mantissa}e{int(exponent)}"
