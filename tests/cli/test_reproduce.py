"""``degnn-explore reproduce`` as a person at a shell uses it."""

from __future__ import annotations

from pathlib import Path
from types import SimpleNamespace

import pytest

import degnn_explore as de
from degnn_explore.cli import main

STUDY = """
title = "small"
models = ["Adamic-Adar", "shortest path"]
seeds = 2
[[columns]]
graph = "karate"
task = "links"
"""


@pytest.fixture
def small(tmp_path: Path) -> list[str]:
    file = tmp_path / "small.toml"
    file.write_text(STUDY, encoding="utf-8")
    return ["reproduce", str(file), "--store", str(tmp_path / "store"), "--workers", "1", "--quiet"]


def test_it_runs_prints_the_table_and_writes_results(
    small: list[str], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    results = tmp_path / "small.csv"
    assert main([*small, "--results", str(results)]) == 0
    out = capsys.readouterr().out
    assert "karate links (auc, %)" in out and "4 runs done, all" in out
    assert len(results.read_text(encoding="utf-8").splitlines()) == 5
    assert main([*small[:3], str(tmp_path / "elsewhere"), "--show", "--results", str(results)]) == 0
    assert "4 runs done, all" in capsys.readouterr().out


def test_parts_of_a_study(small: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    assert main([*small, "--models", "shortest path", "--seeds", "1", "--datasets", "karate"]) == 0
    out = capsys.readouterr().out
    assert "1 run done, all" in out and "Adamic-Adar" not in out


def test_it_shows_without_running(small: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    assert main([*small, "--show"]) == 0
    assert "0 runs done, 4 left" in capsys.readouterr().out


def test_ctrl_c_has_a_special_exit_code(small: list[str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(de.Study, "run", lambda *_, **__: SimpleNamespace(interrupted=True))
    assert main(small) == 130


def test_failed_runs_have_a_special_exit_code(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "failing.toml"
    setting = "epochs = 2\n[settings.GCN]\nlearning_rate = 1e30\n[[columns]]"
    file.write_text(
        STUDY.replace("[[columns]]", setting).replace("shortest path", "GCN").replace("seeds = 2", ""), encoding="utf-8"
    )
    command = ["reproduce", str(file), "--store", str(tmp_path / "store"), "--workers", "1", "--seeds", "1"]
    assert main(command) == 3
    told = capsys.readouterr()
    assert "failed: GCN, karate links, seed 0" in told.err and "1 run done, 1 failed" in told.out


@pytest.mark.parametrize(
    ("given", "words"),
    [
        (["tabel1"], "no study 'tabel1'; choose one of appendix, demo"),
        (["none.toml"], "no study 'none.toml' here"),
        (["demo", "--models", "SEAL"], "model of this study='SEAL' is not known"),
        (["demo", "--minutes", "0"], "minutes must be a positive number"),
        (["demo", "--workers", "0"], "workers must be a whole number"),
        (["demo", "--seeds", "0"], "seeds must be a whole number"),
    ],
)
def test_errors_of_reproduce_are_one_line(
    given: list[str], words: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["reproduce", *given, "--store", str(tmp_path)]) == 2
    assert words in capsys.readouterr().err
