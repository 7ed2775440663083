"""The table: intervals, significance, the paper's numbers, and its three formats."""

from __future__ import annotations

import csv
import io

import numpy as np
import pytest
from scipy import stats

from degnn_explore.common.errors import ParameterError
from degnn_explore.studies.comparison import Comparison, compare_runs, latest_setting, paper_number
from degnn_explore.studies.runs import Run
from degnn_explore.studies.statistics import corrected_p, holm, interval


def runs(model: str, tests: list[float], graph: str = "celegans", val: float = 0.5, **more: object) -> list[Run]:
    given = {
        "sizes": {"train": 3436, "val": 430, "test": 430},
        "parameters": 12345,
        "seconds": 8.0,
        "digest": graph,
        "catalog": graph,
        "epochs": [{"number": 1, "loss": 1.0, "val": {"auc": val, "accuracy": val}, "test": {"auc": 0.5}}],
        "best_epoch": 1,
        "val": val,
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
        + runs("SEAL", [0.87, 0.88, 0.89], val=0.8)
        + runs("DE-GNN-SPD", [0.91, 0.92, 0.93])
        + runs("DE-GNN-LP", [0.86, 0.89, 0.90])
    )


def test_the_interval_is_that_of_scipy() -> None:
    values = [0.91, 0.93, 0.90, 0.95]
    low, high = stats.t.interval(0.95, 3, np.mean(values), stats.sem(values))
    mean, half = interval(values)
    assert (mean - half, mean + half) == pytest.approx((low, high))  # type: ignore[operator]


def test_the_corrected_test_widens_that_of_scipy_by_the_overlap_of_the_splits() -> None:
    ours, theirs = [0.91, 0.93, 0.92, 0.94, 0.90], [0.90, 0.89, 0.92, 0.91, 0.89]
    differences = [a - b for a, b in zip(ours, theirs, strict=True)]
    assert corrected_p(differences, 0.0) == pytest.approx(stats.ttest_rel(ours, theirs).pvalue)
    # by hand: mean 0.018, s = 0.0164317, t = 0.018 / (0.0164317 sqrt(1/5 + 1/8)) = 1.92153 with 4 degrees of freedom
    assert corrected_p(differences, 0.125) == pytest.approx(2 * stats.t.sf(1.92153, 4), abs=1e-5)
    assert corrected_p([0.01], 0.125) is corrected_p([0.01, 0.01], 0.125) is None


def test_holm_is_the_step_down_of_the_textbook() -> None:
    assert holm([]) == []
    assert holm([0.02]) == [0.02]
    # 4 × 0.005, 3 × 0.01, 2 × 0.03, and 0.04 is not below the one before it
    assert holm([0.01, 0.04, 0.03, 0.005]) == pytest.approx([0.03, 0.06, 0.06, 0.02])
    assert holm([0.6, 0.5]) == [1.0, 1.0]


def test_equal_values_give_no_verdict() -> None:
    table = compare_runs(runs("GCN", [0.5] * 5) + runs("DE-GNN-SPD", [0.9] * 5))
    assert table.rows[0].verdict == "+40.0, the same in every seed: nothing to judge by"
    assert table.rows[0].mark == ""
    assert any(note.startswith("± 0.0 (DE-GNN-SPD, GCN): all seeds gave the same value.") for note in table.notes)


@pytest.mark.parametrize("count", [2, 3, 7, 20])
def test_equal_values_have_an_interval_of_exactly_zero(count: int) -> None:
    assert interval([100 * 10 / 13] * count) == (100 * 10 / 13, 0.0)


def test_below_five_seeds_nothing_is_said(table: Comparison) -> None:
    assert [(row.model, row.verdict, row.p, row.mark) for row in table.rows] == [
        ("DE-GNN-SPD", "+4.0, too few seeds to say", None, ""),
        ("DE-GNN-LP", "+0.3, too few seeds to say", None, ""),
        ("SEAL", "the baseline", None, "†"),
        ("GCN", "", None, ""),
    ]
    assert any("Below 5 seeds no model is called better" in note for note in table.notes)
    assert compare_runs(runs("GCN", [0.75]) + runs("DE-GNN-SPD", [0.91])).rows[0].half is None


def test_from_five_seeds_models_are_compared_seed_by_seed_and_adjusted_for_their_number() -> None:
    base, better, same = [0.80, 0.84, 0.78, 0.86, 0.82], [0.85, 0.88, 0.84, 0.90, 0.88], [0.81, 0.83, 0.80, 0.85, 0.83]
    worse = [x - 0.1 - i / 1000 for i, x in enumerate(base)]
    given = {"GIN": base, "DE-GNN-SPD": better, "DE-GNN-LP": same, "DEA-GNN-SPD": worse}
    table = compare_runs([run for model, tests in given.items() for run in runs(model, tests)])
    verdicts = {row.model: (row.verdict, row.p) for row in table.rows}
    raw = {m: corrected_p([100 * (a - b) for a, b in zip(given[m], base, strict=True)], 430 / 3436) for m in given}
    adjusted = holm([raw["DE-GNN-SPD"], raw["DE-GNN-LP"], raw["DEA-GNN-SPD"]])  # type: ignore[list-item]
    assert [verdicts[m][1] for m in ("DE-GNN-SPD", "DE-GNN-LP", "DEA-GNN-SPD")] == pytest.approx(adjusted)
    assert verdicts["DE-GNN-SPD"][0] == f"+5.0, above (p = {adjusted[0]:.3f})"
    assert verdicts["DE-GNN-LP"][0] == f"+0.4, not shown to differ (p = {adjusted[1]:.3f})"
    assert verdicts["DEA-GNN-SPD"][0] == "−10.2, below (p < 0.001)"
    assert {row.model: row.mark for row in table.rows} == {
        "GIN": "†", "DE-GNN-SPD": "bold", "DE-GNN-LP": "", "DEA-GNN-SPD": ""}  # fmt: skip


