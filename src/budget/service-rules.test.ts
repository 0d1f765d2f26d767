import { describe, expect, it } from "vitest";
import { TempProject } from "../testing/temp-project.js";
import { bundledPrice, CostBudget, createPrice, loadModels, ModelsFileError, selectServicePrice } from "./index.js";
import { addPublishedServices } from "./service-rules.js";

const PRICE = createPrice(
  {
    input_per_1k: 0.004,
    output_per_1k: 0.02,
    cache_read_per_1k: 0.0004,
    priority: { input_per_1k: 0.007, output_per_1k: 0.035 },
  },
  "prices.yml",
);

async function loadModel(pricing: string, provider = "openai") {
  const text = `models:\n  m:\n    provider: ${provider}\n    pricing: ${pricing}\n`;
  return (await loadModels(new TempProject({ "models.yml": text }).path("models.yml"))).models.get("m");
}

describe("selectServicePrice", () => {
  it("returns the given price of a tier, and leads back to the standard one", () => {
    const priority = selectServicePrice(PRICE, "priority");
    expect(priority).toMatchObject({ service: "priority", input: 7_000_000, output: 35_000_000, cacheRead: 7_000_000 });
    expect(priority && selectServicePrice(priority, "standard")).toMatchObject({
      input: 4_000_000,
      source: "prices.yml",
    });
    expect(priority && selectServicePrice(priority, "priority")).toBe(priority);
    expect(selectServicePrice(PRICE, "standard")).toBe(PRICE);
  });

  it.each(["batch", "flex", "scale", "constructor"])("does not know %s without a price or a rule", (tier) => {
    expect(selectServicePrice(PRICE, tier)).toBeNull();
  });
});

describe("the published rules", () => {
  it.each([
    ["openai", "gpt-5", "batch"],
    ["openai", "gpt-5", "flex"],
    ["anthropic", "claude-haiku-4-5", "batch"],
    ["google", "gemini-2.5-pro", "batch"],
    ["google", "gemini-2.5-pro", "flex"],
  ])("halve the price of %s/%s in %s, also for long prompts", async (provider, model, tier) => {
    const price = await bundledPrice({ model, provider });
    const found = price && selectServicePrice(price, tier);
    expect(price?.input).toBeGreaterThan(0);
    expect(found?.input).toBe((price?.input ?? 0) / 2);
    expect(found?.output).toBe((price?.output ?? 0) / 2);
    expect(found?.tiers?.map(({ input }) => input * 2)).toEqual(price?.tiers?.map(({ input }) => input));
    expect(found?.source).toMatch(/genai-prices .*× 0\.5 \(https:\/\/\S+, 20\d\d-\d\d-\d\d\)$/);
  });

  it("bill cache reads in Gemini batches at the standard price", async () => {
    const price = await bundledPrice({ model: "gemini-2.5-pro", provider: "google" });
    expect(price && selectServicePrice(price, "batch")?.cacheRead).toBe(price?.cacheRead);
  });

  it.each([
    ["openai", "gpt-5", "priority"],
    ["anthropic", "claude-haiku-4-5", "flex"],
    ["groq", "llama-3.3-70b-versatile", "batch"],
  ])("say nothing about %s/%s in %s", async (provider, model, tier) => {
    const price = await bundledPrice({ model, provider });
    expect(price).not.toBeNull();
    expect(price && selectServicePrice(price, tier)).toBeNull();
  });

  it("do not replace a price that is given", () => {
    const given = createPrice(
      { input_per_1k: 1, output_per_1k: 1, batch: { input_per_1k: 0.1, output_per_1k: 0.2 } },
      "x",
    );
    const price = addPublishedServices(given, "openai");
    expect(selectServicePrice(price, "batch")).toMatchObject({ input: 1e8, source: "x" });
    expect(selectServicePrice(price, "flex")).toMatchObject({ input: 5e8 });
  });
});

describe("service tiers in models.yml", () => {
  it("have prices of their own, else the provider's share of the given price", async () => {
    const model = await loadModel(
      "{ input_per_1k: 0.002, output_per_1k: 0.004, priority: { input_per_1k: 0.003, output_per_1k: 0.006 } }",
    );
    expect(model?.price?.services).toMatchObject({
      batch: { input: 1_000_000, output: 2_000_000 },
      flex: { input: 1_000_000 },
      priority: { input: 3_000_000, output: 6_000_000 },
    });
  });

  it("have no price at a provider without a rule", async () => {
    const model = await loadModel("{ input_per_1k: 0.002, output_per_1k: 0.004 }", "acme");
    expect(model?.price?.services).toBeUndefined();
  });

  it.each([
    ["batch: { input_per_1k: 1 }", "pricing.batch.output_per_1k is missing."],
    ["batch: { input_per_1k: -1, output_per_1k: 1 }", "pricing.batch.input_per_1k must not be negative, but is -1."],
    ["batch: 0.5", "pricing.batch must be a mapping of settings"],
    ["batch: { input: 1, input_per_1k: 1, output_per_1k: 1 }", 'unknown key "input". Did you mean "input_per_1k"?'],
    ["bach: { input_per_1k: 1, output_per_1k: 1 }", 'unknown key "bach". Did you mean "batch"?'],
  ])("with a mistake are refused: %s", async (text, message) => {
    const loading = loadModel(`{ input_per_1k: 1, output_per_1k: 1, ${text} }`);
    await expect(loading).rejects.toThrow(ModelsFileError);
    await expect(loading).rejects.toThrow(message);
  });
});

describe("a budget", () => {
  const usage = { input: 1000, output: 100 };

  it("bills the service tier of each answer", () => {
    const flex = selectServicePrice(addPublishedServices(PRICE, "openai"), "flex");
    const budget = new CostBudget({ price: flex });
    expect(budget.add(usage).costUsd).toBe(0.003);
    expect(budget.add(usage, undefined, "flex").costUsd).toBe(0.006);
    expect(budget.add(usage, undefined, "standard").costUsd).toBe(0.012);
    expect(budget.add(usage, undefined, "priority").costUsd).toBe(0.0225);
    expect(budget.isEstimated).toBe(false);
  });

  it("bills a tier without a known price like the requested one, as an estimate", () => {
    const budget = new CostBudget({ price: PRICE });
    expect(budget.add(usage, undefined, "scale").costUsd).toBe(0.006);
    expect(budget.isEstimated).toBe(true);
  });
});
