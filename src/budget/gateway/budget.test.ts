import { afterEach, describe, expect, it } from "vitest";
import { dialects, GATEWAY_DIALECT_NAMES, type GatewayDialectName } from "../../models/dialects/index.js";
import { type MockOptions, startMock } from "../../testing/mock/index.js";
import { type GatewayOptions, startGateway } from "./index.js";
import {
  buildTestRequest,
  buildTestUrl,
  Closers,
  parseSseEvents,
  sendTestRequest,
  startTestGateway,
} from "./scripted-upstream.js";

const closers = new Closers();
afterEach(() => closers.closeAll());

async function setUp(script: MockOptions, options: GatewayOptions) {
  const mock = closers.add(await startMock(script));
  return { mock, ...closers.add(await startTestGateway(mock.url, options)) };
}

/** An answer that takes ten seconds, and a budget for a fortieth of it. */
const LONG: MockOptions = { outputTokens: 20_000, usage: { input: 10 }, tokensPerSec: 2000, chunkTokens: 5 };
const SMALL = { maxCostUsd: 0.0006 };

const ERRORS: Readonly<Record<GatewayDialectName, unknown>> = {
  chat: { error: { type: "insufficient_quota", message: expect.stringContaining("$0.0006") } },
  responses: { type: "response.failed", response: { error: { code: "insufficient_quota" } } },
  anthropic: { type: "error", error: { type: "billing_error" } },
  gemini: { error: { code: 400, status: "FAILED_PRECONDITION" } },
};

