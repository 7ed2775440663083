"""The front end of the panels: ES modules of this folder, joined into one script when the package is imported.

No build step: ``import … from "./x.js"`` and ``export`` are stripped and the modules put one after the other, so a
top-level name stands once in all of them. A page evaluates that script once, however many panels it shows and however
often their cells run: browsers never free a module. ``README.md`` says what each module does, and which messages are
sent.
"""

from __future__ import annotations

import hashlib
import json
import re
from functools import cache
from importlib.resources import files
from typing import Any

from ...expressive.explanations import SENTENCES

_HERE = files(__name__)
_IMPORT = re.compile(r"^import\b[^;]*;\n", re.MULTILINE)
_EXPORT = re.compile(r"^export (default [^;]*;\n)?", re.MULTILINE)


def read(name: str) -> str:
    """The text of a file of this folder."""
    return _HERE.joinpath(name).read_text(encoding="utf-8")


PALETTE: dict[str, dict[str, Any]] = json.loads(read("palette.json"))
"""The colors of panels, pages and pictures, for light and dark."""


@cache
def joined(*modules: str) -> str:
    """The named modules as one script, without its own exports."""
    parts = [f"const PALETTE = {json.dumps(PALETTE)}, SENTENCES = {json.dumps(SENTENCES)};\n"]
    parts += [_EXPORT.sub("", _IMPORT.sub("", read(f"{name}.js"))) for name in modules]
    return "\n".join(parts)


def loader(script: str, render: str) -> str:
    """A small module for anywidget: it draws with a function of the script, which the page's first panel evaluated."""
    return _LOADER % {"digest": hashlib.sha256(script.encode()).hexdigest()[:16], "render": render}


_LOADER = """
const key = Symbol.for("degnn_explore %(digest)s");
const evaluate = (script) => import(URL.createObjectURL(new Blob([script], { type: "text/javascript" })));
function frontEnd(model) {
  const script = model.get("_script"); // empty once the panel is closed
  return (globalThis[key] ||= script && evaluate(script));
}
export default {
  initialize: async ({ model }) => { (await frontEnd(model)).startModel?.({ model }); },
  render: async (given) => (await frontEnd(given.model)).%(render)s?.(given),
};
"""
