// The Explorer's frame: reads the model, composes one scene, shows it in every part, and writes back what readers do.
// The model is anywidget's, or the recorded one of a saved page: get, set, save_changes, send, on, off.

import { graphCanvas } from "./canvas.js";
import { arcsOf, coloring, entryOf, lastLayer, lineage, picked, renumbered } from "./compose.js";
import { calm, copy, download, followTheme, make, markLost, rasterize, typed } from "./dom.js";
import { moreDrawer } from "./drawer.js";
import { choice, menu, pressButton } from "./form.js";
import { adjacency } from "./geometry.js";
import { termTips } from "./glossary.js";
import { lessonBox } from "./lesson.js";
import { verdictStrip } from "./strip.js";
import { subtreeView } from "./subtree.js";
import { captionOf, headline, layersText } from "./words.js";

const TRAITS = [ // all but the targets, which are marked at once: what they change comes with "seen"
  "values", "view", "options", "graphs", "xy", "edges", "codes", "numbers", "classes", "seen", "pills", "lesson",
  "opening", "busy", "error", "marks",
];
const WITH = { SPD: "+ distance", LP: "+ walks", DRNL: "+ labels", "zero-one": "+ marks", RWSE: "+ returns" };
const METHOD = { SPD: "DE-SPD", LP: "DE-LP", DRNL: "DRNL", "zero-one": "zero-one", RWSE: "RWSE" };
const SLICE = 4_000_000; // bytes of an upload in one message; 20 MB would be lost
const LEGEND_ITEMS = 12;
const MATCHES = 12;
const SUPPRESS = "data-lm-suppress-shortcuts"; // JupyterLab reads it from the element that has the focus

const total = (counts) => counts.reduce((a, b) => a + b, 0);
const inEnglish = (count) => count.toLocaleString("en");
const plural = (count, noun) => `${inEnglish(count)} ${noun}${count === 1 ? "" : "s"}`;

