"""Our results next to the paper's: the table, its reading in sentences, the effects of leaks, and both plots."""

from __future__ import annotations

import os
import re
import xml.etree.ElementTree as ET
from dataclasses import fields, replace
from typing import Any

import pytest

import degnn_explore as de
from degnn_explore.learn.registry import MODELS
from degnn_explore.studies.comparison import paper_number
from degnn_explore.studies.leak_effects import leak_effects, leak_figure, protocol_words, read_leak_effects
from degnn_explore.studies.paper_table import (
    Result,
    SideBySide,
    as_text,
    compared,
    long_table,
    read_table,
    result_of,
    wide_table,
)
from degnn_explore.studies.plots import dot_plot
from degnn_explore.studies.runs import Run, RunSpec
from degnn_explore.studies.statistics import interval
from docs import make_results


def cell(model: str, mean: float | None, paper: float | None = None, **values: Any) -> Result:
    """On celegans links, five seeds, three settings; the paper's interval is ± 1."""
    seeds = values.pop("seeds", 5 if mean is not None else 0)
    half = values.pop("half", 0.5 if mean is not None else None)
    about = {"task": "links", "graph": "celegans", "metric": "auc", "tried": 3, "protocol": "honest", "failed": 0,
             "scores": ()} | values  # fmt: skip
    around = None if paper is None else 1.0
    return Result(
        model=model, seeds=seeds, mean=mean, half=half, paper=paper, paper_half=around,
        compared=compared(mean, half, seeds, paper, around), settings={}, cpu_seconds=1.0, **about)  # fmt: skip


HALF = [
    cell("GCN", 75.0, 74.0),
    cell("GIN", 92.0, 75.0, seeds=20),
    cell("DE-GNN-SPD", 91.0, 89.0),
    cell("DEA-GNN-SPD", 80.0, 90.0, tried=2),
    cell("SEAL", None, 88.0),
    cell("DE-GNN-LP", 99.0, 86.0, seeds=2),
    cell("GCN", 57.0, 56.6, task="roles", graph="usa-airports", metric="accuracy", half=4.0),
    cell("SEAL", None, 98.5, graph="ns"),
]
SCORES = [cell("Katz", 93.0, tried=9), cell("shortest path", 70.0)]


def test_better_and_below_need_the_interval_of_the_difference_not_only_the_papers() -> None:
    for ours, half, expected in (
        (76.5, 3.0, "within"),
        (73.5, 3.0, "within"),
        (76.5, 0.3, "better"),
        (73.5, 0.3, "below"),
    ):
        assert compared(ours, half, 20, 75.0, 1.0) == expected
    assert compared(90.0, 0.1, 5, 75.0, 1.0) == "better" != compared(90.0, 0.1, 4, 75.0, 1.0)


def test_a_result_sums_up_the_runs_of_a_cell_in_both_views() -> None:
    spec = RunSpec(de.load("celegans"), "links", "GCN")
    runs = [Run(f"{s}", "celegans", "links", "GCN", s, test=x, optimistic=x + 0.1, cpu_seconds=2.0 * s)
            for s, x in enumerate((0.5, 0.6, 0.7))]  # fmt: skip
    for view, first, setting in (("validation", 50.0, "with-validation"), ("optimistic", 60.0, "no-validation")):
        one = result_of(spec, "mine", runs, 1, {"hidden": 8}, 4, view)
        assert one.scores == pytest.approx((first, first + 10, first + 20))
        assert (one.mean, one.half) == interval(one.scores)
        assert (one.paper, one.paper_half) == paper_number("GCN", "celegans", 2, "auc", setting)
        assert (one.graph, one.seeds, one.failed, one.tried, one.cpu_seconds) == ("mine", 3, 1, 4, 2.0)
        assert one.compared == "too few seeds" and not one.same_split and one.runs == tuple(runs)
    empty = result_of(RunSpec(de.load("karate"), de.link_task(de.load("karate")), "GCN"), "k", [], 0, {}, 1, view)
    assert (empty.mean, empty.half, empty.paper, empty.cpu_seconds, empty.same_split) == (None, None, None, None, True)
    with pytest.raises(de.ParameterError, match="view"):
        result_of(spec, "mine", runs, 0, {}, 1, "best")


