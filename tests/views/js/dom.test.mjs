import assert from "node:assert/strict";
import { test } from "node:test";
import { load } from "./load.mjs";

const { markLost, startModel, themeOf, typed, uniqueId } = await load("dom");

// A model as ipywidgets builds it, under anywidget's, which refuses messages when the script loaded too late.
function liveModel(late) {
  const received = [], sent = [];
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
  const proxy = { widget_manager: {}, set: () => live, on() {}, off() {} };
  return { proxy, received, sent, deliver: (method) => handler({ content: { data: { method } } }) };
}

for (const late of [false, true]) {
  test(`a panel receives what the kernel sends, its script ${late ? "late" : "in time"}`, async () => {
    const { proxy, received, sent, deliver } = liveModel(late);
    markLost(proxy, { classList: { add() {} } });
    await new Promise((done) => setTimeout(done));
    await deliver("update");
    assert.equal(received.at(-1), "update");
    assert.deepEqual(sent, late ? ["request_state"] : []); // what was missed is requested once
  });
}

test("a model without a widget manager is left alone", () => {
  markLost({ on() {}, off() {}, set: () => assert.fail("set was called") }, {});
});

test("the theme is that of the nearest background that can be seen, through shadow roots", () => {
  const colors = new Map(), page = { color: "rgb(17, 17, 17)" }, host = { parentElement: page, getRootNode: () => null };
  const inside = { parentElement: null, getRootNode: () => ({ host }) }, clear = "rgba(0, 0, 0, 0)";
  globalThis.getComputedStyle = (node) => ({ backgroundColor: colors.get(node) ?? clear });
  page.getRootNode = () => null;
  assert.equal(themeOf(inside), "light"); // nothing is painted at all
  colors.set(page, "rgb(17, 17, 17)");
  assert.equal(themeOf(inside), "dark");
  colors.set(host, "rgba(255, 255, 255, 0.4)"); // too faint to count
  assert.equal(themeOf(inside), "dark");
  colors.set(host, "rgba(255, 255, 255, 0.6)");
  assert.equal(themeOf(inside), "light");
  for (const [color, theme] of [["rgb(0, 255, 0)", "light"], ["rgb(255, 0, 0)", "dark"], ["rgb(0, 0, 255)", "dark"], ["rgb(200, 120, 0)", "light"]]) {
    colors.set(inside, color);
    assert.equal(themeOf(inside), theme, color);
  }
  colors.set(inside, "transparent");
  assert.equal(themeOf(inside), "light");
});

test("ids differ, and begin with what they are for", () => {
  const ids = ["tip", "tip", "label"].map(uniqueId);
  assert.equal(new Set(ids).size, 3);
  assert.match(ids[2], /^de-label-\d+$/);
  assert.equal(typed(Uint16Array, new DataView(new ArrayBuffer(6), 2, 4)).length, 2);
});

test("an output that ipywidgets gave up is drawn once more, one that is drawn is left alone", async ({ mock }) => {
  mock.timers.enable({ apis: ["setTimeout"] });
  const drawn = [], view = (id) => ({ data: { "application/vnd.jupyter.widget-view+json": { model_id: id } } });
  const models = { lost: { views: {} }, seen: { views: { one: 1 } } };
  const outputs = { length: 3, get: (i) => [view("lost"), view("seen"), { data: {} }][i], stateChanged: { emit: (i) => drawn.push(i) } };
  const manager = { context: { model: { cells: [{ outputs }, {}] } }, has_model: (id) => id in models, get_model: async (id) => models[id] };
  let shown = "Loading widget...";
  globalThis.document = { querySelectorAll: () => [{ textContent: shown }] };
  startModel({ model: { widget_manager: manager } });
  const after = async (milliseconds) => { mock.timers.tick(milliseconds); for (let k = 0; k < 20; k++) await null; };
  await after(1000);
  assert.deepEqual(drawn, []);
  shown = "Error displaying widget: model not found";
  await after(4000);
  assert.deepEqual(drawn, [0]);
  models.lost.views.two = 2;
  await after(10000);
  assert.deepEqual(drawn, [0]);
  delete globalThis.document;
});
