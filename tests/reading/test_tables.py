"""Tables of edges and of labels, in files and in DataFrames: every notation, every option, every bad table."""

from __future__ import annotations

import io
import re
from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from degnn_explore import Cleaning, GraphError, read_graph
from degnn_explore.reading.tables import read_edge_list

from .conftest import Write, refused

# ---- edge lists ----------------------------------------------------------------------------------------------

Rows = list[tuple[object, object]]
ENDS = st.integers(0, 5) | st.integers(-9, 30) | st.integers(-(2**62), 2**62) | st.sampled_from(["a", "b c", "ä", "x1"])
NOTATIONS = st.fixed_dictionaries(
    {
        "sep": st.sampled_from([",", ";", "\t", " ", ", ", "   "]),
        "end": st.sampled_from(["\n", "\r\n", "\r", "\n\n"]),
        "quote": st.sampled_from(["", '"']),
        "top": st.sampled_from(["", "# made by hand\n", "\n% x\n#y\n", "\ufeff"]),
        "header": st.sampled_from([None, ("source", "target"), ("To", "From")]),
        "last": st.booleans(),
    }
)


def slowly(rows: Rows) -> tuple[tuple[str, ...], set[frozenset[str]], Cleaning]:
    """Names, edges and cleaning report by the rules in the docstring of ``read_edge_list``, one row after another."""
    ids = list(dict.fromkeys(end for row in rows for end in row))
    whole = all(isinstance(end, int) for end in ids)
    names = [str(end) for end in (sorted(ids) if whole else ids)]
    if numbered := set(names) == set(map(str, range(len(names)))):
        names = [str(i) for i in range(len(names))]
    directed = [(str(u), str(v)) for u, v in rows if u != v]
    edges = {frozenset(pair) for pair in directed}
    cleaning = Cleaning(
        self_loops=len(rows) - len(directed),
        duplicates=len(directed) - len(set(directed)),
        reversed_duplicates=len(set(directed)) - len(edges),
        isolated=len(set(names).difference(*edges)),
        renumbered=whole and not numbered,
    )
    return tuple(names), edges, cleaning


@settings(max_examples=60)
@given(rows=st.lists(st.tuples(ENDS, ENDS), min_size=1, max_size=12), notation=NOTATIONS)
def test_any_rows_in_any_notation_are_the_graph_of_a_slow_reader(rows: Rows, notation: dict[str, Any]) -> None:
    quote = notation["quote"] or ('"' if notation["sep"].isspace() else "")  # "b c" is one word
    backwards = notation["header"] == ("To", "From")
    table = [row[::-1] if backwards else row for row in rows]
    lines = [notation["sep"].join(f"{quote}{end}{quote}" for end in row) for row in table]
    lines[:0] = [notation["sep"].join(notation["header"])] if notation["header"] else []
    text = notation["top"] + notation["end"].join(lines) + notation["end"] * notation["last"]
    from_file = read_edge_list(text.encode(), header=bool(notation["header"]))
    from_frame = read_graph(pd.DataFrame(table, columns=list(notation["header"] or ("source", "target"))))
    names, edges, cleaning = slowly(rows)
    for G in (from_file, from_frame):
        assert (G.names, G.cleaning) == (names, cleaning)
        assert {frozenset(G.names[node] for node in edge) for edge in G.edges} == edges


WEIGHTED = Cleaning(weights_ignored=True)


