// The graphs of an Explorer: what a reader sees of them, does with them, and hears.
import assert from "node:assert/strict";
import { test } from "node:test";
import { A, answerTo, B, live, near, openPanel, PILLS, samePlace, single, t, traits } from "./explorers.mjs";
import { all, button, change, DARK, liveModel, pointer, run, shown, text, texts, type } from "./page.mjs";
import { bytes, chance, grid, HEXAGON, range, TRIANGLES, world } from "./worlds.mjs";

const look = t.PALETTE.light;

// What the canvas shows: filled discs, rings, glows, words.
function drawn({ canvas }) {
  const { calls } = canvas.pen, last = calls.findLastIndex(({ name }) => name === "restore");
  const first = calls.slice(0, calls.findIndex(({ name }) => name === "restore")); // of the first panel
  const arcs = (call) => (call.given[0]?.parts ?? []).filter(([name]) => name === "arc");
  const next = (k) => first.slice(k).find(({ name }) => ["fill", "stroke"].includes(name));
  const shapes = (name, then) => first.flatMap((call, k) => (call.name === name && next(k)?.name === then ? [{
    at: call.given.slice(0, 2), size: call.given[2], color: next(k)[`${then}Style`], alpha: next(k).globalAlpha,
    dash: next(k).dash,
  }] : []));
  return {
    discs: first.filter(({ name }) => name === "fill").flatMap((call) => arcs(call).map(([, x, y, r]) => ({
      at: [x, y], r, color: call.fillStyle, alpha: call.globalAlpha,
    }))),
    rings: shapes("arc", "stroke"), squares: shapes("roundRect", "stroke"), glows: shapes("arc", "fill"),
    words: first.filter(({ name }) => name === "fillText").map(({ given }) => given[0]),
    over: calls.slice(last), // and what is drawn over all panels
  };
}
const edgeLayer = ({ canvas }) => canvas.pen.calls.find(({ name }) => name === "drawImage")?.given[0];
function edgesOf(panel, n, chosen = () => true) { // as pairs of nodes
  const nodeAt = (place) => panel.places(n).findIndex((other) => samePlace(other, place));
  const strokes = edgeLayer(panel).pen.calls.filter((call) => call.name === "stroke" && chosen(call)).flatMap(({ given }) => given[0].parts);
  const ends = strokes.map(([, x, y]) => nodeAt([x, y]));
  return [...new Set(asWords(range(ends.length / 2).map((k) => ends.slice(2 * k, 2 * k + 2))))].sort();
}
const asWords = (edges, shift = 0) => edges.map(([u, v]) => `${Math.min(u, v) + shift}-${Math.max(u, v) + shift}`);

// -- the graphs

test("every node is a disc of its legend's color where it can be clicked; rings mark targets, round in A, square in B", async () => {
  const panel = await live({ values: { layer: 0 } }), { discs, rings, squares } = drawn(panel), [{ r }] = discs;
  assert.equal(discs.length, 12);
  panel.places(12).forEach((place) => assert.equal(discs.filter(({ at }) => samePlace(at, place)).length, 1));
  const items = all(panel.root, ".de-legend .de-item");
  const colors = items.map((item) => item.querySelector(".de-swatch").style.background);
  items.forEach((item, k) => assert.equal(
    text(item, ".de-count"),
    [0, 6].map((from) => discs.filter(({ color, at }) => color === colors[k] && panel.places(12).slice(from, from + 6).some((place) => samePlace(place, at))).length).join(" | ")
  ));
  assert.equal(colors.length, new Set(discs.map(({ color }) => color)).size);
  assert.ok(samePlace(rings[0].at, panel.stage.whereIs(0)) && rings[0].color === look.a && rings[0].size > r);
  assert.ok(samePlace(squares[0].at.map((x) => x + squares[0].size / 2), panel.stage.whereIs(6)) && squares[0].color === look.b);
});

