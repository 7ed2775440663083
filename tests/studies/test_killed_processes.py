"""Real processes, killed at awkward moments: nothing finished is lost, nothing is done twice. Public names only."""

from __future__ import annotations

import contextlib
import json
import os
import signal
import sqlite3
import subprocess
import sys
import textwrap
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import degnn_explore as de
from tests.support.waiting import LONG, until

ROOT = Path(de.__file__).parents[1]
ENV = {**os.environ, "PYTHONPATH": str(ROOT)}

# Every network run says that it has begun (begun-PID) and waits until a file "go" is there; heuristics do not wait.
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
_STARTED: list[subprocess.Popen[str]] = []


@pytest.fixture(autouse=True)
def no_process_is_left() -> Iterator[None]:
    """A client of a test that failed goes, and its workers with it."""
    yield
    while _STARTED:
        client = _STARTED.pop()
        with contextlib.suppress(ProcessLookupError):
            os.killpg(client.pid, signal.SIGKILL)
        client.wait()


def start(folder: Path, workers: str = "2") -> subprocess.Popen[str]:
    """A client of its own process group, as in a terminal."""
    out: dict[str, Any] = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, "text": True}
    command = [sys.executable, "-c", CLIENT, str(folder), workers]
    _STARTED.append(subprocess.Popen(command, env=ENV, start_new_session=True, **out))
    return _STARTED[-1]


def begun(folder: Path) -> set[int]:
    """Processes that have begun to train."""
    return {int(file.name.split("-")[1]) for file in folder.glob("begun-*")}


def written(folder: Path) -> tuple[int, int, int]:
    """Runs in the store, how often a run was written to it, and claims."""
    file = folder / "store" / "runs.sqlite"
    if not file.exists():
        return 0, 0, 0
    with sqlite3.connect(file) as db:
        if not db.execute("SELECT 1 FROM sqlite_master WHERE name = 'claims'").fetchone():
            return 0, 0, 0
        runs, last = db.execute("SELECT count(*), coalesce(max(number), 0) FROM runs").fetchone()
        return runs, last, db.execute("SELECT count(*) FROM claims").fetchone()[0]


def kept_runs(folder: Path) -> dict[str, str]:
    """The record of each run, by key; read as it is, for the encoding is not registered here."""
    file = folder / "store" / "runs.sqlite"
    if not file.exists() or not written(folder)[0]:
        return {}
    with sqlite3.connect(file) as db:
        return dict(db.execute("SELECT key, record FROM runs").fetchall())


def statuses(folder: Path) -> list[str]:
    return sorted(json.loads(record)["status"] for record in kept_runs(folder).values())


def alive(process: int) -> bool:
    try:
        return Path(f"/proc/{process}/stat").read_text(encoding="utf-8").rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return False


def children(process: int) -> set[int]:
    """The processes that this one has started."""
    started = set()
    for file in Path("/proc").glob("[0-9]*/stat"):
        with contextlib.suppress(OSError):
            if int(file.read_text(encoding="utf-8").rpartition(")")[2].split()[1]) == process:
                started.add(int(file.parent.name))
    return started


def finish(folder: Path, workers: str = "1") -> None:
    """The same client once more, undisturbed: it ends with every run, each written once."""
    (folder / "go").touch()
    client = start(folder, workers)
    said, errors = client.communicate(timeout=LONG)
    assert (client.returncode, said.strip()) == (0, "left 0"), errors
    assert written(folder) == (ALL, ALL, 0)
    assert set(statuses(folder)) == {"finished"}
    leftovers = [
        file.name for file in (folder / "store").rglob("*") if file.is_file() and "runs.sqlite" not in file.name
    ]
    assert not leftovers


# ---- on this machine ------------------------------------------------------------------------------


def test_a_client_killed_while_runs_are_trained_loses_nothing_and_leaves_no_process(tmp_path: Path) -> None:
    client = start(tmp_path)
    until(lambda: begun(tmp_path))
    workers = begun(tmp_path)
    os.kill(client.pid, signal.SIGKILL)
    client.wait()
    until(lambda: not any(map(alive, workers)))
    before = kept_runs(tmp_path)
    finish(tmp_path)
    after = kept_runs(tmp_path)
    assert all(after[key] == run for key, run in before.items())


def test_a_client_killed_while_its_workers_start_leaves_no_process(tmp_path: Path) -> None:
    client = start(tmp_path)
    until(lambda: len(children(client.pid)) > 1)
    started = children(client.pid)
    os.kill(client.pid, signal.SIGKILL)
    client.wait()
    assert not begun(tmp_path)  # else it was too late
    until(lambda: not any(map(alive, started)), 60)


def test_a_client_killed_when_some_runs_are_kept_goes_on_with_the_others(tmp_path: Path) -> None:
    (tmp_path / "go").touch()
    client = start(tmp_path)
    until(lambda: written(tmp_path)[0] >= 2)
    os.kill(client.pid, signal.SIGKILL)
    client.wait()
    kept = kept_runs(tmp_path)
    assert len(kept) >= 2
    finish(tmp_path)
    after = kept_runs(tmp_path)
    assert all(after[key] == run for key, run in kept.items())


def test_a_worker_that_is_killed_has_its_run_repeated_and_the_others_go_on(tmp_path: Path) -> None:
    client = start(tmp_path)
    until(lambda: len(begun(tmp_path)) == 2)
    first = min(begun(tmp_path))
    os.kill(first, signal.SIGKILL)
    until(lambda: len(begun(tmp_path)) == 3)
    (tmp_path / "go").touch()
    said, errors = client.communicate(timeout=LONG)
    assert said.strip() == "left 0", errors
    assert written(tmp_path) == (ALL, ALL, 0)
    assert set(statuses(tmp_path)) == {"finished"}


