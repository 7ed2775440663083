// What a GNN computes along: the unrolled subtrees of the targets, as trees or folded, compared and in words. Pure functions.
// Python gives classes after every layer; the rest is done on the page, so that a reader can step and toggle without a kernel.

// net: { indptr, indices, tags, classes, codes }; the class of node u after l layers is classes[l * n + u].
const classOf = (net, layer, u) => net.classes[layer * (net.indptr.length - 1) + u];

// The neighbors of u that differ in hop or in class after `layer` layers: [{ hop, cls, nodes }], in drawing order.
export function neighbors(net, u, layer) {
  const groups = new Map();
  for (let e = net.indptr[u]; e < net.indptr[u + 1]; e++) {
    const hop = net.tags[e] ?? 1, w = net.indices[e];
    const cls = classOf(net, layer, w), key = hop + ":" + cls;
    groups.get(key)?.nodes.push(w) ?? groups.set(key, { hop, cls, nodes: [w] });
  }
  const code = (g) => net.codes[g.nodes[0]];
  return [...groups.values()].sort((a, b) => a.hop - b.hop || code(a) - code(b) || a.cls - b.cls);
}

// Subtrees `depth` deep, equal ones as one node; sides[k] is the side (0 or 1) of root k.
// -> nodes { level, cls, members: graph nodes, side: 1 only A, 2 only B, 3 both }, lines { from, to, hop, times }
export function fold(net, roots, sides, depth) {
  const nodes = [], lines = [];
  let level = new Map(), tops = [];
  const enter = (level_, depth_, cls, members, side) => {
    if (!level_.has(cls)) {
      level_.set(cls, nodes.length);
      nodes.push({ level: depth_, cls, members: new Set(), side: 0 });
    }
    const node = nodes[level_.get(cls)];
    members.forEach((u) => node.members.add(u));
    node.side |= side;
    return level_.get(cls);
  };
  tops = roots.map((u, k) => enter(level, 0, classOf(net, depth, u), [u], 1 << sides[k]));
  for (let k = 0; k < depth; k++) {
    const next = new Map();
    for (const i of level.values()) {
      let first = true;
      for (const u of nodes[i].members) {
        for (const { hop, cls, nodes: these } of neighbors(net, u, depth - k - 1)) {
          const child = enter(next, k + 1, cls, these, nodes[i].side);
          if (first) lines.push({ from: i, to: child, hop, times: these.length });
        }
        first = false;
      }
    }
    level = next;
  }
  nodes.forEach((node) => { node.members = [...node.members].sort((a, b) => a - b); });
  return { nodes, lines, roots: tops, depth };
}

// How many leaves the merged trees of a folded graph have: what a tree needs of the width.
export function leaves(folded) {
  const count = folded.nodes.map(() => 0);
  const below = folded.nodes.map(() => []);
  folded.lines.forEach((line) => below[line.from].push(line.to));
  for (let i = folded.nodes.length - 1; i >= 0; i--) count[i] = Math.max(1, below[i].reduce((sum, j) => sum + count[j], 0));
  return folded.roots.reduce((sum, i) => sum + count[i], 0);
}

// The same subtrees as trees, equal siblings merged: every node has one parent.
export function unfold(net, roots, sides, depth) {
  const nodes = [], lines = [];
  const grow = (members, side, level, parent, hop) => {
    const i = nodes.length;
    nodes.push({ level, cls: classOf(net, depth - level, members[0]), members, side });
    if (parent >= 0) lines.push({ from: parent, to: i, hop, times: members.length });
    if (level < depth)
      for (const below of neighbors(net, members[0], depth - level - 1)) grow(below.nodes, side, level + 1, i, below.hop);
    return i;
  };
  const tops = roots.map((u, k) => grow([u], 1 << sides[k], 0, -1, 0));
  const sidesOf = new Map(), key = (node) => node.level + ":" + node.cls; // of both trees
  nodes.forEach((node) => sidesOf.set(key(node), (sidesOf.get(key(node)) ?? 0) | node.side));
  nodes.forEach((node) => { node.side = sidesOf.get(key(node)); });
  return { nodes, lines, roots: tops, depth };
}

