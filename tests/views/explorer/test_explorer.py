"""The Explorer as a page meets it: what it is sent, what its messages do, and what Python code sees of both."""

from __future__ import annotations

import gc
import re
import subprocess
import sys
import weakref
from collections.abc import Callable
from typing import Any

import networkx as nx
import numpy as np
import pytest
from ipywidgets.widgets import widget

import degnn_explore as de
from degnn_explore.views.content import PRESETS, TERMS, TOURS
from degnn_explore.views.explorer.state import COLORINGS, ExplorerState
from degnn_explore.views.explorer.verdicts import Question, answers
from degnn_explore.views.explorer.verdicts import shown as shown_pills
from degnn_explore.views.text import node_name
from tests.support.page import Page
from tests.support.waiting import LONG

ARRAYS = ("xy", "edges", "codes", "numbers", "classes")
CITIES = {"city": ["Rome", "", "Oslo"], "land": ["IT", "", "NO"], "size": [3.0, 1.0, 2.0]}


def named() -> de.Graph:
    """A path of three named nodes with columns of text, and a node of its own."""
    info = {key: [*column, column[1]] for key, column in CITIES.items()}
    return de.Graph.from_edges([(0, 1), (1, 2)], 4, names=["a", "b'\"\\", "ü", "7"], title="cities", info=info)


def small() -> tuple[Any, Any]:
    return (de.zoo.figure1(), [0, 7]), (de.zoo.figure1(), [1, 6])


def shown(explorer: de.Explorer) -> dict[str, Any]:
    """What the page draws, once the verdicts are in; without titles, notes and the count of messages."""
    explorer.wait()
    state = explorer.get_state(["targets", "values", "seen", "graphs", "pills", *ARRAYS])
    unwritten = {"serial", "title", "titles", "idea", "example", "notes"}  # copied code has none of these
    written = {
        name: {key: it for key, it in state[name].items() if key not in unwritten} for name in ("seen", "graphs")
    }
    return state | written | {"title": state["seen"]["title"]}


def pasted(explorer: de.Explorer) -> Any:
    """The Explorer that its code opens."""
    *lines, last = explorer.code().splitlines()
    names: dict[str, Any] = {}
    exec("\n".join(lines), names)
    return eval(last, names)


def coherent(state: dict[str, Any]) -> None:
    """Arrays, labels and targets belong to the same moment."""
    n, seen = state["graphs"]["starts"][-1], state["seen"]
    assert seen["targets"] == state["targets"] and len(state["graphs"]["names"]) == n
    assert [len(state[name]) for name in ("xy", "codes", "classes")] == [8 * n, 2 * n, 4 * n * (seen["layers"] + 1)]
    assert len(state["numbers"]) in (0, 4 * n)


def act(page: Page, rng: np.random.Generator) -> None:
    """One thing that a reader does, sometimes one that is refused."""
    sides = page.panel.state.sides

    def some(most: int = 3) -> list[list[int]]:
        sizes = [min(int(rng.integers(0, most + 1)), side.graph.num_nodes) for side in sides]
        return [rng.permutation(side.graph.num_nodes)[:p].tolist() for side, p in zip(sides, sizes, strict=True)]

    values: dict[str, Callable[[], Any]] = {
        "color_by": lambda: str(rng.choice(["1-WL", *COLORINGS])),
        "layout": lambda: str(rng.choice([*page["graphs"]["layouts"], "spiral"])),
        "cut": lambda: bool(rng.integers(2)),
        "layer": lambda: int(rng.integers(0, 8)),
        **{name: lambda: int(rng.integers(1, 4)) for name in ("hops", "size", "step", "root")},
    }
    name = str(rng.choice([*values, *["targets"] * 4, "example", "compare", "tour"]))
    if name == "targets":
        page.change(targets=some() if rng.random() < 0.9 else [[99], [0]])
    elif name == "compare":
        page.do("compare", on=len(sides) == 1)
    elif name == "example":
        page.do("example", key=str(rng.choice(["fig1", "fig5", "hexagon", "cut"])))
    elif name == "tour":
        page.do("tour", key="hexagon", at=int(rng.integers(4)))
    else:
        page.choose(**{name: values[name]()})


