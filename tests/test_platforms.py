"""Other machines: a terminal without Unicode, a folder that cannot be written to, no home, a path with an umlaut."""

from __future__ import annotations

import ctypes
import os
import shutil
import subprocess
import sys
from pathlib import Path

from tests.support.waiting import LONG

ROOT = Path(__file__).parents[1]

USE = """
import importlib, pkgutil, sys, degnn_explore as de
from pathlib import Path
folder, name = Path(sys.argv[1]), sys.argv[2]
file = folder / f"{name}.csv"
file.write_text("source,target\\nKöln,Zürich\\nZürich,São Paulo\\n", encoding="utf-8")
G = de.read_graph(file)
assert G.names == ("Köln", "Zürich", "São Paulo") and G.title == name
explorer = de.Explorer((G, ["Köln"]), (G, ["Zürich"]))
explorer.wait()
assert explorer.verdicts["DE-SPD"].different and explorer.error == {}
assert explorer.page(folder / f"{name}.html").stat().st_size > 10_000 and "Zürich" in explorer.svg()
assert de.load("celegans").num_edges == 2148
print(Path(de.__file__).parent)
"""
IMPORT_ALL = """
for module in pkgutil.walk_packages(de.__path__, "degnn_explore."):
    if not module.name.endswith("__main__"):
        importlib.import_module(module.name)
for name in de.__all__:
    getattr(de, name)
"""
TRAIN = """
task = de.link_task(de.load("karate"))
assert [epoch.number for epoch in de.fit(de.build("DE-GNN-SPD", task), task, epochs=2, progress=False)] == [1, 2]
"""


def run(code: str, folder: Path, name: str, cwd: Path, environment: dict[str, str], **more: object) -> str:
    script = folder / "used.py"
    script.write_text(code, encoding="utf-8")
    command = [sys.executable, script, folder, name]
    done = subprocess.run(command, cwd=cwd, env=environment, capture_output=True, timeout=LONG, **more)  # type: ignore[call-overload]
    assert done.returncode == 0, done.stderr.decode(errors="replace")
    return os.fsdecode(done.stdout).strip()


def test_a_terminal_without_unicode_can_import_everything_and_open_the_explorer(tmp_path: Path) -> None:
    plain = {"LC_ALL": "C", "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0", "PYTHONPATH": str(ROOT)}
    run(USE + IMPORT_ALL, tmp_path, "towns", ROOT, os.environ | plain)


def obey_permissions() -> None:
    """For root, too: CAP_DAC_OVERRIDE, which lets root write anywhere, is not passed on (Linux)."""
    if os.geteuid() == 0:
        ctypes.CDLL(None).prctl(24, 1, 0, 0, 0)


def test_a_folder_that_cannot_be_written_to_with_a_space_and_an_umlaut_and_no_home(tmp_path: Path) -> None:
    place = tmp_path / "Prüfung 1" / "degnn explore"
    shutil.copytree(ROOT / "degnn_explore", place / "degnn_explore", ignore=shutil.ignore_patterns("__pycache__"))
    shutil.copytree(ROOT / "data", place / "data")
    written = tmp_path / "written here"
    written.mkdir()
    for folder, _, _ in os.walk(place):
        os.chmod(folder, 0o555)
    homeless = {name: value for name, value in os.environ.items() if not name.startswith(("HOME", "XDG", "NUMBA"))}
    try:
        used = run(USE, written, "städte", place, homeless | {"PYTHONPATH": str(place)}, preexec_fn=obey_permissions)
        assert used == str(place / "degnn_explore")
        assert not list(place.rglob("__pycache__"))
    finally:
        for folder, _, _ in os.walk(place):
            os.chmod(folder, 0o755)
