"""Opening files and folders: packed, missing, locked or endless ones; limits, progress, Cancel."""

from __future__ import annotations

import bz2
import errno
import gzip
import io
import lzma
import tempfile
import threading
import tracemalloc
import zipfile
from collections.abc import Callable
from pathlib import Path
from unittest.mock import Mock

import pytest

import degnn_explore as de
from degnn_explore import GraphError, read_graph
from degnn_explore.common.progress import Cancelled, watching
from degnn_explore.reading.read import read_file
from degnn_explore.views import uploads

from .conftest import Write, refused

EDGES = b"0,1\n1,2\n"
GML = b"graph [ node [ id 0 ] node [ id 1 ] edge [ source 0 target 1 ] ]"


def zipped(members: dict[str, bytes]) -> bytes:
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, data in members.items():
            archive.writestr(name, data)
    return file.getvalue()


PACK: dict[str, Callable[[bytes], bytes]] = {
    ".gz": gzip.compress,
    ".bz2": bz2.compress,
    ".xz": lambda data: lzma.compress(data, preset=0),
    ".zip": lambda data: zipped({"inner.csv": data}),
}


@pytest.mark.parametrize("ending", ["", *PACK])
def test_a_file_is_read_packed_or_not_in_capitals_or_not_up_to_its_limit(write: Write, ending: str) -> None:
    pack = PACK.get(ending, bytes)
    for name in (f"roads.csv{ending}", f"ROADS.CSV{ending.upper()}"):
        path = write(name, pack(EDGES))
        for file in (path, str(path), (name, pack(EDGES))):
            G = read_file(file)
            assert (G.title, G.edges.tolist()) == (name[:5], [[0, 1], [1, 2]])
            assert read_file(file, limit=len(EDGES)).num_edges == 2
            with pytest.raises(GraphError, match=rf"{name}: .*7 bytes.* Split it\."):
                read_file(file, limit=len(EDGES) - 1, remedy="Split it.")
    if ending:
        refused(write(f"cut.csv{ending}", pack(EDGES)[:-9]), "the file cannot be read|the file is empty")
        refused(write(f"plain.csv{ending}", EDGES), "the file cannot be read")


@pytest.mark.parametrize("ending", PACK)
def test_a_bomb_costs_no_more_memory_than_its_limit(ending: str) -> None:
    bomb = PACK[ending](bytes(40_000_000))
    tracemalloc.start()
    try:
        with pytest.raises(GraphError, match="the file holds more than 1 MB"):
            read_file((f"e.csv{ending}", bomb), limit=1_000_000)
        assert tracemalloc.get_traced_memory()[1] < 20_000_000
    finally:
        tracemalloc.stop()


def test_an_archive_holds_one_file_besides_those_of_macos_and_windows(write: Write, parsed_here: list[str]) -> None:
    added = {"in/": b"", "__MACOSX/in/e.csv": b"\0", "in/._e.csv": b"\0", "in/.DS_Store": b"\0", "Thumbs.db": b"\0"}
    G = read_graph(write("g.zip", zipped(added | {"in/e.csv": EDGES, "desktop.ini": b"\0"})))
    assert (G.num_edges, G.title) == (2, "g")
    assert read_graph(write("g.zip", zipped({"x/inner.GML": GML}))).num_edges == 1
    refused(write("g.zip", zipped({"a.csv": EDGES, "b.csv": EDGES})), "2 files .*'a.csv', 'b.csv'.*expected one")


def test_uploads_are_limited_and_may_be_packed() -> None:
    with pytest.raises(GraphError, match=r"^own.csv.gz: the file holds more than 50 MB.* de\.read_graph"):
        uploads.read_own("own.csv.gz", gzip.compress(bytes(50_000_001), 1))
    name = "x" * 99
    assert uploads.read_own(f"{name}.csv.xz", lzma.compress(EDGES)).title == name[:60]


def test_what_the_system_refuses_is_our_error(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, write: Write) -> None:
    (tmp_path / "loop.csv").symlink_to(tmp_path / "loop.csv")
    refused(tmp_path / "loop.csv", "cannot be read: .*symbolic links")
    refused(tmp_path / ("x" * 300), "cannot be read: .*name too long")
    refused(tmp_path / "a\0b.csv", "cannot be read: embedded null")
    path = write("e.csv", EDGES)
    for error, message in ((PermissionError(13, "Denied"), "Denied"), (MemoryError(), "not enough")):
        with monkeypatch.context() as patch:
            patch.setattr(Path, "open", Mock(side_effect=error))
            refused(path, message)
    monkeypatch.setattr(tempfile, "TemporaryFile", Mock(side_effect=OSError(errno.ENOSPC, "No space left on device")))
    with pytest.raises(GraphError, match=r"^e.csv: .*No space left"):
        read_file(("e.csv", EDGES))


