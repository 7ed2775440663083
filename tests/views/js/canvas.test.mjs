// The logic of canvas.js, without a browser: node --test tests/views/js
import assert from "node:assert/strict";
import { copyFileSync, mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import test from "node:test";
import { pathToFileURL } from "node:url";

// node reads a .js file as CommonJS; the widget's file is an ES module, so it is read under another ending
const copy = join(mkdtempSync(join(tmpdir(), "canvas-")), "canvas.mjs");
copyFileSync(new URL("../../../degnn_explore/views/widgets/canvas.js", import.meta.url), copy);
const c = await import(pathToFileURL(copy));

const xs = Float32Array.of(0, 100, 100, 0), ys = Float32Array.of(0, 0, 100, 100);
const square = Uint32Array.of(0, 1, 1, 2, 2, 3, 3, 0);

test("typed arrays are read from any offset of a buffer", () => {
  const bytes = new Uint8Array(9);
  bytes.set(new Uint8Array(Float32Array.of(1, 2).buffer), 1);
  assert.deepEqual([...c.typed(Float32Array, new DataView(bytes.buffer, 1, 8))], [1, 2]);
  assert.equal(c.typed(Uint16Array, undefined).length, 0);
});

test("neighbour lists hold both directions of each edge", () => {
  const { start, list } = c.adjacency(square, 4);
  assert.deepEqual([...start], [0, 2, 4, 6, 8]);
  assert.deepEqual([...list.slice(0, 2)].sort(), [1, 3]);
});

test("a hit is the nearest node within reach, and only in its panel", () => {
  assert.equal(c.hitTest(xs, ys, 97, 4, 8), 1);
  assert.equal(c.hitTest(xs, ys, 50, 50, 8), -1);
  assert.equal(c.hitTest(Float32Array.of(0, 6), Float32Array.of(0, 0), 4, 0, 8), 1);
  assert.equal(c.hitTest(xs, ys, 97, 4, 8, 2, 4), -1);
});

test("a lasso takes what lies inside, by the even-odd rule", () => {
  assert.deepEqual(c.lasso(xs, ys, [[-10, -10], [110, -10], [110, 50], [-10, 50]]), [0, 1]);
  assert.deepEqual(c.lasso(xs, ys, [[-10, -10], [10, 10]]), []);
  const u = [[-20, -20], [120, -20], [120, 120], [80, 120], [80, 20], [20, 20], [20, 120], [-20, 120]];
  assert.deepEqual(c.lasso(Float32Array.of(0, 50), Float32Array.of(100, 100), u), [0]);
});

test("arrow keys follow the edge that points their way, or stay", () => {
  const links = c.adjacency(square, 4);
  assert.equal(c.walk(xs, ys, links, 0, [1, 0]), 1);
  assert.equal(c.walk(xs, ys, links, 0, [0, 1]), 3);
  assert.equal(c.walk(xs, ys, links, 0, [-1, 0]), 0);
});

test("two panels share one scale, and dragging undoes projecting", () => {
  const positions = Float32Array.of(-1, -1, 1, 1, -1, -0.5, 1, 0.5);
  const view = c.frame(positions, [0, 2, 4], [1, 1], 400, 300, false), camera = [1.5, 7, -3];
  assert.equal(view.sx, view.sy);
  const at = c.project(positions, view, camera);
  assert.ok(at.xs[0] < 200 && at.xs[2] > 200);
  const [x, y] = c.unproject(at.xs[3], at.ys[3], view.panels[1], view, camera);
  assert.ok(Math.abs(x - 1) < 1e-5 && Math.abs(y - 0.5) < 1e-5);
  assert.equal(c.panelAt(view, 10), 0);
  assert.equal(c.panelAt(view, 390), 1);
});

test("y grows upwards, and trees hang from the top at one height", () => {
  const view = c.frame(Float32Array.of(0, 0, 0, -1, 0, 0, 0, -3), [0, 2, 4], [1, 1], 400, 300, true);
  const at = c.project(Float32Array.of(0, 0, 0, -1, 0, 0, 0, -3), view, [1, 0, 0]);
  assert.equal(at.ys[0], at.ys[2]);
  assert.ok(at.ys[1] > at.ys[0] && at.ys[3] > at.ys[1] && at.ys[3] < 300);
});

test("zooming keeps the point under the cursor", () => {
  const [zoom, dx, dy] = c.zoomAt([1, 0, 0], 2, 40, 30);
  assert.equal(zoom, 2);
  assert.deepEqual([(40 + dx) * zoom, (30 + dy) * zoom], [40, 30]);
  assert.equal(c.zoomAt([50, 0, 0], 9, 0, 0)[0], 60);
});

test("labels keep off nodes, off each other and inside their panel", () => {
  const wanted = [0, 1].map((node) => ({ node, width: 30, box: 0, must: false }));
  const placed = c.placeLabels(wanted, Float32Array.of(20, 180), Float32Array.of(50, 50), 10, [0, 1], () => [0, 200]);
  assert.equal(placed.length, 2);
  for (const { x } of placed) assert.ok(x >= 0 && x + 30 <= 200);
  const crowded = c.placeLabels(wanted, Float32Array.of(20, 20), Float32Array.of(50, 50), 10, [0, 1], () => [0, 50]);
  assert.ok(crowded.every((a, i) => crowded.every((b, j) => i === j || a.y !== b.y || Math.abs(a.x - b.x) >= 30)));
});

test("edges through a box are counted", () => {
  const box = [40, -5, 60, 5];
  assert.equal(c.crossings(box, xs, ys, square), 1);
  assert.equal(c.crossings([40, 40, 60, 60], xs, ys, square), 0);
});

test("hovering a tree node lights its graph nodes, hovering a graph node all its tree nodes", () => {
  const standsFor = [[2], [4, 5], [2], [6]];
  assert.deepEqual(c.lit(standsFor, { nodes: [4, 5] }, false), [4, 5]);
  assert.deepEqual(c.lit(standsFor, { nodes: [2] }, true), [0, 2]);
  assert.deepEqual(c.lit(standsFor, { nodes: [5] }, true), [1]);
  assert.deepEqual(c.lit(standsFor, { nodes: [] }, true), []);
  assert.deepEqual(c.lit(standsFor, { nodes: [99] }, true), []);
});

test("nodes never touch their nearest neighbour", () => {
  assert.ok(c.nodeRadius(xs, ys, 40000) <= 14);
  assert.ok(2 * c.nodeRadius(Float32Array.of(0, 20), Float32Array.of(0, 0), 40000) < 20);
});
