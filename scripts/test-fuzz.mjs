// What `npm run test:fuzz` runs: the files with property tests, with cases that no run has drawn before. The seed is
// printed; ASSAY_TEST_SEED=SEED repeats a run. Arguments name files, in place of all, or go to vitest.
import { spawnSync } from "node:child_process";
import { randomInt } from "node:crypto";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

const root = fileURLToPath(new URL("..", import.meta.url));
const seed = process.env.ASSAY_TEST_SEED || String(randomInt(2 ** 31));
const given = process.argv.slice(2);
const files = given.some((argument) => !argument.startsWith("-")) ? [] : findPropertyTests();

console.log(`seed ${seed}`);
const env = { ...process.env, ASSAY_TEST_SEED: seed };
const args = ["scripts/test.mjs", ...files, ...given];
const { status } = spawnSync(process.execPath, args, { cwd: root, stdio: "inherit", env });
if (status !== 0)
  console.error(`To repeat this run: ASSAY_TEST_SEED=${seed} npm run test:fuzz -- ${given.join(" ")}`.trim());
process.exit(status ?? 1);

function findPropertyTests() {
  return ["src", "web/src", "test"].flatMap((folder) =>
    readdirSync(join(root, folder), { recursive: true })
      .filter((name) => name.endsWith(".test.ts"))
      .map((name) => join(folder, name))
      .filter((path) => readFileSync(join(root, path), "utf8").includes('"fast-check"')),
  );
}
