// The geometry of canvas.js, without a browser: node --test tests/views/js
import assert from "node:assert/strict";
import test from "node:test";
import { load } from "./load.mjs";

const c = await load("dom", "geometry");

const xs = Float32Array.of(0, 100, 100, 0), ys = Float32Array.of(0, 0, 100, 100);
const square = Uint32Array.of(0, 1, 1, 2, 2, 3, 3, 0);

test("typed arrays are read from any offset of a buffer", () => {
  const bytes = new Uint8Array(9);
  bytes.set(new Uint8Array(Float32Array.of(1, 2).buffer), 1);
  assert.deepEqual([...c.typed(Float32Array, new DataView(bytes.buffer, 1, 8))], [1, 2]);
  assert.equal(c.typed(Uint16Array, undefined).length, 0);
});

test("neighbor lists hold both directions of each edge", () => {
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
  const view = c.frame(positions, [0, 2, 4], 400, 300), camera = [1.2, 7, -3];
  assert.ok(view.scale > 0);
  const at = c.project(positions, view, camera);
  assert.ok(at.xs[0] < 200 && at.xs[2] > 200);
  const [x, y] = c.unproject(at.xs[3], at.ys[3], view.panels[1], view, camera);
  assert.ok(Math.abs(x - 1) < 1e-5 && Math.abs(y - 0.5) < 1e-5);
  assert.equal(c.panelAt(view, 10, 9), 0);
  assert.equal(c.panelAt(view, 390, 9), 1);
});

test("zooming keeps the point under the cursor", () => {
  const [zoom, dx, dy] = c.zoomAt([1, 0, 0], 2, 40, 30);
  assert.equal(zoom, 2);
  assert.deepEqual([(40 + dx) * zoom, (30 + dy) * zoom], [40, 30]);
  assert.equal(c.zoomAt([50, 0, 0], 9, 0, 0)[0], 60);
});

test("labels keep off nodes, off each other and inside their panel", () => {
  const wanted = [0, 1].map((node) => ({ node, width: 30, box: 0, must: false }));
  const placed = c.placeLabels(wanted, Float32Array.of(20, 180), Float32Array.of(50, 50), 10, [0, 1], () => [0, 200, 0, 400]);
  assert.equal(placed.length, 2);
  for (const { x } of placed) assert.ok(x >= 0 && x + 30 <= 200);
  const crowded = c.placeLabels(wanted, Float32Array.of(20, 20), Float32Array.of(50, 50), 10, [0, 1], () => [0, 50, 0, 400]);
  assert.ok(crowded.every((a, i) => crowded.every((b, j) => i === j || a.y !== b.y || Math.abs(a.x - b.x) >= 30)));
});

test("edges through a box are counted", () => {
  const box = [40, -5, 60, 5];
  assert.equal(c.crossings(box, xs, ys, square), 1);
  assert.equal(c.crossings([40, 40, 60, 60], xs, ys, square), 0);
});

test("nodes never touch their nearest neighbor", () => {
  assert.ok(c.nodeRadius(xs, ys, 40000) <= 18);
  assert.ok(2 * c.nodeRadius(Float32Array.of(0, 20), Float32Array.of(0, 0), 40000) < 20);
});

test("a click a little beside a small node still hits it", () => {
  assert.equal(c.hitTest(xs, ys, 112, 0, 8), 1); // 12 pixels off, 8 + 5 are allowed
  assert.equal(c.hitTest(xs, ys, 114, 0, 8), -1);
  assert.equal(c.hitTest(Float32Array.of(0, 0), Float32Array.of(0, 0), 0, 0, 8), 1); // the one drawn last lies on top
});

test("zooming out ends at a quarter", () => {
  assert.equal(c.zoomAt([0.3, 0, 0], 0.1, 0, 0)[0], 0.25);
});

test("everything fits into its own panel, high or wide; wide graphs are stacked, high ones stand side by side", () => {
  for (const [w, h, places] of [[2, 0.1, [[0, 0, 400, 150], [0, 150, 400, 150]]], [0.1, 2, [[0, 0, 200, 300], [200, 0, 200, 300]]]]) {
    const positions = Float32Array.of(-w, -h, w, h, -w, -h, w, h);
    const view = c.frame(positions, [0, 2, 4], 400, 300), at = c.project(positions, view, [1, 0, 0]);
    assert.deepEqual(view.panels.map((p) => [p.left, p.top, p.width, p.height]), places);
    for (let i = 0; i < 4; i++) {
      const p = view.panels[i < 2 ? 0 : 1];
      assert.ok(at.xs[i] >= p.left && at.xs[i] <= p.left + p.width, `x of ${i}`);
      assert.ok(at.ys[i] >= p.top + 18 && at.ys[i] <= p.top + p.height, `y of ${i}, below the caption`);
      assert.equal(c.panelAt(view, at.xs[i], at.ys[i]), i < 2 ? 0 : 1);
    }
  }
});

