"""The tours, as data: short steps, each with a text, what the Explorer shows then, and where to look.

A step says all that it needs: an example, the targets and settings that differ from it. So any step can be shown first.
To add a tour, write one more block below; a test walks through every step and compares what it says with the verdicts.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from ...common.errors import one_of

__all__ = ["TOURS", "Step", "Tour", "tour"]

LOOK = ("graphs", "subtrees", "verdict")


@dataclass(frozen=True)
class Step:
    """What is said, the example it is said of, its targets if they are others, its settings, and where to look."""

    text: str
    preset: str
    look: str  # one of LOOK
    targets: tuple[tuple[int | str, ...], ...] = ()  # of each side; none: those the example opens with
    settings: dict[str, Any] = field(default_factory=dict)
    method: str = ""  # whose sentence the verdict shows; "": that of the first that tells the sets apart


@dataclass(frozen=True)
class Tour:
    """A few steps that make one point."""

    key: str  # the example that it begins with
    title: str
    steps: tuple[Step, ...]


# key | title, then for each step: preset | targets of A ; of B | look | settings, and its text
_TOURS = """
hexagon | Two triangles or a hexagon

hexagon | | graphs | colour_by=1-WL layer=0
Two triangles, and a hexagon: anyone can see that they differ. Can a graph neural network? It knows no shapes, only who
is linked to whom. At layer 0 all nodes look alike.

hexagon | | verdict | colour_by=1-WL layer=2 method=1-WL
In each layer of a plain GNN a node collects what its neighbours know. Every node here has two neighbours that look
alike, so all stay alike, however many layers there are. This is 1-WL, the test of Weisfeiler and Leman: it says no.

hexagon | | graphs | layer=1
Distance encoding asks first: which node is the question about? That is the target, here node 0 on both sides. Every
node then carries its distance to the target. ∞ marks the other triangle, which cannot be reached.

hexagon | | subtrees | layer=2
Two layers deep the subtrees part. In the triangle a neighbour of the target has neighbours at distances 0 and 1, for
the triangle closes. In the hexagon they are at 0 and 2: the ring goes on.

hexagon | | verdict | colour_by=DE-SPD layer=2
So DE-1 tells the targets apart after 2 layers, where 1-WL never does. Click any node on either side: all of A differ
from all of B. Then open another example.

fig1 | Fig. 1(a) and Fig. 3: nodes of a cubic graph

fig1 | | graphs | colour_by=1-WL layer=3
Every node of this graph has three neighbours: it is cubic. To a plain GNN all eight nodes are one class, at every
layer, though the picture shows that they play different parts.

fig1 | | subtrees | layer=1
Now the distances to the target, v2 in A and v3 in B. Both have 3 nodes at distance 1 and 4 at distance 2. One layer
sees the target's neighbours only, all at distance 1: the subtrees are the same.

fig1 | | subtrees | layer=2
The second layer sees neighbours of neighbours. Two neighbours of v2, v4 and v5, are linked to each other, so each has a
child at distance 1. No neighbour of v3 has one. There the subtrees part.

fig1 | 0 ; 2 | verdict | layer=3
Other nodes need more: v0 and v2 are told apart after 3 layers, not before. Follow the sentence with your finger on
the graph.

fig1 | 3 ; 6 | verdict | layer=3 method=DE-SPD
v3 and v6 are never told apart, and rightly: an automorphism turns the graph so that v3 comes to lie on v6. Hover over
a node of A to see where it goes in B.

fig4 | Fig. 2(b) and Fig. 4: one target is not enough

fig4 | | graphs | layer=2
The Shrikhande graph and the 4×4 rook's graph: 16 nodes each, six neighbours each, both strongly regular. From any
target there are 6 nodes at distance 1 and 9 at distance 2, in both.

fig4 | | subtrees | layer=4 method=DE-SPD
Deeper trees do not help. How many children of each distance a node has depends on its own distance alone: both
graphs are distance-regular, with the same numbers. DE-1 can never tell them apart (Theorem 3.7), and nor can 2-WL.

fig2b | | graphs | layer=1
Now two targets, p = 2: an edge on each side. Each node carries both distances. Two nodes are marked 1,1: the
common neighbours of the two ends. In A they are not linked to each other. In B they are.

