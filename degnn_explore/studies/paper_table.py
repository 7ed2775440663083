"""A study next to the paper: the table in the paper's layout, and a summary in sentences.

Every number, mark and sentence is computed from the :class:`Result` of each cell. Cells with fewer than five seeds are
shown but not counted.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from html import escape
from itertools import groupby
from statistics import fmean
from typing import TYPE_CHECKING, Any

from ..common.errors import check_choice
from ..common.style import signed
from ..learn.metrics import metric_name
from ..learn.registry import BASELINE, DE, MODELS, is_heuristic
from ..learn.tasks import Task
from .comparison import PAPER_SEEDS, PLUS_MINUS, SAME_SPLIT, paper_number, plus_minus
from .runs import Run, RunSpec
from .statistics import ENOUGH, difference_interval, interval

if TYPE_CHECKING:
    import pandas

VIEWS = {"validation": "with-validation", "optimistic": "no-validation"}
MARKS = {"better": "▲", "within": "●", "below": "▼"}
"""The 95% interval of our mean minus the paper's is above zero, includes it, or is below."""
_FEW = "too few seeds"
_TASKS = {"roles": "Nodes", "links": "Node pairs", "triangles": "Node triads"}
_NOT_RUN = "–"
CHOSEN = {
    "validation": "The epoch of a run is chosen on validation.",
    "optimistic": "Optimistic, as the paper's appendix: of each run the best test result of any epoch, an upper bound, "
    "for nobody can choose it beforehand.",
}
_COMPARED = (
    "our mean minus the paper's, with the 95% interval of that difference, is above zero, includes it, or is below"
)
_WIDE = 3.0  # points of half an interval above which single comparisons say little


@dataclass(frozen=True)
class Result:
    """The result of one cell; numbers in percent. All but scores and runs are columns of :meth:`Study.cells`."""

    task: str
    graph: str
    model: str
    protocol: str
    metric: str
    seeds: int
    mean: float | None
    half: float | None  # of the 95% interval; None below two seeds
    paper: float | None
    paper_half: float | None
    compared: str  # better, within or below, see MARKS, or too few seeds; "" where the paper has no number
    tried: int  # settings so far, including the chosen one
    settings: dict[str, Any]  # the chosen ones that differ from the defaults; {} until they are chosen
    cpu_seconds: float | None  # average of a run
    failed: int
    scores: tuple[float, ...]  # of each seed
    same_split: bool = False  # seeds differ by initialization only
    runs: tuple[Run, ...] = ()

    @property
    def heading(self) -> str:
        """The heading of its column."""
        more = "" if self.protocol == "honest" else f", {self.protocol}"
        return f"{self.graph} {self.task}{more}"


def result_of(
    question: RunSpec, graph: str, runs: Sequence[Run], failed: int, settings: dict[str, Any], tried: int, view: str
) -> Result:
    """The result of a cell with these finished runs; ``question`` is any of its specs."""
    setting = VIEWS[check_choice("view", view, VIEWS)]
    scores = tuple(100 * float((run.test if view == "validation" else run.optimistic) or 0.0) for run in runs)
    mean, half = interval(scores) if scores else (None, None)
    where = (question.model, question.catalog, question.p, question.metric)
    paper, paper_half = paper_number(*where, setting) or (None, None)
    seconds = sum(run.cpu_seconds for run in runs) / len(runs) if runs else None
    word = compared(mean, half, len(scores), paper, paper_half)
    return Result(
        question.kind, graph, question.model, question.protocol, question.metric, len(scores), mean, half, paper,
        paper_half, word, tried, settings, seconds, failed, scores, isinstance(question.task, Task),
        tuple(runs))  # fmt: skip


def compared(mean: float | None, half: float | None, seeds: int, paper: float | None, paper_half: float | None) -> str:
    """How our mean compares with the paper's, by the 95% interval of the difference; no claim below five seeds.

    Examples
    --------
    >>> [compared(ours, 0.4, 20, 89.4, 0.2) for ours in (91.0, 89.3, 88.0)]
    ['better', 'within', 'below']
    >>> compared(89.8, 0.5, 20, 89.4, 0.2)  # above the paper's interval, but ours reaches into it
    'within'
    >>> compared(91.0, None, 1, 89.4, 0.2), compared(88.0, 0.1, 5, None, None)
    ('too few seeds', '')
    """
    if mean is None or paper is None or paper_half is None:
        return ""
    if seeds < ENOUGH or half is None:
        return _FEW
    difference, around = difference_interval(mean, half, seeds, paper, paper_half, PAPER_SEEDS)
    return "better" if difference > around else "below" if difference < -around else "within"


