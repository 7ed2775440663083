// The graphs on a canvas: drawing, pointer and keyboard. It keeps no state of the panel: show(scene) shows one, and what a
// reader does goes to the host { pick(node), lasso(nodes), clear(), hover(nodes), moved(xy), looked(camera), tip(node) }.
// scene: { xy, edges, links, starts, names, codes, entries, targets, letters, dotted(u, v), captions, coast, look }

import { calm, make } from "./dom.js";
import {
  departed, frame, hitTest, lasso, nodeRadius, panelAt, placeLabels, project, ringRadius, unproject, walk, zoomAt,
} from "./geometry.js";

const FULL_TURN = 2 * Math.PI;
const FEW_NODES = 60; // all of them are named
const MANY_NODES = 3000; // more are specks, which neither travel to another layout nor keep names away
const FADING_NODES = 400; // in larger graphs a target that made room is gone at once
const NAMED_EDGES = 200; // up to so many, names keep clear of edges
const FLOWING_EDGES = 400; // up to so many carry messages while Play runs
const WAITING_EDGES = 20000; // more are not drawn while the view moves
const TRAVEL = 420, FADE = 700; // milliseconds
const ZOOM_STEP = 1.4;
const ARROWS = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] };
const WHY_BANDS = [[1e-9, 0.15, 1.3], [0.15, 0.5, 2.6], [0.5, 1, 4.4]]; // |strength| above, up to; line width

const disc = (ctx, x, y, r) => { ctx.beginPath(); ctx.arc(x, y, r, 0, FULL_TURN); };
const pixelRatio = () => globalThis.devicePixelRatio || 1;

// The more edges there are, the fainter is each of them.
export function edgeStyle(count) {
  if (count <= 1200) return { faint: false, width: 1.8, opacity: 1 };
  return { faint: true, width: 0.7, opacity: count > 20000 ? 0.05 : count > 5000 ? 0.07 : 0.13 };
}

