// All of an Explorer but its graphs: the tree, the bar, the verdict, the drawer, lessons, files, saved pages.
import assert from "node:assert/strict";
import { test } from "node:test";
import { A, answerTo, B, live, openPanel, PILLS, records, samePlace, savedPage, single, t, traits } from "./explorers.mjs";
import { all, button, change, choose, clock, copied, downloads, liveModel, menuOf, run, setTick, shown, text, texts, type } from "./page.mjs";
import { bytes, HEXAGON, pill, range, world } from "./worlds.mjs";

const look = t.PALETTE.light;
const discs = (panel) => all(panel.svg, ".de-disc");
const spoken = (panel) => text(panel.tree, ".de-said");
const notes = (panel) => texts(panel.tree, ".de-note");
const levels = (panel) => JSON.parse(panel.tree.dataset.levels);
const seenAs = (panel, changes) => ({ seen: { ...panel.model.get("seen"), ...changes } });

// -- what the network sees

test("a disc says which nodes it stands for, of which side it is and what it takes in, and lights its nodes", async () => {
  const panel = await live(), tip = panel.tree.querySelector(".de-tip"), last = discs(panel).at(-1);
  assert.equal(shown(tip), false);
  discs(panel)[0].fire("pointermove");
  assert.deepEqual(panel.lit(), [0]);
  for (const fact of ["v0", "target", "only in A", "takes in {1a ×2}"]) assert.ok(tip.textContent.includes(fact), fact);
  last.fire("pointermove");
  assert.match(tip.textContent, /v2, v4.*distance 2.*only in B/);
  assert.doesNotMatch(tip.textContent, /takes in/); // it is at the bottom
  assert.deepEqual(panel.lit(), [8, 10]);
  assert.ok(last.querySelector(".de-glow"));
  panel.svg.fire("pointerleave");
  assert.deepEqual([shown(tip), panel.lit(), all(panel.svg, ".de-glow").length], [false, [], 0]);
  last.fire("pointermove");
  await panel.set({ layer: 1 }); // another picture: what was pointed at is gone
  assert.deepEqual([shown(tip), panel.lit()], [false, []]);
  const wide = await single({ n: 12, edges: range(11).map((i) => [0, i + 1]) }, [0], { values: { layer: 1 } });
  discs(wide)[1].fire("pointermove");
  assert.match(text(wide.tree, ".de-tip"), /v8 … 11 nodes/);
  assert.doesNotMatch(text(wide.tree, ".de-tip"), /only|in A/);
});

test("arrows walk from disc to disc, as is heard and seen; Escape ends it", async () => {
  const panel = await live(), { svg } = panel, press = (key, more) => panel.press(key, svg, more);
  const focused = () => discs(panel).findIndex((disc) => disc.querySelector(".de-glow")?.getAttribute("stroke-dasharray"));
  svg.focus();
  assert.equal(focused(), -1);
  for (const [key, facts] of [
    ["ArrowDown", /^v0\. target.*only in A.*takes in/], ["ArrowDown", /distance 1.*only in A/],
    ["ArrowRight", /distance 1.*only in B/], ["ArrowUp", /target.*only in B/], ["ArrowLeft", /target.*only in A/],
  ]) {
    const event = await press(key);
    assert.ok(event.defaultPrevented && facts.test(spoken(panel)), spoken(panel));
  }
  assert.equal(focused(), 0);
  assert.deepEqual(panel.lit(), [0]);
  for (const [key, more] of [
    ["ArrowLeft", {}], ["ArrowDown", { ctrlKey: true }], ["ArrowDown", { altKey: true }], ["ArrowDown", { metaKey: true }],
    ["x", {}],
  ]) {
    await press(key, more);
    assert.equal(focused(), 0, key); // nothing lies further to the left, and other keys are not for it
  }
  await panel.set({ layer: 1 });
  assert.equal(focused(), 0); // the keys are still where they were
  await panel.set({ layer: 2 });
  for (let k = 0; k < 3; k++) await press("ArrowDown");
  await panel.set({ layer: 1 });
  await press("ArrowUp");
  assert.match(spoken(panel), /target/); // they continue from a disc that is there
  panel.canvas.focus();
  assert.equal(all(svg, ".de-glow").filter((glow) => glow.getAttribute("stroke")).length, 0);
  svg.focus();
  await press("Escape");
  assert.equal(all(svg, ".de-glow").length, 0);
});

test("rings tell the sides apart, dashes where they part, words and numbers what every root takes in", async () => {
  const panel = await live(), rings = all(panel.svg, ".de-ring").map((ring) => ring.getAttribute("stroke"));
  const key = () => text(panel.tree, ".de-key");
  assert.deepEqual([look.a, look.b].map((color) => rings.filter((ring) => ring === color).length), [3, 3]);
  assert.deepEqual(all(panel.svg, ".de-parts").map((line) => Boolean(line.getAttribute("stroke-dasharray"))), [true, true]);
  assert.deepEqual(texts(panel.svg, ".de-times"), ["×2", "×2"]);
  assert.match(key(), /Different after 2 layers: 0a ← \{1a ×2\} ≠ 0b ← \{1b ×2\}.*only in A.*only in B.*part/);
  assert.deepEqual(panel.svg.getAttribute("aria-label").match(/\d+/g), ["0", "0", "2", "2", "2", "3"]); // v0, v0, 2 layers, discs
  assert.equal(shown(panel.tree.querySelector(".de-hint")), false);
  await panel.set({ layer: 1 });
  assert.match(key(), /^The same after 1 layer: 0a ← \{1 ×2\}$/);
  assert.equal(all(panel.svg, ".de-ring, .de-parts").length, 0);
  await panel.set({ layer: 0 });
  assert.match(key(), /^The same before the first layer: 0$/);
  assert.equal(shown(panel.tree.querySelector(".de-hint")), true); // says how to begin
  const bent = await live({ hops: 2 });
  assert.match(text(bent.tree, ".de-key"), /bent: 2 hops/);
  const labels = { ...traits().seen.labels };
  const hidden = await live({
    values: { layer: 0 }, codes: bytes(Uint16Array.from([0, 1, 1, 4, 4, 4, 2, 1, 3, 3, 3, 1])),
    classes: bytes(Uint32Array.from(range(4).flatMap(() => range(12)))),
  });
  await hidden.model.put(seenAs(
    hidden,
    { labels: [...Object.values(labels).slice(0, 2), ["target", "0", 0], ["far", "3", 3], ["unreachable", "∞", null]], color_by: "mine" }
  ));
  assert.match(text(hidden.tree, ".de-key"), /^Different before the first layer, though not in the values shown/);
});

