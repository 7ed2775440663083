// What the panel says: the headline, the reason below it, captions, an answer to a prediction. Pure functions, the same for
// a live panel and a saved page. A `case` has all that sentences are made of:
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
export function setNames(c) {
  if (c.sides.length === 1) return c.sides.map((nodes) => (nodes.length === 1 ? c.names[nodes[0]] : `{${listNames(c, nodes)}}`));
  const plain = c.sides.map((nodes, k) => (nodes.length === 1 && c.names[nodes[0]].length < 24 ? c.names[nodes[0]] : "AB"[k]));
  return plain[0] === plain[1] ? plain.map((name, k) => `${"AB"[k]}’s ${name}`) : plain;
}
const listNames = (c, nodes) => nodes.slice(0, 3).map((i) => c.names[i]).join(", ") + (nodes.length > 3 ? ", …" : "");

export function captionOf(c, k) {
  const letter = c.sides.length === 1 ? "S" : "AB"[k], nodes = c.sides[k], title = c.titles[k];
  const set = nodes.length ? `= {${nodes.slice(0, 6).map((i) => c.names[i]).join(", ")}${nodes.length > 6 ? `, … ${nodes.length - 6} more` : ""}}` : ": click a node";
  return { letter, text: set, title: c.sides.length === 2 && c.titles[0] !== c.titles[1] ? title : "" };
}

const pillOf = (c, method) => c.pills.find((pill) => pill.method === method);
const answered = (pill) => pill && "layer" in pill;

// The headline as parts, strings or { side, text }: what a student would say of the verdicts.
export function headline(c) {
  const sizes = c.sides.map((nodes) => nodes.length), who = setNames(c);
  if (sizes.length === 1) return [single(c, who[0])];
  if (sizes.includes(0)) return [`Pick a target in ${"AB"[sizes.indexOf(0)]} to compare.`];
  if (sizes[0] !== sizes[1]) return [`A has ${sizes[0]} ${sizes[0] > 1 ? "targets" : "target"}, B has ${sizes[1]}: pick equally many in each to compare them.`];
  const a = { side: 0, text: who[0] }, b = { side: 1, text: who[1] }, plain = pillOf(c, "1-WL");
  const method = c.seen.method === "1-WL" ? c.toggle : c.seen.method, encoded = pillOf(c, method), what = givenBy(c, method);
  const when = (layer) => (layer === 0 ? "before layer 1" : `after ${layersText(layer)}`);
  if (!answered(plain) || !encoded || !(answered(encoded) || encoded.skipped)) return ["Comparing ", a, " with ", b, " …"];
  if (encoded.skipped) return [plain.layer === null ? "A plain GNN cannot tell " : "A plain GNN can tell ", a, " from ", b, plain.layer === null ? "." : ` ${when(plain.layer)}.`];
  if (plain.layer === null && encoded.layer !== null) return ["A plain GNN cannot tell ", a, " from ", b, `. With ${what} it can, ${when(encoded.layer)}.`];
  if (plain.layer !== null && encoded.layer !== null) {
    const tail = encoded.layer < plain.layer ? `; with ${what}, ${when(encoded.layer)}.` : `, without ${what}.`;
    return ["Even a plain GNN tells ", a, " from ", b, ` ${when(plain.layer)}${tail}`];
  }
  if (plain.layer !== null) return ["Even a plain GNN tells ", a, " from ", b, ` ${when(plain.layer)}.`];
  if (c.symmetry?.kind === "same") return ["Nothing can tell ", a, " from ", b, ": they play the same part."];
  return [`Neither a plain GNN nor one with ${what} can tell `, a, " from ", b, "."];
}

// One set: how many nodes are how far, or how many kinds of nodes there are after the layers shown.
function single(c, who) {
  if (!c.sides[0].length) return "Pick a target: click a node.";
  const total = c.counts.reduce((sum, [, count]) => sum + count, 0);
  if (c.layer) return `After ${layersText(c.layer)} the network sees ${c.counts.length.toLocaleString("en")} kinds of nodes among ${total.toLocaleString("en")}.`;
  if (c.seen.method === "1-WL") return `To a plain GNN all ${total.toLocaleString("en")} nodes look alike before the first layer.`;
  if (c.seen.color_by !== "SPD" || c.sides[0].length > 1) return `${capital(c.seen.title)} for S = ${who}.`;
  const steps = c.counts.filter(([text]) => text.startsWith("distance ")).slice(0, 3);
  const parts = steps.map(([text, count], i) => { const d = Number(text.slice(9)), are = count === 1 ? "is" : "are"; return `${count.toLocaleString("en")} ${i ? are : `${count === 1 ? "node" : "nodes"} ${are}`} ${d}${i ? "" : ` ${d === 1 ? "step" : "steps"} away`}`; });
  return parts.length ? `From ${who}, ${listOf(parts)}.` : `${who} cannot reach any other node.`;
}
const capital = (text) => text[0].toUpperCase() + text.slice(1);

