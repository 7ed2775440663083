"""The most memory that a process has held, for tests that bound it."""

from __future__ import annotations

import contextlib
import os
import resource
import sys
from pathlib import Path


def peak(process: int | str = "self") -> int:
    """Bytes. Where there is /proc, of this program alone: ru_maxrss begins with what the parent held when it forked."""
    status = Path(f"/proc/{process}/status")
    if status.exists():
        return 1024 * int(status.read_text(encoding="utf-8").split("VmHWM:")[1].split()[0])
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * (1 if sys.platform == "darwin" else 1024)


def peak_of_family() -> int:
    """Bytes: the sum of this process's peak and those of the processes that it has started and that still run.

    What they share is counted for each, so it is more than they ever held together. Without /proc, of this one alone.
    """
    parents = {}
    for status in Path("/proc").glob("[0-9]*/status"):
        with contextlib.suppress(OSError, IndexError):  # ended in the meantime
            parents[int(status.parent.name)] = int(status.read_text(encoding="utf-8").split("PPid:")[1].split()[0])
    family, grown = {os.getpid()}, 0
    while grown < len(family):
        grown = len(family)
        family |= {child for child, parent in parents.items() if parent in family}
    total = 0
    for process in family:
        with contextlib.suppress(OSError, IndexError):
            total += peak(process)
    return total