test("trees unfold, names are written into them, and what is too wide is folded instead", async () => {
  const panel = await live({ view: { form: "tree", named: true } }), tree = () => panel.tree.dataset.form;
  assert.deepEqual([tree(), discs(panel).length], ["tree", all(panel.svg, "path").length + 2]); // one parent each
  assert.ok(texts(panel.svg, ".de-named").length > 2 && texts(panel.svg, ".de-named").every((name) => /^v\d(, v\d)*( \+\d)?$/.test(name)));
  discs(panel)[2].fire("pointermove");
  assert.doesNotMatch(text(panel.tree, ".de-tip"), /only in/);
  assert.equal(notes(panel).length, 0);
  await change({ width: 90 });
  assert.deepEqual([tree(), notes(panel).length], ["folded", 1]);
  assert.match(notes(panel)[0], /\b2\b/);
  await change({ width: 420 });
  await panel.model.put({ view: {} });
  assert.deepEqual([tree(), texts(panel.svg, ".de-named")], ["folded", []]);
});

test("discs, their marks and their rings keep off each other at any width", async () => {
  let narrow = 0;
  for (const form of ["folded", "tree"]) for (const targets of [[[0], [0]], [[0, 1], [0, 3]]]) {
    const panel = await live({ values: { layer: 3, size: 0 }, hops: 2, view: { form } }, targets);
    for (let width = 120; width <= 420; width += 12) {
      await change({ width });
      const levels = new Map();
      for (const disc of discs(panel)) {
        const boxes = all(disc, "rect").map((rect) => ["x", "y", "width"].map((name) => Number(rect.getAttribute(name))));
        const [x, y, wide] = boxes.at(-1), level = Math.round(y + disc.querySelectorAll("rect").at(-1).getAttribute("height") / 2);
        levels.set(level, [...(levels.get(level) ?? []), ...[[Math.min(x, boxes[0][0]), Math.max(x + wide, boxes[0][0] + boxes[0][2])]]]);
      }
      for (const row of levels.values()) {
        row.sort((a, b) => a[0] - b[0]).slice(1).forEach(([left], k) => {
          assert.ok(left >= row[k][1], `${form} ${width}: ${row}`);
          narrow += left - row[k][1] < 4;
        });
      }
    }
  }
  assert.ok(narrow > 20);
});

test("too many subtrees: the ones that matter are drawn, and it says how many there are", async () => {
  const n = 41, star = world([{ n, edges: range(n - 1).map((i) => [0, i + 1]) }], [[0]], { values: { layer: 1 }, layers: 1 });
  star.seen.labels = range(n).map((i) => [`value ${i}`, String(i), i]);
  const panel = await openPanel(liveModel({
    ...star, codes: bytes(Uint16Array.from(range(n))), classes: bytes(Uint32Array.from([...range(n), ...range(n)])),
  }));
  const [, drawn] = levels(panel);
  assert.ok(drawn > 4 && drawn < 20);
  assert.deepEqual(notes(panel)[0].match(/\d+/g).map(Number), [0, n - 1, drawn - 1]);
  discs(panel).at(-1).fire("pointermove");
  assert.match(text(panel.tree, ".de-tip"), new RegExp(`${n - drawn} further`));
  assert.equal(discs(panel).at(-1).querySelector("text").textContent, `+${n - drawn}`);
});

test("trees grow from the first three targets of one set, or from one target of each of two", async () => {
  const alone = await single(B, [0, 1, 2, 3], { values: { layer: 0 }, cut: false });
  assert.match(notes(alone)[0], /3 of 4/);
  assert.deepEqual(texts(alone.svg, "text").join().match(/v\d/g), ["v0", "v1", "v2"]);
  const both = await live({ values: { layer: 0 } }, [[1, 2], [3, 4]]);
  const roots = () => texts(both.svg, "text").filter((word) => word.includes("v")).join().match(/v\d/g);
  assert.deepEqual(roots(), ["v1", "v3"]);
  const drawer = await both.drawer(), root = menuOf(drawer, "Root");
  assert.deepEqual([shown(root), root.children.length, root.value], [true, 2, "0"]);
  choose(root, 1);
  await run();
  assert.deepEqual([both.values().root, roots()], [1, ["v2", "v4"]]);
  await both.model.put(answerTo([[1], [3, 4]], { values: { layer: 0, root: 1 } }));
  assert.deepEqual(roots(), ["v1", "v4"]);
  await both.model.put(answerTo([[1], [3]], { values: { layer: 0, root: 1 } }));
  assert.equal(shown(root), false);
  await both.model.put({ ...answerTo([[], []], { values: { layer: 0 } }), pills: { pills: [] } });
  assert.deepEqual([discs(both).length, notes(both).length], [0, 1]); // says to pick a target
  assert.equal(both.svg.getAttribute("aria-label"), notes(both)[0]);
});

// -- the bar

test("plain GNN and + distance change what the network is given, and back, by click and by key", async () => {
  const panel = await live(), [plain, encoded] = all(panel.root, ".de-bar [role=radio]");
  const checked = () => [plain, encoded].map((one) => one.getAttribute("aria-checked"));
  assert.deepEqual([encoded.textContent, checked(), plain.tabIndex, encoded.tabIndex], ["+ distance", ["false", "true"], -1, 0]);
  plain.click();
  await run();
  assert.deepEqual([panel.model.saved.at(-1).values, checked()], [{ ...traits().values, color_by: "1-WL" }, ["true", "false"]]);
  for (const key of ["ArrowRight", "ArrowUp", "ArrowLeft", "ArrowDown"]) {
    const before = panel.values().color_by;
    assert.ok((await panel.press(key, plain)).defaultPrevented);
    assert.deepEqual(
      [panel.values().color_by, document.activeElement], before === "SPD" ? ["1-WL", plain] : ["SPD", encoded]
    ); // round and round
  }
  assert.equal((await panel.press("Home", plain)).defaultPrevented, false);
  for (const [toggle, word] of [["LP", "walks"], ["mine", "mine"], ["RWSE", "returns"], ["zero-one", "marks"], ["DRNL", "labels"]]) {
    await panel.set({ toggle });
    assert.equal(encoded.textContent, `+ ${word}`);
  }
});

