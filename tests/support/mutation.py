"""Put random small faults into the package, and count how many of them the tests notice.

    python -m tests.support.mutation --rooms graphs learn --faults 40
    python -m tests.support.mutation --rooms studies learn/tasks.py --tests tests/studies tests/learn

Chance chooses the faults; the seed is the commit, so the same commit gets the same faults. First all tests run once,
traced, to learn which functions each of them calls; the result is kept in ``.mutation/`` until ``--retrace``. Each
fault is then written into a copy of the repository, where the tests that call its function run, fastest first, until
one fails. That one then runs alone, with the fault and without: a test that fails without it, alone or after the
others, says nothing and is left out. Tests run in forks of a process that has collected them all, where the fault is
put into functions that are there already, or else of one that has imported torch and the like (warm.py).
"""

from __future__ import annotations

import argparse
import ast
import contextlib
import copy
import json
import os
import random
import re
import resource
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, NamedTuple

import hypothesis
import pytest

from tests.support.warm import NOT_SWAPPED, only_functions_differ

TOP = Path(__file__).parents[2]
KEPT = TOP / ".mutation"
ROOMS = (  # top: the modules of the package itself; js: the front end
    "common", "graphs", "reading", "encodings", "expressive", "theory", "quiz", "cli", "engine", "learn", "studies",
    "views", "top", "js",
)  # fmt: skip
TEST_SECONDS = 90  # of the tests that are run for one fault, in CPU time without the fault
TIMEOUT = 400  # a fault that makes them last longer is noticed
JS_TESTS = ("tests/views/js/", "tests/golden/test_pictures.py::test_a_picture_looks_as_it_did[panels]")
OF_ALL = ("tests/test_public_api.py::",)  # run for every fault, in a moment
NOT_RUN = ("tests/views/browser/", "tests/test_notebooks.py", "tests/test_site.py", "tests/test_binder.py")

Function = tuple[str, str]  # a module's path in the package, and the qualified name of a function


class Fault(NamedTuple):
    """One change: in ``path`` at ``line``, of this ``kind``; ``text`` is the whole changed file."""

    path: str
    line: int
    kind: str
    text: str


class Test(NamedTuple):
    name: str
    seconds: float


class Trace(NamedTuple):
    """All tests but those of browsers and notebooks, and which of them call which functions in their own process."""

    tests: list[Test]
    calls: dict[Function, list[Test]]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rooms", nargs="+", default=ROOMS, metavar="ROOM", help="or a folder or module of one")
    parser.add_argument("--faults", type=int, default=20, help="faults for each room (default: 20)")
    parser.add_argument("--seed", default=commit(), help="default: the commit")
    parser.add_argument("--workers", type=int, default=os.cpu_count())
    parser.add_argument("--seconds", type=float, default=TEST_SECONDS, help="CPU time of the tests run for one fault")
    parser.add_argument("--tests", nargs="+", default=[], metavar="PATH", help="trace and run only these")
    parser.add_argument("--retrace", action="store_true", help="learn once more which tests call which functions")
    options = parser.parse_args()
    trace = traced(options.retrace, options.workers, options.tests)
    faults = {room: draw(room, options.faults, options.seed) for room in options.rooms}
    every = [fault for drawn in faults.values() for fault in drawn]
    noticed = iter(try_all(every, [tests_of(fault, trace, options.seconds) for fault in every], options.workers))
    print(f"\nseed {options.seed}\n\n| room | faults | noticed |\n|---|---|---|")
    for room, drawn in faults.items():
        number = sum(next(noticed) for _ in drawn)
        print(f"| {room} | {len(drawn)} | {number} ({number / max(len(drawn), 1):.0%}) |")


def commit() -> str:
    return subprocess.run(
        ["git", "rev-parse", "HEAD"], cwd=TOP, capture_output=True, text=True, check=True
    ).stdout.strip()


# -- drawing faults ----------------------------------------------------------------------------------------------------


def draw(room: str, number: int, seed: str) -> list[Fault]:
    """``number`` different faults of a room, every possible one as likely as any other."""
    chance = random.Random(f"{seed} {room}")
    places = [place for path in modules(room) for place in (js_places if room == "js" else places_of)(path)]
    return [make() for make in chance.sample(places, min(number, len(places)))]


