import { readFileSync, statSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { expect, it } from "vitest";

const DIST = resolve(import.meta.dirname, "../dist");

/** All static imports of a build file, direct or indirect. */
function findImports(file: string, found = new Set<string>()): Set<string> {
  const text = readFileSync(file, "utf8");
  for (const [, name = ""] of text.matchAll(/^(?:import|export) (?:[^"\n]* from )?"([^"]+)";/gm)) {
    const imported = name.startsWith(".") ? join(dirname(file), name) : name;
    if (found.has(imported)) continue;
    found.add(imported);
    if (name.startsWith(".")) findImports(imported, found);
  }
  return found;
}

/** The file that `assay run` imports on demand. Chunks of an older build may be beside it. */
function findRunChunk(imported: ReadonlySet<string>): string {
  for (const file of imported) {
    const name = file.startsWith("node:")
      ? null
      : /import\("\.\/(run-[\w-]{8}\.js)"\)/.exec(readFileSync(file, "utf8"));
    if (name?.[1] !== undefined) return join(DIST, "chunks", name[1]);
  }
  throw new Error("Nothing imports the run command.");
}

it("loads two small chunks and no package for a plain run, because loading takes most of a short run", () => {
  const main = findImports(join(DIST, "cli/main.js"));
  const run = findRunChunk(main);
  const chunks = [...new Set([...main, ...findImports(run), run])].filter((name) => !name.startsWith("node:"));
  const names = chunks.map((name) => name.replace(/-[\w-]{8}\.js$/, ""));
  expect(names.sort()).toEqual(["rolldown-runtime", "run", "start"].map((name) => join(DIST, "chunks", name)));
  // They are 903 kB: `npm run bench startup` says what that costs. Any package for models, agents or files would add
  // much more.
  const bytes = chunks.reduce((sum, file) => sum + statSync(file).size, 0);
  expect(bytes).toBeLessThan(915_000);
});
