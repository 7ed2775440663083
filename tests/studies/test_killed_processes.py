"""Real processes, killed at awkward moments: nothing finished is lost, nothing is done twice. Public names only.

What else becomes of a run is in ``test_scheduler.py``, where nothing needs a process.
"""

from __future__ import annotations

import contextlib
import json
import os
import signal
import sqlite3
import subprocess
import sys
import textwrap
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import psutil
import pytest

import degnn_explore as de
from tests.support.waiting import LONG, until

ROOT = Path(de.__file__).parents[1]
ENV = {**os.environ, "PYTHONPATH": str(ROOT)}

# Every network run says that it has begun (begun-PID) and waits until a file "go" is there; formulas do not wait.
CLIENT = textwrap.dedent("""
    import os, pathlib, sys, time, degnn_explore as de
    folder, workers = pathlib.Path(sys.argv[1]), sys.argv[2]
    (folder / f"client-{os.getpid()}").touch()

    def itself(near):
        if not (folder / f"client-{os.getpid()}").exists():
            (folder / f"begun-{os.getpid()}").touch()
            while not (folder / "go").exists():
                time.sleep(0.02)
        return near.distance == 0

    de.encoding("waiting", itself, columns=["itself"], max_dist=2)
    study = de.study(graphs="karate", models=["DE-GNN-waiting", "Adamic-Adar", "Katz"], seeds=2, epochs=2,
                     store=folder / "store")
    progress = study.run(int(workers) if workers.isdigit() else workers, progress=False)
    print("left", progress.left, flush=True)
""")
ALL = 6  # runs of that study
STARTED: list[subprocess.Popen[str]] = []


@pytest.fixture(autouse=True)
def no_process_is_left() -> Iterator[None]:
    """If a test fails, its clients end, and their workers with them."""
    yield
    while STARTED:
        client = STARTED.pop()
        with contextlib.suppress(ProcessLookupError):
            os.killpg(client.pid, signal.SIGKILL)
        client.wait()


def start(folder: Path, workers: str) -> subprocess.Popen[str]:
    """A client in a process group of its own, as in a terminal."""
    command = [sys.executable, "-c", CLIENT, str(folder), workers]
    pipes: dict[str, Any] = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, "text": True}
    STARTED.append(subprocess.Popen(command, env=ENV, start_new_session=True, **pipes))
    return STARTED[-1]


def begun(folder: Path) -> set[int]:
    """Processes that have begun to train a network."""
    return {int(file.name.split("-")[1]) for file in folder.glob("begun-*")}


def look(folder: Path, query: str) -> list[Any]:
    """What the store says; read as it is, for the encoding is not registered here."""
    file = f"file:{folder}/store/runs.sqlite?mode=rw"
    with contextlib.suppress(sqlite3.OperationalError), sqlite3.connect(file, uri=True) as db:
        return db.execute(query).fetchall()
    return []  # there is no store yet


def kept(folder: Path) -> dict[str, str]:
    """The record of each run, by key."""
    return dict(look(folder, "SELECT key, record FROM runs"))


def finish(folder: Path, *clients: subprocess.Popen[str]) -> None:
    """These clients end with every run finished, each written once, and nothing else is left."""
    (folder / "go").touch()
    for client in clients:
        output, errors = client.communicate(timeout=LONG)
        assert (client.returncode, output.strip()) == (0, "left 0"), errors
    assert look(folder, "SELECT count(*), max(number) FROM runs") == [(ALL, ALL)]
    assert look(folder, "SELECT count(*) FROM claims") == [(0,)]
    assert {json.loads(record)["status"] for record in kept(folder).values()} == {"finished"}
    files = [file.name for file in (folder / "store").rglob("*") if file.is_file()]
    assert [name for name in files if "runs.sqlite" not in name] == []


def ended(processes: set[int]) -> bool:
    return not any(psutil.pid_exists(each) and psutil.Process(each).status() != "zombie" for each in processes)


def kill(client: subprocess.Popen[str]) -> None:
    os.kill(client.pid, signal.SIGKILL)
    client.wait()


