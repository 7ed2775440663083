// Subtrees folded, unfolded, compared, trimmed and placed: against slow and obvious versions on random graphs.
import assert from "node:assert/strict";
import { test } from "node:test";
import { load } from "./load.mjs";
import { chance, HEXAGON, neighborsOf, numbered, randomEdges, range, refine, TRIANGLES, withinHops } from "./worlds.mjs";

const t = await load("folding", "layers");

function netOf(edges, n, codes, layers, hops = 1) {
  const arcs = withinHops(neighborsOf(edges, n), hops).map((list) => list.sort((a, b) => a[1] - b[1])), indptr = [0];
  arcs.forEach((list) => indptr.push(indptr.at(-1) + list.length));
  return {
    indptr, indices: arcs.flat().map(([v]) => v), tags: hops > 1 ? arcs.flat().map(([, hop]) => hop) : [],
    classes: refine(neighborsOf(edges, n), codes, layers, hops).flat(), codes, n, arcs,
  };
}
// Two triangles and a hexagon, by the distance to node 0 of each.
const FAR = [0, 1, 1, 9, 9, 9, 0, 1, 2, 3, 2, 1];
const six = (layers) => netOf([...TRIANGLES, ...HEXAGON.map(([u, v]) => [u + 6, v + 6])], 12, FAR, layers);
const label = ({ members }) => FAR[members[0]];
const levelsOf = (picture) => range(picture.depth + 1).map((level) => picture.nodes.filter((node) => node.level === level));

function randomCase(seed) {
  const random = chance(seed), n = 5 + random.integer(5), depth = random.integer(4), hops = 1 + (seed % 3);
  const net = netOf(randomEdges(n, 0.35, random), n, range(n).map(() => random.integer(2)), depth, hops);
  const roots = random.shuffled(range(n)).slice(0, 2);
  const cls = (layer, u) => net.classes[layer * n + u];
  return { net, depth, roots, cls, picture: (make) => make(net, roots, [0, 1], depth) };
}
const inOrder = (list) => list.map((item) => JSON.stringify(item)).sort();

test("folded: each level holds one disc a class, with all nodes that walks from the roots reach, and whose walks they are", () => {
  for (let seed = 0; seed < 60; seed++) {
    const { net, depth, roots, cls, picture } = randomCase(seed), folded = picture(t.fold), levels = levelsOf(folded);
    let reached = roots.map((root) => new Set([root]));
    range(depth + 1).forEach((level) => {
      const all = new Set(reached.flatMap((nodes) => [...nodes])), kinds = new Set([...all].map((u) => cls(depth - level, u)));
      const wanted = [...kinds].map((kind) => {
        const members = [...all].filter((u) => cls(depth - level, u) === kind).sort((a, b) => a - b);
        return [members, reached.reduce((side, nodes, k) => side | (members.some((u) => nodes.has(u)) ? 1 << k : 0), 0)];
      });
      assert.deepEqual(inOrder(levels[level].map(({ members, side }) => [members, side])), inOrder(wanted));
      reached = reached.map((nodes) => new Set([...nodes].flatMap((u) => net.arcs[u].map(([v]) => v))));
    });
    folded.nodes.forEach((node, i) => { // a line for each hop and class that a node gathers, with how often
      const heard = node.level < depth ? net.arcs[node.members[0]].map(([v, hop]) => `${hop} ${cls(depth - node.level - 1, v)}`) : [];
      const lines = folded.lines.filter((line) => line.from === i).map((line) => [`${line.hop} ${folded.nodes[line.to].cls}`, line.times]);
      assert.deepEqual(inOrder(lines), inOrder([...new Set(heard)].map((kind) => [kind, heard.filter((other) => other === kind).length])));
      assert.ok(folded.lines.every((line) => folded.nodes[line.to].level === folded.nodes[line.from].level + 1));
    });
    assert.deepEqual(folded.roots.map((i) => folded.nodes[i].cls), roots.map((u) => cls(depth, u)));
  }
});

