// Terms are found where sentences use them.
import assert from "node:assert/strict";
import { test } from "node:test";
import { load } from "./load.mjs";

const { split } = await load("dom", "glossary");
const terms = JSON.parse(process.env.TERMS);
const termsIn = (text) => split(text, terms).filter(Array.isArray).map(([word, which]) => [word, terms[which][0]]);

test("terms are found as sentences write them", () => {
  assert.deepEqual(termsIn("DE-1 SPD: after 2 layers: v2 has 2 neighbors"), [["DE-1 SPD", "DE-p"], ["2 layers", "layer"]]);
  assert.deepEqual(termsIn("both graphs are strongly regular (16, 6, 2, 2), so (Theorem 3.7)"), [
    ["strongly regular (16, 6, 2, 2)", "strongly regular (n, k, λ, μ)"], ["Theorem 3.7", "Theorem 3.7"],
  ]);
  assert.deepEqual(termsIn("A = {v2}, p = 1; class f"), [["p = 1", "p"], ["class f", "class"]]);
  assert.deepEqual(termsIn("2-WL and 1-WL, the test of Weisfeiler and Leman"), [["2-WL", "2-WL"], ["1-WL", "1-WL"]]);
  assert.deepEqual(termsIn("both graphs are 6-regular"), [["6-regular", "cubic"]]);
});

test("a term is marked once in a text, in the next text again, and all text is kept", () => {
  const some = [["one", "1-WL"], ["two", "layers?"]];
  for (const text of ["1-WL says no; 1-WL never says yes <b>", "a layer, 1-WL, layers, layer", "layer", "nothing", ""]) {
    const parts = split(text, some), marked = parts.filter(Array.isArray);
    assert.equal(parts.map((part) => (Array.isArray(part) ? part[0] : part)).join(""), text);
    assert.ok(!parts.includes(""));
    assert.deepEqual(marked.map(([, which]) => which).sort(), [0, 1].filter((k) => [/1-WL/, /layer/][k].test(text)));
    if (marked.length) assert.equal(text.indexOf(marked[0][0]), typeof parts[0] === "string" ? parts[0].length : 0); // the first that fits
  }
  assert.deepEqual([split("text", []), split("text", [["any", "x*"]])], [["text"], ["text"]]);
});

test("no term inside another word", () => {
  for (const text of [
    "anode-cubicle", "HELP", "DE-GNN-SPDX", "e1-WLx", "no term here", "no class of pairs",
  ]) assert.deepEqual(termsIn(text), [], text);
});
