import type { Usage } from "../core/system.js";
import type { AgentFigures } from "./adapter.js";

/** Adds up the usage that a program reports for each request. */
export class AgentFiguresSum {
  #usage: Usage | null = null;
  #costUsd = 0;
  isPartial = false;

  /** Classes that are never reported are omitted, because they are not known to be 0. */
  add(usage: Readonly<Usage>, costUsd: unknown): void {
    const sum: Usage = this.#usage ?? { input: 0, output: 0 };
    for (const [key, count] of Object.entries(usage) as [keyof Usage, number][]) sum[key] = (sum[key] ?? 0) + count;
    this.#usage = sum;
    if (typeof costUsd === "number" && costUsd > 0 && Number.isFinite(costUsd)) this.#costUsd += costUsd;
  }

  /** A cost of 0 means that the program has no price. */
  get figures(): AgentFigures {
    const usage = this.#usage === null ? null : { ...this.#usage };
    return { usage, costUsd: this.#costUsd > 0 ? this.#costUsd : null, isPartial: this.isPartial };
  }
}

/**
 * Parses a reported number of tokens; 0 when it is invalid.
 * @example
 * parseTokenCount(12); // 12
 * parseTokenCount(-1); // 0
 */
export function parseTokenCount(value: unknown): number {
  return typeof value === "number" && Number.isSafeInteger(value) && value > 0 ? value : 0;
}
