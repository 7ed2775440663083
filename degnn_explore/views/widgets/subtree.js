// The unrolled subtrees of the targets: what a reader does with them. Toggles and steps need no kernel.

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
    lit = new Set(); // numbers of the old picture's discs
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
    const start = performance.now(), wave = 520;
    const members = (level) => [...new Set(scene.picture.nodes.filter((node) => node.level === level).flatMap((node) => node.members))];
    let shown = -1, of = null;
    const tick = (now) => {
      const { picture, spots } = scene; // it may have been folded in the meantime
      const k = Math.min(Math.floor((now - start) / wave), picture.depth), level = picture.depth - k, t = ((now - start) % wave) / wave;
      if (level !== shown || of !== scene) {
        [shown, of] = [level, scene];
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
    paint(out, scene, LIGHT);
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
  const changed = () => { stop(); cancelAnimationFrame(frame); readNet(); later(); }, redraw = () => later();
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

export default { initialize, render };