OPENED: dict[str, Callable[[], de.Explorer]] = {
    "an example": de.Explorer,
    "two sets": lambda: de.Explorer(*small()),
    "one set": lambda: de.Explorer((named(), ["a"])),
    "two graphs": lambda: de.Explorer((named(), [0]), (de.zoo.cycle(5), [1])),
}


@pytest.mark.parametrize("opened", OPENED)
def test_whatever_a_reader_did_before_the_panel_shows_what_a_new_one_shows(opened: str) -> None:
    explorer, rng = OPENED[opened](), np.random.default_rng(len(opened))
    page = Page(explorer, lambda state: coherent(state) if {"seen", "codes"} & page.changes[-1] else None)
    refused = 0
    for _ in range(40):
        before = shown(explorer)
        act(page, rng)
        if page["error"]:
            refused += 1
            assert shown(explorer) == before and not page["error"]["details"]
        after, again = shown(explorer), pasted(explorer)
        toggle = again.values | {"toggle": after["values"]["toggle"]}  # what "+ distance" goes back to is a memory
        assert shown(again) | {"values": toggle} == after
        assert {name: page.state[name] for name in ("targets", "values", *ARRAYS)} == explorer.get_state(
            ["targets", "values", *ARRAYS]
        )
        for what in ("graph", "tree"):
            assert re.sub(" · [^<]*", "", again.svg(what)) == re.sub(" · [^<]*", "", explorer.svg(what))
    assert refused < 20


# setting -> another value, what it changes of what is sent
EFFECTS: list[tuple[dict[str, Any], dict[str, Any], set[str]]] = [
    ({"color_by": "SPD"}, {"color_by": "1-WL"}, {"codes", "classes"}),
    ({"color_by": "SPD"}, {"color_by": "PageRank"}, {"codes", "classes", "pills"}),
    ({"color_by": "LP"}, {"color_by": "LP", "step": 3}, {"codes"}),
    ({"color_by": "RWSE"}, {"color_by": "RWSE", "step": 4}, {"codes"}),
    ({"color_by": "SPD"}, {"color_by": "SPD", "hops": 2}, {"classes"}),
    ({"color_by": "SPD", "hops": 2}, {"color_by": "SPD", "hops": 3}, {"pills"}),
    ({"color_by": "SPD"}, {"color_by": "SPD", "cut": True}, {"codes", "classes", "pills"}),
    ({"layout": "circular"}, {"layout": "as drawn"}, {"xy"}),
    ({"layout": "circular"}, {"layout": "concentric"}, {"xy"}),
    ({"layer": 1}, {"layer": 3}, set()),
    ({"size": 0}, {"size": 3}, set()),
    ({"root": 0}, {"root": 1}, set()),
]


@pytest.mark.parametrize(("before", "after", "changed"), EFFECTS)
def test_a_setting_changes_what_it_says(before: dict[str, Any], after: dict[str, Any], changed: set[str]) -> None:
    one, other = (de.Explorer(*small(), **settings) for settings in (before, after))
    here, there = shown(one), shown(other)
    assert {name for name in [*ARRAYS, "pills"] if here[name] != there[name]} == changed
    page = Page(one)
    page.choose(**after)
    assert page["error"] == {} and {name: page["values"][name] for name in after} == after
    assert shown(one)["classes"] == there["classes"] and shown(one)["codes"] == there["codes"]
    asked = [change for change in page.changes if "pills" in change]
    assert bool(asked) == ("pills" in changed)  # verdicts are asked for where they may change


