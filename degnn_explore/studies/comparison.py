"""Comparing runs: each model's mean ± 95% interval, its difference from the best baseline, and the paper's number.

Models share the split of a seed, so two models are compared seed by seed. The best baseline is chosen on validation.
"""

from __future__ import annotations

import csv
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import cache, partial
from typing import TYPE_CHECKING, Any

from ..common.errors import ParameterError, check_choice
from ..common.files import csv_text, shipped
from ..common.style import signed
from ..learn.metrics import metric_name
from ..learn.registry import is_baseline
from .runs import Run, by_model, finished
from .statistics import ENOUGH, best_on_validation, corrected_p, holm, interval

if TYPE_CHECKING:
    import pandas

SETTINGS = ("with-validation", "no-validation")
PAPER_SEEDS = 20
_SMALL_TEST = 100
_SURE = 0.05
SAME_SPLIT = "same split: seeds differ by initialization only"
PLUS_MINUS = "± is half the 95% confidence interval over seeds (Student's t)."
COMPARED = (
    "Against the baseline that is best on validation, seed by seed: corrected resampled t-test (Nadeau and Bengio, "
    "2003), two-sided, p adjusted for the number of models by Holm."
)


def paper_number(
    model: str, graph: str, p: int, metric: str, setting: str = "with-validation"
) -> tuple[float, float] | None:
    """The paper's mean and half its 95% interval, in percent; None where the paper has no number.

    ``setting`` is "with-validation" (main table) or "no-validation" (appendix, optimistic).

    Examples
    --------
    >>> paper_number("DE-GNN-SPD", "celegans", 2, "auc")
    (89.37, 0.17)
    """
    return _paper().get((check_choice("setting", setting, SETTINGS), model, graph, p, metric))


@cache
def _paper() -> dict[tuple[str, str, str, int, str], tuple[float, float]]:
    file = shipped("paper/tables.csv")
    if file is None:
        raise ParameterError("The paper's tables are missing from this installation; install degnn_explore again.")
    numbers = {}
    with file.open(newline="") as lines:
        for row in csv.DictReader(lines):
            where = (row["setting"], row["method"], row["dataset"], int(row["target_size"]), row["metric"])
            numbers[where] = float(row["mean_percent"]), float(row["ci95_percent"])
    return numbers


def compare_runs(runs: Iterable[Run]) -> Comparison:
    """Compare runs of one task on one graph, best model first.

    Failed runs are left out. If a model was trained with several settings, those of its latest run count, and for each
    seed the latest run.

    Examples
    --------
    >>> runs = [Run(f"{m}{s}", "celegans", "links", m, s, digest="1f", catalog="celegans", sizes={"test": 430},
    ...             test=x + s / 100, optimistic=x + 0.02)
    ...         for m, x in (("GCN", 0.75), ("DE-GNN-SPD", 0.91)) for s in (0, 1)]
    >>> [(row.model, round(row.mean, 1), row.paper, row.verdict) for row in compare_runs(runs).rows]
    [('DE-GNN-SPD', 91.5, (89.37, 0.17), '+16.0, too few seeds to say'), ('GCN', 75.5, (74.03, 0.99), 'the baseline')]
    """
    done = finished(runs)
    if not done:
        raise ParameterError("There is no finished run to compare; train at least one seed of one model.")
    questions = {(run.task, run.digest): run.graph for run in done}
    if len(questions) > 1:
        listed = "; ".join(sorted(f"{task} on {graph}" for (task, _), graph in questions.items()))
        raise ParameterError(
            f"The runs answer {len(questions)} different questions ({listed}; graphs or labels of one "
            "name may differ); compare those of one task on one graph."
        )
    first = done[-1]
    groups = by_model(latest_setting(done))
    verdicts = _verdicts(groups)
    rows = [_row(model, group, *verdicts.get(model, ("", None))) for model, group in groups.items()]
    rows.sort(key=lambda row: -row.mean)
    size = first.sizes.get("test", 0)
    epochs = sorted({int(run.options.get("epochs", 0)) for group in groups.values() for run in group if run.options})
    notes = _notes(first, rows, size, epochs)
    return Comparison(tuple(rows), first.graph, first.task, first.p, first.metric, size, tuple(notes))


def latest_setting(runs: Iterable[Run]) -> list[Run]:
    """Of runs on one question, oldest first: those with the settings of each model's latest run, one per seed."""
    given = list(runs)
    last = {run.model: (run.hyper, run.options) for run in given}
    kept: dict[tuple[str, int], Run] = {}
    for run in given:
        if (run.hyper, run.options) == last[run.model]:
            kept.pop((run.model, run.seed), None)
            kept[run.model, run.seed] = run
    return list(kept.values())