def long_table(results: Iterable[Result]) -> pandas.DataFrame:
    """A row for each cell."""
    import pandas as pd

    columns = [name for name in Result.__dataclass_fields__ if name not in ("scores", "runs")]
    return pd.DataFrame([{name: getattr(one, name) for name in columns} for one in results], columns=columns)


def wide_table(results: Sequence[Result]) -> pandas.DataFrame:
    """The paper's layout: a row for each model, a group of columns for each task and graph."""
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
    """For the terminal: a block for each task and graph, a line for each model."""
    blocks = []
    for heading in dict.fromkeys(one.heading for one in results):
        own = [one for one in results if one.heading == heading]
        shown: list[tuple[str, ...]] = [("", "ours", "paper", "compared", "seeds", "tried")]
        shown += [(one.model, *_shown(one).values()) for one in own]
        widths = [max(map(len, column)) for column in zip(*shown, strict=True)]
        lines = ["  ".join(f"{text:<{width}}" for text, width in zip(row, widths, strict=True)) for row in shown]
        title = f"{heading} ({own[0].metric}, %{f'; {SAME_SPLIT}' if own[0].same_split else ''})"
        blocks.append("\n".join([title, *(f"  {line}".rstrip() for line in lines)]))
    return "\n\n".join(blocks)


# ---- the paper's layout ---------------------------------------------------------------------------


@dataclass(frozen=True, repr=False)
class SideBySide:
    """The table from :meth:`Study.side_by_side`. A notebook shows it as HTML; ``markdown()`` is for a file."""

    results: Sequence[Result]
    view: str = "validation"
    beside: Sequence[Result] = ()  # of another study, such as heuristics; shown below
    missing: Mapping[str, str] = field(default_factory=dict)  # graphs that could not be loaded, and why

    @property
    def notes(self) -> list[str]:
        """Notes for the reader."""
        metrics = dict.fromkeys(
            "accuracy (nodes)" if (one.task, one.metric) == ("roles", "accuracy") else metric_name(one.metric)
            for one in self.results
        )
        layout = marks = ""
        if any(one.paper is not None for one in self.results):
            layout = "; in each cell ours, then the paper's, then how they compare"
            marks = f" {', '.join(f'{mark} {word}' for word, mark in MARKS.items())}: {_COMPARED}."
        seeds, tried = self._usual
        notes = [
            f"Test {' and '.join(metrics)} in percent{layout}. {CHOSEN[self.view]} {PLUS_MINUS}{marks} The best of "
            "ours in a column is bold."
        ]
        if same := [heading for heading, one in _columns(self.results).items() if one.same_split]:
            notes.append(f"{', '.join(same)}: {SAME_SPLIT}, so that ± says nothing about other splits.")
        if seeds:
            chosen = "; settings are chosen on validation, on seeds that are not reported" if tried > 1 else ""
            notes.append(
                f"{_count(seeds, 'seed')} and {_count(tried, 'setting')} tried, where a cell says nothing else{chosen}."
            )
        if any(one.seeds < ENOUGH for one in self.results):
            notes.append(f"{_NOT_RUN}: no run yet; below {ENOUGH} seeds nothing is compared.")
        if self.missing:
            first, why = next(iter(self.missing.items()))
            rest = f" {first}: {why} The study's missing says it of each." if len(self.missing) > 1 else f" {why}"
            notes.append(f"Left out: {', '.join(self.missing)}.{rest}")
        return notes

    def markdown(self) -> str:
        """The table and the notes, for a README."""
        columns = _columns(self.results)
        lines = ["| model | " + " | ".join(in_markdown(f"{one.graph}, {one.task}") for one in columns.values()) + " |"]
        lines.append("|---" * (len(columns) + 1) + "|")
        for model, cells in self._rows(columns):
            lines.append(f"| {in_markdown(model)} | " + " | ".join("<br>".join(_bold(cell)) for cell in cells) + " |")
        return "\n".join([*lines, "", in_markdown(" ".join(self.notes))])

    def __repr__(self) -> str:
        return self.markdown()

    def _repr_html_(self) -> str:
        columns = _columns(self.results)
        tasks = [(task, len(list(own))) for task, own in groupby(map(_task, columns.values()))]
        groups = "".join(f'<th colspan="{size}">{escape(task)}</th>' for task, size in tasks)
        graphs = "".join(f'<th scope="col">{escape(one.graph)}</th>' for one in columns.values())
        others = {one.model for one in self.beside} - {one.model for one in self.results}
        rows = self._rows(columns)
        below = next((model for model, _ in rows if model in others), None)
        body = []
        for model, cells in rows:
            begins = ' class="de-next"' if model == below else ""
            tds = "".join(f"<td>{'<br>'.join(_in_html(cell))}</td>" for cell in cells)
            body.append(f'<tr{begins}><th scope="row">{escape(model)}</th>{tds}</tr>')
        notes = "".join(f"<p>{escape(note)}</p>" for note in self.notes)
        return (
            f'<div class="de-beside">{_STYLE}<table><thead><tr><th></th>{groups}</tr><tr><th scope="col">model</th>'
            f"{graphs}</tr></thead><tbody>{''.join(body)}</tbody></table>{notes}</div>"
        )

    @property
    def _usual(self) -> tuple[int, int]:
        """The numbers of seeds and settings that most cells have."""
        done = [one for one in self.results if one.seeds and not is_heuristic(one.model)]
        seeds, tried = Counter(one.seeds for one in done), Counter(one.tried for one in done)
        return (seeds.most_common(1)[0][0], tried.most_common(1)[0][0]) if done else (0, 0)

    def _rows(self, columns: Iterable[str]) -> list[tuple[str, list[list[str]]]]:
        """The models, and the lines of each of their cells; a * before the first line marks the best in a column."""
        everything = [*self.results, *self.beside]
        best = {
            column: max((one.mean or 0.0 for one in everything if one.heading == column and _counts(one)), default=None)
            for column in columns
        }
        cells = {(one.model, one.heading): _lines(one, best.get(one.heading), *self._usual) for one in everything}
        models = [model for model in MODELS if any(one.model == model for one in everything)]
        return [(model, [cells.get((model, column), []) for column in columns]) for model in models]


