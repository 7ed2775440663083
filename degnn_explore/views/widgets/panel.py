"""When a panel ends: closing it frees all its widgets, and it is closed when its cell runs again or is deleted.

ipywidgets keeps every widget in a registry until it is closed, and closes no widget's children: a panel of a hundred
widgets that is shown anew with each run of a cell would stay in memory for as long as the kernel runs.
"""

from __future__ import annotations

import sys
import weakref
from collections.abc import Iterator
from typing import Any

import ipywidgets as W

from .html import error_box
from .messages import keep_hearing


def close_tree(*roots: W.Widget) -> None:
    """Closes widgets with all that they hold: children, layouts, styles."""
    todo, seen = list(roots), set()
    while todo:
        widget = todo.pop()
        if id(widget) in seen or widget.comm is None:
            continue
        seen.add(id(widget))
        if isinstance(widget, Panel):  # also one inside another
            widget.end()
            todo += widget.parts
        for name in widget.keys:
            held = getattr(widget, name)
            items = held if isinstance(held, list | tuple) else [held]
            todo += [item for item in items if isinstance(item, W.Widget)]
        W.Widget.close(widget)


class Panel(W.VBox):
    """A box that frees all it is made of when it is closed; ``self.parts`` are widgets it does not show yet."""

    parts: tuple[W.Widget, ...] = ()

    def __init__(self, children: list[W.Widget]) -> None:
        super().__init__(children)
        keep_hearing()
        _CELLS.note(self)

    def stays(self, names: dict[str, Any], deleted: bool) -> bool:
        """Whether it is still wanted when its cell is run again, or was ``deleted``; ``names`` are the user's."""
        return _is_named(self, names)

    @classmethod
    def close_earlier(cls) -> None:
        """Closes the panels of this kind that an earlier run of this cell made, named or not."""
        cell, run, _ = _running(_shell())
        for its_run, ref in _CELLS.made.get(cell, []):
            panel = ref()
            if isinstance(panel, cls) and its_run != run:
                panel.close()

    def become_part(self) -> None:
        """It is shown inside another panel from now on, and goes with that one."""
        _CELLS.forget(self)

    def still(self) -> tuple[str, str]:
        """What a viewer without a kernel sees: a caption, and HTML that needs no script."""
        raise NotImplementedError

    def _repr_mimebundle_(self, **kwargs: Any) -> Any:
        """The live view, and beside it what nbconvert, GitHub or an untrusted notebook can show."""
        bundle: dict[str, Any] = super()._repr_mimebundle_(**kwargs)
        try:
            bundle["text/plain"], bundle["text/html"] = self.still()
        except Exception as error:  # the live view is shown all the same
            bundle["text/html"] = error_box(error)
        about = _for_colab()
        return (bundle, about) if about else bundle

    def end(self) -> None:
        """Stops what works in the background; called once, when the panel is closed."""

    def close(self) -> None:
        """Frees all widgets of the panel and ends its work."""
        close_tree(self)


class _Cells:
    """Which panels each cell of the notebook has made, by the identity that JupyterLab gives a cell."""

    def __init__(self) -> None:
        self.made: dict[str, list[tuple[str, weakref.ref[Panel]]]] = {}
        self._shell: Any = None

    def note(self, panel: Panel) -> None:
        """Remembers the cell that is running."""
        shell = _shell()
        cell, run, _ = _running(shell)
        if not cell:
            return
        if self._shell is not shell:
            self._shell = shell
            for moment in ("pre_run_cell", "post_run_cell"):
                shell.events.register(moment, self.tidy)
        self.made.setdefault(cell, []).append((run, weakref.ref(panel)))

    def forget(self, panel: Panel) -> None:
        """It does not go with a cell."""
        for cell, made in self.made.items():
            self.made[cell] = [(run, ref) for run, ref in made if ref() is not panel]

    def tidy(self, *_: Any) -> None:
        """Before a cell is run, and after: closes what it made in earlier runs, and what deleted cells made.

        A panel that a variable still names stays: its reader may show it elsewhere.
        """
        cell, run, deleted = _running(self._shell)
        for gone in {cell, *deleted} & self.made.keys():
            kept = []
            for its_run, ref in self.made[gone]:
                panel = ref()
                if panel is not None and (
                    (gone == cell and its_run == run) or panel.stays(self._shell.user_ns, deleted=gone != cell)
                ):
                    kept.append((its_run, ref))
                elif panel is not None:
                    panel.close()
            self.made[gone] = kept


_CELLS = _Cells()


def _for_colab() -> dict[str, Any]:
    """On Colab, which of its widget managers knows widgets like ours; nothing elsewhere.

    anywidget switches that manager on, and names it beside its own widgets; a box of them must do the same, for Colab
    adds the name to what is displayed, not to the result of a cell.
    """
    manager = getattr(sys.modules.get("google.colab.output"), "_widgets", None)
    url = getattr(manager, "_installed_url", None)
    return (
        {"application/vnd.jupyter.widget-view+json": {"colab": {"custom_widget_manager": {"url": url}}}} if url else {}
    )


def _shell() -> Any:
    from IPython.core.getipython import get_ipython

    return get_ipython()


def _running(shell: Any) -> tuple[str, str, list[str]]:
    """The cell that is running, its run, and the cells deleted since the last one; "" outside of a notebook."""
    parent = shell.get_parent() if hasattr(shell, "get_parent") else {}
    about, header = parent.get("metadata") or {}, parent.get("header") or {}
    if header.get("msg_type") != "execute_request":
        return "", "", []
    deleted = [str(gone) for gone in about.get("deletedCells", [])]
    return str(about.get("cellId") or ""), str(header.get("msg_id")), deleted


def _is_named(panel: Panel, names: dict[str, Any]) -> bool:
    """Whether a variable holds the panel, itself or in a list or dictionary; IPython's own memory does not count."""

    def values() -> Iterator[Any]:
        for name, value in names.items():
            if not name.startswith("_") and name not in ("In", "Out"):
                yield value
                if isinstance(value, list | tuple | set | dict):
                    yield from value.values() if isinstance(value, dict) else value

    return any(value is panel for value in values())
