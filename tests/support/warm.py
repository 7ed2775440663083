"""A process that forks for each order that it reads, and runs tests in the fork. See mutation.py.

Without an argument it has imported what most tests need, and nothing of this project: a fork collects the files of its
tests itself. With the argument ``hot`` it has collected all tests: a fork puts the functions of a changed module in the
place of those that are there. An order is a line of JSON. The answers are two lines: the fork's process id, which is
its group's as well, and its exit code, 0 if all tests passed.
"""

from __future__ import annotations

import gc
import importlib
import json
import os
import resource
import signal
import sys
from collections.abc import Generator, Iterator
from pathlib import Path
from types import CodeType, FunctionType
from typing import Any

import pytest

NEEDED = ("hypothesis", "networkx", "numba", "numpy", "pandas", "scipy.sparse", "torch")
BYTES = 10 * 2**30  # of memory, for a fault may ask for all there is
PLAIN_SECONDS = 15  # of CPU time for a test, for compiled loops that run as plain Python take long on large graphs
TEST_SECONDS = 60  # for one test; a fault that makes it last longer is noticed
OPTIMIZED = 1  # the flag of code that is a function's, not a module's or a class's
ANSWERS = 9  # a file descriptor
NOT_SWAPPED = 77  # an exit code
ORDER: dict[str, Any] = {}  # in a fork: what to run


def main() -> None:
    os.environ.setdefault("ONEDNN_MAX_CPU_ISA", "AVX512_CORE_BF16")  # see tests/conftest.py
    os.dup2(1, ANSWERS)
    os.dup2(os.open(os.devnull, os.O_RDWR), 1)
    if sys.argv[1:2] == ["hot"]:
        sys.exit(tests(["-s", *sys.argv[2:]]))
    for name in NEEDED:
        importlib.import_module(name)
    if (order := forks()) is not None:
        ORDER.update(order)
        if order["plain"]:
            import numba

            os.environ["NUMBA_DISABLE_JIT"] = "1"
            numba.config.reload_config()
        os._exit(tests(order["files"]))


def tests(arguments: list[str]) -> int:
    arguments = ["-q", "-p", "no:cacheprovider", *arguments]
    return pytest.main(arguments, plugins=[sys.modules[__name__]])  # by name, it would be imported a second time


def forks() -> dict[str, Any] | None:
    """In each fork its order; None in this process, when there are no more."""
    for line in sys.stdin:
        child = os.fork()
        if child == 0:
            alone()
            return dict(json.loads(line))
        os.write(ANSWERS, f"{child}\n".encode())
        os.write(ANSWERS, f"{os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])}\n".encode())
    return None


def alone() -> None:
    os.setsid()
    resource.setrlimit(resource.RLIMIT_DATA, (BYTES, BYTES))
    nothing = os.open(os.devnull, os.O_RDWR)
    for stream in (0, 1, 2, ANSWERS):
        os.dup2(nothing, stream)


# -- hooks of pytest ---------------------------------------------------------------------------------------------------


def pytest_runtestloop(session: pytest.Session) -> bool:
    if not ORDER:
        order = forks()
        if order is None:
            return True
        ORDER.update(order)
        if order["text"] and not swap(Path(order["path"]).resolve(), order["text"]):
            os._exit(NOT_SWAPPED)
    if session.testsfailed:  # a file could not be imported
        os._exit(2)
    os._exit(run_chosen(session))


def run_chosen(session: pytest.Session) -> int:
    """Run the tests of the order, as it sorts them, until one fails or does not end; its name is written down."""
    items = {item.nodeid: item for item in session.items}
    chosen = [items[name] for name in ORDER["tests"] if name in items]
    for item, following in zip(chosen, [*chosen[1:], None], strict=False):  # none is chosen to see whether files import
        Path("failure.txt").write_text(item.nodeid, encoding="utf-8")
        busy = max(1.0, os.getloadavg()[0] / (os.cpu_count() or 1))
        signal.setitimer(signal.ITIMER_REAL, TEST_SECONDS * busy)  # ends the process, whatever it is at
        item.config.hook.pytest_runtest_protocol(item=item, nextitem=following)
        if session.testsfailed:
            return 1
    Path("failure.txt").write_text("", encoding="utf-8")
    return 0


@pytest.hookimpl(wrapper=True)
def pytest_runtest_call(item: pytest.Item) -> Generator[None, Any, Any]:
    """As plain Python, a test that takes too long is left, and written down."""
    if not ORDER or not os.environ.get("NUMBA_DISABLE_JIT"):
        return (yield)

    def leave(*_: Any) -> None:
        with Path("left.txt").open("a", encoding="utf-8") as out:
            out.write(f"{item.nodeid}\n")
        pytest.skip("takes long as plain Python")

    signal.signal(signal.SIGPROF, leave)
    signal.setitimer(signal.ITIMER_PROF, PLAIN_SECONDS)
    try:
        return (yield)
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0)


# -- a fault in functions that are there already -----------------------------------------------------------------------


def only_functions_differ(old: str, new: str) -> bool:
    """Whether what runs when the module is imported is the same in both texts."""
    return at_import(compile(old, "", "exec")) == at_import(compile(new, "", "exec"))


def at_import(code: CodeType) -> tuple[Any, ...]:
    """What runs when a module is imported: its code and that of its classes, without its functions'."""
    inner = [each for each in code.co_consts if isinstance(each, CodeType)]
    runs = [
        at_import(each) for each in inner if not each.co_flags & OPTIMIZED or each.co_name.endswith(("comp>", "expr>"))
    ]
    plain = [repr(each) for each in code.co_consts if not isinstance(each, CodeType)]
    return code.co_code, code.co_names, plain, [each.co_qualname for each in inner], runs


def swap(file: Path, text: str) -> bool:
    """Put the functions of the changed text in the place of those of the module, wherever they are held."""
    old, new = (list(parts(compile(each, str(file), "exec"))) for each in (file.read_text(encoding="utf-8"), text))
    if [code.co_name for code in old] != [code.co_name for code in new]:  # a function within a function is gone
        return False
    places = {place(code): k for k, code in enumerate(old)}
    file.write_text(text, encoding="utf-8")  # for processes that tests start
    gc.unfreeze()
    for held in gc.get_objects():
        if isinstance(held, FunctionType) and held.__code__.co_filename == str(file):
            k = places.get(place(held.__code__))
            if k is None or held.__code__.co_freevars != new[k].co_freevars:
                return False
            held.__code__ = new[k]
    return True


def parts(code: CodeType) -> Iterator[CodeType]:
    yield code
    for each in code.co_consts:
        if isinstance(each, CodeType):
            yield from parts(each)


def place(code: CodeType) -> tuple[Any, ...]:
    return code.co_qualname, code.co_firstlineno, tuple(code.co_positions())[:3]


if __name__ == "__main__":
    main()
