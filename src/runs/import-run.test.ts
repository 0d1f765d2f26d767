import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { DatasetError, UsageError } from "../core/errors.js";
import type { EvalResult } from "../core/result.js";
import type { EvalRow } from "../core/row.js";
import { readExamples } from "../store/examples.js";
import { readManifest } from "../store/journal.js";
import { readOutputs } from "../store/outputs.js";
import { isRunComplete } from "../store/summary-file.js";
import { TempProject, type TestFileContent } from "../testing/temp-project.js";
import { type ImportRunOptions, importRun } from "./import-run.js";
import { loadRun } from "./load-run.js";

type Files = Readonly<Record<string, TestFileContent>>;

interface Imported {
  result: EvalResult;
  format: string;
  dir: string;
}

/** Imports files from a temporary folder with the real importer. */
async function imported(files: Files, options: Partial<ImportRunOptions> = {}): Promise<Imported> {
  const workspace = new TempProject(files);
  const names = options.files ?? Object.keys(files);
  const paths = names.map((name) => workspace.path(name));
  const { result, format } = await importRun({ runsDir: workspace.path("runs"), ...options, files: paths });
  return { result, format, dir: result.runDir ?? "" };
}

function rowOf({ result }: Imported, id: string | number, trial = 0): EvalRow {
  const row = result.rows.find(({ exampleId, trial: number }) => exampleId === id && number === trial);
  if (row === undefined) throw new Error(`no row of ${id}#${trial}`);
  return row;
}

function ailangRecord(fields: Readonly<Record<string, unknown>> = {}): Record<string, unknown> {
  return {
    id: "sum_list",
    lang: "python",
    model: "blue-1",
    executor: "claude",
    eval_mode: "agent",
    seed: 42,
    input_tokens: 900,
    output_tokens: 120,
    total_tokens: 1020,
    cost_usd: 0.02,
    compile_ok: true,
    runtime_ok: true,
    stdout_ok: true,
    duration_ms: 40_000,
    error_category: "none",
    expected_stdout: "6\n",
    stdout: "6\n",
    code: "print(6)",
    timestamp: "2026-03-01T10:00:00Z",
    agent_turns: 5,
    ...fields,
  };
}

