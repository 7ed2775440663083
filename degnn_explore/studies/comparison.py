"""Runs compared: mean ± 95 % interval by model, who differs from the best baseline, and the paper's number beside it.

Seeds share their splits, so two models are compared seed by seed; the baseline to compare with is chosen on validation.
The paper's marks (best baseline by its test result, Welch's test) are given beside, as the paper's.
"""

from __future__ import annotations

import csv
from collections.abc import Iterable
from functools import cache

from ..common.errors import ParameterError, one_of
from ..common.files import shipped
from ..common.numbers import signed
from ..learn.nets import is_baseline
from .exports import COMPARED, PLUS_MINUS, Comparison, Row
from .records import Run, by_model, finished
from .statistics import ENOUGH, best_on_validation, confidence_above, corrected_p, holm, interval

SETTINGS = ("with-validation", "no-validation")
PAPER_SEEDS = 20
_SMALL_TEST = 100
_SURE = 0.05


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
    >>> [(row.model, round(row.mean, 1), row.paper, row.verdict) for row in compare_runs(runs).rows]
    [('DE-GNN-SPD', 91.5, (89.37, 0.17), '+16.0, too few seeds to say'), ('GCN', 75.5, (74.03, 0.99), 'the baseline')]
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
    verdicts, marks = _verdicts(groups), _paper_marks(groups)
    rows = [_row(model, group, *verdicts.get(model, ("", None)), marks[model]) for model, group in groups.items()]
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


def _row(model: str, group: list[Run], verdict: str, p: float | None, mark: str) -> Row:
    first = group[0]
    where = (model, first.catalogue, first.p, first.metric)  # not by its title: anyone may call a graph celegans
    papers = [paper_number(*where, setting=setting) for setting in SETTINGS]
    return Row(
        model, len(group), *interval(_scores(group)), papers[0],
        *interval([100 * float(run.optimistic or 0) for run in group]), papers[1],
        sum(run.cpu_seconds or run.seconds for run in group) / len(group), first.parameters,
        verdict, p, mark)  # fmt: skip


def _scores(group: list[Run]) -> list[float]:
    return [100 * float(run.test or 0) for run in group]


def _verdicts(groups: dict[str, list[Run]]) -> dict[str, tuple[str, float | None]]:
    """What may be said of each model against the baseline that is best on validation, and how surely (p, by Holm)."""
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


def _paper_marks(groups: dict[str, list[Run]]) -> dict[str, str]:
    """The marks as the paper gives them: best baseline by its test result, one-sided test of means."""
    scores = {model: _scores(group) for model, group in groups.items()}
    best = max(filter(is_baseline, scores), key=lambda model: interval(scores[model])[0], default=None)
    marks = dict.fromkeys(scores, "")
    if best is None:
        return marks
    marks[best] = "†"
    for model in scores:
        if not is_baseline(model) and interval(scores[model])[0] > interval(scores[best])[0]:
            sure = confidence_above(scores[model], scores[best]) or 0.0
            marks[model] = "bold*" if sure >= 0.95 else "bold" if sure >= 0.70 else "*"
    return marks


def _notes(first: Run, rows: list[Row], size: int, epochs: list[int]) -> list[str]:
    what = {1: "nodes", 2: "pairs", 3: "triples"}.get(first.p, "sets")
    notes = [f"Test set: {size:,} {what} a seed."]
    if first.protocol != "honest":
        notes.insert(0, f"Not an honest comparison, on purpose: protocol {first.protocol}, see de.leaks().")
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
        notes.append(f"Below {ENOUGH} seeds nothing is said about which model is better; choose more seeds.")
    if same := [row.model for row in rows if row.half == 0]:
        notes.append(
            f"± 0.0 ({', '.join(same)}): all seeds gave the same value. That is too few different values to "
            "tell how much the result scatters, not certainty."
        )
    notes.append(f"{PLUS_MINUS} {COMPARED}")
    if any(row.paper for row in rows):
        notes.append(
            f"The paper's numbers: {PAPER_SEEDS} seeds, its own splits. “With validation” is its main table; "
            "“no validation” its appendix, the best test result of any epoch, which is optimistic."
        )
    else:
        notes.append(f"The paper has no numbers for {first.task} on {first.graph}.")
    return notes
