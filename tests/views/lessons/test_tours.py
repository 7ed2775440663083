"""Every step of every tour is shown, and what it says is compared with what the Explorer shows then."""

from __future__ import annotations

import html
import re
from collections.abc import Iterator

import pytest

import degnn_explore as de
from degnn_explore.views.explorer.presets import PRESETS
from degnn_explore.views.lessons.tours import LOOK, TOURS

# of each step: the layer at which a method tells the sets apart, None if it never does
VERDICTS: dict[str, list[dict[str, int | None]]] = {
    "hexagon": [{"1-WL": None}, {"1-WL": None}, {}, {"DE-SPD": 2}, {"DE-SPD": 2, "1-WL": None}],
    "fig1": [{"1-WL": None}, {}, {"DE-SPD": 2}, {"DE-SPD": 3}, {"DE-SPD": None, "2-WL": None}],
    "fig4": [{}, {"DE-SPD": None, "2-WL": None}, {}, {"DE-SPD": 2, "2-WL": None}],
    "fig5": [{}, {"DEA-SPD": 2}, {"DEA-SPD": 2, "DE-SPD": 2}],
    "cut": [{}, {"DE-SPD": None}, {"DE-SPD": 0}, {"DE-SPD": 0}],
    "us-flights": [{}, {}, {}, {}],
}


@pytest.fixture
def explorer() -> Iterator[de.Explorer]:
    opened = de.Explorer()
    yield opened
    opened.close()


def press(explorer: de.Explorer, name: str, value: object = True) -> None:
    """What ipywidgets does when a reader presses a button of the tour."""
    explorer._guide._bar._handle_custom_msg({"type": "set", "name": name, "value": value}, [])
    assert explorer._error.value == ""


def said(explorer: de.Explorer) -> str:
    return html.unescape(re.sub(r"<[^>]+>", "", explorer._guide._text.value))


def legend(explorer: de.Explorer, label: str) -> list[int]:
    return next(entry["counts"] for entry in explorer.graph_canvas.legend if entry["label"] == label)


@pytest.mark.parametrize("key", TOURS)
def test_every_step_runs_and_says_the_truth(explorer: de.Explorer, key: str) -> None:
    tour = TOURS[key]
    explorer.tour(key)
    for k, step in enumerate(tour.steps):
        assert said(explorer) == f"{k + 1} of {len(tour.steps)} {step.text}"
        assert explorer.state.preset_key == step.preset and step.look in LOOK
        for name, value in step.settings.items():
            assert getattr(explorer.state, name) == value
        assert ["de-look" in explorer.spots[name]._dom_classes for name in LOOK].count(True) == 1
        assert "de-look" in explorer.spots[step.look]._dom_classes
        assert explorer.strip.chosen == step.method
        assert (explorer.tree_view.method == "1-WL") == (explorer.state.colour_by == "1-WL")
        if VERDICTS[key][k]:
            explorer.wait()
            found = explorer.verdicts
            assert {name: found[name].layer for name in VERDICTS[key][k]} == VERDICTS[key][k]
        assert 40 < len(step.text) < 330  # it stands above the graphs, and they must stay in sight
        press(explorer, "next")
    assert explorer.slot.children == () and explorer._guide.tour is None
    assert not any("de-look" in part._dom_classes for part in explorer.spots.values())


def test_what_tours_count_is_counted(explorer: de.Explorer) -> None:
    explorer.tour("us-flights")
    assert [legend(explorer, label) for label in "013"] == [[1], [173], [4]]
    press(explorer, "next")
    assert legend(explorer, "{1,1}") == [4] and not de.load("us-flights").has_edge("ATL", "FAI")
    press(explorer, "next")
    assert legend(explorer, "{1,1}") == [1]
    explorer.tour("fig1")
    press(explorer, "next")
    assert [legend(explorer, label) for label in "012"] == [[1, 1], [3, 3], [4, 4]]
    explorer.tour("fig4")
    assert [legend(explorer, label) for label in "012"] == [[1, 1], [6, 6], [9, 9]]
    press(explorer, "next")
    press(explorer, "next")
    assert legend(explorer, "{1,1}") == [2, 2]
    for side, linked in zip(explorer.state.sides, (False, True), strict=True):
        common = set.intersection(*(set(side.graph.neighbors(v).tolist()) for v in side.nodes))
        assert side.graph.has_edge(*common) == linked


