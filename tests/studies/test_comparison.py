"""The table of a comparison: intervals, significance, the paper's numbers, curves, and its formats."""

from __future__ import annotations

import csv
import io
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from scipy import stats

from degnn_explore.studies.comparison import compare_runs
from degnn_explore.studies.runs import Run
from degnn_explore.studies.statistics import corrected_p, curves, difference_interval, holm, interval

SIZES = {"train": 3436, "val": 430, "test": 430}


def runs(model: str, tests: list[float], graph: str = "celegans", val: float = 0.5, **more: Any) -> list[Run]:
    about = {"sizes": SIZES, "parameters": 12345, "cpu_seconds": 8.0, "digest": graph, "catalog": graph, "val": val}
    about |= {"options": {"epochs": 9}, **more}
    return [
        Run(f"{model}{s}{about}", graph, "links", model, s, test=x, optimistic=x + 0.01, **about)
        for s, x in enumerate(tests)
    ]


VALUES = st.lists(st.floats(0, 1).map(lambda x: round(x, 3)), min_size=2, max_size=20)


@given(VALUES, VALUES)
@example([0.75] * 3, [0.5] * 4)
def test_intervals_are_those_of_scipy(ours: list[float], theirs: list[float]) -> None:
    given = [interval(ours), interval(theirs)]
    difference, half = difference_interval(*given[0], len(ours), *given[1], len(theirs))
    for values, (mean, around) in zip((ours, theirs), given, strict=True):
        if len({*values}) == 1:
            assert (mean, around) == (values[0], 0.0)  # exactly
        else:
            expected = stats.t.interval(0.95, len(values) - 1, np.mean(values), stats.sem(values))
            assert (mean - around, mean + around) == pytest.approx(expected)
    if len({*ours}) == len({*theirs}) == 1:
        assert (difference, half) == (ours[0] - theirs[0], 0.0)
    else:
        expected = stats.ttest_ind(ours, theirs, equal_var=False).confidence_interval(0.95)
        assert (difference - half, difference + half) == pytest.approx(tuple(expected), abs=1e-9)


def test_the_corrected_test_widens_that_of_scipy_by_the_overlap_of_the_splits() -> None:
    ours, theirs = [0.91, 0.93, 0.92, 0.94, 0.90], [0.90, 0.89, 0.92, 0.91, 0.89]
    differences = [a - b for a, b in zip(ours, theirs, strict=True)]
    assert corrected_p(differences, 0.0) == pytest.approx(stats.ttest_rel(ours, theirs).pvalue)
    # by hand: mean 0.018, s = 0.0164317, t = 0.018 / (0.0164317 sqrt(1/5 + 1/8)) = 1.92153 with 4 degrees of freedom
    assert corrected_p(differences, 0.125) == pytest.approx(2 * stats.t.sf(1.92153, 4), abs=1e-5)
    assert corrected_p([-d for d in differences], 0.125) == corrected_p(differences, 0.125)
    assert corrected_p([0.01], 0.125) is corrected_p([0.01, 0.01], 0.125) is None
    assert corrected_p([0.01, 0.02], 0.125) is not None


@given(st.lists(st.floats(0, 1), max_size=6))
def test_holm_is_the_step_down_of_the_textbook(p_values: list[float]) -> None:
    adjusted, count = holm(p_values), len(p_values)
    for p, q in zip(p_values, adjusted, strict=True):
        smaller = [(sum(x < other for x in p_values), other) for other in p_values if other <= p]
        assert q == pytest.approx(max(min(1.0, (count - rank) * other) for rank, other in smaller))


def test_curves_are_means_of_what_there_is_and_a_run_that_ended_keeps_its_last_value() -> None:
    def trained(model: str, values: list[tuple[float | None, float | None, float | None]], **more: Any) -> Run:
        epochs = [{"loss": loss, "val": {"auc": val}, "test": {"auc": test}} for loss, val, test in values]
        return Run("k", "g", "links", model, epochs=epochs, **more)

    first = trained("GCN", [(0.9, None, 0.3), (None, 0.5, 0.6)])
    second = trained("GCN", [(0.5, 0.5, 0.6), (0.7, 0.5, 0.8), (0.2, 0.6, None)])
    expected = {"loss": [0.7, 0.8, 0.55], "validation": [0.5, 0.5, 0.55], "test": [0.45, 0.6, 0.3]}
    for measure, mean in expected.items():  # test: of the best epoch so far on validation, the first of equals
        (curve, other) = curves([first, trained("GIN", []), second, trained("SAGE", [(1.0, 0.5, 0.5)])], measure)
        assert curve.mean == pytest.approx(mean) and curve.low == curve.high == [] and other.model == "SAGE"
    (curve,) = curves([replace(first, status="running"), second])
    assert curve.mean == pytest.approx([0.45, 0.6, 0.0]) and curve.seeds == [[0.3, 0.6], [0.6, 0.6, 0.0]]
    tests = [0.70, 0.71, 0.72, 0.73, 0.75]  # from five seeds there is a band
    (curve,) = curves([trained("GCN", [(1.0, 0.5, 0.6), (1.0, 0.6, x)]) for x in tests])
    mean, half = interval(tests)
    assert (curve.low, curve.high) == (pytest.approx([0.6, mean - half]), pytest.approx([0.6, mean + half]))