// Marks the lines on the way to where the subtrees of nodes a and b part (way: 1), and those at which they do (way: 2).
// Of the branches that one side lacks, those with equal labels are paired, so that the deepest cause is found.
export function part(picture, label, a, b) {
  const below = picture.nodes.map(() => []), { nodes } = picture;
  picture.lines.forEach((line) => { line.way = 0; below[line.from].push(line); });
  const key = (line) => line.hop + ":" + nodes[line.to].cls;
  const spare = (these, others) => {
    const have = new Map();
    others.forEach((line) => have.set(key(line), (have.get(key(line)) ?? 0) + line.times));
    return these.map((line) => {
      const shared = Math.min(have.get(key(line)) ?? 0, line.times);
      have.set(key(line), (have.get(key(line)) ?? 0) - shared);
      return { line, count: line.times - shared };
    }).filter(({ count }) => count);
  };
  const todo = nodes[a].cls === nodes[b].cls ? [] : [[a, b]], seen = new Set([a + ":" + b]);
  while (todo.length) {
    const [i, j] = todo.pop(), left = spare(below[i], below[j]), right = spare(below[j], below[i]);
    for (const one of left) {
      for (const twin of right) {
        const paired = Math.min(one.count, twin.count), pair = one.line.to + ":" + twin.line.to;
        if (!paired || twin.line.hop !== one.line.hop || label(nodes[twin.line.to]) !== label(nodes[one.line.to])) continue;
        one.count -= paired;
        twin.count -= paired;
        one.line.way ||= 1;
        twin.line.way ||= 1;
        if (!seen.has(pair)) { seen.add(pair); todo.push([one.line.to, twin.line.to]); }
      }
    }
    [...left, ...right].forEach(({ line, count }) => { if (count) line.way = 2; });
  }
  return picture;
}

// Keeps at most `most` nodes a level: those on the way to a parting first, then those that most walks reach. One node with
// `more` stands for the rest of its level.
export function trim(picture, most) {
  const { nodes, lines } = picture, walks = nodes.map(() => 0), way = nodes.map(() => 0);
  picture.roots.forEach((i) => { walks[i] = 1; });
  lines.forEach((line) => {
    walks[line.to] += walks[line.from] * line.times;
    way[line.to] = Math.max(way[line.to], line.way);
  });
  const kept = new Map(), out = { ...picture, nodes: [], lines: [] }, rest = new Map();
  for (let level = 0; level <= picture.depth; level++) {
    const here = nodes.map((_, i) => i).filter((i) => nodes[i].level === level);
    const room = here.length > most ? most - 1 : most;
    const chosen = new Set(here.slice().sort((i, j) => way[j] - way[i] || walks[j] - walks[i] || i - j).slice(0, room));
    here.filter((i) => chosen.has(i)).forEach((i) => {
      kept.set(i, out.nodes.length);
      out.nodes.push(nodes[i]);
    });
    const others = here.filter((i) => !chosen.has(i)), members = [...new Set(others.flatMap((i) => nodes[i].members))];
    if (!others.length) continue;
    rest.set(level, out.nodes.length);
    out.nodes.push({ level, cls: -1, members, side: 3, more: others.length, of: here.length });
  }
  const pooled = new Map(), at = (i) => kept.get(i) ?? rest.get(nodes[i].level);
  for (const line of lines) {
    const from = at(line.from), to = at(line.to), key = from + ":" + to;
    if (kept.has(line.from) && kept.has(line.to)) {
      out.lines.push({ ...line, from, to });
      continue;
    }
    if (!pooled.has(key)) pooled.set(key, { from, to, hop: 1, times: 0, way: 0, many: !kept.has(line.from) });
    pooled.get(key).times += line.times;
  }
  out.lines.push(...pooled.values()); // how many lines leave a node that stands for many says nothing: many
  out.roots = picture.roots.map((i) => kept.get(i));
  return out;
}

// The multiset that a root takes in, as text: "{1a ×2, 1b}".
export function gathered(picture, root, mark, most = 8) {
  const all = picture.lines.filter((line) => line.from === root), node = (line) => picture.nodes[line.to];
  const word = (line) => (node(line).more ? `${node(line).more} others` : mark(node(line)) || "●");
  const listed = all.slice(0, most).map((line) => {
    const times = line.times > 1 ? ` ×${line.times}` : "", far = line.hop > 1 ? ` at ${line.hop} hops` : "";
    return word(line) + times + far;
  });
  if (all.length > most) listed.push(`… ${all.length - most} more`);
  return `{${listed.join(", ")}}`;
}
