"""Today's numbers are those that were recorded: verdicts, splits, logits, epochs, the Explorer; see cases.py."""

from __future__ import annotations

import pytest

from .cases import REFERENCES
from .files import compare, read


@pytest.mark.parametrize("name", REFERENCES)
def test_what_was_recorded_is_still_computed(name: str) -> None:
    compute, rtol, atol = REFERENCES[name]
    compare(read(name), compute(), rtol, atol)
