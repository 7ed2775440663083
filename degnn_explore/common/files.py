"""Find the data that comes with the project, and write files that no reader ever sees half-written."""

from __future__ import annotations

import contextlib
import os
import secrets
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import pandas

PACKAGE = Path(__file__).resolve().parents[1]


def shipped(name: str) -> Path | None:
    """A file or folder that comes with the project: inside the package when installed, next to it in a checkout."""
    checkout = [PACKAGE.parent / name] if (PACKAGE.parent / "pyproject.toml").exists() else []
    places = (PACKAGE / "_data" / name, PACKAGE.parent / "data" / name, *checkout)
    return next((place for place in places if place.exists()), None)


def write_whole(path: Path, content: bytes) -> None:
    """Write the file in one step: readers see the old content or the new, never a part. May raise OSError."""
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
    """The table as CSV, the same on every system."""
    return str(table.to_csv(lineterminator="\n", **options))


def readable_size(size: float) -> str:
    """A number of bytes in words, such as ``2.3 GB``."""
    size = min(size, 1e30)  # larger integers may not fit a float
    for unit in ("bytes", "KB", "MB"):
        if size < 1000:
            return f"{size:.3g} {unit}"
        size /= 1000
    return f"{size:,.1f} GB"
