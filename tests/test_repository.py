"""The repository as a stranger finds it: fast import, documented names, one set of versions, files that are true."""

from __future__ import annotations

import dataclasses
import doctest
import inspect
import json
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest
import yaml

import degnn_explore as de
from tests.support.waiting import LONG

ROOT = Path(__file__).parents[1]
NOTEBOOKS = sorted((ROOT / "notebooks").glob("*.ipynb"))
LESSONS = sorted([*ROOT.glob("notebooks/classroom/*.ipynb"), *ROOT.glob("teaching/source/*/*.ipynb")])
PAGES = [*NOTEBOOKS, *LESSONS, *ROOT.glob("*.md"), *ROOT.glob("docs/*.md"), *ROOT.glob("data/*/*.md")]

ONLY_IMPORTED = """
before = set(sys.modules)
import degnn_explore
loaded = {name.partition(".")[0] for name in set(sys.modules) - before}
print(sorted(loaded - sys.stdlib_module_names), sorted(n for n in sys.modules if n.startswith("degnn_explore.")))
"""
ANSWERED = """
import degnn_explore as de
G = de.load("karate")
de.SPD(3).encode(G, {0, 33})
de.distinguish((G, {0}), (G, {33}))
de.unroll(G, 0, 2, S={0}, merge=True)
print([m for m in ("torch", "ipywidgets", "anywidget", "plotly", "pyvis") if m in sys.modules])
"""
TRAINED = """
import degnn_explore as de
task = de.link_task(de.load("karate"))
for optimizer in ("adam", "sgd"):
    list(de.fit(de.build("DEA-GNN-SPD", task), task, epochs=1, optimizer=optimizer, device="cpu", progress=False))
print("torch._dynamo" in sys.modules)
"""
BENCHMARKS = ", ".join(sorted(path.stem for path in (ROOT / "benchmarks").glob("[!_]*.py")))


@pytest.mark.parametrize(
    ("code", "printed"),
    [
        (ONLY_IMPORTED, "['degnn_explore', 'lazy_loader'] []"),  # so it takes as long as a few files of Python do
        (ANSWERED, "[]"),  # exact answers need neither torch nor widgets
        (TRAINED, "False"),  # torch's compiler would take a second of each new worker
        (f"sys.path.insert(0, 'benchmarks'); import {BENCHMARKS}", ""),  # benchmarks use names that exist
    ],
)
def test_a_new_process_loads_what_it_needs(code: str, printed: str) -> None:
    command = [sys.executable, "-c", f"import sys\n{code}"]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=LONG)
    assert (done.returncode, done.stdout.strip()) == (0, printed), done.stderr


@pytest.mark.parametrize("name", de.__all__)
def test_public_name_is_documented_with_an_example(name: str) -> None:
    value = getattr(de, name)
    doc = inspect.getdoc(value) or ""
    assert doc
    if not inspect.ismodule(value) and not (inspect.isclass(value) and issubclass(value, Exception)):
        assert ">>> " in doc.partition("Examples\n--------\n")[2]


def test_public_records_cannot_be_changed() -> None:
    records = [getattr(de, name) for name in de.__all__]
    records += [de.theory.Result, de.theory.RandomNetwork, type(de.check(1, 1))]
    records = [it for it in records if isinstance(it, type) and dataclasses.is_dataclass(it)]
    assert len(records) > 20
    assert [it for it in records if not it.__dataclass_params__.frozen] == []


USER_SCRIPT = """
import degnn_explore as de

G = de.load("karate")
task = de.link_task(G)
model = de.build("DE-GNN-SPD", task)
reveal_type(G)
reveal_type([epoch.loss for epoch in de.fit(model, task)])
reveal_type(de.predict(model, G, [{3, 9}]))
reveal_type(de.distinguish((G, 0), (G, 1)).layer)
reveal_type(de.zoo.rook(4))
de.SPD(max_distance=3)
"""


def test_types_reach_the_user(tmp_path: Path) -> None:
    script = tmp_path / "script.py"
    script.write_text(USER_SCRIPT + "".join(f"reveal_type(de.{name})\n" for name in de.__all__), encoding="utf-8")
    command = [sys.executable, "-m", "mypy", "--config-file", str(ROOT / "pyproject.toml")]
    command += ["--cache-dir", str(ROOT / ".mypy_cache"), str(script)]  # warm after `make lint`
    environment = {**os.environ, "MYPYPATH": str(ROOT)}
    done = subprocess.run(command, cwd=tmp_path, env=environment, capture_output=True, text=True, timeout=600)
    revealed = re.findall(r'Revealed type is "(.*)"', done.stdout)
    graph, array = "degnn_explore.graphs.graph.Graph", "numpy.ndarray[tuple[Any, ...], numpy.dtype[numpy.float64]]"
    assert revealed[:5] == [graph, "list[float]", array, "int | None", graph], done.stdout + done.stderr
    assert len(revealed) == 5 + len(de.__all__)
    assert not [type for type in revealed if type in ("Any", "builtins.object")]
    assert 'Unexpected keyword argument "max_distance" for "SPD"; did you mean "max_dist"?' in done.stdout


