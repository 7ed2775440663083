"""de.load and de.datasets: every graph and its counts; downloads, against a real server on this machine."""

from __future__ import annotations

import errno
import hashlib
import http.server
import os
import shutil
import threading
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

import degnn_explore as de
from degnn_explore.common import files
from degnn_explore.reading import datasets
from degnn_explore.reading.datasets import as_graph, brec_file, data_folders


def needs(files: dict[str, str]) -> pytest.MarkDecorator:
    missing = [name for name in files if not any((folder / name).is_file() for folder in data_folders())]
    return pytest.mark.skipif(bool(missing), reason=f"DEGNN_DATA names no folder with {missing[:1]}")


NEEDS_AIRPORTS, NEEDS_BREC = needs(datasets.AIRPORTS), needs(datasets.BREC)
SHIPPED = ["celegans", "ns", "pb", "us-flights", "karate", "lesmis", "florentine"]
DOWNLOADED = ["brazil-airports", "europe-airports", "usa-airports"]


@pytest.fixture(autouse=True)
def _fresh() -> Iterator[None]:
    """Each test reads again."""
    datasets.read_by_name.cache_clear()
    yield
    datasets.read_by_name.cache_clear()


# ---- what is in the graphs ----------------------------------------------------------------------


@pytest.mark.parametrize(("name", "nodes", "edges", "triangles"), [
    ("celegans", 297, 2_148, 3_241),
    ("ns", 1_461, 2_742, 3_764),
    ("pb", 1_222, 16_714, 101_043),
    ("us-flights", 305, 2_834, 21_783),
    ("karate", 34, 78, 45),
    ("lesmis", 77, 254, 467),
    ("florentine", 15, 20, 3),
    pytest.param("brazil-airports", 131, 1_003, 4_879, marks=NEEDS_AIRPORTS),
    pytest.param("europe-airports", 399, 5_993, 46_009, marks=NEEDS_AIRPORTS),
    pytest.param("usa-airports", 1_190, 13_599, 180_576, marks=NEEDS_AIRPORTS),
])  # fmt: skip
def test_every_graph_has_its_counts_and_the_table_states_them(
    name: str, nodes: int, edges: int, triangles: int
) -> None:
    G = de.load(name)
    A = G.to_scipy()
    assert (G.num_nodes, G.num_edges, (A @ A * A).sum() / 6) == (nodes, edges, triangles)
    row = de.datasets().set_index("name").loc[name]
    classes = 0 if G.labels is None else len(np.unique(G.labels))
    assert (row["nodes"], row["edges"], row["labels"], row["available"]) == (nodes, edges, classes, True)
    assert G.labels is None or G.labels.min() == 0
    assert G.title
    assert de.load(name) is G


def test_the_table_has_a_row_for_each_graph_and_nothing_empty() -> None:
    table = de.datasets()
    assert table["name"].tolist() == SHIPPED + DOWNLOADED
    assert table.columns.tolist() == ["name", "nodes", "edges", "labels", "what", "source", "license", "available"]
    assert table["available"].dtype == bool
    assert (table[["what", "source", "license"]] != "").all().all()


def test_celegans_names_its_neurons_and_needs_no_cleaning() -> None:
    G = de.load("celegans")
    assert G.names[:2] == ("neuron 1", "neuron 51")
    assert not G.cleaning


def test_political_blogs_are_labeled_by_leaning() -> None:
    G = de.load("pb")
    assert np.bincount(G.labels).tolist() == [586, 636]
    assert G.info["leaning"][[0, -1]].tolist() == ["left", "right"]
    assert G.labels[[0, -1]].tolist() == [0, 1]


def test_us_flights_know_cities_quartiles_and_where_they_are() -> None:
    G = de.load("us-flights")
    abq = int(G.target_set("ABQ")[0])
    assert (G.info["city"][abq], G.info["state"][abq], G.labels[abq]) == ("Albuquerque", "NM", 3)
    assert G.positions[abq].tolist() == [-106.6092, 35.0402]
    assert np.bincount(G.labels).tolist() == [77, 76, 76, 76]
    assert sorted(G.info) == ["city", "flights", "latitude", "longitude", "state"] and not G.cleaning
    assert (np.diff(G.labels[np.argsort(G.info["flights"].astype(int))]) >= 0).all()


def test_karate_is_labeled_by_club() -> None:
    G = de.load("karate")
    assert np.bincount(G.labels).tolist() == [17, 17]
    assert G.labels[[0, 33]].tolist() == [0, 1]


def test_florentine_families_are_found_by_name() -> None:
    G = de.load("florentine")
    assert sorted(G.names[v] for v in G.neighbors("Medici")) == [
        "Acciaiuoli", "Albizzi", "Barbadori", "Ridolfi", "Salviati", "Tornabuoni"]  # fmt: skip


