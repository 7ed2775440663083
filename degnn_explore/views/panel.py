"""What every panel is: one anywidget with a few synced traits, one message handler, and an orderly end.

A page may change only the traits named in ``from_page``; commands arrive as ``{"kind": "do", "name": …}`` and files as
slices ``{"kind": "upload", …}``. Running a cell again closes the panel that it made before.
"""

from __future__ import annotations

import sys
import weakref
from threading import RLock
from typing import Any, ClassVar

import anywidget
import traitlets as t

from ..common.errors import GraphError
from .static_html import figure
from .text import error_of, tag

_MADE: dict[str, list[tuple[str, weakref.ref[Panel]]]] = {}  # by cell: the run that made it, and the panel
MAX_UPLOAD = 200_000_000


class Panel(anywidget.AnyWidget):
    """One widget that is drawn by one script; ``end`` and ``static`` are what a panel adds."""

    from_page: ClassVar[frozenset[str]] = frozenset()

    _script = t.Unicode("").tag(sync=True)  # of the front end, see js/__init__.py
    layout = t.Any(None, allow_none=True).tag(sync=True)  # none: one model a panel, not two
    error: Any = t.Dict().tag(sync=True)
    """The last error, as text and details; empty: none."""

    def __init__(self, **traits: Any) -> None:
        self.turn = RLock()  # one writer at a time: answers come from threads, too
        self._parts: dict[str, bytearray] = {}
        super().__init__(**traits)
        keep_hearing()
        self.on_msg(self._message)
        _close_earlier(self)

    def embed(self) -> None:
        """Makes it a part of another panel: it closes with that one, not when its cell runs again."""
        for cell, made in _MADE.items():
            _MADE[cell] = [(run, ref) for run, ref in made if ref() is not self]

    def put(self, **traits: Any) -> None:
        """Changes traits together, in one message."""
        with self.turn, self.hold_sync():
            for name, value in traits.items():
                self.set_trait(name, value)

    def do(self, name: str, content: dict[str, Any]) -> None:
        """Handles a command from the page."""
        raise NotImplementedError

    def uploaded(self, name: str, content: bytes) -> None:
        """Receives an uploaded file."""
        raise NotImplementedError

    def end(self) -> None:
        """Stops what works in the background; called once, when the panel is closed."""

    def static(self) -> tuple[str, str]:
        """What a viewer without a kernel sees: a caption, and HTML that needs no script."""
        raise NotImplementedError

    def show_error(self, error: BaseException) -> None:
        """Shows what went wrong in the panel; nothing that fails stays unseen."""
        self.put(error=error_of(error))

    def close(self) -> None:
        """Ends its work and frees what it holds."""
        if hasattr(self, "turn"):  # else its constructor raised
            self.end()
            for trait in ("_script", "_css"):  # JupyterLab keeps a closed widget's model, with its last values but one
                self.put(**{trait: ""})
        super().close()

    def set_state(self, sync_data: dict[str, Any]) -> None:
        """Takes from a page only what it may change; what does not fit is shown as an error."""
        try:
            self.put(error={})
            super().set_state({name: value for name, value in sync_data.items() if name in self.from_page})
        except Exception as error:
            self.show_error(error)

    def _message(self, _: Any, content: Any, buffers: Any) -> None:
        if not isinstance(content, dict):
            return
        try:
            self.put(error={})
            if content.get("kind") == "do":
                self.do(str(content.get("name")), content)
            elif content.get("kind") == "upload" and buffers:
                self._take(str(content["name"]), int(content["at"]), int(content["size"]), bytes(buffers[0]))
        except Exception as error:
            self.show_error(error)

    def _take(self, name: str, at: int, size: int, piece: bytes) -> None:
        """One slice of a file; a message of 20 MB would be lost."""
        if size > MAX_UPLOAD:
            raise GraphError(f"{name} has {size:,} bytes, more than {MAX_UPLOAD:,}; type its path instead.")
        if not at:
            self._parts[name] = bytearray()
        self._parts[name] += piece
        if len(self._parts[name]) >= size:
            self.uploaded(name, bytes(self._parts.pop(name)))

    def _repr_mimebundle_(self, **kwargs: Any) -> Any:
        """The live view, and next to it what nbconvert, GitHub or an untrusted notebook can show."""
        bundle: Any = super()._repr_mimebundle_(**kwargs)
        data: dict[str, Any] = bundle[0] if isinstance(bundle, tuple) else bundle
        try:
            data["text/plain"], data["text/html"] = self.static()
        except Exception as error:  # the live view is shown all the same
            data["text/html"] = figure("", tag("p", error))
        return bundle


class CellNote:
    """A line in the cell's output, for slow work before there is a panel to show it."""

    _handle: Any = None

    def tell(self, what: str) -> None:
        """Shows the line; it goes when the work is done."""
        from IPython.core import getipython
        from IPython.display import HTML, display

        if what and self._handle is None and hasattr(getipython.get_ipython(), "kernel"):
            self._handle = display(HTML(tag("p", f"{what[0].upper()}{what[1:]}…")), display_id=True)

    def __enter__(self) -> CellNote:
        return self

    def __exit__(self, *error: object) -> None:
        if self._handle is not None:
            from IPython.display import HTML

            self._handle.update(HTML(""))


def _close_earlier(panel: Panel) -> None:
    """Closes the panels that earlier runs of this cell made, and remembers this one."""
    from IPython.core import getipython

    shell: Any = getipython.get_ipython()
    parent = shell.get_parent() if hasattr(shell, "get_parent") else {}
    header = parent.get("header") or {}
    cell, run = str((parent.get("metadata") or {}).get("cellId") or ""), str(header.get("msg_id"))
    if not cell or header.get("msg_type") != "execute_request":
        return
    kept = []
    for its_run, made in _MADE.get(cell, []):
        earlier = made()
        if earlier is not None and its_run == run:
            kept.append((its_run, made))
        elif earlier is not None:
            earlier.close()
    _MADE[cell] = [*kept, (run, weakref.ref(panel))]


def keep_hearing() -> None:
    """Messages from a page reach their widget even when the subshell that the widget last used is gone.

    ipykernel 7.4 hands a message to that subshell, whichever one the page named. A thread sends through the subshell of
    the last message, and on a reload JupyterLab deletes that one at once. Then the one that the page named is used.
    """
    comms = sys.modules.get("ipykernel.comm.comm")
    plain = getattr(getattr(comms, "BaseComm", None), "_reply_subshell_for", None)
    if comms is None or plain is None or getattr(plain, "asks_the_page", False):
        return

    def route(comm: Any, data: Any, asked: str | None) -> str | None:
        chosen: str | None = plain(comm, data, asked)
        thread = getattr(comm.kernel, "shell_channel_thread", None)
        return asked if chosen and thread and chosen not in thread.manager.list_subshell() else chosen

    route.asks_the_page = True  # type: ignore[attr-defined]
    comms.BaseComm._reply_subshell_for = route
