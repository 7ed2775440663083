// Explorers opened on a page without a browser (page.mjs), and how a reader uses them.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { afterEach } from "node:test";
import { load } from "./load.mjs";
import { all, button, change, clock, LIGHT, liveModel, mediaListeners, observers, open, pointer, run, text } from "./page.mjs";
import { HEXAGON, pill, range, TRIANGLES, world } from "./worlds.mjs";

export const t = await load(...JSON.parse(process.env.MODULES), "recorded");
export const records = JSON.parse(readFileSync(process.env.RECORDS, "utf8"));
export const near = (a, b, off = 0.01) => Math.abs(a - b) <= off;
export const samePlace = (a, b, off) => near(a[0], b[0], off) && near(a[1], b[1], off);

const opened = [];
afterEach(async () => { // a closed panel lets go of everything
  await change({ width: 420, height: 300, ratio: 1, calm: false, ...LIGHT });
  for (const { root, close, model } of opened.splice(0)) {
    close();
    assert.equal(root.parentElement, null);
    assert.equal([...(model.listeners?.values() ?? [])].flat().length, 0);
  }
  assert.deepEqual([observers.size, mediaListeners.size], [0, 0]);
  await run(20000);
  assert.equal(clock.jobs.length, 0);
});

export async function openPanel(model) {
  const { root, close } = await open(t.renderExplorer, model);
  const stage = root.querySelector(".de-stage"), canvas = stage.querySelector("canvas"), tree = root.querySelector(".de-tree");
  const values = () => model.get("values"), at = (i, more) => pointer(stage.whereIs(i), more);
  opened.push({ root, close, model });
  return {
    root, close, model, stage, canvas, tree, values, at,
    svg: tree.querySelector("svg"),
    places: (n) => range(n).map((i) => stage.whereIs(i)),
    layer: () => Number(text(root, ".de-layers [aria-checked=true]")),
    lit: () => JSON.parse(stage.dataset.lit),
    async click(i, more) {
      canvas.fire("pointerdown", at(i, more));
      canvas.fire("pointerup", at(i, more));
      await run(1000);
    },
    async drag(from, ...steps) {
      canvas.fire("pointerdown", from);
      for (const step of steps) canvas.fire("pointermove", step);
      canvas.fire("pointerup", steps.at(-1));
      await run(1000);
    },
    async hover(i) {
      canvas.fire("pointermove", at(i));
      await run();
    },
    async press(key, target = canvas, more = {}) {
      const event = target.fire("keydown", { key, ...more });
      await run(1000);
      return event;
    },
    async set(changes) {
      model.set("values", { ...values(), ...changes });
      model.save_changes();
      await run(1000);
    },
    async drawer(tab = 0) { // opened at a tab
      if (!model.get("view").open) button(root, "More").click();
      await run();
      all(root, ".de-drawer .de-tabs button")[tab].click();
      await run();
      return root.querySelector(".de-drawer");
    },
  };
}

// Two triangles (A) and a hexagon (B), as a kernel sends them.
export const A = { n: 6, edges: TRIANGLES, title: "triangles" }, B = { n: 6, edges: HEXAGON, title: "hexagon" };
const why = "Because.";
export const PILLS = {
  pills: [
    pill("1-WL", null), pill("DE-SPD", 2), pill("DE-LP", 0, { why }), pill("DEA-SPD", 1, { why }), pill("2-WL", 2),
    pill("DRNL", 2, { why, afterwards: true }),
  ],
  busy: false,
};
export const traits = (more = {}, targets = [[0], [0]]) => world([A, B], targets, { pills: PILLS, ...more });
export function answerTo(targets, more) { // to a click: the same graphs, other targets
  const { xy, edges, graphs, ...changed } = traits(more, targets);
  return changed;
}
export const live = (...given) => openPanel(liveModel(traits(...given)));
export const single = (graph, targets, more) => openPanel(liveModel(world([graph], [targets], more)));
export function savedPage(name, tour = "") {
  return openPanel(t.recordedModel({ ...structuredClone(records[name]), tour }));
}
