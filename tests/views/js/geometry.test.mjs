// Where things are on the canvas, against slow and obvious versions on random cases.
import assert from "node:assert/strict";
import { test } from "node:test";
import { load } from "./load.mjs";
import { chance, grid, neighborsOf, randomEdges, range } from "./worlds.mjs";

const c = await load("geometry");
const near = (a, b, off = 1e-3) => Math.abs(a - b) <= off;
const floats = (n, make) => Float32Array.from({ length: n }, (_, i) => make(i));
const HOME = [1, 0, 0];

test("neighbor lists hold each edge in both directions", () => {
  for (let seed = 0; seed < 20; seed++) {
    const edges = randomEdges(8, 0.3, chance(seed)), { start, list } = c.adjacency(Uint32Array.from(edges.flat()), 8);
    const found = range(8).map((u) => [...list.slice(start[u], start[u + 1])].sort());
    assert.deepEqual(found, neighborsOf(edges, 8).map((nodes) => nodes.sort()));
  }
});

// The room around a graph: a caption of one or two lines above it, and names on all sides; a map needs less.
const PADS = { 0: { x: 14, top: 26, bottom: 12 }, 1: { x: 26, top: 42, bottom: 26 }, 2: { x: 26, top: 58, bottom: 26 } };
function boxOf(view, k, at) {
  const { from, to } = view.panels[k], [x, y] = [at.xs.slice(from, to), at.ys.slice(from, to)];
  return { left: Math.min(...x), right: Math.max(...x), top: Math.min(...y), bottom: Math.max(...y) };
}

test("graphs are as large as their panels allow, of one scale, in the middle, the right way up", () => {
  for (let seed = 0; seed < 60; seed++) {
    const { random, integer } = chance(seed), sides = 1 + (seed % 2), lines = seed % 3;
    const width = 150 + 500 * random(), height = 150 + 400 * random();
    const sizes = range(sides).map(() => 2 + integer(5)), starts = [0, sizes[0], sizes[0] + (sizes[1] ?? 0)].slice(0, sides + 1);
    const stretch = [0.05 + random(), 0.05 + random()], xy = floats(2 * starts.at(-1), (i) => stretch[i % 2] * random());
    const view = c.frame(xy, starts, width, height, lines), at = c.project(xy, view, HOME), pad = PADS[lines];
    const spread = (k, axis) => {
      const all = range(sizes[k]).map((i) => xy[2 * (starts[k] + i) + axis]);
      return Math.max(...all) - Math.min(...all);
    };
    const scaleOf = (w, h) => Math.min(
      2 * height,
      ...range(sides).map((k) => Math.min((w - 2 * pad.x) / spread(k, 0), (h - pad.top - pad.bottom) / spread(k, 1)))
    );
    const across = scaleOf(width / sides, height), down = scaleOf(width, height / sides);
    assert.ok(near(view.scale / Math.max(across, down), 1, 1e-4));
    const [high, wide] = [height / sides, width / sides];
    const places = range(sides).map((k) => (down > across ? [0, k * high, width, high] : [k * wide, 0, wide, height]));
    view.panels.forEach((p, k) => {
      [p.left, p.top, p.width, p.height].forEach((value, i) => assert.ok(near(value, places[k][i])));
      const box = boxOf(view, k, at);
      assert.ok(near(box.left - p.left, p.left + p.width - box.right, 0.01)); // in the middle
      assert.ok(near(box.top - p.top - pad.top, p.top + p.height - pad.bottom - box.bottom, 0.01));
      for (let i = p.from + 1; i < p.to; i++) {
        assert.ok(near(at.xs[i] - at.xs[p.from], (xy[2 * i] - xy[2 * p.from]) * view.scale, 0.01));
        assert.ok(near(at.ys[i] - at.ys[p.from], -(xy[2 * i + 1] - xy[2 * p.from + 1]) * view.scale, 0.01)); // y upwards
      }
    });
  }
});

test("one node, no node and a panel without room are drawn without a scale of infinity", () => {
  const dot = Float32Array.of(0.5, 0.5), { panels, scale } = c.frame(dot, [0, 0, 1], 400, 300);
  assert.ok(Number.isFinite(scale));
  const { xs, ys } = c.project(dot, { panels, scale }, HOME);
  assert.deepEqual([xs[0], ys[0]], [300, 42 + (300 - 42 - 26) / 2]);
  const narrow = c.frame(Float32Array.of(0, 0, 1, 1), [0, 2], 30, 40);
  assert.equal(narrow.scale, 20); // room for 20 pixels is left in any case
  assert.equal(c.nodeRadius(new Float32Array(0), new Float32Array(0), 100), 6);
});

