"""What the Explorer has to tell, as data: examples, guided tours and the glossary.

The texts are in the ``*.toml`` files next to this module. To add an example, a tour or a word, add a table there.
"""

from __future__ import annotations

import json
import tomllib
from dataclasses import dataclass, field
from importlib.resources import files
from typing import Any, NamedTuple

from ...common.errors import check_choice

__all__ = ["COAST", "LOOK", "PRESETS", "TERMS", "TOURS", "Preset", "Step", "Term", "Tour", "preset", "tour"]

LOOK = ("graphs", "subtrees", "verdict")
"""Where a step of a tour can point."""

Targets = tuple[tuple[int | str, ...], ...]


@dataclass(frozen=True)
class Preset:
    """An example: one or two sources of graphs, the target set of each, what to look for, the settings it opens with.

    A target is a number or a name; ("hub",) stands for the node of highest degree, ("edge",) for an edge of node 0.
    Size 0 lets p grow with every click.
    """

    key: str
    title: str
    sources: tuple[str, ...]
    targets: Targets
    idea: str
    color_by: str = "SPD"
    layer: int = 2
    cut: bool = False
    size: int = 1


@dataclass(frozen=True)
class Step:
    """A step of a tour: its text, the example it shows, other targets and settings, and where to look."""

    text: str
    preset: str
    look: str  # one of LOOK
    targets: Targets = ()  # of each side; (): those of the example
    settings: dict[str, Any] = field(default_factory=dict)
    method: str = ""  # the method whose sentence the verdict shows; "": the first that tells the sets apart


@dataclass(frozen=True)
class Tour:
    """A few steps that make one point."""

    key: str  # the example that it begins with
    title: str
    steps: tuple[Step, ...]


class Term(NamedTuple):
    """A word, the line that explains it, and a pattern (the same in Python and JavaScript) of how it is written."""

    name: str
    line: str
    pattern: str


def _read(name: str) -> dict[str, Any]:
    """The tables of a file; line breaks inside a text become spaces, lists become tuples."""

    def tidy(value: Any) -> Any:
        if isinstance(value, str):
            return " ".join(value.split())
        if isinstance(value, list):
            return tuple(map(tidy, value))
        return {key: tidy(each) for key, each in value.items()} if isinstance(value, dict) else value

    content: dict[str, Any] = tidy(tomllib.loads(files(__name__).joinpath(name).read_text(encoding="utf-8")))
    return content


COAST: list[list[int]] = json.loads(files(__name__).joinpath("coast.json").read_text(encoding="utf-8"))["rings"]
"""Outlines of the land: longitude and latitude in turn, in tenths of a degree."""

PRESETS = {key: Preset(key, **table) for key, table in _read("examples.toml").items()}
"""The examples by key, in the order of the menu."""

TOURS = {
    key: Tour(key, table["title"], tuple(Step(**step) for step in table["steps"]))
    for key, table in _read("tours.toml").items()
}
"""The tours by the key of the example that each begins with."""

TERMS = tuple(Term(**table) for table in _read("glossary.toml")["terms"])
"""The words of the glossary, in the order in which they are looked for."""


def preset(name: str) -> Preset:
    """An example by key or title.

    Examples
    --------
    >>> preset("fig1").sources
    ('zoo.figure1()', 'zoo.figure1()')
    """
    by_name = PRESETS | {example.title: example for example in PRESETS.values()}
    return by_name[check_choice("preset", name, by_name)]


def tour(name: str) -> Tour:
    """A tour by key or title.

    Examples
    --------
    >>> tour("hexagon").title, len(tour("hexagon").steps)
    ('Two triangles or a hexagon', 5)
    """
    by_name = TOURS | {guided.title: guided for guided in TOURS.values()}
    return by_name[check_choice("tour", name, by_name)]
