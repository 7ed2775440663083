// The board's charts: a dot-and-interval chart drawn here, curves by plotly, which the kernel sends once a page.

import { make, shape } from "./dom.js";

// Round numbers from low to high, at most as many as asked for.
export function roundTicks(low, high, most) {
  const rough = Math.max(high - low, 1e-9) / most, power = 10 ** Math.floor(Math.log10(rough));
  const step = [1, 2, 5, 10].map((k) => k * power).find((one) => one >= rough * 0.999);
  const first = Math.ceil(low / step - 1e-9), last = Math.floor(high / step + 1e-9);
  return Array.from({ length: Math.max(0, last - first + 1) }, (_, k) => Number(((first + k) * step).toPrecision(10)));
}

// What the axis of the rows reaches from and to: all seeds, means and papers; of wide intervals only a part.
export function dotRange(rows) {
  const points = rows.flatMap((row) => [row.mean, ...row.seeds, ...(row.paper === null ? [] : [row.paper])]);
  if (!points.length) return [50, 100];
  const low = Math.min(...points), high = Math.max(...points), pad = Math.max(1, 0.12 * (high - low));
  const ends = rows.flatMap((row) => (row.half === null ? [] : [row.mean - row.half, row.mean + row.half]));
  const far = Math.max(pad, 0.35 * (high - low));
  return [Math.max(0, Math.min(low - pad, Math.max(low - far, Math.min(...ends, low)))), Math.min(100.5, Math.max(high + pad, Math.min(high + far, Math.max(...ends, high))))];
}

// Where everything of the chart is, in pixels.
export function dotPlot(rows, width, height) {
  const [low, high] = dotRange(rows), right = 46, bottom = 32;
  const longest = Math.max(0, ...rows.map((row) => row.model.length)), names = Math.min(0.44 * width, Math.max(60, 14 + 8.6 * longest));
  const x = (value) => names + ((value - low) / (high - low)) * (width - names - right), step = Math.min(46, (height - bottom) / Math.max(1, rows.length));
  const clip = (value) => Math.max(low, Math.min(high, value));
  return {
    left: names, right: width - right, bottom: height - bottom, step,
    ticks: roundTicks(low, high, Math.max(2, Math.floor((width - names - right) / 48))).map((value) => ({ value, x: x(value) })),
    rows: rows.map((row, k) => ({ ...row, y: step * (k + 0.42), x: x(row.mean), dots: row.seeds.map(x), ends: row.half === null ? null : [x(clip(row.mean - row.half)), x(clip(row.mean + row.half))], diamond: row.paper === null ? null : x(row.paper) })),
  };
}

// The same in words, for those who cannot see it.
export const dotWords = (rows, metric) => rows.map((row) => `${row.model}: ${metric} ${row.mean.toFixed(1)} percent${row.half === null ? "" : `, plus or minus ${row.half.toFixed(1)}`}${row.paper === null ? "" : `, in the paper ${row.paper.toFixed(1)}`}.`).join(" ");

// The deeper colors are hard to read on a dark page; these are the same hues, lighter.
const ON_DARK = { "#0072b2": "#4aa3e0", "#b03a5b": "#dd6f93", "#a0764a": "#c59b70", "#8b6fd1": "#a993e6", "#6f7d1f": "#b4c05c" };
export const modelColor = (color, theme) => (theme === "dark" ? ON_DARK[color] ?? color : color);

