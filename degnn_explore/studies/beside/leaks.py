"""What the study of leaks says, in sentences: which of them are worth how many points to whom."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ...common.errors import ParameterError
from ...common.numbers import signed
from .reading import Reading

if TYPE_CHECKING:
    import pandas


def read_worth(table: pandas.DataFrame, model: str | None = None) -> Reading:
    """Of each question the leaks by what they are worth to a model; ± is half the 95 % interval over seeds."""
    if not len(table):
        raise ParameterError("No leak has a seed in common with the honest protocol yet; run the study first.")
    parts = []
    for (dataset, task, name), rows in table.groupby(["dataset", "task", "model"], sort=False):
        if model is None or name == model:
            listed: list[Any] = list(rows.itertuples())
            ordered = sorted(listed, key=lambda row: (row.protocol == "paper", -row.points))
            parts.append((f"{dataset}, {task}, {name}:", f"{'; '.join(map(_said, ordered))}."))
    if not parts:
        raise ParameterError(f"No leak of {model!r} was measured; choose one of {', '.join(sorted(set(table.model)))}.")
    return Reading(tuple(parts))


def protocol_words(protocol: str) -> str:
    """A protocol for people: several leaks are counted, not listed.

    Examples
    --------
    >>> protocol_words("gradients_not_reset"), protocol_words("a + b + c"), protocol_words("paper")
    ('gradients not reset', '3 of the published code', 'all together, as published')
    """
    names = protocol.split(" + ")
    if protocol == "paper":
        return "all together, as published"
    return f"{len(names)} of the published code" if len(names) > 1 else protocol.replace("_", " ")


def _said(row: Any) -> str:
    half = f" ± {row.half:.2f}" if row.half is not None and row.half == row.half else ""
    return f"{protocol_words(row.protocol)} {signed(row.points, 2)}{half}"
