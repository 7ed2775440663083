// Prints what both panels draw in many states, as JSON: { state: { part: lines } }. tests/golden/pictures.py keeps it.
// Words are left out, and of many numbers in a row only how many they are, and two sums.
import { load } from "./load.mjs";
import { all, button, change, DARK, Element, LIGHT, liveModel, open, pointer, run, screen } from "./page.mjs";
import { boardTraits, progress, RESULT, WHY } from "./boards.mjs";
import { bytes, grid, HEXAGON, pill, range, TRIANGLES, world } from "./worlds.mjs";

const t = await load(...JSON.parse(process.env.MODULES), "charts", "board", "recorded");

// -- drawings and elements as lines
const round = (number) => String(Number(number.toFixed(Math.abs(number) < 1 ? 2 : 1)));
function summary(numbers) {
  if (numbers.length <= 12) return numbers.map(round).join(" ");
  return `${numbers.length}: ${round(numbers.reduce((sum, x) => sum + x, 0))} ${round(numbers.reduce((sum, x, k) => sum + x * (k + 1), 0))}`;
}
// One line for all of a kind: the kind, and the numbers of all, in the order of their first ones.
function merged(items) {
  const kinds = new Map();
  for (const { kind, numbers } of items) {
    if (!kinds.has(kind)) kinds.set(kind, { count: 0, all: [] });
    kinds.get(kind).count += 1;
    kinds.get(kind).all.push(...numbers);
  }
  return [...kinds].map(([kind, { count, all }]) => `${kind} ${all.length || count < 2 ? summary(all) : `×${count}`}`.trim());
}
const brief = (text) => (/[A-Za-z]{2}/.test(text) ? ["…", ...(text.match(/\d+/g) ?? [])].join(" ") : text); // its numbers
function numbered(text) { // a text whose decimals are taken out
  const numbers = [];
  return { kind: text.replace(
    /-?\d+\.\d+|(?<=[ "(,=M:])-?\d+(?=[ ",)p%l;])/g, (number) => { numbers.push(Number(number)); return "#"; }
  ), numbers };
}
const STYLES = {
  fill: ["fillStyle"], fillRect: ["fillStyle"], fillText: ["fillStyle", "font", "textAlign", "textBaseline"],
  stroke: ["strokeStyle", "lineWidth", "lineCap"], strokeText: ["strokeStyle", "lineWidth", "lineJoin", "font"],
};
function itemOf(call) {
  const style = (STYLES[call.name] ?? []).map((name) => call[name]);
  if (style.length) style.push(call.globalAlpha, ...(call.name === "stroke" ? [`[${call.dash}]`] : []));
  const given = call.given.flatMap((value) => (value?.parts ? value.parts.flat() : value instanceof Element ? [value.tagName] : [value]));
  const { kind, numbers } = numbered([call.name, ...style].join(" ")), words = given.filter((value) => typeof value !== "number");
  return {
    kind: call.name.endsWith("Text") ? kind : [kind, ...new Set(words)].join(" "), words,
    numbers: [...numbers, ...given.filter((value) => typeof value === "number")],
  };
}
function calls(pen) { // panel by panel, which are clipped
  const items = pen.calls.map(itemOf), starts = [0, ...items.keys()].filter((k) => !k || items[k].kind === "restore");
  return starts.flatMap((start, k) => {
    const here = items.slice(start, starts[k + 1]);
    const texts = here.filter(({ kind }) => kind.startsWith("fillText")).flatMap(({ words }) => words);
    return [...merged(here), ...(texts.length ? [texts.join(" ")] : [])];
  });
}
const SPOKEN = ["title", "value", "placeholder", "aria-label"];
const flags = (node) => ["hidden", "disabled", "checked"].filter((name) => node[name]);
function markup(node, without = []) {
  const items = [];
  (function add(one) {
    const isSet = ([name, value]) => typeof value === "string" && !name.startsWith("--") && value;
    const style = Object.entries(one.style).filter(isSet).map(([name, value]) => `${name}:${value};`).join("");
    const own = one.childNodes.filter((child) => !(child instanceof Element)).map((child) => child.textContent).join("|");
    const properties = ["title", "value", "placeholder", "min", "max"].map((name) => [name, one[name] ?? ""]).filter(([, value]) => value !== "");
    const attributes = [...one.attributes].filter(([name]) => name !== "class" && name !== "data-clicked" && name !== "data-drawn");
    const index = one.tabIndex >= 0 ? [["tabindex", one.tabIndex]] : [];
    const words = [
      ...attributes, ...properties, ...index, ...(style ? [["style", style]] : []),
    ].sort().map(([name, value]) => `${name}="${SPOKEN.includes(name) ? brief(String(value)) : value}"`);
    const name = [one.tagName, ...one.className.split(" ").filter(Boolean)].join(".");
    items.push(numbered([name, ...words, ...flags(one), ...(own ? [`: ${brief(own)}`] : [])].join(" ").replace(/(de-[a-z]+)-\d+/g, "$1")));
    if (!without.some((selector) => one.matches(selector))) one.children.forEach(add);
  })(node);
  return merged(items);
}
const layerOf = (canvas) => canvas.pen.calls.find(({ name }) => name === "drawImage")?.given[0];
function graphOf(root) {
  const canvas = root.querySelector(".de-stage canvas"), layer = layerOf(canvas);
  return { graph: calls(canvas.pen), ...(layer ? { edges: calls(layer.pen), size: [canvas.width, canvas.height] } : {}) };
}
const treeOf = (root) => ({ tree: markup(root.querySelector(".de-tree-stage svg")) });
// Of a panel, only what the first one does not have, and what of it is missing.
const first = {};
const kindOf = (line) => line.replace(/( ×\d+|[-\d.: ]+)$/, "");
function changesOf(name, lines) {
  first[name] ??= lines;
  if (first[name] === lines) return lines;
  const kinds = lines.map(kindOf), missing = first[name].filter((line) => !kinds.includes(kindOf(line)));
  return [...lines.filter((line) => !first[name].includes(line)), ...missing.map((line) => `- ${kindOf(line)}`)];
}
const panelOf = (root) => ({ panel: changesOf("explorer", markup(root, [".de-words", ".de-tree-stage", ".de-stage"])) });

