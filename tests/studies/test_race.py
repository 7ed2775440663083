"""The controller behind the Training Board, without a browser."""

from __future__ import annotations

import os
import subprocess
import sys
import textwrap
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any, ClassVar

import pytest
from numba.core.event import trigger_event

import degnn_explore as de
from degnn_explore.common.compiling import WORDS
from degnn_explore.common.errors import GraphError, ParameterError
from degnn_explore.learn.nets import MODELS
from degnn_explore.learn.tasks import TASKS
from degnn_explore.studies import race as race_module
from degnn_explore.studies import workers as workers_module
from degnn_explore.studies.comparison import compare_runs
from degnn_explore.studies.judged import Shelf
from degnn_explore.studies.ledger import Ledger
from degnn_explore.studies.plan import Job, Plan, digest_of
from degnn_explore.studies.race import Race
from degnn_explore.studies.records import Run
from degnn_explore.studies.repeat import code_of
from degnn_explore.studies.snapshot import Snapshot, lanes_of, snapshot
from degnn_explore.studies.storage import database as database_module
from degnn_explore.studies.storage.store import Store, claimant
from degnn_explore.studies.workers import ProcessWorker, ThreadWorker, train
from tools.waiting import LONG, until

ENV = {**os.environ, "PYTHONPATH": str(Path(de.__file__).parents[1])}
KARATE = de.load("karate")
CELEGANS = de.load("celegans")


def race(
    tmp_path: Path,
    graph: de.Graph = KARATE,
    task: str = "links",
    models: tuple[str, ...] = ("GCN",),
    workers: int = 1,
    **more: object,
) -> Race:
    return Race(Plan(graph, task, models, **more), Store(tmp_path), workers)  # type: ignore[arg-type]


@pytest.fixture
def in_a_thread(monkeypatch: pytest.MonkeyPatch) -> None:
    """Trains in this process, which the test changes."""
    monkeypatch.setattr(race_module, "hire", ThreadWorker)


def test_a_race_gives_what_plain_fit_gives(tmp_path: Path) -> None:
    one = race(tmp_path, models=("GCN", "DE-GNN-SPD"), seeds=2, epochs=4, hyper={"hidden": 16, "max_dist": 4})
    one.start()
    assert one.wait(LONG)
    expected = []
    for seed in range(2):
        task = de.link_task(KARATE, seed=seed)
        for name, hyper in (("GCN", {"hidden": 16}), ("DE-GNN-SPD", {"hidden": 16, "max_dist": 4})):
            model = de.build(name, task, seed=seed, **hyper)
            expected.append((name, seed, de.summarise(de.fit(model, task, 4, seed=seed, device="cpu")).test))
    assert [(run.model, run.seed, run.test) for run in one.results()] == expected
    assert one.store.runs() == one.results()
    assert one.results()[0].sizes == {"train": 124, "val": 16, "test": 16}


def test_the_saved_model_gives_the_recorded_result(tmp_path: Path) -> None:
    one = race(tmp_path, models=("DE-GNN-SPD",), seeds=1, epochs=3)
    one.start()
    assert one.wait(LONG)
    (run,) = one.results()
    task = de.link_task(KARATE, seed=0)
    model = de.load_model(one.store.models / run.model_file)
    from degnn_explore.learn.metrics import auc

    assert auc(de.predict(model, task.graph, task.test.sets), task.test.labels) == pytest.approx(run.test)
    assert run.parameters == sum(w.numel() for w in model.parameters())


def test_progress_counts_seeds_and_ends_at_one(tmp_path: Path) -> None:
    one = race(tmp_path, models=("GCN", "GIN"), seeds=2, epochs=3)
    before = one.snapshot()
    assert (before.state, [p.state for p in before.progress]) == ("ready", ["waiting", "waiting"])
    one.start()
    assert one.wait(LONG)
    after = one.snapshot()
    assert after.state == "finished"
    assert [(p.model, p.state, p.done, p.of, p.share) for p in after.progress] == [
        ("GCN", "finished", 2, 2, 1.0),
        ("GIN", "finished", 2, 2, 1.0),
    ]
    assert after.version > before.version


