"""The command as a person at a shell uses it, in an empty folder; and a small model, trained by the command itself."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple
from unittest.mock import Mock

import pytest

from degnn_explore.cli import command, main


class Done(NamedTuple):
    """What a command answered."""

    code: int
    out: str
    err: str


Shell = Callable[..., Done]


@pytest.fixture
def shell(folder: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> Shell:
    """Runs ``degnn-explore`` with these arguments; no page is served."""
    monkeypatch.setattr(command, "serve", Mock(side_effect=AssertionError("a page was served")))

    def run(*arguments: object) -> Done:
        capsys.readouterr()
        try:
            code = main([str(argument) for argument in arguments])
        except SystemExit as end:  # by argparse
            code = int(end.code or 0)
        return Done(code, *capsys.readouterr())

    return run


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty folder, and the current one."""
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.fixture(scope="session")
def model_file(tmp_path_factory: pytest.TempPathFactory) -> str:
    """A DE-GNN-SPD of pairs, two epochs on the karate club."""
    file = tmp_path_factory.mktemp("model") / "spd.safetensors"
    assert main(["train", "karate", "--epochs", "2", "--set", "hidden=8", "--out", str(file), "--quiet"]) == 0
    return str(file)


def write(name: str, content: str) -> str:
    Path(name).write_text(content, encoding="utf-8")
    return name
