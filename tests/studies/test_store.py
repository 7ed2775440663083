"""The store: what is put is there, for many processes, on any disk, and after a crash."""

from __future__ import annotations

import contextlib
import csv
import io
import os
import sqlite3
import subprocess
import sys
import tempfile
import textwrap
import time
import warnings
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st

import degnn_explore as de
from degnn_explore.common import places
from degnn_explore.common.errors import ParameterError
from degnn_explore.studies.records import Run
from degnn_explore.studies.storage import database as database_module
from degnn_explore.studies.storage import store as store_module
from degnn_explore.studies.storage.database import Database
from degnn_explore.studies.storage.store import Store, claimant

ENV = {**os.environ, "PYTHONPATH": str(Path(de.__file__).parents[1])}
SHARE = st.none() | st.floats(0, 1)
TEXT = st.text(st.characters(exclude_categories=["Cs"]), max_size=8)


def record(key: str, **more: Any) -> Run:
    return Run(**{"key": key, "graph": "karate", "task": "links", "model": "GCN", "digest": "1f", "test": 0.5, **more})


def epoch(number: int, value: float | None = 0.5) -> dict[str, Any]:
    parts = {part: {"auc": value, "accuracy": 0.25} for part in ("train", "val", "test")}
    return {"number": number, "loss": 0.7, **parts, "seconds": 0.125, "metric": "auc"}


# ---- runs -------------------------------------------------------------------------------------------


def test_what_is_put_is_found_by_key_and_by_what_it_is(tmp_path: Path) -> None:
    store = Store(tmp_path / "deep" / "runs")
    assert (store.runs(), store.get("a")) == ([], None)
    assert not store.folder.exists()  # looking makes nothing
    a, b = record("a", seed=1, epochs=[epoch(1)]), record("b", task="triangles", digest="2e")
    store.put(a, b)
    assert store.get("a") == a
    assert store.runs() == [a, b]
    assert store.runs(task="links", digest="1f") == [a]
    assert Store(store.folder).runs(seed=0) == [b]
    with pytest.raises(ParameterError, match="Did you mean 'model'"):
        store.runs(modle="GCN")


def test_runs_of_models_that_are_not_registered_here_are_counted_and_said_once(tmp_path: Path) -> None:
    store = Store(tmp_path)
    assert store.strangers() == {}
    mine = [record(key, model="my net", seed=seed) for seed, key in enumerate("abc")]
    store.put(*mine, record("d"), record("e", model="my SAGE", task="triangles"))
    with pytest.warns(UserWarning, match=r"Left out: 3 runs of 'my net', not registered here; run the cell") as told:
        assert [run.key for run in store.runs(task="links")] == ["d"]
    assert len(told) == 1 and str(tmp_path) in str(told[0].message)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert store.runs(task="links") == [record("d")]  # without another word
    with pytest.warns(UserWarning, match="Left out: 1 run of 'my SAGE'"):
        store.runs()
    assert store.strangers() == {"my SAGE": 1, "my net": 3}
    assert store.strangers(task="links", seed=2) == {"my net": 1}


def test_the_later_run_of_a_key_counts_but_a_failure_never_takes_the_place_of_a_result(tmp_path: Path) -> None:
    store = Store(tmp_path)
    for run in (record("a", status="failed", error="no"), record("b"), record("a", test=0.9)):
        store.put(run)
    assert [(run.key, run.status, run.test) for run in store.runs()] == [("b", "finished", 0.5), ("a", "finished", 0.9)]
    store.put(record("a", status="failed", error="late"))
    assert [run.status for run in store.runs(key="a")] == ["finished"]


def test_a_note_stays_when_its_run_is_trained_again(tmp_path: Path) -> None:
    store = Store(tmp_path)
    store.put(record("a"))
    store.note("a", "the one on the poster")
    store.put(record("a", test=0.6))
    assert store.get("a") == record("a", test=0.6, note="the one on the poster")
    store.note("a", "")
    assert store.get("a") == record("a", test=0.6)
    with pytest.raises(ParameterError, match="There is no run 'b' in"):
        store.note("b", "lost")


