import type { Usage } from "../../core/system.js";
import type { Prompt } from "./prompt.js";
import type { MockBehaviour } from "./script.js";

/** A token is this many characters here: exact counts would tie the mock to one provider's tokenizer. */
export const CHARS_PER_TOKEN = 4;

export function tokensIn(text: string): number {
  return Math.ceil(text.length / CHARS_PER_TOKEN);
}

/** What an answer uses; the classes are those of `Usage`, every one filled in. */
export interface AnswerUsage extends Readonly<Required<Usage>> {
  /** Dollars, when the provider says. */
  readonly cost: number | null;
}

/** The classes that a dialect has words for, besides fresh input, cache reads and output. */
export type UsageClass = "cacheWrite" | "cacheWrite1h" | "reasoning";

/** Counts what a prompt and an answer use, in the classes that the dialect can tell. */
export function usageOf(
  { usage = {} }: MockBehaviour,
  prompt: Prompt,
  { sent, tells }: { sent: number; tells: readonly UsageClass[] },
): AnswerUsage {
  const reasoning = usage.reasoning ?? 0;
  const written = usage.cacheWrite ?? usage.cacheWrite1h ?? 0;
  const cacheWrite = tells.includes("cacheWrite") ? written : 0;
  return {
    input: (usage.input ?? inputTokens(prompt)) + written - cacheWrite,
    output: sent + reasoning,
    cacheRead: usage.cacheRead ?? 0,
    cacheWrite,
    cacheWrite1h: tells.includes("cacheWrite1h") ? (usage.cacheWrite1h ?? 0) : 0,
    reasoning: tells.includes("reasoning") ? reasoning : 0,
    cost: usage.cost ?? null,
  };
}

/** The tokens of a prompt at four characters each. */
export function inputTokens({ texts }: Prompt): number {
  let chars = 0;
  for (const text of texts) chars += text.length;
  return Math.ceil(chars / CHARS_PER_TOKEN);
}

/** The usage with this output instead, without the classes that are 0, as rows have it. */
export function compactUsage(usage: AnswerUsage, output: number): Usage {
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
