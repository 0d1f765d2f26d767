import type { Scored } from "../core/evaluator.js";
import { HeavyTaskError, TimeLimitError } from "../workers/pool.js";
import { undecided } from "./gold.js";

/** The scores that heavy work gives; none, with the reason, when it took too long or died. */
export async function scoredOrUndecided(fields: readonly string[], work: Promise<Scored>): Promise<Scored> {
  try {
    return await work;
  } catch (error) {
    if (error instanceof TimeLimitError || error instanceof HeavyTaskError) return undecided(fields, error.message);
    throw error;
  }
}
