// What a GNN computes along: the unrolled subtrees of the targets, as trees or folded. Pure functions first
// (tests/views/js calls them), the widget at the end. Python, or a page without a kernel, gives arcs and colour classes;
// folding, unfolding, comparing and drawing are done here, so that a reader can step and toggle without a kernel.

// ---- from arcs and classes to a layered graph ---------------------------------------------------

export function typed(Kind, view) {
  if (!view || !view.byteLength) return new Kind(0);
  return new Kind(view.buffer.slice(view.byteOffset, view.byteOffset + view.byteLength));
}

// net: { indptr, indices, tags, classes, codes, plain }; the class of node u after l layers is classes[l * n + u].
const classOf = (net, layer, u) => net.classes[layer * (net.indptr.length - 1) + u];

// The neighbours of u that differ in hop or in class after `layer` layers: [{ hop, cls, nodes }], in drawing order.
export function neighbours(net, u, layer) {
  const groups = new Map();
  for (let e = net.indptr[u]; e < net.indptr[u + 1]; e++) {
    const hop = net.tags[e] ?? 1, w = net.indices[e];
    if (net.plain && hop > 1) continue; // a plain GNN looks one hop far
    const cls = classOf(net, layer, w), key = hop + ":" + cls;
    groups.get(key)?.nodes.push(w) ?? groups.set(key, { hop, cls, nodes: [w] });
  }
  const code = (g) => (net.plain ? 0 : net.codes[g.nodes[0]]);
  return [...groups.values()].sort((a, b) => a.hop - b.hop || code(a) - code(b) || a.cls - b.cls);
}

// Subtrees `depth` deep, equal ones as one node; sides[k] is the side (0 or 1) of root k.
// -> nodes { level, cls, members: graph nodes, side: 1 only A, 2 only B, 3 both }, lines { from, to, hop, times }
export function fold(net, roots, sides, depth) {
  const nodes = [], lines = [];
  let level = new Map(), tops = [];
  const enter = (level_, depth_, cls, members, side) => {
    if (!level_.has(cls)) {
      level_.set(cls, nodes.length);
      nodes.push({ level: depth_, cls, members: new Set(), side: 0 });
    }
    const node = nodes[level_.get(cls)];
    members.forEach((u) => node.members.add(u));
    node.side |= side;
    return level_.get(cls);
  };
  tops = roots.map((u, k) => enter(level, 0, classOf(net, depth, u), [u], 1 << sides[k]));
  for (let k = 0; k < depth; k++) {
    const next = new Map();
    for (const i of level.values()) {
      let first = true;
      for (const u of nodes[i].members) {
        for (const { hop, cls, nodes: these } of neighbours(net, u, depth - k - 1)) {
          const child = enter(next, k + 1, cls, these, nodes[i].side);
          if (first) lines.push({ from: i, to: child, hop, times: these.length });
        }
        first = false;
      }
    }
    level = next;
  }
  nodes.forEach((node) => { node.members = [...node.members].sort((a, b) => a - b); });
  return { nodes, lines, roots: tops, depth };
}

// How many leaves the merged trees of a folded graph have: what a tree needs of the width.
export function leaves(folded) {
  const count = folded.nodes.map(() => 0);
  const below = folded.nodes.map(() => []);
  folded.lines.forEach((line) => below[line.from].push(line.to));
  for (let i = folded.nodes.length - 1; i >= 0; i--) count[i] = Math.max(1, below[i].reduce((sum, j) => sum + count[j], 0));
  return folded.roots.reduce((sum, i) => sum + count[i], 0);
}

// The same subtrees as trees, equal siblings merged: every node has one parent.
export function unfold(net, roots, sides, depth) {
  const nodes = [], lines = [];
  const grow = (members, side, level, parent, hop) => {
    const i = nodes.length;
    nodes.push({ level, cls: classOf(net, depth - level, members[0]), members, side });
    if (parent >= 0) lines.push({ from: parent, to: i, hop, times: members.length });
    if (level < depth)
      for (const below of neighbours(net, members[0], depth - level - 1)) grow(below.nodes, side, level + 1, i, below.hop);
    return i;
  };
  const tops = roots.map((u, k) => grow([u], 1 << sides[k], 0, -1, 0)), below = new Map(), key = (node) => node.level + ":" + node.cls;
  nodes.forEach((node) => below.set(key(node), (below.get(key(node)) ?? 0) | node.side));
  nodes.forEach((node) => { node.side = below.get(key(node)); });
  return { nodes, lines, roots: tops, depth };
}

// Marks the lines on the way to where the subtrees of nodes a and b part (way: 1), and those at which they do (way: 2).
// Of the branches that one side lacks, those with equal labels are paired, so that the deepest cause is found.
export function part(picture, label, a, b) {
  const below = picture.nodes.map(() => []), { nodes } = picture;
  picture.lines.forEach((line) => { line.way = 0; below[line.from].push(line); });
  const key = (line) => line.hop + ":" + nodes[line.to].cls;
  const spare = (these, others) => {
    const have = new Map();
    others.forEach((line) => have.set(key(line), (have.get(key(line)) ?? 0) + line.times));
    return these.map((line) => {
      const shared = Math.min(have.get(key(line)) ?? 0, line.times);
      have.set(key(line), (have.get(key(line)) ?? 0) - shared);
      return { line, count: line.times - shared };
    }).filter(({ count }) => count);
  };
  const todo = nodes[a].cls === nodes[b].cls ? [] : [[a, b]], seen = new Set([a + ":" + b]);
  while (todo.length) {
    const [i, j] = todo.pop(), left = spare(below[i], below[j]), right = spare(below[j], below[i]);
    for (const one of left) {
      for (const twin of right) {
        const paired = Math.min(one.count, twin.count), pair = one.line.to + ":" + twin.line.to;
        if (!paired || twin.line.hop !== one.line.hop || label(nodes[twin.line.to]) !== label(nodes[one.line.to])) continue;
        one.count -= paired;
        twin.count -= paired;
        one.line.way ||= 1;
        twin.line.way ||= 1;
        if (!seen.has(pair)) { seen.add(pair); todo.push([one.line.to, twin.line.to]); }
      }
    }
    [...left, ...right].forEach(({ line, count }) => { if (count) line.way = 2; });
  }
  return picture;
}

