"""Runs compared: mean ± 95 % interval by model, who beats the best baseline, and the paper's number beside it."""

from __future__ import annotations

import csv
from collections.abc import Iterable
from functools import cache

from ..common.errors import ParameterError, one_of
from ..common.files import shipped
from ..learn.nets import is_baseline
from .exports import PLUS_MINUS, Comparison, Row
from .records import Run, by_model, finished
from .statistics import confidence_above, interval

SETTINGS = ("with-validation", "no-validation")
PAPER_SEEDS = 20
_SMALL_TEST = 100


def paper_number(
    model: str, graph: str, p: int, metric: str, setting: str = "with-validation"
) -> tuple[float, float] | None:
    """The paper's mean and half-width of its 95 % interval, in per cent; None where the paper has none.

    ``setting`` is "with-validation" (main table) or "no-validation" (appendix, optimistic).

    Examples
    --------
    >>> paper_number("DE-GNN-SPD", "celegans", 2, "auc")
    (89.37, 0.17)
    """
    return _paper().get((one_of("setting", setting, SETTINGS), model, graph, p, metric))


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
    """The table of these runs of one task on one graph, best model first.

    Runs that failed, and those that do not say what graph they are of, are left out. Where a model was trained with
    several settings, those of its latest run count, and of two runs of a seed the later one.

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
    groups = by_model(latest_setting(usable))
    scores = {model: [100 * float(run.test or 0) for run in group] for model, group in groups.items()}
    baselines = [model for model in scores if is_baseline(model)]
    best = max(baselines, key=lambda model: interval(scores[model])[0], default=None)
    rows = [_row(model, group, scores, best) for model, group in groups.items()]
    rows.sort(key=lambda row: -row.mean)
    size = first.sizes.get("test", 0)
    epochs = sorted({int(run.options.get("epochs", 0)) for group in groups.values() for run in group if run.options})
    notes = _notes(first, rows, size, epochs)
    if left := len(done) - len(usable):
        notes.append(
            f"Left aside: {left} {'run' if left == 1 else 'runs'} of an earlier version, which did not write "
            "down the graph."
        )
    return Comparison(tuple(rows), first.graph, first.task, first.p, first.metric, size, tuple(notes))


def latest_setting(runs: Iterable[Run]) -> list[Run]:
    """Of runs of one task on one graph, oldest first: those with the settings of each model's last, each seed once."""
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
    papers = [paper_number(*where, setting=setting) for setting in SETTINGS]
    seconds = sum(run.seconds for run in group) / len(group)
    best_of_any = (optimistic, optimistic_half, papers[1])
    return Row(
        model,
        len(group),
        mean,
        half,
        papers[0],
        *best_of_any,
        seconds,
        first.parameters,
        *_verdict(model, scores, best),
    )


def _verdict(model: str, scores: dict[str, list[float]], best: str | None) -> tuple[str, str]:
    if best is None or model == best or is_baseline(model):
        return ("best baseline", "†") if model == best else ("", "")
    sure = confidence_above(scores[model], scores[best])
    above = interval(scores[model])[0] > interval(scores[best])[0]
    if sure is None:
        single = [name for name in (model, best) if len(scores[name]) == 1]
        reasons = (
            "too few different values to say how surely",
            f"but {''.join(single)} has one seed only",
            "in one seed",
        )
        why = reasons[len(single)]
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
    notes.append(f"{PLUS_MINUS} Significance: Welch's t-test against the best baseline, one-sided.")
    if any(row.paper for row in rows):
        notes.append(
            f"The paper's numbers: {PAPER_SEEDS} seeds, its own splits. “With validation” is its main table; "
            "“no validation” its appendix, the best test result of any epoch, which is optimistic."
        )
    else:
        notes.append(f"The paper has no numbers for {first.task} on {first.graph}.")
    return notes
