"""One run: what to train (:class:`RunSpec`), how to train it (:func:`run_one`), and the result (:class:`Run`)."""

from __future__ import annotations

import datetime
import hashlib
import json
import math
import threading
import time
import traceback
from collections import OrderedDict
from collections.abc import Callable, Iterable, Mapping
from dataclasses import asdict, dataclass, field, fields, replace
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

from .. import __version__
from ..common.errors import ParameterError, check_choice
from ..common.progress import Cancelled, watching
from ..graphs.graph import Graph
from ..learn.leaks import leaks_of, protocol_of
from ..learn.metrics import RANKING
from ..learn.registry import MODELS, mark_of
from ..learn.tasks import TASKS, Task
from ..reading.datasets import name_of

if TYPE_CHECKING:
    from ..learn.nets.base import SetNet

PROTOCOL_VERSION = "0.2"
"""Version of how splits, negatives and suggested settings are made. Part of every key: raise it when they change."""

Progress = Callable[[dict[str, Any]], None]
"""Called with updates of a run: ``{"doing": words}``, ``{"placed": words}`` or ``{"epochs": [...]}``."""

_NO_EFFECT = ("checkpoint_every", "num_threads")  # options of fit that do not change the result
_SET_BY_RUN = ("seed", "epochs", "device", "checkpoint", "progress", "model", "task")
_UPDATES_PER_SECOND = 10  # faster epochs are reported together