// ---- reasons -------------------------------------------------------------------------------------
// The sentences are those of expressive/sentences.toml, which de.distinguish fills in the same way (explanations.py).

const say = (name, filled = {}) => SENTENCES[name].replace(/{(\w+)}/g, (_, word) => filled[word]);
const count = (k, noun) => `${k ? k.toLocaleString("en") : "no"} ${noun}${k === 1 ? "" : "s"}`;
const nodesText = (k, hop) => (hop === 1 ? count(k, "neighbor") : `${count(k, "node")} ${hop} hops away`);
const someText = (k, hop, whose) => `${counted(k)} ${hop === 1 ? `neighbor${k === 1 ? "" : "s"} of` : `node${k === 1 ? "" : "s"} ${hop} hops from`} ${whose}`;

// Why a method says what it says, in one sentence.
export function reason(c, method) {
  const pill = pillOf(c, method);
  if (!pill) return "";
  if (pill.skipped) return capital(pill.skipped) + ".";
  if (!answered(pill)) return "";
  if (pill.layer === null) return whyNot(c, method);
  if (pill.why) return pill.why; // of graphs too large to find it here
  if (method === "2-WL") {
    const linked = c.sides.map((nodes) => nodes.reduce((sum, u) => sum + near(c, u, false).filter((v) => nodes.includes(v)).length, 0) / 2);
    return pill.layer ? say("pairs", { layers: layersText(pill.layer) }) : say("pairs_linked", { x: linked[0], y: linked[1] });
  }
  const shown = classesFor(c, pill), single = c.sides[0].length === 1;
  if (!pill.layer && ((!shown && !single) || !(KNOWN.has(method) || method === c.seen.method))) return ""; // it comes with the classes
  if (pill.layer && (!shown || pill.layer > shown.layers || !(KNOWN.has(method) || method === c.seen.method))) return say("later", { layers: layersText(pill.layer) });
  const cut = c.seen.cut && c.sides.flat().some((u) => near(c, u).length < near(c, u, false).length);
  return (pill.layer ? parting(c, method, shown, pill.layer) : atStart(c, method, shown)) + (cut ? say("cut") : "");
}

// Classes of both sides by a method: those that came with its pill, or those that are shown.
function classesFor(c, pill) {
  const n = c.names.length;
  if (pill.method === c.seen.method) return { at: (layer, i) => c.classes[layer * n + i], layers: c.seen.layers, hops: c.seen.hops };
  if (!pill.classes) return null;
  return { at: (layer, i) => pill.classes[sideOf(c, i)][layer][i - c.starts[sideOf(c, i)]], layers: pill.classes[0].length - 1, hops: pill.hops };
}

function whyNot(c, method) {
  const alike = c.symmetry;
  if (!alike) return "";
  if (alike.kind === "same") {
    if (c.same && c.sides[0].map((i) => i - c.starts[0]).sort().join() === c.sides[1].map((i) => i - c.starts[1]).sort().join()) return "A and B are the same nodes of the same graph.";
    const how = c.same ? "A symmetry of the graph takes" : "The graphs are the same up to names: a map takes", who = setNames(c);
    return `${how} ${who[0]} to ${who[1]}. Hover over a node to see where it goes.`;
  }
  if (alike.kind === "undecided") return "Their subtrees agree to any depth; whether a symmetry takes one to the other was not decided.";
  const graphs = c.same ? "The graph is" : "Both graphs are";
  if (method === "1-WL") return alike.degree === null ? "Their plain subtrees agree to any depth." : say("regular", { neighbors: count(alike.degree, "neighbor") });
  if (alike.family && method === "2-WL") return `${graphs} ${alike.family}: the color of a pair says its distance and no more.`;
  if (alike.family && c.sides[0].length === 1) return `${graphs} ${alike.family}: what lies below a node depends on its distance alone (Theorem 3.7).`;
  return method === "2-WL" ? "The colors of all their pairs agree." : `Their subtrees agree to any depth, with all ${givenBy(c, method)} written in.`;
}

