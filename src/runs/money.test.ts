import { appendFileSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import fc from "fast-check";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { createPrice } from "../budget/index.js";
import type { Evaluator } from "../core/evaluator.js";
import type { BudgetReceipt, EvalResult } from "../core/result.js";
import type { System } from "../core/system.js";
import { type EvaluateOptions, evaluate } from "../evaluate.js";
import { queryRuns } from "../store/history/query-runs.js";
import { readRows } from "../store/journal.js";
import { loadRun } from "./load-run.js";

let dir = "";

beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), "assay-money-"));
});

afterEach(() => {
  rmSync(dir, { recursive: true, force: true });
});

const LIMITS = {
  price: createPrice({ input_per_1k: 1, output_per_1k: 1 }, "test"),
  maxCostUsd: 1,
  hardTimeoutMs: null,
};
const EXACT: Evaluator = { name: "exact", fields: ["em"], score: () => ({ em: 1 }) };

/** Each call costs 10 cents. */
function system(more: Partial<System> = {}): System {
  return {
    name: "s",
    limits: { ...LIMITS, maxOutputTokens: 200 },
    fingerprint: () => "s",
    process: async (_, { budget }) => {
      budget?.add({ input: 50, output: 50 });
      return { response: "yes" };
    },
    ...more,
  };
}

function options(more: Partial<EvaluateOptions> = {}, count = 4): EvaluateOptions {
  return {
    systems: [system()],
    dataset: Array.from({ length: count }, (_, id) => ({ id, question: "why?" })),
    evaluators: [EXACT],
    tokenizer: { name: "none", count: () => 0 },
    budget: { run: { maxCostUsd: 100 } },
    ...more,
  };
}

type Line = Record<string, unknown>;

const linesOf = ({ runDir }: Pick<EvalResult, "runDir">) =>
  readFileSync(join(runDir ?? "", "rows.jsonl"), "utf8")
    .trimEnd()
    .split("\n")
    .map((line) => JSON.parse(line) as Line);

const partsOf = (budget: BudgetReceipt | undefined) => {
  const { trialsUsd = 0, ungradedUsd = 0, repeatedUsd = 0, unknownUsd = 0, lostUsd = 0 } = budget ?? {};
  return trialsUsd + ungradedUsd + repeatedUsd + unknownUsd + lostUsd;
};

describe("the reservation for a trial", () => {
  it("is in the journal before the trial starts, and ends with its row", async () => {
    const started: string[][] = [];
    const path = () => join(dir, "runs");
    const looks: System = system({
      process: async (_, { budget }) => {
        const [run = ""] = (await import("node:fs")).readdirSync(path());
        const text = readFileSync(join(path(), run, "rows.jsonl"), "utf8").trimEnd();
        started.push(text.split("\n").map((line) => (JSON.parse(line) as { kind?: string }).kind ?? "row"));
        budget?.add({ input: 50, output: 50 });
        return { response: "yes" };
      },
    });
    const result = await evaluate(options({ systems: [looks], runsDir: path(), maxWorkers: 1 }, 2));
    expect(started).toEqual([["reserve"], ["reserve", "row", "reserve"]]);
    expect(linesOf(result)[0]).toEqual({
      system: "s",
      dataset: "",
      exampleId: expect.any(Number),
      trial: 0,
      kind: "reserve",
      usd: 0.2,
    });
  });

  it("is not written in a run without a budget in dollars, nor for free trials", async () => {
    const without = await evaluate({ ...options({ runsDir: dir }), budget: {} });
    expect(linesOf(without).some((line) => "kind" in line)).toBe(false);
    const price = createPrice({ input_per_1k: 0, output_per_1k: 0 }, "test");
    const free = system({ limits: { price, maxCostUsd: 0, hardTimeoutMs: null } });
    const result = await evaluate(options({ runsDir: dir, systems: [free] }));
    expect(linesOf(result).some((line) => "kind" in line)).toBe(false);
  });

  it("is not returned as a row", async () => {
    const result = await evaluate(options({ runsDir: dir }));
    appendFileSync(join(result.runDir ?? "", "rows.jsonl"), '{"kind":"of a later version","usd":"?"}\n');
    expect(readRows(result.runDir ?? "")).toHaveLength(4);
    expect((await loadRun(result.runDir ?? "")).rows).toHaveLength(4);
    const { rows, notes } = await queryRuns({
      runsDir: dir,
      sql: "select count(*) as n, sum(cost_usd) as usd from rows",
    });
    expect(rows).toEqual([{ n: 4, usd: expect.closeTo(0.4, 9) }]);
    expect(notes).toEqual([]);
  });

  it("does not delay trials whose longest answer is known, and lets them spend nearly all", async () => {
    let most = 0;
    let open = 0;
    const cheap = system({
      limits: { ...LIMITS, maxCostUsd: 50, maxOutputTokens: 200 },
      process: async (_, { budget }) => {
        open += 1;
        most = Math.max(most, open);
        await new Promise((resolve) => setImmediate(resolve));
        open -= 1;
        budget?.add({ input: 50, output: 50 });
        return { response: "yes" };
      },
    });
    const result = await evaluate(options({ systems: [cheap], budget: { run: { maxCostUsd: 5 } } }, 80));
    expect(most).toBe(8);
    // The next trial would reserve 15 cents: 1.5 times what all have cost.
    expect(result.budget?.spentUsd).toBeGreaterThan(5 - 0.15);
    expect(result.notes).toContain(
      "reserved for a trial of s: at most $0.2000 (its maximum cost), then $0.1500 (1.5 times the 95th percentile of its trials)",
    );
  });
});

