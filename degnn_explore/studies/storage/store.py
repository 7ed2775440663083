"""The store: every run of a project under its own key, in one file that many processes may use at once.

``put`` and ``get`` by key, ``runs`` to ask, ``claim`` so that no two processes train the same.
"""

from __future__ import annotations

import os
import re
import secrets
import shutil
import socket
import tempfile
import time
import warnings
from collections.abc import Iterable
from dataclasses import replace
from pathlib import Path
from typing import Any

from ...common.errors import ParameterError, one_of, shown
from ...common.places import is_gone, project_folder
from ...learn.nets import MODELS
from ..records import Run
from .database import Database
from .files import read_runs, write_runs

_COLUMNS = ("key", "task", "digest", "graph", "model", "seed", "status")
_PUT = f"REPLACE INTO runs ({', '.join(_COLUMNS)}, note, record) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)"
_LEASE = 60.0  # seconds that a claim holds without another word from its owner
_OF_A_MODEL = (".safetensors", ".checkpoint")
_TOLD: dict[Path, set[str]] = {}  # models that are not known here, of each store, that were spoken of


class Store:
    """The runs in a folder: ``runs.sqlite``, and ``models/`` beside it. It is made when the first run is written.

    What :meth:`put` was given is on the disk when it returns, whatever happens to the process afterwards; a run that
    is finished is never overwritten by one that failed. A disk that is full or cannot be written to is a
    ParameterError that says so; what is stored can still be read.

    Parameters
    ----------
    folder
        Where the runs are. By default ``runs/`` of the project: of the nearest folder upwards that has such a store,
        else of the repository or Python project around this folder, else of this folder. The environment variable
        DEGNN_RUNS names another.

    Examples
    --------
    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     store = Store(folder)
    ...     store.put(Run("k1", "karate", "links", "GCN", seed=0, test=0.8))
    ...     store.put(Run("k2", "karate", "links", "GIN", seed=0, test=0.7))
    ...     store.get("k1").test, [run.model for run in store.runs(task="links")]
    (0.8, ['GCN', 'GIN'])
    """

    def __init__(self, folder: str | os.PathLike[str] | None = None) -> None:
        given = folder or os.environ.get("DEGNN_RUNS") or project_folder("runs/runs.sqlite") / "runs"
        self.folder = Path(given).expanduser().resolve()
        if self.folder.exists() and not self.folder.is_dir():
            raise ParameterError(f"{self.folder} is a file; name a folder for the runs, such as runs.")
        self.models = self.folder / "models"
        self._database = Database(self.folder / "runs.sqlite")

    def __repr__(self) -> str:
        return f"Store({str(self.folder)!r})"

    @classmethod
    def open(cls, place: str | os.PathLike[str] | None = None) -> Store:
        """The store in a folder, of the project if none is named, with what earlier versions left in the folder.

        Those wrote a file of JSON lines for each question, such as ``runs/links-celegans.jsonl``. If such a file is
        named, the store is in the folder beside it that is called like it.
        """
        if place is not None and (file := Path(place).expanduser()).suffix == ".jsonl":
            store = cls(file.with_suffix(""))
            store._load_earlier([file] if file.is_file() else [])
            return store
        store = cls(place)
        for folder in [store.folder] if place is not None else dict.fromkeys([store.folder, Path("runs").resolve()]):
            store._load_earlier(sorted(folder.glob("*.jsonl")))
        return store

    @property
    def about(self) -> str:
        """Where it is, and what is unusual about the place."""
        slow = " (on a network drive, or one like it: without a write-ahead log, so that processes wait for each other)"
        return f"{self.folder}{'' if self._database.logs_ahead() else slow}"

    def needs_place(self) -> None:
        """Raise an error in words if runs or models cannot be written, before anything is trained."""
        with self._database.words():
            self.models.mkdir(parents=True, exist_ok=True)
            tempfile.TemporaryFile(dir=self.models).close()
        with self._database.writing() as db:
            db.execute("DELETE FROM claims WHERE until < ?", [time.time()])

    # ---- runs ---------------------------------------------------------------------------------

    def put(self, *runs: Run) -> None:
        """Writes runs, all of them or none; a later one of the same key takes the place of the earlier.

        A note that a run has stays if the new one has none.
        """
        with self._database.writing() as db:
            for run in runs:
                db.execute("DELETE FROM claims WHERE key = ?", [run.key])
                old = db.execute("SELECT status, note FROM runs WHERE key = ?", [run.key]).fetchone() or ("", "")
                if run.status == "finished" or old[0] != "finished":
                    named = [getattr(run, column) for column in _COLUMNS]
                    db.execute(_PUT, [*named, run.note or old[1], replace(run, note="").to_json()])

    def get(self, key: str) -> Run | None:
        """The run of this key, None if there is none."""
        return next(iter(self.runs(key=key)), None)

    def runs(self, **where: Any) -> list[Run]:
        """The runs with these values of key, task, digest, graph, model, seed or status, in the order written.

        Those of models that this process does not know are left out, with a warning the first time: see
        :meth:`strangers`.
        """
        with self._database.reading() as db:
            rows = db.execute(f"SELECT record, note FROM runs WHERE {_asked(where)} ORDER BY number", [*where.values()])
            read = [_run(record, note) for record, note in rows]
        runs = [run for run in read if run is not None]
        if len(runs) < len(read):
            told = _TOLD.setdefault(self.folder, set())
            strangers = {name: count for name, count in self.strangers(**where).items() if name not in told}
            told |= set(strangers)
            if strangers:
                warnings.warn(f"{left_out(strangers)} ({self.folder})", stacklevel=2)
        return runs

    def strangers(self, **where: Any) -> dict[str, int]:
        """How many of these runs are of models that are not registered in this process, by the models' names.

        Examples
        --------
        >>> import tempfile
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     store = Store(folder)
        ...     store.put(Run("k1", "karate", "links", "my net", seed=0, test=0.8))
        ...     store.strangers()
        {'my net': 1}
        """
        with self._database.reading() as db:
            asked = f"SELECT model, COUNT(*) FROM runs WHERE {_asked(where)} GROUP BY model ORDER BY model"
            counted = dict(db.execute(asked, [*where.values()]).fetchall())
        return {name: count for name, count in counted.items() if name not in MODELS}

    def note(self, key: str, words: str) -> None:
        """Writes a note beside a run, instead of the one it had."""
        with self._database.writing() as db:
            if not db.execute("UPDATE runs SET note = ? WHERE key = ?", [words, key]).rowcount:
                raise ParameterError(f"There is no run {key!r} in {self.folder}.")

    # ---- who trains what ----------------------------------------------------------------------

    def claim(self, keys: Iterable[str], owner: str) -> str | None:
        """The first of these runs that is not finished and that nobody else trains; from now on ``owner`` does.

        A claim ends with :meth:`put`, with :meth:`release`, a minute after the owner last said :meth:`alive`, and at
        once when the owner was a process of this machine that is gone. ``owner`` is from :func:`claimant`.
        """
        return next(iter(self.claim_some(keys, owner)[0]), None)

    def claim_some(
        self, keys: Iterable[str], owner: str, most: int = 1, ended: Iterable[str] = ("finished",)
    ) -> tuple[list[str], list[str]]:
        """:meth:`claim` for up to ``most`` runs at once; also those on the way there that have ``ended`` already."""
        claimed: list[str] = []
        over: list[str] = []
        with self._database.writing() as db:
            for key in keys:
                if len(claimed) >= most:
                    break
                held = db.execute("SELECT owner, until FROM claims WHERE key = ?", [key]).fetchone()
                if held is not None and held[0] != owner and held[1] > time.time() and not _is_gone(held[0]):
                    continue
                state = db.execute("SELECT status FROM runs WHERE key = ?", [key]).fetchone()
                if state is not None and state[0] in ended:
                    over.append(key)
                    continue
                db.execute("REPLACE INTO claims VALUES (?, ?, ?)", [key, owner, time.time() + _LEASE])
                claimed.append(key)
        return claimed, over

    def forget_failed(self, keys: Iterable[str]) -> None:
        """Failed runs of these keys are taken out, so that they can be tried again."""
        with self._database.writing() as db:
            db.executemany("DELETE FROM runs WHERE key = ? AND status = 'failed'", [(key,) for key in keys])

    def alive(self, owner: str) -> None:
        """The owner is still at work on what it has claimed; to be said every twenty seconds or so."""
        with self._database.writing() as db:
            db.execute("UPDATE claims SET until = ? WHERE owner = ?", [time.time() + _LEASE, owner])

    def release(self, owner: str) -> None:
        """The owner gives up what it has claimed."""
        with self._database.writing() as db:
            db.execute("DELETE FROM claims WHERE owner = ?", [owner])

    # ---- files --------------------------------------------------------------------------------

    def checkpoint(self, key: str) -> Path:
        """Where a run that is not finished goes on from."""
        return self.models / f"{key}.checkpoint"

    def export(self, path: str | os.PathLike[str], per: str = "run", **where: Any) -> None:
        """Writes the runs, or those with these values (see :meth:`runs`), to a file of JSON lines or CSV, by its name.

        ``per`` is "run" or "epoch", for a line of each. JSON lines of runs hold all there is; CSV of runs leaves the
        epochs to a second file.
        """
        write_runs(self.runs(**where), Path(path).expanduser(), per)

    def load(self, path: str | os.PathLike[str], epochs: str | os.PathLike[str] | None = None) -> str:
        """Puts the runs of a file that :meth:`export` or an earlier version wrote; in words what came of it.

        ``epochs`` is a second file with their epochs. Models in the folder beside the file that is called like it come
        along. Runs that are finished here already stay as they are.
        """
        file = Path(path).expanduser()
        runs, skipped = read_runs(file, None if epochs is None else Path(epochs).expanduser())
        new = self._take(file, runs)
        aside = f" Lines left out because they cannot be read: {skipped}." if skipped else ""
        return f"Runs in {file.name}: {len(runs)}, of them new here: {new}.{aside}"

    def set_aside(self, runs: Iterable[Run], name: str) -> Store:
        """Moves runs and their models to a store of their own in this folder; nothing is lost, and new ones begin."""
        moved = list(runs)
        number = 1
        while (place := self.folder / f"aside-{name}-{number}").exists():
            number += 1
        other = Store(place)
        files = other._take_models(self.models, moved)
        other.put(*moved)
        with self._database.writing() as db:
            db.executemany("DELETE FROM runs WHERE key = ?", [(run.key,) for run in moved])
        for file in files:
            file.unlink(missing_ok=True)
        return other

    def _load_earlier(self, files: Iterable[Path]) -> None:
        """Each file once; not those that were set aside (with a number before their ending), nor somebody's own."""
        for file in files:
            if re.search(r"\.\d+\.jsonl$", file.name) or self._has_loaded(file):
                continue
            try:
                runs, _ = read_runs(file)
            except ParameterError:
                continue
            self._take(file, runs)

    def _has_loaded(self, file: Path) -> bool:
        with self._database.reading() as db:
            asked = "SELECT 1 FROM loaded WHERE file = ? AND size = ? AND changed = ?"
            return db.execute(asked, _stamp(file)).fetchone() is not None

    def _take(self, file: Path, runs: list[Run]) -> int:
        """Puts the runs of a file, with the models beside it; how many are new."""
        known = {run.key for run in self.runs(status="finished")}
        new = [run for run in runs if run.key not in known]
        self._take_models(file.with_suffix(""), new)
        self.put(*new)
        with self._database.writing() as db:
            db.execute("REPLACE INTO loaded VALUES (?, ?, ?)", _stamp(file))
        return len(new)

    def _take_models(self, folder: Path, runs: Iterable[Run]) -> list[Path]:
        """Models and checkpoints of these runs from another folder, without a second copy where the disk can."""
        keys = [run.key for run in runs if Path(run.key).name == run.key]  # one from a file may not lead elsewhere
        sources = [file for key in keys for ending in _OF_A_MODEL if (file := folder / f"{key}{ending}").is_file()]
        with self._database.words():
            for source in sources:
                self.models.mkdir(parents=True, exist_ok=True)
                target = self.models / source.name
                try:
                    os.link(source, target)
                except FileExistsError:
                    continue
                except OSError:
                    shutil.copy2(source, target)
        return sources


