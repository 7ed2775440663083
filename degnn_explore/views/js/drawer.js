// Everything that is not on the first screen: settings, opening a graph, sharing, help. It opens next to the picture.
// host: { values(), options(), graphs(), set(changes), act(name, content), upload(file), zoom(by), fit(), find(text),
//         go(side, node), view(), look(changes), targets(), opening() }

import { fill, make, uniqueId } from "./dom.js";
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
const TABS = [["settings", "Settings"], ["file", "Open a graph"], ["share", "Share"], ["help", "Help"]];
const UNRECORDED = "Not recorded in this page; a notebook can do it.";

export function moreDrawer(host, closed) {
  const el = make("section", "de-drawer"), body = make("div", "de-drawer-body"), top = make("div", "de-drawer-top");
  const tabs = choice("More", (tab) => host.look({ open: tab }), "de-tabs");
  el.setAttribute("aria-label", "More");
  top.append(tabs.el, pressButton("×", "Close (Esc)", closed, "de-close"));
  el.append(top, body);
  el.addEventListener("keydown", (event) => {
    if (event.key !== "Escape") return;
    closed();
    event.stopPropagation();
  });
  const set = (name) => (value) => host.set({ [name]: value });
  const recorded = () => host.options().recorded;

  // -- settings
  const encoding = menu("Encoding", (value) => {
    host.set({ color_by: value, toggle: value, hops: value === "SPD" ? host.values().hops : 1 });
  });
  const column = menu("Column", set("column"), "Which number of your encoding the colors show");
  const step = number("steps", 0, 20, set("step"), "Steps of the random walk");
  const hops = number("hops K", 1, 4, set("hops"), "A layer gathers from all nodes within K hops (DEA)");
  const size = menu("Targets", set("size"), "p, how many nodes a target set has");
  const cut = tick("cut edges inside S", set("cut"), "In link prediction the link asked about must not be seen");
  const compare = tick("compare two sets", (on) => host.act("compare", { on }), "A and B, side by side");
  const layout = menu("Layout", set("layout"));
  const root = menu("Root", set("root"), "Which target of each set the trees grow from");
  const form = choice("How subtrees are drawn", (value) => host.look({ form: value }));
  const named = tick("write names into the tree", (value) => host.look({ named: value }));
  const zooms = [
    pressButton("+", "Zoom in", () => host.zoom(1.4)),
    pressButton("−", "Zoom out", () => host.zoom(1 / 1.4)),
    pressButton("Fit", "Fit to the panel, dragged nodes back in place", host.fit),
  ];
  const more = pressButton("Draw more nodes", "Draw a larger neighborhood of S", () => host.act("more"));
  const note = make("p", "de-note");
  const rows = {
    encoding: row("Encoding", encoding.el, step.el, column.el),
    hops: row("Reach", hops.el),
    size: row("Targets", size.el),
    cut: row("", cut.el),
    compare: row("Sets", compare.el),
    layout: row("Layout", layout.el, ...zooms, more),
    find: row("Find", nodeSearch(host)),
    form: row("Subtrees", form.el, root.el),
    named: row("", named.el),
  };
  const FORMS = [
    ["folded", "folded", "Equal subtrees are one disc: readable at any depth"],
    ["tree", "tree", "Every branch apart, equal siblings merged"],
  ];

  function settings() {
    const v = host.values(), o = host.options(), g = host.graphs(), r = recorded();
    encoding.show(o.colorings.filter(([key]) => !r || r.colorings.includes(key)), v.toggle);
    step.el.hidden = v.toggle !== "LP" || Boolean(r);
    step.show(v.step);
    column.el.hidden = g.columns.length < 2;
    column.show(g.columns.map((name, k) => [k, name]), v.column);
    rows.hops.hidden = v.toggle !== "SPD" && !g.columns.length;
    hops.input.max = r ? 2 : 4;
    hops.show(v.hops);
    size.show(sizes(v.size).filter(([p]) => !r || r.sizes.includes(p)), v.size);
    cut.show(v.cut);
    compare.show(g.titles.length === 2);
    layout.show(g.layouts.map((name) => [name, name]), v.layout);
    more.hidden = !g.more;
    form.show(FORMS, host.view().form || "folded");
    named.show(Boolean(host.view().named));
    const most = Math.max(1, ...host.targets().map((nodes) => nodes.length));
    root.el.hidden = g.titles.length < 2 || most < 2;
    root.show(Array.from({ length: most }, (_, i) => [i, `target ${i + 1} of each set`]), Math.min(v.root, most - 1));
    for (const control of [cut.input, compare.input, layout.el]) {
      control.disabled = Boolean(r);
      control.title = r ? UNRECORDED : "";
    }
    rows.compare.hidden = Boolean(o.inside);
    note.hidden = !r;
    note.textContent = r ? r.note : "";
    return [...Object.values(rows), note];
  }
  function sizes(size) {
    const usual = [[0, "any number"], [1, "1 node"], [2, "2 nodes"], [3, "3 nodes"]];
    return size > 3 ? [...usual, [size, `${size} nodes`]] : usual;
  }

  // -- opening a graph
  const file = make("input"), path = make("input", "de-path"), opened = make("div", "de-opened"), hint = make("p", "de-note");
  file.type = "file";
  file.setAttribute("aria-label", "Choose a file");
  file.addEventListener("change", () => {
    if (file.files[0]) host.upload(file.files[0]);
    file.value = "";
  });
  Object.assign(path, { type: "text", placeholder: "data/my.csv" });
  path.setAttribute("aria-label", "Path of a file");
  function openPath() {
    if (path.value.trim()) host.act("open", { path: path.value.trim() });
  }
  path.addEventListener("keydown", (event) => { if (event.key === "Enter") openPath(); });
  const fileRow = row("Upload", file);
  const pathRow = row("or a path", path, pressButton("Open", "Open the file of this name", openPath));
  const cancel = pressButton("Cancel", "Stop opening this graph", () => host.act("cancel"));
  function opening() {
    if (recorded()) return [unrecorded];
    pathRow.hidden = !host.options().paths;
    hint.textContent = host.options().upload;
    fill(opened, progressOf(host.opening()));
    return [fileRow, pathRow, hint, opened];
  }
  function progressOf({ name, percent, what, note, facts }) {
    const title = make("b", "", name);
    if (percent !== undefined) {
      const bar = Object.assign(make("progress"), { max: 100, value: percent });
      bar.setAttribute("aria-label", "share that is done");
      return [title, bar, make("span", "", `${percent} %, ${what} …`), cancel];
    }
    if (note) return [title, make("span", "", ` ${note}`)];
    if (!facts) return [];
    const list = make("dl", "de-facts");
    facts.forEach(([fact, words]) => list.append(make("dt", "", fact), make("dd", "", words)));
    return [title, list];
  }

  // -- sharing
  const share = (what, label) => pressButton(label, "", () => host.act("export", { what }));
  const python = pressButton("Copy Python", "Python whose last line shows this Explorer", () => {
    host.act("export", { what: "code" });
    python.textContent = "Copied";
    setTimeout(() => { python.textContent = "Copy Python"; }, 1500);
  });
  const shares = [
    row("Page", share("page", "Save as a page")),
    make("p", "de-note", "One HTML file in which readers explore on, without a kernel."),
    row("Pictures", share("graph.png", "Graph PNG"), share("graph.svg", "Graph SVG")),
    row("", share("tree.png", "Subtrees PNG"), share("tree.svg", "Subtrees SVG")),
    row("Free view", share("ego", "Ego-network")),
    make("p", "de-note", "The nodes around S as a page of its own; drag them and watch them settle."),
    row("Code", python),
  ];
  const unrecorded = make("p", "de-note", UNRECORDED);
  const sharing = () => (recorded() ? [unrecorded] : shares);

  // -- help: only what an example is about changes, so the rest stays where the reader is
  const keys = make("dl", "de-facts"), words = make("dl", "de-facts de-words"), tours = make("div", "de-grid");
  const idea = make("p"), heading = (text) => make("h3", "", text);
  const aboutExample = [heading("This example"), idea], aboutTours = [heading("Guided tours"), tours];
  const rest = [heading("How to use it"), keys, heading("Words"), words];
  function writeHelp() {
    const { words: terms, tours: offered } = host.options();
    HELP.forEach(([name, line]) => keys.append(make("dt", "", name), make("dd", "", line)));
    terms.forEach(([name, , line]) => words.append(make("dt", "", name), make("dd", "", line)));
    offered.forEach(([key, title]) => {
      const button = pressButton(title, "A guided tour", () => {
        closed();
        host.act("tour", { key, at: 0 });
      });
      button.disabled = Boolean(recorded() && !recorded().tours.includes(key));
      tours.append(button);
    });
  }
  function help() {
    if (!keys.childElementCount) writeHelp();
    idea.textContent = host.graphs().idea;
    return [...(host.graphs().idea ? aboutExample : []), ...(host.options().inside ? [] : aboutTours), ...rest];
  }

  const pages = { settings, file: opening, share: sharing, help };
  let shown = "";
  function show() {
    const { open } = host.view();
    el.hidden = !open;
    if (!open) {
      shown = "";
      return;
    }
    tabs.show(TABS.filter(([key]) => key !== "file" || !host.options().inside), open); // a board has a graph of its own
    const scroll = open === shown ? body.scrollTop : 0, { activeElement } = el.getRootNode();
    fill(body, pages[open]());
    if (body.contains(activeElement)) activeElement.focus();
    body.scrollTop = scroll;
    shown = open;
  }
  return { el, show };
}

