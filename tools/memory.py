"""The most memory that this process has held, for tests that bound it in a child."""

from __future__ import annotations

import resource
import sys
from pathlib import Path


def peak() -> int:
    """Bytes. Where there is /proc, of this program alone: ru_maxrss begins with what the parent held when it forked."""
    status = Path("/proc/self/status")
    if status.exists():
        return 1024 * int(status.read_text().split("VmHWM:")[1].split()[0])
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * (1 if sys.platform == "darwin" else 1024)
