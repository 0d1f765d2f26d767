import { describe, expect, it } from "vitest";
import type { EvalRow } from "../core/row.js";
import { readExamples } from "../store/examples.js";
import { readManifest } from "../store/journal.js";
import { readOutputs } from "../store/outputs.js";
import { type ImportedFixture, importFixture } from "../testing/fixture-runs.js";

function rowsOf({ result }: ImportedFixture, where: Partial<EvalRow>): EvalRow[] {
  const wanted = Object.entries(where) as [keyof EvalRow, unknown][];
  return result.rows.filter((row) => wanted.every(([field, value]) => row[field] === value));
}

describe("results of Vally", () => {
  const start = Date.parse("2026-05-01T12:00:00Z");
  const at = (ms: number) => new Date(start + ms).toISOString();

  function line(fields: Readonly<Record<string, unknown>> = {}): Record<string, unknown> {
    return {
      type: "trial-result",
      stimulus: "write-tests",
      trialIndex: 0,
      variant: "skilled",
      status: "success",
      durationMs: 50_000,
      experiment: { evalFile: ".\\tests\\plugin\\skill\\eval.yaml", runId: "r1" },
      gradeResult: {
        name: "all",
        kind: "code",
        passed: true,
        score: 0.9,
        evidence: "2 of 2",
        stimulusName: "write-tests",
        details: [
          { name: "file-exists", kind: "code", passed: true, score: 1, evidence: "add.test.js is there" },
          { name: "judge", kind: "llm", passed: true, score: 0.8, evidence: "reads well" },
        ],
      },
      trajectory: {
        id: "t-1",
        stimulus: { name: "write-tests", prompt: "Write tests for add." },
        metadata: { model: "blue-1", executor: "copilot-sdk" },
        endReason: "completed",
        output: "Done.",
        metrics: {
          wallTimeMs: 30_000,
          turnCount: 4,
          toolCallCount: 2,
          tokenUsage: {
            inputTokens: 1000,
            outputTokens: 80,
            cacheReadTokens: 600,
            cacheWriteTokens: 0,
            totalTokens: 1080,
          },
        },
        events: [
          { type: "turn_start", timestamp: at(0), data: { turnId: "1" } },
          {
            type: "tool_call",
            timestamp: at(9000),
            data: { toolName: "write_file", toolCallId: "c", arguments: { path: "a" } },
          },
          { type: "tool_result", timestamp: at(9500), data: { toolCallId: "c", success: true, result: { ok: 1 } } },
          { type: "assistant_message", timestamp: at(20_000), data: { content: "Done." } },
          { type: "odd_one", timestamp: at(21_000), data: { a: 1 } },
          { type: "token_usage", timestamp: "never", data: {} },
        ],
      },
      ...fields,
    };
  }

  it("become rows with grades, usage, turns and the timeline", async () => {
    const run = await importFixture({ "results.jsonl": [line(), { type: "run-summary", evals: [{ name: "e" }] }] });
    expect(run.format).toBe("vally");
    expect(run.result.rows).toHaveLength(1);
    expect(run.result.rows[0]).toMatchObject({
      system: "blue-1 [copilot-sdk, skilled]",
      dataset: "tests/plugin/skill/eval.yaml",
      exampleId: "write-tests",
      trial: 0,
      outcome: "pass",
      scores: { "file-exists": 1, judge: 0.8, weighted_score: 0.9, verdict: 1 },
      primaryField: "verdict",
      usage: { input: 400, output: 80, cacheRead: 600, cacheWrite: 0 },
      inputTokens: 1000,
      outputTokens: 80,
      costUsd: null,
      costSource: "unknown",
      durationMs: 30_000,
      latency: 30,
      turns: 4,
      firstAttemptMs: 9000,
      successAtMs: null,
    });
    const [stored] = readOutputs(run.dir);
    expect(stored?.grades?.map(({ name, kind }) => [name, kind])).toEqual([
      ["file-exists", "code"],
      ["judge", "llm"],
    ]);
    expect(stored?.evidence).toEqual({ "file-exists": "add.test.js is there", judge: "reads well", verdict: "2 of 2" });
    expect(stored?.output.response).toBe("Done.");
    expect(stored?.output.trajectory?.events.map(({ type }) => type)).toEqual([
      "turn_start",
      "tool_call",
      "tool_result",
      "assistant_message",
      "custom",
    ]);
    expect([...readExamples(run.dir)][0]?.question).toBe("Write tests for add.");
    expect(readManifest(run.dir)).toMatchObject({
      createdAt: at(0),
      systems: { "blue-1 [copilot-sdk, skilled]": { model: "blue-1", harness: "copilot-sdk" } },
    });
  });

  it("classify endings: errors by message, skipped, no graders, stopped by its own limit", async () => {
    const bare = { trajectory: null, gradeResult: null };
    const run = await importFixture({
      "results.jsonl": [
        line({ ...bare, stimulus: "late", status: "error", error: "Timeout after 300000ms waiting for session.idle" }),
        line({ ...bare, stimulus: "busy", status: "error", error: { message: "429 Too Many Requests" } }),
        line({ ...bare, stimulus: "never", status: "skipped" }),
        line({ ...bare, stimulus: "plain" }),
        line({
          stimulus: "slow",
          trajectory: { id: "x", endReason: "agent_timeout" },
          gradeResult: { passed: false, score: 0 },
        }),
      ],
    });
    const by = new Map(run.result.rows.map((row) => [row.exampleId, row]));
    expect(run.result.config.systems).toEqual(["unknown model [skilled]"]);
    expect(by.get("late")).toMatchObject({ outcome: "error", errorCategory: "timeout", durationMs: 50_000 });
    expect(by.get("late")?.attempts[0]?.message).toContain("session.idle");
    expect(by.get("busy")).toMatchObject({ outcome: "error", errorCategory: "rate_limit" });
    expect(by.get("never")).toMatchObject({ outcome: "skipped", errorCategory: "skipped" });
    expect(by.get("plain")).toMatchObject({ outcome: "unscored", errorCategory: "none", passed: null });
    expect(by.get("slow")).toMatchObject({ outcome: "fail", errorCategory: "time_killed" });
  });

  it("assign a trial that failed before its model was known to the system of its variant, if there is one", async () => {
    const failed = (variant: string) =>
      line({ stimulus: "late", variant, trajectory: null, gradeResult: null, status: "error", error: "timed out" });
    const run = await importFixture({ "results.jsonl": [failed("skilled"), line(), failed("baseline")] });
    expect(run.result.config.systems).toEqual(["blue-1 [copilot-sdk, skilled]", "unknown model [baseline]"]);
    expect(
      rowsOf(run, { exampleId: "late", outcome: "error" })
        .map(({ system }) => system)
        .sort(),
    ).toEqual(["blue-1 [copilot-sdk, skilled]", "unknown model [baseline]"]);
    expect(readManifest(run.dir).systems["unknown model [baseline]"]).toEqual({ fingerprint: expect.any(String) });
  });

  it("count trials, and the same trajectory only once", async () => {
    const second = line({ trialIndex: 1, gradeResult: { passed: false, score: 0.2 } });
    const trajectory = { ...(line().trajectory as object), id: "t-2" };
    const run = await importFixture({ "results.jsonl": [{ ...second, trajectory }, line(), line()] });
    expect(run.result.rows.map(({ trial, outcome }) => [trial, outcome])).toEqual([
      [0, "pass"],
      [1, "fail"],
    ]);
    expect(run.result.notes.join("\n")).toContain("a newer one of the same trial: 1");
    expect(Object.values(run.result.summary)[0]).toMatchObject({ pass_rate: 0.5, pass_hat_1: 0.5, pass_hat_2: 0 });
  });

  it("are also read from the results.jsonl of assay eval", async () => {
    const own = {
      stimulus: 7,
      eval: "evals/a.yaml",
      skill: "a",
      system: "claude",
      trial: 1,
      outcome: "fail",
      errorCategory: "cost_killed",
      passed: false,
      score: 0.5,
      grades: [
        { name: "g", type: "output-contains", kind: "code", passed: false, score: 0, evidence: "no", status: "ok" },
      ],
      usage: { input: 10, output: 5, cacheRead: 90 },
      costUsd: 0.5,
      turns: 3,
      durationMs: 800,
      successAtMs: null,
      notes: ["slow: twice as long"],
      response: "hm",
      trajectory: { events: [{ type: "assistant_message", text: "hm", timestamp: start }], startedAt: start },
    };
    const run = await importFixture({
      "results.jsonl": [own, { ...own, trial: 0, outcome: "unscored", errorCategory: "grader_error" }],
    });
    expect(run.format).toBe("vally");
    expect(rowsOf(run, { trial: 1 })[0]).toMatchObject({
      system: "claude",
      dataset: "evals/a.yaml",
      exampleId: 7,
      outcome: "fail",
      errorCategory: "cost_killed",
      usage: { input: 10, output: 5, cacheRead: 90 },
      costUsd: 0.5,
      turns: 3,
      durationMs: 800,
      notes: ["slow: twice as long"],
    });
    expect(rowsOf(run, { trial: 0 })[0]).toMatchObject({ outcome: "unscored", errorCategory: "grader_error" });
  });
});

