import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, it } from "vitest";
import { UsageError } from "../../core/errors.js";
import { lacksExecuteBit } from "./not-started.js";
import { startProgram } from "./program.js";

let dir = "";
beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), "assay-not-started-"));
});
afterEach(() => rmSync(dir, { recursive: true, force: true }));

function file(name: string, text: string, mode: number): string {
  writeFileSync(join(dir, name), text, { mode });
  return join(dir, name);
}

const start = (command: string) => startProgram({ command, env: process.env });

it("says of a script without the execute bit how to run it", async () => {
  const script = file("agent.mjs", "#!/usr/bin/env node\n", 0o644);
  await expect(start(script)).rejects.toThrow(UsageError);
  await expect(start(script)).rejects.toThrow(
    `${script} may not be run: it has no execute bit. Set it (chmod +x ${script}), or name the program that runs it, such as: node ${script}.`,
  );
});

it("says of a script whose interpreter is missing that it is the interpreter", async () => {
  const script = file("agent", "#!/no/such/program\n", 0o755);
  await expect(start(script)).rejects.toThrow(/the program that its first line names is not there/);
  await expect(start(join(dir, "gone"))).rejects.toThrow(/There is no program .*gone/);
});

it("says of a folder that it is no program", async () => {
  await expect(start(dir)).rejects.toThrow(`${dir} may not be run: it is no program`);
});

it("knows which files have the bit", () => {
  expect(lacksExecuteBit(file("a", "", 0o644))).toBe(true);
  expect(lacksExecuteBit(file("b", "", 0o755))).toBe(false);
  expect(lacksExecuteBit(join(dir, "gone"))).toBe(false);
  expect(lacksExecuteBit(dir)).toBe(false);
  expect(lacksExecuteBit("sh")).toBe(false);
});
