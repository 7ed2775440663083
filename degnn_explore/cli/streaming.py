"""A table of target sets answered chunk by chunk into one file: in little memory, and gone on with if it was ended.

Finished chunks lie in a folder beside the output, with a note of how far the input was read. A run that is killed and
started again goes on after the last of them; at the end they become one file, and the folder goes.
"""

from __future__ import annotations

import argparse
import contextlib
import functools
import hashlib
import io
import itertools
import json
import os
import shutil
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Any

import degnn_explore as de
from degnn_explore.common.errors import ParameterError, one_of, shown
from degnn_explore.common.files import csv_text, write_whole
from degnn_explore.graphs.graph import Graph

from .asking import BAD_ROWS, INTERRUPTED, Bar, say
from .set_files import Chunk, SetFile

if TYPE_CHECKING:
    import pandas

Answer = Callable[[Chunk], "pandas.DataFrame"]
EXAMPLE = "tcp://10.0.0.7:8786"
_SHOWN = 5  # bad lines that are shown; all are written to a file


def add_streaming(parser: argparse.ArgumentParser) -> None:
    """Options of the commands that answer a table of sets."""
    parser.add_argument("--columns", metavar="A,B", help="the columns of the nodes, by name, or counted from 1")
    parser.add_argument("--strict", action="store_true", help="a bad line ends it before anything is computed")
    parser.add_argument("--fresh", action="store_true", help="do not go on with a run that was interrupted")
    parser.add_argument("--quiet", action="store_true", help="show no progress")
    parser.add_argument("--workers", metavar="ADDRESS", help=f"by a Dask cluster, such as {EXAMPLE}, and not here")


def set_file(options: argparse.Namespace, path: str, G: Graph, p: int | None) -> SetFile:
    """The table of sets that the options describe."""
    return SetFile(path, G, p, None if options.columns is None else options.columns.split(","))


def identity(G: Graph) -> dict[str, str]:
    """What of a graph must be the same for a run to go on."""
    return {"graph": G.digest(), "names": hashlib.sha256("\n".join(G.names).encode()).hexdigest()}