// Keeps at most `most` nodes a level: those on the way to a parting first, those whose lines carry most, then those that
// most walks reach. One node with `more` stands for the rest of its level.
export function trim(picture, most) {
  const { nodes, lines } = picture, walks = nodes.map(() => 0), way = nodes.map(() => 0), carried = nodes.map(() => 0);
  picture.roots.forEach((i) => { walks[i] = 1; way[i] = 2; });
  lines.forEach((line) => { walks[line.to] += walks[line.from] * line.times; way[line.to] = Math.max(way[line.to], line.way ?? 0); carried[line.to] = Math.max(carried[line.to], line.size ?? 0); });
  const kept = new Map(), out = { ...picture, nodes: [], lines: [] }, rest = new Map();
  for (let level = 0; level <= picture.depth; level++) {
    const here = nodes.map((_, i) => i).filter((i) => nodes[i].level === level);
    const room = here.length > most ? most - 1 : most;
    const best = here.slice().sort((i, j) => way[j] - way[i] || carried[j] - carried[i] || walks[j] - walks[i] || i - j).slice(0, room);
    const chosen = new Set(best);
    here.filter((i) => chosen.has(i)).forEach((i) => { kept.set(i, out.nodes.length); out.nodes.push(nodes[i]); });
    if (here.length > room) {
      const others = here.filter((i) => !chosen.has(i));
      rest.set(level, out.nodes.length);
      out.nodes.push({ level, cls: -1, members: [...new Set(others.flatMap((i) => nodes[i].members))], side: 3, more: others.length, of: here.length });
    }
  }
  const pooled = new Map(), at = (i) => kept.get(i) ?? rest.get(nodes[i].level);
  for (const line of lines) {
    const from = at(line.from), to = at(line.to), key = from + ":" + to;
    if (kept.has(line.from) && kept.has(line.to)) { out.lines.push({ ...line, from, to }); continue; }
    if (!pooled.has(key)) { pooled.set(key, { from, to, hop: 1, times: 0, way: 0, many: !kept.has(line.from) }); }
    pooled.get(key).times += line.times;
  }
  out.lines.push(...pooled.values()); // how many lines leave a node that stands for many says nothing: many
  out.roots = picture.roots.map((i) => kept.get(i));
  return out;
}

// The change at each line of a picture. given: [level, node above, node below, hop, change] for folded subtrees, for trees
// [root, [hop, node, hop, node, ...] down from it, change]; nodes stand for their classes.
export function changesOf(picture, form, given, net) {
  const { nodes, lines, depth } = picture, at = (level, u) => classOf(net, depth - level, u), known = new Map();
  const keys = new Map(picture.roots.map((i, k) => [i, `${k}`]));
  const folded = (level, above, hop, below) => [level, above, hop, below].join(":");
  if (form === "folded") given.forEach(([level, u, v, hop, change]) => known.set(folded(level, at(level, u), hop, at(level + 1, v)), change));
  else given.forEach(([k, way, change]) => {
    let key = `${k}`;
    for (let i = 0; i < way.length; i += 2) key += `/${way[i]}:${at(i / 2 + 1, way[i + 1])}`;
    known.set(key, change);
  });
  const found = new Map();
  lines.forEach((line, i) => {
    const { level, cls } = nodes[line.from], down = nodes[line.to].cls;
    if (form !== "folded") keys.set(line.to, `${keys.get(line.from)}/${line.hop}:${down}`);
    const change = known.get(form === "folded" ? folded(level, cls, line.hop, down) : keys.get(line.to));
    if (change !== undefined) found.set(i, change);
  });
  return found;
}

// ---- in words -----------------------------------------------------------------------------------

export const bare = (mark) => (!mark ? "●" : mark.includes(",") ? `(${mark})` : mark);
export const times = (word, count) => (count > 1 ? `${word} ×${count}` : word);

// For every node right below a root, what it is: its mark and, unless `short`, the marks below it; equal words of
// different subtrees get a letter.
export function terms(picture, mark, short = false) {
  const below = new Map(), words = new Map();
  picture.lines.forEach((line) => below.get(line.from)?.push(line) ?? below.set(line.from, [line]));
  const plain = (node) => (node.more ? `${node.more} others` : bare(mark(node)));
  const of = (i) => {
    const merged = new Map();
    (below.get(i) ?? []).forEach((line) => { const w = plain(picture.nodes[line.to]); merged.set(w, (merged.get(w) ?? 0) + line.times); });
    const inside = [...merged].map(([w, m]) => times(w, m)).join(", ");
    return plain(picture.nodes[i]) + (inside && !short ? `⟨${inside}⟩` : "");
  };
  const same = new Map();
  picture.nodes.forEach((node, i) => { if (node.level === 1) { const w = of(i); same.get(w)?.push(i) ?? same.set(w, [i]); } });
  const classes = (group) => [...new Set(group.map((i) => picture.nodes[i].cls))];
  same.forEach((group, w) => group.forEach((i) => {
    const all = classes(group), k = all.indexOf(picture.nodes[i].cls);
    words.set(i, all.length > 1 ? `${w}${String.fromCharCode(97 + (k % 26))}` : w);
  }));
  return words;
}

// The multiset that a root takes in, as text: "{1⟨0, 1, 2⟩ ×2, 1⟨0, 2 ×2⟩}".
export function gathered(picture, root, words, most = 8) {
  const all = picture.lines.filter((line) => line.from === root);
  const listed = all.slice(0, most).map((line) => times(words.get(line.to), line.times) + (line.hop > 1 ? ` at ${line.hop} hops` : ""));
  if (all.length > most) listed.push(`… ${all.length - most} more`);
  return `{${listed.join(", ")}}`;
}

// ---- places ------------------------------------------------------------------------------------

