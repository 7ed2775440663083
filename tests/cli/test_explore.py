"""``degnn-explore explore`` before it serves anything; tests/views/browser/test_app.py opens the page."""

from __future__ import annotations

import importlib.util
import socket
from pathlib import Path

import pytest

from degnn_explore.cli import command, main


@pytest.fixture
def served(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The code that would be shown."""
    codes: list[str] = []
    monkeypatch.setattr(command, "serve", lambda code, title, **options: codes.append(code))
    return codes


def test_the_page_shows_the_graph_and_the_set_that_were_named(folder: Path, served: list[str]) -> None:
    Path("it's.csv").write_text("3,4\n4,'); boom(\n", encoding="utf-8")
    Path("own.py").write_text("seen = True\n", encoding="utf-8")
    assert main(["explore", "it's.csv", "4", "'); boom(", "--import", "own.py"]) == 0
    import degnn_explore as de

    shown: dict[str, object] = {}
    lines = served[0].splitlines()
    exec("\n".join([*lines[:-1], f"explorer = {lines[-1]}"]), shown)
    explorer = shown["explorer"]
    assert isinstance(explorer, de.Explorer)
    graph = explorer.state.sides[0].graph
    assert [graph.names[v] for v in explorer.targets[0]] == ["4", "'); boom("]
    assert str(folder / "own.py") in served[0]
    assert main(["explore", "karate"]) == 0
    assert "de.Explorer(('karate', []))" in served[1]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["karat"], "karate"),
        (["nowhere.csv"], "no such file"),
        (["karate", "99"], "Node 99 is not in the graph"),
        (["karate", "--port", "70000"], "from 0 to 65,535"),
    ],
)
def test_what_cannot_be_shown_ends_before_a_page_opens(
    arguments: list[str], message: str, served: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["explore", *arguments]) == 2
    assert message in capsys.readouterr().err
    assert served == []


def test_without_voila_it_says_what_to_install(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(importlib.util, "find_spec", lambda name: None)
    assert main(["explore", "karate", "--no-browser"]) == 2
    assert "pip install 'degnn_explore[app]'" in capsys.readouterr().err


def test_a_port_in_use_is_an_error_of_one_line(capsys: pytest.CaptureFixture[str]) -> None:
    pytest.importorskip("voila")
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = taken.getsockname()[1]
        assert main(["explore", "karate", "--no-browser", "--port", str(port)]) == 2
    assert "in use" in capsys.readouterr().err
