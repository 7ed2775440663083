// A page without a kernel: the widgets of the Explorer, fed from what Python computed beforehand for every target set.
// In the page stand before this file: `widgets` = { canvas, subtree, strip, bar, glossary }, each with render({ model, el }).
// Pure functions first (tests/views/js calls them), the page at the end.

// ---- reading what was packed --------------------------------------------------------------------

// Numbers that matter only by which are equal: each is packed as its place among those that split the class before it.
export function classesAt(bytes, { at, count }, before = null, offset = 0) {
  const out = new Uint32Array(count), numbers = new Map();
  for (let i = 0; i < count; i++) {
    const place = bytes[at + i] | (bytes[at + count + i] << 8) | (bytes[at + 2 * count + i] << 16);
    const key = (before ? before[i] : 0) * 0x1000000 + place;
    let number = numbers.get(key);
    if (number === undefined) numbers.set(key, (number = offset + numbers.size));
    out[i] = number;
  }
  return out;
}

// The number of a set among all sets of its size, in the order of Python's combinations.
export function setNumber(n, nodes) {
  if (nodes.length === 1) return nodes[0];
  const [u, v] = nodes[0] < nodes[1] ? nodes : [nodes[1], nodes[0]];
  return u * n - (u * (u + 1)) / 2 + v - u - 1;
}

// For each node those within `hops` hops and their distances, in CSR form; edges inside `cut` are left out.
export function arcsOf(edges, n, hops, cut = []) {
  const gone = new Set(cut), near = Array.from({ length: n }, () => []);
  for (let e = 0; e < edges.length; e += 2) {
    const u = edges[e], v = edges[e + 1];
    if (gone.has(u) && gone.has(v)) continue;
    near[u].push(v);
    near[v].push(u);
  }
  const indptr = [0], indices = [], tags = [];
  for (let u = 0; u < n; u++) {
    const seen = new Set([u]);
    let ring = [u];
    for (let hop = 1; hop <= hops; hop++) {
      ring = ring.flatMap((w) => near[w]).filter((w) => !seen.has(w) && seen.add(w)).sort((a, b) => a - b);
      ring.forEach((w) => { indices.push(w); tags.push(hop); });
    }
    indptr.push(indices.length);
  }
  return { indptr, indices, tags };
}

export const letterOf = (i) => (i < 26 ? "" : letterOf(Math.floor(i / 26) - 1)) + String.fromCharCode(97 + (i % 26));

// Classes as codes in the order in which they are met, with a legend: a, b, c, ... in the colours given.
export function byClass(classes, palette) {
  const number = new Map(), codes = Uint16Array.from(classes, (c) => { if (!number.has(c)) number.set(c, number.size); return number.get(c); });
  const legend = [...number.keys()].map((_, i) => ({ label: `class ${letterOf(i)}`, mark: letterOf(i), ...palette[i % palette.length] }));
  return { codes, legend };
}

// A new target set after a click: toggled; the one picked first makes room.
export function picked(targets, node, most) {
  return targets.includes(node) ? targets.filter((t) => t !== node) : [...targets, node].slice(-most);
}

