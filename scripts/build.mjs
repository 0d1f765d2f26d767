// Builds everything that is not in the repository: the token tables, the bundled modules and the type declarations.
import { spawnSync } from "node:child_process";
import { chmodSync, rmSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { rolldown } from "rolldown";

const root = fileURLToPath(new URL("..", import.meta.url));
rmSync(`${root}/dist`, { recursive: true, force: true });
run("scripts/build-token-tables.mjs");
run("node_modules/typescript/bin/tsc", "-p", "tsconfig.build.json");
await bundle();
chmodSync(`${root}/bin/assay.js`, 0o755);

/**
 * Node spends more time on finding a hundred small modules than on running them, so that the library and the command
 * line are each a few files. All of them lie two folders deep, like the sources: paths to data stay the same.
 */
async function bundle() {
  const build = await rolldown({
    cwd: root,
    input: { "lib/index": "src/index.ts", "cli/main": "src/cli/main.ts" },
    platform: "node",
    external: [/^[^./]/],
  });
  await build.write({
    dir: "dist",
    format: "esm",
    entryFileNames: "[name].js",
    chunkFileNames: "chunks/[name]-[hash].js",
    // Everything but the command line in one file; what `--help` needs of it stays apart, to start fast.
    codeSplitting: {
      groups: [
        {
          name: "start",
          test: /\/src\/(core\/(errors|version|suggest)|cli\/run-config|report\/printable)\.ts$/,
          priority: 2,
        },
        { name: "assay", test: /\/src\/(?!cli\/|index\.ts)/, priority: 1 },
      ],
    },
  });
  await build.close();
}

function run(...args) {
  const { status } = spawnSync(process.execPath, args, { cwd: root, stdio: "inherit" });
  if (status !== 0) process.exit(status ?? 1);
}
