// What the panel says: the facts in its sentences. test_front_end.py compares reasons with those of de.distinguish.
import assert from "node:assert/strict";
import { test } from "node:test";
import { load } from "./load.mjs";
import { HEXAGON, pill, range, TRIANGLES, world } from "./worlds.mjs";

const t = await load("geometry", "words");
const layersOf = (text) => [...text.matchAll(/after (\d+) layers?\b|before layer (1)/g)].map(([, after]) => Number(after ?? 0));
const numbers = (text) => [...text.matchAll(/\d+/g)].map(Number);

// A case as the Explorer composes it, of graphs as the kernel sends them.
function caseOf(graphs, targets, more = {}) {
  const { graphs: g, seen, edges, codes, classes } = world(graphs, targets);
  const links = t.adjacency(new Uint32Array(edges.buffer), g.names.length);
  const sides = targets.map((nodes, k) => nodes.map((node) => g.starts[k] + node));
  return {
    ...g, sides, seen, links, codes: new Uint16Array(codes.buffer), classes: new Uint32Array(classes.buffer),
    layer: 2, toggle: "DE-SPD", counts: [], pills: [], symmetry: { kind: "different", map: [], degree: 2, family: "" }, ...more,
  };
}
const A = { n: 6, edges: TRIANGLES, title: "two triangles" }, B = { n: 6, edges: HEXAGON, title: "6-cycle" };
const six = (more = {}, targets = [[1], [2]]) => caseOf([A, B], targets, more);
const headline = (c) => t.headline(c).map((part) => part.text ?? part).join("");

test("the headline says whether a plain GNN and one with the encoding tell both sets apart, and after how many layers", () => {
  const answers = [null, 0, 1, 3];
  for (const plain of answers) for (const encoded of [...answers, "skipped"]) for (const symmetric of [true, false]) {
    const skipped = encoded === "skipped";
    const other = skipped ? pill("DE-SPD", undefined, { skipped: "too large" }) : pill("DE-SPD", encoded);
    if (skipped) delete other.layer;
    const c = six({ pills: [pill("1-WL", plain), other], symmetry: symmetric ? { kind: "same", map: [] } : { kind: "different" } });
    const text = headline(c);
    assert.deepEqual(t.headline(c).filter((part) => part.text), [{ side: 0, text: "v1" }, { side: 1, text: "v2" }]);
    const earlier = !skipped && encoded !== null && (plain === null || encoded < plain);
    assert.deepEqual(layersOf(text), [...(plain === null ? [] : [plain]), ...(earlier ? [encoded] : [])], text);
    assert.equal(/cannot|Neither|Nothing/.test(text), plain === null, text);
    const neither = plain === null && encoded === null;
    assert.equal(/Nothing|same part/.test(text), neither && symmetric, text);
    const comparesBoth = !skipped && encoded !== null || (neither && !symmetric);
    assert.equal(text.includes("distances"), comparesBoth, text);
    assert.equal(/without/.test(text), comparesBoth && plain !== null && encoded !== null && encoded >= plain, text);
    assert.ok(!/\b1 layers/.test(text) && /\.$/.test(text));
  }
});

test("while something is missing the headline says what", () => {
  for (const pills of [
    [], [pill("1-WL", 1)], [{ method: "1-WL", title: "" }, pill("DE-SPD", 1)],
    [pill("1-WL", 1), { method: "DE-SPD", title: "" }],
  ]) {
    assert.match(headline(six({ pills })), /^Comparing .*…$/);
  }
  for (const [targets, fact] of [
    [[[], [0]], /^Pick.* A /], [[[0], []], /^Pick.* B /], [[[0, 1], [0]], /A has 2 targets.*B has 1/],
    [[[0], [0, 1]], /A has 1 target\b[^s].*B has 2/],
  ]) assert.match(headline(six({}, targets)), fact);
});

test("what is compared with a plain GNN is the encoding shown, or the one of the toggle", () => {
  const pills = [
    pill("1-WL", null), pill("DE-SPD", 1), pill("DE-LP", 2), pill("DEA-SPD", 3), pill("mine", 4, { title: "DE-1 mine" }),
    pill("DRNL", 5, { title: "DRNL" }),
  ];
  const shown = (method, toggle = "DE-SPD") => { const c = six({ pills, toggle }); c.seen.method = method; return headline(c); };
  for (const [text, layer, word] of [
    [shown("DE-SPD"), 1, "With distances it"], [shown("1-WL", "DE-LP"), 2, "random walks"], [shown("DEA-SPD"), 3, "K hops"],
    [shown("mine"), 4, "With mine"], [shown("DRNL"), 5, "With DRNL"],
  ]) {
    assert.deepEqual(layersOf(text), [layer]);
    assert.ok(text.includes(word), text);
  }
});