// All numbers of a page, by what is asked for.
export class Known {
  constructor(about, bytes) {
    Object.assign(this, { about, bytes, kept: new Map() });
    this.edges = about.graphs.map(({ edges }) => new Uint32Array(bytes.buffer, bytes.byteOffset + edges.at, edges.size / 4));
  }
  n(side) { return this.about.graphs[this.about.sides[side]].n; }
  // how many sets of that size, and how many rows of nodes beside them, stand before those of a side's graph
  before(side, p) {
    const sizes = this.about.graphs.slice(0, this.about.sides[side]).map((g) => [p === 1 ? g.n : (g.n * (g.n - 1)) / 2, g.n]);
    return { sets: sizes.reduce((sum, [k]) => sum + k, 0), rows: sizes.reduce((sum, [k, n]) => sum + k * n, 0), nodes: sizes.reduce((sum, [, n]) => sum + n, 0) };
  }
  decoded(layers, layer, offset) {
    const key = `${layers[0].at}:${layer}`;
    if (!this.kept.has(key)) this.kept.set(key, classesAt(this.bytes, layers[layer], layer ? this.decoded(layers, layer - 1, offset) : null, offset));
    return this.kept.get(key);
  }
  // The class of every node of a side after `layer` layers; sets of different sizes share none.
  nodes(look, side, targets, layer) {
    const p = targets.length, found = this.about.orders[p].looks[look], n = this.n(side), before = this.before(side, p);
    const all = this.decoded(found.layers, Math.min(layer, found.layers.length - 1), found.shared ? 0 : p * 0x1000000);
    const start = found.shared ? before.nodes : before.rows + setNumber(n, targets) * n;
    return all.subarray(start, start + n);
  }
  codes(by, side, targets) {
    const p = targets.length, { at } = this.about.orders[p].codes[by], n = this.n(side);
    const start = this.before(side, p).rows + setNumber(n, targets) * n;
    return new Uint16Array(this.bytes.buffer, this.bytes.byteOffset + at + 2 * start, n);
  }
  legend(by, p) { return this.about.orders[p].codes[by]; }
  isEncoding(by) { return by in this.about.orders[1].codes; }
  // the encoding whose values label the subtrees: that of the colours, or of the classes; else distances
  labels(by) {
    const own = this.about.own;
    return by === "LP" ? "LP" : own && (by === own || by === `DE-${own}`) ? own : "SPD";
  }
  // The first layer at which a method tells the sets of both sides apart; null if none does, undefined if not computed.
  verdict(method, sets) {
    const p = sets[0].length, found = this.about.orders[p].verdicts[method];
    if (!found) return undefined;
    const at = sets.map((targets, side) => this.before(side, p).sets + setNumber(this.n(side), targets));
    const layer = found.layers.findIndex((_, l) => { const ids = this.decoded(found.layers, l, 0); return ids[at[0]] !== ids[at[1]]; });
    return layer < 0 ? null : layer;
  }
}

// ---- what the widgets show ------------------------------------------------------------------------

const counted = (k, word) => `${k} ${word}${k === 1 ? "" : "s"}`;
const ENCODED = { LP: "LP", "DE-LP": "DE-LP", "DEA-SPD": "DEA" };
const LISTED = 24, GREY = "#9aa0a6";

// Codes and legend of all sides together; a side without targets is grey.
export function colouring(known, state) {
  const { about } = known, by = state.colour_by, sizes = [...new Set(state.targets.map((t) => t.length).filter(Boolean))];
  const plain = known.isEncoding(by), p = sizes[0] ?? 1;
  let legend = [], title, codes;
  if (plain) {
    const shown = sizes.map((size) => known.legend(by, size)), starts = [];
    shown.forEach((one) => { starts.push(legend.length); legend.push(...one.legend.slice(0, -1)); });
    title = known.legend(by, p).title;
    codes = state.targets.map((t, k) => (t.length ? known.codes(by, k, t).map((c) => c + starts[sizes.indexOf(t.length)]) : null));
  } else {
    const parts = state.targets.map((t, k) => {
      if (by === "1-WL") return known.nodes(by, k, t.length ? t : [0], state.layer);
      return t.length ? known.nodes(by, k, t, state.layer) : null;
    });
    const made = byClass(parts.flatMap((part) => (part ? [...part] : [])), about.palette);
    let from = 0;
    codes = parts.map((part) => (part ? made.codes.subarray(from, (from += part.length)) : null));
    legend = made.legend;
    title = `${by} after ${counted(state.layer, "layer")}`;
  }
  const none = legend.length, counts = legend.map(() => state.targets.map(() => 0));
  const all = codes.map((part, k) => part ?? new Uint16Array(known.n(k)).fill(none));
  all.forEach((part, k) => part.forEach((c) => { if (c < none) counts[c][k]++; }));
  const used = legend.map((entry, c) => ({ ...entry, counts: counts[c].some(Boolean) ? counts[c] : null }));
  let listed = 0;
  used.forEach((entry) => { if (entry.counts && ++listed > LISTED) entry.counts = null; });
  const empty = state.targets.findIndex((t) => !t.length), notes = state.targets.length > 1 ? ["counts: A | B"] : [];
  if (empty >= 0 && by !== "1-WL") notes.push(`click a node${state.targets.length > 1 ? ` of ${"AB"[empty]}` : ""} to pick a target`);
  if (listed > LISTED) notes.push(`and ${listed - LISTED} more, shown when you hover`);
  return { codes: all, legend: [...used, { label: "", mark: "", colour: GREY, ink: "#16181d", counts: null }], title, note: notes.join("; ") };
}

