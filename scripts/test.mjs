// What `npm test` runs: a build when it is needed, then every suite. Says which system packages are missing, and
// installs none. Arguments go to vitest.
import { spawnSync } from "node:child_process";
import { fileURLToPath } from "node:url";

const root = fileURLToPath(new URL("..", import.meta.url));

run("scripts/build.mjs", "--if-stale");
run("scripts/system-packages.mjs");
run("node_modules/vitest/vitest.mjs", "run", ...process.argv.slice(2));

function run(...args) {
  const { status } = spawnSync(process.execPath, args, { cwd: root, stdio: "inherit" });
  if (status !== 0) process.exit(status ?? 1);
}
