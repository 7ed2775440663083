"""The Explorer on one screen: what fits, what is legible, what keys and ears reach, measured in JupyterLab."""

from __future__ import annotations

import json
from importlib.resources import files
from typing import Any

from degnn_explore.views.explorer.colour_menu import COLOURINGS
from degnn_explore.views.explorer.presets import PRESETS
from degnn_explore.views.lessons.tours import TOURS
from tools.explorers import Panel
from tools.lab import Visit, change_theme, kernel
from tools.waiting import until

LAPTOP, WIDE, SMALL, ZOOMED = (1280, 800), (1600, 900), (1024, 768), (853, 533)  # the last: 1280×800 at 150 %

# What leaves the panel, is cut off, or lies over another control; the smallest text in a picture.
LOOK = """root => {
  const box = root.getBoundingClientRect(), seen = (el) => el.checkVisibility() && el.getBoundingClientRect().width > 1;
  const name = (el) => el.ariaLabel || el.textContent.trim().slice(0, 40) || el.className || el.tagName;
  const find = (what) => [...root.querySelectorAll(what)].filter(seen);
  const hands = find('button, select, input, output');
  const texts = find('button, .de-field > span, .de-canvas-title, .de-captions > *, .de-ask, .de-legend-title');
  const out = [...hands, ...texts, ...find('canvas, svg, .de-idea, .de-sentence')].filter((el) => {
    const r = el.getBoundingClientRect();
    return r.left < box.left - 1 || r.right > box.right + 1 || r.bottom > box.bottom + 1;
  });
  const cut = texts.filter((el) => getComputedStyle(el).overflow !== 'visible' &&
    (el.scrollWidth > el.clientWidth + 1 || el.scrollHeight > el.clientHeight + 1));
  const pen = document.createElement('canvas').getContext('2d');
  const short = find('select').filter((el) => {
    pen.font = getComputedStyle(el).font;
    return pen.measureText(el.selectedOptions[0]?.textContent ?? '').width > el.clientWidth - 6;
  });
  const over = hands.filter((a) => hands.some((b) => {
    if (a === b || a.contains(b) || b.contains(a)) return false;
    const p = a.getBoundingClientRect(), q = b.getBoundingClientRect();
    const width = Math.min(p.right, q.right) - Math.max(p.left, q.left);
    return width > 1 && Math.min(p.bottom, q.bottom) - Math.max(p.top, q.top) > 1;
  }));
  const svgTexts = find('svg text').map((t) => parseFloat(getComputedStyle(t).fontSize) * (t.getScreenCTM()?.a ?? 1));
  return { width: box.width, height: box.height, room: root.closest('.jp-WindowedPanel-outer').clientHeight,
           sideways: root.scrollWidth - root.clientWidth, out: out.map(name), cut: cut.map(name),
           short: short.map(name), over: over.map(name),
           smallest: Math.min(99, ...(window.drawnSizes ?? []), ...svgTexts) };
}"""
# Every text drawn on a canvas tells its size.
RECORD = """() => {
  const draw = CanvasRenderingContext2D.prototype.fillText;
  window.drawnSizes = [];
  CanvasRenderingContext2D.prototype.fillText = function (...args) {
    window.drawnSizes.push(parseFloat(/([\\d.]+)px/.exec(this.font)[1]));
    return draw.apply(this, args);
  };
}"""
CELLS = """() => window.jupyterapp.shell.currentWidget.content.widgets.map(
  (cell) => [cell.model.type, cell.model.sharedModel.getSource()])"""
AXE = """async (root) => (await axe.run(root, { resultTypes: ['violations'] })).violations
  .filter((v) => ['serious', 'critical'].includes(v.impact))
  .flatMap((v) => v.nodes.map((n) => `${v.id}: ${n.target} ${n.html.slice(0, 90)} ${n.any[0]?.message ?? ''}`))"""


def beside_files(lab: Any, visit: Any, name: str, cell: str, size: tuple[int, int] = LAPTOP) -> tuple[Visit, Panel]:
    """An Explorer in JupyterLab with the file browser open."""
    url = lab.notebook(f"{name}.ipynb", f"import degnn_explore as de\n{cell}").replace("/doc/tree/", "/lab/tree/")
    one = visit(f"{url}?reset", width=size[0], height=size[1])
    return one, Panel(one.page)


