"""docs/shell.md: its examples run, in their order, and it says what the parser says."""

from __future__ import annotations

import re
import shlex
import subprocess
from pathlib import Path

import pandas as pd
import pytest

from degnn_explore.cli import main
from degnn_explore.cli.command import parser
from tests.support.waiting import LONG

PAGE = (Path(__file__).resolve().parents[2] / "docs" / "shell.md").read_text(encoding="utf-8")


def test_the_examples_run(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    lines = [line for block in re.findall(r"```sh\n(.*?)```", PAGE, re.S) for line in block.splitlines()]
    assert len(lines) == 5
    for line in lines:
        if line.startswith("degnn-explore "):
            assert main(shlex.split(line)[1:]) == 0, line
        else:
            subprocess.run(["bash", "-c", line], check=True, timeout=LONG)
    assert pd.read_csv("scores.csv")[["from", "to"]].values.tolist() == [["ann", "dan"], ["bob", "fay"]]
    assert "Skipped 1 line without a valid target set, the first: 'bob, zoe'" in capsys.readouterr().err


def test_every_command_and_exit_code_is_there() -> None:
    text = " ".join(parser().format_help().split())
    commands = re.findall(r"\{(.*?)\}", parser().format_usage())
    for command in commands[0].split(",") if commands else re.findall(r"^    (\w+) ", parser().format_help(), re.M):
        assert f"`{command}" in PAGE, command
    for code, words in (("2", "an input cannot be used"), ("3", "runs of a study failed")):
        assert f"| {code} | {words}" in PAGE
        assert f"{code} {words}" in text
