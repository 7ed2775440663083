"""``degnn-explore reproduce``: each option changes what is run, printed or written."""

from __future__ import annotations

import re
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace

import pytest

import degnn_explore as de

from .conftest import Shell, write

STUDY = """
title = "small"
models = ["Adamic-Adar", "shortest path"]
seeds = 2
[[columns]]
graph = "karate"
task = "links"
"""
SMALL = ["reproduce", "small.toml", "--store", "store", "--workers", "1"]


@pytest.fixture(autouse=True)
def _small(folder: Path) -> None:
    write("small.toml", STUDY)


def test_it_runs_prints_the_table_and_writes_results(shell: Shell) -> None:
    done = shell(*SMALL, "--minutes", "1e-9")
    assert done.code == 0 and re.search("[1-4] left", done.out)
    done = shell(*SMALL, "--results", "small.csv")
    assert done.code == 0 and "karate links (auc, %)" in done.out and "4 runs done, all" in done.out
    assert re.search(r"small: 100%\|.*4 runs done, all", done.err) and "Results are in small.csv" in done.err
    assert done.err.count("\r") < 4  # a log has few lines
    assert len(Path("small.csv").read_text(encoding="utf-8").splitlines()) == 5
    assert re.search(r"Adamic-Adar +\d\d\.\d ± .* 2 ", done.out)
    elsewhere = ["reproduce", "small.toml", "--store", "elsewhere", "--show"]
    assert "4 runs done, all" in shell(*elsewhere, "--results", "small.csv").out
    assert "0 runs done, 4 left" in shell(*elsewhere).out
    assert shell(*SMALL, "--quiet").err == ""


MORE = """
[[columns]]
graph = "karate"
task = "triangles"
models = ["Katz"]
seeds = 1
[[columns]]
graph = "florentine"
task = "links"
models = ["Katz"]
seeds = 1
"""


@pytest.mark.parametrize(
    ("options", "left"),
    [
        ("", 6),
        ("--models Adamic-Adar Katz", 4),
        ("--seeds 1", 4),
        ("--datasets karate", 5),
        ("--datasets florentine karate", 6),
        ("--tasks triangles", 1),
        ("--tasks triangles links --seeds 1", 4),
    ],
)
def test_a_part_of_a_study(shell: Shell, options: str, left: int) -> None:
    write("small.toml", STUDY + MORE)
    done = shell(*SMALL, "--show", *options.split())
    assert done.code == 0 and f"0 runs done, {left} left" in done.out


def test_ctrl_c_has_its_own_exit_code(shell: Shell, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(de.Study, "run", lambda *_, **__: SimpleNamespace(interrupted=True))
    done = shell(*SMALL, "--results", "small.csv")
    assert done.code == 130 and "4 left" in done.out and Path("small.csv").exists()


def test_failed_runs_are_named_and_tried_again_if_asked(shell: Shell) -> None:
    write("small.toml", STUDY.replace("seeds = 2", "seeds = 3"))
    assert shell(*SMALL, "--quiet").code == 0
    runs, store = de.Store("store").runs(), de.Store("other")
    store.put(*(replace(run, status="failed", error=f"boom\nwhy {run.seed}\n") for run in runs))
    other = ["reproduce", "small.toml", "--store", "other", "--workers", "1", "--quiet"]
    done = shell(*other)
    assert done.code == 3 and "0 runs done, 6 failed" in done.out
    lines = done.err.splitlines()
    assert lines[0].startswith("degnn-explore: failed: ") and "karate links, seed 0: why 0" in done.err
    assert len(lines) == 6 and "boom" not in done.err and "1 more failed; --retry" in lines[-1]
    store.put(runs[0])
    done = shell(*other, "--show")
    assert done.code == 3 and len(done.err.splitlines()) == 5 and "more failed" not in done.err
    done = shell(*other, "--retry")
    assert (done.code, done.err) == (0, "") and "6 runs done, all" in done.out


def test_a_graph_that_cannot_be_loaded_is_skipped(shell: Shell) -> None:
    write("small.toml", STUDY + '[[columns]]\ngraph = "nowhere.csv"\ntask = "links"\n')
    done = shell(*SMALL, "--show")
    assert done.code == 0 and re.search(r"skipped: nowhere.csv, .*no such file", done.err)


def test_table1_is_shown_unless_another_is_named(shell: Shell) -> None:
    show = ["--show", "--store", "store", "--datasets", "celegans", "--models", "GCN", "--workers", "7"]
    table = shell("reproduce", *show).out
    assert "celegans links" in table and "on validation" in table
    assert shell("reproduce", "table1", *show).out == table
    appendix = shell("reproduce", "appendix", *show).out
    assert "Optimistic" in appendix and appendix.splitlines()[-1] == table.splitlines()[-1]  # the same runs