def modules(room: str) -> list[Path]:
    package = TOP / "degnn_explore"
    if room == "js":
        return sorted((package / "views" / "js").glob("*.js"))
    if room == "top":
        return sorted(path for path in package.glob("*.py") if path.name != "__init__.py")
    inside = sorted((package / room).rglob("*.py")) if (package / room).is_dir() else [package / room]
    if not all(path.exists() for path in inside) or not inside:
        sys.exit(f"{room} is no room of the package; these are: {', '.join(ROOMS)}")
    return inside


def places_of(path: Path) -> list[Callable[[], Fault]]:
    """One function for each possible fault of a Python module; calling it makes the changed text."""
    text = path.read_text(encoding="utf-8")
    tree = ast.parse(text)
    skipped = without_effect(tree)
    found: list[Callable[[], Fault]] = []
    for number, node in enumerate(ast.walk(tree)):
        if node in skipped:
            continue
        for kind, change in changes_of(node):

            def make(number: int = number, kind: str = kind, change: Any = change) -> Fault:
                changed = copy.deepcopy(tree)
                target = next(each for k, each in enumerate(ast.walk(changed)) if k == number)
                change(target)
                return Fault(str(path.relative_to(TOP)), target.lineno, kind, ast.unparse(changed))  # type: ignore[attr-defined]

            found.append(make)
    return found


def without_effect(tree: ast.AST) -> set[ast.AST]:
    """Nodes whose change no test should notice: annotations, what only a type checker runs, texts of errors."""
    skipped: set[ast.AST] = set()
    for node in ast.walk(tree):
        parts: list[ast.AST | None] = []
        if isinstance(node, ast.arg | ast.AnnAssign):
            parts.append(node.annotation)
        elif isinstance(node, ast.FunctionDef):
            parts.append(node.returns)
        elif isinstance(node, ast.If) and isinstance(node.test, ast.Name) and node.test.id == "TYPE_CHECKING":
            parts.append(node)
        elif isinstance(node, ast.Raise):
            parts.append(node.exc)
        elif isinstance(node, ast.JoinedStr | ast.Assert) or (isinstance(node, ast.keyword) and node.arg == "strict"):
            parts.append(node)
        for part in parts:
            skipped.update(ast.walk(part) if part is not None else ())
    return skipped


COMPARED = {ast.Lt: ast.LtE, ast.LtE: ast.Lt, ast.Gt: ast.GtE, ast.GtE: ast.Gt, ast.Eq: ast.NotEq, ast.NotEq: ast.Eq}
COMPARED |= {ast.In: ast.NotIn, ast.NotIn: ast.In, ast.Is: ast.IsNot, ast.IsNot: ast.Is}
COMPUTED = {ast.Add: ast.Sub, ast.Sub: ast.Add, ast.Mult: ast.Add, ast.Div: ast.Mult, ast.FloorDiv: ast.Div}
COMPUTED |= {ast.Mod: ast.FloorDiv, ast.BitAnd: ast.BitOr, ast.BitOr: ast.BitAnd, ast.LShift: ast.RShift}
EITHER_ORDER = ("min", "max", "minimum", "maximum", "gcd", "isclose", "array_equal")  # nobody could notice a swap


