"""What a study's table says, in sentences computed from it: how far it is, where ours stand, and every exception.

Cells below five seeds count nowhere. "Above" and "below" compare means; an interval is said where it is the point.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from html import escape
from statistics import fmean

from ...common.numbers import signed
from ...learn.nets import BASELINE, DE, MODELS, is_heuristic
from ..statistics import ENOUGH
from ..whole.tables import Result

_WIDE = 3.0  # points: half an interval from which on single comparisons say little


@dataclass(frozen=True, repr=False)
class Reading:
    """Sentences, each with the words it begins with; a notebook shows them as a list."""

    parts: tuple[tuple[str, str], ...]

    def __repr__(self) -> str:
        return "\n".join(f"{lead} {text}" for lead, text in self.parts)

    def markdown(self) -> str:
        """For a README: a list."""
        return "\n".join(f"- **{lead}** {text}" for lead, text in self.parts)

    def _repr_html_(self) -> str:
        return f"<ul>{''.join(f'<li><b>{escape(lead)}</b> {escape(text)}</li>' for lead, text in self.parts)}</ul>"


def read_table(results: Sequence[Result], beside: Sequence[Result] = ()) -> Reading:
    """A study's table in words; ``beside`` are results of another one on the same questions, such as heuristics."""
    done = [one for one in results if one.mean is not None and one.seeds >= ENOUGH]
    scored = [one for one in beside if one.mean is not None and one.seeds >= ENOUGH]
    said = [
        ("How far it is:", _coverage(results)),
        ("Against the paper:", _against(done)),
        ("Distance encoding against plain GNNs:", _order(done)),
        ("Leads:", _leads(done)),
        ("Heuristics:", _heuristics(done, scored)),
        ("Scatter:", _scatter(done)),
    ]
    return Reading(tuple((lead, text) for lead, text in said if text))


def _coverage(results: Sequence[Result]) -> str:
    few = [one for one in results if one.seeds < ENOUGH]
    text = f"{len(results) - len(few)} of {len(results)} cells have {ENOUGH} seeds or more"
    if not few:
        return f"{text}."
    by_column = _by_column(few)
    sizes = {column: len(cells) for column, cells in _by_column(results).items()}
    listed = [
        f"{column} ({'all' if len(cells) == sizes[column] else ', '.join(one.model for one in cells)})"
        for column, cells in by_column.items()
    ]
    return f"{text}. The others count nowhere below: {'; '.join(listed)}."


def _against(done: Sequence[Result]) -> str:
    """Of each distance-encoded model, and of all others together, in how many columns they reach the paper's mean."""
    said = []
    for model in dict.fromkeys(one.model for one in done if _is(one, DE)):
        cells = [one for one in done if one.model == model and one.paper is not None]
        under = [one for one in cells if _mean(one) < _paper(one)]
        if cells:
            but = f" (not on {', '.join(map(_beside_paper, under))})" if under else ""
            said.append(f"{model} in {len(cells) - len(under)} of {len(cells)} columns{but}")
    best = [_best(cells, DE) for cells in _by_column(done).values()]
    reached = [
        ours for ours, theirs in best if ours is not None and theirs is not None and _mean(ours) >= _paper(theirs)
    ]
    count = sum(ours is not None and theirs is not None for ours, theirs in best)
    if not said:
        return ""
    return (
        f"our mean is at or above the paper's for {'; '.join(said)}. The best distance-encoded model of a column "
        f"reaches the paper's best in {len(reached)} of {count}."
    )


