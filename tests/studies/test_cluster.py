"""Studies, scores and encodings on a real Dask cluster of two worker processes: killed, interrupted, ill-equipped."""

from __future__ import annotations

import os
import signal
import sqlite3
import subprocess
import sys
import textwrap
import threading
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

import degnn_explore as de
from degnn_explore.cli import encode, main, score
from degnn_explore.common.errors import ParameterError
from degnn_explore.studies.cluster import answers, connection
from degnn_explore.studies.cluster.connection import Cluster
from degnn_explore.studies.records import Run
from degnn_explore.studies.storage.store import Store
from degnn_explore.studies.whole.agenda import Standing
from degnn_explore.studies.whole.remote import RemoteCrew
from tools.waiting import LONG, until

distributed = pytest.importorskip("distributed", reason="pip install 'degnn_explore[cluster]'")

ROOT = Path(de.__file__).parents[1]
ENV = {**os.environ, "PYTHONPATH": str(ROOT)}


@pytest.fixture(scope="module")
def client() -> Iterator[Any]:
    """Of a cluster with two worker processes on loopback, which a nanny starts again if they are killed."""
    options = {
        "threads_per_worker": 1,
        "host": "127.0.0.1",
        "dashboard_address": None,
        "worker_dashboard_address": None,
    }
    with (
        pytest.MonkeyPatch.context() as patch,
        distributed.LocalCluster(n_workers=2, processes=True, silence_logs=50, **options) as cluster,
        distributed.Client(cluster) as client,
    ):
        patch.setenv("PYTHONPATH", str(ROOT))
        yield client


def written(folder: Path) -> tuple[int, int, int]:
    """Runs in a store, how often a run was written to it, and runs that somebody claims."""
    with sqlite3.connect(folder / "runs.sqlite") as db:
        runs, last = db.execute("SELECT count(*), max(number) FROM runs").fetchone()
        return runs, last, db.execute("SELECT count(*) FROM claims").fetchone()[0]


def without_times(run: Run) -> Run:
    epochs = [{**epoch, "seconds": 0.0} for epoch in run.epochs]
    return replace(run, epochs=epochs, seconds=0.0, cpu_seconds=0.0, when="")


def waiting(folder: Path) -> de.Encoding:
    """An own encoding; in another process it says that it was begun, by whose child, and waits for a file ``go``."""
    here = os.getpid()

    def itself(near: Any) -> Any:
        if os.getpid() != here:
            (folder / f"begun-{os.getppid()}-{os.getpid()}").touch()
            while not (folder / "go").exists():
                threading.Event().wait(0.02)
        return near.distance == 0

    return de.encoding("waiting", itself, columns=["itself"], max_dist=2)


def begun(folder: Path) -> list[tuple[int, int]]:
    """Workers and their processes that have begun with a run that waits."""
    return [(int(worker), int(process)) for _, worker, process in (f.name.split("-") for f in folder.glob("begun-*"))]


# ---- studies --------------------------------------------------------------------------------------


