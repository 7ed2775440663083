"""The Explorer as a widget: traits, commands of a page, errors, pictures, code; no browser."""

from __future__ import annotations

import gc
import os
import subprocess
import sys
import weakref
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import numpy as np
import pytest
from ipywidgets.widgets import widget

import degnn_explore as de
from degnn_explore.views.content import PRESETS, TOURS

EVIL = "<img src=x onerror=alert(1)>"


def command(explorer: de.Explorer, name: str, **content: Any) -> None:
    """What the widget does when a page sends a command."""
    explorer._handle_custom_msg({"kind": "do", "name": name, **content}, [])


def from_page(explorer: de.Explorer, **traits: Any) -> None:
    """What the widget does when a page changes traits."""
    explorer.set_state(traits)


def test_targets_are_a_trait() -> None:
    explorer, heard = de.Explorer(), []
    explorer.observe(lambda change: heard.append(change["new"]), "targets")
    explorer.targets = [[0], [1]]
    from_page(explorer, targets=[[0, 5], [1]])
    assert heard == [[[0], [1]], [[0, 5], [1]]]
    assert explorer.state.sides[0].targets == (0, 5)
    with pytest.raises(de.TargetError, match="Node 99"):
        explorer.targets = [[99], [1]]
    assert explorer.targets == [[0, 5], [1]]
    from_page(explorer, targets=[[99], [1]])  # a page sees the sentence instead
    assert "Node 99" in explorer.error["text"] and explorer.targets == [[0, 5], [1]]


def test_a_page_may_change_only_its_own_traits() -> None:
    explorer = de.Explorer()
    from_page(explorer, graphs={}, seen={}, view={"open": "help"})
    assert explorer.graphs["starts"] == [0, 8, 16] and explorer.view == {"open": "help"}


def test_settings_from_a_page_are_checked_and_lead_to_other_classes() -> None:
    explorer = de.Explorer()
    before = explorer.classes
    from_page(explorer, values=explorer.values | {"color_by": "LP", "toggle": "LP"})
    assert explorer.state.color_by == "LP" and explorer.classes != before and explorer.seen["method"] == "DE-LP"
    from_page(explorer, values=explorer.values | {"layer": 77})
    assert "at most 6" in explorer.error["text"] and explorer.values["layer"] == 2
    command(explorer, "compare", on=False)
    assert explorer.error == {} and explorer.targets == [[2]]


def test_stepping_needs_no_kernel_on_small_graphs_and_sends_nothing() -> None:
    explorer = de.Explorer()
    serial = explorer.seen["serial"]
    from_page(explorer, values=explorer.values | {"layer": 4})
    assert explorer.seen["serial"] == serial and explorer.seen["layers"] == 6 and explorer.state.layer == 4


def test_one_model_a_panel_and_nothing_left_after_closing() -> None:
    before = set(widget._instances)
    explorer = de.Explorer()
    assert len(set(widget._instances) - before) == 1
    explorer.wait()
    gone = weakref.ref(explorer)
    explorer.close()
    del explorer
    gc.collect()
    assert gone() is None


def test_an_unknown_command_is_told() -> None:
    explorer = de.Explorer()
    command(explorer, "dance")
    assert "dance" in explorer.error["text"]


@pytest.mark.parametrize("key", PRESETS)
def test_examples_open_by_command(key: str) -> None:
    explorer = de.Explorer()
    command(explorer, "example", key=key)
    assert explorer.graphs["example"] == key and explorer.error == {}
    n = explorer.graphs["starts"][-1]
    assert len(explorer.codes) == 2 * n and len(explorer.classes) == 4 * n * (explorer.seen["layers"] + 1)
    assert len(explorer.xy) == 8 * n and len(explorer.graphs["names"]) == n


def test_verdicts_arrive_as_pills() -> None:
    explorer = de.Explorer(preset="hexagon")
    explorer.wait()
    assert {pill["method"]: pill["layer"] for pill in explorer.pills["pills"]} == {
        "1-WL": None,
        "zero-one": 3,
        "DE-SPD": 2,
        "DE-LP": 0,
        "DEA-SPD": 1,
        "RWSE": 0,
        "2-WL": 2,
    }
    assert not explorer.pills["busy"] and explorer.verdicts["DE-SPD"].layer == 2
    explorer.targets = [[0], []]
    assert explorer.pills["pills"] == []


