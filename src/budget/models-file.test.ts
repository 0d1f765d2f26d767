import { describe, expect, it } from "vitest";
import { BudgetError } from "../core/errors.js";
import { TempProject } from "../testing/temp-project.js";
import { loadModels, type ModelEntry, ModelsFileError } from "./index.js";

const FULL = `models:
  opencode-or-minimax-m2-7:
    api_name: minimax/minimax-m2.7     # wire name
    provider: openrouter
    base_url: http://127.0.0.1:8080
    api_key_env: OPENROUTER_API_KEY
    agent_cli: opencode
    agent_model_name: openrouter/minimax/minimax-m2.7
    pricing:
      input_per_1k: 0.0003
      output_per_1k: 0.0012
      cache_read_per_1k: 0.00003
      cache_write_per_1k: 0.000375
    budgets:
      max_cost_usd: 0.30
      max_tokens: 400000
      hard_timeout_secs: 600.5
      expected_ttft_secs: 30
      expected_ttf_solution_secs: 90
default: opencode-or-minimax-m2-7
`;

function load(text: string) {
  return loadModels(new TempProject({ "models.yml": text }).path("models.yml"), {
    at: new Date("2026-01-15T12:00:00Z"),
  });
}

async function only(text: string): Promise<ModelEntry> {
  const [entry, ...more] = (await load(text)).models.values();
  if (entry === undefined || more.length > 0) throw new Error("expected one model");
  return entry;
}

/** The problems of a file, without its folder. */
async function problems(text: string): Promise<string[]> {
  const error = await load(text).then(
    () => new Error("the file was taken as it is"),
    (thrown: Error) => thrown,
  );
  expect(error).toBeInstanceOf(ModelsFileError);
  expect(error).toBeInstanceOf(BudgetError);
  return error.message.split("\n").map((line) => line.replace(/^.*models\.yml:/, ""));
}

describe("loadModels", () => {
  it("reads all settings of a model", async () => {
    const file = await load(FULL);
    expect(file.default).toBe("opencode-or-minimax-m2-7");
    const price = {
      input: 300_000,
      output: 1_200_000,
      cacheRead: 30_000,
      cacheWrite: 375_000,
      cacheWrite1h: 375_000,
      source: file.file,
    };
    expect([...file.models]).toEqual([
      [
        "opencode-or-minimax-m2-7",
        {
          name: "opencode-or-minimax-m2-7",
          apiName: "minimax/minimax-m2.7",
          provider: "openrouter",
          baseUrl: "http://127.0.0.1:8080",
          apiKeyEnv: "OPENROUTER_API_KEY",
          agentCli: "opencode",
          agentModelName: "openrouter/minimax/minimax-m2.7",
          effort: null,
          pricing: {
            input_per_1k: 0.0003,
            output_per_1k: 0.0012,
            cache_read_per_1k: 0.00003,
            cache_write_per_1k: 0.000375,
          },
          budgets: {
            max_cost_usd: 0.3,
            max_tokens: 400_000,
            hard_timeout_secs: 600.5,
            expected_ttft_secs: 30,
            expected_ttf_solution_secs: 90,
          },
          limits: {
            price,
            maxCostUsd: 0.3,
            maxTokens: 400_000,
            hardTimeoutMs: 600_500,
            expectedTtftMs: 30_000,
            expectedSolutionMs: 90_000,
          },
          resolved: { maxCostUsd: 0.3, hardTimeoutSecs: 600.5, enforced: true, rule: "explicit" },
          price,
          priceSource: "models.yml",
        },
      ],
    ]);
  });

  it("needs only a name, and uses the bundled price", async () => {
    const entry = await only("models:\n  gpt-5: { provider: openai }\n");
    expect(entry).toMatchObject({ apiName: "gpt-5", baseUrl: null, apiKeyEnv: null, agentCli: null, pricing: null });
    expect(entry).toMatchObject({ priceSource: "bundled", budgets: {}, price: { input: 1_250_000 } });
    expect(entry.resolved).toEqual({ maxCostUsd: 0.4, hardTimeoutSecs: 600, enforced: true, rule: "formula" });
    expect(entry.limits).toEqual({ price: entry.price, maxCostUsd: 0.4, hardTimeoutMs: 600_000 });
  });

  it("prefers the file's price to the bundled one", async () => {
    const entry = await only("gpt-5: { provider: openai, pricing: { input_per_1k: 0, output_per_1k: 0 } }");
    expect(entry).toMatchObject({ priceSource: "models.yml", price: { input: 0 }, resolved: { rule: "free" } });
  });

  it("has no limit for a model without a known price", async () => {
    const entry = await only("mine: { provider: ollama, api_name: llama3.2, budgets: { max_tokens: 1000 } }");
    expect(entry).toMatchObject({ priceSource: "none", price: null, resolved: { rule: "unpriced" } });
    expect(entry.limits).toEqual({ price: null, maxCostUsd: null, hardTimeoutMs: 600_000, maxTokens: 1000 });
  });

  it("reads a file that contains only mappings as the models themselves", async () => {
    const { models, default: name } = await load("gpt-5: { provider: openai }\ndefault: {}\n4: {}\n");
    expect([...models.keys()].sort()).toEqual(["4", "default", "gpt-5"]);
    expect(name).toBeNull();
  });

  it("lets models share settings with YAML anchors", async () => {
    const { models } = await load(
      "a: &a { provider: openai, api_name: gpt-5 }\nb: { <<: *a, budgets: { max_cost_usd: 0 } }\n",
    );
    expect(models.get("b")).toMatchObject({ apiName: "gpt-5", provider: "openai", resolved: { rule: "disabled" } });
  });
});

