"""What a page may say to a widget, and what it is told otherwise: one short sentence, no traceback."""

from __future__ import annotations

import importlib
import math
import pkgutil
from typing import Any

import numpy as np
import pytest

import degnn_explore as de
from degnn_explore.views import widgets
from degnn_explore.views.widgets.canvas import Canvas
from degnn_explore.views.widgets.messages import PageWidget, listed, numbers, text, whole
from degnn_explore.views.widgets.strip import VerdictStrip

DEEP: Any = []
for _ in range(5_000):
    DEEP = [DEEP]

MALFORMED = [
    ({"type": "pick"}, "node=None"),
    ({"type": "pick", "node": None}, "node=None"),
    ({"type": "pick", "node": "3"}, "node='3'"),
    ({"type": "pick", "node": -1}, "node=-1"),
    ({"type": "pick", "node": 16}, "from 0 to 15"),
    ({"type": "pick", "node": 10**400}, "from 0 to 15"),
    ({"type": "pick", "node": 2.0}, "node=2.0"),
    ({"type": "pick", "node": True}, "node=True"),
    ({"type": "pick", "node": math.nan}, "node=nan"),
    ({"type": "pick", "node": {"a": 1}}, "from 0 to 15"),
    ({"type": "pick", "node": DEEP}, "from 0 to 15"),
    ({"type": "lasso"}, "nodes=None"),
    ({"type": "lasso", "nodes": 3}, "nodes=3"),
    ({"type": "lasso", "nodes": "123"}, "nodes='123'"),
    ({"type": "lasso", "nodes": [0, "1"]}, "each item a whole number"),
    ({"type": "lasso", "nodes": [[0]]}, "each item a whole number"),
    ({"type": "search"}, "text=None"),
    ({"type": "search", "text": 5}, "text=5"),
    ({"type": "search", "text": "a" * 101}, "at most 100 characters"),
    ({"type": "search", "text": "\ud800"}, "a text"),
    ({"type": "find"}, "key=None"),
    ({"type": "find", "key": [0]}, "a side and a node"),
    ({"type": "find", "key": [2, 0]}, "a side and a node"),
    ({"type": "find", "key": [0, 8]}, "a side and a node"),
    ({"type": "find", "key": [0, 10**30]}, "a side and a node"),
    ({"type": "find", "key": {"0": 1}}, "a side and a node"),
    ({"type": "tip"}, "node=None"),
    ({"type": "tip", "node": 99}, "from 0 to 15"),
]


