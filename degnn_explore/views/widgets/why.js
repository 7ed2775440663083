// S and the edges that move its score most. A click on an edge, or on two nodes after each other, asks Python "what if".
// All text goes in as text. nodes: {x, y, name, target}; edges: {u, v, change, state: "" | "out" | "in", words}.

// How a line looks: wide if it moves the score much, dashed if it speaks against, dotted if it is left out.
export function look(edge, most) {
  if (edge.state === "out") return { css: "de-why-out", width: 2.5 };
  if (edge.state === "in") return { css: "de-why-in", width: 4 };
  if (edge.change === null) return { css: "de-why-rest", width: 1 };
  return { css: edge.change <= 0 ? "de-why-for" : "de-why-against", width: 1.2 + 6 * Math.abs(edge.change) / (most || 1) };
}

// Where a name goes: outwards from the middle of the picture, and on its own side of a disc of radius r.
export function beside(x, y, r, width, height) {
  const dx = x - width / 2, dy = y - height / 2, away = Math.hypot(dx, dy) || 1;
  if (Math.abs(dx) / away > 0.55) return { x: x + Math.sign(dx) * (r + 4), y: y + 4, "text-anchor": dx > 0 ? "start" : "end" };
  return { x, y: dy > 0 ? y + r + 12 : y - r - 5, "text-anchor": "middle" };
}

function render({ model, el }) {
  const box = document.createElement("div"), said = document.createElement("div");
  box.className = "de-why-picture";
  box.dataset.lmSuppressShortcuts = "true";
  said.className = "de-said";
  said.setAttribute("aria-live", "polite");
  el.append(box, said);
  let first = -1, focus = -1;
  const height = 330;

  const choose = (i) => {
    focus = i;
    if (first === i) first = -1;
    else if (first < 0) first = i;
    else { model.send({ type: "pair", u: first, v: i }); first = -1; }
    said.textContent = first < 0 ? "" : `${model.get("nodes")[first].name} chosen; choose a second node`;
    draw();
  };

  const draw = () => {
    const nodes = model.get("nodes"), edges = model.get("edges"), width = Math.max(box.clientWidth, 260);
    const svg = shape("svg", { width: "100%", height, viewBox: `0 0 ${width} ${height}`, role: "group", "aria-label": model.get("title") });
    const room = 20 + 6.3 * Math.min(16, Math.max(0, ...nodes.map((node) => node.name.length)));  // for the names at both ends
    const at = nodes.map((node) => [room + node.x * (width - 2 * room), 26 + node.y * (height - 52)]);
    const most = Math.max(0, ...edges.map((edge) => Math.abs(edge.change ?? 0)));
    const order = edges.map((_, e) => e).sort((a, b) => Math.abs(edges[a].change ?? 0) - Math.abs(edges[b].change ?? 0));
    for (const e of order) {
      const edge = edges[e], [x1, y1] = at[edge.u], [x2, y2] = at[edge.v], { css, width: stroke } = look(edge, most);
      const group = shape("g", { class: "de-why-edge", "data-edge": e });
      group.append(shape("title", {}, edge.words), shape("line", { x1, y1, x2, y2, class: css, "stroke-width": stroke }));
      group.append(shape("line", { x1, y1, x2, y2, class: "de-why-reach" }));
      if (edge.state) group.append(shape("text", { x: (x1 + x2) / 2, y: (y1 + y2) / 2 + 5, class: "de-why-sign" }, edge.state === "out" ? "✕" : "+"));
      group.addEventListener("click", () => model.send({ type: "pair", u: edge.u, v: edge.v }));
      svg.append(group);
    }
    nodes.forEach((node, i) => {
      const [x, y] = at[i], r = node.target ? 9 : 6, text = beside(x, y, r, width, height);
      const group = shape("g", { class: "de-why-node", tabindex: 0, role: "button", "aria-label": node.name, "aria-pressed": first === i, "data-node": i });
      group.append(shape("title", {}, node.name));
      if (first === i) group.append(shape("circle", { cx: x, cy: y, r: 13, class: "de-why-chosen" }));
      group.append(shape("circle", { cx: x, cy: y, r, class: node.target ? "de-why-target" : "de-why-disc" }));
      const name = node.name.length > 16 ? `${node.name.slice(0, 15)}…` : node.name;
      group.append(shape("text", { ...text, class: "de-why-name" }, name));
      group.addEventListener("click", () => choose(i));
      group.addEventListener("keydown", (event) => {
        if (event.key !== "Tab") event.stopPropagation(); // a notebook must not take our keys
        if (event.key === "Enter" || event.key === " ") { event.preventDefault(); choose(i); }
        if (event.key === "Escape" && first >= 0) choose(first);
      });
      svg.append(group);
    });
    box.replaceChildren(svg);
    if (focus >= 0) svg.querySelector(`[data-node="${focus}"]`)?.focus({ preventScroll: true });
    focus = -1;
  };

  const fresh = () => { first = -1; draw(); };
  const names = "change:nodes change:edges change:title";
  model.on(names, fresh);
  const watch = new ResizeObserver(() => draw());
  watch.observe(box);
  draw();
  return () => { model.off(names, fresh); watch.disconnect(); };
}

export default { initialize, render };