@pytest.mark.parametrize("workers", [1, 2])
def test_a_cancelled_race_rests_and_continue_ends_with_the_same_numbers(tmp_path: Path, workers: int) -> None:
    settings = {"graph": CELEGANS, "models": ("GCN", "DE-GNN-SPD"), "seeds": 1, "epochs": 4, "hyper": {"hidden": 16}}
    one = race(tmp_path, workers=workers, **settings)  # type: ignore[arg-type]
    one.start()
    until(lambda: any(len(run.epochs) >= 2 for run in one.snapshot().runs))
    one.cancel()
    assert not one.running
    halted = one.snapshot()
    assert (halted.state, halted.left) == ("cancelled", None)
    assert halted.runs  # what is done stays to be seen
    assert one._thread is not None
    one._thread.join(LONG)  # on a busy machine a worker may be heard of for a moment longer
    assert not one._thread.is_alive()  # only this thread changes the lanes: nothing goes on behind our back
    one.start()
    assert one.wait(LONG)
    assert one.snapshot().state == "finished"
    whole = race(tmp_path / "whole", **settings)  # type: ignore[arg-type]
    whole.start()
    assert whole.wait(LONG)
    assert {(r.model, r.test) for r in one.results()} == {(r.model, r.test) for r in whole.results()}
    assert not list(one.store.models.glob("*.checkpoint"))


@pytest.mark.parametrize("workers", [1, 2])
def test_a_small_run_goes_on_where_it_was(tmp_path: Path, workers: int) -> None:
    one = race(tmp_path, seeds=workers, epochs=3000, workers=workers, options={"patience": None})
    one.start()
    until(lambda: len([run for run in one.snapshot().runs if len(run.epochs) >= 20]) == workers)
    one.cancel()
    before = {run.key: run.epochs for run in one.snapshot().runs}
    assert all(20 <= len(epochs) < 3000 for epochs in before.values())
    again = race(tmp_path, seeds=workers, epochs=3000, workers=workers, options={"patience": None})  # another day
    again.start()
    until(lambda: [len(run.epochs) > len(before[run.key]) for run in again.snapshot().runs] == [True] * workers)
    again.cancel()
    for run in again.snapshot().runs:  # the same numbers, and the same seconds: not trained again
        assert run.epochs[: len(before[run.key])] == before[run.key]


def test_a_new_race_finds_what_the_file_has(tmp_path: Path) -> None:
    first = race(tmp_path, seeds=1, epochs=2)
    first.start()
    assert first.wait(LONG)
    again = race(tmp_path, seeds=1, epochs=2)
    assert again.snapshot().state == "finished"
    assert again.results() == first.results()
    more = race(tmp_path, seeds=2, epochs=2)
    assert [p.done for p in more.snapshot().progress] == [1]
    more.start()
    assert more.wait(LONG)
    assert len(more.store.runs()) == 2  # the first seed was not trained again


def test_two_races_at_once_do_not_disturb_each_other(tmp_path: Path) -> None:
    alone = race(tmp_path / "alone", models=("DE-GNN-SPD",), seeds=1, epochs=5, hyper={"dropout": 0.2})
    alone.start()
    assert alone.wait(LONG)
    pair = [race(tmp_path / name, models=("DE-GNN-SPD",), seeds=1, epochs=5, hyper={"dropout": 0.2}) for name in "ab"]
    for one in pair:
        one.start()
    for one in pair:
        assert one.wait(LONG)
        assert [r.test for r in one.results()] == [r.test for r in alone.results()]


def test_a_model_that_raises_is_shown_and_the_others_go_on(tmp_path: Path) -> None:
    one = race(tmp_path, models=("GCN", "DE-GNN-SPD"), seeds=1, epochs=3, options={"learning_rate": 1e30, "clip": None})
    one.start()
    assert one.wait(LONG)
    shown = one.snapshot()
    assert [p.state for p in shown.progress] == ["failed", "failed"]
    assert "learning_rate=1e+30 is probably too high" in shown.progress[0].error
    assert [run.status for run in one.store.runs()] == ["failed", "failed"]
    assert one.results() == []


@pytest.mark.parametrize("another_day", [False, True])
def test_failed_runs_are_tried_again_and_finished_ones_are_not(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, in_a_thread: None, another_day: bool
) -> None:
    trained, tried = workers_module._trained, []

    def once(plan: Plan, job: Job, *given: Any) -> Run:
        tried.append(job.model)
        if tried.count("SAGE") == 1 and job.model == "SAGE":
            raise ParameterError("not today")
        return trained(plan, job, *given)

    monkeypatch.setattr(workers_module, "_trained", once)
    one = race(tmp_path, models=("GCN", "SAGE"), seeds=1, epochs=2)
    one.start()
    assert one.wait(LONG)
    assert [(p.state, p.error) for p in one.snapshot().progress] == [("finished", ""), ("failed", "not today")]
    assert one.snapshot().state == "finished"
    if another_day:
        one = race(tmp_path, models=("GCN", "SAGE"), seeds=1, epochs=2)
        assert [p.state for p in one.snapshot().progress] == ["finished", "waiting"]
    one.start()
    assert one.wait(LONG)
    assert [(p.state, p.error) for p in one.snapshot().progress] == [("finished", ""), ("finished", "")]
    assert tried == ["GCN", "SAGE", "SAGE"]
    assert {run.model: run.status for run in one.store.runs()} == {"GCN": "finished", "SAGE": "finished"}


