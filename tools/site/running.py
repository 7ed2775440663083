"""Executes notebooks, each once for its content and the library's: outputs and panels are kept in ``build/``."""

from __future__ import annotations

import hashlib
import os
import shutil
import tempfile
from functools import cache
from pathlib import Path
from typing import Any

import nbclient
import nbformat

ROOT = Path(__file__).resolve().parents[2]
CACHE = ROOT / "build" / "site-notebooks"
BEFORE = f"import sys\nsys.path.insert(0, {str(ROOT)!r})\nfrom tools.site import in_kernel\nin_kernel.watch()"


@cache
def _library() -> str:
    """A digest of all that a notebook's outputs depend on, beside the notebook itself."""
    digest = hashlib.sha256()
    here = Path(__file__)
    files = [path for folder in ("degnn_explore", "data") for path in sorted((ROOT / folder).rglob("*"))]
    for path in [*files, here, here.with_name("in_kernel.py")]:
        if path.is_file() and path.suffix not in (".pyc", ".nbi", ".nbc"):
            digest.update(str(path.relative_to(ROOT)).encode() + path.read_bytes())
    return digest.hexdigest()


def executed(path: Path, *, errors: bool = False) -> tuple[Any, Path]:
    """The notebook with its outputs, and the folder with its panels' pictures and pages; from the cache if it is there.

    With ``errors`` a cell that fails does not end it: the classroom's tests fail until a student has answered.
    """
    text = path.read_text(encoding="utf-8")
    kept = CACHE / f"{path.stem}-{hashlib.sha256((_library() + text).encode()).hexdigest()[:16]}"
    if not kept.exists():
        print(f"running {path.relative_to(ROOT)}", flush=True)
        for old in CACHE.glob(f"{path.stem}-*"):
            shutil.rmtree(old)
        CACHE.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory(dir=CACHE) as scratch:
            made = Path(scratch) / "made"
            made.mkdir()
            book = _run(nbformat.reads(text, as_version=4), Path(scratch), made, errors)
            nbformat.write(book, made / "book.ipynb")
            if not kept.exists():  # another build may have been quicker
                made.rename(kept)
    return nbformat.read(kept / "book.ipynb", as_version=4), kept


def _run(book: Any, scratch: Path, made: Path, errors: bool) -> Any:
    """Executes it in a kernel that knows no earlier runs and no graph that is not the project's own."""
    work = scratch / "work"
    work.mkdir()
    before = nbformat.v4.new_code_cell(BEFORE)
    after = nbformat.v4.new_code_cell(f"in_kernel.collect({str(made)!r})")
    book.cells = [before, *book.cells, after]
    own = {"PLOTLY_RENDERER": "plotly_mimetype", "DEGNN_RUNS": str(scratch / "runs"), "DEGNN_DATA": str(work)}
    own |= {"XDG_CACHE_HOME": str(scratch / "cache"), "PYTHONWARNINGS": "ignore"}
    client = nbclient.NotebookClient(
        book, timeout=1200, allow_errors=errors, store_widget_state=False, resources={"metadata": {"path": str(work)}}
    )
    client.execute(env={**os.environ, **own})
    for cell in (before, after):
        if any(output.output_type == "error" for output in cell.outputs):
            raise RuntimeError(f"The panels could not be collected: {cell.outputs}")
        book.cells.remove(cell)
    return book
