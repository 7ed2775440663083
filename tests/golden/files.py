"""Reference files: read, written, compared."""

from __future__ import annotations

import json
import math
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np

from .cases import REFERENCES, numbers

FOLDER = Path(__file__).parent / "reference"


def file_of(name: str) -> Path:
    return FOLDER / (name + REFERENCES[name].suffix)


def read(name: str) -> dict[str, Any]:
    """The cases of a reference file."""
    file = file_of(name)
    if file.suffix == ".npz":
        with np.load(file, allow_pickle=False) as arrays:
            return dict(arrays)
    return json.loads(file.read_text(encoding="utf-8"))


def write(name: str, cases: dict[str, Any]) -> None:
    """Writes a reference file: JSON with one case a line, or arrays."""
    file = file_of(name)
    file.parent.mkdir(exist_ok=True)
    if file.suffix == ".npz":
        np.savez_compressed(file, **cases)
        return
    lines = (f"{json.dumps(key)}: {json.dumps(plain(case), ensure_ascii=False)}" for key, case in cases.items())
    file.write_text("{\n" + ",\n".join(lines) + "\n}\n", encoding="utf-8")


def plain(value: Any) -> Any:
    """A value as JSON has it, floats with twelve digits."""
    if isinstance(value, dict):
        return {str(key): plain(item) for key, item in value.items()}
    if isinstance(value, list | tuple | np.ndarray):
        return [plain(item) for item in value]
    if isinstance(value, np.generic):
        value = value.item()
    return numbers(value)


def differences(expected: Any, found: Any, rtol: float, atol: float, where: str = "") -> Iterator[str]:
    """Every place where two values differ by more than the tolerance, one line each."""
    if isinstance(expected, np.ndarray) and isinstance(found, np.ndarray):
        if expected.shape != found.shape or not np.allclose(found, expected, rtol=rtol, atol=atol):
            yield f"{where}: expected\n{expected}\nfound\n{found}"
    elif isinstance(expected, dict) and isinstance(found, dict):
        for key in [*expected, *(key for key in found if key not in expected)]:
            inside = f"{where} / {key}" if where else key
            if key not in found or key not in expected:
                yield f"{inside}: {'missing' if key in expected else 'new'}"
            else:
                yield from differences(expected[key], found[key], rtol, atol, inside)
    elif isinstance(expected, list) and isinstance(found, list) and len(expected) == len(found):
        for i, (a, b) in enumerate(zip(expected, found, strict=True)):
            yield from differences(a, b, rtol, atol, f"{where} [{i}]")
    elif isinstance(expected, float) or isinstance(found, float):
        number = all(isinstance(x, int | float) and not isinstance(x, bool) for x in (expected, found))
        if not number or not math.isclose(found, expected, rel_tol=rtol, abs_tol=atol):
            yield f"{where}: expected {expected}, found {found}"
    elif expected != found or isinstance(expected, bool) != isinstance(found, bool):
        yield f"{where}: expected {expected}, found {found}"
