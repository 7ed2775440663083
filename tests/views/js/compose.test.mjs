// From what the network sees to colors and words, without a browser: node --test tests/views/js
import assert from "node:assert/strict";
import test from "node:test";
import { load } from "./load.mjs";

const t = await load("geometry", "compose", "words");
const seen = { labels: [["target", "0", 0], ["distance 1", "1", 1], ["unreachable", "∞", null]], layers: 2, method: "DE-SPD", color_by: "SPD", title: "distance to S", hops: 1, cut: false };

test("the largest part of a class that splits keeps its letter, and so its color", () => {
  const codes = Uint16Array.from([0, 1, 1, 1, 1]), classes = Uint32Array.from([0, 1, 1, 1, 1, 0, 1, 2, 2, 2, 0, 1, 2, 2, 3]);
  const letters = t.lineage(codes, classes, 2).map((row) => [...row]);
  assert.deepEqual(letters, [[0, 0, 0, 0, 0], [0, 1, 0, 0, 0], [0, 1, 0, 0, 2]]);
  const colored = [1, 2].map((layer) => t.coloring(seen, t.PALETTE.light, codes, t.lineage(codes, classes, 2), layer, [0, 5]));
  assert.deepEqual(colored[1].entries.map((entry) => [entry.mark, entry.counts[0]]), [["0a", 1], ["1a", 2], ["1b", 1], ["1c", 1]]);
  assert.equal(colored[0].entries[colored[0].codes[2]].color, colored[1].entries[colored[1].codes[2]].color);
});

test("layer 0 shows labels, a side without targets is gray, and unreachable has one color", () => {
  const codes = Uint16Array.from([0, 2, t.NO_TARGET]), classes = new Uint32Array(9);
  const { entries } = t.coloring(seen, t.PALETTE.light, codes, t.lineage(codes, classes, 2), 0, [0, 2, 3]);
  assert.deepEqual(entries.map((entry) => [entry.text, entry.mark, entry.counts]), [["target", "0", [1, 0]], ["unreachable", "∞", [1, 0]], ["no target yet", "", [0, 1]]]);
  assert.equal(entries[1].color, t.PALETTE.light.unreachable);
});

test("text on every color has contrast, in light and dark", () => {
  const bright = (color) => [1, 3, 5].map((i) => parseInt(color.slice(i, i + 2), 16) / 255).map((c) => (c <= 0.03928 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4)).reduce((sum, c, i) => sum + c * [0.2126, 0.7152, 0.0722][i], 0);
  for (const look of Object.values(t.PALETTE)) for (let far = 0; far <= 6; far += 0.25) for (let k = 0; k < 8; k++) {
    const color = t.shade(look, far, k), [a, b] = [bright(color), bright(t.inkOn(color))];
    assert.ok((Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05) >= 4.5, `${color} ${far} ${k}`);
  }
});

test("the last layer is the one after which no class splits", () => {
  assert.equal(t.lastLayer(Uint32Array.from([0, 0, 0, 0, 1, 1, 0, 1, 2, 0, 1, 2]), 3, 3), 2);
  assert.equal(t.lastLayer(new Uint32Array(8), 2, 3), 0);
});

test("a click toggles; where p is fixed the target picked first makes room", () => {
  assert.deepEqual(t.picked([2], 5, 0), [2, 5]);
  assert.deepEqual(t.picked([2, 5], 5, 0), [2]);
  assert.deepEqual(t.picked([2, 5], 7, 2), [5, 7]);
});

test("arcs within two hops, without those inside S", () => {
  const links = t.adjacency(Uint32Array.from([0, 1, 1, 2, 2, 3]), 4);
  const two = t.arcsOf(links, 4, 2, false, []);
  assert.deepEqual([[...two.indices.slice(0, two.indptr[1])], [...two.tags.slice(0, two.indptr[1])]], [[1, 2], [1, 2]]);
  const cut = t.arcsOf(links, 4, 1, true, [1, 2]);
  assert.deepEqual([...cut.indptr], [0, 1, 2, 3, 4]);
});