test("as trees: one parent each, equal siblings merged, and as many leaves as the folded picture says", () => {
  for (let seed = 0; seed < 60; seed++) {
    const { net, depth, roots, cls, picture } = randomCase(seed), tree = picture(t.unfold), folded = picture(t.fold);
    const below = (u, level) => (level < depth ? t.neighbors(net, u, depth - level - 1) : []);
    const count = (u, level) => below(u, level).reduce((sum, { nodes }) => sum + count(nodes[0], level + 1), 1);
    assert.equal(tree.nodes.length, roots.reduce((sum, u) => sum + count(u, 0), 0));
    assert.deepEqual(tree.lines.map(({ to }) => to).sort((a, b) => a - b), range(tree.nodes.length).filter((i) => !tree.roots.includes(i)));
    for (const { from, to, hop, times } of tree.lines) {
      const [parent, child] = [tree.nodes[from], tree.nodes[to]];
      const heard = net.arcs[parent.members[0]].filter(([, far]) => far === hop).map(([v]) => v);
      assert.deepEqual([...child.members].sort(), heard.filter((v) => cls(depth - child.level, v) === child.cls).sort());
      assert.deepEqual([child.level, times], [parent.level + 1, child.members.length]);
    }
    const parents = new Set(tree.lines.map(({ from }) => from));
    assert.equal(tree.nodes.filter((_, i) => !parents.has(i)).length, t.leaves(folded));
    const keys = tree.roots.map((root) => { // of all discs below a root
      const below = new Set([root]);
      tree.lines.forEach(({ from, to }) => below.has(from) && below.add(to));
      return new Set([...below].map((i) => `${tree.nodes[i].level} ${tree.nodes[i].cls}`));
    });
    for (const node of tree.nodes) assert.equal(
      node.side, keys.reduce((side, here, k) => side | (here.has(`${node.level} ${node.cls}`) ? 1 << k : 0), 0)
    );
  }
  assert.deepEqual(t.unfold(six(2), [6], [0], 2).nodes.map((node) => node.members), [[6], [7, 11], [6], [8]]);
});

test("a node's neighbors come by hop, then by label", () => {
  const net = { indptr: [0, 4], indices: [0, 1, 2, 3], tags: [2, 1, 1, 1], classes: [7, 5, 4, 5], codes: [0, 1, 0, 1] };
  assert.deepEqual(
    t.neighbors({ ...net, indptr: [0, 4, 4, 4, 4] }, 0, 0).map(({ hop, cls, nodes }) => [hop, cls, nodes]),
    [[1, 4, [2]], [1, 5, [1, 3]], [2, 7, [0]]]
  );
});

test("where classes differ some line is dashed, where they are equal none, and all marked lines hang together", () => {
  for (let seed = 0; seed < 80; seed++) {
    const { net, depth, picture } = randomCase(seed), code = ({ members }) => net.codes[members[0]];
    for (const make of [t.fold, t.unfold]) {
      const { nodes, lines, roots } = t.part(picture(make), code, ...picture(make).roots), [a, b] = roots.map((i) => nodes[i]);
      const marked = lines.filter(({ way }) => way), reached = new Set(roots);
      for (let k = 0; k < depth; k++) lines.forEach(({ from, to, way }) => { if (way && reached.has(from)) reached.add(to); });
      assert.ok(marked.every(({ from }) => reached.has(from)));
      if (a.cls === b.cls) assert.equal(marked.length, 0);
      else if (code(a) === code(b) && depth) assert.ok(marked.length > 0);
    }
  }
});

