// An Explorer opened on a page without a browser (page.mjs), from what Python recorded: what a reader does, and sees.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { gunzipSync } from "node:zlib";
import { load } from "./load.mjs";
import { all, button, clock, copied, liveModel, open, run, shown } from "./page.mjs";

const t = await load(...JSON.parse(process.env.MODULES), "recorded");
const records = JSON.parse(readFileSync(process.env.RECORDS, "utf8"));
const dataOf = (name) => JSON.parse(gunzipSync(Buffer.from(records[name], "base64")));
const text = (panel, selector) => panel.root.querySelector(selector).textContent;
const words = (panel, selector) => all(panel.root, selector).map((one) => one.textContent);

async function explorer(name, changes = {}) {
  const data = dataOf(name);
  delete data.tour;
  Object.assign(data.traits, changes);
  const model = t.recordedModel(data), panel = await open(t.renderExplorer, model);
  const stage = panel.root.querySelector(".de-stage"), canvas = stage.querySelector("canvas");
  const at = (i) => { const [clientX, clientY] = stage.whereIs(i); return { clientX, clientY, button: 0, pointerId: 1 }; };
  return {
    ...panel, model, stage, canvas, at,
    set: async (values) => { model.set("values", { ...model.get("values"), ...values }); model.save_changes(); await run(1000); },
    click: async (i, more = {}) => { canvas.fire("pointerdown", { ...at(i), ...more }); canvas.fire("pointerup", { ...at(i), ...more }); await run(1000); },
    press: async (key, target = canvas, more = {}) => { const event = target.fire("keydown", { key, ...more }); await run(1000); return event; },
    svg: panel.root.querySelector(".de-tree-stage svg"),
    tree: panel.root.querySelector(".de-tree"),
  };
}
// What the canvas shows: filled discs with their colors, rings, words.
function drawn({ canvas }) {
  const { calls } = canvas.pen, arcs = (call) => (call.given[0]?.parts ?? []).filter(([name]) => name === "arc");
  const discs = calls.filter(({ name }) => name === "fill").flatMap((call) => arcs(call).map(([, x, y, r]) => ({ x, y, r, color: call.fillStyle, alpha: call.globalAlpha })));
  const after = (name, then) => calls.flatMap((call, k) => (call.name === name && calls.slice(k).find((one) => ["fill", "stroke"].includes(one.name))?.name === then ? [call] : []));
  return {
    discs,
    rings: after("arc", "stroke").map(({ given: [x, y, r], strokeStyle }) => ({ x, y, r, color: strokeStyle })),
    squares: after("roundRect", "stroke").map(({ given: [x, y, w, h], strokeStyle }) => ({ x, y, w, h, color: strokeStyle })),
    glows: after("arc", "fill").map(({ given: [x, y, r], globalAlpha }) => ({ x, y, r, alpha: globalAlpha })),
    texts: calls.filter(({ name }) => name === "fillText").map(({ given: [word, x, y], fillStyle }) => ({ word, x, y, color: fillStyle })),
    clips: calls.filter(({ name }) => name === "rect").map(({ given }) => given),
  };
}
const near = (a, b, off = 1e-3) => Math.abs(a - b) < off;
const lines = (panel) => { // of the layer of edges
  const image = panel.canvas.pen.calls.find(({ name }) => name === "drawImage").given[0];
  return image.pen.calls.filter(({ name }) => name === "stroke").map((call) => ({ ...call, ends: (call.given[0]?.parts ?? []).map(([, x, y]) => [x, y]) }));
};

test("every node is a disc of its legend's color where it can be clicked, and targets have a ring", async () => {
  const panel = await explorer("hexagon"), look = t.PALETTE.light;
  await panel.set({ layer: 0 });
  const { discs, rings, squares, clips } = drawn(panel);
  const once = discs.slice(0, 12);
  assert.equal(discs.length, 24); // each of two panels clips what lies in the other
  const spots = Array.from({ length: 12 }, (_, i) => panel.stage.whereIs(i));
  for (const [x, y] of spots) assert.equal(once.filter((disc) => near(disc.x, x) && near(disc.y, y)).length, 1);
  const swatches = all(panel.root, ".de-legend .de-swatch").map((one) => one.style.background);
  assert.deepEqual(new Set(once.map((disc) => disc.color)), new Set(swatches));
  assert.ok(once.every((disc) => disc.alpha === 1 && disc.r === once[0].r));
  const [x, y] = spots[0], [u, v] = spots[6];
  assert.ok(rings.some((ring) => near(ring.x, x) && near(ring.y, y) && ring.r === once[0].r + 4 && ring.color === look.a));
  assert.ok(squares.some((box) => near(box.x + box.w / 2, u) && near(box.y + box.h / 2, v) && box.w === box.h && near(box.w, 2 * once[0].r + 8) && box.color === look.b));
  assert.deepEqual(clips.map(([left, top]) => [left, top]).slice(0, 2), panel.root.querySelectorAll(".de-captions div").map((line) => [parseFloat(line.style.left), parseFloat(line.style.top)]));
  panel.close();
});

test("edges join the discs of their ends", async () => {
  const panel = await explorer("hexagon"), strokes = lines(panel), ends = strokes.flatMap((call) => call.ends);
  const spots = Array.from({ length: 12 }, (_, i) => panel.stage.whereIs(i)), nodeAt = ([x, y]) => spots.findIndex(([u, v]) => near(u, x) && near(v, y));
  const pairs = new Set(ends.map((_, k) => k).filter((k) => k % 2 === 0).map((k) => [nodeAt(ends[k]), nodeAt(ends[k + 1])].sort((a, b) => a - b).join()));
  assert.deepEqual([...pairs].sort(), ["0,1", "0,2", "1,2", "10,11", "3,4", "3,5", "4,5", "6,11", "6,7", "7,8", "8,9", "9,10"]);
  assert.ok(strokes.filter((call) => call.ends.length).every((call) => call.strokeStyle === t.PALETTE.light.edge && call.lineWidth === 1.8 && call.globalAlpha === 1));
  panel.close();
});

test("names stand beside their nodes, each once, targets in the color of text", async () => {
  const panel = await explorer("hexagon"), { names } = panel.model.get("graphs"), look = t.PALETTE.light;
  const { texts, discs } = drawn(panel), labels = texts.filter(({ word }) => names.includes(word)), r = discs[0].r;
  const inA = labels.slice(0, labels.length / 2);
  assert.equal(inA.length, 12);
  for (const { word, x, y, color } of inA) {
    const i = [...names.keys()].find((k) => names[k] === word && Math.hypot(panel.stage.whereIs(k)[0] - (x + 3 * word.length), panel.stage.whereIs(k)[1] - y) < 3 * r + 20);
    assert.notEqual(i, undefined, word);
    assert.equal(color, [0, 6].includes(i) ? look.text : look.faint);
  }
  const marks = texts.filter(({ word }) => /^[0-9∞]$/.test(word)).slice(0, 12);
  for (const { x, y } of marks) assert.ok(discs.some((disc) => near(disc.x, x) && near(disc.y + 0.5, y)));
  panel.close();
});