def test_a_run_of_a_model_that_this_version_lacks_is_not_shown_and_not_lost(tmp_path: Path) -> None:
    store = Store(tmp_path)
    store.put(replace(record("a"), model="GNN-9"), record("b"))
    with pytest.warns(UserWarning, match="1 run of 'GNN-9', not registered here"):
        assert [run.key for run in store.runs()] == ["b"]
    with sqlite3.connect(tmp_path / "runs.sqlite") as db:
        assert [row[0] for row in db.execute("SELECT key FROM runs")] == ["a", "b"]


# ---- claims -----------------------------------------------------------------------------------------


def test_a_run_is_claimed_once_until_it_is_put_or_released(tmp_path: Path) -> None:
    store, me, you = Store(tmp_path), claimant(), claimant()
    store.put(record("done"), record("failed", status="failed"))
    assert store.claim(["done", "failed", "new"], me) == "failed"
    assert store.claim(["done", "failed", "new"], you) == "new"
    assert store.claim(["done", "failed", "new"], claimant()) is None
    assert store.claim(["failed"], me) == "failed"  # mine already
    store.put(record("new"))
    store.release(me)
    assert store.claim(["new", "failed"], you) == "failed"


def test_the_claim_of_who_is_gone_or_silent_is_free(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    store, me = Store(tmp_path), claimant()
    done = subprocess.Popen([sys.executable, "-c", ""])
    done.wait()
    machine, _, token = me.split("/")
    assert store.claim(["a"], f"{machine}/{done.pid}/{token}") == "a"
    assert store.claim(["a"], me) == "a"  # at once: that process is no more
    afar = f"elsewhere/{done.pid}/{token}"
    assert store.claim(["b"], afar) == "b"
    assert store.claim(["b"], me) is None  # who knows what runs there
    now = time.time()
    monkeypatch.setattr(store_module.time, "time", lambda: now + 50)
    store.alive(afar)
    monkeypatch.setattr(store_module.time, "time", lambda: now + 100)
    assert store.claim(["b"], me) is None
    monkeypatch.setattr(store_module.time, "time", lambda: now + 111)
    assert store.claim(["b"], me) == "b"


WORKER = """
import sys
from degnn_explore.studies.records import Run
from degnn_explore.studies.storage.store import Store, claimant
store, me, keys = Store(sys.argv[1]), claimant(), [f"k{i:02}" for i in range(40)]
while (key := store.claim(keys, me)) is not None:
    store.put(Run(key, "karate", "links", "GCN", test=0.5))
    print(key, flush=True)
"""


def test_many_processes_share_the_work_and_none_does_it_twice(tmp_path: Path) -> None:
    crew = [
        subprocess.Popen([sys.executable, "-c", WORKER, tmp_path], env=ENV, stdout=subprocess.PIPE, text=True)
        for _ in range(4)
    ]
    done = [key for one in crew for key in one.communicate(timeout=300)[0].split()]
    assert [one.returncode for one in crew] == [0] * 4
    assert sorted(done) == [f"k{i:02}" for i in range(40)]
    assert sorted(run.key for run in Store(tmp_path).runs()) == sorted(done)


def test_a_file_that_is_made_while_it_is_looked_at_is_not_taken_for_another_database(tmp_path: Path) -> None:
    database = Database(tmp_path / "runs.sqlite")

    def make_it(statement: str) -> None:
        if "sqlite_master" in statement:
            here.set_trace_callback(None)
            with database.writing():
                pass

    with contextlib.closing(database._connect()) as here:
        here.execute("PRAGMA journal_mode = WAL")
        here.set_trace_callback(make_it)
        assert not database._is_made(here)  # when it began to look
        assert database._is_made(here)


def test_killed_at_any_moment_it_has_every_run_that_was_put(tmp_path: Path) -> None:
    endless = WORKER.replace("range(40)", "range(100_000)")
    one = subprocess.Popen([sys.executable, "-c", endless, tmp_path], env=ENV, stdout=subprocess.PIPE, text=True)
    assert one.stdout is not None
    said = [one.stdout.readline().strip() for _ in range(25)]
    one.kill()
    said += one.stdout.read().split()
    one.wait()
    kept = [run.key for run in Store(tmp_path).runs()]
    assert kept[: len(said)] == said
    assert len(kept) - len(said) in (0, 1)  # the last was put, and not yet told
    assert Store(tmp_path).claim(["k99999"], claimant()) == "k99999"


# ---- disks ------------------------------------------------------------------------------------------


def test_a_full_disk_is_said_and_what_is_there_stays(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    store = Store(tmp_path)
    store.put(record("a"))
    plain = database_module.Database._connect

    def small(self: Any, query: str = "") -> sqlite3.Connection:
        db = plain(self, query)
        db.execute(f"PRAGMA max_page_count = {db.execute('PRAGMA page_count').fetchone()[0]}")
        return db

    monkeypatch.setattr(database_module.Database, "_connect", small)
    big = record("b", epochs=[epoch(i) for i in range(1, 500)])
    with pytest.raises(
        ParameterError, match=r"cannot be written to \(database or disk is full\)\. Make it writable, or"
    ):
        store.put(record("c"), big)
    assert store.runs() == [record("a")]  # all of them or none
    monkeypatch.undo()
    store.put(big)
    assert [run.key for run in store.runs()] == ["a", "b"]


@pytest.fixture
def open_to_all() -> Iterator[Path]:
    """A folder that any user of the machine may enter; pytest's own is closed whenever another pytest begins."""
    with tempfile.TemporaryDirectory() as folder:
        Path(folder).chmod(0o755)
        yield Path(folder)


def test_a_disk_that_cannot_be_written_to_can_be_read(open_to_all: Path) -> None:
    folder = open_to_all / "closed"
    Store(folder).put(record("a"))
    for path in (folder / "runs.sqlite", folder):
        path.chmod(0o555 if path.is_dir() else 0o444)
    code = f"""
        import os
        from degnn_explore.studies.records import Run
        from degnn_explore.studies.storage.store import Store
        if os.geteuid() == 0: os.seteuid(65534)  # root may write anywhere
        store = Store({str(folder)!r})
        print([run.key for run in store.runs()], store.about)
        for act in (store.needs_place, lambda: store.put(Run("b", "karate", "links", "GCN"))):
            try: act()
            except ValueError as error: print(error)
    """
    done = subprocess.run([sys.executable, "-c", textwrap.dedent(code)], env=ENV, capture_output=True, text=True)
    folder.chmod(0o700)
    first, *errors = done.stdout.splitlines()
    assert first.startswith(f"['a'] {folder}"), done.stderr
    assert len(errors) == 2
    assert all(f"{folder} cannot be written to (" in error for error in errors)


def test_where_a_log_cannot_be_kept_it_does_without_and_says_so(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    usual = Store(tmp_path / "usual")
    usual.put(record("a"))
    assert usual.about == str(usual.folder)

    def without_shared_memory(self: Any, query: str = "") -> sqlite3.Connection:  # as on many a network drive
        return plain(self, f"{query}{'&' if query else '?'}vfs=unix-dotfile")

    plain = database_module.Database._connect
    with monkeypatch.context() as patch:
        patch.setattr(database_module.Database, "_connect", without_shared_memory)
        refused = Store(tmp_path / "refused")
        refused.put(record("a"))
        assert "without a write-ahead log, so that processes wait for each other" in refused.about
        assert refused.runs() == [record("a")]
    monkeypatch.setattr(database_module, "is_network", lambda folder: True)
    afar = Store(tmp_path / "afar")
    assert "without a write-ahead log" in afar.about  # before the first run, too
    afar.put(record("a"))
    assert "without a write-ahead log" in afar.about


def test_a_drive_of_another_machine_is_known_by_its_kind(monkeypatch: pytest.MonkeyPatch) -> None:
    mounts = ["/dev/a / ext4", "nas:/x /mnt/my\\040nas nfs4", "//pc/y /mnt/pc cifs", "/dev/b /mnt/pc/own ext4"]
    table = "".join(f"{mount} rw 0 0\n" for mount in mounts)
    monkeypatch.setattr(Path, "read_text", lambda self: table)
    asked = ["/home/me/runs", "/mnt/my nas/runs", "/mnt/pc/runs", "/mnt/pc/own/runs", "\\\\server\\share\\runs"]
    assert [places.is_network(Path(folder)) for folder in asked] == [False, True, True, False, True]


@pytest.mark.parametrize(
    ("content", "words"),
    [
        (b"buy milk, and bread, and so on" * 100, "is damaged, or not a store of runs"),
        (None, "is a database of something else"),
        ("later", "was written by a later version"),
    ],
)
def test_another_database_is_refused_in_words_and_left_alone(tmp_path: Path, content: Any, words: str) -> None:
    file = tmp_path / "runs.sqlite"
    if isinstance(content, bytes):
        file.write_bytes(content)
    elif content == "later":
        Store(tmp_path).put(record("a"))
        with sqlite3.connect(file) as db:
            db.execute("PRAGMA user_version = 99")
    else:
        with sqlite3.connect(file) as db:
            db.execute("CREATE TABLE runs (mine TEXT)")
    for act in (Store(tmp_path).runs, lambda: Store(tmp_path).put(record("b"))):
        with pytest.raises(ParameterError, match=words):
            act()


def test_a_store_that_another_process_is_just_making_is_read_as_empty(tmp_path: Path) -> None:
    (tmp_path / "runs.sqlite").touch()  # made, and nothing in it yet
    store = de.Store(tmp_path)
    assert list(store.runs()) == []
    assert (tmp_path / "runs.sqlite").stat().st_size == 0


def test_a_file_is_no_folder_for_runs(tmp_path: Path) -> None:
    (tmp_path / "notes").write_text("buy milk")
    with pytest.raises(ParameterError, match="notes is a file; name a folder"):
        Store(tmp_path / "notes")


def test_the_store_of_the_project_is_the_nearest_upwards(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("DEGNN_RUNS", raising=False)
    deep = tmp_path / "course" / "week 1"
    deep.mkdir(parents=True)
    monkeypatch.chdir(deep)
    assert Store().folder == deep / "runs"
    (tmp_path / "pyproject.toml").touch()
    assert Store().folder == tmp_path / "runs"
    Store(tmp_path / "course" / "runs").put(record("a"))
    assert Store().folder == tmp_path / "course" / "runs"
    monkeypatch.setenv("DEGNN_RUNS", str(tmp_path / "mine"))
    assert Store().folder == tmp_path / "mine"


# ---- files ------------------------------------------------------------------------------------------

VALUE = (
    st.none() | st.booleans() | st.integers(-(10**9), 10**9) | st.floats(allow_nan=False, allow_infinity=False) | TEXT
)
RUNS = st.builds(
    Run,
    TEXT.filter(bool),
    TEXT,
    st.sampled_from(["roles", "links", "triangles"]),
    st.sampled_from(["GCN", "SEAL"]),
    st.integers(0, 20),
    digest=TEXT,
    catalogue=TEXT,
    sizes=st.dictionaries(TEXT, st.integers(0, 10**6), max_size=2),
    hyper=st.dictionaries(TEXT, VALUE, max_size=2),
    options=st.dictionaries(TEXT.filter(lambda name: name != "epochs"), VALUE, max_size=2),
    device=TEXT,
    status=st.sampled_from(["finished", "failed"]),
    error=TEXT,
    epochs=st.integers(0, 3).map(lambda count: [epoch(i, None if i == 2 else 0.1) for i in range(1, count + 1)]),
    test=SHARE,
    seconds=st.floats(0, 1e9),
    note=TEXT,
)


@settings(
    max_examples=60,
    phases=[Phase.explicit, Phase.generate],
    deadline=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture],
)
@given(st.lists(RUNS, max_size=3, unique_by=lambda run: run.key))
def test_runs_come_back_from_files_as_they_were(tmp_path: Path, runs: list[Run]) -> None:
    try:
        stored = [Run.from_json(run.to_json()) for run in runs]
    except ParameterError:
        return  # a number that no record may hold
    from degnn_explore.studies.storage.files import read_runs, write_runs

    for ending in ("jsonl", "csv"):
        whole, single = tmp_path / f"runs.{ending}", tmp_path / f"epochs.{ending}"
        write_runs(stored, whole)
        write_runs(stored, single, per="epoch")
        assert read_runs(whole, single) == (stored, 0)
        alone = stored if ending == "jsonl" else [replace(run, epochs=[]) for run in stored]
        assert read_runs(whole) == (alone, 0)
        if ending == "csv":
            cells = [cell for row in csv.reader(io.StringIO(whole.read_text(), newline="")) for cell in row]
            assert not any(cell.startswith(("=", "+", "@", "\t", "\r")) for cell in cells)  # no formula


def test_a_store_is_handed_on_as_files(tmp_path: Path) -> None:
    store, other = Store(tmp_path / "mine"), Store(tmp_path / "yours")
    store.put(record("a", epochs=[epoch(1), epoch(2)], note="look"), record("b", task="triangles"))
    store.export(tmp_path / "runs.csv", task="links")
    store.export(tmp_path / "epochs.csv", per="epoch")
    head, *lines = (tmp_path / "epochs.csv").read_text().splitlines()
    assert head.startswith("key,number,loss,train.auc,")
    assert [line[:4] for line in lines] == ["a,1,", "a,2,"]
    text = (tmp_path / "runs.csv").read_bytes()
    (tmp_path / "runs.csv").write_bytes(b"\xef\xbb\xbf" + text)  # as a spreadsheet saves it
    assert other.load(tmp_path / "runs.csv", tmp_path / "epochs.csv") == "Runs in runs.csv: 1, of them new here: 1."
    assert other.runs() == store.runs(task="links")
    store.export(tmp_path / "all.jsonl")
    (tmp_path / "all.jsonl").write_text((tmp_path / "all.jsonl").read_text() + '{"key": "c", "graph"')
    said = other.load(tmp_path / "all.jsonl")
    assert said == "Runs in all.jsonl: 2, of them new here: 1. Lines left out because they cannot be read: 1."
    assert other.runs() == store.runs()
    for name, words in (("no.csv", "is not there, as seen from"), ("mine", "is a folder; name a file of runs")):
        with pytest.raises(ParameterError, match=words):
            other.load(tmp_path / name)
    with pytest.raises(ParameterError, match=r"ending='.xls' is not known; choose one of '.jsonl', '.csv'"):
        store.export(tmp_path / "runs.xls")
    with pytest.raises(ParameterError, match="cannot be written"):
        store.export(tmp_path / "no" / "runs.csv")


def test_what_earlier_versions_wrote_is_taken_over_with_its_models(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    old = Path("runs")
    for name, key in (("links-karate", "a"), ("links-karate-2", "b"), ("links-karate.1", "aside")):
        (old / name).mkdir(parents=True)
        (old / f"{name}.jsonl").write_text(record(key, model_file=f"{key}.safetensors").to_json() + "\n")
        (old / name / f"{key}.safetensors").write_text(f"weights of {key}")
    (old / "notes.jsonl").write_text('{"buy": "milk"}\n')
    store = Store.open()
    assert [run.key for run in store.runs()] == ["b", "a"]
    assert (store.models / "a.safetensors").read_text() == "weights of a"
    assert (old / "links-karate" / "a.safetensors").exists()  # nothing is taken away
    store.put(record("a", test=0.75))
    assert [run.test for run in Store.open().runs(key="a")] == [0.75]  # each file once
    with (old / "links-karate.jsonl").open("a") as more:  # an earlier version was used once more
        more.write(record("c").to_json() + "\n")
    assert [run.key for run in Store.open().runs()] == ["b", "a", "c"]
    named = Store.open(old / "links-karate.1.jsonl")  # asked for by name
    assert named.folder == (old / "links-karate.1").resolve()


def test_a_key_from_a_file_leads_nowhere_else(tmp_path: Path) -> None:
    (tmp_path / "secret.safetensors").write_text("mine")
    (tmp_path / "theirs").mkdir()
    (tmp_path / "theirs.jsonl").write_text(record("../secret").to_json() + "\n")
    store = Store(tmp_path / "runs")
    store.load(tmp_path / "theirs.jsonl")
    assert not list(store.folder.rglob("*.safetensors"))


def test_set_aside_moves_runs_and_models_and_loses_nothing(tmp_path: Path) -> None:
    store = Store(tmp_path)
    for number in (1, 2):
        store.put(record("a", note=f"try {number}"), record("b", task="triangles"))
        store.models.mkdir(exist_ok=True)
        (store.models / "a.safetensors").write_text(f"weights {number}")
        store.checkpoint("a").write_text("half way")
        other = store.set_aside(store.runs(task="links"), "links-karate")
        assert other.folder == tmp_path / f"aside-links-karate-{number}"
        assert other.runs() == [record("a", note=f"try {number}")]
        assert (other.models / "a.safetensors").read_text() == f"weights {number}"
        assert [run.key for run in store.runs()] == ["b"]
        assert not list(store.models.iterdir())
