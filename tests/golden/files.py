"""Reference files: read, written, compared."""

from __future__ import annotations

import json
import math
from collections.abc import Iterator
from itertools import islice
from pathlib import Path
from typing import Any

import numpy as np

FOLDER = Path(__file__).parent / "reference"


def read(name: str) -> dict[str, Any]:
    """The cases of a reference file."""
    return json.loads((FOLDER / f"{name}.json").read_text(encoding="utf-8"))


def write(name: str, cases: dict[str, Any]) -> None:
    """Writes a reference file: JSON with one case a line."""
    lines = (f"{json.dumps(key)}: {json.dumps(plain(case), ensure_ascii=False)}" for key, case in cases.items())
    file = FOLDER / f"{name}.json"
    file.write_text("{\n" + ",\n".join(lines) + "\n}\n", encoding="utf-8")
    print(f"{file.name}: {file.stat().st_size:,} bytes")


def plain(value: Any) -> Any:
    """A value as JSON has it, floats with twelve digits."""
    if isinstance(value, dict):
        return {str(key): plain(item) for key, item in value.items()}
    if isinstance(value, list | tuple | np.ndarray):
        return [plain(item) for item in value]
    if isinstance(value, np.generic):
        value = value.item()
    return float(f"{value:.12g}") if isinstance(value, float) else value


def compare(expected: Any, found: Any, rtol: float, atol: float) -> None:
    """An AssertionError with the first places where two values differ by more than the tolerance."""
    wrong = differences(expected, plain(found), rtol, atol)
    first = list(islice(wrong, 12))
    more = sum(1 for _ in wrong)
    assert not first, "\n".join([*first, f"and {more:,} more" if more else ""])


def differences(expected: Any, found: Any, rtol: float, atol: float, where: str = "") -> Iterator[str]:
    """Every place where two values differ by more than the tolerance, one line each."""
    if isinstance(expected, dict) and isinstance(found, dict):
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
