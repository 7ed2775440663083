"""The store: all runs of a project by key, in one SQLite file that many processes can use at once."""

from __future__ import annotations

import contextlib
import json
import os
import secrets
import shutil
import socket
import sqlite3
import tempfile
import time
import warnings
from collections.abc import Iterable, Iterator
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ..common.errors import ParameterError, check_choice, short_repr
from ..common.files import csv_text, write_whole
from ..learn.registry import MODELS
from .runs import Run, plain

if TYPE_CHECKING:
    import pandas

_APPLICATION = 0xDE97  # SQLite's application_id: tells our files from other databases
_VERSION = 2
_COLUMNS = ("key", "task", "digest", "graph", "model", "seed", "status")
_TABLES = f"""
CREATE TABLE IF NOT EXISTS runs (
    number INTEGER PRIMARY KEY AUTOINCREMENT,  -- the order in which they were written
    key TEXT NOT NULL UNIQUE,
    task TEXT NOT NULL, digest TEXT NOT NULL, graph TEXT NOT NULL, model TEXT NOT NULL, seed INTEGER NOT NULL,
    status TEXT NOT NULL,
    record TEXT NOT NULL  -- the whole run, as JSON
);
CREATE INDEX IF NOT EXISTS runs_of ON runs (task, digest);
CREATE TABLE IF NOT EXISTS claims (
    key TEXT PRIMARY KEY,
    owner TEXT NOT NULL,  -- machine/process/token
    until REAL NOT NULL  -- time.time()
);
PRAGMA application_id = {_APPLICATION};
PRAGMA user_version = {_VERSION};
"""
CLAIM = 60.0  # seconds that a claim holds unless it is renewed
_PATIENCE = 60.0  # seconds to wait while another process writes
_ABANDONED = 86_400.0  # seconds after which the scratch files of a scheduler without claims are removed


