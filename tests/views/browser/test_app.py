"""``degnn-explore explore``: the Explorer as an app on loopback, in Chromium."""

from __future__ import annotations

import contextlib
import signal
import subprocess
import sys
import urllib.error
import urllib.request
from collections.abc import Callable, Iterator
from pathlib import Path
from threading import Thread
from typing import Any

import psutil
import pytest

from tests.support import lab as jupyter
from tests.support.explorers import Panel
from tests.support.waiting import LONG, until

# Where the graph has been seen, frame by frame.
PLACES = """
window.places = [];
const look = () => {
    const { y, height } = document.querySelector(".de-stage")?.getBoundingClientRect() ?? { height: 0 };
    if (height && Math.round(y) !== window.places.at(-1)) window.places.push(Math.round(y));
    requestAnimationFrame(look);
};
look();
"""


class App:
    """The running command, its output, and the address that it printed."""

    def __init__(self, folder: Path, *arguments: str) -> None:
        self.process = subprocess.Popen(
            [sys.executable, "-m", "degnn_explore.cli", *arguments, "--no-browser"],
            stderr=subprocess.PIPE,
            text=True,
            cwd=folder,
            preexec_fn=lambda: signal.signal(signal.SIGINT, signal.default_int_handler),
        )
        self.lines: list[str] = []  # read all the time: a server whose pipe is full stands still
        Thread(target=lambda: self.lines.extend(self.process.stderr or ()), daemon=True).start()
        until(lambda: self.lines or self.process.poll() is not None, told=lambda: "the app says nothing")
        assert " is at http://127.0.0.1:" in "".join(self.lines[:1]), "".join(self.lines)
        self.address = self.lines[0].split()[-1]

    def kernels(self) -> list[psutil.Process]:
        kernels = []
        for child in psutil.Process(self.process.pid).children(recursive=True):
            with contextlib.suppress(psutil.NoSuchProcess):  # it has ended since it was listed
                if "ipykernel_launcher" in child.cmdline():
                    kernels.append(child)
        return kernels

    def open(self, visit: jupyter.Visit) -> Panel:
        """Opens its page; a page without a panel fails with all that page and app have printed."""
        visit.page.goto(self.address)
        try:
            return Panel(visit.page)
        except Exception as error:
            printed = "\n".join([visit.report(), "app:", *self.lines, f"kernels: {self.kernels()}"])
            raise AssertionError(f"no panel: {error}\n{printed}") from error

    def interrupt(self) -> None:
        """Ctrl-C ends it and its kernels."""
        kernels = self.kernels()
        self.process.send_signal(signal.SIGINT)
        assert self.process.wait(LONG) == 0 and psutil.wait_procs(kernels, timeout=LONG)[1] == []


@pytest.fixture
def start(tmp_path: Path) -> Iterator[Callable[..., App]]:
    (tmp_path / "mine.csv").write_text("source,target\nann,bob\nbob,<img src=x>\nbob,eve\n", encoding="utf-8")
    (tmp_path / "secret.png").write_bytes(b"\x89PNG")
    made: list[App] = []

    def run(*arguments: str) -> App:
        made.append(App(tmp_path, *arguments))
        return made[-1]

    yield run
    for app in made:
        if app.process.poll() is None:
            app.process.kill()


def test_the_explorer_opens_for_who_has_the_token_and_ctrl_c_ends_it_all(start: Any, chrome: Any) -> None:
    app = start("explore", "mine.csv", "ann")
    bare, _, token = app.address.partition("?token=")
    assert len(token) == 32
    with pytest.raises(urllib.error.HTTPError, match="404"):
        urllib.request.urlopen(f"{bare}voila/files/secret.png", timeout=LONG).read()
    assert "password" in urllib.request.urlopen(bare, timeout=LONG).read().decode().lower()  # asks for the token
    assert not app.kernels()
    visit = jupyter.Visit(chrome, 1280, 800)
    visit.page.add_init_script(PLACES)
    slowly = visit.page.context.new_cdp_session(visit.page)
    slowly.send("Emulation.setCPUThrottlingRate", {"rate": 3})  # else all of it is often drawn in one frame
    panel = app.open(visit)
    panel.targets([0])
    for part in ('[aria-label="Example"]', ".de-bar", ".de-strip"):
        panel.box.locator(part).first.wait_for()
    assert visit.page.evaluate("window.places.slice(1)") == []  # rows above it that come later had their place
    slowly.detach()
    panel.click(1)
    panel.targets([0, 1])
    panel.until(lambda: [entry.split(":")[0] for entry in panel.legend()], ["distances 0,1", "distances 1,2"])
    assert visit.page.title() == "The Explorer"
    assert visit.page.locator(".jp-CodeCell .jp-InputArea").count() == 0
    assert visit.page.evaluate("() => document.documentElement.scrollHeight <= window.innerHeight")
    [kernel] = app.kernels()
    other = jupyter.Visit(chrome)
    app.open(other).targets([0])
    other.page.close(run_before_unload=True)  # a page that is closed takes its kernel along
    until(lambda: app.kernels() == [kernel])
    app.interrupt()
    assert (visit.abroad, visit.complaints) == ([], [])
    other.close()
    visit.close()


def test_the_app_shows_explorer_and_board_on_a_projector(start: Any, chrome: Any) -> None:
    app, visit = start("app"), jupyter.Visit(chrome, 1280, 800)
    panel = app.open(visit)
    panel.verdict("DE-SPD", "layer 2")
    tree = panel.tree.bounding_box()
    assert tree["y"] + tree["height"] <= 800
    visit.page.get_by_text("Training Board", exact=True).first.click()
    visit.page.get_by_role("button", name="Race").wait_for()
    visit.page.get_by_text("Explorer", exact=True).first.click()
    panel.graph.wait_for()
    app.interrupt()
    assert (visit.abroad, visit.complaints) == ([], [])
    visit.close()
