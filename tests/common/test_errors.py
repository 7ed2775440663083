"""Checks of what users pass: what is accepted and refused, and that a message stays short and never fails itself."""

from __future__ import annotations

import tomllib
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from degnn_explore import GraphError, ParameterError
from degnn_explore.common import errors
from degnn_explore.common.errors import check_choice, check_float, check_int, check_memory, did_you_mean, short_repr
from degnn_explore.common.extras import EXTRAS, MissingExtra, needs_extra
from degnn_explore.common.files import readable_size


@given(st.integers(-(10**80), 10**80) | st.text(max_size=60) | st.lists(st.integers(0, 10**40)) | st.floats())
def test_any_value_has_a_short_printable_repr(value: Any) -> None:
    shown = short_repr(value)
    assert shown.isprintable() and len(shown) <= 51
    if isinstance(value, int) and abs(value) >= 10**30:
        assert float(shown) == pytest.approx(value, rel=0.02) and len(shown) < 12
    elif len(repr(value)) <= 50:
        assert shown == repr(value)
    else:
        assert shown[-3:] == "..." and repr(value).startswith(shown[:-3]) and len(shown) == 51


def test_numbers_of_thousands_of_digits_are_shown_by_their_size() -> None:
    numbers = {10**30 - 1: "9" * 30, 10**30: "1.00e+30", -(10**5000): "-1.00e+5000", 1234 * 10**400: "1.23e+403"}
    assert [short_repr(number) for number in numbers] == list(numbers.values())
    assert short_repr([10**5000]) == "a list"
    sizes = {0: "0 bytes", 999: "999 bytes", 1000: "1 KB", 1_234_567: "1.23 MB", 1_234_567_890_123: "1,234.6 GB"}
    assert [readable_size(size) for size in sizes] == list(sizes.values())


def test_a_whole_number_in_range_is_accepted_as_an_int_and_any_other_value_is_refused() -> None:
    for value in (1, 64, np.int32(7), np.uint8(9)):
        assert (checked := check_int("n", value, least=1, most=64)) == value and type(checked) is int
    assert check_int("seed", 2**63 - 1, least=0) == 2**63 - 1
    for value in (0, 1_065, -(10**400), 2**63, True, 1.0, np.float64(3), np.True_, "7", None):
        with pytest.raises(ParameterError, match=r"^n must be .* from 1 to 1,064, ") as raised:
            check_int("n", value, least=1, most=1_064)
        assert short_repr(value) in str(raised.value)
    for value, message in ((0, r"at least 1, not 0\.$"), (2**63, r"at least 1 .*below 2\^63.* 9223372036854775808\.$")):
        with pytest.raises(ParameterError, match=rf"n must .* {message}"):
            check_int("n", value, least=1)


@pytest.mark.parametrize(
    ("bounds", "accepted", "refused", "words"),
    [
        ({"least": 0, "below": 1}, (0, 0.5), (1, -0.1, True, "0.5", float("nan")), "from 0 to below 1"),
        ({"above": 0}, (1e-9, 1e300), (0, -1, float("inf"), None), "a positive number"),
        ({"least": 0}, (0, 7), (-1e-9, float("inf")), "0 or a positive number"),
        ({"above": 0, "below": 1}, (0.5, np.float32(0.25)), (0, 1), "above 0 and below 1"),
    ],
)
def test_a_real_number_is_checked_at_both_ends(bounds: Any, accepted: Any, refused: Any, words: str) -> None:
    assert [check_float("x", value, **bounds) for value in accepted] == list(accepted)
    for value in refused:
        with pytest.raises(ParameterError, match=f"x must be .*{words}"):
            check_float("x", value, **bounds)


def test_an_unknown_choice_lists_the_choices_and_suggests_the_nearest() -> None:
    assert check_choice("pool", None, iter(("mean", "sum", None))) is None
    with pytest.raises(ParameterError, match=r"pool='maen' .*'mean', 'sum'\. .*'mean'\?$"):
        check_choice("pool", "maen", iter(("mean", "sum")))
    assert "'graphs'" in did_you_mean("graph", ["grape", "graphs"]) and "'sum'" in did_you_mean("sum-pool", ["sum", 7])
    assert did_you_mean("xyz", ["mean", "sum"]) == ""


def test_what_fits_into_memory_is_accepted_and_what_does_not_says_its_size() -> None:
    check_memory("a table", 100, budget=100)
    with pytest.raises(ParameterError, match=r"a table .* 101 bytes, .* 100 bytes .*\. Sell it\.$"):
        check_memory("a table", 101, budget=100, remedy="Sell it.")
    with pytest.raises(GraphError, match=r"a file .* GB, .* 2\.0 GB allowed\.$"):
        check_memory("a file", 10**400, error=GraphError)
    errors.check_machine_memory("it takes 9 bytes", 9, 9, "buy more")
    with pytest.raises(ParameterError, match=r"it takes 10 bytes.* 9 bytes; buy more"):
        errors.check_machine_memory("it takes 10 bytes", 10, 9, "buy more")


def test_a_missing_package_is_named_with_an_extra_that_brings_it() -> None:
    project = tomllib.loads((Path(__file__).parents[2] / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    assert {"torch", "torch_geometric", "distributed", "voila"} <= set(EXTRAS)
    for package in EXTRAS:
        with pytest.raises(MissingExtra, match=rf"^it needs {package}\b.*degnn_explore\[") as raised, needs_extra("it"):
            raise ModuleNotFoundError(f"No module named '{package}.inside'", name=f"{package}.inside")
        assert raised.value.name == package
        brought = project["optional-dependencies"][str(raised.value).rpartition("[")[2].partition("]")[0]]
        assert package.replace("_", "-") in [name.partition(">")[0] for name in brought]


def test_other_errors_of_imports_stay_as_they_are() -> None:
    for error in (ModuleNotFoundError("no such module", name="ours"), ModuleNotFoundError("nameless"), OSError("disk")):
        with pytest.raises(type(error)) as raised, needs_extra("it"):
            raise error
        assert raised.value is error