@pytest.mark.parametrize(
    ("content", "cleaning"),
    [
        ('0, 1\n"1" , "2"\n', Cleaning()),
        ("  # a comment\n\n 0   1\n\n 1  2\n", Cleaning()),
        ("0,1,\n1,2,\n", Cleaning()),  # a separator at each line's end is no column
        ("# source,target\n0,1\n1,2\n", Cleaning()),  # as numpy.savetxt writes it
        ("0 1 {}\n1 2 {}\n", Cleaning()),  # as networkx does
        ("0 1 {'weight': 2, 'x': 3}\n1 2 {}\n", WEIGHTED),
        ("u,v,strength\n0,1,.5\n1,2,1\n", WEIGHTED),
        ("0;1;0,5\n1;2;1,5\n", WEIGHTED),
        (f"0,1,{'9' * 400}\n1,2,1\n", WEIGHTED),
        (f"0,1,-0.{'3' * 400}e-7\n1,2,1\n", WEIGHTED),
        ("weight,target,source\n5,1,0\n6,2,1\n", WEIGHTED),
        ("source,target,Weight,note\n0,1,heavy,x\n1,2,light,y\n", Cleaning(columns_ignored=("Weight", "note"))),
        ("Id,Source,Target,Type,Weight\n1,0,1,undirected,2\n2,1,2, Directed,1\n",
         Cleaning(direction_ignored=True, weights_ignored=True, columns_ignored=("Id", "Type"))),
        ("Type,Target,Source\nDirected,1,0\nDirected,2,1\n",
         Cleaning(direction_ignored=True, columns_ignored=("Type",))),
    ],
)  # fmt: skip
def test_what_becomes_of_other_columns_is_reported(content: str, cleaning: Cleaning) -> None:
    G = read_edge_list(content.encode())
    assert (G.edges.tolist(), G.cleaning) == ([[0, 1], [1, 2]], cleaning)
    if content[0].isalpha() and "," in content:
        assert read_graph(pd.read_csv(io.StringIO(content), skipinitialspace=True)).cleaning == cleaning


@pytest.mark.parametrize("odd", ["007", "+7", "7.5", "-0", "1.5e-3", "0x10", "nan", "NA", "9" * 30, "héé"])
def test_an_id_keeps_its_text_even_if_it_looks_like_a_number(odd: str) -> None:
    assert read_edge_list(f"1,2\n2,{odd}\n".encode()).names == ("1", "2", odd)
    assert read_edge_list(f"{odd},2\n2,5\n".encode(), header=False).names == (odd, "2", "5")
    assert read_graph(pd.DataFrame({"a": ["1", "2"], "b": ["2", odd]})).names == ("1", "2", odd)


@pytest.mark.parametrize(
    ("content", "names"),
    [
        *[(text, ("1", "2", "3")) for text in ("1.0,2.0\n2.0,3.0\n", "1,2.0\n2,3.0\n", "a,b\n1,2\n2.,3.000\n")],
        ("1e3,2.0\n2E0,2.0e+01\n", ("2", "20", "1000")),
        ("2.0,0\n0,1\n", ("0", "1", "2")),
        ("1.5,2.0\n2.0,3.5\n", ("1.5", "2.0", "3.5")),  # one is not whole, so all keep their text
        ("ana,1e3\n1.25e1,ben\n", ("ana", "1e3", "1.25e1", "ben")),
        ("ff,1e3\n1000,c0\n", ("ff", "1e3", "1000", "c0")),  # hexadecimal: 1e3 is not a thousand
        ("a b,c\nc,a b \n", ("a b", "c")),
        ('"Smith, J",C#\nC#,"#tag"\n"50%", "Smith, J" \n', ("Smith, J", "C#", "#tag", "50%")),
        ("python,#ml\n#ml,#ai\n%x,#ai\n", ("python", "#ml", "#ai", "%x")),  # comments stand above the first row
        ("#ml,#ai\n#ai,#python\n", ("#ml", "#ai", "#python")),  # two hashtags are an edge, one is a comment
    ],
)
def test_ids_that_could_be_read_in_two_ways(content: str, names: tuple[str, ...]) -> None:
    G = read_edge_list(content.encode())
    assert G.names == names
    assert G.cleaning.renumbered == (names[0] in ("1", "2"))


def test_words_that_turn_into_numbers_far_down_keep_their_text() -> None:
    """pandas would read the file in pieces, and take those that hold only digits for numbers."""
    words = [f"person-{i:06d},person-{i + 1:06d}" for i in range(20_000)]
    digits = [f"{i:06d},{i + 1:06d}" for i in range(60_000)]
    G = read_edge_list("\n".join(words + digits).encode())
    assert (G.num_nodes, G.num_edges) == (80_002, 80_000)
    assert G.names[20_001:20_003] == ("000000", "000001")


