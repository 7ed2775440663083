"""A real JupyterLab on this machine and a real Chromium in front of it; used by tests, benchmarks and pictures."""

from __future__ import annotations

import contextlib
import json
import os
import shutil
import socket
import subprocess
import sys
import urllib.error
import urllib.request
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

import nbformat

from tests.support.waiting import LONG, until

ROOT = Path(__file__).resolve().parents[2]
FLAGS = [  # besides playwright's own
    "--no-sandbox",
    "--disable-gpu",
    "--disable-domain-reliability",
    "--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1",  # no other machine has an address
]
OPTIONS = """
    --no-browser --allow-root --ServerApp.ip=127.0.0.1 --IdentityProvider.token= --ServerApp.password=
    --ServerApp.disable_check_xsrf=True --LabApp.expose_app_in_browser=True --LabApp.extension_manager=readonly
"""
PLACES = """
    JUPYTER_RUNTIME_DIR JUPYTER_CONFIG_DIR JUPYTER_DATA_DIR JUPYTERLAB_SETTINGS_DIR JUPYTERLAB_WORKSPACES_DIR IPYTHONDIR
"""
# anywidget's complaint on a page that took more than two seconds. The panel is drawn and keeps receiving: dom.js.
LATE = "[anywidget] Failed to initialize model"
GIVEN_UP = "widget model not found"  # ipywidgets' complaint; a panel that stays away fails the fixture that opened it
IDLE = "() => [...window.jupyterapp.shell.widgets('main')][0]?.sessionContext?.session?.kernel?.status === 'idle'"
HERE = ("http://127.0.0.1:", "data:", "blob:", "ws://127.0.0.1:")


def chromium() -> str | None:
    """The system's Chromium, else the one that playwright installed, else None."""
    for name in ("chromium", "chromium-browser", "google-chrome"):
        if found := shutil.which(name):
            return found
    from playwright.sync_api import sync_playwright

    with sync_playwright() as play:
        own = play.chromium.executable_path
    return own if own and Path(own).exists() else None


class Lab:
    """A running server in a folder of its own."""

    def __init__(
        self,
        folder: Path,
        command: Sequence[str] = (sys.executable,),
        started: Callable[[int], None] = lambda process: None,
    ) -> None:
        """``command`` is the Python that runs it, with what stands before it, such as ``["binder/start", python]``.

        ``started`` is told the number of its process at once, before it answers.
        """
        self.folder = folder
        with socket.socket() as probe:
            probe.bind(("127.0.0.1", 0))
            port = probe.getsockname()[1]
        places = {variable: folder / "jupyter" / variable.lower() for variable in PLACES.split()}
        for place in places.values():
            place.mkdir(parents=True, exist_ok=True)
        self.settings, self.runtime = places["JUPYTERLAB_SETTINGS_DIR"], places["JUPYTER_RUNTIME_DIR"]
        self.set("notification", {"fetchNews": "false", "checkForUpdates": False})
        environment = os.environ | {variable: str(place) for variable, place in places.items()}
        environment |= {"PYTHONPATH": str(ROOT), "JUPYTER_PLATFORM_DIRS": "1"}
        options = [*OPTIONS.split(), f"--ServerApp.port={port}", f"--ServerApp.root_dir={folder}"]
        self.log = (folder / "server.log").open("w")
        self.process = subprocess.Popen(
            [*command, "-m", "jupyterlab", *options],
            env=environment,
            stdout=self.log,
            stderr=subprocess.STDOUT,
            cwd=folder,
        )
        started(self.process.pid)
        try:
            until(self._answers, told=(folder / "server.log").read_text)
        except BaseException:
            self.close()
            raise

    def _answers(self) -> bool:
        """Whether it answers; it says where in a file, for the port may have been taken in the meantime."""
        assert self.process.poll() is None, "JupyterLab ended:\n" + Path(self.log.name).read_text(encoding="utf-8")
        with contextlib.suppress(OSError, ValueError):
            told = next(self.runtime.glob("jpserver-*.json"), None)
            if told is not None:
                self.url = json.loads(told.read_text(encoding="utf-8"))["url"].rstrip("/")
                urllib.request.urlopen(f"{self.url}/api/status", timeout=60).close()
                return True
        return False

    def set(self, name: str, values: dict[str, Any]) -> None:
        """Writes a setting of JupyterLab's apputils extension."""
        folder = self.settings / "@jupyterlab" / "apputils-extension"
        folder.mkdir(parents=True, exist_ok=True)
        (folder / f"{name}.jupyterlab-settings").write_text(json.dumps(values), encoding="utf-8")

    def dark(self, on: bool) -> None:
        """Chooses the theme of pages opened from now on."""
        self.set("themes", {"theme": "JupyterLab Dark" if on else "JupyterLab Light"})

    def notebook(self, name: str, *cells: str) -> str:
        """Writes a notebook with these code cells and returns its address."""
        book = nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell(source) for source in cells])
        book.metadata["kernelspec"] = {"name": "python3", "display_name": "Python 3", "language": "python"}
        nbformat.write(book, self.folder / name)
        return f"{self.url}/doc/tree/{name}"

    def kernels(self) -> list[str]:
        """The kernels that run, by their ids."""
        found: list[str] = []

        def asked() -> bool:
            with contextlib.suppress(urllib.error.HTTPError):  # while one starts, the server fails to list it
                with urllib.request.urlopen(f"{self.url}/api/kernels", timeout=LONG) as answer:
                    found.extend(kernel["id"] for kernel in json.load(answer))
                return True
            return False

        until(asked)
        return found

    def shut_down_kernels(self) -> None:
        """Ends every kernel: one of a notebook with a board takes 0.6 GB, and outlives its page."""
        for kernel in self.kernels():
            ask = urllib.request.Request(f"{self.url}/api/kernels/{kernel}", method="DELETE")
            with contextlib.suppress(urllib.error.HTTPError):  # ended by itself in the meantime
                urllib.request.urlopen(ask, timeout=120).close()

    def close(self) -> None:
        """Stops the server and its kernels."""
        self.process.terminate()
        try:
            self.process.wait(60)
        except subprocess.TimeoutExpired:
            self.process.kill()
        self.log.close()