test("headline, pills, legend, captions and levels of two triangles and a hexagon", async () => {
  const panel = await explorer("hexagon");
  await panel.set({ layer: 2 });
  assert.match(text(panel, ".de-headline"), /^A plain GNN cannot tell .* With distances it can, after 2 layers\.$/);
  const pills = Object.fromEntries(all(panel.root, ".de-pill").map((pill) => [pill.dataset.method, [pill.textContent.split(" ").slice(-1)[0], pill.className]]));
  assert.deepEqual(pills["1-WL"], ["✕", "de-pill de-no"]);
  assert.deepEqual(pills["DE-SPD"], ["2", "de-pill de-yes"]);
  assert.equal(panel.root.querySelector("[data-method=DE-SPD]").getAttribute("aria-pressed"), "true");
  assert.deepEqual(words(panel, ".de-captions b"), ["A", "B"]);
  assert.match(words(panel, ".de-captions div")[0], /^A = \{.+\}Two triangles/i);
  assert.equal(panel.tree.dataset.levels, "[2,2,3]");
  assert.match(text(panel, ".de-now"), /^Different after 2 layers: 0[a-z] ← \{1[a-z] ×2\} ≠ 0[a-z] ← \{1[a-z] ×2\}$/);
  const counts = words(panel, ".de-count").map((word) => word.split(" | ").map(Number));
  assert.deepEqual(counts.reduce((sum, [a, b]) => [sum[0] + a, sum[1] + b], [0, 0]), [6, 6]);
  assert.deepEqual(words(panel, ".de-layers button").slice(0, 4), ["0", "1", "2", "3"]);
  assert.equal(panel.root.querySelector(".de-layers [aria-checked=true]").textContent, "2");
  panel.close();
});

test("a click takes a target out and puts one in, in its own graph", async () => {
  const panel = await explorer("hexagon", {});
  await panel.set({ size: 0 });
  await panel.click(8);
  assert.deepEqual(panel.model.get("targets"), [[0], [0, 2]]);
  assert.match(text(panel, ".de-headline"), /^A has 1 target, B has 2/);
  await panel.click(6);
  assert.deepEqual(panel.model.get("targets"), [[0], [2]]);
  await panel.click(0);
  assert.deepEqual(panel.model.get("targets"), [[], [2]]);
  assert.match(text(panel, ".de-headline"), /^Pick a target in A/);
  await panel.click(3, { button: 2 }); // the other button does nothing
  assert.deepEqual(panel.model.get("targets"), [[], [2]]);
  await panel.set({ size: 1 });
  await panel.click(4);
  await panel.click(5);
  assert.deepEqual(panel.model.get("targets"), [[5], [2]]);
  panel.close();
});

test("what is not recorded is refused with the page's note, and a click later the note goes", async () => {
  const panel = await explorer("hexagon");
  await panel.set({ size: 0 });
  for (const i of [1, 2]) await panel.click(i);
  assert.deepEqual(panel.model.get("targets"), [[0, 1], [0]]); // three nodes are not recorded
  assert.ok(shown(panel.root.querySelector(".de-error")));
  assert.match(text(panel, ".de-error"), /Recorded/);
  await panel.click(1);
  assert.equal(shown(panel.root.querySelector(".de-error")), false);
  panel.close();
});

test("arrows walk along edges, Enter picks, Escape clears, a and b change the graph", async () => {
  const panel = await explorer("hexagon"), { canvas, stage } = panel, said = () => text(panel, ".de-said");
  canvas.focus();
  await panel.press("ArrowRight"); // the first one stands on a target
  assert.equal(stage.dataset.cursor, "0");
  assert.match(said(), /in A, target.*, target$/);
  await panel.press("b");
  assert.equal(stage.dataset.cursor, "6");
  const moved = await panel.press("ArrowDown"), [x, y] = stage.whereIs(6), to = Number(stage.dataset.cursor), [u, v] = stage.whereIs(to);
  assert.ok(moved.defaultPrevented && moved.stopped && [7, 11].includes(to) && v > y && Math.abs(u - x) < 2 * (v - y));
  const { rings } = drawn(panel), r = drawn(panel).discs[0].r;
  assert.ok(rings.some((ring) => near(ring.x, u) && near(ring.y, v) && near(ring.r, r + 9)));
  await panel.press("Enter");
  assert.deepEqual(panel.model.get("targets")[1], [to - 6]);
  assert.match(said(), /, target$/);
  await panel.press("a");
  assert.equal(stage.dataset.cursor, "0");
  await panel.press("Escape");
  assert.deepEqual(panel.model.get("targets"), [[], []]);
  const typed = await panel.press("z");
  assert.ok(typed.stopped && !typed.defaultPrevented); // it reaches no shortcut of the notebook
  panel.close();
});

test("letters typed in the panel do nothing to the notebook, but its own shortcuts with Ctrl work", async () => {
  const panel = await explorer("hexagon");
  panel.canvas.focus();
  assert.equal(panel.canvas.getAttribute("data-lm-suppress-shortcuts"), "true");
  const saving = await panel.press("s", panel.canvas, { ctrlKey: true });
  assert.equal(saving.stopped, false);
  assert.equal(panel.canvas.getAttribute("data-lm-suppress-shortcuts"), null);
  panel.canvas.fire("keyup", { key: "s" });
  assert.equal(panel.canvas.getAttribute("data-lm-suppress-shortcuts"), "true");
  assert.equal((await panel.press("Enter", panel.canvas, { ctrlKey: true })).stopped, true);
  panel.close();
});

test("comma and period step through layers, within their bounds", async () => {
  const panel = await explorer("hexagon"), layer = () => panel.model.get("values").layer, most = panel.model.get("seen").layers;
  await panel.set({ layer: 0 });
  await panel.press(",");
  assert.equal(layer(), 0);
  await panel.press(".");
  assert.equal(layer(), 1);
  await panel.set({ layer: most });
  await panel.press(".");
  assert.equal(layer(), most);
  await panel.press(",");
  assert.equal(layer(), most - 1);
  const box = panel.root.querySelector(".de-find") ?? panel.root.querySelector("select");
  await panel.press(".", box); // typed into a field, it is text
  assert.equal(layer(), most - 1);
  panel.close();
});

test("wheel and keys zoom, panning moves every disc alike, and Fit brings all back", async () => {
  const panel = await explorer("hexagon"), { canvas } = panel, place = () => Array.from({ length: 12 }, (_, i) => panel.stage.whereIs(i)), home = place();
  assert.equal(canvas.fire("wheel", { ...panel.at(0), deltaY: -100, deltaMode: 0 }).defaultPrevented, false); // the page scrolls
  assert.deepEqual(place(), home);
  canvas.fire("wheel", { ...panel.at(0), deltaY: -100, deltaMode: 0, ctrlKey: true });
  await run(1000);
  assert.ok(near(place()[0][0], home[0][0]) && near(place()[0][1], home[0][1])); // what is under the pointer stays
  const scale = (now) => Math.hypot(now[1][0] - now[0][0], now[1][1] - now[0][1]);
  assert.ok(near(scale(place()) / scale(home), Math.exp(0.18), 1e-4));
  await panel.press("0");
  assert.deepEqual(place(), home);
  await panel.press("+");
  assert.ok(near(scale(place()) / scale(home), 1.4, 1e-4));
  for (const k of [0, 6]) place().slice(k, k + 6).forEach(([x, y], i) => { // each panel about its own middle
    const [u, v] = home[k], [a, b] = place()[k];
    assert.ok(near(x - a, 1.4 * (home[k + i][0] - u), 0.01) && near(y - b, 1.4 * (home[k + i][1] - v), 0.01));
  });
  const middle = (now, from, axis) => (Math.min(...now.slice(from, from + 6).map((at) => at[axis])) + Math.max(...now.slice(from, from + 6).map((at) => at[axis]))) / 2;
  assert.ok(near(middle(place(), 6, 0), middle(home, 6, 0), 0.01) && near(middle(place(), 6, 1), middle(home, 6, 1), 0.01));
  await panel.press("-");
  const back = place();
  back.forEach(([x, y], i) => assert.ok(near(x, home[i][0], 0.01) && near(y, home[i][1], 0.01)));
  canvas.fire("pointerdown", { clientX: 3, clientY: 290, button: 0, pointerId: 1 });
  canvas.fire("pointermove", { clientX: 5, clientY: 290 }); // a shaking hand does not pan
  assert.ok(near(place()[0][0], home[0][0], 0.01));
  canvas.fire("pointermove", { clientX: 23, clientY: 280 });
  canvas.fire("pointerup", { clientX: 23, clientY: 280 });
  await run(1000);
  place().forEach(([x, y], i) => assert.ok(near(x, home[i][0] + 20, 0.01) && near(y, home[i][1] - 10, 0.01)));
  assert.deepEqual(panel.model.get("targets"), [[0], [0]]);
  panel.close();
});

