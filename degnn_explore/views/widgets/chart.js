// Draws the figure that the widget holds, in the colours of the page. Plotly stands before this file as `Plotly`.
const CONFIG = {
  displaylogo: false, responsive: false, displayModeBar: "hover",
  modeBarButtonsToRemove: ["sendDataToCloud", "sendChartToCloud", "lasso2d", "select2d", "autoScale2d"],
};

// The deeper colours are hard to read on a dark page; these are the same hues, lighter.
const ON_DARK = { "#0072b2": "#4aa3e0", "#b03a5b": "#dd6f93", "#a0764a": "#c59b70", "#8b6fd1": "#a993e6", "#6f7d1f": "#b4c05c", "#404a5c": "#dfe5ee", "#aeb8c6": "#76819a" };

function lit(value) {
  if (document.body.dataset.jpThemeLight !== "false") return value;
  return JSON.parse(JSON.stringify(value).replace(/#[0-9a-f]{6}/g, (colour) => ON_DARK[colour] ?? colour));
}

function coloured(layout, el) {
  const style = getComputedStyle(el);
  const of = (name, otherwise) => style.getPropertyValue(name).trim() || otherwise;
  const text = of("--de-text", "#1f2328"), faint = of("--de-faint", "#6b7280"), line = of("--de-grid", "rgba(127,127,127,0.18)");
  const out = { ...layout, autosize: true, paper_bgcolor: "rgba(0,0,0,0)", plot_bgcolor: "rgba(0,0,0,0)" };
  const scale = parseFloat(of("--de-scale", "1")), size = 12 * scale;  // a board may be shown in larger type
  out.font = { ...layout.font, color: text, family: of("font-family", "sans-serif"), size };
  out.modebar = { bgcolor: "rgba(0,0,0,0)", color: faint, activecolor: text };
  out.hoverlabel = { bgcolor: of("--de-card", "#fff"), bordercolor: faint, font: { color: text, size } };
  for (const key of Object.keys(layout)) {
    if (/^[xy]axis\d*$/.test(key)) {
      out[key] = { gridcolor: line, zeroline: false, linecolor: line, ...layout[key], tickfont: { color: faint, size: 11 * scale } };
      if (layout[key].title?.text) out[key].title = { standoff: 8, ...layout[key].title, font: { color: faint, size } };
    }
  }
  return out;
}

function render({ model, el }) {
  const box = document.createElement("div");
  box.className = "de-chart";
  const say = document.createElement("div");
  say.className = "de-said";
  el.append(box, say);
  let asked = false, gone = false;
  const draw = () => {
    if (asked || gone) return;
    asked = true;
    requestAnimationFrame(() => {
      asked = false;
      if (gone || !box.isConnected) return;
      const figure = model.get("figure");
      box.style.height = `${figure.layout?.height ?? 320}px`;
      say.textContent = model.get("description");
      // plotly writes into what it is given
      Plotly.react(box, lit(structuredClone(figure.data ?? [])), coloured(lit(structuredClone(figure.layout ?? {})), box), CONFIG);
      box.dataset.serial = model.get("serial");
    });
  };
  model.on("change:figure", draw);
  const size = new ResizeObserver(() => { if (box.clientWidth && box.dataset.serial) Plotly.Plots.resize(box); else draw(); });
  size.observe(box);
  const theme = new MutationObserver(draw);
  theme.observe(document.body, { attributes: true, attributeFilter: ["data-jp-theme-name", "data-jp-theme-light"] });
  draw();
  return () => { gone = true; model.off("change:figure", draw); size.disconnect(); theme.disconnect(); Plotly.purge(box); };
}

// One call for each widget on each page. How often it is shown there is told to Python: see TrainingBoard. By a message
// and not by a trait: changes of traits wait while the kernel is busy, and a cell that is run then would overtake them.
export default () => {
  let views = 0;
  const shown = (model, more) => { views += more; model.send({ type: "views", count: views }); };
  return {
    render(given) {
      const end = render(given);
      shown(given.model, 1);
      return () => { end(); shown(given.model, -1); };
    },
  };
};
