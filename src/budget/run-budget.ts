import { BudgetError } from "../core/index.js";
import { toDollars, toPicoDollars } from "./price.js";
import { checkAmount, requireRule } from "./rules.js";
import { RunningQuantile } from "./running-quantile.js";

/** The budget of a run, and what a resumed run has already spent. */
export interface RunBudgetOptions {
  readonly maxCostUsd: number;
  readonly spentUsd?: number;
}

/** Budget reserved for one trial until its cost is known. */
export interface Reservation {
  readonly reservedUsd: number;
}

export interface ReserveOptions {
  /** The most this trial can cost, computed from its prompt and its longest answer. */
  readonly canCostUsd?: number | undefined;
}

/** Options of `RunBudget.settle`. */
export interface SettleOptions {
  /** False for a failed trial: its cost counts as spent but is not used to predict the cost of others. */
  readonly isTypical?: boolean;
}

/** What was reserved for trials of one kind. */
export interface ReservedFigures {
  /** The largest reservation before costs were known; null when no trial was admitted by then. */
  readonly firstUsd: number | null;
  /** The last reservation based on known costs; null when there were too few. */
  readonly learntUsd: number | null;
}

/** `isProbe` when too few costs are known for a real estimate. */
interface HeldReservation {
  readonly pico: bigint;
  readonly isProbe: boolean;
  readonly kind: CostHistory;
}

/** What trials of one kind have cost so far, and what was reserved for them. */
interface CostHistory {
  readonly costs: RunningQuantile;
  largest: bigint;
  probes: number;
  first: bigint | null;
  learnt: bigint | null;
}

/** Trials of unknown cost run one at a time until this many have finished. */
const MIN_PROBES = 5;

/** Trials of a kind that must finish before their costs determine the reservations. */
export const MIN_TRIALS = 20;
/** The reservation is then this margin times this quantile of their costs. */
export const RESERVE_QUANTILE = 0.95;
export const RESERVE_MARGIN = 1.5;

/**
 * The budget of a whole run. A trial starts only when the amount spent, the reservations of running trials and its own
 * maximum cost fit together. The run exceeds its budget by no more than its trials exceed their reservations.
 * @example
 * const budget = new RunBudget({ maxCostUsd: 5 });
 * const reservation = budget.reserve(0.3);
 * if (typeof reservation !== "string") budget.settle(reservation, 0.12);
 */
export class RunBudget {
  readonly maxCostUsd: number;
  readonly #max: bigint;
  readonly #held = new Map<Reservation, HeldReservation>();
  readonly #kinds = new Map<string, CostHistory>();
  /** Bigints, because a run may spend more than the $9,007 that safe integers can hold. */
  #spent: bigint;
  #reserved = 0n;
  #isRefusing = false;
  #unknownCosts = 0;
  #unknown = 0n;

  constructor({ maxCostUsd, spentUsd = 0 }: RunBudgetOptions) {
    requireRule("maxCostUsd", maxCostUsd, checkAmount);
    requireRule("spentUsd", spentUsd, checkAmount);
    if (maxCostUsd === 0) throw new BudgetError("The budget of a run must be above 0. Omit it to run without a limit.");
    this.maxCostUsd = maxCostUsd;
    this.#max = BigInt(toPicoDollars(maxCostUsd));
    this.#spent = BigInt(toPicoDollars(spentUsd));
  }

