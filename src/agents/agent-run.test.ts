import { join } from "node:path";
import { describe, expect, it } from "vitest";
import type { Progress } from "../runner/ports.js";
import { readOutputs } from "../store/outputs.js";
import {
  computeTrialCost,
  createAgentFolders,
  expectNothingLeft,
  runScriptedTrial,
  sumRequestUsage,
  waitForFile,
} from "../testing/scripted-trial.js";
import type { ScriptStep } from "./scripted-agent.js";

const DONE: readonly ScriptStep[] = [{ ask: true }, { end: "done" }];
const ASKS = Array.from({ length: 20 }, (): ScriptStep => ({ ask: true }));
const WRITTEN = [{ type: "file-contains", config: { path: "a.txt", value: "made" } }];
const WRITES: ScriptStep = { write: "a.txt", text: "made" };

/** The stored output of a run's only trial. */
function stored(runDir: string | null) {
  const [only] = [...readOutputs(runDir ?? "")];
  const { workspace, trajectory } = only?.output ?? {};
  return { workspace, events: trajectory?.events ?? [] };
}

describe("a stopped agent", () => {
  it("at its cost limit keeps its output and is graded on its result", async () => {
    const warnings: string[] = [];
    const place = createAgentFolders();
    const { row, result, mock } = await runScriptedTrial({
      place,
      does: [WRITES, { detach: ["sleep", "4711"] }, ...ASKS, { end: "done" }],
      example: { graders: WRITTEN },
      budgets: { max_cost_usd: 0.055 },
      run: {
        runsDir: join(place.root, "runs"),
        onProgress: ({ warning }: Progress) => void (warning !== null && warnings.push(warning)),
      },
    });
    const used = sumRequestUsage(mock.requests);
    const { usage, costUsd, costKilledAt, overshootUsd } = row;
    const output = usage?.output ?? 0;
    expect(row).toMatchObject({ outcome: "pass", errorCategory: "cost_killed" });
    // A request costs slightly more than a cent: the sixth exceeds the budget, and the rest of its answer is cut off.
    expect(used).toEqual({ input: 6000, output: 12 });
    expect([11, 12]).toContain(output);
    expect(costUsd).toBe(computeTrialCost({ input: 6000, output }));
    expect(costKilledAt).toBeGreaterThan(0.055);
    expect(overshootUsd).toBeCloseTo((costUsd ?? 0) - 0.055, 12);
    expect(row.turns).toBeGreaterThanOrEqual(5);
    expect(row.durationMs).toBeGreaterThan(0);
    const { events, workspace } = stored(result.runDir);
    expect(events.filter(({ type }) => type === "token_usage")).toHaveLength(6);
    expect(workspace).toEqual({ changes: [{ path: "a.txt", status: "added", content: "made" }] });
    expect([...new Set(warnings)]).toEqual([
      "scripted on task is over 50 % of its budget",
      "scripted on task is over 80 % of its budget",
    ]);
    expectNothingLeft(place);
  });

  it("at its cost limit in the middle of an answer is cut off there", async () => {
    const { row, mock, place } = await runScriptedTrial({
      does: DONE,
      model: { outputTokens: 10_000, tokensPerSec: 1000 },
      budgets: { max_cost_usd: 0.03 },
    });
    expect(row.errorCategory).toBe("cost_killed");
    expect(mock.requests[0]).toMatchObject({ aborted: true });
    // The rest of the budget pays for about 200 of 10,000 tokens.
    expect(row.usage?.output).toBeLessThan(1000);
    expectNothingLeft(place);
  });

  it("at its timeout is handled the same way, even when it ignores signals", async () => {
    const place = createAgentFolders();
    const { row, mock, result } = await runScriptedTrial({
      place,
      does: [{ ignore: "SIGTERM" }, { ask: true }, WRITES, { hang: true }],
      example: { graders: WRITTEN },
      budgets: { hard_timeout_secs: 5 },
      run: { runsDir: join(place.root, "runs") },
    });
    const used = sumRequestUsage(mock.requests);
    expect(row).toMatchObject({
      outcome: "pass",
      errorCategory: "time_killed",
      usage: used,
      costUsd: computeTrialCost(used),
    });
    expect(row).toMatchObject({ turns: 1, metadata: { exitCode: null, exitSignal: "SIGKILL" } });
    expect(row.durationMs).toBeGreaterThanOrEqual(5000);
    expect(stored(result.runDir).events.map(({ type }) => type)).toContain("assistant_message");
    expectNothingLeft(place);
  });

  it("at its timeout while the model does not respond", async () => {
    const { row, place } = await runScriptedTrial({
      does: DONE,
      example: { graders: WRITTEN },
      model: { faults: [{ kind: "hang" }] },
      budgets: { hard_timeout_secs: 5 },
    });
    expect(row).toMatchObject({ outcome: "error", errorCategory: "timeout" });
    expectNothingLeft(place);
  });

  it("with its run keeps its cost, and leaves nothing", async () => {
    const place = createAgentFolders();
    const controller = new AbortController();
    const tried = runScriptedTrial({
      place,
      does: [{ ask: true }, { detach: ["sleep", "4712"] }, { write: "ready", text: "1" }, { hang: true }],
      run: { signal: controller.signal },
    });
    await waitForFile(place, "ready");
    controller.abort(new Error("enough"));
    const { row, mock } = await tried;
    const used = sumRequestUsage(mock.requests);
    expect(used.input).toBe(1000);
    expect(row).toMatchObject({ outcome: "skipped", usage: used, costUsd: computeTrialCost(used), partial: true });
    expectNothingLeft(place);
  });
});

