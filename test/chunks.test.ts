import { readdirSync, readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { expect, it } from "vitest";

const CHUNKS = resolve(import.meta.dirname, "../dist/chunks");

/** What a file of the build imports before it does anything. */
function importsOf(file: string): string[] {
  const text = readFileSync(join(CHUNKS, file), "utf8");
  return Array.from(text.matchAll(/^(?:const|let) \w+ = require\("([^"]+)"\)/gm), ([, name = ""]) => name);
}

it("plain runs load no package, and nothing of models, agents or graders: most of a short run is loading", () => {
  const files = readdirSync(CHUNKS).filter((file) => /^(?:assay|command|main|start)-/.test(file));
  expect(files).toHaveLength(4);
  const imported = new Set(files.flatMap(importsOf).map((name) => name.replace(/-[\w-]{8}\.cjs$/, "")));
  const others = [...imported].filter((name) => !name.startsWith("node:"));
  expect(others.sort()).toEqual(["./assay", "./atomic", "./rolldown-runtime", "./start"]);
});