test("edges join the discs of their ends; inside S they are dotted where they are cut", async () => {
  const panel = await live(), solid = (call) => !call.dash.length, dotted = (call) => call.dash.length > 0;
  assert.deepEqual(edgesOf(panel, 12), [...asWords(TRIANGLES), ...asWords(HEXAGON, 6)].sort());
  assert.deepEqual(edgesOf(panel, 12, dotted), []);
  const cut = await single(grid(3, 3), [0, 1, 8], { cut: true, layers: 0 });
  assert.deepEqual(edgesOf(cut, 9, dotted), ["0-1"]);
  assert.deepEqual(edgesOf(cut, 9, solid), asWords(grid(3, 3).edges).filter((edge) => edge !== "0-1").sort());
  await cut.set({ cut: false });
  await cut.model.put({ targets: [[8]] }); // a click shows at once which edges are cut
  assert.deepEqual(edgesOf(cut, 9, dotted), []);
});

test("what a Why? says of edges: solid for it, dashed against it, the stronger the wider", async () => {
  const marks = [[0, 1, 0.9], [1, 2, 0.3], [2, 3, 0.1], [3, 4, -0.6], [4, 5, 0]], panel = await single(B, [0], { marks, layers: 0 });
  const of = (color, dashed) => edgesOf(panel, 6, (call) => call.strokeStyle === color && Boolean(call.dash.length) === dashed);
  assert.deepEqual([of(look.good, false), of(look.against, true)], [["0-1", "1-2", "2-3"], ["3-4"]]);
  const widths = ["0-1", "1-2", "2-3", "4-5"].map((edge) => Math.max(...range(60).map((k) => k / 10).filter((width) => edgesOf(
    panel, 6, (call) => call.lineWidth >= width && call.strokeStyle !== look.faint
  ).includes(edge))));
  assert.ok(widths[0] > widths[1] && widths[1] > widths[2]);
  await panel.model.put({ marks: [] });
  await run(100);
  assert.deepEqual(of(look.good, false), []);
});

test("a click puts a node into its own graph's set or takes it out, and is marked before the kernel answers", async () => {
  const panel = await live({ values: { size: 0, layer: 2 } });
  const before = [".de-headline", ".de-legend", ".de-captions"].map((part) => text(panel.root, part));
  for (const [node, targets, rings] of [[8, [[0], [0, 2]], [0, 6, 8]], [6, [[0], [2]], [0, 8]], [0, [[], [2]], [8]]]) {
    await panel.click(node);
    assert.deepEqual([panel.model.saved.at(-1), JSON.parse(panel.stage.dataset.targets)], [{ targets }, rings]);
  }
  assert.deepEqual([".de-headline", ".de-legend", ".de-captions"].map((part) => text(panel.root, part)), before);
  const count = panel.model.saved.length;
  await panel.click(3, { button: 2 }); // the other button does nothing
  assert.equal(panel.model.saved.length, count);
  await panel.set({ size: 1 });
  await panel.click(4);
  await panel.click(5);
  assert.deepEqual(panel.model.get("targets"), [[5], [2]]);
  await panel.model.put(answerTo([[5], [2]], { values: { size: 1 } }));
  assert.match(text(panel.root, ".de-captions"), /v5.*v2/);
});

