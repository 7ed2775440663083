"""The table of a study: ours over the paper's, cell by cell, with what was tried and how many seeds there are."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from ...common.errors import one_of
from ..comparison import SETTINGS, paper_number
from ..exports import plus_minus
from ..records import Run
from ..statistics import ENOUGH, interval
from .cells import Cell, Known

if TYPE_CHECKING:
    import pandas

VIEWS = dict(zip(("validation", "optimistic"), SETTINGS, strict=True))
METRICS = {"auc": "AUC", "accuracy": "accuracy"}
MARKS = {"better": "▲", "within": "●", "below": "▼"}
"""Our mean is above the paper's 95 % interval, inside it or below it."""
_FEW = "too few seeds"


@dataclass(frozen=True)
class Result:
    """A cell as it stands; numbers in per cent. Every attribute is a column of :meth:`Study.cells`."""

    task: str
    graph: str
    model: str
    protocol: str
    metric: str
    seeds: int
    mean: float | None
    half: float | None  # of the 95 % interval; None below two seeds
    paper: float | None
    paper_half: float | None
    compared: str  # better, within or below the paper's interval, or too few seeds; "" where the paper has no number
    tried: int  # settings so far, the chosen one among them
    settings: dict[str, Any]  # that were chosen, where they differ from the model's defaults; {} while none are
    cpu_seconds: float | None  # of a run, on average
    failed: int
    scores: tuple[float, ...]  # of each seed

    @property
    def heading(self) -> str:
        """Of its column."""
        more = "" if self.protocol == "honest" else f", {self.protocol}"
        return f"{self.graph} {self.task}{more}"


def result(cell: Cell, known: Known, view: str = "validation") -> Result:
    """What the finished runs of a cell say."""
    setting = VIEWS[one_of("view", view, VIEWS)]
    runs, failed, settings = runs_of(cell, known)
    scores = tuple(100 * float((run.test if view == "validation" else run.optimistic) or 0.0) for run in runs)
    mean, half = interval(scores) if scores else (None, None)
    plan = cell.base
    paper, paper_half = paper_number(cell.model, plan.name, plan.p, plan.metric, setting) or (None, None)
    seconds = sum(run.cpu_seconds for run in runs) / len(runs) if runs else None
    word = compared(mean, paper, paper_half, len(scores))
    return Result(
        plan.task, cell.column.name, cell.model, cell.protocol, plan.metric, len(scores), mean, half, paper, paper_half,
        word, cell.tried(known), settings, seconds, failed, scores)  # fmt: skip


def runs_of(cell: Cell, known: Known) -> tuple[list[Run], int, dict[str, Any]]:
    """The finished runs that are reported, by seed; how many failed; and the chosen settings."""
    chosen, _ = cell.search(known)
    if chosen is None:
        return [], 0, {}
    ended = [known[work.key] for work in cell.reported(chosen) if work.key in known]
    done = [run for run in ended if run.status == "finished" and run.test is not None]
    settings = {**cell.column.settings.get(cell.model, {}), **cell.trials[chosen]}
    return done, sum(run.status == "failed" for run in ended), settings


def compared(mean: float | None, paper: float | None, half: float | None, seeds: int) -> str:
    """Where our mean lies by the paper's interval; "" where one is missing, and below five seeds no claim.

    Examples
    --------
    >>> [compared(ours, 89.4, 0.2, 5) for ours in (91.0, 89.3, 88.0)]
    ['better', 'within', 'below']
    >>> compared(91.0, 89.4, 0.2, 1), compared(88.0, None, None, 5)
    ('too few seeds', '')
    """
    if mean is None or paper is None or half is None:
        return ""
    if seeds < ENOUGH:
        return _FEW
    return "better" if mean > paper + half else "below" if mean < paper - half else "within"


def long_table(results: Iterable[Result]) -> pandas.DataFrame:
    """A row for each cell."""
    import pandas as pd

    columns = [name for name in Result.__dataclass_fields__ if name != "scores"]
    return pd.DataFrame([{name: getattr(one, name) for name in columns} for one in results], columns=columns)


def wide_table(results: Sequence[Result]) -> pandas.DataFrame:
    """As the paper lays it out: a row for each model, a group of columns for each question."""
    import pandas as pd

    headings = list(dict.fromkeys(one.heading for one in results))
    models = list(dict.fromkeys(one.model for one in results))
    cells = {(one.heading, one.model): _shown(one) for one in results}
    parts = list(_shown(results[0])) if results else []
    rows = [[cells.get((heading, model), {}).get(part, "") for heading in headings for part in parts]
            for model in models]  # fmt: skip
    columns = pd.MultiIndex.from_product([headings, parts])
    return pd.DataFrame(rows, index=pd.Index(models, name="model"), columns=columns)


def _shown(one: Result) -> dict[str, str]:
    return {
        "ours": plus_minus(one.mean, one.half),
        "paper": plus_minus(one.paper, one.paper_half, 2),
        "compared": f"{MARKS.get(one.compared, '')} {one.compared}".strip(),
        "seeds": str(one.seeds) + (f" ({one.failed} failed)" if one.failed else ""),
        "tried": str(one.tried),
    }


def as_text(results: Sequence[Result]) -> str:
    """For the shell: a block for each question, a line for each model."""
    blocks = []
    for heading in dict.fromkeys(one.heading for one in results):
        own = [one for one in results if one.heading == heading]
        shown: list[tuple[str, ...]] = [("", "ours", "paper", "compared", "seeds", "tried")]
        shown += [(one.model, *_shown(one).values()) for one in own]
        widths = [max(map(len, column)) for column in zip(*shown, strict=True)]
        lines = ["  ".join(f"{text:<{width}}" for text, width in zip(row, widths, strict=True)) for row in shown]
        blocks.append("\n".join([f"{heading} ({own[0].metric}, %)", *(f"  {line}".rstrip() for line in lines)]))
    return "\n\n".join(blocks)
