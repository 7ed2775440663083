// A widget's script from its parts, as messages.py joins them; node reads a .js file as CommonJS, so under another ending.
import { mkdtempSync, readFileSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";

export function load(...parts) {
  const file = join(mkdtempSync(join(tmpdir(), "widget-")), "joined.mjs");
  const text = (name) => readFileSync(new URL(`../../../degnn_explore/views/widgets/${name}.js`, import.meta.url), "utf8");
  writeFileSync(file, parts.map(text).join("\n"));
  return import(pathToFileURL(file));
}
