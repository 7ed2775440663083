"""The runs that a table shows: their settings in words, and the Python that repeats exactly these runs."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from .plan import Plan
from .records import Run

__all__ = ["code_of", "settings_note"]

_MAKES = {"roles": "role_task", "links": "link_task", "triangles": "triangle_task"}
_SAYS = {("optimizer", "sgd"): "SGD", ("patience", None): "no early stop"}


def settings_note(runs: Sequence[Run], plan: Plan, other: Sequence[str] = ()) -> str:
    """How the runs were trained; ``other`` are the models that have none with the settings of the plan.

    Examples
    --------
    >>> import degnn_explore as de
    >>> plan = Plan(de.load("karate"), "links", ["GCN"])
    >>> run = Run("k", "karate", "links", "GCN", hyper={"layers": 3}, options={"epochs": 5, "learning_rate": 0.05})
    >>> settings_note([run], plan)
    'Trained with at most 5 epochs, learning rate 0.05, layers 3.'
    """
    usual = replace(plan, hyper={}, options={})
    groups: dict[str, list[str]] = {}
    for model, run in {run.model: run for run in runs}.items():
        groups.setdefault(_words(run, *usual.settings(model)), []).append(model)
    if len(groups) == 1:
        note = f"Trained with {next(iter(groups))}."
    else:
        note = "Trained with: " + "; ".join(f"{', '.join(names)}: {words}" for words, names in groups.items()) + "."
    if other:
        note += f" The settings chosen above are others: of {', '.join(other)} the latest runs are shown."
    return note


def _words(run: Run, hyper: dict[str, Any], options: dict[str, Any]) -> str:
    """The settings of a run that are not the usual ones, and always its epochs."""
    own = {name: value for name, value in run.options.items() if name != "epochs" and value != options.get(name)}
    own |= {name: value for name, value in run.hyper.items() if value != hyper.get(name)}
    parts = [_SAYS.get((name, value), f"{name.replace('_', ' ')} {value}") for name, value in own.items()]
    return ", ".join([f"at most {run.options.get('epochs', 0)} epochs", *(parts or ["each model's own values"])])


def code_of(runs: Sequence[Run], plan: Plan) -> str:
    """Python that trains these runs again, without the board; the plan only says how to get the graph.

    Every hyperparameter is written out, so that the code means the same when a default changes.

    Examples
    --------
    >>> import degnn_explore as de
    >>> run = Run("k", "karate", "links", "GCN", hyper={"layers": 3}, options={"epochs": 5})
    >>> print(code_of([run], Plan(de.load("karate"), "links", ["SEAL"], name="karate")))
    import degnn_explore as de
    <BLANKLINE>
    G = de.load("karate")
    runs = [  # model, seeds, hyperparameters, training
        ('GCN', [0],
         {'layers': 3},
         {'epochs': 5}),
    ]
    for name, seeds, hyper, training in runs:
        for seed in seeds:
            task = de.link_task(G, seed=seed)
            model = de.build(name, task, seed=seed, **hyper)
            run = list(de.fit(model, task, seed=seed, device='cpu', **training))
            print(name, seed, de.summarise(run))
    """
    groups: dict[str, tuple[Run, list[int]]] = {}
    for run in runs:
        groups.setdefault(f"{run.model} {run.hyper} {run.options}", (run, []))[1].append(run.seed)
    lines = [
        f"    ({run.model!r}, {sorted(seeds)},\n     {run.hyper!r},\n     {run.options!r}),"
        for run, seeds in groups.values()
    ]
    devices = {run.device for run in runs}
    device = devices.pop() if len(devices) == 1 else "auto"
    return "\n".join(
        [
            "import degnn_explore as de",
            "",
            *plan.graph_code(),
            "runs = [  # model, seeds, hyperparameters, training",
            *lines,
            "]",
            "for name, seeds, hyper, training in runs:",
            "    for seed in seeds:",
            f"        task = de.{_MAKES[plan.task]}(G, seed=seed)",
            "        model = de.build(name, task, seed=seed, **hyper)",
            f"        run = list(de.fit(model, task, seed=seed, device={device!r}, **training))",
            "        print(name, seed, de.summarise(run))",
        ]
    )
