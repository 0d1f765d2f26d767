#!/usr/bin/env node
// Holds the import direction of docs/architecture.md: stats ← core ← everything, the runner sees interfaces only, and
// nothing imports the command line. Checks the folder src/ under the path given, or under this repository.
import { readdirSync, readFileSync } from "node:fs";
import { join, posix, relative, resolve, sep } from "node:path";
import { fileURLToPath } from "node:url";
import ts from "typescript";

/** Folders that may import these folders of src/ and no others, besides themselves. */
const ONLY = {
  stats: [],
  core: [],
  runner: ["core", "stats"],
  files: ["core"],
  tokens: ["core"],
  scoring: ["core", "stats"],
  metrics: ["core", "stats"],
};

/** Folders that import no package and no Node module either. */
const PURE = new Set(["stats"]);

/** The one part of the command line that the library shows: the type of a config file. */
const SHOWN_BY_INDEX = "cli/run-config.ts";

const root = resolve(process.argv[2] ?? fileURLToPath(new URL("..", import.meta.url)));
const src = join(root, "src");

function problemWith(file, specifier) {
  const folder = folderOf(file);
  if (!specifier.startsWith(".")) return PURE.has(folder) ? `${folder} imports nothing from outside` : null;
  const target = posix.normalize(posix.join(posix.dirname(file), specifier)).replace(/\.js$/, ".ts");
  const targetFolder = folderOf(target);
  if (target.startsWith("../")) return "src imports nothing outside of src";
  if (targetFolder === folder) return null;
  const allowed = ONLY[folder];
  if (allowed !== undefined && !allowed.includes(targetFolder))
    return `${folder} may import only ${[folder, ...allowed].join(", ")}`;
  if (targetFolder === "cli" && !(file === "index.ts" && target === SHOWN_BY_INDEX))
    return "nothing imports the command line";
  if (targetFolder === "" && folder !== "" && folder !== "cli")
    return "only the command line and the files beside it import a file directly in src";
  return null;
}

/** The folder of src/ a file belongs to; "" for files directly in it. */
function folderOf(file) {
  return file.includes("/") ? file.slice(0, file.indexOf("/")) : "";
}

function sourceFiles() {
  return readdirSync(src, { recursive: true })
    .map((name) => String(name).split(sep).join("/"))
    .filter((name) => name.endsWith(".ts") && !/\.(?:test|d)\.ts$/.test(name))
    .sort();
}

let failures = 0;
for (const file of sourceFiles()) {
  const text = readFileSync(join(src, file), "utf8");
  for (const { fileName, pos } of ts.preProcessFile(text, true, true).importedFiles) {
    const problem = problemWith(file, fileName);
    if (problem === null) continue;
    failures += 1;
    const line = text.slice(0, pos).split("\n").length;
    console.error(`${relative(process.cwd(), join(src, file))}:${line}: imports "${fileName}", but ${problem}`);
  }
}
if (failures > 0) process.exitCode = 1;
