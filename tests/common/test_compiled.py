"""Compiled loops: the same numbers as plain Python, without a place to write, with a damaged cache, without numba."""

from __future__ import annotations

import importlib.util
import logging
import os
import subprocess
import sys
from pathlib import Path
from types import ModuleType
from typing import Any

import numba
import numpy as np
import pytest

import degnn_explore as de
from degnn_explore.common import compiled as module
from degnn_explore.common.compiled import Kernel, compiled

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


@pytest.fixture
def path(tmp_path: Path) -> Path:
    """A module with loops, which keeps what is compiled next to it."""
    file = tmp_path / "a_loop.py"
    file.write_text(LOOP, encoding="utf-8")
    return file


def load(path: Path) -> ModuleType:
    spec = importlib.util.spec_from_file_location(path.stem, path)
    assert spec is not None and spec.loader is not None
    loaded = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(loaded)
    return loaded


def is_compiled(loop: Kernel) -> bool:
    return bool(loop.dispatcher.overloads)


# ---- when a loop is compiled ----------------------------------------------------------------------------------


def test_small_arrays_do_not_wait_for_the_compiler_and_large_ones_are_compiled(path: Path) -> None:
    total = load(path).total
    assert total(np.arange(5)) == 20 and not is_compiled(total)
    assert total(LARGE) == 2 * LARGE.sum() and is_compiled(total)
    assert total(np.arange(5.0)) == 20.0 and len(total.dispatcher.overloads) == 2  # from now on, for any type
    again = load(path).total
    assert again(np.arange(5)) == 20 and is_compiled(again)  # from the disk, where it is by now


@pytest.mark.filterwarnings("error")
def test_a_loop_that_has_taken_long_enough_as_plain_python_is_compiled(path: Path, monkeypatch: Any) -> None:
    total, now = load(path).total, iter(np.arange(0, 100, 0.6))
    monkeypatch.setattr("time.perf_counter", lambda: float(next(now)))  # each call takes 0.6 seconds
    for expected in (False, False, True):
        assert total(np.full(2, 2**62)) == 0 and is_compiled(total) == expected  # hashes may overflow


def test_the_size_of_arguments_is_that_of_their_largest_array(path: Path) -> None:
    for arrays, large in (((LARGE[1:], LARGE[1:]), False), ((LARGE[1:], LARGE), True), ((LARGE, LARGE[1:]), True)):
        first = load(path).first
        assert first(arrays) == arrays[0][0] and is_compiled(first) == large


def test_options_reach_the_compiler_and_plain_false_waits_for_it() -> None:
    def double(values):  # type: ignore[no-untyped-def]
        return 2 * values

    made = [compiled(double), compiled(fastmath=True)(double), compiled(inner=True)(double)]
    keys = "nogil", "fastmath", "no_cpython_wrapper"
    options = [tuple(kernel.dispatcher.targetoptions[key] for key in keys) for kernel in made]
    assert options == [(True, False, False), (True, True, False), (True, False, True)]
    at_once = compiled(plain=False)(double)
    assert at_once(np.ones(2)).tolist() == [2, 2] and is_compiled(at_once)


# ---- where compiled code is kept --------------------------------------------------------------------------------


@pytest.mark.parametrize("pattern", ["*.nbi", "*.nbc"])
def test_a_damaged_cache_is_compiled_again_and_kept(path: Path, pattern: str, caplog: pytest.LogCaptureFixture) -> None:
    assert load(path).total(LARGE) == 2 * LARGE.sum()
    for file in path.parent.rglob(pattern):
        file.write_bytes(file.read_bytes()[:20])
    with caplog.at_level(logging.WARNING, "degnn_explore"):
        assert load(path).total(LARGE) == 2 * LARGE.sum()
    assert str(path.parent) in caplog.text
    caplog.clear()
    again = load(path).total
    assert again(np.arange(5)) == 20 and is_compiled(again) and not caplog.text


def test_compiling_works_when_nothing_can_be_cached(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(os, "replace", lambda *_: (_ for _ in ()).throw(PermissionError("read-only")))
    assert load(path).total(LARGE) == 2 * LARGE.sum()
    monkeypatch.setattr(numba.core.caching.CompileResultCacheImpl, "_locator_classes", [])  # no folder at all
    total = load(path).total
    assert total(np.arange(5)) == 20 and not is_compiled(total)
    assert total(LARGE) == 2 * LARGE.sum() and is_compiled(total)


# ---- the same without compiling ---------------------------------------------------------------------------------


def test_plain_loops_give_the_same_numbers_to_the_last_bit(monkeypatch: pytest.MonkeyPatch) -> None:
    rng = np.random.default_rng(0)
    graphs = [de.Graph.from_edges(rng.integers(0, n, (n, 2)), n) for n in rng.integers(3, 10, 60)]
    task = de.link_task(de.zoo.circulant(20, [1, 2]))

    def numbers() -> list[list[float]]:
        shades = [color.tolist() for G in graphs for color in de.colors(G, {0}, de.SPD(3), layers=3)]
        for name in ("GCN", "DE-GNN-SPD", "DE-GNN-LP", "DEA-GNN-SPD", "SEAL"):
            model = de.build(name, task)
            shades.append([epoch.loss for epoch in de.fit(model, task, epochs=1, device="cpu", progress=False)])
        return shades

    monkeypatch.setattr(module, "SMALL", -1)
    by_numba = numbers()
    monkeypatch.setattr(Kernel, "__call__", lambda self, *args: self.as_python(*args))
    with np.errstate(over="ignore"):
        assert numbers() == by_numba


EXPLORED = """
import sys
if {blocked}:
    sys.modules["numba"] = None
import degnn_explore as de
G = de.zoo.figure1()
print(de.SPD(3).encode(G, {{2, 3}}).sum(), de.LandingProbability(3).encode(G, {{2, 3}}).shape)
print(de.distinguish((G, {{2}}), (G, {{3}}), method="DE-SPD").different, len(de.unroll(G, 0, 2)))
explorer = de.Explorer(G)
"""


@pytest.mark.parametrize("how", ["without numba", "told not to compile"])
def test_the_explorer_and_what_it_needs_work_without_a_compiler(how: str) -> None:
    blocked = how == "without numba"
    command = [sys.executable, "-c", EXPLORED.format(blocked=blocked)]
    environment = os.environ | {"NUMBA_DISABLE_JIT": str(int(not blocked))}
    ran = subprocess.run(command, env=environment, capture_output=True, text=True)
    assert ran.returncode == 0, ran.stderr
    assert ran.stdout.splitlines() == ["8.0 (8, 4)", "True 13"]


def test_long_loops_without_numba_say_what_to_install(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "numba", None)
    total = load(path).total
    assert total(LARGE) == 2 * LARGE.sum()
    for loop, values in ((total, np.zeros(module.MOST_WITHOUT_NUMBA + 1)), (compiled(plain=False)(len), LARGE)):
        with pytest.raises(ImportError, match=rf"^{loop.function.__name__} .* pip install numba"):
            loop(values)