@pytest.mark.parametrize(
    ("content", "is_header"),
    [
        ("x,y\ny,z\n", False),
        ("x,y\n1,2\n", True),
        ("x,y\nz,1.5\n", False),
        ("x,to\ny,z\n", False),
        ("a,-3\n7,8\n", False),
        ("last, first;friend\n1;2\n2;3\n", True),
        ('"a;b",c\n1,2\n2,3\n', True),
    ],
)
def test_the_first_line_names_the_columns_if_it_looks_so_or_the_user_says_so(content: str, is_header: bool) -> None:
    lines = len(content.splitlines())
    for option, skipped in ((None, is_header), (True, True), (False, False)):
        assert read_edge_list(content.encode(), header=option).num_edges == lines - skipped, option


PEOPLE = "id,name,friend\n1,ana,ben\n2,ben,cai\n"


@pytest.mark.parametrize(
    ("columns", "names", "cleaning"),
    [
        (["friend", "name"], ("ben", "ana", "cai"), WEIGHTED),
        ((0, 1), ("1", "ana", "2", "ben"), Cleaning(columns_ignored=("friend",))),
    ],
)
def test_columns_chooses_the_ends(columns: Any, names: tuple[str, ...], cleaning: Cleaning) -> None:
    for G in (
        read_edge_list(PEOPLE.encode(), columns=columns),
        read_graph(pd.read_csv(io.StringIO(PEOPLE)), columns=columns),
    ):
        assert (G.names, G.num_edges, G.cleaning) == (names, 2, cleaning)
    G = read_edge_list(b"a,x,b\nb,y,c\n", columns=(0, 2))
    assert (G.names, G.cleaning.columns_ignored) == (("a", "b", "c"), ("column 1",))
    assert read_edge_list(b"x,y\na,b\nb,c\n", columns=("x", "y")).num_edges == 2  # so the first line is a header


@pytest.mark.parametrize("columns", [("name",), ("name", "foe"), (1, 1), (0, 3), "na", (True, 2), (-1, 0), 5, ()])
def test_columns_must_be_two_that_are_there(columns: Any) -> None:
    with pytest.raises(GraphError, match=r"columns=.*expected two of \['id', 'name', 'friend'\]"):
        read_edge_list(PEOPLE.encode(), columns=columns)


@pytest.mark.parametrize(
    ("content", "edges"),  # no number where it looks like a table of nodes
    [
        ("id,name,age\n1,alice,30\n2,bob,41\n", None),
        ("Node_ID,Age\n1,30\n2,41\n", None),
        ("name,id\n1,30\n2,41\n", None),
        ("alice,1,30\nbob,2,41\n", None),
        ("who,where,height\n1,7,1.6\n2,8,1.8\n", None),
        ("user,item,stars\n1,11,5\n1,12,3\n", 2),  # a node has two edges
        ("user,friend,stars\n1,2,5\n2,3,3\n", 2),  # a node is at both ends
        ("who,where,height\n1,7,1.6\n", 1),  # one row says nothing
        ("from,where,strength\n1,7,1.6\n2,8,1.8\n", 2),
        ("1,alice\n2,bob\n", 2),
        ("1,alice,30\n2,3,41\n", 2),
    ],
)
def test_a_table_of_nodes_is_not_taken_for_edges(write: Write, content: str, edges: int | None) -> None:
    path = write("people.csv", content)
    if edges is None:
        refused(path, r"are they the ends of an edge\?.*columns=\(0, 1\)")
        assert read_graph(path, columns=(0, 1)).num_edges == 2
    else:
        assert read_graph(path).num_edges == edges