def test_a_map_of_nodes_is_sent_where_nothing_can_tell_them_apart() -> None:
    explorer = de.Explorer((de.zoo.figure1(), [3]), (de.zoo.figure1(), [6]))
    explorer.wait()
    told = explorer.pills["symmetry"]
    assert told["kind"] == "same" and told["map"][3] == 6 and sorted(told["map"]) == list(range(8))


def test_an_encoding_of_ones_own_has_a_pill_of_its_own() -> None:
    own = de.encoding("closeness", lambda near: 1.0 / (1 + near.distance.clip(0)), columns=["c"], max_dist=3)
    explorer = de.Explorer(preset="fig1", color_by=own)
    explorer.wait()
    assert explorer.seen["method"] == "DE-closeness" == explorer.pills["pills"][-1]["method"]
    assert explorer.pills["pills"][-1]["title"] == "DE-1 closeness"
    assert ["closeness", "closeness (yours)"] in explorer.options["colorings"]
    explorer = de.Explorer(preset="fig1", color_by="PageRank")
    assert explorer.pills["pills"][-1]["title"] == "DE-1 PageRank"


def test_pictures_are_well_formed_and_names_are_text() -> None:
    G = de.Graph.from_edges([(EVIL, "b"), ("b", "c")], title=EVIL)
    explorer = de.Explorer((G, [EVIL]), (G, ["c"]), layer=2)
    for what in ("graph", "tree"):
        found = [
            it.text or "" for it in ElementTree.fromstring(explorer.svg(what)).iter("{http://www.w3.org/2000/svg}text")
        ]
        assert any(EVIL in text for text in found)
    assert EVIL not in explorer.html() and EVIL not in explorer._repr_mimebundle_()[0]["text/html"]


@pytest.mark.parametrize("key", PRESETS)
def test_static_pictures_have_a_legend_and_stay_small(key: str) -> None:
    explorer = de.Explorer(preset=key)
    caption, html = explorer.static()
    assert PRESETS[key].title in caption and len(html) < 1_500_000
    drawn = explorer.svg()
    assert "target" in drawn or "distances" in drawn
    assert ('class="land"' in drawn) == bool(explorer.graphs["coast"]) == (key == "us-flights")


def test_the_code_opens_the_same_explorer() -> None:
    for preset, settings in [
        ("fig1", {"layer": 3}),
        ("fig2b", {"color_by": "LP"}),
        ("cut", {"cut": True, "hops": 2}),
        ("celegans", {}),
    ]:
        explorer = de.Explorer(preset=preset, **settings)
        *lines, last = explorer.code().splitlines()
        names: dict[str, Any] = {}
        exec("\n".join(lines), names)
        again = eval(last, names)
        assert again.targets == explorer.targets and again.values == explorer.values


def test_a_tour_shows_every_step_and_keeps_to_its_words() -> None:
    explorer = de.Explorer(tour="fig1")
    for at, step in enumerate(TOURS["fig1"].steps):
        command(explorer, "tour", key="fig1", at=at)
        assert explorer.lesson["text"] == step.text and explorer.lesson["look"] == step.look
    explorer.open_graph(de.zoo.petersen())
    command(explorer, "tour", key="fig1", at=1)
    assert explorer.targets == [[2], [3]] and explorer.state.layer == 1


def test_a_question_waits_for_a_reply() -> None:
    explorer = de.Explorer(preset="fig3", ask="Can it?", answer="no")
    assert explorer.lesson == {"kind": "ask", "question": "Can it?", "expected": "no", "reply": None}
    from_page(explorer, lesson=explorer.lesson | {"reply": "yes"})
    assert explorer.lesson["reply"] == "yes"


