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
        assert ("name" in G.to_networkx().nodes[0]) == (
            names != tuple(map(str, range(len(names))))
        )  # numbers have none
        assert {frozenset(G.names[node] for node in edge) for edge in G.edges} == edges


WEIGHTED = Cleaning(weights_ignored=True)


@pytest.mark.parametrize(
    ("content", "cleaning"),
    [
        ('0, 1\n"1" , "2"\n', Cleaning()),
        ("  # a comment\n\n 0   1\n\n 1  2\n", Cleaning()),
        ("Source_Node\tTarget-Node\n0\t1\n1\t2", Cleaning()),
        ("0,1,\n1,2,\n", Cleaning()),  # a separator at each line's end is no column
        ("# source,target\n0,1\n1,2\n", Cleaning()),  # as numpy.savetxt writes it
        ("0 1 {}\n1 2 {}\n", Cleaning()),  # as networkx does
        ("0 1 {'weight': 2, 'x': 3}\n1 2 {}\n", WEIGHTED),
        ("0,1,0.5\n1,2,1e-05\n", WEIGHTED),
        ("u,v,strength\n0,1,.5\n1,2,1\n", WEIGHTED),
        ("0;1;0,5\n1;2;1,5\n", WEIGHTED),
        (f"0,1,{'9' * 400}\n1,2,1\n", WEIGHTED),
        (f"0,1,-0.{'3' * 400}e-7\n1,2,1\n", WEIGHTED),
        ("weight,target,source\n5,1,0\n6,2,1\n", WEIGHTED),
        ("target,note,source\n1,x,0\n2,y,1\n", Cleaning(columns_ignored=("note",))),
        ("source,target,since,weight\n0,1,1999,2\n1,2,2001,3\n",
         Cleaning(weights_ignored=True, columns_ignored=("since",))),
        ("source,target,Weight,note\n0,1,heavy,x\n1,2,light,y\n", Cleaning(columns_ignored=("Weight", "note"))),
        ("source,target,type\n0,1,Undirected\n1,2,Undirected\n", Cleaning(columns_ignored=("type",))),
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


@pytest.mark.parametrize("odd", ["007", "+7", "7.5", "-0", "1.5e-3", "0x10", "nan", "NA", "None", "9" * 30, "héé"])
def test_an_id_keeps_its_text_even_if_it_looks_like_a_number(odd: str) -> None:
    assert read_edge_list(f"1,2\n2,{odd}\n".encode()).names == ("1", "2", odd)
    assert read_edge_list(f"1,2,0.5\n2,{odd},1\n".encode()).names == ("1", "2", odd)
    assert read_edge_list(f"{odd},2\n2,5\n".encode(), header=False).names == (odd, "2", "5")
    assert read_graph(pd.DataFrame({"a": ["1", "2"], "b": ["2", odd]})).names == ("1", "2", odd)


@pytest.mark.parametrize(
    ("content", "names"),
    [
        *[(text, ("1", "2", "3")) for text in ("1.0,2.0\n2.0,3.0\n", "1,2.0\n2,3.0\n", "a,b\n1,2\n2.,3.000\n")],
        ("1000,2\n2,1e3\n2,20\n", ("2", "20", "1000")),
        ("1e3,2.0\n2E0,2.0e+01\n", ("2", "20", "1000")),
        ("2.0,0\n0,1\n", ("0", "1", "2")),
        ("1.5,2.0\n2.0,3.5\n", ("1.5", "2.0", "3.5")),  # one is not whole, so all keep their text
        ("ana,1e3\n1.25e1,ben\n", ("ana", "1e3", "1.25e1", "ben")),
        ("ff,1e3\n1000,c0\n", ("ff", "1e3", "1000", "c0")),  # hexadecimal: 1e3 is not a thousand
        ("a b,c\nc,a b \n", ("a b", "c")),
        ('"Smith, J",C#\nC#,"#tag"\n"50%", "Smith, J" \n', ("Smith, J", "C#", "#tag", "50%")),
        ("python,#ml\n#ml,#ai\n%x,#ai\n", ("python", "#ml", "#ai", "%x")),  # comments stand above the first row
        ("#ml,#ai\n#ai,#python\n", ("#ml", "#ai", "#python")),  # two hashtags are an edge, one is a comment
        ("#ml,ai\nai,python\n", ("ai", "python")),
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


def test_a_number_that_pandas_cannot_convert_is_read_as_text(monkeypatch: pytest.MonkeyPatch) -> None:
    real = pd.read_csv

    def as_in_pandas_3_0(*args: object, **options: object) -> pd.DataFrame:
        if "dtype" not in options:
            raise OverflowError("int too large to convert to float")
        return real(*args, **options)

    monkeypatch.setattr(pd, "read_csv", as_in_pandas_3_0)
    G = read_edge_list(f"source,target,weight\n7,8,{'9' * 400}\n8,9,1\n".encode())
    assert (G.names, G.num_edges, G.cleaning.weights_ignored) == (("7", "8", "9"), 2, True)


@pytest.mark.parametrize(
    ("content", "is_header"),
    [
        ("x,y\ny,z\n", False),
        ("x,y\n1,2\n", True),
        ("x,y\nz,2.0\n", True),
        ("x,y\nz,1.5\n", False),
        ("from,to\nx,y\n", True),
        ("x,to\ny,z\n", False),
        ("1.0,a\n7,b\n", False),
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
    ("content", "columns", "names", "cleaning"),
    [
        (PEOPLE, ("name", "friend"), ("ana", "ben", "cai"), WEIGHTED),
        (PEOPLE, ["friend", "name"], ("ben", "ana", "cai"), WEIGHTED),
        (PEOPLE, (1, 2), ("ana", "ben", "cai"), WEIGHTED),
        (PEOPLE, (2, 0), ("ben", "1", "cai", "2"), Cleaning(columns_ignored=("name",))),
        (PEOPLE, ("id", "name"), ("1", "ana", "2", "ben"), Cleaning(columns_ignored=("friend",))),
        ("a,x,b\nb,y,c\n", (0, 2), ("a", "b", "c"), Cleaning(columns_ignored=("column 1",))),
        ("a,5,b\nb,6,c\n", (2, 0), ("b", "a", "c"), WEIGHTED),
        ("x,y\na,b\nb,c\n", ("x", "y"), ("a", "b", "c"), Cleaning()),
    ],
)
def test_columns_chooses_the_ends(content: str, columns: Any, names: tuple[str, ...], cleaning: Cleaning) -> None:
    G = read_edge_list(content.encode(), columns=columns)
    assert (G.names, G.num_edges, G.cleaning) == (names, 2, cleaning)
    if content == PEOPLE:
        frame = pd.read_csv(io.StringIO(content))
        assert read_graph(frame, columns=columns).cleaning == cleaning


@pytest.mark.parametrize(
    "columns", [("name",), ("name", "foe"), ("name", "name"), (0, 3), "na", (True, 2), (-1, 0), 5, ("name", None), ()]
)
def test_columns_must_be_two_that_are_there(columns: Any) -> None:
    with pytest.raises(GraphError, match=r"columns=.*expected two of \['id', 'name', 'friend'\]"):
        read_edge_list(PEOPLE.encode(), columns=columns)


@pytest.mark.parametrize(
    ("content", "edges"),  # no number where it looks like a table of nodes
    [
        ("id,name,age\n1,alice,30\n2,bob,41\n", None),
        ("id,label\n1,red\n2,blue\n", None),
        ("Node_ID,Age\n1,30\n2,41\n", None),
        ("name,id\n1,30\n2,41\n", None),
        ("1,alice,30\n2,bob,41\n", None),
        ("alice,1,30\nbob,2,41\n", None),
        ("who,where,height\n1,7,1.6\n2,8,1.8\n", None),
        ("u,v,w\n0,1,2\n0,2,3\n", 2),
        ("user,item,stars\n1,11,5\n1,12,3\n", 2),  # a node has two edges
        ("user,friend,stars\n1,2,5\n2,3,3\n", 2),  # a node is at both ends
        ("who,where,height\n1,7,1.6\n", 1),  # one row says nothing
        ("from,where,strength\n1,7,1.6\n2,8,1.8\n", 2),
        ("id,friend\n1,2\n", 1),
        ("1,alice\n2,bob\n", 2),
        ("a,b,1\nc,d,2\n", 2),
        ("1,alice,30\n2,3,41\n", 2),
        ("id,id\n1,2\n", 1),
    ],
)
def test_a_table_of_nodes_is_not_taken_for_edges(write: Write, content: str, edges: int | None) -> None:
    path = write("people.csv", content)
    if edges is None:
        refused(path, r"are they the ends of an edge\?.*columns=\(0, 1\)")
        assert read_graph(path, columns=(0, 1)).num_edges == 2
    else:
        assert read_graph(path).num_edges == edges


def test_lengths_just_below_the_limits_are_read() -> None:
    wide = ",".join(["a"] * 999)
    assert read_edge_list(f"a,{wide}\nb,{wide}\n".encode(), columns=(0, 1)).names == ("a", "b")
    assert read_edge_list(b"a,b\nb,c\n" * 400_000).cleaning.duplicates == 799_998


# ---- labels --------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("content", "column", "labels"),
    [
        ("2,5\n0,1\n3,-1\n", None, [1, -1, 5, -1]),
        ("node label\n2 5.0\n0 1\n", None, [1, -1, 5, -1]),
        ("label,id\n5,2\n1,0\n,3\n", None, [1, -1, 5, -1]),
        ("1,0\n1,2.0\n0,3\n", None, [1, -1, 1, 0]),  # all are ids of nodes, but in the first column not unique
        ("7,2\n8,3\n", None, [-1, -1, 7, 8]),
        ("club,member\n7,2\n8,3\n", None, [-1, -1, 7, 8]),
        ("member,class\n2,0\n3,1\n", None, [-1, -1, 0, 1]),
        ("size,node\n0,2\n1,3\n", None, [-1, -1, 0, 1]),
        ("id,who\n7,2\n9,3\n", "id", [-1, -1, 7, 9]),  # the column called id holds the labels
        (f"0,{2**53 - 1}\n", None, [2**53 - 1, -1, -1, -1]),
        # words are coded in sorted order, and kept
        ("3,red\n0,blue\n2,red\n", None, ["blue", "", "red", "red"]),
        ("red,3\nblue,0\nred,2\n", None, ["blue", "", "red", "red"]),
        ("who,group\n3,red\n0,blue\n1,\n2, red \n", None, ["blue", "", "red", "red"]),
        ("id,color\n3,red\n0,blue\n2,red\n", None, ["blue", "", "red", "red"]),
        ("who,color,note\n3,red,x\n0,blue,y\n2,red,z\n", "color", ["blue", "", "red", "red"]),
        ("color,who\nred,3\nblue,0\nred,2\n", "color", ["blue", "", "red", "red"]),
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


@settings(max_examples=25)
@given(data=st.data())
def test_the_order_of_rows_and_columns_of_labels_does_not_matter(data: st.DataObject) -> None:
    """Also where ids and labels are whole numbers both, and could be taken for each other."""
    ids = data.draw(st.lists(st.integers(1, 9), min_size=2, max_size=6, unique=True))
    table = {key: data.draw(st.lists(st.integers(0, 9), min_size=len(ids), max_size=len(ids))) for key in "uv"}
    frame = pd.DataFrame({"id": ids, **table})
    rows, columns = data.draw(st.permutations(range(len(ids)))), data.draw(st.permutations(["id", "u", "v"]))
    edges = pd.DataFrame({"source": range(1, 9), "target": range(2, 10)})
    for key in "uv":
        G = read_graph(edges, labels=frame.iloc[rows][columns], label_column=key)
        expected = dict(zip(ids, table[key], strict=True))
        assert G.labels.tolist() == [expected.get(node, -1) for node in range(1, 10)]


# ---- DataFrames ----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("columns", [["node", "label"], [0, 1], ["1", "2"], [("a", 1), ("b", 2)]])
def test_the_columns_of_a_data_frame_are_never_a_row(columns: list[object]) -> None:
    labels = pd.DataFrame([[1, 5], [2, 7]], columns=pd.Index(columns, tupleize_cols=False))
    G = read_graph(pd.DataFrame({"source": [0, 1], "target": [1, 2]}), labels=labels)
    assert G.labels.tolist() == [-1, 5, 7]
    assert read_graph(labels, columns=tuple(map(str, columns))).num_edges == 2


@pytest.mark.parametrize(
    ("ends", "names"),
    [
        (([0, 1], [1, 2]), ("0", "1", "2")),
        (([1.0, 2.0], [2.0, 5.0]), ("1", "2", "5")),
        (([1.5, 2.0], [2.0, 3.5]), ("1.5", "2.0", "3.5")),
        (([np.inf, 2.5], [2.5, 3.0e17]), ("inf", "2.5", "3e+17")),
        ((pd.Categorical(["b", "a"]), ["a", "c"]), ("b", "a", "c")),
        (([True, False], ["x", "x"]), ("True", "x", "False")),
        (([5, "a"], ["a", 5.5]), ("5", "a", "5.5")),
    ],
)
def test_ids_of_a_data_frame(ends: tuple[object, object], names: tuple[str, ...]) -> None:
    frame = pd.DataFrame(dict(zip("ab", ends, strict=True)), index=[4, 4])
    G = read_graph(frame)
    assert (G.names, G.edges.tolist()) == (names, [[0, 1], [1, 2]])


def test_a_missing_cell_of_a_data_frame_is_empty() -> None:
    edges = pd.DataFrame({"s": ["a"], "t": ["b"]})
    for missing in (None, np.nan, pd.NA):
        with pytest.raises(GraphError, match="DataFrame: row 1: found 'b', ''"):
            read_graph(pd.DataFrame({"source": ["a", "b"], "target": ["b", missing]}))
        labels = pd.DataFrame({"node": ["a", "b"], "label": [7, missing]})
        assert read_graph(edges, labels=labels).labels.tolist() == [7, -1]


@pytest.mark.parametrize("frame", [{"source": ["a", "b"]}, {"source": [], "target": []}])
def test_a_data_frame_needs_rows_and_two_columns(frame: dict[str, list[str]]) -> None:
    with pytest.raises(GraphError, match=r"^DataFrame: this DataFrame has \d rows .*source"):
        read_graph(pd.DataFrame(frame))
    with pytest.raises(GraphError, match=r"^labels: this DataFrame has \d rows .*source"):
        read_graph(pd.DataFrame({"s": ["a"], "t": ["b"]}), labels=pd.DataFrame(frame))
    with pytest.raises(GraphError, match=r"^labels: row 1: the label is 1.5"):
        read_graph(pd.DataFrame({"s": ["a"], "t": ["b"]}), labels=pd.DataFrame({"s": ["a", "b"], "t": [1, 1.5]}))
    with pytest.raises(GraphError, match=r"^DataFrame: no node attribute 'club'"):
        read_graph(pd.DataFrame({"s": ["a"], "t": ["b"]}), label_column="club")
