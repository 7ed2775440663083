// One frame of the canvas: edges, nodes, targets, names and what lights up.

function paintEdges(ctx, s, look) {
  const m = s.edges.length / 2;
  const plain = new Path2D(), cut = new Path2D();
  for (let e = 0; e < m; e++) {
    const u = s.edges[2 * e], v = s.edges[2 * e + 1], path = s.edgeStyles[e] ? cut : plain;
    path.moveTo(s.xs[u], s.ys[u]);
    path.lineTo(s.xs[v], s.ys[v]);
  }
  ctx.strokeStyle = look.edge;
  ctx.globalAlpha = m > 20000 ? 0.1 : m > 5000 ? 0.13 : m > 1200 ? 0.2 : 0.85;
  ctx.lineWidth = m > 1200 ? 0.8 : 1.4;
  ctx.stroke(plain);
  ctx.globalAlpha = 0.6;
  ctx.setLineDash([1, 5]);
  ctx.lineCap = "round";
  ctx.lineWidth = 1.6;
  ctx.stroke(cut);
  ctx.globalAlpha = 1;
  ctx.lineCap = "butt";
  ctx.setLineDash([]);
}

function disc(ctx, x, y, r) {
  ctx.beginPath();
  ctx.arc(x, y, r, 0, 2 * Math.PI);
}

function paintNodes(ctx, s, look) {
  const n = s.xs.length, r = s.radius, byCode = s.palette.map(() => []);
  for (let i = 0; i < n; i++) {
    if (s.xs[i] > -r && s.xs[i] < s.width + r && s.ys[i] > -r && s.ys[i] < s.height + r) (byCode[s.codes[i] ?? 0] ?? byCode[0])?.push(i);
  }
  byCode.forEach((members, code) => {
    ctx.fillStyle = s.palette[code];
    ctx.globalAlpha = s.only !== null && s.only !== code ? 0.15 : 1;
    if (r < 2.6 && n > 3000) { // thousands of specks: squares are quicker, and look the same
      for (const i of members) ctx.fillRect(s.xs[i] - r, s.ys[i] - r, 2 * r, 2 * r);
    } else {
      const path = new Path2D();
      for (const i of members) {
        path.moveTo(s.xs[i] + r, s.ys[i]);
        path.arc(s.xs[i], s.ys[i], r, 0, 2 * Math.PI);
      }
      ctx.fill(path);
      if (n <= 3000) {
        ctx.strokeStyle = look.rim;
        ctx.lineWidth = r < 5 ? 0.35 : 1; // a full rim would wash out the colour of a small node
        ctx.stroke(path);
      }
    }
    const mark = s.marks[code];
    if (mark && r >= 6.5) {
      let size = Math.min(13, r * 1.1);
      ctx.font = `600 ${size}px ${look.font}`;
      const room = 1.75 * r, wide = ctx.measureText(mark).width;
      if (wide > room) size *= room / wide;
      if (size >= 9) { // smaller could not be read
        ctx.font = `600 ${size}px ${look.font}`;
        ctx.fillStyle = s.inks[code];
        ctx.textAlign = "center";
        ctx.textBaseline = "middle";
        for (const i of members) ctx.fillText(mark, s.xs[i], s.ys[i] + 0.5);
      }
    }
  });
  ctx.globalAlpha = 1;
}

function paintTargets(ctx, s, look) {
  const { ring, letter: out } = marks(s.radius);
  ctx.textAlign = "center";
  ctx.textBaseline = "middle";
  s.targets.forEach((i, k) => {
    const colour = s.letters[k] === "B" ? look.b : look.a;
    ctx.strokeStyle = colour;
    ctx.lineWidth = 2.2;
    disc(ctx, s.xs[i], s.ys[i], ring);
    ctx.stroke();
    const letter = s.letters[k] ?? "";
    if (!letter || s.targets.length > 60) return;
    ctx.font = `700 13px ${look.font}`;
    halo(ctx, letter, s.xs[i] - out, s.ys[i] - out, colour, look.back);
  });
}

function halo(ctx, text, x, y, colour, back) {
  ctx.lineJoin = "round";
  ctx.lineWidth = 3.5;
  ctx.strokeStyle = back;
  ctx.strokeText(text, x, y);
  ctx.fillStyle = colour;
  ctx.fillText(text, x, y);
}

function paintLabels(ctx, s, look) {
  const n = s.xs.length, r = s.radius;
  const seen = (i) => s.xs[i] > 0 && s.xs[i] < s.width && s.ys[i] > 0 && s.ys[i] < s.height;
  ctx.textAlign = "left";
  ctx.textBaseline = "middle";
  if (!s.names.length) return;
  ctx.font = `11px ${look.font}`;
  const bold = new Set([...s.targets, ...s.glow, s.hover, s.cursor].filter((i) => i >= 0));
  let order = [...bold].slice(0, 40);
  if (n <= 60 || r >= 5) {
    const rest = [];
    for (let i = 0; i < n; i++) if (!bold.has(i) && seen(i)) rest.push(i);
    if (n > 60) rest.sort((a, b) => s.degree(b) - s.degree(a));
    order = order.concat(rest.slice(0, 250));
  }
  const { ring, letter: out } = marks(r), ringed = new Set(s.targets);
  const wanted = order.filter(seen).map((node) => ({
    node, width: ctx.measureText(s.names[node]).width, box: s.panelOf(node), must: bold.has(node), own: ringed.has(node) ? ring : r }));
  const bounds = (k) => { const p = s.view.panels[k]; return [p.left + 2, p.left + p.width - 2, p.top + 18, p.top + p.height]; };
  const nodes = [];
  for (let i = 0; i < n; i++) if (seen(i)) nodes.push(i);
  const square = (x, y, w, h = w) => [x - w, y - h, x + w, y + h];
  const taken = s.targets.flatMap((i) => [square(s.xs[i], s.ys[i], ring + 2), square(s.xs[i] - out, s.ys[i] - out, 6, 7)]);
  ctx.textBaseline = "alphabetic";
  for (const { node, x, y } of placeLabels(wanted, s.xs, s.ys, r, nodes.length <= 3000 ? nodes : [], bounds, s.edges.length <= 400 ? s.edges : [], taken))
    halo(ctx, s.names[node], x, y, bold.has(node) ? look.text : look.faint, look.back);
}

function paintGlow(ctx, s, look) {
  ctx.strokeStyle = look.accent;
  if (s.hover >= 0 && s.links) {
    const path = new Path2D();
    for (let e = s.links.start[s.hover]; e < s.links.start[s.hover + 1]; e++) {
      path.moveTo(s.xs[s.hover], s.ys[s.hover]);
      path.lineTo(s.xs[s.links.list[e]], s.ys[s.links.list[e]]);
    }
    ctx.strokeStyle = look.text;
    ctx.globalAlpha = 0.55;
    ctx.lineWidth = 1.5;
    ctx.stroke(path);
  }
  ctx.globalAlpha = 0.35;
  ctx.fillStyle = look.accent;
  for (const i of s.glow) {
    disc(ctx, s.xs[i], s.ys[i], Math.max(s.radius, 3) + 7);
    ctx.fill();
  }
  ctx.globalAlpha = 1;
}

function panelwise(ctx, s, paint) {
  if (s.view.panels.length < 2) return paint();
  for (const p of s.view.panels) { // a zoomed graph never spills over into its neighbour
    ctx.save();
    ctx.beginPath();
    ctx.rect(p.left, p.top, p.width, p.height);
    ctx.clip();
    paint();
    ctx.restore();
  }
}