@dataclass(frozen=True)
class RunSpec:
    """What to train: one model, one seed, on one task and graph.

    The seed draws the split, the weights and the order of the sets, so all models of one seed see the same split. A
    :class:`Task` made by the user keeps its split; the seed draws the rest.

    Examples
    --------
    >>> import degnn_explore as de
    >>> spec = RunSpec(de.load("karate"), "links", "GCN", seed=1, epochs=5)
    >>> spec.catalog, spec.kind, spec.metric, len(spec.key)
    ('karate', 'links', 'auc', 20)
    >>> spec.key == RunSpec(de.load("karate"), "links", "GCN", 1, 5, settings={"layers": 2}).key  # the default
    True
    """

    graph: Graph
    task: str | Task
    model: str
    seed: int = 0
    epochs: int = 40  # at most
    settings: Mapping[str, Any] = field(default_factory=dict)  # hyperparameters; learning_rate becomes an option
    options: Mapping[str, Any] = field(default_factory=dict)  # further arguments of fit
    protocol: str = "honest"  # or "paper", or names of leaks; a user's task brings its own
    device: str = "auto"
    split: tuple[float, ...] | None = None  # shares of training, validation and test sets; None: the task's own
    rung: int = 0  # of a search, counted from 1: no test result is recorded; 0: an ordinary run
    keep_model: bool = True
    resume_from: str = ""  # the key of the rung below, whose checkpoint this one continues
    per_positive: int | None = None  # negatives that each held-out link is ranked among
    negatives: str = "random"  # or "hard"

    def __post_init__(self) -> None:
        if isinstance(self.task, Task):
            object.__setattr__(self, "protocol", self.task.protocol)
        elif self.task in TASKS:
            object.__setattr__(self, "protocol", protocol_of(leaks_of(self.protocol, self.task), self.task))
        if "learning_rate" in self.settings:
            hyper = dict(self.settings)
            object.__setattr__(self, "options", {**self.options, "learning_rate": hyper.pop("learning_rate")})
            object.__setattr__(self, "settings", hyper)

    @property
    def kind(self) -> str:
        """ "roles", "links", "triangles" or, for a user's task, "sets"."""
        return self.task if isinstance(self.task, str) else self.task.kind

    @property
    def p(self) -> int:
        """Nodes in a target set."""
        return TASKS[self.task].p if isinstance(self.task, str) else self.task.p

    @property
    def metric(self) -> str:
        """The metric that epochs and settings are chosen by."""
        if self.options.get("metric"):
            return str(self.options["metric"])
        return TASKS[self.task].metric if isinstance(self.task, str) else self.task.metric

    @cached_property
    def catalog(self) -> str:
        """The name under which :func:`degnn_explore.load` has this graph; "" if it has not, or for a user's task."""
        return name_of(self.graph, labels=self.task == "roles") if isinstance(self.task, str) else ""

    @property
    def title(self) -> str:
        """The graph's name for people."""
        return self.catalog or self.graph.title or "my graph"

    @cached_property
    def digest(self) -> str:
        """Identifies the question; only runs of the same question may be compared.

        It is the same for the same edges, attributes, labels (for roles), leaks, split and ranked negatives.
        """
        if isinstance(self.task, Task):
            return self.task.digest()[:32]
        more = list(leaks_of(self.protocol, self.task))
        more += [f"split {self.split}"] if self.split else []
        more += [] if self.per_positive is None else [f"{self.per_positive} {self.negatives} negatives"]
        digest = self.graph.digest(labels=self.task == "roles")
        return (hashlib.sha256(" ".join([digest, *more]).encode()).hexdigest() if more else digest)[:32]

    @cached_property
    def key(self) -> str:
        """Identifies the run: question, model, settings and seed; for a user's model also its code."""
        hyper, options = self.full_settings
        parts = [PROTOCOL_VERSION, self.digest, self.kind, self.model, self.seed, hyper, options, mark_of(self.model)]
        return hashlib.sha256(json.dumps(parts, sort_keys=True).encode()).hexdigest()[:20]

    @cached_property
    def full_settings(self) -> tuple[dict[str, Any], dict[str, Any]]:
        """Hyperparameters and training options, with defaults filled in, so that giving a default changes nothing.

        A default that is taken from the task of each seed, such as ``max_dist``, is None.
        """
        from ..learn.training import Learning

        kind: type[SetNet] = MODELS[check_choice("model", self.model, MODELS)].load()
        for name in self.settings:
            check_choice(f"hyperparameter of {self.model}", name, kind.HYPER)
        usual = {name: None if one.from_task else one.default_for(self.p) for name, one in kind.HYPER.items()}
        hyper = usual | {name: kind.HYPER[name].checked(name, value) for name, value in self.settings.items()}
        if not kind.learns:
            return hyper, {}
        learning = Learning(**{name: value for name, value in self.options.items() if name not in _NO_EFFECT})
        return hyper, {"epochs": self.epochs, **learning.with_rate(kind.RATE.default_for(self.p)).as_dict()}

    def make_task(self) -> Task:
        """The task with the split of this seed; the last few are cached."""
        if isinstance(self.task, Task):
            return replace(self.task, seed=self.seed)
        # the graph itself: one with the same edges may have other names
        where = (id(self.graph), self.digest, self.kind, self.seed)
        with _TASK_LOCK:
            if where not in _TASKS:
                how: dict[str, Any] = {} if self.split is None else {"split": self.split}
                if self.per_positive is not None:
                    how |= {"per_positive": self.per_positive, "negatives": self.negatives}
                made = TASKS[self.task].make(self.graph, seed=self.seed, protocol=self.protocol, **how)
                _TASKS[where] = (self.graph, made)
                while len(_TASKS) > 4:
                    _TASKS.popitem(last=False)
            return _TASKS[where][1]

    def check(self) -> None:
        """Raise an error for anything that would fail before the first epoch."""
        from ..learn.registry import build
        from ..learn.training import Learning, fit

        if isinstance(self.task, str):
            check_choice("task", self.task, TASKS)
        for name in self.options:
            if name in _SET_BY_RUN:
                raise ParameterError(
                    f"options may not name {name!r}: every run sets its own. Seeds, epochs and device are "
                    "arguments of the study or board."
                )
            check_choice("option", name, [*(option.name for option in fields(Learning)), *_NO_EFFECT])
        task = self.make_task()
        model = build(self.model, task, **self.settings)
        fit(model, task, self.epochs, device=self.device, **self.options)  # checks, trains nothing

    def record(self) -> Run:
        """The record of this run before it starts."""
        hyper, options = self.full_settings
        return Run(
            self.key, self.title, self.kind, self.model, self.seed, self.graph.num_nodes, self.graph.num_edges,
            self.digest, self.catalog, p=self.p, metric=self.metric, hyper=hyper, options=options, rung=self.rung,
            version=__version__, protocol=self.protocol, same_split=isinstance(self.task, Task))  # fmt: skip


