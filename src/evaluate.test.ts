import "./builtins.js";
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import type { Dataset } from "./core/dataset.js";
import { RunFolderError, UsageError } from "./core/errors.js";
import type { Evaluator } from "./core/evaluator.js";
import type { Example } from "./core/example.js";
import type { Metric } from "./core/metric.js";
import type { EvalResult } from "./core/result.js";
import type { EvalRow } from "./core/row.js";
import type { Output, System } from "./core/system.js";
import { type EvaluateOptions, evaluate } from "./evaluate.js";
import { AnswerQuality } from "./evaluators/index.js";
import { MeanScore, PassRate } from "./metrics/index.js";
import { loadRun } from "./runs/load-run.js";
import { readRows } from "./store/journal.js";

let dir = "";

beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), "assay-evaluate-"));
});

afterEach(() => {
  rmSync(dir, { recursive: true, force: true });
});

const EXACT: Evaluator = {
  name: "exact",
  fields: ["em"],
  score: ({ answer }, { response }) => ({ em: response === answer ? 1 : 0 }),
};
const COUNT: Metric = { name: "count", compute: (rows) => ({ rows: rows.length }) };
const WORDS = { name: "words", count: (text: string) => text.split(/\s+/).filter(Boolean).length };

function examples(n: number): Example[] {
  return Array.from({ length: n }, (_, id) => ({ id, question: `question ${id}`, answer: String(id % 2) }));
}

/** Answers "1", and writes down which examples it was asked. */
function asked(calls: string[], name = "one"): System {
  return {
    name,
    process: ({ id }, { trial }) => {
      calls.push(`${id}/${trial}`);
      return { response: "1" };
    },
    fingerprint: () => "always one",
  };
}

function options(more: Partial<EvaluateOptions> = {}): EvaluateOptions {
  return { systems: [asked([])], dataset: examples(4), evaluators: [EXACT], tokenizer: WORDS, ...more };
}