test("a node can be dragged, the others stay; Fit puts it back", async () => {
  const panel = await explorer("hexagon"), { canvas, stage } = panel, home = stage.whereIs(8), other = stage.whereIs(7);
  canvas.fire("pointerdown", panel.at(8));
  canvas.fire("pointermove", { clientX: home[0] + 12, clientY: home[1] - 9 });
  canvas.fire("pointerup", { clientX: home[0] + 12, clientY: home[1] - 9, type: "pointerup" });
  await run(1000);
  assert.ok(near(stage.whereIs(8)[0], home[0] + 12, 0.01) && near(stage.whereIs(8)[1], home[1] - 9, 0.01));
  assert.deepEqual(stage.whereIs(7), other);
  assert.deepEqual(panel.model.get("targets"), [[0], [0]]); // a drag is no click
  await panel.press("0");
  await run(1000);
  assert.ok(near(stage.whereIs(8)[0], home[0], 0.01) && near(stage.whereIs(8)[1], home[1], 0.01));
  panel.close();
});

test("the first node can be dragged as well", async () => {
  const panel = await explorer("hexagon"), [x, y] = panel.stage.whereIs(0);
  panel.canvas.fire("pointerdown", panel.at(0));
  panel.canvas.fire("pointermove", { clientX: x + 10, clientY: y + 10 });
  panel.canvas.fire("pointerup", { clientX: x + 10, clientY: y + 10 });
  await run(1000);
  assert.ok(near(panel.stage.whereIs(0)[0], x + 10, 0.01) && near(panel.stage.whereIs(0)[1], y + 10, 0.01));
  panel.close();
});

test("a lasso adds what lies inside it, and makes room where p was fixed", async () => {
  const panel = await explorer("hexagon"), { canvas, stage } = panel, [x, y] = stage.whereIs(8), r = 8;
  await panel.set({ size: 1 });
  canvas.fire("pointerdown", { clientX: x - r, clientY: y - r, button: 0, shiftKey: true });
  for (const [dx, dy] of [[r, -r], [r, r], [-r, r]]) canvas.fire("pointermove", { clientX: x + dx, clientY: y + dy });
  canvas.fire("pointerup", { clientX: x - r, clientY: y + r });
  await run(1000);
  assert.deepEqual(panel.model.get("targets"), [[0], [0, 2]]);
  assert.equal(panel.model.get("values").size, 0);
  panel.close();
});

test("hovering a node tells what it is, lights its discs, and ends when the pointer leaves", async () => {
  const panel = await explorer("hexagon"), { canvas } = panel, tip = panel.root.querySelector(".de-left .de-tip");
  await panel.set({ layer: 2 });
  canvas.fire("pointermove", panel.at(7));
  await run(100);
  assert.equal(canvas.style.cursor, "pointer");
  assert.ok(shown(tip));
  assert.match(tip.textContent, /2 neighbors; distance 1, class [a-z]: 2 nodes/);
  const lit = all(panel.svg, ".de-disc").filter((disc) => disc.querySelector(".de-glow"));
  assert.ok(lit.length > 0 && lit.length < all(panel.svg, ".de-disc").length);
  const { calls } = canvas.pen, [x, y] = panel.stage.whereIs(7);
  assert.ok(calls.some(({ name, given, globalAlpha }) => name === "stroke" && globalAlpha === 0.55 && given[0]?.parts.length === 4 && near(given[0].parts[0][1], x) && near(given[0].parts[0][2], y)));
  await panel.click(7);
  assert.match(tip.textContent, /2 neighbors; target/); // what it is now
  canvas.fire("pointerleave");
  await run(100);
  assert.equal(shown(tip), false);
  assert.equal(all(panel.svg, ".de-glow").length, 0);
  canvas.fire("pointermove", { clientX: 2, clientY: 295 });
  assert.equal(canvas.style.cursor, "grab");
  panel.close();
});

test("pointing at a legend's entry leaves only its nodes", async () => {
  const panel = await explorer("hexagon");
  await panel.set({ layer: 0 });
  const item = all(panel.root, ".de-legend .de-item")[0], color = item.querySelector(".de-swatch").style.background;
  item.fire("pointerenter");
  await run(100);
  for (const disc of drawn(panel).discs) assert.equal(disc.alpha, disc.color === color ? 1 : 0.15);
  item.fire("pointerleave");
  await run(100);
  assert.ok(drawn(panel).discs.every((disc) => disc.alpha === 1));
  panel.close();
});

