"""Every step of every tour is shown, and its text is compared with what the Explorer shows."""

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
# of some steps: how many nodes of each side have a label
COUNTS: dict[tuple[str, int], dict[str, tuple[int, ...]]] = {
    ("us-flights", 0): {"target": (1,), "distance 1": (173,), "distance 3": (4,)},
    ("us-flights", 1): {"distances 1,1": (4,)},
    ("us-flights", 2): {"distances 1,1": (1,)},
    ("fig4", 0): {"target": (1, 1), "distance 1": (6, 6), "distance 2": (9, 9)},
    ("fig4", 2): {"distances 1,1": (2, 2)},
}


@pytest.mark.parametrize("key", TOURS)
def test_every_step_runs_and_says_the_truth(key: str) -> None:
    explorer = de.Explorer()
    for at, step in enumerate(TOURS[key].steps):
        explorer.tour(key, at)
        assert explorer.state.preset_key == step.preset and step.look in LOOK
        assert {name: getattr(explorer.state, name) for name in step.settings} == step.settings
        explorer.wait()
        assert {name: explorer.verdicts[name].layer for name in VERDICTS[key][at]} == VERDICTS[key][at]
        counts = {entry.text: entry.counts for entry in explorer.state.colored().entries}
        assert COUNTS.get((key, at), {}).items() <= counts.items()
        if (key, at) == ("fig4", 2):  # two common neighbors, linked in B alone
            for side, linked in zip(explorer.state.sides, (False, True), strict=True):
                common = set.intersection(*(set(side.graph.neighbors(v).tolist()) for v in side.nodes))
                assert side.graph.has_edge(*common) == linked
    assert not de.load("us-flights").has_edge("ATL", "FAI")


def test_the_first_tour_shows_methods_only_at_its_end_and_explains_each() -> None:
    """Its questions come before: they would be answered by the row of methods."""
    *before, last = TOURS["hexagon"].steps
    assert "verdict" not in {step.look for step in before} and last.look == "verdict"
    explorer = de.Explorer(tour="hexagon")
    explorer.tour("hexagon", len(before))
    explorer.wait()
    named = [pill["title"].removesuffix(" (K = 2)") for pill in explorer.pills["pills"] if not pill["afterwards"]]
    assert len(named) == 5 and [name for name in named if name not in last.text] == []