describe("results of AILANG", () => {
  it("become rows, with unmeasured values as null and the duration as time to success", async () => {
    const run = await imported({
      "a.json": JSON.stringify(ailangRecord({ success_at_ms: -1, first_attempt_ms: 0, tokens_per_sec: 0 })),
    });
    const row = rowOf(run, "sum_list");
    expect(run.format).toBe("ailang");
    expect(row).toMatchObject({
      system: "blue-1 [claude, agent]",
      dataset: "python",
      outcome: "pass",
      errorCategory: "none",
      primaryField: "verdict",
      scores: { compile_ok: 1, runtime_ok: 1, stdout_ok: 1, verdict: 1 },
      inputTokens: 900,
      outputTokens: 120,
      usage: { input: 900, output: 120 },
      costUsd: 0.02,
      costSource: "provider",
      durationMs: 40_000,
      latency: 40,
      turns: 5,
      firstAttemptMs: null,
      successAtMs: null,
      tokensPerSec: null,
      costKilledAt: 0,
    });
    const summary = run.result.summary[row.system];
    expect(summary?.median_time_to_success_ms).toBe(40_000);
    expect(summary?.time_to_success_fallback).toBe(1);
    expect(summary?.median_time_to_first_attempt_ms).toBeNull();
    expect(summary?.speed_efficiency_score).toBeCloseTo(1 / (1 + 40 / 60), 9);
  });

  it("keep the measured speed, cache and reasoning tokens", async () => {
    const record = ailangRecord({
      success_at_ms: 12_000,
      first_attempt_ms: 7000,
      tokens_per_sec: 55.5,
      cost_killed_at: 0.4,
      error_category: "cost_killed",
      input_tokens: 1000,
      cache_read_input_tokens: 700,
      cache_creation_input_tokens: 100,
      cache_accounted: true,
      reason_tokens: 30,
    });
    const row = rowOf(await imported({ "a.json": JSON.stringify([record]) }), "sum_list");
    expect(row).toMatchObject({
      outcome: "pass",
      errorCategory: "cost_killed",
      successAtMs: 12_000,
      firstAttemptMs: 7000,
      tokensPerSec: 55.5,
      costKilledAt: 0.4,
      usage: { input: 200, output: 150, cacheRead: 700, cacheWrite: 100, reasoning: 30 },
    });
  });

  it("map error categories: endpoint failures are errors, model failures are graded", async () => {
    const cases = {
      api_error: ["error", "api_error"],
      quota_exhausted: ["error", "api_error"],
      rate_limit: ["error", "rate_limit"],
      wire_drift: ["error", "system_error"],
      timeout: ["fail", "time_killed"],
      cost_killed: ["fail", "cost_killed"],
      refused: ["fail", "refused"],
      compile_error: ["fail", "logic_error"],
      runtime_error: ["fail", "logic_error"],
      step_exhausted: ["fail", "logic_error"],
      something_new: ["fail", "logic_error"],
    };
    const lines = Object.keys(cases).map((error_category) =>
      ailangRecord({ id: error_category, error_category, stdout_ok: false }),
    );
    const run = await imported({ "summary-lines.jsonl": lines });
    for (const [id, [outcome, errorCategory]] of Object.entries(cases))
      expect(rowOf(run, id), id).toMatchObject({ outcome, errorCategory });
    expect(rowOf(run, "step_exhausted").notes).toContain("AILANG calls its error step_exhausted");
  });

  it("pass after a repair, whatever the first error was, and are not measured if marked so", async () => {
    const run = await imported({
      "a.jsonl": [
        ailangRecord({ id: "repaired", error_category: "compile_error", repair_used: true, repair_ok: true }),
        ailangRecord({ id: "void", stdout_ok: false, validity: { valid: false, reason: "canary_failed" } }),
      ],
    });
    expect(rowOf(run, "repaired")).toMatchObject({ outcome: "pass", errorCategory: "none" });
    expect(rowOf(run, "void")).toMatchObject({ outcome: "error", errorCategory: "system_error", passed: null });
  });

  it("never pool models, harnesses, modes and conditions, and keep the harness in the manifest", async () => {
    const lines = [
      ailangRecord(),
      ailangRecord({ executor: "opencode" }),
      ailangRecord({ condition: "contract" }),
      ailangRecord({ executor: undefined, eval_mode: undefined }),
    ];
    const run = await imported({ "a.jsonl": lines });
    expect(run.result.config.systems).toEqual([
      "blue-1 [claude, agent]",
      "blue-1 [opencode, agent]",
      "blue-1 [claude, agent, contract]",
      "blue-1 [standard]",
    ]);
    const { systems } = readManifest(run.dir);
    expect(systems["blue-1 [opencode, agent]"]).toMatchObject({ model: "blue-1", harness: "opencode" });
    expect(systems["blue-1 [standard]"]?.harness).toBeUndefined();
    expect(
      rowOf({ ...run, result: run.result.filter({ system: "blue-1 [standard]" }) }, "sum_list").latency,
    ).toBeNull();
    expect(run.result.notes.join("\n")).toContain("the model's own time was not measured");
  });

  it("read a cost of 0 as unknown, unless nothing was used", async () => {
    const run = await imported({
      "a.jsonl": [
        ailangRecord({ id: "unpriced", cost_usd: 0 }),
        ailangRecord({ id: "absent", cost_usd: undefined }),
        ailangRecord({ id: "local", cost_usd: 0, cost_provenance: "free-local" }),
        ailangRecord({ id: "list", cost_provenance: "list-price-equivalent" }),
      ],
    });
    expect(rowOf(run, "unpriced")).toMatchObject({ costUsd: null, costSource: "unknown" });
    expect(rowOf(run, "absent")).toMatchObject({ costUsd: null, costSource: "unknown" });
    expect(rowOf(run, "local")).toMatchObject({ costUsd: 0, costSource: "provider" });
    expect(rowOf(run, "list")).toMatchObject({ costUsd: 0.02, costSource: "priced" });
  });

  it("are read from a folder: trials by number, the newest of duplicates, without damaged and unrelated files", async () => {
    const files = {
      "out/agent/a.json": JSON.stringify(ailangRecord({ stdout_ok: false, error_category: "logic_error" })),
      "out/agent/b.json": JSON.stringify(ailangRecord({ timestamp: "2026-03-02T10:00:00+02:00" })),
      "out/agent/c.json": JSON.stringify(ailangRecord({ trial: 2, stdout_ok: false })),
      "out/agent/d.json": JSON.stringify(ailangRecord({ id: "other" })),
      "out/agent/e.json": JSON.stringify(ailangRecord({ id: "other", trial: 2 })),
      "out/agent/torn.json": '{"id": "torn", "lang": "pyth',
      "out/agent/notes.json": '{"some": "notes"}',
      "out/summary.json": '{"rows": 5}',
    };
    const { result } = await imported(files, { files: ["out"] });
    expect(result.rows).toHaveLength(4);
    expect(result.rows.filter(({ exampleId }) => exampleId === "sum_list").map(({ outcome }) => outcome)).toEqual([
      "pass",
      "fail",
    ]);
    const notes = result.notes.join("\n");
    expect(notes).toMatch(/a newer one of the same trial: 1\n.*a\.json/);
    expect(notes).toMatch(/could not be read and were skipped: 1\n.*torn\.json: it is not JSON/);
    expect(notes).toMatch(/without AILANG results, which were skipped: 1 \(.*notes\.json\)/);
    expect(result.timing.startedAt).toBe("2026-03-01T10:00:00.000Z");
  });

  it("keep the outputs, and report missing trials of some systems", async () => {
    const run = await imported({
      "a.jsonl": [
        ailangRecord(),
        ailangRecord({ id: "two" }),
        ailangRecord({ model: "red", stderr: "oops", err_code: "E1" }),
      ],
    });
    const [first] = readOutputs(run.dir);
    expect(first?.output).toEqual({ response: "print(6)", stdout: "6\n" });
    expect([...readOutputs(run.dir)].at(-1)?.evidence).toEqual({ verdict: "E1: oops" });
    expect([...readExamples(run.dir)]).toEqual([
      { dataset: "python", id: "sum_list", answer: "6\n" },
      { dataset: "python", id: "two", answer: "6\n" },
    ]);
    expect(run.result.summary["red [claude, agent]"]?.coverage).toBe(0.5);
    expect(run.result.summary["blue-1 [claude, agent]"]?.coverage).toBe(1);
  });
});

