// What the panel says: the headline, the reason below it, captions, an answer to a prediction. Pure functions, the same
// for a live panel and a saved page. A `case` has all that sentences are made of:
// { names, starts, titles, same, sides: [drawn targets of each], letters, seen, codes, classes, links, pills, symmetry,
//   layer, counts }

export const layersText = (k) => `${k} ${k === 1 ? "layer" : "layers"}`;
const NUMBERS = ["No", "One", "Two", "Three", "Four", "Five", "Six", "Seven", "Eight", "Nine"];
const counted = (k) => NUMBERS[k] ?? k.toLocaleString("en");
export const listOf = (words, most = 4) => {
  const shown = words.length > most ? [...words.slice(0, most - 1), `${words.length - most + 1} more`] : words;
  return shown.length < 2 ? shown.join("") : `${shown.slice(0, -1).join(", ")} and ${shown.at(-1)}`;
};

// What a method gives the network, after "with".
const GIVEN = { "DE-SPD": "distances", "DE-LP": "random walks", "DEA-SPD": "distances and K hops" };
const givenBy = (c, method) => GIVEN[method] ?? (pillOf(c, method)?.title ?? method).replace(/^DEA?-(\d+ )?/, "");

// A target set in a sentence: "v2"; "A" where it has several nodes, "A’s v0" where both sides would read the same.
const LONG_NAME = 24;
export function setNames(c) {
  const single = (nodes) => (nodes.length === 1 ? c.names[nodes[0]] : "");
  if (c.sides.length === 1) {
    const [nodes] = c.sides, rest = nodes.length > 3 ? ", …" : "";
    return [single(nodes) || `{${firstNames(c, nodes, 3)}${rest}}`];
  }
  const names = c.sides.map((nodes, k) => (single(nodes) && single(nodes).length < LONG_NAME ? single(nodes) : "AB"[k]));
  return names[0] === names[1] ? names.map((name, k) => `${"AB"[k]}’s ${name}`) : names;
}
const firstNames = (c, nodes, most) => nodes.slice(0, most).map((i) => c.names[i]).join(", ");

export function captionOf(c, k) {
  const letter = c.sides.length === 1 ? "S" : "AB"[k], nodes = c.sides[k], more = nodes.length - 6;
  const text = nodes.length ? `= {${firstNames(c, nodes, 6)}${more > 0 ? `, … ${more} more` : ""}}` : ": click a node";
  return { letter, text, title: c.sides.length === 2 && c.titles[0] !== c.titles[1] ? c.titles[k] : "" };
}

const pillOf = (c, method) => c.pills.find((pill) => pill.method === method);
const answered = (pill) => pill && "layer" in pill;

// The headline as parts, strings or { side, text }: what a student would say of the verdicts.
export function headline(c) {
  const sizes = c.sides.map((nodes) => nodes.length), who = setNames(c);
  if (sizes.length === 1) return [single(c, who[0])];
  if (sizes.includes(0)) return [`Pick a target in ${"AB"[sizes.indexOf(0)]} to compare.`];
  if (sizes[0] !== sizes[1]) {
    const targets = count(sizes[0], "target");
    return [`A has ${targets}, B has ${sizes[1]}: pick equally many in each to compare them.`];
  }
  const method = c.seen.method === "1-WL" ? c.toggle : c.seen.method;
  const plain = pillOf(c, "1-WL"), encoded = pillOf(c, method), what = givenBy(c, method);
  const a = { side: 0, text: who[0] }, b = { side: 1, text: who[1] };
  if (!answered(plain) || !(answered(encoded) || encoded?.skipped)) return ["Comparing ", a, " with ", b, " …"];
  const when = (layer) => (layer ? `after ${layersText(layer)}` : "before layer 1");
  const isBlind = plain.layer === null, plainly = isBlind ? "." : ` ${when(plain.layer)}.`;
  if (encoded.skipped) return [`A plain GNN ${isBlind ? "cannot" : "can"} tell `, a, " from ", b, plainly];
  if (isBlind && encoded.layer !== null) {
    return ["A plain GNN cannot tell ", a, " from ", b, `. With ${what} it can, ${when(encoded.layer)}.`];
  }
  if (isBlind && c.symmetry?.kind === "same") return ["Nothing can tell ", a, " from ", b, ": they play the same part."];
  if (isBlind) return [`Neither a plain GNN nor one with ${what} can tell `, a, " from ", b, "."];
  if (encoded.layer === null) return ["Even a plain GNN tells ", a, " from ", b, plainly];
  const earlier = encoded.layer < plain.layer, tail = earlier ? `; with ${what}, ${when(encoded.layer)}.` : `, without ${what}.`;
  return ["Even a plain GNN tells ", a, " from ", b, ` ${when(plain.layer)}${tail}`];
}

