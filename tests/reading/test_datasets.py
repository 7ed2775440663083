"""de.load and de.datasets: every graph and its counts; downloads, from a real server on this machine."""

from __future__ import annotations

import functools
import hashlib
import http.server
import logging
import os
import shutil
import threading
from collections.abc import Iterator
from pathlib import Path
from unittest.mock import Mock

import numpy as np
import pytest

import degnn_explore as de
from degnn_explore.reading import datasets
from degnn_explore.reading.datasets import as_graph, brec_file, data_folders, name_of, offered


def needs(files: dict[str, str]) -> pytest.MarkDecorator:
    missing = [name for name in files if not any((folder / name).is_file() for folder in data_folders())]
    return pytest.mark.skipif(bool(missing), reason=f"DEGNN_DATA names no folder with {missing[:1]}")


NEEDS_AIRPORTS, NEEDS_BREC = needs(datasets.AIRPORTS), needs(datasets.BREC)


def put(folder: Path, contents: dict[str, bytes]) -> str:
    folder.mkdir(exist_ok=True)
    for name, content in contents.items():
        (folder / name).write_bytes(content)
    return str(folder)


@pytest.fixture(autouse=True)
def _fresh() -> Iterator[None]:
    """Each test reads again."""
    datasets.read_by_name.cache_clear()
    yield
    datasets.read_by_name.cache_clear()


# ---- what is in the graphs -----------------------------------------------------------------------------------

COUNTS = {  # nodes, edges, triangles, nodes of each class
    "celegans": (297, 2_148, 3_241, []),
    "ns": (1_461, 2_742, 3_764, []),
    "pb": (1_222, 16_714, 101_043, [586, 636]),
    "us-flights": (305, 2_834, 21_783, [77, 76, 76, 76]),
    "karate": (34, 78, 45, [17, 17]),
    "lesmis": (77, 254, 467, []),
    "florentine": (15, 20, 3, []),
    "brazil-airports": (131, 1_003, 4_879, [32, 32, 32, 35]),
    "europe-airports": (399, 5_993, 46_009, [99, 99, 99, 102]),
    "usa-airports": (1_190, 13_599, 180_576, [297, 297, 297, 299]),
}


@pytest.mark.parametrize(
    "name", [pytest.param(name, marks=NEEDS_AIRPORTS if "airports" in name else ()) for name in COUNTS]
)
def test_every_graph_has_its_counts_and_the_tables_state_them(name: str) -> None:
    G, (nodes, edges, triangles, classes) = de.load(name), COUNTS[name]
    A = G.to_scipy()
    assert (G.num_nodes, G.num_edges, (A @ A * A).sum() / 6) == (nodes, edges, triangles)
    assert (np.bincount(G.labels).tolist() if classes else G.labels) == (classes or None)
    table = de.datasets()
    assert table["name"].tolist() == list(COUNTS) and table["available"].dtype == bool
    row = table.set_index("name").loc[name]
    assert all(len(row[text]) > 5 for text in ("what", "source", "license"))
    assert (row["nodes"], row["edges"], row["labels"], row["available"]) == (nodes, edges, len(classes), True)
    assert offered()[name] == (G.title, len(classes)) and G.title
    assert de.load(name) is G and as_graph(name) is G and name_of(G.with_title("mine")) == name


def test_labels_positions_and_names_are_those_of_the_source() -> None:
    G = de.load("celegans")
    assert G.names[:2] == ("neuron 1", "neuron 51") and not G.cleaning and not de.load("us-flights").cleaning
    G = de.load("pb")
    assert (G.info["leaning"][[0, -1]].tolist(), G.labels[[0, -1]].tolist()) == (["left", "right"], [0, 1])
    G = de.load("karate")
    assert (G.info["club"][[0, 33]].tolist(), G.labels[[0, 33]].tolist()) == (["Mr. Hi", "Officer"], [0, 1])
    G = de.load("us-flights")
    abq = int(G.target_set("ABQ")[0])
    assert (G.info["city"][abq], G.info["state"][abq], G.labels[abq]) == ("Albuquerque", "NM", 3)
    assert G.positions[abq].tolist() == [-106.6092, 35.0402]
    assert (np.diff(G.labels[np.argsort(G.info["flights"].astype(int))]) >= 0).all()


