#!/usr/bin/env node
// Writes the list of datasets, src/datasets/catalog/names.ts and catalog.ts, from the files in entries/: a dataset is
// named by its file. With --check it writes nothing, and exits with 1 when the list is out of date.
import { readdirSync, readFileSync, writeFileSync } from "node:fs";

const FOLDER = new URL("../src/datasets/catalog/", import.meta.url);
const HEADER =
  "// Written by `npm run catalog` from the files in entries/. Add a file there instead of changing this one.\n";

const names = readdirSync(new URL("entries/", FOLDER))
  .filter((file) => file.endsWith(".ts") && !/\.(?:fixture|test)\.ts$/.test(file))
  .map((file) => file.slice(0, -".ts".length))
  .sort();
const stale = Object.entries({ "names.ts": listNames(), "catalog.ts": joinEntries() }).filter(
  ([file, text]) => readFileSync(new URL(file, FOLDER), "utf8") !== text,
);
if (process.argv.includes("--check")) {
  for (const [file] of stale) console.error(`src/datasets/catalog/${file} is out of date. Run npm run catalog.`);
  if (stale.length > 0) process.exitCode = 1;
} else for (const [file, text] of stale) writeFileSync(new URL(file, FOLDER), text);

function listNames() {
  return `${HEADER}
/** Names of the datasets in the catalog. Kept apart from the entries, so that a run that uses none of them loads none. */
export const CATALOG_NAMES = [
${names.map((name) => `  "${name}",\n`).join("")}] as const;

export type CatalogName = (typeof CATALOG_NAMES)[number];
`;
}

function joinEntries() {
  const imports = names.map((name) => `import { ${toVariable(name)} } from "./entries/${name}.js";\n`);
  const fields = names.map((name) =>
    name === toVariable(name) ? `  ${name},\n` : `  "${name}": ${toVariable(name)},\n`,
  );
  return `${HEADER}
${imports.join("")}import type { CatalogEntry } from "./entry.js";
import type { CatalogName } from "./names.js";

/**
 * Every built-in dataset that is loaded from the hub.
 * @example
 * catalog.gsm8k.repo; // "openai/gsm8k"
 */
export const catalog: Readonly<Record<CatalogName, CatalogEntry>> = {
${fields.join("")}};
`;
}

function toVariable(name) {
  return name.replace(/-(\w)/g, (_, letter) => letter.toUpperCase());
}