def test_what_cannot_work_is_refused_in_words_before_it_starts(tmp_path: Path) -> None:
    with pytest.raises(GraphError, match="needs a label for each node"):
        race(tmp_path, CELEGANS, "roles")
    with pytest.raises(ParameterError, match="device='cuda:7' cannot be used here"):
        race(tmp_path, device="cuda:7")
    with pytest.raises(ParameterError, match="SEAL takes target sets of 2 nodes"):
        race(tmp_path, task="roles", models=("SEAL",))
    with pytest.raises(ParameterError, match="No model is chosen"):
        race(tmp_path, models=())
    with pytest.raises(ParameterError, match="at most 20"):
        race(tmp_path, seeds=21)
    with pytest.raises(ParameterError, match="Did you mean 'DE-GNN-SPD'"):
        race(tmp_path, models=("DE-GNN-SDP",))
    with pytest.raises(ParameterError, match="learning_rate must be a positive number"):
        race(tmp_path, options={"learning_rate": -1})
    with pytest.raises(ParameterError, match="'max_dist'"):
        race(tmp_path, models=("GCN",), hyper={"max_dist": 3})


def test_starting_twice_is_refused(tmp_path: Path) -> None:
    one = race(tmp_path, CELEGANS, seeds=1, epochs=50)
    one.start()
    with pytest.raises(ParameterError, match="running already"):
        one.start()
    one.cancel()
    assert not one.running


def test_a_process_that_cannot_understand_what_it_is_told_is_not_waited_for() -> None:
    worker, heard = ProcessWorker(), list[tuple[Any, ...]]()
    try:
        worker.process.stdin.write(b"no pickle")  # type: ignore[union-attr]
        worker.process.stdin.flush()  # type: ignore[union-attr]
        until(lambda: heard.extend(worker.messages()) or heard)
    finally:
        worker.close()
    assert [message[0] for message in heard] == ["died"] and "exit code 1" in heard[0][1]


class Killed(ProcessWorker):
    """A worker whose process is killed when its first job is handed to it, or once it has told of an epoch."""

    when = "handed"
    pids: ClassVar[list[int]] = []

    def __init__(self, plan: Plan, folder: Path, news: threading.Event) -> None:
        super().__init__()
        self.serve(plan, folder, news)

    def kill(self) -> None:
        Killed.pids.append(self.process.pid)
        self.process.kill()
        self.process.wait()

    def give(self, job: Job) -> None:
        self.job = job
        if job.model == "GCN" and Killed.when == "handed" and not Killed.pids:
            self.kill()  # the pipe is broken before the job is sent
        super().give(job)

    def messages(self) -> list[Any]:
        told = super().messages()
        if Killed.when == "running" and getattr(self, "job", Job("", 0)).model == "GCN" and not Killed.pids:
            kinds = [kind for kind, *_ in told]
            if "epochs" in kinds:
                self.kill()
                return told[: kinds.index("epochs") + 1]  # what it may have said since is lost
        return [message for message in told if message[0] == "died"] if self.process.pid in Killed.pids else told


@pytest.mark.parametrize("when", ["handed", "running"])
def test_a_worker_that_is_killed_is_a_failed_run_and_the_race_goes_on(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, when: str
) -> None:
    monkeypatch.setattr(Killed, "when", when)
    monkeypatch.setattr(Killed, "pids", [])
    with monkeypatch.context() as patch:
        patch.setattr(race_module, "hire", Killed)
        one = race(tmp_path, models=("GCN", "SAGE", "GIN"), seeds=1, epochs=3, workers=2)
        one.start()
        assert one.wait(LONG)
    shown = one.snapshot()
    assert {p.model: p.state for p in shown.progress} == {"GCN": "failed", "SAGE": "finished", "GIN": "finished"}
    assert "ended unexpectedly (exit code -9)" in shown.progress[0].error
    one.start()  # "Try again"
    assert one.wait(LONG)
    assert [p.state for p in one.snapshot().progress] == ["finished"] * 3


