import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, it } from "vitest";
import { UsageError } from "../../core/errors.js";
import { isMissingExecuteBit } from "./find-program.js";
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

it("explains how to run a script that is not executable", async () => {
  const script = file("agent.mjs", "#!/usr/bin/env node\n", 0o644);
  await expect(start(script)).rejects.toThrow(UsageError);
  await expect(start(script)).rejects.toThrow(
    `${script} cannot be run: it is not executable. Run chmod +x ${script}, or name the program that runs it, such as: node ${script}.`,
  );
});

it("reports a missing interpreter of a script", async () => {
  const script = file("agent", "#!/no/such/program\n", 0o755);
  await expect(start(script)).rejects.toThrow(/the interpreter named in its first line does not exist/);
  await expect(start(join(dir, "gone"))).rejects.toThrow(/Program ".*gone" not found/);
});

it("reports that a folder is not a program", async () => {
  await expect(start(dir)).rejects.toThrow(`${dir} cannot be run: it is not a program`);
});

it("detects which files are executable", () => {
  expect(isMissingExecuteBit(file("a", "", 0o644))).toBe(true);
  expect(isMissingExecuteBit(file("b", "", 0o755))).toBe(false);
  expect(isMissingExecuteBit(join(dir, "gone"))).toBe(false);
  expect(isMissingExecuteBit(dir)).toBe(false);
  expect(isMissingExecuteBit("sh")).toBe(false);
});
