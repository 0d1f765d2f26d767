import type { ServerResponse } from "node:http";
import { setImmediate as turn } from "node:timers/promises";
import fc from "fast-check";
import { afterEach, describe, expect, it } from "vitest";
import { dialects, GATEWAY_DIALECT_NAMES } from "../../models/dialects/index.js";
import { startMock } from "../../testing/mock/index.js";
import { computeCost } from "../price.js";
import type { GatewayOptions } from "./index.js";
import { GatewayLedger } from "./ledger.js";
import type { RequestFigures } from "./receipt.js";
import { CallReservations } from "./request-handler.js";
import {
  buildTestRequest,
  buildTestUrl,
  Closers,
  sendTestRequest,
  startScriptedUpstream,
  startTestGateway,
  TEST_PRICE,
} from "./scripted-upstream.js";

const closers = new Closers();
afterEach(() => closers.closeAll());

/** An upstream that counts its concurrent calls. It answers once `until` have arrived or no more arrive for a while. */
async function crowdedUpstream(options: GatewayOptions, output = 1000) {
  let open = 0;
  const seen = { most: 0, total: 0, until: 0 };
  const answer = { choices: [{ message: { content: "x" }, finish_reason: "stop" }] };
  const usage = { prompt_tokens: 10, completion_tokens: output };
  const answerOne = async (response: ServerResponse) => {
    open += 1;
    seen.total += 1;
    for (let calm = 0, before = 0; calm < 50 || seen.total < seen.until; calm = before === seen.total ? calm + 1 : 0) {
      before = seen.total;
      await turn();
    }
    seen.most = Math.max(seen.most, open);
    open -= 1;
    response.writeHead(200, { "content-type": "application/json" }).end(JSON.stringify({ ...answer, usage }));
  };
  const upstream = closers.add(await startScriptedUpstream((response) => void answerOne(response)));
  return { seen, ...closers.add(await startTestGateway(upstream.url, options)) };
}

const body = (extra: object) => JSON.stringify({ model: "m", messages: [{ role: "user", content: "hi" }], ...extra });

