"""Files are written whole or not at all; tables are the same on every system."""

from __future__ import annotations

import os
from pathlib import Path

import pandas as pd
import pytest

from degnn_explore.common import files
from degnn_explore.common.files import csv_text, shipped, write_whole


def test_a_file_is_replaced_in_one_step_and_nothing_else_is_left(tmp_path: Path) -> None:
    path = tmp_path / "runs.json"
    for content in (b"old", b"new and longer", b""):
        write_whole(path, content)
        assert path.read_bytes() == content
        assert os.listdir(tmp_path) == ["runs.json"]


@pytest.mark.parametrize("step", ["fsync", "replace"])
def test_a_write_that_fails_leaves_the_old_content(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, step: str) -> None:
    path = tmp_path / "runs.json"
    write_whole(path, b"old")

    def fails(*_: object) -> None:
        raise OSError("disk full")

    monkeypatch.setattr(files.os, step, fails)
    with pytest.raises(OSError, match="disk full"):
        write_whole(path, b"new")
    assert path.read_bytes() == b"old"
    assert os.listdir(tmp_path) == ["runs.json"]


def test_shipped_files_are_found_and_others_are_none() -> None:
    assert (shipped("celegans/edges.csv") or Path()).is_file() and (shipped("studies") or Path()).is_dir()
    assert shipped("celegans/no-such-file.csv") is None


def test_a_table_has_the_same_bytes_on_every_system(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(os, "linesep", "\r\n")
    assert csv_text(pd.DataFrame({"a": [1, 2]}), index=False) == "a\n1\n2\n"