test("layers: three at least, as many as add something, never more than there are; keys keep the focus", async () => {
  const panel = await live({ layers: 6 }), names = () => texts(panel.root, ".de-layers button");
  assert.deepEqual([names(), panel.layer()], [["0", "1", "2", "3"], 2]);
  await panel.set({ layer: 5 });
  assert.deepEqual(names(), ["0", "1", "2", "3", "4", "5"]);
  all(panel.root, ".de-layers button")[5].focus();
  await panel.press("ArrowLeft", all(panel.root, ".de-layers button")[5]);
  assert.deepEqual([panel.layer(), document.activeElement?.textContent], [4, "4"]);
  all(panel.root, ".de-layers button")[1].click();
  await run();
  assert.deepEqual([panel.values().layer, panel.layer(), names().length], [1, 1, 4]);
  const path = { n: 12, edges: range(11).map((i) => [i, i + 1]) };
  const long = await single(path, [], { layers: 6, values: { layer: 0 }, plain: true });
  assert.deepEqual(texts(long.root, ".de-layers button").at(-1), "6"); // five layers add something, and one more
});

test("comma and period step through the layers, also to those that the kernel has yet to send", async () => {
  const panel = await live({ layers: 6 }), { max_layer: most } = panel.model.get("options");
  for (const [key, from, to] of [[",", 0, 0], [".", 0, 1], [".", most, most], [",", most, most - 1]]) {
    await panel.set({ layer: from });
    await panel.press(key);
    assert.equal(panel.values().layer, to);
  }
  const large = await live({ values: { layer: 3 }, layers: 3 });
  await large.press(".");
  assert.deepEqual([large.values().layer, large.layer()], [4, 3]); // shown once it is here
  const field = (await panel.drawer()).querySelector(".de-find");
  await panel.press(".", field); // typed into a field, it is text
  await panel.press(",", panel.canvas, { ctrlKey: true });
  assert.equal(panel.values().layer, most - 1);
});

test("Play steps from layer to layer while messages flow, and ends at the layer that tells them apart", async () => {
  const panel = await live({ values: { layer: 0, size: 1 } }), { root } = panel;
  const play = () => text(root, ".de-play");
  const messages = () => all(panel.svg, "circle").map((circle) => Number(circle.getAttribute("cy")));
  const onGraph = () => panel.canvas.pen.calls.filter(({ name, given }) => name === "arc" && given[2] < 6).length;
  button(root, "▶ Play").click();
  assert.match(play(), /Pause/);
  await run(400);
  assert.equal(panel.layer(), 0);
  await run(100);
  assert.equal(panel.layer(), 1);
  await run(300);
  const [first] = messages();
  assert.ok(onGraph() > 0 && first > 46);
  await run(200);
  assert.ok(messages()[0] < first); // upwards
  await run(6000);
  assert.deepEqual([panel.layer(), panel.values().layer, messages(), onGraph()], [2, 2, [], 0]);
  assert.match(play(), /Play/);
  await panel.press(" ", root); // from the end it starts over; a second press pauses where it is
  await run(100);
  await panel.press(" ", root);
  const paused = panel.values().layer;
  await run(6000);
  assert.deepEqual([panel.layer(), paused < 2, messages()], [paused, true, []]);
  for (const stop of [
    () => panel.click(8), () => all(root, ".de-layers button")[3].click(),
    () => panel.root.querySelector("[data-method=DE-LP]").click(),
  ]) { // what a reader does ends it
    await panel.set({ layer: 0 });
    button(root, "▶ Play").click();
    await run(800);
    await stop();
    assert.match(play(), /Play/);
    await run(6000);
    assert.ok(/Play/.test(play()) && panel.layer() === panel.values().layer);
  }
  assert.equal((await panel.press(" ", button(root, "More"))).defaultPrevented, false); // it presses the button
  await change({ calm: true });
  await panel.set({ layer: 0 });
  button(root, "▶ Play").click();
  await run(1300);
  assert.deepEqual([panel.layer(), messages()], [1, []]);
});

test("without a difference Play ends where no layer adds anything, after two at least, and at the last layer that is here", async () => {
  const path = { n: 12, edges: range(11).map((i) => [i, i + 1]) };
  const none = { pills: { pills: [pill("1-WL", null), pill("DE-SPD", null)] } };
  for (const [graph, targets, more, last] of [
    [path, [[]], { plain: true, layers: 6 }, 5], [path, [[]], { plain: true, layers: 4 }, 4], [B, [[0]], {}, 2],
    [B, [[0]], { layers: 1 }, 1],
  ]) {
    const panel = await openPanel(liveModel(world([graph], targets, { values: { layer: 0 }, ...none, ...more })));
    button(panel.root, "▶ Play").click();
    await run(40000);
    assert.equal(panel.values().layer, last);
  }
});

test("an example is asked of the kernel; a graph of one's own is listed by its title", async () => {
  const panel = await live(), menu = menuOf(panel.root, "Example");
  assert.deepEqual([menu.children.map((option) => option.textContent), menu.value], [["triangles and hexagon", "Figure 1", "Hexagon"], '""']);
  choose(menu, "");
  choose(menu, "fig1");
  assert.deepEqual(panel.model.sent, [{ kind: "do", name: "example", key: "fig1" }]);
  await panel.model.put({ graphs: { ...panel.model.get("graphs"), example: "hexagon" } });
  assert.deepEqual([menu.children.length, menu.value], [2, '"hexagon"']);
});

// -- the verdict