// Where each node goes in a box { left, right, top, bottom }, how wide it may be; folded: by side, label and parents.
export function arrange(picture, box, form, code) {
  const { nodes, depth } = picture, wide = box.right - box.left;
  const step = depth ? Math.min((box.bottom - box.top) / depth, 128) : 0;
  const spots = nodes.map((node) => ({ x: 0, y: box.top + node.level * step, gap: wide }));
  if (form === "tree") {
    const below = nodes.map(() => []);
    picture.lines.forEach((line) => below[line.from].push(line.to));
    let slot = -1, last = -1;
    const place = (i, parent) => {
      if (below[i].length) {
        below[i].forEach((j) => place(j, i));
        spots[i].x = (spots[below[i][0]].x + spots[below[i].at(-1)].x) / 2;
      } else {
        slot += last < 0 || parent === last ? 1 : 1.3;
        last = parent;
        spots[i].x = slot;
      }
    };
    picture.roots.forEach((i, k) => { if (k) { slot += 0.7; last = -2; } place(i, -2 - k); });
    const unit = Math.min(wide / (slot + 1), 84), shift = box.left + (wide - unit * slot) / 2;
    spots.forEach((spot) => { spot.x = shift + spot.x * unit; });
    for (let level = 0; level <= depth; level++) { // the upper levels have room for larger discs
      const here = spots.filter((_, i) => nodes[i].level === level).sort((a, b) => a.x - b.x);
      const gap = Math.min(84, ...here.slice(1).map((spot, k) => spot.x - here[k].x));
      here.forEach((spot) => { spot.gap = gap; });
    }
    return spots;
  }
  const group = (node) => (node.more ? 4 : node.side === 3 ? 1 : node.side === 1 ? 0 : 2);
  const sum = nodes.map(() => [0, 0]);
  for (let level = 0; level <= depth; level++) {
    const here = nodes.map((_, i) => i).filter((i) => nodes[i].level === level);
    const mean = (i) => (sum[i][1] ? sum[i][0] / sum[i][1] : i);
    here.sort((i, j) => group(nodes[i]) - group(nodes[j]) || code(nodes[i]) - code(nodes[j]) || mean(i) - mean(j) || i - j);
    here.forEach((i, k) => { spots[i].gap = wide / here.length; spots[i].x = box.left + (k + 0.5) * spots[i].gap; });
    for (const line of picture.lines) {
      if (nodes[line.from].level !== level) continue;
      sum[line.to][0] += spots[line.from].x;
      sum[line.to][1]++;
    }
  }
  return spots;
}

const clear = (a, b) => a[2] <= b[0] || a[0] >= b[2] || a[3] <= b[1] || a[1] >= b[3]; // boxes: left, top, right, bottom

// The first free place for a small text along a line, of width w, clear of all boxes; null if there is none.
export function spotAlong(a, b, bend, w, boxes) {
  for (const t of [0.5, 0.42, 0.58, 0.34, 0.66, 0.27, 0.73]) {
    const [x, y] = along(a, b, bend, t), box = [x - w / 2 - 1, y - 7, x + w / 2 + 1, y + 7];
    if (boxes.every((o) => clear(box, o))) return { x, y, box };
  }
  return null;
}

// A point of the curve from a to b that bends sideways: lines of several hops are bent, so that they can be told apart.
export function along(a, b, bend, t) {
  const cx = (a.x + b.x) / 2 + bend, cy = (a.y + b.y) / 2, s = 1 - t;
  return [s * s * a.x + 2 * s * t * cx + t * t * b.x, s * s * a.y + 2 * s * t * cy + t * t * b.y];
}

// ---- painting ----------------------------------------------------------------------------------

const LIGHT = { text: "#1f2328", faint: "#57606a", edge: "#98a2b3", back: "#ffffff", a: "#c14f00", b: "#0072b2", rim: "rgba(0,0,0,0.25)", font: "system-ui, sans-serif" };

function readTheme(el) {
  const css = getComputedStyle(el), get = (name) => css.getPropertyValue(name).trim();
  return { text: get("--de-text"), faint: get("--de-faint"), edge: get("--de-edge"), back: get("--de-card"),
           a: get("--de-a"), b: get("--de-b"), rim: get("--de-rim"), font: css.fontFamily || LIGHT.font };
}

const shape = (tag, attributes, text) => {
  const node = document.createElementNS("http://www.w3.org/2000/svg", tag);
  for (const [name, value] of Object.entries(attributes)) node.setAttribute(name, value);
  if (text !== undefined) node.textContent = text; // text, never markup: names come from files
  return node;
};

let pen = null;
function measure(text, size, font, weight = 400) {
  pen ??= document.createElement("canvas").getContext("2d");
  pen.font = `${weight} ${size}px ${font}`;
  return pen.measureText(text).width;
}

const SMALLEST = 9; // px: text is at least so large, or absent