test("arrows walk along edges, Enter and space pick, Escape clears, a and b change the graph, and each is heard", async () => {
  const panel = await live({ values: { layer: 0, size: 1 } }), { canvas, stage } = panel;
  const spoken = () => text(panel.root, ".de-stage .de-said"), cursor = () => Number(stage.dataset.cursor);
  canvas.focus();
  await panel.press("ArrowRight"); // the first one stands on a target
  assert.deepEqual([cursor(), spoken().match(/v\d|in [AB]|target$/g)], [0, ["v0", "in A", "target"]]);
  await panel.press("b");
  assert.equal(cursor(), 6);
  const event = await panel.press("ArrowDown"), [from, to] = [stage.whereIs(6), stage.whereIs(cursor())];
  assert.ok(event.defaultPrevented && event.stopped && [7, 11].includes(cursor()) && to[1] > from[1]);
  assert.ok(drawn(panel).rings.some(({ at, dash }) => samePlace(at, to) && dash.length)); // where the keys are
  assert.ok(shown(panel.root.querySelector(".de-left .de-tip")));
  document.activeElement = null;
  canvas.fire("blur");
  await run();
  assert.ok(!drawn(panel).rings.some(({ dash }) => dash.length));
  await panel.press("Enter");
  assert.deepEqual(panel.model.saved.at(-1).targets, [[0], [cursor() - 6]]);
  await panel.model.put(answerTo(panel.model.get("targets"), { values: { layer: 0 } })); // what its color is now
  assert.match(spoken(), /in B, target, target$/);
  await panel.press("a");
  assert.equal(cursor(), 0);
  await panel.press(" ");
  assert.deepEqual(panel.model.saved.at(-1).targets[0], []);
  for (const [key, more] of [["z", {}], ["ArrowLeft", { ctrlKey: true }], ["Enter", { altKey: true }], ["+", { metaKey: true }]]) {
    const before = cursor();
    assert.equal((await panel.press(key, canvas, more)).defaultPrevented, false);
    assert.equal(cursor(), before);
  }
  await panel.press("Escape");
  assert.deepEqual(panel.model.saved.at(-1).targets, [[], []]);
  for (const [key, at] of [["b", 6], ["a", 0]]) { // no target there: the same place in the other graph
    await panel.press(key);
    assert.equal(cursor(), at);
  }
  await panel.press("ArrowRight");
  const at = cursor();
  await panel.press("b");
  assert.equal(cursor(), 6 + at);
  const uneven = await openPanel(liveModel(world([B, { n: 3, edges: [[0, 1], [1, 2]] }], [[], []])));
  await uneven.press("ArrowUp");
  for (let k = 0; k < 3; k++) await uneven.press("ArrowLeft"); // beyond what the other graph has
  await uneven.press("b");
  assert.equal(uneven.stage.dataset.cursor, "8");
});

test("names stay 2 pixels inside their panel and off the rings of targets, and use all the room up to there", async () => {
  const random = chance(7), panel = await single(grid(12, 5), [0], { layers: 0 }), least = [9, 9, 9, 9, 9];
  await change({ calm: true, width: 400 });
  for (let k = 0; k < 3; k++) await panel.press("+");
  for (let k = 0; k < 120; k++) {
    await panel.model.put({ xy: bytes(Float32Array.from(range(120), (i) => (i < 2 ? 0.5 : random.random()))) });
    const named = panel.canvas.pen.calls.filter(({ name, given }) => name === "fillText" && /^g[1-9]/.test(given[0]));
    const [{ at: [cx, cy], size: ring }] = drawn(panel).rings;
    for (const { given: [word, x, y] } of named) {
      const [right, top, bottom] = [x + 6 * word.length, y - 10, y + 3];
      const offRing = Math.max(x - cx, cx - right, top - cy, cy - bottom) - ring;
      [x, 400 - right, top, 300 - bottom, offRing].forEach((room, i) => { least[i] = Math.min(least[i], room); });
    }
  }
  [2, 2, 2, 0, 2].forEach((wanted, i) => assert.ok(least[i] >= wanted - 0.01 && least[i] < wanted + 1, `${least}`));
});

test("each arrow goes its way, not across", async () => {
  const star = { ...grid(3, 3), edges: range(9).filter((i) => i !== 4).map((i) => [4, i]) };
  const panel = await single(star, [4], { layers: 0 }), { canvas } = panel;
  for (const [key, to] of [["ArrowLeft", 3], ["ArrowRight", 5], ["ArrowUp", 7], ["ArrowDown", 1]]) {
    panel.stage.dataset.cursor = "";
    await panel.model.put({ xy: world([star], [[4]], { layers: 0 }).xy }); // the keys begin at the target again
    for (const press of ["ArrowUp", key]) await panel.press(press, canvas);
    assert.equal(Number(panel.stage.dataset.cursor), to, key);
    const said = panel.stage.querySelector(".de-said"); // for who does not see it
    assert.ok(said.textContent.startsWith(`g${to},`) && said.getAttribute("aria-live") === "polite");
  }
});