test("a pill for each method says its answer and shows it; one that comes afterwards only once it is chosen", async () => {
  const panel = await live(), row = () => panel.root.querySelector(".de-pills");
  const words = () => Object.fromEntries(all(row(), ".de-pill").map((one) => [one.dataset.method, [text(one, "b"), one.tagName]]));
  assert.deepEqual(
    words(),
    {
      "1-WL": ["✕", "button"], "DE-SPD": ["✓ layer 2", "button"], "DE-LP": ["✓ layer 0", "button"],
      "DEA-SPD": ["✓ layer 1", "button"], "2-WL": ["✓ layer 2", "span"],
    }
  );
  for (const [method, [color_by, toggle, hops]] of [
    ["DE-LP", ["LP", "LP", 1]], ["1-WL", ["1-WL", "LP", 1]], ["DEA-SPD", ["SPD", "SPD", 2]], ["DE-SPD", ["SPD", "SPD", 1]],
  ]) {
    const made = panel.root.querySelector(`[data-method=${method}]`);
    assert.equal(made.title, `what ${method} does`);
    made.focus();
    made.click();
    await panel.model.put(seenAs(panel, { method }));
    assert.deepEqual(panel.values(), { ...traits().values, color_by, toggle, hops });
    assert.deepEqual(all(row(), "[aria-pressed=true]").map((one) => one.dataset.method), [method]);
    assert.equal(document.activeElement.dataset.method, method);
  }
  await panel.model.put(seenAs(panel, { method: "DRNL", color_by: "DRNL" }));
  assert.equal(words().DRNL[0], "✓ layer 2");
  panel.root.querySelector("[data-method=DRNL]").click();
  assert.deepEqual([panel.values().color_by, panel.values().toggle], ["DRNL", "DRNL"]);
  await panel.set({ toggle: "mine", hops: 2 });
  await panel.model.put({ pills: { pills: [
    pill("mine", null), { method: "DE-LP", title: "walks", what: "" }, pill("DE-SPD", 1, { skipped: "too large" }),
  ] } });
  assert.deepEqual(Object.values(words()).map(([word]) => word), ["✕", "…", "–"]);
  panel.root.querySelector("[data-method=mine]").click();
  assert.deepEqual([panel.values().color_by, panel.values().hops], ["mine", 1]);
  await panel.model.put({ ...world([B], [[0]]) });
  assert.equal(shown(row()), false);
});

test("what is compared with a plain GNN follows the toggle and the reach", async () => {
  const panel = await live({ plain: true }), headline = () => text(panel.root, ".de-headline");
  for (const [values, layer] of [
    [{ toggle: "SPD", hops: 1 }, "2 layers"], [{ toggle: "SPD", hops: 2 }, "1 layer"],
    [{ toggle: "LP", hops: 2 }, "before layer 1"], [{ toggle: "DRNL" }, "2 layers"],
  ]) {
    await panel.set(values);
    assert.ok(headline().includes(layer), headline());
  }
  await panel.model.put({ pills: { pills: [pill("1-WL", null), pill("mine", 5)] } });
  for (const toggle of ["mine", "of yesterday"]) { // the last one, where an encoding is not there
    await panel.set({ toggle });
    assert.ok(headline().includes("5 layers"), headline());
  }
});

test("all reasons are a table that closes by key, by button and where there is nothing to say", async () => {
  const panel = await live(), more = button(panel.root, "All reasons");
  const table = panel.root.querySelector(".de-reasons");
  const rows = () => all(table, "tr").slice(1).map((tr) => tr.children.map((td) => td.textContent));
  assert.equal(shown(table), false);
  more.click();
  assert.ok(shown(table) && more.getAttribute("aria-expanded") === "true");
  assert.deepEqual(
    rows().map(([method, apart]) => [method, apart]),
    [
      ["1-WL", "no"], ["DE-SPD", "yes, after 2 layers"], ["DE-LP", "yes, at layer 0"], ["DEA-SPD", "yes, after 1 layer"],
      ["2-WL", "yes, after 2 layers"], ["DRNL", "yes, after 2 layers"],
    ]
  );
  assert.equal(rows()[1][2], text(panel.root, ".de-reason").replace(/ All reasons$/, ""));
  await panel.model.put({ pills: { pills: [{ method: "1-WL", title: "", what: "" }, pill("DE-SPD", 1, { skipped: "skipped: large" })] } });
  assert.deepEqual(rows().map(([, apart, because]) => [apart, because]), [["computing", ""], ["not computed", "Skipped: large."]]);
  const escape = () => panel.press("Escape", more);
  for (const close of [escape, () => button(table, "Close").click(), () => more.click()]) {
    if (!shown(table)) more.click();
    await close();
    assert.deepEqual([shown(table), more.getAttribute("aria-expanded")], [false, "false"]);
    if (close !== escape) continue;
    assert.equal(document.activeElement, more);
    await panel.drawer();
    await panel.press("Escape", more); // nothing to close here: it goes on to the drawer
    assert.equal(panel.model.get("view").open, "");
  }
  for (const change of [{ pills: { pills: [] } }, { lesson: { kind: "tour", key: "hexagon", at: 0, of: 2, text: "Look." }, pills: PILLS }]) {
    if (shown(more)) more.click();
    await panel.model.put(change);
    assert.deepEqual([shown(table), shown(more)], [false, false]);
    await panel.model.put({ pills: PILLS, lesson: {} });
  }
});

test("words are explained where they stand, one tip at a time, inside the panel", async () => {
  const panel = await live(), tip = panel.root.querySelector(".de-term-tip"), [name, , line] = panel.model.get("options").words[0];
  button(panel.root, "All reasons").click();
  await panel.model.put({ pills: { pills: [pill("DE-LP", 4)] } });
  const term = panel.root.querySelector(".de-reasons .de-term");
  assert.equal(shown(tip), false);
  for (const [left, placed] of [[130, 100], [0, 4], [1000, 420 - 6 * `${name}: ${line}`.length - 4]]) {
    term.getBoundingClientRect = () => ({ left, bottom: 70 });
    term.fire("pointerover");
    assert.deepEqual([shown(tip), tip.textContent, tip.style.left, tip.style.top], [true, `${name}: ${line}`, `${placed}px`, "54px"]);
  }
  panel.root.fire("pointerover");
  assert.equal(shown(tip), false);
});

// -- the drawer

