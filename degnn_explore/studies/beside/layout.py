"""A study's table as the paper lays it out: of each cell ours over the paper's, and how they compare by mark and word.

For a notebook as HTML, for a README as Markdown; both are written from one list of lines for each cell.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from html import escape
from itertools import groupby

from ...learn.nets import MODELS, is_heuristic
from ..exports import PLUS_MINUS, in_markdown, plus_minus
from ..statistics import ENOUGH
from ..whole.tables import MARKS, METRICS, Result

_TASKS = {"roles": "Nodes", "links": "Node pairs", "triangles": "Node triads"}
_NOT_RUN = "–"
CHOSEN = {
    "validation": "The epoch of a run is chosen on validation.",
    "optimistic": "Optimistic, as the paper's appendix: of each run the best test result of any epoch, an upper bound, "
    "for nobody can choose it beforehand.",
}
_COMPARED = "above the paper's 95 % interval, inside it or below it"


@dataclass(frozen=True, repr=False)
class SideBySide:
    """The table; shown as HTML by a notebook, ``markdown()`` for a file. Made by :meth:`Study.side_by_side`."""

    results: Sequence[Result]
    view: str = "validation"
    beside: Sequence[Result] = ()  # of another study, below: heuristics
    missing: Mapping[str, str] = field(default_factory=dict)  # graphs that could not be had, and why

    @property
    def notes(self) -> list[str]:
        """What to know when reading it, in sentences."""
        marks = ", ".join(f"{mark} {word}" for word, mark in MARKS.items())
        seeds, tried = self._usual
        said = [
            "Test accuracy (nodes) and AUC in per cent; in each cell ours, then the paper's, then how they compare. "
            f"{CHOSEN[self.view]} {PLUS_MINUS} {marks}: our mean is {_COMPARED}. The best of ours in a column is bold."
        ]
        if seeds:
            said.append(
                f"{_count(seeds, 'seed')} and {_count(tried, 'setting')} tried, where a cell says nothing else; "
                "settings are chosen on validation, on seeds that are not reported."
            )
        if any(one.seeds < ENOUGH for one in self.results):
            said.append(f"{_NOT_RUN}: no run yet; below {ENOUGH} seeds nothing is compared.")
        if self.missing:
            first, why = next(iter(self.missing.items()))
            rest = f" {first}: {why} The study's missing says it of each." if len(self.missing) > 1 else f" {why}"
            said.append(f"Left out: {', '.join(self.missing)}.{rest}")
        return said

    def markdown(self) -> str:
        """For a README: the table, then the notes."""
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
        """Seeds and settings that most cells have."""
        done = [one for one in self.results if one.seeds and not is_heuristic(one.model)]
        seeds, tried = Counter(one.seeds for one in done), Counter(one.tried for one in done)
        return (seeds.most_common(1)[0][0], tried.most_common(1)[0][0]) if done else (0, 0)

    def _rows(self, columns: Iterable[str]) -> list[tuple[str, list[list[str]]]]:
        """Of each model the lines of each cell; the first line begins with * where it is the best of the column."""
        everything = [*self.results, *self.beside]
        best = {
            column: max((one.mean or 0.0 for one in everything if one.heading == column and _counts(one)), default=None)
            for column in columns
        }
        cells = {(one.model, one.heading): _lines(one, best.get(one.heading), *self._usual) for one in everything}
        models = [model for model in MODELS if any(one.model == model for one in everything)]
        return [(model, [cells.get((model, column), []) for column in columns]) for model in models]


def _columns(results: Iterable[Result]) -> dict[str, Result]:
    """A cell of each column, by its heading."""
    return {one.heading: one for one in results}


def _task(one: Result) -> str:
    leaks = "" if one.protocol == "honest" else f", {one.protocol}"
    return f"{_TASKS.get(one.task, one.task)}: {METRICS.get(one.metric, one.metric)}{leaks}"


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


# The page's own colours, light or dark: nothing but lines and sizes is set.
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
