"""``degnn-explore score``: a file of target sets, read and written in chunks."""

from __future__ import annotations

import os
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import degnn_explore as de
from degnn_explore.cli import command, main

KARATE = de.load("karate")
ALL = np.array([(u, v) for u in range(34) for v in range(u + 1, 34)])  # 561 pairs


def scored(folder: Path, model_file: str, text: str, *options: str, graph: str = "karate") -> pd.DataFrame:
    (folder / "sets.csv").write_text(text, encoding="utf-8")
    out = folder / "scores.csv"
    out.unlink(missing_ok=True)
    assert main(["score", model_file, graph, str(folder / "sets.csv"), "--out", str(out), "--quiet", *options]) == 0
    return pd.read_csv(out, dtype={"u": str, "v": str}, keep_default_na=False)


def test_scores_are_what_predict_says(
    folder: Path, model_file: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    import tqdm.auto

    bar = tqdm.auto.tqdm
    monkeypatch.setattr(tqdm.auto, "tqdm", lambda **options: bar(**options | {"delay": 0}))  # even a short one shows
    monkeypatch.setattr(command, "CHUNK", 100)
    table = scored(folder, model_file, "u,v\n" + "".join(f"{u},{v}\n" for u, v in ALL))
    assert list(table.columns) == ["u", "v", "score"]
    np.testing.assert_array_equal(table[["u", "v"]].astype(int), ALL)
    expected = de.predict(de.load_model(model_file), KARATE, ALL, progress=False)
    np.testing.assert_allclose(table["score"], expected, rtol=1e-6)
    assert capsys.readouterr().err == f"degnn-explore: 561 sets scored, written to {folder / 'scores.csv'}\n"
    assert sorted(os.listdir()) == ["scores.csv", "sets.csv"]


def test_lines_without_a_valid_set_are_counted(
    folder: Path, model_file: str, capsys: pytest.CaptureFixture[str]
) -> None:
    table = scored(folder, model_file, "u,v\n0,99\n\n 1 , 2 \n5,5\n7\n3,4,extra\n,1\n")
    assert table[["u", "v"]].values.tolist() == [["1", "2"], ["3", "4"]]
    assert "Skipped 4 lines without a valid target set, the first: '0, 99'" in capsys.readouterr().err


def test_a_file_without_any_set_is_an_error(folder: Path, model_file: str, capsys: pytest.CaptureFixture[str]) -> None:
    for text, words in (
        ("77,78\n79,80\n", "names 2 different nodes"),
        ("", "not a table of target sets"),
        ('0,"1\n2,3\n', "not a table"),
    ):
        Path("sets.csv").write_text(text, encoding="utf-8")
        assert main(["score", model_file, "karate", "sets.csv", "--out", "scores.csv", "--quiet"]) == 2
        assert words in capsys.readouterr().err
        assert os.listdir() == ["sets.csv"]


@pytest.mark.parametrize(
    ("text", "options"),
    [
        ("ann,bob\n", []),
        ("ann bob\n", []),
        ("\ufefffrom\tto\tweight\nann\tbob\t0.5\n", []),
        ("weight;to;from\n5;bob;ann\n", ["--columns", "from,to"]),
        ("5\tbob\tann\n", ["--columns", "3,2"]),
        ('"ann","bob"\n', []),
        ("0,1\n", []),
    ],
)
def test_how_a_set_may_be_written(folder: Path, model_file: str, text: str, options: list[str]) -> None:
    Path("graph.csv").write_text("ann,bob\nbob,cai\ncai,dan\n", encoding="utf-8")
    table = scored(folder, model_file, text, *options, graph="graph.csv")
    expected = de.predict(de.load_model(model_file), de.read_graph("graph.csv"), [["ann", "bob"]])
    np.testing.assert_allclose(table["score"], expected, rtol=1e-6)


def test_numbers_of_a_file_are_names(folder: Path, model_file: str, capsys: pytest.CaptureFixture[str]) -> None:
    """Ids that are other numbers than 0..n-1 are never taken for positions."""
    Path("graph.csv").write_text("1,2\n2,3\n", encoding="utf-8")
    table = scored(folder, model_file, "1,2\n0,1\n", graph="graph.csv")
    assert len(table) == 1 and "Skipped 1 line" in capsys.readouterr().err


@settings(max_examples=15, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    cells=st.lists(st.lists(st.sampled_from(["1", "33", "7", "99", "x", ""]), min_size=1, max_size=3), max_size=12),
    chunk=st.integers(1, 5),
)
def test_chunks_of_any_size_give_the_sets_of_a_slow_reader(
    folder: Path, model_file: str, monkeypatch: pytest.MonkeyPatch, cells: list[list[str]], chunk: int
) -> None:
    monkeypatch.setattr(command, "CHUNK", chunk)
    rows = [["0", "5"], *cells]
    known = {str(v) for v in range(34)}
    expected = [row[:2] for row in rows if len(row) > 1 and {*row[:2]} <= known and row[0] != row[1]]
    table = scored(folder, model_file, "u,v\n" + "".join(",".join(row) + "\n" for row in rows))
    assert table[["u", "v"]].values.tolist() == expected


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["none.csv", "--out", "scores.csv"], "no file 'none.csv'"),
        (["sets.csv", "--out", "sets.csv"], "names the file that is read"),
        (["sets.csv", "--out", "nowhere/scores.csv"], "no folder 'nowhere'"),
        (["sets.csv", "--out", "."], "is a folder"),
        (["sets.csv", "--out", "scores.csv", "--columns", "u"], "sets of 2 nodes"),
        (["sets.csv", "--out", "scores.csv", "--columns", "u,w"], "'w'"),
    ],
)
def test_errors_of_score_are_one_line(
    folder: Path, model_file: str, arguments: list[str], words: str, capsys: pytest.CaptureFixture[str]
) -> None:
    Path("sets.csv").write_text("u,v\n0,1\n", encoding="utf-8")
    assert main(["score", model_file, "karate", *arguments]) == 2
    assert words in capsys.readouterr().err
    assert os.listdir() == ["sets.csv"]