def test_a_client_that_is_interrupted_and_then_killed_loses_nothing_and_leaves_no_process(tmp_path: Path) -> None:
    client = start(tmp_path, "2")
    until(lambda: begun(tmp_path) and kept(tmp_path))
    first = begun(tmp_path)
    os.killpg(client.pid, signal.SIGINT)  # as a terminal does: to the workers, too
    output, errors = client.communicate(timeout=LONG)
    done = kept(tmp_path)
    assert f"{len(done)} of {ALL} runs kept" in errors and "Traceback" not in errors
    assert client.returncode == 0 and output.strip() == f"left {ALL - len(done)}"
    assert look(tmp_path, "SELECT count(*) FROM claims") == [(0,)]
    until(lambda: ended(first))
    client = start(tmp_path, "1")
    until(lambda: begun(tmp_path) - first)
    kill(client)
    until(lambda: ended(begun(tmp_path)))
    assert done.items() <= kept(tmp_path).items()
    finish(tmp_path, start(tmp_path, "1"))
    assert done.items() <= kept(tmp_path).items()


def test_a_client_that_is_killed_while_its_workers_start_leaves_no_process(tmp_path: Path) -> None:
    client = start(tmp_path, "2")
    until(lambda: len(psutil.Process(client.pid).children()) > 1)
    started = {child.pid for child in psutil.Process(client.pid).children(recursive=True)}
    kill(client)
    assert not begun(tmp_path)  # else it was too late
    until(lambda: ended(started))


def test_two_clients_share_the_runs_and_the_run_of_a_worker_that_is_killed_is_repeated(tmp_path: Path) -> None:
    clients = [start(tmp_path, "1") for _ in range(2)]
    until(lambda: len(begun(tmp_path)) == 2)
    os.kill(min(begun(tmp_path)), signal.SIGKILL)
    until(lambda: len(begun(tmp_path)) == 3)
    finish(tmp_path, *clients)


FULL_DISK = """
import resource, signal, sys, degnn_explore as de
from degnn_explore.studies.runs import Run
signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
store = de.Store(sys.argv[1])
store.put(Run("a", "karate", "links", "GCN", test=0.5))
size = (store.folder / "runs.sqlite").stat().st_size
resource.setrlimit(resource.RLIMIT_FSIZE, (size, resource.RLIM_INFINITY))  # no file may grow beyond that
try:
    store.put(*(Run(f"k{i}", "karate", "links", "GCN", test=0.5, error="x" * 10_000) for i in range(10)))
except de.ParameterError as error:
    print(error)
print([run.key for run in store.runs()])
"""


def test_a_full_disk_is_one_sentence_and_what_is_stored_stays(tmp_path: Path) -> None:
    command = [sys.executable, "-c", FULL_DISK, str(tmp_path)]
    done = subprocess.run(command, env=ENV, capture_output=True, text=True, timeout=LONG)
    sentence, keys = done.stdout.splitlines()
    assert "cannot be written to" in sentence and keys == "['a']", done.stderr
    store = de.Store(tmp_path)
    store.put(*store.runs())
    assert [run.key for run in store.runs()] == ["a"]


@pytest.fixture
def cluster() -> Iterator[Any]:
    """Two worker processes on loopback, which a nanny starts again if they are killed."""
    distributed = pytest.importorskip("distributed", reason="pip install 'degnn_explore[cluster]'")
    options = {"n_workers": 2, "threads_per_worker": 1, "host": "127.0.0.1"}
    addresses = {"dashboard_address": None, "worker_dashboard_address": None}
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("PYTHONPATH", str(ROOT))
        with distributed.LocalCluster(processes=True, silence_logs=50, **options, **addresses) as cluster:
            yield cluster


def test_nothing_is_lost_when_a_client_or_a_worker_of_a_cluster_dies(cluster: Any, tmp_path: Path) -> None:
    client = start(tmp_path, cluster.scheduler_address)
    until(lambda: begun(tmp_path) and kept(tmp_path))
    kill(client)
    done, first = kept(tmp_path), begun(tmp_path)
    for worker in first:  # they would wait for "go"
        os.kill(worker, signal.SIGKILL)
    client = start(tmp_path, cluster.scheduler_address)
    until(lambda: begun(tmp_path) - first)
    os.kill(min(begun(tmp_path) - first), signal.SIGKILL)
    finish(tmp_path, client)
    assert done.items() <= kept(tmp_path).items()