def _order(done: Sequence[Result]) -> str:
    """Whether distance encoding is above GCN, SAGE and GIN wherever the paper has it so."""
    pairs, kept, broken = 0, 0, []
    for column, cells in _by_column(done).items():
        plain = [one for one in cells if MODELS[one.model].bound == "1-WL" and one.paper is not None]
        here = []
        for one in (cell for cell in cells if _is(cell, DE) and cell.paper is not None):
            beaten = [other for other in plain if _paper(one) > _paper(other)]
            over = [f"{other.model} {_mean(other):.2f}" for other in beaten if _mean(other) >= _mean(one)]
            pairs, kept = pairs + len(beaten), kept + len(beaten) - len(over)
            here += [f"{one.model} {_mean(one):.2f} is not above {', '.join(over)}"] if over else []
        broken += [f"on {column}, {'; '.join(here)}"] if here else []
    if not pairs:
        return ""
    text = f"of {pairs} pairs that the paper has in this order, {kept} are so here"
    return f"{text}. Exceptions: {'. And '.join(broken)}." if broken else f"{text}, without exception."


def _leads(done: Sequence[Result]) -> str:
    """How far the best distance-encoded model is before the best baseline, here and in the paper."""
    ours, theirs, raised = [], [], []
    for cells in _by_column(done).values():
        (encoded, encoded_paper), (base, base_paper) = _best(cells, DE), _best(cells, BASELINE)
        if encoded and encoded_paper and base and base_paper:
            ours.append(_mean(encoded) - _mean(base))
            theirs.append(_paper(encoded_paper) - _paper(base_paper))
        raised += [_mean(one) - _paper(one) for one in cells if _is(one, BASELINE) and one.paper is not None]
    if not ours:
        return ""
    return (
        f"the best distance-encoded model is before the best baseline by {signed(fmean(ours))} points here and by "
        f"{signed(fmean(theirs))} in the paper, on average over {len(ours)} columns. Our baselines, "
        f"their settings chosen as those of the others, differ from the paper's by {signed(fmean(raised))} points."
    )


def _heuristics(done: Sequence[Result], scored: Sequence[Result]) -> str:
    """Where a score without a network is as good as the networks."""
    tops, over = [], []
    columns = _by_column(done)
    for column, cells in _by_column(scored).items():
        top = max((one for one in cells if is_heuristic(one.model)), key=_mean, default=None)
        if top is None:
            continue
        tops.append(f"{column} {_mean(top):.2f} ({top.model})")
        encoded, _ = _best(columns.get(column, ()), DE)
        if encoded is not None and _mean(top) >= _mean(encoded):
            over.append(f"{column} (networks: {_mean(encoded):.2f}, {encoded.model})")
    if not tops:
        return ""
    text = f"without a network, the best of them by test result reach {', '.join(tops)}"
    return f"{text}; no distance-encoded model is above on {', '.join(over)}." if over else f"{text}."


def _scatter(done: Sequence[Result]) -> str:
    wide = []
    for column, cells in _by_column(done).items():
        halves = [one.half for one in cells if one.half is not None]
        if halves and fmean(halves) > _WIDE:
            wide.append(f"{column} (± {min(halves):.1f} to {max(halves):.1f})")
    if not wide:
        return ""
    return f"on {', '.join(wide)} the interval of a model is wider than most differences between models."


def _by_column(results: Iterable[Result]) -> dict[str, list[Result]]:
    columns: dict[str, list[Result]] = {}
    for one in results:
        columns.setdefault(one.heading, []).append(one)
    return columns


def _best(cells: Iterable[Result], group: str) -> tuple[Result | None, Result | None]:
    """Of a group of models the best of ours, and the one with the paper's best number."""
    own = [one for one in cells if _is(one, group)]
    published = [one for one in own if one.paper is not None]
    return max(own, key=_mean, default=None), max(published, key=_paper, default=None)


def _is(one: Result, group: str) -> bool:
    return one.model in MODELS and MODELS[one.model].group == group


def _mean(one: Result) -> float:
    return float(one.mean or 0.0)


def _paper(one: Result) -> float:
    return float(one.paper or 0.0)


def _beside_paper(one: Result) -> str:
    inside = ", inside its interval" if one.compared == "within" else ""
    return f"{one.heading}: {_mean(one):.2f} against {_paper(one):.2f}{inside}"
