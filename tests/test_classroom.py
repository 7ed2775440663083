"""The classroom: student versions are the solutions without answers; solutions pass, student versions do not yet."""

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

from teaching.make_student_notebooks import HERE, SOLUTIONS, STUDENTS, student_version
from tests.support.notebooks import run

from .conftest import PEAK

NAMES = [path.stem for path in SOLUTIONS]
SOURCE = HERE / "source" / "lesson"
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


@pytest.mark.parametrize("path", SOLUTIONS, ids=lambda path: path.stem)
def test_the_student_version_is_the_solution_stripped(path: Path) -> None:
    stripped = student_version(path)
    assert stripped == nbformat.read(STUDENTS / path.name, as_version=4), "run: make lessons"


@pytest.mark.parametrize("name", NAMES)
def test_the_solution_passes_where_the_student_version_fails(name: str, record_property: Any) -> None:
    """The student's cells, then the solutions', in one kernel: so each part is run once, and its memory bounded."""
    student, solution = read(STUDENTS, name), read(SOURCE, name)
    answers = [cell for cell in solution.cells if cell.metadata.get("nbgrader") and cell.cell_type == "code"]
    for cell in answers:
        cell.id += "-solved"
    both = nbformat.v4.new_notebook(cells=[*student.cells, *answers], metadata=student.metadata)
    peak = run(both, STUDENTS, errors=True)
    failed = [cell for cell in both.cells if any(output.output_type == "error" for output in cell.get("outputs", []))]
    assert [cell.source for cell in failed] == [cell.source for cell in graded(student)]
    assert {output.ename for cell in failed for output in cell.outputs} == {"AssertionError"}
    assert len(failed) == len(graded(solution)) > 0
    record_property(PEAK, peak)
    assert peak < STUDENT - SERVER


@pytest.mark.parametrize("name", NAMES)
def test_students_see_no_solution(name: str) -> None:
    student, solution = read(STUDENTS, name), read(SOURCE, name)
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
        cell.metadata["nbgrader"] for name in NAMES for cell in read(SOURCE, name).cells if "nbgrader" in cell.metadata
    ]
    assert len({role["grade_id"] for role in roles}) == len(roles)
    assert all(role["schema_version"] == 3 and not role["task"] for role in roles)
    assert [role["grade_id"] for role in roles if role["grade"] != ("points" in role)] == []


@pytest.mark.parametrize("name", NAMES)
def test_a_part_takes_thirty_minutes(name: str) -> None:
    cells = read(SOURCE, name).cells
    text = "\n".join(cell.source for cell in cells if cell.cell_type == "markdown")
    assert sum(map(int, re.findall(r"^## .*\((\d+) minutes\)$", text, flags=re.MULTILINE))) == 30
    assert "After this part you can" in text
    assert any(cell.metadata.get("nbgrader", {}).get("grade_id", "").startswith("exit-") for cell in cells)


def test_every_notebook_begins_with_the_import_and_shows_a_picture() -> None:
    books = [*STUDENTS.parent.glob("*.ipynb"), *STUDENTS.glob("*.ipynb"), *SOLUTIONS]
    assert len(books) >= 14
    for path in books:
        cells = nbformat.read(path, as_version=4).cells
        assert next(cell.source for cell in cells if cell.cell_type == "code") == "import degnn_explore as de", path
        assert "docs/img/" in cells[0].source, path
        code = "\n".join(cell.source for cell in cells if cell.cell_type == "code")
        assert not re.search(r"^\s*try:|ADDRESS", code, flags=re.MULTILINE), path


def test_nbgrader_generates_the_same_student_version_and_validates_a_solution(tmp_path: Path) -> None:
    """One is enough: another test runs all three."""
    course = tmp_path / "course"
    shutil.copytree(HERE, course)
    path = os.pathsep.join([str(Path(sys.executable).parent), os.environ["PATH"]])  # nbgrader calls alembic
    for command in ("generate_assignment lesson", f"validate source/lesson/{NAMES[0]}.ipynb"):
        nbgrader = [sys.executable, "-m", "nbgrader", *command.split()]
        done = subprocess.run(
            nbgrader, cwd=course, env=os.environ | {"PATH": path}, capture_output=True, text=True, timeout=600
        )
        assert done.returncode == 0, done.stdout + done.stderr
    assert "Success" in done.stdout
    for name in NAMES:
        theirs, ours = read(course / "release" / "lesson", name), read(STUDENTS, name)
        assert [cell.source for cell in theirs.cells] == [cell.source for cell in ours.cells]