test("branches are paired by label and hop, as often as both sides have them", () => {
  const node = (cls, name, level = 1) => ({ level, cls, members: [name], side: 3 });
  const line = (from, to, hop = 1, times = 1) => ({ from, to, hop, times });
  const ways = (nodes, lines) => t.part(
    { nodes: [node(0, 9, 0), node(1, 9, 0), ...nodes], lines, roots: [0, 1], depth: 1 }, ({ members }) => members[0], 0, 1
  ).lines.map(({ way }) => way);
  assert.deepEqual(ways([node(2, 5), node(3, 5)], [line(0, 2), line(1, 3)]), [1, 1]); // the same label: look deeper
  assert.deepEqual(ways([node(2, 5), node(3, 6)], [line(0, 2), line(1, 3)]), [2, 2]);
  assert.deepEqual(ways([node(2, 5), node(3, 5)], [line(0, 2, 1), line(1, 3, 2)]), [2, 2]);
  assert.deepEqual(ways([node(2, 5), node(2, 5)], [line(0, 2), line(1, 3)]), [0, 0]);
  assert.deepEqual(ways([node(2, 5), node(2, 5)], [line(0, 2, 1, 3), line(1, 3, 1, 2)]), [2, 0]); // one has more of them
  assert.deepEqual(ways([node(2, 5), node(3, 5)], [line(0, 2, 1, 2), line(1, 3, 1, 3)]), [1, 2]);
  assert.deepEqual(ways([node(2, 5), node(2, 5), node(3, 5)], [line(0, 2, 1, 2), line(1, 3), line(1, 4)]), [1, 0, 1]);
});

test("too wide a level keeps what leads to a parting, then what most walks reach; one disc stands for the rest", () => {
  let trimmed = 0;
  for (let seed = 0; seed < 60; seed++) {
    const { net, picture } = randomCase(seed);
    const whole = t.part(picture(t.fold), ({ members }) => net.codes[members[0]], ...picture(t.fold).roots);
    const most = 3, kept = t.trim(whole, most);
    const walks = whole.nodes.map(() => 0), way = whole.nodes.map(() => 0);
    whole.roots.forEach((i) => { walks[i] = 1; });
    whole.lines.forEach(({ from, to, times, way: marked }) => { walks[to] += walks[from] * times; way[to] = Math.max(way[to], marked); });
    levelsOf(kept).forEach((level, k) => {
      const all = range(whole.nodes.length).filter((i) => whole.nodes[i].level === k);
      const [rest] = level.filter(({ more }) => more), room = all.length > most ? most - 1 : most;
      const best = k ? all.slice().sort((i, j) => way[j] - way[i] || walks[j] - walks[i] || i - j).slice(0, room) : all;
      assert.deepEqual(level.filter(({ more }) => !more), all.filter((i) => best.includes(i)).map((i) => whole.nodes[i]));
      assert.equal(Boolean(rest), all.length > best.length);
      if (!rest) return;
      trimmed++;
      const others = all.filter((i) => !best.includes(i));
      assert.deepEqual(
        [rest.more, rest.of, rest.side, [...rest.members].sort()],
        [others.length, all.length, 3, [...new Set(others.flatMap((i) => whole.nodes[i].members))].sort()]
      );
    });
    const place = (i) => kept.nodes.findIndex((node) => (node.more ? node.level === whole.nodes[i].level : node === whole.nodes[i]));
    const total = (lines, from, to) => lines.filter((line) => line.from === from && line.to === to).reduce((sum, { times }) => sum + times, 0);
    const moved = whole.lines.map((line) => ({ ...line, from: place(line.from), to: place(line.to) }));
    for (const { from, to } of moved) assert.equal(total(kept.lines, from, to), total(moved, from, to));
    for (const line of kept.lines) assert.equal(Boolean(line.many), Boolean(kept.nodes[line.from].more));
    assert.deepEqual(kept.roots, whole.roots.map(place));
  }
  assert.ok(trimmed > 10);
});

test("the multiset that a root takes in is written out, with counts, hops, and how many are left out", () => {
  const mark = ({ cls }) => ["", "1a", "2b"][cls], node = (cls, more) => ({ cls, more });
  const picture = {
    nodes: [node(0), node(1), node(2), node(0), node(0, 7)],
    lines: [[1, 1, 1], [2, 3, 1], [3, 1, 2], [4, 2, 1]].map(([to, times, hop]) => ({ from: 0, to, times, hop })),
  };
  assert.equal(t.gathered(picture, 0, mark), "{1a, 2b ×3, ● at 2 hops, 7 others ×2}");
  assert.match(t.gathered(picture, 0, mark, 3), /^\{1a, 2b ×3, ● at 2 hops, .*\b1 more\}$/);
  assert.equal(t.gathered(picture, 1, mark), "{}");
  assert.equal(
    (t.gathered({ nodes: picture.nodes, lines: range(9).map(() => ({ from: 0, to: 1, times: 1, hop: 1 })) }, 0, mark).match(/1a/g)).length,
    8
  );
});

