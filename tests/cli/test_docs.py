"""docs/shell.md: it names every command, and its examples run, in their order."""

from __future__ import annotations

import re
import shlex
import subprocess
from pathlib import Path

import pandas as pd

from tests.support.waiting import LONG

from .conftest import Shell
from .test_command import REQUIRED

PAGE = (Path(__file__).resolve().parents[2] / "docs" / "shell.md").read_text(encoding="utf-8")


def test_the_examples_run(shell: Shell) -> None:
    lines = [line for block in re.findall(r"```sh\n(.*?)```", PAGE, re.S) for line in block.splitlines()]
    assert lines and [name for name in REQUIRED if f"`{name}" not in PAGE] == []
    errors = ""
    for line in lines:
        if line.startswith("degnn-explore "):
            done = shell(*shlex.split(line)[1:])
            assert done.code == 0, line
            errors += done.err
        else:
            subprocess.run(["bash", "-c", line], check=True, timeout=LONG)
    assert pd.read_csv("scores.csv")[["from", "to"]].values.tolist() == [["ann", "dan"], ["bob", "fay"]]
    assert "Skipped 1 line without a valid target set, the first: 'bob, zoe'" in errors
