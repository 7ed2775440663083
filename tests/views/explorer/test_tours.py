"""Every step of every tour is shown, and what it says is compared with what the Explorer shows then."""

from __future__ import annotations

import pytest

import degnn_explore as de
from degnn_explore.views.content import LOOK, TOURS

# of each step: the layer at which a method tells the sets apart, None if it never does
VERDICTS: dict[str, list[dict[str, int | None]]] = {
    "hexagon": [{"1-WL": None}, {"1-WL": None}, {}, {"DE-SPD": 2}, {"DE-SPD": 2, "1-WL": None}],
    "fig1": [{"1-WL": None}, {}, {"DE-SPD": 2}, {"DE-SPD": 3}, {"DE-SPD": None, "2-WL": None}],
    "fig4": [{}, {"DE-SPD": None, "2-WL": None}, {}, {"DE-SPD": 2, "2-WL": None}],
    "fig5": [{}, {"DEA-SPD": 2}, {"DEA-SPD": 2, "DE-SPD": 2}],
    "cut": [{}, {"DE-SPD": None}, {"DE-SPD": 0}, {"DE-SPD": 0}],
    "us-flights": [{}, {}, {}, {}],
}


def counts(explorer: de.Explorer, text: str) -> list[int]:
    return next(list(entry.counts) for entry in explorer.state.colored().entries if entry.text == text)


@pytest.mark.parametrize("key", TOURS)
def test_every_step_runs_and_says_the_truth(key: str) -> None:
    explorer = de.Explorer()
    for at, step in enumerate(TOURS[key].steps):
        explorer.tour(key, at)
        assert explorer.state.preset_key == step.preset and step.look in LOOK
        for name, value in step.settings.items():
            assert getattr(explorer.state, name) == value
        if VERDICTS[key][at]:
            explorer.wait()
            assert {name: explorer.verdicts[name].layer for name in VERDICTS[key][at]} == VERDICTS[key][at]
        assert 40 < len(step.text) < 330  # it stands above the graphs, and they must stay in sight


def test_the_first_tour_shows_methods_only_at_its_end_and_explains_each() -> None:
    """Its questions come before: they would be answered by the row of methods."""
    *before, last = TOURS["hexagon"].steps
    assert "verdict" not in {step.look for step in before} and last.look == "verdict"
    explorer = de.Explorer(tour="hexagon")
    explorer.tour("hexagon", len(before))
    explorer.wait()
    in_row = [pill["title"] for pill in explorer.pills["pills"] if not pill["afterwards"]]
    named = [title.removesuffix(" (K = 2)") for title in in_row]
    assert len(named) == 5 and [name for name in named if name not in last.text] == []


def test_what_tours_count_is_counted() -> None:
    explorer = de.Explorer(tour="us-flights")
    assert [counts(explorer, text) for text in ("target", "distance 1", "distance 3")] == [[1], [173], [4]]
    explorer.tour("us-flights", 1)
    assert counts(explorer, "distances 1,1") == [4] and not de.load("us-flights").has_edge("ATL", "FAI")
    explorer.tour("us-flights", 2)
    assert counts(explorer, "distances 1,1") == [1]
    explorer.tour("fig4")
    assert [counts(explorer, text) for text in ("target", "distance 1", "distance 2")] == [[1, 1], [6, 6], [9, 9]]
    explorer.tour("fig4", 2)
    assert counts(explorer, "distances 1,1") == [2, 2]
    for side, linked in zip(explorer.state.sides, (False, True), strict=True):
        common = set.intersection(*(set(side.graph.neighbors(v).tolist()) for v in side.nodes))
        assert side.graph.has_edge(*common) == linked
