"""The house rules of CONTRIBUTING.md: how large things may be, what may be imported; a failure lists who breaks one."""

from __future__ import annotations

import ast
from pathlib import Path

ROOT = Path(__file__).parents[1]
PACKAGE = ROOT / "degnn_explore"
TREES = {path: ast.parse(path.read_text()) for path in sorted(PACKAGE.rglob("*.py"))}
ROOMS = sorted({path.parent for path in TREES} - {PACKAGE})


def name(path: Path) -> str:
    return str(path.relative_to(PACKAGE))


def test_the_hall_is_nearly_empty_and_a_room_has_at_most_fifteen_modules() -> None:
    assert len(list(PACKAGE.glob("*.py"))) <= 8
    sizes = {name(room): len(list(room.glob("[!_]*.py")) + list(room.glob("_[!_]*.py"))) for room in ROOMS}
    assert {room: size for room, size in sizes.items() if size > 15} == {}


def test_every_room_and_module_says_what_it_is() -> None:
    assert [name(path) for path, tree in TREES.items() if len((ast.get_docstring(tree) or "").split()) < 3] == []
    assert [name(room) for room in ROOMS if room / "__init__.py" not in TREES] == []


def test_a_module_has_at_most_350_lines() -> None:
    sizes = {name(path): len(path.read_text().splitlines()) for path in TREES}
    assert {module: size for module, size in sizes.items() if size > 350} == {}


def test_a_function_over_sixty_lines_says_why() -> None:
    """Counted without the docstring, which must then hold the words "long because"."""
    long = []
    for path, tree in TREES.items():
        for node in ast.walk(tree):
            if isinstance(node, ast.FunctionDef):
                doc = ast.get_docstring(node, clean=False) or ""
                lines = (node.end_lineno or 0) - node.lineno + 1 - len(doc.splitlines())
                if lines > 60 and "long because" not in doc:
                    long.append(f"{name(path)}: {node.name} has {lines} lines")
    assert long == []


def test_nothing_private_is_imported_from_another_module() -> None:
    """Compiled modules, whose names begin with an underscore, are modules and may be."""
    private = []
    for path, tree in TREES.items():
        for node in ast.walk(tree):
            if isinstance(node, ast.ImportFrom) and node.level:
                folder = path.parents[node.level - 1].joinpath(*(node.module or "").split("."))
                names = [alias.name for alias in node.names if alias.name.startswith("_")]
                private += [
                    f"{name(path)}: {it}" for it in names if it != "__version__" and not (folder / f"{it}.py").exists()
                ]
    assert private == []


def test_a_compiled_module_begins_with_an_underscore() -> None:
    compiled = []
    for path, tree in TREES.items():
        imports = {node.module for node in tree.body if isinstance(node, ast.ImportFrom)}
        imports |= {alias.name for node in tree.body if isinstance(node, ast.Import) for alias in node.names}
        compiled += [path] if "numba" in imports else []
    assert len(compiled) > 5
    assert [name(path) for path in compiled if not path.name.startswith("_")] == []


def test_tests_wait_for_events_and_compare_no_clock() -> None:
    """Only ``until`` of tools/waiting.py sleeps and looks at the clock: its limit is one that only a fault reaches."""
    clocks = {"time", "monotonic", "perf_counter", "process_time", "thread_time"}
    clocks |= {f"{clock}_ns" for clock in clocks}
    found = []
    for path in sorted([*(ROOT / "tests").rglob("*.py"), *(ROOT / "tools").glob("*.py")]):
        for node in ast.walk(ast.parse(path.read_text())):
            asked = [it for it in ast.walk(node) if isinstance(it, ast.Call)] if isinstance(node, ast.Compare) else []
            slept = [node] if isinstance(node, ast.Call) and ast.unparse(node.func) in ("sleep", "time.sleep") else []
            looked = [it for it in asked if ast.unparse(it.func) in {*clocks, *(f"time.{clock}" for clock in clocks)}]
            if (slept or looked) and path != ROOT / "tools" / "waiting.py":
                found.append(f"{path.relative_to(ROOT)}:{node.lineno}: {ast.unparse(node)}")
    assert found == []


def test_the_map_of_rooms_names_every_room() -> None:
    drawn = (ROOT / "docs" / "img" / "rooms.svg").read_text()
    inside = (
        "views",
        "learn/nets",
        "learn/why",
        "learn/own",
        "learn/choosing",
        "studies/beside",
        "studies/cluster",
        "studies/storage",
        "studies/whole",
        "views/explorer/pages",
        "views/board/asking",
    )
    rooms = [name(room) for room in ROOMS if name(room) not in inside]
    assert [room for room in rooms if f">{room}<" not in drawn] == []