def _row(model: str, group: list[Run], verdict: str, p: float | None) -> Row:
    first = group[0]
    above = p is not None and p < _SURE and ", above" in verdict
    mark = "†" if verdict == "the baseline" else "bold" if above else ""
    where = (model, first.catalog, first.p, first.metric)  # not the title: any graph may be called celegans
    papers = [paper_number(*where, setting=setting) for setting in SETTINGS]
    return Row(
        model, len(group), *interval(_scores(group)), papers[0],
        *interval([100 * float(run.optimistic or 0) for run in group]), papers[1],
        sum(run.cpu_seconds or run.seconds for run in group) / len(group), first.parameters,
        verdict, p, mark)  # fmt: skip


def _scores(group: list[Run]) -> list[float]:
    return [100 * float(run.test or 0) for run in group]


def _verdicts(groups: dict[str, list[Run]]) -> dict[str, tuple[str, float | None]]:
    """Each model's difference from the baseline that is best on validation, in words, and its p-value (Holm)."""
    reference = best_on_validation({model: group for model, group in groups.items() if is_baseline(model)})
    if not reference:
        return {}
    verdicts: dict[str, tuple[str, float | None]] = {reference: ("the baseline", None)}
    theirs = {run.seed: float(run.test or 0) for run in groups[reference]}
    judged: dict[str, tuple[float, float]] = {}  # mean difference and p
    for model in groups:
        if is_baseline(model):
            continue
        pairs = [(run, theirs[run.seed]) for run in groups[model] if run.seed in theirs]
        differences = [100 * (float(run.test or 0) - other) for run, other in pairs]
        if not pairs:
            verdicts[model] = "no seed in common", None
            continue
        mean = interval(differences)[0]
        if any(run.same_split for run, _ in pairs):
            verdicts[model] = f"{signed(mean)}, {SAME_SPLIT}", None
            continue
        sizes = pairs[0][0].sizes
        p = corrected_p(differences, sizes.get("test", 1) / max(1, sizes.get("train", 1)))
        if len(pairs) < ENOUGH or p is None:
            few = "too few seeds to say" if len(pairs) < ENOUGH else "the same in every seed: nothing to judge by"
            verdicts[model] = f"{signed(mean)}, {few}", None
        else:
            judged[model] = mean, p
    for (model, (mean, _)), p in zip(judged.items(), holm([p for _, p in judged.values()]), strict=True):
        how = ("above" if mean > 0 else "below") if p < _SURE else "not shown to differ"
        verdicts[model] = f"{signed(mean)}, {how} (p {'< 0.001' if p < 0.001 else f'= {p:.3f}'})", p
    return verdicts


def _notes(first: Run, rows: list[Row], size: int, epochs: list[int]) -> list[str]:
    what = {1: "nodes", 2: "pairs", 3: "triples"}.get(first.p, "sets")
    notes = [f"Test set: {size:,} {what} a seed."]
    if first.protocol != "honest":
        notes.insert(0, f"Not an honest comparison, on purpose: protocol {first.protocol}, see de.leaks().")
    if first.same_split:
        notes.append(
            "Every seed has the task's own split: seeds differ by initialization only, so that ± says nothing about "
            "other splits, and no p-value is given."
        )
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
    if seeds[0] < ENOUGH:
        notes.append(f"Below {ENOUGH} seeds no model is called better; choose more seeds.")
    if same := [row.model for row in rows if row.half == 0]:
        notes.append(
            f"± 0.0 ({', '.join(same)}): all seeds gave the same value. That is too few different values to "
            "tell how much the result scatters, not certainty."
        )
    notes.append(PLUS_MINUS if first.same_split else f"{PLUS_MINUS} {COMPARED}")
    if any(row.paper for row in rows):
        notes.append(
            f"The paper's numbers: {PAPER_SEEDS} seeds, its own splits. “With validation” is its main table; "
            "“no validation” its appendix, the best test result of any epoch, which is optimistic."
        )
    else:
        notes.append(f"The paper has no numbers for {first.task} on {first.graph}.")
    return notes


# ---- the table ------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Row:
    """One model in the table. Numbers are in percent; each ``half`` is half the 95% interval (None: one seed)."""

    model: str
    seeds: int
    mean: float  # test metric of the epoch chosen on validation
    half: float | None
    paper: tuple[float, float] | None  # the paper's mean and half interval in the same setting
    optimistic: float  # best test metric of any epoch
    optimistic_half: float | None
    paper_optimistic: tuple[float, float] | None
    seconds: float  # average CPU-seconds of a seed
    parameters: int
    verdict: str = ""  # "the baseline", "+1.2, above (p = 0.012)", "+0.3, too few seeds to say", ...
    p: float | None = None  # of the verdict, if there is one
    mark: str = ""  # "†": the baseline; "bold": above it, if the test supports that


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
    """A column of the table: its heading, the names of its values, the values of a row, and their text."""

    heading: str  # {metric} stands for the metric's name
    names: str
    values: Callable[[Row], tuple[Any, ...]]
    words: Callable[..., str] = str

    def text(self, row: Row) -> str:
        """The text of a cell."""
        return self.words(*self.values(row))


