// A Training Board opened on a page without a browser (page.mjs): what it shows of the kernel's state, what it asks for.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { gunzipSync } from "node:zlib";
import { load } from "./load.mjs";
import { all, button, clock, copied, liveModel, open, run, shown } from "./page.mjs";

const t = await load(...JSON.parse(process.env.MODULES), "charts", "board", "recorded");
const recorded = () => t.recordedModel({ ...JSON.parse(gunzipSync(Buffer.from(JSON.parse(readFileSync(process.env.RECORDS, "utf8")).one, "base64"))), tour: "" });
const INNER = ["targets", "values", "view", "options", "graphs", "xy", "edges", "codes", "numbers", "classes", "seen", "pills", "lesson", "opening", "busy", "error"];

const BLUE = "#0072b2", RED = "#b03a5b";
const models = [
  { name: "GCN", about: "a plain GNN", group: "baseline", fits: true, color: RED },
  { name: "PGNN", about: "anchors", group: "baseline", fits: false, color: RED },
  { name: "DE-GNN-SPD", about: "distances", group: "de", fits: true, color: BLUE },
  { name: "Adamic-Adar", about: "a formula", group: "heuristic", fits: true, color: RED },
];
const rows = [
  { model: "DE-GNN-SPD", mean: 90.44, half: 1.5, seeds: [89.6, 90.4, 91.2], paper: 89.4, color: BLUE },
  { model: "GCN", mean: 76.1, half: null, seeds: [75.1, 77.1], paper: null, color: RED },
];
const waitingToGo = { running: false, meaning: "race", label: "Race", about: "Train them", progress: [], where: "" };
function state(more = {}) {
  const inner = recorded(), traits = Object.fromEntries(INNER.map((name) => [`inner_${name}`, inner.get(name) ?? {}]));
  return {
    ...traits,
    values: { question: "links|karate", models: ["GCN", "DE-GNN-SPD"], seeds: 2, epochs: 30, device: "cpu", workers: 2, layers: 2 },
    view: {}, error: {}, answer: {}, tab: {}, chart: {}, result: { metric: "AUC" },
    form: { questions: [["links|karate", "links of karate"], ["roles|karate", "roles of karate"]], models, devices: [["cpu", "CPU"], ["auto", "best"]], workers: [1, 2], settings: [["layers", "Layers", [[1, "1"], [2, "2"]]]] },
    headline: { title: "Which is better?", sure: "", judged: [], earlier: 0 },
    go: waitingToGo,
    ...more,
  };
}
const withResult = (more = {}) => state({ result: { rows, metric: "AUC" }, go: { ...waitingToGo, meaning: "done", label: "Done" }, headline: { title: "DE wins", sure: "Two seeds.", judged: ["By AUC.", "On 60 sets."], earlier: 1 }, ...more });
async function board(traits) {
  const model = liveModel(traits), panel = await open(t.renderBoard, model);
  return { ...panel, model, find: (selector) => panel.root.querySelector(selector), text: (selector) => panel.root.querySelector(selector).textContent };
}
const menuOf = (root, label) => all(root, "select").find((one) => one.getAttribute("aria-label") === label);
const choose = (menu, value) => { menu.value = JSON.stringify(value); menu.fire("change"); };

test("before a race: what can be chosen, which models there are, and one button that starts it", async () => {
  const panel = await board(state());
  assert.deepEqual(menuOf(panel.root, "Question").children.map((one) => one.textContent), ["links of karate", "roles of karate"]);
  assert.deepEqual(menuOf(panel.root, "Seeds").children.map((one) => one.textContent), ["1 seed", "2 seeds", "3 seeds", "5 seeds", "10 seeds", "20 seeds"]);
  assert.equal(menuOf(panel.root, "Seeds").value, "2");
  assert.equal(panel.text(".de-models-button"), "2 models");
  assert.equal(panel.text(".de-headline"), "Which is better?");
  assert.deepEqual(all(panel.root, ".de-racers dt").map((one) => [one.textContent, one.style.color]), [["GCN", RED], ["DE-GNN-SPD", BLUE]]);
  assert.ok(shown(panel.find(".de-none")) && !shown(panel.find(".de-chart")) && !shown(panel.find(".de-tab-bar")));
  for (const label of ["How is this judged?", "0 earlier runs"]) assert.equal(shown(button(panel.root, label)), false, label);
  assert.deepEqual(all(panel.root, ".de-head b").map((one) => one.textContent), ["While training", "Models"]);
  const go = panel.find(".de-go");
  assert.deepEqual([go.textContent, go.title, go.disabled, go.dataset.meaning], ["Race", "Train them", false, "race"]);
  go.click();
  const [asked] = panel.model.sent.filter(({ kind }) => kind === "do"); // it carries what was chosen, for a click may overtake it
  assert.deepEqual([asked.name, asked.meaning, asked.values.question, asked.values.models], ["go", "race", "links|karate", ["GCN", "DE-GNN-SPD"]]);
  choose(menuOf(panel.root, "Question"), "roles|karate");
  choose(menuOf(panel.root, "Seeds"), 10);
  assert.deepEqual(panel.model.saved.map(({ values }) => [values.question, values.seeds]), [["roles|karate", 2], ["roles|karate", 10]]);
  panel.close();
});

