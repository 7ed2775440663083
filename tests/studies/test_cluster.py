"""Studies and scores on a Dask cluster whose workers are threads of this process.

What happens when processes of a real one are killed is in ``test_killed_processes.py``.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import degnn_explore as de
from degnn_explore.studies import executors
from degnn_explore.studies.executors import DaskExecutor, executor_for
from degnn_explore.studies.runs import Run, RunSpec
from degnn_explore.studies.scheduler import Scheduler
from degnn_explore.studies.store import Store
from tests.studies.in_process import in_process
from tests.support.waiting import until

distributed = pytest.importorskip("distributed", reason="pip install 'degnn_explore[cluster]'")
MINE = de.load("karate").with_title("mine").without_edges([(0, 1)])  # no worker could load it


@pytest.fixture(scope="module")
def client() -> Iterator[Any]:
    """Of a cluster with two workers."""
    options = {"n_workers": 2, "threads_per_worker": 1, "dashboard_address": None, "worker_dashboard_address": None}
    cluster = distributed.LocalCluster(processes=False, silence_logs=50, **options)
    with cluster, distributed.Client(cluster) as client:
        yield client


@pytest.fixture
def sent(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The name of whatever is sent to the cluster to be shared."""
    names: list[str] = []
    share = DaskExecutor.share
    monkeypatch.setattr(DaskExecutor, "share", lambda self, name, *more: names.append(name) or share(self, name, *more))
    return names


@pytest.fixture
def stale(client: Any, monkeypatch: pytest.MonkeyPatch) -> set[str]:
    """Workers whose address is put in here have another version of numpy."""
    real, addresses = executors.versions_here, set[str]()

    def versions(dask_worker: Any = None) -> dict[str, str]:
        try:
            here = (dask_worker or distributed.get_worker()).address
        except ValueError:
            here = "the client"
        return {**real(), **({"numpy": "0.9"} if here in addresses else {})}

    monkeypatch.setattr(executors, "versions_here", versions)
    return addresses


def without_times(run: Run) -> Run:
    epochs = [{**epoch, "seconds": 0.0} for epoch in run.epochs]
    return replace(run, epochs=epochs, seconds=0.0, cpu_seconds=0.0, when="")


def test_a_cluster_is_sent_a_graph_once_and_gives_the_results_of_this_machine(
    client: Any, tmp_path: Path, sent: list[str]
) -> None:
    search = {"trials": 3, "rungs": [1, 2], "seeds": [1000], "space": {"hidden": [4, 6, 8]}}
    about: dict[str, Any] = {"graphs": MINE, "models": ["GCN", "Adamic-Adar"], "seeds": 2, "epochs": 3}
    epochs: list[int] = []
    there = de.study(**about, search=search, store=tmp_path / "there", on_epoch=lambda run, epoch: epochs.append(1))
    clients = client.run_on_scheduler(lambda dask_scheduler: len(dask_scheduler.clients))
    progress = there.run(client.scheduler.address, progress=False)
    until(lambda: client.run_on_scheduler(lambda dask_scheduler: len(dask_scheduler.clients)) == clients)
    assert (progress.failed, progress.left, len(sent)) == (0, 0, 1) and progress.cpu_hours > 0
    here = de.study(**about, search=search, store=tmp_path / "here")
    with in_process():
        here.run(1, progress=False)
    runs, expected = ({run.key: without_times(run) for run in study.store.runs()} for study in (there, here))
    assert runs == expected and len(runs) == progress.done
    assert len(epochs) == sum(len(run.epochs) for run in there.store.runs())
    assert not list(there.store.folder.rglob("*.checkpoint"))
    trials = [run for run in there.store.runs() if run.rung]
    (higher,) = [run for run in trials if run.rung == 2]
    assert higher.epochs[0] in [run.epochs[0] for run in trials if run.rung == 1]  # with the time that it took


