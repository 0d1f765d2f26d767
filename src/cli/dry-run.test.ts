import { describe, expect, it } from "vitest";
import { priceFrom } from "../budget/index.js";
import type { System } from "../core/system.js";
import { makePlan } from "../runner/plan.js";
import { describePlan } from "./dry-run.js";

const PRICE = priceFrom({ input_per_1k: 0.1, output_per_1k: 1 }, "test");

async function told(limits: Partial<NonNullable<System["limits"]>>, maxCostUsd: number | null = 1): Promise<string> {
  const system: System = {
    name: "s",
    process: () => ({}),
    limits: { price: PRICE, maxCostUsd: 0.5, hardTimeoutMs: null, ...limits },
  };
  const dataset = [
    { id: 1, question: "short" },
    { id: 2, question: "x".repeat(100) },
  ];
  const plan = await makePlan({ systems: [system], datasets: [dataset], metrics: [], trials: 1 });
  const tokenizer = { count: (text: string) => text.length };
  return describePlan(plan, { tokenizer, output: "table", maxWorkers: 8, maxCostUsd, trialMaxCostUsd: null });
}

describe("what --dry-run says of the budget of the run", () => {
  it("is what the longest prompt and answer cost, and how many trials may run at a time", async () => {
    expect(await told({ maxOutputTokens: 50 })).toContain(
      "- set aside for a trial of s: at most $0.0600 (its prompt and its longest answer), so that 8 trials may run at a time; after 20 trials, 1.5 × the 95th percentile of what they cost\n",
    );
  });

  it("is the limit of a trial where the longest answer is not known", async () => {
    expect(await told({})).toContain(
      "set aside for a trial of s: at most $0.5000 (its limit, as its longest answer is not known), so that 2 trials may run at a time",
    );
  });

  it("is that nothing is known, or nothing at all", async () => {
    expect(await told({ maxCostUsd: 0 })).toContain("as much as others have cost; the first run one by one");
    expect(await told({}, null)).not.toContain("set aside");
  });
});
