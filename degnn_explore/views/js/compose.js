// From what the network sees to colors: letters of classes, legends, where a reader may click. Pure functions.
// seen.labels: [text, mark, far] each, far null where S cannot be reached; codes [n]: a node's label, 65535 without
// targets; classes [layers + 1, n]. ``explorer/seen.py`` does the same for the static picture.

export const NO_TARGET = 65535;

const channels = (color) => [1, 3, 5].map((i) => parseInt(color.slice(i, i + 2), 16));
export function blend(a, b, share) {
  const [x, y] = [channels(a), channels(b)];
  return "#" + x.map((c, i) => Math.floor(c + (y[i] - c) * share + 0.5).toString(16).padStart(2, "0")).join("");
}

// The color of class k of a label: its hue by how far it is from S, another shade with each letter; gray if unreachable.
export function shade(look, far, k, plain = false) {
  if (far === null) return look.unreachable;
  if (plain) return look.plain[k % look.plain.length];
  const at = Math.min(far, look.ramp.length - 1), low = Math.min(Math.floor(at), look.ramp.length - 2);
  return blend(blend(look.ramp[low], look.ramp[low + 1], at - low), look.toward, look.shades[k % look.shades.length]);
}

// White or black, whichever has the higher contrast on a color.
export function inkOn(color) {
  const [r, g, b] = channels(color).map((c) => (c / 255 <= 0.03928 ? c / 255 / 12.92 : ((c / 255 + 0.055) / 1.055) ** 2.4));
  const bright = 0.2126 * r + 0.7152 * g + 0.0722 * b;
  return 1.05 / (bright + 0.05) >= (bright + 0.05) / 0.05 ? "#ffffff" : "#000000";
}

export const letterOf = (i) => (i >= 26 ? letterOf(Math.floor(i / 26) - 1) : "") + String.fromCharCode(97 + (i % 26));

// For each layer the letter of every node's class among those of its label, by lineage: when a class splits its largest
// part keeps the letter, so colors stay as layers grow. -> [layers + 1] arrays [n]
export function lineage(codes, classes, layers) {
  const n = codes.length, fresh = new Map(), out = [new Int32Array(n)];
  for (let layer = 1; layer <= layers; layer++) {
    const before = out[layer - 1], groups = new Map(), place = new Int32Array(n), members = [];
    const parents = new Map(); // (code, letter) as one number each
    for (let i = 0; i < n; i++) {
      const own = codes[i] * 1048576 + before[i];
      if (!parents.has(own)) parents.set(own, parents.size);
      const key = parents.get(own) * 4294967296 + classes[layer * n + i];
      let at = groups.get(key);
      if (at === undefined) { at = members.length; groups.set(key, at); members.push({ first: i, size: 0, at }); }
      members[at].size++;
      place[i] = at;
    }
    const letters = new Int32Array(members.length), taken = new Set();
    for (const { first, at } of members.slice().sort((a, b) => b.size - a.size || a.first - b.first)) {
      const code = codes[first], own = code * 1048576 + before[first];
      if (taken.has(own)) {
        fresh.set(code, (fresh.get(code) ?? 0) + 1);
        letters[at] = fresh.get(code);
      } else {
        taken.add(own);
        letters[at] = before[first];
      }
    }
    out.push(place.map((at) => letters[at]));
  }
  return out;
}

// The same classes numbered by first occurrence, layer by layer: what is drawn does not depend on who counted them.
export function renumbered(classes, n) {
  const out = new Uint32Array(classes.length);
  for (let at = 0; at < classes.length; at += n) {
    const known = new Map();
    for (let i = at; i < at + n; i++) {
      if (!known.has(classes[i])) known.set(classes[i], known.size);
      out[i] = known.get(classes[i]);
    }
  }
  return out;
}

// What a label and a letter look like: { text, mark, color, ink }.
export function entryOf(seen, look, code, letter, layer) {
  if (code === NO_TARGET) return { text: "no target yet", mark: "", color: look.unreachable, ink: "#ffffff" };
  const [text, mark, far] = seen.labels[code], plain = seen.labels.length === 1 && !text, name = layer ? letterOf(letter) : "";
  const color = shade(look, far, layer ? letter : 0, plain);
  const words = layer && text ? `${text}, class ${name}` : layer ? `class ${name}` : text;
  return { text: words || "all nodes", mark: mark || plain ? mark + name : "", color, ink: inkOn(color) };
}

// The colors of all nodes after `layer` layers: { codes: [n] places in entries, entries with counts for each side }.
export function coloring(seen, look, codes, letters, layer, starts) {
  const n = codes.length, keys = new Float64Array(n), unique = new Map();
  for (let i = 0; i < n; i++) {
    keys[i] = codes[i] * 100000 + (layer ? letters[layer][i] : 0);
    unique.set(keys[i], 0);
  }
  const sorted = [...unique.keys()].sort((a, b) => a - b);
  sorted.forEach((key, k) => unique.set(key, k));
  const entries = sorted.map((key) => {
    const entry = entryOf(seen, look, Math.floor(key / 100000), key % 100000, layer);
    return { ...entry, counts: starts.slice(1).map(() => 0) };
  });
  const place = new Uint16Array(n);
  let side = 0;
  for (let i = 0; i < n; i++) {
    while (i >= starts[side + 1]) side++;
    place[i] = unique.get(keys[i]);
    entries[place[i]].counts[side]++;
  }
  return { codes: place, entries };
}

// The last layer that adds anything: from there on no class splits. Classes are numbered from 0.
export function lastLayer(classes, n, layers) {
  let before = 0;
  for (let layer = 0; layer <= layers; layer++) {
    const count = classes.subarray(layer * n, (layer + 1) * n).reduce((most, own) => Math.max(most, own), -1) + 1;
    if (layer && count === before) return layer - 1;
    before = count;
  }
  return layers;
}

// The target set after a click: a target leaves it, another node joins; where p is fixed the one picked first makes room.
export function picked(targets, node, size) {
  if (targets.includes(node)) return targets.filter((t) => t !== node);
  return size ? [...targets, node].slice(-size) : [...targets, node];
}

// Arcs of what is drawn, without those inside S where they are cut; within `hops` hops, each with its distance.
export function arcsOf(links, n, hops, cut, targets) {
  const none = new Uint8Array(0);
  if (hops === 1 && !(cut && targets.length > 1)) return { indptr: links.start, indices: links.list, tags: none };
  const gone = new Set(cut ? targets : []), indptr = new Uint32Array(n + 1), indices = [], tags = [];
  const near = (u) => {
    const all = [...links.list.subarray(links.start[u], links.start[u + 1])];
    return gone.has(u) ? all.filter((v) => !gone.has(v)) : all;
  };
  for (let u = 0; u < n; u++) {
    let ring = [u];
    const met = hops > 1 ? new Set(ring) : null;
    for (let hop = 1; hop <= hops; hop++) {
      const next = hops > 1 ? [...new Set(ring.flatMap(near))].filter((v) => !met.has(v)) : near(u);
      next.forEach((v) => { met?.add(v); indices.push(v); tags.push(hop); });
      ring = next;
    }
    indptr[u + 1] = indices.length;
  }
  return { indptr, indices: Uint32Array.from(indices), tags: hops > 1 ? Uint8Array.from(tags) : none };
}
