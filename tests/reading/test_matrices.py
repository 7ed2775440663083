"""Matrices and tensors as files: every sparse kind there and back, and what is claimed held against what is there."""

from __future__ import annotations

import io
import tempfile
import zlib
from pathlib import Path

import numpy as np
import pytest
import scipy.io
import scipy.sparse
from hypothesis import given, settings
from hypothesis import strategies as st

from degnn_explore import Cleaning, Graph, GraphError, read_graph

from ..strategies import graphs

KINDS = ["csr", "csc", "coo", "dia", "bsr"]
PATH = Graph.from_edges([(0, 1), (1, 2), (2, 3)])
MARKET = "%%MatrixMarket matrix coordinate"


def refused(path: Path, message: str) -> None:
    with pytest.raises(GraphError, match=message) as caught:
        read_graph(path)
    assert str(caught.value).startswith(f"{path}: ")


@given(G=graphs(), kind=st.sampled_from(KINDS))
@settings(max_examples=60)
def test_every_sparse_kind_there_and_back(G, kind):
    with tempfile.TemporaryDirectory() as folder:
        scipy.sparse.save_npz(Path(folder) / "g.npz", G.to_scipy().asformat(kind))
        H = read_graph(Path(folder) / "g.npz")
        np.testing.assert_array_equal(H.edges, G.edges)
        assert H.cleaning == Cleaning(isolated=int((G.degrees == 0).sum()))


@given(G=graphs())
@settings(max_examples=40)
def test_matrix_market_and_matlab_there_and_back(G):
    with tempfile.TemporaryDirectory() as folder:
        mtx, mat = Path(folder) / "g.mtx", Path(folder) / "g.mat"
        for symmetry in ("general", "symmetric"):
            scipy.io.mmwrite(mtx, G.to_scipy(), symmetry=symmetry, field="pattern")
            np.testing.assert_array_equal(read_graph(mtx).edges, G.edges)
        for packed in (False, True):
            for matrix in (G.to_scipy().tocsc(), G.to_scipy().toarray()):
                scipy.io.savemat(mat, {"network": matrix, "other": np.zeros(3), "note": "text"}, do_compression=packed)
                assert read_graph(mat).edges.tolist() == G.edges.tolist()


def test_blocks_and_diagonals_by_hand(tmp_path):
    blocks = scipy.sparse.bsr_array(
        np.array([[0, 1, 0, 0], [1, 0, 0, 0], [0, 0, 0, 1], [0, 0, 1, 0]]), blocksize=(2, 2)
    )
    scipy.sparse.save_npz(tmp_path / "b.npz", blocks)
    assert read_graph(tmp_path / "b.npz").edges.tolist() == [[0, 1], [2, 3]]
    path = scipy.sparse.dia_array((np.ones((2, 4)), [-1, 1]), shape=(4, 4))  # one entry of each line lies outside
    scipy.sparse.save_npz(tmp_path / "d.npz", path)
    assert read_graph(tmp_path / "d.npz").edges.tolist() == [[0, 1], [1, 2], [2, 3]]


def test_weights_and_one_way_entries_of_matrix_market_are_reported(tmp_path):
    (tmp_path / "g.mtx").write_text("%%MatrixMarket matrix coordinate real general\n% x\n3 3 2\n1 2 0.5\n2 3 1\n")
    G = read_graph(tmp_path / "g.mtx")
    assert G.edges.tolist() == [[0, 1], [1, 2]]
    assert G.cleaning == Cleaning(direction_ignored=True, weights_ignored=True)


# ---- broken and lying matrices -------------------------------------------------------------------------

SPARSE = {
    "csr": {"indptr": [0, 1, 3, 5, 6], "indices": [1, 0, 2, 1, 3, 2], "data": [1.0] * 6},
    "coo": {"row": [0, 1], "col": [1, 0], "data": [1.0, 1.0]},
    "dia": {"offsets": [-1, 1], "data": [[1.0] * 4] * 2},
    "bsr": {"indptr": [0, 1, 2], "indices": [0, 1], "data": [[[0.0, 1.0], [1.0, 0.0]]] * 2},
}


