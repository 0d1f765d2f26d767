import { describe, expect, it } from "vitest";
import { CostBudget, RunBudget } from "../budget/index.js";
import { TrialError } from "../core/errors.js";
import type { Evaluator } from "../core/evaluator.js";
import type { Limits, Price } from "../core/price.js";
import type { EvalRow } from "../core/row.js";
import type { Output, System } from "../core/system.js";
import { makePlan } from "./plan.js";
import type { Progress, RunPorts } from "./ports.js";
import { runPlan } from "./run.js";

const ANSWERED: Evaluator = { name: "answered", score: (_, { response }) => ({ em: response === "yes" ? 1 : 0 }) };
/** A dollar per million tokens of any class. */
const PRICE: Price = { input: 1e6, output: 1e6, cacheRead: 1e6, cacheWrite: 1e6, cacheWrite1h: 1e6, source: "test" };
const LIMITS: Limits = { price: PRICE, maxCostUsd: 0.001, hardTimeoutMs: 60_000 };

interface Options {
  examples?: number;
  trials?: number;
  ports?: Partial<RunPorts>;
  budget?: RunBudget;
}

async function rowsOf(systems: readonly System[], { examples = 1, trials = 1, ports, budget }: Options = {}) {
  const dataset = Array.from({ length: examples }, (_, id) => ({ id, question: `question ${id}` }));
  const plan = await makePlan({ systems, datasets: [dataset], evaluators: [ANSWERED], metrics: [], trials });
  const defaults: RunPorts = {
    clock: () => performance.now(),
    tokenizer: { count: () => 1 },
    cache: null,
    sink: null,
    signal: new AbortController().signal,
    maxWorkers: 4,
    budget: {
      limitsOf: ({ limits }) => limits ?? null,
      open: ({ price, maxCostUsd }, listeners) => new CostBudget({ price, maxCostUsd, ...listeners }),
      run:
        budget === undefined
          ? null
          : {
              reserve: ({ system, limits }) => {
                const answer = budget.reserve(limits?.maxCostUsd ?? null, system.name);
                return typeof answer === "string" ? answer : Object.assign(answer, { judgeUsd: 0 });
              },
              settle: (reservation, { costUsd, isTypical }) =>
                budget.settle(reservation as never, costUsd, { isTypical }),
            },
    },
    retry: { maxRetries: 3, maxWaitMs: 1000 },
    whenIdle: () => () => {},
    onProgress: null,
  };
  return runPlan(plan, { ...defaults, ...ports });
}

async function rowOf(process: System["process"], limits: Limits = LIMITS): Promise<EvalRow> {
  const [row] = await rowsOf([{ name: "s", process, limits }]);
  if (row === undefined) throw new Error("no row");
  return row;
}

describe("a call that failed before any output", () => {
  const failing = (times: number, error: () => Error): System & { calls: number } => ({
    name: "s",
    calls: 0,
    process() {
      this.calls += 1;
      if (this.calls <= times) throw error();
      return { response: "yes" };
    },
  });

  it("is retried, and every failure is on the row", async () => {
    const system = failing(2, () => new TrialError("api_error", "HTTP 500", { retry: { afterMs: 1 } }));
    const [row] = await rowsOf([system]);
    expect(row).toMatchObject({ outcome: "pass", errorCategory: "none" });
    expect(row?.attempts.map(({ message }) => message)).toEqual(["HTTP 500", "HTTP 500"]);
    expect(row?.durationMs).toBeGreaterThan((row?.latency ?? 0) * 1000);
  });

  it("is not retried when the error does not allow it", async () => {
    const system = failing(1, () => new TrialError("api_error", "HTTP 401"));
    const [row] = await rowsOf([system]);
    expect(row).toMatchObject({ outcome: "error", errorCategory: "api_error" });
    expect(system.calls).toBe(1);
  });

  it("is given up after the maximum number of retries", async () => {
    const system = failing(99, () => new TrialError("rate_limit", "HTTP 429", { retry: { afterMs: 0 } }));
    const [row] = await rowsOf([system], { ports: { retry: { maxRetries: 2, maxWaitMs: 10_000 } } });
    expect(system.calls).toBe(3);
    expect(row).toMatchObject({ outcome: "error", errorCategory: "rate_limit" });
    expect(row?.attempts).toHaveLength(3);
  });

  it("is given up at once when the endpoint asks for a longer wait than allowed", async () => {
    const system = failing(99, () => new TrialError("rate_limit", "HTTP 429", { retry: { afterMs: 3_600_000 } }));
    const [row] = await rowsOf([system]);
    expect(row).toMatchObject({ outcome: "error", errorCategory: "rate_limit" });
    expect(system.calls).toBe(1);
  });

  it("is not retried once the run is stopped", async () => {
    const stop = new AbortController();
    const system = failing(99, () => {
      stop.abort();
      return new TrialError("api_error", "HTTP 500", { retry: { afterMs: 1 } });
    });
    const [row] = await rowsOf([system], { ports: { signal: stop.signal } });
    expect(row).toMatchObject({ outcome: "skipped" });
    expect(system.calls).toBe(1);
  });
});

