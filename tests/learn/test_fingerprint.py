"""A fingerprint follows what code does: not its docstring, its comments or where it stands."""

from __future__ import annotations

import importlib
from pathlib import Path
from typing import Any

import pytest

from degnn_explore.learn.fingerprint import fingerprint, is_installed

SOURCE = '''
FACTOR = 2

def helper(x):
    return x * FACTOR

class Model:
    """Doubles."""
    width = 3

    def forward(self, x, bias=1):
        """Add the bias."""
        return helper(x) + bias
'''


def mark(source: str) -> str:
    scope: dict[str, Any] = {"__name__": "written_by_a_user"}
    exec(compile(source, "<cell>", "exec"), scope)
    return fingerprint(scope["Model"])


def test_docstrings_comments_and_lines_do_not_count() -> None:
    same = SOURCE.replace("Doubles.", "Doubles a number.").replace("Add the bias.", "Something else.")
    same = "# a comment\n\n" + same.replace("return helper", "# and one more\n        return helper")
    assert mark(same) == mark(SOURCE)


def test_code_defaults_attributes_and_what_is_called_count() -> None:
    changes = {"+ bias": "- bias", "bias=1": "bias=2", "width = 3": "width = 4", "x * FACTOR": "x ** FACTOR"}
    changes |= {"FACTOR = 2": "FACTOR = 3"}
    marks = [mark(SOURCE.replace(old, new)) for old, new in changes.items()]
    assert len({mark(SOURCE), *marks}) == 1 + len(changes)


def test_a_library_counts_by_name_wherever_it_is_installed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    place = tmp_path / "lib" / "dist-packages"
    place.mkdir(parents=True)
    (place / "borrowed_library.py").write_text("", encoding="utf-8")
    (tmp_path / "lib" / "script_of_a_user.py").write_text("", encoding="utf-8")
    for folder in (place, place.parent):
        monkeypatch.syspath_prepend(folder)
    for name in ("borrowed_library", "script_of_a_user"):
        importlib.import_module(name)
    assert is_installed("borrowed_library") and not is_installed("script_of_a_user")
