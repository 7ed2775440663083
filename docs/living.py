"""Runs first in every kernel of ``make site``: shows panels and charts as HTML that needs no kernel."""

import hashlib
import os
from pathlib import Path

from IPython.display import HTML, display

import degnn_explore as de


def explorer_page(explorer):
    """The Explorer as an iframe; readers can pick targets in it, and take its tour."""
    folder = Path(os.environ["DEGNN_PAGES"])
    explorer.wait()
    draft = folder / f"draft-{os.getpid()}.html"
    try:
        explorer.page(draft, tour=explorer.lesson.get("key", ""))
    except de.ParameterError:  # such as a graph too large for a page
        return {"text/html": explorer._repr_mimebundle_()["text/html"]}
    page = draft.rename(folder / f"{hashlib.sha256(draft.read_bytes()).hexdigest()[:16]}.html")
    up = "../" * len(Path.cwd().relative_to(os.environ["DEGNN_ROOT"]).parts)  # from the notebook's page to the top
    return {"text/html": f'<iframe class="explorer" src="{up}explorers/{page.name}" title="Explorer"></iframe>'}


def finished_board(board):
    """The Training Board after its race; a reader cannot wait for it."""
    board.wait()
    return {"text/html": board.static()[1]}


def show_chart(figure):
    """A chart that finds Plotly on its page."""
    display(HTML(figure.to_html(full_html=False, include_plotlyjs=False)))
    return True


formatter = get_ipython().display_formatter  # noqa: F821
formatter.mimebundle_formatter.for_type(de.Explorer, explorer_page)
formatter.mimebundle_formatter.for_type(de.TrainingBoard, finished_board)
formatter.ipython_display_formatter.for_type_by_name("plotly.graph_objs._figure", "Figure", show_chart)
