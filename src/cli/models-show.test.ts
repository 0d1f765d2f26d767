import { expect, it, onTestFinished, vi } from "vitest";
import { UsageError } from "../core/errors.js";
import { TempProject } from "../testing/temp-project.js";
import { executeModelsShow, type ModelsShowFlags } from "./models-show.js";

const NOW = new Date("2026-11-18");

async function show(name: string, flags: ModelsShowFlags = {}): Promise<string> {
  let stdout = "";
  const spy = vi.spyOn(process.stdout, "write").mockImplementation((text) => {
    stdout += String(text);
    return true;
  });
  onTestFinished(() => spy.mockRestore());
  expect(await executeModelsShow(name, flags, { env: { OPENAI_API_KEY: "secret-key" }, now: NOW })).toBe(0);
  return stdout;
}

const readFacts = (text: string) =>
  Object.fromEntries([...text.matchAll(/^\| (.+?) +\| (.+?) +\|$/gm)].map(([, what = "", value]) => [what, value]));

it("prints endpoint, key, capabilities, and the price with how it was found", async () => {
  const text = await show("openai/gpt-5-mini");
  expect(readFacts(text)).toMatchObject({
    model: "gpt-5-mini",
    "base URL": "https://api.openai.com/v1",
    "key variable": "OPENAI_API_KEY (set)",
    context: "400,000 tokens",
    "longest output": "128,000 tokens",
    "structured output": "yes",
    efforts: "minimal, low, medium, high",
    rejects: "temperature, top_p, max_tokens",
    end: "ends on 2026-12-11, in 23 days; its maker recommends gpt-5.6-terra",
    price: expect.stringMatching(/^openai\/gpt-5-mini by \w+ in .*genai-prices/),
  });
  expect(text).toMatch(/^\| standard +\| +0\.25 \| +2 \| +0\.025 \| +0\.25 \| +0\.25 \|$/m);
  expect(text).toMatch(/^\| batch +\| +0\.125 \| +1 \|/m);
  expect(text).not.toContain("secret-key");
});

it("prints a model of models.yml by its key, and what is not known", async () => {
  const pricing = "{ input_per_1k: 0.001, output_per_1k: 0.002 }";
  const { dir } = new TempProject({
    "models.yml": `mine: { base_url: "http://127.0.0.1:1/v1?token=hidden", effort: low, pricing: ${pricing} }`,
  });
  const text = await show("mine", { models: `${dir}/models.yml` });
  expect(readFacts(text)).toMatchObject({
    effort: "low",
    capabilities: "unknown: nothing is assumed",
    price: expect.stringMatching(/^given in .*models\.yml$/),
  });
  expect(text).toMatch(/^\| standard +\| +1 \| +2 \|/m);
  expect(text).not.toContain("hidden");
});

it("prints the same as JSON", async () => {
  expect(JSON.parse(await show("anthropic/claude-opus-5-5", { output: "json" }))).toMatchObject({
    schema: "assay.model/1",
    dialect: "anthropic",
    isKeySet: false,
    capabilities: { family: "claude-opus-5-5", maxOutputTokens: 128_000 },
    pricesPerMillion: { input: 4, output: 20, cacheWrite: 5, cacheWrite1h: 8, services: { batch: { input: 2 } } },
  });
});

it.each([
  ["openai/gpt-5-2025-08-07", "gpt-5", "by name"],
  ["anthropic/claude-sonnet-4-5-20250929", "claude-sonnet-4-5", "by prefix"],
  ["openrouter/anthropic/claude-opus-4.5", "claude-opus-4-5", "openrouter/anthropic/claude-opus-4.5 by name"],
  ["ollama/llama3.2", null, "unknown: no table has it"],
  ["openai/gpt-9", null, "unknown: no table has it"],
])("finds family and price of %s", async (name, family, price) => {
  const facts = readFacts(await show(name));
  expect(facts.price).toContain(price);
  if (family === null) expect(facts.capabilities).toBe("unknown: nothing is assumed");
  else expect(facts["capabilities from"]).toMatch(new RegExp(`; compiled \\d{4}-\\d\\d-\\d\\d, family ${family}$`));
});

it("names a similar model of the provider if nothing is known about this one", async () => {
  expect(readFacts(await show("openai/gtp-6-sol"))["did you mean"]).toBe("gpt-6-sol");
  for (const name of ["openai/gpt-6-sol", "ollama/gtp-6-sol", "openai/whatever-it-is"])
    expect(readFacts(await show(name))["did you mean"]).toBeUndefined();
});

it.each([
  ["azure/gpt-6-luna", "https://RESOURCE.openai.azure.com/openai/v1", "azure/gpt-6-luna by name"],
  ["vertex/gemini-3.8-flash", "/publishers/google", "google/gemini-3.8-flash by name"],
  ["vertex-anthropic/claude-opus-5", "/publishers/anthropic", "google/"],
  ["bedrock/us.anthropic.claude-opus-5", "set AWS_REGION, such as us-east-1, or give its base_url", "aws/"],
])("prints %s, whose address must be given", async (name, url, price) => {
  const facts = readFacts(await show(name));
  expect(facts["base URL"]).toMatch(/^not known: /);
  expect(facts["base URL"]).toContain(url);
  expect(facts.price).toContain(price);
});

it("prints the prices of the table that no cost contains", async () => {
  const facts = readFacts(await show("google/gemini-2.5-flash"));
  expect(facts["not billed"]).toContain("input audio $1 per million tokens");
  expect(readFacts(await show("openai/gpt-6-luna"))["not billed"]).toContain("web searches $10 per thousand");
  expect(readFacts(await show("ollama/llama3.2"))["not billed"]).toBeUndefined();
});

it("prints the prices of long prompts and of both cache lifetimes", async () => {
  const text = await show("anthropic/claude-sonnet-4-5");
  expect(text).toContain("| cache write | 1 h cache write |");
  expect(text).toMatch(/^\| standard, prompts over 200,000 tokens \| +6 \| +22\.5 \| +0\.6 \| +7\.5 \| +12 \|$/m);
});

it.each([
  ["nothing", {}, /Write PROVIDER\/MODEL, such as openai\//],
  ["opnai/gpt-6-luna", {}, /Did you mean "openai\/gpt-6-luna"\? Write PROVIDER\/MODEL/],
  ["gpt-6-luna", {}, /Did you mean "openai\/gpt-6-luna"\?/],
  ["openai/", {}, /"openai\/" names a provider, but no model/],
  ["nowhere/gpt-6-luna", {}, /and no provider is called nowhere\. Write PROVIDER\/MODEL/],
  ["openai/gpt-6-luna", { output: "xml" }, /Use --output table or --output json/],
])("refuses %s %j", async (name, flags, message) => {
  await expect(executeModelsShow(name, flags)).rejects.toThrow(UsageError);
  await expect(executeModelsShow(name, flags)).rejects.toThrow(message);
});
