"""The house rules of CONTRIBUTING.md: what may be imported, and that tests do not sleep."""

from __future__ import annotations

import ast
import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
PACKAGE = ROOT / "degnn_explore"
CLOCK = re.compile(r"\b(time|monotonic|perf_counter|process_time|thread_time)(_ns)?\(\)")
Nodes = list[tuple[Path, ast.AST]]


@pytest.fixture(scope="module")
def nodes() -> Nodes:
    paths = [*PACKAGE.rglob("*.py"), *(ROOT / "tests").rglob("*.py"), *(ROOT / "benchmarks").glob("*.py")]
    trees = {path: ast.parse(path.read_text(encoding="utf-8")) for path in sorted(paths)}
    return [(path, node) for path, tree in trees.items() for node in ast.walk(tree)]


def shown(path: Path, node: ast.AST) -> str:
    return f"{path.relative_to(ROOT)}:{node.lineno}: {ast.unparse(node)}"


def test_nothing_private_is_imported_from_another_module(nodes: Nodes) -> None:
    """Compiled modules, whose names begin with an underscore, are modules and may be."""
    private = []
    for path, node in nodes:
        if isinstance(node, ast.ImportFrom) and node.level and PACKAGE in path.parents:
            folder = path.parents[node.level - 1].joinpath(*(node.module or "").split("."))
            names = {alias.name for alias in node.names if alias.name.startswith("_")} - {"__version__"}
            private += [shown(path, node) for name in names if not (folder / f"{name}.py").exists()]
    assert private == []


def test_a_compiled_module_begins_with_an_underscore(nodes: Nodes) -> None:
    compiled = set()
    for path, node in nodes:
        decorated = [getattr(one, "func", one) for one in getattr(node, "decorator_list", ())]
        if PACKAGE in path.parents and any(getattr(one, "id", "") == "compiled" for one in decorated):
            compiled.add(path.name)
    assert len(compiled) > 5 and all(file.startswith("_") for file in compiled)


def test_tests_wait_for_events_and_compare_no_clock(nodes: Nodes) -> None:
    """Only ``until`` of tests/support/waiting.py sleeps and looks at the clock; only a fault reaches its limit."""
    found = []
    for path, node in nodes:
        slept = isinstance(node, ast.Call) and ast.unparse(node.func) in ("sleep", "time.sleep")
        looked = isinstance(node, ast.Compare) and CLOCK.search(ast.unparse(node))
        if (slept or looked) and ROOT / "tests" in path.parents and path.name != "waiting.py":
            found.append(shown(path, node))
    assert found == []


def test_texts_are_read_and_written_as_utf8(nodes: Nodes) -> None:
    """Ruff's PLW1514 sees only what it can infer to be a Path, and Windows breaks on the rest."""
    missing = []
    for path, node in nodes:
        is_text = isinstance(node, ast.Call) and getattr(node.func, "attr", "") in ("read_text", "write_text")
        if is_text and not any(keyword.arg == "encoding" for keyword in node.keywords):
            missing.append(shown(path, node))
    assert missing == []
