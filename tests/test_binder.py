"""What Binder would do, done: its requirements in a fresh environment, postBuild, and a first Explorer by its start."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path

import pytest

from tools import fresh

pytestmark = pytest.mark.slow

INSTALLED = (
    "import json, sys, torch, degnn_explore as de; print(json.dumps([sys.prefix, de.__file__, torch.version.cuda]))"
)
FIRST = """
import json, degnn_explore as de
explorer = de.Explorer()
explorer.wait()
apart = [name for name, verdict in explorer.verdicts.items() if getattr(verdict, "different", False)]
print(json.dumps([explorer.targets, apart]))
"""


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with the environment; installing takes a minute of CPU, of which bytecode would be the half."""
    folder = tmp_path_factory.mktemp("binder")
    fresh.binder_environment(folder / "env", "--no-compile")
    return folder


def done(place: Path, command: list[str | Path], **more: str) -> str:
    """What a command prints in that environment."""
    variables = fresh.inside(place / "env" / "bin" / "python", place / "compiled") | more
    ended = subprocess.run(command, cwd=fresh.ROOT, env=variables, capture_output=True, text=True)
    assert ended.returncode == 0, ended.stdout + ended.stderr
    return ended.stdout


# Each of these has the suite's limit for itself, which the first shares with pip.


def test_its_requirements_install_without_cuda(place: Path) -> None:
    prefix, library, cuda = json.loads(done(place, ["python", "-c", INSTALLED]))
    assert Path(prefix) == place / "env"
    assert Path(library).parents[1] == fresh.ROOT  # -e .
    assert cuda is None


def test_it_is_warmed_when_it_is_built(place: Path) -> None:
    assert "Fig. 1(a)" in done(place, [fresh.ROOT / "binder" / "postBuild"])
    assert list((place / "compiled").rglob("*.nbc"))


def test_the_first_explorer_compiles_nothing(place: Path) -> None:
    said = done(place, [fresh.ROOT / "binder" / "start", "python", "-c", FIRST], NUMBA_DEBUG_CACHE="1")
    targets, apart = json.loads(said.splitlines()[-1])
    assert targets == [[2], [3]]
    assert {"DE-SPD", "2-WL"} <= set(apart)
    assert "data loaded from" in said  # compiled by postBuild,
    assert "data saved to" not in said  # all of it
