// The verdict: a headline, one line of reason, a pill for each method, and all reasons on demand.

import { make } from "./dom.js";
import { pressButton } from "./form.js";
import { explained } from "./glossary.js";
import { headline, layersText, reason } from "./words.js";

const PILL_WORDS = { skipped: () => "–", busy: () => "…", no: () => "✕", yes: ({ layer }) => `✓ layer ${layer}` };
const TABLE_WORDS = {
  skipped: () => "not computed",
  busy: () => "computing",
  no: () => "no",
  yes: ({ layer }) => (layer ? `yes, after ${layersText(layer)}` : "yes, at layer 0"),
};
const PAIRS_ONLY = "2-WL"; // it colors pairs of nodes, so there is nothing to draw

// What a method says so far, as a key of the words above.
function answerOf(pill) {
  if (pill.skipped) return "skipped";
  if (!("layer" in pill)) return "busy";
  return pill.layer === null ? "no" : "yes";
}

// host: { choose(method), terms() }
export function verdictStrip(host) {
  const el = make("div", "de-strip"), head = make("h2", "de-headline"), line = make("p", "de-reason");
  const why = make("span", ""), row = make("div", "de-pills"), drawer = make("div", "de-reasons");
  const more = pressButton("All reasons", "What each method says, and why", () => openDrawer(drawer.hidden), "de-link");
  const close = pressButton("×", "Close (Esc)", closeDrawer, "de-close");
  head.setAttribute("aria-live", "polite");
  row.setAttribute("role", "group");
  row.setAttribute("aria-label", "Which methods tell A from B");
  line.append(why, " ", more);
  el.append(head, line, row, drawer);
  drawer.hidden = true;
  let c = null, method = "", inLesson = false;
  el.addEventListener("keydown", (event) => {
    if (event.key !== "Escape" || drawer.hidden) return;
    closeDrawer();
    event.stopPropagation();
  });

  function openDrawer(open) {
    drawer.hidden = !open;
    write();
  }
  function closeDrawer() {
    openDrawer(false);
    more.focus();
  }
  function chip(pill) {
    const answer = answerOf(pill), isButton = !inLesson && pill.method !== PAIRS_ONLY, isChosen = pill.method === method;
    const made = isButton ? pressButton("", "", () => host.choose(pill.method)) : make("span");
    made.className = `de-pill de-${answer}`;
    made.dataset.method = pill.method;
    made.title = pill.what;
    if (pill.method === PAIRS_ONLY) made.title += "; its colors are those of pairs, so no node has one";
    if (isButton) made.setAttribute("aria-pressed", String(isChosen));
    else if (isChosen) made.classList.add("de-chosen");
    made.append(pill.title, " ", make("b", "", PILL_WORDS[answer](pill)));
    return made;
  }
  function write() {
    const word = (part) => (typeof part === "string" ? part : make("span", `de-side-${"ab"[part.side]}`, part.text));
    head.replaceChildren(...headline(c).map(word));
    why.replaceChildren(...explained((c.sides.length === 2 ? reason(c, method) : c.idea) || " ", host.terms()));
    more.hidden = !c.pills.length || inLesson;
    if (more.hidden) drawer.hidden = true;
    more.setAttribute("aria-expanded", String(!drawer.hidden));
    writePills();
    if (!drawer.hidden) drawer.replaceChildren(close, reasonsTable());
  }
  function writePills() {
    const { activeElement } = el.getRootNode(), focused = row.contains(activeElement) ? activeElement.dataset.method : null;
    const pills = c.pills.filter((pill) => !pill.afterwards || pill.method === method);
    row.replaceChildren(...pills.map(chip));
    row.hidden = c.sides.length === 1;
    if (focused) [...row.children].find(({ dataset }) => dataset.method === focused)?.focus();
  }
  function reasonsTable() {
    const table = make("table", "de-table"), head = make("thead"), top = make("tr"), body = make("tbody");
    top.append(...["method", "told apart?", "because"].map((title) => make("th", "", title)));
    head.append(top);
    for (const pill of c.pills) {
      const tr = make("tr"), name = make("td", "", pill.title), because = make("td");
      name.title = pill.what;
      because.append(...explained(reason(c, pill.method), host.terms()));
      tr.append(name, make("td", "", TABLE_WORDS[answerOf(pill)](pill)), because);
      body.append(tr);
    }
    table.append(head, body);
    return table;
  }
  function show(scene, chosen, fixed) {
    c = scene;
    method = chosen;
    inLesson = fixed;
    write();
  }
  return { el, show };
}
