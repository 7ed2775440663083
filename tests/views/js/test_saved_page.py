"""A saved page answers what the live panel shows: node asks the page's own model, and compares state by state."""

from __future__ import annotations

import base64
from collections.abc import Callable
from pathlib import Path
from typing import Any

import networkx as nx
import numpy as np
import pytest

import degnn_explore as de
from degnn_explore.views.content import TOURS
from degnn_explore.views.explorer import offline_page
from degnn_explore.views.explorer.explorer import MODULES
from tests.support.page import Markup, Page

from . import records
from .records import packed, recorded

ANSWERS = """
const model = t.recordedModel(await t.unpacked(given.packed));
const plain = (value) => (ArrayBuffer.isView(value) ? Buffer.from(value.buffer).toString("base64") : value);
const names = "targets values seen pills graphs options lesson error codes classes numbers xy edges".split(" ");
return given.wishes.map(({ targets, values, tour }) => {
  if (tour) model.send({ name: "tour", key: tour[0], at: tour[1] });
  else {
    model.set("values", { ...model.get("values"), ...values });
    model.set("targets", targets);
    model.save_changes();
  }
  return Object.fromEntries(names.map((name) => [name, plain(model.get(name))]));
});
"""


def answers(page: str, wishes: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """What the page shows after each wish of a reader."""
    case = {"packed": page, "wishes": wishes}
    [found] = records.answers((*MODULES, "recorded"), "recordedModel, unpacked", ANSWERS, [case])
    binary = ("codes", "classes", "numbers", "xy", "edges")
    return [{name: base64.b64decode(it) if name in binary else it for name, it in state.items()} for state in found]


def partition(*rows: Any) -> list[int]:
    """Numbers by first occurrence: equal where two arrays tell the same entries apart."""
    numbers: dict[Any, int] = {}
    return [numbers.setdefault(entry, len(numbers)) for row in rows for entry in np.asarray(row).tolist()]


def meant(state: dict[str, Any]) -> dict[str, Any]:
    """What a state says, whatever numbers stand for a class or a label."""
    seen, pills, n = state["seen"], state["pills"], state["graphs"]["starts"][-1]
    codes, classes = np.frombuffer(state["codes"], "<u2"), np.frombuffer(state["classes"], "<u4").reshape(-1, n)
    told = 3 if seen["color_by"] in ("SPD", "LP", "1-WL") else 2  # of others a page ranks its numbers over all sets
    marked = [None if code == 65_535 else seen["labels"][code][:told] for code in codes.tolist()]
    about = {name: seen[name] for name in ("targets", "method", "color_by", "hops", "cut", "layers", "net")}
    if len({len(S) for S in seen["targets"]}) == 1 and all(seen["targets"]):
        about |= {"title": seen["title"], "note": seen["note"]}
    verdicts = {
        pill["method"]: [pill.get(name) for name in ("title", "what", "hops", "afterwards", "layer", "skipped")]
        + [[partition(*rows) for rows in zip(*pill["classes"], strict=True)] if "classes" in pill else None]
        for pill in pills["pills"]
        if not (seen["cut"] and pill["method"] == "2-WL")
    }
    symmetry = {name: it for name, it in pills.get("symmetry", {}).items() if name != "map"}
    return about | {"marked": marked, "classes": [partition(row) for row in classes], "verdicts": verdicts,
                    "numbers": np.nan_to_num(np.frombuffer(state["numbers"], "<f4")).round(5).tolist(),
                    "busy": pills["busy"], "symmetry": symmetry}  # fmt: skip


def check_map(explorer: de.Explorer, mapping: list[int]) -> None:
    """A map of nodes takes links to links, and the first set to the second."""
    (G, S), (H, T) = explorer.state.picks
    if explorer.state.cut and len(S) > 1:
        G, H = G.cut(S), H.cut(T)
    assert sorted(mapping) == list(range(G.num_nodes))
    assert {frozenset(mapping[v] for v in edge) for edge in G.edges.tolist()} == set(map(frozenset, H.edges.tolist()))
    assert sorted(mapping[v] for v in S.tolist()) == sorted(T.tolist())


def star(n: int) -> de.Graph:
    return de.Graph.from_networkx(nx.star_graph(n - 1))


def of_ones_own() -> de.Explorer:
    own = de.encoding(
        "two", lambda near: np.stack([near.distance, near.degree / 3], -1), columns=["a", "b"], max_dist=2
    )
    return de.Explorer((star(6), [1]), (de.zoo.domino(), [2]), color_by=own, column=1)


OPENED: dict[str, Callable[[], de.Explorer]] = {
    "one graph": lambda: de.Explorer(preset="fig1", color_by="PageRank"),
    "two graphs": lambda: de.Explorer(preset="hexagon"),
    "strongly regular": lambda: de.Explorer(preset="fig4"),
    "edges inside S are cut": lambda: de.Explorer(preset="cut", cut=True, color_by="zero-one"),
    "one set": lambda: de.Explorer((de.zoo.petersen(), [3]), color_by="DRNL"),
    "an encoding of a reader's own": of_ones_own,
    "61 nodes": lambda: de.Explorer((star(61), [3]), (star(40), [3]), color_by="LP"),
}


@pytest.mark.parametrize("opened", OPENED)
def test_a_page_shows_what_the_panel_shows(opened: str) -> None:
    explorer, rng = OPENED[opened](), np.random.default_rng(3)
    graphs = [side.graph.num_nodes for side in explorer.state.sides]
    sizes = [1, 2] if max(graphs) <= 60 else [1]
    colors = list(dict.fromkeys(["SPD", "LP", explorer.state.color_by, "1-WL"]))
    wishes = []
    for k in range(18):
        p = [int(rng.choice([*sizes, *sizes, 0])) for _ in graphs] if k % 3 else [int(rng.choice(sizes))] * 2
        S = [sorted(rng.permutation(n)[:size].tolist()) for n, size in zip(graphs, p, strict=False)]
        values = {"color_by": colors[k % len(colors)], "toggle": "SPD", "size": 0}
        wishes.append({"targets": S, "values": values | {"layer": k % 7, "hops": 1 + k // 2 % 2}})
    maps = 0
    for wish, page in zip(wishes, answers(packed(explorer), wishes), strict=True):
        explorer.set_trait("values", explorer.values | wish["values"])
        explorer.targets = wish["targets"]
        explorer.wait()
        live = explorer.get_state()
        assert page["error"] == {} and page["targets"] == live["targets"]
        mine, theirs = meant(page), meant(live)
        always = set(mine["verdicts"]) - set(theirs["verdicts"])  # the encoding that a page records keeps its pill
        mine["verdicts"] = {name: it for name, it in mine["verdicts"].items() if name not in always}
        if not all(wish["targets"]):
            mine["numbers"] = theirs["numbers"]  # there are none of a side without targets
        assert mine == theirs and all("PageRank" in name or "two" in name for name in always)
        assert (page["xy"], page["edges"], page["graphs"]) == (live["xy"], live["edges"], live["graphs"])
        for state in (page, live):
            if mapping := state["pills"].get("symmetry", {}).get("map"):
                check_map(explorer, mapping)
                maps += 1
    assert maps or opened != "one graph"
    assert page["options"]["recorded"]["sizes"] == sizes and page["options"]["recorded"]["colorings"] == colors[:-1]
    assert page["options"]["examples"] == explorer.options["examples"]


@pytest.mark.parametrize("key", ["hexagon", "fig4", "fig1"])
def test_a_page_holds_the_tours_of_its_graphs(key: str) -> None:
    explorer = de.Explorer(preset=key, layer=5, hops=4)
    page, steps = packed(explorer, TOURS[key].title), TOURS[key].steps
    data = recorded(page)
    assert data["tour"] == key and data["traits"]["options"]["recorded"]["tours"] == [key] == list(data["tours"])
    assert data["traits"]["values"]["layer"] == 5 and data["traits"]["values"]["hops"] == 2
    for at, state in enumerate(answers(page, [{"tour": [key, at]} for at in range(len(steps))])):
        explorer.tour(key, at)
        explorer.wait()
        assert state["lesson"] == explorer.lesson
        assert state["targets"] == explorer.targets and meant(state) == meant(explorer.get_state())
        for name in ("color_by", "layer", "hops", "size", "step"):
            assert state["values"][name] == explorer.values[name]


@pytest.mark.parametrize(
    ("size", "targets", "kept"),
    [(0, [[1, 2], [3, 4]], 2), (1, [[2], [3]], 1), (0, [[], []], 1), (0, [[1, 2, 3], [4]], 2)],
)
def test_a_page_opens_as_the_panel_is_and_fixes_sizes_that_it_records(
    size: int, targets: list[list[int]], kept: int
) -> None:
    explorer = de.Explorer((de.zoo.figure1(), targets[0]), (de.zoo.figure1(), targets[1]), size=size, root=1)
    traits = recorded(packed(explorer))["traits"]
    assert traits["values"]["size"] == kept and traits["targets"] == [S[-kept:] for S in targets]
    assert traits["lesson"] == traits["view"] == traits["opening"] == traits["error"] == {} and traits["busy"] == ""


def test_a_page_that_would_be_too_large_records_less_or_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    page = Page(de.Explorer((star(401), [0]), (star(3), [0])))
    page.do("export", what="page")
    assert "401" in page["error"]["text"] and page.heard == [] and page["busy"] == ""
    explorer = de.Explorer(preset="fig1")
    with pytest.raises(de.ParameterError, match="'hexagon' shows more than"):
        packed(explorer, "hexagon")
    whole = len(packed(explorer))
    monkeypatch.setattr(offline_page, "MAX_BYTES", whole)
    assert recorded(packed(explorer))["records"].keys() == {"1", "2"}
    monkeypatch.setattr(offline_page, "MAX_BYTES", whole - 1)
    data = recorded(packed(explorer, "fig1"))
    assert data["records"]["1"]["explained"] and data["records"].keys() == {"1"}
    assert data["traits"]["options"]["recorded"]["sizes"] == [1]
    monkeypatch.setattr(offline_page, "EXPLAINED", 15)  # nodes, of both sides
    assert not recorded(packed(explorer))["records"]["1"]["explained"]
    monkeypatch.setattr(offline_page, "MAX_BYTES", 2_000)
    with pytest.raises(de.ParameterError, match="more than 2 KB"):
        packed(explorer)


def test_a_page_reaches_nothing_and_names_stay_text(tmp_path: Path) -> None:
    evil = "</script><img src=x onerror=alert(1)>"
    G = de.Graph.from_edges([(evil, "b"), ("b", "c")], title=evil, info={"city": [evil, "", ""]})
    explorer = de.Explorer((G, [evil]))
    made = Markup(explorer.page(tmp_path / "page.html").read_text(encoding="utf-8"))
    assert not {"onerror", "src", "href"} & made.attributes and "img" not in {tag for tag, _ in made.elements}
    assert evil in recorded(packed(explorer))["traits"]["graphs"]["notes"]