// -- states of an Explorer
const pictures = {};
async function draw(name, model, look = {}, act = null, parts = [graphOf, treeOf, panelOf]) {
  Object.assign(screen, { width: 420, height: 300, ratio: 1 }, LIGHT, look);
  const panel = await open(t.renderExplorer, model), stage = panel.root.querySelector(".de-stage");
  if (act) await act(panel.root, stage, stage.querySelector("canvas"));
  pictures[name] = Object.assign({}, ...parts.map((part) => part(panel.root)));
  panel.close();
}
const live = (...given) => liveModel(world(...given));
const PAIR = [{ n: 6, edges: TRIANGLES, title: "triangles" }, { n: 6, edges: HEXAGON, title: "hexagon" }];
const PILLS = [
  pill("1-WL", null), pill("DE-SPD", 2), { method: "DE-LP", title: "walks", what: "" },
  pill("DRNL", 0, { afterwards: true }), pill("2-WL", 1), pill("DEA-SPD", null, { skipped: "skipped: large" }),
];
const two = (values = {}, more = {}, targets = [[0], [0]]) => live(PAIR, targets, { pills: { pills: PILLS, busy: false }, values, ...more });

await draw("two sets", two());
await draw("plain, dark, on a phone", two({ layer: 1 }, { plain: true, view: { open: "settings" } }), { ...DARK, width: 320, height: 640 });
const pairs = (view) => two({ layer: 3, size: 2 }, { hops: 2, view }, [[0, 1], [0, 3]]);
await draw("pairs as trees, with names, wide", pairs({ form: "tree", named: true, open: "help" }), { width: 1300, height: 500, ratio: 2 });
await draw("pairs as trees that do not fit, low", pairs({ form: "tree", named: true }), { height: 130 }, null, [treeOf]);
for (const [width, height] of [[330, 200], [500, 220], [260, 500]]) await draw(
  `names in a panel of ${width} by ${height}`, pairs({ named: true }), { width, height }, null, [treeOf]
);
const longNames = PAIR.map((graph, k) => ({ ...graph, names: range(6).map((i) => `a rather long name, the ${i + 6 * k}th`) }));
await draw("long names", live(longNames, [[0], [1]], { view: { named: true } }), {}, null, [graphOf, treeOf]);
await draw("a pair in one graph, dark", live([PAIR[1]], [[2, 5]], { values: { layer: 3 }, view: { open: "share" } }), DARK);
await draw("no target yet", two({}, { pills: { pills: [] } }, [[], [0]]));
const recorded = { sizes: [1, 2], colorings: ["SPD"], tours: [], note: "recorded" };
for (const open of ["settings", "share"]) await draw(
  `a saved page: ${open}`, two({}, { view: { open }, options: { ...world(PAIR, [[0], [0]]).options, recorded } }), {}, null,
  [panelOf]
);
const star = {
  n: 31, edges: range(30).map((i) => [0, i + 1]).concat(range(15).map((i) => [2 * i + 1, 2 * i + 2]), [[1, 3], [3, 5]]),
  names: range(31).map((i) => `node ${i}`), title: "a star",
};
const numbers = (trait, make) => bytes(trait.from({ length: 31 }, (_, i) => make(i)));
const labels = range(31).map((i) => [`value ${i}`, i % 2 ? String(i) : "", i % 5 ? i / 4 : null]);
const crowded = {
  values: { layer: 3, color_by: "LP", column: 1 }, view: { named: true, open: "settings" },
  codes: numbers(Uint16Array, (i) => i), numbers: numbers(Float32Array, (i) => i / 7),
};
const starTraits = world([star], [[0, 2]], { layers: 3, ...crowded });
Object.assign(starTraits.seen, { color_by: "LP", method: "DE-LP", title: "walks", note: "A note.", labels, columns: ["near", "far"] });
Object.assign(starTraits.graphs, { notes: range(31).map((i) => `note ${i}`), more: true, idea: "An idea." });
await draw(
  "more labels and discs than fit", liveModel(starTraits), { width: 560, height: 400 },
  async (root, stage, canvas) => { canvas.fire("pointermove", pointer(stage.whereIs(3))); await run(100); }
);
const cut = world(
  [{ n: 6, edges: HEXAGON, title: "hexagon" }], [[0, 1, 3]],
  { cut: true, marks: [[0, 1, 0.9], [1, 2, -0.6], [2, 3, 0.3], [3, 4, -0.1], [4, 5, 0]] }
);
await draw("cut edges, and edges that speak for an answer", liveModel(cut), { height: 420 });
const coast = { n: 4, edges: [[0, 1], [1, 2], [2, 3]], xy: [0, 0, 3, 1, 2, 4, 0, 3] }, island = world([coast, coast], [[0], [3]]);
Object.assign(island.graphs, { coast: [[-0.5, -0.5, 4, 0, 2, 4.5], [0, 4, 1, 5, 1, 4]], example: "fig1" });
await draw("a map", liveModel(island));
const inPart = world([{ n: 6, edges: HEXAGON }], [[0]], { values: { layer: 3 } });
Object.assign(inPart.graphs, { drawn: [[10, 11, 12, 13, 14, 15]], nodes: [3000] });
Object.assign(
  inPart.seen,
  {
    targets: [[10]],
    net: [{
      side: 0, nodes: [10, 11, 15, 99], arcs: [[1, 2, 3], [0], [0], []], codes: [0, 1, 1, 1], names: ["a", "b", "c", "d"],
      classes: [[0, 1, 1, 1], [0, 1, 1, 2], [0, 1, 1, 2]], depth: 2,
    }],
  }
);
await draw("part of a large graph", liveModel({ ...inPart, targets: [[10]] }));

