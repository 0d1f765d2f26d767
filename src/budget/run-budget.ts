import { BudgetError } from "../core/errors.js";
import { dollars, picoDollars } from "./price.js";
import { amount, requireRule } from "./rules.js";
import { RunningQuantile } from "./running-quantile.js";

/** What a whole run may spend, and what a run that is resumed has spent already. */
export interface RunBudgetOptions {
  readonly maxCostUsd: number;
  readonly spentUsd?: number;
}

/** Money set aside for one trial until its cost is known. */
export interface Reservation {
  readonly reservedUsd: number;
}

export interface ReserveOptions {
  /** The most that this trial can cost, worked out from its prompt and its longest answer. */
  readonly canCostUsd?: number | undefined;
}

/** How a trial ended, as far as its cost goes. */
export interface SettleOptions {
  /** False for a trial that failed: its cost is spent all the same, but says nothing about what others will cost. */
  readonly isTypical?: boolean;
}

/** What was set aside for trials of one kind. */
export interface ReservedFigures {
  /** The most, before others had shown what they cost; null when none was admitted by then. */
  readonly firstUsd: number | null;
  /** The last, by what others had cost; null when too few have shown it. */
  readonly learntUsd: number | null;
}

/** What is set aside for one trial; `isProbe` when it is a guess from too few. */
interface Held {
  readonly pico: bigint;
  readonly isProbe: boolean;
  readonly kind: Experience;
}

/** What trials of one kind have cost so far, and what was set aside for them. */
interface Experience {
  readonly costs: RunningQuantile;
  largest: bigint;
  probes: number;
  first: bigint | null;
  learnt: bigint | null;
}

/** Trials of which nothing says what they can cost run one by one until this many have shown it. */
const FIRST_FEW = 5;

/** As many trials of a kind have to show what they cost before that decides how much is set aside for others. */
export const ENOUGH_TRIALS = 20;
/** What is set aside then: this much of this quantile of what they have cost. */
export const USUAL_QUANTILE = 0.95;
export const USUAL_MARGIN = 1.5;

/**
 * The budget of a whole run. A trial starts only when what is spent, what is set aside for the trials that are out and
 * what it can cost itself fit together; what the run spends exceeds the budget by no more than its trials exceed what was
 * set aside for them.
 * @example
 * const budget = new RunBudget({ maxCostUsd: 5 });
 * const reservation = budget.reserve(0.3);
 * if (typeof reservation !== "string") budget.settle(reservation, 0.12);
 */
export class RunBudget {
  readonly maxCostUsd: number;
  readonly #max: bigint;
  readonly #held = new Map<Reservation, Held>();
  readonly #kinds = new Map<string, Experience>();
  /** Bigints: a run may well spend more than the $9,007 that safe integers hold. */
  #spent: bigint;
  #reserved = 0n;
  #isRefusing = false;
  #unknownCosts = 0;
  #unknown = 0n;

  constructor({ maxCostUsd, spentUsd = 0 }: RunBudgetOptions) {
    requireRule("maxCostUsd", maxCostUsd, amount);
    requireRule("spentUsd", spentUsd, amount);
    if (maxCostUsd === 0)
      throw new BudgetError("The budget of a run must be above 0. Leave it out to run without a limit.");
    this.maxCostUsd = maxCostUsd;
    this.#max = BigInt(picoDollars(maxCostUsd));
    this.#spent = BigInt(picoDollars(spentUsd));
  }