// A field that finds nodes by name, with what it has found.
function nodeSearch(host) {
  const el = make("span", "de-find-box"), find = make("input", "de-find"), list = make("ul", "de-matches");
  Object.assign(find, { type: "search", placeholder: "name of a node" });
  list.id = uniqueId("matches");
  list.setAttribute("role", "listbox");
  list.setAttribute("aria-label", "Nodes found");
  const aria = { "aria-label": "Find a node by name and pick it", "aria-controls": list.id, "aria-autocomplete": "list" };
  for (const [name, value] of Object.entries({ role: "combobox", "aria-expanded": "false", ...aria })) {
    find.setAttribute(name, value);
  }
  el.append(find, list);
  let items = [], active, typing;

  function pick(k) {
    if (!items[k]) return;
    const [side, node] = items[k];
    host.go(side, node);
    clear();
  }
  function clear() {
    find.value = "";
    show([]);
  }
  function show(matches) {
    items = matches;
    active = 0;
    list.replaceChildren(...matches.map(([side, , name, note], k) => {
      const item = make("li", k ? "" : "de-active"), where = host.graphs().titles.length > 1 ? `in ${"AB"[side]}` : "";
      item.setAttribute("role", "option");
      item.append(make("b", "", name), make("span", "", [where, note].filter(Boolean).join(" ")));
      item.addEventListener("pointerdown", (event) => {
        event.preventDefault();
        pick(k);
      });
      return item;
    }));
    find.setAttribute("aria-expanded", String(matches.length > 0));
  }
  find.addEventListener("input", () => {
    clearTimeout(typing);
    typing = setTimeout(() => host.find(find.value.trim(), show), 90);
  });
  find.addEventListener("keydown", (event) => {
    const by = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (event.key === "Enter") pick(active);
    else if (event.key === "Escape" && find.value) {
      clear();
      event.stopPropagation();
    } else if (by) {
      active = Math.max(0, Math.min(items.length - 1, active + by));
      [...list.children].forEach((item, k) => item.classList.toggle("de-active", k === active));
      event.preventDefault();
    }
  });
  return el;
}