test("while it waits for the kernel nothing can be started", async () => {
  const panel = await board(state({ go: { ...waitingToGo, meaning: "wait" } }));
  assert.ok(panel.root.classList.contains("de-waiting") && panel.find(".de-go").disabled);
  assert.equal(panel.model.sent.length, 0); // nor is plotly asked for
  await panel.model.put({ go: waitingToGo });
  assert.ok(!panel.root.classList.contains("de-waiting") && !panel.find(".de-go").disabled);
  panel.close();
  const empty = await board(state({ form: {} }));
  assert.equal(empty.text(".de-headline"), "");
  empty.close();
});

test("the drawers: models by group, settings, how it is judged; one at a time", async () => {
  const panel = await board(state({ headline: { title: "x", sure: "", judged: ["By AUC.", "On 60 sets."], earlier: 0 } })), drawer = panel.find(".de-drawer");
  assert.equal(shown(drawer), false);
  panel.find(".de-models-button").click();
  assert.ok(shown(drawer) && panel.find(".de-models-button").getAttribute("aria-expanded") === "true");
  assert.deepEqual(all(drawer, "h3").map((one) => one.textContent), ["Plain GNNs and other networks", "Distance encoding", "Formulas, nothing to train"]);
  const boxes = () => all(drawer, "input");
  assert.deepEqual(boxes().map((one) => [one.checked, one.disabled, one.style.accentColor]), [[true, false, RED], [false, true, RED], [true, false, BLUE], [false, false, RED]]);
  boxes()[3].checked = true;
  boxes()[3].fire("change");
  assert.deepEqual(panel.model.saved.at(-1).values.models, ["GCN", "DE-GNN-SPD", "Adamic-Adar"]);
  boxes()[0].checked = false;
  boxes()[0].fire("change");
  assert.deepEqual(panel.model.saved.at(-1).values.models, ["DE-GNN-SPD", "Adamic-Adar"]);
  await run();
  assert.equal(panel.text(".de-models-button"), "2 models");
  button(panel.root, "Settings").click();
  assert.deepEqual(all(drawer, ".de-label").map((one) => one.textContent), ["Epochs", "Device", "Runs at a time", "Layers"]);
  assert.equal(panel.find(".de-models-button").getAttribute("aria-expanded"), "false");
  const epochs = drawer.querySelector("input");
  assert.equal(epochs.value, 30);
  for (const [given, kept] of [["12.4", 12], ["0", 1], ["99999", 10000]]) { epochs.value = given; epochs.fire("change"); assert.equal(panel.model.saved.at(-1).values.epochs, kept); }
  choose(menuOf(drawer, "Device"), "auto");
  choose(menuOf(drawer, "Runs at a time"), 1);
  choose(menuOf(drawer, "Layers"), 1);
  const { device, workers, layers } = panel.model.get("values");
  assert.deepEqual([device, workers, layers], ["auto", 1, 1]);
  button(panel.root, "How is this judged?").click();
  assert.deepEqual(all(drawer, "p").map((one) => one.textContent), ["By AUC.", "On 60 sets."]);
  button(panel.root, "How is this judged?").click();
  assert.equal(shown(drawer), false);
  button(panel.root, "Settings").click();
  panel.root.fire("keydown", { key: "Escape" });
  assert.equal(shown(drawer), false);
  button(panel.root, "Settings").click();
  await panel.model.put({ go: { ...waitingToGo, running: true, meaning: "cancel" } });
  assert.ok(all(drawer, "select").every((one) => one.disabled) && drawer.querySelector("input").disabled);
  panel.close();
});

