import { readFileSync } from "node:fs";
import { resolve } from "node:path";
import { describe, expect, it } from "vitest";
import { bundledPrice, computeCost } from "./index.js";

const AT = new Date("2026-01-15T12:00:00Z");

describe("bundledPrice", () => {
  it("returns the price of a provider's model and its source", async () => {
    const { dependencies } = JSON.parse(readFileSync(resolve(import.meta.dirname, "../../package.json"), "utf8"));
    const { services, ...price } = (await bundledPrice({ model: "gpt-4o", provider: "openai", at: AT })) ?? {};
    expect(Object.keys(services ?? {})).toEqual(["batch", "flex"]);
    expect(price).toEqual({
      input: 2_500_000,
      output: 10_000_000,
      cacheRead: 1_250_000,
      cacheWrite: 2_500_000,
      cacheWrite1h: 2_500_000,
      source: `@pydantic/genai-prices ${dependencies["@pydantic/genai-prices"]}`,
    });
  });

  it("has tiers for long prompts and a separate price for the one-hour cache", async () => {
    const price = await bundledPrice({ model: "claude-sonnet-4-5", provider: "anthropic", at: AT });
    expect(price).toMatchObject({ input: 3_000_000, cacheWrite: 3_750_000, cacheWrite1h: 6_000_000 });
    expect(price?.tiers).toMatchObject([{ over: 200_000, input: 6_000_000, output: 22_500_000 }]);
    if (price === null) throw new Error("no price");
    expect(computeCost(price, { input: 200_000, output: 0 })).toBe(200_000 * 3_000_000);
    expect(computeCost(price, { input: 200_001, output: 0 })).toBe(200_001 * 6_000_000);
  });

  it.each([
    [{ model: "gemini-2.5-pro", provider: "google" }, 1_250_000],
    [{ model: "gemini-2.5-pro", provider: "Gemini" }, 1_250_000],
    [{ model: "grok-4", provider: "xai" }, 3_000_000],
    [{ model: "openai/gpt-5", provider: "openrouter", baseUrl: "http://127.0.0.1:8080" }, 1_250_000],
    [{ model: "gpt-4o", provider: "azure" }, 2_500_000],
    [{ model: "gpt-4o", provider: "openai-compatible", baseUrl: "https://api.openai.com/v1" }, 2_500_000],
    [{ model: "gpt-4o", baseUrl: "https://api.openai.com/v1" }, 2_500_000],
    [{ model: "gpt-4o" }, 2_500_000],
    [{ model: "gpt-4o", provider: null, baseUrl: null }, 2_500_000],
  ])("finds %j", async (query, input) => {
    expect((await bundledPrice({ ...query, at: AT }))?.input).toBe(input);
  });

  it.each([
    { model: "my-local-model" },
    { model: "my-local-model", provider: "openai" },
    { model: "gpt-4o-of-my-own", provider: "openai" },
    { model: "" },
    { model: "gpt-5", provider: "openrouter" },
    { model: "gpt-5", provider: "ollama" },
    { model: "gpt-5", provider: "openai-compatible" },
    { model: "gpt-5", provider: "my-openai-clone" },
    { model: "gpt-5", provider: "constructor" },
    { model: "gpt-5", baseUrl: "http://127.0.0.1:8080" },
  ])("returns null for %j", async (query) => {
    expect(await bundledPrice({ ...query, at: AT })).toBeNull();
  });

  it("returns the single price of embeddings", async () => {
    const price = await bundledPrice({ model: "text-embedding-3-small", provider: "openai", at: AT });
    expect(price).toMatchObject({ input: 20_000, output: 20_000 });
  });

  it("treats an entry without prices as free only when the name says so", async () => {
    const free = await bundledPrice({ model: "deepseek/deepseek-r1:free", provider: "openrouter", at: AT });
    expect(free).toMatchObject({ input: 0, output: 0, cacheRead: 0, cacheWrite: 0, cacheWrite1h: 0 });
    expect(await bundledPrice({ model: "gemma-3", provider: "google", at: AT })).toBeNull();
  });

  it("notes that requests have a cost besides their tokens", async () => {
    const price = await bundledPrice({ model: "sonar", provider: "perplexity", at: AT });
    expect(price?.source).toMatch(/without its price per request/);
  });

  it("returns the price at the given date", async () => {
    const price = async (at: string) =>
      (await bundledPrice({ model: "o3", provider: "openai", at: new Date(at) }))?.input;
    expect(await price("2025-06-01T00:00:00Z")).toBe(10_000_000);
    expect(await price("2025-07-01T00:00:00Z")).toBe(2_000_000);
  });
});
