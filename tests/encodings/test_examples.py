"""The examples of docs/own_encoding.md run, and are what they say."""

from __future__ import annotations

import doctest
from pathlib import Path

PAGE = Path(__file__).parents[2] / "docs" / "own_encoding.md"


def test_the_page_runs_as_written() -> None:
    page = doctest.DocTestParser().get_doctest(PAGE.read_text(encoding="utf-8"), {}, PAGE.name, str(PAGE), 0)
    runner = doctest.DocTestRunner(optionflags=doctest.NORMALIZE_WHITESPACE | doctest.ELLIPSIS)
    assert runner.run(page, clear_globs=False).failed == 0
    page.globs["board"].close()
