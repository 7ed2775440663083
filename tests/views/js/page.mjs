// As much of a page as the panels use, so that node can open one: elements, events, a focus, a canvas that writes down
// what is drawn, and a clock that moves when told. Sizes are fixed: there is no layout.

const SIZE = { width: 420, height: 300 };

class Classes {
  constructor(node) { this.node = node; }
  get list() { return this.node.className.split(/\s+/).filter(Boolean); }
  contains(name) { return this.list.includes(name); }
  toggle(name, on = !this.contains(name)) {
    this.node.className = [...this.list.filter((one) => one !== name), ...(on ? [name] : [])].join(" ");
    return on;
  }
  add(name) { this.toggle(name, true); }
  remove(name) { this.toggle(name, false); }
}

class Text {
  constructor(text) { this.textContent = String(text); }
  remove() { this.parentElement?.take(this); }
}

export class Element {
  constructor(tag) {
    Object.assign(this, { tagName: tag, className: "", childNodes: [], attributes: new Map(), parentElement: null, listeners: new Map() });
    Object.assign(this, { flags: {}, title: "", value: "", tabIndex: -1, id: "", scrollTop: 0, offsetLeft: 0, offsetTop: 0, offsetWidth: 0, offsetHeight: 0 });
    this.classList = new Classes(this);
    this.dataset = new Proxy({}, {
      get: (_, name) => this.getAttribute(`data-${String(name)}`) ?? undefined,
      set: (_, name, value) => { this.setAttribute(`data-${String(name)}`, value); return true; },
    });
    this.style = { setProperty(name, value) { this[name] = value; } };
  }
  get children() { return this.childNodes.filter((node) => node instanceof Element); }
  get childElementCount() { return this.children.length; }
  get firstChild() { return this.childNodes[0] ?? null; }
  get lastChild() { return this.childNodes.at(-1) ?? null; }
  get textContent() { return this.childNodes.map((node) => node.textContent).join(""); }
  set textContent(text) { this.replaceChildren(...(String(text) ? [text] : [])); }
  get clientWidth() { return this.isShown() ? SIZE.width : 0; }
  get clientHeight() { return this.isShown() ? SIZE.height : 0; }
  isShown() { return !this.hidden && (this.parentElement?.isShown() ?? this === document.body); }

  take(node) {
    this.childNodes = this.childNodes.filter((one) => one !== node);
    node.parentElement = null;
  }
  place(nodes, at) {
    const made = nodes.map((node) => (node instanceof Element || node instanceof Text ? node : new Text(node)));
    for (const node of made) { node.parentElement?.take(node); node.parentElement = this; }
    this.childNodes.splice(Math.min(at, this.childNodes.length), 0, ...made);
  }
  append(...nodes) { this.place(nodes, Infinity); }
  prepend(...nodes) { this.place(nodes, 0); }
  replaceChildren(...nodes) { [...this.childNodes].forEach((node) => this.take(node)); this.append(...nodes); }
  remove() { this.parentElement?.take(this); }
  contains(node) { return node === this || this.childNodes.some((one) => one === node || (one instanceof Element && one.contains(node))); }

  setAttribute(name, value) {
    this.attributes.set(name, String(value));
    if (name === "class") this.className = String(value);
  }
  getAttribute(name) { return this.attributes.get(name) ?? null; }
  removeAttribute(name) { this.attributes.delete(name); }
  matches(selector) { // tag, .class, [name], [name=value], descendants, lists
    return selector.split(",").some((list) => {
      const steps = list.trim().split(/\s+/), last = steps.pop();
      if (!this.isA(last)) return false;
      return !steps.length || Boolean(this.parentElement?.closest(steps.join(" ")));
    });
  }
  isA(simple) {
    const [, tag, rest] = simple.match(/^([\w-]*)(.*)$/);
    if (tag && tag !== this.tagName) return false;
    return [...rest.matchAll(/\.([\w-]+)|\[([\w-]+)(?:="?([^"\]]*)"?)?\]/g)].every(([, name, attribute, value]) => {
      if (name) return this.classList.contains(name);
      const has = this.getAttribute(attribute) ?? { tabindex: String(this.tabIndex), type: this.type }[attribute] ?? null;
      return value === undefined ? has !== null : has === value;
    });
  }
  querySelectorAll(selector) { return this.children.flatMap((node) => [...(node.matches(selector) ? [node] : []), ...node.querySelectorAll(selector)]); }
  querySelector(selector) { return this.querySelectorAll(selector)[0] ?? null; }
  closest(selector) { return this.matches(selector) ? this : this.parentElement?.closest(selector) ?? null; }
  getRootNode() { return document; }
  getBoundingClientRect() { return { left: 0, top: 0, bottom: SIZE.height, right: SIZE.width, ...SIZE }; }

  addEventListener(name, act) { this.listeners.set(name, [...(this.listeners.get(name) ?? []), act]); }
  removeEventListener(name, act) { this.listeners.set(name, (this.listeners.get(name) ?? []).filter((one) => one !== act)); }
  dispatchEvent(event) {
    for (let node = this; node && !event.stopped; node = event.alone ? null : node.parentElement) (node.listeners.get(event.type) ?? []).forEach((act) => act(event));
  }
  // What a reader does: fire("keydown", { key: "Enter" }), or click().
  fire(type, more = {}) {
    const event = { type, target: this, defaultPrevented: false, stopped: false, ...more };
    event.preventDefault = () => { event.defaultPrevented = true; };
    event.stopPropagation = () => { event.stopped = true; };
    this.dispatchEvent(event);
    return event;
  }
  click() { if (!this.disabled) this.fire("click"); }
  focus() {
    if (document.activeElement === this) return;
    document.activeElement?.fire("blur", { alone: true });
    document.activeElement = this;
    this.fire("focus", { alone: true });
    this.fire("focusin");
  }
  select() {}
  setPointerCapture() {}
  getContext() { return (this.pen ??= drawing()); }
}

