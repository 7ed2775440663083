"""The classroom: student versions are the solutions without answers; solutions pass, student versions do not yet."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import nbformat
import pytest

from teaching.make_student_notebooks import HERE, SOLUTIONS, STUDENTS, student_version
from tests.support.notebooks import run

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


@pytest.mark.parametrize("path", SOLUTIONS, ids=lambda path: path.stem)
def test_the_student_version_is_the_solution_stripped(path: Path) -> None:
    assert student_version(path) == nbformat.read(STUDENTS / path.name, as_version=4), "run: make lessons"


@pytest.mark.parametrize("name", NAMES)
def test_the_solution_passes_where_the_student_version_fails(name: str, own_jupyter: None) -> None:
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
    assert peak < STUDENT - SERVER


def test_nbgrader_generates_the_same_student_version_and_validates_a_solution(
    tmp_path: Path, own_jupyter: None
) -> None:
    """So no student sees a solution. Validating one is enough: another test runs all three."""
    course = tmp_path / "course"
    shutil.copytree(HERE, course)
    path = os.pathsep.join([str(Path(sys.executable).parent), os.environ["PATH"]])  # nbgrader calls alembic
    for command in ("generate_assignment lesson", f"validate source/lesson/{NAMES[0]}.ipynb"):
        nbgrader = [sys.executable, "-m", "nbgrader", *command.split()]
        environment = os.environ | {"PATH": path}
        done = subprocess.run(nbgrader, cwd=course, env=environment, capture_output=True, text=True, timeout=600)
        assert done.returncode == 0, done.stdout + done.stderr
    assert "Success" in done.stdout
    for name in NAMES:
        theirs, ours = read(course / "release" / "lesson", name), read(STUDENTS, name)
        assert [cell.source for cell in theirs.cells] == [cell.source for cell in ours.cells]