describe("64 concurrent calls that are not streamed", () => {
  it.each(GATEWAY_DIALECT_NAMES)("spend at most the budget plus one call, in %s", async (name) => {
    const usage = { input: 10, output: 300 };
    const mock = closers.add(await startMock({ outputTokens: 300, usage: { input: 10 }, latencyMs: 5 }));
    const one = computeCost(TEST_PRICE, usage);
    const budget = { maxCostUsd: (one * 3.5) / 1e12 };
    const { gateway } = closers.add(await startTestGateway(mock.url, { budget }));
    const answers = await Promise.all(Array.from({ length: 64 }, () => sendTestRequest(gateway, name, false)));
    const receipt = gateway.receipt();
    expect(receipt.totalPico).toBe(one * 4);
    expect(receipt).toMatchObject({ requests: 64, answered: 4, refused: 60, cut: 0, exceeded: true, partial: false });
    expect(mock.counts.requests).toBe(4);
    const refused = answers.filter(({ status }) => status === 400);
    expect(refused).toHaveLength(60);
    expect(dialects[name].errorIn(JSON.parse(refused[0]?.text ?? ""))?.message).toContain("is spent");
  });

  it("run concurrently as long as their maximum costs fit", async () => {
    const { seen, gateway } = await crowdedUpstream({ budget: { maxCostUsd: 1 } });
    const send = () =>
      fetch(buildTestUrl(gateway, "chat", false), { method: "POST", body: body({ max_tokens: 2000 }) });
    seen.until = 64;
    await Promise.all(Array.from({ length: 64 }, send));
    expect(gateway.receipt()).toMatchObject({ answered: 64, refused: 0 });
    expect(seen.most).toBe(64);
  });

  it("wait for each other when they may be too long, and use the whole budget", async () => {
    const { seen, gateway } = await crowdedUpstream({ budget: { maxCostUsd: 0.05 } }, 10);
    // Without its own limit a call may return 32,000 tokens, $0.0384 at this price.
    await Promise.all(
      Array.from({ length: 12 }, () => fetch(buildTestUrl(gateway, "chat", false), { method: "POST", body: body({}) })),
    );
    expect(seen.most).toBe(1);
    expect(gateway.receipt()).toMatchObject({ answered: 12, refused: 0, exceeded: false });
  });

  it("count every choice and every prompt to be answered", async () => {
    const { seen, gateway } = await crowdedUpstream({ budget: { maxCostUsd: 0.01 } }, 10);
    const send = (path: string, extra: object) =>
      fetch(`${gateway.url}/openai/v1${path}`, { method: "POST", body: body({ max_tokens: 1000, ...extra }) });
    // Each may return 1,000 tokens, $0.0012; five of them, $0.006.
    await Promise.all([send("/chat/completions", { n: 5 }), send("/chat/completions", { n: 5 })]);
    expect(seen.most).toBe(1);
    await Promise.all([1, 2].map(() => send("/completions", { prompt: ["a", "b", "c", "d", "e"] })));
    expect(seen.most).toBe(1);
    seen.until = seen.total + 2;
    await Promise.all([1, 2].map(() => send("/completions", { prompt: "a" })));
    expect(seen.most).toBe(2);
  });

  it("include compactions, although those request a stream", async () => {
    const { seen, gateway } = await crowdedUpstream({ budget: { maxCostUsd: 0.05 } }, 10);
    const compact = () =>
      fetch(`${gateway.url}/openai/v1/responses/compact`, { method: "POST", body: body({ stream: true }) });
    await Promise.all(Array.from({ length: 8 }, compact));
    expect(seen.most).toBe(1);
  });

  it("respect a token limit too", async () => {
    const { gateway } = await crowdedUpstream({ budget: { maxTokens: 3500 }, priceOf: () => null });
    await Promise.all(Array.from({ length: 16 }, () => sendTestRequest(gateway, "chat", false)));
    expect(gateway.receipt()).toMatchObject({ answered: 4, refused: 12, usage: { input: 40, output: 4000 } });
  });

  it("do not wait for a call whose client has disconnected", async () => {
    const upstream = closers.add(await startScriptedUpstream(() => {}));
    const { gateway } = closers.add(await startTestGateway(upstream.url, { budget: { maxCostUsd: 0.001 } }));
    const call = () => {
      const abort = new AbortController();
      const asked = fetch(buildTestUrl(gateway, "chat", false), {
        ...buildTestRequest("chat", false),
        signal: abort.signal,
      });
      asked.catch(() => {});
      return { abort, asked };
    };
    const first = call();
    await expect.poll(() => upstream.arrived.length).toBe(1);
    const second = call();
    await expect.poll(() => gateway.receipt().requests).toBe(2);
    const third = call();
    await expect.poll(() => [gateway.receipt().requests, upstream.arrived.length]).toEqual([3, 1]);
    for (const { abort } of [second, first]) abort.abort();
    await expect.poll(() => gateway.receipt().abandoned).toBe(2);
    await expect.poll(() => upstream.arrived.length).toBe(2);
    third.abort.abort();
    await expect(third.asked).rejects.toThrow();
  });
});

describe("64 concurrent calls with long prompts", () => {
  it.each([
    ["that are streamed", { stream: true, content: "word ".repeat(8000) }],
    ["in a language without spaces", { max_tokens: 1, content: "漢".repeat(40_000) }],
  ])("spend at most the budget plus one call, %s", async (_, { content, ...extra }) => {
    const mock = closers.add(await startMock({ reply: "x", usage: { input: 10_000 }, latencyMs: 5 }));
    const one = computeCost(TEST_PRICE, { input: 10_000, output: 1 });
    const { gateway } = closers.add(await startTestGateway(mock.url, { budget: { maxCostUsd: (one * 3.5) / 1e12 } }));
    const init = { method: "POST", body: body({ messages: [{ role: "user", content }], ...extra }) };
    const call = async () => (await fetch(buildTestUrl(gateway, "chat", false), init)).text();
    await Promise.all(Array.from({ length: 64 }, call));
    expect(mock.counts.requests).toBeLessThanOrEqual(4);
    expect(gateway.receipt()).toMatchObject({ requests: 64, exceeded: true });
  });

  it("do not count the characters of images and files", async () => {
    const { seen, gateway } = await crowdedUpstream({ budget: { maxCostUsd: 0.05 } }, 10);
    const image = { type: "image_url", image_url: { url: `data:image/png;base64,${"A".repeat(1_000_000)}` } };
    const init = { method: "POST", body: body({ max_tokens: 10, messages: [{ role: "user", content: [image] }] }) };
    seen.until = 2;
    await Promise.all([1, 2].map(() => fetch(buildTestUrl(gateway, "chat", false), init)));
    expect(seen.most).toBe(2);
  });
});

