// Explains the words of an Explorer where they are used: terms in its texts are underlined, and a hover, a tap or the
// keyboard's focus shows their line. Python sends `terms`: [name, line, pattern]; nothing goes back.

const TEXTS = ".de-sentence, .de-canvas-title, .de-captions, .de-verdicts td, .de-idea, .de-lesson-text, .de-hint, .de-legend-title, .de-keys:not(.de-glossary) dd";
const NOT_IN = "button, a, select, .de-term, .de-swatch, code, .de-code";

// The parts of a text: strings, and [string, index of its term]; each term once, the first that fits.
export function split(text, terms, seen = new Set()) {
  const parts = [];
  const any = new RegExp(terms.map(([, , pattern]) => `((?<![\\w-])(?:${pattern})(?![\\w]))`).join("|"), "g");
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

let count = 0;

function attach(root, terms) {
  const tip = document.createElement("div");
  tip.className = "de-term-tip";
  tip.id = `de-term-tip-${++count}`;
  tip.setAttribute("role", "tooltip");
  tip.hidden = true;
  root.append(tip);
  let shown = null;

  function show(word) {
    const [name, line] = terms[Number(word.dataset.term)], title = document.createElement("b");
    title.textContent = `${name}: `;
    tip.replaceChildren(title, line);
    tip.hidden = false;
    const at = word.getBoundingClientRect(), home = root.getBoundingClientRect();
    const left = Math.min(at.left - home.left, home.width - tip.offsetWidth - 4);
    tip.style.left = `${Math.max(left, 4)}px`;
    tip.style.top = `${at.bottom - home.top + 4}px`;
    if (shown) shown.removeAttribute("aria-describedby");
    shown = word;
    word.setAttribute("aria-describedby", tip.id);
  }
  function hide() {
    tip.hidden = true;
    shown?.removeAttribute("aria-describedby");
    shown = null;
  }
  const word = (event) => event.target.closest?.(".de-term");
  const on = {
    pointerover: (event) => (word(event) ? show(word(event)) : shown && shown !== document.activeElement && hide()),
    click: (event) => (word(event) ? show(word(event)) : hide()),
    focusin: (event) => (word(event) ? show(word(event)) : hide()),
    focusout: hide,
    keydown: (event) => event.key === "Escape" && hide(),
  };
  for (const [name, act] of Object.entries(on)) root.addEventListener(name, act);

  function mark(box) {
    const seen = new Set([...box.querySelectorAll(".de-term")].map((old) => Number(old.dataset.term)));
    const walker = document.createTreeWalker(box, NodeFilter.SHOW_TEXT), texts = [];
    while (walker.nextNode()) if (!walker.currentNode.parentElement.closest(NOT_IN)) texts.push(walker.currentNode);
    for (const node of texts) {
      const parts = split(node.data, terms, seen);
      if (!parts.some(Array.isArray)) continue;
      node.replaceWith(...parts.map((part) => {
        if (!Array.isArray(part)) return part;
        const span = document.createElement("span");
        span.className = "de-term";
        span.tabIndex = 0;
        span.setAttribute("role", "note");
        span.dataset.term = part[1];
        span.textContent = part[0];
        return span;
      }));
    }
  }
  let due = false;
  const watcher = new MutationObserver(() => {
    if (!due) requestAnimationFrame(all);
    due = true;
  });
  function all() {
    due = false;
    watcher.disconnect(); // what is marked here is no news
    if (shown && !shown.isConnected) hide();
    root.querySelectorAll(TEXTS).forEach(mark);
    watcher.observe(root, { childList: true, subtree: true, characterData: true });
  }
  all();
  return () => {
    watcher.disconnect();
    for (const [name, act] of Object.entries(on)) root.removeEventListener(name, act);
    tip.remove();
  };
}

function render({ model, el }) {
  let ended = false, end = () => {};
  (function wait() {
    const root = el.closest(".de-explorer");
    if (root) end = attach(root, model.get("terms"));
    else if (!ended) requestAnimationFrame(wait); // not on the page yet
  })();
  return () => {
    ended = true;
    end();
  };
}

export default { initialize, render };
