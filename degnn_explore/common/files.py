"""Files of ours: where the shipped data lies, and writing so that a reader never meets half a file."""

from __future__ import annotations

import contextlib
import csv
import os
import secrets
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import pandas

_PACKAGE = Path(__file__).resolve().parents[1]


def shipped(name: str) -> Path | None:
    """A file or folder that comes with the project: inside the package when installed, beside it in a checkout."""
    checkout = [_PACKAGE.parent / name] if (_PACKAGE.parent / "pyproject.toml").exists() else []
    places = (_PACKAGE / "_data" / name, _PACKAGE.parent / "data" / name, *checkout)
    return next((place for place in places if place.exists()), None)


def write_whole(path: Path, content: bytes) -> None:
    """Writes the file in one step: the old content is there or the new, never a part. OSError is the caller's."""
    scratch = path.with_name(f".{path.name}.{secrets.token_hex(4)}")
    try:
        with scratch.open("xb") as file:
            file.write(content)
            file.flush()
            os.fsync(file.fileno())
        os.replace(scratch, path)
    finally:
        with contextlib.suppress(OSError):
            scratch.unlink()


def csv_text(table: pandas.DataFrame, **options: Any) -> str:
    """The table as CSV; a text that a spreadsheet would run as a formula is written with a ' before it.

    >>> import pandas as pd
    >>> csv_text(pd.DataFrame({"name": ["=1+1", "a-b"], "change": [-1.5, 2.0]}), index=False)
    "name,change\\n'=1+1,-1.5\\na-b,2.0\\n"
    """
    quoting: Any = csv.QUOTE_MINIMAL  # which leaves a lone carriage return as it is, and that ends a row

    def shown(cell: Any) -> Any:
        nonlocal quoting
        if isinstance(cell, str) and "\r" in cell:
            quoting = csv.QUOTE_NONNUMERIC
        return f"'{cell}" if isinstance(cell, str) and cell.startswith(("=", "+", "-", "@", "\t", "\r", "\n")) else cell

    safe = table.rename(index=shown, columns=shown).map(shown)
    return str(safe.to_csv(lineterminator="\n", quoting=quoting, **options))


def readable_size(size: float) -> str:
    """A number of bytes for people, such as ``2.3 GB``."""
    size = min(size, 1e30)  # a whole number beyond it is no float any more
    for unit in ("bytes", "KB", "MB"):
        if size < 1000:
            return f"{size:.3g} {unit}"
        size /= 1000
    return f"{size:,.1f} GB"
