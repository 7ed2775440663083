import assert from "node:assert/strict";
import { test } from "node:test";
import { load } from "./load.mjs";

const { dotPlot, dotRange, dotWords, modelColor, roundTicks } = await load("dom", "charts");
const row = (model, mean, half, seeds, paper = null) => ({ model, mean, half, seeds, paper, color: "#0072b2" });
const rows = [row("DE-GNN-SPD", 90.4, 1.5, [89.6, 90.4, 91.2], 89.4), row("GCN", 76.1, 40, [75.1, 77.9])];

test("ticks are round and inside", () => {
  assert.deepEqual(roundTicks(72.1, 92.3, 5), [75, 80, 85, 90]);
  assert.deepEqual(roundTicks(88.2, 89.9, 4), [88.5, 89, 89.5]);
});

test("all seeds, means and papers are in the chart; an interval of few seeds may leave it", () => {
  const [low, high] = dotRange(rows);
  assert.ok(low < 75.1 && high > 91.2 && low > 60 && high <= 100.5);
  assert.deepEqual(dotRange([]), [50, 100]);
  const one = dotRange([row("GCN", 100, null, [100])]);
  assert.ok(one[0] < 100 && one[1] <= 100.5);
});

test("a larger value lies further to the right, rows do not overlap, and nothing leaves the chart", () => {
  const plot = dotPlot(rows, 400, 200);
  const [first, second] = plot.rows;
  assert.ok(first.x > second.x && second.y - first.y >= 20);
  for (const one of plot.rows) for (const x of [one.x, ...one.dots, ...(one.ends ?? [])]) assert.ok(x >= plot.left - 1e-9 && x <= plot.right + 1e-9);
  assert.equal(second.diamond, null);
  assert.ok(first.diamond < first.x);
  assert.equal(dotPlot(Array.from({ length: 20 }, () => rows[0]), 400, 200).rows.at(-1).y < 168, true);
});

test("the chart in words, and colors of a dark page", () => {
  assert.equal(dotWords([rows[0]], "AUC"), "DE-GNN-SPD: AUC 90.4 percent, plus or minus 1.5, in the paper 89.4.");
  assert.equal(modelColor("#0072b2", "light"), "#0072b2");
  assert.notEqual(modelColor("#0072b2", "dark"), "#0072b2");
});

test("the axis never leaves 0 to 100.5, and has no more ticks than its width has room for", () => {
  assert.equal(dotRange([row("GCN", 0.6, null, [0.4])])[0], 0);
  assert.equal(dotRange([row("GCN", 99.9, 5, [99.8])])[1], 100.5);
  for (const width of [180, 300, 640]) {
    const plot = dotPlot(rows, width, 200), room = plot.right - plot.left;
    assert.ok(plot.ticks.length <= Math.max(2, room / 48) + 1, `${plot.ticks.length} in ${room}`);
    assert.ok(plot.ticks.every(({ x }) => x >= plot.left - 1e-9 && x <= plot.right + 1e-9));
  }
  assert.ok(dotPlot(rows, 640, 200).ticks.length >= 4);
});
