import type { Usage } from "../../core/system.js";
import type { MockPrompt } from "./prompt.js";
import type { MockBehavior } from "./script.js";

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

export function estimatePromptTokens({ texts }: MockPrompt): number {
  let chars = 0;
  for (const text of texts) chars += text.length;
  return Math.ceil(chars / CHARS_PER_TOKEN);
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