test("without a target the keys begin at the first node, and one graph has no b", async () => {
  const panel = await single(B, []), cursor = () => panel.stage.dataset.cursor;
  panel.canvas.focus();
  assert.equal((await panel.press("b")).defaultPrevented, false);
  assert.equal((await panel.press("Enter")).defaultPrevented, false); // nothing is under the keys yet
  await panel.press("ArrowLeft");
  assert.equal(cursor(), "0");
  await panel.press("ArrowLeft");
  assert.ok(["1", "5"].includes(cursor()));
  assert.doesNotMatch(text(panel.root, ".de-stage .de-said"), / in [AB]/);
});

test("wheel and keys zoom, panning follows the pointer at any zoom, and Fit brings all back", async () => {
  const panel = await live(), { canvas } = panel, home = panel.places(12);
  const wheel = (i, more) => canvas.fire("wheel", panel.at(i, { deltaY: -100, deltaMode: 0, ...more }));
  const size = ([a, b]) => Math.hypot(b[0] - a[0], b[1] - a[1]), scale = () => size(panel.places(12)) / size(home);
  assert.equal(wheel(0).defaultPrevented, false); // the page scrolls
  assert.deepEqual(panel.places(12), home);
  for (const [more, grown] of [
    [{ ctrlKey: true }, Math.exp(0.18)], [{ metaKey: true, deltaY: 100 }, 1],
    [{ ctrlKey: true, deltaMode: 1, deltaY: -2 }, Math.exp(0.1)],
  ]) {
    const before = panel.places(12)[8];
    assert.ok(wheel(8, more).defaultPrevented);
    await run(1000);
    assert.ok(samePlace(panel.places(12)[8], before) && near(scale(), grown)); // what is under the pointer stays
  }
  await panel.press("0");
  assert.deepEqual(panel.places(12), home);
  for (const [key, grown] of [["+", 1.4], ["=", 1.96], ["-", 1.4]]) {
    await panel.press(key);
    assert.ok(near(scale(), grown));
  }
  const before = panel.places(12), start = pointer([3, 290]);
  canvas.fire("pointerdown", start);
  canvas.fire("pointermove", { ...start, clientX: start.clientX + 3 }); // a shaking hand does not pan
  assert.deepEqual(panel.places(12), before);
  await panel.drag(start, { ...start, clientX: start.clientX + 20, clientY: start.clientY - 10 });
  panel.places(12).forEach((place, i) => assert.ok(samePlace(place, [before[i][0] + 20, before[i][1] - 10])));
  assert.equal(panel.model.saved.length, 0);
  const drawer = await panel.drawer();
  button(drawer, "Fit").click();
  for (const [label, grown] of [["+", 1.4], ["−", 1]]) {
    button(drawer, label).click();
    assert.ok(near(scale(), grown));
  }
});

test("a zoomed view stays in another layout of a graph, and another graph is seen in full", async () => {
  const panel = await live(), xy = () => bytes(Float32Array.from(range(24), (i) => (i * 5) % 7));
  const size = () => Math.hypot(...[0, 1].map((axis) => panel.stage.whereIs(1)[axis] - panel.stage.whereIs(0)[axis]));
  await panel.press("+");
  await panel.model.put({ xy: xy() });
  await run(1000);
  const zoomed = size();
  await panel.press("0");
  assert.ok(near(zoomed / size(), 1.4));
  await panel.press("+");
  await panel.model.put({ ...world([B, A], [[0], [0]]), xy: xy() });
  await run(1000);
  const other = size();
  await panel.press("0");
  assert.ok(near(other, size()));
});