@NEEDS_AIRPORTS
def test_airports_keep_their_ids_as_names_and_report_what_was_cleaned() -> None:
    G = de.load("usa-airports")
    assert "10241" in G.names
    assert G.labels[G.target_set("10241")[0]] == 1
    assert G.neighbors("12343").size > 0
    brazil = de.load("brazil-airports")
    assert brazil.names == tuple(str(i) for i in range(131))
    assert str(brazil.cleaning) == "dropped 71 self-loops"
    assert str(de.load("europe-airports").cleaning) == "dropped 2 self-loops"


@pytest.mark.parametrize(("name", "words"), [
    ("celegan", "name='celegan' is not known; choose one of 'celegans', .* Did you mean 'celegans'"),
    ("brasil-airports", "Did you mean 'brazil-airports'"),
    (3, "name=3 is not known"),
    (["pb"], r"name=\['pb'\] is not known"),
])  # fmt: skip
def test_an_unknown_name_is_answered_with_the_nearest(name: object, words: str) -> None:
    with pytest.raises(de.ParameterError, match=words):
        de.load(name)  # type: ignore[arg-type]


def test_an_installed_package_finds_its_data_first(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    package = tmp_path / "site" / "degnn_explore"
    shutil.copytree(files.shipped("celegans"), package / "_data" / "celegans")
    monkeypatch.setattr(files, "PACKAGE", package)
    assert files.shipped("celegans") == package / "_data" / "celegans"
    assert de.load("celegans").num_edges == 2_148
    with pytest.raises(de.GraphError, match=r"The files of 'ns' are missing from this installation"):
        de.load("ns")
    assert de.datasets().set_index("name")["available"][["celegans", "ns"]].tolist() == [True, False]


# ---- downloads ----------------------------------------------------------------------------------

EDGES = b"5 7\n7 9\n9 7\n5 5\n5 9\n"
LABELS = b"node label\n9 2\n5 0\n7 1\n"
FILES = {"brazil-airports.edgelist": EDGES, "labels-brazil-airports.txt": LABELS}


class _Server(http.server.ThreadingHTTPServer):
    """Serves FILES, other content if ``spoil``; ``asked`` lists what was asked for."""

    spoil = False

    def __init__(self) -> None:
        self.asked: list[str] = []
        super().__init__(("127.0.0.1", 0), _Handler)


class _Handler(http.server.BaseHTTPRequestHandler):
    server: _Server

    def do_GET(self) -> None:
        name = self.path.removeprefix("/graph/")
        self.server.asked.append(name)
        content = FILES[name].replace(b"5", b"6") if self.server.spoil else FILES[name]
        self.send_response(200)
        self.send_header("Content-Length", str(len(content)))
        self.end_headers()
        self.wfile.write(content)

    def log_message(self, format: str, *args: object) -> None:
        """Quiet: the test's output is what matters."""


@pytest.fixture
def server(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[_Server]:
    """A server with small files in place of Brazil's, their true sums, an empty cache and no DEGNN_DATA."""
    monkeypatch.delenv("DEGNN_DATA", raising=False)
    monkeypatch.setattr(datasets, "cache_folder", lambda: tmp_path / "cache")
    for name, content in FILES.items():
        monkeypatch.setitem(datasets.AIRPORTS, name, hashlib.sha256(content).hexdigest())
    with _Server() as served:
        monkeypatch.setattr(datasets, "STRUC2VEC_URL", f"http://127.0.0.1:{served.server_port}/graph/")
        thread = threading.Thread(target=served.serve_forever, kwargs={"poll_interval": 0.02})
        thread.start()
        yield served
        served.shutdown()
        thread.join()


def cached(tmp_path: Path) -> list[str]:
    return sorted(path.name for path in (tmp_path / "cache").glob("*"))


def test_a_download_is_read_and_kept(server: _Server, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert not de.datasets().set_index("name")["available"]["brazil-airports"]
    G = de.load("brazil-airports")
    assert G.names == ("5", "7", "9")
    assert G.labels.tolist() == [0, 1, 2]
    assert G.edges.tolist() == [[0, 1], [0, 2], [1, 2]]
    assert (G.cleaning.self_loops, G.cleaning.reversed_duplicates) == (1, 1)
    assert "100%" in capsys.readouterr().err  # the progress bar
    assert cached(tmp_path) == sorted(FILES)
    assert {name: (tmp_path / "cache" / name).read_bytes() for name in FILES} == FILES
    assert de.datasets().set_index("name")["available"]["brazil-airports"]


def test_the_cache_is_used_before_the_internet(server: _Server) -> None:
    de.load("brazil-airports")
    datasets.read_by_name.cache_clear()
    de.load("brazil-airports")
    assert sorted(server.asked) == sorted(FILES)


def test_degnn_data_is_used_before_the_cache(server: _Server, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name, content in FILES.items():
        (tmp_path / name).write_bytes(content)
    monkeypatch.setenv("DEGNN_DATA", str(tmp_path))
    assert de.load("brazil-airports").num_edges == 3
    assert server.asked == []
    assert cached(tmp_path) == []


def test_a_change_of_degnn_data_is_honored(server: _Server, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    before = de.load("brazil-airports")
    (tmp_path / "brazil-airports.edgelist").write_bytes(b"5 7\n")
    monkeypatch.setenv("DEGNN_DATA", str(tmp_path))
    with pytest.raises(de.GraphError, match=r"is not the expected file"):
        de.load("brazil-airports")
    monkeypatch.delenv("DEGNN_DATA")
    assert de.load("brazil-airports") is before


def test_a_bad_download_is_refused_and_not_kept(server: _Server, tmp_path: Path) -> None:
    server.spoil = True
    with pytest.raises(de.GraphError, match=r"could not be downloaded .*SHA256 hash"):
        de.load("brazil-airports")
    assert cached(tmp_path) == []
    server.spoil = False
    assert de.load("brazil-airports").num_edges == 3


def test_offline_says_which_files_go_where(server: _Server, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with _Server() as gone:
        port = gone.server_port
    monkeypatch.setattr(datasets, "STRUC2VEC_URL", f"http://127.0.0.1:{port}/graph/")
    with pytest.raises(de.GraphError) as caught:
        de.load("usa-airports")
    message = str(caught.value)
    for part in (
        "could not be downloaded",
        f"http://127.0.0.1:{port}/graph/usa-airports.edgelist",
        str(tmp_path / "cache"),
        "DEGNN_DATA",
    ):
        assert part in message
    monkeypatch.setenv("DEGNN_DATA", str(tmp_path / "mine"))
    with pytest.raises(de.GraphError, match=f"into the folder {tmp_path / 'mine'}"):
        de.load("usa-airports")


def test_a_damaged_file_in_the_cache_is_downloaded_again(server: _Server, tmp_path: Path) -> None:
    (tmp_path / "cache").mkdir()
    (tmp_path / "cache" / "brazil-airports.edgelist").write_bytes(EDGES[:7])
    assert not de.datasets().set_index("name")["available"]["brazil-airports"]
    assert de.load("brazil-airports").num_edges == 3
    assert (tmp_path / "cache" / "brazil-airports.edgelist").read_bytes() == EDGES


def test_a_wrong_file_of_the_user_is_refused_and_left_alone(
    server: _Server, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    mine = tmp_path / "brazil-airports.edgelist"
    mine.write_bytes(b"1 2\n")
    monkeypatch.setenv("DEGNN_DATA", str(tmp_path))
    with pytest.raises(de.GraphError, match=r"brazil-airports.edgelist is not the expected file: its SHA-256"):
        de.load("brazil-airports")
    assert mine.read_bytes() == b"1 2\n"
    assert server.asked == []


def test_a_cache_that_cannot_be_written_is_our_error(server: _Server, tmp_path: Path) -> None:
    (tmp_path / "cache").write_text("a file where the folder should be", encoding="utf-8")
    with pytest.raises(de.GraphError, match=r"could not be downloaded .*cache.*DEGNN_DATA"):
        de.load("brazil-airports")


def test_a_locked_folder_and_a_long_name_are_no_files(
    server: _Server, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    real = os.stat

    def locked(path: object, **options: object) -> object:
        if str(path).startswith(str(tmp_path)):
            raise PermissionError(errno.EACCES, "Permission denied", str(path))
        return real(path, **options)

    monkeypatch.setenv("DEGNN_DATA", str(tmp_path))
    with monkeypatch.context() as patch:
        patch.setattr(os, "stat", locked)
        assert not de.datasets().set_index("name")["available"]["brazil-airports"]
    with pytest.raises(de.ParameterError, match="is not known; choose one of 'celegans'"):
        as_graph("x" * 300)


def test_several_folders_are_looked_in_one_after_the_other(
    server: _Server, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for folder, (name, content) in zip(("one", "two"), FILES.items(), strict=True):
        (tmp_path / folder).mkdir()
        (tmp_path / folder / name).write_bytes(content)
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("DEGNN_DATA", os.pathsep.join([str(tmp_path / "none"), str(tmp_path / "one"), "~/two", ""]))
    assert de.datasets().set_index("name")["available"]["brazil-airports"]
    assert de.load("brazil-airports").num_edges == 3
    assert server.asked == []


@NEEDS_BREC
def test_the_files_of_brec_hold_800_graphs() -> None:
    sizes = {name.removesuffix(".npy"): np.load(brec_file(name.removesuffix(".npy"))).size for name in datasets.BREC}
    assert sum(sizes.values()) == 800
    with pytest.raises(de.ParameterError, match=r"name='cfy' is not known.* Did you mean 'cfi'"):
        brec_file("cfy")


def test_brec_is_downloaded_like_the_airports(server: _Server, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    content = b"not the real one"
    monkeypatch.setitem(FILES, "cfi.npy", content)
    monkeypatch.setattr(datasets, "BREC_URL", datasets.STRUC2VEC_URL)
    with pytest.raises(de.GraphError, match=r"hash"):
        brec_file("cfi")
    monkeypatch.setitem(datasets.BREC, "cfi.npy", hashlib.sha256(content).hexdigest())
    assert brec_file("cfi").read_bytes() == content
    assert brec_file("cfi").parent == tmp_path / "cache"
    assert server.asked == ["cfi.npy", "cfi.npy"]