def children(pid: int) -> list[int]:
    """The worker processes of a process."""
    found = []
    for path in Path("/proc").glob("[0-9]*/stat"):
        try:
            parent = int(path.read_text().rpartition(")")[2].split()[1])
            command = (path.parent / "cmdline").read_text()
        except OSError:
            continue
        if parent == pid and "workers import work" in command:
            found.append(int(path.parent.name))
    return found


@pytest.mark.skipif(not Path("/proc").exists(), reason="looks at /proc")
def test_a_killed_parent_leaves_no_process_behind(tmp_path: Path) -> None:
    script = tmp_path / "kernel.py"
    script.write_text(
        textwrap.dedent(f"""
        import time, degnn_explore as de
        from degnn_explore.studies.plan import Plan
        from degnn_explore.studies.race import Race
        from degnn_explore.studies.storage.store import Store
        if __name__ == "__main__":
            plan = Plan(de.load("celegans"), "links", ["GCN", "SAGE"], seeds=2, epochs=500)
            Race(plan, Store({str(tmp_path)!r}), workers=2).start()
            time.sleep(300)
    """)
    )
    parent = subprocess.Popen([sys.executable, script], env=ENV)
    try:
        until(lambda: len(children(parent.pid)) == 2)
        workers = children(parent.pid)
    finally:
        parent.kill()
        parent.wait()
    until(lambda: not any(Path(f"/proc/{pid}").exists() for pid in workers))


def test_the_code_to_copy_repeats_the_run(tmp_path: Path) -> None:
    plan = Plan(
        KARATE,
        "roles",
        ["GCN"],
        seeds=1,
        epochs=3,
        device="cpu",
        hyper={"layers": 1},
        options={"learning_rate": 0.01},
        name="karate",
    )
    one = Race(plan, Store(tmp_path))
    one.start()
    assert one.wait(LONG)
    done = subprocess.run([sys.executable, "-c", code_of(plan)], capture_output=True, text=True, check=True, env=ENV)
    assert f"test={one.results()[0].test}" in done.stdout


def test_an_unchanged_graph_of_the_catalogue_is_known_again(tmp_path: Path) -> None:
    for graph in (CELEGANS, CELEGANS.with_title("my worm")):
        assert Plan(graph, "links", ["GCN"]).name == "celegans"
    assert 'G = de.load("celegans")' in code_of(Plan(CELEGANS, "links", ["GCN"]))
    relabelled = KARATE.with_labels([i % 2 for i in range(34)])
    assert [Plan(relabelled, task, ["GCN"]).name for task in TASKS] == ["", "karate", "karate"]
    edges = [*CELEGANS.edges.tolist()[1:], [0, 200]]
    fake = de.Graph.from_edges(edges, CELEGANS.num_nodes, title="celegans")
    assert (fake.num_nodes, fake.num_edges) == (CELEGANS.num_nodes, CELEGANS.num_edges)
    assert Plan(fake, "links", ["GCN"]).name == ""
    with pytest.raises(ParameterError, match="name='celegans' is not the name of this graph"):
        Plan(fake, "links", ["GCN"], name="celegans").check()
    one = race(tmp_path, fake, seeds=1, epochs=1, hyper={"hidden": 8, "layers": 1})
    one.start()
    assert one.wait(LONG)
    (run,) = one.results()
    assert (run.graph, run.catalogue) == ("celegans", "")
    assert compare_runs([run]).rows[0].paper is None


def test_the_code_for_an_own_graph_says_what_to_put_in() -> None:
    own = de.Graph.from_edges(
        [(i, (i + 1) % 30) for i in range(30)],
        labels=[i % 2 for i in range(30)],
        attributes=[[i, 1.0] for i in range(30)],
        title="ring\nimport os",
    )
    code = code_of(Plan(own, "roles", ["GCN"], seeds=1, epochs=3))
    assert '# A graph of your own, "ring\\nimport os": 30 nodes, 30 edges.\n' in code
    assert "G = G.with_labels([...])  # its labels" in code
    assert "G = G.with_attributes([...])  # its attributes, 2 for each node" in code
    assert "with_labels" not in code_of(Plan(own, "links", ["GCN"]))
    compile(code, "code", "exec")


