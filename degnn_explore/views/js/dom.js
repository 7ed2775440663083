// What every module needs of a page: elements, files to save, numbers from traits, the theme.

// Text goes in as text, never as markup: names and titles come from files.
export const make = (tag, className, text) => {
  const node = document.createElement(tag);
  if (className) node.className = className;
  if (text !== undefined) node.textContent = text;
  return node;
};

// An element of an SVG.
export const shape = (tag, attributes, text) => {
  const node = document.createElementNS("http://www.w3.org/2000/svg", tag);
  for (const [name, value] of Object.entries(attributes)) node.setAttribute(name, value);
  if (text !== undefined) node.textContent = text;
  return node;
};

// Puts nodes into an element unless they are there already, so that the focus stays where it is.
export function fill(el, nodes) {
  const { childNodes: old } = el;
  if (nodes.length !== old.length || nodes.some((node, k) => node !== old[k])) el.replaceChildren(...nodes);
}

// Ids that no other panel of the page has: Explorers and boards have scripts of their own, so the count is the page's.
export function uniqueId(word) {
  const shared = (globalThis[Symbol.for("degnn")] ??= { count: 0 });
  return `de-${word}-${(shared.count += 1)}`;
}

export function download(name, blob) {
  const link = make("a");
  link.href = URL.createObjectURL(blob);
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 10000);
}

// An SVG as a PNG of 2.5 times its size.
export function rasterize(svg, name) {
  const image = new Image();
  image.onload = () => {
    const sheet = make("canvas");
    sheet.width = 2.5 * image.width;
    sheet.height = 2.5 * image.height;
    sheet.getContext("2d").drawImage(image, 0, 0, sheet.width, sheet.height);
    sheet.toBlob((blob) => download(name, blob), "image/png");
  };
  image.src = "data:image/svg+xml;charset=utf-8," + encodeURIComponent(svg);
}

export async function copy(text) {
  try {
    await navigator.clipboard.writeText(text);
  } catch {
    const box = make("textarea");
    box.value = text;
    document.body.append(box);
    box.select();
    document.execCommand("copy");
    box.remove();
  }
}

// A DataView's offset need not suit a typed array, so its bytes are copied.
export function typed(Kind, view) {
  if (!view || !view.byteLength) return new Kind(0);
  return new Kind(view.buffer.slice(view.byteOffset, view.byteOffset + view.byteLength));
}

export const calm = () => Boolean(globalThis.matchMedia?.("(prefers-reduced-motion: reduce)").matches);

// "light" or "dark": by the nearest opaque background, through the hosts of shadow roots.
export function themeOf(el) {
  for (let node = el; node; node = node.parentElement ?? node.getRootNode()?.host) {
    const [red, green, blue, alpha = 1] = (getComputedStyle(node).backgroundColor.match(/[\d.]+/g) ?? [0, 0, 0, 0]).map(Number);
    if (alpha > 0.5) return 0.299 * red + 0.587 * green + 0.114 * blue < 128 ? "dark" : "light";
  }
  return "light";
}

// Calls act(theme) now and whenever the page's theme changes; returns how to stop.
export function followTheme(el, act) {
  let last = "";
  const look = () => {
    const theme = themeOf(el.parentElement ?? el);
    if (theme !== last) act((last = theme));
  };
  const later = () => requestAnimationFrame(() => requestAnimationFrame(look));
  const watch = new MutationObserver(later), media = globalThis.matchMedia?.("(prefers-color-scheme: dark)");
  for (const node of [document.documentElement, document.body]) watch.observe(node, { attributes: true });
  media?.addEventListener?.("change", later);
  look();
  requestAnimationFrame(look); // the element may not be on the page yet
  return () => { watch.disconnect(); media?.removeEventListener?.("change", later); };
}

// Keeps a panel connected to its kernel, and marks it once the kernel has ended; returns how to stop.
export function markLost(model, root) {
  const lost = () => root.classList.add("de-gone");
  keepReceiving(model);
  model.on("comm_live_update", lost);
  return () => model.off("comm_live_update", lost);
}

// anywidget 0.11 gives a script two seconds to load. After that it still draws the view, but its model refuses every
// message of the kernel, so the panel would show its first state forever. Where the first message is refused, messages
// go straight to the handler of ipywidgets, and the kernel is asked for what was missed.
async function keepReceiving(model) {
  if (!model.widget_manager) return; // a saved page, marimo, or the Explorer inside a board
  const live = model.set({}); // returns the model of ipywidgets behind anywidget's
  if (!live?.comm || !live._handle_comm_msg) return;
  try {
    await live._handle_comm_msg({ content: { data: { method: "none" } } });
  } catch {
    const handle = deepestMethod(live, "_handle_comm_msg");
    live.comm.on_msg((message) => handle.call(live, message));
    live.comm.send({ method: "request_state" });
  }
}

// The method of this name that stands deepest in the chain of prototypes.
function deepestMethod(object, name) {
  let method = null;
  for (let level = object; level; level = Object.getPrototypeOf(level)) {
    if (Object.hasOwn(level, name)) method = level[name];
  }
  return method;
}

// ipywidgets looks for a model for two seconds. On a very slow page it gives up a moment before the reloaded model is
// there, and "model not found" would stay in its place: such an output is drawn once more.
const GIVEN_UP = "Error displaying widget: model not found", VIEW_TYPE = "application/vnd.jupyter.widget-view+json";
async function drawGivenUp(model) {
  const manager = model.widget_manager, cells = manager?.context?.model?.cells; // of JupyterLab and Notebook alone
  if (!cells) return;
  for (const pause of [1000, 4000, 10000]) {
    await new Promise((done) => setTimeout(done, pause));
    if (![...document.querySelectorAll(".jupyter-widgets")].some((el) => el.textContent === GIVEN_UP)) continue;
    for (const { outputs } of cells) {
      for (let i = 0; i < (outputs?.length ?? 0); i++) {
        const id = outputs.get(i).data[VIEW_TYPE]?.model_id, found = id && manager.has_model(id) ? await manager.get_model(id) : null;
        if (found && !Object.keys(found.views ?? {}).length) outputs.stateChanged.emit(i);
      }
    }
  }
}

// anywidget calls this for every model, whether it has a view or not, and would wait for a promise.
export function startModel({ model }) {
  drawGivenUp(model);
}
