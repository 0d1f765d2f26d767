import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { EvalRow, Price, TrajectoryEvent, Usage } from "../../core/index.js";
import { makeRow } from "../../core/index.js";
import { groupRequests, pairSteps } from "../dashboard/steps.js";
import { buildTimeline } from "../dashboard/timeline.js";
import { type CostPart, SystemBill } from "./report.js";
import { type BilledTrial, COST_SPLITS, toPico, toUsd } from "./split.js";

/** Dollars for a million tokens: 2 in, 10 out, 0.2 for reads, 2.5 for writes. */
const PRICE: Price = {
  input: 2_000_000,
  output: 10_000_000,
  cacheRead: 200_000,
  cacheWrite: 2_500_000,
  cacheWrite1h: 4_000_000,
  source: "test",
};

function price({ input, output, cacheRead = 0, cacheWrite = 0 }: Usage): number {
  return (input * 2_000_000 + output * 10_000_000 + cacheRead * 200_000 + cacheWrite * 2_500_000) / 1e12;
}

function makeTrial(
  given: Partial<EvalRow>,
  output: BilledTrial["output"],
  known: Partial<BilledTrial> = {},
): BilledTrial {
  const row = makeRow({ system: "s", exampleId: 1, outcome: "pass", ...given });
  return { row, output, isPlainModel: false, price: PRICE, findModelPrice: () => null, ...known };
}

function split(...trials: readonly BilledTrial[]) {
  const bill = new SystemBill("s");
  for (const trial of trials) bill.add(trial);
  return { cost: bill.build(), notes: bill.listNotes() };
}

/** Cost in millionths of a dollar, by name. */
function toMicros(parts: readonly CostPart[]): Record<string, number> {
  return Object.fromEntries(parts.map(({ name, costUsd }) => [name, toPico(costUsd ?? 0) / 1e6]));
}

const at = (timestamp: number, event: Omit<TrajectoryEvent, "timestamp">) =>
  ({ timestamp, ...event }) as TrajectoryEvent;
const call = (callId: string, name: string, given: unknown = { command: callId }, thread?: string) =>
  at(0, { type: "tool_call", callId, name, arguments: given, ...(thread !== undefined && { thread }) });
const result = (callId: string, success: boolean) => at(0, { type: "tool_result", callId, success, result: "" });
const says = (text: string) => at(0, { type: "assistant_message", text });
const turn = () => at(0, { type: "turn_start" });
const request = (usage: Usage, more: Readonly<Record<string, unknown>> = {}) =>
  at(0, { type: "token_usage", model: "m", usage, costUsd: price(usage), durationMs: 1, ...more });

const FIRST: Usage = { input: 1000, output: 100, reasoning: 40 };
const SECOND: Usage = { input: 200, output: 50, cacheRead: 1000 };
const THIRD: Usage = { input: 100, output: 10, cacheRead: 1200, cacheWrite: 30 };
const ALL: Usage = { input: 1300, output: 160, cacheRead: 2200, cacheWrite: 30, reasoning: 40 };

const EVENTS = [
  turn(),
  call("1", "Bash"),
  call("2", "Read"),
  request(FIRST, { callIds: ["1", "2"] }),
  result("1", false),
  result("2", true),
  turn(),
  call("3", "Bash", { command: "1" }),
  request(SECOND, { callIds: ["3"] }),
  result("3", true),
  turn(),
  says("Done."),
  request(THIRD),
];

