import type { ScoreContext, Scored } from "../core/index.js";
import { UsageError } from "../core/index.js";
import { runInThread, type ThreadTask, ThreadTaskError, TimeLimitError } from "../exec/index.js";
import { markUnscored } from "./gold.js";

export function requireTimeLimit(evaluator: string, limitMs: unknown): number {
  if (typeof limitMs === "number" && limitMs > 0) return limitMs;
  throw new UsageError(`${evaluator}: limitMs must be a number of milliseconds above 0, not ${String(limitMs)}.`);
}

/** Work for a worker thread, and the fields that it scores. */
export interface ThreadScoring {
  fields: readonly string[];
  task: ThreadTask;
  input: unknown;
  limitMs: number;
  context: ScoreContext | undefined;
}

/**
 * Scores in a worker thread. If the work times out or fails, the fields stay unscored with the reason. An abort
 * rejects, since it says nothing about the row.
 */
export function scoreInThread<T>(work: ThreadScoring, scored: (found: T) => Scored): Promise<Scored> {
  const { fields, task, input, limitMs, context } = work;
  const options = { limitMs, ...(context === undefined ? {} : { signal: context.signal }) };
  return settleThreadScore(fields, runInThread<T>(task, input, options).then(scored));
}

async function settleThreadScore(fields: readonly string[], work: Promise<Scored>): Promise<Scored> {
  try {
    return await work;
  } catch (error) {
    if (error instanceof TimeLimitError || error instanceof ThreadTaskError) return markUnscored(fields, error.message);
    throw error;
  }
}
