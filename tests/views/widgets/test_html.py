"""What is shown of an error: a reader's mistake in a line, a fault of ours with its traceback, never as markup."""

from __future__ import annotations

import ipywidgets as W

import degnn_explore as de
from degnn_explore.views.widgets.html import box, button, error_box, guarded, node_name


def _raised(error: Exception) -> Exception:
    try:
        raise error
    except Exception as caught:
        return caught


def test_a_readers_mistake_is_one_line() -> None:
    assert error_box(de.GraphError("no <b>edges</b>")) == (
        '<div class="de-error" role="alert">no &lt;b&gt;edges&lt;/b&gt;</div>'
    )
    assert "<details>" not in error_box(OSError("no such file"))


def test_a_fault_of_ours_has_its_traceback_as_text() -> None:
    said = error_box(_raised(RuntimeError("<img src=x onerror=alert(1)>")))
    assert "<b>RuntimeError</b>: &lt;img src=x" in said
    assert "<summary>" in said
    assert "Traceback" in said
    assert said.count("&lt;img") == 2  # the message, and the end of the traceback
    assert "<img" not in said


def test_a_guarded_method_shows_what_fails_and_returns_nothing() -> None:
    class Panel:
        def __init__(self) -> None:
            self.shown: list[Exception] = []

        def show_error(self, error: Exception) -> None:
            self.shown.append(error)

        @guarded
        def act(self, value: int, *, scale: int = 1) -> float:
            return scale / value

    panel = Panel()
    assert panel.act(2, scale=4) == 2.0
    assert panel.act(0) is None
    assert [type(error) for error in panel.shown] == [ZeroDivisionError]


def test_a_row_lies_and_other_boxes_stand() -> None:
    assert type(box("de-row", W.HTML())) is W.HBox
    card = box("de-card", W.HTML(), W.HTML())
    assert type(card) is W.VBox
    assert len(card.children) == 2
    assert "de-card" in card._dom_classes


def test_a_button_acts() -> None:
    clicks: list[int] = []
    button("Go", "goes", lambda: clicks.append(1)).click()
    assert clicks == [1]


def test_a_number_that_is_a_name_of_another_node_gets_no_v() -> None:
    G = de.Graph.from_edges([("1", "0")])
    assert [node_name(G, i) for i in range(2)] == ["1", "0"]