describe("a run stopped while a workspace is set up", () => {
  it("starts no agent, and leaves nothing", async () => {
    const place = createAgentFolders();
    const controller = new AbortController();
    const tried = runScriptedTrial({
      place,
      does: DONE,
      example: { environment: { commands: ["echo 1 > ready; sleep 4714"] } },
      run: { signal: controller.signal },
    });
    await waitForFile(place, "ready");
    controller.abort(new Error("enough"));
    const { row, agent } = await tried;
    expect(row.outcome).toBe("skipped");
    expect(agent.starts()).toBe(0);
    expectNothingLeft(place);
  });
});

describe("processes an agent leaves running", () => {
  it("are stopped and noted", async () => {
    const { row, place } = await runScriptedTrial({ does: [{ detach: ["sleep", "4713"] }, { wait: 50 }, ...DONE] });
    expect(row).toMatchObject({ outcome: "pass", errorCategory: "none" });
    expect(row.notes).toEqual(["processes that scripted left running, now stopped: 1"]);
    expectNothingLeft(place);
  });
});

describe("the output of an agent", () => {
  it("may contain lines that are not events", async () => {
    const place = createAgentFolders();
    const { row, result } = await runScriptedTrial({
      place,
      does: [{ line: "Warning: something" }, { line: '{"type": "assistant", "mess' }, { line: "" }, ...DONE],
      run: { runsDir: join(place.root, "runs") },
    });
    expect(row).toMatchObject({ outcome: "pass", notes: ["lines of output that are not JSON: 2"] });
    const malformed = stored(result.runDir).events.filter(({ type }) => type === "custom");
    expect(malformed.map(({ data }) => data)).toEqual(["Warning: something", '{"type": "assistant", "mess']);
  });

  it("may be any JSON", async () => {
    const odd = ["null", "7", '"text"', "[]", '{"type":7}', '{"malformed":"x"}', '{"type":"assistant","message":null}'];
    const { row } = await runScriptedTrial({ does: [...odd.map((line) => ({ line })), ...DONE] });
    expect(row).toMatchObject({ outcome: "pass", usage: { input: 1000, output: 2 } });
  });

  it("may have a line of 20 MB", async () => {
    const place = createAgentFolders();
    const { row, result } = await runScriptedTrial({
      place,
      does: [{ long: 20_000_000 }, ...DONE],
      run: { runsDir: join(place.root, "runs") },
    });
    expect(row).toMatchObject({ outcome: "pass", notes: [] });
    const long = stored(result.runDir).events.find(({ type }) => type === "tool_result");
    expect(String(long?.result).length).toBe(20_000_000);
  });

  it("may be the final event only", async () => {
    const { row } = await runScriptedTrial({ does: [{ end: "done" }] });
    expect(row).toMatchObject({ outcome: "pass", usage: null, costUsd: null, costSource: "unknown" });
    expect(row.notes).toEqual(["no model was called through the gateway: usage is unknown"]);
  });
});
