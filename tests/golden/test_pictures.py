"""Pictures look as they were recorded; see pictures.py for how to record them anew."""

from __future__ import annotations

import pytest

from .files import compare, read
from .pictures import PICTURES


@pytest.mark.parametrize("name", PICTURES)
def test_a_picture_looks_as_it_did(name: str) -> None:
    compare(read("pictures")[name], PICTURES[name](), 1e-3, 1e-9)