// One set: how many nodes are how far, or how many kinds of nodes there are after the layers shown.
function single(c, who) {
  if (!c.sides[0].length) return "Pick a target: click a node.";
  const total = c.counts.reduce((sum, [, k]) => sum + k, 0).toLocaleString("en"), kinds = c.counts.length.toLocaleString("en");
  if (c.layer) return `After ${layersText(c.layer)} the network sees ${kinds} kinds of nodes among ${total}.`;
  if (c.seen.method === "1-WL") return `To a plain GNN all ${total} nodes look alike before the first layer.`;
  if (c.seen.color_by !== "SPD" || c.sides[0].length > 1) return `${capital(c.seen.title)} for S = ${who}.`;
  const rings = c.counts.filter(([text]) => text.startsWith("distance ")).map(([text, k]) => [Number(text.slice(9)), k]);
  if (!rings.length) return `${who} cannot reach any other node.`;
  const are = (k) => (k === 1 ? "is" : "are");
  const [first, ...others] = rings.slice(0, 3).map(([far, k], i) => (i
    ? `${k.toLocaleString("en")} ${are(k)} ${far}`
    : `${count(k, "node")} ${are(k)} ${count(far, "step")} away`));
  return `From ${who}, ${listOf([first, ...others])}.`;
}
const capital = (text) => text[0].toUpperCase() + text.slice(1);

// ---- reasons -------------------------------------------------------------------------------------
// The sentences are those of expressive/sentences.toml, which de.distinguish fills in the same way (explanations.py).

const say = (name, filled = {}) => SENTENCES[name].replace(/{(\w+)}/g, (_, word) => filled[word]);
const count = (k, noun) => `${k ? k.toLocaleString("en") : "no"} ${noun}${k === 1 ? "" : "s"}`;
const nodesText = (k, hop) => (hop === 1 ? count(k, "neighbor") : `${count(k, "node")} ${hop} hops away`);
const someText = (k, hop, whose) => {
  const noun = `${hop === 1 ? "neighbor" : "node"}${k === 1 ? "" : "s"}`;
  return `${counted(k)} ${noun} ${hop === 1 ? "of" : `${hop} hops from`} ${whose}`;
};

// Why a method says what it says, in one sentence.
export function reason(c, method) {
  const pill = pillOf(c, method);
  if (!pill) return "";
  if (pill.skipped) return capital(pill.skipped) + ".";
  if (!answered(pill)) return "";
  if (pill.layer === null) return whyNot(c, method);
  if (pill.why) return pill.why; // of graphs too large to find it here
  if (method === "2-WL") {
    if (pill.layer) return say("pairs", { layers: layersText(pill.layer) });
    const inside = (nodes) => nodes.flatMap((u) => near(c, u, false).filter((v) => nodes.includes(v) && v < u)).length;
    return say("pairs_linked", { x: inside(c.sides[0]), y: inside(c.sides[1]) });
  }
  const shown = classesFor(c, pill), isKnown = KNOWN.has(method) || method === c.seen.method;
  if (pill.layer && !(isKnown && shown && pill.layer <= shown.layers)) return say("later", { layers: layersText(pill.layer) });
  if (!pill.layer && !(isKnown && (shown || c.sides[0].length === 1))) return ""; // it comes with the classes
  const cut = c.seen.cut && c.sides.flat().some((u) => near(c, u).length < near(c, u, false).length);
  return (pill.layer ? parting(c, method, shown, pill.layer) : atStart(c, method, shown)) + (cut ? say("cut") : "");
}

// Classes of both sides by a method: those that came with its pill, or those that are shown.
function classesFor(c, pill) {
  const n = c.names.length, { seen } = c;
  if (pill.method === seen.method) return { at: (layer, i) => c.classes[layer * n + i], layers: seen.layers, hops: seen.hops };
  if (!pill.classes) return null;
  const at = (layer, i) => pill.classes[sideOf(c, i)][layer][i - c.starts[sideOf(c, i)]];
  return { at, layers: pill.classes[0].length - 1, hops: pill.hops };
}

