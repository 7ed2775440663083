// A Training Board opened on a page without a browser (page.mjs): what it shows of the kernel's state, what it asks for.
import assert from "node:assert/strict";
import { afterEach, test } from "node:test";
import { BLUE, boardTraits, MODELS, progress, READY, RED, RESULT, ROWS, WHY } from "./boards.mjs";
import { load } from "./load.mjs";
import {
  all, button, change, choose, clock, copied, DARK, downloads, LIGHT, liveModel, mediaListeners, menuOf, observers, open,
  pointer, run, setTick, shown, text, texts, type,
} from "./page.mjs";

const t = await load(...JSON.parse(process.env.MODULES), "charts", "board");
const plotlyPage = (changes = {}) => Object.assign(
  globalThis, { [Symbol.for("degnn plotly")]: { asked: -1e9, patience: 4000, made: null, ...changes } }
)[Symbol.for("degnn plotly")];

const opened = [];
afterEach(async () => { // a closed board lets go of everything
  await change({ width: 420, height: 300, ...LIGHT });
  for (const { root, close, model } of opened.splice(0)) {
    close();
    assert.equal(root.parentElement, null);
    await model.put({ chart: { data: [] }, result: { rows: ROWS } });
    await run(100);
    assert.equal([...model.listeners.values()].flat().length, 0);
  }
  assert.deepEqual([observers.size, mediaListeners.size], [0, 0]);
  await run(60000);
  assert.equal(clock.jobs.length, 0);
});
async function board(changes = {}) {
  const model = liveModel(boardTraits(changes)), panel = await open(t.renderBoard, model);
  opened.push({ ...panel, model });
  const find = (selector) => panel.root.querySelector(selector);
  return {
    ...panel, model, find, text: (selector) => text(panel.root, selector),
    messages: () => model.sent.filter(({ kind }) => kind !== "plotly?"), drawer: find(".de-drawer"), go: find(".de-go"),
  };
}
const doing = (name, content = {}) => ({ kind: "do", name, ...content });
const running = (more = {}) => ({ go: {
  running: true, meaning: "cancel", label: "Cancel", about: "", progress, where: "on 2 cores", ...more,
} });

test("before a race: what can be chosen, which models there are, and one button that starts it", async () => {
  const { root, model, find, text: words, go, messages } = await board();
  assert.deepEqual(texts(menuOf(root, "Question"), "option"), ["links of karate", "roles of karate", "triangles of karate"]);
  assert.deepEqual(
    [texts(menuOf(root, "Seeds"), "option"), menuOf(root, "Seeds").value],
    [[1, 2, 3, 5, 10, 20].map((k) => `${k} seed${k > 1 ? "s" : ""}`), "2"]
  );
  assert.deepEqual([words(".de-models-button"), words(".de-headline")], ["2 models", "Which is better?"]);
  assert.deepEqual(all(root, ".de-racers dt").map((one) => [one.textContent, one.style.color]), [["GCN", RED], ["DE-GNN-SPD", BLUE]]);
  assert.deepEqual(
    [".de-none", ".de-chart", ".de-tab-bar", ".de-drawer", ".de-error"].map((part) => shown(find(part))),
    [true, false, false, false, false]
  );
  assert.deepEqual(texts(root, ".de-reason button").map((label) => shown(button(root, label))), [false, false]); // nothing is judged yet
  assert.deepEqual([go.textContent, go.title, go.disabled, go.dataset.meaning], ["Race", "Train them", false, "race"]);
  go.click();
  assert.deepEqual(messages(), [doing("go", { meaning: "race", values: boardTraits().values })]); // what was chosen, for a click may overtake it
  choose(menuOf(root, "Question"), "roles|karate");
  choose(menuOf(root, "Seeds"), 10);
  assert.deepEqual(
    model.saved.map(({ values }) => values),
    [{ ...boardTraits().values, question: "roles|karate" }, { ...boardTraits().values, question: "roles|karate", seeds: 10 }]
  );
  await model.put({ values: { ...model.get("values"), seeds: 7, models: ["GCN", "PGNN"] } });
  assert.deepEqual([menuOf(root, "Seeds").value, words(".de-models-button")], ["7", "GCN"]); // PGNN does not fit
});