export function pills(known, state) {
  const { about } = known, sets = state.targets, sizes = sets.map((t) => t.length), said = about.said[JSON.stringify(sets)];
  const none = { moves: [], pills: [] };
  if (sets.length < 2) return { ...none, hint: "One target set: its colours and subtrees are below. A page saved with “compare” on also says who tells two apart." };
  if (said) return said; // in the library's own words
  if (sizes.includes(0)) return { ...none, hint: `Pick a target in ${"AB"[sizes.indexOf(0)]} to compare.` };
  if (sizes[0] !== sizes[1]) return { ...none, hint: `A has ${sizes[0]} targets and B has ${sizes[1]}: pick equally many in each to compare them.` };
  return { ...none, hint: "", pills: about.methods.map(({ name, titles, what, yours }) => {
    const layer = known.verdict(name, sets), told = typeof layer === "number", missing = about.orders[sizes[0]].missing[name];
    const why = missing ?? (told ? (layer ? `after ${counted(layer, "layer")} what it has gathered of A and of B differs.` : "what it sees of A and of B differs before the first layer.")
      : "whatever the number of layers, it gathers the same of A and of B.");
    return { name, title: titles[sizes[0]], what, answer: missing ? "none" : told ? "yes" : "no", layer: told ? layer : null, why, more: "", yours };
  }) };
}

// What the view of the subtrees takes in: both graphs in one row, those that have targets.
export function subtrees(known, state, starts) {
  const { about } = known, sides = state.targets.map((_, k) => k).filter((k) => state.targets[k].length);
  if (!sides.length) return { roots: [], letters: [], note: "pick a target to see the tree a GNN computes along" };
  const by = state.colour_by, look = by === "SPD" || by === "1-WL" ? "DE-SPD" : by, two = state.targets.length > 1;
  const hops = by === "DEA-SPD" ? about.state.hops : 1, indptr = [0], indices = [], tags = [], drawn = [], names = [], roots = [], letters = [];
  sides.forEach((k) => {
    const t = state.targets[k], n = known.n(k), from = drawn.length, arcs = arcsOf(known.edges[about.sides[k]], n, hops, about.state.cut ? t : []);
    for (let u = 0; u < n; u++) { drawn.push(starts[k] + u); names.push(about.canvas.names[starts[k] + u]); indptr.push(indices.length + arcs.indptr[u + 1]); }
    arcs.indices.forEach((w, e) => { indices.push(from + w); tags.push(arcs.tags[e]); });
    const chosen = two ? [t[Math.min(state.root, t.length - 1)]] : t.slice(0, 3);
    chosen.forEach((u) => { roots.push(from + u); letters.push(two ? "AB"[k] : "S"); });
  });
  const layers = (which) => Array.from({ length: state.layer + 1 }, (_, l) => sides.flatMap((k) => [...known.nodes(which, k, state.targets[k], l)])).flat();
  const shown = by === "DE-LP" ? colouring(known, { ...state, layer: 0 }) : colouring(known, { ...state, colour_by: known.labels(by) });
  return {
    indptr: view(Uint32Array, indptr), indices: view(Uint32Array, indices), tags: view(Uint8Array, hops > 1 ? tags : []),
    classes: view(Uint32Array, layers(look)), plain: view(Uint32Array, layers("1-WL")), drawn: view(Int32Array, drawn),
    codes: view(Uint16Array, sides.flatMap((k) => [...shown.codes[k]])), legend: shown.legend, legend_title: shown.title, listed: !known.isEncoding(by),
    names, roots, letters, layers: state.layer, encoding: ENCODED[by] ?? (about.own && known.labels(by) === about.own ? by : "DE"), note: by === "DE-LP" ? "a, b, …: nodes with equal walks of every length" : "",
  };
}

export const view = (Kind, values) => new DataView(Kind.from(values).buffer);

// What a widget's script knows of its model: traits, changes, messages.
export class Model {
  constructor(traits, heard = () => {}) { Object.assign(this, { traits, heard, ears: new Map() }); }
  get(name) { return this.traits[name]; }
  set(name, value) { this.traits[name] = value; this.tell(`change:${name}`); }
  put(values) { Object.assign(this.traits, values); Object.keys(values).forEach((name) => this.tell(`change:${name}`)); }
  save_changes() {}
  on(name, act) { this.ears.get(name)?.push(act) ?? this.ears.set(name, [act]); }
  off(name, act) { this.ears.set(name, (this.ears.get(name) ?? []).filter((one) => one !== act)); }
  send(message) { this.heard(message); }
  tell(name, ...given) { (this.ears.get(name) ?? []).slice().forEach((act) => act(...given)); }
}

// ---- the page ------------------------------------------------------------------------------------