def test_runs_say_what_graph_and_labels_they_are_of() -> None:
    ring = de.Graph.from_edges([(i, (i + 1) % 30) for i in range(30)], labels=[i % 2 for i in range(30)])
    chord = de.Graph.from_edges([*ring.edges.tolist()[1:], [3, 9]], 30, labels=ring.labels)
    other = ring.with_labels([i % 3 for i in range(30)])
    heavy = ring.with_attributes([[float(i)] for i in range(30)])
    same = ring.with_title("another title").with_positions([[i, i] for i in range(30)])
    assert [digest_of(ring, "roles") == digest_of(one, "roles") for one in (same, chord, other, heavy)] == [
        True,
        False,
        False,
        False,
    ]
    assert [digest_of(ring, "links") == digest_of(one, "links") for one in (same, chord, other, heavy)] == [
        True,
        False,
        True,
        False,
    ]


def test_runs_of_other_labels_are_neither_read_nor_asked(tmp_path: Path) -> None:
    labels = [i % 2 for i in range(34)]
    one, two = (
        race(tmp_path, graph, "roles", seeds=1, epochs=2)
        for graph in (KARATE.with_title("mine"), KARATE.with_labels(labels).with_title("karate"))
    )
    for each in (one, two):
        each.start()
        assert each.wait(LONG)
    assert [run.catalogue for run in two.store.runs()] == ["karate", ""]
    ledger = Ledger(two.plan, two.store)
    assert ledger.runs == two.results()
    assert ledger.aside == "Left aside: 1 run on another graph of that name, or with other labels or parts."
    shelf = Shelf(two.plan, two.store.models)
    both = one.results() + two.results()
    assert shelf.of_seed(both, 0) == {"GCN": two.results()[0]}
    with pytest.raises(ParameterError, match="on another graph, or with other labels"):
        shelf.scored(one.results()[0])


@pytest.mark.parametrize(
    ("model", "task"),
    [(model, task) for model, entry in MODELS.items() for task, kind in TASKS.items() if entry.takes(kind.p)],
)
def test_the_settings_are_those_of_the_built_model(model: str, task: str) -> None:
    plan = Plan(KARATE, task, [model], hyper={"layers": 1, "hidden": 8})
    built = de.build(model, plan.make_task(0), **plan.hyper_of(model))
    hyper, options = plan.settings(model)
    assert hyper == built.hyper
    assert options.get("learning_rate") == (built.learning_rate if built.learns else None)


def test_a_default_given_or_left_out_is_the_same_run() -> None:
    def key(task: str = "links", **more: Any) -> str:
        return Plan(KARATE, task, ["GCN"], epochs=5, **more).key(Job("GCN", 0))

    usual = Plan(KARATE, "links", ["GCN"], epochs=5).settings("GCN")
    assert key() == key(hyper=usual[0]) == key(options={"learning_rate": 1e-3, "batch_size": 64, "patience": 30})
    assert key() == key(hyper={"max_dist": 4})  # which GCN has not
    assert key() == key(options={"clip": 5, "num_threads": 2})
    assert key() != key(options={"learning_rate": 1e-2})
    assert key("roles") == key("roles", options={"learning_rate": 1e-2})
    assert key() != key(hyper={"layers": usual[0]["layers"] + 1})


def test_a_seed_trained_with_defaults_given_and_left_out_counts_once(tmp_path: Path) -> None:
    first = race(tmp_path, seeds=1, epochs=2)
    first.start()
    assert first.wait(LONG)
    again = race(tmp_path, seeds=1, epochs=2, options={"learning_rate": 1e-3}, hyper={"layers": 2})
    assert again.snapshot().state == "finished"
    assert compare_runs(first.results() + again.results()).rows[0].seeds == 1


@pytest.mark.parametrize("name", ["seed", "epochs", "device", "checkpoint", "stop", "progress", "model", "task"])
def test_what_the_race_gives_itself_is_refused_among_the_options(tmp_path: Path, name: str) -> None:
    with pytest.raises(ParameterError, match=f"options may not name '{name}'"):
        race(tmp_path, options={name: 3})


def test_an_unknown_option_is_refused_with_the_nearest(tmp_path: Path) -> None:
    with pytest.raises(ParameterError, match="Did you mean 'learning_rate'"):
        race(tmp_path, options={"learnin_rate": 0.1})


