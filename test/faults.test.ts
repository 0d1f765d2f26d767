import fc from "fast-check";
import { describe, expect, it, onTestFinished } from "vitest";
import { AnswerQuality, type EvalRow, evaluate, type Limits, ModelSystem, OUTCOMES } from "../src/index.js";
import { CostBudget, createPrice, startGateway } from "../src/public/models.js";
import { type MockOptions, startMock } from "../src/testing/mock/index.js";

const PRICE = createPrice({ input_per_1k: 0.0003, output_per_1k: 0.0012, cache_read_per_1k: 0.00003 }, "test");
const LIMITS: Limits = { price: PRICE, maxCostUsd: 0.05, hardTimeoutMs: 60_000 };
const pico = (usd: number) => Math.round(usd * 1e12);

const sums = (count: number) =>
  Array.from({ length: count }, (_, id) => ({ id, question: `What is ${id} + ${id}?`, answer: String(2 * id) }));

async function mockOf(script: MockOptions) {
  const mock = await startMock(script);
  onTestFinished(() => mock.close());
  return mock;
}

function modelAt(baseUrl: string, model = "m", stream = true): ModelSystem {
  const system = new ModelSystem({ name: model, model, baseUrl, limits: LIMITS, stream });
  onTestFinished(() => system.close());
  return system;
}

/** Number of calls of a row. */
const callsOf = ({ outcome, attempts }: EvalRow) => attempts.length + (outcome === "error" ? 0 : 1);

describe("an endpoint that fails every tenth time", () => {
  it("loses no trial and no request: each has exactly one outcome, and each call is on a row", {
    timeout: 120_000,
  }, async () => {
    const kinds = ["429", "500", "cut", "malformed", "error-event", "disconnect"] as const;
    const faults = kinds.map((kind) => ({ kind, rate: 0.02 }));
    const mock = await mockOf({ reply: "echo", outputTokens: 12, seed: 7, faults, keepRequests: 0 });
    const { rows, summary } = await evaluate({
      systems: [modelAt(`${mock.url}/v1`)],
      dataset: sums(2000),
      evaluators: [new AnswerQuality()],
      maxWorkers: 64,
    });
    expect(rows).toHaveLength(2000);
    expect(new Set(rows.map(({ exampleId }) => exampleId)).size).toBe(2000);
    const counts = OUTCOMES.map((outcome) => rows.filter((row) => row.outcome === outcome).length);
    expect(counts.reduce((sum, count) => sum + count)).toBe(2000);
    expect(summary.m).toMatchObject({ num_planned: 2000, num_skipped: 0, num_unscored: 0 });
    expect(Object.values(mock.counts.byFault).reduce((sum, count) => sum + count, 0)).toBeGreaterThan(120);
    const calls = rows.reduce((sum, row) => sum + callsOf(row), 0);
    expect(calls).toBe(mock.counts.requests);
    // Calls that failed before any output were retried, so only truncated answers are left.
    for (const row of rows.filter(({ outcome }) => outcome === "error")) expect(row.attempts.length).toBeGreaterThan(0);
    expect(summary.m?.coverage).toBeGreaterThan(0.93);
  });

  it("is called once per trial without retries", async () => {
    const mock = await mockOf({ reply: "echo", seed: 7, faults: [{ kind: "disconnect", every: 10 }], keepRequests: 0 });
    const { rows } = await evaluate({
      systems: [modelAt(`${mock.url}/v1`)],
      dataset: sums(200),
      evaluators: [new AnswerQuality()],
      retry: { maxRetries: 0 },
    });
    expect(rows.map(callsOf)).toEqual(rows.map(() => 1));
    expect(mock.counts.requests).toBe(200);
    expect(rows.filter(({ outcome }) => outcome === "error")).toHaveLength(20);
  });
});

describe("the gateway's receipt", () => {
  it("equals the sum over the rows, to the pico-dollar", async () => {
    const usage = { cacheRead: 7 };
    const mock = await mockOf({ reply: "echo", usage, outputTokens: 25, faults: [{ kind: "500", rate: 0.1 }] });
    const gateway = await startGateway({ upstreams: { openai: `${mock.url}/v1` }, priceOf: () => PRICE });
    onTestFinished(() => gateway.close());
    const baseUrl = gateway.env.OPENAI_BASE_URL ?? "";
    const { rows } = await evaluate({
      systems: [modelAt(baseUrl, "a"), modelAt(baseUrl, "b")],
      dataset: sums(60),
      evaluators: [new AnswerQuality()],
    });
    const receipt = gateway.receipt();
    const billed = rows.reduce((sum, { costUsd }) => sum + pico(costUsd ?? 0), 0);
    expect(billed).toBeGreaterThan(0);
    expect(pico(receipt.totalUsd)).toBe(billed);
    const tokens = rows.reduce((sum, { usage: used }) => sum + (used?.input ?? 0) + (used?.output ?? 0), 0);
    expect(receipt.byModel.reduce((sum, line) => sum + line.usage.input + line.usage.output, 0)).toBe(tokens);
  });
});

