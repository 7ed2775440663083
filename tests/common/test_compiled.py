"""Compiled loops: the same numbers as plain Python, without a place to write, with a damaged cache, without numba."""

from __future__ import annotations

import importlib.util
import os
import pickle
import subprocess
import sys
from pathlib import Path
from types import ModuleType

import numba
import numpy as np
import pytest

from degnn_explore import SPD, Graph, colors
from degnn_explore.common import compiled as module
from degnn_explore.common.compiled import Kernel, compiled
from degnn_explore.graphs._kernels import bfs

LOOP = """
from degnn_explore.common.compiled import compiled

@compiled
def _double(value):
    return 2 * value

@compiled
def total(values):
    out = 0
    for value in values:
        out += _double(value)
    return out

@compiled
def first(pair):
    return pair[0][0]
"""
LARGE = np.arange(module.SMALL + 1)


def load(path: Path) -> ModuleType:
    spec = importlib.util.spec_from_file_location(path.stem, path)
    assert spec is not None and spec.loader is not None
    loaded = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(loaded)
    return loaded


def a_loop() -> Kernel:
    def total(values):
        out = 0
        for value in values:
            out += 2 * value
        return out

    return compiled(total)  # type: ignore[arg-type]


def test_small_arrays_do_not_wait_for_the_compiler_and_large_ones_are_compiled(tmp_path: Path) -> None:
    path = tmp_path / "a_loop.py"
    path.write_text(LOOP, encoding="utf-8")
    total = load(path).total
    assert total(np.arange(5)) == 20 and not total.dispatcher.overloads
    assert total(LARGE) == 2 * LARGE.sum() and len(total.dispatcher.overloads) == 1
    again = load(path).total
    assert again(np.arange(5)) == 20 and len(again.dispatcher.overloads) == 1  # from the disk, where it is by now