def test_a_tilde_is_the_home_folder(write: Write, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("USERPROFILE", str(tmp_path))
    write("nodes.csv", "id\n0\n1\n")
    write("edges.csv", "source,target\n0,1\n")
    assert read_graph("~/edges.csv").num_edges == read_graph("~").num_edges == 1
    with pytest.raises(GraphError, match=r"^~nobody-here/e.csv: .*home"):
        read_graph("~nobody-here/e.csv")


@pytest.mark.parametrize("name", ["e.csv", "e.csv.gz"])
def test_reading_reports_how_far_it_is_and_can_be_stopped(write: Write, name: str) -> None:
    content = b"source,target\na,b\nb,c\n"
    path = write(name, gzip.compress(content) if name.endswith(".gz") else content)
    reports: list[tuple[str, float]] = []
    assert read_graph(path, progress=lambda *now: reports.append(now)).num_edges == 2
    shares = [share for _, share in reports]
    assert shares == sorted(shares) and len(set(shares)) >= 3
    assert 0 <= shares[0] < 0.2 and 0.7 < shares[-1] < 1
    stop = threading.Event()
    with pytest.raises(Cancelled), watching(lambda *now: stop.set(), stop):
        read_graph(path)


# ---- folders -------------------------------------------------------------------------------------------------


def test_a_folder_of_nodes_and_edges(write: Write, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write("nodes.csv", "id,name,label,longitude,latitude,city,size\n"
          "9.0,ana,red,1.5,2,Bonn,3\n1,ben,,-3,4,Lyon,4.5\n7,cai,blue,5,6,,6\n")  # fmt: skip
    write("edges.csv", "weight,target,source,note\n3,9,1.0,x\n1,7,1,y\n1,1,7,z\n1,7,7,z\n")
    monkeypatch.chdir(tmp_path)
    for folder in (tmp_path, str(tmp_path), "."):
        G = read_graph(folder)
        assert (G.names, G.title, G.edges.tolist()) == (("ana", "ben", "cai"), tmp_path.name, [[0, 1], [1, 2]])
        assert (G.labels.tolist(), G.info["label"].tolist()) == ([1, -1, 0], ["red", "", "blue"])
        assert G.positions.tolist() == [[1.5, 2], [-3, 4], [5, 6]]
    info = {key: column.tolist() for key, column in G.info.items() if key != "label"}
    assert info == {"longitude": [1.5, -3, 5], "latitude": [2, 4, 6], "city": ["Bonn", "Lyon", ""], "size": [3, 4.5, 6]}
    assert G.cleaning == de.Cleaning(self_loops=1, reversed_duplicates=1, weights_ignored=True, renumbered=True)
    assert read_graph(tmp_path, label_column="city").labels.tolist() == [0, 1, -1]
    assert read_graph(tmp_path, labels=write("l.csv", "ben,5\n")).labels.tolist() == [-1, 5, -1]


@pytest.mark.parametrize(
    ("header", "nodes", "names", "renumbered"),
    [
        ("id", ("0", "1"), ("0", "1"), False),
        ("id", ("1", "0"), ("1", "0"), True),
        ("id", ("x", "y"), ("x", "y"), False),
        ("id,name", ("5,ana", "6,ben"), ("ana", "ben"), True),
        ("id,name,label", ("x,ana,3", "y,ben,-1"), ("ana", "ben"), False),
    ],
)
def test_names_of_a_folder(
    write: Write, tmp_path: Path, header: str, nodes: tuple[str, ...], names: tuple[str, ...], renumbered: bool
) -> None:
    write("nodes.csv", "\n".join([header, *nodes]))
    write("edges.csv", "from,to\n" + ",".join(node.split(",")[0] for node in nodes))
    G = read_graph(tmp_path)
    assert (G.names, G.cleaning, G.num_edges) == (names, de.Cleaning(renumbered=renumbered), 1)
    assert (G.labels is not None, dict(G.info)) == ("label" in header, {})