test("while it waits for the kernel nothing can be started, and one that knows nothing yet stays empty", async () => {
  plotlyPage();
  const { root, model, go } = await board({ go: { ...READY, meaning: "wait" } });
  assert.ok(root.classList.contains("de-waiting") && go.disabled);
  assert.equal(model.sent.length, 0); // nor is plotly asked for
  await model.put({ go: READY });
  assert.ok(!root.classList.contains("de-waiting") && !go.disabled);
  assert.deepEqual(model.sent, [{ kind: "plotly?" }]);
  await model.put({ go: { ...READY, meaning: "done" } });
  assert.ok(go.disabled);
  const el = document.createElement("div");
  t.renderBoard({ model: liveModel(boardTraits()), el })();
  const close = t.renderBoard({ model: liveModel(boardTraits()), el });
  assert.equal(text(el, ".de-headline"), "Which is better?"); // at once
  close();
  const empty = await board({ form: {} });
  assert.equal(empty.text(".de-headline"), "");
  await empty.model.put({ form: boardTraits().form });
  assert.equal(empty.text(".de-headline"), "Which is better?");
});

test("the drawers: models by group, settings, how it is judged; one at a time", async () => {
  const { root, model, find, drawer } = await board(RESULT), inputs = () => all(drawer, "input");
  const expanded = () => [".de-models-button", ".de-more"].map((part) => find(part).getAttribute("aria-expanded"));
  const values = () => model.get("values");
  find(".de-models-button").click();
  assert.deepEqual([shown(drawer), expanded()], [true, ["true", "false"]]);
  assert.deepEqual(all(drawer, "h3").length, 3);
  assert.deepEqual(
    inputs().map((one) => [one.checked, one.disabled, one.style.accentColor]),
    [[true, false, RED], [false, true, RED], [true, false, BLUE], [false, false, RED]]
  );
  assert.deepEqual(
    MODELS.map(({ name, about }, k) => [name, about].every((word) => texts(drawer, ".de-tick")[k].includes(word))),
    [true, true, true, true]
  );
  inputs()[3].focus();
  for (const [k, on, models] of [[3, true, ["GCN", "DE-GNN-SPD", "Adamic-Adar"]], [0, false, ["DE-GNN-SPD", "Adamic-Adar"]]]) {
    setTick(all(drawer, ".de-tick")[k], on);
    await run();
    assert.deepEqual(
      [model.saved.at(-1), find(".de-models-button").textContent],
      [{ values: { ...boardTraits().values, models } }, `${models.length} models`]
    );
  }
  assert.equal(document.activeElement, inputs()[3]); // as one ticks, the focus stays
  button(root, "Settings").click();
  assert.deepEqual([texts(drawer, ".de-label"), expanded()], [["Epochs", "Device", "Runs at a time", "Layers"], ["false", "true"]]);
  const [epochs] = inputs();
  assert.equal(epochs.value, 30);
  for (const [given, kept] of [["12.4", 12], ["0", 1], ["99999", 10000]]) {
    type(epochs, given);
    assert.deepEqual([values().epochs, epochs.value], [kept, kept]);
  }
  for (const [label, name, value] of [["Device", "device", "auto"], ["Runs at a time", "workers", 1], ["Layers", "layers", 1]]) {
    const before = values();
    choose(menuOf(drawer, label), value);
    assert.deepEqual(model.saved.at(-1), { values: { ...before, [name]: value } });
  }
  await model.put({ values: { ...values(), layers: 2, device: "cpu" } });
  assert.deepEqual(["Layers", "Device"].map((label) => menuOf(drawer, label).value), ["2", '"cpu"']);
  const judged = button(root, "How is this judged?");
  judged.click();
  assert.deepEqual(texts(drawer, "p"), ["By AUC.", "On 60 sets."]);
  for (const close of [() => judged.click(), () => button(drawer, "Close").click(), () => root.fire("keydown", { key: "Escape" })]) {
    if (!shown(drawer)) judged.click();
    close();
    assert.deepEqual([shown(drawer), model.get("view").open], [false, ""]);
  }
  for (const name of ["Settings", "2 models"]) { // while they are raced nothing can be chosen
    await model.put({ go: READY });
    button(root, name).click();
    await model.put(running());
    assert.ok(all(drawer, "select, input").every((one) => one.disabled));
  }
});