describe("the bill of an agent", () => {
  const row = { usage: ALL, costUsd: price(ALL) };
  const { cost, notes } = split(makeTrial(row, { trajectory: { startedAt: 0, events: EVENTS } }));

  it("is split by tool, in equal parts where an answer calls several", () => {
    expect(toMicros(cost.splits.tool)).toEqual({ Bash: 1500 + 1100, Read: 1500, "no tool": 615 });
    expect(cost.splits.tool[0]).toMatchObject({ name: "Bash", count: 2, tokens: 550 + 1250 });
    expect(notes).toEqual([]);
  });

  it("is split by kind of step, with reasoning apart from what it led to", () => {
    expect(toMicros(cost.splits.kind)).toEqual({ "tool calls": 3000 - 400 + 1100, text: 615, thinking: 400 });
  });

  it("is split by class of tokens", () => {
    expect(toMicros(cost.splits.class)).toEqual({
      "fresh input": 2600,
      "cache read": 440,
      "cache write": 75,
      output: 1200,
      reasoning: 400,
    });
  });

  it("tells calls that were repeated or failed from the others", () => {
    expect(toMicros(cost.splits.retries)).toEqual({
      "first tries": 1500 + 615,
      "calls that failed": 1500,
      "repeated calls": 1100,
    });
  });

  it("has the amounts of the page", () => {
    const blocks = groupRequests(pairSteps(buildTimeline({ startedAt: 0, events: EVENTS })));
    const shown = blocks.flatMap(({ requests }) => requests.map(({ name, costUsd }) => [name, costUsd]));
    expect(shown).toEqual([
      ["Bash: 1 and 1 more", 0.003],
      ["Bash: 1", 0.0011],
      ["says Done.", 0.000615],
    ]);
  });

  it("is split at the first passing state", () => {
    const events = EVENTS.map((event, index) => ({ ...event, timestamp: index * 10 }));
    const passed = makeTrial({ ...row, successAtMs: 55 }, { trajectory: { startedAt: 0, events } });
    expect(toMicros(split(passed).cost.splits.pass)).toEqual({
      "until the first passing state": 3000,
      "after the first passing state": 1100 + 615,
    });
  });

  it("tells sub-agents and side calls from the main work", () => {
    const events = [
      turn(),
      call("t", "Task"),
      request(SECOND),
      call("b", "Bash", { command: "b" }, "sub-agent 2"),
      request(FIRST, { thread: "sub-agent 2", callIds: ["b"] }),
      request(THIRD, { thread: "side 3" }),
    ];
    const found = split(makeTrial(row, { trajectory: { startedAt: 0, events } })).cost.splits;
    expect(toMicros(found.worker)).toEqual({ "sub-agents": 3000, "main work": 1100, "side calls": 615 });
    expect(toMicros(found.tool)).toEqual({ Bash: 3000, Task: 1100, "no tool": 615 });
  });
});

describe("what cannot be split", () => {
  it("is unattributed where a trial has no steps", () => {
    const { cost, notes } = split(makeTrial({ usage: FIRST, costUsd: price(FIRST) }, { response: "x" }));
    expect(toMicros(cost.splits.tool)).toEqual({ unattributed: 3000 });
    expect(toMicros(cost.splits.class)).toMatchObject({ "fresh input": 2000, reasoning: 400 });
    expect(notes).toEqual([expect.stringMatching(/^1 of 1 trial of s stored no steps/)]);
  });

  it("is unattributed by class where no known price explains the bill", () => {
    const { cost } = split(makeTrial({ usage: FIRST, costUsd: 0.01, costSource: "provider" }, null));
    expect(cost.splits.class.at(-1)).toMatchObject({ name: "unattributed", costUsd: 0.01 });
    expect(cost.splits.class[0]).toMatchObject({ name: "fresh input", costUsd: 0, tokens: 1000 });
  });

  it("is found by request where the price of another model explains it", () => {
    const small = { ...PRICE, input: 1, output: 1, cacheRead: 1, cacheWrite: 1, cacheWrite1h: 1 };
    const events = [request(FIRST), request(SECOND, { model: "small", costUsd: 1250e-12 })];
    const usage = { input: 1200, output: 150, cacheRead: 1000, reasoning: 40 };
    const costUsd = toUsd(3_000_000_000 + 1250);
    const findModelPrice = (model: string) => (model === "small" ? small : null);
    const { cost } = split(makeTrial({ usage, costUsd }, { trajectory: { events } }, { findModelPrice }));
    expect(toMicros(cost.splits.class)).toEqual({
      "fresh input": 2000.0002,
      "cache read": 0.001,
      "cache write": 0,
      output: 600.00005,
      reasoning: 400,
    });
  });

  it("is left alone where the steps cost more than the bill", () => {
    const { cost, notes } = split(
      makeTrial({ usage: FIRST, costUsd: 0.001 }, { trajectory: { startedAt: 0, events: EVENTS } }),
    );
    expect(toMicros(cost.splits.tool)).toEqual({ unattributed: 1000 });
    expect(notes).toEqual([expect.stringContaining("cost more than the bill")]);
  });

  it("hides no tools of an agent that shows none", () => {
    const trajectory = { events: [request(FIRST)], toolsUnseen: true };
    const { cost } = split(makeTrial({ usage: FIRST, costUsd: price(FIRST) }, { trajectory }));
    expect(toMicros(cost.splits.tool)).toEqual({ unattributed: 3000 });
  });
});