async function unpacked(code) {
  const packed = Uint8Array.from(atob(code), (c) => c.charCodeAt(0));
  const plain = await new Response(new Blob([packed]).stream().pipeThrough(new DecompressionStream("gzip"))).arrayBuffer();
  const size = new DataView(plain).getUint32(0, true);
  return new Known(JSON.parse(new TextDecoder().decode(new Uint8Array(plain, 4, size))), new Uint8Array(plain, 4 + size));
}

export function open(known, root, widgets) {
  const { about } = known, { starts } = about.canvas, most = Math.max(...Object.keys(about.orders).map(Number));
  const state = structuredClone(about.state);
  const whose = (i) => { const k = starts.findLastIndex((start, j) => j < starts.length - 1 && start <= i); return [k, i - starts[k]]; };
  const canvas = new Model({ ...about.canvas, ...Object.fromEntries(["positions", "edges"].map((name) => {
    const { at, size } = about.canvas[name];
    return [name, new DataView(known.bytes.buffer, known.bytes.byteOffset + at, size)];
  })), values: null, edge_styles: null, home: null, note: about.controls.includes("pick") ? about.canvas.note : "" }, heard);
  const subtree = new Model({ ...about.subtree }), strip = new Model({ ...about.strip }), bar = new Model({ label: "Settings", fields: fields() }, ({ name, value }) => change({ [name]: value }));

  function fields() {
    const on = new Set(about.controls), biggest = Math.max(...state.targets.map((t) => t.length), 1);
    return [
      { name: "colour_by", kind: "select", label: "Colour by", options: about.colourings, value: state.colour_by, hidden: !on.has("colour_by") },
      { name: "layer", kind: "range", label: "Layers", min: 0, max: about.layers, value: state.layer, hidden: !on.has("layer") },
      { name: "size", kind: "select", label: "Targets", options: [["1", 1], ["2", 2]], value: state.size, hidden: most < 2 || !on.has("size") },
      { name: "root", kind: "select", label: "Root", options: Array.from({ length: biggest }, (_, i) => [`target ${i + 1}`, i]), value: Math.min(state.root, biggest - 1), hidden: state.targets.length < 2 || biggest < 2 },
    ];
  }
  function change(values) {
    Object.assign(state, values);
    if (values.size) state.targets = state.targets.map((t) => t.slice(-values.size));
    show();
  }
  function heard(message) {
    if (message.type === "pick") pick(...whose(message.node));
    else if (message.type === "clear" && about.controls.includes("pick")) change({ targets: state.targets.map(() => []) });
    else if (message.type === "lasso") message.nodes.slice(-state.size).forEach((i) => { const [k, u] = whose(i); if (!state.targets[k].includes(u)) pick(k, u); });
    else if (message.type === "search") canvas.tell("msg:custom", { type: "matches", text: message.text, items: matches(message.text) });
    else if (message.type === "find") {
      const [k, u] = whose(message.key);
      if (!state.targets[k].includes(u)) pick(k, u);
      canvas.tell("msg:custom", { type: "focus", node: message.key });
    } else if (message.type === "tip") {
      const [k, u] = whose(message.node), t = state.targets[k];
      if (!t.length || state.colour_by === "SPD") return;
      const far = known.legend("SPD", t.length).legend[known.codes("SPD", k, t)[u]].label;
      canvas.tell("msg:custom", { type: "tip", node: message.node, lines: [`distance to S: ${far}`] });
    }
  }
  function pick(k, u) {
    if (about.controls.includes("pick")) change({ targets: state.targets.map((t, j) => (j === k ? picked(t, u, state.size) : t)) });
  }
  function matches(text) {
    const wanted = text.toLowerCase(), found = [];
    about.canvas.names.forEach((name, i) => { if (name.toLowerCase().includes(wanted)) found.push(i); });
    found.sort((i, j) => about.canvas.names[i].length - about.canvas.names[j].length || i - j);
    return found.slice(0, 8).map((i) => ({ key: i, name: about.canvas.names[i], note: state.targets.length > 1 ? `in ${"AB"[whose(i)[0]]}` : "" }));
  }
  function show() {
    const shown = colouring(known, state), two = state.targets.length > 1, chosen = new Set();
    state.targets.forEach((t, k) => t.forEach((u) => chosen.add(starts[k] + u)));
    const edges = new Uint32Array(known.bytes.buffer, known.bytes.byteOffset + about.canvas.edges.at, about.canvas.edges.size / 4);
    const cut = about.state.cut && chosen.size > 1 ? Array.from({ length: edges.length / 2 }, (_, e) => (chosen.has(edges[2 * e]) && chosen.has(edges[2 * e + 1]) ? 2 : 0)) : [];
    canvas.put({
      codes: view(Uint16Array, shown.codes.flatMap((part) => [...part])), edge_styles: view(Uint8Array, cut), legend: shown.legend, legend_title: shown.title, legend_note: shown.note,
      targets: [...chosen], letters: state.targets.flatMap((t, k) => t.map(() => (two ? "AB"[k] : "S"))),
      captions: state.targets.map((t, k) => {
        const letter = two ? "AB"[k] : "S", title = about.titles[k] ? ` · ${about.titles[k]}` : "";
        return (t.length ? `${letter} = {${t.map((u) => about.canvas.names[starts[k] + u]).join(", ")}}` : `${letter}: click a node`) + title;
      }),
    });
    subtree.put({ step: -1, ...subtrees(known, state, starts) });
    strip.put(pills(known, state));
    bar.put({ fields: fields() });
    root.dataset.targets = JSON.stringify(state.targets);
  }

  // -- the frame
  const main = make("main", "de-explorer de-screen"), cards = make("div", "de-cards"), places = {}, spots = {};
  const heading = make("h1", "de-name", about.title);
  main.append(heading);
  for (const name of ["bar", "slot", "strip", "canvas", "subtree", "glossary"]) {
    const inCard = name === "canvas" || name === "subtree", place = make("div", inCard ? "de-page-part" : ""), card = inCard ? make("div", "de-card") : place;
    if (inCard) card.append(place);
    (inCard ? cards : main).append(card);
    places[name] = place;
    spots[{ canvas: "graphs", subtree: "subtrees", strip: "verdict" }[name]] = card;
  }
  if (about.idea) places.slot.append(make("div", "de-idea", about.idea));
  places.strip.after(cards);
  root.append(main);
  show();
  const models = { bar, strip, canvas, subtree, glossary: new Model({ terms: about.terms }) };
  const ends = Object.entries(models).map(([name, model]) => widgets[name].render({ model, el: places[name] }));
  function arrange(step) {
    heading.textContent = step.title;
    change(structuredClone(step.state));
    strip.set("chosen", step.method);
    subtree.set("method", step.state.colour_by === "1-WL" ? "1-WL" : "DE");
    for (const [name, spot] of Object.entries(spots)) spot.classList.toggle("de-look", name === step.look);
  }
  return { slot: places.slot, arrange, leave: () => Object.values(spots).forEach((spot) => spot.classList.remove("de-look")), end: () => { ends.forEach((end) => end?.()); main.remove(); } };
}

