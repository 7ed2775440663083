// What every module needs of a page: panels that survive slow pages, themes, files, the clipboard.
import assert from "node:assert/strict";
import { test } from "node:test";
import { load } from "./load.mjs";
import { change, copied, DARK, downloads, Element, LIGHT, observers, run, screen } from "./page.mjs";

const { calm, copy, download, fill, followTheme, make, markLost, rasterize, startModel, themeOf, typed, uniqueId } = await load("dom");

// A model as ipywidgets builds it, under anywidget's, which refuses messages when the script loaded too late.
function kernelModel(late) {
  const received = [], sent = [], listeners = new Map();
  class WidgetModel {
    async _handle_comm_msg(message) { received.push(message.content.data.method); }
  }
  class AnyModel extends WidgetModel {
    async _handle_comm_msg(message) {
      if (late) throw new Error("Failed to initialize model");
      return super._handle_comm_msg(message);
    }
  }
  const live = new AnyModel();
  let handler = (message) => live._handle_comm_msg(message);
  live.comm = { on_msg: (handle) => { handler = handle; }, send: (data) => sent.push(data.method) };
  const proxy = { widget_manager: {}, set: () => live, on: (name, act) => listeners.set(name, act), off: (name) => listeners.delete(name) };
  return { proxy, received, sent, listeners, deliver: (method) => handler({ content: { data: { method } } }) };
}

for (const late of [false, true]) {
  test(`a panel receives what the kernel sends, its script ${late ? "late" : "in time"}`, async () => {
    const { proxy, received, sent, deliver } = kernelModel(late);
    markLost(proxy, make("div"));
    await run();
    await deliver("update");
    assert.equal(received.at(-1), "update");
    assert.deepEqual(sent, late ? ["request_state"] : []); // what was missed is requested once
  });
}

test("a panel whose kernel has ended is marked, until it is closed; a model without a kernel is left alone", () => {
  const { proxy, listeners } = kernelModel(false), root = make("div", "de-panel");
  const stop = markLost(proxy, root);
  listeners.get("comm_live_update")();
  assert.ok(root.classList.contains("de-gone") && root.classList.contains("de-panel"));
  stop();
  assert.equal(listeners.size, 0);
  markLost({ on() {}, off() {}, set: () => assert.fail("set was called") }, root);
});

test("the theme is that of the nearest background that can be seen, through shadow roots", () => {
  const colors = new Map(), page = { getRootNode: () => null };
  const host = { parentElement: page, getRootNode: () => null }, real = globalThis.getComputedStyle;
  const inside = { parentElement: null, getRootNode: () => ({ host }) };
  globalThis.getComputedStyle = (node) => ({ backgroundColor: colors.get(node) ?? "rgba(0, 0, 0, 0)" });
  assert.equal(themeOf(inside), "light"); // nothing is painted at all
  for (const [node, color, theme] of [
    [page, "rgb(17, 17, 17)", "dark"],
    [host, "rgba(255, 255, 255, 0.4)", "dark"], [host, "rgba(255, 255, 255, 0.6)", "light"],
    [inside, "rgb(0, 255, 0)", "light"], [inside, "rgb(255, 0, 0)", "dark"], [inside, "rgb(0, 0, 255)", "dark"],
    [inside, "rgb(200, 120, 0)", "light"], [inside, "rgb(129, 129, 129)", "light"], [inside, "rgb(127, 127, 127)", "dark"],
    [inside, "transparent", "light"],
  ]) {
    colors.set(node, color);
    assert.equal(themeOf(inside), theme, color);
  }
  globalThis.getComputedStyle = real;
});

test("a panel follows the theme of its page until it is closed, and is told only of changes", async () => {
  const el = make("div"), themes = [];
  document.body.append(el);
  const stop = followTheme(el, (theme) => themes.push(theme));
  await run(100);
  assert.deepEqual(themes, ["light"]);
  await change(DARK);
  await change({});
  assert.deepEqual(themes, ["light", "dark"]);
  stop();
  await change(LIGHT);
  assert.deepEqual([themes.length, observers.size], [2, 0]);
  for (const moves of [true, false]) {
    screen.calm = !moves;
    assert.equal(calm(), !moves); // whether a reader prefers less motion
  }
});

