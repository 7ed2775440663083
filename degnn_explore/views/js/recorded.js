// The model of a saved page: it answers from what Python recorded of each target set, through the interface that a live
// model has. Two sets are put together here; what is said and colored of them is the front end's.

import { renderExplorer } from "./explorer.js";

const bytesOf = (text) => new DataView(Uint8Array.from(atob(text), (letter) => letter.charCodeAt(0)).buffer);
const arrayOf = (Kind, text) => new Kind(bytesOf(text).buffer);
const NOBODY = 65535, NO_CLASS = 4294967295;

export function recordedModel(data) {
  const traits = { ...data.traits }, listeners = new Map(), arrays = new Map();
  for (const [name, text] of Object.entries(data.arrays)) traits[name] = bytesOf(text);
  Object.assign(traits, { codes: bytesOf(""), classes: bytesOf(""), numbers: bytesOf(""), seen: {}, pills: {} });
  const L = data.layers + 1;
  let serial = 0;
  const emit = (name, ...given) => (listeners.get(name) ?? []).slice().forEach((act) => act(...given));
  const put = (changes) => { Object.assign(traits, changes); Object.keys(changes).forEach((name) => emit(`change:${name}`)); };
  // an array of a record, unpacked when it is first asked for
  const rowsOf = (Kind, holder, name, k) => { const key = `${holder}:${name}:${k}`; return (spot) => { if (!arrays.has(key)) arrays.set(key, arrayOf(Kind, spot)); return arrays.get(key); }; };

  const recordOf = (nodes) => data.records[String(nodes.length)];
  function place(side, nodes) { // which graph of the record, and which of its sets; null: none is picked
    const record = recordOf(nodes), graph = record?.sides[side], wanted = [...nodes].sort((a, b) => a - b).join();
    if (!record) return null;
    record.index ??= record.sets.map((sets) => new Map(sets.map((set, i) => [set.join(), i])));
    return { record, graph, i: record.index[graph].get(wanted), p: nodes.length };
  }
  const sizeOf = (k) => traits.graphs.nodes[k];
  function labelsOf(spot, coloring, n) {
    const made = spot.record.labels[coloring], rows = rowsOf(Uint16Array, `${spot.p}:${coloring}`, "codes", spot.graph)(made.codes[spot.graph]);
    const values = made.values && rowsOf(Float32Array, `${spot.p}:${coloring}`, "values", spot.graph)(made.values[spot.graph]);
    const at = spot.record.sets[spot.graph].length === rows.length / n ? spot.i : 0;
    return { made, codes: rows.subarray(at * n, (at + 1) * n), values: values && values.subarray(at * n, (at + 1) * n) };
  }
  function classesOf(spot, method, n) { // [layers + 1, n]
    const made = spot.record.methods[method], rows = rowsOf(Uint32Array, `${spot.p}:${method}`, "classes", spot.graph)(made.classes[spot.graph]), at = made.shared ? 0 : spot.i;
    return rows.subarray(at * L * n, (at + 1) * L * n);
  }

  function answer() {
    const { targets, values } = traits, coloring = values.color_by, spots = targets.map((nodes, k) => (nodes.length ? place(k, nodes) : null));
    const any = spots.find(Boolean) ?? { record: Object.values(data.records)[0] }, method = any.record.names[coloring][values.hops > 1 ? 1 : 0];
    const counts = targets.map((_, k) => sizeOf(k)), n = counts.reduce((a, b) => a + b, 0);
    const codes = new Uint16Array(n).fill(NOBODY), classes = new Uint32Array(L * n).fill(NO_CLASS), numbers = [], plain = coloring === "1-WL";
    const table = [], tables = new Map();
    let start = 0;
    counts.forEach((count, k) => {
      const spot = spots[k] ?? (plain ? { ...any, graph: any.record.sides[k], i: 0, p: Number(Object.keys(data.records)[0]) } : null);
      if (spot) {
        const { made, codes: own, values: real } = labelsOf(spot, coloring, count), key = plain ? "" : spot.p;
        if (!tables.has(key)) { tables.set(key, table.length); table.push(...made.table); } // sets of different sizes share no label
        own.forEach((code, i) => { codes[start + i] = code === NOBODY ? NOBODY : code + tables.get(key); });
        if (real) real.forEach((x, i) => { numbers[start + i] = x; });
        const rows = classesOf(spot, method, count), shift = plain ? 0 : (spot.p - 1) * 16777216; // nor a class
        for (let layer = 0; layer < L; layer++) for (let i = 0; i < count; i++) classes[layer * n + start + i] = rows[layer * count + i] + shift;
      }
      start += count;
    });
    const view = (array) => new DataView(array.buffer), labels = any.record.labels[coloring];
    const seen = { targets, serial: ++serial, method, color_by: coloring, hops: any.record.methods[method].hops ?? 1, cut: values.cut, title: labels.title, note: labels.note, labels: table, layers: data.layers, columns: [], net: [] };
    put({ seen, codes: view(codes), classes: view(classes), numbers: view(Float32Array.from(numbers.length === n ? numbers : [])), pills: pillsOf(spots) });
  }
  function pillsOf(spots) {
    if (spots.length < 2 || !spots[0] || !spots[1] || spots[0].p !== spots[1].p) return { pills: [], busy: false };
    const [a, b] = spots, { record } = a;
    const pills = record.pills.map((pill) => {
      const made = record.methods[pill.method];
      if (made.skipped) return { ...pill, skipped: made.skipped };
      const [one, other] = spots.map((spot) => made.signatures[spot.graph][spot.i]), layer = one.findIndex((sign, k) => sign !== other[k]);
      const told = { ...pill, layer: layer < 0 ? null : layer };
      if (record.explained && made.classes) told.classes = spots.map((spot, k) => { const n = sizeOf(k), rows = classesOf(spot, pill.method, n); return Array.from({ length: L }, (_, l) => Array.from(rows.subarray(l * n, (l + 1) * n))); });
      return told;
    });
    const same = record.symmetry.orbits[a.graph][a.i] === record.symmetry.orbits[b.graph][b.i], differ = pills.some((pill) => Number.isInteger(pill.layer));
    const [there, back] = [record.symmetry.maps[a.graph][a.i], record.symmetry.maps[b.graph][b.i]], map = same ? there.map((node) => back.indexOf(node)) : [];
    const { degree, family } = record.symmetry;
    return { pills, busy: false, symmetry: { kind: same && !differ ? "same" : "different", map: differ ? [] : map, degree, family: same ? "" : family } };
  }

  function accept(before) { // what is not recorded is not shown
    const recorded = traits.targets.every((nodes, k) => !nodes.length || place(k, nodes)?.i !== undefined);
    if (recorded) { put({ error: {} }); return answer(); }
    put({ ...before, error: { text: `${traits.options.recorded.note}`, details: "" } });
  }
  let pending = {};
  const model = {
    get: (name) => traits[name],
    set: (name, value) => { pending[name] ??= traits[name]; traits[name] = value; emit(`change:${name}`); },
    save_changes: () => {
      const before = pending;
      pending = {};
      if (before.values && traits.values.size && traits.targets.some((nodes) => nodes.length > traits.values.size)) put({ targets: traits.targets.map((nodes) => nodes.slice(-traits.values.size)) });
      if (before.targets || before.values) accept(before);
    },
    send: (message) => { if (message.name === "tour") step(message.key, message.at); },
    on: (name, act) => listeners.set(name, [...(listeners.get(name) ?? []), act]),
    off: (name, act) => listeners.set(name, (listeners.get(name) ?? []).filter((one) => one !== act)),
  };
  function step(key, at) {
    const steps = data.tours[key], { text, look, values, targets } = steps[at], title = traits.options.tours.find(([k]) => k === key)[1];
    const toggle = values.color_by === "1-WL" ? traits.values.toggle : values.color_by;
    put({ values: { ...traits.values, ...values, toggle }, targets });
    answer();
    put({ lesson: { kind: "tour", key, title, at, of: steps.length, text, look } });
  }
  answer();
  if (data.tour && data.tours[data.tour]) step(data.tour, 0);
  return model;
}

async function unpacked(packed) {
  const stream = new Blob([bytesOf(packed)]).stream().pipeThrough(new DecompressionStream("gzip"));
  return JSON.parse(await new Response(stream).text());
}

async function openPage(packed) {
  const model = recordedModel(await unpacked(packed));
  globalThis.explorerModel = model; // for tests
  renderExplorer({ model, el: document.getElementById("explorer") });
}
