import { afterEach, describe, expect, it } from "vitest";
import { UsageError } from "../core/errors.js";
import type { Effort } from "../core/index.js";
import type { DialectName } from "../models/dialects/index.js";
import { type Mock, type MockOptions, startMock } from "../testing/mock/index.js";
import { type ModelOptions, type ModelQuestion, ModelSystem } from "./model.js";
import { makeTrialContext } from "./model-testing.js";

let mock: Mock | null = null;
afterEach(() => mock?.close());

async function systemOn(script: MockOptions, options: Partial<ModelOptions> = {}): Promise<ModelSystem> {
  mock = await startMock({ keepBodies: true, reply: "Paris", ...script });
  return new ModelSystem({ name: "it", model: "m", baseUrl: mock.url, ...options });
}

const ask = { id: 1, question: "Where?", answer: "Paris" };

async function process(system: ModelSystem) {
  const notes: string[] = [];
  const output = await system.process(ask, makeTrialContext({ log: (note) => void notes.push(note) }));
  return { output, notes, body: (mock?.requests.at(-1)?.body ?? {}) as Record<string, unknown> };
}

const VERDICT: ModelQuestion = {
  messages: [{ role: "user", parts: ["Is it right?"] }],
  answer: {
    name: "verdict",
    schema: { type: "object", properties: { ok: { type: "boolean" } }, required: ["ok"], additionalProperties: false },
  },
};

/** What each of these models rejects, and the request that would be rejected. */
const PROFILES: [string, DialectName, string, Partial<ModelOptions>][] = [
  ["gpt-6-luna", "chat", "temperature", { temperature: 0 }],
  ["gpt-6-luna", "responses", "temperature", { temperature: 0 }],
  ["openai/gpt-5-mini-2025-08-07", "chat", "max_tokens", { maxTokens: 50 }],
  ["claude-opus-5-5", "anthropic", "temperature", { temperature: 0 }],
  ["claude-opus-5-5", "anthropic", "top_p", { extraBody: { top_p: 0.5 } }],
];

describe.each(PROFILES)("%s in %s, which rejects %s", (model, dialect, refused, options) => {
  it("is never sent it", async () => {
    const { output, body } = await process(await systemOn({ refuses: [refused] }, { model, dialect, ...options }));
    expect(output.response).toBe("Paris");
    expect(mock?.counts.byStatus).toEqual({ "200": 1 });
    expect(body).not.toHaveProperty(refused);
  });

  it("is sent it once under a name that is not known", async () => {
    await process(await systemOn({ refuses: [refused] }, { model: "my-model", dialect, ...options }));
    expect(mock?.counts.byStatus).toEqual({ "200": 1, "400": 1 });
  });
});

it("notes what a known model is not sent", async () => {
  const { notes } = await process(await systemOn({}, { model: "gpt-6-luna", temperature: 0 }));
  expect(notes).toEqual(["sent without temperature, which the model gpt-6-luna rejects"]);
});

it("sends a temperature to a model of OpenAI that does not think", async () => {
  const { body } = await process(await systemOn({}, { model: "gpt-6-luna", temperature: 0, effort: "none" }));
  expect(body).toMatchObject({ temperature: 0, reasoning_effort: "none" });
});

describe("structured output", () => {
  it("is not requested from a model without it", async () => {
    const system = await systemOn({ refuses: ["response_format"] }, { model: "gpt-4o-2024-05-13" });
    await system.ask(VERDICT, new AbortController().signal);
    expect(mock?.counts.byStatus).toEqual({ "200": 1 });
    expect(mock?.requests[0]?.body).not.toHaveProperty("response_format");
  });

  it("is requested from all others, without a forced tool", async () => {
    const known = await systemOn({ refuses: ["tool_choice"] }, { model: "claude-sonnet-5-5", dialect: "anthropic" });
    await known.ask(VERDICT, new AbortController().signal);
    expect(mock?.requests[0]?.body).toMatchObject({ output_config: { format: { type: "json_schema" } } });
    expect(mock?.counts.byStatus).toEqual({ "200": 1 });
  });

  it("is tried with a forced tool, then without, by an unknown model that rejects both", async () => {
    const script = { refuses: ["output_config", "tool_choice"] };
    const system = await systemOn(script, { model: "my-claude", dialect: "anthropic" });
    await system.ask(VERDICT, new AbortController().signal);
    expect(mock?.counts.byStatus).toEqual({ "200": 1, "400": 2 });
  });
});

describe("the output limit", () => {
  it("is at most what the model can write, with a note", async () => {
    const { body, notes } = await process(await systemOn({}, { model: "gpt-4o", maxTokens: 100_000 }));
    expect(body).toMatchObject({ max_tokens: 16_384 });
    expect(notes).toEqual(["sent with at most 16384 output tokens, the limit of the model gpt-4o"]);
  });

  it("stays as it is below that, and for an unknown model", async () => {
    expect((await process(await systemOn({}, { model: "gpt-4o", maxTokens: 100 }))).body).toMatchObject({
      max_tokens: 100,
    });
    await mock?.close();
    expect((await process(await systemOn({}, { maxTokens: 1e6 }))).body).toMatchObject({ max_tokens: 1e6 });
  });
});

