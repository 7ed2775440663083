"""Every notebook runs from top to bottom."""

from __future__ import annotations

from pathlib import Path

import nbformat
import pytest

from degnn_explore.reading import datasets
from tests.support.notebooks import run

FOLDER = Path(__file__).parents[1] / "notebooks"
SMALLER = {
    "03_train_node_roles.ipynb": {
        '"us-flights", "roles", everyone': '"karate", "roles", ["GCN"]'},
    "04_train_links_and_triangles.ipynb": {
        '"celegans", "links", networks': '"karate", "links", ["SEAL"]'},
    "05_expressive_power.ipynb": {
        "PAPER_SIZES[:6]": "PAPER_SIZES[:3]", "3_000": "500", "seeds=5": "seeds=2", "graphs=100": "graphs=20"},
    "07_your_own_graph.ipynb": {"minutes=1,": "minutes=0.02,"},
    "08_your_own_encoding.ipynb": {  # resistances of all pairs take half a CPU-minute on C. elegans
        'TrainingBoard("celegans"': 'TrainingBoard("karate"'},
    "09_after_distance_encoding.ipynb": {
        'de.load("celegans")': 'de.load("karate")', "epochs=8": "epochs=2"}}  # fmt: skip
"""What a notebook takes its time for; readers see the sizes that mean something."""


@pytest.mark.parametrize("name", sorted(path.name for path in FOLDER.glob("*.ipynb")))
def test_notebook_runs(name: str, own_jupyter: None) -> None:
    notebook = nbformat.read(FOLDER / name, as_version=4)
    nbformat.validate(notebook)
    for size, smaller in SMALLER.get(name, {}).items():
        assert any(size in cell.source for cell in notebook.cells), size
        for cell in notebook.cells:
            cell.source = cell.source.replace(size, smaller)
    run(notebook, FOLDER)


def test_no_cell_needs_a_graph_that_is_downloaded() -> None:
    """A reader without internet gets through every notebook."""
    names = {Path(file).stem.removeprefix("labels-") for file in datasets.AIRPORTS}
    for path in FOLDER.rglob("*.ipynb"):
        cells = [cell.source for cell in nbformat.read(path, as_version=4).cells if cell.cell_type == "code"]
        assert [name for name in {*names, "DEGNN_FAST"} if any(name in source for source in cells)] == [], path.name
