"""A child process that works through cases with a bound of memory and of time: a crash is a finding, not the end.

    with Child("tests.reading.doors") as child:
        child.ask("csv", b"0,1\n")      # "" if all went well, otherwise what happened

The module named has ``DOORS``, a name and a function of bytes each, and ``prepare()``, run before memory is bounded.
A case that is answered, or refused by one of our own errors, went well; another error, the death of the process or
too much time is told, with the traceback's end.
"""

from __future__ import annotations

import contextlib
import faulthandler
import importlib
import os
import struct
import subprocess
import sys
import tempfile
import traceback
from pathlib import Path
from typing import IO

ROOT = Path(__file__).parents[2]


class Child:
    """The process, started when the first case comes, and again after a case has ended it."""

    def __init__(self, module: str, *, memory: int = 1_500_000_000, seconds: float = 60.0) -> None:
        self.command = [sys.executable, "-m", "tests.support.child", module, str(memory), str(seconds)]
        self.process: subprocess.Popen[bytes] | None = None
        self.said = tempfile.TemporaryFile()  # noqa: SIM115  its stderr, where a crash leaves its traceback

    def __enter__(self) -> Child:
        return self

    def __exit__(self, *_: object) -> None:
        self._end()
        self.said.close()

    def ask(self, door: str, content: bytes) -> str:
        """What happened to this case, in words; nothing if it went well."""
        if self.process is None:
            path = os.pathsep.join([str(ROOT), os.environ.get("PYTHONPATH", "")])
            self.process = subprocess.Popen(
                self.command,
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=self.said,
                cwd=ROOT,
                env=os.environ | {"PYTHONPATH": path},
            )
        assert self.process.stdin is not None
        assert self.process.stdout is not None
        with contextlib.suppress(BrokenPipeError):  # it died before it read all: told below
            _send(self.process.stdin, door.encode())
            _send(self.process.stdin, content)
        answer = _receive(self.process.stdout)
        if answer is not None:
            return answer.decode()
        code = self._end()
        self.said.seek(max(self.said.seek(0, os.SEEK_END) - 3000, 0))
        return f"the process ended with code {code}: {self.said.read().decode(errors='replace')}"

    def _end(self) -> int | None:
        if self.process is None:
            return None
        process, self.process = self.process, None
        process.kill()
        with process:
            return process.wait()


def _send(stream: IO[bytes], content: bytes) -> None:
    stream.write(struct.pack(">Q", len(content)) + content)
    stream.flush()


def _receive(stream: IO[bytes]) -> bytes | None:
    size = stream.read(8)
    return stream.read(struct.unpack(">Q", size)[0]) if len(size) == 8 else None


def _bound_memory(size: int) -> None:
    """So much more than is taken already; where the system cannot say that, no bound."""
    with contextlib.suppress(ImportError, OSError, ValueError):
        import resource

        taken = int(Path("/proc/self/statm").read_text(encoding="utf-8").split()[0]) * resource.getpagesize()
        resource.setrlimit(resource.RLIMIT_AS, (taken + size, taken + size))


def _work(module: str, memory: int, seconds: float) -> None:
    """The child's side: a door and a content in, what happened out."""
    from degnn_explore.common.errors import GraphError, ParameterError, TargetError
    from degnn_explore.common.progress import Cancelled

    cases, answers = sys.stdin.buffer, os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)  # what a library prints is not an answer
    given = importlib.import_module(module)
    given.prepare()
    faulthandler.enable()
    _bound_memory(memory)
    while (door := _receive(cases)) is not None and (content := _receive(cases)) is not None:
        faulthandler.dump_traceback_later(seconds, exit=True)
        happened = ""
        try:
            given.DOORS[door.decode()](content)
        except (GraphError, ParameterError, TargetError, Cancelled):
            pass
        except BaseException:
            happened = traceback.format_exc()[-3000:]
        faulthandler.cancel_dump_traceback_later()
        _send(answers, happened.encode("utf-8", "replace"))


if __name__ == "__main__":
    _work(sys.argv[1], int(sys.argv[2]), float(sys.argv[3]))