def test_back_leads_to_the_same_picture(explorer: de.Explorer) -> None:
    explorer.tour("fig4")
    pictures = []
    for _ in range(3):
        pictures.append((explorer.state.preset_key, explorer.targets, explorer.state.layer, said(explorer)))
        press(explorer, "next")
    for picture in reversed(pictures):
        press(explorer, "back")
        assert (explorer.state.preset_key, explorer.targets, explorer.state.layer, said(explorer)) == picture
    assert explorer._guide._bar["back"]["disabled"]
    press(explorer, "back")
    assert explorer._guide.at == 0


def test_a_reader_who_wanders_off_is_brought_back(explorer: de.Explorer) -> None:
    explorer.tour("fig1")
    explorer.state.pick(0, 5)
    explorer.state.compare(False)
    explorer.state.update(layer=6, colour_by="PageRank")
    press(explorer, "next")
    assert explorer.targets == [[2], [3]] and (explorer.state.layer, explorer.state.colour_by) == (1, "SPD")
    explorer.open_graph(de.zoo.petersen())
    press(explorer, "next")
    assert explorer.targets == [[2], [3]] and explorer.state.layer == 2


def test_the_button_opens_the_tour_of_the_example_and_closes_it(explorer: de.Explorer) -> None:
    def toggle() -> None:
        explorer._drawers.header._handle_custom_msg({"type": "set", "name": "tour", "value": True}, [])

    for preset in PRESETS:
        explorer.open_preset(preset.key)
        toggle()
        assert explorer._drawers.header["tour"]["pressed"] and explorer._guide.tour is not None
        if preset.key in TOURS:
            assert explorer._guide.tour.key == preset.key
        toggle()
        assert not explorer._drawers.header["tour"]["pressed"] and explorer.slot.children == ()
    press(explorer, "tour", "cut")  # the menu of tours
    assert explorer._guide.tour is TOURS["cut"]


def test_a_question_hides_the_answer_until_the_reader_has_one() -> None:
    explorer = de.Explorer(preset="fig3", ask="Can <b>one</b> layer tell them apart?")
    row = explorer.slot.children[0]
    said, answer, show = row.children
    hidden = [explorer.spots["verdict"], explorer.spots["subtrees"]]
    assert [part.layout.display for part in hidden] == ["none", "none"]
    assert "Can &lt;b&gt;one&lt;/b&gt; layer" in said.value
    show.click()
    assert [part.layout.display for part in hidden] == ["none", "none"]  # nothing was said
    answer.value = "no <i>"
    assert [part.layout.display for part in hidden] == ["", ""]
    assert "You said: no &lt;i&gt;" in said.value
    row.children[-1].click()
    assert explorer.slot.children == ()
    explorer.close()


def test_a_tour_that_takes_the_place_of_a_question_shows_what_it_hid() -> None:
    explorer = de.Explorer(preset="fig3", ask="Can one layer tell them apart?")
    hidden = [explorer.spots["verdict"], explorer.spots["subtrees"]]
    explorer.tour("fig1")
    assert [part.layout.display for part in hidden] == ["", ""]
    explorer.close()


def test_a_tour_brings_both_graphs_back_after_comparing_was_switched_off_and_on() -> None:
    explorer = de.Explorer(preset="fig1")
    explorer.tour("hexagon")
    sources = [side.source for side in explorer.state.sides]
    assert len(set(sources)) == 2
    explorer.state.compare(False)
    explorer.state.compare(True)  # A beside itself
    explorer._guide.go(0)
    assert [side.source for side in explorer.state.sides] == sources
    explorer.close()
