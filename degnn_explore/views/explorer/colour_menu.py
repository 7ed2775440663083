"""What the graphs can be coloured by: encodings, yours among them, and the classes of methods."""

from __future__ import annotations

from typing import Any

from ...common.errors import ParameterError, one_of
from ...encodings.base import Encoding
from ...encodings.own import OWN, name_of
from ...expressive.methods import METHODS

__all__ = ["COLOURINGS", "colour_key", "offered"]

COLOURINGS = {
    "SPD": "distance (SPD)",
    "LP": "landing probability",
    "PageRank": "PageRank",
    "DRNL": "DRNL labels",
    **{name: f"classes: {method.menu}" for name, method in METHODS.items() if name != "2-WL"},
}


def offered() -> dict[str, str]:
    """All that a graph can be coloured by, with its text in the menu: also your own encodings, and their classes."""
    yours = {name: f"{name} (yours)" for name in OWN}
    return COLOURINGS | yours | {f"DE-{name}": f"classes: DE-{name} (yours)" for name in OWN}


def colour_key(value: Any) -> str:
    """The key of what a graph is to be coloured by, which may be an encoding that is registered."""
    if not isinstance(value, Encoding):
        return str(one_of("colour_by", value, offered()))
    if (name := name_of(value)) is None:
        raise ParameterError(
            f"{value!r} is not registered (or another encoding is, under its name, by now); give it a name first: "
            'z = de.encoding("name", ...).'
        )
    return name
