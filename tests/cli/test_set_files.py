"""Tables of target sets: what is a set, what is not, and that chunks change nothing."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import degnn_explore as de
from degnn_explore.cli.set_files import SetFile

NAMED = de.Graph.from_edges([("ann", "bob"), ("bob", "7"), ("7", "Smith, A")])  # 0, 1, 2, 3; not renumbered
TABLE = """\ufeff# made by hand
from,to,weight
ann,bob,0.5
 bob , 0 ,1

% another comment
"Smith, A",7,1
2,3,x
ann,ann,1
bob,eve,1
bob
"open,bob
,ann,1
99,ann,2
7,ann
"""


def written(folder: Path, text: str) -> str:
    path = folder / "sets.csv"
    path.write_text(text)
    return str(path)


def test_names_come_before_numbers_and_bad_lines_say_why(tmp_path: Path) -> None:
    source = SetFile(written(tmp_path, TABLE), NAMED, 2)
    (chunk,) = source.chunks(100)
    assert source.names == ["from", "to"]
    assert chunk.lines == [3, 4, 7, 8, 15]
    assert chunk.sets.tolist() == [[0, 1], [1, 0], [3, 2], [2, 3], [2, 0]]
    assert chunk.written[2] == ["Smith, A", "7"]
    assert [(bad.line, bad.why) for bad in chunk.bad] == [
        (9, "a node occurs twice"),
        (10, "no node is called 'eve'"),
        (11, "1 columns where a set has 2 nodes"),
        (12, "a quotation mark is not closed"),
        (13, "an empty cell where a node should be"),
        (14, "no node is called '99'"),
    ]


def test_a_table_without_header_parted_by_blanks(tmp_path: Path) -> None:
    source = SetFile(written(tmp_path, "0 1\n1   2\n"), de.load("karate"), None)
    (chunk,) = source.chunks(100)
    assert (source.p, source.names, chunk.sets.tolist()) == (2, ["node 1", "node 2"], [[0, 1], [1, 2]])


def test_columns_are_chosen_by_name_or_place(tmp_path: Path) -> None:
    path = written(tmp_path, "weight;to;from\n5;bob;ann\n")
    assert next(SetFile(path, NAMED, 2, ["from", "to"]).chunks(9)).sets.tolist() == [[0, 1]]
    path = written(tmp_path, "5\tbob\tann\n")
    assert next(SetFile(path, NAMED, 2, ["3", "2"]).chunks(9)).sets.tolist() == [[0, 1]]


def test_other_numbers_are_names_alone(tmp_path: Path) -> None:
    G = de.Graph.from_edges([("1", "2"), ("2", "3")])
    (chunk,) = SetFile(written(tmp_path, "1,2\n0,1\n"), G, 2).chunks(9)
    assert chunk.sets.tolist() == [[0, 1]]
    assert [bad.why for bad in chunk.bad] == ["no node is called '0'"]


def test_a_picture_is_no_table(tmp_path: Path) -> None:
    path = tmp_path / "a.csv"
    path.write_bytes(b"\x89PNG\0\0")
    with pytest.raises(de.ParameterError, match="not text in lines"):
        SetFile(str(path), NAMED, 2)


@settings(max_examples=40, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    cells=st.lists(st.lists(st.sampled_from(["ann", "bob", "7", "0", "3", "eve", "", "#", "4"]), max_size=3)),
    rows=st.integers(1, 5),
    at=st.integers(0, 9),
)
def test_chunks_of_any_size_and_a_later_start_give_the_same(
    tmp_path: Path, cells: list[list[str]], rows: int, at: int
) -> None:
    lines = ["from,to", *map(",".join, cells)]
    source = SetFile(written(tmp_path, "\n".join(lines) + "\n"), NAMED, 2)
    place = {"ann": 0, "bob": 1, "7": 2, "Smith, A": 3, "0": 0, "1": 1, "2": 2, "3": 3}
    expected, bad = [], []
    for number, line in enumerate(lines[1:], 2):
        if line and not line.startswith("#"):
            nodes = [place.get(word, -1) for word in line.split(",")[:2]]
            ok = len(set(nodes)) == 2 and -1 not in nodes
            (expected if ok else bad).append((number, nodes))
    chunks = list(source.chunks(rows))
    assert [n for chunk in chunks for n in chunk.lines] == [n for n, _ in expected]
    assert [S for chunk in chunks for S in chunk.sets.tolist()] == [S for _, S in expected]
    assert [b.line for chunk in chunks for b in chunk.bad] == [n for n, _ in bad]
    begin = min(at, len(chunks) - 1)
    rest = list(source.chunks(rows, chunks[begin].end))
    assert [c.lines for c in rest] == [c.lines for c in chunks[begin + 1 :]]
    assert all((a.sets == b.sets).all() for a, b in zip(rest, chunks[begin + 1 :], strict=True))
    assert all(chunk.sets.dtype == np.int64 for chunk in chunks)


def test_a_name_that_ends_in_a_blank_is_found_without_it(tmp_path: Path) -> None:
    """As one of the political blogs does; a name that is written just so comes first."""
    G = de.Graph.from_edges([(0, 1), (1, 2)], names=["a ", "b", "a"])
    file = tmp_path / "sets.csv"
    file.write_text("a,b\n")
    assert SetFile(str(file), G, 2).chunks(9).__next__().sets.tolist() == [[2, 1]]
    G = de.Graph.from_edges([(0, 1)], names=["a ", "b"])
    assert SetFile(str(file), G, 2).chunks(9).__next__().sets.tolist() == [[0, 1]]
