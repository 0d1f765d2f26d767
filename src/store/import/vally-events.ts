import type { AgentEvent, AgentHappening, Trajectory } from "../../core/trajectory.js";
import { asText, countOf, fieldOf, flagOf, isObject, type JsonObject, momentOf, objectOf, textOf } from "./fields.js";
import { usageFrom } from "./usage.js";

/** The events of a trial in our words; null when the record holds none that can be placed in time. */
export function vallyTrajectory(record: JsonObject): Trajectory | null {
  const events = eventsIn(record).filter(isObject).map(eventOf);
  const known = events.filter((event) => event !== null);
  const first = known[0];
  return first === undefined ? null : { events: known, startedAt: first.timestamp };
}

function eventsIn(record: JsonObject): readonly unknown[] {
  const events = fieldOf(objectOf(record, "trajectory"), "events");
  return Array.isArray(events) ? events : [];
}

/** Our own files hold events in our own words already, with numbers for moments. */
function eventOf(event: JsonObject): AgentEvent | null {
  const timestamp = momentOf(event, "timestamp");
  if (timestamp === null) return null;
  if (!isObject(event.data) && typeof event.type === "string" && typeof event.timestamp === "number")
    return { ...event, timestamp } as AgentEvent;
  return { ...happeningOf(textOf(event, "type") ?? "", objectOf(event, "data")), timestamp };
}

type Reader = (data: JsonObject) => AgentHappening;

const READERS: Readonly<Record<string, Reader>> = {
  tool_call: (data) => ({
    type: "tool_call",
    name: textOf(data, "toolName", "name") ?? "",
    callId: textOf(data, "toolCallId", "callId") ?? "",
    arguments: fieldOf(data, "arguments") ?? {},
  }),
  tool_result: (data) => ({
    type: "tool_result",
    callId: textOf(data, "toolCallId", "callId") ?? "",
    success: flagOf(data, "success") ?? true,
    result: asText(fieldOf(data, "result", "error")),
  }),
  token_usage: (data) => ({
    type: "token_usage",
    model: textOf(data, "model") ?? null,
    usage: usageFrom({
      input: countOf(data, "inputTokens"),
      output: countOf(data, "outputTokens"),
      cacheRead: countOf(data, "cacheReadTokens"),
      cacheWrite: countOf(data, "cacheWriteTokens"),
      inputHoldsCache: true,
    }) ?? { input: 0, output: 0 },
    costUsd: null,
    durationMs: countOf(data, "durationMs") ?? 0,
  }),
  turn_start: () => ({ type: "turn_start" }),
  turn_end: () => ({ type: "turn_end" }),
  user_message: (data) => ({ type: "user_message", text: wordsOf(data) }),
  assistant_message: (data) => ({ type: "assistant_message", text: wordsOf(data) }),
  reasoning: (data) => ({ type: "reasoning", text: wordsOf(data) }),
  skill_activation: (data) => ({ type: "skill_activation", name: textOf(data, "skillName", "name", "skill") ?? "" }),
  error: (data) => ({ type: "error", message: textOf(data, "message", "error") ?? asText(data) }),
};

function happeningOf(type: string, data: JsonObject): AgentHappening {
  const reader = Object.hasOwn(READERS, type) ? READERS[type] : undefined;
  return reader === undefined ? { type: "custom", name: type, data } : reader(data);
}

function wordsOf(data: JsonObject): string {
  return asText(fieldOf(data, "content", "text", "message"));
}
