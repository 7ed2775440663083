"""The examples of the Explorer's menu: the paper's figures, small lessons, and real graphs.

A source such as ``zoo.figure1()`` is looked up in a table, never evaluated: it also stands in restore codes.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from ...common.errors import one_of
from ...graphs.graph import Graph

__all__ = ["PRESETS", "Preset", "build", "preset", "sources"]


@dataclass(frozen=True)
class Preset:
    """One entry of the menu.

    Attributes
    ----------
    key, title
        For code and for people.
    sources
        Where the one or two graphs come from.
    targets
        The target set of each, by number or name; "hub" stands for the node of highest degree, "edge" for an edge
        of node 0.
    idea
        What to look for, in a sentence or two.
    colour_by, layer, cut, size
        The settings it opens with; size 0 lets p grow with every click.
    """

    key: str
    title: str
    sources: tuple[str, ...]
    targets: tuple[tuple[int | str, ...], ...]
    idea: str
    colour_by: str = "SPD"
    layer: int = 2
    cut: bool = False
    size: int = 1


PRESETS: tuple[Preset, ...] = (
    Preset(
        "fig1",
        "Fig. 1(a): a cubic graph",
        ("zoo.figure1()", "zoo.figure1()"),
        ((2,), (3,)),
        "Every node has three neighbours, so a plain GNN gives all eight the same representation. Distances to the "
        "target tell A from B. Click another node in either graph: which pairs can no method tell apart?",
    ),
    Preset(
        "fig2b",
        "Fig. 2(b): Shrikhande against rook, an edge each",
        ("zoo.shrikhande()", "zoo.rook()"),
        (("edge",), ("edge",)),
        "Two graphs that even 2-WL confuses. Take an edge in each as target set (p = 2): the nodes marked 1,1 are "
        "neighbours of both ends. Look at how they are linked, then at the verdict of DE-2.",
        size=2,
    ),
    Preset(
        "fig3",
        "Fig. 3: two nodes of 3-regular graphs",
        ("zoo.figure3()[0]", "zoo.figure3()[1]"),
        ((0,), (0,)),
        "The subtrees on the right are what a GNN computes along. Both shells have equal sizes (3 and 4), so layer 1 "
        "sees no difference; the dashed branches are where layer 2 does.",
    ),
    Preset(
        "fig4",
        "Fig. 4: distance-regular graphs fool DE-1",
        ("zoo.shrikhande()", "zoo.rook()"),
        ((0,), (0,)),
        "Both graphs are distance-regular with the same intersection array: how many children of each distance a node "
        "has depends on its own distance alone. The subtrees agree to any depth, so DE-1 never tells them apart.",
    ),
    Preset(
        "fig5",
        "Fig. 5: K-hop is not always faster",
        ("zoo.figure5()[0]", "zoo.figure5()[1]"),
        ((0,), (0,)),
        "DEA-1 with 2 hops sees two shells at once, yet it needs two layers for these roots, just like DE-1: the "
        "shells have equal sizes, only their wiring differs.",
    ),
    Preset(
        "hexagon",
        "Two triangles or a hexagon",
        ("zoo.two_triangles()", "zoo.hexagon()"),
        ((0,), (0,)),
        "The smallest pair that a plain GNN confuses: every node has two neighbours. Colour by 1-WL and step through "
        "the layers, then colour by DE-SPD.",
    ),
    Preset(
        "cut",
        "Why edges inside S are cut: a domino and a bridge",
        ("zoo.domino()", "zoo.bridged_triangles()"),
        ((0, 3), (0, 3)),
        "Two edges as target sets. Switch 'cut the edges inside S' on and off: with the edge in place DE-2 cannot tell "
        "them apart, without it the bridge's ends lose each other.",
        size=2,
    ),
    Preset(
        "us-flights",
        "Real: US flights 2008, on the map",
        ('load("us-flights")',),
        (("ATL",),),
        "305 airports and who flies where. How many stops are you from Atlanta? Pick a small airport, then two.",
        layer=1,
        size=0,
    ),
    Preset(
        "celegans",
        "Real: the worm C. elegans, its neurons",
        ('load("celegans")',),
        (("hub",),),
        "297 neurons. Pick two of them: the multiset of distances is what DE-2 adds to link prediction.",
        layer=1,
        size=0,
    ),
    Preset(
        "ns",
        "Real: network scientists who wrote together",
        ('load("ns")',),
        (("hub",),),
        "1,461 authors in many components: grey nodes cannot be reached from S at all.",
        layer=1,
        size=0,
    ),
    Preset(
        "pb",
        "Real: political blogs",
        ('load("pb")',),
        (("hub",),),
        "1,222 blogs, 16,714 links: nearly everything lies within three steps of a hub, so distances say less here.",
        layer=1,
        size=0,
    ),
)


def _zoo(name: str, part: int | None = None) -> Callable[[], Graph]:
    def make() -> Graph:
        from ...graphs import zoo

        made = getattr(zoo, name)()
        return made if part is None else made[part]

    return make


def _load(name: str) -> Callable[[], Graph]:
    def make() -> Graph:
        from ...reading.catalogue import load

        graph: Graph = load(name)
        return graph

    return make


_SOURCES: dict[str, Callable[[], Graph]] = {
    **{
        f"zoo.{name}()": _zoo(name)
        for name in (
            "figure1",
            "shrikhande",
            "rook",
            "two_triangles",
            "hexagon",
            "domino",
            "bridged_triangles",
            "petersen",
            "desargues",
            "dodecahedron",
        )
    },
    **{f"zoo.{name}()[{i}]": _zoo(name, i) for name in ("figure3", "figure5") for i in (0, 1)},
    **{f'load("{name}")': _load(name) for name in ("us-flights", "celegans", "ns", "pb")},
}


def sources() -> list[str]:
    """The sources that :func:`build` knows.

    Examples
    --------
    >>> 'load("celegans")' in sources()
    True
    """
    return list(_SOURCES)


def build(source: str) -> Graph:
    """The graph a source stands for.

    Examples
    --------
    >>> build("zoo.hexagon()").num_nodes
    6
    """
    return _SOURCES[one_of("source", source, _SOURCES)]()


def preset(name: str) -> Preset:
    """A preset by key or title.

    Examples
    --------
    >>> preset("fig1").title
    'Fig. 1(a): a cubic graph'
    """
    by_name = {one.key: one for one in PRESETS} | {one.title: one for one in PRESETS}
    one_of("preset", name, by_name)
    return by_name[name]


def starting_targets(graph: Graph, wanted: tuple[int | str, ...]) -> tuple[int, ...]:
    """The preset's targets as numbers.

    Examples
    --------
    >>> starting_targets(build("zoo.hexagon()"), ("edge",))
    (0, 1)
    """
    if wanted == ("hub",):
        return (int(graph.degrees.argmax()),)
    if wanted == ("edge",):
        return (0, int(graph.neighbors(0)[0]))
    return tuple(int(v) for v in graph.target_set(list(wanted)))
