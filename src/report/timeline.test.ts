import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { AgentEvent, AgentEventBody, TrajectoryEvent } from "../core/trajectory.js";
import { measureColumns } from "./text-block.js";
import { renderTimeline } from "./timeline.js";

const START = 1_800_000_000_000;

/** Texts with control characters, wide characters, lone surrogates and plain ones. */
const HOSTILE = fc.string({
  unit: fc.constantFrom(
    "a",
    " ",
    "\n",
    "\r",
    "\t",
    "\u001b",
    "\u0007",
    "\u009b",
    "\u202e",
    "\u2066",
    "漢",
    "😀",
    "\ud800",
    "|",
  ),
  maxLength: 200,
});

function at(seconds: number, happening: AgentEventBody): AgentEvent {
  return { ...happening, timestamp: START + seconds * 1000 };
}

function usage(input: number, output: number, costUsd: number | null): AgentEventBody {
  return { type: "token_usage", model: "m-1", usage: { input, output, cacheRead: 100 }, costUsd, durationMs: 900 };
}

const WORK: AgentEvent[] = [
  at(0, { type: "user_message", text: "Create hello.txt" }),
  at(0.5, { type: "turn_start" }),
  at(1, { type: "reasoning", text: "Easy." }),
  at(1.2, { type: "assistant_message", text: "I will " }),
  at(1.3, { type: "assistant_message", text: "do it." }),
  at(1.5, { type: "tool_call", name: "Bash", callId: "1", arguments: { command: "echo hi > hello.txt" } }),
  at(1.6, usage(1000, 50, 0.01)),
  at(4, { type: "tool_result", callId: "1", success: true, result: "hi\n" }),
  at(4.1, { type: "turn_end" }),
  at(4.2, { type: "turn_start" }),
  at(5, { type: "tool_call", name: "Edit", callId: "2", arguments: { file_path: "b.txt", new_string: "x" } }),
  at(5, { type: "tool_result", callId: "2", success: false, result: "no such file" }),
  at(5.5, { type: "custom", name: "rate_limit", data: { left: 3 } }),
  at(5.6, { type: "custom", name: "rate_limit", data: { left: 2 } }),
  at(6, { type: "error", message: "overloaded" }),
  at(12.34, usage(2000, 10, 0.02)),
  at(13, { type: "tool_call", name: "Bash", callId: "3", arguments: { command: "sleep 9" } }),
];

describe("renderTimeline", () => {
  it("shows the work of an agent", () => {
    expect(renderTimeline({ startedAt: START, events: WORK })).toEqual([
      "   +0.0 s  user      Create hello.txt",
      "   +0.5 s  turn 1",
      "   +1.0 s  thinks    Easy.",
      "   +1.2 s  says      I will do it.",
      "   +1.5 s  calls     Bash: echo hi > hello.txt",
      "   +1.6 s  tokens    1,100 in, 50 out · so far 1,150 tokens, $0.0100 · m-1 · 900 ms",
      "   +4.0 s  ok        Bash after 2.5 s: hi",
      "   +4.2 s  turn 2",
      "   +5.0 s  calls     Edit: b.txt: x",
      "   +5.0 s  failed    Edit: no such file",
      "   +6.0 s  error     overloaded",
      "  +12.3 s  tokens    2,100 in, 10 out · so far 3,260 tokens, $0.0300 · m-1 · 900 ms",
      "  +13.0 s  calls     Bash (no result): sleep 9",
      "           other     2 events of other types, shown with --full: rate_limit ×2",
    ]);
  });

  it("does not show an incomplete sum as complete", () => {
    const lines = renderTimeline({ events: [at(0, usage(1, 1, null)), at(1, usage(1, 1, 0.5))] });
    expect(lines[0]).toContain("cost unknown");
    expect(lines[1]).toContain("at least $0.5000");
  });

  it("counts from the first event when no start is known, and backwards for the set-up", () => {
    expect(
      renderTimeline({ events: [at(7, { type: "error", message: "a" }), at(9, { type: "error", message: "b" })] }),
    ).toEqual(["   +0.0 s  error     a", "   +2.0 s  error     b"]);
    const [line] = renderTimeline({ startedAt: START, events: [at(-2, { type: "system", text: "npm ci" })] });
    expect(line).toBe("   -2.0 s  system    npm ci");
  });

  it("cuts long texts, and shows them whole on request", () => {
    const result = Array.from({ length: 50 }, (_, i) => `line ${i}`).join("\n");
    const events = [
      at(0, { type: "tool_call", name: "Write", callId: "1", arguments: { path: "a", content: "x\ny" } }),
      at(0, { type: "tool_result", callId: "1", success: true, result }),
      at(1, { type: "custom", name: "note", data: { a: 1 } }),
    ];
    const short = renderTimeline({ events });
    expect(short).toHaveLength(9);
    expect(short[7]).toBe(`${" ".repeat(21)}… 396 characters in all: --full`);
    const full = renderTimeline({ events }, { isFull: true }).join("\n");
    expect(full).toContain("line 49");
    expect(full).toContain('"content": "x\\ny"');
    expect(full).toContain('other     note: {"a":1}');
  });

  it("accepts any events, and prints no control characters", () => {
    const odd = fc.record({
      type: fc.oneof(fc.constantFrom(...WORK.map(({ type }) => type)), fc.string(), fc.constant("constructor")),
      timestamp: fc.oneof(fc.integer(), fc.constant(Number.NaN)),
      text: fc.jsonValue(),
      name: fc.oneof(fc.constant("\u001b]0;owned\u0007"), fc.jsonValue()),
      callId: fc.string(),
      arguments: fc.oneof(fc.constant({ command: "a\u001b[2J" }), fc.jsonValue()),
      result: fc.oneof(HOSTILE, fc.constant(null)),
      usage: fc.oneof(fc.constant(undefined), fc.constant({ input: "x" })),
      message: HOSTILE,
    });
    fc.assert(
      fc.property(fc.array(odd, { maxLength: 8 }), fc.boolean(), (events, isFull) => {
        const stored = JSON.parse(JSON.stringify(events)) as TrajectoryEvent[];
        const lines = renderTimeline({ events: stored }, { isFull });
        expect(lines.every((line) => measureColumns(line) <= 100)).toBe(true);
        expect(lines.join("")).not.toMatch(/[\p{Cc}\u202a-\u202e\u2066-\u2069]/u);
      }),
    );
  });
});

it("does not split a text at usage events", () => {
  const events = [
    at(1, { type: "turn_start" }),
    at(1, { type: "assistant_message", text: "The end of a pa" }),
    at(1, usage(1000, 50, 0.01)),
    at(1, { type: "assistant_message", text: "ge was wrong." }),
  ];
  const lines = renderTimeline({ startedAt: START, events }).join("\n");
  expect(lines).toContain("The end of a page was wrong.");
  expect(lines).toContain("so far");
});
