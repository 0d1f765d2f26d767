import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, it, onTestFinished } from "vitest";
import type { EvalRow, TrajectoryEvent } from "../core/index.js";
import { evaluate } from "../evaluate.js";
import { AnswerQuality } from "../evaluators/index.js";
import { readManifest, readOutputs } from "../store/index.js";
import { createAgentFolders, runScriptedTrial } from "../testing/scripted-trial.js";
import { exportRun } from "./export-run.js";
import { importRun } from "./import-run.js";
import { loadRunCost } from "./run-cost.js";

const TINY = fileURLToPath(new URL("../../examples/tiny-agent.mjs", import.meta.url));

function createFolder(): string {
  const dir = mkdtempSync(join(tmpdir(), "assay-atif-"));
  onTestFinished(() => rmSync(dir, { recursive: true, force: true }));
  return dir;
}

/** An agent that makes a file, fails at something, and says that it is done. */
async function runAgent() {
  const place = createAgentFolders();
  const { result } = await runScriptedTrial({
    place,
    does: [],
    agent: { command: `node ${TINY} {prompt}`, model: "tested", api: "chat", canary: false },
    model: { tools: [{ command: "echo made > a.txt" }, { command: "exit 3" }, { text: "All done." }] },
    run: { runsDir: join(place.root, "runs"), trials: 2 },
  });
  return { dir: result.runDir ?? "", root: place.root, rows: result.rows };
}

function readEvents(dir: string): TrajectoryEvent[][] {
  // The format has no event for the end of a turn.
  return Array.from(readOutputs(dir), ({ output }) =>
    (output.trajectory?.events ?? []).filter(({ type }) => type !== "turn_end"),
  );
}

/** What an import can know. Scores of the own evaluators become those beside the verdict. */
function pick({
  system,
  exampleId,
  trial,
  outcome,
  passed,
  usage,
  costUsd,
  durationMs,
  turns,
  firstAttemptMs,
}: EvalRow) {
  return { system, exampleId, trial, outcome, passed, usage, costUsd, durationMs, turns, firstAttemptMs };
}

