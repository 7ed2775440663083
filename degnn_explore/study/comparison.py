"""Runs compared: mean ± 95 % interval by model, who beats the best baseline, and the paper's number beside it."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING, Any

from ..common.errors import ParameterError, one_of
from ..common.files import shipped
from ..learn.nets import is_baseline
from .records import Run, finished
from .statistics import confidence_above, interval

if TYPE_CHECKING:
    import pandas

__all__ = ["Comparison", "Row", "compare_runs", "latest_setting", "paper_number", "plus_minus"]

SETTINGS = {
    "with-validation": "with validation: the epoch is chosen on the validation set",
    "no-validation": "no validation, optimistic: the best test result of any epoch",
}
PAPER_SEEDS = 20
_SMALL_TEST = 100


def paper_number(
    model: str, graph: str, p: int, metric: str, setting: str = "with-validation"
) -> tuple[float, float] | None:
    """The paper's mean and half-width of its 95 % interval, in per cent; None where the paper has none.

    Parameters
    ----------
    model, graph, p, metric
        As in :func:`degnn_explore.models`, :func:`degnn_explore.datasets` and :class:`degnn_explore.Task`.
    setting
        "with-validation" (main table) or "no-validation" (appendix, optimistic).

    Examples
    --------
    >>> paper_number("DE-GNN-SPD", "celegans", 2, "auc")
    (89.37, 0.17)
    >>> paper_number("DE-GNN-SPD", "us-flights", 1, "accuracy") is None
    True
    """
    return _paper().get((one_of("setting", setting, SETTINGS), model, graph, p, metric))


@cache
def _paper() -> dict[tuple[str, str, str, int, str], tuple[float, float]]:
    file = shipped("paper/tables.csv")
    if file is None:
        raise ParameterError("The paper's tables are missing from this installation; install degnn_explore again.")
    with file.open(newline="") as lines:
        return {
            (row["setting"], row["method"], row["dataset"], int(row["target_size"]), row["metric"]): (
                float(row["mean_percent"]),
                float(row["ci95_percent"]),
            )
            for row in csv.DictReader(lines)
        }


@dataclass(frozen=True)
class Row:
    """A model in the table; numbers in per cent, ``half`` is half the 95 % interval (None: one seed).

    Attributes
    ----------
    model, seeds
        The model, and how many seeds it was trained with.
    mean, half
        Test metric of the epoch chosen on validation.
    paper
        The paper's mean and half-width in the same setting, or None.
    optimistic, optimistic_half, paper_optimistic
        The same without validation.
    seconds, parameters
        Mean time of a seed, and what the model learns.
    verdict
        In words: "best baseline", "above the best baseline, 95 %", ... or "".
    mark
        The paper's mark of it: "†" best baseline; above it on average "*", 70 % sure "bold", 95 % sure "bold*"; or "".
    """

    model: str
    seeds: int
    mean: float
    half: float | None
    paper: tuple[float, float] | None
    optimistic: float
    optimistic_half: float | None
    paper_optimistic: tuple[float, float] | None
    seconds: float
    parameters: int
    verdict: str = ""
    mark: str = ""


@dataclass(frozen=True)
class Comparison:
    """The table of one task on one graph.

    Attributes
    ----------
    rows
        One per model, best first.
    graph, task, p, metric, test_size
        What was asked.
    notes
        What a reader must know to read the numbers, in sentences.
    """

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

    def frame(self) -> pandas.DataFrame:
        """The table for pandas, numbers in per cent."""
        import pandas as pd

        return pd.DataFrame(
            [dict(zip(_COLUMNS, _numbers(row), strict=True)) for row in self.rows], columns=_COLUMNS
        ).set_index("model")

    def to_csv(self) -> str:
        """The table as CSV, numbers in per cent; missing ones are empty."""
        out = io.StringIO()
        writer = csv.writer(out, lineterminator="\n")
        writer.writerow(["graph", "task", "metric", "test_sets", *_COLUMNS])
        for row in self.rows:
            numbers = ["" if x is None else x for x in _numbers(row)]
            writer.writerow([self.graph, self.task, self.metric, self.test_size, *numbers])
        return out.getvalue()

    def to_markdown(self) -> str:
        """The table in Markdown, marked as in the paper, with its notes."""
        lines = ["| " + " | ".join(self._head()) + " |", "|" + "---|" * len(self._head())]
        for row in self.rows:
            cells = [cell.replace("|", "\\|") for cell in _cells(row)]
            if row.mark.startswith("bold"):
                cells[1] = f"**{cells[1]}**"
            cells[1] += {"†": "†", "*": "\\*", "bold*": "\\*"}.get(row.mark, "")
            lines.append("| " + " | ".join(cells) + " |")
        legend = _legend(self.rows, bold="**bold**", star="\\*", dagger="†")
        return "\n".join([*lines, "", *([f"{legend}\n"] if legend else []), *(f"{_markdown(n)}\n" for n in self.notes)])

    def to_latex(self) -> str:
        """The table in LaTeX, marked as in the paper, what the marks say below it; it needs the package booktabs."""
        head = " & ".join(_latex(cell) for cell in self._head()) + " \\\\"
        lines = ["\\begin{tabular}{lrrrrrrrl}", "\\toprule", head, "\\midrule"]
        for row in self.rows:
            cells = [_latex(cell) for cell in _cells(row)]
            if row.mark.startswith("bold"):
                cells[1] = f"\\textbf{{{cells[1]}}}"
            cells[1] += {"†": "$^\\dagger$", "*": "$^*$", "bold*": "$^*$"}.get(row.mark, "")
            lines.append(" & ".join(cells) + " \\\\")
        legend = _legend(self.rows, bold="\\textbf{bold}", star="$^*$", dagger="$^\\dagger$")
        below = " ".join(part for part in (_latex(_PLUS_MINUS), legend.replace("%", "\\%")) if part)
        below = f"\\multicolumn{{9}}{{p{{\\linewidth}}}}{{\\footnotesize {below}}} \\\\"
        lines += ["\\bottomrule", below, "\\end{tabular}"]
        return "\n".join([*(f"% {' '.join(note.split())}" for note in self.notes), *lines, ""])

    def _head(self) -> list[str]:
        name = self.metric_name
        return [
            "model",
            f"test {name} %, with validation",
            "paper, with validation",
            f"test {name} %, no validation (optimistic)",
            "paper, no validation",
            "seeds",
            "seconds a seed",
            "parameters",
            "against the best baseline",
        ]


_PLUS_MINUS = "± is half the 95 % confidence interval over seeds (Student's t)."


def _legend(rows: Sequence[Row], bold: str, star: str, dagger: str) -> str:
    """What the marks of these rows say."""
    means = {
        "†": f"{dagger} best baseline.",
        "*": f"{star} above it on average, no more than that.",
        "bold": f"{bold} above it, 70 % sure.",
        "bold*": f"{bold}{star} above it, 95 % sure.",
    }
    return " ".join(text for mark, text in means.items() if any(row.mark == mark for row in rows))


_COLUMNS = [
    "model",
    "seeds",
    "mean",
    "ci95",
    "paper_mean",
    "paper_ci95",
    "optimistic_mean",
    "optimistic_ci95",
    "paper_optimistic_mean",
    "paper_optimistic_ci95",
    "seconds",
    "parameters",
    "verdict",
]


def compare_runs(runs: Iterable[Run]) -> Comparison:
    """The table of these runs, best model first.

    Parameters
    ----------
    runs
        Finished runs of one task on one graph; runs that failed, and those that do not say what graph they are of
        (see :class:`Run`), are left out. Where a model was trained with several settings, those
        of its latest run count, and of two runs of a seed the later one.

    Examples
    --------
    >>> runs = [Run(f"{m}{s}", "celegans", "links", m, s, digest="1f", catalogue="celegans", sizes={"test": 430},
    ...             test=x + s / 100, optimistic=x + 0.02)
    ...         for m, x in (("GCN", 0.75), ("DE-GNN-SPD", 0.91)) for s in (0, 1)]
    >>> [(row.model, round(row.mean, 1), row.paper, row.mark) for row in compare_runs(runs).rows]
    [('DE-GNN-SPD', 91.5, (89.37, 0.17), 'bold*'), ('GCN', 75.5, (74.03, 0.99), '†')]
    """
    done = finished(runs)
    usable = [run for run in done if run.digest]
    if not usable:
        old = f" ({len(done)} runs of an earlier version do not say what graph they are of)" if done else ""
        raise ParameterError(f"There is no finished run to compare{old}; train at least one seed of one model.")
    questions = {(run.task, run.digest): run.graph for run in usable}
    if len(questions) > 1:
        listed = "; ".join(sorted(f"{task} on {graph}" for (task, _), graph in questions.items()))
        raise ParameterError(
            f"The runs answer {len(questions)} different questions ({listed}; graphs or labels of one "
            "name may differ); compare those of one task on one graph."
        )
    first = usable[-1]
    by_model: dict[str, list[Run]] = {}
    for run in latest_setting(usable):
        by_model.setdefault(run.model, []).append(run)
    scores = {model: [100 * float(run.test or 0) for run in group] for model, group in by_model.items()}
    baselines = [model for model in scores if is_baseline(model)]
    best = max(baselines, key=lambda model: interval(scores[model])[0], default=None)
    rows = [_row(model, by_model[model], scores, best) for model in by_model]
    rows.sort(key=lambda row: -row.mean)
    size = first.sizes.get("test", 0)
    epochs = sorted({int(run.options.get("epochs", 0)) for group in by_model.values() for run in group})
    notes = _notes(first, rows, size, epochs)
    if left := len(done) - len(usable):
        notes.append(
            f"Left aside: {left} {'run' if left == 1 else 'runs'} of an earlier version, which did not write "
            "down the graph."
        )
    return Comparison(tuple(rows), first.graph, first.task, first.p, first.metric, size, tuple(notes))


def latest_setting(runs: Iterable[Run]) -> list[Run]:
    """Of each model the runs with the settings of its last one, each seed once: the latest.

    Parameters
    ----------
    runs
        Runs of one task on one graph, oldest first.

    Examples
    --------
    >>> runs = [Run(f"k{i}", "g", "links", "GCN", i % 2, options={"epochs": e}) for i, e in enumerate((5, 9, 9, 9))]
    >>> [run.key for run in latest_setting(runs)]
    ['k2', 'k3']
    """
    given = list(runs)
    last = {run.model: (run.hyper, run.options) for run in given}
    kept: dict[tuple[str, int], Run] = {}
    for run in given:
        if (run.hyper, run.options) == last[run.model]:
            kept.pop((run.model, run.seed), None)
            kept[run.model, run.seed] = run
    return list(kept.values())


def _row(model: str, group: list[Run], scores: dict[str, list[float]], best: str | None) -> Row:
    first = group[0]
    mean, half = interval(scores[model])
    optimistic, optimistic_half = interval([100 * float(run.optimistic or 0) for run in group])
    where = (model, first.catalogue, first.p, first.metric)  # not by its title: anyone may call a graph celegans
    verdict, mark = _verdict(model, scores, best)
    return Row(
        model,
        len(group),
        mean,
        half,
        paper_number(*where),
        optimistic,
        optimistic_half,
        paper_number(*where, setting="no-validation"),
        sum(run.seconds for run in group) / len(group),
        first.parameters,
        verdict,
        mark,
    )


def _verdict(model: str, scores: dict[str, list[float]], best: str | None) -> tuple[str, str]:
    if best is None:
        return "", ""
    if model == best:
        return "best baseline", "†"
    if is_baseline(model):
        return "", ""
    sure = confidence_above(scores[model], scores[best])
    above = interval(scores[model])[0] > interval(scores[best])[0]
    if sure is None:
        single = [name for name in (model, best) if len(scores[name]) == 1]
        why = (
            "too few different values to say how surely"
            if not single
            else "in one seed"
            if len(single) == 2
            else f"but {single[0]} has one seed only"
        )
        return f"{'above' if above else 'not above'} the best baseline, {why}", "*" if above else ""
    if sure >= 0.95:
        return "above the best baseline, 95 %", "bold*"
    if sure >= 0.70:
        return "above the best baseline, 70 %", "bold"
    return ("above the best baseline, on average", "*") if above else ("not above the best baseline", "")


def _notes(first: Run, rows: list[Row], size: int, epochs: list[int]) -> list[str]:
    what = {1: "nodes", 2: "pairs", 3: "triples"}.get(first.p, "sets")
    notes = [f"Test set: {size:,} {what} a seed."]
    if first.metric == "accuracy" and 0 < size < _SMALL_TEST:
        notes.append(
            f"With {size} test {what}, one more or less right moves the accuracy by {100 / size:.1f} points: "
            "trust the interval over many seeds, not a single number."
        )
    elif 0 < size < _SMALL_TEST:
        notes.append(f"{size} test {what} are few: the numbers of single seeds scatter by several points.")
    seeds = sorted({row.seeds for row in rows})
    if len(seeds) > 1:
        notes.append(f"Not all models have as many seeds ({', '.join(map(str, seeds))}).")
    if len(epochs) > 1:
        notes.append(f"Not all models were trained for as many epochs (at most {', '.join(map(str, epochs))}).")
    if seeds[0] < 2:
        notes.append("One seed gives no interval and no significance; choose more seeds.")
    if same := [row.model for row in rows if row.half == 0]:
        notes.append(
            f"± 0.0 ({', '.join(same)}): all seeds gave the same value. That is too few different values to "
            "tell how much the result scatters, not certainty."
        )
    notes.append(f"{_PLUS_MINUS} Significance: Welch's t-test against the best baseline, one-sided.")
    if any(row.paper for row in rows):
        notes.append(
            f"The paper's numbers: {PAPER_SEEDS} seeds, its own splits. “With validation” is its main table; "
            "“no validation” its appendix, the best test result of any epoch, which is optimistic."
        )
    else:
        notes.append(f"The paper has no numbers for {first.task} on {first.graph}.")
    return notes


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


def _cells(row: Row) -> list[str]:
    paper, paper_lucky = (
        plus_minus(None, None) if pair is None else plus_minus(pair[0], pair[1], digits=2)
        for pair in (row.paper, row.paper_optimistic)
    )
    return [
        row.model,
        plus_minus(row.mean, row.half),
        paper,
        plus_minus(row.optimistic, row.optimistic_half),
        paper_lucky,
        f"{row.seeds}",
        f"{row.seconds:.1f}",
        f"{row.parameters:,}",
        row.verdict,
    ]


def _numbers(row: Row) -> list[Any]:
    def rounded(value: float | None) -> float | None:
        return None if value is None else round(value, 4)

    paper, lucky = row.paper or (None, None), row.paper_optimistic or (None, None)
    return [
        row.model,
        row.seeds,
        rounded(row.mean),
        rounded(row.half),
        *paper,
        rounded(row.optimistic),
        rounded(row.optimistic_half),
        *lucky,
        rounded(row.seconds),
        row.parameters,
        row.verdict,
    ]


def _latex(text: str) -> str:
    for sign in "\\{}":  # first the signs that replacements are made of
        text = text.replace(sign, {"\\": "\0"}.get(sign, "\\" + sign))
    for sign in "&%$#_":
        text = text.replace(sign, "\\" + sign)
    return (
        text.replace("\0", "\\textbackslash{}")
        .replace("±", "$\\pm$")
        .replace("–", "--")
        .replace("~", "\\textasciitilde{}")
        .replace("^", "\\textasciicircum{}")
    )


def _markdown(text: str) -> str:
    return "".join("\\" + c if c in "\\`*_<>[]|" else c for c in text)