def test_a_loop_that_has_taken_long_enough_as_plain_python_is_compiled(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "a_loop.py"
    path.write_text(LOOP, encoding="utf-8")
    total, now = load(path).total, iter(np.arange(0, 100, 0.6))
    monkeypatch.setattr("time.perf_counter", lambda: float(next(now)))  # each call takes 0.6 seconds
    compiled_by = []
    for _ in range(3):
        assert total(np.arange(5)) == 20
        compiled_by.append(len(total.dispatcher.overloads))
    assert compiled_by == [0, 0, 1]


def test_the_size_of_an_argument_is_that_of_its_largest_array(tmp_path: Path) -> None:
    path = tmp_path / "a_loop.py"
    path.write_text(LOOP, encoding="utf-8")
    for arrays, is_compiled in (((LARGE[1:], LARGE[1:]), False), ((LARGE[1:], LARGE), True)):
        first = load(path).first
        assert first(arrays) == arrays[0][0] and bool(first.dispatcher.overloads) == is_compiled


def test_options_reach_the_compiler_and_plain_false_waits_for_it() -> None:
    def double(values):  # type: ignore[no-untyped-def]
        return 2 * values

    def _inner(values):  # type: ignore[no-untyped-def]
        return 2 * values

    options = {"nogil": True, "fastmath": False, "no_cpython_wrapper": False, "no_cfunc_wrapper": True}
    for made, other in (
        (compiled(double), {}),  # type: ignore[arg-type]
        (compiled(fastmath=True)(double), {"fastmath": True}),
        (compiled(inner=True)(double), {"no_cpython_wrapper": True}),
        (compiled(_inner), {"no_cpython_wrapper": True}),  # type: ignore[arg-type]
    ):
        assert options | other == {key: made.dispatcher.targetoptions[key] for key in options}
    at_once = compiled(plain=False)(double)
    assert at_once(np.ones(2)).tolist() == [2, 2] and at_once.dispatcher.overloads


def test_a_loop_is_pickled_by_its_name() -> None:
    assert pickle.loads(pickle.dumps(bfs)) is bfs


@pytest.mark.parametrize("pattern", ["*.nbi", "*.nbc"])
def test_a_damaged_cache_is_compiled_again(tmp_path: Path, pattern: str) -> None:
    path = tmp_path / "a_loop.py"
    path.write_text(LOOP, encoding="utf-8")
    assert load(path).total(LARGE) == 2 * LARGE.sum()
    kept = list(tmp_path.rglob(pattern))
    assert kept
    for file in kept:
        file.write_bytes(file.read_bytes()[:20])
    assert load(path).total(LARGE) == 2 * LARGE.sum()
    assert load(path).total(np.arange(5)) == 20


def test_without_a_folder_to_write_to_code_is_kept_in_memory(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(numba.core.caching.CompileResultCacheImpl, "_locator_classes", [])
    assert a_loop()(LARGE) == 2 * LARGE.sum()


def test_colors_of_compiled_and_plain_loops_are_equal_to_the_last_bit(monkeypatch: pytest.MonkeyPatch) -> None:
    rng = np.random.default_rng(0)
    graphs = []
    for _ in range(200):
        n = int(rng.integers(3, 10))
        pairs = rng.integers(0, n, (int(rng.integers(1, 3 * n)), 2))
        graphs.append(Graph.from_edges(pairs[pairs[:, 0] != pairs[:, 1]], n))

    def refined() -> list[np.ndarray]:
        return [colors(G, {0}, SPD(3), layers=3) for G in graphs]

    monkeypatch.setattr(module, "SMALL", -1)
    by_numba = refined()
    monkeypatch.setattr(Kernel, "__call__", lambda self, *args: self.as_python(*args))
    with np.errstate(over="ignore"):
        assert all(np.array_equal(a, b) for a, b in zip(by_numba, refined(), strict=True))


WITHOUT_NUMBA = """
import sys
sys.modules["numba"] = None
import degnn_explore as de
G = de.zoo.figure1()
print(de.SPD(3).encode(G, {2, 3}).shape, de.LandingProbability(3).encode(G, {2, 3}).shape)
print(de.distinguish((G, {2}), (G, {3}), method="DE-SPD").different, len(de.unroll(G, 0, 2)))
explorer = de.Explorer(G)
"""


def test_without_numba_the_explorer_and_what_it_needs_work() -> None:
    ran = subprocess.run([sys.executable, "-c", WITHOUT_NUMBA], capture_output=True, text=True, check=False)
    assert ran.returncode == 0, ran.stderr
    assert ran.stdout.splitlines() == ["(8, 5) (8, 4)", "True 13"]


LOSSES = """
import degnn_explore as de
task = de.link_task(de.zoo.circulant(20, [1, 2]))
for name in ("GCN", "DE-GNN-SPD", "DE-GNN-LP", "DEA-GNN-SPD", "SEAL"):
    print(name, round(list(de.fit(de.build(name, task), task, epochs=1, device="cpu", progress=False))[0].loss, 5))
"""


def test_told_not_to_compile_every_loop_runs_as_plain_python_and_training_gives_the_same_losses() -> None:
    outputs = []
    for switch in ("0", "1"):
        environment = dict(os.environ) | {"NUMBA_DISABLE_JIT": switch}
        ran = subprocess.run(
            [sys.executable, "-c", LOSSES], capture_output=True, text=True, check=False, env=environment
        )
        assert ran.returncode == 0, ran.stderr
        outputs.append(ran.stdout)
    assert outputs[0] == outputs[1] and len(outputs[0].splitlines()) == 5


def test_without_numba_what_would_take_hours_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "numba", None)
    small = a_loop()
    assert small(LARGE) == 2 * LARGE.sum()
    for loop, values in ((small, np.zeros(module.MOST_WITHOUT_NUMBA + 1)), (compiled(plain=False)(len), LARGE)):
        with pytest.raises(ImportError, match="pip install numba"):
            loop(values)