// Draws a scene { picture, spots, form, two, legend, code, named, names, letters, captions, levels } into an svg.
function paint(svg, scene, look) {
  const { picture, spots, two } = scene, { nodes, lines } = picture, boxes = [], levels = scene.levels.length;
  const free = (box, but = -1) => boxes.every((o, k) => k === but || clear(box, o));
  svg.replaceChildren();
  svg.setAttribute("font-family", look.font);
  const text = (x, y, content, size, colour, anchor = "middle", weight = 400, halo = false) => {
    const more = halo ? { stroke: look.back, "stroke-width": 3, "paint-order": "stroke", "stroke-linejoin": "round" } : {};
    const made = shape("text", { x, y: y + size * 0.36, "font-size": size, fill: colour, "text-anchor": anchor, "font-weight": weight, ...more }, content);
    svg.append(made);
    return made;
  };
  scene.levels.forEach(([y, word]) => {
    text(4, y, word, 11, look.faint, "start");
    boxes.push([0, y - 8, 4 + measure(word, 11, look.font), y + 8]);
  });
  const inks = [look.edge, look.a, look.b, look.edge];
  const inside = (i) => (nodes[i].more ? `+${nodes[i].more}` : scene.mark(nodes[i]));
  const discs = nodes.map((node, i) => {
    const { gap } = spots[i], r = Math.max(1.5, Math.min(15, gap < 30 ? 0.5 * gap - (two ? 4.2 : 2) : 0.5 * gap - 6, scene.step / 2 - (two ? 4 : 2.5))), mark = inside(i);
    let size = Math.max(SMALLEST, Math.min(12, r * 0.95)), room = gap - (!two ? 6 : r < 11 ? 7 : 11), width = mark ? measure(mark, size, look.font, 600) + 8 : 0;
    if (node.more) room = Math.max(room, 34);
    if (width > Math.max(2 * r, room)) { size = SMALLEST; width = measure(mark, size, look.font, 600) + 5; }
    const fits = mark && r >= 6.5 && width <= Math.max(2 * r, room);
    return { r, half: fits ? Math.max(r, width / 2) : r, size, mark: fits ? mark : "" };
  });
  discs.forEach(({ r, half }, i) => boxes.push([spots[i].x - half - 5, spots[i].y - r - 5, spots[i].x + half + 5, spots[i].y + r + 5]));

  const order = lines.map((_, e) => e).sort((a, b) => (lines[a].way ?? 0) - (lines[b].way ?? 0));
  const drawn = order.map((e) => {
    const line = lines[e], a = spots[line.from], b = spots[line.to], parts = line.way === 2, bend = (line.hop - 1) * 26;
    const side = two ? nodes[line.from].side : 0, colour = line.ink ?? inks[side];
    const width = line.width ?? (line.way ? (lines.length > 40 ? 1.6 : 2.6) : line.many ? 1 : Math.min(1 + 0.35 * (line.times - 1), 4));
    const path = shape("path", {
      d: `M${a.x},${a.y} Q${(a.x + b.x) / 2 + bend},${(a.y + b.y) / 2} ${b.x},${b.y}`, fill: "none", stroke: colour, "stroke-width": width,
      "stroke-opacity": line.many ? 0.3 : line.way === 1 && lines.length > 40 ? 0.65 : line.way || line.ink || !two ? 1 : 0.5, ...(parts ? { "stroke-dasharray": "6 4", class: "de-parts" } : {}) });
    svg.append(path);
    return { line, a, b, bend, colour };
  });
  // labels on lines after all lines, before the discs; those on the way to a parting first
  const labels = drawn.filter(({ line }) => line.word || (line.times > 1 && !line.many)).reverse();
  const flow = shape("g", {});
  svg.append(flow);
  for (const { line, a, b, bend, colour } of labels) {
    const word = line.word ?? `×${line.times}`, w = measure(word, 11, look.font, 600), spot = spotAlong(a, b, bend, w, boxes);
    if (!spot) continue;
    boxes.push(spot.box);
    const made = text(spot.x, spot.y, word, 11, line.ink ? colour : look.text, "middle", 600, true);
    made.setAttribute("class", "de-times");
  }
  const shapes = nodes.map((node, i) => {
    const { x, y } = spots[i], { r, half, size, mark } = discs[i], entry = scene.entry(node), g = shape("g", { class: "de-disc", "data-i": i });
    const pill = (extra, attributes) => shape("rect", { x: x - half - extra, y: y - r - extra, width: 2 * (half + extra), height: 2 * (r + extra), rx: r + extra, ...attributes });
    // a round ring for A, a square one for B: told apart without colour, and where there is no room for a letter
    const wide = r < 11 ? [1.8, 1.4] : [3.5, 2.2], square = node.side === 2 ? { rx: 3 } : {};
    if (two && !node.more && node.side < 3) g.append(pill(wide[0], { fill: "none", stroke: inks[node.side], "stroke-width": wide[1], class: "de-ring", ...square }));
    g.append(pill(0, node.more ? { fill: look.back, stroke: look.edge, "stroke-dasharray": "2 3" } : { fill: entry.colour, stroke: look.rim }));
    svg.append(g);
    if (mark) {
      const made = text(x, y, mark, size, node.more ? look.text : entry.ink, "middle", 600);
      g.append(made);
    }
    return g;
  });
  // a letter at the shoulder of what only one side has; the roots carry theirs above
  nodes.forEach((node, i) => {
    if (!two || node.more || node.level === 0 || node.side === 3 || scene.form === "tree") return;
    const { x, y } = spots[i], { r, half } = discs[i], places = [[x - half - 6, y - r - 2], [x + half + 6, y - r - 2], [x, y - r - 10]];
    const spot = places.map(([u, v]) => [u - 4, v - 5, u + 4, v + 5]).find((box) => free(box, levels + i));
    if (!spot) return;
    text(spot[0] + 4, spot[1] + 5, "AB"[node.side - 1], 10, inks[node.side], "middle", 700, true).setAttribute("class", "de-letter");
    boxes.push(spot);
  });
  scene.captions.forEach(({ node, words }) => {
    const { x, y } = spots[node], room = scene.form === "tree" ? Infinity : spots[node].gap - 4;
    const side = nodes[node].side, size = 12;
    const fit = words.find((w) => measure(w, size, look.font, 700) <= Math.min(room, scene.width - 8));
    if (!fit) return;
    const half = measure(fit, size, look.font, 700) / 2;
    text(Math.max(half + 2, Math.min(scene.width - half - 2, x)), y - discs[node].r - 14, fit, size, two && side < 3 ? inks[side] : look.text, "middle", 700).setAttribute("class", "de-letter");
  });
  if (scene.named) nodes.forEach((node, i) => {
    if (node.level === 0 || !node.members.length) return;
    const { x, y } = spots[i], first = scene.names[node.members[0]], others = node.members.length - 1;
    const word = [node.members.map((u) => scene.names[u]).join(", "), others ? `${first} +${others}` : first].find((w) => measure(w, 10, look.font) <= spots[i].gap - 4);
    if (!word) return;
    const w = measure(word, 10, look.font) / 2, at = y + discs[i].r + 10, box = [x - w, at - 6, x + w, at + 6];
    if (!free(box, levels + i)) return;
    boxes.push(box);
    text(x, at, word, 10, look.text, "middle", 400, true).setAttribute("class", "de-named");
  });
  return { discs, shapes, flow };
}

