#!/usr/bin/env node
// Holds the import direction of docs/architecture.md in the folder src/ under the path given, or of this repository:
// a folder imports from the layers below it, and from a folder of its own layer where that makes no cycle.
import { readdirSync, readFileSync } from "node:fs";
import { join, posix, relative, resolve, sep } from "node:path";
import { fileURLToPath } from "node:url";
import ts from "typescript";

/** From the bottom to the top. "." are the files directly in src/. */
const LAYERS = [
  ["core", "utils", "stats"],
  ["models", "exec", "metrics"],
  ["datasets", "budget", "systems", "evaluators"],
  ["agents", "graders", "runner"],
  ["store", "queue", "evals", "report"],
  ["runs"],
  ["."],
  ["server", "cli", "public"],
];

/** Imports no package and no Node module either. */
const PURE = "stats";

/** May import everything but the command line; imported by tests, by the command line and by `assay/testing`. */
const TESTING = "testing";
const TEST_CODE = /^testing\/|\.(?:test|d)\.ts$|-testing\.ts$/;

/** What the public entry shows of the layers above it: the type of a config file. */
const SHOWN_BY_INDEX = ["cli/run-config.ts"];

const root = resolve(process.argv[2] ?? fileURLToPath(new URL("..", import.meta.url)));
const src = join(root, "src");

const imports = listFiles().flatMap(listImports);
const problems = [
  ...imports.map((each) => ({ ...each, problem: findProblem(each) })),
  ...findCycles().map(({ from, to, back }) => ({
    ...imports.find(({ file, target }) => target !== null && findFolder(file) === from && findFolder(target) === to),
    problem: `${to} imports ${from} too${back === to ? "" : `, through ${back}`}`,
  })),
].filter(({ problem }) => problem !== null);
for (const { file, line, specifier, problem } of problems)
  console.error(`${relative(process.cwd(), join(src, file))}:${line}: imports "${specifier}", but ${problem}`);
if (problems.length > 0) process.exitCode = 1;

function findProblem({ file, specifier, target }) {
  const from = findFolder(file);
  if (target === null) return from === PURE ? `${PURE} imports nothing from outside` : null;
  if (target.startsWith("../")) return "src imports nothing outside of src";
  const to = findFolder(target);
  if (from === to || (file === "index.ts" && SHOWN_BY_INDEX.includes(target))) return null;
  if (to === TESTING)
    return from === "cli" || file === "public/testing.ts"
      ? null
      : "only tests, the command line and public/testing.ts import src/testing";
  if (from === PURE) return `${PURE} imports no other folder`;
  const [lower, upper] = [findLayer(to), findLayer(from)];
  if (upper === -1) return `${from} has no layer in scripts/check-imports.mjs: give it one`;
  if (lower === -1) return `${to} has no layer in scripts/check-imports.mjs: give it one`;
  return lower <= upper ? null : `${to === "." ? specifier : to} is in a layer above ${from}`;
}

/** Folders of one layer that import each other, directly or through a third. */
function findCycles() {
  const edges = new Map();
  for (const { file, target } of imports) {
    const [from, to] = [findFolder(file), target === null ? null : findFolder(target)];
    if (to === null || from === to || from === PURE || findLayer(from) === -1 || findLayer(from) !== findLayer(to))
      continue;
    edges.set(from, (edges.get(from) ?? new Set()).add(to));
  }
  const cycles = [];
  for (const [from, targets] of edges)
    for (const to of targets) {
      const back = [to];
      for (const folder of back)
        for (const next of edges.get(folder) ?? []) {
          if (next === from) cycles.push({ from, to, back: folder });
          else if (!back.includes(next)) back.push(next);
        }
    }
  return cycles;
}

/** The folder of src/ a file belongs to; "." for files directly in it. */
function findFolder(file) {
  return file.includes("/") ? file.slice(0, file.indexOf("/")) : ".";
}

function findLayer(folder) {
  return LAYERS.findIndex((layer) => layer.includes(folder));
}

function listFiles() {
  return readdirSync(src, { recursive: true })
    .map((name) => String(name).split(sep).join("/"))
    .filter((name) => name.endsWith(".ts") && !TEST_CODE.test(name))
    .sort();
}

/** The imports of a file; a package or a Node module has no target. */
function listImports(file) {
  const text = readFileSync(join(src, file), "utf8");
  return ts.preProcessFile(text, true, true).importedFiles.map(({ fileName, pos }) => ({
    file,
    line: text.slice(0, pos).split("\n").length,
    specifier: fileName,
    target: fileName.startsWith(".")
      ? posix.normalize(posix.join(posix.dirname(file), fileName)).replace(/\.js$/, ".ts")
      : null,
  }));
}
