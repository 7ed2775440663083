"""Real numbers as whole ones that are equal exactly where the numbers are, but for rounding."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

__all__ = ["NUMERICALLY", "tokens_of"]

RELATIVE, ABSOLUTE = 1e-9, 1e-12
NUMERICALLY = "values are compared as numbers, equal if they differ by at most 1e-9 of their size, or by 1e-12"
_OFFSET = 0.3141592653589793  # no decimal that a person would write lies half-way between two whole numbers from here


def tokens_of(arrays: Sequence[NDArray[np.float64]]) -> list[NDArray[np.int64]]:
    """Two integers for each number, [..., columns] -> [..., 2 * columns], compared within each column of all arrays.

    Numbers that a chain of steps within the tolerance joins are one, so that no rounding can part what belongs
    together; beyond one call, numbers are the same to ten significant digits.

    >>> third, nothing = np.array([[1 / 3], [0.1 + 0.2]]), np.array([[1e-17], [1 - 2 / 3]])
    >>> [words.tolist() for words in tokens_of([third, nothing])]
    [[[3333333333, -1], [3000000000, -1]], [[0, 0], [3333333333, -1]]]
    """
    flat = np.concatenate([array.reshape(-1, array.shape[-1]) for array in arrays])
    words = np.zeros((*flat.shape, 2), dtype=np.int64)
    for column, numbers in enumerate(flat.T):
        levels, place = np.unique(numbers, return_inverse=True)
        size = np.maximum(np.abs(levels[1:]), np.abs(levels[:-1]))
        apart = np.diff(levels) > RELATIVE * size + ABSOLUTE
        group = np.concatenate([np.zeros(min(len(levels), 1), dtype=np.int64), np.cumsum(apart)])
        first = np.flatnonzero(np.concatenate([np.ones(min(len(levels), 1), dtype=bool), apart]))
        chosen = levels[first]
        chosen[group[np.abs(levels) <= ABSOLUTE]] = 0.0
        words[:, column] = _digits(chosen)[group[place.reshape(-1)]]
    ends = np.cumsum([array.size // array.shape[-1] for array in arrays])[:-1]
    parts = np.split(words.reshape(len(flat), -1), ends)
    return [part.reshape(*array.shape[:-1], 2 * array.shape[-1]) for part, array in zip(parts, arrays, strict=True)]


def _digits(numbers: NDArray[np.float64]) -> NDArray[np.int64]:
    """Ten significant digits of each number, and its power of ten. [k] -> [k, 2]"""
    power = np.where(numbers == 0, 0.0, np.floor(np.log10(np.maximum(np.abs(numbers), ABSOLUTE))))
    digits = np.round(numbers / 10.0**power * 1e9 - _OFFSET)
    carried = np.abs(digits) >= 1e10  # 9.9999999999 is 1.0 of the next power
    digits, power = np.where(carried, digits / 10, digits), power + carried
    return np.stack([digits, power], axis=1).astype(np.int64)
