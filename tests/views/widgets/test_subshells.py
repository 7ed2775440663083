"""A real kernel, and a page that speaks to it through subshells as JupyterLab does."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import pytest
from jupyter_client.blocking.client import BlockingKernelClient
from jupyter_client.manager import start_new_kernel

from tools.waiting import LONG

PANEL = """
from degnn_explore.views.widgets.messages import PageWidget
from degnn_explore.views.widgets.panel import Panel
widget = PageWidget()
widget.hear("ask", lambda: widget.send("heard"))
panel = Panel([widget])
widget.model_id
"""


@pytest.fixture
def kernel() -> Iterator[BlockingKernelClient]:
    manager, client = start_new_kernel(startup_timeout=LONG)
    yield client
    client.stop_channels()
    manager.shutdown_kernel(now=True)


def control(kernel: BlockingKernelClient, kind: str, **content: Any) -> dict[str, Any]:
    kernel.control_channel.send(kernel.session.msg(kind, content))
    answer: dict[str, Any] = kernel.get_control_msg(timeout=LONG)["content"]
    assert answer["status"] == "ok", answer
    return answer


def until_idle(kernel: BlockingKernelClient, asked: str) -> list[dict[str, Any]]:
    """What the kernel published on account of a message."""
    found: list[dict[str, Any]] = []
    while not found or found[-1]["content"].get("execution_state") != "idle":
        told = kernel.get_iopub_msg(timeout=LONG)
        if told["parent_header"].get("msg_id") == asked:
            found.append(told)
    return found


def asker(kernel: BlockingKernelClient) -> Callable[[str | None], list[Any]]:
    """Asks the widget of a panel, through a subshell or none; returns what it answered."""
    told = until_idle(kernel, kernel.execute(PANEL))
    [result] = [one for one in told if one["msg_type"] == "execute_result"]
    model = result["content"]["data"]["text/plain"].strip("'")

    def ask(subshell: str | None) -> list[Any]:
        data = {"method": "custom", "content": {"type": "ask"}}
        message = kernel.session.msg("comm_msg", {"comm_id": model, "data": data})
        message["header"]["subshell_id"] = subshell
        kernel.shell_channel.send(message)
        heard = until_idle(kernel, message["header"]["msg_id"])
        return [one["content"]["data"]["content"] for one in heard if one["msg_type"] == "comm_msg"]

    return ask


def test_a_widget_hears_the_page_when_the_subshell_it_last_spoke_from_is_gone(kernel: BlockingKernelClient) -> None:
    ask = asker(kernel)
    first = control(kernel, "create_subshell_request")["subshell_id"]
    assert ask(first) == ["heard"]  # it spoke from there
    control(kernel, "delete_subshell_request", subshell_id=first)
    assert ask(None) == ["heard"]
    second = control(kernel, "create_subshell_request")["subshell_id"]
    assert ask(second) == ["heard"]
    control(kernel, "delete_subshell_request", subshell_id=second)
    third = control(kernel, "create_subshell_request")["subshell_id"]
    assert ask(third) == ["heard"]
