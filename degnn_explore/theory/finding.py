"""What an experiment of the Theory Lab found: a table, its notes, a plot, a file to keep."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from html import escape
from os import PathLike
from pathlib import Path
from threading import Event
from typing import TYPE_CHECKING, Any

from ..common.errors import ParameterError, shown
from ..expressive.verdicts import Verdict, distinguish
from ..graphs.graph import needs_graph

if TYPE_CHECKING:
    import pandas
    import plotly.graph_objects as go

__all__ = ["Finding", "checked_pairs", "in_words", "verdict_table"]


@dataclass(frozen=True, repr=False)
class Finding:
    """The outcome of an experiment.

    Attributes
    ----------
    title
        What was asked.
    table
        The values, a pandas DataFrame.
    notes
        What to know when reading them.
    picture
        How :meth:`plot` draws the table: a name in ``degnn_explore.theory.plots``.

    Examples
    --------
    >>> import pandas as pd
    >>> Finding("Walks", pd.DataFrame({"length": [1], "walks": [3]}), ("exact",), "walks")
    Walks
       length  walks
    0       1      3
    Note: exact
    """

    title: str
    table: pandas.DataFrame
    notes: tuple[str, ...]
    picture: str

    def plot(self, **options: Any) -> go.Figure:
        """The table as a plotly figure. Options: ``width`` and ``height`` in pixels."""
        from . import plots

        return plots.draw(self, **options)

    def save(self, path: str | PathLike[str], **options: Any) -> Path:
        """The plot as ``.html`` (stands alone, works offline), ``.png``, ``.svg`` or ``.pdf``, the table as ``.csv``.

        Pictures need the package kaleido and a Chrome or Chromium.
        """
        from . import plots

        return plots.save(self, Path(path), **options)

    def __repr__(self) -> str:
        return "\n".join([self.title, str(self.table), *(f"Note: {note}" for note in self.notes)])

    def _repr_html_(self) -> str:
        notes = "".join(f"<p><i>{escape(note)}</i></p>" for note in self.notes)
        return f"<p><b>{escape(self.title)}</b></p>{self.table.to_html(max_rows=60, notebook=True)}{notes}"


def checked_pairs(caller: str, pairs: Any, *, with_sets: bool = False) -> dict[str, tuple[Any, Any]]:
    """Names, each with two graphs, or with two (graph, target set); a ParameterError if it is something else."""
    wanted = "two (graph, target set)" if with_sets else "two graphs"
    if not isinstance(pairs, Mapping):
        raise ParameterError(f"{caller} takes a dict of names, each with {wanted}, not a {type(pairs).__name__}.")
    for name, pair in pairs.items():
        sides = pair if isinstance(pair, tuple | list) and len(pair) == 2 else ()
        if not sides or (with_sets and not all(isinstance(side, tuple | list) and len(side) == 2 for side in sides)):
            raise ParameterError(f"{caller}: {name!r} needs {wanted}, not {shown(pair)}.")
        for side in sides:
            needs_graph(caller, side[0] if with_sets else side)
    return dict(pairs)


def in_words(verdict: Verdict) -> str:
    """ "layer 2" or "same", as in all tables."""
    return f"layer {verdict.layer}" if verdict.different else "same"


def verdict_table(
    cases: Mapping[str, tuple[Any, ...]], methods: Mapping[str, Mapping[str, Any]], stop: Event | None
) -> pandas.DataFrame:
    """A row for each case, a column for each method (its name, and how to call ``distinguish``)."""
    import pandas as pd

    rows = {
        case: {label: in_words(distinguish(a, b, **how, stop=stop)) for label, how in methods.items()}
        for case, (a, b) in cases.items()
    }
    return pd.DataFrame.from_dict(rows, orient="index").rename_axis("pair")