def rows_of(markdown: str) -> dict[str, list[str]]:
    rows = [line[2:-2].split(" | ") for line in markdown.splitlines() if line.startswith("| ")]
    return {row[0]: row[1:] for row in rows}


def test_a_cell_shows_ours_the_papers_and_how_they_compare() -> None:
    rows = rows_of(SideBySide(HALF, beside=SCORES).markdown())
    assert rows["model"] == ["celegans, links", "usa-airports, roles", "ns, links"]
    assert rows["GCN"] == [
        "75.00 ± 0.50<br>74.00 ± 1.00<br>● within", "**57.00 ± 4.00**<br>56.60 ± 1.00<br>● within", ""]  # fmt: skip
    assert rows["DE-GNN-SPD"][0] == "91.00 ± 0.50<br>89.00 ± 1.00<br>▲ better"
    # what differs from most cells is said
    assert rows["GIN"][0].endswith("▲ better<br>20 seeds") and rows["DEA-GNN-SPD"][0].endswith("▼ below<br>2 tried")
    assert rows["DE-GNN-LP"][0] == "99.00 ± 0.50<br>86.00 ± 1.00<br>too few seeds<br>2 seeds"
    assert rows["SEAL"] == ["–<br>88.00 ± 1.00", "", "–<br>98.50 ± 1.00"]
    assert rows["Katz"] == ["**93.00 ± 0.50**", "", ""]  # the best of the column: two seeds of DE-GNN-LP do not count
    assert list(rows)[1:] == ["GCN", "GIN", "SEAL", "DE-GNN-SPD", "DE-GNN-LP", "DEA-GNN-SPD", "Katz", "shortest path"]


def test_both_tables_have_every_cell() -> None:
    table, frame = long_table(HALF), wide_table([replace(HALF[0], failed=2), *HALF[1:]])
    assert list(table.columns) == [field.name for field in fields(Result) if field.name not in ("scores", "runs")]
    assert table["mean"].tolist()[:3] == [75.0, 92.0, 91.0] and len(table) == len(HALF)
    shown = ["75.0 ± 0.5", "74.00 ± 1.00", "● within"]
    assert frame.loc["GCN", "celegans links"].tolist() == [*shown, "5 (2 failed)", "3"]
    assert frame.loc["GIN", "ns links"].tolist() == [""] * 5 and frame.loc["SEAL", ("ns links", "ours")] == "–"
    blocks = as_text([*HALF, cell("GCN", 1.0, protocol="paper", same_split=True)]).split("\n\n")
    titles = ["celegans links", "usa-airports roles", "ns links", "celegans links, paper"]
    assert [block.partition(" (")[0] for block in blocks] == titles
    rows = [re.split("  +", line.strip()) for line in blocks[0].splitlines()[1:3]]
    assert rows == [["ours", "paper", "compared", "seeds", "tried"], ["GCN", *shown, "5", "3"]]
    assert ["same split" in block for block in blocks] == [False] * 3 + [True]


def test_notes_say_what_the_reader_must_know() -> None:
    def notes(*cells: Result, **more: Any) -> str:
        return " ".join(SideBySide(cells or HALF, **more).notes)

    few = notes(cell("GCN", 75.0, tried=1, seeds=1), cell("Katz", 80.0), cell("shortest path", 80.0))
    full = notes(*HALF[:4])
    assert "5 seeds and 3 settings" in notes() and "no run yet" in notes() and "▲ better" in notes()
    assert "1 seed and 1 setting tried" in few and "validation, on seeds" not in few and "▲ better" not in few
    assert not [words for words in ("no run yet", "Left out", "same split", "Optimistic") if words in full]
    assert "accuracy (nodes)" in notes(HALF[6]) and "AUC" in full and "accuracy" not in full
    assert "celegans links: same split" in notes(cell("GCN", 75.0, same_split=True), HALF[6])
    assert "Optimistic" in notes(view="optimistic")
    assert notes(missing={"a": "No file."}).endswith("No file.")
    both = notes(missing={"a": "No file.", "b": "No internet."})
    assert "a, b" in both and "No file." in both and "No internet." not in both


