"""The store: what is put is there, for many processes, on any disk, and after a crash."""

from __future__ import annotations

import os
import random
import sqlite3
import subprocess
import sys
import textwrap
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pandas as pd
import pytest

import degnn_explore as de
from degnn_explore.common.errors import ParameterError
from degnn_explore.studies import store as store_module
from degnn_explore.studies.runs import Run
from degnn_explore.studies.store import Store, new_owner

ENV = {**os.environ, "PYTHONPATH": str(Path(de.__file__).parents[1])}


def record(key: str, **more: Any) -> Run:
    return Run(**{"key": key, "graph": "karate", "task": "links", "model": "GCN", "digest": "1f", "test": 0.5, **more})


def test_what_is_put_is_found_by_key_and_by_what_it_is(tmp_path: Path) -> None:
    store = Store(tmp_path / "new")
    assert store.runs() == [] and store.get("a") is None and not (tmp_path / "new").exists()
    runs = [record("a"), record("b", seed=1), record("c", task="roles"), record("d", model="GIN")]
    store.put(*runs)
    assert store.runs() == runs and store.get("c") == runs[2]
    assert store.runs(task="links", seed=1) == [runs[1]]
    for name in ("key", "task", "digest", "graph", "model", "seed", "status"):
        other = {"seed": 9}.get(name, "other")
        assert store.runs(**{name: getattr(runs[0], name)})[0] == runs[0] and not store.runs(**{name: other})
    with pytest.raises(ParameterError, match="column='sed'"):
        store.runs(sed=1)


def test_a_failure_never_takes_the_place_of_a_result(tmp_path: Path) -> None:
    store = Store(tmp_path)
    store.put(record("a", status="failed", error="why", test=None))
    store.put(record("a", test=0.7))
    store.put(record("a", status="failed", test=None))
    assert store.get("a") == record("a", test=0.7)


def test_runs_of_models_that_are_not_registered_here_are_left_out_with_a_warning(tmp_path: Path) -> None:
    store = Store(tmp_path)
    store.put(record("a"), record("b", model="my net"), record("c", model="my net"))
    with pytest.warns(UserWarning, match="2 runs of 'my net', not registered here"):
        assert [run.key for run in store.runs()] == ["a"]
    assert store.unknown_models() == {"my net": 2}


def test_the_frame_and_the_files_have_a_row_for_each_run(tmp_path: Path) -> None:
    store = Store(tmp_path)
    epochs = [{"number": 1, "loss": 0.5, "val": {"auc": 0.6}, "test": {"auc": 0.7}}]
    store.put(record("a", epochs=epochs, hyper={"layers": 2}, graph="=cmd()"), record("b", seed=3))
    assert store.frame()["key"].tolist() == ["a", "b"] and store.frame(seed=3)["key"].tolist() == ["b"]
    store.export(tmp_path / "runs.csv")
    table = pd.read_csv(tmp_path / "runs.csv")
    assert table["key"].tolist() == ["a", "b"] and table["hyper.layers"][0] == 2 and table["graph"][0][0] != "="
    store.export(tmp_path / "one.csv", seed=3)
    assert pd.read_csv(tmp_path / "one.csv")["key"].tolist() == ["b"]
    store.export(tmp_path / "epochs.csv", per="epoch")
    assert pd.read_csv(tmp_path / "epochs.csv")["val.auc"].tolist() == [0.6]
    store.export(tmp_path / "runs.jsonl")
    assert [
        Run.from_json(line) for line in (tmp_path / "runs.jsonl").read_text(encoding="utf-8").splitlines()
    ] == store.runs()
    with pytest.raises(ParameterError, match="ending"):
        store.export(tmp_path / "runs.txt")


# ---- claims ---------------------------------------------------------------------------------------


def test_a_run_is_claimed_once_until_it_is_put_or_released(tmp_path: Path) -> None:
    store, me, you = Store(tmp_path), new_owner(), new_owner()
    store.put(record("done"), record("failed", status="failed"))
    keys = ["done", "failed", "a", "b"]
    assert store.claim(keys, me) == (["a"], ["done", "failed"])
    assert store.claim(keys, you, 5) == (["b"], ["done", "failed"])
    assert store.claim(keys, me, 5, retry_failed=True) == (["failed", "a"], ["done"])  # a is mine already
    store.put(record("b"))
    store.release(me)
    assert store.claim(keys, you, 5) == (["a"], ["done", "failed", "b"])
    store.put(record("a", status="failed"))  # a failure ends a claim, too
    assert store.claim(["a"], me, retry_failed=True) == (["a"], [])