// Steps of text, each of some example: back, next, leave. `go` shows a step, `left` is called at the end.
function guide(tour, go, left) {
  let at = 0;
  const text = make("div", "de-lesson-text"), count = make("span", "de-hint"), row = make("div", "de-controls"), box = make("section", "de-lesson");
  const button = (label, act) => { const b = make("button", "de-button", label); b.type = "button"; b.addEventListener("click", act); return b; };
  const back = button("◀ Back", () => to(at - 1)), next = button("Next ▶", () => (at + 1 < tour.length ? to(at + 1) : leave())), leave = () => { box.remove(); left(); };
  box.setAttribute("aria-label", "Tour");
  text.setAttribute("role", "status");
  async function to(k) {
    at = k;
    await go(tour[at], box);
    text.textContent = tour[at].text;
    count.textContent = `${at + 1} of ${tour.length}`;
    back.disabled = at === 0;
    next.textContent = at + 1 < tour.length ? "Next ▶" : "Finish";
  }
  row.append(back, next, count, button("Leave", leave));
  box.append(text, row);
  return to(0);
}

async function begin(root, codes) {
  const first = await unpacked(codes[0]);
  let scene = 0, shown = open(first, root, widgets);
  if (first.about.tour.length) await guide(first.about.tour, async (step, box) => {
    if (step.scene !== scene) {
      const known = await unpacked(codes[(scene = step.scene)]);
      shown.end();
      shown = open(known, root, widgets);
    }
    if (!shown.slot.contains(box)) shown.slot.replaceChildren(box);
    shown.arrange(step);
  }, () => shown.leave());
}

if (globalThis.document?.getElementById("de-page")) {
  document.body.dataset.jpThemeLight = String(!matchMedia("(prefers-color-scheme: dark)").matches);
  const root = document.getElementById("de-page"), say = (error) => root.replaceChildren(make("p", "de-error", `This page cannot be shown: ${error.message}. It needs a browser of 2023 or later.`));
  begin(root, [...document.querySelectorAll(".de-data")].map((one) => one.textContent)).catch((error) => { say(error); throw error; });
}