// -- sizes of graphs
for (const [w, h] of [[10, 6], [12, 10], [61, 50]]) await draw(
  `a grid of ${w} by ${h}`, live([grid(w, h)], [[0]], { layers: 0 }), {}, null, [graphOf]
);
await draw("a grid, zoomed", live([grid(12, 10)], [[0, 5]], { layers: 0 }), { width: 600 }, async (root, stage, canvas) => {
  canvas.fire("wheel", pointer(stage.whereIs(17), { deltaY: -600, deltaMode: 0, ctrlKey: true }));
  canvas.focus();
  for (const key of ["ArrowRight", "ArrowRight"]) canvas.fire("keydown", { key });
  await run(1000);
}, [graphOf]);
await draw("thousands of specks", live([grid(80, 40)], [[0]], { layers: 0 }), {}, null, [graphOf]);
const repeated = (count) => ({ n: 4, edges: range(count).map((i) => [i % 2, 2 + (i % 2)]) });
for (const count of [1200, 1201, 5001, 20001]) await draw(
  `${count} edges`, live([repeated(count)], [[0]], { layers: 0, marks: [[0, 2, 0.1], [1, 3, 0.2]] }), {}, null,
  [(root) => ({ edges: graphOf(root).edges })]
);

// -- what moves
for (const at of [700, 1100]) await draw(
  `messages after ${at} ms`, two({ layer: 0 }), {}, async (root) => { button(root, "▶ Play").click(); await run(at); },
  [graphOf, treeOf]
);
await draw("a target makes room, an edge of a lasso", two({ size: 1 }), {}, async (root, stage, canvas) => {
  canvas.fire("pointerdown", pointer(stage.whereIs(8)));
  canvas.fire("pointerup", pointer(stage.whereIs(8)));
  await run(100);
  canvas.fire("pointerdown", pointer([5, 5], { shiftKey: true }));
  for (const place of [[60, 10], [40, 90]]) canvas.fire("pointermove", pointer(place));
  await run(100);
}, [graphOf]);
const travelling = two();
await draw(
  "on the way to another layout", travelling, {},
  async () => { await travelling.put({ xy: bytes(Float32Array.from(range(24), (i) => (i * i) % 7)) }); await run(150); },
  [graphOf]
);
await draw("a disc under the keys", two(), {}, async (root) => {
  const svg = root.querySelector(".de-tree-stage svg");
  svg.focus();
  for (const key of ["ArrowDown", "ArrowDown"]) svg.fire("keydown", { key });
  await run(100);
}, [graphOf, treeOf, (root) => ({ foot: markup(root.querySelector(".de-tree .de-foot")) })]);