def test_in_a_notebook_text_is_no_markup() -> None:
    graph = "a | <script>alert(1)</script>"
    odd = [cell("GCN", 1.0, graph=graph, scores=(1.0,)), cell("GCN", 2.0, protocol="<b>")]
    shown = SideBySide([*HALF, *odd], beside=SCORES, missing={graph: "<i>"})
    assert "| a \\| \\<script\\>alert(1)\\</script\\>, links |" in shown.markdown()
    html, figure = shown._repr_html_(), dot_plot([*HALF, *odd], "<i>title")
    assert not re.search(r"<script|<i>|<b>[^\d]", html) and repr(shown) == shown.markdown()
    tree = ET.fromstring(re.sub(r"<style>.*?</style>", "", html, flags=re.DOTALL).replace("<br>", "<br/>"))
    rows = list(rows_of(shown.markdown()).values())[1:]
    assert ["".join(td.itertext()) for td in tree.iter("td")] == [re.sub(r"<br>|\*\*", "", x) for y in rows for x in y]
    assert [b.text for b in tree.iter("b")] == re.findall(r"\*\*(.*?)\*\*", shown.markdown())
    groups = [
        ("Node pairs: AUC", "1"),
        ("Nodes: accuracy", "1"),
        ("Node pairs: AUC", "2"),
        ("Node pairs: AUC, <b>", "1"),
    ]
    assert [(th.text, th.get("colspan")) for th in tree.iter("th") if th.get("colspan")] == groups
    assert [row[0].text for row in tree.iter("tr") if row.get("class")] == ["Katz"]  # a line above the other study
    reading = read_table([cell("GCN", None, 74.0, graph="<i>")])
    assert str(reading).startswith("Coverage: ") and reading.markdown().startswith("- **Coverage:** ")
    assert "<b>Coverage:</b>" in reading._repr_html_() and "&lt;i&gt; links" in reading._repr_html_()
    assert figure.layout.title.text == "&lt;i&gt;title" and "<script" not in str(figure.layout.annotations)
    with pytest.raises(de.ParameterError, match="run the study first"):
        dot_plot([HALF[4]], "")


NAMES = "|".join(re.escape(name) for name in sorted([*MODELS, "celegans links", "usa-airports roles"], key=len)[::-1])


def facts(text: str) -> list[str]:
    """The models, columns and numbers in a text, in order."""
    return re.findall(rf"{NAMES}|[+−]?\d+(?:\.\d+)?", text)


def test_the_reading_counts_what_has_enough_seeds_and_names_every_exception() -> None:
    said = {lead: facts(text) for lead, text in read_table(HALF, SCORES).parts}
    assert said["Coverage:"] == ["5", "8", "5", "celegans links", "SEAL", "DE-GNN-LP"]  # and all of ns links
    assert said["Against the paper:"] == [
        "DE-GNN-SPD", "1", "1", "DEA-GNN-SPD", "0", "1", "celegans links", "80.00", "90.00", "1", "1"]  # fmt: skip
    below = ["DE-GNN-SPD", "91.00", "GIN", "92.00", "DEA-GNN-SPD", "80.00", "GIN", "92.00"]
    assert said["Distance encoding against plain GNNs:"] == ["4", "2", "celegans links", *below]
    assert said["Leads:"][:3] == ["−1.0", "+15.0", "1"]
    assert said["Heuristics:"] == ["celegans links", "93.00", "Katz", "celegans links", "91.00", "DE-GNN-SPD"]
    assert said["Scatter:"] == ["usa-airports roles", "4.0", "4.0"] and "Splits:" not in said
    tied = read_table([cell("DE-GNN-SPD", 88.5, 89.0, half=1.0, same_split=True)])
    assert "not told apart" in str(tied) and "Splits:" in str(tied) and "Scatter:" not in str(tied)


