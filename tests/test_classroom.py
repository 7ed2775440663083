"""The classroom: notebooks are what their source says, solutions pass, and student versions do not yet."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import nbformat
import pytest

from tools import lessons
from tools.notebooks import run
from tools.waiting import LONG

from .conftest import PEAK

NAMES = [source.stem for source in lessons.SOURCES]
STUDENT = 2_000_000_000  # bytes, of a machine without a GPU
SERVER = 250_000_000  # of these, for the Jupyter server and the system's share


def read(folder: Path, name: str) -> Any:
    book = nbformat.read(folder / f"{name}.ipynb", as_version=4)
    nbformat.validate(book)
    return book


def graded(book: Any) -> list[Any]:
    """The cells that nbgrader grades by running them."""
    return [cell for cell in book.cells if cell.metadata.get("nbgrader", {}).get("locked")]


@pytest.fixture(autouse=True)
def own_jupyter(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("DEGNN_FAST", "1")  # fewer epochs and seeds on boards, nothing else
    # a store of its own: what an earlier test has trained would only be shown, and the reader's own stays as it is
    for folder in ("JUPYTER_CONFIG_DIR", "JUPYTER_DATA_DIR", "JUPYTER_RUNTIME_DIR", "IPYTHONDIR", "DEGNN_RUNS"):
        monkeypatch.setenv(folder, str(tmp_path / folder.lower()))


def test_the_committed_notebooks_are_what_the_sources_say() -> None:
    assert len(NAMES) == 3
    stale = [path.name for path, text in lessons.generated().items() if path.read_text(encoding="utf-8") != text]
    assert stale == [], "run: make lessons"


@pytest.mark.parametrize("name", NAMES)
def test_the_solution_passes_where_the_student_version_fails(name: str, record_property: Any) -> None:
    """The student's cells, then the solutions', in one kernel: so each part is run once, and its memory bounded."""
    student, solution = read(lessons.FOLDER, name), read(lessons.SOLUTIONS, name)
    answers = [cell for cell in solution.cells if cell.metadata.get("nbgrader") and cell.cell_type == "code"]
    for cell in answers:
        cell.id += "-solved"
    both = nbformat.v4.new_notebook(cells=[*student.cells, *answers], metadata=student.metadata)
    peak = run(both, lessons.FOLDER, errors=True)
    failed = [cell for cell in both.cells if any(output.output_type == "error" for output in cell.get("outputs", []))]
    assert [cell.source for cell in failed] == [cell.source for cell in graded(student)]
    assert {output.ename for cell in failed for output in cell.outputs} == {"AssertionError"}
    assert len(failed) == len(graded(solution)) > 0
    record_property(PEAK, peak)
    assert peak < STUDENT - SERVER


@pytest.mark.parametrize("name", NAMES)
def test_students_see_no_solution(name: str) -> None:
    student, solution = read(lessons.FOLDER, name), read(lessons.SOLUTIONS, name)
    assert "SOLUTION" not in json.dumps(student)
    assert [cell.metadata for cell in student.cells] == [cell.metadata for cell in solution.cells]
    for mine, theirs in zip(student.cells, solution.cells, strict=True):
        role = mine.metadata.get("nbgrader", {})
        assert (mine.source == theirs.source) != bool(role.get("solution"))
        if role.get("solution"):
            assert mine.source in ("answer = None\n# YOUR CODE HERE", "YOUR ANSWER HERE")
            assert (mine.cell_type == "markdown") == role["grade"]


def test_every_graded_cell_has_a_name_and_points_of_its_own() -> None:
    roles = [
        cell.metadata["nbgrader"]
        for name in NAMES
        for cell in read(lessons.SOLUTIONS, name).cells
        if "nbgrader" in cell.metadata
    ]
    assert len({role["grade_id"] for role in roles}) == len(roles)
    assert all(role["schema_version"] == 3 and not role["task"] for role in roles)
    assert [role["grade_id"] for role in roles if role["grade"] != ("points" in role)] == []


@pytest.mark.parametrize("name", NAMES)
def test_a_part_takes_thirty_minutes(name: str) -> None:
    source = (lessons.FOLDER / "source" / f"{name}.md").read_text(encoding="utf-8")
    assert sum(map(int, re.findall(r"^## .*\((\d+) minutes\)$", source, flags=re.MULTILINE))) == 30
    assert "After this part you can" in source
    assert "```text answer exit-" in source


def test_one_address_makes_the_badge_and_the_cell_that_installs() -> None:
    here = "https://github.com/somebody/degnn_explore"
    link = "https://mybinder.org/v2/gh/somebody/degnn_explore/HEAD?urlpath=lab/tree/notebooks/00_start_here.ipynb"
    assert f"]({link})" in lessons.badge(here)
    assert f"install --quiet git+{here}" in lessons.install_cell(here)
    assert "give it the address" in lessons.badge("")
    assert "%pip install git+ADDRESS" in lessons.install_cell("")


def first_code(path: Path) -> str:
    return next(cell.source for cell in nbformat.read(path, as_version=4).cells if cell.cell_type == "code")


def test_every_notebook_begins_with_the_cell_that_installs() -> None:
    books = [*lessons.NOTEBOOKS, *(lessons.FOLDER / f"{name}.ipynb" for name in NAMES)]
    assert len(books) >= 11
    assert {first_code(path) for path in books} == {lessons.install_cell(lessons.address())}


def test_where_the_library_is_missing_the_cell_installs_it_or_says_how() -> None:
    """As on Colab: a kernel that does not know the library. pip is asked for what, and not run."""
    ask = "import json, sys, builtins\nsys.modules['degnn_explore'] = None\n"  # importing it is an ImportError
    ask += "class Shell:\n    def run_line_magic(self, name, words):\n        print(name, words)\n"
    ask += "builtins.get_ipython = Shell\n"
    for address, said in (
        ("https://example.org/o/n", "pip install --quiet git+https://example.org/o/n"),
        ("", "Run %pip install git+ADDRESS first"),
    ):
        done = subprocess.run(
            [sys.executable, "-c", ask + lessons.install_cell(address)], capture_output=True, text=True, timeout=LONG
        )
        assert said in done.stdout + done.stderr
        assert done.returncode == 1


def test_nbgrader_makes_the_same_student_version(tmp_path: Path) -> None:
    tool = shutil.which("nbgrader")
    if tool is None:
        pytest.skip("nbgrader is not installed: pip install nbgrader")
    course = tmp_path / "course"
    shutil.copytree(lessons.FOLDER, course)
    for command in ("generate_assignment lesson", *(f"validate solutions/lesson/{name}.ipynb" for name in NAMES)):
        done = subprocess.run(
            [tool, *command.split()], cwd=course, env={**os.environ}, capture_output=True, text=True, timeout=600
        )
        assert done.returncode == 0, done.stdout + done.stderr
        assert "Success" in done.stdout or command.startswith("generate")
    for name in NAMES:
        theirs, ours = read(course / "release" / "lesson", name), read(lessons.FOLDER, name)
        assert [cell.source for cell in theirs.cells] == [cell.source for cell in ours.cells]
