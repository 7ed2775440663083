"""What users call keeps its names and defaults, what they choose from its choices; values are frozen.

After a change that is meant, record it:

python -m tests.test_public_api
"""

from __future__ import annotations

import importlib
import inspect
import pkgutil
import re
from collections.abc import Iterator
from dataclasses import is_dataclass
from pathlib import Path
from types import ModuleType
from typing import Any

import degnn_explore as de
from degnn_explore.studies.search import SPACE
from degnn_explore.views.board.state import SETTINGS

FILE = Path(__file__).parent / "public_api.txt"
CHANGED_IN_PLACE = {"Exercise", "RunState", "Trial", "Tuned", "_Run", "_Running"}


def signature(thing: Any) -> str:
    """Names, kinds and defaults of the parameters, without types."""
    found = inspect.signature(thing)
    bare = [each.replace(annotation=inspect.Parameter.empty) for each in found.parameters.values()]
    text = str(found.replace(parameters=bare, return_annotation=inspect.Signature.empty))
    return re.sub(" at 0x[0-9a-f]+", "", text)


def public(prefix: str, thing: Any) -> Iterator[str]:
    """A line for a function; for a class, one for making it and one for each method of its own; so of a module."""
    if isinstance(thing, ModuleType):
        for name in thing.__all__:
            yield from public(f"{prefix}.{name}", getattr(thing, name))
    elif inspect.isclass(thing) and not issubclass(thing, Exception):
        yield prefix + (signature(thing) if thing.__init__ is not object.__init__ else "()")
        for name, member in sorted(vars(thing).items()):
            method = getattr(thing, name) if isinstance(member, classmethod | staticmethod) else member
            if (inspect.isfunction(method) or inspect.ismethod(method)) and not name.startswith("_"):
                yield f"{prefix}.{name}{signature(method)}"
    elif inspect.isfunction(thing):
        yield prefix + signature(thing)


def lines() -> list[str]:
    offered = {"a search": SPACE, "the board": SETTINGS}
    choices = [f"{where}: {name} {values}" for where, table in offered.items() for name, values in table.items()]
    return [*public("de", de), *choices]


def test_names_defaults_and_choices_are_those_that_were_recorded() -> None:
    assert lines() == FILE.read_text(encoding="utf-8").splitlines()


def test_values_are_frozen() -> None:
    changed = set()
    for module in pkgutil.walk_packages(de.__path__, "degnn_explore."):
        things = () if module.name.endswith("__main__") else vars(importlib.import_module(module.name)).values()
        for thing in things:
            if inspect.isclass(thing) and is_dataclass(thing) and thing.__module__ == module.name:
                changed |= {thing.__name__} if not thing.__dataclass_params__.frozen else set()  # type: ignore[attr-defined]
    assert changed == CHANGED_IN_PLACE


if __name__ == "__main__":
    FILE.write_text("\n".join(lines()) + "\n", encoding="utf-8")
