"""Each option of reading changes what it says; the same edges in another form, order or number give the same graph."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
import scipy.sparse
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import degnn_explore as de
from degnn_explore.reading.matrices import graph_of_matrix
from degnn_explore.reading.read import read_file

Put = Callable[[str, str | bytes], Path]
TABLE = "a,b,c\n1,2,5\n2,3,6\n3,4,7\n"


def same(G: de.Graph, H: de.Graph) -> bool:
    """The same names, and the same edges between them, in any order."""
    edges = [sorted(tuple(sorted((g.names[u], g.names[v]))) for u, v in g.edges) for g in (G, H)]
    return set(G.names) == set(H.names) and edges[0] == edges[1]


def test_header_says_whether_the_first_line_is_an_edge(put: Put) -> None:
    path = put("t.csv", "x,y\ny,z\n")
    assert de.read_graph(path, header=False).names == ("x", "y", "z")
    assert de.read_graph(path, header=True).names == ("y", "z")
    numbers = put("n.csv", "7,8\n8,9\n")
    assert de.read_graph(numbers).num_edges == de.read_graph(numbers, header=False).num_edges == 2
    assert de.read_graph(numbers, header=True).num_edges == 1
    assert de.read_graph(put("f.csv", "from,to\nto,there\n"), header=False).names == ("from", "to", "there")


@pytest.mark.parametrize("order", [("id", "club", "year"), ("year", "club", "id"), ("club", "id", "year")])
def test_the_labels_are_those_of_the_column_that_is_named(put: Put, order: tuple[str, ...]) -> None:
    """Also where ids and labels are whole numbers both, and could be taken for each other."""
    edges = put("e.csv", "1,2\n2,3\n")
    columns = {"id": "123", "club": "213", "year": "010"}
    rows = [{key: cells[k] for key, cells in columns.items()} for k in range(3)]
    labels = put("l.csv", "\n".join([",".join(order), *(",".join(row[key] for key in order) for row in rows)]) + "\n")
    for column in ("club", "year"):
        G = de.read_graph(edges, labels=labels, label_column=column)
        assert {name: int(label) for name, label in zip(G.names, G.labels, strict=True)} == {
            row["id"]: int(row[column]) for row in rows
        }
    assert de.read_graph(edges).labels is None
    with pytest.raises(de.GraphError, match=rf"l\.csv: no column 'size' among \['{order[0]}'"):
        de.read_graph(edges, labels=labels, label_column="size")


def test_a_limit_is_the_number_of_bytes_that_a_file_may_have() -> None:
    content = b"0,1\n1,2\n"
    assert read_file(("e.csv", content), limit=len(content)).num_edges == 2
    with pytest.raises(de.GraphError, match=r"Split it\."):
        read_file(("e.csv", content), limit=len(content) - 1, remedy="Split it.")


@pytest.mark.parametrize(
    ("matrix", "said"),
    [
        ([[0, 1], [1, 0]], ""),
        ([[0, 1], [0, 0]], "ignored edge directions"),
        ([[0, 2], [2, 0]], "ignored edge weights"),
        ([[1, 1], [1, 0]], "dropped 1 self-loop"),
        ([[0, 1, 0], [1, 0, 0], [0, 0, 0]], "kept 1 isolated node"),
        ([[0, 3], [0, 0]], "ignored edge directions; ignored edge weights"),
    ],
)
def test_what_is_changed_of_a_matrix_is_reported(matrix: list[list[int]], said: str) -> None:
    for form in (np.array(matrix), np.array(matrix, dtype=np.float32), scipy.sparse.csr_array(np.array(matrix))):
        G = graph_of_matrix(form)
        assert str(G.cleaning) == (said or str(de.Cleaning()))
        assert G.edges.tolist() == [[0, 1]] and G.num_nodes == len(matrix)


def test_a_stored_zero_is_no_edge() -> None:
    matrix = scipy.sparse.coo_array(([1, 1, 0, 0], ([0, 1, 1, 2], [1, 0, 2, 1])), shape=(3, 3))
    assert graph_of_matrix(matrix).edges.tolist() == [[0, 1]]


# ---- the same edges in another form ------------------------------------------------------------------------

ENDS = st.tuples(st.integers(0, 8), st.integers(0, 8)).filter(lambda ends: ends[0] != ends[1])
PAIRS = st.lists(ENDS, min_size=1, max_size=14)


@settings(max_examples=12, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(pairs=PAIRS, seed=st.integers(0, 99))
def test_order_repetition_and_notation_do_not_matter(put: Put, pairs: list[tuple[int, int]], seed: int) -> None:
    rng = np.random.default_rng(seed)
    words = [(f"n{u}", f"n{v}") for u, v in pairs]
    G = de.read_graph(put("g.csv", "".join(f"{u},{v}\n" for u, v in words)), header=False)
    mixed = [words[k][:: rng.choice([-1, 1])] for k in rng.permutation(len(words))]
    again = [*mixed, *(mixed[k] for k in rng.integers(0, len(mixed), 3))]
    for sep, name in ((",", "h.csv"), (";", "h.csv"), ("\t", "h.tsv"), (" ", "h.txt")):
        H = de.read_graph(put(name, "# a comment\n" + "\r\n".join(sep.join(pair) for pair in again)), header=False)
        assert same(G, H) and G.num_edges == H.num_edges
        merged = H.cleaning.duplicates + H.cleaning.reversed_duplicates
        assert merged == len(again) - H.num_edges
    assert same(G, de.read_graph(pd.DataFrame(again, columns=["source", "target"])))


@settings(max_examples=25)
@given(pairs=PAIRS)
def test_a_matrix_holds_the_graph_that_its_edges_are(pairs: list[tuple[int, int]]) -> None:
    n = 9
    matrix = np.zeros((n, n), dtype=int)
    for u, v in pairs:
        matrix[u, v] = matrix[v, u] = 1
    G, H = graph_of_matrix(matrix), de.Graph.from_edges(pairs, n)
    assert np.array_equal(G.edges, H.edges) and G.num_nodes == H.num_nodes
