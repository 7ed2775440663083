// Everything that is not on the first screen: settings, opening a graph, sharing, help. It opens next to the picture.
// host: { values(), options(), graphs(), set(changes), act(name, content), upload(file), zoom(by), fit(), find(text),
//         go(side, node), view(), look(changes), facts() }

import { make, uniqueId } from "./dom.js";
import { choice, menu, number, pressButton, row, tick } from "./form.js";

const HELP = [
  ["click a node", "puts it into the target set, or takes it out"],
  ["Shift-drag", "lassos several nodes"],
  ["drag", "moves a node, or the view; Ctrl and the wheel zoom"],
  ["arrows, Enter, Esc", "walk along edges, pick, clear; A and B change to that graph"],
  ["hover", "over a disc to see the nodes it stands for, and the other way round"],
  ["1a", "distance 1 from the target, class a: nodes with the same letter are the same to the network"],
  ["layer", "how many times nodes have heard from their neighbors"],
];
const UNRECORDED = "Not recorded in this page; a notebook can do it.";

export function moreDrawer(host, closed) {
  const el = make("section", "de-drawer"), body = make("div", "de-drawer-body"), tabs = choice("More", (tab) => host.look({ open: tab }), "de-tabs");
  const close = pressButton("×", "Close (Esc)", closed, "de-close"), top = make("div", "de-drawer-top");
  el.setAttribute("aria-label", "More");
  top.append(tabs.el, close);
  el.append(top, body);
  el.addEventListener("keydown", (event) => { if (event.key === "Escape") { closed(); event.stopPropagation(); } });
  const set = (name) => (value) => host.set({ [name]: value });
  const recorded = () => host.options().recorded;

  // -- settings
  const encoding = menu("Encoding", (value) => host.set({ color_by: value, toggle: value, hops: value === "SPD" ? host.values().hops : 1 }));
  const column = menu("Column", set("column"), "Which number of your encoding the colors show");
  const step = number("steps", 0, 20, set("step"), "Steps of the random walk"), hops = number("hops K", 1, 4, set("hops"), "A layer gathers from all nodes within K hops (DEA)");
  const size = menu("Targets", set("size"), "p, how many nodes a target set has"), cut = tick("cut edges inside S", set("cut"), "In link prediction the link asked about must not be seen");
  const compare = tick("compare two sets", (on) => host.act("compare", { on }), "A and B, side by side");
  const layout = menu("Layout", set("layout")), root = menu("Root", set("root"), "Which target of each set the trees grow from");
  const form = choice("How subtrees are drawn", (value) => host.look({ form: value })), named = tick("write names into the tree", (value) => host.look({ named: value }));
  const find = make("input", "de-find"), list = make("ul", "de-matches");
  Object.assign(find, { type: "search", placeholder: "name of a node" });
  list.id = uniqueId("matches");
  list.setAttribute("role", "listbox");
  list.setAttribute("aria-label", "Nodes found");
  Object.entries({ role: "combobox", "aria-label": "Find a node by name and pick it", "aria-controls": list.id, "aria-expanded": "false", "aria-autocomplete": "list" }).forEach(([name, value]) => find.setAttribute(name, value));
  let items = [], active = 0, typing = 0;
  const go = (k) => { if (items[k]) { host.go(items[k][0], items[k][1]); find.value = ""; matches([]); } };
  function matches(found) {
    items = found;
    active = 0;
    list.replaceChildren(...found.map(([side, , name, note], k) => {
      const li = make("li", k ? "" : "de-active");
      li.setAttribute("role", "option");
      li.append(make("b", "", name), make("span", "", [host.graphs().titles.length > 1 ? `in ${"AB"[side]}` : "", note].filter(Boolean).join(" ")));
      li.addEventListener("pointerdown", (event) => { event.preventDefault(); go(k); });
      return li;
    }));
    find.setAttribute("aria-expanded", String(found.length > 0));
  }
  find.addEventListener("input", () => { clearTimeout(typing); typing = setTimeout(() => host.find(find.value.trim(), matches), 90); });
  find.addEventListener("keydown", (event) => {
    if (event.key === "Enter") go(active);
    else if (event.key === "ArrowDown" || event.key === "ArrowUp") {
      active = Math.max(0, Math.min(items.length - 1, active + (event.key === "ArrowDown" ? 1 : -1)));
      [...list.children].forEach((li, k) => li.classList.toggle("de-active", k === active));
      event.preventDefault();
    } else if (event.key === "Escape" && find.value) { find.value = ""; matches([]); event.stopPropagation(); }
  });
  const box = make("span", "de-find-box");
  box.append(find, list);
  const zooms = [pressButton("+", "Zoom in", () => host.zoom(1.4)), pressButton("−", "Zoom out", () => host.zoom(1 / 1.4)), pressButton("Fit", "Fit to the panel, dragged nodes back in place", host.fit)];
  const more = pressButton("Draw more nodes", "Draw a larger neighborhood of S", () => host.act("more", {}));
  const rows = { encoding: row("Encoding", encoding.el, step.el, column.el), hops: row("Reach", hops.el), size: row("Targets", size.el), cut: row("", cut.el), compare: row("Sets", compare.el),
    layout: row("Layout", layout.el, ...zooms, more), find: row("Find", box), form: row("Subtrees", form.el, root.el), named: row("", named.el) };

  function settings() {
    const v = host.values(), o = host.options(), g = host.graphs(), r = recorded();
    encoding.show(o.colorings.filter(([key]) => !r || r.colorings.includes(key)), v.toggle);
    step.el.hidden = v.toggle !== "LP" || r;
    step.show(v.step);
    column.el.hidden = g.columns.length < 2;
    column.show(g.columns.map((name, k) => [k, name]), v.column);
    rows.hops.hidden = v.toggle !== "SPD" && !g.columns.length;
    hops.show(v.hops);
    hops.input.max = r ? 2 : 4;
    const sizes = [[0, "any number"], [1, "1 node"], [2, "2 nodes"], [3, "3 nodes"], ...(v.size > 3 ? [[v.size, `${v.size} nodes`]] : [])];
    size.show(r ? sizes.filter(([p]) => r.sizes.includes(p)) : sizes, v.size);
    cut.show(v.cut);
    compare.show(g.titles.length === 2);
    layout.show(g.layouts.map((name) => [name, name]), v.layout);
    more.hidden = !g.more;
    form.show([["folded", "folded", "Equal subtrees are one disc: readable at any depth"], ["tree", "tree", "Every branch apart, equal siblings merged"]], host.view().form || "folded");
    named.show(Boolean(host.view().named));
    const most = Math.max(1, ...host.targets().map((nodes) => nodes.length));
    root.el.hidden = g.titles.length < 2 || most < 2;
    root.show(Array.from({ length: most }, (_, i) => [i, `target ${i + 1} of each set`]), Math.min(v.root, most - 1));
    for (const control of [cut.input, compare.input, layout.el]) { control.disabled = Boolean(r); control.title = r ? UNRECORDED : ""; }
    return [rows.encoding, rows.hops, rows.size, rows.cut, ...(o.inside ? [] : [rows.compare]), rows.layout, rows.find, rows.form, rows.named, ...(r ? [make("p", "de-note", r.note)] : [])];
  }

  // -- opening a graph
  const file = make("input"), path = make("input", "de-path"), opened = make("div", "de-opened");
  file.type = "file";
  file.setAttribute("aria-label", "Choose a file");
  file.addEventListener("change", () => { if (file.files[0]) host.upload(file.files[0]); file.value = ""; });
  Object.assign(path, { type: "text", placeholder: "data/my.csv" });
  path.setAttribute("aria-label", "Path of a file");
  const openPath = () => { if (path.value.trim()) host.act("open", { path: path.value.trim() }); };
  path.addEventListener("keydown", (event) => { if (event.key === "Enter") openPath(); });
  const go_path = pressButton("Open", "Open the file of this name", openPath), cancel = pressButton("Cancel", "Stop opening this graph", () => host.act("cancel", {}));
  function opening() {
    const told = host.opening();
    opened.replaceChildren();
    if (told.percent !== undefined) {
      const bar = make("progress", "");
      Object.assign(bar, { max: 100, value: told.percent });
      bar.setAttribute("aria-label", "share that is done");
      opened.append(make("b", "", told.name), bar, make("span", "", `${told.percent} %, ${told.what} …`), cancel);
    } else if (told.note) opened.append(make("b", "", told.name), make("span", "", ` ${told.note}`));
    else if (told.facts) {
      const facts = make("dl", "de-facts");
      told.facts.forEach(([name, words]) => facts.append(make("dt", "", name), make("dd", "", words)));
      opened.append(make("b", "", told.name), facts);
    }
    if (recorded()) return [make("p", "de-note", UNRECORDED)];
    return [row("Upload", file), ...(host.options().paths ? [row("or a path", path, go_path)] : []), make("p", "de-note", host.options().upload), opened];
  }

  // -- sharing
  const share = (what, label, title) => pressButton(label, title, () => host.act("export", { what }));
  const python = pressButton("Copy Python", "Python whose last line shows this Explorer", () => {
    host.act("export", { what: "code" });
    python.textContent = "Copied";
    setTimeout(() => { python.textContent = "Copy Python"; }, 1500);
  });
  const shares = [
    row("Page", share("page", "Save as a page", "")),
    make("p", "de-note", "One HTML file in which readers explore on, without a kernel."),
    row("Pictures", share("graph.png", "Graph PNG", ""), share("graph.svg", "Graph SVG", "")),
    row("", share("tree.png", "Subtrees PNG", ""), share("tree.svg", "Subtrees SVG", "")),
    row("Free view", share("ego", "Ego-network", "")),
    make("p", "de-note", "The nodes around S as a page of its own; drag them and watch them settle."),
    row("Code", python),
  ];
  const sharing = () => (recorded() ? [make("p", "de-note", UNRECORDED)] : shares);

  // -- help
  function help() {
    const keys = make("dl", "de-facts"), words = make("dl", "de-facts de-words"), tours = make("div", "de-grid"), idea = host.graphs().idea;
    HELP.forEach(([name, line]) => keys.append(make("dt", "", name), make("dd", "", line)));
    host.options().words.forEach(([name, , line]) => words.append(make("dt", "", name), make("dd", "", line)));
    host.options().tours.forEach(([key, title]) => {
      const button = pressButton(title, "A guided tour", () => { closed(); host.act("tour", { key, at: 0 }); });
      button.disabled = Boolean(recorded() && !recorded().tours.includes(key));
      tours.append(button);
    });
    return [...(idea ? [make("h3", "", "This example"), make("p", "", idea)] : []), ...(host.options().inside ? [] : [make("h3", "", "Guided tours"), tours]), make("h3", "", "How to use it"), keys, make("h3", "", "Words"), words];
  }

  const pages = { settings, file: opening, share: sharing, help };
  let shown = "";
  function show() {
    const open = host.view().open;
    el.hidden = !open;
    if (!open) { shown = ""; return; }
    const inside = host.options().inside; // a board's own graph, and no tours
    tabs.show([["settings", "Settings"], ["file", "Open a graph"], ["share", "Share"], ["help", "Help"]].filter(([key]) => !inside || key !== "file"), open);
    if (open === shown && open === "help") return; // it does not change: keep where the reader is
    const scroll = body.scrollTop, had = el.getRootNode().activeElement;
    const parts = pages[open]?.() ?? [];
    if (open !== shown || parts.some((part, k) => part !== body.children[k])) body.replaceChildren(...parts);
    if (had && body.contains(had)) had.focus();
    body.scrollTop = open === shown ? scroll : 0;
    shown = open;
  }
  return { el, show };
}