def test_the_claim_of_who_is_gone_or_silent_is_free(tmp_path: Path) -> None:
    store, me = Store(tmp_path), new_owner()
    done = subprocess.Popen([sys.executable, "-c", ""])
    done.wait()
    machine, _, token = me.split("/")
    assert store.claim(["a"], f"{machine}/{done.pid}/{token}")[0] == ["a"]
    assert store.claim(["a"], me)[0] == ["a"]  # at once: that process is no more
    afar = f"elsewhere/{done.pid}/{token}"
    assert store.claim(["b"], afar)[0] == ["b"]
    assert store.claim(["b"], me)[0] == []
    store.renew(afar, 1000.0)
    assert store.claim(["b"], me)[0] == []
    store.renew(afar, -1.0)  # it has run out
    assert store.claim(["b"], me)[0] == ["b"]
    assert store.claim(["c"], afar, seconds=-1.0)[0] == store.claim(["c"], me)[0] == ["c"]


SHARED = textwrap.dedent("""
    import sys
    from degnn_explore.studies.runs import Run
    from degnn_explore.studies.store import Store, new_owner
    store, owner, keys = Store(sys.argv[1]), new_owner(), [f"k{i}" for i in range(40)]
    while True:
        claimed, ended = store.claim(keys, owner)
        if not claimed:
            break
        print(claimed[0], flush=True)
        store.put(Run(claimed[0], "karate", "links", "GCN", test=0.5))
""")


def test_many_processes_share_the_runs_and_none_is_done_twice(tmp_path: Path) -> None:
    command = [sys.executable, "-c", SHARED, str(tmp_path)]
    workers = [subprocess.Popen(command, stdout=subprocess.PIPE, text=True, env=ENV) for _ in range(3)]
    done = [key for worker in workers for key in worker.communicate()[0].split()]
    assert sorted(done) == sorted(f"k{i}" for i in range(40)) == sorted(run.key for run in Store(tmp_path).runs())


# ---- disks ----------------------------------------------------------------------------------------


def test_a_locked_store_is_waited_for(tmp_path: Path) -> None:
    store = Store(tmp_path)
    store.put(record("a"))
    other = sqlite3.connect(tmp_path / "runs.sqlite", isolation_level=None, check_same_thread=False)
    other.execute("PRAGMA locking_mode = EXCLUSIVE")
    other.execute("BEGIN EXCLUSIVE")
    other.execute("DELETE FROM claims")
    released: list[bool] = []

    def release() -> None:
        released.append(True)
        other.close()

    threading.Timer(0.5, release).start()
    store.put(record("b"))
    assert released and len(store.runs()) == 2


