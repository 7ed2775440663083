"""Results of experiments: tables, notes, plots and files."""

from __future__ import annotations

import json
from dataclasses import FrozenInstanceError, fields, replace
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

import degnn_explore as de
from degnn_explore import theory, zoo
from degnn_explore.expressive.methods import METHODS
from degnn_explore.expressive.refinement import NO_TARGETS, Instances
from degnn_explore.expressive.symmetry import match_sets

EVIL = "<img src=x onerror=alert(1)>"
RESULTS = {
    "shares": lambda: theory.theorem_3_3(sizes=[10, 20], layers=3, nodes=200, networks=["float32"], progress=False),
    "verdicts": lambda: theory.corollary_3_8([1]),
    "walks": lambda: theory.walk_counts(zoo.petersen().with_title(EVIL)),
    "outputs": lambda: theory.theorem_2_7({EVIL: theory.look_alikes()["Fig. 3, cubic"]}, ["GIN"], seeds=1),
    "named pairs": lambda: theory.all_nodes_as_targets({EVIL: (zoo.hexagon(), zoo.two_triangles())}),
    "scores": lambda: theory.scoreboard({EVIL: [(zoo.hexagon(), zoo.two_triangles())]}, ["DE-1 SPD"], progress=False),
}


def drawn(result: theory.Result) -> str:
    """The plot as JSON; plotly's own spells "<" as a number."""
    return json.dumps(json.loads(result.plot().to_json()))


@pytest.mark.parametrize("name", RESULTS)
def test_every_result_is_drawn_shown_and_saved(name: str, tmp_path: Path) -> None:
    result = RESULTS[name]()
    assert "<img" not in drawn(result) and "<img" not in result._repr_html_()
    shown, printed = result._repr_html_(), repr(result)
    assert all(note in printed for note in result.notes) and printed.startswith(result.title)
    assert shown.count("<i>") == len(result.notes) and "<table" in shown
    page = result.save(tmp_path / "plot.html", width=512).read_text(encoding="utf-8")
    assert len(page) > 1_000_000 and 'src="http' not in page and "cdn." not in page.split("<body>")[1][:500]
    assert '"width":512' in page and "<img src=x" not in page.split("<body>")[1].replace("\\u003c", "<")
    text = result.save(tmp_path / "table.CSV").read_text(encoding="utf-8")
    assert text.count("\n") == len(result.table) + 1 and all(str(name) in text for name in result.table)
    assert all(str(name) in text for name in result.table.index) or result.table.index.name is None
    for width in (None, 300):
        layout = result.plot(width=width, height=333).layout
        lines = layout.title.text.split("<br>")
        assert layout.height == 333 and layout.width == (width or layout.width) <= 860
        assert max(map(len, lines)) * 9 <= max(layout.width, 180) or "&" in layout.title.text
        assert layout.margin.t >= 22 * len(lines) + 20


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


def test_a_plot_of_verdicts_leaves_other_columns_out_and_is_yellow_where_two_differ() -> None:
    table = pd.DataFrame({"1-WL": ["same", "layer 2"], "yes": [True, False], "text": ["x", "same"]}, index=["a", "b"])
    result = theory.Result("Verdicts", table)
    heat = result.plot().data[0]
    assert [list(row) for row in heat.text] == [["same"], ["layer 2"]]
    assert [list(row) for row in heat.z] == [[0.0], [1.0]] and "1-WL" in drawn(result) and '"text"' not in repr(result)
    scores = RESULTS["scores"]().plot().data[0].colorscale
    for dark, yellow in ((heat.colorscale[0], heat.colorscale[-1]), (scores[0], scores[-1])):
        assert (dark[1], yellow[1]) == ("#00224e", "#fee838")
    shares = RESULTS["shares"]().plot().layout.coloraxis.colorscale  # of the share that is *not* told apart
    assert (shares[0][1], shares[-1][1]) == ("#fee838", "#00224e")


@pytest.mark.parametrize("made", [
    lambda: theory.corollary_3_8([1]), lambda: RESULTS["scores"](), lambda: theory.RandomNetwork(),
    lambda: de.distinguish(zoo.hexagon(), zoo.hexagon()), lambda: METHODS["DE-SPD"], lambda: theory.METHODS["DE-3"],
    lambda: de.summary("karate"), lambda: de.check(4, 4), lambda: de.unroll(zoo.hexagon(), 0, 1),
    lambda: de.compare(*[de.unroll(zoo.hexagon(), 0, 1)] * 2),
    lambda: match_sets(*[(zoo.hexagon(), np.array([0]))] * 2), lambda: Instances.build([(zoo.hexagon(), NO_TARGETS)]),
])  # fmt: skip
def test_results_cannot_be_changed(made: Any) -> None:
    value = made()
    for field in fields(value):
        with pytest.raises(FrozenInstanceError):
            setattr(value, field.name, None)


def test_every_line_has_its_own_symbol_as_long_as_there_are_any() -> None:
    for many, result in (
        (8, theory.walk_counts(zoo.cycle(19), 1)),  # ten distances
        (2, theory.theorem_2_7({"a": theory.look_alikes()["Fig. 3, cubic"]}, ["GIN", "GCN"], seeds=1, progress=False)),
    ):
        assert len({trace.marker.symbol for trace in result.plot().data}) == many


def test_a_panel_for_each_precision_is_named_and_a_small_plot_is_as_wide_as_its_title() -> None:
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


def test_a_plot_takes_the_colors_of_the_page_and_a_file_stays_white(monkeypatch: pytest.MonkeyPatch) -> None:
    shown: list[Any] = []
    monkeypatch.setattr("IPython.display.display", lambda html: shown.append(html.data))
    monkeypatch.setattr("plotly.graph_objects.Figure.show", lambda self, config: shown.append(self.layout))
    figure = theory.corollary_3_8([1]).plot()
    figure._ipython_display_()
    style, layout = shown
    assert "var(--jp-ui-font-color1)" in style and layout.paper_bgcolor == layout.plot_bgcolor == "rgba(0,0,0,0)"
    ink = tuple(int(layout.font.color[k : k + 2], 16) for k in (1, 3, 5))
    assert f"fill: rgb{ink}" in style  # what is written in this ink is what takes the page's color
    assert figure.layout.paper_bgcolor == "white"