def test_the_page_gets_the_graphs_as_they_are() -> None:
    explorer = de.Explorer((named(), ["ü"]), (de.zoo.cycle(3), [1]), layout="circular", layer=0)
    page, graphs = Page(explorer), explorer.graphs
    assert graphs["names"] == ["a", "b'\"\\", "ü", "7", "v0", "v1", "v2"] and graphs["starts"] == [0, 4, 7]
    assert graphs["notes"] == ["Rome, IT", "", "Oslo, NO", "", "", "", ""] and graphs["coast"] == []
    assert graphs["titles"][0] == "cities" and graphs["nodes"] == [4, 3] and graphs["drawn"] == [[], []]
    assert graphs["title"] == f"cities and {de.zoo.cycle(3).title}" and not graphs["same"] and not graphs["more"]
    assert page["edges"].tolist() == [0, 1, 1, 2, 4, 5, 4, 6, 5, 6]
    places = page["xy"].reshape(-1, 2)
    np.testing.assert_allclose(np.hypot(*places.T), 1, rtol=1e-6)
    np.testing.assert_allclose(places[[0, 1, 4]], [[0, 1], [1, 0], [0, 1]], atol=1e-6)
    texts = [page["seen"]["labels"][code][0] for code in page["codes"]]
    assert texts[:4] == ["distance 2", "distance 1", "target", "unreachable"]
    assert texts[4:] == ["distance 1", "target", "distance 1"]
    assert de.Explorer(preset="fig1").graphs["same"] and not de.Explorer((de.zoo.cycle(3), [0])).graphs["notes"]


def test_the_menus_offer_all_that_there_is() -> None:
    own = de.encoding("nearness", lambda near: 1.0 / (1 + near.distance.clip(0)), columns=["c"], max_dist=3)
    options = de.Explorer().options
    assert dict(options["examples"]) == {key: one.title for key, one in PRESETS.items()}
    assert dict(options["tours"]) == {key: one.title for key, one in TOURS.items()}
    assert [key for key, _ in options["colorings"]] == [*COLORINGS, own.name]
    assert {word for word, *_ in options["words"]} == {term.name for term in TERMS}
    assert options["paths"] and options["max_layer"] == 6 and not options["recorded"] and "CSV" in options["upload"]


def test_targets_are_a_trait_that_code_may_observe_and_set() -> None:
    explorer, heard = de.Explorer(), []
    explorer.observe(lambda change: heard.append(change["new"]), "targets")
    page = Page(explorer)
    explorer.targets = [[0], [1]]
    page.change(targets=[[0, 5], [1]])
    assert heard == [[[0], [1]], [[0, 5], [1]]] and explorer.state.sides[0].targets == (0, 5)
    with pytest.raises(de.TargetError, match="Node 99"):
        explorer.targets = [[99], [1]]
    assert explorer.targets == [[0, 5], [1]] == page["targets"]


@pytest.mark.parametrize(
    ("message", "words"),
    [
        ({"name": "dance"}, "dance"),
        ({"name": "example", "key": "fig9"}, "fig9"),
        ({"name": "export", "what": "movie"}, "movie"),
        ({"name": "example"}, "KeyError"),  # a bug of ours shows its traceback
        ({"values": {"layer": 77}}, "at most 6"),
        ({"values": {"layout": "geography"}}, "geography"),
        ({"values": {"color_by": "LapPE", "toggle": "LapPE"}}, "repeated"),
        ({"values": {"speed": 3}}, "speed"),
        ({"targets": [[1]]}, "2 target sets"),
    ],
)
def test_what_is_refused_is_explained_and_changes_nothing(message: dict[str, Any], words: str) -> None:
    explorer = de.Explorer(preset="hexagon")
    before, page = shown(explorer), Page(explorer)
    if "name" in message:
        page.do(**message)
    else:
        page.change(**{name: page[name] | it if name == "values" else it for name, it in message.items()})
    assert shown(explorer) == before
    assert words in page["error"]["text"] and bool(page["error"]["details"]) == (words == "KeyError")
    page.choose(layer=1)
    assert page["error"] == {} and explorer.state.layer == 1 and shown(explorer)["classes"] == before["classes"]


def test_a_page_may_change_only_its_own_traits() -> None:
    page = Page(de.Explorer())
    before = page.panel.get_state(["graphs", "seen", "options"])
    page.change(graphs={}, seen={}, options={}, view={"open": "help"})
    assert page.panel.get_state([*before]) == before and page.panel.view == {"open": "help"}
    page.send("nonsense")
    assert page["error"] == {}


def test_stepping_needs_no_kernel_up_to_2000_nodes() -> None:
    for n, ready in ((2_000, 6), (2_001, 0)):
        page = Page(de.Explorer((de.zoo.cycle(n), [0])))
        assert page["values"]["layer"] == 0 and page["seen"]["layers"] == ready
        page.choose(layer=2)
        assert page["seen"]["layers"] == max(ready, 2) and page["classes"].size == n * (max(ready, 2) + 1)
        assert any("classes" in names for names in page.changes) == (ready == 0)


