"""Where things are: the folder of a project, drives of other machines, processes that are gone."""

from __future__ import annotations

import contextlib
import os
from pathlib import Path

_AFAR = ("nfs", "cifs", "smb", "9p", "afs", "ceph", "gluster", "lustre", "beegfs", "gpfs", "fuse.")


def project_folder(*marks: str) -> Path:
    """The nearest folder upwards of this one that holds a mark, else a repository or Python project, else this one."""
    here = Path.cwd()
    for wanted in (marks, (".git", "pyproject.toml")):
        for folder in (here, *here.parents):
            if any((folder / mark).exists() for mark in wanted):
                return folder
    return here


def is_network(folder: Path) -> bool:
    """Whether the folder is on a drive of another machine, as far as this system tells (Linux, Windows shares)."""
    if str(folder).startswith("\\\\"):
        return True
    with contextlib.suppress(OSError, ValueError):
        kinds = {}
        for line in Path("/proc/self/mounts").read_text().splitlines():
            _, place, kind, *_ = line.split(" ")
            kinds[place.replace("\\040", " ")] = kind
        for outer in (folder, *folder.parents):
            if str(outer) in kinds:
                return kinds[str(outer)].startswith(_AFAR)
    return False


def is_gone(process: int) -> bool:
    """Whether there is no such process on this machine any more; False where that cannot be asked without harm."""
    if os.name != "posix":  # signal 0 is no harmless question there
        return False
    try:
        os.kill(process, 0)
    except ProcessLookupError:
        return True
    except OSError:
        pass
    return False
