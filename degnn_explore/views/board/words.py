"""The board's sentences: what is going to be trained, how far it is, what came out and how sure that is."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ...learn.registry import MODELS, color_of, is_baseline, is_heuristic
from ...studies.comparison import SAME_SPLIT, Comparison, Row
from ...studies.race import RaceSetup, Snapshot
from ...studies.statistics import ENOUGH

_NUMBERS = ("No", "One", "Two", "Three", "Four", "Five", "Six", "Seven", "Eight", "Nine", "Ten")
_EPOCH = 6e-5  # seconds that a set takes in an epoch on a laptop's core, about
_BEGINNING = 1.5  # seconds until a run begins


def duration(seconds: float) -> str:
    """A time, as short as it is known.

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


def roughly(seconds: float) -> str:
    """A guess of a time, not more exact than it is.

    Examples
    --------
    >>> roughly(3), roughly(23), roughly(63), roughly(4000)
    ('5 s', '20 s', '1 min', '1 h')
    """
    if seconds < 57:
        return f"{5 if seconds < 7.5 else 10 * round(seconds / 10)} s"
    return f"{round(seconds / 60)} min" if seconds < 3300 else f"{round(seconds / 3600)} h"


def title_and_note(
    setup: RaceSetup, asked: str, workers: int, shown: Snapshot | None, table: Comparison | None
) -> tuple[str, str]:
    """The headline and the line below it: the plan, how far the race is, or the result and how sure it is."""
    running = shown is not None and shown.state == "running"
    title, sure = plan(setup, asked, workers) if table is None else (headline(table), how_sure(table))
    if running:
        title = f"So far, {title}" if table is not None and len(table.rows) > 1 else question(asked)
    now = status(shown)
    return title, now if running or (now and table is None) else " ".join(filter(None, [now, sure]))


def question(asked: str) -> str:
    """What is asked, as the headline before there is an answer."""
    return f"Which model is best at the {asked}?"


def plan(setup: RaceSetup, asked: str, workers: int) -> tuple[str, str]:
    """Before a race: what will be trained, and about how long that takes."""
    if not setup.models:
        return "Choose a model to race.", "GCN and DE-GNN-SPD are a good start."
    runs = len(setup.models) * setup.seeds
    seconds = sum(_guess(setup, model) for model in setup.models) * setup.seeds / max(1, min(workers, runs))
    seeds = f"{setup.seeds} seed{'' if setup.seeds == 1 else 's'} each"
    models = _and(setup.models) if len(setup.models) <= 3 else f"{len(setup.models)} models"
    return question(asked), f"Race {models}: {seeds}, up to {setup.epochs} epochs, about {roughly(seconds)}."


def _guess(setup: RaceSetup, model: str) -> float:
    graph = setup.graph
    sets = {"roles": graph.num_nodes, "links": 1.6 * graph.num_edges}.get(setup.kind, 2.0 * graph.num_edges)
    return _BEGINNING if is_heuristic(model) else _BEGINNING + setup.epochs * max(sets * _EPOCH, 0.01)


def headline(table: Comparison) -> str:
    """The result in a sentence: who is ahead, of whom, by how much.

    Examples
    --------
    >>> def row(model, mean):
    ...     return Row(model, 3, mean, 1.0, None, mean, 1.0, None, 1.0, 10)
    >>> def say(*rows):
    ...     return headline(Comparison(rows, "celegans", "links", 2, "auc", 430, ()))
    >>> say(row("DE-GNN-SPD", 90.4), row("GIN", 78.2), row("GCN", 76.1))
    'DE-GNN-SPD reaches 90.4, 12 points ahead of GIN, the best plain GNN.'
    >>> say(row("Adamic-Adar", 91.0), row("DE-GNN-SPD", 90.4), row("GCN", 76.1))
    'Adamic-Adar, a formula without training, reaches 91.0, 0.6 points ahead of DE-GNN-SPD.'
    >>> say(row("GCN", 76.1))
    'GCN reaches 76.1.'
    """
    best, others = table.rows[0], table.rows[1:]
    rival = _rival(best, others)
    name = f"{best.model}, a formula without training," if is_heuristic(best.model) else best.model
    if rival is None:
        return f"{name} reaches {best.mean:.1f}."
    ahead = round(best.mean - rival.mean, 1)
    points = f"{ahead:.0f}" if ahead >= 10 else f"{ahead:g}"
    role = _role(rival, table)
    role = f", {role}" if role else ""
    if not ahead:
        return f"{name} and {rival.model}{role}{',' if role else ''} are level at {best.mean:.1f}."
    return f"{name} reaches {best.mean:.1f}, {points} point{'' if ahead == 1 else 's'} ahead of {rival.model}{role}."


