"""read_graph of what is in memory: a DataFrame of edges, a graph of another library."""

from __future__ import annotations

import networkx as nx
import pandas as pd
import pytest

from degnn_explore import GraphError, ParameterError, read_graph


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


def test_graphs_of_other_libraries_are_read():
    G = read_graph(nx.path_graph(4))
    assert G.num_edges == read_graph(G.to_pyg()).num_edges == 3