test("an empty panel and a single node are drawn without a scale of infinity", () => {
  const view = c.frame(Float32Array.of(0.5, 0.5), [0, 0, 1], 400, 300), p = view.panels[1];
  const at = c.project(Float32Array.of(0.5, 0.5), view, [1, 0, 0]);
  assert.deepEqual([at.xs[0], at.ys[0]], [p.mx, p.my]);
});

test("the camera moves every panel alike", () => {
  const positions = Float32Array.of(0, 0, 1, 1, 0, 0, 1, 1);
  const view = c.frame(positions, [0, 2, 4], 400, 300);
  const home = c.project(positions, view, [1, 0, 0]), moved = c.project(positions, view, [2, 10, -5]);
  for (const [k, { mx, my }] of [[0, view.panels[0]], [2, view.panels[1]]]) {
    assert.ok(Math.abs(moved.xs[k] - (mx + (home.xs[k] - mx + 10) * 2)) < 1e-3);
    assert.ok(Math.abs(moved.ys[k] - (my + (home.ys[k] - my - 5) * 2)) < 1e-3);
  }
});

test("two labels that must be there keep off each other, be it over nodes", () => {
  const x = new Float32Array(80), y = new Float32Array(80); // discs all over the place
  x.forEach((_, i) => { [x[i], y[i]] = [20 * (i % 10), 19 * Math.floor(i / 10)]; });
  const wanted = [34, 35].map((node) => ({ node, width: 60, box: 0, must: true }));
  const [one, other] = c.placeLabels(wanted, x, y, 10, x.map((_, i) => i), () => [0, 300, 0, 300]);
  assert.ok(Math.abs(one.y - other.y) >= 13 || Math.abs(one.x - other.x) >= 60);
});

test("a caption of two lines has its room above the graph", () => {
  const square = Float32Array.of(0, 0, 1, 2), top = (lines) => {
    const view = c.frame(square, [0, 2], 200, 300, lines);
    return Math.min(...c.project(square, view, [1, 0, 0]).ys);
  };
  assert.ok(top(2) >= 58 && top(1) >= 42);
});

test("a label keeps off what is reserved, and one that must be there is there in any case", () => {
  const node = [{ node: 0, width: 30, box: 0, must: false }], x = Float32Array.of(100), y = Float32Array.of(50);
  const [free] = c.placeLabels(node, x, y, 10, [0], () => [0, 200, 0, 400]);
  assert.ok(free.y > 60 && free.x === 85); // below it comes first
  const taken = [[0, 55, 200, 80]];
  const [moved] = c.placeLabels(node, x, y, 10, [0], () => [0, 200, 0, 400], [], taken);
  assert.ok(moved.y <= 55);
  const everywhere = [[0, 0, 200, 200]];
  assert.deepEqual(c.placeLabels(node, x, y, 10, [0], () => [0, 200, 0, 400], [], everywhere), []);
  assert.equal(c.placeLabels([{ ...node[0], must: true }], x, y, 10, [0], () => [0, 200, 0, 400], [], everywhere).length, 1);
});

test("the name of a target keeps off its ring, as other names do", () => {
  const { ring } = c.marks(10), x = Float32Array.of(100, 128), y = Float32Array.of(50, 50);
  assert.ok(ring > 10);
  const off = ring + 2, square = [100 - off, 50 - off, 100 + off, 50 + off]; // a name has a halo
  const wanted = [{ node: 0, width: 30, box: 0, must: true, own: ring }, { node: 1, width: 12, box: 0, must: false }];
  for (const right of [300, 140]) { // with room on the right, and without
    const placed = c.placeLabels(wanted, x, y, 10, [0, 1], () => [0, right, 0, 400], [], [square]);
    assert.ok(placed.length >= 1);
    for (const { node, x: left, y: base } of placed) {
      const width = wanted[node].width, top = base - 10; // a name is 13 high, 3 of them below its line
      assert.ok(left >= square[2] || left + width <= square[0] || top >= square[3] || top + 13 <= square[1]);
    }
  }
});

test("of the free places a label takes the one that the fewest edges cross, and there are never too many", () => {
  const x = Float32Array.of(100, 100), y = Float32Array.of(50, 166), edge = Uint32Array.of(0, 1);
  const node = [{ node: 0, width: 30, box: 0, must: false }];
  assert.ok(c.placeLabels(node, x, y, 10, [0], () => [0, 300, 0, 400])[0].y > 60);
  assert.ok(c.placeLabels(node, x, y, 10, [0], () => [0, 300, 0, 400], edge)[0].y < 60);
  const many = Array.from({ length: 20 }, () => ({ node: 0, width: 5, box: 0, must: true }));
  assert.equal(c.placeLabels(many, x, y, 10, [0], () => [0, 300, 0, 400], [], [], 7).length, 7);
});

