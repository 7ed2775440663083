"""Opening files: packed, missing, locked or endless ones; progress, Cancel, folders, uploads."""

from __future__ import annotations

import bz2
import errno
import gzip
import inspect
import io
import lzma
import os
import re
import subprocess
import sys
import tempfile
import threading
import zipfile
from collections.abc import Callable
from pathlib import Path

import pytest

import degnn_explore as de
from degnn_explore import GraphError, ParameterError, read_graph
from degnn_explore.common.progress import Cancelled, watching
from degnn_explore.reading import read
from degnn_explore.reading.read import read_file, read_folder
from degnn_explore.views import uploads

from .conftest import refused

Put = Callable[[str, str | bytes], Path]
DATA = Path(__file__).parents[2] / "data"
EDGES = b"0,1\n1,2\n"
GML = b"graph [ node [ id 0 ] node [ id 1 ] edge [ source 0 target 1 ] ]"


def zipped(members: dict[str, bytes]) -> bytes:
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, data in members.items():
            archive.writestr(name, data)
    return file.getvalue()


PACK = {".gz": gzip.compress, ".bz2": bz2.compress, ".xz": lzma.compress, ".zip": lambda data: zipped({"e.csv": data})}


@pytest.mark.parametrize("ending", PACK)
def test_a_packed_file_is_read_and_refused_past_the_limit(put: Put, ending: str) -> None:
    for name in (f"roads.csv{ending}", f"ROADS.CSV{ending.upper()}"):
        G = read_graph(put(name, PACK[ending](EDGES)))
        assert (G.title.lower(), G.edges.tolist()) == ("roads", [[0, 1], [1, 2]])
    bomb = PACK[ending](b"0,1\n" * 1_000_000)
    assert len(bomb) < 20_000
    with pytest.raises(GraphError, match=r"^e.csv.*the file holds more than 1 MB.* Do this"):
        read_file(("e.csv" + ending, bomb), limit=1_000_000, remedy="Do this.")
    assert read_file(("e.csv" + ending, bomb), limit=4_000_000).num_edges == 1
    refused(put(f"cut.csv{ending}", PACK[ending](EDGES)[:-9]), "the file cannot be read|the file is empty")


def test_a_packed_file_of_a_format_that_a_child_reads(put: Put) -> None:
    assert read_graph(put("g.gml.gz", gzip.compress(GML))).num_edges == 1
    assert read_graph(put("g.zip", zipped({"x/inner.gml": GML}))).title == "g"
    with pytest.raises(GraphError, match=r"the file holds more than 10 bytes"):
        read_file(("g.gml.gz", gzip.compress(GML)), limit=10)
    with pytest.raises(GraphError, match=r"^g.gml: the file holds more than 10 bytes"):
        read_file(("g.gml", GML), limit=10)
    with pytest.raises(GraphError, match=r"the file has 64 bytes; expected at most 10 bytes"):
        read_file(put("g.gml", GML), limit=10)


def test_four_gigabytes_in_four_megabytes_cost_no_more_than_the_limit(tmp_path: Path) -> None:
    piece = gzip.compress(b"0,1\n" * 2**22, 9)  # 16 MB
    for name in ("bomb.csv.gz", "bomb.graphml.gz"):
        (tmp_path / name).write_bytes(piece * 256)
    code = (
        "import sys, degnn_explore as de\n"
        "from degnn_explore.reading.read import read_file\n"
        "from tests.support.memory import peak\n"
        "for path in sys.argv[1:]:\n"
        "    try: read_file(path, limit=100_000_000)\n"
        "    except de.GraphError as error: print(error)\n"
        "print(peak())"
    )
    paths = [str(path) for path in sorted(tmp_path.iterdir())]
    done = subprocess.run([sys.executable, "-c", code, *paths], capture_output=True, text=True, timeout=300, check=True)
    *errors, peak = done.stdout.splitlines()
    assert [error.startswith(path) for error, path in zip(errors, paths, strict=True)] == [True, True]
    assert all("the file holds more than 100 MB" in error for error in errors)
    assert int(peak) < 700_000_000
    assert inspect.signature(read_file).parameters["limit"].default == 1_000_000_000


def test_an_archive_of_macos_holds_one_file_and_others_are_not_guessed_at(put: Put) -> None:
    macos = {"edges/": b"", "edges/edges.csv": EDGES, "__MACOSX/edges/._edges.csv": b"\0", "edges/.DS_Store": b"\0"}
    assert read_graph(put("g.zip", zipped(macos))).num_edges == 2
    assert read_graph(put("g.zip", zipped(macos | {"edges/._edges.csv": b"\0"}))).num_edges == 2  # by another zip tool
    refused(put("g.zip", zipped({"a.csv": EDGES, "b.csv": EDGES})), "the archive holds 2 files .*expected one")
    refused(put("g.zip", zipped({".DS_Store": b"\0"})), "the archive holds 0 files")


