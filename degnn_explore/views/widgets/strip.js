// The verdict strip: one pill a method, the sentence of the chosen one, and all of them as a table on demand.
// Pills come from Python; which one is chosen and whether the table is open are the reader's, kept over a reload.

// The pill whose sentence is shown: the reader's, else the first that tells them apart, else DE's.
export function shownPill(pills, chosen) {
  return pills.find((p) => p.name === chosen) ?? pills.find((p) => p.yours) ?? pills.find((p) => p.answer === "yes") ?? pills.find((p) => p.name.startsWith("DE")) ?? pills[0];
}

export function words(pill, first) {
  if (pill.answer === "busy") return "…";
  if (pill.answer === "none") return "not computed";
  if (pill.answer === "no") return "no";
  if (pill.layer === 0) return "yes, at once";
  return first ? `yes, ${pill.layer} layer${pill.layer === 1 ? "" : "s"}` : `yes, ${pill.layer}`;
}

// Where a map of nodes takes these nodes, or from where.
export function partners(moves, nodes) {
  return moves.filter(([u, v]) => nodes.includes(u) !== nodes.includes(v)).map(([u, v]) => (nodes.includes(u) ? v : u));
}

function render({ model, el }) {
  const root = make("div", "de-strip"), row = make("div", "de-pills"), line = make("div", "de-sentence");
  const drawer = make("div", "de-reasons"), more = make("button", "de-button de-more", "All reasons");
  row.setAttribute("role", "group");
  row.setAttribute("aria-label", "Which methods tell A from B");
  line.setAttribute("role", "status");
  more.type = "button";
  const below = make("div", "de-below");
  below.append(line, more);
  root.append(row, below, drawer);
  el.append(root);

  const light = (nodes) => document.dispatchEvent(new CustomEvent("de-hover", { detail: { link: model.get("link"), tree: true, nodes } }));
  function set(name, value) {
    model.set(name, value);
    model.save_changes();
  }
  more.addEventListener("click", () => set("expanded", !model.get("expanded")));

  function chip(pill, current, first) {
    const button = make("button", `de-pill de-${pill.answer}`);
    button.type = "button";
    button.dataset.method = pill.name;
    button.title = pill.what;
    button.setAttribute("aria-pressed", String(pill === current));
    button.append(make("b", "", pill.title), ` ${words(pill, first)}`);
    button.addEventListener("click", () => set("chosen", pill.name));
    return button;
  }
  function sentence(pill) {
    line.replaceChildren();
    line.className = `de-sentence de-${pill?.answer ?? "hint"}`;
    if (!pill) return void line.append(model.get("hint"));
    line.append(make("b", "", `${pill.title}: `), pill.answer === "busy" ? "computing…" : pill.more || pill.why);
    if (model.get("moves").length) line.append(" · ", make("span", "de-hint", "hover over a node to see where it goes"));
  }
  // hovering a node of A lights the node of B that the map takes it to, and the other way round
  function otherHovers({ detail }) {
    if (detail.tree || !detail.link || detail.link !== model.get("link") || !model.get("moves").length) return;
    light(partners(model.get("moves"), detail.nodes));
  }
  document.addEventListener("de-hover", otherHovers);
  function table(pills) {
    drawer.hidden = !model.get("expanded") || !pills.length;
    more.setAttribute("aria-expanded", String(!drawer.hidden));
    if (drawer.hidden) return;
    const sheet = make("table", "de-verdicts"), head = make("tr"), body = make("tbody"), top = make("thead");
    for (const title of ["method", "told apart?", "because"]) head.append(make("th", "", title));
    for (const pill of pills) {
      const tr = make("tr");
      tr.dataset.method = pill.name;
      // a map of nodes is the same reason for all, and stands in the sentence above
      const why = pill.more && !model.get("moves").length ? `${pill.why}; ${pill.more}` : pill.why;
      tr.append(make("td", "", pill.title), make("td", "", words(pill, true)), make("td", "", why));
      tr.children[0].title = pill.what;
      body.append(tr);
    }
    top.append(head);
    sheet.append(top, body);
    drawer.replaceChildren(sheet);
  }
  function show() {
    const pills = model.get("pills"), current = shownPill(pills, model.get("chosen"));
    const had = row.contains(document.activeElement) ? document.activeElement.dataset.method : null;
    const first = pills.find((p) => p.answer === "yes" && p.layer > 0); // it says what the numbers are
    root.classList.toggle("de-waits", !pills.length);
    row.replaceChildren(make("b", "de-ask", "Told apart?"), ...pills.map((p) => chip(p, current, p === first)));
    more.hidden = !pills.length;
    if (had) [...row.children].find((b) => b.dataset?.method === had)?.focus();
    sentence(current);
    table(pills);
  }
  const names = ["pills", "chosen", "expanded", "hint", "moves"].map((name) => `change:${name}`);
  let due = false; // several traits arrive in one message
  const later = () => {
    if (!due) queueMicrotask(() => { due = false; show(); });
    due = true;
  };
  names.forEach((name) => model.on(name, later));
  show();
  return () => {
    document.removeEventListener("de-hover", otherHovers);
    names.forEach((name) => model.off(name, later));
  };
}

export default { initialize, render };
