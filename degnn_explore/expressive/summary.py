"""A graph in a few facts, before anything is trained: size, parts, degrees, reach, what a plain GNN sees of it."""

from __future__ import annotations

from dataclasses import dataclass
from threading import Event
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from ..common.errors import whole_number
from ..common.stopping import at, raise_if
from ..graphs.distances import components, distances, inner_distances
from ..graphs.graph import Graph
from ..reading.catalogue import as_graph
from .refinement import NO_TARGETS, Instances

if TYPE_CHECKING:
    import pandas

_LINKS = 1_000  # whose detour is looked at, spread evenly over all
_STEPS = 50_000_000  # nodes times edges up to which every distance is computed
_LARGE = 2_000_000  # nodes and edges beyond which refinement stops after two layers, as most networks do
_SWEEPS = 4


@dataclass(frozen=True)
class Summary:
    """What :func:`summary` found; ``print`` gives sentences, a notebook shows the table.

    Attributes
    ----------
    nodes, edges, components, largest, isolated
        How many; ``largest`` is the number of nodes of the largest component.
    degrees
        The least, the median, the mean and the largest degree.
    diameter, exact
        The longest shortest path found in the largest component; whether there is no longer one.
    kinds, layers
        Classes of nodes that a plain GNN (1-WL) with so many layers tells apart; None: with any number of them.
    alike
        How many nodes share their class with another.
    detours
        Of links each cut on its own, the share whose ends are then 2, 3, ... steps apart; -1: no path is left.
    looked_at
        How many links ``detours`` is taken from.
    max_dist
        The largest distance that is told apart in what is said of the links.
    classes, attributes
        Nodes of each label, -1 for those without; numbers given for each node.

    Examples
    --------
    >>> import degnn_explore as de
    >>> found = de.summary("lesmis")
    >>> found.kinds, found.diameter, found.to_frame().loc["size", "what"]
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
        """The share of links whose ends are further than ``max_dist`` apart once the link is cut, by whatever way."""
        return sum(share for far, share in self.detours.items() if far > self.max_dist)

    @property
    def enough(self) -> int:
        """The distance within which nine in ten of the links have a way round, of those that have one."""
        reached = [(far, share) for far, share in sorted(self.detours.items()) if far >= 0]
        total, so_far = sum(share for _, share in reached), 0.0
        for far, share in reached:
            so_far += share
            if so_far >= 0.9 * total - 1e-12:
                return far
        return 0

    @property
    def facts(self) -> dict[str, str]:
        """Every fact in words, by what it is about."""
        low, median, mean, high = self.degrees
        alone = f", {_count(self.isolated, 'node')} without any link" if self.isolated else ""
        parts = "one component" if self.components == 1 else f"{self.components:,} components"
        within = "" if self.components == 1 else f"; the largest holds {_share(self.largest / self.nodes)} of the nodes"
        facts = {
            "size": f"{_count(self.nodes, 'node')} and {_count(self.edges, 'link')}",
            "parts": f"{parts}{within}{alone}",
            "degrees": f"from {low:,} to {high:,}, {mean:.1f} on average, median {median:g}",
            "reach": f"{'' if self.exact else 'at least '}{_count(self.diameter, 'step')} across"
            + ("" if self.components == 1 else ", in the largest component"),
            "kinds": self._seen(),
            "links": self._links(),
        }
        if self.classes:
            known = {label: count for label, count in self.classes.items() if label >= 0}
            some = ", ".join(f"{label}: {count:,}" for label, count in list(known.items())[:8])
            none = f"; {_count(self.classes[-1], 'node')} without" if -1 in self.classes else ""
            facts["labels"] = (
                f"{_count(len(known), 'class', 'classes')} ({some}{', …' if len(known) > 8 else ''}){none}"
            )
        if self.attributes:
            facts["attributes"] = f"{_count(self.attributes, 'number')} for each node"
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
        which = "of all" if self.looked_at == self.edges else f"of {self.looked_at:,} looked at"
        lost, far = self.detours.get(-1, 0.0), f"ends more than {self.max_dist} steps apart"
        said = f"{which}, each cut on its own, {f'{_share(self.beyond)} have' if self.beyond else 'none has'} {far}"
        said += f", and {_share(lost)} no other path" if lost else ""
        advice = f"; nine in ten are within {self.enough}: try max_dist={self.enough}" if self.beyond > 0.1 else ""
        return said + advice

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


def summary(graph: Any, *, max_dist: int = 3, stop: Event | None = None) -> Summary:
    """What to know of a graph before training on it.

    A plain GNN's kinds of nodes are the classes of colour refinement (1-WL) by the links alone. On large graphs some
    facts come from a part, and say so: links from a thousand of them, the diameter from a few searches (at least so
    many steps), kinds of nodes after two layers.

    Parameters
    ----------
    graph
        A Graph, a DataFrame of edges, a graph of networkx or PyG, a file, or a name of ``de.datasets()``.
    max_dist
        Links with a longer way round are counted: to :class:`SPD` of this ``max_dist`` they look alike.
    stop
        An event that ends the work within a second or two.

    Examples
    --------
    >>> import degnn_explore as de
    >>> print(de.summary(de.load("celegans")))
    size: 297 nodes and 2,148 links
    parts: one component
    degrees: from 1 to 134, 14.5 on average, median 12
    reach: 5 steps across
    kinds: a plain GNN sees 285 kinds of nodes here; 14 of 297 nodes look like another
    links: of 716 looked at, each cut on its own, 0.1 % have ends more than 3 steps apart, and 0.8 % no other path
    cleaning: nothing to clean
    """
    G = as_graph(graph)
    whole_number("max_dist", max_dist, least=1)
    at("finding the components", 0.0)
    sizes = np.bincount(member := components(G))  # [n], zero but at the smallest node of each
    raise_if(stop, "the summary was stopped")
    at("measuring how far it is across", 0.1)
    diameter, exact = _diameter(G, np.flatnonzero(member == sizes.argmax()), stop)
    at("counting the kinds of nodes that a plain GNN sees", 0.4)
    layers = 2 if G.num_nodes + G.num_edges > _LARGE else None
    for classes, _ in Instances.build([(G, NO_TARGETS)]).refine(layers, stop):
        of_class = np.bincount(classes)
    at("looking at links", 0.9)
    links = G.edges[:: -(-G.num_edges // _LINKS)] if G.num_edges else G.edges
    degrees = G.degrees
    return Summary(
        title=G.title,
        nodes=G.num_nodes,
        edges=G.num_edges,
        components=int((sizes > 0).sum()),
        largest=int(sizes.max()),
        isolated=int((degrees == 0).sum()),
        degrees=(int(degrees.min()), float(np.median(degrees)), float(degrees.mean()), int(degrees.max())),
        diameter=diameter,
        exact=exact,
        kinds=int((of_class > 0).sum()),
        layers=layers,
        alike=int(of_class[of_class > 1].sum()),
        detours={far: often / len(links) for far, often in _counted(inner_distances(G, links)[:, 0, 1]).items()},
        looked_at=len(links),
        max_dist=max_dist,
        classes={} if G.labels is None else _counted(G.labels),
        attributes=0 if G.attributes is None else G.attributes.shape[1],
        cleaning=str(G.cleaning),
    )


def _diameter(G: Graph, part: NDArray[np.int64], stop: Event | None) -> tuple[int, bool]:
    """The longest shortest path found within a component, and whether all were looked at.

    Where that would take long, each search starts at the node that the last one found furthest, the first at the
    busiest; of that node's depth d no two nodes are further apart than 2 d.
    """
    if len(part) * (G.num_edges + len(part)) <= _STEPS:
        blocks = np.array_split(part, max(1, len(part) // 64))
        return max(int(distances(G, block).max()) for block in blocks), True
    start = part[G.degrees[part].argmax()]
    longest, most = 0, 2 * len(part)
    for _ in range(_SWEEPS):
        far = distances(G, np.array([start]))[0]
        raise_if(stop, "the summary was stopped")
        longest, most = max(longest, int(far.max())), min(most, 2 * int(far.max()))
        start = far.argmax()
    return longest, longest == most


def _counted(values: NDArray[Any]) -> dict[int, int]:
    """How often each value occurs, ascending."""
    found, often = np.unique(values, return_counts=True)
    return dict(zip(found.tolist(), often.tolist(), strict=True))


def _count(number: int, word: str, words: str = "") -> str:
    return f"{number:,} {word if number == 1 else words or word + 's'}"


def _share(part: float) -> str:
    """A percentage that is 0 or 100 only if it is."""
    digits = 1 if 0 < part < 0.0095 or 0.9905 < part < 1 else 0
    shown = f"{100 * part:.{digits}f}"
    return f"{'under 0.1' if shown == '0.0' else 'over 99.9' if shown == '100.0' else shown} %"
