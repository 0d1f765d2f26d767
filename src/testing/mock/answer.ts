import type { ToolCall } from "./tool-call.js";
import type { AnswerUsage } from "./usage.js";
import { CHARS_PER_TOKEN } from "./usage.js";

/** How an answer ends. An `empty` one has neither text nor choices. */
export type MockFinish = "stop" | "length" | "refusal" | "blocked" | "tool_calls" | "empty";

/** What is to be sent back, in no dialect. */
export interface Answer {
  /** Different for every request. */
  readonly id: string;
  /** Seconds since 1970. */
  readonly created: number;
  readonly model: string;
  /** What is said before the call; empty for an answer without one. */
  readonly preface: string;
  /** The text, or the arguments of the call as JSON. */
  readonly text: string;
  readonly call: ToolCall | null;
  readonly finish: MockFinish;
  /** What was really used. */
  readonly used: AnswerUsage;
  /** What is said at the end to have been used; null to say nothing. */
  readonly usage: AnswerUsage | null;
  /** Usage with every chunk: up to the total, or down to it. */
  readonly running: "up" | "down" | null;
  readonly wantsUsage: boolean;
  readonly sse: boolean;
}

/** True when the first thing in the answer is a text. */
export function beginsWithText({ call, preface }: Answer): boolean {
  return call === null || preface !== "";
}

/** What is said to have been used part-way, by an answer that tells it with every chunk. */
export function usageSoFar({ usage, running }: Answer, sent: number): AnswerUsage | null {
  if (usage === null || running === null) return null;
  return { ...usage, output: running === "up" ? Math.min(sent, usage.output) : 2 * usage.output + 1 - sent };
}

/** Cuts a text into chunks of so many tokens. A character of two code units is never cut in half. */
export function chunksOf(text: string, chunkTokens: number): string[] {
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
