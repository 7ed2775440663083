"""Parse a file in a child process, so that a parser's crash, a bomb or a hang ends the child and never the kernel.

The child gets the open file as its standard input, a limit of memory and of time that grow with the file's size, and
writes the graph's arrays to its standard output as ``.npz``, nothing pickled. It is started as a new
interpreter (``python -m degnn_explore.reading.isolate``): a fork would copy the kernel's threads, and
multiprocessing would run an unguarded script again.
"""

from __future__ import annotations

import contextlib
import gc
import importlib.util
import json
import os
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from dataclasses import asdict
from pathlib import Path
from typing import IO, Any

import numpy as np

from ..common.errors import GraphError
from ..common.files import readable_size
from ..common.progress import memory, report
from ..graphs.build import Cleaning
from ..graphs.graph import Graph
from .tables import READING

# GraphML takes the most: 22 bytes of memory for each byte of the file, and 0.4 CPU-seconds a megabyte.
MEMORY = 1_500_000_000, 30  # bytes, and bytes more for each byte of the file
SECONDS = 40.0, 3e-6  # seconds of the processor, and seconds more for each byte of the file
_BUSY = 5 if importlib.util.find_spec("resource") else 1  # times as many by the clock, on a machine that is busy
_TOO_LONG = "reading it took more than {:.0f} seconds; gave up. The file may be damaged."


def parse_in_child(read: Callable[[IO[bytes]], Graph], file: IO[bytes], expected: str) -> Graph:
    """``read(file)``, called in a child process. The file must be on disk; ``expected`` says what it should hold."""
    size = os.fstat(file.fileno()).st_size
    most_memory = min(MEMORY[0] + MEMORY[1] * size, memory())
    most_seconds = SECONDS[0] + SECONDS[1] * size
    limits = str(most_memory), str(most_seconds)
    command = [sys.executable, "-P", "-m", __name__, f"{read.__module__}:{read.__name__}", *limits]
    path = os.pathsep.join(filter(None, [str(Path(__file__).parents[2]), os.environ.get("PYTHONPATH")]))
    environment = os.environ | {"PYTHONPATH": path, "OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1"}
    with tempfile.TemporaryFile() as answer, tempfile.TemporaryFile() as errors:
        child = subprocess.Popen(command, stdin=file, stdout=answer, stderr=errors, env=environment)
        try:
            _wait(child, _BUSY * most_seconds)
        finally:  # also on Cancel and Ctrl-C
            child.kill()
            child.wait()
        answer.seek(0)
        if child.returncode == 0:
            return _receive(answer, expected)
        errors.seek(0)
        last = errors.read().decode(errors="replace").strip().splitlines()[-1:] or [f"exit code {child.returncode}"]
    if child.returncode == -getattr(signal, "SIGXCPU", 0):
        raise GraphError(_TOO_LONG.format(most_seconds))
    if "MemoryError" in last[0] or child.returncode == -9:
        raise GraphError(
            f"not enough memory to read it as {expected}: more than {readable_size(most_memory)} would be needed. The "
            "file may be damaged; if not, build the graph with de.Graph.from_edges(array)."
        )
    raise GraphError(f"the parser crashed on it ({last[0][:200]}): the file is damaged, or is not {expected}.")


def _wait(child: subprocess.Popen[bytes], seconds: float) -> None:
    """Wait for the child to end, and report meanwhile: that raises Cancelled when someone wants to stop."""
    started = time.monotonic()
    while child.poll() is None:
        passed = time.monotonic() - started
        if passed > seconds:
            raise GraphError(_TOO_LONG.format(seconds))
        report(READING, 0.1 + 0.7 * passed / seconds)
        with contextlib.suppress(subprocess.TimeoutExpired):
            child.wait(0.05)


def _receive(answer: IO[bytes], expected: str) -> Graph:
    with np.load(answer) as saved:
        arrays = dict(saved)
    about = json.loads(arrays.pop("about").tobytes())
    if "refused" in about:
        raise GraphError(about["refused"])
    if "failed" in about:
        raise GraphError(f"this is not {expected}: {about['failed']}.")
    state: dict[str, Any] = {key: about.get(key, arrays.get(key)) for key in about["fields"]}
    words = {key: np.array(cells, dtype=object) for key, cells in about["words"].items()}
    info = {key: words.get(key, arrays.get(f"info {place}")) for place, key in enumerate(about["info"])}
    cleaning = Cleaning(**about["cleaning"] | {"columns_ignored": tuple(about["cleaning"]["columns_ignored"])})
    names = None if about["_names"] is None else tuple(about["_names"])
    graph = object.__new__(Graph)
    graph.__setstate__(state | {"info": info, "cleaning": cleaning, "_names": names})
    return graph


# ---- the child's side ----------------------------------------------------------------------------------------


def _send(about: dict[str, Any], answer: IO[bytes], **arrays: Any) -> None:
    np.savez(answer, about=np.frombuffer(json.dumps(about).encode(), dtype=np.uint8), **arrays)


def _send_graph(graph: Graph, answer: IO[bytes]) -> None:
    state = graph.__getstate__()
    info, cleaning = state["info"], asdict(state["cleaning"])
    arrays = {key: value for key, value in state.items() if isinstance(value, np.ndarray)}
    arrays |= {f"info {place}": cells for place, cells in enumerate(info.values()) if cells.dtype != object}
    words = {key: column.tolist() for key, column in info.items() if column.dtype == object}
    plain = {key: value for key, value in state.items() if key not in arrays}
    _send(plain | {"fields": list(state), "info": list(info), "words": words, "cleaning": cleaning}, answer, **arrays)


def _limit(most_memory: int, seconds: float) -> None:
    """Limit memory and processor time, if the system can: then this process ends even if its kernel was killed."""
    with contextlib.suppress(OSError):
        Path("/proc/self/oom_score_adj").write_text("1000", encoding="utf-8")  # killed before the kernel
    with contextlib.suppress(ImportError):  # Windows
        import resource

        for what, most in (("DATA", most_memory), ("CPU", int(seconds)), ("CORE", 0)):
            with contextlib.suppress(ValueError, OSError, AttributeError):  # a lower limit is set already
                kind = getattr(resource, f"RLIMIT_{what}")
                resource.setrlimit(kind, (most, resource.getrlimit(kind)[1]))


def main(function: str, most_memory: str, seconds: str) -> None:
    """Read standard input with ``module:function`` and write the graph to standard output."""
    answer = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)  # what a library prints is not the answer
    module, _, name = function.partition(":")
    read = getattr(importlib.import_module(module), name)
    _limit(int(most_memory), float(seconds))
    gc.disable()  # millions of networkx's objects, none in a cycle: a fifth less time on GraphML
    try:
        graph = read(sys.stdin.buffer)
    except GraphError as error:
        return _send({"refused": str(error)}, answer)
    except MemoryError:
        raise
    except Exception as error:  # each parser raises different ones
        first = str(error).strip().partition("\n")[0][:200].rstrip(".")
        return _send({"failed": f"{type(error).__name__}{': ' * bool(first)}{first}"}, answer)
    _send_graph(graph, answer)


if __name__ == "__main__":
    main(*sys.argv[1:])
