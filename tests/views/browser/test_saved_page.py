"""The saved page and the live panel show the same, element by element and pixel by pixel, in 200 states."""

from __future__ import annotations

import base64
import re
from itertools import pairwise
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import numpy as np

import degnn_explore as de
from degnn_explore.views.explorer.explorer import MODULES
from degnn_explore.views.js import joined, read
from degnn_explore.views.static_html import page as html_page

STATES = {"fig1": 80, "fig2b": 80, "celegans": 40}
ALWAYS = "options graphs xy edges opening busy error".split()
CHANGING = "targets values codes numbers classes seen pills".split()

# A live panel and a saved page side by side: the one holds the traits that Python sends, the other what was recorded.
PAIR = """
const traits = {}, heard = {};
const put = (given) => {
  for (const [name, value] of Object.entries(given))
    traits[name] = value?.bytes === undefined ? value : bytesOf(value.bytes);
  for (const name of Object.keys(given)) (heard[`change:${name}`] ?? []).forEach((act) => act());
};
const live = { get: (name) => traits[name], set: (name, value) => { traits[name] = value; }, save_changes() {}, send() {},
               on: (name, act) => (heard[name] ??= []).push(act), off() {} };
window.openBoth = async (packed, given) => {
  const [one, other] = ["live", "saved"].map((id) => document.getElementById(id));
  put({ ...given, seen: {}, codes: { bytes: "" }, classes: { bytes: "" }, numbers: { bytes: "" } });
  renderExplorer({ el: one, model: live });
  const waited = one.querySelector(".de-waiting") !== null && one.querySelector(".de-card").checkVisibility();
  put(given);
  window.saved = recordedModel(await unpacked(packed));
  renderExplorer({ el: other, model: window.saved });
  return waited;
};
// What a reader sees: text and colors of every part, and the picture itself.
const seenIn = (id) => {
  const root = document.getElementById(id);
  const part = (css) => root.querySelector(css)?.outerHTML.replace(/ id="[^"]*"| aria-controls="[^"]*"| aria-labelledby="[^"]*"/g, "");
  const parts = [".de-headline", ".de-reason", ".de-pills", ".de-legend", ".de-captions", ".de-tree-stage svg", ".de-key", ".de-layers"];
  return [...parts.map(part), root.querySelector(".de-stage canvas").toDataURL()];
};
const rgb = (color) => Object.assign(document.createElement("i").style, { color }).color;
const frames = async (count) => { for (let k = 0; k < count; k++) await new Promise((done) => requestAnimationFrame(done)); };
window.compareAll = async (states) => {
  const different = [];
  for (const [at, { targets, values, given, legend }] of states.entries()) {
    put(given);
    window.saved.set("values", { ...window.saved.get("values"), ...values });
    window.saved.set("targets", targets);
    window.saved.save_changes();
    let one, other;
    for (let k = 0; k < 150; k++) { // until both have come to rest: a card may change its size
      await frames(1);
      [one, other] = [seenIn("live"), seenIn("saved")];
      if (one.join() === other.join()) break;
    }
    const items = [...document.querySelectorAll("#live .de-item")].map((item) => [rgb(item.firstChild.style.background), item.textContent.replace(/:/, ": ")]);
    const drawn = legend.map(([color, text]) => [rgb(color), text]);
    if (JSON.stringify(items) !== JSON.stringify(drawn)) different.push([at, JSON.stringify(items), JSON.stringify(drawn)]);
    one.forEach((text, k) => { if (text !== other[k]) different.push([at, text.slice(0, 600), other[k].slice(0, 600)]); });
  }
  return different;
};
"""  # noqa: E501


def traits_of(explorer: de.Explorer, names: list[str]) -> dict[str, Any]:
    explorer.wait()
    return {
        name: {"bytes": base64.b64encode(bytes(value)).decode()} if isinstance(value, bytes | memoryview) else value
        for name, value in explorer.get_state(names).items()
    }


def legend_of(svg: str) -> list[tuple[str, str]]:
    """Color and words of each entry of a picture's legend."""
    parts = next(one for one in ElementTree.fromstring(svg) if one.get("class") == "legend")
    return [(str(one.get("fill")), words.text or "") for one, words in pairwise(parts) if one.tag.endswith("circle")]


def states(key: str, count: int) -> list[tuple[list[list[int]], dict[str, Any]]]:
    rng, made = np.random.default_rng(sorted(STATES).index(key)), []
    sides, n = (1, 297) if key == "celegans" else (2, 8 if key == "fig1" else 16)
    for _ in range(count):
        p = 1 if sides == 1 else int(rng.integers(1, 3))
        targets = [sorted(rng.choice(n, p, replace=False).tolist()) for _ in range(sides)]
        color_by = str(rng.choice(["SPD", "SPD", "LP", "1-WL"]))
        values = {"color_by": color_by, "toggle": "SPD" if color_by == "1-WL" else color_by, "size": p}
        values |= {"layer": int(rng.integers(0, 7)), "hops": int(rng.integers(1, 3)) if color_by == "SPD" else 1}
        made.append((targets, values))
    return made


