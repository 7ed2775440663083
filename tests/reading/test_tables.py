"""Tables: edge lists and labels, from files and from DataFrames; every option, and the error of every bad table."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from degnn_explore import Cleaning, GraphError, ParameterError, read_graph
from degnn_explore.reading.tables import read_edge_list

from .conftest import refused

Put = Callable[[str, str | bytes], Path]


# ---- edge lists --------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("e.csv", "a,b\nb,c\n"),
        ("e.csv", "source,target\na,b\nb,c\n"),
        ("e.csv", "a;b\nb;c\n"),
        ("e.csv", "a b\nb c"),
        ("e.csv", 'a, b\n"b" , "c"\n'),
        ("e.csv", "\ufeffFrom,To\r\na,b\r\n\r\nb,c\r\n"),
        ("e.tsv", "a\tb\nb\tc\n"),
        ("e.txt", "# a comment\n% another\n\n  # and one\na b\n\nb   c\n\n"),
        ("e.tsv", "a;b\nb;c\n"),
        ("E.CSV", "a,b\nb,c\n"),
        ("e.edgelist", "a b {}\nb c {}\n"),
        ("e.edges", " a\tb\n b\tc\n"),
        ("e.tab", "Source\tTarget\na\tb\nb\tc"),
        ("e.el", "a,b\rb,c\r"),
    ],
)
def test_edge_lists_in_many_notations(put, name, content):
    G = read_graph(put(name, content))
    assert (G.names, G.edges.tolist(), G.title) == (("a", "b", "c"), [[0, 1], [1, 2]], name[0])
    assert not G.cleaning


@settings(deadline=None, max_examples=60)
@given(
    st.lists(st.tuples(*[st.integers(-9, 30) | st.integers(-(2**62), 2**62) | st.sampled_from("abcd")] * 2), min_size=1)
)
def test_any_ids_are_numbered_as_promised(rows):
    content = "source,target\n" + "\n".join(f"{a},{b}" for a, b in rows)
    G = read_edge_list(content.encode())
    seen = dict.fromkeys(cell for row in rows for cell in row)
    names = sorted(seen) if all(isinstance(cell, int) for cell in seen) else [str(cell) for cell in seen]
    if set(map(str, names)) == set(map(str, range(len(names)))):
        names = range(len(names))
    assert G.names == tuple(map(str, names))
    pairs = {frozenset(map(str, row)) for row in rows if str(row[0]) != str(row[1])}
    assert {frozenset(G.names[u] for u in edge) for edge in G.edges} == pairs


@pytest.mark.parametrize("odd", ["007", "+7", "7.5", "-0", "1.5e-3", "0x10", "nan", "NA", "None", "9" * 30, "héé"])
def test_an_id_keeps_its_text_even_if_it_looks_like_a_number(put, odd):
    G = read_graph(put("e.csv", f"1,2\n2,{odd}\n"))
    assert G.names == ("1", "2", odd)
    assert read_graph(put("w.csv", f"1,2,0.5\n2,{odd},1\n")).names == ("1", "2", odd)
    assert read_graph(put("f.csv", f"{odd},2\n2,5\n"), header=False).names == (odd, "2", "5")


def test_words_with_numbers_among_them_further_down_stay_text(put):
    rows = [f"a{i},b{i}" for i in range(5)] + ["007,7", "7,1.0"]
    names = read_graph(put("e.csv", "\n".join(rows))).names
    assert names[-3:] == ("007", "7", "1.0")


def test_rows_below_the_first_that_begin_like_comments_are_edges(put: Put) -> None:
    for top in ("", "# by hand\n", "source,target\n", "% x\nsource,target\n"):
        G = read_graph(put("tags.csv", f"{top}python,#ml\n#ml,#ai\n%x,#ai\n"), header="source" in top)
        assert (G.names, G.num_edges) == (("python", "#ml", "#ai", "%x"), 3)
    assert read_graph(put("tags.csv", "#ml,#ai\n#ai,#python\n")).names == ("#ml", "#ai", "#python")
    assert read_graph(put("np.csv", "# source,target\n0,1\n1,2\n")).num_edges == 2  # as numpy.savetxt writes it
    refused(put("tags.csv", "#ml,ai\n#ai,python\n"), "every line begins with # or %.*put a header line")


@pytest.mark.parametrize("content", ["1.0,2.0\n2.0,3.0\n", "1,2.0\n2,3.0\n", "1,2\n2.,3.000\n", "a,b\n1.0,2\n2,3\n"])
def test_1_and_1_0_are_the_same_node(put: Put, content: str) -> None:
    G = read_graph(put("e.csv", content))
    assert (G.names, G.edges.tolist()) == (("1", "2", "3"), [[0, 1], [1, 2]])


@pytest.mark.parametrize("content", ["1000,2\n2,1e3\n2,20\n", "1e3,2.0\n2E0,2.0e+01\n", "1.0E3,2\n2e+0,2e1\n2,1000\n"])
def test_1000_and_1e3_are_the_same_node(put: Put, content: str) -> None:
    G = read_graph(put("e.csv", content))
    assert (G.names, G.edges.tolist()) == (("2", "20", "1000"), [[0, 1], [0, 2]])


def test_1000_and_1e3_among_words_are_refused_unless_the_ids_are_hexadecimal(put: Put) -> None:
    refused(put("e.csv", "ana,1e3\n1000,ben\n"), "two ids are '1e3' and '1000'")
    assert read_graph(put("e.csv", "ff,1e3\n1000,c0\n")).names == ("ff", "1e3", "1000", "c0")
    assert read_graph(put("e.csv", "ana,1e3\n1.25e1,ben\n")).names == ("ana", "1e3", "1.25e1", "ben")
    labels = put("labels.csv", "id,label\n1e+03,x\n2.0,y\n")
    assert read_graph(put("e.csv", "1000,2\n"), labels=labels).labels.tolist() == [1, 0]


def test_1_and_1_0_among_words_are_refused(put: Put) -> None:
    refused(put("e.csv", "a,c\na,1.0\n1,b\n"), "two ids are '1.0' and '1'; are they the same node")
    assert read_graph(put("e.csv", "a,1.0\n1.0,b\n")).names == ("a", "1.0", "b")
    assert read_graph(put("e.csv", "1.5,2.0\n2.0,3.5\n")).names == ("1.5", "2.0", "3.5")


def test_a_header_with_another_separator_in_a_cell(put: Put) -> None:
    for name in ("e.csv", "e.txt"):
        G = read_graph(put(name, "last, first;friend\n1;2\n2;3\n"))
        assert (G.names, G.num_edges) == (("1", "2", "3"), 2)
    G = read_graph(put("e.csv", '"a;b",c\n1,2\n2,3\n'), columns=("a;b", "c"))
    assert G.num_edges == 2


@pytest.mark.parametrize("content", ["a;b\n1;2\n2;3\n", "a;b\n1.0;2.0\n2.0;3.0\n"])
def test_a_line_of_words_above_numbers_is_a_header(put: Put, content: str) -> None:
    assert read_graph(put("e.csv", content)).names == ("1", "2", "3")


def test_a_word_above_weights_is_a_header_only_if_the_user_says_so(put: Put) -> None:
    path = put("e.csv", "a;b;w\nx;y;0,5\ny;z;1,5\n")  # it could also be an edge whose weight is missing
    refused(path, "line 1: the third column is 'w'.*pass header=True")
    assert read_graph(path, header=True).names == ("x", "y", "z")


@pytest.mark.parametrize("first", ["1.0,a", "0.5,a", "-3.0,a"])
def test_a_first_row_with_a_number_is_no_header(put: Put, first: str) -> None:
    assert read_graph(put("e.csv", f"{first}\n7,b\n")).num_edges == 2


def test_quotes_blanks_and_marks_inside_names(put):
    G = read_graph(put("e.csv", '"Smith, J",C#\nC#,"#tag"\n"50%", "Smith, J" \n'))
    assert G.names == ("Smith, J", "C#", "#tag", "50%")


def test_a_third_column_of_numbers_is_a_weight_and_reported(put):
    for content in (
        "0,1,2\n1,2,3\n",
        "0,1,0.5\n1,2,1e-05\n",
        "u,v,strength\n0,1,.5\n1,2,1\n",
        "a,b,2\nb,c,3\n",
        "0;1;0,5\n1;2;1,5\n",
        f"0,1,{'9' * 400}\n1,2,1\n",
        f"0,1,-0.{'3' * 400}e-7\n1,2,1\n",
    ):
        G = read_graph(put("e.csv", content))
        assert (G.num_nodes, G.num_edges, G.cleaning) == (3, 2, Cleaning(weights_ignored=True))
    G = read_graph(put("e.edgelist", "0 1 {'weight': 2, 'x': 3}\n1 2 {}\n"))
    assert (G.num_edges, G.cleaning) == (2, Cleaning(weights_ignored=True))


def test_a_long_number_that_pandas_cannot_convert_is_read_as_text(put: Put, monkeypatch: pytest.MonkeyPatch) -> None:
    real = pd.read_csv

    def as_in_pandas_3_0(*args: object, **options: object) -> pd.DataFrame:
        if "dtype" not in options:
            raise OverflowError("int too large to convert to float")
        return real(*args, **options)

    monkeypatch.setattr(pd, "read_csv", as_in_pandas_3_0)
    G = read_graph(put("e.csv", f"source,target,weight\n7,8,{'9' * 400}\n8,9,1\n"))
    assert (G.names, G.num_edges, G.cleaning.weights_ignored) == (("7", "8", "9"), 2, True)


def test_columns_named_in_the_header_are_found_and_the_others_reported(put):
    G = read_graph(put("e.csv", "Id,Source,Target,Type,Weight,Label\n1,a,b,Directed,2,x\n2,b,c,Directed,1,y\n"))
    assert G.names == ("a", "b", "c")
    assert G.cleaning == Cleaning(direction_ignored=True, weights_ignored=True, columns_ignored=("Id", "Type", "Label"))
    assert str(G.cleaning) == "ignored edge directions; ignored edge weights; ignored columns 'Id', 'Type', 'Label'"


@pytest.mark.parametrize(
    ("content", "doubt"),
    [
        ("id,name,age\n1,alice,30\n2,bob,41\n", "'id', 'name', 'age'.* are called like those of a table of nodes"),
        ("id,label\n1,red\n2,blue\n", "are called like those of a table of nodes"),
        ("Node_ID,Age\n1,30\n2,41\n", "are called like those of a table of nodes"),
        ("1,alice,30\n2,bob,41\n", "'1', 'alice', '30'.* hold numbers and words"),
        ("who,where,height\n1,7,1.6\n2,8,1.8\n", "have no node in common"),
    ],
)
def test_a_table_of_nodes_is_not_taken_for_edges_in_silence(put, content, doubt):
    refused(put("people.csv", content), doubt + r".*columns=\(0, 1\)")
    G = read_graph(put("people.csv", content), columns=(0, 1))
    assert (G.num_nodes, G.num_edges) == (4, 2)


@pytest.mark.parametrize(
    "content", ["u,v,w\n0,1,2\n0,2,3\n", "a,b,1\nc,d,2\n", "user,item,stars\n1,11,5\n1,12,3\n", "id,friend\n1,2\n"]
)
def test_what_may_well_be_edges_is_read_as_edges(put, content):
    assert read_graph(put("e.csv", content)).num_edges in (1, 2)


def test_columns_are_named_or_counted_and_the_others_reported(put):
    path = put("e.csv", "id,name,friend\n1,ana,ben\n2,ben,cai\n")
    for columns in (("name", "friend"), (1, 2), ["friend", "name"]):
        G = read_graph(path, columns=columns)
        assert (sorted(G.names), G.num_edges) == (["ana", "ben", "cai"], 2)
    assert read_graph(path, columns=("friend", "name")).names[0] == "ben"
    assert read_graph(put("w.csv", "a,x,b\nb,y,c\n"), columns=(0, 2)).cleaning.columns_ignored == ("column 1",)
    assert read_graph(put("w.csv", "a,5,b\nb,6,c\n"), columns=(2, 0)).cleaning == Cleaning(weights_ignored=True)
    for columns in (("name",), ("name", "foe"), ("name", "name"), (0, 7), "na", (True, 2), (-1, 0), 5, ("name", None)):
        refused(path, r"expected two of \['id', 'name', 'friend'\]", columns=columns)
    with pytest.raises(ParameterError, match=r"columns=.* is for edge lists, and .* is JSON"):
        read_graph(put("g.json", "{}"), columns=(0, 1))


def test_a_trailing_separator_is_no_column(put):
    assert read_graph(put("e.csv", "0,1,\n1,2,\n")).edges.tolist() == [[0, 1], [1, 2]]


def test_a_large_file_of_words_that_turns_to_numbers_keeps_their_text(put):
    words = [f"person-{i:06d},person-{i + 1:06d}" for i in range(200_000)]
    digits = [f"{i:06d},{i + 1:06d}" for i in range(200_000)]  # whole chunks that look like integers: 000123
    path = put("big.csv", "\n".join(words + digits))
    assert path.stat().st_size > 5 * 2**20
    G = read_graph(path)
    assert (G.num_nodes, G.num_edges) == (400_002, 400_000)
    assert G.names[200_001:200_003] == ("000000", "000001")


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("", "the file is empty; expected a graph"),
        (" \n\t\n", "the file is empty"),
        ("# only\n% comments\n", "every line begins with # or %"),
        ("source,target\n", "only a header line"),
        ("0,1\n1,2\n2\n", "line 3: found '2', ''; expected two nodes"),
        ("0,1\n\n1,2,3\n", "line 3: 3 columns; expected 2"),
        ("# x\n\n0,1\n\n1,2\n2\n", "line 6: found '2', ''; expected two nodes"),
        ("a,b\n,c\n", "line 2: found '', 'c'; expected two nodes"),
        ("0\n1\n", "line 1: one column .*expected two, the two ends of an edge"),
        ("source,target\n0\n", "line 2: 1 columns; expected 2, as in the header line"),
        ("source,target\n0,1,2\n", "line 2: 3 columns; expected 2, as in the header line"),
        ("a,b,x\nb,c,1\n", r"line 1: the third column is 'x'; expected a number.*columns=\(0, 1\).* header line"),
        ("0,1,2\n1,2,x\n", "line 2: the third column is 'x'; expected a number"),
        ("0,1,2\n1,2\n", "line 2: the third column is ''; expected a number"),
        ("0,1,2,3\n1,2,3,4\n", "line 1: 4 columns; expected two nodes and at most a weight"),
        ('a,"b\nb,c\n', "a quotation mark is opened and never closed"),
        (b"a,b\nb,\xff\xfe\n", "line 2: the byte 0xff is not UTF-8 text"),
        (b"a,b\nb,c\nc,\x00\n", "line 3: the byte 0x00 is not UTF-8 text"),
        ("x" * 200_000 + ",b\n", "the first line is not a row of cells"),
        ("\r\t\x01", "expected a table of cells|1 columns; expected 2"),
        ("x" * 3_000_000, "line 1 is longer than 1,048,576 bytes"),
        ("a,b\nb,c\n" + "c," * 2_000_000 + "\nc,d\n", "line 3 is longer than 1,048,576 bytes"),
        (",".join("a" * 200_000), "the first line has 200,000 columns; expected at most 1,000"),
    ],
)
def test_errors_in_edge_lists_name_the_line_and_what_was_expected(put, content, message):
    refused(put("e.csv", content), message)


# ---- labels ------------------------------------------------------------------------------------------------


def test_labels_by_number_with_none_for_the_rest(put):
    edges = put("e.csv", "0,1\n1,2\n2,3\n")
    for content in ("2,5\n0,1\n3,-1\n", "node label\n2 5\n0 1\n3 -1\n", "2\t5.0\n0\t1\n", "label,id\n5,2\n1,0\n,3\n"):
        G = read_graph(edges, labels=put("l.csv", content))
        assert G.labels.tolist() == [1, -1, 5, -1]
        assert dict(G.info) == {}


def test_labels_in_words_are_coded_in_sorted_order_and_kept(put):
    edges = put("e.csv", "ana,ben\nben,cai\ncai,dee\n")
    for content in ("cai,red\nana,blue\nben,red\n", "id,color\ncai,red\nana,blue\nben,red\ndee,\n"):
        G = read_graph(edges, labels=put("l.csv", content))
        assert G.labels.tolist() == [0, 1, 1, -1]
        assert G.info["label"].tolist() == ["blue", "red", "red", ""]


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("a,0\nzoe,1\n", "line 2: 'zoe' is not a node of the graph; expected ids like 'a'"),
        ("a,0\nb,NaN\n", "line 2: the label is 'NaN'; expected a class"),
        ("a,0\nb,inf\n", "line 2: the label is 'inf'"),
        ("a,0\nb,1.5\n", "line 2: the label is 1.5; expected classes"),
        ("a,0\nb,-2\n", "line 2: the label is -2; expected classes"),
        ("a,0\nb,1\n\na,0\n", "line 4: node 'a' is already on line 1"),
        ("a\nb\n", "1 columns; expected two, a node id and its label"),
        ("a,0,1\nb,1,2\n", "3 columns; expected two"),
        ("", "the file is empty"),
        (b"\x80\x81", "line 1: the byte 0x80 is not UTF-8"),
    ],
)
def test_bad_labels_files_are_named(put, content, message):
    edges, labels = put("e.csv", "a,b\n"), put("labels.csv", content)
    with pytest.raises(GraphError, match=message) as caught:
        read_graph(edges, labels=labels)
    assert str(caught.value).startswith(f"{labels}: ")


def test_the_ids_of_a_labels_table_are_found_in_any_column(put: Put) -> None:
    edges = put("e.csv", "1,2\n2,3\n")
    for content in (
        "red,1\nblue,2.0\n",
        "label,id\nred,1\nblue,2\n",
        "club,member\nred,1\nblue,2\n",
        "name,node\nred,1\nblue,2\n",
    ):
        assert read_graph(edges, labels=put("l.csv", content)).labels.tolist() == [1, 0, -1]
    wide = put("l.csv", "age,club,who\n1,red,2\n1,blue,3\n")
    assert read_graph(edges, labels=wide, label_column="club").labels.tolist() == [-1, 1, 0]
    name = put("l.csv", "name,id\nred,1\nblue,2\n")
    assert read_graph(edges, labels=name, label_column="name").labels.tolist() == [1, 0, -1]
    people = put("p.csv", "ana,ben\nben,cai\n")
    both = put("l.csv", "id,who\n7,ana\n9,cai\n")  # the column called id holds the labels
    assert read_graph(people, labels=both, label_column="id").labels.tolist() == [7, -1, 9]


# ---- DataFrames --------------------------------------------------------------------------------------------


@pytest.mark.parametrize("columns", [["node", "label"], [0, 1], ["1", "2"], [("a", 1), ("b", 2)]])
def test_the_columns_of_a_data_frame_of_labels_are_never_a_row(columns: list[object]) -> None:
    labels = pd.DataFrame([[1, 5], [2, 7]], columns=pd.Index(columns, tupleize_cols=False))
    G = read_graph(pd.DataFrame({"source": [0, 1], "target": [1, 2]}), labels=labels)
    assert G.labels.tolist() == [-1, 5, 7]


def test_a_data_frame_is_read_like_the_file_it_would_be(tmp_path):
    frame = pd.DataFrame({"note": ["x", "y", "z"], "target": [7, 9, 7], "source": [9, 12, 9]})
    frame.to_csv(tmp_path / "e.csv", index=False)
    there, here = read_graph(tmp_path / "e.csv"), read_graph(frame)
    assert here.edges.tolist() == there.edges.tolist() == [[0, 1], [1, 2]]
    assert here.names == there.names == ("7", "9", "12")
    assert here.cleaning == there.cleaning and here.cleaning.columns_ignored == ("note",)


@pytest.mark.parametrize(
    ("ends", "names"),
    [
        (([0, 1], [1, 2]), ("0", "1", "2")),
        ((["007", "7"], ["7", "x"]), ("007", "7", "x")),
        (([1.0, 2.0], [2.0, 5.0]), ("1", "2", "5")),
        ((pd.Categorical(["b", "a"]), ["a", "c"]), ("b", "a", "c")),
        (([True, False], ["x", "x"]), ("True", "x", "False")),
        (([5, "a"], ["a", 5.5]), ("5", "a", "5.5")),
    ],
)
def test_ids_of_a_data_frame(ends, names):
    frame = pd.DataFrame(dict(zip("ab", ends, strict=True)), index=[4, 4])
    G = read_graph(frame)
    assert (G.names, G.edges.tolist()) == (names, [[0, 1], [1, 2]])


def test_columns_and_labels_of_data_frames():
    frame = pd.DataFrame([["x", "ana", "ben"], ["y", "ben", "cai"]], columns=["kind", "who", "whom"])
    labels = pd.DataFrame({"node": ["cai", "ana"], "label": ["old", "new"]})
    G = read_graph(frame, columns=("who", "whom"), labels=labels)
    assert (G.names, G.labels.tolist(), G.info["label"].tolist()) == (
        ("ana", "ben", "cai"),
        [0, -1, 1],
        ["new", "", "old"],
    )


def test_wrong_data_frames():
    with pytest.raises(GraphError, match=r"DataFrame: row 1: found 'b', ''; expected two nodes"):
        read_graph(pd.DataFrame({"source": ["a", "b"], "target": ["b", None]}))
    with pytest.raises(GraphError, match=r"this DataFrame has 2 rows and the columns \['source'\]"):
        read_graph(pd.DataFrame({"source": ["a", "b"]}))
    with pytest.raises(GraphError, match=r"this DataFrame has 0 rows"):
        read_graph(pd.DataFrame({"source": [], "target": []}))
    with pytest.raises(ParameterError, match=r"labels must be a file's name or a DataFrame, not 3"):
        read_graph(pd.DataFrame({"source": ["a"], "target": ["b"]}), labels=3)