def test_every_example_fits_and_can_be_read_at_four_sizes(lab: Any, visit: Any) -> None:
    one, panel = beside_files(lab, visit, "sizes", "e = de.Explorer()\ne")
    page = one.page
    page.evaluate(RECORD)
    for preset in PRESETS:
        page.set_viewport_size({"width": LAPTOP[0], "height": LAPTOP[1]})
        panel.box.get_by_label("Example").select_option(label=preset.title)
        panel.until(lambda idea=preset.idea: panel.box.locator(".de-idea").inner_text(), preset.idea)
        panel.until(lambda: panel.box.locator(".de-pill.de-busy").count(), 0)
        for size in (LAPTOP, WIDE, SMALL, ZOOMED):
            page.set_viewport_size({"width": size[0], "height": size[1]})
            page.evaluate("() => { window.drawnSizes = []; }")
            page.wait_for_timeout(250)  # frames in which all that hears of the size has drawn
            until(
                lambda size=size: sound(panel.box.evaluate(LOOK), size),
                pause=lambda: page.wait_for_timeout(100),  # on a busy machine it draws later
                told=lambda size=size, key=preset.key: f"{key} at {size}: {panel.box.evaluate(LOOK)}",
            )


def sound(look: dict[str, Any], size: tuple[int, int]) -> bool:
    """Whether nothing leaves the panel, lies over another thing or is too small; on a laptop also: is cut."""
    fine = look["sideways"] <= 0 and look["out"] == look["over"] == [] and look["smallest"] >= 9
    if size in (LAPTOP, WIDE):
        fine = fine and look["height"] <= look["room"] and look["cut"] == look["short"] == []
    if size == WIDE:
        fine = fine and look["width"] > 1100 and look["height"] > 0.8 * look["room"]
    return bool(fine)


def test_every_colouring_and_every_step_of_a_tour_fits(lab: Any, visit: Any) -> None:
    one, panel = beside_files(lab, visit, "colourings", "e = de.Explorer(preset='cut', cut=True)\ne")
    page, canvas = one.page, panel.graph.locator("canvas")
    panel.verdict("2-WL", "yes, 2 layers")  # beside three that say "yes, at once"

    def fits(where: str) -> None:
        panel.until(lambda: panel.box.locator(".de-pill.de-busy").count(), 0)
        look = panel.box.evaluate(LOOK)
        assert look["height"] <= look["room"], f"{where}: {look}"
        assert look["out"] == look["over"] == look["cut"] == [], f"{where}: {look}"

    before = canvas.bounding_box()
    for key in COLOURINGS:
        kernel(page, f"e.state.update(colour_by={key!r})")
        panel.until(panel.box.get_by_label("Colour by").input_value, json.dumps(key))
        fits(key)
        assert panel.box.evaluate(LOOK)["short"] == [], key
        assert canvas.bounding_box() == before, key
    for key, tour in TOURS.items():
        kernel(page, f"e.tour({key!r})")
        for number in range(1, len(tour.steps) + 1):
            said = f"{number} of {len(tour.steps)}"
            panel.until(lambda: panel.box.locator(".de-lesson-text b").inner_text(), said)
            fits(f"{key}, {said}")
            if number < len(tour.steps):
                panel.box.locator("[data-field=next]").click()


def test_nothing_moves_the_canvas_and_errors_float(lab: Any, visit: Any) -> None:
    one, panel = beside_files(lab, visit, "calm", "e = de.Explorer(preset='fig2b')\ne")
    page, canvas = one.page, panel.graph.locator("canvas")
    panel.verdict("2-WL", "no")
    before = canvas.bounding_box()
    panel.box.get_by_label("Colour by").select_option(label="classes: DE-SPD")  # another legend, of more lines
    panel.until(lambda: len(panel.legend()) > 4, True)
    kernel(page, "e.show_error(ValueError('something that cannot be done'))")
    panel.box.locator(".de-float .de-error").wait_for()
    assert canvas.bounding_box() == before
    panel.box.get_by_role("button", name="×").click()
    panel.until(lambda: panel.box.locator(".de-float").is_visible(), False)
    page.wait_for_function("document.activeElement.matches('.de-canvas canvas')")  # the button that had it is gone
    panel.box.locator(".de-pill[data-method='1-WL']").click()  # another sentence
    panel.until(lambda: "1-WL:" in panel.box.locator(".de-sentence").inner_text(), True)
    assert canvas.bounding_box() == before
    panel.box.get_by_role("button", name="All reasons").click()
    panel.box.locator("tr[data-method='DE-LP']").wait_for()
    panel.box.get_by_role("button", name="All reasons").click()
    panel.box.locator("tr[data-method='DE-LP']").wait_for(state="hidden")

    # what a node is stands below the graphs, and never over them
    page.mouse.move(*panel.point(5))
    panel.until(lambda: "degree 6" in panel.graph.locator(".de-tip").inner_text(), True)
    assert panel.graph.locator(".de-tip").bounding_box()["y"] >= before["y"] + before["height"] - 1

    # a lasso of too many: said beside the pointer
    panel.box.get_by_label("Example").select_option(label="Real: the worm C. elegans, its neurons")
    panel.until(lambda: len(panel.legend()), 4)
    panel.box.locator(".de-strip.de-waits").wait_for()  # one set now: the strip is lower
    panel.until(lambda: "297 neurons" in panel.box.locator(".de-idea").inner_text(), True)
    box = canvas.bounding_box()
    page.keyboard.down("Shift")
    page.mouse.move(box["x"] + 3, box["y"] + 3)
    page.mouse.down()
    for x, y in [(0.99, 0.01), (0.99, 0.99), (0.01, 0.99), (0.01, 0.02)]:
        page.mouse.move(box["x"] + x * box["width"], box["y"] + y * box["height"], steps=2)
    page.mouse.up()
    page.keyboard.up("Shift")
    bubble = panel.box.locator(".de-bubble")
    bubble.wait_for()
    assert "up to 100" in bubble.inner_text()
    spot = bubble.bounding_box()
    assert abs(spot["x"] - box["x"]) < 60
    assert canvas.bounding_box() == box

    # the wheel scrolls the page, with Ctrl it zooms
    first, second = (panel.graph.evaluate("el => [0, 1].map(el.whereIs)") for _ in range(2))
    page.mouse.move(box["x"] + 100, box["y"] + 100)
    page.mouse.wheel(0, 60)
    page.wait_for_timeout(150)
    assert panel.graph.evaluate("el => [0, 1].map(el.whereIs)") == first == second
    page.keyboard.down("Control")
    page.mouse.wheel(0, -120)
    page.keyboard.up("Control")
    panel.until(lambda: panel.graph.evaluate("el => [0, 1].map(el.whereIs)") != first, True)


