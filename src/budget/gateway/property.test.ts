import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { Usage } from "../../core/system.js";
import { dialects } from "../../models/dialects/index.js";
import { computeCost, toPicoDollars } from "../price.js";
import { GatewayLedger } from "./ledger.js";
import { RequestMeter } from "./request-meter.js";
import {
  buildTestRequest,
  buildTestUrl,
  formatSse,
  parseSseEvents,
  startScriptedUpstream,
  startTestGateway,
  TEST_PRICE,
} from "./scripted-upstream.js";

const start = (input: number, cacheRead: number) => ({
  type: "message_start",
  message: { usage: { input_tokens: input, cache_read_input_tokens: cacheRead, output_tokens: 0 } },
});
const soFar = (output: number) => ({ type: "message_delta", delta: {}, usage: { output_tokens: output } });
const STOP = [{ type: "message_delta", delta: { stop_reason: "end_turn" }, usage: {} }, { type: "message_stop" }];

/** The events of one answer: its prompt, then running totals of its output. */
const answer = fc
  .tuple(fc.nat(2000), fc.nat(2000), fc.array(fc.nat(300), { maxLength: 8 }))
  .map(([input, cacheRead, steps]) => {
    const totals = steps.map((_, i) => steps.slice(0, i + 1).reduce((sum, step) => sum + step, 0));
    return [start(input, cacheRead), ...totals.map(soFar)];
  });

describe("any usage events from any clients in any order", () => {
  it("bill at most the limit plus one event", () => {
    fc.assert(
      fc.property(
        fc.array(answer, { minLength: 1, maxLength: 5 }),
        fc.array(fc.nat(), { minLength: 40, maxLength: 40 }),
        fc.integer({ min: 1, max: 6000 }),
        (answers, turns, micros) => {
          let exceeded = 0;
          const cap = micros * 1e-6;
          const ledger = new GatewayLedger({ maxCostUsd: cap }, { onExceeded: () => (exceeded += 1) });
          const meters = answers.map(
            () =>
              new RequestMeter({
                ledger,
                reader: dialects.anthropic.reader(),
                price: TEST_PRICE,
                tokenizer: { count: (text) => text.length },
                promptTokens: 0,
              }),
          );
          const total = () => meters.reduce((sum, { figures }) => sum + (figures?.pico ?? 0), 0);
          let before = 0;
          const left = answers.map((events) => [...events]);
          for (const turn of turns) {
            const client = turn % answers.length;
            const event = left[client]?.shift();
            if (event === undefined) continue;
            before = total();
            meters[client]?.readEvent(event);
            if (ledger.isExceeded) break;
          }
          for (const meter of meters) meter.close(ledger.isExceeded);
          expect(before).toBeLessThanOrEqual(toPicoDollars(cap));
          expect(ledger.isExceeded).toBe(total() > toPicoDollars(cap));
          expect(exceeded).toBe(ledger.isExceeded ? 1 : 0);
          if (ledger.isExceeded) expect(toPicoDollars(ledger.costKilledAt)).toBe(total());
        },
      ),
    );
  });

  it("add up to the receipt exactly, over real connections, even when some are cut off", async () => {
    const byModel = new Map<string, unknown[]>();
    const upstream = await startScriptedUpstream((response, { body }) => {
      response.writeHead(200, { "content-type": "text/event-stream" });
      for (const event of byModel.get(JSON.parse(body).model) ?? []) response.write(formatSse(event));
      response.end(formatSse(...STOP));
    });
    const cases = fc.tuple(fc.array(answer, { minLength: 1, maxLength: 6 }), fc.integer({ min: 1, max: 4000 }));
    await fc.assert(
      fc.asyncProperty(cases, async ([answers, micros]) => {
        const { gateway, finished, close } = await startTestGateway(upstream.url, {
          budget: { maxCostUsd: micros * 1e-6 },
        });
        try {
          for (const [i, events] of answers.entries()) byModel.set(`m${i}`, events);
          const picos = await Promise.all(answers.map((_, i) => picoSeenByClient(`m${i}`, gateway)));
          const receipt = gateway.receipt();
          const sum = picos.reduce((total, pico) => total + pico, 0);
          expect(receipt.totalPico).toBe(sum);
          expect(finished.reduce((total, { costPico }) => total + (costPico ?? 0), 0)).toBe(sum);
          expect(receipt.byModel.reduce((total, { costPico }) => total + (costPico ?? 0), 0)).toBe(sum);
          expect(receipt.answered + receipt.cut + receipt.refused).toBe(answers.length);
          expect(receipt.exceeded).toBe(sum > micros * 1e6);
        } finally {
          await close();
        }
      }),
      { numRuns: 40 },
    );
    await upstream.close();
  });
});

async function picoSeenByClient(model: string, gateway: Parameters<typeof buildTestUrl>[0]): Promise<number> {
  const response = await fetch(
    buildTestUrl(gateway, "anthropic", true, model),
    buildTestRequest("anthropic", true, model),
  );
  const text = await response.text();
  const reader = dialects.anthropic.reader();
  if (response.status === 200) for (const event of parseSseEvents(text)) reader.readEvent(event);
  const usage: Usage = reader.usage ?? { input: 0, output: 0 };
  return computeCost(TEST_PRICE, usage);
}