test("a race can be cancelled", async () => {
  const { go, messages, model } = await board(running());
  assert.deepEqual([go.textContent, go.disabled], ["Cancel", false]);
  go.click();
  assert.deepEqual(messages(), [doing("go", { meaning: "cancel", values: model.get("values") })]);
});

test("a race: bars as far as they are, errors as they come, choices locked, where it runs", async () => {
  const { root, model, find } = await board(running()), bars = () => all(root, "[role=progressbar]");
  const titles = () => texts(root, ".de-head b");
  assert.deepEqual(
    bars().map((bar) => [
      bar.getAttribute("aria-label"), bar.getAttribute("aria-valuenow"), bar.getAttribute("aria-valuemax"),
      bar.children[0].style.width, bar.children[0].style.background,
    ]),
    [["GCN", "40", "100", "40%", RED], ["DE-GNN-SPD", "0", "100", "0%", BLUE]]
  );
  assert.ok(texts(root, ".de-progress-row")[0].includes("seed 1"));
  assert.deepEqual([all(root, ".de-run-errors [role=alert]").length, text(root, ".de-run-errors pre")], [1, "Traceback"]);
  assert.match(text(root, ".de-run-errors"), /DE-GNN-SPD.*out of memory/);
  assert.ok([menuOf(root, "Question"), menuOf(root, "Seeds"), find(".de-models-button")].every((one) => one.disabled));
  assert.deepEqual([titles()[1], all(root, ".de-racers dt").length, texts(root, ".de-note").includes("on 2 cores")], ["Progress", 0, true]);
  await model.put({ result: RESULT.result });
  assert.deepEqual([bars().length, titles()[1], shown(find(".de-tab-bar"))], [2, "Result", false]); // it still runs
  await model.put({ tab: { kind: "mistakes", columns: [], rows: [] } });
  assert.ok(shown(find(".de-tab-bar"))); // of the runs that have ended
  await model.put({ go: { ...READY, progress, where: "on 2 cores" } });
  assert.deepEqual(
    [bars().length, shown(find(".de-tab-bar")), texts(root, ".de-note").includes("on 2 cores"), find(".de-models-button").disabled],
    [0, true, false, false]
  );
  assert.equal(all(root, ".de-run-errors [role=alert]").length, 1); // it can still be read
});

test("a result: dots of every seed, interval, the paper's diamond, the mean in numbers and in words", async () => {
  const { root, model, find, messages } = await board(RESULT), dots = find(".de-dots"), heads = () => texts(root, ".de-head");
  assert.deepEqual(all(dots, ".de-mean").map((one) => [one.dataset.model, one.textContent]), [["DE-GNN-SPD", "90.4"], ["GCN", "76.1"]]);
  const circles = all(dots, "circle"), x = (one) => Number(one.getAttribute("cx"));
  const intervals = all(dots, "line").filter((one) => one.getAttribute("stroke-width"));
  assert.deepEqual(circles.map((one) => one.getAttribute("fill")), [BLUE, BLUE, BLUE, BLUE, RED, RED, RED]);
  const [low, , high, mean] = circles.map(x);
  assert.ok(low < mean && mean < high && intervals.length === 1); // one seed has no interval
  assert.match(text(dots, "title"), /DE-GNN-SPD.*89\.4/);
  assert.equal(dots.getAttribute("aria-label"), t.dotWords(ROWS, "AUC"));
  assert.ok(heads()[0].includes("AUC") && heads()[1].includes("◇"));
  assert.deepEqual([texts(root, ".de-racers dt"), text(root, ".de-reason").includes("Two seeds.")], [[], true]);
  button(root, "1 earlier run:").click();
  assert.deepEqual(messages(), [doing("earlier")]);
  await model.put({
    result: { rows: ROWS.map((row) => ({ ...row, paper: null })), metric: "AUC" },
    headline: { ...RESULT.headline, earlier: 2 },
  });
  await run(200);
  assert.ok(!heads()[1].includes("◇") && all(dots, "title").length === 0 && button(root, "2 earlier runs:"));
  await change({ ...DARK, width: 300, height: 100 });
  assert.equal(all(dots, "circle")[0].getAttribute("fill"), t.modelColor(BLUE, "dark"));
  assert.ok(all(dots, "circle").every((one) => x(one) < 300 && Number(one.getAttribute("cy")) < 100));
  assert.deepEqual([root.dataset.theme, root.style["--de-text"]], ["dark", t.PALETTE.dark.text]);
  for (const [height, size] of [[76, "13"], [75, "11"]]) { // rows of 22 pixels, and lower ones
    await change({ height });
    assert.equal(all(dots, "text").find((one) => one.textContent === "GCN").getAttribute("font-size"), size);
  }
  await model.put({ result: {} });
  await run(200);
  assert.equal(dots.style.display, "none");
});