describe("a models file with problems", () => {
  it("reports line, column and the nearest known key for an unknown key, at any level", async () => {
    const text =
      "models:\n  a:\n    provder: x\n    pricing:\n      input_per_1k: 1\n      output_per_1k: 1\n      cach_read_per_1k: 1\n    budgets: { max_cost: 1 }\ndefalt: a\n";
    expect(await problems(text)).toEqual([
      expect.stringMatching(/^3:5: unknown key "provder"\. Did you mean "provider"\? Known: agent_cli, /),
      expect.stringMatching(/^7:7: unknown key "cach_read_per_1k"\. Did you mean "cache_read_per_1k"\?/),
      expect.stringMatching(/^8:16: unknown key "max_cost"\. Did you mean "max_cost_usd"\?/),
      expect.stringMatching(/^9:1: unknown key "defalt"\. Did you mean "default"\?/),
    ]);
  });

  it.each([
    ["a: { pricing: { input_per_1k: -1, output_per_1k: 1 } }", /^1:31: a: pricing\.input_per_1k must not be negative/],
    ["a: { pricing: { input_per_1k: 1 } }", /^1:15: a: pricing\.output_per_1k is missing/],
    ["a: { pricing: }", /^1:\d+: a: pricing has no value/],
    ["a: { pricing: cheap }", /^1:15: a: pricing must be a mapping/],
    ["a: { budgets: { max_cost_usd: -1 } }", /^1:31: a: budgets\.max_cost_usd must not be negative/],
    ["a: { budgets: { max_cost_usd: .inf } }", /^1:31: a: budgets\.max_cost_usd must be a finite number/],
    ["a: { budgets: { max_cost_usd: } }", /^1:\d+: a: budgets\.max_cost_usd has no value/],
    ["a: { budgets: { max_tokens: 400_000 } }", /^1:29: a: budgets\.max_tokens must be a number, not the string/],
    ["a: { budgets: { hard_timeout_secs: 0 } }", /^1:36: a: budgets\.hard_timeout_secs must be above 0/],
    ["a: { api_name: 4 }", /^1:16: a: api_name must be text, not the number 4: put it in quotes/],
    ["a: { provider: '' }", /^1:16: a: provider is empty/],
    ["a: { base_url: 'localhost:8080' }", /^1:16: a: base_url must be an http or https URL/],
    ["a: { base_url: 'ftp://host/' }", /^1:16: a: base_url must be an http or https URL/],
    ["a: { base_url: 'https://me:secret@host/' }", /^1:16: a: base_url must not contain a user name or a password/],
    [
      "a: { agent_cli: claud }",
      /^1:17: a: agent_cli is "claud", which is not a supported agent\. Did you mean "claude"\?/,
    ],
    ["models:\n  a:\n", /^2:\d+: a: has no value: give it settings, or \{\} for the defaults/],
    ["a: {}\nb: 5", /^2:4: b: must be a mapping/],
    ["models: { a: {} }\ndefault: b", /^2:10: default is "b", which is not a model in this file\. .*Known: a\./],
    ["models: { a: {} }\ndefault: 5", /^2:10: default must be the name of a model, not the number 5/],
    ["a: {}\na: {}", /^2:1: duplicate key/],
    ["a: { provider: ollama, budgets: { max_cost_usd: 0.3 } }", /^1:49: a: .*can never take effect/],
    ["'': {}", /^1:1: a model has an empty name/],
    ["", /^1:1: the file is empty\. Example/],
    ["# nothing\n", /^1:1: the file is empty/],
    ["models: {}", /^1:9: there are no models/],
    ["models:", /^1:\d+: there are no models/],
    ["{}", /^1:1: there are no models/],
    ["- a\n- b", /^1:1: the file must be a mapping of models/],
    ["models:\n  - a", /^2:3: "models" must be a mapping from names to models/],
    ["default: a", /^1:1: "models:" is missing/],
    ["a: [1,\nb: }", /^2:\d+: .*Fix the YAML/],
  ])("%j", async (text, message) => {
    expect((await problems(text))[0]).toMatch(message);
  });

  it.each([
    "sk-live-abcdef",
    "sk_live_abcdef",
    "gsk_Abcdef",
    "AIzaSyAbcdef",
    "MY KEY",
    "aB3dE5gH7jK9mN1pQ3sT5",
    "4KEY",
  ])("treats %j as a key rather than a variable name, and does not show it", async (secret) => {
    const [problem, ...more] = await problems(`a: { api_key_env: '${secret}' }`);
    expect(problem).toMatch(/^1:19: a: api_key_env must be the name of an environment variable/);
    expect(problem).not.toContain(secret);
    expect(more).toEqual([]);
  });

  it("accepts variable names in any case", async () => {
    for (const name of ["OPENAI_API_KEY", "my_team_key_number_2", "_K"])
      expect((await only(`a: { api_key_env: ${name} }`)).apiKeyEnv).toBe(name);
  });

  it("reports all problems at once, in file order, also as data", async () => {
    const text =
      "models:\n  a: { provder: x }\n  b: { provider: ollama, budgets: { max_cost_usd: 1 } }\n  c: { api_name: 1 }\ndefault: d\n";
    const error = await load(text).catch((thrown: unknown) => thrown);
    if (!(error instanceof ModelsFileError)) throw new Error("expected a ModelsFileError");
    expect(error.problems.map(({ line, column }) => [line, column])).toEqual([
      [2, 8],
      [3, 51],
      [4, 18],
      [5, 10],
    ]);
    expect(error.code).toBe("BUDGET");
    expect(error.exitCode).toBe(2);
  });

  it("reports keys that every object inherits", async () => {
    const text = "a: { constructor: 1, __proto__: { provider: x } }";
    expect(await problems(text)).toEqual([
      expect.stringMatching(/^1:6: unknown key "constructor"/),
      expect.stringMatching(/^1:22: unknown key "__proto__"/),
    ]);
  });

  it("survives aliases that expand exponentially", async () => {
    const levels = ["a0: &a0 { x: 1 }"];
    for (let i = 1; i < 12; i++)
      levels.push(
        `a${i}: &a${i} { ${"abcdefghi"
          .split("")
          .map((k) => `${k}: *a${i - 1}`)
          .join(", ")} }`,
      );
    expect((await problems(levels.join("\n")))[0]).toMatch(/^1:1: .*alias/i);
  });

  it("explains why a file cannot be read", async () => {
    const workspace = new TempProject();
    await expect(loadModels(workspace.path("nope.yml"))).rejects.toThrow(
      /models file .*nope\.yml cannot be read: ENOENT/,
    );
    await expect(loadModels(workspace.dir)).rejects.toBeInstanceOf(BudgetError);
  });
});

describe("an effort", () => {
  const load = (effort: string) =>
    loadModels(new TempProject({ "models.yml": `m: { provider: openai, effort: ${effort} }` }).path("models.yml"));

  it.each([
    ["low", "low"],
    ["none", "none"],
    ["4096", 4096],
  ])("is read from %s", async (written, effort) => {
    expect((await load(written)).models.get("m")?.effort).toBe(effort);
  });

  it.each(["lots", "0", "[low]", "true", "-3"])("is refused as %s", async (written) => {
    await expect(load(written)).rejects.toThrow(/m: effort must be none, minimal, low, .* thinking tokens, not/);
  });

  it("is refused without a value", async () => {
    await expect(load("")).rejects.toThrow(/m: effort has no value/);
  });
});
