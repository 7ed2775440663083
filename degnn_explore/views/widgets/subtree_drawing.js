// Where the discs of a layered graph stand, and one frame of it as SVG.

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
