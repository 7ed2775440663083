"""Installs this package with the lowest versions that pyproject.toml allows, in a folder of its own, and uses it.

    python -m tests.support.lowest [extra]

Without an extra: what the Explorer needs. It downloads, so it is no part of the suite.
"""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
import tomllib
from pathlib import Path

from packaging.requirements import Requirement

from tests.test_platforms import USED

ROOT = Path(__file__).parents[2]


def lowest(extra: str = "") -> list[str]:
    """The direct requirements, each at its lower bound."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    wanted = [
        Requirement(line) for line in [*project["dependencies"], *project["optional-dependencies"].get(extra, [])]
    ]
    bounds = {each.name: [spec.version for spec in each.specifier if spec.operator == ">="] for each in wanted}
    return [f"{name}=={versions[0]}" for name, versions in bounds.items() if versions]


def main(extra: str = "") -> None:
    with tempfile.TemporaryDirectory() as place:
        subprocess.run([sys.executable, "-m", "venv", f"{place}/lowest"], check=True)
        python, script = f"{place}/lowest/bin/python", Path(place, "used.py")
        subprocess.run([python, "-m", "pip", "install", "--quiet", *lowest(extra)], check=True)
        script.write_text(USED + ("de.fit, de.TrainingBoard\n" if extra else ""), encoding="utf-8")
        environment = os.environ | {"PYTHONPATH": str(ROOT), "NUMBA_CACHE_DIR": place}
        subprocess.run([python, script, place, "towns"], env=environment, check=True)
    print("used with " + ", ".join(lowest(extra)))


if __name__ == "__main__":
    main(*sys.argv[1:])
