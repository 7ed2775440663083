"""The examples of the Explorer's menu: the paper's figures, small lessons, and real graphs.

A source such as ``zoo.figure1()`` is looked up in a table, never evaluated: it also stands in restore codes.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Any

from ...common.errors import one_of
from ...graphs import zoo
from ...graphs.graph import Graph
from ...reading.catalogue import load


@dataclass(frozen=True)
class Preset:
    """One entry of the menu: one or two sources, the target set of each, what to look for, the settings it opens with.

    A target is a number or a name; ("hub",) stands for the node of highest degree, ("edge",) for an edge of node 0.
    Size 0 lets p grow with every click.
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


# key | title | source:targets of each side | settings other than the usual; then the idea
_MENU = """
fig1 | Fig. 1(a): a cubic graph | zoo.figure1():2 zoo.figure1():3
Every node has three neighbours, so a plain GNN gives all eight the same representation. Distances to the target tell
A from B. Click another node in either graph: which pairs can no method tell apart?

fig2b | Fig. 2(b): Shrikhande or rook, an edge each | zoo.shrikhande():edge zoo.rook():edge | size=2
Two graphs that even 2-WL confuses. Take an edge in each as target set (p = 2): the nodes marked 1,1 are neighbours of
both ends. Look at how they are linked, then at the verdict of DE-2.

fig3 | Fig. 3: two nodes of 3-regular graphs | zoo.figure3()[0]:0 zoo.figure3()[1]:0
The subtrees on the right are what a GNN computes along. Both shells have equal sizes (3 and 4), so layer 1 sees no
difference; the dashed branches are where layer 2 does.

fig4 | Fig. 4: distance-regular graphs fool DE-1 | zoo.shrikhande():0 zoo.rook():0
Both graphs are distance-regular with the same intersection array: how many children of each distance a node has
depends on its own distance alone. The subtrees agree to any depth, so DE-1 never tells them apart.

fig5 | Fig. 5: K-hop is not always faster | zoo.figure5()[0]:0 zoo.figure5()[1]:0
DEA-1 with 2 hops sees two shells at once, yet it needs two layers for these roots, just like DE-1: the shells have
equal sizes, only their wiring differs.

hexagon | Two triangles or a hexagon | zoo.two_triangles():0 zoo.hexagon():0
The smallest pair that a plain GNN confuses: every node has two neighbours. Colour by 1-WL and step through the
layers, then colour by DE-SPD.

cut | Why edges inside S are cut: domino, bridge | zoo.domino():0,3 zoo.bridged_triangles():0,3 | size=2
Two edges as target sets. Switch 'cut the edges inside S' on and off: with the edge in place DE-2 cannot tell them
apart, without it the bridge's ends lose each other.

us-flights | Real: US flights 2008, on the map | load("us-flights"):ATL | layer=1 size=0
305 airports and who flies where. How many stops are you from Atlanta? Pick a small airport, then two.

celegans | Real: the worm C. elegans, its neurons | load("celegans"):hub | layer=1 size=0
297 neurons. Pick two of them: the multiset of distances is what DE-2 adds to link prediction.

ns | Real: network scientists who wrote together | load("ns"):hub | layer=1 size=0
1,461 authors in many components: grey nodes cannot be reached from S at all.

pb | Real: political blogs | load("pb"):hub | layer=1 size=0
1,222 blogs, 16,714 links: nearly everything lies within three steps of a hub, so distances say less here.
"""


def _read(entry: str) -> Preset:
    head, *idea = entry.strip().splitlines()
    key, title, sides, *more = head.split(" | ")
    sources, targets = zip(*(side.rsplit(":", 1) for side in sides.split(" ")), strict=True)
    sets = tuple(tuple(int(v) if v.isdigit() else v for v in each.split(",")) for each in targets)
    pairs = (pair.split("=") for pair in " ".join(more).split())
    settings: dict[str, Any] = {name: int(value) for name, value in pairs}
    return Preset(key, title, sources, sets, " ".join(idea), **settings)


PRESETS: tuple[Preset, ...] = tuple(_read(entry) for entry in _MENU.strip().split("\n\n"))


def _figure(name: str, part: int) -> Graph:
    graph: Graph = getattr(zoo, name)()[part]
    return graph


_ZOO = "figure1 shrikhande rook two_triangles hexagon domino bridged_triangles petersen desargues dodecahedron"
SOURCES: dict[str, Callable[[], Graph]] = {
    **{f"zoo.{name}()": getattr(zoo, name) for name in _ZOO.split()},
    **{f"zoo.{name}()[{i}]": partial(_figure, name, i) for name in ("figure3", "figure5") for i in (0, 1)},
    **{f'load("{name}")': partial(load, name) for name in ("us-flights", "celegans", "ns", "pb")},
}


def build(source: str) -> Graph:
    """The graph a source stands for."""
    return SOURCES[one_of("source", source, SOURCES)]()


def preset(name: str) -> Preset:
    """A preset by key or title."""
    by_name = {one.key: one for one in PRESETS} | {one.title: one for one in PRESETS}
    return by_name[one_of("preset", name, by_name)]


def starting_targets(graph: Graph, wanted: tuple[int | str, ...]) -> tuple[int, ...]:
    """The preset's targets as numbers."""
    if wanted == ("hub",):
        return (int(graph.degrees.argmax()),)
    if wanted == ("edge",):
        return (0, int(graph.neighbors(0)[0]))
    return tuple(int(v) for v in graph.target_set(list(wanted)))