class Store:
    """The runs in a folder: ``runs.sqlite`` and ``models/``, created when the first run is written.

    When :meth:`put` returns, its runs are on the disk, whatever happens to the process afterwards. A failed run never
    overwrites a finished one. A full disk is a ParameterError; stored runs can still be read.

    Parameters
    ----------
    folder
        By default ``runs/`` in the nearest parent folder that has such a store, else in the repository or Python
        project around this folder, else in this folder. The environment variable DEGNN_RUNS sets another default.

    Examples
    --------
    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     store = Store(folder)
    ...     store.put(Run("k1", "karate", "links", "GCN", seed=0, test=0.8))
    ...     store.put(Run("k2", "karate", "links", "GIN", seed=0, test=0.7))
    ...     store.get("k1").test, store.frame(task="links")["model"].tolist()
    (0.8, ['GCN', 'GIN'])
    """

    def __init__(self, folder: str | os.PathLike[str] | None = None) -> None:
        given = folder or os.environ.get("DEGNN_RUNS") or _project_folder() / "runs"
        self.folder = Path(given).expanduser().resolve()
        if self.folder.exists() and not self.folder.is_dir():
            raise ParameterError(f"{self.folder} is a file; name a folder for the runs, such as runs.")
        self.models = self.folder / "models"
        self.scratch = self.folder / "scratch"  # files of runs in progress, in a folder for each scheduler
        self._file = self.folder / "runs.sqlite"

    def __repr__(self) -> str:
        return f"Store({str(self.folder)!r})"

    # ---- runs ---------------------------------------------------------------------------------

    def put(self, *runs: Run) -> None:
        """Write runs, all or none; a later run replaces an earlier one with the same key."""
        with self._writing() as db:
            for run in runs:
                db.execute("DELETE FROM claims WHERE key = ?", [run.key])
                old = db.execute("SELECT status FROM runs WHERE key = ?", [run.key]).fetchone()
                if run.status == "finished" or old is None or old[0] != "finished":
                    values = [*(getattr(run, column) for column in _COLUMNS), run.to_json()]
                    db.execute(f"REPLACE INTO runs ({', '.join(_COLUMNS)}, record) VALUES (?,?,?,?,?,?,?,?)", values)

    def get(self, key: str) -> Run | None:
        """The run with this key, or None."""
        return next(iter(self.runs(key=key)), None)

    def runs(self, **filters: Any) -> list[Run]:
        """The runs with these values of key, task, digest, graph, model, seed or status, in the order written.

        Runs of models that are not registered in this process are left out, with a warning.
        """
        with self._reading() as db:
            rows = db.execute(f"SELECT record FROM runs WHERE {_where(filters)} ORDER BY number", [*filters.values()])
            try:
                runs = [Run.from_json(record) for (record,) in rows]
            except (ValueError, TypeError, AttributeError) as error:
                raise self._damaged(error) from None
        known = [run for run in runs if run.model in MODELS]
        if len(known) < len(runs):
            warnings.warn(f"{left_out(self.unknown_models(**filters))} ({self.folder})", stacklevel=2)
        return known

    def unknown_models(self, **filters: Any) -> dict[str, int]:
        """How many of these runs have models that are not registered in this process, by model."""
        with self._reading() as db:
            query = f"SELECT model, COUNT(*) FROM runs WHERE {_where(filters)} GROUP BY model ORDER BY model"
            counted = dict(db.execute(query, [*filters.values()]).fetchall())
        return {name: count for name, count in counted.items() if name not in MODELS}

    def frame(self, **filters: Any) -> pandas.DataFrame:
        """The runs as a DataFrame, one row per run, without their epochs."""
        import pandas as pd

        columns = [name for name in Run.__dataclass_fields__ if name != "epochs"]
        return pd.DataFrame([[getattr(run, name) for name in columns] for run in self.runs(**filters)], columns=columns)

    def export(self, path: str | os.PathLike[str], per: str = "run", **filters: Any) -> None:
        """Write runs (see :meth:`runs`) to a .jsonl or .csv file, one row per "run" or per "epoch"."""
        file = Path(path).expanduser()
        ending = check_choice("ending", file.suffix, (".jsonl", ".csv"))
        runs = self.runs(**filters)
        if check_choice("per", per, ("run", "epoch")) == "epoch":
            rows = [{"key": run.key, **epoch} for run in runs for epoch in run.epochs]
        else:
            rows = [plain(asdict(run)) for run in runs]
        text = _csv(rows) if ending == ".csv" else "".join(f"{json.dumps(row, ensure_ascii=False)}\n" for row in rows)
        try:
            write_whole(file, text.encode())
        except OSError as error:
            raise ParameterError(
                f"{file} cannot be written ({error.strerror or error}); choose another place."
            ) from None

    # ---- claims -------------------------------------------------------------------------------

    def claim(
        self, keys: Iterable[str], owner: str, limit: int = 1, *, seconds: float = CLAIM, retry_failed: bool = False
    ) -> tuple[list[str], list[str]]:
        """Claim the first ``limit`` of these runs that nobody else trains; return them, and those that have ended.

        A claim ends with :meth:`put` or :meth:`release`, after ``seconds`` unless :meth:`renew` extends it, and at once
        if its owner was a process on this machine that is gone. ``owner`` comes from :func:`new_owner`.
        """
        claimed: list[str] = []
        ended: list[str] = []
        over = ("finished",) if retry_failed else ("finished", "failed")
        with self._writing() as db:
            for key in keys:
                if len(claimed) >= limit:
                    break
                held = db.execute("SELECT owner, until FROM claims WHERE key = ?", [key]).fetchone()
                if held is not None and held[0] != owner and held[1] > time.time() and not _is_gone(held[0]):
                    continue
                status = db.execute("SELECT status FROM runs WHERE key = ?", [key]).fetchone()
                if status is not None and status[0] in over:
                    ended.append(key)
                    continue
                db.execute("REPLACE INTO claims VALUES (?, ?, ?)", [key, owner, time.time() + seconds])
                claimed.append(key)
        return claimed, ended

    def renew(self, owner: str, seconds: float = CLAIM) -> None:
        """Extend all claims of this owner."""
        with self._writing() as db:
            db.execute("UPDATE claims SET until = ? WHERE owner = ?", [time.time() + seconds, owner])

    def release(self, owner: str) -> None:
        """End all claims of this owner."""
        with self._writing() as db:
            db.execute("DELETE FROM claims WHERE owner = ?", [owner])

    # ---- files of runs in progress ------------------------------------------------------------

    def checkpoint(self, key: str) -> Path:
        """The file from which an unfinished run continues."""
        return self.models / f"{key}.checkpoint"

    def prepare(self) -> None:
        """Raise an error if runs or models cannot be written; remove what killed processes left behind."""
        with self._errors():
            self.models.mkdir(parents=True, exist_ok=True)
            self.scratch.mkdir(exist_ok=True)
            tempfile.TemporaryFile(dir=self.models).close()
        with self._writing() as db:
            db.execute("DELETE FROM claims WHERE until < ?", [time.time()])
            finished = {key for (key,) in db.execute("SELECT key FROM runs WHERE status = 'finished'")}
            trials = "SELECT key FROM runs WHERE json_extract(record, '$.rung') > 0"
            finished -= {key for (key,) in db.execute(trials)}  # the next rung continues from them
            claims = dict(db.execute("SELECT key, owner FROM claims"))
        for folder in self.scratch.glob("*"):
            owner = folder.name.replace("+", "/")
            with contextlib.suppress(FileNotFoundError):
                abandoned = owner not in claims.values() and time.time() - folder.stat().st_mtime > _ABANDONED
                if abandoned or _is_gone(owner):
                    shutil.rmtree(folder, ignore_errors=True)
        for file in self.models.glob("*"):
            half_written = file.name.startswith(".") and file.name.split(".")[1] not in claims
            done = file.suffix == ".checkpoint" and file.stem in finished
            with contextlib.suppress(FileNotFoundError):  # another process may clean up, too
                if done or (half_written and time.time() - file.stat().st_mtime > 60):
                    file.unlink()

    def scratch_of(self, owner: str) -> Path:
        """A folder for one scheduler: progress files and bundles for its workers."""
        return self.scratch / owner.replace("/", "+")

    def tidy(self, owner: str) -> None:
        """Remove this scheduler's scratch folder."""
        shutil.rmtree(self.scratch_of(owner), ignore_errors=True)

    # ---- SQLite -------------------------------------------------------------------------------

    @contextlib.contextmanager
    def _writing(self) -> Iterator[sqlite3.Connection]:
        """A transaction: all of it is on the disk afterwards, or nothing. Opened each time, so forks are safe.

        SQLite keeps a rollback journal, not a write-ahead log: that also works on network drives and in folders that
        cannot be written to, and costs no more when every transaction opens the file (28 ms against 33 here).
        """
        with self._errors():
            self.folder.mkdir(parents=True, exist_ok=True)
            with contextlib.closing(self._connect()) as db:
                db.execute("PRAGMA synchronous = FULL")
                if not self._is_ours(db):
                    db.executescript(f"BEGIN IMMEDIATE; {_TABLES} COMMIT;")
                db.execute("BEGIN IMMEDIATE")
                yield db
                db.execute("COMMIT")

    @contextlib.contextmanager
    def _reading(self) -> Iterator[sqlite3.Connection]:
        """The database; empty tables in memory if there is no file yet."""
        with self._errors():
            if self._file.exists():
                with contextlib.closing(self._connect()) as db:
                    if self._is_ours(db):
                        yield db
                        return
            with contextlib.closing(sqlite3.connect(":memory:")) as db:
                db.executescript(_TABLES)
                yield db

    def _connect(self) -> sqlite3.Connection:
        return sqlite3.connect(self._file, timeout=_PATIENCE, isolation_level=None)

    def _is_ours(self, db: sqlite3.Connection) -> bool:
        """Whether the tables are there; an error for a database of something else."""
        db.execute("BEGIN")  # one consistent view: another process may be creating the tables
        application, version = (
            db.execute(f"PRAGMA {name}").fetchone()[0] for name in ("application_id", "user_version")
        )
        something = db.execute("SELECT 1 FROM sqlite_master").fetchone()
        db.execute("COMMIT")
        if application != _APPLICATION and something:
            raise ParameterError(f"{self._file} is a database of something else; choose another folder for the runs.")
        if application == _APPLICATION and version != _VERSION:
            which = "a later" if version > _VERSION else "an earlier"
            raise ParameterError(
                f"{self._file} was written by {which} version of degnn_explore; choose another folder for the runs, "
                "or move this one away."
            )
        return bool(application == _APPLICATION)

    @contextlib.contextmanager
    def _errors(self) -> Iterator[None]:
        """Turn errors of the disk and of SQLite into a ParameterError."""
        try:
            yield
        except OSError as error:
            raise self._unwritable(error.strerror or str(error)) from None
        except sqlite3.Error as error:
            code = getattr(error, "sqlite_errorcode", 0) & 0xFF
            if code in (sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED):
                raise ParameterError(
                    f"{self._file} was locked by another process for more than {_PATIENCE:.0f} seconds; try again."
                ) from None
            if code in _DISK:
                raise self._unwritable(str(error)) from None
            raise self._damaged(error) from None

    def _unwritable(self, why: str) -> ParameterError:
        remedy = 'Make room or make it writable, or choose another folder: store="folder" (a board: results="folder").'
        return ParameterError(f"{self.folder} cannot be written to ({why}). {remedy}")

    def _damaged(self, error: Exception) -> ParameterError:
        return ParameterError(
            f"{self._file} is damaged, or not a store of runs ({error}). Move it away, and put a copy in its place if "
            "you have one."
        )