def test_a_graph_is_known_by_its_edges_attributes_and_labels() -> None:
    G = de.load("karate")
    assert name_of(G.with_info({}).with_positions(np.zeros((34, 2)))) == "karate"
    assert name_of(G.without_edges([(0, 1)])) == name_of(G.with_attributes(np.ones((34, 1)))) == ""
    other_labels = G.with_labels(1 - G.labels)
    assert (name_of(other_labels), name_of(other_labels, labels=False)) == ("", "karate")
    rewired = de.Graph.from_edges([*G.without_edges([(0, 1)]).edges, (15, 14)], labels=G.labels)
    assert (rewired.num_edges, name_of(rewired, labels=False)) == (78, "")


def test_what_may_stand_for_a_graph(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    import networkx as nx

    monkeypatch.chdir(tmp_path)
    G = de.Graph.from_edges([(0, 1)])
    assert as_graph(G) is G
    assert as_graph(nx.path_graph(4)).num_edges == 3
    for name, answer in (("karatee", "'karatee' .*mean 'karate'"), ("karate.csv", "no such"), ("x" * 300, "not known")):
        with pytest.raises((de.ParameterError, de.GraphError), match=answer):
            as_graph(name)
    with pytest.raises(de.ParameterError, match="is not known"):
        de.load(["pb"])  # type: ignore[arg-type]
    put(tmp_path, {"karate.csv": b"0,1\n", "edges.csv": b"source,target\n0,1\n", "nodes.csv": b"id\n0\n1\n"})
    assert as_graph("karate.csv").num_edges == as_graph(tmp_path).num_edges == 1
    shutil.copytree(tmp_path, tmp_path / "karate")  # a folder that is there comes before the graph of that name
    assert as_graph("karate").num_edges == 1


# ---- downloads -----------------------------------------------------------------------------------------------

EDGES = b"5 7\n7 9\n9 7\n5 5\n5 9\n"
FILES = {"brazil-airports.edgelist": EDGES, "labels-brazil-airports.txt": b"node label\n9 1\n5 2\n7 0\n"}


class Handler(http.server.SimpleHTTPRequestHandler):
    def log_message(self, format: str, *arguments: object) -> None:
        """Nothing: the progress bar is what a test reads on standard error."""


@pytest.fixture
def site(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """The folder of a website: small files in place of Brazil's, with their sums; an empty cache and no DEGNN_DATA."""
    monkeypatch.delenv("DEGNN_DATA", raising=False)
    monkeypatch.setattr(datasets, "cache_folder", lambda: tmp_path / "cache")
    for name, content in FILES.items():
        monkeypatch.setitem(datasets.AIRPORTS, name, hashlib.sha256(content).hexdigest())
    serve = functools.partial(Handler, directory=put(tmp_path / "site", FILES))
    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), serve) as server:
        for address in ("STRUC2VEC_URL", "BREC_URL"):
            monkeypatch.setattr(datasets, address, f"http://127.0.0.1:{server.server_port}/")
        thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02})
        thread.start()
        yield tmp_path / "site"
        server.shutdown()
        thread.join()


def cached(site: Path) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in (site.parent / "cache").glob("*")}


def is_available() -> bool:
    return bool(de.datasets().set_index("name")["available"]["brazil-airports"])


