// Controls: each is { el, show(changes) }, and calls act(value) when a reader changes it.

import { make } from "./dom.js";

export function pressButton(label, title, act, className = "de-button") {
  const el = make("button", className, label);
  el.type = "button";
  if (title) el.title = title;
  el.addEventListener("click", act);
  return el;
}

// A menu of [value, text]; small, so that the row stays one row.
export function menu(label, act, title = "") {
  const el = make("select", "de-select");
  el.setAttribute("aria-label", label);
  if (title) el.title = title;
  let shown = "";
  el.addEventListener("change", () => act(JSON.parse(el.value)));
  return { el, show: (options, value) => {
    const key = JSON.stringify(options);
    const option = ([v, text]) => Object.assign(make("option", "", text), { value: JSON.stringify(v) });
    if (key !== shown) el.replaceChildren(...options.map(option));
    shown = key;
    el.value = JSON.stringify(value);
  } };
}

// One of a few, as a row of buttons: one stop for the Tab key, arrows choose.
export function choice(label, act, className = "de-choice") {
  const el = make("span", className);
  el.setAttribute("role", "radiogroup");
  el.setAttribute("aria-label", label);
  let buttons = [], values = [], now;
  el.addEventListener("keydown", (event) => {
    const by = { ArrowRight: 1, ArrowDown: 1, ArrowLeft: -1, ArrowUp: -1 }[event.key];
    if (!by) return;
    event.preventDefault();
    const next = (values.indexOf(now) + by + values.length) % values.length;
    act(values[next]);
    buttons[next].focus();
  });
  return { el, show: (options, value) => { // options: [value, text, title]
    const hadFocus = el.contains(el.getRootNode().activeElement);
    if (JSON.stringify(options.map(([v]) => v)) !== JSON.stringify(values)) {
      buttons = options.map(([v]) => {
        const button = pressButton("", "", () => act(v), "");
        button.setAttribute("role", "radio");
        return button;
      });
      el.replaceChildren(...buttons);
    }
    values = options.map(([v]) => v);
    now = value;
    buttons.forEach((button, i) => {
      const [v, text, title = ""] = options[i];
      if (button.textContent !== text) button.textContent = text;
      button.title = title;
      button.setAttribute("aria-checked", String(v === value));
      button.tabIndex = v === value ? 0 : -1;
      if (hadFocus && v === value) button.focus(); // a new button in place of one that had it
    });
  } };
}

export function tick(label, act, title = "") {
  const el = make("label", "de-tick"), input = make("input");
  input.type = "checkbox";
  el.title = title;
  el.append(input, make("span", "", label));
  input.addEventListener("change", () => act(input.checked));
  return { el, input, show: (value) => { input.checked = value; } };
}

export function number(label, low, high, act, title = "") {
  const el = make("label", "de-number"), input = make("input");
  Object.assign(input, { type: "number", min: low, max: high });
  el.title = title;
  el.append(make("span", "", label), input);
  input.addEventListener("change", () => {
    const value = Math.max(low, Math.min(Number(input.max), Math.round(Number(input.value) || low)));
    input.value = value; // what is kept, not what was typed
    act(value);
  });
  return { el, input, show: (value) => { input.value = value; } };
}

// A row with a label for a control that has none of its own.
export function row(label, ...controls) {
  const el = make("div", "de-row");
  el.append(make("span", "de-label", label), ...controls);
  return el;
}
