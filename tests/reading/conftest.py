"""What the tests of reading share: files to write, and how a refusal looks."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path

import pytest

from degnn_explore import GraphError, read_graph


@pytest.fixture
def put(tmp_path: Path) -> Callable[[str, str | bytes], Path]:
    """Writes a file and gives its path."""

    def write(name: str, content: str | bytes) -> Path:
        path = tmp_path / name
        path.write_bytes(content.encode() if isinstance(content, str) else content)
        return path

    return write


def refused(path: Path, message: str, **options: object) -> None:
    """The file is refused, and the error begins with its name, once."""
    with pytest.raises(GraphError, match=message) as caught:
        read_graph(path, **options)
    assert re.match(f"{re.escape(str(path))}: (?!{re.escape(str(path))})", str(caught.value))