export function renderExplorer({ model, el }) {
  let palette = PALETTE.light;
  let cache = {}; // typed arrays of the traits, and what is computed of them
  let playing = null; // { layer, most, timer } while Play runs
  let c = null; // what sentences are made of, see words.js
  let showIsDue = false;
  let closed = false;
  let hasTips = false;
  let pointedAt = -1; // the node under the pointer
  let search = null; // { text, done } while the kernel looks for nodes

  const get = (name) => model.get(name);
  const save = (name, value) => {
    model.set(name, value);
    model.save_changes();
  };
  const setValues = (changes) => save("values", { ...get("values"), ...changes });
  const setView = (changes) => save("view", { ...get("view"), ...changes });
  const act = (name, content = {}) => model.send({ kind: "do", name, ...content });
  const terms = () => get("options").words ?? [];
  const copyOfTargets = () => get("targets").map((nodes) => [...nodes]);

  // -- the controls above the picture
  const example = menu("Example", (key) => key && act("example", { key }));
  const toggle = choice("What the network is given", (plain) => {
    setValues({ color_by: plain ? "1-WL" : get("values").toggle });
  });
  const layers = choice("Layer", stepTo, "de-choice de-layers");
  const play = pressButton("▶ Play", "Play message passing, layer by layer (space)", playOrPause, "de-button de-play");
  const more = pressButton("More", "Settings, your own graph, sharing, help", () => {
    setView({ open: get("view").open ? "" : "settings" });
  }, "de-link de-more");
  const arrow = make("span", "", " ▾");
  arrow.setAttribute("aria-hidden", "true");
  more.append(arrow);
  const layerBox = make("span", "de-layer-box");
  layerBox.append(make("span", "de-label", "layer"), layers.el);
  const bar = make("div", "de-bar");
  bar.append(example.el, make("span", "de-spacer"), toggle.el, layerBox, play, more);

  // -- the larger parts
  const lesson = lessonBox({
    step: (key, at) => {
      halt();
      act("tour", { key, at });
    },
    leave: () => {
      save("lesson", {});
      graph.focus();
    },
    reply: (reply) => save("lesson", { ...get("lesson"), reply }),
    terms,
    verdict: () => (get("pills").pills ?? []).find((pill) => pill.method === c.chosen),
  });
  const strip = verdictStrip({ choose, terms });
  const graph = graphCanvas({
    pick: pickNode,
    lasso: addNodes,
    clear: () => retarget(get("targets").map(() => [])),
    hover: light,
    moved: (xy) => {
      cache.moved = xy;
      if (xy === null) showSoon();
    },
    looked: (camera) => {
      cache.camera = camera;
    },
    tip: showTip,
  });
  const tree = subtreeView({ hover: (nodes) => graph.glow(nodes) });
  const drawer = moreDrawer({
    values: () => get("values"),
    options: () => get("options"),
    graphs: () => ({ ...get("graphs"), columns: get("seen").columns ?? [] }),
    targets: () => get("targets"),
    view: () => get("view"),
    opening: () => get("opening"),
    set: setValues,
    look: setView,
    act,
    zoom: graph.zoom,
    fit: graph.fit,
    upload,
    find: findNodes,
    go: goTo,
  }, () => {
    setView({ open: "" });
    more.focus();
  });

  // -- the frame around them
  const root = make("div", "de-panel de-explorer");
  const cards = make("div", "de-cards");
  const left = make("section", "de-card de-left"), leftHead = headWithHint("Pick a target", "click a node");
  const right = make("section", "de-card de-right");
  const rightHead = headWithHint("What the network sees", "equal trees, one disc");
  const foot = make("div", "de-foot"), legend = make("div", "de-legend"), tip = make("div", "de-tip");
  const busy = make("div", "de-busy"), error = make("div", "de-error");
  tip.hidden = true;
  error.setAttribute("role", "alert");
  foot.append(legend, tip);
  left.append(leftHead, graph.el, foot, busy);
  right.append(rightHead, tree.el);
  cards.append(left, right, drawer.el, error);
  root.append(lesson.el, bar, strip.el, cards);
  el.append(root);

  // -- nodes of the graphs and their places among the nodes that are drawn
  const starts = () => get("graphs").starts ?? [0];
  function drawnAs(side, node) { // -1: not drawn
    const drawn = get("graphs").drawn?.[side] ?? [];
    const at = drawn.length ? drawn.indexOf(node) : node;
    return at < 0 ? -1 : starts()[side] + at;
  }
  function locate(i) {
    const side = starts().length > 2 && i >= starts()[1] ? 1 : 0;
    const drawn = get("graphs").drawn[side], at = i - starts()[side];
    return [side, drawn.length ? drawn[at] : at];
  }
  function light(nodes) { // in the tree the discs that stand for them, in the graphs where a symmetry takes them
    tree.light(nodes);
    graph.glow(partners(nodes));
  }
  function partners(nodes) { // where a map that takes A to B takes them, or takes them from
    const symmetry = get("pills").symmetry, shift = starts()[1];
    if (symmetry?.kind !== "same" || !symmetry.map.length) return [];
    return nodes.map((i) => (i < shift ? shift + symmetry.map[i] : symmetry.map.indexOf(i - shift)));
  }

  // -- what a reader picks
  function retarget(targets) {
    halt();
    save("targets", targets);
  }
  function pickNode(i) {
    const [side, node] = locate(i), targets = copyOfTargets();
    targets[side] = picked(targets[side], node, get("values").size);
    root.dataset.clicked = String(performance.now());
    retarget(targets);
  }
  function addNodes(drawn) {
    if (!drawn.length) return;
    const targets = copyOfTargets(), { size } = get("values");
    for (const [side, node] of drawn.map(locate)) {
      if (!targets[side].includes(node)) targets[side].push(node);
    }
    halt();
    if (size && targets.some((nodes) => nodes.length > size)) model.set("values", { ...get("values"), size: 0 });
    save("targets", targets);
  }
  function goTo(side, node) {
    const targets = copyOfTargets();
    if (!targets[side].includes(node)) targets[side] = picked(targets[side], node, get("values").size);
    retarget(targets);
    graph.focus(drawnAs(side, node));
  }
  function choose(method) {
    halt();
    const pill = get("pills").pills.find((other) => other.method === method);
    if (method === "1-WL") setValues({ color_by: "1-WL" });
    else if (method === "DE-LP") setValues({ color_by: "LP", toggle: "LP", hops: 1 });
    else if (method === "DE-SPD") setValues({ color_by: "SPD", toggle: "SPD", hops: 1 });
    else if (method === "DEA-SPD") setValues({ color_by: "SPD", toggle: "SPD", hops: pill.hops });
    else if (METHOD[method]) setValues({ color_by: method, toggle: method, hops: 1 });
    else setValues({ color_by: get("values").toggle, hops: 1 });
  }

  // -- model -> one scene
  function readArrays(g, n) {
    const graphKey = JSON.stringify([g.titles, g.nodes]);
    if (graphKey !== cache.graphKey) Object.assign(cache, { graphKey, camera: null }); // another graph is seen in full
    const seen = get("seen"), xy = get("xy"), edges = get("edges"), codes = get("codes"), classes = get("classes");
    if (xy !== cache.rawXY) Object.assign(cache, { rawXY: xy, xy: typed(Float32Array, xy), moved: null, fresh: true });
    if (edges !== cache.rawEdges) {
      Object.assign(cache, { rawEdges: edges, edges: typed(Uint32Array, edges), links: null });
    }
    if (cache.links?.start.length !== n + 1) cache.links = adjacency(cache.edges, n);
    if (seen === cache.seen && codes === cache.rawCodes && classes === cache.rawClasses) return;
    Object.assign(cache, {
      seen,
      rawCodes: codes,
      rawClasses: classes,
      codes: typed(Uint16Array, codes),
      classes: renumbered(typed(Uint32Array, classes), n),
      numbers: typed(Float32Array, get("numbers")),
      net: null,
    });
    cache.letters = lineage(cache.codes, cache.classes, seen.layers);
    cache.last = lastLayer(cache.classes, n, seen.layers);
  }
  function toggledMethod(pills) {
    const { toggle: encoding, hops } = get("values");
    if (encoding === "SPD" && hops > 1) return "DEA-SPD";
    if (METHOD[encoding]) return METHOD[encoding];
    return (pills.find((pill) => pill.method === encoding) ?? pills.at(-1))?.method ?? "DE-SPD";
  }
  function compose() { // null while a message is still on its way
    const seen = get("seen"), g = get("graphs"), v = get("values");
    if (!seen.labels || !g.starts) return null;
    const n = g.starts.at(-1);
    readArrays(g, n);
    if (cache.codes.length !== n || cache.classes.length !== n * (seen.layers + 1)) return null;
    const asking = get("lesson").kind === "ask" && get("lesson").reply === null;
    const layer = Math.min(asking ? 0 : playing ? playing.layer : v.layer, seen.layers);
    const sides = seen.targets.map((nodes, k) => nodes.map((t) => drawnAs(k, t)).filter((i) => i >= 0));
    const colored = coloring(seen, palette, cache.codes, cache.letters, layer, g.starts);
    const counts = new Map();
    for (const entry of colored.entries) counts.set(entry.text, (counts.get(entry.text) ?? 0) + total(entry.counts));
    const { pills = [], symmetry } = get("pills");
    c = {
      names: g.names, starts: g.starts, titles: g.titles, same: g.same, idea: g.idea,
      sides, seen, layer, pills, symmetry, codes: cache.codes, classes: cache.classes, links: cache.links,
      toggle: toggledMethod(pills), chosen: seen.method, counts: [...counts],
    };
    return { seen, g, v, n, layer, asking, sides, colored };
  }
  function netOf({ seen, n, sides }) {
    const key = JSON.stringify([seen.hops, seen.cut, sides]);
    if (cache.net && cache.netKey === key) return cache.net;
    cache.netKey = key;
    if (seen.net.length) return (cache.net = joinedNet(seen.net, drawnAs));
    const arcs = arcsOf(cache.links, n, seen.hops, seen.cut, sides.flat());
    const { classes, codes } = cache;
    return (cache.net = { ...arcs, classes, codes, names: c.names, depth: seen.layers });
  }
  function treeScene(scene) {
    const { seen, layer, v } = scene, net = netOf(scene), two = seen.targets.length === 2;
    const depth = Math.min(layer, net.depth), roots = [], sides = [], notes = [];
    seen.targets.forEach((nodes, side) => {
      const first = Math.min(v.root, nodes.length - 1);
      for (const t of two ? nodes.slice(first).slice(0, 1) : nodes.slice(0, 3)) {
        const i = net.own ? net.own.findIndex(([k, node]) => k === side && node === t) : drawnAs(side, t);
        if (i < 0) continue;
        roots.push(i);
        sides.push(side);
      }
    });
    function entry(u, at) {
      const drawn = net.drawn ? net.drawn[u] : u;
      if (drawn < 0) return entryOf(seen, palette, net.codes[u], 0, 0);
      return entryOf(seen, palette, net.codes[u], cache.letters[at][drawn], at);
    }
    if (depth < layer) notes.push(`Depth ${layer} would follow too many links; depth ${depth} is shown.`);
    if (!two && seen.targets[0].length > 3) notes.push(`Trees of the first 3 of ${seen.targets[0].length} targets.`);
    return {
      net, roots, sides, depth, entry,
      letters: sides.map((side) => (two ? "AB"[side] : "S")),
      names: net.names,
      named: get("view").named,
      form: get("view").form,
      note: notes.join(" "),
      look: palette,
      plain: seen.method === "1-WL",
      baseName: { SPD: "distance", LP: "walks" }[seen.color_by] ?? "label",
      elsewhere: seen.color_by === "LP" ? "at another step of the walk" : "though not in the values shown",
    };
  }
  function aim() { // the targets as the reader picked them, before the kernel has answered
    const drawn = get("targets").map((nodes, k) => nodes.map((t) => drawnAs(k, t)).filter((i) => i >= 0));
    const targets = drawn.flat(), cut = new Set(get("values").cut ? targets : []);
    return {
      targets,
      letters: drawn.flatMap((nodes, k) => nodes.map(() => (drawn.length === 2 ? "AB"[k] : "S"))),
      dotted: cut.size > 1 ? (u, w) => cut.has(u) && cut.has(w) : null,
      cutKey: [...cut].join(),
    };
  }
  function graphScene({ seen, g, colored }) {
    const marks = (get("marks") ?? [])
      .map(([u, w, strength]) => [drawnAs(0, u), drawnAs(0, w), strength])
      .filter(([u, w]) => u >= 0 && w >= 0);
    return {
      xy: cache.moved ?? cache.xy, edges: cache.edges, links: cache.links, camera: cache.camera,
      starts: g.starts, names: g.names, coast: g.coast,
      codes: colored.codes, entries: colored.entries, serial: seen.serial, look: palette,
      ...aim(),
      marks,
      marksKey: marks.join(),
      captions: g.titles.map((_, k) => captionOf(c, k)),
    };
  }

  // -- one scene -> every part
  function show() {
    showIsDue = false;
    if (closed) return;
    const scene = compose();
    showMessages();
    root.classList.toggle("de-waiting", !scene);
    if (!scene) return;
    if (!hasTips && get("options").words) {
      termTips(root, get("options").words);
      hasTips = true;
    }
    const now = get("lesson"), inLesson = Boolean(now.kind);
    root.dataset.serial = scene.seen.serial;
    showFrame(scene, now, inLesson);
    showControls(scene);
    strip.show(c, scene.seen.method, inLesson);
    lesson.show(now, headline(c).map((piece) => piece.text ?? piece).join(""));
    if (inLesson) get("view").open = "";
    drawer.show();
    graph.show(graphScene(scene), cache.fresh);
    showLegend(scene);
    if (!scene.asking) tree.show(treeScene(scene));
    if (cache.fresh) pointedAt = -1;
    showTip(pointedAt, scene); // a click changes what its node is
    light(pointedAt < 0 ? [] : [pointedAt]);
    cache.fresh = false;
  }
  function showSoon() { // several traits arrive in one message
    if (!showIsDue) queueMicrotask(show);
    showIsDue = true;
  }
  function showMessages() {
    const { text, details } = get("error");
    busy.textContent = get("busy");
    busy.hidden = !get("busy");
    error.replaceChildren();
    error.hidden = !text;
    if (!text) return;
    const close = pressButton("×", "Close this message", () => {
      error.hidden = true;
      graph.focus();
    }, "de-close");
    error.append(make("span", "", text), close);
    if (!details) return;
    const box = make("details");
    box.append(make("summary", "", "details, for a bug report"), make("pre", "", details));
    error.append(box);
  }
  function showFrame({ g, layer, asking, sides }, now, inLesson) {
    const two = sides.length === 2, open = Boolean(get("view").open);
    const states = { lesson: inLesson, asking, one: !two, open, story: inLesson && now.look !== "verdict" };
    Object.entries(states).forEach(([name, on]) => root.classList.toggle(`de-is-${name}`, on));
    const parts = { graphs: left, subtrees: right, verdict: strip.el };
    Object.entries(parts).forEach(([name, part]) => part.classList.toggle("de-look", inLesson && now.look === name));
    leftHead.firstChild.textContent = inLesson ? "The graphs" : "Pick a target";
    leftHead.lastChild.textContent = inLesson ? "" : ` ${pickHint(g, two)}`;
    rightHead.lastChild.textContent = layer && two ? " equal trees, one disc" : "";
  }
  function showControls({ g, v, layer }) {
    const options = get("options");
    example.show([...(g.example ? [] : [["", g.title]]), ...options.examples], g.example);
    example.el.disabled = Boolean(options.recorded);
    example.el.hidden = strip.el.hidden = Boolean(options.inside);
    toggle.show([
      [true, "plain GNN", "Nodes carry no distances: what GCN, GraphSAGE and GIN see (1-WL)"],
      [false, WITH[v.toggle] ?? `+ ${v.toggle}`, "Each node is told where it stands toward the targets"],
    ], v.color_by === "1-WL");
    const most = Math.min(options.max_layer, Math.max(3, cache.last + 1, v.layer));
    const titles = (k) => (k ? `after ${layersText(k)}` : "what each node is told before the first layer");
    layers.show(Array.from({ length: most + 1 }, (_, k) => [k, String(k), titles(k)]), layer);
    play.textContent = playing ? "❚❚ Pause" : "▶ Play";
    more.setAttribute("aria-expanded", String(Boolean(get("view").open)));
  }
  function showLegend({ seen, layer, colored, g }) {
    const groups = legendGroups(colored.entries, g.starts.length - 1), note = (text) => make("span", "de-note", text);
    const items = groups.slice(0, LEGEND_ITEMS).map(legendItem);
    if (seen.title && seen.color_by !== "SPD") items.unshift(note(`${seen.title}:`));
    if (groups.length > LEGEND_ITEMS) items.push(note(`and ${inEnglish(groups.length - LEGEND_ITEMS)} more`));
    if (layer && seen.method !== "1-WL") items.push(note("same letter: same to the network"));
    if (seen.note) items.push(note(seen.note));
    legend.replaceChildren(...items);
  }
  function legendItem({ label, color, codes, counts }) {
    const item = make("span", "de-item"), swatch = make("i", "de-swatch");
    swatch.style.background = color;
    item.append(swatch, make("span", "", `${label}:`), make("span", "de-count", counts.map(inEnglish).join(" | ")));
    item.addEventListener("pointerenter", () => graph.only(codes));
    item.addEventListener("pointerleave", () => graph.only(null));
    return item;
  }
  function showTip(i, scene = compose()) {
    pointedAt = i;
    tip.hidden = i < 0 || !scene;
    if (tip.hidden) return;
    const { g, colored, layer } = scene, entry = colored.entries[colored.codes[i]];
    const degree = plural(cache.links.start[i + 1] - cache.links.start[i], "neighbor");
    const value = cache.numbers.length ? ` (${+cache.numbers[i].toPrecision(4)})` : "";
    const same = layer ? `: ${plural(total(entry.counts), "node")}` : "";
    const lines = [g.notes[i], `${degree}; ${entry.text}${value}${same}`].filter(Boolean);
    tip.replaceChildren(make("b", "", g.names[i] ?? ""), ...lines.map((line) => make("div", "", line)));
  }

  // -- play: the graph recolors layer by layer while messages travel along the edges into the discs of the tree
  function start() {
    const { layer } = get("values"), pill = c.pills.find(({ method }) => method === c.chosen);
    const most = Math.min(get("seen").layers, Math.max(cache.last, pill?.layer ?? 0, 2));
    playing = { layer: layer >= most ? 0 : layer, most, timer: 0 };
    show();
    playOn();
  }
  function playOn() {
    if (playing.layer >= playing.most) halt();
    else wait(450, nextLayer);
  }
  function nextLayer() {
    playing.layer += 1;
    show();
    wait(calm() ? 700 : 60, () => tree.flow((share) => graph.flow(share), () => wait(500, playOn)));
  }
  function wait(milliseconds, then) {
    if (playing) playing.timer = setTimeout(() => playing && then(), milliseconds);
  }
  function halt() { // and stays at the layer that is shown
    if (!playing) return;
    const { layer, timer } = playing;
    clearTimeout(timer);
    playing = null;
    tree.halt();
    graph.flow(-1);
    setValues({ layer });
  }
  function playOrPause() {
    if (playing) halt();
    else start();
  }
  function stepTo(layer) {
    halt();
    setValues({ layer: Math.max(0, Math.min(get("options").max_layer, layer)) }); // Python sends deeper layers if need be
  }

  // -- finding, uploading, messages of the kernel
  function findNodes(text, done) {
    const g = get("graphs");
    if (!text) done([]);
    else if (g.drawn.some((nodes) => nodes.length)) {
      search = { text, done };
      act("search", { text });
    } else done(searchNames(g, text).map((i) => [...locate(i), g.names[i], g.notes[i] ?? ""]));
  }
  async function upload(file) {
    const bytes = await file.arrayBuffer(), size = bytes.byteLength;
    for (let at = 0; at === 0 || at < size; at += SLICE) {
      model.send({ kind: "upload", name: file.name, at, size }, undefined, [bytes.slice(at, at + SLICE)]);
    }
  }
  function onMessage({ kind, name, text, mime, items }) {
    if (kind === "matches" && search?.text === text) search.done(items);
    else if (kind === "copy") copy(text);
    else if (kind === "download" && name.endsWith(".png")) rasterize(text, name);
    else if (kind === "download") download(name, new Blob([text], { type: mime }));
  }

  // -- keys: no letter typed in the panel may edit the notebook
  const suppressShortcuts = (event) => event.target.setAttribute?.(SUPPRESS, "true");
  root.addEventListener("focusin", suppressShortcuts);
  root.addEventListener("keyup", suppressShortcuts);
  root.addEventListener("keydown", (event) => {
    const control = event.ctrlKey || event.metaKey, typing = event.target.closest("input, textarea, select");
    if (control && event.key !== "Enter") event.target.removeAttribute(SUPPRESS); // such as saving the notebook
    else event.stopPropagation();
    if (event.defaultPrevented || typing || control) return;
    if (event.key === " " && !event.target.closest("button")) {
      event.preventDefault();
      playOrPause();
    } else if (event.key === "Escape" && get("view").open) setView({ open: "" });
    else if (event.key === "," && c) stepTo(c.layer - 1);
    else if (event.key === "." && c) stepTo(c.layer + 1);
  });

  const showAim = () => c && graph.aim(aim());
  model.on("change:targets", showAim);
  TRAITS.forEach((name) => model.on(`change:${name}`, showSoon));
  model.on("msg:custom", onMessage);
  const unmark = markLost(model, root);
  const unfollow = followTheme(root, (theme) => {
    palette = PALETTE[theme];
    root.dataset.theme = theme;
    for (const [name, value] of Object.entries(palette)) {
      if (typeof value === "string") root.style.setProperty(`--de-${name}`, value);
    }
    showSoon();
  });
  show();
  return () => {
    closed = true;
    clearTimeout(playing?.timer);
    playing = null;
    graph.close();
    tree.close();
    unfollow();
    model.off("change:targets", showAim);
    TRAITS.forEach((name) => model.off(`change:${name}`, showSoon));
    model.off("msg:custom", onMessage);
    unmark();
    root.remove();
  };
}