describe("problems with files", () => {
  it("are reported: nothing there, unknown format, mixed formats, invalid format name", async () => {
    await expect(imported({}, { files: ["nowhere.json"] })).rejects.toThrow(/There is no file or folder/);
    await expect(imported({}, { files: [] })).rejects.toThrow(UsageError);
    const unknown = imported({ "a.json": '{"hello": 1}' });
    await expect(unknown).rejects.toThrow(DatasetError);
    await expect(unknown).rejects.toThrow(/promptfoo: a document with "results\.results"/);
    await expect(imported({ "a.json": "not json at all" })).rejects.toThrow(/it is not JSON/);
    const wrong = imported({ "a.json": "[]" }, { format: "promptfo" as never });
    await expect(wrong).rejects.toThrow(/Unknown format "promptfo"\. Did you mean/);
    const mixed = imported({
      "a.jsonl": [ailangRecord()],
      "b.jsonl": [{ type: "trial-result", stimulus: "s", status: "success" }],
    });
    await expect(mixed).rejects.toThrow(/the format vally, not ailang\. Import files of one format at a time/);
  });

  it("cost one record each: broken lines, wrong types, hostile names and values", async () => {
    const good = JSON.stringify(ailangRecord());
    const lines = [
      "{broken",
      '"a text"',
      JSON.stringify(ailangRecord({ id: "" })),
      JSON.stringify(ailangRecord({ id: "x".repeat(100_000) })),
      JSON.stringify(ailangRecord({ model: "__proto__", executor: undefined })).replace(
        '"id"',
        '"__proto__":{"x":1},"id"',
      ),
      JSON.stringify(ailangRecord({ compile_ok: "yes", runtime_ok: 1, stdout_ok: null })),
      JSON.stringify(
        ailangRecord({ id: "odd", cost_usd: "NaN", duration_ms: -5, input_tokens: [1], agent_turns: "5" }),
      ),
      JSON.stringify(ailangRecord({ id: "loud", code: `\u001b[2J${"y".repeat(3_000_000)}` })),
      good,
    ];
    const run = await imported({ "a.jsonl": lines.join("\n") });
    const notes = run.result.notes.join("\n");
    expect(notes).toMatch(/could not be read and were skipped: 6\n.*a\.jsonl:1: it is not JSON/);
    expect(notes).toContain("a.jsonl:2: it is not an object");
    expect(notes).toContain("a.jsonl:3: it has no id");
    expect(rowOf(run, "odd")).toMatchObject({
      costUsd: null,
      durationMs: null,
      turns: null,
      usage: { input: 0, output: 120 },
    });
    expect([...readOutputs(run.dir)].find(({ exampleId }) => exampleId === "loud")?.output.response).toHaveLength(
      3_000_004,
    );
    expect(notes).toContain("a.jsonl:5: its model is a reserved name of JavaScript");
    expect(({} as Record<string, unknown>).x).toBeUndefined();
  });

  it("end the import if nothing can be read, and name only the first five", async () => {
    const bad = Array.from({ length: 9 }, (_, i) => ailangRecord({ id: "", seed: i }));
    await expect(imported({ "a.jsonl": bad })).rejects.toThrow(/Nothing in .*a\.jsonl can be read as AILANG results/);
    const { result } = await imported({ "a.jsonl": [...bad, ailangRecord()] });
    expect(result.notes.join("\n")).toContain("skipped: 9");
    expect(result.notes.join("\n")).toContain("and 4 more");
  });

  it("leave out a file that is a copy of another", async () => {
    const line = JSON.stringify(ailangRecord());
    const { result } = await imported({ "a.jsonl": line, "b.jsonl": line });
    expect(result.rows).toHaveLength(1);
    expect(result.notes.join("\n")).toMatch(/b\.jsonl is identical to .*a\.jsonl and was skipped/);
  });
});