fig2b | | verdict | layer=2
One layer says which nodes are linked to a node marked 1,1; the second brings it to the edge. DE-2 tells the edges
apart after 2 layers, which 2-WL never does.

fig5 | Fig. 5: K hops are not always faster

fig5 | | graphs | layer=1
Two small trees, target v0. Each has 2 nodes at distance 1 and 2 at distance 2. What differs is who hangs where: in
A both far nodes hang on one neighbour, in B one on each.

fig5 | | verdict | colour_by=DEA-SPD layer=1 method=DEA-SPD
A DEA-GNN with K = 2 hops sees both shells in one layer: two nodes at distance 1, two at distance 2. That is the same
for both roots, so one layer is not enough, however many hops it spans.

fig5 | | verdict | colour_by=DEA-SPD layer=2 method=DEA-SPD
The second layer sees which node hangs where. DE-1 with single hops also needs 2 layers: more hops reach further, but
do not always save a layer.

cut | Why edges inside S are cut

cut | | graphs | layer=1
Two target sets with p = 2: the middle edge of a domino in A, the bridge between two triangles in B. In link prediction
the question is whether two nodes are linked, so that link must not be part of what is seen.

cut | | verdict | layer=2 method=DE-SPD
With the edge in place the ends are at distance 1 in both graphs, and DE-2 with shortest paths cannot tell the two
sets apart, at any layer.

cut | | graphs | cut=1 layer=1
Now the edges inside S are cut; they are dotted. The domino's ends are 3 steps apart, round the square. The bridge
was the only way: its ends cannot reach each other, ∞.

cut | | verdict | cut=1 layer=1 method=DE-SPD
DE-2 tells the sets apart at once, at layer 0. Training cuts these edges for every set, linked or not, so that no
model can read the answer off the question.

us-flights | A real graph with two targets

us-flights | | graphs | layer=1
305 airports of the United States in 2008 and who flies where. The target is Atlanta (ATL): 173 airports are one flight
away, and only 4 need three flights.

us-flights | ATL,FAI | graphs | layer=1
Two targets, Atlanta and Fairbanks in Alaska. Each airport carries the multiset of both distances. There is no flight
between them, but 4 airports are marked 1,1: one stop is enough.

us-flights | ATL,BRW | graphs | layer=1
Barrow (BRW) in the far north instead: only 1 airport is marked 1,1. How many common neighbours two nodes have, and what
lies around them, is what a DE-GNN learns links from.

us-flights | ATL,BRW | graphs | colour_by=LP step=2
Distances say how far, not by how many ways. Landing probability does: where a random walk from the targets is after
2 steps. Pick two airports of your own.
"""


def _read(block: str) -> Step:
    head, *text = block.strip().splitlines()
    preset, targets, look, settings = (part.strip() for part in head.split("|"))
    sets = tuple(
        tuple(int(v) if v.strip().isdigit() else v.strip() for v in side.split(",")) for side in targets.split(";")
    )
    pairs = (pair.split("=") for pair in settings.split())
    values = {name: int(value) if value.isdigit() else value for name, value in pairs}
    if "cut" in values:
        values["cut"] = bool(values["cut"])
    method = str(values.pop("method", ""))
    return Step(" ".join(text), preset, one_of("look", look, LOOK), sets if targets else (), values, method)


def _tours() -> dict[str, Tour]:
    made: dict[str, Tour] = {}
    for block in _TOURS.strip().split("\n\n"):
        head = block.splitlines()[0].split(" | ")
        if len(head) == 2:
            key, title = head
            made[key] = Tour(key, title, ())
        else:
            made[key] = Tour(key, title, (*made[key].steps, _read(block)))
    return made


TOURS = _tours()
"""The tours by the key of the example that each begins with."""


def tour(name: str) -> Tour:
    """A tour by key or title.

    Examples
    --------
    >>> tour("hexagon").title, len(tour("hexagon").steps)
    ('Two triangles or a hexagon', 5)
    """
    by_name = TOURS | {one.title: one for one in TOURS.values()}
    return by_name[one_of("tour", name, by_name)]
