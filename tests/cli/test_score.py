"""``degnn-explore score`` and ``encode --sets``: files of target sets answered chunk by chunk."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

import degnn_explore as de
from degnn_explore.cli import encode, main, score
from tools.waiting import LONG

KARATE = de.load("karate")
ALL = np.array([(u, v) for u in range(34) for v in range(u + 1, 34)])  # 561 pairs


def pairs(folder: Path, extra: str = "") -> str:
    """Every pair of nodes of the karate club, and then these lines."""
    (folder / "pairs.csv").write_text("u,v\n" + "".join(f"{u},{v}\n" for u, v in ALL) + extra)
    return "pairs.csv"


@pytest.mark.parametrize("ending", ["csv", "parquet"])
def test_scores_are_what_predict_says(
    folder: Path, model_file: str, ending: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(score, "_ROWS", 100)
    out = f"scores.{ending}"
    assert main(["score", model_file, "karate", pairs(folder), "--out", out, "--quiet"]) == 0
    table = pd.read_csv(out) if ending == "csv" else pd.read_parquet(out)
    assert list(table.columns) == ["line", "u", "v", "score"]
    np.testing.assert_array_equal(table[["u", "v"]].astype(int), ALL)
    np.testing.assert_array_equal(table["line"], np.arange(2, 563))
    expected = de.predict(de.load_model(model_file), KARATE, ALL)
    np.testing.assert_allclose(table["score"], expected, rtol=1e-6)
    assert capsys.readouterr().err == f"degnn-explore: 561 sets, written to {out}\n"
    assert sorted(os.listdir()) == ["pairs.csv", out]


def test_bad_lines_are_listed_and_fatal_only_when_strict(
    folder: Path, model_file: str, capsys: pytest.CaptureFixture[str]
) -> None:
    arguments = ["score", model_file, "karate", pairs(folder, "0,99\n=1,2\n5,5\n"), "--out", "scores.csv", "--quiet"]
    assert main([*arguments, "--strict"]) == 3
    strict = capsys.readouterr().err
    assert "line 563: no node is called '99'" in strict
    assert "3 of the lines" in strict
    assert sorted(os.listdir()) == ["pairs.csv", "scores.bad.csv"]
    listed = Path("scores.bad.csv").read_text()
    assert listed == (
        "line,why,text\n563,no node is called '99',\"0,99\"\n"
        '564,no node is called \'=1\',"\'=1,2"\n565,a node occurs twice,"5,5"\n'
    )
    assert main(arguments) == 0
    assert len(pd.read_csv("scores.csv")) == 561
    assert Path("scores.bad.csv").read_text() == listed
    pairs(folder)
    assert main(arguments) == 0
    assert not Path("scores.bad.csv").exists()


def test_a_file_without_any_set_is_exit_code_3(
    folder: Path, model_file: str, capsys: pytest.CaptureFixture[str]
) -> None:
    Path("pairs.csv").write_text("77,78\n79,80\n")
    assert main(["score", model_file, "karate", "pairs.csv", "--out", "scores.csv", "--quiet"]) == 3
    assert "no line of pairs.csv names a target set" in capsys.readouterr().err
    assert sorted(os.listdir()) == ["pairs.csv", "scores.bad.csv"]


KILLED = """
import os, signal, sys
from degnn_explore.cli import main, score, streaming
score._ROWS, kept = 100, []
def write(path, content, whole=streaming.write_whole):
    if path.name == "progress.json":
        kept.append(path)
        if len(kept) == 3:
            os.kill(os.getpid(), signal.SIGKILL)
    whole(path, content)