// Two triangles (A) and a hexagon (B), target 0 of each.
const edges = [[0, 1], [1, 2], [2, 0], [3, 4], [4, 5], [5, 3], [6, 7], [7, 8], [8, 9], [9, 10], [10, 11], [11, 6]];
const far = [0, 1, 1, 9, 9, 9, 0, 1, 2, 3, 2, 1];
function six(more = {}) {
  const links = t.adjacency(Uint32Array.from(edges.flat()), 12), labels = [...new Set(far)].sort((a, b) => a - b);
  let words = far.map(String);
  const classes = [];
  for (let layer = 0; layer <= 3; layer++) {
    const known = [...new Set(words)];
    classes.push(...words.map((word) => known.indexOf(word)));
    words = words.map((word, u) => `${word}(${[...links.list.slice(links.start[u], links.start[u + 1])].map((v) => words[v]).sort().join()})`);
  }
  const names = Array.from({ length: 12 }, (_, i) => `v${i % 6}`), pill = (method, layer) => ({ method, title: method, what: "", layer, hops: 1 });
  return { names, starts: [0, 6, 12], titles: ["two triangles", "6-cycle"], same: false, sides: [[0], [6]], links, codes: far.map((d) => labels.indexOf(d)), classes, layer: 2, toggle: "DE-SPD", counts: [], idea: "",
           seen: { ...seen, layers: 3, labels: labels.map((d) => [d ? `distance ${d}` : "target", String(d), d]) }, pills: [pill("1-WL", null), pill("DE-SPD", 2), pill("2-WL", 2)],
           symmetry: { kind: "different", map: [], degree: 2, family: "" }, ...more };
}
const said = (c) => t.headline(c).map((part) => part.text ?? part).join("");

test("the headline says what a student would", () => {
  assert.equal(said(six()), "A plain GNN cannot tell A’s v0 from B’s v0. With distances it can, after 2 layers.");
  assert.equal(said(six({ pills: [] })), "Comparing A’s v0 with B’s v0 …");
  assert.equal(said(six({ sides: [[0], []] })), "Pick a target in B to compare.");
  assert.match(said(six({ sides: [[0, 1], [6]] })), /^A has 2 targets, B has 1/);
  const never = [{ method: "1-WL", layer: null }, { method: "DE-SPD", layer: null }];
  assert.equal(said(six({ sides: [[1], [8]], pills: never, symmetry: { kind: "same", map: [] } })), "Nothing can tell v1 from v2: they play the same part.");
  assert.match(said(six({ sides: [[1], [8]], pills: never })), /^Neither a plain GNN nor one with distances can tell v1 from v2\.$/);
  assert.match(said(six({ sides: [[1], [8]], pills: [{ method: "1-WL", layer: 1 }, { method: "DE-SPD", layer: 1 }] })), /^Even a plain GNN tells v1 from v2 after 1 layer, without distances\.$/);
  assert.match(said(six({ sides: [[1], [8]], pills: [{ method: "1-WL", layer: null }, { method: "DE-SPD", layer: 0 }] })), /With distances it can, before layer 1\.$/);
});

test("the reason counts what anyone can count again, and never says that a node has none", () => {
  const why = t.reason(six(), "DE-SPD");
  assert.equal(why, "Two neighbors of v0 in A (v1 and v2) are linked to each other; no two neighbors of v0 in B are.");
  assert.equal(t.reason(six(), "1-WL"), "Every node has 2 neighbors, so to a plain GNN all nodes look alike.");
  assert.match(t.reason(six({ pills: [{ method: "DE-LP", layer: 0 }] }), "DE-LP"), /^After 3 steps a random walk from v0 in A is back with probability 1\/4, one from v0 in B never\.$/);
  assert.match(t.reason(six({ pills: [{ method: "2-WL", skipped: "skipped: too large" }] }), "2-WL"), /^Skipped: too large\.$/);
});

test("a prediction is judged by what was expected, else by the verdict", () => {
  assert.deepEqual([t.judged("Yes!", "", { layer: 2 }), t.judged("no", "", { layer: 2 }), t.judged("2 layers", "", { layer: 2 }), t.judged("never", "", { layer: null }), t.judged("maybe", "", { layer: 2 }), t.judged("three", "three", null)], ["right", "wrong", "right", "right", "", "right"]);
});

test("fractions and lists read naturally", () => {
  assert.deepEqual([t.fraction(2 / 9), t.fraction(1), t.fraction(0.123456)], ["2/9", "1", "0.123"]);
  assert.deepEqual([t.listOf(["a"]), t.listOf(["a", "b"]), t.listOf(["a", "b", "c", "d", "e"])], ["a", "a and b", "a, b, c and 2 more"]);
});

test("letters of classes go on as columns of a spreadsheet do", () => {
  assert.deepEqual([0, 25, 26, 51, 52, 701, 702].map(t.letterOf), ["a", "z", "aa", "az", "ba", "zz", "aaa"]);
  assert.equal(new Set(Array.from({ length: 1000 }, (_, i) => t.letterOf(i))).size, 1000);
});
