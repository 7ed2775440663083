// The logic of page.js, without a browser; with DE_PACKED, what it answers for every set that Python packed, as JSON.
import assert from "node:assert/strict";
import { readFileSync, writeFileSync } from "node:fs";
import test from "node:test";
import { gunzipSync } from "node:zlib";
import { load } from "./load.mjs";

const page = await load("dom", "page");

test("classes are numbered by when they are met, and split those before", () => {
  const bytes = Uint8Array.of(9, 0, 1, 0, 1, /* high planes */ 0, 0, 0, 0, 0, 0, 0, 0);
  assert.deepEqual([...page.classesAt(bytes, { at: 1, count: 4 })], [0, 1, 0, 1]);
  assert.deepEqual([...page.classesAt(bytes, { at: 1, count: 4 }, [5, 5, 6, 5], 100)], [100, 101, 102, 101]);
});

test("sets are numbered as Python's combinations are", () => {
  let k = 0;
  for (let u = 0; u < 7; u++) for (let v = u + 1; v < 7; v++) assert.equal(page.setNumber(7, [v, u]), k++);
  assert.equal(page.setNumber(7, [5]), 5);
});

test("arcs reach K hops with their distance, and leave out edges inside S", () => {
  const path = Uint32Array.of(0, 1, 1, 2, 2, 3);
  assert.deepEqual(page.arcsOf(path, 4, 1), { indptr: [0, 1, 3, 5, 6], indices: [1, 0, 2, 1, 3, 2], tags: [1, 1, 1, 1, 1, 1] });
  const two = page.arcsOf(path, 4, 2);
  assert.deepEqual(two.indices.slice(0, two.indptr[1]), [1, 2]);
  assert.deepEqual(two.tags.slice(0, two.indptr[1]), [1, 2]);
  assert.deepEqual(page.arcsOf(path, 4, 2, [1, 2]).indptr, [0, 1, 2, 3, 4]);
});

test("a click toggles, and the target picked first makes room", () => {
  assert.deepEqual(page.picked([3], 5, 1), [5]);
  assert.deepEqual(page.picked([3, 4], 5, 2), [4, 5]);
  assert.deepEqual(page.picked([3, 4], 3, 2), [4]);
});

test("classes get letters and colours in the order in which they are met", () => {
  const { codes, legend } = page.byClass([8, 3, 8, 5], [{ colour: "x" }, { colour: "y" }]);
  assert.deepEqual([...codes], [0, 1, 0, 2]);
  assert.deepEqual(legend.map((e) => e.mark + e.colour), ["ax", "by", "cx"]);
  assert.equal(page.letterOf(27), "ab");
});

test("a model tells those who listen, and none who stopped", () => {
  const heard = [], model = new page.Model({ a: 1 }, (m) => heard.push(m)), ear = () => heard.push(model.get("a"));
  model.on("change:a", ear);
  model.put({ a: 2 });
  model.off("change:a", ear);
  model.set("a", 3);
  model.send("sent");
  assert.deepEqual(heard, [2, "sent"]);
});

if (process.env.DE_PACKED) {
  const plain = gunzipSync(readFileSync(process.env.DE_PACKED)), size = plain.readUInt32LE(0);
  const bytes = new Uint8Array(plain.buffer.slice(plain.byteOffset + 4 + size, plain.byteOffset + plain.length));
  const known = new page.Known(JSON.parse(plain.subarray(4, 4 + size).toString()), bytes);
  const { asked } = known.about, layers = known.about.layers;
  const verdicts = asked.map((sets) => Object.fromEntries(known.about.methods.map(({ name }) => [name, known.verdict(name, sets) ?? null])));
  const nodes = asked.map((sets) => Object.fromEntries(known.about.looks.map((look) =>
    [look, Array.from({ length: layers + 1 }, (_, l) => sets.map((t, k) => [...known.nodes(look, k, t, l)]))])));
  const codes = asked.map((sets) => sets.map((t, k) => [...known.codes("SPD", k, t)].map((c) => known.legend("SPD", t.length).legend[c].label)));
  const { own } = known.about; // an encoding of one's own: what colours and subtrees say of each node
  const yours = own ? asked.map((sets) => {
    const state = { colour_by: own, layer: 1, targets: sets, root: 0 }, drawn = page.colouring(known, state);
    const say = ({ codes, legend }) => codes.map((part) => [...part].map((c) => legend[c].label));
    const trees = [own, `DE-${own}`].map((by) => page.subtrees(known, { ...state, colour_by: by }, [0, known.n(0)]));
    return { title: drawn.title, labels: say(drawn), trees: trees.map((t) => [t.encoding, t.legend_title, t.listed]) };
  }) : [];
  writeFileSync(process.env.DE_ANSWERS, JSON.stringify({ verdicts, nodes, codes, yours }));
}
