"""The Explorer's state, colouring, trees, verdicts and sharing, all without a browser."""

from __future__ import annotations

import threading

import numpy as np
import pytest

import degnn_explore as de
from degnn_explore.views.explorer import colouring, free_view
from degnn_explore.views.explorer.excerpt import search
from degnn_explore.views.explorer.presets import PRESETS, SOURCES, build
from degnn_explore.views.explorer.state import ExplorerState, Side
from degnn_explore.views.explorer.trees import MAX_TREE, forest, tidy
from degnn_explore.views.explorer.verdict_table import Judge, Question, answers, table
from degnn_explore.views.widgets.uploads import read_own

EVIL = "<img src=x onerror=alert(1)>"


def legend(state: ExplorerState) -> list[tuple[str, tuple[int, ...] | None]]:
    return [(entry.label, entry.counts) for entry in state.coloured().entries[:-1]]


def tell(explorer: de.Explorer, message: object) -> None:
    """What ipywidgets does with a message from the page."""
    explorer.graph_canvas._handle_custom_msg(message, [])


# ---- picking ------------------------------------------------------------------------------------


def test_a_click_toggles_a_target() -> None:
    state = ExplorerState(de.zoo.figure1())
    state.pick(0, 2)
    state.pick(0, 7)
    assert state.sides[0].targets == (2, 7)
    state.pick(0, 2)
    assert state.sides[0].targets == (7,)


def test_with_p_fixed_the_oldest_target_makes_room() -> None:
    state = ExplorerState(de.zoo.figure1())
    state.update(size=2)
    for node in (2, 7, 4):
        state.pick(0, node)
    assert state.sides[0].targets == (7, 4)


def test_a_lasso_adds_and_frees_p() -> None:
    state = ExplorerState.of_preset("fig1")
    state.add(0, [2, 4, 5])
    assert state.sides[0].targets == (2, 4, 5)
    assert state.size == 0


def test_a_lasso_of_hundreds_is_refused_in_words() -> None:
    explorer = de.Explorer((de.load("celegans"), [0]))
    tell(explorer, {"type": "lasso", "nodes": list(range(150))})
    assert "up to 100" in explorer._error.value
    assert explorer.targets == [[0]]
    tell(explorer, {"type": "lasso", "nodes": list(range(60))})
    assert explorer._error.value == ""
    assert len(explorer.targets[0]) == 60


def test_listeners_hear_what_changed() -> None:
    state, heard = ExplorerState.of_preset("fig1"), []
    state.observe(heard.append)
    state.pick(1, 0)
    state.update(layer=3)
    state.update(layer=3)
    state.clear()
    assert heard == [{"targets"}, {"layer"}, {"targets"}]


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"colour_by": "SDP"}, "Did you mean 'SPD'"),
        ({"layer": 99}, "at most 6"),
        ({"layout": "geography"}, "layout"),
        ({"nonsense": 1}, "setting"),
        ({"hops": 0}, "at least 1"),
    ],
)
def test_wrong_settings_are_named(settings: dict, message: str) -> None:
    with pytest.raises(de.ParameterError, match=message):
        ExplorerState.of_preset("fig1").update(**settings)


def test_a_node_outside_the_graph_is_refused() -> None:
    with pytest.raises(de.TargetError, match="not in the graph"):
        ExplorerState.of_preset("fig1").pick(0, 8)


# ---- colouring ----------------------------------------------------------------------------------


def test_fig1_distances_of_the_mockup() -> None:
    assert legend(ExplorerState.of_preset("fig1")) == [("0", (1, 1)), ("1", (3, 3)), ("2", (4, 4))]


def test_two_targets_give_multisets() -> None:
    state = ExplorerState((de.zoo.hexagon(), [0, 1]))
    assert legend(state) == [("{0,1}", (2,)), ("{1,2}", (2,)), ("{2,3}", (2,))]


def test_unreachable_nodes_are_grey_and_last() -> None:
    entries = ExplorerState((de.zoo.two_triangles(), [0])).coloured().entries
    assert [e.label for e in entries] == ["0", "1", "∞", ""]
    assert entries[2].colour == "#9aa0a6"