  /** All that was settled, and what a resumed run had spent before. */
  get spentUsd(): number {
    return dollars(Number(this.#spent));
  }

  /** True once a trial was refused: no other will be admitted. */
  get isRefusing(): boolean {
    return this.#isRefusing;
  }

  /** Trials whose cost nobody knows; each counts as all that was set aside for it. */
  get unknownCosts(): number {
    return this.#unknownCosts;
  }

  /** What these count as. */
  get unknownUsd(): number {
    return dollars(Number(this.#unknown));
  }

  /** What was set aside for trials of a kind. */
  reservedFor(kind: string): ReservedFigures {
    const { first = null, learnt = null } = this.#kinds.get(kind) ?? {};
    return {
      firstUsd: first === null ? null : dollars(Number(first)),
      learntUsd: learnt === null ? null : dollars(Number(learnt)),
    };
  }

  /**
   * Asks for a trial that may cost `maxCostUsd` at most; 0 and null mean that it has no limit of its own. The answer
   * "wait" holds until another trial is settled, "refuse" for good and for everyone. As much is set aside as the trial
   * can cost; once enough others of its `kind` have shown what they cost, such as those of the same system, it is half as
   * much again as nearly all of them, and never more than its limit.
   */
  reserve(maxCostUsd: number | null, kind = "", { canCostUsd }: ReserveOptions = {}): Reservation | "wait" | "refuse" {
    requireRule("maxCostUsd", maxCostUsd ?? 0, amount);
    requireRule("canCostUsd", canCostUsd ?? 0, amount);
    if (this.#isRefusing) return "refuse";
    const wanted = this.#wanted({ limit: maxCostUsd ?? 0, canCostUsd }, this.#experienceOf(kind));
    if (wanted.isProbe && wanted.kind.probes > 0) return "wait";
    if (this.#fits(wanted)) return this.#hold(wanted);
    // Trials that are out may give back a part of what is set aside for them.
    if (this.#held.size > 0) return "wait";
    this.#isRefusing = true;
    return "refuse";
  }

  /**
   * Puts what a trial cost, over all its attempts and however it ended, in the place of what was set aside for it. Null
   * means that nobody knows.
   */
  settle(reservation: Reservation, costUsd: number | null, { isTypical = true }: SettleOptions = {}): void {
    requireRule("costUsd", costUsd ?? 0, amount);
    const held = this.#release(reservation);
    if (costUsd === null) {
      this.#unknownCosts += 1;
      this.#unknown += held.pico;
      this.#spent += held.pico;
      // Counted as seen, or trials whose cost nobody ever tells would run one by one to the end.
      if (isTypical) observe(held.kind, held.pico);
      return;
    }
    const pico = BigInt(picoDollars(costUsd));
    this.#spent += pico;
    if (isTypical) observe(held.kind, pico);
  }

  /** Adds what was spent beside the trials themselves, such as on judging them. */
  spend(costUsd: number): void {
    requireRule("costUsd", costUsd, amount);
    this.#spent += BigInt(picoDollars(costUsd));
  }

  /** Takes note of what a trial of a kind has cost that was paid for before. */
  learn(costUsd: number, kind = ""): void {
    requireRule("costUsd", costUsd, amount);
    observe(this.#experienceOf(kind), BigInt(picoDollars(costUsd)));
  }

  #experienceOf(kind: string): Experience {
    const known = this.#kinds.get(kind) ?? {
      costs: new RunningQuantile(USUAL_QUANTILE),
      largest: 0n,
      probes: 0,
      first: null,
      learnt: null,
    };
    this.#kinds.set(kind, known);
    return known;
  }

  #wanted({ limit, canCostUsd }: { limit: number; canCostUsd: number | undefined }, kind: Experience): Held {
    const most = limit > 0 ? BigInt(picoDollars(limit)) : null;
    const atMost = (pico: bigint) => (most !== null && most < pico ? most : pico);
    if (kind.costs.count >= ENOUGH_TRIALS) {
      kind.learnt = atMost(BigInt(Math.ceil(kind.costs.value * USUAL_MARGIN)));
      return { pico: kind.learnt, isProbe: false, kind };
    }
    if (canCostUsd !== undefined) return { pico: atMost(BigInt(picoDollars(canCostUsd))), isProbe: false, kind };
    if (most !== null) return { pico: most, isProbe: false, kind };
    return { pico: kind.largest, isProbe: kind.costs.count < FIRST_FEW, kind };
  }

  /** Nothing may be known of what a probe costs, so that something at least must be left for it. */
  #fits({ pico, isProbe }: Held): boolean {
    const left = this.#max - this.#spent - this.#reserved;
    return isProbe && pico === 0n ? left > 0n : pico <= left;
  }

  #hold(held: Held): Reservation {
    const { pico, isProbe, kind } = held;
    const reservation = { reservedUsd: dollars(Number(pico)) };
    this.#held.set(reservation, held);
    this.#reserved += pico;
    if (isProbe) kind.probes += 1;
    if (kind.learnt === null && pico > (kind.first ?? -1n)) kind.first = pico;
    return reservation;
  }

  #release(reservation: Reservation): Held {
    const held = this.#held.get(reservation);
    if (held === undefined) throw new RangeError("This reservation was settled before, or is another budget's.");
    this.#held.delete(reservation);
    this.#reserved -= held.pico;
    if (held.isProbe) held.kind.probes -= 1;
    return held;
  }
}

function observe(kind: Experience, pico: bigint): void {
  kind.costs.add(Number(pico));
  if (pico > kind.largest) kind.largest = pico;
}