test("a disc of the tree says which nodes it stands for and lights them; arrows walk from disc to disc", async () => {
  const panel = await explorer("hexagon"), { svg, tree, stage } = panel;
  await panel.set({ layer: 2 });
  const discs = all(svg, ".de-disc"), tip = tree.querySelector(".de-tip"), last = discs.at(-1);
  discs[0].fire("pointermove");
  assert.deepEqual(JSON.parse(stage.dataset.lit), [0]); // the root of A
  last.fire("pointermove");
  await run(100);
  assert.ok(shown(tip));
  assert.match(tip.textContent, /only in A|only in B|in A and B/);
  const lit = JSON.parse(stage.dataset.lit);
  assert.ok(lit.length);
  for (const i of lit) { const [x, y] = stage.whereIs(i); assert.ok(drawn(panel).glows.some((glow) => near(glow.x, x) && near(glow.y, y) && glow.alpha === 0.28 && near(glow.r, drawn(panel).discs[0].r + 8))); }
  svg.fire("pointerleave");
  assert.equal(shown(tip), false);
  assert.deepEqual(JSON.parse(stage.dataset.lit), []);
  svg.focus();
  await panel.press("ArrowDown", svg);
  const saidFirst = tree.querySelector(".de-said").textContent;
  assert.match(saidFirst, /^v?\w+\. target.*only in A.*takes in \{/);
  await panel.press("ArrowDown", svg);
  assert.match(tree.querySelector(".de-said").textContent, /distance 1/);
  await panel.press("ArrowRight", svg);
  assert.match(tree.querySelector(".de-said").textContent, /distance 1.*only in B/);
  await panel.press("ArrowUp", svg);
  assert.match(tree.querySelector(".de-said").textContent, /target.*only in B/);
  await panel.press("Escape", svg);
  assert.equal(all(svg, ".de-glow").length, 0);
  panel.close();
});

test("the tree of two triangles and a hexagon: rings by side, dashes where they part, counts on lines", async () => {
  const panel = await explorer("hexagon"), look = t.PALETTE.light;
  await panel.set({ layer: 2 });
  const rings = all(panel.svg, ".de-ring").map((ring) => ring.getAttribute("stroke"));
  assert.deepEqual([rings.filter((color) => color === look.a).length, rings.filter((color) => color === look.b).length], [3, 3]);
  assert.ok(all(panel.svg, ".de-parts").length === 2 && all(panel.svg, ".de-parts").every((line) => line.getAttribute("stroke-dasharray") === "6 4"));
  assert.deepEqual(all(panel.svg, ".de-times").map((one) => one.textContent), ["×2", "×2"]);
  const texts = all(panel.svg, "text").map((one) => one.textContent);
  for (const word of ["layer 2", "layer 1", "distance"]) assert.ok(texts.includes(word), word);
  assert.ok(texts.some((word) => word.startsWith("A: ")) && texts.some((word) => word.startsWith("B: ")));
  for (const one of all(panel.svg, "rect")) for (const name of ["x", "y", "width", "height"]) assert.ok(Number(one.getAttribute(name)) >= 0 && Number(one.getAttribute(name)) <= 420);
  assert.match(panel.svg.getAttribute("aria-label"), /^Folded subtrees of .* and .*, 2 layers deep\. Discs from the roots down: 2, 2, 3\./);
  assert.match(text(panel, ".de-rings"), /only in A only in B- - where they part/);
  panel.close();
});

test("trees unfold, and names can be written into them", async () => {
  const panel = await explorer("hexagon");
  await panel.set({ layer: 2 });
  panel.model.set("view", { ...panel.model.get("view"), form: "tree", named: true });
  await run(1000);
  assert.equal(panel.tree.dataset.form, "tree");
  assert.equal(all(panel.svg, ".de-disc").length, all(panel.svg, "path").length + 2); // one parent each
  assert.ok(all(panel.svg, ".de-named").length > 2);
  panel.close();
});

test("Play steps from layer to layer, messages flow, and it ends at the layer that tells them apart", async () => {
  const panel = await explorer("hexagon"), layer = () => Number(panel.root.querySelector(".de-layers [aria-checked=true]").textContent);
  await panel.set({ layer: 0 });
  button(panel.root, "▶ Play").click();
  assert.match(text(panel, ".de-play"), /Pause/);
  await run(400);
  assert.equal(layer(), 0);
  await run(100);
  assert.equal(layer(), 1);
  await run(300);
  assert.ok(all(panel.svg, "circle").length > 0);
  assert.ok(panel.canvas.pen.calls.filter(({ name, given }) => name === "arc" && given[2] === 4.2).length > 0);
  for (const circle of all(panel.svg, "circle")) assert.ok(Number(circle.getAttribute("cy")) >= 46 && Number(circle.getAttribute("cy")) <= 300);
  await run(6000);
  assert.deepEqual([layer(), panel.model.get("values").layer], [2, 2]);
  assert.match(text(panel, ".de-play"), /Play/);
  assert.equal(all(panel.svg, "circle").length, 0);
  await panel.press(" ", panel.root); // from the end it begins anew; a second press pauses where it is
  await run(500);
  await panel.press(" ", panel.root);
  const stopped = panel.model.get("values").layer;
  await run(6000);
  assert.equal(layer(), stopped);
  assert.equal(clock.jobs.length, 0);
  panel.close();
});

test("plain GNN and + distance change what the network is given, and back", async () => {
  const panel = await explorer("hexagon"), [plain, encoded] = all(panel.root, ".de-bar [role=radio]");
  plain.click();
  await run(1000);
  assert.equal(panel.model.get("values").color_by, "1-WL");
  assert.equal(text(panel, ".de-reason").includes("2 neighbors"), true);
  assert.equal(words(panel, ".de-legend .de-item").length, 1);
  assert.equal(encoded.textContent, "+ distance");
  await panel.press("ArrowRight", plain);
  assert.equal(panel.model.get("values").color_by, "SPD");
  assert.equal(encoded.getAttribute("aria-checked"), "true");
  panel.close();
});

test("a pill shows its method, and all reasons are a table that closes", async () => {
  const panel = await explorer("hexagon");
  for (const [method, values] of [["DE-LP", ["LP", "LP", 1]], ["1-WL", ["1-WL", "LP", 1]], ["DEA-SPD", ["SPD", "SPD", 2]], ["DE-SPD", ["SPD", "SPD", 1]]]) {
    panel.root.querySelector(`[data-method=${method}]`).click();
    await run(1000);
    const { color_by, toggle, hops } = panel.model.get("values");
    assert.deepEqual([color_by, toggle, hops], values, method);
    assert.equal(panel.root.querySelector(`[data-method=${method}]`).getAttribute("aria-pressed"), "true");
  }
  const more = button(panel.root, "All reasons"), table = () => panel.root.querySelector(".de-reasons");
  assert.equal(shown(table()), false);
  more.click();
  assert.equal(more.getAttribute("aria-expanded"), "true");
  const rows = all(table(), "tr").slice(1).map((tr) => tr.children.map((td) => td.textContent));
  assert.equal(rows.length, panel.model.get("pills").pills.length);
  assert.deepEqual(rows.find(([title]) => /1-WL|plain/i.test(title))[1], "no");
  assert.ok(rows.some(([, told]) => told === "yes, after 2 layers"));
  for (const [title, , because] of rows) assert.ok(because.length > 20 || title === "RWSE", title); // its labels come when it is chosen
  await panel.press("Escape", more);
  assert.equal(shown(table()), false);
  panel.close();
});

test("search finds names, best first, and picks without taking a target away", async () => {
  const panel = await explorer("one");
  button(panel.root, "More").click();
  await run(100);
  const field = panel.root.querySelector(".de-find"), items = () => all(panel.root, ".de-matches li");
  const type = async (word) => { field.value = word; field.fire("input"); await run(200); };
  await type("V3");
  assert.deepEqual(items().map((li) => li.querySelector("b").textContent), ["v3"]);
  assert.equal(field.getAttribute("aria-expanded"), "true");
  await panel.press("Enter", field);
  assert.deepEqual(panel.model.get("targets"), [panel.model.get("values").size === 1 ? [3] : [2, 3]]);
  assert.equal(panel.stage.dataset.cursor, "3");
  assert.equal(items().length, 0);
  await type("v3");
  items()[0].fire("pointerdown");
  await run(1000);
  assert.ok(panel.model.get("targets")[0].includes(3)); // it is one already, and stays one
  await type("v");
  assert.equal(items().length, 8);
  await panel.press("ArrowDown", field);
  assert.deepEqual(items().map((li) => li.classList.contains("de-active")).slice(0, 3), [false, true, false]);
  await panel.press("ArrowUp", field);
  await panel.press("ArrowUp", field);
  assert.equal(items()[0].classList.contains("de-active"), true);
  const first = await panel.press("Escape", field);
  assert.ok(first.stopped && field.value === "" && items().length === 0 && shown(field));
  await panel.press("Escape", field);
  assert.equal(shown(field), false);
  panel.close();
});

test("one set: kinds of nodes are counted, its own words, one panel", async () => {
  const panel = await explorer("one");
  await panel.set({ layer: 0 });
  assert.match(text(panel, ".de-captions div"), /^S = \{v2\}$/);
  assert.equal(shown(panel.root.querySelector(".de-answers-row")), false);
  assert.deepEqual(words(panel, ".de-legend .de-item").map((word) => word.replace(/\s/g, ""))[0], "target:1");
  await panel.set({ layer: 3 });
  assert.match(text(panel, ".de-headline"), /^After 3 layers the network sees \d+ kinds of nodes among 8\.$/);
  assert.match(text(panel, ".de-key"), /^0a ← \{/);
  panel.close();
});

test("the drawer: one tab at a time, what a page cannot do is disabled, help lists every word", async () => {
  const panel = await explorer("hexagon"), drawer = panel.root.querySelector(".de-drawer"), more = button(panel.root, "More");
  assert.equal(shown(drawer), false);
  more.click();
  await run(100);
  assert.ok(shown(drawer) && more.getAttribute("aria-expanded") === "true");
  const options = panel.model.get("options"), menus = Object.fromEntries(all(drawer, "select").map((one) => [one.getAttribute("aria-label"), one]));
  assert.deepEqual(menus.Encoding.children.map((one) => JSON.parse(one.value)), options.colorings.map(([key]) => key).filter((key) => options.recorded.colorings.includes(key)));
  assert.equal(menus.Layout.disabled, true);
  assert.deepEqual(all(drawer, ".de-tick").slice(0, 2).map((one) => one.querySelector("input").disabled), [true, true]);
  menus.Targets.value = "2";
  menus.Targets.fire("change");
  await run(100);
  assert.equal(panel.model.get("values").size, 2);
  const hops = all(drawer, ".de-number").find((one) => one.textContent.startsWith("hops")).querySelector("input");
  for (const [given, kept] of [["2", 2], ["9", 4], ["-3", 1], ["x", 1]]) { hops.value = given; hops.fire("change"); assert.equal(panel.model.get("values").hops, kept); }
  const tabs = all(drawer, ".de-tabs button");
  assert.deepEqual(tabs.map((one) => one.textContent), ["Settings", "Open a graph", "Share", "Help"]);
  tabs[3].click();
  await run(100);
  for (const [name] of options.words) assert.ok(all(drawer, "dt").some((term) => term.textContent === name), name);
  for (const [key, title] of options.tours) assert.equal(button(drawer, title).disabled, !options.recorded.tours.includes(key));
  for (const tab of [tabs[1], tabs[2]]) { tab.click(); await run(100); assert.match(drawer.querySelector(".de-drawer-body").textContent, /^Not recorded/); }
  await panel.press("Escape", drawer);
  assert.equal(shown(drawer), false);
  panel.close();
});

test("a tour: its text, its steps forth and back, and the panel stays where it is left", async () => {
  const data = dataOf("hexagon"), model = t.recordedModel(data), panel = await open(t.renderExplorer, model), steps = data.tours.hexagon;
  assert.ok(steps.length > 1);
  for (const [k, step] of steps.entries()) {
    assert.ok(text(panel, ".de-lesson-text").startsWith(`${k + 1} of ${steps.length} `) && text(panel, ".de-lesson-text").includes(step.text));
    assert.deepEqual(model.get("targets"), step.targets);
    assert.equal(button(panel.root, "Back").disabled, k === 0);
    const look = { graphs: ".de-left", subtrees: ".de-right", verdict: ".de-strip" }[step.look];
    if (look) assert.deepEqual(all(panel.root, ".de-look").map((one) => one.matches(look)), [true]);
    if (k + 1 < steps.length) button(panel.root, "Next").click();
    await run(1000);
  }
  button(panel.root, "Back").click();
  await run(1000);
  assert.equal(model.get("lesson").at, steps.length - 2);
  button(panel.root, "Next").click();
  await run(1000);
  button(panel.root, "Finish").click();
  await run(1000);
  assert.equal(shown(panel.root.querySelector(".de-lesson")), false);
  assert.deepEqual(model.get("targets"), steps.at(-1).targets);
  panel.close();
});

test("words are explained where they stand", async () => {
  const panel = await explorer("hexagon");
  button(panel.root, "All reasons").click();
  const term = panel.root.querySelector(".de-term"), tip = panel.root.querySelector(".de-term-tip");
  assert.equal(shown(tip), false);
  term.fire("pointerover");
  const [name, , line] = panel.model.get("options").words[Number(term.dataset.term)];
  assert.ok(shown(tip));
  assert.equal(tip.textContent, `${name}: ${line}`);
  panel.root.fire("pointerover");
  assert.equal(shown(tip), false);
  panel.close();
});

// -- a live panel: what it asks of the kernel, and what it does with what comes back

async function live(name = "hexagon", changes = {}) {
  const recorded = t.recordedModel({ ...dataOf(name), tour: "" }), names = ["targets", "values", "view", "options", "graphs", "xy", "edges", "codes", "numbers", "classes", "seen", "pills", "lesson", "opening", "busy", "error"];
  const traits = Object.fromEntries(names.map((one) => [one, recorded.get(one)]));
  const options = { ...traits.options, upload: "Up to 200 MB.", paths: true };
  delete options.recorded;
  const model = liveModel({ view: {}, busy: "", error: {}, opening: {}, lesson: {}, ...Object.fromEntries(Object.entries(traits).filter(([, value]) => value !== undefined)), options, ...changes });
  return { ...(await open(t.renderExplorer, model)), model };
}

test("a picked target is marked before the kernel answers; everything else waits for it", async () => {
  const panel = await live("hexagon"), stage = panel.root.querySelector(".de-stage"), canvas = stage.querySelector("canvas");
  await run(1000);
  const before = [".de-headline", ".de-legend", ".de-captions"].map((part) => text(panel, part)), [x, y] = stage.whereIs(8);
  canvas.fire("pointerdown", { clientX: x, clientY: y, button: 0, pointerId: 1 });
  canvas.fire("pointerup", { clientX: x, clientY: y, button: 0, pointerId: 1 });
  await run(50);
  assert.deepEqual(panel.model.saved.at(-1), { targets: [[0], [2]] });
  assert.equal(stage.dataset.targets, "[0,8]");
  assert.deepEqual([".de-headline", ".de-legend", ".de-captions"].map((part) => text(panel, part)), before);
  await panel.model.put({ targets: [[0], [3]], seen: { ...panel.model.get("seen"), targets: [[0], [3]] } });
  await run(50);
  assert.equal(stage.dataset.targets, "[0,9]");
  assert.notEqual(text(panel, ".de-captions"), before[2]);
  panel.close();
});

test("examples, comparing, drawing more and exporting are asked of the kernel", async () => {
  const panel = await live(), example = panel.root.querySelector(".de-bar select");
  example.value = JSON.stringify("fig1");
  example.fire("change");
  button(panel.root, "More").click();
  await run(100);
  const compare = all(panel.root, ".de-tick").find((one) => one.textContent.startsWith("compare")).querySelector("input");
  assert.equal(compare.checked, true);
  compare.checked = false;
  compare.fire("change");
  all(panel.root, ".de-tabs button")[2].click();
  await run(100);
  for (const label of ["Copy Python", "Save as a page", "Graph PNG", "Subtrees SVG", "Ego-network"]) button(panel.root, label).click();
  assert.deepEqual(panel.model.sent, [
    { kind: "do", name: "example", key: "fig1" }, { kind: "do", name: "compare", on: false },
    ...["code", "page", "graph.png", "tree.svg", "ego"].map((what) => ({ kind: "do", name: "export", what })),
  ]);
  panel.close();
});

test("a file is uploaded in slices that together are the file, and a path is opened", async () => {
  const panel = await live();
  button(panel.root, "More").click();
  await run(100);
  all(panel.root, ".de-tabs button")[1].click();
  await run(100);
  const bytes = Uint8Array.from({ length: 9_000_001 }, (_, i) => i % 251), input = all(panel.root, "input").find((one) => one.type === "file");
  input.files = [{ name: "my.csv", arrayBuffer: async () => bytes.buffer }];
  input.fire("change");
  await run(100);
  const slices = panel.model.sent.filter(({ kind }) => kind === "upload");
  assert.ok(slices.every(({ name, size, buffers }) => name === "my.csv" && size === bytes.length && buffers[0].byteLength <= 4_000_000));
  assert.deepEqual(slices.map(({ at }) => at), [0, 4_000_000, 8_000_000]);
  assert.equal(Buffer.compare(Buffer.concat(slices.map(({ buffers }) => Buffer.from(buffers[0]))), Buffer.from(bytes)), 0);
  input.files = [{ name: "empty.csv", arrayBuffer: async () => new ArrayBuffer(0) }];
  input.fire("change");
  await run(100);
  assert.equal(panel.model.sent.filter(({ name }) => name === "empty.csv").length, 1);
  const path = panel.root.querySelector(".de-path");
  path.value = "  ";
  path.fire("keydown", { key: "Enter" });
  path.value = " data/my.csv ";
  path.fire("keydown", { key: "Enter" });
  assert.deepEqual(panel.model.sent.filter(({ name }) => name === "open"), [{ kind: "do", name: "open", path: "data/my.csv" }]);
  await panel.model.put({ opening: { name: "my.csv", percent: 40, what: "reading" } });
  const opened = panel.root.querySelector(".de-opened");
  assert.match(opened.textContent, /^my\.csv40 %, reading …Cancel$/);
  assert.equal(opened.querySelector("progress").value, 40);
  button(opened, "Cancel").click();
  assert.deepEqual(panel.model.sent.at(-1), { kind: "do", name: "cancel" });
  await panel.model.put({ opening: { name: "my.csv", facts: [["nodes", "12"], ["edges", "9"]] } });
  assert.deepEqual(all(opened, "dt").map((one) => one.textContent), ["nodes", "edges"]);
  await panel.model.put({ opening: { name: "my.csv", note: "is not a graph" } });
  assert.equal(opened.textContent, "my.csv is not a graph");
  panel.close();
});

test("a coast lies under the nodes as their places do, wherever a reader looks", async () => {
  const panel = await live("one"), xy = new Float32Array(panel.model.get("xy").buffer), stage = panel.root.querySelector(".de-stage"), canvas = stage.querySelector("canvas");
  await panel.model.put({ graphs: { ...panel.model.get("graphs"), coast: [[...xy.slice(0, 6)]] } });
  canvas.fire("wheel", { clientX: 50, clientY: 60, deltaY: -200, deltaMode: 0, ctrlKey: true });
  await run(1000);
  const land = canvas.pen.calls.find(({ name }) => name === "drawImage").given[0].pen.calls.filter(({ name, fillStyle }) => name === "fill" && fillStyle === t.PALETTE.light.coast).at(-1).given[0].parts;
  assert.deepEqual(land.map(([name]) => name), ["moveTo", "lineTo", "lineTo", "closePath"]);
  land.slice(0, 3).forEach(([, x, y], i) => assert.ok(near(x, stage.whereIs(i)[0], 0.01) && near(y, stage.whereIs(i)[1], 0.01)));
  panel.close();
});

// A grid of w times h nodes, one target in its corner, as the kernel would send it.
function grid(w, h) {
  const n = w * h, id = (x, y) => y * w + x, edges = [], xy = new Float32Array(2 * n), codes = new Uint16Array(n), classes = new Uint32Array(n);
  for (let y = 0; y < h; y++) for (let x = 0; x < w; x++) {
    const i = id(x, y);
    xy.set([x / w, y / h], 2 * i);
    codes[i] = i === 0 ? 0 : 1;
    classes[i] = codes[i];
    if (x + 1 < w) edges.push(i, id(x + 1, y));
    if (y + 1 < h) edges.push(i, id(x, y + 1));
  }
  const view = (array) => new DataView(array.buffer), names = Array.from({ length: n }, (_, i) => `g${i}`);
  const seen = { targets: [[0]], serial: 1, method: "DE-SPD", color_by: "SPD", hops: 1, cut: false, title: "distance to S", note: "", labels: [["target", "0", 0], ["distance 1", "1", 1]], layers: 0, columns: [], net: [] };
  const graphs = { starts: [0, n], names, notes: [], titles: ["grid"], nodes: [n], drawn: [[]], same: true, idea: "", title: "grid", example: "", layouts: ["spring"], more: false };
  return { xy: view(xy), edges: view(Uint32Array.from(edges)), codes: view(codes), classes: view(classes), numbers: view(new Float32Array(0)), seen, graphs, targets: [[0]], pills: { pills: [] } };
}

test("few nodes are named, of many the best connected, and thousands are specks on faint lines", async () => {
  const look = t.PALETTE.light;
  for (const [w, h, most, faint, square] of [[5, 4, 20, false, false], [12, 10, 90, false, false], [80, 40, 90, true, true]]) {
    const panel = await live("one", grid(w, h)), stage = panel.root.querySelector(".de-stage"), { pen } = stage.querySelector("canvas");
    const words = pen.calls.filter(({ name, given }) => name === "fillText" && given[0].startsWith("g")).map(({ given }) => given[0]);
    assert.ok(words.includes("g0") && new Set(words).size === words.length && words.length <= most, `${w} ${words.length}`);
    if (w === 5) assert.equal(words.length, 20);
    const specks = pen.calls.filter(({ name }) => name === "fillRect").map(({ given }) => given);
    assert.equal(specks.length > 0, square);
    for (const [x, y, a, b] of specks) assert.ok(near(a, b) && a > 3 && a < 5.2 && x + a > 0 && y + b > 0);
    if (square) { const [x, y] = stage.whereIs(1), r = specks[0][2] / 2; assert.ok(specks.some((one) => near(one[0] + r, x, 0.01) && near(one[1] + r, y, 0.01))); }
    const line = pen.calls.find(({ name }) => name === "drawImage").given[0].pen.calls.find(({ name, given }) => name === "stroke" && given[0].parts.length);
    assert.deepEqual([line.strokeStyle, line.lineWidth, line.globalAlpha], faint ? [look.faint, 0.7, 0.07] : [look.edge, 1.8, 1]);
    panel.close();
  }
});

test("edges inside S are dotted when they are cut, and only those", async () => {
  const panel = await live("one", grid(3, 3)), seen = { ...panel.model.get("seen"), targets: [[0, 1]], cut: true };
  await panel.model.put({ seen, targets: [[0, 1]], values: { ...panel.model.get("values"), cut: true } });
  await run(1000);
  const stage = panel.root.querySelector(".de-stage"), strokes = stage.querySelector("canvas").pen.calls.find(({ name }) => name === "drawImage").given[0].pen.calls;
  const dotted = strokes.slice(strokes.findLastIndex(({ name, given }) => name === "setLineDash" && given[0].length)).find(({ name }) => name === "stroke").given[0].parts;
  assert.deepEqual(dotted.map(([, x, y]) => [Math.round(x), Math.round(y)]), [0, 1].map((i) => stage.whereIs(i).map(Math.round)));
  panel.close();
});

test("errors and work are said, a name is text and never markup, and the message can be closed", async () => {
  const panel = await live(), box = panel.root.querySelector(".de-error"), busy = panel.root.querySelector(".de-busy");
  assert.equal(shown(box) || shown(busy), false);
  await panel.model.put({ busy: "computing …", error: { text: "<b>no</b>", details: "line 3" } });
  assert.ok(shown(box) && shown(busy) && busy.textContent === "computing …");
  assert.equal(box.querySelector("span").textContent, "<b>no</b>");
  assert.equal(box.querySelector("pre").textContent, "line 3");
  button(box, "Close this message").click();
  assert.equal(shown(box), false);
  await panel.model.put({ busy: "", error: {} });
  assert.equal(shown(busy) || shown(box), false);
  panel.close();
});

test("code for the clipboard comes from the kernel; nodes of a graph drawn in part are looked for there", async () => {
  const panel = await live();
  panel.model.tell({ kind: "copy", text: "import degnn_explore" });
  assert.equal(copied.at(-1), "import degnn_explore");
  const graphs = { ...panel.model.get("graphs") };
  graphs.drawn = [[10, 11, 12, 13, 14, 15], [20, 21, 22, 23, 24, 25]];
  graphs.nodes = [1000, 2000];
  const seen = { ...panel.model.get("seen"), targets: [[10], [20]] };
  await panel.model.put({ graphs, seen, targets: [[10], [20]] });
  assert.match(text(panel, ".de-left .de-head"), /12 of 3,000 nodes are drawn$/);
  button(panel.root, "More").click();
  await run(100);
  const field = panel.root.querySelector(".de-find");
  field.value = "far";
  field.fire("input");
  await run(200);
  assert.deepEqual(panel.model.sent.at(-1), { kind: "do", name: "search", text: "far" });
  panel.model.tell({ kind: "matches", text: "old", items: [[0, 3, "stale", ""]] });
  assert.equal(all(panel.root, ".de-matches li").length, 0); // an answer to what is no longer asked
  panel.model.tell({ kind: "matches", text: "far", items: [[1, 23, "far away", "note"]] });
  assert.equal(all(panel.root, ".de-matches li")[0].textContent, "far awayin B note");
  field.fire("keydown", { key: "Enter" });
  await run(100);
  assert.deepEqual(panel.model.saved.at(-1).targets, [[10], panel.model.get("values").size === 1 ? [23] : [20, 23]]);
  assert.equal(panel.root.querySelector(".de-stage").dataset.cursor, "9");
  panel.close();
});

test("a question hides verdict and trees until something is said, and judges it", async () => {
  const lesson = { kind: "ask", question: "Can a plain GNN tell them apart?", reply: null, expected: "" }, values = { color_by: "SPD", layer: 2 };
  const panel = await live("hexagon", { lesson });
  await panel.model.put({ values: { ...panel.model.get("values"), ...values } });
  assert.ok(panel.root.classList.contains("de-is-asking"));
  assert.match(text(panel, ".de-lesson-text"), /^Predict first: Can a plain GNN/);
  assert.equal(panel.tree, undefined);
  assert.equal(panel.root.querySelector(".de-layers [aria-checked=true]").textContent, "0"); // nothing is given away
  button(panel.root, "Show me").click();
  assert.match(text(panel, ".de-lesson-buttons"), /Say something first/);
  const reply = panel.root.querySelector(".de-reply");
  reply.value = " yes ";
  reply.fire("keydown", { key: "Enter" });
  assert.deepEqual(panel.model.saved.at(-1).lesson, { ...lesson, reply: "yes" });
  await run(1000);
  assert.equal(panel.root.classList.contains("de-is-asking"), false);
  assert.match(text(panel, ".de-lesson-text"), /^You said “yes”\. That is right\. A plain GNN cannot tell/);
  button(panel.root, "Close").click();
  assert.deepEqual(panel.model.saved.at(-1).lesson, {});
  panel.close();
});

test("while a message is on its way the panel waits, and a closed panel lets go of its model", async () => {
  const panel = await live("hexagon", { seen: {} });
  assert.ok(panel.root.classList.contains("de-waiting"));
  const recorded = t.recordedModel({ ...dataOf("hexagon"), tour: "" });
  await panel.model.put({ seen: recorded.get("seen") });
  assert.equal(panel.root.classList.contains("de-waiting"), false);
  panel.close();
  assert.equal([...panel.model.listeners.values()].flat().length, 0);
  await run(10000);
  assert.equal(clock.jobs.length, 0);
});

test("sizes, steps, columns, layouts and the form of the tree are settings, each kept under its name", async () => {
  const panel = await live("hexagon", { view: { open: "settings" } }), drawer = panel.root.querySelector(".de-drawer"), values = () => panel.model.get("values");
  const menus = Object.fromEntries(all(drawer, "select").map((one) => [one.getAttribute("aria-label"), one])), choose = async (one, value) => { one.value = JSON.stringify(value); one.fire("change"); await run(); };
  assert.deepEqual(menus.Targets.children.map((one) => [one.value, one.textContent]), [["0", "any number"], ["1", "1 node"], ["2", "2 nodes"], ["3", "3 nodes"]]);
  await panel.model.put({ values: { ...values(), size: 5 } });
  assert.deepEqual(menus.Targets.children.at(-1).textContent, "5 nodes");
  await choose(menus.Encoding, "LP");
  assert.deepEqual([values().color_by, values().toggle, values().hops], ["LP", "LP", 1]);
  const step = all(drawer, ".de-number").find((one) => one.textContent.startsWith("steps"));
  assert.equal(step.hidden, false);
  for (const [given, kept] of [["3", 3], ["99", 20], ["-1", 0]]) { step.querySelector("input").value = given; step.querySelector("input").fire("change"); assert.equal(values().step, kept); }
  await panel.model.put({ values: { ...values(), hops: 2 } });
  await choose(menus.Encoding, "SPD");
  assert.deepEqual([values().color_by, values().hops, step.hidden], ["SPD", 2, true]);
  const [cut, compare, named] = all(drawer, ".de-tick").map((one) => one.querySelector("input"));
  assert.deepEqual([cut.checked, compare.checked, named.checked, cut.disabled], [false, true, false, false]);
  cut.checked = true;
  cut.fire("change");
  assert.equal(values().cut, true);
  named.checked = true;
  named.fire("change");
  assert.equal(panel.model.get("view").named, true);
  button(drawer, "tree").click();
  assert.equal(panel.model.get("view").form, "tree");
  assert.equal(menus.Root.hidden, true); // one target in each set
  await panel.model.put({ targets: [[0, 1], [0, 1]], seen: { ...panel.model.get("seen"), targets: [[0, 1], [0, 1]] } });
  assert.deepEqual([menus.Root.hidden, menus.Root.children.length], [false, 2]);
  await choose(menus.Root, 1);
  assert.equal(values().root, 1);
  assert.equal(menus.Column.hidden, true);
  await panel.model.put({ seen: { ...panel.model.get("seen"), columns: ["near", "far"] } });
  assert.deepEqual([menus.Column.hidden, menus.Column.children.map((one) => one.textContent)], [false, ["near", "far"]]);
  await choose(menus.Column, 1);
  assert.equal(values().column, 1);
  assert.equal(shown(button(drawer, "Draw more nodes")), false);
  await panel.model.put({ graphs: { ...panel.model.get("graphs"), more: true } });
  button(drawer, "Draw more nodes").click();
  assert.deepEqual(panel.model.sent.at(-1), { kind: "do", name: "more" });
  panel.close();
});

test("a tour is begun at its first step, and the drawer closes", async () => {
  const panel = await live("hexagon", { view: { open: "help" } }), [key, title] = panel.model.get("options").tours[0];
  button(panel.root.querySelector(".de-drawer"), title).click();
  assert.deepEqual(panel.model.sent.at(-1), { kind: "do", name: "tour", key, at: 0 });
  assert.equal(panel.model.get("view").open, "");
  panel.close();
});

test("hovering a node lights the node that a symmetry takes it to, and back", async () => {
  const panel = await live("hexagon"), stage = panel.root.querySelector(".de-stage"), canvas = stage.querySelector("canvas"), map = [3, 4, 5, 0, 1, 2];
  const over = async (i) => { const [clientX, clientY] = stage.whereIs(i); canvas.fire("pointermove", { clientX, clientY }); await run(); return JSON.parse(stage.dataset.lit); };
  assert.deepEqual(await over(1), []);
  await panel.model.put({ pills: { ...panel.model.get("pills"), symmetry: { kind: "same", map, degree: 2, family: "" } } });
  assert.deepEqual(await over(0), [9]);
  assert.deepEqual(await over(9), [0]);
  assert.deepEqual(await over(11), [2]);
  panel.close();
});

test("the first node can be picked by keys and is said", async () => {
  const panel = await explorer("one"), said = () => text(panel, ".de-left .de-said");
  panel.model.set("targets", [[]]);
  panel.model.save_changes();
  await run(1000);
  panel.canvas.focus();
  await panel.press("ArrowLeft");
  assert.equal(panel.stage.dataset.cursor, "0");
  await panel.press("Enter");
  assert.deepEqual(panel.model.get("targets"), [[0]]);
  assert.equal(said(), "v0, target, class a, target".replace(", class a", panel.model.get("values").layer ? ", class a" : ""));
  panel.close();
});

test("one set in words: how many nodes are how far, or what its numbers are", async () => {
  const panel = await explorer("one");
  await panel.set({ layer: 0 });
  assert.match(text(panel, ".de-headline"), /^From v2, 3 nodes are 1 step away and 4 are 2\.$/);
  await panel.set({ color_by: "LP", toggle: "LP" });
  assert.match(text(panel, ".de-headline"), / for S = v2\.$/);
  await panel.set({ color_by: "1-WL" });
  assert.match(text(panel, ".de-headline"), /^To a plain GNN all 8 nodes look alike/);
  panel.close();
});

test("the reason of a method is the same in the table and when it is chosen, and its title says what it is", async () => {
  const panel = await explorer("hexagon");
  button(panel.root, "All reasons").click();
  const told = new Map(all(panel.root, ".de-reasons tr").slice(1).map((tr) => [tr.children[0].textContent, tr.children[2].textContent]));
  button(panel.root, "All reasons").click();
  for (const pill of panel.model.get("pills").pills) {
    const chip = panel.root.querySelector(`[data-method=${pill.method}]`);
    if (!chip) continue;
    if (pill.method === "2-WL") { assert.ok(chip.title.startsWith(pill.what) && chip.title.length > pill.what.length); continue; }
    assert.equal(chip.title, pill.what);
    chip.click();
    await run(1000);
    if (["DE-SPD", "DE-LP", "DEA-SPD", "1-WL"].includes(pill.method)) assert.equal(text(panel, ".de-reason").replace(/ All reasons$/, ""), told.get(pill.title), pill.method);
  }
  panel.close();
});

test("nothing is pointed at in a new panel, and the discs that are left are pointed at no more", async () => {
  const panel = await explorer("hexagon");
  await panel.set({ layer: 3 });
  assert.deepEqual(all(panel.root, ".de-tip").map((tip) => shown(tip)), [false, false]);
  const most = all(panel.svg, ".de-disc").length;
  panel.svg.focus();
  for (let k = 0; k < 4; k++) await panel.press("ArrowDown", panel.svg);
  await panel.set({ layer: 0 });
  assert.ok(all(panel.svg, ".de-disc").length < most);
  await panel.press("ArrowRight", panel.svg); // the keys go on from a disc that is there
  assert.match(panel.tree.querySelector(".de-said").textContent, /target/);
  panel.close();
});

test("a lasso is seen while it is drawn, and leaves the colors as they were", async () => {
  const panel = await explorer("hexagon"), { canvas } = panel;
  canvas.fire("pointerdown", { clientX: 10, clientY: 60, button: 0, shiftKey: true });
  for (const [clientX, clientY] of [[60, 60], [60, 110]]) canvas.fire("pointermove", { clientX, clientY });
  await run(50);
  const path = canvas.pen.calls.slice(canvas.pen.calls.findLastIndex(({ name }) => name === "beginPath"));
  assert.deepEqual(path.filter(({ name }) => ["moveTo", "lineTo"].includes(name)).map(({ given }) => given), [[10, 60], [60, 60], [60, 110]]);
  assert.deepEqual(path.filter(({ name }) => ["fill", "stroke"].includes(name)).map(({ globalAlpha }) => globalAlpha), [1, 0.12]);
  assert.equal(canvas.pen.globalAlpha, 1);
  canvas.fire("pointercancel", { clientX: 60, clientY: 110 });
  await run(50);
  panel.close();
});

test("panning follows the pointer at any zoom", async () => {
  const panel = await explorer("hexagon"), { canvas, stage } = panel;
  await panel.press("+");
  await panel.press("+");
  const before = stage.whereIs(9);
  canvas.fire("pointerdown", { clientX: 3, clientY: 296, button: 0, pointerId: 1 });
  canvas.fire("pointermove", { clientX: 33, clientY: 276 });
  canvas.fire("pointerup", { clientX: 33, clientY: 276 });
  await run(1000);
  assert.ok(near(stage.whereIs(9)[0], before[0] + 30, 0.01) && near(stage.whereIs(9)[1], before[1] - 20, 0.01));
  panel.close();
});

test("no match is left when the field of the search is emptied", async () => {
  const panel = await explorer("one");
  button(panel.root, "More").click();
  await run(100);
  const field = panel.root.querySelector(".de-find"), type = async (word) => { field.value = word; field.fire("input"); await run(200); };
  await type("v");
  assert.ok(all(panel.root, ".de-matches li").length > 1);
  assert.equal((await panel.press("ArrowDown", field)).defaultPrevented, true); // the cursor in the field stays
  await type("");
  assert.equal(all(panel.root, ".de-matches li").length, 0);
  assert.equal(field.getAttribute("aria-expanded"), "false");
  panel.close();
});
