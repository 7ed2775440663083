"""The SQLite file of a store: its tables, how it is opened on any disk, and its errors in words."""

from __future__ import annotations

import contextlib
import sqlite3
from collections.abc import Iterator
from pathlib import Path

from ...common.errors import ParameterError
from ...common.places import is_network

_OURS = 0xDE97  # SQLite's application_id: tells our files from other databases
_VERSION = 1
_TABLES = f"""
CREATE TABLE IF NOT EXISTS runs (
    number INTEGER PRIMARY KEY AUTOINCREMENT,  -- in the order in which they were written
    key TEXT NOT NULL UNIQUE,
    task TEXT NOT NULL, digest TEXT NOT NULL, graph TEXT NOT NULL, model TEXT NOT NULL, seed INTEGER NOT NULL,
    status TEXT NOT NULL,
    note TEXT NOT NULL,
    record TEXT NOT NULL  -- the whole of it, as JSON
);
CREATE INDEX IF NOT EXISTS runs_of ON runs (task, digest);
CREATE TABLE IF NOT EXISTS claims (
    key TEXT PRIMARY KEY,
    owner TEXT NOT NULL,  -- machine/process/token
    until REAL NOT NULL  -- seconds of the clock; who lives says so again before
);
CREATE TABLE IF NOT EXISTS loaded (file TEXT PRIMARY KEY, size INTEGER NOT NULL, changed REAL NOT NULL);
PRAGMA application_id = {_OURS};
PRAGMA user_version = {_VERSION};
"""
_PATIENCE = 30.0  # seconds to wait for another process that is writing
_REMEDY = 'Make it writable, or choose another folder: TrainingBoard(..., results="folder"), or under More….'


class Database:
    """Opened for every transaction anew, so that threads, processes and a folder that is moved need no care."""

    def __init__(self, file: Path) -> None:
        self.file = file

    @contextlib.contextmanager
    def writing(self) -> Iterator[sqlite3.Connection]:
        """A transaction: all of it is on the disk afterwards, or nothing."""
        with self.words():
            self.file.parent.mkdir(parents=True, exist_ok=True)
            with contextlib.closing(self._connect()) as db:
                if not self._is_made(db):
                    with contextlib.suppress(sqlite3.OperationalError):  # then it keeps a journal, see logs_ahead
                        db.execute(f"PRAGMA journal_mode = {'DELETE' if is_network(self.file.parent) else 'WAL'}")
                    db.executescript(f"BEGIN IMMEDIATE; {_TABLES} COMMIT;")
                db.execute("PRAGMA synchronous = FULL")  # some builds of SQLite wait less with a log
                db.execute("BEGIN IMMEDIATE")
                yield db
                db.execute("COMMIT")

    @contextlib.contextmanager
    def reading(self) -> Iterator[sqlite3.Connection]:
        """Where there is no file yet, reading does not make one."""
        with self.words(), contextlib.closing(self._for_reading()) as db:
            yield db

    def _for_reading(self) -> sqlite3.Connection:
        """The file; empty tables in memory where there is none yet, or where another process is just making it."""
        if self.file.exists():
            db = self._connect("?mode=ro")
            try:
                db.execute("SELECT 1 FROM sqlite_master").fetchone()
            except sqlite3.OperationalError:  # no log can be opened where nothing can be written; the file itself can
                db.close()
                db = self._connect("?mode=ro&immutable=1")
            with contextlib.ExitStack() as unless_ours:
                unless_ours.callback(db.close)
                if self._is_made(db):
                    unless_ours.pop_all()
                    return db
        db = sqlite3.connect(":memory:")
        db.executescript(_TABLES)
        return db

    def _connect(self, query: str = "") -> sqlite3.Connection:
        return sqlite3.connect(f"{self.file.as_uri()}{query}", uri=True, timeout=_PATIENCE, isolation_level=None)

    def _is_made(self, db: sqlite3.Connection) -> bool:
        """Whether the tables are there; an error in words for somebody else's database."""
        db.execute("BEGIN")  # all as of one moment: another process may be making it
        ours, version = (db.execute(f"PRAGMA {name}").fetchone()[0] for name in ("application_id", "user_version"))
        something = db.execute("SELECT 1 FROM sqlite_master").fetchone()
        db.execute("COMMIT")
        if ours != _OURS and something:
            raise ParameterError(f"{self.file} is a database of something else; choose another folder for the runs.")
        if version > _VERSION:
            raise ParameterError(f"{self.file} was written by a later version of degnn_explore; update it to read it.")
        return bool(ours == _OURS)

    def logs_ahead(self) -> bool:
        """Whether it has a write-ahead log: one writes while many read. On a network drive that is not safe."""
        if not self.file.exists():
            return not is_network(self.file.parent)
        with self.reading() as db:
            return bool(db.execute("PRAGMA journal_mode").fetchone()[0] == "wal")

    @contextlib.contextmanager
    def words(self) -> Iterator[None]:
        """Turns errors of the disk and of SQLite into ours."""
        try:
            yield
        except OSError as error:
            raise ParameterError(
                f"{self.file.parent} cannot be written to ({error.strerror or error}). {_REMEDY}"
            ) from None
        except sqlite3.DatabaseError as error:
            said = str(error)
            if "not a database" in said or "malformed" in said:
                raise ParameterError(
                    f"{self.file} cannot be read: it is damaged, or not a store of runs ({said}). Move it away, and "
                    "put a copy in its place if you have one."
                ) from None
            if "locked" in said:
                raise ParameterError(f"{self.file} is kept busy by another process ({said}); try again.") from None
            raise ParameterError(f"{self.file.parent} cannot be written to ({said}). {_REMEDY}") from None
