import assert from "node:assert/strict";
import { test } from "node:test";
import { load } from "./load.mjs";

const { markLost } = await load("dom");

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
