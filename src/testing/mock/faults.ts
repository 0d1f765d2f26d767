import type { FaultKind, MockFault } from "./script.js";
import { drawRandom } from "./seeded-random.js";

/** The properties of a request that faults depend on. */
export interface FaultSubject {
  readonly model: string;
  readonly task: string;
  /** Number of earlier requests of this task. */
  readonly arrival: number;
}

export interface ChosenFault extends Omit<MockFault, "kind"> {
  readonly kind: FaultKind;
}

/** Chooses which requests fail, and how. */
export class FaultPlan {
  readonly #seed: number;
  readonly #faults: readonly { readonly fault: ChosenFault; seen: number }[];
  /** False if no choice depends on the task, which then need not be counted. */
  readonly usesChance: boolean;

  constructor(faults: readonly MockFault[], seed: number) {
    this.#seed = seed;
    this.#faults = faults.map((fault) => ({ fault: { ...fault, kind: String(fault.kind) as FaultKind }, seen: 0 }));
    this.usesChance = faults.some(({ rate }) => rate !== undefined);
  }

  /** All faults share one draw, so that their rates add up. */
  choose({ model, task, arrival }: FaultSubject): ChosenFault | null {
    if (this.#faults.length === 0) return null;
    let draw = this.usesChance ? drawRandom(this.#seed, "fault", model, task, arrival) : 0;
    let chosen: ChosenFault | null = null;
    for (const entry of this.#faults) {
      const { fault } = entry;
      if (fault.model !== undefined && fault.model !== model) continue;
      entry.seen += 1;
      if (chosen !== null || !isDue(fault, entry.seen)) continue;
      const rate = fault.rate ?? 1;
      if (draw < rate) chosen = fault;
      else draw -= rate;
    }
    return chosen;
  }
}

function isDue({ first, every }: ChosenFault, seen: number): boolean {
  return (first === undefined || seen <= first) && (every === undefined || seen % every === 0);
}