def test_landing_probability_shows_fractions() -> None:
    state = ExplorerState.of_preset("fig1")
    state.update(colour_by="LP", step=3)
    coloured = state.coloured()
    assert coloured.label(0, 2) == "2/27"
    assert coloured.label(1, 3) == "0"


def test_pagerank_of_many_values_is_binned_and_keeps_the_exact_ones() -> None:
    state = ExplorerState((de.load("karate"), [0]))
    state.update(colour_by="PageRank")
    coloured = state.coloured()
    assert coloured.values is not None
    np.testing.assert_allclose(coloured.values[0], de.PageRank().encode(de.load("karate"), [0])[:, 0])
    assert sum(e.counts[0] for e in coloured.entries if e.counts) == 34


def test_drnl_asks_for_two_targets() -> None:
    state = ExplorerState((de.zoo.hexagon(), [0]))
    state.update(colour_by="DRNL")
    assert "pick two targets (now 1)" in state.coloured().note
    state.pick(0, 3)
    assert legend(state) == [("label 1", (2,)), ("label 3", (4,))]


def test_fig1_classes_match_the_paper() -> None:
    """v2 and v3 are alike at layer 1 and differ at layer 2; 1-WL never splits anything."""
    state = ExplorerState.of_preset("fig1")
    state.update(colour_by="1-WL", layer=6)
    assert legend(state) == [("class a", (8, 8))]
    state.update(colour_by="DE-SPD", layer=1)
    assert state.coloured().label(0, 2) == state.coloured().label(1, 3)
    state.update(layer=2)
    assert state.coloured().label(0, 2) != state.coloured().label(1, 3)


def test_a_class_keeps_its_colour_when_others_split() -> None:
    state = ExplorerState((de.load("karate"), [0]))
    state.update(colour_by="DE-SPD", layer=1)
    before = state.coloured().codes[0]
    state.update(layer=2)
    after = state.coloured().codes[0]
    for old in np.unique(before):
        assert old in after[before == old]


def test_many_classes_are_capped_not_lost() -> None:
    path = de.Graph.from_edges([(i, i + 1) for i in range(1200)])
    coloured = colouring.by_class([(path, [0])], "DE-SPD", 0)
    assert len(coloured.entries) <= colouring.MAX_CLASSES + 2
    assert "further classes" in coloured.entries[-2].label


def test_a_tip_follows_the_layer_the_cut_and_the_targets() -> None:
    state = ExplorerState.of_preset("fig1")
    state.update(layer=1)
    assert state.tip(0, 2) == ["DE-SPD after 1 layer: class c (of 2)"]
    state.update(layer=2)
    assert state.tip(0, 2)[0].startswith("DE-SPD after 2 layers")
    assert state.tip(0, 2)[0].endswith("(of 1)")  # layer 2 tells v2 in A from v3 in B
    state.update(colour_by="1-WL")
    assert state.tip(0, 0) == ["distance to S: 2"]
    state.pick(0, 0)
    assert state.tip(0, 0) == ["distance to S: 0"]


def test_a_tip_is_silent_without_targets() -> None:
    assert ExplorerState(de.zoo.hexagon()).tip(0, 3) == []


def test_a_colouring_is_computed_once_a_change(monkeypatch: pytest.MonkeyPatch) -> None:
    calls: list[str] = []
    computed = colouring.by_encoding
    monkeypatch.setattr(colouring, "by_encoding", lambda *a, **k: calls.append("") or computed(*a, **k))
    explorer = de.Explorer(preset="fig1")
    calls.clear()
    tell(explorer, {"type": "pick", "node": 5})
    assert len(calls) == 1
    explorer.state.coloured()
    assert len(calls) == 1
    explorer.state.update(cut=True)
    assert len(calls) == 2


# ---- trees --------------------------------------------------------------------------------------


