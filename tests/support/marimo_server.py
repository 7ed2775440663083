"""A real marimo server with one notebook."""

from __future__ import annotations

import socket
import subprocess
import sys
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from tests.support.waiting import until


@contextmanager
def marimo_page(folder: Path, notebook: str) -> Iterator[str]:
    """Serves a notebook as an app and gives its address."""
    (folder / "lesson.py").write_text(notebook, encoding="utf-8")
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    command = [sys.executable, "-m", "marimo", "run", "lesson.py", "--headless", "--no-token", "--port", str(port)]
    with (folder / "log").open("w") as log:
        process = subprocess.Popen([*command, "--host", "127.0.0.1"], cwd=folder, stdout=log, stderr=log)
    address = f"http://127.0.0.1:{port}"

    def answers() -> bool:
        try:
            urllib.request.urlopen(f"{address}/health", timeout=10).close()
            return True
        except OSError:
            return False

    try:
        until(answers, told=(folder / "log").read_text)
        yield address
    finally:
        process.terminate()
        process.wait(60)