// ---- the widget ---------------------------------------------------------------------------------

const make = (tag, className, text) => {
  const node = document.createElement(tag);
  if (className) node.className = className;
  if (text !== undefined) node.textContent = text;
  return node;
};

function download(name, blob) {
  const link = make("a");
  link.href = URL.createObjectURL(blob);
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 10000);
}

const PLAIN = { label: "", mark: "", colour: "#7f8fa6", ink: "#ffffff" };
const LABELLED = 12; // lines whose change is written out
const DATA = ["indptr", "indices", "tags", "classes", "plain", "codes", "legend", "names", "drawn", "roots", "letters", "layers", "encoding", "legend_title", "listed", "note", "effects"];

function render({ model, el }) {
  const root = make("div", "de-subtree"), bar = make("div", "de-subtree-bar"), stage = make("div", "de-subtree-stage");
  const foot = make("div", "de-subtree-foot"), words = make("div", "de-subtree-words"), key = make("div", "de-subtree-key"), said = make("div", "de-said"), tip = make("div", "de-subtree-tip");
  const svg = shape("svg", { tabindex: 0, role: "application" });
  root.dataset.lmSuppressShortcuts = "true";
  said.setAttribute("aria-live", "polite");
  tip.hidden = true;
  stage.append(svg);
  foot.append(words, key, tip); // what a disc is takes the place of the words: it never covers the picture
  root.append(bar, stage, foot, said);
  el.append(root);
  root.addEventListener("keydown", (event) => { if (event.key !== "Tab") event.stopPropagation(); }); // a notebook must not take our keys

  let scene = null, painted = null, net = {}, hover = -1, cursor = -1, lit = new Set(), playing = 0, frame = 0, due = false;
  const get = (name) => model.get(name), set = (name, value) => { model.set(name, value); model.save_changes(); };
  const depth = () => (get("step") < 0 ? get("layers") : Math.min(get("step"), get("layers")));

  // -- bar: two toggles, the steps, names
  bar.append(make("span", "de-canvas-title", "What the network sees"));
  const toggles = [];
  function toggle(label, name, choices) {
    const group = make("span", "de-toggle");
    group.setAttribute("role", "group");
    group.setAttribute("aria-label", label);
    for (const [value, text, title] of choices) {
      const b = make("button", "", text);
      b.type = "button";
      b.title = title;
      b.addEventListener("click", () => set(name, typeof value === "boolean" ? !get(name) : value));
      group.append(b);
      toggles.push({ b, name, value });
    }
    bar.append(group);
    return group;
  }
  toggle("How the subtrees are drawn", "form", [["tree", "tree", "Every branch apart, equal siblings merged"], ["folded", "folded", "Equal subtrees are one disc: readable at any depth"]]);
  const methods = toggle("What the network sees of a node", "method", [["1-WL", "1-WL", "A plain GNN: nodes carry no distances"], ["DE", "DE", "With the encoding of each node"]]);
  const steps = make("span", "de-toggle"), layerText = make("span", "de-subtree-layer");
  steps.setAttribute("role", "group");
  steps.setAttribute("aria-label", "Message passing, layer by layer");
  function stepButton(text, title, act) {
    const b = make("button", "", text);
    b.type = "button";
    b.title = title;
    b.setAttribute("aria-label", title);
    b.addEventListener("click", act);
    steps.append(b);
    return b;
  }
  const back = stepButton("‹", "One layer back (comma)", () => go(-1));
  const player = stepButton("▶", "Play message passing (space)", () => (playing ? stop() : play()));
  const onward = stepButton("›", "One layer forward (full stop)", () => go(1));
  const steps_box = make("span", "de-subtree-play");
  steps_box.append(steps, layerText);
  bar.append(steps_box);
  toggle("Names", "named", [[true, "names", "Write the names of the graph's nodes"]]);

  // -- model -> scene
  function readNet() {
    const one = (Kind, name) => typed(Kind, get(name));
    net = { indptr: one(Uint32Array, "indptr"), indices: one(Uint32Array, "indices"), tags: one(Uint8Array, "tags"), codes: one(Uint16Array, "codes"),
            DE: one(Uint32Array, "classes"), "1-WL": one(Uint32Array, "plain"), drawn: one(Int32Array, "drawn") };
  }
  const plain = () => get("method") === "1-WL" || !net.DE.length;
  const view = () => ({ ...net, plain: plain(), classes: plain() ? net["1-WL"] : net.DE });
  function build() {
    const width = stage.clientWidth, height = stage.clientHeight, roots = get("roots"), letters = get("letters");
    if (!width || !height) return null;
    svg.setAttribute("viewBox", `0 0 ${width} ${height}`);
    const legend = get("legend"), names = get("names"), two = new Set(letters).size > 1, now = view(), d = depth();
    const sides = letters.map((letter) => (letter === "B" ? 1 : 0));
    const gutter = width >= 320 ? 52 : 8, box = { left: gutter, right: width - 10, top: 38, bottom: height - (get("named") ? 30 : 20) };
    const entry = (node) => (now.plain || !node.members.length ? PLAIN : legend[now.codes[node.members[0]]] ?? PLAIN);
    const code = (node) => (now.plain || node.more ? 0 : now.codes[node.members[0]]);
    const mark = (node) => entry(node).mark;
    const notes = [];
    if (!roots.length) return { picture: { nodes: [], lines: [], roots: [], depth: 0 }, spots: [], notes: [get("note")], empty: true, width, height, levels: [], captions: [], two: false, entry, mark };
    const wide = box.right - box.left;
    const longest = (all) => Math.max(0, ...all.map((node) => measure(mark(node), SMALLEST, LIGHT.font, 600)));
    const treeFits = (k, each) => { const f = fold(now, roots, sides, k); return (leaves(f) + roots.length) * each(f) <= wide; };
    // where the reader has not chosen: folded from depth 3 on, and where the labels of a tree would not fit
    const readable = () => get("layers") < 3 && treeFits(get("layers"), (f) => Math.max(22, longest(f.nodes) + 12));
    const form = get("form") || (readable() ? "tree" : "folded");
    let picture;
    if (form === "tree") {
      let fits = d;
      while (fits > 0 && !treeFits(fits, () => 13)) fits--;
      if (fits < d) notes.push(`The tree is drawn to depth ${fits}: at depth ${d} it is too wide to read. Folded shows all of it.`);
      picture = unfold(now, roots, sides, fits);
    } else picture = fold(now, roots, sides, d);
    const differ = two && picture.nodes[picture.roots[0]].cls !== picture.nodes[picture.roots.at(-1)].cls;
    part(picture, (node) => code(node), ...(differ ? [picture.roots[0], picture.roots.at(-1)] : [picture.roots[0], picture.roots[0]]));
    effects(picture, form, now);
    const whole = picture;
    if (form === "folded") {
      const most = Math.max(3, Math.floor(wide / Math.max(25, longest(picture.nodes) + 12)));
      picture = trim(picture, most);
      const cut = picture.nodes.filter((node) => node.more);
      if (cut.length) notes.push(`Too many to read: ${cut.map((node) => `level ${node.level} has ${node.of.toLocaleString("en")} different subtrees`).join(", ")}. The ${most - 1} that matter most are drawn, +n stands for the others.`);
    }
    const spots = arrange(picture, box, form, code), shown = picture.depth, step = shown ? spots.at(-1).y / shown - box.top / shown : height;
    const level = (k) => (k < shown ? `layer ${shown - k}` : now.plain ? "no label" : "ζ(u|S)");
    const ys = [...new Set(spots.map((spot) => spot.y))];
    const levels = gutter > 20 ? ys.map((y, k) => [y, level(k)]) : [];
    const captions = [];
    picture.roots.forEach((node, k) => {
      const others = picture.roots.map((i, j) => (i === node ? j : -1)).filter((j) => j >= 0);
      if (others[0] !== k && form === "folded") return;
      const these = form === "folded" ? others : [k];
      const full = these.map((j) => (two ? `${letters[j]}: ${names[roots[j]]}` : names[roots[j]]));
      captions.push({ node, words: [full.join(two ? "  =  " : ", "), these.map((j) => letters[j]).join(two ? " = " : ", ")] });
    });
    if (get("note")) notes.push(get("note"));
    return { picture, whole, spots, form, two, differ, entry, code, mark, named: get("named"), names, letters, roots, captions, levels, width, height, notes, step, d: shown, plain: now.plain };
  }
  // How much a score changes without a line, instead of its side: by width and sign, the strongest in figures.
  function effects(picture, form, now) {
    const given = get("effects")[form] ?? [], other = now.plain && net.DE.length;
    if (!given.length || other || picture.depth !== get("layers")) return;
    const look = readTheme(root), changes = changesOf(picture, form, given, now), sizes = [...changes.values()].map(Math.abs).sort((a, b) => b - a);
    picture.lines.forEach((line, i) => {
      const change = changes.get(i) ?? 0, size = Math.abs(change);
      line.size = size;
      line.ink = change < 0 ? look.b : look.a;
      line.width = 0.8 + 6 * size / (sizes[0] || 1);
      line.word = size < 0.0005 || size < (sizes[LABELLED] ?? 0) ? "" : `${change > 0 ? "+" : "−"}${size.toFixed(3)}`;
      line.times = 1;
    });
  }

  // -- scene -> page
  function draw() {
    due = false;
    hideTip();
    const built = build();
    if (!built) return;
    scene = built;
    hover = -1;
    cursor = Math.min(cursor, scene.picture.nodes.length - 1);
    painted = paint(svg, scene, readTheme(root));
    svg.setAttribute("aria-label", described());
    write();
    light();
    root.dataset.form = scene.form ?? "";
    root.dataset.levels = JSON.stringify(Array.from({ length: scene.picture.depth + 1 }, (_, k) => scene.picture.nodes.filter((node) => node.level === k).length));
    root.dataset.step = String(depth());
    toggles.forEach(({ b, name, value }) => b.setAttribute("aria-pressed", String((name === "form" ? scene.form : get(name)) === value)));
    methods.lastChild.textContent = get("encoding") || "DE";
    methods.lastChild.disabled = !net.DE.length;
    back.disabled = depth() === 0;
    onward.disabled = depth() >= get("layers");
    layerText.textContent = `layer ${depth()} of ${get("layers")}`;
    root.dispatchEvent(new CustomEvent("de-drawn", { bubbles: true }));
  }
  function described() {
    if (scene.empty) return get("note");
    const sizes = scene.whole.nodes.reduce((counts, node) => { counts[node.level] = (counts[node.level] ?? 0) + 1; return counts; }, []);
    const what = scene.form === "folded" ? "Folded subtrees" : "Subtrees";
    return `${what} of ${scene.captions.map((c) => c.words[0]).join(" and ")}, depth ${scene.d}, seen by ${scene.plain ? "a plain GNN" : get("encoding")}. Discs from the roots down: ${sizes.join(", ")}. Arrow keys walk, comma and full stop step deeper and back.`;
  }
  // the multiset that each root takes in, the key to rings and lines, and what cannot be shown
  function write() {
    words.replaceChildren(...scene.notes.filter(Boolean).map((note) => make("div", "de-subtree-note", note)));
    key.replaceChildren();
    if (!scene.empty) {
      const { picture, letters, roots, names, two } = scene;
      const most = picture.nodes.some((node) => node.more) ? 4 : 8;
      const written = (named) => picture.roots.map((node) => gathered(picture, node, named, most));
      const full = written(terms(picture, scene.mark)), sets = full.every((one) => one.length < 60) ? full : written(terms(picture, scene.mark, true));
      letters.forEach((letter, k) => {
        const line = make("div", ""), node = picture.roots[k], own = bare(scene.mark(picture.nodes[node]));
        const who = make("b", two ? `de-side-${letter.toLowerCase()}` : "", `${two ? letter + " " : ""}${names[roots[k]]}`);
        const what = picture.depth ? `${own} ← ${sets[k]}` : `${own}, its own label`;
        line.append(who, make("span", "", ` ${what}`));
        line.title = line.textContent;
        words.append(line);
      });
      if (two) key.append(make("b", "de-subtree-verdict", scene.differ ? `≠ after ${layersText(picture.depth)}` : `= after ${layersText(picture.depth)}`));
      if (two && picture.nodes.some((node) => node.side < 3)) key.append(ring("A", "only below A"), ring("B", "only below B"));
      if (scene.picture.lines.some((line) => line.way === 2)) key.append(make("span", "", "dashed: where they part"));
      if (scene.picture.lines.some((line) => line.hop > 1)) key.append(make("span", "", "bent: 2 hops or more"));
      if (!scene.plain && get("listed")) key.append(legendLine());
    }
  }
  const layersText = (k) => `${k} ${k === 1 ? "layer" : "layers"}`;
  function ring(letter, text) {
    const span = make("span", "");
    span.append(make("b", `de-ringed de-side-${letter.toLowerCase()}`, letter), document.createTextNode(" " + text));
    return span;
  }
  function legendLine() {
    const used = new Set(scene.picture.nodes.filter((node) => !node.more).map((node) => scene.code(node))), legend = get("legend");
    const span = make("span", "de-legend", `${get("legend_title")}: `);
    [...used].sort((a, b) => a - b).slice(0, 8).forEach((c) => {
      const swatch = make("span", "de-swatch", legend[c].mark.length <= 5 ? legend[c].mark : "");
      swatch.style.background = legend[c].colour;
      swatch.style.color = legend[c].ink;
      swatch.title = legend[c].label;
      span.append(swatch);
      if (!legend[c].mark) span.append(make("span", "", legend[c].label));
    });
    if (used.size > 8) span.append(make("span", "", `and ${used.size - 8} more`));
    return span;
  }

  // -- hovering and lighting up, in step with the graphs
  const about = (i) => {
    const node = scene.picture.nodes[i], list = node.members.map((u) => scene.names[u]);
    const head = node.more ? `${node.more} further subtrees` : list.slice(0, 8).join(", ") + (list.length > 8 ? ` … ${list.length} nodes` : "");
    const rows = [];
    if (node.more) return [head, rows];
    if (scene.two && scene.form === "folded") rows.push(["", "only below A", "only below B", "below A and B"][node.side]);
    const entry = scene.entry(node);
    if (entry.label) rows.push(`${get("legend_title") || "label"}: ${entry.label}`);
    const lines = scene.picture.lines.filter((line) => line.from === i);
    if (lines.length) rows.push(`takes in {${lines.map((line) => times(scene.picture.nodes[line.to].more ? "others" : bare(scene.mark(scene.picture.nodes[line.to])), line.times)).slice(0, 10).join(", ")}}`);
    return [head, rows];
  };
  function light() {
    root.dataset.lit = JSON.stringify([...lit]);
    painted.shapes.forEach((g, i) => {
      g.querySelector(".de-glow")?.remove();
      if (!lit.has(i) && i !== cursor) return;
      const { x, y } = scene.spots[i], { r, half } = painted.discs[i], extra = 7, look = readTheme(root);
      const focus = i === cursor && document.activeElement === svg;
      if (!lit.has(i) && !focus) return;
      g.prepend(shape("rect", { x: x - half - extra, y: y - r - extra, width: 2 * (half + extra), height: 2 * (r + extra), rx: r + extra, class: "de-glow",
        ...(lit.has(i) ? { fill: look.a, "fill-opacity": 0.3 } : { fill: "none" }), ...(focus ? { stroke: look.text, "stroke-dasharray": "3 3", "stroke-width": 1.5 } : {}) }));
    });
  }
  function tell(nodes) {
    const drawn = nodes.map((u) => net.drawn[u] ?? u).filter((i) => i >= 0);
    document.dispatchEvent(new CustomEvent("de-hover", { detail: { link: get("link"), tree: true, nodes: drawn } }));
  }
  function hoverOn(i) {
    if (!scene || i === hover) return;
    hover = i;
    lit = new Set(i < 0 ? [] : [i]);
    tell(i < 0 ? [] : scene.picture.nodes[i].members);
    light();
    if (i < 0) return hideTip();
    const [head, rows] = about(i);
    tip.replaceChildren(make("b", "", head), ...rows.map((row) => make("div", "", row)));
    tip.hidden = false;
  }
  const hideTip = () => { tip.hidden = true; };
  svg.addEventListener("pointermove", (event) => { const g = event.target.closest?.(".de-disc"); hoverOn(g ? Number(g.dataset.i) : -1); });
  svg.addEventListener("pointerleave", () => hoverOn(-1));
  function otherHovers(event) {
    const { link, tree, nodes } = event.detail;
    if (!link || link !== get("link") || tree || !scene || !painted) return;
    const wanted = new Set(nodes);
    lit = new Set(scene.picture.nodes.map((node, i) => (node.members.some((u) => wanted.has(net.drawn[u] ?? u)) ? i : -1)).filter((i) => i >= 0));
    light();
  }
  document.addEventListener("de-hover", otherHovers);

  // -- play: the tree grows by a level, then what the new nodes know flows up to the root
  function go(by) {
    const to = Math.max(0, Math.min(get("layers"), depth() + by));
    set("step", to === get("layers") ? -1 : to);
    later(() => { flow(); said.textContent = `Layer ${depth()} of ${get("layers")}. ${words.innerText}`; });
  }
  const calm = () => globalThis.matchMedia?.("(prefers-reduced-motion: reduce)").matches;
  function flow(then) {
    cancelAnimationFrame(frame);
    const { picture, spots } = scene, start = performance.now(), wave = 520, depth_ = picture.depth;
    const members = (level) => [...new Set(picture.nodes.filter((node) => node.level === level).flatMap((node) => node.members))];
    let shown = -1;
    const tick = (now) => {
      const k = Math.min(Math.floor((now - start) / wave), depth_), level = depth_ - k, t = ((now - start) % wave) / wave;
      if (level !== shown) {
        shown = level;
        lit = new Set(picture.nodes.map((node, i) => (node.level === level ? i : -1)).filter((i) => i >= 0));
        light();
        tell(members(level));
      }
      painted.flow.replaceChildren();
      if (level === 0) { frame = 0; return then?.(); }
      if (!calm()) picture.lines.filter((line) => picture.nodes[line.to].level === level).slice(0, 160).forEach((line) => {
        const [cx, cy] = along(spots[line.to], spots[line.from], (line.hop - 1) * 26, t);
        painted.flow.append(shape("circle", { cx, cy, r: 4.5, fill: scene.entry(picture.nodes[line.to]).colour, stroke: readTheme(root).back, "stroke-width": 1 }));
      });
      frame = requestAnimationFrame(tick);
    };
    frame = requestAnimationFrame(tick);
  }
  function play() {
    playing = 1;
    player.textContent = "❚❚";
    player.setAttribute("aria-label", "Pause (space)");
    player.title = "Pause (space)";
    if (depth() >= get("layers")) set("step", 0);
    const next = () => {
      if (!playing) return;
      playing = setTimeout(() => {
        if (depth() >= get("layers")) { stop(); lit = new Set(); light(); tell([]); return; }
        set("step", depth() + 1 === get("layers") ? -1 : depth() + 1);
        later(() => flow(next));
      }, 700);
    };
    later(() => flow(next));
  }
  function stop() {
    clearTimeout(playing);
    playing = 0;
    player.textContent = "▶";
    player.setAttribute("aria-label", "Play message passing (space)");
    player.title = "Play message passing (space)";
  }

  // -- keyboard: arrows walk from disc to disc, comma and full stop step, space plays
  svg.addEventListener("keydown", (event) => {
    if (!scene || event.ctrlKey || event.metaKey || event.altKey) return;
    const { picture, spots } = scene, here = picture.nodes[cursor];
    if (event.key === ",") go(-1);
    else if (event.key === ".") go(1);
    else if (event.key === " ") (playing ? stop() : play());
    else if (event.key === "Escape") { cursor = -1; hoverOn(-1); }
    else if (event.key.startsWith("Arrow") && picture.nodes.length) {
      const up = { ArrowUp: -1, ArrowDown: 1 }[event.key] ?? 0, side = { ArrowLeft: -1, ArrowRight: 1 }[event.key] ?? 0;
      const wanted = here ? picture.nodes.map((node, i) => i).filter((i) => i !== cursor && picture.nodes[i].level === here.level + up && (!side || Math.sign(spots[i].x - spots[cursor].x) === side)) : [picture.roots[0]];
      const next = wanted.sort((i, j) => Math.abs(spots[i].x - (spots[cursor]?.x ?? 0)) - Math.abs(spots[j].x - (spots[cursor]?.x ?? 0)))[0];
      if (next === undefined) return event.preventDefault();
      cursor = next;
      hoverOn(cursor);
      light();
      said.textContent = about(cursor).flat().join(". ");
    } else return;
    event.preventDefault();
  });
  ["focus", "blur"].forEach((name) => svg.addEventListener(name, () => { if (painted) light(); }));

  // -- export
  function sheet() {
    const out = shape("svg", { xmlns: "http://www.w3.org/2000/svg", viewBox: `0 0 ${scene.width} ${scene.height}`, width: scene.width, height: scene.height });
    paint(out, scene, { ...LIGHT, font: LIGHT.font });
    out.prepend(shape("rect", { width: scene.width, height: scene.height, fill: "#ffffff" }));
    return new XMLSerializer().serializeToString(out);
  }
  function png(name) {
    const image = new Image(), scale = 2.5;
    image.onload = () => {
      const canvas = make("canvas");
      canvas.width = scene.width * scale;
      canvas.height = scene.height * scale;
      canvas.getContext("2d").drawImage(image, 0, 0, canvas.width, canvas.height);
      canvas.toBlob((blob) => download(name, blob), "image/png");
    };
    image.src = "data:image/svg+xml;charset=utf-8," + encodeURIComponent(sheet());
  }
  function onMessage(message) {
    if (message.type === "png") png(message.name);
    else if (message.type === "download") download(message.name, new Blob([message.text], { type: message.mime }));
  }
  model.on("msg:custom", onMessage);

  // -- traits: read what changed, draw once, then what waits for the new picture
  const waiting = [];
  function later(act) {
    if (act) waiting.push(act);
    if (due) return;
    due = true;
    queueMicrotask(() => { draw(); if (scene) waiting.splice(0).forEach((one) => one()); });
  }
  const changed = () => { stop(); cancelAnimationFrame(frame); lit = new Set(); readNet(); later(); }, redraw = () => later();
  DATA.forEach((name) => model.on(`change:${name}`, changed));
  ["form", "method", "named", "step"].forEach((name) => model.on(`change:${name}`, redraw));
  const sized = new ResizeObserver(redraw);
  sized.observe(stage);
  const themed = new MutationObserver(() => requestAnimationFrame(redraw)); // in the moment of the change nothing has a size
  themed.observe(document.body, { attributes: true, attributeFilter: ["data-jp-theme-light", "data-jp-theme-name", "class", "data-vscode-theme-kind"] });
  root.whereIs = (i) => [scene.spots[i].x, scene.spots[i].y]; // for tests: where to point
  readNet();
  draw();

  return () => {
    stop();
    cancelAnimationFrame(frame);
    sized.disconnect();
    themed.disconnect();
    document.removeEventListener("de-hover", otherHovers);
    model.off("msg:custom", onMessage);
    DATA.forEach((name) => model.off(`change:${name}`, changed));
    ["form", "method", "named", "step"].forEach((name) => model.off(`change:${name}`, redraw));
  };
}

export default { render };