describe("a plain model", () => {
  const attempts = [{ errorCategory: "api_error" as const, message: "cut", durationMs: 1 }];

  it("has one answer, and the cost of calls that failed apart", () => {
    const usage = { input: 2000, output: 100 };
    const own = { input: 1000, output: 100 };
    const trial = makeTrial(
      { usage, costUsd: price(usage), attempts },
      { response: "Paris", usage: own },
      { isPlainModel: true },
    );
    const { cost } = split(trial);
    expect(toMicros(cost.splits.kind)).toEqual({ text: 3000, "failed attempts": 2000 });
    expect(toMicros(cost.splits.retries)).toEqual({ "first tries": 3000, "failed attempts": 2000 });
  });

  it("has the tools that it called", () => {
    const output = { response: "", tool_calls: [{ name: "weather" }, { function: { name: "time" } }], usage: FIRST };
    const { cost } = split(makeTrial({ usage: FIRST, costUsd: price(FIRST) }, output, { isPlainModel: true }));
    expect(toMicros(cost.splits.tool)).toEqual({ weather: 1500, time: 1500 });
  });
});

const count = fc.nat(100_000);
const anyUsage = fc.record({ input: count, output: count, cacheRead: count, cacheWrite: count, reasoning: count });
const anyEvent = fc.oneof(
  fc.constantFrom(turn(), says("x"), at(0, { type: "reasoning", text: "hm" }), result("1", false)),
  fc.constantFrom("1", "2", "3").map((id) => call(id, `tool ${id}`)),
  fc
    .tuple(anyUsage, fc.boolean(), fc.subarray(["1", "2", "3"]))
    .map(([usage, isKnown, callIds]) => request(usage, { callIds, ...(isKnown ? {} : { costUsd: null }) })),
);
const anyTrial = fc
  .record({
    usage: fc.option(anyUsage),
    costUsd: fc.option(fc.nat(2_000_000_000).map((pico) => pico / 1e12)),
    events: fc.option(fc.array(anyEvent)),
    successAtMs: fc.option(fc.nat(10)),
    isPlainModel: fc.boolean(),
    hasFailed: fc.boolean(),
  })
  .map(({ events, isPlainModel, hasFailed, ...row }) =>
    makeTrial(
      { ...row, attempts: hasFailed ? [{ errorCategory: "api_error", message: "", durationMs: 0 }] : [] },
      { response: "x", ...(events !== null && { trajectory: { startedAt: 0, events } }) },
      { isPlainModel },
    ),
  );

it("has parts that add up to the bill exactly, in dollars and in tokens, whatever was recorded", () => {
  fc.assert(
    fc.property(fc.array(anyTrial, { maxLength: 5 }), (trials) => {
      const { cost } = split(...trials);
      for (const name of COST_SPLITS) {
        const parts = cost.splits[name];
        expect(parts.reduce((sum, part) => sum + toPico(part.costUsd ?? 0), 0)).toBe(toPico(cost.costUsd ?? 0));
        expect(parts.reduce((sum, { tokens }) => sum + (tokens ?? 0), 0)).toBe(cost.tokens ?? 0);
        for (const part of parts) expect(part.costUsd ?? 0).toBeGreaterThanOrEqual(0);
      }
    }),
  );
});