@pytest.mark.parametrize(
    ("kind", "changed", "message"),
    [
        ("csr", {"indptr": [0, 2**40, 3, 5, 6]}, "the index arrays of the csr matrix do not fit its 6 entries"),
        ("csr", {"indptr": [0, 100, 3, 5, 6]}, "do not fit"),
        ("csc", {"indptr": [0, 1, 3, 5, 7]}, "the index arrays of the csc"),
        ("csr", {"indptr": [1, 1, 3, 5, 6]}, "do not fit"),
        ("csr", {"indptr": [0, 1, 3]}, "do not fit"),
        ("csr", {"indptr": []}, "wrong kind"),
        ("csr", {"indptr": [0.0, 1, 3, 5, 6]}, "data, indices, indptr; one is missing or of a wrong kind"),
        ("csr", {"indices": [1, 0, 2, 1, 3, 2**40]}, "do not fit"),
        ("csc", {"indices": [1, 0, 2, 1, 3, -1]}, "do not fit"),
        ("csr", {"data": [1.0] * 5}, "do not fit its 5"),
        ("csr", {"data": [np.nan] * 6}, "not finite"),
        ("csr", {"shape": [10**9, 10**9]}, "1,000,000,000 nodes; expected at most 20,000,000"),
        ("csr", {"shape": [4, 5]}, "expected a square one"),
        ("csr", {"shape": [4]}, "the shape"),
        ("csr", {"shape": [-4, -4]}, "expected a square one"),
        ("coo", {"row": [0, 4]}, "this is not a coo matrix whose arrays fit"),
        ("coo", {"row": [0]}, "this is not a coo matrix"),
        ("coo", {"shape": [10**9, 10**9]}, "at most 20,000,000"),
        ("dia", {"offsets": [1]}, "this is not a dia matrix"),
        ("dia", {"data": [1.0, 1.0]}, "a dia matrix has the arrays data, offsets"),
        ("bsr", {"indptr": [0, 2**40, 2]}, "the index arrays of the bsr"),
        ("bsr", {"indices": [0, 2]}, "do not fit"),
        ("bsr", {"data": np.zeros((2, 3, 3))}, "do not fit"),
        ("bsr", {"data": np.zeros((2, 0, 2))}, "do not fit"),
        ("bsr", {"data": np.zeros((1, 2, 2))}, "do not fit its 1 entries"),
        ("lil", {}, "the format is 'lil'"),
    ],
)
def test_a_broken_sparse_matrix_is_refused_before_scipy_sees_it(tmp_path, kind, changed, message):
    arrays = {"shape": [4, 4]} | SPARSE.get("csr" if kind == "csc" else kind, {}) | changed
    np.savez(tmp_path / "a.npz", format=np.array(kind.encode()), **{key: np.array(x) for key, x in arrays.items()})
    refused(tmp_path / "a.npz", message)


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (f"{MARKET} pattern general\n1000000000 1000000000 1\n1 2\n", "of 1,000,000,000 nodes; expected at most"),
        (f"{MARKET} pattern general\n3 3 1000000000\n1 2\n", "1,000,000,000 entries are announced, 1 are there"),
        (f"{MARKET} pattern general\n3 3 2\n", "2 entries are announced, 0 are there"),
        (f"{MARKET} pattern general\n3 4 1\n1 2\n", r"shape \[3, 4\]; expected a square"),
        (f"{MARKET} pattern general\n3 3 1\n1 4\n", "entries outside its shape"),
        (f"{MARKET} pattern general\n3 3 1\n0 1\n", "entries outside its shape"),
        (f"{MARKET} pattern general\n3 3 1\n1 2 3\n", "the entries have 3 columns; expected 2"),
        (f"{MARKET} real general\n3 3 1\n1 2 x\n", "the entries have 3 columns; expected 3 of numbers"),
        (f"{MARKET} real general\n3 3 1\n1 2 inf\n", "not finite numbers"),
        (f"{MARKET} complex general\n3 3 1\n1 2 1 1\n", "expected a line %%MatrixMarket matrix coordinate"),
        ("%%MatrixMarket matrix array real general\n2 2\n1\n0\n0\n1\n", "line 1 is .*matrix array"),
        (f"{MARKET} pattern general\n", "there is no line of three sizes"),
        ("0 1\n1 2\n", "line 1 is"),
        ("%%MatrixMarket matrix array real symmetric\n%\n1 1\n0\0\n", "line 4: the byte 0x00"),
    ],
)
def test_bad_matrix_market_files(tmp_path, content, message):
    (tmp_path / "g.mtx").write_text(content)
    refused(tmp_path / "g.mtx", message)