describe("a trial with limits", () => {
  it("is charged for the usage it adds", async () => {
    const row = await rowOf((_, { budget }) => {
      budget?.add({ input: 100, output: 20, cacheRead: 5 });
      return { response: "yes" };
    });
    expect(row).toMatchObject({
      outcome: "pass",
      costUsd: 0.000125,
      costSource: "priced",
      usage: { input: 100, output: 20, cacheRead: 5 },
      overshootUsd: null,
      costKilledAt: 0,
    });
  });

  it("is charged for the usage it returns when it added none", async () => {
    const row = await rowOf(() => ({ response: "yes", usage: { input: 10, output: 5 } }));
    expect(row).toMatchObject({ costUsd: 0.000015, costSource: "priced" });
  });

  it("has the cost that the provider reports, if it does", async () => {
    const row = await rowOf(() => ({ response: "yes", usage: { input: 10, output: 5 }, costUsd: 0.5 }));
    expect(row).toMatchObject({ costUsd: 0.5, costSource: "provider" });
  });

  it("has an estimated cost until a better one is known, and none when nothing is known", async () => {
    const estimated = await rowOf((_, { budget }) => {
      budget?.estimate(7);
      return { response: "yes" };
    });
    expect(estimated).toMatchObject({ costUsd: 0.000007, costSource: "estimated", partial: true });
    expect(await rowOf(() => ({ response: "yes" }))).toMatchObject({ costUsd: null, costSource: "unknown" });
  });

  it("is stopped when it costs too much, and graded on what it produced", async () => {
    const row = await rowOf(
      (_, { budget, signal }) =>
        new Promise<Output>((resolve) => {
          signal.addEventListener("abort", () => resolve({ response: "yes" }));
          budget?.add({ input: 900, output: 100 });
          budget?.add({ input: 0, output: 50 });
        }),
    );
    expect(row).toMatchObject({ outcome: "pass", errorCategory: "cost_killed", costKilledAt: 0.00105 });
    expect(row.overshootUsd).toBeCloseTo(0.00005, 12);
  });

  it("is not stopped when it exactly reaches its limit", async () => {
    const row = await rowOf((_, { budget }) => {
      budget?.add({ input: 900, output: 100 });
      return { response: "yes" };
    });
    expect(row).toMatchObject({ outcome: "pass", errorCategory: "none", costKilledAt: 0, overshootUsd: null });
  });

  it("is graded as empty when it throws after being stopped", async () => {
    const row = await rowOf(async (_, { budget, signal }) => {
      budget?.add({ input: 2000, output: 0 });
      signal.throwIfAborted();
      return { response: "yes" };
    });
    expect(row).toMatchObject({
      outcome: "fail",
      errorCategory: "cost_killed",
      costUsd: 0.002,
      usage: { input: 2000 },
    });
  });

  it("is stopped when it takes too long, and abandoned after the grace period if it does not respond", async () => {
    const started = performance.now();
    const row = await rowOf(() => new Promise<Output>(() => {}), { ...LIMITS, hardTimeoutMs: 20 });
    expect(row).toMatchObject({ outcome: "fail", errorCategory: "time_killed" });
    expect(performance.now() - started).toBeGreaterThan(1900);
  });

  it("has a note when it was slower than expected", async () => {
    const row = await rowOf(() => ({ response: "yes", ttftMs: 2500, successAtMs: 3000 }), {
      ...LIMITS,
      expectedTtftMs: 1000,
      expectedSolutionMs: 2000,
    });
    expect(row.notes).toEqual([
      "slow: first token after 2.5 s, expected within 1 s",
      "slow: done after 3 s, expected within 2 s",
    ]);
  });
});

