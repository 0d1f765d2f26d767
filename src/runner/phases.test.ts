import { setTimeout as wait } from "node:timers/promises";
import { describe, expect, it } from "vitest";
import { CostBudget } from "../budget/cost-budget.js";
import { TrialError } from "../core/errors.js";
import type { Evaluator } from "../core/evaluator.js";
import type { Limits } from "../core/price.js";
import type { EvalRow } from "../core/row.js";
import type { System, TrialContext } from "../core/system.js";
import { makePlan } from "./plan.js";
import type { FinishedTrial, Progress, RunPorts } from "./ports.js";
import { runPlan } from "./run.js";

const LIMITS: Limits = { price: null, isMetered: true, maxCostUsd: null, hardTimeoutMs: 60 };

/** Says whether the output is right, and can be asked before it is complete. */
const WATCHING: Evaluator = {
  name: "right",
  fields: ["right"],
  score: (_, { response }) => ({ right: response === "right" ? 1 : 0 }),
  canWatch: () => true,
};

interface Ran {
  rows: EvalRow[];
  recorded: FinishedTrial[];
  progress: Progress[];
}

async function ran(
  systems: System[],
  options: Partial<RunPorts> & { evaluators?: Evaluator[]; examples?: number } = {},
) {
  const { evaluators = [WATCHING], examples = 1, ...ports } = options;
  const dataset = Array.from({ length: examples }, (_, id) => ({ id, question: `question ${id}` }));
  const plan = await makePlan({ systems, datasets: [dataset], evaluators, metrics: [] });
  const result: Ran = { rows: [], recorded: [], progress: [] };
  result.rows = await runPlan(plan, {
    clock: () => performance.now(),
    tokenizer: { count: () => 1 },
    cache: null,
    sink: { append: (entry) => void result.recorded.push(entry), flush: () => {} },
    signal: new AbortController().signal,
    maxWorkers: 8,
    budget: {
      limitsOf: ({ limits }) => limits ?? null,
      open: ({ price, maxCostUsd, isMetered = false }, listeners) =>
        new CostBudget({ price, maxCostUsd, isMetered, ...listeners }),
      run: null,
    },
    retry: { maxRetries: 0, maxWaitMs: 0 },
    whenIdle: () => () => {},
    onProgress: (state) => void result.progress.push(state),
    ...ports,
  });
  return result;
}

function phased(work: System["process"], more: Partial<System> = {}): System {
  return { name: "phased", worksInPhases: true, limits: LIMITS, process: work, ...more };
}

describe("a system that works in phases", () => {
  it("has only its work timed and limited", async () => {
    let workMs = 0;
    const { rows } = await ran([
      phased(
        async (_, trial) => {
          await wait(1100);
          const startedAt = performance.now();
          await trial.timed?.(() => wait(20));
          workMs = performance.now() - startedAt;
          await wait(80);
          return { response: "right" };
        },
        { limits: { ...LIMITS, hardTimeoutMs: 1000 } },
      ),
    ]);
    expect(rows[0]).toMatchObject({ outcome: "pass", errorCategory: "none" });
    expect(rows[0]?.durationMs).toBeGreaterThanOrEqual(19);
    expect(rows[0]?.durationMs).toBeLessThan(workMs + 50);
    expect(rows[0]?.latency).toBeLessThan((workMs + 50) / 1000);
  });

  it("is stopped when its work takes too long, and graded on what it returns then", async () => {
    const { rows } = await ran([
      phased(async (_, trial) => {
        await trial.timed?.(() => aborted(trial));
        return { response: "right" };
      }),
    ]);
    expect(rows[0]).toMatchObject({ outcome: "pass", errorCategory: "time_killed" });
  });

  it("may take its own grace period to stop", async () => {
    const slow = phased(
      async (_, trial) => {
        await trial.timed?.(() => aborted(trial));
        await wait(2300);
        return { response: "right" };
      },
      { graceMs: 60_000 },
    );
    expect((await ran([slow])).rows[0]).toMatchObject({ outcome: "pass", errorCategory: "time_killed" });
  });

  it("runs its cleanup after scoring, whatever the outcome of the trial", async () => {
    const order: string[] = [];
    const scoring: Evaluator = {
      ...WATCHING,
      score: async () => {
        await wait(20);
        order.push("scored");
        return { right: 1 };
      },
    };
    const clean = (trial: TrialContext, what: string) => trial.atEnd?.(() => void order.push(what));
    const fine = phased((_, trial) => {
      clean(trial, "fine");
      return { response: "right" };
    });
    await ran([fine], { evaluators: [scoring] });
    expect(order).toEqual(["scored", "fine"]);
    const broken = phased((_, trial) => {
      clean(trial, "broken");
      trial.atEnd?.(() => {
        throw new Error("cannot be cleared away");
      });
      throw new Error("broken");
    });
    expect((await ran([broken])).rows[0]).toMatchObject({ outcome: "error" });
    expect(order).toEqual(["scored", "fine", "broken"]);
  });

  it("keeps the trajectory of a failed trial without grading it", async () => {
    const trajectory = { events: [{ type: "error", timestamp: 1, message: "refused" }] };
    const failing = phased(() => {
      throw new TrialError("api_error", "refused", { spent: { trajectory, turns: 3 } });
    });
    const { rows, recorded } = await ran([failing]);
    expect(rows[0]).toMatchObject({ outcome: "error", errorCategory: "api_error", turns: 3, scores: {} });
    expect(recorded[0]?.output).toEqual({ trajectory });
  });
});

