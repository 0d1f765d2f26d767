import type { ScoreMeter, ScoringCost, Usage } from "../core/index.js";
import { toAmount, validateUsage } from "./cost.js";

/** Costs are whole pico-dollars; sums of fractions need rounding. */
const PICO = 1e12;

/** Sums what the evaluators of one output, or the simulated user of one trial, have spent. */
export class SpendingMeter implements ScoreMeter {
  /** True if a part of the cost is unknown. */
  isUnknown = false;
  #costUsd: number | null = null;
  #usage: Usage | null = null;

  add({ costUsd, usage }: ScoringCost): void {
    const cost = toAmount(costUsd);
    if (cost === null) this.isUnknown = true;
    else this.#costUsd = Math.round(((this.#costUsd ?? 0) + cost) * PICO) / PICO;
    const used = validateUsage(usage);
    if (used !== null) this.#usage = this.#usage === null ? used : sumUsage(this.#usage, used);
  }

  /** The total so far; null if nothing was added. A partly unknown cost is the sum of its known parts. */
  get spent(): ScoringCost | null {
    if (this.#costUsd === null && this.#usage === null) return null;
    return { costUsd: this.#costUsd, ...(this.#usage === null ? {} : { usage: this.#usage }) };
  }
}

function sumUsage(a: Usage, b: Usage): Usage {
  const total: Record<string, number> = { ...a };
  for (const [name, count] of Object.entries(b)) total[name] = (total[name] ?? 0) + (count as number);
  return total as unknown as Usage;
}