describe("a killed run", () => {
  /** Truncates the journal to what had been written by then. */
  function cut(result: EvalResult, lines: readonly Line[]): void {
    const path = join(result.runDir ?? "", "rows.jsonl");
    rmSync(path);
    appendFileSync(path, lines.map((line) => `${JSON.stringify(line)}\n`).join(""));
    rmSync(join(result.runDir ?? "", "outputs.jsonl"));
  }

  it("counts the reservations of interrupted trials as spent, once, and reports them", async () => {
    const first = await evaluate(options({ runsDir: dir, maxWorkers: 1 }));
    cut(first, linesOf(first).slice(0, 3));
    const resumed = await evaluate(options({ resume: first.runDir ?? "" }));
    expect(resumed.budget).toMatchObject({ lostTrials: 1, lostUsd: 0.2, maxCostUsd: 100 });
    expect(resumed.budget?.spentUsd).toBeCloseTo(0.6, 9);
    expect(resumed.budget?.trialsUsd).toBeCloseTo(0.4, 9);
    expect(resumed.notes).toContain(
      "$0.2000 of what was spent was lost to interruptions: 1 trial cut off, counted at the reserved amount",
    );
    expect(resumed.notes.at(-1)).toBe("spent $0.6000 of $100.00");
    const again = await evaluate(options({ resume: first.runDir ?? "" }));
    expect(again.budget?.spentUsd).toBeCloseTo(0.6, 9);
    expect((await loadRun(first.runDir ?? "")).budget).toEqual(again.budget);
    expect(JSON.parse(JSON.stringify(again))).toMatchObject({ budget: { lostTrials: 1 } });
  });

  it("starts no trial that its losses leave no budget for", async () => {
    const budget = { run: { maxCostUsd: 0.6 } };
    const first = await evaluate(options({ runsDir: dir, maxWorkers: 1, budget }));
    cut(first, linesOf(first).slice(0, 3));
    const resumed = await evaluate(options({ resume: first.runDir ?? "", budget, maxWorkers: 1 }));
    expect(resumed.rows.filter(({ outcome }) => outcome === "pass")).toHaveLength(3);
    expect(resumed.budget?.spentUsd).toBeCloseTo(0.5, 9);
  });

  it("adds up, wherever it was cut and however its trials end", async () => {
    const unpredictable = (fails: readonly number[]) =>
      system({
        process: async ({ id }, { budget }) => {
          budget?.add({ input: 50, output: 50 });
          if (fails.includes(Number(id))) throw new Error("down");
          return { response: "yes" };
        },
      });
    const scenario = fc.record({
      fails: fc.subarray([0, 1, 2, 3, 4, 5]),
      cuts: fc.array(fc.nat(14), { minLength: 1, maxLength: 3 }),
    });
    await fc.assert(
      fc.asyncProperty(scenario, async ({ fails, cuts }) => {
        const where = mkdtempSync(join(dir, "p-"));
        let result = await evaluate(options({ systems: [unpredictable(fails)], runsDir: where }, 6));
        for (const at of cuts) {
          cut(result, linesOf(result).slice(0, at));
          appendFileSync(join(result.runDir ?? "", "outputs.jsonl"), "");
          result = await evaluate(options({ systems: [unpredictable([])], resume: result.runDir ?? "" }, 6));
        }
        expect(partsOf(result.budget)).toBeCloseTo(result.budget?.spentUsd ?? Number.NaN, 9);
        expect(result.budget).toMatchObject({ ungradedUsd: 0, trialsUsd: expect.closeTo(0.6, 9) });
        const lost = linesOf(result).reduce((sum, { kind, usd }) => sum + (kind === "settle" ? Number(usd) : 0), 0);
        expect(result.budget?.lostUsd).toBeCloseTo(lost, 9);
      }),
      { numRuns: 25 },
    );
  });
});

describe("a stopped run", () => {
  it("counts interrupted calls at their reservation, and calls that never began as nothing", async () => {
    const controller = new AbortController();
    const waits = system({
      endpoint: "e",
      process: (_, { signal }) =>
        new Promise((_resolve, reject) => {
          signal.addEventListener("abort", () => reject(new Error("told to stop")), { once: true });
          setTimeout(() => controller.abort(), 1);
        }),
    });
    const stopped = await evaluate(options({ systems: [waits], runsDir: dir, signal: controller.signal }));
    const settled = linesOf(stopped).filter(({ kind }) => kind === "settle");
    const reserved = linesOf(stopped).filter(({ kind }) => kind === "reserve");
    expect(settled).toHaveLength(reserved.length);
    const cutOff = settled.filter(({ why }) => why === "lost");
    expect(cutOff.length).toBeGreaterThan(0);
    for (const { usd, why } of settled) expect(usd).toBe(why === "lost" ? 0.2 : 0);
    expect(stopped.budget?.spentUsd).toBeCloseTo(0.2 * cutOff.length, 9);
    const resumed = await evaluate(options({ resume: stopped.runDir ?? "", systems: [system({ endpoint: "e" })] }));
    expect(resumed.budget?.lostUsd).toBeCloseTo(0.2 * cutOff.length, 9);
    expect(partsOf(resumed.budget)).toBeCloseTo(resumed.budget?.spentUsd ?? 0, 9);
  });
});