describe("a spent budget", () => {
  it.each(GATEWAY_DIALECT_NAMES)("cuts off a stream of %s and sends its client an error", async (name) => {
    let exceeded = 0;
    const { mock, gateway, finished } = await setUp(LONG, { budget: SMALL, onExceeded: () => (exceeded += 1) });
    const { status, text } = await sendTestRequest(gateway, name, true);
    expect(status).toBe(200);
    expect(parseSseEvents(text).at(-1)).toMatchObject(ERRORS[name] as object);
    const reader = dialects[name].reader();
    for (const event of parseSseEvents(text)) reader.readEvent(event);
    expect(reader.error?.message).toContain("the budget of $0.0006 is spent");
    const receipt = gateway.receipt();
    expect(receipt).toMatchObject({ cut: 1, answered: 0, exceeded: true });
    expect(receipt.costKilledAt).toBeGreaterThan(0.0006);
    expect(receipt.totalUsd).toBeLessThan(0.0009);
    expect(finished).toMatchObject([{ ending: "cut" }]);
    expect(exceeded).toBe(1);
    await expect.poll(() => mock.requests[0]?.aborted).toBe(true);
  });

  it("continues the event numbers of Responses", async () => {
    const { gateway } = await setUp(LONG, { budget: SMALL });
    const events = parseSseEvents((await sendTestRequest(gateway, "responses", true)).text) as {
      type: string;
      sequence_number: number;
    }[];
    expect(events.slice(-2).map(({ type }) => type)).toEqual(["error", "response.failed"]);
    expect(events.map((event) => event.sequence_number)).toEqual(events.map((_, index) => index));
  });

  it.each(GATEWAY_DIALECT_NAMES)(
    "answers further requests of %s at once, with an error that clients do not retry",
    async (name) => {
      const { mock, gateway } = await setUp({ outputTokens: 1000 }, { budget: SMALL });
      await sendTestRequest(gateway, name, false);
      for (const stream of [true, false]) {
        const { status, headers, text } = await sendTestRequest(gateway, name, stream);
        expect(status).toBe(400);
        expect(headers.get("x-should-retry")).toBe("false");
        expect(dialects[name].errorIn(JSON.parse(text))?.message).toMatch(/budget of \$0\.0006 is spent/);
      }
      expect((await fetch(`${gateway.url}/openai/v1/models`)).status).toBe(400);
      expect(mock.counts.requests).toBe(1);
      expect(gateway.receipt()).toMatchObject({ requests: 4, answered: 1, refused: 3 });
    },
  );

  it("lets a paid answer through, even if it exceeded the budget", async () => {
    const { gateway } = await setUp({ outputTokens: 1000 }, { budget: { maxCostUsd: 0.000001 } });
    const { status, text } = await sendTestRequest(gateway, "chat", false);
    expect(status).toBe(200);
    expect(JSON.parse(text)).toHaveProperty("choices");
    expect(gateway.receipt()).toMatchObject({ answered: 1, cut: 0, exceeded: true });
  });

  it("cuts off all other streams too, including those that have not started", async () => {
    const { gateway } = await setUp(
      {
        ...LONG,
        tokensPerSec: 500,
        models: { late: { latencyMs: 60_000 }, fast: { outputTokens: 2000, tokensPerSec: 1e6 } },
      },
      { budget: { maxCostUsd: 0.002 } },
    );
    const slow = GATEWAY_DIALECT_NAMES.map((name) => sendTestRequest(gateway, name, true, "slow"));
    const late = sendTestRequest(gateway, "chat", true, "late");
    await expect.poll(() => gateway.receipt().usage.output).toBeGreaterThan(0);
    await sendTestRequest(gateway, "chat", false, "fast");
    const answers = await Promise.all(slow);
    for (const { text } of answers) expect(text).toContain("the budget of $0.002 is spent");
    expect((await late).status).toBe(400);
    expect(gateway.receipt()).toMatchObject({ cut: 5, answered: 1 });
  });

  it("is spent when it is exceeded, not when it is reached", async () => {
    const { gateway } = await setUp({ outputTokens: 1000, usage: { input: 0 } }, { budget: { maxCostUsd: 0.0012 } });
    await sendTestRequest(gateway, "chat", false);
    expect(gateway.receipt()).toMatchObject({ totalUsd: 0.0012, exceeded: false, costKilledAt: 0 });
    expect((await sendTestRequest(gateway, "chat", true)).text).toContain("is spent");
  });

  it("can be a number of tokens, for models without a price", async () => {
    const { gateway } = await setUp(LONG, { budget: { maxTokens: 500 }, priceOf: () => null });
    expect((await sendTestRequest(gateway, "anthropic", true)).text).toContain("the budget of 500 tokens is spent");
    expect(gateway.receipt()).toMatchObject({ exceeded: true, maxTokens: 500, maxCostUsd: null });
  });

  it("of 0 dollars only counts", async () => {
    const { gateway } = await setUp({ outputTokens: 1000 }, { budget: { maxCostUsd: 0 }, priceOf: () => null });
    expect((await sendTestRequest(gateway, "chat", true)).status).toBe(200);
    expect(gateway.receipt()).toMatchObject({ answered: 1, exceeded: false });
  });

  it.each([{ maxCostUsd: -1 }, { maxCostUsd: Number.NaN }, { maxTokens: 0 }, { maxTokens: 1.5 }])(
    "cannot be %o",
    async (budget) => {
      await expect(startGateway({ budget })).rejects.toThrow(/must be/);
    },
  );
});

describe("a model without a price", () => {
  it.each(GATEWAY_DIALECT_NAMES)("is refused before anything is spent under a dollar budget, in %s", async (name) => {
    const { mock, gateway } = await setUp({}, { budget: SMALL, priceOf: () => null });
    const response = await fetch(
      buildTestUrl(gateway, name, true, "odd-model"),
      buildTestRequest(name, true, "odd-model"),
    );
    expect(response.status).toBe(400);
    const error = dialects[name].errorIn(await response.json());
    expect(error?.message).toMatch(/"odd-model" is unknown.*--models/);
    expect(mock.counts.requests).toBe(0);
    expect(gateway.receipt()).toMatchObject({ refused: 1, unknownModels: ["odd-model"], totalUsd: 0 });
  });
});