test("a node can be dragged, in each graph; others stay, a scene later it is still there, Fit and another layout end it", async () => {
  const panel = await live(), home = panel.places(12);
  for (const i of [0, 8]) {
    const there = [home[i][0] + 12, home[i][1] - 9];
    await panel.drag(panel.at(i), pointer(there));
    assert.ok(samePlace(panel.stage.whereIs(i), there));
    assert.deepEqual(panel.stage.whereIs(7), home[7]);
    await panel.set({ layer: 1 + (i > 0) });
    assert.ok(samePlace(panel.stage.whereIs(i), there));
    await panel.press("0");
    assert.ok(samePlace(panel.stage.whereIs(i), home[i]));
    await panel.drag(panel.at(i), pointer(there));
  }
  assert.deepEqual(panel.model.get("targets"), [[0], [0]]); // a drag is no click
  await panel.model.put({ xy: traits().xy });
  await run(1000);
  panel.places(12).forEach((place, i) => assert.ok(samePlace(place, home[i])));
});

test("a lasso adds what lies inside it, makes room where p was fixed, and is seen while it is drawn", async () => {
  const panel = await live({ values: { size: 1 } }), { canvas } = panel, [x, y] = panel.stage.whereIs(8);
  const corner = (dx, dy) => pointer([x + dx, y + dy], { shiftKey: true });
  canvas.fire("pointerdown", corner(-9, -9));
  for (const [dx, dy] of [[9, -9], [9, 9], [-9, 9]]) canvas.fire("pointermove", corner(dx, dy));
  await run(50);
  const lines = drawn(panel).over.filter(({ name }) => ["moveTo", "lineTo"].includes(name)).map(({ given }) => given);
  assert.deepEqual(lines, [[-9, -9], [9, -9], [9, 9], [-9, 9]].map(([dx, dy]) => [x + dx, y + dy]));
  canvas.fire("pointerup", corner(-9, 9));
  await run(100);
  assert.deepEqual([panel.model.saved.length, panel.model.saved[0].targets, panel.values().size], [1, [[0], [0, 2]], 0]);
  assert.equal(drawn(panel).over.filter(({ name }) => name === "lineTo").length, 0);
  await panel.set({ size: 3 });
  await panel.drag(corner(-9, -9), corner(9, -9), corner(9, 9), corner(-9, 9)); // it is a target already, and stays one
  const count = panel.model.saved.length;
  await panel.drag(pointer([1, 280], { shiftKey: true }), pointer([9, 280]), pointer([9, 290])); // around nothing
  assert.deepEqual([panel.model.get("targets"), panel.values().size, panel.model.saved.length], [[[0], [0, 2]], 3, count]);
});

test("a click that the page takes away, or that begins elsewhere, picks nothing", async () => {
  const panel = await live(), { canvas } = panel;
  canvas.fire("pointerdown", panel.at(3));
  canvas.fire("pointercancel", panel.at(3));
  canvas.fire("pointerup", panel.at(4));
  await panel.drag(pointer([1, 290]), pointer([1, 290]));
  assert.equal(panel.model.saved.length, 0);
});

