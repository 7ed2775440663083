// The canvas of the graphs: what a reader does with it. Positions, edges, codes, targets and camera are synced traits:
// the model is the only state that lasts.

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
  find.addEventListener("blur", () => setTimeout(() => { if (!find.matches(":focus")) drop(false); }, 200));
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
    else if (message.type === "focus" && message.node === undefined) canvas.focus({ preventScroll: true });
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

export default { initialize, render };
