// Draws the figure that the widget holds, in the colours of the page.
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

const scaleOf = (el) => getComputedStyle(el).getPropertyValue("--de-scale");

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

// Plotly, once for a page: the kernel sends its 5 MB when the first chart asks. In the state of every chart they would
// travel with each reload, and anywidget gives up on a script that a busy page has not loaded within two seconds.
async function library(model, wanted) {
  const page = (globalThis.degnnPlotly ??= { asked: -1e9, patience: 4_000, made: null });
  while (!page.made && wanted()) {
    if (performance.now() - page.asked > page.patience) {
      if (page.asked > 0) unstick(model); // the kernel is busy, or does not hear this page
      page.asked = performance.now();
      page.patience *= 2;
      const hear = async (message, buffers) => {
        if (message?.type !== "library" || page.made) return;
        model.off("msg:custom", hear);
        const address = URL.createObjectURL(new Blob([buffers[0]], { type: "text/javascript" }));
        page.made = (await import(address)).default;
        URL.revokeObjectURL(address);
      };
      model.on("msg:custom", hear);
      model.send({ type: "library" });
    }
    await new Promise((done) => setTimeout(done, 50));
  }
  return page.made;
}

// JupyterLab 4.6 sends what widgets say through a subshell of the kernel. If no answer comes, the kernel is busy or that
// subshell is gone (see keep_hearing in messages.py): without one the widgets of the page speak to the kernel directly.
function unstick(model) {
  const kernel = model.widget_manager?.kernel;
  if (kernel?.commsOverSubshells) kernel.commsOverSubshells = "disabled";
}

function render({ model, el }) {
  const box = document.createElement("div");
  box.className = "de-chart";
  const say = document.createElement("div");
  say.className = "de-said";
  box.textContent = "The chart comes from the kernel…";
  el.append(box, say);
  let asked = false, gone = false, Plotly = null, scale = "";
  const type = new MutationObserver(() => { if (scaleOf(box) !== scale) draw(); });
  library(model, () => !gone).then((made) => {
    if (gone) return;
    Plotly = made;
    box.textContent = "";
    draw();
  });
  const draw = () => {
    if (asked || gone || !Plotly) return;
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
      scale = scaleOf(box);
      const board = box.closest(".de-board");
      if (board) type.observe(board, { subtree: true, attributes: true, attributeFilter: ["class"] });
    });
  };
  model.on("change:figure", draw);
  const size = new ResizeObserver(() => { if (Plotly && box.clientWidth && box.dataset.serial) Plotly.Plots.resize(box); else draw(); });
  size.observe(box);
  const theme = new MutationObserver(draw);
  theme.observe(document.body, { attributes: true, attributeFilter: ["data-jp-theme-name", "data-jp-theme-light"] });
  return () => { gone = true; model.off("change:figure", draw); size.disconnect(); theme.disconnect(); type.disconnect(); Plotly?.purge(box); };
}

// One call for each widget on each page. How often it is shown there is told to Python: see TrainingBoard. By a message
// and not by a trait: changes of traits wait while the kernel is busy, and a cell that is run then would overtake them.
export default () => {
  let views = 0;
  const shown = (model, more) => { views += more; model.send({ type: "views", count: views }); };
  return {
    initialize,
    render(given) {
      const end = render(given);
      shown(given.model, 1);
      return () => { end(); shown(given.model, -1); };
    },
  };
};