test("hovering a node tells what it is, lights its discs, its edges and where a symmetry takes it; a click refreshes all that", async () => {
  const panel = await live({ values: { layer: 2, size: 1 }, numbers: bytes(Float32Array.from(range(12), (i) => i / 3)) });
  const tip = panel.root.querySelector(".de-left .de-tip");
  await panel.model.put({ graphs: { ...panel.model.get("graphs"), notes: range(12).map((i) => `note ${i}`) } });
  const glowing = () => all(panel.svg, ".de-disc").filter((disc) => disc.querySelector(".de-glow")).length;
  assert.ok(!shown(tip));
  await panel.hover(7);
  assert.ok(shown(tip) && panel.canvas.style.cursor === "pointer");
  for (const fact of ["v1", "note 7", "2 neighbors", "distance 1", "class", "2.333", "2 nodes"]) assert.ok(tip.textContent.includes(fact), fact);
  assert.ok(glowing() > 0 && glowing() < all(panel.svg, ".de-disc").length);
  const isLine = ({ name, strokeStyle, given }) => name === "stroke" && strokeStyle === look.text && given.length;
  const edges = panel.canvas.pen.calls.find(isLine).given[0].parts;
  assert.deepEqual(edges.map(([, x, y]) => panel.places(12).findIndex((place) => samePlace(place, [x, y]))), [7, 6, 7, 8]);
  assert.deepEqual(panel.lit(), []);
  const same = (map) => ({ pills: { ...PILLS, symmetry: { kind: "same", map, degree: 2, family: "" } } });
  await panel.model.put(same([3, 4, 5, 0, 1, 2])); // what belongs together follows the verdicts
  assert.deepEqual(panel.lit(), [4]);
  for (const [node, partner] of [[9, 0], [11, 2], [0, 9]]) {
    panel.canvas.style.cursor = "";
    await panel.hover(node);
    assert.ok(shown(tip) && panel.canvas.style.cursor === "pointer");
    assert.deepEqual(panel.lit(), [partner]);
    assert.ok(drawn(panel).glows.some(({ at, color }) => samePlace(at, panel.stage.whereIs(partner)) && color === look.point));
  }
  await panel.model.put({ pills: { ...PILLS, symmetry: { ...same([3, 4, 5, 0, 1, 2]).pills.symmetry, kind: "undecided" } } });
  assert.deepEqual(panel.lit(), []);
  await panel.hover(11);
  await panel.model.put(answerTo([[0], [5]])); // the node under the pointer is a target now
  assert.match(tip.textContent, /target/);
  assert.ok(glowing() > 0);
  panel.canvas.fire("pointerleave");
  await run();
  assert.deepEqual([shown(tip), glowing()], [false, 0]);
  panel.canvas.fire("pointermove", pointer([2, 295]));
  assert.equal(panel.canvas.style.cursor, "grab");
});

test("a tip counts in English, before the first layer too, and goes when another graph comes", async () => {
  const panel = await single({ n: 3, edges: [[0, 1], [1, 2]] }, [0], { values: { layer: 0 } });
  const tip = panel.root.querySelector(".de-left .de-tip");
  await panel.hover(2);
  assert.match(tip.textContent, /1 neighbor;/);
  assert.doesNotMatch(tip.textContent, /class|node/);
  await panel.set({ layer: 1 });
  assert.match(tip.textContent, /class .*: 1 node$/);
  await panel.model.put(world([B], [[0]]));
  assert.equal(shown(tip), false);
});

test("the legend: pointing at an entry leaves only its nodes; at most twelve are listed, with notes", async () => {
  const panel = await live({ values: { layer: 0 } }), item = all(panel.root, ".de-legend .de-item")[1];
  const color = item.querySelector(".de-swatch").style.background;
  item.fire("pointerenter");
  await run();
  const { discs } = drawn(panel), faded = discs.filter((disc) => disc.color !== color);
  assert.ok(faded.length && discs.every(({ alpha, color: own }) => (own === color ? alpha === 1 : alpha < 0.3)));
  item.fire("pointerleave");
  await run();
  assert.ok(drawn(panel).discs.every(({ alpha }) => alpha === 1));
  assert.equal(texts(panel.root, ".de-legend .de-note").length, 0);
  const path = { n: 14, edges: range(13).map((i) => [i, i + 1]) };
  const long = await single(path, [0], { values: { layer: 0 } });
  const notes = () => texts(long.root, ".de-legend .de-note");
  assert.equal(all(long.root, ".de-legend .de-item").length, 12);
  assert.match(notes().at(-1), /\b2 more/);
  await long.model.put({ ...world([path], [[0]], { layers: 3, values: { layer: 2 } }), graphs: long.model.get("graphs") });
  assert.ok(notes().length === 2 && !/\d/.test(notes().at(-1))); // what letters mean
  const seen = { ...long.model.get("seen"), color_by: "LP", title: "walks back", note: "A note." };
  await long.model.put({ seen });
  assert.match(notes()[0], /^walks back/);
  assert.equal(notes().at(-1), "A note.");
  assert.deepEqual(
    t.legendGroups(
      [["a, class b", 1], ["a, class c", 2], ["b", 3]].map(([label, count], k) => ({ text: label, color: k, counts: [count, 0] })),
      2
    ).map(({ label, color, codes, counts }) => [label, color, [...codes], counts]),
    [["a", 0, [0, 1], [3, 0]], ["b", 2, [2], [3, 0]]]
  );
});