# ---- names that are no files ------------------------------------------------------------------------------


def test_files_that_are_not_there_or_not_files(tmp_path: Path, put: Put) -> None:
    refused(tmp_path / "nothing.csv", f"there is no such file; looked in {tmp_path}")
    refused(tmp_path, "this is a folder; expected a file")
    refused(put("e.xyz", "0,1\n"), r"unknown file ending '.xyz'.*expected one of .csv .*format='edgelist'")
    refused(put("e.csv.gz", b"0,1\n"), "the file cannot be read")
    refused(put("e.gml", ""), "the file is empty")
    with pytest.raises(GraphError, match=r"web addresses are not opened, so download the file first"):
        read_graph("https://example.org/e.csv")
    for path in (None, 3, b"e.csv"):
        with pytest.raises(ParameterError, match=r"path must be a file's name"):
            read_graph(path)


@pytest.mark.parametrize("ending", [".csv", ".gml"])
def test_what_the_system_refuses_is_our_error(
    tmp_path: Path, ending: str, monkeypatch: pytest.MonkeyPatch, put: Put
) -> None:
    (tmp_path / f"loop{ending}").symlink_to(tmp_path / f"loop{ending}")
    refused(tmp_path / f"loop{ending}", "the file cannot be read: .*symbolic links")
    refused(tmp_path / ("x" * 300 + ending), "the file cannot be read: .*name too long")
    refused(tmp_path / f"a\0b{ending}", "the file cannot be read: embedded null")
    path = put(f"e{ending}", GML if ending == ".gml" else EDGES)

    def locked(*_: object, **__: object) -> None:
        raise PermissionError(errno.EACCES, "Permission denied")

    for function in ("stat", "open"):
        with monkeypatch.context() as patch:
            patch.setattr(Path, function, locked)
            refused(path, "the file cannot be read: .*Permission denied")


@pytest.mark.skipif(not hasattr(os, "seteuid"), reason="Windows locks in other ways")
def test_a_locked_folder_is_our_error(tmp_path: Path) -> None:
    folder = tmp_path / "locked"
    folder.mkdir(mode=0o000)
    user = os.geteuid()
    if user == 0:  # nothing is locked for root
        os.seteuid(65_534)
    try:
        for path in (folder, folder / "e.csv"):
            with pytest.raises(GraphError, match=r"Permission denied|this is a folder"):
                read_graph(path)
    finally:
        os.seteuid(user)


@pytest.mark.parametrize(("name", "content"), [("e.csv", EDGES), ("g.gml", GML)])
def test_a_file_that_becomes_shorter_while_it_is_read_is_refused(put: Put, name: str, content: bytes) -> None:
    path = put(name, content)
    with pytest.raises(GraphError, match=f"^{re.escape(str(path))}: "):
        read_graph(path, progress=lambda what, share: os.truncate(path, 5))


def test_a_full_disk_is_our_error(monkeypatch: pytest.MonkeyPatch) -> None:
    def full(*_: object, **__: object) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(tempfile, "TemporaryFile", full)
    with pytest.raises(GraphError, match=r"^g.gml: .*No space left"):
        read_file(("g.gml", GML))


