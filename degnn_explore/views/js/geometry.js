// Where things are on the canvas: panels, places, what lies under a pointer, room for labels. Pure functions.

// Neighbor lists in CSR form: the neighbors of u are list[start[u]] .. list[start[u + 1] - 1].
export function adjacency(edges, n) {
  const start = new Uint32Array(n + 1);
  for (const u of edges) start[u + 1]++;
  for (let u = 0; u < n; u++) start[u + 1] += start[u];
  const next = start.slice(0, n), list = new Uint32Array(edges.length);
  for (let e = 0; e < edges.length; e += 2) {
    list[next[edges[e]]++] = edges[e + 1];
    list[next[edges[e + 1]]++] = edges[e];
  }
  return { start, list };
}

// Splits the room into panels, side by side or one above the other, whichever gives the larger scale; one scale for all,
// so that they zoom in step. Above each graph is its caption, of one line or two; a map (0) has it over the sea.
export function frame(positions, starts, width, height, captionLines = 1) {
  const pad = captionLines ? { x: 26, top: 26 + 16 * captionLines, bottom: 26 } : { x: 14, top: 26, bottom: 12 };
  const boxes = [];
  for (let k = 0; k + 1 < starts.length; k++) {
    let x0 = Infinity, x1 = -Infinity, y0 = Infinity, y1 = -Infinity;
    for (let i = starts[k]; i < starts[k + 1]; i++) {
      x0 = Math.min(x0, positions[2 * i]); x1 = Math.max(x1, positions[2 * i]);
      y0 = Math.min(y0, positions[2 * i + 1]); y1 = Math.max(y1, positions[2 * i + 1]);
    }
    if (x0 > x1) x0 = x1 = y0 = y1 = 0;
    boxes.push({ x0, x1, y0, y1 });
  }
  const arrange = (columns, rows) => {
    const w = width / columns, h = height / rows;
    const room = [Math.max(w - 2 * pad.x, 20), Math.max(h - pad.top - pad.bottom, 20)];
    let scale = height * 2;
    const panels = boxes.map(({ x0, x1, y0, y1 }, k) => {
      scale = Math.min(scale, room[0] / Math.max(x1 - x0, 1e-9), room[1] / Math.max(y1 - y0, 1e-9));
      const left = columns > 1 ? k * w : 0, top = rows > 1 ? k * h : 0;
      return { left, top, width: w, height: h, mx: left + w / 2, my: top + pad.top + room[1] / 2,
               cx: (x0 + x1) / 2, cy: (y0 + y1) / 2, from: starts[k], to: starts[k + 1] };
    });
    return { panels, scale, width, height };
  };
  const sideBySide = arrange(boxes.length, 1), stacked = arrange(1, boxes.length);
  return stacked.scale > sideBySide.scale ? stacked : sideBySide;
}

// World -> screen for every node. camera = [zoom, dx, dy], dx and dy in fitted pixels.
export function project(positions, view, camera) {
  const n = positions.length / 2, xs = new Float32Array(n), ys = new Float32Array(n);
  const [zoom, dx, dy] = camera;
  for (const p of view.panels) {
    for (let i = p.from; i < p.to; i++) {
      xs[i] = p.mx + ((positions[2 * i] - p.cx) * view.scale + dx) * zoom;
      ys[i] = p.my + (-(positions[2 * i + 1] - p.cy) * view.scale + dy) * zoom;
    }
  }
  return { xs, ys };
}

// Screen -> world in the panel that holds the node, for dragging.
export function unproject(x, y, panel, view, camera) {
  const [zoom, dx, dy] = camera;
  return [((x - panel.mx) / zoom - dx) / view.scale + panel.cx, -((y - panel.my) / zoom - dy) / view.scale + panel.cy];
}

export function panelAt(view, x, y) {
  const k = view.panels.findIndex((p) => x >= p.left && x < p.left + p.width && y >= p.top && y < p.top + p.height);
  return k < 0 ? 0 : k;
}

// The nearest node whose disc (or a comfortable margin around it) holds the point, or -1.
export function hitTest(xs, ys, x, y, radius, from = 0, to = xs.length) {
  let best = -1, nearest = (radius + 5) ** 2;
  for (let i = from; i < to; i++) {
    const d = (xs[i] - x) ** 2 + (ys[i] - y) ** 2;
    if (d <= nearest) { nearest = d; best = i; }
  }
  return best;
}

// Nodes within a closed polygon [[x, y], ...], by the even-odd rule.
export function lasso(xs, ys, polygon) {
  const inside = [];
  if (polygon.length < 3) return inside;
  for (let i = 0; i < xs.length; i++) {
    let odd = false;
    for (let a = 0, b = polygon.length - 1; a < polygon.length; b = a++) {
      const [ax, ay] = polygon[a], [bx, by] = polygon[b];
      if (ay > ys[i] !== by > ys[i] && xs[i] < (bx - ax) * (ys[i] - ay) / (by - ay) + ax) odd = !odd;
    }
    if (odd) inside.push(i);
  }
  return inside;
}

// The neighbor that lies best in the direction of an arrow key (screen axes), or the node itself.
export function walk(xs, ys, links, from, direction) {
  let best = from, score = 0.3; // cosine: within about 70 degrees of the arrow
  for (let e = links.start[from]; e < links.start[from + 1]; e++) {
    const to = links.list[e], dx = xs[to] - xs[from], dy = ys[to] - ys[from];
    const cosine = (dx * direction[0] + dy * direction[1]) / (Math.hypot(dx, dy) || 1);
    if (cosine > score) { score = cosine; best = to; }
  }
  return best;
}