test("a file is saved under its name, and its address forgotten later; a drawing becomes a picture of 2.5 times its size", async () => {
  const forgotten = [], real = URL.revokeObjectURL;
  URL.revokeObjectURL = (address) => forgotten.push(address);
  const contentOf = async ({ href }) => (await fetch(href)).text();
  download("my.csv", new Blob(["a,b"]));
  assert.deepEqual([downloads.at(-1).download, await contentOf(downloads.at(-1))], ["my.csv", "a,b"]);
  await run(9000);
  assert.equal(forgotten.length, 0);
  await run(2000);
  assert.deepEqual(forgotten, [downloads.at(-1).href]);
  rasterize("<svg>50 %</svg>", "graph.png");
  await run();
  assert.deepEqual(
    [downloads.at(-1).download, await contentOf(downloads.at(-1))],
    ["graph.png", "250 x 100: drawImage data:image/svg+xml;charset=utf-8,<svg>50 %</svg> 0 0 250 100"]
  );
  await run(11000);
  URL.revokeObjectURL = real;
});

test("text reaches the clipboard even where a page may not write to it", async () => {
  await copy("one");
  const { writeText } = navigator.clipboard, before = document.body.childNodes.length;
  navigator.clipboard.writeText = async () => { throw new Error("not allowed"); };
  await copy("two");
  navigator.clipboard.writeText = writeText;
  assert.deepEqual(copied, ["one", "two"]);
  assert.equal(document.body.childNodes.length, before);
});

test("a page evaluates the front end once, however many panels it shows, and a closed panel can be drawn again", async () => {
  const script = `
    globalThis.evaluated = (globalThis.evaluated ?? 0) + 1;
    export const render = ({ el }) => el.push("drawn");
    export const startModel = ({ model }) => model.started.push(model);
  `;
  const { default: panel } = await import(`data:text/javascript,${encodeURIComponent(process.env.LOADER)}`), el = [], started = [];
  for (const text of [script, script, ""]) {
    const model = { get: (name) => (name === "_script" ? text : null), started };
    await panel.initialize({ model });
    await panel.render({ model, el });
  }
  assert.deepEqual([globalThis.evaluated, el.length, started.length], [1, 3, 3]);
});

test("ids differ, bytes are read from where they begin, and parts that stay keep the focus", async () => {
  const another = await load("dom"); // Explorers and boards have scripts of their own
  const ids = [uniqueId("tip"), uniqueId("tip"), another.uniqueId("tip"), uniqueId("label")];
  const el = make("div", "", "old"), [one, other] = [make("button"), make("button")];
  assert.equal(new Set(ids).size, 4);
  assert.match(ids[3], /^de-label-\d+$/);
  assert.deepEqual([...typed(Uint8Array, new DataView(Uint8Array.of(5, 6, 7, 8).buffer, 1, 2))], [6, 7]);
  for (const nothing of [undefined, new DataView(new ArrayBuffer(0))]) assert.equal(typed(Uint16Array, nothing).length, 0);
  document.body.append(el);
  fill(el, [one, other]);
  one.focus();
  fill(el, [one, other]);
  assert.equal(document.activeElement, one);
  for (const parts of [[other], [other, one], [one]]) {
    fill(el, parts);
    assert.deepEqual(el.childNodes, parts);
  }
  assert.ok(el instanceof Element && make("b", "", "<i>").childNodes[0].textContent === "<i>"); // text, never markup
});

test("an output that ipywidgets gave up is drawn once more, one that is drawn is left alone", async () => {
  const drawn = [], view = (id) => ({ data: { "application/vnd.jupyter.widget-view+json": { model_id: id } } });
  const models = { lost: { views: {} }, seen: { views: { one: 1 } } };
  const outputs = {
    length: 4, get: (i) => [view("lost"), view("seen"), { data: {} }, view("unknown")][i],
    stateChanged: { emit: (i) => drawn.push(i) },
  };
  const manager = { context: { model: { cells: [{ outputs }, {}] } }, has_model: (id) => id in models, get_model: async (id) => models[id] };
  const output = make("div", "jupyter-widgets", "Loading widget...");
  document.querySelectorAll = (selector) => [output].filter((el) => el.matches(selector));
  startModel({ model: { widget_manager: manager } });
  await run(1000);
  assert.deepEqual(drawn, []);
  output.textContent = "Error displaying widget: model not found";
  await run(4000);
  assert.deepEqual(drawn, [0]);
  models.lost.views.two = 2;
  await run(60000);
  assert.deepEqual(drawn, [0]);
});
