// As much of a page as the panels use, so that node can open one: elements, events, a focus, a canvas that writes down
// what is drawn, and a clock that runs when a test says so. There is no layout: all parts have the size of the screen.

export const screen = { width: 420, height: 300, ratio: 1, background: "rgb(255, 255, 255)", dark: false, calm: false };
const CORNER = { left: 30, top: 20 }; // where parts are on the screen

class Classes {
  constructor(node) { this.node = node; }
  get list() { return this.node.className.split(/\s+/).filter(Boolean); }
  contains(name) { return this.list.includes(name); }
  toggle(name, on = !this.contains(name)) {
    this.node.className = [...this.list.filter((other) => other !== name), ...(on ? [name] : [])].join(" ");
    return on;
  }
  add(name) { this.toggle(name, true); }
  remove(name) { this.toggle(name, false); }
}

class Text {
  constructor(text) { this.textContent = String(text); }
  remove() { this.parentElement?.take(this); }
}

const passive = new WeakSet(); // listeners that cannot prevent what a browser does
export class Element {
  constructor(tag) {
    Object.assign(this, { tagName: tag, className: "", title: "", value: "", id: "", tabIndex: -1, scrollTop: 0 });
    Object.assign(this, { childNodes: [], attributes: new Map(), parentElement: null, listeners: new Map(), flags: {} });
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
  get clientWidth() { return this.isShown() ? screen.width : 0; }
  get clientHeight() { return this.isShown() ? screen.height : 0; }
  get offsetLeft() { return parseFloat(this.style.left) || 0; }
  get offsetTop() { return parseFloat(this.style.top) || 0; }
  get offsetWidth() { return this.isShown() ? 6 * this.textContent.length : 0; }
  get offsetHeight() { return this.isShown() ? 16 * Math.max(1, this.childElementCount) : 0; }
  isShown() { return !this.hidden && (this.parentElement?.isShown() ?? this === document.body); }

  take(node) {
    this.childNodes = this.childNodes.filter((other) => other !== node);
    node.parentElement = null;
    const focus = document.activeElement; // an element that is taken out loses the focus, even if it comes back
    if (focus && (node === focus || (node instanceof Element && node.contains(focus)))) document.activeElement = null;
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
  contains(node) { return node === this || this.childNodes.some((child) => child === node || (child instanceof Element && child.contains(node))); }

  setAttribute(name, value) {
    this.attributes.set(name, String(value));
    if (name === "class") this.className = String(value);
  }
  getAttribute(name) { return this.attributes.get(name) ?? null; }
  removeAttribute(name) { this.attributes.delete(name); }
  matches(selector) { // tag, .class, [name], [name=value], descendants, lists
    return selector.split(",").some((list) => {
      const steps = list.trim().split(/\s+/), last = steps.pop();
      if (!this.matchesSimple(last)) return false;
      return !steps.length || Boolean(this.parentElement?.closest(steps.join(" ")));
    });
  }
  matchesSimple(simple) {
    const [, tag, rest] = simple.match(/^([\w-]*)(.*)$/);
    if (tag && tag !== this.tagName) return false;
    return [...rest.matchAll(/\.([\w-]+)|\[([\w-]+)(?:="?([^"\]]*)"?)?\]/g)].every(([, name, attribute, value]) => {
      if (name) return this.classList.contains(name);
      const has = this.getAttribute(attribute) ?? { tabindex: String(this.tabIndex), type: this.type }[attribute] ?? null;
      return value === undefined ? has !== null : has === value;
    });
  }
  querySelectorAll(selector) { return this.children.flatMap((node) => [
    ...(node.matches(selector) ? [node] : []), ...node.querySelectorAll(selector),
  ]); }
  querySelector(selector) { return this.querySelectorAll(selector)[0] ?? null; }
  closest(selector) { return this.matches(selector) ? this : this.parentElement?.closest(selector) ?? null; }
  getRootNode() { return document; }
  getBoundingClientRect() {
    const { left, top } = CORNER, { width, height } = screen;
    return { left, top, width, height, right: left + width, bottom: top + height };
  }

  addEventListener(name, act, options) {
    if (options?.passive) passive.add(act);
    this.listeners.set(name, [...(this.listeners.get(name) ?? []), act]);
  }
  removeEventListener(name, act) { this.listeners.set(name, (this.listeners.get(name) ?? []).filter((other) => other !== act)); }
  dispatchEvent(event) {
    for (let node = this; node && !event.stopped; node = event.alone ? null : node.parentElement) {
      for (const act of node.listeners.get(event.type) ?? []) {
        const { defaultPrevented } = event;
        act(event);
        if (passive.has(act)) Object.assign(event, { defaultPrevented });
      }
    }
  }
  // What a reader does: fire("keydown", { key: "Enter" }), or click().
  fire(type, more = {}) {
    const event = { type, target: this, defaultPrevented: false, stopped: false, ...more };
    event.preventDefault = () => { event.defaultPrevented = true; };
    event.stopPropagation = () => { event.stopped = true; };
    this.dispatchEvent(event);
    return event;
  }
  click() {
    if (this.tagName === "a") downloads.push(this);
    else if (!this.isShown()) throw new Error(`hidden, so nobody can click it: ${this.textContent || this.title}`);
    if (!this.disabled) this.fire("click");
  }
  focus() {
    if (document.activeElement === this || !this.isShown()) return;
    const before = document.activeElement;
    document.activeElement = null;
    before?.fire("blur", { alone: true });
    document.activeElement = this;
    this.fire("focus", { alone: true });
    this.fire("focusin");
  }
  select() { document.selected = this; }
  setPointerCapture() {}
  getContext() { return (this.pen ??= new Pen()); }
  get width() { return this.flags.width; }
  set width(pixels) { this.flags.width = pixels; this.pen?.clear(); } // as a canvas does
  toBlob(act, type) { // what is drawn on it, in words
    const drawn = this.pen.calls.map(({ name, given: [picture, ...numbers] }) => `${name} ${picture.text} ${numbers.join(" ")}`);
    act(new Blob([`${this.width} x ${this.height}: ${drawn}`], { type }));
  }
}

for (const name of ["hidden", "disabled", "checked"]) {
  Object.defineProperty(Element.prototype, name, { get() { return Boolean(this.flags[name]); }, set(on) { this.flags[name] = Boolean(on); } });
}

// A canvas's context: every call with the fill, stroke, width, dashes and opacity that it is drawn with.
class Pen {
  constructor() {
    Object.assign(this, { fillStyle: "", strokeStyle: "", lineWidth: 1, globalAlpha: 1, lineCap: "butt", lineJoin: "" });
    Object.assign(this, { font: "", textAlign: "", textBaseline: "", calls: [], dash: [] });
  }
  clear() { this.calls = []; }
  setLineDash(dash) { this.dash = dash; }
  measureText(text) {
    const size = parseFloat(this.font.match(/[\d.]+px/)) || 12, bold = /^[67]00 /.test(this.font);
    return { width: text.length * size * (bold ? 0.55 : 0.5) };
  }
  note(name, given) {
    const { fillStyle, strokeStyle, lineWidth, globalAlpha, lineCap, lineJoin, font, textAlign, textBaseline, dash } = this;
    const style = { fillStyle, strokeStyle, lineWidth, globalAlpha, lineCap, lineJoin, font, textAlign, textBaseline, dash };
    if (name === "clearRect") this.clear();
    else this.calls.push({ name, given, ...style });
  }
}
for (const name of [
  "arc", "beginPath", "clearRect", "clip", "closePath", "drawImage", "fill", "fillRect", "fillText", "lineTo", "moveTo", "rect",
  "restore", "roundRect", "save", "setTransform", "stroke", "strokeText",
]) Pen.prototype[name] = function draw(...given) { this.note(name, given); };
class Path {
  constructor() { this.parts = []; }
}
for (const name of ["moveTo", "lineTo", "arc", "closePath"]) {
  Path.prototype[name] = function add(...given) { this.parts.push([name, ...given]); };
}

// -- the clock: run(milliseconds) does what is due, in order
export const clock = { now: 1000, jobs: [], serial: 0 };
const later = (act, at) => { clock.jobs.push({ id: ++clock.serial, at, act }); return clock.serial; };
const never = (id) => { clock.jobs = clock.jobs.filter((job) => job.id !== id); };
const FRAME = 16;
const settled = () => new Promise((done) => setImmediate(done));
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
export const copied = [], downloads = [], observers = new Set(), mediaListeners = new Set();
class Observer {
  constructor(act) { this.act = act; }
  observe(_, what) { // as a browser does
    if (what && !Object.values(what).includes(true)) throw new TypeError("nothing to observe");
    observers.add(this);
  }
  disconnect() { observers.delete(this); }
}
class File extends Blob { // whose address node can import
  constructor(parts, options) {
    super(parts, options);
    this.bytes = Buffer.concat(parts.map((part) => Buffer.from(part)));
  }
}
URL.createObjectURL = ({ type, bytes }) => `data:${type};base64,${bytes.toString("base64")}`;
class Picture { // loads at once
  set src(text) {
    this.text = decodeURIComponent(text);
    Object.assign(this, { width: 100, height: 40 });
    queueMicrotask(() => this.onload());
  }
}
const document = {
  activeElement: null,
  createElement: (tag) => new Element(tag),
  createElementNS: (_, tag) => new Element(tag),
  execCommand: (what) => { if (what === "copy") copied.push(document.selected.value); },
  documentElement: new Element("html"),
  body: new Element("body"),
};
const clipboard = { writeText: async (text) => { copied.push(text); } };
const globals = {
  document, Path2D: Path, Image: Picture, Blob: File, ResizeObserver: Observer, MutationObserver: Observer, IntersectionObserver: Observer,
  performance: { now: () => clock.now },
  setTimeout: (act, wait = 0) => later(act, clock.now + wait),
  clearTimeout: never,
  requestAnimationFrame: (act) => later(act, clock.now + FRAME),
  cancelAnimationFrame: never,
  getComputedStyle: () => ({ fontFamily: "sans", backgroundColor: screen.background }),
  matchMedia: (query) => ({
    matches: query.includes("motion") ? screen.calm : screen.dark,
    addEventListener: (_, act) => mediaListeners.add(act),
    removeEventListener: (_, act) => mediaListeners.delete(act),
  }),
  navigator: { clipboard },
};
for (const [name, value] of Object.entries(globals)) Object.defineProperty(globalThis, name, { value, configurable: true, writable: true });
Object.defineProperty(globalThis, "devicePixelRatio", { get: () => screen.ratio });

// The screen gets another size or theme, or a panel is scrolled out of sight; everything that observes it notices.
export async function change(changes, isIntersecting = true) {
  Object.assign(screen, changes);
  for (const { act } of [...observers]) act([{ isIntersecting }]);
  for (const act of [...mediaListeners]) act();
  await run(1000);
}
export const LIGHT = { background: "rgb(255, 255, 255)" }, DARK = { background: "rgb(17, 17, 17)" };

// Opens a panel as a notebook does: the element is on the page, and then it has a size.
export async function open(render, model) {
  const el = new Element("div");
  document.body.append(el);
  const close = render({ model, el });
  await run();
  await change({});
  return { root: el.children[0], close: () => { close?.(); el.remove(); } };
}

// A model as ipywidgets has it: what the page sets, saves and sends is written down, and what stays equal is no change.
const same = (a, b) => a === b || (!(a instanceof DataView) && JSON.stringify(a) === JSON.stringify(b));
export function liveModel(traits) {
  const listeners = new Map(), saved = [], sent = [];
  let unsaved = {};
  const emit = (name, ...given) => (listeners.get(name) ?? []).forEach((act) => act(...given));
  return {
    saved, sent, listeners,
    get: (name) => traits[name],
    set: (name, value) => {
      if (same(value, traits[name])) return;
      traits[name] = unsaved[name] = value;
      emit(`change:${name}`);
    },
    save_changes: () => { saved.push(unsaved); unsaved = {}; },
    send: (message, _, buffers) => sent.push(buffers ? { ...message, buffers } : message),
    on: (name, act) => listeners.set(name, [...(listeners.get(name) ?? []), act]),
    off: (name, act) => listeners.set(name, (listeners.get(name) ?? []).filter((other) => other !== act)),
    // what the kernel does: it changes traits together, or sends a message
    put: async (changes) => {
      const changed = Object.keys(changes).filter((name) => !same(changes[name], traits[name]));
      Object.assign(traits, changes);
      changed.forEach((name) => emit(`change:${name}`));
      await run();
    },
    tell: (message, buffers) => emit("msg:custom", message, buffers),
  };
}

// How a reader finds things.
export const all = (root, selector) => root.querySelectorAll(selector);
export const texts = (root, selector) => all(root, selector).map((node) => node.textContent);
export const text = (root, selector) => root.querySelector(selector).textContent;
export const button = (root, label) => all(root, "button").find((one) => one.textContent.startsWith(label) || one.title.startsWith(label));
export const menuOf = (root, label) => all(root, "select").find((one) => one.getAttribute("aria-label") === label);
export const shown = (node) => Boolean(node) && node.isShown();

// What a reader does.
export function choose(menu, value) {
  if (!menu.children.some((option) => option.value === JSON.stringify(value))) throw new Error(`${value} cannot be chosen`);
  menu.value = JSON.stringify(value);
  menu.fire("change");
}
export function type(field, text) {
  field.value = text;
  field.fire("input");
  field.fire("change");
}
export function setTick(label, on) {
  const input = label.querySelector("input");
  input.checked = on;
  input.fire("change");
}
export const pointer = ([x, y], more = {}) => ({ clientX: CORNER.left + x, clientY: CORNER.top + y, button: 0, pointerId: 1, ...more });