export function graphCanvas(host) {
  const el = make("div", "de-stage"), canvas = make("canvas");
  const captions = make("div", "de-captions"), spoken = make("div", "de-said");
  canvas.tabIndex = 0;
  canvas.setAttribute("role", "application");
  canvas.setAttribute("aria-roledescription", "graph");
  canvas.setAttribute("aria-label", "Graph. Arrow keys walk along edges, Enter picks a target, Escape clears.");
  spoken.setAttribute("aria-live", "polite");
  el.append(canvas, captions, spoken);
  const ctx = canvas.getContext("2d"), edgeLayer = document.createElement("canvas");
  const s = { // the scene, and what is computed of it
    hover: -1, cursor: -1, glow: [], fading: [], only: null, flow: -1, width: 0, height: 0,
    names: [], targets: [], entries: [],
  };
  let xy = new Float32Array(0), camera = [1, 0, 0], edgesDirty = true, waiting = 0;
  let gesture = null; // of the pointer, from press to release
  let tween = null; // { from, to, start } while nodes travel to another layout
  let moving = false; // while a reader zooms or pans
  let announced = -1; // the node that is described once its new colors are here
  const n = () => xy.length / 2;
  const panelOf = (i) => Math.max(0, s.view.panels.findIndex((p) => i >= p.from && i < p.to));
  const degree = (i) => s.links.start[i + 1] - s.links.start[i];
  const targetRing = () => ringRadius(s.radius);
  const isVisible = (i) => s.xs[i] > 0 && s.xs[i] < s.width && s.ys[i] > 0 && s.ys[i] < s.height;

  // -- a scene: read what changed, draw once
  function show(scene, fresh) {
    aim(scene);
    if (fresh) s.fading = []; // targets of another graph
    if (scene.edges !== s.edges || scene.marksKey !== s.marksKey || scene.look !== s.look) edgesDirty = true;
    Object.assign(s, scene);
    const moved = scene.xy !== s.given || captionLines() !== s.captionLines || !s.view;
    if (scene.xy !== s.given) moveTo(scene.xy, scene.camera, fresh);
    if (s.width && moved) layOut();
    else if (s.width) writeCaptions(); // a click changes colors and captions, not places: the edges stay as drawn
    if (announced >= 0 && announced < n()) describe(announced);
    announced = -1;
    redraw();
  }
  function moveTo(places, savedCamera, fresh) {
    const canTravel = !calm() && xy.length === places.length && n() > 0 && n() <= MANY_NODES;
    s.given = places;
    tween = canTravel ? { from: xy.slice(), to: places, start: performance.now() } : null;
    xy = (tween ? xy : places).slice();
    if (fresh) camera = (savedCamera ?? [1, 0, 0]).slice();
    s.hover = s.cursor = -1;
    s.glow = [];
  }
  function aim({ targets, letters, dotted, cutKey }) { // the targets alone, at once; their colors follow in a scene
    const start = performance.now();
    if (n() <= FADING_NODES) s.fading.push(...departed(s.targets, targets).map((i) => ({ i, start })));
    if (cutKey !== s.cutKey) edgesDirty = true;
    Object.assign(s, { targets, letters, dotted, cutKey });
    redraw();
  }
  function layOut() { // fit to the resting place, or the view would breathe while nodes travel
    const goal = tween ? tween.to : xy;
    s.captionLines = captionLines();
    s.view = frame(goal, s.starts, s.width, s.height, s.captionLines);
    const atRest = project(goal, s.view, [1, 0, 0]);
    s.base = nodeRadius(atRest.xs, atRest.ys, s.width * s.height);
    reproject();
    writeCaptions();
  }
  function captionLines() {
    if (s.coast?.length) return 0;
    return s.captions.some(({ title }) => title) ? 2 : 1;
  }
  function writeCaptions() {
    captions.replaceChildren(...s.captions.map(({ letter, text, title }, k) => {
      const panel = s.view.panels[k], line = make("div", "");
      line.append(make("b", `de-side-${letter === "B" ? "b" : "a"}`, letter), ` ${text}`);
      if (title) line.append(make("small", "", title));
      Object.assign(line.style, { left: `${panel.left}px`, top: `${panel.top}px`, maxWidth: `${panel.width - 8}px` });
      return line;
    }));
  }
  function reproject() {
    const [zoom] = camera, growth = zoom > 1 && s.base < 6 ? zoom ** 0.3 : 1; // small discs grow faster
    Object.assign(s, project(xy, s.view, camera));
    s.radius = Math.min(18, s.base * Math.sqrt(Math.max(zoom, 0.2)) * growth);
    edgesDirty = true;
  }

  // -- drawing: edges are kept in a layer of their own, so that recoloring repaints only nodes
  function lineBetween(path, u, v) {
    path.moveTo(s.xs[u], s.ys[u]);
    path.lineTo(s.xs[v], s.ys[v]);
  }
  function paintCoast(pen, panel) {
    const land = new Path2D(), [zoom, dx, dy] = camera;
    for (const ring of s.coast) {
      for (let i = 0; i < ring.length; i += 2) {
        const x = panel.mx + ((ring[i] - panel.cx) * s.view.scale + dx) * zoom;
        const y = panel.my + (-(ring[i + 1] - panel.cy) * s.view.scale + dy) * zoom;
        land[i ? "lineTo" : "moveTo"](x, y);
      }
      land.closePath();
    }
    pen.fillStyle = s.look.coast;
    pen.fill(land);
  }
  function paintEdges(pen, at) {
    const plain = new Path2D(), cut = new Path2D(), { faint, width, opacity } = edgeStyle(s.edges.length / 2);
    if (s.coast?.length) paintCoast(pen, s.view.panels[at]);
    for (let e = 0; e < s.edges.length; e += 2) {
      const u = s.edges[e], v = s.edges[e + 1];
      lineBetween(s.dotted?.(u, v) ? cut : plain, u, v);
    }
    Object.assign(pen, { strokeStyle: faint ? s.look.faint : s.look.edge, lineWidth: width, globalAlpha: opacity });
    pen.stroke(plain);
    paintMarks(pen);
    Object.assign(pen, { strokeStyle: s.look.faint, lineWidth: 1.8, lineCap: "round", globalAlpha: 1 });
    pen.setLineDash([1, 5]);
    pen.stroke(cut);
    pen.setLineDash([]);
    pen.lineCap = "butt";
  }
  // What a Why? says of edges, the strongest on top: solid speaks for it, dashed against it, gray changes nothing.
  function paintMarks(pen) {
    const marks = s.marks ?? [], crowded = edgeStyle(s.edges.length / 2).faint;
    function paint(chosen, color, width, dash) {
      const path = new Path2D();
      for (const [u, v] of chosen) lineBetween(path, u, v);
      Object.assign(pen, { strokeStyle: color, lineWidth: width, globalAlpha: crowded && width < 2 ? 0.45 : 1 });
      pen.setLineDash(dash);
      pen.stroke(path);
    }
    paint(marks.filter(([, , strength]) => !strength), s.look.edge, 1, []);
    for (const [above, most, width] of WHY_BANDS) {
      const inBand = (size) => size > above && size <= most;
      paint(marks.filter(([, , strength]) => inBand(strength)), s.look.good, width, []);
      paint(marks.filter(([, , strength]) => inBand(-strength)), s.look.against, width, [6, 3]);
    }
    pen.setLineDash([]);
  }
  function paintNodes() {
    const r = s.radius, byCode = s.entries.map(() => []);
    for (let i = 0; i < n(); i++) {
      const onCanvas = s.xs[i] > -r && s.xs[i] < s.width + r && s.ys[i] > -r && s.ys[i] < s.height + r;
      if (onCanvas) byCode[s.codes[i]]?.push(i);
    }
    byCode.forEach((members, code) => {
      ctx.globalAlpha = s.only && !s.only.has(code) ? 0.15 : 1;
      paintDiscs(members, s.entries[code].color);
      paintMark(members, s.entries[code]);
    });
    ctx.globalAlpha = 1;
  }
  function paintDiscs(members, color) {
    const r = s.radius, path = new Path2D();
    ctx.fillStyle = color;
    if (r < 2.6 && n() > MANY_NODES) { // thousands of specks: squares are quicker, and look the same
      for (const i of members) ctx.fillRect(s.xs[i] - r, s.ys[i] - r, 2 * r, 2 * r);
      return;
    }
    for (const i of members) {
      path.moveTo(s.xs[i] + r, s.ys[i]);
      path.arc(s.xs[i], s.ys[i], r, 0, FULL_TURN);
    }
    ctx.fill(path);
    if (n() <= FEW_NODES || n() > MANY_NODES) return;
    Object.assign(ctx, { strokeStyle: s.look.back, lineWidth: r < 5 ? 0.8 : 1.2 });
    ctx.stroke(path);
  }
  function paintMark(members, { mark, ink }) {
    const r = s.radius;
    if (!mark || r < 7) return;
    let size = Math.min(13, r);
    ctx.font = `700 ${size}px ${s.font}`;
    size *= Math.min(1, 1.8 * r / ctx.measureText(mark).width);
    if (size < 8) return; // smaller could not be read
    ctx.font = `700 ${size}px ${s.font}`;
    Object.assign(ctx, { fillStyle: ink, textAlign: "center", textBaseline: "middle" });
    for (const i of members) ctx.fillText(mark, s.xs[i], s.ys[i] + 0.5);
  }
  function paintTargets() { // a round ring for A, a square one for B: told apart without color
    const ring = targetRing();
    s.targets.forEach((i, k) => {
      const isB = s.letters[k] === "B", x = s.xs[i], y = s.ys[i];
      Object.assign(ctx, { strokeStyle: isB ? s.look.b : s.look.a, lineWidth: 2.6 });
      if (isB) {
        ctx.beginPath();
        ctx.roundRect(x - ring, y - ring, 2 * ring, 2 * ring, 5);
      } else disc(ctx, x, y, ring);
      ctx.stroke();
    });
  }
  function paintLabels() {
    if (!s.names.length) return;
    const r = s.radius, ring = targetRing(), targets = new Set(s.targets);
    const bold = new Set([...s.targets, ...s.glow, s.hover, s.cursor].filter((i) => i >= 0));
    const visible = Array.from({ length: n() }, (_, i) => i).filter(isVisible);
    let order = [...bold].slice(0, 40);
    if (n() <= FEW_NODES || r >= 5) {
      const rest = visible.filter((i) => !bold.has(i));
      if (n() > FEW_NODES) rest.sort((a, b) => degree(b) - degree(a));
      order = order.concat(rest.slice(0, 250));
    }
    ctx.font = `12px ${s.font}`;
    const wanted = order.filter(isVisible).map((node) => ({
      node,
      width: ctx.measureText(s.names[node]).width,
      box: panelOf(node),
      must: bold.has(node),
      own: targets.has(node) ? ring + 1 : r,
    }));
    const bounds = (k) => {
      const { left, top, width, height } = s.view.panels[k];
      return [left + 2, left + width - 2, top + 2, top + height];
    };
    const around = (x, y, reach) => [x - reach, y - reach, x + reach, y + reach];
    const taken = [
      ...s.targets.map((i) => around(s.xs[i], s.ys[i], ring + 2)),
      ...[...captions.children].map(({ offsetLeft: x, offsetTop: y, offsetWidth: width, offsetHeight: height }) =>
        [x, y, x + width, y + height]),
    ];
    const avoided = visible.length <= MANY_NODES ? visible : [];
    const crossed = s.edges.length <= 2 * NAMED_EDGES ? s.edges : [];
    Object.assign(ctx, { textAlign: "left", textBaseline: "alphabetic", lineJoin: "round", lineWidth: 3.5 });
    for (const { node, x, y } of placeLabels(wanted, s.xs, s.ys, r, avoided, bounds, crossed, taken)) {
      Object.assign(ctx, { strokeStyle: s.look.back, fillStyle: bold.has(node) ? s.look.text : s.look.faint });
      ctx.strokeText(s.names[node], x, y);
      ctx.fillText(s.names[node], x, y);
    }
  }
  function paintGlow() {
    if (s.hover >= 0) {
      const path = new Path2D(), { start, list } = s.links;
      for (let e = start[s.hover]; e < start[s.hover + 1]; e++) lineBetween(path, s.hover, list[e]);
      Object.assign(ctx, { strokeStyle: s.look.text, globalAlpha: 0.55, lineWidth: 1.6 });
      ctx.stroke(path);
    }
    Object.assign(ctx, { globalAlpha: 0.28, fillStyle: s.look.point });
    for (const i of s.glow) {
      disc(ctx, s.xs[i], s.ys[i], Math.max(s.radius, 3) + 8);
      ctx.fill();
    }
    ctx.globalAlpha = 1;
  }
  function paintFlow() { // messages on their way along every edge, into both its ends
    if (s.flow < 0 || s.edges.length > 2 * FLOWING_EDGES) return;
    for (let e = 0; e < s.edges.length; e++) {
      const from = s.edges[e], to = s.edges[e ^ 1]; // the other end
      if (s.dotted?.(from, to)) continue;
      const x = s.xs[from] + (s.xs[to] - s.xs[from]) * s.flow, y = s.ys[from] + (s.ys[to] - s.ys[from]) * s.flow;
      const color = s.entries[s.codes[from]]?.color ?? s.look.faint;
      Object.assign(ctx, { fillStyle: color, strokeStyle: s.look.back, lineWidth: 1 });
      disc(ctx, x, y, 4.2);
      ctx.fill();
      ctx.stroke();
    }
  }
  function paintCursor() {
    if (s.cursor < 0 || el.getRootNode().activeElement !== canvas) return;
    Object.assign(ctx, { strokeStyle: s.look.text, lineWidth: 1.5 });
    ctx.setLineDash([3, 3]);
    disc(ctx, s.xs[s.cursor], s.ys[s.cursor], s.radius + 9);
    ctx.stroke();
    ctx.setLineDash([]);
  }
  function paintFading() { // a target that made room is seen to go
    const now = performance.now();
    s.fading = s.fading.filter(({ start }) => now - start < FADE);
    for (const { i, start } of s.fading) {
      const share = (now - start) / FADE, reach = targetRing() + (calm() ? 0 : 14 * share);
      Object.assign(ctx, { globalAlpha: 1 - share, strokeStyle: s.look.faint, lineWidth: 2.2 });
      disc(ctx, s.xs[i], s.ys[i], reach);
      ctx.stroke();
    }
    ctx.globalAlpha = 1;
    if (s.fading.length) redraw();
  }
  function paintLasso() {
    if (gesture?.kind !== "lasso") return;
    Object.assign(ctx, { strokeStyle: s.look.point, fillStyle: s.look.point, lineWidth: 1.5 });
    ctx.beginPath();
    gesture.path.forEach(([x, y], i) => (i ? ctx.lineTo(x, y) : ctx.moveTo(x, y)));
    ctx.closePath();
    ctx.stroke();
    ctx.globalAlpha = 0.12;
    ctx.fill();
    ctx.globalAlpha = 1;
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
  function travel() { // one step of the way to another layout
    const share = Math.min(1, (performance.now() - tween.start) / TRAVEL), eased = 1 - (1 - share) ** 3;
    for (let i = 0; i < xy.length; i++) xy[i] = tween.from[i] + (tween.to[i] - tween.from[i]) * eased;
    if (share === 1) tween = null;
    else redraw();
    reproject();
  }
  function drawEdgeLayer() {
    Object.assign(edgeLayer, { width: canvas.width, height: canvas.height });
    const pen = edgeLayer.getContext("2d");
    pen.setTransform(pixelRatio(), 0, 0, pixelRatio(), 0, 0);
    panelwise(pen, (at) => paintEdges(pen, at));
    edgesDirty = false;
  }
  function draw() {
    waiting = 0;
    if (!s.width || !s.view) return;
    if (tween) travel();
    if (edgesDirty && !(moving && s.edges.length > 2 * WAITING_EDGES)) drawEdgeLayer();
    ctx.setTransform(1, 0, 0, 1, 0, 0);
    ctx.clearRect(0, 0, canvas.width, canvas.height);
    if (!edgesDirty) ctx.drawImage(edgeLayer, 0, 0); // while a large graph is panned, its edges wait
    ctx.setTransform(pixelRatio(), 0, 0, pixelRatio(), 0, 0);
    panelwise(ctx, () => {
      paintGlow();
      paintFlow();
      paintNodes();
      paintTargets();
      paintLabels();
      paintCursor();
    });
    paintFading();
    paintLasso();
    el.dataset.targets = JSON.stringify(s.targets);
    el.dispatchEvent(new CustomEvent("de-drawn", { detail: { serial: s.serial } }));
  }
  function redraw() { waiting ||= requestAnimationFrame(draw); }
  function resize() {
    const width = el.clientWidth, height = el.clientHeight;
    if (!width || !height) return;
    Object.assign(canvas, { width: Math.round(width * pixelRatio()), height: Math.round(height * pixelRatio()) });
    Object.assign(s, { width, height, font: getComputedStyle(el).fontFamily });
    edgesDirty = true;
    if (s.starts) layOut();
    redraw();
  }

  // -- zooming and panning
  let saving = 0;
  function lookAt(next) {
    camera = next;
    reproject();
    redraw();
    clearTimeout(saving);
    saving = setTimeout(() => {
      moving = false;
      redraw();
      host.looked(camera);
    }, 180);
  }
  const zoom = (factor) => lookAt(zoomAt(camera, factor, 0, 0));
  function fit() {
    host.moved(null);
    lookAt([1, 0, 0]);
  }
  function hoverOn(i) {
    if (i === s.hover) return;
    s.hover = i;
    host.hover(i < 0 ? [] : [i]);
    host.tip(i);
    redraw();
  }

  // -- pointer: click toggles, drag moves a node or pans, shift-drag lassos
  function positionOf(event) {
    const box = canvas.getBoundingClientRect();
    return [event.clientX - box.left, event.clientY - box.top];
  }
  function nodeAt(x, y) {
    const { from, to } = s.view.panels[panelAt(s.view, x, y)];
    return hitTest(s.xs, s.ys, x, y, s.radius, from, to);
  }
  canvas.addEventListener("pointerdown", (event) => {
    if (event.button !== 0 || !s.view) return;
    const [x, y] = positionOf(event), node = nodeAt(x, y), kind = event.shiftKey ? "lasso" : node >= 0 ? "node" : "pan";
    canvas.focus({ preventScroll: true });
    canvas.setPointerCapture(event.pointerId);
    gesture = { kind, node, x, y, path: [[x, y]], camera: camera.slice(), moved: false };
  });
  canvas.addEventListener("pointermove", (event) => {
    if (!s.view) return;
    const [x, y] = positionOf(event);
    if (gesture) drag(x, y);
    else {
      const i = nodeAt(x, y);
      canvas.style.cursor = i >= 0 ? "pointer" : "grab";
      hoverOn(i);
    }
  });
  function drag(x, y) {
    if (!gesture.moved && Math.hypot(x - gesture.x, y - gesture.y) < 4) return; // a click of a shaking hand
    gesture.moved = true;
    if (gesture.kind === "lasso") gesture.path.push([x, y]);
    else if (gesture.kind === "pan") {
      const [zoomed, dx, dy] = gesture.camera;
      moving = true;
      camera = [zoomed, dx + (x - gesture.x) / zoomed, dy + (y - gesture.y) / zoomed];
      reproject();
    } else {
      tween = null;
      xy.set(unproject(x, y, s.view.panels[panelOf(gesture.node)], s.view, camera), 2 * gesture.node);
      reproject();
    }
    redraw();
  }
  function release(event) {
    if (!gesture) return;
    const { kind, node, moved, path } = gesture;
    gesture = null;
    if (moved && kind === "lasso") host.lasso(lasso(s.xs, s.ys, path));
    else if (moved && kind === "pan") lookAt(camera);
    else if (moved && kind === "node") {
      s.given = xy.slice(); // fitting again now would make the whole picture jump
      host.moved(s.given);
    } else if (!moved && node >= 0 && event.type === "pointerup") {
      s.cursor = node;
      pick(node);
    }
    redraw();
  }
  function pick(node) {
    announced = node;
    host.pick(node);
  }
  function describe(i) { // for ears: the node, which graph it is in, what its color says, whether it is a target
    const side = s.view?.panels.length > 1 ? ` in ${"AB"[panelOf(i)]}` : "";
    const target = s.targets.includes(i) ? ", target" : "";
    spoken.textContent = `${s.names[i] ?? i}${side}, ${s.entries[s.codes[i]]?.text ?? ""}${target}`;
  }
  canvas.addEventListener("pointerup", release);
  canvas.addEventListener("pointercancel", release);
  canvas.addEventListener("pointerleave", () => { if (!gesture) hoverOn(-1); });
  canvas.addEventListener("wheel", (event) => {
    if (!gesture && !event.ctrlKey && !event.metaKey) return; // the page scrolls on
    event.preventDefault();
    const [x, y] = positionOf(event), panel = s.view.panels[panelAt(s.view, x, y)];
    moving = true;
    const speed = event.deltaMode ? 0.05 : 0.0018; // the wheel turns by lines, or by pixels
    lookAt(zoomAt(camera, Math.exp(-event.deltaY * speed), x - panel.mx, y - panel.my));
  }, { passive: false });

  // -- keyboard
  function moveCursor(i) {
    s.cursor = i;
    hoverOn(i);
    describe(i);
  }
  function walkTo(arrow) {
    const isHere = s.cursor >= 0 && s.cursor < n();
    moveCursor(isHere ? walk(s.xs, s.ys, s.links, s.cursor, arrow) : s.targets[0] ?? 0);
  }
  function crossTo(side) { // to the target of that graph, or to the same place in it
    const { panels } = s.view, { from, to } = panels[side];
    const cursor = Math.max(s.cursor, 0), place = cursor - panels[panelOf(cursor)].from;
    moveCursor(s.targets.find((i) => i >= from && i < to) ?? Math.min(from + place, to - 1));
  }
  canvas.addEventListener("keydown", (event) => {
    const { key } = event;
    if (event.ctrlKey || event.metaKey || event.altKey || !s.view) return;
    if (ARROWS[key] && n()) walkTo(ARROWS[key]);
    else if (s.view.panels.length > 1 && (key === "a" || key === "b")) crossTo(key === "a" ? 0 : 1);
    else if ((key === "Enter" || key === " ") && s.cursor >= 0) pick(s.cursor);
    else if (key === "Escape") {
      host.clear();
      hoverOn(-1);
    } else if (key === "+" || key === "=") zoom(ZOOM_STEP);
    else if (key === "-") zoom(1 / ZOOM_STEP);
    else if (key === "0") fit();
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
    glow(nodes) {
      s.glow = nodes.filter((i) => i < n());
      el.dataset.lit = JSON.stringify(s.glow);
      redraw();
    },
    only(codes) {
      s.only = codes;
      redraw();
    },
    flow(share) {
      s.flow = share;
      redraw();
    },
    focus(node) {
      if (node !== undefined) {
        s.cursor = node;
        el.dataset.cursor = String(node);
        lookAt([1, 0, 0]);
        hoverOn(node);
      }
      canvas.focus({ preventScroll: true });
    },
    close() {
      sized.disconnect();
      clearTimeout(saving);
      cancelAnimationFrame(waiting);
    },
  };
}
