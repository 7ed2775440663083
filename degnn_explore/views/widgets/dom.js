// What several widgets need of a page: elements, files to save, numbers from traits, the colours of the theme.
// A widget's script is made of parts (see messages.py); each name is there once.

// Text goes in as text, never as markup: names and titles come from files.
export const make = (tag, className, text) => {
  const node = document.createElement(tag);
  if (className) node.className = className;
  if (text !== undefined) node.textContent = text;
  return node;
};

// The same in a drawing.
export const shape = (tag, attributes, text) => {
  const node = document.createElementNS("http://www.w3.org/2000/svg", tag);
  for (const [name, value] of Object.entries(attributes)) node.setAttribute(name, value);
  if (text !== undefined) node.textContent = text;
  return node;
};

export function download(name, blob) {
  const link = make("a");
  link.href = URL.createObjectURL(blob);
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 10000);
}

// A DataView's offset need not suit a typed array, so its bytes are copied.
export function typed(Kind, view) {
  if (!view || !view.byteLength) return new Kind(0);
  return new Kind(view.buffer.slice(view.byteOffset, view.byteOffset + view.byteLength));
}

export const LIGHT = { text: "#1f2328", faint: "#57606a", edge: "#8b949e", back: "#ffffff", accent: "#c04f00", a: "#c04f00", b: "#0072b2",
                       rim: "rgba(0,0,0,0.25)", font: "system-ui, sans-serif" };

export function readTheme(el) {
  const css = getComputedStyle(el), get = (name) => css.getPropertyValue(name).trim();
  return { text: get("--de-text"), faint: get("--de-faint"), edge: get("--de-edge"), back: get("--de-card"), accent: get("--de-accent"),
           a: get("--de-a"), b: get("--de-b"), rim: get("--de-rim"), font: css.fontFamily || LIGHT.font };
}
