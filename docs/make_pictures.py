"""Takes the README's pictures of the Explorer and, after a real race, of the Training Board, in a real JupyterLab.

python docs/make_pictures.py                 # writes docs/img/explorer-*.png and board-*.png
python docs/make_pictures.py explorer        # the Explorer's alone (or: board)
python docs/make_pictures.py --all FOLDER    # every preset, light and dark, at 1280 and 1920 px, to look at
"""

from __future__ import annotations

import argparse
import contextlib
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from degnn_explore.views.explorer.presets import PRESETS
from tools import lab as jupyter

IMAGES = jupyter.ROOT / "docs" / "img"
THEMES = ("light", "dark")
EXPLORER = [("fig1", "light"), ("fig2b", "dark"), ("us-flights", "light")]
RACE = """import degnn_explore as de
board = de.TrainingBoard("celegans", "links", ["GCN", "GIN", "DE-GNN-SPD", "DE-GNN-LP"], seeds=3, epochs=15)
if not board.runs:
    board.start()
    board.wait()
board"""


class Studio:
    """A JupyterLab with a browser in front of it, for pictures of what a cell shows."""

    def __init__(self, server: jupyter.Lab, chrome: Any) -> None:
        self.server, self.chrome = server, chrome

    @contextlib.contextmanager
    def shot(self, code: str, what: str, theme: str, width: int, file: Path) -> Iterator[Any]:
        """The page while the body waits for it to be ready; then its element ``what`` is photographed."""
        self.server.dark(theme == "dark")
        visit = jupyter.Visit(self.chrome, width, 1200)
        visit.open(self.server.notebook(f"{file.stem}.ipynb", code))
        yield visit.page
        visit.page.wait_for_timeout(700)
        visit.page.locator(what).screenshot(path=file)
        visit.close()
        print(file, f"{file.stat().st_size // 1024} kB")

    def explorer(self, preset: str, theme: str, width: int, file: Path) -> None:
        """One preset, as soon as its verdicts are in."""
        code = f"import degnn_explore as de\nde.Explorer(preset={preset!r})"
        with self.shot(code, ".de-explorer", theme, width, file) as page:
            page.locator(".de-explorer").locator(".de-verdicts, .de-hint").first.wait_for(timeout=60_000)
            page.wait_for_function("() => !document.querySelector('.de-spin')", timeout=60_000)

    def board(self, theme: str, file: Path) -> None:
        """The board after its race; a second picture finds the results of the first."""
        with self.shot(RACE, ".de-board", theme, 1400, file) as page:
            page.wait_for_selector(".de-board .de-chart .annotation-text", timeout=1_200_000)
            page.wait_for_selector(".de-board .de-link", timeout=60_000)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("what", nargs="?", choices=["explorer", "board"], help="these pictures alone")
    parser.add_argument("--all", type=Path, metavar="FOLDER", help="every preset of the Explorer, into this folder")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as place, jupyter.browser() as chrome:
        server = jupyter.Lab(Path(place))
        studio = Studio(server, chrome)
        try:
            if options.all:
                options.all.mkdir(parents=True, exist_ok=True)
                for key, theme, width in ((p.key, t, w) for p in PRESETS for t in THEMES for w in (1280, 1920)):
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
