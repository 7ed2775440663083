"""Ways in which a benchmark gives answers away, each a function from an honest task to a leaky one.

``protocol="honest"`` has none and ``protocol="paper"`` those that the published code of the paper has; one name, or
several, turn on just these. Nothing outside this module knows one from another: elsewhere a protocol is a string.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, fields, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from ..common.errors import GraphError, ParameterError, check_choice, short_repr
from ..engine.features import DegreesAsGiven
from ..graphs.build import frozen
from ..graphs.graph import Graph
from .splits import Ints, known_in_training, negatives_of, triangles, unique_sets, without_inner_edges

if TYPE_CHECKING:
    import pandas

    from .tasks import Task

FULL_DEGREES = "degrees_of_the_full_graph"
OWN_EDGES = "own_edges_in_degrees"
REPEATED = "negatives_repeat"
AVOID_HELD_OUT = "negatives_avoid_held_out"
VALIDATION_LINKS = "validation_links_in_the_graph"
KEPT_GRADIENTS = "gradients_not_reset"
CHOSEN_ON_TEST = "epoch_chosen_on_test"
_DRAWN = ("links", "triangles")
_ANY = ("roles", *_DRAWN)


# ---- from an honest task to a leaky one ------------------------------------------------------------------------------


def _validation_links(task: Task) -> Task:
    return replace(task, graph=without_inner_edges(task.full_graph, _positives(task.test)))


def _avoiding(task: Task) -> Task:
    """Training negatives drawn again, among the sets that are no positives of the full graph."""
    taken = unique_sets(_all_positives(task), _negatives(task.val), _negatives(task.test))
    return _with_negatives(task, "train", taken, repeat=False)


def _repeating(task: Task) -> Task:
    """All negatives drawn again, with replacement."""
    positives = _all_positives(task)
    if AVOID_HELD_OUT in task.leaks:
        known = positives
    else:
        known = known_in_training(task.graph, positives, _positives(task.train))
    task = _with_negatives(task, "train", known, repeat=True)
    for part in ("val", "test"):
        task = _with_negatives(task, part, positives, repeat=True)
    return task


def _degrees(task: Task) -> Task:
    """Models see the degrees of the full graph, or those before the edges inside S are cut."""
    if isinstance(task.graph, DegreesAsGiven):
        return task
    counted = (task.full_graph if FULL_DEGREES in task.leaks else task.graph).degrees
    columns: dict[str, Any] = {column.name: getattr(task.graph, column.name) for column in fields(Graph)}
    return replace(task, graph=DegreesAsGiven(**columns, degrees_shown=frozen(counted.copy())))


def _with_option(**option: Any) -> Callable[[Task], Task]:
    return lambda task: replace(task, fit_options={**task.fit_options, **option})


def _positives(split: Any) -> Ints:
    return split.sets[split.labels == 1]


def _negatives(split: Any) -> Ints:
    return split.sets[split.labels == 0]


def _all_positives(task: Task) -> Ints:
    return task.full_graph.edges if task.kind == "links" else triangles(task.full_graph)


def _with_negatives(task: Task, part: str, taken: Ints, repeat: bool) -> Task:
    """The task with the negatives of one part drawn among the sets that are not taken."""
    split = getattr(task, part)
    yes, count = _positives(split), int((split.labels == 0).sum())
    rng = np.random.default_rng([task.seed, *part.encode()])
    drawn = negatives_of(task.full_graph, taken, count, rng, task.kind, repeat)
    return replace(task, **{part: replace(split, sets=np.concatenate([yes, drawn]))})


# ---- the list --------------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Leak:
    """A leak: what it is, where it was seen, for which kinds of task, and the function that adds it to a task."""

    about: str
    seen: str
    kinds: tuple[str, ...]
    make: Callable[[Task], Task]
    paper: bool = True  # whether protocol="paper" has it


LEAKS = {
    FULL_DEGREES: Leak(
        "The degree of a node, a feature of every network, is counted before the held-out links are taken out, its own "
        "edges included: compared with the remaining edges, it shows which nodes lost one.",
        "published code (degrees are made attributes before the split)",
        _DRAWN,
        _degrees,
    ),
    OWN_EDGES: Leak(
        "The degree counts the edges inside S. Training positives have them, validation and test positives do not: the "
        "feature gives the label away in training and misleads afterwards.",
        "published code (attributes are not changed when the edges inside S are cut)",
        _DRAWN,
        _degrees,
    ),
    REPEATED: Leak(
        "Negatives are drawn with replacement: one may occur twice, or in training and in test.",
        "published code; it also draws a few {u, u}, which are not sets and are skipped here",
        _DRAWN,
        _repeating,
    ),
    AVOID_HELD_OUT: Leak(
        "Training negatives are drawn from the pairs that are no edge of the full graph, so training learns that they "
        "are not held-out links, which it should not know.",
        "published code; PyG's RandomLinkSplit (issue 6946)",
        _DRAWN,
        _avoiding,
    ),
    VALIDATION_LINKS: Leak(
        "Only the positives of test are taken out of the graph, so that training and test see those of validation.",
        "the appendix, taken literally; the published code takes out both",
        _DRAWN,
        _validation_links,
        paper=False,
    ),
    KEPT_GRADIENTS: Leak(
        "Gradients are not set to zero between batches, so that each step follows the sum of all before it.",
        "published code",
        _ANY,
        _with_option(zero_grad=False),
    ),
    CHOSEN_ON_TEST: Leak(
        "The epoch is chosen, and training is stopped, by what is reported: the test metric.",
        "the appendix's tables without validation",
        _ANY,
        _with_option(choose_on="test"),
    ),
}
_MADE_FIRST = (VALIDATION_LINKS, AVOID_HELD_OUT, REPEATED)  # what they change, others count


def leaky(task: Task, protocol: str | Iterable[str]) -> Task:
    """The honest task as this protocol would have made it."""
    names = leaks_of(protocol, task.kind)
    task = replace(task, leaks=names) if names else task
    if {AVOID_HELD_OUT, REPEATED} & {*names} and task.graph.parts is not None:
        raise ParameterError("Leaks of negatives are measured on one graph, not on a disjoint union.")
    for name in sorted(names, key=[*_MADE_FIRST, *LEAKS].index):
        task = LEAKS[name].make(task)
    return task


def leaks() -> pandas.DataFrame:
    """The leaks that a protocol can name: what each gives away, where it was seen, and for which tasks.

    Examples
    --------
    >>> leaks().loc["gradients_not_reset", "tasks"]
    'roles, links, triangles'
    """
    import pandas as pd

    rows = {
        name: {"about": leak.about, "seen": leak.seen, "tasks": ", ".join(leak.kinds), "paper": leak.paper}
        for name, leak in LEAKS.items()
    }
    return pd.DataFrame.from_dict(rows, orient="index").rename_axis("leak")


def leaks_of(protocol: str | Iterable[str], kind: str) -> tuple[str, ...]:
    """The leaks of a protocol for a kind of task: "honest", "paper", or names, as a list or joined by "+".

    Examples
    --------
    >>> leaks_of("honest", "links"), leaks_of("paper", "roles")
    ((), ('gradients_not_reset', 'epoch_chosen_on_test'))
    >>> leaks_of("negatives_repeat + degrees_of_the_full_graph", "links")
    ('degrees_of_the_full_graph', 'negatives_repeat')
    """
    named = protocol.split("+") if isinstance(protocol, str) else protocol
    if not isinstance(named, Iterable):
        raise ParameterError(
            f'protocol must be "honest", "paper" or names from de.leaks(), not {short_repr(protocol)}.'
        )
    chosen: set[str] = set()
    for name in (str(part).strip() for part in named):
        check_choice("protocol", name, ["honest", "paper", *LEAKS])
        if name == "paper":
            chosen |= {leak for leak, it in LEAKS.items() if it.paper and kind in it.kinds}
        elif name != "honest":
            if kind not in LEAKS[name].kinds:
                fits = " and ".join(LEAKS[name].kinds)
                raise ParameterError(f"protocol={name!r} is for {fits}, and this task is of {kind}; leave it out.")
            chosen.add(name)
    return tuple(name for name in LEAKS if name in chosen)


def protocol_of(leaks: tuple[str, ...], kind: str) -> str:
    """What a protocol with these leaks is called: the word that :func:`leaks_of` understands.

    Examples
    --------
    >>> protocol_of((), "links"), protocol_of(("gradients_not_reset", "epoch_chosen_on_test"), "roles")
    ('honest', 'paper')
    """
    if not leaks:
        return "honest"
    return "paper" if leaks == leaks_of("paper", kind) else " + ".join(leaks)


def needs_own_degrees(caller: str, graph: Graph) -> None:
    """A GraphError for the training graph of a task whose degrees leak: they do not follow when edges change."""
    if isinstance(graph, DegreesAsGiven):
        raise GraphError(
            f"{caller} changes edges, and the degrees that this graph shows were counted elsewhere: its task leaks on "
            "purpose. Give task.full_graph, or use an honest task."
        )