test("a race: bars as far as they are, errors as they come, choices locked, where it runs", async () => {
  const progress = [{ model: "GCN", color: RED, percent: 40, note: "seed 1", error: "", details: "" }, { model: "DE-GNN-SPD", color: BLUE, percent: 0, note: "", error: "out of memory", details: "Traceback" }];
  const panel = await board(state({ go: { running: true, meaning: "cancel", label: "Cancel", about: "", progress, where: "on 2 cores" } }));
  const bars = all(panel.root, "[role=progressbar]");
  assert.deepEqual(bars.map((bar) => [bar.getAttribute("aria-label"), bar.getAttribute("aria-valuenow"), bar.children[0].style.width, bar.children[0].style.background]), [["GCN", "40", "40%", RED], ["DE-GNN-SPD", "0", "0%", BLUE]]);
  assert.deepEqual(all(panel.root, ".de-run-errors div").map((one) => one.textContent), ["DE-GNN-SPD: out of memorydetails, for a bug reportTraceback"]);
  assert.ok([menuOf(panel.root, "Question"), menuOf(panel.root, "Seeds"), panel.find(".de-models-button")].every((one) => one.disabled));
  assert.equal(all(panel.root, ".de-head b")[1].textContent, "Progress");
  assert.ok(all(panel.root, ".de-note").some((one) => one.textContent === "on 2 cores"));
  assert.equal(all(panel.root, ".de-racers dt").length, 0);
  await panel.model.put({ result: { rows, metric: "AUC" } });
  assert.equal(all(panel.root, "[role=progressbar]").length, 2); // it still runs
  assert.equal(shown(panel.find(".de-tab-bar")), false);
  await panel.model.put({ go: { ...waitingToGo, progress } });
  assert.equal(all(panel.root, "[role=progressbar]").length, 0);
  assert.equal(shown(panel.find(".de-tab-bar")), true);
  panel.close();
});

test("a result: dots of every seed, interval, the paper's diamond, the mean in numbers and in words", async () => {
  const panel = await board(withResult());
  await run(1000);
  const dots = panel.find(".de-dots"), means = all(dots, ".de-mean");
  assert.deepEqual(means.map((one) => [one.dataset.model, one.textContent]), [["DE-GNN-SPD", "90.4"], ["GCN", "76.1"]]);
  const circles = all(dots, "circle"), lines = all(dots, "line").filter((one) => one.getAttribute("stroke-width") === "2.5");
  assert.equal(circles.length, 5 + 2);
  assert.equal(lines.length, 1); // one seed has no interval
  const x = (one) => Number(one.getAttribute("cx")), [low, , high, best] = circles.map(x);
  assert.ok(low < best && best < high && Number(lines[0].getAttribute("x1")) < best && Number(lines[0].getAttribute("x2")) > best);
  assert.deepEqual(circles.map((one) => one.getAttribute("fill")), [BLUE, BLUE, BLUE, BLUE, RED, RED, RED]);
  assert.equal(all(dots, "title")[0].textContent, "DE-GNN-SPD in the paper: 89.4");
  assert.match(dots.getAttribute("aria-label"), /^DE-GNN-SPD: AUC 90\.4 percent, plus or minus 1\.5, in the paper 89\.4\. GCN: AUC 76\.1 percent\.$/);
  const ticks = all(dots, "text").filter((one) => /^\d+$/.test(one.textContent));
  for (const tick of ticks) { // a tick stands where its value is: by the two means
    const [a, b] = [circles[3], circles[6]].map(x), wanted = b + (Number(tick.textContent) - 76.1) / (90.44 - 76.1) * (a - b);
    assert.ok(Math.abs(Number(tick.getAttribute("x")) - wanted) < 0.01);
  }
  assert.ok(ticks.length >= 2);
  assert.deepEqual(all(panel.root, ".de-head").map((one) => one.textContent), ["While training test AUC so far, %", "Result dots: seeds · line: 95% interval · ◇ paper"]);
  assert.equal(button(panel.root, "1 earlier run: show") !== undefined, true);
  button(panel.root, "1 earlier run").click();
  assert.deepEqual(panel.model.sent.at(-1), { kind: "do", name: "earlier" });
  await panel.model.put({ result: { rows: rows.map((row) => ({ ...row, paper: null })), metric: "AUC" } });
  assert.equal(all(panel.root, ".de-head")[1].textContent, "Result dots: seeds · line: 95% interval");
  panel.close();
});

