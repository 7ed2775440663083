"""Several runs at once on one device: as many as its memory allows, and none is lost where it is too little."""

from __future__ import annotations

import threading
from dataclasses import replace
from pathlib import Path

import pytest

import degnn_explore as de
from degnn_explore.studies import race as race_module
from degnn_explore.studies.plan import Job, Plan
from degnn_explore.studies.race import Race
from degnn_explore.studies.records import Run
from degnn_explore.studies.storage.store import Store
from degnn_explore.studies.whole import crew as crew_module
from degnn_explore.studies.workers import Message, ThreadWorker
from degnn_explore.views.board.texts import progress_bars
from tests import pretend_device as pretend
from tools.waiting import LONG


class Counted(ThreadWorker):
    """Knows how many of its kind train at once; ``room`` is for so many."""

    lock = threading.Lock()
    busy, most, room = 0, 0, 99

    def give(self, job: Job) -> None:
        with Counted.lock:
            Counted.busy += 1
            Counted.most = max(Counted.most, Counted.busy)
            short = Counted.busy > Counted.room
        if not short:
            return super().give(job)
        record = Run(self._plan.key(job), "karate", "links", job.model, job.seed, status="failed", error="no room")
        return self._put(("short", record.to_json()))

    def _put(self, message: Message) -> None:
        if message[0] in ("finished", "failed", "stopped", "short"):
            with Counted.lock:
                Counted.busy -= 1
        super()._put(message)


@pytest.fixture
def counted(monkeypatch: pytest.MonkeyPatch) -> type[Counted]:
    monkeypatch.setattr(race_module, "hire", Counted)
    monkeypatch.setattr(crew_module, "hire", Counted)
    Counted.busy, Counted.most, Counted.room = 0, 0, 99
    return Counted


def raced(folder: Path, workers: int = 4) -> Race:
    plan = Plan(de.load("karate"), "links", ["GCN"], seeds=6, epochs=2, device="pretend", hyper={"hidden": 8})
    race = Race(plan, Store(folder), workers)
    race.start()
    assert race.wait(LONG)
    return race


def test_the_first_run_shows_how_many_fit(tmp_path: Path, counted: type[Counted]) -> None:
    race = raced(tmp_path)
    assert {(run.status, run.device) for run in race.results()} == {("finished", "pretend")}
    assert len(race.results()) == 6
    assert 1 < counted.most <= 4
    where = race.snapshot().where
    assert where.startswith("GCN on pretend: ")
    assert " of data copied there once; " in where
    assert where.endswith("; up to 4 runs at once")
    assert "of data copied there once" in progress_bars(race.snapshot())
    assert "<b>" not in progress_bars(replace(race.snapshot(), where="<b>"))


def test_a_device_with_room_for_two_runs_trains_two_at_once(tmp_path: Path, counted: type[Counted]) -> None:
    with pretend.memory.limited(pretend.memory.used + 600_000_000):
        race = raced(tmp_path)
    assert len(race.results()) == 6
    assert counted.most == 2  # half of a gigabyte is for a process, and tensors take next to nothing


def test_a_run_without_room_is_tried_again_with_fewer_beside_it(tmp_path: Path, counted: type[Counted]) -> None:
    counted.room = 1
    race = raced(tmp_path)
    assert counted.most > 1
    assert [run.status for run in race.results()] == ["finished"] * 6
    assert {p.error for p in race.snapshot().progress} == {""}
    assert "runs at once" not in race.snapshot().where


def test_a_run_that_finds_too_little_memory_alone_fails_in_words(tmp_path: Path, counted: type[Counted]) -> None:
    with pretend.memory.limited(pretend.memory.used + 20_000):
        race = raced(tmp_path)
    assert race.results() == []
    (progress,) = race.snapshot().progress
    assert progress.state == "failed"
    assert "pretend has too little memory for what a single target set needs" in progress.error


@pytest.mark.parametrize(("room", "done"), [(2, 6), (1, 6), (0, 0)])
def test_a_study_goes_on_with_fewer_runs_beside_each_other(
    room: int, done: int, tmp_path: Path, counted: type[Counted]
) -> None:
    counted.room = room
    study = de.study(graphs="karate", models=["GCN"], seeds=6, epochs=2, store=tmp_path)
    standing = study.run(4, progress=False)
    assert (standing.done, standing.failed, standing.left) == (done, 6 - done, 0)
    assert counted.busy == 0
