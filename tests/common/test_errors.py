"""Errors and limits: what is refused, and that the message stays short and never fails itself."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from degnn_explore import GraphError, ParameterError
from degnn_explore.common.errors import check_choice, check_float, check_int, check_memory, short_repr
from degnn_explore.common.files import readable_size


@pytest.mark.parametrize(
    ("value", "said"),
    [
        (0, "n must be a whole number of at least 1, not 0."),
        (True, "not True."),
        (1.0, "not 1.0."),
        ("7", "not '7'."),
        (10**400, r"below 2\^63\), not 1\.00e\+400\."),
        (10**5000, r"not 1\.00e\+5000\."),
        (-(10**5000), r"not -1\.00e\+5000\."),
        (2**63, r"below 2\^63\), not 9223372036854775808."),
    ],
    ids=range(8),
)
def test_a_whole_number_is_checked_by_kind_and_size(value: Any, said: str) -> None:
    with pytest.raises(ParameterError, match=said):
        check_int("n", value, least=1)


def test_a_whole_number_at_its_bounds_is_taken() -> None:
    assert [check_int("n", v, least=1, most=64) for v in (1, 64, np.int32(7))] == [1, 64, 7]
    assert check_int("seed", 2**63 - 1, least=0) == 2**63 - 1
    for value in (0, 65):
        with pytest.raises(ParameterError, match=f"n must be a whole number from 1 to 64, not {value}."):
            check_int("n", value, least=1, most=64)


def test_a_real_number_is_checked_at_both_ends() -> None:
    assert check_float("rate", 0, least=0, below=1) == 0.0
    assert check_float("t", 1e-9, above=0) == 1e-9
    for value in (1, -0.1, True, "0.5", float("nan")):
        with pytest.raises(ParameterError, match="rate must be a number from 0 to below 1"):
            check_float("rate", value, least=0, below=1)
    with pytest.raises(ParameterError, match="t must be a positive number, not 0"):
        check_float("t", 0, above=0)


def test_an_unknown_choice_names_the_nearest() -> None:
    assert check_choice("pool", "mean", ("mean", "sum", None)) == "mean"
    with pytest.raises(ParameterError, match=r"pool='maen' is not known; .*'sum'.* Did you mean 'mean'\?"):
        check_choice("pool", "maen", ("mean", "sum"))


def test_a_value_is_shown_short_and_printable() -> None:
    assert short_repr("\ud800") == "'\\ud800'"
    assert short_repr([10**5000]) == "a list"
    assert len(short_repr(list(range(10**5)))) <= 51
    assert short_repr(-(10**29)) == str(-(10**29))


def test_what_fits_is_taken_and_what_does_not_says_its_size() -> None:
    check_memory("a table", 100, budget=100)
    with pytest.raises(
        ParameterError, match=r"a table would take 101 bytes, more than the 100 bytes allowed. Sell it."
    ):
        check_memory("a table", 101, budget=100, remedy="Sell it.")
    with pytest.raises(GraphError, match=r"a file would take .* GB"):
        check_memory("a file", 10**400, error=GraphError)
    assert readable_size(999) == "999 bytes"
    assert readable_size(2_345_678_901) == "2.3 GB"
