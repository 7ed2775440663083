"""Every word that the Explorer uses is explained, the same everywhere."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
from pathlib import Path

import pytest

from degnn_explore.expressive.methods import METHODS
from degnn_explore.views.explorer.colour_menu import COLOURINGS
from degnn_explore.views.widgets.glossary import TERMS, Glossary, as_html, as_markdown, explain
from tools.waiting import LONG

ROOT = Path(__file__).parents[3]


@pytest.mark.parametrize(
    "word", "1-WL|2-WL|SPD|landing probability|DRNL|p = 2|cubic|strongly regular|class f|Theorem 3.7|ζ".split("|")
)
def test_a_word_has_a_line(word: str) -> None:
    assert 20 < len(explain(word)) < 200


def test_every_method_and_colouring_is_explained() -> None:
    for word in [*COLOURINGS, *(method.title(2, 2) for method in METHODS.values())]:
        assert explain(word), word


def test_weisfeiler_is_named_and_other_words_are_not_explained() -> None:
    assert "Weisfeiler" in explain("1-WL") and explain("banana") == ""


def test_the_page_of_words_is_the_one_in_the_docs() -> None:
    """``python -m degnn_explore.views.widgets.glossary`` writes it anew."""
    assert (ROOT / "docs" / "glossary.md").read_text(encoding="utf-8") == as_markdown()
    assert as_html().count("<dt>") == len(TERMS) == len({term.name for term in TERMS}) == len(Glossary().terms)


def test_terms_are_found_in_texts_by_node() -> None:
    node = shutil.which("node")
    if node is None:
        pytest.skip("no node on PATH: install Node.js 20 to test glossary.js without a browser")
    done = subprocess.run(
        [node, "--test", str(ROOT / "tests/views/js/glossary.test.mjs")],
        capture_output=True,
        text=True,
        timeout=LONG,
        env=os.environ | {"TERMS": json.dumps(TERMS)},
    )
    assert done.returncode == 0, done.stdout[-4000:] + done.stderr[-2000:]
