"""Writes the students' notebooks into notebooks/classroom: those in source/lesson, which nbgrader strips of solutions.

Run it as ``make lessons`` after a change of the notebooks in source/lesson.
"""

from __future__ import annotations

from pathlib import Path

import nbformat
from nbgrader.preprocessors import ClearOutput, ClearSolutions
from traitlets.config import PyFileConfigLoader

HERE = Path(__file__).resolve().parent
SOLUTIONS = sorted((HERE / "source" / "lesson").glob("*.ipynb"))
STUDENTS = HERE.parent / "notebooks" / "classroom"


def student_version(path: Path) -> nbformat.NotebookNode:
    """The notebook without solutions and outputs."""
    config = PyFileConfigLoader("nbgrader_config.py", path=str(HERE)).load_config()
    book = nbformat.read(path, as_version=4)
    for step in (ClearSolutions(config=config), ClearOutput(config=config)):
        book, _ = step.preprocess(book, {})
    return book


if __name__ == "__main__":
    for path in SOLUTIONS:
        nbformat.write(student_version(path), STUDENTS / path.name)