test("nodes travel to another layout and arrive; at once where a reader prefers less motion, or another graph comes", async () => {
  const panel = await live(), home = panel.places(12);
  const send = async () => panel.model.put({ xy: bytes(Float32Array.from(range(24), (i) => (i * i * 3) % 11)) });
  await send();
  const onTheWay = [];
  for (let k = 0; k < 5; k++) { await run(70); onTheWay.push(panel.places(12)); }
  await run(1000);
  const goal = panel.places(12), moved = range(12).filter((i) => !samePlace(onTheWay[0][i], goal[i], 1));
  const left = (places, i) => Math.hypot(places[i][0] - goal[i][0], places[i][1] - goal[i][1]);
  assert.ok(moved.length > 6);
  for (const i of moved) onTheWay.slice(1).forEach((places, k) => assert.ok(left(places, i) < left(onTheWay[k], i)));
  await change({ calm: true });
  await panel.model.put({ xy: traits().xy });
  await run(20);
  panel.places(12).forEach((place, i) => assert.ok(samePlace(place, home[i])));
  await change({ calm: false });
  await panel.model.put(world([B], [[0]]));
  await run(20);
  assert.ok(drawn(panel).discs.length === 6);
});

test("a target that makes room fades away", async () => {
  const panel = await live({ values: { size: 1 } });
  const fading = () => drawn(panel).over.filter(({ name }) => name === "arc").map(({ given }) => given);
  const gone = panel.stage.whereIs(6);
  const pick = async (i) => { panel.canvas.fire("pointerdown", panel.at(i)); panel.canvas.fire("pointerup", panel.at(i)); await run(50); };
  await pick(8);
  const [[x, y, r]] = fading();
  assert.ok(samePlace([x, y], gone));
  await run(400);
  assert.ok(fading()[0][2] > r);
  await run(400);
  assert.equal(fading().length, 0);
  await change({ calm: true });
  await pick(9);
  const still = fading()[0][2];
  await run(400);
  assert.equal(fading()[0][2], still);
  await panel.model.put(world([A, B], [[1], [1]])); // not of another graph
  await run(50);
  assert.equal(fading().length, 0);
});

test("the edges of a large graph wait while it is zoomed, and come back", async () => {
  const panel = await single({ n: 4, edges: range(20001).map((i) => [i % 2, 2 + (i % 2)]) }, [0], { layers: 0 });
  const wheel = () => panel.canvas.fire("wheel", panel.at(0, { deltaY: -9, deltaMode: 0, ctrlKey: true }));
  assert.ok(edgeLayer(panel));
  wheel();
  await run(50);
  assert.equal(edgeLayer(panel), undefined);
  await run(300);
  assert.ok(edgeLayer(panel));
  const middle = panel.stage.whereIs(0).map((x, axis) => (x + panel.stage.whereIs(1)[axis]) / 2), start = pointer(middle);
  panel.canvas.fire("pointerdown", start);
  panel.canvas.fire("pointermove", { ...start, clientX: start.clientX + 9 });
  await run(50);
  assert.equal(edgeLayer(panel), undefined);
  panel.canvas.fire("pointerup", start);
  await run(300);
  assert.ok(edgeLayer(panel));
  const small = await live();
  small.canvas.fire("wheel", small.at(0, { deltaY: -9, deltaMode: 0, ctrlKey: true }));
  await run(50);
  assert.ok(edgeLayer(small));
});

