"""Runs canvas.js's own tests with node."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import pytest


def test_canvas_logic_in_node() -> None:
    node = shutil.which("node")
    if node is None:
        pytest.skip("no node on PATH: install Node.js 20 to test canvas.js without a browser")
    done = subprocess.run(
        [node, "--test", str(Path(__file__).with_name("canvas.test.mjs"))], capture_output=True, text=True, timeout=60
    )
    assert done.returncode == 0, done.stdout[-4000:] + done.stderr[-2000:]
    assert "# fail 0" in done.stdout or "fail 0" in done.stdout