def test_a_tilde_is_the_home_folder(put: Put, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("USERPROFILE", str(tmp_path))
    put("e.csv", EDGES)
    put("l.csv", "0,7\n")
    put("p.g6", "ElEG\nE{CW\n")
    assert read_graph("~/e.csv", labels="~/l.csv").labels.tolist() == [7, -1, -1]
    assert len(de.theory.read_pairs("~/p.g6")) == 1
    (tmp_path / "nodes.csv").write_text("id\n0\n1\n", encoding="utf-8")
    (tmp_path / "edges.csv").write_text("source,target\n0,1\n", encoding="utf-8")
    assert read_graph("~").num_edges == 1
    with pytest.raises(GraphError, match=r"^~nobody-here/e.csv: .*home"):
        read_graph("~nobody-here/e.csv")


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="this system has no named pipes")
def test_pipes_and_devices_are_refused_by_kind(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe.csv")
    refused(tmp_path / "pipe.csv", "this is a pipe, a socket or a device; expected a file")
    refused(Path("/dev/zero"), "this is a pipe, a socket or a device")
    with pytest.raises(GraphError, match=r"pipe\.csv: this is a pipe"):
        read_graph(Path(__file__), format="edgelist", labels=tmp_path / "pipe.csv")


def test_every_list_of_formats_is_written_from_the_table() -> None:
    rows = [re.split(r"\s{2,}", line.strip()) for line in (read_graph.__doc__ or "").splitlines()]
    holds = {ending: row[1] for row in rows if len(row) == 2 for ending in row[0].split()}
    with pytest.raises(GraphError) as caught:
        read_graph(Path(__file__))
    for entry in read.FORMATS:
        assert entry.spoken in read.spoken_formats()
        assert entry.endings in str(caught.value)
        assert {holds[ending] for ending in entry.endings.split()} == {entry.holds}
    assert read.spoken_formats() in uploads.UPLOAD_HINT


def test_the_format_can_be_named(put: Put) -> None:
    G = read_graph(put("out.moreno", "% sym\n1 2\n2 3\n"), format="edgelist")
    assert (G.names, G.title) == (("1", "2", "3"), "out")
    assert read_graph(put("g.txt", GML), format="gml").num_edges == 1
    assert read_graph(put("g.csv", '{"nodes": [{}, {}], "edges": []}'), format="json").num_nodes == 2
    with pytest.raises(ParameterError, match=r"format='xls' is not known; choose one of 'csv'"):
        read_graph(put("e.csv", "0,1\n"), format="xls")


# ---- uploads, progress, folders ---------------------------------------------------------------------------


def test_uploads_are_limited_and_may_be_packed() -> None:
    with pytest.raises(
        GraphError, match=r"^own.csv.gz: the file holds more than 50 MB.* Name its path .* de.read_graph"
    ):
        uploads.read_own("own.csv.gz", gzip.compress(b"0,1\n" * 13_000_000))
    assert uploads.read_own("own.csv.xz", lzma.compress(EDGES)).title == "own"
    assert uploads.read_own("own.gml", GML).num_edges == 1


def test_reading_reports_how_far_it_is_and_can_be_stopped_whenever_it_does(put: Put) -> None:
    path = put("e.csv", "source,target\na,b\nb,c\n")
    reports: list[tuple[str, float]] = []
    assert read_graph(path, progress=lambda *now: reports.append(now)).num_edges == 2
    shares = [share for _, share in reports]
    assert shares == sorted(shares)
    assert 0 <= shares[0] < shares[-1] < 1
    for moment in range(len(reports) - 1):  # after the last report there is nothing left to stop
        stop, heard = threading.Event(), []

        def tell(what: str, share: float, heard=heard, stop=stop, moment=moment) -> None:
            heard.append((what, share))
            if len(heard) > moment:
                stop.set()

        with pytest.raises(Cancelled), watching(tell, stop):
            read_graph(path)
        assert heard == reports[: moment + 1]
    with pytest.raises(ParameterError, match=r"progress must be True, False or a function"):
        read_graph(path, progress=3)


def test_ctrl_c_ends_the_reading(put: Put) -> None:
    def interrupt(what: str, share: float) -> None:
        raise KeyboardInterrupt

    for path in (put("e.csv", "a,b\n"), put("g.gml", GML)):
        with pytest.raises(KeyboardInterrupt):
            read_graph(path, progress=interrupt)


def test_ids_of_a_folder_with_and_without_a_fraction(put: Put, tmp_path: Path) -> None:
    put("nodes.csv", "id,name,club\n1.0,ana,x\n2,ben,w\n")
    put("edges.csv", "source,target,weight\n1,2.0,3\n")
    G = read_graph(tmp_path)
    assert (G.names, G.edges.tolist(), G.cleaning.weights_ignored) == (("ana", "ben"), [[0, 1]], True)
    assert read_graph(tmp_path, label_column="club").labels.tolist() == [1, 0]


@pytest.mark.parametrize(
    ("nodes", "edges", "message"),
    [
        (None, "source,target\n0,1\n", r"nodes.csv: there is no such file"),
        ("id\n0\n", None, r"edges.csv: there is no such file"),
        ("name\na\n", "source,target\na,a\n", r"nodes.csv: line 1: no column 'id' among \['name'\]"),
        ("id\n0\n0\n", "source,target\n0,0\n", r"nodes.csv: line 3: the id '0' appears twice"),
        ("id\n0\n1\n", "source,target\n0,1\n1,2\n", r"edges.csv: line 3: '2' is not an id in nodes.csv"),
        ("id\n0\n1\n", "a,b\n0,1\n", r"edges.csv: line 1: the columns \['a', 'b'\]; expected source and target"),
        ("id,label\n0,nan\n1,2\n", "source,target\n0,1\n", r"nodes.csv: line 2: the label is 'nan'"),
        ("id,name\n0,a\n1,a\n", "source,target\n0,1\n", "Two nodes are called 'a'"),
        ("id\n0\n", "source,target\n", r"edges.csv: there is only a header line"),
    ],
)
def test_errors_in_folders_name_the_file(tmp_path: Path, nodes: str | None, edges: str | None, message: str) -> None:
    for name, content in (("nodes.csv", nodes), ("edges.csv", edges)):
        if content is not None:
            (tmp_path / name).write_text(content, encoding="utf-8")
    with pytest.raises(GraphError, match=message):
        read_folder(tmp_path)
