"""The command ``degnn-explore``: its help, its errors, and the commands that answer at once."""

from __future__ import annotations

import platform
import re
import shlex
import subprocess
import sys
from importlib.metadata import PackageNotFoundError
from pathlib import Path
from types import ModuleType
from unittest.mock import Mock

import numpy as np
import pytest
import torch

import degnn_explore as de
from degnn_explore import installation
from degnn_explore.cli import main
from degnn_explore.cli.command import parser
from degnn_explore.learn import devices
from tests.support.waiting import LONG

from .conftest import Shell, write

REQUIRED = {
    "about": [],
    "datasets": [],
    "distinguish": ["karate", "0", "1"],
    "explore": ["karate"],
    "app": [],
    "train": ["karate", "--out", "m"],
    "score": ["m", "karate", "sets.csv", "--out", "s.csv"],
    "reproduce": [],
}

# ---- help ----------------------------------------------------------------------------------------------------


def test_the_help_lists_every_command(shell: Shell, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "500")  # each on a line
    help = shell("--help").out
    assert re.findall(r"^    (\w+)\s+[a-z][^.\n]*$", help.partition("\ncommands:\n")[2], re.M) == list(REQUIRED)
    assert "degnn-explore [-h] [--version] COMMAND" in help and "Distance Encoding" in help
    assert "a node is its name, or else its number" in help and re.search(r"\nexit codes: 0 .*\n3 runs .* 130 ", help)


@pytest.mark.parametrize("name", REQUIRED)
def test_every_argument_is_explained_and_its_default_is_the_one_stated(
    shell: Shell, name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", "500")
    arguments, _, examples = shell(name, "--help").out.partition("\nexamples:\n")
    defaults = vars(parser().parse_args([name, *REQUIRED[name]]))
    for line in re.findall(r"^  (\S.*)$", re.sub(r"\n {20,}", "  ", arguments), re.M):
        argument, text = re.split(r"\s{2,}", line)
        names = [word for word in argument.split() if not word.startswith("-")]
        assert [word for word in names if re.search("[a-z_]", word.partition(".")[0])] == []
        if stated := re.search(r"\(default: ([\w.-]+)\)|([\w-]+) \(default\)", text):
            option = argument.split()[0].removeprefix("--").lower()
            assert str(defaults[option]) == (stated[1] or stated[2]), argument
    lines = re.findall(r"^  degnn-explore (.*)$", examples, re.M)
    assert lines and all(parser().parse_args(shlex.split(line)) and line.split()[0] == name for line in lines)
    assert "\n\nexit codes: 0 done," in examples


@pytest.mark.parametrize("arguments", ["train karate", "score m karate sets.csv", "explore", "", "encod"])
def test_what_is_required_is_asked_for(shell: Shell, arguments: str) -> None:
    done = shell(*arguments.split())
    assert (done.code, done.out) == (2, "") and ("required" in done.err or "invalid choice: 'encod'" in done.err)


def test_the_installed_command_and_its_module_answer() -> None:
    for command in ([Path(sys.executable).with_name("degnn-explore")], [sys.executable, "-m", "degnn_explore.cli"]):
        done = subprocess.run([*command, "--version"], capture_output=True, text=True, timeout=LONG)
        assert done.stdout == f"degnn-explore {de.__version__}\n"


# ---- errors --------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ("distinguish karate nobody 0", "nobody"),
        ("distinguish karate 0 1,2", "1 and 2 nodes"),
        ("distinguish karate 0 1 --method 3-WL", "2-WL"),
        ("distinguish karate 0 1 --import nowhere.py", "no file 'nowhere.py'"),
        ("distinguish nowhere/graph 0 1", "no such file"),
        ("explore karat", "karate"),
        ("explore karate 99", "Node 99"),
        ("explore karate --port 65536", "from 0 to 65,535"),
        ("app --port -1", "from 0 to 65,535"),
        ("train karate --out .", "is a folder"),
        ("train karate --out nowhere/m", "no folder 'nowhere'"),
        ("train karate --out m --task links --labels l.csv", "--labels"),
        ("train karate --out m --task roles --max-positives 5", "--max-positives"),
        ("train karate --out m --task role", "Did you mean 'roles'"),
        ("train karate --out m --model GCNN", "Did you mean 'GCN'"),
        ("train karate --out m --set layer=2", "Did you mean 'layers'"),
        ("train karate --out m --set layers", "NAME=VALUE"),
        ("train karate --out m --set =2", "NAME=VALUE"),
        ("train karate --out m --set seed=2", "setting of DE-GNN-SPD='seed'"),
        ("train karate --out m --model GCN --set max_dist=2", "setting of GCN='max_dist'"),
        ("reproduce tabel1", "'tabel1'; choose one of appendix, demo, descendants, heuristics, leaks, table1,"),
        ("reproduce none.toml", "no study 'none.toml'"),
        ("reproduce demo --models SEAL", "model of this study='SEAL'"),
        ("reproduce demo --datasets SEAL", "graph of this study='SEAL'"),
        ("reproduce demo --tasks SEAL", "task of this study='SEAL'"),
        ("reproduce demo --workers 0", "workers must be a whole number"),
        ("reproduce demo --workers many", "workers='many'"),
        ("reproduce demo --seeds 0", "seeds must be a whole number"),
    ],
)
def test_errors_are_one_line_and_exit_code_2(shell: Shell, folder: Path, arguments: str, message: str) -> None:
    done = shell(*arguments.split(), *(["--store", "store", "--quiet"] if "reproduce" in arguments else []))
    assert (done.code, done.out) == (2, "")
    assert re.fullmatch(r"degnn-explore: .*\n", done.err) and message in done.err
    assert [path.name for path in folder.iterdir() if path.name != "store"] == []


