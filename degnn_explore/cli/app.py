"""A panel as a web page, served by Voilà on this machine only, to whoever has its address, until Ctrl-C.

Voilà runs the code in a kernel and shows what the last line evaluates to, without cells. Each page has a kernel, which
ends with the page. Nothing is loaded from the network.
"""

from __future__ import annotations

import importlib.util
import json
import os
import secrets
import signal
import socket
import subprocess
import sys
import tempfile
import time
import webbrowser
from collections.abc import Callable
from pathlib import Path
from typing import Any

from degnn_explore.common.errors import ParameterError

__all__ = ["serve"]

NAME = "degnn-explore"
ERRORS = 40  # the log level of Voilà and its kernels
PATIENCE = 600  # seconds
EXTENSIONS = ["@jupyter-widgets/jupyterlab-manager", "@voila-dashboards/widgets-manager8", "anywidget"]

# Voilà's page without the two style sheets that it would fetch from the network, and with room for a whole panel.
PAGE = """{%- extends 'voila/templates/lab/index.html.j2' -%}
{% import "spinner.macro.html.j2" as spinner %}
{%- block notebook_css -%}
{{ resources.include_js("static/voila-style.js") }}
{{ spinner.css() }}
<style>
  .jp-mod-noOutputs.jp-mod-noInput { display: none; }
  .de-screen { --de-room: clamp(330px, calc(100vh - 168px), 1200px) !important; }
  .widget-tab .de-screen { --de-room: clamp(330px, calc(100vh - 252px), 1200px) !important; }
</style>
{{ super.super() }}
{%- endblock notebook_css -%}
"""


def serve(code: str, title: str, *, port: int, browser: bool, dark: bool, log: Callable[[str], None]) -> None:
    """Show what the last line of ``code`` evaluates to on a page on loopback; returns after Ctrl-C.

    Port 0 takes any free one. The address holds a token, without which nobody gets in; ``log`` is called with it.
    """
    if importlib.util.find_spec("voila") is None:
        raise ParameterError(
            "The page needs the package voila, which is not installed: pip install 'degnn_explore[app]'. In JupyterLab "
            "de.Explorer(...) shows the same."
        )
    with socket.socket() as probe:  # OSError: a port that is in use
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        probe.bind(("127.0.0.1", port))
        port = probe.getsockname()[1]
    token = secrets.token_urlsafe(24)
    with tempfile.TemporaryDirectory(prefix="degnn-explore-") as place:
        folder = Path(place)
        write_page(folder, code, title, settings(folder, token, port, dark))
        path = os.pathsep.join(filter(None, [str(folder / "share"), os.environ.get("JUPYTER_PATH")]))
        command = [sys.executable, "-m", "voila", "page.ipynb"]
        usual = signal.signal(signal.SIGINT, signal.SIG_IGN)  # the server inherits it: Ctrl-C is ours to handle
        try:
            server = subprocess.Popen(command, cwd=folder, env=os.environ | {"JUPYTER_PATH": path})
        finally:
            signal.signal(signal.SIGINT, usual)
        try:
            wait_until_it_answers(server, port)
            address = f"http://127.0.0.1:{port}/?token={token}"
            log(f"{title} is at {address}\nCtrl-C here ends it.")
            if browser:
                open_page(folder, address, log)
            server.wait()
        except KeyboardInterrupt:
            log("Stopping.")
        finally:
            server.terminate()
            server.wait()


def settings(folder: Path, token: str, port: int, dark: bool) -> dict[str, Any]:
    """Voilà's settings, in a file: anybody on the machine can list the arguments of a command."""
    return {
        "Voila": {
            "open_browser": False,
            "token": token,
            "port": port,
            "port_retries": 0,
            "ip": "127.0.0.1",
            "log_level": ERRORS,
            "root_dir": str(folder),
            "connection_dir_root": str(folder),
            # a page that closes can send no header, so its kernel could not be ended; the token still guards all
            "tornado_settings": {"disable_check_xsrf": True, "ws_ping_interval": 30_000, "ws_ping_timeout": 30_000},
        },
        "VoilaConfiguration": {
            "template": NAME,
            "theme": "dark" if dark else "light",
            "show_tracebacks": True,
            "extension_allowlist": EXTENSIONS,
        },
        # A cold, busy machine may need longer than the usual minute to start a kernel and four seconds for an output.
        "VoilaExecutor": {"startup_timeout": PATIENCE, "iopub_timeout": PATIENCE},
        "MappingKernelManager": {"cull_idle_timeout": 600},  # seconds; of a page that vanished without closing
    }


def write_page(folder: Path, code: str, title: str, config: dict[str, Any]) -> None:
    """The notebook, Voilà's settings, a kernel with this Python, and the page's template."""
    import nbformat

    book = nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell(code)])
    book.metadata |= {"kernelspec": {"name": NAME, "display_name": NAME, "language": "python"}, "title": title}
    nbformat.write(book, folder / "page.ipynb")
    launch = [sys.executable, "-m", "ipykernel_launcher", "-f", "{connection_file}", f"--log-level={ERRORS}"]
    kernel, template = folder / "share" / "kernels" / NAME, folder / "share" / "voila" / "templates" / NAME
    files = {
        kernel / "kernel.json": json.dumps({"argv": launch, "display_name": NAME, "language": "python"}),
        template / "conf.json": '{"base_template": "lab"}',
        template / "index.html.j2": PAGE,
        folder / "voila.json": json.dumps(config),
    }
    for file, content in files.items():
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(content, encoding="utf-8")


def wait_until_it_answers(server: subprocess.Popen[bytes], port: int) -> None:
    """Returns when the page can be opened."""
    while server.poll() is None:
        with socket.socket() as probe:
            if probe.connect_ex(("127.0.0.1", port)) == 0:
                return
        time.sleep(0.1)
    raise OSError(f"Voilà ended with code {server.returncode}; its messages are above.")


def open_page(folder: Path, address: str, log: Callable[[str], None]) -> None:
    """Open the address in a browser, through a file: anybody on the machine can list the arguments of a command."""
    page = folder / "open.html"
    page.write_text(f'<meta http-equiv="refresh" content="0; url={address}">', encoding="utf-8")
    if not webbrowser.open(page.as_uri()):
        log("No browser was found: open the address by hand.")
