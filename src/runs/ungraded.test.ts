import { appendFileSync, existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { createPrice } from "../budget/index.js";
import { TrialError } from "../core/errors.js";
import type { Evaluator } from "../core/evaluator.js";
import type { EvalRow } from "../core/row.js";
import type { Output, System } from "../core/system.js";
import { type EvaluateOptions, evaluate } from "../evaluate.js";
import { readOutput, readOutputs } from "../store/outputs.js";

let dir = "";

beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), "assay-ungraded-"));
});

afterEach(() => {
  rmSync(dir, { recursive: true, force: true });
});

const EXAMPLES = Array.from({ length: 4 }, (_, id) => ({ id, question: `question ${id}`, answer: String(id) }));
const LIMITS = {
  price: createPrice({ input_per_1k: 1, output_per_1k: 2 }, "test"),
  maxCostUsd: 1,
  hardTimeoutMs: 60_000,
};

/** Answers and reports usage; with `failsFirst`, its first call fails. */
function talkative(
  calls: unknown[],
  { failsFirst = false, ...output }: Output & { failsFirst?: boolean } = {},
): System {
  const failed = new Set<unknown>();
  return {
    name: "talkative",
    limits: LIMITS,
    fingerprint: () => "talkative",
    process: async ({ id, answer = "" }, { budget, log }) => {
      calls.push(id);
      log(`asked ${id}`);
      if (failsFirst && !failed.has(id)) {
        failed.add(id);
        throw new TrialError("rate_limit", "busy", { retry: { afterMs: 0 } });
      }
      budget?.add({ input: 100, output: 10, reasoning: 4 });
      return { response: answer, usage: { input: 100, output: 10 }, ttftMs: 12, metadata: { id }, ...output };
    },
  };
}

/** Scores at once, or waits until it is aborted. */
function judge(how: { waits: boolean; onWait?: () => void; evidence?: boolean }): Evaluator {
  return {
    name: "judge",
    fields: ["em"],
    fingerprint: () => "judge",
    score: async ({ answer }, { response }, context) => {
      if (how.waits) {
        how.onWait?.();
        await new Promise((_, reject) => {
          context?.signal?.addEventListener("abort", () => reject(new Error("told to stop")), { once: true });
        });
      }
      const scores = { em: response === answer ? 1 : 0 };
      return how.evidence === true ? { scores, evidence: { em: `it said ${response}` } } : scores;
    },
  };
}

function options(more: Partial<EvaluateOptions>): EvaluateOptions {
  return {
    systems: [talkative([])],
    dataset: EXAMPLES,
    evaluators: [judge({ waits: false })],
    tokenizer: { name: "chars", count: (text) => text.length },
    ...more,
  };
}

/** A run that is stopped while all its outputs are being graded. */
async function stopped(more: Partial<EvaluateOptions> = {}): Promise<string> {
  const controller = new AbortController();
  let waiting = 0;
  const onWait = () => {
    waiting += 1;
    // A moment later, like a signal.
    if (waiting === EXAMPLES.length) setTimeout(() => controller.abort(), 1);
  };
  const evaluators = [judge({ waits: true, onWait })];
  const { runDir } = await evaluate(options({ runsDir: dir, evaluators, signal: controller.signal, ...more }));
  return runDir ?? "";
}

function timeless({ latency: _, durationMs: __, attempts, ...row }: EvalRow): unknown {
  return { ...row, attempts: attempts.map(({ durationMs: ___, ...attempt }) => attempt) };
}

const lines = (runDir: string, file: string) =>
  readFileSync(join(runDir, file), "utf8")
    .split("\n")
    .filter((line) => line !== "")
    .map((line) => JSON.parse(line) as Record<string, unknown>);