describe("the budget of a run", () => {
  const spender = (tokens: number): System => ({
    name: "s",
    limits: LIMITS,
    process: async (_, { budget }) => {
      await new Promise((resolve) => setImmediate(resolve));
      budget?.add({ input: tokens, output: 0 });
      return { response: "yes" };
    },
  });

  it("starts no trial that it might not cover, and lets running trials finish", async () => {
    const budget = new RunBudget({ maxCostUsd: 0.005 });
    const rows = await rowsOf([spender(900)], { examples: 20, budget });
    const ran = rows.filter(({ outcome }) => outcome === "pass");
    // Five times $0.0009 is $0.0045; the sixth may cost $0.001.
    expect(ran).toHaveLength(5);
    expect(rows.filter(({ outcome }) => outcome === "skipped")).toHaveLength(15);
    expect(budget.spentUsd).toBeCloseTo(0.0045, 12);
    expect(budget.isRefusing).toBe(true);
  });

  it("waits for budget reserved by running trials instead of refusing", async () => {
    const budget = new RunBudget({ maxCostUsd: 0.002 });
    const rows = await rowsOf([spender(10)], { examples: 30, budget });
    expect(rows.every(({ outcome }) => outcome === "pass")).toBe(true);
    expect(budget.isRefusing).toBe(false);
  });

  it("runs every task once before any task twice", async () => {
    const budget = new RunBudget({ maxCostUsd: 0.012 });
    const rows = await rowsOf([spender(900)], { examples: 10, trials: 3, budget });
    const ran = rows.filter(({ outcome }) => outcome === "pass");
    expect(new Set(ran.map(({ exampleId }) => exampleId)).size).toBe(10);
    expect(ran.filter(({ trial }) => trial === 2)).toHaveLength(0);
  });

  it("is not charged for calls that produced nothing", async () => {
    const budget = new RunBudget({ maxCostUsd: 0.002 });
    const down: System = {
      name: "s",
      limits: LIMITS,
      process: () => {
        throw new TrialError("api_error", "connection refused");
      },
    };
    const rows = await rowsOf([down], { examples: 10, budget });
    expect(rows.every(({ outcome }) => outcome === "error")).toBe(true);
    expect(budget.spentUsd).toBe(0);
  });
});

describe("endpoints", () => {
  it("are called concurrently, each within its own limit, and waiting is reported", async () => {
    const open = { a: 0, b: 0 };
    const most = { a: 0, b: 0 };
    const told: Progress[] = [];
    const system = (name: string, endpoint: "a" | "b", ms: number): System => ({
      name,
      endpoint,
      process: async () => {
        open[endpoint] += 1;
        most[endpoint] = Math.max(most[endpoint], open[endpoint]);
        await new Promise((resolve) => setTimeout(resolve, ms));
        open[endpoint] -= 1;
        return { response: "yes" };
      },
    });
    const systems = [system("slow", "a", 30), system("twin", "a", 30), system("quick", "b", 1)];
    const rows = await rowsOf(systems, {
      examples: 10,
      ports: { maxWorkers: 4, onProgress: (state) => told.push(state) },
    });
    expect(rows.every(({ outcome }) => outcome === "pass")).toBe(true);
    expect(most.a).toBeLessThanOrEqual(4);
    expect(most.b).toBeLessThanOrEqual(4);
    const quickest = told.find(({ done }) => done >= 10);
    expect(quickest).toBeDefined();
  });

  it("are waited for after rate-limit errors, and every trial finishes", async () => {
    let refusals = 6;
    const told: (string | null)[] = [];
    const system: System = {
      name: "s",
      endpoint: "host:1 key",
      process: async () => {
        if (refusals > 0) {
          refusals -= 1;
          throw new TrialError("rate_limit", "HTTP 429", { retry: { afterMs: 300 } });
        }
        return { response: "yes" };
      },
    };
    const rows = await rowsOf([system], {
      examples: 12,
      ports: { onProgress: ({ waiting }) => told.push(waiting), retry: { maxRetries: 8, maxWaitMs: 10_000 } },
    });
    expect(rows.every(({ outcome }) => outcome === "pass")).toBe(true);
    expect(rows.flatMap(({ attempts }) => attempts)).toHaveLength(6);
    expect(told.some((waiting) => waiting?.includes("host:1 asked to wait"))).toBe(true);
  });
});

describe("a problem with an output", () => {
  const odd: [string, () => unknown][] = [
    [
      "a part that is larger than its whole",
      () => ({ response: "yes", usage: { input: 1, output: 1, cacheWrite1h: 5 } }),
    ],
    [
      "a field that throws",
      () => ({
        get stopped() {
          throw new Error("no");
        },
      }),
    ],
  ];

  it.each(odd)("affects only its trial and frees the slot at the endpoint: %s", async (_, output) => {
    let calls = 0;
    const system: System = {
      name: "s",
      endpoint: "host:1",
      limits: LIMITS,
      process: async () => {
        calls += 1;
        return (calls <= 4 ? output() : { response: "yes" }) as Output;
      },
    };
    const rows = await rowsOf([system], { examples: 20, ports: { maxWorkers: 2 } });
    expect(calls).toBe(20);
    expect(rows.filter(({ outcome }) => outcome === "pass").length).toBeGreaterThanOrEqual(16);
  });

  it("does not leave other endpoints spending after a failed run", async () => {
    let calls = 0;
    const slow: System = {
      name: "slow",
      endpoint: "b",
      process: async () => {
        calls += 1;
        await new Promise((resolve) => setTimeout(resolve, 5));
        return { response: "yes" };
      },
    };
    const broken: System = { name: "broken", endpoint: "a", process: async () => ({ response: "bad text" }) };
    const tokenizer = {
      count: (text: string) => {
        if (text === "bad text") throw new Error("cannot count");
        return 1;
      },
    };
    await expect(rowsOf([broken, slow], { examples: 200, ports: { tokenizer } })).rejects.toThrow("cannot count");
    const atFailure = calls;
    await new Promise((resolve) => setTimeout(resolve, 50));
    expect(calls).toBeLessThanOrEqual(atFailure + 4);
  });
});