_DISK = (
    sqlite3.SQLITE_FULL, sqlite3.SQLITE_READONLY, sqlite3.SQLITE_CANTOPEN, sqlite3.SQLITE_IOERR, sqlite3.SQLITE_PERM,
)  # fmt: skip


def new_owner() -> str:
    """A new owner of claims: machine, process, and a token that distinguishes schedulers in one process."""
    return f"{socket.gethostname().replace('/', '-').replace('+', '-')}/{os.getpid()}/{secrets.token_hex(4)}"


def _is_gone(owner: str) -> bool:
    """Whether the owner was a process on this machine that no longer exists."""
    machine, _, process = owner.rpartition("/")[0].rpartition("/")
    if machine != new_owner().split("/")[0] or not process.isdigit() or os.name != "posix":
        return False  # on Windows signal 0 would end the process
    try:
        os.kill(int(process), 0)
    except ProcessLookupError:
        return True
    except OSError:
        pass
    return False


def _project_folder() -> Path:
    """The nearest parent folder with a store, else with a repository or Python project, else this folder."""
    here = Path.cwd()
    for marks in (["runs/runs.sqlite"], [".git", "pyproject.toml"]):
        for folder in (here, *here.parents):
            if any((folder / mark).exists() for mark in marks):
                return folder
    return here


