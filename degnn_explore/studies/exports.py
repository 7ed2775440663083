"""The comparison as a table, and the table as CSV, Markdown, LaTeX and pandas: one list of columns for all of them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any

from ..common.files import csv_text

if TYPE_CHECKING:
    import pandas

PLUS_MINUS = "± is half the 95 % confidence interval over seeds (Student's t)."
COMPARED = (
    "Against the baseline that is best on validation, seed by seed: corrected resampled t-test (Nadeau and Bengio, "
    "2003), two-sided, p adjusted for the number of models by Holm."
)


@dataclass(frozen=True)
class Row:
    """A model in the table; numbers in per cent, each ``half`` is half the 95 % interval (None: one seed)."""

    model: str
    seeds: int
    mean: float  # test metric of the epoch chosen on validation
    half: float | None
    paper: tuple[float, float] | None  # the paper's mean and half in the same setting
    optimistic: float  # the same without validation
    optimistic_half: float | None
    paper_optimistic: tuple[float, float] | None
    seconds: float  # of the processor for a seed, on average
    parameters: int
    verdict: str = ""  # "the baseline", "+1.2, above (p = 0.012)", "+0.3, too few seeds to say", ...
    p: float | None = None  # of the verdict; None where none is given
    mark: str = ""  # the paper's: "†" best baseline; above it on average "*", 70 % sure "bold", 95 % sure "bold*"


def plus_minus(mean: float | None, half: float | None, digits: int = 1) -> str:
    """``91.6 ± 0.5``, the mean alone, or a dash where there is none; the paper's numbers have two digits.

    Examples
    --------
    >>> plus_minus(91.62, 0.53), plus_minus(91.62, None), plus_minus(89.37, 0.17, 2), plus_minus(None, None)
    ('91.6 ± 0.5', '91.6', '89.37 ± 0.17', '–')
    """
    if mean is None:
        return "–"
    return f"{mean:.{digits}f}" if half is None else f"{mean:.{digits}f} ± {half:.{digits}f}"


@dataclass(frozen=True)
class Column:
    """A column: its heading, its names among the numbers, its values of a row, and these values in words."""

    heading: str  # {metric} stands for the metric's name
    names: str
    values: Callable[[Row], tuple[Any, ...]]
    words: Callable[..., str] = str
    about: str = ""
    first: str = "down"  # which way it is sorted first

    def text(self, row: Row) -> str:
        """What stands in the table."""
        return self.words(*self.values(row))


_published = partial(plus_minus, digits=2)
COLUMNS = (
    Column("model", "model", lambda row: (row.model,), first="up"),
    Column("test {metric} %, with validation", "mean ci95", lambda row: (row.mean, row.half), plus_minus,
           "Mean ± half the 95 % interval over seeds; the epoch is chosen on validation"),
    Column("paper, with validation", "paper_mean paper_ci95", lambda row: row.paper or (None, None), _published,
           "The paper's main table, 20 seeds"),
    Column("test {metric} %, no validation (optimistic)", "optimistic_mean optimistic_ci95",
           lambda row: (row.optimistic, row.optimistic_half), plus_minus,
           "The best test result of any epoch: an upper bound, not an estimate"),
    Column("paper, no validation", "paper_optimistic_mean paper_optimistic_ci95",
           lambda row: row.paper_optimistic or (None, None), _published, "The paper's appendix, 20 seeds"),
    Column("seeds", "seeds", lambda row: (row.seeds,)),
    Column("CPU seconds a seed", "seconds", lambda row: (row.seconds,), "{:.1f}".format,
           "Of the processor, so that what else the machine does is not counted", first="up"),
    Column("parameters", "parameters", lambda row: (row.parameters,), "{:,}".format, first="up"),
    Column("against the best baseline", "verdict p", lambda row: (row.verdict, row.p), lambda verdict, p: verdict,
           f"Difference of the means. {COMPARED}"),
)  # fmt: skip


@dataclass(frozen=True)
class Comparison:
    """The table of one task on one graph: a row a model, best first, and in sentences what to know when reading it."""

    rows: tuple[Row, ...]
    graph: str
    task: str
    p: int
    metric: str
    test_size: int
    notes: tuple[str, ...]

    @property
    def metric_name(self) -> str:
        """ "AUC" or "accuracy"."""
        return "AUC" if self.metric == "auc" else "accuracy"

    @property
    def headings(self) -> list[str]:
        """What stands above the columns."""
        return [column.heading.format(metric=self.metric_name) for column in COLUMNS]

    def frame(self) -> pandas.DataFrame:
        """The table for pandas, numbers in per cent."""
        import pandas as pd

        names = [name for column in COLUMNS for name in column.names.split()]
        names.insert(1, names.pop(names.index("seeds")))
        names.append("paper_mark")
        made = pd.DataFrame([_numbers(row) for row in self.rows], columns=names)
        return made.set_index("model")

    def to_csv(self) -> str:
        """The table as CSV, numbers in per cent; missing ones are empty."""
        made = self.frame().reset_index()
        asked: dict[str, Any] = {
            "graph": self.graph,
            "task": self.task,
            "metric": self.metric,
            "test_sets": self.test_size,
        }
        return csv_text(made.assign(**asked)[[*asked, *made.columns]], index=False)

    def to_markdown(self) -> str:
        """The table in Markdown, marked as in the paper, with its notes."""
        lines = ["| " + " | ".join(self.headings) + " |", "|" + "---|" * len(COLUMNS)]
        for row in self.rows:
            cells = [column.text(row).replace("|", "\\|") for column in COLUMNS]
            lines.append("| " + " | ".join(_marked(cells, row.mark, "**{}**", "\\*", "†")) + " |")
        legend = _legend(self.rows, bold="**bold**", star="\\*", dagger="†")
        return "\n".join(
            [*lines, "", *([f"{legend}\n"] if legend else []), *(f"{in_markdown(n)}\n" for n in self.notes)]
        )

    def to_latex(self) -> str:
        """The table in LaTeX, marked as in the paper, what the marks say below it; it needs the package booktabs."""
        lines = ["\\begin{tabular}{lrrrrrrrl}", "\\toprule", " & ".join(map(_latex, self.headings)) + " \\\\"]
        lines.append("\\midrule")
        for row in self.rows:
            cells = [_latex(column.text(row)) for column in COLUMNS]
            lines.append(" & ".join(_marked(cells, row.mark, "\\textbf{{{}}}", "$^*$", "$^\\dagger$")) + " \\\\")
        legend = _legend(self.rows, bold="\\textbf{bold}", star="$^*$", dagger="$^\\dagger$")
        below = " ".join(part for part in (_latex(PLUS_MINUS), legend.replace("%", "\\%")) if part)
        below = f"\\multicolumn{{9}}{{p{{\\linewidth}}}}{{\\footnotesize {below}}} \\\\"
        lines += ["\\bottomrule", below, "\\end{tabular}"]
        return "\n".join([*(f"% {' '.join(note.split())}" for note in self.notes), *lines, ""])


def _numbers(row: Row) -> dict[str, Any]:
    """The values of a row by their names, rounded."""
    named = {
        name: value for column in COLUMNS for name, value in zip(column.names.split(), column.values(row), strict=True)
    }
    named["paper_mark"] = row.mark
    return {name: round(value, 4) if isinstance(value, float) else value for name, value in named.items()}


def _marked(cells: list[str], mark: str, bold: str, star: str, dagger: str) -> list[str]:
    """The cells of a row with the paper's mark at the mean."""
    mean = bold.format(cells[1]) if mark.startswith("bold") else cells[1]
    return [cells[0], mean + {"†": dagger, "*": star, "bold*": star}.get(mark, ""), *cells[2:]]


def _legend(rows: Sequence[Row], bold: str, star: str, dagger: str) -> str:
    """What the marks of these rows say."""
    means = {
        "†": f"{dagger} best baseline.",
        "*": f"{star} above it on average, no more than that.",
        "bold": f"{bold} above it, 70 % sure.",
        "bold*": f"{bold}{star} above it, 95 % sure.",
    }
    said = [text for mark, text in means.items() if any(row.mark == mark for row in rows)]
    return " ".join(["The paper's marks (by test result, Welch's test, one-sided):", *said]) if said else ""


_IN_LATEX = str.maketrans(
    {sign: f"\\{sign}" for sign in "{}&%$#_"}
    | {"\\": "\\textbackslash{}", "±": "$\\pm$", "–": "--", "~": "\\textasciitilde{}", "^": "\\textasciicircum{}"}
)


def _latex(text: str) -> str:
    return text.translate(_IN_LATEX)


def in_markdown(text: str) -> str:
    """The text as it is, not as markup."""
    return "".join("\\" + c if c in "\\`*_<>[]|" else c for c in text)
