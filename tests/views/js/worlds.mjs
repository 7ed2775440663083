// Small graphs, and what a kernel would send of them, found in the slow, obvious way.

export const TRIANGLES = [[0, 1], [1, 2], [2, 0], [3, 4], [4, 5], [5, 3]];
export const HEXAGON = [[0, 1], [1, 2], [2, 3], [3, 4], [4, 5], [5, 0]];

export const bytes = (array) => new DataView(array.buffer);
export const range = (n) => Array.from({ length: n }, (_, i) => i);
export function numbered(words) { // in the order in which they occur
  const kinds = new Map([...new Set(words)].map((word, k) => [word, k]));
  return words.map((word) => kinds.get(word));
}

// Random numbers that are the same in every run.
export function chance(seed) {
  let state = seed + 1;
  const random = () => (state = (state * 48271) % 2147483647) / 2147483647;
  random();
  return {
    random, integer: (n) => Math.floor(n * random()),
    shuffled: (list) => list.map((item) => [random(), item]).sort((a, b) => a[0] - b[0]).map(([, item]) => item),
  };
}
export function randomEdges(n, share, { random }) {
  return range(n).flatMap((u) => range(u).filter(() => random() < share).map((v) => [v, u]));
}

// Without the edges between members of `cut`.
export function neighborsOf(edges, n, cut = []) {
  const near = range(n).map(() => []);
  for (const [u, v] of edges) if (!(cut.includes(u) && cut.includes(v))) { near[u].push(v); near[v].push(u); }
  return near;
}
export function distancesFrom(near, source) {
  const far = near.map(() => Infinity);
  far[source] = 0;
  for (let ring = [source], step = 1; ring.length; step++) {
    ring = [...new Set(ring.flatMap((u) => near[u]))].filter((v) => far[v] === Infinity);
    ring.forEach((v) => { far[v] = step; });
  }
  return far;
}
export function withinHops(near, hops) { // of each node, the others as [node, hop]
  return near.map((list, u) => {
    if (hops === 1) return list.map((v) => [v, 1]);
    return distancesFrom(near, u).map((hop, v) => [v, hop]).filter(([, hop]) => hop >= 1 && hop <= hops);
  });
}

// Classes after 0..layers layers, numbered by first occurrence: nodes are alike if what they have gathered is.
export function refine(near, labels, layers, hops = 1) {
  const heard = withinHops(near, hops);
  let words = labels.map(String);
  return range(layers + 1).map(() => {
    const classes = numbered(words);
    words = classes.map((own, u) => `${own}(${heard[u].map(([v, hop]) => `${hop}:${classes[v]}`).sort().join()})`);
    return classes;
  });
}

const circle = (n) => range(n).flatMap((i) => [Math.cos((2 * Math.PI * i) / n), Math.sin((2 * Math.PI * i) / n)]);

// graphs: [{ n, edges, xy, names, title }], targets: those of each. -> the traits of an Explorer that shows them
export function world(graphs, targets, { layers = 3, plain = false, hops = 1, cut = false, values = {}, ...more } = {}) {
  const starts = [0], edges = [], xy = [], names = [], far = [];
  graphs.forEach((graph, side) => {
    const start = starts.at(-1), near = neighborsOf(graph.edges, graph.n, cut ? targets[side] : []);
    const from = targets[side].map((node) => distancesFrom(near, node));
    edges.push(...graph.edges.map(([u, v]) => [u + start, v + start]));
    xy.push(...(graph.xy ?? circle(graph.n)));
    names.push(...(graph.names ?? range(graph.n).map((i) => `v${i}`)));
    far.push(...range(graph.n).map((u) => from.map((each) => each[u]).sort((a, b) => a - b)));
    starts.push(start + graph.n);
  });
  const isTarget = (key) => key.split(",").includes("0"), sum = (key) => key.split(",").reduce((total, d) => total + Number(d), 0);
  const keys = [...new Set(far.map(String))].sort((a, b) => sum(a) - sum(b));
  const labels = keys.map((key) => [
    isTarget(key) ? "target" : `distance ${key}`, key.replaceAll("Infinity", "∞"), sum(key) < Infinity ? sum(key) : null,
  ]);
  const codes = plain ? far.map(() => 0) : far.map((row) => keys.indexOf(String(row)));
  const drawnTargets = targets.map((nodes, side) => nodes.map((node) => starts[side] + node));
  const isCut = (u, v) => cut && drawnTargets.some((nodes) => nodes.includes(u) && nodes.includes(v));
  const near = neighborsOf(edges, names.length).map((list, u) => list.filter((v) => !isCut(u, v)));
  const method = plain ? "1-WL" : hops > 1 ? "DEA-SPD" : "DE-SPD", color_by = plain ? "1-WL" : "SPD";
  const title = graphs.map((graph, side) => graph.title ?? `graph ${side}`).join(" and ");
  return {
    targets, view: {}, lesson: {}, opening: {}, busy: "", error: {},
    values: { color_by, toggle: "SPD", layer: 2, hops, size: 0, step: 2, column: 0, cut, layout: "force", root: 0, ...values },
    options: {
      examples: [["fig1", "Figure 1"], ["hexagon", "Hexagon"]], tours: [["hexagon", "Two triangles"]],
      colorings: [["SPD", "distance"], ["LP", "walks"]], words: [["layer", "layers?", "A round of messages."]],
      upload: "Up to 200 MB.", paths: true, max_layer: 6, recorded: false,
    },
    graphs: {
      starts, names, notes: [], titles: graphs.map((graph, side) => graph.title ?? `graph ${side}`),
      nodes: graphs.map(({ n }) => n), drawn: graphs.map(() => []), same: false, idea: "", title, example: "",
      layouts: ["force", "circular"], more: false, coast: [],
    },
    xy: bytes(Float32Array.from(xy)), edges: bytes(Uint32Array.from(edges.flat())), codes: bytes(Uint16Array.from(codes)), numbers: bytes(new Float32Array(0)),
    classes: bytes(Uint32Array.from(refine(near, codes, layers, hops).flat())),
    seen: {
      targets, serial: 1, method, color_by, hops, cut, title: "distance to S", note: "",
      labels: plain ? [["", "", 0]] : labels, layers, columns: [], net: [],
    },
    pills: { pills: [], busy: false },
    ...more,
  };
}
export const pill = (method, layer, more = {}) => ({
  method, title: method, what: `what ${method} does`, hops: method === "DEA-SPD" ? 2 : 1, afterwards: false, layer, ...more,
});

// A grid of w times h nodes.
export function grid(w, h) {
  const at = (x, y) => y * w + x, edges = [], xy = [];
  for (let y = 0; y < h; y++) for (let x = 0; x < w; x++) {
    xy.push(x / w, y / h);
    if (x + 1 < w) edges.push([at(x, y), at(x + 1, y)]);
    if (y + 1 < h) edges.push([at(x, y), at(x, y + 1)]);
  }
  return { n: w * h, edges, xy, names: range(w * h).map((i) => `g${i}`), title: "grid" };
}
