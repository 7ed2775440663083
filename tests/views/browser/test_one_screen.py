"""The whole panel on a laptop's screen: every example, few controls, nothing clipped."""

from __future__ import annotations

from typing import Any

from degnn_explore.views.content import PRESETS, TOURS
from tests.support.explorers import fresh
from tests.support.lab import kernel

# What sticks out of the panel, or is cut off inside it.
CLIPPED = """(root) => {
    const home = root.getBoundingClientRect(), bad = [];
    for (const el of root.querySelectorAll('.de-bar > *, .de-headline, .de-pill, .de-card, .de-legend, .de-item, .de-lesson, .de-stage')) {
        if (!el.checkVisibility()) continue;
        const box = el.getBoundingClientRect();
        if (box.left < home.left - 1 || box.right > home.right + 1 || box.top < home.top - 1 || box.bottom > home.bottom + 1) bad.push(el.className);
    }
    for (const el of root.querySelectorAll('.de-left .de-foot, .de-bar')) if (el.scrollHeight > el.clientHeight + 1) bad.push('scrolls: ' + el.className);
    const stage = root.querySelector('.de-stage'), room = stage.getBoundingClientRect();
    if (room.height < 180) bad.push('little room: ' + room.height);
    const rows = new Set([...root.querySelectorAll('.de-pill')].map((pill) => pill.offsetTop));
    if (rows.size > 1) bad.push('pills wrap');
    const nodes = [];
    while (stage.whereIs(nodes.length)[0] !== undefined) nodes.push(stage.whereIs(nodes.length));
    for (const line of nodes.length > 60 ? [] : root.querySelectorAll('.de-captions > div')) {
        const { left, right, top, bottom } = line.getBoundingClientRect();
        const over = ([x, y]) => x + 8 > left - room.left && x - 8 < right - room.left && y + 8 > top - room.top && y - 8 < bottom - room.top;
        if (nodes.some(over)) bad.push('caption over a node: ' + line.textContent);
    }
    return bad;
}"""  # noqa: E501


def test_every_example_and_step_fits_a_laptop_and_has_few_controls(lab: Any, visit: Any) -> None:
    panel = fresh(lab, visit, "screen", "e = de.Explorer()\ne", width=1280, height=800)
    page = panel.page
    page.evaluate("() => window.jupyterapp.commands.execute('filebrowser:activate')")
    page.wait_for_function("() => document.querySelector('.de-explorer').clientWidth < 900")
    for key in PRESETS:
        assert kernel(page, f"e.do('example', {{'key': {key!r}}}); e.wait()")
        panel.until(lambda: panel.box.locator(".de-bar select").input_value(), f'"{key}"')
        box = panel.box.bounding_box()
        assert box["width"] <= 870 and box["height"] <= 605
        assert panel.box.evaluate(CLIPPED) == [], key
        assert len(panel.controls()) <= 10, panel.controls()
    for key, tour in TOURS.items():
        for at in range(len(tour.steps)):
            assert kernel(page, f"e.tour({key!r}, {at}); e.wait()")
            panel.until(lambda: panel.box.locator(".de-lesson").inner_text().startswith(f"{at + 1} of"), True)  # noqa: B023
            assert panel.box.evaluate(CLIPPED) == [], (key, at)
            assert len(panel.controls()) <= 6, panel.controls()