function whyNot(c, method) {
  const alike = c.symmetry;
  if (!alike) return "";
  if (alike.kind === "same") {
    const [a, b] = setNames(c), sets = c.sides.map((nodes, k) => nodes.map((i) => i - c.starts[k]).sort().join());
    if (c.same && sets[0] === sets[1]) return "A and B are the same nodes of the same graph.";
    const how = c.same ? "A symmetry of the graph takes" : "The graphs are the same up to names: a map takes";
    return `${how} ${a} to ${b}. Hover over a node to see where it goes.`;
  }
  const agree = "subtrees agree to any depth";
  if (alike.kind === "undecided") return `Their ${agree}; whether a symmetry takes one to the other was not decided.`;
  if (method === "1-WL" && alike.degree === null) return `Their plain ${agree}.`;
  if (method === "1-WL") return say("regular", { neighbors: count(alike.degree, "neighbor") });
  const family = alike.family && `${c.same ? "The graph is" : "Both graphs are"} ${alike.family}`;
  if (method === "2-WL") {
    return family ? `${family}: the color of a pair says its distance and no more.` : "The colors of all their pairs agree.";
  }
  if (family && c.sides[0].length === 1) {
    return `${family}: what lies below a node depends on its distance alone (Theorem 3.7).`;
  }
  return `Their ${agree}, with all ${givenBy(c, method)} written in.`;
}

// -- the graph around a node, and what a method knows of it
const sideOf = (c, i) => (c.starts.length > 2 && i >= c.starts[1] ? 1 : 0);
function near(c, u, cut = c.seen.cut) {
  const gone = cut ? c.sides[sideOf(c, u)] : [], all = [...c.links.list.subarray(c.links.start[u], c.links.start[u + 1])];
  return gone.includes(u) ? all.filter((v) => !gone.includes(v)) : all;
}
function distancesFrom(c, u) {
  const far = new Map([[u, 0]]);
  for (const [v, d] of far) { // it grows on the way
    for (const w of near(c, v)) if (!far.has(w)) far.set(w, d + 1);
  }
  return far;
}
const ordered = (distances) => distances.map((d) => d ?? Infinity).sort((x, y) => x - y).map((d) => (d === Infinity ? "∞" : d));
function distancesOf(c, i) { // to the targets of its side
  c.far ??= c.sides.map((nodes) => nodes.map((t) => distancesFrom(c, t)));
  return ordered(c.far[sideOf(c, i)].map((far) => far.get(i))).join(",");
}
function around(c, u, hops) { // [node, hop] within this many hops, the nearest first
  const met = new Set([u]), out = [];
  let ring = [u];
  for (let hop = 1; hop <= hops; hop++) {
    ring = [...new Set(ring.flatMap((v) => near(c, v)))].filter((v) => !met.has(v)).sort((a, b) => a - b);
    ring.forEach((v) => { met.add(v); out.push([v, hop]); });
  }
  return out;
}
const KNOWN = new Set(["1-WL", "DE-SPD", "DEA-SPD", "DE-LP"]); // what these are told of a node can be found again here
const byDistance = (method) => method === "DE-SPD" || method === "DEA-SPD";
function codeOf(c, i, method) {
  if (byDistance(method)) return distancesOf(c, i);
  return c.seen.method === method ? c.seen.labels[c.codes[i]]?.[0] ?? "" : "";
}
function listing(c, nodes, method) { // the codes of some nodes, with how often
  const codes = nodes.map((i) => codeOf(c, i, method)), value = (code) => (Number.isNaN(Number(code)) ? Infinity : Number(code));
  const words = [...new Set(codes)].sort((a, b) => value(a) - value(b) || (a < b ? -1 : 1)).map((code) => {
    const k = codes.filter((other) => other === code).length;
    return k > 1 ? `${code} (×${k})` : code;
  });
  if (byDistance(method) && c.sides[0].length === 1) return listOf(words, 6);
  return words.slice(0, 6).join("; ") + (words.length > 6 ? "; …" : "");
}

const nameOf = (c, u) => (c.same ? c.names[u] : `${c.names[u]} in ${"AB"[sideOf(c, u)]}`);
const namesOf = (c, nodes) => listOf(nodes.map((i) => c.names[i]));

// A node of each side, alike before this layer, whose (hop, class) that side has more of than the other.
function firstDifference(sides, shown, layer) {
  const now = ([i, hop]) => `${hop}:${shown.at(layer, i)}`;
  const before = ([i, hop]) => `${hop}:${layer ? shown.at(layer - 1, i) : ""}`;
  const times = (side, word) => side.filter((other) => now(other) === word).length;
  const spare = sides.map((side, k) => side.filter((node) => times(side, now(node)) > times(sides[1 - k], now(node))));
  for (const node of spare[0]) {
    const twin = spare[1].find((other) => before(other) === before(node));
    if (twin) return [node[0], twin[0]];
  }
  return [sides[0][0][0], sides[1][0][0]];
}

