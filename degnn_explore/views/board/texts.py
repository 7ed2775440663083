"""The board's texts and tables: progress bars, the comparison, the mistakes."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from ...graphs.graph import Graph
from ...learn.tasks import Task
from ...studies.density import corrected, learnt_share
from ...studies.exports import COLUMNS, Column, Comparison, Row
from ...studies.judged import Mistake
from ...studies.snapshot import Snapshot
from ..widgets.html import node_name, tag, text
from ..widgets.sheet import cell, column
from .figures import paint


def duration(seconds: float) -> str:
    """Time left, as short as it is known.

    Examples
    --------
    >>> duration(0.4), duration(45.2), duration(130), duration(4000), duration(7199)
    ('1 s', '45 s', '2 min 10 s', '1 h 7 min', '2 h 0 min')
    """
    whole = max(1, round(seconds))
    if whole < 60:
        return f"{whole} s"
    if whole < 3600:
        return f"{whole // 60} min {whole % 60} s"
    minutes = round(whole / 60)
    return f"{minutes // 60} h {minutes % 60} min"


def progress_bars(shown: Snapshot | None) -> str:
    """A bar per model, with its seeds and the time left."""
    if shown is None:
        steps = (
            "Choose a task, a graph and models above; the defaults are a good beginning.",
            "Press Start: the curves grow while it trains, and every run that ends is kept.",
            "Compare the models with the paper, open a mistake to see why, ask the trained models about any nodes.",
        )
        return f'<ol class="de-steps">{"".join(tag("li", step) for step in steps)}</ol>'
    parts = []
    for p in shown.progress:
        note = f"{p.done} of {p.of} seed{'s' if p.of > 1 else ''}"
        if p.state == "running" and p.left:
            note += f" · {duration(p.left)} left"
        elif p.state in ("preparing", "cancelled", "failed"):
            note += f" · {p.state}" + (f": {p.doing}" if p.state == "preparing" and p.doing else "")
        percent = round(100 * p.share, 1)
        colour = text(paint(p.model))
        bar = (
            f'<div class="de-bar" role="progressbar" aria-label="{text(p.model)}" aria-valuenow="{percent:.0f}" '
            f'aria-valuemin="0" aria-valuemax="100"><div style="width:{percent}%;background:{colour}"></div></div>'
        )
        parts.append(f"{tag('span', p.model)}{bar}{tag('span', note, 'de-bar-note')}")
        if p.error:
            first, _, rest = p.error.rpartition("\n")  # a traceback ends with what happened
            more = (
                f"<details><summary>details, for a bug report</summary><pre>{text(first)}</pre></details>"
                if first
                else ""
            )
            parts.append(f'<div class="de-error de-bar-error" role="alert">{text(p.model)}: {text(rest)}{more}</div>')
    more = tag("div", "To train more, choose more seeds, other epochs or settings, or another model.", "de-notes")
    done = shown.state == "finished" and all(p.state == "finished" for p in shown.progress)
    where = tag("div", shown.where, "de-notes") if shown.where else ""
    return f'<div class="de-bars">{"".join(parts)}</div>{where}{more if done else ""}'


def progress_title(shown: Snapshot | None) -> str:
    """The heading above the bars: the time left in all."""
    note = ""
    if shown is not None:
        wrong, begun = any(p.error for p in shown.progress), any(p.done for p in shown.progress)
        stopped = "stopped, by what is said below" if wrong else "stopped"
        good = "finished; open a mistake to see why, or ask the models below"
        note = {
            "cancelled": f"{stopped}: what is finished is kept, Continue goes on from there",
            "finished": "ended; what went wrong is said below" if wrong else good,
            "ready": "Start trains what is missing" if begun else "not yet trained with these settings",
            "running": "training" if shown.left is None else f"about {duration(shown.left)} left",
        }[shown.state]
    return f'<div class="de-head">Progress{tag("span", note)}</div>'


def comparison_table(table: Comparison | None) -> tuple[list[dict[str, str]], list[list[dict[str, Any]]]]:
    """Columns and rows of the comparison."""
    if table is None:
        return [], []
    order = [0, 1, len(COLUMNS) - 1, *range(2, len(COLUMNS) - 1)]  # what it comes to is not to be scrolled for
    headings = table.headings
    columns = [column(headings[i], COLUMNS[i].about, first=COLUMNS[i].first) for i in order]
    return columns, [[_cell(COLUMNS[i], row) for i in order] for row in table.rows]


def _cell(about: Column, row: Row) -> dict[str, Any]:
    """A cell of the comparison: its words, what it is sorted by, how it looks."""
    value = about.values(row)[0]
    if about.names == "model":
        return cell(value, dot=paint(value))
    if about.names == "verdict p":
        signed = value[:1] in ("+", "-")
        difference = float(value.partition(",")[0]) if signed else 0.0 if value else -1e3
        return cell(value, difference, "de-pill de-yes" if ", above (" in value else "de-hint")
    look = "de-strong" if about.names == "mean ci95" else "de-hint" if " " in about.names else ""
    return cell(about.text(row), -1.0 if value is None else float(value), look)  # what the paper lacks is sorted last


def share(value: Any) -> str:
    """A share in per cent, with as many digits as it needs.

    Examples
    --------
    >>> share(0.734), share(0.0412), share(0.0007), share(0.0)
    ('73 %', '4.1 %', '0.07 %', '0 %')
    """
    percent = 100 * value
    return f"{percent:.0f} %" if percent >= 10 or not percent else f"{percent:.2g} %"


def set_name(graph: Graph, nodes: Iterable[int]) -> str:
    """The names of a set's nodes, with dashes between.

    Examples
    --------
    >>> set_name(Graph.from_edges([("a", "b")]), [0, 1])
    'a — b'
    """
    return " — ".join(node_name(graph, int(v)) for v in nodes)


def mistake_table(
    mistakes: Sequence[Mistake], task: Task, seeds: int
) -> tuple[list[dict[str, str]], list[list[dict[str, Any]]]]:
    """Columns and rows of the hardest mistakes over so many seeds."""
    names, single = task.class_names, task.p == 1
    named = single or task.num_classes > 2  # else one score says it
    columns = [
        column({1: "node", 2: "pair"}.get(task.p, "set"), first="up"),
        column("degree" if single else "distance", "" if single else "Between the targets, their own edges cut"),
        column("truth"),
        column("judged" if named else "score", "" if named else f"For “{names[1]}”: not a probability"),
        column("wrong", "In so many of the seeds whose test sets have it"),
    ]
    rows = []
    for m in mistakes:
        degree = int(task.graph.degrees[m.nodes[0]])
        second = (
            cell(degree, float(degree)) if single else cell("∞" if m.distance < 0 else m.distance, float(m.distance))
        )
        judged = f"{names[m.given]}, {m.score:.2f}" if named else f"{m.score:.2f}"
        often = cell(f"{m.wrong} of {m.asked}", m.wrong / m.asked)
        name = cell(set_name(task.full_graph, m.nodes))
        rows.append([name, second, cell(names[m.truth]), cell(judged, m.score), often])
    return (columns, rows) if seeds > 1 else (columns[:-1], [row[:-1] for row in rows])


def measure_table(table: Mapping[str, Mapping[str, float]]) -> tuple[list[dict[str, str]], list[list[dict[str, Any]]]]:
    """Columns and rows of test results by model, the highest AUC first, in per cent."""
    about = {
        "AUC": "How often a positive scores above a negative; with several classes the mean of each against the rest",
        "average precision": "Mean precision at the positives of the test set, which is half positives",
        "average precision, in the graph": "The same among all sets of the graph, most of which are negatives",
    }
    names = list(dict.fromkeys(name for found in table.values() for name in found))
    at_k = "Of the test set, which is half positives"
    columns = [column("model", first="up"), *(column(name, about.get(name, at_k)) for name in names)]
    order = sorted(table, key=lambda model: -table[model]["AUC"])
    return columns, [
        [
            cell(model, dot=paint(model)),
            *(cell(f"{100 * table[model][name]:.1f}", table[model][name]) for name in names),
        ]
        for model in order
    ]


def look_notes(task: Task, prior: float | None) -> list[str]:
    """What to know when reading the picture of "Look into it"."""
    what = task.class_names[1]
    if task.num_classes > 2 or task.p == 1:
        several = "ROC and AUC are the mean over the classes, each against the rest. "
        return [several * (task.num_classes > 2) + "Calibration: of the class that is given, how often it is right."]
    if prior is None:
        return [f"Scores are for “{what}”; distances are those between the targets, their own edges cut."]
    learnt = learnt_share(task)
    return [
        f"A score is not a probability: of the sets that models learn from {share(learnt)} are {what}, in this graph "
        f"{share(prior)} of all are {what}, so that a score of 0.9 stands for about "
        f"{share(corrected(0.9, prior, learnt))}.",
        "“In the graph” counts each test negative for as many as the graph has. Distances are those between the "
        "targets in the training graph, their own edges cut.",
    ]