def _rival(best: Row, others: tuple[Row, ...]) -> Row | None:
    """Whom the best is compared with: distance encoding with plain GNNs, and the other way round."""
    if is_baseline(best.model):
        wanted = [row for row in others if not is_baseline(row.model)]
    else:
        plain = [row for row in others if _is_plain(row.model)]
        wanted = plain or [row for row in others if is_baseline(row.model)]
    return next(iter([*wanted, *others]), None)


def _is_plain(model: str) -> bool:
    return model in MODELS and MODELS[model].bound == "1-WL"


def _role(rival: Row, table: Comparison) -> str:
    if _is_plain(rival.model):
        return "the best plain GNN" if sum(_is_plain(row.model) for row in table.rows) > 1 else "a plain GNN"
    return "a formula without training" if is_heuristic(rival.model) else ""


def how_sure(table: Comparison) -> str:
    """What may be said about the result: too few seeds, or the verdict of the test."""
    seeds = min(row.seeds for row in table.rows)
    if len(table.rows) == 1:
        return f"{_counted(seeds, 'seed')}. Race another model to compare."
    if any(SAME_SPLIT in row.verdict for row in table.rows):
        return "Every seed has the same split, so other splits may give another result."
    if seeds < ENOUGH:
        return f"{_counted(seeds, 'seed')}: too few to be sure. Run {ENOUGH} for a verdict."
    base = next((row.model for row in table.rows if row.verdict == "the baseline"), "")
    judged = [row for row in table.rows if row.p is not None]
    if not base or not judged:
        return f"{_counted(seeds, 'seed')}; there is nothing to test against."
    best = judged[0]
    p = "p < 0.001" if best.p is not None and best.p < 0.001 else f"p = {best.p:.3f}"
    how = next((how for how in ("above", "below") if f", {how} (" in best.verdict), "")
    words = f"is {how} {base}" if how else f"is not shown to differ from {base}"
    return f"{_counted(seeds, 'seed')}: {best.model} {words}, the baseline best on validation ({p})."


def _and(names: Sequence[str]) -> str:
    return " and ".join(filter(None, [", ".join(names[:-1]), names[-1]]))


def _counted(count: int, what: str) -> str:
    word = _NUMBERS[count] if count < len(_NUMBERS) else str(count)
    return f"{word} {what}{'' if count == 1 else 's'}"


GO = {
    "wait": ("▶ Race", "Loading PyTorch…"),
    "race": ("▶ Race", "Train the chosen models"),
    "cancel": ("■ Cancel", "Stop; what is finished is kept"),
    "continue": ("▶ Continue", "Go on from where training stopped"),
    "retry": ("▶ Try again", "Train once more what failed"),
    "done": ("✓ Trained", "To train more, choose more seeds, other settings or another model"),
}


def button(meant: str) -> dict[str, Any]:
    """The button with this meaning, and no progress."""
    label, about = GO[meant]
    return {"meaning": meant, "label": label, "about": about, "progress": [], "running": False, "where": ""}


def loading(asked: str) -> dict[str, Any]:
    """The headline until torch is there."""
    return {"title": question(asked), "sure": "Loading PyTorch…", "judged": [], "earlier": 0}


def meaning(shown: Snapshot | None) -> str:
    """What a click on the button would do now.

    Examples
    --------
    >>> meaning(None)
    'race'
    """
    if shown is None or shown.state == "ready":
        return "race"
    if shown.state == "finished":
        return "retry" if any(p.state == "failed" for p in shown.progress) else "done"
    return {"running": "cancel", "cancelled": "continue"}[shown.state]


def status(shown: Snapshot | None) -> str:
    """How far a race is, in a few words; "" when there is nothing to say."""
    if shown is None or shown.state == "ready":
        return ""
    wrong = any(p.error for p in shown.progress)
    if shown.state == "running":
        return "Training…" if shown.left is None else f"Training: about {duration(shown.left)} left."
    if shown.state == "cancelled":
        return "Stopped by an error, see below." if wrong else "Stopped: what is finished is kept."
    return "Finished with errors, see below." if wrong else ""


def progress(shown: Snapshot | None) -> list[dict[str, Any]]:
    """Of each model how far it is, for the page."""
    rows = []
    for p in () if shown is None else shown.progress:
        note = f"{p.done} of {p.of} seed{'s' if p.of > 1 else ''}"
        if p.state == "running" and p.left:
            note += f", {duration(p.left)} left"
        elif p.state in ("preparing", "cancelled", "failed"):
            note += f", {p.doing or p.state}" if p.state == "preparing" else f", {p.state}"
        details, _, error = p.error.rpartition("\n")  # a traceback ends with what happened
        rows.append({"model": p.model, "color": color_of(p.model), "percent": round(100 * p.share), "note": note,
                     "state": p.state, "error": error, "details": details})  # fmt: skip
    return rows
