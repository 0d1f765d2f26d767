import { UsageError } from "../core/errors.js";
import type { ScoreContext, Scored } from "../core/evaluator.js";
import { type HeavyTask, HeavyTaskError, heavy, TimeLimitError } from "../exec/threads/pool.js";
import { undecided } from "./gold.js";

export function limitOf(evaluator: string, limitMs: unknown): number {
  if (typeof limitMs === "number" && limitMs > 0) return limitMs;
  throw new UsageError(`${evaluator}: limitMs must be a number of milliseconds above 0, not ${String(limitMs)}.`);
}

/** Work for a worker thread, and the fields that it scores. */
export interface HeavyScoring {
  fields: readonly string[];
  task: HeavyTask;
  input: unknown;
  limitMs: number;
  context: ScoreContext | undefined;
}

/**
 * Scores in a worker thread. If the work times out or fails, the fields stay unscored with the reason. An abort
 * rejects, since it says nothing about the row.
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