streaming.write_whole = write
main(sys.argv[1:])
"""


@pytest.mark.parametrize("ending", ["csv", "parquet"])
def test_a_killed_run_goes_on(
    folder: Path, model_file: str, ending: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Killed between the third chunk and the note of it: the chunk is written anew, no line is lost or there twice."""
    arguments = ["score", model_file, "karate", pairs(folder, "0,0\n"), "--out", f"scores.{ending}"]
    killed = subprocess.run([sys.executable, "-c", KILLED, *arguments], timeout=LONG)
    assert killed.returncode == -signal.SIGKILL
    monkeypatch.setattr(score, "_ROWS", 150)
    assert main([*arguments, "--quiet"]) == 0
    assert "going on after 199 sets" in capsys.readouterr().err  # two chunks of 100 lines, one of them the header
    table = pd.read_csv("scores.csv") if ending == "csv" else pd.read_parquet("scores.parquet")
    np.testing.assert_array_equal(table["line"], np.arange(2, 563))
    np.testing.assert_allclose(table["score"], de.predict(de.load_model(model_file), KARATE, ALL), rtol=1e-6)
    assert sorted(os.listdir()) == ["pairs.csv", "scores.bad.csv", f"scores.{ending}"]


def interrupted_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """Ctrl-C comes while the second chunk is judged."""
    predict, asked = de.predict, []

    def interrupted(*arguments: object, **options: object) -> object:
        asked.append(1)
        if len(asked) == 2:
            raise KeyboardInterrupt
        return predict(*arguments, **options)  # type: ignore[arg-type]

    monkeypatch.setattr(de, "predict", interrupted)


def test_the_same_command_gives_the_same_bytes_interrupted_or_not(
    folder: Path, model_file: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(score, "_ROWS", 300)
    command = ["score", model_file, "karate", pairs(folder), "--quiet", "--out"]
    assert main([*command, "once.csv"]) == main([*command, "twice.csv"]) == 0
    interrupted_once(monkeypatch)
    assert main([*command, "later.csv"]) == 130
    assert main([*command, "later.csv"]) == 0
    whole = Path("once.csv").read_bytes()
    assert whole.count(b"\n") == 562 and whole == Path("twice.csv").read_bytes() == Path("later.csv").read_bytes()


def test_ctrl_c_keeps_what_was_scored_and_another_run_is_refused(
    folder: Path, model_file: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(score, "_ROWS", 200)
    interrupted_once(monkeypatch)
    arguments = ["score", model_file, "karate", pairs(folder), "--out", "scores.csv", "--quiet"]
    assert main(arguments) == 130
    assert "stopped after 199 sets" in capsys.readouterr().err
    pairs(folder, "0,5\n")
    assert main(arguments) == 2
    assert "holds the beginning of another run: its bytes was" in capsys.readouterr().err
    assert main([*arguments, "--fresh"]) == 0
    assert len(pd.read_csv("scores.csv")) == 562
    assert not Path("scores.csv.parts").exists()


@pytest.mark.parametrize("hops", [None, 1])
def test_encodings_of_a_file_of_sets(
    folder: Path, hops: int | None, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(encode, "_ROWS", 34)
    monkeypatch.setattr(encode, "_EGOS", 1)
    Path("sets.csv").write_text("0,33,5\n1,2,99\n4,5,6\n")
    more = [] if hops is None else ["--hops", str(hops)]
    arguments = ["--sets", "sets.csv", "--out", "zeta.parquet", "--max-dist", "2", "--cut", "--quiet", *more]
    assert main(["encode", "karate", *arguments]) == 0
    assert "no node is called '99'" in capsys.readouterr().err
    table = pd.read_parquet("zeta.parquet")
    assert list(table.columns) == ["line", "node", "0", "1", "2+", "unreachable"]
    for line, S in ((1, [0, 33, 5]), (3, [4, 5, 6])):
        mine = table[table["line"] == line].set_index("node")
        near = sorted({*S, *(int(u) for v in S for u in KARATE.cut(S).neighbors(v))})
        nodes = range(34) if hops is None else near
        assert sorted(map(int, mine.index)) == list(nodes)
        expected = de.SPD(2).encode(KARATE, S, cut=True)
        np.testing.assert_allclose(mine.loc[[str(v) for v in nodes]].iloc[:, 1:], expected[list(nodes)], rtol=1e-6)


def test_parquet_without_pyarrow_says_what_to_do(
    folder: Path, model_file: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    assert main(["score", model_file, "karate", pairs(folder), "--out", "scores.parquet"]) == 2
    assert "pip install 'degnn_explore[parquet]'" in capsys.readouterr().err
