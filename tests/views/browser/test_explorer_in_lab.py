"""The Explorer as a reader meets it: in JupyterLab, with a mouse and a keyboard."""

from __future__ import annotations

import json
import shutil
from typing import Any

from tools.explorers import Panel, fresh
from tools.lab import ROOT, change_theme, kernel

EVIL = "<img src=x onerror=document.title='HACKED'>"


def test_notebook_01_runs_and_answers_two_clicks(lab: Any, visit: Any) -> None:
    shutil.copy(ROOT / "notebooks" / "01_distance_encoding.ipynb", lab.folder)
    page = visit(f"{lab.url}/doc/tree/01_distance_encoding.ipynb").page
    panel = Panel(page)
    panel.targets([2, 11])
    panel.shows(["0 0 1 | 1", "1 1 3 | 3", "2 2 4 | 4"])
    panel.verdict("1-WL", "no")
    panel.verdict("DE-SPD", " yes, 2 layers")
    panel.click(5)
    panel.targets([5, 11])
    panel.shows(["0 0 1 | 1", "1 1 3 | 3", "2 2 3 | 4", "3 3 1 | 0"])
    panel.click(8 + 0)
    panel.targets([5, 8])
    panel.shows(["0 0 1 | 1", "1 1 3 | 3", "2 2 3 | 3", "3 3 1 | 1"])
    panel.verdict("DE-SPD", "no")
    panel.trees_say("= after 2 layers")
    assert "B = {v0}, p = 1" in panel.graph.locator(".de-captions").inner_text()
    page.locator(".jp-RenderedText", has_text="Your turn").first.wait_for(state="attached")
    assert page.locator(".jp-OutputArea-output[data-mime-type='application/vnd.jupyter.stderr']").count() == 0


def test_lasso_search_keyboard_slider_and_hover(lab: Any, visit: Any) -> None:
    panel = fresh(lab, visit, "hands", "de.Explorer((de.zoo.figure1(), []))")
    page = panel.page
    assert "click a node" in panel.graph.inner_text()

    # the search box: type a name, Enter picks it
    panel.graph.locator(".de-find").fill("v7")
    panel.graph.locator(".de-matches li", has_text="v7").wait_for()
    panel.graph.locator(".de-find").press("Enter")
    panel.targets([7])

    panel.until(lambda: panel.graph.get_attribute("data-cursor"), "7")

    # arrows walk along the edge v7 - v2, Enter picks, Esc clears
    panel.graph.locator("canvas").focus()
    page.keyboard.press("ArrowRight")
    panel.until(lambda: panel.graph.get_attribute("data-cursor"), "2")
    page.keyboard.press("Enter")
    panel.targets([7, 2])
    panel.shows(["0,1 {0,1} 2", "1,2 {1,2} 4", "2,2 {2,2} 2"])
    page.keyboard.press("Escape")
    panel.targets([])

    # Shift-drag around the left half
    (x0, y0), (x1, y1) = panel.point(0), panel.point(1)
    page.keyboard.down("Shift")
    page.mouse.move(x0 - 25, y0 - 25)
    page.mouse.down()
    for x, y in [(x0 + 25, y0 - 25), (x1 + 25, y1 + 25), (x1 - 25, y1 + 25), (x0 - 25, y0 - 20)]:
        page.mouse.move(x, y, steps=3)
    page.mouse.up()
    page.keyboard.up("Shift")
    panel.targets([0, 1])

    page.keyboard.press("Escape")
    panel.targets([])
    panel.click(2)
    panel.targets([2])

    # colour classes, then the layer slider by keyboard
    panel.box.get_by_label("Colour by").select_option(label="classes: DE-SPD")
    panel.until(lambda: panel.graph.locator(".de-legend-title").inner_text(), "classes by DE-SPD after 2 layers")
    before = len(panel.legend())
    panel.box.get_by_label("Layers").focus()
    page.keyboard.press("ArrowLeft")
    page.keyboard.press("ArrowLeft")
    panel.until(lambda: panel.graph.locator(".de-legend-title").inner_text(), "classes by DE-SPD after 0 layers")
    panel.shows(["a class a 4", "b class b 3", "c class c 1"])
    assert before > 3
    panel.trees_say("layer 0 of 0")
    page.keyboard.press("ArrowRight")
    panel.trees_say("layer 1 of 1")

    # dragging a node moves it and picks nothing; dragging the ground moves the view; Fit brings it back
    x, y = panel.point(6)
    page.mouse.move(x, y)
    page.mouse.down()
    page.mouse.move(x + 30, y - 12, steps=4)
    page.mouse.up()
    moved = panel.point(6)
    assert abs(moved[0] - x - 30) < 3
    assert abs(moved[1] - y + 12) < 3
    stage = panel.graph.locator("canvas").bounding_box()
    ground = stage["x"] + 12, stage["y"] + stage["height"] - 12  # a corner, where no node is
    page.mouse.move(*ground)
    page.mouse.down()
    page.mouse.move(ground[0] + 40, ground[1], steps=4)
    page.mouse.up()
    assert abs(panel.point(6)[0] - moved[0] - 40) < 3
    panel.graph.get_by_label("Fit to the panel, dragged nodes back in place").click()
    panel.until(lambda: max(abs(a - b) for a, b in zip(panel.point(6), (x, y), strict=True)) < 3, True)
    panel.targets([2])

    # hovering a tree node lights the graph node it stands for, and the reverse
    page.mouse.move(*panel.point(0, panel.tree))
    panel.until(lambda: panel.graph.get_attribute("data-lit"), "[2]")
    page.mouse.move(*panel.point(2))
    panel.until(lambda: 0 in json.loads(panel.tree.get_attribute("data-lit") or "[]"), True)
    panel.until(
        lambda: all(
            word in panel.graph.locator(".de-tip").inner_text()
            for word in ("v2", "degree 3", "distance to S: 0", "class")
        ),
        True,
    )