test("many nodes are small, few are large, and none too small to see", () => {
  const grid = (n) => [Float32Array.from({ length: n * n }, (_, i) => 10 * (i % n)), Float32Array.from({ length: n * n }, (_, i) => 10 * Math.floor(i / n))];
  assert.equal(c.nodeRadius(Float32Array.of(0, 100), Float32Array.of(0, 0), 40000), 18);
  assert.ok(Math.abs(c.nodeRadius(...grid(5), 40000) - 4.3) < 1e-6); // 0.43 of a gap of 10
  assert.equal(c.nodeRadius(...grid(60), 100), 1.8);
  assert.equal(c.nodeRadius(Float32Array.of(), Float32Array.of(), 100), 6);
});

test("a target that made room for another is seen to go", () => {
  assert.deepEqual(c.departed([3, 5], [5, 7]), [3]);
  assert.deepEqual(c.departed([3], [3, 4]), []);
  assert.deepEqual(c.departed([3, 5], []), []);
});

// -- against slow, obvious versions, on random cases
let state = 7;
const random = () => (state = (state * 48271) % 2147483647) / 2147483647;

test("crossings are counted as by walking along each edge", () => {
  for (let k = 0; k < 60; k++) {
    const x = Float32Array.from({ length: 8 }, () => 100 * random()), y = Float32Array.from({ length: 8 }, () => 100 * random());
    if (k % 3 === 0) x[1] = x[0]; // upright
    if (k % 3 === 1) y[3] = y[2]; // level
    const edges = Uint32Array.of(0, 1, 2, 3, 4, 5, 6, 7), box = [20 + 20 * random(), 20 + 20 * random(), 55 + 20 * random(), 55 + 20 * random()];
    let wanted = 0;
    for (let e = 0; e < 8; e += 2) {
      const inside = Array.from({ length: 4001 }, (_, s) => s / 4000).some((s) => {
        const u = x[e] + (x[e + 1] - x[e]) * s, v = y[e] + (y[e + 1] - y[e]) * s;
        return u > box[0] && u < box[2] && v > box[1] && v < box[3];
      });
      wanted += inside;
    }
    assert.equal(c.crossings(box, x, y, edges), wanted);
  }
});

test("labels of random graphs touch no node, no other label and no border", () => {
  for (let k = 0; k < 30; k++) {
    const n = 12, r = 5, x = Float32Array.from({ length: n }, () => 300 * random()), y = Float32Array.from({ length: n }, () => 200 * random()), nodes = [...Array(n).keys()];
    const placed = c.placeLabels(nodes.map((node) => ({ node, width: 24, box: 0, must: false })), x, y, r, nodes, () => [0, 300, 0, 200]);
    const boxes = placed.map(({ x: left, y: base }) => [left, base - 10, left + 24, base + 3]), off = (a, b) => a[2] <= b[0] + 1e-6 || a[0] >= b[2] - 1e-6 || a[3] <= b[1] + 1e-6 || a[1] >= b[3] - 1e-6;
    assert.ok(placed.length > 4);
    boxes.forEach((box, i) => {
      assert.ok(box[0] >= 0 && box[2] <= 300 && box[1] >= 0 && box[3] <= 200);
      boxes.slice(0, i).forEach((other) => assert.ok(off(box, other)));
      nodes.forEach((u) => assert.ok(off(box, [x[u] - r, y[u] - r, x[u] + r, y[u] + r])));
      const { node } = placed[i];
      assert.ok(Math.hypot(Math.max(box[0] - x[node], 0, x[node] - box[2]), Math.max(box[1] - y[node], 0, y[node] - box[3])) < r + 8); // beside its node
    });
  }
});

test("room is left for captions and names around a graph, less in a narrow panel", () => {
  const corners = Float32Array.of(-1, -1, 1, 1);
  for (const [roomy, x, top, bottom] of [[1, 26, 42, 26], [0, 14, 26, 12]]) {
    for (const [width, height] of [[400, 300], [300, 500]]) {
      const view = c.frame(corners, [0, 2], width, height, roomy), at = c.project(corners, view, [1, 0, 0]);
      const [left, right] = [Math.min(...at.xs), Math.max(...at.xs)], [high, low] = [Math.min(...at.ys), Math.max(...at.ys)];
      assert.ok(left >= x - 1e-3 && right <= width - x + 1e-3 && high >= top - 1e-3 && low <= height - bottom + 1e-3);
      assert.ok(Math.abs(left - x) < 0.01 || Math.abs(high - top) < 0.01); // and no more than that
      assert.ok(Math.abs(left - (width - right)) < 0.01 && Math.abs(high - top - (height - bottom - low)) < 0.01);
    }
  }
});
