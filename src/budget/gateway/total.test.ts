import { afterEach, describe, expect, it } from "vitest";
import { GATEWAY_DIALECT_NAMES } from "../../models/dialects/index.js";
import { type MockOptions, startMock } from "../../testing/mock/index.js";
import type { Gateway, GatewayOptions, GatewayTotal } from "./index.js";
import {
  buildTestRequest,
  buildTestUrl,
  Closers,
  formatSse,
  sendTestRequest,
  startScriptedUpstream,
  startTestGateway,
  TEST_PRICE,
} from "./scripted-upstream.js";

const closers = new Closers();
afterEach(() => closers.closeAll());

/** A gateway that compares both totals at every change. */
async function setUp(script: MockOptions, options: GatewayOptions = {}) {
  const mock = closers.add(await startMock(script));
  const seen: GatewayTotal[] = [];
  const onSpend = () => {
    expectSame(before.gateway);
    seen.push(before.gateway.total());
  };
  const before = closers.add(await startTestGateway(mock.url, { ...options, onSpend }));
  return { mock, seen, ...before };
}

function expectSame(gateway: Gateway): void {
  const { usage, costUsd, isEstimated } = gateway.total();
  const receipt = gateway.receipt();
  expect(usage).toEqual(receipt.usage);
  const isUnpriced = receipt.byModel.some(({ unpriced }) => unpriced);
  expect(costUsd).toBe(isUnpriced ? null : receipt.totalUsd);
  expect(isEstimated || isUnpriced).toBe(receipt.partial);
}

const PACED: MockOptions = {
  outputTokens: 60,
  tokensPerSec: 3000,
  chunkTokens: 2,
  usage: { input: 100, cacheRead: 7 },
};

/** Answers too slow to wait for. */
const SLOW = { a: { tokensPerSec: 20 }, b: { tokensPerSec: 20 } };

describe("total", () => {
  it("is zero before the first event", async () => {
    const { gateway } = await setUp({});
    const usage = { input: 0, output: 0, cacheRead: 0, cacheWrite: 0, cacheWrite1h: 0, reasoning: 0 };
    expect(gateway.total()).toEqual({ usage, costUsd: 0, isEstimated: false, costSource: "priced" });
  });

  it.each(GATEWAY_DIALECT_NAMES)("is reported with every event of %s and matches the receipt", async (name) => {
    const { seen, gateway, mock } = await setUp(PACED);
    await sendTestRequest(gateway, name, true);
    expect(seen.length).toBeGreaterThan(10);
    expect(seen[5]?.usage.output).toBeGreaterThan(seen[2]?.usage.output ?? Number.POSITIVE_INFINITY);
    expect(gateway.total().usage).toMatchObject({ ...mock.requests[0]?.usage });
    expect(gateway.total()).toMatchObject({ isEstimated: false, costSource: "priced" });
  });

  it("matches the receipt with many concurrent streams of several models, some left early", async () => {
    const { seen, gateway } = await setUp(
      { ...PACED, models: SLOW },
      { priceOf: (model) => (model === "odd" ? null : TEST_PRICE) },
    );
    const leave = async (model: string) => {
      const response = await fetch(buildTestUrl(gateway, "chat", true, model), buildTestRequest("chat", true, model));
      const reader = response.body?.getReader();
      await reader?.read();
      await reader?.cancel();
    };
    await Promise.all([
      ...GATEWAY_DIALECT_NAMES.map((name) => sendTestRequest(gateway, name, true)),
      leave("a"),
      leave("b"),
    ]);
    await expect.poll(() => gateway.receipt().abandoned).toBe(2);
    expect(gateway.total()).toMatchObject({ isEstimated: true, costSource: "estimated" });
    await sendTestRequest(gateway, "gemini", false, "odd");
    expect(gateway.total()).toMatchObject({ costUsd: null, costSource: "unknown" });
    expect(seen.at(-1)).toEqual(gateway.total());
  });

  it("does not count a model without a price that has not answered", async () => {
    const { gateway, seen } = await setUp({ faults: [{ kind: 404 }] }, { priceOf: () => null });
    await sendTestRequest(gateway, "responses", true);
    expect(gateway.total()).toMatchObject({ costUsd: 0, isEstimated: false });
    expect(seen).toEqual([gateway.total()]);
  });

  it("names the provider as the cost source, and the less certain of two sources", async () => {
    const { gateway } = await setUp({ usage: { cost: 0.5 }, models: { plain: { usage: {} } } });
    await sendTestRequest(gateway, "chat", true);
    expect(gateway.total()).toMatchObject({ costUsd: 0.5, costSource: "provider" });
    await sendTestRequest(gateway, "chat", true, "plain");
    expect(gateway.total().costSource).toBe("priced");
  });

  it("is reported when an answer ends, even without a change", async () => {
    const { gateway, seen } = await setUp({ outputTokens: 3 });
    await sendTestRequest(gateway, "anthropic", false);
    expect(seen.length).toBeGreaterThanOrEqual(2);
    expect(seen.at(-1)).toEqual(seen.at(-2));
  });
});

