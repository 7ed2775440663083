"""Takes the pictures of the Explorer for the README, in a real JupyterLab.

python docs/make_pictures.py                 # writes docs/img/explorer-*.png
python docs/make_pictures.py --all FOLDER    # every preset, light and dark, at 1280 and 1920 px, to look at
"""

from __future__ import annotations

import argparse
import tempfile
from pathlib import Path
from typing import Any

from degnn_explore.views.explorer.presets import PRESETS
from tools import lab as jupyter
from tools.lab import ROOT

README = [("fig1", False, 1280), ("fig2b", True, 1280), ("us-flights", False, 1280)]


def take(server: jupyter.Lab, chrome: Any, preset: str, dark: bool, width: int, file: Path) -> None:
    """One picture of one preset, as soon as its verdicts are in."""
    server.dark(dark)
    visit = jupyter.Visit(chrome, width, 1200)
    visit.open(server.notebook(f"{preset}.ipynb", f"import degnn_explore as de\nde.Explorer(preset={preset!r})"))
    panel = visit.page.locator(".de-explorer")
    panel.locator(".de-verdicts, .de-hint").first.wait_for(timeout=60_000)
    visit.page.wait_for_function("() => !document.querySelector('.de-spin')", timeout=60_000)
    visit.page.wait_for_timeout(700)
    panel.screenshot(path=file)
    visit.close()
    print(file, f"{file.stat().st_size // 1024} kB")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument(
        "--all", type=Path, metavar="FOLDER", help="every preset in both themes and widths, into this folder"
    )
    folder = parser.parse_args().all
    wanted = (
        README
        if folder is None
        else [(one.key, dark, width) for one in PRESETS for dark in (False, True) for width in (1280, 1920)]
    )
    folder = folder or ROOT / "docs" / "img"
    folder.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory() as place:
        server = jupyter.Lab(Path(place))
        try:
            with jupyter.browser() as chrome:
                for preset, dark, width in wanted:
                    theme = "dark" if dark else "light"
                    name = f"explorer-{preset}-{theme}.png" if wanted is README else f"{preset}-{theme}-{width}.png"
                    take(server, chrome, preset, dark, width, folder / name)
        finally:
            server.close()


if __name__ == "__main__":
    main()