// Layer 0: what the targets themselves are given differs.
function atStart(c, method, shown) {
  const sides = inOrder(c), single = sides[0].length === 1, listed = () => sides.map((nodes) => listing(c, nodes, method));
  const pair = single ? sides.flat() : firstDifference(sides.map((nodes) => nodes.map((i) => [i, 0])), shown, 0);
  const [a, b] = pair.map((u) => nameOf(c, u));
  if (method === "DE-LP") return walksDiffer(c, sides, pair, [a, b]);
  if (!byDistance(method)) {
    const [x, y] = listed();
    return single ? say("has", { a, b, x: `the value ${x}`, y }) : say("values", { x, y });
  }
  const between = (nodes) => nodes.flatMap((u, i) => nodes.slice(i + 1).map((v) => distancesFrom(c, u).get(v)));
  const apart = sides.map((nodes) => ordered(between(nodes)));
  if (apart[0].join() === apart[1].join()) {
    const [x, y] = listed();
    return say("codes", { x, y });
  }
  if (apart[0].length > 1) return say("distances", { x: apart[0].join(", "), y: apart[1].join(", ") });
  const [x, y] = apart.map(([d]) => (d === "∞" ? say("no_path") : say("apart", { steps: count(d, "step") })));
  return say("two_targets", { x, y });
}
const inOrder = (c) => c.sides.map((nodes) => nodes.slice().sort((a, b) => a - b));

// The shortest walk that is at the pair with another probability.
function walksDiffer(c, sides, pair, [a, b]) {
  let walks = sides.map((nodes) => nodes.map((u) => new Map([[u, 1]])));
  for (let step = 1; step <= 12; step++) {
    walks = walks.map((side) => side.map((state) => {
      const after = new Map();
      for (const [u, chance] of state) {
        const to = near(c, u);
        to.forEach((v) => after.set(v, (after.get(v) ?? 0) + chance / to.length));
      }
      return after;
    }));
    const [left, right] = walks.map((side, k) => side.map((state) => state.get(pair[k]) ?? 0).sort((x, y) => x - y));
    if (left.every((p, k) => Math.abs(p - right[k]) < 1e-9)) continue;
    const steps = count(step, "step"), [x, y] = [left, right].map((chances) => chances.map(fraction).join(", "));
    if (left.length > 1) return say("walks", { steps, a, b, x, y });
    const often = (p) => (p === "0" ? say("never") : say("chance", { p }));
    return say("walk", { steps, a, b, x: often(x), y: often(y) });
  }
  return say("long_walks", { steps: "12 steps" });
}

export function fraction(p) {
  for (let below = 1; below <= 1000; below++) {
    const above = Math.round(p * below);
    if (Math.abs(above / below - p) < 1e-10) return below === 1 ? String(above) : `${above}/${below}`;
  }
  return String(+p.toPrecision(3));
}

// Follows the nodes that differ down to layer 1 or 2, and counts what anyone can count again in the picture.
function parting(c, method, shown, layer) {
  let sides = inOrder(c).map((nodes) => nodes.map((i) => [i, 0])), walk = [[], []];
  for (let at = layer; ; at--) {
    const pair = firstDifference(sides, shown, at);
    walk = walk.map((nodes, k) => [...nodes, pair[k]]);
    sides = pair.map((u) => around(c, u, shown.hops));
    if (at <= 2) return neighborsDiffer(c, method, shown, walk, at - 1, sides);
  }
}