describe("a failed import", () => {
  it("leaves no incomplete run", async () => {
    const workspace = new TempProject({ "a.jsonl": [ailangRecord()] });
    const onProgress: ImportRunOptions["onProgress"] = ({ phase }) => {
      if (phase === "writing") throw new Error("in the middle");
    };
    const runsDir = workspace.path("runs");
    await expect(importRun({ files: [workspace.path("a.jsonl")], runsDir, onProgress })).rejects.toThrow("middle");
    expect(workspace.runs("runs")).toEqual([]);
  });

  it("rejects input that can be read only once", async () => {
    const workspace = new TempProject();
    execFileSync("mkfifo", [workspace.path("pipe.json")]);
    const refused = importRun({ files: [workspace.path("pipe.json")], runsDir: workspace.path("runs") });
    await expect(refused).rejects.toThrow(/is not a regular file.*Write them to a file first/);
  });
});

describe("an imported run", () => {
  it("is a run like any other", async () => {
    const files = {
      "a.jsonl": [
        ailangRecord(),
        ailangRecord({ id: "two", stdout_ok: false, error_category: "api_error", stderr: "it hung up\n" }),
      ],
    };
    const run = await imported(files, { title: "Spring" });
    const manifest = readManifest(run.dir);
    expect(manifest).toMatchObject({
      createdAt: "2026-03-01T10:00:00.000Z",
      planned: 2,
      config: { title: "Spring", scoreField: "score", threshold: 0.7, trials: 1, evaluators: ["ailang"] },
      invocation: { command: "import", format: "ailang" },
    });
    expect(rowOf(run, "two").attempts).toEqual([
      { errorCategory: "api_error", message: "it hung up", durationMs: 40_000 },
    ]);
    // The failed trial is not retried here.
    expect(isRunComplete(run.dir)).toBe(true);
    const again = await loadRun(run.dir);
    expect(again.toJSON()).toEqual(run.result.toJSON());
    expect(JSON.parse(readFileSync(join(run.dir, "summary.json"), "utf8"))).toMatchObject({
      schema: "assay.summary/1",
    });
    expect(again.summary["blue-1 [claude, agent]"]).toMatchObject({
      pass_rate: 1,
      mean_score: 1,
      coverage: 0.5,
      cost_per_pass_usd: 0.04,
      cost_of_pass: 240,
    });
  });
});