describe("ungraded outputs", () => {
  it("are graded on resume without calling the system, with the same row as an uninterrupted run", async () => {
    const failing = { retry: { maxRetries: 1 }, systems: [talkative([], { failsFirst: true })] };
    const whole = await evaluate(options(failing));
    const runDir = await stopped({ ...failing, systems: [talkative([], { failsFirst: true })] });
    expect(lines(runDir, "outputs.jsonl")).toHaveLength(4);
    const calls: unknown[] = [];
    const resumed = await evaluate(options({ ...failing, systems: [talkative(calls)], resume: runDir }));
    expect(calls).toEqual([]);
    expect(resumed.rows.map(timeless)).toEqual(whole.rows.map(timeless));
    expect(resumed.rows[0]).toMatchObject({ cached: false, costUsd: 0.12, costSource: "priced", passed: true });
    const stored = new Map(lines(runDir, "outputs.jsonl").map((line) => [line.exampleId, line.call]));
    for (const { exampleId, latency } of resumed.rows) expect(stored.get(exampleId)).toMatchObject({ latency });
    // Nothing had to be added to them.
    expect(lines(runDir, "outputs.jsonl")).toHaveLength(4);
  });

  it("count as spent while they wait, and only once", async () => {
    const budget = { run: { maxCostUsd: 4 } };
    const runDir = await stopped({ budget });
    const resumed = await evaluate(options({ budget, resume: runDir }));
    expect(resumed.notes).toContain("spent $0.4800 of $4.00");
    const again = await evaluate(options({ budget, resume: runDir }));
    expect(again.notes).toContain("spent $0.4800 of $4.00");
  });

  it("are written once, with their row, if they are graded at once", async () => {
    const { runDir } = await evaluate(options({ runsDir: dir }));
    for (const line of lines(runDir ?? "", "outputs.jsonl")) expect(line).not.toHaveProperty("kind");
    expect(lines(runDir ?? "", "outputs.jsonl")).toHaveLength(4);
  });

  it("are written again with the graders' evidence, and read once", async () => {
    const runDir = await stopped();
    const evaluators = [judge({ waits: false, evidence: true })];
    const { rows } = await evaluate(options({ evaluators, resume: runDir }));
    expect(lines(runDir, "outputs.jsonl")).toHaveLength(8);
    const read = [...readOutputs(runDir)];
    expect(read.map(({ evidence }) => evidence?.em).sort()).toEqual(EXAMPLES.map(({ answer }) => `it said ${answer}`));
    expect(readOutput(runDir, rows[2] as EvalRow)).toMatchObject({ output: { response: "2" } });
  });

  it("are run again if their line is incomplete", async () => {
    const runDir = await stopped();
    const path = join(runDir, "outputs.jsonl");
    const text = readFileSync(path, "utf8");
    rmSync(path);
    appendFileSync(path, text.slice(0, -20));
    const calls: unknown[] = [];
    const told: string[] = [];
    await evaluate(options({ systems: [talkative(calls)], resume: runDir, onNote: (note) => told.push(note) }));
    expect(calls).toHaveLength(1);
    expect(told).toContain("stored outputs that are graded now: 3");
  });

  it("are read from the file beside the journal if they are large", async () => {
    const runDir = await stopped({ systems: [talkative([], { extra: "x".repeat(2 ** 20) })] });
    expect(readdirSync(join(runDir, "outputs"))).toHaveLength(4);
    const calls: unknown[] = [];
    const { rows } = await evaluate(options({ systems: [talkative(calls)], resume: runDir }));
    expect(calls).toEqual([]);
    expect(rows[3]).toMatchObject({ passed: true, outputTokens: 2 ** 20 + 1 });
  });

  it("are run again, with a note, if their workspace was not stored completely", async () => {
    const workspace = { changes: [], incomplete: "1 file of 2 GB" };
    const runDir = await stopped({ systems: [talkative([], { workspace })] });
    const calls: unknown[] = [];
    const told: string[] = [];
    const systems = [talkative(calls)];
    await evaluate(options({ systems, resume: runDir, onNote: (note) => told.push(note) }));
    expect(calls).toHaveLength(4);
    expect(told).toContain("trials run again because their workspace was not stored (1 file of 2 GB): 4");
  });

  it("are not taken from the cache, so that they count as paid", async () => {
    const cacheDir = join(dir, "cache");
    const runDir = await stopped({ cacheDir });
    expect(existsSync(cacheDir)).toBe(true);
    const { rows } = await evaluate(options({ cacheDir, resume: runDir }));
    expect(rows.map(({ cached }) => cached)).toEqual([false, false, false, false]);
  });
});