@pytest.mark.parametrize("bug", [ValueError("a bug"), KeyError("a bug"), MemoryError()])
def test_a_bug_of_ours_shows_its_traceback(bug: Exception, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(de, "load", Mock(side_effect=bug))
    with pytest.raises(type(bug)):
        main(["distinguish", "karate", "0", "1"])


def test_ctrl_c_is_no_traceback(shell: Shell, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(de, "load", Mock(side_effect=KeyboardInterrupt))
    assert shell("distinguish", "karate", 0, 1) == (130, "", "")


def test_a_reader_that_stops_early_is_no_error() -> None:
    command = f"'{sys.executable}' -m degnn_explore.cli datasets | true"
    done = subprocess.run(["bash", "-o", "pipefail", "-c", command], capture_output=True, text=True, timeout=LONG)
    assert (done.returncode, done.stderr) == (0, "")


# ---- about, datasets, distinguish ----------------------------------------------------------------------------


def test_datasets_and_about_are_tables(shell: Shell, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(devices, "best_device", lambda: "mps")
    code, out, err = shell("about")
    rows = [[name, str(row.version)] for name, row in de.about().iterrows()]
    assert (code, err, [re.split(r"\s{2,}", line) for line in out.splitlines()]) == (0, "", rows)
    assert rows[-1] == ["device", "mps"]
    lines = shell("datasets").out.splitlines()
    assert lines[0].split() == ["name", "nodes", "edges", "labels", "available", "what"]
    assert [line.split()[0] for line in lines[1:]] == de.datasets()["name"].tolist() and max(map(len, lines)) < 120


def test_about_names_versions_what_is_missing_and_the_device(monkeypatch: pytest.MonkeyPatch) -> None:
    versions = de.about()["version"]
    expected = {"degnn_explore": de.__version__, "Python": platform.python_version(), "numpy": np.__version__}
    assert dict(versions[:3]) == expected
    monkeypatch.setattr(installation, "version", Mock(side_effect=PackageNotFoundError))
    monkeypatch.setattr(devices, "best_device", lambda: "cuda")
    monkeypatch.setattr(torch.cuda, "get_device_name", lambda: "A100")
    assert de.about()["version"]["numpy"] == "missing" and de.about()["version"]["device"] == "cuda (A100)"
    for module, reason in (("degnn_explore.learn.devices", "cannot be imported"), ("torch", "pip install 'degnn")):
        monkeypatch.setitem(sys.modules, module, None if module == "torch" else ModuleType(module))
        assert de.about()["version"]["device"].startswith("none: ") and reason in de.about()["version"]["device"]


DOMINO_AND_BRIDGE = "0,1\n1,2\n2,3\n3,0\n3,4\n4,5\n5,0\n6,7\n7,8\n8,6\n9,10\n10,11\n11,9\n6,9\n"


@pytest.mark.parametrize(
    ("graph", "arguments", "answer"),
    [
        ("a,b\nb,c\n", "a b", "different"),
        ("a,b\nb,c\n", "a c", "same"),
        ("a,b\nb,c\n", "a,b c,b", "same"),
        ("a,b\nb,c\n", "0 2", "same"),  # no node has such a name, so these are numbers
        ("a,0\n0,c\n", "0 2", "different"),  # the node in the middle is called 0
        ("1 2\n2 3\n", "1,2 3,2", "same"),
        ('"Smith, A",b\nb,c\n', "'Smith, A' c", "same"),  # one name with a comma
        (DOMINO_AND_BRIDGE, "0,3 6,9", "same"),
        (DOMINO_AND_BRIDGE, "0,3 6,9 --cut", "different"),
        (DOMINO_AND_BRIDGE, "0 6 --method 1-WL", "same"),
        (DOMINO_AND_BRIDGE, "0 6 --method DE-SPD", "different"),
    ],
)
def test_distinguish_answers_and_says_why(shell: Shell, graph: str, arguments: str, answer: str) -> None:
    words = ["distinguish", write("graph.csv", graph), *shlex.split(arguments)]
    assert shell(*words, "--quiet") == (0, f"{answer}\n", "")
    code, out, err = shell(*words)
    verdict, why = out.splitlines()
    assert (code, verdict, err) == (0, answer, "") and len(why.split()) > 5
    if arguments == "a b":
        G = de.read_graph("graph.csv")
        assert why == de.distinguish((G, "a"), (G, "b")).why


def test_a_number_is_no_place_where_names_are_other_numbers(shell: Shell) -> None:
    assert "No node is called '0'" in shell("distinguish", write("graph.csv", "118,201\n201,305\n"), 0, 118).err


def test_import_runs_a_file_that_registers_an_encoding(shell: Shell) -> None:
    own = "de.encoding('sum', lambda near: near.degree + near.target_degree, columns=['sum'], max_dist=1)"
    write("own.py", f"import degnn_explore as de\n{own}\n")
    write("path.csv", "a,b\nb,c\n")
    arguments = ["distinguish", "path.csv", "a", "b", "--method", "DE-sum", "--quiet"]
    assert shell(*arguments).code == 2
    assert shell(*arguments, "--import", "own.py") == (0, "different\n", "")
