"""The command ``degnn-explore``: explore, train, score and reproduce from a shell, without writing Python."""

from __future__ import annotations

import argparse
import ast
import contextlib
import inspect
import os
import re
import runpy
import sys
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

import degnn_explore as de
from degnn_explore.common.errors import GraphError, ParameterError, TargetError, check_choice, check_int, short_repr
from degnn_explore.common.extras import MissingExtra, needs_extra
from degnn_explore.common.files import shipped
from degnn_explore.common.style import counted
from degnn_explore.expressive.methods import METHODS
from degnn_explore.graphs.graph import Graph

from .app import serve

if TYPE_CHECKING:
    import pandas

__all__ = ["main"]

FAILED_RUNS, INTERRUPTED = 3, 130
CODES = (
    "exit codes: 0 done, 1 a bug in this program (with a traceback), 2 an input cannot be used,\n"
    f"{FAILED_RUNS} runs of a study failed, {INTERRUPTED} interrupted by Ctrl-C"
)
CHUNK = 20_000  # target sets scored at a time
VIEW_OF = {"appendix": "table1"}  # the appendix reports the same runs without validation


def main(argv: Sequence[str] | None = None) -> int:
    """Run ``degnn-explore`` with these arguments and return its exit code.

    Examples
    --------
    >>> main(["distinguish", "karate", "0", "33", "--method", "1-WL", "--quiet"])
    different
    0
    """
    options = parser().parse_args(argv)
    try:
        if imported := getattr(options, "imported", None):
            if not Path(imported).is_file():
                raise ParameterError(f"There is no file {imported!r} to import.")
            runpy.run_path(imported)
        with needs_extra("this command"):
            code: int | None = options.run(options)
        sys.stdout.flush()
    except BrokenPipeError:  # the reader, such as head, has seen enough
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 0
    except KeyboardInterrupt:
        return INTERRUPTED
    except (GraphError, TargetError, ParameterError, OSError, MissingExtra) as error:  # else a bug: show its traceback
        log(" ".join(str(error).split()))
        return 2
    return code or 0


def log(text: str) -> None:
    """A line for the person at the shell; standard output is for results."""
    print(f"degnn-explore: {text}", file=sys.stderr)


def bar(label: str, total: int, quiet: bool, **options: Any) -> Any:
    """A progress bar on standard error; in a log it writes a line every 30 seconds."""
    from tqdm import tqdm

    every = 0.3 if sys.stderr.isatty() else 30
    return tqdm(desc=label, total=total, disable=quiet, mininterval=every, **options)


# ---------------------------------------------------------------------------------------------- arguments