const EFFORTS: [DialectName, string, Effort, { options?: Partial<ModelOptions>; sent: object }][] = [
  ["chat", "gpt-6-luna", "low", { sent: { reasoning_effort: "low" } }],
  ["chat", "unknown", "minimal", { sent: { reasoning_effort: "minimal" } }],
  [
    "chat",
    "openai/gpt-6-luna",
    "high",
    { options: { provider: "openrouter" }, sent: { reasoning: { effort: "high" } } },
  ],
  ["chat", "any/model", 2000, { options: { provider: "openrouter" }, sent: { reasoning: { max_tokens: 2000 } } }],
  ["responses", "gpt-6-luna", "none", { sent: { reasoning: { effort: "none" } } }],
  [
    "anthropic",
    "claude-opus-5-5",
    "max",
    { sent: { output_config: { effort: "max" }, thinking: { type: "adaptive" }, max_tokens: 32_000 } },
  ],
  ["anthropic", "claude-haiku-4-5", "none", { sent: { thinking: { type: "disabled" }, max_tokens: 4096 } }],
  [
    "anthropic",
    "claude-haiku-4-5",
    2048,
    { sent: { thinking: { type: "enabled", budget_tokens: 2048 }, max_tokens: 2048 + 4096 } },
  ],
  ["gemini", "gemini-3.8-flash", "low", { sent: { generationConfig: { thinkingConfig: { thinkingLevel: "low" } } } }],
  ["gemini", "gemini-2.5-pro", 512, { sent: { generationConfig: { thinkingConfig: { thinkingBudget: 512 } } } }],
  ["gemini", "gemini-2.5-flash", "none", { sent: { generationConfig: { thinkingConfig: { thinkingBudget: 0 } } } }],
];

describe("an effort", () => {
  it.each(EFFORTS)("is sent in %s to %s as %s", async (dialect, model, effort, { options = {}, sent }) => {
    const script = { efforts: { [effort]: { reply: `with ${effort}`, usage: { reasoning: 7 } } } };
    const system = await systemOn(script, { dialect, model, effort, ...options });
    expect(system.effort).toBe(effort);
    const { output, body } = await process(system);
    expect(body).toMatchObject(sent);
    expect(output.response).toBe(`with ${effort}`);
    // Anthropic does not report them apart.
    if (dialect !== "anthropic") expect(output.usage?.reasoning).toBe(7);
  });

  it("without adaptive thinking for the one model that has effort without it", async () => {
    const { body } = await process(
      await systemOn({}, { dialect: "anthropic", model: "claude-opus-4-5", effort: "low" }),
    );
    expect(body).toMatchObject({ output_config: { effort: "low" } });
    expect(body).not.toHaveProperty("thinking");
  });

  it("goes together with structured output", async () => {
    const system = await systemOn({}, { dialect: "anthropic", model: "claude-opus-5-5", effort: "low" });
    await system.ask(VERDICT, new AbortController().signal);
    expect(mock?.requests[0]?.body).toMatchObject({ output_config: { effort: "low", format: {} } });
  });

  it.each([
    ["chat", "gpt-6-luna", "minimal", { text: /does not support the effort minimal\. Use one of: none, low/ }],
    ["chat", "unknown", 4096, { text: /The API format chat takes no number of thinking tokens as effort/ }],
    ["responses", "unknown", 4096, { text: /The API format responses takes no number/ }],
    ["anthropic", "claude-haiku-4-5", "low", { text: /Use one of: none, a number of thinking tokens from 1024/ }],
    [
      "anthropic",
      "claude-haiku-4-5",
      2048,
      { options: { maxTokens: 1000 }, text: /leaves nothing for an answer of at most 1000 tokens/ },
    ],
    ["chat", "m", "lots" as Effort, { text: /effort must be none, minimal, low/ }],
  ] as const)(
    "that cannot work is refused before anything is sent: %s, %s, %s",
    (dialect, model, effort, { text, ...more }) => {
      const open = () =>
        new ModelSystem({
          baseUrl: "http://127.0.0.1:1",
          dialect,
          model,
          effort,
          ...("options" in more ? more.options : {}),
        });
      expect(open).toThrow(UsageError);
      expect(open).toThrow(text);
    },
  );

  it("is an error if the endpoint rejects it: without it, it would be another system", async () => {
    const system = await systemOn({ refuses: ["reasoning_effort"] }, { effort: "low" });
    await expect(process(system)).rejects.toThrow(/answered 400.*reasoning_effort/);
    expect(mock?.requests).toHaveLength(1);
  });

  it("is part of the fingerprint, which is as before without one", () => {
    const base = { model: "m", baseUrl: "http://127.0.0.1:1" };
    expect(new ModelSystem({ ...base, effort: "low" }).fingerprint()).toMatchObject({ effort: "low" });
    expect(JSON.stringify(new ModelSystem(base).fingerprint())).not.toContain("effort");
  });
});

describe("the model that answers", () => {
  it("is noted if it is another one", async () => {
    const { notes } = await process(await systemOn({ answersAs: "gpt-6-luna" }, { model: "gpt-4o" }));
    expect(notes).toEqual(["another model: requested gpt-4o, but gpt-6-luna answered"]);
  });

  it.each(["gpt-4o-2024-11-20", "gpt-4o"])("is not noted as %s", async (answersAs) => {
    expect((await process(await systemOn({ answersAs }, { model: "gpt-4o" }))).notes).toEqual([]);
  });
});