def test_an_upload_arrives_in_slices(tmp_path: Path) -> None:
    explorer = de.Explorer()
    content = ("source,target\n" + "".join(f"n{i},n{(i + 1) % 30}\n" for i in range(30))).encode()
    for at in range(0, len(content), 100):
        message = {"kind": "upload", "name": "ring.csv", "at": at, "size": len(content)}
        explorer._handle_custom_msg(message, [memoryview(content[at : at + 100])])
    explorer.wait()
    assert explorer.graphs["titles"] == ["ring"] and dict(explorer.opening["facts"])


def test_layouts_change_places_and_nothing_else() -> None:
    explorer = de.Explorer()
    before = explorer.xy, explorer.classes
    from_page(explorer, values=explorer.values | {"layout": "circular"})
    assert explorer.xy != before[0] and explorer.classes == before[1]


def test_it_opens_without_torch_and_in_the_plainest_locale() -> None:
    code = (
        "import sys; sys.modules['torch'] = None\n"
        "import degnn_explore as de\n"
        "explorer = de.Explorer(preset='hexagon')\nexplorer.wait()\n"
        "print(len(explorer._script) > 1000, explorer.targets)"
    )
    env = os.environ | {"LC_ALL": "C", "PYTHONUTF8": "0"}
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, env=env, timeout=300)
    assert done.stdout.strip() == "True [[0], [0]]", done.stderr[-2000:]


def test_a_large_graph_is_drawn_in_part_with_the_tree_around_its_targets() -> None:
    rng = np.random.default_rng(0)
    G = de.Graph.from_edges(rng.integers(0, 30_000, (60_000, 2)), num_nodes=30_000)
    explorer = de.Explorer((G, [77]), layer=2)
    assert (
        explorer.graphs["starts"] == [0, 1_500]
        and explorer.graphs["more"]
        and len(explorer.graphs["drawn"][0]) == 1_500
    )
    [net] = explorer.seen["net"]
    assert net["depth"] == 2 and 77 in net["nodes"]
    root = net["nodes"].index(77)
    assert {net["nodes"][j] for j in net["arcs"][root]} == set(G.neighbors(77).tolist())
    command(explorer, "search", text="299")
    command(explorer, "more")
    assert explorer.graphs["starts"] == [0, 3_000]
    explorer.targets = [[29_999]]
    assert 29_999 in explorer.graphs["drawn"][0]


def test_a_pair_is_judged_by_what_came_after_distance_encoding() -> None:
    explorer = de.Explorer((de.zoo.domino(), {0, 3}), (de.zoo.bridged_triangles(), {0, 3}), cut=True)
    explorer.wait()
    layers = {pill["method"]: pill["layer"] for pill in explorer.pills["pills"]}
    assert {name: layers[name] for name in ("1-WL", "zero-one", "DRNL", "DE-SPD", "RWSE", "2-WL")} == {
        "1-WL": None,
        "zero-one": None,
        "DRNL": 1,
        "DE-SPD": 0,
        "RWSE": 0,
        "2-WL": 2,
    }


def test_laplacian_coordinates_color_a_graph_whose_spectrum_is_simple() -> None:
    path = de.Graph.from_edges([(i, i + 1) for i in range(5)])
    explorer = de.Explorer((path, {0}), (path, {5}), color_by="LapPE")
    explorer.wait()
    assert explorer.seen["title"] == "Laplacian eigenvector 1" and len(explorer.seen["labels"]) == 6
    assert explorer.pills["pills"][-1]["layer"] is None  # mirror images: the signs mean nothing


def test_a_coloring_that_fails_says_why_and_changes_nothing() -> None:
    explorer = de.Explorer((de.zoo.cycle(6), {0}))
    explorer.set_state({"values": {**explorer.values, "color_by": "LapPE"}})
    assert "repeated" in explorer.error["text"]
    assert explorer.values["color_by"] == "SPD" == explorer.state.color_by
    explorer.targets = [[1]]
    assert explorer.seen["method"] == "DE-SPD" and explorer.seen["targets"] == [[1]]
    large = de.Graph.from_edges([(i, i + 1) for i in range(6_000)])
    for name in ("RWSE", "LapPE"):
        with pytest.raises(de.ParameterError, match="too long"):
            de.Explorer((large, {0}), color_by=name)