describe("evaluate", () => {
  it("measures a system end to end", async () => {
    const dataset = [
      { id: "a", context: "Ada Lovelace wrote it.", question: "Who wrote it?", answer: "Ada Lovelace" },
      { id: "b", context: "It rained.", question: "Did it rain?", answer: "yes" },
    ];
    const system: System = { name: "reader", process: ({ id }) => ({ response: id === "a" ? "Ada Lovelace" : "no" }) };
    const result = await evaluate({ systems: [system], dataset, evaluators: [new AnswerQuality()], scoreField: "f1" });
    expect(result.summary.reader).toMatchObject({ mean_score: 0.5, pass_rate: 0.5, num_passing: 1, coverage: 1 });
    expect(result.config).toMatchObject({ scoreField: "f1", threshold: 0.7, trials: 1, tokenizer: "cl100k_base" });
    expect(result.rows.map((row) => row.outcome)).toEqual(["pass", "fail"]);
    expect(result).toMatchObject({ runDir: null, notes: [] });
    expect(result.toTable()).toContain("pass = f1 ≥ 0.7");
    expect(JSON.parse(JSON.stringify(result)).summary.reader.mean_score).toBe(0.5);
  });

  it("gives scoreField and threshold to metrics that name none", async () => {
    const half: Evaluator = { name: "half", score: () => ({ f1: 0.5, em: 1 }) };
    const metrics = [new MeanScore(), new PassRate()];
    const given = await evaluate(options({ evaluators: [half], metrics, scoreField: "f1", threshold: 0.4 }));
    expect(given.summary.one).toMatchObject({ mean_score: 0.5, pass_rate: 1 });
    const own = [new MeanScore({ scoreField: "em" }), new PassRate({ threshold: 0.6 })];
    const kept = await evaluate(options({ evaluators: [half], metrics: own, scoreField: "f1", threshold: 0.4 }));
    expect(kept.summary.one).toMatchObject({ mean_score: 1, pass_rate: 0 });
  });

  it("adds the metrics it is given to the standard ones", async () => {
    const own = new PassRate({ threshold: 0.1 });
    const result = await evaluate(options({ metrics: [COUNT, own] }));
    const standard = await evaluate(options());
    expect(Object.keys(result.summary.one ?? {})).toEqual(
      expect.arrayContaining([...Object.keys(standard.summary.one ?? {}), "rows"]),
    );
    expect(result.config.metrics).toEqual([
      "mean_score",
      "compression_ratio",
      "cost_of_pass",
      "latency",
      "count",
      "pass_rate",
    ]);
  });

  it("computes only the metrics it is given if asked to, also when the run is loaded", async () => {
    const result = await evaluate(options({ metrics: { only: [new PassRate()] }, runsDir: dir }));
    expect(result.config.metrics).toEqual(["pass_rate"]);
    expect(result.summary.one).toMatchObject({ pass_rate: expect.any(Number), coverage: 1 });
    for (const key of ["mean_score", "cost_of_pass", "latency_mean"])
      expect(result.summary.one).not.toHaveProperty(key);
    expect(result.toTable()).toMatch(/^\| system +\| pass rate \[95 %\] \| coverage \|$/m);
    expect((await loadRun(result.runDir ?? "")).summary).toEqual(result.summary);
  });

  it("has the standard metrics for its systems and datasets", async () => {
    const named = (name: string): Dataset => {
      const own = examples(2);
      return { name, examples: own, [Symbol.iterator]: () => own[Symbol.iterator]() };
    };
    const one = await evaluate(options());
    expect(one.config.metrics).toEqual(["mean_score", "pass_rate", "compression_ratio", "cost_of_pass", "latency"]);
    const { dataset: _, ...rest } = options({ systems: [asked([], "a"), asked([], "b")] });
    const several = await evaluate({ ...rest, datasets: [named("x"), named("y")] });
    expect(several.config.metrics.slice(5)).toEqual(["per_dataset_breakdown", "pareto_rank"]);
    expect(several.summary.a).toMatchObject({ "dataset:x": 0.5, "dataset:y": 0.5, pareto_rank: 1 });
    expect(several.across).toHaveProperty("frontier_cost_of_pass");
    expect(several.config.title).toBe("x + y: a, b");
  });

  const refused: [string, object, string | RegExp][] = [
    ["no dataset", { dataset: undefined }, "No dataset given"],
    ["no systems", { systems: undefined }, "no system to measure"],
    ["a metric without compute", { metrics: [{ name: "m" }] }, '"m" has no method compute()'],
    ["only metrics that are none", { metrics: { only: [] } }, "`metrics.only` names no metric"],
    ["only metrics without compute", { metrics: { only: [{ name: "m" }] } }, '"m" has no method compute()'],
    ["metrics that are no list", { metrics: { just: [] } }, "must be a list of metrics, or { only: [...] }"],
    ["the name of a metric", { metrics: "pass_rate" }, "must be a list of metrics, or { only: [...] }"],
    ["no workers", { maxWorkers: 0 }, "maxWorkers must be a whole number"],
    ["a tokenizer that cannot count", { tokenizer: {} }, "an object with a method count(text)"],
    ["an unknown tokenizer", { tokenizer: "cl100k" }, /cl100k_base/],
  ];

  it.each(refused)("refuses %s", async (_, more, message) => {
    await expect(evaluate({ ...options(), ...more })).rejects.toThrow(message);
    await expect(evaluate({ ...options({ runsDir: dir }), ...more })).rejects.toThrow();
    expect(readdirSync(dir)).toEqual([]);
  });

  it("keeps the result of a run whose metric throws", async () => {
    const broken: Metric = {
      name: "broken",
      compute: () => {
        throw new Error("no");
      },
    };
    const result = await evaluate(options({ metrics: [broken, new MeanScore()] }));
    expect(result.summary.one?.mean_score).toBe(0.5);
    expect(result.notes).toEqual(["metric broken failed for one: no"]);
  });

  it("resolves when it is stopped, with the rest skipped", async () => {
    const result = await evaluate(options({ signal: AbortSignal.abort(), trials: 2 }));
    expect(result.summary.one).toMatchObject({ num_planned: 8, num_skipped: 8, coverage: 0 });
    expect(result.timing.trialsPerSecond).toBe(0);
  });

  it("takes wall time from a monotonic clock, for each system as well", async () => {
    vi.useFakeTimers({ toFake: ["Date"], now: 1_000_000_000 });
    try {
      const setBack: System = {
        name: "sets the clock back",
        process: () => {
          vi.setSystemTime(0);
          return { response: "1" };
        },
      };
      const { timing } = await evaluate(options({ systems: [setBack] }));
      expect(Date.parse(timing.finishedAt)).toBeLessThan(Date.parse(timing.startedAt));
      expect(timing.wallSeconds).toBeGreaterThan(0);
      const { [setBack.name]: own = Number.NaN } = timing.wallSecondsBySystem;
      expect(own).toBeGreaterThan(0);
      expect(own).toBeLessThanOrEqual(timing.wallSeconds);
    } finally {
      vi.useRealTimers();
    }
  });

  it("has no time for a system that ran nothing, and has that of stored runs", async () => {
    const stopped = await evaluate(options({ signal: AbortSignal.abort() }));
    expect(stopped.timing.wallSecondsBySystem).toEqual({});
    const { runDir, timing } = await evaluate(options({ runsDir: dir }));
    expect((await loadRun(runDir ?? "")).timing.wallSecondsBySystem).toEqual(timing.wallSecondsBySystem);
  });

  it("counts each distinct text once", async () => {
    const counted: string[] = [];
    const tokenizer = { count: (text: string) => counted.push(text) };
    const systems = [asked([], "a"), asked([], "b")];
    await evaluate(options({ systems, trials: 3, tokenizer }));
    expect(counted.filter(Boolean).sort()).toEqual(["1", ...examples(4).map(({ id }) => `question ${id}`)].sort());
  });

  it("says what was left out of a dataset", async () => {
    const dataset = [...examples(2), { id: 9 } as Example];
    const result = await evaluate(options({ dataset, skipBadRows: true }));
    expect(result.notes).toEqual(["1 bad row skipped (first: Example 3 has neither context nor question)"]);
    expect(result.toTable()).toContain("- 1 bad row skipped");
  });
});

