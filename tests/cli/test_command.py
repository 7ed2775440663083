"""The command ``degnn-explore``."""

from __future__ import annotations

import argparse
import json
import re
import subprocess
import sys
from pathlib import Path

import pytest

import degnn_explore as de
from degnn_explore.cli import app, main
from degnn_explore.cli.command import parser
from tests.support.waiting import LONG

PATH = "a,b\nb,c\n"


@pytest.fixture
def path_file(tmp_path: Path) -> str:
    """A file with the path a - b - c."""
    file = tmp_path / "path.csv"
    file.write_text(PATH, encoding="utf-8")
    return str(file)


def test_a_custom_encoding_from_its_file(path_file: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    mine = tmp_path / "mine.py"
    fn = "lambda near: near.degree + near.target_degree"
    mine.write_text(
        f"import degnn_explore as de\nde.encoding('sum', {fn}, columns=['sum of degrees'], max_dist=1)\n",
        encoding="utf-8",
    )
    assert main(["distinguish", path_file, "a", "b", "--import", str(mine), "--method", "DE-sum"]) == 0
    assert capsys.readouterr().out.startswith("different\n")


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
    file.write_text("1 2\n2 3\n", encoding="utf-8")
    assert main(["distinguish", str(file), "1,2", "3,2", "--quiet"]) == 0
    assert capsys.readouterr().out == "same\n"
    assert main(["distinguish", str(file), "0", "1"]) == 2
    assert "No node is called '0'" in capsys.readouterr().err
    assert main(["distinguish", "celegans", "0", "1"]) == 0  # its names are words, so 0 is the first node


def test_ctrl_c_is_no_traceback(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    def interrupted(name: str) -> de.Graph:
        raise KeyboardInterrupt

    monkeypatch.setattr(de, "load", interrupted)
    assert main(["distinguish", "karate", "0", "1"]) == 130
    assert capsys.readouterr() == ("", "")


def test_distinguish_can_cut(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """The domino's middle edge and the bridge between two triangles are told apart only when cut."""
    file = tmp_path / "both.csv"
    domino = [(0, 1), (1, 2), (2, 3), (3, 0), (3, 4), (4, 5), (5, 0)]
    bridge = [(6, 7), (7, 8), (8, 6), (9, 10), (10, 11), (11, 9), (6, 9)]
    file.write_text("\n".join(f"{u},{v}" for u, v in domino + bridge), encoding="utf-8")
    for options, said in (([], "same\n"), (["--cut"], "different\n")):
        assert main(["distinguish", str(file), "0,3", "6,9", "--quiet", *options]) == 0
        assert capsys.readouterr().out == said


def test_a_name_may_hold_a_comma(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "names.csv"
    file.write_text('"Smith, A",b\nb,c\n', encoding="utf-8")
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
        (["distinguish", "celegan", "0", "1"], "celegans"),
        (["distinguish", "karate", "99", "0"], "Node 99 is not in the graph"),
        (["distinguish", "karate", "nobody", "0"], "nobody"),
        (["distinguish", "karate", "0", "1", "--import", "nowhere.py"], "no file 'nowhere.py'"),
        (["distinguish", "karate", "0", "1", "--method", "3-WL"], "3-WL"),
        (["distinguish", "nowhere/graph.csv", "0", "1"], "no such file"),
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


@pytest.mark.parametrize("bug", [ValueError("a bug"), KeyError("a bug"), MemoryError()])
def test_a_bug_of_ours_shows_its_traceback(bug: Exception, monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(name: str) -> de.Graph:
        raise bug

    monkeypatch.setattr(de, "load", broken)
    with pytest.raises(type(bug)):
        main(["distinguish", "karate", "0", "1"])


def test_a_reader_that_stops_early_is_no_error() -> None:
    command = f"'{sys.executable}' -m degnn_explore.cli datasets | true"
    done = subprocess.run(["bash", "-o", "pipefail", "-c", command], capture_output=True, text=True, timeout=LONG)
    assert (done.returncode, done.stderr) == (0, "")


def test_every_argument_is_explained_and_its_default_is_the_one_that_is_stated() -> None:
    (commands,) = (it for it in parser()._actions if isinstance(it, argparse._SubParsersAction))
    assert len(commands.choices) == 8
    stated = 0
    for name, command in commands.choices.items():
        for argument in command._actions:
            assert argument.help, (name, argument.dest)
            if said := re.search(r"\(default: ([\w.-]+)\)|([\w-]+) \(default\)", argument.help):
                stated += 1
                assert str(argument.default) == (said[1] or said[2]), (name, argument.dest)
    assert stated > 5


@pytest.mark.parametrize("arguments", [["train", "karate"], ["score", "m.safetensors", "karate", "sets.csv"], []])
def test_what_is_required_is_asked_for(arguments: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit, match="2"):
        main(arguments)
    assert "required" in capsys.readouterr().err


@pytest.mark.parametrize("dark", [False, True])
def test_a_page_is_for_this_machine_alone(dark: bool, tmp_path: Path) -> None:
    app.write_page(tmp_path, "1 + 1", "Two", app.settings(tmp_path, "secret", 8900, dark))
    config = json.loads((tmp_path / "voila.json").read_text(encoding="utf-8"))
    voila = config["Voila"]
    assert (voila["ip"], voila["token"], voila["port"], voila["port_retries"]) == ("127.0.0.1", "secret", 8900, 0)
    assert voila["open_browser"] is False and voila["root_dir"] == str(tmp_path)
    assert config["VoilaConfiguration"]["theme"] == ("dark" if dark else "light")
    book = json.loads((tmp_path / "page.ipynb").read_text(encoding="utf-8"))
    name = book["metadata"]["kernelspec"]["name"]
    assert book["metadata"]["title"] == "Two" and ["".join(cell["source"]) for cell in book["cells"]] == ["1 + 1"]
    kernel = json.loads((tmp_path / "share" / "kernels" / name / "kernel.json").read_text(encoding="utf-8"))
    assert kernel["argv"][0] == sys.executable and "{connection_file}" in kernel["argv"]
    template = tmp_path / "share" / "voila" / "templates" / config["VoilaConfiguration"]["template"]
    assert {file.name for file in template.iterdir()} == {"conf.json", "index.html.j2"}


def test_installed_command_answers() -> None:
    command = Path(sys.executable).with_name("degnn-explore")
    done = subprocess.run([command, "--version"], capture_output=True, text=True, timeout=LONG)
    assert done.stdout == f"degnn-explore {de.__version__}\n"
