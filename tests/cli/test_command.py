"""The command ``degnn-explore``."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

import degnn_explore as de
from degnn_explore.cli import main
from tools.waiting import LONG

PATH = "a,b\nb,c\n"


@pytest.fixture
def path_file(tmp_path: Path) -> str:
    """A file with the path a - b - c."""
    file = tmp_path / "path.csv"
    file.write_text(PATH)
    return str(file)


def test_encode_prints_one_row_for_each_node(path_file: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["encode", path_file, "a", "--max-dist", "1"]) == 0
    assert capsys.readouterr().out == "node,0,1+,unreachable\na,1,0,0\nb,0,1,0\nc,0,1,0\n"


def test_encode_takes_walks_and_cuts_edges_inside_the_set(path_file: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["encode", path_file, "a", "b", "--steps", "1", "--cut"]) == 0
    assert capsys.readouterr().out == "node,step 0,step 1\na,0.5,0\nb,0.5,0\nc,0,0.5\n"


def test_an_own_encoding_by_its_file(path_file: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    mine = tmp_path / "mine.py"
    fn = "lambda near: near.degree + near.target_degree"
    mine.write_text(f"import degnn_explore as de\nde.encoding('sum', {fn}, columns=['sum of degrees'])\n")
    assert main(["encode", path_file, "a", "--import", str(mine), "--encoding", "sum"]) == 0
    assert capsys.readouterr().out.splitlines()[:3] == ["node,sum of degrees", "a,2", "b,3"]
    assert main(["distinguish", path_file, "a", "b", "--import", str(mine), "--method", "DE-sum"]) == 0
    said = capsys.readouterr().out
    assert said.startswith("different\nalready at layer 0: a has the value 2, b has 4; values are compared as numbers")
    assert main(["encode", path_file, "a", "--import", str(mine), "--encoding", "other"]) == 2
    assert "No encoding 'other' is registered; these are: sum." in capsys.readouterr().err


def test_distinguish_says_so_and_why(path_file: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["distinguish", path_file, "a", "b"]) == 0
    verdict, why = capsys.readouterr().out.splitlines()
    G = de.read_graph(path_file)
    assert verdict == "different"
    assert why == de.distinguish((G, "a"), (G, "b")).why
    assert main(["distinguish", path_file, "a,b", "c,b", "--quiet"]) == 0
    assert capsys.readouterr().out == "same\n"


def test_numbers_of_a_file_are_names(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Ids that are other numbers than 0..n-1 are never taken for positions."""
    file = tmp_path / "edges.txt"
    file.write_text("1 2\n2 3\n")
    assert main(["encode", str(file), "1", "--max-dist", "1"]) == 0
    assert capsys.readouterr().out == "node,0,1+,unreachable\n1,1,0,0\n2,0,1,0\n3,0,1,0\n"
    assert main(["distinguish", str(file), "1,2", "3,2", "--quiet"]) == 0
    assert capsys.readouterr().out == "same\n"
    assert main(["encode", str(file), "0"]) == 2
    assert "No node is called '0'" in capsys.readouterr().err
    assert main(["encode", "celegans", "0"]) == 0  # its names are words, so 0 is the first node


def test_ctrl_c_is_no_traceback(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    def interrupted(name: str) -> de.Graph:
        raise KeyboardInterrupt

    monkeypatch.setattr(de, "load", interrupted)
    assert main(["encode", "karate", "0"]) == 130
    assert capsys.readouterr() == ("", "")


def test_distinguish_cuts_when_told_to(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """The domino's middle edge and the bridge between two triangles are told apart only when cut."""
    file = tmp_path / "both.csv"
    domino = [(0, 1), (1, 2), (2, 3), (3, 0), (3, 4), (4, 5), (5, 0)]
    bridge = [(6, 7), (7, 8), (8, 6), (9, 10), (10, 11), (11, 9), (6, 9)]
    file.write_text("\n".join(f"{u},{v}" for u, v in domino + bridge))
    for options, said in (([], "same\n"), (["--cut"], "different\n")):
        assert main(["distinguish", str(file), "0,3", "6,9", "--quiet", *options]) == 0
        assert capsys.readouterr().out == said


def test_a_name_may_hold_a_comma(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "names.csv"
    file.write_text('"Smith, A",b\nb,c\n')
    assert main(["distinguish", str(file), "Smith, A", "c", "--quiet"]) == 0
    assert capsys.readouterr().out == "same\n"


def test_about_says_what_auto_takes(monkeypatch: pytest.MonkeyPatch) -> None:
    from degnn_explore.learn import devices

    monkeypatch.setattr(devices, "best_device", lambda: "mps")
    assert de.about().loc["device", "version"] == "mps"


def test_datasets_and_about_are_tables(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["datasets"]) == 0
    assert "celegans" in capsys.readouterr().out
    assert main(["about"]) == 0
    assert de.__version__ in capsys.readouterr().out


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["encode", "celegan", "0"], "celegans"),
        (["encode", "karate", "99"], "Node 99 is not in the graph"),
        (["encode", "karate", "nobody"], "nobody"),
        (["encode", "karate", "0", "--max-dist", "-1"], "max_dist"),
        (["distinguish", "karate", "0", "1", "--method", "3-WL"], "3-WL"),
        (["encode", "nowhere/graph.csv", "0"], "no such file"),
        (["distinguish", "karate", "0", "1,2"], "1 and 2 nodes"),
    ],
)
def test_errors_are_one_line_and_exit_code_2(
    arguments: list[str], message: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(arguments) == 2
    captured = capsys.readouterr()
    assert captured.out == ""
    assert captured.err.startswith("degnn-explore: ")
    assert captured.err.count("\n") == 1
    assert message in captured.err


def test_a_reader_that_stops_early_is_no_error() -> None:
    command = f"'{sys.executable}' -m degnn_explore.cli encode pb 0 | head -n 1"
    done = subprocess.run(["bash", "-o", "pipefail", "-c", command], capture_output=True, text=True, timeout=LONG)
    assert (done.returncode, done.stdout, done.stderr) == (0, "node,0,1,2,3+,unreachable\n", "")


def test_installed_command_answers() -> None:
    command = Path(sys.executable).with_name("degnn-explore")
    done = subprocess.run([command, "--version"], capture_output=True, text=True, timeout=LONG)
    assert done.stdout == f"degnn-explore {de.__version__}\n"
