"""Studies on a real Dask cluster of two worker processes: the same results, ill-equipped workers, no cluster at all.

What happens when clients and workers are killed is in ``test_killed_processes.py``.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import degnn_explore as de
from degnn_explore.common.errors import ParameterError
from degnn_explore.studies import executors, scoring
from degnn_explore.studies.executors import DaskExecutor, executor_for
from degnn_explore.studies.runs import Run
from tests.support.waiting import until

distributed = pytest.importorskip("distributed", reason="pip install 'degnn_explore[cluster]'")
ROOT = Path(de.__file__).parents[1]


@pytest.fixture(scope="module")
def client() -> Iterator[Any]:
    """Of a cluster with two worker processes on loopback."""
    options = {"threads_per_worker": 1, "host": "127.0.0.1", "dashboard_address": None}
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("PYTHONPATH", str(ROOT))
        with (
            distributed.LocalCluster(
                n_workers=2, processes=True, silence_logs=50, worker_dashboard_address=None, **options
            ) as cluster,
            distributed.Client(cluster) as client,
        ):
            yield client


def without_times(run: Run) -> Run:
    epochs = [{**epoch, "seconds": 0.0} for epoch in run.epochs]
    return replace(run, epochs=epochs, seconds=0.0, cpu_seconds=0.0, when="")


@pytest.fixture
def sent(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """Whenever a graph is sent to the cluster, its size in bytes."""
    sizes: list[int] = []
    share = DaskExecutor.share
    monkeypatch.setattr(
        DaskExecutor, "share", lambda self, *given: (sizes.append(len(given[1])), share(self, *given))[1]
    )
    return sizes


def test_a_cluster_is_sent_a_graph_once_and_comes_to_the_results_of_this_machine(
    client: Any, tmp_path: Path, sent: list[int]
) -> None:
    mine = de.load("karate").with_title("mine").without_edges([(0, 1)])  # no worker could load it
    search = {"trials": 3, "rungs": [1, 2], "seeds": [1000], "space": {"hidden": [4, 6, 8]}}
    asked: dict[str, Any] = {"graphs": mine, "models": ["GCN", "Adamic-Adar"], "seeds": 2, "epochs": 3}
    heard: list[int] = []
    there = de.study(**asked, search=search, store=tmp_path / "there", on_epoch=lambda run, epoch: heard.append(1))
    clients = client.run_on_scheduler(lambda dask_scheduler: len(dask_scheduler.clients))
    progress = there.run(client.scheduler.address, progress=False)
    until(lambda: client.run_on_scheduler(lambda dask_scheduler: len(dask_scheduler.clients)) == clients)
    assert len(sent) == 1
    assert (progress.failed, progress.left) == (0, 0) and progress.cpu_hours > 0
    here = de.study(**asked, search=search, store=tmp_path / "here")
    here.run(1, progress=False)
    runs, expected = ({run.key: without_times(run) for run in study.store.runs()} for study in (there, here))
    assert runs == expected and len(runs) == progress.done
    assert len(heard) == sum(len(run.epochs) for run in there.store.runs())
    assert not list(there.store.folder.rglob("*.checkpoint"))
    trials = [run for run in there.store.runs() if run.rung]
    (higher,) = [run for run in trials if run.rung == 2]
    assert higher.epochs[0] in [run.epochs[0] for run in trials if run.rung == 1]  # with the time that it took


def test_sets_are_scored_on_a_cluster_that_is_sent_the_graph_once(
    client: Any, monkeypatch: pytest.MonkeyPatch, sent: list[int]
) -> None:
    mine = de.load("karate").with_title("mine").without_edges([(0, 1)])
    task = de.link_task(mine)
    model = de.build("DE-GNN-SPD", task, hidden=8)
    list(de.fit(model, task, 2))
    pairs = np.stack(np.triu_indices(34, 1), axis=1)
    here = de.predict(model, task.graph, pairs)
    monkeypatch.setattr(scoring, "_AT_ONCE", 100)
    there = de.predict(model, task.graph, pairs, workers=client)
    assert np.allclose(there, here, atol=1e-6) and len(sent) == 1
    assert client.status == "running"


@pytest.mark.parametrize("name", ["DE-GNN-SPD", "NCN"])
def test_sets_are_scored_by_several_processes(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    task = de.link_task(de.load("karate"))
    model = de.build(name, task, hidden=8)
    list(de.fit(model, task, 2))
    pairs = np.stack(np.triu_indices(34, 1), axis=1)
    monkeypatch.setattr(scoring, "_AT_ONCE", 100)
    assert np.allclose(de.predict(model, task.graph, pairs, workers=2), de.predict(model, task.graph, pairs), atol=1e-6)


def test_a_failing_run_is_recorded_and_does_not_stop_the_others(client: Any, tmp_path: Path) -> None:
    settings = {"GCN": {"learning_rate": 1e30}}
    study = de.study(
        graphs="karate", models=["GCN", "Adamic-Adar"], settings=settings, seeds=1, epochs=2, store=tmp_path
    )
    progress = study.run(client, progress=False)
    assert (progress.done, progress.failed, progress.left) == (1, 1, 0)
    assert client.status == "running"  # it is not ours to close


def test_a_worker_with_other_versions_is_left_out_with_a_warning_and_ends_nothing(client: Any, tmp_path: Path) -> None:
    first, second = client.nthreads()

    def change(version: str) -> None:
        import degnn_explore

        degnn_explore.__version__ = version

    client.run(change, "9.9", workers=[first])
    try:
        study = de.study(graphs="karate", models="Katz", seeds=6, store=tmp_path)
        with pytest.warns(UserWarning, match=rf"{first} has degnn_explore 9\.9; here it is .*left out"):
            assert study.run(client, progress=False).left == 0
        client.run(change, "9.9", workers=[second])
        with pytest.raises(ParameterError, match="No worker"), pytest.warns(UserWarning, match="left out"):
            de.study(graphs="lesmis", models="Katz", seeds=1, store=tmp_path).run(client, progress=False)
    finally:
        client.run(change, de.__version__)


def test_a_stale_worker_that_joins_later_does_not_end_the_study(client: Any, tmp_path: Path) -> None:
    def change(version: str) -> None:
        import degnn_explore

        degnn_explore.__version__ = version

    study = de.study(graphs="karate", models=["Katz", "Adamic-Adar"], seeds=8, store=tmp_path)
    first = next(iter(client.nthreads()))
    changed: list[bool] = []

    def progress(_: Any) -> None:
        if not changed:  # it was asked for its versions before; now it has others
            changed.append(True)
            client.run(change, "9.9", workers=[first])

    try:
        with pytest.warns(UserWarning, match="left out"):
            ended = study.run(client, progress=progress)
        assert (ended.left, ended.failed) == (0, 0)
    finally:
        client.run(change, de.__version__)


def test_what_cannot_be_connected_to_is_said(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(executors, "_CONNECT", 0.5)
    with pytest.raises(ParameterError, match=r"No Dask scheduler answers at 'tcp://127\.0\.0\.1:9'"):
        executor_for("tcp://127.0.0.1:9")
    with pytest.raises(ParameterError, match="workers='two' cannot be used"):
        executor_for("two")
    monkeypatch.setitem(sys.modules, "distributed", None)
    with pytest.raises(ParameterError, match=r"pip install 'degnn_explore\[cluster\]'"):
        executor_for("tcp://127.0.0.1:9")
