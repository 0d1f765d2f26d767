#!/usr/bin/env node
// Checks the imports of src/, here or under the path given, against docs/architecture.md:
// - a folder imports from the layers below it, and from a folder of its own layer where that makes no cycle;
// - it enters another folder through its index.ts, or through contract.ts, which holds types that need no package;
//   only a lazy import() names any other file;
// - modules of one folder do not import each other in a circle.
// The folders of the page in web/src/ import in one direction too, through their index.ts.
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { dirname, join, posix, relative, resolve, sep } from "node:path";
import { fileURLToPath } from "node:url";
import ts from "typescript";

/** From the bottom to the top. "." are the files directly in src/. */
const LAYERS = [
  ["core", "utils", "stats"],
  ["models", "exec", "metrics"],
  ["datasets", "budget", "systems", "evaluators"],
  ["agents", "graders", "runner", "stress"],
  ["store", "queue", "evals", "report"],
  ["runs"],
  ["."],
  ["server", "cli", "public"],
];

/** The same for the page in web/src/; folders of one layer do not import each other. "." is main.tsx. */
const PAGE_LAYERS = [["ui"], ["data", "charts"], ["pages"], ["shell"], ["."]];

/** Imports no package and no Node module either. */
const PURE = "stats";

/** May import everything but the command line; imported by tests, by the command line and by `assay/testing`. */
const TESTING = "testing";
const TEST_CODE = /^testing\/|\.(?:test|d|fixture)\.ts$|-testing\.ts$|\/scripted-[\w-]+\.ts$/;

/** What the public entry shows of the layers above it: the types of config files and evals. */
const SHOWN_BY_INDEX = ["cli/define-eval.ts", "cli/run-config.ts"];

/** The files of a folder that other folders import. */
const ENTRANCES = ["index.ts", "contract.ts"];

const root = resolve(process.argv[2] ?? fileURLToPath(new URL("..", import.meta.url)));
const src = join(root, "src");

const imports = listFiles().flatMap(listImports);
const page = findPageFiles();
const problems = [
  ...imports.map((each) => ({ ...each, problem: findProblem(each) ?? findDetour(each) })),
  ...findModuleCycles(),
  ...findCycles().map(({ from, to, back }) => ({
    ...imports.find(({ file, target }) => target !== null && findFolder(file) === from && findFolder(target) === to),
    problem: `${to} imports ${from} too${back === to ? "" : `, through ${back}`}`,
  })),
].filter(({ problem }) => problem !== null);
for (const { file, line, specifier, problem } of problems)
  console.error(`${relative(process.cwd(), join(src, file))}:${line}: imports "${specifier}", but ${problem}`);
const pageProblems = findPageProblems();
for (const problem of pageProblems) console.error(problem);
if (problems.length + pageProblems.length > 0) process.exitCode = 1;

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

/** Null unless an import goes past the index.ts of another folder. */
function findDetour({ file, target, isLazy }) {
  const to = target === null ? "." : findFolder(target);
  if (isLazy || to === "." || to === findFolder(file) || to === TESTING || page.has(file)) return null;
  if (ENTRANCES.some((name) => target === `${to}/${name}`) || (file === "index.ts" && SHOWN_BY_INDEX.includes(target)))
    return null;
  return existsSync(join(src, to, "index.ts")) ? `${to} is entered through ${to}/index.ts` : null;
}