class Stream:
    """The sets of one file on their way to another. ``run`` is what else must be the same for a run to go on."""

    def __init__(self, options: argparse.Namespace, source: SetFile, run: Mapping[str, Any]) -> None:
        from degnn_explore.learn.saving import check_place

        self.source, self.options, self.out = source, options, Path(options.out)
        one_of("the ending of --out", self.out.suffix, [".csv", ".parquet"])
        check_place(self.out)
        if self.out.exists() and self.out.samefile(source.path):
            raise ParameterError(f"--out names the file that is read, {self.out}; choose another.")
        if self.out.suffix == ".parquet":
            _needs_pyarrow()
        if options.workers is not None and "://" not in options.workers:
            raise ParameterError(f"--workers {shown(options.workers)}: expected is an address such as {EXAMPLE}.")
        self.bad_file = self.out.with_name(f"{self.out.stem}.bad.csv")
        self._folder = self.out.with_name(f"{self.out.name}.parts")
        self._note = self._folder / "progress.json"
        stat = source.path.stat()
        read = {"sets": str(source.path.resolve()), "bytes": stat.st_size, "changed": stat.st_mtime_ns}
        self._run = {"version": de.__version__, **run, **read, "columns": options.columns}
        self._done: dict[str, Any] = {"parts": 0, "end": [0, 0], "sets": 0, "bad": 0, "first_bad": []}

    def answer(self, answer: Answer, rows: int, models: Iterable[str] = ()) -> int:
        """Writes what ``answer`` says of every set, so many lines at a time; gives the exit code.

        On a cluster ``answer`` is sent to the workers, with those of its ``models`` that are the user's.
        """
        if self.options.strict and self._has_bad_lines(rows):
            return BAD_ROWS
        if self.options.fresh:
            self._tidy()
        self._folder.mkdir(exist_ok=True)
        if self._note.exists():
            self._resume()
        done = self._done
        try:
            with Bar("sets", self._run["bytes"], self.options.quiet) as bar:
                for chunk, content in self._contents(answer, rows, models):
                    self._keep(chunk, content)
                    bar.show(done["end"][0], f"{done['sets']:,} sets, {done['bad']:,} bad lines")
        except KeyboardInterrupt:
            say(f"stopped after {done['sets']:,} sets; the same command goes on from there.")
            return INTERRUPTED
        finally:
            with contextlib.suppress(OSError):  # it is empty: nothing was answered
                self._folder.rmdir()
        return self._finish()

    def _contents(self, answer: Answer, rows: int, models: Iterable[str]) -> Iterator[tuple[Chunk, bytes]]:
        """The chunks that are left, in order, each with the content of its part."""
        done, parts = self._done, itertools.count(self._done["parts"])
        chunks = self.source.chunks(rows, (done["end"][0], done["end"][1]))
        asked = ((chunk, next(parts) == 0) for chunk in chunks)
        work = functools.partial(part_of, answer, self.out.suffix)
        if self.options.workers is None:
            yield from ((chunk, work((chunk, first))) for chunk, first in asked)
            return
        from degnn_explore.studies.cluster.answers import in_order

        with contextlib.closing(in_order(self.options.workers, work, asked, models)) as answers:
            yield from ((chunk, content) for (chunk, _), content in answers)

    def _keep(self, chunk: Chunk, content: bytes) -> None:
        """The answers and bad lines of a chunk on disk; the note comes last, so that it never says too much."""
        done, number = self._done, self._done["parts"]
        write_whole(self._part(number), content)
        write_whole(self._part(number, bad=True), _listed(chunk, header=not number).encode())
        done |= {"parts": number + 1, "end": list(chunk.end)}
        done["sets"] += len(chunk.sets)
        done["bad"] += len(chunk.bad)
        done["first_bad"] += [asdict(bad) for bad in chunk.bad[: _SHOWN - len(done["first_bad"])]]
        write_whole(self._note, json.dumps({"run": self._run, "done": done}).encode())

    def _resume(self) -> None:
        remedy = f"Give --fresh to begin anew, or another --out than {self.out}."
        try:
            kept = json.loads(self._note.read_bytes())
            run, done = dict(kept["run"]), dict(kept["done"])
            whole = (
                all(self._part(number).exists() for number in range(done["parts"])) and done.keys() == self._done.keys()
            )
        except (ValueError, KeyError, TypeError):
            whole = False
        if not whole:
            raise ParameterError(f"{self._folder} is not what an interrupted run leaves behind. {remedy}")
        if differing := [key for key in self._run if run.get(key) != self._run[key]]:
            key = differing[0]
            was = f"its {key} was {shown(run.get(key))}, not {shown(self._run[key])}"
            raise ParameterError(f"{self._folder} holds the beginning of another run: {was}. {remedy}")
        self._done = done
        say(f"going on after {done['sets']:,} sets")

    def _finish(self) -> int:
        done = self._done
        self.bad_file.unlink(missing_ok=True)  # of an earlier run
        if done["bad"]:
            self._join(self.bad_file, (self._part(number, bad=True) for number in range(done["parts"])))
            self._say_bad(done["first_bad"], done["bad"], "was passed over")
        if done["sets"]:
            self._join(self.out, (self._part(number) for number in range(done["parts"])))
            say(f"{done['sets']:,} sets, written to {self.out}")
        else:
            say(f"no line of {self.source.path} names a target set of this graph; nothing was written.")
        self._tidy()
        return 0 if done["sets"] else BAD_ROWS

    def _has_bad_lines(self, rows: int) -> bool:
        """Reads the whole file, which takes seconds where the answers would take minutes."""
        first, count = list[dict[str, Any]](), 0
        for chunk in self.source.chunks(rows):
            if chunk.bad:
                with self.bad_file.open("a" if count else "w", encoding="utf-8", newline="") as file:
                    file.write(_listed(chunk, header=not count))
            first += [asdict(bad) for bad in chunk.bad[: _SHOWN - len(first)]]
            count += len(chunk.bad)
        if count:
            self._say_bad(first, count, "is refused by --strict: nothing was computed")
        return count > 0

    def _say_bad(self, first: Iterable[Mapping[str, Any]], count: int, then: str) -> None:
        for bad in first:
            say(f"{self.source.path}, line {bad['line']}: {bad['why']}: {shown(bad['text'])}")
        say(f"what names no target set {then}: {count:,} of the lines, all listed in {self.bad_file}")

    def _part(self, number: int, bad: bool = False) -> Path:
        return self._folder / (f"bad-{number:06}.csv" if bad else f"part-{number:06}{self.out.suffix}")

    def _join(self, target: Path, parts: Iterable[Path]) -> None:
        """One file of the parts, which appears whole."""
        scratch = self._folder / "joined"
        if target.suffix == ".parquet":
            import pyarrow.parquet as pq

            tables = (table for part in parts if (table := pq.read_table(part)).num_rows)
            first = next(tables)
            with pq.ParquetWriter(scratch, first.schema) as writer:
                writer.write_table(first)
                for table in tables:
                    writer.write_table(table)
        else:
            with scratch.open("wb") as joined:
                for part in parts:
                    with part.open("rb") as content:
                        shutil.copyfileobj(content, joined)
        os.replace(scratch, target)

    def _tidy(self) -> None:
        """Removes what this class puts into the folder, and the folder if nothing else is in it."""
        for pattern in ("part-*", "bad-*.csv", "joined", "progress.json", ".*"):
            for path in self._folder.glob(pattern):
                path.unlink()
        with contextlib.suppress(OSError):
            self._folder.rmdir()


def part_of(answer: Answer, suffix: str, asked: tuple[Chunk, bool]) -> bytes:
    """The part of the output that is about a chunk; ``asked`` also says whether it is the first."""
    chunk, first = asked
    table = answer(chunk)
    if suffix != ".parquet":
        return csv_text(table, index=False, header=first).encode()
    content = io.BytesIO()
    table.to_parquet(content, index=False)
    return content.getvalue()


def _listed(chunk: Chunk, header: bool) -> str:
    import pandas as pd

    bad = pd.DataFrame([asdict(bad) for bad in chunk.bad], columns=["line", "why", "text"])
    return csv_text(bad, index=False, header=header)


def _needs_pyarrow() -> None:
    try:
        import pyarrow  # noqa: F401
    except ImportError:
        raise ParameterError(
            "Parquet files need the package pyarrow, which is not installed: pip install 'degnn_explore[parquet]', "
            "or let --out end in .csv."
        ) from None
