// The logic of folding.js and layers.js, without a browser: node --test tests/views/js
import assert from "node:assert/strict";
import test from "node:test";
import { load } from "./load.mjs";

const t = await load("folding", "layers");

// Color refinement the slow, obvious way: classes after 0..layers layers, named by what they are.
function netOf(edges, n, labels, layers) {
  const near = Array.from({ length: n }, () => []);
  for (const [u, v] of edges) { near[u].push(v); near[v].push(u); }
  const indptr = [0], indices = [];
  near.forEach((list) => { indices.push(...list); indptr.push(indices.length); });
  let words = labels.map(String);
  const classes = [], number = (all) => { const seen = [...new Set(all)]; return all.map((w) => seen.indexOf(w)); };
  for (let l = 0; l <= layers; l++) {
    classes.push(...number(words));
    words = words.map((w, u) => `${w}(${near[u].map((v) => words[v]).sort().join(" ")})`);
  }
  return { indptr, indices, tags: [], classes, codes: labels };
}
// Two triangles and a hexagon, distances to node 0 and to node 6.
const SIX = [[0, 1], [1, 2], [2, 0], [3, 4], [4, 5], [5, 3], [6, 7], [7, 8], [8, 9], [9, 10], [10, 11], [11, 6]];
const FAR = [0, 1, 1, 9, 9, 9, 0, 1, 2, 3, 2, 1];
const six = (layers) => netOf(SIX, 12, FAR, layers);
const sizes = (picture) => Array.from({ length: picture.depth + 1 }, (_, k) => picture.nodes.filter((node) => node.level === k).length);

test("folded levels, multiplicities and sides of two triangles and a hexagon", () => {
  const picture = t.fold(six(2), [0, 6], [0, 1], 2);
  assert.deepEqual(sizes(picture), [2, 2, 3]); // 0 | 0;  1 | 1;  1, 0, 2
  assert.deepEqual(picture.nodes.filter((node) => node.level === 2).map((node) => [FAR[node.members[0]], node.side]).sort(), [[0, 3], [1, 1], [2, 2]]);
  assert.deepEqual(picture.lines.filter((line) => line.from < 2).map((line) => line.times), [2, 2]);
  assert.deepEqual(sizes(t.fold(six(1), [0, 6], [0, 1], 1)), [1, 1]); // one layer sees no difference
});

test("trees have one parent each, and as many leaves as the folded graph says", () => {
  for (const depth of [0, 1, 2, 3]) {
    const net = six(depth), tree = t.unfold(net, [0, 6], [0, 1], depth);
    assert.equal(tree.nodes.length, tree.lines.length + 2);
    const inner = new Set(tree.lines.map((line) => line.from));
    assert.equal(tree.nodes.filter((_, i) => !inner.has(i)).length, t.leaves(t.fold(net, [0, 6], [0, 1], depth)));
  }
  assert.deepEqual(t.unfold(six(2), [6], [0], 2).nodes.map((node) => node.members), [[6], [7, 11], [6], [8]]);
});

test("lines lead to where two sides part, and only those that do are dashed", () => {
  for (const make of [t.fold, t.unfold]) {
    const picture = make(six(2), [0, 6], [0, 1], 2);
    t.part(picture, (node) => FAR[node.members[0]], ...picture.roots);
    const marked = picture.lines.map((line) => [FAR[picture.nodes[line.from].members[0]], FAR[picture.nodes[line.to].members[0]], line.way]);
    assert.deepEqual(marked.filter((line) => line[2] === 1), [[0, 1, 1], [0, 1, 1]]);
    assert.deepEqual(marked.filter((line) => line[2] === 2).sort(), [[1, 1, 2], [1, 2, 2]]);
    t.part(picture, (node) => FAR[node.members[0]], picture.roots[0], picture.roots[0]);
    assert.ok(picture.lines.every((line) => line.way === 0));
  }
});

test("a side that has more of a branch parts there", () => {
  const star = netOf([[0, 1], [0, 2], [0, 3], [4, 5], [4, 6]], 7, [0, 1, 1, 1, 0, 1, 1], 1), picture = t.fold(star, [0, 4], [0, 1], 1);
  t.part(picture, (node) => node.cls, ...picture.roots);
  assert.deepEqual(picture.lines.map((line) => [line.times, line.way]), [[3, 2], [2, 0]]);
});

