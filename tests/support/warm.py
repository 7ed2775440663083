"""A process that has imported what most tests need, and forks a pytest for each order that it reads. See mutation.py.

An order is a line of JSON. The answers are two lines: the child's process id, which is its group's as well, and its
exit code. Nothing of this project is imported before the fork.
"""

from __future__ import annotations

import importlib
import json
import os
import resource
import sys

import pytest

NEEDED = ("hypothesis", "networkx", "numba", "numpy", "pandas", "scipy.sparse", "torch")
BYTES = 10 * 2**30  # of memory, for a fault may ask for all there is


def main() -> None:
    os.environ.setdefault("ONEDNN_MAX_CPU_ISA", "AVX512_CORE_BF16")  # see tests/conftest.py
    for name in NEEDED:
        importlib.import_module(name)
    for line in sys.stdin:
        order = json.loads(line)
        child = os.fork()
        if child == 0:
            run(order["arguments"], order["plain"])
        print(child, flush=True)
        print(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]), flush=True)


def run(arguments: list[str], plain: bool) -> None:
    """Run pytest and end; ``plain``: compiled loops run as plain Python."""
    os.setsid()
    resource.setrlimit(resource.RLIMIT_DATA, (BYTES, BYTES))
    nothing = os.open(os.devnull, os.O_RDWR)
    for stream in (0, 1, 2):
        os.dup2(nothing, stream)
    if plain:
        import numba

        os.environ["NUMBA_DISABLE_JIT"] = "1"
        numba.config.reload_config()
    os._exit(int(pytest.main(arguments)))


if __name__ == "__main__":
    main()
