import { readFileSync, statSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { expect, it } from "vitest";

const DIST = resolve(import.meta.dirname, "../dist");

/** What a file of the build imports before it does anything, with all that this imports in turn. */
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

/** The file that `assay run` imports when it is called. Chunks of an older build may lie beside it. */
function findRunChunk(imported: ReadonlySet<string>): string {
  for (const file of imported) {
    const name = file.startsWith("node:")
      ? null
      : /import\("\.\/(run-[\w-]{8}\.js)"\)/.exec(readFileSync(file, "utf8"));
    if (name?.[1] !== undefined) return join(DIST, "chunks", name[1]);
  }
  throw new Error("Nothing imports the run command.");
}

it("loads two small chunks and no package for a plain run: most of a short run is loading", () => {
  const main = findImports(join(DIST, "cli/main.js"));
  const run = findRunChunk(main);
  const chunks = [...new Set([...main, ...findImports(run), run])].filter((name) => !name.startsWith("node:"));
  const names = chunks.map((name) => name.replace(/-[\w-]{8}\.js$/, ""));
  expect(names.sort()).toEqual(["rolldown-runtime", "run", "start"].map((name) => join(DIST, "chunks", name)));
  // They are 600 kB. Any package that models, agents or files need would be much more than the rest.
  const bytes = chunks.reduce((sum, file) => sum + statSync(file).size, 0);
  expect(bytes).toBeLessThan(750_000);
});