def _where(filters: dict[str, Any]) -> str:
    return " AND ".join(f"{check_choice('column', name, _COLUMNS)} = ?" for name in filters) or "1"


def left_out(unknown: dict[str, int]) -> str:
    """A sentence about runs that are not shown because their models are not registered.

    >>> left_out({"my net": 3, "my SAGE": 1})
    "Left out: 3 runs of 'my net', 1 run of 'my SAGE', not registered here; run the cell that registers them."
    """
    runs = [f"{count} run{'s' if count > 1 else ''} of {short_repr(name)}" for name, count in unknown.items()]
    more = ["…"] if len(runs) > 5 else []
    them = "it" if len(runs) == 1 else "them"
    return f"Left out: {', '.join(runs[:5] + more)}, not registered here; run the cell that registers {them}."


def _csv(rows: list[dict[str, Any]]) -> str:
    """A column for each value, such as hyper.layers or val.auc; lists are left out."""
    import pandas as pd

    table = pd.json_normalize(rows)
    lists = [name for name in table if table[name].map(lambda value: isinstance(value, list)).any()]
    return csv_text(table.drop(columns=lists).convert_dtypes().map(_no_formula), index=False)


def _no_formula(value: Any) -> Any:
    """Quote a text that a spreadsheet would compute."""
    return json.dumps(value) if isinstance(value, str) and value.startswith(("=", "+", "-", "@", "\t", "\r")) else value