def test_a_worker_slow_to_stop_keeps_nobody_waiting_and_loses_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, in_a_thread: None
) -> None:
    from degnn_explore.learn import training

    inside, go_on = threading.Event(), threading.Event()

    def slowly(self: Any, number: int, epoch: Callable[[Any, int], Any] = training._Run._epoch) -> Any:
        done = epoch(self, number)
        if number == 2:  # a batch of a large graph
            inside.set()
            assert go_on.wait(LONG)
        return done

    monkeypatch.setattr(training._Run, "_epoch", slowly)
    monkeypatch.setattr(race_module, "_GRACE", LONG)
    one = race(tmp_path, seeds=1, epochs=3)
    one.start()
    assert inside.wait(LONG)
    until(lambda: one.snapshot().runs)
    one.cancel()  # returns while the epoch is under way
    assert not go_on.is_set()
    assert one.snapshot().state == "cancelled"
    assert race_module._PATIENCE < 0.5
    (before,) = one.snapshot().runs
    go_on.set()
    one.start()  # waits until the second epoch, under way when it was cancelled, is in the checkpoint
    assert one.wait(LONG)
    (after,) = one.results()
    assert len(before.epochs) == 1
    assert after.epochs[:1] == before.epochs  # with its seconds: not trained again


class Scripted:
    """A worker that says what the test tells it to."""

    latest: ClassVar[Any] = None

    def __init__(self, plan: Plan, folder: Path, news: threading.Event) -> None:
        self.news, self.told = news, list[Any]()
        Scripted.latest = None

    def give(self, job: Job) -> None:
        Scripted.latest = self

    def say(self, *message: Any) -> None:
        self.told.append(message)
        self.news.set()

    def messages(self) -> list[Any]:
        told, self.told = self.told, []
        return told

    def stop(self) -> None:
        self.say("stopped")

    def close(self) -> None:
        pass


def test_curves_do_not_jump_back_on_continue(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(race_module, "hire", Scripted)
    one = race(tmp_path, seeds=1, epochs=9)
    (lane,) = one._lanes.values()
    history = [
        {"number": i, "loss": 1.0, "seconds": 0.1, "metric": "auc", "val": {"auc": i / 10}, "test": {"auc": i / 10}}
        for i in range(1, 7)
    ]

    def shown() -> list[int]:
        return [epoch["number"] for run in one.snapshot().runs for epoch in run.epochs]

    one.start()
    until(lambda: Scripted.latest)
    Scripted.latest.say("prepare")
    Scripted.latest.say("epochs", history[:4])
    until(lambda: len(lane.heard) == 4)
    one.cancel()
    assert shown() == [1, 2, 3, 4]
    Scripted.latest = None
    one.start()
    until(lambda: Scripted.latest)
    assert shown() == [1, 2, 3, 4]
    Scripted.latest.say("prepare")
    Scripted.latest.say("epochs", history[:2])  # a continued run tells its earlier epochs again
    until(lambda: len(lane.heard) == 2)
    assert shown() == [1, 2, 3, 4]
    assert [p.share for p in one.snapshot().progress] == [pytest.approx(4 / 9)]
    Scripted.latest.say("epochs", history[2:])
    until(lambda: len(lane.heard) == 6)
    assert shown() == [1, 2, 3, 4, 5, 6]
    one.cancel()


def test_what_a_run_prepares_is_told(tmp_path: Path) -> None:
    plan, sent = Plan(de.load("karate"), "links", models=["DE-GNN-SPD"], seeds=1, epochs=1), []
    train(plan, Job("DE-GNN-SPD", 0), tmp_path, sent.append, threading.Event())
    told = [words for kind, *words in sent if kind == "prepare"]
    assert told[0] == [""]
    assert ["sizing ego-networks, 0%"] in told and ["extracting ego-networks, 0%"] in told
    one = Race(plan, Store(tmp_path), workers=1)
    lane = next(iter(one._lanes.values()))
    lane.state, lane.doing, one._state = "preparing", "extracting ego-networks, 40%", "running"
    assert [(p.state, p.doing) for p in one.snapshot().progress] == [("preparing", "extracting ego-networks, 40%")]


KILLED = """
import os, sys, degnn_explore as de
from degnn_explore.studies.plan import Plan
from degnn_explore.studies.race import Race
from degnn_explore.studies.storage.store import Store
put = Store.put
def die(self, *runs):
    {before}put(self, *runs)
    os._exit(9)
Store.put = die
one = Race(Plan(de.load("karate"), "links", ["GCN"], seeds=1, epochs=3), Store(sys.argv[1]))
one.start()
one.wait(600)
"""


@pytest.mark.parametrize(("before", "recorded"), [("# ", False), ("", True)])
def test_a_process_that_dies_around_the_record_of_a_run_loses_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, in_a_thread: None, before: str, recorded: bool
) -> None:
    from degnn_explore.learn import training

    done = subprocess.run([sys.executable, "-c", KILLED.format(before=before), tmp_path], env=ENV, check=False)
    assert done.returncode == 9
    store = Store(tmp_path)
    assert [len(run.epochs) for run in store.runs()] == ([3] if recorded else [])
    assert len(list(store.models.glob("*.checkpoint"))) == 1

    def never(*given: Any) -> None:
        raise AssertionError("trained again")

    monkeypatch.setattr(training._Run, "_epoch", never)
    again = race(tmp_path, models=("GCN",), seeds=1, epochs=3)  # at once: the claim of who is dead is free
    again.start()
    assert again.wait(LONG)
    assert [len(run.epochs) for run in again.results()] == [3]
    assert not list(store.models.glob("*.checkpoint"))


