"""What users bring themselves, in JupyterLab: a model of their own, a network written for PyG, a task of their own."""

from __future__ import annotations

import re
from typing import Any

from tools.boards import Board, fresh
from tools.explorers import Panel

MODELS = """\
import torch
from torch import nn
from torch_geometric.nn import SAGEConv

class Sums(de.SetNet):
    \"\"\"What the rows of S add up to.\"\"\"

    def __init__(self, name, shape, **hyper):
        super().__init__(name, shape, hyper)
        self.out = nn.Linear(4, shape.outputs)

    def prepare(self, graph, sets, *, stop=None, progress=True):
        zeta = de.LandingProbability(3)
        rows = [zeta.encode(graph, S, cut=True)[list(S)].sum(axis=0) for S in sets]
        return de.Rows((torch.tensor(rows, dtype=torch.float32).reshape(-1, 4),))

    def forward(self, batch):
        out = self.out(batch)
        return out.squeeze(1) if out.shape[1] == 1 else out

class Net(nn.Module):
    def __init__(self, features, outputs):
        super().__init__()
        self.conv, self.out = SAGEConv(features, 8), nn.Linear(8, outputs)

    def forward(self, batch):
        h = self.conv(batch.x, batch.edge_index).relu()
        return self.out(h[batch.target_index].view(batch.num_graphs, -1, 8).mean(dim=1))

de.register_model(Sums, name="my sums")
de.register_model(de.PyGModel(Net, encoding=de.SPD(3), hops=1), name="my SAGE")"""
TASK = """\
import numpy as np
from itertools import combinations
G, rng = de.load("karate"), np.random.default_rng(0)
sets = list(dict.fromkeys(tuple(sorted(rng.choice(34, 4, replace=False).tolist())) for _ in range(90)))
friends = [int(G.has_edges(list(combinations(S, 2))).sum()) for S in sets]
task = de.set_task(G, sets, ["apart" if k == 0 else "loose" if k == 1 else "tight" for k in friends])
board = de.TrainingBoard(task, models=["my sums", "my SAGE", "DE-GNN-SPD"], seeds=1, epochs=4)
board"""
EXPLORER = """\
visits = de.encoding("visits", lambda near: near.walks[:, 1:].sum(axis=1), columns=["expected visits"], walks=4)
fig = de.zoo.figure1()
explorer = de.Explorer((fig, 2), (fig, 3), colour_by=visits)
explorer"""
NAMES = {"my sums", "my SAGE", "DE-GNN-SPD"}
CLASSES = ("apart", "loose", "tight")


def find(board: Board, name: str) -> None:
    """Picks a node by its name, as a reader does who does not see it at once."""
    canvas = board.box.locator(".de-canvas").first
    canvas.locator(".de-find").fill(name)
    match = canvas.locator(".de-matches li", has_text=re.compile(f"^{name}$")).first
    match.wait_for(timeout=60_000)
    match.click()
    board.until(lambda: name in canvas.locator(".de-captions").inner_text())


def answers(board: Board) -> dict[str, str]:
    spans = board.box.locator(".de-answers [data-model]")
    said = spans.evaluate_all("all => all.map((one) => [one.dataset.model, one.querySelector('b').innerText])")
    return dict(said)


def test_what_users_bring_is_seen_raced_asked_and_explained(lab: Any, visit: Any) -> None:
    board = fresh(lab, visit, "laboratory", MODELS, EXPLORER, TASK, height=800)
    panel = Panel(board.page)
    panel.verdict("DE-visits", "yes, at once")
    assert panel.box.locator('.de-pill[aria-pressed="true"]').get_attribute("data-method") == "DE-visits"
    menu = panel.box.get_by_label("Colour by")
    assert menu.evaluate("menu => menu.selectedOptions[0].text") == "visits (yours)"
    assert "28/81 2 | 2" in " ".join(panel.legend())  # in how many ways a walk of four steps comes by
    panel.trees_say("16/27")

    board.go.click()
    board.waits_for_button("All trained")
    board.until(lambda: set(board.table()) == NAMES)
    bars = board.box.locator(".de-bar")
    painted = bars.evaluate_all("bars => bars.map((bar) => getComputedStyle(bar.firstChild).backgroundColor)")
    assert len(set(painted)) == 3  # each a colour of its own, the same in bars, curves and answers
    labels = board.box.locator(".de-chart .annotation-text")
    assert {label.text_content() for label in labels.all()} >= NAMES
    assert board.box.evaluate("el => el.scrollWidth <= el.clientWidth + 1")

    mistake = board.box.locator(".de-sheet", has=board.page.get_by_text("truth")).locator("tbody tr").first
    board.until(lambda: mistake.locator(".de-link").count() == 1)
    cells = mistake.locator("td").all_inner_texts()
    assert cells[0].count("—") == 3 and cells[2] in CLASSES and cells[3].split(",")[0] in CLASSES
    mistake.locator(".de-link").click()
    board.says(f"In truth: {cells[2]} (a test set).")
    board.until(lambda: set(answers(board)) == NAMES)
    assert all(answer.split(",")[0] in CLASSES for answer in answers(board).values())
    dots = board.box.locator(".de-answers .de-dot")
    assert set(dots.evaluate_all("all => all.map((dot) => getComputedStyle(dot).backgroundColor)")) == set(painted)

    why = board.box.locator(".de-why")
    board.button("Why?").click()
    board.until(lambda: why.locator(".de-why-right tbody tr").count() > 0)
    board.until(lambda: re.search("for “(apart|loose|tight)”", why.inner_text()))
    why.locator("select").first.select_option(label="my SAGE")
    board.until(lambda: re.search("for “(apart|loose|tight)”", why.inner_text()))
    board.button("Why?").click()

    board.box.get_by_label("On", exact=True).select_option(label="lesmis · 77 nodes, 254 edges")
    board.says("The models have not seen this graph")
    for name in ("Valjean", "Javert", "Cosette", "Fantine"):
        find(board, name)
    board.says("Its class in this graph is not known.")
    board.until(lambda: set(answers(board)) == NAMES)
    assert all(answer.split(",")[0] in CLASSES for answer in answers(board).values())