def test_models_come_back_and_failures_are_recorded(client: Any, tmp_path: Path) -> None:
    store = Store(tmp_path)
    about: dict[str, Any] = {"graph": MINE, "task": "links", "epochs": 2, "device": "cpu"}
    specs = [RunSpec(model="GCN", **about), RunSpec(model="GIN", settings={"learning_rate": 1e30}, **about)]
    updates: list[tuple[str, int]] = []
    Scheduler(store, client).run(
        lambda: [spec for spec in specs if store.get(spec.key) is None],
        None,
        lambda update: updates.append((update.state, len(update.epochs))),
    )
    assert ("finished", 2) in updates  # its epochs arrive with it
    run, failed = (store.get(spec.key) for spec in specs)
    assert failed.status == "failed" and "learning_rate" in failed.error
    assert [file.name for file in store.models.iterdir()] == [run.model_file]
    assert de.predict(de.load_model(store.models / run.model_file), MINE, [{0, 9}]).shape == (1,)
    assert client.status == "running"  # it is not ours to close


def test_sets_are_scored_by_a_cluster_and_by_a_process(client: Any, sent: list[str]) -> None:
    task = de.link_task(MINE)
    model = de.build("NCN", task, hidden=8)
    list(de.fit(model, task, 2))
    pairs = np.tile(np.stack(np.triu_indices(34, 1), axis=1), (30, 1))  # too many for one worker
    here = de.predict(model, task.graph, pairs)
    several = de.build("GCN", de.role_task(MINE.with_labels([i % 3 for i in range(34)])), hidden=8)
    assert np.allclose(de.predict(model, task.graph, pairs, workers=client), here, atol=1e-6) and len(sent) == 1
    assert np.allclose(de.predict(model, task.graph, pairs, workers=1), here, atol=1e-6)
    expected = de.predict(several, MINE, [{9}, {3}])
    assert np.allclose(de.predict(several, MINE, [{9}, {3}], workers=client), expected) and expected.shape == (2, 3)


def test_the_number_of_runs_at_once_follows_the_workers(client: Any) -> None:
    with executor_for(client) as executor:
        for workers in (2, 3, 2):
            client.cluster.scale(workers)
            until(lambda workers=workers: executor.places == workers)
        assert executor.submit(os.urandom, 8).result() != executor.submit(os.urandom, 8).result()  # two calls


def test_a_worker_with_other_versions_is_left_out_with_a_warning(client: Any, tmp_path: Path, stale: set[str]) -> None:
    first, second = client.nthreads()
    study = de.study(graphs="karate", models=["Katz", "Adamic-Adar"], seeds=4, store=tmp_path)
    with pytest.warns(UserWarning, match=rf"{first} has numpy 0\.9; here it is .* left out"):
        ended = study.run(client, progress=lambda _: stale.add(first))  # after it was asked for its versions
    assert (ended.left, ended.failed) == (0, 0)
    with pytest.warns(UserWarning, match=rf"{first} has numpy 0\.9"), executor_for(client) as executor:
        assert executor.places == 1
    stale.add(second)
    with pytest.raises(de.ParameterError, match="No worker"), pytest.warns(UserWarning, match="left out"):
        executor_for(client)


def test_a_run_that_nobody_wants_any_more_ends(client: Any, tmp_path: Path) -> None:
    spec = RunSpec(MINE, "links", "GCN", epochs=10**6, options={"patience": None}, device="cpu")
    with executor_for(client) as executor:
        future = executor.train(spec, tmp_path, tmp_path)
        until(lambda: any(client.processing().values()))
        executor.kill(future)
        until(lambda: not any(worker.state.executing_count for worker in client.cluster.workers.values()))


def test_clients_that_cannot_be_used_are_refused(client: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    with monkeypatch.context() as patch, pytest.raises(de.ParameterError, match="asynchronous"):
        patch.setattr(distributed.Client, "asynchronous", True)
        executor_for(client)
    other = distributed.Client(client.cluster, set_as_default=False)
    executor = executor_for(other)
    other.close()
    with pytest.raises(de.ParameterError, match="closed"):
        executor_for(other)
    with pytest.raises(de.ParameterError, match="lost"):
        executor.submit(abs, 1)
    monkeypatch.setitem(sys.modules, "distributed", None)
    with pytest.raises(de.ParameterError, match=r"pip install 'degnn_explore\[cluster\]'"):
        executor_for("tcp://127.0.0.1:9")
