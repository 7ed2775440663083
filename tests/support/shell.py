"""A notebook's shell, as far as panels ask it which cell is running."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any


class Shell:
    """Runs cells, each as the answer to a message of its own."""

    def __init__(self) -> None:
        self.parent: dict[str, Any] = {}
        self.count = 0

    def get_parent(self) -> dict[str, Any]:
        return self.parent

    def run(self, cell: str, act: Callable[[], object]) -> None:
        self.count += 1
        header = {"msg_type": "execute_request", "msg_id": str(self.count)}
        self.parent = {"header": header, "metadata": {"cellId": cell}}
        act()