def test_a_download_is_read_kept_and_used_again(
    site: Path, capsys: pytest.CaptureFixture[str], caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.DEBUG)
    assert not is_available() and name_of(de.Graph.from_edges([(0, 1)], 131)) == "" and cached(site) == {}
    G = de.load("brazil-airports")
    assert (G.names, G.labels.tolist(), G.edges.tolist()) == (("5", "7", "9"), [2, 0, 1], [[0, 1], [0, 2], [1, 2]])
    assert G.cleaning == de.Cleaning(self_loops=1, reversed_duplicates=1, renumbered=True)
    assert "100%" in capsys.readouterr().err  # the progress bar
    assert [record for record in caplog.records if record.name == "pooch"] == []
    assert cached(site) == FILES and is_available()
    shutil.rmtree(site)
    datasets.read_by_name.cache_clear()
    assert de.load("brazil-airports").num_edges == 3


def test_folders_of_degnn_data_come_first(site: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    one, two = (put(tmp_path / str(i), {name: FILES[name]}) for i, name in enumerate(FILES))
    wrong = put(tmp_path / "wrong", {"brazil-airports.edgelist": b"1 2\n"})
    monkeypatch.setenv("HOME", str(tmp_path))
    good = [str(tmp_path / "none"), one, f"~/{Path(two).name}", ""]
    monkeypatch.setenv("DEGNN_DATA", os.pathsep.join(good))
    assert is_available()
    G = de.load("brazil-airports")
    monkeypatch.setenv("DEGNN_DATA", os.pathsep.join([wrong, *good]))
    assert not is_available()
    with pytest.raises(de.GraphError, match=r"wrong.brazil-airports.edgelist is not the expected file.*SHA-256"):
        de.load("brazil-airports")
    assert (Path(wrong) / "brazil-airports.edgelist").read_bytes() == b"1 2\n"
    monkeypatch.setenv("DEGNN_DATA", os.pathsep.join(good))
    assert de.load("brazil-airports") is G and G.num_edges == 3 and cached(site) == {}

    monkeypatch.setattr("pooch.file_hash", Mock(side_effect=PermissionError(13, "Permission denied")))
    assert not is_available()


def test_bad_downloads_are_refused_and_not_kept(site: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for load, name in ((de.load, "brazil-airports.edgelist"), (brec_file, "cfi.npy")):
        put(site, {name: b"not the real one"})
        with pytest.raises(de.GraphError, match=r"could not be downloaded .*SHA256 hash"):
            load(name.partition(".")[0])
        assert name not in cached(site)
    monkeypatch.setitem(datasets.BREC, "cfi.npy", hashlib.sha256(b"not the real one").hexdigest())
    assert brec_file("cfi").read_bytes() == cached(site).pop("cfi.npy") == b"not the real one"
    (site.parent / "cache" / "cfi.npy").unlink()
    put(site, FILES)
    put(site.parent / "cache", {"brazil-airports.edgelist": EDGES[:7]})  # damaged
    assert not is_available()
    assert de.load("brazil-airports").num_edges == 3 and cached(site) == FILES


def test_offline_says_which_files_go_where(site: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    shutil.rmtree(site)
    with pytest.raises(de.GraphError, match=rf"{datasets.STRUC2VEC_URL}usa-airports.edgelist .*\(HTTPError: 404 "):
        de.load("usa-airports")
    (site.parent / "cache").rmdir()
    put(site.parent, {"cache": b"a file where the folder should be"})
    for folder, environment in ((site.parent / "cache", ""), (site.parent / "mine", str(site.parent / "mine"))):
        monkeypatch.setenv("DEGNN_DATA", environment)
        with pytest.raises(de.GraphError, match=rf"could not be downloaded .*the folder {folder} .*DEGNN_DATA"):
            de.load("usa-airports")


@NEEDS_BREC
def test_the_files_of_brec_hold_800_graphs() -> None:
    assert sum(np.load(brec_file(name.removesuffix(".npy"))).size for name in datasets.BREC) == 800
    with pytest.raises(de.ParameterError, match=r"name='cfy' is not known.* Did you mean 'cfi'"):
        brec_file("cfy")