def test_fig3_trees_part_at_layer_2() -> None:
    shown = forest(ExplorerState.of_preset("fig3"))
    assert shown.comparison is not None
    assert shown.comparison.layer == 2
    assert "layer 2" in shown.note
    assert shown.comparison.branches_a.any()


def test_fig4_trees_are_equal_to_any_depth() -> None:
    state = ExplorerState.of_preset("fig4")
    state.update(layer=4)
    shown = forest(state)
    assert shown.comparison is not None
    assert shown.comparison.same


def test_tidy_trees_have_no_two_nodes_in_one_place() -> None:
    state = ExplorerState.of_preset("fig2b")
    for tree in forest(state).trees:
        places = {tuple(np.round(p, 3)) for p in tidy(tree)}
        assert len(places) == len(tree)


def test_a_tree_too_large_to_read_is_shown_less_deep() -> None:
    G = de.load("celegans")
    state = ExplorerState((G, [int(G.degrees.argmax())]))
    state.update(layer=4)
    shown = forest(state)
    assert shown.depth < 4
    assert len(shown.trees[0]) <= MAX_TREE
    assert "would not fit" in shown.note


# ---- verdicts -----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("preset", "layers"),
    [
        ("fig1", [None, 2, 0, 2, 2]),
        ("fig2b", [None, 2, 2, 2, None]),
        ("fig4", [None, None, None, None, None]),
        ("hexagon", [None, 2, 0, 1, 2]),
    ],
)
def test_verdicts_of_the_presets(preset: str, layers: list[int | None]) -> None:
    found = [v.layer for _, v in answers(Question.of(ExplorerState.of_preset(preset)))]
    assert found[:2] == layers[:2]
    assert found == layers


def test_cutting_the_edge_inside_s_matters_for_the_domino() -> None:
    state = ExplorerState.of_preset("cut")
    assert not dict(answers(Question.of(state)))["DE-SPD"].different
    state.update(cut=True)
    assert dict(answers(Question.of(state)))["DE-SPD"].different


def test_sets_of_different_size_get_a_hint_not_an_error() -> None:
    state = ExplorerState.of_preset("fig1")
    state.add(0, [7])
    assert "A has 2 targets and B has 1" in Question.of(state).hint
    assert "A has 2 targets" in table(Question.of(state), {})


def test_a_new_question_cancels_the_old_one() -> None:
    shown, failed, done = [], [], threading.Event()

    def show(question: Question, found: dict) -> None:
        shown.append((question, len(found)))
        if question is second and len(found) == 5:
            done.set()

    judge = Judge(show, failed.append)
    G = de.load("celegans")
    first = Question((Side(G, (0,)), Side(G, (1,))), 2, False)
    second = Question.of(ExplorerState.of_preset("fig1"))
    judge.ask(first)
    judge.ask(second)
    assert done.wait(60)
    assert not failed
    assert max(count for question, count in shown if question is first) == 0


def test_the_table_escapes_what_a_graph_says() -> None:
    G = de.Graph.from_edges([(EVIL, "b"), ("b", "c"), ("c", "d")])
    question = Question((Side(G, (0,)), Side(G, (1,))), 2, False)
    html = table(question, dict(answers(question)))
    assert "<img" not in html


# ---- the whole panel, headless --------------------------------------------------------------------


def test_explorer_sends_only_colours_on_a_click() -> None:
    explorer = de.Explorer(preset="fig1")
    before = explorer.graph_canvas.positions
    sent: list[set[str]] = []
    explorer.graph_canvas.observe(lambda change: sent.append(change["name"]))
    tell(explorer, {"type": "pick", "node": 5})
    assert explorer.targets == [[5], [3]]
    assert "positions" not in sent
    assert "edges" not in sent
    assert explorer.graph_canvas.positions == before
    assert explorer.graph_canvas.targets == [5, 11]
    explorer.wait()
    assert explorer.verdicts["DE-SPD"].different


def test_an_error_in_a_callback_is_shown() -> None:
    explorer = de.Explorer(preset="fig1")
    tell(explorer, {"type": "pick", "node": "nonsense"})
    assert "de-error" in explorer._error.value
    tell(explorer, {"type": "pick", "node": 5})
    assert explorer._error.value == ""