test("each setting changes what it says and nothing else", async () => {
  const panel = await live({ layers: 1, values: { layer: 1, hops: 3, toggle: "LP", color_by: "LP" } }, [[0, 1], [0, 1]]);
  const { model } = panel;
  await model.put({ ...seenAs(panel, { columns: ["near", "far"] }), graphs: { ...model.get("graphs"), more: true } });
  const drawer = await panel.drawer(), ticks = all(drawer, ".de-tick");
  const field = (label) => all(drawer, ".de-number").find((one) => one.textContent.startsWith(label)).querySelector("input");
  const does = async (act, trait, changes) => {
    const before = { ...model.get(trait) }, count = model.saved.length;
    await act();
    await run();
    assert.deepEqual(model.saved.slice(count), [{ [trait]: { ...before, ...changes } }]);
  };
  await does(() => choose(menuOf(drawer, "Encoding"), "SPD"), "values", { toggle: "SPD", color_by: "SPD" });
  await does(() => choose(menuOf(drawer, "Encoding"), "LP"), "values", { toggle: "LP", color_by: "LP", hops: 1 });
  await does(() => choose(menuOf(drawer, "Column"), 1), "values", { column: 1 });
  await does(() => choose(menuOf(drawer, "Targets"), 2), "values", { size: 2 });
  await does(() => choose(menuOf(drawer, "Layout"), "circular"), "values", { layout: "circular" });
  await does(() => choose(menuOf(drawer, "Root"), 1), "values", { root: 1 });
  await does(() => setTick(ticks[0], true), "values", { cut: true });
  await does(() => setTick(ticks[2], true), "view", { named: true });
  await does(() => button(drawer, "tree").click(), "view", { form: "tree" });
  for (const [label, name, typed] of [
    ["steps", "step", [["3", 3], ["2.6", 3], ["99", 20], ["100", 20], ["-1", 0], ["x", 0]]],
    ["hops", "hops", [["3", 3], ["9", 4], ["-3", 1], ["", 1]]],
  ]) {
    for (const [given, kept] of typed) {
      type(field(label), given);
      assert.deepEqual([panel.values()[name], Number(field(label).value)], [kept, kept]); // the field shows what is kept
    }
  }
  setTick(ticks[1], false);
  button(drawer, "Draw more nodes").click();
  assert.deepEqual(model.sent, [{ kind: "do", name: "compare", on: false }, { kind: "do", name: "more" }]);
  await panel.set({ size: 5, layout: "force" });
  assert.deepEqual(menuOf(drawer, "Targets").children.map((option) => option.value), ["0", "1", "2", "3", "5"]);
  assert.deepEqual(
    ["Encoding", "Column", "Targets", "Layout", "Root"].map((label) => menuOf(drawer, label).value),
    ['"LP"', "1", "5", '"force"', "1"]
  );
  assert.deepEqual(ticks.map((tick) => tick.querySelector("input").checked), [true, true, true]);
});

test("settings are there where they have an effect", async () => {
  const panel = await live({ values: { toggle: "SPD" } }), drawer = await panel.drawer();
  const rows = () => ["Column", "Root"].map((label) => shown(menuOf(drawer, label))).concat(
    ["steps", "hops"].map((label) => shown(all(drawer, ".de-number").find((one) => one.textContent.startsWith(label)))),
    shown(button(drawer, "Draw more nodes"))
  );
  assert.deepEqual(rows(), [false, false, false, true, false]); // column, root, steps, hops, more
  await panel.set({ toggle: "LP" });
  assert.deepEqual(rows(), [false, false, true, false, false]);
  await panel.set({ toggle: "mine" });
  await panel.model.put(seenAs(panel, { columns: ["one"] }));
  assert.deepEqual(rows(), [false, false, false, true, false]);
  await panel.model.put(seenAs(panel, { columns: ["one", "two"] }));
  await panel.model.put({ targets: [[0], [0, 1]], graphs: { ...panel.model.get("graphs"), more: true } });
  assert.deepEqual(rows(), [true, true, false, true, true]);
  await panel.model.put({ ...world([B], [[0, 1]]), view: panel.model.get("view") });
  assert.equal(shown(menuOf(drawer, "Root")), false);
  assert.equal(all(drawer, ".de-tick")[1].querySelector("input").checked, false); // nothing is compared
});

test("the drawer opens, changes its page and closes; what it shows stays current and where the reader is", async () => {
  const panel = await live(), more = button(panel.root, "More"), drawer = await panel.drawer();
  const tabs = () => all(drawer, ".de-tabs button");
  assert.deepEqual([shown(drawer), more.getAttribute("aria-expanded")], [true, "true"]);
  assert.deepEqual([texts(drawer, ".de-tabs button").length, tabs()[0].getAttribute("aria-checked")], [4, "true"]);
  const body = drawer.querySelector(".de-drawer-body"), size = menuOf(drawer, "Targets");
  Object.assign(body, { scrollTop: 40 });
  size.focus();
  await panel.set({ layer: 1 });
  assert.deepEqual([body.scrollTop, document.activeElement], [40, size]);
  await panel.drawer(3);
  assert.equal(body.scrollTop, 0);
  for (const [name, , line] of panel.model.get("options").words) assert.ok(texts(drawer, "dt").includes(name) && texts(drawer, "dd").includes(line));
  const [row] = body.children;
  await panel.set({ layer: 2 });
  assert.equal(body.children[0], row); // not written again
  await panel.model.put({ graphs: { ...panel.model.get("graphs"), idea: "Another idea." } });
  assert.ok(body.textContent.includes("Another idea."));
  const inside = [() => panel.press("Escape", drawer), () => button(drawer, "Close").click()];
  for (const close of [...inside, () => more.click(), () => panel.press("Escape", panel.tree)]) {
    if (!shown(drawer)) await panel.drawer();
    tabs()[0].focus();
    await close();
    await run();
    assert.deepEqual([panel.model.get("view").open, shown(drawer), more.getAttribute("aria-expanded")], ["", false, "false"]);
    assert.equal(document.activeElement === more, inside.includes(close));
  }
});

