"""Node, and what it needs to open panels: which modules they are made of, and what Python records in saved pages."""

from __future__ import annotations

import base64
import gzip
import json
import os
import re
import shutil
import subprocess
import tempfile
from functools import cache
from pathlib import Path
from typing import Any

import pytest

import degnn_explore as de
from degnn_explore.expressive.explanations import SENTENCES
from degnn_explore.views.content import TERMS
from degnn_explore.views.explorer.explorer import MODULES
from degnn_explore.views.js import joined, loader
from tests.support.waiting import LONG

HERE = Path(__file__).parent


def node(*arguments: str, given: str = "") -> str:
    """What node prints; where node is missing CI fails, for .ci/run installs it."""
    program = shutil.which("node")
    if program is None and not os.environ.get("CI"):
        pytest.skip("no node on PATH: install Node.js 20 to test the front end without a browser")
    assert program is not None, "CI needs node to test the front end; .ci/run installs it"
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder, "records.json")
        file.write_text(_records(), encoding="utf-8")
        variables = {
            "LOADER": loader("a script", "render"),
            "MODULES": json.dumps(MODULES),
            "RECORDS": str(file),
            "SENTENCES": json.dumps(SENTENCES),
            "TERMS": json.dumps([[term.name, term.pattern, term.line] for term in TERMS]),
        }
        command, env = [program, *arguments], os.environ | variables
        done = subprocess.run(command, input=given, capture_output=True, encoding="utf-8", timeout=LONG, env=env)
    assert done.returncode == 0, done.stdout[-4000:] + done.stderr[-2000:]
    return done.stdout


def answers(modules: tuple[str, ...], names: str, body: str, cases: list[Any]) -> list[Any]:
    """For each case what a function of JavaScript returns whose body sees it as ``given`` and these names as ``t``."""
    script = (
        'import { readFileSync } from "node:fs"; const t = await import(process.argv[1]); '
        f'const answer = async (given) => {{ {body} }}; const cases = JSON.parse(readFileSync(0, "utf8")); '
        "console.log(JSON.stringify(await Promise.all(cases.map(answer))));"
    )
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder, "joined.mjs")
        file.write_text(f"{joined(*modules)}\nexport {{ {names} }};\n", encoding="utf-8")
        return json.loads(node("--input-type=module", "-e", script, file.as_uri(), given=json.dumps(cases)))


@cache
def _records() -> str:
    """Two triangles and a hexagon with a tour, and one set of Fig. 1(a), as JSON."""
    hexagon, one = de.Explorer(preset="hexagon"), de.Explorer((de.zoo.figure1(), {2}))
    return json.dumps({"hexagon": recorded(packed(hexagon, "hexagon")), "one": recorded(packed(one))})


def packed(explorer: de.Explorer, tour: str = "") -> str:
    """What a saved page has recorded, as it stands in the page."""
    with tempfile.TemporaryDirectory() as folder:
        page = explorer.page(Path(folder, "page.html"), tour=tour).read_text(encoding="utf-8")
    found = re.search(r'openPage\("([^"]+)"\)', page)
    assert found is not None
    return found[1]


def recorded(text: str) -> dict[str, Any]:
    return json.loads(gzip.decompress(base64.b64decode(text)))