@pytest.mark.parametrize("key", PRESETS)
def test_examples_open_by_command_and_have_a_picture(key: str) -> None:
    page = Page(de.Explorer())
    page.do("example", key=key)
    explorer, graphs = page.panel, page["graphs"]
    assert (graphs["example"], graphs["title"], graphs["idea"]) == (key, PRESETS[key].title, PRESETS[key].idea)
    for name in ("color_by", "layer", "cut", "size"):
        assert explorer.values[name] == getattr(PRESETS[key], name)
    caption, html = explorer.static()
    assert PRESETS[key].title in caption and "<figcaption" in html and len(html) < 1_500_000
    assert ('class="land"' in explorer.svg()) == bool(graphs["coast"]) == (key == "us-flights")
    assert ("16,714 edges" in caption) == (key == "pb")  # of which a picture shows a part
    assert pasted(explorer).targets == explorer.targets and all(explorer.targets)


def test_verdicts_arrive_one_after_the_other_and_are_those_of_distinguish() -> None:
    explorer, heard = de.Explorer(preset="fig2b", layer=1, hops=3), list[Any]()
    explorer.wait()
    page = Page(explorer, lambda state: heard.append(state["pills"]) if "pills" in page.changes[-1] else None)
    explorer.targets = [[0, 1], [0, 5]]
    explorer.wait()
    known = [sum("layer" in pill for pill in pills["pills"]) for pills in heard]
    assert known == [*range(len(known) - 1), len(known) - 2] and known[-1] == len(page["pills"]["pills"]) == 8
    assert [pills["busy"] for pills in heard] == [True] * (len(heard) - 1) + [False]
    assert not any("classes" in pill for pills in heard[:-1] for pill in pills["pills"])
    for pill in page["pills"]["pills"]:
        method, hops = pill["method"], 3 if pill["method"] == "DEA-SPD" else None
        verdict = de.distinguish(*explorer.state.picks, method, hops=hops, progress=False)
        assert pill["layer"] == verdict.layer == explorer.verdicts[method].layer and pill["hops"] == (hops or 1)
        assert ("classes" in pill) == (method != "2-WL") and ("why" in pill) == pill["afterwards"]
        assert pill["afterwards"] == (method in ("zero-one", "DRNL", "RWSE")) and pill["what"]
    again = len(heard)
    page.choose(layer=3, root=1)
    explorer.wait()
    assert len(heard) == again  # the same question is not asked twice
    explorer.targets = [[0, 1], []]
    assert page["pills"] == {"pills": [], "busy": False} and explorer.verdicts == {}


def test_reasons_of_large_graphs_come_in_words_and_what_takes_too_long_is_skipped() -> None:
    for n, small in ((200, True), (201, False)):
        question = Question.of(ExplorerState((de.zoo.cycle(200), [0]), (de.zoo.cycle(n), [0])))
        found: dict[str, Any] = {"DE-SPD": de.distinguish(*question.state.picks, "DE-SPD", progress=False)}
        pills = {pill["method"]: pill for pill in shown_pills(question, found, False)["pills"]}
        assert ("classes" in pills["DE-SPD"], "why" in pills["DE-SPD"]) == (small, not small)
        assert not {"layer", "classes"} & pills["DE-LP"].keys()
    huge = Question.of(ExplorerState((de.zoo.cycle(3_000), [0]), (de.zoo.cycle(1_097), [0])))
    reason = next(answer for method, answer in answers(huge) if method == "DE-LP")
    [pill] = [pill for pill in shown_pills(huge, {"DE-LP": reason}, False)["pills"] if "skipped" in pill]
    assert pill["skipped"] == reason and reason.startswith("skipped: ") and "4,096" in reason


def test_a_plain_gnn_and_back_again_is_one_toggle() -> None:
    page = Page(de.Explorer(preset="hexagon", color_by="1-WL"))
    toggles = [page["values"]["toggle"]]
    page.choose(color_by="LP", toggle="LP")
    page.choose(color_by="1-WL")
    toggles.append(page["values"]["toggle"])
    for at in (0, 2):  # a plain GNN, then distances
        page.do("tour", key="hexagon", at=at)
        toggles.append(page["values"]["toggle"])
    assert [*toggles, de.Explorer(color_by="RWSE").values["toggle"]] == ["SPD", "LP", "LP", "SPD", "RWSE"]


