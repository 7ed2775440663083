// Explains words where they are used: terms are underlined, and a hover or a tap shows their line. All of them stand in Help.

import { make } from "./dom.js";

// The parts of a text: strings, and [string, index of its term]; each term once, the first that fits.
export function split(text, terms) {
  const parts = [], seen = new Set(), whole = ([, pattern]) => `((?<![\\w-])(?:${pattern})(?![\\w]))`;
  const any = new RegExp(terms.map(whole).join("|"), "g");
  let from = 0;
  for (const match of text.matchAll(any)) {
    const which = match.slice(1).findIndex((group) => group !== undefined);
    if (seen.has(which) || !match[0]) continue;
    seen.add(which);
    if (match.index > from) parts.push(text.slice(from, match.index));
    parts.push([match[0], which]);
    from = match.index + match[0].length;
  }
  if (from < text.length) parts.push(text.slice(from));
  return parts;
}

// Text with its terms marked, for a box.
export function explained(text, terms) {
  return split(text, terms).map((part) => {
    if (!Array.isArray(part)) return part;
    const word = make("span", "de-term", part[0]);
    word.dataset.term = part[1];
    return word;
  });
}

// One tip for a panel, shown below whichever term is pointed at.
export function termTips(root, terms) {
  const tip = make("div", "de-term-tip");
  tip.setAttribute("role", "tooltip");
  tip.hidden = true;
  root.append(tip);
  root.addEventListener("pointerover", (event) => {
    const word = event.target.closest?.(".de-term");
    tip.hidden = !word;
    if (!word) return;
    const [name, , line] = terms[Number(word.dataset.term)];
    tip.replaceChildren(make("b", "", `${name}: `), line);
    const at = word.getBoundingClientRect(), home = root.getBoundingClientRect();
    tip.style.left = `${Math.max(4, Math.min(at.left - home.left, home.width - tip.offsetWidth - 4))}px`;
    tip.style.top = `${at.bottom - home.top + 4}px`;
  });
}
