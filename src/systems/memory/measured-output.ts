import { TrialError } from "../../core/errors.js";
import { describe } from "../../core/shape.js";
import type { Output } from "../../core/system.js";
import type { Tokenizer } from "../../core/tokenizer.js";
import type { MemoryAnswer } from "./memory-system.js";

/** What was measured of one trial, in milliseconds and tokens. */
export interface Measured {
  readonly queryMs: number;
  readonly historyTokens: number;
  /** Null on all rows but that of the trial that had the conversation taken in. */
  readonly ingestMs: number | null;
}

interface Told {
  /** The memory's name, for messages. */
  readonly memory: string;
  readonly tokenizer: () => Tokenizer;
}

/** The names of what is measured: a memory's own values under them are no measurement. */
const MEASURED: readonly string[] = ["queryMs", "historyTokens", "ingestMs", "contextTokens"];

/** What a memory answered, with what was measured of it. */
export function measuredOutput(told: MemoryAnswer, measured: Measured, about: Told): Output {
  const { answer, context, contextTokens: _, metadata, ...known } = told;
  const contextTokens = tokensOf(told, about);
  const { ingestMs, ...always } = measured;
  return {
    latency: measured.queryMs / 1000,
    ...known,
    response: answer,
    // Not as a text of its own: what a memory brings up is not what it wrote.
    ...(context === undefined ? {} : { retrieved: { context } }),
    metadata: {
      ...withoutMeasured(metadata),
      ...always,
      ...(contextTokens === undefined ? {} : { contextTokens }),
      ...(ingestMs === null ? {} : { ingestMs }),
    },
  };
}

/** A memory's own count, or that of the context it tells; undefined where it tells neither. */
function tokensOf(told: MemoryAnswer, { memory, tokenizer }: Told): number | undefined {
  const { context, contextTokens } = told;
  const refuse = (field: string, value: unknown, wanted: string) =>
    new TrialError(
      "system_error",
      `query() of the memory "${memory}" gave ${describe(value)} as \`${field}\`. It must be ${wanted}, or left out.`,
      { spent: spentOn(told) },
    );
  if (context !== undefined && typeof context !== "string") throw refuse("context", context, "a text");
  if (contextTokens === undefined) return context === undefined ? undefined : tokenizer().count(context);
  if (Number.isFinite(contextTokens) && contextTokens >= 0) return contextTokens;
  throw refuse("contextTokens", contextTokens, "a number from 0 up");
}

/** The answer is paid for, whatever is wrong with it. */
function spentOn({ usage, costUsd, partial }: MemoryAnswer) {
  return {
    ...(usage === undefined ? {} : { usage }),
    ...(costUsd === undefined ? {} : { costUsd }),
    ...(partial === undefined ? {} : { partial }),
  };
}

/** Null, too, is what answers that come from elsewhere have in a field that they leave out. */
function withoutMeasured(metadata: MemoryAnswer["metadata"] | null): Record<string, unknown> {
  return Object.fromEntries(Object.entries(metadata ?? {}).filter(([key]) => !MEASURED.includes(key)));
}
