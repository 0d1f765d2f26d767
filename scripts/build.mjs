// Builds everything that is not in the repository: the token tables, the bundled modules, the page and the type
// declarations. With --if-stale only when a source is newer than the last build.
import { spawn } from "node:child_process";
import {
  chmodSync,
  existsSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { rolldown } from "rolldown";
import { build as buildWithVite } from "vite";
import { replaceBuild } from "./replace-build.mjs";
import { makeSbom } from "./sbom.mjs";

const root = fileURLToPath(new URL("..", import.meta.url));

const INPUTS = [
  "src",
  "web",
  "scripts/build.mjs",
  "scripts/build-token-tables.mjs",
  "scripts/replace-build.mjs",
  "scripts/sbom.mjs",
  "package.json",
  "package-lock.json",
  "tsconfig.json",
  "tsconfig.build.json",
];
const OUTPUTS = [
  "dist/cli/main.js",
  "dist/lib/index.js",
  "dist/evaluators/worker.js",
  "dist/web/app.js",
  "dist/types/index.d.ts",
  "dist/sbom.cdx.json",
  "data/tokens/cl100k_base.bin",
  "data/tokens/o200k_base.bin",
];

/**
 * Packages that stay outside of the bundles: those that users install with Assay. All others are development
 * dependencies, and what is used of them is bundled. zod is installed for its types alone.
 */
const manifest = readJson("package.json");
const OUTSIDE = [...Object.keys(manifest.dependencies).filter((name) => name !== "zod"), "msgpackr-extract"];

/** Packages whose data we ship; those whose code we ship are found in the bundles. */
const DATA_PACKAGES = ["gpt-tokenizer"];

/**
 * Only builtins.ts does something when it is loaded. With this the bundler takes from an index.ts what is imported, and
 * leaves the rest of the folder to the commands that need it.
 */
const SIDE_EFFECTS = [
  { test: /\/src\/builtins\.ts$/, sideEffects: true },
  { test: /\/src\//, sideEffects: false },
];

if (!process.argv.includes("--if-stale") || isStale()) {
  await build().catch((error) => {
    console.error(`The build failed: ${error.message}`);
    process.exitCode = 1;
  });
}

/** Folders count too: removing a file changes nothing else. */
function isStale() {
  if (OUTPUTS.some((path) => !existsSync(join(root, path)))) return true;
  const newest = Math.max(...INPUTS.map((path) => findNewest(join(root, path))));
  return statSync(join(root, OUTPUTS[0])).mtimeMs < newest;
}

function findNewest(path) {
  const stats = statSync(path);
  if (!stats.isDirectory()) return path.endsWith(".test.ts") ? 0 : stats.mtimeMs;
  return Math.max(stats.mtimeMs, ...readdirSync(path).map((name) => findNewest(join(path, name))));
}

/** Builds aside, so that what runs from dist/ meanwhile finds all of it. */
async function build() {
  const started = new Date();
  const next = mkdtempSync(join(root, "node_modules/.assay-build-"));
  try {
    await run("scripts/build-token-tables.mjs");
    const [bundled, inPage] = await Promise.all([
      bundle(next),
      buildPage(join(next, "web")),
      run("node_modules/typescript/bin/tsc", "-p", "tsconfig.build.json", "--outDir", join(next, "types")),
    ]);
    const packages = findPackages([...bundled, ...inPage]);
    writeLicenses(join(next, "THIRD-PARTY-LICENSES.txt"), packages);
    writeSbom(join(next, "sbom.cdx.json"), packages);
    // A source that is changed while this runs is newer than the build.
    utimesSync(join(next, "cli/main.js"), started, started);
    replaceBuild(next, join(root, "dist"));
    chmodSync(join(root, "bin/assay.js"), 0o755);
  } finally {
    rmSync(next, { recursive: true, force: true });
  }
}

/**
 * Node spends more time on finding a hundred small modules than on running them, so that what every command needs is
 * one file, and what every run needs besides is another. The rest is split where the sources import dynamically. All
 * files lie two folders deep, like the sources: paths to data stay the same. Returns the ids of all modules.
 */
async function bundle(dir) {
  const build = await rolldown({
    cwd: root,
    input: {
      ...listEntries(),
      "cli/main": "src/cli/main.ts",
      "evaluators/worker": "src/evaluators/worker.ts",
    },
    platform: "node",
    treeshake: { moduleSideEffects: SIDE_EFFECTS },
    checks: { bundlerTimings: false },
    preserveEntrySignatures: "allow-extension",
    external: OUTSIDE.map((name) => new RegExp(`^${name}(/|$)`)),
  });
  // The first pass tells what is loaded: following imports by hand would load all of every folder's index.ts.
  const { output: first } = await build.generate({ format: "esm" });
  const entries = first.filter(({ isEntry }) => isEntry);
  const entryModules = new Set(entries.map(({ facadeModuleId }) => facadeModuleId));
  const start = listLoadedModules(first, "src/cli/main.ts");
  const run = listLoadedModules(first, "src/cli/run.ts");
  const inEntries = new Set(entries.flatMap(({ moduleIds }) => moduleIds));
  const { output } = await build.write({
    dir,
    format: "esm",
    entryFileNames: "[name].js",
    // Named by their content: a process that runs from an older build never gets a part of a newer one.
    chunkFileNames: "chunks/[name]-[hash].js",
    comments: { annotation: false, jsdoc: false },
    codeSplitting: {
      includeDependenciesRecursively: false,
      // Entries hold nothing but themselves, or the bundler would add exports to them for other files.
      groups: [
        { name: "start", test: (id) => start.has(id) && !entryModules.has(id), priority: 3 },
        { name: "run", test: (id) => run.has(id) && !entryModules.has(id), priority: 2 },
        { name: "library", test: (id) => inEntries.has(id) && !entryModules.has(id), priority: 1 },
      ],
    },
  });
  await build.close();
  return listModules(output);
}

/** The ids of all modules that importing a module loads at once. */
function listLoadedModules(output, path) {
  const chunks = new Map(output.map((part) => [part.fileName, part]));
  const first = output.find(({ moduleIds }) => moduleIds?.includes(join(root, path)));
  const loaded = new Set([first]);
  for (const { imports } of loaded) for (const name of imports) if (chunks.has(name)) loaded.add(chunks.get(name));
  return new Set([...loaded].flatMap(({ moduleIds }) => moduleIds));
}

/** What users import, by the file it becomes: package.json names the files, and the declarations say their sources. */
function listEntries() {
  const entries = Object.values(manifest.exports).filter((entry) => entry.types !== undefined);
  return Object.fromEntries(
    entries.map(({ types, default: file }) => [
      file.replace(/^\.\/dist\/(.*)\.js$/, "$1"),
      types.replace(/^\.\/dist\/types\/(.*)\.d\.ts$/, "src/$1.ts"),
    ]),
  );
}

async function buildPage(outDir) {
  const { output } = await buildWithVite({
    configFile: join(root, "web/vite.config.ts"),
    logLevel: "warn",
    build: { outDir },
  });
  return listModules(output);
}

function listModules(output) {
  return output.flatMap((part) => (part.type === "chunk" ? part.moduleIds : []));
}

/** The packages that these modules are from: the folder of each name. */
function findPackages(modules) {
  const folders = new Map(DATA_PACKAGES.map((name) => [name, join(root, "node_modules", name)]));
  for (const id of modules) {
    const [folder, name] = /.*\/node_modules\/((?:@[^/]+\/)?[^/]+)/.exec(id) ?? [];
    if (name !== undefined) folders.set(name, folder);
  }
  return new Map([...folders].sort(([a], [b]) => (a < b ? -1 : 1)));
}

function writeLicenses(file, packages) {
  const texts = [...packages].map(([name, folder]) => `${name}\n\n${readLicense(folder)}\n`);
  writeFileSync(file, texts.join(`\n${"-".repeat(80)}\n\n`));
}

function writeSbom(file, packages) {
  const keys = [...packages.values()].map((folder) => folder.slice(folder.indexOf("node_modules/")));
  const sbom = makeSbom(manifest, readJson("package-lock.json"), new Set(keys));
  writeFileSync(file, `${JSON.stringify(sbom, null, 2)}\n`);
}

function readJson(path) {
  return JSON.parse(readFileSync(join(root, path), "utf8"));
}

function readLicense(folder) {
  const name = readdirSync(folder).find((entry) => /^licen[cs]e(\.\w+)?$/i.test(entry));
  if (name !== undefined) return readFileSync(join(folder, name), "utf8").trim();
  const { license, author } = JSON.parse(readFileSync(join(folder, "package.json"), "utf8"));
  return `${license}\n${author?.name ?? author ?? ""}`.trim();
}

function run(...args) {
  return new Promise((resolve, reject) => {
    spawn(process.execPath, args, { cwd: root, stdio: "inherit" }).on("close", (status) =>
      status === 0 ? resolve() : reject(new Error(`${args[0]} ended with ${status}`)),
    );
  });
}