describe("a closed gateway", () => {
  it("forwards none of the waiting calls", async () => {
    const upstream = closers.add(await startScriptedUpstream(() => {}));
    const { gateway, finished } = closers.add(await startTestGateway(upstream.url, { budget: { maxCostUsd: 0.001 } }));
    const calls = [
      sendTestRequest(gateway, "chat", false),
      sendTestRequest(gateway, "chat", false),
      sendTestRequest(gateway, "chat", false),
    ];
    const failed = Promise.allSettled(calls);
    await expect.poll(() => [gateway.receipt().requests, upstream.arrived.length]).toEqual([3, 1]);
    await gateway.close();
    await failed;
    await expect.poll(() => finished.map(({ ending }) => ending)).toEqual(Array(3).fill("abandoned"));
    // Anything sent earlier arrives before this request.
    const abort = new AbortController();
    const last = fetch(upstream.url, { signal: abort.signal }).catch(() => {});
    await expect.poll(() => upstream.arrived.some(({ method }) => method === "GET")).toBe(true);
    abort.abort();
    await last;
    expect(upstream.arrived.filter(({ method }) => method === "POST")).toHaveLength(1);
  });
});

describe("CallReservations", () => {
  const figures = (pico: number): RequestFigures => ({
    usage: { input: 0, output: 0, cacheRead: 0, cacheWrite: 0, cacheWrite1h: 0, reasoning: 0 },
    pico,
    pricedPico: pico,
    costSource: "priced",
    isEstimated: false,
  });

  it("never lets calls exceed the budget by more than the last one, whatever they cost up to their maximum", async () => {
    const call = fc.record({
      most: fc.integer({ min: 1, max: 1000 }),
      part: fc.double({ min: 0, max: 1, noNaN: true }),
    });
    await fc.assert(
      fc.asyncProperty(
        fc.array(call, { minLength: 1, maxLength: 40 }),
        fc.integer({ min: 1, max: 4000 }),
        fc.infiniteStream(fc.nat()),
        async (calls, micros, picks) => {
          const ledger = new GatewayLedger({ maxCostUsd: micros / 1e6 }, { onExceeded: () => reservations.admit() });
          const reservations = new CallReservations(ledger);
          const running: (() => void)[] = [];
          let spent = 0;
          let largest = 0;
          let over = 0;
          for (const { most, part } of calls) {
            const reserved = { pico: most * 1e6, tokens: 0, isStreamed: false };
            void reservations.reserve(reserved).then(() => {
              if (ledger.isExceeded) {
                over += 1;
                reservations.release(reserved);
                return;
              }
              running.push(() => {
                const cost = Math.round(reserved.pico * part);
                largest = Math.max(largest, cost);
                spent += cost;
                over += 1;
                ledger.replace(null, figures(cost));
                reservations.release(reserved);
              });
            });
          }
          await turn();
          for (; running.length > 0; await turn()) {
            const [end] = running.splice((picks.next().value ?? 0) % running.length, 1);
            end?.();
          }
          expect(over).toBe(calls.length);
          expect(spent).toBeLessThanOrEqual(micros * 1e6 + largest);
        },
      ),
      { numRuns: 100 },
    );
  });
});
