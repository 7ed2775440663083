"""The panel "Why?" without a browser: what it lists, draws and asks, on models that were built and not trained."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import degnn_explore as de
from degnn_explore.common.numbers import signed
from degnn_explore.learn.why.what_if import scores_if
from degnn_explore.views.board.asking.why import Why


class Asked:
    """A panel on the karate club with a set to pick; errors are kept."""

    def __init__(self, *names: str, task: de.Task | None = None, picked: tuple[int, ...] = (0, 33)) -> None:
        self.task = task or de.link_task(de.load("karate"), seed=0)
        self.models = {name: de.build(name, self.task) for name in names}
        for model in self.models.values():
            model.bind(self.task)
        self.picked, self.errors = picked, list[BaseException]()
        self.why = Why(lambda: (self.models, self.task, list(self.picked)), self.errors.append)
        self.why.toggle.value = True

    def rows(self) -> list[list[str]]:
        return [[cell["text"] for cell in row] for row in self.why.sheet.rows]

    def answers(self) -> dict[str, list[str]]:
        return {row[0]["text"]: [cell["text"] for cell in row[1:]] for row in self.why.answers.rows}

    def send(self, u: int, v: int) -> None:
        place = self.why._drawn.index
        self.why.picture._handle_custom_msg({"type": "pair", "u": place(u), "v": place(v)}, [])


@pytest.fixture(scope="module")
def two() -> Asked:
    return Asked("DE-GNN-SPD", "GCN")


def test_the_strongest_edges_and_nodes_are_listed_and_drawn(two: Asked) -> None:
    two.why.part.value = "edges"
    expected = de.explain(two.models["DE-GNN-SPD"], two.task.graph, [0, 33])
    changes = [abs(float(row[2])) for row in two.rows()]
    assert len(changes) == 20 and changes == sorted(changes, reverse=True)
    strongest = max(expected.edges.change.abs().max(), expected.nodes.change.abs().max())
    assert changes[0] == pytest.approx(strongest, abs=5e-4)
    drawn = two.why.picture.edges
    widest = max((edge for edge in drawn if edge["change"] is not None), key=lambda edge: abs(edge["change"]))
    u, v = (two.why._drawn[widest[end]] for end in ("u", "v"))
    assert {u, v} == set(expected.edges.loc[0, ["u", "v"]].astype(int))
    assert [node["target"] for node in two.why.picture.nodes[:3]] == [True, True, False]
    assert all(0 <= node[axis] <= 1 for node in two.why.picture.nodes for axis in "xy")
    assert two.errors == []


def test_a_clicked_edge_is_left_out_for_all_models_and_comes_back(two: Asked) -> None:
    G = two.task.graph
    edge = tuple(int(x) for x in de.explain(two.models["DE-GNN-SPD"], G, [0, 33]).edges.loc[0, ["u", "v"]])
    two.send(*edge)
    assert two.why.changes == [edge]
    for name, model in two.models.items():
        now, then = scores_if(model, G, np.array([0, 33]), [np.zeros((0, 2), int), np.array([edge])])
        assert two.answers()[name] == [f"{now:.3f}", f"{then:.3f}", signed(then - now, 3)]
    assert [line["state"] for line in two.why.picture.edges].count("out") == 1
    assert "What if: without" in two.why._if.value
    two.send(*edge)
    assert two.why.changes == [] and two.why._what_if.layout.display == "none"


def test_a_missing_pair_is_put_in_and_a_node_loses_all_its_edges(two: Asked) -> None:
    G = two.task.graph
    nodes = [v for v in two.why._drawn if v not in (0, 33)]
    missing = next((u, v) for u in nodes for v in nodes if u < v and not G.has_edge(u, v))
    two.send(*missing)
    assert two.why.changes == [missing] and [e["state"] for e in two.why.picture.edges].count("in") == 1
    assert "What if: with " in two.why._if.value
    two.why.put_back()
    row = next(i for i, cells in enumerate(two.rows()) if "edges" in cells[0])
    two.why.sheet._handle_custom_msg({"type": "row", "row": row}, [])
    assert len(two.why.changes) == int(two.rows()[row][0].split("all ")[1].split()[0])
    assert two.answers()["DE-GNN-SPD"][1] == two.rows()[row][1]  # the same exact number
    two.why.put_back()
    assert two.errors == []


def test_branches_and_rings_have_tables_or_say_why_not(two: Asked) -> None:
    two.why.part.value = "branches"
    assert len(two.rows()) == 20 and all(" ← " in row[0] for row in two.rows())
    two.why.part.value = "rings"
    assert [row[0] for row in two.rows()] == ["all, as if equally far", "distance 0", "distance 1", "distance 2"]
    two.why.model.value = "GCN"
    assert two.rows() == [] and "GCN has no encoding of distances" in two.why.sheet.empty
    two.why.model.value = "DE-GNN-SPD"
    assert two.errors == []


def test_another_set_forgets_the_changes_and_too_few_nodes_say_so() -> None:
    asked = Asked("DE-GNN-SPD")
    asked.why.change([(0, 1)])
    assert asked.why.changes == [(0, 1)]
    asked.picked = (0,)
    asked.why.show()
    assert "Pick 2 nodes" in asked.why._about.value and asked.why.why is None and asked.rows() == []
    asked.picked = (0, 1)
    asked.why.show()
    assert asked.why.changes == [] and asked.why.why is not None
    asked.why.change([(0, 1)])
    assert "cut in any case" in str(asked.errors[0]) and asked.why.changes == []


def test_struc2vec_says_that_it_would_have_to_be_trained_anew() -> None:
    asked = Asked("DE-GNN-SPD")
    asked.models["struc2vec"] = de.build("struc2vec", asked.task, dim=4, walks=1, length=5)
    asked.models["struc2vec"].bind(asked.task)
    asked.why.change([(0, 1)])
    assert asked.answers()["struc2vec"] == ["—", "—", "would have to be trained anew"]
    asked.why.model.value = "struc2vec"
    assert "embeds all nodes before it is trained" in asked.why._about.value
    asked.why.model.value = "DE-GNN-SPD"
    assert asked.why.why is not None and asked.errors == []


def test_of_several_classes_the_given_one_is_asked_about() -> None:
    G = de.load("us-flights")
    asked = Asked("DE-GNN-SPD", task=de.role_task(G, seed=0), picked=(3,))
    given = int(de.predict(asked.models["DE-GNN-SPD"], asked.task.graph, [[3]])[0].argmax())
    assert f"class {asked.task.classes[given]}" in asked.why._title.value
    edge: Any = asked.why.why
    asked.why.change([tuple(edge.edges.loc[0, ["u", "v"]].astype(int).tolist())])
    assert asked.answers()["DE-GNN-SPD"][0].startswith(f"{asked.task.class_names[given]}, ")
    assert asked.errors == []


def test_the_picture_of_branches_carries_the_exact_changes(two: Asked) -> None:
    two.why.part.value = "branches"
    view, along = two.why.subtrees, de.explain(two.models["DE-GNN-SPD"], two.task.graph, [0, 33]).along
    assert along is not None and view.layers == along.depth == 2
    assert [view.names[root] for root in view.roots] == ["v0", "v33"]
    assert len(view.effects["folded"]) == len(along.lines)
    assert [change for *_, change in view.effects["tree"]] == pytest.approx(
        np.concatenate([c[1:] for c in along.changes])
    )
    root, way, change = view.effects["tree"][0]
    assert root == 0 and [view.names[node] for node in way[1::2]] == [f"v{along.trees[0].node[1]}"]
    assert change == pytest.approx(along.changes[0][1])
    two.why.model.value = "GCN"
    assert view.classes == b"" and len(view.plain) == 4 * 3 * len(view.names)  # layers 0, 1, 2 of what 1-WL sees
    two.why.model.value, two.why.part.value = "DE-GNN-SPD", "edges"
    assert two.errors == []
