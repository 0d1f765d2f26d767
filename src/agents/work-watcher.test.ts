import { mkdtempSync, readdirSync, rmSync, truncateSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { Workspace } from "../exec/workspace/index.js";
import { readFileClock } from "../exec/workspace/workspace-testing.js";
import { expectNothingLeft, runScriptedTrial } from "../testing/scripted-trial.js";
import type { ScriptStep } from "./scripted-agent.js";
import { WorkWatcher } from "./work-watcher.js";

const RIGHT = [{ type: "file-contains", config: { path: "a.txt", value: "right" } }];

/** Two clocks are read one after the other, and something may come between. */
const CLOCK_TOLERANCE_MS = 100;

const writes = (text: string): ScriptStep => ({ write: "a.txt", text });

describe("the success time", () => {
  it("is that of the correct change, even if it is broken again later", async () => {
    const { row, place } = await runScriptedTrial({
      does: [writes("wrong"), { wait: 100 }, writes("right"), { wait: 5000 }, writes("wrong"), { end: "done" }],
      example: { graders: RIGHT },
    });
    const { outcome, successAtMs, firstAttemptMs, durationMs } = row;
    expect(outcome).toBe("fail");
    expect(successAtMs).toBeGreaterThanOrEqual(100);
    // The change itself, not its check, which comes at least 300 ms later.
    expect((durationMs ?? 0) - (successAtMs ?? 0)).toBeGreaterThanOrEqual(5000);
    expect(firstAttemptMs).toBeLessThan((successAtMs ?? 0) + 1);
    expectNothingLeft(place);
  });

  it("is that of the last change when only the end is correct", async () => {
    const { row } = await runScriptedTrial({
      does: [writes("wrong"), { wait: 2000 }, writes("right"), { end: "done" }],
      example: { graders: RIGHT },
    });
    expect(row.outcome).toBe("pass");
    // Far below the wait: a busy machine once measured 340 ms for a wait of 500.
    expect(row.successAtMs).toBeGreaterThan(1000);
    expect(row.successAtMs).toBeLessThanOrEqual(row.durationMs ?? 0);
  });

  it("is unknown when graders need more than the folder, and null without a change", async () => {
    const [said, nothing] = ["output-contains", "file-not-exists"];
    const { result } = await runScriptedTrial({
      does: { said: [writes("right"), { end: "done" }], nothing: [{ end: "done" }] },
      dataset: [
        { id: 1, question: "said", graders: [...RIGHT, { type: said, config: { substring: "done" } }] },
        { id: 2, question: "nothing", graders: [{ type: nothing, config: { path: "b.txt" } }] },
      ],
    });
    expect(result.rows.map(({ outcome, successAtMs }) => [outcome, successAtMs])).toEqual([
      ["pass", null],
      ["pass", null],
    ]);
  });
});

describe("WorkWatcher", () => {
  let root = "";
  let workspace: Workspace;
  beforeEach(async () => {
    root = mkdtempSync(join(tmpdir(), "assay-watch-test-"));
    workspace = await Workspace.create({ root });
  });
  afterEach(async () => {
    await workspace.remove();
    rmSync(root, { recursive: true, force: true });
  });

  const change = (text: string) => writeFileSync(join(workspace.path, "a.txt"), text);

  it("checks a copy of each lasting state until one passes", async () => {
    const seen: string[] = [];
    const watch = new WorkWatcher(workspace, async ({ workspace: state }) => {
      expect(state?.path).not.toBe(workspace.path);
      const [only] = state?.changes ?? [];
      seen.push(only !== undefined && "content" in only ? only.content : "");
      return seen.at(-1) === "right";
    });
    await watch.ready;
    const began = readFileClock();
    change("right");
    await expect.poll(() => seen, { interval: 20 }).toEqual(["right"]);
    change("more");
    const { firstChangeAt, successAt } = await watch.stop();
    expect(seen).toEqual(["right"]);
    expect(successAt).toBe(firstChangeAt);
    expect(successAt).toBeGreaterThan(began - CLOCK_TOLERANCE_MS);
    expect(successAt).toBeLessThan(performance.now() - 200);
  });

  it("returns the time of the first change, not the end of the first batch", async () => {
    const watch = new WorkWatcher(workspace, undefined);
    await watch.ready;
    const before = readFileClock();
    writeFileSync(join(workspace.path, "first.txt"), "");
    const after = performance.now();
    for (const text of ["1", "2", "3", "4", "5"]) {
      await sleep(120);
      change(text);
    }
    const { firstChangeAt } = await watch.stop();
    expect(firstChangeAt).toBeGreaterThan(before - CLOCK_TOLERANCE_MS);
    expect(firstChangeAt).toBeLessThan(after + CLOCK_TOLERANCE_MS);
  });

  it("limits the time of the last check", async () => {
    const watch = new WorkWatcher(workspace, () => new Promise(() => {}));
    await watch.ready;
    change("x");
    const { firstChangeAt, successAt } = await watch.stop(50);
    expect(firstChangeAt).toBeGreaterThan(0);
    expect(successAt).toBeNull();
  });

  it("does not copy a folder that is too large", async () => {
    const never = async () => expect.unreachable();
    change("x");
    const large = new WorkWatcher(workspace, never);
    await large.ready;
    truncateSync(join(workspace.path, "a.txt"), 5 * 2 ** 40);
    expect((await large.stop()).successAt).toBeNull();
    expect(readdirSync(workspace.root).filter((name) => name.startsWith("snapshot"))).toEqual([]);
  });

  it("does not treat failed grading as success, and still sees the first change", async () => {
    const watch = new WorkWatcher(workspace, () => Promise.reject(new Error("no")));
    await watch.ready;
    change("x");
    const { firstChangeAt, successAt } = await watch.stop();
    expect(firstChangeAt).toBeGreaterThan(0);
    expect(successAt).toBeNull();
  });

  it("does not grade when it is canceled or nothing has changed", async () => {
    const never = () => Promise.reject(new Error("was asked"));
    const cancelled = new WorkWatcher(workspace, never);
    change("x");
    await cancelled.cancel();
    const quiet = new WorkWatcher(workspace, async () => expect.unreachable());
    expect(await quiet.stop()).toEqual({ firstChangeAt: null, successAt: null });
  });
});
