#!/usr/bin/env node
// Writes the list of datasets, src/datasets/catalog/names.ts and catalogue.ts, from the files in entries/: a dataset is
// named by its file. With --check it writes nothing, and exits with 1 when the list is out of date.
import { readdirSync, readFileSync, writeFileSync } from "node:fs";

const FOLDER = new URL("../src/datasets/catalog/", import.meta.url);
const HEADER =
  "// Written by `npm run catalog` from the files in entries/. Add a file there instead of changing this one.\n";

const names = readdirSync(new URL("entries/", FOLDER))
  .filter((file) => file.endsWith(".ts") && !/\.(?:fixture|test)\.ts$/.test(file))
  .map((file) => file.slice(0, -".ts".length))
  .sort();
const stale = Object.entries({ "names.ts": listNames(), "catalogue.ts": joinEntries() }).filter(
  ([file, text]) => readFileSync(new URL(file, FOLDER), "utf8") !== text,
);
if (process.argv.includes("--check")) {
  for (const [file] of stale) console.error(`src/datasets/catalog/${file} is out of date. Run npm run catalog.`);
  if (stale.length > 0) process.exitCode = 1;
} else for (const [file, text] of stale) writeFileSync(new URL(file, FOLDER), text);

function listNames() {
  return `${HEADER}
/** The datasets of the catalogue by name. Kept apart from the entries, so that a run that uses none of them loads none. */
export const CATALOGUE_NAMES = [
${names.map((name) => `  "${name}",\n`).join("")}] as const;

export type CatalogueName = (typeof CATALOGUE_NAMES)[number];
`;
}

function joinEntries() {
  const imports = names.map((name) => `import { ${toVariable(name)} } from "./entries/${name}.js";\n`);
  const fields = names.map((name) =>
    name === toVariable(name) ? `  ${name},\n` : `  "${name}": ${toVariable(name)},\n`,
  );
  return `${HEADER}
${imports.join("")}import type { CatalogueEntry } from "./entry.js";
import type { CatalogueName } from "./names.js";

/**
 * Every dataset of the hub that has a name here.
 * @example
 * catalogue.gsm8k.repo; // "openai/gsm8k"
 */
export const catalogue: Readonly<Record<CatalogueName, CatalogueEntry>> = {
${fields.join("")}};
`;
}

function toVariable(name) {
  return name.replace(/-(\w)/g, (_, letter) => letter.toUpperCase());
}
