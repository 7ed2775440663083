"""What readers without a kernel get: pictures with captions in any viewer, and files that reach nothing."""

from __future__ import annotations

import base64
import hashlib
import json
import re
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import nbformat
import networkx as nx
import pytest
from nbconvert import HTMLExporter

import degnn_explore as de
from degnn_explore.common.style import text_on
from degnn_explore.views import static_html
from degnn_explore.views.text import node_name
from tests.support.page import Markup

EVIL = "' \" onload=alert(1) <img src=x onerror=alert(1)> href </script> &amp;"


def texts(svg: str | bytes) -> str:
    """The texts of an SVG, read as a browser would: not at all if it is not well formed."""
    return "\n".join(it.text or "" for it in ElementTree.fromstring(svg).iter("{http://www.w3.org/2000/svg}text"))


def harmless(html: str) -> Markup:
    """HTML in which no name has become an element or an attribute."""
    made = Markup(html)
    sources = [attributes.get("src") or "" for _, attributes in made.elements]
    assert not {"onload", "onerror"} & made.attributes and "x" not in sources and "href" not in made.attributes
    return made


def test_nbconvert_shows_an_explorer_as_a_picture_with_its_caption() -> None:
    explorer = de.Explorer(preset="hexagon")
    explorer.wait()
    data = explorer._repr_mimebundle_()[0]
    out = nbformat.v4.new_output("execute_result", data=data, execution_count=1)
    cell = nbformat.v4.new_code_cell("panel", outputs=[out], execution_count=1)
    page, _ = HTMLExporter().from_notebook_node(nbformat.v4.new_notebook(cells=[cell]))
    assert "<figcaption" in page and data["text/plain"] in Markup(page).text
    found = re.findall(r"<img [^>]*image/svg\+xml;base64,([^\"]+)", page)
    graphs, trees = (texts(base64.b64decode(it)) for it in found)
    assert "A = {v0} · two triangles" in graphs and "layer 2" in trees
    told = re.search(r"told apart by (.*), not by (.*)\.", data["text/plain"])
    assert told is not None and told[2] == "1-WL"
    assert "DE-SPD from layer 2" in told[1] and "RWSE from layer 0" in told[1]


def test_a_caption_says_what_is_known() -> None:
    explorer = de.Explorer(preset="fig1")
    for targets, words in (([[3], [6]], "No method tells A from B"), ([[2], []], "Colors: distance to S, layer 2.")):
        explorer.targets = targets
        explorer.wait()
        assert words in explorer.static()[0] and "told apart" not in explorer.static()[0]
    caption = de.Explorer((de.zoo.petersen(), [1]), color_by="1-WL", layer=1).static()[0]
    assert "Colors: a plain GNN, layer 1" in caption and "S = {v1}" in caption


def test_names_are_text_wherever_they_are_shown() -> None:
    names = [EVIL, "b\x00\x1b", "c"]
    G = de.Graph.from_edges([(0, 1), (1, 2)], names=names, title=EVIL, info={"city": [EVIL, "", ""]})
    for explorer in (de.Explorer((G, [EVIL])), de.Explorer((G, [0, 2]), (G, [1]), layer=1)):
        explorer.wait()
        for what in ("graph", "tree"):
            assert EVIL in texts(explorer.svg(what))
        assert EVIL in harmless(explorer.static()[1]).text
        page = harmless(re.sub(r"<script.*?</script>", "", explorer.html(), flags=re.DOTALL))
        assert not [tag for tag, _ in page.elements if tag == "img"] and EVIL in page.text  # its title
    table = harmless(static_html.table([EVIL], [[EVIL], [EVIL]]) + static_html.figure(EVIL, "<b></b>"))
    assert table.text == EVIL * 4 and [tag for tag, _ in table.elements].count("td") == 2
    [(_, attributes)] = harmless(static_html.image("<svg/>", EVIL)).elements
    assert attributes["alt"] == EVIL
    assert harmless(static_html.page(EVIL, "<p></p>")).text.strip() == EVIL


