"""The small parts of the Explorer, each by an example that one can check by hand."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

import degnn_explore as de
from degnn_explore.views.explorer import layouts, presets, trees
from degnn_explore.views.explorer.colouring import by_class
from degnn_explore.views.explorer.excerpt import excerpt_of, note_column, search
from degnn_explore.views.explorer.pages import free_view, sharing
from degnn_explore.views.explorer.pages.svg import svg
from degnn_explore.views.explorer.state import ExplorerState
from degnn_explore.views.explorer.verdict_table import Question, answers
from degnn_explore.views.widgets.canvas import Canvas
from degnn_explore.views.widgets.html import node_name, tag, text

PATH = de.Graph.from_edges([(0, 1), (1, 2), (2, 3)])


def test_text_and_tags_are_escaped() -> None:
    assert text("<img src=x onerror=alert(1)>") == "&lt;img src=x onerror=alert(1)&gt;"
    assert text('"') == "&quot;"
    assert tag("b", "a < b", "de-hint") == '<b class="de-hint">a &lt; b</b>'
    assert tag("b", 3) == "<b>3</b>"


def test_a_bare_number_gets_a_v() -> None:
    assert node_name(de.Graph.from_edges([(0, 1)]), 1) == "v1"
    assert node_name(de.Graph.from_edges([("a", "b")]), 1) == "b"


def test_classes_are_letters() -> None:
    coloured = by_class([(de.Graph.from_edges([(0, 1), (1, 2)]), [0])], "1-WL", layer=1)
    assert [(e.label, e.counts) for e in coloured.entries[:-1]] == [("class a", (2,)), ("class b", (1,))]


def test_a_small_graph_is_drawn_whole() -> None:
    assert excerpt_of(PATH, (), 2).nodes.tolist() == [0, 1, 2, 3]


def test_columns_of_text_are_notes_and_columns_of_numbers_are_not() -> None:
    info = {"city": ["Bonn", "Rome"], "size": [1, 2], "Name": ["x", "y"], "state": ["", "Lazio"]}
    assert note_column(de.Graph.from_edges([(0, 1)], info=info)) == ["Bonn", "Rome, Lazio"]
    assert note_column(PATH) == []


def test_a_search_prefers_the_start_of_a_name() -> None:
    G = de.Graph.from_edges([("Atlanta", "Boston"), ("Boston", "Natal"), ("Natal", "at")], info=None)
    assert search([G], 0, " AT ") == [(0, 3, "at", ""), (0, 0, "Atlanta", ""), (0, 2, "Natal", "")]
    assert search([G, G], 1, "bos") == [(1, 1, "Boston", ""), (0, 1, "Boston", "")]
    assert len(search([de.load("pb")], 0, "", limit=5)) == 5
    assert [v for _, v, _, _ in search([G], 0, "t", limit=3)] == [0, 1, 2]  # two of Atlanta take one place


def _looked_through(graphs: list[de.Graph], active: int, text: str, limit: int) -> list[tuple[int, int]]:
    """The same search, node by node."""
    wanted, matches = text.casefold().strip(), []
    for side, graph in enumerate(graphs):
        for node, note in enumerate(note_column(graph)):
            low = node_name(graph, node).casefold()
            fits = low == wanted, low.startswith(wanted), wanted in low, wanted in note.casefold()
            if any(fits):
                matches.append((fits.index(True), side != active, side, node))
    return [match[2:] for match in sorted(matches)[:limit]]


_WORDS = st.text("aAbß1 v", max_size=4)


@given(data=st.data(), wanted=_WORDS, active=st.integers(0, 1), limit=st.integers(1, 6))
def test_a_search_finds_what_a_look_at_every_node_finds(
    data: st.DataObject, wanted: str, active: int, limit: int
) -> None:
    sides = []
    for names in data.draw(st.lists(st.lists(_WORDS, unique=True, min_size=1, max_size=8), min_size=1, max_size=2)):
        notes = data.draw(st.lists(_WORDS, min_size=len(names), max_size=len(names)))
        named = [f"{i} {name}" if not name.strip() else name for i, name in enumerate(names)]
        sides.append(de.Graph.from_edges([], len(names), names=named, info={"city": notes}))
    found = search(sides, active, wanted, limit)
    assert [match[:2] for match in found] == _looked_through(sides, active, wanted, limit)


def test_layouts_of_a_path() -> None:
    assert layouts.available(PATH) == ["force", "concentric", "circular"]
    circle = layouts.place(PATH, "circular").round(3) + 0.0
    assert circle.tolist() == [[0.0, 1.0], [1.0, 0.0], [0.0, -1.0], [-1.0, 0.0]]
    assert layouts.place(de.Graph.from_edges([], num_nodes=1), "circular").tolist() == [[0.0, 0.0]]
    assert layouts.fit_box(np.array([[0.0, 0.0], [4.0, 2.0]])).tolist() == [[-1.0, -0.5], [1.0, 0.5]]
    assert np.hypot(*layouts.concentric(PATH, {0}).T).round(3).tolist() == [0.0, 0.333, 0.667, 1.0]


def test_a_map_of_two_places() -> None:
    G = de.Graph.from_edges([(0, 1)], info={"latitude": [0.0, 0.0], "longitude": [10.0, 20.0]})
    assert layouts.geography(G).tolist() == [[-1.0, 0.0], [1.0, 0.0]]


def test_presets_and_their_targets() -> None:
    assert presets.build("zoo.hexagon()").num_nodes == 6
    assert presets.preset("fig1").title == "Fig. 1(a): a cubic graph"
    assert presets.preset("Fig. 1(a): a cubic graph").key == "fig1"
    assert presets.starting_targets(presets.build("zoo.hexagon()"), ("edge",)) == (0, 1)
    star = de.Graph.from_edges([(3, 0), (3, 1), (3, 2)])
    assert presets.starting_targets(star, ("hub",)) == (3,)
    flights = de.load("us-flights")
    assert [flights.names[t] for t in presets.starting_targets(flights, ("ATL",))] == ["ATL"]


def test_a_code_and_the_python_of_the_same() -> None:
    code = sharing.encode(ExplorerState.of_preset("fig1"))
    assert code.startswith("de1.")
    assert sharing.decode(code).caption(1) == "B = {v3}, p = 1"
    assert sharing.as_python(ExplorerState.of_preset("hexagon")).splitlines() == [
        "import degnn_explore as de",
        "",
        "A = (de.zoo.two_triangles(), [0])",
        "B = (de.zoo.hexagon(), [0])",
        'print(de.distinguish(A, B, method="DE-SPD"))',
        "de.Explorer(A, B, colour_by='SPD', layer=2, layout='as drawn', size=1)",
    ]


def test_a_name_is_text_in_a_picture() -> None:
    legend = [{"label": "0", "mark": "0", "colour": "#440154", "ink": "#fff", "counts": [1]}]
    canvas = Canvas(codes=bytes(2), legend=legend)
    canvas.put(positions=np.zeros((1, 2)), edges=np.zeros((0, 2), int), names=["<b>\x07"])
    assert "<b>" not in svg(canvas)
    assert "&lt;b&gt; <" in svg(canvas)


def test_the_trees_of_figure_3() -> None:
    shown = trees.forest(ExplorerState.of_preset("fig3"))
    assert [len(tree) for tree in shown.trees] == [8, 4]
    assert shown.comparison is not None
    assert shown.comparison.layer == 2


def test_what_a_tree_node_stands_for() -> None:
    assert trees.tree_tip(de.unroll(de.zoo.hexagon(), 0, 1, S=[0], merge=True), 1) == "v1, v5 (2 equal subtrees)"


def test_the_verdicts_of_figure_1() -> None:
    found = [(method, verdict.layer) for method, verdict in answers(Question.of(ExplorerState.of_preset("fig1")))]
    assert found == [("1-WL", None), ("DE-SPD", 2), ("DE-LP", 0), ("DEA-SPD", 2), ("2-WL", 2)]


def test_a_free_page_and_its_frame() -> None:
    page = free_view.page(trees.forest(ExplorerState.of_preset("fig3")))
    assert "cdn." not in page
    assert page.count("Content-Security-Policy") == 1
    framed = free_view.frame("<p>hi</p>")
    assert framed.endswith('sandbox="allow-scripts" srcdoc="&lt;p&gt;hi&lt;/p&gt;"></iframe>')
