// The verdict: a headline, one line of reason, a pill for each method, and all reasons on demand.

import { make } from "./dom.js";
import { pressButton } from "./form.js";
import { explained } from "./glossary.js";
import { headline, layersText, reason } from "./words.js";

export const answerOf = (pill) => (pill.skipped ? "skipped" : !("layer" in pill) ? "busy" : pill.layer === null ? "no" : "yes");
const WORDS = { skipped: () => "–", busy: () => "…", no: () => "✕", yes: (pill) => `✓ layer ${pill.layer}` };
const SAID = { skipped: () => "not computed", busy: () => "computing", no: () => "no", yes: (pill) => (pill.layer ? `yes, after ${layersText(pill.layer)}` : "yes, at layer 0") };

// host: { choose(method), terms() }
export function verdictStrip(host) {
  const el = make("div", "de-strip"), head = make("h2", "de-headline"), line = make("p", "de-reason"), why = make("span", ""), row = make("div", "de-pills");
  const more = pressButton("All reasons", "What each method says, and why", () => { drawer.hidden = !drawer.hidden; write(); }, "de-link"), drawer = make("div", "de-reasons");
  head.setAttribute("aria-live", "polite");
  row.setAttribute("role", "group");
  row.setAttribute("aria-label", "Which methods tell A from B");
  line.append(why, " ", more);
  el.append(head, line, row, drawer);
  drawer.hidden = true;
  let c = null, method = "", still = false;
  el.addEventListener("keydown", (event) => { if (event.key === "Escape" && !drawer.hidden) { drawer.hidden = true; write(); more.focus(); event.stopPropagation(); } });

  function chip(pill) {
    const answer = answerOf(pill), fixed = still || pill.method === "2-WL"; // 2-WL colors pairs of nodes: nothing to draw
    const made = fixed ? make("span", "", "") : pressButton("", "", () => host.choose(pill.method), "");
    made.className = `de-pill de-${answer}`;
    made.dataset.method = pill.method;
    made.title = fixed && pill.method === "2-WL" ? `${pill.what}; its colors are those of pairs, so no node has one` : pill.what;
    if (!fixed) made.setAttribute("aria-pressed", String(pill.method === method));
    else if (pill.method === method) made.classList.add("de-chosen");
    made.append(pill.title, " ", make("b", "", WORDS[answer](pill)));
    return made;
  }
  function write() {
    head.replaceChildren(...headline(c).map((part) => (typeof part === "string" ? part : make("span", `de-side-${"ab"[part.side]}`, part.text))));
    const said = c.sides.length === 2 ? reason(c, method) : c.idea;
    why.replaceChildren(...explained(said || " ", host.terms()));
    more.hidden = !c.pills.length || still;
    more.setAttribute("aria-expanded", String(!drawer.hidden));
    const had = row.contains(el.getRootNode().activeElement) ? el.getRootNode().activeElement.dataset.method : null;
    row.replaceChildren(...c.pills.filter((pill) => !pill.afterwards || pill.method === method).map(chip));
    row.hidden = c.sides.length === 1;
    if (had) [...row.children].find((one) => one.dataset.method === had)?.focus();
    if (!c.pills.length) drawer.hidden = true;
    if (drawer.hidden) return;
    const table = make("table", "de-table"), body = make("tbody"), top = make("tr"), thead = make("thead");
    ["method", "told apart?", "because"].forEach((title) => top.append(make("th", "", title)));
    thead.append(top);
    for (const pill of c.pills) {
      const tr = make("tr"), because = make("td");
      because.append(...explained(reason(c, pill.method), host.terms()));
      tr.append(make("td", "", pill.title), make("td", "", SAID[answerOf(pill)](pill)), because);
      tr.firstChild.title = pill.what;
      body.append(tr);
    }
    table.append(thead, body);
    drawer.replaceChildren(pressButton("×", "Close (Esc)", () => { drawer.hidden = true; write(); }, "de-close"), table);
  }
  return { el, show: (next, chosen, fixed) => { c = next; method = chosen; still = fixed; write(); } };
}
