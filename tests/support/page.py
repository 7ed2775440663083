"""A page without a browser: it keeps what a panel sends to it, and sends what a reader does."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from html.parser import HTMLParser
from typing import Any

import numpy as np

KINDS = {"xy": "<f4", "edges": "<u4", "codes": "<u2", "numbers": "<f4", "classes": "<u4"}


class Page:
    """The other end of a panel's channel."""

    def __init__(self, panel: Any, look: Callable[[dict[str, Any]], object] = lambda state: None) -> None:
        """``look`` is called with the state after each message that changes it."""
        self.panel, self.look = panel, look
        self.state: dict[str, Any] = panel.get_state()
        self.changes: list[set[str]] = []  # the names that each message changed
        self.heard: list[Any] = []  # messages of any other kind
        panel.comm.publish_msg = self._receive

    def __getitem__(self, name: str) -> Any:
        """A trait as the page has it; those of an Explorer that are binary as arrays."""
        value = self.state[name]
        return np.frombuffer(value, KINDS[name.removeprefix("inner_")]) if isinstance(value, bytes) else value

    def _receive(self, kind: str, data: Any = None, metadata: Any = None, buffers: Any = None, **_: Any) -> None:
        if data.get("method") == "update":
            binary = {path[0]: bytes(buffer) for path, buffer in zip(data["buffer_paths"], buffers or (), strict=True)}
            self.state |= data["state"] | binary
            self.changes.append({*data["state"], *binary})
            self.look(self.state)
        elif data.get("method") == "custom":
            self.heard.append(data["content"])

    def change(self, **traits: Any) -> None:
        """The page changes traits."""
        self.state |= traits
        self._send({"method": "update", "state": traits, "buffer_paths": []}, ())

    def choose(self, **values: Any) -> None:
        """The page changes some of a panel's settings."""
        self.change(values=self.state["values"] | values)

    def do(self, name: str, **content: Any) -> None:
        """The page sends a command."""
        self.send({"kind": "do", "name": name, **content})

    def send(self, content: Any, buffers: Sequence[Any] = ()) -> None:
        """The page sends a message."""
        self._send({"method": "custom", "content": content}, buffers)

    def upload(self, name: str, content: bytes, size: int = 100) -> None:
        """The page uploads a file in slices."""
        for at in range(0, max(len(content), 1), size):
            message = {"kind": "upload", "name": name, "at": at, "size": len(content)}
            self.send(message, [memoryview(content[at : at + size])])

    def _send(self, data: dict[str, Any], buffers: Sequence[Any]) -> None:
        self.panel.comm.handle_msg({"content": {"data": data}, "buffers": list(buffers)})


class Markup(HTMLParser):
    """What a browser would make of HTML: its elements, their attributes, and its text."""

    def __init__(self, html: str) -> None:
        super().__init__()
        self.elements: list[tuple[str, dict[str, str | None]]] = []
        self.text = ""
        self.feed(html)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.elements.append((tag, dict(attrs)))

    def handle_data(self, data: str) -> None:
        self.text += data

    @property
    def attributes(self) -> set[str]:
        return {name for _, attributes in self.elements for name in attributes}