describe("a run that is exported as ATIF and imported again", () => {
  it("has the same rows, the same events and the same costs", async () => {
    const { dir, root, rows } = await runAgent();
    const out = join(root, "trajectories.jsonl");
    await exportRun({ dir, format: "atif", out });
    const { result, format } = await importRun({ files: [out], runsDir: join(root, "imported") });
    expect(format).toBe("atif");
    expect(result.rows.map(pick)).toEqual(rows.map(pick));
    const copy = result.runDir ?? "";
    const before = readEvents(dir).flat();
    expect(before.length).toBeGreaterThan(10);
    const times = (events: TrajectoryEvent[]) =>
      events.map(({ type, timestamp: _, ...fields }) => ({ type, ...fields }));
    expect(times(readEvents(copy).flat())).toEqual(times(before));
    const [first, second] = [
      await loadRunCost({ dir, manifest: readManifest(dir) }),
      await loadRunCost({ dir: copy, manifest: readManifest(copy) }),
    ];
    for (const split of ["kind", "tool", "worker", "retries", "pass"] as const)
      expect(second.systems[0]?.splits[split]).toEqual(first.systems[0]?.splits[split]);
  });

  it("has the fields of the format", async () => {
    const { dir, root } = await runAgent();
    const out = join(root, "trajectories.jsonl");
    await exportRun({ dir, format: "atif", out });
    const [line = ""] = readFileSync(out, "utf8").split("\n");
    const { steps, ...trajectory } = JSON.parse(line);
    expect(trajectory).toMatchObject({
      schema_version: "ATIF-v1.4",
      session_id: expect.stringMatching(/task#[01]$/),
      agent: { name: expect.any(String), version: expect.any(String), model_name: "claude-sonnet-4-5" },
      final_metrics: { total_prompt_tokens: 3000, total_cost_usd: expect.any(Number), total_steps: steps.length },
    });
    expect(steps.map(({ step_id }: { step_id: number }) => step_id)).toEqual(
      steps.map((_: object, i: number) => i + 1),
    );
    expect(steps).toMatchObject([
      { source: "user", message: expect.stringContaining("Do it") },
      {
        source: "agent",
        message: "",
        tool_calls: [{ tool_call_id: expect.any(String), arguments: { command: "echo made > a.txt" } }],
        observation: { results: [{ source_call_id: expect.any(String), content: expect.any(String) }] },
        metrics: { prompt_tokens: 1000, cost_usd: expect.any(Number) },
      },
      { source: "agent", tool_calls: [{ arguments: { command: "exit 3" } }] },
      { source: "agent", message: "All done.", metrics: { prompt_tokens: 1000 } },
    ]);
  });

  it("keeps the answers of a system without steps", async () => {
    const runsDir = createFolder();
    const system = { name: "s", process: () => ({ response: "Paris", usage: { input: 5, output: 1 }, costUsd: 0.5 }) };
    const dataset = [{ id: 1, question: "Which?", answer: "Paris" }];
    const { runDir, rows } = await evaluate({ systems: [system], dataset, evaluators: [new AnswerQuality()], runsDir });
    const out = join(runsDir, "out.jsonl");
    await exportRun({ dir: runDir ?? "", format: "atif", out });
    const { result } = await importRun({ files: [out], runsDir });
    expect(result.rows.map(pick)).toEqual(rows.map((row) => ({ ...pick(row), turns: 1 })));
    const [stored] = readOutputs(result.runDir ?? "");
    expect(stored?.output).toEqual({ response: "Paris" });
  });
});

describe("a trajectory of Harbor", () => {
  const at = (seconds: number) => new Date(Date.UTC(2026, 0, 1) + seconds * 1000).toISOString();
  const TRAJECTORY = {
    schema_version: "ATIF-v1.6",
    session_id: "0b4d",
    agent: { name: "terminus-2", version: "2.0.0", model_name: "openai/gpt-6-luna" },
    steps: [
      { step_id: 1, timestamp: at(0), source: "user", message: [{ type: "text", text: "Fix it." }] },
      {
        step_id: 2,
        timestamp: at(4),
        source: "agent",
        message: "",
        reasoning_content: "Look first.",
        tool_calls: [{ tool_call_id: "c1", function_name: "bash_command", arguments: { keystrokes: "ls\n" } }],
        observation: { results: [{ source_call_id: "c1", content: "a.py" }] },
        metrics: { prompt_tokens: 1200, completion_tokens: 80, cached_tokens: 1000, cost_usd: 0.002 },
      },
      {
        step_id: 3,
        timestamp: at(9),
        source: "agent",
        message: "Done.",
        metrics: { prompt_tokens: 1400, completion_tokens: 20, cost_usd: 0.003 },
      },
    ],
  };

  function writeJob(trajectory: object): string {
    const dir = createFolder();
    const file = join(dir, "job", "fix-permissions__aB3dE9x", "agent", "trajectory.json");
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, JSON.stringify(trajectory));
    writeFileSync(join(dir, "job", "config.json"), "{}");
    return dir;
  }

  it("becomes a trial without a verdict, named after its task", async () => {
    const dir = writeJob(TRAJECTORY);
    const { result } = await importRun({ files: [join(dir, "job")], runsDir: join(dir, "runs") });
    expect(result.rows).toHaveLength(1);
    expect(result.rows[0]).toMatchObject({
      system: "terminus-2:openai/gpt-6-luna",
      exampleId: "fix-permissions",
      outcome: "unscored",
      usage: { input: 1600, output: 100, cacheRead: 1000 },
      costUsd: 0.005,
      durationMs: 9000,
      turns: 2,
    });
    const runDir = result.runDir ?? "";
    const { systems } = await loadRunCost({ dir: runDir, manifest: readManifest(runDir) });
    expect(systems[0]?.splits.tool).toEqual([
      { name: "no tool", costUsd: 0.003, tokens: 1420, count: 1 },
      { name: "bash_command", costUsd: 0.002, tokens: 1280, count: 1 },
    ]);
    const [stored] = readOutputs(runDir);
    expect(stored?.output.trajectory?.events.map(({ type }) => type)).toEqual([
      "user_message",
      "turn_start",
      "reasoning",
      "tool_call",
      "token_usage",
      "tool_result",
      "turn_start",
      "assistant_message",
      "token_usage",
    ]);
  });

  it("is refused if it names no agent", async () => {
    const dir = writeJob({ ...TRAJECTORY, agent: {} });
    await expect(importRun({ files: [join(dir, "job")], runsDir: join(dir, "runs") })).rejects.toThrow(
      "it has no agent name",
    );
  });
});
