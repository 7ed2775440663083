"""Both panels, opened by node on a page without a browser, where tests click, type and read (``*.journey.mjs``)."""

from __future__ import annotations

from pathlib import Path

import pytest

from .records import environment
from .test_front_end import HERE, node


@pytest.mark.parametrize("panel", ["explorer", "board"])
def test_a_reader_in_a_panel(panel: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name, value in environment(tmp_path).items():
        monkeypatch.setenv(name, value)
    assert "fail 0" in node("--test", str(HERE / f"{panel}.journey.mjs"))
