// late.js with models as ipywidgets and anywidget make them: one class that handles messages, one that makes them wait;
// and with a notebook as JupyterLab keeps it.
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

// A notebook whose outputs show these models; undefined is an output without a widget. Views are what draws a model.
function notebook({ restored, shown, views }) {
  const drawn = [], heard = [];
  const outputs = {
    length: shown.length,
    get: (i) => ({ data: shown[i] === undefined ? {} : { "application/vnd.jupyter.widget-view+json": { model_id: shown[i] } } }),
    stateChanged: { emit: (i) => { drawn.push(i); } },
  };
  const manager = {
    context: { model: { cells: [{}, { outputs }] } }, // the first is text
    restoredStatus: restored,
    restored: { connect: (act) => heard.push(act) },
    has_model: (id) => id in views,
    get_model: async (id) => ({ views: views[id] }),
    restore: () => heard.forEach((act) => act()),
  };
  return { drawn, manager };
}

function begin(manager) {
  const model = new Waiting(Promise.resolve());
  model.widget_manager = manager;
  initialize({ model: proxy(model) });
}
// Three waits of the same length, one after another, so that one begun before ends before, however busy the machine is.
const later = async () => { for (let wait = 0; wait < 3; wait++) await new Promise((done) => setTimeout(done, 100)); };

test("an output whose model nobody draws is drawn anew, and only that one", async () => {
  const { drawn, manager } = notebook({
    restored: true, shown: [undefined, "drawn", "given up", "of another kernel", "", "broken"],
    views: { drawn: { one: {} }, "given up": {}, broken: undefined },
  });
  begin(manager);
  await later();
  assert.deepEqual(drawn, [2]);
});

test("it is looked for once, however many widgets there are", async () => {
  const { drawn, manager } = notebook({ restored: true, shown: [undefined, "given up"], views: { "given up": {} } });
  for (let widget = 0; widget < 3; widget++) begin(manager);
  await later();
  assert.deepEqual(drawn, [1]);
});

test("not before the page has its models again, and whoever waits for one had time", async () => {
  const views = {}, { drawn, manager } = notebook({ restored: false, shown: [undefined, "a", "b"], views });
  begin(manager);
  await later();
  Object.assign(views, { a: {}, b: {} });
  setTimeout(() => { views.b.drawn = {}; }, 100); // its last wait, begun just before
  manager.restore();
  await later();
  assert.deepEqual(drawn, [1]);
});

test("a page that is no notebook is left alone", async () => {
  begin({});
  begin(undefined);
  await later();
});