// -- lessons, reasons, errors, files
await draw(
  "all reasons", two(), {}, async (root) => button(root, "All reasons").click(),
  [(root) => ({ strip: markup(root.querySelector(".de-strip")) })]
);
const ask = { kind: "ask", question: "Can it?", expected: "", reply: null };
for (const lesson of [
  ask, { ...ask, reply: "yes" }, { kind: "tour", key: "hexagon", title: "", at: 0, of: 3, text: "Look.", look: "graphs" },
  { kind: "tour", key: "hexagon", title: "", at: 2, of: 3, text: "Look.", look: "verdict" },
]) {
  const model = two();
  await model.put({ lesson });
  await draw(`a lesson: ${JSON.stringify(lesson)}`, model, {}, null, [panelOf]);
}
const opening = {
  a: { percent: 40, name: "my.csv", what: "reading" }, b: { name: "my.csv", note: "it is no graph" },
  c: { name: "my.csv", facts: [["nodes", "12"]] },
};
for (const [key, told] of Object.entries(opening)) {
  const model = two();
  await model.put({
    view: { open: "file" }, opening: told, busy: key === "a" ? "Working …" : "",
    error: { text: key === "b" ? "No." : "", details: "line 3" },
  });
  await draw(`a file: ${JSON.stringify(told)}`, model, {}, null, [panelOf]);
}

// -- states of a board
async function drawBoard(name, traits, look = {}, act = null) {
  Object.assign(screen, { width: 420, height: 300, ratio: 1 }, LIGHT, look);
  const panel = await open(t.renderBoard, liveModel(boardTraits(traits)));
  if (act) await act(panel.root);
  await run(1000);
  pictures[`board: ${name}`] = { panel: changesOf("board", markup(panel.root, [".de-explorer"])) };
  panel.close();
}
await drawBoard("before a race", {});
for (const tab of ["models", "settings", "judged"]) await drawBoard(
  tab, { ...RESULT, view: { open: tab } }, tab === "models" ? DARK : { width: 300, height: 150 }
);
await drawBoard(
  "racing",
  { go: { running: true, meaning: "cancel", label: "Cancel", about: "", progress, where: "on 2 cores" }, chart: { data: [] } }
);
const table = { columns: ["set", "score"], rows: [{ cells: ["0, 9", "0.91"], nodes: [0, 9], seed: 1 }], note: "A note." };
await drawBoard("mistakes", { ...RESULT, tab: { kind: "mistakes", ...table } }, { width: 900, height: 400 });
await drawBoard("by distance", { ...RESULT, view: { tab: "distance" }, tab: { kind: "distance", ...table } }, DARK);
await drawBoard("missing links", { ...RESULT, view: { tab: "missing" }, tab: { kind: "missing", busy: "Scoring …" } });
await drawBoard(
  "why",
  {
    ...RESULT, view: { tab: "ask" },
    answer: { text: "0 and 9", nodes: [0, 9], scores: [{ model: "GCN", color: "#b03a5b", score: "12 %" }], truth: "Linked.", why: WHY },
  }
);
await drawBoard("an error", { error: { text: "No.", details: "line 3" } });

console.log(JSON.stringify(pictures));