def _columns(results: Iterable[Result]) -> dict[str, Result]:
    """One cell of each column, by heading."""
    return {one.heading: one for one in results}


def _task(one: Result) -> str:
    leaks = "" if one.protocol == "honest" else f", {one.protocol}"
    return f"{_TASKS.get(one.task, one.task)}: {metric_name(one.metric)}{leaks}"


def _counts(one: Result) -> bool:
    return one.mean is not None and one.seeds >= ENOUGH


def _lines(one: Result, best: float | None, seeds: int, tried: int) -> list[str]:
    ours = plus_minus(one.mean, one.half, 2)
    lines = [f"*{ours}" if _counts(one) and one.mean == best else ours if one.seeds else _NOT_RUN]
    if one.paper is not None:
        lines.append(plus_minus(one.paper, one.paper_half, 2))
        if one.seeds:
            lines.append(f"{MARKS[one.compared]} {one.compared}" if one.compared in MARKS else one.compared)
    odd = [_count(one.seeds, "seed")] if one.seeds and one.seeds != seeds else []
    odd += [f"{one.tried} tried"] if one.seeds and one.tried != tried and not is_heuristic(one.model) else []
    return [*lines, ", ".join(odd)] if odd else lines


def _count(number: int, what: str) -> str:
    return f"{number} {what}{'' if number == 1 else 's'}"


def _bold(lines: Sequence[str]) -> list[str]:
    return [f"**{line[1:]}**" if line.startswith("*") else line for line in lines]


def _in_html(lines: Sequence[str]) -> list[str]:
    shown = [f"<b>{escape(line[1:])}</b>" if line.startswith("*") else escape(line) for line in lines]
    return [*shown[:1], *(f"<small>{line}</small>" for line in shown[1:])]


def in_markdown(text: str) -> str:
    """The text, escaped for markdown."""
    return "".join("\\" + c if c in "\\`*_<>[]|" else c for c in text)


