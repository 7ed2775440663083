"""A graph that was just opened, in a few facts."""

from __future__ import annotations

from ...expressive.summary import Summary
from ..widgets.html import tag


def summary_list(found: Summary) -> str:
    """The facts of a summary as HTML; what they name comes from a file and is never read as markup."""
    rows = "".join(tag("dt", name) + tag("dd", words) for name, words in found.facts.items())
    return f'<dl class="de-keys">{rows}</dl>'