def test_where_every_seed_has_the_same_split_no_p_value_is_given() -> None:
    base, better = [0.80, 0.84, 0.78, 0.86, 0.82], [0.95, 0.98, 0.94, 0.99, 0.98]
    table = compare_runs(runs("GIN", base, same_split=True) + runs("DE-GNN-SPD", better, same_split=True))
    best = table.rows[0]
    assert best.verdict.endswith("same split: seeds differ by initialization only") and best.p is None
    assert best.mark == "" and "\\textbf" not in table.to_latex()
    assert any("no p-value is given" in note for note in table.notes)
    assert not any("t-test" in note for note in table.notes)


def test_the_baseline_is_chosen_on_validation_and_may_be_a_heuristic() -> None:
    lucky = runs("GCN", [0.9] * 5, val=0.6)
    table = compare_runs(lucky + runs("Adamic-Adar", [0.7, 0.71, 0.72, 0.73, 0.74], val=0.7, options={}))
    assert {row.model: row.verdict for row in table.rows} == {"GCN": "", "Adamic-Adar": "the baseline"}


def test_seeds_that_only_one_of_two_models_has_are_not_compared() -> None:
    table = compare_runs(runs("SEAL", [0.75]) + runs("DE-GNN-SPD", [0.91, 0.1]) + runs("DE-GNN-LP", [0.7]))
    verdicts = {row.model: row.verdict for row in table.rows}
    assert verdicts["DE-GNN-SPD"] == "+16.0, too few seeds to say"
    late = [Run(**{**run.__dict__, "seed": 7}) for run in runs("DE-GNN-LP", [0.7])]
    assert compare_runs(runs("SEAL", [0.75]) + late).rows[1].verdict == "no seed in common"


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


def test_the_paper_is_asked_about_graphs_of_the_catalog_only() -> None:
    table = compare_runs(runs("GCN", [0.6, 0.7], "celegans", catalog="", digest="mine"))
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


@pytest.mark.parametrize(("size", "few"), [(50, True), (99, True), (100, False)])
def test_few_test_sets_are_said(size: int, few: bool) -> None:
    links = compare_runs(runs("GCN", [0.7], sizes={"test": size})).notes
    roles = compare_runs(runs("GCN", [0.7], sizes={"test": size}, metric="accuracy")).notes
    assert any(f"{size} test pairs are few" in note for note in links) == few
    assert any(f"by {100 / size:.1f} points" in note for note in roles) == few


def test_csv_has_every_number(table: Comparison) -> None:
    rows = list(csv.DictReader(io.StringIO(table.to_csv())))
    assert [row["model"] for row in rows] == ["DE-GNN-SPD", "DE-GNN-LP", "SEAL", "GCN"]
    assert rows[0] | {"model": "DE-GNN-SPD", "mean": "92.0", "paper_mean": "89.37", "test_sets": "430"} == rows[0]


def test_only_what_the_test_supports_is_bold(table: Comparison) -> None:
    assert "\\textbf" not in table.to_latex()  # three seeds support nothing
    tests = {"GIN": [0.80, 0.84, 0.78, 0.86, 0.82], "DE-GNN-SPD": [0.90, 0.94, 0.89, 0.96, 0.93]}
    latex = compare_runs([run for model, values in tests.items() for run in runs(model, values)]).to_latex()
    assert "\\textbf{92.4 $\\pm$ 3.6}" in latex and "82.0 $\\pm$ 3.9$^\\dagger$" in latex
    assert "p $<$ 0.05" in latex
    assert {line.count(" & ") for line in latex.splitlines() if " & " in line} == {8}


def test_headings_are_escaped_in_latex(table: Comparison) -> None:
    head = table.to_latex().split("\\toprule\n")[1].splitlines()[0]
    assert "AUC \\%" in head and not any(sign in head.replace(f"\\{sign}", "") for sign in "%_#$")


def test_every_cell_can_be_set_in_the_usual_latex_fonts() -> None:
    tests = {"GIN": [0.80, 0.84, 0.78, 0.86, 0.82], "DE-GNN-SPD": [0.98, 0.99, 0.98, 0.99, 0.99]}
    tests["DE-GNN-LP"] = [0.50, 0.51, 0.50, 0.52, 0.51]
    latex = compare_runs([run for model, values in tests.items() for run in runs(model, values)]).to_latex()
    body = latex[latex.index("\\begin") :]
    assert "(p $<$ 0.001)" in body and "$-$31.2, below" in body and body.isascii()


def test_names_of_graphs_cannot_break_out_of_the_table() -> None:
    table = compare_runs(runs("GCN", [0.7], graph="50%_of <b>\n|all|"))
    assert "% The paper has no numbers for links on 50%_of <b> |all|." in table.to_latex()


def test_the_frame_has_one_row_a_model(table: Comparison) -> None:
    frame = table.frame()
    assert frame.loc["DE-GNN-SPD", "mean"] == pytest.approx(92.0)
    assert frame.loc["GCN", "verdict"] == ""