# Sets only lines and sizes, so that the page's colors apply, light or dark.
_STYLE = """<style>
.de-beside table { border-collapse: collapse; font-size: 12px; line-height: 1.35; width: auto; margin: 0 0 8px 0; }
.de-beside table th, .de-beside table td { padding: 4px; border: 0; vertical-align: top; }
.de-beside table th, .de-beside table td { text-align: center !important; }
.de-beside table td { white-space: nowrap; }
.de-beside table tbody th { text-align: left !important; width: 92px; max-width: 92px; font-size: 11px; }
.de-beside table tr { border-bottom: 1px solid rgba(127, 127, 127, 0.35); }
.de-beside table tr.de-next { border-top: 2px solid rgba(127, 127, 127, 0.8); }
.de-beside small { font-size: 11px; }
.de-beside p { font-size: 12px; max-width: 840px; margin: 0 0 4px 0; }
</style>"""


# ---- the summary in sentences ---------------------------------------------------------------------


@dataclass(frozen=True, repr=False)
class Reading:
    """Sentences with a lead each; a notebook shows them as a list."""

    parts: tuple[tuple[str, str], ...]

    def __repr__(self) -> str:
        return "\n".join(f"{lead} {text}" for lead, text in self.parts)

    def markdown(self) -> str:
        """A list, for a README."""
        return "\n".join(f"- **{lead}** {text}" for lead, text in self.parts)

    def _repr_html_(self) -> str:
        return f"<ul>{''.join(f'<li><b>{escape(lead)}</b> {escape(text)}</li>' for lead, text in self.parts)}</ul>"


def read_table(results: Sequence[Result], beside: Sequence[Result] = ()) -> Reading:
    """A study's table in words; ``beside`` has results of another study of the same columns, such as heuristics."""
    done = [one for one in results if one.mean is not None and one.seeds >= ENOUGH]
    scored = [one for one in beside if one.mean is not None and one.seeds >= ENOUGH]
    sentences = [
        ("Coverage:", _coverage(results)),
        ("Splits:", _splits(done)),
        ("Against the paper:", _against(done)),
        ("Distance encoding against plain GNNs:", _order(done)),
        ("Leads:", _leads(done)),
        ("Heuristics:", _heuristics(done, scored)),
        ("Scatter:", _scatter(done)),
    ]
    return Reading(tuple((lead, text) for lead, text in sentences if text))


def _coverage(results: Sequence[Result]) -> str:
    few = [one for one in results if one.seeds < ENOUGH]
    text = f"{len(results) - len(few)} of {len(results)} cells have {ENOUGH} seeds or more"
    if not few:
        return f"{text}."
    by_column = _by_column(few)
    sizes = {column: len(cells) for column, cells in _by_column(results).items()}
    listed = [
        f"{column} ({'all' if len(cells) == sizes[column] else ', '.join(one.model for one in cells)})"
        for column, cells in by_column.items()
    ]
    return f"{text}. The others are not counted below: {'; '.join(listed)}."


def _splits(done: Sequence[Result]) -> str:
    same = dict.fromkeys(one.heading for one in done if one.same_split)
    return f"{', '.join(same)}: {SAME_SPLIT}." if same else ""


def _against(done: Sequence[Result]) -> str:
    """In how many columns each distance-encoded model, and the best of them, reaches the paper's mean."""
    models = []
    for model in dict.fromkeys(one.model for one in done if _is(one, DE)):
        cells = [one for one in done if one.model == model and one.paper is not None]
        under = [one for one in cells if _mean(one) < _paper(one)]
        if cells:
            but = f" (not on {', '.join(map(_beside_paper, under))})" if under else ""
            models.append(f"{model} in {len(cells) - len(under)} of {len(cells)} columns{but}")
    best = [_best(cells, DE) for cells in _by_column(done).values()]
    reached = [
        ours for ours, theirs in best if ours is not None and theirs is not None and _mean(ours) >= _paper(theirs)
    ]
    count = sum(ours is not None and theirs is not None for ours, theirs in best)
    if not models:
        return ""
    return (
        f"our mean is at or above the paper's for {'; '.join(models)}. The best distance-encoded model of a column "
        f"reaches the paper's best in {len(reached)} of {count}."
    )


