import assert from "node:assert/strict";
import { test } from "node:test";
import { load } from "./load.mjs";

const { split } = await load("dom", "glossary");
const terms = JSON.parse(process.env.TERMS);
const found = (text) => split(text, terms).filter(Array.isArray).map(([word, which]) => [word, terms[which][0]]);

test("terms are found as sentences write them", () => {
  assert.deepEqual(found("DE-1 SPD: after 2 layers: v2 has 2 neighbors"), [["DE-1 SPD", "DE-p"], ["2 layers", "layer"]]);
  assert.deepEqual(found("both graphs are strongly regular (16, 6, 2, 2), so (Theorem 3.7)"), [
    ["strongly regular (16, 6, 2, 2)", "strongly regular (n, k, λ, μ)"], ["Theorem 3.7", "Theorem 3.7"],
  ]);
  assert.deepEqual(found("A = {v2}, p = 1; class f"), [["p = 1", "p"], ["class f", "class"]]);
  assert.deepEqual(found("2-WL and 1-WL, the test of Weisfeiler and Leman"), [["2-WL", "2-WL"], ["1-WL", "1-WL"]]);
  assert.deepEqual(found("both graphs are 6-regular"), [["6-regular", "cubic"]]);
});

test("a term is marked once, and all text is kept", () => {
  const text = "1-WL says no; 1-WL never says yes <b>";
  const parts = split(text, terms);
  assert.equal(parts.map((part) => (Array.isArray(part) ? part[0] : part)).join(""), text);
  assert.equal(parts.filter(Array.isArray).length, 1);
});

test("no term inside another word", () => {
  for (const text of ["anode-cubicle", "HELP", "DE-GNN-SPDX", "e1-WLx", "no term here", "no class of pairs"]) assert.deepEqual(found(text), [], text);
});
