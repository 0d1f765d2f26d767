import { spawnSync } from "node:child_process";
import { mkdirSync } from "node:fs";
import { describe, expect, it, onTestFinished } from "vitest";
import { type FinishedCommand, parseReport, runAssay } from "../src/testing/run-assay.js";
import { TempProject } from "../src/testing/temp-project.js";

const QUESTIONS = Array.from({ length: 300 }, (_, i) => ({ id: i, question: `q${i}`, answer: "x" }));
const WORDY = `export default { name: "wordy", process: () => ({ response: "x", detail: "y".repeat(700) }) };`;
const ARGS = ["--dataset", "q.jsonl", "--system", "./wordy.mjs", "--runs-dir", "disk", "--output", "json"];

/** Writes fail halfway with ENOSPC after a while, as long as the file "full" exists. */
const FULL = `import fs from "node:fs";
  import { syncBuiltinESMExports } from "node:module";
  export function register() {
    if (!fs.existsSync("full")) return;
    const write = fs.writeFileSync;
    let room = 100_000;
    fs.writeFileSync = (file, data, ...more) => {
      if (typeof file !== "number") return write(file, data, ...more);
      const bytes = Buffer.from(data);
      write(file, bytes.subarray(0, room));
      room -= Math.min(bytes.length, room);
      if (room === 0) throw Object.assign(new Error("ENOSPC: no space left on device, write"), { code: "ENOSPC" });
    };
    syncBuiltinESMExports();
  }`;

function expectStopped(space: TempProject, stopped: FinishedCommand): void {
  const [run = ""] = space.runs("disk");
  expect(stopped.stderr).toMatch(/assay: The disk is full \(\S+\)\. Recorded trials are safe: free some space/);
  expect(stopped.stderr).toContain(`continue with --resume ${run}`);
  expect(stopped.stderr).not.toMatch(/^\s+at |not expected/m);
  expect(stopped).toMatchObject({ code: 3, stdout: "" });
}

function expectComplete(space: TempProject, resumed: FinishedCommand): void {
  expect(resumed.code).toBe(0);
  expect(parseReport(resumed).summary.wordy).toMatchObject({ num_planned: 300, num_pass: 300 });
  const rows = space
    .read(space.runs("disk")[0] ?? "", "rows.jsonl")
    .trimEnd()
    .split("\n");
  const ids = rows.map((line) => (JSON.parse(line) as { exampleId: number }).exampleId);
  expect(ids.toSorted((a, b) => a - b)).toEqual(QUESTIONS.map(({ id }) => id));
}

describe("a full disk", () => {
  it("ends the run with exit 3, loses no recorded result, and can be resumed", async () => {
    const space = new TempProject({ "q.jsonl": QUESTIONS, "wordy.mjs": WORDY, "full.mjs": FULL, full: "" });
    expectStopped(space, await runAssay(space.dir, ...ARGS, "--plugin", "./full.mjs"));
    space.write("full.mjs", "export function register() {}");
    expectComplete(space, await runAssay(space.dir, "--resume", "--runs-dir", "disk"));
  });

  it("is survived on a real file system of 200 KiB", async ({ skip }) => {
    const space = new TempProject({ "q.jsonl": QUESTIONS, "wordy.mjs": WORDY });
    if (!mountTmpfs(space.path("disk"))) skip("mounting a tmpfs needs root; the case above simulates the same");
    expectStopped(space, await runAssay(space.dir, ...ARGS));
    expect(spawnSync("mount", ["-o", "remount,size=8m", space.path("disk")]).status).toBe(0);
    expectComplete(space, await runAssay(space.dir, "--resume", "--runs-dir", "disk"));
  });
});

function mountTmpfs(dir: string): boolean {
  mkdirSync(dir);
  const { status } = spawnSync("mount", ["-t", "tmpfs", "-o", "size=200k", "assay-test", dir]);
  if (status === 0) onTestFinished(() => void spawnSync("umount", [dir]));
  return status === 0;
}
