"""When a panel ends, and a real kernel whose pages send messages through subshells as JupyterLab does."""

from __future__ import annotations

import gc
from collections.abc import Callable, Iterator
from typing import Any

import pytest
from IPython.core import getipython
from jupyter_client.blocking.client import BlockingKernelClient
from jupyter_client.manager import start_new_kernel

import degnn_explore as de
from degnn_explore.views.panel import CellNote
from tests.support.shell import Shell
from tests.support.waiting import LONG

PANEL = """
from degnn_explore.views.panel import Panel
class Speaker(Panel):
    def do(self, name, content):
        self.send("heard")
Speaker().model_id
"""
NOTE = """
from degnn_explore.views.panel import CellNote
with CellNote() as note:
    note.tell("laying <b> out")
    note.tell("drawing")
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
    """What the kernel published in answer to a message."""
    found: list[dict[str, Any]] = []
    while not found or found[-1]["content"].get("execution_state") != "idle":
        message = kernel.get_iopub_msg(timeout=LONG)
        if message["parent_header"].get("msg_id") == asked:
            found.append(message)
    return found


def asker(kernel: BlockingKernelClient) -> Callable[[str | None], list[Any]]:
    """Sends a message to a panel's widget, through a subshell or none; returns its answers."""
    published = until_idle(kernel, kernel.execute(PANEL))
    [result] = [message for message in published if message["msg_type"] == "execute_result"]
    model = result["content"]["data"]["text/plain"].strip("'")

    def ask(subshell: str | None) -> list[Any]:
        data = {"method": "custom", "content": {"kind": "do", "name": "ask"}}
        message = kernel.session.msg("comm_msg", {"comm_id": model, "data": data})
        message["header"]["subshell_id"] = subshell
        kernel.shell_channel.send(message)
        published = until_idle(kernel, message["header"]["msg_id"])
        return [it["content"]["data"].get("content") for it in published if it["msg_type"] == "comm_msg"]

    return ask


def test_a_page_is_answered_when_the_subshell_of_its_last_message_is_gone(kernel: BlockingKernelClient) -> None:
    ask = asker(kernel)
    for through_subshell in (True, False, True, True):
        if not through_subshell:
            assert ask(None) == ["heard"]
            continue
        subshell = control(kernel, "create_subshell_request")["subshell_id"]
        assert ask(subshell) == ["heard"]
        control(kernel, "delete_subshell_request", subshell_id=subshell)
    published = until_idle(kernel, kernel.execute(NOTE))
    shown = {it["msg_type"]: it["content"]["data"]["text/html"] for it in published if "display" in it["msg_type"]}
    assert shown == {"display_data": "<p>Laying &lt;b&gt; out…</p>", "update_display_data": ""}


@pytest.mark.filterwarnings("error::pytest.PytestUnraisableExceptionWarning")
@pytest.mark.parametrize("make", [de.Explorer, de.TrainingBoard])
def test_a_panel_whose_arguments_are_wrong_leaves_no_second_error(make: Callable[..., Any]) -> None:
    for wrong in ({"layers": 99, "layer": 99}, {"preset": "x", "task": "y"}, {"a": 3, "graph": 3}):
        with pytest.raises((ValueError, TypeError)):
            make(**wrong)
        gc.collect()


def test_running_a_cell_again_closes_the_panels_it_made_before(monkeypatch: pytest.MonkeyPatch) -> None:
    shell, made = Shell(), list[de.Explorer]()
    monkeypatch.setattr(getipython, "get_ipython", lambda: shell)
    for cell in "aabac":
        shell.run(cell, lambda: made.extend(de.Explorer(preset="hexagon") for _ in range(2)))
    assert [explorer.comm is not None for explorer in made] == [False] * 4 + [True] * 6
    assert made[0].classes == b""  # Out[] keeps the Python object, but not its arrays
    shell.parent = {"header": {"msg_type": "comm_msg", "msg_id": "9"}, "metadata": {"cellId": "c"}}
    de.Explorer(preset="hexagon")  # made by a click, not by the cell
    assert made[-1].comm is not None
    monkeypatch.undo()
    alone = [de.Explorer(preset="hexagon") for _ in range(3)]  # without a notebook
    assert all(explorer.comm is not None for explorer in (*alone, *made[4:]))


def test_a_note_in_a_cell_is_for_notebooks_alone(capsys: pytest.CaptureFixture[str]) -> None:
    with CellNote() as note:
        note.tell("reading a file")
    assert capsys.readouterr().out == ""