def test_the_saved_page_shows_what_the_live_panel_shows(chrome: Any, tmp_path: Path) -> None:
    style = read("panel.css") + "body { margin: 0 } main { width: 856px } .de-panel { height: 604px }"
    both = '<main id="live"></main><main id="saved"></main>'
    (tmp_path / "both.html").write_text(
        html_page("both", both, style, joined(*MODULES, "recorded") + PAIR), encoding="utf-8"
    )
    context = chrome.new_context(viewport={"width": 900, "height": 1260}, offline=True, reduced_motion="reduce")
    compared = 0
    for key, count in STATES.items():
        explorer = de.Explorer(preset=key)
        packed = re.search(
            r'openPage\("([^"]+)"\)', explorer.page(tmp_path / f"{key}.html").read_text(encoding="utf-8")
        )
        assert packed is not None
        page = context.new_page()
        page.goto((tmp_path / "both.html").as_uri())
        first = traits_of(explorer, ALWAYS + CHANGING) | {"lesson": {}, "view": {}}
        assert page.evaluate(
            "([packed, given]) => openBoth(packed, given)", [packed[1], first]
        )  # a skeleton comes first
        told, wanted = [], states(key, count)
        for targets, values in wanted:
            explorer.set_trait("values", explorer.values | values)
            explorer.targets = targets
            told.append({"targets": targets, "values": values, "given": traits_of(explorer, CHANGING),
                         "legend": legend_of(explorer.svg())})  # fmt: skip
        different = page.evaluate("(states) => compareAll(states)", told)
        assert [(wanted[at], one, other) for at, one, other in different] == [], key
        compared += len(told)
        page.close()
    assert compared == 200
    context.close()


def test_a_page_opens_offline_from_its_file_within_its_size(chrome: Any, tmp_path: Path) -> None:
    for key in ("hexagon", "fig4"):
        file = de.Explorer(preset=key).page(tmp_path / f"{key}.html", tour=key)
        assert file.stat().st_size < 5_000_000
        context = chrome.new_context(offline=True)
        page, trouble = context.new_page(), list[str]()
        page.on("console", lambda message: trouble.append(message.text) if message.type == "error" else None)  # noqa: B023
        page.on("pageerror", lambda error: trouble.append(str(error)))  # noqa: B023
        page.goto(file.as_uri())
        page.wait_for_selector(".de-lesson-text")
        assert page.locator(".de-lesson-text").inner_text().startswith("1 of ")
        assert not page.locator(".de-pills").is_visible()  # they would answer what the tour is about to ask
        page.get_by_role("button", name="Next").click()
        assert page.locator(".de-lesson-text").inner_text().startswith("2 of ")
        assert trouble == []
        context.close()


def test_what_is_not_recorded_is_disabled_and_says_so(chrome: Any, tmp_path: Path) -> None:
    file = de.Explorer(preset="celegans").page(tmp_path / "worm.html")
    context = chrome.new_context(offline=True)
    page = context.new_page()
    page.goto(file.as_uri())
    page.get_by_role("button", name="More").click()
    assert page.locator(".de-bar select").is_disabled() and page.get_by_text("Recorded here: single targets;").count()
    assert page.locator(".de-row select[aria-label=Targets] option").all_inner_texts() == ["1 node"]
    page.keyboard.press("Escape")
    page.set_viewport_size({"width": 390, "height": 800})  # a phone stacks the cards
    left, right = (page.locator(css).bounding_box() for css in (".de-left", ".de-right"))
    assert right["y"] >= left["y"] + left["height"] and left["width"] > 350
    assert page.evaluate("() => document.documentElement.scrollWidth <= window.innerWidth")
    context.close()


def test_a_page_with_the_edges_inside_S_cut_says_what_it_does_not_record(chrome: Any, tmp_path: Path) -> None:
    sides = (de.zoo.domino(), {0, 3}), (de.zoo.bridged_triangles(), {0, 3})
    explorer = de.Explorer(*sides, color_by="zero-one", cut=True)
    page = chrome.new_page()
    page.goto(explorer.page(tmp_path / "cut.html").as_uri())
    page.wait_for_selector(".de-pills")
    pills = {pill["method"]: pill for pill in page.evaluate("explorerModel.get('pills')")["pills"]}
    assert pills["DE-SPD"]["layer"] == 0
    assert pills["zero-one"]["layer"] is None
    assert "not recorded" in pills["2-WL"]["skipped"]
    page.close()
