"""Files are written whole or not at all; what comes with the project is found, wherever it is installed."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import pandas as pd
import pytest

from degnn_explore.common import files
from degnn_explore.common.files import csv_text, shipped, write_whole


def test_a_file_is_on_the_disk_before_it_replaces_the_old_one(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path, steps = tmp_path / "runs.json", list[tuple[str, bytes]]()
    sync, replace = os.fsync, os.replace

    def on_disk(*_: Any) -> bytes:
        return b"".join(file.read_bytes() for file in tmp_path.iterdir() if file != path)

    monkeypatch.setattr(os, "fsync", lambda handle: (steps.append(("fsync", on_disk())), sync(handle)))
    monkeypatch.setattr(os, "replace", lambda *names: (steps.append(("replace", on_disk())), replace(*names)))
    for content in (b"old", b"new and longer", b""):
        write_whole(path, content)
        assert path.read_bytes() == content and os.listdir(tmp_path) == ["runs.json"]
        assert steps[-2:] == [("fsync", content), ("replace", content)]


@pytest.mark.parametrize("step", ["fsync", "replace"])
def test_a_write_that_fails_leaves_the_old_content(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, step: str) -> None:
    path = tmp_path / "runs.json"
    write_whole(path, b"old")

    def fails(*_: object) -> None:
        raise OSError("disk full")

    monkeypatch.setattr(os, step, fails)
    with pytest.raises(OSError, match="disk full"):
        write_whole(path, b"new")
    assert path.read_bytes() == b"old" and os.listdir(tmp_path) == ["runs.json"]


def test_shipped_files_are_those_of_the_package_then_of_the_checkout(tmp_path: Path, monkeypatch: Any) -> None:
    assert (shipped("celegans/edges.csv") or Path()).is_file() and (shipped("studies") or Path()).is_dir()
    package = tmp_path / "degnn_explore"
    monkeypatch.setattr(files, "PACKAGE", package)
    stranger, data, installed = tmp_path / "karate", tmp_path / "data" / "karate", package / "_data" / "karate"
    for place, expected in ((stranger, None), (tmp_path / "pyproject.toml", stranger), (data, data), (installed,) * 2):
        place.mkdir(parents=True)  # site-packages may hold a stranger's folder of that name
        assert shipped("karate") == expected


def test_a_table_has_the_same_bytes_on_every_system(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(os, "linesep", "\r\n")
    assert csv_text(pd.DataFrame({"a": [1, 2]}), index=False) == "a\n1\n2\n"
