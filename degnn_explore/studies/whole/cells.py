"""A cell of a study, one model on one question: what is still to be run, by what is known already."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any

from ...learn.nets import MODELS, is_heuristic
from ..plan import Job, Plan
from ..records import Run
from ..statistics import on_validation
from ..tuning import Settings, candidates
from .asked import Column
from .halving import mean_of, promoted, rung_sizes

Known = Mapping[str, Run]  # what has ended, by key
DIGITS, SECONDS = 6, 2  # of metrics and CPU-seconds in the files of results: more are not looked at to choose
_SET = 6e-5  # CPU-seconds of a set in an epoch, of a GCN
_FACTOR = {"GIN": 1.5, "struc2vec": 0.3, "SEAL": 2.5, "DEA-GNN-SPD": 3.0, "DEA-GNN-PR": 3.0}  # of other models
_STOPPED = 0.7  # of its epochs a run is trained, as a rule, before patience ends it


@dataclass(frozen=True)
class Work:
    """One run to be made, all that a worker needs of it; it can be pickled."""

    key: str
    plan: Plan
    job: Job
    before: str = ""  # the key of the rung below, whose checkpoint it goes on from


@dataclass(frozen=True)
class Left:
    """Runs of a cell that are to be made: how many, and CPU-seconds of each."""

    runs: int
    seconds: float


class Cell:
    """One model of a column. It keeps no results: every question is answered from what is ``known`` at the time."""

    def __init__(self, column: Column, model: str, base: Plan, sets: int, protocol: str = "honest") -> None:
        self.column, self.model, self.protocol, self._sets = column, model, protocol, sets
        self._honest = replace(base, models=(model,))  # settings are chosen so, whatever is leaked afterwards
        self.base = self._honest if protocol == "honest" else replace(self._honest, protocol=protocol)
        self.learns = MODELS[model].load().learns
        self.trials: list[Settings] = [{}]
        if (search := column.search) is not None:
            given = column.settings.get(model, {})
            grid = {name: values for name, values in search.grid(model).items() if name not in given}
            self.trials = candidates(model, base.p, grid=grid, most=search.trials)
        self._plans: dict[tuple[int, int, str], Plan] = {}
        self._works: dict[tuple[int, int, int], Work] = {}

    # ---- runs ---------------------------------------------------------------------------------

    def _plan(self, trial: int, epochs: int, base: Plan) -> Plan:
        where = (trial, epochs, str(base.protocol))
        if where not in self._plans:
            own: dict[str, Any] = {self.model: {**self.column.settings.get(self.model, {}), **self.trials[trial]}}
            self._plans[where] = replace(base, own=own, epochs=epochs)
        return self._plans[where]

    def _work(self, trial: int, seed: int, rung: int = 0) -> Work:
        if (trial, seed, rung) not in self._works:
            asked = (self._rungs[rung - 1], self._honest) if rung else (self.column.epochs, self.base)
            plan, job = self._plan(trial, *asked), Job(self.model, seed, rung, keep=False)
            before = self._work(trial, seed, rung - 1).key if rung > 1 else ""
            self._works[trial, seed, rung] = Work(plan.key(job), plan, job, before)
        return self._works[trial, seed, rung]

    @property
    def digests(self) -> set[str]:
        """What its runs are about, see :func:`degnn_explore.studies.plan.digest_of`."""
        return {self.base.digest, self._honest.digest}

    def reported(self, trial: int) -> list[Work]:
        """The runs of all seeds that may be reported, with these settings."""
        return [self._work(trial, seed) for seed in range(self.column.seeds.most)]

    def trial_works(self) -> Iterator[tuple[int, Work]]:
        """All trials that the search may ask for, with their numbers."""
        for rung in range(1, len(self._rungs) + 1):
            for trial in range(len(self.trials)):
                for seed in self._search_seeds:
                    yield trial, self._work(trial, seed, rung)

    # ---- the search ---------------------------------------------------------------------------

    @property
    def _rungs(self) -> tuple[int, ...]:
        if self.column.search is None or len(self.trials) == 1:
            return ()
        return self.column.search.rungs if self.learns else self.column.search.rungs[:1]

    @property
    def _search_seeds(self) -> tuple[int, ...]:
        return () if self.column.search is None else self.column.search.seeds

    def search(self, known: Known) -> tuple[int | None, list[Work]]:
        """The number of the chosen settings; or None, and the trials that must be made next."""
        alive = list(range(len(self.trials)))
        search = self.column.search
        if search is None or not self._rungs:
            return 0, []
        sizes = rung_sizes(len(alive), len(self._rungs) + 1, search.reduce)
        for rung, keep in enumerate(sizes[1:], start=1):
            works = {trial: [self._work(trial, seed, rung) for seed in search.seeds] for trial in alive}
            if missing := [work for seeds in works.values() for work in seeds if work.key not in known]:
                return None, missing
            reached = {trial: mean_of([_reached(known[work.key]) for work in works[trial]]) for trial in alive}
            costs = {trial: max(self._whole(known[work.key]) for work in works[trial]) for trial in alive}
            alive = promoted(reached, costs, search.seconds, 1 if rung == len(self._rungs) else keep)
        return alive[0], []

    def tried(self, known: Known) -> int:
        """How many settings have been looked at so far; one, if there is nothing to choose from."""
        if not self._rungs:
            return len(self.trials)
        return len({trial for trial, work in self.trial_works() if work.key in known})

    def _whole(self, run: Run) -> float:
        """CPU-seconds that a whole run with the settings of this trial would take."""
        seconds = round(run.cpu_seconds, SECONDS)
        return seconds / max(1, run.trained) * self.column.epochs if self.learns else seconds

    # ---- what is to be done -------------------------------------------------------------------

    def wanted(self, known: Known) -> int:
        """How many seeds are to be reported, by what those that there are have cost."""
        seeds, (chosen, _) = self.column.seeds, self.search(known)
        if seeds.least == seeds.most or chosen is None:
            return seeds.least
        runs = [known.get(work.key) for work in self.reported(chosen)[: seeds.least]]
        taken = [run.cpu_seconds for run in runs if run is not None and run.status == "finished"]
        quick = len(taken) == seeds.least and sum(taken) / len(taken) < seeds.quick
        return seeds.most if quick else seeds.least

    def next(self, known: Known) -> list[tuple[int, Work]]:
        """What can be run now, each with its level: 0 for trials and the first seed, then a level for each seed."""
        chosen, missing = self.search(known)
        if chosen is None:
            return [(0, work) for work in missing]
        works = self.reported(chosen)[: self.wanted(known)]
        return [(work.job.seed, work) for work in works if work.key not in known]

    def left(self, known: Known, scale: float) -> list[Left]:
        """All that is left, as far as it can be known; ``scale`` is what is known of the guess, see :meth:`cost`."""
        cost = self.cost(known, scale)
        chosen, missing = self.search(known)
        if chosen is not None:
            return [Left(len(self.next(known)), cost)]
        search, rungs = self.column.search, self._rungs
        assert search is not None
        now = missing[0].job.rung
        sizes = rung_sizes(len(self.trials), len(rungs), search.reduce)
        shares = [(rung - below) / self.column.epochs for rung, below in zip(rungs, (0, *rungs), strict=False)]
        later = [Left(size * len(search.seeds), cost * share) for size, share in zip(sizes, shares, strict=True)][now:]
        return [Left(len(missing), cost * shares[now - 1]), *later, Left(self.column.seeds.least, cost)]

    # ---- what it costs ------------------------------------------------------------------------

    @property
    def guess(self) -> float:
        """CPU-seconds of a run, before any was made: for the order of the work, and the time left."""
        if is_heuristic(self.model):
            return 1e-3 + _SET * self._sets
        return _SET * self._sets * _FACTOR.get(self.model, 1.0) * self.column.epochs * _STOPPED

    def cost(self, known: Known, scale: float = 1.0) -> float:
        """CPU-seconds of a run: of those that were made, else by its trials, else the guess times ``scale``."""
        chosen, _ = self.search(known)
        runs = [] if chosen is None else self._ended(known, self.reported(chosen))
        if runs:
            return math.fsum(run.cpu_seconds for run in runs) / len(runs)
        tried = self._ended(known, [work for _, work in self.trial_works()])
        if tried:
            return _STOPPED * math.fsum(map(self._whole, tried)) / len(tried)
        return self.guess * scale

    @staticmethod
    def _ended(known: Known, works: list[Work]) -> list[Run]:
        runs = [known[work.key] for work in works if work.key in known]
        return [run for run in runs if run.status == "finished" and run.cpu_seconds]

    def spent(self, known: Known) -> float:
        """CPU-seconds that went into what is known; a rung's include those of the rungs below."""
        chosen, _ = self.search(known)
        works = [] if chosen is None else self.reported(chosen)
        taken = {("", work.job.seed): known[work.key].cpu_seconds for work in works if work.key in known}
        for trial, work in self.trial_works():
            if work.key in known:
                where = (str(trial), work.job.seed)
                taken[where] = max(taken.get(where, 0.0), known[work.key].cpu_seconds)
        return math.fsum(taken.values())


def _reached(run: Run) -> float:
    """What a trial reached on validation; -inf if it failed."""
    return round(on_validation(run), DIGITS) if run.status == "finished" else -math.inf