test("dragging undoes projecting, and a point belongs to the panel that it is in", () => {
  for (let seed = 0; seed < 40; seed++) {
    const { random } = chance(seed), xy = floats(8, () => 4 * random() - 2);
    const camera = [0.5 + 3 * random(), 40 * random() - 20, 40 * random() - 20];
    const view = c.frame(xy, [0, 2, 4], 300 + 300 * random(), 300), at = c.project(xy, view, camera), home = c.project(xy, view, HOME);
    for (let i = 0; i < 4; i++) {
      const panel = view.panels[i < 2 ? 0 : 1], [x, y] = c.unproject(at.xs[i], at.ys[i], panel, view, camera);
      assert.ok(near(x, xy[2 * i]) && near(y, xy[2 * i + 1]));
      assert.equal(c.panelAt(view, home.xs[i], home.ys[i]), i < 2 ? 0 : 1);
      // zoomed about the middle of its panel, after a shift in pixels of the fitted picture
      assert.ok(near(at.xs[i], panel.mx + (home.xs[i] - panel.mx + camera[1]) * camera[0], 0.01));
      assert.ok(near(at.ys[i], panel.my + (home.ys[i] - panel.my + camera[2]) * camera[0], 0.01));
    }
  }
  const columns = c.frame(Float32Array.of(0, 0, 0, 1, 0, 0, 0, 1), [0, 2, 4], 400, 300);
  const rows = c.frame(Float32Array.of(0, 0, 1, 0, 0, 0, 1, 0), [0, 2, 4], 400, 300);
  assert.deepEqual([[199, 5], [200, 5], [400, 5], [5, -1], [5, 300]].map(([x, y]) => c.panelAt(columns, x, y)), [0, 1, 0, 0, 0]);
  assert.deepEqual([[5, 149], [5, 150], [5, 299], [5, 300]].map(([x, y]) => c.panelAt(rows, x, y)), [0, 1, 1, 0]);
});

test("a hit is the nearest node within reach, a little beyond its disc, the one on top if two are", () => {
  for (let seed = 0; seed < 40; seed++) {
    const { integer } = chance(seed), xs = floats(12, () => integer(8) * 5), ys = floats(12, () => integer(8) * 5);
    const [x, y, from] = [integer(40), integer(40), integer(6)];
    const reach = range(12).filter((i) => i >= from && i < 10).map((i) => [Math.hypot(xs[i] - x, ys[i] - y), -i, i]).filter(([d]) => d <= 8 + 5);
    const best = reach.sort((a, b) => a[0] - b[0] || a[1] - b[1])[0];
    assert.equal(c.hitTest(xs, ys, x, y, 8, from, 10), best ? best[2] : -1);
  }
  assert.deepEqual([12, 13, 13.1].map((x) => c.hitTest(Float32Array.of(0), Float32Array.of(0), x, 0, 8)), [0, 0, -1]);
});

test("a lasso takes what an odd number of its sides lies to the right of", () => {
  for (let seed = 0; seed < 40; seed++) {
    const { random } = chance(seed), polygon = range(3 + (seed % 5)).map(() => [100 * random(), 100 * random()]);
    const xs = floats(20, () => 100 * random()), ys = floats(20, () => 100 * random());
    const inside = range(20).filter((i) => { // by a ray upwards instead
      const above = polygon.filter(([ax, ay], k) => {
        const [bx, by] = polygon[(k + 1) % polygon.length], share = (xs[i] - ax) / (bx - ax);
        return share >= 0 && share < 1 && ay + share * (by - ay) > ys[i];
      });
      return above.length % 2 === 1;
    });
    assert.deepEqual(c.lasso(xs, ys, polygon), inside);
  }
  assert.deepEqual(c.lasso(Float32Array.of(1), Float32Array.of(1), [[0, 0], [2, 2]]), []);
});

