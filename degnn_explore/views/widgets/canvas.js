// The canvas of the graphs. Pure functions first (tests/js calls them), the widget at the end.
// Positions, edges, codes, targets and camera are synced traits: the model is the only state that lasts.

// ---- reading traits --------------------------------------------------------------------------

// A DataView's offset need not suit a typed array, so its bytes are copied.
export function typed(Kind, view) {
  if (!view || !view.byteLength) return new Kind(0);
  return new Kind(view.buffer.slice(view.byteOffset, view.byteOffset + view.byteLength));
}

// Neighbour lists in CSR form: the neighbours of u are list[start[u]] .. list[start[u + 1] - 1].
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

// ---- geometry --------------------------------------------------------------------------------

// Splits the room into panels, side by side or one above the other, whichever gives the larger scale; one scale for all,
// so that they zoom in step.
export function frame(positions, starts, width, height) {
  const pad = { x: 26, top: 34, bottom: 24 }; // above a graph stands its caption
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
  const beside = arrange(Math.max(boxes.length, 1), 1), above = arrange(1, Math.max(boxes.length, 1));
  return above.scale > beside.scale ? above : beside;
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

// The neighbour that lies best in the direction of an arrow key (screen axes), or the node itself.
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

// How large a node may be: small enough not to touch its nearest neighbour.
export function nodeRadius(xs, ys, area) {
  const n = xs.length;
  if (!n) return 6;
  let gap = 0.9 * Math.sqrt(area / n);
  if (n <= 500) {
    let nearest = Infinity;
    for (let i = 0; i < n; i++)
      for (let j = 0; j < i; j++) nearest = Math.min(nearest, Math.hypot(xs[i] - xs[j], ys[i] - ys[j]));
    if (n <= 60) return Math.min(16, Math.max(1.6, 0.41 * nearest));
  }
  // a sample says how crowded the crowded parts are
  const near = [], every = Math.max(1, Math.floor(n / 120));
  for (let i = 0; i < n; i += every) {
    let best = Infinity;
    for (let j = 0; j < n; j++) if (j !== i) best = Math.min(best, (xs[i] - xs[j]) ** 2 + (ys[i] - ys[j]) ** 2);
    near.push(Math.sqrt(best));
  }
  near.sort((a, b) => a - b);
  gap = Math.max(Math.min(gap, 2 * near[Math.floor(near.length / 3)]), n <= 2000 ? 8.5 : 0);
  return Math.min(14, Math.max(1.6, 0.34 * gap));
}

// The targets that made room for others: each is seen to go. When all are cleared, nothing needs saying.
export function departed(before, after) {
  return after.length ? before.filter((i) => !after.includes(i)) : [];
}

// How many edges run through a box, by clipping each against it (Liang and Barsky).
export function crossings(box, xs, ys, edges) {
  let count = 0;
  for (let e = 0; e < edges.length; e += 2) {
    const x = xs[edges[e]], y = ys[edges[e]], dx = xs[edges[e + 1]] - x, dy = ys[edges[e + 1]] - y;
    let t0 = 0, t1 = 1;
    for (const [p, q] of [[-dx, x - box[0]], [dx, box[2] - x], [-dy, y - box[1]], [dy, box[3] - y]]) {
      if (p === 0) { if (q < 0) t1 = -1; }
      else if (p < 0) t0 = Math.max(t0, q / p);
      else t1 = Math.min(t1, q / p);
    }
    if (t0 < t1) count++;
  }
  return count;
}

// Labels beside nodes, best first, none over another, over a node, or out of its panel.
export function placeLabels(wanted, xs, ys, radius, nodes, bounds, edges = [], reserved = [], limit = 90) {
  const cell = 48, grid = new Map(), placed = [];
  const cells = (b) => {
    const keys = [];
    for (let i = Math.floor(b[0] / cell); i <= Math.floor(b[2] / cell); i++)
      for (let j = Math.floor(b[1] / cell); j <= Math.floor(b[3] / cell); j++) keys.push(i + ":" + j);
    return keys;
  };
  const add = (b) => cells(b).forEach((k) => grid.get(k)?.push(b) ?? grid.set(k, [b]));
  const free = (b) => cells(b).every((k) => (grid.get(k) ?? []).every((o) => b[2] <= o[0] || b[0] >= o[2] || b[3] <= o[1] || b[1] >= o[3]));
  reserved.forEach(add);
  for (const i of nodes) add([xs[i] - radius, ys[i] - radius, xs[i] + radius, ys[i] + radius]);
  for (const { node, width, box, must } of wanted) {
    if (placed.length >= limit) break;
    const x = xs[node], y = ys[node], r = radius + 2, h = 13;
    const [l, rgt, above, below] = bounds(box);
    const spots = [[x + r * 0.75, y + r * 0.45], [x - r * 0.75 - width, y + r * 0.45], [x + r + 2, y - h / 2],
                   [x - r - 2 - width, y - h / 2], [x - width / 2, y + r + 1], [x - width / 2, y - r - h],
                   [x + r * 0.75, y - r * 0.45 - h], [x - r * 0.75 - width, y - r * 0.45 - h]];
    const boxes = spots.map(([a, b]) => [a, b, a + width, b + h]);
    const open = boxes.filter((b) => b[0] >= l && b[2] <= rgt && b[1] >= above && b[3] <= below && free(b));
    const crossed = open.map((b) => (edges.length ? crossings(b, xs, ys, edges) : 0));
    const spot = open[crossed.indexOf(Math.min(...crossed))] ?? (must ? boxes[0] : null);
    if (!spot) continue;
    add(spot);
    placed.push({ node, x: spot[0], y: spot[1] + h - 3 });
  }
  return placed;
}

// ---- painting ---------------------------------------------------------------------------------

export function readTheme(el) {
  const css = getComputedStyle(el), get = (name) => css.getPropertyValue(name).trim();
  return { text: get("--de-text"), faint: get("--de-faint"), edge: get("--de-edge"), back: get("--de-card"),
           accent: get("--de-accent"), a: get("--de-a"), b: get("--de-b"), rim: get("--de-rim"), font: css.fontFamily || "sans-serif" };
}

export const LIGHT = { text: "#1f2328", faint: "#6b7280", edge: "#8b949e", back: "#ffffff", accent: "#c04f00", a: "#c04f00", b: "#0072b2",
                       rim: "rgba(0,0,0,0.25)", font: "system-ui, sans-serif" };

function paintEdges(ctx, s, look) {
  const m = s.edges.length / 2;
  const plain = new Path2D(), cut = new Path2D();
  for (let e = 0; e < m; e++) {
    const u = s.edges[2 * e], v = s.edges[2 * e + 1], path = s.edgeStyles[e] ? cut : plain;
    path.moveTo(s.xs[u], s.ys[u]);
    path.lineTo(s.xs[v], s.ys[v]);
  }
  ctx.strokeStyle = look.edge;
  ctx.globalAlpha = m > 20000 ? 0.1 : m > 5000 ? 0.13 : m > 1200 ? 0.2 : 0.85;
  ctx.lineWidth = m > 1200 ? 0.8 : 1.4;
  ctx.stroke(plain);
  ctx.globalAlpha = 0.6;
  ctx.setLineDash([1, 5]);
  ctx.lineCap = "round";
  ctx.lineWidth = 1.6;
  ctx.stroke(cut);
  ctx.globalAlpha = 1;
  ctx.lineCap = "butt";
  ctx.setLineDash([]);
}

function disc(ctx, x, y, r) {
  ctx.beginPath();
  ctx.arc(x, y, r, 0, 2 * Math.PI);
}

function paintNodes(ctx, s, look) {
  const n = s.xs.length, r = s.radius, byCode = s.palette.map(() => []);
  for (let i = 0; i < n; i++) {
    if (s.xs[i] > -r && s.xs[i] < s.width + r && s.ys[i] > -r && s.ys[i] < s.height + r) (byCode[s.codes[i] ?? 0] ?? byCode[0])?.push(i);
  }
  byCode.forEach((members, code) => {
    ctx.fillStyle = s.palette[code];
    ctx.globalAlpha = s.only !== null && s.only !== code ? 0.15 : 1;
    if (r < 2.6 && n > 3000) { // thousands of specks: squares are quicker, and look the same
      for (const i of members) ctx.fillRect(s.xs[i] - r, s.ys[i] - r, 2 * r, 2 * r);
    } else {
      const path = new Path2D();
      for (const i of members) {
        path.moveTo(s.xs[i] + r, s.ys[i]);
        path.arc(s.xs[i], s.ys[i], r, 0, 2 * Math.PI);
      }
      ctx.fill(path);
      if (n <= 3000) {
        ctx.strokeStyle = look.rim;
        ctx.lineWidth = r < 5 ? 0.35 : 1; // a full rim would wash out the colour of a small node
        ctx.stroke(path);
      }
    }
    const mark = s.marks[code];
    if (mark && r >= 6.5) {
      let size = Math.min(13, r * 1.1);
      ctx.font = `600 ${size}px ${look.font}`;
      const room = 1.75 * r, wide = ctx.measureText(mark).width;
      if (wide > room) size *= room / wide;
      if (size >= 9) { // smaller could not be read
        ctx.font = `600 ${size}px ${look.font}`;
        ctx.fillStyle = s.inks[code];
        ctx.textAlign = "center";
        ctx.textBaseline = "middle";
        for (const i of members) ctx.fillText(mark, s.xs[i], s.ys[i] + 0.5);
      }
    }
  });
  ctx.globalAlpha = 1;
}

function paintTargets(ctx, s, look) {
  const r = Math.max(s.radius, 3) + 4;
  ctx.textAlign = "center";
  ctx.textBaseline = "middle";
  s.targets.forEach((i, k) => {
    const colour = s.letters[k] === "B" ? look.b : look.a;
    ctx.strokeStyle = colour;
    ctx.lineWidth = 2.2;
    disc(ctx, s.xs[i], s.ys[i], r);
    ctx.stroke();
    const letter = s.letters[k] ?? "";
    if (!letter || s.targets.length > 60) return;
    ctx.font = `700 13px ${look.font}`;
    halo(ctx, letter, s.xs[i] - r * 0.85 - 3, s.ys[i] - r * 0.85 - 3, colour, look.back);
  });
}

function halo(ctx, text, x, y, colour, back) {
  ctx.lineJoin = "round";
  ctx.lineWidth = 3.5;
  ctx.strokeStyle = back;
  ctx.strokeText(text, x, y);
  ctx.fillStyle = colour;
  ctx.fillText(text, x, y);
}

function paintLabels(ctx, s, look) {
  const n = s.xs.length, r = s.radius;
  const seen = (i) => s.xs[i] > 0 && s.xs[i] < s.width && s.ys[i] > 0 && s.ys[i] < s.height;
  ctx.font = `600 11px ${look.font}`;
  ctx.textAlign = "left";
  ctx.textBaseline = "middle";
  if (!s.names.length) return;
  ctx.font = `11px ${look.font}`;
  const bold = new Set([...s.targets, ...s.glow, s.hover, s.cursor].filter((i) => i >= 0));
  let order = [...bold].slice(0, 40);
  if (n <= 60 || r >= 5) {
    const rest = [];
    for (let i = 0; i < n; i++) if (!bold.has(i) && seen(i)) rest.push(i);
    if (n > 60) rest.sort((a, b) => s.degree(b) - s.degree(a));
    order = order.concat(rest.slice(0, 250));
  }
  const wanted = order.filter(seen).map((node) => ({
    node, width: ctx.measureText(s.names[node]).width, box: s.panelOf(node), must: bold.has(node) }));
  const bounds = (k) => { const p = s.view.panels[k]; return [p.left + 2, p.left + p.width - 2, p.top + 18, p.top + p.height]; };
  const nodes = [];
  for (let i = 0; i < n; i++) if (seen(i)) nodes.push(i);
  const out = (Math.max(r, 3) + 4) * 0.85 + 3; // where paintTargets puts the letters
  const letters = s.targets.map((i) => [s.xs[i] - out - 6, s.ys[i] - out - 7, s.xs[i] - out + 6, s.ys[i] - out + 7]);
  ctx.textBaseline = "alphabetic";
  for (const { node, x, y } of placeLabels(wanted, s.xs, s.ys, r, nodes.length <= 3000 ? nodes : [], bounds, s.edges.length <= 400 ? s.edges : [], letters))
    halo(ctx, s.names[node], x, y, bold.has(node) ? look.text : look.faint, look.back);
}

function paintGlow(ctx, s, look) {
  ctx.strokeStyle = look.accent;
  if (s.hover >= 0 && s.links) {
    const path = new Path2D();
    for (let e = s.links.start[s.hover]; e < s.links.start[s.hover + 1]; e++) {
      path.moveTo(s.xs[s.hover], s.ys[s.hover]);
      path.lineTo(s.xs[s.links.list[e]], s.ys[s.links.list[e]]);
    }
    ctx.strokeStyle = look.text;
    ctx.globalAlpha = 0.55;
    ctx.lineWidth = 1.5;
    ctx.stroke(path);
  }
  ctx.globalAlpha = 0.35;
  ctx.fillStyle = look.accent;
  for (const i of s.glow) {
    disc(ctx, s.xs[i], s.ys[i], Math.max(s.radius, 3) + 7);
    ctx.fill();
  }
  ctx.globalAlpha = 1;
}

function panelwise(ctx, s, paint) {
  if (s.view.panels.length < 2) return paint();
  for (const p of s.view.panels) { // a zoomed graph never spills over into its neighbour
    ctx.save();
    ctx.beginPath();
    ctx.rect(p.left, p.top, p.width, p.height);
    ctx.clip();
    paint();
    ctx.restore();
  }
}

// ---- the widget ---------------------------------------------------------------------------------

const make = (tag, className, text) => {
  const node = document.createElement(tag);
  if (className) node.className = className;
  if (text !== undefined) node.textContent = text; // text, never markup: names come from files
  return node;
};

function download(name, blob) {
  const link = make("a");
  link.href = URL.createObjectURL(blob);
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 10000);
}

