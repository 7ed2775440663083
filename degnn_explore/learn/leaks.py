"""Ways in which a benchmark tells more than it should, each a switch, all of them off unless a protocol names them.

``protocol="honest"`` has none and ``protocol="paper"`` those that the published code of the paper has; one name, or
several, turn on just these. A task knows the leaks that it was made with, and training asks the task.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, fields
from typing import TYPE_CHECKING, Any

from ..common.errors import GraphError, ParameterError, one_of, shown
from ..engine.features import DegreesAsGiven
from ..graphs.columns import frozen
from ..graphs.graph import Graph

if TYPE_CHECKING:
    import pandas

FULL_DEGREES = "degrees_of_the_full_graph"
OWN_EDGES = "own_edges_in_degrees"
REPEATED = "negatives_repeat"
VALIDATION_LINKS = "validation_links_in_the_graph"
KEPT_GRADIENTS = "gradients_not_reset"
CHOSEN_ON_TEST = "epoch_chosen_on_test"
_DRAWN = ("links", "triangles")
_ANY = ("roles", *_DRAWN)


@dataclass(frozen=True)
class Leak:
    """What is let through, where it was seen, and the kinds of task that can have it."""

    about: str
    seen: str
    kinds: tuple[str, ...]
    paper: bool = True  # whether protocol="paper" has it


LEAKS = {
    FULL_DEGREES: Leak(
        "The degree of a node, a feature of every network, is counted before the held-out links are taken out, its own "
        "edges included: compared with the edges that are left, it tells who has lost one.",
        "published code (degrees are made attributes before the split)",
        _DRAWN,
    ),
    OWN_EDGES: Leak(
        "The degree counts the edges inside S, which positives of training have and those of validation and test have "
        "not: the label while it learns, and something else afterwards.",
        "published code (attributes are not changed when the edges inside S are cut)",
        _DRAWN,
    ),
    REPEATED: Leak(
        "Negatives are drawn with replacement: one may occur twice, or in training and in test.",
        "published code; it also draws a few {u, u}, which are no sets and are left out here",
        _DRAWN,
    ),
    VALIDATION_LINKS: Leak(
        "Only the positives of test are taken out of the graph, so that training and test see those of validation.",
        "the appendix, taken by its word; the published code takes out both",
        _DRAWN,
        paper=False,
    ),
    KEPT_GRADIENTS: Leak(
        "Gradients are not set to zero between batches, so that each step follows the sum of all before it.",
        "published code",
        _ANY,
    ),
    CHOSEN_ON_TEST: Leak(
        "The epoch is chosen, and training is stopped, by what is reported: the test metric.",
        "the appendix's tables without validation",
        _ANY,
    ),
}


def leaks() -> pandas.DataFrame:
    """The switches that a protocol may name: what each lets through, where it was seen, for which tasks.

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
        raise ParameterError(f'protocol must be "honest", "paper" or names from de.leaks(), not {shown(protocol)}.')
    chosen: set[str] = set()
    for name in (str(part).strip() for part in named):
        one_of("protocol", name, ["honest", "paper", *LEAKS])
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


def with_degrees(graph: Graph, full: Graph, leaks: tuple[str, ...]) -> Graph:
    """The training graph, with the degrees that the leaks have models see."""
    if not {FULL_DEGREES, OWN_EDGES} & {*leaks}:
        return graph
    counted = (full if FULL_DEGREES in leaks else graph).degrees
    columns: dict[str, Any] = {column.name: getattr(graph, column.name) for column in fields(Graph)}
    return DegreesAsGiven(**columns, degrees_shown=frozen(counted.copy()))


def needs_own_degrees(caller: str, graph: Graph) -> None:
    """A GraphError for the training graph of a task whose degrees leak: they do not follow when edges change."""
    if isinstance(graph, DegreesAsGiven):
        raise GraphError(
            f"{caller} changes edges, and the degrees that this graph shows were counted elsewhere: its task leaks on "
            "purpose. Give task.full_graph, or use an honest task."
        )