test("search finds names, best first, picks without taking a target away, and leaves nothing behind", async () => {
  const names = ["ab", "Abc", "xab", "x", "q", "AB"];
  const panel = await openPanel(liveModel(world([{ ...B, names }], [[4]], { values: { size: 2 } })));
  await panel.model.put({ graphs: { ...panel.model.get("graphs"), notes: ["", "", "", "an ab note", "", ""] } });
  const drawer = await panel.drawer(), field = drawer.querySelector(".de-find");
  const items = () => all(drawer, ".de-matches li");
  const active = () => items().findIndex((li) => li.classList.contains("de-active"));
  const find = async (word) => { type(field, word); await run(200); };
  await find(" aB ");
  assert.deepEqual(texts(drawer, ".de-matches b"), ["ab", "AB", "Abc", "xab", "x"]);
  assert.deepEqual([field.getAttribute("aria-expanded"), items().at(-1).textContent], ["true", "xan ab note"]);
  for (const [key, at] of [["ArrowUp", 0], ["ArrowDown", 1], ["ArrowDown", 2], ["ArrowUp", 1]]) {
    assert.ok((await panel.press(key, field)).defaultPrevented); // the cursor in the field stays
    assert.equal(active(), at);
  }
  await panel.press("Enter", field);
  assert.deepEqual([panel.model.saved.at(-1).targets, panel.stage.dataset.cursor, field.value, items().length], [[[4, 5]], "5", "", 0]);
  assert.ok(shown(panel.root.querySelector(".de-left .de-tip")) && document.activeElement === panel.canvas);
  await find("q");
  assert.ok(items()[0].fire("pointerdown").defaultPrevented);
  assert.deepEqual([panel.model.get("targets"), panel.stage.dataset.cursor], [[[4, 5]], "4"]); // it is one already, and stays one
  await find("x");
  const first = await panel.press("Escape", field);
  assert.deepEqual([first.stopped, field.value, items().length, shown(field)], [true, "", 0, true]);
  await find("x");
  await find("");
  assert.deepEqual([items().length, field.getAttribute("aria-expanded")], [0, "false"]);
  await panel.press("Enter", field); // nothing is picked
  await panel.press("Escape", field);
  assert.equal(shown(field), false);
  assert.deepEqual(t.searchNames({ names: range(30).map((i) => `v${i}`), notes: [] }, "v").length, 12);
});

test("a file is uploaded in slices that together are the file, and a path is opened", async () => {
  const panel = await live(), drawer = await panel.drawer(1), { model } = panel;
  const input = all(drawer, "input").find((one) => one.type === "file");
  const content = new Uint8Array(Buffer.alloc(9_000_001, "0123456789 abc"));
  const upload = async (name, { buffer }) => { input.files = [{ name, arrayBuffer: async () => buffer }]; input.fire("change"); await run(100); };
  input.value = "C:\\my.csv";
  await upload("my.csv", content);
  assert.ok(model.sent.every(({ kind, name, size }) => kind === "upload" && name === "my.csv" && size === content.length));
  assert.ok(model.sent.every(({ buffers }) => buffers[0].byteLength <= 4_000_000));
  assert.deepEqual(model.sent.map(({ at }) => at), [0, 4_000_000, 8_000_000]);
  assert.equal(Buffer.compare(Buffer.concat(model.sent.map(({ buffers }) => Buffer.from(buffers[0]))), Buffer.from(content)), 0);
  assert.equal(input.value, ""); // so that the same file can be chosen again
  await upload("empty.csv", new Uint8Array(0));
  await upload("whole.csv", new Uint8Array(4_000_000));
  assert.deepEqual(["empty.csv", "whole.csv"].map((name) => model.sent.filter((one) => one.name === name).length), [1, 1]);
  input.files = [];
  input.fire("change"); // the choice was cancelled
  const path = drawer.querySelector(".de-path"), count = model.sent.length;
  for (const typed of ["  ", " data/my.csv "]) { path.value = typed; path.fire("keydown", { key: "Enter" }); }
  path.fire("keydown", { key: "x" });
  assert.equal(model.sent.length, count + 1);
  button(drawer, "Open the file").click();
  assert.deepEqual(model.sent.slice(count), range(2).map(() => ({ kind: "do", name: "open", path: "data/my.csv" })));
});

test("how far a file is, what came of it, and that it can be cancelled", async () => {
  const panel = await live(), drawer = await panel.drawer(1), opened = drawer.querySelector(".de-opened");
  const put = (opening) => panel.model.put({ opening });
  for (const percent of [0, 40]) {
    await put({ name: "<b>.csv", percent, what: "reading" });
    for (const fact of ["<b>.csv", `${percent} %`]) assert.ok(opened.textContent.includes(fact), fact);
    assert.equal(opened.querySelector("progress").value, percent);
  }
  const cancel = button(opened, "Cancel");
  cancel.focus();
  await put({ name: "my.csv", percent: 50, what: "reading" });
  assert.equal(document.activeElement, cancel);
  cancel.click();
  assert.deepEqual(panel.model.sent, [{ kind: "do", name: "cancel" }]);
  await put({ name: "my.csv", facts: [["nodes", "12"], ["edges", "9"]] });
  assert.deepEqual([texts(opened, "dt"), texts(opened, "dd")], [["nodes", "edges"], ["12", "9"]]);
  await put({ name: "my.csv", note: "is not a graph" });
  assert.ok(/my\.csv is not a graph/.test(opened.textContent) && !button(opened, "Cancel"));
  assert.ok(shown(drawer.querySelector(".de-path")));
  await panel.model.put({ options: { ...panel.model.get("options"), paths: false } }); // as on a web server
  assert.ok(!shown(drawer.querySelector(".de-path")));
});