test("tabs: their names by the question, tables, links of a row, and files", async () => {
  const table = { kind: "mistakes", columns: ["set", "score"], rows: [{ cells: ["<b>0</b>, 9", "0.91"], nodes: [0, 9], seed: 1 }], note: "Of 60." };
  const panel = await board(withResult({ tab: table })), listed = panel.find(".de-listed");
  const tabs = () => all(panel.find(".de-tab-bar"), "[role=radio]");
  assert.deepEqual(tabs().map((one) => one.textContent), ["Mistakes", "By distance", "Ask about a pair", "Missing links"]);
  assert.equal(tabs()[0].getAttribute("aria-checked"), "true");
  assert.deepEqual(all(listed, "td").map((one) => one.textContent), ["<b>0</b>, 9", "0.91", "Why? · Open"]);
  assert.deepEqual(all(listed, "th").map((one) => one.textContent), ["set", "score", ""]);
  assert.equal(listed.querySelector(".de-note").textContent, "Of 60.");
  button(listed, "Why?").click();
  assert.deepEqual(panel.model.sent.at(-1), { kind: "do", name: "open", nodes: [0, 9], seed: 1, why: true });
  assert.equal(panel.model.get("view").tab, "ask");
  tabs()[1].click();
  assert.deepEqual(panel.model.sent.at(-1), { kind: "do", name: "tab", tab: "distance" });
  await panel.model.put({ tab: { kind: "distance", columns: ["distance", "accuracy"], rows: [{ cells: ["1", "97 %"] }] } });
  assert.deepEqual(all(listed, "td").map((one) => one.textContent), ["1", "97 %"]); // no set, so no links
  tabs()[3].click();
  await panel.model.put({ tab: { kind: "missing", busy: "Scoring …" } });
  assert.equal(listed.textContent, "Scoring …Stop");
  button(listed, "Stop").click();
  assert.deepEqual(panel.model.sent.at(-1), { kind: "do", name: "tab", tab: "missing" });
  await panel.model.put({ tab: { kind: "missing", near: "Zachary", columns: ["pair"], rows: [{ cells: ["0, 9"], nodes: [0, 9] }] } });
  assert.match(listed.textContent, /^Near Zachary\./);
  button(listed, "Open").click();
  assert.deepEqual(panel.model.sent.at(-1), { kind: "do", name: "open", nodes: [0, 9], why: false });
  for (const [label, what] of [["Report", "report"], ["CSV", "csv"], ["LaTeX", "latex"], ["Copy code", "code"]]) {
    button(panel.root, label).click();
    assert.deepEqual(panel.model.sent.at(-1), { kind: "do", name: "download", what });
  }
  assert.ok(button(panel.root, "Copied"));
  await run(2000);
  assert.ok(button(panel.root, "Copy code"));
  await panel.model.put({ values: { ...panel.model.get("values"), question: "roles|karate" } });
  assert.deepEqual(tabs().map((one) => one.textContent), ["Mistakes", "By class", "Ask about a node"]);
  panel.close();
});

test("Ask: the scores of a set, the truth, why, and the Explorer inside", async () => {
  const answer = { text: "0 and 9", nodes: [0, 9], scores: [{ model: "GCN", color: RED, score: "12 %" }], truth: "They are linked." };
  const panel = await board(withResult({ view: { tab: "ask" }, answer })), box = panel.find(".de-answer");
  assert.ok(panel.root.classList.contains("de-is-ask") && shown(panel.find(".de-ask")) && !shown(panel.find(".de-listed")));
  assert.equal(box.textContent, "0 and 9GCN12 %They are linked.Why?");
  assert.equal(box.querySelector(".de-swatch").style.background, RED);
  button(box, "Why?").click();
  assert.deepEqual(panel.model.sent.at(-1), { kind: "do", name: "why" });
  assert.equal(shown(panel.find(".de-why")), false);
  const why = { models: ["GCN", "DE-GNN-SPD"], model: "GCN", title: "GCN says 12 %", columns: ["edge", "moves"], rows: [{ cells: ["0, 1", "+3"] }], note: "Others change nothing.", marks: [[0, 1, 1]] };
  await panel.model.put({ answer: { ...answer, why } });
  assert.ok(shown(panel.find(".de-why")) && button(box, "Why?") === undefined);
  assert.deepEqual(all(panel.find(".de-why"), ".de-item").map((one) => one.textContent), ["speaks for it", "against it", "changes nothing"]);
  choose(menuOf(panel.find(".de-why"), "Model"), "DE-GNN-SPD");
  assert.deepEqual(panel.model.sent.at(-1), { kind: "do", name: "why", model: "DE-GNN-SPD" });
  button(panel.find(".de-why"), "Close").click();
  assert.deepEqual(panel.model.sent.at(-1), { kind: "do", name: "why", close: true });

  const inner = panel.find(".de-explorer"), stage = inner.querySelector(".de-stage"), canvas = stage.querySelector("canvas");
  await run(1000);
  const edges = canvas.pen.calls.find(({ name }) => name === "drawImage").given[0].pen.calls.filter(({ name, strokeStyle }) => name === "stroke" && strokeStyle === t.PALETTE.light.good);
  const ends = edges.flatMap(({ given }) => given[0].parts.map(([, x, y]) => [x, y]));
  assert.deepEqual(ends.map((end) => end.map(Math.round)), [0, 1].map((i) => stage.whereIs(i).map(Math.round))); // the edge that speaks for it
  const [clientX, clientY] = stage.whereIs(5);
  canvas.fire("pointerdown", { clientX, clientY, button: 0 });
  canvas.fire("pointerup", { clientX, clientY });
  assert.ok(panel.model.saved.at(-1).inner_targets[0].includes(5));
  button(inner, "More").click();
  await run(100);
  assert.deepEqual(panel.model.saved.at(-1), { inner_view: { ...panel.model.get("inner_view"), open: "settings" } });
  all(inner, ".de-tabs button").at(-2).click();
  await run(100);
  if (button(inner, "Copy Python")) { button(inner, "Copy Python").click(); assert.deepEqual(panel.model.sent.at(-1), { kind: "inner", content: { kind: "do", name: "export", what: "code" } }); }
  panel.model.tell({ kind: "inner", content: { kind: "copy", text: "of the inner one" } });
  assert.equal(copied.at(-1), "of the inner one");
  panel.close();
  assert.equal([...panel.model.listeners.values()].flat().length, 0);
});

