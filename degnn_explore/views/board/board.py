"""The Training Board: one panel, one widget. Race models on a graph, compare them, look into mistakes, ask them."""

from __future__ import annotations

import os
import sys
import threading
import time
from collections.abc import Callable, Iterable
from contextlib import suppress
from functools import cache, partial
from pathlib import Path
from typing import Any

import traitlets as t

from ...common.errors import ParameterError, check_choice
from ...common.progress import watching
from ...learn.metrics import metric_name
from ...learn.registry import color_of
from ...studies.board_runs import BoardRuns
from ...studies.comparison import Comparison
from ...studies.diagnostics import Mistake, TrainedModels
from ...studies.executors import warm
from ...studies.missing_links import missing_links
from ...studies.race import Race
from ...studies.runs import Run, by_model
from ...studies.statistics import curves
from ...studies.store import Store
from ..explorer.explorer import MODULES
from ..explorer.state import ExplorerState, Side
from ..js import joined, loader, read
from ..static_html import save
from . import tables, words
from .embedded_explorer import FROM_PAGE, EmbeddedExplorer, PanelWithExplorer
from .figures import curve_figure
from .report import Story, still
from .state import USUAL, BoardState

SCRIPT = joined(*MODULES, "charts", "board") + "\nexport { renderBoard, startModel };\n"
_PAUSE = 0.1  # seconds between two updates
_SHARE = 0.04  # of the time may go into drawing; the larger the race, the rarer the updates
_BREATH = 0.3  # seconds in which a cell that made a board shows it
_DEAF = 0.7  # seconds in which another click is half of a double click: the button has just changed its meaning
TABS = ("mistakes", "distance", "ask", "missing")


