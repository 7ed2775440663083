// late.js with models as ipywidgets and anywidget make them: one class that handles messages, one that makes them wait.
import assert from "node:assert/strict";
import test from "node:test";
import { load } from "./load.mjs";

const { initialize } = await load("late");

class Plain {
  heard = []; sent = []; state = {}; listeners = new Map(); _buffered_state_diff = {};
  comm = { on_msg: (handle) => { this.receive = handle; }, send: (data) => { this.sent.push(data); } };
  receive = (message) => this._handle_comm_msg(message);
  async _handle_comm_msg(message) { if (message.content.data.method === "update") this.heard.push(message.content.data.state); }
  set(name, value, { unset } = {}) {
    if (unset) delete this.state[name]; else this.state[name] = value;
    this._buffered_state_diff[name] = value;
    this.listeners.get(`change:${name}`)?.(this, value);
  }
}

class Waiting extends Plain {
  constructor(ready) { super(); this.ready = ready; }
  async _handle_comm_msg(message) { await this.ready; return super._handle_comm_msg(message); }
}

const proxy = (model) => ({
  set: model.set.bind(model),
  on: (name, act) => model.listeners.set(name, act),
  off: (name) => model.listeners.delete(name),
});
const update = (state) => ({ content: { data: { method: "update", state } } });
const settled = () => new Promise((done) => setImmediate(done));

test("a script in time changes nothing", async () => {
  const model = new Waiting(Promise.resolve()), before = model.receive;
  initialize({ model: proxy(model) });
  await settled();
  assert.equal(model.receive, before);
  assert.deepEqual(model.sent, []);
  await model.receive(update(1));
  assert.deepEqual(model.heard, [1]);
});

test("a script that came late hears what comes, and asks for what was refused", async () => {
  const model = new Waiting(Promise.reject(new Error("Failed to initialize model.")));
  await assert.rejects(model.receive(update("lost")));
  initialize({ model: proxy(model) });
  await settled();
  assert.deepEqual(model.sent, [{ method: "request_state" }]);
  await model.receive(update("anew"));
  assert.deepEqual(model.heard, ["anew"]);
});

test("nothing is left on the model, and nothing told to the kernel", async () => {
  const model = new Waiting(Promise.resolve());
  initialize({ model: proxy(model) });
  await settled();
  assert.deepEqual([model.state, model._buffered_state_diff, model.listeners.size], [{}, {}, 0]);
});

test("a model without a kernel, or of another kind, is left alone", () => {
  for (const without of ["comm", "_handle_comm_msg"]) {
    const model = new Plain();
    model[without] = undefined;
    initialize({ model: proxy(model) });
    assert.deepEqual(model.sent, []);
  }
});