test("an arrow key goes to the neighbor that lies best in its direction, or stays", () => {
  for (let seed = 0; seed < 60; seed++) {
    const random = chance(seed), n = 7, edges = randomEdges(n, 0.4, random), xs = floats(n, () => random.random());
    const ys = floats(n, () => random.random());
    if (seed % 7 === 0) { xs[1] = xs[0]; ys[1] = ys[0]; } // two nodes at one place
    const links = c.adjacency(Uint32Array.from(edges.flat()), n), direction = [[1, 0], [-1, 0], [0, 1], [0, -1]][seed % 4];
    for (const from of range(n)) {
      const cosine = (v) => {
        const [dx, dy] = [xs[v] - xs[from], ys[v] - ys[from]];
        return (dx * direction[0] + dy * direction[1]) / (Math.hypot(dx, dy) || 1);
      };
      const best = neighborsOf(edges, n)[from].filter((v) => cosine(v) > 0.3).sort((u, v) => cosine(v) - cosine(u))[0];
      assert.equal(c.walk(xs, ys, links, from, direction), best ?? from);
    }
  }
});

test("zooming keeps the point under the cursor where it is, between a quarter and sixty times", () => {
  for (let seed = 0; seed < 20; seed++) {
    const { random } = chance(seed), camera = [0.3 + 5 * random(), 50 * random(), -50 * random()];
    const [px, py] = [200 * random() - 100, 200 * random() - 100];
    const [zoom, dx, dy] = c.zoomAt(camera, 0.5 + 2 * random(), px, py);
    const world = [px / camera[0] - camera[1], py / camera[0] - camera[2]];
    assert.ok(near((world[0] + dx) * zoom, px) && near((world[1] + dy) * zoom, py));
  }
  assert.deepEqual([c.zoomAt([2, 0, 0], 3, 0, 0)[0], c.zoomAt([50, 0, 0], 9, 0, 0)[0], c.zoomAt([0.3, 0, 0], 0.1, 0, 0)[0]], [6, 60, 0.25]);
});

test("discs of few nodes never touch, many are smaller, and none is too small or too large to see", () => {
  for (let seed = 0; seed < 20; seed++) {
    const { random } = chance(seed), n = 3 + (seed % 8), xs = floats(n, () => 200 * random()), ys = floats(n, () => 200 * random());
    const gap = Math.min(...range(n).flatMap((i) => range(i).map((j) => Math.hypot(xs[i] - xs[j], ys[i] - ys[j]))));
    assert.ok(near(c.nodeRadius(xs, ys, 40000), Math.min(18, Math.max(2.4, 0.43 * gap)), 1e-4));
  }
  const radius = (w, h, gap, area) => { const { xy, n } = grid(w, h); return c.nodeRadius(
    floats(n, (i) => w * gap * xy[2 * i]), floats(n, (i) => h * gap * xy[2 * i + 1]), area
  ); };
  assert.ok(near(radius(10, 6, 20, 1e6), 0.43 * 20)); // 60 nodes: by the nearest two
  assert.ok(near(radius(10, 7, 20, 28000), 0.36 * 0.9 * 20)); // more: by the room that each has,
  assert.ok(near(radius(10, 7, 8, 28000), 0.36 * 2 * 8)); // and by how crowded they are
  assert.ok(near(radius(50, 40, 2, 8000), 0.36 * 12) && near(radius(50, 41, 6, 1e6), 0.36 * 12)); // 2,000 nodes: at least so large
  assert.ok(near(radius(50, 41, 2, 8000), 1.8) && near(radius(10, 7, 200, 1e8), 15));
  for (let seed = 0; seed < 30; seed++) { // the gap of the most crowded third, of a sample where there are many
    const { random, integer } = chance(seed), n = 61 + integer(seed % 2 ? 60 : 300);
    const xs = floats(n, () => 900 * random() ** 3), ys = floats(n, () => 900 * random());
    const gapOf = (i) => Math.min(...range(n).filter((j) => j !== i).map((j) => Math.hypot(xs[i] - xs[j], ys[i] - ys[j])));
    const sampled = range(n).filter((i) => i % Math.max(1, Math.floor(n / 120)) === 0).map(gapOf).sort((a, b) => a - b);
    assert.ok(near(c.nodeRadius(xs, ys, 1e9), Math.min(15, Math.max(4.32, 0.72 * sampled[Math.floor(sampled.length / 3)]))));
  }
  assert.deepEqual([2, 3, 10].map(c.ringRadius), [7, 7, 14]);
});

test("a target that made room for another is seen to go, but not all at once", () => {
  assert.deepEqual([c.departed([3, 5], [5, 7]), c.departed([3], [3, 4]), c.departed([3, 5], [])], [[3], [], []]);
});