def test_an_encoding_that_fails_skips_its_verdict_alone() -> None:
    def picky(near: Any) -> Any:
        if broken:
            raise broken[0]
        return near.distance * 1.0

    broken, state = list[Exception](), ExplorerState(*small())
    state.update(color_by=de.encoding("picky", picky, columns=["c"], max_dist=2))
    for error, words in ((ValueError("too far"), "skipped: too far"), (KeyError("far"), "skipped: KeyError: 'far'")):
        broken[:] = [error]
        found = dict(answers(Question.of(state)))
        assert words in str(found.pop("DE-picky")) and not any(isinstance(it, str) for it in found.values())


def test_an_encoding_of_a_readers_own_has_colors_columns_and_a_pill() -> None:
    columns = ["a", "b", "c"]
    three = de.encoding(
        "three",
        lambda near: np.stack([near.distance, -near.distance, near.distance**2], -1),
        columns=columns,
        max_dist=3,
    )
    de.encoding("one", lambda near: near.distance.clip(0) * 2.0, columns=["one"], max_dist=3)
    explorer = de.Explorer(*small(), color_by=three, column=2)
    page = Page(explorer)
    colored = explorer.codes
    for column, name in enumerate(columns):
        page.choose(column=column)
        assert page["seen"]["title"] == f"three: {name}" and (explorer.codes == colored) == (column == 2)
    page.choose(color_by="one", toggle="one")  # it has fewer columns
    assert page["error"] == {} and page["seen"]["title"] == "one" and page["seen"]["columns"] == ["one"]
    page.choose(color_by="three", toggle="three")
    assert page["error"] == {} and page["seen"]["columns"] == columns and explorer.codes == colored
    explorer.wait()
    assert page["pills"]["pills"][-1]["title"] == "DE-2 three"
    assert page["seen"]["method"] == "DE-three" == page["pills"]["pills"][-1]["method"]
    assert shown(pasted(explorer)) == shown(explorer) and explorer.code().count("de.encoding('three'") == 1
    with pytest.raises(de.ParameterError, match="not registered"):
        de.Explorer(color_by=de.SPD(3))


def test_of_a_large_graph_the_part_around_its_targets_is_drawn() -> None:
    n = 20_100
    ring = nx.cycle_graph(n)
    ring.add_edges_from([(0, 200), (n - 1, 200)])
    G = de.Graph.from_networkx(ring)
    page = Page(de.Explorer((G, [0]), layer=2, layout="circular"))

    def check_drawn(start: int) -> None:
        far = nx.single_source_shortest_path_length(ring, start)
        drawn = sorted(sorted(far, key=lambda v: (far[v], v))[:1_500])
        assert page["graphs"]["drawn"] == [drawn] and page["graphs"]["starts"] == [0, 1_500]
        assert page["graphs"]["names"] == [node_name(G, v) for v in drawn] and page["graphs"]["nodes"] == [n]
        edges = {(drawn[u], drawn[v]) for u, v in page["edges"].reshape(-1, 2).tolist()}
        assert edges == {(u, v) for u, v in G.edges.tolist() if {u, v} <= set(drawn)}

    check_drawn(0)
    page.change(targets=[[0, 700]])  # it is in sight: nothing moves
    assert not any("xy" in names for names in page.changes)
    page.change(targets=[[5_000]])
    check_drawn(5_000)
    page.do("search", text="v17")
    assert page.heard[-1]["items"][0][:2] == [0, 17]  # nodes that are not drawn are found, too
    page.do("compare", on=True)
    assert page["graphs"]["starts"] == [0, 1_500, 3_000] and page["graphs"]["same"]
    page.do("compare", on=False)
    for size in (3_000, 6_000, 12_000, 20_000):
        assert page["graphs"]["more"]
        page.do("more")
        assert len(page["graphs"]["drawn"][0]) == size == page["xy"].size / 2 == page["codes"].size
    assert not page["graphs"]["more"]


