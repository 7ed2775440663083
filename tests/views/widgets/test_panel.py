"""Closing a panel, running its cell again and deleting the cell free every widget."""

from __future__ import annotations

import gc
import sys
import types
import weakref
from typing import Any

import pytest
from ipywidgets.widgets.widget import _instances

import degnn_explore as de
from degnn_explore.views.widgets import panel as panels


class Shell:
    """What a panel asks of a notebook's shell."""

    def __init__(self) -> None:
        self.user_ns: dict[str, Any] = {"Out": {}}
        self.before: list[Any] = []
        self.after: list[Any] = []
        self.events = self
        self.parent: dict[str, Any] = {}
        self.count = 0

    def register(self, event: str, act: Any) -> None:
        {"pre_run_cell": self.before, "post_run_cell": self.after}[event].append(act)

    def get_parent(self) -> dict[str, Any]:
        return self.parent

    def run(self, cell: str, act: Any, deleted: tuple[str, ...] = ()) -> None:
        self.count += 1
        header = {"msg_type": "execute_request", "msg_id": str(self.count)}
        self.parent = {"header": header, "metadata": {"cellId": cell, "deletedCells": list(deleted)}}
        for tidy in self.before:
            tidy(None)
        self.user_ns["Out"][self.count] = act()
        for tidy in self.after:
            tidy(None)


@pytest.fixture
def shell(monkeypatch: pytest.MonkeyPatch) -> Shell:
    made = Shell()
    monkeypatch.setattr(panels, "_shell", lambda: made)
    monkeypatch.setattr(panels, "_CELLS", panels._Cells())
    return made


def explorer() -> de.Explorer:
    made = de.Explorer(preset="fig1")
    made.wait()
    return made


def test_a_closed_explorer_leaves_no_widget_behind() -> None:
    before = set(_instances)
    opened = explorer()
    for drawer in ("file", "free", "share", "help"):
        opened._drawers.toggle(drawer)
    assert len(_instances) > len(before) + 50
    opened.close()
    assert set(_instances) == before
    opened.close()  # twice does no harm


def test_a_code_that_is_refused_leaves_no_widget_behind() -> None:
    before = set(_instances)
    for wrong in (
        lambda: de.Explorer.restore("de1.AAAA"),
        lambda: de.Explorer(layer=99),
        lambda: de.Explorer("no such graph"),
    ):
        with pytest.raises(ValueError):
            wrong()
    assert set(_instances) == before


def test_a_closed_explorer_is_forgotten() -> None:
    opened = explorer()
    canvas = weakref.ref(opened.graph_canvas)
    opened.close()
    del opened
    gc.collect()
    assert canvas() is None


def test_running_a_cell_again_frees_what_it_made_before(shell: Shell) -> None:
    before = len(_instances)
    shell.run("a", explorer)
    each = len(_instances) - before
    for _ in range(3):
        shell.run("a", explorer)
    assert len(_instances) == before + each
    shell.run("b", explorer)
    assert len(_instances) == before + 2 * each
    shell.run("a", lambda: None)
    shell.run("c", lambda: None, deleted=("b",))
    assert len(_instances) == before


def test_an_explorer_that_a_variable_names_stays(shell: Shell) -> None:
    shell.run("a", lambda: shell.user_ns.update(mine=explorer()))
    mine = shell.user_ns["mine"]
    shell.run("a", lambda: None)
    assert mine.comm is not None
    shell.user_ns["mine"] = [mine]
    shell.run("a", lambda: None)
    assert mine.comm is not None
    del shell.user_ns["mine"]
    shell.run("a", lambda: None)
    assert mine.comm is None


def test_outside_of_a_notebook_nothing_is_closed(shell: Shell) -> None:
    opened = explorer()
    assert shell.after == []
    opened.close()


def test_on_colab_a_panel_names_the_widget_manager_that_can_show_it(monkeypatch: pytest.MonkeyPatch) -> None:
    """A cell's result is shown there by a manager that knows no anywidget, unless the output names the other one."""
    view, url = "application/vnd.jupyter.widget-view+json", "https://example.org/manager.js"
    explorer = de.Explorer(preset="hexagon")
    assert view in explorer._repr_mimebundle_()
    colab = types.ModuleType("google.colab.output")
    colab.enable_custom_widget_manager = lambda: None  # type: ignore[attr-defined]  # anywidget calls it
    colab._widgets = types.SimpleNamespace(_installed_url=url)  # type: ignore[attr-defined]
    monkeypatch.setitem(sys.modules, "google.colab.output", colab)
    bundle, about = explorer._repr_mimebundle_()
    assert about == {view: {"colab": {"custom_widget_manager": {"url": url}}}}
    assert about == explorer.graph_canvas._repr_mimebundle_()[1]  # as anywidget itself says it
    assert "text/html" in bundle
