"""The child process that reads risky formats: whatever is in a file, one clear error, and the kernel is unharmed."""

from __future__ import annotations

import io
import json
import os
import random
import subprocess
import sys
import tempfile
import threading
import zipfile
import zlib
from collections.abc import Callable
from pathlib import Path
from typing import IO

import networkx as nx
import numpy as np
import pytest
import scipy.io
import scipy.sparse

import degnn_explore as de
from degnn_explore import Graph, GraphError, read_graph
from degnn_explore.common.progress import Cancelled, watching
from degnn_explore.reading import isolate, read
from degnn_explore.reading.matrices import read_pt

from .conftest import refused

Put = Callable[[str, str | bytes], Path]
GRAPH = Graph.from_networkx(nx.florentine_families_graph())
MARKET = "%%MatrixMarket matrix coordinate"
linux = pytest.mark.skipif(not sys.platform.startswith("linux"), reason="looks into /proc")


def children() -> set[str]:
    """The processes that this one has started and that are still there, dead or alive."""
    return set(Path(f"/proc/self/task/{threading.get_native_id()}/children").read_text(encoding="utf-8").split())


# ---- readers that misbehave, called by the child by name ---------------------------------------------------


def crash(file: IO[bytes]) -> Graph:
    os.abort()


def fill(file: IO[bytes]) -> Graph:
    return [bytes(10**8) for _ in range(200)]  # type: ignore[return-value]


def hang(file: IO[bytes]) -> Graph:
    threading.Event().wait()
    raise AssertionError


def spin(file: IO[bytes]) -> Graph:
    while True:
        pass


def chatter(file: IO[bytes]) -> Graph:
    os.write(1, b"noise on standard output")
    print("and more of it")
    return Graph.from_edges([("a", "b")])


def bug(file: IO[bytes]) -> Graph:
    raise KeyError("nothing")


def everything(file: IO[bytes]) -> Graph:
    """A graph with something in every field."""
    return Graph.from_edges(
        [("ä", "b\n"), ("b\n", "ä"), ("b\n", "b\n")],
        names=["ä", "b\n", "c"],
        labels=[0, 1, -1],
        positions=[[0, 1], [2, 3], [4, 5.5]],
        attributes=[[1.5], [2], [3]],
        info={"age": [1, 2, 3], "word": ["x", "", "ö" * 50], "half": [0.5, np.inf, 1], "yes": [True, False, True]},
        title="t",
        directed=True,
        weighted=True,
    )


def parse(reader: Callable[[IO[bytes]], Graph]) -> Graph:
    with tempfile.TemporaryFile() as file:
        file.write(b"content")
        file.seek(0)
        return isolate.parse_in_child(reader, file, "a graph")


def test_a_graph_comes_back_whole() -> None:
    G, H = everything(io.BytesIO()), parse(everything)
    assert (H.names, H.title, H.cleaning) == (G.names, G.title, G.cleaning)
    for field in ("indptr", "indices", "labels", "positions", "attributes"):
        np.testing.assert_array_equal(getattr(H, field), getattr(G, field))
        assert getattr(H, field).dtype == getattr(G, field).dtype
        assert not getattr(H, field).flags.writeable
    assert list(H.info) == list(G.info)
    for key in G.info:
        np.testing.assert_array_equal(H.info[key], G.info[key])
        assert H.info[key].dtype == G.info[key].dtype
    assert H.digest() == G.digest()


def test_what_the_parser_prints_is_not_the_graph() -> None:
    assert parse(chatter).names == ("a", "b")


@linux
def test_a_crash_a_bomb_and_a_bug_end_the_child_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    before = children()
    with pytest.raises(GraphError, match=r"the parser crashed on it .*the file is damaged, or is not a graph"):
        parse(crash)
    monkeypatch.setattr(isolate, "MEMORY", (600_000_000, 30))
    with pytest.raises(GraphError, match=r"not enough memory to read it as a graph: more than 600 MB"):
        parse(fill)
    with pytest.raises(GraphError, match=r"this is not a graph: KeyError: 'nothing'"):
        parse(bug)
    assert children() <= before