test("tabs: their names by the question, tables, links of a row, and files", async () => {
  const table = {
    kind: "mistakes", columns: ["set", "score"], rows: [{ cells: ["<b>0</b>, 9", "0.91"], nodes: [0, 9], seed: 1 }],
    note: "Of 60.",
  };
  const { root, model, find, messages } = await board({ ...RESULT, tab: table }), listed = find(".de-listed");
  const tabs = () => all(find(".de-tab-bar"), "[role=radio]");
  assert.deepEqual(
    tabs().map((one) => [one.textContent, one.getAttribute("aria-checked")]),
    [["Mistakes", "true"], ["By distance", "false"], ["Ask about a pair", "false"], ["Missing links", "false"]]
  );
  assert.deepEqual(
    [texts(listed, "td"), texts(listed, "th"), texts(listed, ".de-note")],
    [["<b>0</b>, 9", "0.91", "Why? · Open"], ["set", "score", ""], ["Of 60."]]
  );
  button(listed, "Why?").click();
  assert.deepEqual([messages().at(-1), model.get("view").tab], [doing("open", { nodes: [0, 9], seed: 1, why: true }), "ask"]);
  tabs()[1].click();
  assert.deepEqual([messages().at(-1), texts(listed, "td")], [doing("tab", { tab: "distance" }), []]); // not the mistakes under another name
  await model.put({ tab: { kind: "distance", columns: ["distance", "accuracy"], rows: [{ cells: ["1", "97 %"] }] } });
  assert.deepEqual(texts(listed, "td"), ["1", "97 %"]); // no set, so no links
  const [cell] = all(listed, "td");
  await model.put({ values: { ...model.get("values"), epochs: 31 } });
  assert.equal(all(listed, "td")[0], cell); // not written again
  tabs()[3].click();
  await model.put({ tab: { kind: "missing", busy: "Scoring …" } });
  assert.ok(listed.textContent.includes("Scoring …"));
  button(listed, "Stop").click();
  assert.deepEqual(messages().at(-1), doing("tab", { tab: "missing" }));
  await model.put({ tab: { kind: "missing", near: "Zachary", columns: ["pair"], rows: [{ cells: ["0, 9"], nodes: [0, 9] }] } });
  assert.ok(texts(listed, ".de-note")[0].includes("Zachary"));
  button(listed, "Open").click();
  assert.deepEqual(messages().at(-1), doing("open", { nodes: [0, 9], why: false }));
  tabs()[0].click();
  await model.put({ tab: { kind: "mistakes", busy: "Judging …" } });
  assert.equal(button(listed, "Stop"), undefined);
  await model.put({ tab: { kind: "mistakes", columns: ["set"], rows: [] } });
  assert.equal(listed.querySelector("table"), null);
  for (const [label, what] of [["Report", "report"], ["CSV", "csv"], ["LaTeX", "latex"], ["Copy code", "code"]]) {
    button(root, label).click();
    assert.deepEqual(messages().at(-1), doing("download", { what }));
  }
  assert.ok(button(root, "Copied") && !button(root, "Copy code"));
  await run(1600);
  assert.ok(button(root, "Copy code"));
  for (const [question, names] of [
    ["roles|karate", ["Mistakes", "By class", "Ask about a node"]],
    ["triangles|karate", ["Mistakes", "By distance", "Ask about three nodes"]],
  ]) {
    await model.put({ values: { ...model.get("values"), question } });
    assert.deepEqual(tabs().map((one) => one.textContent), names);
  }
});