def test_keys_stay_in_the_panel_and_reach_both_sides(lab: Any, visit: Any) -> None:
    cell = "G = de.zoo.figure1()\ne = de.Explorer((G, [3]), (G, [6]), size=1)\ne"
    one, panel = beside_files(lab, visit, "keys", cell)
    page, canvas = one.page, panel.graph.locator("canvas")
    panel.verdict("2-WL", "no")
    cells = page.evaluate(CELLS)
    controls = [canvas, panel.box.get_by_label("Layers"), panel.box.locator(".de-pill").first]
    controls += [panel.box.get_by_label("compare"), panel.box.get_by_role("button", name="Share")]
    for control in controls:
        control.focus()
        page.keyboard.type("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz00")
    page.wait_for_timeout(300)
    assert page.evaluate(CELLS) == cells
    panel.targets([3, 14])

    # no method tells them apart: the sentence says why, and hovering a node shows where the map takes it
    panel.until(lambda: "automorphism maps v3 to v6" in panel.box.locator(".de-sentence").inner_text(), True)
    page.mouse.move(*panel.point(3))
    panel.until(lambda: panel.graph.get_attribute("data-lit"), "[14]")

    # B by keyboard: b goes there, arrows walk, Enter picks, and it is said
    canvas.focus()
    page.keyboard.press("b")
    panel.until(lambda: panel.graph.get_attribute("data-cursor"), "14")
    page.keyboard.press("ArrowDown")
    panel.until(lambda: panel.graph.get_attribute("data-cursor") != "14", True)
    node = int(panel.graph.get_attribute("data-cursor"))
    assert node >= 8
    page.keyboard.press("Enter")
    panel.targets([3, node])
    said = panel.graph.locator(".de-said[aria-live]")
    panel.until(lambda: said.inner_text(), f"v{node - 8} in B, distance to S 0, target")

    # B by search
    panel.graph.locator(".de-find").fill("v7")
    panel.graph.locator(".de-matches li", has_text="in B").click()
    panel.targets([3, 15])


# Colours of a theme fade in, however late a busy page begins with it.
FADED = """() => Promise.allSettled(document.getAnimations()
    .filter((one) => one.effect.getComputedTiming().endTime < Infinity).map((one) => one.finished)).then(() => true)"""


def test_axe_finds_nothing_serious_in_either_theme(lab: Any, visit: Any) -> None:
    one, panel = beside_files(lab, visit, "ears", "e = de.Explorer(preset='fig1')\ne")
    page = one.page
    panel.verdict("DE-SPD", " yes, 2 layers")
    page.evaluate(files("axe_playwright_python").joinpath("axe.min.js").read_text())
    for theme in ("JupyterLab Light", "JupyterLab Dark"):
        change_theme(page, theme)
        for drawer in ("Open a graph", "Share", "Help"):
            panel.box.get_by_role("button", name=drawer).click()
            panel.box.locator(".de-drawer").wait_for()
            page.evaluate(FADED)
            assert panel.box.evaluate(AXE) == [], f"{theme}, {drawer}"
        panel.box.get_by_role("button", name="Help").click()
    change_theme(page, "JupyterLab Light")