class Visit:
    """A page that records what it must not do: leave the machine, or complain on the console."""

    def __init__(self, browser: Any, width: int = 1280, height: int = 1000) -> None:
        self.context = browser.new_context(viewport={"width": width, "height": height}, accept_downloads=True)
        self.context.set_default_timeout(1000 * LONG)
        self.page = self.context.new_page()
        self.abroad: list[str] = []
        self.complaints: list[str] = []
        # heard, not routed: some hundred requests of a page would each wait for this process
        self.context.on("request", self._asked)
        self.console: list[str] = []
        self.page.on("console", self._printed)
        self.page.on("pageerror", lambda e: self._complained(f"{e}\n{e.stack}"))

    def _printed(self, message: Any) -> None:
        self.console.append(f"{message.type}: {message.text}")
        if message.type == "error":
            self._complained(message.text)

    def _complained(self, text: str) -> None:
        if LATE not in text and GIVEN_UP not in text:
            self.complaints.append(text)

    def _asked(self, request: Any) -> None:
        if not request.url.startswith(HERE):
            self.abroad.append(request.url)

    def open(self, url: str, run: bool = True) -> None:
        """Opens a notebook and runs all its cells."""
        self.page.goto(url)
        self.page.wait_for_function("() => window.jupyterapp && window.jupyterapp.started")
        self.page.wait_for_selector(".jp-Notebook .jp-Cell")
        self.page.wait_for_function(IDLE)
        if run:
            self.run_all()

    def run_all(self) -> None:
        """Runs all cells and waits for the last one."""
        self.page.evaluate("() => window.jupyterapp.commands.execute('notebook:run-all-cells')")

    def report(self) -> str:
        """What the page shows and printed, for the message of a failed test."""
        text = self.page.locator("body").inner_text()
        return "\n".join(["page:", text[:3000], "console:", *self.console[-30:], "complaints:", *self.complaints])

    def save(self) -> None:
        """Saves the notebook, outputs included."""
        self.page.evaluate("() => window.jupyterapp.commands.execute('docmanager:save')")

    def close(self) -> None:
        self.context.close()


def kernel(page: Any, code: str) -> bool:
    """Runs code in the notebook's kernel; whether it ended without an error."""
    kernel = "window.jupyterapp.shell.currentWidget.sessionContext.session.kernel"
    return bool(
        page.evaluate(f"async code => (await {kernel}.requestExecute({{ code }}).done).content.status === 'ok'", code)
    )


def change_theme(page: Any, theme: str) -> None:
    """Waits for its splash to go, too: JupyterLab has one, and after two changes within 0.2 s removes it twice."""
    page.evaluate("theme => window.jupyterapp.commands.execute('apputils:change-theme', { theme })", theme)
    page.wait_for_function(
        "theme => document.body.dataset.jpThemeName === theme && !document.getElementById('jupyterlab-splash')",
        arg=theme,
    )


@contextlib.contextmanager
def browser() -> Iterator[Any]:
    """A headless Chromium."""
    from playwright.sync_api import sync_playwright

    with sync_playwright() as play:
        opened = play.chromium.launch(executable_path=chromium(), args=FLAGS)
        try:
            yield opened
        finally:
            opened.close()