test("pictures, pages and code are asked of the kernel, and what it sends is saved or copied", async () => {
  const panel = await live(), drawer = await panel.drawer(2), { model } = panel;
  const shares = {
    "Save as a page": "page", "Graph PNG": "graph.png", "Graph SVG": "graph.svg", "Subtrees PNG": "tree.png",
    "Subtrees SVG": "tree.svg", "Ego-network": "ego", "Copy Python": "code",
  };
  for (const [label, what] of Object.entries(shares)) {
    button(drawer, label).click();
    assert.deepEqual(model.sent.at(-1), { kind: "do", name: "export", what });
  }
  assert.ok(button(drawer, "Copied") && !button(drawer, "Copy Python"));
  await run(1600);
  assert.ok(button(drawer, "Copy Python"));
  model.tell({ kind: "copy", text: "import degnn_explore" });
  model.tell({ kind: "download", name: "graph.svg", mime: "image/svg+xml", text: "<svg/>" });
  model.tell({ kind: "download", name: "graph.png", mime: "image/svg+xml", text: "<svg/>" });
  await run();
  assert.equal(copied.at(-1), "import degnn_explore");
  assert.deepEqual(downloads.slice(-2).map(({ download }) => download), ["graph.svg", "graph.png"]);
  const [drawing, picture] = await Promise.all(downloads.slice(-2).map(async ({ href }) => (await (await fetch(href)).text())));
  assert.ok(drawing === "<svg/>" && /^250 x 100: drawImage .*<svg\/>/.test(picture));
});

test("errors and work are shown; text is text and never markup; a message can be closed", async () => {
  const panel = await live(), box = panel.root.querySelector(".de-error"), busy = panel.root.querySelector(".de-busy");
  assert.deepEqual([shown(box), shown(busy)], [false, false]);
  await panel.model.put({ busy: "computing …", error: { text: "<b>no</b>", details: "line 3" } });
  assert.deepEqual(
    [text(box, "span"), text(box, "pre"), busy.textContent, shown(box), shown(busy)],
    ["<b>no</b>", "line 3", "computing …", true, true]
  );
  button(box, "Close this message").click();
  assert.deepEqual([shown(box), document.activeElement], [false, panel.canvas]);
  await panel.model.put({ busy: "", error: { text: "again", details: "" } });
  assert.deepEqual([shown(busy), shown(box), box.querySelector("pre")], [false, true, null]);
  await panel.model.put({ error: {} });
  assert.equal(shown(box), false);
});

test("letters typed in the panel do nothing to the notebook, but its own shortcuts with Ctrl work", async () => {
  const panel = await live(), { canvas } = panel, suppressed = () => canvas.getAttribute("data-lm-suppress-shortcuts");
  canvas.focus();
  assert.equal(suppressed(), "true");
  for (const more of [{ ctrlKey: true }, { metaKey: true }]) {
    assert.equal((await panel.press("s", canvas, more)).stopped, false);
    assert.equal(suppressed(), null);
    canvas.fire("keyup", { key: "s" });
    assert.equal(suppressed(), "true");
    assert.equal((await panel.press("Enter", canvas, more)).stopped, true); // it would run the cell
  }
  assert.deepEqual([(await panel.press("x")).stopped, suppressed()], [true, "true"]);
});

test("while its arrays are on their way a panel waits, then shows itself", async () => {
  const ready = traits(), el = document.createElement("div");
  document.body.append(el);
  for (const [given, waits] of [[{ ...ready, seen: {} }, true], [ready, false]]) { // at once
    const close = t.renderExplorer({ model: liveModel(given), el });
    assert.deepEqual([all(el, ".de-waiting").length > 0, text(el, ".de-headline") === ""], [waits, waits]);
    close();
  }
  el.remove();
  for (const missing of [{ seen: {} }, { graphs: {} }, { codes: bytes(new Uint16Array(3)) }, { classes: bytes(new Uint32Array(5)) }]) {
    const panel = await live(missing), [name] = Object.keys(missing);
    assert.ok(panel.root.classList.contains("de-waiting"), name);
    await panel.model.put({ targets: [[1], [0]], [name]: ready[name] });
    assert.ok(!panel.root.classList.contains("de-waiting") && panel.root.dataset.serial === "1", name);
  }
});

test("a panel that is closed while something arrives draws nothing more", async () => {
  const panel = await live();
  panel.model.set("values", { ...panel.values(), layer: 1 });
  panel.close();
  await run(0);
  assert.equal(clock.jobs.length, 0);
});

// -- lessons

test("a question hides verdict and trees until something is said, and judges it; the next one begins empty", async () => {
  const lesson = { kind: "ask", question: "Can a plain GNN tell them apart?", reply: null, expected: "" };
  const panel = await live({ lesson }), { root, model } = panel;
  const asking = () => root.classList.contains("de-is-asking");
  const reply = root.querySelector(".de-reply"), said = () => text(root, ".de-lesson");
  assert.deepEqual([asking(), panel.layer(), discs(panel).length], [true, 0, 0]); // nothing is given away
  assert.ok(said().includes(lesson.question) && !/hexagon|layers/.test(text(root, ".de-lesson-text")));
  const empty = said();
  button(root, "Show me").click();
  assert.ok(said() !== empty && document.activeElement === reply && !model.saved.length); // it asks for a guess
  reply.value = " yes ";
  await model.put({ pills: { ...PILLS, busy: true } }); // verdicts come while one types
  assert.equal(document.activeElement, reply);
  reply.fire("keydown", { key: "s" });
  reply.fire("keydown", { key: "Enter" });
  assert.deepEqual(model.saved, [{ lesson: { ...lesson, reply: "yes" } }]);
  await run(1000);
  assert.deepEqual([asking(), panel.layer()], [false, 2]);
  assert.ok(/“yes”.*right/.test(said()) && said().includes(text(root, ".de-headline")));
  assert.equal(document.activeElement, button(root, "Close"));
  await model.put({ lesson: { ...lesson, reply: "no" } });
  assert.match(said(), /“no”.*Not/);
  await model.put({ lesson: { ...lesson, reply: "maybe" } });
  assert.doesNotMatch(said(), /right|Not/);
  button(root, "Close").click();
  assert.deepEqual([model.saved.at(-1), document.activeElement], [{ lesson: {} }, panel.canvas]);
  await run();
  assert.equal(shown(root.querySelector(".de-lesson")), false);
  await model.put({ lesson });
  assert.deepEqual([reply.value, said()], ["", empty]);
  await panel.press("Escape", reply);
  assert.deepEqual(model.get("lesson"), {});
});