def test_a_large_graph_opens_on_the_neighbourhood_of_s() -> None:
    rng = np.random.default_rng(0)
    G = de.Graph.from_edges(rng.integers(0, 25_000, (50_000, 2)), num_nodes=25_000)
    explorer = de.Explorer((G, [7]))
    assert explorer.graph_canvas.starts == [0, 1500]
    assert "1,500 of 25,000 nodes drawn" in explorer.graph_canvas.captions[0]
    assert explorer._more.layout.display == ""
    drawn = explorer._scene.nodes[0]
    explorer.state.pick(0, int(drawn[3]))
    np.testing.assert_array_equal(explorer._scene.nodes[0], drawn)
    explorer._show_more()
    assert explorer.graph_canvas.starts == [0, 3000]
    outside = int(np.setdiff1d(np.arange(25_000), explorer._scene.nodes[0])[0])
    tell(explorer, {"type": "find", "key": [0, outside]})
    assert outside in explorer._scene.nodes[0]


def test_a_click_on_a_large_graph_picks_the_node_that_is_drawn_there() -> None:
    path = de.Graph.from_edges([(i, i + 1) for i in range(24_999)])
    explorer = de.Explorer((path, [20_000]))
    drawn = explorer._scene.nodes[0]
    assert drawn[0] == 20_000 - 750
    tell(explorer, {"type": "pick", "node": 0})
    assert explorer.targets == [[20_000, int(drawn[0])]]
    assert explorer.graph_canvas.targets == [750, 0]
    tell(explorer, {"type": "lasso", "nodes": [1, 2]})
    assert explorer.targets[0][2:] == [int(drawn[1]), int(drawn[2])]


def test_a_tip_on_a_large_graph_speaks_of_the_node_that_is_drawn_there(monkeypatch: pytest.MonkeyPatch) -> None:
    path = de.Graph.from_edges([(i, i + 1) for i in range(24_999)])
    explorer = de.Explorer((path, [20_000]), colour_by="1-WL", layer=0)
    sent: list[dict] = []
    monkeypatch.setattr(explorer.graph_canvas, "send", sent.append)
    tell(explorer, {"type": "tip", "node": 748})
    assert sent == [{"type": "tip", "node": 748, "lines": ["distance to S: 2"]}]


def test_each_side_shows_its_own_names_and_notes() -> None:
    a = de.Graph.from_edges([("x", "y")], info={"city": ["Bonn", "Rome"]}, title="A")
    b = de.Graph.from_edges([("p", "q"), ("q", "r")], info={"city": ["Lima", "Oslo", "Kiel"]}, title="B")
    canvas = de.Explorer((a, ["x"]), (b, ["q"])).graph_canvas
    assert canvas.names == ["x", "y", "p", "q", "r"]
    assert canvas.notes == ["Bonn", "Rome", "Lima", "Oslo", "Kiel"]
    assert canvas.captions == ["A = {x}, p = 1 · A", "B = {q}, p = 1 · B"]
    assert np.frombuffer(canvas.edges, dtype="<u4").tolist() == [0, 1, 2, 3, 3, 4]


def test_a_node_without_a_note_beside_a_graph_with_notes() -> None:
    a = de.Graph.from_edges([("x", "y")], info={"city": ["Bonn", "Rome"]})
    assert de.Explorer((a, ["x"]), (de.zoo.hexagon(), [0])).graph_canvas.notes == ["Bonn", "Rome", *[""] * 6]


def test_a_match_in_the_second_graph_says_so() -> None:
    explorer = de.Explorer((de.Graph.from_edges([("ab", "c")]), []), (de.Graph.from_edges([("xab", "d")]), []))
    sent: list[dict] = []
    explorer.graph_canvas.send = sent.append
    tell(explorer, {"type": "search", "text": "AB"})
    assert sent[0]["items"] == [
        {"key": [0, 0], "name": "ab", "note": "in A"},
        {"key": [1, 0], "name": "xab", "note": "in B"},
    ]