def _order(done: Sequence[Result]) -> str:
    """Whether distance encoding is above GCN, SAGE and GIN wherever it is in the paper."""
    pairs, kept, broken = 0, 0, []
    for column, cells in _by_column(done).items():
        plain = [one for one in cells if MODELS[one.model].bound == "1-WL" and one.paper is not None]
        here = []
        for one in (cell for cell in cells if _is(cell, DE) and cell.paper is not None):
            beaten = [other for other in plain if _paper(one) > _paper(other)]
            over = [f"{other.model} {_mean(other):.2f}" for other in beaten if _mean(other) >= _mean(one)]
            pairs, kept = pairs + len(beaten), kept + len(beaten) - len(over)
            here += [f"{one.model} {_mean(one):.2f} is not above {', '.join(over)}"] if over else []
        broken += [f"on {column}, {'; '.join(here)}"] if here else []
    if not pairs:
        return ""
    text = f"of {pairs} pairs that the paper has in this order, {kept} keep it here"
    return f"{text}. Exceptions: {'. And '.join(broken)}." if broken else f"{text}, without exception."


def _leads(done: Sequence[Result]) -> str:
    """By how much the best distance-encoded model leads the best baseline, here and in the paper."""
    ours, theirs, raised = [], [], []
    for cells in _by_column(done).values():
        (encoded, encoded_paper), (base, base_paper) = _best(cells, DE), _best(cells, BASELINE)
        if encoded and encoded_paper and base and base_paper:
            ours.append(_mean(encoded) - _mean(base))
            theirs.append(_paper(encoded_paper) - _paper(base_paper))
        raised += [_mean(one) - _paper(one) for one in cells if _is(one, BASELINE) and one.paper is not None]
    if not ours:
        return ""
    return (
        f"the best distance-encoded model leads the best baseline by {signed(fmean(ours))} points here and by "
        f"{signed(fmean(theirs))} in the paper, on average over {len(ours)} columns. Our baselines, "
        f"their settings chosen as those of the others, differ from the paper's by {signed(fmean(raised))} points."
    )


def _heuristics(done: Sequence[Result], scored: Sequence[Result]) -> str:
    """Where a score without a network is as good as the networks."""
    tops, over = [], []
    columns = _by_column(done)
    for column, cells in _by_column(scored).items():
        top = max((one for one in cells if is_heuristic(one.model)), key=_mean, default=None)
        if top is None:
            continue
        tops.append(f"{column} {_mean(top):.2f} ({top.model})")
        encoded, _ = _best(columns.get(column, ()), DE)
        if encoded is not None and _mean(top) >= _mean(encoded):
            over.append(f"{column} (networks: {_mean(encoded):.2f}, {encoded.model})")
    if not tops:
        return ""
    text = f"without a network, the best of them by test result reach {', '.join(tops)}"
    return f"{text}; no distance-encoded model is above on {', '.join(over)}." if over else f"{text}."


def _scatter(done: Sequence[Result]) -> str:
    wide = []
    for column, cells in _by_column(done).items():
        halves = [one.half for one in cells if one.half is not None]
        if halves and fmean(halves) > _WIDE:
            wide.append(f"{column} (± {min(halves):.1f} to {max(halves):.1f})")
    if not wide:
        return ""
    return f"on {', '.join(wide)} the interval of a model is wider than most differences between models."


def _by_column(results: Iterable[Result]) -> dict[str, list[Result]]:
    columns: dict[str, list[Result]] = {}
    for one in results:
        columns.setdefault(one.heading, []).append(one)
    return columns


def _best(cells: Iterable[Result], group: str) -> tuple[Result | None, Result | None]:
    """In a group of models, the best of ours and the best in the paper."""
    own = [one for one in cells if _is(one, group)]
    published = [one for one in own if one.paper is not None]
    return max(own, key=_mean, default=None), max(published, key=_paper, default=None)


def _is(one: Result, group: str) -> bool:
    return one.model in MODELS and MODELS[one.model].group == group


def _mean(one: Result) -> float:
    return float(one.mean or 0.0)


def _paper(one: Result) -> float:
    return float(one.paper or 0.0)


def _beside_paper(one: Result) -> str:
    inside = ", not told apart" if one.compared == "within" else ""
    return f"{one.heading}: {_mean(one):.2f} against {_paper(one):.2f}{inside}"
