"""The notebook cells that boards are made in: a board goes when its cell is run again or deleted."""

from __future__ import annotations

import weakref
from functools import cache
from pathlib import Path
from typing import Any

from ...common.errors import ParameterError

__all__ = ["close_deleted", "close_earlier", "files_beside", "here", "live", "must_be_free", "watch"]

live: weakref.WeakSet[Any] = weakref.WeakSet()
"""The boards of this notebook; each has ``cell``, ``on_page`` and ``close()``."""


def here() -> tuple[str, int] | None:
    """The cell that is being run, and the number of its run; None where there is no such thing."""
    from IPython import get_ipython

    name = _asked().get("cellId")
    return None if name is None else (str(name), int(get_ipython().execution_count))


def close_earlier(cell: tuple[str, int] | None) -> None:
    """Closes the boards that an earlier run of this cell made."""
    for board in list(live):
        if cell is not None and board.cell is not None and board.cell[0] == cell[0] and board.cell[1] != cell[1]:
            board.close()


def close_deleted(cells: set[str]) -> None:
    """Closes the boards of these cells, unless the page shows them: a deletion that was undone is named as well."""
    for board in list(live):
        if board.cell is not None and board.cell[0] in cells and not board.on_page:
            board.close()


def files_beside(board: Any) -> set[Path]:
    """The results files of the other boards."""
    others = [other for other in live if other is not board and other._ledger is not None]
    return {other._ledger.file.resolve() for other in others}


def must_be_free(file: Path | None, board: Any) -> None:
    """Two boards that write to one file would not know of each other's runs."""
    if file is not None and file.resolve() in files_beside(board):
        raise ParameterError(
            f"Another board writes to {file} already; close it with board.close(), or name another results file."
        )


@cache
def watch() -> None:
    """From now on a board whose cell is deleted is closed when one of the others is run.

    JupyterLab and Notebook 7 name the deleted cells when they ask for a cell to be run; other front ends do not, and
    nothing happens there.
    """
    from IPython import get_ipython

    def before_a_cell(_info: Any) -> None:
        close_deleted({str(name) for name in _asked().get("deletedCells", [])})

    shell = get_ipython()
    if shell is not None:
        shell.events.register("pre_run_cell", before_a_cell)


def _asked() -> dict[str, Any]:
    """What the front end said of the cell that is being run."""
    from IPython import get_ipython

    shell = get_ipython()
    parent = shell.get_parent() if shell is not None and hasattr(shell, "get_parent") else {}
    return dict((parent or {}).get("metadata") or {})