/** Imports of the page that go upwards, or past the index.ts of a folder. */
function findPageProblems() {
  const web = join(root, "web/src");
  if (!existsSync(web)) return [];
  const findPageLayer = (folder) => PAGE_LAYERS.findIndex((layer) => layer.includes(folder));
  return readdirSync(web, { recursive: true })
    .map((name) => String(name).split(sep).join("/"))
    .filter((name) => /\.tsx?$/.test(name) && !/\.test\.ts$|-testing\.ts$/.test(name))
    .sort()
    .flatMap((file) => {
      const { importedFiles } = ts.preProcessFile(readFileSync(join(web, file), "utf8"), true, true);
      return importedFiles.flatMap(({ fileName }) => {
        const target = posix.normalize(posix.join(posix.dirname(file), fileName));
        const [from, to] = [findFolder(file), findFolder(target)];
        if (!fileName.startsWith(".") || !target.endsWith(".js") || target.startsWith("../") || from === to) return [];
        const report = (problem) => `web/src/${file}: imports "${fileName}", but ${problem}`;
        if (findPageLayer(to) >= findPageLayer(from)) return [report(`${to} is not in a layer below ${from}`)];
        return target === `${to}/index.js` ? [] : [report(`${to} is entered through ${to}/index.ts`)];
      });
    });
}

/** What the page in web/ is built from: it has no Node, so it names single files instead of whole folders. */
function findPageFiles() {
  const web = join(root, "web/src");
  if (!existsSync(web)) return new Set();
  const named = readdirSync(web, { recursive: true })
    .filter((name) => /\.tsx?$/.test(String(name)))
    .flatMap((name) => {
      const path = join(web, String(name));
      const { importedFiles } = ts.preProcessFile(readFileSync(path, "utf8"), true, true);
      return importedFiles.map(({ fileName }) =>
        relative(src, resolve(dirname(path), fileName))
          .split(sep)
          .join("/"),
      );
    })
    .filter((name) => !name.startsWith("../"))
    .map((name) => name.replace(/\.js$/, ".ts"));
  const found = new Set(named);
  for (const file of found)
    for (const { file: from, target } of imports) if (from === file && target !== null) found.add(target);
  return found;
}

/** Modules of a folder that need each other to load. Types and lazy imports do not count. */
function findModuleCycles() {
  const edges = new Map();
  for (const each of imports)
    if (each.target !== null && findFolder(each.file) === findFolder(each.target) && !each.isLazy && !each.isType)
      edges.set(each.file, [...(edges.get(each.file) ?? []), each]);
  const state = new Map();
  const cycles = [];
  const visit = (file, path) => {
    state.set(file, "open");
    for (const each of edges.get(file) ?? []) {
      if (state.get(each.target) === "open") {
        const members = [...path.slice(path.indexOf(each.target)), each.target];
        cycles.push({ ...each, problem: `that makes a cycle: ${members.join(" → ")}` });
      } else if (!state.has(each.target)) visit(each.target, [...path, each.target]);
    }
    state.set(file, "done");
  };
  for (const file of edges.keys()) if (!state.has(file)) visit(file, [file]);
  return cycles;
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
  const source = ts.createSourceFile(file, readFileSync(join(src, file), "utf8"), ts.ScriptTarget.Latest);
  const found = [];
  const add = (node, specifier, kind) => {
    const { line } = source.getLineAndCharacterOfPosition(node.getStart(source));
    const target = specifier.startsWith(".")
      ? posix.normalize(posix.join(posix.dirname(file), specifier)).replace(/\.js$/, ".ts")
      : null;
    found.push({ file, line: line + 1, specifier, target, isLazy: kind === "lazy", isType: kind === "type" });
  };
  const visit = (node) => {
    if ((ts.isImportDeclaration(node) || ts.isExportDeclaration(node)) && node.moduleSpecifier)
      add(node, node.moduleSpecifier.text, isTypeOnly(node) ? "type" : "value");
    else if (ts.isCallExpression(node) && node.expression.kind === ts.SyntaxKind.ImportKeyword)
      for (const each of node.arguments.filter(ts.isStringLiteral)) add(node, each.text, "lazy");
    else if (ts.isImportTypeNode(node)) add(node, node.argument.literal.text, "type");
    ts.forEachChild(node, visit);
  };
  visit(source);
  return found;
}

function isTypeOnly(node) {
  if (node.isTypeOnly || node.importClause?.isTypeOnly) return true;
  const names = node.importClause?.namedBindings?.elements ?? node.exportClause?.elements;
  return names !== undefined && names.length > 0 && !node.importClause?.name && names.every((each) => each.isTypeOnly);
}
