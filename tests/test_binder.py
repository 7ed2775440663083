"""What Binder does: its requirements name what there is, and postBuild's commands run.

``benchmarks/binder_start.py`` makes the whole environment and starts it; that takes minutes.
"""

from __future__ import annotations

import re
import subprocess
import sys
import tomllib
from pathlib import Path

from tests.support import fresh
from tests.support.waiting import LONG


def test_its_requirements_name_what_there_is() -> None:
    lines = [line for line in fresh.REQUIREMENTS.read_text(encoding="utf-8").splitlines() if not line.startswith("#")]
    assert lines[:2] == ["--extra-index-url https://download.pytorch.org/whl/cpu", "-c ../constraints.txt"]
    project = tomllib.loads((fresh.ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    for line in lines[2:]:
        extras = re.fullmatch(r"-e \.(?:\[([\w,]+)\])?", line)
        assert extras, line
        assert set((extras[1] or "dev").split(",")) <= set(project["optional-dependencies"])


def test_what_a_visitor_does_first_is_compiled_when_the_image_is_built() -> None:
    lines = (fresh.ROOT / "binder" / "postBuild").read_text(encoding="utf-8").splitlines()
    commands = [line.split()[1:] for line in lines if line.startswith("python ")]
    assert ["binder/warm.py"] in commands
    for command in commands:
        done = subprocess.run([sys.executable, *command], cwd=fresh.ROOT, capture_output=True, text=True)
        assert done.returncode == 0, done.stderr
    assert "Fig. 1(a)" in done.stdout and "SEAL" in done.stdout


def test_the_image_can_be_planned_and_starts_with_pinned_threads() -> None:
    tool = Path(sys.executable).with_name("jupyter-repo2docker")
    command = [tool, "--no-run", "--no-build", "--debug", "."]
    done = subprocess.run(command, cwd=fresh.ROOT, capture_output=True, text=True, timeout=LONG)
    plan = done.stdout + done.stderr
    assert done.returncode == 0, plan
    for line in ("python=3.11", 'install --no-cache-dir -r "binder/requirements.txt"', "./binder/postBuild", "/start"):
        assert line in plan
    echo = [fresh.ROOT / "binder" / "start", "printenv", "OMP_NUM_THREADS", "NUMBA_NUM_THREADS", "NUMBA_CPU_NAME"]
    started = subprocess.run(echo, capture_output=True, text=True, timeout=LONG, check=True)
    assert started.stdout.split() == ["1", "2", "generic"]
    assert "NUMBA_CPU_NAME=generic" in (fresh.ROOT / "binder" / "postBuild").read_text(encoding="utf-8")
