// A row of controls in plain HTML: menus, sliders, numbers, boxes to tick, buttons. Python says in `fields` what there
// is and what it says; a reader's change is one message {type: "set", name, value} and shows when Python says so too.

let count = 0;

// Within the click itself, or browsers refuse. A page from another machine without https has no clipboard of this kind.
async function copy(text) {
  if (navigator.clipboard) return navigator.clipboard.writeText(text).then(() => true, () => false);
  const scratch = make("textarea");
  scratch.value = text;
  document.body.append(scratch);
  scratch.select();
  const done = document.execCommand("copy");
  scratch.remove();
  return done;
}

function control(field, act) {
  if (field.kind === "spring") return { box: make("span", "de-spring") };
  if (field.kind === "button") {
    const box = make("button", "de-button", field.label);
    box.type = "button";
    box.addEventListener("click", () => (box.copied ? box.copied() : act(true)));
    return { box, input: box };
  }
  const box = make("label", `de-field de-${field.kind}`), input = make(field.kind === "select" ? "select" : "input");
  const label = make("span", "", field.label), shown = make("output");
  input.id = `de-bar-${++count}`;
  if (field.kind === "check") {
    input.type = "checkbox";
    box.append(input, label);
    input.addEventListener("change", () => act(input.checked));
    return { box, input };
  }
  box.append(label, input);
  if (field.kind === "select") {
    input.addEventListener("change", () => act(JSON.parse(input.value)));
    return { box, input };
  }
  input.type = field.kind;
  if (field.kind === "range") box.append(shown);
  const tell = () => {
    if (input.value === "") return;
    const value = Math.min(Math.max(Math.round(Number(input.value)), Number(input.min)), Number(input.max));
    shown.textContent = input.value = value;
    act(value);
  };
  input.addEventListener(field.kind === "range" ? "input" : "change", tell);
  return { box, input, shown };
}

function write({ box, input, shown }, field) {
  box.hidden = Boolean(field.hidden);
  if (!input) return;
  box.title = field.title ?? "";
  input.disabled = Boolean(field.disabled);
  if (field.name_for_ears) input.setAttribute("aria-label", field.name_for_ears);
  if (field.kind === "button") {
    box.textContent = field.label;
    if ("copy" in field) box.copied = () => copy(field.copy).then((done) => {
      box.textContent = done ? "Copied ✓" : "Not allowed: select and copy it below";
      setTimeout(() => { box.textContent = field.label; }, 2500);
    });
    if ("pressed" in field) box.setAttribute("aria-expanded", String(field.pressed));
  } else if (field.kind === "check") input.checked = field.value;
  else if (field.kind === "select") {
    const options = JSON.stringify(field.options);
    if (input.dataset.options !== options) {
      input.dataset.options = options;
      input.replaceChildren(...field.options.map(([text, value]) => {
        const option = make("option", "", text);
        option.value = JSON.stringify(value);
        return option;
      }));
    }
    input.value = JSON.stringify(field.value);
  } else {
    input.min = field.min;
    input.max = field.max;
    if (!input.matches(":active")) input.value = field.value; // an answer to what was set before must not pull it back
    if (shown) shown.textContent = input.value;
  }
}

function render({ model, el }) {
  const root = make("div", "de-controls"), parts = new Map();
  root.setAttribute("role", "group");
  root.setAttribute("aria-label", model.get("label"));
  el.append(root);
  function show() {
    for (const field of model.get("fields")) {
      if (!parts.has(field.name)) {
        const part = control(field, (value) => model.send({ type: "set", name: field.name, value }));
        part.box.dataset.field = field.name;
        parts.set(field.name, part);
        root.append(part.box);
      }
      write(parts.get(field.name), field);
    }
  }
  model.on("change:fields", show);
  model.on("msg:custom", show); // what was set was not taken
  show();
  return () => {
    model.off("change:fields", show);
    model.off("msg:custom", show);
  };
}

export default { initialize, render };