# ---- labels --------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("content", "column", "labels"),
    [
        ("2,5\n0,1\n3,-1\n", None, [1, -1, 5, -1]),
        ("node label\n2 5.0\n0 1\n", None, [1, -1, 5, -1]),
        ("label,id\n5,2\n1,0\n,3\n", None, [1, -1, 5, -1]),
        ("1,0\n1,2.0\n0,3\n", None, [1, -1, 1, 0]),  # all are ids of nodes, but in the first column not unique
        ("club,member\n7,2\n8,3\n", None, [-1, -1, 7, 8]),
        ("u,id,v\n0,2,1\n1,3,0\n", "v", [-1, -1, 1, 0]),  # u could be ids too
        ("id,who\n7,2\n9,3\n", "id", [-1, -1, 7, 9]),  # the column called id holds the labels
        (f"0,{2**53 - 1}\n", None, [2**53 - 1, -1, -1, -1]),
        # words are coded in sorted order, and kept
        ("red,3\nblue,0\nred,2\n", None, ["blue", "", "red", "red"]),
        ("who,group\n3,red\n0,blue\n1,\n2, red \n", None, ["blue", "", "red", "red"]),
        ("who,color,note\n3,red,x\n0,blue,y\n2,red,z\n", "color", ["blue", "", "red", "red"]),
    ],
)
def test_labels_of_a_second_file_or_data_frame(write: Write, content: str, column: str | None, labels: Any) -> None:
    edges = write("e.csv", "0,1\n1,2\n2,3\n")
    words = labels if "blue" in labels else None
    codes = [{"blue": 0, "red": 1, "": -1}[word] for word in words] if words else labels
    header = "infer" if re.match("[a-z]+[, ][a-z]", content) else None
    frame = pd.read_csv(io.StringIO(content), sep="," if "," in content else " ", header=header)
    for table in (write("l.csv", content), frame):
        G = read_graph(edges, labels=table, label_column=column)
        assert G.labels.tolist() == codes
        assert {key: column.tolist() for key, column in G.info.items()} == ({"label": words} if words else {})
    assert read_graph(edges).labels is None


# ---- DataFrames ----------------------------------------------------------------------------------------------

MISSING = (None, np.nan, pd.NA)


@pytest.mark.parametrize("columns", [["node", "label"], [0, 1], ["1", "2"], [("a", 1), ("b", 2)]])
def test_the_columns_of_a_data_frame_are_never_a_row(columns: list[object]) -> None:
    labels = pd.DataFrame([[1, 5], [2, 7]], columns=pd.Index(columns, tupleize_cols=False))
    G = read_graph(pd.DataFrame({"source": [0, 1], "target": [1, 2]}), labels=labels)
    assert G.labels.tolist() == [-1, 5, 7]
    assert read_graph(labels, columns=tuple(map(str, columns))).num_edges == 2


@pytest.mark.parametrize(
    ("ends", "names"),
    [
        (([1.0, 2.0], [2.0, 5.0]), ("1", "2", "5")),
        (([np.inf, 2.5], [2.5, 3.0e17]), ("inf", "2.5", "3e+17")),
        ((pd.Categorical(["b", "a"]), ["a", "c"]), ("b", "a", "c")),
        (([5, "a"], ["a", 5.5]), ("5", "a", "5.5")),
        ((np.array([5, 5], dtype=np.int32), np.array([1, 7], dtype=np.uint8)), ("1", "5", "7")),
    ],
)
def test_ids_of_a_data_frame(ends: tuple[object, object], names: tuple[str, ...]) -> None:
    frame = pd.DataFrame(dict(zip("ab", ends, strict=True)), index=[4, 4])
    G = read_graph(frame)
    assert (G.names, G.edges.tolist()) == (names, [[0, 1], [1, 2]])


@pytest.mark.parametrize(
    ("edges", "options", "message"),
    [
        ({"source": ["a", "b"]}, {}, r"DataFrame: this DataFrame has 2 rows .*source"),
        ({"source": [], "target": []}, {}, r"DataFrame: this DataFrame has 0 rows .*source"),
        ({"s": ["a"], "t": ["b"]}, {"labels": pd.DataFrame({"s": [], "t": []})}, r"labels: this DataFrame has 0 rows"),
        ({"s": ["a"], "t": [0]}, {"labels": pd.DataFrame({"s": ["a", 0], "t": [1, 1.5]})}, "labels: row 1: .* 1.5"),
        ({"s": ["a"], "t": ["b"]}, {"label_column": "club"}, "DataFrame: no node attribute 'club'"),
        *[({"s": ["a", "b"], "t": ["b", empty]}, {}, "DataFrame: row 1: found 'b', ''") for empty in MISSING],
    ],
)
def test_a_bad_data_frame_is_refused(edges: dict[str, list[Any]], options: dict[str, Any], message: str) -> None:
    with pytest.raises(GraphError, match=f"^{message}"):
        read_graph(pd.DataFrame(edges), **options)


def test_a_missing_label_of_a_data_frame_is_none() -> None:
    for missing in MISSING:
        labels = pd.DataFrame({"node": ["a", "b"], "label": [7, missing]})
        assert read_graph(pd.DataFrame({"s": ["a"], "t": ["b"]}), labels=labels).labels.tolist() == [7, -1]
