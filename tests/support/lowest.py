"""Installs the lowest versions that pyproject.toml allows, in a folder of its own, and uses the package with them.

    python -m tests.support.lowest

It imports everything, opens the Explorer and trains a model. It downloads about 300 MB, so it is no part of the suite.
Torch is the tested version: older ones bring gigabytes of CUDA libraries along.
"""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
import tomllib
from pathlib import Path

from packaging.requirements import Requirement

from tests.test_platforms import IMPORT_ALL, TRAIN, USE

ROOT = Path(__file__).parents[2]
EXTRAS = ("train", "cluster", "app", "lab")


def lowest() -> list[str]:
    """What the package and its extras for users require, each at its lower bound."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    lines = [*project["dependencies"], *(line for name in EXTRAS for line in project["optional-dependencies"][name])]
    found = {}
    for requirement in map(Requirement, lines):
        bounds = [each.version for each in requirement.specifier if each.operator == ">="]
        if bounds:
            found[requirement.name] = f"{requirement.name}=={bounds[0]}"
    tested = (ROOT / "constraints.txt").read_text(encoding="utf-8").splitlines()
    found["torch"] = next(line for line in tested if line.startswith("torch=="))
    return list(found.values())


def main() -> None:
    with tempfile.TemporaryDirectory() as place:
        subprocess.run([sys.executable, "-m", "venv", f"{place}/lowest"], check=True)
        python, script = f"{place}/lowest/bin/python", Path(place, "used.py")
        subprocess.run([python, "-m", "pip", "install", "--quiet", *lowest()], check=True)
        script.write_text(USE + IMPORT_ALL + TRAIN, encoding="utf-8")
        environment = os.environ | {"PYTHONPATH": str(ROOT), "NUMBA_CACHE_DIR": place}
        subprocess.run([python, script, place, "towns"], env=environment, check=True)
    print("used with " + ", ".join(lowest()))


if __name__ == "__main__":
    main()
