"""Runs the own tests of canvas.js, late.js, strip.js, subtree.js and why.js with node."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import pytest

from tools.waiting import LONG


@pytest.mark.parametrize("name", ["canvas", "late", "subtree", "why"])
def test_the_logic_of_a_widget_in_node(name: str) -> None:
    node = shutil.which("node")
    if node is None:
        pytest.skip("no node on PATH: install Node.js 20 to test widgets without a browser")
    done = subprocess.run(
        [node, "--test", str(Path(__file__).with_name(f"{name}.test.mjs"))],
        capture_output=True,
        text=True,
        timeout=LONG,
    )
    assert done.returncode == 0, done.stdout[-4000:] + done.stderr[-2000:]
    assert "# fail 0" in done.stdout or "fail 0" in done.stdout