_published = partial(plus_minus, digits=2)
COLUMNS = (
    Column("model", "model", lambda row: (row.model,)),
    Column("test {metric} %, with validation", "mean ci95", lambda row: (row.mean, row.half), plus_minus),
    Column("paper, with validation", "paper_mean paper_ci95", lambda row: row.paper or (None, None), _published),
    Column("test {metric} %, no validation (optimistic)", "optimistic_mean optimistic_ci95",
           lambda row: (row.optimistic, row.optimistic_half), plus_minus),
    Column("paper, no validation", "paper_optimistic_mean paper_optimistic_ci95",
           lambda row: row.paper_optimistic or (None, None), _published),
    Column("seeds", "seeds", lambda row: (row.seeds,)),
    Column("CPU seconds a seed", "seconds", lambda row: (row.seconds,), "{:.1f}".format),
    Column("parameters", "parameters", lambda row: (row.parameters,), "{:,}".format),
    Column("against the best baseline", "verdict p", lambda row: (row.verdict, row.p), lambda verdict, p: verdict),
)  # fmt: skip


@dataclass(frozen=True)
class Comparison:
    """Models compared on one task and graph: one row per model, best first, and notes for the reader."""

    rows: tuple[Row, ...]
    graph: str
    task: str
    p: int
    metric: str
    test_size: int
    notes: tuple[str, ...]

    @property
    def metric_name(self) -> str:
        """ "AUC", "accuracy", "MRR", ..."""
        return metric_name(self.metric)

    def frame(self) -> pandas.DataFrame:
        """The table as a DataFrame, numbers in percent."""
        import pandas as pd

        names = [name for column in COLUMNS for name in column.names.split()]
        rows = [[value for column in COLUMNS for value in column.values(row)] for row in self.rows]
        table = pd.DataFrame(rows, columns=names).set_index("model")
        table.insert(0, "seeds", table.pop("seeds"))
        return table.round(4)

    def to_csv(self) -> str:
        """The table as CSV, numbers in percent; missing ones are empty."""
        table = self.frame().reset_index()
        question: dict[str, str | int] = {"graph": self.graph, "task": self.task}
        question |= {"metric": self.metric, "test_sets": self.test_size}
        return csv_text(table.assign(**question)[[*question, *table.columns]], index=False)

    def to_latex(self) -> str:
        """The table in LaTeX (booktabs). Bold marks only what the test supports; a legend explains it."""
        headings = [_latex(column.heading.format(metric=self.metric_name)) for column in COLUMNS]
        lines = ["\\begin{tabular}{lrrrrrrrl}", "\\toprule", " & ".join(headings) + " \\\\", "\\midrule"]
        legend = {"†": "$^\\dagger$ the baseline that is best on validation.",
                  "bold": "\\textbf{Bold}: above it (p $<$ 0.05)."}  # fmt: skip
        for row in self.rows:
            model, mean, *others = (_latex(column.text(row)) for column in COLUMNS)
            mean = f"\\textbf{{{mean}}}" if row.mark == "bold" else mean + "$^\\dagger$" * (row.mark == "†")
            lines.append(" & ".join([model, mean, *others]) + " \\\\")
        marks = {row.mark for row in self.rows}
        below = " ".join([_latex(PLUS_MINUS), *(text for mark, text in legend.items() if mark in marks)])
        below = f"\\multicolumn{{9}}{{p{{\\linewidth}}}}{{\\footnotesize {below}}} \\\\"
        lines += ["\\bottomrule", below, "\\end{tabular}"]
        return "\n".join([*(f"% {' '.join(note.split())}" for note in self.notes), *lines, ""])


_IN_LATEX = str.maketrans(
    {sign: f"\\{sign}" for sign in "{}&%$#_"}
    | {sign: f"${sign}$" for sign in "<>|"}  # other characters in LaTeX's usual font
    | {"\\": "\\textbackslash{}", "±": "$\\pm$", "−": "$-$", "–": "--", "†": "$^\\dagger$"}
    | {"~": "\\textasciitilde{}", "^": "\\textasciicircum{}"}
)


def _latex(text: str) -> str:
    return text.translate(_IN_LATEX)