test("a set is named by its node, by its letter where it has several or a long name, by both where names are equal", () => {
  const long = "x".repeat(24), names = (graphs, targets) => t.setNames(caseOf(graphs, targets));
  const named = (name) => ({ n: 2, edges: [[0, 1]], names: [name, "other"] });
  assert.deepEqual(names([A, B], [[1], [2]]), ["v1", "v2"]);
  assert.deepEqual(names([A, B], [[0, 1], [2]]), ["A", "v2"]);
  assert.deepEqual(names([named(long), named(long.slice(1))], [[0], [0]]), ["A", long.slice(1)]);
  assert.deepEqual(names([A, B], [[1], [1]]).map((name) => [name[0], name.slice(-2)]), [["A", "v1"], ["B", "v1"]]);
  assert.deepEqual([[[2]], [[0, 1, 2]], [[0, 1, 2, 3]]].map((targets) => names([A], targets)[0]), ["v2", "{v0, v1, v2}", "{v0, v1, v2, …}"]);
});

test("a caption has the letter, up to six targets, and the title where it tells two graphs apart", () => {
  const ring = { n: 9, edges: range(9).map((i) => [i, (i + 1) % 9]), title: "ring" };
  const [one, other] = [0, 1].map((k) => t.captionOf(six(), k));
  assert.deepEqual([one.letter, other.letter, one.title, other.title], ["A", "B", "two triangles", "6-cycle"]);
  const alone = (count) => t.captionOf(caseOf([ring], [range(count)]), 0);
  assert.deepEqual([alone(1).letter, alone(1).title, alone(6).text], ["S", "", "= {v0, v1, v2, v3, v4, v5}"]);
  assert.match(alone(8).text, /^= \{v0, v1, v2, v3, v4, v5, … 2 more\}$/);
  assert.doesNotMatch(alone(0).text, /[{}]/);
  assert.equal(t.captionOf(caseOf([ring, ring], [[0], [1]]), 1).title, "");
});

test("of one set the headline counts nodes by distance, or kinds of nodes after some layers", () => {
  const single = (more, targets = [[1]]) => headline(caseOf([A], targets, { layer: 0, ...more }));
  const counts = [["target", 1], ["distance 1", 3], ["distance 2", 1], ["distance 3", 1200], ["distance 4", 9]];
  assert.match(single({ counts }), /v1.* 3 nodes are 1 step away, 1 is 2 and 1,200 are 3\./);
  assert.match(single({ counts: [["distance 1", 1]] }), /1 node is 1 step away\.$/);
  assert.match(single({ counts: [["distance 2", 2]] }), /2 nodes are 2 steps away\.$/);
  assert.match(single({ counts: [["target", 1], ["unreachable", 5]] }), /^v1 cannot reach/);
  assert.match(single({ counts }, [[]]), /^Pick/);
  for (const layer of [1, 4]) assert.deepEqual(numbers(single({ layer, counts }).replace(",", "")), [layer, 5, 1214]);
  const of = (changes, targets = [[1]]) => {
    const c = caseOf([A], targets, { layer: 0, counts: [["", 6]] });
    Object.assign(c.seen, changes);
    return headline(c);
  };
  assert.deepEqual(numbers(of({ method: "1-WL" })), [6]);
  assert.match(of({ color_by: "LP", title: "walks back" }), /^Walks back.*v1/);
  assert.match(of({ title: "distance to S" }, [[0, 1]]), /^Distance to S.*\{v0, v1\}/);
});

const why = (c, method) => t.reason(c, method);

test("a reason says what is known: skipped, Python's own, the layer at least, or nothing yet", () => {
  const reasonOf = (made, more) => why(six({ pills: [made], ...more }), made.method);
  assert.equal(why(six(), "DE-SPD"), "");
  assert.equal(reasonOf({ method: "DE-LP" }), "");
  assert.equal(reasonOf({ method: "2-WL", skipped: "skipped: too large" }), "Skipped: too large.");
  assert.equal(reasonOf(pill("DE-LP", 2, { why: "Because." })), "Because.");
  assert.deepEqual(numbers(reasonOf(pill("DE-LP", 4))), [4]); // its classes are not here
  assert.deepEqual(numbers(reasonOf(pill("DE-SPD", 4))), [4]); // only three layers are
  assert.deepEqual(numbers(reasonOf(pill("mine", 2))), [2]); // what it knows of a node is not
  assert.equal(why(six({ pills: [pill("DE-LP", 0)] }, [[0, 1], [0, 1]]), "DE-LP"), "");
  assert.deepEqual(numbers(reasonOf(pill("2-WL", 3))), [3]);
  const pairs = six({ pills: [pill("2-WL", 0)] }, [[0, 1, 2], [0, 1, 3]]);
  assert.deepEqual(numbers(why(pairs, "2-WL")), [3, 1]); // edges among the targets
});