def test_what_another_race_trains_is_waited_for_and_not_trained_twice(tmp_path: Path) -> None:
    store, elsewhere = Store(tmp_path), claimant()
    one = race(tmp_path, models=("GCN", "SAGE"), seeds=1, epochs=2)
    key = one.plan.key(Job("GCN", 0))
    assert store.claim([key], elsewhere) == key
    one.start()
    until(lambda: one.results())
    assert [(run.model, one.running) for run in one.results()] == [("SAGE", True)]
    theirs = Run(key, "karate", "links", "GCN", digest=one.plan.digest, test=0.25)
    store.put(theirs)
    assert one.wait(LONG)
    assert one.results()[0] == theirs


def test_two_races_of_the_same_runs_share_them(tmp_path: Path) -> None:
    pair = [race(tmp_path, models=("GCN", "GIN"), seeds=2, epochs=2) for _ in range(2)]
    for one in pair:
        one.start()
    for one in pair:
        assert one.wait(LONG)
    assert pair[0].results() == pair[1].results()
    assert len(Store(tmp_path).runs()) == 4


def test_a_race_that_lasts_keeps_its_claims(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(race_module, "hire", Scripted)
    monkeypatch.setattr(race_module, "_SIGN", 0.05)
    said: list[str] = []
    monkeypatch.setattr(Store, "alive", lambda self, owner: said.append(owner))
    one = race(tmp_path, seeds=1, epochs=9)
    one.start()
    until(lambda: len(said) > 2)
    one.cancel()
    assert set(said) == {one._owner}
    assert one.store.claim([one.plan.key(Job("GCN", 0))], claimant())  # given up when it was cancelled


def test_a_worker_stays_warm_for_the_next_race_and_a_second_one_does_not(tmp_path: Path) -> None:
    race(tmp_path, seeds=1, epochs=1).start()
    until(lambda: workers_module._spare)
    (kept,) = workers_module._spare
    other = race(tmp_path, models=("SAGE",), seeds=2, epochs=1, workers=2)
    other.start()
    assert other.wait(LONG)
    until(lambda: workers_module._spare)
    assert len(workers_module._spare) == 1
    assert other.results()[0].cpu_seconds > 0
    kept.process.kill()
    kept.process.wait()  # by itself, in the night
    third = race(tmp_path, models=("GIN",), seeds=1, epochs=1)
    third.start()
    assert third.wait(LONG)
    assert [run.status for run in third.results()] == ["finished"]


def test_that_loops_are_compiled_first_is_said_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def compiles(*given: Any, **options: Any) -> list[Any]:
        for _ in range(2):
            with trigger_event("numba:compile"):
                pass
        return []

    said: list[Any] = []
    monkeypatch.setattr("degnn_explore.learn.training.fit", compiles)
    workers_module._warm_up(said.append)
    assert said == [("prepare", WORDS)]

    # a worker compiles while nobody has work for it; the race that hires it then looks at once at what it said
    worker, news = ProcessWorker(), threading.Event()
    try:
        worker._put(said[0])
        worker.serve(race(tmp_path, seeds=1).plan, tmp_path, news)
        assert news.is_set()
        assert said[0] in worker.messages()
    finally:
        worker.close()


def test_a_script_without_a_guard_trains_in_a_process(tmp_path: Path) -> None:
    script = tmp_path / "script.py"
    script.write_text(
        "import degnn_explore as de\n"
        "print('once')\n"
        f"board = de.TrainingBoard('karate', 'links', ['GCN'], seeds=1, epochs=1, results={str(tmp_path)!r})\n"
        "board.start(); board.wait(); print(len(board.runs))\n"
    )
    done = subprocess.run([sys.executable, script], env=ENV, capture_output=True, text=True, check=False, cwd=tmp_path)
    assert done.stdout.split() == ["once", "1"], done.stderr


def test_a_folder_that_cannot_be_written_to_is_said_before_anything_is_trained(tmp_path: Path) -> None:
    folder = tmp_path / "closed"
    folder.mkdir()
    root = os.geteuid() == 0
    one = race(folder, seeds=1, epochs=1)
    folder.chmod(0o500)
    if root:
        os.seteuid(65534)  # nobody: root may write anywhere
    try:
        with pytest.raises(ParameterError, match=r"closed.* cannot be written to \(Permission denied\)\. Make it writ"):
            one.start()
    finally:
        if root:
            os.seteuid(0)
        folder.chmod(0o700)
    assert one.snapshot().state == "ready"
    (tmp_path / "notes").write_text("a file")
    with pytest.raises(ParameterError, match="notes is a file; name a folder"):
        race(tmp_path / "notes", seeds=1, epochs=1)


def test_a_disk_that_is_full_stops_the_race_and_it_can_be_continued(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    full = True
    plain = database_module.Database._connect

    def small(self: Any, query: str = "") -> Any:
        db = plain(self, query)
        if full:
            db.execute(f"PRAGMA max_page_count = {db.execute('PRAGMA page_count').fetchone()[0]}")
        return db

    one = race(tmp_path, models=("GCN", "SAGE"), seeds=1, epochs=40, options={"patience": None})
    one.store.needs_place()  # the file is made, and has no more room
    monkeypatch.setattr(database_module.Database, "_connect", small)
    one.start()
    assert one.wait(LONG)
    shown = one.snapshot()
    assert (shown.state, [p.state for p in shown.progress]) == ("cancelled", ["cancelled", "cancelled"])
    assert f"{tmp_path} cannot be written to (database or disk is full)" in shown.progress[0].error
    full = False
    one.start()
    assert one.wait(LONG)
    assert [(p.state, p.error) for p in one.snapshot().progress] == [("finished", "")] * 2


def halfway(workers: int, states: dict[tuple[str, int], tuple[str, int]]) -> Snapshot:
    """A race of GCN (1 s an epoch) and SAGE (3 s), three seeds of ten epochs, when it has come so far."""
    plan = Plan(KARATE, "links", ("GCN", "SAGE"), seeds=3, epochs=10)
    lanes = lanes_of(plan, [])
    for lane in lanes.values():
        lane.state, epochs = states.get((lane.job.model, lane.job.seed), ("waiting", 0))
        seconds = 1.0 if lane.job.model == "GCN" else 3.0
        lane.epochs = [{"number": i, "seconds": seconds, "metric": "auc"} for i in range(epochs)]
    return snapshot(plan, lanes, "running", workers)


def test_the_time_left_of_a_model_counts_what_is_trained_before_its_last_seed() -> None:
    shown = halfway(1, {("GCN", 0): ("finished", 10), ("SAGE", 0): ("running", 5)})
    # SAGE 0 needs 15 s more, then GCN 1: 10, SAGE 1: 30, GCN 2: 10, SAGE 2: 30
    assert [p.left for p in shown.progress] == [15 + 10 + 30 + 10, 15 + 10 + 30 + 10 + 30]
    assert shown.left == 95


def test_the_time_left_in_processes_is_shared_among_them_but_no_run_is_shorter_than_itself() -> None:
    shown = halfway(2, {("GCN", 0): ("running", 4), ("SAGE", 0): ("running", 5)})
    assert [p.left for p in shown.progress] == [(6 + 15 + 10 + 30 + 10) / 2, (6 + 15 + 10 + 30 + 10 + 30) / 2]
    ended = {(model, seed): ("finished", 10) for model in ("GCN", "SAGE") for seed in range(3)}
    assert halfway(2, {**ended, ("SAGE", 2): ("running", 4)}).left == 18
    assert [p.left for p in halfway(2, {**ended, ("SAGE", 2): ("running", 4)}).progress] == [0.0, 18]


def test_a_model_not_yet_begun_has_no_time_left_of_its_own_but_counts() -> None:
    shown = halfway(1, {("GCN", 0): ("running", 4)})  # SAGE is taken to need as long as GCN
    assert [p.left for p in shown.progress] == [6 + 4 * 10, None]
    assert shown.left == 6 + 5 * 10


def test_what_nobody_has_measured_is_not_said() -> None:
    shown = halfway(1, {("GCN", 0): ("preparing", 0)})
    assert (shown.left, [p.left for p in shown.progress]) == (None, [None, None])
