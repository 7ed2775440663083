"""What a study shows: its tables, figures and sentences, from the cells as they stand."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import TYPE_CHECKING, Any

from ...common.errors import ParameterError, one_of
from ..beside.layout import CHOSEN, SideBySide
from ..beside.leaks import read_worth
from ..beside.reading import Reading, read_table
from ..records import Run
from .asked import Asked
from .cells import Cell
from .tables import Result, as_text, long_table, result, wide_table
from .worth import worth, worth_figure

if TYPE_CHECKING:
    import pandas


class Shown(ABC):
    """The part of :class:`Study` that shows; the study itself says which cells there are and what is known of them."""

    asked: Asked
    missing: dict[str, str]

    @abstractmethod
    def _prepared(self) -> list[Cell]: ...

    @abstractmethod
    def _known(self) -> dict[str, Run]: ...

    def standing_results(self, view: str = "validation") -> list[Result]:
        """Every cell as it stands; ``view`` is "validation", or "optimistic" for the paper's appendix."""
        known = self._known()
        return [result(cell, known, view) for cell in self._prepared()]

    def side_by_side(self, view: str = "validation", beside: Shown | None = None) -> SideBySide:
        """As the paper lays it out, in one screen: ours over the paper's in each cell, how they compare below.

        ``beside`` is another study of the same questions, whose models stand below: heuristics. In a notebook it is a
        table; ``.markdown()`` is one for a file.
        """
        below = () if beside is None else tuple(beside.standing_results(view))
        return SideBySide(tuple(self.standing_results(view)), view, below, dict(self.missing))

    def reading(self, beside: Shown | None = None, model: str | None = None) -> Reading:
        """What the results say, in sentences computed from them: how far it is, where ours stand, every exception.

        Of a study with several protocols: what each leak is worth, to one ``model`` or to all.
        """
        if any(len(column.protocols) > 1 for column in self.asked.columns):
            return read_worth(self.worth(), model)
        if model is not None:
            raise ParameterError(
                "reading(model=...) is for studies of leaks; .only(models=[...]) is a part of this one."
            )
        return read_table(self.standing_results(), () if beside is None else beside.standing_results())

    def table(self, view: str = "validation") -> pandas.DataFrame:
        """A row for each model; of each column ours, the paper's and how they compare.

        Ours is the mean ± half the 95 % interval over seeds, in per cent; "better", "within" and "below" say where our
        mean lies by the paper's interval; "tried" is how many settings the model's were chosen from.
        """
        return wide_table(self.standing_results(view))

    def cells(self, view: str = "validation") -> pandas.DataFrame:
        """The same as numbers, a row for each cell."""
        return long_table(self.standing_results(view))

    def worth(self) -> pandas.DataFrame:
        """Of a study with several protocols: the points that each leak is worth, see :mod:`.worth`."""
        return worth(self._prepared(), self._known())

    def plot_worth(self) -> Any:
        """The same as a plotly figure, a dot for each seed."""
        return worth_figure(self.worth())

    def plot(self, view: str = "validation") -> Any:
        """A dot plot (plotly): every seed, our mean ± half the 95 % interval, and the paper's number as a bar."""
        from .plots import dot_plot

        results = self.standing_results(view)
        return dot_plot(results, self.asked.title + (", best test epoch (optimistic)" if view == "optimistic" else ""))

    def text(self, view: str = "validation") -> str:
        """The same for a terminal, below what ``view`` means."""
        return f"{CHOSEN[one_of('view', view, CHOSEN)]}\n\n{as_text(self.standing_results(view))}"
