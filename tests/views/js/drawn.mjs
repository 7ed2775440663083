// Prints what both panels draw in a few states, as JSON: { state: lines }. tests/golden/pictures.py keeps it.
import { readFileSync } from "node:fs";
import { gunzipSync } from "node:zlib";
import { load } from "./load.mjs";
import { Element, liveModel, open, run } from "./page.mjs";

const t = await load(...JSON.parse(process.env.MODULES), "charts", "board", "recorded");
const records = JSON.parse(readFileSync(process.env.RECORDS, "utf8"));
const modelOf = (name) => t.recordedModel({ ...JSON.parse(gunzipSync(Buffer.from(records[name], "base64"))), tour: "" });

const round = (value) => (typeof value === "number" ? Number(value.toFixed(1)) : Array.isArray(value) ? value.map(round) : value?.parts ? value.parts.map(round) : value instanceof Element ? value.tagName : value);
const inText = (text) => String(text).replace(/-?\d+\.\d+/g, (found) => String(Number(Number(found).toFixed(1))));
const calls = (pen) => pen.calls.map(({ name, given, fillStyle, strokeStyle, lineWidth, globalAlpha, font }) => {
  const look = ["fill", "fillRect", "fillText"].includes(name) ? ` ${fillStyle} ${globalAlpha} ${name === "fillText" ? inText(font) : ""}` : ["stroke", "strokeText"].includes(name) ? ` ${strokeStyle} ${lineWidth} ${globalAlpha}` : "";
  return `${name} ${JSON.stringify(given.map(round))}${look}`;
});
function markup(node) {
  if (!(node instanceof Element)) return [node.textContent];
  const more = { ...Object.fromEntries(node.attributes), ...(node.className ? { class: node.className } : {}), ...(node.title ? { title: node.title } : {}), ...(node.hidden ? { hidden: "" } : {}), ...(node.disabled ? { disabled: "" } : {}) };
  const style = Object.entries(node.style).filter(([name, value]) => typeof value === "string" && !name.startsWith("--")).map(([name, value]) => `${name}:${value}`).join(";");
  const attributes = Object.entries({ ...more, ...(style ? { style } : {}) }).filter(([name]) => !name.startsWith("aria-") && name !== "title").map(([name, value]) => `${name}=${inText(value)}`);
  return [`<${[node.tagName, ...attributes].join(" ")}>`, ...node.childNodes.flatMap(markup)];
}
function drawn(root) {
  const canvas = root.querySelector(".de-stage canvas"), edges = canvas.pen.calls.find(({ name }) => name === "drawImage").given[0];
  return { canvas: calls(canvas.pen), edges: calls(edges.pen), tree: markup(root.querySelector(".de-tree-stage svg")), captions: markup(root.querySelector(".de-captions")) };
}

const found = {};
const STATES = [
  ["hexagon", { layer: 2 }, {}, [[0], [0]]],
  ["hexagon", { layer: 1, color_by: "1-WL" }, { open: "settings" }, [[0], [0]]],
  ["hexagon", { layer: 3, hops: 2, size: 2 }, { form: "tree", named: true, open: "help" }, [[0, 1], [0, 3]]],
  ["one", { layer: 0, color_by: "LP", toggle: "LP" }, { named: true }, [[2]]],
  ["one", { layer: 3 }, { open: "share" }, [[2, 5]]],
];
for (const [name, values, view, targets] of STATES) {
  const model = modelOf(name);
  model.set("values", { ...model.get("values"), ...values });
  model.set("targets", targets);
  model.set("view", view);
  model.save_changes();
  const panel = await open(t.renderExplorer, model), stage = panel.root.querySelector(".de-stage"), canvas = stage.querySelector("canvas");
  const key = `${name} ${JSON.stringify({ ...values, ...view })}`;
  found[key] = drawn(panel.root);
  const [clientX, clientY] = stage.whereIs(1);
  canvas.fire("pointermove", { clientX, clientY });
  canvas.fire("wheel", { clientX, clientY, deltaY: -300, deltaMode: 0, ctrlKey: true });
  canvas.focus();
  canvas.fire("keydown", { key: "ArrowRight" });
  await run(1000);
  found[`${key}, zoomed`] = { canvas: calls(canvas.pen) };
  panel.close();
}

const color = "#0072b2", other = "#b03a5b", inner = modelOf("one");
const INNER = ["targets", "values", "view", "options", "graphs", "xy", "edges", "codes", "numbers", "classes", "seen", "pills", "lesson", "opening", "busy", "error"];
const board = liveModel({
  ...Object.fromEntries(INNER.map((name) => [`inner_${name}`, inner.get(name) ?? {}])),
  values: { question: "links|karate", models: ["GCN"], seeds: 2, epochs: 30, device: "cpu", workers: 2 },
  view: { tab: "mistakes", open: "models" }, error: { text: "An error.", details: "line 3" }, answer: {}, chart: {},
  tab: { kind: "mistakes", columns: ["set"], rows: [{ cells: ["0, 9"], nodes: [0, 9] }], note: "Of 60." },
  form: { questions: [["links|karate", "links of karate"]], models: [{ name: "GCN", about: "plain", group: "baseline", fits: true, color: other }], devices: [["cpu", "CPU"]], workers: [1], settings: [] },
  headline: { title: "DE wins", sure: "Two seeds.", judged: ["By AUC."], earlier: 2 },
  go: { running: false, meaning: "continue", label: "Continue", about: "", progress: [{ model: "GCN", color: other, percent: 40, note: "seed 1", error: "It failed.", details: "" }], where: "" },
  result: { metric: "AUC", rows: [{ model: "DE-GNN-SPD", mean: 90.44, half: 1.5, seeds: [89.6, 91.2], paper: 89.4, color }, { model: "GCN", mean: 76.1, half: null, seeds: [75.1, 77.1], paper: null, color: other }] },
});
const panel = await open(t.renderBoard, board);
found.board = markup(panel.root.querySelector(".de-dots"));
panel.close();
console.log(JSON.stringify(found));