_TASKS: OrderedDict[tuple[int, str, str, int], tuple[Graph, Task]] = OrderedDict()  # each holds its graph's id
_TASK_LOCK = threading.Lock()


@dataclass(frozen=True)
class Run:
    """The record of one run: what was trained, every epoch, and the result. Everything in it is JSON.

    Examples
    --------
    >>> run = Run(key="k", graph="karate", task="links", model="GCN", test=0.8)
    >>> Run.from_json(run.to_json()) == run
    True
    """

    key: str
    graph: str  # its name, as de.load knows it, or its title
    task: str
    model: str
    seed: int = 0
    nodes: int = 0
    edges: int = 0
    digest: str = ""  # of the question: only runs of the same one may be compared
    catalog: str = ""  # the name under which de.load has this graph; the paper has numbers only for those
    p: int = 2
    num_classes: int = 2
    metric: str = "auc"
    sizes: dict[str, int] = field(default_factory=dict)  # of train, val and test
    hyper: dict[str, Any] = field(default_factory=dict)  # including defaults, like the options
    options: dict[str, Any] = field(default_factory=dict)
    device: str = "cpu"
    status: str = "finished"  # or "failed"; "running" or "cancelled" are never stored
    error: str = ""  # why it failed
    epochs: list[dict[str, Any]] = field(default_factory=list)  # the fields of de.Epoch
    best_epoch: int = 0  # chosen on validation
    trained: int = 0  # epochs
    val: float | None = None  # validation metric of the best epoch
    rung: int = 0  # of a search, counted from 1; such a run has no test result
    test: float | None = None  # of the best epoch
    measures: dict[str, float] = field(default_factory=dict)  # all test metrics of that epoch, if links are ranked
    optimistic: float | None = None  # the best test metric of any epoch: an upper bound, not an estimate
    seconds: float = 0.0  # by the clock, of its epochs
    cpu_seconds: float = 0.0  # of the processor, preparation included
    parameters: int = 0
    model_file: str = ""  # its name in the folder of models
    when: str = ""  # the time it ended (ISO, UTC)
    version: str = ""  # of this package
    protocol: str = "honest"
    same_split: bool = False  # a user's task: seeds differ by initialization only

    def to_json(self) -> str:
        """The record as one line; NaN and infinity become null."""
        return json.dumps(plain(asdict(self)), ensure_ascii=False, allow_nan=False, separators=(",", ":"))

    @classmethod
    def from_json(cls, line: str) -> Run:
        """The record in a line; fields unknown to this version are dropped."""
        values = json.loads(line)
        known = {column.name for column in fields(cls)}
        return cls(**{name: value for name, value in values.items() if name in known})


def plain(value: Any) -> Any:
    """The value with NaN and infinity replaced by None, for JSON."""
    if isinstance(value, float):
        return value if math.isfinite(value) else None
    if isinstance(value, dict):
        return {key: plain(item) for key, item in value.items()}
    return [plain(item) for item in value] if isinstance(value, list | tuple) else value


def finished(runs: Iterable[Run]) -> list[Run]:
    """The runs that have a test result."""
    return [run for run in runs if run.status == "finished" and run.test is not None]


def by_model(runs: Iterable[Run]) -> dict[str, list[Run]]:
    """The runs of each model."""
    groups: dict[str, list[Run]] = {}
    for run in runs:
        groups.setdefault(run.model, []).append(run)
    return groups


# ---- training one ---------------------------------------------------------------------------------


