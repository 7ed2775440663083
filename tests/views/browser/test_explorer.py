"""Journeys through an Explorer in a real JupyterLab: picking, stepping, asking, tours, keys, reloads."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from tests.support.explorers import Panel, fresh
from tests.support.lab import change_theme, kernel

from .conftest import serious

RESTART = "() => [...window.jupyterapp.shell.widgets('main')][0].sessionContext.session.kernel.restart()"
EVIL = "<img src=x onerror=alert(1)>"


def test_a_reader_picks_steps_toggles_and_plays(lab: Any, visit: Any) -> None:
    panel = fresh(lab, visit, "journey", "e = de.Explorer()\nheard = []\ne.observe(heard.append, 'targets')\ne")
    panel.headline("A plain GNN cannot tell v2 from v3. With distances it can, after 2 layers.")
    assert "are linked to each other" in panel.box.locator(".de-reason").inner_text()
    panel.click(3)  # v3 of A: the same node on both sides
    panel.targets([3, 11])
    panel.headline("Nothing can tell A’s v3 from B’s v3")
    assert kernel(panel.page, "assert e.targets == [[3], [3]] and len(heard) == 1, (e.targets, heard)")
    panel.layer(0)
    panel.shows(["target: 1 | 1", "distance 1: 3 | 3", "distance 2: 4 | 4"])
    panel.toggle("plain GNN")
    panel.shows(["all nodes: 8 | 8"])
    panel.toggle("+ distance")
    panel.press("▶ Play")
    panel.until(lambda: panel.box.locator(".de-layers [aria-checked=true]").inner_text() != "0", True)
    panel.until(lambda: panel.box.locator(".de-play").inner_text(), "▶ Play")  # it ends by itself
    assert kernel(panel.page, "assert e.state.layer >= 2, e.state.layer")
    panel.box.locator('.de-pill[data-method="DE-LP"]').click()
    panel.until(lambda: panel.box.get_by_role("radio", name="+ walks").get_attribute("aria-checked"), "true")
    assert kernel(panel.page, "e.targets = [[2], [3]]")
    panel.layer(0)  # both are back after 2 steps with probability 1/3, not so after 3
    panel.until(lambda: "at another step of the walk" in panel.box.locator(".de-now").inner_text(), True)
    panel.press("All reasons")
    assert panel.box.locator(".de-table tbody tr").count() == 7
    panel.page.keyboard.press("Escape")
    panel.until(lambda: panel.box.locator(".de-reasons").is_visible(), False)


def test_keys_stay_in_the_panel_and_pick(lab: Any, visit: Any) -> None:
    panel = fresh(lab, visit, "keys", "de.Explorer()", "1 + 1")
    cells = panel.page.locator(".jp-Notebook .jp-Cell").count()
    panel.graph.locator("canvas").focus()
    for key in "ArrowLeft ArrowLeft Enter d d x y m ArrowRight".split():
        panel.page.keyboard.press(key)
    panel.until(lambda: panel.graph.get_attribute("data-targets") not in ("[2,11]", "[11]"), True)
    panel.press("More")
    find = panel.box.locator(".de-find")
    find.fill("v6")
    panel.until(lambda: panel.box.locator(".de-matches li").count(), 2)
    find.press("Enter")
    panel.until(lambda: "6" in (panel.graph.get_attribute("data-targets") or ""), True)
    panel.page.keyboard.press("Escape")
    assert panel.page.locator(".jp-Notebook .jp-Cell").count() == cells
    assert panel.page.locator(".jp-Cell.jp-MarkdownCell").count() == 0


def test_a_question_hides_the_answer_until_there_is_a_guess(lab: Any, visit: Any) -> None:
    panel = fresh(lab, visit, "ask", "de.Explorer(preset='fig5', hops=2, ask='Does it tell them apart?')")
    assert not panel.box.locator(".de-right").is_visible() and not panel.box.locator(".de-headline").is_visible()
    panel.shows(["target: 1 | 1", "distance 1: 2 | 2", "distance 2: 2 | 2"])  # layer 0: the answer is not colored in
    panel.press("Show me")
    panel.until(lambda: "a guess will do" in panel.box.locator(".de-lesson").inner_text(), True)
    panel.box.locator(".de-reply").fill("yes")
    panel.page.keyboard.press("Enter")
    panel.until(lambda: "That is right" in panel.box.locator(".de-lesson").inner_text(), True)
    assert panel.box.locator(".de-right").is_visible()


def test_after_a_reload_and_in_a_second_tab_the_panel_shows_the_same_and_hears(lab: Any, visit: Any) -> None:
    url = lab.notebook("reload.ipynb", "import degnn_explore as de", "e = de.Explorer()\ne")
    one = visit(url)
    Panel(one.page).click(5)
    Panel(one.page).targets([5, 11])
    one.save()
    one.page.reload()
    panel = Panel(one.page)
    panel.click(7)
    panel.targets([7, 11])
    panel.until(lambda: kernel(one.page, "assert e.targets == [[7], [3]]"), True)
    other = one.context.new_page()
    other.goto(url)
    second = Panel(other)
    second.targets([7, 11])
    second.click(0)
    Panel(one.page).targets([0, 11])


def test_errors_names_files_and_many_panels(lab: Any, visit: Any, tmp_path: Path) -> None:
    cells = (
        f"G = de.Graph.from_edges([({EVIL!r}, 'b'), ('b', 'c')], title={EVIL!r})\nde.Explorer((G, [{EVIL!r}]))",
        "de.Explorer(preset='hexagon')",
        "de.Explorer(preset='us-flights')",
    )
    panel = fresh(lab, visit, "many", *cells)
    assert panel.page.locator(".de-explorer img").count() == 0
    ids = panel.page.evaluate("() => [...document.querySelectorAll('.de-explorer [id]')].map((el) => el.id)")
    assert len(ids) == len(set(ids))
    panel.press("More")
    panel.box.get_by_role("radio", name="Open a graph").click()
    panel.box.locator(".de-path").fill("nobody.csv")
    panel.press("Open")
    panel.until(lambda: "there is no such file" in panel.box.locator(".de-error").inner_text(), True)
    mine = tmp_path / "ring.csv"
    mine.write_text("source,target\n" + "".join(f"n{i},n{(i + 1) % 30}\n" for i in range(30)), encoding="utf-8")
    panel.box.locator("input[type=file]").set_input_files(str(mine))
    panel.until(lambda: "30 nodes" in panel.box.locator(".de-opened").inner_text(), True)
    panel.box.get_by_role("radio", name="Share").click()
    for button, ending in (("Graph PNG", ".png"), ("Subtrees SVG", ".svg"), ("Save as a page", ".html")):
        with panel.page.expect_download() as download:
            panel.press(button)
        assert download.value.suggested_filename.endswith(ending)


def test_axe_finds_nothing_serious(lab: Any, visit: Any) -> None:
    panel = fresh(lab, visit, "axe", "de.Explorer()")
    for theme, opened in (("dark", False), ("light", False), ("light", True), ("dark", True)):
        change_theme(panel.page, f"JupyterLab {theme.title()}")
        panel.until(lambda theme=theme: panel.box.get_attribute("data-theme"), theme)
        if opened and not panel.box.locator(".de-drawer").is_visible():
            panel.press("More")
        assert serious(panel.page, ".de-explorer") == []


def test_after_a_restart_one_sentence_says_what_to_do(lab: Any, visit: Any) -> None:
    panel = fresh(lab, visit, "restart", "de.Explorer(preset='hexagon')")
    panel.page.evaluate(RESTART)
    panel.page.locator(".de-explorer.de-gone").wait_for()
    assert "Re-run this cell" in panel.box.evaluate("el => getComputedStyle(el, '::before').content")