def test_an_unknown_name_is_an_attribute_error_that_names_the_nearest() -> None:
    with pytest.raises(AttributeError, match=r"'Explorr'\. Did you mean 'Explorer'\?"):
        _ = de.Explorr
    assert not hasattr(de, "nonsense")
    assert {"Explorer", "zoo", "theory"} <= set(dir(de))


def test_the_citation_names_this_version_and_constraints_pin_exact_ones() -> None:
    citation = yaml.safe_load((ROOT / "CITATION.cff").read_text(encoding="utf-8"))
    assert citation["version"] == de.__version__ and citation["preferred-citation"]["year"] == 2020
    lines = (ROOT / "constraints.txt").read_text(encoding="utf-8").splitlines()
    pins = [line for line in lines if not line.startswith("#")]
    assert pins and all(re.fullmatch(r"[A-Za-z0-9._-]+==[0-9][A-Za-z0-9.]*", pin) for pin in pins)


@pytest.mark.parametrize("notebook", [*NOTEBOOKS, *LESSONS], ids=lambda path: path.stem)
def test_notebooks_are_stored_without_outputs_and_use_public_names_in_short_cells(notebook: Path) -> None:
    cells = [cell for cell in json.loads(notebook.read_text(encoding="utf-8"))["cells"] if cell["cell_type"] == "code"]
    sources = ["".join(cell["source"]) for cell in cells]
    assert not any(cell["outputs"] or cell["execution_count"] for cell in cells)
    assert max(len(source.splitlines()) for source in sources) <= 12
    code = "\n".join(sources)
    assert not re.search(r"(from|import) degnn_explore\.", code)
    assert set(re.findall(r"\bde\.(\w+)", code)) <= {*de.__all__, "__version__"}


def links(path: Path) -> list[str]:
    text = path.read_text(encoding="utf-8")
    if path.suffix == ".ipynb":
        text = "\n".join("".join(cell["source"]) for cell in json.loads(text)["cells"])
    found = re.findall(r"\]\(([^)#\s]+)(?:#[^)]*)?\)", text)
    return [link for link in found if not link.startswith(("http:", "https:", "mailto:"))]


@pytest.mark.parametrize("page", PAGES, ids=lambda path: str(path.relative_to(ROOT)))
def test_links_lead_to_files(page: Path) -> None:
    folder = ROOT / "notebooks" / "classroom" if "teaching" in page.parts else page.parent  # where students read it
    assert [link for link in links(page) if not (folder / link).exists()] == []


def test_every_notebook_is_linked_from_the_start_and_the_readme() -> None:
    start = ROOT / "notebooks" / "00_start_here.ipynb"
    assert {Path(link).name for link in links(ROOT / "README.md")} >= {path.name for path in NOTEBOOKS}
    assert {Path(link).name for link in links(start)} >= {path.name for path in NOTEBOOKS} - {start.name}


@pytest.mark.parametrize("page", ["CONTRIBUTING.md", "docs/architecture.md"])
def test_maps_name_modules_that_exist(page: str) -> None:
    named = re.findall(r"`([a-z_]+/[a-z_/]*(?:\.py|\.js)?)`", (ROOT / page).read_text(encoding="utf-8"))
    assert len(named) > 10
    assert [path for path in named if not any((base / path).exists() for base in (ROOT, ROOT / "degnn_explore"))] == []


def test_readme_examples_give_what_they_show() -> None:
    blocks = re.findall(r"```python\n(.*?)```", (ROOT / "README.md").read_text(encoding="utf-8"), flags=re.DOTALL)
    example = doctest.DocTestParser().get_doctest("\n".join(blocks), {}, "README", "README.md", 0)
    assert len(example.examples) >= 3
    assert doctest.DocTestRunner(optionflags=doctest.ELLIPSIS).run(example).failed == 0


@pytest.mark.parametrize("ci", ["", "true"])
def test_what_a_missing_program_leaves_untested_is_said_at_the_very_end_and_fails_ci(ci: str) -> None:
    environment = {name: value for name, value in os.environ.items() if not name.startswith("PYTEST")}
    environment |= {"PATH": str(Path(sys.executable).parent), "PLAYWRIGHT_BROWSERS_PATH": "/nowhere", "CI": ci}
    tests = ["tests/views/browser/test_marimo.py", "tests/views/js/test_front_end.py"]
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", *tests]
    done = subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, text=True, timeout=LONG)
    assert done.returncode == (1 if ci else 0), done.stdout + done.stderr
    assert "no Chromium found" in done.stdout and "no node on PATH" in done.stdout
    last = [line.partition(" (")[0] for line in done.stdout.splitlines()[-2:]]
    untested = ("the Explorer and the Training Board in a browser", "the drawing logic in JavaScript")
    assert ci or last == [f"NOT TESTED: {what}" for what in untested]