def matlab(**arrays: object) -> bytes:
    file = io.BytesIO()
    scipy.io.savemat(file, arrays)
    return file.getvalue()


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (matlab(x=np.zeros((2, 2)), y=np.zeros((2, 2))), r"no array called 'adjacency' among \['x', 'y'\]"),
        (matlab(A=np.zeros((2, 3))), "expected a square one"),
        (matlab(Problem={"A": scipy.sparse.csc_array(np.eye(2))}), "no array called 'adjacency' among"),
        (matlab(A=np.array([[1j]])), "no array called 'adjacency'"),
        (matlab(A=np.eye(3))[:-20], "bytes are announced"),
        (b"\x89HDF\r\n\x1a\n" + bytes(600), "was saved with -v7.3; .*'-v7'"),
        (b"\0" * 500, "does not begin as MATLAB files"),
        (b"MATLAB", "does not begin as MATLAB files"),
    ],
)
def test_bad_matlab_files(tmp_path, content, message):
    (tmp_path / "g.mat").write_bytes(content)
    refused(tmp_path / "g.mat", message)


def test_a_matlab_file_with_broken_column_pointers_is_refused(tmp_path):
    whole = matlab(A=PATH.to_scipy().tocsc().astype(float))
    pointers = np.array([0, 1, 3, 5, 6], dtype="<i4").tobytes()
    assert whole.count(pointers) == 1
    (tmp_path / "g.mat").write_bytes(whole.replace(pointers, np.array([0, 2**30, 3, 5, 6], dtype="<i4").tobytes()))
    refused(tmp_path / "g.mat", "the index arrays of the csc matrix do not fit")


def test_a_packed_matlab_matrix_may_not_grow_past_the_budget(tmp_path, monkeypatch):
    from degnn_explore.reading import matrices

    packed = zlib.compress(matlab(A=np.zeros((1000, 1000)))[128:])
    element = (15).to_bytes(4, "little") + len(packed).to_bytes(4, "little") + packed
    (tmp_path / "g.mat").write_bytes(matlab()[:128] + element)
    assert read_graph(tmp_path / "g.mat").num_nodes == 1000
    monkeypatch.setattr(matrices, "FILE_BUDGET", 1_000_000)
    refused(tmp_path / "g.mat", "more than 1 MB are in the file once it is unpacked")


def test_a_tensor_without_content_may_not_claim_gigabytes(tmp_path):
    import torch

    torch.save({"edge_index": torch.zeros(1, dtype=torch.int64).expand(2, 10**8)}, tmp_path / "a.pt")
    refused(tmp_path / "a.pt", "what the tensors hold would take 1.6 GB, and at most 1.0 GB are allowed")
    torch.save({"edge_index": torch.tensor([[0], [1]]), "num_nodes": 10**9}, tmp_path / "b.pt")
    refused(tmp_path / "b.pt", "1000000000 nodes are too many")
