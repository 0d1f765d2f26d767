import { afterEach, describe, expect, it } from "vitest";
import type { Price } from "../../core/price.js";
import { dialects, GATEWAY_DIALECT_NAMES, type GatewayDialectName } from "../../models/dialects/index.js";
import { startMock } from "../../testing/mock/index.js";
import type { Gateway, GatewayOptions } from "./index.js";
import { buildTestRequest, buildTestUrl, Closers, startTestGateway, TEST_PRICE } from "./scripted-upstream.js";

const closers = new Closers();
afterEach(() => closers.closeAll());

async function setUp(options: GatewayOptions) {
  const mock = closers.add(await startMock({ outputTokens: 100, usage: { input: 1000 } }));
  return { mock, ...closers.add(await startTestGateway(mock.url, options)) };
}

async function ask(gateway: Gateway, extra: object, name: GatewayDialectName = "chat") {
  const { body, ...init } = buildTestRequest(name, false) as { body: string };
  const sent = JSON.stringify({ ...JSON.parse(body), ...extra });
  const response = await fetch(buildTestUrl(gateway, name, false), { ...init, body: sent });
  return { status: response.status, json: await response.json() };
}

const USUAL = 1000 * TEST_PRICE.input + 100 * TEST_PRICE.output;
const DOUBLE: Price = { ...TEST_PRICE, input: 2 * TEST_PRICE.input, output: 2 * TEST_PRICE.output };
const LIMITED = { budget: { maxCostUsd: 5 } };

describe("a service tier", () => {
  it.each(["auto", "default", "standard_only", "SERVICE_TIER_STANDARD", null])(
    "%s has the standard price",
    async (tier) => {
      const { gateway } = await setUp(LIMITED);
      await ask(gateway, { service_tier: tier });
      expect(gateway.receipt()).toMatchObject({ answered: 1, totalPico: USUAL, byModel: [{ model: "m" }] });
    },
  );

  it.each(["flex", "batch"])("%s costs at most the standard price and is billed at it", async (tier) => {
    const { gateway } = await setUp(LIMITED);
    await ask(gateway, { service_tier: tier });
    expect(gateway.receipt()).toMatchObject({ totalPico: USUAL, byModel: [{ model: `m (${tier})` }] });
  });

  it("has the price of the model in that tier, if it is known", async () => {
    const { gateway } = await setUp({
      ...LIMITED,
      prices: new Map([["m", { ...TEST_PRICE, services: { priority: DOUBLE } }]]),
    });
    await ask(gateway, { service_tier: "priority" });
    expect(gateway.receipt()).toMatchObject({ totalPico: 2 * USUAL, byModel: [{ model: "m (priority)" }] });
  });

  it("has its own price if the table lists one", async () => {
    const prices = new Map([
      ["m (priority)", DOUBLE],
      ["m (flex)", { ...TEST_PRICE, input: 0, output: 1 }],
    ]);
    const { gateway, finished } = await setUp({ ...LIMITED, prices });
    await ask(gateway, { service_tier: "priority" });
    await ask(gateway, { service_tier: "flex" });
    expect(gateway.receipt().byModel).toMatchObject([
      { model: "m (priority)", costPico: 2 * USUAL },
      { model: "m (flex)", costPico: 100 },
    ]);
    expect(finished).toMatchObject([{ model: "m" }, { model: "m" }]);
  });

  it.each(GATEWAY_DIALECT_NAMES)("without a price is refused under a dollar limit, in %s", async (name) => {
    const { mock, gateway } = await setUp(LIMITED);
    const asked = { chat: "service_tier", responses: "service_tier", anthropic: "speed", gemini: "serviceTier" }[name];
    const { status, json } = await ask(gateway, { [asked]: "fast" }, name);
    expect(status).toBe(400);
    expect(dialects[name].errorIn(json)?.message).toMatch(
      /"m \(fast\)" is unknown.*--models.*leave out the service tier/,
    );
    expect(mock.counts.requests).toBe(0);
    expect(gateway.receipt()).toMatchObject({ refused: 1, unknownModels: ["m (fast)"] });
  });

  it("without a price has an unknown cost when there is no limit", async () => {
    const { gateway } = await setUp({});
    await ask(gateway, { service_tier: "priority" });
    expect(gateway.receipt()).toMatchObject({ answered: 1, totalPico: 0, partial: true });
    expect(gateway.receipt().byModel).toMatchObject([{ model: "m (priority)", unpriced: true, costUsd: null }]);
  });
});