@linux
def test_a_hang_ends_at_the_deadline_and_on_cancel(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    before, stop = children(), threading.Event()
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))

    def cancel(what: str, share: float) -> None:
        assert children() - before  # it is at work
        stop.set()

    with pytest.raises(Cancelled), watching(cancel, stop):
        parse(hang)
    assert children() <= before
    monkeypatch.setattr(isolate, "SECONDS", (1.0, 0.0))
    for endless in (hang, spin):
        with pytest.raises(GraphError, match=r"took more than \d seconds; gave up"):
            parse(endless)
    assert children() <= before
    assert list(tmp_path.iterdir()) == []


def test_an_unguarded_script_in_a_folder_of_traps_is_not_run_again(put: Put, tmp_path: Path) -> None:
    """Neither multiprocessing's second run of the script, nor modules next to it that are called like ours."""
    put("g.gml", "graph [ node [ id 0 ] node [ id 1 ] edge [ source 0 target 1 ] ]")
    put("xml.py", "raise SystemExit('trap')")
    (tmp_path / "code").mkdir()
    ours = str(Path(de.__file__).parents[1])
    code = f"import sys\nsys.path.insert(0, {ours!r})\nimport degnn_explore as de\nprint('once')\n"
    script = put("code/own.py", code + "print(de.read_graph('g.gml'))\n")
    environment = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}
    done = subprocess.run(
        [sys.executable, script], cwd=tmp_path, env=environment, capture_output=True, text=True, check=True
    )
    assert done.stdout.splitlines() == ["once", "Graph('g', 2 nodes, 1 edges)"]


# ---- files that claim, explode or are damaged ---------------------------------------------------------------


def matlab(**arrays: object) -> bytes:
    file = io.BytesIO()
    scipy.io.savemat(file, arrays)
    return file.getvalue()


def saved(**arrays: object) -> bytes:
    file = io.BytesIO()
    np.savez(file, **arrays)
    return file.getvalue()