def test_a_picture_that_fails_leaves_the_live_view(monkeypatch: pytest.MonkeyPatch) -> None:
    explorer = de.Explorer(preset="fig5")
    monkeypatch.setattr(type(explorer), "static", lambda self: 1 / 0)
    bundle = explorer._repr_mimebundle_()[0]
    assert "application/vnd.jupyter.widget-view+json" in bundle
    assert re.search("<p[^>]*>[^<]*division by zero", bundle["text/html"])


def network(html: str) -> tuple[dict[str, Any], set[frozenset[str]], Any]:
    """The nodes, the edges and the options of a page of pyvis."""
    nodes, edges = (
        json.loads(re.findall(rf"{name} = new vis.DataSet\((\[.*?\])\);", html)[0]) for name in ("nodes", "edges")
    )
    options = json.loads(re.findall(r"var options = (\{.*?\});", html, flags=re.DOTALL)[0])
    return {one["id"]: one for one in nodes}, {frozenset((one["from"], one["to"])) for one in edges}, options


@pytest.mark.parametrize(("layer", "cut"), [(0, False), (2, True), (3, False)])
def test_the_ego_network_has_what_the_layers_reach_in_the_colors_of_the_panel(layer: int, cut: bool) -> None:
    graph = nx.union(nx.barbell_graph(4, 5), nx.star_graph(range(13, 400)))
    G = de.Graph.from_networkx(graph)
    explorer = de.Explorer((G, [3, 2]), (G, [14]), layer=layer, cut=cut)
    nodes, edges, options = network(explorer.html())
    colored, seen = explorer.state.colored(), nx.restricted_view(graph, [], [(2, 3)] if cut else [])
    wanted, links = set(), set()
    for k, (S, view) in enumerate((({2, 3}, seen), ({14}, graph))):
        far = nx.multi_source_dijkstra_path_length(view, S, cutoff=max(layer, 2), weight=None)
        near = sorted(far, key=lambda v: (far[v], v))[:300]
        wanted |= {f"{k}:{v}" for v in near}
        links |= {frozenset((f"{k}:{u}", f"{k}:{v}")) for u, v in view.subgraph(near).edges}
        for v in near:
            node, entry = nodes[f"{k}:{v}"], colored.entries[colored.codes[k][v]]
            assert node["color"]["background"] == entry.color and node["title"] == f"{node_name(G, v)}: {entry.text}"
            assert node["label"] == ("AB"[k] + ": ") * (v in S) + f"v{v}" + (f"\n{entry.mark}" if entry.mark else "")
            assert (node["shape"], node["borderWidth"]) == ("box" if v in S and k else "circle", 5 if v in S else 1)
            assert node["font"]["color"] == text_on(entry.color)
    assert (set(nodes), edges) == (wanted, links) and options["physics"]["solver"] == "forceAtlas2Based"
    assert len({nodes[key]["color"]["border"] for key in ("0:2", "0:1", "1:14")}) == 3
    assert {key[0] for key in network(de.Explorer((G, [3]), G).html())[0]} == {"0"}


def test_pages_reach_nothing_and_run_their_own_script_alone() -> None:
    def policy(html: str) -> str:
        [found] = [it["content"] or "" for _, it in Markup(html).elements if "http-equiv" in it]
        return found

    script = "document.title = 'alive'"
    made, quiet, ego = (
        static_html.page("t", "<p>hello</p>", "p {}", script),
        static_html.page("t", ""),
        de.Explorer().html(),
    )
    digest = base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()
    assert all("default-src 'none'" in policy(html) for html in (made, quiet, ego))
    assert f"script-src 'sha256-{digest}'" in policy(made)
    assert "<style>p {}</style>" in made and f">{script}</script>" in made and "<p>hello</p>" in made
    assert "script-src" not in quiet and "<script" not in quiet
    assert not re.search(r"<(script|link)\b[^>]*(src|href)=", ego)


def test_a_page_is_written_where_it_is_asked_to(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))
    for name in ("lesson.html", "~/b.HTM"):
        path = static_html.save(tmp_path / name if name[0] != "~" else name, "<p>ü</p>")
        assert path.read_text(encoding="utf-8") == "<p>ü</p>" and path.parent == tmp_path
    for name in ("lesson.pdf", "none/lesson.html"):
        with pytest.raises(de.ParameterError):
            static_html.save(tmp_path / name, "")