def test_a_store_that_stays_locked_is_one_error(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    store = Store(tmp_path)
    store.put(record("a"))
    monkeypatch.setattr(store_module, "_PATIENCE", 0.1)
    other = sqlite3.connect(tmp_path / "runs.sqlite", isolation_level=None)
    other.execute("BEGIN IMMEDIATE")
    with pytest.raises(ParameterError, match="locked by another process"):
        store.put(record("b"))
    assert [run.key for run in store.runs()] == ["a"]  # readers do not wait
    other.close()


@pytest.mark.parametrize("damage", ["cut", "zeros", "noise", "text", "tables", "record"])
def test_a_damaged_store_is_one_clear_error_whatever_the_damage(tmp_path: Path, damage: str) -> None:
    store = Store(tmp_path)
    store.put(*(record(f"k{i}", epochs=[{"number": 1, "loss": i / 7}] * 20) for i in range(100)))
    file = tmp_path / "runs.sqlite"
    with sqlite3.connect(file) as db:
        db.execute("PRAGMA wal_checkpoint(TRUNCATE)")
        if damage == "tables":
            db.execute("DROP TABLE runs")
        if damage == "record":
            db.execute("UPDATE runs SET record = '{\"key\":' WHERE key = 'k3'")
    db.close()
    content, rng = bytearray(file.read_bytes()), random.Random(0)
    if damage == "cut":
        content = content[: len(content) // 2]
    elif damage == "zeros":
        content[4096 : 8 * 4096] = bytes(7 * 4096)
    elif damage == "noise":
        content[4096 : 8 * 4096] = rng.randbytes(7 * 4096)
    elif damage == "text":
        content = bytearray(b"my notes\n" * 500)
    file.write_bytes(content)
    with pytest.raises(ParameterError, match=r"runs\.sqlite is damaged, or not a store of runs"):
        store.runs()


def test_another_database_is_refused_and_left_alone(tmp_path: Path) -> None:
    with sqlite3.connect(tmp_path / "runs.sqlite") as db:
        db.execute("CREATE TABLE mine (x)")
    db.close()
    before = (tmp_path / "runs.sqlite").read_bytes()
    for use in (lambda: Store(tmp_path).runs(), lambda: Store(tmp_path).put(record("a"))):
        with pytest.raises(ParameterError, match="is a database of something else"):
            use()
    assert (tmp_path / "runs.sqlite").read_bytes() == before


@pytest.mark.parametrize(("version", "words"), [(1, "an earlier version"), (99, "a later version")])
def test_a_store_of_another_version_is_refused_and_left_alone(tmp_path: Path, version: int, words: str) -> None:
    Store(tmp_path).put(record("a"))
    with sqlite3.connect(tmp_path / "runs.sqlite") as db:
        db.execute(f"PRAGMA user_version = {version}")
    db.close()
    before = (tmp_path / "runs.sqlite").read_bytes()
    for use in (lambda: Store(tmp_path).runs(), lambda: Store(tmp_path).put(record("b"))):
        with pytest.raises(ParameterError, match=f"written by {words}"):
            use()
    assert (tmp_path / "runs.sqlite").read_bytes() == before


@pytest.fixture
def read_only(tmp_path: Path) -> Iterator[Path]:
    """A folder with a store that cannot be written to, by a process that is not root."""
    folder = tmp_path / "closed"
    Store(folder).put(record("a"))
    for outer in (folder, *folder.parents):
        if outer.stat().st_uid == os.geteuid() and str(outer).startswith(("/tmp/", "/var/")):
            outer.chmod(outer.stat().st_mode | 0o055)
    folder.chmod(0o555)
    if root := os.geteuid() == 0:
        os.seteuid(65534)
    yield folder
    if root:
        os.seteuid(0)
    folder.chmod(0o755)


def test_a_folder_that_cannot_be_written_to_can_be_read(read_only: Path) -> None:
    assert [run.key for run in Store(read_only).runs()] == ["a"]
    for write in (lambda: Store(read_only).put(record("b")), lambda: Store(read_only).prepare()):
        with pytest.raises(ParameterError, match="cannot be written to"):
            write()


def test_what_killed_processes_left_is_removed(tmp_path: Path) -> None:
    store = Store(tmp_path)
    store.put(record("done"), record("trial", rung=1, test=None))
    store.models.mkdir()
    gone = subprocess.Popen([sys.executable, "-c", ""])
    gone.wait()
    machine, _, token = new_owner().split("/")
    afar = f"a-container-of-yesterday/1/{token}"
    for owner in (f"{machine}/{gone.pid}/{token}", new_owner(), afar):
        store.scratch_of(owner).mkdir(parents=True)
    os.utime(store.scratch_of(afar), (0, 0))
    for key in ("done", "open", "trial"):
        store.checkpoint(key).touch()
    half = store.models / ".open.checkpoint.12ab34cd"
    half.touch()
    os.utime(half, (0, 0))
    store.prepare()
    assert sorted(file.name for file in store.models.iterdir()) == ["open.checkpoint", "trial.checkpoint"]
    assert len(list(store.scratch.iterdir())) == 1  # of a scheduler that is alive


def test_the_store_of_the_project_is_the_nearest_upwards(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("DEGNN_RUNS", raising=False)
    inner = tmp_path / "notebooks" / "week 1"
    inner.mkdir(parents=True)
    (tmp_path / "pyproject.toml").touch()
    monkeypatch.chdir(inner)
    assert Store().folder == tmp_path / "runs"
    Store(tmp_path / "notebooks" / "runs").put(record("a"))
    assert Store().folder == tmp_path / "notebooks" / "runs"
    monkeypatch.setenv("DEGNN_RUNS", str(tmp_path / "other"))
    assert Store().folder == tmp_path / "other"
    (tmp_path / "file").touch()
    with pytest.raises(ParameterError, match="is a file; name a folder"):
        Store(tmp_path / "file")
