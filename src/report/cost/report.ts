import type { EvalRow } from "../../core/index.js";
import { hasOutput } from "../../core/index.js";
import { findReplayedPart } from "../../models/index.js";
import { formatPlural } from "../format.js";
import {
  type BilledTrial,
  COST_SPLITS,
  type CostAmount,
  type CostSplit,
  getBill,
  PARTS,
  splitTrialBill,
  toPico,
  toUsd,
} from "./split.js";

/** One part of a bill. */
export interface CostPart {
  readonly name: string;
  /** Null if no cost of the system is known. */
  readonly costUsd: number | null;
  /** Null if no tokens of the system are known. */
  readonly tokens: number | null;
  /** Answers, or tool calls; 0 where neither can be counted. */
  readonly count: number;
}

/** The bill of one system, split in every way. */
export interface SystemCost {
  readonly system: string;
  readonly trials: number;
  /** Of all trials: the parts of every split add up to it. Null if no cost is known. */
  readonly costUsd: number | null;
  /** As reported; null if no trial reported any. */
  readonly tokens: number | null;
  /** Trials with an output and an unknown cost. */
  readonly unknownCosts: number;
  /** The part of the bill that other runs have paid. */
  readonly replayedUsd: number;
  /** What scoring cost; not part of the bill. */
  readonly judgeUsd: number;
  /** What simulated users cost, which is not part of the bill. */
  readonly userUsd: number;
  readonly splits: Readonly<Record<CostSplit, readonly CostPart[]>>;
}

/** What a run paid besides the bills of its trials, in dollars. */
export interface OtherCosts {
  readonly canaryUsd: number;
  /** Trials that failed and were run again. */
  readonly repeatedUsd: number;
  /** Interrupted trials. */
  readonly lostUsd: number;
  /** Held for trials of unknown cost. */
  readonly unknownUsd: number;
  /** Trials that are put aside. */
  readonly asideUsd: number;
}

/** Where the money of a run went. */
export interface CostReport {
  readonly schema: "assay.cost/1";
  readonly run: string;
  readonly systems: readonly SystemCost[];
  /** Absent for a part of a run. */
  readonly besides?: OtherCosts;
  readonly notes: readonly string[];
}

/** In the order of the page; the rest comes last. */
const CLASS_ORDER = ["fresh input", "cache read", "cache write", "output", "reasoning"];
const LAST_PARTS: readonly string[] = [PARTS.failedAttempts, PARTS.unattributed];

interface PartSum {
  pico: number;
  tokens: number;
  count: number;
}

/** Adds up the trials of one system. */
export class SystemBill {
  readonly #name: string;
  readonly #splits = new Map(COST_SPLITS.map((split) => [split, new Map<string, PartSum>()]));
  readonly #total: PartSum = { pico: 0, tokens: 0, count: 0 };
  #replayed = 0;
  #partlyReplayed = 0;
  #judge = 0;
  #user = 0;
  #unknownCosts = 0;
  #knowsCosts = false;
  #knowsTokens = false;
  #withoutSteps = 0;
  #contradictory = 0;

  constructor(name: string) {
    this.#name = name;
  }

  add(trial: BilledTrial): void {
    const { row } = trial;
    const bill = getBill(row);
    this.#total.count += 1;
    this.#total.pico += bill.pico;
    this.#total.tokens += bill.tokens;
    const replayed = findReplayedPart(row.notes);
    if (row.cached || replayed === "all") this.#replayed += bill.pico;
    else if (replayed === "some") this.#partlyReplayed += 1;
    this.#judge += toPico(row.judgeCostUsd ?? 0);
    this.#user += toPico(row.userCostUsd ?? 0);
    if (row.costUsd === null && hasOutput(row)) this.#unknownCosts += 1;
    if (row.costUsd !== null) this.#knowsCosts = true;
    if (row.usage !== null) this.#knowsTokens = true;
    const { hasNoSteps, isContradictory } = splitTrialBill(trial, (...part) => this.#addPart(...part));
    if (hasNoSteps) this.#withoutSteps += 1;
    if (isContradictory) this.#contradictory += 1;
  }

  #addPart(split: CostSplit, name: string, { pico, tokens }: CostAmount, count: number): void {
    const parts = this.#splits.get(split) ?? new Map<string, PartSum>();
    const sum = parts.get(name) ?? { pico: 0, tokens: 0, count: 0 };
    parts.set(name, sum);
    sum.pico += pico;
    sum.tokens += tokens;
    sum.count += count;
  }

  build(): SystemCost {
    const split = (name: CostSplit) =>
      orderParts(this.#splits.get(name) ?? new Map(), name === "class").map((part) => this.#toPart(part));
    const { costUsd, tokens } = this.#toPart(["", this.#total]);
    return {
      system: this.#name,
      trials: this.#total.count,
      costUsd,
      tokens,
      unknownCosts: this.#unknownCosts,
      replayedUsd: toUsd(this.#replayed),
      judgeUsd: toUsd(this.#judge),
      userUsd: toUsd(this.#user),
      splits: {
        class: split("class"),
        kind: split("kind"),
        tool: split("tool"),
        worker: split("worker"),
        retries: split("retries"),
        pass: split("pass"),
      },
    };
  }

  #toPart([name, { pico, tokens, count }]: [name: string, sum: PartSum]): CostPart {
    return {
      name,
      costUsd: this.#knowsCosts ? toUsd(pico) : null,
      tokens: this.#knowsTokens ? tokens : null,
      count,
    };
  }

  /** What could not be split, and why. */
  listNotes(): string[] {
    const of = (count: number) => `${count} of ${formatPlural(this.#total.count, "trial")} of ${this.#name}`;
    return [
      ...(this.#withoutSteps === 0
        ? []
        : [
            `${of(this.#withoutSteps)} stored no steps with tokens: what they cost is unattributed but for its classes`,
          ]),
      ...(this.#contradictory === 0
        ? []
        : [`the steps of ${of(this.#contradictory)} cost more than the bill, so that they are not used`]),
      ...(this.#partlyReplayed === 0
        ? []
        : [`the bill of ${of(this.#partlyReplayed)} includes model calls from cassettes, which this run did not pay`]),
      ...(this.#unknownCosts === 0 ? [] : [`the cost of ${of(this.#unknownCosts)} is unknown and not in the bill`]),
    ];
  }
}

function orderParts(parts: ReadonlyMap<string, PartSum>, isFixed: boolean): [name: string, sum: PartSum][] {
  const rank = (name: string) => (LAST_PARTS.includes(name) ? 1000 : isFixed ? CLASS_ORDER.indexOf(name) : 0);
  return [...parts].toSorted(([a, x], [b, y]) => rank(a) - rank(b) || y.pico - x.pico || y.tokens - x.tokens);
}

/** True if neither a cost nor tokens of any trial are known. */
export function hasNoCosts(rows: readonly EvalRow[]): boolean {
  return rows.every(
    ({ costUsd, usage, judgeCostUsd, userCostUsd }) =>
      costUsd === null && usage === null && judgeCostUsd === null && userCostUsd === null,
  );
}
