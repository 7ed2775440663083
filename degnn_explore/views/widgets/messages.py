"""The door between a page and Python: what a page sends is checked here, for every widget of ours, before it acts.

A page may be old, broken or malicious. A widget names the kinds of message it hears with what each field must be,
and the traits a page may change; everything else is refused in a sentence, or not heard at all.
"""

from __future__ import annotations

import math
import reprlib
import sys
from collections.abc import Callable, Mapping
from pathlib import Path
from types import MappingProxyType
from typing import Any

import anywidget

from ...common.errors import ParameterError

Check = Callable[[Any], str]  # says what was expected of a value, or "" if it is that


def whole(below: Callable[[], int]) -> Check:
    """A whole number from 0 to below a limit that may change."""

    def check(value: Any) -> str:
        return "" if type(value) is int and 0 <= value < below() else f"a whole number from 0 to {below() - 1:,}"

    return check


def text(longest: int) -> Check:
    """A text that can be written down, so no half of a character, and is not too long."""

    def check(value: Any) -> str:
        fits = isinstance(value, str) and len(value) <= longest and not any("\ud800" <= c <= "\udfff" for c in value)
        return "" if fits else f"a text of at most {longest:,} characters"

    return check


def listed(each: Check, longest: int = 1_000_000) -> Check:
    """A list of values that each fit."""

    def check(value: Any) -> str:
        if not isinstance(value, list) or len(value) > longest:
            return f"a list of at most {longest:,} items"
        wrong = next((wanted for item in value if (wanted := each(item))), "")
        return wrong and f"a list, each item {wrong}"

    return check


def numbers(count: int) -> Check:
    """A list of so many finite numbers."""

    def check(value: Any) -> str:
        kinds = isinstance(value, list | tuple) and all(type(x) in (int, float) for x in value)
        return "" if kinds and len(value) == count and all(map(math.isfinite, value)) else f"{count} finite numbers"

    return check


def script(*parts: str) -> str:
    """A widget's script from files of this folder, in one module: anywidget takes one, and each name is there once."""
    return "\n".join(Path(__file__).with_name(f"{part}.js").read_text() for part in parts)


def keep_hearing() -> None:
    """What a page sends reaches its widget, though the subshell from which the widget last spoke is gone.

    ipykernel 7.4 hands a message to that subshell, whatever the page asked for, and a thread speaks from the one that
    was heard last: on a reload one that JupyterLab deletes at once. What a race showed in that moment was deaf from
    then on: a chart without plotly, a Cancel that nobody heard. Where it would refuse, the page has its way.
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


class PageWidget(anywidget.AnyWidget):
    """A widget that hears from a page only what it has named.

    >>> widget, heard, refused = PageWidget(), [], []
    >>> widget.hear("row", heard.append, refused.append, row=whole(lambda: 3))
    >>> for row in (1, 7):
    ...     widget._handle_custom_msg({"type": "row", "row": row}, [])
    >>> heard, [str(error) for error in refused]
    ([1], ["The page sent 'row' with row=7, not a whole number from 0 to 2; reload the page and try again."])
    """

    from_page: Mapping[str, Check] = MappingProxyType({})  # the traits that a page may change, and what they must be

    def __init_subclass__(cls, **kwargs: Any) -> None:
        for key in ("_esm", "_css"):
            if isinstance(path := cls.__dict__.get(key), Path):
                # as text: anywidget would watch a file, and by that keep every widget that was ever made
                setattr(cls, key, path.read_text())
        super().__init_subclass__(**kwargs)

    def hear(
        self, kind: str, act: Callable[..., None], refuse: Callable[[Exception], None] | None = None, **fields: Check
    ) -> None:
        """Calls ``act`` with the fields of every message of this kind; ``refuse`` gets what does not fit or fails."""

        def heard(_widget: Any, content: Any, _buffers: Any) -> None:
            if not isinstance(content, dict) or content.get("type") != kind:
                return
            try:
                for name, check in fields.items():
                    if wanted := check(content.get(name)):
                        raise ParameterError(
                            f"The page sent {kind!r} with {name}={reprlib.repr(content.get(name))}, not {wanted}; "
                            "reload the page and try again."
                        )
                act(*(content[name] for name in fields))
            except Exception as error:
                if refuse is not None:
                    refuse(error)
                elif not isinstance(error, ValueError):
                    raise

        self.on_msg(heard)

    def set_state(self, sync_data: dict[str, Any]) -> None:
        """Takes from a page only what it may change, and only what fits."""
        fit = {k: v for k, v in sync_data.items() if k in self.from_page and not self.from_page[k](v)}
        # buffers arrive as memoryviews, which a trait of bytes would refuse
        super().set_state({k: bytes(v) if isinstance(v, memoryview) else v for k, v in fit.items()})