def test_a_reload_keeps_everything(lab: Any, visit: Any) -> None:
    url = lab.notebook("kept.ipynb", "import degnn_explore as de", "e = de.Explorer(preset='fig1')\ne")
    one = visit(url)
    panel = Panel(one.page)
    panel.click(7)
    panel.targets([7, 11])
    x, y = panel.point(6)
    one.page.mouse.move(x, y)
    one.page.mouse.down()
    one.page.mouse.move(x + 30, y - 12, steps=4)
    one.page.mouse.up()
    dragged = _shape(panel)
    panel.graph.get_by_label("Zoom in").click()
    panel.verdict("DE-SPD", " yes, 2 layers")
    dragged_and_zoomed = "assert e._scene.graph.home and e._scene.graph.camera != [1.0, 0.0, 0.0]"
    panel.until(lambda: kernel(one.page, dragged_and_zoomed), True)
    one.save()
    one.open(url, run=False)
    again = Panel(one.page)
    again.targets([7, 11])
    again.shows(["0 0 1 | 1", "1 1 3 | 3", "2 2 4 | 4"])
    again.verdict("DE-SPD", " yes, 2 layers")
    again.until(lambda: max(abs(a - b) for a, b in zip(_shape(again), dragged, strict=True)) < 0.02, True)
    again.click(5)  # and it still answers
    again.targets([5, 11])


def _shape(panel: Panel) -> list[float]:
    """Where node 6 lies seen from node 0, in units of the distance from node 0 to node 1."""
    (ax, ay), (bx, by), (x, y) = panel.graph.evaluate("el => [0, 1, 6].map(el.whereIs)")
    unit = ((bx - ax) ** 2 + (by - ay) ** 2) ** 0.5
    return [(x - ax) / unit, (y - ay) / unit]


def test_running_a_cell_again_or_deleting_it_frees_its_widgets(lab: Any, visit: Any) -> None:
    count = "from ipywidgets.widgets.widget import _instances\nprint('run', (n := n + 1), 'widgets', len(_instances))"
    cells = ("import degnn_explore as de\nn = globals().get('n', 0)", "de.Explorer(preset='fig1')", count)
    one = visit(lab.notebook("again.ipynb", *cells))

    def widgets(run: int) -> int:
        line = one.page.locator(".jp-OutputArea-output pre", has_text=f"run {run} widgets").first
        line.wait_for()
        return int(line.inner_text().split()[-1])

    first = widgets(1)
    assert first > 50
    one.run_all()
    assert widgets(2) == first
    Panel(one.page).click(5)  # the new one answers
    Panel(one.page).targets([5, 11])
    one.page.locator(".jp-Notebook .jp-Cell").nth(1).locator(".jp-InputPrompt").click()
    one.page.evaluate("() => window.jupyterapp.commands.execute('notebook:delete-cell')")
    one.run_all()
    assert widgets(3) == 0