def changes_of(node: ast.AST) -> Iterator[tuple[str, Callable[[Any], None]]]:
    """The faults that a person might make at this node, each as a function that changes it in place."""
    if isinstance(node, ast.Compare) and type(node.ops[0]) in COMPARED:
        yield "comparison", lambda n: n.ops.__setitem__(0, COMPARED[type(n.ops[0])]())
    elif isinstance(node, ast.BinOp) and type(node.op) in COMPUTED:
        yield "sign", lambda n: setattr(n, "op", COMPUTED[type(n.op)]())
    elif isinstance(node, ast.BoolOp):
        yield "and/or", lambda n: setattr(n, "op", ast.Or() if isinstance(n.op, ast.And) else ast.And())
    elif isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.Not):
        yield "not", lambda n: become(n, n.operand)
    elif isinstance(node, ast.Constant) and isinstance(node.value, bool):
        yield "constant", lambda n: setattr(n, "value", not n.value)
    elif isinstance(node, ast.Constant) and isinstance(node.value, int | float):
        more = node.value + 1 if node.value + 1 != node.value else 2 * node.value  # 1e30 + 1 is 1e30
        yield "off by one", lambda n: setattr(n, "value", more)
    elif isinstance(node, ast.If | ast.IfExp | ast.While):
        yield "condition is false", lambda n: setattr(n, "test", ast.Constant(False))
    elif (isinstance(node, ast.Expr) and isinstance(node.value, ast.Call)) or isinstance(node, ast.AugAssign):
        yield "removed statement", lambda n: become(n, ast.Pass())
    elif isinstance(node, ast.Call):
        called = getattr(node.func, "attr", getattr(node.func, "id", ""))
        two = len(node.args) >= 2 and not any(isinstance(each, ast.Starred) for each in node.args[:2])
        if two and called not in EITHER_ORDER and ast.dump(node.args[0]) != ast.dump(node.args[1]):
            yield "swapped arguments", lambda n: n.args.__setitem__(slice(0, 2), [n.args[1], n.args[0]])
        for k, keyword in enumerate(node.keywords):
            if keyword.arg not in (None, "strict"):  # as an assertion
                yield f"ignored option {keyword.arg}", lambda n, k=k: n.keywords.pop(k)


def become(node: ast.AST, other: ast.AST) -> None:
    """Turn a node into another one, in place."""
    line = node.lineno  # type: ignore[attr-defined]
    node.__class__ = other.__class__  # type: ignore[assignment]
    node.__dict__ = dict(other.__dict__, lineno=line, col_offset=0)


JS_CHANGES = {
    "===": "!==", "!==": "===", " < ": " <= ", " <= ": " < ", " > ": " >= ", " >= ": " > ", " && ": " || ",
    " || ": " && ", " + ": " - ", " - ": " + ", " * ": " / ", " / ": " * ", "true": "false", "false": "true",
}  # fmt: skip


JS_TEXT = re.compile(  # strings, and regular expressions
    r"\"[^\"]*\"|'[^']*'|`[^`]*`|(?:(?<=[(,=:!&|?])|(?<=[(,=:!&|?] ))/(?![/* ])(?:\\.|\[[^\]]*\]|[^/\\])+/[a-z]*"
)


def js_places(path: Path) -> list[Callable[[], Fault]]:
    """The same for JavaScript, by its text: operators, numbers, and lines that are one call."""
    lines = path.read_text(encoding="utf-8").split("\n")
    found: list[Callable[[], Fault]] = []
    operators = "|".join(re.escape(each) for each in sorted(JS_CHANGES, key=len, reverse=True))
    pattern = re.compile(operators + r"|(?<![\w.#])(?<!\de-)\d+(?![\w.])")  # not the exponent of 1e-9
    for row, line in enumerate(lines):
        bare = JS_TEXT.sub(lambda m: "_" * len(m[0]), line).split("//")[0]
        if bare.strip().startswith(("*", "/*", "import", "export {")):
            continue
        for hit in pattern.finditer(bare):
            other = JS_CHANGES.get(hit[0]) or str(int(hit[0]) + 1)
            changed = line[: hit.start()] + other + line[hit.end() :]
            found.append(js_fault(path, lines, row, changed, f"{hit[0].strip()} to {other.strip()}"))
        if re.fullmatch(r"\s*[\w.]+\(.*\);", bare):
            found.append(js_fault(path, lines, row, "", "removed statement"))
    return found


def js_fault(path: Path, lines: list[str], row: int, changed: str, kind: str) -> Callable[[], Fault]:
    text = "\n".join([*lines[:row], changed, *lines[row + 1 :]])
    return lambda: Fault(str(path.relative_to(TOP)), row + 1, kind, text)


# -- which tests to run ------------------------------------------------------------------------------------------------


