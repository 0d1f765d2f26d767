import { once } from "node:events";
import type { ServerResponse } from "node:http";
import { afterEach, describe, expect, it } from "vitest";
import { CostBudget } from "../budget/index.js";
import type { TrialBudget } from "../core/system.js";
import {
  DONE,
  formatEvent,
  formatTextEvent,
  formatUsageEvent,
  makeTrialContext,
  openModelFixture,
  sendStreamedAnswer,
  startStream,
} from "./model-testing.js";

const bench = openModelFixture();
afterEach(() => bench.close());

const ask = { id: 1, question: "Tell me a story." };
/** $1 per thousand output tokens, half of that for input. */
const pricing = { input_per_1k: 0.5, output_per_1k: 1 };
const words = (count: number) => "word ".repeat(count);

/** Streams until the client disconnects; resolves with how much was sent. */
function endless(response: ServerResponse, text: string): Promise<number> {
  let sent = 0;
  startStream(response);
  const timer = setInterval(() => {
    sent += 1;
    response.write(formatTextEvent(text));
  }, 1);
  return once(response, "close").then(() => {
    clearInterval(timer);
    return sent;
  });
}

describe("a budget", () => {
  it("stops a stream midway by an estimate, and keeps the partial answer", async () => {
    let over: Promise<number> = Promise.resolve(0);
    const server = await bench.serve((_, response) => {
      over = endless(response, words(20));
    });
    const budget = new CostBudget({ pricing, maxCostUsd: 0.1 });
    const output = await bench.system(server).process(ask, makeTrialContext({ budget }));
    expect(await over).toBeGreaterThan(0);
    expect(output).toMatchObject({ stopped: "cost_killed", partial: true, turns: 1 });
    expect(output).not.toHaveProperty("usage");
    expect(output.response?.split(" ").length).toBeGreaterThan(100);
    expect(output.response?.split(" ").length).toBeLessThan(200);
    expect([budget.bill.exceeded, budget.isEstimated]).toEqual([true, true]);
    expect(budget.costKilledAt).toBeGreaterThan(0.1);
  });

  it("replaces the estimate with the reported usage", async () => {
    const server = await bench.serve((_, response) =>
      sendStreamedAnswer(response, [words(40), words(40)], formatUsageEvent(100, 50) + DONE),
    );
    const budget = new CostBudget({ pricing, maxCostUsd: 5 });
    const output = await bench.system(server).process(ask, makeTrialContext({ budget }));
    expect(output).not.toHaveProperty("stopped");
    expect(budget.usage).toMatchObject({ input: 100, output: 50 });
    expect([budget.isEstimated, budget.bill.costUsd]).toEqual([false, 0.1]);
  });

  it("can be exceeded by the usage at the end", async () => {
    const server = await bench.serve((_, response) =>
      sendStreamedAnswer(response, ["short"], formatUsageEvent(1000, 1) + DONE),
    );
    const budget = new CostBudget({ pricing, maxCostUsd: 0.3 });
    const output = await bench.system(server).process(ask, makeTrialContext({ budget }));
    expect(output).toMatchObject({ response: "short", stopped: "cost_killed", usage: { input: 1000, output: 1 } });
  });

  it("adds running totals once, and estimates only what exceeds them", async () => {
    const calls: unknown[] = [];
    const real = new CostBudget({ pricing });
    const budget: TrialBudget = Object.assign(Object.create(real) as CostBudget, {
      add: (...given: Parameters<TrialBudget["add"]>) => {
        calls.push(["add", ...given]);
        return real.add(...given);
      },
      estimate: (tokens: number) => {
        calls.push(["estimate", tokens]);
        return real.estimate(tokens);
      },
    });
    Object.defineProperty(budget, "bill", { get: () => real.bill });
    const say = (text: string) => formatEvent({ type: "content_block_delta", delta: { type: "text_delta", text } });
    const server = await bench.serve((_, response) =>
      startStream(response).end(
        formatEvent({
          type: "message_start",
          message: { usage: { input_tokens: 30, output_tokens: 4, cache_read_input_tokens: 70 } },
        }) +
          say(words(20)) +
          say("rest") +
          formatEvent({ type: "message_delta", delta: { stop_reason: "end_turn" }, usage: { output_tokens: 25 } }),
      ),
    );
    const tokenizer = { count: (text: string) => text.split(" ").length - 1 };
    await bench.system(server, { dialect: "anthropic", tokenizer }).process(ask, makeTrialContext({ budget }));
    const none = { cacheRead: 0, cacheWrite: 0, cacheWrite1h: 0, reasoning: 0 };
    expect(calls).toEqual([
      ["add", { ...none, input: 30, output: 4, cacheRead: 70 }, 100, null],
      ["estimate", 16],
      ["add", { ...none, input: 0, output: 21 }, 100, null],
    ]);
  });

  it("keeps the estimate of a turn without usage when other turns report theirs", async () => {
    const tokenizer = { count: (text: string) => text.length };
    const server = await bench.serve((_, response, number) =>
      sendStreamedAnswer(response, ["x".repeat(100)], number === 1 ? DONE : formatUsageEvent(8, 4) + DONE),
    );
    const budget = new CostBudget({ pricing });
    const turns = [
      { role: "user", content: "one" },
      { role: "user", content: "two" },
    ];
    const output = await bench.system(server, { tokenizer }).process({ id: 1, turns }, makeTrialContext({ budget }));
    expect(output).toMatchObject({ usage: { input: 8, output: 4 }, partial: true });
    expect([budget.isEstimated, budget.bill.costUsd]).toEqual([true, 0.1095]);
  });

  it("that is spent ends a conversation before the next turn", async () => {
    const server = await bench.serve((_, response, number) =>
      sendStreamedAnswer(response, [`answer ${number}`], formatUsageEvent(1000, 1) + DONE),
    );
    const budget = new CostBudget({ pricing, maxCostUsd: 0.7 });
    const turns = ["one", "two", "three"].map((content) => ({ role: "user", content }));
    const output = await bench.system(server).process({ id: 1, turns }, makeTrialContext({ budget }));
    expect(output).toMatchObject({ response: "answer 2", stopped: "cost_killed", turns: 2 });
    expect(server.requests).toHaveLength(2);
  });

  it("stops after an answer that is not streamed", async () => {
    const body = { choices: [{ message: { content: words(500) }, finish_reason: "stop" }] };
    const server = await bench.serve((_, response) =>
      response.setHeader("content-type", "application/json").end(JSON.stringify(body)),
    );
    const budget = new CostBudget({ pricing, maxCostUsd: 0.3 });
    const output = await bench.system(server, { stream: false }).process(ask, makeTrialContext({ budget }));
    expect(output).toMatchObject({ stopped: "cost_killed", partial: true });
    expect(budget.bill.costUsd).toBeGreaterThan(0.4);
  });
});

