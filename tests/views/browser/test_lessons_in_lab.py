"""Tours, questions and explained words, by hand: one JupyterLab page for all of them."""

from __future__ import annotations

from importlib.resources import files
from typing import Any

from tests.views.browser.test_one_screen import AXE

CODE = """import degnn_explore as de
question = "Can <b>one</b> layer tell them apart?"
de.Explorer(tour="hexagon")"""
ASKING = 'de.Explorer(preset="fig3", ask=question)'

MIXED = """() => [...document.querySelectorAll(".de-keys dt")].filter((dt) => {
  const a = dt.getBoundingClientRect(), b = dt.nextElementSibling.getBoundingClientRect();
  const words = document.createRange(); words.selectNodeContents(dt);
  const text = words.getBoundingClientRect();
  return !(text.right <= b.left + 0.5 || text.bottom <= b.top + 0.5) || a.width < 20;
}).map((dt) => dt.textContent)"""


def test_a_tour_a_question_and_words_that_explain_themselves(lab: Any, visit: Any) -> None:
    page = visit(lab.notebook("lessons.ipynb", CODE, ASKING), width=1280, height=800).page
    tour, asking = page.locator(".de-explorer").nth(0), page.locator(".de-explorer").nth(1)
    said = tour.locator(".de-lesson-text")

    # a tour: next, back, leave, and what it points at
    said.get_by_text("1 of 5").wait_for()
    assert tour.locator("[data-field=back]").is_disabled()
    tour.locator("[data-field=next]").click()
    said.get_by_text("2 of 5").wait_for()
    tour.locator(".de-sentence").get_by_text("cannot see it").wait_for()  # of 1-WL, which the step is about
    tour.locator(".de-look .de-pills").wait_for()
    assert tour.locator(".de-look").count() == 1
    tour.locator("[data-field=next]").focus()
    page.keyboard.press("Enter")
    said.get_by_text("3 of 5").wait_for()
    tour.locator("[data-field=back]").click()
    said.get_by_text("2 of 5").wait_for()
    assert tour.evaluate("(e) => e.getBoundingClientRect().height") <= 712  # with the tour, still one screen

    # words: by pointer, by tap, by keyboard
    tip = tour.locator(".de-term-tip")
    word = tour.locator(".de-sentence .de-term").first
    assert not tip.is_visible()
    word.hover()
    tip.get_by_text("Weisfeiler and Leman").wait_for()
    inside = tip.bounding_box(), tour.bounding_box()
    assert (
        inside[0]["x"] >= inside[1]["x"] and inside[0]["x"] + inside[0]["width"] <= inside[1]["x"] + inside[1]["width"]
    )
    said.hover()
    tip.wait_for(state="hidden")
    word.focus()
    tip.wait_for()
    page.keyboard.press("Escape")
    tip.wait_for(state="hidden")
    said.locator(".de-term").first.click()
    tip.wait_for()
    assert said.locator(".de-term").first.get_attribute("aria-describedby") == tip.get_attribute("id")
    tour.locator("[data-field=leave]").click()
    said.wait_for(state="detached")
    tour.locator(".de-look").wait_for(state="detached")
    page.wait_for_function("document.activeElement.matches('.de-canvas canvas')")  # the button that had it is gone

    # the ? panel: terms beside their lines, at every width
    tour.locator("[data-field=help]").click()
    tour.locator(".de-glossary").get_by_text("Double-radius").wait_for()
    for width in (1600, 1280, 1000, 700):
        page.set_viewport_size({"width": width, "height": 800})
        page.wait_for_function(f"() => window.innerWidth === {width}")
        assert page.evaluate(MIXED) == []
    page.set_viewport_size({"width": 1280, "height": 800})
    tour.locator("[data-field=help]").click()

    # a question: nothing is shown before an answer, and the letters stay in their field
    asking.scroll_into_view_if_needed()
    assert not asking.locator(".de-strip").is_visible() and not asking.locator(".de-card").nth(1).is_visible()
    page.evaluate(files("axe_playwright_python").joinpath("axe.min.js").read_text())
    assert asking.evaluate(AXE) == []
    asking.get_by_label("Your prediction").click()
    page.keyboard.type("xxdd no <i>bab")
    page.keyboard.press("Enter")
    asking.get_by_text("You said: xxdd no <i>bab").wait_for()
    asking.locator(".de-strip").wait_for()
    assert asking.locator(".de-card").nth(1).is_visible() and asking.locator(".de-lesson i, .de-lesson b").count() == 0
    assert page.locator(".jp-Notebook .jp-CodeCell").count() == 2  # no letter was a command
    asking.locator(".de-captions .de-term", has_text="p = 1").first.hover()
    asking.locator(".de-term-tip").get_by_text("How many nodes the target set S has").wait_for()
    asking.get_by_text("Close", exact=True).click()
    asking.locator(".de-lesson").wait_for(state="detached")
