// From what the network sees to colors. test_front_end.py compares letters and legends with those of the static picture.
import assert from "node:assert/strict";
import { test } from "node:test";
import { load } from "./load.mjs";
import { chance, neighborsOf, randomEdges, range, refine, withinHops } from "./worlds.mjs";

const t = await load("geometry", "compose");
const LOOKS = Object.values(t.PALETTE), look = t.PALETTE.light;
const seen = { labels: [["target", "0", 0], ["distance 1", "1", 1], ["unreachable", "∞", null]] };

test("before the first layer a color says the label; a side without targets is gray, as is what cannot be reached", () => {
  const codes = Uint16Array.from([0, 2, t.NO_TARGET]);
  const { entries } = t.coloring(seen, look, codes, t.lineage(codes, new Uint32Array(9), 2), 0, [0, 2, 3]);
  assert.deepEqual(entries.map((entry) => [entry.mark, entry.counts]), [["0", [1, 0]], ["∞", [1, 0]], ["", [0, 1]]]);
  assert.ok(entries.every(({ text }, k) => (k < 2 ? text === seen.labels[codes[k]][0] : text.includes("no target"))));
  assert.deepEqual(entries.map(({ color }) => color === look.unreachable), [false, true, true]);
  const plain = { labels: [["", "", 0]] }, [same, split] = [0, 1].map((layer) => t.entryOf(plain, look, 0, 1, layer));
  assert.deepEqual([same.mark, split.mark, split.color], ["", "b", look.plain[1]]); // a plain GNN: classes alone
});

test("marks on every color have contrast, in light and dark, and distances differ in color", () => {
  const linear = (color) => [1, 3, 5].map((i) => {
    const x = parseInt(color.slice(i, i + 2), 16) / 255;
    return x <= 0.03928 ? x / 12.92 : ((x + 0.055) / 1.055) ** 2.4;
  });
  const bright = (color) => linear(color).reduce((sum, x, i) => sum + x * [0.2126, 0.7152, 0.0722][i], 0.05);
  const contrast = (a, b) => Math.max(bright(a), bright(b)) / Math.min(bright(a), bright(b));
  for (const palette of LOOKS) {
    for (let far = 0; far <= 6; far += 0.25) for (let k = 0; k < 8; k++) assert.ok(
      contrast(t.shade(palette, far, k), t.inkOn(t.shade(palette, far, k))) >= 4.5, `${far} ${k}`
    );
    assert.deepEqual(range(7).map((far) => t.shade(palette, far, 0)), palette.ramp);
    assert.equal(t.shade(palette, 99, 0), palette.ramp.at(-1)); // as far as the ramp goes
    assert.equal(t.shade(palette, null, 3), palette.unreachable);
    assert.deepEqual([0, 7, 8].map((k) => t.shade(palette, 0, k, true)), [palette.plain[0], palette.plain[7], palette.plain[0]]);
    assert.equal(new Set(range(8).map((k) => t.shade(palette, 1, k))).size, 8);
    assert.equal(t.shade(palette, 1, 8), t.shade(palette, 1, 0));
  }
  for (const gray of range(256)) { // white or black, whichever is easier to read
    const color = `#${gray.toString(16).padStart(2, "0").repeat(3)}`, ink = t.inkOn(color);
    assert.ok(contrast(color, ink) >= contrast(color, ink === "#ffffff" ? "#000000" : "#ffffff"));
  }
  assert.deepEqual(
    [t.blend("#000000", "#ffffff", 0), t.blend("#000000", "#ffffff", 1), t.blend("#100a00", "#200aff", 0.5)],
    ["#000000", "#ffffff", "#180a80"]
  );
});

test("classes are numbered as they occur, layer by layer, and the last layer is that after which none splits", () => {
  for (let seed = 0; seed < 40; seed++) {
    const random = chance(seed), n = 2 + random.integer(8);
    const rows = refine(neighborsOf(randomEdges(n, 0.3, random), n), range(n).map(() => random.integer(2)), 4);
    const other = rows.flatMap((row) => { const names = random.shuffled(range(50)); return row.map((own) => names[own]); });
    const made = t.renumbered(Uint32Array.from(other), n);
    assert.deepEqual([...made], rows.flat());
    const sizes = rows.map((row) => new Set(row).size);
    assert.equal(t.lastLayer(made, n, 4), sizes.findIndex((size, k) => k === 4 || size === sizes[k + 1]));
  }
});

test("a click toggles; where p is fixed the target picked first makes room", () => {
  assert.deepEqual([t.picked([2], 5, 0), t.picked([2, 5], 5, 0), t.picked([2, 5], 7, 2), t.picked([2, 5], 5, 2)], [[2, 5], [2], [5, 7], [2]]);
});

test("arcs reach all nodes within K hops, each with its distance, the nearest first; none inside S where they are cut", () => {
  for (let seed = 0; seed < 60; seed++) {
    const random = chance(seed), n = 7, edges = randomEdges(n, 0.3, random), hops = 1 + (seed % 4);
    const cut = seed % 3 > 0, S = range(n).slice(0, seed % 4);
    const { indptr, indices, tags } = t.arcsOf(t.adjacency(Uint32Array.from(edges.flat()), n), n, hops, cut, S);
    const wanted = withinHops(neighborsOf(edges, n, cut ? S : []), hops);
    for (const u of range(n)) {
      const arcs = range(indptr[u + 1] - indptr[u]).map((k) => [indices[indptr[u] + k], tags[indptr[u] + k] ?? 1]);
      assert.deepEqual(arcs.map(([, hop]) => hop), arcs.map(([, hop]) => hop).sort());
      assert.deepEqual(arcs.sort((a, b) => a[0] - b[0]), wanted[u].sort((a, b) => a[0] - b[0]));
    }
  }
});

test("letters of classes go on as columns of a spreadsheet do", () => {
  assert.deepEqual([0, 25, 26, 51, 52, 701, 702].map(t.letterOf), ["a", "z", "aa", "az", "ba", "zz", "aaa"]);
  assert.equal(new Set(range(1000).map(t.letterOf)).size, 1000);
});
