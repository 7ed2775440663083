"""The house rules of CONTRIBUTING.md: what may be imported, and that tests do not sleep."""

from __future__ import annotations

import ast
from pathlib import Path

ROOT = Path(__file__).parents[1]
PACKAGE = ROOT / "degnn_explore"
TREES = {path: ast.parse(path.read_text(encoding="utf-8")) for path in sorted(PACKAGE.rglob("*.py"))}
ROOMS = sorted({path.parent for path in TREES} - {PACKAGE})


def name(path: Path) -> str:
    return str(path.relative_to(PACKAGE))


def test_every_room_and_module_says_what_it_is() -> None:
    assert [name(path) for path, tree in TREES.items() if len((ast.get_docstring(tree) or "").split()) < 3] == []
    assert [name(room) for room in ROOMS if room / "__init__.py" not in TREES] == []


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
        decorated = (getattr(one, "func", one) for node in tree.body for one in getattr(node, "decorator_list", ()))
        compiled += [path] if any(getattr(one, "id", "") == "compiled" for one in decorated) else []
    assert len(compiled) > 5
    assert [name(path) for path in compiled if not path.name.startswith("_")] == []


def test_tests_wait_for_events_and_compare_no_clock() -> None:
    """Only ``until`` of tests/support/waiting.py sleeps and looks at the clock; only a fault reaches its limit."""
    clocks = {"time", "monotonic", "perf_counter", "process_time", "thread_time"}
    clocks |= {f"{clock}_ns" for clock in clocks}
    found = []
    for path in sorted((ROOT / "tests").rglob("*.py")):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            asked = [it for it in ast.walk(node) if isinstance(it, ast.Call)] if isinstance(node, ast.Compare) else []
            slept = [node] if isinstance(node, ast.Call) and ast.unparse(node.func) in ("sleep", "time.sleep") else []
            looked = [it for it in asked if ast.unparse(it.func) in {*clocks, *(f"time.{clock}" for clock in clocks)}]
            if (slept or looked) and path != ROOT / "tests" / "support" / "waiting.py":
                found.append(f"{path.relative_to(ROOT)}:{node.lineno}: {ast.unparse(node)}")
    assert found == []


def test_texts_are_read_and_written_as_utf8() -> None:
    """Ruff's PLW1514 sees only what it can infer to be a Path, and Windows breaks on the rest."""
    missing = []
    for path in sorted([*PACKAGE.rglob("*.py"), *(ROOT / "tests").rglob("*.py"), *(ROOT / "benchmarks").glob("*.py")]):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
                named = any(keyword.arg == "encoding" for keyword in node.keywords)
                if node.func.attr in ("read_text", "write_text") and not named:
                    missing.append(f"{path.relative_to(ROOT)}:{node.lineno}")
    assert missing == []
