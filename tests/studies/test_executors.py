"""Executors: how a run and its model are sent, and worker processes that die, stay warm or are forked."""

from __future__ import annotations

import importlib
import os
import subprocess
import sys
import textwrap
import threading
from concurrent.futures import BrokenExecutor
from pathlib import Path

import cloudpickle
import psutil
import pytest

import degnn_explore as de
from degnn_explore.encodings.custom import REGISTRY
from degnn_explore.learn.registry import MODELS
from degnn_explore.studies import executors
from degnn_explore.studies.executors import LocalExecutor, executor_for, pack_model, unpack_model
from degnn_explore.studies.runs import run_one
from degnn_explore.studies.scheduler import Scheduler
from degnn_explore.studies.store import Store
from tests.studies.in_process import KARATE, Threads, in_process, spec
from tests.support.waiting import LONG, until

ENV = {**os.environ, "PYTHONPATH": str(Path(de.__file__).parents[1])}


def test_workers_are_a_number_from_one_up(monkeypatch: pytest.MonkeyPatch) -> None:
    assert executor_for(3).places == 3
    monkeypatch.setattr(executors, "cores", lambda: 7)
    assert executor_for().places == 7
    for wrong in (0, 1.5, True, "two", [1]):
        with pytest.raises(de.ParameterError, match="workers"):
            executor_for(wrong)


def test_runs_arrive_with_their_graph_task_and_model_and_each_is_sent_once(tmp_path: Path) -> None:
    mine = KARATE.without_edges([(0, 1)]).with_title("mine")
    de.encoding("itself", lambda near: near.distance == 0, columns=["itself"], max_dist=2)
    questions = [(mine, "links"), (mine, "triangles"), (mine, de.link_task(mine, seed=5)), (KARATE, "links")]
    sent: list[str] = []

    class Counting(Threads):
        def share(self, name: str, content: bytes, scratch: Path) -> Path:
            sent.append(name)
            return super().share(name, content, scratch)

    specs = [
        spec(graph=graph, task=task, model=model, seed=seed)
        for graph, task in questions
        for model, seed in (("GCN", 0), ("GCN", 1), ("DE-GNN-itself", 0))
    ]
    store = Store(tmp_path / "store")
    with in_process(Counting):
        Scheduler(store, 1).run(lambda: [one for one in specs if store.get(one.key) is None])
    for one in specs:
        run, expected = store.get(one.key), run_one(one, tmp_path / "here")
        assert run.error == expected.error == "" and run.digest == one.digest
        assert (run.test, run.val, run.hyper) == (expected.test, expected.val, expected.hyper)
    assert len(sent) == 6 and not list(store.scratch.iterdir())  # links and triangles of a graph share


def test_a_run_gets_the_code_that_its_encoding_had_when_it_was_submitted(tmp_path: Path) -> None:
    executor, found = Threads(1), []
    for distance in (0, 1, 0):
        de.encoding("mine", lambda near, d=distance: near.distance == d, columns=["there"], max_dist=2)
        one = spec(model="DE-GNN-mine", seed=distance)
        found.append((executor.train(one, tmp_path, tmp_path).result(LONG)[0].val, run_one(one, tmp_path / "here").val))
    assert all(there == here for there, here in found) and found[0] == found[2]
    executor.shutdown()


CODE = """
import torch
import degnn_explore as de

def itself(near):
    return near.distance == {distance}

class Degrees(de.SetNet):
    "A linear layer on the sum of the degrees"

    def __init__(self, name, shape, **hyper):
        super().__init__(name, shape, hyper)
        self.out = torch.nn.Linear(1, shape.outputs)

    def prepare(self, graph, sets):
        return de.Rows((torch.tensor(graph.degrees[sets].sum(axis=1, keepdims=True)).float(),))

    def forward(self, batch):
        return {distance} - self.out(batch).squeeze(1)
"""


def test_a_model_of_the_user_is_sent_with_the_code_of_its_module(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "my_codes.py").write_text(CODE.format(distance=0), encoding="utf-8")
    monkeypatch.syspath_prepend(tmp_path)
    module, task = importlib.import_module("my_codes"), de.role_task(KARATE)
    values = de.encoding("itself", module.itself, columns=["itself"], max_dist=2).encode(KARATE, {0})
    de.register_model(module.Degrees, name="degrees", sizes=(1,))
    scores = de.predict(de.build("degrees", task), KARATE, [{0}, {5}])
    packed = [pack_model(name) for name in ("DEA-GNN-itself", "degrees")]
    mark = MODELS["degrees"].mark
    assert cloudpickle.list_registry_pickle_by_value() == set()  # what the user pickles is not changed by it
    REGISTRY.clear()
    del MODELS["degrees"]
    monkeypatch.delitem(sys.modules, "my_codes")
    (tmp_path / "my_codes.py").write_text(CODE.format(distance=1), encoding="utf-8")
    for each in packed:
        unpack_model(each)  # it uses neither the file as it is now nor what was imported from it
    assert (REGISTRY["itself"].encode(KARATE, {0}) == values).all() and MODELS["degrees"].mark == mark
    assert (de.predict(de.build("degrees", task), KARATE, [{0}, {5}]) == scores).all()
    del MODELS["degrees"]


def nap(seconds: float) -> int:
    threading.Event().wait(seconds)
    return os.getpid()


def kill(process: int) -> None:
    psutil.Process(process).kill()
    until(lambda: not psutil.pid_exists(process), LONG)  # a zombie's other threads may still be ending


def test_a_process_that_dies_or_is_killed_takes_no_other_with_it() -> None:
    with executor_for(2) as executor:
        assert isinstance(executor, LocalExecutor)
        slow = executor.submit(nap, 2.0)
        dead = executor.submit(os._exit, 1)
        with pytest.raises(BrokenExecutor):
            dead.result(LONG)
        stuck = executor.submit(nap, 600)
        until(stuck.running)
        executor.kill(stuck)
        until(stuck.done)
        assert stuck.exception() is not None
        assert executor.submit(nap, 0).result(LONG) != slow.result(LONG) != os.getpid()


def test_a_worker_stays_warm_for_the_next_executor_unless_it_is_busy_or_dead() -> None:
    with executor_for(1) as executor:
        first = executor.submit(nap, 0).result(LONG)
        assert executor.submit(nap, 0).result(LONG) == first
        kill(first)
        second = executor.submit(nap, 0).result(LONG)
    with executor_for(1) as executor:
        assert executor.submit(nap, 0).result(LONG) == second != first
    kill(second)
    with executor_for(1) as executor:
        third = executor.submit(nap, 0).result(LONG)
        assert third != second
        executor.submit(nap, 600)
    until(lambda: not psutil.pid_exists(third) or psutil.Process(third).status() == psutil.STATUS_ZOMBIE)


FORK = textwrap.dedent("""
    import os
    from degnn_explore.studies.executors import executor_for
    def ask():
        with executor_for(1) as executor:
            return executor.submit(os.getpid).result(60)
    here = ask()  # no guard of __main__, and the worker stays warm
    child = os.fork()
    if not child:
        os._exit(here == ask())
    print(os.waitpid(child, 0)[1], here == ask())
""")


@pytest.mark.skipif(not hasattr(os, "fork"), reason="needs fork")
def test_a_forked_child_has_workers_of_its_own() -> None:
    done = subprocess.run([sys.executable, "-c", FORK], env=ENV, capture_output=True, text=True, timeout=LONG)
    assert done.stdout.split() == ["0", "True"], done.stderr
