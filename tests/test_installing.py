"""The wheel in an environment that has what it asks for and nothing else: the Explorer without extras, then a fit.

Nothing is downloaded: the packages that the wheel requires are linked from this environment.
"""

from __future__ import annotations

import importlib.metadata
import os
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest
from packaging.requirements import Requirement

from tests.support.waiting import LONG

ROOT = Path(__file__).parents[1]
SHIPPED = (".py", ".pyi", ".typed", ".js", ".css", ".toml")

EXPLORE = """
import importlib.util, degnn_explore as de
explorer = de.Explorer(preset="fig1")
explorer.wait()
print(de.__file__)
print(explorer.verdicts["DE-SPD"].different, de.load("celegans").num_edges, de.theory.corollary_3_8.__name__)
print([name for name in ("torch", "jupyterlab", "pydantic", "loky") if importlib.util.find_spec(name)])
for use in (lambda: de.fit, lambda: de.TrainingBoard, lambda: de.load("karate").to_pyg()):
    try:
        use()
    except ImportError as error:
        print(error)
"""
FIT = """
import importlib.util, degnn_explore as de
task = de.link_task(de.load("karate"))
model = de.build("DE-GNN-SPD", task, hidden=4, layers=1)
print([epoch.number for epoch in de.fit(model, task, epochs=2, device="cpu", progress=False)])
print([name for name in ("jupyterlab", "voila", "dask") if importlib.util.find_spec(name)])
try:
    de.study(graphs=["karate"], models=["GCN"], seeds=1).run(workers="tcp://127.0.0.1:1")
except de.ParameterError as error:
    print(error)
"""


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("wheel")
    pip = "-m pip wheel . --no-deps --no-build-isolation --quiet --wheel-dir".split()
    subprocess.run([sys.executable, *pip, str(folder)], cwd=ROOT, check=True, timeout=LONG)
    return next(folder.glob("*.whl"))


def required(wheel: Path, extra: str) -> set[str]:
    """All that pip would install for the wheel, or for the wheel with an extra."""
    with zipfile.ZipFile(wheel) as archive:
        metadata = next(name for name in archive.namelist() if name.endswith(".dist-info/METADATA"))
        lines = archive.read(metadata).decode().partition("\n\n")[0].splitlines()
    waiting = [(line.removeprefix("Requires-Dist: "), extra) for line in lines if line.startswith("Requires-Dist: ")]
    names: set[str] = set()
    while waiting:
        text, extra = waiting.pop()
        requirement = Requirement(text)
        if requirement.marker is not None and not requirement.marker.evaluate({"extra": extra}):
            continue
        if requirement.name in names:
            continue
        names.add(requirement.name)
        inner = importlib.metadata.requires(requirement.name) or []
        waiting += [(line, more) for line in inner for more in ("", *requirement.extras)]
    return names


def environment(folder: Path, wheel: Path, extra: str = "") -> Path:
    """A virtual environment with the wheel and what it requires; returns its Python."""
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", folder], check=True, timeout=LONG)
    packages = next(folder.glob("lib/python*/site-packages"))
    with zipfile.ZipFile(wheel) as archive:
        archive.extractall(packages)
    for name in required(wheel, extra):
        distribution = importlib.metadata.distribution(name)
        for top in {file.parts[0] for file in distribution.files or []} - {"..", "__pycache__"}:
            if not (packages / top).exists():
                (packages / top).symlink_to(str(distribution.locate_file(top)))
    return folder / "bin" / "python"


def printed(python: Path, code: str, folder: Path, **more: str) -> list[str]:
    variables = {name: value for name, value in os.environ.items() if not name.startswith("PYTHON")}
    variables |= {"DEGNN_RUNS": str(folder), **more}
    done = subprocess.run([python, "-c", code], cwd=folder, env=variables, capture_output=True, text=True, timeout=LONG)
    assert done.returncode == 0, done.stderr
    return done.stdout.splitlines()


def test_the_wheel_alone_opens_an_explorer_and_names_the_extra_for_training(wheel: Path, tmp_path: Path) -> None:
    python = environment(tmp_path / "light", wheel)
    library, computed, heavy, *missing = printed(python, EXPLORE, tmp_path, NUMBA_CACHE_DIR=str(tmp_path))
    package = Path(library).parent
    assert package.is_relative_to(tmp_path / "light")
    assert computed == "True 2148 corollary_3_8"
    assert heavy == "[]"
    for what, said in zip(("de.fit", "de.TrainingBoard", "to_pyg"), missing, strict=True):
        assert said.startswith(f"{what} needs ")
        assert said.endswith(", which is not installed: pip install 'degnn_explore[train]'")
    sources = {p.relative_to(ROOT) for p in (ROOT / "degnn_explore").rglob("*") if p.suffix in SHIPPED}
    assert [str(path) for path in sources if not (package.parent / path).exists()] == []


def test_with_the_extra_train_it_fits_a_model_and_names_the_extra_for_clusters(wheel: Path, tmp_path: Path) -> None:
    python = environment(tmp_path / "train", wheel, "train")
    # The library of this folder, which is compiled already; all else is what the extra asks for.
    epochs, heavy, cluster = printed(python, FIT, tmp_path, PYTHONPATH=str(ROOT))
    assert epochs == "[1, 2]"
    assert heavy == "[]"
    assert "pip install 'degnn_explore[cluster]'" in cluster
