"""The table: intervals, significance, the paper's numbers, and its three formats."""

from __future__ import annotations

import csv
import io

import numpy as np
import pytest
from scipy import stats

from degnn_explore.common.errors import ParameterError
from degnn_explore.study.comparison import Comparison, compare_runs, latest_setting, paper_number
from degnn_explore.study.records import Run
from degnn_explore.study.statistics import confidence_above, interval


def runs(model: str, tests: list[float], graph: str = "celegans", **more: object) -> list[Run]:
    given = {
        "sizes": {"train": 3436, "val": 430, "test": 430},
        "parameters": 12345,
        "seconds": 8.0,
        "digest": graph,
        "catalogue": graph,
        **more,
    }
    return [
        Run(f"{model}{s}{given}", graph, "links", model, s, test=x, optimistic=x + 0.01, **given)  # type: ignore[arg-type]
        for s, x in enumerate(tests)
    ]


@pytest.fixture
def table() -> Comparison:
    return compare_runs(
        runs("GCN", [0.74, 0.75, 0.76])
        + runs("SEAL", [0.87, 0.88, 0.89])
        + runs("DE-GNN-SPD", [0.91, 0.92, 0.93])
        + runs("DE-GNN-LP", [0.86, 0.89, 0.90])
    )


def test_the_interval_is_that_of_scipy() -> None:
    values = [0.91, 0.93, 0.90, 0.95]
    low, high = stats.t.interval(0.95, 3, np.mean(values), stats.sem(values))
    mean, half = interval(values)
    assert (mean - half, mean + half) == pytest.approx((low, high))  # type: ignore[operator]


def test_the_confidence_is_that_of_welch() -> None:
    a, b = [0.91, 0.93, 0.92], [0.90, 0.89, 0.94, 0.91]
    expected = 1 - stats.ttest_ind(a, b, equal_var=False, alternative="greater").pvalue
    assert confidence_above(a, b) == pytest.approx(expected)
    assert confidence_above([0.9], b) is None


def test_equal_values_give_no_confidence() -> None:
    assert confidence_above([0.9, 0.9], [0.8, 0.8]) is None
    assert confidence_above([0.7, 0.7, 0.7], [0.7, 0.7]) is None
    assert confidence_above([0.9, 0.9], [0.8, 0.7]) is not None  # one side scatters: Welch can say something
    table = compare_runs(runs("GCN", [0.5, 0.5]) + runs("DE-GNN-SPD", [0.9, 0.9]))
    assert table.rows[0].verdict == "above the best baseline, too few different values to say how surely"
    assert table.rows[0].mark == "*"
    assert any(note.startswith("± 0.0 (DE-GNN-SPD, GCN): all seeds gave the same value.") for note in table.notes)


@pytest.mark.parametrize("count", [2, 3, 7, 20])
def test_equal_values_have_an_interval_of_exactly_zero(count: int) -> None:
    assert interval([100 * 10 / 13] * count) == (100 * 10 / 13, 0.0)


def test_models_are_compared_with_the_best_baseline(table: Comparison) -> None:
    assert [(row.model, row.verdict, row.mark) for row in table.rows] == [
        ("DE-GNN-SPD", "above the best baseline, 95 %", "bold*"),
        ("DE-GNN-LP", "above the best baseline, on average", "*"),
        ("SEAL", "best baseline", "†"),
        ("GCN", "", ""),
    ]


def test_seventy_per_cent_is_said_as_such() -> None:
    table = compare_runs(runs("GIN", [0.80, 0.82, 0.84]) + runs("DE-GNN-SPD", [0.81, 0.83, 0.86]))
    assert table.rows[0].verdict == "above the best baseline, 70 %"


def test_a_model_below_the_baseline_is_said_to_be(table: Comparison) -> None:
    worse = compare_runs(runs("SEAL", [0.88, 0.89]) + runs("DE-GNN-LP", [0.80, 0.81]))
    assert worse.rows[1].verdict == "not above the best baseline"


def test_one_seed_gives_neither_interval_nor_significance() -> None:
    table = compare_runs(runs("GCN", [0.75]) + runs("DE-GNN-SPD", [0.91]))
    assert table.rows[0].half is None
    assert table.rows[0].verdict == "above the best baseline, in one seed"
    assert any("One seed gives no interval" in note for note in table.notes)


def test_the_model_that_has_one_seed_only_is_named() -> None:
    table = compare_runs(runs("SEAL", [0.75]) + runs("DE-GNN-SPD", [0.91, 0.92]) + runs("DE-GNN-LP", [0.7]))
    assert [row.verdict for row in table.rows] == [
        "above the best baseline, but SEAL has one seed only",
        "best baseline",
        "not above the best baseline, in one seed",
    ]


def test_the_papers_numbers_stand_beside_in_both_settings(table: Comparison) -> None:
    row = table.rows[0]
    assert row.paper == paper_number("DE-GNN-SPD", "celegans", 2, "auc", "with-validation") == (89.37, 0.17)
    assert row.paper_optimistic == paper_number("DE-GNN-SPD", "celegans", 2, "auc", "no-validation") == (90.67, 0.91)
    assert paper_number("SEAL", "brazil-airports", 1, "accuracy") is None
    with pytest.raises(ParameterError, match="setting='test'"):
        paper_number("GCN", "celegans", 2, "auc", "test")


