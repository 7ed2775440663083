"""Takes the pictures of the Training Board for the README, in a real JupyterLab, after a real race.

python docs/make_board_pictures.py           # writes docs/img/board-*.png
"""

from __future__ import annotations

import tempfile
from pathlib import Path

from tools import lab as jupyter
from tools.lab import ROOT

RACE = """import degnn_explore as de
board = de.TrainingBoard("celegans", "links", ["GCN", "GIN", "DE-GNN-SPD", "DE-GNN-LP"], seeds=3, epochs=15)
if not board.runs:
    board.start()
    board.wait()
board"""


def main() -> None:
    """One picture in each theme; the second finds the results of the first."""
    with tempfile.TemporaryDirectory() as folder, jupyter.browser() as chrome:
        server = jupyter.Lab(Path(folder))
        try:
            for theme in ("light", "dark"):
                server.dark(theme == "dark")
                visit = jupyter.Visit(chrome, 1400, 1200)
                visit.open(server.notebook(f"{theme}.ipynb", RACE))
                page = visit.page
                page.wait_for_selector(".de-board .de-chart .annotation-text", timeout=1_200_000)
                page.wait_for_selector(".de-board .de-link", timeout=60_000)
                page.wait_for_timeout(700)
                file = ROOT / "docs" / "img" / f"board-celegans-{theme}.png"
                page.locator(".de-board").screenshot(path=file)
                print(file.name, f"{file.stat().st_size // 1024} kB")
                visit.close()
        finally:
            server.close()


if __name__ == "__main__":
    main()