test("why nothing tells them apart: the same nodes, a symmetry, or what the graphs are", () => {
  const none = range(2).map((k) => pill(["1-WL", "DE-SPD"][k], null)).concat(pill("2-WL", null));
  const not = (method, symmetry, more = {}, targets) => why(six({ pills: none, symmetry, ...more }, targets), method);
  assert.equal(not("1-WL", undefined), "");
  const same = { kind: "same", map: [] }, oneGraph = { same: true };
  assert.match(not("DE-SPD", same, oneGraph, [[1, 4], [4, 1]]), /same nodes/);
  assert.doesNotMatch(not("DE-SPD", same, {}, [[1], [1]]), /same nodes/); // of two graphs
  assert.match(not("DE-SPD", same, oneGraph), /symmetry.*v1.*v2/);
  assert.match(not("DE-SPD", same), /map.*v1.*v2/);
  assert.match(not("DE-SPD", { kind: "undecided" }), /not decided/);
  const regular = { kind: "different", degree: 3, family: "" }, family = { ...regular, family: "strongly regular" };
  assert.deepEqual(numbers(not("1-WL", regular)), [3]);
  assert.doesNotMatch(not("1-WL", { ...regular, degree: null }), /\d/);
  for (const method of ["DE-SPD", "2-WL"]) {
    assert.match(not(method, family), /^Both graphs are strongly regular/);
    assert.match(not(method, family, oneGraph), /^The graph is strongly regular/);
    assert.doesNotMatch(not(method, regular), /strongly/);
  }
  assert.match(not("DE-SPD", family), /Theorem 3\.7/);
  assert.doesNotMatch(not("DE-SPD", family, {}, [[0, 1], [0, 1]]), /3\.7/); // it is about single nodes
  assert.match(not("DE-SPD", regular), /distances/);
  assert.match(not("2-WL", regular), /pairs/);
});

test("a prediction is judged by what was expected, else by the verdict", () => {
  const yes = { layer: 2 }, no = { layer: null };
  for (const [reply, expected, verdict, judged] of [
    ["Yes!", "", yes, "right"], ["y", "", yes, "right"], ["yes, it can", "", no, "wrong"], ["no", "", yes, "wrong"],
    ["No.", "", no, "right"], ["never", "", no, "right"], ["it will never", "", no, "right"], ["infinite", "", no, "right"],
    ["none", "", yes, "wrong"], ["after 2 layers", "", yes, "right"], ["3", "", yes, "wrong"], ["2", "", no, "wrong"],
    ["12", "", yes, "wrong"], ["maybe", "", yes, ""], ["yes", "", null, ""], ["yes", "", {}, ""],
    [" THREE of them", "three", null, "right"], ["four", "Three", yes, "wrong"],
  ]) assert.equal(t.judged(reply, expected, verdict), judged, `${reply} ${expected} ${JSON.stringify(verdict)}`);
});

test("chances are fractions where a fraction is short, and lists read naturally", () => {
  const divisor = (a, b) => (b ? divisor(b, a % b) : a);
  for (const below of [1, 2, 3, 7, 12, 64, 999, 1000]) for (const above of [1, 2, 5, below]) {
    if (above > below) continue;
    const by = divisor(above, below);
    assert.equal(t.fraction(above / below), below === by ? String(above / by) : `${above / by}/${below / by}`);
  }
  assert.deepEqual([t.fraction(1 / 1009), t.fraction(Math.SQRT1_2)], ["0.000991", "0.707"]);
  assert.deepEqual(
    range(6).map((k) => t.listOf([..."abcdef"].slice(0, k))),
    ["", "a", "a and b", "a, b and c", "a, b, c and d", "a, b, c and 2 more"]
  );
  assert.equal(t.listOf([..."abcdefg"], 6), "a, b, c, d, e and 2 more");
  assert.deepEqual([0, 1, 2].map(t.layersText), ["0 layers", "1 layer", "2 layers"]);
});
