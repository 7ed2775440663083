// What the network sees: the unrolled subtrees of the targets as SVG, folded or as trees. show(scene) shows one; the host
// { hover(drawn nodes) } is told what a reader points at.
// scene: { net, roots, sides, letters, depth, entry(node, layer), names, named, form, note, look, baseName, elsewhere }

import { calm, make, shape } from "./dom.js";
import { fold, gathered, leaves, part, trim, unfold } from "./folding.js";
import { along, apart, arrange, spotAlong } from "./layers.js";
import { layersText } from "./words.js";

const SMALLEST = 9; // px: text is at least so large, or absent
const LEAF = 14; // px that a leaf of a tree needs
const BEND = 26; // px: how far a line of several hops is bent
const WAVE = 620; // milliseconds of a message on its way
const MESSAGES = 160; // of a level, that are seen on their way
const NO_TREE = { nodes: [], lines: [], roots: [], depth: 0 };

let ruler = null;
function measure(text, size, font, weight = "normal") {
  ruler ??= document.createElement("canvas").getContext("2d");
  ruler.font = `${weight} ${size}px ${font}`;
  return ruler.measureText(text).width;
}

export function subtreeView(host) {
  const el = make("div", "de-tree"), stage = make("div", "de-tree-stage"), spoken = make("div", "de-said");
  const foot = make("div", "de-foot"), key = make("div", "de-key"), tip = make("div", "de-tip");
  const hint = make("div", "de-hint", "Press Play, or step to layer 1: each node hears from its neighbors.");
  const svg = shape("svg", { tabindex: 0, role: "application" });
  spoken.setAttribute("aria-live", "polite");
  tip.hidden = true;
  stage.append(svg, hint);
  foot.append(key, tip); // what a disc is takes the place of the key: it never covers the picture
  el.append(stage, foot, spoken);
  let scene = null, built = null, frame = 0;
  let hover = -1, cursor = -1, lit = new Set(); // discs: under the pointer, under the keys, lit

  // -- a scene -> discs and lines with their places
  function build() {
    const width = stage.clientWidth, height = stage.clientHeight, font = getComputedStyle(el).fontFamily;
    if (!width || !height) return null;
    svg.setAttribute("viewBox", `0 0 ${width} ${height}`);
    const { depth, look } = scene, frameOf = { width, height, font, look };
    if (!scene.roots.length) {
      const notes = ["Pick a target to see the tree a GNN computes along."];
      return { ...frameOf, picture: NO_TREE, spots: [], levels: [], captions: [], notes };
    }
    const hasNames = width >= 330, gutter = hasNames ? 62 : 8; // for the names of the layers
    const box = { left: 8, right: width - gutter, top: 46, bottom: height - (scene.named ? 34 : 26) };
    const two = new Set(scene.letters).size > 1;
    const entry = (node) => scene.entry(node.members[0], depth - node.level);
    const mark = (node) => (node.more ? `+${node.more}` : entry(node).mark);
    const code = (node) => (node.more ? 0 : scene.net.codes[node.members[0]]);
    const { form, whole, picture, notes } = pictureIn(box.right - box.left, font, mark, code);
    const [first, last] = [whole.roots[0], whole.roots.at(-1)], differ = two && whole.nodes[first].cls !== whole.nodes[last].cls;
    const spots = arrange(picture, box, form, code), ys = [...new Set(spots.map((spot) => spot.y))];
    const nameOf = (layer) => (layer ? `layer ${layer}` : scene.plain ? "start" : scene.baseName);
    const levels = hasNames ? ys.map((y, k) => [y, nameOf(picture.depth - k)]) : [];
    const step = picture.depth ? ys[1] - ys[0] : height;
    return {
      ...frameOf, picture, whole, spots, form, two, differ, entry, mark, levels, notes, step,
      captions: captionsOf(picture, two),
    };
  }
  function pictureIn(wide, font, mark, code) {
    const { net, roots, sides, depth, letters } = scene, notes = scene.note ? [scene.note] : [];
    let form = scene.form || "folded";
    if (form === "tree" && (leaves(fold(net, roots, sides, depth)) + roots.length) * LEAF > wide && depth) {
      notes.push(`As a tree, depth ${depth} is too wide to read: folded instead.`);
      form = "folded";
    }
    const whole = (form === "tree" ? unfold : fold)(net, roots, sides, depth);
    const [first, last] = [whole.roots[0], whole.roots.at(-1)];
    part(whole, code, first, new Set(letters).size > 1 ? last : first);
    if (form === "tree") return { form, whole, picture: whole, notes };
    const longest = Math.max(0, ...whole.nodes.map((node) => measure(mark(node), SMALLEST, font, 700)));
    const most = Math.max(3, Math.floor(wide / Math.max(28, longest + 12)));
    const picture = trim(whole, most), crowded = picture.nodes.filter((node) => node.more);
    const counts = crowded.map((node) => `Layer ${depth - node.level} has ${node.of.toLocaleString("en")} different subtrees`);
    if (counts.length) notes.push(`${counts.join("; ")}. The ${most - 1} that matter most are drawn.`);
    return { form, whole, picture, notes };
  }
  function captionsOf({ roots }, two) { // of each disc that is a root, in full and in short
    const { letters, names } = scene, captions = [];
    const full = (j) => (two ? `${letters[j]}: ${names[scene.roots[j]]}` : names[scene.roots[j]]);
    roots.forEach((node, k) => {
      const these = [...roots.keys()].filter((j) => roots[j] === node);
      if (these[0] !== k) return;
      const words = [these.map(full).join(two ? "  =  " : ", "), these.map((j) => letters[j]).join(two ? " = " : ", ")];
      captions.push({ node, words });
    });
    return captions;
  }

  // -- discs and lines -> SVG
  function paint() {
    const { look, font, width, levels } = built;
    svg.replaceChildren();
    svg.setAttribute("font-family", font);
    levels.forEach(([y, word]) => write(width - 4, y, word, { size: 12, color: look.faint, anchor: "end" }));
    const discs = built.picture.nodes.map(sizeOf);
    const boxes = discs.map(({ r, half }, i) => { // what texts keep clear of
      const { x, y } = built.spots[i];
      return [x - half - 5, y - r - 5, x + half + 5, y + r + 5];
    });
    const lines = paintLines(), flowing = shape("g", {});
    svg.append(flowing);
    paintTimes(lines, boxes);
    const shapes = discs.map(paintDisc);
    paintCaptions(discs);
    if (scene.named) paintNames(discs, boxes);
    Object.assign(built, { discs, shapes, flowing });
  }
  function write(x, y, words, { size, color, anchor = "middle", weight = 400, halo = false, name }) {
    const around = { stroke: built.look.back, "stroke-width": 3, "paint-order": "stroke", "stroke-linejoin": "round" };
    const look = { "font-size": size, fill: color, "text-anchor": anchor, "font-weight": weight, ...(halo ? around : {}) };
    const text = shape("text", { x, y: y + size * 0.36, ...look, ...(name ? { class: name } : {}) }, words);
    svg.append(text);
    return text;
  }
  const inkOf = (side) => [built.look.edge, built.look.a, built.look.b, built.look.faint][side];
  function sizeOf(node, i) { // of a disc, and of its mark if there is room for one
    const { gap } = built.spots[i], { two, font } = built, label = built.mark(node), margin = two ? 5 : 3;
    const inGap = gap < 34 ? 0.5 * gap - (two ? 4.2 : 2) : 0.5 * gap - 6;
    const r = Math.max(2, Math.min(17, inGap, built.step / 2 - margin));
    const room = Math.max(2 * r, node.more ? Math.max(gap, 34) : gap - (two ? 11 : 6));
    let size = Math.max(SMALLEST, Math.min(13, r * 0.85)), width = measure(label, size, font, 700) + 7;
    if (width > room) {
      size = SMALLEST;
      width = measure(label, size, font, 700) + 5;
    }
    if (!label || r < 6.5 || width > room) return { r, half: r, size, label: "" };
    return { r, half: Math.max(r, width / 2), size, label };
  }
  function paintLines() { // those on the way to where the sides part come last, on top
    const { two, look, spots } = built, { nodes, lines } = built.picture;
    const wide = lines.length > 40 ? 1.8 : 3;
    return lines.slice().sort((a, b) => a.way - b.way).map((line) => {
      const a = spots[line.from], b = spots[line.to], bend = (line.hop - 1) * BEND, { side } = nodes[line.from];
      const oneSided = two && side < 3, dashed = line.way === 2 ? { "stroke-dasharray": "6 4", class: "de-parts" } : {};
      svg.append(shape("path", {
        d: `M${a.x},${a.y} Q${(a.x + b.x) / 2 + bend},${(a.y + b.y) / 2} ${b.x},${b.y}`,
        fill: "none",
        stroke: two && (line.way || oneSided) ? inkOf(side) : look.edge,
        "stroke-width": line.way ? wide : line.many ? 1 : 1.6,
        "stroke-opacity": line.many ? 0.3 : oneSided && !line.way ? 0.55 : 1,
        ...dashed,
      }));
      return { line, a, b, bend };
    });
  }
  function paintTimes(lines, boxes) { // how often, the most important first
    for (const { line, a, b, bend } of lines.filter(({ line }) => line.times > 1 && !line.many).reverse()) {
      const word = `×${line.times}`, spot = spotAlong(a, b, bend, measure(word, 12, built.font, 600), boxes);
      if (!spot) continue;
      boxes.push(spot.box);
      write(spot.x, spot.y, word, { size: 12, color: built.look.text, weight: 600, halo: true, name: "de-times" });
    }
  }
  function pillAround(i, { r, half }, extra, attributes) {
    const { x, y } = built.spots[i], reach = { x: half + extra, y: r + extra };
    const place = { x: x - reach.x, y: y - reach.y, width: 2 * reach.x, height: 2 * reach.y, rx: reach.y };
    return shape("rect", { ...place, ...attributes });
  }
  function paintDisc(disc, i) {
    const { two, look, picture } = built, node = picture.nodes[i], { x, y } = built.spots[i];
    const g = shape("g", { class: "de-disc", "data-i": i }), small = disc.r < 11;
    if (two && !node.more && node.side < 3) { // a round ring for A, a square one for B: told apart without color
      const ring = { fill: "none", stroke: inkOf(node.side), "stroke-width": small ? 1.5 : 2.5, class: "de-ring" };
      g.append(pillAround(i, disc, small ? 2 : 4, { ...ring, ...(node.side === 2 ? { rx: 4 } : {}) }));
    }
    const others = { fill: look.back, stroke: look.faint, "stroke-dasharray": "2 3" };
    g.append(pillAround(i, disc, 0, node.more ? others : { fill: built.entry(node).color }));
    svg.append(g);
    const color = node.more ? look.text : built.entry(node).ink;
    if (disc.label) g.append(write(x, y, disc.label, { size: disc.size, color, weight: 700 }));
    return g;
  }
  function paintCaptions(discs) {
    const { form, width, font, two, look, picture } = built;
    for (const { node, words } of built.captions) {
      const { x, y, gap } = built.spots[node], { side } = picture.nodes[node];
      const room = Math.min(form === "tree" ? Infinity : gap - 4, width - 8), measured = (word) => measure(word, 14, font, 700);
      const word = words[measured(words[0]) <= room ? 0 : 1], half = measured(word) / 2 + 2;
      const color = two && side < 3 ? inkOf(side) : look.text;
      write(Math.max(half, Math.min(width - half, x)), y - discs[node].r - 16, word, { size: 14, color, weight: 700 });
    }
  }
  function paintNames(discs, boxes) { // below discs, where there is room
    built.picture.nodes.forEach(({ level, members }, i) => {
      if (level === 0 || !members.length) return;
      const { x, y, gap } = built.spots[i], names = members.map((u) => scene.names[u]), others = names.length - 1;
      const inShort = others ? `${names[0]} +${others}` : names[0];
      const word = [names.join(", "), inShort].find((one) => measure(one, 11, built.font) <= gap - 4);
      if (!word) return;
      const half = measure(word, 11, built.font) / 2, at = y + discs[i].r + 11, box = [x - half, at - 6, x + half, at + 6];
      if (!boxes.every((other, k) => k === i || apart(box, other))) return;
      boxes.push(box);
      write(x, at, word, { size: 11, color: built.look.text, halo: true, name: "de-named" });
    });
  }
  function show(next) {
    scene = next;
    tip.hidden = true;
    hover = -1;
    lit = new Set(); // numbers of the old picture's discs
    built = build();
    if (!built) return;
    const { picture } = built, sizes = Array.from({ length: picture.depth + 1 }, () => 0);
    picture.nodes.forEach(({ level }) => { sizes[level] += 1; });
    cursor = Math.min(cursor, picture.nodes.length - 1);
    paint();
    svg.setAttribute("aria-label", described());
    writeKey();
    el.dataset.form = built.form ?? "";
    el.dataset.levels = JSON.stringify(sizes);
  }
  function described() {
    if (!built.whole) return built.notes[0];
    const sizes = [], what = built.form === "folded" ? "Folded subtrees" : "Subtrees";
    built.whole.nodes.forEach(({ level }) => { sizes[level] = (sizes[level] ?? 0) + 1; });
    const roots = built.captions.map(({ words }) => words[0]).join(" and "), deep = `${layersText(scene.depth)} deep`;
    const keys = "Arrow keys walk from disc to disc.";
    return `${what} of ${roots}, ${deep}. Discs from the roots down: ${sizes.join(", ")}. ${keys}`;
  }

  // -- the multiset that each root takes in, the key to rings and lines, and what cannot be shown
  function writeKey() {
    const { picture, two, whole } = built;
    key.replaceChildren();
    hint.hidden = !whole || picture.depth > 0;
    if (whole) key.append(...(two || picture.depth ? [intake()] : []), rings());
    built.notes.forEach((note) => key.append(make("div", "de-note", note)));
  }
  function intake() {
    const { picture, two, differ, mark } = built, now = make("div", "de-now");
    const when = picture.depth ? `after ${layersText(picture.depth)}` : "before the first layer";
    const marks = picture.roots.map((root) => mark(picture.nodes[root]));
    const hidden = differ && !picture.depth && marks[0] && marks[0] === marks.at(-1); // in a column that is not shown
    if (hidden) now.append(make("b", "", `Different ${when}, ${scene.elsewhere}.`));
    else if (two) now.append(make("b", "", `${differ ? "Different" : "The same"} ${when}: `));
    scene.letters.slice(0, hidden ? 0 : two && !differ ? 1 : 3).forEach((letter, k) => {
      const side = make("span", "de-takes"); // a line breaks between the sides
      if (k) now.append(two ? " " : "; ");
      if (k && two) side.append("≠ ");
      side.append(make("span", two && differ ? `de-side-${letter.toLowerCase()}` : "", marks[k] || "●"));
      if (picture.depth) side.append(` ← ${gathered(picture, picture.roots[k], mark, two ? 5 : 7)}`);
      now.append(side);
    });
    now.title = now.textContent;
    return now;
  }
  function rings() {
    const { picture, two } = built, all = make("div", "de-rings");
    for (const side of two && picture.nodes.some((node) => node.side < 3) ? ["a", "b"] : []) {
      const item = make("span", "");
      item.append(make("i", `de-ringed de-side-${side}`), ` only in ${side.toUpperCase()}`);
      all.append(item);
    }
    if (picture.lines.some((line) => line.way === 2)) all.append(make("span", "", "- - where they part"));
    if (picture.lines.some((line) => line.hop > 1)) all.append(make("span", "", "bent: 2 hops or more"));
    return all;
  }

  // -- hovering and lighting up, in step with the graphs
  const drawnOf = (nodes) => nodes.map((u) => scene.net.drawn?.[u] ?? u).filter((i) => i >= 0);
  function paintLights() {
    built?.shapes?.forEach((g, i) => {
      g.querySelector(".de-glow")?.remove();
      const focus = i === cursor && el.getRootNode().activeElement === svg;
      if (!lit.has(i) && !focus) return;
      const fill = lit.has(i) ? { fill: built.look.point, "fill-opacity": 0.26 } : { fill: "none" };
      const border = focus ? { stroke: built.look.text, "stroke-dasharray": "3 3", "stroke-width": 1.5 } : {};
      g.prepend(pillAround(i, built.discs[i], 8, { class: "de-glow", ...fill, ...border }));
    });
  }
  function light(nodes) {
    const wanted = new Set(nodes), discs = built?.picture.nodes ?? [];
    lit = new Set([...discs.keys()].filter((i) => drawnOf(discs[i].members).some((u) => wanted.has(u))));
    paintLights();
  }
  function about(i) {
    const { picture, two, form } = built, node = picture.nodes[i], names = node.members.map((u) => scene.names[u]);
    if (node.more) return [`${node.more} further subtrees`];
    const rows = [names.slice(0, 8).join(", ") + (names.length > 8 ? ` … ${names.length} nodes` : ""), built.entry(node).text];
    if (two && form === "folded") rows.push(["", "only in A", "only in B", "in A and B"][node.side]);
    if (picture.lines.some((line) => line.from === i)) rows.push(`takes in ${gathered(picture, i, built.mark, 10)}`);
    return rows;
  }
  function hoverOn(i) {
    if (!built || i === hover) return;
    hover = i;
    lit = new Set(i < 0 ? [] : [i]);
    host.hover(i < 0 ? [] : drawnOf(built.picture.nodes[i].members));
    paintLights();
    tip.hidden = i < 0;
    if (i >= 0) tip.replaceChildren(...about(i).map((row, k) => make(k ? "div" : "b", "", row)));
  }
  svg.addEventListener("pointermove", (event) => {
    const disc = event.target.closest?.(".de-disc");
    hoverOn(disc ? Number(disc.dataset.i) : -1);
  });
  svg.addEventListener("pointerleave", () => hoverOn(-1));
  svg.addEventListener("keydown", (event) => {
    if (!built?.whole || event.ctrlKey || event.metaKey || event.altKey) return;
    if (event.key === "Escape") {
      cursor = -1;
      hoverOn(-1);
      paintLights();
    }
    if (!event.key.startsWith("Arrow")) return;
    event.preventDefault();
    const next = discTowards(event.key);
    if (next === undefined) return;
    cursor = next;
    hoverOn(cursor);
    paintLights();
    spoken.textContent = about(cursor).join(". ");
  });
  function discTowards(key) { // the nearest one of the next level, or to that side
    const { picture, spots } = built, here = picture.nodes[cursor];
    if (!here) return picture.roots[0];
    const { x } = spots[cursor], level = here.level + ({ ArrowUp: -1, ArrowDown: 1 }[key] ?? 0);
    const side = { ArrowLeft: -1, ArrowRight: 1 }[key] ?? 0, far = (i) => Math.abs(spots[i].x - x);
    const isThere = (i) => i !== cursor && picture.nodes[i].level === level && (!side || Math.sign(spots[i].x - x) === side);
    return [...picture.nodes.keys()].filter(isThere).sort((i, j) => far(i) - far(j))[0];
  }
  ["focus", "blur"].forEach((name) => svg.addEventListener(name, paintLights));

  // -- messages on their way up: what the nodes of a level know flows into the discs above; follow(share) in step
  function flow(follow, then) {
    const start = performance.now(), waves = Math.max(built?.picture.depth ?? 0, 1);
    halt();
    function tick(now) {
      const at = (now - start) / WAVE, k = Math.floor(at);
      if (!built || k >= waves || calm()) {
        halt();
        follow(-1);
        return then();
      }
      drawMessages(built.picture.depth - k, at - k);
      if (k === waves - 1) follow(at - k); // the last wave is the one that the graph shows
      frame = requestAnimationFrame(tick);
    }
    frame = requestAnimationFrame(tick);
  }
  function drawMessages(level, share) {
    const { picture, spots, look, entry } = built;
    const rising = picture.lines.filter((line) => picture.nodes[line.to].level === level);
    built.flowing.replaceChildren(...rising.slice(0, MESSAGES).map((line) => {
      const from = picture.nodes[line.to], [cx, cy] = along(spots[line.to], spots[line.from], (line.hop - 1) * BEND, share);
      const fill = from.more ? look.faint : entry(from).color;
      return shape("circle", { cx, cy, r: 5, fill, stroke: look.back, "stroke-width": 1.2 });
    }));
  }
  function halt() {
    cancelAnimationFrame(frame);
    built?.flowing?.replaceChildren();
  }
  const sized = new ResizeObserver(() => { if (scene) show(scene); });
  sized.observe(stage);
  el.whereIs = (i) => [built.spots[i].x, built.spots[i].y]; // for tests: where to point
  function close() {
    halt();
    sized.disconnect();
  }
  return { el, show, flow, light, halt, close };
}