describe("spending before a failure", () => {
  const failing = (spent: object): System => ({
    name: "s",
    limits: LIMITS,
    process: () => {
      throw new TrialError("api_error", "cut", { spent });
    },
  });

  it("is priced on the row and charged to the budget of the run", async () => {
    const budget = new RunBudget({ maxCostUsd: 0.01 });
    const rows = await rowsOf([failing({ usage: { input: 500, output: 0 } })], { examples: 3, budget });
    expect(rows.map(({ costUsd, costSource }) => [costUsd, costSource])).toEqual(Array(3).fill([0.0005, "priced"]));
    expect(budget.spentUsd).toBeCloseTo(0.0015, 12);
  });

  it("counts when the provider reports it", async () => {
    const budget = new RunBudget({ maxCostUsd: 1 });
    await rowsOf([failing({ costUsd: 0.25 })], { examples: 2, budget });
    expect(budget.spentUsd).toBeCloseTo(0.5, 12);
  });

  it("is recorded on its own row and charged after an interrupt", async () => {
    const stop = new AbortController();
    const budget = new RunBudget({ maxCostUsd: 1 });
    const system: System = {
      name: "s",
      limits: LIMITS,
      process: async (_, trial) => {
        trial.budget?.add({ input: 400, output: 0 });
        stop.abort(new Error("stopped"));
        trial.signal.throwIfAborted();
        return { response: "yes" };
      },
    };
    const rows = await rowsOf([system], { examples: 5, budget, ports: { signal: stop.signal, maxWorkers: 1 } });
    expect(rows.filter(({ costUsd }) => costUsd === 0.0004)).toMatchObject([{ outcome: "skipped" }]);
    expect(budget.spentUsd).toBeCloseTo(0.0004, 12);
  });
});

describe("an endpoint with problems", () => {
  it("does not hold up other trials when it asks for a longer wait than allowed", async () => {
    let calls = 0;
    const system: System = {
      name: "s",
      endpoint: "host:1",
      process: async () => {
        calls += 1;
        if (calls === 1) throw new TrialError("rate_limit", "daily quota", { retry: { afterMs: 3_600_000 } });
        return { response: "yes" };
      },
    };
    const rows = await rowsOf([system], { examples: 10 });
    expect(rows.filter(({ outcome }) => outcome === "pass")).toHaveLength(9);
  });

  it("gets no more time for all calls of a trial than the trial has", async () => {
    const system: System = {
      name: "s",
      limits: { ...LIMITS, hardTimeoutMs: 150 },
      process: async (_, { signal }) => {
        await new Promise((resolve) => setTimeout(resolve, 60));
        signal.throwIfAborted();
        throw new TrialError("timeout", "too slow", { retry: { afterMs: 1 } });
      },
    };
    const [row] = await rowsOf([system], { ports: { retry: { maxRetries: 50, maxWaitMs: 60_000 } } });
    expect(row).toMatchObject({ outcome: "fail", errorCategory: "time_killed" });
    expect(row?.attempts.length).toBeLessThanOrEqual(3);
  });

  it("fails only the trials whose promises never settle, not those waiting for a slot", async () => {
    let calls = 0;
    let idle = () => {};
    const system: System = {
      name: "s",
      endpoint: "host:1",
      process: () => {
        calls += 1;
        if (calls > 4) return Promise.resolve({ response: "yes" });
        setTimeout(() => idle(), 20);
        return new Promise<Output>(() => {});
      },
    };
    const rows = await rowsOf([system], {
      examples: 12,
      ports: {
        maxWorkers: 4,
        whenIdle: (callback) => {
          idle = callback;
          return () => {};
        },
      },
    });
    expect(calls).toBe(12);
    expect(rows.filter(({ outcome }) => outcome === "error")).toHaveLength(4);
    expect(rows.filter(({ outcome }) => outcome === "pass")).toHaveLength(8);
  });
});
