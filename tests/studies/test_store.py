"""The store: what is put is there, for many processes, on any disk, and after a crash."""

from __future__ import annotations

import csv
import io
import json
import os
import random
import sqlite3
import subprocess
import sys
import textwrap
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pandas as pd
import pytest

import degnn_explore as de
from degnn_explore.common.errors import ParameterError
from degnn_explore.studies.runs import Run
from degnn_explore.studies.store import Store, left_out, new_owner

ENV = {**os.environ, "PYTHONPATH": str(Path(de.__file__).parents[1])}


def record(key: str, **more: Any) -> Run:
    return Run(**{"key": key, "graph": "karate", "task": "links", "model": "GCN", "digest": "1f", "test": 0.5, **more})


def keys_of(store: Store, **filters: Any) -> list[str]:
    return [run.key for run in store.runs(**filters)]


def test_runs_are_found_by_key_and_by_what_they_are_in_the_order_written(tmp_path: Path) -> None:
    store = Store(tmp_path / "new")
    assert store.runs() == [] and store.get("a") is None and not (tmp_path / "new").exists()
    runs = [record("a"), record("b", seed=1), record("c", task="roles"), record("d", model="GIN")]
    store.put(*runs)
    assert store.runs() == runs and store.get("c") == runs[2] and store.runs(task="links", seed=1) == [runs[1]]
    for name in ("key", "task", "digest", "graph", "model", "seed", "status"):
        other = {"seed": 9}.get(name, "other")
        assert store.runs(**{name: getattr(runs[0], name)})[0] == runs[0] and not store.runs(**{name: other})
    store.put(record("a", test=0.9))
    assert keys_of(store) == ["b", "c", "d", "a"] and store.get("a") == record("a", test=0.9)


def test_a_failure_never_replaces_a_result(tmp_path: Path) -> None:
    store = Store(tmp_path)
    for run in (record("a", status="failed", error="first"), record("a", status="failed", error="second")):
        store.put(run)
        assert store.get("a") == run
    store.put(record("a", test=0.7))
    store.put(record("a", status="failed", test=None))
    assert store.get("a") == record("a", test=0.7)


def test_runs_of_models_that_are_not_registered_are_left_out_and_counted(tmp_path: Path) -> None:
    store = Store(tmp_path)
    store.put(record("a"), record("b", model="my net"), record("c", model="my net"), record("d", model="z", seed=1))
    with pytest.warns(UserWarning, match="2 runs of 'my net', 1 run of 'z'"):
        assert keys_of(store) == ["a"]
    assert store.unknown_models() == {"my net": 2, "z": 1} and store.unknown_models(seed=0) == {"my net": 2}
    assert "'m4'" in left_out({f"m{k}": 1 for k in range(7)}) and "'m5'" not in left_out({f"m{k}": 1 for k in range(7)})
    assert "…" in left_out({f"m{k}": 1 for k in range(6)}) and "…" not in left_out({f"m{k}": 1 for k in range(5)})


def test_the_frame_and_exported_files_have_a_row_for_each_run(tmp_path: Path) -> None:
    store = Store(tmp_path)
    epochs = [{"number": n, "loss": n / 4, "val": {"auc": 0.6}, "test": {}} for n in (1, 2)]
    store.put(record("a", epochs=epochs, hyper={"layers": 2}, error="Zürich"), record("b", seed=3, best_epoch=1))
    frame = store.frame()
    assert frame["key"].tolist() == ["a", "b"] and frame["hyper"][0] == {"layers": 2} and "epochs" not in frame
    assert store.frame(seed=3)["best_epoch"].tolist() == [1] and Store(tmp_path / "no").frame().empty
    for name, filters, per in (("runs", {}, "run"), ("one", {"seed": 3}, "run"), ("epochs", {}, "epoch")):
        for ending in ("csv", "jsonl"):
            store.export(tmp_path / f"{name}.{ending}", per, **filters)
    table = pd.read_csv(tmp_path / "runs.csv")
    assert table["key"].tolist() == ["a", "b"] and table["hyper.layers"][0] == 2 and "epochs" not in table
    assert pd.read_csv(tmp_path / "one.csv")["key"].tolist() == ["b"]
    assert pd.read_csv(tmp_path / "epochs.csv")[["key", "number", "val.auc"]].values.tolist() == [
        ["a", 1, 0.6], ["a", 2, 0.6]]  # fmt: skip
    lines = (tmp_path / "runs.jsonl").read_text(encoding="utf-8").splitlines()
    assert [Run.from_json(line) for line in lines] == store.runs() and "Zürich" in lines[0]
    rows = [json.loads(line) for line in (tmp_path / "epochs.jsonl").read_text(encoding="utf-8").splitlines()]
    assert rows == [{"key": "a", **epoch} for epoch in epochs]
    with pytest.raises(ParameterError, match="per='day'"):
        store.export(tmp_path / "runs.csv", per="day")
    with pytest.raises(ParameterError, match="cannot be written"):
        store.export(tmp_path / "no" / "runs.csv")


