// Modules of the front end as one script, as views/js joins them; here their exports stay, for tests.
import { mkdtempSync, readFileSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";

const read = (name) => readFileSync(new URL(`../../../degnn_explore/views/js/${name}`, import.meta.url), "utf8");

export function load(...modules) {
  const file = join(mkdtempSync(join(tmpdir(), "front-")), "joined.mjs");
  const parts = modules.map((name) => read(`${name}.js`).replace(/^import\b[^;]*;\n/gm, ""));
  const shared = `export const PALETTE = ${read("palette.json")}, SENTENCES = ${process.env.SENTENCES};`;
  writeFileSync(file, [shared, ...parts].join("\n"));
  return import(pathToFileURL(file));
}