def leaking(protocol: str, tests: dict[int, float], model: str = "GCN", graph: str = "ns") -> Result:
    runs = tuple(Run(f"{s}", graph, "links", model, s, test=x) for s, x in tests.items())
    return replace(cell(model, 50.0, graph=graph, protocol=protocol), runs=runs)


LEAKING = [
    leaking("honest", {0: 0.5, 1: 0.6, 2: 0.7}),
    leaking("paper", {0: 0.6, 1: 0.8, 9: 0.1}),
    leaking("gradients_not_reset", {1: 0.5}),
    leaking("negatives_repeat + own_edges_in_degrees", {0: 0.55, 1: 0.65}),
    leaking("paper", {5: 0.6}, "SAGE"),  # no honest run
    leaking("honest", {0: 0.5}, "DE-GNN-SPD"),
    leaking("paper", {0: 0.4}, "DE-GNN-SPD"),
    leaking("honest", {0: 0.5}, graph="pb"),
    leaking("paper", {0: 0.7}, graph="pb"),
]


def test_the_effect_of_a_leak_is_its_gain_seed_by_seed() -> None:
    table = leak_effects(LEAKING)
    rows = {(row.dataset, row.model, row.protocol): row for row in table.itertuples()}
    assert list(rows) == [
        ("ns", "GCN", "paper"), ("ns", "GCN", "gradients_not_reset"),
        ("ns", "GCN", "negatives_repeat + own_edges_in_degrees"), ("ns", "DE-GNN-SPD", "paper"), ("pb", "GCN", "paper"),
    ]  # fmt: skip
    paper = rows["ns", "GCN", "paper"]
    assert paper.differences == pytest.approx([10.0, 20.0]) and paper.seeds == 2 and paper.task == "links"
    assert (paper.points, paper.half) == pytest.approx(interval([10.0, 20.0]))
    assert leak_effects([]).columns.tolist() == table.columns.tolist()


def test_leaks_are_read_from_the_largest_down_with_all_together_last() -> None:
    table = leak_effects(LEAKING)
    reading = read_leak_effects(table)
    assert [re.findall(r"[+−]\d+\.\d\d", text) for _, text in reading.parts] == [
        ["+5.00", "−10.00", "+15.00"], ["−10.00"], ["+20.00"]]  # fmt: skip
    ((lead, text),) = read_leak_effects(table, "DE-GNN-SPD").parts
    assert (lead, text) == reading.parts[1] and lead.startswith("ns, links, DE-GNN-SPD")
    assert text.count("±") == 0 and reading.parts[0][1].count("±") == 2  # a single seed has no interval
    assert protocol_words("gradients_not_reset") in reading.parts[0][1]
    with pytest.raises(de.ParameterError, match="DE-GNN-SPD, GCN"):
        read_leak_effects(table, "SAGE")
    for use in (read_leak_effects, leak_figure):
        with pytest.raises(de.ParameterError, match="run the study first"):
            use(table[:0])


@pytest.mark.skipif("DEGNN_DATA" not in os.environ, reason="needs the airports, in the folder DEGNN_DATA")
def test_readme_and_page_have_the_results_that_are_committed() -> None:
    for path, text in make_results.written().items():
        assert path.read_text(encoding="utf-8") == text, f"{path.name}: run make results"


def test_the_readme_stays_true_while_the_table_fills() -> None:
    half = [cell("GCN", 80.0, 75.0), cell("SAGE", None, 74.0), cell("DE-GNN-SPD", None, 89.0)]
    text = make_results.section(SideBySide(half)).replace("\u00a0", " ")
    assert "| links, celegans | GCN 80.0 ± 0.5 | GCN 80.0 ± 0.5 | – | DE-GNN-SPD 89.0 ± 1.0 |" in text
    assert "beats" not in text and "–" in make_results.tables(SideBySide(half))[3]
    full = [half[0], cell("DE-GNN-SPD", 84.0, 89.0), cell("Katz", 85.0)]
    text = " ".join(make_results.section(SideBySide(full)).split())
    assert re.findall(r"on (\d) of (?:these )?(\d)", text) == [("1", "1"), ("0", "1")]
    assert "+4.0 points" in text and "−1.0 points" in text and "loses on celegans links" in text