class TrainingBoard(PanelWithExplorer):
    """A panel in which a class races models on a graph and sees distance encoding win, lose or tie.

    Parameters
    ----------
    graph
        A name that :func:`degnn_explore.load` knows, a graph of any kind that the Explorer takes ("my.csv", networkx,
        PyG), or any Task, whose split is then that of every seed.
    task
        "roles" (needs labels), "links" or "triangles"; by default roles if the graph has labels, else links.
    models
        Names from :func:`degnn_explore.models`; by default GCN, DE-GNN-SPD and a formula.
    seeds, epochs, device
        As in the panel; with ``DEGNN_FAST=1`` in the environment at most 1 seed and 3 epochs.
    results
        The folder of a :class:`degnn_explore.Store`; by default ``runs/`` of the project. A run that it holds is not
        trained again, and is shown once it is raced or asked for.
    workers
        How many runs at a time, each in a process of its own.
    **settings
        layers, hidden, dropout, max_dist, steps, hops, learning_rate, optimizer, patience.

    Notes
    -----
    A race goes on when the page is closed or reloaded, and can be looked at again. It is stopped by Cancel, by
    ``board.close()``, and by running the board's cell again. ``board.observe(f, "finished")`` calls ``f`` whenever runs
    have ended.

    Examples
    --------
    >>> import tempfile, degnn_explore as de
    >>> folder = tempfile.TemporaryDirectory()
    >>> board = de.TrainingBoard("karate", "links", ["GCN"], seeds=1, epochs=2, results=folder.name)
    >>> board.start()
    >>> board.wait()
    >>> board.results().frame().index.tolist(), board.finished
    (['GCN'], 1)
    >>> board.close()
    >>> folder.cleanup()
    """

    _script = t.Unicode(SCRIPT).tag(sync=True)
    _esm = loader(SCRIPT, "renderBoard")
    _css = read("panel.css") + read("board.css")
    from_page = frozenset({"values", "view", *(f"inner_{name}" for name in FROM_PAGE)})

    values: Any = t.Dict().tag(sync=True)
    """What is chosen: question, models, seeds, epochs, device, workers and settings."""
    view: Any = t.Dict().tag(sync=True)
    """What a reader has open. Written by the page alone."""
    form: Any = t.Dict().tag(sync=True)
    """What there is to choose from."""
    headline: Any = t.Dict().tag(sync=True)
    """The result in a sentence, how sure it is, and how it is judged."""
    go: Any = t.Dict().tag(sync=True)
    """What the button does, and how far each model is."""
    chart: Any = t.Dict().tag(sync=True)
    """The curves, as plotly's JSON."""
    result: Any = t.Dict().tag(sync=True)
    """A row for each model: mean, interval, seeds, the paper's value, in percent."""
    tab: Any = t.Dict().tag(sync=True)
    """The content of the open tab."""
    answer: Any = t.Dict().tag(sync=True)
    """What the models say of the picked set, and why."""
    finished = t.Int(0)
    """How many runs have finished on this board; observe it."""

    def __init__(
        self,
        graph: Any = "celegans",
        task: str | None = None,
        models: Iterable[str] | None = None,
        *,
        seeds: int = USUAL["seeds"],
        epochs: int = USUAL["epochs"],
        device: str = "auto",
        results: str | os.PathLike[str] | None = None,
        workers: int = 1,
        **settings: Any,
    ) -> None:
        self._loading: threading.Timer | None = None  # set first: close() needs them even where the constructor raises
        self._inner: EmbeddedExplorer | None = None
        self._made: BoardRuns | None = None
        self._searching: threading.Event | None = None
        self.state = BoardState(
            graph, task, models, seeds=seeds, epochs=epochs, device=device, workers=workers, **settings
        )
        self._store = Store(results)
        self._preparing = threading.RLock()
        self._seed = 0  # whose graph the Explorer shows
        self._asked: tuple[str, list[str]] = ("", [])  # what the tab shows, of which runs
        self._mistakes: tuple[list[str], list[Mistake]] = ([], [])
        self._ticker: threading.Thread | None = None
        self._quiet, self._closed = False, False
        self._deaf_until = 0.0
        super().__init__()
        self._put_values()
        self.observe(self._take_values, "values")
        for name in FROM_PAGE:
            self.observe(partial(self._take_inner, name), f"inner_{name}")
        if "torch" in sys.modules:
            self._load()
        else:  # importing it takes seconds and the interpreter's lock: the cell shows the panel first
            self.put(headline=words.loading(self.state.asked), go=words.button("wait"))
            self._loading = threading.Timer(_BREATH, self._load)
            self._loading.start()

    def _load(self) -> None:
        """Reads the store, which takes torch, and shows the panel in full."""
        try:
            if not self._closed:
                self._prepare()
                threading.Thread(target=self._warm_up, daemon=True, name="warms up").start()
        except Exception as error:
            self.show_error(error)

    def _warm_up(self) -> None:
        """In a thread: starts a worker, makes the task and loads compiled loops, so that Race begins at once."""
        if threading.main_thread().is_alive():  # else Python is about to end
            warm()
            with suppress(Exception):  # the race itself shows what is wrong
                self._runs.setup.check()

    def _prepare(self) -> BoardRuns:
        with self._preparing:
            if self._made is None:
                self._made = BoardRuns(self.state.setup(), self._store, show_earlier=False)
                self._put_values()
                self._settle()
            return self._made

    @property
    def _runs(self) -> BoardRuns:
        return self._made or self._prepare()

    # ---- for code -----------------------------------------------------------------------------

    def start(self) -> None:
        """Trains what is chosen, in the background, and continues after cancel; finished runs are not trained again."""
        if self.running:
            raise ParameterError("The board is training already; cancel it first, or wait.")
        race = self._runs.new_race(self.state.workers)
        if all(p.state == "finished" for p in race.snapshot().progress):
            self._settle()
            self._count(race)
            return
        race.start()
        self._refresh()
        self._ticker = threading.Thread(target=self._tick, args=(race,), daemon=True, name="training board")
        self._ticker.start()

    def cancel(self) -> None:
        """Stops within half a second; what is finished is kept."""
        if self.race is not None:
            self.race.cancel()
            self._settle()

    def wait(self, seconds: float | None = None) -> None:
        """Waits until training has ended and the panel shows the result, for scripts and notebooks."""
        if self._ticker is not None:
            self._ticker.join(seconds)

    def results(self) -> Comparison:
        """The comparison as it is shown, or of earlier runs if nothing was raced yet; ``.frame()``, ``.to_latex()``."""
        if self._runs.table() is None and self._runs.earlier:
            self._show_earlier({})
        table = self._runs.table()
        if table is None:
            raise ParameterError("There is no finished run to compare; train at least one seed of one model.")
        return table

    @property
    def race(self) -> Race | None:
        """The race of what is chosen, once it was started."""
        return self._runs.race

    @property
    def running(self) -> bool:
        """Whether something is being trained."""
        return self._made is not None and self._made.race is not None and self._made.race.running

    @property
    def runs(self) -> list[Run]:
        """The finished runs that are shown."""
        return self._runs.runs

    @property
    def store(self) -> Store:
        """Where the runs are kept; models are files in ``store.models``."""
        return self._store

    @property
    def mistakes(self) -> list[Mistake]:
        """The hardest mistakes of the best model."""
        best = self._runs.best()
        if best is None:
            return []
        keys = [run.key for run in tables.own_runs(self._trained, self._runs.shown, best.model)]
        if keys != self._mistakes[0]:
            self._mistakes = keys, tables.find_mistakes(self._trained, self._runs.shown, best)
        return self._mistakes[1]

    def code(self) -> str:
        """Python that repeats the runs shown without the board; before there are any, the chosen ones."""
        return self._runs.code()

    def report(self, file: str | os.PathLike[str]) -> Path:
        """Writes result, curves, mistakes, settings and versions as one HTML page that needs no network."""
        return save(file, self._story().report())

    def open_mistake(self, number: int = 0) -> None:
        """Opens one of the mistakes in the Explorer, with what each model says of it."""
        found = self.mistakes
        if not 0 <= number < len(found):
            raise ParameterError(f"There is no mistake {number}; {len(found)} are listed.")
        self._open({"nodes": list(found[number].nodes), "seed": found[number].seed})

    def static(self) -> tuple[str, str]:
        """Curves and table for viewers without a kernel, with a caption."""
        return still(self.state.asked) if self._made is None else self._story().still()

    def end(self) -> None:
        """Stops training; called once, when the panel is closed."""
        self._closed = True
        if self._loading is not None:
            self._loading.cancel()
        if self._made is not None and self._made.race is not None:
            self._made.race.cancel(wait=False)
        if self._searching is not None:
            self._searching.set()
        if self._inner is not None:
            self._inner.end()
        self.unobserve_all()

    # ---- from the page ------------------------------------------------------------------------

    def do(self, name: str, content: dict[str, Any]) -> None:
        """Handles a command from the page."""
        commands: dict[str, Callable[[dict[str, Any]], None]] = {
            "go": self._go,
            "earlier": self._show_earlier,
            "tab": self._open_tab,
            "open": self._open,
            "why": self._why,
            "download": self._download,
        }
        commands[check_choice("command", name, commands)](content)

    def _message(self, widget: Any, content: Any, buffers: Any) -> None:
        kind = content.get("kind") if isinstance(content, dict) else ""
        if kind == "plotly?":
            self.send({"kind": "plotly"}, [_plotly()])
        elif kind == "inner" and self._inner is not None:
            self._inner._message(widget, content.get("content"), buffers)
        else:
            super()._message(widget, content, buffers)

    def _go(self, content: dict[str, Any]) -> None:
        if time.monotonic() < self._deaf_until:
            return
        meant = words.meaning(self._runs.snapshot())
        if content.get("meaning") not in (None, meant):
            return  # the page had not heard yet
        self._deaf_until = time.monotonic() + _DEAF
        if meant != "cancel" and "values" in content:  # a choice of a moment ago may arrive after the click
            self.set_trait("values", content["values"])
        (self.cancel if meant == "cancel" else self.start)()

    def _take_values(self, change: dict[str, Any]) -> None:
        if self._quiet:
            return
        try:
            if self.running:
                raise ParameterError("A race is under way; cancel it first, then choose.")
            with self.turn:
                self.state.update(**change["new"])
                self._runs.choose(self.state.setup(), self.store)
        finally:
            self._put_values()
        self.put(error={})
        self._settle()

    def _take_inner(self, name: str, change: dict[str, Any]) -> None:
        if self._inner is not None:
            self._inner.take(name, change["new"])

    def _show_earlier(self, _: dict[str, Any]) -> None:
        self._runs.show_earlier = True
        self._settle()

    def _download(self, content: dict[str, Any]) -> None:
        name = self._runs.file_name
        makers: dict[str, Callable[[], tuple[str, str, str]]] = {
            "report": lambda: (f"report-{name}.html", "text/html", self._story().report()),
            "csv": lambda: (f"{name}.csv", "text/csv", self.results().to_csv()),
            "latex": lambda: (f"{name}.tex", "text/x-tex", self.results().to_latex()),
        }
        if content["what"] == "code":
            self.send({"kind": "copy", "text": self.code()})
            return
        file, mime, text = makers[check_choice("what", content["what"], makers)]()
        self.send({"kind": "download", "name": file, "mime": mime, "text": text})

    # ---- looking into it ----------------------------------------------------------------------

    @property
    def _trained(self) -> TrainedModels:
        return self._runs.trained_models

    def _open_tab(self, content: dict[str, Any]) -> None:
        self._fill(check_choice("tab", content["tab"], TABS))

    def _fill(self, kind: str) -> None:
        """Computes what a tab shows, unless it is shown already."""
        best, shown = self._runs.best(), self._runs.shown
        asked = (kind, [run.key for run in shown])
        if best is None:
            self._asked = ("", [])
            self.put(tab={}, answer={})
            return
        if asked == self._asked and kind != "missing":
            return
        if kind == "ask":
            if self._inner is None or self._inner.state.sides[0].graph is not self._trained.task(self._seed).graph:
                self._show_inner(best.seed, [])
            self._answer()
            self.put(tab={"kind": kind})
        elif kind == "missing":
            self._search(best, shown)
        else:
            self.put(tab={"kind": kind, "busy": "Judging the test sets…"})
            self.put(
                tab={"kind": kind} | (self._mistake_table(best) if kind == "mistakes" else self._by_distance(best))
            )
        self._asked = asked

    def _mistake_table(self, best: Run) -> dict[str, Any]:
        seeds = len(tables.own_runs(self._trained, self._runs.shown, best.model))
        return tables.mistake_table(self.mistakes, self._trained.task(best.seed), best.model, seeds)

    def _by_distance(self, best: Run) -> dict[str, Any]:
        there = self._trained.of_seed(self._runs.shown, best.seed)
        order = sorted(there, key=lambda name: name != best.model)
        return tables.distance_table({name: self._trained.scored(there[name]) for name in order})

    def _open(self, content: dict[str, Any]) -> None:
        """Shows a set in the Explorer, on the graph of its seed."""
        nodes, seed = [int(node) for node in content["nodes"]], int(content.get("seed", self._seed))
        self._show_inner(seed, nodes)
        self._asked = ("ask", [run.key for run in self._runs.shown])
        self.put(tab={"kind": "ask"}, view=self.view | {"tab": "ask"})
        self._answer()
        if content.get("why"):
            self._why({})

    def _show_inner(self, seed: int, nodes: list[int]) -> None:
        task = self._trained.task(seed)
        if not nodes and task.p == 1:
            nodes = [int(task.graph.degrees.argmax())]
        state = ExplorerState(Side(task.graph, tuple(nodes)))
        state.size, state.cut = task.p, task.p > 1
        held_out = ": the held-out links are not in it" if task.graph.num_edges < task.full_graph.num_edges else ""
        state.idea = f"The graph that the models were trained on{held_out}."
        self._seed = seed
        if self._inner is None:
            self._inner = EmbeddedExplorer(self, task.graph)
            self._inner.observe(lambda _: self._answer(), "targets")
        self._inner.show(state)

    def _answer(self) -> None:
        """What the models say of the set that is picked in the Explorer."""
        if self._inner is None:
            return
        picked = list(self._inner.state.sides[0].targets)
        answer = tables.answer(self._trained, self._runs.shown, picked, self._seed)
        asked = self.answer.get("why", {}).get("model") if self.answer.get("why") else None
        self.put(answer=answer)
        if asked and answer["scores"]:
            self._why({"model": asked})

    def _why(self, content: dict[str, Any]) -> None:
        """What moves the score of the picked set."""
        from ...learn.explain import explain

        if content.get("close"):
            self.put(answer={**self.answer, "why": None})
            return
        there = self._trained.of_seed(self._runs.shown, self._seed)
        best = self._runs.best()
        model = content.get("model") or (
            best.model if best is not None and best.model in there else next(iter(there), "")
        )
        if model not in there or not self.answer.get("nodes"):
            raise ParameterError("Pick a set first; then ask a model that is trained why it says so.")
        task = self._trained.task(self._seed)
        self.put(answer={**self.answer, "why": {"busy": f"Leaving out one edge after the other, for {model}…"}})
        try:
            why = explain(self._trained.model(there[model]), task.graph, self.answer["nodes"])
        except Exception:
            self.put(answer={**self.answer, "why": None})
            raise
        named = task.class_names[task.classes.index(why.label)]
        self.put(answer={**self.answer, "why": tables.why_table(why, named) | {"model": model, "models": list(there)}})

    def _search(self, best: Run, shown: list[Run]) -> None:
        """Looks for missing links near the picked nodes, in a thread; asked again, it stops and shows what it has."""
        if self._searching is not None:
            self._searching.set()
            return
        task = self._trained.task(best.seed)
        if task.kind != "links":
            self.put(
                tab={
                    "kind": "missing",
                    "columns": [],
                    "rows": [],
                    "note": "Only models of links can look for missing links.",
                }
            )
            return
        picked = [] if self._inner is None else list(self._inner.state.sides[0].targets)
        near = picked or [int(task.graph.degrees.argmax())]
        there = self._trained.of_seed(shown, best.seed)
        models = {name: self._trained.model(there[name]) for name in sorted(there, key=lambda name: name != best.model)}
        stop = self._searching = threading.Event()
        where = tables.set_name(task.full_graph, near)

        def tell(_: str, done: float) -> None:
            self.put(tab={"kind": "missing", "busy": f"Judging pairs near {where}: {100 * done:.0f} %"})

        def work() -> None:
            try:
                with watching(tell, stop):
                    found = missing_links(models, task, near)
                table = tables.missing_table(found, task.full_graph, list(models))
                table["rows"] = [row | {"seed": best.seed} for row in table["rows"]]
                self.put(tab={"kind": "missing", "near": where} | table)
            except Exception as error:
                self.put(tab={"kind": "missing", "columns": [], "rows": [], "note": ""})
                self.show_error(error)
            finally:
                self._searching = None

        self.put(tab={"kind": "missing", "busy": f"Judging pairs near {where}…"})
        threading.Thread(target=work, daemon=True, name="missing links").start()

    # ---- to the page --------------------------------------------------------------------------

    def _tick(self, race: Race) -> None:
        """In a thread: shows the race whenever there is something new and drawing is cheap, until it ends."""
        seen, pause = race.version, _PAUSE
        try:
            while not race.wait(pause) and not self._closed:
                began = time.thread_time()
                if race.version != seen:
                    seen = race.version
                    self._refresh()
                pause = max(_PAUSE, (time.thread_time() - began) / _SHARE)
            if not self._closed:
                self._settle()
                self._count(race)
        except Exception as error:
            self.show_error(error)

    def _count(self, race: Race) -> None:
        ended = sum(p.done for p in race.snapshot().progress)
        self.set_trait("finished", max(ended, self.finished + 1) if ended else self.finished)

    def _settle(self) -> None:
        """Shows all that there is once nothing is trained."""
        self._refresh()
        if self._runs.table() is not None:
            self._fill(self.view.get("tab") or "mistakes")
        elif self.tab:
            self.put(tab={}, answer={})
            self._asked = ("", [])

    def _refresh(self) -> None:
        shown, table = self._runs.snapshot(), self._runs.table()
        running = shown is not None and shown.state == "running"
        title, sure = words.title_and_note(self._runs.setup, self.state.asked, self.state.workers, shown, table)
        found = curves(self._runs.drawn())
        self.put(
            headline={
                "title": title,
                "sure": " ".join(filter(None, [sure, self._runs.note if table is None else ""])),
                "judged": list(table.notes) if table is not None else [],
                "earlier": 0 if running else self._runs.earlier,
            },
            go=words.button(words.meaning(shown)) | {"progress": words.progress(shown), "running": running,
                                                     "where": "" if shown is None else shown.where},
            chart=curve_figure(found, self._runs.setup.epochs) if found else {},
            result={"metric": self._metric, "rows": self._rows(table)},
        )  # fmt: skip

    @property
    def _metric(self) -> str:
        return metric_name(self._runs.setup.question.metric)

    def _rows(self, table: Comparison | None) -> list[dict[str, Any]]:
        """The rows of the dot chart, best first."""
        seeds = by_model(self._runs.shown)
        return [
            {"model": row.model, "color": color_of(row.model), "mean": round(row.mean, 2),
             "half": None if row.half is None else round(row.half, 2),
             "paper": row.paper[0] if row.paper else None,
             "seeds": [round(100 * float(run.test or 0), 2) for run in seeds.get(row.model, [])]}
            for row in (table.rows if table is not None else ())]  # fmt: skip

    def _put_values(self) -> None:
        self._quiet = True
        try:
            self.put(values=self.state.values, form=self.state.form(known="torch" in sys.modules))
        finally:
            self._quiet = False

    def _story(self) -> Story:
        best = self._runs.best()
        wrong = {} if best is None else self._mistake_table(best)
        figure = curve_figure(curves(self._runs.drawn()), self._runs.setup.epochs, 320)
        whose = "" if best is None else best.model
        return Story(self.state.asked, figure, self._runs.table(), wrong, whose, self._runs.shown, self.code())


@cache
def _plotly() -> bytes:
    """Plotly, as it is installed, for the page to import; nothing is fetched."""
    import plotly

    file = Path(plotly.__file__).parent / "package_data" / "plotly.min.js"
    # it asks for a CommonJS module first, and would else put itself on the page's window
    before = b"const module = { exports: {} }; const exports = module.exports;"
    return b"\n".join([before, file.read_bytes(), b";export default module.exports;"])
