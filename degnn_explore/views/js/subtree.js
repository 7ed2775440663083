// What the network sees: the unrolled subtrees of the targets as SVG, folded or as trees. draw(scene) shows one; hovering is
// told to the host { hover(drawn nodes) }.
// scene: { net, roots, sides, letters, depth, entry(node, layer), names, named, form, note, look, baseName, elsewhere }

import { calm, make, shape } from "./dom.js";
import { fold, gathered, leaves, part, trim, unfold } from "./folding.js";
import { along, apart, arrange, spotAlong } from "./layers.js";
import { layersText } from "./words.js";

const SMALLEST = 9; // px: text is at least so large, or absent
let ruler = null;
function measure(text, size, font, weight = 400) {
  ruler ??= document.createElement("canvas").getContext("2d");
  ruler.font = `${weight} ${size}px ${font}`;
  return ruler.measureText(text).width;
}

export function subtreeView(host) {
  const el = make("div", "de-tree"), stage = make("div", "de-tree-stage"), foot = make("div", "de-foot"), key = make("div", "de-key"), tip = make("div", "de-tip"), said = make("div", "de-said"), hint = make("div", "de-hint", "Press Play, or step to layer 1: each node hears from its neighbors.");
  const svg = shape("svg", { tabindex: 0, role: "application" });
  said.setAttribute("aria-live", "polite");
  tip.hidden = true;
  stage.append(svg, hint);
  foot.append(key, tip); // what a disc is takes the place of the key: it never covers the picture
  el.append(stage, foot, said);
  let scene = null, built = null, hover = -1, cursor = -1, lit = new Set(), frame = 0;

  // -- a scene -> discs and lines with their places
  function build() {
    const width = stage.clientWidth, height = stage.clientHeight, { net, roots, sides, letters, depth, look } = scene;
    if (!width || !height) return null;
    svg.setAttribute("viewBox", `0 0 ${width} ${height}`);
    const font = getComputedStyle(el).fontFamily, notes = scene.note ? [scene.note] : [], two = new Set(letters).size > 1;
    if (!roots.length) return { picture: { nodes: [], lines: [], roots: [], depth: 0 }, spots: [], levels: [], captions: [], notes: ["Pick a target to see the tree a GNN computes along."], width, height, font };
    const gutter = width >= 330 ? 62 : 8, box = { left: 8, right: width - gutter, top: 46, bottom: height - (scene.named ? 34 : 26) }, wide = box.right - box.left;
    const entry = (node) => scene.entry(node.members[0], depth - node.level), mark = (node) => (node.more ? `+${node.more}` : entry(node).mark);
    const longest = (all) => Math.max(0, ...all.map((node) => measure(mark(node), SMALLEST, font, 700)));
    let form = scene.form || "folded", picture = null;
    if (form === "tree") {
      let fits = depth;
      while (fits > 0) { const f = fold(net, roots, sides, fits); if ((leaves(f) + roots.length) * 14 <= wide) break; fits--; }
      if (fits < depth) { notes.push(`As a tree, depth ${depth} is too wide to read: folded instead.`); form = "folded"; } else picture = unfold(net, roots, sides, depth);
    }
    picture ??= fold(net, roots, sides, depth);
    const differ = two && picture.nodes[picture.roots[0]].cls !== picture.nodes[picture.roots.at(-1)].cls;
    const code = (node) => (node.more ? 0 : net.codes[node.members[0]]);
    part(picture, code, ...(differ ? [picture.roots[0], picture.roots.at(-1)] : [picture.roots[0], picture.roots[0]]));
    const whole = picture;
    if (form === "folded") {
      const most = Math.max(3, Math.floor(wide / Math.max(28, longest(picture.nodes) + 12)));
      picture = trim(picture, most);
      const crowded = picture.nodes.filter((node) => node.more);
      if (crowded.length) notes.push(`${crowded.map((node) => `Layer ${depth - node.level} has ${node.of.toLocaleString("en")} different subtrees`).join("; ")}. The ${most - 1} that matter most are drawn.`);
    }
    const spots = arrange(picture, box, form, code), ys = [...new Set(spots.map((spot) => spot.y))];
    const base = scene.plain ? "start" : scene.baseName, levels = gutter > 20 ? ys.map((y, k) => [y, picture.depth - k ? `layer ${picture.depth - k}` : base]) : [];
    const captions = [];
    picture.roots.forEach((node, k) => {
      const others = picture.roots.map((i, j) => (i === node ? j : -1)).filter((j) => j >= 0);
      if (others[0] !== k && form === "folded") return;
      const these = form === "folded" ? others : [k], full = these.map((j) => (two ? `${letters[j]}: ${scene.names[roots[j]]}` : scene.names[roots[j]]));
      captions.push({ node, words: [full.join(two ? "  =  " : ", "), these.map((j) => letters[j]).join(two ? " = " : ", ")] });
    });
    return { picture, whole, spots, form, two, differ, entry, mark, captions, levels, width, height, notes, font, step: picture.depth ? ys[1] - ys[0] : height, look };
  }

  // -- discs and lines -> SVG
  function paint() {
    const { picture, spots, two, look, font, mark, entry } = built, { nodes, lines } = picture, boxes = [];
    const free = (box, but = -1) => boxes.every((o, k) => k === but || apart(box, o));
    const text = (x, y, content, size, color, anchor = "middle", weight = 400, halo = false) => {
      const more = halo ? { stroke: look.back, "stroke-width": 3, "paint-order": "stroke", "stroke-linejoin": "round" } : {};
      const made = shape("text", { x, y: y + size * 0.36, "font-size": size, fill: color, "text-anchor": anchor, "font-weight": weight, ...more }, content);
      svg.append(made);
      return made;
    };
    svg.replaceChildren();
    svg.setAttribute("font-family", font);
    built.levels.forEach(([y, word]) => text(built.width - 4, y, word, 12, look.faint, "end"));
    const inks = [look.edge, look.a, look.b, look.faint], step = built.step;
    const discs = nodes.map((node, i) => {
      const { gap } = spots[i], r = Math.max(2, Math.min(17, gap < 34 ? 0.5 * gap - (two ? 4.2 : 2) : 0.5 * gap - 6, step / 2 - (two ? 5 : 3))), label = mark(node);
      let size = Math.max(SMALLEST, Math.min(13, r * 0.85)), width = label ? measure(label, size, font, 700) + 7 : 0;
      const room = node.more ? Math.max(gap, 34) : gap - (two ? 11 : 6);
      if (width > Math.max(2 * r, room)) { size = SMALLEST; width = measure(label, size, font, 700) + 5; }
      const fits = label && r >= 6.5 && width <= Math.max(2 * r, room);
      return { r, half: fits ? Math.max(r, width / 2) : r, size, label: fits ? label : "" };
    });
    discs.forEach(({ r, half }, i) => boxes.push([spots[i].x - half - 5, spots[i].y - r - 5, spots[i].x + half + 5, spots[i].y + r + 5]));
    const order = lines.map((_, e) => e).sort((a, b) => (lines[a].way ?? 0) - (lines[b].way ?? 0));
    const drawn = order.map((e) => {
      const line = lines[e], a = spots[line.from], b = spots[line.to], bend = (line.hop - 1) * 26, color = two && (line.way || nodes[line.from].side < 3) ? inks[nodes[line.from].side] : look.edge;
      const width = line.way ? (lines.length > 40 ? 1.8 : 3) : line.many ? 1 : 1.6;
      svg.append(shape("path", { d: `M${a.x},${a.y} Q${(a.x + b.x) / 2 + bend},${(a.y + b.y) / 2} ${b.x},${b.y}`, fill: "none", stroke: color, "stroke-width": width,
        "stroke-opacity": line.many ? 0.3 : line.way ? 1 : two && nodes[line.from].side < 3 ? 0.55 : 1, ...(line.way === 2 ? { "stroke-dasharray": "6 4", class: "de-parts" } : {}) }));
      return { line, a, b, bend };
    });
    const flow = shape("g", {});
    svg.append(flow);
    for (const { line, a, b, bend } of drawn.filter(({ line }) => line.times > 1 && !line.many).reverse()) {
      const word = `×${line.times}`, spot = spotAlong(a, b, bend, measure(word, 12, font, 600), boxes);
      if (!spot) continue;
      boxes.push(spot.box);
      text(spot.x, spot.y, word, 12, look.text, "middle", 600, true).setAttribute("class", "de-times");
    }
    const shapes = nodes.map((node, i) => {
      const { x, y } = spots[i], { r, half, size, label } = discs[i], g = shape("g", { class: "de-disc", "data-i": i }), look_ = node.more ? null : entry(node);
      const pill = (extra, attributes) => shape("rect", { x: x - half - extra, y: y - r - extra, width: 2 * (half + extra), height: 2 * (r + extra), rx: r + extra, ...attributes });
      // a round ring for A, a square one for B: told apart without color
      if (two && !node.more && node.side < 3) g.append(pill(r < 11 ? 2 : 4, { fill: "none", stroke: inks[node.side], "stroke-width": r < 11 ? 1.5 : 2.5, class: "de-ring", ...(node.side === 2 ? { rx: 4 } : {}) }));
      g.append(pill(0, node.more ? { fill: look.back, stroke: look.faint, "stroke-dasharray": "2 3" } : { fill: look_.color }));
      svg.append(g);
      if (label) g.append(text(x, y, label, size, node.more ? look.text : look_.ink, "middle", 700));
      return g;
    });
    built.captions.forEach(({ node, words }) => {
      const { x, y, gap } = spots[node], side = nodes[node].side, room = built.form === "tree" ? Infinity : gap - 4;
      const fit = words.find((w) => measure(w, 14, font, 700) <= Math.min(room, built.width - 8)) ?? words[1], half = measure(fit, 14, font, 700) / 2;
      text(Math.max(half + 2, Math.min(built.width - half - 2, x)), y - discs[node].r - 16, fit, 14, two && side < 3 ? inks[side] : look.text, "middle", 700);
    });
    if (scene.named) nodes.forEach((node, i) => {
      if (node.level === 0 || !node.members.length) return;
      const { x, y, gap } = spots[i], first = scene.names[node.members[0]], others = node.members.length - 1;
      const word = [node.members.map((u) => scene.names[u]).join(", "), others ? `${first} +${others}` : first].find((w) => measure(w, 11, font) <= gap - 4);
      if (!word) return;
      const w = measure(word, 11, font) / 2, at = y + discs[i].r + 11, box = [x - w, at - 6, x + w, at + 6];
      if (!free(box, i)) return;
      boxes.push(box);
      text(x, at, word, 11, look.text, "middle", 400, true).setAttribute("class", "de-named");
    });
    Object.assign(built, { discs, shapes, flow });
  }
  function show(next) {
    scene = next;
    tip.hidden = true;
    hover = -1;
    lit = new Set(); // numbers of the old picture's discs
    built = build();
    if (!built) return;
    cursor = Math.min(cursor, built.picture.nodes.length - 1);
    built.look ??= scene.look;
    paint();
    svg.setAttribute("aria-label", described());
    write();
    el.dataset.form = built.form ?? "";
    el.dataset.levels = JSON.stringify(Array.from({ length: built.picture.depth + 1 }, (_, k) => built.picture.nodes.filter((node) => node.level === k).length));
    el.dispatchEvent(new CustomEvent("de-drawn", { bubbles: true, detail: {} }));
  }
  function described() {
    if (!built.whole) return built.notes[0];
    const sizes = [];
    built.whole.nodes.forEach((node) => { sizes[node.level] = (sizes[node.level] ?? 0) + 1; });
    return `${built.form === "folded" ? "Folded subtrees" : "Subtrees"} of ${built.captions.map((c) => c.words[0]).join(" and ")}, ${layersText(scene.depth)} deep. Discs from the roots down: ${sizes.join(", ")}. Arrow keys walk from disc to disc.`;
  }
  // the multiset that each root takes in, the key to rings and lines, and what cannot be shown
  function write() {
    key.replaceChildren();
    hint.hidden = true;
    const { picture, two, differ, mark } = built;
    if (built.whole) {
      const now = make("div", "de-now"), when = picture.depth ? `after ${layersText(picture.depth)}` : "before the first layer";
      hint.hidden = picture.depth > 0;
      const marks = picture.roots.map((root) => mark(picture.nodes[root]));
      const hidden = differ && !picture.depth && marks[0] && marks[0] === marks.at(-1); // a column that is not shown differs
      if (two) now.append(make("b", "", hidden ? `Different ${when}, ${scene.elsewhere}.` : differ ? `Different ${when}: ` : `The same ${when}: `));
      scene.letters.slice(0, hidden ? 0 : two && !differ ? 1 : 3).forEach((letter, k) => {
        const node = picture.roots[k], side = make("span", "de-takes"); // a line breaks between the sides
        if (k) now.append(two ? " " : "; ");
        if (k && two) side.append("≠ ");
        side.append(make("span", two && differ ? `de-side-${letter.toLowerCase()}` : "", mark(picture.nodes[node]) || "●"));
        if (picture.depth) side.append(` ← ${gathered(picture, node, mark, two ? 5 : 7)}`);
        now.append(side);
      });
      now.title = now.textContent;
      const rings = make("div", "de-rings");
      if (two && picture.nodes.some((node) => node.side < 3)) ["a", "b"].forEach((side) => { const one = make("span", ""); one.append(make("i", `de-ringed de-side-${side}`), ` only in ${side.toUpperCase()}`); rings.append(one); });
      if (picture.lines.some((line) => line.way === 2)) rings.append(make("span", "", "- - where they part"));
      if (picture.lines.some((line) => line.hop > 1)) rings.append(make("span", "", "bent: 2 hops or more"));
      key.append(...(two || picture.depth ? [now] : []), rings);
    }
    built.notes.forEach((note) => key.append(make("div", "de-note", note)));
  }

  // -- hovering and lighting up, in step with the graphs
  const drawnOf = (nodes) => nodes.map((u) => scene.net.drawn?.[u] ?? u).filter((i) => i >= 0);
  function light() {
    built?.shapes?.forEach((g, i) => {
      g.querySelector(".de-glow")?.remove();
      const focus = i === cursor && el.getRootNode().activeElement === svg;
      if (!lit.has(i) && !focus) return;
      const { x, y } = built.spots[i], { r, half } = built.discs[i];
      g.prepend(shape("rect", { x: x - half - 8, y: y - r - 8, width: 2 * (half + 8), height: 2 * (r + 8), rx: r + 8, class: "de-glow",
        ...(lit.has(i) ? { fill: built.look.point, "fill-opacity": 0.26 } : { fill: "none" }), ...(focus ? { stroke: built.look.text, "stroke-dasharray": "3 3", "stroke-width": 1.5 } : {}) }));
    });
  }
  const about = (i) => {
    const node = built.picture.nodes[i], list = node.members.map((u) => scene.names[u]);
    if (node.more) return [`${node.more} further subtrees`];
    const rows = [list.slice(0, 8).join(", ") + (list.length > 8 ? ` … ${list.length} nodes` : ""), built.entry(node).text];
    if (built.two && built.form === "folded") rows.push(["", "only in A", "only in B", "in A and B"][node.side]);
    if (built.picture.lines.some((line) => line.from === i)) rows.push(`takes in ${gathered(built.picture, i, built.mark, 10)}`);
    return rows;
  };
  function hoverOn(i) {
    if (!built || i === hover) return;
    hover = i;
    lit = new Set(i < 0 ? [] : [i]);
    host.hover(i < 0 ? [] : drawnOf(built.picture.nodes[i].members));
    light();
    tip.hidden = i < 0;
    if (i >= 0) tip.replaceChildren(...about(i).map((row, k) => make(k ? "div" : "b", "", row)));
  }
  svg.addEventListener("pointermove", (event) => { const g = event.target.closest?.(".de-disc"); hoverOn(g ? Number(g.dataset.i) : -1); });
  svg.addEventListener("pointerleave", () => hoverOn(-1));
  svg.addEventListener("keydown", (event) => {
    if (!built?.whole || event.ctrlKey || event.metaKey || event.altKey) return;
    const { picture, spots } = built, here = picture.nodes[cursor];
    if (event.key === "Escape") { cursor = -1; hoverOn(-1); light(); return; }
    if (!event.key.startsWith("Arrow")) return;
    event.preventDefault();
    const up = { ArrowUp: -1, ArrowDown: 1 }[event.key] ?? 0, side = { ArrowLeft: -1, ArrowRight: 1 }[event.key] ?? 0, x = spots[cursor]?.x ?? 0;
    const wanted = here ? picture.nodes.map((_, i) => i).filter((i) => i !== cursor && picture.nodes[i].level === here.level + up && (!side || Math.sign(spots[i].x - x) === side)) : [picture.roots[0]];
    const next = wanted.sort((i, j) => Math.abs(spots[i].x - x) - Math.abs(spots[j].x - x))[0];
    if (next === undefined) return;
    hoverOn((cursor = next));
    light();
    said.textContent = about(cursor).join(". ");
  });
  ["focus", "blur"].forEach((name) => svg.addEventListener(name, light));

  // -- messages on their way up: what the nodes of a level know flows into the discs above; told(share) in step
  function flow(told, then) {
    stop();
    const start = performance.now(), wave = 620, levels = built?.picture.depth ?? 0;
    const tick = (now) => {
      const at = (now - start) / wave, k = Math.floor(at);
      if (!built || k >= Math.max(levels, 1) || calm()) { stop(); return then?.(); }
      const { picture, spots } = built, level = picture.depth - k, t = at - k;
      built.flow.replaceChildren();
      picture.lines.filter((line) => picture.nodes[line.to].level === level).slice(0, 160).forEach((line) => {
        const [cx, cy] = along(spots[line.to], spots[line.from], (line.hop - 1) * 26, t);
        built.flow.append(shape("circle", { cx, cy, r: 5, fill: picture.nodes[line.to].more ? built.look.faint : built.entry(picture.nodes[line.to]).color, stroke: built.look.back, "stroke-width": 1.2 }));
      });
      if (k === Math.max(levels, 1) - 1) told(t); // the last wave is the one that the graph shows
      frame = requestAnimationFrame(tick);
    };
    frame = requestAnimationFrame(tick);
    function stop() { cancelAnimationFrame(frame); built?.flow?.replaceChildren(); told(-1); }
  }
  const sized = new ResizeObserver(() => { if (scene) show(scene); });
  sized.observe(stage);
  el.whereIs = (i) => [built.spots[i].x, built.spots[i].y]; // for tests: where to point
  return {
    el, show, flow,
    light: (nodes) => { const wanted = new Set(nodes); lit = new Set((built?.picture.nodes ?? []).map((node, i) => (drawnOf(node.members).some((u) => wanted.has(u)) ? i : -1)).filter((i) => i >= 0)); light(); },
    halt: () => { cancelAnimationFrame(frame); built?.flow?.replaceChildren(); },
    close: () => { cancelAnimationFrame(frame); sized.disconnect(); },
  };
}
