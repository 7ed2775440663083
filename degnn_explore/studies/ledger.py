"""What a board has to show: the chosen plan, its race, and the runs in its store. No widgets here."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from .comparison import Comparison, compare_runs, latest_setting
from .judged import Shelf
from .plan import Plan
from .race import Race
from .records import Run, by_model, finished
from .repeat import code_of, settings_note
from .snapshot import Snapshot, lanes_of, snapshot
from .storage.store import Store, left_out


class Ledger:
    """Which runs are shown, and how far the chosen ones are, whether they were trained now or on another day."""

    def __init__(self, plan: Plan, store: Store) -> None:
        self.race: Race | None = None
        self.shelf = Shelf(plan, store.models)
        self._table: tuple[list[str], Comparison | None] = ([], None)
        self.turn_to(plan, store)

    def turn_to(self, plan: Plan, store: Store) -> None:
        """Another plan or store is chosen; nothing may be in training."""
        old, same = self.shelf.plan, (store.models, plan.task) == (self.shelf.folder, self.shelf.kind)
        if not same or old.graph is not plan.graph or old.given is not plan.given:
            self.shelf = Shelf(plan, store.models)
        if self.race is not None and not self._is_race_of(self.race, plan, store, self.race.workers):
            self.race = None
        self.plan, self.store = plan, store
        self._stored = finished(store.runs(task=plan.task, digest=plan.digest))
        named = finished(store.runs(task=plan.task, graph=plan.title))
        self.aside = left_aside([run for run in named if run.digest != plan.digest])
        if strangers := store.strangers(task=plan.task, digest=plan.digest):
            self.aside = f"{left_out(strangers)} {self.aside}".rstrip()

    def entered(self, workers: int) -> Race:
        """The race of the chosen plan: the one there is, if it is the same, so that it goes on; else a new one."""
        if self.race is None or not self._is_race_of(self.race, self.plan, self.store, workers):
            self.race = Race(self.plan, self.store, workers)
        return self.race

    @staticmethod
    def _is_race_of(race: Race, plan: Plan, store: Store, workers: int) -> bool:
        old = race.plan
        return (
            race.store.folder == store.folder
            and race.workers == workers
            and old.device == plan.device
            and [old.key(job) for job in old.jobs()] == [plan.key(job) for job in plan.jobs()]
        )

    def note(self, key: str, words: str) -> None:
        """Writes a note beside a finished run of the store."""
        self.store.note(key, words)
        self._stored = finished(self.store.runs(task=self.plan.task, digest=self.plan.digest))

    @property
    def name(self) -> str:
        """For files about the chosen question, such as links-celegans."""
        slug = "".join(c if c.isalnum() else "-" for c in self.plan.title.lower()).strip("-")[:60] or "own-graph"
        return f"{self.plan.task}-{slug}"

    # ---- runs ---------------------------------------------------------------------------------

    @property
    def runs(self) -> list[Run]:
        """All finished runs of the task and graph, in any settings."""
        fresh = [] if self.race is None else self.race.results()
        notes = {run.key: run.note for run in self._stored}
        keys = {run.key for run in fresh}
        named = [replace(run, note=notes.get(run.key, run.note)) for run in fresh]
        return [run for run in self._stored if run.key not in keys] + named

    @property
    def shown(self) -> list[Run]:
        """Of each model its runs with the chosen settings, with however many seeds; if it has none, the latest."""
        shown: list[Run] = []
        for model, group in by_model(self.runs).items():
            chosen = self.plan.settings(model)
            shown += [run for run in group if (run.hyper, run.options) == chosen] or latest_setting(group)
        return shown

    def table(self) -> Comparison | None:
        """The comparison of the runs shown, and a note on how they were trained."""
        shown = self.shown
        last = {run.model: (run.hyper, run.options) for run in shown}
        other = [model for model, settings in last.items() if settings != self.plan.settings(model)]
        keys = [str(self.store.folder), *(run.key for run in shown), *other, self.aside]
        if keys != self._table[0]:
            made = compare_runs(shown) if shown else None
            if made is not None:
                more = [self.aside] if self.aside else []
                if self.plan.given is not None:
                    more.insert(0, "Every seed has the task's own split: seeds differ in weights and order alone.")
                made = replace(made, notes=(settings_note(shown, self.plan, other), *made.notes, *more))
            self._table = keys, made
        return self._table[1]

    def code(self) -> str:
        """Python that repeats the runs shown; if there are none, those chosen."""
        return code_of(self.plan, self.shown)

    def best(self) -> Run | None:
        """The first seed of the best model whose file is there."""
        table, shown = self.table(), self.shown
        for row in table.rows if table is not None else ():
            for seed in sorted({run.seed for run in shown}):
                run = self.shelf.of_seed(shown, seed).get(row.model)
                if run is not None:
                    return run
        return None

    def trained(self) -> tuple[Shelf, list[Run], Run] | None:
        """The models to ask, the runs that are shown, and the best of them; None if there is none yet."""
        best = self.best()
        return None if best is None else (self.shelf, self.shown, best)

    # ---- progress -----------------------------------------------------------------------------

    def snapshot(self) -> Snapshot | None:
        """How far the chosen runs are, in the race or, before there is one, in the files; None: nothing to tell."""
        return self._on_disk() if self.race is None else self.race.snapshot()

    def _on_disk(self) -> Snapshot | None:
        lanes = lanes_of(self.plan, self._stored)
        left = [key for key, lane in lanes.items() if lane.run is None]
        if not lanes or (len(left) == len(lanes) and not self._stored and not self._begun(left)):
            return None
        state = "cancelled" if self._begun(left) else "ready" if left else "finished"
        return snapshot(self.plan, lanes, state)

    def _begun(self, keys: Sequence[str]) -> bool:
        return any(self.store.checkpoint(key).is_file() for key in keys)

    def drawn(self) -> list[Run]:
        """The runs for the chart: those of the race as far as they are, and of other models those shown."""
        if self.race is None:
            return self.shown
        return [run for run in self.shown if run.model not in self.race.plan.models] + list(self.race.snapshot().runs)


def left_aside(runs: Sequence[Run]) -> str:
    """In words, how many runs of the same task on a graph of the same name are about something else."""
    unnamed = sum(not run.digest for run in runs)
    leaking = sum(bool(run.digest) and run.protocol != "honest" for run in runs)
    counted = [
        (unnamed, "of an earlier version, which did not write down the graph"),
        (leaking, "with a protocol that leaks on purpose"),
        (len(runs) - unnamed - leaking, "on another graph of that name, or with other labels or parts"),
    ]
    parts = [f"{count} run{'s' if count > 1 else ''} {why}" for count, why in counted if count]
    return f"Left aside: {'; '.join(parts)}." if parts else ""