// -- the graph around a node, and what a method knows of it
const sideOf = (c, i) => (c.starts.length > 2 && i >= c.starts[1] ? 1 : 0);
function near(c, u, cut = c.seen.cut) {
  const gone = cut ? c.sides[sideOf(c, u)] : [], inside = gone.includes(u), out = [];
  for (let e = c.links.start[u]; e < c.links.start[u + 1]; e++) if (!inside || !gone.includes(c.links.list[e])) out.push(c.links.list[e]);
  return out;
}
function distancesFrom(c, u) {
  const far = new Map([[u, 0]]);
  for (let ring = [u]; ring.length;) {
    const next = [];
    for (const v of ring) for (const w of near(c, v)) if (!far.has(w)) { far.set(w, far.get(v) + 1); next.push(w); }
    ring = next;
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
const codeOf = (c, i, method) => (byDistance(method) ? distancesOf(c, i) : c.seen.method === method ? c.seen.labels[c.codes[i]]?.[0] ?? "" : "");
function listing(c, nodes, method) {
  const codes = nodes.map((i) => codeOf(c, i, method)), value = (code) => (Number.isNaN(Number(code)) ? Infinity : Number(code));
  const words = [...new Set(codes)].sort((a, b) => value(a) - value(b) || (a < b ? -1 : 1)).map((code) => { const k = codes.filter((other) => other === code).length; return k > 1 ? `${code} (×${k})` : code; });
  return byDistance(method) && c.sides[0].length === 1 ? listOf(words, 6) : words.slice(0, 6).join("; ") + (words.length > 6 ? "; …" : "");
}

const nameOf = (c, u) => (c.same ? c.names[u] : `${c.names[u]} in ${"AB"[sideOf(c, u)]}`);
const namesOf = (c, nodes) => listOf(nodes.map((i) => c.names[i]));

// A node of each side, alike before this layer, whose (hop, class) that side has more of than the other.
function firstDifference(sides, shown, layer) {
  const key = (at) => ([i, hop]) => `${hop}:${at < 0 ? 0 : shown.at(at, i)}`, now = key(layer), before = key(layer - 1);
  const times = (side, word) => side.filter((one) => now(one) === word).length;
  const spare = sides.map((side, k) => side.filter((one) => times(side, now(one)) > times(sides[1 - k], now(one))));
  for (const one of spare[0]) { const twin = spare[1].find((other) => before(other) === before(one)); if (twin) return [one[0], twin[0]]; }
  return [sides[0][0][0], sides[1][0][0]];
}

// Layer 0: what the targets themselves are given differs.
function atStart(c, method, shown) {
  const sides = c.sides.map((nodes) => nodes.slice().sort((a, b) => a - b)), pair = sides[0].length === 1 ? sides.flat() : firstDifference(sides.map((nodes) => nodes.map((i) => [i, 0])), shown, 0), who = pair.map((u) => nameOf(c, u));
  if (method === "DE-LP") return walksDiffer(c, sides, pair, who);
  if (!byDistance(method)) {
    const [x, y] = sides.map((nodes) => listing(c, nodes, method));
    return sides[0].length === 1 ? say("has", { a: who[0], b: who[1], x: `the value ${x}`, y }) : say("values", { x, y });
  }
  const apart = sides.map((nodes) => ordered(nodes.flatMap((u, i) => nodes.slice(i + 1).map((v) => distancesFrom(c, u).get(v)))));
  if (apart[0].join() === apart[1].join()) { const [x, y] = sides.map((nodes) => listing(c, nodes, method)); return say("codes", { x, y }); }
  if (apart[0].length === 1) { const [x, y] = apart.map(([d]) => (d === "∞" ? say("no_path") : say("apart", { steps: count(d, "step") }))); return say("two_targets", { x, y }); }
  return say("distances", { x: apart[0].join(", "), y: apart[1].join(", ") });
}

// The shortest walk that is at the pair with another probability.
function walksDiffer(c, sides, pair, [a, b]) {
  let walks = sides.map((nodes) => nodes.map((u) => new Map([[u, 1]])));
  for (let step = 1; step <= 12; step++) {
    walks = walks.map((side) => side.map((state) => {
      const after = new Map();
      state.forEach((chance, u) => { const to = near(c, u); to.forEach((v) => after.set(v, (after.get(v) ?? 0) + chance / to.length)); });
      return after;
    }));
    const [left, right] = walks.map((side, k) => side.map((state) => state.get(pair[k]) ?? 0).sort((x, y) => x - y));
    if (left.every((p, k) => Math.abs(p - right[k]) < 1e-9)) continue;
    const steps = count(step, "step");
    if (left.length > 1) return say("walks", { steps, a, b, x: left.map(fraction).join(", "), y: right.map(fraction).join(", ") });
    const [x, y] = [left[0], right[0]].map((p) => (p < 1e-12 ? say("never") : say("chance", { p: fraction(p) })));
    return say("walk", { steps, a, b, x, y });
  }
  return say("long_walks", { steps: "12 steps" });
}

export function fraction(p) {
  for (let below = 1; below <= 1000; below++) { const above = Math.round(p * below); if (Math.abs(above / below - p) < 1e-10) return below === 1 ? String(above) : `${above}/${below}`; }
  return String(+p.toPrecision(3));
}

// Follows the nodes that differ down to layer 1 or 2, and counts what anyone can count again in the picture.
function parting(c, method, shown, layer) {
  let sides = c.sides.map((nodes) => nodes.slice().sort((a, b) => a - b).map((i) => [i, 0])), walk = [[], []];
  for (let at = layer; ; at--) {
    const pair = firstDifference(sides, shown, at);
    walk = walk.map((nodes, k) => [...nodes, pair[k]]);
    sides = pair.map((u) => around(c, u, shown.hops));
    if (at <= 2) return neighborsDiffer(c, method, shown, walk, at - 1, sides);
  }
}

// At the ends of two walks: a kind of neighbor that one node has more of than the other.
function neighborsDiffer(c, method, shown, walk, below, sides) {
  const key = ([i, hop]) => `${hop}:${shown.at(below, i)}`, all = [...sides[0], ...sides[1]], times = (k, word) => sides[k].filter((one) => key(one) === word).length;
  const far = (i) => (byDistance(method) ? distancesOf(c, i).split(",").reduce((sum, d) => sum + (d === "∞" ? 1e6 : Number(d)), 0) : 0);
  const rank = (one) => { const word = key(one); return [one[1], times(0, word) === 0 ? 1 : 0, times(1, word), far(one[0])]; }; // the nearest kind that A has and B lacks
  const unequal = all.filter((one) => times(0, key(one)) !== times(1, key(one)));
  const chosen = unequal.reduce((best, one) => { const [p, q] = [rank(best), rank(one)], at = q.findIndex((x, k) => x !== p[k]); return at >= 0 && q[at] < p[at] ? one : best; }, unequal[0]);
  const hop = chosen[1], word = key(chosen), ofKind = sides.map((side) => side.filter((one) => key(one) === word).map(([i]) => i)), ring = sides.map((side) => side.filter((one) => one[1] === hop).map(([i]) => i));
  const who = walk.map((nodes) => nameOf(c, nodes.at(-1))), path = (nodes) => [nameOf(c, nodes[0]), ...nodes.slice(1).map((u) => c.names[u])].join(" to ");
  const where = walk[0].length > 1 ? say("go", { a: path(walk[0]), b: path(walk[1]) }) : "";
  if (!below && ring[0].length !== ring[1].length) return where + say("has", { a: who[0], b: who[1], x: nodesText(ring[0].length, hop), y: nodesText(ring[1].length, hop) });
  const more = ofKind[0].length >= ofKind[1].length ? 0 : 1, less = 1 - more, some = ofKind[more], one = some.length === 1;
  const rest = ofKind[less].length ? say("only", { count: counted(ofKind[less].length).toLowerCase() }) : say("no_such", { noun: hop === 1 ? "neighbor" : "node" });
  const kind = new Set(ring.flat().map((i) => shown.at(0, i))).size > 1 ? kindOf(c, some[0], method) : "", filled = { some: someText(some.length, hop, who[more]), b: who[less], rest };
  if (!below) return where + say("kind", { ...filled, names: namesOf(c, some), are_kind: kind.startsWith("with") ? kind.replace("with", one ? "has" : "have") : `${one ? "is" : "are"} ${kind}` });
  const linked = (nodes) => nodes.some((i) => near(c, i).some((j) => nodes.includes(j)));
  if (c.sides[0].length === 1 && shown.hops === 1 && walk[0].length === 1 && some.length === 2 && method !== "1-WL" && linked(some) && !linked(ring[less])) return say("linked", { a: who[more], b: who[less], names: namesOf(c, some) });
  return where + say("below", { ...filled, names: namesOf(c, some) + (kind && `, ${kind}`), have: one ? "has" : "have", below: belowOf(c, some[0], method, shown.hops, one ? "it" : "them") });
}

// What a node is by itself, and what lies around it.
function kindOf(c, i, method) {
  if (method === "DE-LP") return say("profile");
  return say(byDistance(method) ? (c.sides[0].length === 1 ? "distance" : "distance_sum") : "value", { x: codeOf(c, i, method) });
}
function belowOf(c, i, method, hops, them) {
  const all = around(c, i, hops), rings = [...new Set(all.map(([, hop]) => hop))].map((hop) => [hop, all.filter((one) => one[1] === hop).map(([j]) => j)]);
  if (method === "1-WL") return nodesText(all.length, 1);
  if (method === "DE-LP") return say("mix", { them });
  const how = (nodes) => (!byDistance(method) ? "around_values" : c.sides[0].length > 1 ? "around_marks" : new Set(nodes.map((j) => codeOf(c, j, method))).size === 1 ? "distance" : "around_distances");
  return rings.map(([hop, nodes]) => `${hop === 1 ? "neighbors" : `nodes ${hop} hops away`} ${say(how(nodes), { x: listing(c, nodes, method) })}`).join(" and ") || "no neighbors";
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