test("places: level below level, no two discs at one place, A left of B, children below their parents", () => {
  const box = { left: 50, right: 400, top: 40, bottom: 300 };
  for (let seed = 0; seed < 60; seed++) for (const [make, form] of [[t.fold, "folded"], [t.unfold, "tree"]]) {
    const { net, depth, picture } = randomCase(seed), made = picture(make);
    const code = ({ members }) => net.codes[members[0]], spots = t.arrange(made, box, form, code);
    const step = depth ? Math.min(150, 260 / depth) : 0;
    spots.forEach((a, i) => {
      assert.ok(a.x >= box.left - 1e-6 && a.x <= box.right + 1e-6 && Math.abs(a.y - 40 - step * made.nodes[i].level) < 1e-6);
      spots.slice(0, i).forEach((b) => assert.ok(a.y !== b.y || Math.abs(a.x - b.x) >= Math.min(a.gap, b.gap) - 1e-6));
    });
    if (form === "tree") {
      range(made.nodes.length).forEach((i) => {
        const below = made.lines.filter(({ from }) => from === i).map(({ to }) => spots[to].x);
        if (below.length) assert.ok(Math.abs(spots[i].x - (below[0] + below.at(-1)) / 2) < 1e-6); // in the middle above them
      });
      assert.ok(spots[made.roots[0]].x < spots[made.roots[1]].x && spots.every(({ gap }) => gap <= 84));
      const parent = (i) => made.lines.find(({ to }) => to === i)?.from ?? -1 - i, root = (i) => (parent(i) < 0 ? i : root(parent(i)));
      const leaves = range(made.nodes.length).filter((i) => made.lines.every(({ from }) => from !== i)).sort((i, j) => spots[i].x - spots[j].x);
      const steps = leaves.slice(1).map((i, k) => {
        const usual = parent(i) === parent(leaves[k]) ? 1 : root(i) === root(leaves[k]) ? 1.3 : 1.7; // siblings stand closer
        return (spots[i].x - spots[leaves[k]].x) / usual;
      });
      assert.ok(Math.max(...steps) - Math.min(...steps) < 1e-6);
    } else {
      levelsOf(made).forEach((level) => { // what only A has, what both have, what only B has; by label
        const left = level.map((node) => [[0, 0, 2, 1][node.side], code(node), spots[made.nodes.indexOf(node)].x]).sort((a, b) => a[2] - b[2]);
        left.slice(1).forEach(([side, own], k) => assert.ok(side > left[k][0] || (side === left[k][0] && own >= left[k][1])));
        left.forEach(([, , x], k) => assert.ok(Math.abs(x - (50 + (350 * (k + 0.5)) / left.length)) < 1e-6));
      });
    }
  }
});

test("a text on a line keeps clear of every box, nearest to its middle, or is absent", () => {
  const a = { x: 0, y: 0 }, b = { x: 0, y: 100 };
  for (const [from, to, y] of [
    [300, 301, 50], [40, 43, 50], [45, 50, 58], [50, 55, 42], [45, 55, 34], [30, 55, 66], [38, 62, 27], [30, 60, 73],
  ]) {
    assert.equal(t.spotAlong(a, b, 0, 10, [[-5, from, 5, to]]).y, y, `${from} to ${to}`);
  }
  assert.equal(t.spotAlong(a, b, 0, 10, [[-50, 0, 50, 100]]), null);
  assert.deepEqual(t.spotAlong(a, b, 20, 10, []), { x: 10, y: 50, box: [4, 43, 16, 57] });
  assert.deepEqual([0, 0.5, 1].map((share) => t.along(a, b, 20, share)), [[0, 0], [10, 50], [0, 100]]);
  assert.deepEqual(
    [
      [0, 0, 5, 5], [0, 0, 5, 11], [21, 0, 30, 30], [15, 15, 16, 16], [0, 20, 30, 30], [0, 0, 10, 30],
    ].map((box) => t.apart(box, [10, 10, 20, 20])),
    [true, true, true, false, true, true]
  );
});
