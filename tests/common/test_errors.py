"""Checks of what users pass: what is taken and refused, and that a message stays short and never fails itself."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from degnn_explore import GraphError, ParameterError
from degnn_explore.common.errors import (
    check_choice,
    check_float,
    check_int,
    check_machine_memory,
    check_memory,
    did_you_mean,
    short_repr,
)
from degnn_explore.common.extras import MissingExtra, needs_extra
from degnn_explore.common.files import readable_size


@given(st.integers(-(10**80), 10**80) | st.text() | st.lists(st.integers(0, 10**40)) | st.floats())
def test_any_value_is_shown_short_and_printable(value: Any) -> None:
    shown = short_repr(value)
    assert shown.isprintable() and len(shown) <= 51
    if isinstance(value, int) and abs(value) >= 10**30:
        assert float(shown) == pytest.approx(value, rel=0.02) and len(shown) < 12
    else:
        assert shown == repr(value) if len(repr(value)) <= 50 else shown == repr(value)[:48] + "..."


def test_numbers_of_thousands_of_digits_are_shown_by_their_size() -> None:
    assert [short_repr(value) for value in (10**30, -(10**5000), 1234 * 10**400)] == [
        "1.00e+30",
        "-1.00e+5000",
        "1.23e+403",
    ]
    assert short_repr([10**5000]) == "a list"


@pytest.mark.parametrize(
    ("value", "said"),
    [
        (0, "n must be a whole number of at least 1, not 0."),
        (True, "not True."),
        (1.0, "not 1.0."),
        ("7", "not '7'."),
        (2**63, r"below 2\^63\), not 9223372036854775808."),
    ],
    ids=range(5),
)
def test_a_whole_number_is_checked_by_kind_and_size(value: Any, said: str) -> None:
    with pytest.raises(ParameterError, match=said):
        check_int("n", value, least=1)


def test_a_whole_number_at_its_bounds_is_taken() -> None:
    assert [check_int("n", v, least=1, most=64) for v in (1, 64, np.int32(7))] == [1, 64, 7]
    assert type(check_int("n", np.int32(7), least=1)) is int
    assert check_int("seed", 2**63 - 1, least=0) == 2**63 - 1
    for value in (0, 65, 2**64):
        with pytest.raises(ParameterError, match=f"n must be a whole number from 1 to 64, not {value}"):
            check_int("n", value, least=1, most=64)


@pytest.mark.parametrize(
    ("bounds", "taken", "refused", "said"),
    [
        ({"least": 0, "below": 1}, (0, 0.5), (1, -0.1, True, "0.5", float("nan")), "a number from 0 to below 1"),
        ({"above": 0}, (1e-9, 1e300), (0, -1, float("inf"), None), "a positive number"),
        ({"least": 0}, (0, 7), (-1e-9, float("inf")), "0 or a positive number"),
        ({"above": 0, "below": 1}, (0.5, np.float32(0.25)), (0, 1), "above 0 and below 1"),
    ],
)
def test_a_real_number_is_checked_at_both_ends(bounds: Any, taken: Any, refused: Any, said: str) -> None:
    assert [check_float("x", value, **bounds) for value in taken] == list(taken)
    for value in refused:
        with pytest.raises(ParameterError, match=f"x must be {said}, not"):
            check_float("x", value, **bounds)


def test_an_unknown_choice_names_the_nearest() -> None:
    assert check_choice("pool", "mean", ("mean", "sum", None)) == "mean"
    with pytest.raises(ParameterError, match=r"pool='maen' is not known; .*'sum'.* Did you mean 'mean'\?"):
        check_choice("pool", "maen", ("mean", "sum"))
    assert did_you_mean("graph", ["grape", "graphs"]) == " Did you mean 'graphs'?"
    assert did_you_mean("xyz", ["mean", "sum"]) == ""


def test_what_fits_is_taken_and_what_does_not_says_its_size() -> None:
    check_memory("a table", 100, budget=100)
    with pytest.raises(
        ParameterError, match=r"a table would take 101 bytes, more than the 100 bytes allowed. Sell it."
    ):
        check_memory("a table", 101, budget=100, remedy="Sell it.")
    with pytest.raises(GraphError, match=r"a file would take .* GB, more than the 2.0 GB allowed\.$"):
        check_memory("a file", 10**400, error=GraphError)
    check_machine_memory("it takes 9 GB", 9, 9, "buy more")
    with pytest.raises(ParameterError, match="it takes 10 GB, and this machine has 9 bytes; buy more"):
        check_machine_memory("it takes 10 GB", 10, 9, "buy more")


@pytest.mark.parametrize(
    ("size", "text"),
    [(0, "0 bytes"), (999, "999 bytes"), (1000, "1 KB"), (1_234_567, "1.23 MB"), (1_234_567_890_123, "1,234.6 GB")],
)
def test_sizes_are_rounded_for_people(size: int, text: str) -> None:
    assert readable_size(size) == text


def test_a_missing_package_is_named_with_its_extra() -> None:
    with pytest.raises(MissingExtra, match=r"it needs dask.*degnn_explore\[cluster\]") as raised, needs_extra("it"):
        raise ModuleNotFoundError("No module named 'dask.distributed'", name="dask.distributed")
    assert raised.value.name == "dask"
    with pytest.raises(ModuleNotFoundError, match="no such") as raised, needs_extra("it"):
        raise ModuleNotFoundError("no such module", name="ours")
    assert type(raised.value) is ModuleNotFoundError
