import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { TrialError } from "../core/errors.js";
import type { Evaluator } from "../core/evaluator.js";
import type { Example } from "../core/example.js";
import type { EvalResult } from "../core/result.js";
import type { EvalRow } from "../core/row.js";
import type { System } from "../core/system.js";
import { evaluate } from "../evaluate.js";
import { readManifest } from "../store/journal.js";
import { type GradeOptions, gradeRun } from "./grade-run.js";
import { loadRun } from "./load-run.js";

let dir = "";

beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), "assay-grade-"));
});

afterEach(() => {
  rmSync(dir, { recursive: true, force: true });
});

const DATASET: Example[] = Array.from({ length: 6 }, (_, id) => ({ id, question: `question ${id}`, answer: `${id}` }));

/** Answers with the id for even examples and nonsense for odd ones; fails on the last. */
const SYSTEM: System = {
  name: "even",
  process: ({ id }) => {
    if (id === 5) throw new TrialError("api_error", "the endpoint is down");
    const response = Number(id) % 2 === 0 ? `${id}` : "?";
    return { response, usage: { input: 3, output: 1 }, costUsd: 0.01, ttftMs: 12, metadata: { region: "eu" } };
  },
};

const EXACT: Evaluator = {
  name: "exact",
  fields: ["em"],
  score: ({ answer }, { response }) => ({ em: answer === response ? 1 : 0 }),
};
const ANSWERED: Evaluator = {
  name: "answered",
  fields: ["answered"],
  score: (_, { response }) => ({
    scores: { answered: response === undefined ? 0 : 1 },
    evidence: { answered: response ?? "nothing" },
  }),
};

async function first(trials = 1): Promise<EvalResult> {
  return evaluate({
    systems: [SYSTEM],
    dataset: DATASET,
    evaluators: [EXACT],
    trials,
    runsDir: dir,
    retry: { maxRetries: 0 },
  });
}

async function again(run: EvalResult, options: Partial<GradeOptions> = {}): Promise<EvalResult> {
  return gradeRun(run.runDir ?? "", { datasets: [DATASET], evaluators: [ANSWERED], runsDir: dir, ...options });
}

