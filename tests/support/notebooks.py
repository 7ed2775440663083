"""Runs a notebook as a reader would, and says how much memory it took."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import nbclient
import nbformat

ROOT = Path(__file__).resolve().parents[2]
ASK = f"""import sys
sys.path.append({str(ROOT)!r})
from tests.support.memory import peak_of_family
print(peak_of_family())"""


def run(notebook: Any, folder: Path, *, errors: bool = False) -> int:
    """Executes all cells in place, in a kernel that works in ``folder``; returns the peak memory in bytes.

    With ``errors`` a cell that fails does not end the run.
    """
    last = nbformat.v4.new_code_cell(ASK)
    notebook.cells.append(last)
    client = nbclient.NotebookClient(
        notebook, timeout=300, allow_errors=errors, resources={"metadata": {"path": str(folder)}}
    )
    client.execute()
    notebook.cells.remove(last)
    return int(last.outputs[-1].text)