test("Ask: the scores of a set, the truth, why, and the Explorer inside", async () => {
  const answer = { text: "0 and 9", nodes: [0, 9], scores: [{ model: "GCN", color: BLUE, score: "12 %" }], truth: "They are linked." };
  const { root, model, find, messages } = await board({ ...RESULT, view: { tab: "ask" }, answer });
  const box = find(".de-answer"), why = find(".de-why");
  assert.ok(root.classList.contains("de-is-ask") && shown(find(".de-ask")) && !shown(find(".de-listed")));
  for (const fact of ["0 and 9", "GCN", "12 %", "They are linked."]) assert.ok(box.textContent.includes(fact), fact);
  assert.equal(box.querySelector(".de-swatch").style.background, BLUE);
  await change(DARK);
  assert.equal(box.querySelector(".de-swatch").style.background, t.modelColor(BLUE, "dark"));
  assert.equal(shown(why), false);
  button(box, "Why?").click();
  assert.deepEqual(messages(), [doing("why")]);
  await model.put({ answer: { ...answer, why: { busy: "Looking …" } } });
  assert.equal(why.textContent, "Looking …");
  await model.put({ inner_view: { open: "settings" }, answer: { ...answer, why: WHY } });
  assert.deepEqual([shown(why), button(box, "Why?"), model.get("inner_view").open], [true, undefined, ""]); // it takes the place of the drawer
  assert.equal(all(why, ".de-item").length, 3);
  assert.deepEqual([texts(why, "td"), text(why, "b"), menuOf(why, "Model").value], [["0, 1", "+3"], "GCN says 12 %", '"GCN"']);
  choose(menuOf(why, "Model"), "DE-GNN-SPD");
  button(why, "Close").click();
  assert.deepEqual(messages().slice(1), [doing("why", { model: "DE-GNN-SPD" }), doing("why", { close: true })]);

  const inner = find(".de-explorer"), stage = inner.querySelector(".de-stage"), canvas = stage.querySelector("canvas");
  await run(1000);
  const edgeLayer = () => canvas.pen.calls.find(({ name }) => name === "drawImage").given[0].pen.calls;
  const speaking = () => edgeLayer().filter(({ name, strokeStyle }) => name === "stroke" && strokeStyle === t.PALETTE.dark.good);
  assert.deepEqual(
    speaking().flatMap(({ given }) => given[0].parts.map(([, x, y]) => [x, y])), [0, 1].map(stage.whereIs)
  ); // the edge that speaks for it
  await model.put({ answer });
  await run(100);
  assert.ok(!shown(why) && speaking().every(({ given }) => !given[0].parts.length));
  for (const type of ["pointerdown", "pointerup"]) canvas.fire(type, pointer(stage.whereIs(5)));
  assert.deepEqual(model.saved.at(-1).inner_targets, [[9, 5]]);
  button(inner, "More").click();
  await run();
  assert.deepEqual(model.saved.at(-1), { inner_view: { open: "settings" } });
  assert.equal(all(inner, ".de-tabs button").length, 3); // no other graph can be opened here
  all(inner, ".de-tabs button")[1].click();
  await run();
  button(inner, "Copy Python").click();
  assert.deepEqual(messages().at(-1), { kind: "inner", content: doing("export", { what: "code" }) });
  model.tell({ kind: "inner", content: { kind: "copy", text: "of the inner one" } });
  assert.equal(copied.at(-1), "of the inner one");
  opened.at(-1).close();
  model.tell({ kind: "inner", content: { kind: "copy", text: "too late" } });
  assert.equal(copied.at(-1), "of the inner one");
});

test("before the graph is there Ask says so", async () => {
  const { find, model } = await board({ ...RESULT, view: { tab: "ask" }, inner_graphs: {} });
  assert.ok(text(find(".de-ask"), ".de-answer").length > 5 && !find(".de-explorer"));
  await model.put({ inner_graphs: boardTraits().inner_graphs });
  assert.ok(find(".de-explorer"));
});