describe("an abort", () => {
  it.each([
    ["TIME_KILLED", "time_killed"],
    ["COST_KILLED", "cost_killed"],
  ])("with %s keeps the partial answer", async (code, stopped) => {
    const controller = new AbortController();
    const server = await bench.serve((_, response) => {
      startStream(response).write(formatTextEvent("so far"));
    });
    const system = bench.system(server, {
      clock: () => {
        // The clock is read when text arrives: by then something was received.
        if (server.requests.length > 0) queueMicrotask(() => controller.abort({ code }));
        return 5;
      },
    });
    const output = await system.process(ask, makeTrialContext({ signal: controller.signal }));
    expect(output).toMatchObject({ response: "so far", stopped, partial: true, turns: 1 });
  });

  it("for another reason, or before any text, throws the reason", async () => {
    let controller = new AbortController();
    const server = await bench.serve((_, response, number) => {
      if (number === 1) controller.abort(reasons[0]);
      else startStream(response).write(formatTextEvent("so far"), () => controller.abort(reasons[1]));
    });
    const reasons = [{ code: "TIME_KILLED" }, new Error("interrupted")];
    const system = bench.system(server);
    await expect(system.process(ask, makeTrialContext({ signal: controller.signal }))).rejects.toBe(reasons[0]);
    controller = new AbortController();
    await expect(system.process(ask, makeTrialContext({ signal: controller.signal }))).rejects.toBe(reasons[1]);
    const aborted = AbortSignal.abort(reasons[0]);
    await expect(system.process(ask, makeTrialContext({ signal: aborted }))).rejects.toBe(reasons[0]);
    expect(server.requests).toHaveLength(2);
  });

  it("in a later turn keeps the earlier answer", async () => {
    const controller = new AbortController();
    const server = await bench.serve((_, response, number) => {
      if (number === 1) sendStreamedAnswer(response, ["first"]);
      else controller.abort({ code: "TIME_KILLED" });
    });
    const turns = ["one", "two"].map((content) => ({ role: "user", content }));
    const output = await bench
      .system(server)
      .process({ id: 1, turns }, makeTrialContext({ signal: controller.signal }));
    expect(output).toMatchObject({ response: "first", stopped: "time_killed", usage: { input: 10, output: 5 } });
  });
});
