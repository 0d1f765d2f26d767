import { hashSeed, type Seed } from "../../stats/index.js";

/** A number in [0, 1) that depends only on the arguments, so that results do not depend on the order of requests. */
export function drawRandom(...parts: readonly Seed[]): number {
  return hashSeed(...parts) / 2 ** 32;
}

/** Counts the requests of each task and model. */
export class Occurrences {
  readonly #counts = new Map<string, number>();

  /** Returns the number of earlier requests. */
  next(model: string, task: string): number {
    const key = `${model}\n${shortenKey(task)}`;
    const before = this.#counts.get(key) ?? 0;
    this.#counts.set(key, before + 1);
    return before;
  }
}

const MAX_KEY_LENGTH = 200;

/** Long prompts are replaced by a hash to save memory. */
function shortenKey(task: string): string {
  return task.length <= MAX_KEY_LENGTH ? task : `${task.length}:${hashSeed(task)}:${hashSeed(1, task)}`;
}
