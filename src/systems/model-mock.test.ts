import { afterEach, describe, expect, it } from "vitest";
import { CostBudget } from "../budget/index.js";
import { TrialError } from "../core/errors.js";
import { DIALECT_NAMES, type DialectName } from "../models/dialects/index.js";
import { type Mock, type MockOptions, startMock } from "../testing/mock/index.js";
import { type ModelOptions, ModelSystem } from "./model.js";

import { makeTrialContext } from "./model-testing.js";

let mock: Mock | null = null;
afterEach(() => mock?.close());

/** A system whose endpoint is the mock. */
async function systemOn(script: MockOptions, options: Partial<ModelOptions> = {}): Promise<ModelSystem> {
  mock = await startMock(script);
  return new ModelSystem({ model: "m", baseUrl: mock.url, ...options });
}

/** They report cache writes by lifetime, and reasoning only as part of the output. */
const WITHOUT_REASONING: readonly DialectName[] = ["anthropic", "bedrock"];

const ask = { id: 1, question: "Where?" };
const reply = "Paris, the capital of France, on the river Seine.";

describe.each(DIALECT_NAMES)("the mock's %s", (dialect) => {
  it.each([true, false])("is read the same with and without streaming (%s)", async (stream) => {
    const usage = {
      input: 40,
      cacheRead: 30,
      reasoning: 6,
      ...(WITHOUT_REASONING.includes(dialect) ? { cacheWrite: 7, cacheWrite1h: 3 } : {}),
    };
    const system = await systemOn({ reply, usage }, { dialect, stream });
    const output = await system.process(ask, makeTrialContext());
    expect(output).toMatchObject({ response: reply, usage: { input: 40, cacheRead: 30 }, turns: 1 });
    expect(output).not.toHaveProperty("partial");
    expect(output).not.toHaveProperty("stopped");
    expect(output.metadata).not.toHaveProperty("problems");
    expect(output.metadata).not.toHaveProperty("unknownEvents");
    if (WITHOUT_REASONING.includes(dialect)) expect(output.usage).toMatchObject({ cacheWrite: 7, cacheWrite1h: 3 });
    else expect(output.usage?.reasoning).toBe(6);
  });

  it.each([
    ["length", "truncated"],
    ["refusal", "refused"],
    ["blocked", "refused"],
  ] as const)("that ends with %s is %s", async (finish, stopped) => {
    const system = await systemOn({ reply, finish }, { dialect });
    expect(await system.process(ask, makeTrialContext())).toMatchObject({ stopped });
  });

  it("that never ends is stopped by its budget", async () => {
    const system = await systemOn({ reply, outputTokens: 20_000, tokensPerSec: 50_000 }, { dialect });
    const budget = new CostBudget({ pricing: { input_per_1k: 0, output_per_1k: 1 }, maxCostUsd: 0.5 });
    const output = await system.process(ask, makeTrialContext({ budget }));
    expect(output).toMatchObject({ stopped: "cost_killed", partial: true });
    expect(budget.costKilledAt).toBeLessThan(5);
  });
});

const EARLY = { category: "api_error", isAgain: true };

describe.each([
  ["401", { category: "api_error", isAgain: false }],
  ["404", { category: "api_error", isAgain: false }],
  ["429", { category: "rate_limit", isAgain: true }],
  ["500", EARLY],
  ["503", EARLY],
  ["529", { category: "rate_limit", isAgain: true }],
  ["html", { category: "api_error", isAgain: false }],
  ["disconnect", EARLY],
  ["cut", { category: "api_error", isAgain: false }],
  ["early-end", { category: "api_error", isAgain: false }],
  ["malformed", { category: "api_error", isAgain: null }],
  ["invalid-utf8", { category: "api_error", isAgain: null }],
  ["huge-line", { category: "api_error", isAgain: null }],
  ["slow-loris", { category: "timeout", isAgain: null }],
  ["hang", { category: "timeout", isAgain: true }],
  ["error-event", { category: null, isAgain: null }],
] as const)("the fault %s", (kind, { category, isAgain }) => {
  it.each(DIALECT_NAMES)("is reported in %s", async (dialect: DialectName) => {
    const system = await systemOn(
      { reply, faults: [{ kind, ...(kind === "huge-line" ? { bytes: 20_000_000 } : {}) }] },
      { dialect, timeoutMs: kind === "slow-loris" || kind === "hang" ? 1500 : 120_000 },
    );
    const error: unknown = await system.process(ask, makeTrialContext()).then(
      () => null,
      (reason: unknown) => reason,
    );
    expect(error).toBeInstanceOf(TrialError);
    const { retry, message, ...rest } = error as TrialError;
    expect(message).toMatch(/127\.0\.0\.1:\d+/);
    if (category !== null) expect(rest.category).toBe(category);
    if (isAgain !== null) expect(retry !== undefined).toBe(isAgain);
    else expect(retry === undefined).toBe(rest.spent !== undefined);
  });
});

describe("an empty answer", () => {
  it.each(["chat", "gemini"] as const)("is an error in %s if it has no finish reason", async (dialect) => {
    const system = await systemOn({ reply, faults: [{ kind: "empty" }] }, { dialect });
    await expect(system.process(ask, makeTrialContext())).rejects.toMatchObject({
      message: expect.stringMatching(/answered with no choices|ended its stream without an answer/),
      retry: { afterMs: null },
    });
  });

  it.each(["responses", "anthropic"] as const)("is an empty text in %s if it has a finish reason", async (dialect) => {
    const system = await systemOn({ reply, faults: [{ kind: "empty" }] }, { dialect });
    expect(await system.process(ask, makeTrialContext())).toMatchObject({ response: "" });
  });
});
