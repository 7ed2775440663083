"""``degnn-explore reproduce``: the paper's tables with our models, run where runs are missing, and compared."""

from __future__ import annotations

import argparse
import re
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any

from degnn_explore.common.errors import ParameterError
from degnn_explore.common.files import shipped

from .asking import BAD_ROWS, INTERRUPTED, Bar, add_command, say

if TYPE_CHECKING:
    from degnn_explore.studies.whole.agenda import Standing
    from degnn_explore.studies.whole.study import Study

_VIEW_OF = {"appendix": "table1"}  # the appendix reports the same runs without validation
_EXAMPLES = """

table1 --minutes 30
table1 --datasets celegans ns --models GCN DE-GNN-SPD --seeds 5
appendix --show
heuristics --workers 2 --results results/heuristics.csv
table1 --workers tcp://10.0.0.7:8786
my_study.toml
"""
_EVERY = 300.0  # seconds after which results are written again
_MOST_SAID = 5  # failures that are told in full


def add(commands: Any) -> None:
    """The options of ``reproduce``."""
    about = (
        "Repeat the paper's tables. Runs that the store or the committed results have are not made again; "
        "Ctrl-C or kill at any moment, and the same command goes on."
    )
    parser = add_command(commands, "reproduce", _reproduce, about, _EXAMPLES)
    parser.add_argument(
        "study",
        nargs="?",
        default="table1",
        metavar="STUDY",
        help=f"{', '.join(_names())}, or a TOML file of your own (default: table1)",
    )
    parser.add_argument("--datasets", nargs="+", metavar="GRAPH", help="only these graphs")
    parser.add_argument("--tasks", nargs="+", metavar="TASK", help="only these of roles, links and triangles")
    parser.add_argument("--models", nargs="+", metavar="MODEL", help="only these models")
    parser.add_argument("--seeds", type=int, metavar="N", help="at most so many seeds")
    parser.add_argument("--minutes", type=float, metavar="M", help="stop after so long: every cell has some seeds then")
    parser.add_argument(
        "--workers",
        type=_workers,
        metavar="N",
        help="runs at once (default: one for each core), or a Dask cluster, such as tcp://10.0.0.7:8786",
    )
    parser.add_argument("--store", metavar="FOLDER", help="where the runs are kept (default: runs/ of the project)")
    parser.add_argument("--results", metavar="FILE.csv", help="write one row a run, to go on from elsewhere")
    parser.add_argument("--retry", action="store_true", help="try failed runs again")
    parser.add_argument("--show", action="store_true", help="run nothing: print the table as it stands")
    parser.add_argument("--quiet", action="store_true", help="show no progress")


def _workers(text: str) -> int | str:
    return int(text) if re.fullmatch("[+-]?[0-9]{1,9}", text) else text


def _names() -> list[str]:
    folder = shipped("studies")
    there = sorted(file.stem for file in folder.glob("*.toml")) if folder else []
    return sorted([*there, *(name for name, of in _VIEW_OF.items() if of in there)])


def _file(name: str) -> Path:
    if name.endswith(".toml"):
        return Path(name)
    file = shipped(f"studies/{_VIEW_OF.get(name, name)}.toml")
    if file is None:
        raise ParameterError(f"There is no study {name!r}; choose one of {', '.join(_names())}, or name a TOML file.")
    return file


def _reproduce(options: argparse.Namespace) -> int | None:
    import degnn_explore as de

    study = de.study(_file(options.study), store=options.store)
    study = study.only(options.datasets, options.models, options.seeds, options.tasks)
    if options.results and Path(options.results).is_file():
        study.load(options.results)
    interrupted = False
    if not options.show:
        try:
            _run(study, options)
        except KeyboardInterrupt:
            interrupted = True
            say("stopped; what is finished is kept, and the same command goes on from there.")
    if options.results:
        say(f"results are in {study.results(options.results)}")
    print(study.text("optimistic" if options.study in _VIEW_OF else "validation"))
    print(f"\n{study.progress(options.workers if isinstance(options.workers, int) else None)}")
    for name, why in study.missing.items():
        say(f"left out: {name}, {why}")
    failed = study.failures()
    for name, why in list(failed.items())[:_MOST_SAID]:
        say(f"failed: {name}: {why.strip().splitlines()[-1]}")
    if len(failed) > _MOST_SAID:
        say(f"and {len(failed) - _MOST_SAID} more failed; --retry tries them again.")
    return INTERRUPTED if interrupted else BAD_ROWS if failed else None


def _run(study: Study, options: argparse.Namespace) -> None:
    written = time.monotonic()

    def tell(standing: Standing) -> None:
        nonlocal written
        bar.show(round(1000 * standing.share), str(standing))
        if options.results and time.monotonic() - written > _EVERY:
            study.results(options.results)
            written = time.monotonic()

    with Bar(study.asked.title, 1000, options.quiet) as bar:
        study.run(options.workers, minutes=options.minutes, progress=tell, retry=options.retry)