describe("the cache", () => {
  /** Runs twice, the second time with changes, and says how often the system was asked the second time. */
  async function askedAgain(change: Partial<EvaluateOptions>, base: Partial<EvaluateOptions> = {}): Promise<number> {
    const calls: string[] = [];
    const cacheDir = join(dir, "cache");
    await evaluate(options({ cacheDir, systems: [asked(calls)], ...base }));
    calls.length = 0;
    await evaluate(options({ cacheDir, systems: [asked(calls)], ...base, ...change }));
    return calls.length;
  }

  it("answers for a system that did the very same work before", async () => {
    const calls: string[] = [];
    const cached = options({ cacheDir: dir, systems: [asked(calls)], trials: 2 });
    const first = await evaluate(cached);
    expect(calls).toHaveLength(8);
    const second = await evaluate(cached);
    expect(calls).toHaveLength(8);
    expect(second.timing.cachedTrials).toBe(second.rows.length);
    expect(first.timing.cachedTrials).toBe(0);
    expect(second.rows.map((row) => row.notes)).toEqual(first.rows.map((row) => row.notes));
    expect(second.rows.map((row) => row.latency)).toEqual(first.rows.map((row) => row.latency));
    expect(second.summary.one?.mean_score).toBe(first.summary.one?.mean_score);
  });

  it("is not asked again for another evaluator, metric, threshold, title or number of workers", async () => {
    const other: Evaluator = { name: "other", score: () => ({ other: 1 }) };
    const changes = { evaluators: [other], metrics: [], threshold: 0.1, title: "other", maxWorkers: 1 };
    expect(await askedAgain(changes)).toBe(0);
  });

  it("does the work of further trials and examples only", async () => {
    expect(await askedAgain({ trials: 3 })).toBe(8);
    expect(await askedAgain({ dataset: examples(6) })).toBe(2);
  });

  it("misses for another seed or another text", async () => {
    expect(await askedAgain({ seed: 1 })).toBe(4);
    const [first, ...rest] = examples(4);
    const changed = { ...first, question: "question 0?" } as Example;
    expect(await askedAgain({ dataset: [changed, ...rest] }, { seed: 2 })).toBe(1);
  });

  it.each([
    ["model", "http://one/", "m2", "p"],
    ["prompt", "http://one/", "m1", "q"],
    ["URL", "http://two/", "m1", "p"],
  ])(
    "misses for another %s of a plain user's class, and resumes it when nothing changed",
    async (_, url, model, prompt) => {
      let calls = 0;
      class Endpoint implements System {
        readonly name = "endpoint";
        readonly url: URL;
        readonly options: { model: string };
        readonly prompt: string;
        constructor(at: string, used: string, said: string) {
          this.url = new URL(at);
          this.options = { model: used };
          this.prompt = said;
        }
        process(): Output {
          calls += 1;
          return { response: "1" };
        }
      }
      const run = (system: System) => evaluate(options({ cacheDir: dir, systems: [system] }));
      await run(new Endpoint("http://one/", "m1", "p"));
      await run(new Endpoint("http://one/", "m1", "p"));
      expect(calls).toBe(4);
      await run(new Endpoint(url, model, prompt));
      expect(calls).toBe(8);
    },
  );

  it("goes on after a crash half-way", async () => {
    let crashing = true;
    const calls: (string | number)[] = [];
    const plain: System = {
      name: "plain",
      process: ({ id }) => {
        calls.push(id);
        if (crashing && calls.length > 2) throw new Error("crash");
        return { response: "1" };
      },
    };
    const first = await evaluate(options({ cacheDir: dir, systems: [plain], maxWorkers: 1 }));
    expect(first.summary.plain).toMatchObject({ num_error: 2 });
    crashing = false;
    calls.length = 0;
    const second = await evaluate(options({ cacheDir: dir, systems: [plain] }));
    expect(second.summary.plain).toMatchObject({ num_error: 0, coverage: 1 });
    expect(calls).toHaveLength(2);
  });

  it.each([
    ["errors", () => Promise.reject(new Error("no"))],
    ["refusals", () => ({ response: "1", stopped: "refused" })],
    ["truncations", () => ({ response: "1", stopped: "truncated" })],
    ["stopped trials", () => ({ response: "1", stopped: "cost_killed" })],
    [
      "work that is not all written down",
      () => ({ response: "1", workspace: { changes: [], incomplete: "too large" } }),
    ],
    ["outputs that are none", () => "1"],
  ])("never keeps %s", async (_, process) => {
    let calls = 0;
    const system: System = {
      name: "s",
      process: () => {
        calls += 1;
        return process() as Output;
      },
    };
    for (const run of [1, 2]) {
      await evaluate(options({ cacheDir: dir, systems: [system] }));
      expect(calls).toBe(4 * run);
    }
  });

  it("costs a note when it cannot be written, or the output cannot be kept", async () => {
    writeFileSync(join(dir, "file"), "");
    const result = await evaluate(options({ cacheDir: join(dir, "file") }));
    expect(result.summary.one).toMatchObject({ coverage: 1, num_error: 0 });
    expect(result.rows[0]?.notes).toEqual([expect.stringContaining("the output was not cached")]);
    const odd: System = { name: "odd", process: () => ({ response: "1", big: 1n }) };
    const kept = await evaluate(options({ systems: [odd], cacheDir: dir, runsDir: dir }));
    expect(kept.summary.odd).toMatchObject({ coverage: 1 });
    expect(kept.rows[0]?.notes).toEqual([expect.stringContaining("BigInt")]);
  });
});