test("too wide a level keeps what most walks reach, and one node stands for the rest", () => {
  const edges = [], labels = [0];
  for (let i = 1; i <= 9; i++) { edges.push([0, i]); labels.push(i); }
  edges.push([0, 10]); labels.push(9);
  const whole = t.fold(netOf(edges, 11, labels, 1), [0], [0], 1), kept = t.trim(whole, 4);
  assert.deepEqual([sizes(whole), sizes(kept)], [[1, 9], [1, 4]]);
  const more = kept.nodes.find((node) => node.more);
  assert.deepEqual([more.more, more.of, more.members.length], [6, 9, 6]);
  assert.deepEqual(kept.lines.map((line) => line.times).sort((a, b) => a - b), [1, 1, 2, 6]);
  assert.ok(kept.nodes.some((node) => node.members.length === 2)); // label 9, which two walks reach
  assert.deepEqual(t.trim(whole, 9).nodes.length, 10);
  const deep = t.trim(t.fold(netOf(edges, 11, labels, 2), [0], [0], 2), 4);
  assert.deepEqual(deep.lines.filter((line) => line.many).map((line) => [deep.nodes[line.from].more, deep.nodes[line.to].members]), [[6, [0]]]);
});

test("the multiset that a root takes in is written out", () => {
  const picture = t.fold(six(2), [0, 6], [0, 1], 2), mark = (node) => `${FAR[node.members[0]]}${"ab"[node.cls % 2]}`;
  for (const i of picture.roots) assert.match(t.gathered(picture, i, mark), /^\{1[ab] ×2\}$/);
  assert.equal(t.gathered(picture, picture.roots[0], () => ""), "{● ×2}");
});

test("a node hears from as far as its arcs reach", () => {
  const net = { indptr: [0, 2, 2, 2], indices: [1, 2], tags: [1, 2], classes: [0, 0, 0], codes: [0, 1, 2] };
  assert.deepEqual(t.neighbors(net, 0, 0).map((group) => [group.hop, group.nodes]), [[1, [1]], [2, [2]]]);
});

test("places: A to the left, B to the right, no two discs at one place, trees beside each other", () => {
  const box = { left: 50, right: 400, top: 40, bottom: 300 };
  for (const [make, form] of [[t.fold, "folded"], [t.unfold, "tree"]]) {
    const picture = make(six(3), [0, 6], [0, 1], 3), spots = t.arrange(picture, box, form, (node) => FAR[node.members[0]]);
    spots.forEach((a, i) => {
      assert.ok(a.x >= box.left && a.x <= box.right && a.y >= box.top && a.y <= box.bottom);
      spots.slice(0, i).forEach((b) => assert.ok(a.y !== b.y || Math.abs(a.x - b.x) >= Math.min(a.gap, b.gap) - 1e-6));
    });
    const [a, b] = picture.roots.map((i) => spots[i]);
    assert.ok(a.x < b.x && a.y === box.top);
  }
});

test("a text on a line keeps clear of every box, or is absent", () => {
  const a = { x: 0, y: 0 }, b = { x: 0, y: 100 };
  assert.deepEqual(t.spotAlong(a, b, 0, 10, []).y, 50);
  assert.deepEqual(t.spotAlong(a, b, 0, 10, [[-5, 45, 5, 55]]).y, 34);
  assert.equal(t.spotAlong(a, b, 0, 10, [[-50, 0, 50, 100]]), null);
  assert.deepEqual(t.along(a, b, 20, 0.5), [10, 50]);
});

test("branches of different labels or hops are never paired", () => {
  const node = (cls, label, level = 1) => ({ level, cls, members: [label], side: 3 }), line = (from, to, hop = 1) => ({ from, to, hop, times: 1 });
  const label = ({ members }) => members[0];
  const picture = (nodes, lines) => ({ nodes: [node(0, 9, 0), node(1, 9, 0), ...nodes], lines, roots: [0, 1], depth: 1 });
  const ways = (made) => t.part(made, label, 0, 1).lines.map(({ way }) => way);
  assert.deepEqual(ways(picture([node(2, 5), node(3, 5)], [line(0, 2), line(1, 3)])), [1, 1]); // the same label: look deeper
  assert.deepEqual(ways(picture([node(2, 5), node(3, 6)], [line(0, 2), line(1, 3)])), [2, 2]);
  assert.deepEqual(ways(picture([node(2, 5), node(3, 5)], [line(0, 2, 1), line(1, 3, 2)])), [2, 2]);
  assert.deepEqual(ways(picture([node(2, 5), node(2, 5)], [line(0, 2), line(1, 3)])), [0, 0]);
});

test("a branch of a tree is of both sides where the other tree has one like it at the same level", () => {
  const net = six(2), tree = t.unfold(net, [0, 6], [0, 1], 2);
  const of = (k) => { const found = new Set([k]); tree.lines.forEach((line) => found.has(line.from) && found.add(line.to)); return [...found].map((i) => tree.nodes[i]); };
  const [a, b] = tree.roots.map(of), key = ({ level, cls }) => `${level}:${cls}`, keys = [a, b].map((nodes) => new Set(nodes.map(key)));
  for (const node of tree.nodes) assert.equal(node.side, (keys[0].has(key(node)) ? 1 : 0) | (keys[1].has(key(node)) ? 2 : 0));
  assert.ok(tree.nodes.some((node) => node.side === 3) && tree.nodes.some((node) => node.side === 1));
});