def claimant() -> str:
    """Who claims runs: this machine and process, and a token, so that two races of a process are two."""
    return f"{socket.gethostname()}/{os.getpid()}/{secrets.token_hex(4)}"


def _is_gone(owner: str) -> bool:
    """Whether the owner was a process of this machine, and is no more."""
    machine, process, _ = owner.split("/")
    return machine == socket.gethostname() and is_gone(int(process))


def _asked(where: dict[str, Any]) -> str:
    """The condition of a query for these values."""
    return " AND ".join(f"{one_of('column', name, _COLUMNS)} = ?" for name in where) or "1"


def left_out(strangers: dict[str, int]) -> str:
    """In words, which runs are not shown because nobody here knows their models.

    >>> left_out({"my net": 3, "my SAGE": 1})
    "Left out: 3 runs of 'my net', 1 run of 'my SAGE', not registered here; run the cell that registers them."
    """
    runs = [f"{count} run{'s' if count > 1 else ''} of {shown(name)}" for name, count in strangers.items()]
    more = ["…"] if len(runs) > 5 else []
    them = "it" if len(runs) == 1 else "them"
    return f"Left out: {', '.join(runs[:5] + more)}, not registered here; run the cell that registers {them}."


def _run(record: str, note: str) -> Run | None:
    """None for a record that a later version wrote with values that this one does not know, such as its models."""
    try:
        return replace(Run.from_json(record), note=note)
    except ParameterError:
        return None


def _stamp(file: Path) -> tuple[str, int, float]:
    about = file.stat()
    return str(file.resolve()), about.st_size, about.st_mtime
