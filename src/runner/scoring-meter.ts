import type { ScoreMeter, ScoringCost } from "../core/evaluator.js";
import type { Usage } from "../core/system.js";
import { amount, usageOf } from "./billed.js";

/** Costs are whole pico-dollars; sums of fractions are not quite. */
const PICO = 1e12;

/** Adds up what the evaluators of one output spend. */
export class ScoringMeter implements ScoreMeter {
  /** True when a part of the cost is not known. */
  isUnknown = false;
  #costUsd: number | null = null;
  #usage: Usage | null = null;

  add({ costUsd, usage }: ScoringCost): void {
    const cost = amount(costUsd);
    if (cost === null) this.isUnknown = true;
    else this.#costUsd = Math.round(((this.#costUsd ?? 0) + cost) * PICO) / PICO;
    const used = usageOf(usage);
    if (used !== null) this.#usage = this.#usage === null ? used : sum(this.#usage, used);
  }

  /** All that was added; null when nothing was. A cost that is known in part is what is known of it. */
  get spent(): ScoringCost | null {
    if (this.#costUsd === null && this.#usage === null) return null;
    return { costUsd: this.#costUsd, ...(this.#usage === null ? {} : { usage: this.#usage }) };
  }
}

function sum(a: Usage, b: Usage): Usage {
  const total: Record<string, number> = { ...a };
  for (const [name, count] of Object.entries(b)) total[name] = (total[name] ?? 0) + (count as number);
  return total as unknown as Usage;
}
