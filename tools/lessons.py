"""Writes the classroom's notebooks: of each part a student's and a solution, from one source, so they cannot drift.

    make lessons                  # writes them all
    python -m tools.lessons --check

A source is Markdown. Text becomes text cells, and each block a cell:

    ```python                     code, the same for everybody
    ```python answer ID           where students write; between ### BEGIN SOLUTION and ### END SOLUTION is ours
    ```python test ID POINTS      graded by running it; locked
    ```text answer ID POINTS      words of the student's own, graded by a person; the block is a good answer

The metadata are nbgrader's (schema version 3): the solutions are its "source", and `nbgrader generate_assignment` makes
the student's notebooks of them just as this does. {{install}} in a block is the cell that installs the library where it
is missing, from the address of the repository in pyproject.toml, which also the README's badge is written from; the
other notebooks have it in the cell that is tagged "install".
"""

from __future__ import annotations

import json
import re
import sys
import tomllib
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[1]
FOLDER = ROOT / "notebooks" / "classroom"
SOURCES = sorted((FOLDER / "source").glob("*.md"))
NOTEBOOKS = sorted((ROOT / "notebooks").glob("*.ipynb"))  # of each, the cell tagged "install" is written
SOLUTIONS = FOLDER / "solutions" / "lesson"  # nbgrader wants a folder for each assignment
BLOCK = re.compile(r"^```(python|text)(?: (answer|test) ([\w-]+)(?: (\d+))?)?\n(.*?)^```$", re.MULTILINE | re.DOTALL)
OURS = re.compile(r"^### BEGIN SOLUTION\n.*?^### END SOLUTION$", re.MULTILINE | re.DOTALL)
CODE_STUB, TEXT_STUB = "# YOUR CODE HERE", "YOUR ANSWER HERE"
BADGE = re.compile(r"<!-- badge -->.*?<!-- /badge -->", re.DOTALL)
INSTALL = """try:
    import degnn_explore as de
except ImportError:  # on Colab or Kaggle; elsewhere this does nothing
    get_ipython().run_line_magic("pip", "install --quiet git+{repository}")
    import degnn_explore as de"""
NO_ADDRESS = """try:
    import degnn_explore as de
except ImportError:  # on Colab or Kaggle; elsewhere this does nothing
    hint = "degnn_explore is not installed here. Run %pip install git+ADDRESS first, ADDRESS being its repository's."
    raise ImportError(hint) from None"""


def address() -> str:
    """Of the repository; "" as long as pyproject.toml says none."""
    written: str = tomllib.loads((ROOT / "pyproject.toml").read_text())["tool"]["lessons"]["repository"]
    return written.rstrip("/")


def install_cell(repository: str) -> str:
    """Imports the library, installing it first where it is missing; without an address it says how."""
    return INSTALL.format(repository=repository) if repository else NO_ADDRESS


def badge(repository: str) -> str:
    """A link that opens the start notebook on mybinder.org, or the sentence that says how."""
    start = "lab/tree/notebooks/00_start_here.ipynb"
    host, _, name = repository.removeprefix("https://").partition("/")
    if host == "github.com":
        picture = "https://mybinder.org/badge_logo.svg"
        said = f"[![Open on Binder]({picture})](https://mybinder.org/v2/gh/{name}/HEAD?urlpath={start})"
    else:
        said = (
            "They also run on [mybinder.org](https://mybinder.org): give it the address of this repository and\n"
            f"`{start}` as the URL to open."
        )
    return f"<!-- badge -->\n{said}\n<!-- /badge -->"


def notebook(source: str, solved: bool, repository: str) -> dict[str, Any]:
    """The notebook of a source, for students or with the solutions."""
    cells, at = [], 0
    for block in BLOCK.finditer(source):
        cells.append(_cell("markdown", source[at : block.start()], len(cells)))
        cells.append(_block(block, solved, len(cells), repository))
        at = block.end()
    cells.append(_cell("markdown", source[at:], len(cells)))
    kernel = {"display_name": "Python 3 (ipykernel)", "language": "python", "name": "python3"}
    return {
        "cells": [cell for cell in cells if cell["source"]],
        "metadata": {"kernelspec": kernel, "language_info": {"name": "python"}},
        "nbformat": 4,
        "nbformat_minor": 5,
    }


def _block(block: re.Match[str], solved: bool, number: int, repository: str) -> dict[str, Any]:
    language, role, name, points, text = block.groups()
    text = text.replace("{{install}}", install_cell(repository))
    if role == "answer" and not solved:
        text = OURS.sub(CODE_STUB, text) if language == "python" else TEXT_STUB
    cell = _cell("code" if language == "python" else "markdown", text, name or number)
    if role is not None:
        graded = {"grade": points is not None, "grade_id": name, "locked": role == "test", "schema_version": 3}
        cell["metadata"]["nbgrader"] = graded | {"solution": role == "answer", "task": False}
        if points is not None:
            cell["metadata"]["nbgrader"]["points"] = int(points)
    return cell


def _cell(kind: str, text: str, name: int | str) -> dict[str, Any]:
    cell = {"cell_type": kind, "id": f"cell-{name}", "metadata": {}, "source": text.strip().splitlines(keepends=True)}
    return cell | ({"execution_count": None, "outputs": []} if kind == "code" else {})


def _written(book: dict[str, Any]) -> str:
    return json.dumps(book, indent=1, ensure_ascii=False) + "\n"


def generated() -> dict[Path, str]:
    """What each file should hold."""
    files, repository = {}, address()
    for source in SOURCES:
        for folder, solved in ((FOLDER, False), (SOLUTIONS, True)):
            made = notebook(source.read_text(encoding="utf-8"), solved, repository)
            files[folder / f"{source.stem}.ipynb"] = _written(made)
    for path in NOTEBOOKS:
        book = json.loads(path.read_text(encoding="utf-8"))
        for cell in book["cells"]:
            if "install" in cell["metadata"].get("tags", []):
                cell["source"] = install_cell(repository).splitlines(keepends=True)
        files[path] = _written(book)
    readme = ROOT / "README.md"
    files[readme] = BADGE.sub(lambda _: badge(repository), readme.read_text(encoding="utf-8"))
    return files


def main() -> None:
    """Writes what differs; with --check only says what does."""
    stale = [path for path, text in generated().items() if not path.exists() or path.read_text("utf-8") != text]
    for path in stale:
        print(path.relative_to(ROOT))
    if "--check" in sys.argv:
        raise SystemExit(bool(stale))
    for path in stale:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(generated()[path], encoding="utf-8")


if __name__ == "__main__":
    main()