CSR = {"indptr": [0, 1, 3, 5, 6], "indices": [1, 0, 2, 1, 3, 2], "data": [1.0] * 6, "shape": [4, 4], "format": b"csr"}
LIES = {
    "a billion rows.mtx": (f"{MARKET} pattern general\n1000000000 1000000000 1\n1 2\n", "has 1,000,000,000 rows"),
    "a billion entries.mtx": (f"{MARKET} pattern general\n3 3 1000000000\n1 2\n", "not enough memory|Truncated"),
    "fewer entries.mtx": (f"{MARKET} pattern general\n3 3 2\n", "this is not Matrix Market"),
    "oblong.mtx": (f"{MARKET} pattern general\n3 4 1\n1 2\n", r"shape \[3, 4\]; expected a square"),
    "outside.mtx": (f"{MARKET} pattern general\n3 3 1\n1 4\n", "this is not Matrix Market.*out of bounds"),
    "complex.mtx": (f"{MARKET} complex general\n3 3 1\n1 2 1 1\n", "values of type complex"),
    "infinite.mtx": (f"{MARKET} real general\n3 3 1\n1 2 inf\n", "not finite numbers"),
    "endless.mtx": ("%%MatrixMarket " + "x" * 3_000_000, "this is not Matrix Market"),
    "pointers.npz": (saved(**CSR | {"indptr": [0, 2**40, 3, 5, 6]}), "this is not NumPy"),
    "indices.npz": (saved(**CSR | {"indices": [1, 0, 2, 1, 3, 2**40]}), "this is not NumPy"),
    "a billion.npz": (saved(**CSR | {"shape": [10**9, 10**9]}), "this is not NumPy|nodes; expected at most"),
    "nan.npz": (saved(adjacency=np.array([[0, np.nan], [1, 0]])), "not finite numbers"),
    "text.npz": (saved(adjacency=np.array([["a"]])), "values of type <U1"),
    "objects.npz": (saved(adjacency=np.array([[{}]], dtype=object)), "this is not NumPy.*allow_pickle"),
    "empty.npz": (saved(adjacency=np.zeros((0, 0))), "expected a square one"),
    "vector.npz": (saved(adjacency=np.zeros(3)), "expected a square one"),
    "two.npz": (saved(x=np.zeros(2), y=np.zeros(2)), r"no array called 'adjacency' among \['x', 'y'\]"),
    "two.mat": (matlab(x=np.zeros((2, 2)), y=np.zeros((2, 2))), "no array called 'adjacency' among"),
    "struct.mat": (matlab(A={"A": np.eye(2)}), "values of type|shape"),
    "cut.mat": (matlab(A=np.eye(30))[:-200], "this is not MATLAB"),
    "v73.mat": (b"MATLAB 7.3 MAT-file".ljust(124) + b"\x00\x02IM" + bytes(400), "saved with -v7.3.*'-v7'"),
    "zeros.mat": (bytes(500), "this is not MATLAB"),
    "unclosed.graphml": ("<graphml>\n<graph>\n</graphml>", "this is not GraphML.*mismatched tag: line 3"),
    "html.graphml": ("<html/>", "this is not GraphML"),
    "no node.graphml": (
        '<graphml xmlns="http://graphml.graphdrawing.org/xmlns"><graph edgedefault="undirected"/></graphml>',
        "it has no nodes",
    ),
    "outside.graphml": ('<!DOCTYPE g [<!ENTITY e SYSTEM "file:///etc/fstab">]><g>&e;</g>', "is not GraphML"),
    "deep.gexf": ("<a>" * 100_000 + "</a>" * 100_000, "this is not GEXF"),
    "none.gexf": ("<gexf/>", "this is not GEXF"),
    "cut.gml": ("graph [ node [ id 0 ]", "this is not GML"),
    "bytes.gml": (b"\xff", "line 1: the byte 0xff"),
    "endless.gml": ("graph [ " * 200_000, "this is not GML"),
}  # fmt: skip


@pytest.mark.parametrize("name", LIES)
def test_a_file_that_lies_is_refused_in_words(put: Put, name: str) -> None:
    refused(put(name, LIES[name][0]), LIES[name][1])


@pytest.mark.parametrize("ending", [".graphml", ".gexf"])
def test_entities_that_multiply_do_not_explode(put: Put, ending: str) -> None:
    bomb = '<?xml version="1.0"?>\n<!DOCTYPE g [<!ENTITY a "ha">'
    bomb += "".join(f'<!ENTITY {new} "{f"&{old};" * 10}">' for old, new in zip("abcdefghij", "bcdefghijk", strict=True))
    refused(put(f"bomb{ending}", bomb + "]><graphml>&k;</graphml>"), "this is not G|not enough memory")