describe("unfinished work", () => {
  it("can be scored while it is running", async () => {
    const asked: unknown[] = [];
    const system: System = {
      name: "asking",
      process: async (_, { passes }) => {
        asked.push(await passes?.({ response: "wrong" }), await passes?.({ response: "right" }));
        return { response: "wrong" };
      },
    };
    const { rows } = await ran([system]);
    expect(asked).toEqual([false, true]);
    expect(rows[0]?.outcome).toBe("fail");
  });

  it("cannot be scored if one evaluator does not support it", async () => {
    const asked: unknown[] = [];
    const system: System = {
      name: "asking",
      process: (_, { passes }) => {
        asked.push(passes);
        return { response: "right" };
      },
    };
    const never: Evaluator = { name: "never", fields: ["never"], score: () => ({ never: 1 }), canWatch: () => false };
    const { canWatch: _, ...blind } = { ...WATCHING, name: "blind", fields: ["blind"] };
    await ran([system], { evaluators: [WATCHING, never] });
    await ran([system], { evaluators: [WATCHING, { ...blind, score: () => ({ blind: 1 }) }] });
    expect(asked).toEqual([undefined, undefined]);
  });
});

describe("systems with maxParallel", () => {
  it("share the smallest bound of their endpoint, above or below the number of workers", async () => {
    const busiest = { most: 0, now: 0 };
    const agent = (name: string, maxParallel: number): System => ({
      name,
      endpoint: "agents",
      maxParallel,
      process: async () => {
        busiest.now += 1;
        busiest.most = Math.max(busiest.most, busiest.now);
        await wait(5);
        busiest.now -= 1;
        return { response: "right" };
      },
    });
    await ran([agent("a", 3), agent("b", 5)], { examples: 20 });
    expect(busiest.most).toBe(3);
    await ran([agent("c", 6)], { examples: 20, maxWorkers: 2 });
    expect(busiest.most).toBe(6);
  });
});

describe("the cost of a running trial", () => {
  it("is reported at half and four fifths of the limit until the trial is finished", async () => {
    const limits: Limits = { price: null, isMetered: true, maxCostUsd: 1, hardTimeoutMs: null };
    const spending = phased(
      async (_, { budget }) => {
        for (const costUsd of [0.4, 0.5, 0.6, 0.85, 0.9]) {
          budget?.report({ usage: { input: 1, output: 1 }, costUsd, isEstimated: false });
          await wait(5);
        }
        return { response: "right" };
      },
      { name: "claude", limits },
    );
    const { rows, progress } = await ran([spending]);
    const warnings = [...new Set(progress.map(({ warning }) => warning))];
    expect(warnings).toEqual([
      "claude on 0 is over 50 % of its budget",
      "claude on 0 is over 80 % of its budget",
      null,
    ]);
    expect(rows[0]).toMatchObject({ costUsd: 0.9, costSource: "priced", usage: { input: 1, output: 1 } });
  });

  it("stops the trial above the limit, at the cost reported then", async () => {
    const limits: Limits = { price: null, isMetered: true, maxCostUsd: 1, hardTimeoutMs: null };
    const spending = phased(
      async (_, trial) => {
        trial.budget?.report({ usage: { input: 10, output: 2 }, costUsd: 1, isEstimated: false });
        expect(trial.signal.aborted).toBe(false);
        trial.budget?.report({ usage: { input: 20, output: 4 }, costUsd: 1.25, isEstimated: true });
        await aborted(trial);
        trial.budget?.report({ usage: { input: 20, output: 5 }, costUsd: 1.5, isEstimated: false });
        return { response: "right" };
      },
      { limits },
    );
    expect((await ran([spending])).rows[0]).toMatchObject({
      outcome: "pass",
      errorCategory: "cost_killed",
      costUsd: 1.5,
      costKilledAt: 1.25,
      overshootUsd: 0.5,
      partial: false,
      usage: { input: 20, output: 5 },
    });
  });

  it("is unknown, not 0, when there is no price", async () => {
    const system = phased((_, { budget }) => {
      budget?.report({ usage: { input: 10, output: 2 }, costUsd: null, isEstimated: false });
      return { response: "right" };
    });
    expect((await ran([system])).rows[0]).toMatchObject({ costUsd: null, costSource: "unknown", usage: { input: 10 } });
  });
});

function aborted({ signal }: TrialContext): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) resolve();
    else signal.addEventListener("abort", () => resolve(), { once: true });
  });
}