function headWithHint(title, hint) {
  const line = make("div", "de-head");
  line.append(make("b", "", title), make("span", "", ` ${hint}`));
  return line;
}

function pickHint({ nodes, starts }, two) {
  const inPart = nodes.some((count, k) => count > starts[k + 1] - starts[k]);
  if (inPart) return `${inEnglish(starts.at(-1))} of ${inEnglish(total(nodes))} nodes are drawn`;
  return two ? "click a node in A or B" : "click a node";
}

// Entries of a legend by label, the classes of a label together: { label, color, codes, counts for each side }.
export function legendGroups(entries, sides) {
  const groups = new Map();
  entries.forEach((entry, code) => {
    const label = entry.text.replace(/, class \w+$/, "");
    if (!groups.has(label)) {
      groups.set(label, { label, color: entry.color, codes: new Set(), counts: new Array(sides).fill(0) });
    }
    const group = groups.get(label);
    group.codes.add(code);
    entry.counts.forEach((count, side) => {
      group.counts[side] += count;
    });
  });
  return [...groups.values()];
}

// Nodes whose name or note has this text, the best match first.
export function searchNames({ names, notes }, text) {
  const wanted = text.toLowerCase();
  function rank(i) {
    const name = names[i].toLowerCase();
    if (name === wanted) return 0;
    if (name.startsWith(wanted)) return 1;
    if (name.includes(wanted)) return 2;
    return (notes[i] ?? "").toLowerCase().includes(wanted) ? 3 : Infinity;
  }
  const ranked = names.map((_, i) => [rank(i), i]).filter(([place]) => place < Infinity);
  return ranked.sort((a, b) => a[0] - b[0] || a[1] - b[1]).slice(0, MATCHES).map(([, i]) => i);
}

// What lies near the targets of graphs that are drawn in part, as one net.
function joinedNet(parts, drawnAs) {
  const depth = Math.min(...parts.map((part) => part.depth));
  const net = { indptr: [0], indices: [], tags: new Uint8Array(0), codes: [], names: [], drawn: [], own: [], depth };
  for (const { side, nodes, arcs, codes, names } of parts) {
    const shift = net.names.length;
    for (const to of arcs) {
      net.indices.push(...to.map((j) => j + shift));
      net.indptr.push(net.indices.length);
    }
    net.codes.push(...codes);
    net.names.push(...names);
    net.drawn.push(...nodes.map((node) => drawnAs(side, node)));
    net.own.push(...nodes.map((node) => [side, node]));
  }
  const classesAt = (layer) => parts.flatMap((part) => part.classes[layer]);
  return { ...net, classes: Array.from({ length: depth + 1 }, (_, layer) => classesAt(layer)).flat() };
}
