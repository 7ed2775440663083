"""Takes the README's pictures of the Explorer and, after a real race, of the Training Board, in a real JupyterLab;
draws the map of rooms in CONTRIBUTING.md from the layers in pyproject.toml and each room's first sentence.

python docs/make_pictures.py                 # writes docs/img/: explorer-*.png, board-*.png and rooms.svg
python docs/make_pictures.py rooms           # the map alone (or: explorer, board)
python docs/make_pictures.py --all FOLDER    # every preset, light and dark, at 1280 and 1920 px, to look at
"""

from __future__ import annotations

import argparse
import ast
import contextlib
import tempfile
import textwrap
import tomllib
from collections.abc import Iterator
from html import escape
from pathlib import Path
from typing import Any

from degnn_explore.views.content import PRESETS
from tests.support import lab as jupyter

IMAGES = jupyter.ROOT / "docs" / "img"
THEMES = ("light", "dark")
EXPLORER = [("fig1", "light"), ("fig2b", "dark"), ("us-flights", "light")]
RACE = """import degnn_explore as de
board = de.TrainingBoard("celegans", "links", ["GCN", "GIN", "DE-GNN-SPD", "DE-GNN-LP"], seeds=3, epochs=15)
board.start()
board.wait()
board"""


class Studio:
    """A JupyterLab with a browser in front of it, for pictures of what a cell shows."""

    def __init__(self, server: jupyter.Lab, chrome: Any) -> None:
        self.server, self.chrome = server, chrome

    @contextlib.contextmanager
    def shot(self, code: str, what: str, theme: str, size: tuple[int, int], file: Path) -> Iterator[Any]:
        """The page while the body waits for it to be ready; then its element ``what`` is photographed."""
        self.server.dark(theme == "dark")
        visit = jupyter.Visit(self.chrome, *size)
        visit.open(self.server.notebook(f"{file.stem}.ipynb", code))
        yield visit.page
        visit.page.wait_for_timeout(700)
        visit.page.locator(what).screenshot(path=file)
        visit.close()
        print(file, f"{file.stat().st_size // 1024} kB")

    def explorer(self, preset: str, theme: str, width: int, file: Path) -> None:
        """One preset, as soon as its verdicts are in."""
        code = f"import degnn_explore as de\nde.Explorer(preset={preset!r})"
        with self.shot(code, ".de-explorer", theme, (width, width * 5 // 8), file) as page:
            page.locator(".de-explorer .de-headline").first.wait_for(timeout=300_000)
            page.wait_for_function("() => !document.querySelector('.de-pills .de-is-busy, .de-pills .de-busy')")

    def board(self, theme: str, file: Path) -> None:
        """The board after its race; a second picture finds the results of the first."""
        with self.shot(RACE, ".de-board", theme, (1280, 800), file) as page:
            page.wait_for_function("() => document.querySelector('.de-board .de-dots circle')", timeout=1_200_000)
            page.wait_for_selector(".de-board .de-chart .scatterlayer path.js-line", timeout=120_000)


def draw_rooms(file: Path) -> None:
    """The rooms, a row for each layer, the highest first: imports go down only."""
    package = jupyter.ROOT / "degnn_explore"
    contracts = tomllib.loads((jupyter.ROOT / "pyproject.toml").read_text(encoding="utf-8"))["tool"]["importlinter"][
        "contracts"
    ]
    rows = [[name.strip() for name in layer.split("|")] for layer in contracts[0]["layers"]]
    inside = rows.index(["views"])
    shown = [[f"views/{name}" for name in layer.split(" | ")] for layer in contracts[1]["layers"]]
    folders = [[name for name in layer if (package / name).is_dir()] for layer in shown]
    rows[inside : inside + 1] = [layer for layer in folders if layer]
    rows[0] = [name if (package / name).is_dir() else f"{name}.py" for name in rows[0]]
    width, gap, top = 900, 10, 10
    parts = []
    for names in rows:
        each = (width - gap * (len(names) + 1)) / len(names)
        texts = []
        for name in names:
            source = package / name / "__init__.py" if (package / name).is_dir() else package / f"{Path(name).stem}.py"
            said = (
                (ast.get_docstring(ast.parse(source.read_text(encoding="utf-8"))) or "")
                .splitlines()[0]
                .replace("``", "")
            )
            texts.append(textwrap.wrap(said, int((each - 24) / 7)))
        height = 36 + 16 * max(map(len, texts))
        for j, (name, lines) in enumerate(zip(names, texts, strict=True)):
            x = gap + j * (each + gap)
            parts.append(f'<rect x="{x:.0f}" y="{top}" width="{each:.0f}" height="{height}" rx="8"/>')
            parts.append(f'<text class="name" x="{x + 12:.0f}" y="{top + 22}">{escape(name)}</text>')
            for k, line in enumerate(lines):
                parts.append(f'<text x="{x + 12:.0f}" y="{top + 40 + 16 * k}">{escape(line)}</text>')
        top += height + gap
    style = (
        "rect{fill:#f3f6fa;stroke:#0072b2;stroke-width:1.5}"
        "text{font:12.5px system-ui,sans-serif;fill:#1f2328}.name{font-weight:700;font-size:14px}"
    )
    size = f'width="{width}" height="{top}"'
    title = "<title>The rooms of degnn_explore: a room imports only from rooms in lower rows</title>"
    page = '<rect width="100%" height="100%" style="fill:#fff;stroke:none"/>'
    svg = f'<svg xmlns="http://www.w3.org/2000/svg" {size} role="img">'
    file.write_text("\n".join([svg, title, f"<style>{style}</style>", page, *parts, "</svg>"]) + "\n", encoding="utf-8")
    print(file)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("what", nargs="?", choices=["rooms", "explorer", "board"], help="these pictures alone")
    parser.add_argument("--all", type=Path, metavar="FOLDER", help="every preset of the Explorer, into this folder")
    options = parser.parse_args()
    if options.what in (None, "rooms") and not options.all:
        draw_rooms(IMAGES / "rooms.svg")
    if options.what == "rooms":
        return
    with tempfile.TemporaryDirectory() as place, jupyter.browser() as chrome:
        server = jupyter.Lab(Path(place))
        studio = Studio(server, chrome)
        try:
            if options.all:
                options.all.mkdir(parents=True, exist_ok=True)
                for key, theme, width in ((p, t, w) for p in PRESETS for t in THEMES for w in (1280, 1920)):
                    studio.explorer(key, theme, width, options.all / f"{key}-{theme}-{width}.png")
                return
            if options.what != "board":
                for key, theme in EXPLORER:
                    studio.explorer(key, theme, 1280, IMAGES / f"explorer-{key}-{theme}.png")
            if options.what != "explorer":
                for theme in THEMES:
                    studio.board(theme, IMAGES / f"board-celegans-{theme}.png")
        finally:
            server.close()


if __name__ == "__main__":
    main()
