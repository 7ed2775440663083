"""Today's numbers are those that were recorded: verdicts, encodings, splits, logits, tables, the Explorer.

``python -m tests.golden.record name`` records a file anew where a change is meant.
"""

from __future__ import annotations

from itertools import islice

import pytest

from .cases import REFERENCES, states
from .files import differences, plain, read


@pytest.mark.parametrize("name", REFERENCES)
def test_what_was_recorded_is_still_computed(name: str) -> None:
    reference = REFERENCES[name]
    found = reference.compute()
    if reference.suffix == ".json":
        found = plain(found)
    wrong = differences(read(name), found, reference.rtol, reference.atol)
    first = list(islice(wrong, 12))
    more = sum(1 for _ in wrong)
    assert not first, "\n".join([*first, f"and {more:,} more" if more else ""])


def test_there_are_as_many_cases_as_promised() -> None:
    assert len(read("verdicts")) == 200
    assert len(read("explorer")) == len(states()) == 50
