// The logic of why.js, without a browser.
import assert from "node:assert/strict";
import test from "node:test";
import { load } from "./load.mjs";

const { beside, look } = await load("late", "dom", "why");

test("an edge that speaks for the score is solid, one against it dashed, the strongest widest", () => {
  assert.deepEqual(look({ change: -1, state: "" }, 1), { css: "de-why-for", width: 7.2 });
  assert.deepEqual(look({ change: 0.5, state: "" }, 1), { css: "de-why-against", width: 4.2 });
  assert.equal(look({ change: null, state: "" }, 0.2).css, "de-why-rest");
  assert.equal(look({ change: -0.2, state: "out" }, 0.2).css, "de-why-out");
  assert.equal(look({ change: null, state: "in" }, 0).css, "de-why-in");
  assert.equal(look({ change: 0, state: "" }, 0).width, 1.2);
});

test("names stand outside of their discs", () => {
  assert.deepEqual(beside(90, 50, 6, 100, 100), { x: 100, y: 54, "text-anchor": "start" });
  assert.deepEqual(beside(10, 50, 6, 100, 100), { x: 0, y: 54, "text-anchor": "end" });
  assert.deepEqual(beside(50, 90, 6, 100, 100), { x: 50, y: 108, "text-anchor": "middle" });
  assert.deepEqual(beside(50, 10, 6, 100, 100), { x: 50, y: -1, "text-anchor": "middle" });
});