function render({ model, el }) {
  const root = make("div", "de-canvas");
  const bar = make("div", "de-canvas-bar"), note = make("span", "de-canvas-note"), stage = make("div", "de-stage");
  const canvas = make("canvas"), tip = make("div", "de-tip"), said = make("div", "de-said");
  const captions = make("div", "de-captions"), legend = make("div", "de-legend"), foot = make("div", "de-foot");
  const bubble = make("div", "de-bubble"), busy = make("div", "de-busy");
  canvas.tabIndex = 0;
  canvas.setAttribute("role", "application");
  canvas.setAttribute("aria-roledescription", "graph");
  canvas.setAttribute("aria-label", model.get("description"));
  said.setAttribute("aria-live", "polite");
  tip.hidden = bubble.hidden = true;
  bubble.setAttribute("role", "alert");
  stage.append(canvas, captions, bubble, busy);
  foot.append(legend, tip); // what a node is stands below the graph, never over it
  root.append(bar, stage, said, foot);
  el.append(root);

  const ctx = canvas.getContext("2d"), edgeLayer = document.createElement("canvas");
  const s = { hover: -1, cursor: -1, glow: [], going: [], only: null, width: 0, height: 0 };
  const calm = () => globalThis.matchMedia?.("(prefers-reduced-motion: reduce)").matches;
  let positions, camera, edgesDirty = true, waiting = 0, gesture = null, tween = null, extra = null, moving = false, ownMove = false;
  const n = () => positions.length / 2;
  s.degree = (i) => s.links.start[i + 1] - s.links.start[i];
  s.panelOf = (i) => Math.max(0, s.view.panels.findIndex((p) => i >= p.from && i < p.to));

  // -- model -> scene
  function readPositions(animate) {
    const next = typed(Float32Array, model.get("positions")), old = positions;
    tween = null;
    if (animate && !calm() && old && old.length === next.length && next.length <= 6000) tween = { from: old.slice(), to: next, start: performance.now() };
    positions = tween ? old.slice() : next;
  }
  function readEdges() {
    s.edges = typed(Uint32Array, model.get("edges"));
    s.links = adjacency(s.edges, n());
    s.edgeStyles = typed(Uint8Array, model.get("edge_styles"));
  }
  function readColours() {
    s.codes = typed(Uint16Array, model.get("codes"));
    s.values = typed(Float32Array, model.get("values"));
    const entries = model.get("legend");
    s.palette = entries.map((e) => e.colour);
    s.inks = entries.map((e) => e.ink);
    s.marks = entries.map((e) => e.mark);
  }
  function readTargets() {
    const next = model.get("targets"), start = performance.now();
    s.going = s.seen === positions.length ? departed(s.targets, next).map((i) => ({ i, start })) : [];
    s.seen = positions.length;
    s.targets = next;
    s.letters = model.get("letters");
  }
  function readText() { s.names = model.get("names"); }
  function layOut() {
    // fit to the resting place, or the view would breathe while nodes travel
    const goal = tween ? tween.to : positions;
    s.view = frame(goal, model.get("starts"), s.width, s.height);
    const still = project(goal, s.view, [1, 0, 0]);
    s.base = nodeRadius(still.xs, still.ys, s.width * s.height);
    reproject();
    writeCaptions();
  }
  function reproject() {
    Object.assign(s, project(positions, s.view, camera));
    s.radius = Math.min(16, s.base * Math.sqrt(Math.max(camera[0], 0.2)) * (camera[0] > 1 && s.base < 6 ? Math.sqrt(camera[0]) ** 0.6 : 1));
    edgesDirty = true;
  }

  // -- drawing: edges are kept in a layer of their own, so that recolouring repaints only nodes
  function drawEdges(dpr, look) {
    edgeLayer.width = canvas.width;
    edgeLayer.height = canvas.height;
    const pen = edgeLayer.getContext("2d");
    pen.setTransform(dpr, 0, 0, dpr, 0, 0);
    panelwise(pen, s, () => paintEdges(pen, s, look));
    edgesDirty = false;
  }
  function draw() {
    waiting = 0;
    if (!s.width) return;
    if (tween) {
      const t = Math.min(1, (performance.now() - tween.start) / 420), ease = 1 - (1 - t) ** 3;
      for (let i = 0; i < positions.length; i++) positions[i] = tween.from[i] + (tween.to[i] - tween.from[i]) * ease;
      if (t === 1) tween = null; else redraw();
      reproject();
    }
    const dpr = globalThis.devicePixelRatio || 1, look = readTheme(root);
    if (edgesDirty && !(moving && s.edges.length > 40000)) drawEdges(dpr, look);
    ctx.setTransform(1, 0, 0, 1, 0, 0);
    ctx.clearRect(0, 0, canvas.width, canvas.height);
    if (!edgesDirty) ctx.drawImage(edgeLayer, 0, 0); // while a large graph is panned, its edges wait
    ctx.setTransform(dpr, 0, 0, dpr, 0, 0);
    panelwise(ctx, s, () => {
      paintGlow(ctx, s, look);
      paintNodes(ctx, s, look);
      paintTargets(ctx, s, look);
      paintLabels(ctx, s, look);
      if (s.cursor >= 0 && document.activeElement === canvas) {
        ctx.strokeStyle = look.text;
        ctx.setLineDash([3, 3]);
        ctx.lineWidth = 1.5;
        disc(ctx, s.xs[s.cursor], s.ys[s.cursor], s.radius + 8);
        ctx.stroke();
        ctx.setLineDash([]);
      }
    });
    s.going = s.going.filter(({ start }) => performance.now() - start < 900);
    for (const { i, start } of s.going) {
      const t = (performance.now() - start) / 900;
      ctx.globalAlpha = 1 - t;
      ctx.strokeStyle = look.accent;
      ctx.lineWidth = 2.2;
      disc(ctx, s.xs[i], s.ys[i], Math.max(s.radius, 3) + 4 + (calm() ? 0 : 14 * t));
      ctx.stroke();
      ctx.globalAlpha = 1;
    }
    if (s.going.length) redraw();
    for (const p of s.view.panels.slice(1)) {
      ctx.strokeStyle = look.edge;
      ctx.globalAlpha = 0.25;
      ctx.lineWidth = 1;
      ctx.beginPath();
      const [x, y] = [Math.round(p.left) + 0.5, Math.round(p.top) + 0.5];
      ctx.moveTo(p.top ? 8 : x, p.top ? y : 8);
      ctx.lineTo(p.top ? s.width - 8 : x, p.top ? y : s.height - 8);
      ctx.stroke();
      ctx.globalAlpha = 1;
    }
    if (gesture?.kind === "lasso") {
      ctx.strokeStyle = look.accent;
      ctx.fillStyle = look.accent;
      ctx.lineWidth = 1.5;
      ctx.beginPath();
      gesture.path.forEach(([x, y], i) => (i ? ctx.lineTo(x, y) : ctx.moveTo(x, y)));
      ctx.closePath();
      ctx.stroke();
      ctx.globalAlpha = 0.12;
      ctx.fill();
      ctx.globalAlpha = 1;
    }
    root.dataset.targets = JSON.stringify(s.targets);
    root.dispatchEvent(new CustomEvent("de-drawn", { bubbles: true, detail: { serial: model.get("serial") } }));
  }
  function redraw() { waiting ||= requestAnimationFrame(draw); }
  function resize() {
    const width = stage.clientWidth, height = stage.clientHeight, dpr = globalThis.devicePixelRatio || 1;
    if (!width || !height) return;
    canvas.width = Math.round(width * dpr);
    canvas.height = Math.round(height * dpr);
    s.width = width;
    s.height = height;
    layOut();
    redraw();
  }

  // -- legend and captions, as text
  function writeLegend() {
    const entries = model.get("legend"), counted = entries.filter((e) => e.counts);
    legend.replaceChildren();
    if (model.get("legend_title")) legend.append(make("span", "de-legend-title", model.get("legend_title")));
    counted.forEach((entry) => {
      const code = entries.indexOf(entry), item = make("span", "de-legend-item");
      const short = entry.mark && entry.mark.length <= 4, swatch = make("span", "de-swatch", short ? entry.mark : "");
      swatch.style.background = entry.colour;
      swatch.style.color = entry.ink;
      item.title = entry.label;
      item.append(swatch, make("span", short ? "de-said" : "", entry.label), make("span", "de-count", entry.counts.join(" | ")));
      item.addEventListener("pointerenter", () => { s.only = code; redraw(); });
      item.addEventListener("pointerleave", () => { s.only = null; redraw(); });
      legend.append(item);
    });
    if (model.get("legend_note")) legend.append(make("span", "de-legend-note", model.get("legend_note")));
  }
  function writeCaptions() {
    captions.replaceChildren(...model.get("captions").map((text, k) => {
      const p = s.view?.panels[k], one = make("div"), letter = make("b", k ? "de-letter-b" : "de-letter-a", text.slice(0, 1));
      one.append(letter, text.slice(1));
      if (p) Object.assign(one.style, { left: `${p.left}px`, top: `${p.top}px`, maxWidth: `${p.width - 8}px` });
      return one;
    }));
  }

  // -- toolbar: find a node, zoom
  function button(text, title, act) {
    const b = make("button", "de-tool", text);
    b.type = "button";
    b.title = title;
    b.setAttribute("aria-label", title);
    b.addEventListener("click", act);
    return b;
  }
  function fit() {
    const home = model.get("home");
    if (home?.byteLength) {
      model.set("positions", home);
      model.set("home", new DataView(new ArrayBuffer(0)));
    }
    lookAt([1, 0, 0]);
  }
  function lookAt(next) { camera = next; reproject(); redraw(); saveCamera(); }
  let saving = 0;
  function saveCamera() {
    clearTimeout(saving);
    saving = setTimeout(() => { moving = false; redraw(); model.set("camera", camera); model.save_changes(); }, 180);
  }
  const title = make("span", "de-canvas-title");
  bar.append(title, note);
  function writeTitle() {
    title.textContent = model.get("title");
    note.textContent = note.title = model.get("note");
    busy.textContent = model.get("busy");
    busy.hidden = !busy.textContent;
  }
  const tools = make("span", "de-tools");
  const find = make("input", "de-find");
  find.type = "search";
  find.placeholder = "Find a node";
  find.setAttribute("aria-label", "Find a node by name and pick it");
  const list = make("ul", "de-matches");
  list.id = `de-matches-${model.get("link") || "one"}`;
  list.setAttribute("role", "listbox");
  list.setAttribute("aria-label", "Nodes found");
  const drop = (open) => { list.hidden = !open; find.setAttribute("aria-expanded", String(open)); };
  const mark = () => [...list.children].forEach((li, k) => { li.classList.toggle("de-active", k === active); li.setAttribute("aria-selected", String(k === active)); });
  for (const [name, value] of [["role", "combobox"], ["aria-controls", list.id], ["aria-autocomplete", "list"]]) find.setAttribute(name, value);
  drop(false);
  let items = [], active = 0, typing = 0;
  const choose = (k) => {
    if (!items[k]) return;
    model.send({ type: "find", key: items[k].key });
    find.value = "";
    drop(false);
  };
  find.addEventListener("input", () => {
    clearTimeout(typing);
    if (find.value.trim()) typing = setTimeout(() => model.send({ type: "search", text: find.value.trim().slice(0, 100) }), 90);
    else drop(false);
  });
  find.addEventListener("keydown", (event) => {
    event.stopPropagation();
    if (event.key === "Escape") { find.value = ""; drop(false); canvas.focus(); }
    else if (event.key === "Enter") choose(active);
    else if (event.key === "ArrowDown" || event.key === "ArrowUp") {
      active = Math.max(0, Math.min(items.length - 1, active + (event.key === "ArrowDown" ? 1 : -1)));
      mark();
      event.preventDefault();
    }
  });
  find.addEventListener("blur", () => setTimeout(() => { drop(false); }, 200));
  find.showMatches = (text, found) => {
    if (text !== find.value.trim().slice(0, 100)) return; // an answer to what was typed before
    items = found;
    active = 0;
    list.replaceChildren(...(found.length ? found.map((item, k) => {
      const li = make("li");
      li.setAttribute("role", "option");
      li.append(make("b", "", item.name), make("span", "", item.note));
      li.addEventListener("pointerdown", (event) => { event.preventDefault(); choose(k); });
      return li;
    }) : [make("li", "de-none", "no node with this name")]));
    mark();
    drop(true);
  };
  const box = make("span", "de-find-box");
  box.append(find, list);
  tools.append(box);
  tools.append(button("+", "Zoom in", () => lookAt(zoomAt(camera, 1.4, 0, 0))), button("−", "Zoom out", () => lookAt(zoomAt(camera, 1 / 1.4, 0, 0))),
               button("Fit", "Fit to the panel, dragged nodes back in place", fit));
  bar.append(tools);

  // -- hovering
  const number = (x) => (x === 0 ? "0" : Math.abs(x) >= 0.001 && Math.abs(x) < 1e5 ? String(+x.toPrecision(4)) : x.toExponential(2));
  function showTip() {
    const i = s.hover;
    if (i < 0 || gesture) { tip.hidden = true; return; }
    const entry = model.get("legend")[s.codes[i]], notes = model.get("notes"), lines = [];
    tip.replaceChildren(make("b", "", s.names[i] ?? ""));
    if (notes[i]) lines.push(notes[i]);
    lines.push(`degree ${s.degree(i)}`);
    if (entry?.label) lines.push(model.get("legend_title") ? `${model.get("legend_title")}: ${s.values.length ? number(s.values[i]) : entry.label}` : entry.label);
    if (extra?.node === i) lines.push(...extra.lines);
    lines.forEach((line) => tip.append(make("div", "", line)));
    tip.hidden = false;
  }
  let asked = 0;
  function hoverOn(i) {
    if (i !== s.hover) {
      s.hover = i;
      extra = null;
      document.dispatchEvent(new CustomEvent("de-hover", { detail: { link: model.get("link"), tree: false, nodes: i < 0 ? [] : [i] } }));
      clearTimeout(asked);
      if (i >= 0) asked = setTimeout(() => model.send({ type: "tip", node: i }), 60);
      redraw();
    }
    showTip();
  }
  function otherHovers(event) {
    const { link, tree, nodes } = event.detail; // nodes of this canvas that a subtree or the strip points at
    if (!link || link !== model.get("link") || !tree) return;
    s.glow = nodes.filter((i) => i < n());
    root.dataset.lit = JSON.stringify(s.glow);
    redraw();
  }
  document.addEventListener("de-hover", otherHovers);

  // -- pointer: click toggles, drag moves a node or pans, shift-drag lassos
  let pointer = [0, 0], bursting = 0;
  function say(text) { // beside the pointer, where the eye is; it goes by itself
    clearTimeout(bursting);
    bubble.textContent = text;
    bubble.hidden = !text;
    if (!text) return;
    const left = Math.min(pointer[0] + 14, s.width - bubble.offsetWidth - 4), top = Math.min(pointer[1] + 16, s.height - bubble.offsetHeight - 4);
    Object.assign(bubble.style, { left: `${Math.max(4, left)}px`, top: `${Math.max(4, top)}px` });
    bursting = setTimeout(() => say(""), 9000);
  }
  const where = (event) => { const box = canvas.getBoundingClientRect(); return [event.clientX - box.left, event.clientY - box.top]; };
  function nodeAt(x, y) {
    const p = s.view.panels[panelAt(s.view, x, y)];
    return p ? hitTest(s.xs, s.ys, x, y, s.radius, p.from, p.to) : -1;
  }
  canvas.addEventListener("pointerdown", (event) => {
    if (event.button !== 0) return;
    const [x, y] = where(event), node = nodeAt(x, y);
    say("");
    canvas.focus({ preventScroll: true });
    canvas.setPointerCapture(event.pointerId);
    gesture = { kind: event.shiftKey ? "lasso" : node >= 0 ? "node" : "pan", node, x, y, path: [[x, y]], camera: camera.slice(), moved: false };
  });
  canvas.addEventListener("pointermove", (event) => {
    const [x, y] = pointer = where(event);
    if (!gesture) { const i = nodeAt(x, y); canvas.style.cursor = i >= 0 ? "pointer" : "grab"; return hoverOn(i); }
    if (!gesture.moved && Math.hypot(x - gesture.x, y - gesture.y) < 4) return;
    gesture.moved = true;
    tip.hidden = true;
    if (gesture.kind === "lasso") gesture.path.push([x, y]);
    else if (gesture.kind === "pan") {
      moving = true;
      camera = [camera[0], gesture.camera[1] + (x - gesture.x) / camera[0], gesture.camera[2] + (y - gesture.y) / camera[0]];
      reproject();
    } else {
      tween = null;
      const [wx, wy] = unproject(x, y, s.view.panels[s.panelOf(gesture.node)], s.view, camera);
      positions[2 * gesture.node] = wx;
      positions[2 * gesture.node + 1] = wy;
      reproject();
    }
    redraw();
  });
  function release(event) {
    if (!gesture) return;
    const done = gesture;
    gesture = null;
    if (done.kind === "lasso" && done.moved) {
      const nodes = lasso(s.xs, s.ys, done.path);
      if (nodes.length) model.send({ type: "lasso", nodes });
    } else if (done.moved && done.kind === "pan") saveCamera();
    else if (done.moved && done.kind === "node") {
      ownMove = true; // fitting again now would make the whole picture jump
      if (!model.get("home")?.byteLength) model.set("home", model.get("positions"));
      model.set("positions", new DataView(positions.slice().buffer));
      model.save_changes();
    } else if (!done.moved && done.node >= 0 && event.type === "pointerup") {
      s.cursor = done.node;
      pick(done.node);
    }
    redraw();
  }
  function pick(node) {
    root.dataset.clicked = String(performance.now());
    model.send({ type: "pick", node });
    heard = node;
  }
  // for ears: the node, which graph it is in, what its colour says, whether it is a target
  let heard = -1;
  function describe(i) {
    const entry = model.get("legend")[s.codes[i]], side = s.view.panels.length > 1 ? ` in ${"AB"[s.panelOf(i)]}` : "";
    const value = entry?.label ? `, ${model.get("legend_title")} ${s.values.length ? number(s.values[i]) : entry.label}` : "";
    said.textContent = `${s.names[i] ?? i}${side}${value}${s.targets.includes(i) ? ", target" : ""}`;
  }
  function pointAt(i) {
    pointer = [s.xs[i], s.ys[i]];
    hoverOn(i);
    describe(i);
  }
  canvas.addEventListener("pointerup", release);
  canvas.addEventListener("pointercancel", release);
  canvas.addEventListener("pointerleave", () => { if (!gesture) hoverOn(-1); });
  canvas.addEventListener("wheel", (event) => {
    if (!gesture && !event.ctrlKey && !event.metaKey) return; // the page scrolls on
    event.preventDefault();
    const [x, y] = where(event), p = s.view.panels[panelAt(s.view, x, y)];
    moving = true;
    lookAt(zoomAt(camera, Math.exp(-event.deltaY * (event.deltaMode ? 0.05 : 0.0018)), x - p.mx, y - p.my));
  }, { passive: false });

  // -- keyboard
  const arrows = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] };
  canvas.addEventListener("keydown", (event) => {
    const arrow = arrows[event.key];
    if (arrow && n()) {
      s.cursor = s.cursor < 0 || s.cursor >= n() ? s.targets[0] ?? 0 : walk(s.xs, s.ys, s.links, s.cursor, arrow);
      pointAt(s.cursor);
    } else if (s.view.panels.length > 1 && ["a", "b"].includes(event.key)) {
      const p = s.view.panels[event.key === "a" ? 0 : 1], old = s.view.panels[s.panelOf(Math.max(s.cursor, 0))];
      const same = p.from + Math.max(s.cursor, 0) - old.from; // the same node of the same graph, else a target
      s.cursor = s.targets.find((i) => i >= p.from && i < p.to) ?? Math.min(same, p.to - 1);
      pointAt(s.cursor);
    } else if ((event.key === "Enter" || event.key === " ") && s.cursor >= 0) pick(s.cursor);
    else if (event.key === "Escape") {
      model.send({ type: "clear" });
      hoverOn(-1);
    } else if (event.key === "+" || event.key === "=") lookAt(zoomAt(camera, 1.4, 0, 0));
    else if (event.key === "-") lookAt(zoomAt(camera, 1 / 1.4, 0, 0));
    else if (event.key === "0") fit();
    else return;
    root.dataset.cursor = String(s.cursor);
    event.preventDefault();
    event.stopPropagation();
    redraw();
  });
  canvas.addEventListener("blur", redraw);
  canvas.addEventListener("focus", redraw);

  // no letter typed in the panel may edit the notebook: JupyterLab asks the element that has the focus. Keys held with
  // Ctrl or Cmd, such as saving, still reach it; Enter, which runs cells, does not.
  function shield(event) {
    const panel = root.closest(".de-explorer") ?? root;
    if (!(event.target instanceof Element) || !panel.contains(event.target)) return;
    event.target.toggleAttribute("data-lm-suppress-shortcuts", event.key === "Enter" || !(event.ctrlKey || event.metaKey));
  }
  window.addEventListener("keydown", shield, true);

  // -- export
  function png(name) {
    const scale = 2.5, sheet = document.createElement("canvas"), look = { ...LIGHT, font: readTheme(root).font };
    sheet.width = s.width * scale;
    sheet.height = s.height * scale;
    const pen = sheet.getContext("2d");
    pen.scale(scale, scale);
    pen.fillStyle = look.back;
    pen.fillRect(0, 0, s.width, s.height);
    const scene = { ...s, glow: [], hover: -1, cursor: -1, only: null };
    panelwise(pen, scene, () => { paintEdges(pen, scene, look); paintNodes(pen, scene, look); paintTargets(pen, scene, look); paintLabels(pen, scene, look); });
    sheet.toBlob((blob) => download(name, blob), "image/png");
  }
  function onMessage(message) {
    if (message.type === "matches") find.showMatches(message.text, message.items);
    else if (message.type === "tip" && message.node === s.hover) { extra = message; if (!tip.hidden) showTip(); }
    else if (message.type === "download") download(message.name, new Blob([message.text], { type: message.mime }));
    else if (message.type === "png") png(message.name);
    else if (message.type === "error") say(message.text);
    else if (message.type === "focus") {
      s.cursor = message.node;
      root.dataset.cursor = String(s.cursor);
      const x = s.xs[message.node], y = s.ys[message.node];
      if (x < 0 || x > s.width || y < 0 || y > s.height) lookAt([1, 0, 0]);
      canvas.focus({ preventScroll: true });
      hoverOn(message.node);
    }
  }
  model.on("msg:custom", onMessage);

  // -- traits: read what changed, draw once
  const changes = {
    "change:positions": () => { if (ownMove) { ownMove = false; return; } readPositions(true); if (s.cursor >= n()) s.cursor = -1; s.links = adjacency(typed(Uint32Array, model.get("edges")), n()); layOut(); },
    "change:starts": () => layOut(),
    "change:edges": () => { readEdges(); edgesDirty = true; }, "change:edge_styles": () => { readEdges(); edgesDirty = true; },
    "change:codes": readColours, "change:values": readColours, "change:legend": () => { readColours(); writeLegend(); },
    "change:legend_title": writeLegend, "change:legend_note": writeLegend, "change:captions": writeCaptions,
    "change:targets": readTargets, "change:letters": readTargets, "change:names": readText,
    "change:title": writeTitle, "change:note": writeTitle, "change:busy": writeTitle,
    "change:camera": () => { const c = model.get("camera"); if (String(c) !== String(camera)) { camera = c; reproject(); } },
  };
  // several traits arrive in one message, and only together do they fit: read them when all are in
  const due = new Set();
  function later(act) {
    if (!due.size) queueMicrotask(() => { const acts = [...due]; due.clear(); s.hover = s.hover < (model.get("positions")?.byteLength ?? 0) / 8 ? s.hover : -1; s.glow = []; acts.forEach((a) => a()); if (heard >= 0 && heard < n()) describe(heard); heard = -1; if (!tip.hidden) showTip(); redraw(); });
    due.add(act);
  }
  const listeners = Object.entries(changes).map(([name, act]) => { const heard = () => later(act); model.on(name, heard); return [name, heard]; });

  root.whereIs = (i) => [s.xs[i], s.ys[i]]; // for tests and benchmarks: where to click

  camera = model.get("camera").slice();
  readPositions(false);
  readEdges();
  readColours();
  readTargets();
  readText();
  writeTitle();
  writeLegend();
  writeCaptions();
  const sized = new ResizeObserver(resize);
  sized.observe(stage);
  const themed = new MutationObserver(() => { edgesDirty = true; redraw(); });
  themed.observe(document.body, { attributes: true, attributeFilter: ["data-jp-theme-light", "data-jp-theme-name", "class", "data-vscode-theme-kind"] });
  resize();

  return () => {
    sized.disconnect();
    clearTimeout(bursting);
    window.removeEventListener("keydown", shield, true);
    themed.disconnect();
    document.removeEventListener("de-hover", otherHovers);
    model.off("msg:custom", onMessage);
    listeners.forEach(([name, heard]) => model.off(name, heard));
  };
}

export default { render };