describe("a stored run", () => {
  it("is reported as it was when it was run, to the last digit, in the order of its dataset", async () => {
    const ids = ["b", "10", "a", "2", "01", "1", "zebra", "ä"];
    const dataset = ids.map((id, i) => ({ id, question: "?", answer: String(i) }));
    const system = (name: string, cents: number): System => ({
      name,
      process: ({ answer }, { trial }) => ({
        response: Number(answer) % 3 === trial ? String(answer) : "no",
        latency: 0.1 + Number(answer) / 7,
        costUsd: (cents + Number(answer)) / 300,
      }),
    });
    const systems = [system("one", 1), system("two", 2)];
    const result = await evaluate(options({ systems, dataset, trials: 3, runsDir: dir, maxWorkers: 4 }));
    const stored = await loadRun(result.runDir ?? "");
    expect(stored.rows.map(({ exampleId }) => exampleId).filter((_, i) => i % 3 === 0)).toEqual([...ids, ...ids]);
    expect(stored.toJSON()).toEqual(result.toJSON());
  });

  it("has its plan, its rows, its outputs and its summary in a folder", async () => {
    const result = await evaluate(options({ runsDir: join(dir, "runs"), title: "My run", invocation: { flag: 1 } }));
    const run = result.runDir ?? "";
    expect(run).toMatch(/runs\/\d{8}-\d{6}-my-run$/);
    expect(readdirSync(run).sort()).toEqual([
      "card.json",
      "examples.jsonl",
      "manifest.json",
      "outputs.jsonl",
      "rows.jsonl",
      "summary.json",
    ]);
    const read = (file: string) => JSON.parse(readFileSync(join(run, file), "utf8"));
    expect(read("manifest.json")).toMatchObject({
      schema: "assay.run/1",
      planned: 4,
      config: { title: "My run", datasets: [{ examples: 4 }] },
      systems: { one: { fingerprint: expect.stringMatching(/^[0-9a-f]{64}$/) } },
      invocation: { flag: 1 },
    });
    expect(read("summary.json")).toMatchObject({ schema: "assay.summary/1", complete: true, summary: { one: {} } });
    expect(read("summary.json")).not.toHaveProperty("rows");
    const byId = (a: EvalRow, b: EvalRow) => Number(a.exampleId) - Number(b.exampleId);
    expect(readRows(run).sort(byId)).toEqual(result.rows);
  });

  it("stays when the run fails, with what was recorded, and is not locked", async () => {
    const failing = {
      count: (text: string) => {
        if (text === "question 2") throw new Error("cannot count");
        return 1;
      },
    };
    const failed = evaluate(options({ runsDir: dir, tokenizer: failing, maxWorkers: 1, seed: 3 }));
    await expect(failed).rejects.toThrow("cannot count");
    const [name = ""] = readdirSync(dir);
    expect(existsSync(join(dir, name, "lock"))).toBe(false);
    const resumed = await evaluate(options({ resume: join(dir, name), tokenizer: { count: () => 1 }, seed: 3 }));
    expect(resumed.summary.one?.coverage).toBe(1);
  });
});