describe("gradeRun", () => {
  it("scores the stored outputs with other evaluators and keeps the measurements", async () => {
    const run = await first();
    const graded = await again(run);
    expect(run.rows.map(({ outcome }) => outcome)).toEqual(["pass", "fail", "pass", "fail", "pass", "error"]);
    expect(graded.rows.map(({ outcome }) => outcome)).toEqual(["pass", "pass", "pass", "pass", "pass", "error"]);
    const { latency, durationMs } = run.rows[1] ?? {};
    expect(graded.rows[1]).toMatchObject({
      ...{
        latency,
        durationMs,
        scores: { answered: 1 },
        primaryField: "answered",
        passed: true,
        errorCategory: "none",
      },
      ...{ costUsd: 0.01, usage: { input: 3, output: 1 }, ttftMs: 12, metadata: { region: "eu" }, cached: true },
    });
    expect(graded.rows[5]?.attempts).toEqual(run.rows[5]?.attempts);
    expect(graded.notes[0]).toMatch(/^graded again from the outputs of \d{8}-\d{6}-/);
  });

  it("writes a run that names its parent, can be reported, and can be graded again", async () => {
    const run = await first(2);
    const graded = await again(run);
    const parent = readManifest(run.runDir ?? "").runId;
    expect(readManifest(graded.runDir ?? "")).toMatchObject({ parent: { runId: parent }, planned: 12 });
    const lines = readFileSync(join(graded.runDir ?? "", "outputs.jsonl"), "utf8")
      .trim()
      .split("\n");
    expect(JSON.parse(lines[0] ?? "")).toMatchObject({
      output: { ttftMs: 12 },
      evidence: { answered: expect.any(String) },
    });
    expect((await loadRun(graded.runDir ?? "")).summary).toEqual(graded.summary);
    const back = await again(graded, { evaluators: [EXACT] });
    expect(back.summary.even?.pass_rate).toBe(run.summary.even?.pass_rate);
    expect(back.config.title).toBe(graded.config.title);
  });

  it("reports trials that were not run under their own examples, as the run itself does", async () => {
    const stop = new AbortController();
    const stopping: System = {
      name: "stopping",
      process: ({ id }, { signal }) => {
        if (id === 3) stop.abort();
        signal.throwIfAborted();
        return { response: `${id}` };
      },
    };
    const before = await evaluate({
      systems: [stopping],
      dataset: DATASET,
      evaluators: [EXACT],
      trials: 3,
      maxWorkers: 1,
      runsDir: dir,
      signal: stop.signal,
    });
    expect(before.rows.some(({ outcome }) => outcome === "skipped")).toBe(true);
    const graded = await gradeRun(before.runDir ?? "", { datasets: [DATASET], evaluators: [EXACT], runsDir: dir });
    const loaded = await loadRun(graded.runDir ?? "");
    const name = ({ exampleId, trial, outcome }: EvalRow) => [exampleId, trial, outcome];
    expect(loaded.rows.map(name)).toEqual(graded.rows.map(name));
    expect(loaded.summary).toEqual(graded.summary);
  });

  it("calls no system", async () => {
    let calls = 0;
    const counting: System = { name: "counting", process: () => ({ response: `call ${++calls}` }) };
    const run = await evaluate({ systems: [counting], dataset: DATASET, evaluators: [EXACT], runsDir: dir });
    await again(run);
    expect(calls).toBe(6);
  });

  it("keeps the stop reason of an output, and drops the results of earlier evaluators", async () => {
    const cut: System = { name: "cut", process: () => ({ response: "4", stopped: "truncated" }) };
    const undecided: Evaluator = {
      name: "undecided",
      fields: ["u"],
      score: () => ({ scores: {}, unscored: { u: "why" } }),
    };
    const run = await evaluate({ systems: [cut], dataset: DATASET, evaluators: [undecided], runsDir: dir });
    expect(run.rows[0]).toMatchObject({ outcome: "unscored", notes: ['undecided could not decide "u": why'] });
    const graded = await again(run);
    expect(graded.rows[0]).toMatchObject({ outcome: "pass", errorCategory: "truncated", notes: [] });
  });

  it("rejects examples that differ from the run's, unless allowed", async () => {
    const run = await first();
    const corrected = DATASET.map((example) => ({ ...example, answer: "?" }));
    const changed = again(run, { datasets: [corrected], evaluators: [EXACT] });
    await expect(changed).rejects.toThrow("the dataset has changed since");
    const graded = await again(run, { datasets: [corrected.slice(0, 4)], evaluators: [EXACT], allowChanged: true });
    expect(graded.rows.map(({ passed }) => passed)).toEqual([false, true, false, true]);
    expect(graded.notes).toContain("rows whose examples are no longer in the dataset: 2");
  });

  it("rejects an unknown score field, and folders that are not runs", async () => {
    const run = await first();
    await expect(again(run, { scoreField: "answerd" })).rejects.toThrow('Did you mean "answered"?');
    await expect(gradeRun(join(dir, "nowhere"), { datasets: [DATASET] })).rejects.toThrow("There is no run folder");
  });

  it("reports how many outputs were never recorded instead of scoring them as empty", async () => {
    const circle: Record<string, unknown> = {};
    circle.self = circle;
    const odd: System = {
      name: "odd",
      process: ({ id }) => (id === 1 ? { response: "1", circle } : { response: "x" }),
    };
    const run = await evaluate({ systems: [odd], dataset: DATASET, evaluators: [EXACT], runsDir: dir });
    const graded = await again(run);
    expect(graded.rows[1]?.outcome).toBe("skipped");
    expect(graded.notes).toContain("outputs that could not be graded because the run did not record them: 1");
  });

  it("resumes where it was stopped", async () => {
    const run = await first();
    const controller = new AbortController();
    let calls = 0;
    const stopping: Evaluator = {
      name: "stopping",
      fields: ["s"],
      fingerprint: () => "stopping",
      score: async () => {
        if (++calls === 2) controller.abort();
        return { s: 1 };
      },
    };
    const options = { evaluators: [stopping], maxWorkers: 1 };
    const stopped = await again(run, { ...options, signal: controller.signal });
    expect(stopped.rows.filter(({ outcome }) => outcome === "skipped")).toHaveLength(3);
    const { runsDir: _, ...rest } = { runsDir: dir, ...options };
    const resumed = await gradeRun(run.runDir ?? "", { datasets: [DATASET], ...rest, resume: stopped.runDir ?? "" });
    expect(resumed.rows.filter(({ outcome }) => outcome === "pass")).toHaveLength(5);
    expect(calls).toBe(5);
  });

  it("reads the last output of a trial that was run twice, and large ones from their files", async () => {
    const long = "x".repeat(1 << 21);
    let round = 0;
    const flaky: System = {
      name: "flaky",
      fingerprint: () => "flaky",
      process: ({ id }) => {
        if (id === 0 && round === 0) throw new TrialError("api_error", "down");
        return { response: id === 1 ? long : `${id} ,"output": ${round}` };
      },
    };
    const options = { systems: [flaky], dataset: DATASET, evaluators: [ANSWERED], retry: { maxRetries: 0 } };
    const run = await evaluate({ ...options, runsDir: dir });
    round = 1;
    const whole = await evaluate({ ...options, resume: run.runDir ?? "" });
    const length: Evaluator = {
      name: "length",
      fields: ["long"],
      score: (_, { response = "" }) => ({
        scores: { long: response.length > 1e6 ? 1 : 0 },
        evidence: { long: response.slice(0, 20) },
      }),
    };
    const graded = await again(whole, { evaluators: [length] });
    expect(graded.rows.map(({ passed }) => passed)).toEqual([false, true, false, false, false, false]);
    const lines = readFileSync(join(graded.runDir ?? "", "outputs.jsonl"), "utf8")
      .trim()
      .split("\n");
    expect(lines.find((line) => line.includes('"exampleId":0,'))).toContain('0 ,\\"output\\": 1');
  });

  it("does not wait for an evaluator that can never settle", async () => {
    const run = await first();
    const stuck: Evaluator = {
      name: "stuck",
      fields: ["s"],
      score: ({ id }) => (id === 1 ? new Promise<never>(() => {}) : { s: 1 }),
    };
    const graded = again(run, { evaluators: [stuck] });
    // The message Node prints when a process has nothing left to wait for, which a test process always has.
    const timer = setInterval(() => process.emit("beforeExit", 0), 20);
    const { rows } = await graded.finally(() => clearInterval(timer));
    expect(rows.map(({ outcome }) => outcome)).toEqual(["pass", "unscored", "pass", "pass", "pass", "error"]);
    expect(rows[1]?.notes[0]).toContain("its promise never settled");
  });

  it("reports which line of the outputs cannot be read", async () => {
    const run = await first();
    const file = join(run.runDir ?? "", "outputs.jsonl");
    writeFileSync(file, `${readFileSync(file, "utf8")}nonsense\n`);
    await expect(again(run)).rejects.toThrow(/outputs\.jsonl:6 is not an output/);
  });
});