test("edges through the inside of a box are counted as by walking along each of them", () => {
  for (let seed = 0; seed < 150; seed++) {
    const { random } = chance(seed), x = floats(8, () => 100 * random()), y = floats(8, () => 100 * random());
    const edges = Uint32Array.of(0, 1, 2, 3, 4, 5, 6, 7);
    if (seed % 3 === 0) x[1] = x[0]; // upright
    if (seed % 3 === 1) y[3] = y[2]; // level
    const box = [20 + 20 * random(), 20 + 20 * random(), 55 + 20 * random(), 55 + 20 * random()];
    if (seed % 2) { // along its sides, through its corners
      for (const list of [x, y, box]) list.forEach((value, i) => { list[i] = 20 * Math.round(value / 20); });
    }
    const isCrossed = (u, v) => range(1001).some((s) => {
      const [a, b] = [x[u] + ((x[v] - x[u]) * s) / 1000, y[u] + ((y[v] - y[u]) * s) / 1000];
      return a > box[0] && a < box[2] && b > box[1] && b < box[3];
    });
    assert.equal(c.crossings(box, x, y, edges), [0, 2, 4, 6].filter((u) => isCrossed(u, u + 1)).length);
  }
});

// A label is 13 high, and its text stands 3 above its lower border. It may stand below its node, above, to the right, to
// the left, and at the four corners: [of its middle or nearer end, from the middle of the node in radii; gap in pixels].
const WIDTH = 24, HEIGHT = 13;
const boxesOf = (placed) => placed.map(({ x, y }) => [x, y - 10, x + WIDTH, y + 3]);
const apart = (a, b) => a[2] <= b[0] || a[0] >= b[2] || a[3] <= b[1] || a[1] >= b[3];
const discOf = (x, y, r) => [x - r, y - r, x + r, y + r];
function spotsOf(x, y, own) {
  const r = own + 2, [near, far] = [0.75 * r, 0.45 * r], [left, top] = [x - WIDTH, y - HEIGHT];
  const corners = [
    [x - WIDTH / 2, y + r + 2], [x - WIDTH / 2, top - r - 1], [x + r + 3, y - HEIGHT / 2], [left - r - 3, y - HEIGHT / 2],
    [x + near, y + far], [left - near, y + far], [x + near, top - far], [left - near, top - far],
  ];
  return corners.map(([a, b]) => [a, b, a + WIDTH, b + HEIGHT]);
}

test("a label takes the spot that the fewest edges cross, among those inside its panel, over no node and no other label", () => {
  let some = 0;
  for (let seed = 0; seed < 80; seed++) {
    const random = chance(seed), n = 16, r = 5, x = floats(n, () => 400 * random.random());
    const y = floats(n, () => 200 * random.random()), edges = randomEdges(n, 0.1, random).flat();
    const wanted = range(n).map((node) => ({
      node, width: WIDTH, box: x[node] < 200 ? 0 : 1, must: node % 4 === 0, ...(node === 0 ? { own: 12 } : {}),
    }));
    const bounds = (k) => [200 * k, 200 * (k + 1), 0, 200], reserved = [[20, 20, 80, 60]];
    const discs = range(n).map((u) => discOf(x[u], y[u], r)), labels = [];
    for (const { node, box, must, own } of wanted) {
      const [left, right, top, bottom] = bounds(box), spots = spotsOf(x[node], y[node], own ?? r);
      const inside = spots.filter((spot) => spot[0] >= left && spot[2] <= right && spot[1] >= top && spot[3] <= bottom);
      const keepsOff = (others) => (spot) => others.every((other) => apart(spot, other));
      const open = inside.filter(keepsOff([...reserved, ...discs, ...labels]));
      const crossed = open.map((spot) => c.crossings(spot, x, y, edges));
      const least = open[crossed.indexOf(Math.min(...crossed))], overNodes = inside.find(keepsOff([...reserved, ...labels]));
      const best = least ?? (must ? overNodes ?? spots[0] : null);
      if (best) labels.push(best);
    }
    const placed = boxesOf(c.placeLabels(wanted, x, y, r, range(n), bounds, edges, reserved));
    assert.equal(placed.length, labels.length);
    placed.forEach((box, k) => box.forEach((side, i) => assert.ok(near(side, labels[k][i], 1e-6))));
    some += n - labels.length;
  }
  assert.ok(some > 20); // some have no place
});

test("there are no more labels than can be read", () => {
  const many = (limit) => c.placeLabels(
    range(100).map(() => ({ node: 0, width: 4, box: 0, must: true })), [9], [9], 5, [], () => [0, 99, 0, 99], [], [], limit
  ).length;
  assert.deepEqual([many(), many(7)], [90, 7]);
});
