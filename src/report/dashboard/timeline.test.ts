import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { AgentAdapter } from "../../agents/adapter.js";
import { claude } from "../../agents/adapters/claude.js";
import { codex } from "../../agents/adapters/codex.js";
import { gemini } from "../../agents/adapters/gemini.js";
import { opencode } from "../../agents/adapters/opencode.js";
import { pi } from "../../agents/adapters/pi.js";
import { loadRecording, loadSharedRecording, readAllEvents } from "../../agents/recorded-testing.js";
import type { AgentEventBody, TrajectoryEvent } from "../../core/trajectory.js";
import { readTrajectory } from "../timeline.js";
import { buildTimeline } from "./timeline.js";

const START = 1_800_000_000_000;

function at(seconds: number, body: AgentEventBody): TrajectoryEvent {
  return { ...body, timestamp: START + seconds * 1000 };
}

function usage(costUsd: number | null): AgentEventBody {
  const used = { input: 1000, output: 50, cacheRead: 100 };
  return { type: "token_usage", model: "m-1", usage: used, costUsd, durationMs: 900 };
}

const said = (events: readonly TrajectoryEvent[]) =>
  buildTimeline({ startedAt: START, events }).map(({ kind, title, text }) => [kind, title, text].join("|"));

describe("buildTimeline", () => {
  it("shows the work of an agent, with the cost up to each step", () => {
    const events = [
      at(-1, { type: "system", text: "set up" }),
      at(0, { type: "user_message", text: "Create hello.txt" }),
      at(0.5, { type: "turn_start" }),
      at(1, { type: "reasoning", text: "Ea" }),
      at(1, { type: "reasoning", text: "sy." }),
      at(1.2, { type: "assistant_message", text: "I will " }),
      at(1.3, usage(0.01)),
      at(1.4, { type: "assistant_message", text: "do it." }),
      at(1.5, { type: "tool_call", name: "Bash", callId: "1", arguments: { command: "echo hi" } }),
      at(4, { type: "tool_result", callId: "1", success: true, result: "hi\n" }),
      at(4.1, { type: "turn_end" }),
      at(4.2, { type: "turn_start" }),
      at(5, { type: "tool_call", name: "Bash", callId: "2", arguments: { command: "sleep 9" } }),
      at(5.5, { type: "custom", name: "rate_limit", data: { left: 3 } }),
      at(5.6, { type: "skill_activation", name: "tidy" }),
      at(6, { type: "error", message: "overloaded" }),
      at(7, usage(0.02)),
    ];
    expect(said(events)).toEqual([
      "system||set up",
      "user||Create hello.txt",
      "turn|Turn 1|",
      "thinks||Easy.",
      "says||I will do it.",
      "tokens|m-1|1,100 in, 50 out · 900 ms",
      "call|Bash: echo hi|echo hi",
      "result|Bash after 2.5 s|hi\n",
      "turn|Turn 2|",
      "call|Bash (no result): sleep 9|sleep 9",
      'other|rate_limit|{"left":3}',
      "skill|tidy|",
      "error||overloaded",
      "tokens|m-1|1,100 in, 50 out · 900 ms",
    ]);
    const steps = buildTimeline({ startedAt: START, events });
    expect(steps[0]).toMatchObject({ atMs: -1000, costUsd: null, tokens: null, length: 6 });
    expect(steps[5]).toMatchObject({ atMs: 1300, costUsd: 0.01, tokens: 1150 });
    expect(steps[7]).toMatchObject({ atMs: 4000, callId: "1", isSuccess: true, costUsd: 0.01 });
    expect(steps.at(-1)).toMatchObject({ costUsd: 0.03, tokens: 2300 });
  });

  it("has no cost after one unknown cost", () => {
    const steps = buildTimeline({ events: [at(0, usage(0.5)), at(1, usage(null)), at(2, usage(0.5))] });
    expect(steps.map(({ costUsd }) => costUsd)).toEqual([0.5, null, null]);
    expect(steps.at(-1)?.tokens).toBe(3450);
  });

  it("keeps unknown events", () => {
    const events = [
      { type: "toString", timestamp: START, detail: 1 },
      { type: "novelty", timestamp: START, x: "y" },
    ];
    expect(said(events)).toEqual(['other|toString|{"detail":1}', 'other|novelty|{"x":"y"}']);
  });

  it.each<[AgentAdapter, string]>([
    [claude, "claude-2.1.325-several-tools.jsonl"],
    [codex, "codex-0.166.0-several-tools.jsonl"],
    [gemini, "gemini-0.61.0-several.jsonl"],
    [opencode, "opencode-1.18.33-several.jsonl"],
    [pi, "pi-0.74.2-several.jsonl"],
  ])("shows every call of $name with its result", (adapter, name) => {
    const { bodies } = readAllEvents(adapter, loadRecording(name));
    const steps = buildTimeline({ events: bodies.map((body, i) => at(i, body)) });
    const calls = steps.filter(({ kind }) => kind === "call");
    const results = new Map(steps.filter(({ kind }) => kind === "result").map((step) => [step.callId, step]));
    expect(calls.length).toBeGreaterThan(1);
    expect(calls.filter(({ callId }) => !results.has(callId))).toEqual([]);
    for (const { title } of calls) expect(title).toMatch(/^\w+: \S/);
    expect(bodies.filter(({ type }) => type === "tool_call")).toHaveLength(calls.length);
  });

  it("reads the captured streams beside the repository", () => {
    for (const [adapter, name] of [
      [claude, "claude.jsonl"],
      [codex, "codex.jsonl"],
      [pi, "pi.jsonl"],
    ] as const) {
      const events = loadSharedRecording(name);
      if (events === null) continue;
      const { bodies } = readAllEvents(adapter, events);
      const steps = buildTimeline({ events: bodies.map((body, i) => at(i, body)) });
      expect(steps.filter(({ kind }) => kind === "call").length).toBeGreaterThan(0);
      expect(steps.filter(({ kind }) => kind === "says").length).toBeGreaterThan(0);
    }
  });
});