for (const name of ["hidden", "disabled", "checked"]) {
  Object.defineProperty(Element.prototype, name, { get() { return Boolean(this.flags[name]); }, set(on) { this.flags[name] = Boolean(on); } });
}

// A canvas's context: every call with the fill, stroke, width and opacity that it is drawn with.
function drawing() {
  const state = { calls: [], fillStyle: "", strokeStyle: "", lineWidth: 1, globalAlpha: 1, font: "" };
  const measureText = (text) => ({ width: 6 * text.length });
  return new Proxy(state, {
    get: (_, name) => {
      if (name in state) return state[name];
      if (name === "measureText") return measureText;
      return (...given) => {
        if (name === "clearRect") state.calls = [];
        const { fillStyle, strokeStyle, lineWidth, globalAlpha, font } = state;
        state.calls.push({ name, given, fillStyle, strokeStyle, lineWidth, globalAlpha, font });
      };
    },
  });
}
class Path {
  constructor() { this.parts = []; }
}
for (const name of ["moveTo", "lineTo", "arc", "closePath"]) Path.prototype[name] = function add(...given) { this.parts.push([name, ...given]); };

// -- the clock: run(milliseconds) does what is due, in order
export const clock = { now: 1000, jobs: [], serial: 0 };
const later = (act, at) => { clock.jobs.push({ id: ++clock.serial, at, act }); return clock.serial; };
const never = (id) => { clock.jobs = clock.jobs.filter((job) => job.id !== id); };
const FRAME = 16, realTimeout = globalThis.setTimeout;
export const settled = () => new Promise((done) => realTimeout(done));
export async function run(milliseconds = 2 * FRAME) {
  const end = clock.now + milliseconds;
  await settled();
  for (let due; (due = clock.jobs.filter((job) => job.at <= end).sort((a, b) => a.at - b.at || a.id - b.id)[0]); ) {
    never(due.id);
    clock.now = Math.max(clock.now, due.at);
    due.act(clock.now);
    await settled();
  }
  clock.now = end;
}

// -- the page
export const copied = [], observers = new Set();
class Observer {
  constructor(act) { this.act = act; }
  observe(node) { this.node = node; observers.add(this); }
  disconnect() { observers.delete(this); }
}
const document = {
  activeElement: null,
  createElement: (tag) => new Element(tag),
  createElementNS: (_, tag) => new Element(tag),
  documentElement: new Element("html"),
  body: new Element("body"),
};
const globals = {
  document, Path2D: Path, ResizeObserver: Observer, MutationObserver: Observer, IntersectionObserver: Observer,
  performance: { now: () => clock.now },
  setTimeout: (act, wait = 0) => later(act, clock.now + wait),
  clearTimeout: never,
  requestAnimationFrame: (act) => later(act, clock.now + FRAME),
  cancelAnimationFrame: never,
  getComputedStyle: () => ({ fontFamily: "sans", backgroundColor: "rgb(255, 255, 255)" }),
  navigator: { clipboard: { writeText: async (text) => { copied.push(text); } } },
};
for (const [name, value] of Object.entries(globals)) Object.defineProperty(globalThis, name, { value, configurable: true, writable: true });

// Opens a panel as a notebook does: the element is on the page, and then it has a size.
export async function open(render, model) {
  const el = new Element("div");
  document.body.append(el);
  const close = render({ model, el });
  await run();
  [...observers].forEach((one) => one.act([{ isIntersecting: true }]));
  await run(1000);
  return { root: el.children[0], close: () => { close?.(); el.remove(); } };
}

// A model as the kernel's: what the page sets, saves and sends is written down.
export function liveModel(traits) {
  const listeners = new Map(), saved = [], sent = [];
  let unsaved = {};
  const hear = (name, ...given) => (listeners.get(name) ?? []).forEach((act) => act(...given));
  return {
    saved, sent, listeners,
    get: (name) => traits[name],
    set: (name, value) => { traits[name] = value; unsaved[name] = value; hear(`change:${name}`); },
    save_changes: () => { saved.push(unsaved); unsaved = {}; },
    send: (message, _, buffers) => sent.push(buffers ? { ...message, buffers } : message),
    on: (name, act) => listeners.set(name, [...(listeners.get(name) ?? []), act]),
    off: (name, act) => listeners.set(name, (listeners.get(name) ?? []).filter((one) => one !== act)),
    put: async (changes) => { Object.assign(traits, changes); Object.keys(changes).forEach((name) => hear(`change:${name}`)); await run(); }, // the kernel
    tell: (message, buffers) => hear("msg:custom", message, buffers),
  };
}

// How a reader finds things.
export const all = (root, selector) => root.querySelectorAll(selector);
export const button = (root, label) => all(root, "button").find((one) => one.textContent.startsWith(label) || one.title === label);
export const shown = (node) => Boolean(node) && node.isShown();
