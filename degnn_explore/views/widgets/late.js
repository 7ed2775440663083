// A widget whose script came late hears the kernel all the same.
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

// Each widget's script exports this beside its render; anywidget calls it once for each model, before it is drawn.
// It must not be waited for: anywidget's promise, which the first message below waits for, is kept only afterwards.
export function initialize({ model }) {
  const itself = behind(model);
  if (!itself?.comm || !itself._handle_comm_msg) return; // without a kernel, or not by ipywidgets
  itself._handle_comm_msg({ content: { data: { method: "are you listening?" } } }).catch(() => {
    const handle = plainly(itself);
    itself.comm?.on_msg((message) => handle.call(itself, message));
    itself.comm?.send({ method: "request_state" }); // for what was refused until now
  });
}
