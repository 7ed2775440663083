"""A DataFrame of edges as a table, so that it is read by the rules of an edge list in a file."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from ..common.errors import GraphError
from ..graphs.columns import text
from ..graphs.graph import Graph
from .edge_lists import edges_of
from .tables import Table

if TYPE_CHECKING:
    import pandas


def read_frame(frame: pandas.DataFrame, columns: Sequence[str | int] | None = None) -> Graph:
    """A graph from a DataFrame with an edge in each row.

    Examples
    --------
    >>> import pandas as pd
    >>> read_frame(pd.DataFrame({"source": ["ana", "ben"], "target": ["ben", "cai"], "year": [1999, 2001]})).names
    ('ana', 'ben', 'cai')
    """
    names = [text("a column's name", name) for name in frame.columns]
    if len(names) < 2 or not len(frame):
        raise GraphError(
            f"this DataFrame has {len(frame):,} rows and the columns {names}; expected an edge in each row, and two "
            "columns for its ends, such as source and target."
        )
    return edges_of(_FrameTable(b"", "", names, names, 0, frame), columns)


@dataclass(frozen=True)
class _FrameTable(Table):
    """The rows of a DataFrame: whole numbers stay numbers, everything else is its text, and what is missing is ""."""

    given: pandas.DataFrame

    @cached_property
    def values(self) -> pandas.DataFrame:
        import pandas as pd

        return pd.DataFrame({place: _plain(self.given.iloc[:, place]) for place in range(self.given.shape[1])})

    @cached_property
    def frame(self) -> pandas.DataFrame:
        return self.values.astype("string")

    def exactly(self, places: Sequence[int]) -> pandas.DataFrame:
        whole = all(self.values[place].dtype == np.int64 for place in places)
        return (self.values if whole else self.frame)[list(places)]

    def where(self, row: int) -> str:
        return f"row {row}"


def _plain(column: pandas.Series[Any]) -> pandas.Series[Any]:
    """Whole numbers as int64, other numbers as they are, all else as text."""
    import pandas as pd

    column = column.reset_index(drop=True)
    if column.dtype.kind in "iuf" and not column.isna().any():
        values = column.to_numpy()
        whole = (values == np.floor(values)).all() and np.abs(values).max() < 2**53
        return column.astype(np.int64) if whole else column
    words = column.astype(object).map(lambda cell: text("a node id", cell))
    return pd.Series(np.where(column.isna(), "", words), dtype="string")
