"""The runs that a table shows: their settings in words, and the Python that repeats exactly these runs."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from ..learn.tasks import TASKS
from .plan import Plan
from .records import Run

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
    usual = replace(plan, hyper={}, options={}, own={})
    groups: dict[str, list[str]] = {}
    for model, run in {run.model: run for run in runs if run.options or run.hyper}.items():  # else nothing was chosen
        groups.setdefault(_words(run, *usual.settings(model)), []).append(model)
    if len(groups) <= 1:
        note = f"Trained with {next(iter(groups))}." if groups else "Heuristics: nothing was trained."
    else:
        note = "Trained with: " + "; ".join(f"{', '.join(names)}: {words}" for words, names in groups.items()) + "."
    if other:
        note += f" The settings chosen above are others: of {', '.join(other)} the latest runs are shown."
    return note


def by_setting(runs: Sequence[Run], plan: Plan) -> dict[tuple[str, str], list[Run]]:
    """The runs of each model and setting, the setting in words, each seed once, by its latest run."""
    usual, groups = replace(plan, hyper={}, options={}, own={}), dict[tuple[str, str], dict[int, Run]]()
    for run in runs:
        groups.setdefault((run.model, _words(run, *usual.settings(run.model))), {})[run.seed] = run
    return {group: list(seeds.values()) for group, seeds in sorted(groups.items())}


def _words(run: Run, hyper: dict[str, Any], options: dict[str, Any]) -> str:
    """The settings of a run that are not the usual ones, and always its epochs."""
    own = {name: value for name, value in run.options.items() if name != "epochs" and value != options.get(name)}
    own |= {name: value for name, value in run.hyper.items() if value != hyper.get(name)}
    parts = [_SAYS.get((name, value), f"{name.replace('_', ' ')} {value}") for name, value in own.items()]
    trained = [f"at most {run.options['epochs']} epochs"] if "epochs" in run.options else []
    return ", ".join([*trained, *(parts or ["each model's own values"])])


def code_of(plan: Plan, runs: Sequence[Run] = ()) -> str:
    """Python that trains these runs again, without the board; if there are none, those of the plan.

    Every hyperparameter is written out, so that the code means the same when a default changes.

    Examples
    --------
    >>> import degnn_explore as de
    >>> run = Run("k", "karate", "links", "GCN", hyper={"layers": 3}, options={"epochs": 5})
    >>> print(code_of(Plan(de.load("karate"), "links", ["SEAL"], name="karate"), [run]))
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
    given = [(run.seed, run.device, (run.model, run.hyper, run.options)) for run in runs] or [
        (job.seed, plan.device, (job.model, *plan.settings(job.model))) for job in plan.jobs()
    ]
    groups: dict[str, tuple[list[int], tuple[Any, ...]]] = {}
    for seed, _, how in given:
        groups.setdefault(repr(how), ([], how))[0].append(seed)
    listed = [
        f"    ({model!r}, {sorted(seeds)},\n     {hyper!r},\n     {options!r}),"
        for seeds, (model, hyper, options) in groups.values()
    ]
    devices = {device for _, device, _ in given}
    device = devices.pop() if len(devices) == 1 else "auto"
    return "\n".join(
        [
            "import degnn_explore as de",
            "",
            *_graph_code(plan),
            "runs = [  # model, seeds, hyperparameters, training",
            *listed,
            "]",
            "for name, seeds, hyper, training in runs:",
            "    for seed in seeds:",
            *_task_code(plan),
            "        model = de.build(name, task, seed=seed, **hyper)",
            f"        run = list(de.fit(model, task, seed=seed, device={device!r}, **training))",
            "        print(name, seed, de.summarise(run))",
        ]
    )


def _task_code(plan: Plan) -> list[str]:
    """The line that makes the task of a seed, unless there is one for all."""
    if plan.given:
        return []
    leaking = f", protocol={plan.protocol!r}" if plan.leaks else ""
    return [f"        task = de.{TASKS[plan.task].make.__name__}(G, seed=seed{leaking})"]


def _graph_code(plan: Plan) -> list[str]:
    """Lines that make G; a graph that load does not know, and a task of one's own, only its owner can write down."""
    if plan.given is not None:
        return [
            f"# A task of your own on {_text(plan.title)}; put what made it in the place of the dots.",
            f"task = ...  # {plan.given!r}",
        ]
    if plan.name:
        return [f"G = de.load({_text(plan.name)})"]
    graph = plan.graph
    lines = [
        f"# A graph of your own, {_text(plan.title)}: {graph.num_nodes} nodes, {graph.num_edges} edges.",
        "# Put what it was made from in the place of the dots, with the nodes in the same order.",
        'G = de.read_graph("...")  # your file, or de.Graph.from_networkx(...), de.Graph.from_edges(...)',
    ]
    if graph.attributes is not None:
        lines.append(f"G = G.with_attributes([...])  # its attributes, {graph.attributes.shape[1]} for each node")
    if plan.task == "roles":
        lines.append(
            "G = G.with_labels([...])  # its labels, a whole number for each node, -1 for none; or above: "
            'de.read_graph("...", labels="...")'
        )
    return lines


def _text(value: str) -> str:
    return json.dumps(value, ensure_ascii=False)
