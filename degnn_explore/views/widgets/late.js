// What a busy page would lose for ever: the ears of a widget whose script came late, and a view that was given up.
//
// anywidget gives a script two seconds, from the moment its model is made. A page that makes the four hundred models of a
// board on a busy machine needs longer. Such a widget is drawn, but its model then refuses every message of the kernel:
// it shows what it showed first for ever, and a chart waits in vain for plotly.

// The model that anywidget keeps behind its proxy: a change names it.
function behind(model) {
  let found = null;
  const meet = (one) => { found = one; };
  model.on("change:met", meet);
  model.set("met", true);
  model.off("change:met", meet);
  model.set("met", undefined, { unset: true });
  delete found?._buffered_state_diff?.met; // the kernel is not told
  return found;
}

// How ipywidgets itself handles a message: the deepest of the model's classes that does.
function plainly(model) {
  let handle = null;
  for (let kind = model; kind; kind = Object.getPrototypeOf(kind)) {
    if (Object.hasOwn(kind, "_handle_comm_msg")) handle = kind._handle_comm_msg;
  }
  return handle;
}

// ipywidgets, asked on a reload for a model that is not there yet, waits for two seconds and does not look once more when
// its last tenth of a second is over. Where the page made all its models in that moment, "model not found" would stay in
// the place of the board, though page and kernel have it. Each output whose model nobody draws is drawn anew.
const LOOKED_AFTER = Symbol.for("degnn_explore: views given up"); // once for each notebook, by whichever script is first
const SHOWN = "application/vnd.jupyter.widget-view+json";

async function drawGivenUp(manager) {
  const cells = manager?.context?.model?.cells; // of JupyterLab and Notebook; others do not wait in this way
  if (!cells || manager[LOOKED_AFTER]) return;
  manager[LOOKED_AFTER] = true;
  if (!manager.restoredStatus) await new Promise((done) => manager.restored.connect(done));
  // as long as its own last wait, and a moment more: by then whoever asked has the model, or has given up
  for (const wait of [100, 1]) await new Promise((done) => setTimeout(done, wait));
  for (const { outputs } of cells) {
    for (let i = 0; i < (outputs?.length ?? 0); i++) {
      const id = outputs.get(i).data[SHOWN]?.model_id;
      const model = id && manager.has_model(id) ? await manager.get_model(id) : null;
      if (model?.views && !Object.keys(model.views).length) outputs.stateChanged.emit(i);
    }
  }
}

// Each widget's script exports this beside its render; anywidget calls it once for each model, before it is drawn.
// It must not be waited for: anywidget's promise, which the first message below waits for, is kept only afterwards.
export function initialize({ model }) {
  const itself = behind(model);
  if (!itself?.comm || !itself._handle_comm_msg) return; // without a kernel, or not by ipywidgets
  drawGivenUp(itself.widget_manager);
  itself._handle_comm_msg({ content: { data: { method: "are you listening?" } } }).catch(() => {
    const handle = plainly(itself);
    itself.comm?.on_msg((message) => handle.call(itself, message));
    itself.comm?.send({ method: "request_state" }); // for what was refused until now
  });
}
