"""A fingerprint follows what code does: not its docstrings, its comments or where it stands."""

from __future__ import annotations

import importlib
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch

from degnn_explore.learn.fingerprint import fingerprint, is_installed

SOURCE = '''
import functools, math, re
import numpy as np
import torch
FACTOR = 2
TABLE = {"a": 1, "b": [1, (2, 3)]}
KINDS = {"x", "y"}
COLUMN = np.arange(3)
WEIGHT = torch.ones(2)
ACTIVATION = torch.relu
KIND = torch.float32
WORDS = re.compile("[a-z]")
def helper(x):
    return x * FACTOR
def inner_helper(x):
    return x + 40
def outer(step):
    def inner(x):
        return x + step
    return inner
add_one = outer(1)
part = functools.partial(helper, 5)
class Base:
    def shift(self):
        return 6
class Slotted:
    __slots__ = ("value",)
    def __init__(self):
        self.value = 30
    def method(self):
        return 31
OBJECT = Base()
OBJECT.size = 32
bound = Slotted().method
class Model(Base):
    """Doubles."""
    width = 3
    def forward(self, x, bias=7, *, scale=8):
        """Add the bias."""
        used = helper, TABLE, KINDS, COLUMN, WEIGHT, ACTIVATION, KIND, WORDS, OBJECT
        called = add_one, part, bound
        again = lambda y: y + 9
        return [inner_helper(y) for y in x], math.sqrt(bias), self.forward, Model
    @property
    def size(self):
        return 10
    @size.setter
    def size(self, value):
        self._size = value + 11
    @staticmethod
    def fixed():
        return 12
    @classmethod
    def made(cls):
        return 13
'''


def mark(old: str = "", new: str = "") -> str:
    """The fingerprint of the model, with this change."""
    assert old in SOURCE
    scope: dict[str, Any] = {"__name__": "written_by_a_user"}
    exec(compile(SOURCE.replace(old, new) if old else SOURCE, "<cell>", "exec"), scope)
    return fingerprint(scope["Model"])


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("Doubles.", "Doubles a number."),
        ("Add the bias.", "Something else."),
        ("        again = ", "        # a comment\n\n        again = "),
        ("def helper", "\n\nUNUSED = 3\n\ndef helper"),
        ('{"x", "y"}', '{"y", "x"}'),
        ("x + 40", "(x + 40)"),
    ],
)
def test_docstrings_comments_lines_and_what_is_not_used_do_not_count(old: str, new: str) -> None:
    assert mark(old, new) == mark() == mark()


NUMBERS = [
    *("FACTOR = 2", '"a": 1', "(2, 3", "x + 40", "helper, 5", "return 6", "outer(1", "width = 3", "bias=7", "scale=8"),
    *("y + 9", "return 10", "value + 11", "return 12", "return 13", "size = 32", "value = 30", "return 31"),
]
CHANGES = {
    **{number: f"{number}0" for number in NUMBERS},
    '"b"': '"c"',
    '"y"}': '"z"}',
    "arange(3)": "arange(1, 4)",
    "np.arange(3)": "np.arange(3.0)",
    "ones(2)": "ones(2, 1)",
    "torch.relu": "torch.tanh",
    "float32": "float64",
    "[a-z]": "[A-Z]",
    "x * FACTOR": "x ** FACTOR",
    "math.sqrt": "math.sin",
    "functools.partial(helper": "functools.partial(inner_helper",
    "class Model(Base)": "class Model",
    "@staticmethod": "@classmethod",
}


def test_code_defaults_attributes_and_everything_that_is_used_count() -> None:
    marks = {f"{old} -> {new}": mark(old, new) for old, new in CHANGES.items()}
    assert [change for change, value in marks.items() if value == mark()] == []
    assert len(set(marks.values())) == len(CHANGES)


def test_things_that_hold_themselves_and_arrays_in_different_places_have_a_fingerprint() -> None:
    one, two = list[Any]([1]), list[Any]([2])
    for circle in (one, two):
        circle.append(circle)
    assert fingerprint(one) != fingerprint(two)
    for make in (lambda: np.eye(2), lambda: torch.eye(2, requires_grad=True), lambda: [{"a": (None, b"x", 2j, ...)}]):
        assert fingerprint(make()) == fingerprint(make())  # type: ignore[no-untyped-call]
    assert len({fingerprint(x) for x in (1, 1.0, "1", b"1", True, None, ..., 1j, [1], (2,), {1}, {1: 1})}) == 12


def test_a_library_counts_by_name_wherever_it_is_installed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    place = tmp_path / "lib" / "dist-packages"
    place.mkdir(parents=True)
    for folder, name in ((place, "borrowed_library"), (place.parent, "script_of_a_user")):
        (folder / f"{name}.py").write_text("def work():\n    return 1\n", encoding="utf-8")
        monkeypatch.syspath_prepend(folder)
        module = importlib.import_module(name)
        before = fingerprint(module.work)
        (folder / f"{name}.py").write_text("def work():\n    return 22\n", encoding="utf-8")
        after = fingerprint(importlib.reload(module).work)
        assert is_installed(name) == (name == "borrowed_library") == (before == after)
    assert is_installed("json.decoder") and is_installed("degnn_explore.learn") and not is_installed("__main__")
    assert fingerprint(np.linalg.norm) != fingerprint(np.linalg.inv)