def test_a_cluster_comes_to_the_results_of_this_machine_and_is_sent_a_graph_once(
    client: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    mine = de.load("karate").with_title("mine").without_edges([(0, 1)])  # no worker could load it
    search = {"trials": 3, "rungs": [1, 2], "seeds": [1000], "space": {"hidden": [4, 6, 8]}}
    asked: dict[str, Any] = {"graphs": mine, "models": ["GCN", "Adamic-Adar"], "seeds": 2, "epochs": 3}
    sent: list[Any] = []
    submit = Cluster.submit

    def counted(cluster: Cluster, work: Any, *given: Any) -> Any:
        sent.append(given if work is connection._itself else None)
        return submit(cluster, work, *given)

    monkeypatch.setattr(Cluster, "submit", counted)
    there = de.study(**asked, search=search, store=tmp_path / "there")
    told: list[Standing] = []
    standing = there.run(client.scheduler.address, progress=told.append)
    assert (standing.failed, standing.left, told[0].workers) == (0, 0, 2) and standing.cpu_hours > 0
    assert [given for given in sent if given] == [(mine,)] and len(sent) < 1 + standing.done  # runs go together
    assert not list(there.store.models.glob("*"))
    here = de.study(**asked, search=search, store=tmp_path / "here")
    here.run(1, progress=False)
    runs, expected = ({run.key: without_times(run) for run in study.store.runs()} for study in (there, here))
    assert runs == expected and len(runs) == standing.done == written(tmp_path / "there")[1]


def test_a_failing_run_is_recorded_and_does_not_stop_the_others(client: Any, tmp_path: Path) -> None:
    settings = {"GCN": {"learning_rate": 1e30}}
    study = de.study(
        graphs="karate", models=["GCN", "Adamic-Adar"], settings=settings, seeds=1, epochs=2, store=tmp_path
    )
    standing = study.run(client, progress=False)
    assert (standing.done, standing.failed, standing.left) == (1, 1, 0)
    assert "learning_rate" in study.failures()["GCN, karate links, seed 0"]
    assert client.status == "running"  # it is not ours to close


SCRIPT = textwrap.dedent("""
    import pathlib, sys, time, degnn_explore as de
    from degnn_explore.studies.whole.remote import RemoteCrew
    folder = sys.argv[1]
    RemoteCrew.seconds = 0.0  # every run is a batch: what is finished does not wait for those that do not end

    def itself(near):
        if len(sys.argv) == 1:  # where it is trained
            pathlib.Path(folder, "begun").touch()
            while not pathlib.Path(folder, "go").exists():
                time.sleep(0.02)
        return near.distance == 0

    de.encoding("waiting", itself, columns=["itself"], max_dist=2)
    quick = ["Adamic-Adar", "Katz", "common neighbours", "resource allocation", "preferential attachment"]
    models = ["DE-GNN-waiting", *quick]  # only one of two workers can be kept waiting
    study = de.study(graphs="karate", models=models, seeds=1, epochs=1, store=folder + "/store")
    print(study.run(sys.argv[2], progress=False))
""")


def test_a_client_that_is_killed_and_started_again_loses_nothing_and_makes_nothing_twice(
    client: Any, tmp_path: Path
) -> None:
    command = [sys.executable, "-c", SCRIPT, str(tmp_path), client.scheduler.address]
    store = Store(tmp_path / "store")
    killed = subprocess.Popen(command, env=ENV)
    try:
        until(lambda: (store.runs() and (tmp_path / "begun").exists()) or killed.poll() is not None)
        killed.kill()
        killed.wait()
        before = {run.key: run for run in store.runs()}
        until(lambda: not any(client.processing().values()))  # nobody wants the rest any more
    finally:
        killed.kill()
        (tmp_path / "go").touch()
    assert subprocess.run(command, env=ENV, timeout=LONG, check=True, capture_output=True).stdout.startswith(b"6 runs")
    after = {run.key: run for run in store.runs()}
    assert 0 < len(before) < 6 and all(after[key] == run for key, run in before.items())
    assert written(tmp_path / "store") == (6, 6, 0)


# ---- what is not as it should be ------------------------------------------------------------------


def have(version: str) -> None:
    """In a worker."""
    de.__version__ = version


def test_a_worker_with_another_version_is_named_before_anything_is_run(client: Any, tmp_path: Path) -> None:
    worker = sorted(client.run(os.getpid))[0]
    study = de.study(graphs="karate", models=["Adamic-Adar"], seeds=1, store=tmp_path)
    crew = RemoteCrew(client, study.store.models)  # the workers were as they should be when it was made
    client.run(have, "0.0.9", workers=[worker])
    try:
        told = rf"The worker {worker} has degnn_explore 0\.0\.9, and here it is {de.__version__}"
        with pytest.raises(ParameterError, match=told):
            study.run(client, progress=False)
        client.run(have, "0.0.9")
        with pytest.raises(ParameterError, match=r"The worker tcp\S+ has degnn_explore 0\.0\.9, and here it is"):
            study.run(crew, progress=False)  # as one that joins later is found out
        with pytest.raises(ParameterError, match=r"has degnn_explore 0\.0\.9"):
            list(answers.in_order(client, abs, [-1]))
    finally:
        client.run(have, de.__version__)
    assert written(tmp_path)[0] == 0 and study.run(client, progress=False).done == 1


def test_a_worker_without_the_package_is_named(client: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    def missing(*given: Any, **options: Any) -> dict[str, Any]:
        return {"tcp://10.0.0.7:41": ModuleNotFoundError("No module named 'degnn_explore'")}

    monkeypatch.setattr(client, "run", missing)  # what Dask answers where unpickling fails
    with pytest.raises(ParameterError, match=r"tcp://10\.0\.0\.7:41 has degnn_explore missing \(No module named"):
        Cluster(client)


def test_nobody_answers_at_an_address(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(connection, "CONNECT", 1.0)
    study = de.study(graphs="karate", models=["Adamic-Adar"], seeds=1, store=tmp_path)
    for address in ("tcp://127.0.0.1:1", "nonsense://127.0.0.1:1"):
        with pytest.raises(ParameterError, match=rf"No Dask scheduler answers at '{address}'"):
            study.run(address)


def test_without_the_extra_it_is_said_how_to_install_it(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setitem(sys.modules, "distributed", None)
    study = de.study(graphs="karate", models=["Adamic-Adar"], seeds=1, store=tmp_path)
    with pytest.raises(ParameterError, match=r"pip install 'degnn_explore\[cluster\]'"):
        study.run("tcp://127.0.0.1:8786")


def test_what_cannot_be_sent_is_said(client: Any, tmp_path: Path) -> None:
    lock = threading.Lock()
    de.encoding("locked", lambda near: (near.distance == 0) & (not lock.locked()), columns=["itself"], max_dist=2)
    study = de.study(graphs="karate", models=["DE-GNN-locked"], seeds=1, epochs=1, store=tmp_path)
    with pytest.raises(ParameterError, match=r"DE-GNN-locked holds what no other process .* workers=1 trains it here"):
        study.run(client, progress=False)


# ---- files of target sets -------------------------------------------------------------------------

OWN = """
import degnn_explore as de
near = 2
de.encoding("near", lambda pairs: pairs.distance < near, columns=["near"], max_dist=3)
"""


def test_files_of_sets_are_answered_with_the_same_bytes_and_gone_on_with(
    client: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(score, "_ROWS", 60)
    monkeypatch.setattr(encode, "_ROWS", 34 * 60)
    pairs = [(u, v) for u in range(34) for v in range(u + 1, 34)]
    Path("pairs.csv").write_text("u,v\n" + "".join(f"{u},{v}\n" for u, v in pairs) + "0,99\n")
    Path("own.py").write_text(OWN)
    train = ["train", "karate", "--import", "own.py", "--model", "DE-GNN-near", "--epochs", "1"]
    assert main([*train, "--set", "hidden=8", "--out", "m.safetensors", "--quiet"]) == 0
    there = ["--workers", client.scheduler.address]
    judged = ["score", "m.safetensors", "karate", "pairs.csv", "--import", "own.py", "--quiet", "--out"]
    encoded = [
        "encode",
        "karate",
        "--sets",
        "pairs.csv",
        "--import",
        "own.py",
        "--encoding",
        "near",
        "--quiet",
        "--out",
    ]
    for command, out in ((judged, "scores.csv"), (encoded, "zeta.parquet")):
        assert main([*command, out]) == 0
        assert main([*command, f"there-{out}", *there]) == 0
        assert Path(f"there-{out}").read_bytes() == Path(out).read_bytes()
    assert Path("there-scores.bad.csv").read_bytes() == Path("scores.bad.csv").read_bytes()
    interrupt = answers._answered
    asked: list[Any] = []

    def third(*given: Any) -> Any:
        asked.append(given)
        if len(asked) == 3:
            raise KeyboardInterrupt
        return interrupt(*given)

    monkeypatch.setattr(answers, "_answered", third)
    assert main([*judged, "again.csv", *there]) == 130
    assert "stopped after 119 sets" in capsys.readouterr().err
    assert main([*judged, "again.csv"]) == 0  # goes on here with what was begun there
    assert "going on after 119 sets" in capsys.readouterr().err
    assert Path("again.csv").read_bytes() == Path("scores.csv").read_bytes()
    until(lambda: not any(client.processing().values()))


# ---- at the end, because workers or their processes do not survive it -----------------------------


def test_a_worker_that_is_killed_in_a_run_has_it_repeated(client: Any, tmp_path: Path) -> None:
    waiting(tmp_path)  # which also goes to workers that have never heard of it
    study = de.study(graphs="karate", models=["DE-GNN-waiting"], seeds=2, epochs=1, store=tmp_path / "store")
    running = threading.Thread(target=study.run, args=[client], kwargs={"progress": False})
    running.start()
    until(lambda: begun(tmp_path))
    killed, _ = begun(tmp_path)[0]
    assert killed in client.run(os.getpid).values()
    os.kill(killed, signal.SIGKILL)
    until(lambda: killed not in client.run(os.getpid, on_error="ignore").values())
    (tmp_path / "go").touch()
    running.join(LONG)
    assert not running.is_alive() and written(tmp_path / "store") == (2, 2, 0)
    assert {run.status for run in study.store.runs()} == {"finished"}
    assert {worker for worker, _ in begun(tmp_path)} > {killed}


def test_ctrl_c_cancels_what_is_queued_and_what_is_being_made(client: Any, tmp_path: Path) -> None:
    class Interrupted(RemoteCrew):
        def wait(self, seconds: float) -> Any:
            ended = super().wait(min(seconds, 0.1))
            if begun(tmp_path):
                raise KeyboardInterrupt
            return ended

    waiting(tmp_path)
    study = de.study(graphs="karate", models=["DE-GNN-waiting"], seeds=20, epochs=1, store=tmp_path / "store")
    with pytest.raises(KeyboardInterrupt):
        study.run(Interrupted(client, study.store.models), progress=False)
    assert written(tmp_path / "store") == (0, None, 0)
    until(lambda: not any(client.processing().values()))
    until(lambda: not any(Path(f"/proc/{process}").exists() for _, process in begun(tmp_path)))
