"""The house rules of CONTRIBUTING.md: how large things may be, and what may be imported."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
PACKAGE = ROOT / "degnn_explore"
MODULES = sorted(PACKAGE.rglob("*.py"))
ROOMS = sorted({path.parent for path in MODULES} - {PACKAGE})


def name(path: Path) -> str:
    return str(path.relative_to(PACKAGE))


def test_the_hall_is_nearly_empty() -> None:
    assert len(list(PACKAGE.glob("*.py"))) <= 8


@pytest.mark.parametrize("room", ROOMS, ids=name)
def test_room_says_what_it_is_and_has_at_most_fifteen_modules(room: Path) -> None:
    assert len((ast.get_docstring(ast.parse((room / "__init__.py").read_text())) or "").split()) >= 5
    assert len([path for path in room.glob("*.py") if path.name != "__init__.py"]) <= 15


@pytest.mark.parametrize("module", MODULES, ids=name)
def test_module_is_of_a_size_to_be_read(module: Path) -> None:
    text = module.read_text()
    assert len(text.splitlines()) <= 350
    assert ast.get_docstring(ast.parse(text))


@pytest.mark.parametrize("module", MODULES, ids=name)
def test_function_over_sixty_lines_says_why(module: Path) -> None:
    """Counted without the docstring, which must then hold the words "long because"."""
    for node in ast.walk(ast.parse(module.read_text())):
        if isinstance(node, ast.FunctionDef):
            doc = ast.get_docstring(node, clean=False)
            lines = (node.end_lineno or 0) - node.lineno + 1 - (len(doc.splitlines()) if doc else 0)
            assert lines <= 60 or "long because" in (doc or ""), f"{node.name} has {lines} lines"


@pytest.mark.parametrize("module", MODULES, ids=name)
def test_nothing_private_is_imported_from_another_module(module: Path) -> None:
    """But a compiled module, whose name begins with an underscore, from its own package or one that says so."""
    for node in ast.walk(ast.parse(module.read_text())):
        if isinstance(node, ast.ImportFrom) and node.level:
            folder = module.parents[node.level - 1].joinpath(*(node.module or "").split("."))
            for alias in node.names:
                if alias.name.startswith("_") and alias.name != "__version__":
                    assert (folder / f"{alias.name}.py").exists(), f"{alias.name} of {node.module}"


@pytest.mark.parametrize("module", MODULES, ids=name)
def test_compiled_module_begins_with_an_underscore(module: Path) -> None:
    tree = ast.parse(module.read_text())
    imports = {node.module for node in tree.body if isinstance(node, ast.ImportFrom)}
    imports |= {alias.name for node in tree.body if isinstance(node, ast.Import) for alias in node.names}
    if "numba" in imports:
        assert module.name.startswith("_")


def test_the_map_of_rooms_names_every_room() -> None:
    drawn = (ROOT / "docs" / "img" / "rooms.svg").read_text()
    rooms = [name(room) for room in ROOMS if name(room) not in ("views", "learn/nets")]
    assert [room for room in rooms if f">{room}<" not in drawn] == []
