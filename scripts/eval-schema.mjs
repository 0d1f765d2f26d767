#!/usr/bin/env node
// Writes schemas/eval.schema.json from the schema that eval files are read with (src/evals/spec). With --check it writes
// nothing, and exits with 1 when the file is out of date.
import { execFileSync } from "node:child_process";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { isDeepStrictEqual } from "node:util";
import { createJiti } from "jiti";

const FILE = new URL("../schemas/eval.schema.json", import.meta.url);

function current() {
  try {
    return JSON.parse(readFileSync(FILE, "utf8"));
  } catch {
    return null;
  }
}

function write(schema) {
  mkdirSync(new URL(".", FILE), { recursive: true });
  writeFileSync(FILE, JSON.stringify(schema));
  execFileSync("npx", ["biome", "format", "--write", fileURLToPath(FILE)], { stdio: ["ignore", "ignore", "inherit"] });
}

const { evalJsonSchema } = await createJiti(import.meta.url).import("../src/evals/spec/json-schema.ts");
const wanted = evalJsonSchema();
if (!isDeepStrictEqual(current(), wanted)) {
  if (process.argv.includes("--check")) {
    console.error("schemas/eval.schema.json is out of date. Run node scripts/eval-schema.mjs.");
    process.exitCode = 1;
  } else write(wanted);
}
