import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, it, onTestFinished } from "vitest";
import type { TrialContext } from "../core/index.js";
import { readProcess } from "../exec/process/process-table.js";
import { CommandSystem } from "./command-system.js";

/** Answers with its process id, and answers the request "a" again once the answer was taken. */
const LATE = `
const lines = require("node:readline").createInterface({ input: process.stdin });
const say = (answer) => process.stdout.write(JSON.stringify(answer) + "\\n");
process.on("SIGUSR2", () => say({ id: "a", response: "again" }));
lines.on("line", (line) => say({ id: JSON.parse(line).id, response: String(process.pid) }));
`;

it("stops a program that prints a second line late, and notes it on the next trial, which another process answers", async () => {
  const folder = mkdtempSync(join(tmpdir(), "assay-command-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  writeFileSync(join(folder, "late.cjs"), LATE);
  const system = new CommandSystem({ command: `node ${join(folder, "late.cjs")}`, maxParallel: 1 });
  onTestFinished(() => system.close());
  const notes: string[] = [];
  const trial: TrialContext = {
    signal: new AbortController().signal,
    budget: null,
    trial: 0,
    seed: 1,
    log: (note) => void notes.push(note),
  };
  const first = Number((await system.process({ id: "a" }, trial)).response);
  process.kill(first, "SIGUSR2");
  await expect.poll(() => readProcess(first)).toBe(null);
  expect(notes).toEqual([]);
  const second = Number((await system.process({ id: "b" }, trial)).response);
  expect(second).not.toBe(first);
  expect(notes).toEqual([expect.stringContaining('printed a second answer to the request "a"')]);
  await system.process({ id: "c" }, trial);
  expect(notes).toHaveLength(1);
});
