"""Files are written whole or not at all; sizes and colors are what people read."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from degnn_explore.common import files
from degnn_explore.common.files import readable_size, shipped, write_whole
from degnn_explore.common.style import ACCENT, categorical, text_on


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
    assert (shipped("celegans/edges.csv") or Path()).is_file()
    assert shipped("celegans/no-such-file.csv") is None


@pytest.mark.parametrize(
    ("size", "text"),
    [(0, "0 bytes"), (999, "999 bytes"), (1000, "1 KB"), (1_234_567, "1.23 MB"), (1_234_567_890_123, "1,234.6 GB")],
)
def test_sizes_are_rounded_for_people(size: int, text: str) -> None:
    assert readable_size(size) == text


def test_colors_keep_clear_of_each_other_and_of_the_accent() -> None:
    assert categorical(6) == ["#0072b2", "#e69f00", "#009e73", "#cc79a7", "#56b4e9", "#f0e442"]
    assert len(set(categorical(18))) == 18
    assert categorical(19)[18] == categorical(1)[0]
    assert ACCENT not in categorical(18)
    assert [text_on(color) for color in ("#000000", "#ffffff", "#e69f00")] == ["#ffffff", "#16181d", "#16181d"]
