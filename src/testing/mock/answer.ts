import type { MockToolCall } from "./tool-call.js";
import type { AnswerUsage } from "./usage.js";
import { CHARS_PER_TOKEN } from "./usage.js";

/** An `empty` answer has neither text nor choices. */
export type MockFinish = "stop" | "length" | "refusal" | "blocked" | "tool_calls" | "empty";

/** The answer to send, independent of the API format. */
export interface MockAnswer {
  /** Unique per request. */
  readonly id: string;
  /** Seconds since 1970. */
  readonly created: number;
  readonly model: string;
  /** Text before the tool call; empty if there is no call. */
  readonly preface: string;
  /** The text, or the arguments of the call as JSON. */
  readonly text: string;
  readonly call: MockToolCall | null;
  readonly finish: MockFinish;
  /** Actual usage. */
  readonly used: AnswerUsage;
  /** Reported usage; null to report nothing. */
  readonly usage: AnswerUsage | null;
  /** Reports usage with every chunk: rising or falling to the total. */
  readonly running: "up" | "down" | null;
  readonly wantsUsage: boolean;
  readonly sse: boolean;
}

export function startsWithText({ call, preface }: MockAnswer): boolean {
  return call === null || preface !== "";
}

/** Partial usage, for answers that report it with every chunk. */
export function getUsageSoFar({ usage, running }: MockAnswer, sent: number): AnswerUsage | null {
  if (usage === null || running === null) return null;
  return { ...usage, output: running === "up" ? Math.min(sent, usage.output) : 2 * usage.output + 1 - sent };
}

/** Never splits a surrogate pair. */
export function splitIntoChunks(text: string, chunkTokens: number): string[] {
  const size = chunkTokens * CHARS_PER_TOKEN;
  const chunks: string[] = [];
  for (let start = 0; start < text.length; ) {
    let end = Math.min(start + size, text.length);
    if (end < text.length && isLowSurrogate(text.charCodeAt(end))) end += 1;
    chunks.push(text.slice(start, end));
    start = end;
  }
  return chunks;
}

function isLowSurrogate(unit: number): boolean {
  return unit >= 0xdc00 && unit <= 0xdfff;
}
