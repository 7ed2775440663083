"""What the tabs of a board show of trained models: mistakes, right and wrong by distance, answers, missing links.

Every table is {"columns": [...], "rows": [{"cells": [...], "nodes": [...], "seed": …}], "note": "…"}, as the page draws
it.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from ...common.style import signed
from ...graphs.graph import Graph
from ...learn.registry import color_of
from ...learn.tasks import Task
from ...studies.diagnostics import Mistake, Scored, TrainedModels, confusion, hardest
from ...studies.missing_links import REACH, Missing
from ...studies.runs import Run
from ..text import node_name

if TYPE_CHECKING:
    from ...learn.explain import Explanation

MISTAKES = 10
_EDGES = 20  # of a Why? that are listed; all are drawn


def set_name(graph: Graph, nodes: Iterable[int]) -> str:
    """The names of a set's nodes, with dashes between.

    Examples
    --------
    >>> set_name(Graph.from_edges([("a", "b")]), [0, 1])
    'a — b'
    """
    return " — ".join(node_name(graph, int(v)) for v in nodes)


def share(value: Any) -> str:
    """A share in percent, with as many digits as it needs.

    Examples
    --------
    >>> share(0.734), share(0.0412), share(0.0007), share(0.0)
    ('73 %', '4.1 %', '0.07 %', '0 %')
    """
    percent = 100 * value
    return f"{percent:.0f} %" if percent >= 10 or not percent else f"{percent:.2g} %"


def own_runs(trained: TrainedModels, runs: Sequence[Run], model: str) -> list[Run]:
    """The runs of a model whose files are there."""
    return [run for run in runs if run.model == model and run in trained.of_seed(runs, run.seed).values()]


# ---- mistakes -------------------------------------------------------------------------------------


def find_mistakes(trained: TrainedModels, runs: Sequence[Run], best: Run) -> list[Mistake]:
    """The hardest mistakes of the best model over its seeds."""
    return hardest(map(trained.scored, own_runs(trained, runs, best.model)), MISTAKES)


def mistake_table(mistakes: Sequence[Mistake], task: Task, model: str, seeds: int) -> dict[str, Any]:
    """The mistakes as a table; each row can be opened."""
    names, single = task.class_names, task.p == 1
    named = single or task.num_classes > 2  # else one score says it
    columns = [
        {1: "node", 2: "pair"}.get(task.p, "set"),
        "degree" if single else "distance",
        "truth",
        f"{model} says",
        *(["wrong in"] if seeds > 1 else []),
    ]
    rows = []
    for m in mistakes:
        second = int(task.graph.degrees[m.nodes[0]]) if single else "∞" if m.distance < 0 else m.distance
        judged = f"{names[m.given]}, {m.score:.2f}" if named else f"{m.score:.2f}"
        often = [f"{m.wrong} of {m.asked} seed{'' if m.asked == 1 else 's'}"] if seeds > 1 else []
        cells = [set_name(task.full_graph, m.nodes), str(second), names[m.truth], judged, *often]
        rows.append({"cells": cells, "nodes": list(m.nodes), "seed": m.seed})
    note = "" if rows else f"{model} makes no mistake in any test set."
    return {"columns": columns, "rows": rows, "note": note}


# ---- by distance, by class ------------------------------------------------------------------------


def distance_table(scored: dict[str, Scored]) -> dict[str, Any]:
    """How much each model gets right at each distance between the targets; of single nodes, by their class."""
    task = next(iter(scored.values())).task
    if task.p == 1 or task.num_classes > 2:
        return confusion_table(*next(iter(scored.items())))
    distance, labels = next(iter(scored.values())).distance, task.test.labels
    rows = []
    for value in sorted(set(distance.tolist()), key=lambda d: (d < 0, d)):
        here = distance == value
        right = [share(float((one.given == labels)[here].mean())) for one in scored.values()]
        positive = share(float((labels[here] == 1).mean()))
        rows.append({"cells": ["∞" if value < 0 else str(value), str(int(here.sum())), positive, *right]})
    columns = ["distance", "test sets", f"in truth {task.class_names[1]}", *(f"{model} right" for model in scored)]
    note = "Distance between the targets in the training graph, their own edges cut. One seed."
    return {"columns": columns, "rows": rows, "note": note}


def confusion_table(model: str, scored: Scored) -> dict[str, Any]:
    """The confusion matrix: how often the model says each class, by the true class."""
    names, counts = scored.task.class_names, confusion(scored).tolist()
    rows = [{"cells": [name, *map(str, row)]} for name, row in zip(names, counts, strict=True)]
    note = "How many test sets of each true class the model puts into each class. One seed."
    return {"columns": ["in truth", *(f"{model} says {name}" for name in names)], "rows": rows, "note": note}


# ---- asking ---------------------------------------------------------------------------------------


def answer(trained: TrainedModels, runs: Sequence[Run], nodes: Sequence[int], seed: int) -> dict[str, Any]:
    """What each model of a seed says of a set, and the truth."""
    task = trained.task(seed)
    if len(nodes) != task.p:
        picked = f"; {len(nodes)} picked" if nodes else ""
        return {"text": f"Click {'a node' if task.p == 1 else f'{task.p} nodes'} to ask about{picked}.", "scores": []}
    names, scores = task.class_names, []
    for model, scored in trained.ask(runs, nodes, seed).items():
        p = scored[0]
        words = f"{names[int(p.argmax())]}, {p.max():.2f}" if task.num_classes > 2 else f"{p:.2f}"
        scores.append({"model": model, "color": color_of(model), "score": words})
    asked = "class" if task.num_classes > 2 else f"score for “{names[1]}”"
    return {
        "text": f"{set_name(task.full_graph, nodes)}: {asked}",
        "scores": scores,
        "truth": truth(task, nodes),
        "nodes": list(nodes),
    }


def truth(task: Task, picked: Sequence[int]) -> str:
    """What is known of the set."""
    full, names = task.full_graph, task.class_names
    if task.kind == "sets":
        parts = {"a set to learn from": task.train, "a validation set": task.val, "a test set": task.test}
        for what, part in parts.items():
            row = np.flatnonzero((np.sort(part.sets, axis=1) == np.sort(picked)).all(axis=1))
            if len(row):
                return f"In truth: {names[part.labels[row[0]]]} ({what})."
        return "Not one of the task's sets, so its class is unknown."
    if task.p == 1:
        label = -1 if full.labels is None else int(full.labels[picked[0]])
        return f"In truth: {names[task.classes.index(label)]}." if label in task.classes else "It has no label."
    pairs = [(u, v) for i, u in enumerate(picked) for v in picked[i + 1 :]]
    linked, known = (bool(graph.has_edges(pairs).all()) for graph in (full, task.graph))
    what = {2: "linked", 3: "a triangle"}[task.p]
    held_out = ", held out from training." if linked and not known else "."
    return f"In truth: {what if linked else 'not ' + what}{held_out}"


def why_table(why: Explanation, named: str) -> dict[str, Any]:
    """The edges that move the score most, and every edge for the canvas with its strength: 1 speaks most for the class,
    -1 most against it, 0 changes nothing."""
    edges = why.edges.to_numpy().tolist()
    most = max((abs(change) for *_, change in edges), default=0.0)
    shown = 5e-4  # as far as the table shows a change
    marks = [[int(u), int(v), 0 if abs(change) < shown else round(-change / most, 3)] for u, v, _, change in edges]
    rows = []
    for u, v, without, change in why.edges.head(_EDGES).to_numpy().tolist():
        cells = [set_name(why.graph, (int(u), int(v))), f"{without:.3f}", signed(change, 3)]
        rows.append({"cells": cells, "pair": [int(u), int(v)]})
    return {
        "title": f"Why does {why.model} say {why.score:.2f} for “{named}”?",
        "columns": ["without the edge", "score", "change"],
        "rows": rows,
        "note": " ".join(note for note in why.notes if note.startswith(("Of ", "Edges"))),
        "marks": marks,
    }


def missing_table(found: Missing, graph: Graph, models: Sequence[str]) -> dict[str, Any]:
    """The likeliest missing links; each row can be opened."""
    rows = [
        {"cells": [set_name(graph, (u, v)), *(f"{scores[model]:.2f}" for model in models),
                   share(promised) if promised else "–"],
         "nodes": [u, v]}
        for (u, v, scores), promised in zip(found.found, found.promised, strict=True)]  # fmt: skip
    note = (
        f"The likeliest of {found.within:,} unlinked pairs within {REACH} steps, by {models[0]}. The last column is "
        "the share of links among all pairs that score as high, if as many are missing as were held out for validation "
        "(–: none of those scores as high)."
    )
    return {"columns": ["pair", *models, "likely true"], "rows": rows, "note": note}