// Zoom by a factor and keep the point under the cursor where it is, in every panel alike.
export function zoomAt(camera, factor, px, py) {
  const [zoom, dx, dy] = camera, next = Math.min(60, Math.max(0.25, zoom * factor));
  return [next, dx + px * (1 / next - 1 / zoom), dy + py * (1 / next - 1 / zoom)];
}

// How large a node may be: small enough not to touch its nearest neighbor.
export function nodeRadius(xs, ys, area) {
  const n = xs.length;
  if (!n) return 6;
  if (n <= 60) {
    let nearest = Infinity;
    for (let i = 1; i < n; i++) {
      for (let j = 0; j < i; j++) nearest = Math.min(nearest, Math.hypot(xs[i] - xs[j], ys[i] - ys[j]));
    }
    return Math.min(18, Math.max(2.4, 0.43 * nearest));
  }
  // a sample says how crowded the crowded parts are
  const nearest = [], every = Math.max(1, Math.floor(n / 120));
  for (let i = 0; i < n; i += every) {
    let best = Infinity;
    for (let j = 0; j < n; j++) if (j !== i) best = Math.min(best, (xs[i] - xs[j]) ** 2 + (ys[i] - ys[j]) ** 2);
    nearest.push(Math.sqrt(best));
  }
  nearest.sort((a, b) => a - b);
  const crowded = nearest[Math.floor(nearest.length / 3)], least = n <= 2000 ? 12 : 0;
  return Math.min(15, Math.max(1.8, 0.36 * Math.max(least, Math.min(0.9 * Math.sqrt(area / n), 2 * crowded))));
}

// The targets that made room for others: each is seen to go. When all are cleared, nothing needs saying.
export function departed(before, after) {
  return after.length ? before.filter((i) => !after.includes(i)) : [];
}

// How many edges run through the inside of a box, by clipping each against it (Liang and Barsky).
export function crossings(box, xs, ys, edges) {
  let count = 0;
  for (let e = 0; e < edges.length; e += 2) {
    const x = xs[edges[e]], y = ys[edges[e]], dx = xs[edges[e + 1]] - x, dy = ys[edges[e + 1]] - y;
    let t0 = 0, t1 = 1;
    for (const [p, q] of [[-dx, x - box[0]], [dx, box[2] - x], [-dy, y - box[1]], [dy, box[3] - y]]) {
      if (p < 0) t0 = Math.max(t0, q / p);
      else if (p > 0) t1 = Math.min(t1, q / p);
      else if (q <= 0) t1 = 0; // parallel to this side, and beyond it
    }
    if (t0 < t1) count++;
  }
  return count;
}

// The radius of the ring around a target.
export const ringRadius = (radius) => Math.max(radius, 3) + 4;

// Labels next to nodes, best first, none over another, over a node, or out of its panel; one that must be there may cover
// nodes, and another label only if there is no other place. A node may have its own radius.
export function placeLabels(wanted, xs, ys, radius, nodes, bounds, edges = [], reserved = [], limit = 90) {
  const cell = 48, grid = new Map(), placed = [];
  const cells = (b) => {
    const keys = [];
    for (let i = Math.floor(b[0] / cell); i <= Math.floor(b[2] / cell); i++)
      for (let j = Math.floor(b[1] / cell); j <= Math.floor(b[3] / cell); j++) keys.push(i + ":" + j);
    return keys;
  };
  const add = (b) => cells(b).forEach((k) => grid.get(k)?.push(b) ?? grid.set(k, [b]));
  const apart = (b, o) => b[2] <= o[0] || b[0] >= o[2] || b[3] <= o[1] || b[1] >= o[3];
  const free = (b) => cells(b).every((k) => (grid.get(k) ?? []).every((o) => apart(b, o)));
  const texts = [...reserved];
  reserved.forEach(add);
  for (const i of nodes) add([xs[i] - radius, ys[i] - radius, xs[i] + radius, ys[i] + radius]);
  for (const { node, width, box, must, own = radius } of wanted) {
    if (placed.length >= limit) break;
    const x = xs[node], y = ys[node], r = own + 2, h = 13;
    const [l, rgt, above, below] = bounds(box);
    const spots = [[x - width / 2, y + r + 2], [x - width / 2, y - r - h - 1], [x + r + 3, y - h / 2],
                   [x - r - 3 - width, y - h / 2], [x + r * 0.75, y + r * 0.45], [x - r * 0.75 - width, y + r * 0.45],
                   [x + r * 0.75, y - r * 0.45 - h], [x - r * 0.75 - width, y - r * 0.45 - h]];
    const boxes = spots.map(([a, b]) => [a, b, a + width, b + h]);
    const inside = boxes.filter((b) => b[0] >= l && b[2] <= rgt && b[1] >= above && b[3] <= below), open = inside.filter(free);
    const crossed = open.map((b) => crossings(b, xs, ys, edges));
    let spot = open[crossed.indexOf(Math.min(...crossed))];
    if (!spot && must) spot = inside.find((b) => texts.every((o) => apart(b, o))) ?? boxes[0];
    if (!spot) continue;
    add(spot);
    texts.push(spot);
    placed.push({ node, x: spot[0], y: spot[1] + h - 3 });
  }
  return placed;
}