test("a panel fits its place and its screen, and wears the colors of the page", async () => {
  const panel = await live();
  await change({ width: 800, height: 200, ratio: 2, ...DARK });
  assert.deepEqual(
    [panel.canvas.width, panel.canvas.height, panel.root.dataset.theme, panel.root.style["--de-text"]],
    [1600, 400, "dark", t.PALETTE.dark.text]
  );
  assert.ok(drawn(panel).rings.some(({ color }) => color === t.PALETTE.dark.a) && panel.places(12).some(([x]) => x > 420));
  assert.equal(panel.svg.getAttribute("viewBox"), "0 0 800 200");
  assert.ok(all(panel.svg, ".de-ring").every((ring) => [t.PALETTE.dark.a, t.PALETTE.dark.b].includes(ring.getAttribute("stroke"))));
});

// -- a large graph is drawn in part

async function inPart(layer = 2) {
  const all = world([B, B], [[0], [0]], { values: { layer, size: 0 } });
  Object.assign(all.graphs, { drawn: [range(6).map((i) => 10 + i), range(6).map((i) => 20 + i)], nodes: [1000, 2000] });
  const net = (side) => ({
    side, nodes: [10, 11, 15, 99].map((node) => node + 10 * side), arcs: [[1, 2, 3], [0], [0], []], codes: [0, 1, 1, 1],
    names: ["a", "b", "c", "d"], classes: [[0, 1, 1, 1], [0, 1, 1, 2]], depth: 1,
  });
  Object.assign(all.seen, { targets: [[10], [20]], net: [net(0), net(1)] });
  return openPanel(liveModel({ ...all, targets: [[10], [20]] }));
}

test("of a graph that is drawn in part, nodes keep their numbers; trees follow what is not drawn", async () => {
  const panel = await inPart();
  assert.match(text(panel.root, ".de-left .de-head"), /12 of 3,000/);
  assert.equal(panel.stage.dataset.targets, "[0,6]");
  await panel.click(8);
  assert.deepEqual(panel.model.saved.at(-1).targets, [[10], [20, 22]]);
  assert.equal(panel.tree.dataset.levels, "[1,1]");
  assert.match(text(panel.root, ".de-key"), /[Dd]epth 2 .*depth 1/);
  all(panel.svg, ".de-disc")[1].fire("pointermove");
  assert.match(text(panel.tree, ".de-tip"), /b, c, d/);
  assert.deepEqual(panel.lit(), [1, 5, 7, 11]); // d is not drawn
  await panel.model.put({ targets: [[10, 77], [20]] });
  assert.equal(panel.stage.dataset.targets, "[0,6]");
});

test("nodes of a graph that is drawn in part are looked for by the kernel", async () => {
  const panel = await inPart(), drawer = await panel.drawer(), field = drawer.querySelector(".de-find");
  type(field, "far");
  await run(200);
  assert.deepEqual(panel.model.sent, [{ kind: "do", name: "search", text: "far" }]);
  panel.model.tell({ kind: "matches", text: "old", items: [[0, 3, "stale", ""]] });
  assert.equal(all(drawer, ".de-matches li").length, 0); // an answer to what is no longer asked
  panel.model.tell({ kind: "matches", text: "far", items: [[1, 23, "far away", "a note"]] });
  assert.deepEqual(texts(drawer, ".de-matches li"), ["far awayin B a note"]);
  await panel.press("Enter", field);
  assert.deepEqual([panel.model.saved.at(-1).targets, panel.stage.dataset.cursor], [[[10], [20, 23]], "9"]);
});
