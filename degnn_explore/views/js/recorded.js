// The model of a saved page: it answers from what Python recorded of each target set, through the interface that a live
// model has. Two sets are put together here; what is said and colored of them is the front end's.

import { renderExplorer } from "./explorer.js";

const bytesOf = (text) => new DataView(Uint8Array.from(atob(text), (letter) => letter.charCodeAt(0)).buffer);
const NOBODY = 65535, NO_CLASS = 4294967295, APART = 16777216; // classes of sets of different sizes are so far apart

export function recordedModel(data) {
  const traits = { ...data.traits, seen: {}, pills: {} }, listeners = new Map(), arrays = new Map();
  for (const [name, text] of Object.entries(data.arrays)) traits[name] = bytesOf(text);
  for (const name of ["codes", "classes", "numbers"]) traits[name] = bytesOf("");
  const L = data.layers + 1;
  let serial = 0;
  const emit = (name) => (listeners.get(name) ?? []).slice().forEach((act) => act());
  function put(changes) {
    Object.assign(traits, changes);
    Object.keys(changes).forEach((name) => emit(`change:${name}`));
  }

  // -- what is recorded of a target set: { record, graph, i: which of its sets, p }; null without one
  function place(side, nodes) {
    const record = data.records[String(nodes.length)], graph = record?.sides[side];
    if (!record) return null;
    record.index ??= record.sets.map((sets) => new Map(sets.map((set, i) => [set.join(), i])));
    return { record, graph, i: record.index[graph].get([...nodes].sort((a, b) => a - b).join()), p: nodes.length };
  }
  const sizeOf = (side) => traits.graphs.nodes[side];
  function arrayOf(Kind, text) { // when it is first needed
    if (!arrays.has(text)) arrays.set(text, new Kind(bytesOf(text).buffer));
    return arrays.get(text);
  }
  function labelsOf({ record, graph, i }, coloring, n) {
    const { table, codes, values } = record.labels[coloring], rows = arrayOf(Uint16Array, codes[graph]);
    const at = record.sets[graph].length === rows.length / n ? i : 0; // all sets share one row where it depends on none
    const row = (all) => all.subarray(at * n, (at + 1) * n);
    return { table, codes: row(rows), numbers: values ? row(arrayOf(Float32Array, values[graph])) : [] };
  }
  function classesOf({ record, graph, i }, method, n) { // [layers + 1, n]
    const { classes, shared } = record.methods[method], at = shared ? 0 : i;
    return arrayOf(Uint32Array, classes[graph]).subarray(at * L * n, (at + 1) * L * n);
  }

  // -- two sets put together
  function answer() {
    const { targets, values } = traits, coloring = values.color_by, plain = coloring === "1-WL";
    const spots = targets.map((nodes, side) => (nodes.length ? place(side, nodes) : null));
    const [[smallest, first]] = Object.entries(data.records), { record } = spots.find(Boolean) ?? { record: first };
    const method = record.names[coloring][values.hops > 1 ? 1 : 0], sizes = targets.map((_, side) => sizeOf(side));
    const n = sizes.reduce((a, b) => a + b), numbers = [], table = [], tables = new Map();
    const codes = new Uint16Array(n).fill(NOBODY), classes = new Uint32Array(L * n).fill(NO_CLASS);
    let start = 0;
    sizes.forEach((size, side) => {
      const anySet = plain ? { record, graph: record.sides[side], i: 0, p: Number(smallest) } : null; // all look alike
      const spot = spots[side] ?? anySet;
      if (spot) add(spot, size, start);
      start += size;
    });
    function add(spot, size, from) {
      const labels = labelsOf(spot, coloring, size), key = plain ? "" : spot.p; // sets of different sizes share no label
      if (!tables.has(key)) {
        tables.set(key, table.length);
        table.push(...labels.table);
      }
      labels.codes.forEach((code, i) => { codes[from + i] = code === NOBODY ? NOBODY : code + tables.get(key); });
      labels.numbers.forEach((x, i) => { numbers[from + i] = x; });
      const rows = classesOf(spot, method, size);
      const shift = plain || spot.record.methods[method].shared ? 0 : (spot.p - 1) * APART; // nor a class
      rows.forEach((own, k) => { classes[Math.floor(k / size) * n + from + (k % size)] = own + shift; });
    }
    const view = (array) => new DataView(array.buffer), { title, note } = record.labels[coloring];
    const seen = {
      targets, method, title, note, serial: ++serial, color_by: coloring, hops: record.methods[method].hops ?? 1,
      cut: values.cut, labels: table, layers: data.layers, columns: [], net: [],
    };
    const all = Float32Array.from(numbers.length === n ? numbers : []);
    put({ seen, codes: view(codes), classes: view(classes), numbers: view(all), pills: pillsOf(spots) });
  }
  function pillsOf(spots) {
    const [a, b] = spots, record = a?.record;
    if (!a || !b || a.p !== b.p) return { pills: [], busy: false };
    const pills = record.pills.map((pill) => {
      const { skipped, signatures, classes } = record.methods[pill.method];
      if (skipped) return { ...pill, skipped };
      const [one, other] = spots.map((spot) => signatures[spot.graph][spot.i]);
      const layer = one.findIndex((sign, k) => sign !== other[k]), answered = { ...pill, layer: layer < 0 ? null : layer };
      if (!record.explained || !classes) return answered;
      const all = spots.map((spot, side) => rowsOf(classesOf(spot, pill.method, sizeOf(side)), sizeOf(side)));
      return { ...answered, classes: all };
    });
    const differ = pills.some(({ layer }) => Number.isInteger(layer));
    return { pills, busy: false, symmetry: symmetryOf(record.symmetry, a, b, differ) };
  }
  const rowsOf = (array, n) => Array.from({ length: L }, (_, layer) => Array.from(array.subarray(layer * n, (layer + 1) * n)));
  function symmetryOf({ orbits, maps, degree, family }, a, b, differ) {
    const same = orbits[a.graph][a.i] === orbits[b.graph][b.i], isSame = same && !differ;
    const [there, back] = [a, b].map(({ graph, i }) => maps[graph][i]); // to the first set of the orbit
    const map = isSame ? there.map((node) => back.indexOf(node)) : [];
    return { kind: isSame ? "same" : "different", map, degree, family: same ? "" : family };
  }

  // -- what a reader does
  function accept(before) { // what is not recorded is not shown
    if (traits.targets.every((nodes, side) => !nodes.length || place(side, nodes)?.i !== undefined)) {
      put({ error: {} });
      answer();
    } else put({ ...before, error: { text: traits.options.recorded.note, details: "" } });
  }
  let pending = {};
  function set(name, value) {
    pending[name] ??= traits[name];
    traits[name] = value;
    emit(`change:${name}`);
  }
  function save() {
    const before = pending, { size } = traits.values;
    pending = {};
    if (before.values && size && traits.targets.some((nodes) => nodes.length > size)) {
      before.targets ??= traits.targets;
      put({ targets: traits.targets.map((nodes) => nodes.slice(-size)) });
    }
    if (before.targets || before.values) accept(before);
  }
  function step(key, at) { // of a tour
    const steps = data.tours[key], { text, look, values, targets } = steps[at];
    const [, title] = traits.options.tours.find(([other]) => other === key);
    const toggle = values.color_by === "1-WL" ? traits.values.toggle : values.color_by;
    put({ values: { ...traits.values, ...values, toggle }, targets });
    answer();
    put({ lesson: { kind: "tour", key, title, at, of: steps.length, text, look } });
  }
  answer();
  if (data.tour && data.tours[data.tour]) step(data.tour, 0);
  return {
    get: (name) => traits[name],
    set,
    save_changes: save,
    send: ({ name, key, at }) => { if (name === "tour") step(key, at); },
    on: (name, act) => listeners.set(name, [...(listeners.get(name) ?? []), act]),
    off: (name, act) => listeners.set(name, (listeners.get(name) ?? []).filter((other) => other !== act)),
  };
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
