"""What may be opened, what it may unpack to, and the one list of formats."""

from __future__ import annotations

import bz2
import gzip
import io
import lzma
import os
import subprocess
import sys
import zipfile
from pathlib import Path

import numpy as np
import pytest

import degnn_explore as de
from degnn_explore import GraphError, ParameterError, read_graph
from degnn_explore.reading import content, formats
from degnn_explore.reading.read import read_content
from degnn_explore.views.widgets import uploads

EDGES = b"0,1\n1,2\n"


def zipped(**members: bytes) -> bytes:
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, data in members.items():
            archive.writestr(name.replace("_", "."), data)
    return file.getvalue()


PACK = {".gz": gzip.compress, ".bz2": bz2.compress, ".xz": lzma.compress, ".zip": lambda data: zipped(e_csv=data)}


def refused(path: Path, message: str) -> None:
    with pytest.raises(GraphError, match=message) as caught:
        read_graph(path)
    assert str(caught.value).startswith(f"{path}: ")


@pytest.mark.parametrize("ending", PACK)
def test_a_packed_file_is_read_and_refused_once_it_is_past_the_budget(tmp_path, monkeypatch, ending):
    path = tmp_path / f"roads.csv{ending}"
    path.write_bytes(PACK[ending](EDGES))
    G = read_graph(path)
    assert (G.title, G.edges.tolist()) == ("roads", [[0, 1], [1, 2]])
    path.write_bytes(PACK[ending](b"0,1\n" * 1_000_000))
    assert path.stat().st_size < 20_000
    with pytest.raises(GraphError, match="more than 1 MB are in the file once it is unpacked"):
        content.unpack("e.csv" + ending, path.read_bytes(), budget=1_000_000)
    path.write_bytes(PACK[ending](EDGES)[:-9])
    refused(path, "the file cannot be read|the file is empty")


def test_a_bomb_costs_no_more_than_the_budget(tmp_path):
    """4 GB in 4 MB: given up at the budget, in a process that may take less than 4 GB."""
    path = tmp_path / "bomb.csv.gz"
    piece = gzip.compress(b"0,1\n" * 2**22, 9)  # 16 MB
    path.write_bytes(piece * 256)
    code = (
        "import resource, degnn_explore as de\n"
        "resource.setrlimit(resource.RLIMIT_AS, (3 * 10**9, 3 * 10**9))\n"
        f"try: de.read_graph({str(path)!r})\n"
        "except de.GraphError as error: print(error)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=300, check=False)
    assert "more than 1.0 GB are in the file once it is unpacked" in done.stdout, done.stderr[-2000:]


def test_the_members_of_npz_and_pt_count_unpacked(tmp_path, monkeypatch):
    monkeypatch.setattr(content, "FILE_BUDGET", 1_000_000)
    np.savez_compressed(tmp_path / "a.npz", adjacency=np.zeros((1000, 1000)))
    assert (tmp_path / "a.npz").stat().st_size < 20_000
    refused(tmp_path / "a.npz", "more than 1 MB are in the file once it is unpacked")
    (tmp_path / "a.pt").write_bytes(zipped(data_pkl=bytes(2_000_000)))
    refused(tmp_path / "a.pt", "more than 1 MB are in the file once it is unpacked")


def test_an_array_that_claims_more_than_is_there(tmp_path):
    header = io.BytesIO()
    np.lib.format.write_array_header_1_0(header, {"descr": "<f8", "fortran_order": False, "shape": (10**6, 10**6)})
    (tmp_path / "a.npz").write_bytes(zipped(adjacency_npy=header.getvalue() + bytes(100)))
    refused(tmp_path / "a.npz", "this is not an .npz file")


def test_uploads_count_unpacked():
    with pytest.raises(GraphError, match=r"^own.csv.gz: more than 50 MB .* Name its path .* de.read_graph"):
        uploads.read_own("own.csv.gz", gzip.compress(b"0,1\n" * 13_000_000))
    assert uploads.read_own("own.csv.xz", lzma.compress(EDGES)).title == "own"


def test_a_file_that_shrinks_after_it_was_opened_does_not_matter(tmp_path):
    path = tmp_path / "e.csv"
    path.write_bytes(b"0,1\n" * 500_000 + b"1,2\n")
    opened = content.open_file(path)
    path.write_bytes(b"")
    assert read_content(opened).num_edges == 2


def test_an_archive_of_several_files_is_not_guessed_at(tmp_path):
    (tmp_path / "g.zip").write_bytes(zipped(a_csv=EDGES, b_csv=EDGES))
    refused(tmp_path / "g.zip", "the archive holds 2 files .*expected one")
    (tmp_path / "g.zip").write_bytes(zipped(edges_csv=EDGES))
    assert read_graph(tmp_path / "g.zip").num_edges == 2


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="this system has no named pipes")
def test_pipes_and_devices_are_refused_by_kind(tmp_path):
    os.mkfifo(tmp_path / "pipe.csv")
    refused(tmp_path / "pipe.csv", "this is a pipe, a socket or a device; expected a file")
    refused(Path("/dev/zero"), "this is a pipe, a socket or a device")
    with pytest.raises(GraphError, match=r"pipe\.csv: this is a pipe"):
        read_graph(Path(__file__), format="edgelist", labels=tmp_path / "pipe.csv")


def test_what_is_no_file_name():
    for path in (None, 3, b"e.csv"):
        with pytest.raises(ParameterError, match="path must be a file's name"):
            read_graph(path)
    with pytest.raises(GraphError, match="an address on the web is not opened: download the file first"):
        read_graph("https://example.org/e.csv")


def test_every_list_of_formats_is_written_from_the_table(tmp_path):
    spoken = formats.spoken_formats()
    for entry in formats.FORMATS:
        assert entry.spoken in spoken
        assert entry.endings in de.read_graph.__doc__
        with pytest.raises(GraphError) as caught:
            read_graph(Path(__file__))
        assert entry.endings in str(caught.value)
    assert spoken in uploads.UPLOAD_HINT


def test_graph6_is_read_when_it_holds_one_graph(tmp_path):
    path = tmp_path / "domino.g6"
    path.write_text(">>graph6<<ElEG\n")
    G = read_graph(path)
    assert (G.title, G.num_nodes, G.edges.tolist()) == ("domino", 6, de.zoo.domino().edges.tolist())
    path.write_text("A~\n")  # the character's five other bits fill it up
    assert read_graph(path).edges.tolist() == [[0, 1]]
    path.write_text("ElEG\nE{CW\n")
    refused(path, "2 graphs are in it, the second on line 2; expected one.*read_pairs")
    path.write_text("~}~~\n")
    refused(path, "line 1: a graph of 258,?047 nodes takes .* characters")
