"""Results of experiments: tables, notes, plots and files. Every plot's figure is in tests/golden."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pandas as pd
import pytest

import degnn_explore as de
from degnn_explore import theory, zoo

EVIL = "<img src=x onerror=alert(1)>"
PAIR = {EVIL: theory.look_alikes()["Fig. 3, cubic"]}
RESULTS = {
    "shares": lambda: theory.theorem_3_3(sizes=[10, 20], layers=3, nodes=200, networks=["float32"], progress=False),
    "walks": lambda: theory.walk_counts(zoo.petersen().with_title(EVIL)),
    "outputs": lambda: theory.theorem_2_7(PAIR, ["GIN", "GCN"], seeds=1, progress=False),
    "named pairs": lambda: theory.all_nodes_as_targets({EVIL: (zoo.hexagon(), zoo.two_triangles())}),
    "scores": lambda: theory.scoreboard({EVIL: [(zoo.hexagon(), zoo.two_triangles())]}, ["DE-1 SPD"], progress=False),
}


@pytest.mark.parametrize("name", RESULTS)
def test_every_result_is_drawn_shown_and_saved(name: str, tmp_path: Path) -> None:
    result = RESULTS[name]()
    shown, printed, plot = result._repr_html_(), repr(result), result.plot()
    assert "<img" not in shown and "<img" not in json.dumps(json.loads(plot.to_json()))
    assert all(note in printed for note in result.notes) and printed.startswith(result.title)
    assert shown.count("<i>") == len(result.notes) and "<table" in shown
    page = result.save(tmp_path / "plot.html", width=512).read_text(encoding="utf-8")
    assert len(page) > 1_000_000 and 'src="http' not in page and "cdn." not in page.split("<body>")[1][:500]
    assert '"width":512' in page and "<img src=x" not in page.split("<body>")[1].replace("\\u003c", "<")
    text = result.save(tmp_path / "table.CSV").read_text(encoding="utf-8")
    assert text.count("\n") == len(result.table) + 1 and all(str(name) in text for name in result.table)
    assert all(str(name) in text for name in result.table.index) or result.table.index.name is None
    small = result.plot(width=300, height=333).layout
    assert (small.width, small.height) == (300, 333) and small.margin.t >= 22 * len(small.title.text.split("<br>")) + 20


def test_pictures_go_through_kaleido_and_say_what_is_missing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    made: list[tuple[str, int, int]] = []

    def write(figure: Any, path: Path, scale: int) -> None:
        made.append((path.name, figure.layout.width, scale))
        if path.suffix == ".pdf":
            raise ValueError("no browser")

    monkeypatch.setattr("plotly.graph_objects.Figure.write_image", write)
    result = theory.corollary_3_8([1])
    for name in ("a.svg", "b.PNG"):
        assert result.save(str(tmp_path / name), width=600) == tmp_path / name
    assert made == [("a.svg", 600, 1), ("b.PNG", 600, 2)]
    with pytest.raises(de.ParameterError, match=r"c\.pdf.*no browser.*kaleido.*\.html"):
        result.save(tmp_path / "c.pdf")


def test_lines_panels_and_long_titles_can_be_read() -> None:
    for many, result in ((8, theory.walk_counts(zoo.cycle(19), 1)), (2, RESULTS["outputs"]())):  # ten distances
        assert len({trace.marker.symbol for trace in result.plot().data}) == many
    titles = [note.text for note in RESULTS["shares"]().plot().layout.annotations]
    assert titles == ["exact colors", "random network, float32"]
    table = pd.DataFrame({"1-WL": ["same"]}, index=["a"])
    short, long, endless = (theory.Result("word " * k, table).plot().layout for k in (3, 12, 40))
    assert short.width < 9 * 60 < long.width < 760 == endless.width
    assert [layout.title.text.count("<br>") for layout in (short, long, endless)] == [0, 0, 2]
    assert endless.height - short.height == endless.margin.t - short.margin.t > 30


def test_shares_are_written_short() -> None:
    values = {1.0: "1", 0.0: "0", 0.614: ".61", 0.9951: ".99+", 0.01: ".01", 0.0054: "5e-3", 2.2e-4: "2e-4"}
    found = theory.theorem_3_3(sizes=[10], layers=len(values), nodes=20, progress=False)
    heat = replace(found, table=found.table.assign(undistinguished=list(values))).plot().data[0]
    assert [row[0] for row in heat.text] == list(values.values())
