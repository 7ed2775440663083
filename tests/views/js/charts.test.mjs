// The board's chart of dots and intervals, and the curves of plotly in the colors of the page.
import assert from "node:assert/strict";
import { test } from "node:test";
import { load } from "./load.mjs";
import { chance, range } from "./worlds.mjs";

const { dotPlot, dotRange, dotWords, modelColor, PALETTE, roundTicks, themedFigure } = await load("dom", "charts");
const BLUE = "#0072b2";
const row = (model, mean, half, seeds, paper = null) => ({ model, mean, half, seeds, paper, color: BLUE });
const close = (a, b) => a.forEach((value, k) => assert.ok(Math.abs(value - b[k]) < 1e-6, `${a} ${b}`));

test("ticks are the finest round numbers of which there are not too many, and all between the ends", () => {
  for (let seed = 0; seed < 200; seed++) {
    const { random, integer } = chance(seed), low = 100 * random(), high = low + 10 ** (3 * random() - 1), most = 2 + integer(6);
    const finer = (step) => step / (/^[15]/.test(step.toExponential()) ? (step.toExponential()[0] === "1" ? 2 : 2.5) : 2);
    const ticks = roundTicks(low, high, most);
    if (ticks.length < 2) continue;
    const step = Number((ticks[1] - ticks[0]).toPrecision(6));
    assert.match(step.toExponential(), /^[125]e/);
    assert.ok((high - low) / step <= most * 1.002 && (high - low) / finer(step) > most * 0.998, `${low} ${high} ${most} ${step}`);
    const first = Math.ceil(low / step), last = Math.floor(high / step);
    close(ticks, range(last - first + 1).map((k) => (first + k) * step));
  }
  assert.deepEqual([roundTicks(0, 10, 10), roundTicks(75, 90, 3), roundTicks(5, 5, 3)], [range(11), [75, 80, 85, 90], [5]]);
});

test("the axis shows every seed, mean and paper, and as much of an interval as leaves them readable", () => {
  const range4 = (half) => dotRange([row("a", 80, half, [70, 90], 75), row("b", 72, null, [72])]);
  close(range4(null), [67.6, 92.4]);
  close(range4(13), [67, 93]);
  close(range4(40), [63, 97]);
  close(dotRange([row("a", 80, null, [80])]), [79, 81]);
  close(dotRange([row("a", 50, null, [50], 90)]), [45.2, 94.8]);
  close(dotRange([row("a", 0.6, null, [0.4]), row("b", 99.9, 5, [99.8])]), [0, 100.5]);
  assert.deepEqual(dotRange([]), [50, 100]);
});

test("the chart: larger is further right, dots stand where ticks say, rows never overlap or leave it", () => {
  const rows = [row("DE-GNN-SPD", 90.4, 1.5, [89.6, 90.4, 91.2], 89.4), row("GCN", 76.1, 40, [75.1, 77.9])];
  for (const [width, height, all] of [[400, 200, rows], [180, 60, rows], [640, 300, range(20).flatMap(() => rows)], [300, 200, []]]) {
    const plot = dotPlot(all, width, height), [low, high] = dotRange(all);
    const value = (x) => low + ((x - plot.left) / (plot.right - plot.left)) * (high - low);
    close(plot.ticks.map(({ x }) => value(x)), plot.ticks.map((tick) => tick.value));
    assert.ok(plot.ticks.length >= 1 && plot.ticks.length <= Math.max(2, Math.floor((plot.right - plot.left) / 48)) + 1);
    assert.ok(plot.left > 0 && plot.right < width && plot.bottom < height);
    plot.rows.forEach((one, k) => {
      const { mean, half, seeds, paper } = all[k], clipped = (end) => Math.max(low, Math.min(high, end));
      close([one.x, ...one.dots].map(value), [mean, ...seeds]);
      close(one.ends.map(value), [clipped(mean - half), clipped(mean + half)]);
      if (paper === null) assert.equal(one.diamond, null);
      else close([value(one.diamond)], [paper]);
      assert.ok(one.y > 0 && one.y < plot.bottom && (!k || Math.abs(one.y - plot.rows[k - 1].y - plot.step) < 1e-9));
    });
  }
  const named = (model, width) => dotPlot([row(model, 80, null, [80])], width, 200).left;
  assert.ok(named("GCN", 400) < named("DEA-GNN-SPD", 400) && named("x".repeat(90), 400) < 200 && named("GCN", 400) >= 60);
  assert.equal(dotPlot([row("a", 80, null, [80])], 400, 200).rows[0].ends, null); // one seed has no interval
});

test("the chart in words says what it shows", () => {
  const [one, other] = [row("A", 90.44, 1.52, [90], 89.4), row("B", 76, null, [76])];
  assert.deepEqual(dotWords([one, other], "AUC").match(/[AB]:|AUC|[\d.]+\d/g), ["A:", "AUC", "90.4", "1.5", "89.4", "B:", "AUC", "76.0"]);
});

test("curves wear the colors of the page, keep what Python says of them, and are as large as their place", () => {
  const figure = {
    data: [{ line: { color: BLUE } }, { line: { color: "#123456" } }],
    layout: { margin: { l: 7 }, xaxis: { title: { text: "epoch" }, range: [0, 3] }, yaxis: {} },
  };
  for (const [theme, look] of Object.entries(PALETTE)) {
    const { data, layout } = themedFigure(figure, look, theme, 300, 200);
    assert.deepEqual(data.map(({ line }) => line.color), [modelColor(BLUE, theme), "#123456"]);
    assert.deepEqual(
      [layout.width, layout.height, layout.margin.l, layout.xaxis.range, layout.xaxis.title.text],
      [300, 200, 7, [0, 3], "epoch"]
    );
    assert.deepEqual([layout.font.color, layout.hoverlabel.bgcolor, layout.hoverlabel.font.color], [look.text, look.back, look.text]);
    for (const axis of [layout.xaxis, layout.yaxis]) assert.deepEqual(
      [axis.gridcolor, axis.zeroline, axis.tickfont.color], [look.line, false, look.faint]
    );
    assert.deepEqual([layout.xaxis.title.font.color, layout.yaxis.title], [look.faint, undefined]);
  }
  assert.equal(modelColor(BLUE, "light"), BLUE);
  assert.notEqual(modelColor(BLUE, "dark"), BLUE);
});
