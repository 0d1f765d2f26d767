import type { Usage } from "../../core/index.js";
import type { MockPrompt } from "./prompt.js";
import type { MockBehavior } from "./script.js";
import type { MockToolCall } from "./tool-call.js";

/** Exact counts would tie the mock to one provider's tokenizer. */
export const CHARS_PER_TOKEN = 4;

export function estimateTokens(text: string): number {
  return Math.ceil(text.length / CHARS_PER_TOKEN);
}

/** Usage of an answer, with every class of `Usage` set. */
export interface AnswerUsage extends Readonly<Required<Usage>> {
  /** Dollars, if the provider reports them. */
  readonly cost: number | null;
}

/** Classes that an API format can report besides fresh input, cache reads and output. */
export type UsageClass = "cacheWrite" | "cacheWrite1h" | "reasoning";

/** Counts the usage of a prompt and an answer, in the classes that the API format can report. */
export function countUsage(
  { usage = {} }: MockBehavior,
  prompt: MockPrompt,
  { sent, tells }: { sent: number; tells: readonly UsageClass[] },
): AnswerUsage {
  const reasoning = usage.reasoning ?? 0;
  const written = usage.cacheWrite ?? usage.cacheWrite1h ?? 0;
  const cacheWrite = tells.includes("cacheWrite") ? written : 0;
  return {
    input: (usage.input ?? estimatePromptTokens(prompt)) + written - cacheWrite,
    output: sent + reasoning,
    cacheRead: usage.cacheRead ?? 0,
    cacheWrite,
    cacheWrite1h: tells.includes("cacheWrite1h") ? (usage.cacheWrite1h ?? 0) : 0,
    reasoning: tells.includes("reasoning") ? reasoning : 0,
    cost: usage.cost ?? null,
  };
}

export function estimatePromptTokens({ texts, fileTokens }: MockPrompt): number {
  let chars = 0;
  for (const text of texts) chars += text.length;
  return Math.ceil(chars / CHARS_PER_TOKEN) + fileTokens;
}

/** Usage with this output, without classes that are 0, as in rows. */
export function omitZeroUsage(usage: AnswerUsage, output: number): Usage {
  const { input, cacheRead, cacheWrite, cacheWrite1h, reasoning } = usage;
  return {
    input,
    output,
    ...(cacheRead > 0 && { cacheRead }),
    ...(cacheWrite > 0 && { cacheWrite }),
    ...(cacheWrite1h > 0 && { cacheWrite1h }),
    ...(reasoning > 0 && { reasoning }),
  };
}

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
  readonly serviceTier: string | null;
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
