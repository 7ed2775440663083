"""Each setting of an Explorer changes what it says and nothing else, as an argument, from a page and in copied code."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import degnn_explore as de

SENT = ("xy", "edges", "codes", "classes", "numbers")
# setting -> another value, what it changes of what is sent
EFFECTS: list[tuple[dict[str, Any], dict[str, Any], set[str]]] = [
    ({"color_by": "SPD"}, {"color_by": "1-WL"}, {"codes", "classes"}),
    ({"color_by": "SPD"}, {"color_by": "PageRank"}, {"codes", "classes"}),
    ({"color_by": "LP"}, {"color_by": "LP", "step": 3}, {"codes"}),
    ({"color_by": "SPD"}, {"color_by": "SPD", "hops": 2}, {"classes"}),
    ({"color_by": "SPD"}, {"color_by": "SPD", "cut": True}, {"codes", "classes"}),
    ({"layout": "circular"}, {"layout": "as drawn"}, {"xy"}),
    ({"layer": 1}, {"layer": 3}, set()),
    ({"size": 0}, {"size": 3}, set()),
    ({"root": 0}, {"root": 1}, set()),
]


def opened(**settings: Any) -> de.Explorer:
    return de.Explorer((de.zoo.figure1(), [0, 7]), (de.zoo.figure1(), [1, 6]), **settings)


def sent(explorer: de.Explorer) -> dict[str, bytes]:
    return {name: bytes(getattr(explorer, name)) for name in SENT}


@pytest.mark.parametrize(
    ("before", "after", "changed"),
    EFFECTS,
    ids=lambda value: " ".join(map(str, sorted(value))) if isinstance(value, set) else str(value),
)
def test_a_setting_changes_what_it_says(before: dict[str, Any], after: dict[str, Any], changed: set[str]) -> None:
    one, other = opened(**before), opened(**after)
    here, there = sent(one), sent(other)
    assert {name for name in SENT if here[name] != there[name]} == changed
    one.set_state({"values": one.values | after})  # as a page does
    assert sent(one) == there and one.error == {} and one.targets == other.targets == [[0, 7], [1, 6]]
    *lines, last = other.code().splitlines()
    names: dict[str, Any] = {}
    exec("\n".join(lines), names)
    repeated = eval(last, names)
    assert sent(repeated) == there
    assert {key: repeated.values[key] for key in after} == after


def test_the_code_of_a_graph_with_places_on_earth_runs_too() -> None:
    places = {"longitude": np.array([7.1, 8.2, 9.3]), "latitude": np.array([46.0, 47.5, 46.5])}
    explorer = de.Explorer((de.Graph.from_edges([(0, 1), (1, 2)], info=places), [0]))
    assert explorer.values["layout"] == "geography"
    *lines, last = explorer.code().splitlines()
    names: dict[str, Any] = {}
    exec("\n".join(lines), names)
    assert eval(last, names).targets == [[0]]


def test_the_picture_of_the_trees_follows_layer_and_root() -> None:
    pictures = {opened(layer=layer, root=root).svg("tree") for layer in (0, 1, 2) for root in (0, 1)}
    assert len(pictures) == 6
    assert opened(layer=2).svg("graph") != opened(layer=0).svg("graph")


def test_an_encoding_with_fewer_columns_can_follow_one_with_more() -> None:
    three = de.encoding("three", lambda near: np.stack([near.distance, -near.distance, near.distance**2], -1),
                        columns=["a", "b", "c"], max_dist=3)  # fmt: skip
    one = de.encoding("one", lambda near: near.distance.clip(0) * 2.0, columns=["only"], max_dist=3)
    explorer = opened(color_by=three, column=2)
    assert explorer.seen["title"] == "three: c" and explorer.seen["columns"] == ["a", "b", "c"]
    squares = bytes(explorer.numbers)
    for column, title in enumerate(["three: a", "three: b", "three: c"]):
        explorer.set_state({"values": explorer.values | {"column": column}})
        assert explorer.seen["title"] == title
    assert bytes(explorer.numbers) == squares
    explorer.set_state({"values": explorer.values | {"color_by": one.name, "toggle": one.name}})
    assert explorer.error == {} and explorer.seen["title"] == "one: only" and explorer.seen["columns"] == ["only"]
    explorer.set_state({"values": explorer.values | {"color_by": "three", "toggle": "three"}})
    assert explorer.error == {} and explorer.seen["title"] == "three: c"


def test_swapping_the_sides_swaps_what_is_seen_and_keeps_every_verdict() -> None:
    a, b = (de.zoo.figure1(), [2]), (de.zoo.figure1(), [3])
    one, other = de.Explorer(a, b), de.Explorer(b, a)
    one.wait(), other.wait()
    assert {name: verdict.layer for name, verdict in one.verdicts.items()} == {
        name: verdict.layer for name, verdict in other.verdicts.items()
    }
    codes = [np.frombuffer(explorer.codes, np.uint16).reshape(2, -1) for explorer in (one, other)]
    texts = [[label[0] for label in explorer.seen["labels"]] for explorer in (one, other)]
    told = [[[texts[k][code] for code in side] for side in codes[k]] for k in range(2)]
    assert told[0] == told[1][::-1]
