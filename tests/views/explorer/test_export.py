"""Pictures, pages and files: names are text in all of them, and nothing is fetched."""

from __future__ import annotations

import json
import re

import pytest

import degnn_explore as de
from degnn_explore.views.explorer.pages import free_view
from degnn_explore.views.explorer.presets import SOURCES, build
from degnn_explore.views.widgets.uploads import read_own

EVIL = "<img src=x onerror=alert(1)>"


def test_an_svg_draws_every_edge_node_ring_and_legend_entry() -> None:
    picture = de.Explorer((de.zoo.two_triangles(), [0, 1]), cut=True).svg()
    assert picture.count("<line ") == 6
    assert picture.count('stroke-dasharray="1 5"') == 1
    assert picture.count("<circle ") == 6 + 2 + 3  # nodes, rings of the targets, legend
    assert ">S<" in picture
    assert "S = {v0, v1}, p = 2" in picture
    trees = de.Explorer(preset="fig3").svg("tree")
    assert trees.count('stroke-dasharray="6 4"') == 2  # where A and B part, once on each side
    assert trees.count("<circle ") == 2 + 2 + 3 + 4  # roots, two levels, and a ring for what one side lacks
    assert all(word in trees for word in ("×2", "×3", ">A: v2<", ">B: v3<"))


@pytest.mark.parametrize("preset", ["fig1", "fig2b", "fig4"])
def test_no_number_touches_another_in_an_svg(preset: str) -> None:
    trees = de.Explorer(preset=preset).svg("tree")
    spots = [(float(x), float(y)) for x, y in re.findall(r'<text x="([\d.]+)" y="([\d.]+)"[^>]*>×\d+<', trees)]
    assert len(spots) > 2
    for k, (x, y) in enumerate(spots):
        assert all(abs(x - u) > 24 or abs(y - v) > 10 for u, v in spots[:k]), (x, y)


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


def test_the_free_view_has_two_trees_apart_on_any_ground() -> None:
    page = de.Explorer(preset="fig3").html()
    nodes, edges = (
        re.search(rf"{what} = new vis.DataSet\((\[.*?\])\);", page, re.DOTALL) for what in ("nodes", "edges")
    )
    assert nodes and edges
    labels = [(node["label"], node["level"]) for node in json.loads(nodes[1])]
    assert labels[0] == ("A: v2\n0", 0) and labels[8] == ("B: v3\n0", 0)
    lines = json.loads(edges[1])
    assert [(line["from"], line["to"]) for line in lines if line["dashes"]] == [(1, 4), (9, 11)]  # where they part
    assert {line["label"] for line in lines if "label" in line} == {"×2", "×3"}
    assert all((line["from"] < 8) == (line["to"] < 8) for line in lines)
    assert "background: transparent" in page


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
