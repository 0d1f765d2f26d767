// What `npm test` runs: a build when it is needed, then every suite. Says which system packages are missing, and
// installs none. Arguments go to vitest.
import { spawnSync } from "node:child_process";
import { existsSync, readdirSync, statSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

const root = fileURLToPath(new URL("..", import.meta.url));
const INPUTS = [
  "src",
  "web",
  "scripts/build.mjs",
  "scripts/build-token-tables.mjs",
  "tsconfig.json",
  "tsconfig.build.json",
];
const OUTPUTS = [
  "dist/cli/main.cjs",
  "dist/cli/help.txt",
  "dist/web/app.js",
  "dist/lib/index.js",
  "dist/types/index.d.ts",
  "data/tokens/cl100k_base.bin",
  "data/tokens/o200k_base.bin",
];

if (isStale()) run("scripts/build.mjs");
run("scripts/system-packages.mjs");
run("node_modules/vitest/vitest.mjs", "run", ...process.argv.slice(2));

/** Folders count too: removing a file changes nothing else. */
function isStale() {
  if (OUTPUTS.some((path) => !existsSync(join(root, path)))) return true;
  const newest = Math.max(...INPUTS.map((path) => newestUnder(join(root, path))));
  return statSync(join(root, "dist/cli/main.cjs")).mtimeMs < newest;
}

function newestUnder(path) {
  const { mtimeMs } = statSync(path);
  if (!statSync(path).isDirectory()) return path.endsWith(".test.ts") ? 0 : mtimeMs;
  return Math.max(mtimeMs, ...readdirSync(path).map((name) => newestUnder(join(path, name))));
}

function run(...args) {
  const { status } = spawnSync(process.execPath, args, { cwd: root, stdio: "inherit" });
  if (status !== 0) process.exit(status ?? 1);
}
