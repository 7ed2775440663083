"""A notebook's shell, as far as panels ask it which cell is running."""

from __future__ import annotations

from typing import Any


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