def test_only_the_edges_inside_one_target_set_are_dotted() -> None:
    G = de.zoo.two_triangles()
    explorer = de.Explorer((G, [0, 1]), (G, [2, 3]), cut=True)
    styles = np.frombuffer(explorer.graph_canvas.edge_styles, dtype="u1")
    edges = np.frombuffer(explorer.graph_canvas.edges, dtype="<u4").reshape(-1, 2)
    assert edges[styles == 2].tolist() == [[0, 1]]
    explorer.state.update(cut=False)
    assert explorer.graph_canvas.edge_styles == b""


def test_every_preset_opens_without_an_error() -> None:
    explorer = de.Explorer()
    for one in PRESETS:
        explorer.open_preset(one.key)
        assert explorer._error.value == "", one.key
        assert explorer.state.preset_key == explorer._drawers.menu.value == one.key


@pytest.mark.parametrize("colour_by", ["SPD", "LP", "PageRank", "DRNL", "1-WL", "DE-SPD", "DE-LP", "DEA-SPD"])
def test_every_colouring_works_from_no_target_to_three(colour_by: str) -> None:
    explorer = de.Explorer(de.zoo.petersen(), colour_by=colour_by, cut=True)
    for node in (0, 1, 2):
        assert explorer._error.value == ""
        explorer.state.pick(0, node)
    assert explorer._error.value == ""
    explorer.state.compare(True)
    assert explorer._error.value == ""


def test_search_finds_airports_by_code_and_city() -> None:
    flights = [de.load("us-flights")]
    assert search(flights, 0, "ATL")[0][2] == "ATL"
    assert "Seattle" in search(flights, 0, "seattle")[0][3]
    assert search(flights, 0, "no such place") == []


# ---- export -----------------------------------------------------------------------------


def test_an_svg_draws_every_edge_node_ring_and_legend_entry() -> None:
    picture = de.Explorer((de.zoo.two_triangles(), [0, 1]), cut=True).svg()
    assert picture.count("<line ") == 6
    assert picture.count('stroke-dasharray="1 5"') == 1
    assert picture.count("<circle ") == 6 + 2 + 3  # nodes, rings of the targets, legend
    assert ">S<" in picture
    assert "S = {v0, v1}, p = 2" in picture
    trees = de.Explorer(preset="fig3").svg("tree")
    assert 'stroke-dasharray="5 4"' in trees
    assert "×2" in trees


def test_names_are_text_in_svg_and_pyvis() -> None:
    evil = EVIL + "</script><a href=x>"
    G = de.Graph.from_edges([(evil, "b"), ("b", "c")])
    explorer = de.Explorer((G, [evil]), layer=1)
    svg = explorer.svg()
    assert "<img" not in svg
    assert "&lt;img" in svg
    assert explorer.svg("tree").startswith("<svg")
    page = explorer.html()
    assert "<img src=x" not in page
    assert "innerHTML = nodeData" not in page  # pyvis's own way of showing titles as markup
    frame = free_view.frame(page)
    assert 'sandbox="allow-scripts"' in frame
    assert "<script" not in frame


def test_the_pyvis_page_asks_for_nothing() -> None:
    page = de.Explorer(preset="fig3").html()
    for sign in ("cdn.jsdelivr.net", "cdnjs.cloudflare.com", "<link", "bootstrap"):
        assert sign not in page
    assert "vis.Network" in page


def test_an_uploaded_file_is_read_and_its_name_never_used_as_a_path() -> None:
    G = read_own("../../etc/own.csv", b"source,target\na,b\nb,a\nb,b\n")
    assert G.num_edges == 1
    explorer = de.Explorer()
    explorer.open_graph(G)
    assert "self-loop" in explorer._idea.value
    with pytest.raises(ValueError, match=r"^(?!.*/)(?=.*x\.csv)"):  # named as the reader knows it, without a folder
        read_own("x.csv", b"")


def test_every_source_can_be_built() -> None:
    for source in SOURCES:
        assert build(source).num_nodes > 0