describe("a limit", () => {
  it("has cut off every stream at the last reported change, when the total matches the receipt", async () => {
    const { gateway, seen } = await setUp(
      { ...PACED, outputTokens: 1000, tokensPerSec: 1000 },
      { budget: { maxCostUsd: 0.0006 }, onExceeded: () => order.push("exceeded") },
    );
    const order: string[] = [];
    await Promise.all(GATEWAY_DIALECT_NAMES.map((name) => sendTestRequest(gateway, name, true)));
    expect(order).toEqual(["exceeded"]);
    expect(gateway.receipt()).toMatchObject({ cut: 4, exceeded: true });
    expect(gateway.total().costUsd).toBe(gateway.receipt().totalUsd);
    expect(seen.at(-1)).toEqual(gateway.total());
  });

  it("lets at most one request exceed it, however many follow each other", async () => {
    const mock = closers.add(await startMock({ outputTokens: 100, usage: { input: 1000 } }));
    const { gateway } = closers.add(await startTestGateway(mock.url, { budget: { maxCostUsd: 0.001 } }));
    const one = 1000 * 0.3e-6 + 100 * 1.2e-6;
    for (let turn = 0; turn < 6; turn++) await sendTestRequest(gateway, "responses", true);
    expect(mock.counts.requests).toBe(3);
    expect(gateway.receipt()).toMatchObject({ answered: 3, refused: 3, exceeded: true });
    expect(gateway.total().costUsd).toBeLessThanOrEqual(0.001 + one);
  });

  it("cuts off a running request when another has used up the budget", async () => {
    const upstream = closers.add(
      await startScriptedUpstream((response, { body }) => {
        response.writeHead(200, { "content-type": "text/event-stream" });
        const start = { type: "message_start", message: { usage: { input_tokens: 10, output_tokens: 1 } } };
        const end = { type: "message_delta", delta: { stop_reason: "end_turn" }, usage: { output_tokens: 5000 } };
        if (body.includes('"dear"')) response.end(formatSse(start, end, { type: "message_stop" }));
        else response.write(formatSse(start));
      }),
    );
    const { gateway, finished } = closers.add(await startTestGateway(upstream.url, { budget: { maxCostUsd: 0.001 } }));
    const slow = sendTestRequest(gateway, "anthropic", true, "slow");
    await expect.poll(() => gateway.total().usage.input).toBe(10);
    await sendTestRequest(gateway, "anthropic", true, "dear");
    expect((await slow).text).toContain("the budget of $0.001 is spent");
    expect(finished.map(({ model, ending }) => [model, ending])).toEqual([
      ["slow", "cut"],
      ["dear", "answered"],
    ]);
  });
});

describe("two gateways in one process", () => {
  it("share no totals, limits or secrets, although they share an upstream", async () => {
    const mock = closers.add(await startMock({ outputTokens: 100, usage: { input: 10 } }));
    const [one, two] = await Promise.all(
      [0.0001, 1].map(async (maxCostUsd) => closers.add(await startTestGateway(mock.url, { budget: { maxCostUsd } }))),
    );
    if (one === undefined || two === undefined) throw new Error("two were started");
    await Promise.all([one, two, two, one, two].map(({ gateway }) => sendTestRequest(gateway, "chat", true)));
    expect((await sendTestRequest(one.gateway, "chat", true)).status).toBe(400);
    expect((await sendTestRequest(two.gateway, "chat", true)).status).toBe(200);
    expect(one.gateway.receipt().exceeded).toBe(true);
    expect(two.gateway.receipt()).toMatchObject({ exceeded: false, answered: 4, usage: { input: 40, output: 400 } });
    expect(one.finished.length + two.finished.length).toBe(7);
    const token = new URL(one.gateway.url).pathname;
    expect((await fetch(new URL(`${token}/openai/v1/models`, two.gateway.url))).status).toBe(404);
  });
});
