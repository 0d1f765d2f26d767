import { afterEach, describe, expect, it } from "vitest";
import type { Usage } from "../../core/system.js";
import { GATEWAY_DIALECT_NAMES } from "../../models/dialects/index.js";
import { type MockOptions, startMock } from "../../testing/mock/index.js";
import { computeCost } from "../index.js";
import type { GatewayOptions } from "./index.js";
import {
  buildTestRequest,
  buildTestUrl,
  Closers,
  sendTestRequest,
  startTestGateway,
  TEST_PRICE,
} from "./scripted-upstream.js";

const closers = new Closers();
afterEach(() => closers.closeAll());

async function setUp(script: MockOptions, options: GatewayOptions = {}) {
  const mock = closers.add(await startMock(script));
  return { mock, ...closers.add(await startTestGateway(mock.url, options)) };
}

const REPLY = "one two three four five six";
const SCRIPT = { reply: REPLY, usage: { input: 1000, cacheRead: 400, cacheWrite: 60 } };
const EVERY = GATEWAY_DIALECT_NAMES.flatMap((name) => [true, false].map((stream) => [name, stream] as const));

describe("metering", () => {
  it.each(EVERY)("bills %s, streamed: %s, to the last token", async (name, stream) => {
    const { mock, gateway, finished } = await setUp(SCRIPT);
    expect((await sendTestRequest(gateway, name, stream)).status).toBe(200);
    const usage = mock.requests[0]?.usage as Usage;
    const receipt = gateway.receipt();
    expect(receipt).toMatchObject({ requests: 1, answered: 1, partial: false, exceeded: false, unknownModels: [] });
    expect(receipt.byModel).toMatchObject([{ model: "m", requests: 1, usage, costSource: "priced", unpriced: false }]);
    expect(receipt.totalPico).toBe(computeCost(TEST_PRICE, usage));
    expect(finished).toMatchObject([{ model: "m", ending: "answered", status: 200, costPico: receipt.totalPico }]);
  });

  it.each(EVERY)("estimates %s, streamed: %s, when the provider reports nothing", async (name, stream) => {
    const { gateway } = await setUp({ reply: REPLY, noUsage: true });
    await sendTestRequest(gateway, name, stream);
    const receipt = gateway.receipt();
    expect(receipt).toMatchObject({ answered: 1, partial: true });
    expect(receipt.byModel[0]?.costSource).toBe("estimated");
    expect(receipt.usage.output).toBeGreaterThanOrEqual(6);
    expect(receipt.usage.output).toBeLessThanOrEqual(20);
    expect(receipt.usage.input).toBeGreaterThan(0);
  });

  it("bills the provider's own cost, and keeps the computed cost beside it", async () => {
    const { gateway } = await setUp({ reply: REPLY, usage: { input: 10, cost: 0.0123 } });
    await sendTestRequest(gateway, "chat", true);
    const [line] = gateway.receipt().byModel;
    expect(line).toMatchObject({ costUsd: 0.0123, costSource: "provider" });
    expect(line?.pricedUsd).toBeLessThan(0.0123);
  });

  it("has a line for each model, and the lines add up to the total", async () => {
    const { gateway, finished } = await setUp(SCRIPT, {
      priceOf: (model) => (model === "dear" ? { ...TEST_PRICE, output: 75_000_001 } : TEST_PRICE),
    });
    await Promise.all(
      EVERY.flatMap(([name, stream]) =>
        ["cheap", "dear"].map((model) => sendTestRequest(gateway, name, stream, model)),
      ),
    );
    const receipt = gateway.receipt();
    expect(receipt.byModel.map(({ model, requests }) => [model, requests])).toEqual([
      ["dear", 8],
      ["cheap", 8],
    ]);
    const sum = (picos: readonly (number | null)[]) => picos.reduce<number>((total, pico) => total + (pico ?? 0), 0);
    expect(sum(receipt.byModel.map(({ costPico }) => costPico))).toBe(receipt.totalPico);
    expect(sum(finished.map(({ costPico }) => costPico))).toBe(receipt.totalPico);
  });

  it("reports costs as unknown, not as 0, without a price", async () => {
    const { gateway } = await setUp(SCRIPT, { priceOf: () => null });
    await sendTestRequest(gateway, "anthropic", false);
    const receipt = gateway.receipt();
    expect(receipt).toMatchObject({ totalUsd: 0, partial: true, unknownModels: ["m"] });
    expect(receipt.byModel).toMatchObject([{ costUsd: null, costSource: "unknown", unpriced: true }]);
  });

  it("prefers prices by name to looking them up", async () => {
    const { gateway } = await setUp(SCRIPT, { prices: new Map([["m", TEST_PRICE]]), priceOf: () => null });
    await sendTestRequest(gateway, "chat", false, "m");
    await sendTestRequest(gateway, "chat", false, "n");
    expect(gateway.receipt().byModel.map(({ model, unpriced }) => [model, unpriced])).toEqual([
      ["m", false],
      ["n", true],
    ]);
  });

  it("uses the provider's bundled prices for an upstream on this machine", async () => {
    const mock = closers.add(await startMock(SCRIPT));
    const { startGateway } = await import("./index.js");
    const gateway = closers.add(await startGateway({ upstreams: { openai: `${mock.url}/v1` }, env: {} }));
    await sendTestRequest(gateway, "chat", true, "gpt-4o");
    expect(gateway.receipt().byModel).toMatchObject([{ model: "gpt-4o", costSource: "priced" }]);
    expect(gateway.receipt().totalUsd).toBeGreaterThan(0.002);
  });

  it.each(["chat", "gemini"] as const)("requests the mapped model, in %s", async (name) => {
    const { mock, gateway } = await setUp({ ...SCRIPT, keepBodies: true }, { modelMap: { big: "small" } });
    await sendTestRequest(gateway, name, true, "big");
    expect(mock.requests[0]).toMatchObject({ model: "small" });
    expect(gateway.receipt().byModel).toMatchObject([{ model: "small", requests: 1 }]);
  });

  it("meters a Gemini stream sent as one array", async () => {
    const { mock, gateway } = await setUp(SCRIPT);
    const url = buildTestUrl(gateway, "gemini", true).replace("?alt=sse", "");
    expect(await (await fetch(url, buildTestRequest("gemini", true))).json()).toBeInstanceOf(Array);
    expect(gateway.receipt()).toMatchObject({ answered: 1, partial: false, usage: mock.requests[0]?.usage });
  });

  it("counts answers in progress", async () => {
    const { gateway } = await setUp({ ...SCRIPT, outputTokens: 400, tokensPerSec: 400, chunkTokens: 1 });
    const response = await fetch(buildTestUrl(gateway, "anthropic", true), buildTestRequest("anthropic", true));
    const reader = response.body?.getReader();
    await reader?.read();
    expect(gateway.receipt()).toMatchObject({ requests: 1, answered: 0, usage: { input: 1000 } });
    await reader?.cancel();
  });
});
