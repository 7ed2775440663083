// The Training Board's frame: one row of choices, the result as the headline, two charts, and tabs below.

import { dotWords, drawDots, modelColor, plotlyOf, tableOf, themedFigure } from "./charts.js";
import { copy, download, fill, followTheme, make, markLost, shape } from "./dom.js";
import { renderExplorer } from "./explorer.js";
import { choice, menu, number, pressButton, row, tick } from "./form.js";

const BOARD_TRAITS = [
  "values", "view", "form", "headline", "go", "chart", "result", "tab", "answer", "error", "inner_graphs",
];
const REDRAW_PAUSE = 100; // milliseconds between two drawings of the charts
const SEED_COUNTS = [1, 3, 5, 10, 20];
const MODEL_GROUPS = { baseline: "Plain GNNs and other networks", heuristic: "Formulas, nothing to train" };
const SET_WORDS = { roles: "a node", triangles: "three nodes", links: "a pair" };
const WHY_KEY = [["de-for", "speaks for it"], ["de-against", "against it"], ["de-zero", "changes nothing"]];
const WHY_HINT = "Which edges move the score";

// The Explorer's state inside the board's: the same interface as a model of its own.
export function innerModel(model) {
  const listeners = new Map();
  const nameOf = (event) => (event === "change:marks" ? "change:answer" : event.replace("change:", "change:inner_"));
  return {
    get: (trait) => (trait === "marks" ? model.get("answer").why?.marks : model.get(`inner_${trait}`)),
    set: (trait, value) => model.set(`inner_${trait}`, value),
    save_changes: () => model.save_changes(),
    send: (content, callbacks, buffers) => model.send({ kind: "inner", content }, callbacks, buffers),
    on(event, act) {
      const forInner = (message) => message.kind === "inner" && act(message.content);
      listeners.set(act, event === "msg:custom" ? forInner : act);
      model.on(nameOf(event), listeners.get(act));
    },
    off: (event, act) => model.off(nameOf(event), listeners.get(act) ?? act),
  };
}

// ---- small parts, made again whenever they change

function cardHead(title) {
  const line = make("div", "de-head");
  line.append(make("b", "", title), make("span", "", ""));
  return line;
}

function modelProgress({ model, color, percent, note }, theme) {
  const line = make("div", "de-progress-row"), bar = make("div", "de-progress-bar"), done = make("div", "");
  const aria = { role: "progressbar", "aria-label": model, "aria-valuenow": percent, "aria-valuemin": 0, "aria-valuemax": 100 };
  for (const [name, value] of Object.entries(aria)) bar.setAttribute(name, value);
  Object.assign(done.style, { width: `${percent}%`, background: modelColor(color, theme) });
  bar.append(done);
  line.append(make("span", "", model), bar, make("span", "de-note", note));
  return line;
}

function modelAbout({ name, about, color }, theme) {
  const term = make("dt", "", name);
  term.style.color = modelColor(color, theme);
  return [term, make("dd", "", about)];
}

function bugDetails(text) {
  const box = make("details");
  box.append(make("summary", "", "details, for a bug report"), make("pre", "", text));
  return box;
}

function runError({ model, error, details }) {
  const line = make("div", "", `${model}: ${error}`);
  line.setAttribute("role", "alert");
  if (details) line.append(bugDetails(details));
  return line;
}

function modelScore({ model, color, score }, theme) {
  const item = make("span", "de-item"), dot = make("i", "de-swatch");
  dot.style.background = modelColor(color, theme);
  item.dataset.model = model;
  item.append(dot, make("span", "", model), make("b", "", score));
  return item;
}

// What a Why? says: whose score it is, what the colors of the edges mean, and the edges that move it most.
function whyParts(why, act) {
  if (why.busy) return [make("p", "de-note", why.busy)];
  const top = make("div", "de-row"), key = make("p", "de-note");
  const whose = menu("Model", (model) => act("why", { model }));
  whose.show(why.models.map((name) => [name, name]), why.model);
  for (const [className, text] of WHY_KEY) {
    const item = make("span", "de-item");
    item.append(make("i", `de-line ${className}`), text);
    key.append(item, " ");
  }
  const close = pressButton("×", "Close", () => act("why", { close: true }), "de-close");
  top.append(make("b", "", why.title), whose.el, close);
  return [top, key, tableOf(why, null), make("p", "de-note", why.note)];
}

