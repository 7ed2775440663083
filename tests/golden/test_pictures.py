"""Pictures look as they were recorded; see pictures.py for how to record them anew."""

from __future__ import annotations

import json
from itertools import islice

import pytest

from .files import differences
from .pictures import FILE, PICTURES


@pytest.mark.parametrize("name", PICTURES)
def test_a_picture_looks_as_it_did(name: str) -> None:
    wanted = json.loads(FILE.read_text(encoding="utf-8"))[name]
    found = json.loads(json.dumps(PICTURES[name]()))
    assert not (wrong := list(islice(differences(wanted, found, 1e-3, 1e-9), 8))), "\n".join(wrong)
