import { afterEach, describe, expect, it } from "vitest";
import { CostBudget, createPrice } from "../budget/index.js";
import { UsageError } from "../core/errors.js";
import type { DialectName } from "../models/dialects/index.js";
import { type Mock, startMock } from "../testing/mock/index.js";
import { ModelSystem } from "./model.js";
import { DONE, formatEvent, makeTrialContext, openModelFixture, startStream } from "./model-testing.js";

const fixture = openModelFixture();
let mock: Mock | null = null;
afterEach(async () => {
  await mock?.close();
  await fixture.close();
});

const TIER = { input_per_1k: 1, output_per_1k: 1 };
const PRICE = createPrice({ input_per_1k: 2, output_per_1k: 2, flex: TIER, priority: TIER }, "test");
const LIMITS = { price: PRICE, maxCostUsd: 100, hardTimeoutMs: null };
const ASK = { id: 1, question: "Where?" };

const CASES: [DialectName, "flex" | "priority"][] = [
  ["chat", "flex"],
  ["chat", "priority"],
  ["responses", "flex"],
  ["responses", "priority"],
  ["anthropic", "priority"],
  ["gemini", "flex"],
  ["gemini", "priority"],
  ["bedrock", "flex"],
  ["bedrock", "priority"],
];

describe.each(CASES)("%s with the service tier %s", (dialect, serviceTier) => {
  it.each([true, false])("asks for it, and is billed at its price (streamed: %s)", async (stream) => {
    mock = await startMock({ reply: "Paris", usage: { input: 998 }, keepBodies: true });
    const system = new ModelSystem({ model: "m", baseUrl: mock.url, dialect, stream, serviceTier, limits: LIMITS });
    expect(system.limits?.price).toMatchObject({ service: serviceTier, input: 1e9 });
    const budget = new CostBudget({ price: system.limits?.price ?? null });
    const { metadata } = await system.process(ASK, makeTrialContext({ budget }));
    await system.close();
    expect(mock.requests[0]?.body).toMatchObject(
      dialect === "bedrock"
        ? { serviceTier: { type: serviceTier } }
        : { service_tier: dialect === "anthropic" ? "auto" : serviceTier },
    );
    expect(metadata).toMatchObject({ serviceTier });
    expect(budget.bill.costUsd).toBe(1);
  });
});

describe("a service tier", () => {
  it("that the answer reports decides the price", async () => {
    const server = await fixture.serve((_, response) => {
      const usage = { prompt_tokens: 998, completion_tokens: 2 };
      startStream(response).end(
        formatEvent({ service_tier: "default", choices: [{ delta: { content: "Paris" }, finish_reason: "stop" }] }) +
          formatEvent({ service_tier: "default", choices: [], usage }) +
          DONE,
      );
    });
    const system = fixture.system(server, { serviceTier: "priority", limits: LIMITS });
    const budget = new CostBudget({ price: system.limits?.price ?? null });
    const { metadata } = await system.process(ASK, makeTrialContext({ budget }));
    expect(metadata).toMatchObject({ serviceTier: "standard" });
    expect(budget.bill.costUsd).toBe(2);
  });

  it("is read from Gemini's header", async () => {
    const server = await fixture.serve((_, response) => {
      response.writeHead(200, { "content-type": "application/json", "x-gemini-service-tier": "standard" });
      response.end(
        JSON.stringify({
          candidates: [{ content: { parts: [{ text: "Paris" }] }, finishReason: "STOP" }],
          usageMetadata: { promptTokenCount: 998, candidatesTokenCount: 2 },
        }),
      );
    });
    const system = fixture.system(server, { dialect: "gemini", stream: false, serviceTier: "flex", limits: LIMITS });
    const budget = new CostBudget({ price: system.limits?.price ?? null });
    await system.process(ASK, makeTrialContext({ budget }));
    expect(budget.bill.costUsd).toBe(2);
  });

  it("is an error if the endpoint rejects it: without it the price would differ", async () => {
    const server = await fixture.serve((_, response) => {
      response.writeHead(400, { "content-type": "application/json" });
      response.end(
        JSON.stringify({ error: { message: "Unsupported parameter: service_tier", param: "service_tier" } }),
      );
    });
    const system = fixture.system(server, { serviceTier: "flex" });
    await expect(system.process(ASK, makeTrialContext())).rejects.toThrow("Unsupported parameter: service_tier");
  });

  it("without a price leaves no limit in dollars", () => {
    const limits = { ...LIMITS, price: createPrice({ input_per_1k: 2, output_per_1k: 2 }, "test") };
    const system = new ModelSystem({ model: "m", baseUrl: "http://127.0.0.1:1", serviceTier: "priority", limits });
    expect(system.limits).toMatchObject({ price: null, maxCostUsd: null });
  });

  it("that the API format does not have is refused", () => {
    const open = () =>
      new ModelSystem({ model: "m", baseUrl: "http://127.0.0.1:1", dialect: "anthropic", serviceTier: "flex" });
    expect(open).toThrow(UsageError);
    expect(open).toThrow('The API format anthropic has no service tier "flex". Use priority, or leave it out.');
  });

  it("is part of the fingerprint, which is as before without one", () => {
    const base = { model: "m", baseUrl: "http://127.0.0.1:1" };
    const [plain, flex] = [new ModelSystem(base), new ModelSystem({ ...base, serviceTier: "flex" as const })];
    expect(flex.fingerprint()).toMatchObject({ serviceTier: "flex" });
    expect(JSON.stringify(plain.fingerprint())).not.toContain("serviceTier");
  });
});