// ---- the panel

export function renderBoard({ model, el }) {
  const root = make("div", "de-panel de-board");
  const get = (name) => model.get(name);
  const save = (name, value) => { model.set(name, value); model.save_changes(); };
  const set = (changes) => save("values", { ...get("values"), ...changes });
  const setView = (changes) => { save("view", { ...get("view"), ...changes }); show(); };
  const act = (name, content = {}) => model.send({ kind: "do", name, ...content });
  let look = PALETTE.light, theme = "light", closed = false, showDue = false, closeExplorer = null;

  // -- one row of choices
  const bar = make("div", "de-bar");
  const question = menu("Question", (key) => set({ question: key }));
  const seeds = menu("Seeds", (count) => set({ seeds: count }));
  const models = drawerButton("models", "", "Which models race", "de-select de-models-button de-folds");
  const settings = drawerButton("settings", "Settings", "Epochs, device, layers and the rest", "de-link de-more de-folds");
  const go = pressButton("", "", startOrStop, "de-button de-primary de-go");
  bar.append(question.el, models, seeds.el, make("span", "de-spacer"), settings, go);

  // -- the result in a sentence
  const strip = make("div", "de-strip"), title = make("h2", "de-headline"), reason = make("p", "de-reason");
  const sure = make("span", "");
  const how = drawerButton("judged", "How is this judged?", "The test, the sets, the settings", "de-link");
  const earlier = pressButton("", "Results kept from earlier runs", () => act("earlier"), "de-link");
  title.setAttribute("aria-live", "polite");
  reason.append(sure, " ", how, " ", earlier);
  strip.append(title, reason);

  // -- two charts
  const cards = make("div", "de-cards"), left = make("section", "de-card"), right = make("section", "de-card");
  const leftHead = cardHead("While training"), rightHead = cardHead("Result");
  const curves = make("div", "de-chart"), none = make("p", "de-none", "No runs yet"), where = make("div", "de-note");
  const dots = shape("svg", { class: "de-dots", role: "img" }), racers = make("dl", "de-facts de-racers");
  const progressBars = make("div", "de-progress"), runErrors = make("div", "de-run-errors");
  const error = make("div", "de-error");
  error.setAttribute("role", "alert");
  left.append(leftHead, curves, none, where);
  right.append(rightHead, racers, dots, progressBars, runErrors);

  // -- a drawer over them: models, settings, how it is judged
  const drawer = make("section", "de-drawer"), drawerTop = make("div", "de-drawer-top"), drawerTitle = make("b", "");
  const drawerBody = make("div", "de-drawer-body");
  drawerTop.append(drawerTitle, pressButton("×", "Close (Esc)", () => setView({ open: "" }), "de-close"));
  drawer.append(drawerTop, drawerBody);
  cards.append(left, right, drawer, error);

  // -- tabs, and files at their right
  const tabBar = make("div", "de-tab-bar"), files = make("span", "de-files");
  const tabs = choice("Look into it", openTab, "de-tabs");
  const fileButton = (label, hint, what) => pressButton(label, hint, () => act("download", { what }), "de-link");
  const code = pressButton("Copy code", "Python that repeats these runs, on the clipboard", copyCode, "de-link");
  files.append(
    fileButton("Report ↓", "Everything as one HTML page", "report"),
    fileButton("CSV ↓", "The comparison as CSV", "csv"),
    fileButton("LaTeX ↓", "The comparison as LaTeX", "latex"),
    code,
  );
  tabBar.append(tabs.el, make("span", "de-spacer"), files);
  const content = make("div", "de-tab"), listed = make("div", "de-listed"), ask = make("div", "de-ask");
  const answer = make("div", "de-answer"), stage = make("div", "de-inside"), why = make("div", "de-why");
  stage.append(why);
  ask.append(answer, stage);
  content.append(listed, ask);
  root.append(bar, strip, cards, tabBar, content);
  el.append(root);

  function drawerButton(name, label, title, className) {
    return pressButton(label, title, () => setView({ open: get("view").open === name ? "" : name }), className);
  }
  function startOrStop() { // with what was chosen, for a click may overtake it
    act("go", { meaning: get("go").meaning, values: get("values") });
  }
  function openTab(tab) {
    setView({ tab });
    act("tab", { tab });
  }
  function copyCode() {
    act("download", { what: "code" });
    code.textContent = "Copied";
    setTimeout(() => { code.textContent = "Copy code"; }, 1500);
  }
  function openSet({ nodes, seed }, withWhy) {
    setView({ tab: "ask" });
    act("open", { nodes, ...(seed === undefined ? {} : { seed }), why: withWhy });
  }

  // -- what the drawer holds; its controls are made once, so that the focus stays
  const epochs = number("", 1, 10000, (count) => set({ epochs: count }));
  const device = menu("Device", (name) => set({ device: name }));
  const workers = menu("Runs at a time", (count) => set({ workers: count }));
  const fixedRows = [row("Epochs", epochs.el), row("Device", device.el), row("Runs at a time", workers.el)];
  const settingMenus = new Map(), modelTicks = new Map(), groupTitles = new Map();

  function settingRow([name, label, options]) {
    if (!settingMenus.has(name)) {
      const made = menu(label, (value) => set({ [name]: value }));
      settingMenus.set(name, { made, el: row(label, made.el) });
    }
    settingMenus.get(name).made.show(options, get("values")[name]);
    return settingMenus.get(name).el;
  }
  function settingRows() {
    const form = get("form"), values = get("values");
    epochs.show(values.epochs);
    device.show(form.devices, values.device);
    workers.show(form.workers.map((count) => [count, String(count)]), values.workers);
    return [...fixedRows, ...form.settings.map(settingRow)];
  }
  function chooseModel(name, on) {
    const others = get("values").models.filter((other) => other !== name);
    set({ models: on ? [...others, name] : others });
  }
  function modelRows() {
    const parts = [];
    for (const { name, about, group, fits, color } of get("form").models) {
      if (!groupTitles.has(group)) groupTitles.set(group, make("h3", "", MODEL_GROUPS[group] ?? "Distance encoding"));
      if (!parts.includes(groupTitles.get(group))) parts.push(groupTitles.get(group));
      if (!modelTicks.has(name)) modelTicks.set(name, tick(`${name}: ${about}`, (on) => chooseModel(name, on)));
      const box = modelTicks.get(name);
      box.show(get("values").models.includes(name));
      box.input.disabled = !fits || get("go").running;
      box.input.style.accentColor = modelColor(color, theme);
      parts.push(box.el);
    }
    return parts;
  }
  const judgedRows = () => get("headline").judged.map((note) => make("p", "", note));
  const drawers = {
    models: ["Models", modelRows],
    settings: ["Settings", settingRows],
    judged: ["How is this judged?", judgedRows],
  };

  function showDrawer() {
    const open = drawers[get("view").open];
    drawer.hidden = !open;
    if (!open) return;
    const [name, rowsOf] = open;
    drawerTitle.textContent = name;
    fill(drawerBody, rowsOf());
    const controls = drawerBody.querySelectorAll("select, input[type=number]");
    for (const control of controls) control.disabled = get("go").running;
  }

  // -- showing what the kernel says
  const chosenModels = () => get("form").models.filter(({ name, fits }) => fits && get("values").models.includes(name));
  function show() {
    showDue = false;
    if (closed || !get("form").questions) return;
    const hasResult = (get("result").rows ?? []).length > 0;
    showChoices();
    showHeadline();
    showCards(hasResult);
    showTabs(hasResult);
    showDrawer();
    showError();
    redrawCharts();
  }
  function showChoices() {
    const values = get("values"), view = get("view"), { running, meaning, label, about } = get("go");
    const counts = [...new Set([...SEED_COUNTS, values.seeds])].sort((a, b) => a - b);
    question.show(get("form").questions, values.question);
    seeds.show(counts.map((count) => [count, `${count} seed${count > 1 ? "s" : ""}`]), values.seeds);
    const racing = chosenModels().map(({ name }) => name);
    models.textContent = racing.length === 1 ? racing[0] : `${racing.length} models`;
    models.setAttribute("aria-expanded", String(view.open === "models"));
    settings.setAttribute("aria-expanded", String(view.open === "settings"));
    for (const control of [question.el, seeds.el, models]) control.disabled = running;
    Object.assign(go, { textContent: label, title: about, disabled: meaning === "done" || meaning === "wait" });
    go.dataset.meaning = meaning;
    root.classList.toggle("de-waiting", meaning === "wait");
    if (meaning !== "wait") loadPlotly();
  }
  function showHeadline() {
    const said = get("headline");
    title.textContent = said.title;
    sure.textContent = said.sure;
    how.hidden = !said.judged.length;
    earlier.hidden = !said.earlier;
    earlier.textContent = `${said.earlier} earlier run${said.earlier === 1 ? "" : "s"}: show`;
  }
  function showCards(hasResult) {
    const { running, progress, where: place } = get("go"), { rows = [], metric } = get("result");
    const paper = rows.some((line) => line.paper !== null) ? " · ◇ paper" : "";
    leftHead.lastChild.textContent = ` test ${metric} so far, %`;
    rightHead.firstChild.textContent = hasResult ? "Result" : progress.length ? "Progress" : "Models";
    rightHead.lastChild.textContent = hasResult ? ` dots: seeds · line: 95% interval${paper}` : "";
    none.hidden = Boolean(get("chart").data);
    none.textContent = running ? "The curves begin with the first epoch." : "No runs yet";
    where.textContent = running ? place : "";
    const inProgress = running || !hasResult ? progress : [];
    progressBars.replaceChildren(...inProgress.map((line) => modelProgress(line, theme)));
    const before = hasResult || progress.length ? [] : chosenModels();
    racers.replaceChildren(...before.flatMap((one) => modelAbout(one, theme)));
    runErrors.replaceChildren(...progress.filter((line) => line.error).map(runError));
  }
  function showTabs(hasResult) {
    const tab = hasResult ? get("view").tab || "mistakes" : "";
    const kind = get("values").question.split("|")[0], askedSet = SET_WORDS[kind] ?? "a set";
    const by = kind === "roles" ? "By class" : "By distance";
    const names = [["mistakes", "Mistakes"], ["distance", by], ["ask", `Ask about ${askedSet}`]];
    if (kind === "links") names.push(["missing", "Missing links"]);
    tabBar.hidden = content.hidden = !hasResult || (get("go").running && !get("tab").kind);
    tabs.show(names, tab);
    root.classList.toggle("de-is-ask", tab === "ask");
    ask.hidden = tab !== "ask";
    listed.hidden = tab === "ask" || !tab;
    if (tab === "ask") showAnswer();
    else if (tab) showTable(tab);
  }
  function showError() {
    const { text, details } = get("error");
    error.hidden = !text;
    if (!text) return error.replaceChildren();
    const close = pressButton("×", "Close this message", () => { error.hidden = true; }, "de-close");
    error.replaceChildren(make("span", "", text), close);
    if (details) error.append(bugDetails(details));
  }

  let shownTable = null, shownTab = "";
  function showTable(tab) {
    const table = get("tab");
    if (table === shownTable && tab === shownTab) return;
    shownTable = table;
    shownTab = tab;
    listed.replaceChildren(...(table.kind === tab ? tableParts(tab, table) : [make("p", "de-note", "Judging the test sets…")]));
  }
  function tableParts(tab, table) {
    if (table.busy) {
      const stop = pressButton("Stop", "Show the best so far", () => act("tab", { tab }), "de-button");
      return [make("p", "de-note", table.busy), ...(tab === "missing" ? [stop] : [])];
    }
    const parts = [];
    if (table.near) parts.push(make("p", "de-note", `Near ${table.near}. Pick other nodes in “Ask about a pair” to look elsewhere.`));
    if (table.rows?.length) parts.push(tableOf(table, tab === "distance" ? null : rowLinks));
    if (table.note) parts.push(make("p", "de-note", table.note));
    return parts;
  }
  function rowLinks(line) {
    const explain = pressButton("Why?", WHY_HINT, () => openSet(line, true), "de-link");
    return [explain, " · ", pressButton("Open", "In the Explorer", () => openSet(line, false), "de-link")];
  }

  let shownAnswer = null, shownTheme = "";
  function showAnswer() {
    if (!closeExplorer && get("inner_graphs").starts) closeExplorer = renderExplorer({ model: innerModel(model), el: stage });
    const said = get("answer");
    if (said.why && get("inner_view").open) save("inner_view", { ...get("inner_view"), open: "" });
    if (said === shownAnswer && theme === shownTheme) return;
    shownAnswer = said;
    shownTheme = theme;
    const scores = make("span", "de-answers");
    scores.append(...(said.scores ?? []).map((one) => modelScore(one, theme)));
    answer.replaceChildren(make("b", "", said.text ?? "Opening the graph…"), scores, make("span", "de-note", said.truth ?? ""));
    if (said.nodes && !said.why) answer.append(pressButton("Why?", WHY_HINT, () => act("why"), "de-link"));
    why.hidden = !said.why;
    why.replaceChildren(...(said.why ? whyParts(said.why, act) : []));
  }

  // -- charts: ten times a second at most, and only where they are seen
  let timer = 0, lastDrawn = 0, drawAgain = false, visible = true, plotly = null;
  function redrawCharts() {
    drawAgain = Boolean(timer);
    if (!timer && visible && !closed) timer = setTimeout(drawCharts, Math.max(0, lastDrawn + REDRAW_PAUSE - performance.now()));
  }
  async function drawCharts() {
    const { rows = [], metric } = get("result");
    lastDrawn = performance.now();
    dots.style.display = rows.length ? "" : "none";
    drawDots(dots, rows, metric, look, theme);
    dots.setAttribute("aria-label", dotWords(rows, metric));
    await drawCurves(get("chart"));
    timer = 0;
    if (drawAgain) redrawCharts();
  }
  function loadPlotly() { // before there is anything to draw: the first point must not wait for it
    plotly ??= plotlyOf(model, () => !closed).then((loaded) => { plotly = loaded; redrawCharts(); });
  }
  async function drawCurves(figure) {
    curves.hidden = !figure.data;
    if (!figure.data || !curves.clientWidth || !curves.clientHeight) return;
    if (!plotly?.react || closed) return;
    const { data, layout } = themedFigure(figure, look, theme, curves.clientWidth, curves.clientHeight);
    await plotly.react(curves, data, layout, { displayModeBar: false, displaylogo: false });
    root.dataset.drawn = String(Number(root.dataset.drawn ?? 0) + 1);
  }
  const seen = new IntersectionObserver(([entry]) => { visible = entry.isIntersecting; redrawCharts(); });
  const sized = new ResizeObserver(redrawCharts);
  seen.observe(root);
  sized.observe(cards);

  // -- events
  function showLater() {
    if (!showDue) queueMicrotask(show);
    showDue = true;
  }
  function receive(message) {
    if (message.kind === "copy") copy(message.text);
    else if (message.kind === "download") download(message.name, new Blob([message.text], { type: message.mime }));
  }
  function wear(name) {
    theme = root.dataset.theme = name;
    look = PALETTE[name];
    for (const [key, value] of Object.entries(look)) if (typeof value === "string") root.style.setProperty(`--de-${key}`, value);
    showLater();
  }
  function pressKey(event) {
    const shortcut = event.ctrlKey || event.metaKey;
    if (shortcut && event.key !== "Enter") event.target.removeAttribute("data-lm-suppress-shortcuts");
    else event.stopPropagation();
    if (event.key === "Escape" && get("view").open) setView({ open: "" });
  }
  const suppressShortcuts = ({ target }) => target.setAttribute?.("data-lm-suppress-shortcuts", "true");
  root.addEventListener("focusin", suppressShortcuts);
  root.addEventListener("keydown", pressKey);
  root.addEventListener("keyup", suppressShortcuts);
  BOARD_TRAITS.forEach((name) => model.on(`change:${name}`, showLater));
  model.on("msg:custom", receive);
  const unmark = markLost(model, root), unfollow = followTheme(root, wear);
  show();
  return () => {
    closed = true;
    clearTimeout(timer);
    closeExplorer?.();
    seen.disconnect();
    sized.disconnect();
    unfollow();
    unmark();
    BOARD_TRAITS.forEach((name) => model.off(`change:${name}`, showLater));
    model.off("msg:custom", receive);
    root.remove();
  };
}