test("a tour: its steps forth and back, what to look at, and nothing else to press; it stays where it is left", async () => {
  const step = (at, more = {}) => ({
    kind: "tour", key: "hexagon", title: "", at, of: 3, text: `Step with a layer ${at}.`,
    look: ["graphs", "subtrees", "verdict"][at], ...more,
  });
  const panel = await live({ view: { open: "settings" }, lesson: step(0) }), { root, model } = panel;
  const label = () => text(root, ".de-lesson");
  const looks = [".de-left", ".de-right", ".de-strip"];
  for (const at of [0, 1, 2]) {
    await model.put({ lesson: step(at) });
    assert.ok(label().includes(`Step with a layer ${at}.`) && label().startsWith(`${at + 1} of 3`));
    assert.deepEqual(all(root, ".de-look").map((part) => looks.findIndex((look) => part.matches(look))), [at]);
    assert.deepEqual([button(root, "Back").disabled, root.classList.contains("de-is-story")], [at === 0, at < 2]);
    assert.deepEqual(
      [all(root, ".de-pills button").length, all(root, ".de-chosen").length, shown(root.querySelector(".de-drawer"))],
      [0, 1, false]
    );
    const next = button(root, at < 2 ? "Next" : "Finish");
    next.focus();
    next.click();
    assert.equal(document.activeElement, at < 2 ? next : panel.canvas); // by keys, too, one can go on
    if (at < 2) assert.deepEqual(model.sent.at(-1), { kind: "do", name: "tour", key: "hexagon", at: at + 1 });
  }
  assert.deepEqual([model.get("lesson"), model.saved.length], [{}, 1]);
  await model.put({ lesson: step(1) });
  button(root, "Back").click();
  assert.deepEqual(model.sent.at(-1), { kind: "do", name: "tour", key: "hexagon", at: 0 });
  button(root, "Leave").click();
  await run();
  assert.deepEqual([shown(root.querySelector(".de-lesson")), all(root, ".de-look").length], [false, 0]);
  const drawer = await panel.drawer(3);
  button(drawer, "Two triangles").click();
  assert.deepEqual([model.sent.at(-1), model.get("view").open], [{ kind: "do", name: "tour", key: "hexagon", at: 0 }, ""]);
});

// -- saved pages (what they answer is compared with Python in test_saved_page.py)

test("a saved page follows clicks and settings, and refuses with a note what is not recorded, until the next click", async () => {
  const panel = await savedPage("hexagon"), box = panel.root.querySelector(".de-error"), targets = () => panel.model.get("targets");
  await panel.set({ size: 0 });
  await panel.click(1);
  assert.deepEqual(targets(), [[0, 1], [0]]);
  assert.match(text(panel.root, ".de-headline"), /A has 2 targets, B has 1/);
  await panel.click(2); // three nodes are not recorded
  assert.deepEqual([targets(), panel.stage.dataset.targets, shown(box)], [[[0, 1], [0]], "[0,1,6]", true]);
  assert.ok(box.textContent.includes(panel.model.get("options").recorded.note));
  await panel.click(7);
  assert.deepEqual([targets(), shown(box)], [[[0, 1], [0, 1]], false]);
  await panel.set({ size: 1 }); // the one picked last stays
  assert.deepEqual(targets(), [[1], [1]]);
  await panel.set({ color_by: "LP", toggle: "LP" });
  assert.equal(panel.model.get("seen").method, "DE-LP");
  for (const i of [1, 7]) await panel.click(i);
  assert.match(text(panel.root, ".de-headline"), /^Pick/);
});

test("the drawer of a saved page offers what is recorded", async () => {
  const panel = await savedPage("hexagon"), drawer = await panel.drawer(), options = panel.model.get("options");
  const { recorded } = options;
  assert.deepEqual(
    menuOf(drawer, "Encoding").children.map((option) => JSON.parse(option.value)),
    options.colorings.map(([key]) => key).filter((key) => recorded.colorings.includes(key))
  );
  assert.deepEqual(menuOf(drawer, "Targets").children.map((option) => JSON.parse(option.value)), recorded.sizes);
  assert.deepEqual(
    [menuOf(drawer, "Layout"), ...all(drawer, ".de-tick input")].map((control) => [control.disabled, Boolean(control.title)]),
    [[true, true], [true, true], [true, true], [false, false]]
  );
  const hops = all(drawer, ".de-number").find((one) => one.textContent.startsWith("hops")).querySelector("input");
  type(hops, "3");
  assert.deepEqual([panel.values().hops, Number(hops.value)], [2, 2]);
  assert.ok(shown(all(drawer, ".de-note").at(-1)) && text(drawer, ".de-drawer-body").includes(recorded.note));
  await panel.set({ toggle: "LP", color_by: "LP" });
  assert.equal(shown(all(drawer, ".de-number").find((one) => one.textContent.startsWith("steps"))), false);
  for (const tab of [1, 2]) assert.equal(all(await panel.drawer(tab), ".de-drawer-body button").length, 0);
  await panel.drawer(3);
  for (const [key, title] of options.tours) assert.equal(button(drawer, title).disabled, !recorded.tours.includes(key));
  assert.ok(menuOf(panel.root, "Example").disabled);
});

test("a tour of a saved page shows every step, and the panel stays where it is left", async () => {
  const panel = await savedPage("hexagon", "hexagon"), { model, root } = panel, steps = records.hexagon.tours.hexagon;
  assert.ok(steps.length > 2);
  for (const [k, step] of steps.entries()) {
    assert.ok(text(root, ".de-lesson").startsWith(`${k + 1} of ${steps.length}`) && text(root, ".de-lesson").includes(step.text));
    assert.deepEqual(
      [model.get("targets"), model.get("seen").color_by, model.get("lesson").look],
      [step.targets, step.values.color_by, step.look]
    );
    assert.equal(panel.values().toggle === "1-WL", false);
    button(root, k + 1 < steps.length ? "Next" : "Back").click();
    await run(1000);
  }
  assert.equal(model.get("lesson").at, steps.length - 2);
  button(root, "Leave").click();
  await run();
  assert.deepEqual([shown(root.querySelector(".de-lesson")), model.get("targets")], [false, steps.at(-2).targets]);
  const without = await savedPage("one", "hexagon"); // a tour that the page could not hold
  assert.ok(!shown(without.root.querySelector(".de-lesson")) && discs(without).length);
});
