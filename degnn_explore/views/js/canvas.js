// The graphs on a canvas: drawing, pointer and keyboard. It keeps no state of the panel: draw(scene) shows one, and what a
// reader does goes to the host { pick(node), lasso(nodes), clear(), hover(nodes), moved(xy), looked(camera), tip(node) }.
// scene: { xy, edges, links, starts, names, codes, entries, targets, letters, dotted(u, v), captions, coast, look }

import { calm, make } from "./dom.js";
import { departed, frame, hitTest, lasso, marks, nodeRadius, panelAt, placeLabels, project, unproject, walk, zoomAt } from "./geometry.js";

const DISC = 2 * Math.PI;
const FADING = 400; // nodes: in larger graphs a target that made room is gone at once
const disc = (ctx, x, y, r) => { ctx.beginPath(); ctx.arc(x, y, r, 0, DISC); };

export function graphCanvas(host) {
  const el = make("div", "de-stage"), canvas = make("canvas"), captions = make("div", "de-captions"), said = make("div", "de-said");
  canvas.tabIndex = 0;
  canvas.setAttribute("role", "application");
  canvas.setAttribute("aria-roledescription", "graph");
  canvas.setAttribute("aria-label", "Graph. Arrow keys walk along edges, Enter picks a target, Escape clears.");
  said.setAttribute("aria-live", "polite");
  el.append(canvas, captions, said);
  const ctx = canvas.getContext("2d"), edgeLayer = document.createElement("canvas");
  const s = { hover: -1, cursor: -1, glow: [], going: [], only: null, flow: -1, width: 0, height: 0, names: [], targets: [], entries: [] };
  let xy = new Float32Array(0), camera = [1, 0, 0], edgesDirty = true, waiting = 0, gesture = null, tween = null, moving = false, announce = -1;
  const n = () => xy.length / 2;
  const panelOf = (i) => Math.max(0, s.view.panels.findIndex((p) => i >= p.from && i < p.to));
  const degree = (i) => s.links.start[i + 1] - s.links.start[i];

  // -- a scene: read what changed, draw once
  function show(scene, fresh) {
    const old = xy, start = performance.now();
    aim(scene);
    if (fresh) s.going = []; // targets of another graph
    if (scene.edges !== s.edges || scene.marksKey !== s.marksKey || scene.look !== s.look) edgesDirty = true;
    Object.assign(s, scene);
    const moved = scene.xy !== s.given || captionLines() !== s.captionLines || !s.view;
    if (scene.xy !== s.given) {
      s.given = scene.xy;
      tween = !calm() && old.length === scene.xy.length && old.length && old.length <= 6000 ? { from: old.slice(), to: scene.xy, start } : null;
      xy = tween ? old.slice() : scene.xy.slice();
      if (fresh) camera = (scene.camera ?? [1, 0, 0]).slice();
      s.hover = s.cursor = -1;
      s.glow = [];
    }
    if (s.width && moved) layOut();
    else if (s.width) writeCaptions(); // a click changes colors and captions, not places: the edges stay as they are drawn
    if (announce >= 0 && announce < n()) describe(announce);
    announce = -1;
    redraw();
  }
  function aim({ targets, letters, dotted, cutKey }) { // the targets alone, at once; their colors follow in a scene
    const start = performance.now();
    if (n() <= FADING) s.going.push(...departed(s.targets, targets).map((i) => ({ i, start })));
    if (cutKey !== s.cutKey) edgesDirty = true;
    Object.assign(s, { targets, letters, dotted, cutKey });
    redraw();
  }
  function layOut() { // fit to the resting place, or the view would breathe while nodes travel
    const goal = tween ? tween.to : xy;
    s.captionLines = captionLines();
    s.view = frame(goal, s.starts, s.width, s.height, s.captionLines);
    const still = project(goal, s.view, [1, 0, 0]);
    s.base = nodeRadius(still.xs, still.ys, s.width * s.height);
    reproject();
    writeCaptions();
  }
  function captionLines() { return s.coast?.length ? 0 : s.captions.some(({ title }) => title) ? 2 : 1; }
  function writeCaptions() {
    captions.replaceChildren(...s.captions.map(({ letter, text, title }, k) => {
      const p = s.view.panels[k], line = make("div", "");
      line.append(make("b", `de-side-${letter === "B" ? "b" : "a"}`, letter), ` ${text}`, ...(title ? [make("small", "", title)] : []));
      if (p) Object.assign(line.style, { left: `${p.left}px`, top: `${p.top}px`, maxWidth: `${p.width - 8}px` });
      return line;
    }));
  }
  function reproject() {
    Object.assign(s, project(xy, s.view, camera));
    s.radius = Math.min(18, s.base * Math.sqrt(Math.max(camera[0], 0.2)) * (camera[0] > 1 && s.base < 6 ? camera[0] ** 0.3 : 1));
    edgesDirty = true;
  }

  // -- drawing: edges are kept in a layer of their own, so that recoloring repaints only nodes
  function paintEdges(pen, at) {
    const m = s.edges.length / 2, plain = new Path2D(), cut = new Path2D(), coast = s.coast ?? [];
    if (coast.length) {
      const p = s.view.panels[at], land = new Path2D(), place = (x, y) => [p.mx + ((x - p.cx) * s.view.scale + camera[1]) * camera[0], p.my + (-(y - p.cy) * s.view.scale + camera[2]) * camera[0]];
      coast.forEach((ring) => { for (let i = 0; i < ring.length; i += 2) land[i ? "lineTo" : "moveTo"](...place(ring[i], ring[i + 1])); land.closePath(); });
      pen.fillStyle = s.look.coast;
      pen.fill(land);
    }
    for (let e = 0; e < m; e++) {
      const u = s.edges[2 * e], v = s.edges[2 * e + 1], path = s.dotted?.(u, v) ? cut : plain;
      path.moveTo(s.xs[u], s.ys[u]);
      path.lineTo(s.xs[v], s.ys[v]);
    }
    pen.strokeStyle = m > 1200 ? s.look.faint : s.look.edge;
    pen.globalAlpha = m > 20000 ? 0.05 : m > 5000 ? 0.07 : m > 1200 ? 0.13 : 1;
    pen.lineWidth = m > 1200 ? 0.7 : 1.8;
    pen.stroke(plain);
    pen.globalAlpha = 1;
    paintMarks(pen);
    pen.strokeStyle = s.look.faint;
    pen.setLineDash([1, 5]);
    pen.lineCap = "round";
    pen.lineWidth = 1.8;
    pen.stroke(cut);
    pen.setLineDash([]);
    pen.lineCap = "butt";
  }
  // What a Why? says of edges, the strongest on top: solid speaks for the answer, dashed against it, gray changes nothing.
  function paintMarks(pen) {
    const bands = [[0, 0, 1], [1e-9, 0.15, 1.3], [0.15, 0.5, 2.6], [0.5, 1, 4.4]]; // |strength| above, up to; width
    for (const [above, most, width] of bands) {
      for (const sign of above ? [1, -1] : [0]) {
        const path = new Path2D();
        for (const [u, v, strength] of s.marks ?? []) {
          const size = Math.abs(strength);
          if (Math.sign(strength) !== sign || (sign && (size <= above || size > most))) continue;
          path.moveTo(s.xs[u], s.ys[u]);
          path.lineTo(s.xs[v], s.ys[v]);
        }
        const faint = s.edges.length > 2400 && width < 2;
        Object.assign(pen, { strokeStyle: sign > 0 ? s.look.good : sign ? s.look.against : s.look.edge, lineWidth: width, globalAlpha: faint ? 0.45 : 1 });
        pen.setLineDash(sign < 0 ? [6, 3] : []);
        pen.stroke(path);
      }
    }
    pen.globalAlpha = 1;
    pen.setLineDash([]);
  }
  function paintNodes() {
    const total = n(), r = s.radius, byCode = s.entries.map(() => []);
    for (let i = 0; i < total; i++) if (s.xs[i] > -r && s.xs[i] < s.width + r && s.ys[i] > -r && s.ys[i] < s.height + r) byCode[s.codes[i]]?.push(i);
    byCode.forEach((members, code) => {
      const { color, ink, mark } = s.entries[code];
      ctx.fillStyle = color;
      ctx.globalAlpha = s.only && !s.only.has(code) ? 0.15 : 1;
      if (r < 2.6 && total > 3000) { // thousands of specks: squares are quicker, and look the same
        for (const i of members) ctx.fillRect(s.xs[i] - r, s.ys[i] - r, 2 * r, 2 * r);
      } else {
        const path = new Path2D();
        for (const i of members) { path.moveTo(s.xs[i] + r, s.ys[i]); path.arc(s.xs[i], s.ys[i], r, 0, DISC); }
        ctx.fill(path);
        if (total <= 3000 && total > 60) { ctx.strokeStyle = s.look.back; ctx.lineWidth = r < 5 ? 0.8 : 1.2; ctx.stroke(path); }
      }
      let size = Math.min(13, r);
      if (!mark || r < 7) return;
      ctx.font = `700 ${size}px ${s.font}`;
      const wide = ctx.measureText(mark).width;
      if (wide > 1.8 * r) size *= 1.8 * r / wide;
      if (size < 8) return; // smaller could not be read
      Object.assign(ctx, { font: `700 ${size}px ${s.font}`, fillStyle: ink, textAlign: "center", textBaseline: "middle" });
      for (const i of members) ctx.fillText(mark, s.xs[i], s.ys[i] + 0.5);
    });
    ctx.globalAlpha = 1;
  }
  function paintTargets() { // a round ring for A, a square one for B: told apart without color
    const { ring } = marks(s.radius);
    s.targets.forEach((i, k) => {
      const b = s.letters[k] === "B";
      ctx.strokeStyle = b ? s.look.b : s.look.a;
      ctx.lineWidth = 2.6;
      if (b) { ctx.beginPath(); ctx.roundRect(s.xs[i] - ring, s.ys[i] - ring, 2 * ring, 2 * ring, 5); } else disc(ctx, s.xs[i], s.ys[i], ring);
      ctx.stroke();
    });
  }
  function paintLabels() {
    const total = n(), r = s.radius, seen = (i) => s.xs[i] > 0 && s.xs[i] < s.width && s.ys[i] > 0 && s.ys[i] < s.height;
    if (!s.names.length) return;
    ctx.font = `12px ${s.font}`;
    const bold = new Set([...s.targets, ...s.glow, s.hover, s.cursor].filter((i) => i >= 0));
    let order = [...bold].slice(0, 40);
    if (total <= 60 || r >= 5) {
      const rest = [];
      for (let i = 0; i < total; i++) if (!bold.has(i) && seen(i)) rest.push(i);
      if (total > 60) rest.sort((a, b) => degree(b) - degree(a));
      order = order.concat(rest.slice(0, 250));
    }
    const { ring } = marks(r), ringed = new Set(s.targets);
    const wanted = order.filter(seen).map((node) => ({ node, width: ctx.measureText(s.names[node]).width, box: panelOf(node), must: bold.has(node), own: ringed.has(node) ? ring + 1 : r }));
    const bounds = (k) => { const p = s.view.panels[k]; return [p.left + 2, p.left + p.width - 2, p.top + 2, p.top + p.height]; };
    const nodes = [];
    for (let i = 0; i < total; i++) if (seen(i)) nodes.push(i);
    const taken = s.targets.map((i) => [s.xs[i] - ring - 2, s.ys[i] - ring - 2, s.xs[i] + ring + 2, s.ys[i] + ring + 2]);
    [...captions.children].forEach((line) => taken.push([line.offsetLeft, line.offsetTop, line.offsetLeft + line.offsetWidth, line.offsetTop + line.offsetHeight]));
    Object.assign(ctx, { textAlign: "left", textBaseline: "alphabetic", lineJoin: "round", lineWidth: 3.5, strokeStyle: s.look.back });
    for (const { node, x, y } of placeLabels(wanted, s.xs, s.ys, r, nodes.length <= 3000 ? nodes : [], bounds, s.edges.length <= 400 ? s.edges : [], taken)) {
      ctx.strokeText(s.names[node], x, y);
      ctx.fillStyle = bold.has(node) ? s.look.text : s.look.faint;
      ctx.fillText(s.names[node], x, y);
    }
  }
  function paintGlow() {
    if (s.hover >= 0) {
      const path = new Path2D();
      for (let e = s.links.start[s.hover]; e < s.links.start[s.hover + 1]; e++) { path.moveTo(s.xs[s.hover], s.ys[s.hover]); path.lineTo(s.xs[s.links.list[e]], s.ys[s.links.list[e]]); }
      Object.assign(ctx, { strokeStyle: s.look.text, globalAlpha: 0.55, lineWidth: 1.6 });
      ctx.stroke(path);
    }
    Object.assign(ctx, { globalAlpha: 0.28, fillStyle: s.look.point });
    for (const i of s.glow) { disc(ctx, s.xs[i], s.ys[i], Math.max(s.radius, 3) + 8); ctx.fill(); }
    ctx.globalAlpha = 1;
  }
  function paintFlow() { // messages on their way along every edge, into both its ends
    if (s.flow < 0 || s.edges.length > 800) return;
    for (let e = 0; e < s.edges.length; e++) {
      const from = s.edges[e], to = s.edges[e ^ 1];
      if (s.dotted?.(from, to)) continue;
      Object.assign(ctx, { fillStyle: s.entries[s.codes[from]]?.color ?? s.look.faint, strokeStyle: s.look.back, lineWidth: 1 });
      disc(ctx, s.xs[from] + (s.xs[to] - s.xs[from]) * s.flow, s.ys[from] + (s.ys[to] - s.ys[from]) * s.flow, 4.2);
      ctx.fill();
      ctx.stroke();
    }
  }
  function panelwise(pen, paint) {
    for (const [at, p] of s.view.panels.entries()) { // a zoomed graph never spills over into its neighbor
      pen.save();
      pen.beginPath();
      pen.rect(p.left, p.top, p.width, p.height);
      pen.clip();
      paint(at);
      pen.restore();
    }
  }
  function draw() {
    waiting = 0;
    if (!s.width || !s.view) return;
    if (tween) {
      const t = Math.min(1, (performance.now() - tween.start) / 420), ease = 1 - (1 - t) ** 3;
      for (let i = 0; i < xy.length; i++) xy[i] = tween.from[i] + (tween.to[i] - tween.from[i]) * ease;
      if (t === 1) tween = null; else redraw();
      reproject();
    }
    const dpr = globalThis.devicePixelRatio || 1;
    if (edgesDirty && !(moving && s.edges.length > 40000)) {
      Object.assign(edgeLayer, { width: canvas.width, height: canvas.height });
      const pen = edgeLayer.getContext("2d");
      pen.setTransform(dpr, 0, 0, dpr, 0, 0);
      panelwise(pen, (at) => paintEdges(pen, at));
      edgesDirty = false;
    }
    ctx.setTransform(1, 0, 0, 1, 0, 0);
    ctx.clearRect(0, 0, canvas.width, canvas.height);
    if (!edgesDirty) ctx.drawImage(edgeLayer, 0, 0); // while a large graph is panned, its edges wait
    ctx.setTransform(dpr, 0, 0, dpr, 0, 0);
    panelwise(ctx, () => {
      paintGlow();
      paintFlow();
      paintNodes();
      paintTargets();
      paintLabels();
      if (s.cursor >= 0 && el.getRootNode().activeElement === canvas) {
        Object.assign(ctx, { strokeStyle: s.look.text, lineWidth: 1.5 });
        ctx.setLineDash([3, 3]);
        disc(ctx, s.xs[s.cursor], s.ys[s.cursor], s.radius + 9);
        ctx.stroke();
        ctx.setLineDash([]);
      }
    });
    s.going = s.going.filter(({ start }) => performance.now() - start < 700);
    for (const { i, start } of s.going) { // a target that made room is seen to go
      const t = (performance.now() - start) / 700;
      Object.assign(ctx, { globalAlpha: 1 - t, strokeStyle: s.look.faint, lineWidth: 2.2 });
      disc(ctx, s.xs[i], s.ys[i], Math.max(s.radius, 3) + 4 + (calm() ? 0 : 14 * t));
      ctx.stroke();
      ctx.globalAlpha = 1;
    }
    if (s.going.length) redraw();
    if (gesture?.kind === "lasso") {
      Object.assign(ctx, { strokeStyle: s.look.point, fillStyle: s.look.point, lineWidth: 1.5 });
      ctx.beginPath();
      gesture.path.forEach(([x, y], i) => (i ? ctx.lineTo(x, y) : ctx.moveTo(x, y)));
      ctx.closePath();
      ctx.stroke();
      ctx.globalAlpha = 0.12;
      ctx.fill();
      ctx.globalAlpha = 1;
    }
    el.dataset.targets = JSON.stringify(s.targets);
    el.dispatchEvent(new CustomEvent("de-drawn", { bubbles: true, detail: { serial: s.serial } }));
  }
  function redraw() { waiting ||= requestAnimationFrame(draw); }
  function resize() {
    const width = el.clientWidth, height = el.clientHeight, dpr = globalThis.devicePixelRatio || 1;
    if (!width || !height) return;
    Object.assign(canvas, { width: Math.round(width * dpr), height: Math.round(height * dpr) });
    Object.assign(s, { width, height, font: getComputedStyle(el).fontFamily });
    edgesDirty = true;
    if (s.starts) layOut();
    redraw();
  }

  // -- looking around
  let saving = 0;
  function lookAt(next) {
    camera = next;
    reproject();
    redraw();
    clearTimeout(saving);
    saving = setTimeout(() => { moving = false; redraw(); host.looked(camera); }, 180);
  }
  const zoom = (factor) => lookAt(zoomAt(camera, factor, 0, 0));
  const fit = () => { host.moved(null); lookAt([1, 0, 0]); };
  function hoverOn(i) {
    if (i === s.hover) return;
    s.hover = i;
    host.hover(i < 0 ? [] : [i]);
    host.tip(i);
    redraw();
  }

  // -- pointer: click toggles, drag moves a node or pans, shift-drag lassos
  const where = (event) => { const box = canvas.getBoundingClientRect(); return [event.clientX - box.left, event.clientY - box.top]; };
  function nodeAt(x, y) {
    const p = s.view?.panels[panelAt(s.view, x, y)];
    return p ? hitTest(s.xs, s.ys, x, y, s.radius, p.from, p.to) : -1;
  }
  canvas.addEventListener("pointerdown", (event) => {
    if (event.button !== 0 || !s.view) return;
    const [x, y] = where(event), node = nodeAt(x, y);
    canvas.focus({ preventScroll: true });
    canvas.setPointerCapture(event.pointerId);
    gesture = { kind: event.shiftKey ? "lasso" : node >= 0 ? "node" : "pan", node, x, y, path: [[x, y]], camera: camera.slice(), moved: false };
  });
  canvas.addEventListener("pointermove", (event) => {
    if (!s.view) return;
    const [x, y] = where(event);
    if (!gesture) { const i = nodeAt(x, y); canvas.style.cursor = i >= 0 ? "pointer" : "grab"; return hoverOn(i); }
    if (!gesture.moved && Math.hypot(x - gesture.x, y - gesture.y) < 4) return;
    gesture.moved = true;
    if (gesture.kind === "lasso") gesture.path.push([x, y]);
    else if (gesture.kind === "pan") {
      moving = true;
      camera = [camera[0], gesture.camera[1] + (x - gesture.x) / camera[0], gesture.camera[2] + (y - gesture.y) / camera[0]];
      reproject();
    } else {
      tween = null;
      [xy[2 * gesture.node], xy[2 * gesture.node + 1]] = unproject(x, y, s.view.panels[panelOf(gesture.node)], s.view, camera);
      reproject();
    }
    redraw();
  });
  function release(event) {
    if (!gesture) return;
    const done = gesture;
    gesture = null;
    if (done.kind === "lasso" && done.moved) host.lasso(lasso(s.xs, s.ys, done.path));
    else if (done.moved && done.kind === "pan") lookAt(camera);
    else if (done.moved && done.kind === "node") {
      s.given = xy.slice(); // fitting again now would make the whole picture jump
      host.moved(s.given);
    } else if (!done.moved && done.node >= 0 && event.type === "pointerup") pick((s.cursor = done.node));
    redraw();
  }
  function pick(node) { announce = node; host.pick(node); }
  function describe(i) { // for ears: the node, which graph it is in, what its color says, whether it is a target
    const side = s.view?.panels.length > 1 ? ` in ${"AB"[panelOf(i)]}` : "";
    said.textContent = `${s.names[i] ?? i}${side}, ${s.entries[s.codes[i]]?.text ?? ""}${s.targets.includes(i) ? ", target" : ""}`;
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
    if (event.ctrlKey || event.metaKey || event.altKey || !s.view) return;
    const arrow = arrows[event.key], point = (i) => { s.cursor = i; hoverOn(i); describe(i); };
    if (arrow && n()) point(s.cursor < 0 || s.cursor >= n() ? s.targets[0] ?? 0 : walk(s.xs, s.ys, s.links, s.cursor, arrow));
    else if (s.view.panels.length > 1 && ["a", "b"].includes(event.key)) {
      const p = s.view.panels[event.key === "a" ? 0 : 1], old = s.view.panels[panelOf(Math.max(s.cursor, 0))];
      point(s.targets.find((i) => i >= p.from && i < p.to) ?? Math.min(p.from + Math.max(s.cursor, 0) - old.from, p.to - 1));
    } else if ((event.key === "Enter" || event.key === " ") && s.cursor >= 0) pick(s.cursor);
    else if (event.key === "Escape") { host.clear(); hoverOn(-1); }
    else if (event.key === "+" || event.key === "=") zoom(1.4);
    else if (event.key === "-") zoom(1 / 1.4);
    else if (event.key === "0") fit();
    else return;
    el.dataset.cursor = String(s.cursor);
    event.preventDefault();
    redraw();
  });
  ["blur", "focus"].forEach((name) => canvas.addEventListener(name, redraw));

  const sized = new ResizeObserver(resize);
  sized.observe(el);
  el.whereIs = (i) => [s.xs[i], s.ys[i]]; // for tests and benchmarks: where to click
  return {
    el, show, aim, zoom, fit,
    glow: (nodes) => { s.glow = nodes.filter((i) => i < n()); el.dataset.lit = JSON.stringify(s.glow); redraw(); },
    only: (code) => { s.only = code; redraw(); },
    flow: (share) => { s.flow = share; redraw(); },
    focus: (node) => { if (node !== undefined) { s.cursor = node; el.dataset.cursor = String(node); lookAt([1, 0, 0]); hoverOn(node); } canvas.focus({ preventScroll: true }); },
    close: () => { sized.disconnect(); clearTimeout(saving); cancelAnimationFrame(waiting); },
  };
}