def test_no_text_in_a_csv_file_is_a_formula_of_a_spreadsheet(tmp_path: Path) -> None:
    store, signs = Store(tmp_path), ["=", "+", "-", "@", "\t", "\r"]
    store.put(*(record(sign, graph=f"{sign}cmd()", test=-0.5) for sign in signs))
    store.export(tmp_path / "runs.csv")
    rows = list(csv.DictReader(io.StringIO((tmp_path / "runs.csv").read_text(encoding="utf-8"))))
    assert [(row["graph"][0], row["test"]) for row in rows] == [('"', "-0.5")] * len(signs)


def test_the_store_of_a_project_is_the_nearest_one(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("DEGNN_RUNS", raising=False)
    inner = tmp_path / "project" / "notebooks" / "week 1"
    inner.mkdir(parents=True)
    monkeypatch.chdir(inner)
    (tmp_path / "project" / ".git").touch()
    assert Store().folder == tmp_path / "project" / "runs"
    (inner.parent / "pyproject.toml").touch()
    assert Store().folder == inner.parent / "runs"
    Store(tmp_path / "project" / "runs").put(record("a"))
    assert Store().folder == tmp_path / "project" / "runs"  # one that exists comes before a nearer project
    monkeypatch.setenv("DEGNN_RUNS", "~/runs")
    monkeypatch.setenv("HOME", str(tmp_path))
    assert Store().folder == tmp_path / "runs" and Store("x").folder == inner / "x"


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


def gone_process() -> int:
    done = subprocess.Popen([sys.executable, "-S", "-c", ""])
    done.wait()
    return done.pid


def test_the_claim_of_a_process_that_is_gone_or_silent_is_free(tmp_path: Path) -> None:
    store, me, gone = Store(tmp_path), new_owner(), gone_process()
    machine, _, token = me.split("/")
    assert store.claim(["a"], f"{machine}/{gone}/{token}")[0] == ["a"]
    assert store.claim(["a"], me)[0] == ["a"]  # at once: that process is no more
    far = f"elsewhere/{gone}/{token}"
    assert store.claim(["b", "c"], far, 2)[0] == ["b", "c"]
    assert store.claim(["b"], me)[0] == []
    store.renew(far, 1000.0)
    assert store.claim(["b"], me)[0] == []
    store.renew(far, -1.0)
    assert store.claim(["b"], me)[0] == ["b"]
    assert store.claim(["d"], far, seconds=-1.0)[0] == store.claim(["d"], me)[0] == ["d"]


def test_a_process_that_lives_keeps_its_claim_and_is_not_disturbed(tmp_path: Path) -> None:
    store, (machine, _, token) = Store(tmp_path), new_owner().split("/")
    with subprocess.Popen([sys.executable, "-S", "-c", "input()"], stdin=subprocess.PIPE) as other:
        assert store.claim(["a"], f"{machine}/{other.pid}/{token}")[0] == ["a"]
        assert store.claim(["a"], new_owner())[0] == []
        other.communicate(b"\n")
    assert other.returncode == 0


SHARED = textwrap.dedent("""
    import sys
    from degnn_explore.studies.runs import Run
    from degnn_explore.studies.store import Store, new_owner
    store, owner, keys = Store(sys.argv[1]), new_owner(), [f"k{i}" for i in range(40)]
    while claimed := store.claim(keys, owner)[0]:
        print(claimed[0], flush=True)
        store.put(Run(claimed[0], "karate", "links", "GCN", test=0.5))
""")


def test_processes_share_the_runs_and_none_is_done_twice(tmp_path: Path) -> None:
    command = [sys.executable, "-c", SHARED, str(tmp_path)]
    workers = [subprocess.Popen(command, stdout=subprocess.PIPE, text=True, env=ENV) for _ in range(2)]
    done = [key for worker in workers for key in worker.communicate()[0].split()]
    assert sorted(done) == sorted(f"k{i}" for i in range(40)) == sorted(keys_of(Store(tmp_path)))


def test_what_killed_processes_left_is_removed_and_the_rest_stays(tmp_path: Path) -> None:
    store, here = Store(tmp_path), new_owner().split("/")[0]
    store.put(record("done"), record("trial", rung=1, test=None), record("broken", status="failed"))
    store.models.mkdir()
    owners = {  # hours since each of them did anything
        f"{here}/{gone_process()}/a": 0, f"{here}/{os.getpid()}/b": 12, "a-container/1/c": 26, "a-container/2/d": 26,
        "a-container/3/e": 22,
    }  # fmt: skip
    store.claim(["open"], "a-container/2/d")
    files = {  # seconds since each was written
        ".open.checkpoint.12ab34cd": 90, ".lost.checkpoint.12ab34cd": 90, ".new.checkpoint.12ab34cd": 30,
        "done.checkpoint": 0, "trial.checkpoint": 0, "broken.checkpoint": 0, "done.safetensors": 90,
    }  # fmt: skip
    for owner, hours in owners.items():
        store.scratch_of(owner).mkdir(parents=True)
        os.utime(store.scratch_of(owner), (time.time() - 3600 * hours,) * 2)
    for name, age in files.items():
        (store.models / name).touch()
        os.utime(store.models / name, (time.time() - age,) * 2)
    store.prepare()
    assert {file.name for file in store.models.iterdir()} == {*files} - {".lost.checkpoint.12ab34cd", "done.checkpoint"}
    kept = {store.scratch_of(owner) for owner in [*owners][1:] if owner != "a-container/1/c"}
    assert {*store.scratch.iterdir()} == kept
    store.tidy("a-container/2/d")
    assert {*store.scratch.iterdir()} == kept - {store.scratch_of("a-container/2/d")}


def test_a_locked_store_is_waited_for_and_can_be_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    store, connect = Store(tmp_path), sqlite3.connect
    store.put(record("a"))
    other = connect(tmp_path / "runs.sqlite", isolation_level=None)
    other.execute("BEGIN IMMEDIATE")
    writing = threading.Thread(target=store.put, args=[record("b")])
    writing.start()
    assert keys_of(store) == ["a"]
    writing.join(0.3)
    assert writing.is_alive()
    with monkeypatch.context() as patch, pytest.raises(ParameterError, match="locked by another process"):
        patch.setattr(sqlite3, "connect", lambda file, timeout, **more: connect(file, timeout / 1000, **more))
        store.put(record("c"))
    other.close()
    writing.join()
    assert keys_of(store) == ["a", "b"]


@pytest.mark.parametrize("damage", ["cut", "zeros", "noise", "text", "tables", "record"])
def test_a_damaged_store_is_one_clear_error_whatever_the_damage(tmp_path: Path, damage: str) -> None:
    store = Store(tmp_path)
    store.put(*(record(f"k{i}", epochs=[{"number": 1, "loss": i / 7}] * 20) for i in range(100)))
    file = tmp_path / "runs.sqlite"
    with sqlite3.connect(file) as db:
        if damage == "tables":
            db.execute("DROP TABLE runs")
        if damage == "record":
            db.execute("UPDATE runs SET record = '{\"key\":' WHERE key = 'k3'")
    db.close()
    content, middle = file.read_bytes(), 7 * 4096
    changed = {
        "cut": content[: len(content) // 2],
        "zeros": content[:4096] + bytes(middle) + content[4096 + middle :],
        "noise": content[:4096] + random.Random(0).randbytes(middle) + content[4096 + middle :],
        "text": b"my notes\n" * 500,
    }
    file.write_bytes(changed.get(damage, content))
    with pytest.raises(ParameterError, match=r"runs\.sqlite is damaged"):
        store.runs()


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ("PRAGMA application_id = 0", "something else"),
        ("PRAGMA user_version = 1", "an earlier version"),
        ("PRAGMA user_version = 99", "a later version"),
    ],
)
def test_a_database_that_is_no_store_of_this_version_is_refused_and_left_alone(
    tmp_path: Path, change: str, words: str
) -> None:
    Store(tmp_path).put(record("a"))
    with sqlite3.connect(tmp_path / "runs.sqlite") as db:
        db.execute(change)
    db.close()
    before = (tmp_path / "runs.sqlite").read_bytes()
    for use in (lambda: Store(tmp_path).runs(), lambda: Store(tmp_path).put(record("b"))):
        with pytest.raises(ParameterError, match=words):
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
    store = Store(read_only)
    assert keys_of(store) == ["a"]
    for write in (lambda: store.put(record("b")), store.prepare, lambda: store.claim(["b"], new_owner())):
        with pytest.raises(ParameterError, match="cannot be written to"):
            write()