def bombs(folder: Path) -> list[Path]:
    """4 GB in an .npz, twelve packed elements of 900 MB in a .mat."""
    header = io.BytesIO()
    np.lib.format.write_array_header_1_0(header, {"descr": "<f8", "fortran_order": False, "shape": (22_361, 22_361)})
    with (
        zipfile.ZipFile(folder / "bomb.npz", "w", zipfile.ZIP_DEFLATED, compresslevel=6) as archive,
        archive.open("adjacency.npy", "w", force_zip64=True) as member,
    ):
        member.write(header.getvalue())
        for _ in range(4000):
            member.write(bytes(10**6))
    packer, size = zlib.compressobj(6), 900_000_000
    whole = matlab(A=np.zeros((1, 1)))
    flags = whole[128 + 8 : 128 + 8 + 16]  # the tag and content of the array flags: a double array

    def tag(kind: int, length: int) -> bytes:
        return kind.to_bytes(4, "little") + length.to_bytes(4, "little")

    start = flags + tag(5, 8) + np.array([size // 8, 1], "<i4").tobytes() + tag(1, 1) + b"A".ljust(8, b"\0")
    packed = packer.compress(tag(14, len(start) + 8 + size) + start + tag(9, size))
    packed += b"".join(packer.compress(bytes(10**6)) for _ in range(size // 10**6)) + packer.flush()
    (folder / "bomb.mat").write_bytes(whole[:128] + 12 * (tag(15, len(packed)) + packed))
    return [folder / "bomb.npz", folder / "bomb.mat"]


@linux
def test_bombs_are_refused_within_a_minute_and_cost_the_kernel_nothing(tmp_path: Path) -> None:
    def peak() -> int:
        status = Path("/proc/self/status").read_text(encoding="utf-8")
        return int(status.split("VmHWM:")[1].split()[0])

    import resource

    before = children()
    for path in bombs(tmp_path):
        assert path.stat().st_size < 12_000_000
        Path("/proc/self/clear_refs").write_text("5", encoding="utf-8")  # the peak is counted from here
        memory, started = peak(), resource.getrusage(resource.RUSAGE_CHILDREN)
        refused(path, "not enough memory")
        ended = resource.getrusage(resource.RUSAGE_CHILDREN)
        assert ended.ru_utime + ended.ru_stime - started.ru_utime - started.ru_stime < 60
        assert peak() - memory < 100_000  # kB
    assert children() <= before


# ---- round trips and damaged bytes ---------------------------------------------------------------------------


def seeds() -> dict[str, bytes]:
    """A good file of each format that the child reads; PyG's has its own test, for torch takes seconds to import."""
    graph, matrix = GRAPH.to_networkx(), GRAPH.to_scipy()
    files: dict[str, bytes] = {}
    for ending in ("graphml", "gexf", "gml"):
        stream = io.BytesIO()
        getattr(nx, f"write_{ending}")(graph, stream)
        files[f"g.{ending}"] = stream.getvalue()
    for kind in ("csr", "csc", "coo", "dia", "bsr"):
        stream = io.BytesIO()
        scipy.sparse.save_npz(stream, matrix.asformat(kind))
        files[f"{kind}.npz"] = stream.getvalue()
    files["dense.npz"] = saved(adjacency=matrix.toarray())
    for name, options in {"general": {}, "pattern": {"field": "pattern", "symmetry": "symmetric"}}.items():
        stream = io.BytesIO()
        scipy.io.mmwrite(stream, matrix, **options)
        files[f"{name}.mtx"] = stream.getvalue()
    stream = io.BytesIO()
    scipy.io.mmwrite(stream, matrix.toarray())
    files["array.mtx"] = stream.getvalue()
    for name, array in {"sparse": matrix.tocsc(), "full": matrix.toarray()}.items():
        for packed in (False, True):
            stream = io.BytesIO()
            scipy.io.savemat(stream, {"network": array, "other": np.zeros(3), "note": "text"}, do_compression=packed)
            files[f"{name}{packed}.mat"] = stream.getvalue()
    return files


SEEDS = seeds()


@pytest.mark.parametrize("name", SEEDS)
def test_every_format_there_and_back(name: str) -> None:
    reader = next(entry.read for entry in read.FORMATS if Path(name).suffix in entry.endings.split())
    assert reader is not None
    G = reader(io.BytesIO(SEEDS[name]))
    assert G.edges.tolist() == GRAPH.edges.tolist()
    assert not G.cleaning


@pytest.mark.parametrize(
    "name", ["g.graphml", "g.gexf", "g.gml", "csr.npz", "dense.npz", "general.mtx", "sparseTrue.mat"]
)
def test_damaged_files_give_a_graph_or_one_clear_error(put: Put, name: str) -> None:
    """Bytes changed, cut out, repeated; ``DEGNN_FUZZ=100`` draws as many new cases for each."""
    many = int(os.environ.get("DEGNN_FUZZ", "0"))
    draw = random.Random(None if many else name)
    assert read_graph(put(name, SEEDS[name])).edges.tolist() == GRAPH.edges.tolist()
    for case in range(many or 2):
        content = bytearray(SEEDS[name])
        for _ in range(draw.randint(1, 4)):
            start, length = draw.randrange(len(content)), draw.choice([0, 1, 1, 2, 8, 30])
            new = draw.choice([draw.randbytes(length), b"", b"\xff" * 8, b"9" * 40, b"-1", b"\0" * 4, b"2147483648"])
            content[start : start + length] = new * draw.choice([1, 1, 50])
        path = put(name, bytes(content[: draw.choice([None, None, len(content) // 2])]))
        try:
            G = read_graph(path)
            assert G.num_nodes == len(G.names) >= 1
            assert G.indices.size == 0 or 0 <= G.indices.min() <= G.indices.max() < G.num_nodes
        except GraphError as error:
            assert str(error).startswith(f"{path}: "), case


def test_large_json_is_read_by_the_child(put: Put, monkeypatch: pytest.MonkeyPatch) -> None:
    """Its Python objects take twenty times its size, which the kernel need not give."""
    path = put("g.json", json.dumps({"nodes": [{"id": "a"}, {"id": "b"}], "edges": [{"source": "a", "target": "b"}]}))
    used: list[str] = []

    def spy(reader: Callable[[IO[bytes]], Graph], file: IO[bytes], expected: str) -> Graph:
        used.append(reader.__name__)
        return isolate.parse_in_child(reader, file, expected)

    monkeypatch.setattr(read, "parse_in_child", spy)
    assert read_graph(path).names == ("a", "b")
    assert used == []
    monkeypatch.setattr(read, "LARGE_DOCUMENT", 10)
    assert read_graph(path).names == ("a", "b")
    assert used == ["read_json"]


# ---- PyG -----------------------------------------------------------------------------------------------------


class Trap:
    """What a pickle could do to whoever loads it."""

    def __reduce__(self) -> tuple[object, ...]:
        return Path.touch, (Path(tempfile.gettempdir()) / "degnn-trap",)


def test_torch_files_of_pyg_and_of_plain_tensors(tmp_path: Path) -> None:
    import torch

    G = Graph.from_edges([("a", "b"), ("b", "c")], labels=[0, 1, 1], attributes=[[1.0], [2.0], [3.0]])
    data = G.to_pyg()
    for place, content in enumerate((data, data.to_dict(), (data.to_dict(), None, type(data)))):
        torch.save(content, tmp_path / "g.pt")
        with (tmp_path / "g.pt").open("rb") as file:
            H = read_graph(tmp_path / "g.pt") if place == 0 else read_pt(file)
        assert (H.names, H.labels.tolist(), H.attributes.tolist()) == (G.names, [0, 1, 1], [[1.0], [2.0], [3.0]])
        np.testing.assert_array_equal(H.edges, G.edges)
        assert not H.cleaning


def test_torch_files_that_are_refused(tmp_path: Path) -> None:
    """Read in this process, for torch takes seconds to import; what the child adds is tested above."""
    import torch

    trap = Path(tempfile.gettempdir()) / "degnn-trap"
    trap.unlink(missing_ok=True)
    contents: dict[str, object] = {
        "it holds a .*; expected a PyG Data": {"edge_index": torch.tensor([[0], [1]]), "trap": Trap()},
        "it has no edge_index": {"x": 1},
        "it has no edge_index; expected": {"edge_index": "text"},
        r"whole numbers of shape \[2, m\], not float32": {"edge_index": torch.tensor([[0.5], [1.0]])},
        "nodes are too many": {"edge_index": torch.tensor([[0], [1]]), "num_nodes": 10**9},
    }
    for message, content in contents.items():
        torch.save(content, tmp_path / "g.pt")
        with (tmp_path / "g.pt").open("rb") as file, pytest.raises(GraphError, match=message):
            read_pt(file)
    assert not trap.exists()
    (tmp_path / "g.pt").write_bytes((tmp_path / "g.pt").read_bytes()[:-100])
    refused(tmp_path / "g.pt", "this is not PyG")
