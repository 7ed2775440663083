"""A fresh environment with what Binder's image would install; used by a test and a benchmark."""

from __future__ import annotations

import os
import re
import socket
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
REQUIREMENTS = ROOT / "binder" / "requirements.txt"


def binder_environment(folder: Path) -> Path:
    """Makes a virtual environment in ``folder``, installs as repo2docker does; returns its Python."""
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", folder], check=True, timeout=300)
    python = folder / "bin" / "python"
    # Where PyTorch's index cannot be reached, pip has torch's CPU build from elsewhere, or the default one: no waiting.
    host = re.findall(r"--extra-index-url https?://([^/\s]+)", REQUIREMENTS.read_text(encoding="utf-8"))[0]
    quick = {} if _known(host) else {"PIP_RETRIES": "0"}
    environment = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}
    environment |= {"PIP_DISABLE_PIP_VERSION_CHECK": "1", **quick}
    pip = [sys.executable, "-m", "pip", "--python", python, "install", "--quiet", "--no-cache-dir"]
    subprocess.run([*pip, "-r", REQUIREMENTS], cwd=ROOT, env=environment, check=True, timeout=1800)
    return python


def _known(host: str) -> bool:
    try:
        socket.getaddrinfo(host, 443)
    except OSError:
        return False
    return True


def inside(python: Path, cache: Path) -> dict[str, str]:
    """The variables of a process in that environment: its commands first, compiled code in a folder of its own."""
    environment = {name: value for name, value in os.environ.items() if not name.startswith(("PYTHONPATH", "NUMBA"))}
    return environment | {"PATH": f"{python.parent}{os.pathsep}{os.environ['PATH']}", "NUMBA_CACHE_DIR": str(cache)}


def megabytes(folder: Path) -> int:
    """What the files of a folder take."""
    return sum(path.lstat().st_size for path in folder.rglob("*")) // 1_000_000
