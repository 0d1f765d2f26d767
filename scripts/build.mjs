// Builds everything that is not in the repository: the token tables and the compiled modules.
import { spawnSync } from "node:child_process";
import { chmodSync, rmSync } from "node:fs";
import { fileURLToPath } from "node:url";

const root = fileURLToPath(new URL("..", import.meta.url));
rmSync(new URL("../dist", import.meta.url), { recursive: true, force: true });
run("scripts/build-token-tables.mjs");
run("node_modules/typescript/bin/tsc", "-p", "tsconfig.build.json");
chmodSync(new URL("../bin/assay.js", import.meta.url), 0o755);

function run(...args) {
  const { status } = spawnSync(process.execPath, args, { cwd: root, stdio: "inherit" });
  if (status !== 0) process.exit(status ?? 1);
}