export function drawDots(svg, rows, metric, look, theme) {
  const width = svg.clientWidth, height = svg.clientHeight;
  if (!width || !height) return;
  const plot = dotPlot(rows, width, height), parts = [];
  for (const { value, x } of plot.ticks) parts.push(shape("line", { x1: x, x2: x, y1: 0, y2: plot.bottom, stroke: look.line }), shape("text", { x, y: plot.bottom + 14, fill: look.faint, "text-anchor": "middle", "font-size": 11 }, `${value}`));
  parts.push(shape("text", { x: (plot.left + plot.right) / 2, y: plot.bottom + 28, fill: look.faint, "text-anchor": "middle", "font-size": 11 }, `test ${metric}, %`));
  for (const row of plot.rows) {
    const color = modelColor(row.color, theme), small = plot.step < 22 || 14 + 8.6 * row.model.length > plot.left;
    parts.push(shape("text", { x: 0, y: row.y + 4, fill: color, "font-weight": 650, "font-size": small ? 11 : 13 }, row.model));
    if (row.ends) parts.push(shape("line", { x1: row.ends[0], x2: row.ends[1], y1: row.y, y2: row.y, stroke: color, "stroke-width": 2.5 }));
    for (const x of row.dots) parts.push(shape("circle", { cx: x, cy: row.y, r: 3, fill: color, opacity: 0.4 }));
    parts.push(shape("circle", { cx: row.x, cy: row.y, r: small ? 4.5 : 6, fill: color }));
    if (row.diamond !== null) {
      const y = row.y + Math.min(13, plot.step * 0.36), r = small ? 3.5 : 5, mark = shape("path", { d: `M${row.diamond} ${y - r}l${r} ${r}l${-r} ${r}l${-r} ${-r}z`, fill: look.back, stroke: look.faint, "stroke-width": 1.4 });
      mark.append(shape("title", {}, `${row.model} in the paper: ${row.paper.toFixed(1)}`));
      parts.push(mark);
    }
    parts.push(shape("text", { x: width, y: row.y + 4, fill: look.text, "text-anchor": "end", "font-weight": 650, "font-size": small ? 11 : 13, class: "de-mean", "data-model": row.model }, row.mean.toFixed(1)));
  }
  svg.replaceChildren(...parts);
}

// Plotly, once a page: asked for until it comes. wanted() says whether the chart is still there.
export async function plotlyOf(model, wanted) {
  const page = (globalThis[Symbol.for("degnn plotly")] ??= { asked: -1e9, patience: 4000, made: null });
  while (!page.made && wanted()) {
    if (performance.now() - page.asked > page.patience) {
      page.asked = performance.now();
      page.patience *= 2;
      const hear = async (message, buffers) => {
        if (message?.kind !== "plotly" || page.made) return;
        model.off("msg:custom", hear);
        const address = URL.createObjectURL(new Blob([buffers[0]], { type: "text/javascript" }));
        page.made = (await import(address)).default;
        URL.revokeObjectURL(address);
      };
      model.on("msg:custom", hear);
      model.send({ kind: "plotly?" });
    }
    await new Promise((done) => setTimeout(done, 50));
  }
  return page.made;
}

// Python's figure in the colors of the page.
export function themedFigure(figure, look, theme, width, height) {
  const colored = theme === "dark" ? JSON.parse(JSON.stringify(figure).replace(/#[0-9a-f]{6}/g, (color) => ON_DARK[color] ?? color)) : figure;
  const layout = { ...colored.layout, width, height, paper_bgcolor: "rgba(0,0,0,0)", plot_bgcolor: "rgba(0,0,0,0)", font: { color: look.text, size: 12 }, hoverlabel: { bgcolor: look.back, bordercolor: look.line, font: { color: look.text } } };
  for (const axis of ["xaxis", "yaxis"]) layout[axis] = { gridcolor: look.line, linecolor: look.line, zeroline: false, ...layout[axis], tickfont: { color: look.faint, size: 11 }, ...(layout[axis].title ? { title: { standoff: 4, ...layout[axis].title, font: { color: look.faint, size: 11 } } } : {}) };
  return { data: colored.data, layout };
}

export function tableOf(table, actions) {
  const made = make("table", "de-table"), head = make("tr"), body = make("tbody"), top = make("thead");
  table.columns.forEach((name) => head.append(make("th", "", name)));
  if (actions) head.append(make("th", "", ""));
  top.append(head);
  for (const row of table.rows) {
    const tr = make("tr");
    row.cells.forEach((cell) => tr.append(make("td", "", cell)));
    if (actions) { const td = make("td", "de-actions"); td.append(...actions(row)); tr.append(td); }
    body.append(tr);
  }
  made.append(top, body);
  return made;
}
