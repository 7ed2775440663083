"""``degnn-explore explore`` and ``app``: what is shown, and a page served by Voilà without a browser."""

from __future__ import annotations

import importlib.util
import re
import signal
import socket
import urllib.error
import urllib.request
import webbrowser
from pathlib import Path
from typing import Any
from unittest.mock import Mock
from urllib.parse import urlparse

import psutil
import pytest

import degnn_explore as de
from degnn_explore.cli import app, command

from .conftest import Shell, write


@pytest.fixture
def served(shell: Shell, monkeypatch: pytest.MonkeyPatch) -> list[dict[str, Any]]:
    """What would be served."""
    pages: list[dict[str, Any]] = []
    monkeypatch.setattr(
        command, "serve", lambda code, title, **more: pages.append({"code": code, "title": title} | more)
    )
    return pages


def shown(code: str) -> Any:
    """What the last line of the code evaluates to."""
    first, _, last = code.rpartition("\n")
    exec(first, names := {})
    return eval(last, names)


def test_the_page_shows_what_was_named(shell: Shell, folder: Path, served: list[dict[str, Any]]) -> None:
    write("it's.csv", "3,4\n4,'); boom(\n")
    write("own.py", "")
    assert shell("explore", "it's.csv", "4", "'); boom(", "--import", "own.py").code == 0
    explorer = shown(served[0]["code"])
    assert isinstance(explorer, de.Explorer)
    graph = explorer.state.sides[0].graph
    assert [graph.names[v] for v in explorer.targets[0]] == ["4", "'); boom("]
    assert str(folder / "own.py") in served[0]["code"] and str(folder / "it's.csv") in served[0]["code"]
    assert shell("explore", "karate").code == 0
    assert shown(served[1]["code"]).state.sides[0].graph is de.load("karate") and "runpy" not in served[1]["code"]
    assert shell("app").code == 0
    explorer, board = shown(served[2]["code"]).children
    assert isinstance(explorer, de.Explorer) and isinstance(board, de.TrainingBoard)
    assert served[0]["title"] == served[1]["title"] != served[2]["title"]


@pytest.mark.parametrize("name", ["explore karate", "app"])
def test_port_browser_and_theme_are_options(shell: Shell, served: list[dict[str, Any]], name: str) -> None:
    default = {"port": 0, "browser": True, "dark": False}
    changes = {"": {}, "--no-browser": {"browser": False}, "--port 65535": {"port": 65_535}, "--dark": {"dark": True}}
    for options, change in changes.items():
        assert shell(*name.split(), *options.split()).code == 0
        page = served.pop()
        page["log"]("the address is logged")
        assert {key: page[key] for key in default} == default | change


def answer_of(address: str, method: str = "GET") -> tuple[int, str]:
    try:
        with urllib.request.urlopen(urllib.request.Request(address, method=method)) as answer:
            return answer.status, answer.read().decode()
    except urllib.error.HTTPError as error:
        return error.code, ""


def children() -> list[psutil.Process]:
    return psutil.Process().children(recursive=True)


def test_who_has_the_address_sees_the_page(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("voila")
    monkeypatch.setenv("BROWSER", f"touch {tmp_path}/opened-by-the-server %s")
    code = "print(6 * 7)\nraise ValueError('oh dear')"
    before, handler, files, messages = children(), signal.getsignal(signal.SIGINT), [], []

    def browse(file: str) -> bool:
        """What a browser does with the file that it is told to open; then Ctrl-C."""
        files.append(Path(urlparse(file).path))
        address = re.search(r'url=([^"]+)', files[0].read_text(encoding="utf-8"))[1]
        assert address in messages[0]
        base, _, token = address.partition("?")
        assert urlparse(base).hostname == "127.0.0.1" and len(token) > 30
        status, html = answer_of(address)
        assert status == 200 and "<title>Two</title>" in html and "<pre>42" in html and "oh dear" in html
        assert "theme-light" in html and "de-screen" in html
        assert re.findall(r"(?:src|href)=[\"']?(?:https?:)?//(?!127\.0\.0\.1)", html) == []
        assert "<title>Two</title>" not in answer_of(base)[1]  # without the token there is a form to log in
        assert token.removeprefix("token=") not in str([child.cmdline() for child in children()])
        kernel = re.search(r'"kernelId": "([^"]+)"', html)[1]
        assert answer_of(f"{base}voila/api/shutdown/{kernel}?{token}", "POST")[0] == 204  # as a page that closes does
        assert kernel not in str([child.cmdline() for child in children()])
        raise KeyboardInterrupt

    monkeypatch.setattr(webbrowser, "open", browse)
    app.serve(code, "Two", port=0, browser=True, dark=False, log=messages.append)
    assert len(messages) == 2 and "Two" in messages[0]
    assert children() == before and signal.getsignal(signal.SIGINT) is handler
    assert not files[0].parent.exists() and not (tmp_path / "opened-by-the-server").exists()

    def end(message: str) -> None:
        """The second time, on the same port, without a browser: the server is asked for the page and ends."""
        messages.append(message)
        status, html = answer_of(re.search(r"http\S+", message)[0])
        assert status == 200 and "theme-dark" in html
        (server,) = (child for child in children() if "voila" in child.cmdline())
        server.terminate()

    port = urlparse(re.search(r"http\S+", messages[0])[0]).port
    monkeypatch.setattr(webbrowser, "open", lambda address: pytest.fail("a browser was opened"))
    app.serve("1", "Two", port=port, browser=False, dark=True, log=end)
    assert len(messages) == 3 and f":{port}/" in messages[2] and children() == before


def test_without_a_browser_the_address_is_to_be_opened_by_hand(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    messages: list[str] = []
    for found in (True, False):
        monkeypatch.setattr(webbrowser, "open", lambda address, found=found: found)
        app.open_page(tmp_path, "http://127.0.0.1:1/", messages.append)
        assert len(messages) == (not found)


def serve(port: int = 0) -> None:
    app.serve("1", "Two", port=port, browser=False, dark=False, log=print)


def test_without_a_server_voila_or_a_free_port_it_is_an_error(monkeypatch: pytest.MonkeyPatch) -> None:
    with monkeypatch.context() as patch, pytest.raises(OSError, match="ended with code 1"):
        patch.setattr(app.sys, "executable", "/bin/false")
        serve()
    monkeypatch.setattr(app.subprocess, "Popen", Mock(side_effect=AssertionError("started")))
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        with pytest.raises(OSError, match="in use"):
            serve(taken.getsockname()[1])
    monkeypatch.setattr(importlib.util, "find_spec", lambda name: None)
    with pytest.raises(de.ParameterError, match=r"pip install 'degnn_explore\[app\]'"):
        serve()
