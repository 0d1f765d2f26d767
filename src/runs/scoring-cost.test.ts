import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { UsageError } from "../core/errors.js";
import type { Evaluator } from "../core/evaluator.js";
import type { System } from "../core/system.js";
import { evaluate } from "../evaluate.js";
import { readRows } from "../store/journal.js";

let dir = "";

beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), "assay-scoring-cost-"));
});

afterEach(() => {
  rmSync(dir, { recursive: true, force: true });
});

const DATASET = Array.from({ length: 6 }, (_, id) => ({ id, question: `question ${id}` }));
const SYSTEM: System = { name: "s", isRecorded: true, process: () => ({ response: "yes" }) };

function judge(costUsd: number | null): Evaluator {
  return {
    name: "judge",
    fields: ["good"],
    score: async (_, __, context) => {
      context?.meter?.add({ costUsd, usage: { input: 10, output: 1 } });
      context?.meter?.add({ costUsd: 0.25, usage: { input: 5, output: 2 } });
      return { good: 1 };
    },
  };
}

describe("the cost of scoring", () => {
  it("is on the row and in the summary, separate from the system's cost", async () => {
    const result = await evaluate({ systems: [SYSTEM], dataset: DATASET, evaluators: [judge(0.5)], runsDir: dir });
    const [row] = result.rows;
    expect(row).toMatchObject({ judgeCostUsd: 0.75, costUsd: null, usage: null });
    expect(row?.metadata).toEqual({ judgeUsage: { input: 15, output: 3 } });
    expect(result.summary.s?.judge_cost_usd).toBe(4.5);
    expect(result.summary.s?.mean_cost_usd).toBeNull();
    expect(readRows(result.runDir ?? "")[0]?.judgeCostUsd).toBe(0.75);
  });

  it("is absent where scoring is free", async () => {
    const free: Evaluator = { name: "free", score: () => ({ good: 1 }) };
    const { rows, summary } = await evaluate({ systems: [SYSTEM], dataset: DATASET, evaluators: [free] });
    expect(rows[0]?.judgeCostUsd).toBeNull();
    expect(summary.s).not.toHaveProperty("judge_cost_usd");
  });

  it("is reported as unknown if a part of it is", async () => {
    const { rows } = await evaluate({ systems: [SYSTEM], dataset: DATASET, evaluators: [judge(null)] });
    expect(rows[0]).toMatchObject({
      judgeCostUsd: 0.25,
      notes: ["the cost of scoring is unknown: a judge has no price"],
    });
  });

  it("counts against the run budget, even if the outputs are free", async () => {
    const options = { systems: [SYSTEM], dataset: DATASET, evaluators: [judge(0.5)], maxWorkers: 1 };
    const result = await evaluate({ ...options, budget: { run: { maxCostUsd: 2 } } });
    expect(result.rows.map(({ outcome }) => outcome)).toEqual([
      "pass",
      "pass",
      "skipped",
      "skipped",
      "skipped",
      "skipped",
    ]);
    expect(result.notes).toContain("spent $1.50 of $2.00");
  });

  it("is reserved for concurrent trials, if the evaluator declares a cost", async () => {
    const dataset = Array.from({ length: 60 }, (_, id) => ({ id, question: `question ${id}` }));
    const paid = { ...judge(0.75), isPaid: true };
    const options = {
      systems: [SYSTEM],
      dataset,
      evaluators: [paid],
      maxWorkers: 16,
      budget: { run: { maxCostUsd: 20 } },
    };
    const { rows, notes } = await evaluate(options);
    expect(rows.filter(({ outcome }) => outcome === "pass")).toHaveLength(20);
    expect(notes).toContain("spent $20.00 of $20.00");
  });

  it("is restored when the run is resumed", async () => {
    const options = { systems: [SYSTEM], dataset: DATASET, evaluators: [judge(0.5)], maxWorkers: 1 };
    const first = await evaluate({ ...options, budget: { run: { maxCostUsd: 2 } }, runsDir: dir });
    const resumed = await evaluate({ ...options, budget: { run: { maxCostUsd: 3 } }, resume: first.runDir ?? "" });
    expect(resumed.rows.filter(({ outcome }) => outcome === "pass")).toHaveLength(4);
    expect(resumed.notes).toContain("spent $3.00 of $3.00");
  });
});

describe("an evaluator with a prepare step", () => {
  it("is prepared once, before any system is called", async () => {
    const order: string[] = [];
    const system: System = { name: "s", process: () => ({ response: String(order.push("process")) }) };
    const evaluator: Evaluator = {
      name: "ready",
      prepare: async () => void order.push("prepare"),
      score: () => ({ good: 1 }),
    };
    const twice = [DATASET.slice(0, 1), DATASET.slice(1, 2)];
    await evaluate({ systems: [system], datasets: twice, evaluators: [evaluator] });
    expect(order).toEqual(["prepare", "process", "process"]);
  });

  it("ends the run before any call if it cannot be prepared", async () => {
    let calls = 0;
    const system: System = { name: "s", process: () => ({ response: String(calls++) }) };
    const prepare = () => {
      throw new UsageError("there is no sandbox");
    };
    const options = { systems: [system], dataset: DATASET, evaluators: [{ name: "e", prepare, score: () => ({}) }] };
    await expect(evaluate({ ...options, runsDir: dir })).rejects.toThrow("there is no sandbox");
    expect(calls).toBe(0);
  });
});