  /** Everything settled, including what a resumed run had spent before. */
  get spentUsd(): number {
    return toDollars(Number(this.#spent));
  }

  /** True once a trial was refused; no other will be admitted. */
  get isRefusing(): boolean {
    return this.#isRefusing;
  }

  /** Number of trials of unknown cost; each counts as its whole reservation. */
  get unknownCosts(): number {
    return this.#unknownCosts;
  }

  /** The total reserved for trials of unknown cost. */
  get unknownUsd(): number {
    return toDollars(Number(this.#unknown));
  }

  /** What was reserved for trials of a kind. */
  reservedFor(kind: string): ReservedFigures {
    const { first = null, learnt = null } = this.#kinds.get(kind) ?? {};
    return {
      firstUsd: first === null ? null : toDollars(Number(first)),
      learntUsd: learnt === null ? null : toDollars(Number(learnt)),
    };
  }

  /**
   * Reserves budget for a trial that may cost at most `maxCostUsd`; 0 and null mean no limit. "wait" applies until another
   * trial is settled, "refuse" to all further trials of the run. Reserves the most the trial can cost or, once enough other
   * trials of its `kind` (such as the same system) have finished, 1.5 × the 95th percentile of their costs, at most its limit.
   */
  reserve(maxCostUsd: number | null, kind = "", { canCostUsd }: ReserveOptions = {}): Reservation | "wait" | "refuse" {
    requireRule("maxCostUsd", maxCostUsd ?? 0, checkAmount);
    requireRule("canCostUsd", canCostUsd ?? 0, checkAmount);
    if (this.#isRefusing) return "refuse";
    const wanted = this.#planReservation({ limit: maxCostUsd ?? 0, canCostUsd }, this.#getHistory(kind));
    if (wanted.isProbe && wanted.kind.probes > 0) return "wait";
    if (this.#fits(wanted)) return this.#hold(wanted);
    // Running trials may return part of their reservations.
    if (this.#held.size > 0) return "wait";
    this.#isRefusing = true;
    return "refuse";
  }

  /** Replaces the reservation of a trial with its cost over all attempts, however it ended. Null means unknown. */
  settle(reservation: Reservation, costUsd: number | null, { isTypical = true }: SettleOptions = {}): void {
    requireRule("costUsd", costUsd ?? 0, checkAmount);
    const held = this.#release(reservation);
    if (costUsd === null) {
      this.#unknownCosts += 1;
      this.#unknown += held.pico;
      this.#spent += held.pico;
      // Counted as a known cost, or trials that never report a cost would always run one at a time.
      if (isTypical) recordCost(held.kind, held.pico);
      return;
    }
    const pico = BigInt(toPicoDollars(costUsd));
    this.#spent += pico;
    if (isTypical) recordCost(held.kind, pico);
  }

  /** Adds spending outside of trials, such as judging. */
  spend(costUsd: number): void {
    requireRule("costUsd", costUsd, checkAmount);
    this.#spent += BigInt(toPicoDollars(costUsd));
  }

  /** Records the cost of a trial that was paid for earlier. */
  learn(costUsd: number, kind = ""): void {
    requireRule("costUsd", costUsd, checkAmount);
    recordCost(this.#getHistory(kind), BigInt(toPicoDollars(costUsd)));
  }

  #getHistory(kind: string): CostHistory {
    const known = this.#kinds.get(kind) ?? {
      costs: new RunningQuantile(RESERVE_QUANTILE),
      largest: 0n,
      probes: 0,
      first: null,
      learnt: null,
    };
    this.#kinds.set(kind, known);
    return known;
  }

  #planReservation(
    { limit, canCostUsd }: { limit: number; canCostUsd: number | undefined },
    kind: CostHistory,
  ): HeldReservation {
    const most = limit > 0 ? BigInt(toPicoDollars(limit)) : null;
    const atMost = (pico: bigint) => (most !== null && most < pico ? most : pico);
    if (kind.costs.count >= MIN_TRIALS) {
      kind.learnt = atMost(BigInt(Math.ceil(kind.costs.value * RESERVE_MARGIN)));
      return { pico: kind.learnt, isProbe: false, kind };
    }
    if (canCostUsd !== undefined) return { pico: atMost(BigInt(toPicoDollars(canCostUsd))), isProbe: false, kind };
    if (most !== null) return { pico: most, isProbe: false, kind };
    return { pico: kind.largest, isProbe: kind.costs.count < MIN_PROBES, kind };
  }

  /** The cost of a probe may be unknown, so some budget must be left for it. */
  #fits({ pico, isProbe }: HeldReservation): boolean {
    const left = this.#max - this.#spent - this.#reserved;
    return isProbe && pico === 0n ? left > 0n : pico <= left;
  }

  #hold(held: HeldReservation): Reservation {
    const { pico, isProbe, kind } = held;
    const reservation = { reservedUsd: toDollars(Number(pico)) };
    this.#held.set(reservation, held);
    this.#reserved += pico;
    if (isProbe) kind.probes += 1;
    if (kind.learnt === null && pico > (kind.first ?? -1n)) kind.first = pico;
    return reservation;
  }

  #release(reservation: Reservation): HeldReservation {
    const held = this.#held.get(reservation);
    if (held === undefined) throw new RangeError("This reservation was already settled or belongs to another budget.");
    this.#held.delete(reservation);
    this.#reserved -= held.pico;
    if (held.isProbe) held.kind.probes -= 1;
    return held;
  }
}

function recordCost(kind: CostHistory, pico: bigint): void {
  kind.costs.add(Number(pico));
  if (pico > kind.largest) kind.largest = pico;
}
