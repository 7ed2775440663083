"""What Binder would do, done: its requirements in a fresh environment, postBuild, and a first Explorer by its start."""

from __future__ import annotations

import json
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from tools import fresh

FIRST = """
import json, sys, degnn_explore as de
explorer = de.Explorer()
explorer.wait()
apart = [name for name, verdict in explorer.verdicts.items() if getattr(verdict, "different", False)]
import torch
print(json.dumps([sys.prefix, de.__file__, explorer.targets, apart, torch.version.cuda]))
"""


@pytest.mark.slow
def test_its_requirements_install_and_the_first_explorer_compiles_nothing(
    tmp_path: Path, record_property: Callable[[str, int], None]
) -> None:
    python = fresh.binder_environment(tmp_path / "env")
    environment = fresh.inside(python, tmp_path / "compiled")
    built = subprocess.run(
        [fresh.ROOT / "binder" / "postBuild"], cwd=fresh.ROOT, env=environment, capture_output=True, text=True
    )
    assert built.returncode == 0, built.stdout + built.stderr
    started = subprocess.run(
        [fresh.ROOT / "binder" / "start", "python", "-c", FIRST],
        cwd=tmp_path,
        env=environment | {"NUMBA_DEBUG_CACHE": "1"},
        capture_output=True,
        text=True,
    )
    assert started.returncode == 0, started.stderr
    prefix, library, targets, apart, cuda = json.loads(started.stdout.splitlines()[-1])
    assert Path(prefix) == tmp_path / "env"
    assert Path(library).parents[1] == fresh.ROOT  # -e .
    assert (targets, cuda) == ([[2], [3]], None)
    assert {"DE-SPD", "2-WL"} <= set(apart)
    assert "data loaded from" in started.stdout  # compiled by postBuild,
    assert "data saved to" not in started.stdout  # all of it
    record_property("MB of Binder's environment", fresh.megabytes(tmp_path / "env"))
