import { expect, it } from "vitest";
import type { AgentEvent } from "../../core/index.js";
import { mergeWireEvents } from "./merge.js";

const call = (callId: string, timestamp: number, more: object = {}): AgentEvent => ({
  type: "tool_call",
  name: "Bash",
  callId,
  arguments: {},
  timestamp,
  ...more,
});
const result = (callId: string, timestamp: number, more: object = {}): AgentEvent => ({
  type: "tool_result",
  callId,
  success: true,
  result: callId,
  timestamp,
  ...more,
});
const USAGE: AgentEvent = {
  type: "token_usage",
  model: "m",
  usage: { input: 1, output: 1 },
  costUsd: null,
  durationMs: 1,
  finish: "truncated",
  timestamp: 3,
};

it("keeps an agent's own events, and adds what it did not report", () => {
  const thread = { thread: "sub-agent 2" };
  const own = [call("a", 1), result("a", 2), call("b", 4), call("s", 6)];
  const wire = [
    call("a", 1, { name: "bash" }),
    result("a", 2, { result: "other" }),
    USAGE,
    call("b", 4),
    result("b", 5),
    call("s", 6, thread),
    result("s", 7, thread),
    call("hidden", 8, thread),
    result("hidden", 9, thread),
    call("elsewhere", 10),
    result("elsewhere", 11),
    { type: "assistant_message", text: "Said already.", timestamp: 12 } as const,
  ];
  expect(mergeWireEvents(own, wire)).toEqual([
    call("a", 1),
    result("a", 2),
    USAGE,
    call("b", 4),
    result("b", 5),
    call("s", 6, thread),
    result("s", 7, thread),
    call("hidden", 8, thread),
    result("hidden", 9, thread),
  ]);
});