// At the ends of two walks: a kind of neighbor, of one hop and class, that one node has more of than the other.
function neighborsDiffer(c, method, shown, walk, below, sides) {
  const key = ([i, hop]) => `${hop}:${shown.at(below, i)}`;
  const times = (k, word) => sides[k].filter((one) => key(one) === word).length;
  const chosen = mostTelling(c, method, sides, key, times), [, hop] = chosen, word = key(chosen);
  const nodesOf = (test) => sides.map((side) => side.filter(test).map(([i]) => i));
  const ofKind = nodesOf((one) => key(one) === word), ring = nodesOf((one) => one[1] === hop);
  const ends = walk.map((nodes) => nameOf(c, nodes.at(-1)));
  const path = (nodes) => [nameOf(c, nodes[0]), ...nodes.slice(1).map((u) => c.names[u])].join(" to ");
  const where = walk[0].length > 1 ? say("go", { a: path(walk[0]), b: path(walk[1]) }) : "";
  if (!below && ring[0].length !== ring[1].length) {
    const [x, y] = ring.map((nodes) => nodesText(nodes.length, hop));
    return where + say("has", { a: ends[0], b: ends[1], x, y });
  }
  const more = ofKind[0].length >= ofKind[1].length ? 0 : 1, less = 1 - more, some = ofKind[more], single = some.length === 1;
  const isLinked = (nodes) => nodes.some((i) => near(c, i).some((j) => nodes.includes(j)));
  const isPair = c.sides[0].length === 1 && shown.hops === 1 && walk[0].length === 1 && some.length === 2;
  if (below && isPair && method !== "1-WL" && isLinked(some) && !isLinked(ring[less])) {
    return say("linked", { a: ends[more], b: ends[less], names: namesOf(c, some) });
  }
  const differ = new Set(ring.flat().map((i) => shown.at(0, i))).size > 1, kind = differ ? kindOf(c, some[0], method) : "";
  const others = ofKind[less].length, noun = hop === 1 ? "neighbor" : "node";
  const rest = others ? say("only", { count: counted(others).toLowerCase() }) : say("no_such", { noun });
  const filled = { some: someText(some.length, hop, ends[more]), b: ends[less], rest }, names = namesOf(c, some);
  if (below) {
    const what = belowOf(c, some[0], method, shown.hops, single ? "it" : "them"), have = single ? "has" : "have";
    return where + say("below", { ...filled, names: names + (kind && `, ${kind}`), have, below: what });
  }
  const are = kind.startsWith("with") ? kind.replace("with", single ? "has" : "have") : `${single ? "is" : "are"} ${kind}`;
  return where + say("kind", { ...filled, names, are_kind: are });
}
// Of the kinds that one side has more of: the nearest, of those the ones that A has and B lacks, then the rarest in B.
function mostTelling(c, method, sides, key, times) {
  const far = (i) => distancesOf(c, i).split(",").reduce((sum, d) => sum + (d === "∞" ? 1e6 : Number(d)), 0);
  const rank = (one) => [one[1], times(0, key(one)) ? 0 : 1, times(1, key(one)), byDistance(method) ? far(one[0]) : 0];
  const isBefore = (p, q) => { const at = p.findIndex((x, k) => x !== q[k]); return at >= 0 && p[at] < q[at]; };
  const unequal = sides.flat().filter((one) => times(0, key(one)) !== times(1, key(one)));
  return unequal.reduce((best, one) => (isBefore(rank(one), rank(best)) ? one : best));
}

// What a node is by itself, and what lies around it.
function kindOf(c, i, method) {
  if (method === "DE-LP") return say("profile");
  const what = byDistance(method) ? (c.sides[0].length === 1 ? "distance" : "distance_sum") : "value";
  return say(what, { x: codeOf(c, i, method) });
}
function belowOf(c, i, method, hops, them) {
  const all = around(c, i, hops);
  if (method === "1-WL") return nodesText(all.length, 1);
  if (method === "DE-LP") return say("mix", { them });
  function how(nodes) {
    if (!byDistance(method)) return "around_values";
    if (c.sides[0].length > 1) return "around_marks";
    return new Set(nodes.map((j) => codeOf(c, j, method))).size === 1 ? "distance" : "around_distances";
  }
  const rings = [...new Set(all.map(([, hop]) => hop))].map((hop) => {
    const nodes = all.filter((one) => one[1] === hop).map(([j]) => j), who = hop === 1 ? "neighbors" : `nodes ${hop} hops away`;
    return `${who} ${say(how(nodes), { x: listing(c, nodes, method) })}`;
  });
  return rings.join(" and ") || "no neighbors";
}

// Whether a prediction was right: by what was expected, else by the verdict. -> "" where it cannot be judged
export function judged(reply, expected, pill) {
  const said = reply.trim().toLowerCase(), first = said.split(/[\s,.;!]+/)[0], digits = said.match(/\d+/)?.[0];
  const never = ["never", "no", "none", "infinite", "infinitely"];
  if (expected) return said.includes(expected.toLowerCase()) ? "right" : "wrong";
  if (!pill || !("layer" in pill)) return "";
  if (digits !== undefined) return Number(digits) === pill.layer ? "right" : "wrong";
  if (first === "yes" || first === "y") return pill.layer === null ? "wrong" : "right";
  if (never.includes(first) || said.includes("never")) return pill.layer === null ? "right" : "wrong";
  return "";
}
