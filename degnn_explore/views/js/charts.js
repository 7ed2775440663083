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
  const from = Math.min(low - pad, Math.max(low - far, Math.min(...ends, low)));
  const to = Math.max(high + pad, Math.min(high + far, Math.max(...ends, high)));
  return [Math.max(0, from), Math.min(100.5, to)];
}

// Where everything of the chart is, in pixels.
export function dotPlot(rows, width, height) {
  const [low, high] = dotRange(rows), longest = Math.max(0, ...rows.map((row) => row.model.length));
  const left = Math.min(0.44 * width, Math.max(60, nameWidth(longest))), right = width - 46, bottom = height - 32;
  const step = Math.min(46, bottom / Math.max(1, rows.length));
  const x = (value) => left + ((value - low) / (high - low)) * (right - left);
  const clipped = (value) => x(Math.max(low, Math.min(high, value)));
  return {
    left, right, bottom, step,
    ticks: roundTicks(low, high, Math.max(2, Math.floor((right - left) / 48))).map((value) => ({ value, x: x(value) })),
    rows: rows.map((row, k) => ({
      ...row,
      y: step * (k + 0.42),
      x: x(row.mean),
      dots: row.seeds.map(x),
      ends: row.half === null ? null : [clipped(row.mean - row.half), clipped(row.mean + row.half)],
      diamond: row.paper === null ? null : x(row.paper),
    })),
  };
}
const nameWidth = (letters) => 14 + 8.6 * letters;

// The same in words, for those who cannot see it.
export function dotWords(rows, metric) {
  return rows.map(({ model, mean, half, paper }) => {
    const interval = half === null ? "" : `, plus or minus ${half.toFixed(1)}`;
    const published = paper === null ? "" : `, in the paper ${paper.toFixed(1)}`;
    return `${model}: ${metric} ${mean.toFixed(1)} percent${interval}${published}.`;
  }).join(" ");
}

// The deeper colors are hard to read on a dark page; these are the same hues, lighter.
const ON_DARK = { "#0072b2": "#4aa3e0", "#b03a5b": "#dd6f93", "#a0764a": "#c59b70", "#8b6fd1": "#a993e6", "#6f7d1f": "#b4c05c" };
export const modelColor = (color, theme) => (theme === "dark" ? ON_DARK[color] ?? color : color);

export function drawDots(svg, rows, metric, look, theme) {
  const width = svg.clientWidth, height = svg.clientHeight;
  if (!width || !height) return;
  const plot = dotPlot(rows, width, height), { left, right, bottom, step } = plot, parts = [];
  const axisText = { fill: look.faint, "text-anchor": "middle", "font-size": 11 };
  for (const { value, x } of plot.ticks) {
    parts.push(shape("line", { x1: x, x2: x, y1: 0, y2: bottom, stroke: look.line }));
    parts.push(shape("text", { x, y: bottom + 14, ...axisText }, `${value}`));
  }
  parts.push(shape("text", { x: (left + right) / 2, y: bottom + 28, ...axisText }, `test ${metric}, %`));
  for (const { model, color: own, mean, paper, x, y, dots, ends, diamond } of plot.rows) {
    const color = modelColor(own, theme), isSmall = step < 22 || nameWidth(model.length) > left;
    const text = { y: y + 4, "font-weight": 650, "font-size": isSmall ? 11 : 13 };
    parts.push(shape("text", { x: 0, fill: color, ...text }, model));
    if (ends) parts.push(shape("line", { x1: ends[0], x2: ends[1], y1: y, y2: y, stroke: color, "stroke-width": 2.5 }));
    for (const cx of dots) parts.push(shape("circle", { cx, cy: y, r: 3, fill: color, opacity: 0.4 }));
    parts.push(shape("circle", { cx: x, cy: y, r: isSmall ? 4.5 : 6, fill: color }));
    if (diamond !== null) {
      const top = y + Math.min(13, step * 0.36), r = isSmall ? 3.5 : 5;
      const d = `M${diamond} ${top - r}l${r} ${r}l${-r} ${r}l${-r} ${-r}z`;
      const mark = shape("path", { d, fill: look.back, stroke: look.faint, "stroke-width": 1.4 });
      mark.append(shape("title", {}, `${model} in the paper: ${paper.toFixed(1)}`));
      parts.push(mark);
    }
    const atEnd = { x: width, fill: look.text, "text-anchor": "end", class: "de-mean", "data-model": model };
    parts.push(shape("text", { ...atEnd, ...text }, mean.toFixed(1)));
  }
  svg.replaceChildren(...parts);
}

// Plotly, once a page: asked for until it comes. wanted() says whether the chart is still there.
export async function plotlyOf(model, wanted) {
  const page = (globalThis[Symbol.for("degnn plotly")] ??= { asked: -1e9, patience: 4000, made: null });
  async function receive(message, buffers) {
    if (message?.kind !== "plotly" || page.made) return;
    const address = URL.createObjectURL(new Blob([buffers[0]], { type: "text/javascript" }));
    page.made = (await import(address)).default;
    URL.revokeObjectURL(address);
  }
  model.on("msg:custom", receive);
  while (!page.made && wanted()) {
    if (performance.now() - page.asked > page.patience) {
      page.asked = performance.now();
      page.patience *= 2;
      model.send({ kind: "plotly?" });
    }
    await new Promise((done) => setTimeout(done, 50));
  }
  model.off("msg:custom", receive);
  return page.made;
}

// Python's figure in the colors of the page.
export function themedFigure(figure, look, theme, width, height) {
  const recolored = () => JSON.parse(JSON.stringify(figure).replace(/#[0-9a-f]{6}/g, (color) => modelColor(color, theme)));
  const { data, layout: given } = theme === "dark" ? recolored() : figure;
  const clear = "rgba(0,0,0,0)", small = { color: look.faint, size: 11 };
  const hoverlabel = { bgcolor: look.back, bordercolor: look.line, font: { color: look.text } };
  const layout = { ...given, width, height, hoverlabel, font: { color: look.text, size: 12 }, paper_bgcolor: clear, plot_bgcolor: clear };
  for (const name of ["xaxis", "yaxis"]) {
    const axis = given[name], lines = { gridcolor: look.line, linecolor: look.line, zeroline: false };
    layout[name] = { ...lines, ...axis, tickfont: small };
    if (axis.title) layout[name].title = { standoff: 4, ...axis.title, font: small };
  }
  return { data, layout };
}

export function tableOf(table, actions) {
  const made = make("table", "de-table"), head = make("tr"), body = make("tbody"), top = make("thead");
  table.columns.forEach((name) => head.append(make("th", "", name)));
  if (actions) head.append(make("th", "", ""));
  top.append(head);
  for (const row of table.rows) {
    const tr = make("tr");
    row.cells.forEach((cell) => tr.append(make("td", "", cell)));
    if (actions) {
      const td = make("td", "de-actions");
      td.append(...actions(row));
      tr.append(td);
    }
    body.append(tr);
  }
  made.append(top, body);
  return made;
}
