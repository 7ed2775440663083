"""A panel as an app: a page of its own, served on this machine alone, to whoever has its address, until Ctrl-C.

Voilà runs the code in a kernel and shows what the last line gives, without cells; each page has a kernel of its own,
which ends with the page. Nothing is loaded from the network: the two style sheets that Voilà's page would fetch are
left out.
"""

from __future__ import annotations

import json
import os
import secrets
import signal
import sys
import tempfile
import webbrowser
from pathlib import Path
from typing import TYPE_CHECKING, Any

from degnn_explore.common.errors import ParameterError

from .asking import say

if TYPE_CHECKING:
    from collections.abc import Sequence

_NAME = "degnn-explore"
_ERRORS = 40  # of the levels of logging: what is below is of no use to a reader
_FORGOTTEN = 600  # seconds after which the kernel of a page that went without a word is ended
_PAGE = """{%- extends 'voila/templates/lab/index.html.j2' -%}
{% import "spinner.macro.html.j2" as spinner %}
{%- block notebook_css -%}
{{ resources.include_js("static/voila-style.js") }}
{{ spinner.css() }}
<style>
  .jp-mod-noOutputs.jp-mod-noInput { display: none; }
  .de-screen { --de-room: clamp(330px, calc(100vh - 168px), 1200px) !important; } /* no notebook takes room */
  .widget-tab .de-screen { --de-room: clamp(330px, calc(100vh - 252px), 1200px) !important; }
</style>
{{ super.super() }}
{%- endblock notebook_css -%}
"""


def serve(code: str, title: str, *, port: int = 0, browser: bool = True, dark: bool = False) -> None:
    """Shows what the last line of ``code`` gives on a page on loopback; returns after Ctrl-C.

    ``port`` 0 takes any that is free. The address holds a token, without which nobody is let in; it is printed, and
    opened in a browser unless ``browser`` is false.
    """
    app, token = _app(), secrets.token_urlsafe(24)
    with tempfile.TemporaryDirectory(prefix=f"{_NAME}-") as folder:
        book = _laid_out(Path(folder), code, title)

        def listens(free: int) -> None:
            address = f"http://127.0.0.1:{free}/?token={token}"
            say(f"{title} is at {address}\nCtrl-C here ends it.")
            if browser:
                _open(Path(folder), address)

        before = os.environ.get("JUPYTER_PATH")
        os.environ["JUPYTER_PATH"] = os.pathsep.join(filter(None, [f"{folder}/share", before]))
        try:
            app.listens = staticmethod(listens)
            app.launch_instance(_options(book, token, port, dark))
        finally:
            os.environ.pop("JUPYTER_PATH")
            if before is not None:
                os.environ["JUPYTER_PATH"] = before


def _app() -> Any:
    """Voilà, but for how it begins to listen and how a page that is closed ends its kernel."""
    try:
        import voila.app
        from voila.shutdown_kernel_handler import VoilaShutdownKernelHandler
    except ImportError:
        raise ParameterError(
            "An app needs the package voila, which is not installed: pip install 'degnn_explore[app]'. In JupyterLab "
            "de.Explorer(...) shows the same."
        ) from None
    from tornado.httpserver import HTTPServer
    from tornado.ioloop import IOLoop
    from tornado.netutil import bind_sockets

    class Closing(VoilaShutdownKernelHandler):
        def check_xsrf_cookie(self) -> None:
            """A page that goes can send no header; it has the cookie, and knows the id of its kernel."""

    class App(voila.app.Voila):
        listens: Any = None

        def init_handlers(self) -> list[Any]:
            rules = super().init_handlers()
            return [(rule[0], Closing) if rule[1] is VoilaShutdownKernelHandler else rule for rule in rules]

        def listen(self) -> None:
            """Opens the port and works until Ctrl-C."""
            sockets = bind_sockets(self.port, "127.0.0.1")
            self.app.settings |= {"ws_ping_interval": 30_000, "ws_ping_timeout": 30_000}  # ms
            HTTPServer(self.app).add_sockets(sockets)
            type(self).listens(sockets[0].getsockname()[1])
            self.ioloop = IOLoop.current()
            usual = signal.getsignal(signal.SIGINT)
            if usual is not signal.SIG_IGN:  # as under nohup
                signal.signal(signal.SIGINT, self._handle_signal_stop)  # between two callbacks, not inside of one
            try:
                self.ioloop.start()
                say("ending")
            finally:
                signal.signal(signal.SIGINT, usual)
                self.stop()

    return App


def _laid_out(folder: Path, code: str, title: str) -> Path:
    """The notebook; beside it a kernel with this Python, whatever others are installed, and the page's template."""
    import nbformat

    kernel, page = folder / "share" / "kernels" / _NAME, folder / "share" / "voila" / "templates" / _NAME
    for place in (kernel, page):
        place.mkdir(parents=True)
    launch = [sys.executable, "-m", "ipykernel_launcher", "-f", "{connection_file}", f"--log-level={_ERRORS}"]
    (kernel / "kernel.json").write_text(json.dumps({"argv": launch, "display_name": _NAME, "language": "python"}))
    (page / "conf.json").write_text(json.dumps({"base_template": "lab"}))
    (page / "index.html.j2").write_text(_PAGE)
    made = nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell(code)])
    made.metadata |= {"kernelspec": {"name": _NAME, "display_name": _NAME, "language": "python"}, "title": title}
    book = folder / f"{_NAME}.ipynb"
    nbformat.write(made, book)
    return book


def _options(book: Path, token: str, port: int, dark: bool) -> Sequence[str]:
    return [
        str(book),
        "--no-browser",
        f"--token={token}",
        f"--port={port}",
        f"--template={_NAME}",
        f"--theme={'dark' if dark else 'light'}",
        "--show_tracebacks=True",
        f"--Voila.log_level={_ERRORS}",
        f"--Voila.connection_dir_root={book.parent}",
        f"--Voila.root_dir={book.parent}",  # what else lies beside the user's files is not served
        f"--MappingKernelManager.cull_idle_timeout={_FORGOTTEN}",
    ]


def _open(folder: Path, address: str) -> None:
    """Through a file that nobody else may read: what a command is given, anybody on the machine may list."""
    page = folder / "open.html"
    page.write_text(f'<meta http-equiv="refresh" content="0; url={address}">')
    if not webbrowser.open(page.as_uri()):
        say("no browser was found: open the address by hand")
