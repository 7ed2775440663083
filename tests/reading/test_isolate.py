"""The child process that parses risky formats: whatever is in a file, one clear error, and the kernel is unharmed."""

from __future__ import annotations

import io
import os
import subprocess
import sys
import tempfile
import threading
import zipfile
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

import degnn_explore as de
from degnn_explore import Graph, GraphError
from degnn_explore.common.progress import Cancelled, watching
from degnn_explore.reading import isolate

from ..graphs.test_graph import everything
from . import readers
from .conftest import Write, refused

linux = pytest.mark.skipif(not sys.platform.startswith("linux"), reason="looks into /proc")


def children() -> set[str]:
    """The processes that this one has started and that are still there, dead or alive."""
    return set(Path(f"/proc/self/task/{threading.get_native_id()}/children").read_text(encoding="utf-8").split())


@pytest.fixture
def nothing_is_left(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """No process and no file."""
    before = children()
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    yield
    assert children() <= before
    assert list(tmp_path.iterdir()) == []


def parse(expression: str) -> Graph:
    """What the child makes of a file that holds this expression of Python."""
    with tempfile.TemporaryFile() as file:
        file.write(expression.encode())
        file.seek(0)
        return isolate.parse_in_child(readers.evaluate, file, "a graph")


PLAIN = (
    "(os.write(1, b'noise'), print('and more'), Graph.from_edges([(0, 1), (1, 2)]))[-1]"  # prints are not the answer
)
EVERYTHING = """Graph.from_edges(
    [("ä", "b\\n"), ("b\\n", "ä"), ("b\\n", "b\\n")], names=["ä", "b\\n", "c"],
    labels=[0, 1, -1], positions=[[0, 1], [2, 3], [4, 5.5]], attributes=[[1.5], [2], [3]],
    info={"age": [1, 2, 3], "word": ["x", "", "ö" * 50], "half": [0.5, np.inf, 1], "yes": [True, False, True],
          "long": ["y" * 3_000_000, "", "z"]}, title="t", directed=True, weighted=True)"""


@pytest.mark.parametrize("expression", [EVERYTHING, PLAIN])
def test_a_graph_comes_back_whole(expression: str) -> None:
    G, H = readers.evaluate(io.BytesIO(expression.encode())), parse(expression)
    assert everything(H) == everything(G) and repr(H) == repr(G) and hash(H.cleaning) == hash(G.cleaning)
    assert list(H.info) == list(G.info) and H.digest() == G.digest()
    assert all(H.info[key].dtype == G.info[key].dtype and not H.info[key].flags.writeable for key in G.info)


@linux
@pytest.mark.usefixtures("nothing_is_left")
@pytest.mark.parametrize(
    ("expression", "message"),
    [
        (r"os.write(2, b'first words\n\xff last words\n') and os.abort()",
         "the parser crashed on it .. last words.: the file is damaged, or is not a graph"),
        ("os._exit(7)", "the parser crashed on it .exit code 7."),
        ("os.kill(os.getpid(), 9)", "not enough memory to read it as a graph: more than 600 MB"),  # as Linux does
        ("[bytes(10**8) for _ in range(200)]", "not enough memory to read it as a graph: more than 600 MB"),
        ("next(iter(()))", r"this is not a graph: StopIteration\.$"),
        ("int('one\\ntwo')", "this is not a graph: ValueError: invalid literal .*one.*two"),
        ("Graph.from_edges([(0, 5)], 3)", "^An edge names node 5"),
    ],
)  # fmt: skip
def test_what_goes_wrong_ends_the_child_alone(expression: str, message: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(isolate, "MEMORY", (600_000_000, 0))
    with pytest.raises(GraphError, match=message):
        parse(expression)


@linux
def test_a_child_may_use_so_much_and_more_for_a_larger_file(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(isolate, "MEMORY", (1_000_000_000, 1_000_000))
    monkeypatch.setattr(isolate, "SECONDS", (100.0, 0.5))
    limit = "__import__('resource').getrlimit(getattr(__import__('resource'), 'RLIMIT_' + kind))[0]"
    others = "os.environ['OMP_NUM_THREADS'], open('/proc/self/oom_score_adj').read().strip()"
    title = f"str(([{limit} for kind in ('DATA', 'CPU', 'CORE')], {others}))"
    expression = f"Graph.from_edges([(0, 1)], title={title})".ljust(400)
    for machine, most in ((10**10, 1_400_000_000), (1_100_000_000, 1_100_000_000)):
        monkeypatch.setattr(isolate, "memory", lambda machine=machine: machine)
        assert parse(expression).title == str(([most, 300, 0], "1", "1000"))


@linux
@pytest.mark.usefixtures("nothing_is_left")
def test_cancel_ends_the_child_at_once() -> None:
    before, stop = children(), threading.Event()

    def cancel(what: str, share: float) -> None:
        assert children() - before  # it is at work
        stop.set()

    with pytest.raises(Cancelled), watching(cancel, stop):
        parse("threading.Event().wait()")


@linux
@pytest.mark.usefixtures("nothing_is_left")
@pytest.mark.parametrize("expression", ["threading.Event().wait()", "max(itertools.repeat(0))"])
def test_a_parser_that_does_not_end_is_stopped(expression: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(isolate, "SECONDS", (1.0, 0.0))
    shares: list[float] = []
    with pytest.raises(GraphError, match=r"took more than \d seconds"), watching(lambda _, share: shares.append(share)):
        parse(expression)
    assert 0.1 <= shares[0] < 0.2 and shares[-1] <= 0.8 and shares == sorted(shares)
    assert len(set(shares)) > 3 and ("max" in expression or shares[-1] > 0.7)


def test_an_unguarded_script_in_a_folder_of_traps_is_not_run_again(write: Write, tmp_path: Path) -> None:
    """Neither multiprocessing's second run of the script, nor modules next to it that are called like ours."""
    write("g.gml", "graph [ node [ id 0 ] node [ id 1 ] edge [ source 0 target 1 ] ]")
    write("xml.py", "raise SystemExit('trap')")
    (tmp_path / "code").mkdir()
    ours = str(Path(de.__file__).parents[1])
    code = f"import sys\nsys.path.insert(0, {ours!r})\nimport degnn_explore as de\nprint('once')\n"
    script = write("code/own.py", code + "print(de.read_graph('g.gml'))\n")
    environment = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}
    done = subprocess.run(
        [sys.executable, script], cwd=tmp_path, env=environment, capture_output=True, text=True, check=True
    )
    assert done.stdout.splitlines() == ["once", "Graph('g', 2 nodes, 1 edges)"]


def test_a_file_that_says_it_is_huge_is_refused(write: Write) -> None:
    header, file = io.BytesIO(), io.BytesIO()
    np.lib.format.write_array_header_1_0(header, {"descr": "<f8", "fortran_order": False, "shape": (50_000, 50_000)})
    with zipfile.ZipFile(file, "w") as archive:
        archive.writestr("adjacency.npy", header.getvalue())
    refused(write("bomb.npz", file.getvalue()), "not enough memory to read it as NumPy")
    refused(write("zeros.mat", bytes(500)), "this is not MATLAB")