def test_an_exception_in_a_callback_is_shown(lab: Any, visit: Any) -> None:
    panel = fresh(
        lab,
        visit,
        "fails",
        "e = de.Explorer(preset='hexagon')\n"
        "def broken(by='', **settings):\n    raise RuntimeError('the <b>reason</b>')\n"
        "e.state.update, e.state.coloured = broken, broken\ne",
    )
    layers = panel.box.get_by_label("Layers")
    before = layers.input_value()
    layers.focus()
    panel.page.keyboard.press("ArrowRight")
    alert = panel.box.locator(".de-float .de-error")
    alert.wait_for()
    panel.until(lambda: layers.input_value(), before)  # what was refused does not go on being shown
    panel.click(1)
    panel.until(lambda: "RuntimeError: the <b>reason</b>" in alert.inner_text(), True)


def test_names_are_text_everywhere(lab: Any, visit: Any) -> None:
    panel = fresh(
        lab,
        visit,
        "evil",
        f"evil = {EVIL!r} + ' href'\nG = de.Graph.from_edges([(evil, 'b'), ('b', 'c')], "
        "info={'note': [evil, '', '']}, title=evil)\nde.Explorer((G, [evil]), layer=1)",
    )
    page = panel.page
    panel.graph.locator(".de-find").fill("img")
    panel.graph.locator(".de-matches li", has_text="<img src=x").wait_for()
    panel.graph.locator(".de-find").fill("")
    page.mouse.move(*panel.point(0))
    panel.until(lambda: "<img src=x" in panel.graph.locator(".de-tip").inner_text(), True)
    assert "<img src=x" in panel.graph.locator(".de-canvas-title").inner_text()
    panel.box.get_by_role("button", name="Free view").click()
    frame = page.frame_locator("iframe.de-free")
    frame.locator("canvas").first.wait_for()
    box = page.locator("iframe.de-free").bounding_box()
    for share in (0.3, 0.4, 0.5, 0.6, 0.7):
        page.mouse.move(box["x"] + box["width"] * share, box["y"] + box["height"] / 2, steps=2)
        page.wait_for_timeout(80)
    assert frame.locator("img").count() == 0
    assert page.locator("img[src=x]").count() == 0
    panel.box.get_by_role("button", name="Share").click()
    panel.box.locator("[data-code=python]").wait_for()
    assert page.title() != "HACKED"


def test_export_file_and_themes(lab: Any, visit: Any) -> None:
    panel = fresh(lab, visit, "export", "de.Explorer(preset='fig3')")
    page = panel.page
    page.context.grant_permissions(["clipboard-read", "clipboard-write"])
    panel.box.get_by_role("button", name="Share").click()
    for name, start in [
        ("Graph PNG", b"\x89PNG"),
        ("Subtrees PNG", b"\x89PNG"),
        ("Graph SVG", b"<svg"),
        ("Subtrees, free", b"<"),
        ("Save a page", b"<!do"),
    ]:
        with page.expect_download() as caught:
            panel.box.get_by_role("button", name=name).click()
        assert open(caught.value.path(), "rb").read(4).startswith(start), name  # noqa: SIM115
    panel.box.get_by_role("button", name="Copy Python").click()
    panel.box.get_by_role("button", name="Copied").wait_for()
    assert page.evaluate("() => navigator.clipboard.readText()").splitlines()[-1].startswith("de.Explorer(A, B")
    assert 'de.Explorer.restore("de1.' in panel.box.locator("[data-code=restore]").inner_text()
    assert "de.zoo.figure3()[0]" in panel.box.locator("[data-code=python]").inner_text()

    panel.box.get_by_role("button", name="Open a graph").click()
    with page.expect_file_chooser() as caught_file:
        panel.box.get_by_role("button", name="Choose a file").click()
    caught_file.value.set_files(
        {"name": "mine.csv", "mimeType": "text/csv", "buffer": b"source,target\na,b\nb,c\nb,b\nb,d\n"}
    )
    panel.until(lambda: "1 self-loop" in panel.box.locator(".de-idea").inner_text(), True)
    panel.shows(["0 0 1", "1 1 3"])

    light = panel.graph.evaluate("el => getComputedStyle(el).getPropertyValue('--de-rim')")
    change_theme(page, "JupyterLab Dark")
    panel.until(lambda: panel.graph.evaluate("el => getComputedStyle(el).getPropertyValue('--de-rim')") != light, True)
    change_theme(page, "JupyterLab Light")
    panel.until(lambda: panel.graph.evaluate("el => getComputedStyle(el).getPropertyValue('--de-rim')") == light, True)
