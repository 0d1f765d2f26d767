import { describe, expect, it } from "vitest";
import { createPrice } from "../budget/index.js";
import type { System } from "../core/system.js";
import { makePlan } from "../runner/plan.js";
import { describePlan } from "./dry-run.js";

const PRICE = createPrice({ input_per_1k: 0.1, output_per_1k: 1 }, "test");

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

it("counts the trials and the dollars of single examples", async () => {
  const limits = {
    price: createPrice({ input_per_1k: 0, output_per_1k: 1 }, "test"),
    maxCostUsd: 0.5,
    hardTimeoutMs: null,
  };
  const examples = [
    { id: "a", question: "q", limits: { trials: 3, max_cost_usd: 2 } },
    { id: "b", question: "q" },
  ];
  const plan = await makePlan({
    systems: [{ name: "s", process: () => ({}), limits }],
    datasets: [examples],
    metrics: [],
  });
  const tokenizer = { count: (text: string) => text.length };
  const text = describePlan(plan, {
    tokenizer,
    output: "table",
    maxWorkers: 8,
    maxCostUsd: null,
    trialMaxCostUsd: null,
  });
  expect(text).toContain("1 system, 2 examples in total, at most 3 trials of each: 4 planned trials");
  expect(text).toContain("at most $6.5");
});

describe("images and files in --dry-run", () => {
  const image = { path: "a.png", mediaType: "image/png", size: 9, sha256: "0" };
  const plan = async (countFileTokens: System["countFileTokens"]) => {
    const system: System = {
      name: "s",
      process: () => ({}),
      limits: { price: PRICE, maxCostUsd: 0.5, hardTimeoutMs: null, maxOutputTokens: 50 },
      ...(countFileTokens === undefined ? {} : { countFileTokens }),
    };
    const dataset = [{ id: 1, question: "short", images: [image] }];
    const planned = await makePlan({ systems: [system], datasets: [dataset], metrics: [], trials: 2 });
    const tokenizer = { count: (text: string) => text.length };
    return describePlan(planned, { tokenizer, output: "table", maxWorkers: 8, maxCostUsd: 1, trialMaxCostUsd: null });
  };

  it("are counted apart, and are part of the reservations", async () => {
    const text = await plan(() => 100);
    expect(text).toContain("- input: about 10 tokens of text, and at most 200 of images and files\n");
    // Five tokens of text, a hundred of the image and the longest answer.
    expect(text).toContain("reserved per trial of s: at most $0.0605 (its prompt and its longest answer)");
  });

  it("use the limit of a trial if their tokens are unknown", async () => {
    const text = await plan(() => null);
    expect(text).toContain("of text, and files whose tokens only the provider can count\n");
    expect(text).toContain("reserved per trial of s: at most $0.5000 (its limit)");
  });
});

describe("batches in --dry-run", () => {
  it("count all trials that the budget lets be submitted, and no time", async () => {
    const flags = { maxWorkers: 8, maxCostUsd: 1, trialMaxCostUsd: null, isBatched: true };
    const plan = await makePlan({
      systems: [
        {
          name: "s",
          process: () => ({}),
          endpoint: "x",
          limits: { price: PRICE, maxCostUsd: 0.5, hardTimeoutMs: null, maxOutputTokens: 9 },
        },
      ],
      datasets: [Array.from({ length: 30 }, (_, id) => ({ id, question: "short" }))],
      metrics: [],
      trials: 1,
    });
    const tokenizer = { count: (text: string) => text.length };
    const text = describePlan(plan, { tokenizer, output: "table", ...flags });
    expect(text).toContain("so 30 trials may be submitted at a time");
    expect(text).toContain("- wall time: up to a day, in batches\n");
    expect(JSON.parse(describePlan(plan, { tokenizer, output: "json", ...flags }))).toMatchObject({
      wallSeconds: null,
      reservations: [{ atOnce: 30 }],
    });
  });
});

describe("reservations in --dry-run", () => {
  it("follow from the longest prompt and answer, with the number of concurrent trials", async () => {
    expect(await told({ maxOutputTokens: 50 })).toContain(
      "- reserved per trial of s: at most $0.0600 (its prompt and its longest answer), so 8 trials may run at a time; after 20 trials, 1.5 × the 95th percentile of their cost\n",
    );
  });

  it("use the limit of a trial if the longest answer is unknown", async () => {
    expect(await told({})).toContain(
      "reserved per trial of s: at most $0.5000 (its limit, since max_tokens is not set), so 2 trials may run at a time",
    );
  });

  it("say nothing about max_tokens if the limit is lower than the longest answer costs", async () => {
    expect(await told({ maxOutputTokens: 1_000_000 })).toContain("at most $0.5000 (its limit), so 2 trials");
  });

  it("are unknown, or empty without a budget", async () => {
    expect(await told({ maxCostUsd: 0 })).toContain(
      "as much as earlier trials have cost; the first ones run one by one",
    );
    expect(await told({}, null)).not.toContain("set aside");
  });
});