describe("results of context-bench", () => {
  const row = (fields: Readonly<Record<string, unknown>> = {}) => ({
    system: "truncate",
    example_id: 1,
    dataset: "hotpotqa",
    scores: { exact_match: 0, f1: 0.8 },
    input_tokens: 400,
    output_tokens: 450,
    latency: 0.25,
    metadata: {},
    ...fields,
  });

  /** As Python's json.dumps writes it: with NaN and Infinity unquoted. */
  function document(rows: readonly unknown[], summary: unknown): string {
    return JSON.stringify({ rows, summary, timing: {}, config: {} })
      .replaceAll('"INF"', "Infinity")
      .replaceAll('"NAN"', "NaN");
  }

  it("become rows; the deciding field is the one whose mean is in the summary", async () => {
    const rows = [
      row(),
      row({ example_id: "b", scores: { exact_match: 0, f1: 0.2 }, latency: 0 }),
      row({
        example_id: "c",
        scores: { exact_match: 0, f1: "NAN" },
        metadata: { prompt_tokens: 410, completion_tokens: 50 },
      }),
    ];
    const run = await importFixture({
      "r.json": document(rows, { truncate: { mean_score: 1 / 3, cost_of_pass: "INF" } }),
    });
    expect(run.format).toBe("context-bench");
    const by = new Map(run.result.rows.map((one) => [one.exampleId, one]));
    expect(by.get(1)).toMatchObject({
      system: "truncate",
      dataset: "hotpotqa",
      outcome: "pass",
      primaryField: "f1",
      scores: { exact_match: 0, f1: 0.8 },
      inputTokens: 400,
      outputTokens: 450,
      usage: null,
      costUsd: null,
      latency: 0.25,
      durationMs: 250,
    });
    expect(by.get("b")).toMatchObject({
      outcome: "fail",
      errorCategory: "logic_error",
      latency: null,
      durationMs: null,
    });
    expect(by.get("c")).toMatchObject({
      outcome: "unscored",
      errorCategory: "grader_error",
      scores: { exact_match: 0 },
      usage: { input: 410, output: 50 },
    });
    expect(run.result.summary.truncate).toMatchObject({
      pass_rate: 0.5,
      mean_score: 0.5,
      compression_ratio: 1 - 1350 / 1200,
    });
  });

  it("count one row per example in a file, and files as trials", async () => {
    const once = document([row(), row({ scores: { f1: 0 } }), row({ example_id: 2 })], {});
    const again = document([row({ latency: 0.5 }), row({ example_id: 2, latency: 0.6 }), { system: 5 }], {});
    const run = await importFixture({ "a.json": once, "b.json": again });
    expect(run.result.rows.map(({ exampleId, trial, outcome }) => [exampleId, trial, outcome])).toEqual([
      [1, 0, "fail"],
      [1, 1, "pass"],
      [2, 0, "pass"],
      [2, 1, "pass"],
    ]);
    const notes = run.result.notes.join("\n");
    expect(notes).toContain("a newer one of the same trial: 1");
    expect(notes).toContain("b.json rows[2]: it has no system");
  });
});