describe("buildTimeline with events of any shape", () => {
  const TYPES = ["assistant_message", "tool_call", "tool_result", "token_usage", "turn_start", "custom", "odd"];
  const FIELDS = [
    "text",
    "name",
    "callId",
    "arguments",
    "result",
    "success",
    "usage",
    "costUsd",
    "durationMs",
    "model",
  ];
  const event = fc
    .tuple(fc.constantFrom(...TYPES), fc.dictionary(fc.constantFrom(...FIELDS, "timestamp"), fc.jsonValue()))
    .map(([type, fields]) => ({ ...fields, type }));

  it("returns plain data with finite numbers", () => {
    fc.assert(
      fc.property(fc.array(fc.oneof(event, fc.jsonValue())), (events) => {
        const trajectory = readTrajectory({ trajectory: { events: events as never } });
        const steps = buildTimeline(trajectory ?? { events: [] });
        expect(JSON.parse(JSON.stringify(steps))).toEqual(steps);
        for (const { title, text, length, atMs } of steps) {
          expect([typeof title, typeof text, Number.isFinite(atMs)]).toEqual(["string", "string", true]);
          expect(length).toBeGreaterThanOrEqual(text.length);
        }
      }),
    );
  });

  it("cuts a long text and reports its length", () => {
    const [step] = buildTimeline({
      events: [at(0, { type: "error", message: `${"x".repeat(19_999)}😀${"y".repeat(5e6)}` })],
    });
    expect(step?.text).toBe("x".repeat(19_999));
    expect(step?.length).toBe(5_020_001);
  });

  it("shows at most 5,000 steps, counts the rest, and includes the cost of all", () => {
    const events = Array.from({ length: 100_000 }, (_, i) =>
      i % 2 === 0 ? at(i, usage(0.01)) : at(i, { type: "tool_call", name: "t", callId: `${i}`, arguments: {} }),
    );
    const steps = buildTimeline({ startedAt: START, events });
    expect(steps).toHaveLength(5001);
    expect(steps.at(-1)).toMatchObject({ kind: "other", title: "95000 more events are left out", atMs: 99_999_000 });
    expect(steps.at(-1)?.costUsd).toBeCloseTo(500);
  });

  it("handles 100,000 usage events between two parts of a text, and endless parts", () => {
    const part: AgentEventBody = { type: "assistant_message", text: "abc" };
    const meter = Array.from({ length: 100_000 }, () => at(0, usage(0)));
    expect(buildTimeline({ events: [at(0, part), ...meter, at(0, part)] })[0]?.text).toBe("abcabc");
    expect(buildTimeline({ events: Array.from({ length: 100_000 }, () => at(0, part)) })[0]?.length).toBe(300_000);
  });

  it("limits the total text to what a page can show", () => {
    const message = "x".repeat(20_000);
    const steps = buildTimeline({ events: Array.from({ length: 1000 }, () => at(0, { type: "error", message })) });
    expect(JSON.stringify(steps).length).toBeLessThan(6_000_000);
    expect(steps.at(-1)?.length).toBe(20_000);
  });

  it("handles endlessly nested data", () => {
    const depth = 200_000;
    const data: unknown = JSON.parse(`${"[".repeat(depth)}${"]".repeat(depth)}`);
    const call = { type: "tool_call", callId: "1", name: "t", arguments: { data }, timestamp: START };
    const steps = buildTimeline({ events: [{ type: "odd", timestamp: START, data }, call] });
    expect(steps.map(({ text }) => text)).toEqual(steps.map(() => expect.stringContaining("cannot be shown")));
  });
});
