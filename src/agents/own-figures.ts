import type { Usage } from "../core/system.js";
import type { AgentFigures } from "./adapter.js";

/** Adds up what a program says it has used, one request after the other. */
export class OwnFigures {
  #usage: Usage | null = null;
  #costUsd = 0;
  isPartial = false;

  /** Classes that a program never tells of stay out of the sum: they are not known to be 0. */
  add(usage: Readonly<Usage>, costUsd: unknown): void {
    const sum: Usage = this.#usage ?? { input: 0, output: 0 };
    for (const [key, count] of Object.entries(usage) as [keyof Usage, number][]) sum[key] = (sum[key] ?? 0) + count;
    this.#usage = sum;
    if (typeof costUsd === "number" && costUsd > 0 && Number.isFinite(costUsd)) this.#costUsd += costUsd;
  }

  /** A cost of nothing is one that the program has no price for. */
  get figures(): AgentFigures {
    const usage = this.#usage === null ? null : { ...this.#usage };
    return { usage, costUsd: this.#costUsd > 0 ? this.#costUsd : null, isPartial: this.isPartial };
  }
}

/**
 * A number of tokens as a program tells it; 0 for whatever is none.
 * @example
 * countOf(12); // 12
 * countOf(-1); // 0
 */
export function countOf(value: unknown): number {
  return typeof value === "number" && Number.isSafeInteger(value) && value > 0 ? value : 0;
}