DEADLY = """
import os, sys, degnn_explore as de
client = sys.argv[1]
def deadly(near):
    if str(os.getpid()) != open(client).read():
        os._exit(1)
    return near.distance == 0
open(client, "w").write(str(os.getpid()))
de.encoding("deadly", deadly, columns=["itself"], max_dist=2)
study = de.study(graphs="karate", models=["DE-GNN-deadly", "Katz"], seeds=2, epochs=1, store=sys.argv[2])
study.run(2, progress=False)
"""


def test_a_run_that_kills_every_worker_fails_and_the_others_are_finished(tmp_path: Path) -> None:
    command = [sys.executable, "-c", DEADLY, str(tmp_path / "client"), str(tmp_path / "store")]
    subprocess.run(command, env=ENV, timeout=LONG, check=True)
    assert statuses(tmp_path) == ["failed", "failed", "finished", "finished"]


def test_ctrl_c_keeps_what_is_finished_and_frees_what_was_claimed(tmp_path: Path) -> None:
    client = start(tmp_path)
    until(lambda: begun(tmp_path))
    workers = begun(tmp_path)
    os.killpg(client.pid, signal.SIGINT)  # as a terminal does: to the workers, too
    client.communicate(timeout=LONG)
    kept, written_so_far, claims = written(tmp_path)
    assert kept == written_so_far and claims == 0
    until(lambda: not any(map(alive, workers)))
    finish(tmp_path)


def test_two_clients_on_one_store_share_the_runs(tmp_path: Path) -> None:
    (tmp_path / "go").touch()
    clients = [start(tmp_path, "1") for _ in range(2)]
    for client in clients:
        said, errors = client.communicate(timeout=LONG)
        assert said.strip() == "left 0", errors
    assert written(tmp_path) == (ALL, ALL, 0)


FULL_DISK = """
import resource, signal
signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
from degnn_explore.studies import {module} as module
put = module.Store.put
def full(self, *runs):
    size = (self.folder / "runs.sqlite").stat().st_size
    resource.setrlimit(resource.RLIMIT_FSIZE, (size, resource.RLIM_INFINITY))  # no file may grow beyond that
    put(self, *runs)
module.Store.put = full
"""


def test_a_full_disk_is_one_sentence_and_what_is_finished_can_be_gone_on_from(tmp_path: Path) -> None:
    (tmp_path / "go").touch()
    module = de.Store.__module__.removeprefix("degnn_explore.studies.")
    package, _, name = module.rpartition(".")
    script = FULL_DISK.replace("studies import {module}", f"studies{package and '.'}{package} import {name}") + CLIENT
    client = subprocess.run(
        [sys.executable, "-c", script, str(tmp_path), "1"], env=ENV, capture_output=True, text=True, timeout=LONG
    )
    assert client.returncode != 0 and "cannot be written to" in client.stderr
    finish(tmp_path)


# ---- on a Dask cluster ----------------------------------------------------------------------------


@pytest.fixture(scope="module")
def cluster() -> Iterator[Any]:
    """Two worker processes on loopback, which a nanny starts again if they are killed."""
    distributed = pytest.importorskip("distributed", reason="pip install 'degnn_explore[cluster]'")
    options = {"threads_per_worker": 1, "host": "127.0.0.1", "dashboard_address": None}
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("PYTHONPATH", str(ROOT))
        with distributed.LocalCluster(
            n_workers=2, processes=True, silence_logs=50, worker_dashboard_address=None, **options
        ) as cluster:
            yield cluster


def test_a_client_of_a_cluster_that_is_killed_loses_nothing(cluster: Any, tmp_path: Path) -> None:
    client = start(tmp_path, cluster.scheduler_address)
    until(lambda: begun(tmp_path) and written(tmp_path)[0] >= 1)
    os.kill(client.pid, signal.SIGKILL)
    client.wait()
    finish(tmp_path, cluster.scheduler_address)


def test_a_worker_of_a_cluster_that_is_killed_has_its_run_repeated(cluster: Any, tmp_path: Path) -> None:
    client = start(tmp_path, cluster.scheduler_address)
    until(lambda: begun(tmp_path))
    killed = min(begun(tmp_path) & set(cluster_processes(cluster)))
    os.kill(killed, signal.SIGKILL)
    until(lambda: killed not in cluster_processes(cluster))
    (tmp_path / "go").touch()
    said, errors = client.communicate(timeout=LONG)
    assert said.strip() == "left 0", errors
    assert written(tmp_path) == (ALL, ALL, 0)
    assert set(statuses(tmp_path)) == {"finished"}


def test_ctrl_c_on_a_cluster_cancels_what_is_queued(cluster: Any, tmp_path: Path) -> None:
    client = start(tmp_path, cluster.scheduler_address)
    until(lambda: begun(tmp_path))
    client.send_signal(signal.SIGINT)
    client.communicate(timeout=LONG)
    assert written(tmp_path)[2] == 0
    threading.Timer(0.5, (tmp_path / "go").touch).start()  # a run that has begun ends by itself
    finish(tmp_path, cluster.scheduler_address)


def cluster_processes(cluster: Any) -> list[int]:
    from distributed import Client

    with Client(cluster, set_as_default=False) as client:
        return list(client.run(os.getpid, on_error="ignore").values())