describe("an endpoint with every kind of fault, behind the gateway", () => {
  const KINDS = ["html", "malformed", "disconnect", "cut", "early-end", "error-event", "empty", "500", "429"] as const;

  it.each([true, false])(
    "is called as often as the receipt says, and billed like the rows, streamed: %s",
    async (stream) => {
      const faults = KINDS.map((kind) => ({ kind, rate: 0.05 }));
      const mock = await mockOf({ reply: "echo", outputTokens: 12, seed: 3, faults, keepRequests: 0 });
      const gateway = await startGateway({ upstreams: { openai: `${mock.url}/v1` }, priceOf: () => PRICE });
      onTestFinished(() => gateway.close());
      const { rows } = await evaluate({
        systems: [modelAt(gateway.env.OPENAI_BASE_URL ?? "", "m", stream)],
        dataset: sums(300),
        evaluators: [new AnswerQuality()],
        maxWorkers: 32,
      });
      const { byFault } = mock.counts;
      for (const kind of ["html", "malformed", "disconnect"]) expect(byFault[kind]).toBeGreaterThan(0);
      const receipt = gateway.receipt();
      expect(receipt.requests).toBe(mock.counts.requests);
      expect(receipt.answered + receipt.failed).toBe(mock.counts.requests);
      expect(rows.reduce((sum, { costUsd }) => sum + pico(costUsd ?? 0), 0)).toBe(receipt.totalPico);
      const [, secret = ""] = new URL(gateway.url).pathname.split("/");
      const shown = JSON.stringify([rows, receipt]);
      expect(shown).toContain("/[secret]/openai/v1/chat/completions");
      expect(shown).not.toContain(secret);
    },
  );
});

describe("trials that reach their own caps, behind the gateway", () => {
  const caps = fc.integer({ min: 1, max: 60 });
  const lengths = fc.integer({ min: 1, max: 80 });
  const quirks = fc.constantFrom<MockOptions>({}, { usageQuirk: "missing" }, { usageQuirk: "cumulative" });

  it("are billed what the receipt says, to the pico-dollar, at any cap", { timeout: 120_000 }, async () => {
    await fc.assert(
      fc.asyncProperty(caps, lengths, quirks, async (capMicros, outputTokens, quirk) => {
        const mock = await startMock({ reply: "echo", outputTokens, keepRequests: 0, ...quirk });
        const gateway = await startGateway({ upstreams: { openai: `${mock.url}/v1` }, priceOf: () => PRICE });
        const limits = { ...LIMITS, maxCostUsd: capMicros / 1e6 };
        const baseUrl = gateway.env.OPENAI_BASE_URL ?? "";
        const system = new ModelSystem({ name: "m", model: "m", baseUrl, limits });
        const { rows } = await evaluate({ systems: [system], dataset: sums(6), evaluators: [new AnswerQuality()] });
        const { totalPico } = gateway.receipt();
        await Promise.all([system.close(), gateway.close(), mock.close()]);
        expect(rows.reduce((sum, { costUsd }) => sum + pico(costUsd ?? 0), 0)).toBe(totalPico);
      }),
      { numRuns: 30 },
    );
  });
});

describe("bill", () => {
  const usages = fc.array(
    fc.record({ input: fc.nat(5000), output: fc.nat(2000), cacheRead: fc.nat(5000), cacheWrite: fc.nat(300) }),
    { minLength: 1, maxLength: 60 },
  );

  it("never exceeds its cap by more than one event if the client stops when told", () => {
    fc.assert(
      fc.property(usages, fc.integer({ min: 1, max: 40_000 }), (events, capMicros) => {
        const maxCostUsd = capMicros / 1e6;
        const budget = new CostBudget({ price: PRICE, maxCostUsd });
        const alone = (usage: (typeof events)[number]) => new CostBudget({ price: PRICE }).add(usage).costUsd;
        let largest = 0;
        for (const usage of events) {
          largest = Math.max(largest, pico(alone(usage)));
          if (budget.add(usage).exceeded) break;
        }
        expect(pico(budget.bill.costUsd)).toBeLessThanOrEqual(pico(maxCostUsd) + largest);
      }),
    );
  });
});
