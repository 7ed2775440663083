"""The graphs behind the examples of the Explorer's menu.

A source such as ``zoo.figure1()`` is looked up in a table; copied Python names it, too.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

from ...common.errors import check_choice
from ...graphs import zoo
from ...graphs.graph import Graph
from ...reading.datasets import load


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
    return SOURCES[check_choice("source", source, SOURCES)]()


def starting_targets(graph: Graph, wanted: tuple[int | str, ...]) -> tuple[int, ...]:
    """The preset's targets as numbers."""
    if wanted == ("hub",):
        return (int(graph.degrees.argmax()),)
    if wanted == ("edge",):
        return (0, int(graph.neighbors(0)[0]))
    return tuple(int(v) for v in graph.target_set(list(wanted)))