def test_a_small_test_set_is_explained() -> None:
    few = {"sizes": {"test": 13}, "metric": "accuracy", "p": 1}
    table = compare_runs(runs("GCN", [0.6, 0.7], "brazil-airports", **few))
    assert "Test set: 13 nodes a seed." in table.notes
    assert any("moves the accuracy by 7.7 points" in note for note in table.notes)


def test_a_graph_that_the_paper_does_not_have_is_said_to_be_one() -> None:
    table = compare_runs(runs("GCN", [0.6, 0.7], "us-flights"))
    assert table.rows[0].paper is None
    assert any("has no numbers for links on us-flights" in note for note in table.notes)


def test_the_paper_is_asked_about_graphs_of_the_catalogue_only() -> None:
    table = compare_runs(runs("GCN", [0.6, 0.7], "celegans", catalogue="", digest="mine"))
    assert (table.graph, table.rows[0].paper, table.rows[0].paper_optimistic) == ("celegans", None, None)


def test_a_seed_counts_once_with_its_latest_run() -> None:
    old, new = runs("GCN", [0.2, 0.4]), runs("GCN", [0.8], seconds=9.0)
    assert [run.test for run in latest_setting(old + new)] == [0.4, 0.8]
    table = compare_runs(old + new)
    assert (table.rows[0].seeds, table.rows[0].mean) == (2, pytest.approx(60.0))


def test_graphs_of_one_name_are_not_averaged() -> None:
    mixed = runs("GCN", [0.7], "mine", digest="1f") + runs("GCN", [0.7], "mine", digest="2e")
    with pytest.raises(ParameterError, match="answer 2 different questions"):
        compare_runs(mixed)


def test_runs_that_do_not_say_their_graph_are_left_aside_and_counted() -> None:
    old = runs("GCN", [0.1, 0.2], digest="")
    table = compare_runs(old + runs("GCN", [0.7]))
    assert (table.rows[0].seeds, table.rows[0].mean) == (1, pytest.approx(70.0))
    assert any(note.startswith("Left aside: 2 runs of an earlier version") for note in table.notes)
    with pytest.raises(ParameterError, match="2 runs of an earlier version do not say what graph they are of"):
        compare_runs(old)


def test_only_the_latest_settings_of_a_model_are_averaged() -> None:
    for name in ("hyper", "options"):
        old, new = runs("GCN", [0.1, 0.1, 0.1], **{name: {"a": 1}}), runs("GCN", [0.7, 0.8], **{name: {"a": 2}})
        table = compare_runs(old + new)  # the third seed has an old run only
        assert (table.rows[0].seeds, table.rows[0].mean) == (2, pytest.approx(75.0))


def test_failed_and_foreign_runs_are_not_averaged() -> None:
    failed = Run("x", "celegans", "links", "GIN", status="failed")
    assert [row.model for row in compare_runs([failed, *runs("GCN", [0.7])]).rows] == ["GCN"]
    with pytest.raises(ParameterError, match="no finished run"):
        compare_runs([failed])
    with pytest.raises(ParameterError, match="different questions"):
        compare_runs(runs("GCN", [0.7]) + runs("GCN", [0.7], "ns"))


def test_csv_has_every_number(table: Comparison) -> None:
    rows = list(csv.DictReader(io.StringIO(table.to_csv())))
    assert [row["model"] for row in rows] == ["DE-GNN-SPD", "DE-GNN-LP", "SEAL", "GCN"]
    assert rows[0] | {"model": "DE-GNN-SPD", "mean": "92.0", "paper_mean": "89.37", "test_sets": "430"} == rows[0]


def test_markdown_and_latex_say_the_same(table: Comparison) -> None:
    markdown, latex = table.to_markdown(), table.to_latex()
    assert "| DE-GNN-SPD | **92.0 ± 2.5**\\* | 89.37 ± 0.17 | 93.0 ± 2.5 | 90.67 ± 0.91 | 3 | 8.0 |" in markdown
    assert "| SEAL | 88.0 ± 2.5† |" in markdown
    assert "† best baseline. \\* above it on average, no more than that. **bold**\\* above it, 95 % sure." in markdown
    assert "± is half the 95 % confidence interval" in markdown
    assert "\\textbf{92.0 $\\pm$ 2.5}$^*$ & 89.37 $\\pm$ 0.17" in latex
    assert "88.0 $\\pm$ 2.5$^\\dagger$" in latex
    assert "90.67 $\\pm$ 0.91 & 3 & 8.0 &" in latex
    assert "$\\pm$ is half the 95 \\% confidence interval over seeds (Student's t). $^\\dagger$ best baseline." in latex
    assert "\\textbf{bold}$^*$ above it, 95 \\% sure." in latex
    assert latex.count("\\\\\n") == 6  # head, four models, what the marks say
    assert {line.count(" & ") for line in latex.splitlines() if " & " in line} == {8}


def test_names_of_graphs_cannot_break_out_of_the_table() -> None:
    table = compare_runs(runs("GCN", [0.7], graph="50%_of <b>\n|all|"))
    assert "% The paper has no numbers for links on 50%_of <b> |all|." in table.to_latex()
    assert "<b>" not in table.to_markdown()


def test_the_frame_has_one_row_a_model(table: Comparison) -> None:
    frame = table.frame()
    assert frame.loc["DE-GNN-SPD", "mean"] == pytest.approx(92.0)
    assert frame.loc["GCN", "verdict"] == ""
