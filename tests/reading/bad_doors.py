"""Doors that do what no door may, for the test of the child process that is to notice."""

from __future__ import annotations

import ctypes
import threading

DOORS = {
    "die": lambda content: ctypes.string_at(0),
    "fail": lambda content: {}["nothing"],
    "fill": lambda content: bytes(10**10),
    "sleep": lambda content: threading.Event().wait(),
    "fine": lambda content: None,
}


def prepare() -> None:
    """Nothing to do."""