class Tracer:
    """A pytest plugin: writes for each test its seconds and the functions of the package that it calls."""

    def __init__(self, file: Path) -> None:
        self.file = file
        self.begin = len(f"{TOP}/degnn_explore/")
        self.functions: dict[Any, Function | None] = {}
        self.called: set[Function] = set()

    def trace(self, frame: Any, event: str, arg: Any) -> None:
        code = frame.f_code
        if code not in self.functions:
            inside = code.co_filename.startswith(f"{TOP}/degnn_explore/")
            self.functions[code] = (code.co_filename[self.begin :], code.co_qualname) if inside else None
        function = self.functions[code]
        if function is not None:
            self.called.add(function)

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_protocol(self, item: pytest.Item) -> Any:
        self.called = set()
        started = cpu_seconds()
        sys.settrace(self.trace)
        threading.settrace(self.trace)
        try:
            return (yield)
        finally:
            sys.settrace(None)
            threading.settrace(None)
            line = json.dumps([item.nodeid, round(cpu_seconds() - started, 2), sorted(self.called)])
            with self.file.open("a", encoding="utf-8") as out:
                out.write(line + "\n")


def cpu_seconds() -> float:
    used = [resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
    return sum(each.ru_utime + each.ru_stime for each in used)


def pytest_configure(config: pytest.Config) -> None:
    """This module is a plugin of the traced run, where a few examples show which functions a test calls."""
    hypothesis.settings.register_profile("traced", deadline=None, max_examples=5)
    hypothesis.settings.load_profile("traced")
    config.pluginmanager.register(Tracer(Path(os.environ["DEGNN_TRACE"]) / f"{os.getpid()}.jsonl"))


def traced(retrace: bool, workers: int, tests: list[str]) -> Trace:
    """What the traced run of all tests, or of these, found; or an earlier one of the same tests."""
    kept = KEPT / "-".join(["trace", *(test.strip("/").replace("/", "-") for test in tests)])
    if retrace or not kept.exists():
        print(f"Tracing {' '.join(tests) or 'all tests'} once: several minutes.", flush=True)
        KEPT.mkdir(exist_ok=True)
        plugins = ["-p", "tests.support.mutation", "-p", "no:cacheprovider"]
        ignored = [f"--ignore={each}" for each in NOT_RUN]
        command = [sys.executable, "-m", "pytest", "-q", "-n", str(workers), *plugins, *ignored, *tests]
        with tempfile.TemporaryDirectory(dir=KEPT) as folder:
            environment = os.environ | {"DEGNN_TRACE": folder}
            subprocess.run(command, cwd=TOP, env=environment, stdout=subprocess.DEVNULL)  # one may fail when traced
            lines = [file.read_text(encoding="utf-8") for file in Path(folder).glob("*.jsonl")]
        kept.write_text("".join(lines), encoding="utf-8")
    trace = Trace([], {})
    for line in kept.read_text(encoding="utf-8").splitlines():
        name, seconds, functions = json.loads(line)
        trace.tests.append(Test(name, seconds))
        for path, function in functions:
            trace.calls.setdefault((path, function), []).append(Test(name, seconds))
    return trace


def tests_of(fault: Fault, trace: Trace, limit: float) -> list[str]:
    """Tests that call the function around the fault, then the others of its room, fastest first; so many seconds.

    For code at the top of a module, and for compiled functions, which are not traced: all that call into the module.
    What runs in another process is not traced either; that is what the others of the room are for.
    """
    if fault.path.endswith(".js"):
        front_end = (test for test in trace.tests if test.name.startswith(JS_TESTS))
        return [test.name for test in sorted(front_end, key=lambda each: each.seconds)]
    path = fault.path.removeprefix("degnn_explore/")
    room = f"tests/{path.partition('/')[0]}/"
    function = innermost(ast.parse((TOP / fault.path).read_text(encoding="utf-8")), fault.line)
    calling = next((trace.calls[path, name] for name in function if (path, name) in trace.calls), None)
    if calling is None:
        calling = [test for (module, _), callers in trace.calls.items() if module == path for test in callers]
    calling = [test for test in calling if not test.name.startswith(OF_ALL)]
    others = {test for test in trace.tests if test.name.startswith(room)} - set(calling)
    always = [test.name for test in trace.tests if test.name.startswith(OF_ALL)]
    chosen, seconds = list[str](), 0.0
    for tests in (set(calling), others):
        for test in sorted(tests, key=lambda each: each.seconds):
            seconds += test.seconds
            if chosen and seconds > limit:
                return [*always, *chosen]
            chosen.append(test.name)
    return [*always, *chosen]


def innermost(tree: ast.AST, line: int) -> list[str]:
    """The qualified names of the functions around a line, the innermost first."""
    names: list[str] = []

    def visit(node: ast.AST, prefix: str) -> None:
        for child in ast.iter_child_nodes(node):
            if not isinstance(child, ast.FunctionDef | ast.ClassDef):
                visit(child, prefix)
                continue
            if child.lineno <= line <= (child.end_lineno or 0):
                name = prefix + child.name
                if isinstance(child, ast.FunctionDef):
                    names.insert(0, name)
                    visit(child, f"{name}.<locals>.")
                else:
                    visit(child, f"{name}.")

    visit(tree, "")
    return names


# -- running them ------------------------------------------------------------------------------------------------------


def try_all(faults: list[Fault], tests: list[list[str]], workers: int) -> list[bool]:
    """Whether the tests notice each fault; each worker has a copy of the repository."""
    noticed = [False] * len(faults)
    left = list(range(len(faults)))

    def work(number: int) -> None:
        copy = Copy(KEPT / f"copy-{os.getpid()}-{number}")
        while True:
            try:
                k = left.pop(0)
            except IndexError:
                break
            noticed[k] = copy.notices(faults[k], tests[k])
            print(f"{len(faults) - len(left)} of {len(faults)}", end="\r", file=sys.stderr, flush=True)
            if not noticed[k]:
                path, line, kind, _ = faults[k]
                print(f"  not noticed: {path}:{line} {kind}: {changed(faults[k])}", flush=True)
        copy.close()

    threads = [threading.Thread(target=work, args=(number,)) for number in range(workers)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return noticed


def changed(fault: Fault) -> str:
    """The first line that the fault changes, before and after."""
    text = (TOP / fault.path).read_text(encoding="utf-8")
    before = ast.unparse(ast.parse(text)) if fault.path.endswith(".py") else text
    pairs = zip(before.splitlines(), fault.text.splitlines(), strict=False)
    return next((f"{old.strip()} -> {new.strip() or 'nothing'}" for old, new in pairs if old != new), "the last line")


class Copy:
    """A copy of the repository with one fault at a time, and warm processes that run tests in it."""

    def __init__(self, place: Path) -> None:
        self.place = place
        ignored = shutil.ignore_patterns(".venv", ".git", ".mutation", "runs", ".*_cache", "site")
        shutil.copytree(TOP, place, ignore=ignored)
        self.reliable: set[str] = set()  # tests that pass without any fault
        self.unreliable: set[str] = set()  # tests that fail without any fault
        self.collected: set[str] = set()  # files of tests that can be imported without any fault
        self.warm: dict[tuple[bool, bool], subprocess.Popen[str]] = {}

    def process(self, hot: bool, plain: bool) -> subprocess.Popen[str]:
        if (hot, plain) not in self.warm:
            ours = {"PYTHONPATH": str(self.place), "PYTHONDONTWRITEBYTECODE": "1", "CI": "true", "OMP_NUM_THREADS": "1"}
            if hot and plain:
                ours["NUMBA_DISABLE_JIT"] = "1"
            collected = ["hot", *(f"--ignore={each}" for each in NOT_RUN)] if hot else []
            self.warm[hot, plain] = subprocess.Popen(
                [sys.executable, "-m", "tests.support.warm", *collected], cwd=self.place, env=os.environ | ours,
                stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True,
            )  # fmt: skip
        return self.warm[hot, plain]

    def close(self) -> None:
        for process in self.warm.values():
            process.communicate()
        shutil.rmtree(self.place, ignore_errors=True)

    def notices(self, fault: Fault, tests: list[str]) -> bool:
        """Whether a test fails, or does not end, with the fault and passes without it."""
        good = (TOP / fault.path).read_text(encoding="utf-8")
        compiled = "\n@compiled" in good
        if fault.path.endswith(".js") or only_functions_differ(good, fault.text):
            found = self.some_notice(fault, tests, compiled, hot=True)
            if found is not None:
                return found
        room = f"tests/{fault.path.split('/')[1]}/"
        own = [name for name in tests if name.startswith(room)]
        others = [name for name in tests if not name.startswith(room)]  # fewer files are collected at a time
        return any(self.some_notice(fault, some, compiled, hot=False) for some in (own, others))

    def some_notice(self, fault: Fault, tests: list[str], compiled: bool, hot: bool) -> bool | None:
        """The same for these tests; None if the fault cannot be put into a process that is hot."""
        while tests := [name for name in tests if name not in self.unreliable]:
            code, failed, left = self.run(tests, compiled, hot, fault)
            if code == NOT_SWAPPED:
                return None
            if code == 0:
                return any(self.passes(name, compiled) for name in left)
            if not failed:  # none could be collected, or they did not end
                return hot or self.collects(tests, compiled)
            if self.passes(failed, compiled) and (
                self.run([failed], compiled, hot, fault)[0] != 0
                or not self.run(tests[: tests.index(failed) + 1], compiled, hot=True)[1]
            ):
                return True
            self.unreliable.add(failed)  # alone, or after the others
        return False

    def collects(self, tests: list[str], compiled: bool) -> bool:
        """True; it ends the program if these tests cannot be collected without any fault either."""
        files = {name.partition("::")[0] for name in tests} - self.collected
        if files and self.run([f"{file}::" for file in files], compiled, hot=False)[0] != 0:
            print(f"These cannot be collected without any fault: {' '.join(sorted(files))}", flush=True)
            os._exit(1)
        self.collected.update(files)
        return True

    def passes(self, test: str, compiled: bool) -> bool:
        """Whether a test passes without any fault, and ends."""
        if test not in self.reliable and test not in self.unreliable:
            code, _, left = self.run([test], compiled, hot=True)
            (self.reliable if code == 0 and not left else self.unreliable).add(test)
        return test in self.reliable

    def run(
        self, tests: list[str], compiled: bool, hot: bool, fault: Fault | None = None
    ) -> tuple[int, str, list[str]]:
        """The exit code of the tests (-1 if they do not end), the first that fails, and which took too long.

        Compiled code that is kept on disk does not have the fault, so compiled modules run as plain Python.
        """
        failure, left = self.place / "failure.txt", self.place / "left.txt"
        for file in (failure, left):
            file.write_text("", encoding="utf-8")
        order = {"tests": tests, "plain": compiled, "files": sorted({name.partition("::")[0] for name in tests})}
        order |= {"path": "", "text": ""}
        if fault is not None:
            if hot and fault.path.endswith(".py"):
                order |= {"path": fault.path, "text": fault.text}
            else:
                (self.place / fault.path).write_text(fault.text, encoding="utf-8")
        try:
            code = self.answer(self.process(hot, compiled), json.dumps(order))
        finally:
            if fault is not None:
                shutil.copyfile(TOP / fault.path, self.place / fault.path)
        return code, failure.read_text(encoding="utf-8"), left.read_text(encoding="utf-8").splitlines()

    def answer(self, warm: subprocess.Popen[str], order: str) -> int:
        assert warm.stdin is not None and warm.stdout is not None
        print(order, file=warm.stdin, flush=True)
        answer = warm.stdout.readline()
        if not answer:
            print("The tests cannot be collected without any fault: run them.", flush=True)
            os._exit(1)
        late, busy = threading.Event(), max(1.0, os.getloadavg()[0] / (os.cpu_count() or 1))
        timer = threading.Timer(TIMEOUT * busy, lambda: (late.set(), end(int(answer))))
        timer.start()
        code = int(warm.stdout.readline())
        timer.cancel()
        end(int(answer))  # and what the tests have started
        return -1 if late.is_set() else code


def end(group: int) -> None:
    with contextlib.suppress(ProcessLookupError):
        os.killpg(group, signal.SIGKILL)


if __name__ == "__main__":
    main()