test("errors can be read and closed; files and code arrive; keys stay inside", async () => {
  const { root, model, find, go } = await board(), box = find(".de-error");
  await model.put({ error: { text: "<i>bad</i>", details: "line 3" } });
  assert.deepEqual([shown(box), text(box, "span"), text(box, "pre")], [true, "<i>bad</i>", "line 3"]);
  button(box, "Close this message").click();
  assert.equal(shown(box), false);
  await model.put({ error: { text: "again" } });
  assert.deepEqual([shown(box), box.querySelector("pre")], [true, null]);
  await model.put({ error: {} });
  assert.equal(shown(box), false);
  model.tell({ kind: "copy", text: "code" });
  model.tell({ kind: "download", name: "links.csv", mime: "text/csv", text: "a,b" });
  await run();
  assert.deepEqual([copied.at(-1), downloads.at(-1).download, await (await fetch(downloads.at(-1).href)).text()], ["code", "links.csv", "a,b"]);
  const suppressed = () => go.getAttribute("data-lm-suppress-shortcuts");
  go.focus();
  assert.deepEqual([suppressed(), go.fire("keydown", { key: "a" }).stopped], ["true", true]);
  for (const more of [{ ctrlKey: true }, { metaKey: true }]) {
    assert.deepEqual([go.fire("keydown", { key: "s", ...more }).stopped, suppressed()], [false, null]);
    go.fire("keyup", { key: "s" });
    assert.deepEqual([suppressed(), go.fire("keydown", { key: "Enter", ...more }).stopped], ["true", true]);
  }
  assert.ok(root);
});

test("curves are drawn where they are seen, ten times a second at most, the last ones in any case", async () => {
  const drawings = [], page = plotlyPage({ made: { react: async (...given) => drawings.push(given) } });
  const chart = (k) => ({ data: [{ x: [k], y: [70], line: { color: BLUE } }], layout: { xaxis: { title: { text: "epoch" } }, yaxis: {} } });
  const { root, model, find } = await board({ chart: chart(0) });
  assert.equal(shown(find(".de-none")), false);
  await run(1000);
  const [el, data, layout] = drawings.at(-1);
  assert.deepEqual([el, data, layout.width, layout.height], [find(".de-chart"), chart(0).data, 420, 300]);
  drawings.length = 0;
  for (let k = 1; k <= 30; k++) { await model.put({ chart: chart(k) }); await run(10); }
  await run(300);
  assert.ok(drawings.length >= 8 && drawings.length <= 15, `${drawings.length} in 1.3 s`);
  assert.deepEqual(drawings.at(-1)[1], chart(30).data);
  await change({}, false); // out of sight
  drawings.length = 0;
  await model.put({ chart: chart(31) });
  await run(500);
  assert.equal(drawings.length, 0);
  await change({ height: 0 }); // as in an output that is folded
  await change({ height: 300, width: 0 });
  assert.equal(drawings.length, 0);
  await change({ width: 420, ...DARK });
  assert.deepEqual([drawings.at(-1)[1][0].x, drawings.at(-1)[1][0].line.color], [[31], t.modelColor(BLUE, "dark")]);
  await model.put({ chart: {} });
  assert.ok(shown(find(".de-none")) && Number(root.dataset.drawn) >= 10);
  page.made = null;
});

test("plotly is asked for again until it comes, with more and more patience, and by no closed board", async () => {
  const page = plotlyPage();
  const { model, find } = await board({ chart: { data: [], layout: { xaxis: {}, yaxis: {} } } });
  const count = () => model.sent.filter(({ kind }) => kind === "plotly?").length;
  for (const [wait, asked] of [[0, 1], [6500, 1], [1500, 2], [14000, 2], [3000, 3]]) {
    await run(wait);
    assert.equal(count(), asked);
  }
  model.tell({ kind: "copy", text: "" });
  model.tell({ kind: "plotly" }, [new TextEncoder().encode("export default { react: (el) => { el.dataset.curves = 'drawn'; } };")]);
  for (let k = 0; k < 50 && !page.made; k++) await run(100);
  await run(1000);
  assert.equal(find(".de-chart").dataset.curves, "drawn");
  await run(60000);
  assert.equal(count(), 3);
  plotlyPage();
  const chart = { data: [], layout: { xaxis: {}, yaxis: {} } };
  const boards = [await board({ chart }), await board({ chart })];
  const counts = () => boards.map(({ model: { sent } }) => sent.length);
  assert.deepEqual(counts(), [1, 0]); // one of a page asks for all
  boards[0].model.tell({ kind: "plotly" }, [new TextEncoder().encode("export default { react: (el) => { el.dataset.curves = 'again'; } };")]);
  for (let k = 0; k < 50 && !boards[1].find(".de-chart").dataset.curves; k++) await run(100);
  assert.deepEqual(boards.map((one) => one.find(".de-chart").dataset.curves), ["again", "again"]);
  plotlyPage();
  const closed = await board({ go: READY });
  opened.at(-1).close();
  await run(60000);
  assert.equal(closed.model.sent.length, 1);
});