describe("resume", () => {
  /** Stops after some trials. */
  async function interrupted(
    after: number,
    more: Partial<EvaluateOptions> = {},
  ): Promise<{ run: string; calls: string[] }> {
    const controller = new AbortController();
    const calls: string[] = [];
    const system = asked(calls);
    const stopping: System = {
      ...system,
      process: (example, trial) => {
        if (calls.length + 1 === after) controller.abort();
        return system.process(example, trial);
      },
    };
    const result = await evaluate(
      options({ runsDir: dir, systems: [stopping], signal: controller.signal, maxWorkers: 1, ...more }),
    );
    return { run: result.runDir ?? "", calls };
  }

  const TIMED = new Set(["efficiency"]);
  const timeless = (row: EvalRow) => ({ ...row, latency: null, durationMs: null });
  const comparable = (result: EvalResult) => {
    const { rows, summary, config, across, notes } = JSON.parse(JSON.stringify(result));
    const values = Object.entries(summary).map(([system, own]) => [
      system,
      Object.entries(own as object).filter(([key]) => !/^(?:latency|seconds_per_pass)/.test(key) && !TIMED.has(key)),
    ]);
    return { rows: rows.map(timeless), values, config, across, notes };
  };

  it("runs what is missing and nothing else, to the result of an uninterrupted run", async () => {
    const { run, calls } = await interrupted(5, { trials: 3 });
    expect(calls).toHaveLength(5);
    expect(JSON.parse(readFileSync(join(run, "summary.json"), "utf8")).complete).toBe(false);
    const again: string[] = [];
    const progress: number[] = [];
    const resumed = await evaluate(
      options({
        resume: run,
        systems: [asked(again)],
        trials: 3,
        onProgress: ({ done, resumed: taken }) => progress.push(done, taken),
      }),
    );
    expect(again).toHaveLength(7);
    expect(new Set([...calls, ...again]).size).toBe(12);
    expect(progress.slice(-2)).toEqual([12, 5]);
    const whole = await evaluate(options({ trials: 3 }));
    expect(comparable(resumed)).toEqual(comparable(whole));
    expect(readRows(run)).toHaveLength(12);
    expect(JSON.parse(readFileSync(join(run, "summary.json"), "utf8")).complete).toBe(true);
  });

  it("runs nothing when nothing is missing", async () => {
    const first = await evaluate(options({ runsDir: dir }));
    const again: string[] = [];
    const second = await evaluate(options({ resume: first.runDir ?? "", systems: [asked(again)] }));
    expect(again).toEqual([]);
    expect(second.rows).toEqual(first.rows);
  });

  it("tries errors again and keeps the attempts that failed", async () => {
    let failures = 0;
    const calls: (string | number)[] = [];
    const flaky: System = {
      name: "flaky",
      process: ({ id }) => {
        calls.push(id);
        if (id === 1 && failures++ < 2) throw new Error(`failure ${failures}`);
        return { response: "1" };
      },
    };
    const first = await evaluate(options({ runsDir: dir, systems: [flaky] }));
    const run = first.runDir ?? "";
    expect(first.rows[1]).toMatchObject({ outcome: "error", attempts: [{ message: "failure 1" }] });
    calls.length = 0;
    const second = await evaluate(options({ resume: run, systems: [flaky] }));
    expect(second.rows[1]?.attempts.map(({ message }) => message)).toEqual(["failure 1", "failure 2"]);
    const third = await evaluate(options({ resume: run, systems: [flaky] }));
    expect(calls).toEqual([1, 1]);
    expect(third.rows[1]).toMatchObject({
      outcome: "pass",
      attempts: [{ message: "failure 1" }, { message: "failure 2" }],
    });
    expect(third.summary.flaky).toMatchObject({ num_error: 0, coverage: 1 });
  });

  it("does not run again what could not be scored", async () => {
    const undecided: Evaluator = { name: "undecided", score: () => ({ scores: {}, unscored: { em: "no gold" } }) };
    const first = await evaluate(options({ runsDir: dir, evaluators: [undecided] }));
    const again: string[] = [];
    const resumed = await evaluate(
      options({ resume: first.runDir ?? "", evaluators: [undecided], systems: [asked(again)] }),
    );
    expect(again).toEqual([]);
    expect(resumed.summary.one?.num_unscored).toBe(4);
  });

  it("runs the trial of a torn last line again", async () => {
    const first = await evaluate(options({ runsDir: dir }));
    const rows = join(first.runDir ?? "", "rows.jsonl");
    writeFileSync(rows, readFileSync(rows, "utf8").slice(0, -10));
    const again: string[] = [];
    const told: string[] = [];
    const onNote = (note: string) => told.push(note);
    const resumed = await evaluate(options({ resume: first.runDir ?? "", systems: [asked(again)], onNote }));
    expect(again).toHaveLength(1);
    expect(told).toEqual([expect.stringContaining("torn last line")]);
    expect(resumed.notes).toEqual([]);
    expect(resumed.rows.map(timeless)).toEqual(first.rows.map(timeless));
  });

  const [changed, ...others] = examples(4);
  const differences: [string, Partial<EvaluateOptions>, string | RegExp][] = [
    ["trials", { trials: 2 }, "trials: was 1, is 2"],
    ["seed", { seed: 7 }, "seed: was 0, is 7"],
    ["threshold", { threshold: 0.5 }, "threshold: was 0.7, is 0.5"],
    ["score field", { scoreField: "em" }, 'scoreField: was "score", is "em"'],
    ["tokenizer", { tokenizer: { name: "other", count: () => 1 } }, 'tokenizer: was "words", is "other"'],
    [
      "text of an example",
      { dataset: [{ ...changed, question: "?" } as Example, ...others] },
      /datasets: was .*4 examples/,
    ],
    ["number of examples", { dataset: examples(5) }, /is examples \(5 examples/],
    [
      "code of a system",
      { systems: [{ name: "one", process: () => ({}) }] },
      'system "one": its code or settings changed',
    ],
    ["name of a system", { systems: [asked([], "two")] }, 'system "one": was removed'],
    ["further system", { systems: [asked([]), asked([], "two")] }, 'system "two": was added'],
    ["code of an evaluator", { evaluators: [{ ...EXACT, score: () => ({ em: 1 }) }] }, 'evaluator "exact": its code'],
    ["name of an evaluator", { evaluators: [{ ...EXACT, name: "e" }] }, 'evaluator "exact": was removed'],
  ];

  it.each(differences)("refuses another %s, and says so", async (_, change, difference) => {
    const { run } = await interrupted(2);
    const before = readFileSync(join(run, "rows.jsonl"), "utf8");
    const refused = evaluate(options({ resume: run, ...change }));
    await expect(refused).rejects.toThrow(RunFolderError);
    await expect(refused).rejects.toThrow(difference);
    expect(readFileSync(join(run, "rows.jsonl"), "utf8")).toBe(before);
    expect(existsSync(join(run, "lock"))).toBe(false);
  });

  it("takes another metric, title or number of workers", async () => {
    const { run } = await interrupted(2);
    const resumed = await evaluate(options({ resume: run, metrics: [COUNT], title: "other", maxWorkers: 2 }));
    expect(resumed.summary.one).toHaveProperty("rows");
    expect(resumed.summary.one?.coverage).toBe(1);
  });

  it("rejects a folder that is not a run", async () => {
    await expect(evaluate(options({ resume: join(dir, "nowhere") }))).rejects.toThrow(RunFolderError);
    await expect(evaluate(options({ resume: dir }))).rejects.toThrow("is not a run folder");
  });

  it("refuses a run that is being written", async () => {
    const busy: System = {
      ...asked([]),
      process: async () => {
        const [name = ""] = readdirSync(dir);
        const second = evaluate(options({ resume: join(dir, name), dataset: examples(1) }));
        await expect(second).rejects.toThrow("is being written by process");
        return { response: "1" };
      },
    };
    const result = await evaluate(options({ runsDir: dir, systems: [busy], dataset: examples(1) }));
    expect(result.summary.one).toMatchObject({ num_error: 0, num_pass: 0, num_fail: 1 });
  });
});

it("is a UsageError that says what to give", async () => {
  await expect(evaluate({ systems: [asked([])] })).rejects.toThrow(UsageError);
});