def run_one(spec: RunSpec, checkpoint_dir: Path, progress: Progress | None = None, stop: Any = None) -> Run:
    """Train one run. Never raises: a failed run has its reason in ``error``, a stopped one is "cancelled".

    Writes the checkpoint ``KEY.checkpoint`` and, with ``keep_model``, the model ``KEY.safetensors`` to
    ``checkpoint_dir``, and continues from a checkpoint that is there. The caller removes it once the run is stored.

    Examples
    --------
    >>> import tempfile, degnn_explore as de
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     run = run_one(RunSpec(de.load("karate"), "links", "GCN", epochs=2), Path(folder))
    >>> run.status, run.trained, 0 <= run.test <= 1
    ('finished', 2, True)
    """
    tell = progress or (lambda message: None)
    try:
        run = spec.record()
    except Exception as error:  # impossible settings have no key
        return Run(
            "", spec.graph.title or "my graph", spec.kind, spec.model, spec.seed, status="failed", error=str(error)
        )
    checkpoint = checkpoint_dir / f"{spec.key}.checkpoint"
    continues = checkpoint.exists()
    try:
        try:
            run = _trained(spec, run, checkpoint_dir, tell, stop)
        except ParameterError:
            if not continues:
                raise
            checkpoint.unlink(missing_ok=True)  # it may be damaged: start again without it
            run = _trained(spec, run, checkpoint_dir, tell, stop)
    except Cancelled:
        run = replace(run, status="cancelled")
    except Exception as error:
        words = str(error) if isinstance(error, ValueError) else "".join(traceback.format_exception(error))
        run = replace(run, status="failed", error=words.strip() or type(error).__name__)
    return replace(run, when=datetime.datetime.now(datetime.UTC).isoformat(timespec="seconds"))


def _trained(spec: RunSpec, run: Run, folder: Path, tell: Progress, stop: Any) -> Run:
    from ..learn.devices import choose_device
    from ..learn.leaks import CHOSEN_ON_TEST
    from ..learn.registry import build
    from ..learn.saving import save
    from ..learn.training import best_epoch, fit

    began = time.process_time()
    tell({"doing": ""})
    run = replace(run, device=choose_device(spec.device))
    with watching(lambda what, share: tell({"doing": f"{what}, {share:.0%}"}), stop):
        task = spec.make_task()
        model = build(spec.model, task, seed=spec.seed, **spec.settings)
        sizes = {part: len(getattr(task, part)) for part in ("train", "val", "test")}
        run = replace(run, p=task.p, num_classes=task.num_classes, sizes=sizes)
        folder.mkdir(parents=True, exist_ok=True)
        checkpoint = folder / f"{spec.key}.checkpoint"
        epochs: list[Any] = []
        waiting, reported, worked = [], 0.0, began
        for epoch in fit(
            model, task, spec.epochs, seed=spec.seed, device=spec.device, checkpoint=checkpoint,
            score_test=not spec.rung, progress=False, **spec.options,
        ):  # fmt: skip
            if (now := time.process_time()) - worked < 1e-3:  # read from the checkpoint: count the time it took then
                began -= epoch.seconds
            worked = now
            if not epochs and model.placement is not None:
                run = replace(run, device=model.placement.device)
                tell({"placed": f"{spec.model} on {model.placement}"})
            epochs.append(epoch)
            waiting.append(plain(asdict(epoch)))
            if (clock := time.monotonic()) - reported >= 1 / _UPDATES_PER_SECOND:
                tell({"epochs": waiting})
                waiting, reported = [], clock
        if waiting:
            tell({"epochs": waiting})
    if not epochs or (stop is not None and stop.is_set()):
        return replace(run, status="cancelled")
    if not any(math.isfinite(epoch.val[spec.metric]) for epoch in epochs):
        raise ParameterError(f"{spec.model} diverged: no epoch has a validation {spec.metric}; lower learning_rate.")
    best = best_epoch(epochs, spec.metric, "test" if CHOSEN_ON_TEST in task.leaks else "val")
    run = replace(
        run, epochs=[plain(asdict(epoch)) for epoch in epochs], best_epoch=best.number,
        val=best.val[spec.metric], trained=len(epochs),
        model_file=save(model, folder / f"{spec.key}.safetensors").name if spec.keep_model else "",
        seconds=sum(epoch.seconds for epoch in epochs), cpu_seconds=time.process_time() - began,
        parameters=sum(weight.numel() for weight in model.parameters()))  # fmt: skip
    if spec.rung:
        return run  # no test set was scored, so no setting can be chosen on test results
    optimistic = best_epoch(epochs, spec.metric, "test").test[spec.metric]
    measures = {name: best.test[name] for name in ("auc", *RANKING)} if "mrr" in best.test else {}
    return replace(run, test=best.test[spec.metric], optimistic=optimistic, measures=measures)