@pytest.mark.parametrize("cut", [False, True])
def test_the_tree_of_a_large_graph_comes_with_the_arcs_that_it_follows(cut: bool) -> None:
    n = 20_100
    graph = nx.cycle_graph(n)
    graph.add_edges_from((hub, v) for hub in (0, 1) for v in range(0, n, 2) if v != hub)
    for start, layer, depth in ((5, 1, 1), (5, 2, 2), (5, 3, 2), (0, 2, 1)):  # beyond 60,000 arcs it ends
        targets = [start, start + 1]
        explorer = de.Explorer((de.Graph.from_networkx(graph), targets), layer=layer, layout="circular", cut=cut)
        [net] = explorer.seen["net"]
        seen = nx.restricted_view(graph, [], [tuple(targets)] if cut else [])
        far = nx.multi_source_dijkstra_path_length(seen, set(targets), cutoff=depth, weight=None)
        assert (net["side"], net["depth"], net["nodes"]) == (0, depth, sorted(far))
        assert net["names"] == [f"v{v}" for v in net["nodes"]]
        for u in (start, start + 1, net["nodes"][0], net["nodes"][-1]):
            arcs = {net["nodes"][k] for k in net["arcs"][net["nodes"].index(u)]}
            assert arcs == (set(seen[u]) if far[u] < depth else set())
        rows, [labels], [codes] = net["classes"], [explorer.state.labels()], [net["codes"]]
        [classes] = explorer.state.classes(depth)
        assert np.array_equal(rows, classes[:, net["nodes"]]) and codes == labels.codes[0][net["nodes"]].tolist()


def test_a_tour_goes_from_step_to_step_and_a_question_waits_for_a_reply() -> None:
    page, tour = Page(de.Explorer(tour="fig1")), TOURS["fig1"]
    for at, step in enumerate(tour.steps):
        page.do("tour", key="fig1", at=at)
        about = {"title": tour.title, "at": at, "of": len(tour.steps), "text": step.text, "look": step.look}
        assert page["lesson"] == {"kind": "tour", "key": "fig1"} | about
    page.panel.open_graph(de.load("karate"))
    assert page["targets"] == [[33]] and "34 nodes" in page["graphs"]["idea"] and page["graphs"]["example"] == ""
    page = Page(de.Explorer(preset="fig3", ask="Can it?", answer="no"))
    assert page["lesson"] == {"kind": "ask", "question": "Can it?", "expected": "no", "reply": None}
    page.change(lesson=page["lesson"] | {"reply": "yes"})
    assert page.panel.lesson["reply"] == "yes"


def test_what_is_exported_is_what_code_gets() -> None:
    explorer = de.Explorer(preset="hexagon")
    page = Page(explorer)
    pictures = {f"{what}.{kind}": explorer.svg(what) for what in ("graph", "tree") for kind in ("svg", "png")}
    assert len(set(pictures.values())) == 2
    for what in (*pictures, "page", "ego", "code"):
        page.do("export", what=what)
    *drawn, saved, ego, code = page.heard
    assert drawn == [
        {"kind": "download", "name": name, "mime": "image/svg+xml", "text": text} for name, text in pictures.items()
    ]
    assert saved | {"text": ""} == {"kind": "download", "name": "explorer.html", "mime": "text/html", "text": ""}
    assert ego == saved | {"name": "ego_network.html", "text": explorer.html()} and "openPage(" in saved["text"]
    assert code == {"kind": "copy", "text": explorer.code()} and page["busy"] == ""


def test_one_model_a_panel_and_nothing_left_after_closing() -> None:
    before = set(widget._instances)
    explorer = de.Explorer(preset="hexagon")
    assert len(set(widget._instances) - before) == 1
    explorer.wait()
    gone = weakref.ref(explorer)
    explorer.close()
    left = explorer.get_state(["xy", "edges", "codes", "classes", "_script", "_css"])
    assert not any(left.values())
    del explorer
    gc.collect()
    assert gone() is None


def test_it_runs_without_torch() -> None:
    code = "import sys; sys.modules['torch'] = None; import degnn_explore as de; de.Explorer(preset='hexagon').wait()"
    subprocess.run([sys.executable, "-c", code], check=True, timeout=LONG)
