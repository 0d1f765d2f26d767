import { UsageError } from "../core/errors.js";
import type { ScoreContext, Scored } from "../core/evaluator.js";
import { type HeavyTask, HeavyTaskError, heavy, TimeLimitError } from "../exec/threads/pool.js";
import { undecided } from "./gold.js";

/** A limit as it was given to an evaluator; throws when it is none. */
export function limitOf(evaluator: string, limitMs: unknown): number {
  if (typeof limitMs === "number" && limitMs > 0) return limitMs;
  throw new UsageError(`${evaluator}: limitMs must be a number of milliseconds above 0, not ${String(limitMs)}.`);
}

/** An item of heavy work, and the fields that it decides. */
export interface HeavyScoring {
  fields: readonly string[];
  task: HeavyTask;
  input: unknown;
  limitMs: number;
  context: ScoreContext | undefined;
}

/**
 * The scores of what heavy work finds; none, with the reason, when it took too long or died. Work that is taken back
 * rejects: it says nothing about the row.
 */
export function heavyScored<T>(work: HeavyScoring, scored: (found: T) => Scored): Promise<Scored> {
  const { fields, task, input, limitMs, context } = work;
  const options = { limitMs, ...(context === undefined ? {} : { signal: context.signal }) };
  return scoredOrUndecided(fields, heavy<T>(task, input, options).then(scored));
}

async function scoredOrUndecided(fields: readonly string[], work: Promise<Scored>): Promise<Scored> {
  try {
    return await work;
  } catch (error) {
    if (error instanceof TimeLimitError || error instanceof HeavyTaskError) return undecided(fields, error.message);
    throw error;
  }
}
