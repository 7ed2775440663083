"""A graph in a few facts, before training: size, components, degrees, diameter, and what a plain GNN sees of it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from ..common.errors import check_int
from ..common.progress import report
from ..common.style import counted
from ..graphs.distances import components, distances, inner_distances
from ..graphs.graph import Graph
from ..reading.datasets import as_graph
from .refinement import NO_TARGETS, Instances

if TYPE_CHECKING:
    import pandas

LINKS = 1_000  # the sample of links that are removed one at a time, spread evenly over all
STEPS = 50_000_000  # nodes times edges up to which every distance is computed
LARGE = 2_000_000  # nodes and edges beyond which refinement ends after two layers, as in most networks
SWEEPS = 4


@dataclass(frozen=True)
class Summary:
    """What :func:`summary` returns; ``print`` gives sentences, a notebook shows a table.

    Attributes
    ----------
    nodes, edges, components, largest, isolated
        Counts; ``largest`` is the number of nodes in the largest component.
    degrees
        The smallest, the median, the mean and the largest degree.
    diameter, exact
        The longest shortest path found in the largest component; whether it is known to be the longest.
    kinds, layers
        Classes of nodes that a plain GNN (1-WL) with that many layers tells apart; None: with any number of layers.
    alike
        How many nodes share their class with another.
    detours
        Each link of a sample removed in turn: the share whose ends are then 2, 3, ... steps apart; -1: no path left.
    looked_at
        The size of that sample.
    max_dist
        The distance beyond which the sentence about links counts.
    classes, attributes
        The number of nodes with each label, -1 for those without one; the number of attributes of each node.

    Examples
    --------
    >>> import degnn_explore as de
    >>> les_mis = de.summary("lesmis")
    >>> les_mis.kinds, les_mis.diameter, les_mis.to_frame().loc["size", "what"]
    (52, 5, '77 nodes and 254 links')
    """

    title: str
    nodes: int
    edges: int
    components: int
    largest: int
    isolated: int
    degrees: tuple[int, float, float, int]
    diameter: int
    exact: bool
    kinds: int
    layers: int | None
    alike: int
    detours: dict[int, float]
    looked_at: int
    max_dist: int
    classes: dict[int, int]
    attributes: int
    cleaning: str

    @property
    def beyond(self) -> float:
        """The share of links whose ends are more than ``max_dist`` steps apart, but connected, once it is removed."""
        return sum(share for far, share in self.detours.items() if far > self.max_dist)

    @property
    def enough(self) -> int:
        """The distance that covers nine in ten of the detours."""
        reached = sorted(far for far in self.detours if far >= 0)
        shares = np.cumsum([self.detours[far] for far in reached])
        return reached[int(np.searchsorted(shares, 0.9 * shares[-1] - 1e-12))] if reached else 0

    @property
    def facts(self) -> dict[str, str]:
        """Every fact as a sentence, by topic."""
        low, median, mean, high = self.degrees
        alone = f", {counted(self.isolated, 'node')} without any link" if self.isolated else ""
        parts = "one component" if self.components == 1 else f"{self.components:,} components"
        within = "" if self.components == 1 else f"; the largest holds {_share(self.largest / self.nodes)} of the nodes"
        facts = {
            "size": f"{counted(self.nodes, 'node')} and {counted(self.edges, 'link')}",
            "parts": f"{parts}{within}{alone}",
            "degrees": f"from {low:,} to {high:,}, {mean:.1f} on average, median {median:g}",
            "reach": f"{'' if self.exact else 'at least '}{counted(self.diameter, 'step')} across"
            + ("" if self.components == 1 else ", in the largest component"),
            "kinds": self._seen(),
            "links": self._links(),
        }
        if self.classes:
            named = {label: count for label, count in self.classes.items() if label >= 0}
            some = ", ".join(f"{label}: {count:,}" for label, count in list(named.items())[:8])
            none = f"; {counted(self.classes[-1], 'node')} without" if -1 in self.classes else ""
            facts["labels"] = (
                f"{counted(len(named), 'class', 'classes')} ({some}{', …' if len(named) > 8 else ''}){none}"
            )
        if self.attributes:
            facts["attributes"] = f"{counted(self.attributes, 'number')} for each node"
        return facts | {"cleaning": self.cleaning}

    def _seen(self) -> str:
        plain = "a plain GNN" if self.layers is None else f"a plain GNN of {self.layers} layers"
        if self.kinds == 1:
            return f"{plain} sees one kind of node here: to it all {self.nodes:,} are alike"
        twins = f"{self.alike:,} of {self.nodes:,} nodes look like another"
        rest = twins if self.alike else "it tells every node from every other"
        return f"{plain} sees {self.kinds:,} kinds of nodes here; {rest}"

    def _links(self) -> str:
        if not self.detours:
            return "none"
        which = "" if self.looked_at == self.edges else f"in a sample of {self.looked_at:,} links, "
        lost, many = self.detours.get(-1, 0.0), _share(self.beyond) if self.beyond else "none"
        sentence = f"{which}removing the link leaves its ends more than {self.max_dist} steps apart in {many}"
        sentence += f", and without a path in {_share(lost)}" if lost else ""
        advice = f"; nine in ten detours are within {self.enough} steps: try max_dist={self.enough}"
        return sentence + (advice if self.beyond > 0.1 else "")

    def to_frame(self) -> pandas.DataFrame:
        """The facts as a table."""
        import pandas as pd

        return pd.DataFrame({"what": self.facts.values()}, index=pd.Index(self.facts, name=self.title or "graph"))

    def __str__(self) -> str:
        return "\n".join(f"{name}: {words}" for name, words in self.facts.items())

    def _repr_html_(self) -> str:
        import pandas as pd

        with pd.option_context("display.max_colwidth", None):
            return str(self.to_frame().to_html(header=False, justify="left"))


def summary(graph: Any, *, max_dist: int = 3) -> Summary:
    """What to know about a graph before training on it.

    A plain GNN's kinds of nodes are the classes of color refinement (1-WL) by the links alone. On large graphs some
    facts come from a sample and say so: links from a thousand of them, the diameter from a few searches (a lower
    bound), kinds of nodes after two layers.

    Parameters
    ----------
    graph
        A Graph, a DataFrame of edges, a graph of networkx or PyG, a file, or a name of ``de.datasets()``.
    max_dist
        Links with a longer detour are counted: to :class:`SPD` with this ``max_dist`` they look alike.

    Examples
    --------
    >>> import degnn_explore as de
    >>> print(de.summary(de.load("celegans")))
    size: 297 nodes and 2,148 links
    parts: one component
    degrees: from 1 to 134, 14.5 on average, median 12
    reach: 5 steps across
    kinds: a plain GNN sees 285 kinds of nodes here; 14 of 297 nodes look like another
    links: in a sample of 716 links, removing the link leaves its ends more than 3 steps apart in 0.1 %, and
    without a path in 0.8 %
    cleaning: nothing to clean
    """
    G = as_graph(graph)
    check_int("max_dist", max_dist, least=1)
    report("finding the components", 0.0)
    sizes = np.bincount(component := components(G))
    report("measuring the diameter", 0.1)
    diameter, exact = _diameter(G, np.flatnonzero(component == sizes.argmax()))
    report("counting the kinds of nodes that a plain GNN sees", 0.4)
    layers = 2 if G.num_nodes + G.num_edges > LARGE else None
    for classes, _ in Instances.build([(G, NO_TARGETS)]).refine(layers):
        of_class = np.bincount(classes)
    report("removing links one at a time", 0.9)
    links = G.edges[:: -(-G.num_edges // LINKS)] if G.num_edges else G.edges
    degrees = G.degrees
    return Summary(
        title=G.title,
        nodes=G.num_nodes,
        edges=G.num_edges,
        components=len(sizes),
        largest=int(sizes.max()),
        isolated=int((degrees == 0).sum()),
        degrees=(int(degrees.min()), float(np.median(degrees)), float(degrees.mean()), int(degrees.max())),
        diameter=diameter,
        exact=exact,
        kinds=int((of_class > 0).sum()),
        layers=layers,
        alike=int(of_class[of_class > 1].sum()),
        detours={far: count / len(links) for far, count in _histogram(inner_distances(G, links)[:, 0, 1]).items()},
        looked_at=len(links),
        max_dist=max_dist,
        classes={} if G.labels is None else _histogram(G.labels),
        attributes=0 if G.attributes is None else G.attributes.shape[1],
        cleaning=str(G.cleaning),
    )


def _diameter(G: Graph, component: NDArray[np.int64]) -> tuple[int, bool]:
    """The longest shortest path found within a component, and whether no longer one is possible.

    In a large component, the first search starts at the node of the highest degree and each further one at the node
    that the last one found furthest away. From a node whose furthest node is d away, no two nodes are 2 d + 1 apart.
    """
    if len(component) * (G.num_edges + len(component)) <= STEPS:
        blocks = np.array_split(component, max(1, len(component) // 64))
        return max(int(distances(G, block).max()) for block in blocks), True
    start = component[G.degrees[component].argmax()]
    longest, bound = 0, 2 * len(component)
    for sweep in range(SWEEPS):
        report("measuring the diameter", 0.1 + 0.3 * sweep / SWEEPS)
        distance = distances(G, np.array([start]))[0]
        longest, bound = max(longest, int(distance.max())), min(bound, 2 * int(distance.max()))
        start = distance.argmax()
    return longest, longest == bound


def _histogram(values: NDArray[Any]) -> dict[int, int]:
    """How often each value occurs, ascending."""
    distinct, counts = np.unique(values, return_counts=True)
    return dict(zip(distinct.tolist(), counts.tolist(), strict=True))


def _share(part: float) -> str:
    """A percentage that is 0 or 100 only if it is."""
    digits = 1 if 0 < part < 0.0095 or 0.9905 < part < 1 else 0
    percent = f"{100 * part:.{digits}f}"
    return f"{'under 0.1' if percent == '0.0' else 'over 99.9' if percent == '100.0' else percent} %"
