import { hashSeed, type Seed } from "../../stats/random.js";

/** A number in [0, 1) that follows from the parts alone, so that a run repeats whatever order its requests come in. */
export function chance(...parts: readonly Seed[]): number {
  return hashSeed(...parts) / 2 ** 32;
}

/** Counts how often each task of each model came up. */
export class Occurrences {
  readonly #counts = new Map<string, number>();

  /** How often it came up before. */
  next(model: string, task: string): number {
    const key = `${model}\n${shortened(task)}`;
    const before = this.#counts.get(key) ?? 0;
    this.#counts.set(key, before + 1);
    return before;
  }
}

const LONGEST_KEY = 200;

/** Long prompts are told apart by a hash, so that they need not be kept. */
function shortened(task: string): string {
  return task.length <= LONGEST_KEY ? task : `${task.length}:${hashSeed(task)}:${hashSeed(1, task)}`;
}
