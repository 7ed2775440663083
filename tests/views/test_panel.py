"""When a panel ends, and a real kernel to which a page speaks through subshells as JupyterLab does."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import pytest
from IPython.core import getipython
from jupyter_client.blocking.client import BlockingKernelClient
from jupyter_client.manager import start_new_kernel

import degnn_explore as de
from tests.support.shell import Shell
from tests.support.waiting import LONG

PANEL = """
from degnn_explore.views.panel import Panel
class Speaker(Panel):
    def do(self, name, content):
        self.send("heard")
Speaker().model_id
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
        data = {"method": "custom", "content": {"kind": "do", "name": "ask"}}
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


def test_running_a_cell_again_closes_the_panel_it_made_before(monkeypatch: pytest.MonkeyPatch) -> None:
    shell, made = Shell(), list[de.Explorer]()
    monkeypatch.setattr(getipython, "get_ipython", lambda: shell)
    for _ in range(50):
        shell.run("a", lambda: made.append(de.Explorer(preset="hexagon")))
    shell.run("b", lambda: made.append(de.Explorer(preset="hexagon")))
    assert [explorer.comm is not None for explorer in made] == [False] * 49 + [True, True]
    assert made[0].classes == b""  # Out[] keeps the Python object, but not its arrays


def test_outside_of_a_notebook_nothing_is_closed() -> None:
    made = [de.Explorer(preset="hexagon") for _ in range(3)]
    assert all(explorer.comm is not None for explorer in made)
