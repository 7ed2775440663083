"""What the tests of reading share: files to write, parsing without a child process, and what an error looks like."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path

import pytest

from degnn_explore import Graph, GraphError, read_graph
from degnn_explore.reading import read

Write = Callable[[str, str | bytes], Path]


@pytest.fixture
def write(tmp_path: Path) -> Write:
    """Writes a file into an empty folder and returns its path."""

    def write(name: str, content: str | bytes) -> Path:
        path = tmp_path / name
        path.write_bytes(content.encode() if isinstance(content, str) else content)
        return path

    return write


@pytest.fixture
def parsed_here(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Risky formats are parsed in this process: starting a child takes half a second. Lists the parsers so called."""
    calls: list[str] = []

    def parse(parser: Callable[..., Graph], file: object, expected: str) -> Graph:
        calls.append(parser.__name__)
        return parser(file)

    monkeypatch.setattr(read, "parse_in_child", parse)
    return calls


def refused(path: Path, message: str, **options: object) -> None:
    """The file is refused, and the error begins with its name, once."""
    with pytest.raises(GraphError, match=f"(?s){message}") as caught:
        read_graph(path, **options)
    assert re.match(f"{re.escape(str(path))}: (?!{re.escape(str(path))})", str(caught.value))
