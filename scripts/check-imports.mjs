#!/usr/bin/env node
// Holds the import direction of docs/architecture.md. Checks the folder src/ under the path given, or under this
// repository.
import { readdirSync, readFileSync } from "node:fs";
import { join, posix, relative, resolve, sep } from "node:path";
import { fileURLToPath } from "node:url";
import ts from "typescript";

/** Which folders of src/ each folder may import besides itself and utils; "" are the files directly in src/. */
const MAY_IMPORT = {
  utils: ["files"],
  stats: [],
  core: [],
  files: [],
  processes: ["core"],
  workspace: ["core", "files", "processes", "skills"],
  tokens: ["core"],
  scoring: ["stats"],
  workers: ["core"],
  sandbox: ["core"],
  evaluators: ["core", "workers", "sandbox"],
  heavy: ["core", "workers", "evaluators"],
  graders: ["core", "workspace", "processes", "evaluators"],
  metrics: ["core", "stats"],
  parquet: ["core", "stats", "files"],
  hub: ["core", "files", "http"],
  datasets: ["core", "stats", "evaluators", "files", "parquet", "workspace"],
  catalogue: ["core", "stats", "files", "parquet", "hub", "datasets"],
  budget: ["core", "stats", "files"],
  dialects: ["core"],
  http: ["core"],
  mock: ["core", "stats"],
  gateway: ["core", "budget", "dialects", "http", "tokens"],
  agents: ["core", "budget", "dialects", "http", "gateway", "processes", "workspace"],
  systems: ["core", "datasets", "tokens", "budget", "dialects", "http"],
  memory: ["core", "stats", "tokens", "metrics", "datasets", "hub", "catalogue", "systems", "dialects"],
  judge: ["core", "stats", "scoring", "evaluators", "graders", "budget", "dialects", "http", "systems"],
  runner: ["core", "stats"],
  store: ["core", "runner", "files"],
  report: ["core", "stats", "metrics", "scoring", "compare"],
  importers: ["core", "files"],
  skills: ["core", "files"],
  specs: ["core", "files", "skills", "datasets", "workspace", "graders"],
  lint: ["core", "files", "skills", "specs", "graders"],
  oracle: ["core", "specs", "graders", "workspace", "processes"],
  compare: ["core", "stats", "metrics"],
  queue: ["core", "budget", "files", "runner", "store"],
  server: ["core", "store", "views"],
  views: ["core", "stats", "metrics", "scoring", "compare", "report", "store", "files", "workspace", "queue"],
  history: ["core", "files", "store"],
  experiments: ["core", "stats", "files", "specs", "compare"],
};
const LIBRARY = Object.keys(MAY_IMPORT);
Object.assign(MAY_IMPORT, { "": LIBRARY, cli: ["", ...LIBRARY] });

/** Tests and what they share may import anything; nothing else may import the folder `testing`. */
const TEST_CODE = /^testing\/|\.(?:test|d)\.ts$|-testing\.ts$/;

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
  if (targetFolder === folder || (file === "index.ts" && target === SHOWN_BY_INDEX)) return null;
  const allowed = MAY_IMPORT[folder];
  if (allowed === undefined) return `${folder} has no rule in scripts/check-imports.mjs: give it one`;
  if (allowed.includes(targetFolder) || (targetFolder === "utils" && !PURE.has(folder))) return null;
  if (targetFolder === "testing") return "only tests import src/testing";
  if (targetFolder === "cli") return "nothing imports the command line";
  if (targetFolder === "") return "only the command line and the files beside it import a file directly in src";
  return `${folder || "src"} may import only ${[folder, ...allowed].filter(Boolean).join(", ")}`;
}

/** The folder of src/ a file belongs to; "" for files directly in it. */
function folderOf(file) {
  return file.includes("/") ? file.slice(0, file.indexOf("/")) : "";
}

function sourceFiles() {
  return readdirSync(src, { recursive: true })
    .map((name) => String(name).split(sep).join("/"))
    .filter((name) => name.endsWith(".ts") && !TEST_CODE.test(name))
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
