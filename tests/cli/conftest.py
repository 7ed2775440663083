"""A small model, trained by the command itself."""

from __future__ import annotations

from pathlib import Path

import pytest

from degnn_explore.cli import main


@pytest.fixture(scope="session")
def model_file(tmp_path_factory: pytest.TempPathFactory) -> str:
    """A DE-GNN-SPD of pairs, two epochs on the karate club."""
    file = tmp_path_factory.mktemp("model") / "spd.safetensors"
    assert main(["train", "karate", "--epochs", "2", "--set", "hidden=8", "--out", str(file), "--quiet"]) == 0
    return str(file)


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty folder, and the current one."""
    monkeypatch.chdir(tmp_path)
    return tmp_path
