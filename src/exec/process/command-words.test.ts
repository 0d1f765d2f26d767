import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import fc from "fast-check";
import { afterEach, beforeEach, expect, it } from "vitest";
import { deriveCommandName, resolveCommandPaths, splitCommand } from "./command-words.js";

let folder = "";
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "assay-words-"));
  mkdirSync(join(folder, "agents"));
  for (const name of ["my agent.mjs", "agents/tiny.mjs", "plain"]) writeFileSync(join(folder, name), "");
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

it("resolves files next to a config, and nothing else", () => {
  const anchored = (command: string) => resolveCommandPaths(command, { folder, anchor: (path) => `../there/${path}` });
  expect(anchored("node agents/tiny.mjs  --x {prompt}")).toBe("node ../there/agents/tiny.mjs  --x {prompt}");
  expect(anchored("./plain plain ./agents gone.mjs 'a b' {prompt}")).toBe(
    "../there/./plain plain ./agents gone.mjs 'a b' {prompt}",
  );
  for (const word of [`'my agent.mjs'`, `"my agent.mjs"`, String.raw`my\ agent.mjs`])
    expect(splitCommand(anchored(`node ${word} {prompt}`))).toEqual(["node", "../there/my agent.mjs", "{prompt}"]);
});

it("keeps one word as one word, whatever the path contains", () => {
  const command = "node agents/tiny.mjs {prompt}";
  fc.assert(
    fc.property(fc.string({ minLength: 1 }), (path) => {
      expect(splitCommand(resolveCommandPaths(command, { folder, anchor: () => path }))).toEqual([
        "node",
        path,
        "{prompt}",
      ]);
    }),
  );
});

it.each([
  ["node agents/tiny.mjs {prompt}", "tiny"],
  ["my-agent {prompt}", "my-agent"],
  ["python3 -u /opt/other.py --task {prompt}", "other"],
  ["npx -y some-agent {prompt}", "some-agent"],
  ["env MY_KEY=hush _B=c my-agent {prompt}", "my-agent"],
  ["env MY_KEY=hush {prompt}", "env"],
  ["my-agent {prompt_file}", "my-agent"],
  ["bash {prompt}", "bash"],
  ["{prompt}", "command"],
  ["uv run python3.12 tools/squeeze.py", "squeeze"],
  ["ruby -w squeeze.rb", "squeeze"],
])("is named after its program: %s", (template, name) => {
  expect(deriveCommandName(template)).toBe(name);
});