test("errors can be read and closed; code is copied; keys stay inside", async () => {
  const panel = await board(state()), box = panel.find(".de-error");
  assert.equal(shown(box), false);
  await panel.model.put({ error: { text: "<i>bad</i>", details: "line 3" } });
  assert.ok(shown(box) && box.querySelector("span").textContent === "<i>bad</i>" && box.querySelector("pre").textContent === "line 3");
  button(box, "Close this message").click();
  assert.equal(shown(box), false);
  panel.model.tell({ kind: "copy", text: "code" });
  assert.equal(copied.at(-1), "code");
  const field = panel.find(".de-go");
  assert.equal(field.fire("keydown", { key: "a" }).stopped, true);
  field.focus();
  assert.equal(field.getAttribute("data-lm-suppress-shortcuts"), "true");
  assert.equal(field.fire("keydown", { key: "s", ctrlKey: true }).stopped, false);
  assert.equal(field.getAttribute("data-lm-suppress-shortcuts"), null);
  panel.close();
  await run(30000);
  assert.equal(clock.jobs.length, 0);
});

test("curves are drawn in the colors of the page; plotly is asked for again until it comes, and never by a closed board", async () => {
  const chart = { data: [{ x: [1], y: [70], line: { color: BLUE } }], layout: { xaxis: { title: { text: "epoch" } }, yaxis: {} } };
  const page = (globalThis[Symbol.for("degnn plotly")] = { asked: -1e9, patience: 4000, made: null });
  const panel = await board(state({ chart })), asked = () => panel.model.sent.filter(({ kind }) => kind === "plotly?").length;
  assert.equal(shown(panel.find(".de-none")), false);
  assert.equal(asked(), 1);
  await run(6500);
  assert.equal(asked(), 1);
  await run(1500);
  assert.equal(asked(), 2);
  const drawings = [];
  page.made = { react: async (el, data, layout) => drawings.push([el, data, layout]) };
  await run(500);
  await panel.model.put({ chart: { ...chart } });
  await run(500);
  assert.ok(drawings.length >= 1 && drawings[0][0] === panel.find(".de-chart"));
  assert.deepEqual(drawings[0][1], chart.data);
  assert.equal(Number(panel.root.dataset.drawn), drawings.length);
  panel.close();
  page.made = null;
  const before = drawings.length;
  await panel.model.put({ chart: { ...chart } });
  await run(9000);
  assert.deepEqual([asked(), drawings.length], [2, before]);
  const dark = t.themedFigure(chart, t.PALETTE.dark, "dark", 300, 200), light = t.themedFigure(chart, t.PALETTE.light, "light", 300, 200);
  assert.deepEqual([light.data[0].line.color, dark.data[0].line.color], [BLUE, t.modelColor(BLUE, "dark")]);
  assert.deepEqual([dark.layout.width, dark.layout.height, dark.layout.font.color, dark.layout.xaxis.title.text], [300, 200, t.PALETTE.dark.text, "epoch"]);
  assert.equal(dark.layout.yaxis.gridcolor, t.PALETTE.dark.line);
});
