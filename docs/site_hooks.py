"""What Sphinx cannot know: pages of the API by room, living Explorers in notebooks, links that leave the site."""

from __future__ import annotations

import ast
import hashlib
import inspect
import os
import re
import shutil
from pathlib import Path
from typing import Any

from sphinx.util.inspect import stringify_signature

ROOT = Path(__file__).resolve().parents[1]
BUILD = ROOT / "build" / "site"
API = ROOT / "docs" / "api"  # written anew for each build, and in .gitignore
ROOMS = {
    "graphs": "Graphs",
    "reading": "Reading graphs",
    "encodings": "Distance encodings",
    "expressive": "Expressive power",
    "theory": "Theory",
    "engine": "Ego-networks and batches",
    "learn": "Learning",
    "studies": "Studies",
    "views": "Panels",
    "quiz": "Quiz",
    "common": "Errors",
    "installation": "Installation",
}


def _library() -> str:
    """A digest of what the outputs of notebooks depend on, besides the notebooks."""
    digest = hashlib.sha256()
    for path in sorted(ROOT.glob("degnn_explore/**/*")):
        if path.suffix in (".py", ".js", ".css", ".toml"):
            digest.update(path.read_bytes())
    return digest.hexdigest()[:16]


CACHE = BUILD / _library()
PAGES = CACHE / "extra"


def setup(app: Any) -> dict[str, bool]:
    """Registers the hooks, and prepares the kernels that run the notebooks."""
    (PAGES / "explorers").mkdir(parents=True, exist_ok=True)
    to_first_page = f'<meta http-equiv="refresh" content="0; url={app.config.root_doc}.html">'
    (PAGES / "index.html").write_text(to_first_page, encoding="utf-8")
    startup = CACHE / "ipython" / "profile_default" / "startup"
    startup.mkdir(parents=True, exist_ok=True)
    shutil.copy(ROOT / "docs" / "living.py", startup)
    kernel = {"IPYTHONDIR": CACHE / "ipython", "DEGNN_PAGES": PAGES / "explorers", "DEGNN_RUNS": CACHE / "runs"}
    kernel |= {"DEGNN_ROOT": ROOT, "PYTHONPATH": ROOT}
    os.environ |= {name: str(path) for name, path in kernel.items()}
    app.connect("config-inited", lambda *_: write_api())
    app.connect("source-read", without_links_to_the_repository)
    app.connect("html-page-context", add_plotly)
    app.connect("autodoc-process-signature", show_parameters)
    app.connect("autodoc-process-docstring", keep_whole_sentence, priority=400)  # before napoleon
    return {"parallel_read_safe": True}


def write_api() -> None:
    """A page for each room with the public names that ``__init__.pyi`` lists."""
    rooms: dict[str, list[str]] = {room: [] for room in ROOMS}
    for node in ast.parse((ROOT / "degnn_explore" / "__init__.pyi").read_text(encoding="utf-8")).body:
        if isinstance(node, ast.ImportFrom):
            for alias in node.names:
                rooms.setdefault((node.module or alias.name).partition(".")[0], []).append(alias.name)
    shutil.rmtree(API, ignore_errors=True)
    API.mkdir()
    for room, names in rooms.items():
        parts = [f"# {ROOMS.get(room, room)}\n"]
        parts += [f"```{{eval-rst}}\n{directive(name)}\n```\n" for name in sorted(names, key=str.lower)]
        (API / f"{room}.md").write_text("\n".join(parts), encoding="utf-8")


def directive(name: str) -> str:
    """The reStructuredText that documents a public name."""
    import degnn_explore as de

    value = getattr(de, name)
    if inspect.ismodule(value):
        return f".. automodule:: {value.__name__}\n   :imported-members:"
    return f".. auto{'class' if inspect.isclass(value) else 'function'}:: degnn_explore.{name}"


def without_links_to_the_repository(app: Any, name: str, source: list[str]) -> None:
    """A link to a folder, or to solutions, leads nowhere on the site: its text stays."""
    page = Path(app.srcdir) / name

    def replaced(link: re.Match[str]) -> str:
        target = (page.parent / link[2]).resolve()
        return link[1] if target.is_dir() or ROOT / "teaching" in target.parents else link[0]

    source[0] = re.sub(r"(?<!!)\[([^\[\]]+)\]\(([^():#\s]+)\)", replaced, source[0])


def show_parameters(
    app: Any, what: str, name: str, value: Any, options: Any, signature: str | None, returns: str | None
) -> tuple[str, None] | None:
    """The parameters of a panel's ``__init__``; Sphinx would show the ``(*args, **kwargs)`` of traitlets."""
    if what != "class" or signature != "(*args, **kwargs)":
        return None
    own = inspect.signature(value.__init__)
    shown = own.replace(parameters=[one for one in own.parameters.values() if one.name != "self"])
    return stringify_signature(shown, show_annotation=False, show_return_annotation=False), None


def keep_whole_sentence(app: Any, what: str, name: str, value: Any, options: Any, lines: list[str]) -> None:
    """Napoleon takes what precedes a colon in an attribute's docstring for its type. An empty type prevents that."""
    if what in ("attribute", "property") and lines and ":" in lines[0]:
        lines[0] = f": {lines[0]}"


def add_plotly(app: Any, page: str, template: str, context: dict[str, Any], doctree: Any) -> None:
    """The library of the charts, on pages that have some."""
    if "Plotly.newPlot" in context.get("body", ""):
        import plotly.offline

        target = Path(app.outdir) / "_static" / "plotly.min.js"
        if not target.exists():
            target.write_text(plotly.offline.get_plotlyjs(), encoding="utf-8")
        app.add_js_file("plotly.min.js")