def parser() -> argparse.ArgumentParser:
    """All commands and their options."""
    top = argparse.ArgumentParser(
        prog="degnn-explore",
        description="Distance Encoding for graph neural networks. 'degnn-explore COMMAND --help' has examples of each.",
        epilog="GRAPH is a name from 'degnn-explore datasets' or a file; a node is its name, or else its number 0..n-1."
        f"\n{CODES}",
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    top.add_argument("--version", action="version", version=f"degnn-explore {de.__version__}")
    commands = top.add_subparsers(title="commands", required=True, metavar="COMMAND")

    def add(name: str, run: Callable[[argparse.Namespace], int | None], about: str, examples: str = "") -> Any:
        lines = "\n".join(f"  degnn-explore {name} {line}".rstrip() for line in examples.strip().split("\n"))
        command = commands.add_parser(
            name,
            help=about[0].lower() + about[1:].partition(".")[0],
            description=about,
            epilog=f"examples:\n{lines}\n\n{CODES}",
            formatter_class=argparse.RawDescriptionHelpFormatter,
        )
        command.set_defaults(run=run)
        return command.add_argument

    def add_graph(argument: Any) -> None:
        argument("graph", metavar="GRAPH", help="a name from 'degnn-explore datasets', or a file")
        what = "run this Python file first: it may register your own encodings and models"
        argument("--import", dest="imported", metavar="FILE.py", help=what)

    def add_page(argument: Any) -> None:
        argument("--no-browser", dest="browser", action="store_false", help="only print the address")
        argument("--port", type=int, default=0, help="port of the page (default: any free one)")
        argument("--dark", action="store_true", help="light on dark")

    add("about", about, "Show the versions in use and the device.")
    add("datasets", datasets, "List the graphs that can be loaded by name.")

    what = "Can a GNN tell two target sets of a graph apart?"
    argument = add("distinguish", distinguish, what, "karate 0 33\nmy.csv ann,bob ann,eve --cut")
    add_graph(argument)
    argument("a", metavar="A", help="a node, or several joined by commas")
    argument("b", metavar="B", help="as many nodes as A")
    custom = "with --import also DE-name or DEA-name of your own encoding"
    argument("--method", default="DE-SPD", help=f"{', '.join(METHODS)} (default: DE-SPD); {custom}")
    argument("--cut", action="store_true", help="remove the edges inside each set first")
    argument("--quiet", action="store_true", help="print only 'same' or 'different'")

    what = (
        "Open the Explorer in a browser, without a notebook. The page is served on this machine only, to whoever\n"
        "has its address; Ctrl-C ends it. Needs the extra 'app': pip install 'degnn_explore[app]'."
    )
    argument = add("explore", explore, what, "karate\nmy.csv ann bob\nmy.csv --no-browser --port 8900")
    add_graph(argument)
    argument("nodes", metavar="NODE", nargs="*", help="the target set to start with")
    add_page(argument)
    what = "Open the Explorer and the Training Board in a browser, on one page with two tabs, for a projector."
    add_page(add("app", app, what, "--dark\n--port 8900 --no-browser"))

    what = "Train a model and save it. Ctrl-C keeps a checkpoint next to OUT; the same command resumes from it."
    examples = (
        "celegans --out spd.safetensors\n"
        "my.csv --task roles --labels labels.csv --model GCN --epochs 200 --out roles.safetensors\n"
        "pb --model DEA-GNN-SPD --set layers=1 --set learning_rate=0.003 --seed 7 --out dea.safetensors"
    )
    argument = add("train", train, what, examples)
    add_graph(argument)
    argument("--out", required=True, help="the model's file, such as model.safetensors")
    argument("--task", default="links", help="links (default), roles or triangles")
    argument("--model", default="DE-GNN-SPD", help="a name of de.models() (default: DE-GNN-SPD)")
    argument("--labels", metavar="FILE", help="node labels, for roles: a file with two columns")
    what = "a setting of the model (layers, hidden, …) or of training (learning_rate, patience, …); repeat as needed"
    argument("--set", dest="settings", action="append", default=[], metavar="NAME=VALUE", help=what)
    argument("--epochs", type=int, default=100, metavar="N", help="at most this many (default: 100)")
    argument("--seed", type=int, default=0, help="seed of split, weights and order (default: 0)")
    argument("--max-positives", type=int, metavar="K", help="learn from K of the links or triangles only")
    argument("--device", default="auto", help="auto (default), cpu, cuda or mps")
    argument("--quiet", action="store_true", help="show no progress")

    what = (
        "Score a file of target sets with a saved model: one set a line, its nodes by name or number, as many as the\n"
        "model takes. Edges inside a set are cut, as in training. Lines without a valid target set are skipped."
    )
    examples = (
        "spd.safetensors celegans pairs.csv --out scores.csv\n"
        "spd.safetensors my.csv candidates.tsv --columns from,to --out scores.csv"
    )
    argument = add("score", score, what, examples)
    argument("model", metavar="MODEL", help="a file that 'train' or de.save wrote")
    add_graph(argument)
    argument("sets", metavar="SETS", help="the target sets: columns separated by commas, semicolons, tabs or spaces")
    argument("--out", required=True, help="where the scores go: a CSV file")
    argument("--columns", metavar="A,B", help="the columns of the nodes, by name; without a header counted from 1")
    argument("--device", default="auto", help="auto (default), cpu, cuda or mps")
    argument("--quiet", action="store_true", help="show no progress")

    what = (
        "Repeat the paper's tables. Runs that are in the store or in the committed results are not repeated;\n"
        "stop it with Ctrl-C or kill at any time, and the same command continues."
    )
    examples = (
        "\ntable1 --minutes 30\ntable1 --datasets celegans ns --models GCN DE-GNN-SPD --seeds 5\nappendix --show\n"
        "heuristics --workers 2 --results results/heuristics.csv\ntable1 --workers tcp://10.0.0.7:8786\nmy_study.toml"
    )
    argument = add("reproduce", reproduce, what, examples)
    what = f"{', '.join(study_names())}, or your own TOML file (default: table1)"
    argument("study", nargs="?", default="table1", metavar="STUDY", help=what)
    argument("--datasets", nargs="+", metavar="GRAPH", help="only these graphs")
    argument("--tasks", nargs="+", metavar="TASK", help="only these of roles, links and triangles")
    argument("--models", nargs="+", metavar="MODEL", help="only these models")
    argument("--seeds", type=int, metavar="N", help="at most N seeds")
    argument("--minutes", type=float, metavar="M", help="stop after M minutes, with some seeds in every cell")
    what = "runs at once (default: one per core), or a Dask cluster such as tcp://10.0.0.7:8786"
    argument("--workers", type=number_or_address, metavar="N", help=what)
    argument("--store", metavar="FOLDER", help="where the runs are kept (default: runs/ of the project)")
    argument("--results", metavar="FILE.csv", help="write one row per run, to continue from on another machine")
    argument("--retry", action="store_true", help="try failed runs again")
    argument("--show", action="store_true", help="run nothing: print the table as it stands")
    argument("--quiet", action="store_true", help="show no progress")
    return top


def graph_of(text: str) -> Graph:
    """The graph in a file, or the one with that name; what looks like a file must exist."""
    return de.read_graph(text) if is_file(text) else de.load(text)


def is_file(text: str) -> bool:
    """Whether a file is meant rather than a name."""
    path = Path(text)
    return path.exists() or bool(path.suffix) or len(path.parts) > 1


def node_of(G: Graph, text: str) -> int | str:
    """A node's name, if one is called that; else its number, unless the names are other numbers."""
    is_number = text.isdecimal() and not G.cleaning.renumbered
    return int(text) if is_number and text not in G.names else text


def set_of(G: Graph, text: str) -> list[int | str]:
    """Nodes joined by commas, unless the whole text is the name of a node."""
    return [node_of(G, name) for name in ([text] if text in G.names else text.split(","))]


def output_of(text: str) -> Path:
    """A file to write; an error before anything is computed if it cannot be one."""
    path = Path(text)
    if path.is_dir():
        raise ParameterError(f"--out {text!r} is a folder; name a file in it.")
    if not path.parent.is_dir():
        raise ParameterError(f"There is no folder {str(path.parent)!r} for --out; create it first.")
    return path


def number_or_address(text: str) -> int | str:
    """A number of workers, or the address of a cluster."""
    return int(text) if re.fullmatch("[+-]?[0-9]{1,9}", text) else text


# ----------------------------------------------------------------------------------------------- commands


def about(options: argparse.Namespace) -> None:
    print(de.about().to_string(header=False))


def datasets(options: argparse.Namespace) -> None:
    table = de.datasets()[["name", "nodes", "edges", "labels", "available", "what"]]
    print(table.to_string(index=False, max_colwidth=60))


def distinguish(options: argparse.Namespace) -> None:
    G = graph_of(options.graph)
    a, b = set_of(G, options.a), set_of(G, options.b)
    verdict = de.distinguish((G, a), (G, b), method=options.method, cut=options.cut)
    print("different" if verdict.different else "same")
    if not options.quiet:
        print(verdict.why)


def explore(options: argparse.Namespace) -> None:
    G = graph_of(options.graph)  # an unreadable graph or a missing node ends the command here, not on the page
    targets = [node_of(G, text) for text in options.nodes]
    if targets:
        G.target_set(targets)
    lines = ["import degnn_explore as de"]
    if options.imported:
        lines += ["import runpy", f"_ = runpy.run_path({str(Path(options.imported).absolute())!r})"]
    source = str(Path(options.graph).absolute()) if is_file(options.graph) else options.graph
    show("\n".join([*lines, f"de.Explorer(({source!r}, {targets!r}))"]), "The Explorer", options)


def app(options: argparse.Namespace) -> None:
    code = """import ipywidgets as W
import degnn_explore as de
W.Tab([de.Explorer(), de.TrainingBoard()], titles=("Explorer", "Training Board"))"""
    show(code, "Distance Encoding", options)


def show(code: str, title: str, options: argparse.Namespace) -> None:
    port = check_int("--port", options.port, least=0, most=65_535)
    serve(code, title, port=port, browser=options.browser, dark=options.dark, log=log)


def train(options: argparse.Namespace) -> int | None:
    out = output_of(options.out)
    if options.labels is not None and not is_file(options.graph):
        raise ParameterError("--labels goes with a graph from a file; graphs loaded by name have their own labels.")
    G = graph_of(options.graph) if options.labels is None else de.read_graph(options.graph, labels=options.labels)
    makers: dict[str, Any] = {"links": de.link_task, "roles": de.role_task, "triangles": de.triangle_task}
    make = makers[check_choice("task", options.task, makers)]
    if options.max_positives is None:
        task = make(G, seed=options.seed)
    elif options.task == "roles":
        raise ParameterError("--max-positives is for links and triangles; roles are learned from every labeled node.")
    else:
        task = make(G, seed=options.seed, max_positives=options.max_positives)
    of_model, of_training = settings_of(options)
    model = de.build(options.model, task, seed=options.seed, **of_model)
    kept = out.with_name(f"{out.name}.checkpoint")
    if resumed := kept.exists():
        log(f"Resuming from {kept}.")
    of_training |= {"seed": options.seed, "device": options.device, "progress": not options.quiet}
    epochs: Any = de.fit(model, task, options.epochs, checkpoint=kept, **of_training)
    run: list[de.Epoch] = []
    try:
        with contextlib.closing(epochs), bar(model.name, options.epochs, options.quiet, unit="epoch") as shown:
            for epoch in epochs:
                run.append(epoch)
                shown.set_postfix_str(f"validation {epoch.val[epoch.metric]:.4f}", refresh=False)
                shown.update(epoch.number - shown.n)
    except KeyboardInterrupt:  # closing the generator wrote the checkpoint
        rest = f"{kept} keeps {len(run)} epochs; the same command resumes from there"
        log(f"Stopped: {rest if kept.exists() else 'no epoch was finished, so nothing was kept'}.")
        return INTERRUPTED
    de.save(model, out)
    kept.unlink(missing_ok=True)
    best = de.summarize(run)
    total = f", {len(run)} epochs in all" if resumed else f" of {len(run)}"
    print(
        f"{model.name} on {task.full_graph.title or options.graph}, {task.kind}, seed {options.seed}: epoch "
        f"{best.epoch}{total} is best on validation; test {best.metric} {best.test:.4f}\nSaved as {out}"
    )
    return None


def settings_of(options: argparse.Namespace) -> tuple[dict[str, Any], dict[str, Any]]:
    """The settings from ``--set``: those of the model, and those of ``de.fit``."""
    models = de.models()
    of_model = models.loc[check_choice("model", options.model, models.index), "hyperparameters"]
    keywords = inspect.signature(de.fit).parameters.values()
    reserved = {"seed", "device", "progress", "checkpoint"}
    of_training = [it.name for it in keywords if it.kind is it.KEYWORD_ONLY and it.name not in reserved]
    settings = dict(setting(text) for text in options.settings)
    for name in settings:
        check_choice(f"setting of {options.model}", name, [*of_model, *of_training])
    model_settings = {name: value for name, value in settings.items() if name in of_model}
    return model_settings, {name: value for name, value in settings.items() if name not in of_model}


def setting(text: str) -> tuple[str, Any]:
    """A name and its value, a word where it is not a number.

    >>> setting("layers=3"), setting("patience=None"), setting("optimizer=sgd")
    (('layers', 3), ('patience', None), ('optimizer', 'sgd'))
    """
    name, equals, value = text.partition("=")
    name = name.strip().replace("-", "_")
    if not equals or not name:
        raise ParameterError(f"--set takes NAME=VALUE, such as layers=3, not {text!r}.")
    try:
        return name, ast.literal_eval(value)
    except (ValueError, SyntaxError):
        return name, value


def score(options: argparse.Namespace) -> None:
    out = output_of(options.out)
    source = Path(options.sets)
    if not source.is_file():
        raise ParameterError(f"There is no file {options.sets!r} of target sets.")
    if out.exists() and out.samefile(source):
        raise ParameterError(f"--out names the file that is read, {out}; choose another.")
    model, G = de.load_model(options.model), graph_of(options.graph)
    numbers = numbers_of(G)
    names = ["score"]
    if model.shape.num_classes > 2:
        names = [f"score of {label}" for label in model.shape.classes or range(model.shape.num_classes)]
    unfinished = out.with_name(f".{out.name}.part")
    scored, skipped, first = 0, 0, ""
    try:
        with (
            source.open("rb") as file,
            unfinished.open("w", encoding="utf-8", newline="") as target,
            bar("scoring", source.stat().st_size, options.quiet, unit="B", unit_scale=True) as shown,
        ):
            for table in tables_of_sets(source, file, options.columns, model.shape.p, numbers):
                nodes = [table[column].map(numbers).fillna(-1) for column in table]
                sets = np.stack(nodes, axis=1).astype(np.int64)
                ordered = np.sort(sets, axis=1)
                valid = (ordered[:, 0] >= 0) & (ordered[:, 1:] != ordered[:, :-1]).all(axis=1)
                if not valid.all():
                    skipped += int((~valid).sum())
                    first = first or ", ".join(table[~valid].iloc[0])
                if valid.any():
                    scores = de.predict(model, G, sets[valid], device=options.device, progress=False)
                    columns = dict(zip(names, scores.reshape(-1, len(names)).T, strict=True))
                    table[valid].assign(**columns).to_csv(target, index=False, header=not scored)
                    scored += int(valid.sum())
                shown.update(file.tell() - shown.n)
        if skipped:
            log(f"Skipped {counted(skipped, 'line')} without a valid target set, the first: {short_repr(first)}")
        if not scored:
            raise ParameterError(f"No line of {source} names {model.shape.p} different nodes of this graph.")
        os.replace(unfinished, out)
    finally:
        unfinished.unlink(missing_ok=True)
    log(f"{scored:,} sets scored, written to {out}")


def tables_of_sets(
    path: Path, file: Any, wanted: str | None, p: int, numbers: dict[str, int]
) -> Iterator[pandas.DataFrame]:
    """The columns of the nodes, a table of text for every ``CHUNK`` rows of the file.

    A first line in which no cell is a node or a number is a header.
    """
    import pandas as pd

    options: dict[str, Any] = {"dtype": str, "keep_default_na": False, "encoding": "utf-8-sig"}
    options |= {"encoding_errors": "replace", "skipinitialspace": True}
    with path.open(encoding="utf-8-sig", errors="replace") as head:
        first = next((line for line in head if line.strip()), "")
    separator = next((it for it in "\t,;" if it in first), r"\s+")
    try:
        cells = [
            str(cell).strip() for cell in pd.read_csv(path, sep=separator, header=None, nrows=1, **options).iloc[0]
        ]
        is_header = not any(cell in numbers or cell.lstrip("+-").isdecimal() for cell in cells)
        names = cells if is_header else [str(i + 1) for i in range(len(cells))]
        columns = names[:p] if wanted is None else [check_choice("column", it, names) for it in wanted.split(",")]
        if len(columns) != p:
            raise ParameterError(f"The model takes sets of {p} nodes; {path} or --columns names {len(columns)}.")
        places_in_file = [names.index(column) for column in columns]
        titles = columns if is_header and len({*columns} - {"score"}) == p else [f"node {i + 1}" for i in range(p)]
        options |= {
            "names": range(len(cells)),
            "index_col": False,
            "header": 0 if is_header else None,
        }  # rows may be short
        chunks = pd.read_csv(file, sep=separator, chunksize=CHUNK, usecols=places_in_file, **options)
        for chunk in chunks:
            table = chunk[places_in_file].set_axis(titles, axis=1)
            yield table.apply(lambda column: column.str.strip()).reset_index(drop=True)
    except (pd.errors.ParserError, pd.errors.EmptyDataError) as error:
        raise ParameterError(f"{path} is not a table of target sets: {error}") from None


def numbers_of(G: Graph) -> dict[str, int]:
    """The number of a node by how it may be written: its name, or its number where names are not other numbers."""
    numbers = {} if G.cleaning.renumbered else {str(i): i for i in range(G.num_nodes)}
    stripped = {name.strip(): i for i, name in reversed(list(enumerate(G.names)))}  # cells lose the spaces around them
    return numbers | stripped | {name: i for i, name in enumerate(G.names)}


def study_names() -> list[str]:
    """The studies that come with the project."""
    folder = shipped("studies")
    there = sorted(file.stem for file in folder.glob("*.toml")) if folder else []
    return sorted([*there, *(name for name, of in VIEW_OF.items() if of in there)])


def reproduce(options: argparse.Namespace) -> int | None:
    name = options.study
    file = Path(name) if name.endswith(".toml") else shipped(f"studies/{VIEW_OF.get(name, name)}.toml")
    if file is None:
        raise ParameterError(
            f"There is no study {name!r}; choose one of {', '.join(study_names())}, or name a TOML file."
        )
    study = de.study(file, store=options.store)
    study = study.only(options.datasets, options.models, options.seeds, options.tasks)
    if options.results and Path(options.results).is_file():
        study.load(options.results)
    interrupted = not options.show and run_study(study, options)
    if options.results:
        log(f"Results are in {study.results(options.results)}.")
    print(study.text("optimistic" if name in VIEW_OF else "validation"))
    print(f"\n{study.progress(options.workers if isinstance(options.workers, int) else None)}")
    for graph, why in study.missing.items():
        log(f"skipped: {graph}, {why}")
    failures = study.failures()
    for run, why in list(failures.items())[:5]:
        log(f"failed: {run}: {why.strip().splitlines()[-1]}")
    if len(failures) > 5:
        log(f"{len(failures) - 5} more failed; --retry tries them again.")
    return INTERRUPTED if interrupted else FAILED_RUNS if failures else None


def run_study(study: de.Study, options: argparse.Namespace) -> bool:
    """Run the study; returns whether Ctrl-C ended it."""

    def show_progress(progress: Any) -> None:
        shown.set_postfix_str(str(progress), refresh=False)
        shown.update(round(1000 * progress.share) - shown.n)

    look = "{desc}: {percentage:3.0f}%|{bar}| {postfix} [{elapsed}<{remaining}]"
    with bar(study.title, 1000, options.quiet, bar_format=look) as shown:
        return bool(
            study.run(options.workers, minutes=options.minutes, progress=show_progress, retry=options.retry).interrupted
        )
