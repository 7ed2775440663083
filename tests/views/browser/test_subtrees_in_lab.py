"""What the network sees, as a reader meets it: folded and unfolded, plain and encoded, layer by layer."""

from __future__ import annotations

import json
from typing import Any

from tools.explorers import Panel
from tools.lab import change_theme

# every text of at least 9 px; no ×m or letter over a disc, and none out of the stage
_SOUND = """(el) => {
  const svg = el.querySelector('svg'), stage = svg.getBoundingClientRect(), wrong = [];
  const scale = stage.width / svg.viewBox.baseVal.width;
  const over = (a, b) => Math.min(a.right, b.right) - Math.max(a.left, b.left) > 1
                      && Math.min(a.bottom, b.bottom) - Math.max(a.top, b.top) > 1;
  const boxes = (what) => [...svg.querySelectorAll(what)].map((x) => x.getBoundingClientRect());
  const each = (all, name) => all.forEach((a, i) => { if (all.slice(0, i).some((b) => over(a, b))) wrong.push(name); });
  const discs = boxes('.de-disc > rect:not(.de-ring):not(.de-glow)');
  each(discs, 'two discs');
  each(boxes('.de-times'), 'two ×m');
  svg.querySelectorAll('text').forEach((t) => {
    const box = t.getBoundingClientRect(), out = box.left < stage.left - 1 || box.right > stage.right + 1;
    if (t.getAttribute('font-size') * scale < 8.99) wrong.push('small: ' + t.textContent);
    if (out || box.top < stage.top - 1 || box.bottom > stage.bottom + 1) wrong.push('outside: ' + t.textContent);
    if (!t.closest('.de-disc') && discs.some((disc) => over(box, disc))) wrong.push('over a disc: ' + t.textContent);
  });
  return wrong;
}"""


def test_subtrees_at_any_depth(lab: Any, visit: Any) -> None:
    """Long because one JupyterLab page is opened for all of it."""
    cells = ("import degnn_explore as de", "de.Explorer(preset='fig1')", "de.Explorer(preset='fig1', layer=6)")
    one = visit(lab.notebook("trees.ipynb", *cells, "de.Explorer(preset='celegans', layer=2)"), width=1280, height=800)
    page = one.page
    panel = Panel(page)
    tree = panel.tree

    def press(label: str) -> None:
        tree.get_by_role("button", name=label, exact=True).click()

    def has(name: str, wanted: Any) -> None:
        panel.until(
            lambda: tree.get_attribute(f"data-{name}"),
            wanted if isinstance(wanted, str) else json.dumps(wanted, separators=(",", ":")),
        )

    # depth 2: a tree, dashed once on each side, with the multisets written out
    has("form", "tree")
    has("levels", [2, 3, 7])
    panel.trees_say("A v2 0 ← {1⟨0, 2 ×2⟩, 1⟨0, 1, 2⟩ ×2}")
    assert tree.locator(".de-parts").count() == 2
    assert tree.evaluate(_SOUND) == []
    press("folded")
    has("levels", [2, 2, 3])
    assert tree.get_by_role("button", name="folded", exact=True).get_attribute("aria-pressed") == "true"
    assert sorted(tree.locator(".de-letter").all_text_contents()) == ["A", "A", "A: v2", "B: v3"]
    press("names")
    panel.until(lambda: "v4, v5" in tree.locator(".de-named").all_text_contents(), True)
    press("1-WL")
    has("levels", [1, 1, 1])  # to a plain GNN both are one
    panel.trees_say("= after 2 layers")
    press("DE")
    has("levels", [2, 2, 3])

    # step by step, by button and by key; the graph lights up with it
    tree.get_by_label("One layer back").click()
    has("step", "1")
    has("levels", [1, 1])
    panel.trees_say("B v3 0 ← {1 ×3}")
    panel.until(lambda: panel.graph.get_attribute("data-lit"), "[2,11]")  # what came in has reached both roots
    tree.locator("svg").focus()
    cell_count = page.locator(".jp-Notebook .jp-Cell").count()
    for key in [".", *"abcdefghijklmnopqrstuvwxyz", ","]:  # none of them edits the notebook
        page.keyboard.press(key)
    has("step", "1")
    page.keyboard.press("ArrowDown")
    page.keyboard.press("ArrowDown")
    panel.until(lambda: "distance to S: 1" in (tree.locator(".de-said").text_content() or ""), True)
    assert page.locator(".jp-Notebook .jp-Cell").count() == cell_count
    page.keyboard.press(" ")  # plays to the end
    has("step", "2")
    panel.until(lambda: tree.get_by_label("Play message passing").count(), 1)
    panel.until(lambda: panel.graph.get_attribute("data-lit"), "[]")

    # depth 6 is folded by itself, and nothing is too small, cut off or over a disc
    panel = Panel(page, 1)
    tree = panel.tree
    has("form", "folded")
    has("levels", [2, 4, 7, 9, 10, 5, 3])
    assert tree.evaluate(_SOUND) == []
    press("tree")
    panel.trees_say("too wide to read")
    assert tree.evaluate(_SOUND) == []

    # where even the folded graph is too wide, it says so and shows what fits
    panel = Panel(page, 2)
    tree = panel.tree
    panel.trees_say("level 1 has 87 different subtrees")
    assert tree.evaluate(_SOUND) == []
    light = tree.locator("svg text").first.get_attribute("fill")
    change_theme(page, "JupyterLab Dark")
    panel.until(lambda: tree.locator("svg text").first.get_attribute("fill") != light, True)
    change_theme(page, "JupyterLab Light")
    panel.until(lambda: tree.locator("svg text").first.get_attribute("fill") == light, True)
