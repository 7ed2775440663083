"""Any input gives a graph or one of our errors, and nothing is changed silently."""

from __future__ import annotations

from typing import Any

import networkx as nx
import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from degnn_explore import Graph, GraphError, ParameterError, TargetError

OURS = (GraphError, TargetError, ParameterError)
PLAIN = [None, True, False, 0, 1, -1, 7, 0.5, -0.0, 1e300, float("nan"), float("inf"), 10**400, 2**63, 2**64 - 1]
TEXTS = ["", "a", "0", "1", "-1", "٣", "\ud800", "\x00", "=1+1", "<b>", "nan", "a" * 900]
OTHERS: list[Any] = [
    b"x",
    (),
    (1,),
    [1, [2]],
    {},
    {"x": 1},
    {1, 2},
    object(),
    np.nan,
    np.int8(3),
    np.datetime64("2020-01-01"),
]
OTHERS += [
    np.ones(2),
    np.array(3),
    np.array(["a"]),
    range(3),
    lambda: 0,
    1j,
    {"position": 5},
    {"position": {"x": 1, "y": []}},
]
odd = st.sampled_from([*PLAIN, *TEXTS, *OTHERS])
column = st.one_of(odd, st.lists(odd, max_size=4), st.lists(odd, min_size=3, max_size=3))


@settings(max_examples=300)
@given(st.fixed_dictionaries({}, optional={
    "num_nodes": odd, "names": column, "labels": column, "positions": column, "attributes": column, "title": odd,
    "info": st.one_of(st.none(), st.dictionaries(st.sampled_from(["x", "pos", "", "\ud800"]), column, max_size=2)),
    "directed": st.booleans(), "weighted": st.booleans(), "renumbered": st.booleans(),
}))  # fmt: skip
def test_odd_columns(options: dict[str, Any]) -> None:
    try:
        G = Graph.from_edges([(0, 1), (1, 2)], **options)
    except OURS as error:
        assert 10 < len(str(error)) < 700
    else:
        assert G.labels is None or np.asarray(options["labels"]).tolist() == G.labels.tolist()
        "".join((G.title, *G.names, *G.info)).encode()


@settings(max_examples=300)
@given(st.one_of(odd, st.lists(st.one_of(odd, st.tuples(odd, odd)), max_size=4)))
def test_odd_edges_and_odd_targets(given_: Any) -> None:
    G = Graph.from_edges([("1", "b"), ("b", "c")])
    for act in (
        Graph.from_edges,
        G.has_edges,
        G.without_edges,
        G.target_set,
        G.cut,
        G.neighbors,
        G.relabel,
        G.with_labels,
    ):
        try:
            act(given_)  # type: ignore[operator]
        except OURS as error:
            assert 10 < len(str(error)) < 700


@settings(max_examples=300)
@given(
    st.lists(odd.filter(lambda x: x.__hash__ is not None and x is not None), min_size=1, max_size=4),
    st.dictionaries(
        st.sampled_from(["name", "label", "pos", "x", "y", "viz", "weight", "longitude"]), st.lists(odd, min_size=4)
    ),
    st.sampled_from([None, "label", "x", "none"]),
)
def test_odd_networkx(ids: list[Any], attributes: dict[str, list[Any]], label: str | None) -> None:
    graph = nx.path_graph(ids)
    for key, values in attributes.items():
        nx.set_node_attributes(graph, dict(zip(list(graph)[: len(values)], values, strict=False)), key)
    try:
        Graph.from_networkx(graph, label=label).to_networkx()
    except OURS as error:
        assert 10 < len(str(error)) < 700