@pytest.mark.parametrize(("message", "named"), MALFORMED)
def test_a_malformed_message_is_answered_in_one_sentence(
    message: dict[str, Any], named: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    explorer = de.Explorer(preset="fig1")
    sent: list[dict[str, Any]] = []
    monkeypatch.setattr(explorer.graph_canvas, "send", sent.append)
    explorer.graph_canvas._handle_custom_msg(message, [])
    ((kind, said),) = [answer.values() for answer in sent]
    assert kind == "error"
    assert f"The page sent {message['type']!r}" in said
    assert named in said
    assert len(said) < 220
    assert explorer._error.value == ""
    assert explorer.targets == [[2], [3]]


@pytest.mark.parametrize(
    "message", [None, [], "pick", {"type": 5}, {"type": None}, {"type": "other"}, {}, {"type": []}]
)
def test_what_is_no_message_is_not_heard(message: Any) -> None:
    explorer = de.Explorer(preset="fig1")
    explorer.graph_canvas._handle_custom_msg(message, [])
    assert explorer._error.value == ""
    assert explorer.targets == [[2], [3]]


@pytest.mark.parametrize(
    ("name", "value"), [("nothing", 1), (None, 1), ("layer", [1]), ("layer", "x" * 201), ("cut", None)]
)
def test_a_control_tells_only_its_name_and_a_short_value(name: Any, value: Any) -> None:
    explorer = de.Explorer(preset="fig1")
    explorer._settings.bar._handle_custom_msg({"type": "set", "name": name, "value": value}, [])
    assert "The page sent" in explorer._error.value
    assert (explorer.state.layer, explorer.state.cut) == (2, False)


def test_a_strip_keeps_what_a_reader_chose_and_nothing_else() -> None:
    strip = VerdictStrip(pills=[{"name": "1-WL"}])
    strip.set_state({"chosen": "1-WL", "expanded": True, "pills": [], "moves": [[0, 1]]})
    assert (strip.chosen, strip.expanded, strip.pills, strip.moves) == ("1-WL", True, [{"name": "1-WL"}], [])
    strip.set_state({"chosen": 5, "expanded": "yes"})
    assert (strip.chosen, strip.expanded) == ("1-WL", True)


def test_a_lasso_that_names_a_node_twice_takes_it_once() -> None:
    explorer = de.Explorer(preset="fig1")
    explorer.graph_canvas._handle_custom_msg({"type": "lasso", "nodes": [4, 4, 12]}, [])
    assert explorer._error.value == ""
    assert explorer.targets == [[2, 4], [3, 4]]


def test_a_page_moves_nodes_and_the_view_and_nothing_else() -> None:
    canvas = Canvas()
    canvas.put(positions=np.zeros((2, 2)), edges=np.array([[0, 1]]), names=["a", "b"])
    moved = np.array([[0, 0], [1, 2]], dtype="<f4").tobytes()
    canvas.set_state({"home": memoryview(bytes(canvas.positions))})
    assert np.frombuffer(canvas.home, dtype="<f4").tolist() == [0, 0, 0, 0]  # where Fit puts dragged nodes back
    canvas.set_state({"home": memoryview(b"")})
    assert canvas.home == b""
    canvas.set_state({"positions": memoryview(moved), "camera": [2.0, 0, 1.5], "names": ["x", "y"], "edges": b"1"})
    assert (bytes(canvas.positions), canvas.camera) == (moved, [2.0, 0, 1.5])
    assert canvas.names == ["a", "b"]
    assert len(canvas.edges) == 8


@pytest.mark.parametrize(
    "state",
    [
        {"positions": memoryview(b"abc")},
        {"positions": "text"},
        {"positions": memoryview(np.full(4, np.nan, dtype="<f4").tobytes())},
        {"positions": None},
        {"home": memoryview(b"abc")},
        {"home": None},
        {"camera": [1, 2]},
        {"camera": [1, 2, math.inf]},
        {"camera": [1, 2, "3"]},
        {"camera": None},
    ],
)
def test_a_broken_place_or_view_is_not_taken(state: dict[str, Any]) -> None:
    canvas = Canvas()
    canvas.put(positions=np.ones((2, 2)), edges=np.array([[0, 1]]))
    canvas.set_state(state)
    assert np.frombuffer(canvas.positions, dtype="<f4").tolist() == [1, 1, 1, 1]
    assert canvas.camera == [1.0, 0.0, 0.0]
    assert canvas.home == b""


def test_a_field_says_what_it_wants() -> None:
    assert whole(lambda: 5)(5) == "a whole number from 0 to 4"
    assert listed(whole(lambda: 5), longest=2)([1, 2, 3]) == "a list of at most 2 items"
    assert listed(whole(lambda: 5))([1, 2, 3]) == ""
    assert numbers(2)([1, 2.5]) == ""
    assert numbers(2)([1, True]) == "2 finite numbers"
    assert text(2)("ab") == ""


def test_without_a_place_for_errors_a_malformed_message_is_dropped_and_a_fault_of_ours_is_not() -> None:
    widget, heard = PageWidget(), []
    widget.hear("row", heard.append, row=whole(lambda: 3))
    widget._handle_custom_msg({"type": "row", "row": "1"}, [])
    widget._handle_custom_msg({"type": "row", "row": 2}, [])
    assert heard == [2]
    with pytest.raises(ZeroDivisionError):
        widget.hear("fails", lambda: 1 / 0)  # type: ignore[arg-type, return-value]
        widget._msg_callbacks.callbacks[-1](widget, {"type": "fails"}, [])


def test_every_widgets_script_hears_the_kernel_though_it_came_late() -> None:
    modules = [
        importlib.import_module(f"{widgets.__name__}.{one.name}") for one in pkgutil.iter_modules(widgets.__path__)
    ]
    scripts = {
        name: kind._esm
        for module in modules
        for name, kind in vars(module).items()
        if "_esm" in getattr(kind, "__dict__", ())
    }
    assert len(scripts) >= 9  # of the Explorer and of the board
    for name, script in scripts.items():
        assert "function initialize" in script and "initialize," in script.rpartition("export default")[2], name