def test_from_five_seeds_models_are_compared_seed_by_seed_and_adjusted_for_their_number() -> None:
    base = [0.80, 0.84, 0.78, 0.86, 0.82]
    tests = {
        "GIN": base,
        "DE-GNN-SPD": [0.85, 0.88, 0.84, 0.90, 0.88],
        "DE-GNN-LP": [0.81, 0.83, 0.80, 0.85, 0.83],
        "DEA-GNN-SPD": [x - 0.1 - i / 1000 for i, x in enumerate(base)],
    }
    table = compare_runs([run for model, values in tests.items() for run in runs(model, values)])
    rows, latex = {row.model: row for row in table.rows}, table.to_latex().splitlines()
    others = [model for model in tests if model != "GIN"]
    raw = [corrected_p([100 * (a - b) for a, b in zip(tests[m], base, strict=True)], 430 / 3436) for m in others]
    assert [rows[model].p for model in others] == pytest.approx(holm(raw)) and rows["GIN"].p is None
    for model, words, mark in (
        ("GIN", "the baseline", "†"),
        ("DE-GNN-SPD", f"+5.0, above (p = {holm(raw)[0]:.3f})", "bold"),
        ("DE-GNN-LP", "+0.4, not shown", ""),
        ("DEA-GNN-SPD", "−10.2, below (p < 0.001)", ""),
    ):
        assert rows[model].verdict.startswith(words) and rows[model].mark == mark
        (line,) = (line for line in latex if line.startswith(f"{model} & "))
        assert ("\\textbf" in line, "\\dagger" in line) == (mark == "bold", mark == "†")
    assert "the baseline that is best" in latex[-2] and "\\textbf{Bold}" in latex[-2]
    same = [run for model in [*others[:1], "GIN"] for run in runs(model, tests[model], same_split=True)]
    table = compare_runs(same)
    assert (table.rows[0].p, table.rows[0].mark) == (None, "") and "same split" in table.rows[0].verdict
    assert not any("t-test" in note for note in table.notes)


FIVE = [0.70, 0.71, 0.72, 0.73, 0.74]


@pytest.mark.parametrize(
    ("given", "word"),
    [
        (runs("GCN", FIVE, sizes={"test": 1430}), "1,430 pairs"),
        (runs("GCN", FIVE, p=3), "430 triples"),
        (runs("GCN", FIVE, sizes={"test": 99}), "few:"),
        (runs("GCN", FIVE, sizes={"test": 13}, metric="accuracy", p=1), "by 7.7 points"),
        (runs("GCN", FIVE[:4]), "Below 5 seeds"),
        (runs("GCN", FIVE[:2]) + runs("GIN", FIVE[:1]), "(1, 2)"),
        (runs("GCN", FIVE) + runs("GIN", FIVE, options={"epochs": 7}), "(at most 7, 9)"),
        (runs("GCN", [0.7] * 5) + runs("GIN", FIVE), "± 0.0 (GCN)"),
        (runs("GCN", FIVE, protocol="paper"), "protocol paper"),
        (runs("GCN", FIVE, same_split=True), "initialization only"),
        (runs("GCN", FIVE, "us-flights"), "no numbers for links on us-flights"),
        (runs("GCN", FIVE), "20 seeds"),
    ],
)
def test_notes_say_what_limits_a_comparison(given: list[Run], word: str) -> None:
    assert any(word in note for note in compare_runs(given).notes)


@pytest.mark.parametrize("about", [{}, {"metric": "accuracy", "p": 1}], ids=["AUC", "accuracy"])
def test_where_nothing_limits_a_comparison_no_note_says_so(about: dict[str, Any]) -> None:
    given = runs("GCN", FIVE, sizes={"test": 100}, **about) + runs("Katz", FIVE, options={}, **about)
    limits = ("few:", "moves the accuracy", "Below", "Not all", "± 0.0", "protocol", "initialization")
    assert not [note for note in compare_runs(given).notes for limit in limits if limit in note]


def test_frame_and_csv_have_every_number() -> None:
    table = compare_runs(runs("GCN", [0.74, 0.75, 0.76]) + runs("my net", [0.912349], catalog=""))
    frame, row = table.frame(), table.rows[1]
    assert list(frame.index) == ["my net", "GCN"] and frame.columns[0] == "seeds" and table.metric_name == "AUC"
    expected = {"seeds": 3, "mean": 75.0, "ci95": row.half, "paper_mean": 74.03, "paper_ci95": 0.99, "seconds": 8.0}
    expected |= {"optimistic_mean": 76.0, "optimistic_ci95": row.optimistic_half, "parameters": 12345}
    assert frame.loc["GCN", [*expected]].tolist() == pytest.approx([*expected.values()], abs=1e-4)
    assert frame.loc["my net", "mean"] == 91.2349 and np.isnan(frame.loc["my net", "paper_mean"])
    first, second = csv.DictReader(io.StringIO(table.to_csv()))
    about = {"graph": "celegans", "task": "links", "metric": "auc", "test_sets": "430"}
    assert {**about, "model": "my net", "mean": "91.2349", "paper_mean": ""}.items() <= first.items()
    assert float(second["paper_mean"]) == 74.03


def test_no_name_breaks_out_of_the_latex_table() -> None:
    latex = compare_runs(runs("50%_of {a} ~^\\ #&$|<x>", [0.7], graph="50%_of\n|all|")).to_latex()
    comments, table = latex[: latex.index("\\begin")], latex[latex.index("\\begin") :]
    assert all(line.startswith("%") for line in comments.splitlines()) and table.isascii()
    row = next(line for line in table.splitlines() if line.startswith("50"))
    name = "50\\%\\_of \\{a\\} \\textasciitilde{}\\textasciicircum{}\\textbackslash{} \\#\\&\\$$|$$<$x$>$"
    assert row.split(" & ")[0] == name and row.count(" & ") == 8
